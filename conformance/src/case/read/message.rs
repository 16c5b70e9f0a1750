//! Messages: their fields as sent and as expected.

use super::{Read, Reader, Reported};
use crate::case::grammar::MATCHERS;
use crate::case::step::{FieldValue, Matcher, MessagePattern, Ulpdus};
use crate::case::value::{Aspect, Bytes, Region, Value, Variable};
use crate::layout::{Carrier, Field, Kind, Layout, Message};
use crate::yaml::{self, Data, Node};

/// A field that a case names, with its value's node.
pub(in crate::case) enum Named<'m> {
    Field(&'m Field, String, Node),
    /// Both fields of a buffer: its STag and its Tagged Offset.
    Buffer(Region, [String; 2]),
    Payload(Node),
    Segments(Node),
    LastPayload(Node),
    Bind(Node),
    /// The required lengths of its ULPDUs.
    Lengths(Ulpdus, Node),
}

impl<'a> Reader<'a> {
    pub(in crate::case) fn message(&mut self, key: &yaml::Key) -> Read<&'a Message> {
        let name = self.key_name(key)?;
        let layouts = self.context.layouts;
        match layouts.message(&name) {
            Some(message) => Ok(message),
            None => {
                let known = layouts.messages().iter().map(Message::name);
                let what = format!("there is no message `{name}`");
                Err(self.unknown(key.place, &what, &name, known))
            }
        }
    }

    /// Returns the name of a key: the key itself, or the value of the axis or parameter that it names.
    pub(in crate::case) fn key_name(&mut self, key: &yaml::Key) -> Read<String> {
        let Some(path) = key.name.strip_prefix('$') else { return Ok(key.name.clone()) };
        match self.constant(path).and_then(Node::text) {
            Some(text) => Ok(text.to_owned()),
            None => Err(self.unbound(key.place, path)),
        }
    }

    /// Returns the fields that a mapping names: `source: {stag: 1, to: 2}` is `source_stag` and `source_to`,
    /// and `source: $target.x` is both fields of a buffer.
    pub(in crate::case) fn named<'m>(
        &mut self,
        message: &'m Message,
        node: &Node,
    ) -> Read<Vec<Named<'m>>> {
        let mut named = Vec::new();
        let mut good = true;
        for (key, value) in self.map(node, &format!("`{}`", message.name()))? {
            let Ok(name) = self.key_name(&key) else {
                good = false;
                continue;
            };
            match name.as_str() {
                "payload" => named.push(Named::Payload(value)),
                "segments" => named.push(Named::Segments(value)),
                "last_payload" => named.push(Named::LastPayload(value)),
                "bind" => named.push(Named::Bind(value)),
                "ulpdus" if message.carrier() == Carrier::Fpdu => {
                    named.push(Named::Lengths(Ulpdus::All, value));
                }
                "ulpdus_but_last" if message.carrier() == Carrier::Fpdu => {
                    named.push(Named::Lengths(Ulpdus::AllButLast, value));
                }
                _ => good &= self.one_named(message, &key, &name, value, &mut named).is_ok(),
            }
        }
        if good { Ok(named) } else { Err(Reported) }
    }

    fn one_named<'m>(
        &mut self,
        message: &'m Message,
        key: &yaml::Key,
        name: &str,
        value: Node,
        named: &mut Vec<Named<'m>>,
    ) -> Read<()> {
        if let (Ok(field), Ok(full)) = (message.field(name), message.full_name(name)) {
            named.push(Named::Field(field, full, value));
            return Ok(());
        }
        let resolved = self.resolve(&value);
        let full = |last: &str| {
            let long = if name == "buffer" { last.to_owned() } else { format!("{name}_{last}") };
            message.full_name(&long).ok()
        };
        if let (Some(stag), Some(to), Some(region)) =
            (full("stag"), full("to"), self.maybe_region(&resolved))
        {
            named.push(Named::Buffer(region?, [stag, to]));
            return Ok(());
        }
        if let (Data::Map(inner), true) = (&resolved.data, full("stag").is_some()) {
            for (last, value) in inner {
                let long = format!("{name}_{}", last.name);
                match (message.field(&long), message.full_name(&long)) {
                    (Ok(field), Ok(full)) => named.push(Named::Field(field, full, value.clone())),
                    (Err(error), _) | (_, Err(error)) => {
                        return Err(self.report(last.place, error.to_string()));
                    }
                }
            }
            return Ok(());
        }
        let mut known = message.names();
        known.extend(["payload", "buffer", "source", "sink", "remote"].map(str::to_owned));
        let what = format!("{} has no field `{name}`", message.name());
        Err(self.unknown(key.place, &what, name, known))
    }

    /// Reads the fields and the payload of a message to send.
    pub(in crate::case) fn sent_fields(
        &mut self,
        message: &Message,
        node: &Node,
    ) -> Read<(Vec<(String, FieldValue)>, Bytes)> {
        let mut fields = Vec::new();
        let mut payload = Bytes::none();
        let mut good = true;
        for named in self.named(message, node)? {
            match named {
                Named::Field(_, name, node) if name.contains('[') => {
                    let what = format!("`{name}`: send the whole list, with its elements");
                    return Err(self.report(node.place, what));
                }
                Named::Field(field, name, node) => match self.field_value(field, &node) {
                    Ok(value) => fields.push((name, value)),
                    Err(Reported) => good = false,
                },
                Named::Buffer(region, names) => {
                    let values = both(region).map(FieldValue::Number);
                    fields.extend(names.into_iter().zip(values));
                }
                Named::Payload(node) => payload = self.bytes(&node)?,
                Named::Bind(node) => {
                    return Err(self.report(node.place, "a sent message cannot bind variables"));
                }
                Named::Lengths(_, node) => {
                    let what = "use `segment` beside `send` to say how it is cut";
                    return Err(self.report(node.place, what));
                }
                Named::Segments(node) | Named::LastPayload(node) => {
                    let what = "use `segment`, beside `send`, to cut what is sent";
                    return Err(self.report(node.place, what));
                }
            }
        }
        if good { Ok((fields, payload)) } else { Err(Reported) }
    }

    pub(in crate::case) fn field_value(&mut self, field: &Field, node: &Node) -> Read<FieldValue> {
        if let Some(layout) = field.elements() {
            let elements =
                self.each(node, |reader, it| reader.element(layout, it, Self::field_value))?;
            return Ok(FieldValue::List(elements));
        }
        if field.kind() == Kind::Bytes {
            let bytes = self.bytes(node)?;
            if let (Some(width), Some(length)) = (field.width(), bytes.length())
                && length.checked_mul(8) != u64::try_from(width).ok()
            {
                let what =
                    format!("`{}` has {} bytes, but these are {length}", field.name(), width / 8);
                return Err(self.report(node.place, what));
            }
            return Ok(FieldValue::Bytes(bytes));
        }
        Ok(FieldValue::Number(self.field_number(field, node)?))
    }

    /// Reads a number for a field: one of its words, or an expression whose value fits.
    pub(in crate::case) fn field_number(&mut self, field: &Field, node: &Node) -> Read<Value> {
        let resolved = self.resolve(node);
        let text = resolved.plain().unwrap_or_default();
        if let Some((_, number)) = field.values().iter().find(|(word, _)| word == text) {
            return Ok(Value::Known(*number));
        }
        if let (Some(truth), Some(1)) = (resolved.truth(), field.width()) {
            return Ok(Value::Known(u64::from(truth)));
        }
        let is_word = text.chars().next().is_some_and(|it| it.is_ascii_alphabetic());
        if is_word && !field.values().is_empty() {
            let what = format!("`{text}` is not a value of `{}`", field.name());
            let words = field.values().iter().map(|(word, _)| word);
            return Err(self.unknown(node.place, &what, text, words));
        }
        if is_word && field.width() == Some(1) {
            let name = field.name();
            let what = format!("`{name}` has one bit: `on`, `off`, 1 or 0, not `{text}`");
            return Err(self.report(node.place, what));
        }
        let value = self.value(node)?;
        match value.known() {
            Some(number) if !field.holds(number) => {
                let width = field.width().unwrap_or(64);
                let what = format!("`{}` has {width} bits: {number:#x} does not fit", field.name());
                Err(self.report(node.place, what))
            }
            _ => Ok(value),
        }
    }

    /// Reads the fields of a list element by its layout.
    fn element<T>(
        &mut self,
        layout: &Layout,
        node: &Node,
        read: impl Fn(&mut Self, &Field, &Node) -> Read<T>,
    ) -> Read<Vec<(String, T)>> {
        let mut fields = Vec::new();
        for (key, value) in self.map(node, "an element")? {
            let field = layout.field(&key.name);
            let field = field.map_err(|error| self.report(key.place, error.to_string()))?;
            fields.push((field.name().to_owned(), read(self, field, &value)?));
        }
        Ok(fields)
    }

    pub(in crate::case) fn message_pattern(
        &mut self,
        message: &Message,
        node: &Node,
    ) -> Read<MessagePattern<FieldValue>> {
        let mut wanted = MessagePattern::new(message.name());
        let mut good = true;
        for named in self.named(message, node)? {
            match named {
                Named::Field(field, name, node) => match self.matcher(field, &node) {
                    Ok(matcher) => wanted.fields.push((name, matcher)),
                    Err(Reported) => good = false,
                },
                Named::Buffer(region, names) => {
                    let values = both(region).map(|it| Matcher::Is(FieldValue::Number(it)));
                    wanted.fields.extend(names.into_iter().zip(values));
                }
                Named::Payload(node) => {
                    wanted.payload = Some(FieldValue::Bytes(self.bytes(&node)?));
                }
                Named::Segments(node) => wanted.segments = Some(self.number_value(&node)?),
                Named::LastPayload(node) => wanted.last_payload = Some(self.number_value(&node)?),
                Named::Bind(node) => wanted.bind.extend(self.bind(message, &node)?),
                Named::Lengths(ulpdus, node) => {
                    let matcher = self.length(&node)?;
                    wanted.lengths.push((ulpdus, matcher));
                }
            }
        }
        if good { Ok(wanted) } else { Err(Reported) }
    }

    fn length(&mut self, node: &Node) -> Read<Matcher<FieldValue>> {
        let resolved = self.resolve(node);
        let Data::Map(map) = &resolved.data else {
            return Ok(Matcher::Is(self.number_value(node)?));
        };
        let known = ["at_least", "at_most"];
        match map.as_slice() {
            [(key, value)] if key.name == "at_least" => {
                Ok(Matcher::AtLeast(self.number_value(value)?))
            }
            [(key, value)] if key.name == "at_most" => {
                Ok(Matcher::AtMost(self.number_value(value)?))
            }
            [(key, _)] => {
                let what = format!("`{}` does not compare a length", key.name);
                Err(self.unknown(key.place, &what, &key.name, known))
            }
            _ => Err(self.report(node.place, "a length is compared in one way")),
        }
    }

    fn number_value(&mut self, node: &Node) -> Read<FieldValue> {
        self.value(node).map(FieldValue::Number)
    }

    /// Reads the variables that receive the value of a field: `bind: {name: field}`.
    pub(in crate::case) fn bind(
        &mut self,
        message: &Message,
        node: &Node,
    ) -> Read<Vec<(String, String)>> {
        let mut all = Vec::new();
        for (key, value) in self.map(node, "`bind`")? {
            let field = self.text(&value, "a field's name")?;
            self.new_variable(&key)?;
            if field == "payload" {
                self.scope.bytes.insert(key.name.clone());
                all.push((key.name, field));
                continue;
            }
            match (message.field(&field), message.full_name(&field)) {
                (Ok(known), Ok(full)) => {
                    let set = if known.kind() == Kind::Bytes {
                        &mut self.scope.bytes
                    } else {
                        &mut self.scope.numbers
                    };
                    set.insert(key.name.clone());
                    all.push((key.name, full));
                }
                (Err(error), _) | (_, Err(error)) => {
                    return Err(self.report(value.place, error.to_string()));
                }
            }
        }
        Ok(all)
    }

    /// Checks the name of a variable that receives a value.
    pub(in crate::case) fn new_variable(&mut self, key: &yaml::Key) -> Read<()> {
        let word =
            key.name.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_');
        if !word || key.name.is_empty() {
            return Err(
                self.report(key.place, "a variable's name has lowercase letters, digits and `_`")
            );
        }
        let taken = ["target", "local", "stream", "role"].contains(&key.name.as_str());
        if taken || self.constant(&key.name).is_some() {
            let what = format!("`{}` is already used for something else", key.name);
            return Err(self.report(key.place, what));
        }
        Ok(())
    }

    pub(in crate::case) fn matcher(
        &mut self,
        field: &Field,
        node: &Node,
    ) -> Read<Matcher<FieldValue>> {
        let resolved = self.resolve(node);
        if resolved.plain() == Some("any") {
            return Ok(Matcher::Any);
        }
        let compares = |map: &[(yaml::Key, Node)]| {
            map.iter().any(|(key, _)| MATCHERS.contains(&key.name.as_str()))
        };
        if let Some(layout) = field.elements()
            && !resolved.map().is_some_and(compares)
        {
            let elements =
                self.each(node, |reader, it| reader.element(layout, it, Self::matcher))?;
            return Ok(Matcher::List(elements));
        }
        if let Data::List(list) = &resolved.data {
            return self.one_of(field, list);
        }
        let map = match &resolved.data {
            Data::Map(map) if field.kind() != Kind::Bytes => map,
            _ => return Ok(Matcher::Is(self.compared(field, node)?)),
        };
        let [(key, value)] = map.as_slice() else {
            return Err(self.report(node.place, "a field is compared in one way"));
        };
        Ok(match key.name.as_str() {
            "not" => Matcher::Not(self.compared(field, value)?),
            "at_least" => Matcher::AtLeast(self.compared(field, value)?),
            "at_most" => Matcher::AtMost(self.compared(field, value)?),
            "total" => match field.elements() {
                Some(layout) => Matcher::Total(self.element(layout, value, Self::matcher)?),
                None => return Err(self.report(key.place, "only a list has a total")),
            },
            "multiple_of" => Matcher::MultipleOf(self.compared(field, value)?),
            "one_of" => {
                let list = self.list(value);
                self.one_of(field, &list)?
            }
            other => {
                let what = format!("`{other}` is not a comparison");
                return Err(self.unknown(key.place, &what, other, MATCHERS));
            }
        })
    }

    fn compared(&mut self, field: &Field, node: &Node) -> Read<FieldValue> {
        match field.kind() {
            Kind::Bytes => self.bytes(node).map(FieldValue::Bytes),
            _ => self.field_number(field, node).map(FieldValue::Number),
        }
    }

    fn one_of(&mut self, field: &Field, list: &[Node]) -> Read<Matcher<FieldValue>> {
        let values = list.iter().map(|it| Ok(FieldValue::Number(self.field_number(field, it)?)));
        Ok(Matcher::OneOf(values.collect::<Read<_>>()?))
    }
}

/// Returns a buffer's STag and the Tagged Offset of its first byte.
fn both(region: Region) -> [Value; 2] {
    [Aspect::SteeringTag, Aspect::Base]
        .map(|aspect| Value::Of(Variable::Region(region.clone(), aspect)))
}
