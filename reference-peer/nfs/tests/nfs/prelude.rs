//! What most tests here use.

pub(crate) use crate::judge::{
    Judged, accepted, client, failure, files, judge, mounted, options, procedure, server,
};
pub(crate) use std::fs;
pub(crate) use warpscope_dissector::nfs::{Body, Direction, Procedure};
pub(crate) use warpscope_nfs::client::{Client, Files};
pub(crate) use warpscope_nfs::rpc::{Answer, Credential};
pub(crate) use warpscope_nfs::{ExportOptions, FileType, NewAttributes, Server, Status};
