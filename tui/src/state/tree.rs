//! The tree of a frame, and its bytes.

use super::Cursor;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use warpscope_dissector::tree::{Node, SourceId, Tree};

/// Bytes in a row of the byte pane.
pub const ROW: usize = 16;

/// Layers that are folded at first: those below what the tool is about.
const FOLDED: [&str; 7] = ["frame", "eth", "sll", "ip", "ipv6", "tcp", "null"];

/// The tree pane and the byte pane.
#[derive(Debug, Clone)]
pub struct TreePane {
    /// The frame of the tree, and the tree, or why there is none.
    pub found: Option<(u32, Result<Arc<Tree>, String>)>,
    /// The frame whose tree was asked for.
    pub asked: Option<u32>,
    /// The chosen line, and what is seen.
    pub cursor: Cursor,
    /// Nodes that are seen: indices into the tree.
    pub visible: Vec<usize>,
    /// Names of fields whose children are not shown.
    pub folded: HashSet<&'static str>,
    /// The source whose bytes are shown.
    pub source: SourceId,
    /// The chosen byte.
    pub byte: usize,
    /// The first row of bytes that is seen.
    pub bytes_top: usize,
}

impl Default for TreePane {
    fn default() -> Self {
        Self {
            found: None,
            asked: None,
            cursor: Cursor::default(),
            visible: Vec::new(),
            folded: FOLDED.into_iter().collect(),
            source: SourceId::FRAME,
            byte: 0,
            bytes_top: 0,
        }
    }
}

impl TreePane {
    /// The tree, when there is one.
    pub fn tree(&self) -> Option<&Arc<Tree>> {
        self.found.as_ref().and_then(|(_, tree)| tree.as_ref().ok())
    }

    /// The chosen node.
    pub fn node(&self) -> Option<&Node> {
        self.tree()?.nodes.get(*self.visible.get(self.cursor.selected)?)
    }

    /// The bytes of the source that is shown.
    pub fn bytes(&self) -> &[u8] {
        self.tree().map_or(&[], |tree| tree.source_bytes(self.source))
    }

    /// The bytes of the chosen node, as far as they stand in the source that is shown: in several runs when
    /// there are markers in between.
    pub fn lit(&self) -> Vec<Range<usize>> {
        let (Some(tree), Some(node)) = (self.tree(), self.node()) else { return Vec::new() };
        let places = tree.places_in(self.source, &node.location);
        places.into_iter().map(|range| range.start as usize..range.end as usize).collect()
    }

    /// Takes a tree; what was chosen stays chosen where the tree has it again.
    pub fn take(&mut self, frame: u32, tree: Result<Arc<Tree>, String>, page: usize) {
        let chosen = self.node().map(|node| node.field.name);
        self.found = Some((frame, tree));
        self.source = SourceId::FRAME;
        (self.byte, self.bytes_top) = (0, 0);
        self.unfold(page);
        let again = chosen.and_then(|name| self.line_of(|node| node.field.name == name));
        let row = again.or_else(|| self.first_of_interest()).unwrap_or(0);
        // What is folded above is not worth the room.
        self.cursor.top = row;
        self.cursor.choose(row, self.visible.len(), page);
        self.follow_node();
    }

    /// The first layer that is not folded.
    fn first_of_interest(&self) -> Option<usize> {
        self.line_of(|node| node.depth == 0 && !self.folded.contains(node.field.name))
    }

    fn line_of(&self, wanted: impl Fn(&Node) -> bool) -> Option<usize> {
        let tree = self.tree()?;
        self.visible.iter().position(|index| tree.nodes.get(*index).is_some_and(&wanted))
    }

    /// Finds out again which nodes are seen; the chosen one stays chosen, or its parent.
    pub fn unfold(&mut self, page: usize) {
        let chosen = self.visible.get(self.cursor.selected).copied();
        self.visible.clear();
        let Some((_, Ok(tree))) = &self.found else { return };
        let mut hidden_below = None;
        for (index, node) in tree.nodes.iter().enumerate() {
            if hidden_below.is_some_and(|depth| node.depth > depth) || node.field.is_alias() {
                continue;
            }
            hidden_below = self.folded.contains(node.field.name).then_some(node.depth);
            self.visible.push(index);
        }
        let row = chosen.map_or(0, |chosen| {
            self.visible.partition_point(|index| *index <= chosen).saturating_sub(1)
        });
        self.cursor.choose(row, self.visible.len(), page);
    }

    /// Whether a node has children.
    pub fn has_children(&self, index: usize) -> bool {
        let Some(tree) = self.tree() else { return false };
        match (tree.nodes.get(index), tree.nodes.get(index + 1)) {
            (Some(node), Some(next)) => next.depth > node.depth,
            _ => false,
        }
    }

    /// Folds the chosen node, or goes to its parent.
    pub fn fold(&mut self, page: usize) {
        let Some(index) = self.visible.get(self.cursor.selected).copied() else { return };
        let Some(node) = self.node() else { return };
        let (name, depth) = (node.field.name, node.depth);
        if self.has_children(index) && self.folded.insert(name) {
            self.unfold(page);
        } else if let Some(tree) = self.tree() {
            let parent = tree.nodes.iter().take(index).rposition(|node| node.depth < depth);
            let row = parent.and_then(|parent| self.visible.iter().position(|it| *it == parent));
            self.cursor.choose(row.unwrap_or(self.cursor.selected), self.visible.len(), page);
        }
        self.follow_node();
    }

    /// Unfolds the chosen node, or goes to its first child.
    pub fn open(&mut self, page: usize) {
        let Some(index) = self.visible.get(self.cursor.selected).copied() else { return };
        let Some(name) = self.node().map(|node| node.field.name) else { return };
        if !self.has_children(index) {
            return;
        }
        if self.folded.remove(name) {
            self.unfold(page);
        } else {
            self.cursor.choose(self.cursor.selected + 1, self.visible.len(), page);
        }
        self.follow_node();
    }

    /// Folds the chosen node, or unfolds it.
    pub fn toggle(&mut self, page: usize) {
        let index = self.visible.get(self.cursor.selected).copied();
        let Some(name) = self.node().map(|node| node.field.name) else { return };
        if index.is_some_and(|index| self.has_children(index)) {
            if !self.folded.remove(name) {
                self.folded.insert(name);
            }
            self.unfold(page);
        }
    }

    /// Folds all layers, or unfolds all nodes.
    pub fn fold_all(&mut self, page: usize) {
        let Some((_, Ok(tree))) = &self.found else { return };
        if self.folded.is_empty() {
            let layers = tree.nodes.iter().filter(|node| node.depth == 0);
            self.folded = layers.map(|node| node.field.name).collect();
        } else {
            self.folded.clear();
        }
        self.unfold(page);
    }

    /// Shows the bytes of the chosen node: in the source that is shown when they all stand there.
    pub fn follow_node(&mut self) {
        let Some(location) = self.node().map(|node| node.location) else { return };
        if location.length == 0 {
            return;
        }
        let lit = self.lit();
        let all: usize = lit.iter().map(ExactSizeIterator::len).sum();
        match lit.first() {
            Some(first) if all == location.length as usize => self.byte = first.start,
            _ => {
                self.source = location.source;
                self.byte = location.offset as usize;
            }
        }
    }

    /// Brings the chosen byte into sight.
    pub fn show_byte(&mut self, rows: usize) {
        let row = self.byte / ROW;
        if row < self.bytes_top {
            self.bytes_top = row;
        } else if row >= self.bytes_top + rows.max(1) {
            self.bytes_top = row.saturating_sub(rows.max(1) - 1);
        }
    }

    /// Chooses a byte, and the innermost field that it is in.
    pub fn choose_byte(&mut self, byte: usize, page: usize) {
        self.byte = byte.min(self.bytes().len().saturating_sub(1));
        let at = self.byte as u32;
        let Some((_, Ok(tree))) = &self.found else { return };
        let holds = |node: &Node| {
            let places = tree.places_in(self.source, &node.location);
            places.iter().any(|place| place.contains(&at)) && !node.field.is_alias()
        };
        let nodes = tree.nodes.iter().enumerate().filter(|(_, node)| holds(node));
        let narrow = |node: &Node| {
            let location = &node.location;
            (std::cmp::Reverse(location.length), node.depth)
        };
        let Some((index, _)) = nodes.max_by_key(|(_, node)| narrow(node)) else { return };
        // Whatever it is folded in is unfolded.
        let mut depth = tree.nodes.get(index).map_or(0, |node| node.depth);
        for node in tree.nodes.iter().take(index).rev() {
            if node.depth < depth {
                depth = node.depth;
                self.folded.remove(node.field.name);
            }
        }
        self.unfold(page);
        if let Some(row) = self.visible.iter().position(|it| *it == index) {
            self.cursor.jump(row, self.visible.len(), page);
        }
    }

    /// Shows the next source.
    pub fn next_source(&mut self) {
        let count = self.tree().map_or(0, |tree| tree.sources.len());
        if count > 0 {
            self.source = SourceId((usize::from(self.source.0) + 1).rem_euclid(count) as u16);
            self.byte = self.lit().first().map_or(0, |first| first.start);
            self.bytes_top = 0;
        }
    }
}
