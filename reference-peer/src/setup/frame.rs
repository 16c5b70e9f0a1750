//! Gathers a setup frame from bytes that come in any pieces.

use super::SetupConfig;
use crate::bug::{Bug, Bugs};
use crate::violation::Violation;
use warpscope_wire::mpa::{
    ENHANCED_LENGTH, KEY_LENGTH, MAX_PRIVATE_DATA, REPLY_KEY, REQUEST_KEY, Role,
    SETUP_HEADER_LENGTH, SetupHeaderView, SetupView,
};

/// A whole setup frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedSetup {
    bytes: Vec<u8>,
}

impl OwnedSetup {
    /// The frame.
    ///
    /// # Errors
    /// [`Violation::SetupFrame`] when it is cut; a [`FrameReader`] makes none that is.
    pub fn view(&self) -> Result<SetupView<'_>, Violation> {
        SetupView::parse(&self.bytes).map(|(view, _)| view).map_err(|_| Violation::SetupFrame)
    }
}

/// Gathers one setup frame. It keeps no more bytes than the longest frame has.
#[derive(Debug, Clone)]
pub struct FrameReader {
    role: Role,
    waiting: Vec<u8>,
    bugs: Bugs,
}

impl FrameReader {
    /// A reader of the frame of this role.
    pub fn new(role: Role) -> Self {
        Self { role, waiting: Vec::new(), bugs: Bugs::NONE }
    }

    /// The same with these bugs.
    #[must_use]
    pub fn with_bugs(self, bugs: Bugs) -> Self {
        Self { bugs, ..self }
    }

    /// The most bytes of private data that are taken.
    fn most(&self) -> usize {
        if self.bugs.has(Bug::PrivateDataLimit) {
            return 255;
        }
        if self.bugs.has(Bug::PrivateDataOverlong) { u16::MAX.into() } else { MAX_PRIVATE_DATA }
    }

    /// Takes bytes; returns the frame once it is whole.
    ///
    /// The frame must end with the bytes at hand: neither side sends more before the frame has
    /// been answered (RFC 5044 section 7.1.2 rules 3 and 4).
    ///
    /// # Errors
    /// [`Violation::SetupFrame`] as soon as the bytes cannot become the frame: another key, over
    /// 512 bytes of private data, or bytes behind it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<OwnedSetup>, Violation> {
        let behind = self.bugs.has(Bug::BytesAfterSetupTaken);
        let room = (SETUP_HEADER_LENGTH + self.most()).saturating_sub(self.waiting.len());
        if bytes.len() > room && !behind {
            return Err(Violation::SetupFrame);
        }
        let split = !self.waiting.is_empty() && self.bugs.has(Bug::SetupFrameSplitRefused);
        if split {
            return Err(Violation::SetupFrame);
        }
        self.waiting.extend_from_slice(bytes);
        let key = match self.role {
            Role::Request => REQUEST_KEY,
            Role::Reply => REPLY_KEY,
        };
        let right = self.waiting.iter().zip(key).all(|(byte, due)| byte == due);
        if !right && !self.bugs.has(Bug::SetupKeyUnchecked) {
            return Err(Violation::SetupFrame);
        }
        let Ok((header, rest)) = SetupHeaderView::parse(&self.waiting) else { return Ok(None) };
        let length = usize::from(header.private_data_length());
        if length > self.most() || (rest.len() > length && !behind) {
            return Err(Violation::SetupFrame);
        }
        if header.reserved() != 0 && self.bugs.has(Bug::SetupReservedChecked) {
            return Err(Violation::SetupFrame);
        }
        if rest.len() < length {
            return Ok(None);
        }
        Ok(Some(OwnedSetup { bytes: std::mem::take(&mut self.waiting) }))
    }

    /// The peer closes its direction before the frame is whole: that is the end of it.
    pub(crate) fn end(&mut self) -> Option<OwnedSetup> {
        let missing = SetupHeaderView::parse(&self.waiting).map_or(0, |(header, rest)| {
            usize::from(header.private_data_length()).saturating_sub(rest.len())
        });
        if missing == 0 || !self.bugs.has(Bug::SetupFrameCutTaken) {
            return None;
        }
        self.push(&vec![0; missing]).ok().flatten()
    }
}

/// What bugs make of a setup frame that goes out.
pub(crate) fn spoil_frame(config: &SetupConfig, frame: &mut Vec<u8>) {
    let bugs = config.bugs;
    if bugs.is_empty() {
        return;
    }
    if frame.starts_with(REPLY_KEY) {
        spoil_reply(config, frame);
    }
    let Some((header, private_data)) = frame.split_first_chunk_mut::<SETUP_HEADER_LENGTH>() else {
        return;
    };
    let request = header.starts_with(REQUEST_KEY);
    let [key @ .., flags, revision, high, low] = header;
    if bugs.has(Bug::SetupKeyOfTheOther) && key.len() == KEY_LENGTH {
        key.copy_from_slice(if request { REPLY_KEY } else { REQUEST_KEY });
    }
    if bugs.has(Bug::SetupReservedBits) {
        *flags |= 0x01;
    }
    if bugs.has(Bug::SetupRevision129) {
        *revision = 129;
    }
    if bugs.has(Bug::RequestWithReject) && request {
        *flags |= 0x20;
    }
    if bugs.has(Bug::CrcFlagMissing) {
        *flags &= !0x40;
    }
    if let Some((enhanced, _)) = private_data.split_first_chunk_mut::<ENHANCED_LENGTH>()
        && *flags & 0x10 != 0
    {
        if bugs.has(Bug::IndicationsWithoutControlA) && enhanced[0] & 0x80 == 0 {
            enhanced[0] |= 0x40;
        }
        if bugs.has(Bug::EnhancedLittleEndian) {
            enhanced.swap(0, 1);
            enhanced.swap(2, 3);
        }
        if bugs.has(Bug::EnhancedFlagMissing) {
            *flags &= !0x10;
        }
        if bugs.has(Bug::EnhancedBehindPrivateData) {
            private_data.rotate_left(ENHANCED_LENGTH);
        }
    }
    if bugs.has(Bug::PrivateDataLengthShort) {
        *low = low.saturating_sub(1);
    }
    if bugs.has(Bug::PrivateDataLengthLittleEndian) {
        std::mem::swap(high, low);
    }
}

/// What bugs make of a reply.
fn spoil_reply(config: &SetupConfig, frame: &mut Vec<u8>) {
    let bugs = config.bugs;
    if frame.len() < SETUP_HEADER_LENGTH {
        return;
    }
    if bugs.has(Bug::ReplyEnhancedUnasked) && frame[16] & 0x10 == 0 {
        frame[16] |= 0x10;
        frame[17] = 2;
        frame[19] = frame[19].wrapping_add(ENHANCED_LENGTH as u8);
        frame.splice(SETUP_HEADER_LENGTH..SETUP_HEADER_LENGTH, [0, 16, 0, 16]);
    }
    if bugs.has(Bug::ReplyRevisionOwn) {
        frame[17] = config.revision as u8;
    }
    if bugs.has(Bug::ReplyRevisionOne) {
        frame[17] = 1;
    }
    let asked = frame[16] & 0x10 != 0;
    let Some(enhanced) = frame.get_mut(SETUP_HEADER_LENGTH..).and_then(<[u8]>::first_chunk_mut)
    else {
        return;
    };
    if asked {
        spoil_enhanced(bugs, enhanced);
    }
}

/// What bugs make of a reply's enhanced data.
fn spoil_enhanced(bugs: Bugs, enhanced: &mut [u8; ENHANCED_LENGTH]) {
    if bugs.has(Bug::ReplyDepthsSwapped) {
        let flags = enhanced.map(|byte| byte & 0xc0);
        enhanced.rotate_left(2);
        enhanced[0] = enhanced[0] & 0x3f | flags[0];
        enhanced[2] = enhanced[2] & 0x3f | flags[2];
    }
    if bugs.has(Bug::ReplyNamesNoIndication) {
        enhanced[0] &= !0x40;
        enhanced[2] &= !0xc0;
    }
    if bugs.has(Bug::ReplyOmitsRead) {
        enhanced[2] &= !0x40;
    }
    if bugs.has(Bug::ReplyDropsControlA) {
        enhanced[0] &= !0x80;
    } else if bugs.has(Bug::ReplySetsControlA) {
        enhanced[0] |= 0x80;
    }
}
