//! The same with the peer: real connections, memory and completions at both ends.

use super::{MESSAGE, MESSAGES, Other, Outcome, READ, READS, SMALL, SMALL_MESSAGES};
use std::io::{Write, stdout};
use std::time::{Duration, Instant};
use warpscope_peer::connection::{Config, Event, Packing, Role};
use warpscope_peer::memory::{Accessor, Memory, Registration, Rights};
use warpscope_peer::network::{Host, HostOptions};
use warpscope_peer::streams::{StreamEvent, Streams};
use warpscope_peer::work::{
    LocalBuffer, Operation, OperationKind, Outcome as Result, RemoteBuffer, Source, WorkRequest,
};

/// Work requests that wait at once.
const LARGE_DEPTH: u64 = 8;
const SMALL_DEPTH: u64 = 1024;
/// Receives that the other end posts: more than what comes at once can take.
const RECEIVES: u64 = 8192;
/// How long nothing may happen.
const PATIENCE: Duration = Duration::from_secs(30);

const LAST: u8 = 1;

fn config(role: Role, crc: &str, markers: &str) -> Config {
    let mut config = Config::new(role, Accessor { stream: 0, protection_domain: 1 });
    config.packing = Packing::Several;
    config.setup.crc = crc == "crc";
    config.setup.markers = markers == "markers";
    config
}

fn memory(bytes: usize, rights: Rights) -> Outcome<(Memory, u32)> {
    let mut memory = Memory::seeded(1);
    let tag = memory.register(vec![5; bytes], Registration::shared(1, rights))?;
    Ok((memory, tag))
}

/// Offers a region, takes Sends, and answers the one that says that it is the last.
pub(crate) fn serve(crc: &str, markers: &str) -> Outcome<()> {
    let (memory, tag) = memory(MESSAGE, Rights::READ | Rights::WRITE)?;
    let mut host = Host::new(Streams::new(memory), HostOptions::default())?;
    let address = host.listen("127.0.0.1:0".parse()?, config(Role::Responder, crc, markers))?;
    writeln!(stdout(), "{address} {tag}")?;
    loop {
        let (number, event) = host.wait(PATIENCE)?.ok_or("nothing happened")?;
        let streams = host.streams();
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                for _ in 0..RECEIVES {
                    streams.post_receive(number, 1, SMALL)?;
                }
            }
            StreamEvent::Completion(completion) => {
                // Receives that are left over when the stream ends got nothing.
                if let Ok(Result::Received(received)) = completion.result {
                    streams.post_receive(number, 1, SMALL)?;
                    if received.bytes.first() == Some(&LAST) {
                        streams.post(number, WorkRequest::new(1, Operation::send(&[LAST])))?;
                    }
                }
            }
            StreamEvent::Event(Event::FinishReceived) => streams.finish(number),
            StreamEvent::Closed => return Ok(()),
            _ => {}
        }
    }
}

/// This end, with a stream that is open.
struct Client {
    host: Host,
    number: u64,
    local: LocalBuffer,
    remote: RemoteBuffer,
    other: Other,
}

impl Client {
    fn open(crc: &str, markers: &str) -> Outcome<Self> {
        let other = Other::start(&["peer", crc, markers])?;
        let (memory, tag) = memory(MESSAGE, Rights::NONE)?;
        let mut host = Host::new(Streams::new(memory), HostOptions::default())?;
        let config = config(Role::Initiator, crc, markers);
        let number = host.streams().connect(other.address, config, false);
        loop {
            let (_, event) = host.wait(PATIENCE)?.ok_or("nothing happened")?;
            match event {
                StreamEvent::Event(Event::Established(_)) => break,
                StreamEvent::Closed => return Err("the stream was closed".into()),
                _ => {}
            }
        }
        host.streams().post_receive(number, 0, SMALL)?;
        let local = LocalBuffer { steering_tag: tag, tagged_offset: 0 };
        let remote = RemoteBuffer { steering_tag: other.steering_tag, tagged_offset: 0 };
        Ok(Self { host, number, local, remote, other })
    }

    fn post(&mut self, operation: Operation) -> Outcome<()> {
        Ok(self.host.streams().post(self.number, WorkRequest::new(1, operation))?)
    }

    fn complete(&mut self) -> Outcome<OperationKind> {
        loop {
            let (_, event) = self.host.wait(PATIENCE)?.ok_or("nothing happened")?;
            match event {
                StreamEvent::Completion(completion) => {
                    completion.result?;
                    return Ok(completion.kind);
                }
                StreamEvent::Closed => return Err("the stream was closed".into()),
                _ => {}
            }
        }
    }

    /// Posts `count` operations, no more than `depth` at once, then a Send that the peer answers;
    /// returns the time until it has.
    fn stream(&mut self, operation: &Operation, count: usize, depth: u64) -> Outcome<Duration> {
        let begun = Instant::now();
        let (mut posted, mut done) = (0, 0);
        while done < count as u64 {
            while posted < count as u64 && posted - done < depth {
                self.post(operation.clone())?;
                posted += 1;
            }
            self.complete()?;
            done += 1;
        }
        self.post(Operation::send(&[LAST]))?;
        while self.complete()? != OperationKind::Receive {}
        Ok(begun.elapsed())
    }

    fn close(mut self) -> Outcome<()> {
        self.host.streams().finish(self.number);
        while let Some((_, event)) = self.host.wait(PATIENCE)? {
            if matches!(event, StreamEvent::Closed) {
                break;
            }
        }
        drop(self.host);
        self.other.end()
    }
}

/// RDMA Writes of whole messages.
pub(crate) fn write(crc: &str, markers: &str) -> Outcome<Duration> {
    let mut client = Client::open(crc, markers)?;
    let source = Source::Region(client.local, MESSAGE as u32);
    let operation = Operation::Write { source, remote: client.remote };
    let taken = client.stream(&operation, MESSAGES, LARGE_DEPTH)?;
    client.close()?;
    Ok(taken)
}

pub(crate) fn send() -> Outcome<Duration> {
    let mut client = Client::open("crc", "none")?;
    let taken = client.stream(&Operation::send(&[0; SMALL]), SMALL_MESSAGES, SMALL_DEPTH)?;
    client.close()?;
    Ok(taken)
}

/// RDMA Reads, one after the other.
pub(crate) fn read() -> Outcome<Vec<Duration>> {
    let mut client = Client::open("crc", "none")?;
    let (sink, remote) = (client.local, client.remote);
    let mut times = Vec::with_capacity(READS);
    for _ in 0..READS {
        let begun = Instant::now();
        client.post(Operation::Read { sink, length: READ as u32, remote })?;
        client.complete()?;
        times.push(begun.elapsed());
    }
    client.close()?;
    Ok(times)
}
