//! Trees and summaries.

use crate::prelude::*;
use warpscope_dissector::flow::WindowScale;
use warpscope_dissector::tree::{
    FrameContext, add_sources, protocol_name, push_frame, push_layers, write_summary,
};

const CONTEXT: TcpContext = TcpContext {
    stream: 3,
    side: warpscope_dissector::mpa::Side(0),
    relative_sequence: 1,
    relative_acknowledgment: 2,
    window_scale: WindowScale::Shift(7),
    time_relative: Some(1_500_000_000),
    time_delta: Some(-1),
    analysis: None,
};

pub fn tree(frame: &Frame<'_>, context: Option<&TcpContext>) -> Tree {
    let mut tree = Tree::default();
    let mut decoder = PacketDecoder::default();
    let packet = decoder.decode(frame);
    let sources = add_sources(&mut tree, frame, &packet);
    push_frame(&mut tree, frame, &packet, sources.frame, &FrameContext::default());
    push_layers(&mut tree, frame, &packet, sources, context);
    let mut summary = String::new();
    write_summary(frame, &packet, context, &mut summary);
    assert!(!summary.is_empty());
    tree
}

/// The values of a field, as `-e` prints them.
fn values(tree: &Tree, name: &str) -> Vec<String> {
    let field = field::find(name).unwrap();
    let nodes = tree.nodes.iter().filter(|node| node.field == field);
    nodes
        .map(|node| {
            let mut text = String::new();
            tree.value_text(node, &mut text);
            text
        })
        .collect()
}

#[test]
fn the_values_of_a_segment() {
    let options = [2, 4, 5, 0xb4, 3, 3, 7, 5, 10, 0, 0, 0, 20, 0, 0, 0, 30, 1, 1, 0];
    let bytes = ethernet(0x0800, &ipv4(6, &tcp(0x018, &options, b"abc")));
    let tree = tree(&frame(1, ETHERNET, &bytes), Some(&CONTEXT));
    for (name, expected) in [
        ("frame.protocols", "eth:ethertype:ip:tcp"),
        ("frame.len", "77"),
        ("eth.addr", "02:00:00:00:00:01|02:00:00:00:00:02"),
        ("ip.addr", "10.0.0.1|10.0.0.2"),
        ("ip.flags", "0x02"),
        ("ip.flags.df", "1"),
        ("tcp.port", "1000|2000"),
        ("tcp.stream", "3"),
        ("tcp.seq", "1"),
        ("tcp.seq_raw", "5"),
        ("tcp.nxtseq", "4"),
        ("tcp.ack", "2"),
        ("tcp.ack_raw", "9"),
        ("tcp.hdr_len", "40"),
        ("tcp.flags", "0x0018"),
        ("tcp.flags.str", "·······AP···"),
        ("tcp.window_size_value", "100"),
        ("tcp.window_size", "12800"),
        ("tcp.window_size_scalefactor", "128"),
        ("tcp.options.mss_val", "1460"),
        ("tcp.options.wscale.multiplier", "128"),
        // The acknowledgment number 9 is 2 in relative numbers: edges are 7 less.
        ("tcp.options.sack_le", "13"),
        ("tcp.options.sack_re", "23"),
        ("tcp.option_kind", "2|3|5|1|1|0"),
        ("tcp.time_relative", "1.500000000"),
        ("tcp.time_delta", "-0.000000001"),
        ("tcp.payload", "616263"),
    ] {
        assert_eq!(values(&tree, name).join("|"), expected, "{name}");
    }
}

#[test]
fn nodes_stand_where_their_bytes_are() {
    for (link_type, bytes) in frames::zoo() {
        let tree = tree(&frame(1, link_type, &bytes), Some(&CONTEXT));
        for node in tree.nodes.iter().filter(|node| !node.generated) {
            let place = node.location;
            let covered = tree.node_bytes(node);
            assert_eq!(covered.len(), place.length as usize, "{}", node.field.name);
            let number =
                covered.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
            let warpscope_dissector::tree::Value::Unsigned(value) = node.value else { continue };
            let behind = place.length * 8 - u32::from(place.first_bit) - u32::from(place.bits);
            let expected = match (place.length, place.bits) {
                (0, _) => continue,
                (_, 0) => number,
                (_, bits) => number >> behind & ((1 << bits) - 1),
            };
            // Lengths in other units, relative numbers and flags of several bits are derived.
            let derived = "ip.hdr_len ip.len tcp.hdr_len tcp.seq tcp.ack tcp.flags.res \
                           tcp.options.sack_le tcp.options.sack_re null.family";
            if !derived.split(' ').any(|name| name == node.field.name) {
                assert_eq!(value, expected, "{} at {place:?}", node.field.name);
            }
        }
    }
}

#[test]
fn every_layer_has_its_protocol_and_depths_grow_by_one() {
    for (link_type, bytes) in frames::zoo() {
        let tree = tree(&frame(1, link_type, &bytes), None);
        let mut depth = 0;
        for node in &tree.nodes {
            assert!(node.depth <= depth + 1, "{}", node.field.name);
            depth = node.depth;
        }
    }
}

#[test]
fn field_names_are_unique_and_well_formed() {
    let mut names: Vec<&str> = field::all().map(|field| field.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    // With other names for its values a field is still the one of the list: what is asked for by name
    // is found in both.
    for one in [&field::nfs::attributes4::TIME_SET, &field::nfs::session4::NAMED_OPERATION] {
        assert_eq!(Some(one), field::find(one.name));
    }
    assert!(field::all().all(|field| !field.doc.is_empty() && !field.label.is_empty()));
}

#[test]
fn summaries_of_other_protocols() {
    let summaries: Vec<(String, String)> = frames::zoo()
        .iter()
        .map(|(link_type, bytes)| {
            let frame = frame(1, *link_type, bytes);
            let mut decoder = PacketDecoder::default();
            let packet = decoder.decode(&frame);
            let mut text = String::new();
            write_summary(&frame, &packet, None, &mut text);
            (protocol_name(&packet).to_owned(), text)
        })
        .collect();
    let options = "MSS=1460 WS=128 TSval=1 TSecr=2 SLE=20 SRE=30 SACK_PERM";
    for (protocol, text) in [
        ("TCP", "1000 → 2000 [SYN] Seq=5 Win=100 Len=0"),
        ("TCP", "1000 → 2000 [<None>] Seq=5 Win=100 Len=0"),
        ("TCP", &format!("1000 → 2000 [ACK] Seq=5 Ack=9 Win=100 Len=3 {options}")),
        ("ARP", "Who has 10.0.0.2? Tell 10.0.0.1"),
        ("ARP", "10.0.0.1 is at 02:00:00:00:00:02"),
        ("UDP", "5 → 6 Len=4"),
        ("ICMP", "Echo (ping) request  id=0x0001, seq=2"),
        ("ICMPv6", "Echo (ping) request id=0x0001, seq=2"),
        ("ICMPv6", "Neighbor Solicitation for fe80::1"),
        ("IPv4", "unknown (200)"),
    ] {
        let wanted = (protocol.to_owned(), text.to_owned());
        assert!(summaries.contains(&wanted), "{wanted:?} is not among {summaries:#?}");
    }
}
