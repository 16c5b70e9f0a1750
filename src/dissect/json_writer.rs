//! Writes JSON piece by piece into a buffer, indented or on one line.

use std::io::Write as _;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// JSON under construction.
#[derive(Debug)]
pub(super) struct JsonWriter {
    buffer: Vec<u8>,
    indented: bool,
    depth: usize,
    /// True when the next thing is the first of its object or array.
    first: bool,
    /// True when a key was written and its value follows.
    keyed: bool,
}

impl JsonWriter {
    /// A writer that breaks lines, or one that does not.
    pub(super) fn new(indented: bool) -> Self {
        Self { buffer: Vec::new(), indented, depth: 0, first: true, keyed: true }
    }

    /// Begins another document at this depth.
    pub(super) fn clear(&mut self, depth: usize) {
        self.buffer.clear();
        (self.depth, self.first, self.keyed) = (depth, true, true);
    }

    /// What was written.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Ends the line.
    pub(super) fn line_end(&mut self) {
        self.buffer.push(b'\n');
    }

    fn line(&mut self) {
        if self.indented {
            self.buffer.push(b'\n');
            self.buffer.extend(std::iter::repeat_n(b' ', self.depth * 2));
        }
    }

    /// What stands before a key, or a value that has none.
    fn lead(&mut self) {
        if std::mem::take(&mut self.keyed) {
            return;
        }
        if !std::mem::take(&mut self.first) {
            self.buffer.push(b',');
        }
        self.line();
    }

    /// Begins an object or array.
    pub(super) fn begin(&mut self, bracket: char) {
        self.lead();
        self.buffer.push(bracket as u8);
        self.depth += 1;
        self.first = true;
    }

    /// Ends it.
    pub(super) fn end(&mut self, bracket: char) {
        self.depth = self.depth.saturating_sub(1);
        if !std::mem::take(&mut self.first) {
            self.line();
        }
        self.buffer.push(bracket as u8);
    }

    /// A key of two parts, neither with anything that must be escaped.
    pub(super) fn key(&mut self, name: &str, suffix: &str) {
        self.lead();
        self.buffer.push(b'"');
        self.buffer.extend_from_slice(name.as_bytes());
        self.buffer.extend_from_slice(suffix.as_bytes());
        self.buffer.extend_from_slice(if self.indented { b"\": " } else { b"\":" });
        self.keyed = true;
    }

    /// A string.
    pub(super) fn string(&mut self, text: &str) {
        self.lead();
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut self.buffer, text);
    }

    /// Bytes as a string of hexadecimal digits.
    pub(super) fn hexadecimal(&mut self, bytes: &[u8], separator: &str) {
        self.lead();
        self.buffer.push(b'"');
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 {
                self.buffer.extend_from_slice(separator.as_bytes());
            }
            for digit in [byte >> 4, byte & 0xf] {
                self.buffer.extend(DIGITS.get(usize::from(digit)));
            }
        }
        self.buffer.push(b'"');
    }

    /// A number.
    pub(super) fn number(&mut self, number: u64) {
        self.lead();
        let _ = write!(self.buffer, "{number}");
    }

    /// A word that stands for itself.
    pub(super) fn bare(&mut self, word: &str) {
        self.lead();
        self.buffer.extend_from_slice(word.as_bytes());
    }
}
