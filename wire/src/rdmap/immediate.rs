//! Immediate Data: eight octets for the ULP (RFC 7306 §6.2, figure 7; rdmap-ext-v2 §5.3).

use crate::figure::figure;

/// Octets of Immediate Data.
pub const IMMEDIATE_LENGTH: usize = 8;

figure! {
    /// The eight octets. Every value is legal; they are written as they are.
    ImmediateView: 8 octets, Rdmap "Immediate Data" {
        /// The octets as one number.
        0 immediate_data u64;
    }
}
