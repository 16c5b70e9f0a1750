//! From frames to messages: capture files, link and IP, TCP streams, MPA, DDP, RDMAP, RPC-over-RDMA.

pub mod capture;
pub mod field;
pub mod link;
pub mod message;
pub mod mpa;
pub mod stream;
pub mod tree;
