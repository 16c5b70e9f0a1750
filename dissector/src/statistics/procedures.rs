//! RPC calls, replies and latencies by procedure.

use super::calls::refuses;
use super::samples::{Percentiles, Precision, Samples};
use crate::nfs::Procedure;
use crate::rpc::{RpcItem, RpcKind};
use std::collections::BTreeMap;

/// The most procedures that are told apart; programs and procedures are numbers that anyone may choose.
const MOST_ROWS: usize = 512;
/// The most calls of a connection whose label is remembered until their reply.
const MOST_OPEN: usize = 2048;

/// COMPOUND and CB_COMPOUND (RFC 8881 sections 16.2 and 20.2).
const COMPOUND: u32 = 1;

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProcedureKey {
    /// A procedure.
    Known {
        /// The program.
        program: u32,
        /// Its version.
        version: u32,
        /// The procedure.
        procedure: u32,
        /// The operation that a COMPOUND is about.
        operation: Option<&'static str>,
    },
    /// The header of the call cannot be read, or was not captured.
    Unknown,
    /// There were too many to tell apart.
    Others,
}

/// What became of the calls of a procedure.
#[derive(Debug, Clone, Default)]
pub struct ProcedureCounts {
    /// Calls.
    pub calls: u64,
    /// Bytes of RPC messages in them, what went by read chunks included.
    pub call_bytes: u64,
    /// Replies to them.
    pub replies: u64,
    /// Bytes of RPC messages in the replies, and of write chunks.
    pub reply_bytes: u64,
    /// Replies that tell an error of RPC.
    pub refused: u64,
    /// RDMA_ERRORs in place of a reply.
    pub errors: u64,
    samples: Samples,
}

impl ProcedureCounts {
    /// From the call's Send to the reply's; RDMA_ERRORs not counted.
    pub fn latency(&self) -> Option<Percentiles> {
        self.samples.percentiles()
    }

    /// Calls that nothing answered.
    pub fn unanswered(&self) -> u64 {
        self.calls.saturating_sub(self.replies + self.errors)
    }
}

/// The operations that a connection's open COMPOUNDs are about, by exchange.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCompounds {
    operations: BTreeMap<u64, &'static str>,
}

/// Procedures, while they are counted.
#[derive(Debug, Clone, Default)]
pub struct Procedures {
    rows: BTreeMap<ProcedureKey, ProcedureCounts>,
}

impl Procedures {
    /// Takes a call or an answer. What answers a call that was not seen is not counted here: its
    /// procedure is not known.
    pub(super) fn count(&mut self, item: &RpcItem<'_>, open: &mut OpenCompounds) {
        let Some(call) = item.call else { return };
        let operation = if item.kind == RpcKind::Call {
            let operation = compound_operation(item);
            if let Some(operation) = operation {
                if open.operations.len() >= MOST_OPEN {
                    open.operations.pop_first();
                }
                open.operations.insert(call.exchange, operation);
            }
            operation
        } else {
            open.operations.remove(&call.exchange)
        };
        let key = item.procedure().map_or(ProcedureKey::Unknown, |of| ProcedureKey::Known {
            program: of.program,
            version: of.version,
            procedure: of.procedure,
            operation,
        });
        let full = self.rows.len() >= MOST_ROWS && !self.rows.contains_key(&key);
        let counts = self.rows.entry(if full { ProcedureKey::Others } else { key }).or_default();
        let written: usize = item.write_chunks.iter().map(|chunk| chunk.len()).sum();
        let bytes = (item.message.len() + written) as u64;
        match item.kind {
            RpcKind::Call => {
                counts.calls += 1;
                counts.call_bytes += bytes;
            }
            RpcKind::Error => counts.errors += 1,
            RpcKind::Reply => {
                counts.replies += 1;
                counts.reply_bytes += bytes;
                counts.refused += u64::from(refuses(item));
                if let Some(latency) = item.latency() {
                    counts.samples.record(latency, Precision::CAPTURE);
                }
            }
        }
    }

    /// Every procedure, in the order of program, version, procedure and operation.
    pub fn rows(&self) -> impl Iterator<Item = (&ProcedureKey, &ProcedureCounts)> {
        self.rows.iter()
    }
}

/// The operation that a call of a COMPOUND of NFSv4, or of its callbacks, is about.
pub(crate) fn compound_operation(item: &RpcItem<'_>) -> Option<&'static str> {
    let procedure = item.procedure()?;
    let compound = matches!(
        (procedure.program, procedure.version, procedure.procedure),
        (Procedure::NFS, 4, COMPOUND) | (Procedure::CALLBACK, _, COMPOUND)
    );
    let summary = compound.then(|| item.summary()).flatten()?;
    summary.main().map(|operation| operation.name).filter(|name| *name != summary.name)
}

impl ProcedureKey {
    /// Names of program and procedure, where they are known.
    pub fn names(&self) -> (Option<&'static str>, Option<&'static str>) {
        let Self::Known { program, version, procedure, .. } = *self else { return (None, None) };
        let procedure = Procedure { program, version, procedure };
        (procedure.program_name(), procedure.name())
    }
}
