//! A strict iWARP endpoint. Only [`network`] uses sockets and clocks.
//!
//! From the bottom: [`memory`] holds regions by Steering Tag and checks accesses; [`violation`] defines
//! which Terminate answers each error; [`setup`] and [`mpa`] are the layer above TCP; [`work`] has the
//! work requests and completions of a program; a [`connection`] joins them to a byte stream, and
//! [`streams`] manages many connections. [`service`] holds programs on top; [`network`] gives them
//! sockets and a clock. [`bug`] lists what a peer can be made to do wrong, [`variant`] what it may do
//! differently.
//!
//! Two peers in one program, without a network: one offers a region, the other writes to it, reads it
//! back and sends a message.
//!
//! ```
//! use std::time::Duration;
//! use warpscope_peer::connection::{Config, Connection, Role, Transmit};
//! use warpscope_peer::memory::{Accessor, Memory, Registration, Rights};
//! use warpscope_peer::work::{LocalBuffer, Operation, RemoteBuffer, WorkRequest};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (now, stream) = (Duration::ZERO, Accessor { stream: 1, protection_domain: 1 });
//! let mut numbers = 1..;
//! let mut here = Memory::new(|| 0x1234_5600); // give it real randomness
//! let mut there = Memory::new(move || numbers.next().unwrap_or(0) * 0x9e37_79b9);
//! let mut client = Connection::new(Config::new(Role::Initiator, stream), now);
//! let mut server = Connection::new(Config::new(Role::Responder, stream), now);
//!
//! let rights = Rights::READ | Rights::WRITE;
//! let region = there.register(vec![0; 64], Registration::stream(1, rights))?;
//! let sink = here.register(vec![0; 64], Registration::stream(1, Rights::NONE))?;
//! let remote = RemoteBuffer { steering_tag: region, tagged_offset: 8 };
//! let local = LocalBuffer { steering_tag: sink, tagged_offset: 0 };
//! server.post_receive(1, 16)?;
//! let write = Operation::Write { source: b"iwarp"[..].into(), remote };
//! client.post(&here, WorkRequest::new(1, write))?;
//! client.post(&here, WorkRequest::new(2, Operation::Read { sink: local, length: 5, remote }))?;
//! client.post(&here, WorkRequest::new(3, Operation::send(b"done")))?;
//!
//! // What a network would do.
//! loop {
//!     let sent = client.poll_transmit(now, &mut here);
//!     if let Some(Transmit::Bytes(bytes)) = &sent {
//!         server.handle_bytes(now, &mut there, bytes);
//!     }
//!     let answered = server.poll_transmit(now, &mut there);
//!     if let Some(Transmit::Bytes(bytes)) = &answered {
//!         client.handle_bytes(now, &mut here, bytes);
//!     }
//!     if sent.is_none() && answered.is_none() {
//!         break;
//!     }
//! }
//! assert_eq!(there.bytes(region).map(|bytes| &bytes[8..13]), Some(&b"iwarp"[..]));
//! assert_eq!(here.bytes(sink).map(|bytes| &bytes[..5]), Some(&b"iwarp"[..]));
//! while let Some(completion) = client.poll_completion() {
//!     completion.result?;
//! }
//! assert!(server.poll_completion().is_some_and(|received| received.result.is_ok()));
//! # Ok(())
//! # }
//! ```

pub mod bug;
pub mod connection;
mod control;
mod ddp;
pub mod memory;
pub mod mpa;
pub mod network;

mod rdmap;

pub mod service;
pub mod setup;
pub mod streams;
pub mod switch;
pub mod variant;
pub mod violation;
pub mod work;
