//! Every value stands where it is said to stand: in the walk, and in the tree.

use super::vectors::exchanges;
use crate::prelude::*;

/// The number that bytes are, or that some of their bits are.
fn number(bytes: &[u8], first_bit: u8, bits: u8) -> u64 {
    let whole = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    match bits {
        0 => whole,
        _ => {
            let behind = bytes.len() as u32 * 8 - u32::from(first_bit) - u32::from(bits);
            whole >> behind & ((1 << bits) - 1)
        }
    }
}

/// Numbers that are calculated from the bytes of their place, or are a part of them.
fn is_derived(field: &Field) -> bool {
    field.name.ends_with("hash")
        || ["nfs.open4.share_access", "nfs.want", "nfs.want_notification", "nfs.attr"]
            .contains(&field.name)
}

/// Looks at each value's place as it comes.
struct Checker<'a> {
    body: Body<'a>,
    checked: u32,
}

impl Visit for Checker<'_> {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, place: Option<Place>) {
        let Some(place) = place else { return };
        let bytes = self.body.bytes_at(&place);
        assert_eq!(bytes.len(), place.length as usize, "{}", field.name);
        match datum {
            Datum::Number(value) if !is_derived(field) => {
                let there = number(bytes, place.first_bit, place.bits);
                assert_eq!(value, there, "{}", field.name);
            }
            Datum::Bytes(value) | Datum::Text(value) => {
                assert_eq!(value, bytes, "{}", field.name)
            }
            _ => return,
        }
        self.checked += 1;
    }
}

#[test]
fn values_are_those_of_their_places() {
    let mut checked = 0;
    for message in exchanges().iter().flat_map(|exchange| exchange.messages(1)) {
        let body = Body::new(message.body());
        let mut checker = Checker { body, checked: 0 };
        walk(&message.procedure, message.direction, &body, &mut checker).unwrap();
        checked += checker.checked;
    }
    assert!(checked > 4_000, "only {checked} values were looked at");
}

fn is_nfs(node: &Node) -> bool {
    ["nfs", "mount", "nfsacl"].contains(&node.field.protocol())
}

fn check(tree: &Tree, node: &Node) {
    let bytes = tree.node_bytes(node);
    let (name, location) = (node.field.name, &node.location);
    assert_eq!(bytes.len(), location.length as usize, "{name}");
    match &node.value {
        Value::Unsigned(value) if !is_derived(node.field) => {
            assert_eq!(*value, number(bytes, location.first_bit, location.bits), "{name}");
        }
        value @ Value::Bytes { .. } => assert_eq!(tree.value_bytes(value), bytes, "{name}"),
        Value::Text(text) => assert_eq!(text.as_bytes(), bytes, "{name}"),
        _ => {}
    }
}

/// The calls of the captures, frame by frame: every node's value is at its location, and the headings
/// hold what is beneath them.
#[test]
fn nodes_are_where_their_bytes_are() {
    let mut checked = 0;
    for file in super::captures() {
        each_frame(&file, &mut FrameView::new(true, false), |view| {
            let tree = &view.tree;
            for (index, node) in tree.nodes.iter().enumerate().filter(|(_, node)| is_nfs(node)) {
                let name = node.field.name;
                let wrong = ["nfs.malformed", "nfs.left_over"].contains(&name);
                assert!(!wrong, "{name}: {} {}", file.display(), view.number);
                if node.generated {
                    continue;
                }
                check(tree, node);
                checked += 1;
                let end = |node: &Node| node.location.offset + node.location.length;
                let beneath = tree.nodes[index + 1..].iter();
                let beneath = beneath.take_while(|below| below.depth > node.depth);
                for below in beneath.filter(|below| !below.generated && node.value == Value::None) {
                    let same = below.location.source == node.location.source;
                    let within =
                        below.location.offset >= node.location.offset && end(below) <= end(node);
                    assert!(!same || within, "{name}: {} is outside", below.field.name);
                }
            }
        });
    }
    assert!(checked > 1_000, "only {checked} nodes were looked at");
}

/// Frames of which the capture has not the last bytes: that is not the sender's fault.
#[test]
fn calls_that_the_capture_cuts_are_not_malformed() {
    let (mut cut, mut view) = (0, FrameView::new(true, false));
    for file in super::captures() {
        let mut pipeline = Pipeline::default();
        for mut frame in all_frames(&file) {
            // The handshakes stay whole; of the rest, every third frame.
            if frame.number > 30 && frame.number.is_multiple_of(3) {
                let length = frame.bytes.len().saturating_sub(24).max(100).min(frame.bytes.len());
                frame.bytes = &frame.bytes[..length];
            }
            pipeline.frame(&frame, &mut view);
            let has = |name| view.tree.nodes.iter().any(|node| node.field.name == name);
            assert!(!has("nfs.malformed"), "{} {}", file.display(), frame.number);
            cut += u32::from(has("nfs.note"));
        }
    }
    assert!(cut > 0, "no call was cut");
}
