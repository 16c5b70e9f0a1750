//! What a target can do (section 4.1).

use super::record::record;
use super::{Abilities, AccessRights, Documents, Hashes};

record! {
    /// What a target can do.
    CapabilitiesView, Capabilities: 72 bytes, "capabilities", "test ULP section 4.1" {
        /// Documents that the target follows.
        0 documents u32 as Documents;
        /// What else it can do.
        4 abilities u32 as Abilities;
        /// Bit n: it carries out orders of kind n.
        8 orders u64 as u64;
        /// Bit n: it carries out operation n.
        16 operations u32 as u32;
        /// Bit n: it computes hash n.
        20 hashes u32 as Hashes;
        /// Rights that it can give to a region.
        24 rights u32 as AccessRights;
        /// Regions and windows of a session at once.
        28 most_regions u32 as u32;
        /// The longest region, in bytes.
        32 longest_region u64 as u64;
        /// Streams of a session at once.
        40 most_streams u32 as u32;
        /// Receives that can be posted on a stream at once.
        44 most_receives u32 as u32;
        /// The longest receive, in bytes.
        48 longest_receive u32 as u32;
        /// Work requests of a stream that are not complete.
        52 most_work u32 as u32;
        /// The greatest IRD.
        56 ird u16 as u16;
        /// The greatest ORD.
        58 ord u16 as u16;
        /// Reports of a session that are kept.
        60 most_reports u32 as u32;
        /// Bytes of an arrival that a report can hold.
        64 front u32 as u32;
        /// Documents of a stream of which nothing else is said.
        68 default_documents u32 as Documents;
    }
}
