//! Credentials and verifiers: a flavor and up to 400 bytes (RFC 5531 §8.2).

use super::message::word;
use crate::{Illegal, Layer, Malformed, Writer};

/// The most bytes that a credential or verifier may have.
pub const MAX_AUTH_BODY: usize = 400;

/// A credential or verifier as it stands in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuthView<'a> {
    /// The flavor.
    pub flavor: u32,
    /// The body, without XDR's round-up bytes.
    pub body: &'a [u8],
    /// XDR's round-up bytes, up to three.
    pub padding: &'a [u8],
}

impl<'a> AuthView<'a> {
    pub(super) fn parse(input: &'a [u8]) -> Result<(Self, &'a [u8]), Malformed> {
        let (rest, flavor) = word("authentication flavor", input)?;
        let (rest, length) = word("authentication length", rest)?;
        let length = length as usize;
        let padded = length.checked_next_multiple_of(4).unwrap_or(usize::MAX);
        let Some((body, rest)) = rest.split_at_checked(padded) else {
            return Err(Malformed::short(Layer::Rpc, "authentication body", padded, rest.len()));
        };
        let (body, padding) = body.split_at(length);
        Ok((Self { flavor, body, padding }, rest))
    }

    /// Bytes that it takes in the header.
    pub fn length(&self) -> usize {
        8 + self.body.len() + self.padding.len()
    }
}

/// The name of an authentication flavor.
pub fn flavor_name(flavor: u32) -> Option<&'static str> {
    Some(match flavor {
        0 => "AUTH_NONE",
        1 => "AUTH_SYS",
        2 => "AUTH_SHORT",
        3 => "AUTH_DH",
        6 => "RPCSEC_GSS",
        7 => "AUTH_TLS",
        _ => return None,
    })
}

/// A legal credential or verifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Auth {
    /// The flavor.
    pub flavor: u32,
    body: Vec<u8>,
}

impl Auth {
    /// A credential or verifier with that body.
    ///
    /// # Errors
    /// [`Illegal`] when the body is over 400 bytes.
    pub fn new(flavor: u32, body: &[u8]) -> Result<Self, Illegal> {
        if body.len() > MAX_AUTH_BODY {
            return Err(Illegal {
                layer: Layer::Rpc,
                field: "authentication length",
                value: body.len() as u64,
                section: "RFC 5531 section 8.2",
            });
        }
        Ok(Self { flavor, body: body.to_vec() })
    }

    /// The body.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
        let padding = self.body.len().next_multiple_of(4) - self.body.len();
        writer.u32(self.flavor).u32(self.body.len() as u32).bytes(&self.body).zeros(padding);
    }
}

impl TryFrom<AuthView<'_>> for Auth {
    type Error = Illegal;

    /// Refuses round-up bytes that are not zero, and a body that is too long.
    fn try_from(view: AuthView<'_>) -> Result<Self, Illegal> {
        if view.padding.iter().any(|byte| *byte != 0) {
            return Err(Illegal {
                layer: Layer::Rpc,
                field: "authentication padding",
                value: view.padding.len() as u64,
                section: "RFC 4506 section 4.10",
            });
        }
        Self::new(view.flavor, view.body)
    }
}
