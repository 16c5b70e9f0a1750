//! What the screen lacks: asked for once, after every change.

use super::{State, View};
use crate::event::{Effect, LinesAsked};

impl State {
    /// What workers must be asked for, so that the screen can be drawn whole. It is remembered as
    /// asked for.
    pub fn demand(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        match self.view {
            View::Messages => {
                effects.extend(self.lacking_lines());
                effects.extend(self.lacking_tree());
            }
            View::Ladder => effects.extend(self.lacking_ladder()),
            View::Statistics if self.statistics.stale => {
                let (flow, look, columns) = (self.flow, self.look, self.size.0);
                self.statistics.list(&self.capture, flow, look, columns);
                self.settle_cursors();
            }
            _ => {}
        }
        effects
    }

    /// Lines that are seen or will be soon: a page before and behind.
    fn lacking_lines(&mut self) -> Option<Effect> {
        let page = self.page();
        let view = &mut self.messages;
        let fields: Vec<_> = view.columns.fields().collect();
        let lacks = |row: usize| {
            let frame = view.rows.frame(row)?;
            let known = view.lines.get(&frame);
            let whole =
                known.is_some_and(|it| fields.iter().all(|field| it.value(field).is_some()));
            (!whole).then_some(frame)
        };
        let top = view.cursor.top;
        // As long as all that is seen is there, nothing is asked for.
        let seen = top..top.saturating_add(page);
        seen.clone().find_map(lacks)?;
        let near = top.saturating_sub(page)..seen.end.saturating_add(page);
        let wanted = LinesAsked { frames: near.filter_map(lacks).collect(), fields };
        if view.asked.as_ref() == Some(&wanted) {
            return None;
        }
        view.asked = Some(wanted.clone());
        Some(Effect::Lines(wanted))
    }

    fn lacking_tree(&mut self) -> Option<Effect> {
        let frame = self.chosen_frame();
        let tree = &mut self.messages.tree;
        let known = tree.found.as_ref().is_some_and(|(of, _)| *of == frame);
        if frame == 0 || known || tree.asked == Some(frame) {
            return None;
        }
        tree.asked = Some(frame);
        Some(Effect::Tree(frame))
    }

    fn lacking_ladder(&mut self) -> Option<Effect> {
        let wanted = self.ladder.flow?;
        let last = self.capture.flow(wanted).map_or(0, |row| row.flow.last.frame);
        let ladder = &mut self.ladder;
        let known = ladder.ladder.as_ref().is_some_and(|(flow, _)| *flow == wanted);
        let grown = ladder.renew && last != ladder.upto;
        if known && !grown || ladder.asked == Some(wanted) {
            return None;
        }
        (ladder.asked, ladder.upto, ladder.renew) = (Some(wanted), last, false);
        Some(Effect::Ladder(wanted))
    }

    /// Whether everything that was asked for is there, and the capture was read to its end.
    pub fn settled(&self) -> bool {
        let count = self.capture.frames.count();
        let read = self.capture.progress.ended || self.held.is_some();
        let filtered = !self.filter.active() || self.filter.upto >= count;
        let searched = !self.search.asked || self.search.upto >= count;
        let shown = match self.view {
            View::Messages => self.messages.asked.is_none() && self.messages.tree.asked.is_none(),
            View::Ladder => self.ladder.asked.is_none(),
            _ => true,
        };
        read && filtered && searched && shown
    }
}
