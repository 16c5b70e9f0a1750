//! Passive rules: requirements whose violation a capture can show, judged on the items.
//!
//! `catalogue` holds the rules as data; `judge` passes each item to the functions of its layer (`setup`,
//! `fpdu`, `ddp` with RDMAP's headers, `operation` with Terminates, `rpc`), which examine the item and what
//! `state` remembers of its connection. A rule that depends on what came before is judged only if the capture
//! shows it without a gap.

mod catalogue;
mod ddp;
mod ending;
mod fpdu;
mod iser;
mod judge;
mod nvme;
mod operation;
mod rpc;
mod rule;
mod setup;
mod smb_direct;
mod state;

pub use judge::Judge;
pub use rule::{Fault, Finding, Level, Place, Rule, all, find};
