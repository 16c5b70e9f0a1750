//! The operations on clients and sessions (RFC 8881 sections 18.33 to 18.51).

use super::compound::{Compound, Done};
use super::results::{Exchanged, Sequenced};
use super::types::{CreateSession, ExchangeId, List, Protection, Sequence, SessionId, StateId};
use crate::Status;
use crate::rpc::Builder;

/// SEQ4_STATUS_CB_PATH_DOWN, SEQ4_STATUS_RECALLABLE_STATE_REVOKED, SEQ4_STATUS_CB_PATH_DOWN_SESSION (RFC 8881
/// section 18.46.2).
const PATH_DOWN: u32 = 0x0001;
const REVOKED: u32 = 0x0040;
const SESSION_PATH_DOWN: u32 = 0x0200;

pub(super) fn exchange_id(
    compound: &mut Compound<'_>,
    asked: ExchangeId,
    results: &mut Builder,
) -> Done {
    make_room(compound);
    let version = &mut *compound.version;
    let (client, sequence, flags) = version.sessions.exchange_id(&asked, compound.now)?;
    let scope = version.sessions.name();
    results.value(&Exchanged {
        client,
        sequence,
        flags,
        protection: Protection::None,
        server: (0, scope.clone()),
        scope,
        implementation: List::default(),
    });
    Ok(())
}

/// Removes the clients whose lease has expired, if there is little room for others.
fn make_room(compound: &mut Compound<'_>) {
    let version = &mut *compound.version;
    for client in version.sessions.to_make_room(compound.now) {
        version.sessions.forget(client);
        version.held.forget(client);
    }
}

pub(super) fn create(
    compound: &mut Compound<'_>,
    asked: CreateSession,
    results: &mut Builder,
) -> Done {
    make_room(compound);
    let longest = compound.export.options.most_data.saturating_add(64 * 1024);
    let sessions = &mut compound.version.sessions;
    let (made, before) = sessions.create(&asked, compound.minor, compound.stream, longest)?;
    if let Some(before) = before {
        sessions.forget(before);
        compound.version.held.forget(before);
    }
    results.value(&made);
    Ok(())
}

pub(super) fn bind(
    compound: &mut Compound<'_>,
    (session, direction, _): (SessionId, u32, bool),
    results: &mut Builder,
) -> Done {
    let bound = compound.version.sessions.bind(&session, direction, compound.stream)?;
    compound.version.call_next(session);
    results.value(&session).word(bound).boolean(false);
    Ok(())
}

pub(super) fn destroy(compound: &mut Compound<'_>, session: SessionId, _: &mut Builder) -> Done {
    // Only the last operation may destroy the session of the request (RFC 8881 section 18.37.3).
    let own = compound.sequence.as_ref().is_some_and(|(sequence, _)| sequence.session == session);
    if own && compound.index + 1 < compound.count {
        return Err(Status::NOT_ONLY_OP.into());
    }
    let client = compound.version.sessions.sessions.get(&session).map(|session| session.client);
    compound.version.sessions.destroy(&session)?;
    compound.version.held.calls_lost(client);
    Ok(())
}

pub(super) fn destroy_client(compound: &mut Compound<'_>, client: u64, _: &mut Builder) -> Done {
    let version = &mut *compound.version;
    if !version.sessions.clients.contains_key(&client) {
        return Err(Status::STALE_CLIENTID.into());
    }
    let sessions = version.sessions.sessions.values().any(|session| session.client == client);
    if sessions || version.held.holds(client) {
        return Err(Status::CLIENTID_BUSY.into());
    }
    version.sessions.forget(client);
    Ok(())
}

/// Rejects SEQUENCE in a wrong position; as the first operation it never comes through the table.
pub(super) fn sequence(_: &mut Compound<'_>, _: Sequence, _: &mut Builder) -> Done {
    Err(Status::SEQUENCE_POS.into())
}

/// Adds the results of SEQUENCE.
pub(super) fn sequenced(
    compound: &Compound<'_>,
    asked: &Sequence,
    client: u64,
    highest: u32,
    results: &mut Builder,
) {
    let version = &compound.version;
    let mut flags = 0;
    let delegated = version.held.delegations.values().any(|it| it.client == client && !it.revoked);
    if delegated && version.sessions.back_channel(client).is_none() {
        flags |= PATH_DOWN;
    }
    if version.held.has_revoked(client) {
        flags |= REVOKED;
    }
    let Sequence { session, sequence, slot, .. } = *asked;
    let own = version.sessions.sessions.get(&session);
    if own.is_some_and(|own| own.back.is_none() && own.calling.is_some()) {
        flags |= SESSION_PATH_DOWN;
    }
    results.value(&Sequenced { session, sequence, slot, highest, target: highest, flags });
}

pub(super) fn free_state(compound: &mut Compound<'_>, id: StateId, _: &mut Builder) -> Done {
    let (client, id) = (compound.client()?, compound.state(id)?);
    Ok(compound.version.held.free(client, &id)?)
}

pub(super) fn test_states(
    compound: &mut Compound<'_>,
    ids: List<StateId>,
    results: &mut Builder,
) -> Done {
    let client = compound.client()?;
    let held = &compound.version.held;
    results.word(ids.0.len() as u32);
    for id in &ids.0 {
        // A special state ID is not valid here (RFC 8881 section 18.48.3).
        let status = match held.find(client, id) {
            Ok(super::held::State::Special) => Status::BAD_STATEID,
            Ok(_) => Status::OK,
            Err(status) => status,
        };
        results.word(status.0);
    }
    Ok(())
}

pub(super) fn reclaim_complete(
    compound: &mut Compound<'_>,
    one_file_system: bool,
    _: &mut Builder,
) -> Done {
    let client = compound.client()?;
    if one_file_system {
        compound.object()?;
        return Ok(());
    }
    let client = compound.version.sessions.clients.get_mut(&client);
    match client {
        Some(client) if !client.reclaimed => client.reclaimed = true,
        _ => return Err(Status::COMPLETE_ALREADY.into()),
    }
    Ok(())
}
