//! Streams (section 8).

use super::record::record;
use super::{Documents, EndingCode, Given, PackingCode, Purpose, RoleCode, StreamState, Switches};

record! {
    /// What a stream is opened or accepted with.
    StreamOptionsView, StreamOptions: 48 bytes, "stream options", "test ULP section 8.1" {
        /// Which of the fields count; for the others the target's own values do.
        0 given u32 as Given;
        /// What is on.
        4 switches u32 as Switches;
        /// The revision of MPA: 0, 1 or 2.
        8 revision u16 as u16;
        /// IRD.
        10 ird u16 as u16;
        /// ORD.
        12 ord u16 as u16;
        /// The least ORD that an accepting target can do with; it rejects an initiator whose IRD is less.
        14 required_ord u16 as u16;
        /// The Protection Domain: 1 is that of every stream of which nothing else is said.
        16 protection_domain u32 as u32;
        /// The stream's name; 0 leaves it to the target.
        20 stream u32 as u32;
        /// Milliseconds that pass between the request's arrival and the answer to it.
        24 delay u32 as u32;
        /// What the stream is for.
        28 purpose u16 as Purpose;
        /// Bytes of private data.
        30 private_data_length u16 as u16;
        /// The longest ULPDU that the target sends, in bytes.
        32 longest_ulpdu u16 as u16;
        /// How FPDUs are put into TCP segments.
        34 packing u16 as PackingCode;
        /// Receives that are posted before the stream carries anything.
        36 receives u32 as u32;
        /// Room in each, in bytes.
        40 receive_size u32 as u32;
        /// The documents that the target follows on the stream.
        44 documents u32 as Documents;
    }
}

record! {
    /// A stream as it is.
    StreamDescriptionView, StreamDescription: 24 bytes, "stream description", "test ULP section 8.5" {
        /// Its name.
        0 stream u32 as u32;
        /// Its session.
        4 session u32 as u32;
        /// What it is for.
        8 purpose u16 as Purpose;
        /// How far it is.
        10 state u16 as StreamState;
        /// The target's role in the setup.
        12 role u16 as RoleCode;
        /// How it ended; 0 until it has.
        14 ending u16 as EndingCode;
        /// Receives that are posted by order and wait.
        16 receives u32 as u32;
        /// Work requests that were ordered and are not complete.
        20 work u32 as u32;
    }
}
