//! Every seeded bug, by layer.

use super::BugRow;
use crate::switch::{Layer, SwitchSide};
use std::borrow::Cow;
use warpscope_wire::rdmap::Profile;

/// Defines the enum and the table from rows grouped by layer. The name on the command line is the
/// identifier in kebab-case, or given by an attribute: a number begins no word there.
macro_rules! bugs {
    ($($layer:ident: [$(
        $(#[$name:meta])? $bug:ident $side:ident $profile:ident $requirement:literal $meaning:literal;
    )*])*) => {
        /// A seeded bug.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::IntoStaticStr)]
        #[strum(serialize_all = "kebab-case")]
        pub enum Bug {
            $($(#[doc = $meaning] $(#[$name])? $bug,)*)*
        }

        /// Returns a row for every bug, by layer, in the order of [`Bug`].
        pub(super) fn always() -> Vec<BugRow> {
            vec![$($(BugRow {
                bug: Bug::$bug,
                condition: None,
                name: Cow::Borrowed(Bug::$bug.into()),
                layer: Layer::$layer,
                side: SwitchSide::$side,
                profile: Profile::$profile,
                requirement: $requirement,
                meaning: $meaning,
            },)*)*]
        }
    };
}

bugs! {
    // Bugs in setup frames, and in what the sides agree on with them.
    Setup: [
        SetupKeyOfTheOther Both RFC5040 "RFC5044-7.1.1-02" "begins its setup frame with the key of the other frame";
        SetupReservedBits Both RFC5040 "RFC5044-7.1.1-18" "sets a reserved bit in its setup frame";
        PrivateDataLengthLittleEndian Both RFC5040 "RFC5044-7.1.1-23" "sends PD_Length with its bytes swapped";
        PrivateDataLengthShort Both RFC5040 "RFC5044-7.1.1-23"
            "names a length one byte less than that of the private data";
        RequestWithReject Initiator RFC5040 "RFC5044-7.1.1-15" "sets R in its request";
        CrcFlagMissing Both RFC5040 "RFC5044-4.4-04" "does not ask for CRCs although it wants them";
        EnhancedFlagMissing Both RFC5040 "RFC6581-6-01" "leaves S clear although enhanced data follows";
        EnhancedLittleEndian Both RFC5040 "RFC6581-9-03"
            "sends both words of the enhanced data with their bytes swapped";
        EnhancedBehindPrivateData Both RFC5040 "RFC6581-9-01"
            "puts the enhanced data after the private data of the ULP";
        ReplyRevisionOwn Responder RFC5040 "RFC6581-10-02"
            "answers with its own revision instead of that of the request";
        ReplyRevisionOne Responder RFC5040 "RFC6581-10-05" "answers every request with a frame of revision 1";
        ReplyEnhancedUnasked Responder RFC5040 "RFC6581-10-06" "answers a plain request with enhanced data";
        ReplyDepthsSwapped Responder RFC5040 "RFC6581-9-04" "confuses IRD and ORD in its reply";
        ReplyDropsControlA Responder RFC5040 "RFC6581-9.2-05"
            "clears A in its reply to a request for the peer-to-peer model";
        ReplySetsControlA Responder RFC5040 "RFC6581-9.2-14"
            "sets A in its reply to a request for the client-server model";
        ReplyNamesNoIndication Responder RFC5040 "RFC6581-9.2-09" "clears B, C and D in its reply, and keeps A";
        IndicationsWithoutControlA Both RFC5040 "RFC6581-9.2-15" "sets B although A is clear";
        ReplyEchoesMarkers Responder RFC5040 "RFC5044-4.3-12"
            "copies M of the request into its reply, and then ignores it";
        ReplyEchoesIndications Responder RFC5040 "RFC6581-9.2-01"
            "claims to support every indication that it is asked for";
        PrivateDataLimit Both RFC5040 "RFC5044-7.1.2-22"
            "refuses setup frames with more than 255 bytes of private data";
        PrivateDataOverlong Both RFC5040 "RFC5044-7.1.1-25"
            "accepts setup frames with more than 512 bytes of private data";
        SetupKeyUnchecked Both RFC5040 "RFC5044-7.1.2-16" "accepts any key in the setup frame of the peer";
        PrivateDataRunsOn Both RFC5040 "RFC5044-7.1.2-23"
            "treats what arrives with the setup frame of the peer as private data";
        BytesAfterSetupTaken Both RFC5040 "RFC5044-7.1.1-24"
            "accepts setup frames that are followed by bytes, and drops those bytes";
        RequestRevisionUnchecked Responder RFC5040 "RFC5044-7.1.1-22"
            "accepts requests of revisions that it does not know";
        RevisionOneRefused Responder RFC5040 "RFC6581-10-04" "refuses requests of an older revision than its own";
        MarkersRefused Responder RFC5040 "RFC5044-4.3-01" "refuses requests that want markers";
        FlagsWithoutControlAHeeded Responder RFC5040 "RFC6581-9.2-16"
            "waits for an indication that a request without A names";
        ClientServerRefused Responder RFC5040 "RFC6581-9.2-14" "refuses enhanced requests for the client-server model";
        IrdAsAsked Responder RFC5040 "RFC5040-6.1-03"
            "names the initiator's ORD as its IRD, and holds no more requests than before";
        NotNegotiatedOrdTaken Responder RFC5040 "RFC6581-9.1-12" "treats an ORD of 0x3FFF as a number";
        NotNegotiatedIrdTaken Responder RFC5040 "RFC6581-9.1-14" "treats an IRD of 0x3FFF as a number";
        OrdNotLimited Responder RFC5040 "RFC6581-9.1-04" "keeps an ORD that is over the IRD of the initiator";
        OrdRaised Responder RFC5040 "RFC6581-9.1-04" "uses the larger of its ORD and the initiator's IRD as its ORD";
        ReplyRevisionUnchecked Initiator RFC5040 "RFC5044-7.1.1-21" "does not check the revision of the reply";
        RejectIgnored Initiator RFC5040 "RFC5044-7.1.2-13" "continues when R is set in the reply";
        OrdKept Initiator RFC5040 "RFC6581-9.1-08" "keeps an ORD that is over the IRD of the responder";
        InsufficientIrdAccepted Initiator RFC5040 "RFC6581-9.1-09" "continues when the responder's ORD is over its IRD";
        NotNegotiatedReplyTaken Initiator RFC5040 "RFC6581-9.1-15" "treats an ORD of 0x3FFF in the reply as a number";
        IndicationUnoffered Initiator RFC5040 "RFC6581-9.2-10"
            "sends the indication that it prefers, whatever the reply names";
        IndicationMissing Initiator RFC5040 "RFC6581-9.2-10" "sends no indication in the peer-to-peer model";
        IndicationWithPayload Initiator RFC5040 "RFC6581-9.2-01" "sends an indication with a byte of payload";
        MarkersMissing Both RFC5040 "RFC5044-7.1.1-09" "sends no markers although the peer requires them";
        MarkersUnasked Both RFC5040 "RFC5044-7.1.1-08" "sends markers although the peer requires none";
        MarkersConfused Both RFC5040 "RFC5044-4.3-01"
            "sends markers if it requires them itself, and expects them if the peer does";
        CrcOwnWishOnly Both RFC5040 "RFC5044-7.1.1-12" "uses CRCs only if it asked for them itself";
        PeerDepthsConfused Both RFC5040 "RFC6581-9.1-01" "reports the peer's IRD to its ULP as the ORD, and vice versa";
        SetupTimerNever Both RFC5040 "RFC5044-7.1.2-25" "waits for the setup frame of the peer for ever";
        SetupErrorKeepsTcp Both RFC5040 "RFC5044-8-09" "leaves TCP open when the setup frame of the peer is wrong";
        FallbackNever Initiator RFC5040 "RFC6581-10-08"
            "does not report that revision 1 may work when revision 2 did not";
        #[strum(serialize = "setup-revision-129")]
        SetupRevision129 Both RFC5040 "RFC5044-7.1.1-20" "puts revision 129 into its setup frame";
        RejectSentTwice Responder RFC5040 "RFC5044-7.1.2-07" "sends a Reply that rejects twice";
        SetupReservedChecked Both RFC5040 "RFC5044-7.1.1-19" "refuses setup frames with a reserved bit";
        SetupFrameCutTaken Both RFC5040 "RFC5044-7.1.1-24" "treats a setup frame that ends early as complete";
        SetupFrameSplitRefused Both RFC5040 "RFC5044-7.1.2-03" "refuses setup frames that arrive in pieces";
        PrivateDataNotAwaited Responder RFC5040 "RFC5044-7.1.2-03"
            "answers a request before its private data has arrived";
        InitiatorSpeaksEarly Initiator RFC5040 "RFC5044-7.1.2-11" "sends an FPDU right after its request";
        OlderDepthsTaken Responder RFC5040 "RFC5044-7.1.2-23"
            "treats eight bytes of private data as depths, and withholds them from its ULP";
        RequestRejectBitChecked Responder RFC5040 "RFC5044-7.1.1-16" "refuses requests with R";
        EnhancedDataMissingTaken Initiator RFC5040 "RFC5044-7.1.2-12"
            "accepts replies that announce enhanced data but have none";
        RequiredOrdUntold Responder RFC5040 "RFC6581-9.1-05"
            "rejects too small an IRD without naming the ORD that its ULP needs";
        ReplyFlagsTaken Initiator RFC5040 "RFC6581-9.2-16"
            "sends an indication when B, C or D is set in a reply without A";
    ]
    // Bugs in FPDUs, CRCs and markers.
    Mpa: [
        CrcWithoutLength Both RFC5040 "RFC5044-4.4-13" "leaves ULPDU_Length out of the CRC";
        CrcWithoutPad Both RFC5040 "RFC5044-4.4-13" "leaves the pad out of the CRC";
        CrcWithoutMarkers Both RFC5040 "RFC5044-4.4-14" "leaves the markers out of the CRC";
        CrcPlainPolynomial Both RFC5040 "RFC5044-4.4-12" "computes CRC-32 with Ethernet's polynomial";
        CrcBigEndian Both RFC5040 "RFC5044-4.4-12" "sends the bytes of the CRC in the wrong order";
        CrcZero Both RFC5040 "RFC5044-4.4-08" "sends a CRC of zero although CRCs are in use";
        CrcFieldMissing Both RFC5040 "RFC5044-4.4-11" "leaves the CRC field out when CRCs are not in use";
        CrcUnchecked Both RFC5040 "RFC5044-4.4-17" "accepts FPDUs with a wrong CRC";
        CrcCheckedThoughOff Both RFC5040 "RFC5044-4.1-07" "checks CRCs although they are not in use";
        LengthLittleEndian Both RFC5040 "RFC5044-4.1-01" "sends ULPDU_Length with its bytes swapped";
        LengthCountsItself Both RFC5040 "RFC5044-4.1-02" "counts the length field in ULPDU_Length";
        LengthCountsPad Both RFC5040 "RFC5044-4.1-02" "counts the pad in ULPDU_Length";
        LengthCountsMarkers Both RFC5040 "RFC5044-4.1-02" "counts the markers within an FPDU in ULPDU_Length";
        PadNotZero Both RFC5040 "RFC5044-4.1-03" "sends a pad that is not zero";
        PadMissing Both RFC5040 "RFC5044-4.1-05" "sends no pad";
        PadOfFour Both RFC5040 "RFC5044-4.1-05" "sends a pad of four bytes where none is needed";
        PadChecked Both RFC5040 "RFC5044-4.1-04" "refuses FPDUs whose pad is not zero";
        MarkerIntervalShort Both RFC5040 "RFC5044-4.3-02" "sends a marker at every 508th byte";
        MarkersFromSetup Both RFC5040 "RFC5044-4.3-07" "counts the positions of markers from its setup frame on";
        FirstMarkerMissing Both RFC5040 "RFC5044-4.3-07" "sends its first marker at byte 512";
        MarkerAfterReply Responder RFC5040 "RFC5044-7.1.2-15"
            "sends its first marker directly after its reply, and the FPDU of it later";
        MarkerPointerOff Both RFC5040 "RFC5044-4.2-04" "points to four bytes before the FPDU in its markers";
        MarkerPointerZero Both RFC5040 "RFC5044-4.3-03" "points nowhere in its markers";
        MarkerBetweenPointsBack Both RFC5040 "RFC5044-4.3-10"
            "points to the previous FPDU in a marker between two FPDUs";
        MarkerReservedBits Both RFC5040 "RFC5044-4.2-02" "sets a reserved bit in its markers";
        MarkerLowBits Both RFC5040 "RFC5044-4.2-05" "sets the two lowest bits of FPDUPTR";
        MarkerLowBitsCounted Both RFC5040 "RFC5044-4.2-06" "uses the two lowest bits of FPDUPTR in what it receives";
        MarkerReservedChecked Both RFC5040 "RFC5044-4.2-03" "refuses markers with a reserved bit";
        MulpduWithoutMarkers Both RFC5040 "RFC5044-4.5-01" "leaves no room for markers in its ULPDUs";
        MulpduOfSegment Both RFC5040 "RFC5044-4.5-02" "makes ULPDUs as long as a TCP segment";
        #[strum(serialize = "mulpdu-under-128")]
        MulpduUnder128 Both RFC5040 "RFC5044-4.5-06" "makes ULPDUs of less than 128 bytes where TCP segments are short";
        LongUlpduRefused Both RFC5040 "RFC5044-3-08" "refuses ULPDUs of more than 1000 bytes";
        CutFpduDropped Both RFC5040 "RFC5044-5.1-05" "drops FPDUs that do not arrive in one piece";
        BadFpduSkipped Both RFC5040 "RFC5044-8-11" "continues after an FPDU with an error";
        ResponderSpeaksFirst Responder RFC5040 "RFC5044-7.1.2-15" "sends FPDUs before it has received one";
        FpduTakenEarly Both RFC5040 "RFC5044-6-05" "accepts FPDUs as soon as everything but their CRC has arrived";
        CutFpduRefused Both RFC5040 "RFC5044-6-05" "treats FPDUs that arrive in pieces as errors";
        FirstFpduDropped Both RFC5040 "RFC5044-7.1-04" "drops the first FPDU that arrives after the setup";
    ]
    // Bugs in DDP segments and queues.
    Ddp: [
        SequenceNumberFromZero Both RFC5040 "RFC5041-4.3-12" "begins with MSN 0 on every queue";
        SequenceNumberStuck Both RFC5040 "RFC5041-4.3-11" "sends every message with MSN 1";
        SequenceNumberSkips Both RFC5040 "RFC5041-4.3-11" "leaves out every other MSN";
        SequenceNumberShared Both RFC5040 "RFC5041-4.3-12" "counts the messages of all queues together";
        #[strum(serialize = "sequence-number-sent-in-8-bits")]
        SequenceNumberSentIn8Bits Both RFC5040 "RFC5041-4.3-11" "counts the MSNs that it sends in 8 bits";
        #[strum(serialize = "sequence-number-in-8-bits")]
        SequenceNumberIn8Bits Both RFC5040 "RFC5041-7.1-10" "counts the MSNs that it expects in 8 bits";
        #[strum(serialize = "sequence-number-sent-in-16-bits")]
        SequenceNumberSentIn16Bits Both RFC5040 "RFC5041-4.3-11" "counts the MSNs that it sends in 16 bits";
        #[strum(serialize = "sequence-number-in-16-bits")]
        SequenceNumberIn16Bits Both RFC5040 "RFC5041-7.1-10" "counts the MSNs that it expects in 16 bits";
        #[strum(serialize = "message-offset-in-16-bits")]
        MessageOffsetIn16Bits Both RFC5040 "RFC5041-5.2-06" "counts the MO that it sends in 16 bits";
        #[strum(serialize = "tagged-offset-in-32-bits")]
        TaggedOffsetIn32Bits Both RFC5040 "RFC5041-5.2-08" "adds only to the low 32 bits of the TO within a message";
        MessageOffsetStuck Both RFC5040 "RFC5041-5.2-06" "sends every segment with MO 0";
        MessageOffsetInWords Both RFC5040 "RFC5041-5.2-06" "counts MO in words of four bytes";
        MessageOffsetNotReset Both RFC5040 "RFC5041-4.3-16" "continues with the MO of the previous message";
        TaggedOffsetStuck Both RFC5040 "RFC5041-5.2-08" "sends every segment of a message with the same TO";
        LastMissing Both RFC5040 "RFC5041-4.1-03" "never sets L";
        LastOnEverySegment Both RFC5040 "RFC5041-4.1-04" "sets L in every segment";
        DdpVersionZero Both RFC5040 "RFC5041-4.1-10" "sends DDP version 0";
        DdpReservedBits Both RFC5040 "RFC5041-4.1-08" "sets a reserved bit of the DDP control byte";
        InvalidateTagOnce Both RFC5040 "RFC5041-4.3-05" "names the STag to invalidate only in the first segment";
        DdpVersionUnchecked Both RFC5040 "RFC5041-7.2-03" "accepts any DDP version";
        DdpReservedChecked Both RFC5040 "RFC5041-4.1-09" "refuses segments with a reserved bit";
        QueueNumberUnchecked Both RFC5040 "RFC5041-7.1-02"
            "treats segments for queues that do not exist as segments for queue 0";
        SequenceNumberUnchecked Both RFC5040 "RFC5041-7.1-10" "treats any MSN as the next";
        SequenceNumberGapsTaken Both RFC5040 "RFC5041-7.1-10" "accepts an MSN that is ahead of the next";
        MessageOffsetUnchecked Both RFC5040 "RFC5041-7.1-08" "treats any MO as the next";
        MessageOffsetInTurn Both RFC5040 "RFC5041-5.2-05"
            "refuses segments whose MO is not the number of bytes that have arrived";
        MessageLengthUnchecked Both RFC5040 "RFC5041-7.1-09" "accepts messages that are longer than their buffer";
        MessageLengthLoose Both RFC5040 "RFC5040-5.3-05" "accepts messages that are one byte longer than their buffer";
        QueueOffsetNotReset Both RFC5040 "RFC5041-5.2-05"
            "expects each message to continue with the MO of the previous one";
        MissingBufferTaken Both RFC5040 "RFC5041-7.1-03" "silently drops messages without a buffer";
        ZeroLengthTaggedJudged Both RFC5040 "RFC5041-5.2-11" "checks STag and TO of tagged messages without payload";
        LateSegmentsTaken Both RFC5040 "RFC5041-7.1-20" "places what arrives after a segment that it refused";
        ShortSegmentDropped Both RFC5040 "RFC5041-6.2.2-01"
            "silently drops segments that are shorter than their header";
        LastIgnored Both RFC5040 "RFC5041-5.4-01" "treats every untagged segment as the last of its message";
    ]
    // Bugs in messages, their order, Terminates and the end of a stream.
    Rdmap: [
        TerminateLayerWrong Both RFC5040 "RFC5040-4.8-04" "names the next layer in its Terminates";
        TerminateTypeWrong Both RFC5040 "RFC5040-4.8-10" "names the next error type in its Terminates";
        TerminateCodeWrong Both RFC5040 "RFC5040-4.8-03" "names the next error code in its Terminates";
        TerminateCodeUnspecified Both RFC5040 "RFC5040-4.8-13"
            "names the error code 0xff in its Terminates, whatever happened";
        TerminateControlReversed Both RFC5040 "RFC5040-4.8-02"
            "fills each byte of the Terminate's control word from the wrong end";
        TerminateWithoutHeaders Both RFC5040 "RFC5040-4.8-32" "echoes neither length nor header in its Terminates";
        TerminateWithStrayHeaders Both RFC5040 "RFC5040-4.8-33" "echoes a header of zeros where a Terminate has none";
        TerminateHeaderBitsZero Both RFC5040 "RFC5040-4.8-07"
            "echoes headers in its Terminates without setting the bits for them";
        TerminateHeaderBitsAll Both RFC5040 "RFC5040-4.8-24" "sets M, D and R in every Terminate";
        TerminateReadRequestMissing Both RFC5040 "RFC5040-7.1-07" "leaves the Read Request out of its Terminates";
        TerminateHeadersSwapped Both RFC5040 "RFC5040-4.8-01"
            "puts the Read Request before the DDP header in its Terminates";
        TerminateHeaderCut Both RFC5040 "RFC5040-4.8-20" "echoes 14 bytes of every DDP header";
        TerminateLengthZero Both RFC5040 "RFC5040-4.8-18" "names a DDP Segment Length of zero in its Terminates";
        TerminateLengthOfPayload Both RFC5040 "RFC5040-4.8-18" "names the length of the payload as DDP Segment Length";
        TerminateWithPayload Both RFC5040 "RFC5040-4.2-03" "has four bytes after the headers of its Terminates";
        TerminateReservedBits Both RFC5040 "RFC5040-4.8-16" "sets a reserved bit in its Terminates";
        TerminateReadRestarted Both RFC5040 "RFC5040-4.8-26"
            "echoes a Read Request as it arrived, however far the Read has progressed";
        TerminateReadSizeKept Both RFC5040 "RFC5040-4.8-27"
            "echoes the whole size of a Read Request, however far the Read has progressed";
        TerminateNotSent Both RFC5040 "RFC5040-6.2.1-01" "closes without a Terminate";
        TerminateThenData Both RFC5040 "RFC5040-5.4-09" "sends another message after its Terminate";
        TerminateWithoutClose Both RFC5040 "RFC5040-7-01" "leaves the connection open after its Terminate";
        TerminateIgnored Both RFC5040 "RFC5040-5.4-08" "continues after a Terminate from the peer";
        TerminateNotTold Both RFC5040 "RFC5040-5.4-06" "does not report a Terminate from the peer to its ULP";
        ViolationNotTold Both RFC5040 "RFC5040-7.1-01" "does not report to its ULP what it refuses";
        PostAfterFinish Both RFC5040 "RFC5041-6.2.1-03" "accepts work requests after it was told to close";
        FinishNotTold Both RFC5040 "RFC5044-7.2-01" "does not report to its ULP that the peer has closed its direction";
        CloseBeforeDone Both RFC5040 "RFC5041-6.2.1-02" "closes without waiting for responses";
        FinishAfterPeerIgnored Both RFC5040 "RFC5041-6.2.1-06"
            "does not close its direction when it is told to after the peer has closed";
        CloseByReset Both RFC5040 "RFC5041-6.2.1-06" "resets the connection where it should close it";
        EarlyEndUnnoticed Both RFC5040 "RFC5044-8-01"
            "treats a stream that ends within a message as ended in good order";
        LossToldAsEnd Both RFC5040 "RFC5044-8-01"
            "reports a connection that was reset to its ULP as ended in good order";
        ReadSizeWrong Both RFC5040 "RFC5040-4.4-07" "asks for one byte more than it was told to read";
        ReadTagsSwapped Both RFC5040 "RFC5040-4.4-02" "confuses both STags of a Read Request";
        ReadResponseTagWrong Both RFC5040 "RFC5040-4.4-03" "sends Read Responses to the STag that was read";
        ReadResponseOffsetWrong Both RFC5040 "RFC5040-4.4-04" "sends Read Responses to the Tagged Offset that was read";
        ReadResponseShort Both RFC5040 "RFC5040-4.4-07" "leaves the last byte out of Read Responses";
        #[strum(serialize = "read-response-in-16-bits")]
        ReadResponseIn16Bits Both RFC5040 "RFC5040-4.4-07" "treats the size of a Read as 16 bits";
        ReadResponseLong Both RFC5040 "RFC5040-4.4-07" "sends one byte more in Read Responses than was asked for";
        ReadResponseAsWrite Both RFC5040 "RFC5040-4.1-06" "gives Read Responses the opcode of a Write";
        ReadToldToUlp Both RFC5040 "RFC5040-5.2.1-04" "reports each Read that it has answered to its ULP";
        ReadCompletesEarly Both RFC5040 "RFC5040-5.5-19" "completes Reads when their requests are sent";
        ZeroReadUnanswered Both RFC5040 "RFC5040-5.2.1-16" "does not answer Read Requests for no bytes";
        ResponsesReversed Both RFC5040 "RFC5040-5.5-20" "answers the last request first";
        OrdIgnored Both RFC5040 "RFC5040-6.1-06" "sends more requests at once than the ORD allows";
        IrdIgnored Both RFC5040 "RFC5040-6.1-07" "accepts more requests at once than its IRD allows";
        IrdOneLess Both RFC5040 "RFC5040-6.1-03" "accepts one request less at once than its IRD says";
        FenceIgnored Both RFC5040 "RFC5040-5.5-12" "begins fenced work requests immediately";
        WriteOvertakesWrite Both RFC5040 "RFC5040-5.1-06"
            "sends an RDMA Write before a waiting one that was posted earlier";
        SendOvertakesWrite Both RFC5040 "RFC5040-5.5-13" "sends a Send before the Write that was posted earlier";
        InvalidateIgnored Both RFC5040 "RFC5040-5.3-15" "leaves the STag valid that a Send invalidates";
        InvalidateUnchecked Both RFC5040 "RFC5040-5.3-16" "accepts Sends that invalidate what they must not";
        SolicitedEventMissing Both RFC5040 "RFC5040-3.2-03" "raises no event for messages with SE";
        ReceivedLengthOfBuffer Both RFC5040 "RFC5040-5.3-04" "reports the length of the buffer as that of the message";
        #[strum(serialize = "received-length-in-16-bits")]
        ReceivedLengthIn16Bits Both RFC5040 "RFC5040-5.3-04" "reports the length of a message in 16 bits";
        ReceivesBackwards Both RFC5040 "RFC5040-5.3-02" "uses the receive that was posted last";
        ImmediateLengthUnchecked Both RFC7306 "RFC7306-6.3-07" "accepts Immediate Data of more than eight bytes";
        ImmediateKeepsReceive Both RFC7306 "RFC7306-6.3-02" "uses up no receive for Immediate Data";
        ImmediateMixedTaken Both EXT_V2 "EXTV2-5.1-01" "accepts Immediate Data in one segment with other bytes";
        ResponseKindUnchecked Both RFC7306 "COMMIT-5.1-01" "treats any response on queue 3 as the one that is due";
        AtomicAlignmentUnchecked Both RFC7306 "RFC7306-8.2-04"
            "does atomic operations on addresses that are not aligned";
        AtomicCodeUnchecked Both RFC7306 "RFC7306-5.2.1-16"
            "treats every Atomic Operation Code that it does not know as FetchAdd";
        FetchAddCarries Both RFC7306 "RFC7306-5.1.1-01" "carries from one field of a FetchAdd into the next";
        FetchAddMaskInverted Both RFC7306 "RFC7306-5.1.1-07" "inverts the meaning of the Add Mask of a FetchAdd";
        FetchAddCompareMaskZero Both RFC7306 "RFC7306-5.2.1-09" "sends zeros in the Compare Mask of a FetchAdd";
        AtomicReservedBits Both RFC7306 "RFC7306-5.2.1-02" "sets a reserved bit in Atomic Requests";
        CmpSwapCompareMaskIgnored Both RFC7306 "RFC7306-5.1.2-01" "compares all bits in a CmpSwap";
        CmpSwapSwapMaskIgnored Both RFC7306 "RFC7306-5.1.2-01" "swaps all bits in a CmpSwap";
        CmpSwapAlways Both RFC7306 "RFC7306-5.1.2-01" "swaps in a CmpSwap whatever it compares";
        SwapMaskHeeded Both RFC7306 "EXT04-5.2.1-01" "swaps in an Atomic Swap only the bits that its mask names";
        AtomicReturnsNew Both RFC7306 "RFC7306-5.2.2-03"
            "returns the word after an atomic operation instead of the one before";
        AtomicsInterleave Both RFC7306 "RFC7306-5.3-01"
            "does an atomic operation on what the word held before that of another stream";
        AtomicReturnsEarlier Both RFC7306 "RFC7306-5-01"
            "returns what the word held before the last atomic operation of another stream";
        AtomicIdentifierWrong Both RFC7306 "RFC7306-5.2.2-02" "answers Atomic Requests with the next identifier";
        FlushBeforeDurable Both COMMIT "COMMIT-3.1.1-02" "answers a Flush without waiting for the store";
        FlushHalf Both COMMIT "COMMIT-3.1.1.3-06" "flushes the first half of what it is to flush";
        FlushFirstPage Both COMMIT "COMMIT-3.1.1.3-06" "flushes the first 4096 bytes of what it is to flush";
        FlushFlagsConfused Both COMMIT "COMMIT-3.1.1.1-03" "treats the flag for visibility as the one for persistence";
        FlushFailureAnswered Both COMMIT "COMMIT-3.1.1.2-03" "answers a Flush that failed as if it had succeeded";
        VerifyPrefix Both COMMIT "COMMIT-3.1.2-01" "compares only as many bytes of a hash as a Verify contains";
        VerifyMismatchAnswered Both COMMIT "COMMIT-3.1.2-01"
            "answers a Verify with the hash although another was expected";
        VerifyHashShort Both COMMIT "COMMIT-3.1.2.2-02"
            "leaves the last byte of the region out of the hash of a Verify";
        VerifyFirstBytes Both COMMIT "COMMIT-3.1.2.2-02" "computes the hash of a Verify over the first 4096 bytes";
        AtomicWriteBeforeFlush Both COMMIT "COMMIT-3.1.3.1-06"
            "carries out an Atomic Write before the Flush that precedes it";
        AtomicWriteUnaligned Both COMMIT "COMMIT-3.1.3.1-07" "carries out Atomic Writes that are not aligned";
        AtomicWriteLengthUnchecked Both COMMIT "COMMIT-3.1.3-01" "accepts Atomic Writes of any length";
        RequestInvalidateIgnored Both COMMIT "COMMIT-3.1-02"
            "leaves the STag valid that a Flush, Verify or Atomic Write invalidates";
        RdmapVersionZero Both RFC5040 "RFC5040-4.1-08" "sends RDMAP version 0";
        RdmapReservedBits Both RFC5040 "RFC5040-4.1-09" "sets a reserved bit of the RDMAP control byte";
        InvalidateTagStray Both RFC5040 "RFC5040-4.1-11" "names an STag to invalidate in Sends that invalidate nothing";
        SolicitedBitLost Both RFC5040 "RFC5040-4.1-16" "gives Sends with SE the opcode of those without";
        #[strum(serialize = "read-request-on-queue-0")]
        ReadRequestOnQueue0 Both RFC5040 "RFC5040-5.2.1-06" "sends Read Requests to queue 0";
        #[strum(serialize = "terminate-on-queue-0")]
        TerminateOnQueue0 Both RFC5040 "RFC5040-5.4-02" "sends Terminates to queue 0";
        #[strum(serialize = "read-v2-response-on-queue-0")]
        ReadV2ResponseOnQueue0 Both EXT_V2 "EXTV2-6.3-01" "sends Read V2 Responses to queue 0";
        #[strum(serialize = "version-2-as-1")]
        Version2As1 Both EXT_V2 "EXTV2-4.1-01" "sends the messages of RFC 5040 with RV 1 where 2 was agreed on";
        #[strum(serialize = "commit-in-version-2")]
        CommitInVersion2 Both COMMIT "COMMIT-3.1-02" "sends Flush, Verify and Atomic Write with RV 2";
        ImmediateCut Both RFC7306 "RFC7306-6.3-05" "sends four bytes of Immediate Data";
        AtomicWriteLengthZero Both COMMIT "COMMIT-3.1.3.1-02" "names a length of zero in Atomic Writes";
        FlushResponseWithPayload Both COMMIT "COMMIT-3.1.1.2-01" "puts four bytes into Flush Responses";
        TerminateDroppedAmidMessage Both RFC5040 "RFC5040-7.1-04"
            "sends no Terminate while another message is being sent";
        RdmapVersionUnchecked Both RFC5040 "RFC5040-7.2-03" "accepts any RDMAP version";
        OpcodeUnchecked Both RFC5040 "RFC5040-7.2-02" "treats opcodes that it does not know as a Send";
        OpcodeOnAnyQueue Both RFC5040 "RFC5040-3.1-02" "accepts messages on queues where they do not belong";
        UnaskedReadResponseTaken Both RFC5040 "RFC5040-5.2.2-05" "places Read Responses that it did not ask for";
        ReadResponseInTurn Both RFC5040 "RFC5040-5.2.2-04"
            "refuses segments of a Read Response whose TO is not that of the next bytes due";
        ReadResponseFirstOnly Both RFC5040 "RFC5041-7.1-12"
            "checks only the first segment of a Read Response, and places the rest after it";
        CompletionsReversed Both RFC5040 "RFC5040-5.5-15"
            "completes work requests that end together in the wrong order";
        RightsToldAsBounds Both RFC5040 "RFC5040-4.8-12" "reports missing rights as a bounds error in its Terminates";
        ForeignTagToldAsInvalid Both RFC5040 "RFC5040-7.2-10"
            "reports the STag of another stream as invalid in its Terminates";
        InvalidateToldAsInvalidTag Both RFC5040 "RFC5040-5.3-16"
            "reports an STag that cannot be invalidated as invalid in its Terminates";
        BoundsToldByRdmap Both RFC5040 "RFC5041-7.2-03" "uses RDMAP's code for DDP's bounds error";
        VersionToldAsOpcode Both RFC5040 "RFC5040-4.8-13"
            "reports a wrong RDMAP version as a wrong opcode in its Terminates";
        CrcToldAsMarker Both RFC5040 "RFC5044-8-02" "reports a wrong CRC as a wrong marker in its Terminates";
        InsufficientIrdToldAsIndication Initiator RFC5040 "RFC6581-9.1-10"
            "reports too small an IRD as a missing indication in its Terminates";
        IndicationToldAsLocal Both RFC5040 "RFC6581-9.2-12"
            "reports a missing indication as a local error in its Terminates";
        AlignmentToldAsUnspecified Both RFC7306 "RFC7306-8.2-05"
            "reports an atomic operation that is not aligned as an unspecified error";
        RdmapReservedChecked Both RFC5040 "RFC5040-4.1-10"
            "refuses messages with a reserved bit in the RDMAP control byte";
        InvalidateTagStrayTaken Both RFC5040 "RFC5040-4.1-12"
            "invalidates the STag in a message that invalidates nothing";
        OpcodeTaggedAnyhow Both RFC5040 "RFC5040-5.3-08" "treats tagged messages with untagged opcodes as Writes";
        TerminateReservedChecked Both RFC5040 "RFC5040-4.8-17" "refuses Terminates with a reserved bit";
        TerminateLocalCodeChecked Both RFC5040 "RFC5040-4.8-11"
            "refuses Terminates about a local catastrophe whose code is not zero";
        WrongTerminateDropped Both RFC5040 "RFC5040-5.4-07" "drops Terminates that cannot be read, and continues";
        LastFaultTold Both RFC5040 "RFC5040-7.1-08" "reports the last of several errors in its Terminates";
        EmptyRequestJudged Both RFC5040 "RFC5040-5.2.1-16" "checks STag and Tagged Offset of requests for no bytes";
        ProfileExceeded Both RFC5040 "RFC5040-7.2-07"
            "carries out requests of RFC 7306 and rdma-commit where they were not agreed on";
        AtomicReservedChecked Both RFC7306 "RFC7306-5.2.1-03" "refuses Atomic Requests with a reserved bit";
        FetchAddCompareDataChecked Both RFC7306 "RFC7306-5.2.1-08" "refuses FetchAdds whose Compare Data are not zero";
        FetchAddCompareMaskChecked Both RFC7306 "RFC7306-5.2.1-10"
            "refuses FetchAdds whose Compare Mask is not all ones";
        RequestLengthDropped Both RFC7306 "RFC7306-8.1-02"
            "silently drops requests that are not as long as their header";
        UnaskedResponseDropped Both RFC7306 "RFC7306-8.2-01"
            "silently drops responses on queue 3 that it did not ask for";
        AtomicCompletesEarly Both RFC7306 "RFC7306-5.4-08" "completes Atomics when their requests are sent";
        ResponsesMatchedBackwards Both RFC7306 "EXTV2-6-03" "treats a response on queue 3 as that of the last request";
        ReadV2OffsetIgnored Both EXT_V2 "RFC5041-5.2-05"
            "places each segment of a Read V2 Response at the start of its sink";
        RequestLengthLoose Both COMMIT "COMMIT-5.1-01" "accepts requests that are followed by extra bytes";
        FlushWantsBothRights Both COMMIT "COMMIT-3.1.1.2-02" "requires the rights to both states for a Flush to one";
        EmptyFlushUnanswered Both COMMIT "COMMIT-3.1.1.2-02" "does not answer Flush and Verify of no bytes";
        VerifyHashCut Both COMMIT "COMMIT-3.1.2.2-02" "reports no more than 32 bytes of a hash to its ULP";
        AtomicWriteHalf Both COMMIT "COMMIT-3.1.3.1-02" "places only the first four bytes of an Atomic Write";
        AtomicWriteWantsAtomic Both COMMIT "COMMIT-2.4-01"
            "requires the right to atomic operations for an Atomic Write";
    ]
    // Bugs in regions, their bounds and rights.
    Memory: [
        StaleTagUsable Both RFC5040 "RFC5040-8.1.1-06" "lets peers go on using a Steering Tag that was invalidated";
        TagKeyIgnored Both RFC5040 "RFC5041-7.1-13" "compares only the index of a Steering Tag, not its key";
        RevalidatedTagKeepsKey Both RFC5040 "RFC5041-8.3-04"
            "gives a Steering Tag the same key again when it becomes valid";
        SteeringTagsInOrder Both RFC5040 "RFC5040-8.1.1-08" "assigns consecutive Steering Tags";
        StreamAssociationUnchecked Both RFC5040 "RFC5040-8.1.1-02" "lets every stream use the Steering Tag of one";
        ProtectionDomainUnchecked Both RFC5040 "RFC5040-8.1.1-01"
            "lets streams of any Protection Domain use a Steering Tag";
        SharedTagInvalidated Both RFC5040 "RFC5040-8.1.1-07" "lets peers invalidate a Steering Tag that streams share";
        ForeignTagInvalidated Both RFC5040 "RFC5040-5.3-14" "lets peers invalidate the Steering Tag of another stream";
        ReadRightUnchecked Both RFC5040 "RFC5040-8.1.1-05" "lets peers read what may not be read";
        WriteRightUnchecked Both RFC5040 "RFC5041-7.1-14" "lets peers write to what may not be written to";
        AtomicRightUnchecked Both RFC7306 "RFC7306-8.1-02" "lets peers do atomic operations where they may not";
        FlushRightUnchecked Both COMMIT "COMMIT-5.2-02" "lets peers flush what they may not flush";
        VerifyRightUnchecked Both COMMIT "COMMIT-5.2-02" "lets peers hash what they may not hash";
        BoundsUnchecked Both RFC5040 "RFC5041-8.1-01" "does not check where a region ends";
        BoundsEndLoose Both RFC5040 "RFC5041-7.1-16" "treats a region as one byte longer than it is";
        BoundsEndTight Both RFC5040 "RFC5041-8.3-02" "treats a region as one byte shorter than it is";
        LowerBoundUnchecked Both RFC5040 "RFC5041-7.1-15" "treats offsets before a region as its start";
        BaseIgnored Both RFC5040 "RFC5041-8.3-02"
            "treats Tagged Offsets as distances from the region's start, whatever its base is";
        TaggedOffsetHighIgnored Both RFC5040 "RFC5041-7.1-15" "compares only the low 32 bits of a TO";
        WrapUnchecked Both RFC5040 "RFC5041-7.1-17" "lets the sum of Tagged Offset and length wrap";
        WindowStartIgnored Both RFC5040 "RFC5041-8.3.1-04" "treats a window as the start of its region";
        AlignmentOfOffset Both RFC7306 "RFC7306-8.2-04"
            "checks the alignment of the Tagged Offset instead of that of the address";
        PlacementShort Both RFC5040 "RFC5041-5.2-05" "leaves the last byte of each segment unplaced";
    ]
    // Bugs in RPC-over-RDMA and what it carries.
    Rpc: [
        RpcPrivateMagic Both RFC5040 "RFC8797-4-03" "begins its private data with another identifier";
        RpcPrivateVersion Both RFC5040 "RFC8797-4-04" "sends private data of version 2";
        RpcPrivateReserved Both RFC5040 "RFC8797-4-05" "sets a reserved bit in its private data";
        RpcPrivateSizes Both RFC5040 "RFC8797-4.2-01" "encodes its sizes without taking one off";
        RpcSendSizeExceeded Both RFC5040 "RFC8797-4-07"
            "sends inline what the peer can receive, whatever send size it announces";
        RpcThresholdIgnored Both RFC5040 "RFC8797-4-08"
            "sends inline what its own send size allows, whatever the peer can receive";
        RpcCreditsAtFirst Initiator RFC5040 "RFC8166-3.3.3-02"
            "counts on the credits that it asks for before any reply grants them";
        RpcCreditsExceeded Initiator RFC5040 "RFC8166-3.3.1-01"
            "sends as many calls as it asked credits for, whatever was granted";
        RpcReceivesMissing Initiator RFC5040 "RFC8166-3.3.1-05"
            "has one receive posted, however many replies it waits for";
        RpcMemoryKept Initiator RFC5040 "RFC8166-8.1-01"
            "leaves the memory of a call open to the responder after the reply";
        RpcReadPosition Initiator RFC5040 "RFC8166-3.4.5-01"
            "gives read chunks the position of the length word before their item";
        RpcReadPositionOdd Initiator RFC5040 "RFC8166-3.4.5-02"
            "gives read chunks a position that is not a multiple of four";
        RpcReadChunkLong Initiator RFC5040 "RFC8166-3.4.5.2-03" "makes read chunks four bytes longer than their item";
        RpcRoundUpStays Both RFC5040 "RFC8166-3.4.4.4-02"
            "leaves the round-up of an item that is moved in a chunk in the message";
        RpcRoundUpForgotten Responder RFC5040 "RFC8166-3.4.4.4-02"
            "puts read chunks back without round-up, so that all that follows is misplaced";
        RpcHeaderTakenOut Initiator RFC5040 "RFC8166-3.4.2-02"
            "takes the credential out of the RPC header and puts it into a read chunk";
        RpcLongCallInline Initiator RFC5040 "RFC8166-3.5.3-01" "sends calls inline however long they are";
        RpcReplyChunkMissing Initiator RFC5040 "RFC8166-4.3.3-01" "offers no reply chunk for replies that may be long";
        RpcWriteChunkShort Initiator RFC5040 "RFC8166-3.4.6-01"
            "offers write chunks four bytes shorter than the longest result";
        RpcVersionTwo Both RFC5040 "RFC8166-4.2.2-01" "sends headers of version 2";
        RpcHeaderXid Both RFC5040 "RFC8166-4.2.1-01" "puts a different XID into the header than into the RPC message";
        RpcPaddedSent Both RFC5040 "RFC8166-4.6.1-01" "sends RDMA_MSGP instead of RDMA_MSG";
        RpcVersionUnchecked Responder RFC5040 "RFC8166-4.5.1-01" "treats calls of any version as calls of version 1";
        RpcXidUnchecked Both RFC5040 "RFC8166-4.5.2-01" "accepts messages whose two XIDs differ";
        RpcShortAnswered Responder RFC5040 "RFC8166-4.5-01" "answers messages that are shorter than a header";
        RpcDoneAnswered Responder RFC5040 "RFC8166-4.6.2-02" "answers RDMA_DONE";
        RpcPaddedAnswered Responder RFC5040 "RFC8166-4.6.1-02" "answers RDMA_MSGP as if it were RDMA_MSG";
        RpcErrorAnswered Responder RFC5040 "RFC8166-4.2.4-07" "answers RDMA_ERROR";
        RpcErrorSilent Responder RFC5040 "RFC8166-4.5-02" "drops calls with a wrong header";
        RpcErrorXid Responder RFC5040 "RFC8166-4.5-04" "puts another XID into an RDMA_ERROR";
        RpcErrorVersion Responder RFC5040 "RFC8166-4.5-05"
            "puts version 1 into an RDMA_ERROR for a call of another version";
        RpcErrorRange Responder RFC5040 "RFC8166-4.5.1-01"
            "names the version that it refuses as the highest that it supports";
        RpcErrorKind Responder RFC5040 "RFC8166-4.5.2-01" "answers with ERR_VERS where ERR_CHUNK is due";
        RpcLongCallRefused Responder RFC5040 "RFC8166-4-02" "refuses calls that lie in a read chunk of position 0";
        RpcSegmentsReversed Responder RFC5040 "RFC8166-3.4.4-01"
            "puts the segments of a read chunk together in reverse order";
        RpcInvalidateUnagreed Responder RFC5040 "RFC8797-4.1-03"
            "sends replies with Invalidate although not both sides have set R";
        RpcInvalidateOther Responder RFC5040 "RFC8797-4.1-02" "invalidates a Steering Tag that the call did not offer";
        RpcReplySaysCall Both RFC5040 "RFC8167-5.2-03" "says CALL in replies";
        RpcCreditsZero Responder RFC5040 "RFC8166-3.3.1-02" "grants no credits";
        RpcLengthsKept Responder RFC5040 "RFC8166-3.4.6-02" "returns write chunks with the lengths that were offered";
        RpcWriteListDropped Responder RFC5040 "RFC8166-4.3.2.2-03" "leaves the write list out of replies";
        RpcReplyChunkDropped Responder RFC5040 "RFC8166-4.3.3-03"
            "leaves a reply chunk that it does not use out of the reply";
        RpcReadListReturned Responder RFC5040 "RFC8166-4.3.1-01" "repeats the read list of the call in the reply";
        RpcLongReplyInline Responder RFC5040 "RFC8166-3.5.3-04" "sends replies inline however long they are";
        RpcWriteChunksBackwards Responder RFC5040 "RFC8166-4.3.2-01" "fills write chunks from the last one on";
        RpcResultsInline Responder RFC5040 "RFC8166-4.3.2-01"
            "leaves results inline that a write chunk was offered for";
        RpcEmptyChunkSkipped Responder RFC5040 "RFC8166-4.3.2.3-01"
            "puts the result of an empty write chunk into the next one";
        RpcWritePadding Responder RFC5040 "RFC8166-3.4.6.2-02" "writes the round-up of results into write chunks";
        RpcWriteOverrun Responder RFC5040 "RFC8166-3.4.6-02"
            "writes all of a result into the first segment of its chunk";
        RpcRoomUnchecked Responder RFC5040 "RFC8267-3.1-01" "writes past the end of a chunk that is too small";
        RpcSendBeforeWrites Responder RFC5040 "RFC8166-3.4.6-02"
            "sends the reply before it writes the data that the reply describes";
        RpcReceivesShort Both RFC5040 "RFC8166-3.3.3-04" "posts receives of 1000 bytes";
        RpcRefusalsAsErrors Responder RFC5040 "RFC8166-4.5.2-02" "answers calls that RPC refuses with ERR_CHUNK";
        RpcErrorChunkUnknown Initiator RFC5040 "RFC8166-4.5-08" "treats ERR_CHUNK as an error that it cannot read";
        RpcFaultyErrorTaken Initiator RFC5040 "RFC8166-4.5-07" "ends the call of an RDMA_ERROR that it cannot read";
        RpcFaultyReplyTaken Initiator RFC5040 "RFC8166-4.5-03" "ends the call of a reply whose header is wrong";
        RpcDoneEndsCall Initiator RFC5040 "RFC8166-4.6.2-02" "ends the call that an RDMA_DONE names";
        RpcAnythingTakenOut Responder RFC5040 "RFC8166-6.1-03"
            "carries out calls whatever was moved out of them into chunks";
        RpcInlineResultTaken Initiator RFC5040 "RFC8166-6.1-06"
            "accepts inline results although a write chunk was offered for them";
        RpcCreditsOfAnything Initiator RFC5040 "RFC8167-4.1-02" "uses the credits of messages that it drops";
        RpcBackwardChunks Responder RFC5040 "RFC8267-6.5.2-03"
            "sends its own calls in read chunks, however short they are";
        RpcSettingsKept Responder RFC5040 "RFC8797-4-01"
            "uses the private data of the previous connection where there is none";
        RpcPrivateReservedChecked Both RFC5040 "RFC8797-4-06" "ignores private data with a reserved bit";
        RpcPrivateInFront Both RFC5040 "RFC8797-5.2-02" "looks for its private data only at the beginning";
    ]
}
