//! The initiator: makes a request and reads the reply.

use super::responder::{plain, revision};
use super::{Agreement, Indication, SetupConfig, SetupRevision};
use crate::bug::Bug;
use crate::violation::Violation;
use warpscope_wire::Illegal;
use warpscope_wire::mpa::{
    Enhanced, EnhancedView, Mode, NOT_NEGOTIATED, ReadyToReceive, Revision, Setup, SetupView,
};

/// What a reply comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Full Operation begins; in the peer-to-peer model with this indication.
    Accepted(Agreement, Option<Indication>),
    /// Full Operation begins only to send the Terminate for this (RFC 6581 sections 9.1 and 9.2).
    Unusable(Agreement, Violation),
    /// R: the responder rejects. The depths are what it named.
    Rejected {
        /// The ULP's private data.
        private_data: Vec<u8>,
        /// Responder IRD, if named.
        ird: Option<u16>,
        /// Responder ORD, if named.
        ord: Option<u16>,
    },
}

/// The request.
///
/// # Errors
/// [`Illegal`] when the private data is too long or a depth needs more than 14 bits.
pub fn request(config: &SetupConfig) -> Result<Setup, Illegal> {
    let revision = match config.revision {
        SetupRevision::Two if config.enhanced => {
            let asked = config.supported(config.peer_to_peer);
            let mode = asked.map_or(Mode::ClientServer, Mode::PeerToPeer);
            let depth = |depth| if config.negotiate_depths { depth } else { NOT_NEGOTIATED };
            Revision::Two(Some(Enhanced::new(mode, depth(config.ird), depth(config.ord))?))
        }
        revision => plain(revision),
    };
    Setup::request(config.markers, config.crc, revision, &config.private_data)
}

/// Reads the reply to [`request`].
///
/// # Errors
/// [`Violation::SetupFrame`] when it has another revision than the request, or enhanced data where
/// the request has none, or none where it has some (RFC 6581 section 10).
pub fn read_reply(config: &SetupConfig, frame: &SetupView<'_>) -> Result<Answer, Violation> {
    let header = frame.header;
    let bugs = config.bugs;
    let any = bugs.has(Bug::ReplyRevisionUnchecked);
    if revision(header.revision()) != Some(config.revision) && !any {
        return Err(Violation::SetupFrame);
    }
    let asked = config.revision == SetupRevision::Two && config.enhanced;
    let enhanced = frame.enhanced();
    let missing = enhanced.is_none() && bugs.has(Bug::EnhancedDataMissingTaken);
    let suits = enhanced.is_some() == asked || missing;
    if !suits || header.enhanced_flag() != asked {
        return Err(Violation::SetupFrame);
    }
    let private_data = frame.ulp_private_data().to_vec();
    if header.rejected() && !bugs.has(Bug::RejectIgnored) {
        let (ird, ord) = (enhanced.map(|view| view.ird()), enhanced.map(|view| view.ord()));
        return Ok(Answer::Rejected { private_data, ird, ord });
    }
    let mut agreement = Agreement {
        revision: config.revision,
        send_markers: header.markers(),
        receive_markers: config.markers,
        crc: header.crc() || config.crc,
        ird: config.ird,
        ord: config.ord,
        peer_ird: None,
        peer_ord: None,
        ready_to_receive: None,
        private_data,
    };
    let Some(reply) = enhanced else { return Ok(Answer::Accepted(agreement, None)) };
    Ok(match settle(config, &reply, &mut agreement) {
        Ok(indication) => Answer::Accepted(agreement, indication),
        Err(violation) => Answer::Unusable(agreement, violation),
    })
}

/// Depths and connection model of a reply with enhanced data.
fn settle(
    config: &SetupConfig,
    reply: &EnhancedView<'_>,
    agreement: &mut Agreement,
) -> Result<Option<Indication>, Violation> {
    agreement.peer_ird = Some(reply.ird());
    agreement.peer_ord = Some(reply.ord());
    let bugs = config.bugs;
    if reply.ird() != NOT_NEGOTIATED && !bugs.has(Bug::OrdKept) {
        agreement.ord = config.ord.min(reply.ird());
    }
    let open = reply.ord() == NOT_NEGOTIATED && !bugs.has(Bug::NotNegotiatedReplyTaken);
    let short = !open && reply.ord() > config.ird;
    if short && !bugs.has(Bug::InsufficientIrdAccepted) {
        return Err(Violation::InsufficientIrd);
    }
    let any = bugs.has(Bug::ModelMismatchAccepted);
    if reply.control_a() != config.peer_to_peer && !any {
        return Err(Violation::NoMatchingReadyToReceive);
    }
    let offered = ReadyToReceive::new(reply.control_b(), reply.control_c(), reply.control_d());
    let taken = offered.is_some() && bugs.has(Bug::ReplyFlagsTaken);
    if !config.peer_to_peer && !taken {
        return Ok(None);
    }
    let both = |kind: &Indication| {
        let named = offered.is_some_and(|set| kind.is_in(set));
        (named || bugs.has(Bug::IndicationUnoffered))
            && config.supported(true).is_some_and(|set| kind.is_in(set))
    };
    agreement.ready_to_receive = offered;
    let found = Indication::PREFERRED.into_iter().find(both);
    found.map(Some).ok_or(Violation::NoMatchingReadyToReceive)
}
