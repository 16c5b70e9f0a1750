//! The rules as data, one module per layer.

/// Rules of MPA's connection setup (RFC 5044 section 7.1, RFC 6581).
pub(super) mod setup {
    use crate::rules::rule::rules;

    rules! {
        KEY: "mpa-setup-key", Must, Sender, ["RFC5044-7.1.1-04", "RFC5044-7.1.1-02"], None,
            "A setup frame begins with its key.",
            "The stream does not begin with a setup frame although the other side sent one: the peers do not speak the same protocol, or one expects a different kind of setup.";
        TWO_REQUESTS: "mpa-same-role", Must, Either, ["RFC5044-7.1.1-04", "RFC5044-7.1.1-02"], None,
            "One side sends the request, the other the reply.",
            "Both applications act as initiator, or both as responder; the setup cannot succeed.";
        REVISION: "mpa-setup-revision", Must, Sender, ["RFC5044-7.1.1-20"], None,
            "The revision of a setup frame is 1, or 2 with the enhanced setup.",
            "The sender uses a revision that no document defines, perhaps a vendor's own; a strict peer closes the connection.";
        RESERVED: "mpa-setup-reserved", Must, Sender, ["RFC5044-7.1.1-18", "RFC6581-6-02"], None,
            "The reserved bits of a setup frame are zero.",
            "The sender sets bits that a later document may define; a peer that uses them for something else will misread the frame.";
        PRIVATE_DATA_LENGTH: "mpa-private-data-length", Must, Sender, ["RFC5044-7.1.1-26", "RFC6581-9-02"], None,
            "A setup frame has at most 512 bytes of private data.",
            "A peer that checks the length closes the connection; one that does not may overrun its buffer.";
        REQUEST_REJECTS: "mpa-request-rejects", Must, Sender, ["RFC5044-7.1.1-15"], None,
            "The R bit of a request is zero.",
            "Only a reply can reject; the sender builds its request from the wrong template.";
        REPLY_FIRST: "mpa-reply-without-request", Must, Sender, ["RFC5044-7.1.2-03"], None,
            "A responder sends nothing before it has received the request.",
            "The responder enters full operation without knowing what the initiator asks for.";
        DATA_BEFORE_REPLY: "mpa-data-before-reply", Must, Sender, ["RFC5044-7.1.2-11"], None,
            "After its request, an initiator sends nothing until it has received the reply.",
            "The initiator does not yet know whether it is accepted and whether markers are wanted; the responder may read these bytes as private data, or close the connection.";
        BYTES_BEHIND: "mpa-bytes-after-setup", Must, Sender, ["RFC5044-7.1.1-23", "RFC6581-6-07"], None,
            "PD_Length counts all the private data.",
            "The setup frame is followed by bytes that its length does not count and that are not an FPDU: the length is too small, or the sender sent more than it announced.";
        AFTER_REJECT: "mpa-fpdu-after-reject", Must, Sender, ["RFC5044-7.1.2-13", "RFC5044-7.1.2-07"], None,
            "No FPDU follows a reply that rejects.",
            "The connection was rejected, but one side continues as if it had been accepted.";
        RESPONDER_FIRST: "mpa-responder-first", Must, Sender, ["RFC5044-7.1.2-15"], None,
            "The responder sends no FPDU before it has received the initiator's first one.",
            "The initiator may still read its stream as setup frames; the first FPDU of the responder can be lost or misread.";
        ENHANCED_UNANSWERED: "mpa-enhanced-unanswered", Must, Sender, ["RFC6581-10-01", "RFC6581-10-05"], None,
            "A request with enhanced data is answered by a reply with enhanced data, or by closing the connection.",
            "The initiator asked for the enhanced setup and learns neither the read depths nor whether the peer-to-peer model is used; it may abort, or send too many Reads.";
        ENHANCED_UNASKED: "mpa-enhanced-unasked", Must, Sender, ["RFC6581-10-06", "RFC6581-10-02"], None,
            "A request without enhanced data is answered by a reply without enhanced data.",
            "The initiator takes the enhanced data for private data of its application.";
        ENHANCED_REVISION: "mpa-enhanced-revision", Must, Sender, ["RFC6581-6-04", "RFC5044-7.1.1-18"], None,
            "A setup frame with the S bit has revision 2 or more.",
            "Before revision 2 this bit is reserved: the peer does not look for enhanced data.";
        ENHANCED_SHORT: "mpa-enhanced-short", Must, Sender, ["RFC6581-6-08", "RFC6581-6-01"], None,
            "If S is set, the private data begins with four bytes of enhanced data.",
            "The frame announces enhanced data that it has no room for.";
        ENHANCED_NEEDLESS: "mpa-enhanced-needless", Must, Sender, ["RFC6581-10-03"], None,
            "A request that needs nothing from the enhanced setup does not use it.",
            "The enhanced data asks for nothing: it keeps the client-server model and negotiates no depth. A peer that knows only revision 1 refuses the connection needlessly.";
        MODEL_NOT_KEPT: "mpa-reply-model", Must, Sender, ["RFC6581-9.2-05"], None,
            "A request with control flag A is answered by a reply with A.",
            "The initiator wants the peer-to-peer model but the responder does not agree: neither side may send first, or the initiator ends the connection with a Terminate.";
        MODEL_UNASKED: "mpa-reply-model-unasked", Must, Sender, ["RFC6581-9.2-14"], None,
            "A request without control flag A is answered by a reply without A.",
            "The responder waits for a ready-to-receive indication that the initiator never offered.";
        FLAGS_WITHOUT_MODEL: "mpa-flags-without-model", Must, Sender, ["RFC6581-9.2-15"], None,
            "Control flags B, C and D are zero if A is zero.",
            "The receiver ignores these flags; the sender believes that it has offered something.";
        REQUEST_WITHOUT_RTR: "mpa-request-rtr", Must, Sender, ["RFC6581-9.2-03"], None,
            "A request with control flag A names each ready-to-receive indication that the initiator can send.",
            "The initiator wants the peer-to-peer model but offers no way to start it.";
        REPLY_WITHOUT_RTR: "mpa-reply-rtr", Must, Sender, ["RFC6581-9.2-07"], None,
            "A reply with control flag A names at least one ready-to-receive indication.",
            "The initiator has no agreed indication to send, and must end the connection.";
        REPLY_ORD: "mpa-reply-ord", Must, Sender, ["RFC6581-9.1-04"], None,
            "The responder's ORD is at most the initiator's IRD.",
            "The responder announces more Reads at once than the initiator can handle; the initiator ends the connection, or Reads are refused later. The two fields are often mixed up.";
        REPLY_ORD_UNNEGOTIATED: "mpa-reply-ord-unnegotiated", Must, Sender, ["RFC6581-9.1-14"], None,
            "A request with IRD 0x3FFF is answered by ORD 0x3FFF.",
            "The initiator asked not to negotiate this depth here, but the responder sets it anyway.";
        REPLY_IRD_UNNEGOTIATED: "mpa-reply-ird-unnegotiated", Must, Sender, ["RFC6581-9.1-12"], None,
            "A request with ORD 0x3FFF is answered by IRD 0x3FFF.",
            "The initiator asked not to negotiate this depth here, but the responder sets it anyway.";
        RTR_MISSING: "mpa-rtr-missing", Must, Sender, ["RFC6581-5-01", "RFC6581-9.2-10"], None,
            "If the reply has control flag A, the initiator's first FPDU is a ready-to-receive indication.",
            "The responder may not send before the indication has arrived, and may drop what arrived instead.";
        RTR_KIND: "mpa-rtr-kind", Must, Sender, ["RFC6581-9.2-10", "RFC6581-9.2-01"], Some((2, 0, 7)),
            "The ready-to-receive indication is one of the kinds that the reply names.",
            "The responder waits for an indication of another kind, and refuses this one or never begins to send.";
    }
}

/// Rules of MPA's framing (RFC 5044 sections 3 to 5).
pub(super) mod fpdu {
    use crate::rules::rule::rules;

    rules! {
        CRC: "mpa-crc", Must, Either, ["RFC5044-4.4-12", "RFC5044-7.1.1-12"], Some((2, 0, 2)),
            "If CRCs are in use, the CRC field holds the CRC of the FPDU.",
            "The bytes were damaged in transit or in a host, or the sender computes the CRC over the wrong bytes. TCP's checksum did not detect the damage.";
        PAD: "mpa-pad", Must, Sender, ["RFC5044-4.1-03"], None,
            "The pad bytes of an FPDU are zero.",
            "The sender leaks bytes of its memory; the receiver ignores them.";
        ULPDU_LENGTH: "mpa-ulpdu-length", Must, Sender, ["RFC5044-3-05", "RFC5044-3-04"], None,
            "A ULPDU has at most 64768 bytes.",
            "The FPDU is larger than receivers must be able to accept; hardware may drop the connection.";
        MARKER_RESERVED: "mpa-marker-reserved", Must, Sender, ["RFC5044-4.2-02"], None,
            "The reserved half of a marker is zero.",
            "The receiver ignores these bits; the sender does not build its markers as specified.";
        MARKER_POINTER: "mpa-marker-pointer", Must, Sender,
            ["RFC5044-4.3-03", "RFC5044-4.2-04", "RFC5044-4.3-10"], Some((2, 0, 3)),
            "The FPDUPTR of a marker is the marker's distance from the start of its FPDU.",
            "A receiver that uses markers to find FPDUs takes the wrong bytes for a header; one that compares the marker with ULPDU_Length ends the connection.";
        MARKER_LOW_BITS: "mpa-marker-low-bits", Must, Sender, ["RFC5044-4.2-05"], None,
            "The two low bits of FPDUPTR are zero.",
            "The receiver treats them as zero; the sender uses them for its own purposes.";
        MARKERS_MISSING: "mpa-markers-missing", Must, Sender,
            ["RFC5044-7.1.1-09", "RFC5044-4.3-01", "RFC5044-4.3-07"], Some((2, 0, 3)),
            "A side whose peer asked for markers inserts them into its stream.",
            "The receiver takes every 512th byte for a marker and loses the framing at the first FPDU. The sender overlooks the peer's M bit, or confuses it with its own.";
        MARKERS_UNWANTED: "mpa-markers-unwanted", Must, Sender, ["RFC5044-7.1.1-08"], None,
            "A side whose peer did not ask for markers sends none.",
            "The receiver takes the first marker for an FPDU without contents and loses the framing. The sender overlooks the peer's M bit, or confuses it with its own.";
        MULPDU: "mpa-mulpdu", Should, Sender, ["RFC5044-3-03", "RFC5044-4.5-05"], None,
            "An FPDU fits into a TCP segment.",
            "The FPDU is larger than the segment size that the receiver announced: it needs several segments, and hardware that places FPDUs as they arrive must reassemble it first.";
        ALIGNMENT: "mpa-fpdu-alignment", Should, Sender, ["RFC5044-5.1-03"], None,
            "TCP segments begin where FPDUs begin.",
            "Receivers that place FPDUs as they arrive must hold them back and reassemble them; throughput suffers when segments are lost or reordered.";
    }
}

/// Rules of DDP segments and messages (RFC 5041).
pub(super) mod ddp {
    use crate::rules::rule::rules;

    rules! {
        HEADER_SHORT: "ddp-header-length", Must, Sender,
            ["RFC5041-4.4-01", "RFC5041-4.2-01", "RFC5041-4.3-01", "RFC5044-3-01"], None,
            "Every DDP segment has a complete header: 14 bytes tagged, 18 untagged.",
            "The ULPDU is too short for the header that its first byte announces; the receiver cannot place it.";
        RESERVED: "ddp-reserved", Must, Sender, ["RFC5041-4.1-08"], None,
            "The reserved bits of the DDP control byte are zero.",
            "The receiver ignores these bits; the sender does not build its headers as specified.";
        VERSION_TAGGED: "ddp-version-tagged", Must, Sender, ["RFC5041-4.1-10"], Some((1, 1, 4)),
            "The DDP version of a tagged segment is 1.",
            "The receiver refuses the segment and ends the connection.";
        VERSION_UNTAGGED: "ddp-version-untagged", Must, Sender, ["RFC5041-4.1-10"], Some((1, 2, 6)),
            "The DDP version of an untagged segment is 1.",
            "The receiver refuses the segment and ends the connection.";
        SEQUENCE_FIRST: "ddp-msn-first", Must, Sender, ["RFC5041-4.3-12", "RFC5040-5.4-03"], Some((1, 2, 3)),
            "The first message of a queue has MSN 1.",
            "The receiver's first buffer is for MSN 1: the message finds no buffer, or the wrong one.";
        SEQUENCE: "ddp-msn-sequence", Must, Sender, ["RFC5041-4.3-11"], Some((1, 2, 3)),
            "The MSN of a queue increases by one with each message.",
            "The message goes into the wrong buffer, or finds none: the sender left a message out, sent one twice, or counted it on the wrong queue.";
        OFFSET: "ddp-message-offset", Must, Sender, ["RFC5041-5.2-06", "RFC5041-4.3-16"], Some((1, 2, 4)),
            "The MO of a segment is the number of bytes of the message before it: 0 in the first segment.",
            "Bytes of the message are placed where others belong, and part of the buffer stays empty.";
        ORDER: "ddp-segment-order", Should, Sender, ["RFC5041-5.3-03"], None,
            "The segments of a message are sent in the order of their MO.",
            "A receiver must accept segments in any order, but many expect them in order.";
        LAST: "ddp-last-flag", Must, Sender, ["RFC5041-4.1-03", "RFC5041-5.2-04"], None,
            "A message ends with a segment that has L set, before the next one of its queue begins.",
            "The receiver waits for the end of the message and never delivers it, or delivers only part of it.";
        AFTER_LAST: "ddp-segment-after-last", Must, Sender, ["RFC5041-4.1-05", "RFC5041-4.1-04"], Some((1, 2, 3)),
            "No segment of a message follows the one with L set.",
            "The receiver has already delivered the message; the bytes that follow are lost, or overwrite a buffer that is in use.";
        EMPTY: "ddp-empty-message", Must, Sender, ["RFC5041-5.2-09"], None,
            "A message without bytes has only one segment.",
            "The sender sends segments that carry nothing; receivers that count segments are misled.";
        RESERVED_FOR_ULP: "ddp-rsvdulp", Must, Sender, ["RFC5041-4.3-05"], None,
            "All segments of a message carry the same RsvdULP bytes.",
            "The receiver may take opcode and Invalidate STag from any segment, and cannot know which ones are meant.";
        MESSAGE_LENGTH: "ddp-message-length", Must, Sender, ["RFC5041-5.2-03"], Some((1, 2, 5)),
            "A message has fewer than 2^32 bytes.",
            "MO plus length overflows 32 bits: the bytes would be placed at the beginning of the buffer.";
        TAGGED_STAG: "ddp-tagged-stag", Must, Sender, ["RFC5041-4.2-10", "RFC5041-4.1-03"], None,
            "All segments of a tagged message carry the same STag.",
            "Part of the message goes into another buffer, or the sender did not set the L bit at the end of the previous message.";
        TAGGED_OFFSET: "ddp-tagged-offset", Must, Sender, ["RFC5041-5.2-08", "RFC5041-4.1-03"], None,
            "Each segment of a tagged message has the TO at which the previous one ended.",
            "Part of the buffer is overwritten or left out, or the sender did not set the L bit at the end of the previous message.";
        TAGGED_WRAP: "ddp-to-wrap", Must, Sender, ["RFC5041-7.1-17"], Some((1, 1, 3)),
            "TO plus length of a tagged segment does not overflow 64 bits.",
            "The receiver refuses the segment: the address is wrong, or was not computed in 64 bits.";
    }
}

/// Rules of RDMAP headers and payloads (RFC 5040, RFC 7306, ext-v2, rdma-commit).
pub(super) mod rdmap {
    use crate::rules::rule::rules;

    rules! {
        VERSION: "rdmap-version", Must, Sender, ["RFC5040-4.1-08"], Some((0, 2, 5)),
            "RV is 1, or the RDMA Consortium's 0; 2 only where rdmap-ext-v2 is in force.",
            "The receiver does not know this version and ends the connection.";
        VERSION_MIXED: "rdmap-version-mixed", Must, Sender, ["EXTV2-4.1-01"], Some((0, 2, 5)),
            "Once a side uses RV 2, all its messages have RV 2.",
            "The sender sets the version per message and not per connection; a strict receiver refuses one of the two.";
        COMMIT_VERSION: "rdmap-commit-version", Must, Sender, ["COMMIT-3.1-02"], Some((0, 2, 5)),
            "Flush, Verify and Atomic Write have RV 1.",
            "Under another version these opcodes may mean something else.";
        RESERVED: "rdmap-reserved", Must, Sender, ["RFC5040-4.1-09"], None,
            "The reserved bits of the RDMAP control byte are zero.",
            "The receiver ignores these bits, or reads an opcode of five bits or more.";
        OPCODE: "rdmap-opcode", Must, Sender, ["RFC5040-4.1-06", "RFC5040-4.1-19"], Some((0, 2, 6)),
            "The opcode is defined by the documents in force.",
            "The receiver refuses the message and ends the connection: the sender uses an extension that was not agreed, or a damaged header.";
        TAGGED_FLAG: "rdmap-tagged-flag", Must, Sender, ["RFC5040-4.1-05", "RFC5040-4.1-07"], Some((0, 2, 6)),
            "Writes and Read Responses are tagged, all other messages untagged.",
            "The receiver reads the wrong kind of header: the opcode and the T bit contradict each other.";
        QUEUE: "rdmap-queue-number", Must, Sender,
            ["RFC5040-3.1-02", "RFC5040-5.3-09", "RFC5040-5.2.1-06", "RFC5040-5.4-02", "RFC7306-5.2-01", "RFC7306-5.2-02", "RFC7306-6.3-04", "EXTV2-4.1-12", "COMMIT-3.1-05", "COMMIT-3.1-06"], Some((1, 2, 1)),
            "Each message goes to the queue of its kind: Sends 0, requests 1, Terminate 2, responses 3.",
            "The message takes a buffer that was meant for another kind, or the receiver refuses the queue.";
        INVALIDATE: "rdmap-invalidate-stag", Must, Sender,
            ["RFC5040-4.1-11", "RFC7306-4.1-03", "EXTV2-4.1-13", "COMMIT-3.1-07"], None,
            "The Invalidate STag field is zero in messages that do not invalidate.",
            "The receiver ignores it; the sender meant to invalidate and chose the wrong opcode, or sends bytes of its memory.";
        READ_REQUEST_LENGTH: "rdmap-read-request-length", Must, Sender, ["RFC5040-4.4-02", "RFC5040-4.2-02"], None,
            "A Read Request has 28 bytes of header and nothing else.",
            "The receiver reads addresses from the wrong bytes, or refuses the request.";
        TERMINATE_SHORT: "rdmap-terminate-short", Must, Sender, ["RFC5040-4.8-02"], None,
            "A Terminate has at least the four bytes of Terminate Control.",
            "The receiver cannot tell why the connection was ended.";
        IMMEDIATE_LENGTH: "rdmap-immediate-length", Must, Sender, ["RFC7306-6.3-05", "RFC7306-4.2-01"], None,
            "Immediate Data has exactly 8 bytes.",
            "The receiver ends the connection with an error.";
        ATOMIC_LENGTH: "rdmap-atomic-length", Must, Sender, ["RFC7306-5.2.1-01", "RFC7306-5.2.2-01"], None,
            "An Atomic Request has 52 bytes, its response 12.",
            "The receiver reads operands from the wrong bytes, or refuses the message.";
        ATOMIC_RESERVED: "rdmap-atomic-reserved", Must, Sender, ["RFC7306-5.2.1-02"], None,
            "The reserved bits of an Atomic Request are zero.",
            "The receiver ignores these bits; the sender does not build the header as specified.";
        ATOMIC_CODE: "rdmap-atomic-code", Must, Sender, ["RFC7306-5.2.1-11"], Some((0, 2, 6)),
            "The Atomic Operation Code is a defined one: 0 FetchAdd, 2 CmpSwap (1 Swap in the draft).",
            "The receiver does not know what to do, and ends the connection.";
        ATOMIC_OPERANDS: "rdmap-atomic-operands", Must, Sender, ["RFC7306-5.2.1-07", "RFC7306-5.2.1-09"], None,
            "Operands that an atomic operation does not use are sent as zero (data) and all ones (masks).",
            "The receiver ignores them; the sender filled in operands of another operation, or chose the wrong code.";
        READ_V2_LENGTH: "rdmap-read-v2-length", Must, Sender, ["EXTV2-6.1-01", "EXTV2-4.2-02"], None,
            "A Read V2 Request has 16 bytes of header and nothing else.",
            "The receiver reads addresses from the wrong bytes, or refuses the request.";
        IMMEDIATE_ALONE: "rdmap-send-immediate", Must, Sender, ["EXTV2-5.3-02", "EXTV2-5.3-01"], None,
            "The last segment of a Send with Immediate holds only the 8 bytes of Immediate Data.",
            "The receiver takes bytes of the message for Immediate Data, or refuses the message.";
        FLUSH_LENGTH: "rdmap-flush-length", Must, Sender, ["COMMIT-3.1.1.1-02", "COMMIT-3.1.1.2-01"], None,
            "A Flush Request has 20 bytes, its response none.",
            "The receiver reads the range from the wrong bytes, or refuses the message.";
        VERIFY_LENGTH: "rdmap-verify-length", Must, Sender, ["COMMIT-3.1.2.1-02"], None,
            "A Verify Request has at least 16 bytes.",
            "The receiver reads the range from the wrong bytes, or refuses the message.";
        ATOMIC_WRITE_LENGTH: "rdmap-atomic-write-length", Must, Sender,
            ["COMMIT-3.1.3.1-02", "COMMIT-3.1.3.2-01"], None,
            "An Atomic Write Request has 24 bytes, its response none.",
            "The receiver reads the value from the wrong bytes, or refuses the message.";
        ATOMIC_WRITE_DATA: "rdmap-atomic-write-data", Must, Sender, ["COMMIT-3.1.3.1-03"], None,
            "The length field of an Atomic Write Request is 8.",
            "Only 8 bytes can be written in one piece; the receiver refuses any other length.";
    }
}

/// Rules of requests and responses, and of what may follow a Terminate.
pub(super) mod operation {
    use crate::rules::rule::rules;

    rules! {
        UNSOLICITED: "rdmap-response-unsolicited", Must, Sender,
            ["RFC5040-5.2-01", "RFC5040-4.4-03", "RFC5040-4.4-04", "RFC7306-5.2.2-02"], Some((0, 2, 6)),
            "A response answers a request.",
            "The response writes bytes into the requester's memory that it did not ask for, or names the wrong buffer or identifier.";
        ORDER: "rdmap-response-order", Must, Sender,
            ["RFC5040-5.2.2-07", "RFC5040-5.5-20", "RFC7306-5.2.2-09", "RFC7306-7-10", "RFC7306-7-14", "EXTV2-7-07", "EXTV2-7-10"], None,
            "Responses come in the order of their requests.",
            "The requester matches responses by order and takes this one for the response to an earlier request.";
        COMMIT_ORDER: "rdmap-commit-order", Must, Sender, ["COMMIT-4-01"], None,
            "Responses to Flush, Verify and Atomic Write come in the order of their requests.",
            "The requester believes that data is persistent or written when it is not yet.";
        VERIFY_HASH: "rdmap-verify-hash", Must, Sender, ["COMMIT-3.1.2.2-02", "COMMIT-3.1.2-01"], None,
            "The response to a Verify with a hash repeats that hash; if the hashes differ, the responder must send a Terminate.",
            "The data at the responder is not what the requester believes, and the responder answers as if it were.";
        LENGTH: "rdmap-read-response-length", Must, Sender, ["RFC5040-4.4-07", "RFC5040-5.2.1-16"], None,
            "A Read Response has as many bytes as the request asks for.",
            "The requester's buffer is not filled, and the Read completes with less than it asked for.";
        INITIATOR_DEPTH: "rdmap-initiator-depth", Must, Sender, ["RFC6581-9.1-08", "RFC5040-6.1-06"], Some((1, 2, 2)),
            "The initiator keeps its requests within the negotiated depth: the responder's IRD, its own ORD.",
            "The responder has no buffer for the request and ends the connection; the initiator ignores what was negotiated.";
        RESPONDER_DEPTH: "rdmap-responder-depth", Must, Sender, ["RFC6581-9.1-04", "RFC5040-6.1-06"], Some((1, 2, 2)),
            "The responder keeps its requests within the negotiated depth: the initiator's IRD, its own ORD.",
            "The initiator has no buffer for the request and ends the connection; the responder ignores what was negotiated.";
        INVALIDATED: "rdmap-invalidated-stag", Must, Sender, ["RFC5041-7.1-13"], None,
            "A side does not write to or read from memory whose STag its own Send has invalidated.",
            "The receiver refuses the access and ends the connection, or the access reaches memory that its owner has taken back.";
        MESSAGE_CUT: "ddp-message-cut", Should, Sender, ["RFC5041-6.2.1-02"], None,
            "A side that closes its stream has sent its last message completely.",
            "The receiver has only part of a message, and cannot tell whether an error or the program cut it off.";
        TERMINATE_MISSING: "rdmap-terminate-missing", Should, Sender, ["RFC5040-6.2.1-01"], None,
            "A side that ends its stream because of an error says so with a Terminate.",
            "The peer cannot tell that one of its messages was wrong, or which one.";
        AFTER_TERMINATE: "rdmap-after-terminate", Must, Sender, ["RFC5040-5.4-09"], None,
            "A side sends nothing after its Terminate.",
            "The peer drops what comes after a Terminate; the sender still believes that the connection is open.";
        TERMINATE_TWICE: "rdmap-terminate-twice", Must, Sender, ["RFC5040-5.4-09"], None,
            "A side sends only one Terminate.",
            "The peer has a buffer for only one Terminate; the second is lost, and with it perhaps the true reason.";
    }
}

/// Rules of the contents of a Terminate (RFC 5040 section 4.8).
pub(super) mod terminate {
    use crate::rules::rule::rules;

    rules! {
        CONTROL: "rdmap-terminate-control", Must, Sender, ["RFC5040-4.8-02"], None,
            "The layer and the header control bits are at the high end of their bytes.",
            "The sender fills each byte of Terminate Control from its low end: other implementations read a different layer and error type, and miss the headers that follow.";
        CODE: "rdmap-terminate-code", Must, Sender,
            ["RFC5040-4.8-03", "RFC5040-4.8-09", "RFC5040-4.8-14", "RFC5040-4.8-15"], None,
            "Layer, error type and error code are a defined combination.",
            "The peer cannot tell its user why the connection was ended.";
        RESERVED: "rdmap-terminate-reserved", Must, Sender, ["RFC5040-4.8-16"], None,
            "The reserved bits of a Terminate are zero.",
            "The receiver ignores these bits; the sender does not build the header as specified.";
        LENGTH: "rdmap-terminate-length", Must, Sender,
            ["RFC5040-4.8-01", "RFC5040-4.8-19", "RFC5040-4.8-22", "RFC5040-4.8-24"], None,
            "A Terminate contains what its header control bits announce, and nothing else.",
            "Bytes are missing or left over: the receiver reads headers that are absent, or misses those that are present.";
        NEEDLESS: "rdmap-terminate-needless-header", Must, Sender, ["RFC5040-4.8-21", "RFC5040-4.8-28"], None,
            "A Terminate for a local catastrophic error contains no DDP header.",
            "The header does not belong to a message that caused the error.";
        EXTRA: "rdmap-terminate-extra-header", Should, Sender,
            ["RFC5040-4.8-32", "RFC5040-4.8-33", "RFC5040-4.8-28"], None,
            "A Terminate contains what figure 10 names for its error: nothing for an LLP error, no RDMAP header for a DDP error.",
            "The headers do not belong to a message that caused the error, or contain more than the peer expects.";
        MISSING: "rdmap-terminate-missing-header", Should, Sender,
            ["RFC5040-4.8-32", "RFC5040-4.8-31", "RFC5040-4.8-29"], None,
            "A Terminate for an error in a segment contains the segment's length and DDP header, and one that refuses a Read Request also contains its RDMAP header.",
            "The peer cannot tell which of its messages was refused.";
        READ_HEADER: "rdmap-terminate-read-header", Must, Sender, ["RFC5040-4.8-23"], None,
            "A Terminate contains an RDMAP header only if it is about a Read Request.",
            "The peer reads a Read Request where none was sent.";
        PROTECTION: "rdmap-terminate-protection", Must, Sender, ["RFC5040-4.8-30"], None,
            "RDMAP's remote protection errors are about Read Requests and Sends that invalidate.",
            "A Write or a plain Send names no STag that RDMAP checks: the error should be one of DDP's, and the peer looks for the fault in the wrong place.";
        SEGMENT_LENGTH: "rdmap-terminate-segment-length", Must, Sender, ["RFC5040-4.8-18"], None,
            "The DDP Segment Length of a Terminate is that of the refused segment.",
            "A peer that looks for the refused segment by its length finds another, or none.";
        ECHO: "rdmap-terminate-echo", Must, Sender, ["RFC5040-4.8-20"], None,
            "The DDP header in a Terminate is that of the refused segment, byte for byte.",
            "A peer that looks for the refused message by the header finds another, or none.";
        CONTRADICTION: "rdmap-terminate-contradiction", Must, Sender, ["RFC5040-4.8-14", "RFC5040-4.8-03"], None,
            "The error that a Terminate names is possible for the segment that it echoes.",
            "The peer looks for a fault that its message does not have: the sender chose the wrong code or header.";
        ECHO_READ: "rdmap-terminate-read-echo", Must, Sender,
            ["RFC5040-4.8-25", "RFC5040-4.8-26", "RFC5040-4.8-27"], None,
            "The RDMAP header in a Terminate is that of the refused Read Request, as sent or advanced by what was already answered.",
            "A peer that looks for the refused Read by the header finds another, or none.";
    }
}

/// Rules of RPC-over-RDMA's transport header and chunk lists (RFC 8166).
pub(super) mod rpc {
    use crate::rules::rule::rules;

    rules! {
        HEADER: "rpc-header", Must, Sender, ["RFC8166-4-01", "RFC8166-4.1.2-06", "RFC8166-4.7-03"], None,
            "A Send on an RPC-over-RDMA connection begins with a readable transport header.",
            "The receiver drops the message, or answers a call with RDMA_ERROR: the RPC is lost and its caller waits.";
        PROCEDURE: "rpc-procedure", Must, Sender, ["RFC8166-4.2.4-01", "RFC8166-4.1.2-10"], None,
            "The procedure of a transport header is RDMA_MSG, RDMA_NOMSG or RDMA_ERROR.",
            "The receiver does not know the procedure: it drops the message, or answers a call with RDMA_ERROR.";
        VERSION: "rpc-version", Must, Sender, ["RFC8166-4.2.2-01", "RFC8167-5.1-01", "RFC8167-5.2-01"], None,
            "The version of a transport header is 1; an RDMA_ERROR repeats that of its call.",
            "A responder that supports only version 1 answers with RDMA_ERROR and the versions that it supports.";
        PADDED: "rpc-msgp", Must, Sender, ["RFC8166-4.6.1-01"], None,
            "RDMA_MSGP is not sent.",
            "Receivers answer it with RDMA_ERROR or drop it; the sender follows RFC 5666, which RFC 8166 replaced.";
        DONE: "rpc-done", Must, Sender, ["RFC8166-4.6.2-01"], None,
            "RDMA_DONE is not sent.",
            "Receivers drop it; the sender follows RFC 5666, which RFC 8166 replaced.";
        XID: "rpc-xid", Must, Sender, ["RFC8166-4.2.1-01", "RFC8167-5.1-02", "RFC8167-5.2-02"], None,
            "The XID of the transport header is that of the RPC message.",
            "A receiver that uses only one of the two matches a reply to the wrong call.";
        PAYLOAD: "rpc-payload", Must, Sender, ["RFC8166-4.1.2-07", "RFC8166-4.1.2-09"], None,
            "An RDMA_MSG has an RPC message after its chunk lists; RDMA_NOMSG and RDMA_ERROR end with their header.",
            "The receiver finds no RPC message, or bytes that nothing announces.";
        NO_CHUNKS: "rpc-nomsg-empty", Must, Sender, ["RFC8166-4.2.4-04"], None,
            "An RDMA_NOMSG has at least one chunk.",
            "There is no RPC message in the Send and none in memory: a call is answered with RDMA_ERROR.";
        NO_PAYLOAD: "rpc-nomsg-payload", Must, Sender, ["RFC8166-4.2.4-05", "RFC8166-3.5.3-02"], None,
            "A chunk of an RDMA_NOMSG holds the RPC message: a call's read chunk of position 0, a reply's reply chunk.",
            "The receiver has parts of the RPC message and no message to put them into.";
        POSITION_MULTIPLE: "rpc-read-position-multiple", Must, Sender, ["RFC8166-3.4.5-02"], None,
            "The position of a read segment is a multiple of four.",
            "XDR items begin at multiples of four: the responder cannot put the chunk into the call.";
        POSITION: "rpc-read-position", Must, Sender, ["RFC8166-3.4.5-01", "RFC8166-4.7-04"], None,
            "The position of a read chunk is its place in the call as it was before chunks were taken out.",
            "The responder puts the chunk where other bytes belong, or after the call's end. Perhaps the requester counts in the reduced call.";
        NOT_ELIGIBLE: "rpc-read-header", Must, Sender, ["RFC8166-3.4.2-02", "RFC8166-8.2.2-01"], None,
            "A read chunk takes no bytes out of the RPC header; position 0 is for calls that are read as a whole.",
            "The responder needs the RPC header to know what the chunk is: it refuses the call.";
        WRAPPED: "rpc-gss-chunk", Must, Sender, ["RFC8166-8.2.2.3-02"], None,
            "With the integrity or privacy service of RPCSEC_GSS nothing is taken out of a message.",
            "The data in the chunk is not protected, and the receiver cannot unwrap the message.";
        INELIGIBLE: "rpc-read-ineligible", Must, Sender,
            ["RFC8166-3.4.2-02", "RFC8166-3.4.2-01", "RFC8267-4-01", "RFC8267-5.2-01", "RFC8267-6.5.1-01", "RFC8267-6.5.2-02"], None,
            "A read chunk of a call holds only what RFC 8267 names: the data of WRITE and the path of SYMLINK in NFSv3, and nothing in NFSACL and callbacks.",
            "A responder that knows only these looks for the item in the Send, and refuses the call.";
        READ_LENGTH: "rpc-read-length", Must, Sender,
            ["RFC8166-3.4.5.2-03", "RFC8166-3.4.5.2-02", "RFC8166-3.4.4.4-01", "RFC8267-6.1-01"], None,
            "The read chunk with an item of an NFS call is as long as the count before it says, with its padding or without.",
            "The responder writes too few bytes, or some that are not part of the data.";
        WRITE_ROOM: "rpc-write-room", Must, Sender, ["RFC8166-3.4.6-01", "RFC8166-4.3.2.2-02"], None,
            "The write chunk of an NFSv3 READ has room for all the bytes that the call asks for.",
            "The responder finds no room for the data and answers with an error, or writes past the chunk.";
        RETURNED_ITEM: "rpc-returned-item", Must, Sender, ["RFC8166-3.4.6.2-03", "RFC8166-3.4.6.2-02"], None,
            "A returned write chunk is exactly as long as the item in it: no padding is written.",
            "The requester takes padding for data, or misses some of the data: the file looks longer or shorter than it is.";
        LONG_PADDING: "rpc-long-message-padding", Must, Sender, ["RFC8166-3.5.3-05"], None,
            "A chunk that holds a whole RPC message holds its padding: its length is a multiple of four.",
            "The last item of the message ends without its padding; a strict XDR decoder refuses it.";
        REPLY_READS: "rpc-reply-read-list", Must, Sender, ["RFC8166-4.3.1-01"], None,
            "The read list of a reply is empty.",
            "Requesters do not read: what the list names never arrives. The responder follows the Read-Read model of older drafts.";
        CREDITS_ZERO: "rpc-credits-zero", Must, Sender, ["RFC8166-3.3.1-02"], None,
            "A reply grants at least one credit.",
            "The requester may send no further call, and so gets no reply that grants more: the connection hangs.";
    }
}

/// Rules of calls, replies and their chunks' memory (RFC 8166, RFC 8167, RFC 8797).
pub(super) mod rpc_exchange {
    use crate::rules::rule::rules;

    rules! {
        CREDITS_FIRST: "rpc-credits-first", Must, Sender, ["RFC8166-3.3.3-03", "RFC8166-3.3.3-02"], None,
            "The second call of a connection is sent after the reply to the first, which grants credits.",
            "The responder may have only one receive buffer: the second call finds none, and the connection ends.";
        CREDITS: "rpc-credits-exceeded", Must, Sender, ["RFC8166-3.3.1-01"], None,
            "There are no more calls without a reply than credits that the last reply granted.",
            "The responder has no receive buffer for the call and the connection may end. The requester overlooks a smaller grant.";
        REPLY_UNKNOWN: "rpc-reply-unknown", Must, Sender, ["RFC8166-4.2.1-01", "RFC8167-5.1-03"], None,
            "The XID of a reply is that of a call that waits for one.",
            "The requester drops the reply, and the receive buffer that it took is missing for another. The responder answered twice, or mixed up XIDs.";
        REPLY_UNREAD: "rpc-reply-unread", Must, Sender, ["RFC8166-3.5.3-01"], None,
            "A call that lies in a read chunk of position 0 is read before it is answered.",
            "The responder answers a call that it has not seen.";
        WRITE_LIST: "rpc-write-list", Must, Sender,
            ["RFC8166-3.4.6-02", "RFC8166-4.3.2.2-03", "RFC8166-4.3.2.3-02"], None,
            "The write list of a reply repeats that of its call: the same chunks, segments, handles and offsets.",
            "The requester cannot tell what was written where, and loses data or refuses the reply.";
        REPLY_CHUNK: "rpc-reply-chunk", Must, Sender, ["RFC8166-4.3.3-03"], None,
            "A reply repeats the reply chunk of its call: the same segments, handles and offsets.",
            "The requester cannot tell whether the reply is in the chunk, or how long it is.";
        RETURNED: "rpc-returned-length", Must, Sender, ["RFC8166-3.4.6-02", "RFC8166-4.3.3-03"], None,
            "The length of a returned segment is no greater than what the call offered.",
            "The requester takes bytes for the result that are not in its buffer.";
        NOT_WRITTEN: "rpc-returned-unwritten", Must, Sender, ["RFC8166-3.4.6-02", "RFC8166-4.3.3-03"], None,
            "The bytes that a reply says were returned in a segment have been written there.",
            "The requester takes what its buffer held before for the result: silent corruption of data.";
        WRITE_UNOFFERED: "rpc-write-unoffered", Must, Sender, ["RFC8166-4.1.2-01", "RFC8166-3.4.6-02"], Some((1, 1, 0)),
            "RDMA Writes go to memory that a call without a reply offers in its write list or reply chunk.",
            "The requester may use the memory for something else already: silent corruption of data, or a Terminate when it is no longer registered.";
        READ_UNOFFERED: "rpc-read-unoffered", Must, Sender, ["RFC8166-4.1.2-01"], Some((0, 1, 0)),
            "RDMA Reads fetch from memory that a call without a reply offers in its read list.",
            "The responder gets bytes that are not the call's, or a Terminate when the memory is no longer registered.";
        ERROR_XID: "rpc-error-xid", Must, Sender, ["RFC8166-4.5-04"], None,
            "The XID of an RDMA_ERROR is that of a call that waits for a reply.",
            "The requester drops the RDMA_ERROR, and the call that it was for waits forever.";
        ERROR_SENDER: "rpc-error-sender", Must, Sender, ["RFC8166-4.2.4-06"], None,
            "A requester sends no RDMA_ERROR: faulty replies are dropped silently.",
            "The responder drops it; the requester treats both roles alike.";
        ERROR_VERSION: "rpc-error-version", Must, Sender, ["RFC8166-4.5-05"], None,
            "The version of an RDMA_ERROR is that of the call that it answers.",
            "The requester may not be able to read the RDMA_ERROR, and waits forever.";
        ERROR_RANGE: "rpc-error-range", Must, Sender, ["RFC8166-4.1.2-09", "RFC8166-4.5.1-01"], None,
            "The versions of an ERR_VERS go from the lowest to the highest supported, and leave out the one refused.",
            "The requester cannot tell which version to use.";
        INLINE: "rpc-inline-threshold", Must, Sender,
            ["RFC8797-4-08", "RFC8797-4-07", "RFC8797-4.2-01", "RFC8166-3.5.3-01", "RFC8166-3.5.3-04"], None,
            "A message in a Send is no longer than its sender's send size and the receiver's receive size.",
            "The receive buffer is too short and the connection ends. The sender should have used a chunk.";
        INLINE_DEFAULT: "rpc-inline-default", Must, Sender,
            ["RFC8166-3.3.3-06", "RFC8166-3.5.3-01", "RFC8166-3.5.3-04"], None,
            "Unless the private data of both sides allows more, a message in a Send has at most 1024 bytes.",
            "A receiver with the smallest buffers has none that is long enough, and the connection ends. An administrator may have configured larger buffers on both sides, which a capture does not show.";
        INVALIDATE: "rpc-invalidate-stag", Must, Sender, ["RFC8797-4.1-02"], None,
            "A Send with Invalidate names an STag that the call with its XID offered and that no other waiting call offered.",
            "The responder loses the memory of another call, or the STag belongs to no call: the other call fails, or the connection ends.";
        INVALIDATE_UNAGREED: "rpc-invalidate-unagreed", Must, Sender, ["RFC8797-4.1-03"], None,
            "If the private data of either side is missing or has R clear, replies are sent without Invalidate.",
            "A requester that does not expect it invalidates the memory again, which may fail and end the connection.";
        PRIVATE_LENGTH: "rpc-private-length", Must, Sender, ["RFC8797-4-02"], None,
            "RPC-over-RDMA's private data has eight bytes.",
            "The receiver treats it as missing and assumes the smallest sizes for both sides, without remote invalidation.";
        PRIVATE_VERSION: "rpc-private-version", Must, Sender, ["RFC8797-4-04"], None,
            "The version of RPC-over-RDMA's private data is 1.",
            "The receiver treats it as missing and assumes the smallest sizes for both sides, without remote invalidation.";
        PRIVATE_RESERVED: "rpc-private-reserved", Must, Sender, ["RFC8797-4-05"], None,
            "The seven reserved bits of RPC-over-RDMA's private data are zero.",
            "The receiver ignores these bits; the sender does not build its private data as specified.";
    }
}
