//! Compares the hash in a Verify Response with the one that its request expects.

use super::catalogue::operation as rules;
use super::scene::Scene;
use crate::message::SegmentItem;
use arrayvec::ArrayVec;
use warpscope_wire::crc;
use warpscope_wire::rdmap::VerifyRequestView;

/// Verifies with a hash that are remembered at once.
const WAITING: usize = 16;

/// The hash that a Verify expects, as its length and a digest.
#[derive(Debug, Clone, Copy)]
struct Expected {
    operation: u64,
    length: usize,
    digest: u32,
}

/// The Verifies of a side that expect a hash and wait for their responses.
#[derive(Debug, Default)]
pub(super) struct Verifies(ArrayVec<Expected, WAITING>);

impl Verifies {
    /// A Verify Request, where it is complete.
    pub(super) fn request(&mut self, operation: Option<u64>, item: &SegmentItem<'_>) {
        let (Some(operation), Some(completed)) = (operation, &item.completed) else { return };
        let Ok(view) = VerifyRequestView::parse(completed.bytes) else { return };
        if view.hash_value.is_empty() || !completed.whole {
            return;
        }
        if self.0.is_full() {
            self.0.remove(0);
        }
        let (length, digest) = (view.hash_value.len(), crc::crc32c(view.hash_value));
        self.0.push(Expected { operation, length, digest });
    }

    /// A Verify Response, where it is complete.
    pub(super) fn response(
        &mut self,
        operation: Option<u64>,
        item: &SegmentItem<'_>,
        scene: &mut Scene<'_>,
    ) {
        let (Some(operation), Some(completed)) = (operation, &item.completed) else { return };
        let Some(index) = self.0.iter().position(|each| each.operation == operation) else {
            return;
        };
        let expected = self.0.remove(index);
        let same = completed.bytes.len() == expected.length
            && crc::crc32c(completed.bytes) == expected.digest;
        if completed.whole && !same {
            let text = format!(
                "The response has {} bytes of hash, the request {}; they differ.",
                completed.length, expected.length
            );
            scene.broken(&rules::VERIFY_HASH, text);
        }
    }
}
