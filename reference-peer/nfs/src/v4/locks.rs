//! The operations on locks (RFC 8881 sections 18.10 to 18.12).

use super::compound::{Compound, Done, Failure};
use super::handle::regular;
use super::held::{InTheWay, State};
use super::numbers::share::{READ, WRITE};
use super::ranges::Range;
use super::types::{Lock, LockTest, Locker, StateId, Unlock};
use crate::Status;
use crate::rpc::Builder;

/// Whether the type is WRITE_LT or WRITEW_LT. The latter asks to wait, which is up to the client.
fn writes(kind: u32) -> Result<bool, Status> {
    match kind {
        1 | 3 => Ok(false),
        2 | 4 => Ok(true),
        _ => Err(Status::BADXDR),
    }
}

fn range(offset: u64, length: u64, write: bool) -> Result<Range, Status> {
    Range::new(offset, length, write).ok_or(Status::INVAL)
}

/// Returns the conflicting lock as the reply describes it (LOCK4denied).
fn denied(other: &InTheWay) -> Failure {
    let mut body = Builder::default();
    body.long(other.range.start).long(other.range.length());
    body.word(if other.range.write { 2 } else { 1 }).long(other.client).opaque(&other.owner);
    Failure::With(Status::DENIED, body.bytes)
}

pub(super) fn lock(compound: &mut Compound<'_>, asked: Lock, results: &mut Builder) -> Done {
    let client = compound.client()?;
    let file = regular(compound.object()?)?.identity;
    let write = writes(asked.kind)?;
    let range = range(asked.offset, asked.length, write)?;
    if asked.reclaim {
        return Err(Status::NO_GRACE.into());
    }
    let held = &compound.version.held;
    let (number, owner, access) = match &asked.locker {
        Locker::New { open, owner } => {
            let open = held.open_of(client, &compound.state(*open)?, file)?;
            let access = held.opens.get(&open).map_or(0, |open| open.access);
            (Err(open), owner.owner.0.clone(), access)
        }
        Locker::Known(id) => {
            let State::Locks(number) = held.find(client, &compound.state(*id)?)? else {
                return Err(Status::BAD_STATEID.into());
            };
            let (locks, open) = held.locker(number).ok_or(Status::BAD_STATEID)?;
            if locks.file != file {
                return Err(Status::BAD_STATEID.into());
            }
            (Ok(number), locks.owner().to_vec(), open.access)
        }
    };
    if access & if write { WRITE } else { READ } == 0 {
        return Err(Status::OPENMODE.into());
    }
    none_in_the_way(compound, client, &owner, &range)?;
    let held = &mut compound.version.held;
    let number = number.or_else(|open| held.locks_of(open, &owner))?;
    let id = held.change(number, range, true)?;
    results.value(&id);
    compound.current_state = Some(id);
    Ok(())
}

/// Checks that a lock is available. A client that was silent for a lease does not block anybody.
fn none_in_the_way(compound: &mut Compound<'_>, client: u64, owner: &[u8], range: &Range) -> Done {
    let file = compound.object()?.identity;
    let (version, now) = (&mut *compound.version, compound.now);
    while let Some(other) = version.held.in_the_way(client, owner, file, range) {
        if !version.sessions.expired(other.client, now) {
            return Err(denied(&other));
        }
        version.held.forget(other.client);
        version.sessions.forget(other.client);
    }
    Ok(())
}

pub(super) fn test(compound: &mut Compound<'_>, asked: LockTest, _: &mut Builder) -> Done {
    let client = compound.client()?;
    regular(compound.object()?)?;
    let range = range(asked.offset, asked.length, writes(asked.kind)?)?;
    none_in_the_way(compound, client, &asked.owner.owner.0, &range)
}

pub(super) fn unlock(compound: &mut Compound<'_>, asked: Unlock, results: &mut Builder) -> Done {
    let (client, file) = (compound.client()?, regular(compound.object()?)?.identity);
    writes(asked.kind)?;
    let id: StateId = compound.state(asked.stretch.state)?;
    let range = range(asked.stretch.offset, asked.stretch.length, false)?;
    let held = &mut compound.version.held;
    let State::Locks(number) = held.find(client, &id)? else {
        return Err(Status::BAD_STATEID.into());
    };
    if held.locker(number).is_none_or(|(locks, _)| locks.file != file) {
        return Err(Status::BAD_STATEID.into());
    }
    let id = held.change(number, range, false)?;
    results.value(&id);
    compound.current_state = Some(id);
    Ok(())
}
