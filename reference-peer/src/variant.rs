//! Variants: choices that the documents leave open, made differently from the strict peer.
//!
//! A peer with any of them is as correct as one without: a conformance case that fails it is wrong. A row
//! gives the variant's name, the side that shows it, the sentence that allows it, and what it does. The code
//! asks for a variant at the place where the peer chooses, or it is a setting of the configuration.

use crate::switch::{Layer, MOST, Switch, SwitchSide, Switches};

/// A row of the table of variants.
#[derive(Debug, Clone, Copy)]
pub struct VariantRow {
    /// The variant.
    pub variant: Variant,
    /// Its name on the command line.
    pub name: &'static str,
    /// The layer.
    pub layer: Layer,
    /// The side that shows it.
    pub side: SwitchSide,
    /// The section that allows it.
    pub section: &'static str,
    /// A description of what it does, in one line.
    pub meaning: &'static str,
    /// The content of that section, in one line.
    pub allowed: &'static str,
}

/// Defines the enum and the table from rows grouped by layer.
macro_rules! variants {
    ($($layer:ident: [$(
        $variant:ident $name:literal $side:ident $section:literal $meaning:literal $allowed:literal;
    )*])*) => {
        /// Something that the documents allow and the strict peer does not do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Variant {
            $($(#[doc = $meaning] $variant,)*)*
        }

        /// Every variant once, by layer, in the order of [`Variant`].
        pub static TABLE: &[VariantRow] = &[$($(VariantRow {
            variant: Variant::$variant,
            name: $name,
            layer: Layer::$layer,
            side: SwitchSide::$side,
            section: $section,
            meaning: $meaning,
            allowed: $allowed,
        },)*)*];
    };
}

variants! {
    Setup: [
        SetupFrameInPieces "setup-frame-in-pieces" Both "RFC 5044 section 7.1"
            "sends its setup frame in TCP segments of seven bytes"
            "setup frames are exchanged as TCP byte streams";
        ReplyOmitsSend "reply-omits-send" Responder "RFC 6581 section 9.2"
            "does not name Send among the indications of its reply, although it accepts it"
            "a responder need not name all indications that it supports";
        ReplyOmitsWrite "reply-omits-write" Responder "RFC 6581 section 9.2"
            "does not name Write among the indications of its reply, although it accepts it"
            "a responder need not name all indications that it supports";
        ReplyOmitsRead "reply-omits-read" Responder "RFC 6581 section 9.2"
            "does not name Read among the indications of its reply, although it accepts it"
            "a responder need not name all indications that it supports";
        ReplyNamesAsked "reply-names-asked" Responder "RFC 6581 section 9.2"
            "names only those indications in its reply that were asked for"
            "naming indications that were not asked for is a MAY";
        WrongIndicationTaken "wrong-indication-taken" Responder "RFC 6581 section 9.2"
            "accepts any first message as the indication that was agreed on"
            "the initiator is bound to its indication; the responder need not check it";
        MarkersWanted "markers-wanted" Both "RFC 5044 section 4.3"
            "wants markers in what it receives, where it is free to choose"
            "each receiver chooses whether it wants markers";
        DepthsOfFour "depths-of-four" Both "RFC 6581 section 9.1"
            "offers an IRD and an ORD of 4, where it is free to choose"
            "depths are what each side can hold";
        DepthsOfOne "depths-of-one" Both "RFC 6581 section 9.1"
            "offers an IRD and an ORD of 1, where it is free to choose"
            "depths are what each side can hold";
        ShallowDepths "shallow-depths" Both "RFC 6581 section 9.1"
            "has an IRD of at most 2 for each stream that an agent orders"
            "a side names the IRD that it can hold, whatever the other would like";
        DepthsLeftToUlp "depths-left-to-ulp" Responder "RFC 6581 section 9.1"
            "names no depths in its reply (0x3FFF), where it is free to choose"
            "all ones mean that the ULP is responsible for IRD and ORD";
        PrivateDataOfItsOwn "private-data-of-its-own" Both "RFC 5044 section 7.1.2"
            "has private data in its setup frame where none was asked for"
            "both frames may include private data of the ULP";
        RejectionEnds "rejection-ends" Both "RFC 5044 section 7.1.2"
            "closes TCP once the connection is rejected"
            "MPA leaves the connection to the ULP, which may close it";
        IndicationSend "indication-send" Initiator "RFC 6581 section 9.2"
            "sends an empty Send as its indication wherever both sides support that"
            "the initiator generates one of the negotiated indications";
        IndicationRead "indication-read" Initiator "RFC 6581 section 9.2"
            "sends an empty Read as its indication wherever both sides support that"
            "the initiator generates one of the negotiated indications";
        IndicationOfTheReply "indication-of-the-reply" Initiator "RFC 6581 section 9.2"
            "sends an indication that the reply names, where that names none of those offered"
            "a reply may name further indications, and the initiator says so if it cannot generate one";
        ShortIrdRejected "short-ird-rejected" Responder "RFC 6581 section 9.1"
            "rejects a request whose ORD is more than its IRD"
            "in a successful negotiation the responder's IRD is not less than the initiator's ORD";
        IrdRaised "ird-raised" Initiator "RFC 6581 section 9.1"
            "raises its IRD to the ORD that the reply names"
            "the initiator sets its IRD at least to the responder's ORD";
        ModelMismatchTaken "model-mismatch-taken" Initiator "RFC 6581 section 9.2"
            "continues in the client-server model when the reply to A = 1 has A = 0"
            "the Terminate is due where no indication of the responder can be sent, and here none is";
        OpensPeerToPeer "opens-peer-to-peer" Initiator "RFC 6581 section 9.2"
            "opens streams in the peer-to-peer model, and accepts no order to change that"
            "the initiator chooses the model";
        OpensWithRead "opens-with-read" Initiator "RFC 6581 section 9.2"
            "opens streams in the peer-to-peer model, with Read as its only indication"
            "the initiator names the indications that it supports";
    ]
    Mpa: [
        MarkerPositionUnchecked "marker-position-unchecked" Both "RFC 5044 section 8"
            "accepts FPDUs whose markers point elsewhere"
            "checking markers is optional where segments are received in order";
        SeveralInASegment "several-in-a-segment" Both "RFC 5044 section 5.1"
            "packs as many FPDUs into a TCP segment as fit, where it is free to choose"
            "a sender may pack several FPDUs into a segment";
        Unaligned "unaligned" Both "RFC 5044 section A.4"
            "sends FPDUs wherever they fall in TCP segments, where it is free to choose"
            "a TCP that knows nothing of MPA does not align";
        FpduInPieces "fpdu-in-pieces" Both "RFC 5044 section A.4"
            "sends TCP segments of at most 100 bytes, where it is free to choose"
            "a TCP that knows nothing of MPA does not align";
        CrcGenerated "crc-generated" Both "RFC 5044 section 4.4"
            "continues to generate CRCs where neither side wants them"
            "a side that does not check CRCs may continue to generate them";
        WrongFpduDropped "wrong-fpdu-dropped" Both "RFC 5044 section 8"
            "silently drops an FPDU with a wrong CRC or marker, and all that follow"
            "an optimized MPA may drop the TCP segment; TCP then tries again until it gives up";
        MpaErrorCloses "mpa-error-closes" Both "RFC 5040 section 6.2.1"
            "closes without a Terminate after an error that MPA finds"
            "a Terminate for an error of the LLP is a SHOULD, and not always possible";
    ]
    Ddp: [
        DdpErrorCloses "ddp-error-closes" Both "RFC 5041 section 7.1"
            "closes without a Terminate after an error that DDP finds"
            "that DDP lets the ULP send one more message is a SHOULD";
        ShortSegments "short-segments" Both "RFC 5041 section 5.2"
            "cuts its messages into segments of at most 256 bytes, where it is free to choose"
            "a segment is no larger than the MULPDU; filling that is a SHOULD (RFC 5044 section 4.5)";
        OddSegments "odd-segments" Both "RFC 5041 section 5.2"
            "cuts its messages into segments of at most 131 bytes, where it is free to choose"
            "a segment is no larger than the MULPDU; filling that is a SHOULD (RFC 5044 section 4.5)";
        UnevenSegments "uneven-segments" Both "RFC 5044 section 4.5"
            "fills every second segment to three fifths of the MULPDU"
            "an implementation may adjust the MULPDU dynamically";
        FarOffsets "far-offsets" Both "RFC 5040 section 5.1"
            "has its buffers begin 104 bytes before a multiple of 2^32, where it is free to choose"
            "the Tagged Offset of a buffer may start at any value";
        TaggedPlacedAtOnce "tagged-placed-at-once" Both "RFC 5041 section 5.2"
            "places tagged segments that DDP finds right before RDMAP looks at the message"
            "DDP places the payload of all valid segments; RDMAP sees what DDP has delivered";
        UntaggedPlacedAtOnce "untagged-placed-at-once" Both "RFC 5041 section 5.2"
            "places segments of a Send in its buffer as they arrive, not when the message is complete"
            "DDP places the payload of all valid segments";
        MissingBufferWaits "missing-buffer-waits" Both "RFC 5041 section 7.1"
            "waits for a receive where none is posted for a Send"
            "DDP may recover from a missing buffer by means of the LLP";
        LaterMessageWaits "later-message-waits" Both "RFC 5041 section 7.1"
            "accepts a segment for a later receive that is posted, and never delivers its message"
            "an MSN up to that of the last available buffer is legal";
        HoleWaits "hole-waits" Both "RFC 5041 section 7.1"
            "accepts a segment that leaves a hole in its buffer, and never delivers the message"
            "an MO within the buffer is legal";
        EmptyUntaggedUnchecked "empty-untagged-unchecked" Both "RFC 5041 section 7.1"
            "treats an untagged segment without payload as the next message, whatever its MSN and MO"
            "only untagged segments of non-zero length are validated";
        OwnHalfClosesAll "own-half-closes-all" Both "RFC 5041 section 6.2.1"
            "accepts nothing more once it has closed its direction"
            "keeping data reception enabled is a SHOULD";
    ]
    Rdmap: [
        TerminateThenReset "terminate-then-reset" Both "RFC 5040 section 6.2.1"
            "resets the connection after its Terminate"
            "a peer that sends a Terminate may tear the LLP stream down at once";
        ResetOnTerminate "reset-on-terminate" Both "RFC 5040 section 6.2.1"
            "resets the connection when a Terminate arrives"
            "a peer that receives a Terminate may tear the LLP stream down at once";
        ClosesLast "closes-last" Both "RFC 5040 section 6.2.1"
            "closes after a Terminate, sent or received, when the peer has closed"
            "tearing the LLP stream down at once is a MAY, and no time is set for it";
        SequenceNumberToldAsNoBuffer "sequence-number-told-as-no-buffer" Both "RFC 5041 section 7.1"
            "reports an MSN out of range as a missing buffer in its Terminates"
            "such an MSN has no buffer, and that check is listed first";
        TerminateBehindMessage "terminate-behind-message" Both "RFC 5040 section 7.1"
            "sends the current message to its end before its Terminate"
            "the Terminate is preferably the next message; DDP sends all of a message";
        WrapToldAsBounds "wrap-told-as-bounds" Both "RFC 5040 section 7.2"
            "reports a Tagged Offset that wraps as a bounds error in its Terminates"
            "what wraps is out of bounds too, and that check is listed first";
        EarlierVersionsTaken "earlier-versions-taken" Both "RFC 5040 section 4.1"
            "accepts messages of RDMAP versions 0 and 1 like those of the version in force"
            "both version numbers are valid";
        ReadsOneByOne "reads-one-by-one" Both "RFC 5040 section 6.1"
            "has one request open at a time, whatever its ORD"
            "the number that was negotiated is the most that may be open";
        FencesByItself "fences-by-itself" Both "RFC 5040 section 5.5"
            "begins nothing after a Read until it is answered"
            "only the order of submission is specified; a ULP may wait for a Read";
        HalfCloseRefused "half-close-refused" Both "RFC 5041 section 6.2.1"
            "begins no more messages once the peer has closed, and closes too"
            "continuing in one direction is a SHOULD";
        ReadResponseUnchecked "read-response-unchecked" Both "RFC 5040 section 5.2.2"
            "accepts a Read Response to any buffer that the peer may write, whatever the request said"
            "validating a Read Response against its request is a MAY";
        ResponsesLast "responses-last" Both "RFC 5040 section 5.5"
            "answers requests when it has nothing of its own to send"
            "no order binds responses to what the responder's ULP sends";
        ResponsesFirst "responses-first" Both "RFC 5040 section 5.5"
            "sends what its ULP asks for only when no request is waiting for an answer"
            "no order binds responses to what the responder's ULP sends";
        AtomicsBesideReads "atomics-beside-reads" Both "RFC 7306 section 5.2.2"
            "holds as many Atomics as its IRD says, in addition to as many Reads"
            "a responder has room for Atomics in addition to Reads";
        RequestWaits "request-waits" Both "RFC 5041 section 7.1"
            "accepts nothing more when a request exceeds its IRD, until it has answered another"
            "DDP may recover from a missing buffer by means of the LLP";
        RequestsJudgedInTurn "requests-judged-in-turn" Both "RFC 5040 section 5.2.1"
            "checks a request only when its turn comes, after earlier responses"
            "Read Requests are processed in the order in which they were sent";
        WrongVersionEchoesRequest "wrong-version-echoes-request" Both "RFC 5040 section 7.1"
            "echoes a Read Request whose RDMAP version is wrong, with its header"
            "a Terminate for a Read Request includes its RDMAP header";
        IdentifiersDescend "identifiers-descend" Both "RFC 7306 section 5.2.1"
            "counts the Request Identifiers of its Atomics downwards from 0xFFFFFFF0"
            "a Request Identifier is any number that its sender chooses";
        ImmediateInBuffer "immediate-in-buffer" Both "RFC 7306 section 6.2"
            "places Immediate Data in the receive's buffer, after the payload, and needs room for it"
            "eight bytes are transferred to an untagged buffer";
        AtomicResponseByNumber "atomic-response-by-number" Both "RFC 7306 section 5"
            "matches an Atomic Response with the request whose turn it is, whatever its identifier"
            "the MSN locates the request that a response answers";
        ShortReadV2Taken "short-read-v2-taken" Both "ext-v2 section 6.3"
            "accepts a Read V2 Response that is shorter than what was asked for"
            "a Read V2 Response completes as a Send does, which may be shorter than its buffer";
        ReadsOvertake "reads-overtake" Both "rdma-commit section 2.1.1"
            "answers a Read before Flushes, Verifies and Atomic Writes that arrived earlier and are waiting"
            "a Read may not be ordered with respect to other queued operations";
        InvalidatesFirst "invalidates-first" Both "rdma-commit section 3.1"
            "invalidates the Steering Tag that a request names before it carries the request out"
            "the tag is processed by the receiver; it is not specified when";
        FlushesAll "flushes-all" Both "rdma-commit section 3.1.1.3"
            "makes the whole region persistent when a part of it is flushed, with either disposition"
            "what is placed may become persistent at any time";
        WritesLastAtOnce "writes-last-at-once" Both "rdma-commit section 3.1.1.3"
            "makes what is written persistent at once"
            "persistence may occur before the flush is requested";
        FlushNeedsDisposition "flush-needs-disposition" Both "rdma-commit section 3.1.1.1"
            "refuses a Flush that asks for neither disposition"
            "a Flush without a disposition is not specified";
    ]
    Rpc: [
        RpcPaddedChunks "rpc-padded-chunks" Initiator "RFC 8166 section 3.4.5.2"
            "has the round-up of an item in its Read chunk"
            "that a Read chunk has no round-up is a SHOULD";
        RpcPaddingSegments "rpc-padding-segments" Initiator "RFC 8166 section 3.4.5.2"
            "has the round-up of an item in its Read chunk, in a separate segment"
            "a sender that includes the round-up may add a segment for it alone";
        RpcChunkedCalls "rpc-chunked-calls" Initiator "RFC 8166 section 3.5.2"
            "moves every eligible item in a chunk, however short it is"
            "a sender may reduce any of the eligible items";
        RpcLongCalls "rpc-long-calls" Initiator "RFC 8166 section 3.5.3"
            "sends every call as a Long Call"
            "a requester may use a Long Message at any time";
        RpcReplyChunks "rpc-reply-chunks" Responder "RFC 8166 section 4.3.3"
            "puts every reply into the Reply chunk that it is offered"
            "sending a short reply inline instead is a MAY";
        RpcUnevenSegments "rpc-uneven-segments" Initiator "RFC 8166 section 3.4.4"
            "cuts its chunks into segments of 100 bytes, 301 bytes, and the rest"
            "a requester may divide a chunk at any boundaries that are convenient";
        RpcSharedTags "rpc-shared-tags" Initiator "RFC 8166 section 4.4.3"
            "offers memory that all its streams may access, and that cannot be invalidated"
            "how memory is registered is up to the implementation";
        RpcKeepsTags "rpc-keeps-tags" Both "RFC 8797 section 4.1"
            "does not want its Steering Tags invalidated"
            "support of remote invalidation is optional";
        RpcInvalidatesNothing "rpc-invalidates-nothing" Responder "RFC 8797 section 4.1"
            "sends its replies by Send although it may invalidate"
            "a responder may invalidate where both support it";
        RpcInvalidatesLast "rpc-invalidates-last" Responder "RFC 8797 section 4.1"
            "invalidates the last Steering Tag of a call, not the first"
            "any Steering Tag of the call may be invalidated";
        RpcLeastThresholds "rpc-least-thresholds" Both "RFC 8797 section 4.2"
            "announces thresholds of 1024 bytes"
            "an implementation supports at least 1024 bytes";
        RpcWideThresholds "rpc-wide-thresholds" Both "RFC 8166 section 3.3.3"
            "announces thresholds of 64 KiB"
            "larger thresholds may be supported";
        RpcOneCredit "rpc-one-credit" Responder "RFC 8166 section 3.3.1"
            "grants one credit"
            "a responder grants what its resources and policies allow, at least one";
        RpcManyCredits "rpc-many-credits" Both "RFC 8166 section 3.3.1"
            "asks for 200 credits, and grants 200"
            "credits are adjusted as each side wants";
        RpcReadsInPieces "rpc-reads-in-pieces" Responder "RFC 8166 section 3.4.5"
            "pulls a segment by Reads of at most 256 bytes"
            "a responder reads the segments; the number of Reads is not specified";
        RpcWritesInPieces "rpc-writes-in-pieces" Responder "RFC 8166 section 3.4.6"
            "fills a segment by Writes of at most 256 bytes"
            "a responder fills the segments in order; the number of Writes is not specified";
        RpcOneCallAtATime "rpc-one-call-at-a-time" Initiator "RFC 8166 section 3.3.1"
            "sends the next call when the last one is answered, whatever was granted"
            "the credits say how many calls may be outstanding";
        RpcUnusedChunksWritten "rpc-unused-chunks-written" Responder "RFC 8166 section 4.3.2.2"
            "writes into Write chunks that it returns as unused"
            "a responder may have written data before it chose not to return the item";
        RpcBackwardChunksTaken "rpc-backward-chunks-taken" Initiator "RFC 8167 section 5.3"
            "uses the chunks of backward calls"
            "chunks may be used in the reverse direction";
        RpcListsUnchecked "rpc-lists-unchecked" Initiator "RFC 8166 section 4.5"
            "accepts replies whose chunk lists are not those of their call"
            "a requester discards a reply if it detects errors in the header; no error is named";
        RpcSolicited "rpc-solicited" Both "RFC 8166 section 2.3.2"
            "sends its messages with Solicited Event"
            "each message is sent by a Send; nothing says that it must not ask for an event";
    ]
}

impl Variant {
    /// Returns its row of the table.
    pub fn row(self) -> &'static VariantRow {
        &TABLE[self as usize]
    }
}

impl Switch for Variant {
    const KIND: &'static str = "variant";

    fn number(self) -> usize {
        self as usize
    }

    fn name(self) -> &'static str {
        self.row().name
    }

    fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.variant)
    }
}

const _: () = assert!(TABLE.len() <= MOST, "Switches needs another word");

/// A set of variants.
pub type Variants = Switches<Variant>;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_variant_has_a_name_of_its_own_a_section_and_two_lines() {
        let names: BTreeSet<_> = TABLE.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), TABLE.len());
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.variant as usize, at);
            assert!(row.section.contains(" section "), "{}", row.name);
            for line in [row.meaning, row.allowed] {
                assert!(line.len() < 100 && !line.ends_with('.'), "{}: {line}", row.name);
            }
        }
        let bugs: BTreeSet<_> = crate::bug::TABLE.iter().map(|row| &*row.name).collect();
        assert!(bugs.is_disjoint(&names), "a name is a bug's or a variant's");
    }
}
