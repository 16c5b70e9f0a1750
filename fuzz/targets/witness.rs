//! The dissector against tshark: each part of the input is a ULPDU in an FPDU in a frame of one
//! connection, and every field of iWARP that both know has the same values. A tshark reads the frames
//! from a pipe and answers each with a line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use warpscope_dissector::capture::LinkType;
use warpscope_dissector::field::{self, Field, Kind, Origin};
use warpscope_fuzz::{Conversation, Everything, fpdu, parts};

/// It keeps what it knows of each connection: another one takes its place after so many.
const MOST_CONNECTIONS: u32 = 5000;

struct Tshark {
    child: Child,
    frames: ChildStdin,
    lines: BufReader<ChildStdout>,
    connections: u32,
}

/// The fields that both know.
static FIELDS: LazyLock<Vec<&Field>> = LazyLock::new(|| {
    let output = Command::new("tshark").args(["-G", "fields"]).output().expect("tshark is there");
    let known = String::from_utf8_lossy(&output.stdout);
    let known: Vec<&str> = known.lines().filter_map(|line| line.split('\t').nth(2)).collect();
    let ours = field::all().filter(|field| {
        field.origin == Origin::Wireshark
            && field.name.starts_with("iwarp_")
            && field.name.contains('.')
            && known.contains(&field.name)
            // Its whole messages are another matter than segments.
            && !field.name.contains("send.")
    });
    ours.collect()
});

static TSHARK: LazyLock<Mutex<Tshark>> = LazyLock::new(|| Mutex::new(Tshark::start()));

impl Tshark {
    fn start() -> Self {
        let mut command = Command::new("tshark");
        command.args(["-r", "-", "-l", "-n", "--disable-protocol", "rpcordma", "-T", "fields"]);
        command.args(["-E", "aggregator=|"]);
        for field in &*FIELDS {
            command.args(["-e", field.name]);
        }
        let (stdin, stdout) = (Stdio::piped(), Stdio::piped());
        let mut child =
            command.stdin(stdin).stdout(stdout).stderr(Stdio::null()).spawn().unwrap();
        let mut frames = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut header = Vec::new();
        for number in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 262_144, 1] {
            header.extend(number.to_le_bytes());
        }
        frames.write_all(&header).unwrap();
        Self { child, frames, lines, connections: 0 }
    }

    /// What it says about a frame.
    fn read(&mut self, frame: &[u8]) -> Vec<Vec<String>> {
        for number in [0, 0, frame.len() as u32, frame.len() as u32] {
            self.frames.write_all(&number.to_le_bytes()).unwrap();
        }
        self.frames.write_all(frame).unwrap();
        self.frames.flush().unwrap();
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        assert!(line.ends_with('\n'), "tshark ended: {:?}", self.child.try_wait());
        let values = |all: &str| all.split('|').filter(|it| !it.is_empty()).map(str::to_owned).collect();
        line.trim_end_matches('\n').split('\t').map(values).collect()
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut tshark = TSHARK.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if tshark.connections == MOST_CONNECTIONS {
        let mut old = std::mem::replace(&mut *tshark, Tshark::start());
        drop(old.frames);
        let _ = (old.child.kill(), old.child.wait());
    }
    tshark.connections += 1;
    let mut everything = Everything::default();
    let mut conversation = Conversation::default();
    conversation.number = tshark.connections;
    let mut frames = conversation.setup(0x40).to_vec();
    frames.extend(parts(bytes).take(16).map(|(what, ulpdu)| {
        conversation.frame(usize::from(what & 1), &fpdu(ulpdu))
    }));
    for frame in frames {
        let theirs = tshark.read(&frame);
        everything.bytes(&frame, LinkType::ETHERNET);
        let tree = &everything.view.tree;
        // Where a header is cut, either shows what it likes of it.
        let malformed = tree.nodes.iter().any(|node| node.field.name.ends_with(".malformed"));
        // tshark shows the header of an opcode whose T flag is not the opcode's, and knows neither the
        // drafts nor the reserved bytes of Immediate Data and Atomics.
        let opcode = frame.get(57).map_or(0, |rdmap| rdmap & 0x1f);
        let tagged = frame.get(56).is_some_and(|control| control & 0x80 != 0);
        let foreign = tagged != matches!(opcode, 0 | 2)
            || match opcode {
                10 => !matches!(frame.get(74..78), Some([0, 0, 0, 0 | 2])),
                _ => matches!(opcode, 8 | 9 | 12..),
            };
        // Where a message does not begin, it shows its header all the same.
        let foreign = foreign || (!tagged && frame.get(70..74).is_some_and(|offset| offset != [0; 4]));
        // It goes by D where M says whether there is a segment length, and by the error where the
        // header itself says whether it is tagged.
        let odd = frame.get(74..81).is_some_and(|it| {
            let kind = (it[0], it[6] & 0x80 != 0);
            !matches!(it[2] >> 6, 0 | 3) || !matches!(kind, (0x11, true) | (0x12, false))
        });
        const TERMINATED: [&str; 3] = ["term_ddp_seg_len", "term_ddp_h", "term_rdma_h"];
        for (field, theirs) in FIELDS.iter().zip(theirs) {
            if (malformed || foreign) && !field.name.starts_with("iwarp_mpa") {
                continue;
            }
            if opcode > 7 && field.name == "iwarp_rdma.reserved" {
                continue;
            }
            if odd && TERMINATED.iter().any(|name| field.name.ends_with(name)) {
                continue;
            }
            let nodes = tree.nodes.iter().filter(|node| node.field.name == field.name);
            let ours: Vec<String> = nodes
                .map(|node| {
                    let mut text = String::new();
                    tree.value_text(node, &mut text);
                    text
                })
                .collect();
            let truth = |it: &String| match &it[..] {
                "True" if matches!(field.kind, Kind::Boolean | Kind::Heading) => "1".to_owned(),
                "False" if matches!(field.kind, Kind::Boolean | Kind::Heading) => "0".to_owned(),
                _ => it.clone(),
            };
            let [ours, theirs] = [ours, theirs].map(|all| all.iter().map(truth).collect::<Vec<_>>());
            assert_eq!(ours, theirs, "{} of {}", field.name, hexadecimal(&frame[54..]));
        }
    }
    everything.finish();
});

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
