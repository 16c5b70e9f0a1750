//! Calls to clients: delegations are recalled over the backchannel (RFC 8881 sections 2.10.3, 10.4, 20.2,
//! 20.9; RFC 8167).

use super::compound::{Compound, Version4};
use super::held::Recall;
use super::numbers::callback;
use super::sessions::Calling;
use super::types::{SessionId, StateId};
use crate::export::{Identity, Object};
use crate::rpc::{CallHeader, OutgoingCall, begin_call};
use crate::{LONGEST_HANDLE, Status};
use std::collections::VecDeque;
use std::time::Instant;
use warpscope_wire::rpc::MAX_AUTH_BODY;

/// The version of the callback program.
const VERSION: u32 = 1;
/// More bytes than a recall has: RPC header with the longest credential; tag, minor version, ident, number of
/// operations; CB_SEQUENCE; CB_RECALL with the longest handle.
pub(super) const LONGEST_CALL: u32 = 40 + MAX_AUTH_BODY as u32 + 16 + 40 + 28 + LONGEST_HANDLE;
/// More bytes than a reply to a recall has.
const LONGEST_REPLY: usize = 512;
/// The most recalls that wait for the slot of their session.
const MOST_WAITING: usize = 4096;

/// The calls to clients that must be made.
#[derive(Debug, Default)]
pub(super) struct Callbacks {
    /// The calls that can be made, each with its stream.
    ready: VecDeque<(u64, OutgoingCall)>,
    /// The recalls whose session has another call without a reply, or no stream for it.
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
        for recall in self.held.recall(client, file, now) {
            let Recall { client, number, state, handle, called } = recall;
            // A client that was silent for a lease loses everything when it conflicts with somebody.
            if self.sessions.expired(client, now) {
                self.held.forget(client);
                self.sessions.forget(client);
                continue;
            }
            left = true;
            if !called && let Some(session) = self.sessions.back_channel(client) {
                self.recall(session, state, handle);
                if let Some(delegation) = self.held.delegations.get_mut(&number) {
                    delegation.called = true;
                }
            }
        }
        if left { Err(Status::JUKEBOX) } else { Ok(()) }
    }

    /// Recalls a delegation, now or when the session's slot is free.
    fn recall(&mut self, id: SessionId, state: StateId, handle: Vec<u8>) {
        let Some(session) = self.sessions.sessions.get_mut(&id) else { return };
        let (Some(stream), None) = (session.back, &session.calling) else {
            let sessions = &self.sessions.sessions;
            self.callbacks.waiting.retain(|(of, ..)| sessions.contains_key(of));
            if self.callbacks.waiting.len() < MOST_WAITING {
                self.callbacks.waiting.push_back((id, state, handle));
            }
            return;
        };
        session.called = session.called.wrapping_add(1);
        self.callbacks.count = self.callbacks.count.wrapping_add(1);
        let header = CallHeader {
            xid: self.callbacks.count,
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
        session.calling = Some(Calling { stream: Some(stream), call: call.clone() });
        self.callbacks.ready.push_back((stream, call));
    }

    /// Returns the next call and its stream.
    pub(crate) fn call(&mut self) -> Option<(u64, OutgoingCall)> {
        self.callbacks.ready.pop_front()
    }

    /// Frees the slot of a call on a stream that was answered. Several sessions may have the stream as their
    /// back channel: the XID of the reply tells which of them made the call. What else the client replies to a
    /// recall does not matter: it returns the delegation, or the delegation is revoked. If there is no reply,
    /// the stream is not used for calls any more.
    pub(crate) fn called(&mut self, stream: u64, reply: Option<&[u8]>) {
        let Some(reply) = reply else { return self.gone(stream) };
        let xid = reply.first_chunk().map(|xid| u32::from_be_bytes(*xid));
        let answered = |calling: &Calling| calling.call.message.xid() == xid;
        let mut all = self.sessions.sessions.iter_mut();
        let session = all.find(|(_, it)| it.calling.as_ref().is_some_and(answered));
        let Some((id, session)) = session else { return };
        let id = *id;
        session.calling = None;
        self.call_next(id);
    }

    /// Makes the call of a session that is due, if it can be made: the one that was lost with its stream, in the
    /// same slot with the same sequence ID (RFC 8881 section 2.10.6.2), else the recall that waits longest.
    pub(super) fn call_next(&mut self, id: SessionId) {
        let Some(session) = self.sessions.sessions.get_mut(&id) else { return };
        let Some(stream) = session.back else { return };
        if let Some(calling) = &mut session.calling {
            if calling.stream.is_none() {
                calling.stream = Some(stream);
                self.callbacks.ready.push_back((stream, calling.call.clone()));
            }
            return;
        }
        let waiting = &mut self.callbacks.waiting;
        if let Some(at) = waiting.iter().position(|(of, ..)| *of == id)
            && let Some((_, state, handle)) = waiting.remove(at)
        {
            self.recall(id, state, handle);
        }
    }

    /// Removes the back channels on a stream that is closed. Its calls without a reply are lost.
    pub(crate) fn gone(&mut self, stream: u64) {
        let mut lost = Vec::new();
        for (id, session) in &mut self.sessions.sessions {
            if session.back == Some(stream) {
                session.back = None;
            }
            if let Some(calling) = &mut session.calling
                && calling.stream == Some(stream)
            {
                calling.stream = None;
                lost.push(*id);
            }
        }
        // The client may have bound another stream by now.
        lost.into_iter().for_each(|id| self.call_next(id));
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
