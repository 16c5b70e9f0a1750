//! The rules as data, a group a file.

pub(super) mod ddp;
pub(super) mod fpdu;
pub(super) mod operation;
pub(super) mod rdmap;
pub(super) mod rpc;
pub(super) mod rpc_exchange;
pub(super) mod setup;
pub(super) mod terminate;
