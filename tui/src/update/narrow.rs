//! Which frames are listed: filter, search, flow, density.

use crate::event::{Effect, ScanKind, Wanted};
use crate::look::Tone;
use crate::state::{Mode, Pane, SearchBar, State, View};
use warpscope_dissector::field::Kind;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::tree::Value;

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
                self.filter.upto = 0;
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
                self.search.upto = 0;
                self.search.awaited = true;
                self.search.question += 1;
                vec![Effect::Scan(ScanKind::Search, self.search.question, Some(wanted))]
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
        self.say(Tone::Plain, self.messages.density.words());
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

    /// Filters by the chosen field's value, or leaves out what has it.
    pub(super) fn filter_value(&mut self, keep: bool) -> Vec<Effect> {
        let Some(test) = self.test_of_value() else {
            self.say(Tone::Plain, "choose a field in the tree first (Tab)");
            return Vec::new();
        };
        let test = if keep { test } else { format!("!({test})") };
        let text = match self.filter.active() {
            true => format!("({}) && {test}", self.filter.text),
            false => test,
        };
        self.filter.editor.set(text);
        self.enter_filter()
    }

    /// A test that the chosen field's value passes.
    fn test_of_value(&self) -> Option<String> {
        let pane = &self.messages.tree;
        let (node, tree) = (pane.node()?, pane.tree()?);
        let name = node.field.name;
        if matches!(node.field.kind, Kind::Protocol | Kind::Heading) {
            return Some(name.to_owned());
        }
        let mut text = String::new();
        tree.value_text(node, &mut text);
        Some(match (&node.value, node.field.kind) {
            (Value::Text(_), _) => {
                let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
                format!("{name} == \"{quoted}\"")
            }
            (Value::Octets { length, .. }, _) if *length == 0 => name.to_owned(),
            (Value::Octets { .. }, _) => {
                let octets = tree.value_octets(&node.value).iter().take(64);
                let octets: Vec<String> = octets.map(|octet| format!("{octet:02x}")).collect();
                match octets.as_slice() {
                    [one] => format!("{name}[0] == {one}"),
                    several => format!("{name}[0:{}] == {}", several.len(), several.join(":")),
                }
            }
            (Value::Time(_), Kind::AbsoluteTime) => format!("{name} == \"{text}\""),
            (Value::None, _) => name.to_owned(),
            _ => format!("{name} == {text}"),
        })
    }
}
