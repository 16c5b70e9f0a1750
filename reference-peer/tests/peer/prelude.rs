//! What most tests here use.

pub(crate) use crate::pair::{
    INITIATOR, Pair, RESPONDER, STREAM, atomic_op, configs, configs_with, flush_op, local, pattern,
    read_op, remote, send_op, write_op,
};
pub(crate) use crate::raw::{
    BASE, Raw, config, fpdu, read, reply, request, seal, tagged, untagged,
};
pub(crate) use std::sync::{Arc, Mutex};
pub(crate) use std::time::Duration;
pub(crate) use warpscope_peer::bug::Bugs;
pub(crate) use warpscope_peer::connection::{
    Config, Connection, Ending, Event, Packing, Role, Transmit,
};
pub(crate) use warpscope_peer::memory::{
    Accessor, FlushFailed, HashAlgorithm, Memory, Registration, Rights, Store,
};
pub(crate) use warpscope_peer::setup::{SetupConfig, SetupRevision};
pub(crate) use warpscope_peer::violation::Violation;
pub(crate) use warpscope_peer::work::{
    CompletionError, LocalBuffer, Operation, OperationKind, Outcome, RemoteBuffer, Source,
    WorkRequest,
};
pub(crate) use warpscope_wire::crc;
pub(crate) use warpscope_wire::mpa::ReadyToReceive;
pub(crate) use warpscope_wire::rdmap::{AtomicOperation, Profile};
