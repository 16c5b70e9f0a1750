//! Runs the other analyzer, and holds its answers against ours.

use super::streams::Streams;
use crate::support::require::required;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use warpscope_dissector::capture::{CaptureReader, Frame};
use warpscope_dissector::field::{self, Field, Kind, Origin};
use warpscope_dissector::flow::TcpContext;
use warpscope_dissector::link::{Packet, PacketDecoder};
use warpscope_dissector::tree::{
    FrameContext, Tree, add_sources, push_frame, push_layers, write_summary,
};

/// The most differences that are kept for the message.
const MOST_DIFFERENCES: usize = 60;

pub fn tshark_is_there() -> bool {
    required("tshark", Command::new("tshark").arg("--version").output().ok()).is_some()
}

/// tshark with one line for a frame: its lines, and the process.
fn tshark(file: &Path, fields: &[&str]) -> (impl Iterator<Item = String> + use<>, Child) {
    let mut command = Command::new("tshark");
    command.args(["-n", "-r"]).arg(file).args(["-T", "fields", "-E", "separator=/t"]);
    command.args(["-E", "occurrence=a", "-E", "aggregator=|"]);
    // Only what lies below: heuristics above TCP would take the payload.
    command.args(["-o", "tcp.try_heuristic_first:FALSE", "--disable-protocol", "iwarp_mpa"]);
    for field in fields {
        command.args(["-e", field]);
    }
    // Dates are shown in the time of the place.
    command.env("TZ", "UTC");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let output: ChildStdout = child.stdout.take().unwrap();
    let lines = BufReader::with_capacity(1 << 20, output).lines().map(Result::unwrap);
    (lines, child)
}

/// Goes through a capture's frames with what the trees need.
fn each_frame(
    file: &Path,
    mut visit: impl FnMut(&Frame<'_>, &Packet<'_>, Option<&TcpContext>, &FrameContext<'_>),
) -> u64 {
    let mut reader = CaptureReader::open(file).unwrap();
    let mut decoder = PacketDecoder::new();
    let mut streams = Streams::default();
    let (mut first_time, mut previous_time) = (None, None);
    let tells_interfaces = reader.names_interfaces();
    while let Some(described) = reader.next_described().unwrap() {
        let frame = described.frame;
        let packet = decoder.decode(&frame);
        let time = frame.time.unwrap_or(0);
        let tcp = packet.tcp.as_ref().map(|segment| streams.context(segment, time));
        first_time = first_time.or(frame.time);
        let interface = described.interface.filter(|_| tells_interfaces);
        let context = FrameContext {
            first_time,
            previous_time,
            previous_displayed_time: previous_time,
            interface,
        };
        visit(&frame, &packet, tcp.as_ref(), &context);
        previous_time = frame.time;
    }
    reader.frames_read()
}

/// The fields that are compared: all that both have, but for the payload's, which protocols above claim.
fn compared() -> Vec<&'static Field> {
    let with_value = |field: &&'static Field| !matches!(field.kind, Kind::Protocol | Kind::Heading);
    field::all()
        .filter(with_value)
        .filter(|field| field.origin == Origin::Wireshark)
        .filter(|field| {
            let name = field.name;
            ["frame", "eth", "llc", "vlan", "ieee8021ad", "sll", "null", "ip", "ipv6", "ah", "arp", "udp", "icmp", "icmpv6", "tcp"]
                .contains(&field.protocol())
                // tshark verifies these.
                && !matches!(name, "tcp.options.unknown")
        })
        .collect()
}

pub fn compare_fields(file: &Path, differences: &mut Vec<String>) {
    let fields = compared();
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let (mut lines, mut child) = tshark(file, &names);
    let mut tree = Tree::default();
    let mut compared_values = 0_u64;
    let frames = each_frame(file, |frame, packet, tcp, context| {
        tree.clear();
        let sources = add_sources(&mut tree, frame, packet);
        push_frame(&mut tree, frame, packet, sources.frame, context);
        push_layers(&mut tree, frame, packet, sources, tcp);
        let line = lines.next().unwrap_or_default();
        for (field, theirs) in fields.iter().zip(line.split('\t')) {
            let mut ours = String::new();
            for node in tree.nodes.iter().filter(|node| node.field == *field) {
                if !ours.is_empty() {
                    ours.push('|');
                }
                tree.value_text(node, &mut ours);
            }
            compared_values += u64::from(!theirs.is_empty());
            let same = match field.name {
                // The protocols above TCP are appended later.
                "frame.protocols" => theirs.starts_with(&ours),
                // Later versions than 4.0 print it as ISO 8601; frame.time_epoch has the same value.
                "frame.time" => ours == theirs || theirs.ends_with("+0000"),
                _ => ours == theirs,
            };
            if !same && differences.len() < MOST_DIFFERENCES {
                differences.push(format!(
                    "{} frame {}: {}: {ours:?}, tshark says {theirs:?}",
                    file.display(),
                    frame.number,
                    field.name
                ));
            }
        }
    });
    let left = lines.count();
    child.wait().unwrap();
    assert_eq!(left, 0, "{}: tshark sees {left} frames more", file.display());
    println!(
        "{}: {frames} frames, {} fields, {compared_values} values",
        file.display(),
        fields.len()
    );
}

pub fn compare_summaries(file: &Path, differences: &mut Vec<String>) {
    let (mut lines, mut child) = tshark(file, &["_ws.col.Protocol", "_ws.col.Info"]);
    let mut summary = String::new();
    let mut compared = 0_u64;
    each_frame(file, |frame, packet, tcp, _| {
        summary.clear();
        write_summary(frame, packet, tcp, &mut summary);
        let line = lines.next().unwrap_or_default();
        let (protocol, mut theirs) = line.split_once('\t').unwrap_or_default();
        if packet.tcp.is_none() || protocol != "TCP" {
            return;
        }
        // What tshark found out about the connection is in front, in brackets.
        while let Some(rest) = theirs.strip_prefix("[TCP").and_then(|rest| rest.split_once("] ")) {
            theirs = rest.1;
        }
        let theirs = theirs.trim_end_matches(" [Packet size limited during capture]");
        compared += 1;
        if summary != theirs && differences.len() < MOST_DIFFERENCES {
            differences.push(format!(
                "{} frame {}: {summary:?}, tshark says {theirs:?}",
                file.display(),
                frame.number
            ));
        }
    });
    lines.by_ref().for_each(drop);
    child.wait().unwrap();
    println!("{}: {compared} summaries", file.display());
}
