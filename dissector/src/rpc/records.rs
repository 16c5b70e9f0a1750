//! RPC messages in a plain TCP stream, by their record marks (RFC 5531 §11).

use crate::stream::{Chunk, FrameSpan};

/// The most bytes of a message that are put together.
const LIMIT: usize = 1 << 20;
/// Bytes of a record mark.
const MARK: usize = 4;
/// The bit of a record mark that says that the fragment is the message's last.
const LAST: u32 = 0x8000_0000;

/// One direction of a connection that may carry RPC.
#[derive(Debug, Clone)]
pub struct Records {
    /// False once the stream proved to be no RPC, or bytes of it are missing.
    on: bool,
    /// Bytes that no fragment was made of yet.
    waiting: Vec<u8>,
    /// Fragments of the message under way.
    message: Vec<u8>,
}

impl Default for Records {
    fn default() -> Self {
        Self { on: true, waiting: Vec::new(), message: Vec::new() }
    }
}

impl Records {
    /// Bytes kept.
    pub fn buffered(&self) -> usize {
        self.waiting.capacity() + self.message.capacity()
    }

    /// Takes the next part of the stream; hands up each message that it completes, and where the
    /// message stands when one frame has all of it.
    pub fn chunk(&mut self, chunk: &Chunk<'_>, emit: &mut dyn FnMut(&[u8], Option<FrameSpan>)) {
        if !self.on {
            return;
        }
        let Chunk::Data { span, bytes, .. } = chunk else {
            self.stop();
            return;
        };
        if !self.waiting.is_empty() {
            let mut all = std::mem::take(&mut self.waiting);
            all.extend_from_slice(bytes);
            let used = self.fragments(&all, None, emit);
            all.drain(..used);
            self.waiting = all;
        } else {
            let used = self.fragments(bytes, Some(*span), emit);
            self.waiting.extend_from_slice(bytes.get(used..).unwrap_or(&[]));
        }
        if !self.on || self.waiting.len() + self.message.len() > LIMIT {
            self.stop();
        }
    }

    /// The stream is not followed any further.
    pub fn stop(&mut self) {
        *self = Self { on: false, ..Self::default() };
    }

    /// Takes whole fragments off the front; returns how many bytes they are.
    fn fragments(
        &mut self,
        bytes: &[u8],
        span: Option<FrameSpan>,
        emit: &mut dyn FnMut(&[u8], Option<FrameSpan>),
    ) -> usize {
        let mut at = 0;
        while let Some(mark) = word(bytes, at) {
            let length = (mark & !LAST) as usize;
            let start = at + MARK;
            if self.message.is_empty() && !plausible(bytes.get(start..).unwrap_or(&[]), length) {
                self.on = false;
                break;
            }
            let Some(fragment) = bytes.get(start..start + length) else { break };
            at = start + length;
            if mark & LAST == 0 {
                self.message.extend_from_slice(fragment);
            } else if self.message.is_empty() {
                let place = span.map(|span| FrameSpan {
                    payload_offset: span.payload_offset + start as u32,
                    length: length as u32,
                    ..span
                });
                emit(fragment, place);
            } else {
                self.message.extend_from_slice(fragment);
                emit(&self.message, None);
                self.message.clear();
            }
        }
        at
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

/// Whether a first fragment may begin a call or a reply, as far as its bytes are there.
fn plausible(bytes: &[u8], length: usize) -> bool {
    let version = word(bytes, 8);
    length <= LIMIT
        && match word(bytes, 4) {
            None => length >= 12,
            // A call has RPC version 2, and at least two authentication fields (RFC 5531 §9).
            Some(0) => length >= 40 && version.is_none_or(|version| version == 2),
            // A reply is accepted or denied.
            Some(1) => length >= 12 && version.is_none_or(|state| state <= 1),
            Some(_) => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(length: u8) -> Vec<u8> {
        let mut message = vec![0; usize::from(length)];
        message[11] = 2;
        message
    }

    fn messages(parts: &[&[u8]]) -> Vec<(usize, Option<u32>)> {
        let mut records = Records::default();
        let mut found = Vec::new();
        for bytes in parts {
            let span = FrameSpan { frame: 1, payload_offset: 0, length: bytes.len() as u32 };
            records.chunk(&Chunk::Data { offset: 0, span, bytes }, &mut |message, place| {
                found.push((message.len(), place.map(|place| place.payload_offset)));
            });
        }
        found
    }

    #[test]
    fn a_message_in_one_fragment_stands_behind_its_mark() {
        let bytes = [&[0x80, 0, 0, 48][..], &call(48)].concat();
        assert_eq!(messages(&[&bytes]), [(48, Some(4))]);
        assert_eq!(messages(&[&bytes[..3], &bytes[3..20], &bytes[20..]]), [(48, None)]);
        assert_eq!(messages(&[&bytes.repeat(2)]), [(48, Some(4)), (48, Some(56))]);
    }

    #[test]
    fn fragments_are_joined() {
        let bytes = [&[0, 0, 0, 44][..], &call(44), &[0x80, 0, 0, 4], &[0; 4]].concat();
        assert_eq!(messages(&[&bytes]), [(48, None)]);
    }

    #[test]
    fn other_streams_are_left_alone() {
        let bytes = [&[0x80, 0, 0, 48][..], &call(48)].concat();
        assert_eq!(messages(&[b"MPA ID Req Frame....", &bytes]), []);
        assert_eq!(messages(&[b"GET / HTTP/1.1\r\n\r\n"]), []);
    }
}
