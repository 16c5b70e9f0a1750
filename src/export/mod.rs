//! `warpscope export`: writes tables, and the files that NFS moved.

mod cell;
mod content;
mod files;
mod lines;
mod manifest;
mod messages;
mod operations;
#[cfg(feature = "parquet")]
mod parquet_file;
mod rpcs;
mod run;
mod tables;
mod writer;

#[cfg(test)]
mod tests;

pub(crate) use run::run;
