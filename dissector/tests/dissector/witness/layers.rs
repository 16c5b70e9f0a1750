//! The layers up to TCP: every field of every frame, and what the list of frames says of TCP.

use super::sides::{PROTOCOLS, Tshark, ours};
use crate::prelude::*;

/// The most differences that are kept for the message.
const MOST_DIFFERENCES: usize = 60;
/// Only what lies below: heuristics above TCP would take the payload.
const OPTIONS: [&str; 6] = [
    "-o",
    "tcp.try_heuristic_first:FALSE",
    "--disable-protocol",
    "iwarp_mpa",
    "--disable-protocol",
    "http",
];
/// The protocols whose fields are compared.
const LAYERS: &str = "frame eth llc vlan ieee8021ad sll null ip ipv6 ah arp udp icmp icmpv6 tcp";

/// The fields that are compared: all that both have, but for the payload's, which protocols above claim.
fn compared() -> Vec<&'static Field> {
    field::all()
        .filter(|field| !matches!(field.kind, Kind::Protocol | Kind::Heading))
        .filter(|field| field.origin == Origin::Wireshark && field.name != "tcp.options.unknown")
        .filter(|field| LAYERS.split(' ').any(|layer| layer == field.protocol()))
        .collect()
}

pub fn compare_fields(file: &Path, differences: &mut Vec<String>) {
    let tshark = Tshark { version: (4, 0), fields: compared(), protocols: None };
    let (theirs, ours) = (tshark.read(file, &OPTIONS), ours(file, &tshark));
    let name = file.display();
    assert_eq!(ours.len(), theirs.len(), "{name}: tshark sees other frames");
    for (number, (ours, theirs)) in (1..).zip(ours.iter().zip(&theirs)) {
        for field in &tshark.fields {
            let (our, their) = (ours.of(field.name), theirs.of(field.name));
            let same = match field.name {
                // tshark has the protocols above TCP too.
                PROTOCOLS => their.starts_with(our),
                // Later versions than 4.0 print it as ISO 8601; frame.time_epoch has the same value.
                "frame.time" => our == their || their.ends_with("+0000"),
                // It is reported here when both SYNs were captured.
                "tcp.window_size_scalefactor" => our == their || (our, their) == ("-1", "-2"),
                _ => our == their,
            };
            if !same && differences.len() < MOST_DIFFERENCES {
                let what = format!("{name} frame {number}: {}", field.name);
                differences.push(format!("{what}: {our:?}, tshark says {their:?}"));
            }
        }
    }
    println!("{name}: {} frames, {} fields", ours.len(), tshark.fields.len());
}

pub fn compare_summaries(file: &Path, differences: &mut Vec<String>) {
    let theirs = lines(file, &OPTIONS, &["_ws.col.Protocol", "_ws.col.Info"]);
    let mut theirs = theirs.iter();
    let mut compared = 0_u64;
    each_frame(file, &mut FrameView::new(false, true), |view| {
        let line = theirs.next().expect("tshark sees other frames");
        let (protocol, mut theirs) = line.split_once('\t').unwrap_or_default();
        if view.line.protocol != "TCP" || protocol != "TCP" {
            return;
        }
        // What tshark found out about the connection is in front, in brackets.
        while let Some(rest) = theirs.strip_prefix("[TCP").and_then(|rest| rest.split_once("] ")) {
            theirs = rest.1;
        }
        let theirs = theirs.trim_end_matches(" [Packet size limited during capture]");
        let mut ours = &*view.line.info;
        while let Some(rest) = ours.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            ours = rest.1;
        }
        compared += 1;
        if ours != theirs && differences.len() < MOST_DIFFERENCES {
            let what = format!("{} frame {}", file.display(), view.number);
            differences.push(format!("{what}: {ours:?}, tshark says {theirs:?}"));
        }
    });
    println!("{}: {compared} summaries", file.display());
    assert_eq!(theirs.len(), 0, "tshark sees more frames");
}
