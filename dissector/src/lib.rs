//! From frames to messages: capture files, link and IP, TCP streams, MPA, DDP, RDMAP, RPC-over-RDMA.

pub mod field;
pub mod filter;
pub mod tree;
