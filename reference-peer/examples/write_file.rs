//! Writes a file into a region of a peer, and reads it back.
//!
//! ```text
//! warpscope peer listen 127.0.0.1:7174 -s passive --region name=box,size=1MiB --seed 1
//! cargo run -p warpscope-peer --example write_file 127.0.0.1:7174 0xd3301861 Cargo.toml
//! ```
//!
//! The second argument is the region's Steering Tag, as the listener prints it.

use std::error::Error;
use std::time::Duration;
use warpscope_peer::connection::{Config, Event, Role};
use warpscope_peer::memory::{Accessor, Memory, Registration, Rights};
use warpscope_peer::network::{Host, HostOptions};
use warpscope_peer::streams::{StreamEvent, Streams};
use warpscope_peer::work::{LocalBuffer, Operation, RemoteBuffer, Source, WorkRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, tag, file] = &arguments[..] else {
        return Err("usage: write_file ADDRESS:PORT STEERING_TAG FILE".into());
    };
    let remote = RemoteBuffer {
        steering_tag: u32::from_str_radix(tag.trim_start_matches("0x"), 16)?,
        tagged_offset: 0,
    };
    let bytes = std::fs::read(file)?;
    let length = u32::try_from(bytes.len())?;

    let mut memory = Memory::new(|| 0x0001_0000); // one region: its tag needs no randomness
    let domain = Accessor { stream: 0, protection_domain: 1 };
    let tag = memory.register(vec![0; bytes.len()], Registration::shared(1, Rights::NONE))?;
    let sink = LocalBuffer { steering_tag: tag, tagged_offset: 0 };
    let mut host = Host::new(Streams::new(memory), HostOptions::default())?;
    let stream =
        host.streams().connect(address.parse()?, Config::new(Role::Initiator, domain), true);
    while let Some((_, event)) = host.wait(Duration::from_secs(10))? {
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                let write = Operation::Write { source: Source::Bytes(bytes.clone()), remote };
                let read = Operation::Read { sink, length, remote };
                host.streams().post(stream, WorkRequest::new(1, write))?;
                host.streams().post(stream, WorkRequest::new(2, read))?;
                host.streams().finish(stream);
            }
            StreamEvent::Completion(done) => println!("{:?}: {:?}", done.kind, done.result?),
            StreamEvent::Closed => break,
            other => println!("{other:?}"),
        }
    }
    let same = host.streams().memory().bytes(tag) == Some(&bytes[..]);
    println!("{length} bytes came back {}", if same { "the same" } else { "changed" });
    Ok(())
}
