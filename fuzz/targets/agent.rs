//! The agent: any lines of its protocol, each answered by one line of JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::net::SocketAddr;
use std::time::Duration;
use warpscope_agent::{Call, Reply};
use warpscope_peer::connection::{Config, Role};
use warpscope_peer::memory::{Accessor, Memory};
use warpscope_peer::service::Service;
use warpscope_peer::service::agent::{Agent, AgentOptions};
use warpscope_peer::streams::{ControlEvent, Streams};
use warpscope_wire::rdmap::Profile;

fuzz_target!(|text: &[u8]| {
    let address = SocketAddr::from(([127, 0, 0, 1], 4420));
    let config = Config::new(Role::Responder, Accessor { stream: 0, protection_domain: 1 });
    let config = Config { profile: Profile::ALL, accepts: false, ..config };
    let mut agent = Agent::new(AgentOptions::new(config));
    let mut number = 1_u32;
    let memory = Memory::new(move || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        number
    });
    let mut streams = Streams::new(memory);
    agent.control(&mut streams, 7, ControlEvent::Opened(address));
    for line in text.split(|byte| *byte == b'\n').take(40) {
        let _ = (Call::read(line), Reply::read(line));
        agent.control(&mut streams, 7, ControlEvent::Line(line.to_vec()));
        while let Some((number, event)) = streams.poll() {
            agent.handle(&mut streams, number, event);
        }
        while let Some((session, message)) = agent.poll_control() {
            assert_eq!(session, 7);
            assert!(message.ends_with('\n') && message.lines().count() == 1, "{message}");
            assert!(serde_json::from_str::<serde_json::Value>(&message).is_ok(), "{message}");
        }
        while let Some((stream, _)) = streams.poll_connect() {
            streams.lost(stream);
        }
        streams.set_now(streams.now() + Duration::from_millis(10));
        if agent.poll_timeout().is_some_and(|due| due <= streams.now()) {
            agent.handle_timeout(&mut streams);
        }
    }
    agent.control(&mut streams, 7, ControlEvent::Closed);
});
