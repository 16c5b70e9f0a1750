//! Regions and windows (section 5).

use super::record::record;
use super::{AccessRights, Addressing, Backing, Hash, RegionFlags, Scope};

record! {
    /// A region or window as it is.
    RegionDescriptionView, RegionDescription: 52 bytes, "region description", "test ULP section 5.1" {
        /// Its number, which names it in orders; never 0, never given twice.
        0 region u32 as u32;
        /// Its STag.
        4 steering_tag u32 as u32;
        /// The Tagged Offset of its first byte.
        8 base u64 as u64;
        /// Bytes.
        16 length u64 as u64;
        /// What a remote peer may do.
        24 rights u32 as AccessRights;
        /// What it is.
        28 flags u32 as RegionFlags;
        /// Who may use the STag.
        32 scope u16 as Scope;
        /// The hash that a Verify computes over it.
        34 hash u16 as Hash;
        /// The stream of scope `stream`; else 0.
        36 stream u32 as u32;
        /// The greatest power of two, up to 4096, that divides the address of its first byte.
        40 alignment u32 as u32;
        /// The region that a window is bound to; else 0.
        44 region_of_window u32 as u32;
        /// Bytes of its name.
        48 name_length u32 as u32;
    }
}

record! {
    /// Asks for a region, filled with zeros.
    RegisterOrderView, RegisterOrder: 32 bytes, "register order", "test ULP section 5.2" {
        /// Bytes.
        0 length u64 as u64;
        /// The Tagged Offset of the first byte, with addressing `given`; else 0.
        8 base u64 as u64;
        /// What a remote peer may do.
        16 rights u32 as AccessRights;
        /// The stream of scope `stream`; 0: the one that the order came on.
        20 stream u32 as u32;
        /// Where the Tagged Offsets begin.
        24 addressing u16 as Addressing;
        /// Who may use the STag.
        26 scope u16 as Scope;
        /// What holds the bytes.
        28 backing u16 as Backing;
        /// The hash of a Verify.
        30 hash u16 as Hash;
    }
}

record! {
    /// Asks for a window on part of a region.
    BindOrderView, BindOrder: 40 bytes, "bind order", "test ULP section 5.3" {
        /// The region.
        0 region u32 as u32;
        /// The stream of scope `stream`; 0: the one that the order came on.
        4 stream u32 as u32;
        /// Bytes of the region before the window.
        8 offset u64 as u64;
        /// Bytes of the window.
        16 length u64 as u64;
        /// The Tagged Offset of its first byte, with addressing `given`; else 0.
        24 base u64 as u64;
        /// What a remote peer may do.
        32 rights u32 as AccessRights;
        /// Where the Tagged Offsets begin.
        36 addressing u16 as Addressing;
        /// Who may use the STag.
        38 scope u16 as Scope;
    }
}

record! {
    /// Gives an STag remote access again.
    RevalidateOrderView, RevalidateOrder: 8 bytes, "revalidate order", "test ULP section 5.4" {
        /// The region or window.
        0 region u32 as u32;
        /// What a remote peer may do from now on.
        4 rights u32 as AccessRights;
    }
}
