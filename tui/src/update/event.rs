//! Handles the events of workers.

use super::act::cursor_of;
use crate::action::Action;
use crate::event::{Change, Event, LinesAsked, Matched, ScanKind, Wanted};
use crate::format::row_cells;
use crate::index::{Batch, MessageRow};
use crate::layout::{self, Pane, View};
use crate::look::Tone;
use crate::state::{BYTES_IN_ROW, Capture, Density, HeldEvents, Mode, SearchBar, State};
use warpscope_dissector::dissect::Line;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::format::push_node;
use warpscope_dissector::mpa::Side;

/// The most frames that are held while the screen is paused.
const MOST_HELD: usize = 1 << 22;

/// The most frames for which a ladder is redrawn as more arrive; a longer one waits until it is shown.
const REDRAWN: u32 = 100_000;

impl State {
    /// Handles an event of a worker. While the screen is paused, events that would change its lists are held.
    pub fn take(&mut self, event: Event) {
        match &mut self.held {
            Some(held) if moves(&event) => {
                held.hold(event);
                if held.frames > MOST_HELD {
                    self.pause();
                    self.say(Tone::Warn, "too many new frames: the screen resumes");
                }
            }
            _ => self.take_now(event),
        }
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
                let (filtered, view) = (self.filter.active(), &mut self.flows);
                self.stale |= filtered;
                if !filtered {
                    view.clear();
                    view.extend(&self.capture.flows, |_| true);
                }
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
                self.flows.kept = self.flows.kept.filter(|_| filtered);
                self.settle_cursors();
            }
            Event::Counted(counts, connections) => {
                (self.capture.counts, self.capture.connections) = (Some(counts), connections);
                self.count_again();
            }
            Event::Operations(rows) => {
                self.capture.operations.extend(rows);
                self.list_more();
            }
            Event::Calls(rows) => {
                self.capture.calls.extend(rows);
                self.list_more();
            }
            Event::Comments(rows) => {
                for (frame, text) in rows {
                    self.capture.comments.entry(frame).or_default().push(text);
                }
            }
            Event::Chunks(rows) => self.capture.chunks.extend(rows),
            Event::Found(rows) => {
                self.capture.found_frames.extend(rows.iter().map(|row| row.frame));
                self.capture.found.extend(rows);
                match self.filter.active() {
                    true => self.stale = true,
                    false => self.list_findings(),
                }
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
                    self.choose_opened();
                }
                self.take_typed();
            }
            Event::Matched(matched) => self.matched(matched),
            Event::Ladder(flow, ladder) => {
                if self.ladder.asked == Some(flow) {
                    self.ladder.asked = None;
                }
                if self.ladder.flow == Some(flow) {
                    let page = layout::page(
                        layout::parts(View::Ladder, layout::screen(self.size).body, self.share)
                            .list,
                    );
                    let sought = self.ladder.seek.is_some();
                    self.ladder.take(flow, ladder, page);
                    if self.follow && !sought {
                        let count = self.ladder.lines.len();
                        self.ladder.cursor.choose(count, count, page);
                    }
                }
                self.take_typed();
            }
            Event::Stream(flow, parts, left_out) => {
                if self.mode == Mode::Stream && self.stream.flow == flow {
                    let first = self.capture.flow(flow).map(|row| row.flow.first_side());
                    self.stream.take(&parts, first.unwrap_or(Side(0)), left_out);
                }
            }
            Event::Written(words) => {
                self.writing = false;
                self.say(Tone::Good, words);
            }
            Event::Notice(words) => {
                let refused = std::mem::take(&mut self.writing);
                // A file that could not be written has no comments.
                self.unsaved |= refused && !self.comments.is_empty();
                match refused {
                    true => self.refuse_name(words),
                    false => self.say(Tone::Bad, words),
                }
            }
        }
    }

    /// Asks for another name because the file could not be written.
    pub fn refuse_name(&mut self, why: String) {
        if self.mode == Mode::View {
            self.mode = Mode::Export;
        }
        self.say(Tone::Bad, why);
    }

    /// Discards the data of the frames before `first`.
    fn forget(&mut self, first: u32) {
        let capture = &mut self.capture;
        capture.frames.forget(first);
        capture.operations.retain(|row| row.frame.max(row.answer) >= first);
        capture.calls.retain(|row| row.frame.max(row.answer) >= first);
        capture.chunks.retain(|row| row.last >= first);
        capture.found.retain(|row| row.frame >= first);
        capture.found_frames.retain(|frame| *frame >= first);
        capture.comments.retain(|frame, _| *frame >= first);
        self.comments.retain(|frame, _| *frame >= first);
        self.marks.retain(|frame| *frame >= first);
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
                format!(
                    "the file has grown by {} bytes: R reads it again",
                    crate::text::bytes(bytes)
                )
            }
            Change::Shorter => "the file has shrunk: R reads it again".to_owned(),
            Change::Gone => {
                "the file was removed or replaced; the opened file can still be read".to_owned()
            }
        };
        self.say(Tone::Warn, words);
    }

    /// Pauses the screen while more frames arrive, or resumes it.
    pub(super) fn pause(&mut self) {
        match self.held.take() {
            None => {
                self.held = Some(HeldEvents::default());
                self.say(Tone::Plain, "the screen is paused; P resumes");
            }
            Some(held) => {
                for event in held.events {
                    self.take_now(event);
                }
                self.say(Tone::Plain, "resumed");
            }
        }
    }

    /// Clears the capture, to read it again from the start; the user's view settings stay.
    pub fn reload(&mut self) {
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
        if let (true, Ok(filter)) = (self.filter.active(), Filter::parse(&self.filter.text)) {
            self.effects.push(self.filter.scan(Some(Wanted::Filter(filter))));
        }
        if let (true, Ok(wanted)) = (self.search.asked, SearchBar::wanted(&self.search.text)) {
            self.effects.push(self.search.scan(Some(wanted)));
        }
        self.say(Tone::Plain, "reading the file again");
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

    /// Handles the end of the frames.
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
        // A ladder built before the end may lack rows.
        if self.ladder.ladder.is_some() {
            self.ladder.ladder = None;
        }
        // The lists no longer grow.
        self.follow_end();
        self.follow = false;
        self.settle_cursors();
    }

    fn lines(&mut self, lines: Vec<(u32, MessageRow)>, asked: Option<LinesAsked>) {
        for (field, value) in lines.iter().flat_map(|(_, row)| &row.values) {
            self.messages.columns.see(field, value);
        }
        self.messages.keep(lines);
        let Some(asked) = asked else { return };
        // Do not request unreadable frames again and again.
        for frame in &asked.frames {
            let info = "[cannot be read again]".to_owned();
            let line = || Line { info, alarm: true, ..Line::default() };
            let unreadable = || MessageRow { line: line(), ..MessageRow::default() };
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
        // The findings of the selected message may take space from the tree.
        self.settle_cursors();
    }

    fn matched(&mut self, mut matched: Matched) {
        let count = self.capture.frames.count();
        if let Some(held) = self.held.as_mut().filter(|_| matched.upto > count) {
            // Report the matches among the known frames; the rest follows with the others.
            let known = matched.frames.partition_point(|frame| *frame <= count);
            let frames = matched.frames.split_off(known);
            held.hold(Event::Matched(Matched { frames, ..matched.clone() }));
            matched.upto = count;
        }
        // A ring may have dropped frames since they were checked.
        let first = self.capture.frames.first();
        matched.frames.drain(..matched.frames.partition_point(|frame| *frame < first));
        match matched.kind {
            ScanKind::Filter => {
                if matched.question != self.filter.question || !self.filter.active() {
                    return;
                }
                let empty = self.messages.rows.is_empty();
                for frame in matched.frames {
                    self.filter.matched.push(frame);
                    let entry = self.capture.frames.find(frame);
                    self.filter.flows.extend(entry.and_then(|entry| entry.flow()));
                    let wanted = |flow: u32| entry.is_some_and(|entry| entry.flow == flow);
                    if self.flow.is_none_or(wanted) {
                        self.messages.rows.push(frame);
                    }
                }
                self.filter.upto = matched.upto;
                (self.stale, self.graph.stale) = (true, true);
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

/// Whether an event changes the length of lists.
fn moves(event: &Event) -> bool {
    matches!(
        event,
        Event::Indexed(_)
            | Event::Forgotten(_)
            | Event::Progress(_)
            | Event::Flows(_)
            | Event::Counted(..)
            | Event::Operations(_)
            | Event::Calls(_)
            | Event::Chunks(_)
            | Event::Comments(_)
            | Event::Found(_)
    )
}

impl HeldEvents {
    /// Holds an event; a complete state replaces the previous one.
    fn hold(&mut self, event: Event) {
        let whole = matches!(event, Event::Progress(_) | Event::Flows(_) | Event::Counted(..));
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

// The panes of the messages view.

impl State {
    pub(super) fn move_in_tree(&mut self, action: Action) {
        let panes = self.message_panes();
        let page = layout::page(panes.tree);
        let tree = &mut self.messages.tree;
        match action {
            Action::Left => tree.fold(page),
            Action::Right => tree.open(page),
            _ => {
                tree.cursor.act(action, tree.visible.len(), page);
                tree.follow_node();
            }
        }
        tree.show_byte(layout::page(panes.bytes));
    }

    /// Moves in the bytes; also selects the field of the selected byte.
    pub(super) fn move_in_bytes(&mut self, action: Action) {
        let panes = self.message_panes();
        let rows = layout::page(panes.bytes);
        let page = rows * BYTES_IN_ROW;
        let tree = &mut self.messages.tree;
        let at = tree.byte;
        let byte = match action {
            Action::Left => at.saturating_sub(1),
            Action::Right => at.saturating_add(1),
            Action::Up if at < BYTES_IN_ROW => at,
            Action::Up => at - BYTES_IN_ROW,
            Action::Down => at.saturating_add(BYTES_IN_ROW),
            Action::PageUp => at.saturating_sub(page),
            Action::PageDown => at.saturating_add(page),
            Action::HalfUp => at.saturating_sub(rows / 2 * BYTES_IN_ROW),
            Action::HalfDown => at.saturating_add(rows / 2 * BYTES_IN_ROW),
            Action::First => 0,
            Action::Last => usize::MAX,
            _ => return,
        };
        tree.choose_byte(byte, layout::page(panes.tree));
        tree.show_byte(rows);
    }

    /// Rebuilds the list of messages; the selected frame, or the nearest before it, stays selected.
    pub(super) fn list_messages(&mut self) {
        let frame = self.chosen_frame();
        let matched = self.filter.active().then_some(self.filter.matched.as_slice());
        self.messages.list(&self.capture, self.flow, matched);
        self.choose_frame(frame);
    }

    /// Selects a frame in the messages view, or the nearest listed one before it.
    pub fn choose_frame(&mut self, frame: u32) {
        let body = layout::screen(self.size).body;
        let page = layout::page(layout::messages(body, self.messages.detail, 0, self.share).list);
        let view = &mut self.messages;
        let row = view.rows.find(frame).unwrap_or(view.rows.near(frame).saturating_sub(1));
        view.cursor.jump(row, view.rows.len(), page);
    }

    /// Stays at the end of the messages if the user wants it.
    pub(super) fn follow_end(&mut self) {
        if self.follow {
            self.choose_frame(u32::MAX);
        }
    }
}

// Navigation in search results: frames that a worker scans, or rows of other views.

impl State {
    /// Goes to the next or previous match of the search.
    pub(super) fn go_found(&mut self, forward: bool) {
        if self.search.text.is_empty() {
            self.say(Tone::Plain, "no search yet; / starts one");
            return;
        }
        let Ok(wanted) = SearchBar::wanted(&self.search.text) else { return };
        match (self.view, wanted) {
            (View::Messages, Wanted::Text(regex)) if self.active_pane() == Pane::Tree => {
                self.go_to_node(&regex, forward);
            }
            (View::Messages, wanted) if !self.search.asked => {
                (self.search.asked, self.search.awaited) = (true, forward);
                self.effects.push(self.search.scan(Some(wanted)));
            }
            (View::Messages, _) => self.go_to_found(forward),
            (_, Wanted::Text(regex)) => self.go_to_row(&regex, forward),
            _ => self.say(Tone::Plain, "bytes can only be searched for in the messages"),
        }
    }

    /// Goes to the next or previous frame that a worker found.
    pub(super) fn go_to_found(&mut self, forward: bool) {
        let frame = self.chosen_frame();
        let listed = |found: &&u32| self.messages.rows.find(**found).is_some();
        let found = if forward {
            self.search.found.iter().filter(listed).find(|found| **found > frame)
        } else {
            self.search.found.iter().rev().filter(listed).find(|found| **found < frame)
        };
        match found.copied() {
            Some(found) => {
                self.choose_frame(found);
                self.search.awaited = false;
            }
            None if forward && self.search.upto < self.capture.frames.count() => {
                self.search.awaited = true;
                self.say(Tone::Plain, "searching…");
            }
            None => {
                self.search.awaited = false;
                self.say_not_found("is not found in this direction");
            }
        }
    }

    /// Goes to the next or previous matching line of the tree, folded or not; the first follows the
    /// last.
    fn go_to_node(&mut self, regex: &regex::Regex, forward: bool) {
        let panes = self.message_panes();
        let pane = &mut self.messages.tree;
        let Some(tree) = pane.tree() else { return };
        let at = pane.visible.get(pane.cursor.selected).copied().unwrap_or(0);
        let fits = |index: &usize| {
            let mut line = String::new();
            let node = tree.nodes.get(*index).filter(|node| !node.field.is_alias());
            node.into_iter().for_each(|node| push_node(tree, node, &mut line));
            regex.is_match(&line)
        };
        match around(at, tree.nodes.len(), forward).find(fits) {
            Some(index) => {
                pane.choose_node(index, layout::page(panes.tree));
                pane.follow_node();
                pane.show_byte(layout::page(panes.bytes));
            }
            None => self.say_not_found("is not in the tree; Tab to the list searches frames"),
        }
    }

    fn say_not_found(&mut self, words: &str) {
        let text = &self.search.text;
        let hint = if Filter::parse(text).is_ok() { "; f filters" } else { "" };
        let words = format!("{text} {words}{hint}");
        self.say(Tone::Warn, words);
    }

    /// Goes to the next or previous matching row; the first follows the last.
    fn go_to_row(&mut self, regex: &regex::Regex, forward: bool) {
        let (cursor, count) = self.cursor();
        if count == 0 {
            return;
        }
        let at = cursor.selected.min(count - 1);
        let fits = |row: &usize| regex.is_match(&row_cells(self, *row).join("\t"));
        let found = around(at, count, forward).find(fits);
        let page = self.page();
        match found {
            Some(row) => {
                cursor_of(self).jump(row, count, page);
                let around = if forward { row <= at } else { row >= at };
                if around {
                    self.say(Tone::Plain, "continued from the other end");
                }
            }
            None => self.say_not_found("is not in any row here"),
        }
    }
}

/// Returns the places after `at`, then those from the first on; backwards in reverse.
fn around(at: usize, count: usize, forward: bool) -> impl Iterator<Item = usize> {
    (1..=count).map(move |by| (at + if forward { by } else { count - by }) % count)
}

// Which frames are listed: filter, search, flow, density.

impl State {
    /// Applies the typed filter.
    pub fn enter_filter(&mut self) {
        let text = self.filter.editor.text.trim().to_owned();
        if text.is_empty() {
            self.mode = Mode::View;
            return self.end_filter();
        }
        match Filter::parse(&text) {
            Ok(filter) => {
                self.mode = Mode::View;
                self.filter.editor.remember();
                self.filter.fault = None;
                if !self.view.follows_filter() {
                    self.show(View::Messages);
                }
                self.pane = Pane::List;
                self.put_filter(text, filter);
            }
            Err(fault) => {
                self.say(Tone::Bad, fault.message.clone());
                self.filter.fault = Some(fault);
            }
        }
    }

    /// Applies a filter; the selected rows stay selected if they pass, else the nearest before.
    pub(super) fn put_filter(&mut self, text: String, filter: Filter) {
        let frame = self.chosen_frame();
        (self.filter.text, self.filter.seek) = (text, Some(frame).filter(|frame| *frame > 0));
        let scan = self.filter.scan(Some(Wanted::Filter(filter)));
        self.list_messages();
        (self.stale, self.graph.stale) = (true, true);
        self.effects.push(scan);
    }

    fn end_filter(&mut self) {
        if !self.filter.active() {
            return;
        }
        self.filter.text.clear();
        let scan = self.filter.scan(None);
        self.list_all();
        self.effects.push(scan);
    }

    /// Removes filter, flow and search.
    pub(super) fn clear_filter(&mut self) {
        self.end_filter();
        if self.flow.take().is_some() {
            self.list_all();
        }
        self.end_search();
        self.settle_cursors();
    }

    fn end_search(&mut self) {
        if !self.search.text.is_empty() {
            self.search.text.clear();
            self.search.asked = false;
            self.effects.push(self.search.scan(None));
        }
    }

    /// Starts the typed search; an empty one ends the current search.
    pub(super) fn enter_search(&mut self) {
        let text = self.search.editor.text.clone();
        if text.is_empty() {
            self.mode = Mode::View;
            return self.end_search();
        }
        match SearchBar::wanted(&text) {
            Ok(wanted) => {
                self.mode = Mode::View;
                self.search.editor.remember();
                self.search.text = text;
                self.search.found.clear();
                (self.search.upto, self.search.asked) = (0, false);
                // Only frames have bytes.
                if matches!(wanted, Wanted::Bytes(_)) {
                    self.show(View::Messages);
                }
                self.go_found(true);
            }
            Err(fault) => {
                self.say(Tone::Bad, fault.clone());
                self.search.fault = Some(fault);
            }
        }
    }

    /// Switches to the next density of the list.
    pub(super) fn next_density(&mut self) {
        if self.filter.active() {
            self.say(Tone::Plain, "the filter decides which frames are listed; x clears it");
            return;
        }
        self.messages.density = self.messages.density.next();
        self.list_messages();
        self.say(Tone::Plain, self.messages.density.describe());
    }

    /// Shows only the selected flow, or all flows.
    pub(super) fn this_flow(&mut self) {
        self.flow = match self.flow {
            Some(_) => None,
            None => self.chosen_flow(),
        };
        self.list_all();
        self.settle_cursors();
        self.say_flow();
    }

    /// Reports which flow is the only one shown.
    pub(super) fn say_flow(&mut self) {
        match self.flow {
            Some(flow) => self.say(Tone::Plain, format!("flow {flow} only; t shows all")),
            None => self.say(Tone::Plain, "all flows"),
        }
    }
}
