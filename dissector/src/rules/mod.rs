//! Passive rules: requirements that a capture can show to be broken, judged on the items.
//!
//! `catalogue` holds the rules as data; `judge` feeds each item to the functions of its layer (`setup`, `fpdu`,
//! `ddp` with RDMAP's headers, `operation` with Terminates, `rpc`), which look at the item and at what
//! `state` remembers of its connection. A rule that needs what came before is judged only
//! where the capture shows it without a hole.

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
