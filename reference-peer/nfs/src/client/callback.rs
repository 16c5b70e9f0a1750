//! The client's callback program (RFC 8881 section 20): calls of the server on a session's backchannel.

use crate::Status;
use crate::client::results::Handle;
use crate::rpc::{
    Answer, Builder, ProcedureCall, Reader, Refusal, RpcMessage, Service, answer_call,
};
use crate::v4::numbers::{ILLEGAL, LONGEST_HANDLE, LONGEST_TAG, callback};
use crate::v4::types::{Bitmap, List, SessionId, StateId};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use warpscope_wire::Malformed;

#[cfg(test)]
mod tests;

/// The program number, which the client chooses (RFC 8881 section 18.36.3).
pub(super) const PROGRAM: u32 = 0x4000_0000;
/// RFC 8881 section 18.36.3 says version 4, its XDR (RFC 5662) version 1: both are accepted.
const VERSIONS: [u32; 2] = [1, 4];

/// The most kept recalls of delegations that are not known yet.
const MOST_EARLY: usize = 16;

/// Kinds of delegations in the mask of CB_RECALL_ANY (RFC 8881 section 20.6.1).
const READ_DELEGATIONS: u32 = 0;
const WRITE_DELEGATIONS: u32 = 1;

/// A delegation that the client holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delegation {
    pub(super) file: Handle,
    pub(super) state: StateId,
    pub(super) recalled: bool,
}

/// The session state that the backchannel needs.
#[derive(Debug, Default)]
struct Channel {
    /// The session and the minor version that it was created with.
    session: Option<(SessionId, u32)>,
    /// The last sequence ID of the only slot, and the kept results.
    sequence: u32,
    kept: Vec<u8>,
    held: Vec<Delegation>,
    /// Whether an OPEN is in progress: its reply may come after the recall of the delegation that it grants.
    opening: bool,
    early: VecDeque<StateId>,
    /// The number of accepted recalls.
    recalls: u64,
}

/// Answers calls of a server for the client that shares it ([`crate::client::Nfs4`]). Without a session the
/// program is unavailable.
#[derive(Debug, Clone, Default)]
pub struct Callbacks(Rc<RefCell<Channel>>);

impl Callbacks {
    /// Returns the number of recalls accepted so far.
    pub fn recalls(&self) -> u64 {
        self.0.borrow().recalls
    }

    /// Accepts calls for this session and minor version from now on, or none.
    pub(super) fn listen(&self, session: Option<(SessionId, u32)>) {
        *self.0.borrow_mut() = Channel { session, ..Channel::default() };
    }

    /// Records that an OPEN begins that may grant a delegation.
    pub(super) fn opens(&self) {
        self.0.borrow_mut().opening = true;
    }

    /// Records that the OPEN ended, and the delegation that it granted.
    pub(super) fn opened(&self, delegation: Option<(Handle, StateId)>) {
        let mut channel = self.0.borrow_mut();
        channel.opening = false;
        let early = std::mem::take(&mut channel.early);
        if let Some((file, state)) = delegation {
            let recalled = early.iter().any(|other| other.other == state.other);
            channel.held.push(Delegation { file, state, recalled });
        }
    }

    /// Returns the next delegation to return: a recalled one, or any.
    pub(super) fn to_return(&self, any: bool) -> Option<Delegation> {
        let channel = self.0.borrow();
        channel.held.iter().find(|held| any || held.recalled).cloned()
    }

    /// Removes a delegation that was returned, or no longer exists.
    pub(super) fn returned(&self, delegation: &Delegation) {
        let gone = |held: &Delegation| held.state.other == delegation.state.other;
        self.0.borrow_mut().held.retain(|held| !gone(held));
    }
}

struct NoProgram;

impl Service for NoProgram {
    const PROGRAMS: &'static [(u32, u32)] = &[];

    fn call(
        &mut self,
        _: &ProcedureCall,
        _: &mut Reader<'_>,
        _: &mut Builder,
    ) -> Result<(), Refusal> {
        Err(Refusal::ProcedureUnavailable)
    }
}

impl Answer for Callbacks {
    fn answer(&mut self, call: &[u8]) -> RpcMessage {
        let mut channel = self.0.borrow_mut();
        match channel.session {
            Some(_) => answer_call(&mut *channel, call),
            None => answer_call(&mut NoProgram, call),
        }
    }

    /// Nothing in a callback is DDP-eligible (RFC 8267 section 6.5.2).
    fn may_take_out(&self, _: &[u8], _: std::ops::Range<usize>) -> bool {
        false
    }
}

impl Service for Channel {
    const PROGRAMS: &'static [(u32, u32)] = &[(PROGRAM, VERSIONS[0]), (PROGRAM, VERSIONS[1])];

    fn call(
        &mut self,
        call: &ProcedureCall,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<(), Refusal> {
        match call.procedure {
            callback::CB_NULL => Ok(()),
            callback::CB_COMPOUND => self.compound(arguments, results),
            _ => Err(Refusal::ProcedureUnavailable),
        }
    }
}

/// The kind of request that a CB_SEQUENCE begins.
enum Request {
    New,
    Again,
}

impl Channel {
    fn compound(
        &mut self,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<(), Refusal> {
        let tag = arguments.opaque("tag", LONGEST_TAG)?;
        let minor = arguments.word("minor version")?;
        arguments.word("callback ident")?;
        let count = arguments.word("operations")?;
        let start = results.written();
        results.word(0).opaque(tag);
        let counted = results.written();
        results.word(0);
        if self.session.is_none_or(|(_, ours)| ours != minor) {
            results.patch(start, Status::MINOR_VERS_MISMATCH.0);
            return Ok(());
        }
        let mut sequenced = false;
        for index in 0..count {
            let asked = arguments.word("operation");
            let number = asked.as_ref().ok().copied().filter(|number| {
                (callback::GETATTR..=callback::NOTIFY_DEVICEID).contains(number)
                    || (minor > 1 && *number == callback::OFFLOAD)
            });
            results.patch(counted, index + 1);
            results.word(number.unwrap_or(ILLEGAL));
            let at = results.written();
            results.word(0);
            let outcome = match (asked, number, index) {
                (Err(_), ..) => Err(Status::BADXDR),
                (_, None, _) => Err(Status::OP_ILLEGAL),
                (_, Some(callback::SEQUENCE), 0) => match self.sequence(arguments, results) {
                    Ok(Request::Again) => {
                        results.truncate(start);
                        results.fixed(&self.kept);
                        return Ok(());
                    }
                    Ok(Request::New) => {
                        sequenced = true;
                        Ok(())
                    }
                    Err(status) => Err(status),
                },
                (_, Some(_), 0) => Err(Status::OP_NOT_IN_SESSION),
                (_, Some(number), _) => self.operation(number, arguments),
            };
            if let Err(status) = outcome {
                results.truncate(at);
                results.word(status.0);
                results.patch(start, status.0);
                break;
            }
        }
        if sequenced {
            self.kept = results.bytes.get(start..).unwrap_or_default().to_vec();
        }
        Ok(())
    }

    /// Handles CB_SEQUENCE as the first operation (RFC 8881 section 20.9.3).
    fn sequence(
        &mut self,
        arguments: &mut Reader<'_>,
        results: &mut Builder,
    ) -> Result<Request, Status> {
        let read = |arguments: &mut Reader<'_>| -> Result<_, Malformed> {
            let asked: (SessionId, u32, u32) = arguments.value("CB_SEQUENCE")?;
            // The highest slot in use, and whether to keep the reply, which always happens. Then the
            // referring calls: they are ignored, because an OPEN is waited for whether or not they name it.
            arguments.value::<(u32, bool)>("CB_SEQUENCE")?;
            arguments.value::<List<(SessionId, List<(u32, u32)>)>>("referring calls")?;
            Ok(asked)
        };
        let (session, sequence, slot) = read(arguments)?;
        if self.session.is_none_or(|(ours, _)| ours != session) {
            return Err(Status::BADSESSION);
        }
        if slot != 0 {
            return Err(Status::BADSLOT);
        }
        if sequence == self.sequence && !self.kept.is_empty() {
            return Ok(Request::Again);
        }
        if sequence != self.sequence.wrapping_add(1) {
            return Err(Status::SEQ_MISORDERED);
        }
        self.sequence = sequence;
        results.value(&session).word(sequence);
        // The slot, the highest slot, and the target highest slot.
        results.word(0).word(0).word(0);
        Ok(Request::New)
    }

    /// Handles an operation after CB_SEQUENCE.
    fn operation(&mut self, number: u32, arguments: &mut Reader<'_>) -> Result<(), Status> {
        match number {
            callback::SEQUENCE => Err(Status::SEQUENCE_POS),
            callback::RECALL => {
                let state: StateId = arguments.value("state ID")?;
                arguments.boolean("truncate")?;
                let file = arguments.opaque("file handle", LONGEST_HANDLE)?;
                self.recall(state, file)
            }
            callback::RECALL_ANY => {
                let (keep, kinds): (u32, Bitmap) = arguments.value("CB_RECALL_ANY")?;
                let excess = self.held.len().saturating_sub(keep as usize);
                if kinds.has(READ_DELEGATIONS) || kinds.has(WRITE_DELEGATIONS) {
                    self.held.iter_mut().take(excess).for_each(|held| held.recalled = true);
                }
                Ok(())
            }
            callback::RECALL_SLOT => {
                // Only one slot is in use, which is the minimum.
                arguments.word("highest slot ID")?;
                Ok(())
            }
            // Layouts, directories, promised delegations and locks, asynchronous copies are never requested.
            _ => Err(Status::NOTSUPP),
        }
    }

    /// Handles CB_RECALL: the delegation is returned before the next request (RFC 8881 section 20.2.3).
    fn recall(&mut self, state: StateId, file: &[u8]) -> Result<(), Status> {
        let of_file = |held: &&mut Delegation| held.file.bytes() == file;
        let mut known = false;
        for held in self.held.iter_mut().filter(of_file) {
            known = true;
            if held.state.other == state.other {
                held.recalled = true;
                self.recalls += 1;
                return Ok(());
            }
        }
        if self.opening && self.early.len() < MOST_EARLY {
            self.early.push_back(state);
            self.recalls += 1;
            return Ok(());
        }
        Err(if known { Status::BAD_STATEID } else { Status::BADHANDLE })
    }
}
