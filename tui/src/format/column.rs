//! The values of a field in a frame, as a column has them.

use warpscope_dissector::field::{Field, Kind};
use warpscope_dissector::format::push_shown;
use warpscope_dissector::tree::{Node, Tree, Value};

/// Bytes of a value that are shown.
const BYTES: u32 = 16;
/// Bytes of text from which on values are left out.
const LONGEST: usize = 120;

/// The values that a field has in a frame, apart by commas: names of numbers that have them. Of a layer or a heading
/// what the tree says of it. Nothing where the field does not stand.
pub fn field_text(tree: &Tree, field: &'static Field) -> String {
    let mut out = String::new();
    for node in tree.nodes.iter().filter(|node| std::ptr::eq(node.field, field)) {
        if !out.is_empty() {
            out.push(',');
        }
        if out.len() > LONGEST {
            out.push('…');
            break;
        }
        push_value(tree, node, &mut out);
    }
    out
}

fn push_value(tree: &Tree, node: &Node, out: &mut String) {
    match (&node.value, node.field.kind) {
        (Value::Unsigned(number), kind) => match node.field.value_name(*number) {
            Some(name) => out.push_str(name),
            None if kind == Kind::Boolean => {
                out.push_str(if *number != 0 { "True" } else { "False" });
            }
            None => tree.value_text(node, out),
        },
        (Value::Bytes { start, length }, _) => {
            let value = Value::Bytes { start: *start, length: BYTES.min(*length) };
            for byte in tree.value_bytes(&value) {
                out.push_str(&format!("{byte:02x}"));
            }
            if *length > BYTES {
                out.push('…');
            }
        }
        (Value::Text(text), _) => push_shown(text, out),
        (Value::None, _) => push_shown(node.note.as_deref().unwrap_or(node.field.label), out),
        _ => tree.value_text(node, out),
    }
}

/// What stands above a field's column: its name without the protocol's.
pub fn column_head(field: &'static Field) -> &'static str {
    field.name.split_once('.').map_or(field.name, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_dissector::field;
    use warpscope_dissector::tree::SourceId;

    #[test]
    fn values_are_named_cut_and_joined() {
        let mut tree = Tree::default();
        let bytes: Vec<u8> = (0..40).collect();
        assert_eq!(tree.add_source("Frame", &bytes), SourceId::FRAME);
        let field = |name| field::find(name).unwrap();
        let mut push = |name, value| tree.push_generated(1, field(name), value);
        push("iwarp_rdma.opcode", Value::Unsigned(3));
        push("iwarp_rdma.opcode", Value::Unsigned(15));
        push("iwarp_rdma.opcode", Value::Unsigned(0x1f));
        push("iwarp_ddp.last_flag", Value::Unsigned(1));
        push("iwarp_ddp.stag", Value::Unsigned(0xbeef));
        push("tcp.payload", Value::Bytes { start: 0, length: 40 });
        push("iwarp_ddp.malformed", Value::Text("a\u{1b}b".into()));
        push("iwarp_ddp", Value::None);
        for _ in 0..100 {
            push("tcp.seq", Value::Unsigned(4_000_000_000));
        }
        let text = |name| field_text(&tree, field(name));
        assert_eq!(text("iwarp_rdma.opcode"), "Send,Verify Response,0x1f");
        assert_eq!((text("iwarp_ddp.last_flag"), text("iwarp_ddp.stag")).1, "0x0000beef");
        assert_eq!(text("iwarp_ddp.last_flag"), "True");
        assert_eq!(text("tcp.payload"), "000102030405060708090a0b0c0d0e0f…");
        assert_eq!(text("iwarp_ddp.malformed"), "a\\u{1b}b");
        assert_eq!((text("iwarp_ddp"), text("iwarp_mpa")), ("DDP header".into(), String::new()));
        assert!(text("tcp.seq").ends_with(",…") && text("tcp.seq").len() < 2 * LONGEST);
        assert_eq!(column_head(field("iwarp_rdma.atomic.remote_stag")), "atomic.remote_stag");
        assert_eq!(column_head(field("iwarp_mpa")), "iwarp_mpa");
    }
}
