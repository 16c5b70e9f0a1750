//! The numbers and bits of the test ULP that have names.

use super::record::{bits, codes};

codes! {
    /// What a stream is for (section 1).
    Purpose {
        /// Orders and answers.
        Control = 1,
        /// Nothing of the test ULP.
        Bare = 2,
        /// Orders and answers, and the messages under test.
        Shared = 3,
    }
}

codes! {
    /// What became of an order (section 2.3).
    Status {
        /// Carried out.
        Done = 0,
        /// It cannot be read.
        Malformed = 1,
        /// This target does not do that.
        Unsupported = 2,
        /// It names what is not there.
        Unknown = 3,
        /// It cannot be done now.
        Refused = 4,
        /// It would pass a limit.
        Limit = 5,
    }
}

codes! {
    /// Who may use an STag (section 5.1).
    Scope {
        /// One stream.
        Stream = 0,
        /// Every stream of Protection Domain 1.
        ProtectionDomain = 1,
        /// Every stream of a Protection Domain that no stream is in.
        OtherProtectionDomain = 2,
    }
}

codes! {
    /// A hash (section 4.1).
    Hash {
        /// None.
        None = 0,
        /// CRC-32C.
        Crc32c = 1,
        /// SHA-256.
        Sha256 = 2,
        /// BLAKE3.
        Blake3 = 3,
    }
}

codes! {
    /// Where the Tagged Offsets of a region begin (section 5.2).
    Addressing {
        /// At 0.
        Zero = 0,
        /// Where the order says.
        Given = 1,
        /// Where the target likes.
        Chosen = 2,
    }
}

codes! {
    /// What holds the bytes of a region (section 5.2).
    Backing {
        /// Memory.
        Memory = 0,
        /// A file.
        File = 1,
        /// Memory whose Flushes to persistence fail.
        Failing = 2,
    }
}

codes! {
    /// A pattern (section 6.5).
    Pattern {
        /// The same byte throughout.
        Constant = 0,
        /// Bytes that count.
        Counting = 1,
        /// Bytes that are mixed.
        Mixed = 2,
    }
}

codes! {
    /// What a work request does (section 7.2).
    OperationCode {
        /// A receive: in completions alone.
        Receive = 0,
        /// A Send of any kind.
        Send = 1,
        /// Immediate Data.
        Immediate = 2,
        /// RDMA Write.
        Write = 3,
        /// RDMA Read.
        Read = 4,
        /// RDMA Read V2.
        ReadV2 = 5,
        /// An Atomic.
        Atomic = 6,
        /// Flush.
        Flush = 7,
        /// Verify.
        Verify = 8,
        /// Atomic Write.
        AtomicWrite = 9,
    }
}

codes! {
    /// Where the bytes of a Send or Write come from (section 7.2).
    SourceCode {
        /// There are none.
        None = 0,
        /// The order.
        Inline = 1,
        /// A region.
        Region = 2,
        /// A pattern.
        Pattern = 3,
    }
}

codes! {
    /// What an Atomic does (section 7.2).
    AtomicCode {
        /// FetchAdd.
        FetchAdd = 0,
        /// Swap.
        Swap = 1,
        /// CmpSwap.
        CmpSwap = 2,
    }
}

codes! {
    /// How FPDUs are put into TCP segments (section 8.1).
    PackingCode {
        /// Each in its own.
        One = 0,
        /// Several in one, whole.
        Several = 1,
        /// Wherever they fall.
        Unaligned = 2,
    }
}

codes! {
    /// How far a stream is (section 8.5).
    StreamState {
        /// In its setup.
        Opening = 1,
        /// In Full Operation.
        Established = 2,
        /// Over.
        Ended = 3,
    }
}

codes! {
    /// The target's role in a setup (section 8.5).
    RoleCode {
        /// It opened the stream.
        Initiator = 1,
        /// It accepted the stream.
        Responder = 2,
    }
}

codes! {
    /// How a stream ended (section 8.5).
    EndingCode {
        /// It has not.
        None = 0,
        /// Both sides closed.
        Finished = 1,
        /// The target found an error.
        TerminatedHere = 2,
        /// The peer sent a Terminate.
        TerminatedByPeer = 3,
        /// The TCP connection was reset or lost.
        Lost = 4,
        /// The target dropped it.
        Aborted = 5,
        /// The setup was rejected.
        Rejected = 6,
        /// The setup failed.
        SetupFailed = 7,
    }
}

codes! {
    /// What a report is about (section 9.2).
    ReportKind {
        /// A message came.
        Arrival = 1,
        /// A work request or receive ended.
        Completed = 2,
        /// A request of the peer came.
        Requested = 3,
        /// The stream is established.
        Established = 4,
        /// The setup was rejected.
        Rejected = 5,
        /// The setup failed.
        SetupFailed = 6,
        /// A Terminate came.
        TerminateReceived = 7,
        /// The target ends the stream for an error.
        TerminateSent = 8,
        /// The peer closed its direction.
        FinishReceived = 9,
        /// The stream ended.
        Ended = 10,
        /// A solicited event.
        Solicited = 11,
        /// Revision 1 is tried on a new stream.
        FellBack = 12,
    }
}

codes! {
    /// How a work request ended (section 9.4).
    CompletionStatus {
        /// It succeeded.
        Success = 0,
        /// It was flushed.
        Flushed = 1,
        /// The target found an error.
        TerminatedHere = 2,
        /// The peer sent a Terminate.
        TerminatedByPeer = 3,
        /// Otherwise.
        Other = 4,
    }
}

codes! {
    /// Why a setup failed (section 9.2).
    FailureCode {
        /// The peer's frame is wrong.
        Frame = 1,
        /// The peer took too long.
        Timeout = 2,
        /// The TCP connection was lost, or could not be made.
        Lost = 3,
        /// The options make no frame.
        Options = 4,
    }
}

bits! {
    /// The documents that a target follows besides RFC 5040, 5041 and 5044 (section 4.1).
    Documents {
        /// RFC 7306.
        EXTENSIONS = 0x1,
        /// rdmap-ext-v2.
        EXT_V2 = 0x2,
        /// rdma-commit.
        COMMIT = 0x4,
        /// RFC 6581.
        ENHANCED = 0x8,
    }
}

bits! {
    /// What a target can do (section 4.1).
    Abilities {
        /// It sees the private data of peers.
        SEES_PRIVATE_DATA = 0x1,
        /// It sets private data.
        SETS_PRIVATE_DATA = 0x2,
        /// It deregisters.
        DEREGISTERS = 0x4,
        /// It invalidates locally and validates again.
        INVALIDATES = 0x8,
        /// It binds windows.
        WINDOWS = 0x10,
        /// It has regions that a file backs.
        FILES = 0x20,
        /// It sees solicited events.
        SOLICITED = 0x40,
        /// It tells layer, type and code of Terminates that came.
        TERMINATES_RECEIVED = 0x80,
        /// It tells layer, type and code of Terminates that it sent.
        TERMINATES_SENT = 0x100,
        /// It opens streams.
        OPENS = 0x200,
        /// It has several streams.
        STREAMS = 0x400,
        /// It registers at a Tagged Offset that is given.
        BASE_GIVEN = 0x800,
        /// It registers zero-based.
        BASE_ZERO = 0x1000,
        /// It chooses markers.
        MARKERS = 0x2000,
        /// It chooses CRCs.
        CRC = 0x4000,
        /// It chooses the revision of MPA and enhanced data.
        REVISION = 0x8000,
        /// It has several Protection Domains.
        PROTECTION_DOMAINS = 0x1_0000,
        /// It fences.
        FENCE = 0x2_0000,
        /// It tells the STag that a message invalidated.
        INVALIDATED = 0x4_0000,
        /// It tells that the peer closed its direction.
        HALF_CLOSE = 0x8_0000,
        /// It chooses the length of ULPDUs and the packing.
        SEGMENTS = 0x10_0000,
        /// It chooses ready-to-receive indications and the peer-to-peer model.
        READY_TO_RECEIVE = 0x20_0000,
        /// It chooses the documents of a stream.
        DOCUMENTS = 0x40_0000,
        /// It has regions whose Flushes to persistence fail.
        FAILING = 0x80_0000,
    }
}

bits! {
    /// Hashes that a target computes (section 4.1): `1 << Hash`.
    Hashes {
        /// CRC-32C.
        CRC32C = 0x2,
        /// SHA-256.
        SHA256 = 0x4,
        /// BLAKE3.
        BLAKE3 = 0x8,
    }
}

bits! {
    /// What a remote peer may do with a region (section 4.1).
    AccessRights {
        /// RDMA Read.
        READ = 0x1,
        /// RDMA Write and Atomic Write.
        WRITE = 0x2,
        /// Atomics.
        ATOMIC = 0x4,
        /// Flush to persistence.
        FLUSH_PERSISTENT = 0x8,
        /// Flush to global visibility.
        FLUSH_VISIBLE = 0x10,
        /// Verify.
        VERIFY = 0x20,
    }
}

bits! {
    /// What a region is (section 5.1).
    RegionFlags {
        /// The STag is valid.
        VALID = 0x1,
        /// It is a window.
        WINDOW = 0x2,
        /// The target advertises it by itself.
        ADVERTISED = 0x4,
        /// A file backs it.
        FILE = 0x8,
    }
}

bits! {
    /// How a work request is done (section 7.2).
    WorkFlags {
        /// Held until every earlier request has its response.
        FENCE = 0x1,
        /// SE.
        SOLICITED = 0x2,
        /// A Send invalidates an STag.
        INVALIDATE = 0x4,
        /// A Send has Immediate Data.
        IMMEDIATE = 0x8,
        /// Flush to persistence.
        PERSISTENCE = 0x10,
        /// Flush to global visibility.
        GLOBAL_VISIBILITY = 0x20,
        /// A Verify brings the expected hash.
        COMPARE = 0x40,
    }
}

bits! {
    /// Which stream options count (section 8.1).
    Given {
        /// The revision of MPA.
        REVISION = 0x1,
        /// The switch `MARKERS`.
        MARKERS = 0x2,
        /// The switch `CRC`.
        CRC = 0x4,
        /// The switch `ENHANCED`.
        ENHANCED = 0x8,
        /// IRD.
        IRD = 0x10,
        /// ORD.
        ORD = 0x20,
        /// The required ORD.
        REQUIRED_ORD = 0x40,
        /// The switch `PEER_TO_PEER`.
        PEER_TO_PEER = 0x80,
        /// The ready-to-receive switches.
        READY_TO_RECEIVE = 0x100,
        /// Private data.
        PRIVATE_DATA = 0x200,
        /// The Protection Domain.
        PROTECTION_DOMAIN = 0x400,
        /// The longest ULPDU.
        LONGEST_ULPDU = 0x800,
        /// The packing.
        PACKING = 0x1000,
        /// The switch `DEPTHS`.
        DEPTHS = 0x2000,
        /// The documents.
        DOCUMENTS = 0x4000,
    }
}

bits! {
    /// What is on in a setup (section 8.1).
    Switches {
        /// The target requires markers in what it receives.
        MARKERS = 0x1,
        /// CRCs.
        CRC = 0x2,
        /// Enhanced data.
        ENHANCED = 0x4,
        /// The peer-to-peer model.
        PEER_TO_PEER = 0x8,
        /// A zero-length Send can be the ready-to-receive indication.
        READY_SEND = 0x10,
        /// A zero-length Write can be.
        READY_WRITE = 0x20,
        /// A zero-length Read can be.
        READY_READ = 0x40,
        /// IRD and ORD are named.
        DEPTHS = 0x80,
        /// The request is rejected.
        REJECT = 0x100,
        /// Revision 1 is tried when the peer takes no revision 2.
        FALL_BACK = 0x200,
        /// The target sends markers.
        SEND_MARKERS = 0x400,
        /// The target goes on when the peer has closed its direction.
        HALF_OPEN = 0x800,
    }
}

bits! {
    /// What a message brought besides its bytes (section 9.3).
    ArrivalFlags {
        /// Immediate Data.
        IMMEDIATE = 0x1,
        /// An STag to invalidate.
        INVALIDATED = 0x2,
        /// SE.
        SOLICITED = 0x4,
    }
}

bits! {
    /// What a target knows of a setup (section 9.5).
    SetupKnown {
        /// Markers.
        MARKERS = 0x1,
        /// CRC.
        CRC = 0x2,
        /// The revision.
        REVISION = 0x4,
        /// IRD and ORD.
        DEPTHS = 0x8,
        /// The peer's IRD.
        PEER_IRD = 0x10,
        /// The peer's ORD.
        PEER_ORD = 0x20,
        /// The peer's private data.
        PRIVATE_DATA = 0x40,
        /// The peer-to-peer model and the indications.
        READY_TO_RECEIVE = 0x80,
    }
}

bits! {
    /// What a target knows of a Terminate (section 9.6).
    TerminateKnown {
        /// Layer, type and code.
        CODE = 0x1,
        /// The message.
        BYTES = 0x2,
    }
}
