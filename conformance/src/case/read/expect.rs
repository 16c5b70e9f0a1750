//! Expectations.

use std::time::Duration;

use super::{Read, Reader, State, value_of};
use crate::case::grammar::{self, CLOSED, EXPECTING, MEMORY, REPORTS, TERMINATE, WANTS};
use crate::case::step::{
    Closed, Expect, Expected, Header, Memory, MessagePattern, Record, Terminate,
};
use crate::case::value::Value;
use crate::layout::{Message, TerminateCode};
use crate::yaml::{Data, Key, Node};

impl Reader<'_> {
    /// Reads an `expect` step from its own keys and those beside it.
    pub(in crate::case) fn expect(
        &mut self,
        stream: &str,
        node: &Node,
        beside: &[(Key, Node)],
    ) -> Read<Expect> {
        let (mut tolerate, mut skip) = (Vec::new(), Vec::new());
        let (mut within, mut supposed) = (None::<Duration>, false);
        let resolved = self.resolve(node);
        let inside = resolved.map().unwrap_or_default();
        for (key, value) in inside.iter().chain(beside) {
            match key.name.as_str() {
                "within" => within = Some(self.time(value)?),
                "tolerate" => tolerate = self.each(value, Self::want)?,
                "otherwise" => {
                    self.word(value, &["not_applicable"])?;
                    supposed = true;
                }
                "skip" => skip = self.each(value, Self::want)?,
                _ => {}
            }
        }
        let mut want = self.want(&resolved)?;
        if let Some((_, node)) = beside.iter().find(|(key, _)| key.name == "bind") {
            self.bind_into(&mut want, node)?;
        }
        use Expected::{AllOf, InOrder, Memory, NoReport, Report};
        let alone = matches!(want, Memory(_) | Report(_) | NoReport(_) | InOrder(_) | AllOf(_));
        let mut keys = inside.iter().chain(beside);
        if alone && let Some((key, _)) = keys.find(|(key, _)| key.name == "tolerate") {
            let what = "`tolerate` has no effect beside memory, reports, `in_order` and `all_of`";
            return Err(self.report(key.place, what));
        }
        self.reachable(stream, node, &want)?;
        Ok(Expect { want, tolerate, skip, supposed, within })
    }

    /// Checks that the stream can still bring what is expected, and notes if it ends with that.
    fn reachable(&mut self, stream: &str, node: &Node, want: &Expected) -> Read<()> {
        let ended = self.scope.streams.get(stream) == Some(&State::Ended);
        if ended && !of_the_target(want) {
            let what = format!("stream `{stream}` has already ended: the step is never reached");
            return Err(self.report(node.place, what));
        }
        let last = match want {
            Expected::InOrder(wants) | Expected::AllOf(wants) => wants.last(),
            want => Some(want),
        };
        if matches!(last, Some(Expected::Closed(_))) {
            self.scope.streams.insert(stream.to_owned(), State::Ended);
        }
        Ok(())
    }

    fn want(&mut self, node: &Node) -> Read<Expected> {
        let resolved = self.resolve(node);
        let map = match &resolved.data {
            Data::Plain(word) if word == "closed" => return Ok(Expected::Closed(Closed::Any)),
            Data::Plain(word) if word == "nothing" => return Ok(Expected::Nothing),
            Data::Map(map) => map,
            _ => {
                let what = "expected {message: {...}}, {terminate: {...}}, closed, nothing, \
                            {any_of: [...]}, {in_order: [...]}, {memory: {...}} or {report: \
                            {...}}";
                return Err(self.report(node.place, what));
            }
        };
        let around = grammar::names(EXPECTING);
        let mut wants = map.iter().filter(|(key, _)| !around.contains(&key.name.as_str()));
        let (Some((key, value)), None) = (wants.next(), wants.next()) else {
            return Err(self.report(
                node.place,
                "a step waits for one thing; for several, use `all_of` or `in_order`",
            ));
        };
        let mut want = self.one_want(key, value)?;
        if let Some((_, bind)) = map.iter().find(|(key, _)| key.name == "bind") {
            self.bind_into(&mut want, bind)?;
        }
        Ok(want)
    }

    fn one_want(&mut self, key: &Key, value: &Node) -> Read<Expected> {
        Ok(match key.name.as_str() {
            "terminate" => Expected::Terminate(self.terminate(value)?),
            "closed" => Expected::Closed(match self.word(value, CLOSED)? {
                "graceful" => Closed::Graceful,
                "reset" => Closed::Reset,
                _ => Closed::Any,
            }),
            "nothing" => Expected::Nothing,
            "any_of" => Expected::AnyOf(self.wants(value)?),
            "in_order" => {
                let wants = self.wants(value)?;
                let reports = wants.iter().filter(|it| matches!(it, Expected::Report(_))).count();
                if reports != 0 && reports != wants.len() {
                    let what = "reports are ordered only among themselves: they arrive separately \
                                from what is on the wire";
                    return Err(self.report(value.place, what));
                }
                Expected::InOrder(wants)
            }
            "all_of" => Expected::AllOf(self.wants(value)?),
            "memory" => Expected::Memory(self.memory(value)?),
            "memory_unchanged" => {
                let region = self.region_or_all(value)?;
                Expected::Memory(Memory { region, offset: Value::Known(0), length: None, is: None })
            }
            "report" => Expected::Report(self.report_of(value)?),
            "no_report" => Expected::NoReport(self.report_of(value)?),
            "task" => Expected::Task(self.choice(value)?),
            name if name.starts_with('$') || self.context.layouts.message(name).is_some() => {
                let message = self.message(key)?;
                Expected::Message(self.message_pattern(message, value)?)
            }
            name => {
                let mut known: Vec<&str> = WANTS.to_vec();
                known.extend(self.context.layouts.messages().iter().map(Message::name));
                let what = format!("cannot wait for `{name}`");
                return Err(self.unknown(key.place, &what, name, known));
            }
        })
    }

    fn report_of(&mut self, node: &Node) -> Read<Record> {
        let map = self.map(node, "a report")?;
        let [(key, value)] = map.as_slice() else {
            return Err(self.report(node.place, "expected one report: its kind, with what it says"));
        };
        self.entry(key, value, REPORTS, "report")
    }

    fn wants(&mut self, node: &Node) -> Read<Vec<Expected>> {
        let wants = self.each(node, Self::want)?;
        if wants.is_empty() {
            return Err(self.report(node.place, "name at least one"));
        }
        Ok(wants)
    }

    fn bind_into(&mut self, want: &mut Expected, node: &Node) -> Read<()> {
        let (name, bound) = match want {
            Expected::Message(wanted) => (wanted.name.clone(), &mut wanted.bind),
            Expected::Terminate(terminate) => ("terminate".to_owned(), &mut terminate.message.bind),
            _ => return Err(self.report(node.place, "only a message's fields can be bound")),
        };
        let layouts = self.context.layouts;
        if let Some(message) = layouts.message(&name) {
            bound.extend(self.bind(message, node)?);
        }
        Ok(())
    }

    fn terminate(&mut self, node: &Node) -> Read<Terminate> {
        let map = self.map(node, "`terminate`")?;
        self.check_keys(&map, &[TERMINATE], |name| {
            format!("`{name}` is not valid in a Terminate")
        })?;
        let mut terminate = Terminate {
            layer: None,
            error_type: None,
            codes: Vec::new(),
            ddp_header: Header::Any,
            rdmap_header: Header::Any,
            message: MessagePattern::new("terminate"),
        };
        let layouts = self.context.layouts;
        let of = |name: &str| value_of(&map, name);
        // The words of a type depend on the layer, those of a code on both.
        let mut codes: Vec<&TerminateCode> = layouts.codes().iter().collect();
        if let Some(value) = of("layer") {
            let words = |it: &TerminateCode| (it.layer.clone(), Some(it.layer_number));
            let number = self.one_code(value, "layer", 4, &codes, words)?;
            codes.retain(|it| it.layer_number == number);
            terminate.layer = Some(number);
        }
        if let Some(value) = of("type") {
            let words = |it: &TerminateCode| (it.error_type.clone(), Some(it.error_type_number));
            let number = self.one_code(value, "error type", 4, &codes, words)?;
            codes.retain(|it| it.error_type_number == number);
            terminate.error_type = Some(number);
        }
        for (key, value) in &map {
            match key.name.as_str() {
                "layer" | "type" => {}
                "code" => {
                    let words = |it: &TerminateCode| (it.name.clone(), it.code);
                    terminate.codes = self.each(value, |reader, value| {
                        reader.one_code(value, "error code", 8, &codes, words)
                    })?;
                }
                "ddp_header" => terminate.ddp_header = self.header(value)?,
                "rdmap_header" => terminate.rdmap_header = self.header(value)?,
                "bind" | "fields" => {
                    let Some(message) = layouts.message("terminate") else { continue };
                    if key.name == "bind" {
                        terminate.message.bind = self.bind(message, value)?;
                    } else {
                        terminate.message.fields = self.message_pattern(message, value)?.fields;
                    }
                }
                _ => {}
            }
        }
        Ok(terminate)
    }

    /// Reads a number of a Terminate, given by its word or directly.
    fn one_code(
        &mut self,
        node: &Node,
        what: &str,
        bits: u32,
        codes: &[&TerminateCode],
        words: impl Fn(&TerminateCode) -> (String, Option<u64>),
    ) -> Read<u64> {
        let resolved = self.resolve(node);
        let text = resolved.plain().unwrap_or_default();
        let known: Vec<(String, Option<u64>)> = codes.iter().map(|it| words(it)).collect();
        if let Some((_, Some(number))) = known.iter().find(|(word, _)| word == text) {
            return Ok(*number);
        }
        match resolved.number() {
            Some(number) if number >> bits == 0 => Ok(number),
            Some(number) => Err(self.report(
                node.place,
                format!("the {what} has {bits} bits: {number:#x} does not fit"),
            )),
            None => {
                let mut known: Vec<String> = known.into_iter().map(|(word, _)| word).collect();
                known.dedup();
                let what = format!("there is no {what} `{text}` here");
                Err(self.unknown(node.place, &what, text, known))
            }
        }
    }

    fn header(&mut self, node: &Node) -> Read<Header> {
        let resolved = self.resolve(node);
        if let Some(map) = resolved.map() {
            let [(key, value)] = map else {
                return Err(self.report(node.place, "expected {echoes: name}"));
            };
            if key.name != "echoes" {
                let what = format!("`{}` is not valid here", key.name);
                return Err(self.unknown(key.place, &what, &key.name, ["echoes"]));
            }
            let name = self.text(value, "the name of a send")?;
            if !self.scope.sent.contains(&name) {
                let what = format!("no earlier send has the name `{name}` (`as: {name}`)");
                return Err(self.unknown(value.place, &what, &name, self.scope.sent.clone()));
            }
            return Ok(Header::Echoes(Some(name)));
        }
        Ok(match self.word(node, &["any", "absent", "present", "echoes"])? {
            "absent" => Header::Absent,
            "present" => Header::Present,
            "echoes" => Header::Echoes(None),
            _ => Header::Any,
        })
    }

    fn memory(&mut self, node: &Node) -> Read<Memory> {
        let map = self.map(node, "`memory`")?;
        let record = self.record(node.place, &map, MEMORY, &MEMORY[..1])?;
        let region = match map.iter().find(|(key, _)| key.name == "region") {
            Some((_, value)) => self.region_or_all(value)?,
            None => return Err(self.report(node.place, "the key `region` is missing")),
        };
        let offset = record.number("offset").cloned().unwrap_or(Value::Known(0));
        let (length, is) = (record.number("length").cloned(), record.bytes("is").cloned());
        Ok(Memory { region, offset, length, is })
    }

    /// Reads a buffer; `None` stands for all buffers of the target.
    fn region_or_all(&mut self, node: &Node) -> Read<Option<crate::case::Region>> {
        let resolved = self.resolve(node);
        if resolved.plain() == Some("$target.all") {
            let all = self.scope.buffers.iter().map(|buffer| buffer.region.clone());
            self.scope.named.extend(all);
            return Ok(None);
        }
        self.region(node).map(Some)
    }
}

/// Whether it is asked of the target, whatever the state of the stream.
fn of_the_target(want: &Expected) -> bool {
    match want {
        Expected::Memory(_) | Expected::Report(_) | Expected::NoReport(_) | Expected::Task(_) => {
            true
        }
        Expected::InOrder(wants) => wants.iter().all(of_the_target),
        _ => false,
    }
}
