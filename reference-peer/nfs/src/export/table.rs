//! Where objects were seen: the way from an identity to names.

use super::handle::Identity;
use std::collections::HashMap;

/// The most objects that are remembered. Beyond them, those that no directory beneath needs and that
/// were not used for longest are forgotten, and found again by a search of the folder.
const MOST_OBJECTS: usize = 1 << 20;
/// The most names of one object that are remembered: hard links.
const MOST_NAMES: usize = 8;

/// A name in a directory.
pub(super) type Location = (Identity, Vec<u8>);

#[derive(Debug, Default)]
struct Node {
    /// The latest first.
    locations: Vec<Location>,
    used: u64,
    directory: bool,
}

/// Where objects were seen.
#[derive(Debug, Default)]
pub(super) struct Table {
    nodes: HashMap<Identity, Node>,
    uses: u64,
    /// True when the whole folder was searched, and nothing was forgotten since.
    pub(super) searched: bool,
}

impl Table {
    /// Remembers that an object has that name in that directory.
    pub(super) fn saw(&mut self, object: Identity, directory: bool, parent: Identity, name: &[u8]) {
        if self.nodes.len() >= MOST_OBJECTS && !self.nodes.contains_key(&object) {
            self.forget_old();
        }
        self.uses += 1;
        let node = self.nodes.entry(object).or_default();
        node.used = self.uses;
        node.directory = directory;
        if node.locations.first().is_some_and(|(at, known)| *at == parent && known == name) {
            return;
        }
        node.locations.retain(|(at, known)| *at != parent || known != name);
        node.locations.insert(0, (parent, name.to_vec()));
        // A directory has one name alone.
        node.locations.truncate(if directory { 1 } else { MOST_NAMES });
    }

    /// The names of an object, the latest first.
    pub(super) fn locations(&self, object: &Identity) -> &[Location] {
        self.nodes.get(object).map_or(&[], |node| &node.locations)
    }

    /// Forgets a name of an object.
    pub(super) fn gone(&mut self, object: &Identity, parent: &Identity, name: &[u8]) {
        if let Some(node) = self.nodes.get_mut(object) {
            node.locations.retain(|(at, known)| at != parent || known != name);
        }
    }

    fn forget_old(&mut self) {
        let half = self.uses - (self.uses.min(MOST_OBJECTS as u64) / 2);
        self.nodes.retain(|_, node| node.directory || node.used > half);
        self.searched = false;
    }
}
