//! NFS: the files that I/Os are about. What was done is in the logs of the captures: a file of 300,000 bytes, `mid`,
//! was written and read back.

use crate::prelude::*;
use warpscope_dissector::ulp::{Access, Io, Ulp};

#[derive(Default)]
struct Ios(Vec<Io>);

impl Sink for Ios {
    fn item(&mut self, _: &ItemContext<'_>, item: &Item<'_>) {
        if let Item::Io(item) = item
            && item.io().ulp == Ulp::RpcRdma
        {
            self.0.push(item.io().clone());
        }
    }
}

#[test]
fn reads_and_writes_name_their_file_and_cover_it() {
    let mut seen = Ios::default();
    run(&capture("j3-mid-nfs"), &mut seen);
    for (access, operation) in [(Access::Read, "NFS READ"), (Access::Write, "NFS WRITE")] {
        let of_it = seen.0.iter().filter(|io| io.operation == operation);
        let mut ranges: Vec<(u64, u64)> = of_it
            .map(|io| {
                let file = io.file.as_ref().unwrap();
                assert_eq!((io.access, file.name.as_str()), (Some(access), "mid"));
                assert_eq!(io.object, format!("mid, offset {}", file.offset));
                (file.offset, io.length.unwrap())
            })
            .collect();
        ranges.sort_unstable();
        // One after the other, and no gap.
        let end = ranges.iter().fold(0, |end, (offset, length)| {
            assert_eq!(*offset, end);
            end + length
        });
        // Linux reads whole pages.
        let pages =
            if access == Access::Read { 300_000_u64.next_multiple_of(4096) } else { 300_000 };
        assert_eq!(end, pages, "{access:?}");
    }
    let others: Vec<_> = seen.0.iter().filter(|io| io.object.starts_with("FH: 0x")).collect();
    // The directory was looked up before the capture began: nobody says its name.
    assert!(others.iter().all(|io| io.object == "FH: 0x62d40c52"));
    assert!(!others.is_empty());
}
