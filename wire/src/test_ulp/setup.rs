//! What came of a setup (section 9.5).

use super::record::record;
use super::{RoleCode, SetupKnown, Switches};

record! {
    /// A setup frame of the peer, and what came of it.
    SetupReportView, SetupReport: 20 bytes, "setup", "test ULP section 9.5" {
        /// Which of the fields the target knows.
        0 known u32 as SetupKnown;
        /// What is on.
        4 switches u32 as Switches;
        /// The revision of MPA.
        8 revision u16 as u16;
        /// The target's role in the setup.
        10 role u16 as RoleCode;
        /// IRD of the target, once agreed.
        12 ird u16 as u16;
        /// ORD of the target, once agreed.
        14 ord u16 as u16;
        /// IRD that the peer named.
        16 peer_ird u16 as u16;
        /// ORD that the peer named.
        18 peer_ord u16 as u16;
    }
}
