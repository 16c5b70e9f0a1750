//! Numbers, expressions and variables.

use super::{Limit, Read, Reader, Reported, means_nothing};
use crate::case::grammar::{BYTES, Entry, Key, Takes};
use crate::case::step::{Argument, Record};
use crate::case::value::{
    Aspect, Bytes, Operator, Pattern, Region, Side, StreamAspect, Value, Variable,
};
use crate::format::parse_time;
use crate::yaml::{self, Data, Node, Place};
use std::time::Duration;

const ASPECTS: &[(&str, Aspect)] = &[
    ("stag", Aspect::SteeringTag),
    ("base", Aspect::Base),
    ("length", Aspect::Length),
    ("end", Aspect::End),
];

const STREAM: &[(&str, StreamAspect)] = &[
    ("mulpdu", StreamAspect::Mulpdu),
    ("next_msn", StreamAspect::NextMessageSequenceNumber),
    ("first_request", StreamAspect::FirstRequest),
    ("ird", StreamAspect::InboundDepth),
    ("ord", StreamAspect::OutboundDepth),
];

/// An expression being parsed.
struct Expression<'t> {
    text: &'t str,
    at: usize,
    place: Place,
    depth: usize,
}

impl<'t> Expression<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.skip_blanks();
        let next = self.rest().chars().next().filter(|next| wanted.contains(next))?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Returns the longest word at this position.
    fn word(&mut self) -> &'t str {
        self.skip_blanks();
        let rest = self.rest();
        let ends = |it: char| !(it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '$'));
        let word = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
        self.at += word.len();
        word
    }

    fn here(&self) -> Place {
        let before = self.text.get(..self.at).map_or(0, |text| text.chars().count());
        Place { line: self.place.line, column: self.place.column + before }
    }
}

impl Reader<'_> {
    /// Returns the number that a node stands for.
    pub(in crate::case) fn value(&mut self, node: &Node) -> Read<Value> {
        self.value_at(node, 0)
    }

    fn value_at(&mut self, node: &Node, depth: usize) -> Read<Value> {
        let resolved = self.resolve(node);
        let kind = resolved.kind();
        let Some(text) = resolved.plain().filter(|text| !text.is_empty()) else {
            return Err(self.report(node.place, format!("expected a number, not {kind}")));
        };
        if let Some(number) = yaml::number(text) {
            return Ok(Value::Known(number));
        }
        let mut expression = Expression { text, at: 0, place: node.place, depth };
        let value = self.sum(&mut expression)?;
        expression.skip_blanks();
        if expression.rest().is_empty() {
            Ok(value)
        } else {
            let what = format!("unexpected `{}`", expression.rest());
            Err(self.report(expression.here(), what))
        }
    }

    fn sum(&mut self, expression: &mut Expression<'_>) -> Read<Value> {
        let mut value = self.product(expression)?;
        while let Some(sign) = expression.take(&['+', '-']) {
            let operator = if sign == '+' { Operator::Add } else { Operator::Subtract };
            value = Value::both(value, operator, self.product(expression)?);
        }
        Ok(value)
    }

    fn product(&mut self, expression: &mut Expression<'_>) -> Read<Value> {
        let mut value = self.operand(expression)?;
        while let Some(sign) = expression.take(&['*', '/', '%']) {
            let operator = match sign {
                '*' => Operator::Multiply,
                '/' => Operator::Divide,
                _ => Operator::Remainder,
            };
            value = Value::both(value, operator, self.operand(expression)?);
        }
        Ok(value)
    }

    fn operand(&mut self, expression: &mut Expression<'_>) -> Read<Value> {
        if expression.take(&['(']).is_some() {
            expression.depth += 1;
            if expression.depth > Limit::DEPTH {
                return Err(self.report(expression.here(), "this is nested too deeply"));
            }
            let value = self.sum(expression)?;
            return match expression.take(&[')']) {
                Some(_) => Ok(value),
                None => Err(self.report(expression.here(), "missing a `)`")),
            };
        }
        expression.skip_blanks();
        let here = expression.here();
        let word = expression.word();
        if let Some(path) = word.strip_prefix('$') {
            return self.variable(here, path, expression.depth);
        }
        match yaml::number(word) {
            Some(number) => Ok(Value::Known(number)),
            None if word.is_empty() => Err(self.report(here, "expected a number or `$name`")),
            None => {
                let what = format!("`{word}` is not a number; write a variable as `${word}`");
                Err(self.report(here, what))
            }
        }
    }

    /// Returns what a path after `$` stands for.
    fn variable(&mut self, place: Place, path: &str, depth: usize) -> Read<Value> {
        if let Some(found) = self.constant(path) {
            if depth >= Limit::DEPTH {
                return Err(self.report(place, format!("`${path}` refers to itself")));
            }
            let node = Node { place, data: found.data.clone() };
            return self.value_at(&node, depth + 1);
        }
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        let aspect = match first {
            "target" | "local" => {
                let (Some(name), aspect) = (parts.next(), parts.next()) else {
                    return Err(
                        self.report(place, format!("`${first}` has buffers: `${first}.name.stag`"))
                    );
                };
                let region = self.region_of(place, first, name)?;
                let Some(aspect) = aspect else {
                    let what =
                        format!("`${path}` is a buffer: use `.stag`, `.base`, `.length` or `.end`");
                    return Err(self.report(place, what));
                };
                let found = ASPECTS.iter().find(|(known, _)| *known == aspect);
                if let (Some((_, Aspect::Length)), Some(buffer)) = (found, self.buffer(&region)) {
                    return Ok(Value::Known(buffer.length));
                }
                found.map(|(_, aspect)| Variable::Region(region, *aspect)).ok_or_else(|| {
                    let known = ASPECTS.iter().map(|(name, _)| *name);
                    self.unknown(place, &format!("a buffer has no `{aspect}`"), aspect, known)
                })?
            }
            "stream" => {
                let aspect = parts.next().unwrap_or_default();
                let found = STREAM.iter().find(|(known, _)| *known == aspect);
                found.map(|(_, aspect)| Variable::Stream(*aspect)).ok_or_else(|| {
                    let known = STREAM.iter().map(|(name, _)| *name);
                    self.unknown(place, &format!("a stream has no `{aspect}`"), aspect, known)
                })?
            }
            _ if self.scope.numbers.contains(path) => Variable::Bound(path.to_owned()),
            _ => return Err(self.unbound(place, path)),
        };
        match parts.next() {
            None => Ok(Value::Of(aspect)),
            Some(more) => Err(self.report(place, format!("unexpected `.{more}` in `${path}`"))),
        }
    }

    /// Reports a variable that has no value.
    pub(in crate::case) fn unbound(&mut self, place: Place, path: &str) -> Reported {
        let mut known: Vec<String> =
            self.scope.constants.iter().map(|(name, _)| name.clone()).collect();
        known.extend(self.scope.numbers.iter().cloned());
        known.extend(self.scope.bytes.iter().cloned());
        known.extend(["target", "local", "stream"].map(str::to_owned));
        let what = if self.scope.bytes.contains(path) {
            format!("`${path}` is bytes; expected a number")
        } else {
            format!("`${path}` is not bound at this point")
        };
        self.unknown(place, &what, path, known)
    }

    fn region_of(&mut self, place: Place, side: &str, name: &str) -> Read<Region> {
        let side_of = if side == "target" { Side::Target } else { Side::Local };
        let region = Region { side: side_of, name: name.to_owned() };
        if self.buffer(&region).is_some() {
            self.scope.named.insert(region.clone());
            return Ok(region);
        }
        let of_side = self.scope.buffers.iter().filter(|it| it.region.side == side_of);
        let names: Vec<String> = of_side.map(|it| it.region.name.clone()).collect();
        let what = format!("`buffers: {side}:` has no `{name}`");
        Err(self.unknown(place, &what, name, names))
    }

    /// Returns the buffer that a node stands for, if it is one.
    pub(in crate::case) fn maybe_region(&mut self, node: &Node) -> Option<Read<Region>> {
        let resolved = self.resolve(node);
        let path = resolved.plain()?.strip_prefix('$')?;
        let mut parts = path.split('.');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(side @ ("target" | "local")), Some(name), None) => {
                Some(self.region_of(node.place, side, name))
            }
            _ => None,
        }
    }

    /// Returns the buffer that a node stands for.
    pub(in crate::case) fn region(&mut self, node: &Node) -> Read<Region> {
        match self.maybe_region(node) {
            Some(region) => region,
            None => {
                Err(self.report(node.place, "expected a buffer: `$target.name` or `$local.name`"))
            }
        }
    }

    /// Returns the number that a node stands for, which must be known before the run.
    pub(in crate::case) fn known_number(&mut self, node: &Node) -> Read<u64> {
        match self.value(node)?.known() {
            Some(number) => Ok(number),
            None => Err(self.report(node.place, "this must be known before the run")),
        }
    }

    pub(in crate::case) fn flag(&mut self, node: &Node) -> Read<bool> {
        let resolved = self.resolve(node);
        match resolved.truth().or(resolved.number().filter(|it| *it < 2).map(|it| it == 1)) {
            Some(flag) => Ok(flag),
            None => {
                let what = match resolved.text().filter(|text| !text.is_empty()) {
                    Some(text) => format!("expected `on` or `off`, not `{text}`"),
                    None => format!("expected `on` or `off`, not {}", resolved.kind()),
                };
                Err(self.report(node.place, what))
            }
        }
    }

    /// Reads a time: `2s`, `100ms`.
    pub(in crate::case) fn time(&mut self, node: &Node) -> Read<Duration> {
        let resolved = self.resolve(node);
        let text = resolved.plain().unwrap_or_default();
        match parse_time(text) {
            Some(time) if time <= LONGEST => Ok(time),
            Some(_) => Err(self.report(node.place, "no step may take more than 600s")),
            None => Err(self.report(node.place, "expected a time, such as `2s` or `100ms`")),
        }
    }
}

/// The longest time that a step may name.
const LONGEST: Duration = Duration::from_secs(600);
/// The most bytes that a case may send or expect at once.
const MOST: u64 = 64 << 20;

impl Reader<'_> {
    /// Returns the bytes that a node stands for. A number stands for that many bytes of a counting pattern.
    pub(in crate::case) fn bytes(&mut self, node: &Node) -> Read<Bytes> {
        let resolved = self.resolve(node);
        let bytes = match &resolved.data {
            Data::Plain(text) if text.is_empty() || text == "none" => Bytes::none(),
            Data::Plain(text) => {
                let bound = text.strip_prefix('$').filter(|name| self.scope.bytes.contains(*name));
                match bound {
                    Some(name) => Bytes::Bound(name.to_owned()),
                    None => {
                        let length = self.value(&resolved)?;
                        Bytes::Pattern { pattern: Pattern::Counting, seed: Value::Known(1), length }
                    }
                }
            }
            Data::Quoted(_) => {
                return Err(self.report(
                    node.place,
                    "bytes are a number of them, {hex: \"00 01\"}, {text: ...}, {zeros: N} or {pattern: ...}",
                ));
            }
            Data::List(list) => {
                Bytes::Joined(list.iter().map(|part| self.bytes(part)).collect::<Read<_>>()?)
            }
            Data::Map(_) => self.described(&resolved)?,
        };
        if bytes.length().is_some_and(|length| length > MOST) {
            return Err(self.report(node.place, "these are more than 64 MiB, which no case needs"));
        }
        Ok(bytes)
    }

    fn described(&mut self, node: &Node) -> Read<Bytes> {
        let map = node.map().unwrap_or_default();
        self.check_keys(map, &[BYTES], |name| format!("`{name}` does not describe bytes"))?;
        let alone = |name: &str| if node.map()?.len() == 1 { node.of(name) } else { None };
        if let Some(hex) = alone("hex") {
            let text = self.text(hex, "`hex`")?;
            return match from_hex(&text) {
                Some(bytes) => Ok(Bytes::These(bytes)),
                None => Err(self.report(hex.place, "`hex` must be pairs of hexadecimal digits")),
            };
        }
        if let Some(text) = alone("text") {
            return Ok(Bytes::These(self.text(text, "`text`")?.into_bytes()));
        }
        if let Some(zeros) = alone("zeros") {
            let length = self.value(zeros)?;
            return Ok(Bytes::Pattern {
                pattern: Pattern::Constant,
                seed: Value::Known(0),
                length,
            });
        }
        for (name, width) in [("u32", 4), ("u64", 8)] {
            if let Some(number) = alone(name) {
                let number = self.value(number)?;
                let byte = |place: u64| Bytes::Pattern {
                    pattern: Pattern::Constant,
                    seed: Value::both(
                        number.clone(),
                        Operator::Divide,
                        Value::Known(1 << (8 * place)),
                    ),
                    length: Value::Known(1),
                };
                return Ok(Bytes::Joined((0..width).rev().map(byte).collect()));
            }
        }
        let (Some(pattern), Some(length)) = (node.of("pattern"), node.of("length")) else {
            let what = "use hex, text, zeros, u32 or u64 alone, or pattern with length (and seed)";
            return Err(self.report(node.place, what));
        };
        let pattern = match self.word(pattern, &["constant", "counting", "mixed"])? {
            "constant" => Pattern::Constant,
            "counting" => Pattern::Counting,
            _ => Pattern::Mixed,
        };
        let length = self.value(length)?;
        let seed = self.optional(map, "seed", Self::value)?.unwrap_or(Value::Known(1));
        Ok(Bytes::Pattern { pattern, seed, length })
    }
}

/// Parses bytes from pairs of hexadecimal digits, with blanks anywhere.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|it| !it.is_whitespace())
        .map(|it| it.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    Some(pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

impl Reader<'_> {
    /// Reads a record from a mapping, by a table. Keys of `more` are left to the caller.
    pub(in crate::case) fn record(
        &mut self,
        place: Place,
        entries: &[(yaml::Key, Node)],
        keys: &'static [Key],
        more: &[Key],
    ) -> Read<Record> {
        let mut record = Record::default();
        let known = self.check_keys(entries, &[keys, more], means_nothing);
        let mut good = known.is_ok();
        for (key, node) in entries {
            let left = more.iter().any(|known| known.name == key.name);
            let known = keys.iter().find(|known| known.name == key.name && !left);
            match known.map(|known| Ok((known.name, self.argument(known, node)?))) {
                Some(Ok(argument)) => record.arguments.push(argument),
                Some(Err(Reported)) => good = false,
                None => {}
            }
        }
        good &= self.check_needed(place, entries, keys).is_ok();
        if good { Ok(record) } else { Err(Reported) }
    }

    fn argument(&mut self, key: &Key, node: &Node) -> Read<Argument> {
        Ok(match key.takes {
            Takes::Number => Argument::Number(self.value(node)?),
            Takes::Flag => Argument::Flag(self.flag(node)?),
            Takes::Keyword(words) => Argument::Keyword(self.word(node, words)?),
            Takes::Keywords(words) => {
                Argument::Keywords(self.each(node, |reader, it| reader.word(it, words))?)
            }
            Takes::Bytes => Argument::Bytes(self.bytes(node)?),
            Takes::Region => Argument::Region(self.region(node)?),
            Takes::Time => Argument::Time(self.time(node)?),
            Takes::Stream | Takes::Text | Takes::Texts | Takes::Own => {
                Argument::Stream(self.text(node, "this")?)
            }
        })
    }

    /// Reads an entry of a table: a mapping's single key, with its arguments.
    pub(in crate::case) fn entry(
        &mut self,
        key: &yaml::Key,
        node: &Node,
        table: &'static [Entry],
        what: &str,
    ) -> Read<Record> {
        let Some(entry) = table.iter().find(|entry| entry.name == key.name) else {
            let what = format!("`{}` is not a valid {what}", key.name);
            let names = table.iter().map(|entry| entry.name);
            return Err(self.unknown(key.place, &what, &key.name, names));
        };
        let map = self.map(node, &format!("`{}`", key.name))?;
        let mut record = self.record(key.place, &map, entry.keys, &[])?;
        record.name = entry.name;
        Ok(record)
    }
}
