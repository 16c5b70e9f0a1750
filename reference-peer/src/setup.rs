//! MPA connection setup: the frames of both roles, and what they agree on (RFC 5044 section 7.1,
//! RFC 6581).

use super::bug::{Bug, Bugs};
use super::variant::{Variant, Variants};
use super::violation::Violation;
use warpscope_wire::Illegal;
use warpscope_wire::mpa::{
    ENHANCED_LENGTH, Enhanced, EnhancedView, KEY_LENGTH, MAX_PRIVATE_DATA, Mode, NOT_NEGOTIATED,
    REPLY_KEY, REQUEST_KEY, ReadyToReceive, Revision, Role, SETUP_HEADER_LENGTH, Setup,
    SetupHeaderView, SetupView,
};

#[cfg(test)]
mod tests;

/// A ready-to-receive (RTR) indication (RFC 6581 section 9.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Indication {
    /// A zero-length Send.
    Send,
    /// A zero-length RDMA Write.
    Write,
    /// A zero-length RDMA Read.
    Read,
}

impl Indication {
    /// Every kind, in this peer's order of preference: a Write requires nothing from the receiver, a
    /// Read requires a response.
    pub(crate) const PREFERRED: [Self; 3] = [Self::Write, Self::Read, Self::Send];

    /// Returns whether a side supports this kind.
    pub(crate) fn is_in(self, set: ReadyToReceive) -> bool {
        match self {
            Self::Send => set.send(),
            Self::Write => set.write(),
            Self::Read => set.read(),
        }
    }
}

/// An initiator's request, as the responder reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Its revision.
    pub revision: SetupRevision,
    /// M: the initiator requires markers.
    pub markers: bool,
    /// C: the initiator wants CRCs.
    pub crc: bool,
    /// The enhanced data, if present: A, then the supported indications, IRD and ORD.
    pub enhanced: Option<EnhancedRequest>,
    /// The ULP's private data.
    pub private_data: Vec<u8>,
}

/// The enhanced data of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnhancedRequest {
    /// A: the peer-to-peer model.
    pub peer_to_peer: bool,
    /// B, C, D: what the initiator can send; ignored without A.
    pub ready_to_receive: Option<ReadyToReceive>,
    /// Initiator IRD.
    pub ird: u16,
    /// Initiator ORD.
    pub ord: u16,
}

/// The parameters that both sides use in Full Operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// The revision of the frames.
    pub revision: SetupRevision,
    /// Whether this side inserts markers into what it sends.
    pub send_markers: bool,
    /// Whether this side receives markers.
    pub receive_markers: bool,
    /// Whether CRCs are in use, in both directions.
    pub crc: bool,
    /// IRD of this side.
    pub ird: u16,
    /// ORD of this side.
    pub ord: u16,
    /// The IRD that the peer named, 0x3FFF included; it is passed to the ULP (RFC 6581 section 9.1).
    pub peer_ird: Option<u16>,
    /// The ORD that the peer named.
    pub peer_ord: Option<u16>,
    /// The indications that the initiator's first message may be; `None` in the client-server model.
    pub ready_to_receive: Option<ReadyToReceive>,
    /// The peer's private data.
    pub private_data: Vec<u8>,
}

/// A revision of MPA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetupRevision {
    /// Revision 0, of the RDMA Consortium.
    Zero,
    /// Revision 1 (RFC 5044).
    One,
    /// Revision 2 (RFC 6581).
    Two,
}

/// The setup parameters that a side wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupConfig {
    /// The revision that an initiator sends, and the newest that a responder accepts.
    pub revision: SetupRevision,
    /// M: markers are required in what this side receives.
    pub markers: bool,
    /// C: this side wants CRCs.
    pub crc: bool,
    /// S: an initiator of revision 2 sends enhanced data. A responder answers as the request did.
    pub enhanced: bool,
    /// Whether enhanced data contains depths; if not, they are 0x3FFF (RFC 6581 section 9.1).
    pub negotiate_depths: bool,
    /// Inbound RDMA Read Queue Depth (IRD): requests that this side can hold at once.
    pub ird: u16,
    /// Outbound RDMA Read Queue Depth (ORD): requests that this side wants to have outstanding.
    pub ord: u16,
    /// The smallest ORD that a responder's ULP accepts; it rejects an initiator with less IRD.
    pub required_ord: u16,
    /// Whether an initiator asks for the peer-to-peer model.
    pub peer_to_peer: bool,
    /// The ready-to-receive indications that this side supports; `None` means all of them. A side that
    /// knows revision 2 supports at least one (RFC 6581 section 9.2).
    pub ready_to_receive: Option<ReadyToReceive>,
    /// The ULP's private data.
    pub private_data: Vec<u8>,
    /// The bugs of this side; a connection puts its own set here.
    pub bugs: Bugs,
    /// The variants of this side; a connection puts its own set here.
    pub variants: Variants,
}

impl Default for SetupConfig {
    /// Revision 1 with CRCs, without markers, and depths of 16.
    fn default() -> Self {
        Self {
            revision: SetupRevision::One,
            markers: false,
            crc: true,
            enhanced: false,
            negotiate_depths: true,
            ird: 16,
            ord: 16,
            required_ord: 0,
            peer_to_peer: false,
            ready_to_receive: None,
            private_data: Vec::new(),
            bugs: Bugs::NONE,
            variants: Variants::NONE,
        }
    }
}

impl SetupConfig {
    /// Returns the indications that this side supports, if the peer-to-peer model is requested.
    fn supported(&self, peer_to_peer: bool) -> Option<ReadyToReceive> {
        let all = ReadyToReceive::new(true, true, true);
        self.ready_to_receive.or(all).filter(|_| peer_to_peer)
    }

    /// Returns the indications that this side offers as an initiator, if it requests the peer-to-peer model.
    fn offered(&self) -> Option<ReadyToReceive> {
        let read = || ReadyToReceive::new(false, false, true);
        let own = self.variants.has(Variant::OpensWithRead).then(read).flatten();
        self.ready_to_receive.or(own).or_else(|| self.supported(true)).filter(|_| self.peer_to_peer)
    }

    /// Returns an initiator's configuration of revision 2 with enhanced data.
    pub fn enhanced() -> Self {
        Self { revision: SetupRevision::Two, enhanced: true, ..Self::default() }
    }
}

/// A complete setup frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedSetup {
    bytes: Vec<u8>,
}

impl OwnedSetup {
    /// Returns the frame.
    ///
    /// # Errors
    /// [`Violation::SetupFrame`] when it is incomplete; a [`FrameReader`] never creates such a frame.
    pub fn view(&self) -> Result<SetupView<'_>, Violation> {
        SetupView::parse(&self.bytes).map(|(view, _)| view).map_err(|_| Violation::SetupFrame)
    }
}

/// Collects one setup frame. It stores no more bytes than the longest frame has.
#[derive(Debug, Clone)]
pub struct FrameReader {
    role: Role,
    waiting: Vec<u8>,
    bugs: Bugs,
}

impl FrameReader {
    /// Creates a reader for the frame of this role.
    pub fn new(role: Role) -> Self {
        Self { role, waiting: Vec::new(), bugs: Bugs::NONE }
    }

    /// Returns this reader with these bugs.
    #[must_use]
    pub(crate) fn with_bugs(self, bugs: Bugs) -> Self {
        Self { bugs, ..self }
    }

    /// Returns the largest accepted length of private data in bytes.
    fn most(&self) -> usize {
        if self.bugs.has(Bug::PrivateDataLimit) {
            return 255;
        }
        if self.bugs.has(Bug::PrivateDataOverlong) { u16::MAX.into() } else { MAX_PRIVATE_DATA }
    }

    /// Adds bytes; returns the frame once it is complete.
    ///
    /// The frame must end at the end of `bytes`: neither side sends more before the frame has been
    /// answered (RFC 5044 section 7.1.2 rules 3 and 4).
    ///
    /// # Errors
    /// [`Violation::SetupFrame`] as soon as the bytes cannot become the frame: another key, over 512
    /// bytes of private data, or bytes after it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<OwnedSetup>, Violation> {
        let runs_on = self.bugs.has(Bug::PrivateDataRunsOn);
        let behind = self.bugs.has(Bug::BytesAfterSetupTaken) || runs_on;
        let room = (SETUP_HEADER_LENGTH + self.most()).saturating_sub(self.waiting.len());
        if bytes.len() > room && !behind {
            return Err(Violation::SetupFrame);
        }
        let split = !self.waiting.is_empty() && self.bugs.has(Bug::SetupFrameSplitRefused);
        if split {
            return Err(Violation::SetupFrame);
        }
        self.waiting.extend_from_slice(bytes);
        let key = match self.role {
            Role::Request => REQUEST_KEY,
            Role::Reply => REPLY_KEY,
        };
        let right = self.waiting.iter().zip(key).all(|(byte, due)| byte == due);
        if !right && !self.bugs.has(Bug::SetupKeyUnchecked) {
            return Err(Violation::SetupFrame);
        }
        let Ok((header, rest)) = SetupHeaderView::parse(&self.waiting) else { return Ok(None) };
        let length = usize::from(header.private_data_length());
        if length > self.most() || (rest.len() > length && !behind) {
            return Err(Violation::SetupFrame);
        }
        if header.reserved() != 0 && self.bugs.has(Bug::SetupReservedChecked) {
            return Err(Violation::SetupFrame);
        }
        if rest.len() < length {
            let missing = length - rest.len();
            let awaited = !self.bugs.has(Bug::PrivateDataNotAwaited);
            return if awaited { Ok(None) } else { self.push(&vec![0; missing]) };
        }
        if runs_on && rest.len() <= self.most() {
            let length = (rest.len() as u16).to_be_bytes();
            self.waiting[SETUP_HEADER_LENGTH - 2..SETUP_HEADER_LENGTH].copy_from_slice(&length);
        }
        Ok(Some(OwnedSetup { bytes: std::mem::take(&mut self.waiting) }))
    }

    /// Handles the end of the peer's direction before the frame is complete: the setup ends there.
    pub(crate) fn end(&mut self) -> Option<OwnedSetup> {
        let missing = SetupHeaderView::parse(&self.waiting).map_or(0, |(header, rest)| {
            usize::from(header.private_data_length()).saturating_sub(rest.len())
        });
        if missing == 0 || !self.bugs.has(Bug::SetupFrameCutTaken) {
            return None;
        }
        self.push(&vec![0; missing]).ok().flatten()
    }
}

/// Applies bugs to an outgoing setup frame.
pub(crate) fn spoil_frame(config: &SetupConfig, frame: &mut Vec<u8>) {
    let bugs = config.bugs;
    if bugs.is_empty() {
        return;
    }
    if frame.starts_with(REPLY_KEY) {
        spoil_reply(config, frame);
    }
    let Some((header, private_data)) = frame.split_first_chunk_mut::<SETUP_HEADER_LENGTH>() else {
        return;
    };
    let request = header.starts_with(REQUEST_KEY);
    let [key @ .., flags, revision, high, low] = header;
    if bugs.has(Bug::SetupKeyOfTheOther) && key.len() == KEY_LENGTH {
        key.copy_from_slice(if request { REPLY_KEY } else { REQUEST_KEY });
    }
    bugs.when(Bug::SetupReservedBits, || *flags |= 0x01);
    bugs.when(Bug::SetupRevision129, || *revision = 129);
    if bugs.has(Bug::RequestWithReject) && request {
        *flags |= 0x20;
    }
    bugs.when(Bug::CrcFlagMissing, || *flags &= !0x40);
    if let Some((enhanced, _)) = private_data.split_first_chunk_mut::<ENHANCED_LENGTH>()
        && *flags & 0x10 != 0
    {
        if bugs.has(Bug::IndicationsWithoutControlA) && enhanced[0] & 0x80 == 0 {
            enhanced[0] |= 0x40;
        }
        if bugs.has(Bug::EnhancedLittleEndian) {
            enhanced.swap(0, 1);
            enhanced.swap(2, 3);
        }
        bugs.when(Bug::EnhancedFlagMissing, || *flags &= !0x10);
        bugs.when(Bug::EnhancedBehindPrivateData, || private_data.rotate_left(ENHANCED_LENGTH));
    }
    bugs.when(Bug::PrivateDataLengthShort, || *low = low.saturating_sub(1));
    bugs.when(Bug::PrivateDataLengthLittleEndian, || std::mem::swap(high, low));
}

/// Applies bugs to a reply.
fn spoil_reply(config: &SetupConfig, frame: &mut Vec<u8>) {
    let bugs = config.bugs;
    if frame.len() < SETUP_HEADER_LENGTH {
        return;
    }
    if bugs.has(Bug::ReplyEnhancedUnasked) && frame[16] & 0x10 == 0 {
        frame[16] |= 0x10;
        frame[17] = 2;
        frame[19] = frame[19].wrapping_add(ENHANCED_LENGTH as u8);
        frame.splice(SETUP_HEADER_LENGTH..SETUP_HEADER_LENGTH, [0, 16, 0, 16]);
    }
    bugs.when(Bug::ReplyRevisionOwn, || frame[17] = config.revision as u8);
    bugs.when(Bug::ReplyRevisionOne, || frame[17] = 1);
    let asked = frame[16] & 0x10 != 0;
    let Some(enhanced) = frame.get_mut(SETUP_HEADER_LENGTH..).and_then(<[u8]>::first_chunk_mut)
    else {
        return;
    };
    if asked {
        spoil_enhanced(bugs, enhanced);
    }
}

/// Applies bugs to a reply's enhanced data.
fn spoil_enhanced(bugs: Bugs, enhanced: &mut [u8; ENHANCED_LENGTH]) {
    if bugs.has(Bug::ReplyDepthsSwapped) {
        let flags = enhanced.map(|byte| byte & 0xc0);
        enhanced.rotate_left(2);
        enhanced[0] = enhanced[0] & 0x3f | flags[0];
        enhanced[2] = enhanced[2] & 0x3f | flags[2];
    }
    if bugs.has(Bug::ReplyNamesNoIndication) {
        enhanced[0] &= !0x40;
        enhanced[2] &= !0xc0;
    }
    if bugs.has(Bug::ReplyDropsControlA) {
        enhanced[0] &= !0x80;
    } else if bugs.has(Bug::ReplySetsControlA) {
        enhanced[0] |= 0x80;
    }
}

// The initiator: creates a request and reads the reply.

/// The result of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Full Operation begins, in the peer-to-peer model with this indication.
    Accepted(Agreement, Option<Indication>),
    /// Full Operation begins only to send the Terminate for this violation (RFC 6581 sections 9.1 and 9.2).
    Unusable(Agreement, Violation),
    /// R: the responder rejects the connection. The depths are those that it named.
    Rejected {
        /// The ULP's private data.
        private_data: Vec<u8>,
        /// Responder IRD, if named.
        ird: Option<u16>,
        /// Responder ORD, if named.
        ord: Option<u16>,
    },
}

/// Creates the request.
///
/// # Errors
/// [`Illegal`] when the private data is too long or a depth needs more than 14 bits.
pub fn request(config: &SetupConfig) -> Result<Setup, Illegal> {
    let revision = match config.revision {
        SetupRevision::Two if config.enhanced => {
            let asked = config.offered();
            let mode = asked.map_or(Mode::ClientServer, Mode::PeerToPeer);
            // An initiator without depths needs no enhanced data (RFC 6581 section 10).
            let names = config.negotiate_depths || config.variants.has(Variant::DepthsLeftToUlp);
            let depth = |depth| if names { depth } else { NOT_NEGOTIATED };
            Revision::Two(Some(Enhanced::new(mode, depth(config.ird), depth(config.ord))?))
        }
        revision => plain(revision),
    };
    Setup::request(config.markers, config.crc, revision, &config.private_data)
}

/// Reads the reply to [`request`].
///
/// # Errors
/// [`Violation::SetupFrame`] when its revision is not that of the request, or when only one of request
/// and reply has enhanced data (RFC 6581 section 10). Where neither has, a reply to a request of revision 2
/// may have revision 1 (section 6).
pub(crate) fn read_reply(config: &SetupConfig, frame: &SetupView<'_>) -> Result<Answer, Violation> {
    let header = frame.header;
    let bugs = config.bugs;
    let any = bugs.has(Bug::ReplyRevisionUnchecked);
    let asked = config.revision == SetupRevision::Two && config.enhanced;
    let replied = revision(header.revision());
    let older =
        replied == Some(SetupRevision::One) && config.revision == SetupRevision::Two && !asked;
    if replied != Some(config.revision) && !older && !any {
        return Err(Violation::SetupFrame);
    }
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
        revision: if older { SetupRevision::One } else { config.revision },
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

/// Reads the depths and the connection model from a reply with enhanced data.
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
    if short && config.variants.has(Variant::IrdRaised) {
        agreement.ird = reply.ord();
    } else if short && !bugs.has(Bug::InsufficientIrdAccepted) {
        return Err(Violation::InsufficientIrd);
    }
    if reply.control_a() != config.peer_to_peer {
        return match config.variants.has(Variant::ModelMismatchTaken) && config.peer_to_peer {
            true => Ok(None),
            false => Err(Violation::NoMatchingReadyToReceive),
        };
    }
    let offered = ReadyToReceive::new(reply.control_b(), reply.control_c(), reply.control_d());
    let heeded = offered.is_some() && bugs.has(Bug::ReplyFlagsTaken);
    if !config.peer_to_peer && !heeded {
        return Ok(None);
    }
    // A responder with an IRD of 0 takes no Read, even an empty one (RFC 5040 section 6.1).
    let taken = |kind: &Indication| *kind != Indication::Read || reply.ird() > 0;
    let both = |kind: &Indication| {
        let named = taken(kind) && offered.is_some_and(|set| kind.is_in(set));
        (named || bugs.has(Bug::IndicationUnoffered))
            && config.offered().is_some_and(|set| kind.is_in(set))
    };
    agreement.ready_to_receive = offered;
    let mut order = Indication::PREFERRED;
    config.variants.when(Variant::IndicationSend, || order.rotate_right(1));
    config.variants.when(Variant::IndicationRead, || order.rotate_left(1));
    let able = config.variants.has(Variant::IndicationOfTheReply);
    let named =
        |kind: &Indication| able && taken(kind) && offered.is_some_and(|set| kind.is_in(set));
    let found = order.into_iter().find(both).or_else(|| order.into_iter().find(named));
    found.map(Some).ok_or(Violation::NoMatchingReadyToReceive)
}

// The responder: reads a request and answers it.

/// Reads a request. Its R bit and reserved bits are not checked (RFC 5044 section 7.1.1).
///
/// # Errors
/// [`Violation::SetupFrame`] when its revision is newer than this side accepts, or when announced
/// enhanced data is incomplete.
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

/// Returns the revision with this number, if it exists.
fn revision(number: u8) -> Option<SetupRevision> {
    match number {
        0 => Some(SetupRevision::Zero),
        1 => Some(SetupRevision::One),
        2 => Some(SetupRevision::Two),
        _ => None,
    }
}

/// Creates the reply that accepts a request, and returns what is agreed. If an initiator's IRD is less
/// than the ULP requires, the reply rejects it instead, and names the ORD that would be enough (RFC
/// 6581 section 9.1); there is no agreement then. A request of revision 0 is rejected with a reply of
/// revision 1, because RDMAP of version 0 is not supported (RFC 5044 section C.2.1).
///
/// # Errors
/// [`Illegal`] when the private data is too long.
pub fn accept(
    config: &SetupConfig,
    request: &Request,
    private_data: &[u8],
) -> Result<(Setup, Option<Agreement>), Illegal> {
    if request.revision == SetupRevision::Zero {
        return Ok((reject(config, request, private_data)?, None));
    }
    let Some(asked) = request.enhanced else {
        let revision = plain(request.revision);
        let reply = Setup::reply(config.markers, config.crc, false, revision, private_data)?;
        let agreement = agreement(config, request, [config.ird, config.ord], None);
        return Ok((reply, Some(agreement)));
    };
    let enough = asked.ird == NOT_NEGOTIATED || asked.ird >= config.required_ord;
    let short = asked.ord != NOT_NEGOTIATED
        && asked.ord > config.ird
        && config.variants.has(Variant::ShortIrdRejected);
    if !enough || short {
        return Ok((reject(config, request, private_data)?, None));
    }
    let mut supported = config.supported(asked.peer_to_peer);
    if config.bugs.has(Bug::ReplyEchoesIndications) && supported.is_some() {
        supported = asked.ready_to_receive.or(supported);
    }
    supported = named(config.variants, supported, asked.ready_to_receive);
    if asked.ord == NOT_NEGOTIATED && config.ird == 0 {
        // The IRD does not change (RFC 6581 section 9.1): an indication that needs IRD is not named if
        // there is another.
        let others = supported.and_then(|set| ReadyToReceive::new(set.send(), set.write(), false));
        supported = others.or(supported);
    }
    let reads = supported.is_some_and(|set| set.read());
    let (ird, reply_ird) = inbound_depth(config, &asked, reads);
    let (ord, reply_ord) = outbound_depth(config, &asked);
    let mode = supported.map_or(Mode::ClientServer, Mode::PeerToPeer);
    let enhanced = Enhanced::new(mode, reply_ird, reply_ord)?;
    let revision = Revision::Two(Some(enhanced));
    let reply = Setup::reply(config.markers, config.crc, false, revision, private_data)?;
    let heeded = config.bugs.has(Bug::FlagsWithoutControlAHeeded);
    let awaited = supported.or(asked.ready_to_receive.filter(|_| heeded));
    Ok((reply, Some(agreement(config, request, [ird, ord], awaited))))
}

/// Returns the supported indications that a reply names: all of them, or fewer, but at least one that
/// was requested if there is one (RFC 6581 section 9.2).
fn named(
    variants: Variants,
    supported: Option<ReadyToReceive>,
    asked: Option<ReadyToReceive>,
) -> Option<ReadyToReceive> {
    let (Some(mut named), Some(asked)) = (supported, asked) else { return supported };
    let both = |one: ReadyToReceive, other: ReadyToReceive| {
        let [send, write, read] = [one.send(), one.write(), one.read()];
        let (write, read) = (write && other.write(), read && other.read());
        ReadyToReceive::new(send && other.send(), write, read)
    };
    for (variant, without) in [
        (Variant::ReplyOmitsSend, ReadyToReceive::new(false, true, true)),
        (Variant::ReplyOmitsWrite, ReadyToReceive::new(true, false, true)),
        (Variant::ReplyOmitsRead, ReadyToReceive::new(true, true, false)),
        (Variant::ReplyNamesAsked, Some(asked)),
    ] {
        let fewer = without.filter(|_| variants.has(variant)).and_then(|it| both(named, it));
        named = fewer.filter(|it| both(*it, asked).is_some()).unwrap_or(named);
    }
    Some(named)
}

/// Returns the responder's IRD, and the value for the reply: an initiator that does not negotiate its ORD
/// gets 0x3FFF (RFC 6581 section 9.1). A zero-length Read as indication needs an IRD of at least one.
fn inbound_depth(config: &SetupConfig, asked: &EnhancedRequest, reads: bool) -> (u16, u16) {
    let ird = config.ird.max(u16::from(reads));
    if config.bugs.has(Bug::IrdAsAsked) {
        return (ird, asked.ord);
    }
    let taken = config.bugs.has(Bug::NotNegotiatedOrdTaken);
    let open = (asked.ord == NOT_NEGOTIATED && !taken) || !config.negotiate_depths;
    (ird, if open { NOT_NEGOTIATED } else { ird })
}

/// Returns the responder's ORD, at most the initiator's IRD, and the value for the reply.
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

/// Creates the reply that rejects a request (R = 1). It keeps the request's control flag A, and names
/// the ORD that the ULP requires.
///
/// # Errors
/// [`Illegal`] when the private data is too long.
pub fn reject(
    config: &SetupConfig,
    request: &Request,
    private_data: &[u8],
) -> Result<Setup, Illegal> {
    let revision = match request.enhanced {
        None => plain(request.revision.max(SetupRevision::One)),
        Some(asked) => {
            let supported = config.supported(asked.peer_to_peer);
            let mode = supported.map_or(Mode::ClientServer, Mode::PeerToPeer);
            let reply_ird = inbound_depth(config, &asked, false).1;
            let reply_ord = match outbound_depth(config, &asked).1 {
                NOT_NEGOTIATED => NOT_NEGOTIATED,
                ord if config.bugs.has(Bug::RequiredOrdUntold) => ord,
                ord => ord.max(config.required_ord),
            };
            Revision::Two(Some(Enhanced::new(mode, reply_ird, reply_ord)?))
        }
    };
    Setup::reply(config.markers, config.crc, true, revision, private_data)
}

/// Returns the revision of a frame without enhanced data.
fn plain(revision: SetupRevision) -> Revision {
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
