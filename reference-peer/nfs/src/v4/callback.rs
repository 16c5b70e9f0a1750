//! Calls to clients: delegations are recalled over the backchannel (RFC 8881 sections 2.10.3, 10.4, 20.2,
//! 20.9; RFC 8167).

use super::compound::{Compound, Version4};
use super::held::Recall;
use super::numbers::callback;
use super::types::{SessionId, StateId};
use crate::Status;
use crate::export::{Identity, Object};
use crate::rpc::{CallHeader, OutgoingCall, begin_call};
use std::collections::VecDeque;
use std::time::Instant;

/// The version of the callback program.
const VERSION: u32 = 1;
/// More bytes than a reply to a recall has.
const LONGEST_REPLY: usize = 512;
/// The most recalls that wait for the slot of their session.
const MOST_WAITING: usize = 4096;

/// The calls to clients that must be made.
#[derive(Debug, Default)]
pub(super) struct Callbacks {
    /// The calls that can be made, each with its stream.
    ready: VecDeque<(u64, OutgoingCall)>,
    /// The recalls whose session has another call in progress.
    waiting: VecDeque<(SessionId, StateId, Vec<u8>)>,
    count: u32,
}

impl Version4 {
    /// Checks that no other client has a delegation that forbids a change of the file. Such delegations are
    /// recalled.
    ///
    /// # Errors
    /// [`Status::JUKEBOX`] (NFS4ERR_DELAY) until they are returned.
    pub(crate) fn no_conflict(
        &mut self,
        client: Option<u64>,
        file: Identity,
        now: Instant,
    ) -> Result<(), Status> {
        let mut left = false;
        for Recall { client, state, handle, first } in self.held.recall(client, file, now) {
            // A client that was silent for a lease loses everything when it conflicts with somebody.
            if self.sessions.expired(client, now) {
                self.held.forget(client);
                self.sessions.forget(client);
                continue;
            }
            left = true;
            if first && let Some(session) = self.sessions.back_channel(client) {
                self.recall(session, state, handle);
            }
        }
        if left { Err(Status::JUKEBOX) } else { Ok(()) }
    }

    /// Recalls a delegation, now or when the session's slot is free.
    fn recall(&mut self, id: SessionId, state: StateId, handle: Vec<u8>) {
        let Some(session) = self.sessions.sessions.get_mut(&id) else { return };
        let Some(stream) = session.back else { return };
        if session.calling.is_some() {
            if self.callbacks.waiting.len() < MOST_WAITING {
                self.callbacks.waiting.push_back((id, state, handle));
            }
            return;
        }
        self.callbacks.count = self.callbacks.count.wrapping_add(1);
        let xid = self.callbacks.count;
        (session.calling, session.called) = (Some(xid), session.called.wrapping_add(1));
        let header = CallHeader {
            xid,
            program: session.program,
            version: VERSION,
            procedure: callback::CB_COMPOUND,
            credential: &session.credential,
        };
        // A credential received in an AUTH_SYS call is legal.
        let Ok(mut call) = begin_call(&header) else { return };
        // No tag; minor version, callback ident, number of operations.
        call.opaque(b"").word(session.minor).word(0).word(2);
        // Slot 0 is the only one; the reply need not be kept; there are no referring calls.
        call.word(callback::SEQUENCE).value(&id).word(session.called).word(0).word(0);
        call.boolean(false).word(0);
        call.word(callback::RECALL).value(&state).boolean(false).opaque(&handle);
        let message = call.finish();
        let result_room = Vec::new();
        let call = OutgoingCall { message, result_room, longest_reply: LONGEST_REPLY };
        self.callbacks.ready.push_back((stream, call));
    }

    /// Returns the next call and its stream.
    pub(crate) fn call(&mut self) -> Option<(u64, OutgoingCall)> {
        self.callbacks.ready.pop_front()
    }

    /// Frees the slot of a call on a stream that was answered, or will not be. Several sessions may have the
    /// stream as their back channel: the XID of the reply tells which of them made the call. What else the
    /// client replies to a recall does not matter: it returns the delegation, or the delegation is revoked.
    pub(crate) fn called(&mut self, stream: u64, reply: Option<&[u8]>) {
        let answered = reply.map(|reply| reply.first_chunk().map(|xid| u32::from_be_bytes(*xid)));
        let mut all = self.sessions.sessions.iter_mut();
        let session = all.find(|(_, it)| {
            it.back == Some(stream)
                && it.calling.is_some()
                && answered.is_none_or(|xid| it.calling == xid)
        });
        let Some((id, session)) = session else { return };
        let id = *id;
        session.calling = None;
        let waiting = &mut self.callbacks.waiting;
        if let Some(at) = waiting.iter().position(|(of, ..)| *of == id)
            && let Some((_, state, handle)) = waiting.remove(at)
        {
            self.recall(id, state, handle);
        }
    }

    /// Removes the back channels on a closed stream.
    pub(crate) fn gone(&mut self, stream: u64) {
        for session in self.sessions.sessions.values_mut() {
            if session.back == Some(stream) {
                (session.back, session.calling) = (None, None);
            }
        }
    }
}

impl Compound<'_> {
    /// Checks that no other client has a delegation that forbids a change of an object.
    ///
    /// # Errors
    /// [`Status::JUKEBOX`] (NFS4ERR_DELAY) until those clients have returned their delegations.
    pub(super) fn no_conflict(&mut self, object: &Object) -> Result<(), Status> {
        let client = self.client()?;
        self.version.no_conflict(Some(client), object.identity, self.now)
    }
}
