//! The shares and the files of a connection, by the numbers that identify them in messages.

use std::collections::BTreeMap;
use std::sync::Arc;
use warpscope_wire::smb2::FileId;

/// Shares remembered; beyond that, the one with the smallest number is removed.
const TREES: usize = 1024;
/// Files remembered; beyond that, the one with the smallest number is removed.
const FILES: usize = 1 << 14;

/// A share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Share {
    /// Its path: `\\server\share`.
    pub path: Arc<str>,
    /// Its type.
    pub kind: u8,
    /// The frame that connected it.
    pub frame: u64,
}

/// The known shares and files.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    trees: BTreeMap<(u64, u32), Share>,
    files: BTreeMap<FileId, Arc<str>>,
    /// Bytes of names.
    bytes: usize,
}

impl Names {
    /// Returns the bytes kept.
    pub(super) fn buffered(&self) -> usize {
        let entries = self.trees.len() * size_of::<((u64, u32), Share)>()
            + self.files.len() * size_of::<(FileId, Arc<str>)>();
        self.bytes + entries * 2
    }

    /// Adds a share that a session was connected to.
    pub(super) fn connect(&mut self, session: u64, tree: u32, share: Share) {
        self.bytes += share.path.len();
        let old = self.trees.insert((session, tree), share);
        let left = if self.trees.len() > TREES { self.trees.pop_first() } else { None };
        for share in old.into_iter().chain(left.map(|(_, share)| share)) {
            self.bytes = self.bytes.saturating_sub(share.path.len());
        }
    }

    /// Removes a share that a session was disconnected from.
    pub(super) fn disconnect(&mut self, session: u64, tree: u32) {
        if let Some(share) = self.trees.remove(&(session, tree)) {
            self.bytes = self.bytes.saturating_sub(share.path.len());
        }
    }

    /// Returns a share.
    pub(super) fn share(&self, session: u64, tree: u32) -> Option<&Share> {
        self.trees.get(&(session, tree))
    }

    /// Adds a file that was opened.
    pub(super) fn open(&mut self, file: FileId, path: Arc<str>) {
        self.bytes += path.len();
        let old = self.files.insert(file, path);
        let left = if self.files.len() > FILES { self.files.pop_first() } else { None };
        for path in old.into_iter().chain(left.map(|(_, path)| path)) {
            self.bytes = self.bytes.saturating_sub(path.len());
        }
    }

    /// Removes a file that was closed.
    pub(super) fn close(&mut self, file: FileId) {
        if let Some(path) = self.files.remove(&file) {
            self.bytes = self.bytes.saturating_sub(path.len());
        }
    }

    /// Returns the path of an open file within its share.
    pub(super) fn file(&self, file: FileId) -> Option<&Arc<str>> {
        self.files.get(&file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_remembered_within_bounds() {
        let mut names = Names::default();
        for volatile in 0..2 * FILES as u64 {
            names.open(FileId { persistent: 0, volatile }, "0123456789".into());
        }
        let last = FileId { persistent: 0, volatile: 2 * FILES as u64 - 1 };
        assert_eq!(names.file(last).map(|path| &**path), Some("0123456789"));
        assert_eq!((names.files.len(), names.bytes), (FILES, 10 * FILES));
        names.close(last);
        assert_eq!(names.file(last), None);
        let share = Share { path: "\\\\a\\b".into(), kind: 1, frame: 7 };
        names.connect(1, 2, share.clone());
        assert_eq!(names.share(1, 2), Some(&share));
        assert_eq!(names.share(2, 2), None);
        names.disconnect(1, 2);
        assert_eq!(names.bytes, 10 * (FILES - 1));
    }
}
