//! `-V`: a frame's tree, an indented line a node.

use owo_colors::OwoColorize as _;
use std::fmt::Write as _;
use warpscope_dissector::format::push_node;
use warpscope_dissector::tree::Tree;

/// Appends the lines of a tree.
pub(super) fn push_tree(tree: &Tree, coloured: bool, out: &mut String) {
    for node in tree.nodes.iter().filter(|node| !node.field.is_alias()) {
        for _ in 0..node.depth {
            out.push_str("    ");
        }
        let start = out.len();
        push_node(tree, node, out);
        if coloured && node.depth == 0 {
            let layer = out.split_off(start);
            let _ = write!(out, "{}", layer.bold());
        }
        out.push('\n');
    }
}
