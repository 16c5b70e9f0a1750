//! Why an order was not carried out (section 2.3).

use super::record::record;

record! {
    /// Why an order was not carried out.
    RefusalView, Refusal: 8 bytes, "refusal", "test ULP section 2.3" {
        /// The byte of the order, counted from its header's first, that is to blame; 0xffffffff: none.
        0 offset u32 as u32;
        /// The limit, where the status is `limit`; else 0.
        4 value u32 as u32;
    }
}
