//! Steps.

use super::{Limit, Read, Reader, State, means_nothing, value_of};
use crate::case::grammar;
use crate::case::grammar::{
    ANY_STEP, CAPABILITIES, CONNECT, EXPECTING, FRAMING, OPTION_AXES, ORDERS, OURS, REPEAT, SERVE,
    STREAM_STATES, THEIRS, USE, VERBS,
};
use crate::case::step::{
    Action, Argument, Close, Connect, Content, CrcFault, Cut, Framing, MarkerFault, Record, Send,
    SetupEnd, Step,
};
use crate::layout::Message;
use crate::yaml::{Data, Key, Node, Place};

impl Reader<'_> {
    pub(in crate::case) fn steps(&mut self, node: &Node) {
        let resolved = self.resolve(node);
        let Some(list) = resolved.list() else {
            self.report(node.place, format!("`steps` is a list, not {}", resolved.kind()));
            return;
        };
        for step in list {
            if self.steps.len() >= Limit::STEPS || self.wrong.len() >= Limit::MISTAKES {
                if self.steps.len() >= Limit::STEPS {
                    self.report(step.place, format!("there are more than {} steps", Limit::STEPS));
                }
                return;
            }
            // The mistake has already been reported. The next steps may contain more.
            let _ = self.step(step);
        }
    }

    fn step(&mut self, node: &Node) -> Read<()> {
        let Some(map) = node.map() else {
            let what = format!(
                "a step is a verb with what it does, such as `- send: {{...}}`, not {}",
                node.kind()
            );
            return Err(self.report(node.place, what));
        };
        let verbs: Vec<&(Key, Node)> =
            map.iter().filter(|(key, _)| VERBS.iter().any(|verb| verb.name == key.name)).collect();
        let (key, value) = match verbs.as_slice() {
            [] => {
                let first = map.first().map_or("", |(key, _)| key.name.as_str());
                let what = format!("`{first}` is not a verb of a step");
                let place = map.first().map_or(node.place, |(key, _)| key.place);
                return Err(self.unknown(place, &what, first, grammar::names(VERBS)));
            }
            [one] => one,
            [_, second, ..] => {
                let what = format!("`{}` is a second verb: a step has only one", second.0.name);
                return Err(self.report(second.0.place, what));
            }
        };
        let extra = match key.name.as_str() {
            "send" => FRAMING,
            "expect" => EXPECTING,
            _ => &[],
        };
        let beside: Vec<(Key, Node)> =
            map.iter().filter(|(other, _)| other.name != key.name).cloned().collect();
        let verb = &key.name;
        self.check_keys(&beside, &[ANY_STEP, extra], |name| {
            format!("`{name}` cannot be used with `{verb}`")
        })?;
        if let Some(role) = node.of("role") {
            let role = self.word(role, &["initiator", "responder"])?;
            if self.constant("role").and_then(Node::plain).is_some_and(|it| it != role) {
                return Ok(());
            }
        }
        let stream = self.optional(map, "stream", |reader, node| reader.text(node, "`stream`"))?;
        let note = self.optional(map, "note", |reader, node| reader.text(node, "`note`"))?;
        let stream = stream.unwrap_or_else(|| "a".to_owned());
        let needs = self.optional(map, "needs", |reader, it| reader.word(it, CAPABILITIES))?;
        let state = self.optional(map, "while", |reader, it| reader.word(it, STREAM_STATES))?;
        let times = self.times(map, key)?;
        let (before, streams) = (self.steps.len(), self.scope.streams.clone());
        self.verb(stream, note, map, key, value)?;
        // The setup is not conditional: the next step may be the first to use the stream.
        let setup = |step: &&mut Step| matches!(step.action, Action::Connect(_));
        let while_open = state.map(|it| it == "open");
        for step in self.steps.iter_mut().skip(before).filter(|step| !setup(step)) {
            step.needs = step.needs.or(needs);
            step.while_open = step.while_open.or(while_open);
            step.times = step.times.max(times);
        }
        if while_open.is_some() {
            // The step may have been skipped.
            self.scope.streams = streams;
        }
        Ok(())
    }

    /// Reads how many times a step is done.
    fn times(&mut self, map: &[(Key, Node)], verb: &Key) -> Read<u64> {
        let Some(node) = value_of(map, "times") else { return Ok(1) };
        let all_posts = |node: &Node| {
            node.map().is_some_and(|orders| orders.iter().all(|(key, _)| key.name == "post"))
        };
        match verb.name.as_str() {
            "send" | "expect" => {}
            "target" if value_of(map, "target").is_some_and(all_posts) => {}
            "target" => {
                return Err(
                    self.report(node.place, "`post` is the only order that can have `times`")
                );
            }
            name => {
                let what = format!("`times` cannot be used with `{name}`");
                return Err(self.report(node.place, what));
            }
        }
        let times = self.known_number(node)?;
        if !(1..=Limit::TIMES).contains(&times) {
            return Err(self.report(node.place, format!("expected 1 to {} times", Limit::TIMES)));
        }
        Ok(times)
    }

    fn verb(
        &mut self,
        stream: String,
        note: Option<String>,
        map: &[(Key, Node)],
        key: &Key,
        value: &Node,
    ) -> Read<()> {
        let place = key.place;
        let action = match key.name.as_str() {
            "connect" => self.connect(&stream, place, Some(value))?,
            "send" => {
                self.needs_stream(&stream, place)?;
                Action::Send(Box::new(self.send(&stream, value, map)?))
            }
            "expect" => {
                self.needs_stream(&stream, place)?;
                Action::Expect(Box::new(self.expect(&stream, value, map)?))
            }
            "target" => {
                self.needs_stream(&stream, place)?;
                for (order, value) in self.map(value, "`target`")? {
                    let record = self.entry(&order, &value, ORDERS, "order")?;
                    self.push(&stream, note.clone(), order.place, Action::Order(record));
                }
                return Ok(());
            }
            "hear" => {
                self.needs_stream(&stream, place)?;
                Action::Hear(self.flag(value)?)
            }
            "serve" => {
                self.needs_stream(&stream, place)?;
                let map = self.map(value, "`serve`")?;
                Action::Serve(self.record(place, &map, SERVE, &[])?)
            }
            "wait" => Action::Wait(self.time(value)?),
            "close" => {
                self.needs_stream(&stream, place)?;
                self.close(&stream, value)?
            }
            "ready" => {
                self.needs_stream(&stream, place)?;
                Action::Ready
            }
            "set" => {
                for (name, value) in self.map(value, "`set`")? {
                    self.new_variable(&name)?;
                    let value = self.value(&value)?;
                    self.scope.numbers.insert(name.name.clone());
                    let action = Action::Set { name: name.name, value };
                    self.push(&stream, note.clone(), place, action);
                }
                return Ok(());
            }
            "repeat" => return self.repeat(value),
            _ => return self.fragment(place, value),
        };
        self.push(&stream, note, place, action);
        Ok(())
    }

    fn push(&mut self, stream: &str, note: Option<String>, place: Place, action: Action) {
        let file = self.source.name().to_owned();
        let stream = stream.to_owned();
        let (needs, while_open, times) = (None, None, 1);
        self.steps.push(Step { stream, note, needs, while_open, times, file, place, action });
    }

    /// Sets up the first stream if no step has done so. Any other stream must have been set up.
    fn needs_stream(&mut self, stream: &str, place: Place) -> Read<()> {
        if self.scope.streams.contains_key(stream) {
            return Ok(());
        }
        if stream == "a" {
            let action = self.connect(stream, place, None)?;
            self.push(stream, None, place, action);
            return Ok(());
        }
        let what = format!("stream `{stream}` is not up: `connect` it first");
        let known: Vec<String> = self.scope.streams.keys().cloned().collect();
        Err(self.unknown(place, &what, stream, known))
    }

    fn close(&mut self, stream: &str, value: &Node) -> Read<Action> {
        if self.scope.streams.get(stream) == Some(&State::Ended) {
            let what = format!("stream `{stream}` has already ended: the step is never reached");
            return Err(self.report(value.place, what));
        }
        let close: Close = self.choice(value)?;
        let state = if close == Close::Reset { State::Ended } else { State::Half };
        self.scope.streams.insert(stream.to_owned(), state);
        Ok(Action::Close(close))
    }

    fn send(&mut self, stream: &str, value: &Node, map: &[(Key, Node)]) -> Read<Send> {
        if self.scope.streams.get(stream) != Some(&State::Open) {
            let what = format!("stream `{stream}` has already ended: the step is never reached");
            return Err(self.report(value.place, what));
        }
        let content = self.content(value);
        let framing = self.framing(map)?;
        let hold = self.optional(map, "hold", Self::flag)?.unwrap_or(false);
        let name = self.optional(map, "as", |reader, node| reader.text(node, "`as`"))?;
        self.scope.sent.extend(name.clone());
        Ok(Send { content: content?, framing, hold, name })
    }

    fn content(&mut self, value: &Node) -> Read<Content> {
        let map = self.map(value, "`send`")?;
        let [(key, value)] = map.as_slice() else {
            return Err(
                self.report(value.place, "a step sends one message: {name: {field: value}}")
            );
        };
        match key.name.as_str() {
            "ulpdu" => Ok(Content::Ulpdu(self.bytes(value)?)),
            "raw" => Ok(Content::Raw(self.bytes(value)?)),
            name => {
                if !name.starts_with('$') && self.context.layouts.message(name).is_none() {
                    let mut known: Vec<&str> =
                        self.context.layouts.messages().iter().map(Message::name).collect();
                    known.extend(["ulpdu", "raw"]);
                    let what = format!("there is no message `{name}`");
                    return Err(self.unknown(key.place, &what, name, &known));
                }
                let message = self.message(key)?;
                let (fields, payload) = self.sent_fields(message, value)?;
                Ok(Content::Message { name: message.name().to_owned(), fields, payload })
            }
        }
    }

    fn framing(&mut self, map: &[(Key, Node)]) -> Read<Framing> {
        let crc = self.optional(map, "crc", |reader, node| {
            Ok(match reader.resolve(node).plain() {
                Some("good") => None,
                Some("bad") => Some(CrcFault::Bad),
                _ => Some(CrcFault::Is(reader.value(node)?)),
            })
        })?;
        let marker = self.optional(map, "marker", Self::marker)?;
        let pad = self.optional(map, "pad", Self::bytes)?;
        let length = self.optional(map, "length", |reader, node| {
            let value = reader.value(node)?;
            if value.known().is_some_and(|number| number > 0xFFFF) {
                return Err(
                    reader.report(node.place, "`ulpdu_length` has 16 bits: that does not fit")
                );
            }
            Ok(value)
        })?;
        let by_axis = self.constant("cut").cloned();
        let cut = value_of(map, "cut").or(by_axis.as_ref());
        Ok(Framing {
            crc: crc.flatten(),
            marker: marker.flatten(),
            pad,
            length,
            cut: cut.map(|node| self.cut(node)).transpose()?,
            delay: self.optional(map, "delay", Self::time)?,
            segment: self.optional(map, "segment", Self::value)?,
            keep: self.optional(map, "keep", Self::value)?,
        })
    }

    fn marker(&mut self, node: &Node) -> Read<Option<MarkerFault>> {
        let resolved = self.resolve(node);
        if let Some([(key, value)]) = resolved.map() {
            let value = self.value(value)?;
            return match key.name.as_str() {
                "pointer" => Ok(Some(MarkerFault::Pointer(value))),
                "reserved" => Ok(Some(MarkerFault::Reserved(value))),
                name => {
                    let what = format!("a marker has no `{name}`");
                    Err(self.unknown(key.place, &what, name, ["pointer", "reserved"]))
                }
            };
        }
        Ok(match self.word(node, &["good", "bad", "missing"])? {
            "bad" => Some(MarkerFault::Bad),
            "missing" => Some(MarkerFault::Missing),
            _ => None,
        })
    }

    fn cut(&mut self, node: &Node) -> Read<Cut> {
        let resolved = self.resolve(node);
        let list = match &resolved.data {
            Data::List(list) => list.clone(),
            Data::Map(_) => match resolved.of("at") {
                Some(at) => self.list(at),
                None => return Err(self.report(node.place, "expected `at: [N, ...]`")),
            },
            Data::Plain(text) if text.starts_with(|it: char| it.is_ascii_digit() || it == '$') => {
                vec![resolved.into_owned()]
            }
            _ => {
                return Ok(match self.word(node, &["whole", "one_byte", "header_split"])? {
                    "one_byte" => Cut::OneByte,
                    "header_split" => Cut::HeaderSplit,
                    _ => Cut::Whole,
                });
            }
        };
        let places = list.iter().map(|place| self.value(place)).collect::<Read<_>>()?;
        Ok(Cut::At(places))
    }

    fn repeat(&mut self, node: &Node) -> Read<()> {
        let map = self.map(node, "`repeat`")?;
        self.check_keys(&map, &[REPEAT], means_nothing)?;
        let of = |name: &str| value_of(&map, name);
        let (Some(name), Some(values), Some(steps)) = (of("for"), of("in"), of("steps")) else {
            return Err(self.report(node.place, "`repeat` needs `for`, `in` and `steps`"));
        };
        let place = name.place;
        let name = Key { place, name: self.text(name, "`for`")? };
        self.new_variable(&name)?;
        let values = self.values(values)?;
        self.deeper(place)?;
        for value in values {
            self.scope.constants.push((name.name.clone(), value));
            self.steps(steps);
            self.scope.constants.pop();
            if self.steps.len() >= Limit::STEPS {
                break;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn values(&mut self, node: &Node) -> Read<Vec<Node>> {
        let resolved = self.resolve(node);
        if let Data::List(list) = &resolved.data {
            return Ok(list.clone());
        }
        let (Some(from), Some(to)) = (resolved.of("from"), resolved.of("to")) else {
            return Err(self.report(node.place, "`in` must be a list, or {from: N, to: N, by: N}"));
        };
        let (from, to) = (self.known_number(from)?, self.known_number(to)?);
        let by = match resolved.of("by") {
            Some(by) => self.known_number(by)?,
            None => 1,
        };
        let step = usize::try_from(by).unwrap_or(usize::MAX);
        if step == 0 || to < from || (to - from) / by > 10_000 {
            return Err(
                self.report(node.place, "from `from` up to `to` by `by`, at most 10000 times")
            );
        }
        let number =
            |number: u64| Node { place: node.place, data: Data::Plain(number.to_string()) };
        Ok((from..=to).step_by(step).map(number).collect())
    }

    fn deeper(&mut self, place: Place) -> Read<()> {
        if self.depth >= Limit::DEPTH {
            return Err(self.report(place, "loops and fragments are nested too deeply"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Reads a `use` step: a fragment's steps, with values for its parameters.
    pub(in crate::case) fn fragment(&mut self, place: Place, node: &Node) -> Read<()> {
        let resolved = self.resolve(node);
        let (name, with) = match resolved.map() {
            None => (self.text(node, "`use`")?, Vec::new()),
            Some(map) => {
                self.check_keys(map, &[USE], means_nothing)?;
                let Some(name) = resolved.of("fragment") else {
                    return Err(self.report(node.place, "the key `fragment` is missing"));
                };
                let with = match resolved.of("with") {
                    Some(with) => self.map(with, "`with`")?,
                    None => Vec::new(),
                };
                (self.text(name, "`fragment`")?, with)
            }
        };
        let fragments = self.fragments;
        let Some(fragment) = fragments.iter().find(|it| it.name == name) else {
            let what = format!("there is no fragment `{name}`");
            let known = fragments.iter().map(|it| &it.name);
            return Err(self.unknown(node.place, &what, &name, known));
        };
        self.used.insert(name.clone());
        let takes = fragment.root.of("takes").and_then(Node::map).unwrap_or_default();
        let names: Vec<&str> = takes.iter().map(|(key, _)| key.name.as_str()).collect();
        for (key, _) in &with {
            if !names.contains(&key.name.as_str()) {
                let what = format!("fragment `{name}` takes no `{}`", key.name);
                return Err(self.unknown(key.place, &what, &key.name, &names));
            }
        }
        self.deeper(place)?;
        // Parameters are resolved here, because their names may mean other things inside the fragment.
        let mut parameters = Vec::new();
        for (key, usual) in takes {
            let given = with.iter().find(|(known, _)| known.name == key.name);
            let value = given.map_or_else(
                || usual.clone(),
                |(_, value)| self.resolve(value).moved(Place::default()),
            );
            parameters.push((key.name.clone(), value));
        }
        let before = self.scope.constants.len();
        self.scope.constants.extend(parameters);
        let outer = std::mem::replace(&mut self.source, fragment.source.clone());
        if let Some(buffers) = fragment.root.of("buffers") {
            self.buffers(buffers);
        }
        if let Some(steps) = fragment.root.of("steps") {
            self.steps(steps);
        }
        self.source = outer;
        self.scope.constants.truncate(before);
        self.depth -= 1;
        Ok(())
    }
}

impl Reader<'_> {
    /// Reads a `connect` step; without a node, the implicit one.
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
                format!("stream `{stream}` is already up: `close` it first, or use another name");
            return Err(self.report(place, what));
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
                "ends" => connect.ends = self.choice(value)?,
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
                let what = "with `only_tcp` the case sends the frames: put their fields there";
                return Err(self.report(node.place, what));
            }
        }
        let ended = matches!(connect.ends, SetupEnd::Rejected | SetupEnd::Closed);
        let state = if ended { State::Ended } else { State::Open };
        self.scope.streams.insert(stream.to_owned(), state);
        Ok(Action::Connect(Box::new(connect)))
    }

    /// Sets an option from the axis of the same name.
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
