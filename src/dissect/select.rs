//! `-O`, `-j` and `-J`: which layers and fields are expanded.

use warpscope_dissector::tree::{Node, Tree};

/// The names of the expanded layers and fields; everything if there are none.
#[derive(Debug, Clone, Default)]
pub(super) struct Layers {
    names: Option<Vec<String>>,
    /// Whether everything below a layer is expanded too.
    deep: bool,
}

impl Layers {
    /// Parses names separated by commas or spaces.
    pub(super) fn new(names: Option<&str>, deep: bool) -> Self {
        let names = names.map(|names| {
            names.split([',', ' ']).filter(|it| !it.is_empty()).map(str::to_lowercase).collect()
        });
        Self { names, deep }
    }

    /// Whether the children of a node are shown.
    pub(super) fn opens(&self, node: &Node) -> bool {
        let Some(names) = &self.names else { return true };
        (self.deep && node.depth > 0) || names.iter().any(|name| name == node.field.name)
    }

    /// Returns the shown nodes, each with the index after its subtree.
    pub(super) fn shown<'t>(&self, tree: &'t Tree) -> impl Iterator<Item = (usize, &'t Node)> {
        let mut closed = u8::MAX;
        tree.nodes.iter().enumerate().filter(move |(_, node)| {
            if node.depth > closed {
                return false;
            }
            closed = if self.opens(node) { u8::MAX } else { node.depth };
            true
        })
    }
}
