//! Bytes.

use super::{Read, Reader};
use crate::case::grammar::{self, BYTES};
use crate::case::value::{Bytes, Pattern, Value};
use crate::yaml::{Data, Node};

/// The most bytes that a case may send or expect at once.
const MOST: u64 = 64 << 20;

impl Reader<'_> {
    /// The bytes that a node stands for: a number is so many of a counting pattern.
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
                return Err(self.tell(
                    node.place,
                    "bytes are a number of them, {hex: \"00 01\"}, {text: ...}, {zeros: N} or {pattern: ...}",
                ));
            }
            Data::List(list) => {
                let mut parts = Vec::new();
                for part in list {
                    parts.push(self.bytes(part)?);
                }
                Bytes::Joined(parts)
            }
            Data::Map(_) => self.described(&resolved)?,
        };
        if bytes.length().is_some_and(|length| length > MOST) {
            return Err(self.tell(node.place, "these are more than 64 MiB: no case needs them"));
        }
        Ok(bytes)
    }

    fn described(&mut self, node: &Node) -> Read<Bytes> {
        let known = grammar::names(BYTES);
        for (key, _) in node.map().unwrap_or_default() {
            if !known.contains(&key.name.as_str()) {
                let what = format!("`{}` makes no bytes", key.name);
                return Err(self.unknown(key.place, &what, &key.name, &known));
            }
        }
        let alone = |name: &str| if node.map()?.len() == 1 { node.of(name) } else { None };
        if let Some(hex) = alone("hex") {
            let text = self.text(hex, "`hex`")?;
            return match from_hex(&text) {
                Some(bytes) => Ok(Bytes::These(bytes)),
                None => Err(self.tell(hex.place, "`hex` is pairs of hexadecimal digits")),
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
        let (Some(pattern), Some(length)) = (node.of("pattern"), node.of("length")) else {
            let what = "say hex, text or zeros alone, or pattern with length (and seed)";
            return Err(self.tell(node.place, what));
        };
        let pattern = match self.word(pattern, &["constant", "counting", "mixed"])? {
            "constant" => Pattern::Constant,
            "counting" => Pattern::Counting,
            _ => Pattern::Mixed,
        };
        let length = self.value(length)?;
        let seed = match node.of("seed") {
            Some(seed) => self.value(seed)?,
            None => Value::Known(1),
        };
        Ok(Bytes::Pattern { pattern, seed, length })
    }
}

/// Bytes from pairs of digits, with blanks wherever one likes.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|it| !it.is_whitespace())
        .map(|it| it.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    Some(pairs.iter().map(|[high, low]| high << 4 | low).collect())
}
