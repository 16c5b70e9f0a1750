//! What services say to people.

use crate::connection::{Ending, Event};

/// Why an event means that a stream did not go well; none when it does not.
pub(super) fn trouble(event: &Event) -> Option<String> {
    match event {
        Event::Rejected { .. } => Some("the peer rejected the connection".into()),
        Event::SetupFailed { failure, .. } => {
            Some(format!("the connection could not be set up: {failure:?}"))
        }
        Event::Ended(Ending::Terminated(violation)) => {
            Some(format!("the connection was terminated here: {violation:?}"))
        }
        Event::Ended(Ending::RemoteTerminate) => Some("the peer terminated the connection".into()),
        Event::Ended(Ending::Lost) => Some("the connection was lost".into()),
        Event::Ended(Ending::Aborted) => Some("the connection was dropped here".into()),
        _ => None,
    }
}

/// `1 stream`, `2 streams`.
pub(super) fn counted(count: u64, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
