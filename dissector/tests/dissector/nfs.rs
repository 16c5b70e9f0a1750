//! What RPC carries: arguments and results put together by hand, whole and spoilt, and the comparison
//! with another analyzer (tshark): every RPC message that stands whole in a Send of
//! the captures, and handmade ones, are put into datagrams of a capture of their own, which both read.
//!
//! `WARPSCOPE_CAPTURES` names a directory with more captures (`*.pcap`). Without tshark the tests say so and
//! pass.

mod accepted;
mod chunks;
mod compare;
mod datagrams;
mod hostile;
mod messages;
mod places;
mod summaries;
mod vectors;
mod xdr;

use crate::prelude::*;
use compare::{Outcome, compare};
use messages::Message;
use vectors::exchanges;

/// The captures of the repository that hold NFS, and those that the environment names.
fn captures() -> Vec<PathBuf> {
    let names = ["g-nfs-v3-cut", "g-nfs-v4.1-cut", "h-mixed-crc-middle-cut", "j3-mid-nfs"];
    let mut files: Vec<PathBuf> = names.into_iter().map(capture).collect();
    if let Some(directory) = std::env::var_os("WARPSCOPE_CAPTURES") {
        files.extend(std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()));
    }
    files
}

/// Fewer values than the captures of the repository and the handmade messages hold.
const FEWEST_VALUES: u64 = 9_500;

#[test]
fn every_field_of_every_message_is_as_tshark_says() {
    let Some(version) = tshark::version() else { return missing("tshark", "NFS is compared") };
    let mut outcome = Outcome::default();
    for file in captures() {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        compare(&name, &messages::of(&file), &mut outcome);
    }
    let numbered = exchanges().into_iter().zip(1000..);
    let handmade: Vec<Message> =
        numbered.flat_map(|(exchange, xid)| exchange.messages(xid)).collect();
    compare("handmade", &handmade, &mut outcome);
    assert!(outcome.differences.is_empty(), "{}", outcome.differences.join("\n"));
    assert!(outcome.same >= FEWEST_VALUES, "only {} values were compared", outcome.same);
    if version == (4, 0) {
        let unused = outcome.unused();
        assert!(unused.is_empty(), "accepted differences that do not occur: {unused:#?}");
    }
}
