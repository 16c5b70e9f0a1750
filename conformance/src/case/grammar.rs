//! The keys of the language, as tables. The reader, the suggestions and the JSON Schema use them.

use super::step::{Close, SetupEnd};
use strum::VariantNames as _;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Takes {
    Number,
    Flag,
    /// One of these keywords.
    Keyword(&'static [&'static str]),
    /// Some of these keywords.
    Keywords(&'static [&'static str]),
    Bytes,
    /// A buffer: `$target.name`, `$local.name`.
    Region,
    Time,
    /// The name of a stream of the case.
    Stream,
    Text,
    Texts,
    /// Something with its own grammar.
    Own,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    pub(crate) needed: bool,
    pub(crate) says: &'static str,
}

const fn may(name: &'static str, takes: Takes, says: &'static str) -> Key {
    Key { name, takes, needed: false, says }
}

const fn must(name: &'static str, takes: Takes, says: &'static str) -> Key {
    Key { name, takes, needed: true, says }
}

pub(crate) fn names(keys: &[Key]) -> Vec<&'static str> {
    keys.iter().map(|key| key.name).collect()
}

use Takes::{Bytes, Flag, Keyword, Keywords, Number, Own, Region, Stream, Text, Texts, Time};

pub(crate) const ROLES: &[&str] = &["initiator", "responder", "both"];
const ONE_ROLE: &[&str] = &["initiator", "responder"];
/// The states of a stream that `while` can ask for.
pub(crate) const STREAM_STATES: &[&str] = &["open", "ended"];
pub(crate) const PROFILES: &[&str] =
    &["rfc5040", "rfc7306", "ext-04", "ext-v2", "commit", "5666bis", "all"];
pub(crate) const LEVELS: &[&str] = &["must", "should", "may"];
pub(crate) const RIGHTS: &[&str] =
    &["read", "write", "atomic", "flush_persistence", "flush_visibility", "verify"];
const INDICATIONS: &[&str] = &["send", "write", "read"];
const PATTERNS: &[&str] = &["constant", "counting", "mixed"];
pub(crate) const BACKINGS: &[&str] = &["memory", "file", "failing"];
pub(crate) const HASHES: &[&str] = &["crc32c", "sha256", "blake3"];
pub(crate) const SCOPES: &[&str] = &["stream", "protection_domain", "foreign"];

/// The abilities that `needs` can name.
pub(crate) const CAPABILITIES: &[&str] = &[
    "agent",
    "send",
    "rdma-write",
    "rdma-read",
    "invalidate",
    "atomics",
    "immediate",
    "read-v2",
    "send-immediate",
    "flush",
    "verify",
    "atomic-write",
    "enhanced-setup",
    "peer-to-peer",
    "revision",
    "markers",
    "crc",
    "private-data",
    "several-streams",
    "opens-streams",
    "windows",
    "protection-domains",
    "given-offsets",
    "zero-based",
    "stream-scope",
    "domain-invalidate",
    "fence",
    "file-backing",
    "failing-backing",
    "recall",
    "solicited-flag",
    "solicited-events",
    "invalidated-tags",
    "terminate-reports",
    "terminate-arrivals",
    "endings",
    "half-close",
    "packing",
    "rpc-over-rdma",
    "rpc-requester",
    "rpc-private-data",
    "nfs",
    "nfs4",
    "mount",
];

pub(crate) const CASE: &[Key] = &[
    must("id", Text, "Its permanent name: lowercase letters, digits, hyphens"),
    must("title", Text, "What must hold, in one sentence"),
    must("covers", Texts, "Ids of the requirements that it judges"),
    may("kills", Texts, "Seeded bugs of the reference peer that it must catch"),
    may("needs", Keywords(CAPABILITIES), "What the target must be able to do"),
    may("role", Keyword(ROLES), "The runner's role; both makes two instances"),
    may("profile", Keyword(PROFILES), "The documents that are in force"),
    may("level", Keyword(LEVELS), "The level; by default that of the strongest requirement"),
    may("tags", Texts, "Words to select it by"),
    may("across", Own, "Axes with their values: every combination is an instance"),
    may("except", Own, "Combinations that are not instances"),
    may("buffers", Own, "Memory of the target and of the runner"),
    may("use", Texts, "Fragments whose steps come first"),
    must("steps", Own, "What is done, in this order"),
];

pub(crate) const FRAGMENT: &[Key] = &[
    must("fragment", Text, "Its name"),
    must("title", Text, "What it does"),
    may("takes", Own, "Parameters with their default values"),
    may("buffers", Own, "Memory of the target and of the runner"),
    must("steps", Own, "What is done"),
];

pub(crate) const BUFFER: &[Key] = &[
    must("length", Number, "Bytes"),
    may("rights", Keywords(RIGHTS), "What a remote peer may do; default: read and write"),
    may("fill", Bytes, "Its initial contents; default: zeros"),
    may("base", Number, "The Tagged Offset of its first byte; by default the owner chooses it"),
    may(
        "window",
        Region,
        "The target's buffer that it is a window of; by default it has bytes of its own",
    ),
    may("offset", Number, "Bytes of that buffer before the window's first"),
    may("scope", Keyword(SCOPES), "Who may use the STag"),
    may("stream", Stream, "The stream of scope stream"),
    may("backing", Keyword(BACKINGS), "What holds the target's bytes; default: memory"),
    may("hash", Keyword(HASHES), "What a Verify computes; by default the target chooses"),
];

/// Keys that any step may have besides its verb.
pub(crate) const ANY_STEP: &[Key] = &[
    may("stream", Stream, "The stream; default: a"),
    may("note", Text, "What the step shows"),
    may("role", Keyword(ONE_ROLE), "It is done only in this role of the runner"),
    may("needs", Keyword(CAPABILITIES), "It is done only where the target can do this"),
    may("times", Number, "How often a send, an expect or a post is done"),
    may(
        "while",
        Keyword(STREAM_STATES),
        "It is done only in this state of the stream; ended: a Terminate or the end of the stream arrived",
    ),
];

pub(crate) const VERBS: &[Key] = &[
    may("connect", Own, "Sets the stream up"),
    may("send", Own, "Sends a message, a ULPDU or raw bytes"),
    may("expect", Own, "Waits for something"),
    may("target", Own, "Has the target do something"),
    may("serve", Own, "Answers the target's RPC calls"),
    may("wait", Time, "Lets time pass"),
    may("hear", Flag, "off leaves what the target sends in TCP, until on"),
    may("close", Keyword(Close::VARIANTS), "Ends the runner's side"),
    may("ready", Own, "Sends the indication that the target's reply names"),
    may("set", Own, "Sets variables"),
    may("repeat", Own, "Does steps for each of several values"),
    may("use", Own, "Does the steps of a fragment"),
];

/// Keys besides `send`.
pub(crate) const FRAMING: &[Key] = &[
    may("crc", Own, "good, bad, or a number"),
    may("marker", Own, "good, bad, missing, {pointer: N} or {reserved: N}"),
    may("pad", Bytes, "The pad, whatever would be correct"),
    may("length", Number, "ULPDU_Length, whatever would be correct"),
    may("cut", Own, "whole, one_byte, header_split, or where: [N, ...]"),
    may("delay", Time, "The time between the pieces"),
    may("segment", Number, "The longest payload of a DDP segment"),
    may(
        "keep",
        Number,
        "How many of its last bytes are held back and sent before what is sent next",
    ),
    may("hold", Flag, "It is sent in one piece with what is sent next"),
    may("as", Text, "A name to refer to it later"),
];

pub(crate) const EXPECTING: &[Key] = &[
    may("within", Time, "How long"),
    may("bind", Own, "Variables that get the value of a field"),
    may("tolerate", Own, "What is right in substance, but not to the letter"),
    may("skip", Own, "What may come before"),
    may(
        "otherwise",
        Own,
        "not_applicable: if it does not arrive, the case does not apply to this target",
    ),
];

pub(crate) const REPEAT: &[Key] = &[
    must("for", Text, "The variable"),
    must("in", Own, "Its values: a list, or {from: N, to: N, by: N}"),
    must("steps", Own, "What is done for each"),
];

pub(crate) const USE: &[Key] =
    &[must("fragment", Text, "Its name"), may("with", Own, "Values of its parameters")];

/// Axes that set the option of the same name unless a step gives it.
pub(crate) const OPTION_AXES: &[&str] =
    &["crc", "markers", "revision", "enhanced", "peer_to_peer", "cut"];

/// Keys of the runner's side of a connect.
pub(crate) const OURS: &[Key] = &[
    may("crc", Flag, "The runner wants CRCs"),
    may("markers", Flag, "The runner requires markers"),
    may("revision", Number, "The revision of MPA"),
    may("enhanced", Flag, "The runner's frame has the enhanced data of RFC 6581"),
    may("peer_to_peer", Flag, "Control flag A"),
    may("ready_to_receive", Keywords(INDICATIONS), "Indications that the runner offers or names"),
    may("ird", Number, "The runner's IRD"),
    may("ord", Number, "The runner's ORD"),
    may("private_data", Bytes, "Private data; default: none"),
    may("receives", Number, "Receives that the target posts first"),
    may("receive_size", Number, "Bytes of room in each"),
    may("reject", Flag, "As responder, the runner rejects"),
];

/// Keys of what the target has to say and do.
pub(crate) const THEIRS: &[Key] = &[
    may("crc", Flag, "It wants CRCs"),
    may("markers", Flag, "It requires markers"),
    may("revision", Number, "The revision of MPA"),
    may("enhanced", Flag, "Its frame has the enhanced data"),
    may("peer_to_peer", Flag, "Control flag A"),
    may("ready_to_receive", Keywords(INDICATIONS), "Indications that it offers or can take"),
    may("ird", Number, "Its IRD"),
    may("ord", Number, "Its ORD"),
    may("required_ord", Number, "The least ORD that it needs"),
    may("private_data", Bytes, "Its private data"),
    may("protection_domain", Number, "Its Protection Domain"),
    may("delay", Time, "The time between the request and its answer"),
    may("longest_ulpdu", Number, "The longest ULPDU that it sends"),
    may(
        "packing",
        Keyword(&["own_segment", "shared", "anywhere"]),
        "How it puts FPDUs into segments",
    ),
    may("reject", Flag, "It rejects"),
    may("fall_back", Flag, "It tries revision 1 when revision 2 is refused"),
    may("half_open", Flag, "It continues after the runner has closed its direction"),
    may(
        "task",
        Text,
        "The task that its RPC requester is started for, named in the target's profile",
    ),
];

pub(crate) const SERVE: &[Key] = &[
    may(
        "until",
        Keywords(PROCEDURES),
        "Stops at a call of these, and leaves it to the case; default: answers all up to the end of the stream",
    ),
    may("refuse", Keywords(PROCEDURES), "The calls that are answered with GARBAGE_ARGS"),
    may("credits", Number, "Credits that replies grant; default: 8"),
    may(
        "inline",
        Number,
        "The longest reply that is sent inline if there is a Reply chunk; default: 1024",
    ),
    may("again", Flag, "Also answers calls that the case has answered"),
    may("within", Time, "How long"),
    may(
        "otherwise",
        Keyword(&["not_applicable"]),
        "not_applicable: if no such call arrives, the case does not apply to this target",
    ),
];

/// The procedures of NFS version 3 by number, followed by those of MOUNT.
pub(crate) const PROCEDURES: &[&str] = &[
    "null",
    "getattr",
    "setattr",
    "lookup",
    "access",
    "readlink",
    "read",
    "write",
    "create",
    "mkdir",
    "symlink",
    "mknod",
    "remove",
    "rmdir",
    "rename",
    "link",
    "readdir",
    "readdirplus",
    "fsstat",
    "fsinfo",
    "pathconf",
    "commit",
    "mount_null",
    "mount_mnt",
    "mount_dump",
    "mount_umnt",
    "mount_umntall",
    "mount_export",
];

/// Keys of `connect` besides those of our side.
pub(crate) const CONNECT: &[Key] = &[
    may("only_tcp", Flag, "Only the TCP connection: the case sends the frames"),
    may("again", Flag, "As responder: the target tries again by itself, without an order"),
    may(
        "segment_size",
        Number,
        "As initiator: the longest TCP segment that the runner announces (MSS)",
    ),
    may("fields", Own, "Fields of the runner's frame that are overridden"),
    may("target", Own, "What the target is told to say and do"),
    may("ends", Keyword(SetupEnd::VARIANTS), "How the setup must end"),
];

/// An order or a report: its name and keys.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) says: &'static str,
    pub(crate) keys: &'static [Key],
}

const OPERATIONS: &[&str] = &[
    "send",
    "immediate_data",
    "rdma_write",
    "rdma_read",
    "rdma_read_v2",
    "atomic",
    "flush",
    "verify",
    "atomic_write",
];
const WORK_FLAGS: &[&str] =
    &["fence", "solicited", "invalidate", "immediate", "persistence", "visibility", "compare"];

/// Orders to the target: methods of its agent.
pub(crate) const ORDERS: &[Entry] = &[
    Entry {
        name: "post_receives",
        says: "Posts receives",
        keys: &[
            must("count", Number, "How many"),
            must("size", Number, "Bytes of room in each"),
            may("region", Region, "Where messages are put"),
            may("offset", Number, "Bytes of the region before the first"),
            may("identifier", Number, "The name of the first"),
        ],
    },
    Entry {
        name: "post",
        says: "Posts work",
        keys: &[
            must("operation", Keyword(OPERATIONS), "What it does"),
            may("flags", Keywords(WORK_FLAGS), "How"),
            may("identifier", Number, "Its name"),
            may("payload", Bytes, "What is sent or written"),
            may("stag", Number, "The STag of the remote buffer"),
            may("to", Number, "The Tagged Offset of the remote buffer"),
            may("length", Number, "Number of bytes that are read, flushed or verified"),
            may("region", Region, "The target's buffer: source or sink"),
            may("offset", Number, "Bytes of the region before source or sink"),
            may("atomic", Keyword(&["fetch_add", "swap", "cmp_swap"]), "What an Atomic does"),
            may("data", Number, "Immediate, Add or Swap Data; the word of an Atomic Write"),
            may("mask", Number, "Add or Swap Mask"),
            may("compare_data", Number, "Compare Data"),
            may("compare_mask", Number, "Compare Mask"),
            may("invalidate_stag", Number, "The STag that a Send invalidates"),
            may("hash", Bytes, "The hash that a Verify compares with"),
            may(
                "answer",
                Keyword(&["done", "failed"]),
                "The outcome of the order; default: done. One that fails is refused, or its completion reports the failure",
            ),
        ],
    },
    Entry {
        name: "fill",
        says: "Fills bytes of a buffer",
        keys: &[
            must("region", Region, "The buffer"),
            may("offset", Number, "Bytes before them"),
            must("with", Bytes, "What is put there"),
        ],
    },
    Entry {
        name: "invalidate",
        says: "Invalidates an STag",
        keys: &[must("region", Region, "The buffer")],
    },
    Entry {
        name: "revalidate",
        says: "Makes it valid again; the STag may change",
        keys: &[
            must("region", Region, "The buffer"),
            may("rights", Keywords(RIGHTS), "What a remote peer may do from now on"),
        ],
    },
    Entry {
        name: "deregister",
        says: "Deregisters a buffer",
        keys: &[must("region", Region, "The buffer")],
    },
    Entry {
        name: "recall",
        says: "Restores a buffer from its file, as after a crash",
        keys: &[must("region", Region, "The buffer")],
    },
    Entry {
        name: "finish",
        says: "Closes the target's direction once everything is done",
        keys: &[],
    },
    Entry { name: "abort", says: "Drops the TCP connection", keys: &[] },
];

/// Reports of the target's agent on what happened.
pub(crate) const REPORTS: &[Entry] = &[
    Entry {
        name: "arrival",
        says: "A message arrived",
        keys: &[
            may("identifier", Number, "The receive that it took"),
            may("length", Number, "Its length in bytes, without Immediate Data"),
            may("payload", Bytes, "Its contents"),
            may("solicited", Flag, "It had SE"),
            may("immediate", Number, "Its Immediate Data"),
            may("invalidated_stag", Number, "The STag that it invalidated; 0: none"),
        ],
    },
    Entry {
        name: "completion",
        says: "Work is complete",
        keys: &[
            may("identifier", Number, "Its name"),
            may(
                "status",
                Keyword(&["succeeded", "failed"]),
                "How; the RFCs do not say in which way it failed",
            ),
            may("original", Number, "The word before an Atomic"),
            may("hash", Bytes, "The hash of a Verify"),
        ],
    },
    Entry { name: "established", says: "The stream is up", keys: SETUP_REPORT },
    Entry { name: "request", says: "A request arrived", keys: SETUP_REPORT },
    Entry { name: "rejected", says: "The setup was rejected", keys: SETUP_REPORT },
    Entry {
        name: "setup_failed",
        says: "The setup failed",
        keys: &[may("why", Keyword(&["frame", "too_long", "lost", "options"]), "Why")],
    },
    Entry { name: "fell_back", says: "The target tries revision 1 on a new connection", keys: &[] },
    Entry {
        name: "terminate_came",
        says: "The runner's Terminate arrived",
        keys: TERMINATE_REPORT,
    },
    Entry { name: "terminates", says: "The target ends the stream", keys: TERMINATE_REPORT },
    Entry { name: "peer_closed", says: "The runner closed its direction", keys: &[] },
    Entry {
        name: "ended",
        says: "The stream ended",
        keys: &[may(
            "how",
            Keyword(&[
                "closed",
                "error_here",
                "terminated",
                "lost",
                "dropped",
                "rejected",
                "failed",
            ]),
            "How",
        )],
    },
    Entry { name: "solicited_event", says: "A solicited event", keys: &[] },
];

const SETUP_REPORT: &[Key] = &[
    may("revision", Number, "The revision"),
    may("markers", Flag, "Markers"),
    may("crc", Flag, "CRC"),
    may("ird", Number, "The target's IRD, as agreed"),
    may("ord", Number, "The target's ORD, as agreed"),
    may("our_ird", Number, "The IRD that the runner named"),
    may("our_ord", Number, "The ORD that the runner named"),
    may("private_data", Bytes, "The runner's private data"),
];

const TERMINATE_REPORT: &[Key] = &[
    may("layer", Number, "Layer"),
    may("error_type", Number, "Error type"),
    may("error_code", Number, "Error code"),
];

/// The keys of an expected Terminate.
pub(crate) const TERMINATE: &[Key] = &[
    may("layer", Own, "rdmap, ddp or llp"),
    may("type", Own, "The error type's word or number"),
    may("code", Own, "The error code's word or number, or a list of them"),
    may("ddp_header", Own, "any, absent, present, echoes, or {echoes: name}"),
    may("rdmap_header", Own, "any, absent, present, echoes, or {echoes: name}"),
    may("fields", Own, "What other fields must be"),
    may("bind", Own, "Variables that get the value of a field"),
];

/// The keys of expected memory.
pub(crate) const MEMORY: &[Key] = &[
    must("region", Own, "The buffer, or $target.all"),
    may("offset", Number, "The first byte"),
    may("length", Number, "How many"),
    may("is", Bytes, "What they must be; by default what they were at first"),
];

/// The words of `expect` that are not messages.
pub(crate) const WANTS: &[&str] = &[
    "terminate",
    "closed",
    "nothing",
    "any_of",
    "in_order",
    "all_of",
    "memory",
    "memory_unchanged",
    "report",
    "no_report",
    "task",
];

pub(crate) const CLOSED: &[&str] = &["graceful", "reset", "graceful_or_reset", "any"];

/// The ways to match a field other than by a value.
pub(crate) const MATCHERS: &[&str] =
    &["not", "at_least", "at_most", "one_of", "multiple_of", "bytes", "total"];

pub(crate) const BYTES: &[Key] = &[
    may("hex", Text, "Bytes in hexadecimal"),
    may("text", Text, "A text"),
    may("zeros", Number, "The number of zeros"),
    may("u32", Number, "A number in four bytes, the most significant first"),
    may("u64", Number, "A number in eight bytes, the most significant first"),
    may("pattern", Keyword(PATTERNS), "constant, counting or mixed"),
    may("seed", Number, "Its seed"),
    may("length", Number, "How many bytes of it"),
];
