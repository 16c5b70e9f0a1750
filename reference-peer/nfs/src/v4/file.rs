//! The operations on files: open, read, write, close (RFC 8881 sections 18.2, 18.3, 18.6, 18.16, 18.18,
//! 18.22, 18.32).

use super::attributes::{to_set, to_set_exclusive};
use super::compound::{Compound, Done};
use super::directory::changing;
use super::handle::{name, regular, set};
use super::held::State;
use super::numbers::share::{READ, WANT, WANT_NONE, WRITE};
use super::results::{CONTENTION, Delegated, NOT_WANTED, OpenedFile, WrittenTo};
use super::types::{self, Bitmap, ChangeInfo, Claim, Making, Opaque, StateId};
use crate::Status;
use crate::export::{Creation, FILE_SYNC, Object};
use crate::protocol::{NewAttributes, access as right};
use crate::rpc::Builder;

/// OPEN4_RESULT_LOCKTYPE_POSIX: lock ranges split and merge.
const POSIX_LOCKS: u32 = 0x04;

pub(super) fn open(compound: &mut Compound<'_>, asked: types::Open, results: &mut Builder) -> Done {
    let client = compound.client()?;
    let (access, deny) = (asked.access & 3, asked.deny);
    if access == 0 || deny > 3 {
        return Err(Status::INVAL.into());
    }
    let reclaims = matches!(
        asked.claim,
        Claim::Previous(_) | Claim::DelegatePrevious(_) | Claim::DelegatePreviousHandle
    );
    let known = compound.version.sessions.clients.get(&client);
    // RFC 8881 section 18.51.3: the client must first report that it has nothing more to reclaim.
    if !reclaims && known.is_some_and(|client| !client.reclaimed) {
        return Err(Status::GRACE.into());
    }
    let owner = &asked.owner.owner.0;
    let (file, info, mask) = match &asked.claim {
        Claim::Null(name) => opened(compound, name, &asked, true)?,
        Claim::DelegateCurrent(id, name) => {
            let found = opened(compound, name, &asked, false)?;
            delegated(compound, id, &found.0)?;
            found
        }
        Claim::Handle | Claim::DelegateCurrentHandle(_) => {
            if asked.how != Making::No {
                return Err(Status::INVAL.into());
            }
            let file = compound.object()?.again()?;
            regular(&file)?;
            if let Claim::DelegateCurrentHandle(id) = &asked.claim {
                delegated(compound, id, &file)?;
            }
            may_open(compound, &asked, &file, false)?;
            (file, ChangeInfo::default(), Bitmap::default())
        }
        // No lock survives a restart of the server, so no client can reclaim any.
        Claim::Previous(_) => return Err(Status::NO_GRACE.into()),
        Claim::DelegatePrevious(_) | Claim::DelegatePreviousHandle => {
            return Err(Status::NOTSUPP.into());
        }
    };
    let identity = file.identity;
    let id = compound.version.held.open(client, owner, identity, (access, deny))?;
    let wanted = asked.access & WANT;
    let fresh = matches!(asked.claim, Claim::Null(_) | Claim::Handle);
    let version = &mut *compound.version;
    let may = fresh && access == READ && deny == 0 && wanted != WANT_NONE;
    let given = match may && version.sessions.back_channel(client).is_some() {
        true => version.held.delegate(client, identity, compound.export.handle(&file)),
        false => None,
    };
    let delegation = match given {
        Some(id) => Delegated::Read(id),
        None if wanted == 0 => Delegated::No,
        None if wanted == WANT_NONE => Delegated::NoBecause(NOT_WANTED, false),
        // The server will not notify the client when one is available.
        None => Delegated::NoBecause(CONTENTION, false),
    };
    results.value(&OpenedFile {
        state: id,
        directory: info,
        flags: POSIX_LOCKS,
        set: mask,
        delegation,
    });
    set(compound, file);
    compound.current_state = Some(id);
    Ok(())
}

/// Opens or creates the file with a name in the current directory.
fn opened(
    compound: &mut Compound<'_>,
    asked_name: &Opaque,
    asked: &types::Open,
    may_make: bool,
) -> Result<(Object, ChangeInfo, Bitmap), Status> {
    let parent = compound.directory()?;
    let name = name(asked_name)?;
    let known = compound.export.lookup(&parent, name);
    let (creation, mask, further) = match &asked.how {
        Making::No => {
            let file = known?;
            regular(&file)?;
            may_open(compound, asked, &file, false)?;
            return Ok((file, ChangeInfo::default(), Bitmap::default()));
        }
        _ if !may_make => return Err(Status::INVAL),
        Making::Unchecked(values) => {
            let (new, mask) = to_set(values)?;
            (Creation::Unchecked(new), mask, None)
        }
        Making::Guarded(values) => {
            let (new, mask) = to_set(values)?;
            (Creation::Guarded(new), mask, None)
        }
        Making::Exclusive(verifier) => {
            let (_, mask) = to_set_exclusive(&types::Values::default())?;
            (Creation::Exclusive(*verifier), mask, None)
        }
        Making::ExclusiveWith(verifier, values) => {
            let (new, mask) = to_set_exclusive(values)?;
            (Creation::Exclusive(*verifier), mask, Some(new))
        }
    };
    compound.export.writable()?;
    let (there, truncates) = match (&known, &creation) {
        (Ok(file), Creation::Unchecked(new)) => {
            regular(file)?;
            may_open(compound, asked, file, new.size == Some(0))?;
            (true, new.size == Some(0))
        }
        (known, _) => (known.is_ok(), false),
    };
    let creation = match creation {
        // Nothing is set on an existing file, but it may be truncated to 0 bytes (RFC 8881 section 18.16.3).
        Creation::Unchecked(_) if there => Creation::Unchecked(NewAttributes {
            size: truncates.then_some(0),
            ..NewAttributes::default()
        }),
        other => other,
    };
    let (file, info) =
        changing(compound, &parent, |compound| compound.export.create(&parent, name, &creation))?;
    if let Some(new) = further {
        file.change(&new)?;
    }
    let mask = match there && matches!(creation, Creation::Unchecked(_)) {
        true => Bitmap::of(mask.numbers().filter(|number| truncates && *number == 4)),
        false => mask,
    };
    Ok((file.again()?, info, mask))
}

/// Checks that a file may be opened as asked: no deny mode and no delegation forbids it, and the server has
/// the access rights.
fn may_open(
    compound: &mut Compound<'_>,
    asked: &types::Open,
    file: &Object,
    truncates: bool,
) -> Result<(), Status> {
    let access = asked.access & 3;
    let wanted = [(READ, right::READ), (WRITE, right::MODIFY)];
    let rights = wanted.iter().filter(|(bit, _)| access & bit != 0);
    let needed = rights.fold(0, |all, (_, right)| all | right);
    if access & WRITE != 0 {
        compound.export.writable()?;
    }
    if file.access(needed, false) != needed {
        return Err(Status::ACCES);
    }
    let version = &mut *compound.version;
    let share = (access | if truncates { WRITE } else { 0 }, asked.deny);
    for other in version.held.denying(file.identity, share) {
        if !version.sessions.expired(other, compound.now) {
            return Err(Status::SHARE_DENIED);
        }
        version.held.forget(other);
        version.sessions.forget(other);
    }
    if access & WRITE != 0 || asked.deny != 0 || truncates {
        compound.no_conflict(file)?;
    }
    Ok(())
}

/// Checks that a state ID is the client's delegation of a file.
fn delegated(compound: &Compound<'_>, id: &StateId, file: &Object) -> Result<(), Status> {
    let held = &compound.version.held;
    match held.find(compound.client()?, &compound.state(*id)?)? {
        State::Delegation(number)
            if held.delegations.get(&number).is_some_and(|it| it.file == file.identity) =>
        {
            Ok(())
        }
        _ => Err(Status::BAD_STATEID),
    }
}

pub(super) fn close(
    compound: &mut Compound<'_>,
    (_, id): (u32, StateId),
    results: &mut Builder,
) -> Done {
    let (client, id) = (compound.client()?, compound.state(id)?);
    let file = compound.object()?.identity;
    let held = &mut compound.version.held;
    let number = held.open_of(client, &id, file)?;
    held.close(number);
    // A state ID that is never valid (RFC 8881 section 18.2.4).
    results.value(&StateId { sequence: u32::MAX, other: [0; 12] });
    compound.current_state = None;
    Ok(())
}

pub(super) fn downgrade(
    compound: &mut Compound<'_>,
    (id, _, (access, deny)): (StateId, u32, (u32, u32)),
    results: &mut Builder,
) -> Done {
    let (client, id) = (compound.client()?, compound.state(id)?);
    let file = compound.object()?.identity;
    let held = &mut compound.version.held;
    let number = held.open_of(client, &id, file)?;
    let id = held.downgrade(number, access & !WANT, deny)?;
    results.value(&id);
    compound.current_state = Some(id);
    Ok(())
}

pub(super) fn return_delegation(compound: &mut Compound<'_>, id: StateId, _: &mut Builder) -> Done {
    let (client, id) = (compound.client()?, compound.state(id)?);
    compound.object()?;
    let held = &mut compound.version.held;
    let State::Delegation(number) = held.find(client, &id)? else {
        return Err(Status::BAD_STATEID.into());
    };
    held.delegations.remove(&number);
    Ok(())
}

/// Returns the current file, if it may be read or written with a state ID.
///
/// # Errors
/// If it is not a file, or not open for this access.
pub(super) fn usable(
    compound: &mut Compound<'_>,
    id: StateId,
    write: bool,
) -> Result<Object, Status> {
    let (client, id) = (compound.client()?, compound.state(id)?);
    let file = regular(compound.object()?)?.again()?;
    if write {
        compound.export.writable()?;
    }
    compound.version.held.may(client, &id, file.identity, write)?;
    if write {
        compound.no_conflict(&file)?;
    }
    Ok(file)
}

pub(super) fn read(compound: &mut Compound<'_>, asked: types::Read, results: &mut Builder) -> Done {
    let file = usable(compound, asked.state, false)?;
    let (data, end) = file.read(asked.offset, asked.count.min(compound.room(results)))?;
    results.boolean(end).eligible(&data);
    Ok(())
}

pub(super) fn write(
    compound: &mut Compound<'_>,
    asked: types::Write,
    results: &mut Builder,
) -> Done {
    if asked.stable > FILE_SYNC {
        return Err(Status::BADXDR.into());
    }
    let file = usable(compound, asked.state, true)?;
    let most = compound.export.options.most_data as usize;
    let data = asked.data.get(..most).unwrap_or(&asked.data);
    file.write(asked.offset, data, asked.stable)?;
    let (count, committed) = (data.len() as u32, asked.stable);
    let verifier = compound.export.options.write_verifier;
    results.value(&WrittenTo { count, committed, verifier });
    Ok(())
}

pub(super) fn commit(
    compound: &mut Compound<'_>,
    (offset, count): (u64, u32),
    results: &mut Builder,
) -> Done {
    compound.export.writable()?;
    if offset.checked_add(count.into()).is_none() {
        return Err(Status::INVAL.into());
    }
    regular(compound.object()?)?.settle()?;
    results.fixed(&compound.export.options.write_verifier);
    Ok(())
}
