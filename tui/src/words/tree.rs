//! A node of a tree as a line.

use std::fmt::Write as _;
use warpscope_dissector::field::Kind;
use warpscope_dissector::tree::{Node, Tree, Value};

/// Octets of a value that a line shows; of a longer one it says the number.
const OCTETS_SHOWN: u32 = 36;

/// Label, value and note of a node, as `warpscope dissect -V` prints them.
pub fn node_text(tree: &Tree, node: &Node) -> String {
    let mut out = String::new();
    push_picture(tree, node, &mut out);
    out.push_str(node.field.label);
    if node.value != Value::None {
        out.push_str(": ");
        push_value(tree, node, &mut out);
    }
    if let Some(note) = &node.note {
        let layer = node.field.kind == Kind::Protocol;
        if layer && node.field.name != "frame" {
            out.push_str(", ");
        } else if !note.starts_with([',', ':', ';']) {
            out.push(' ');
        }
        out.push_str(note);
    }
    if node.generated { format!("[{out}]") } else { out }
}

fn push_value(tree: &Tree, node: &Node, out: &mut String) {
    match (&node.value, node.field.kind) {
        (Value::Unsigned(number), Kind::Boolean) => {
            let word = if *number != 0 { "True" } else { "False" };
            out.push_str(node.field.value_name(*number).unwrap_or(word));
        }
        (Value::Unsigned(number), _) => match node.field.value_name(*number) {
            Some(name) => {
                out.push_str(name);
                out.push_str(" (");
                tree.value_text(node, out);
                out.push(')');
            }
            None => tree.value_text(node, out),
        },
        (Value::Octets { start, length }, _) if *length > OCTETS_SHOWN => {
            let value = Value::Octets { start: *start, length: OCTETS_SHOWN };
            for octet in tree.value_octets(&value) {
                let _ = write!(out, "{octet:02x}");
            }
            let _ = write!(out, "… ({length} octets)");
        }
        (Value::Time(_), Kind::RelativeTime) => {
            tree.value_text(node, out);
            out.push_str(" seconds");
        }
        _ => tree.value_text(node, out),
    }
}

/// Appends the bits of a bit field in their octets, dots for the others: `0... .... = `.
fn push_picture(tree: &Tree, node: &Node, out: &mut String) {
    let location = &node.location;
    let octets = tree.node_octets(node);
    if location.bits == 0 || octets.is_empty() || octets.len() != location.length as usize {
        return;
    }
    let first = usize::from(location.first_bit);
    let field = first..first + usize::from(location.bits);
    for bit in 0..octets.len() * 8 {
        if bit > 0 && bit % 4 == 0 {
            out.push(' ');
        }
        let set = octets.get(bit / 8).is_some_and(|octet| octet >> (7 - bit % 8) & 1 != 0);
        out.push(match (field.contains(&bit), set) {
            (false, _) => '.',
            (true, false) => '0',
            (true, true) => '1',
        });
    }
    out.push_str(" = ");
}
