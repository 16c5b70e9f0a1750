//! Call or reply, as the second word of an RPC message tells (RFC 5531 §9).

use super::{CallView, ReplyView};
use crate::{Layer, Malformed, Problem};
use nom::number::complete::be_u32;

/// A call or a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcView<'a> {
    /// A call.
    Call(CallView<'a>),
    /// A reply.
    Reply(ReplyView<'a>),
}

impl<'a> RpcView<'a> {
    /// Reads the header of an RPC message; returns it and the procedure's arguments or results.
    ///
    /// # Errors
    /// [`Malformed`] when the header is not all there, or a discriminator has a value that no
    /// layout goes with.
    pub fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (rest, xid) = word("xid", input)?;
        let (rest, message_type) = word("message type", rest)?;
        match message_type {
            0 => CallView::parse(xid, rest).map(|(view, rest)| (Self::Call(view), rest)),
            1 => ReplyView::parse(xid, rest).map(|(view, rest)| (Self::Reply(view), rest)),
            other => Err(value("message type", other)),
        }
    }

    /// Transaction ID (XID).
    pub fn xid(&self) -> u32 {
        match self {
            Self::Call(view) => view.xid,
            Self::Reply(view) => view.xid,
        }
    }
}

/// A 32-bit word, named for the error.
pub(super) fn word<'a>(field: &'static str, input: &'a [u8]) -> Result<(&'a [u8], u32), Malformed> {
    be_u32::<_, nom::error::Error<&[u8]>>(input)
        .map_err(|_| Malformed::short(Layer::Rpc, field, 4, input.len()))
}

/// A discriminator whose value no layout goes with.
pub(super) fn value(field: &'static str, value: u32) -> Malformed {
    Malformed { layer: Layer::Rpc, field, problem: Problem::Value(value.into()) }
}
