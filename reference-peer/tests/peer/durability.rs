//! What a Flush Response promises: a kill at any moment takes nothing that was flushed (rdma-commit
//! section 3.1.1).

use crate::prelude::*;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use warpscope_peer::memory::{FileStore, RegionSpec};

/// Names the file for the child.
const FILE: &str = "WARPSCOPE_TEST_DURABILITY_FILE";

/// The region: a block that is flushed in part, a block that never is, and blocks that are written
/// and flushed in turn.
const BLOCK: usize = 4096;
const SLOTS: usize = 8;
const FIRST_SLOT: usize = 2;
const LENGTH: usize = (FIRST_SLOT + SLOTS) * BLOCK;

fn write(tag: u32, offset: usize, byte: u8, length: usize) -> Operation {
    write_op(&vec![byte; length], remote(tag, offset as u64))
}

fn flush(tag: u32, offset: usize, length: usize) -> Operation {
    flush_op(remote(tag, offset as u64), length as u32, [true, false])
}

/// Reports to the parent; what is reported has happened.
fn report(what: &str) {
    let mut output = std::io::stdout().lock();
    writeln!(output, "{what}").unwrap();
    output.flush().unwrap();
}

/// The byte that round `round` writes: never 0, and another one in each of 255 rounds.
fn byte(round: usize) -> u8 {
    (round % 255) as u8 + 1
}

/// Writes and flushes until it is killed.
fn child(path: &Path) {
    let mut pair = Pair::opened(configs_with(|config| config.profile = Profile::COMMIT));
    let spec = format!("name=log,size={LENGTH},rights=write+flush,scope=stream");
    let spec = RegionSpec { file: Some(path.to_owned()), ..spec.parse().unwrap() };
    let tag = spec.register(&mut pair.ends[RESPONDER].memory, STREAM).unwrap()[0].steering_tag;
    let mut carry_out = |operation: Operation| {
        pair.ends[INITIATOR].post(1, operation);
        pair.run();
        assert_eq!(pair.ends[INITIATOR].completed(), [(1, true)]);
        pair.ends[INITIATOR].completions.clear();
    };
    carry_out(write(tag, 0, 0xaa, BLOCK));
    carry_out(flush(tag, 100, 1000));
    report("flushed");
    carry_out(write(tag, 0, 0xbb, 2 * BLOCK));
    report("written");
    for round in 0.. {
        let offset = (FIRST_SLOT + round % SLOTS) * BLOCK;
        carry_out(write(tag, offset, byte(round), BLOCK));
        carry_out(flush(tag, offset, BLOCK));
        report(&format!("round {round}"));
    }
}

#[test]
#[ignore = "the process that another test kills"]
fn killed() {
    if let Some(path) = std::env::var_os(FILE) {
        child(Path::new(&path));
    }
}

/// Runs the child until it has reported that many rounds, and kills it; returns what it reported.
fn run_and_kill(path: &Path, rounds: usize) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::killed", "--ignored", "--nocapture", "--test-threads=1"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reported = Vec::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let last = format!("round {}", rounds - 1);
    for line in lines.by_ref() {
        // The first line begins with what the test harness writes.
        reported.push(line.unwrap());
        if reported.last() == Some(&last) {
            break;
        }
    }
    // SIGKILL: nothing is run any more, and nothing is written.
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{reported:?}");
    reported.extend(lines.map(|line| line.unwrap()));
    reported
}

#[test]
fn what_was_flushed_outlasts_a_kill() {
    for rounds in [1, 5, 23] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("region");
        let reported = run_and_kill(&path, rounds);
        assert!(reported.iter().any(|line| line.ends_with("flushed")), "{reported:?}");
        assert!(reported.iter().any(|line| line == "written"), "{reported:?}");
        let opened = FileStore::open(&path, Some(LENGTH as u64)).unwrap();
        assert!(!opened.made);
        let (first, rest) = opened.bytes.split_at(BLOCK);
        let (second, slots) = rest.split_at(BLOCK);
        // The range of the flush, as it was then; nothing else of the block, and nothing later.
        assert_eq!(first[100..1100], [0xaa; 1000]);
        assert!(first[..100].iter().chain(&first[1100..]).chain(second).all(|it| *it == 0));
        // Each round that was reported is there; the one after it may be there in part.
        let done = reported.iter().filter(|line| line.starts_with("round")).count();
        assert!(done >= rounds);
        for round in done.saturating_sub(SLOTS - 1)..done {
            let slot = &slots[round % SLOTS * BLOCK..][..BLOCK];
            assert!(slot.iter().all(|it| *it == byte(round)), "round {round} of {done}");
        }
        for slot in done + 1..SLOTS {
            assert!(slots[slot * BLOCK..][..BLOCK].iter().all(|it| *it == 0), "slot {slot}");
        }
    }
}
