//! The arguments of `warpscope peer nfs`.

use super::CommonArguments;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Work with the files of an NFS server over RPC-over-RDMA: NFS version 3.

Each command mounts the export, does its work and unmounts. Paths are those below the export; `/` \
separates names.";

pub(super) const EXAMPLES: &str = "\
Examples:
  warpscope peer nfs 192.0.2.7:20049 ls -l /
  warpscope peer nfs 192.0.2.7:20049 put image.iso
  warpscope peer nfs 192.0.2.7:20049 get logs/today - | less
  warpscope peer nfs 192.0.2.7:20049 --inline 1024 --form long stat image.iso
  warpscope peer nfs 192.0.2.7:20049 --export /srv/data --write-pcap nfs.pcapng mv old new";

/// How to reach the server, and what to do.
#[derive(Debug, Args)]
pub(crate) struct NfsArguments {
    /// The server: HOST:PORT; NFS over RDMA listens at port 20049.
    #[arg(value_name = "HOST:PORT")]
    pub(crate) address: String,

    /// What to mount.
    #[arg(long, value_name = "PATH", default_value = "/", help_heading = "RPC")]
    pub(crate) export: String,

    /// The user that AUTH_SYS names; the one who runs this by default.
    #[arg(long, value_name = "UID", help_heading = "RPC")]
    pub(crate) user: Option<u32>,

    /// The group that AUTH_SYS names.
    #[arg(long, value_name = "GID", help_heading = "RPC")]
    pub(crate) group: Option<u32>,

    /// Credits to ask for.
    #[arg(long, value_name = "N", default_value_t = 32, help_heading = "RPC")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) credits: u32,

    /// The longest message sent or taken inline: a multiple of 1024, up to 262144.
    #[arg(long, value_name = "BYTES", default_value_t = 4096, help_heading = "RPC")]
    pub(crate) inline: u32,

    /// Take so many calls of the server at once (RFC 8167): they are answered, and carry out nothing.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "RPC")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=65_536))]
    pub(crate) callbacks: u32,

    /// How calls use chunks.
    #[arg(long, value_enum, value_name = "HOW", default_value = "shortest", help_heading = "RPC")]
    pub(crate) form: CallFormChoice,

    /// The longest segment of a chunk.
    #[arg(long, value_name = "BYTES", help_heading = "RPC")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) longest_segment: Option<u32>,

    /// Send no private data of RFC 8797: messages go inline up to 1024 bytes.
    #[arg(long, help_heading = "RPC")]
    pub(crate) no_rpc_private_data: bool,

    /// Seconds that a reply may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, help_heading = "RPC")]
    pub(crate) timeout: f64,

    #[command(flatten)]
    pub(crate) common: CommonArguments,

    /// What to do.
    #[command(subcommand)]
    pub(crate) command: NfsCommand,
}

/// How calls use chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallFormChoice {
    /// None where everything fits inline.
    Shortest,
    /// Every item that may go by a chunk does.
    Chunked,
    /// Calls and replies go by chunks whole.
    Long,
}

/// What can be done with files.
#[derive(Debug, Subcommand)]
pub(crate) enum NfsCommand {
    /// List a folder.
    Ls {
        /// Show type, mode, owner, size and time too.
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
        /// Where to: a file, a folder, or - for standard output; by default the same name here.
        #[arg(value_name = "LOCAL")]
        local: Option<PathBuf>,
    },
    /// Copy a file to the server, onto its stable storage.
    Put {
        /// The file, or - for standard input.
        #[arg(value_name = "LOCAL")]
        local: PathBuf,
        /// Where to; by default the same name in the export.
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
    /// Give something another name or place.
    Mv {
        /// What it is called.
        #[arg(value_name = "FROM")]
        from: String,
        /// What it will be called.
        #[arg(value_name = "TO")]
        to: String,
    },
    /// Give a file a further name, or make a symbolic link.
    Ln {
        /// Make a symbolic link.
        #[arg(short = 's', long)]
        symbolic: bool,
        /// The file; of a symbolic link any text.
        #[arg(value_name = "TARGET")]
        target: String,
        /// The name to make.
        #[arg(value_name = "PATH")]
        path: String,
    },
    /// Call the procedure that does nothing, without mounting: whether the server answers.
    Null {
        /// How many calls, as many at once as credits allow.
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
    /// Print what is known of files.
    Stat {
        /// The files.
        #[arg(value_name = "PATH", required = true)]
        paths: Vec<String>,
    },
}
