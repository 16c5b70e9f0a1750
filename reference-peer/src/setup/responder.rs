//! The responder: reads a request and answers it.

use super::agreement::EnhancedRequest;
use super::{Agreement, Request, SetupConfig, SetupRevision};
use crate::bug::Bug;
use crate::violation::Violation;
use warpscope_wire::Illegal;
use warpscope_wire::mpa::{
    Enhanced, Mode, NOT_NEGOTIATED, ReadyToReceive, Revision, Setup, SetupView,
};

/// Reads a request. Its R bit and reserved bits are not checked (RFC 5044 section 7.1.1).
///
/// # Errors
/// [`Violation::SetupFrame`] when its revision is newer than this side takes, or enhanced data is
/// announced and cut.
pub fn read_request(config: &SetupConfig, frame: &SetupView<'_>) -> Result<Request, Violation> {
    let header = frame.header;
    let bugs = config.bugs;
    let old = bugs.has(Bug::RevisionOneRefused);
    let revision = revision(header.revision())
        .filter(
            |revision| {
                if old { *revision == config.revision } else { *revision <= config.revision }
            },
        )
        .or(bugs.has(Bug::RequestRevisionUnchecked).then_some(config.revision));
    let revision = revision.ok_or(Violation::SetupFrame)?;
    if header.markers() && bugs.has(Bug::MarkersRefused) {
        return Err(Violation::SetupFrame);
    }
    if header.rejected() && bugs.has(Bug::RequestRejectBitChecked) {
        return Err(Violation::SetupFrame);
    }
    if header.enhanced_flag() && frame.enhanced().is_none() {
        return Err(Violation::SetupFrame);
    }
    let enhanced = frame.enhanced().map(|view| EnhancedRequest {
        peer_to_peer: view.control_a(),
        ready_to_receive: ReadyToReceive::new(view.control_b(), view.control_c(), view.control_d()),
        ird: view.ird(),
        ord: view.ord(),
    });
    let client = enhanced.is_some_and(|enhanced| !enhanced.peer_to_peer);
    if client && bugs.has(Bug::ClientServerRefused) {
        return Err(Violation::SetupFrame);
    }
    let mut private_data = frame.ulp_private_data().to_vec();
    if private_data.len() == 8 && bugs.has(Bug::OlderDepthsTaken) {
        private_data.clear();
    }
    let (markers, crc) = (header.markers(), header.crc());
    Ok(Request { revision, markers, crc, enhanced, private_data })
}

/// The revision with this number, when there is one.
pub(super) fn revision(number: u8) -> Option<SetupRevision> {
    match number {
        0 => Some(SetupRevision::Zero),
        1 => Some(SetupRevision::One),
        2 => Some(SetupRevision::Two),
        _ => None,
    }
}

/// The reply that accepts a request, and what is agreed. An initiator whose IRD is less than the
/// ULP requires is rejected instead, with the ORD that would do (RFC 6581 section 9.1): then there
/// is no agreement.
///
/// # Errors
/// [`Illegal`] when the private data is too long.
pub fn accept(
    config: &SetupConfig,
    request: &Request,
    private_data: &[u8],
) -> Result<(Setup, Option<Agreement>), Illegal> {
    let Some(asked) = request.enhanced else {
        let revision = plain(request.revision);
        let reply = Setup::reply(config.markers, config.crc, false, revision, private_data)?;
        let agreement = agreement(config, request, [config.ird, config.ord], None);
        return Ok((reply, Some(agreement)));
    };
    let enough = asked.ird == NOT_NEGOTIATED || asked.ird >= config.required_ord;
    if !enough {
        return Ok((reject(config, request, private_data)?, None));
    }
    let mut supported = config.supported(asked.peer_to_peer);
    if config.bugs.has(Bug::ReplyEchoesIndications) && supported.is_some() {
        supported = asked.ready_to_receive.or(supported);
    }
    if asked.ord == NOT_NEGOTIATED && config.ird == 0 {
        // The IRD stays as it is (RFC 6581 section 9.1): an indication that needs one is not named,
        // if there is another.
        let others = supported.and_then(|set| ReadyToReceive::new(set.send(), set.write(), false));
        supported = others.or(supported);
    }
    let reads = supported.is_some_and(|set| set.read());
    let (ird, told_ird) = inbound_depth(config, &asked, reads);
    let (ord, told_ord) = outbound_depth(config, &asked);
    let mode = supported.map_or(Mode::ClientServer, Mode::PeerToPeer);
    let enhanced = Enhanced::new(mode, told_ird, told_ord)?;
    let revision = Revision::Two(Some(enhanced));
    let reply = Setup::reply(config.markers, config.crc, false, revision, private_data)?;
    Ok((reply, Some(agreement(config, request, [ird, ord], supported))))
}

/// The responder's IRD, and what the reply says: an initiator that does not negotiate its ORD
/// gets 0x3FFF (RFC 6581 section 9.1). A zero-length Read as indication needs room for one.
fn inbound_depth(config: &SetupConfig, asked: &EnhancedRequest, reads: bool) -> (u16, u16) {
    let ird = config.ird.max(u16::from(reads));
    if config.bugs.has(Bug::IrdAsAsked) {
        return (ird, asked.ord);
    }
    let taken = config.bugs.has(Bug::NotNegotiatedOrdTaken);
    let open = (asked.ord == NOT_NEGOTIATED && !taken) || !config.negotiate_depths;
    (ird, if open { NOT_NEGOTIATED } else { ird })
}

/// The responder's ORD, at most the initiator's IRD, and what the reply says.
fn outbound_depth(config: &SetupConfig, asked: &EnhancedRequest) -> (u16, u16) {
    let taken = config.bugs.has(Bug::NotNegotiatedIrdTaken);
    if asked.ird == NOT_NEGOTIATED && !taken {
        return (config.ord, NOT_NEGOTIATED);
    }
    let ord = match config.bugs {
        bugs if bugs.has(Bug::OrdNotLimited) => config.ord,
        bugs if bugs.has(Bug::OrdRaised) => config.ord.max(asked.ird),
        _ => config.ord.min(asked.ird),
    };
    (ord, if config.negotiate_depths { ord } else { NOT_NEGOTIATED })
}

/// The reply that rejects a request (R = 1). It keeps the request's control flag A, and names the
/// ORD that the ULP requires.
///
/// # Errors
/// [`Illegal`] when the private data is too long.
pub fn reject(
    config: &SetupConfig,
    request: &Request,
    private_data: &[u8],
) -> Result<Setup, Illegal> {
    let revision = match request.enhanced {
        None => plain(request.revision),
        Some(asked) => {
            let supported = config.supported(asked.peer_to_peer);
            let mode = supported.map_or(Mode::ClientServer, Mode::PeerToPeer);
            let told_ird = inbound_depth(config, &asked, false).1;
            let told_ord = match outbound_depth(config, &asked).1 {
                NOT_NEGOTIATED => NOT_NEGOTIATED,
                ord if config.bugs.has(Bug::RequiredOrdUntold) => ord,
                ord => ord.max(config.required_ord),
            };
            Revision::Two(Some(Enhanced::new(mode, told_ird, told_ord)?))
        }
    };
    Setup::reply(config.markers, config.crc, true, revision, private_data)
}

/// The revision of a frame without enhanced data.
pub(super) fn plain(revision: SetupRevision) -> Revision {
    match revision {
        SetupRevision::Zero => Revision::Consortium,
        SetupRevision::One => Revision::One,
        SetupRevision::Two => Revision::Two(None),
    }
}

fn agreement(
    config: &SetupConfig,
    request: &Request,
    [ird, ord]: [u16; 2],
    ready_to_receive: Option<ReadyToReceive>,
) -> Agreement {
    Agreement {
        revision: request.revision,
        send_markers: request.markers,
        receive_markers: config.markers,
        crc: request.crc || config.crc,
        ird,
        ord,
        peer_ird: request.enhanced.map(|asked| asked.ird),
        peer_ord: request.enhanced.map(|asked| asked.ord),
        ready_to_receive,
        private_data: request.private_data.clone(),
    }
}
