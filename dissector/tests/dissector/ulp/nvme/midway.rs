//! Captures that begin within a connection: the Sends alone tell what it carries.

use super::{Found, Kind};
use crate::prelude::*;

/// Frames of a capture from a place on.
fn from(name: &str, first: usize) -> Found {
    let mut found = Found::default();
    let mut pipeline = Pipeline::default();
    for frame in all_frames(&capture(name)).iter().skip(first) {
        pipeline.frame(frame, &mut found);
    }
    pipeline.finish(&mut found);
    found
}

/// On the port of NVMe and on another one: commands and completions are found, and what is moved between
/// them belongs to the commands that were seen.
#[test]
fn queues_are_recognised_by_their_sends() {
    for name in ["nvme-sizes", "nvme-sizes-incapsule16k-crc"] {
        let frames = all_frames(&capture(name)).len();
        for part in [4, 3, 2] {
            let found = from(name, frames / part);
            assert!(found.queues.is_empty(), "{name}: a setup frame is left");
            let known = found
                .messages
                .iter()
                .filter(|(_, kind)| matches!(kind, Kind::Completion { known: true, .. }));
            assert!(known.count() >= 3, "{name} from {part}");
            let wrong = found.messages.iter().any(|(_, kind)| matches!(kind, Kind::Unreadable));
            assert!(!wrong, "{name} from {part}");
            for (_, io) in found.ios.iter().filter(|(_, io)| io.operation == "Read") {
                if io.whole && io.status.is_some() {
                    assert_eq!(Some(io.bytes.written), io.length, "{name} from {part}: {io:?}");
                }
            }
        }
    }
}

/// What a queue is that was not seen to begin shows by its commands: they have the names that they have in
/// the whole capture.
#[test]
fn commands_have_their_names_without_the_connect() {
    let names = |found: &Found| -> Vec<String> {
        let names = found.messages.iter().filter_map(|(_, kind)| match kind {
            Kind::Command { name, .. } => Some(name.clone()),
            _ => None,
        });
        names.collect()
    };
    for name in ["nvme-admin-crc", "nvme-sizes", "nvme-queues-fio"] {
        let frames = all_frames(&capture(name)).len();
        let (whole, part) = (names(&super::found(name)), names(&from(name, frames / 2)));
        assert!(part.len() > 10, "{name}");
        assert_eq!(part, whole[whole.len() - part.len()..], "{name}");
    }
}

/// Nothing of other captures is taken for NVMe.
#[test]
fn other_captures_carry_no_nvme() {
    let all = captures(&["captures", "synthetic"]);
    in_parallel(&all, |path| {
        let name = captures::name(path);
        if name.starts_with("nvme") || name.starts_with("iser") || name.starts_with("smbd") {
            return;
        }
        let mut found = Found::default();
        run(path, &mut found);
        assert!(found.messages.is_empty(), "{name}");
        assert!(found.queues.is_empty(), "{name}");
    });
}
