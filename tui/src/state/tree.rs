//! The tree of a frame, and its bytes.

use super::Cursor;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use warpscope_dissector::format::seconds;
use warpscope_dissector::ladder::{Ladder, Row};
use warpscope_dissector::tree::{Node, SourceId, Tree, Value};

/// Bytes in a row of the byte pane.
pub const ROW: usize = 16;

/// Layers that are folded at first: those below the tool's own protocols.
const FOLDED: [&str; 7] = ["frame", "eth", "sll", "ip", "ipv6", "tcp", "null"];

/// The tree pane and the byte pane.
#[derive(Debug, Clone)]
pub struct TreePane {
    /// The frame, and its tree, or why there is none.
    pub found: Option<(u32, Result<Arc<Tree>, String>)>,
    /// The frame whose tree was requested.
    pub asked: Option<u32>,
    /// The selected line and the visible part.
    pub cursor: Cursor,
    /// Visible nodes: indices into the tree.
    pub visible: Vec<usize>,
    /// Names of fields whose children are hidden.
    pub folded: HashSet<&'static str>,
    /// The source whose bytes are shown.
    pub source: SourceId,
    /// The selected byte.
    pub byte: usize,
    /// The first visible row of bytes.
    pub bytes_top: usize,
}

/// The field with the number of an operation.
const NUMBER: &str = "warpscope.op.number";

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
    /// Returns the tree, if there is one.
    pub fn tree(&self) -> Option<&Arc<Tree>> {
        self.found.as_ref().and_then(|(_, tree)| tree.as_ref().ok())
    }

    /// Returns the selected node.
    pub fn node(&self) -> Option<&Node> {
        self.tree()?.nodes.get(*self.visible.get(self.cursor.selected)?)
    }

    /// Returns the bytes of the shown source.
    pub fn bytes(&self) -> &[u8] {
        self.tree().map_or(&[], |tree| tree.source_bytes(self.source))
    }

    /// Returns the bytes of the selected node, as far as they are in the shown source: several ranges if
    /// there are markers in between.
    pub fn lit(&self) -> Vec<Range<usize>> {
        let (Some(tree), Some(node)) = (self.tree(), self.node()) else { return Vec::new() };
        let places = tree.places_in(self.source, &node.location);
        places.into_iter().map(|range| range.start as usize..range.end as usize).collect()
    }

    /// Sets a tree; the selected node stays selected if the new tree has it.
    pub fn take(&mut self, frame: u32, tree: Result<Arc<Tree>, String>, page: usize) {
        let chosen = self.node().map(|node| node.field.name);
        self.found = Some((frame, tree));
        self.source = SourceId::FRAME;
        (self.byte, self.bytes_top) = (0, 0);
        self.unfold(page);
        let again = chosen.and_then(|name| self.line_of(|node| node.field.name == name));
        let row = again.or_else(|| self.first_of_interest()).unwrap_or(0);
        // The folded layers above are not worth the space.
        self.cursor.top = row;
        self.cursor.choose(row, self.visible.len(), page);
        self.follow_node();
    }

    /// Returns the first layer that is not folded.
    fn first_of_interest(&self) -> Option<usize> {
        self.line_of(|node| node.depth == 0 && !self.folded.contains(node.field.name))
    }

    fn line_of(&self, wanted: impl Fn(&Node) -> bool) -> Option<usize> {
        let tree = self.tree()?;
        self.visible.iter().position(|index| tree.nodes.get(*index).is_some_and(&wanted))
    }

    /// Rebuilds the visible nodes; the selected one stays selected, or its parent.
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

    /// Folds the selected node, or goes to its parent.
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

    /// Unfolds the selected node, or goes to its first child.
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

    /// Folds or unfolds the selected node.
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

    /// Shows the bytes of the selected node: in the shown source if they are all there.
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

    /// Scrolls to the selected byte.
    pub fn show_byte(&mut self, rows: usize) {
        let row = self.byte / ROW;
        if row < self.bytes_top {
            self.bytes_top = row;
        } else if row >= self.bytes_top + rows.max(1) {
            self.bytes_top = row.saturating_sub(rows.max(1) - 1);
        }
    }

    /// Selects a byte, and the innermost field that contains it.
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
        self.choose_node(index, page);
    }

    /// Selects a node, and unfolds its parents.
    pub fn choose_node(&mut self, index: usize, page: usize) {
        let Some((_, Ok(tree))) = &self.found else { return };
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

    /// Returns the node that a text about a message names, by label or value, among the layers of a protocol;
    /// if none matches, the layer itself.
    pub fn named(&self, words: &str, protocol: &str, message: Option<u64>) -> Option<usize> {
        let nodes = &self.tree()?.nodes;
        // Each message of a frame begins with its FPDU.
        let numbered = |node: &Node| {
            node.field.name == "iwarp_rdma.message.number"
                && message.is_some_and(|number| node.value == Value::Unsigned(number))
        };
        let begins = |node: &Node| node.field.name == "iwarp_mpa";
        let number = nodes.iter().position(numbered);
        let from = number.and_then(|at| nodes.get(..at)?.iter().rposition(begins)).unwrap_or(0);
        let rest = nodes.get(number.unwrap_or(nodes.len())..)?;
        let to = number.and_then(|at| Some(at + rest.iter().position(begins)?));
        let all = nodes.iter().enumerate().take(to.unwrap_or(nodes.len())).skip(from);
        let own = all.clone().filter(|(_, node)| node.field.protocol() == protocol);
        let words = words.to_lowercase();
        let label = |node: &Node| words.contains(&node.field.label.to_lowercase());
        let value = |node: &Node| {
            let mut text = String::new();
            self.tree().into_iter().for_each(|tree| tree.value_text(node, &mut text));
            let text = text.to_lowercase();
            let mut numbers = words.split(|it: char| !it.is_alphanumeric());
            text.starts_with("0x") && numbers.any(|number| number == text)
        };
        let is_field = |(_, node): &(usize, &Node)| node.location.length > 0 && node.depth > 0;
        let by_label = own.clone().filter(is_field).filter(|(_, node)| label(node));
        let by_label = by_label.max_by_key(|(_, node)| node.field.label.len());
        // A layer may judge a field of the layer below.
        let by_value = || all.clone().filter(is_field).find(|(_, node)| value(node));
        let found = by_label.or_else(by_value);
        found.or_else(|| own.clone().next()).map(|(index, _)| index)
    }

    /// Returns the message that starts or ends an operation, by its number in the connection: RDMAP's layer.
    pub fn message_of(&self, operation: u32) -> Option<usize> {
        let nodes = &self.tree()?.nodes;
        let numbered = |node: &Node| {
            node.field.name == NUMBER && node.value == Value::Unsigned(operation.into())
        };
        let at = nodes.iter().position(numbered)?;
        nodes.get(..at)?.iter().rposition(|node| node.field.name == "iwarp_rdma")
    }

    /// Returns the number of the operation that the selected message of a frame starts or ends.
    pub fn operation(&self, frame: Option<u32>) -> Option<u32> {
        let (_, tree) = self.found.as_ref().filter(|(at, _)| Some(*at) == frame)?;
        let at = *self.visible.get(self.cursor.selected)?;
        let rest = tree.as_ref().ok()?.nodes.get(at..)?;
        let mut message = rest.iter().skip(1).take_while(|node| node.field.name != "iwarp_mpa");
        let number = message.find(|node| node.field.name == NUMBER)?;
        let Value::Unsigned(number) = number.value else { return None };
        u32::try_from(number).ok()
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

// The ladder view: the conversation of a flow.

/// A line of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LadderLine {
    /// A row's arrow.
    Row(usize),
    /// A note of a row.
    Note(usize, usize),
    /// A finding of a row.
    Finding(usize, usize),
    /// A pause of this many nanoseconds.
    Pause(i64),
    /// A part of a pause, if time is drawn to scale.
    Quiet,
}

impl LadderLine {
    /// Returns the row to which it belongs.
    pub fn row(self) -> Option<usize> {
        match self {
            Self::Row(row) | Self::Note(row, _) | Self::Finding(row, _) => Some(row),
            Self::Pause(_) | Self::Quiet => None,
        }
    }
}

/// The shortest time without messages that is shown as a pause, in nanoseconds.
const PAUSE: i64 = 1_000_000_000;
/// The most lines for one pause if time is drawn to scale.
const QUIET: i64 = 8;

/// The ladder view.
#[derive(Debug, Clone, Default)]
pub struct LadderView {
    /// The requested flow.
    pub flow: Option<u32>,
    /// The current ladder, and its flow; none for a flow that does not exist.
    pub ladder: Option<(u32, Option<Arc<Ladder>>)>,
    /// The flow requested from the worker.
    pub asked: Option<u32>,
    /// The last known frame of the flow at the time of the request.
    pub upto: u64,
    /// Whether it must be redrawn after more of the flow has arrived.
    pub renew: bool,
    /// The selected line and the visible part.
    pub cursor: Cursor,
    /// The lines.
    pub lines: Vec<LadderLine>,
    /// The widths of its rows' frame numbers and times.
    pub widths: (usize, usize),
    /// Whether time is drawn to scale.
    pub scaled: bool,
    /// The frame to select when the ladder arrives, and the number of the operation in it.
    pub seek: Option<(u32, Option<u32>)>,
}

/// Formats the frames of a row: one, or the first and the last of several.
pub fn frames_text((first, last): (u64, u64)) -> String {
    if first == last { last.to_string() } else { format!("{first}-{last}") }
}

fn widths(ladder: &Ladder) -> (usize, usize) {
    let frames = ladder.rows.iter().map(|row| frames_text(row.frames).len()).max();
    let times = ladder.rows.iter().map(|row| seconds(row.time, ladder.first_time).len()).max();
    (frames.unwrap_or(0).max(5), times.unwrap_or(0).max(7))
}

impl LadderView {
    /// Returns the current ladder.
    pub fn at_hand(&self) -> Option<&Ladder> {
        self.ladder.as_ref().and_then(|(_, ladder)| ladder.as_deref())
    }

    /// Sets a ladder.
    pub fn take(&mut self, flow: u32, ladder: Option<Arc<Ladder>>, page: usize) {
        if self.ladder.as_ref().is_none_or(|(known, _)| *known != flow) {
            self.cursor = Cursor::default();
        }
        self.ladder = Some((flow, ladder));
        self.list(page);
    }

    /// Rebuilds the lines.
    pub fn list(&mut self, page: usize) {
        let chosen = self.chosen();
        self.lines.clear();
        let Some((_, Some(ladder))) = &self.ladder else { return };
        self.widths = widths(ladder);
        let times = || ladder.rows.iter().filter_map(|row| row.time);
        let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        // To scale, a line is a third of a row's average time.
        let unit = last.saturating_sub(first) / (3 * ladder.rows.len().max(1) as i64);
        let mut before = None;
        for (index, row) in ladder.rows.iter().enumerate() {
            let quiet =
                row.time.zip(before).map_or(0, |(now, before)| i64::saturating_sub(now, before));
            if self.scaled && unit > 0 {
                let lines = quiet / unit;
                if lines > QUIET {
                    self.lines.push(LadderLine::Pause(quiet));
                }
                let lines = lines.clamp(0, QUIET);
                self.lines.extend((0..lines).map(|_| LadderLine::Quiet));
            } else if quiet >= PAUSE {
                self.lines.push(LadderLine::Pause(quiet));
            }
            before = row.time.or(before);
            self.lines.push(LadderLine::Row(index));
            self.lines.extend((0..row.notes.len()).map(|note| LadderLine::Note(index, note)));
            let findings = (0..row.findings.len()).map(|at| LadderLine::Finding(index, at));
            self.lines.extend(findings);
        }
        let sought = self.seek.take().and_then(|(frame, operation)| {
            let own = |row: &Row| operation.is_some() && row.operation == operation.map(u64::from);
            let from = |row: &Row| row.frames.1 >= u64::from(frame);
            let mut rows = ladder.rows.iter();
            let both = rows.clone().position(|row| own(row) && from(row));
            both.or_else(|| rows.clone().position(own)).or_else(|| rows.position(from))
        });
        let wanted = sought.or(chosen).map(LadderLine::Row);
        let line = wanted.and_then(|wanted| self.lines.iter().position(|line| *line == wanted));
        self.cursor.jump(line.unwrap_or(0), self.lines.len(), page);
    }

    /// Returns the selected row of the ladder.
    pub fn chosen(&self) -> Option<usize> {
        let lines = self.lines.get(self.cursor.selected..)?;
        lines.iter().find_map(|line| line.row())
    }

    /// Returns the last frame of the selected row.
    pub fn chosen_frame(&self) -> Option<u32> {
        let row = self.at_hand()?.rows.get(self.chosen()?)?;
        u32::try_from(row.frames.1).ok()
    }

    /// Goes to the response of the selected row, or to its request; returns false if there is none.
    pub fn partner(&mut self, page: usize) -> bool {
        let row = self.chosen().and_then(|row| self.at_hand()?.rows.get(row));
        let other = row.and_then(|row| {
            row.answered_by.or_else(|| row.answers.as_ref().and_then(|answer| answer.row))
        });
        let line = other
            .and_then(|other| self.lines.iter().position(|line| *line == LadderLine::Row(other)));
        if let Some(line) = line {
            self.cursor.jump(line, self.lines.len(), page);
        }
        line.is_some()
    }
}
