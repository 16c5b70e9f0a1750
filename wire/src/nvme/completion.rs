//! The completion queue entry, which is a complete response capsule (NVMe Base 2.0, completion queue entry).

use super::names::status_name;
use crate::figure::figure;

figure! {
    /// A completion queue entry (CQE).
    ///
    /// Over a fabric, the two bytes after the SQ head and the phase tag are not used.
    CompletionView and Completion: 16 bytes little endian, Nvme "completion queue entry" {
        /// Dword 0: the command's result.
        0 dword0 u32;
        /// Dword 1: the upper half of the result, if the command returns 8 bytes.
        4 dword1 u32;
        /// SQ Head Pointer (SQHD): how far the controller has consumed the submission queue.
        8 sq_head u16;
        /// SQ Identifier, reserved over a fabric.
        10 sq_id u16;
        /// Command Identifier (CID) of the command.
        12 command_id u16;
        /// The phase tag in the lowest bit, the status above it.
        14 phase_and_status u16;
    }
}

impl CompletionView<'_> {
    /// Returns the status.
    pub fn status(&self) -> Status {
        Status::from_field(self.phase_and_status())
    }

    /// Returns the result of a command that returns 8 bytes: Property Get.
    pub fn result(&self) -> u64 {
        u64::from(self.dword1()) << 32 | u64::from(self.dword0())
    }
}

/// The status of a completion: 15 bits, without the phase tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Status(u16);

impl Status {
    /// Returns the status in a 16-bit field, which includes the phase tag.
    pub fn from_field(field: u16) -> Self {
        Self(field >> 1)
    }

    /// Returns the 15 bits: DNR 0x4000, More 0x2000, retry delay 0x1800, code type 0x0700, code 0x00ff.
    pub fn number(self) -> u16 {
        self.0
    }

    /// Returns the 16-bit field, with a phase tag of 0.
    pub fn field(self) -> u16 {
        self.0 << 1
    }

    /// Status Code (SC).
    pub fn code(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    /// Status Code Type (SCT).
    pub fn code_type(self) -> u8 {
        (self.0 >> 8 & 0x7) as u8
    }

    /// Command Retry Delay (CRD): 0, or the number of one of the controller's three times.
    pub fn retry_delay(self) -> u8 {
        (self.0 >> 11 & 0x3) as u8
    }

    /// More (M): the Error Information log has more details.
    pub fn more(self) -> bool {
        self.0 & 0x2000 != 0
    }

    /// Do Not Retry (DNR).
    pub fn do_not_retry(self) -> bool {
        self.0 & 0x4000 != 0
    }

    /// Returns whether the command succeeded: code type and code are both 0.
    pub fn succeeded(self) -> bool {
        self.0 & 0x07ff == 0
    }

    /// Returns the name of type and code; `fabrics` when a Fabrics command returned them.
    pub fn name(self, fabrics: bool) -> Option<&'static str> {
        status_name(self.code_type(), self.code(), fabrics)
    }
}
