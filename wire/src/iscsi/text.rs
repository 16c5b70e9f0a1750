//! The text of logins and text requests: `key=value` pairs, each with a zero byte at its end (RFC 7143 §6.1).

/// A part of the text between two zero bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    /// Its offset in the data segment, in bytes.
    pub offset: usize,
    /// All its bytes, without the zero byte.
    pub bytes: &'a [u8],
    /// The bytes before the first `=`; all bytes if there is none.
    pub key: &'a [u8],
    /// The bytes after the first `=`.
    pub value: Option<&'a [u8]>,
    /// Whether a zero byte ends it; without one, it continues in the next PDU.
    pub ended: bool,
}

/// Returns the pairs of a data segment. Empty parts are skipped.
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
