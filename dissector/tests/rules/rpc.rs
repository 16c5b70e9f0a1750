//! The rules of RPC-over-RDMA on captures of a real NFS client and server.

use crate::observe::findings;
use crate::traces;
use std::collections::BTreeSet;

/// Linux's NFS server leaves R clear in its private data and sends replies with Invalidate all the
/// same (frames 6 and 12 of g-nfs-v4.1): RFC 8797 section 4.1 forbids it. Nothing else is wrong.
#[test]
fn real_captures_break_one_rule() {
    for entry in std::fs::read_dir(traces().join("captures")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains(".pcap") {
            continue;
        }
        let broken: BTreeSet<_> = findings(&path)
            .iter()
            .map(|finding| finding.rule.id)
            .filter(|id| id.starts_with("rpc-"))
            .collect();
        let expected: &[&str] =
            if name.starts_with("g-nfs") { &["rpc-invalidate-unagreed"] } else { &[] };
        assert!(broken.iter().eq(expected), "{name}: {broken:?}");
    }
}
