//! What a service is.

use crate::connection::{Ending, Event};
use crate::streams::{StreamEvent, Streams};
use std::fmt;
use std::time::Duration;

/// A program that works with streams. One service has all streams of a side, whether they were
/// accepted or asked for.
pub trait Service: fmt::Debug {
    /// Something happened to the stream `number`. The service posts, accepts, finishes and reads
    /// memory through `streams`. After [`StreamEvent::Closed`] the number means nothing any more.
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent);

    /// When [`Service::handle_timeout`] is to be called next.
    fn poll_timeout(&self) -> Option<Duration> {
        None
    }

    /// The time that [`Service::poll_timeout`] named has come, or passed.
    fn handle_timeout(&mut self, _streams: &mut Streams) {}

    /// The user wants to stop: what is under way is brought to an end in good order. By default
    /// every stream is finished.
    fn stop(&mut self, streams: &mut Streams) {
        for number in streams.numbers() {
            streams.finish(number);
        }
    }

    /// Whether nothing is left to do, so that the program can end.
    fn is_done(&self, streams: &Streams) -> bool {
        let _ = streams;
        false
    }

    /// What went wrong, for the user; none when all went well.
    fn failure(&self) -> Option<String> {
        None
    }

    /// What was done, one line each: for the end of a run.
    fn summary(&self) -> Vec<String> {
        Vec::new()
    }
}

// What services say to people.

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
