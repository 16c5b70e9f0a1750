//! Rules of NVMe over RDMA.
//!
//! Those of commands without a completion are judged only if the queue was captured from its setup on.

pub(super) mod catalogue;
mod judge;

pub(super) use judge::{NvmeState, judge};
