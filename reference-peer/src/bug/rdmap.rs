//! Bugs in messages, their order, Terminates and the end of a stream.

macro_rules! rdmap_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
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
                "echoes headers in its Terminates, and does not say so";
            TerminateHeaderBitsAll "terminate-header-bits-all" Both RFC5040 "RFC5040-4.8-24"
                "sets M, D and R in every Terminate";
            TerminateReadRequestMissing "terminate-read-request-missing" Both RFC5040 "RFC5040-7.1-07"
                "leaves the Read Request out of its Terminates";
            TerminateHeadersSwapped "terminate-headers-swapped" Both RFC5040 "RFC5040-4.8-01"
                "puts the Read Request in front of the DDP header in its Terminates";
            TerminateHeaderCut "terminate-header-cut" Both RFC5040 "RFC5040-4.8-20"
                "echoes 14 bytes of every DDP header";
            TerminateLengthZero "terminate-length-zero" Both RFC5040 "RFC5040-4.8-18"
                "names a DDP Segment Length of zero in its Terminates";
            TerminateLengthOfPayload "terminate-length-of-payload" Both RFC5040 "RFC5040-4.8-18"
                "names the length of the payload as DDP Segment Length";
            TerminateReservedBits "terminate-reserved-bits" Both RFC5040 "RFC5040-4.8-16"
                "sets a reserved bit in its Terminates";
            TerminateReadRestarted "terminate-read-restarted" Both RFC5040 "RFC5040-4.8-26"
                "echoes a Read Request as it came, however far the Read has come";
            TerminateReadSizeKept "terminate-read-size-kept" Both RFC5040 "RFC5040-4.8-27"
                "echoes the whole size of a Read Request, however far the Read has come";
            TerminateNotSent "terminate-not-sent" Both RFC5040 "RFC5040-6.2.1-01"
                "closes without a Terminate";
            TerminateThenData "terminate-then-data" Both RFC5040 "RFC5040-5.4-09"
                "sends another message behind its Terminate";
            TerminateWithoutClose "terminate-without-close" Both RFC5040 "RFC5040-7-01"
                "leaves the connection open behind its Terminate";
            TerminateThenReset "terminate-then-reset" Both RFC5040 "RFC5040-6.2.1-04"
                "resets the connection behind its Terminate";
            TerminateIgnored "terminate-ignored" Both RFC5040 "RFC5040-5.4-08"
                "goes on when a Terminate came";
            TerminateNotTold "terminate-not-told" Both RFC5040 "RFC5040-5.4-06"
                "does not tell its ULP of a Terminate that came";
            ViolationNotTold "violation-not-told" Both RFC5040 "RFC5040-7.1-01"
                "does not tell its ULP what it refuses";
            PostAfterFinish "post-after-finish" Both RFC5040 "RFC5041-6.2.1-03"
                "takes work requests when it was told to close";
            HalfCloseRefused "half-close-refused" Both RFC5040 "RFC5041-6.2.1-05"
                "drops the connection when the peer closes its direction";
            FinishNotTold "finish-not-told" Both RFC5040 "RFC5044-7.2-01"
                "does not tell its ULP that the peer has closed its direction";
            CloseBeforeDone "close-before-done" Both RFC5040 "RFC5041-6.2.1-02"
                "closes without waiting for responses";
            CloseByReset "close-by-reset" Both RFC5040 "RFC5041-6.2.1-06"
                "resets the connection where it is to close it";
            EarlyEndUnnoticed "early-end-unnoticed" Both RFC5040 "RFC5044-8-01"
                "takes a stream that ends within a message for a good end";
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
            ReadResponseLong "read-response-long" Both RFC5040 "RFC5040-4.4-07"
                "sends one byte more in Read Responses than was asked for";
            ReadResponseAsWrite "read-response-as-write" Both RFC5040 "RFC5040-4.1-06"
                "gives Read Responses the opcode of a Write";
            ReadCompletesEarly "read-completes-early" Both RFC5040 "RFC5040-5.5-19"
                "completes Reads when their requests are sent";
            ZeroReadUnanswered "zero-read-unanswered" Both RFC5040 "RFC5040-5.2.1-16"
                "does not answer Read Requests for no bytes";
            ResponsesReversed "responses-reversed" Both RFC5040 "RFC5040-5.5-20"
                "answers the last request first";
            OrdIgnored "ord-ignored" Both RFC5040 "RFC5040-6.1-06"
                "sends more requests at once than the ORD allows";
            IrdIgnored "ird-ignored" Both RFC5040 "RFC5040-6.1-07"
                "takes more requests at once than its IRD allows";
            IrdOneLess "ird-one-less" Both RFC5040 "RFC5040-6.1-03"
                "takes one request less at once than its IRD says";
            FenceIgnored "fence-ignored" Both RFC5040 "RFC5040-5.5-12"
                "begins fenced work requests at once";
            SendOvertakesWrite "send-overtakes-write" Both RFC5040 "RFC5040-5.5-13"
                "sends a Send in front of the Write that was posted before it";
            InvalidateIgnored "invalidate-ignored" Both RFC5040 "RFC5040-5.3-15"
                "leaves the STag valid that a Send invalidates";
            InvalidateUnchecked "invalidate-unchecked" Both RFC5040 "RFC5040-5.3-16"
                "takes Sends that invalidate what they cannot";
            SolicitedEventMissing "solicited-event-missing" Both RFC5040 "RFC5040-3.2-03"
                "raises no event for messages with SE";
            ReceivedLengthOfBuffer "received-length-of-buffer" Both RFC5040 "RFC5040-5.3-04"
                "tells the length of the buffer for that of the message";
            ReceivesBackwards "receives-backwards" Both RFC5040 "RFC5040-5.3-02"
                "takes the receive that was posted last";
            ImmediateLengthUnchecked "immediate-length-unchecked" Both RFC7306 "RFC7306-6.3-07"
                "takes Immediate Data of more than eight bytes";
            ImmediateKeepsReceive "immediate-keeps-receive" Both RFC7306 "RFC7306-6.3-02"
                "uses up no receive for Immediate Data";
            ImmediateMixedTaken "immediate-mixed-taken" Both EXT_V2 "EXTV2-5.3-02"
                "takes Immediate Data in one segment with other bytes";
            ReadV2LengthUnchecked "read-v2-length-unchecked" Both EXT_V2 "EXTV2-8.1-01"
                "takes Read V2 Responses that are too short";
            ResponseKindUnchecked "response-kind-unchecked" Both RFC7306 "RFC7306-8.2-02"
                "takes any response on queue 3 for the one that is due";
            AtomicResponseUnmatched "atomic-response-unmatched" Both RFC7306 "RFC7306-5.2.2-02"
                "does not compare the identifier of an Atomic Response";
            AtomicAlignmentUnchecked "atomic-alignment-unchecked" Both RFC7306 "RFC7306-8.2-04"
                "does atomic operations on addresses that are not aligned";
            AtomicCodeUnchecked "atomic-code-unchecked" Both RFC7306 "RFC7306-5.2.1-16"
                "takes every Atomic Operation Code that it does not know for FetchAdd";
            FetchAddCarries "fetch-add-carries" Both RFC7306 "RFC7306-5.1.1-01"
                "carries from one field of a FetchAdd into the next";
            FetchAddMaskInverted "fetch-add-mask-inverted" Both RFC7306 "RFC7306-5.1.1-07"
                "takes the Add Mask of a FetchAdd the other way round";
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
            AtomicReturnsNew "atomic-returns-new" Both RFC7306 "RFC7306-5.2.2-03"
                "returns the word behind an atomic operation, not the one before";
            AtomicIdentifierWrong "atomic-identifier-wrong" Both RFC7306 "RFC7306-5.2.2-02"
                "answers Atomic Requests with the next identifier";
            FlushBeforeDurable "flush-before-durable" Both COMMIT "COMMIT-3.1.1-02"
                "answers a Flush without waiting for the store";
            FlushHalf "flush-half" Both COMMIT "COMMIT-3.1.1.3-06"
                "flushes the first half of what it is to flush";
            FlushFlagsConfused "flush-flags-confused" Both COMMIT "COMMIT-3.1.1.1-03"
                "takes the flag for visibility for the one for persistence";
            FlushFailureAnswered "flush-failure-answered" Both COMMIT "COMMIT-3.1.1.2-03"
                "answers a Flush that failed as if it had succeeded";
            VerifyPrefix "verify-prefix" Both COMMIT "COMMIT-3.1.2-01"
                "compares as many bytes of a hash as a Verify brings";
            VerifyMismatchAnswered "verify-mismatch-answered" Both COMMIT "COMMIT-3.1.2-01"
                "answers a Verify with the hash although another was expected";
            VerifyHashShort "verify-hash-short" Both COMMIT "COMMIT-3.1.2.2-02"
                "leaves the last byte of the region out of the hash of a Verify";
            AtomicWriteBeforeFlush "atomic-write-before-flush" Both COMMIT "COMMIT-3.1.3.1-06"
                "carries out an Atomic Write before the Flush in front of it";
            AtomicWriteUnaligned "atomic-write-unaligned" Both COMMIT "COMMIT-3.1.3.1-07"
                "carries out Atomic Writes that are not aligned";
            AtomicWriteLengthUnchecked "atomic-write-length-unchecked" Both COMMIT "COMMIT-3.1.3.1-03"
                "takes Atomic Writes of any length";
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
                "sends no Terminate while another message is under way";
            RdmapVersionUnchecked "rdmap-version-unchecked" Both RFC5040 "RFC5040-7.2-03"
                "takes any RDMAP version";
            OpcodeUnchecked "opcode-unchecked" Both RFC5040 "RFC5040-7.2-02"
                "takes opcodes that it does not know for a Send";
            OpcodeOnAnyQueue "opcode-on-any-queue" Both RFC5040 "RFC5040-3.1-02"
                "takes messages on queues where they do not belong";
            WrongIndicationTaken "wrong-indication-taken" Responder RFC5040 "RFC6581-9.2-12"
                "takes any first message for the indication that was agreed on";
            UnaskedReadResponseTaken "unasked-read-response-taken" Both RFC5040 "RFC5040-5.2.2-05"
                "places Read Responses that it did not ask for";
            ShortReadResponseTaken "short-read-response-taken" Both RFC5040 "RFC5040-5.2.2-05"
                "completes Reads whose response is too short";
            CompletionsReversed "completions-reversed" Both RFC5040 "RFC5040-5.5-15"
                "completes work requests that end together in the wrong order";
            RightsToldAsBounds "rights-told-as-bounds" Both RFC5040 "RFC5040-4.8-12"
                "names missing rights a fault of bounds in its Terminates";
            ForeignTagToldAsInvalid "foreign-tag-told-as-invalid" Both RFC5040 "RFC5040-7.2-10"
                "names the STag of another stream an invalid one in its Terminates";
            WrapToldAsBounds "wrap-told-as-bounds" Both RFC5040 "RFC5040-7.2-13"
                "names a Tagged Offset that wraps a fault of bounds in its Terminates";
            InvalidateToldAsInvalidTag "invalidate-told-as-invalid-tag" Both RFC5040 "RFC5040-5.3-16"
                "names an STag that cannot be invalidated an invalid one in its Terminates";
            SequenceNumberToldAsNoBuffer "sequence-number-told-as-no-buffer" Both RFC5040 "RFC5041-7.2-04"
                "names an MSN out of range a missing buffer in its Terminates";
            BoundsToldByRdmap "bounds-told-by-rdmap" Both RFC5040 "RFC5041-7.2-03"
                "gives DDP's fault of bounds the code of RDMAP";
            VersionToldAsOpcode "version-told-as-opcode" Both RFC5040 "RFC5040-4.8-13"
                "names a wrong RDMAP version a wrong opcode in its Terminates";
            CrcToldAsMarker "crc-told-as-marker" Both RFC5040 "RFC5044-8-02"
                "names a wrong CRC a wrong marker in its Terminates";
            InsufficientIrdToldAsIndication "insufficient-ird-told-as-indication" Initiator RFC5040 "RFC6581-9.1-10"
                "names too small an IRD a missing indication in its Terminates";
            IndicationToldAsLocal "indication-told-as-local" Both RFC5040 "RFC6581-9.2-12"
                "names a missing indication a local fault in its Terminates";
            AlignmentToldAsUnspecified "alignment-told-as-unspecified" Both RFC7306 "RFC7306-8.2-05"
                "names an atomic operation that is not aligned an unspecified fault";
            RdmapReservedChecked "rdmap-reserved-checked" Both RFC5040 "RFC5040-4.1-10"
                "refuses messages with a reserved bit in the RDMAP control byte";
            InvalidateTagStrayTaken "invalidate-tag-stray-taken" Both RFC5040 "RFC5040-4.1-12"
                "invalidates the STag that stands in a message which invalidates nothing";
            OpcodeTaggedAnyhow "opcode-tagged-anyhow" Both RFC5040 "RFC5040-5.3-08"
                "takes tagged messages of untagged opcodes for Writes";
            TerminateReservedChecked "terminate-reserved-checked" Both RFC5040 "RFC5040-4.8-17"
                "refuses Terminates with a reserved bit";
            TerminateLocalCodeChecked "terminate-local-code-checked" Both RFC5040 "RFC5040-4.8-11"
                "refuses Terminates about a local catastrophe whose code is not zero";
            WrongTerminateDropped "wrong-terminate-dropped" Both RFC5040 "RFC5040-5.4-07"
                "drops Terminates that cannot be read, and goes on";
            LastFaultTold "last-fault-told" Both RFC5040 "RFC5040-7.1-08"
                "tells of the last of several faults in its Terminates";
            EmptyRequestJudged "empty-request-judged" Both RFC5040 "RFC5040-5.2.1-16"
                "judges STag and Tagged Offset of requests for no bytes";
            ProfileExceeded "profile-exceeded" Both RFC5040 "COMMIT-3.1-03"
                "carries out requests of RFC 7306 and rdma-commit where they were not agreed on";
            AtomicReservedChecked "atomic-reserved-checked" Both RFC7306 "RFC7306-5.2.1-03"
                "refuses Atomic Requests with a reserved bit";
            FetchAddCompareDataChecked "fetch-add-compare-data-checked" Both RFC7306 "RFC7306-5.2.1-08"
                "refuses FetchAdds whose Compare Data are not zero";
            FetchAddCompareMaskChecked "fetch-add-compare-mask-checked" Both RFC7306 "RFC7306-5.2.1-10"
                "refuses FetchAdds whose Compare Mask is not all ones";
            RequestLengthDropped "request-length-dropped" Both RFC7306 "RFC7306-8.1-02"
                "drops requests that are not as long as their header, and tells nobody";
            UnaskedResponseDropped "unasked-response-dropped" Both RFC7306 "RFC7306-8.2-01"
                "drops responses on queue 3 that it did not ask for, and tells nobody";
            AtomicCompletesEarly "atomic-completes-early" Both RFC7306 "RFC7306-5.4-08"
                "completes Atomics when their requests are sent";
            ResponsesMatchedBackwards "responses-matched-backwards" Both RFC7306 "EXTV2-6-03"
                "takes a response on queue 3 for that of the last request";
            ReadV2OffsetIgnored "read-v2-offset-ignored" Both EXT_V2 "EXTV2-6-03"
                "places each segment of a Read V2 Response at the start of its sink";
            SendImmediateNeedsRoom "send-immediate-needs-room" Both EXT_V2 "EXTV2-5.3-03"
                "wants room in the receive for the Immediate Data of a Send";
            RequestLengthLoose "request-length-loose" Both COMMIT "COMMIT-5.1-01"
                "takes requests that bytes follow";
            FlushWantsBothRights "flush-wants-both-rights" Both COMMIT "COMMIT-3.1.1.2-02"
                "wants the rights to both states for a Flush to one";
            EmptyFlushUnanswered "empty-flush-unanswered" Both COMMIT "COMMIT-3.1.1.2-02"
                "does not answer Flush and Verify of no bytes";
            VerifyHashCut "verify-hash-cut" Both COMMIT "COMMIT-3.1.2.2-02"
                "tells its ULP no more than 32 bytes of a hash";
            AtomicWriteHalf "atomic-write-half" Both COMMIT "COMMIT-3.1.3.1-02"
                "places the first four bytes of an Atomic Write alone";
            AtomicWriteWantsAtomic "atomic-write-wants-atomic" Both COMMIT "COMMIT-3.1.3.2-01"
                "wants the right to atomic operations for an Atomic Write";
        ]
    } $($rest)* } };
}
