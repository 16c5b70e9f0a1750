//! What a message of SMB Direct is: a message of the transport, or one of SMB2 that it carried.

use super::words;
use crate::ulp::{Mark, UlpItem};
use warpscope_wire::Malformed;
use warpscope_wire::smb_direct::{DataMessageView, NegotiateRequestView, NegotiateResponseView};
use warpscope_wire::smb2::{CompressionView, MessageView, TransformView};

/// What a message is.
#[derive(Debug, Clone, Copy)]
pub enum Message<'a> {
    /// The client's first Send.
    NegotiateRequest(NegotiateRequestView<'a>),
    /// The server's first Send.
    NegotiateResponse(NegotiateResponseView<'a>),
    /// Any other Send.
    Data {
        /// The header, and the data as it is in the Send.
        view: DataMessageView<'a>,
        /// Send Credits that the sender has left, where that is known.
        credits: Option<i64>,
        /// The frames of the fragments that it completes, and how many bytes they are together.
        joined: Option<(&'a [u64], usize)>,
    },
    /// A Send that cannot be read.
    Malformed(Malformed),
    /// An SMB2 message.
    Upper {
        /// What it is.
        upper: Upper<'a>,
        /// What is known of it from others.
        exchange: Exchange<'a>,
    },
}

/// An SMB2 message.
#[derive(Debug, Clone, Copy)]
pub enum Upper<'a> {
    /// In the clear.
    Plain(MessageView<'a>),
    /// Encrypted.
    Encrypted(TransformView<'a>, &'a [u8]),
    /// Compressed.
    Compressed(CompressionView<'a>, &'a [u8]),
    /// One that cannot be read.
    Malformed(Malformed),
}

/// What other messages say of an SMB2 message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exchange<'a> {
    /// The request, where this is its response.
    pub request: Option<Mark>,
    /// The path and the type of the share, and the frame that it was in.
    pub share: Option<(&'a str, u8, u64)>,
    /// The path of the file in its share.
    pub file: Option<&'a str>,
    /// InfoType and FileInfoClass of a QUERY_INFO or SET_INFO; `DIRECTORY` and the class of a
    /// QUERY_DIRECTORY.
    pub info: Option<(u8, u8)>,
}

/// What stands for the InfoType of a QUERY_DIRECTORY, which has none.
pub(crate) const DIRECTORY: u8 = 0xff;

impl Message<'_> {
    /// The protocols that are in it, by Wireshark's names.
    pub(crate) fn protocols(&self) -> &'static [&'static str] {
        match self {
            Self::Upper { .. } => &["smb2"],
            _ => &["smb_direct"],
        }
    }

    /// Its protocol in the list of frames.
    pub(crate) fn protocol(&self) -> &'static str {
        match self {
            Self::Upper { .. } => "SMB2",
            _ => "SMB Direct",
        }
    }

    /// Puts it into words; true for an alarm. A Send that carries whole messages has none of its own.
    pub(crate) fn write_line(&self, item: &UlpItem<'_>, out: &mut String) -> bool {
        words::write(self, item.whole, out)
    }
}
