//! Rules of NVMe over RDMA.
//!
//! Those of commands without a completion are judged where the capture has the queue from its setup on.

pub(super) mod catalogue;
mod judge;

pub(super) use judge::{NvmeState, judge};
