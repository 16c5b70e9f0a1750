//! Reading the body of a message from the front, with the place kept.

use super::fault::Fault;
use crate::figure::fixed;
use crate::{Layer, Malformed};

/// What is left of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) rest: &'a [u8],
    /// Bytes of the message before `rest`.
    pub(super) offset: usize,
}

impl<'a> Cursor<'a> {
    fn cut(&self, malformed: Malformed) -> Fault {
        Fault::cut(self.offset + self.rest.len(), malformed)
    }

    /// Takes so many bytes.
    pub(super) fn take(&mut self, title: &'static str, length: usize) -> Result<&'a [u8], Fault> {
        let Some((taken, rest)) = self.rest.split_at_checked(length) else {
            let available = self.rest.len();
            return Err(self.cut(Malformed::short(Layer::TestUlp, title, length, available)));
        };
        *self = Self { rest, offset: self.offset + length };
        Ok(taken)
    }

    /// Takes a 32-bit word.
    pub(super) fn word(&mut self, title: &'static str) -> Result<u32, Fault> {
        let word = fixed::<4>(Layer::TestUlp, title, self.rest);
        let (rest, bytes) = word.map_err(|malformed| self.cut(malformed))?;
        *self = Self { rest, offset: self.offset + 4 };
        Ok(u32::from_be_bytes(*bytes))
    }

    /// Takes a figure.
    pub(super) fn figure<T: Figure>(&mut self) -> Result<T, Fault> {
        let (figure, rest) = T::read(self.rest, self.offset)?;
        *self = Self { rest, offset: self.offset + self.rest.len() - rest.len() };
        Ok(figure)
    }

    /// Takes all that is left.
    pub(super) fn bytes(&mut self) -> &'a [u8] {
        let bytes = self.rest;
        *self = Self { rest: &[], offset: self.offset + bytes.len() };
        bytes
    }

    /// Takes all that is left, a text.
    pub(super) fn text(&mut self) -> Result<String, Fault> {
        let length = self.rest.len();
        self.text_of(length)
    }

    /// Takes a text of so many bytes.
    pub(super) fn text_of(&mut self, length: usize) -> Result<String, Fault> {
        let start = self.offset;
        let bytes = self.take("text", length)?;
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            let byte = bytes.get(at).copied().unwrap_or_default();
            Fault::value(start + at, "text", byte.into(), "test ULP section 2")
        })?;
        Ok(text.to_owned())
    }

    /// The end of the message, or what is too much.
    pub(super) fn end(&self) -> Result<(), Fault> {
        match self.rest {
            [] => Ok(()),
            rest => {
                let (length, section) = (rest.len() as u64, "test ULP section 2.3");
                Err(Fault::value(self.offset, "bytes behind the order", length, section))
            }
        }
    }
}

/// A figure that can be read at a place in a message.
pub(super) trait Figure: Sized {
    /// Reads it from the front of `bytes`, which stand `offset` bytes behind the message's first.
    fn read(bytes: &[u8], offset: usize) -> Result<(Self, &[u8]), Fault>;
}
