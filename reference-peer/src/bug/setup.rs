//! Bugs in setup frames, and in what is agreed on by them.

macro_rules! setup_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Setup: [
            SetupKeyOfTheOther "setup-key-of-the-other" Both RFC5040 "RFC5044-7.1.1-02"
                "begins its setup frame with the key of the other frame";
            SetupReservedBits "setup-reserved-bits" Both RFC5040 "RFC5044-7.1.1-18"
                "sets a reserved bit in its setup frame";
            PrivateDataLengthLittleEndian "private-data-length-little-endian" Both RFC5040 "RFC5044-7.1.1-23"
                "sends PD_Length with its bytes swapped";
            PrivateDataLengthShort "private-data-length-short" Both RFC5040 "RFC5044-7.1.1-23"
                "says one byte less than the private data has";
            RequestWithReject "request-with-reject" Initiator RFC5040 "RFC5044-7.1.1-15"
                "sets R in its request";
            CrcFlagMissing "crc-flag-missing" Both RFC5040 "RFC5044-4.4-04"
                "does not ask for CRCs although it wants them";
            EnhancedFlagMissing "enhanced-flag-missing" Both RFC5040 "RFC6581-6-01"
                "leaves S away in front of enhanced data";
            EnhancedLittleEndian "enhanced-little-endian" Both RFC5040 "RFC6581-9-03"
                "sends both words of the enhanced data with their bytes swapped";
            EnhancedBehindPrivateData "enhanced-behind-private-data" Both RFC5040 "RFC6581-9-01"
                "puts the enhanced data behind the private data of the ULP";
            ReplyRevisionOwn "reply-revision-own" Responder RFC5040 "RFC6581-10-02"
                "answers with its own revision, not with that of the request";
            ReplyRevisionOne "reply-revision-one" Responder RFC5040 "RFC6581-10-05"
                "answers every request by a frame of revision 1";
            ReplyEnhancedUnasked "reply-enhanced-unasked" Responder RFC5040 "RFC6581-10-06"
                "answers a plain request by enhanced data";
            ReplyDepthsSwapped "reply-depths-swapped" Responder RFC5040 "RFC6581-9-04"
                "confuses IRD and ORD in its reply";
            ReplyDropsControlA "reply-drops-control-a" Responder RFC5040 "RFC6581-9.2-05"
                "clears A in its reply to a request for the peer-to-peer model";
            ReplySetsControlA "reply-sets-control-a" Responder RFC5040 "RFC6581-9.2-14"
                "sets A in its reply to a request for the client-server model";
            ReplyNamesNoIndication "reply-names-no-indication" Responder RFC5040 "RFC6581-9.2-09"
                "clears B, C and D in its reply, and keeps A";
            ReplyOmitsRead "reply-omits-read" Responder RFC5040 "RFC6581-9.2-06"
                "supports a Read as indication and does not name it";
            IndicationsWithoutControlA "indications-without-control-a" Both RFC5040 "RFC6581-9.2-15"
                "sets B although A is clear";
            ReplyEchoesMarkers "reply-echoes-markers" Responder RFC5040 "RFC5044-4.3-12"
                "copies M of the request into its reply, and knows nothing of it later";
            ReplyEchoesIndications "reply-echoes-indications" Responder RFC5040 "RFC6581-9.2-01"
                "says that it supports whatever indications it is asked for";
            PrivateDataLimit "private-data-limit" Both RFC5040 "RFC5044-7.1.2-22"
                "refuses setup frames with more than 255 bytes of private data";
            PrivateDataOverlong "private-data-overlong" Both RFC5040 "RFC5044-7.1.1-25"
                "takes setup frames with more than 512 bytes of private data";
            SetupKeyUnchecked "setup-key-unchecked" Both RFC5040 "RFC5044-7.1.2-16"
                "takes any key in the setup frame of the peer";
            BytesAfterSetupTaken "bytes-after-setup-taken" Both RFC5040 "RFC5044-7.1.1-24"
                "takes setup frames that bytes follow, and drops those";
            RequestRevisionUnchecked "request-revision-unchecked" Responder RFC5040 "RFC5044-7.1.1-22"
                "takes requests of revisions that it does not know";
            RevisionOneRefused "revision-one-refused" Responder RFC5040 "RFC6581-10-04"
                "refuses requests of an older revision than its own";
            MarkersRefused "markers-refused" Responder RFC5040 "RFC5044-4.3-01"
                "refuses requests that want markers";
            ClientServerRefused "client-server-refused" Responder RFC5040 "RFC6581-9.2-14"
                "refuses enhanced requests for the client-server model";
            IrdAsAsked "ird-as-asked" Responder RFC5040 "RFC5040-6.1-03"
                "names the initiator's ORD as its IRD, and holds no more requests than before";
            NotNegotiatedOrdTaken "not-negotiated-ord-taken" Responder RFC5040 "RFC6581-9.1-12"
                "takes an ORD of 0x3FFF for a number";
            NotNegotiatedIrdTaken "not-negotiated-ird-taken" Responder RFC5040 "RFC6581-9.1-14"
                "takes an IRD of 0x3FFF for a number";
            OrdNotLimited "ord-not-limited" Responder RFC5040 "RFC6581-9.1-04"
                "keeps an ORD that is over the IRD of the initiator";
            OrdRaised "ord-raised" Responder RFC5040 "RFC6581-9.1-04"
                "takes the larger of its ORD and the initiator's IRD for its ORD";
            ReplyRevisionUnchecked "reply-revision-unchecked" Initiator RFC5040 "RFC5044-7.1.1-21"
                "does not look at the revision of the reply";
            RejectIgnored "reject-ignored" Initiator RFC5040 "RFC5044-7.1.2-13"
                "goes on when R is set in the reply";
            OrdKept "ord-kept" Initiator RFC5040 "RFC6581-9.1-08"
                "keeps an ORD that is over the IRD of the responder";
            InsufficientIrdAccepted "insufficient-ird-accepted" Initiator RFC5040 "RFC6581-9.1-09"
                "goes on when the responder's ORD is over its IRD";
            NotNegotiatedReplyTaken "not-negotiated-reply-taken" Initiator RFC5040 "RFC6581-9.1-15"
                "takes an ORD of 0x3FFF in the reply for a number";
            ModelMismatchAccepted "model-mismatch-accepted" Initiator RFC5040 "RFC6581-9.2-12"
                "goes on when A in the reply is not what it asked for";
            IndicationUnoffered "indication-unoffered" Initiator RFC5040 "RFC6581-9.2-10"
                "sends the indication that it likes best, whatever the reply names";
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
                "tells its ULP the peer's IRD for the ORD, and the other way round";
            SetupTimerNever "setup-timer-never" Both RFC5040 "RFC5044-7.1.2-25"
                "waits for the setup frame of the peer for ever";
            SetupErrorKeepsTcp "setup-error-keeps-tcp" Both RFC5040 "RFC5044-8-09"
                "leaves TCP open when the setup frame of the peer is wrong";
            RejectClosesTcp "reject-closes-tcp" Both RFC5040 "RFC5044-7.1.2-07"
                "closes TCP when the connection is rejected";
            FallbackNever "fallback-never" Initiator RFC5040 "RFC6581-10-08"
                "does not say that revision 1 may do when revision 2 did not";
            SetupRevision129 "setup-revision-129" Both RFC5040 "RFC5044-7.1.1-20"
                "puts revision 129 into its setup frame";
            RejectSentTwice "reject-sent-twice" Responder RFC5040 "RFC5044-7.1.2-07"
                "sends a Reply that rejects twice";
            SetupReservedChecked "setup-reserved-checked" Both RFC5040 "RFC5044-7.1.1-19"
                "refuses setup frames with a reserved bit";
            SetupFrameCutTaken "setup-frame-cut-taken" Both RFC5040 "RFC5044-7.1.1-24"
                "takes a setup frame that ends early for a whole one";
            SetupFrameSplitRefused "setup-frame-split-refused" Both RFC5040 "RFC5044-7.1.2-22"
                "refuses setup frames that come in pieces";
            InitiatorSpeaksEarly "initiator-speaks-early" Initiator RFC5040 "RFC5044-7.1.2-11"
                "sends an FPDU right behind its request";
            OlderDepthsTaken "older-depths-taken" Responder RFC5040 "RFC5044-7.1.2-22"
                "takes eight bytes of private data for depths, and keeps them from its ULP";
            RequestRejectBitChecked "request-reject-bit-checked" Responder RFC5040 "RFC5044-7.1.1-16"
                "refuses requests with R";
            EnhancedDataMissingTaken "enhanced-data-missing-taken" Initiator RFC5040 "RFC5044-7.1.2-12"
                "takes replies that announce enhanced data and have none";
            RequiredOrdUntold "required-ord-untold" Responder RFC5040 "RFC6581-9.1-05"
                "rejects too small an IRD without naming the ORD that its ULP needs";
            ReplyFlagsTaken "reply-flags-taken" Initiator RFC5040 "RFC6581-9.2-16"
                "sends an indication when B, C or D is set in a reply without A";
        ]
    } $($rest)* } };
}
