//! The control connection: calls to the target's agent, their replies, and its reports of events.

use super::connections::{Connection, SocketEvent};
use super::session::RunError;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use warpscope_agent::{Call, Error, Event, Method, Reply, Says, Unreadable};

/// The maximum length of a line from an agent, in bytes.
const LONGEST: usize = 4 << 20;

/// What is wrong with a message from an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// A line cannot be parsed.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// It speaks another version of the protocol.
    #[error("the agent speaks version {0} of the protocol; this program speaks {version}", version = warpscope_agent::VERSION)]
    Version(u32),
    /// It refused a line that is not a call of ours.
    #[error("the agent cannot read the request: {0}")]
    Refused(Error),
    /// The control connection has ended.
    #[error("the agent {0}")]
    Over(&'static str),
}

/// The control connection of a session.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) connection: Connection,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
    calls: u64,
    replies: BTreeMap<u64, Result<Value, Error>>,
    /// The events, in order, that have not been taken yet.
    pub(super) events: VecDeque<Event>,
    failed: Option<AgentError>,
}

impl Control {
    pub(super) fn new(connection: Connection) -> Self {
        Self {
            connection,
            begun: Vec::new(),
            calls: 0,
            replies: BTreeMap::new(),
            events: VecDeque::new(),
            failed: None,
        }
    }

    /// Calls a method, and returns the number of the call.
    pub(super) fn call(&mut self, method: Method) -> u64 {
        self.calls += 1;
        let line = Call::new(self.calls, method).line();
        // A failure shows in what is heard.
        let _ = self.connection.write(line.as_bytes());
        self.calls
    }

    /// Returns the result of a call once it is known.
    pub(super) fn reply(&mut self, call: u64) -> Option<Result<Value, Error>> {
        self.replies.remove(&call)
    }

    pub(super) fn hear(&mut self, heard: &SocketEvent) {
        // After an error, nothing more is kept.
        if self.failed.is_none() {
            self.failed = self.take(heard).err();
        }
    }

    fn take(&mut self, heard: &SocketEvent) -> Result<(), AgentError> {
        let bytes = match heard {
            SocketEvent::Bytes(bytes) => bytes,
            SocketEvent::Finished => return Err(AgentError::Over("closed the control connection")),
            SocketEvent::Reset => return Err(AgentError::Over("reset the control connection")),
        };
        let mut rest = bytes.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(end);
            self.begun.extend(line);
            let line = std::mem::take(&mut self.begun);
            self.line(&line)?;
            rest = after.get(1..).unwrap_or_default();
        }
        self.begun.extend(rest);
        if self.begun.len() > LONGEST {
            return Err(AgentError::Over("sends a line without an end"));
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Result<(), AgentError> {
        let says = Reply::read(line)?.says;
        if let Says::Result { id, .. } | Says::Error { id: Some(id), .. } = &says
            && !(1..=self.calls).contains(id)
        {
            return Err(AgentError::Over("answers a call that was not made"));
        }
        match says {
            Says::Result { id, result } => drop(self.replies.insert(id, Ok(result))),
            Says::Error { id: Some(id), error } => drop(self.replies.insert(id, Err(error))),
            Says::Error { id: None, error } => return Err(AgentError::Refused(error)),
            Says::Event { params, .. } => self.events.push_back(params),
        }
        Ok(())
    }

    /// Forgets what was reported, and answers that nobody waited for.
    pub(super) fn forget(&mut self) {
        self.events.clear();
        self.replies.clear();
    }

    pub(super) fn usable(&self) -> Result<(), RunError> {
        self.failed.clone().map_or(Ok(()), |error| Err(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::time::Duration;
    use strum::VariantNames as _;
    use warpscope_agent::ErrorCode;

    /// Names of Rust begin within a word or with a capital, and Debug brings brackets and quotes.
    fn is_plain(text: &str) -> bool {
        let inner = |word: &str| {
            let letters: Vec<char> = word.chars().filter(|it| it.is_alphabetic()).collect();
            letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
        };
        let brackets = ["{", "}", "Some(", "Ok(", "Err(", "\"", "::"];
        !brackets.iter().any(|it| text.contains(it)) && !text.split_whitespace().any(inner)
    }

    #[test]
    fn no_error_of_a_run_speaks_rust() {
        let within = Duration::from_secs(30);
        let address = ([127, 0, 0, 1], 7174).into();
        let io_error = || io::Error::from(io::ErrorKind::AddrInUse);
        let over = AgentError::Over("closed the control connection");
        let command = "ended with exit status 127, and said nothing".to_owned();
        let mut errors = vec![
            RunError::Connect { address, error: io_error() },
            RunError::Listen { address, error: io_error() },
            RunError::Socket(io_error()),
            RunError::NoConnection(within),
            RunError::NoRequester { waited: within, command },
            RunError::TooLong(within),
            RunError::NoAgent("a call"),
            AgentError::Version(2).into(),
            over.into(),
        ];
        for method in Method::VARIANTS {
            errors.push(RunError::NoAnswer { method, within });
            let error = Error::new(ErrorCode::Limit, "no room");
            errors.push(RunError::Refused { method, error });
        }
        for error in errors {
            assert!(is_plain(&error.to_string()), "{error}");
        }
    }

    #[test]
    fn rust_is_told_from_words() {
        for rust in ["the call ReadMemory(0)", "Some(1)", "AddrInUse", "Os { code: 98 }"] {
            assert!(!is_plain(rust), "{rust}");
        }
        assert!(is_plain("the agent refused `post_receives`: limit: no MSN, or an STag"));
    }
}
