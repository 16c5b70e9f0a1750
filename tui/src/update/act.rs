//! Actions.

use crate::action::{Action, Key};
use crate::event::Effect;
use crate::index::Flags;
use crate::layout::{self, Pane, Share, View};
use crate::look::Tone;
use crate::state::{
    Cursor, Density, MOST_FIELDS, MessageColumn, Mode, Place, State, StreamView, TimeDisplay,
};
use ratatui::crossterm::event::KeyCode;
use warpscope_dissector::field::{self, Field, Kind};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::tree::Value;
use warpscope_text::{counted, escaped};

/// The longest copied text that is repeated in the notice.
const SHOWN: usize = 120;
/// The percentage that a key adds or removes.
const STEP: i16 = 10;

impl State {
    /// Performs an action of the user.
    pub fn act(&mut self, action: Action) {
        self.notice = None;
        match action {
            Action::Quit if self.unsaved => {
                self.unsaved = false;
                let words =
                    "your comments are not saved: e writes them to a .pcapng; q again quits";
                self.say(Tone::Warn, words);
            }
            Action::Quit => self.quit = true,
            Action::Comment => match self.frame_at_hand() {
                Some(frame) => {
                    self.mode = Mode::Comment;
                    let text = self.comments.get(&frame).cloned().unwrap_or_default();
                    self.comment.set(text);
                }
                None => self.say(Tone::Plain, "there is no frame here to comment on"),
            },
            Action::Help | Action::Settings => {
                self.mode = if action == Action::Help { Mode::Help } else { Mode::Settings };
                self.help = Cursor::default();
            }
            Action::Palette => {
                self.mode = Mode::Palette;
                self.palette.editor.set("");
                self.palette.cursor = Cursor::default();
            }
            Action::Show(view) => self.show(view),
            Action::Back => self.go_back(),
            Action::Open => self.open(),
            Action::NextPane | Action::PreviousPane => self.turn_pane(action),
            Action::NextView => self.turn_view(1),
            Action::PreviousView => self.turn_view(View::ALL.len() - 1),
            Action::Detail => {
                self.messages.detail = !self.messages.detail;
                (self.pane, self.messages.alone) = (Pane::List, false);
                self.settle_cursors();
            }
            Action::Alone => {
                self.messages.alone = !self.messages.alone;
                self.settle_cursors();
            }
            Action::LastFrame => self.go_to_last(),
            Action::Connections => self.show_connections(),
            Action::Density => self.next_density(),
            Action::ThisFlow => self.this_flow(),
            Action::Filter => {
                self.mode = Mode::Filter;
                let text = self.filter.text.clone();
                self.filter.editor.set(text);
                self.filter.judge();
            }
            Action::ClearFilter => self.clear_filter(),
            Action::FilterValue => self.filter_value(true),
            Action::FilterOut => self.filter_value(false),
            Action::FilterSteeringTag => self.filter_steering_tag(),
            Action::FilterTransaction => self.filter_transaction(),
            Action::Exchange => self.filter_exchange(),
            Action::Pause => self.pause(),
            Action::Reload => self.effects.push(Effect::Reload),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::Search => {
                self.mode = Mode::Search;
                self.search.editor.set("");
                self.search.fault = None;
            }
            Action::NextFound => self.go_found(true),
            Action::PreviousFound => self.go_found(false),
            Action::Partner => self.partner(),
            Action::Cause => self.cause(),
            Action::NextFinding => self.go_wrong(true),
            Action::PreviousFinding => self.go_wrong(false),
            Action::NextSource if self.view == View::Run => self.page_details(),
            Action::NextSource => self.messages.tree.next_source(),
            Action::FoldAll => {
                let page = layout::page(self.message_panes().tree);
                self.messages.tree.fold_all(page);
            }
            Action::Sort | Action::Reverse => self.sort(action),
            Action::Columns => self.choose_columns(),
            Action::AddColumn => self.ask_field(),
            Action::FieldColumn => self.field_column(),
            Action::Stream => match self.meant_flow() {
                Some(flow) => {
                    self.mode = Mode::Stream;
                    self.stream = StreamView { flow, ..StreamView::default() };
                    self.effects.push(Effect::Stream(flow));
                }
                None => self.say(Tone::Plain, "no flow is selected here"),
            },
            Action::Smaller => self.share_list(-STEP),
            Action::Larger => self.share_list(STEP),
            Action::Scale => {
                self.ladder.scaled = !self.ladder.scaled;
                let page = self.page();
                self.ladder.list(page);
                let words = if self.ladder.scaled { "time is to scale" } else { "compact" };
                self.say(Tone::Plain, words);
            }
            Action::Follow => {
                self.follow = !self.follow;
                let words = if self.follow { "following the end" } else { "not following" };
                self.say(Tone::Plain, words);
                self.follow_end();
            }
            Action::CopyValue | Action::CopyRow | Action::CopyTree | Action::CopyFilter => {
                self.copy(action);
            }
            Action::Metric => {
                self.graph.metric = self.graph.metric.next();
                self.say(Tone::Plain, self.graph.metric.describe());
            }
            Action::Closer => self.see_closer(),
            Action::Wider => self.see_wider(),
            Action::Mark => self.mark(),
            Action::NextMark | Action::PreviousMark => self.go_marked(action),
            Action::Time => {
                self.messages.time = self.messages.time.next();
                self.say(Tone::Plain, format!("times: {}", self.messages.time.describe()));
            }
            Action::Reference => {
                let frame = Some(self.chosen_frame()).filter(|frame| *frame > 0);
                let again = self.messages.reference == frame;
                self.messages.reference = frame.filter(|_| !again);
                self.say(
                    Tone::Plain,
                    match self.messages.reference {
                        Some(frame) if self.messages.time == TimeDisplay::Relative => {
                            format!("times count from frame {frame}")
                        }
                        Some(frame) => {
                            format!("relative times count from frame {frame}; u shows them")
                        }
                        None => "times count from the first frame".to_owned(),
                    },
                );
            }
            Action::ExportMarked if self.marks.is_empty() => {
                self.say(Tone::Plain, "no frame is marked; m marks one");
            }
            Action::Export | Action::ExportMarked => {
                self.mode = Mode::Export;
                self.export_marked = action == Action::ExportMarked;
                let name = crate::format::export_name(self);
                self.export.offer(name);
            }
            Action::Theme => {
                self.look.theme = self.look.theme.next();
                let suited = self.own_look.suited;
                self.own_look.theme = Some(self.look.theme).filter(|theme| *theme != suited);
                self.say(Tone::Plain, format!("theme: {}", self.look.theme.name()));
                self.count_again();
            }
            Action::Ascii => {
                self.look.ascii = !self.look.ascii;
                self.own_look.ascii = Some(self.look.ascii);
                self.count_again();
            }
            Action::NextCapture | Action::PreviousCapture if self.one_of.is_none() => {
                self.say(Tone::Plain, "only one capture is open: warpscope ONE TWO opens two");
            }
            Action::NextCapture => self.effects.push(Effect::Turn { forward: true }),
            Action::PreviousCapture => self.effects.push(Effect::Turn { forward: false }),
            Action::Redraw => self.effects.push(Effect::Redraw),
            motion => self.move_by(motion),
        }
    }

    /// Enlarges or shrinks the list's share of the body.
    fn share_list(&mut self, by: i16) {
        let body = layout::screen(self.size).body;
        let rows = self.list_area().height;
        let Share(Some(now)) = Share::of(rows, body) else { return };
        let (least, most) = Share::RANGE.into_inner();
        self.set_share(Share(Some(now.saturating_add_signed(by).clamp(least, most))));
    }

    /// Sets the number of the list's rows.
    pub(super) fn share_rows(&mut self, rows: u16) {
        self.set_share(Share::of(rows, layout::screen(self.size).body));
    }

    fn set_share(&mut self, share: Share) {
        if self.list_area().height == layout::screen(self.size).body.height {
            return self.say(Tone::Plain, "there is nothing below the list");
        }
        self.share = share;
        self.settle_cursors();
    }

    /// Returns the number of detail lines of a run's selected entry, and how many of them are visible.
    fn details(&self) -> (usize, usize) {
        let area = layout::parts(View::Run, layout::screen(self.size).body, self.share).detail;
        (self.run.details(area.width.saturating_sub(2).into()).len(), layout::page(area))
    }

    /// Scrolls the details of a run's selected entry by a page; from the end back to the start.
    fn page_details(&mut self) {
        let (count, page) = self.details();
        let next = self.run.shift + page;
        self.run.shift = if next < count { next } else { 0 };
    }

    fn move_in_details(&mut self, action: Action) {
        let (count, page) = self.details();
        let mut seen = Cursor { top: self.run.shift, selected: self.run.shift };
        seen.scroll(action, count, page);
        self.run.shift = seen.top;
    }

    /// Scrolls them by the mouse wheel.
    pub(super) fn scroll_details(&mut self, rows: isize) {
        let (count, page) = self.details();
        let moved = self.run.shift.saturating_add_signed(rows);
        self.run.shift = moved.min(count.saturating_sub(page));
    }

    fn turn_pane(&mut self, action: Action) {
        if self.view == View::Run {
            self.pane = if self.active_pane() == Pane::Detail { Pane::List } else { Pane::Detail };
            return;
        }
        if self.view != View::Messages || !self.messages.detail {
            let hint = match self.view {
                View::Messages => "d shows tree and bytes",
                _ => "> shows the next view",
            };
            return self.say(Tone::Dim, format!("there is only one pane here; {hint}"));
        }
        self.pane = match (self.pane, action) {
            (Pane::List, Action::NextPane) | (Pane::Bytes, Action::PreviousPane) => Pane::Tree,
            (Pane::Tree, Action::NextPane) | (Pane::List, _) => Pane::Bytes,
            _ => Pane::List,
        };
    }

    /// Shows the view `by` places further in the row of names; the first follows the last.
    fn turn_view(&mut self, by: usize) {
        let at = View::ALL.iter().position(|view| *view == self.view).unwrap_or(0);
        if let Some(view) = View::ALL.get((at + by) % View::ALL.len()) {
            self.show(*view);
        }
    }

    fn go_back(&mut self) {
        if self.view == View::Messages && std::mem::take(&mut self.messages.alone) {
            return self.settle_cursors();
        }
        if self.active_pane() != Pane::List {
            self.pane = Pane::List;
            return;
        }
        if self.view == View::Graph && self.graph.from.take().is_some() {
            return;
        }
        let Some(Place { view, frame, flow, filter, density }) = self.back.pop() else { return };
        let narrowed = self.flow != flow || density.is_some();
        (self.flow, self.view) = (flow, view);
        self.messages.density = density.unwrap_or(self.messages.density);
        if narrowed {
            self.list_all();
        }
        if frame != 0 {
            self.choose_frame(frame);
        }
        // A filter typed since then stays.
        if let Some(text) = filter.filter(|_| !self.filter.active())
            && let Ok(filter) = Filter::parse(&text)
        {
            self.put_filter(text, filter);
        }
        self.settle_cursors();
    }

    fn move_by(&mut self, action: Action) {
        let page = self.page();
        match (self.view, self.active_pane()) {
            (View::Messages, Pane::Tree) => return self.move_in_tree(action),
            (View::Messages, Pane::Bytes) => return self.move_in_bytes(action),
            (View::Messages, Pane::List) => match action {
                Action::Left => self.messages.shift = self.messages.shift.saturating_sub(8),
                Action::Right => self.messages.shift = (self.messages.shift + 8).min(4096),
                _ => {}
            },
            (View::Findings, _) if matches!(action, Action::Left | Action::Right) => {
                return self.open_rule(action == Action::Right);
            }
            (View::Run, Pane::Detail) => return self.move_in_details(action),
            (View::Run, _) => match action {
                Action::Left => return self.run.fold(Some(true), page),
                Action::Right => return self.run.fold(Some(false), page),
                _ => self.run.shift = 0,
            },
            _ => {}
        }
        let action = match (self.view, action) {
            (View::Graph, Action::Left) => Action::Up,
            (View::Graph, Action::Right) => Action::Down,
            _ => action,
        };
        self.let_go();
        let follows = action == Action::Last;
        let (_, count) = self.cursor();
        cursor_of(self).act(action, count, page);
        if matches!(self.view, View::Messages | View::Ladder) {
            let reading = self.view == View::Messages && !self.capture.progress.ended;
            self.follow = follows && (self.follow || reading);
        }
    }

    /// Returns the cursor of the view, and the number of rows of its list.
    pub fn cursor(&self) -> (Cursor, usize) {
        match self.view {
            View::Flows => (self.flows.cursor, self.flows.order.len()),
            View::Messages => (self.messages.cursor, self.messages.rows.len()),
            View::Operations => (self.operations.cursor, self.operations.order.len()),
            View::Calls => (self.calls.cursor, self.calls.order.len()),
            View::Ladder => (self.ladder.cursor, self.ladder.lines.len()),
            View::Findings => (self.findings.cursor, self.findings.lines.len()),
            View::Statistics => (self.statistics.cursor, self.statistics.lines.len()),
            View::Fields => (self.fields.cursor, self.fields.fields.len()),
            View::Run => (self.run.cursor, self.run.visible.len()),
            View::Graph => (self.graph.cursor, self.graph.intervals.len()),
        }
    }

    /// Scrolls the list by the mouse wheel.
    pub(super) fn wheel(&mut self, rows: isize) {
        let page = self.page();
        let (_, count) = self.cursor();
        self.let_go();
        cursor_of(self).wheel(rows, count, page);
    }

    /// Selects a visible row of the list by the mouse; a second press on it opens it.
    pub(super) fn press(&mut self, row: usize) {
        let page = self.page();
        let (cursor, count) = self.cursor();
        let row = cursor.top + row;
        if row >= count {
            return;
        }
        if row == cursor.selected {
            return self.open();
        }
        self.let_go();
        cursor_of(self).choose(row, count, page);
    }

    /// Moves every cursor into its list after lists or screen have changed.
    pub fn settle_cursors(&mut self) {
        let page = self.page();
        let (cursor, count) = self.cursor();
        cursor_of(self).choose(cursor.selected, count, page);
        let panes = self.message_panes();
        let page = layout::page(panes.tree);
        let tree = &mut self.messages.tree;
        tree.cursor.choose(tree.cursor.selected, tree.visible.len(), page);
        tree.show_byte(layout::page(panes.bytes));
    }

    /// Sets the size of the screen.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        self.count_again();
        self.settle_cursors();
    }
}

pub(super) fn cursor_of(state: &mut State) -> &mut Cursor {
    match state.view {
        View::Flows => &mut state.flows.cursor,
        View::Messages => &mut state.messages.cursor,
        View::Operations => &mut state.operations.cursor,
        View::Calls => &mut state.calls.cursor,
        View::Ladder => &mut state.ladder.cursor,
        View::Findings => &mut state.findings.cursor,
        View::Statistics => &mut state.statistics.cursor,
        View::Fields => &mut state.fields.cursor,
        View::Run => &mut state.run.cursor,
        View::Graph => &mut state.graph.cursor,
    }
}

// Navigation between related items.

impl State {
    /// Goes to a frame in the messages view, even if it is hidden.
    pub fn go_to(&mut self, frame: Option<u32>) {
        let Some(frame) = frame.filter(|frame| *frame > 0) else { return };
        if self.capture.frames.find(frame).is_none() {
            let (first, last) = (self.capture.frames.first(), self.capture.frames.count());
            self.say(
                Tone::Warn,
                match self.capture.progress.ended || frame < first {
                    true => format!("there is no frame {frame}: the frames are {first} to {last}"),
                    false => format!("frame {frame} has not been read yet"),
                },
            );
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

    /// Shows the frame whose number is being typed in the messages, if flow and filter include it; `None`
    /// restores the previous state.
    pub(super) fn go_along(&mut self, frame: Option<u32>) {
        if let Some(Place { view, frame, density, .. }) = self.palette.before.take() {
            self.view = view;
            if let Some(density) = density.filter(|it| *it != self.messages.density) {
                self.messages.density = density;
                self.list_messages();
            }
            self.choose_frame(frame);
        }
        let passes = |frame: &u32| {
            let entry = self.capture.frames.find(*frame);
            let of_flow = entry.is_some_and(|it| self.flow.is_none_or(|flow| flow == it.flow));
            of_flow && (!self.filter.active() || self.filter.matched.contains(frame))
        };
        if let Some(frame) = frame.filter(passes) {
            let (view, before, flow) = (self.view, self.chosen_frame(), self.flow);
            let density = Some(self.messages.density);
            self.palette.before = Some(Place { view, frame: before, flow, filter: None, density });
            self.view = View::Messages;
            self.list_frame(frame);
            self.choose_frame(frame);
        }
        self.settle_cursors();
    }

    /// Lists more frames until a frame is among them.
    fn list_frame(&mut self, frame: u32) {
        while self.messages.rows.find(frame).is_none() && self.messages.density != Density::Frames {
            self.messages.density = self.messages.density.next();
            self.list_messages();
        }
    }

    /// Goes to the last frame, and stays there while more are read.
    fn go_to_last(&mut self) {
        self.go_to(Some(self.capture.frames.count()));
        if !self.capture.progress.ended {
            self.messages.density = Density::Frames;
            self.follow = true;
            self.list_messages();
            self.follow_end();
        }
    }

    /// Removes whatever hides a frame: the filter, the flow, the density. Going back restores it.
    fn reveal(&mut self, frame: u32) {
        let flow = self.capture.frames.find(frame).and_then(|entry| entry.flow());
        let (mut undone, mut filter, density) = (Vec::new(), None, self.messages.density);
        if self.filter.active() && !self.filter.matched.contains(&frame) {
            filter = Some(std::mem::take(&mut self.filter.text));
            undone.push("filter");
        }
        if self.flow.is_some() && self.flow != flow {
            self.flow = None;
            undone.push("flow");
        }
        self.list_all();
        self.list_frame(frame);
        if let Some(place) = self.back.last_mut() {
            let other = self.messages.density != density;
            (place.filter, place.density) = (filter, other.then_some(density));
        }
        if !undone.is_empty() {
            let undone = undone.join(" and ");
            let words = format!("{undone} cleared to show frame {frame}; Esc undoes this");
            self.say(Tone::Plain, words);
        }
    }

    /// Goes to the response of the selected message, or to its request.
    pub(super) fn partner(&mut self) {
        let found = match self.view {
            View::Ladder => {
                let page = self.page();
                if !self.ladder.partner(page) {
                    self.say(Tone::Plain, "it has no partner in the ladder");
                }
                return;
            }
            View::Operations => self.operations.of(&self.capture.operations).map(|row| row.answer),
            View::Calls => self.calls.of(&self.capture.calls).map(|row| row.answer),
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
            None => self.say(Tone::Plain, "it has no request or response"),
        }
    }

    /// Goes to the frame that the selected field, or a field of the tree, names.
    pub(super) fn cause(&mut self) {
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
            None => self.say(Tone::Plain, "nothing here refers to another frame"),
        }
    }

    /// Goes to the next or previous listed frame with an error.
    pub(super) fn go_wrong(&mut self, forward: bool) {
        if self.view == View::Run {
            let page = self.page();
            if !self.run.go_failing(forward, page) {
                self.say(Tone::Plain, "no more failures in this direction");
            }
            return;
        }
        let wrong = Flags::WRONG | Flags::SKIPPED | Flags::TERMINATE;
        let at = self.messages.cursor.selected;
        let rows = &self.messages.rows;
        let is_wrong = |row: &usize| {
            let Some(frame) = rows.frame(*row) else { return false };
            let flags = self.capture.frames.find(frame).map(|entry| entry.flags);
            self.capture.found_frames.contains(&frame)
                || flags.is_some_and(|it| it.intersects(wrong))
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
            None => {
                let again = self.capture.frames.from(1).any(|(_, entry)| {
                    let shown = self.flow.is_none_or(|flow| flow == entry.flow);
                    shown && entry.flags.contains(Flags::REPEATED)
                });
                let hint = if again { "; retransmissions: f tcp.analysis.flags" } else { "" };
                self.say(Tone::Plain, format!("no more problems in this direction{hint}"));
            }
        }
    }

    /// Marks the current frame, or removes its mark.
    fn mark(&mut self) {
        let Some(frame) = self.frame_at_hand() else {
            return self.say(Tone::Plain, "there is no frame here to mark");
        };
        let taken = self.marks.remove(&frame);
        let words = if taken { "is no longer marked" } else { "is marked" };
        if !taken {
            self.marks.insert(frame);
        }
        let count = counted(self.marks.len() as u64, "mark");
        self.say(Tone::Plain, format!("frame {frame} {words}; {count}, E writes them"));
    }

    /// Goes to the next or previous marked frame.
    fn go_marked(&mut self, action: Action) {
        let frame = self.frame_at_hand().unwrap_or(0);
        let found = match action {
            Action::NextMark => self.marks.range(frame.saturating_add(1)..).next(),
            _ => self.marks.range(..frame).next_back(),
        };
        match found.copied() {
            Some(frame) => self.go_to(Some(frame)),
            None => self.say(Tone::Plain, "no frame is marked in this direction; m marks one"),
        }
    }

    pub(super) fn copy(&mut self, action: Action) {
        let text = match action {
            Action::CopyTree => crate::format::tree_text(&self.messages.tree),
            Action::CopyRow => crate::format::row_text(self),
            Action::CopyFilter => self.test_at_hand().unwrap_or_default(),
            _ => crate::format::value_text(self),
        };
        if text.is_empty() {
            self.say(Tone::Plain, "there is nothing to copy here");
            return;
        }
        let count = text.chars().count();
        let words = match count <= SHOWN && !text.contains('\n') {
            true => format!("copied {}", escaped(&text)),
            false => format!("copied {}", counted(count as u64, "character")),
        };
        self.say(Tone::Good, words);
        self.effects.push(Effect::Copy(text));
    }
}

// Columns of the messages: shown, hidden, moved, added and removed.

impl State {
    pub(super) fn choose_columns(&mut self) {
        self.mode = Mode::Columns;
        self.see_column();
    }

    /// Scrolls to the current column.
    fn see_column(&mut self) {
        let page = layout::page(layout::columns(layout::screen(self.size).body, self.share));
        let columns = &mut self.messages.columns;
        let count = columns.list.len();
        columns.cursor.choose(columns.cursor.selected, count, page);
    }

    pub(super) fn columns_key(&mut self, key: Key) {
        self.notice = None;
        let page = layout::page(layout::columns(layout::screen(self.size).body, self.share));
        let columns = &mut self.messages.columns;
        let (at, count) = (columns.cursor.selected, columns.list.len());
        let mut go = |action| _ = columns.cursor.act(action, count, page);
        match key.code {
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('C' | 'q') => self.mode = Mode::View,
            KeyCode::Down | KeyCode::Right | KeyCode::Char('j' | 'l') => go(Action::Down),
            KeyCode::Up | KeyCode::Left | KeyCode::Char('k' | 'h') => go(Action::Up),
            KeyCode::Tab if at + 1 < count => go(Action::Down),
            KeyCode::Tab => go(Action::First),
            KeyCode::BackTab if at > 0 => go(Action::Up),
            KeyCode::BackTab => go(Action::Last),
            KeyCode::Home | KeyCode::Char('g') => go(Action::First),
            KeyCode::End | KeyCode::Char('G') => go(Action::Last),
            KeyCode::Char(' ') => columns.toggle(at),
            KeyCode::Char('x') | KeyCode::Delete => columns.take_away(at),
            KeyCode::Char('<' | 'K' | 'H') => columns.shift(false),
            KeyCode::Char('>' | 'J' | 'L') => columns.shift(true),
            KeyCode::Char('+' | 'a') => self.ask_field(),
            _ => {}
        }
        self.see_column();
    }

    /// Asks for the name of a field to add as a column.
    pub(super) fn ask_field(&mut self) {
        self.prompt.back = self.mode;
        self.mode = Mode::Field;
        self.prompt.editor.set("");
        self.prompt.judge();
    }

    pub(super) fn field_key(&mut self, key: Key) {
        match key.code {
            KeyCode::Enter => self.enter_field(),
            KeyCode::Esc => self.mode = self.prompt.back,
            KeyCode::Tab => self.prompt.complete(true),
            KeyCode::BackTab => self.prompt.complete(false),
            _ => {
                if self.prompt.editor.key(key) {
                    self.prompt.judge();
                }
            }
        }
    }

    fn enter_field(&mut self) {
        let typed = self.prompt.editor.text.trim().to_owned();
        match self.prompt.field() {
            Some(field) => {
                self.prompt.editor.remember();
                self.mode = self.prompt.back;
                self.add_column(field);
                self.see_column();
            }
            None if typed.is_empty() => self.mode = self.prompt.back,
            None => {
                let meant = field::nearest(&typed);
                let meant = meant.map_or(String::new(), |name| format!("; did you mean {name}?"));
                self.say(Tone::Bad, format!("{typed}: no such field{meant}"));
            }
        }
    }

    fn add_column(&mut self, field: &'static Field) {
        let words = format!("{} is a column now", field.name);
        if self.messages.columns.add(field, false) {
            self.say(Tone::Plain, words);
        } else {
            let words = format!("at most {MOST_FIELDS} fields can be columns; C removes some");
            self.say(Tone::Warn, words);
        }
    }

    /// Adds the selected field as a column, or removes that column.
    pub(super) fn field_column(&mut self) {
        let field = match self.view {
            View::Fields => self.fields.chosen(),
            _ => self.messages.tree.node().map(|node| node.field),
        };
        let Some(field) = field else {
            self.say(Tone::Plain, "no field is selected here; + asks for a name");
            return;
        };
        if field.kind == Kind::Protocol && self.view == View::Messages {
            return self.say(Tone::Plain, "this line is a protocol; select one of its fields");
        }
        let columns = &mut self.messages.columns;
        let column = MessageColumn::Field(field);
        let is = |choice: &crate::state::Choice| choice.shown && choice.column == column;
        match columns.list.iter().position(is) {
            Some(at) => {
                columns.take_away(at);
                self.say(Tone::Plain, format!("{} is no longer a column", field.name));
            }
            None => self.add_column(field),
        }
        self.see_column();
    }
}
