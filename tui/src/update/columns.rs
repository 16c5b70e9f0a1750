//! Columns of the messages: shown, hidden, moved, added and taken away.

use crate::action::{Action, Key};
use crate::event::Effect;
use crate::layout;
use crate::look::Tone;
use crate::state::{MOST_FIELDS, MessageColumn, Mode, State, View};
use ratatui::crossterm::event::KeyCode;
use warpscope_dissector::field::{self, Field};

impl State {
    /// Begins to choose columns.
    pub(super) fn choose_columns(&mut self) {
        self.mode = Mode::Columns;
        self.see_column();
    }

    /// Brings the column at hand into sight.
    fn see_column(&mut self) {
        let page = layout::page(layout::columns(layout::screen(self.size).body));
        let columns = &mut self.messages.columns;
        let count = columns.list.len();
        columns.cursor.choose(columns.cursor.selected, count, page);
    }

    pub(super) fn columns_key(&mut self, key: Key) -> Vec<Effect> {
        self.notice = None;
        let page = layout::page(layout::columns(layout::screen(self.size).body));
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
        Vec::new()
    }

    /// Asks for the name of a field that is to be a column.
    pub(super) fn ask_field(&mut self) {
        self.prompt.back = self.mode;
        self.mode = Mode::Field;
        self.prompt.editor.set("");
        self.prompt.judge();
    }

    pub(super) fn field_key(&mut self, key: Key) -> Vec<Effect> {
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
        Vec::new()
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
            let words = format!("there are {MOST_FIELDS} fields as columns; C takes some away");
            self.say(Tone::Warn, words);
        }
    }

    /// Makes the chosen field a column; when it is one, no more.
    pub(super) fn field_column(&mut self) {
        let field = match self.view {
            View::Fields => self.fields.chosen(),
            _ => self.messages.tree.node().map(|node| node.field),
        };
        let Some(field) = field else {
            self.say(Tone::Plain, "no field is chosen here; + asks for a name");
            return;
        };
        let columns = &mut self.messages.columns;
        let column = MessageColumn::Field(field);
        let is = |choice: &crate::state::Choice| choice.shown && choice.column == column;
        match columns.list.iter().position(is) {
            Some(at) => {
                columns.take_away(at);
                self.say(Tone::Plain, format!("{} is no column any more", field.name));
            }
            None => self.add_column(field),
        }
        self.see_column();
    }
}
