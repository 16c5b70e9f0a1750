//! Clients, their sessions, and the slots that give each request exactly-once semantics (RFC 8881 sections
//! 2.4, 2.10, 18.34 to 18.37, 18.46, 18.50, 18.51).

use super::attributes::LEASE;
use super::callback::LONGEST_CALL;
use super::numbers::{BACK_CHANNEL, WITHOUT_PNFS};
use super::results::SessionCreated;
use super::types::{Channel, CreateSession, ExchangeId, Opaque, Protection, Sequence, SessionId};
use crate::Status;
use crate::rpc::{Credential, OutgoingCall, RpcMessage};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The most clients, and the most sessions of each client.
const MOST_CLIENTS: usize = 256;
const MOST_SESSIONS: usize = 16;
/// The most slots of a session.
const MOST_SLOTS: u32 = 64;
/// The longest reply that is kept in a slot, in bytes.
const LONGEST_KEPT: u32 = 8192;
/// The most bytes that the slots of all sessions may keep.
const MOST_KEPT: u64 = 64 << 20;
/// The most operations of a COMPOUND.
const MOST_OPERATIONS: u32 = 64;
/// The shortest useful message size of a channel, in bytes.
const SHORTEST: u32 = 256;

const CONFIRMED_UPDATE: u32 = 0x4000_0000;
const CONFIRMED: u32 = 0x8000_0000;
/// The flags that are allowed in an EXCHANGE_ID request (RFC 8881 section 18.35.1, RFC 7862 section 14.1.3).
const KNOWN_FLAGS: u32 = CONFIRMED_UPDATE | 0x0007_0000 | 0x0000_0107;

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    verifier: [u8; 8],
    owner: Vec<u8>,
    confirmed: bool,
    /// The sequence ID that CREATE_SESSION must have, and the outcome of the last one.
    sequence: u32,
    last: Option<Result<SessionCreated, Status>>,
    /// The time of its last request.
    pub(super) heard: Instant,
    /// Whether it has finished reclaiming.
    pub(super) reclaimed: bool,
}

/// The kept reply of a slot, for a retransmission.
#[derive(Debug, Clone, Default)]
struct Slot {
    sequence: u32,
    kept: RpcMessage,
}

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) client: u64,
    /// The minor version that it was created with, which backward calls use too.
    pub(super) minor: u32,
    pub(super) fore: Channel,
    slots: Vec<Slot>,
    /// Whether the back channel takes the server's calls.
    callable: bool,
    /// The stream for backward calls to the client.
    pub(super) back: Option<u64>,
    pub(super) program: u32,
    pub(super) credential: Credential,
    /// The sequence ID of the last call to the client, and that call until it has a reply.
    pub(super) called: u32,
    pub(super) calling: Option<Calling>,
}

/// A call to the client that has no reply yet.
#[derive(Debug)]
pub(super) struct Calling {
    /// The stream that it was made on; `None` if that was lost, and the call must be made again.
    pub(super) stream: Option<u64>,
    pub(super) call: OutgoingCall,
}

/// The kind of request that a SEQUENCE begins.
#[derive(Debug)]
pub(super) enum Request {
    /// A new request, to be carried out.
    New,
    /// A retransmission: the kept results of the whole COMPOUND.
    Again(RpcMessage),
}

/// All clients and sessions.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    pub(super) clients: BTreeMap<u64, Client>,
    pub(super) sessions: BTreeMap<SessionId, Session>,
    count: u64,
    /// Distinguishes this run of the server from others.
    pub(super) life: [u8; 4],
}

/// Returns the most bytes that this number of slots may keep.
fn kept_by(slots: usize) -> u64 {
    slots as u64 * u64::from(LONGEST_KEPT)
}

impl Sessions {
    fn number(&mut self) -> u64 {
        self.count += 1;
        u64::from(u32::from_be_bytes(self.life)) << 32 | self.count
    }

    fn confirmed(&self, owner: &[u8]) -> Option<u64> {
        let mut all = self.clients.iter();
        all.find(|(_, client)| client.confirmed && client.owner == owner).map(|(id, _)| *id)
    }

    /// Handles EXCHANGE_ID: returns client ID, CREATE_SESSION sequence ID, flags (RFC 8881 section 18.35.4).
    ///
    /// # Errors
    /// [`Status::INVAL`], [`Status::NOENT`], [`Status::NOT_SAME`]; [`Status::JUKEBOX`] for too many clients.
    pub(super) fn exchange_id(
        &mut self,
        asked: &ExchangeId,
        now: Instant,
    ) -> Result<(u64, u32, u32), Status> {
        if asked.flags & !KNOWN_FLAGS != 0 || asked.protection != Protection::None {
            return Err(Status::INVAL);
        }
        let (owner, verifier) = (&asked.client.owner.0, asked.client.verifier);
        let update = asked.flags & CONFIRMED_UPDATE != 0;
        let known = self.confirmed(owner).and_then(|id| Some((id, self.clients.get_mut(&id)?)));
        match known {
            Some((id, client)) if client.verifier == verifier => {
                client.heard = now;
                return Ok((id, client.sequence, WITHOUT_PNFS | CONFIRMED));
            }
            Some(_) if update => return Err(Status::NOT_SAME),
            None if update => return Err(Status::NOENT),
            // The client has restarted: its old state stays until CREATE_SESSION confirms the new client.
            _ => {}
        }
        self.clients.retain(|_, client| client.confirmed || client.owner != *owner);
        if self.clients.len() >= MOST_CLIENTS {
            return Err(Status::JUKEBOX);
        }
        let (id, owner) = (self.number(), owner.clone());
        let (confirmed, sequence, reclaimed) = (false, 1, false);
        let client =
            Client { verifier, owner, confirmed, sequence, last: None, heard: now, reclaimed };
        self.clients.insert(id, client);
        Ok((id, sequence, WITHOUT_PNFS))
    }

    /// Handles CREATE_SESSION; also returns the client that it replaces, if any (RFC 8881 section 18.36.4).
    /// `stream` is the request's stream, if calls can be made on it; `longest` is the most bytes per message.
    ///
    /// # Errors
    /// [`Status::STALE_CLIENTID`], [`Status::SEQ_MISORDERED`], [`Status::INVAL`], [`Status::TOOSMALL`];
    /// [`Status::NOSPC`] if there are too many sessions.
    pub(super) fn create(
        &mut self,
        asked: &CreateSession,
        minor: u32,
        stream: Option<u64>,
        longest: u32,
    ) -> Result<(SessionCreated, Option<u64>), Status> {
        let id = asked.client;
        let client = self.clients.get(&id).ok_or(Status::STALE_CLIENTID)?;
        if asked.sequence.wrapping_add(1) == client.sequence
            && let Some(last) = client.last
        {
            return Ok((last?, None));
        }
        if asked.sequence != client.sequence {
            return Err(Status::SEQ_MISORDERED);
        }
        let before = match client.confirmed {
            true => None,
            false => self.confirmed(&client.owner),
        };
        let made = self.make(asked, minor, stream, longest);
        if let Some(client) = self.clients.get_mut(&id) {
            client.sequence = client.sequence.wrapping_add(1);
            client.last = Some(made);
            client.confirmed |= made.is_ok();
        }
        Ok((made?, before))
    }

    fn make(
        &mut self,
        asked: &CreateSession,
        minor: u32,
        stream: Option<u64>,
        longest: u32,
    ) -> Result<SessionCreated, Status> {
        let CreateSession { client, sequence, fore, back, program, .. } = *asked;
        if fore.slots == 0 || fore.operations == 0 {
            return Err(Status::INVAL);
        }
        if fore.request < SHORTEST || fore.response < SHORTEST {
            return Err(Status::TOOSMALL);
        }
        let of_client = self.sessions.values().filter(|session| session.client == client);
        let more = kept_by(fore.slots.min(MOST_SLOTS) as usize);
        if of_client.count() >= MOST_SESSIONS || self.kept() + more > MOST_KEPT {
            return Err(Status::NOSPC);
        }
        let fore = Channel {
            padding: 0,
            request: fore.request.min(longest),
            response: fore.response.min(longest),
            cached: fore.cached.min(LONGEST_KEPT),
            operations: fore.operations.min(MOST_OPERATIONS),
            slots: fore.slots.min(MOST_SLOTS),
            rdma_ird: None,
        };
        // The server makes one backward call at a time, and each has two operations. What the client offers of
        // either must not be changed.
        let back = Channel { padding: 0, rdma_ird: None, ..back };
        let credential = asked.security.0.iter().find_map(|security| security.0.clone());
        let fits = back.slots >= 1 && back.operations >= 2 && back.request >= LONGEST_CALL;
        let callable = fits && credential.is_some();
        let stream = stream.filter(|_| callable && asked.flags & BACK_CHANNEL != 0);
        let flags = if stream.is_some() { BACK_CHANNEL } else { 0 };
        let mut session = [0; 16];
        let parts = client.to_be_bytes().into_iter().chain(self.number().to_be_bytes());
        session.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
        let slots = vec![Slot::default(); fore.slots as usize];
        let credential = credential.unwrap_or_default();
        let made = Session {
            client,
            minor,
            fore,
            slots,
            callable,
            back: stream,
            program,
            credential,
            called: 0,
            calling: None,
        };
        self.sessions.insert(session, made);
        Ok(SessionCreated { session, sequence, flags, fore, back })
    }

    /// Handles SEQUENCE: returns the kind of request (RFC 8881 section 2.10.6.1).
    ///
    /// # Errors
    /// [`Status::BADSESSION`], [`Status::BADSLOT`], [`Status::SEQ_MISORDERED`].
    pub(super) fn sequence(&mut self, asked: &Sequence, now: Instant) -> Result<Request, Status> {
        let session = self.sessions.get_mut(&asked.session).ok_or(Status::BADSESSION)?;
        let slot = session.slots.get_mut(asked.slot as usize).ok_or(Status::BADSLOT)?;
        if let Some(client) = self.clients.get_mut(&session.client) {
            client.heard = now;
        }
        if asked.sequence == slot.sequence.wrapping_add(1) {
            slot.sequence = asked.sequence;
            return Ok(Request::New);
        }
        if asked.sequence != slot.sequence || slot.sequence == 0 {
            return Err(Status::SEQ_MISORDERED);
        }
        Ok(Request::Again(slot.kept.clone()))
    }

    /// Keeps the results of a COMPOUND in its slot.
    pub(super) fn keep(&mut self, asked: &Sequence, results: RpcMessage) {
        if let Some(session) = self.sessions.get_mut(&asked.session)
            && let Some(slot) = session.slots.get_mut(asked.slot as usize)
        {
            slot.kept = results;
        }
    }

    /// Handles BIND_CONN_TO_SESSION: returns the channels that the stream then has (RFC 8881 section 18.34).
    ///
    /// # Errors
    /// [`Status::BADSESSION`], [`Status::INVAL`].
    pub(super) fn bind(
        &mut self,
        session: &SessionId,
        direction: u32,
        stream: Option<u64>,
    ) -> Result<u32, Status> {
        const FORE: u32 = 1;
        const BACK: u32 = 2;
        let session = self.sessions.get_mut(session).ok_or(Status::BADSESSION)?;
        let back = match direction {
            FORE => false,
            BACK | 3 | 7 => true,
            _ => return Err(Status::INVAL),
        };
        let back = stream.filter(|_| back && session.callable);
        if back.is_some() {
            session.back = back;
        }
        match (direction, back) {
            (BACK, Some(_)) => Ok(BACK),
            // CDFC4_BACK_OR_BOTH: the fore channel alone is not enough.
            (BACK | 7, None) => Err(Status::INVAL),
            (_, Some(_)) => Ok(FORE | BACK),
            _ => Ok(FORE),
        }
    }

    /// Handles DESTROY_SESSION.
    ///
    /// # Errors
    /// [`Status::BADSESSION`].
    pub(super) fn destroy(&mut self, session: &SessionId) -> Result<(), Status> {
        self.sessions.remove(session).map(|_| ()).ok_or(Status::BADSESSION)
    }

    /// Removes a client and its sessions.
    pub(super) fn forget(&mut self, client: u64) {
        self.clients.remove(&client);
        self.sessions.retain(|_, session| session.client != client);
    }

    /// Whether a client has been silent for longer than a lease.
    pub(super) fn expired(&self, client: u64, now: Instant) -> bool {
        let lease = Duration::from_secs(LEASE.into());
        self.clients.get(&client).is_none_or(|client| now.duration_since(client.heard) > lease)
    }

    /// Returns the most bytes that the slots may keep.
    fn kept(&self) -> u64 {
        self.sessions.values().map(|session| kept_by(session.slots.len())).sum()
    }

    /// Returns the clients that have been silent for longer than a lease, if there is little room for others.
    pub(super) fn to_make_room(&self, now: Instant) -> Vec<u64> {
        let all = self.clients.keys().copied();
        let full = self.clients.len() >= MOST_CLIENTS || self.kept() > MOST_KEPT / 2;
        all.filter(|client| full && self.expired(*client, now)).collect()
    }

    /// Returns a session through which a client can be called.
    pub(super) fn back_channel(&self, client: u64) -> Option<SessionId> {
        let mut all = self.sessions.iter();
        let usable = |session: &Session| session.client == client && session.back.is_some();
        all.find(|(_, session)| usable(session)).map(|(id, _)| *id)
    }

    /// Returns the name that a server has for all its clients (so_major_id, server scope).
    pub(super) fn name(&self) -> Opaque {
        let life = u32::from_be_bytes(self.life);
        Opaque(format!("warpscope {life:08x}").into_bytes())
    }
}
