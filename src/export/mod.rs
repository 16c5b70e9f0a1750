//! `warpscope export`: tables of what is in captures, or the files that NFS moved.

#[cfg(feature = "parquet")]
mod dataset;
#[cfg(feature = "parquet")]
mod manifest;
mod run;

pub(crate) use run::run;
