//! Which RDMAP version a message has, and which bits of the control byte count.

use warpscope_wire::Illegal;
use warpscope_wire::rdmap::{Message, Profile, RdmapControl, RdmapControlView};

/// Version and opcode of four bits: RFC 5040 reserves the two between them.
const FOUR_BIT_OPCODES: u8 = 0xcf;
/// Version and opcode of five bits.
const FIVE_BIT_OPCODES: u8 = 0xdf;

/// The version that a message carries: 2 under ext-v2 (its section 4.1), but 1 in the messages of
/// rdma-commit, which demand it (its section 3.1).
pub(crate) fn expected_version(profile: Profile, message: Message) -> u8 {
    let commit = (Message::FlushRequest..=Message::AtomicWriteResponse).contains(&message);
    if profile.ext_v2 && !commit { 2 } else { 1 }
}

/// The control byte to send.
///
/// # Errors
/// [`Illegal`] when the version has no such message, which no caller asks for.
pub(crate) fn control(profile: Profile, message: Message) -> Result<RdmapControl, Illegal> {
    RdmapControl::new(expected_version(profile, message), message)
}

/// A received control byte without the bits that its document reserves and a receiver ignores
/// (RFC 5040 section 4.1).
pub(crate) fn visible_control(profile: Profile, byte: u8) -> RdmapControlView {
    let mask = if profile.ext_v2 || profile.commit { FIVE_BIT_OPCODES } else { FOUR_BIT_OPCODES };
    RdmapControlView(byte & mask)
}
