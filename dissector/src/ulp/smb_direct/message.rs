//! A message of SMB Direct: a message of the transport, or an SMB2 message that it carried.

use super::words;
use crate::ulp::{Mark, UlpItem};
use warpscope_wire::Malformed;
use warpscope_wire::smb_direct::{DataMessageView, NegotiateRequestView, NegotiateResponseView};
use warpscope_wire::smb2::{CompressionView, MessageView, TransformView};

/// A message of SMB Direct.
#[derive(Debug, Clone, Copy)]
pub enum Message<'a> {
    /// The client's first Send.
    NegotiateRequest(NegotiateRequestView<'a>),
    /// The server's first Send.
    NegotiateResponse(NegotiateResponseView<'a>),
    /// Any other Send.
    Data {
        /// The header, and the data in the Send.
        view: DataMessageView<'a>,
        /// The sender's remaining Send Credits, if known.
        credits: Option<i64>,
        /// The frames of the fragments that it completes, and their total length in bytes.
        joined: Option<(&'a [u64], usize)>,
    },
    /// A Send that could not be parsed.
    Malformed(Malformed),
    /// An SMB2 message.
    Upper {
        /// The SMB2 message.
        upper: Upper<'a>,
        /// What is known of it from other messages.
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
    /// A message that could not be parsed.
    Malformed(Malformed),
}

/// What other messages say about an SMB2 message.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exchange<'a> {
    /// The request, if this is its response.
    pub request: Option<Mark>,
    /// The path and the type of the share, and the frame that connected it.
    pub share: Option<(&'a str, u8, u64)>,
    /// The path of the file within its share.
    pub file: Option<&'a str>,
    /// InfoType and FileInfoClass of a QUERY_INFO or SET_INFO; `DIRECTORY` and the class for a
    /// QUERY_DIRECTORY.
    pub info: Option<(u8, u8)>,
}

/// Used as the InfoType of a QUERY_DIRECTORY, which has none.
pub(crate) const DIRECTORY: u8 = 0xff;

impl Message<'_> {
    /// Returns the protocols in it, by Wireshark's names.
    pub(crate) fn protocols(&self) -> &'static [&'static str] {
        match self {
            Self::Upper { .. } => &["smb2"],
            _ => &["smb_direct"],
        }
    }

    /// Returns its protocol in the list of frames.
    pub(crate) fn protocol(&self) -> &'static str {
        match self {
            Self::Upper { .. } => "SMB2",
            _ => "SMB Direct",
        }
    }

    /// Writes its line; returns true for an alarm. A Send with complete messages has no line of its own.
    pub(crate) fn write_line(&self, item: &UlpItem<'_>, out: &mut String) -> bool {
        words::write(self, item.whole, out)
    }
}
