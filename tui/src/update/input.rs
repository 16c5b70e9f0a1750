//! Keys and the mouse.

use crate::action::{self, Action, Key};
use crate::event::Effect;
use crate::layout;
use crate::look::Tone;
use crate::state::{Mode, Pane, State, View};
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Position;

/// Rows that a wheel moves.
const WHEEL: isize = 3;

/// What a mouse did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// Pressed the first button.
    Press,
    /// Turned the wheel; down is positive.
    Wheel(i8),
}

impl State {
    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Vec<Effect> {
        let interrupt = Key { code: KeyCode::Char('c'), control: true, alt: false };
        if self.mode != Mode::View && key == interrupt {
            self.mode = Mode::View;
            return Vec::new();
        }
        match self.mode {
            Mode::View => match action::for_key(key, self.view, self.active_pane()) {
                Some(action) => self.act(action),
                None => {
                    self.say(Tone::Dim, format!("{key} does nothing here; ? tells the keys"));
                    Vec::new()
                }
            },
            Mode::Filter => self.filter_key(key),
            Mode::Search => self.search_key(key),
            Mode::Palette => self.palette_key(key),
            Mode::Help => self.help_key(key),
            Mode::Columns => self.columns_key(key),
            Mode::Field => self.field_key(key),
            Mode::Export => self.export_key(key),
        }
    }

    fn filter_key(&mut self, key: Key) -> Vec<Effect> {
        match key.code {
            KeyCode::Enter => return self.enter_filter(),
            KeyCode::Esc => self.mode = Mode::View,
            KeyCode::Tab => self.filter.complete(true),
            KeyCode::BackTab => self.filter.complete(false),
            _ => {
                if self.filter.editor.key(key) {
                    self.filter.judge();
                }
            }
        }
        Vec::new()
    }

    fn search_key(&mut self, key: Key) -> Vec<Effect> {
        match key.code {
            KeyCode::Enter => return self.enter_search(),
            KeyCode::Esc => self.mode = Mode::View,
            _ => {
                if self.search.editor.key(key) {
                    self.search.judge();
                }
            }
        }
        Vec::new()
    }

    fn palette_key(&mut self, key: Key) -> Vec<Effect> {
        let count = self.palette.offered().len();
        let page = layout::page(layout::screen(self.size).body);
        let cursor = &mut self.palette.cursor;
        match key.code {
            KeyCode::Esc => self.mode = Mode::View,
            KeyCode::Down | KeyCode::Tab => _ = cursor.act(Action::Down, count, page),
            KeyCode::Up | KeyCode::BackTab => _ = cursor.act(Action::Up, count, page),
            KeyCode::Enter => {
                let chosen = self.palette.offered().get(self.palette.cursor.selected).copied();
                self.mode = Mode::View;
                let Some(binding) = chosen else { return Vec::new() };
                if binding.scope.holds(self.view, self.active_pane()) {
                    return self.act(binding.action);
                }
                let words = format!("{} is not for this view", binding.name);
                self.say(Tone::Warn, words);
            }
            _ => {
                if self.palette.editor.key(key) {
                    self.palette.cursor = Default::default();
                }
            }
        }
        Vec::new()
    }

    fn help_key(&mut self, key: Key) -> Vec<Effect> {
        let page = layout::page(layout::screen(self.size).body);
        let count = crate::format::help(self).len();
        match action::for_key(key, self.view, Pane::List) {
            Some(Action::Quit | Action::Back | Action::Help | Action::Open) => {
                self.mode = Mode::View;
            }
            Some(Action::Down) => self.help.wheel(1, count, page),
            Some(Action::Up) => self.help.wheel(-1, count, page),
            Some(Action::PageDown) => self.help.wheel(page as isize, count, page),
            Some(Action::PageUp) => self.help.wheel(-(page as isize), count, page),
            Some(action) => _ = self.help.act(action, count, page),
            None => {}
        }
        Vec::new()
    }

    fn export_key(&mut self, key: Key) -> Vec<Effect> {
        match key.code {
            KeyCode::Enter => {
                self.mode = Mode::View;
                let name = self.export.text.trim().to_owned();
                if name.is_empty() {
                    return Vec::new();
                }
                self.export.remember();
                if self.view == View::Ladder && self.ladder.at_hand().is_none() {
                    self.say(Tone::Warn, "there is no ladder yet: write it when it is drawn");
                    return Vec::new();
                }
                if name.ends_with(".pcapng") {
                    return vec![Effect::SaveFrames { name, frames: self.meant_frames() }];
                }
                let text = crate::format::exported(self, &name);
                return vec![Effect::Save { name, text }];
            }
            KeyCode::Esc => self.mode = Mode::View,
            _ => _ = self.export.key(key),
        }
        Vec::new()
    }

    /// Takes what a mouse did at a place on the screen.
    pub fn mouse(&mut self, at: (u16, u16), what: Mouse) -> Vec<Effect> {
        if self.mode != Mode::View || !self.fits() {
            return Vec::new();
        }
        let at = Position::new(at.0, at.1);
        let screen = layout::screen(self.size);
        if screen.title.contains(at) && what == Mouse::Press {
            let tabs = crate::format::tabs(self);
            let hit = tabs.iter().find(|(x, text, _)| {
                (*x..*x + u16::try_from(text.chars().count()).unwrap_or(0)).contains(&at.x)
            });
            return hit.map_or(Vec::new(), |(_, _, view)| self.act(Action::Show(*view)));
        }
        if screen.bar.contains(at) && what == Mouse::Press {
            return self.act(Action::Filter);
        }
        let panes = self.message_panes();
        if self.view == View::Messages && panes.tree.contains(at) {
            self.pane = Pane::Tree;
            let page = layout::page(panes.tree);
            let tree = &mut self.messages.tree;
            match what {
                Mouse::Wheel(rows) => {
                    tree.cursor.wheel(WHEEL * isize::from(rows), tree.visible.len(), page);
                }
                Mouse::Press => {
                    if let Some(row) = at.y.checked_sub(panes.tree.y + 1) {
                        let row = tree.cursor.top + usize::from(row);
                        let again = row == tree.cursor.selected;
                        tree.cursor.choose(row, tree.visible.len(), page);
                        tree.follow_node();
                        if again {
                            tree.toggle(page);
                        }
                    }
                }
            }
            return Vec::new();
        }
        if self.view == View::Messages && panes.bytes.contains(at) {
            self.pane = Pane::Bytes;
            self.bytes_mouse(at, what);
            return Vec::new();
        }
        if self.view == View::Run && layout::parts(View::Run, screen.body).detail.contains(at) {
            self.pane = Pane::Told;
            if let Mouse::Wheel(rows) = what {
                self.wheel_told(WHEEL * isize::from(rows));
            }
            return Vec::new();
        }
        let list = self.list_area();
        if !list.contains(at) {
            return Vec::new();
        }
        self.pane = Pane::List;
        match what {
            Mouse::Wheel(rows) => self.wheel(WHEEL * isize::from(rows)),
            Mouse::Press => {
                if let Some(row) = at.y.checked_sub(list.y + 1) {
                    return self.press(usize::from(row));
                }
            }
        }
        Vec::new()
    }

    fn bytes_mouse(&mut self, at: Position, what: Mouse) {
        let panes = self.message_panes();
        let page = layout::page(panes.bytes);
        let tree = &mut self.messages.tree;
        let rows = tree.bytes().len().div_ceil(crate::state::BYTES_IN_ROW);
        match what {
            Mouse::Wheel(by) => {
                let last = rows.saturating_sub(page);
                let moved = tree.bytes_top.saturating_add_signed(WHEEL * isize::from(by));
                tree.bytes_top = moved.min(last);
            }
            Mouse::Press => {
                // Two columns before the offset's end, then three for each byte.
                let column = at.x.saturating_sub(panes.bytes.x + crate::layout::OFFSET) / 3;
                let row = usize::from(at.y.saturating_sub(panes.bytes.y + 1));
                if column < 16 && at.y > panes.bytes.y {
                    let byte = (tree.bytes_top + row) * crate::state::BYTES_IN_ROW;
                    let page = layout::page(panes.tree);
                    tree.choose_byte(byte + usize::from(column), page);
                }
            }
        }
    }
}
