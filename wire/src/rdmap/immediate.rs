//! Immediate Data: eight bytes for the ULP (RFC 7306 §6.2, figure 7; rdmap-ext-v2 §5.3).

use crate::figure::figure;

/// Bytes of Immediate Data.
pub const IMMEDIATE_LENGTH: usize = 8;

figure! {
    /// The eight bytes. Every value is legal; they are written as they are.
    ImmediateView: 8 bytes, Rdmap "Immediate Data" {
        /// The bytes as one number.
        0 immediate_data u64;
    }
}
