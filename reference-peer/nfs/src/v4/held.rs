//! What clients hold on files: opens, locks, delegations, each with its state ID (RFC 8881 sections 8.2, 9,
//! 10).

use super::attributes::LEASE;
use super::numbers::share::{READ, WRITE};
use super::ranges::{Range, Ranges};
use super::types::StateId;
use crate::Status;
use crate::export::Identity;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The most opens, lock owners and delegations of all clients, and the most ranges of one owner.
const MOST_OPENS: usize = 16_384;
const MOST_LOCKS: usize = 16_384;
const MOST_DELEGATIONS: usize = 1024;
const MOST_RANGES: usize = 4096;

/// An open file.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) client: u64,
    pub(super) file: Identity,
    owner: Vec<u8>,
    pub(super) access: u32,
    pub(super) deny: u32,
    sequence: u32,
}

/// The locks of one owner in a file.
#[derive(Debug)]
pub(super) struct Locks {
    pub(super) client: u64,
    pub(super) file: Identity,
    owner: Vec<u8>,
    open: u64,
    ranges: Ranges,
    sequence: u32,
}

/// A read delegation: a client's right to assume that nobody else writes a file.
#[derive(Debug)]
pub(super) struct Delegation {
    pub(super) client: u64,
    pub(super) file: Identity,
    pub(super) handle: Vec<u8>,
    pub(super) recalled: Option<Instant>,
    /// Whether a session has the call that recalls it.
    pub(super) called: bool,
    pub(super) revoked: bool,
}

/// A conflicting lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InTheWay {
    pub(super) range: Range,
    pub(super) client: u64,
    pub(super) owner: Vec<u8>,
}

/// A delegation to be recalled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recall {
    pub(super) client: u64,
    pub(super) number: u64,
    pub(super) state: StateId,
    pub(super) handle: Vec<u8>,
    /// Whether a session has the call that recalls it.
    pub(super) called: bool,
}

/// Returns a state ID for one run of the server.
fn state_id(life: [u8; 4], sequence: u32, number: u64) -> StateId {
    let mut other = [0; 12];
    let parts = life.into_iter().chain(number.to_be_bytes());
    other.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
    StateId { sequence, other }
}

/// The state that a state ID refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Special, no state: all zeros, or all ones.
    Special,
    Open(u64),
    Locks(u64),
    Delegation(u64),
}

/// Everything that clients hold.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) opens: BTreeMap<u64, Open>,
    locks: BTreeMap<u64, Locks>,
    pub(super) delegations: BTreeMap<u64, Delegation>,
    count: u64,
    pub(super) life: [u8; 4],
}

impl Held {
    fn number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn id(&self, sequence: u32, number: u64) -> StateId {
        state_id(self.life, sequence, number)
    }

    /// Returns the state that a client's state ID refers to (RFC 8881 section 8.2.4).
    ///
    /// # Errors
    /// [`Status::BAD_STATEID`], [`Status::OLD_STATEID`], [`Status::DELEG_REVOKED`].
    pub(super) fn find(&self, client: u64, id: &StateId) -> Result<State, Status> {
        match (id.sequence, id.other) {
            (0, [0, ..]) if id.other == [0; 12] => return Ok(State::Special),
            (u32::MAX, [255, ..]) if id.other == [255; 12] => return Ok(State::Special),
            _ => {}
        }
        let [a, b, c, d, rest @ ..] = id.other;
        if [a, b, c, d] != self.life {
            return Err(Status::BAD_STATEID);
        }
        let number = u64::from_be_bytes(rest);
        let (of, sequence, state) = if let Some(open) = self.opens.get(&number) {
            (open.client, open.sequence, State::Open(number))
        } else if let Some(locks) = self.locks.get(&number) {
            (locks.client, locks.sequence, State::Locks(number))
        } else if let Some(delegation) = self.delegations.get(&number) {
            if delegation.client == client && delegation.revoked {
                return Err(Status::DELEG_REVOKED);
            }
            (delegation.client, 1, State::Delegation(number))
        } else {
            return Err(Status::BAD_STATEID);
        };
        if of != client {
            return Err(Status::BAD_STATEID);
        }
        match id.sequence {
            0 => Ok(state),
            given if given == sequence => Ok(state),
            given if given < sequence => Err(Status::OLD_STATEID),
            _ => Err(Status::BAD_STATEID),
        }
    }

    /// Returns the open that a state ID refers to.
    ///
    /// # Errors
    /// As [`Self::find`]; [`Status::BAD_STATEID`] for other kinds of state, or for another file.
    pub(super) fn open_of(&self, client: u64, id: &StateId, file: Identity) -> Result<u64, Status> {
        match self.find(client, id)? {
            State::Open(number) if self.opens.get(&number).is_some_and(|it| it.file == file) => {
                Ok(number)
            }
            _ => Err(Status::BAD_STATEID),
        }
    }

    /// Checks that a client may read or write a file with a state ID (RFC 8881 sections 8.2.3, 9.1.2).
    ///
    /// # Errors
    /// [`Status::OPENMODE`], [`Status::LOCKED`], [`Status::BAD_STATEID`] and so on.
    pub(super) fn may(
        &self,
        client: u64,
        id: &StateId,
        file: Identity,
        write: bool,
    ) -> Result<(), Status> {
        let (of, access) = match self.find(client, id)? {
            State::Special => {
                let wanted = if write { WRITE } else { READ };
                let denied = self.opens.values().any(|it| it.file == file && it.deny & wanted != 0);
                return if denied { Err(Status::LOCKED) } else { Ok(()) };
            }
            State::Open(number) => self.opens.get(&number).map(|it| (it.file, it.access)),
            State::Locks(number) => self
                .locks
                .get(&number)
                .and_then(|it| Some((it.file, self.opens.get(&it.open)?.access))),
            State::Delegation(number) => self.delegations.get(&number).map(|it| (it.file, READ)),
        }
        .ok_or(Status::BAD_STATEID)?;
        if of != file {
            return Err(Status::BAD_STATEID);
        }
        // An open for writing also allows reading (RFC 8881 section 18.22.3 leaves this to the server).
        if write && access & WRITE == 0 { Err(Status::OPENMODE) } else { Ok(()) }
    }

    /// Returns the clients whose opens forbid this one, same owner included (RFC 8881 section 18.16.3).
    pub(super) fn denying(&self, file: Identity, (access, deny): (u32, u32)) -> Vec<u64> {
        let denying =
            |it: &&Open| it.file == file && (it.deny & access != 0 || it.access & deny != 0);
        self.opens.values().filter(denying).map(|it| it.client).collect()
    }

    /// Opens a file, or extends an existing open.
    ///
    /// # Errors
    /// [`Status::JUKEBOX`] if there are too many opens.
    pub(super) fn open(
        &mut self,
        client: u64,
        owner: &[u8],
        file: Identity,
        (access, deny): (u32, u32),
    ) -> Result<StateId, Status> {
        let mut all = self.opens.iter_mut();
        let known = all.find(|(_, it)| it.client == client && it.file == file && it.owner == owner);
        if let Some((number, open)) = known {
            open.access |= access;
            open.deny |= deny;
            open.sequence += 1;
            let (number, sequence) = (*number, open.sequence);
            return Ok(self.id(sequence, number));
        }
        if self.opens.len() >= MOST_OPENS {
            return Err(Status::JUKEBOX);
        }
        let number = self.number();
        let owner = owner.to_vec();
        self.opens.insert(number, Open { client, file, owner, access, deny, sequence: 1 });
        Ok(self.id(1, number))
    }

    /// Reduces the access and deny bits of an open.
    ///
    /// # Errors
    /// [`Status::INVAL`] for bits that it does not have.
    pub(super) fn downgrade(
        &mut self,
        number: u64,
        access: u32,
        deny: u32,
    ) -> Result<StateId, Status> {
        let open = self.opens.get_mut(&number).ok_or(Status::BAD_STATEID)?;
        if access == 0 || access & !open.access != 0 || deny & !open.deny != 0 {
            return Err(Status::INVAL);
        }
        (open.access, open.deny) = (access, deny);
        open.sequence += 1;
        let sequence = open.sequence;
        Ok(self.id(sequence, number))
    }

    /// Closes a file, and releases the locks of that open.
    pub(super) fn close(&mut self, number: u64) {
        self.opens.remove(&number);
        self.locks.retain(|_, locks| locks.open != number);
    }

    /// Returns a lock that conflicts with a range.
    pub(super) fn in_the_way(
        &self,
        client: u64,
        owner: &[u8],
        file: Identity,
        range: &Range,
    ) -> Option<InTheWay> {
        let mut others = self
            .locks
            .values()
            .filter(|it| it.file == file && (it.client != client || it.owner != owner));
        others.find_map(|it| {
            let range = *it.ranges.conflict(range)?;
            Some(InTheWay { range, client: it.client, owner: it.owner.clone() })
        })
    }

    /// Returns an owner's locks under an open, and creates them if needed.
    ///
    /// # Errors
    /// [`Status::JUKEBOX`] if there are too many.
    pub(super) fn locks_of(&mut self, open: u64, owner: &[u8]) -> Result<u64, Status> {
        let of = self.opens.get(&open).ok_or(Status::BAD_STATEID)?;
        let (client, file) = (of.client, of.file);
        let mut all = self.locks.iter();
        let known = all.find(|(_, it)| it.client == client && it.file == file && it.owner == owner);
        if let Some((number, _)) = known {
            return Ok(*number);
        }
        if self.locks.len() >= MOST_LOCKS {
            return Err(Status::JUKEBOX);
        }
        let number = self.number();
        let (owner, ranges) = (owner.to_vec(), Ranges::default());
        self.locks.insert(number, Locks { client, file, owner, open, ranges, sequence: 0 });
        Ok(number)
    }

    /// Returns the locks of an owner, and the open that they belong to.
    pub(super) fn locker(&self, number: u64) -> Option<(&Locks, &Open)> {
        let locks = self.locks.get(&number)?;
        Some((locks, self.opens.get(&locks.open)?))
    }

    /// Locks or unlocks a range.
    ///
    /// # Errors
    /// [`Status::JUKEBOX`] if an owner has too many.
    pub(super) fn change(
        &mut self,
        number: u64,
        range: Range,
        lock: bool,
    ) -> Result<StateId, Status> {
        let locks = self.locks.get_mut(&number).ok_or(Status::BAD_STATEID)?;
        if locks.ranges.0.len() >= MOST_RANGES {
            return Err(Status::JUKEBOX);
        }
        match lock {
            true => locks.ranges.lock(range),
            false => locks.ranges.unlock(&range),
        }
        locks.sequence += 1;
        let sequence = locks.sequence;
        Ok(self.id(sequence, number))
    }

    /// Handles FREE_STATEID (RFC 8881 section 18.38).
    ///
    /// # Errors
    /// [`Status::LOCKS_HELD`] for state in use; as [`Self::find`].
    pub(super) fn free(&mut self, client: u64, id: &StateId) -> Result<(), Status> {
        match self.find(client, id) {
            Ok(State::Locks(number)) => {
                if self.locks.get(&number).is_some_and(|it| !it.ranges.0.is_empty()) {
                    return Err(Status::LOCKS_HELD);
                }
                self.locks.remove(&number);
                Ok(())
            }
            Ok(State::Open(_) | State::Delegation(_)) => Err(Status::LOCKS_HELD),
            Ok(State::Special) => Err(Status::BAD_STATEID),
            Err(Status::DELEG_REVOKED) => {
                let [_, _, _, _, rest @ ..] = id.other;
                self.delegations.remove(&u64::from_be_bytes(rest));
                Ok(())
            }
            Err(status) => Err(status),
        }
    }

    /// Delegates a file for reading; `None` if there are too many delegations, or somebody writes.
    pub(super) fn delegate(
        &mut self,
        client: u64,
        file: Identity,
        handle: Vec<u8>,
    ) -> Option<StateId> {
        let written = self.opens.values().any(|it| it.file == file && it.access & WRITE != 0);
        let known = self
            .delegations
            .values()
            .any(|it| it.file == file && (it.client == client || it.recalled.is_some()));
        if written || known || self.delegations.len() >= MOST_DELEGATIONS {
            return None;
        }
        let number = self.number();
        let (recalled, called, revoked) = (None, false, false);
        let delegation = Delegation { client, file, handle, recalled, called, revoked };
        self.delegations.insert(number, delegation);
        Some(self.id(1, number))
    }

    /// Recalls the delegations of other clients that forbid a change, and returns them. A delegation recalled
    /// more than a lease ago is revoked (RFC 8881 section 10.4.6), and forbids nothing.
    pub(super) fn recall(
        &mut self,
        client: Option<u64>,
        file: Identity,
        now: Instant,
    ) -> Vec<Recall> {
        let lease = Duration::from_secs(LEASE.into());
        let (life, mut waiting) = (self.life, Vec::new());
        for (number, it) in &mut self.delegations {
            if it.file != file || Some(it.client) == client || it.revoked {
                continue;
            }
            match it.recalled {
                Some(at) if now.duration_since(at) > lease => it.revoked = true,
                recalled => {
                    it.recalled = recalled.or(Some(now));
                    waiting.push(Recall {
                        client: it.client,
                        number: *number,
                        state: state_id(life, 1, *number),
                        handle: it.handle.clone(),
                        called: it.called,
                    });
                }
            }
        }
        waiting
    }

    /// Notes that the calls of one of a client's sessions are gone: what is still recalled needs other calls.
    pub(super) fn calls_lost(&mut self, client: Option<u64>) {
        let all = self.delegations.values_mut();
        all.filter(|it| Some(it.client) == client).for_each(|it| it.called = false);
    }

    /// Whether a client has a revoked delegation.
    pub(super) fn has_revoked(&self, client: u64) -> bool {
        self.delegations.values().any(|it| it.client == client && it.revoked)
    }

    /// Whether a client holds anything.
    pub(super) fn holds(&self, client: u64) -> bool {
        self.opens.values().any(|it| it.client == client)
            || self.delegations.values().any(|it| it.client == client)
    }

    /// Removes everything that a client holds.
    pub(super) fn forget(&mut self, client: u64) {
        self.opens.retain(|_, it| it.client != client);
        self.locks.retain(|_, it| it.client != client);
        self.delegations.retain(|_, it| it.client != client);
    }
}

impl Locks {
    /// Returns the owner of the locks.
    pub(super) fn owner(&self) -> &[u8] {
        &self.owner
    }
}
