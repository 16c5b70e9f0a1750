//! The frames listed in the messages view.

use super::{Mode, State};
use crate::action::Action;
use crate::event::{Effect, LinesAsked};
use crate::layout::{PLOT, View};

/// Frames in order: all of them, or some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Some frames; none if all are listed.
    list: Option<Vec<u32>>,
    /// The last frame, if all are listed.
    count: u32,
    /// The number of frames before the first, if all are listed.
    before: u32,
}

impl Default for Rows {
    fn default() -> Self {
        Self { list: Some(Vec::new()), count: 0, before: 0 }
    }
}

impl Rows {
    /// Lists all frames from `first` to `last`.
    pub fn all(first: u32, last: u32) -> Self {
        Self { list: None, count: last, before: first.saturating_sub(1) }
    }

    /// Lists these frames.
    pub fn some(frames: Vec<u32>) -> Self {
        Self { list: Some(frames), count: 0, before: 0 }
    }

    /// Whether all frames are listed.
    pub fn is_all(&self) -> bool {
        self.list.is_none()
    }

    /// Adds a frame after the last; if all are listed, it may already be included.
    pub fn push(&mut self, frame: u32) {
        match &mut self.list {
            Some(list) => list.push(frame),
            None => self.count = self.count.max(frame),
        }
    }

    /// Removes the frames before `first`; returns how many.
    pub fn forget(&mut self, first: u32) -> usize {
        let gone = self.near(first).min(self.len());
        match &mut self.list {
            Some(list) => _ = list.drain(..gone),
            None => self.before = self.before.max(first.saturating_sub(1)).min(self.count),
        }
        gone
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        let all = self.count.saturating_sub(self.before) as usize;
        self.list.as_ref().map_or(all, Vec::len)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the frame of a row.
    pub fn frame(&self, row: usize) -> Option<u32> {
        match &self.list {
            Some(list) => list.get(row).copied(),
            None => {
                let frame = u32::try_from(row).ok()?.checked_add(self.before)?.checked_add(1)?;
                (frame <= self.count).then_some(frame)
            }
        }
    }

    /// Returns the row of a frame, or of the first one after it.
    pub fn near(&self, frame: u32) -> usize {
        match &self.list {
            Some(list) => list.partition_point(|at| *at < frame),
            None => frame.saturating_sub(1).saturating_sub(self.before) as usize,
        }
    }

    /// Returns the row of a frame.
    pub fn find(&self, frame: u32) -> Option<usize> {
        let row = self.near(frame);
        (self.frame(row) == Some(frame)).then_some(row)
    }
}

// The selected row of a list, and the visible part of the list.

/// The selected row, and the first visible row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The selected row.
    pub selected: usize,
    /// The first row on the screen.
    pub top: usize,
}

impl Cursor {
    /// Moves the cursor by an action, in a list of `count` rows of which `page` are visible; returns false
    /// if the action moves nothing.
    pub fn act(&mut self, action: Action, count: usize, page: usize) -> bool {
        let selected = self.selected;
        let moved = match action {
            Action::Down => selected.saturating_add(1),
            Action::Up => selected.saturating_sub(1),
            Action::PageDown => selected.saturating_add(page),
            Action::PageUp => selected.saturating_sub(page),
            Action::HalfDown => selected.saturating_add(page / 2),
            Action::HalfUp => selected.saturating_sub(page / 2),
            Action::First => 0,
            Action::Last => usize::MAX,
            _ => return false,
        };
        self.choose(moved, count, page);
        true
    }

    /// Scrolls by an action, in a text without a selected row.
    pub fn scroll(&mut self, action: Action, count: usize, page: usize) {
        let rows = |count: usize| isize::try_from(count).unwrap_or(isize::MAX);
        let by = match action {
            Action::Down => 1,
            Action::Up => -1,
            Action::PageDown => rows(page),
            Action::PageUp => -rows(page),
            Action::HalfDown => rows(page / 2),
            Action::HalfUp => -rows(page / 2),
            _ => {
                self.act(action, count, page);
                return;
            }
        };
        self.wheel(by, count, page);
    }

    /// Selects a row, or the last one if there are fewer, and scrolls to it.
    pub fn choose(&mut self, row: usize, count: usize, page: usize) {
        self.selected = row.min(count.saturating_sub(1));
        if self.selected < self.top {
            self.top = self.selected;
        }
        if self.selected >= self.top.saturating_add(page.max(1)) {
            self.top = self.selected.saturating_sub(page.max(1) - 1);
        }
        self.top = self.top.min(count.saturating_sub(page.min(count)));
    }

    /// Selects a row, and centres it if it was not visible.
    pub fn jump(&mut self, row: usize, count: usize, page: usize) {
        if row < self.top || row >= self.top.saturating_add(page) {
            self.top = row.saturating_sub(page / 2);
        }
        self.choose(row, count, page);
    }

    /// Scrolls by the mouse wheel; moves the selection only if it would become invisible.
    pub fn wheel(&mut self, rows: isize, count: usize, page: usize) {
        let last = count.saturating_sub(page.min(count));
        self.top = self.top.saturating_add_signed(rows).min(last);
        let seen = self.top..self.top.saturating_add(page.max(1));
        let selected = self.selected.clamp(seen.start, seen.end.saturating_sub(1));
        self.selected = selected.min(count.saturating_sub(1));
    }
}

// Requests for the missing parts of the screen, made once after every change.

impl State {
    /// Returns the effects that others must perform: the user's requests, then those for missing parts of the
    /// screen. The latter are recorded as requested.
    pub fn demand(&mut self) -> Vec<Effect> {
        let mut effects = std::mem::take(&mut self.effects);
        if self.stale && self.view.is_table() {
            self.list_tables();
            self.settle_cursors();
        }
        match self.view {
            View::Messages => {
                effects.extend(self.lacking_lines());
                effects.extend(self.lacking_tree());
            }
            View::Operations | View::Calls => effects.extend(self.lacking_text()),
            View::Ladder => effects.extend(self.lacking_ladder()),
            View::Graph if self.graph.stale => {
                let mut graph = std::mem::take(&mut self.graph);
                let columns = self.size.0.saturating_sub(PLOT);
                graph.list(&self.capture, &self.passing(), columns.into());
                self.graph = graph;
                self.settle_cursors();
            }
            View::Statistics if self.statistics.stale => {
                let (flow, look, columns) = (self.flow, self.look, self.size.0);
                self.statistics.list(&self.capture, flow, look, columns);
                self.settle_cursors();
            }
            _ => {}
        }
        effects
    }

    /// Requests the visible lines, with a page before and after.
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
        // If all visible lines are there, request nothing.
        let seen = top..top.saturating_add(page);
        seen.clone().find_map(lacks)?;
        let near = top.saturating_sub(page)..seen.end.saturating_add(page);
        let rules = self.rules.clone();
        let wanted = LinesAsked { frames: near.filter_map(lacks).collect(), fields, rules };
        if view.asked.as_ref() == Some(&wanted) {
            return None;
        }
        view.asked = Some(wanted.clone());
        Some(Effect::Lines(wanted))
    }

    /// Requests the lines of the selected request and its response.
    fn lacking_text(&mut self) -> Option<Effect> {
        let mut frames = self.frames_at_hand().to_vec();
        let call = self.calls.of(&self.capture.calls).filter(|_| self.view == View::Calls);
        frames.extend(call.map(|call| call.completed));
        let view = &mut self.messages;
        frames.retain(|frame| *frame > 0 && !view.lines.contains_key(frame));
        frames.sort_unstable();
        let (fields, rules) = (view.columns.fields().collect(), self.rules.clone());
        let wanted = LinesAsked { frames, fields, rules };
        if wanted.frames.is_empty() || view.asked.as_ref() == Some(&wanted) {
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

    /// Whether all requests are answered, and the capture was read to its end.
    pub fn settled(&self) -> bool {
        let count = self.capture.frames.count();
        let read = self.capture.progress.ended || self.held.is_some();
        let filtered = !self.filter.active() || self.filter.upto >= count;
        let searched = !self.search.asked || self.search.upto >= count;
        let shown = match self.view {
            View::Messages => self.messages.asked.is_none() && self.messages.tree.asked.is_none(),
            View::Ladder => self.ladder.asked.is_none(),
            View::Operations | View::Calls => self.messages.asked.is_none(),
            _ => true,
        };
        let shown = shown && (self.mode != Mode::Stream || self.stream.lines.is_some());
        read && filtered && searched && shown && !self.writing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_frames_find_each_other() {
        let some = Rows::some(vec![2, 5, 9]);
        assert_eq!((some.find(5), some.find(6), some.near(6)), (Some(1), None, 2));
        assert_eq!((some.frame(2), some.frame(3)), (Some(9), None));
        let late = Rows::all(4, 6);
        assert_eq!((late.len(), late.frame(0), late.frame(3), late.near(2)), (3, Some(4), None, 0));
        assert_eq!((late.find(3), late.find(6)), (None, Some(2)));
        let mut all = Rows::all(1, 3);
        assert_eq!((all.find(3), all.frame(2), all.frame(3)), (Some(2), Some(3), None));
        all.push(4);
        assert_eq!(all.len(), 4);
        assert!(Rows::default().is_empty() && Rows::default().frame(0).is_none());
    }

    #[test]
    fn the_chosen_row_is_always_seen() {
        let actions = [
            Action::Down,
            Action::PageDown,
            Action::Last,
            Action::Up,
            Action::HalfUp,
            Action::PageUp,
            Action::First,
            Action::HalfDown,
        ];
        for count in [0_usize, 1, 5, 100] {
            let mut cursor = Cursor::default();
            for (index, action) in actions.into_iter().cycle().take(200).enumerate() {
                let page = 1 + index % 7;
                assert!(cursor.act(action, count, page));
                assert!(cursor.selected < count.max(1));
                assert!((cursor.top..cursor.top + page).contains(&cursor.selected));
                cursor.wheel(3 - (index as isize % 7), count, page);
                assert!((cursor.top..cursor.top + page).contains(&cursor.selected) || count == 0);
                cursor.jump(index * 3 % 130, count, page);
                assert!((cursor.top..cursor.top + page).contains(&cursor.selected));
            }
        }
        assert!(!Cursor::default().act(Action::Help, 5, 5));
    }
}
