//! The dissector from outside: captures, layers, items, fields, filters, rules and statistics.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]
#![allow(unreachable_pub, missing_docs, dead_code, reason = "modules of a test binary")]

mod captures;
mod disorder;
mod filters;
mod hostile;
mod nfs;
mod packets;
mod prelude;
mod rules;
mod shards;
mod statistics;
mod support;
mod synthetic;
mod ulp;
mod understanding;
mod witness;
