//! Going from one thing to another that belongs to it.

use crate::action::Action;
use crate::event::Effect;
use crate::look::Tone;
use crate::state::index::Flags;
use crate::state::{Density, State, View};
use warpscope_dissector::field::Kind;
use warpscope_dissector::format::counted;
use warpscope_dissector::tree::Value;

impl State {
    /// Goes to a frame in the messages view, whatever hides it.
    pub fn go_to(&mut self, frame: Option<u32>) {
        let Some(frame) = frame.filter(|frame| *frame > 0) else { return };
        if self.capture.frames.find(frame).is_none() {
            self.say(Tone::Warn, format!("frame {frame} is not read yet"));
            return;
        }
        self.remember_place();
        self.view = View::Messages;
        if self.messages.rows.find(frame).is_none() {
            self.reveal(frame);
        }
        self.choose_frame(frame);
        self.settle_cursors();
    }

    /// Takes away what hides a frame: the filter, the flow, the density.
    fn reveal(&mut self, frame: u32) {
        let flow = self.capture.frames.find(frame).and_then(|entry| entry.flow());
        let mut undone = Vec::new();
        if self.filter.active() && !self.filter.matched.contains(&frame) {
            self.filter.text.clear();
            undone.push("filter");
        }
        if self.flow.is_some() && self.flow != flow {
            self.flow = None;
            undone.push("flow");
        }
        self.list_all();
        while self.messages.rows.find(frame).is_none() && self.messages.density != Density::Frames {
            self.messages.density = self.messages.density.next();
            self.list_messages();
        }
        if !undone.is_empty() {
            self.say(
                Tone::Plain,
                format!("{} taken away to show frame {frame}", undone.join(" and ")),
            );
        }
    }

    /// Goes to what answers the chosen message, or what it answers.
    pub(super) fn partner(&mut self) -> Vec<Effect> {
        let found = match self.view {
            View::Ladder => {
                let page = self.page();
                if !self.ladder.partner(page) {
                    self.say(Tone::Plain, "nothing in the ladder answers it");
                }
                return Vec::new();
            }
            View::Operations => {
                let row = self.operations.chosen().and_then(|row| self.capture.operations.get(row));
                row.map(|row| row.answer)
            }
            View::Calls => {
                let row = self.calls.chosen().and_then(|row| self.capture.calls.get(row));
                row.map(|row| row.answer)
            }
            View::Findings => self.findings.chosen(&self.capture).map(|row| row.frame),
            _ => {
                let frame = self.chosen_frame();
                let operation = self.capture.operation_at(frame).map(|row| (row.frame, row.answer));
                let call = self.capture.call_at(frame).map(|row| (row.frame, row.answer));
                let pair = call.or(operation);
                pair.map(|(request, answer)| if request == frame { answer } else { request })
            }
        };
        match found.filter(|frame| *frame > 0) {
            Some(frame) => self.go_to(Some(frame)),
            None => self.say(Tone::Plain, "no request or response belongs to it"),
        }
        Vec::new()
    }

    /// Goes to the frame that the chosen field, or a field of the tree, names.
    pub(super) fn cause(&mut self) -> Vec<Effect> {
        let own = u64::from(self.chosen_frame());
        let number = |node: &warpscope_dissector::tree::Node| match node.value {
            Value::Unsigned(frame) if node.field.kind == Kind::FrameNumber && frame != own => {
                Some(frame)
            }
            _ => None,
        };
        let pane = &self.messages.tree;
        let chosen = pane.node().and_then(number);
        let first = || pane.tree().and_then(|tree| tree.nodes.iter().find_map(number));
        let frame = chosen.or_else(first).and_then(|frame| u32::try_from(frame).ok());
        match frame {
            Some(frame) => self.go_to(Some(frame)),
            None => self.say(Tone::Plain, "no other frame is named here"),
        }
        Vec::new()
    }

    /// Goes to the next frame listed in which something is wrong, or to the one before.
    pub(super) fn go_wrong(&mut self, forward: bool) {
        if self.view == View::Run {
            let page = self.page();
            if !self.run.go_failing(forward, page) {
                self.say(Tone::Plain, "nothing more fails in this direction");
            }
            return;
        }
        let wrong = Flags::WRONG | Flags::SKIPPED | Flags::TERMINATE;
        let at = self.messages.cursor.selected;
        let rows = &self.messages.rows;
        let is_wrong = |row: &usize| {
            let Some(frame) = rows.frame(*row) else { return false };
            let flags = self.capture.frames.find(frame).map(|entry| entry.flags);
            self.capture.found_frames.contains(&frame) || flags.is_some_and(|it| it.any(wrong))
        };
        let found = if forward {
            (at + 1..rows.len()).find(is_wrong)
        } else {
            (0..at.min(rows.len())).rev().find(is_wrong)
        };
        match found {
            Some(row) => {
                let page = self.page();
                let count = self.messages.rows.len();
                self.messages.cursor.jump(row, count, page);
                let frame = self.chosen_frame();
                let found = self.capture.found.iter().find(|found| found.frame == frame);
                if let Some(found) = found {
                    let words = format!("{}: {}", found.rule.id, found.explanation);
                    self.say(Tone::Bad, words);
                }
            }
            None => self.say(Tone::Plain, "nothing more is wrong in this direction"),
        }
    }

    /// Copies what is chosen.
    pub(super) fn copy(&mut self, action: Action) -> Vec<Effect> {
        let text = match action {
            Action::CopyTree => crate::format::tree_text(&self.messages.tree),
            Action::CopyRow => crate::format::row_text(self),
            _ => crate::format::value_text(self),
        };
        if text.is_empty() {
            self.say(Tone::Plain, "there is nothing to copy here");
            return Vec::new();
        }
        let count = text.chars().count();
        self.say(Tone::Good, format!("copied {}", counted(count as u64, "character")));
        vec![Effect::Copy(text)]
    }
}
