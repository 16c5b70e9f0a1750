//! What workers tell.

use crate::event::{Change, Effect, Event, LinesAsked, Matched, ScanKind, Wanted};
use crate::layout;
use crate::look::Tone;
use crate::state::index::Batch;
use crate::state::{Capture, Density, Held, MessageRow, SearchBar, State, View};
use warpscope_dissector::dissect::Line;
use warpscope_dissector::filter::Filter;

/// Frames that are held at most while the screen is to stand still.
const MOST_HELD: usize = 1 << 22;

/// The most frames for which a ladder is drawn anew as more comes; of more it is when it is looked at again.
const REDRAWN: u32 = 100_000;

impl State {
    /// Takes what a worker tells. While the screen is to stand still, what would change its lists is held.
    pub fn take(&mut self, event: Event) -> Vec<Effect> {
        match &mut self.held {
            Some(held) if moves(&event) => {
                held.hold(event);
                if held.frames > MOST_HELD {
                    self.pause();
                    self.say(Tone::Warn, "too much has come: the screen goes on");
                }
            }
            _ => self.take_now(event),
        }
        Vec::new()
    }

    fn take_now(&mut self, event: Event) {
        match event {
            Event::Indexed(batch) => self.indexed(&batch),
            Event::Forgotten(first) => self.forget(first),
            Event::Changed(change) => self.changed(change),
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
                if self.view == View::Ladder {
                    let first = || self.capture.flows.first().map(|row| row.flow.info.number);
                    self.ladder.flow = self.ladder.flow.or_else(first);
                    let live = self.capture.progress.rate.is_some();
                    let frames =
                        self.capture.frames.count().saturating_sub(self.capture.frames.first());
                    self.ladder.renew |= live && frames < REDRAWN;
                }
                if self.flows.sort.is_some() || self.flows.reverse {
                    self.arrange();
                }
                self.settle_cursors();
            }
            Event::Counted(counts) => {
                self.capture.counts = Some(counts);
                self.count_again();
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
            Event::Chunks(rows) => self.capture.chunks.extend(rows),
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
                    pane.show_byte(layout::page(panes.bytes));
                }
            }
            Event::Matched(matched) => self.matched(matched),
            Event::Ladder(flow, ladder) => {
                if self.ladder.asked == Some(flow) {
                    self.ladder.asked = None;
                }
                if self.ladder.flow == Some(flow) {
                    let page = layout::page(
                        layout::parts(View::Ladder, layout::screen(self.size).body).list,
                    );
                    let sought = self.ladder.seek.is_some();
                    self.ladder.take(flow, ladder, page);
                    if self.follow && !sought {
                        let count = self.ladder.lines.len();
                        self.ladder.cursor.choose(count, count, page);
                    }
                }
            }
            Event::Written(words) => self.say(Tone::Good, words),
            Event::Notice(words) => self.say(Tone::Bad, words),
        }
    }

    /// Gives up what is known of the frames before one.
    fn forget(&mut self, first: u32) {
        let capture = &mut self.capture;
        capture.frames.forget(first);
        capture.operations.retain(|row| row.frame.max(row.answer) >= first);
        capture.calls.retain(|row| row.frame.max(row.answer) >= first);
        capture.chunks.retain(|row| row.last >= first);
        capture.found.retain(|row| row.frame >= first);
        capture.found_frames.retain(|frame| *frame >= first);
        self.filter.matched.drain(..self.filter.matched.partition_point(|it| *it < first));
        self.search.found.drain(..self.search.found.partition_point(|it| *it < first));
        let gone = self.messages.rows.forget(first);
        let cursor = &mut self.messages.cursor;
        cursor.selected = cursor.selected.saturating_sub(gone);
        cursor.top = cursor.top.saturating_sub(gone);
        self.list_tables();
        self.settle_cursors();
    }

    fn changed(&mut self, change: Change) {
        let words = match change {
            Change::Grown(bytes) => {
                format!("the file has {} more: R reads it again", crate::format::bytes(bytes))
            }
            Change::Shorter => "the file has become shorter: R reads it again".to_owned(),
            Change::Gone => {
                "the file was removed or replaced; what was opened can still be read".to_owned()
            }
        };
        self.say(Tone::Warn, words);
    }

    /// Makes the screen stand still while more comes, or lets it go on.
    pub(super) fn pause(&mut self) {
        match self.held.take() {
            None => {
                self.held = Some(Held::default());
                self.say(Tone::Plain, "the screen stands still; P goes on");
            }
            Some(held) => {
                for event in held.events {
                    self.take_now(event);
                }
                self.say(Tone::Plain, "going on");
            }
        }
    }

    /// Forgets the capture, to read it again from its beginning; what is shown of it stays as it was chosen.
    pub fn reload(&mut self) -> Vec<Effect> {
        let frame = self.chosen_frame();
        self.seek = Some(frame).filter(|frame| *frame > 0);
        self.held = None;
        self.capture = Capture::default();
        for table in [&mut self.flows, &mut self.operations, &mut self.calls] {
            table.clear();
        }
        self.ladder.ladder = None;
        self.ladder.asked = None;
        self.messages.lines.clear();
        self.messages.asked = None;
        self.messages.tree.found = None;
        self.messages.tree.asked = None;
        self.list_all();
        self.count_again();
        let mut effects = Vec::new();
        if let (true, Ok(filter)) = (self.filter.active(), Filter::parse(&self.filter.text)) {
            self.filter.matched.clear();
            (self.filter.upto, self.filter.question) = (0, self.filter.question + 1);
            let wanted = Some(Wanted::Filter(filter));
            effects.push(Effect::Scan(ScanKind::Filter, self.filter.question, wanted));
        }
        if let (true, Ok(wanted)) = (self.search.asked, SearchBar::wanted(&self.search.text)) {
            self.search.found.clear();
            (self.search.upto, self.search.question) = (0, self.search.question + 1);
            effects.push(Effect::Scan(ScanKind::Search, self.search.question, Some(wanted)));
        }
        self.say(Tone::Plain, "reading again");
        effects
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
        if self.seek.is_some_and(|frame| frame <= self.capture.frames.count()) {
            let frame = self.seek.take().unwrap_or(0);
            self.choose_frame(frame);
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

    fn lines(&mut self, lines: Vec<(u32, MessageRow)>, asked: Option<LinesAsked>) {
        for (field, value) in lines.iter().flat_map(|(_, row)| &row.values) {
            self.messages.columns.see(field, value);
        }
        self.messages.keep(lines);
        let Some(asked) = asked else { return };
        // What could not be read is not asked for again and again.
        for frame in &asked.frames {
            let info = "[cannot be read again]".to_owned();
            let line = || Line { info, alarm: true, ..Line::default() };
            let unreadable = || MessageRow { line: line(), values: Vec::new() };
            let row = self.messages.lines.entry(*frame).or_insert_with(unreadable);
            for field in &asked.fields {
                if row.value(field).is_none() {
                    row.values.push((*field, String::new()));
                }
            }
        }
        if self.messages.asked.as_ref() == Some(&asked) {
            self.messages.asked = None;
        }
    }

    fn matched(&mut self, mut matched: Matched) {
        let count = self.capture.frames.count();
        if let Some(held) = self.held.as_mut().filter(|_| matched.upto > count) {
            // What is found among the frames that are shown is told; the rest comes with the others.
            let known = matched.frames.partition_point(|frame| *frame <= count);
            let frames = matched.frames.split_off(known);
            held.hold(Event::Matched(Matched { frames, ..matched.clone() }));
            matched.upto = count;
        }
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
                match self.filter.seek {
                    Some(frame) if matched.upto >= frame => {
                        self.filter.seek = None;
                        self.choose_frame(frame);
                    }
                    _ if empty => self.choose_frame(0),
                    _ => {}
                }
                self.follow_end();
            }
            ScanKind::Search => {
                if matched.question != self.search.question {
                    return;
                }
                self.search.found.extend(matched.frames);
                self.search.upto = matched.upto;
                if self.search.awaited && self.view == View::Messages {
                    self.notice = None;
                    self.go_to_found(true);
                }
            }
        }
    }
}

/// Whether an event makes lists longer or shorter.
fn moves(event: &Event) -> bool {
    matches!(
        event,
        Event::Indexed(_)
            | Event::Forgotten(_)
            | Event::Progress(_)
            | Event::Flows(_)
            | Event::Counted(_)
            | Event::Operations(_)
            | Event::Calls(_)
            | Event::Chunks(_)
            | Event::Found(_)
    )
}

impl Held {
    /// Holds an event; one that says all takes the place of the one before.
    fn hold(&mut self, event: Event) {
        let whole = matches!(event, Event::Progress(_) | Event::Flows(_) | Event::Counted(_));
        if whole {
            let kind = std::mem::discriminant(&event);
            self.events.retain(|other| std::mem::discriminant(other) != kind);
        }
        if let Event::Indexed(batch) = &event {
            self.frames += batch.entries.len();
        }
        self.events.push(event);
    }
}
