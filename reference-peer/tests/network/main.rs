//! Streams over real TCP connections, on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod agent;
mod echo;
mod hostile;
mod many;
mod prelude;
mod raw;
mod server;

use crate::prelude::*;
use rustix::process::{Resource, getrlimit, setrlimit};
use std::net::{IpAddr, Ipv4Addr};

const LOOPBACK: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

fn host(seed: u32) -> Host {
    Host::new(Streams::new(Memory::seeded(seed)), HostOptions::default()).unwrap()
}

fn config() -> Config {
    Config::new(Role::Initiator, Accessor { stream: 0, protection_domain: 1 })
}

/// Lets this process have as many sockets as it may: it has both ends of each connection.
fn raise_socket_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}
