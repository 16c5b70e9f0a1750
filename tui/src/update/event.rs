//! What workers tell.

use crate::event::{Effect, Event, Matched, ScanKind};
use crate::layout;
use crate::look::Tone;
use crate::state::index::Batch;
use crate::state::{Density, State, View};
use warpscope_dissector::dissect::Line;

impl State {
    /// Takes what a worker tells.
    pub fn take(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Indexed(batch) => self.indexed(&batch),
            Event::Progress(progress) => {
                let ended = progress.ended && !self.capture.progress.ended;
                self.capture.progress = progress;
                if ended {
                    self.ended();
                }
            }
            Event::Flows(rows) => {
                self.capture.flows = rows;
                let chosen = self.flows.cursor;
                self.flows.clear();
                self.flows.extend(&self.capture.flows, |_| true);
                self.flows.cursor = chosen;
                if self.view == View::Ladder && self.ladder.flow.is_none() {
                    self.ladder.flow = self.capture.flows.first().map(|row| row.flow.info.number);
                }
                if self.flows.sort.is_some() || self.flows.reverse {
                    self.arrange();
                }
                self.settle_cursors();
            }
            Event::Counted(counts) => {
                self.statistics.list(&counts, self.look);
                self.capture.counts = Some(counts);
            }
            Event::Operations(rows) => {
                self.capture.operations.extend(rows);
                let flow = self.flow;
                let wanted = |of: u32| flow.is_none_or(|flow| flow == of);
                self.operations.extend(&self.capture.operations, |row| wanted(row.flow));
            }
            Event::Calls(rows) => {
                self.capture.calls.extend(rows);
                let flow = self.flow;
                let wanted = |of: u32| flow.is_none_or(|flow| flow == of);
                self.calls.extend(&self.capture.calls, |row| wanted(row.flow));
            }
            Event::Found(rows) => {
                self.capture.found_frames.extend(rows.iter().map(|row| row.frame));
                self.capture.found.extend(rows);
                let page = self.page();
                self.findings.list(&self.capture.found, self.flow, page);
            }
            Event::Lines(lines, asked) => self.lines(lines, asked),
            Event::Tree(frame, tree) => {
                let panes = self.message_panes();
                let wanted = frame == self.chosen_frame();
                let pane = &mut self.messages.tree;
                if pane.asked == Some(frame) {
                    pane.asked = None;
                }
                if wanted {
                    pane.take(frame, tree, layout::page(panes.tree));
                    pane.show_octet(layout::page(panes.octets));
                }
            }
            Event::Matched(matched) => self.matched(matched),
            Event::Ladder(flow, ladder) => {
                if self.ladder.asked == Some(flow) {
                    self.ladder.asked = None;
                }
                if self.ladder.flow == Some(flow) {
                    let page = layout::page(layout::split(layout::screen(self.size).body, 55).list);
                    self.ladder.take(flow, ladder, page);
                }
            }
            Event::Written(words) => self.say(Tone::Good, words),
            Event::Notice(words) => self.say(Tone::Bad, words),
        }
        Vec::new()
    }

    fn indexed(&mut self, batch: &Batch) {
        let first = self.capture.frames.count() + 1;
        self.capture.frames.push(batch);
        if self.filter.active() {
            return;
        }
        if self.messages.rows.is_all() {
            let count = self.capture.frames.count();
            self.messages.rows.push(count);
        } else {
            let (flow, density) = (self.flow, self.messages.density);
            for (number, entry) in self.capture.frames.from(first) {
                if density.lists(entry) && flow.is_none_or(|flow| entry.flow == flow) {
                    self.messages.rows.push(number);
                }
            }
        }
        self.follow_end();
    }

    /// No more frames will come.
    fn ended(&mut self) {
        if let Some(error) = self.capture.progress.error.clone() {
            self.say(Tone::Bad, error);
        }
        self.arrange();
        let some = self.capture.frames.count() > 0;
        let nothing = some && self.capture.flows.is_empty() && self.messages.rows.is_empty();
        let untouched = self.flow.is_none() && !self.filter.active();
        if nothing && untouched && self.messages.density != Density::Frames {
            self.messages.density = Density::Frames;
            self.list_messages();
            if self.view == View::Flows {
                self.view = View::Messages;
            }
            if self.capture.progress.error.is_none() {
                self.say(Tone::Warn, "no iWARP was found: all frames are listed");
            }
        }
        // A ladder that was drawn before the end may lack rows.
        if self.ladder.ladder.is_some() {
            self.ladder.ladder = None;
        }
        self.settle_cursors();
    }

    fn lines(&mut self, lines: Vec<(u32, Line)>, asked: Option<Vec<u32>>) {
        self.messages.keep(lines);
        let Some(asked) = asked else { return };
        // What could not be read is not asked for again and again.
        for frame in &asked {
            let unreadable = || Line {
                info: "[cannot be read again]".to_owned(),
                alarm: true,
                ..Line::default()
            };
            self.messages.lines.entry(*frame).or_insert_with(unreadable);
        }
        if self.messages.asked.as_ref() == Some(&asked) {
            self.messages.asked = None;
        }
    }

    fn matched(&mut self, matched: Matched) {
        match matched.kind {
            ScanKind::Filter => {
                if matched.question != self.filter.question || !self.filter.active() {
                    return;
                }
                let empty = self.messages.rows.is_empty();
                for frame in matched.frames {
                    self.filter.matched.push(frame);
                    let entry = self.capture.frames.find(frame);
                    let wanted = |flow: u32| entry.is_some_and(|entry| entry.flow == flow);
                    if self.flow.is_none_or(wanted) {
                        self.messages.rows.push(frame);
                    }
                }
                self.filter.upto = matched.upto;
                if empty {
                    self.choose_frame(0);
                }
                self.follow_end();
            }
            ScanKind::Search => {
                if matched.question != self.search.question {
                    return;
                }
                self.search.found.extend(matched.frames);
                self.search.upto = matched.upto;
                if self.search.awaited {
                    self.notice = None;
                    self.go_found(true);
                }
            }
        }
    }
}
