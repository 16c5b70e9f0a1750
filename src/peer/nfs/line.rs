//! A stream to a server, over which calls are made one after the other.

use crate::peer::regions::Regions;
use crate::peer::run::GRACE;
use crate::peer::told::Told;
use crate::stop::Stop;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use warpscope_nfs::Rpc;
use warpscope_nfs::client::{Session, result_is_inline};
use warpscope_nfs::rpc::{
    self, Answer, Builder, OutgoingCall, ProcedureCall, Reader, Refusal, RpcMessage,
};
use warpscope_nfs::rpcrdma::{CallFailure, ReducedReply, RpcRdmaConfig};
use warpscope_peer::bug::Bugs;
use warpscope_peer::connection::{Config, Event};
use warpscope_peer::network::Host;
use warpscope_peer::service::Service as _;
use warpscope_peer::streams::StreamEvent;

/// The longest sleep, so that a wish to stop is noticed.
const NAP: Duration = Duration::from_millis(100);

/// Why a call has no reply.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineError {
    /// The stream could not be opened: why.
    #[error("no stream to {0}: {1}; does an NFS server listen there, with RDMA over TCP?")]
    NotOpened(SocketAddr, String),
    /// The call came to nothing: why.
    #[error("{0}{1}")]
    Call(CallFailure, String),
    /// The server left a result inline that a write chunk was offered for (RFC 8166 section 6.1).
    #[error("the server put a result into its reply that belongs in the chunk offered for it")]
    Misplaced,
    /// The server took too long.
    #[error("the server has not answered in {0:?}; --timeout waits longer")]
    Timeout(Duration),
    /// The user wants to stop.
    #[error("stopped")]
    Stopped,
    /// The system does not go on.
    #[error("the system let the sockets down: {0}")]
    System(#[from] io::Error),
}

/// Has no programs: answers that there is none.
#[derive(Debug)]
pub(super) struct Nothing;

impl rpc::Service for Nothing {
    const PROGRAMS: &'static [(u32, u32)] = &[];

    fn call(
        &mut self,
        _call: &ProcedureCall,
        _arguments: &mut Reader<'_>,
        _results: &mut Builder,
    ) -> Result<(), Refusal> {
        Err(Refusal::ProcedureUnavailable)
    }
}

impl Answer for Nothing {
    fn answer(&mut self, call: &[u8]) -> RpcMessage {
        rpc::answer_call(self, call)
    }
}

/// A stream to a server.
pub(super) struct Line {
    host: Host,
    service: Told<Rpc<Nothing>>,
    address: SocketAddr,
    number: u64,
    established: bool,
    closed: bool,
    /// A call failed: no more is made.
    broken: bool,
    timeout: Duration,
    stop: Stop,
    /// What this side does wrong.
    bugs: Bugs,
}

impl Line {
    /// Asks for a stream.
    pub(super) fn new(
        mut host: Host,
        rpc: RpcRdmaConfig,
        (address, config, fall_back): (SocketAddr, Config, bool),
        timeout: Duration,
        stop: Stop,
    ) -> Self {
        let bugs = rpc.bugs;
        let rpc = Rpc::new(Nothing, RpcRdmaConfig::server(1), rpc);
        let number = host.streams().connect(address, config, fall_back);
        Self {
            host,
            service: Told::new(Box::new(rpc), Regions::default(), true, None),
            address,
            number,
            established: false,
            closed: false,
            broken: false,
            timeout,
            stop,
            bugs,
        }
    }

    /// Waits until calls can be made.
    ///
    /// # Errors
    /// [`LineError`].
    pub(super) fn open(&mut self) -> Result<(), LineError> {
        let until = Instant::now() + self.timeout;
        while !self.established {
            self.turn(until)?;
            if self.closed {
                let trouble = self.service.trouble.take();
                let trouble = trouble.unwrap_or_else(|| "it was closed".to_owned());
                return Err(LineError::NotOpened(self.address, trouble));
            }
        }
        Ok(())
    }

    /// Takes what happens next, if that is soon.
    fn turn(&mut self, until: Instant) -> Result<(), LineError> {
        if self.stop.asked() {
            return Err(LineError::Stopped);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(LineError::Timeout(self.timeout));
        }
        let Some((number, event)) = self.host.wait(left.min(NAP))? else { return Ok(()) };
        if number == self.number {
            match &event {
                StreamEvent::Event(Event::Established(_)) => self.established = true,
                StreamEvent::FellBack(next) => self.number = *next,
                StreamEvent::Closed => self.closed = true,
                _ => {}
            }
        }
        self.service.handle(self.host.streams(), number, event);
        Ok(())
    }

    /// Makes calls, as many at once as credits allow; their replies, in the order of the calls.
    ///
    /// # Errors
    /// [`LineError`] when one has none.
    pub(super) fn replies(&mut self, calls: Vec<OutgoingCall>) -> Result<Vec<Vec<u8>>, LineError> {
        if self.broken {
            return Err(LineError::Call(CallFailure::Cancelled, String::new()));
        }
        let replies = self.all_of(calls);
        self.broken = replies.is_err();
        replies
    }

    fn all_of(&mut self, calls: Vec<OutgoingCall>) -> Result<Vec<Vec<u8>>, LineError> {
        let mut until = Instant::now() + self.timeout;
        let mut asked = Vec::new();
        for call in calls {
            let made = call.message.bytes.clone();
            let handle = self.service.inner.call(self.host.streams(), self.number, call);
            asked.push((handle, made, None));
        }
        while asked.iter().any(|(.., reply)| reply.is_none()) {
            while let Some((number, handle, result)) = self.service.inner.poll() {
                let wanted = asked.iter_mut().find(|(it, ..)| *it == handle);
                let Some((_, call, place)) = wanted.filter(|_| number == self.number) else {
                    continue;
                };
                let reply = result.map_err(|failure| {
                    let trouble = self.service.trouble.take();
                    let trouble = trouble.filter(|_| matches!(failure, CallFailure::Lost));
                    LineError::Call(failure, trouble.map_or(String::new(), |it| format!(": {it}")))
                })?;
                if !reply.chunks.is_empty() && result_is_inline(call, &reply.bytes, self.bugs) {
                    return Err(LineError::Misplaced);
                }
                *place = Some(whole(&reply));
                until = Instant::now() + self.timeout;
            }
            if asked.iter().any(|(.., reply)| reply.is_none()) {
                self.turn(until)?;
            }
        }
        Ok(asked.into_iter().filter_map(|(.., reply)| reply).collect())
    }

    /// Closes the stream: in good order, if calls went well.
    ///
    /// # Errors
    /// When the system does not go on.
    pub(super) fn end(mut self) -> io::Result<()> {
        let well = self.established && !self.broken;
        self.host.serve(&mut self.service, || true, if well { GRACE } else { NAP })
    }
}

impl Session for &mut Line {
    type Error = LineError;

    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, LineError> {
        Ok(self.replies(vec![call])?.pop().unwrap_or_default())
    }
}

/// The whole reply. What may go by a write chunk, the data of READ and the target of READLINK, is
/// the last of its results; some servers send its round-up inline nevertheless (RFC 8166 section
/// 3.4.6.2).
fn whole(reply: &ReducedReply) -> Vec<u8> {
    let bytes = &reply.bytes;
    let Some(item) = reply.chunks.first().filter(|item| !item.is_empty()) else {
        return bytes.clone();
    };
    let word = |back: usize| {
        let at = bytes.len().checked_sub(back)?;
        bytes.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word))
    };
    let length = Some(item.len() as u32);
    let padded = !item.len().is_multiple_of(4) && word(4) != length && word(8) == length;
    let place = bytes.len() - if padded { 4 } else { 0 };
    reply.whole(&[place]).unwrap_or_else(|| bytes.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_goes_behind_its_length() {
        let reply = |bytes: &[u8], item: &[u8]| {
            whole(&ReducedReply { bytes: bytes.to_vec(), chunks: vec![item.to_vec()] })
        };
        let stem = [9, 9, 9, 9, 0, 0, 0, 3];
        let filled = [9, 9, 9, 9, 0, 0, 0, 3, b'a', b'b', b'c', 0];
        assert_eq!(reply(&stem, b"abc"), filled);
        // With the round-up inline, the data still stands behind its length.
        let padded = [9, 9, 9, 9, 0, 0, 0, 3, 0, 0, 0, 0];
        assert_eq!(reply(&padded, b"abc")[..12], filled);
        // Nothing went by the chunk.
        assert_eq!(reply(&filled, b""), filled);
    }
}
