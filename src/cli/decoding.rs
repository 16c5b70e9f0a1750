//! The arguments of every command that decodes captures.

use clap::Args;

/// `-d` and `-o`, as tshark has them.
#[derive(Debug, Args)]
pub(crate) struct DecodingArguments {
    /// Take the connections of a TCP port for iWARP, or not: tcp.port==PORT,PROTOCOL.
    ///
    /// PORT is a number, or a range as 7174-7180 or 7174:7 (first and count). PROTOCOL is iwarp
    /// (or iwarp_mpa) to decode as iWARP whatever it looks like, data (or none) to leave undecoded.
    #[arg(short = 'd', value_name = "LAYER==SELECTOR,PROTOCOL", help_heading = "Decoding")]
    pub(crate) decode_as: Vec<String>,

    /// Set a preference: NAME:VALUE.
    ///
    /// iwarp.profile: the documents that opcodes are read by: all (default), rfc5040, rfc7306,
    /// ext-v2, commit. tcp.relative_sequence_numbers: TRUE (default) or FALSE.
    #[arg(short = 'o', value_name = "NAME:VALUE", help_heading = "Decoding")]
    pub(crate) preferences: Vec<String>,
}
