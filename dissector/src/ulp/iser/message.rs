//! What a message of iSER is: its protocols, its line and its nodes.

use crate::mpa::SetupItem;
use crate::tree::{Part, Run, Tree};
use crate::ulp::UlpItem;

/// What a message is.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl Message<'_> {
    /// The protocols that are in it, by Wireshark's names.
    pub(crate) fn protocols(&self) -> &'static [&'static str] {
        &["iser"]
    }

    /// Puts it into words; true for an alarm.
    pub(crate) fn write_line(&self, item: &UlpItem<'_>, out: &mut String) -> bool {
        let _ = (item, out);
        false
    }

    /// Adds its nodes; `run` is where its bytes are.
    pub(crate) fn push(&self, tree: &mut Tree, run: Run, item: &UlpItem<'_>) {
        let _ = (tree, run, item);
    }
}

/// Adds the nodes of the private data of a setup frame, which begins at a place of the frame.
pub(crate) fn push_private_data(part: &mut Part<'_, '_>, at: usize, item: &SetupItem<'_>) {
    let _ = (part, at, item);
}
