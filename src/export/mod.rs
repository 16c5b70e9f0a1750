//! `warpscope export`: writes tables.

mod cell;
mod lines;
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
