//! Every seeded bug, by layer.

use super::BugRow;
use crate::switch::{Layer, SwitchSide};
use std::borrow::Cow;
use warpscope_wire::rdmap::Profile;

/// Defines the enum and the table from rows grouped by layer.
macro_rules! bugs {
    ($($layer:ident: [$(
        $bug:ident $name:literal $side:ident $profile:ident $requirement:literal $meaning:literal;
    )*])*) => {
        /// A seeded bug.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Bug {
            $($(#[doc = $meaning] $bug,)*)*
        }

        /// Every bug once, by layer, in the order of [`Bug`].
        pub(super) static ALWAYS: &[BugRow] = &[$($(BugRow {
            bug: Bug::$bug,
            condition: None,
            name: Cow::Borrowed($name),
            layer: Layer::$layer,
            side: SwitchSide::$side,
            profile: Profile::$profile,
            requirement: $requirement,
            meaning: $meaning,
        },)*)*];
    };
}

bugs! {
    // Bugs in setup frames, and in what the sides agree on with them.
    Setup: [
        SetupKeyOfTheOther "setup-key-of-the-other" Both RFC5040 "RFC5044-7.1.1-02"
            "begins its setup frame with the key of the other frame";
        SetupReservedBits "setup-reserved-bits" Both RFC5040 "RFC5044-7.1.1-18"
            "sets a reserved bit in its setup frame";
        PrivateDataLengthLittleEndian "private-data-length-little-endian" Both RFC5040 "RFC5044-7.1.1-23"
            "sends PD_Length with its bytes swapped";
        PrivateDataLengthShort "private-data-length-short" Both RFC5040 "RFC5044-7.1.1-23"
            "names a length one byte less than that of the private data";
        RequestWithReject "request-with-reject" Initiator RFC5040 "RFC5044-7.1.1-15"
            "sets R in its request";
        CrcFlagMissing "crc-flag-missing" Both RFC5040 "RFC5044-4.4-04"
            "does not ask for CRCs although it wants them";
        EnhancedFlagMissing "enhanced-flag-missing" Both RFC5040 "RFC6581-6-01"
            "leaves S clear although enhanced data follows";
        EnhancedLittleEndian "enhanced-little-endian" Both RFC5040 "RFC6581-9-03"
            "sends both words of the enhanced data with their bytes swapped";
        EnhancedBehindPrivateData "enhanced-behind-private-data" Both RFC5040 "RFC6581-9-01"
            "puts the enhanced data after the private data of the ULP";
        ReplyRevisionOwn "reply-revision-own" Responder RFC5040 "RFC6581-10-02"
            "answers with its own revision instead of that of the request";
        ReplyRevisionOne "reply-revision-one" Responder RFC5040 "RFC6581-10-05"
            "answers every request with a frame of revision 1";
        ReplyEnhancedUnasked "reply-enhanced-unasked" Responder RFC5040 "RFC6581-10-06"
            "answers a plain request with enhanced data";
        ReplyDepthsSwapped "reply-depths-swapped" Responder RFC5040 "RFC6581-9-04"
            "confuses IRD and ORD in its reply";
        ReplyDropsControlA "reply-drops-control-a" Responder RFC5040 "RFC6581-9.2-05"
            "clears A in its reply to a request for the peer-to-peer model";
        ReplySetsControlA "reply-sets-control-a" Responder RFC5040 "RFC6581-9.2-14"
            "sets A in its reply to a request for the client-server model";
        ReplyNamesNoIndication "reply-names-no-indication" Responder RFC5040 "RFC6581-9.2-09"
            "clears B, C and D in its reply, and keeps A";
        IndicationsWithoutControlA "indications-without-control-a" Both RFC5040 "RFC6581-9.2-15"
            "sets B although A is clear";
        ReplyEchoesMarkers "reply-echoes-markers" Responder RFC5040 "RFC5044-4.3-12"
            "copies M of the request into its reply, and then ignores it";
        ReplyEchoesIndications "reply-echoes-indications" Responder RFC5040 "RFC6581-9.2-01"
            "claims to support every indication that it is asked for";
        PrivateDataLimit "private-data-limit" Both RFC5040 "RFC5044-7.1.2-22"
            "refuses setup frames with more than 255 bytes of private data";
        PrivateDataOverlong "private-data-overlong" Both RFC5040 "RFC5044-7.1.1-25"
            "accepts setup frames with more than 512 bytes of private data";
        SetupKeyUnchecked "setup-key-unchecked" Both RFC5040 "RFC5044-7.1.2-16"
            "accepts any key in the setup frame of the peer";
        PrivateDataRunsOn "private-data-runs-on" Both RFC5040 "RFC5044-7.1.2-23"
            "treats what arrives with the setup frame of the peer as private data";
        BytesAfterSetupTaken "bytes-after-setup-taken" Both RFC5040 "RFC5044-7.1.1-24"
            "accepts setup frames that are followed by bytes, and drops those bytes";
        RequestRevisionUnchecked "request-revision-unchecked" Responder RFC5040 "RFC5044-7.1.1-22"
            "accepts requests of revisions that it does not know";
        RevisionOneRefused "revision-one-refused" Responder RFC5040 "RFC6581-10-04"
            "refuses requests of an older revision than its own";
        MarkersRefused "markers-refused" Responder RFC5040 "RFC5044-4.3-01"
            "refuses requests that want markers";
        FlagsWithoutControlAHeeded "flags-without-control-a-heeded" Responder RFC5040 "RFC6581-9.2-16"
            "waits for an indication that a request without A names";
        ClientServerRefused "client-server-refused" Responder RFC5040 "RFC6581-9.2-14"
            "refuses enhanced requests for the client-server model";
        IrdAsAsked "ird-as-asked" Responder RFC5040 "RFC5040-6.1-03"
            "names the initiator's ORD as its IRD, and holds no more requests than before";
        NotNegotiatedOrdTaken "not-negotiated-ord-taken" Responder RFC5040 "RFC6581-9.1-12"
            "treats an ORD of 0x3FFF as a number";
        NotNegotiatedIrdTaken "not-negotiated-ird-taken" Responder RFC5040 "RFC6581-9.1-14"
            "treats an IRD of 0x3FFF as a number";
        OrdNotLimited "ord-not-limited" Responder RFC5040 "RFC6581-9.1-04"
            "keeps an ORD that is over the IRD of the initiator";
        OrdRaised "ord-raised" Responder RFC5040 "RFC6581-9.1-04"
            "uses the larger of its ORD and the initiator's IRD as its ORD";
        ReplyRevisionUnchecked "reply-revision-unchecked" Initiator RFC5040 "RFC5044-7.1.1-21"
            "does not check the revision of the reply";
        RejectIgnored "reject-ignored" Initiator RFC5040 "RFC5044-7.1.2-13"
            "continues when R is set in the reply";
        OrdKept "ord-kept" Initiator RFC5040 "RFC6581-9.1-08"
            "keeps an ORD that is over the IRD of the responder";
        InsufficientIrdAccepted "insufficient-ird-accepted" Initiator RFC5040 "RFC6581-9.1-09"
            "continues when the responder's ORD is over its IRD";
        NotNegotiatedReplyTaken "not-negotiated-reply-taken" Initiator RFC5040 "RFC6581-9.1-15"
            "treats an ORD of 0x3FFF in the reply as a number";
        IndicationUnoffered "indication-unoffered" Initiator RFC5040 "RFC6581-9.2-10"
            "sends the indication that it prefers, whatever the reply names";
        IndicationMissing "indication-missing" Initiator RFC5040 "RFC6581-9.2-10"
            "sends no indication in the peer-to-peer model";
        IndicationWithPayload "indication-with-payload" Initiator RFC5040 "RFC6581-9.2-01"
            "sends an indication with a byte of payload";
        MarkersMissing "markers-missing" Both RFC5040 "RFC5044-7.1.1-09"
            "sends no markers although the peer requires them";
        MarkersUnasked "markers-unasked" Both RFC5040 "RFC5044-7.1.1-08"
            "sends markers although the peer requires none";
        MarkersConfused "markers-confused" Both RFC5040 "RFC5044-4.3-01"
            "sends markers if it requires them itself, and expects them if the peer does";
        CrcOwnWishOnly "crc-own-wish-only" Both RFC5040 "RFC5044-7.1.1-12"
            "uses CRCs only if it asked for them itself";
        PeerDepthsConfused "peer-depths-confused" Both RFC5040 "RFC6581-9.1-01"
            "reports the peer's IRD to its ULP as the ORD, and vice versa";
        SetupTimerNever "setup-timer-never" Both RFC5040 "RFC5044-7.1.2-25"
            "waits for the setup frame of the peer for ever";
        SetupErrorKeepsTcp "setup-error-keeps-tcp" Both RFC5040 "RFC5044-8-09"
            "leaves TCP open when the setup frame of the peer is wrong";
        FallbackNever "fallback-never" Initiator RFC5040 "RFC6581-10-08"
            "does not report that revision 1 may work when revision 2 did not";
        SetupRevision129 "setup-revision-129" Both RFC5040 "RFC5044-7.1.1-20"
            "puts revision 129 into its setup frame";
        RejectSentTwice "reject-sent-twice" Responder RFC5040 "RFC5044-7.1.2-07"
            "sends a Reply that rejects twice";
        SetupReservedChecked "setup-reserved-checked" Both RFC5040 "RFC5044-7.1.1-19"
            "refuses setup frames with a reserved bit";
        SetupFrameCutTaken "setup-frame-cut-taken" Both RFC5040 "RFC5044-7.1.1-24"
            "treats a setup frame that ends early as complete";
        SetupFrameSplitRefused "setup-frame-split-refused" Both RFC5040 "RFC5044-7.1.2-03"
            "refuses setup frames that arrive in pieces";
        PrivateDataNotAwaited "private-data-not-awaited" Responder RFC5040 "RFC5044-7.1.2-03"
            "answers a request before its private data has arrived";
        InitiatorSpeaksEarly "initiator-speaks-early" Initiator RFC5040 "RFC5044-7.1.2-11"
            "sends an FPDU right after its request";
        OlderDepthsTaken "older-depths-taken" Responder RFC5040 "RFC5044-7.1.2-23"
            "treats eight bytes of private data as depths, and withholds them from its ULP";
        RequestRejectBitChecked "request-reject-bit-checked" Responder RFC5040 "RFC5044-7.1.1-16"
            "refuses requests with R";
        EnhancedDataMissingTaken "enhanced-data-missing-taken" Initiator RFC5040 "RFC5044-7.1.2-12"
            "accepts replies that announce enhanced data but have none";
        RequiredOrdUntold "required-ord-untold" Responder RFC5040 "RFC6581-9.1-05"
            "rejects too small an IRD without naming the ORD that its ULP needs";
        ReplyFlagsTaken "reply-flags-taken" Initiator RFC5040 "RFC6581-9.2-16"
            "sends an indication when B, C or D is set in a reply without A";
    ]
    // Bugs in FPDUs, CRCs and markers.
    Mpa: [
        CrcWithoutLength "crc-without-length" Both RFC5040 "RFC5044-4.4-13"
            "leaves ULPDU_Length out of the CRC";
        CrcWithoutPad "crc-without-pad" Both RFC5040 "RFC5044-4.4-13"
            "leaves the pad out of the CRC";
        CrcWithoutMarkers "crc-without-markers" Both RFC5040 "RFC5044-4.4-14"
            "leaves the markers out of the CRC";
        CrcPlainPolynomial "crc-plain-polynomial" Both RFC5040 "RFC5044-4.4-12"
            "computes CRC-32 with Ethernet's polynomial";
        CrcBigEndian "crc-big-endian" Both RFC5040 "RFC5044-4.4-12"
            "sends the bytes of the CRC in the wrong order";
        CrcZero "crc-zero" Both RFC5040 "RFC5044-4.4-08"
            "sends a CRC of zero although CRCs are in use";
        CrcFieldMissing "crc-field-missing" Both RFC5040 "RFC5044-4.4-11"
            "leaves the CRC field out when CRCs are not in use";
        CrcUnchecked "crc-unchecked" Both RFC5040 "RFC5044-4.4-17"
            "accepts FPDUs with a wrong CRC";
        CrcCheckedThoughOff "crc-checked-though-off" Both RFC5040 "RFC5044-4.1-07"
            "checks CRCs although they are not in use";
        LengthLittleEndian "length-little-endian" Both RFC5040 "RFC5044-4.1-01"
            "sends ULPDU_Length with its bytes swapped";
        LengthCountsItself "length-counts-itself" Both RFC5040 "RFC5044-4.1-02"
            "counts the length field in ULPDU_Length";
        LengthCountsPad "length-counts-pad" Both RFC5040 "RFC5044-4.1-02"
            "counts the pad in ULPDU_Length";
        LengthCountsMarkers "length-counts-markers" Both RFC5040 "RFC5044-4.1-02"
            "counts the markers within an FPDU in ULPDU_Length";
        PadNotZero "pad-not-zero" Both RFC5040 "RFC5044-4.1-03"
            "sends a pad that is not zero";
        PadMissing "pad-missing" Both RFC5040 "RFC5044-4.1-05"
            "sends no pad";
        PadOfFour "pad-of-four" Both RFC5040 "RFC5044-4.1-05"
            "sends a pad of four bytes where none is needed";
        PadChecked "pad-checked" Both RFC5040 "RFC5044-4.1-04"
            "refuses FPDUs whose pad is not zero";
        MarkerIntervalShort "marker-interval-short" Both RFC5040 "RFC5044-4.3-02"
            "sends a marker at every 508th byte";
        MarkersFromSetup "markers-from-setup" Both RFC5040 "RFC5044-4.3-07"
            "counts the positions of markers from its setup frame on";
        FirstMarkerMissing "first-marker-missing" Both RFC5040 "RFC5044-4.3-07"
            "sends its first marker at byte 512";
        MarkerAfterReply "marker-after-reply" Responder RFC5040 "RFC5044-7.1.2-15"
            "sends its first marker directly after its reply, and the FPDU of it later";
        MarkerPointerOff "marker-pointer-off" Both RFC5040 "RFC5044-4.2-04"
            "points to four bytes before the FPDU in its markers";
        MarkerPointerZero "marker-pointer-zero" Both RFC5040 "RFC5044-4.3-03"
            "points nowhere in its markers";
        MarkerBetweenPointsBack "marker-between-points-back" Both RFC5040 "RFC5044-4.3-10"
            "points to the previous FPDU in a marker between two FPDUs";
        MarkerReservedBits "marker-reserved-bits" Both RFC5040 "RFC5044-4.2-02"
            "sets a reserved bit in its markers";
        MarkerLowBits "marker-low-bits" Both RFC5040 "RFC5044-4.2-05"
            "sets the two lowest bits of FPDUPTR";
        MarkerLowBitsCounted "marker-low-bits-counted" Both RFC5040 "RFC5044-4.2-06"
            "uses the two lowest bits of FPDUPTR in what it receives";
        MarkerReservedChecked "marker-reserved-checked" Both RFC5040 "RFC5044-4.2-03"
            "refuses markers with a reserved bit";
        MulpduWithoutMarkers "mulpdu-without-markers" Both RFC5040 "RFC5044-4.5-01"
            "leaves no room for markers in its ULPDUs";
        MulpduOfSegment "mulpdu-of-segment" Both RFC5040 "RFC5044-4.5-02"
            "makes ULPDUs as long as a TCP segment";
        MulpduUnder128 "mulpdu-under-128" Both RFC5040 "RFC5044-4.5-06"
            "makes ULPDUs of less than 128 bytes where TCP segments are short";
        LongUlpduRefused "long-ulpdu-refused" Both RFC5040 "RFC5044-3-08"
            "refuses ULPDUs of more than 1000 bytes";
        CutFpduDropped "cut-fpdu-dropped" Both RFC5040 "RFC5044-5.1-05"
            "drops FPDUs that do not arrive in one piece";
        BadFpduSkipped "bad-fpdu-skipped" Both RFC5040 "RFC5044-8-11"
            "continues after an FPDU with an error";
        ResponderSpeaksFirst "responder-speaks-first" Responder RFC5040 "RFC5044-7.1.2-15"
            "sends FPDUs before it has received one";
        FpduTakenEarly "fpdu-taken-early" Both RFC5040 "RFC5044-6-05"
            "accepts FPDUs as soon as everything but their CRC has arrived";
        CutFpduRefused "cut-fpdu-refused" Both RFC5040 "RFC5044-6-05"
            "treats FPDUs that arrive in pieces as errors";
        FirstFpduDropped "first-fpdu-dropped" Both RFC5040 "RFC5044-7.1-04"
            "drops the first FPDU that arrives after the setup";
    ]
    // Bugs in DDP segments and queues.
    Ddp: [
        SequenceNumberFromZero "sequence-number-from-zero" Both RFC5040 "RFC5041-4.3-12"
            "begins with MSN 0 on every queue";
        SequenceNumberStuck "sequence-number-stuck" Both RFC5040 "RFC5041-4.3-11"
            "sends every message with MSN 1";
        SequenceNumberSkips "sequence-number-skips" Both RFC5040 "RFC5041-4.3-11"
            "leaves out every other MSN";
        SequenceNumberShared "sequence-number-shared" Both RFC5040 "RFC5041-4.3-12"
            "counts the messages of all queues together";
        SequenceNumberSentIn8Bits "sequence-number-sent-in-8-bits" Both RFC5040 "RFC5041-4.3-11"
            "counts the MSNs that it sends in 8 bits";
        SequenceNumberIn8Bits "sequence-number-in-8-bits" Both RFC5040 "RFC5041-7.1-10"
            "counts the MSNs that it expects in 8 bits";
        SequenceNumberSentIn16Bits "sequence-number-sent-in-16-bits" Both RFC5040 "RFC5041-4.3-11"
            "counts the MSNs that it sends in 16 bits";
        SequenceNumberIn16Bits "sequence-number-in-16-bits" Both RFC5040 "RFC5041-7.1-10"
            "counts the MSNs that it expects in 16 bits";
        MessageOffsetIn16Bits "message-offset-in-16-bits" Both RFC5040 "RFC5041-5.2-06"
            "counts the MO that it sends in 16 bits";
        TaggedOffsetIn32Bits "tagged-offset-in-32-bits" Both RFC5040 "RFC5041-5.2-08"
            "adds only to the low 32 bits of the TO within a message";
        MessageOffsetStuck "message-offset-stuck" Both RFC5040 "RFC5041-5.2-06"
            "sends every segment with MO 0";
        MessageOffsetInWords "message-offset-in-words" Both RFC5040 "RFC5041-5.2-06"
            "counts MO in words of four bytes";
        MessageOffsetNotReset "message-offset-not-reset" Both RFC5040 "RFC5041-4.3-16"
            "continues with the MO of the previous message";
        TaggedOffsetStuck "tagged-offset-stuck" Both RFC5040 "RFC5041-5.2-08"
            "sends every segment of a message with the same TO";
        LastMissing "last-missing" Both RFC5040 "RFC5041-4.1-03"
            "never sets L";
        LastOnEverySegment "last-on-every-segment" Both RFC5040 "RFC5041-4.1-04"
            "sets L in every segment";
        DdpVersionZero "ddp-version-zero" Both RFC5040 "RFC5041-4.1-10"
            "sends DDP version 0";
        DdpReservedBits "ddp-reserved-bits" Both RFC5040 "RFC5041-4.1-08"
            "sets a reserved bit of the DDP control byte";
        InvalidateTagOnce "invalidate-tag-once" Both RFC5040 "RFC5041-4.3-05"
            "names the STag to invalidate only in the first segment";
        DdpVersionUnchecked "ddp-version-unchecked" Both RFC5040 "RFC5041-7.2-03"
            "accepts any DDP version";
        DdpReservedChecked "ddp-reserved-checked" Both RFC5040 "RFC5041-4.1-09"
            "refuses segments with a reserved bit";
        QueueNumberUnchecked "queue-number-unchecked" Both RFC5040 "RFC5041-7.1-02"
            "treats segments for queues that do not exist as segments for queue 0";
        SequenceNumberUnchecked "sequence-number-unchecked" Both RFC5040 "RFC5041-7.1-10"
            "treats any MSN as the next";
        SequenceNumberGapsTaken "sequence-number-gaps-taken" Both RFC5040 "RFC5041-7.1-10"
            "accepts an MSN that is ahead of the next";
        MessageOffsetUnchecked "message-offset-unchecked" Both RFC5040 "RFC5041-7.1-08"
            "treats any MO as the next";
        MessageOffsetInTurn "message-offset-in-turn" Both RFC5040 "RFC5041-5.2-05"
            "refuses segments whose MO is not the number of bytes that have arrived";
        MessageLengthUnchecked "message-length-unchecked" Both RFC5040 "RFC5041-7.1-09"
            "accepts messages that are longer than their buffer";
        MessageLengthLoose "message-length-loose" Both RFC5040 "RFC5040-5.3-05"
            "accepts messages that are one byte longer than their buffer";
        QueueOffsetNotReset "queue-offset-not-reset" Both RFC5040 "RFC5041-5.2-05"
            "expects each message to continue with the MO of the previous one";
        MissingBufferTaken "missing-buffer-taken" Both RFC5040 "RFC5041-7.1-03"
            "silently drops messages without a buffer";
        ZeroLengthTaggedJudged "zero-length-tagged-judged" Both RFC5040 "RFC5041-5.2-11"
            "checks STag and TO of tagged messages without payload";
        LateSegmentsTaken "late-segments-taken" Both RFC5040 "RFC5041-7.1-20"
            "places what arrives after a segment that it refused";
        ShortSegmentDropped "short-segment-dropped" Both RFC5040 "RFC5041-6.2.2-01"
            "silently drops segments that are shorter than their header";
        LastIgnored "last-ignored" Both RFC5040 "RFC5041-5.4-01"
            "treats every untagged segment as the last of its message";
    ]
    // Bugs in messages, their order, Terminates and the end of a stream.
    Rdmap: [
        TerminateLayerWrong "terminate-layer-wrong" Both RFC5040 "RFC5040-4.8-04"
            "names the next layer in its Terminates";
        TerminateTypeWrong "terminate-type-wrong" Both RFC5040 "RFC5040-4.8-10"
            "names the next error type in its Terminates";
        TerminateCodeWrong "terminate-code-wrong" Both RFC5040 "RFC5040-4.8-03"
            "names the next error code in its Terminates";
        TerminateCodeUnspecified "terminate-code-unspecified" Both RFC5040 "RFC5040-4.8-13"
            "names the error code 0xff in its Terminates, whatever happened";
        TerminateControlReversed "terminate-control-reversed" Both RFC5040 "RFC5040-4.8-02"
            "fills each byte of the Terminate's control word from the wrong end";
        TerminateWithoutHeaders "terminate-without-headers" Both RFC5040 "RFC5040-4.8-32"
            "echoes neither length nor header in its Terminates";
        TerminateWithStrayHeaders "terminate-with-stray-headers" Both RFC5040 "RFC5040-4.8-33"
            "echoes a header of zeros where a Terminate has none";
        TerminateHeaderBitsZero "terminate-header-bits-zero" Both RFC5040 "RFC5040-4.8-07"
            "echoes headers in its Terminates without setting the bits for them";
        TerminateHeaderBitsAll "terminate-header-bits-all" Both RFC5040 "RFC5040-4.8-24"
            "sets M, D and R in every Terminate";
        TerminateReadRequestMissing "terminate-read-request-missing" Both RFC5040 "RFC5040-7.1-07"
            "leaves the Read Request out of its Terminates";
        TerminateHeadersSwapped "terminate-headers-swapped" Both RFC5040 "RFC5040-4.8-01"
            "puts the Read Request before the DDP header in its Terminates";
        TerminateHeaderCut "terminate-header-cut" Both RFC5040 "RFC5040-4.8-20"
            "echoes 14 bytes of every DDP header";
        TerminateLengthZero "terminate-length-zero" Both RFC5040 "RFC5040-4.8-18"
            "names a DDP Segment Length of zero in its Terminates";
        TerminateLengthOfPayload "terminate-length-of-payload" Both RFC5040 "RFC5040-4.8-18"
            "names the length of the payload as DDP Segment Length";
        TerminateWithPayload "terminate-with-payload" Both RFC5040 "RFC5040-4.2-03"
            "has four bytes after the headers of its Terminates";
        TerminateReservedBits "terminate-reserved-bits" Both RFC5040 "RFC5040-4.8-16"
            "sets a reserved bit in its Terminates";
        TerminateReadRestarted "terminate-read-restarted" Both RFC5040 "RFC5040-4.8-26"
            "echoes a Read Request as it arrived, however far the Read has progressed";
        TerminateReadSizeKept "terminate-read-size-kept" Both RFC5040 "RFC5040-4.8-27"
            "echoes the whole size of a Read Request, however far the Read has progressed";
        TerminateNotSent "terminate-not-sent" Both RFC5040 "RFC5040-6.2.1-01"
            "closes without a Terminate";
        TerminateThenData "terminate-then-data" Both RFC5040 "RFC5040-5.4-09"
            "sends another message after its Terminate";
        TerminateWithoutClose "terminate-without-close" Both RFC5040 "RFC5040-7-01"
            "leaves the connection open after its Terminate";
        TerminateIgnored "terminate-ignored" Both RFC5040 "RFC5040-5.4-08"
            "continues after a Terminate from the peer";
        TerminateNotTold "terminate-not-told" Both RFC5040 "RFC5040-5.4-06"
            "does not report a Terminate from the peer to its ULP";
        ViolationNotTold "violation-not-told" Both RFC5040 "RFC5040-7.1-01"
            "does not report to its ULP what it refuses";
        PostAfterFinish "post-after-finish" Both RFC5040 "RFC5041-6.2.1-03"
            "accepts work requests after it was told to close";
        FinishNotTold "finish-not-told" Both RFC5040 "RFC5044-7.2-01"
            "does not report to its ULP that the peer has closed its direction";
        CloseBeforeDone "close-before-done" Both RFC5040 "RFC5041-6.2.1-02"
            "closes without waiting for responses";
        FinishAfterPeerIgnored "finish-after-peer-ignored" Both RFC5040 "RFC5041-6.2.1-06"
            "does not close its direction when it is told to after the peer has closed";
        CloseByReset "close-by-reset" Both RFC5040 "RFC5041-6.2.1-06"
            "resets the connection where it should close it";
        EarlyEndUnnoticed "early-end-unnoticed" Both RFC5040 "RFC5044-8-01"
            "treats a stream that ends within a message as ended in good order";
        LossToldAsEnd "loss-told-as-end" Both RFC5040 "RFC5044-8-01"
            "reports a connection that was reset to its ULP as ended in good order";
        ReadSizeWrong "read-size-wrong" Both RFC5040 "RFC5040-4.4-07"
            "asks for one byte more than it was told to read";
        ReadTagsSwapped "read-tags-swapped" Both RFC5040 "RFC5040-4.4-02"
            "confuses both STags of a Read Request";
        ReadResponseTagWrong "read-response-tag-wrong" Both RFC5040 "RFC5040-4.4-03"
            "sends Read Responses to the STag that was read";
        ReadResponseOffsetWrong "read-response-offset-wrong" Both RFC5040 "RFC5040-4.4-04"
            "sends Read Responses to the Tagged Offset that was read";
        ReadResponseShort "read-response-short" Both RFC5040 "RFC5040-4.4-07"
            "leaves the last byte out of Read Responses";
        ReadResponseIn16Bits "read-response-in-16-bits" Both RFC5040 "RFC5040-4.4-07"
            "treats the size of a Read as 16 bits";
        ReadResponseLong "read-response-long" Both RFC5040 "RFC5040-4.4-07"
            "sends one byte more in Read Responses than was asked for";
        ReadResponseAsWrite "read-response-as-write" Both RFC5040 "RFC5040-4.1-06"
            "gives Read Responses the opcode of a Write";
        ReadToldToUlp "read-told-to-ulp" Both RFC5040 "RFC5040-5.2.1-04"
            "reports each Read that it has answered to its ULP";
        ReadCompletesEarly "read-completes-early" Both RFC5040 "RFC5040-5.5-19"
            "completes Reads when their requests are sent";
        ZeroReadUnanswered "zero-read-unanswered" Both RFC5040 "RFC5040-5.2.1-16"
            "does not answer Read Requests for no bytes";
        ResponsesReversed "responses-reversed" Both RFC5040 "RFC5040-5.5-20"
            "answers the last request first";
        OrdIgnored "ord-ignored" Both RFC5040 "RFC5040-6.1-06"
            "sends more requests at once than the ORD allows";
        IrdIgnored "ird-ignored" Both RFC5040 "RFC5040-6.1-07"
            "accepts more requests at once than its IRD allows";
        IrdOneLess "ird-one-less" Both RFC5040 "RFC5040-6.1-03"
            "accepts one request less at once than its IRD says";
        FenceIgnored "fence-ignored" Both RFC5040 "RFC5040-5.5-12"
            "begins fenced work requests immediately";
        WriteOvertakesWrite "write-overtakes-write" Both RFC5040 "RFC5040-5.1-06"
            "sends an RDMA Write before a waiting one that was posted earlier";
        SendOvertakesWrite "send-overtakes-write" Both RFC5040 "RFC5040-5.5-13"
            "sends a Send before the Write that was posted earlier";
        InvalidateIgnored "invalidate-ignored" Both RFC5040 "RFC5040-5.3-15"
            "leaves the STag valid that a Send invalidates";
        InvalidateUnchecked "invalidate-unchecked" Both RFC5040 "RFC5040-5.3-16"
            "accepts Sends that invalidate what they must not";
        SolicitedEventMissing "solicited-event-missing" Both RFC5040 "RFC5040-3.2-03"
            "raises no event for messages with SE";
        ReceivedLengthOfBuffer "received-length-of-buffer" Both RFC5040 "RFC5040-5.3-04"
            "reports the length of the buffer as that of the message";
        ReceivedLengthIn16Bits "received-length-in-16-bits" Both RFC5040 "RFC5040-5.3-04"
            "reports the length of a message in 16 bits";
        ReceivesBackwards "receives-backwards" Both RFC5040 "RFC5040-5.3-02"
            "uses the receive that was posted last";
        ImmediateLengthUnchecked "immediate-length-unchecked" Both RFC7306 "RFC7306-6.3-07"
            "accepts Immediate Data of more than eight bytes";
        ImmediateKeepsReceive "immediate-keeps-receive" Both RFC7306 "RFC7306-6.3-02"
            "uses up no receive for Immediate Data";
        ImmediateMixedTaken "immediate-mixed-taken" Both EXT_V2 "EXTV2-5.1-01"
            "accepts Immediate Data in one segment with other bytes";
        ResponseKindUnchecked "response-kind-unchecked" Both RFC7306 "COMMIT-5.1-01"
            "treats any response on queue 3 as the one that is due";
        AtomicAlignmentUnchecked "atomic-alignment-unchecked" Both RFC7306 "RFC7306-8.2-04"
            "does atomic operations on addresses that are not aligned";
        AtomicCodeUnchecked "atomic-code-unchecked" Both RFC7306 "RFC7306-5.2.1-16"
            "treats every Atomic Operation Code that it does not know as FetchAdd";
        FetchAddCarries "fetch-add-carries" Both RFC7306 "RFC7306-5.1.1-01"
            "carries from one field of a FetchAdd into the next";
        FetchAddMaskInverted "fetch-add-mask-inverted" Both RFC7306 "RFC7306-5.1.1-07"
            "inverts the meaning of the Add Mask of a FetchAdd";
        FetchAddCompareMaskZero "fetch-add-compare-mask-zero" Both RFC7306 "RFC7306-5.2.1-09"
            "sends zeros in the Compare Mask of a FetchAdd";
        AtomicReservedBits "atomic-reserved-bits" Both RFC7306 "RFC7306-5.2.1-02"
            "sets a reserved bit in Atomic Requests";
        CmpSwapCompareMaskIgnored "cmp-swap-compare-mask-ignored" Both RFC7306 "RFC7306-5.1.2-01"
            "compares all bits in a CmpSwap";
        CmpSwapSwapMaskIgnored "cmp-swap-swap-mask-ignored" Both RFC7306 "RFC7306-5.1.2-01"
            "swaps all bits in a CmpSwap";
        CmpSwapAlways "cmp-swap-always" Both RFC7306 "RFC7306-5.1.2-01"
            "swaps in a CmpSwap whatever it compares";
        SwapMaskHeeded "swap-mask-heeded" Both RFC7306 "EXT04-5.2.1-01"
            "swaps in an Atomic Swap only the bits that its mask names";
        AtomicReturnsNew "atomic-returns-new" Both RFC7306 "RFC7306-5.2.2-03"
            "returns the word after an atomic operation instead of the one before";
        AtomicsInterleave "atomics-interleave" Both RFC7306 "RFC7306-5.3-01"
            "does an atomic operation on what the word held before that of another stream";
        AtomicReturnsEarlier "atomic-returns-earlier" Both RFC7306 "RFC7306-5-01"
            "returns what the word held before the last atomic operation of another stream";
        AtomicIdentifierWrong "atomic-identifier-wrong" Both RFC7306 "RFC7306-5.2.2-02"
            "answers Atomic Requests with the next identifier";
        FlushBeforeDurable "flush-before-durable" Both COMMIT "COMMIT-3.1.1-02"
            "answers a Flush without waiting for the store";
        FlushHalf "flush-half" Both COMMIT "COMMIT-3.1.1.3-06"
            "flushes the first half of what it is to flush";
        FlushFirstPage "flush-first-page" Both COMMIT "COMMIT-3.1.1.3-06"
            "flushes the first 4096 bytes of what it is to flush";
        FlushFlagsConfused "flush-flags-confused" Both COMMIT "COMMIT-3.1.1.1-03"
            "treats the flag for visibility as the one for persistence";
        FlushFailureAnswered "flush-failure-answered" Both COMMIT "COMMIT-3.1.1.2-03"
            "answers a Flush that failed as if it had succeeded";
        VerifyPrefix "verify-prefix" Both COMMIT "COMMIT-3.1.2-01"
            "compares only as many bytes of a hash as a Verify contains";
        VerifyMismatchAnswered "verify-mismatch-answered" Both COMMIT "COMMIT-3.1.2-01"
            "answers a Verify with the hash although another was expected";
        VerifyHashShort "verify-hash-short" Both COMMIT "COMMIT-3.1.2.2-02"
            "leaves the last byte of the region out of the hash of a Verify";
        VerifyFirstBytes "verify-first-bytes" Both COMMIT "COMMIT-3.1.2.2-02"
            "computes the hash of a Verify over the first 4096 bytes";
        AtomicWriteBeforeFlush "atomic-write-before-flush" Both COMMIT "COMMIT-3.1.3.1-06"
            "carries out an Atomic Write before the Flush that precedes it";
        AtomicWriteUnaligned "atomic-write-unaligned" Both COMMIT "COMMIT-3.1.3.1-07"
            "carries out Atomic Writes that are not aligned";
        AtomicWriteLengthUnchecked "atomic-write-length-unchecked" Both COMMIT "COMMIT-3.1.3-01"
            "accepts Atomic Writes of any length";
        RequestInvalidateIgnored "request-invalidate-ignored" Both COMMIT "COMMIT-3.1-02"
            "leaves the STag valid that a Flush, Verify or Atomic Write invalidates";
        RdmapVersionZero "rdmap-version-zero" Both RFC5040 "RFC5040-4.1-08"
            "sends RDMAP version 0";
        RdmapReservedBits "rdmap-reserved-bits" Both RFC5040 "RFC5040-4.1-09"
            "sets a reserved bit of the RDMAP control byte";
        InvalidateTagStray "invalidate-tag-stray" Both RFC5040 "RFC5040-4.1-11"
            "names an STag to invalidate in Sends that invalidate nothing";
        SolicitedBitLost "solicited-bit-lost" Both RFC5040 "RFC5040-4.1-16"
            "gives Sends with SE the opcode of those without";
        ReadRequestOnQueue0 "read-request-on-queue-0" Both RFC5040 "RFC5040-5.2.1-06"
            "sends Read Requests to queue 0";
        TerminateOnQueue0 "terminate-on-queue-0" Both RFC5040 "RFC5040-5.4-02"
            "sends Terminates to queue 0";
        ReadV2ResponseOnQueue0 "read-v2-response-on-queue-0" Both EXT_V2 "EXTV2-6.3-01"
            "sends Read V2 Responses to queue 0";
        Version2As1 "version-2-as-1" Both EXT_V2 "EXTV2-4.1-01"
            "sends the messages of RFC 5040 with RV 1 where 2 was agreed on";
        CommitInVersion2 "commit-in-version-2" Both COMMIT "COMMIT-3.1-02"
            "sends Flush, Verify and Atomic Write with RV 2";
        ImmediateCut "immediate-cut" Both RFC7306 "RFC7306-6.3-05"
            "sends four bytes of Immediate Data";
        AtomicWriteLengthZero "atomic-write-length-zero" Both COMMIT "COMMIT-3.1.3.1-02"
            "names a length of zero in Atomic Writes";
        FlushResponseWithPayload "flush-response-with-payload" Both COMMIT "COMMIT-3.1.1.2-01"
            "puts four bytes into Flush Responses";
        TerminateDroppedAmidMessage "terminate-dropped-amid-message" Both RFC5040 "RFC5040-7.1-04"
            "sends no Terminate while another message is being sent";
        RdmapVersionUnchecked "rdmap-version-unchecked" Both RFC5040 "RFC5040-7.2-03"
            "accepts any RDMAP version";
        OpcodeUnchecked "opcode-unchecked" Both RFC5040 "RFC5040-7.2-02"
            "treats opcodes that it does not know as a Send";
        OpcodeOnAnyQueue "opcode-on-any-queue" Both RFC5040 "RFC5040-3.1-02"
            "accepts messages on queues where they do not belong";
        UnaskedReadResponseTaken "unasked-read-response-taken" Both RFC5040 "RFC5040-5.2.2-05"
            "places Read Responses that it did not ask for";
        ReadResponseInTurn "read-response-in-turn" Both RFC5040 "RFC5040-5.2.2-04"
            "refuses segments of a Read Response whose TO is not that of the next bytes due";
        ReadResponseFirstOnly "read-response-first-only" Both RFC5040 "RFC5041-7.1-12"
            "checks only the first segment of a Read Response, and places the rest after it";
        CompletionsReversed "completions-reversed" Both RFC5040 "RFC5040-5.5-15"
            "completes work requests that end together in the wrong order";
        RightsToldAsBounds "rights-told-as-bounds" Both RFC5040 "RFC5040-4.8-12"
            "reports missing rights as a bounds error in its Terminates";
        ForeignTagToldAsInvalid "foreign-tag-told-as-invalid" Both RFC5040 "RFC5040-7.2-10"
            "reports the STag of another stream as invalid in its Terminates";
        InvalidateToldAsInvalidTag "invalidate-told-as-invalid-tag" Both RFC5040 "RFC5040-5.3-16"
            "reports an STag that cannot be invalidated as invalid in its Terminates";
        BoundsToldByRdmap "bounds-told-by-rdmap" Both RFC5040 "RFC5041-7.2-03"
            "uses RDMAP's code for DDP's bounds error";
        VersionToldAsOpcode "version-told-as-opcode" Both RFC5040 "RFC5040-4.8-13"
            "reports a wrong RDMAP version as a wrong opcode in its Terminates";
        CrcToldAsMarker "crc-told-as-marker" Both RFC5040 "RFC5044-8-02"
            "reports a wrong CRC as a wrong marker in its Terminates";
        InsufficientIrdToldAsIndication "insufficient-ird-told-as-indication" Initiator RFC5040 "RFC6581-9.1-10"
            "reports too small an IRD as a missing indication in its Terminates";
        IndicationToldAsLocal "indication-told-as-local" Both RFC5040 "RFC6581-9.2-12"
            "reports a missing indication as a local error in its Terminates";
        AlignmentToldAsUnspecified "alignment-told-as-unspecified" Both RFC7306 "RFC7306-8.2-05"
            "reports an atomic operation that is not aligned as an unspecified error";
        RdmapReservedChecked "rdmap-reserved-checked" Both RFC5040 "RFC5040-4.1-10"
            "refuses messages with a reserved bit in the RDMAP control byte";
        InvalidateTagStrayTaken "invalidate-tag-stray-taken" Both RFC5040 "RFC5040-4.1-12"
            "invalidates the STag in a message that invalidates nothing";
        OpcodeTaggedAnyhow "opcode-tagged-anyhow" Both RFC5040 "RFC5040-5.3-08"
            "treats tagged messages with untagged opcodes as Writes";
        TerminateReservedChecked "terminate-reserved-checked" Both RFC5040 "RFC5040-4.8-17"
            "refuses Terminates with a reserved bit";
        TerminateLocalCodeChecked "terminate-local-code-checked" Both RFC5040 "RFC5040-4.8-11"
            "refuses Terminates about a local catastrophe whose code is not zero";
        WrongTerminateDropped "wrong-terminate-dropped" Both RFC5040 "RFC5040-5.4-07"
            "drops Terminates that cannot be read, and continues";
        LastFaultTold "last-fault-told" Both RFC5040 "RFC5040-7.1-08"
            "reports the last of several errors in its Terminates";
        EmptyRequestJudged "empty-request-judged" Both RFC5040 "RFC5040-5.2.1-16"
            "checks STag and Tagged Offset of requests for no bytes";
        ProfileExceeded "profile-exceeded" Both RFC5040 "RFC5040-7.2-07"
            "carries out requests of RFC 7306 and rdma-commit where they were not agreed on";
        AtomicReservedChecked "atomic-reserved-checked" Both RFC7306 "RFC7306-5.2.1-03"
            "refuses Atomic Requests with a reserved bit";
        FetchAddCompareDataChecked "fetch-add-compare-data-checked" Both RFC7306 "RFC7306-5.2.1-08"
            "refuses FetchAdds whose Compare Data are not zero";
        FetchAddCompareMaskChecked "fetch-add-compare-mask-checked" Both RFC7306 "RFC7306-5.2.1-10"
            "refuses FetchAdds whose Compare Mask is not all ones";
        RequestLengthDropped "request-length-dropped" Both RFC7306 "RFC7306-8.1-02"
            "silently drops requests that are not as long as their header";
        UnaskedResponseDropped "unasked-response-dropped" Both RFC7306 "RFC7306-8.2-01"
            "silently drops responses on queue 3 that it did not ask for";
        AtomicCompletesEarly "atomic-completes-early" Both RFC7306 "RFC7306-5.4-08"
            "completes Atomics when their requests are sent";
        ResponsesMatchedBackwards "responses-matched-backwards" Both RFC7306 "EXTV2-6-03"
            "treats a response on queue 3 as that of the last request";
        ReadV2OffsetIgnored "read-v2-offset-ignored" Both EXT_V2 "RFC5041-5.2-05"
            "places each segment of a Read V2 Response at the start of its sink";
        RequestLengthLoose "request-length-loose" Both COMMIT "COMMIT-5.1-01"
            "accepts requests that are followed by extra bytes";
        FlushWantsBothRights "flush-wants-both-rights" Both COMMIT "COMMIT-3.1.1.2-02"
            "requires the rights to both states for a Flush to one";
        EmptyFlushUnanswered "empty-flush-unanswered" Both COMMIT "COMMIT-3.1.1.2-02"
            "does not answer Flush and Verify of no bytes";
        VerifyHashCut "verify-hash-cut" Both COMMIT "COMMIT-3.1.2.2-02"
            "reports no more than 32 bytes of a hash to its ULP";
        AtomicWriteHalf "atomic-write-half" Both COMMIT "COMMIT-3.1.3.1-02"
            "places only the first four bytes of an Atomic Write";
        AtomicWriteWantsAtomic "atomic-write-wants-atomic" Both COMMIT "COMMIT-2.4-01"
            "requires the right to atomic operations for an Atomic Write";
    ]
    // Bugs in regions, their bounds and rights.
    Memory: [
        StaleTagUsable "stale-tag-usable" Both RFC5040 "RFC5040-8.1.1-06"
            "lets peers go on using a Steering Tag that was invalidated";
        TagKeyIgnored "tag-key-ignored" Both RFC5040 "RFC5041-7.1-13"
            "compares only the index of a Steering Tag, not its key";
        RevalidatedTagKeepsKey "revalidated-tag-keeps-key" Both RFC5040 "RFC5041-8.3-04"
            "gives a Steering Tag the same key again when it becomes valid";
        SteeringTagsInOrder "steering-tags-in-order" Both RFC5040 "RFC5040-8.1.1-08"
            "assigns consecutive Steering Tags";
        StreamAssociationUnchecked "stream-association-unchecked" Both RFC5040 "RFC5040-8.1.1-02"
            "lets every stream use the Steering Tag of one";
        ProtectionDomainUnchecked "protection-domain-unchecked" Both RFC5040 "RFC5040-8.1.1-01"
            "lets streams of any Protection Domain use a Steering Tag";
        SharedTagInvalidated "shared-tag-invalidated" Both RFC5040 "RFC5040-8.1.1-07"
            "lets peers invalidate a Steering Tag that streams share";
        ForeignTagInvalidated "foreign-tag-invalidated" Both RFC5040 "RFC5040-5.3-14"
            "lets peers invalidate the Steering Tag of another stream";
        ReadRightUnchecked "read-right-unchecked" Both RFC5040 "RFC5040-8.1.1-05"
            "lets peers read what may not be read";
        WriteRightUnchecked "write-right-unchecked" Both RFC5040 "RFC5041-7.1-14"
            "lets peers write to what may not be written to";
        AtomicRightUnchecked "atomic-right-unchecked" Both RFC7306 "RFC7306-8.1-02"
            "lets peers do atomic operations where they may not";
        FlushRightUnchecked "flush-right-unchecked" Both COMMIT "COMMIT-5.2-02"
            "lets peers flush what they may not flush";
        VerifyRightUnchecked "verify-right-unchecked" Both COMMIT "COMMIT-5.2-02"
            "lets peers hash what they may not hash";
        BoundsUnchecked "bounds-unchecked" Both RFC5040 "RFC5041-8.1-01"
            "does not check where a region ends";
        BoundsEndLoose "bounds-end-loose" Both RFC5040 "RFC5041-7.1-16"
            "treats a region as one byte longer than it is";
        BoundsEndTight "bounds-end-tight" Both RFC5040 "RFC5041-8.3-02"
            "treats a region as one byte shorter than it is";
        LowerBoundUnchecked "lower-bound-unchecked" Both RFC5040 "RFC5041-7.1-15"
            "treats offsets before a region as its start";
        BaseIgnored "base-ignored" Both RFC5040 "RFC5041-8.3-02"
            "treats Tagged Offsets as distances from the region's start, whatever its base is";
        TaggedOffsetHighIgnored "tagged-offset-high-ignored" Both RFC5040 "RFC5041-7.1-15"
            "compares only the low 32 bits of a TO";
        WrapUnchecked "wrap-unchecked" Both RFC5040 "RFC5041-7.1-17"
            "lets the sum of Tagged Offset and length wrap";
        WindowStartIgnored "window-start-ignored" Both RFC5040 "RFC5041-8.3.1-04"
            "treats a window as the start of its region";
        AlignmentOfOffset "alignment-of-offset" Both RFC7306 "RFC7306-8.2-04"
            "checks the alignment of the Tagged Offset instead of that of the address";
        PlacementShort "placement-short" Both RFC5040 "RFC5041-5.2-05"
            "leaves the last byte of each segment unplaced";
    ]
    // Bugs in RPC-over-RDMA and what it carries.
    Rpc: [
        RpcPrivateMagic "rpc-private-magic" Both RFC5040 "RFC8797-4-03"
            "begins its private data with another identifier";
        RpcPrivateVersion "rpc-private-version" Both RFC5040 "RFC8797-4-04"
            "sends private data of version 2";
        RpcPrivateReserved "rpc-private-reserved" Both RFC5040 "RFC8797-4-05"
            "sets a reserved bit in its private data";
        RpcPrivateSizes "rpc-private-sizes" Both RFC5040 "RFC8797-4.2-01"
            "encodes its sizes without taking one off";
        RpcSendSizeExceeded "rpc-send-size-exceeded" Both RFC5040 "RFC8797-4-07"
            "sends inline what the peer can receive, whatever send size it announces";
        RpcThresholdIgnored "rpc-threshold-ignored" Both RFC5040 "RFC8797-4-08"
            "sends inline what its own send size allows, whatever the peer can receive";
        RpcCreditsAtFirst "rpc-credits-at-first" Initiator RFC5040 "RFC8166-3.3.3-02"
            "counts on the credits that it asks for before any reply grants them";
        RpcCreditsExceeded "rpc-credits-exceeded" Initiator RFC5040 "RFC8166-3.3.1-01"
            "sends as many calls as it asked credits for, whatever was granted";
        RpcReceivesMissing "rpc-receives-missing" Initiator RFC5040 "RFC8166-3.3.1-05"
            "has one receive posted, however many replies it waits for";
        RpcMemoryKept "rpc-memory-kept" Initiator RFC5040 "RFC8166-8.1-01"
            "leaves the memory of a call open to the responder after the reply";
        RpcReadPosition "rpc-read-position" Initiator RFC5040 "RFC8166-3.4.5-01"
            "gives read chunks the position of the length word before their item";
        RpcReadPositionOdd "rpc-read-position-odd" Initiator RFC5040 "RFC8166-3.4.5-02"
            "gives read chunks a position that is not a multiple of four";
        RpcReadChunkLong "rpc-read-chunk-long" Initiator RFC5040 "RFC8166-3.4.5.2-03"
            "makes read chunks four bytes longer than their item";
        RpcRoundUpStays "rpc-round-up-stays" Both RFC5040 "RFC8166-3.4.4.4-02"
            "leaves the round-up of an item that is moved in a chunk in the message";
        RpcRoundUpForgotten "rpc-round-up-forgotten" Responder RFC5040 "RFC8166-3.4.4.4-02"
            "puts read chunks back without round-up, so that all that follows is misplaced";
        RpcHeaderTakenOut "rpc-header-taken-out" Initiator RFC5040 "RFC8166-3.4.2-02"
            "takes the credential out of the RPC header and puts it into a read chunk";
        RpcLongCallInline "rpc-long-call-inline" Initiator RFC5040 "RFC8166-3.5.3-01"
            "sends calls inline however long they are";
        RpcReplyChunkMissing "rpc-reply-chunk-missing" Initiator RFC5040 "RFC8166-4.3.3-01"
            "offers no reply chunk for replies that may be long";
        RpcWriteChunkShort "rpc-write-chunk-short" Initiator RFC5040 "RFC8166-3.4.6-01"
            "offers write chunks four bytes shorter than the longest result";
        RpcVersionTwo "rpc-version-two" Both RFC5040 "RFC8166-4.2.2-01"
            "sends headers of version 2";
        RpcHeaderXid "rpc-header-xid" Both RFC5040 "RFC8166-4.2.1-01"
            "puts a different XID into the header than into the RPC message";
        RpcPaddedSent "rpc-padded-sent" Both RFC5040 "RFC8166-4.6.1-01"
            "sends RDMA_MSGP instead of RDMA_MSG";
        RpcVersionUnchecked "rpc-version-unchecked" Responder RFC5040 "RFC8166-4.5.1-01"
            "treats calls of any version as calls of version 1";
        RpcXidUnchecked "rpc-xid-unchecked" Both RFC5040 "RFC8166-4.5.2-01"
            "accepts messages whose two XIDs differ";
        RpcShortAnswered "rpc-short-answered" Responder RFC5040 "RFC8166-4.5-01"
            "answers messages that are shorter than a header";
        RpcDoneAnswered "rpc-done-answered" Responder RFC5040 "RFC8166-4.6.2-02"
            "answers RDMA_DONE";
        RpcPaddedAnswered "rpc-padded-answered" Responder RFC5040 "RFC8166-4.6.1-02"
            "answers RDMA_MSGP as if it were RDMA_MSG";
        RpcErrorAnswered "rpc-error-answered" Responder RFC5040 "RFC8166-4.2.4-07"
            "answers RDMA_ERROR";
        RpcErrorSilent "rpc-error-silent" Responder RFC5040 "RFC8166-4.5-02"
            "drops calls with a wrong header";
        RpcErrorXid "rpc-error-xid" Responder RFC5040 "RFC8166-4.5-04"
            "puts another XID into an RDMA_ERROR";
        RpcErrorVersion "rpc-error-version" Responder RFC5040 "RFC8166-4.5-05"
            "puts version 1 into an RDMA_ERROR for a call of another version";
        RpcErrorRange "rpc-error-range" Responder RFC5040 "RFC8166-4.5.1-01"
            "names the version that it refuses as the highest that it supports";
        RpcErrorKind "rpc-error-kind" Responder RFC5040 "RFC8166-4.5.2-01"
            "answers with ERR_VERS where ERR_CHUNK is due";
        RpcLongCallRefused "rpc-long-call-refused" Responder RFC5040 "RFC8166-4-02"
            "refuses calls that lie in a read chunk of position 0";
        RpcSegmentsReversed "rpc-segments-reversed" Responder RFC5040 "RFC8166-3.4.4-01"
            "puts the segments of a read chunk together in reverse order";
        RpcInvalidateUnagreed "rpc-invalidate-unagreed" Responder RFC5040 "RFC8797-4.1-03"
            "sends replies with Invalidate although not both sides have set R";
        RpcInvalidateOther "rpc-invalidate-other" Responder RFC5040 "RFC8797-4.1-02"
            "invalidates a Steering Tag that the call did not offer";
        RpcReplySaysCall "rpc-reply-says-call" Both RFC5040 "RFC8167-5.2-03"
            "says CALL in replies";
        RpcCreditsZero "rpc-credits-zero" Responder RFC5040 "RFC8166-3.3.1-02"
            "grants no credits";
        RpcLengthsKept "rpc-lengths-kept" Responder RFC5040 "RFC8166-3.4.6-02"
            "returns write chunks with the lengths that were offered";
        RpcWriteListDropped "rpc-write-list-dropped" Responder RFC5040 "RFC8166-4.3.2.2-03"
            "leaves the write list out of replies";
        RpcReplyChunkDropped "rpc-reply-chunk-dropped" Responder RFC5040 "RFC8166-4.3.3-03"
            "leaves a reply chunk that it does not use out of the reply";
        RpcReadListReturned "rpc-read-list-returned" Responder RFC5040 "RFC8166-4.3.1-01"
            "repeats the read list of the call in the reply";
        RpcLongReplyInline "rpc-long-reply-inline" Responder RFC5040 "RFC8166-3.5.3-04"
            "sends replies inline however long they are";
        RpcWriteChunksBackwards "rpc-write-chunks-backwards" Responder RFC5040 "RFC8166-4.3.2-01"
            "fills write chunks from the last one on";
        RpcResultsInline "rpc-results-inline" Responder RFC5040 "RFC8166-4.3.2-01"
            "leaves results inline that a write chunk was offered for";
        RpcEmptyChunkSkipped "rpc-empty-chunk-skipped" Responder RFC5040 "RFC8166-4.3.2.3-01"
            "puts the result of an empty write chunk into the next one";
        RpcWritePadding "rpc-write-padding" Responder RFC5040 "RFC8166-3.4.6.2-02"
            "writes the round-up of results into write chunks";
        RpcWriteOverrun "rpc-write-overrun" Responder RFC5040 "RFC8166-3.4.6-02"
            "writes all of a result into the first segment of its chunk";
        RpcRoomUnchecked "rpc-room-unchecked" Responder RFC5040 "RFC8267-3.1-01"
            "writes past the end of a chunk that is too small";
        RpcSendBeforeWrites "rpc-send-before-writes" Responder RFC5040 "RFC8166-3.4.6-02"
            "sends the reply before it writes the data that the reply describes";
        RpcReceivesShort "rpc-receives-short" Both RFC5040 "RFC8166-3.3.3-04"
            "posts receives of 1000 bytes";
        RpcRefusalsAsErrors "rpc-refusals-as-errors" Responder RFC5040 "RFC8166-4.5.2-02"
            "answers calls that RPC refuses with ERR_CHUNK";
        RpcErrorChunkUnknown "rpc-error-chunk-unknown" Initiator RFC5040 "RFC8166-4.5-08"
            "treats ERR_CHUNK as an error that it cannot read";
        RpcFaultyErrorTaken "rpc-faulty-error-taken" Initiator RFC5040 "RFC8166-4.5-07"
            "ends the call of an RDMA_ERROR that it cannot read";
        RpcFaultyReplyTaken "rpc-faulty-reply-taken" Initiator RFC5040 "RFC8166-4.5-03"
            "ends the call of a reply whose header is wrong";
        RpcDoneEndsCall "rpc-done-ends-call" Initiator RFC5040 "RFC8166-4.6.2-02"
            "ends the call that an RDMA_DONE names";
        RpcAnythingTakenOut "rpc-anything-taken-out" Responder RFC5040 "RFC8166-6.1-03"
            "carries out calls whatever was moved out of them into chunks";
        RpcInlineResultTaken "rpc-inline-result-taken" Initiator RFC5040 "RFC8166-6.1-06"
            "accepts inline results although a write chunk was offered for them";
        RpcCreditsOfAnything "rpc-credits-of-anything" Initiator RFC5040 "RFC8167-4.1-02"
            "uses the credits of messages that it drops";
        RpcBackwardChunks "rpc-backward-chunks" Responder RFC5040 "RFC8267-6.5.2-03"
            "sends its own calls in read chunks, however short they are";
        RpcSettingsKept "rpc-settings-kept" Responder RFC5040 "RFC8797-4-01"
            "uses the private data of the previous connection where there is none";
        RpcPrivateReservedChecked "rpc-private-reserved-checked" Both RFC5040 "RFC8797-4-06"
            "ignores private data with a reserved bit";
        RpcPrivateInFront "rpc-private-in-front" Both RFC5040 "RFC8797-5.2-02"
            "looks for its private data only at the beginning";
    ]
}
