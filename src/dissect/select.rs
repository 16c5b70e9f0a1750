//! `-O`, `-j` and `-J`: which layers and fields are opened.

use warpscope_dissector::tree::{Node, Tree};

/// The names of what is opened; everything where there are none.
#[derive(Debug, Clone, Default)]
pub(super) struct Layers {
    names: Option<Vec<String>>,
    /// Whether all below a layer is opened with it.
    deep: bool,
}

impl Layers {
    /// Of names that are parted by commas or blanks.
    pub(super) fn new(names: Option<&str>, deep: bool) -> Self {
        let names = names.map(|names| {
            names.split([',', ' ']).filter(|it| !it.is_empty()).map(str::to_lowercase).collect()
        });
        Self { names, deep }
    }

    /// Whether what is below a node is shown.
    pub(super) fn opens(&self, node: &Node) -> bool {
        let Some(names) = &self.names else { return true };
        (self.deep && node.depth > 0) || names.iter().any(|name| name == node.field.name)
    }

    /// The nodes that are shown, each with the index after all that is below it.
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
