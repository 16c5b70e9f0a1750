//! The text of logins and text requests: `key=value` pairs, each ended by a zero byte (RFC 7143 §6.1).

/// A part of the text between two zero bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    /// Where in the data segment it begins, in bytes.
    pub offset: usize,
    /// All of it, without the zero byte.
    pub bytes: &'a [u8],
    /// What is before the first `=`; all of it when there is none.
    pub key: &'a [u8],
    /// What is after the first `=`.
    pub value: Option<&'a [u8]>,
    /// True when a zero byte ends it: without, it goes on in the next PDU.
    pub ended: bool,
}

/// The pairs of a data segment. Empty parts are left out.
pub fn pairs(text: &[u8]) -> impl Iterator<Item = Pair<'_>> {
    let mut offset = 0;
    text.split_inclusive(|byte| *byte == 0).filter_map(move |part| {
        let begin = offset;
        offset += part.len();
        let (bytes, ended) = match part.split_last() {
            Some((0, bytes)) => (bytes, true),
            _ => (part, false),
        };
        let equals = bytes.iter().position(|byte| *byte == b'=');
        let (key, value) = match equals {
            Some(at) => (bytes.get(..at)?, bytes.get(at + 1..)),
            None => (bytes, None),
        };
        (!bytes.is_empty()).then_some(Pair { offset: begin, bytes, key, value, ended })
    })
}
