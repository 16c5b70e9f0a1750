//! `--jobs`: what is printed is the same for every number of threads, errors and exit statuses too.

use super::capture::Capture;
use super::program::{Ended, Folder, has, printed, refused, run, shipped};
use warpscope_traces::capture::PcapWriter;
use warpscope_traces::message::Target;
use warpscope_traces::packet::End;
use warpscope_traces::session::{Agreement, INITIATOR, RESPONDER, Session};
use warpscope_wire::rdmap::Message;

/// What reads a capture in parts: commands with their arguments.
const COMMANDS: [(&str, &str); 13] = [
    ("check", ""),
    ("check", "--format ndjson --repeated"),
    ("flows", "--details"),
    ("flows", "--format json"),
    ("stats", ""),
    ("stats", "--format csv"),
    ("dissect", "-q -z io,phs -z warpscope,flows -z warpscope,latency -r"),
    ("dissect", "-q -r"),
    ("export", "--to messages --csv -"),
    ("export", "--to rpcs --ndjson -"),
    ("export", "--to findings --csv -"),
    ("export", "--to flows --csv -"),
    ("export", "--to latencies --csv -"),
];

/// What a command does with files, whatever the number of threads.
#[track_caller]
fn same((command, arguments): (&str, &str), files: &str) -> Ended {
    let with = |jobs: u16| run(format!("{command} --jobs {jobs} {arguments} {files}"));
    let one = with(1);
    for jobs in [2, 4, 8] {
        let many = with(jobs);
        assert_eq!(many.out, one.out, "{command} --jobs {jobs} {arguments} {files}");
        assert_eq!(many.err, one.err, "{command} --jobs {jobs} {arguments} {files}");
        assert_eq!(many.status, one.status, "{command} --jobs {jobs} {arguments} {files}");
    }
    one
}

#[test]
fn a_capture_in_parts_prints_the_same() {
    for file in ["captures/b2-perftest-crc.pcap.zst", "captures/i1-netem-loss-reorder.pcap.zst"] {
        for command in COMMANDS {
            let ended = same(command, &shipped(file));
            assert!(ended.status.is_some_and(|it| it < 2), "{}", ended.err);
        }
    }
    for command in COMMANDS {
        same(command, &shipped("violations/violations-operation.pcap"));
    }
}

/// Files that are whole, cut off, empty and none at all, one after the other.
#[test]
fn several_captures_beside_each_other_print_the_same() {
    let folder = Folder::new();
    folder.write("empty", Capture::new().bytes);
    folder.write("none", "no capture at all");
    let whole = std::fs::read(shipped("violations/violations-setup.pcap")).unwrap();
    folder.write("cut", &whole[..whole.len() * 2 / 3]);
    let names = ["captures/a4-rping-crc.pcap.zst", "violations/violations-ddp.pcap"].map(shipped);
    let [first, second] = &names;
    let files = format!("{folder}/empty {first} {folder}/cut {folder}/none {folder}/gone {second}");
    for command in COMMANDS.into_iter().filter(|(command, _)| *command != "dissect") {
        let ended = same(command, &files);
        assert!(ended.status.is_some_and(|it| it > 0));
        let lines: Vec<&str> = ended.err.lines().rev().take(3).collect();
        assert_eq!(lines.len(), 3, "{}", ended.err);
        has(lines[2], &["/cut: the capture is cut off"]);
        has(lines[1], &["/none: not a pcap or pcapng file"]);
        has(lines[0], &["/gone: cannot open the file"]);
    }
}

/// A Terminate is traced to the last segments of all connections together. What a part alone still
/// remembers does not show: the capture is read again on one thread.
#[test]
fn what_all_connections_share_is_shared() {
    let session = |number| -> Session {
        let ends = [End::v4(number, 40_000), End::v4(100, 4791)];
        let mut session = Session::new(ends, [7, 9]);
        session.open(&Agreement::default()).unwrap();
        session
    };
    let folder = Folder::new();
    for (name, between) in [("near", 10), ("far", 17_000)] {
        let (mut refused, mut other) = (session(1), session(2));
        let target = Target::Tagged { steering_tag: 0x100, tagged_offset: 0 };
        refused.send(INITIATOR, Message::Write, target, &[1; 40]).unwrap();
        let mut frames = refused.conversation.take_frames();
        for _ in 0..between {
            other.send(INITIATOR, Message::Send, Target::Queue, &[2; 8]).unwrap();
        }
        frames.extend(other.conversation.take_frames());
        let ulpdu = &refused.streams[INITIATOR].fpdus.last().unwrap().ulpdu;
        // DDP, tagged buffer, invalid STag; with the length of the segment and its DDP header.
        let mut terminate = vec![0x11, 0, 0xc0, 0, 0, ulpdu.len() as u8];
        terminate.extend(&ulpdu[..14]);
        refused.send(RESPONDER, Message::Terminate, Target::Queue, &terminate).unwrap();
        frames.extend(refused.conversation.take_frames());
        let mut writer = PcapWriter::new(Vec::new(), true).unwrap();
        for frame in &frames {
            writer.frame(frame).unwrap();
        }
        folder.write(name, writer.finish().unwrap());
    }
    let near = same(("flows", ""), &folder.at("near")).out;
    let far = same(("flows", ""), &folder.at("far")).out;
    has(&near, &["in frame 6"]);
    assert!(!far.contains("in frame 6"), "{far}");
}

/// Captures with expectations that they meet, and that they do not.
#[test]
fn replay_judges_several_captures_at_once() {
    let folder = Folder::new();
    for name in ["c1-crc-server-only", "c4-mpav2-client-mpav1-server", "d2-private-data-sizes"] {
        let capture = std::fs::read(shipped(&format!("captures/{name}.pcap"))).unwrap();
        folder.write(&format!("{name}.pcap"), capture);
    }
    printed(format!("replay --bless {folder}"));
    folder.write("e5-other.pcap", Capture::conversation().bytes);
    folder.write("e5-other.expect.yaml", "counts: {frames: 1}");
    let ended = same(("replay", ""), &folder.to_string()).with(1);
    has(&ended.out, &["e5-other"]);
}

#[test]
fn a_number_of_threads_is_one_or_more() {
    for line in ["check -j 0", "stats --jobs 0", "dissect -q --jobs 0 -r"] {
        let words = refused(format!("{line} {}", shipped("captures/c8-mpav0-client.pcap")));
        has(&words, &["--jobs", "1..=256"]);
    }
    printed(format!("flows -j 256 {}", shipped("captures/a5-mpav1.pcap.zst")));
}
