//! `-x`: bytes as hexadecimal digits and characters, as tshark lays them out.

use std::fmt::Write as _;
use warpscope_dissector::tree::{SourceId, Tree};

const DIGITS: &[u8; 16] = b"0123456789abcdef";
/// Bytes in a row.
const ROW: usize = 16;

/// Appends the bytes of every source; with a heading each when there are several.
pub(super) fn push_sources(tree: &Tree, out: &mut String) {
    let several = tree.sources.len() > 1;
    for (index, source) in tree.sources.iter().enumerate() {
        let bytes = tree.source_bytes(SourceId(index as u16));
        if several {
            let unit = if bytes.len() == 1 { "byte" } else { "bytes" };
            let _ = writeln!(out, "{} ({} {unit}):", source.name, bytes.len());
        }
        push_bytes(bytes, out);
    }
}

fn push_bytes(bytes: &[u8], out: &mut String) {
    // The offset has four digits, or as many as the last one needs.
    let digits = format!("{:x}", bytes.len().saturating_sub(1)).len().max(4);
    for (row, bytes) in bytes.chunks(ROW).enumerate() {
        let _ = write!(out, "{:0digits$x} ", row * ROW);
        for byte in bytes {
            out.push(' ');
            for digit in [byte >> 4, byte & 0xf] {
                out.push(DIGITS.get(usize::from(digit)).copied().map_or('?', char::from));
            }
        }
        for _ in bytes.len()..ROW {
            out.push_str("   ");
        }
        out.push_str("   ");
        out.extend(bytes.iter().map(|byte| match byte {
            0x20..=0x7e => char::from(*byte),
            _ => '.',
        }));
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_headings_when_there_are_several() {
        let mut tree = Tree::default();
        tree.add_source("Frame", b"0123456789abcdef\x00\x7f~");
        let mut out = String::new();
        push_sources(&tree, &mut out);
        let alone = "0000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66   0123456789abcdef\n\
                     0010  00 7f 7e                                          ..~\n";
        assert_eq!(out, alone);
        tree.add_source("Reassembled Send", b"x");
        out.clear();
        push_sources(&tree, &mut out);
        assert!(out.starts_with("Frame (19 bytes):\n0000  30"), "{out}");
        assert!(out.contains("~\nReassembled Send (1 byte):\n0000  78      "), "{out}");
    }

    #[test]
    fn offsets_grow_with_the_source() {
        let mut out = String::new();
        push_bytes(&vec![0; 0x1_0001], &mut out);
        assert!(out.starts_with("00000  00"), "{}", &out[..20]);
        assert!(out.lines().last().unwrap().starts_with("10000  00 "));
    }
}
