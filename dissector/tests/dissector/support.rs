//! What several tests need: the repository's captures, handmade frames, the tools of the machine.

use std::sync::atomic::{AtomicUsize, Ordering};

pub mod captures;
pub mod frames;
#[path = "../../../tests/support/require.rs"]
pub mod require;
pub mod tshark;

/// Does work on as many threads as there are processors.
pub fn in_parallel<T: Sync>(jobs: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(job);
                }
            });
        }
    });
}
