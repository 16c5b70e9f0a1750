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
        $variant:ident $side:ident $meaning:literal $section:literal $allowed:literal;
    )*])*) => {
        /// Something that the documents allow and the strict peer does not do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
        #[strum(serialize_all = "kebab-case")]
        pub enum Variant {
            $($(#[doc = $meaning] $variant,)*)*
        }

        /// Every variant once, by layer, in the order of [`Variant`].
        pub static TABLE: &[VariantRow] = &[$($(VariantRow {
            variant: Variant::$variant,
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
        SetupFrameInPieces Both "sends its setup frame in TCP segments of seven bytes"
            "RFC 5044 section 7.1" "setup frames are exchanged as TCP byte streams";
        ReplyOmitsSend Responder "does not name Send among the indications of its reply, although it accepts it"
            "RFC 6581 section 9.2" "a responder need not name all indications that it supports";
        ReplyOmitsWrite Responder "does not name Write among the indications of its reply, although it accepts it"
            "RFC 6581 section 9.2" "a responder need not name all indications that it supports";
        ReplyOmitsRead Responder "does not name Read among the indications of its reply, although it accepts it"
            "RFC 6581 section 9.2" "a responder need not name all indications that it supports";
        ReplyNamesAsked Responder "names only those indications in its reply that were asked for"
            "RFC 6581 section 9.2" "naming indications that were not asked for is a MAY";
        WrongIndicationTaken Responder "accepts any first message as the indication that was agreed on"
            "RFC 6581 section 9.2" "the initiator is bound to its indication; the responder need not check it";
        MarkersWanted Both "wants markers in what it receives, where it is free to choose"
            "RFC 5044 section 4.3" "each receiver chooses whether it wants markers";
        DepthsOfFour Both "offers an IRD and an ORD of 4, where it is free to choose"
            "RFC 6581 section 9.1" "depths are what each side can hold";
        DepthsOfOne Both "offers an IRD and an ORD of 1, where it is free to choose"
            "RFC 6581 section 9.1" "depths are what each side can hold";
        ShallowDepths Both "has an IRD of at most 2 for each stream that an agent orders"
            "RFC 6581 section 9.1" "a side names the IRD that it can hold, whatever the other would like";
        DepthsLeftToUlp Responder "names no depths in its reply (0x3FFF), where it is free to choose"
            "RFC 6581 section 9.1" "all ones mean that the ULP is responsible for IRD and ORD";
        PrivateDataOfItsOwn Both "has private data in its setup frame where none was asked for"
            "RFC 5044 section 7.1.2" "both frames may include private data of the ULP";
        RejectionEnds Both "closes TCP once the connection is rejected"
            "RFC 5044 section 7.1.2" "MPA leaves the connection to the ULP, which may close it";
        IndicationSend Initiator "sends an empty Send as its indication wherever both sides support that"
            "RFC 6581 section 9.2" "the initiator generates one of the negotiated indications";
        IndicationRead Initiator "sends an empty Read as its indication wherever both sides support that"
            "RFC 6581 section 9.2" "the initiator generates one of the negotiated indications";
        IndicationOfTheReply Initiator
            "sends an indication that the reply names, where that names none of those offered"
            "RFC 6581 section 9.2"
            "a reply may name further indications, and the initiator says so if it cannot generate one";
        ShortIrdRejected Responder "rejects a request whose ORD is more than its IRD"
            "RFC 6581 section 9.1"
            "in a successful negotiation the responder's IRD is not less than the initiator's ORD";
        IrdRaised Initiator "raises its IRD to the ORD that the reply names"
            "RFC 6581 section 9.1" "the initiator sets its IRD at least to the responder's ORD";
        ModelMismatchTaken Initiator "continues in the client-server model when the reply to A = 1 has A = 0"
            "RFC 6581 section 9.2"
            "the Terminate is due where no indication of the responder can be sent, and here none is";
        OpensPeerToPeer Initiator "opens streams in the peer-to-peer model, and accepts no order to change that"
            "RFC 6581 section 9.2" "the initiator chooses the model";
        OpensWithRead Initiator "opens streams in the peer-to-peer model, with Read as its only indication"
            "RFC 6581 section 9.2" "the initiator names the indications that it supports";
    ]
    Mpa: [
        MarkerPositionUnchecked Both "accepts FPDUs whose markers point elsewhere"
            "RFC 5044 section 8" "checking markers is optional where segments are received in order";
        SeveralInASegment Both "packs as many FPDUs into a TCP segment as fit, where it is free to choose"
            "RFC 5044 section 5.1" "a sender may pack several FPDUs into a segment";
        Unaligned Both "sends FPDUs wherever they fall in TCP segments, where it is free to choose"
            "RFC 5044 section A.4" "a TCP that knows nothing of MPA does not align";
        FpduInPieces Both "sends TCP segments of at most 100 bytes, where it is free to choose"
            "RFC 5044 section A.4" "a TCP that knows nothing of MPA does not align";
        CrcGenerated Both "continues to generate CRCs where neither side wants them"
            "RFC 5044 section 4.4" "a side that does not check CRCs may continue to generate them";
        WrongFpduDropped Both "silently drops an FPDU with a wrong CRC or marker, and all that follow"
            "RFC 5044 section 8" "an optimized MPA may drop the TCP segment; TCP then tries again until it gives up";
        MpaErrorCloses Both "closes without a Terminate after an error that MPA finds"
            "RFC 5040 section 6.2.1" "a Terminate for an error of the LLP is a SHOULD, and not always possible";
    ]
    Ddp: [
        DdpErrorCloses Both "closes without a Terminate after an error that DDP finds"
            "RFC 5041 section 7.1" "that DDP lets the ULP send one more message is a SHOULD";
        ShortSegments Both "cuts its messages into segments of at most 256 bytes, where it is free to choose"
            "RFC 5041 section 5.2"
            "a segment is no larger than the MULPDU; filling that is a SHOULD (RFC 5044 section 4.5)";
        OddSegments Both "cuts its messages into segments of at most 131 bytes, where it is free to choose"
            "RFC 5041 section 5.2"
            "a segment is no larger than the MULPDU; filling that is a SHOULD (RFC 5044 section 4.5)";
        UnevenSegments Both "fills every second segment to three fifths of the MULPDU"
            "RFC 5044 section 4.5" "an implementation may adjust the MULPDU dynamically";
        FarOffsets Both "has its buffers begin 104 bytes before a multiple of 2^32, where it is free to choose"
            "RFC 5040 section 5.1" "the Tagged Offset of a buffer may start at any value";
        TaggedPlacedAtOnce Both "places tagged segments that DDP finds right before RDMAP looks at the message"
            "RFC 5041 section 5.2" "DDP places the payload of all valid segments; RDMAP sees what DDP has delivered";
        UntaggedPlacedAtOnce Both
            "places segments of a Send in its buffer as they arrive, not when the message is complete"
            "RFC 5041 section 5.2" "DDP places the payload of all valid segments";
        MissingBufferWaits Both "waits for a receive where none is posted for a Send"
            "RFC 5041 section 7.1" "DDP may recover from a missing buffer by means of the LLP";
        LaterMessageWaits Both "accepts a segment for a later receive that is posted, and never delivers its message"
            "RFC 5041 section 7.1" "an MSN up to that of the last available buffer is legal";
        HoleWaits Both "accepts a segment that leaves a hole in its buffer, and never delivers the message"
            "RFC 5041 section 7.1" "an MO within the buffer is legal";
        EmptyUntaggedUnchecked Both
            "treats an untagged segment without payload as the next message, whatever its MSN and MO"
            "RFC 5041 section 7.1" "only untagged segments of non-zero length are validated";
        OwnHalfClosesAll Both "accepts nothing more once it has closed its direction"
            "RFC 5041 section 6.2.1" "keeping data reception enabled is a SHOULD";
    ]
    Rdmap: [
        TerminateThenReset Both "resets the connection after its Terminate"
            "RFC 5040 section 6.2.1" "a peer that sends a Terminate may tear the LLP stream down at once";
        ResetOnTerminate Both "resets the connection when a Terminate arrives"
            "RFC 5040 section 6.2.1" "a peer that receives a Terminate may tear the LLP stream down at once";
        ClosesLast Both "closes after a Terminate, sent or received, when the peer has closed"
            "RFC 5040 section 6.2.1" "tearing the LLP stream down at once is a MAY, and no time is set for it";
        SequenceNumberToldAsNoBuffer Both "reports an MSN out of range as a missing buffer in its Terminates"
            "RFC 5041 section 7.1" "such an MSN has no buffer, and that check is listed first";
        TerminateBehindMessage Both "sends the current message to its end before its Terminate"
            "RFC 5040 section 7.1" "the Terminate is preferably the next message; DDP sends all of a message";
        WrapToldAsBounds Both "reports a Tagged Offset that wraps as a bounds error in its Terminates"
            "RFC 5040 section 7.2" "what wraps is out of bounds too, and that check is listed first";
        EarlierVersionsTaken Both "accepts messages of RDMAP versions 0 and 1 like those of the version in force"
            "RFC 5040 section 4.1" "both version numbers are valid";
        ReadsOneByOne Both "has one request open at a time, whatever its ORD"
            "RFC 5040 section 6.1" "the number that was negotiated is the most that may be open";
        FencesByItself Both "begins nothing after a Read until it is answered"
            "RFC 5040 section 5.5" "only the order of submission is specified; a ULP may wait for a Read";
        HalfCloseRefused Both "begins no more messages once the peer has closed, and closes too"
            "RFC 5041 section 6.2.1" "continuing in one direction is a SHOULD";
        ReadResponseUnchecked Both
            "accepts a Read Response to any buffer that the peer may write, whatever the request said"
            "RFC 5040 section 5.2.2" "validating a Read Response against its request is a MAY";
        ResponsesLast Both "answers requests when it has nothing of its own to send"
            "RFC 5040 section 5.5" "no order binds responses to what the responder's ULP sends";
        ResponsesFirst Both "sends what its ULP asks for only when no request is waiting for an answer"
            "RFC 5040 section 5.5" "no order binds responses to what the responder's ULP sends";
        AtomicsBesideReads Both "holds as many Atomics as its IRD says, in addition to as many Reads"
            "RFC 7306 section 5.2.2" "a responder has room for Atomics in addition to Reads";
        RequestWaits Both "accepts nothing more when a request exceeds its IRD, until it has answered another"
            "RFC 5041 section 7.1" "DDP may recover from a missing buffer by means of the LLP";
        RequestsJudgedInTurn Both "checks a request only when its turn comes, after earlier responses"
            "RFC 5040 section 5.2.1" "Read Requests are processed in the order in which they were sent";
        WrongVersionEchoesRequest Both "echoes a Read Request whose RDMAP version is wrong, with its header"
            "RFC 5040 section 7.1" "a Terminate for a Read Request includes its RDMAP header";
        IdentifiersDescend Both "counts the Request Identifiers of its Atomics downwards from 0xFFFFFFF0"
            "RFC 7306 section 5.2.1" "a Request Identifier is any number that its sender chooses";
        ImmediateInBuffer Both "places Immediate Data in the receive's buffer, after the payload, and needs room for it"
            "RFC 7306 section 6.2" "eight bytes are transferred to an untagged buffer";
        AtomicResponseByNumber Both
            "matches an Atomic Response with the request whose turn it is, whatever its identifier"
            "RFC 7306 section 5" "the MSN locates the request that a response answers";
        ShortReadV2Taken Both "accepts a Read V2 Response that is shorter than what was asked for"
            "ext-v2 section 6.3" "a Read V2 Response completes as a Send does, which may be shorter than its buffer";
        ReadsOvertake Both
            "answers a Read before Flushes, Verifies and Atomic Writes that arrived earlier and are waiting"
            "rdma-commit section 2.1.1" "a Read may not be ordered with respect to other queued operations";
        InvalidatesFirst Both "invalidates the Steering Tag that a request names before it carries the request out"
            "rdma-commit section 3.1" "the tag is processed by the receiver; it is not specified when";
        FlushesAll Both "makes the whole region persistent when a part of it is flushed, with either disposition"
            "rdma-commit section 3.1.1.3" "what is placed may become persistent at any time";
        WritesLastAtOnce Both "makes what is written persistent at once"
            "rdma-commit section 3.1.1.3" "persistence may occur before the flush is requested";
        FlushNeedsDisposition Both "refuses a Flush that asks for neither disposition"
            "rdma-commit section 3.1.1.1" "a Flush without a disposition is not specified";
    ]
    Rpc: [
        RpcPaddedChunks Initiator "has the round-up of an item in its Read chunk"
            "RFC 8166 section 3.4.5.2" "that a Read chunk has no round-up is a SHOULD";
        RpcPaddingSegments Initiator "has the round-up of an item in its Read chunk, in a separate segment"
            "RFC 8166 section 3.4.5.2" "a sender that includes the round-up may add a segment for it alone";
        RpcChunkedCalls Initiator "moves every eligible item in a chunk, however short it is"
            "RFC 8166 section 3.5.2" "a sender may reduce any of the eligible items";
        RpcLongCalls Initiator "sends every call as a Long Call"
            "RFC 8166 section 3.5.3" "a requester may use a Long Message at any time";
        RpcReplyChunks Responder "puts every reply into the Reply chunk that it is offered"
            "RFC 8166 section 4.3.3" "sending a short reply inline instead is a MAY";
        RpcUnevenSegments Initiator "cuts its chunks into segments of 100 bytes, 301 bytes, and the rest"
            "RFC 8166 section 3.4.4" "a requester may divide a chunk at any boundaries that are convenient";
        RpcSharedTags Initiator "offers memory that all its streams may access, and that cannot be invalidated"
            "RFC 8166 section 4.4.3" "how memory is registered is up to the implementation";
        RpcKeepsTags Both "does not want its Steering Tags invalidated"
            "RFC 8797 section 4.1" "support of remote invalidation is optional";
        RpcInvalidatesNothing Responder "sends its replies by Send although it may invalidate"
            "RFC 8797 section 4.1" "a responder may invalidate where both support it";
        RpcInvalidatesLast Responder "invalidates the last Steering Tag of a call, not the first"
            "RFC 8797 section 4.1" "any Steering Tag of the call may be invalidated";
        RpcLeastThresholds Both "announces thresholds of 1024 bytes"
            "RFC 8797 section 4.2" "an implementation supports at least 1024 bytes";
        RpcWideThresholds Both "announces thresholds of 64 KiB"
            "RFC 8166 section 3.3.3" "larger thresholds may be supported";
        RpcOneCredit Responder "grants one credit"
            "RFC 8166 section 3.3.1" "a responder grants what its resources and policies allow, at least one";
        RpcManyCredits Both "asks for 200 credits, and grants 200"
            "RFC 8166 section 3.3.1" "credits are adjusted as each side wants";
        RpcReadsInPieces Responder "pulls a segment by Reads of at most 256 bytes"
            "RFC 8166 section 3.4.5" "a responder reads the segments; the number of Reads is not specified";
        RpcWritesInPieces Responder "fills a segment by Writes of at most 256 bytes"
            "RFC 8166 section 3.4.6" "a responder fills the segments in order; the number of Writes is not specified";
        RpcOneCallAtATime Initiator "sends the next call when the last one is answered, whatever was granted"
            "RFC 8166 section 3.3.1" "the credits say how many calls may be outstanding";
        RpcUnusedChunksWritten Responder "writes into Write chunks that it returns as unused"
            "RFC 8166 section 4.3.2.2" "a responder may have written data before it chose not to return the item";
        RpcBackwardChunksTaken Initiator "uses the chunks of backward calls"
            "RFC 8167 section 5.3" "chunks may be used in the reverse direction";
        RpcListsUnchecked Initiator "accepts replies whose chunk lists are not those of their call"
            "RFC 8166 section 4.5" "a requester discards a reply if it detects errors in the header; no error is named";
        RpcSolicited Both "sends its messages with Solicited Event"
            "RFC 8166 section 2.3.2" "each message is sent by a Send; nothing says that it must not ask for an event";
    ]
}

impl Switch for Variant {
    const KIND: &'static str = "variant";

    fn number(self) -> usize {
        self as usize
    }

    fn name(self) -> &'static str {
        self.into()
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
        let names: BTreeSet<_> = TABLE.iter().map(|row| row.variant.name()).collect();
        assert_eq!(names.len(), TABLE.len());
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.variant as usize, at);
            assert!(row.section.contains(" section "), "{:?}", row.variant);
            for line in [row.meaning, row.allowed] {
                assert!(line.len() < 100 && !line.ends_with('.'), "{:?}: {line}", row.variant);
            }
        }
        let bugs: BTreeSet<_> = crate::bug::TABLE.iter().map(|row| &*row.name).collect();
        assert!(bugs.is_disjoint(&names), "a name is a bug's or a variant's");
    }
}
