//! The configuration of an end of RPC-over-RDMA.

use warpscope_peer::bug::{Bug, Bugs};
use warpscope_peer::connection::Role;
use warpscope_peer::memory::Base;
use warpscope_peer::variant::{Variant, Variants};
use warpscope_wire::mpa::{RdmaPrivateData, RdmaPrivateDataView};

/// The default inline threshold, in bytes (RFC 8166 section 3.3.3).
pub(crate) const SMALLEST_THRESHOLD: u32 = 1024;

/// The first offset of a chunk with [`Variant::FarOffsets`].
const FAR_BASE: u64 = (1 << 40) - 104;

/// How calls use chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CallForm {
    /// Inline if call and reply fit; otherwise the eligible items go by chunks, and if that is not enough,
    /// the whole message does.
    #[default]
    Shortest,
    /// Every eligible item goes by a chunk, however short it is. The rest goes inline if it fits, otherwise
    /// by a chunk of position 0.
    Chunked,
    /// The whole call goes by a chunk of position 0, however short it is (RFC 8166 section 3.5.3).
    Long,
}

/// The configuration of an end of RPC-over-RDMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RpcRdmaConfig {
    /// The side of the setup that this end is: the initiator makes forward calls.
    pub role: Role,
    /// Credits that calls of this end ask for, at least 1.
    pub credits_asked: u32,
    /// Credits that replies of this end grant: how many calls it accepts at once. With 0 it accepts none.
    pub credits_granted: u32,
    /// The longest message that this end sends inline, in bytes: 1024 to 262144, in steps of 1024.
    pub send_size: u32,
    /// The longest message that it receives inline, in bytes.
    pub receive_size: u32,
    /// Whether it sends private data (RFC 8797). If not, all thresholds are 1024 bytes.
    pub private_data: bool,
    /// R: whether the peer may invalidate Steering Tags of this end, and this end invalidates the peer's if
    /// both agree.
    pub remote_invalidation: bool,
    /// Whether calls of this end may have chunks.
    pub calls_with_chunks: bool,
    /// Whether chunks of the peer's calls are accepted. If not, such calls are answered with ERR_CHUNK.
    pub takes_chunks: bool,
    /// How calls use chunks.
    pub form: CallForm,
    /// The longest segment of a chunk, in bytes.
    pub longest_segment: u32,
    /// The first offset of a chunk.
    pub base: Base,
    /// Whether Steering Tags belong to the Protection Domain. Then the peer can invalidate none, and R stays
    /// clear.
    pub shared_tags: bool,
    /// Whether read chunks include the round-up of their item (RFC 8166 section 3.4.5.2).
    pub padded_chunks: bool,
    /// Whether this end answers a reply with a faulty header with RDMA_ERROR, as
    /// draft-ietf-nfsv4-rfc5666bis-04 section 5.5 requires; by RFC 8166 section 4.5 it is dropped.
    pub answers_faulty_replies: bool,
    /// The longest call that is assembled from read chunks, in bytes. A longer one is answered with ERR_CHUNK
    /// (RFC 8166 section 8.1.4).
    pub longest_call: u32,
    /// The bugs of this end.
    pub bugs: Bugs,
    /// What this end does differently, within the documents.
    pub variants: Variants,
}

impl RpcRdmaConfig {
    /// Configures the client's end, the initiator of the connection. It accepts `backward` calls of the
    /// server at once (RFC 8167); neither side uses chunks for these.
    pub fn client(backward: u32) -> Self {
        Self {
            role: Role::Initiator,
            credits_asked: 32,
            credits_granted: backward,
            send_size: 4096,
            receive_size: 4096,
            private_data: true,
            remote_invalidation: true,
            calls_with_chunks: true,
            takes_chunks: false,
            form: CallForm::default(),
            longest_segment: u32::MAX,
            base: Base::Zero,
            shared_tags: false,
            padded_chunks: false,
            answers_faulty_replies: false,
            longest_call: 2 << 20,
            bugs: Bugs::NONE,
            variants: Variants::NONE,
        }
    }

    /// Configures the server's end, the responder of the connection. It accepts `credits` calls at once.
    pub fn server(credits: u32) -> Self {
        Self {
            role: Role::Responder,
            credits_asked: 4,
            credits_granted: credits.max(1),
            calls_with_chunks: false,
            takes_chunks: true,
            ..Self::client(0)
        }
    }

    /// Applies these variants; those that are settings only if nothing else has set them yet.
    pub fn vary(&mut self, variants: Variants) {
        self.variants = variants;
        let usual = Self::client(0);
        let free = *self;
        variants.when(Variant::RpcPaddedChunks, || self.padded_chunks = true);
        variants.when(Variant::RpcSharedTags, || self.shared_tags = true);
        variants.when(Variant::RpcKeepsTags, || self.remote_invalidation = false);
        variants.when(Variant::FarOffsets, || self.base = Base::Address(FAR_BASE));
        // Backward calls are short if the client's threshold is all that its session allows for them
        // (RFC 8267 section 6.5.2).
        if free.form == usual.form && free.calls_with_chunks {
            variants.when(Variant::RpcChunkedCalls, || self.form = CallForm::Chunked);
            variants.when(Variant::RpcLongCalls, || self.form = CallForm::Long);
        }
        if (free.send_size, free.receive_size) == (usual.send_size, usual.receive_size) {
            let least = SMALLEST_THRESHOLD;
            let mut sizes = (free.send_size, free.receive_size);
            variants.when(Variant::RpcLeastThresholds, || sizes = (least, least));
            variants.when(Variant::RpcWideThresholds, || sizes = (64 * least, 64 * least));
            (self.send_size, self.receive_size) = sizes;
        }
        variants.when(Variant::RpcManyCredits, || self.credits_asked = 200);
        if free.credits_granted > 0 {
            variants.when(Variant::RpcOneCredit, || self.credits_granted = 1);
            variants.when(Variant::RpcManyCredits, || self.credits_granted = 200);
        }
    }

    /// Returns the private data for the setup frame; empty if it is disabled, or a size cannot be expressed.
    pub fn private_data(&self) -> Vec<u8> {
        if !self.private_data {
            return Vec::new();
        }
        let invalidation = self.remote_invalidation && !self.shared_tags;
        let data = RdmaPrivateData::new(invalidation, self.send_size, self.receive_size);
        let Ok(mut bytes) = data.map(|data| data.bytes()) else { return Vec::new() };
        let [magic, .., version, flags, send, receive] = &mut bytes;
        *magic ^= u8::from(self.bugs.has(Bug::RpcPrivateMagic));
        *version += u8::from(self.bugs.has(Bug::RpcPrivateVersion));
        *flags |= u8::from(self.bugs.has(Bug::RpcPrivateReserved)) << 1;
        if self.bugs.has(Bug::RpcPrivateSizes) {
            (*send, *receive) = (send.saturating_add(1), receive.saturating_add(1));
        }
        bytes.to_vec()
    }
}

/// The inline thresholds of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Thresholds {
    /// The longest message that this end sends inline, in bytes.
    pub send: usize,
    /// The longest message that the peer sends inline, in bytes.
    pub receive: usize,
    /// Whether both sides have set R: replies may invalidate a Steering Tag of their call.
    pub remote_invalidation: bool,
}

/// Returns the peer's R, send size and receive size. The eight bytes may be anywhere in the private data
/// (RFC 8797 section 5.2).
fn announced(private_data: &[u8], bugs: Bugs) -> Option<(bool, u32, u32)> {
    let places = if bugs.has(Bug::RpcPrivateInFront) { 1 } else { usize::MAX };
    let found = private_data.windows(8).take(places).find_map(|window| {
        let (view, _) = RdmaPrivateDataView::parse(window).ok()?;
        let reserved = view.flags() & !1 != 0;
        let taken = !reserved || !bugs.has(Bug::RpcPrivateReservedChecked);
        (view.recognised() && taken).then_some(view)
    });
    found.map(|view| (view.remote_invalidation(), view.send_size(), view.receive_size()))
}

impl Thresholds {
    /// The values without private data (RFC 8166 section 3.3.3).
    pub(super) const SMALLEST: Self = Self {
        send: SMALLEST_THRESHOLD as usize,
        receive: SMALLEST_THRESHOLD as usize,
        remote_invalidation: false,
    };

    /// Returns the thresholds between this end and a peer with this private data. If either side's private
    /// data is missing, the defaults of RFC 8166 apply (RFC 8797 section 5.1).
    pub fn new(config: &RpcRdmaConfig, private_data: &[u8]) -> Self {
        let smallest = (false, SMALLEST_THRESHOLD, SMALLEST_THRESHOLD);
        let own = announced(&config.private_data(), config.bugs).unwrap_or(smallest);
        let peer = announced(private_data, config.bugs).unwrap_or(smallest);
        let receives = match config.bugs.has(Bug::RpcThresholdIgnored) {
            true => own.1,
            false => peer.2,
        };
        Self {
            send: match config.bugs.has(Bug::RpcSendSizeExceeded) {
                true => receives,
                false => own.1.min(receives),
            } as usize,
            receive: own.2.min(peer.1) as usize,
            remote_invalidation: own.0 && peer.0,
        }
    }
}
