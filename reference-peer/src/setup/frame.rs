//! Gathers a setup frame from octets that come in any pieces.

use crate::violation::Violation;
use warpscope_wire::mpa::{
    MAX_PRIVATE_DATA, REPLY_KEY, REQUEST_KEY, Role, SETUP_HEADER_LENGTH, SetupHeaderView, SetupView,
};

/// A whole setup frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedSetup {
    octets: Vec<u8>,
}

impl OwnedSetup {
    /// The frame.
    ///
    /// # Errors
    /// [`Violation::SetupFrame`] when it is cut; a [`FrameReader`] makes none that is.
    pub fn view(&self) -> Result<SetupView<'_>, Violation> {
        SetupView::parse(&self.octets).map(|(view, _)| view).map_err(|_| Violation::SetupFrame)
    }
}

/// Gathers one setup frame. It keeps no more octets than the longest frame has.
#[derive(Debug, Clone)]
pub struct FrameReader {
    role: Role,
    waiting: Vec<u8>,
}

impl FrameReader {
    /// A reader of the frame of this role.
    pub fn new(role: Role) -> Self {
        Self { role, waiting: Vec::new() }
    }

    /// Takes octets; returns the frame once it is whole.
    ///
    /// The frame must end with the octets at hand: neither side sends more before the frame has
    /// been answered (RFC 5044 section 7.1.2 rules 3 and 4).
    ///
    /// # Errors
    /// [`Violation::SetupFrame`] as soon as the octets cannot become the frame: another key, over
    /// 512 octets of private data, or octets behind it.
    pub fn push(&mut self, octets: &[u8]) -> Result<Option<OwnedSetup>, Violation> {
        let room = SETUP_HEADER_LENGTH + MAX_PRIVATE_DATA - self.waiting.len();
        if octets.len() > room {
            return Err(Violation::SetupFrame);
        }
        self.waiting.extend_from_slice(octets);
        let key = match self.role {
            Role::Request => REQUEST_KEY,
            Role::Reply => REPLY_KEY,
        };
        if self.waiting.iter().zip(key).any(|(octet, due)| octet != due) {
            return Err(Violation::SetupFrame);
        }
        let Ok((header, rest)) = SetupHeaderView::parse(&self.waiting) else { return Ok(None) };
        let length = usize::from(header.private_data_length());
        if length > MAX_PRIVATE_DATA || rest.len() > length {
            return Err(Violation::SetupFrame);
        }
        if rest.len() < length {
            return Ok(None);
        }
        Ok(Some(OwnedSetup { octets: std::mem::take(&mut self.waiting) }))
    }
}
