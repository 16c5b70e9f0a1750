//! From frames to messages: capture files, link and IP, TCP streams, MPA, DDP, RDMAP, RPC-over-RDMA.
//!
//! The stages, each fed by the previous one: [`capture`], [`link`], [`flow`] with [`stream`], [`mpa`],
//! [`message`], [`operation`], and the upper layer protocols of [`ulp`]. [`pipeline`] connects them; it
//! delivers typed [`pipeline::Item`]s. [`record`] summarises them, one record per message, operation or call,
//! and [`ladder`] draws a conversation of them. [`tree`] turns the items of one frame into named fields,
//! which [`field`] declares and [`filter`] tests.

pub mod analysis;
pub mod annotate;
pub mod capture;
pub mod dissect;
pub mod export;
pub mod field;
pub mod filter;
pub mod flow;
pub mod format;
mod item;
pub mod ladder;
pub mod link;
pub mod message;
pub mod mpa;
pub mod nfs;
pub mod operation;
pub mod pipeline;
pub mod record;
pub mod recording;
pub mod rules;
pub mod selection;
pub mod shard;
pub mod silence;
pub mod statistics;
pub mod stream;
pub mod table;
pub mod transfer;
pub mod tree;
pub mod ulp;
