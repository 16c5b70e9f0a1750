//! A COMPOUND as it is asked, and its results (RFC 8881 section 16.2).

use crate::client::calls::{Client, ResultError};
use crate::rpc::{Builder, OutgoingCall, REPLY_HEADER, Reader, results_of, value};
use crate::v4::numbers::COMPOUND;
use crate::v4::operation;
use crate::v4::types::Sequence;
use crate::xdr::Xdr;
use crate::{NFS, Status, VERSION_4};

/// Bytes of a result's number and status, and of the results' status, empty tag and number.
const RESULT: usize = 8;
const RESULTS: usize = 12;
/// Bytes of the result of SEQUENCE.
const SEQUENCE: usize = RESULT + 36;

/// Operations that are asked for at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    operations: Builder,
    count: u32,
    /// The most bytes of their results.
    longest: usize,
    /// The most bytes of the one eligible result.
    room: Option<u32>,
    /// Whether it cannot be carried out twice, so that the server is to keep the reply.
    pub(super) once: bool,
}

impl Request {
    /// Adds an operation; `longest` are the bytes that its result has at most, beside number and status.
    pub(super) fn with(self, number: u32, arguments: &impl Xdr, longest: usize) -> Self {
        self.with_arguments(number, longest, |builder| _ = builder.value(arguments))
    }

    /// Adds an operation whose arguments are written by hand.
    pub(super) fn with_arguments(
        mut self,
        number: u32,
        longest: usize,
        arguments: impl FnOnce(&mut Builder),
    ) -> Self {
        self.operations.word(number);
        arguments(&mut self.operations);
        self.count += 1;
        self.longest += RESULT + longest;
        self
    }

    /// Says that the result of the last operation has an eligible item of up to so many bytes. Only one may, and it is
    /// the last of the reply: there the transport puts it back.
    pub(super) fn with_room(mut self, room: u32) -> Self {
        self.room = Some(room);
        self
    }

    /// Says that it cannot be carried out twice.
    pub(super) fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// The call, of a session's request or of none, and its XID.
    pub(super) fn call(
        &self,
        client: &mut Client,
        minor: u32,
        sequence: Option<&Sequence>,
    ) -> (u32, OutgoingCall) {
        let (xid, mut builder) = client.begin((NFS, VERSION_4, COMPOUND));
        builder.opaque(b"").word(minor).word(self.count + u32::from(sequence.is_some()));
        let mut longest = REPLY_HEADER + RESULTS + self.longest;
        if let Some(sequence) = sequence {
            builder.word(operation::SEQUENCE).value(sequence);
            longest += SEQUENCE;
        }
        builder.append(&self.operations);
        longest += self.room.map_or(0, |room| 4 + (room as usize).next_multiple_of(4));
        let result_room = self.room.into_iter().collect();
        (xid, OutgoingCall { message: builder.finish(), result_room, longest_reply: longest })
    }
}

/// The results of a COMPOUND, one after the other.
#[derive(Debug)]
pub(super) struct Results {
    bytes: Vec<u8>,
    at: usize,
}

impl Results {
    /// The results in a reply, and the status of the whole.
    ///
    /// # Errors
    /// [`ResultError`] when there are none.
    pub(super) fn of(reply: &[u8], xid: u32) -> Result<(Self, Status), ResultError> {
        let mut results = results_of(reply, xid)?;
        let status = Status(results.word("status")?);
        results.opaque("tag", u32::MAX)?;
        // As many as there are: each says itself what it is.
        if results.word("number of results")? == 0 && status != Status::OK {
            return Err(ResultError::Operation(status));
        }
        Ok((Self { bytes: results.rest().to_vec(), at: 0 }, status))
    }

    /// The result of the next operation, which must be that one.
    ///
    /// # Errors
    /// [`ResultError::Operation`] when it failed, [`ResultError::Call`] when it cannot be read.
    pub(super) fn next<R: Xdr>(&mut self, number: u32) -> Result<R, ResultError> {
        self.next_with(number, |reader| reader.value("result"))
    }

    /// The same, read by hand.
    pub(super) fn next_with<R>(
        &mut self,
        number: u32,
        read: impl FnOnce(&mut Reader<'_>) -> Result<R, warpscope_wire::Malformed>,
    ) -> Result<R, ResultError> {
        let mut reader = Reader::new(self.bytes.get(self.at..).unwrap_or_default());
        let found = reader.word("operation")?;
        if found != number {
            return Err(value("operation", found).into());
        }
        let status = Status(reader.word("status")?);
        if status != Status::OK {
            return Err(ResultError::Operation(status));
        }
        let result = read(&mut reader)?;
        self.at = self.bytes.len() - reader.rest().len();
        Ok(result)
    }
}
