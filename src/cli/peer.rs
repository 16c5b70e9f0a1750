//! The arguments of `warpscope peer`.

use super::{ListFormat, ReplaceArguments};
use clap::{ArgAction, Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const PEER_EXAMPLES: &str = "\
Examples:
  warpscope peer listen 127.0.0.1:7174
  warpscope peer listen 0.0.0.0:7174 -s pingpong --revision 1 --no-crc
  warpscope peer connect 192.0.2.7:7174 -s pingpong -o count=10
  warpscope peer connect [2001:db8::7]:7174 -s passive --peer-to-peer --rtr read
  warpscope peer listen 127.0.0.1:20049 -s nfs -o export=/srv/data --write-pcap nfs.pcapng
  warpscope peer nfs 127.0.0.1:20049 ls -l /
  warpscope peer listen 127.0.0.1:7174 --profile all --region name=log,size=1MiB,rights=all
  warpscope peer agent 127.0.0.1:7174
  warpscope peer listen 127.0.0.1:7174 --bug crc-zero --log
  warpscope peer bugs --layer mpa
  warpscope peer variants";

/// Run a strict iWARP peer over TCP, which listens or connects.
///
/// It runs in user space, and needs no RNIC and no privileges. When it listens, it answers any
/// implementation; when it connects, it drives one. Its service (-s) is what it does with its streams;
/// `warpscope peer services` lists the services. With --bug, it does one thing wrong on purpose;
/// `warpscope peer bugs` lists the bugs. With --variant, it does something that the documents leave
/// open in another way; `warpscope peer variants` lists the variants.
#[derive(Debug, Args)]
#[command(after_long_help = PEER_EXAMPLES)]
pub(crate) struct PeerArguments {
    #[command(subcommand)]
    pub(crate) action: PeerAction,
}

/// What a peer can do.
#[derive(Debug, Subcommand)]
pub(crate) enum PeerAction {
    Listen(ListenArguments),
    Connect(ConnectArguments),
    Agent(AgentArguments),
    Nfs(NfsArguments),
    /// List the services and their options.
    Services,
    Bugs(BugsArguments),
    Variants(VariantsArguments),
}

/// Accept streams at an address until Ctrl-C.
#[derive(Debug, Args)]
pub(crate) struct ListenArguments {
    /// Where to listen: ADDRESS:PORT; port 0 for any free port.
    #[arg(value_name = "ADDRESS:PORT")]
    pub(crate) address: String,

    /// Reject every request (R), and send --private-data with the rejection.
    #[arg(long, help_heading = "Setup")]
    pub(crate) reject: bool,

    /// Stop once this many streams have come and gone.
    #[arg(long, value_name = "N")]
    pub(crate) end_after: Option<u64>,

    /// Maximum number of streams at once; others wait.
    #[arg(long, value_name = "N", default_value_t = 4096)]
    pub(crate) most_streams: usize,

    /// Drop a stream that has been idle for this many seconds; 0 for never.
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0)]
    pub(crate) idle_timeout: f64,

    #[command(flatten)]
    pub(crate) service: ServiceArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// Do what a conformance runner asks, as the target of `warpscope conform run --agent`.
///
/// The agent accepts streams at one address, and the runner's calls at another, apart from the stack
/// under test; agents/README.md describes the protocol. It runs until Ctrl-C.
#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    /// Where to accept streams: ADDRESS:PORT; port 0 for any free port.
    #[arg(value_name = "ADDRESS:PORT")]
    pub(crate) address: String,

    /// Where runners connect for control; by default the same address and the next port.
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "runner")]
    pub(crate) control: Option<String>,

    /// Connect to a runner that waits for its agent at this address (`conform run --agent-listen`).
    ///
    /// The agent keeps trying, and connects again when the connection has ended.
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) runner: Option<String>,

    /// Folder for the files of file-backed memory.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) files: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// Open streams to an address.
#[derive(Debug, Args)]
pub(crate) struct ConnectArguments {
    /// Where to connect: HOST:PORT.
    #[arg(value_name = "HOST:PORT")]
    pub(crate) address: String,

    /// How many streams to open.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) streams: u32,

    /// Do not fall back to revision 1 if the peer does not accept revision 2.
    #[arg(long, help_heading = "Setup")]
    pub(crate) no_fallback: bool,

    #[command(flatten)]
    pub(crate) service: ServiceArguments,

    #[command(flatten)]
    pub(crate) common: CommonArguments,
}

/// How FPDUs are put into TCP segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackingChoice {
    /// Each FPDU in a segment of its own.
    One,
    /// As many whole FPDUs as fit.
    Several,
    /// Full segments, wherever FPDUs begin and end.
    Unaligned,
}

/// A ready-to-receive indication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndicationChoice {
    /// A zero-length Send.
    Send,
    /// A zero-length Write.
    Write,
    /// A zero-length Read.
    Read,
}

/// What is done with streams.
#[derive(Debug, Args)]
pub(crate) struct ServiceArguments {
    /// What the peer does with its streams; `warpscope peer services` lists the services.
    #[arg(short = 's', long = "service", value_name = "NAME", default_value = "passive")]
    pub(crate) name: String,

    /// An option of the service; repeatable.
    #[arg(short = 'o', long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
}

/// What both sides have.
#[derive(Debug, Args)]
pub(crate) struct CommonArguments {
    /// The documents in force: rfc5040, rfc7306, ext-v2, commit or all.
    #[arg(long, value_name = "NAME", default_value = "rfc7306")]
    pub(crate) profile: String,

    /// Offer a region of memory: name=log,size=1MiB,rights=read+write; repeatable.
    ///
    /// Keys: name, size, rights (read, write, atomic, flush, flush-persistent, flush-visible,
    /// verify, all), base (zero or an address), scope (shared, stream or pd:N), hash (crc32c,
    /// sha256, blake3), file (flushed to it), fill (zero, pattern or text:...), window
    /// (NAME:OFFSET:LENGTH).
    #[arg(long, value_name = "SPEC", help_heading = "Memory")]
    pub(crate) region: Vec<String>,

    /// Offer the regions listed in a YAML file, with the keys of --region; repeatable.
    #[arg(long, value_name = "FILE", help_heading = "Memory")]
    pub(crate) regions: Vec<PathBuf>,

    /// Enable these seeded bugs; repeatable.
    #[arg(long = "bug", value_name = "NAME[,NAME]")]
    pub(crate) bugs: Vec<String>,

    /// Do something in another way that the documents allow; repeatable.
    #[arg(long = "variant", value_name = "NAME[,NAME]")]
    pub(crate) variants: Vec<String>,

    /// MPA revision: the one to send as initiator, or the newest to accept as responder.
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Setup")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=2))]
    pub(crate) revision: u8,

    /// Require markers in what this side receives (M).
    #[arg(long, help_heading = "Setup")]
    pub(crate) markers: bool,

    /// Do not ask for CRCs (C); they are used if the other side asks.
    #[arg(long, help_heading = "Setup")]
    pub(crate) no_crc: bool,

    /// Ask for revision 2 without enhanced data (S).
    #[arg(long, help_heading = "Setup")]
    pub(crate) no_enhanced: bool,

    /// How many requests this side can hold at once (IRD).
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Setup")]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=0x3fff))]
    pub(crate) ird: u16,

    /// How many requests this side wants to have outstanding (ORD).
    #[arg(long, value_name = "N", default_value_t = 16, help_heading = "Setup")]
    #[arg(value_parser = clap::value_parser!(u16).range(0..=0x3fff))]
    pub(crate) ord: u16,

    /// Reject an initiator whose IRD is less than this.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Setup")]
    pub(crate) required_ord: u16,

    /// Do not negotiate the depths (IRD and ORD): send 0x3FFF.
    #[arg(long, help_heading = "Setup")]
    pub(crate) no_depths: bool,

    /// Ask for the peer-to-peer model (A).
    #[arg(long, help_heading = "Setup")]
    pub(crate) peer_to_peer: bool,

    /// Ready-to-receive indications that this side supports (B, C, D); all by default.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND[,KIND]")]
    #[arg(help_heading = "Setup")]
    pub(crate) rtr: Vec<IndicationChoice>,

    /// Private data: text, or bytes as hex:0badcafe.
    #[arg(long, value_name = "DATA", default_value = "", help_heading = "Setup")]
    #[arg(hide_default_value = true)]
    pub(crate) private_data: String,

    /// How many seconds the setup may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, help_heading = "Setup")]
    pub(crate) setup_timeout: f64,

    /// How many seconds the peer may take to close after a Terminate.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    pub(crate) close_timeout: f64,

    /// TCP segment size to assume, in bytes; TCP's own by default.
    #[arg(long, value_name = "BYTES", help_heading = "Framing")]
    pub(crate) emss: Option<usize>,

    /// Maximum ULPDU length in bytes, if it should be shorter than segments allow.
    #[arg(long, value_name = "BYTES", help_heading = "Framing")]
    pub(crate) longest_ulpdu: Option<u16>,

    /// How to put FPDUs into TCP segments.
    #[arg(long, value_enum, value_name = "HOW", default_value = "one", help_heading = "Framing")]
    pub(crate) packing: PackingChoice,

    /// Also accept the Atomic Swap, which the drafts had and RFC 7306 left out.
    #[arg(long)]
    pub(crate) atomic_swap: bool,

    /// Seed of the Steering Tags, to repeat them; random by default.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Print every frame, decoded, on standard output.
    #[arg(long, action = ArgAction::SetTrue, help_heading = "Output")]
    pub(crate) log: bool,

    /// Write the traffic to a pcapng file.
    ///
    /// If capturing is permitted, the file has the real TCP headers. If not, it has the same bytes with
    /// made-up headers, and says so.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) write_pcap: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) existing: ReplaceArguments,

    /// Do not capture for --write-pcap; make the headers up.
    #[arg(long, requires = "write_pcap", help_heading = "Output")]
    pub(crate) no_capture: bool,

    /// Print nothing but errors.
    #[arg(short = 'q', long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// List the seeded bugs and the requirement that each breaks.
#[derive(Debug, Args)]
pub(crate) struct BugsArguments {
    /// Only the bugs of a layer: setup, mpa, ddp, rdmap, memory or rpc.
    #[arg(long, value_name = "LAYER")]
    pub(crate) layer: Option<String>,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

/// List the variants: what the documents allow and the strict peer does differently.
#[derive(Debug, Args)]
pub(crate) struct VariantsArguments {
    /// Only the variants of a layer: setup, mpa, ddp, rdmap, memory or rpc.
    #[arg(long, value_name = "LAYER")]
    pub(crate) layer: Option<String>,

    /// How to print the list.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ListFormat,
}

// The arguments of `warpscope peer nfs`.

const NFS_EXAMPLES: &str = "\
Examples:
  warpscope peer nfs 192.0.2.7:20049 ls -l /
  warpscope peer nfs 192.0.2.7:20049 put image.iso
  warpscope peer nfs 192.0.2.7:20049 get logs/today - | less
  warpscope peer nfs 192.0.2.7:20049 --vers 4.2 get image.iso
  warpscope peer nfs 192.0.2.7:20049 --inline 1024 --form long stat image.iso
  warpscope peer nfs 192.0.2.7:20049 --export /srv/data --write-pcap nfs.pcapng mv old new";

/// Work with the files of an NFS server over RPC-over-RDMA: NFS version 3, 4.1 or 4.2.
///
/// Each command mounts the export or begins a session, does its work, and then unmounts the export or
/// ends the session. Paths are relative to the export; `/` separates names.
#[derive(Debug, Args)]
#[command(after_long_help = NFS_EXAMPLES)]
pub(crate) struct NfsArguments {
    /// The server: HOST:PORT; the port of NFS over RDMA is 20049.
    #[arg(value_name = "HOST:PORT")]
    pub(crate) address: String,

    /// NFS version.
    #[arg(long, value_enum, value_name = "VERSION", default_value = "3", help_heading = "RPC")]
    pub(crate) vers: NfsVersion,

    /// The export to mount; with version 4, the folder that paths are relative to.
    #[arg(long, value_name = "PATH", default_value = "/", help_heading = "RPC")]
    pub(crate) export: String,

    /// Mount over plain TCP, with the mount daemon at this address.
    ///
    /// Without a port, the mount daemon is the one that the host's portmapper names. Without --mount, the
    /// server's own host is asked in this way if the server has no MOUNT over RPC-over-RDMA.
    #[arg(long, value_name = "HOST[:PORT]", help_heading = "RPC")]
    pub(crate) mount: Option<String>,

    /// File handle to use instead of mounting the export, as hexadecimal digits.
    #[arg(long, value_name = "HEX", conflicts_with = "mount", help_heading = "RPC")]
    pub(crate) file_handle: Option<String>,

    /// User id for AUTH_SYS; by default that of the user who runs this.
    #[arg(long, value_name = "UID", help_heading = "RPC")]
    pub(crate) user: Option<u32>,

    /// Group id for AUTH_SYS.
    #[arg(long, value_name = "GID", help_heading = "RPC")]
    pub(crate) group: Option<u32>,

    /// How many credits to ask for.
    #[arg(long, value_name = "N", default_value_t = 32, help_heading = "RPC")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) credits: u32,

    /// Longest message to send or accept inline: a multiple of 1024, up to 262144.
    #[arg(long, value_name = "BYTES", default_value_t = 4096, help_heading = "RPC")]
    pub(crate) inline: u32,

    /// How many calls from the server to accept at once; by default 4 in version 4, else 0.
    ///
    /// These are the calls of RFC 8167. In version 4, they recall delegations; in version 3, they are
    /// answered but do nothing.
    #[arg(long, value_name = "N", help_heading = "RPC")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=65_536))]
    pub(crate) callbacks: Option<u32>,

    /// How calls use chunks.
    #[arg(long, value_enum, value_name = "HOW", default_value = "shortest", help_heading = "RPC")]
    pub(crate) form: CallFormChoice,

    /// Longest segment of a chunk, in bytes.
    #[arg(long, value_name = "BYTES", help_heading = "RPC")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) longest_segment: Option<u32>,

    /// Send no private data of RFC 8797: messages of up to 1024 bytes go inline.
    #[arg(long, help_heading = "RPC")]
    pub(crate) no_rpc_private_data: bool,

    /// Answer a reply that has a wrong header with RDMA_ERROR, instead of dropping it.
    ///
    /// This is what draft-ietf-nfsv4-rfc5666bis-04 asks for.
    #[arg(long, help_heading = "RPC")]
    pub(crate) answer_faulty_replies: bool,

    /// How many seconds to wait for a reply.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, help_heading = "RPC")]
    pub(crate) timeout: f64,

    /// How many milliseconds to wait between the setup and the first call.
    ///
    /// This is for servers that lose what comes right after the setup.
    #[arg(long, value_name = "MS", default_value_t = 0, help_heading = "RPC")]
    pub(crate) pause: u32,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    #[command(subcommand)]
    pub(crate) command: NfsCommand,
}

/// A version of NFS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NfsVersion {
    /// Version 3, with MOUNT.
    #[value(name = "3")]
    Three,
    /// Version 4.1: a session.
    #[value(name = "4.1")]
    FourOne,
    /// Version 4.2: a session; holes are left out of what is read.
    #[value(name = "4.2")]
    FourTwo,
}

/// How calls use chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallFormChoice {
    /// No chunks if everything fits inline.
    Shortest,
    /// A chunk for every item that may have one.
    Chunked,
    /// Whole calls and replies in chunks.
    Long,
}

/// What can be done with files.
#[derive(Debug, Subcommand)]
pub(crate) enum NfsCommand {
    /// List a folder.
    Ls {
        /// Also show type, mode, owner, size and time.
        #[arg(short = 'l', long)]
        long: bool,
        /// The folder.
        #[arg(value_name = "PATH", default_value = "/")]
        path: String,
    },
    /// Copy a file from the server.
    Get {
        /// The file.
        #[arg(value_name = "REMOTE")]
        remote: String,
        /// A file, a folder, or - for standard output; by default the same name in the current folder.
        #[arg(value_name = "LOCAL")]
        local: Option<PathBuf>,
    },
    /// Copy a file to the server's stable storage.
    Put {
        /// The file, or - for standard input.
        #[arg(value_name = "LOCAL")]
        local: PathBuf,
        /// Where to write it; by default the same name in the export.
        #[arg(value_name = "REMOTE")]
        remote: Option<String>,
    },
    /// Make folders.
    Mkdir {
        /// The folders.
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<String>,
    },
    /// Remove files and links.
    Rm {
        /// What to remove.
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<String>,
    },
    /// Remove empty folders.
    Rmdir {
        /// The folders.
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<String>,
    },
    /// Rename or move a file or folder.
    Mv {
        /// Its current path.
        #[arg(value_name = "FROM")]
        from: String,
        /// Its new path.
        #[arg(value_name = "TO")]
        to: String,
    },
    /// Make a hard link or a symbolic link.
    Ln {
        /// Make a symbolic link.
        #[arg(short = 's', long)]
        symbolic: bool,
        /// The file to link to; for a symbolic link, any text.
        #[arg(value_name = "TARGET")]
        target: String,
        /// The link to make.
        #[arg(value_name = "PATH")]
        path: String,
    },
    /// Call the NULL procedure, without mounting, to check that the server answers.
    Null {
        /// How many calls to make, as many at once as credits allow.
        #[arg(long, value_name = "N", default_value_t = 1)]
        #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        count: u32,
    },
    /// Print the target of symbolic links.
    Readlink {
        /// The links.
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<String>,
    },
    /// Print the attributes of files.
    Stat {
        /// The files.
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<String>,
    },
}
