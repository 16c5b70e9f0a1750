//! A node of a tree as a line.

use super::shown::{escape_from, push_shown};
use crate::field::{Display, Kind};
use crate::tree::{Node, Tree, Value};
use std::fmt::Write as _;

/// Bytes of a value that a line shows; of a longer one it says the number.
const BYTES_SHOWN: u32 = 36;

/// Appends the bits of a bit field, label, value and note; in brackets what stands in no byte of the frame.
pub fn push_node(tree: &Tree, node: &Node, out: &mut String) {
    if node.generated {
        out.push('[');
    }
    push_picture(tree, node, out);
    push_label(tree, node, out);
    if node.generated {
        out.push(']');
    }
}

/// Appends label, value and note.
fn push_label(tree: &Tree, node: &Node, out: &mut String) {
    out.push_str(node.field.label);
    match (node.field.kind, &node.value) {
        (Kind::Protocol | Kind::Heading, Value::None) | (_, Value::None) => {}
        _ => {
            out.push_str(": ");
            push_value(tree, node, out);
        }
    }
    let Some(note) = &node.note else { return };
    let layer = node.field.kind == Kind::Protocol;
    // The frame's own note begins with its number.
    if layer && node.field.name != "frame" {
        out.push_str(", ");
    } else if !note.starts_with([',', ':', ';']) {
        out.push(' ');
    }
    push_shown(note, out);
}

fn push_value(tree: &Tree, node: &Node, out: &mut String) {
    let start = out.len();
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
        (Value::Bytes { start, length }, _) if *length > BYTES_SHOWN => {
            let value = Value::Bytes { start: *start, length: BYTES_SHOWN };
            let separator = if node.field.display == Display::Colons { ":" } else { "" };
            for (index, byte) in tree.value_bytes(&value).iter().enumerate() {
                let _ = write!(out, "{}{byte:02x}", if index > 0 { separator } else { "" });
            }
            let _ = write!(out, "… ({length} bytes)");
        }
        (Value::Time(_), Kind::RelativeTime) => {
            tree.value_text(node, out);
            out.push_str(" seconds");
        }
        (Value::Text(_), _) => {
            tree.value_text(node, out);
            escape_from(out, start);
        }
        _ => tree.value_text(node, out),
    }
}

/// Appends the bits of a bit field in their bytes, dots for the others: `0... .... = `.
fn push_picture(tree: &Tree, node: &Node, out: &mut String) {
    let location = &node.location;
    let bytes = tree.node_bytes(node);
    let whole = bytes.len() == location.length as usize;
    if location.bits == 0 || bytes.is_empty() || !whole {
        return;
    }
    let first = usize::from(location.first_bit);
    let field = first..first + usize::from(location.bits);
    for bit in 0..bytes.len() * 8 {
        if bit > 0 && bit % 4 == 0 {
            out.push(' ');
        }
        let set = bytes.get(bit / 8).is_some_and(|byte| byte >> (7 - bit % 8) & 1 != 0);
        out.push(match (field.contains(&bit), set) {
            (false, _) => '.',
            (true, false) => '0',
            (true, true) => '1',
        });
    }
    out.push_str(" = ");
}
