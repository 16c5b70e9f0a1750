//! How a listener ends, and what of its regions is in their files then.

use super::listener::Listener;
use super::worker::Worker;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use warpscope_peer::streams::StreamEvent;
use warpscope_peer::work::{Operation, RemoteBuffer};

const LENGTH: usize = 8192;

fn region(file: &Path) -> String {
    format!("name=log,size={LENGTH},rights=all,file={}", file.display())
}

#[test]
fn ctrl_c_ends_an_idle_listener() {
    let ended = Listener::start(&[]).stop();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    let start = "0 streams established, 0 failed; 0 bytes sent, 0 bytes received in ";
    assert!(ended.stdout.starts_with(start), "{}", ended.stdout);
}

/// A stream that goes on writing is ended within the time of grace, and the regions are saved.
#[test]
fn ctrl_c_during_traffic_saves_the_regions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let listener = Listener::start(&["--profile", "all", "--region", &region(&file)]);
    let steering_tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(steering_tag, 0, &[0xaa; LENGTH]);
    worker.is_heard(steering_tag);
    assert_eq!(std::fs::read(&file).unwrap(), [0; LENGTH]);
    let writing = std::thread::spawn(move || {
        let remote = RemoteBuffer { steering_tag, tagged_offset: 4096 };
        let write = || Operation::Write { source: [0xbb; 4096][..].into(), remote };
        let mut writes = 0;
        while worker.post(write()) {
            loop {
                match worker.next() {
                    StreamEvent::Completion(done) if done.result.is_ok() => break,
                    StreamEvent::Closed | StreamEvent::Completion(_) => return writes,
                    StreamEvent::Event(_) | StreamEvent::FellBack(_) => {}
                }
            }
            writes += 1;
        }
        writes
    });
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    let ended = listener.stop();
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert_eq!(ended.status.code(), Some(0), "{}", ended.stderr);
    assert!(writing.join().unwrap() > 0);
    let saved = std::fs::read(&file).unwrap();
    assert_eq!(saved[..4096], [0xaa; 4096]);
    assert_eq!(saved[4096..], [0xbb; 4096]);
    assert!(ended.stdout.starts_with("1 stream established, 0 failed; "), "{}", ended.stdout);
}

/// rdma-commit section 3.1.1: what was flushed is there, whatever happens then.
#[test]
fn a_kill_leaves_what_was_flushed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let listener = Listener::start(&["--profile", "all", "--region", &region(&file)]);
    let tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(tag, 0, &[0xaa; 4096]);
    assert!(worker.flushes(tag, 100, 1000).result.is_ok());
    worker.writes(tag, 0, &[0xbb; LENGTH]);
    worker.is_heard(tag);
    listener.signal("KILL");
    let ended = listener.end();
    assert_eq!(ended.status.code(), None);
    let mut due = vec![0; LENGTH];
    due[100..1100].fill(0xaa);
    assert_eq!(std::fs::read(&file).unwrap(), due);
}

/// The file takes nothing: the peer is told by a Terminate, and the operator with file and reason.
#[test]
fn a_flush_that_fails_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    std::fs::write(&file, [0; LENGTH]).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("warpscope");
    let mut command = Command::new("sh");
    // Files may not be written at all; what would end the program for that is ignored.
    let shell = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    command.args(["-c", shell]).arg(program);
    command.args(["peer", "listen", "127.0.0.1:0", "--profile", "all"]);
    command.args(["--region", &region(&file)]);
    let listener = Listener::spawn(&mut command);
    let tag = listener.steering_tag("log");
    let mut worker = Worker::connect(&listener.address);
    worker.writes(tag, 0, &[0xaa; 64]);
    assert!(worker.flushes(tag, 0, 64).result.is_err());
    let ended = listener.stop();
    let failed = "warpscope: stream 1: a Flush failed: the bytes could not be made persistent: ";
    let (_, told) = ended.stderr.split_once(failed).unwrap_or_else(|| panic!("{}", ended.stderr));
    let reason = format!("{}: File too large", file.display());
    assert!(told.starts_with(&reason), "{told}");
    // Nor can the region be saved in the end.
    assert!(told.contains("warpscope: region log: "), "{told}");
    assert_eq!(ended.status.code(), Some(1));
    let line =
        "an error: the flush did not reach what was asked for (rdma-commit section 3.1.1.2): 1";
    assert!(ended.stdout.contains(line), "{}", ended.stdout);
}
