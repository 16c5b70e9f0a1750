//! The session: how it begins and ends, and requests on its slot (RFC 8881 sections 2.10, 18.35 to 18.37,
//! 18.46, 18.50, 18.51).

use super::compound::{Request, Results};
use crate::client::callback::{Callbacks, PROGRAM};
use crate::client::calls::{Client, ResultError, Session};
use crate::client::files::{FilesError, Outcome};
use crate::client::results::Handle;
use crate::v4::numbers::{BACK_CHANNEL, WITHOUT_PNFS};
use crate::v4::operation;
use crate::v4::results::{Exchanged, Sequenced, SessionCreated};
use crate::v4::types::{
    CallbackSecurity, Channel, ClientOwner, CreateSession, ExchangeId, List, Opaque, Protection,
    Sequence,
};
use crate::{Status, client::files::MOST_DATA};
use std::time::Duration;

/// Bytes of a request or reply in addition to its data.
pub(super) const BESIDE_DATA: u32 = 64 * 1024;
/// The most bytes of the header of a call, SEQUENCE, PUTFH and the arguments other than data.
const BESIDE_WRITTEN: u32 = 1024;
/// The longest reply that the server should keep, in bytes.
const LONGEST_KEPT: u32 = 4096;
/// The most operations of a request, which also limits the names of a path in it.
const MOST_OPERATIONS: u32 = 16;
/// The number of operations of a request that are not part of its path.
const BESIDE_NAMES: u32 = 6;
/// Waits before retrying a request that the server cannot carry out yet: the first, the longest, and how
/// many. Together they outlast a grace period of 90 seconds.
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const MOST_WAITS: usize = 40;

/// How a client of version 4 identifies itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionConfig {
    /// The minor version: 1 or 2.
    pub minor: u32,
    /// The client's name, different from those of all other clients.
    pub owner: Vec<u8>,
    /// A value that changes with each restart of the client.
    pub verifier: [u8; 8],
    /// The longest call accepted on the backchannel, in bytes; `None` disables it. Chunks are not accepted
    /// there: on RPC-over-RDMA it is the inline threshold without the transport's header (RFC 8267 section
    /// 6.5.2).
    pub longest_callback: Option<u32>,
}

/// A client of version 4.1 or 4.2 with one session. The session has one slot: requests are made one after the
/// other.
#[derive(Debug)]
pub struct Nfs4<S> {
    pub(super) session: S,
    pub(super) client: Client,
    pub(super) callbacks: Callbacks,
    pub(super) minor: u32,
    pub(super) id: u64,
    /// The last request in the slot.
    last: Sequence,
    pub(super) root: Handle,
    /// The most bytes of a READ and a WRITE.
    pub(super) most: (u32, u32),
    /// The most names of a path in one request.
    pub(super) most_names: usize,
    /// Whether delegations can be recalled.
    pub(super) back_channel: bool,
    /// Whether the server supports READ_PLUS, as far as known.
    pub(super) reads_plus: bool,
}

impl<S: Session> Nfs4<S> {
    /// Begins a session, and gets the root and how much one call may transfer. The callbacks must be those
    /// that answer calls on `session`.
    ///
    /// # Errors
    /// [`FilesError`] if the server refuses.
    pub fn new(
        session: S,
        client: Client,
        config: &SessionConfig,
        callbacks: Callbacks,
    ) -> Outcome<S, Self> {
        callbacks.listen(None);
        let mut new = Self {
            session,
            client,
            callbacks,
            minor: config.minor,
            id: 0,
            last: Sequence::default(),
            root: Handle::default(),
            most: (0, 0),
            most_names: 1,
            back_channel: false,
            reads_plus: config.minor > 1,
        };
        let fore = new.begin(config)?;
        new.most_names = fore.operations.saturating_sub(BESIDE_NAMES).max(1) as usize;
        let request = Request::default().with(operation::RECLAIM_COMPLETE, &false, 0).once();
        new.ask(&request)?.next::<()>(operation::RECLAIM_COMPLETE)?;
        let (root, read, write) = new.find_root()?;
        new.root = root;
        let most = |limit: Option<u64>, channel: u32| {
            let limit = limit.and_then(|most| u32::try_from(most).ok()).unwrap_or(MOST_DATA);
            limit.min(channel.saturating_sub(BESIDE_WRITTEN)).clamp(1, MOST_DATA)
        };
        new.most = (most(read, fore.response), most(write, fore.request));
        Ok(new)
    }

    /// Makes EXCHANGE_ID and CREATE_SESSION, and returns the limits of the fore channel.
    fn begin(&mut self, config: &SessionConfig) -> Outcome<S, Channel> {
        let (verifier, owner) = (config.verifier, Opaque(config.owner.clone()));
        let asked = ExchangeId {
            client: ClientOwner { verifier, owner },
            flags: WITHOUT_PNFS,
            protection: Protection::None,
            implementation: None,
        };
        let request = Request::default().with(operation::EXCHANGE_ID, &asked, 3 * 1024);
        let exchanged: Exchanged = self.ask_alone(&request)?.next(operation::EXCHANGE_ID)?;
        if exchanged.protection != Protection::None {
            return Err(FilesError::Misbehaved("protects state although this was not requested"));
        }
        self.id = exchanged.client;
        let (fore, back) = channels(config.longest_callback.unwrap_or(BESIDE_WRITTEN));
        let asked = CreateSession {
            client: self.id,
            sequence: exchanged.sequence,
            flags: if config.longest_callback.is_some() { BACK_CHANNEL } else { 0 },
            fore,
            back,
            program: PROGRAM,
            security: List(vec![CallbackSecurity(Some(self.client.credential().clone()))]),
        };
        let request = Request::default().with(operation::CREATE_SESSION, &asked, 128);
        let made: SessionCreated = self.ask_alone(&request)?.next(operation::CREATE_SESSION)?;
        if made.fore.operations < BESIDE_NAMES || made.fore.slots == 0 {
            return Err(FilesError::Misbehaved("makes a session with limits that are too small"));
        }
        self.last.session = made.session;
        self.back_channel = made.flags & asked.flags & BACK_CHANNEL != 0;
        self.callbacks.listen(self.back_channel.then_some((made.session, self.minor)));
        Ok(made.fore)
    }

    /// Makes a request in the session. Delegations that were recalled are returned before it, and those that
    /// are recalled during the request right after it, because the next request may be long in coming.
    pub(super) fn ask(&mut self, request: &Request) -> Outcome<S, Results> {
        let (results, _) = self.patiently(|it| {
            it.give_back(false)?;
            it.ask_once(request)
        })?;
        self.give_back(false)?;
        Ok(results)
    }

    /// Retries a request as long as the server asks for a delay.
    fn patiently(
        &mut self,
        mut ask: impl FnMut(&mut Self) -> Outcome<S, (Results, Status)>,
    ) -> Outcome<S, (Results, Status)> {
        let mut wait = FIRST_WAIT;
        for _ in 0..MOST_WAITS {
            let (results, status) = ask(self)?;
            if !matches!(status, Status::JUKEBOX | Status::GRACE) {
                return Ok((results, status));
            }
            self.session.wait(wait).map_err(FilesError::Session)?;
            wait = (2 * wait).min(LONGEST_WAIT);
        }
        ask(self)
    }

    /// Returns the delegations that were recalled, or all, to the server.
    pub(super) fn give_back(&mut self, all: bool) -> Outcome<S, ()> {
        while let Some(delegation) = self.callbacks.to_return(all) {
            let handle = Opaque(delegation.file.bytes().to_vec());
            let request = Request::default()
                .with(operation::PUTFH, &handle, 0)
                .with(operation::DELEGRETURN, &delegation.state, 0)
                .once();
            self.patiently(|it| it.ask_once(&request))?;
            // A delegation that the server no longer has, or revoked, is removed too.
            self.callbacks.returned(&delegation);
        }
        Ok(())
    }

    /// Makes a request in the session; returns the results after SEQUENCE, and the status of the COMPOUND.
    fn ask_once(&mut self, request: &Request) -> Outcome<S, (Results, Status)> {
        let sequence = self.last.sequence.wrapping_add(1);
        let asked = Sequence { sequence, cache: request.once, ..self.last };
        let (xid, call) = request.call(&mut self.client, self.minor, Some(&asked));
        let reply = self.session.call(call).map_err(FilesError::Session)?;
        // The server has carried it out, even if the reply is malformed: the next one needs the next number.
        self.last.sequence = sequence;
        let (mut results, status) = Results::of(&reply, xid)?;
        match results.next::<Sequenced>(operation::SEQUENCE) {
            Ok(done) => {
                let ours = (asked.session, asked.sequence, asked.slot);
                if (done.session, done.sequence, done.slot) != ours {
                    return Err(FilesError::Misbehaved("answers another request of the session"));
                }
            }
            Err(error) => {
                // A failed SEQUENCE leaves the slot unchanged (RFC 8881 section 18.46.3).
                if let ResultError::Operation(failed) = error {
                    self.last.sequence = sequence.wrapping_sub(1);
                    if failed == Status::JUKEBOX {
                        return Ok((results, status));
                    }
                }
                return Err(error.into());
            }
        }
        Ok((results, status))
    }

    /// Makes a request outside a session.
    fn ask_alone(&mut self, request: &Request) -> Outcome<S, Results> {
        let answered = self.patiently(|it| {
            let (xid, call) = request.call(&mut it.client, it.minor, None);
            let reply = it.session.call(call).map_err(FilesError::Session)?;
            Ok(Results::of(&reply, xid)?)
        });
        Ok(answered?.0)
    }

    /// Returns all delegations, and ends the session and the client ID.
    pub(super) fn finish(&mut self) -> Outcome<S, ()> {
        self.give_back(true)?;
        let request = Request::default().with(operation::DESTROY_SESSION, &self.last.session, 0);
        self.ask_alone(&request)?.next::<()>(operation::DESTROY_SESSION)?;
        self.callbacks.listen(None);
        let request = Request::default().with(operation::DESTROY_CLIENTID, &self.id, 0);
        Ok(self.ask_alone(&request)?.next::<()>(operation::DESTROY_CLIENTID)?)
    }
}

/// Returns the requested limits of both channels.
fn channels(longest_callback: u32) -> (Channel, Channel) {
    let fore = Channel {
        request: MOST_DATA + BESIDE_DATA,
        response: MOST_DATA + BESIDE_DATA,
        cached: LONGEST_KEPT,
        operations: MOST_OPERATIONS,
        slots: 1,
        ..Channel::default()
    };
    let back = Channel {
        request: longest_callback,
        response: longest_callback,
        cached: longest_callback,
        operations: 4,
        slots: 1,
        ..Channel::default()
    };
    (fore, back)
}
