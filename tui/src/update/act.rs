//! Actions.

use crate::action::Action;
use crate::event::Effect;
use crate::layout;
use crate::look::Tone;
use crate::state::{Cursor, Mode, Pane, Place, State, View};

impl State {
    /// Does what the user asks for.
    pub fn act(&mut self, action: Action) -> Vec<Effect> {
        self.notice = None;
        match action {
            Action::Quit => self.quit = true,
            Action::Help => {
                self.mode = Mode::Help;
                self.help = Cursor::default();
            }
            Action::Palette => {
                self.mode = Mode::Palette;
                self.palette.editor.set("");
                self.palette.cursor = Cursor::default();
            }
            Action::Show(view) => self.show(view),
            Action::Back => self.go_back(),
            Action::Open => return self.open(),
            Action::NextPane | Action::PreviousPane => self.turn_pane(action),
            Action::Detail => {
                self.messages.detail = !self.messages.detail;
                self.pane = Pane::List;
                self.settle_cursors();
            }
            Action::Density => return self.next_density(),
            Action::ThisFlow => return self.this_flow(),
            Action::Filter => {
                self.mode = Mode::Filter;
                let text = self.filter.text.clone();
                self.filter.editor.set(text);
                self.filter.judge();
            }
            Action::ClearFilter => return self.clear_filter(),
            Action::FilterValue => return self.filter_value(true),
            Action::FilterOut => return self.filter_value(false),
            Action::FilterSteeringTag => return self.filter_steering_tag(),
            Action::FilterTransaction => return self.filter_transaction(),
            Action::Exchange => return self.filter_exchange(),
            Action::Pause => self.pause(),
            Action::Reload => return vec![Effect::Reload],
            Action::Suspend => return vec![Effect::Suspend],
            Action::Search => {
                self.mode = Mode::Search;
                self.search.editor.set("");
                self.search.fault = None;
            }
            Action::NextFound => return self.go_found(true),
            Action::PreviousFound => return self.go_found(false),
            Action::Partner => return self.partner(),
            Action::Cause => return self.cause(),
            Action::NextFinding => self.go_wrong(true),
            Action::PreviousFinding => self.go_wrong(false),
            Action::NextSource if self.view == View::Run => self.scroll_told(),
            Action::NextSource => self.messages.tree.next_source(),
            Action::FoldAll => {
                let page = layout::page(self.message_panes().tree);
                self.messages.tree.fold_all(page);
            }
            Action::Sort | Action::Reverse => self.sort(action),
            Action::Columns => self.choose_columns(),
            Action::AddColumn => self.ask_field(),
            Action::FieldColumn => self.field_column(),
            Action::Scale => {
                self.ladder.scaled = !self.ladder.scaled;
                let page = self.page();
                self.ladder.list(page);
                let words = if self.ladder.scaled { "time is to scale" } else { "compact" };
                self.say(Tone::Plain, words);
            }
            Action::Follow => {
                self.follow = !self.follow;
                self.say(
                    Tone::Plain,
                    if self.follow { "following the end" } else { "not following" },
                );
                self.follow_end();
            }
            Action::CopyValue | Action::CopyRow | Action::CopyTree => return self.copy(action),
            Action::Export => {
                self.mode = Mode::Export;
                let name = crate::format::export_name(self);
                self.export.set(name);
            }
            Action::Theme => {
                self.look.theme = self.look.theme.next();
                self.say(Tone::Plain, format!("theme: {}", self.look.theme.name()));
                self.count_again();
            }
            Action::Ascii => {
                self.look.ascii = !self.look.ascii;
                self.count_again();
            }
            Action::Redraw => return vec![Effect::Redraw],
            motion => self.move_by(motion),
        }
        Vec::new()
    }

    /// How many lines are told of the chosen entry of a run, and how many of them are seen at once.
    fn told(&self) -> (usize, usize) {
        let area = layout::parts(View::Run, layout::screen(self.size).body).detail;
        (self.run.told(area.width.saturating_sub(2).into()).len(), layout::page(area))
    }

    /// Scrolls what is told of the chosen entry of a run by a page; behind its end, to its beginning.
    fn scroll_told(&mut self) {
        let (count, page) = self.told();
        let next = self.run.shift + page;
        self.run.shift = if next < count { next } else { 0 };
    }

    /// Scrolls it as a text.
    fn move_in_told(&mut self, action: Action) {
        let (count, page) = self.told();
        let shift = self.run.shift;
        let moved = match action {
            Action::Down => shift + 1,
            Action::Up => shift.saturating_sub(1),
            Action::PageDown => shift + page,
            Action::PageUp => shift.saturating_sub(page),
            Action::HalfDown => shift + page / 2,
            Action::HalfUp => shift.saturating_sub(page / 2),
            Action::First => 0,
            Action::Last => count,
            _ => shift,
        };
        self.run.shift = moved.min(count.saturating_sub(page));
    }

    /// Turns the wheel over it.
    pub(super) fn wheel_told(&mut self, rows: isize) {
        let (count, page) = self.told();
        let moved = self.run.shift.saturating_add_signed(rows);
        self.run.shift = moved.min(count.saturating_sub(page));
    }

    fn turn_pane(&mut self, action: Action) {
        if self.view == View::Run {
            self.pane = if self.active_pane() == Pane::Told { Pane::List } else { Pane::Told };
            return;
        }
        if self.view != View::Messages || !self.messages.detail {
            return;
        }
        self.pane = match (self.pane, action) {
            (Pane::List, Action::NextPane) | (Pane::Bytes, Action::PreviousPane) => Pane::Tree,
            (Pane::Tree, Action::NextPane) | (Pane::List, _) => Pane::Bytes,
            _ => Pane::List,
        };
    }

    fn go_back(&mut self) {
        if self.active_pane() != Pane::List {
            self.pane = Pane::List;
            return;
        }
        let Some(Place { view, frame, flow }) = self.back.pop() else { return };
        let narrowed = self.flow != flow;
        self.flow = flow;
        self.view = view;
        if narrowed {
            self.list_all();
        }
        if frame != 0 {
            self.choose_frame(frame);
        }
        self.settle_cursors();
    }

    /// Moves in the pane that has the keys.
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
            (View::Run, Pane::Told) => return self.move_in_told(action),
            (View::Run, _) => match action {
                Action::Left => return self.run.fold(Some(true), page),
                Action::Right => return self.run.fold(Some(false), page),
                _ => self.run.shift = 0,
            },
            _ => {}
        }
        let follows = action == Action::Last;
        if let Some((cursor, count)) = self.cursor() {
            if self.scrolls() {
                match action {
                    Action::Down => cursor_of(self).wheel(1, count, page),
                    Action::Up => cursor_of(self).wheel(-1, count, page),
                    Action::PageDown => cursor_of(self).wheel(rows(page), count, page),
                    Action::PageUp => cursor_of(self).wheel(-rows(page), count, page),
                    Action::HalfDown => cursor_of(self).wheel(rows(page / 2), count, page),
                    Action::HalfUp => cursor_of(self).wheel(-rows(page / 2), count, page),
                    _ => _ = cursor_of(self).act(action, count, page),
                }
            } else {
                let mut moved = cursor;
                moved.act(action, count, page);
                *cursor_of(self) = moved;
            }
        }
        if self.follow && !follows && matches!(self.view, View::Messages | View::Ladder) {
            self.follow = false;
        }
    }

    /// Whether the view has no chosen row: it is text.
    pub fn scrolls(&self) -> bool {
        self.view == View::Statistics
    }

    /// The cursor of the view, and how many rows its list has.
    pub fn cursor(&self) -> Option<(Cursor, usize)> {
        Some(match self.view {
            View::Flows => (self.flows.cursor, self.flows.order.len()),
            View::Messages => (self.messages.cursor, self.messages.rows.len()),
            View::Operations => (self.operations.cursor, self.operations.order.len()),
            View::Calls => (self.calls.cursor, self.calls.order.len()),
            View::Ladder => (self.ladder.cursor, self.ladder.lines.len()),
            View::Findings => (self.findings.cursor, self.findings.lines.len()),
            View::Statistics => (self.statistics.cursor, self.statistics.lines.len()),
            View::Fields => (self.fields.cursor, self.fields.fields.len()),
            View::Run => (self.run.cursor, self.run.visible.len()),
        })
    }

    /// Turns the wheel over the list.
    pub(super) fn wheel(&mut self, rows: isize) {
        let page = self.page();
        if let Some((_, count)) = self.cursor() {
            cursor_of(self).wheel(rows, count, page);
        }
    }

    /// Presses on a row of the list that is seen; again on the chosen one opens it.
    pub(super) fn press(&mut self, row: usize) -> Vec<Effect> {
        let page = self.page();
        let Some((cursor, count)) = self.cursor() else { return Vec::new() };
        let row = cursor.top + row;
        if row >= count {
            return Vec::new();
        }
        if row == cursor.selected {
            return self.open();
        }
        cursor_of(self).choose(row, count, page);
        Vec::new()
    }

    /// Brings every cursor into its list again, after lists or screen have changed.
    pub fn settle_cursors(&mut self) {
        let page = self.page();
        if let Some((cursor, count)) = self.cursor() {
            let mut settled = cursor;
            settled.choose(cursor.selected, count, page);
            *cursor_of(self) = settled;
        }
        let panes = self.message_panes();
        let page = layout::page(panes.tree);
        let tree = &mut self.messages.tree;
        tree.cursor.choose(tree.cursor.selected, tree.visible.len(), page);
        tree.show_byte(layout::page(panes.bytes));
    }

    /// Takes the size of the screen.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        self.count_again();
        self.settle_cursors();
    }
}

/// Rows that a screen scrolls by.
fn rows(count: usize) -> isize {
    isize::try_from(count).unwrap_or(isize::MAX)
}

/// The cursor of the view.
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
    }
}
