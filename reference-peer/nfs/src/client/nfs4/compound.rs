//! Building a COMPOUND, and parsing its results (RFC 8881 section 16.2).

use crate::client::calls::{Client, ResultError};
use crate::rpc::{Builder, OutgoingCall, REPLY_HEADER, Reader, results_of, value};
use crate::v4::numbers::COMPOUND;
use crate::v4::operation;
use crate::v4::types::Sequence;
use crate::xdr::Xdr;
use crate::{NFS, Status, VERSION_4};

/// Bytes of a result's number and status, and of the COMPOUND's status, empty tag and result count.
const RESULT: usize = 8;
const RESULTS: usize = 12;
/// Length in bytes of the result of SEQUENCE.
const SEQUENCE: usize = RESULT + 36;

/// A sequence of operations in one request.
#[derive(Debug, Clone, Default)]
pub(super) struct Request {
    operations: Builder,
    /// Their numbers.
    pub(super) numbers: Vec<u32>,
    /// The most bytes of their results.
    longest: usize,
    /// The most bytes of the only eligible result.
    room: Option<u32>,
    /// Whether it must not be carried out twice, so that the server should keep the reply.
    pub(super) once: bool,
}

impl Request {
    /// Adds an operation; its result has at most `longest` bytes in addition to number and status.
    pub(super) fn with(self, number: u32, arguments: &impl Xdr, longest: usize) -> Self {
        self.with_arguments(number, longest, |builder| _ = builder.value(arguments))
    }

    /// Adds an operation with a function that writes its arguments.
    pub(super) fn with_arguments(
        mut self,
        number: u32,
        longest: usize,
        arguments: impl FnOnce(&mut Builder),
    ) -> Self {
        self.operations.word(number);
        arguments(&mut self.operations);
        self.numbers.push(number);
        self.longest += RESULT + longest;
        self
    }

    /// Declares that the result of the last operation has an eligible item of up to `room` bytes. There may
    /// be only one, at the end of the reply: the transport puts it back there.
    pub(super) fn with_room(mut self, room: u32) -> Self {
        self.room = Some(room);
        self
    }

    /// Declares that the request must not be carried out twice.
    pub(super) fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Returns the call, inside a session or outside, and its XID.
    pub(super) fn call(
        &self,
        client: &mut Client,
        minor: u32,
        sequence: Option<&Sequence>,
    ) -> (u32, OutgoingCall) {
        let (xid, mut builder) = client.begin((NFS, VERSION_4, COMPOUND));
        let count = self.numbers.len() as u32 + u32::from(sequence.is_some());
        builder.opaque(b"").word(minor).word(count);
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

/// The results of a COMPOUND, read one after the other.
#[derive(Debug)]
pub(super) struct Results {
    bytes: Vec<u8>,
    at: usize,
}

impl Results {
    /// Reads the results in a reply, and the status of the COMPOUND.
    ///
    /// # Errors
    /// [`ResultError`] if there are none.
    pub(super) fn of(reply: &[u8], xid: u32) -> Result<(Self, Status), ResultError> {
        let mut results = results_of(reply, xid)?;
        let status = Status(results.word("status")?);
        results.opaque("tag", u32::MAX)?;
        // Apart from this, the count is not needed: each result has its operation number.
        if results.word("number of results")? == 0 && status != Status::OK {
            return Err(ResultError::Operation(status));
        }
        Ok((Self { bytes: results.rest().to_vec(), at: 0 }, status))
    }

    /// Skips the results of a request's operations before `number`: they have only a status.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub(super) fn skip_to(&mut self, number: u32, request: &Request) -> Result<(), ResultError> {
        let mut before = request.numbers.iter().take_while(|before| **before != number);
        before.try_for_each(|before| self.next::<()>(*before))
    }

    /// Returns the result of the next operation, which must be `number`.
    ///
    /// # Errors
    /// [`ResultError::Operation`] if it failed, [`ResultError::Call`] if it cannot be parsed.
    pub(super) fn next<R: Xdr>(&mut self, number: u32) -> Result<R, ResultError> {
        self.next_with(number, |reader| reader.value("result"))
    }

    /// The same, with a function that reads the result.
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
