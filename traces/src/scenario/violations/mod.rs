//! Captures in which peers break rules: each connection one or two, and nothing else.

mod case;
mod ddp;
mod fpdu;
mod operation;
mod rdmap;
mod rpc;
mod rpc_exchanges;
mod rpc_legal;
mod rpc_messages;
mod setup;
mod terminate;

pub(super) use ddp::SCENARIO as DDP;
pub(super) use fpdu::SCENARIO as FPDU;
pub(super) use operation::SCENARIO as OPERATION;
pub(super) use rdmap::SCENARIO as RDMAP;
pub(super) use rpc::SCENARIO as RPC;
pub(super) use setup::SCENARIO as SETUP;
pub(super) use terminate::SCENARIO as TERMINATE;
