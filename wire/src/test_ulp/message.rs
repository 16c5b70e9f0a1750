//! A whole message (section 2).

use super::cursor::Cursor;
use super::fault::Fault;
use super::header::Header;
use super::magic::{MAGIC, Magic, Version};
use super::{HeaderView, Status};
use crate::Writer;

/// What a kind has when it is an answer's.
pub const ANSWER: u8 = 0x80;

/// A message: one Send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    /// An order's kind, or that with [`ANSWER`].
    pub kind: u8,
    /// What became of the order; [`Status::Done`] in an order.
    pub status: Status,
    /// The asker's number.
    pub sequence: u32,
    /// What follows the header.
    pub body: &'a [u8],
}

impl<'a> Message<'a> {
    /// Whether bytes claim to be a message of the test ULP, on a shared stream (section 1).
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC.to_be_bytes())
    }

    /// Reads a message of either kind.
    ///
    /// # Errors
    /// [`Fault`] with the byte that is to blame.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Fault> {
        let mut cursor = Cursor { rest: bytes, offset: 0 };
        let Header { kind, status, sequence, length, .. } = cursor.figure()?;
        let body = cursor.bytes();
        if length as usize != body.len() {
            return Err(Fault::value(12, "length", length.into(), "test ULP section 2.1"));
        }
        Ok(Self { kind, status, sequence, body })
    }

    /// Reads an order's frame: an answer is not one.
    ///
    /// # Errors
    /// [`Fault`] with the byte that is to blame.
    pub fn parse_order(bytes: &'a [u8]) -> Result<Self, Fault> {
        let message = Self::parse(bytes)?;
        let section = "test ULP section 2.3";
        if message.kind >= ANSWER {
            return Err(Fault::value(5, "kind", message.kind.into(), section));
        }
        if message.status != Status::Done {
            return Err(Fault::value(6, "status", message.status.code().into(), section));
        }
        Ok(message)
    }

    /// Kind and sequence of what could not be read, for the answer: 0 where they are not there, or
    /// the bytes are none of the test ULP's (section 2.3).
    pub fn blamed(bytes: &[u8]) -> (u8, u32) {
        match HeaderView::parse(bytes) {
            Ok((view, _)) if view.magic() == MAGIC && view.kind() < ANSWER => {
                (view.kind(), view.sequence())
            }
            _ => (0, 0),
        }
    }

    /// Writes the message.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let Self { kind, status, sequence, body } = *self;
        let length = body.len() as u32;
        let header = Header { magic: Magic, version: Version, kind, status, sequence, length };
        header.emit(writer);
        writer.bytes(body);
    }

    /// The bytes of the message.
    pub fn bytes(&self) -> Vec<u8> {
        written(|writer| self.emit(writer))
    }
}

/// What `emit` writes.
pub(super) fn written(emit: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
    let mut counter = Writer::new(&mut []);
    emit(&mut counter);
    let mut bytes = vec![0; counter.written()];
    emit(&mut Writer::new(&mut bytes));
    bytes
}
