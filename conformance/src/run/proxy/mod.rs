//! The proxy's sockets: `listener` takes connections, each of which gets a `target` connection and a
//! thread (`pair`) that moves bytes between them as [`crate::proxy::Relay`] says.

mod listener;
mod pair;
mod socket;
mod target;

pub use listener::{Proxy, ProxyOptions};
