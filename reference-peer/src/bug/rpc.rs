//! Bugs in RPC-over-RDMA and what it carries.

macro_rules! rpc_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Rpc: [
            RpcPrivateMagic "rpc-private-magic" Both RFC5040 "RFC8797-4-03"
                "begins its private data with another identifier";
            RpcPrivateVersion "rpc-private-version" Both RFC5040 "RFC8797-4-04"
                "sends private data of version 2";
            RpcPrivateReserved "rpc-private-reserved" Both RFC5040 "RFC8797-4-05"
                "sets a reserved bit in its private data";
            RpcPrivateSizes "rpc-private-sizes" Both RFC5040 "RFC8797-4.2-01"
                "encodes its sizes without taking one off";
            RpcThresholdIgnored "rpc-threshold-ignored" Both RFC5040 "RFC8797-4-08"
                "sends inline what its own send size allows, whatever the peer can receive";
            RpcCreditsAtFirst "rpc-credits-at-first" Initiator RFC5040 "RFC8166-3.3.3-02"
                "counts on the credits that it asks for before any reply grants them";
            RpcCreditsExceeded "rpc-credits-exceeded" Initiator RFC5040 "RFC8166-3.3.1-01"
                "sends as many calls as it asked credits for, whatever was granted";
            RpcReceivesMissing "rpc-receives-missing" Initiator RFC5040 "RFC8166-3.3.1-05"
                "has one receive posted, however many replies it waits for";
            RpcReplyUnchecked "rpc-reply-unchecked" Initiator RFC5040 "RFC8166-4.5-03"
                "takes replies whose chunk lists are not those of their call";
            RpcMemoryKept "rpc-memory-kept" Initiator RFC5040 "RFC8166-8.1-01"
                "leaves the memory of a call open to the responder behind the reply";
            RpcReadPosition "rpc-read-position" Initiator RFC5040 "RFC8166-3.4.5-01"
                "gives read chunks the position of the length word before their item";
            RpcReadPositionOdd "rpc-read-position-odd" Initiator RFC5040 "RFC8166-3.4.5-02"
                "gives read chunks a position that is no multiple of four";
            RpcReadChunkLong "rpc-read-chunk-long" Initiator RFC5040 "RFC8166-3.4.5.2-03"
                "makes read chunks four bytes longer than their item";
            RpcRoundUpStays "rpc-round-up-stays" Both RFC5040 "RFC8166-3.4.4.4-02"
                "leaves the round-up of an item that goes by a chunk in the message";
            RpcRoundUpForgotten "rpc-round-up-forgotten" Responder RFC5040 "RFC8166-3.4.5-01"
                "puts read chunks back without round-up, and all that follows out of place";
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
                "puts another XID into the header than into the RPC message";
            RpcPaddedSent "rpc-padded-sent" Both RFC5040 "RFC8166-4.6.1-01"
                "sends RDMA_MSGP in place of RDMA_MSG";
            RpcVersionUnchecked "rpc-version-unchecked" Responder RFC5040 "RFC8166-4.5.1-01"
                "takes calls of any version for calls of version 1";
            RpcXidUnchecked "rpc-xid-unchecked" Both RFC5040 "RFC8166-4.5.2-01"
                "takes messages whose two XIDs differ";
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
                "names the version that it refuses as the highest that it has";
            RpcErrorKind "rpc-error-kind" Responder RFC5040 "RFC8166-4.5.2-01"
                "answers with ERR_VERS where ERR_CHUNK is due";
            RpcBackwardChunksTaken "rpc-backward-chunks-taken" Initiator RFC5040 "RFC8167-5.3-02"
                "uses the chunks of backward calls that it said it could not use";
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
                "gives the result of an empty write chunk to the next one";
            RpcWritePadding "rpc-write-padding" Responder RFC5040 "RFC8166-3.4.6.2-02"
                "writes the round-up of results into write chunks";
            RpcWriteOverrun "rpc-write-overrun" Responder RFC5040 "RFC8166-3.4.6-02"
                "writes all of a result into the first segment of its chunk";
            RpcSendBeforeWrites "rpc-send-before-writes" Responder RFC5040 "RFC8166-3.4.6-02"
                "sends the reply before it writes what the reply tells of";
            RpcReceivesShort "rpc-receives-short" Both RFC5040 "RFC8166-3.3.3-04"
                "posts receives of 1000 bytes";
            RpcRefusalsAsErrors "rpc-refusals-as-errors" Responder RFC5040 "RFC8166-4.5.2-02"
                "answers calls that RPC refuses with ERR_CHUNK";
            RpcErrorChunkUnknown "rpc-error-chunk-unknown" Initiator RFC5040 "RFC8166-4.1.2-08"
                "takes ERR_CHUNK for an error that it cannot read";
            RpcFaultyErrorTaken "rpc-faulty-error-taken" Initiator RFC5040 "RFC8166-4.5-07"
                "ends the call of an RDMA_ERROR that it cannot read";
            RpcFaultyReplyTaken "rpc-faulty-reply-taken" Initiator RFC5040 "RFC8166-4.5-03"
                "ends the call of a reply whose header is wrong";
            RpcDoneEndsCall "rpc-done-ends-call" Initiator RFC5040 "RFC8166-4.6.2-02"
                "ends the call that an RDMA_DONE names";
            RpcAnythingTakenOut "rpc-anything-taken-out" Responder RFC5040 "RFC8166-6.1-03"
                "carries out calls whatever was taken out of them";
            RpcInlineResultTaken "rpc-inline-result-taken" Initiator RFC5040 "RFC8166-6.1-06"
                "takes results that come inline though a write chunk was offered for them";
            RpcCreditsOfAnything "rpc-credits-of-anything" Initiator RFC5040 "RFC8167-4.1-02"
                "takes the credits of messages that it drops";
            RpcSettingsKept "rpc-settings-kept" Responder RFC5040 "RFC8797-4-01"
                "goes by the private data of the connection before where there is none";
            RpcPrivateReservedChecked "rpc-private-reserved-checked" Both RFC5040 "RFC8797-4-06"
                "takes private data with a reserved bit for none";
            RpcPrivateInFront "rpc-private-in-front" Both RFC5040 "RFC8797-5.2-01"
                "looks for its private data in front alone";
        ]
    } $($rest)* } };
}
