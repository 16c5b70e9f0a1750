//! The NFS server: COMPOUNDs of any operations in a session, and calls of any bytes. The export is read-only, so that
//! nothing fills the disk.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use warpscope_fuzz::parts;
use warpscope_nfs::rpc::Answer;
use warpscope_nfs::{ExportOptions, Server};

/// Bytes of a READ at most, and of an answer.
const DATA: u32 = 65_536;
const ANSWER: usize = DATA as usize + 64 * 1024;
const STREAM: u64 = 7;

/// Words of an XDR body.
fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// A call of NFS version 4: a COMPOUND of so many operations.
fn compound(count: u32, operations: &[u8]) -> Vec<u8> {
    // XID, CALL, RPC version 2, program, version, procedure, AUTH_NONE twice; no tag, minor version 2.
    let header = [1, 0, 2, 100_003, 4, 1, 0, 0, 0, 0, 0, 2, count];
    [&words(&header), operations].concat()
}

/// A folder with two files and a folder.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("warpscope-fuzz-{}", std::process::id()));
        fs::create_dir_all(folder.join("folder")).expect("a folder");
        fs::write(folder.join("file"), [7; 10_000]).expect("a file");
        fs::write(folder.join("folder/other"), b"").expect("a file");
        folder
    })
}

fuzz_target!(|bytes: &[u8]| {
    let options = ExportOptions { read_only: true, most_data: DATA, ..ExportOptions::default() };
    let mut server = Server::new(folder(), options).expect("a server");
    let mut ask = |call: &[u8]| {
        let reply = server.answer_on(STREAM, call).bytes;
        assert!(reply.len() <= ANSWER, "{} bytes", reply.len());
        while let Some((stream, _)) = server.backward() {
            server.replied(stream, None);
        }
        reply
    };
    // EXCHANGE_ID by the owner `o`, CREATE_SESSION with four slots, RECLAIM_COMPLETE.
    let identity = [words(&[42, 0, 0, 1]), b"o\0\0\0".to_vec(), words(&[0, 0, 0])].concat();
    let known = ask(&compound(1, &identity));
    let Some(client) = known.get(44..56) else { return };
    let channel = [0, 1 << 20, 1 << 20, 4096, 16, 4, 0];
    let rest = [&[2][..], &channel, &channel, &[0x4000_0000, 1, 0]].concat();
    let made = ask(&compound(1, &[words(&[43]), client.to_vec(), words(&rest)].concat()));
    let Some(session) = made.get(44..60).map(<[u8]>::to_vec) else { return };
    let mut sequence = 0;
    let mut in_session = |count: u32, operations: &[u8]| {
        sequence += 1;
        let begin = [words(&[53]), session.clone(), words(&[sequence, 0, 0, sequence & 1])];
        compound(count + 1, &[&begin.concat(), operations].concat())
    };
    ask(&in_session(1, &words(&[58, 0])));
    for (what, part) in parts(bytes).take(40) {
        match part {
            [count, operations @ ..] if what & 1 == 0 => {
                ask(&in_session(u32::from(*count & 15), operations));
            }
            part => {
                ask(part);
            }
        }
    }
});
