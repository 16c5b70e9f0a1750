//! Which frames are listed: filter, search, flow, density.

use crate::event::{Effect, ScanKind, Wanted};
use crate::look::Tone;
use crate::state::{Mode, Pane, SearchBar, State, View};
use warpscope_dissector::filter::Filter;

impl State {
    /// Puts the filter that was typed in force.
    pub fn enter_filter(&mut self) -> Vec<Effect> {
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
                self.filter.text = text;
                self.filter.question += 1;
                self.filter.matched.clear();
                (self.filter.upto, self.filter.seek) = (0, None);
                if self.view != View::Messages {
                    self.remember_place();
                    self.view = View::Messages;
                }
                self.pane = Pane::List;
                self.list_messages();
                let question = self.filter.question;
                vec![Effect::Scan(ScanKind::Filter, question, Some(Wanted::Filter(filter)))]
            }
            Err(fault) => {
                self.say(Tone::Bad, fault.message.clone());
                self.filter.fault = Some(fault);
                Vec::new()
            }
        }
    }

    fn end_filter(&mut self) -> Vec<Effect> {
        if !self.filter.active() {
            return Vec::new();
        }
        self.filter.text.clear();
        self.filter.matched.clear();
        self.filter.upto = 0;
        self.filter.question += 1;
        self.list_messages();
        vec![Effect::Scan(ScanKind::Filter, self.filter.question, None)]
    }

    /// Takes away filter, flow and search.
    pub(super) fn clear_filter(&mut self) -> Vec<Effect> {
        let mut effects = self.end_filter();
        if self.flow.take().is_some() {
            self.list_all();
        }
        if !self.search.text.is_empty() {
            self.search.text.clear();
            self.search.found.clear();
            self.search.asked = false;
            self.search.question += 1;
            effects.push(Effect::Scan(ScanKind::Search, self.search.question, None));
        }
        self.settle_cursors();
        effects
    }

    /// Begins the search that was typed.
    pub(super) fn enter_search(&mut self) -> Vec<Effect> {
        let text = self.search.editor.text.clone();
        if text.is_empty() {
            self.mode = Mode::View;
            return Vec::new();
        }
        match SearchBar::wanted(&text) {
            Ok(wanted) => {
                self.mode = Mode::View;
                self.search.editor.remember();
                self.search.text = text;
                self.search.found.clear();
                (self.search.upto, self.search.asked) = (0, false);
                // Bytes are in frames alone.
                if matches!(wanted, Wanted::Bytes(_)) {
                    self.show(View::Messages);
                }
                self.go_found(true)
            }
            Err(fault) => {
                self.say(Tone::Bad, fault.clone());
                self.search.fault = Some(fault);
                Vec::new()
            }
        }
    }

    /// Lists more, or less.
    pub(super) fn next_density(&mut self) -> Vec<Effect> {
        if self.filter.active() {
            self.say(Tone::Plain, "the filter says which frames are listed; x takes it away");
            return Vec::new();
        }
        self.messages.density = self.messages.density.next();
        self.list_messages();
        self.say(Tone::Plain, self.messages.density.describe());
        Vec::new()
    }

    /// Shows the chosen flow alone, or all.
    pub(super) fn this_flow(&mut self) -> Vec<Effect> {
        self.flow = match self.flow {
            Some(_) => None,
            None => self.chosen_flow(),
        };
        self.list_all();
        self.settle_cursors();
        match self.flow {
            Some(flow) => self.say(Tone::Plain, format!("flow {flow} alone; t shows all")),
            None => self.say(Tone::Plain, "all flows"),
        }
        Vec::new()
    }
}
