//! Setting streams up.

use super::{Read, Reader, State};
use crate::case::grammar::{self, CONNECT, OPTION_AXES, OURS, SETUP_ENDS, THEIRS};
use crate::case::record::{Argument, Record};
use crate::case::step::{Action, Connect, SetupEnd};
use crate::yaml::{Data, Node, Place};

impl Reader<'_> {
    /// A `connect` step; without a node, the one that nobody wrote.
    pub(in crate::case) fn connect(
        &mut self,
        stream: &str,
        place: Place,
        node: Option<&Node>,
    ) -> Read<Action> {
        let nothing = Node { place, data: Data::Plain(String::new()) };
        let node = node.unwrap_or(&nothing);
        if self.scope.streams.get(stream).is_some_and(|state| *state != State::Ended) {
            let what =
                format!("stream `{stream}` is up already: `close` it first, or name another");
            return Err(self.tell(place, what));
        }
        let map = self.map(node, "`connect`")?;
        let mut ours = self.record(place, &map, OURS, CONNECT)?;
        for name in OPTION_AXES.iter().filter(|name| OURS.iter().any(|key| key.name == **name)) {
            self.by_axis(name, place, &mut ours)?;
        }
        let mut connect = Connect {
            only_tcp: false,
            again: false,
            segment_size: None,
            theirs: Record::default(),
            fields: Vec::new(),
            ends: SetupEnd::Accepted,
            ours,
        };
        for (key, value) in &map {
            match key.name.as_str() {
                "only_tcp" => connect.only_tcp = self.flag(value)?,
                "again" => connect.again = self.flag(value)?,
                "segment_size" => connect.segment_size = Some(self.value(value)?),
                "target" => {
                    let map = self.map(value, "`target`")?;
                    connect.theirs = self.record(value.place, &map, THEIRS, &[])?;
                }
                "ends" => {
                    connect.ends = match self.word(value, SETUP_ENDS)? {
                        "rejected" => SetupEnd::Rejected,
                        "closed" => SetupEnd::Closed,
                        "any" => SetupEnd::Any,
                        _ => SetupEnd::Accepted,
                    }
                }
                "fields" => {
                    let enhanced = connect.ours.flag("enhanced") == Some(true);
                    let name = if enhanced { "mpa_enhanced_request" } else { "mpa_request" };
                    let layouts = self.context.layouts;
                    let Some(message) = layouts.message(name) else { continue };
                    connect.fields = self.sent_fields(message, value)?.0;
                }
                _ => {}
            }
        }
        if connect.only_tcp && !(connect.fields.is_empty() && connect.ours.arguments.is_empty()) {
            let axes = connect.ours.arguments.iter().all(|(name, _)| OPTION_AXES.contains(name));
            if !axes || !connect.fields.is_empty() {
                let what = "with `only_tcp` the case sends the frames: what they say belongs there";
                return Err(self.tell(node.place, what));
            }
        }
        let ended = matches!(connect.ends, SetupEnd::Rejected | SetupEnd::Closed);
        let state = if ended { State::Ended } else { State::Open };
        self.scope.streams.insert(stream.to_owned(), state);
        Ok(Action::Connect(Box::new(connect)))
    }

    /// Sets an option as the axis of its name has it.
    fn by_axis(&mut self, name: &'static str, place: Place, ours: &mut Record) -> Read<()> {
        if ours.argument(name).is_some() {
            return Ok(());
        }
        let Some(node) = self.constant(name).cloned() else { return Ok(()) };
        let node = Node { place, data: node.data };
        let takes_number =
            OURS.iter().any(|key| key.name == name && matches!(key.takes, grammar::Takes::Number));
        let argument = if takes_number {
            Argument::Number(self.value(&node)?)
        } else {
            Argument::Flag(self.flag(&node)?)
        };
        ours.arguments.push((name, argument));
        Ok(())
    }
}
