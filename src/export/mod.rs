//! `warpscope export`: tables of the content of captures, or the files that NFS transferred.

#[cfg(feature = "parquet")]
mod dataset;
#[cfg(feature = "parquet")]
mod manifest;
mod run;

pub(crate) use run::run;
