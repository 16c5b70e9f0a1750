//! What most tests here use.

pub(crate) use crate::raw::Raw;
pub(crate) use crate::server::{PATIENCE, Server};
pub(crate) use crate::{LOOPBACK, config, host};
pub(crate) use std::io::Write;
pub(crate) use std::net::{SocketAddr, TcpStream};
pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::{AtomicBool, Ordering};
pub(crate) use std::time::{Duration, Instant};
pub(crate) use warpscope_peer::connection::{Config, Event, Role};
pub(crate) use warpscope_peer::memory::{Accessor, Memory, Registration, Rights};
pub(crate) use warpscope_peer::network::{Host, HostOptions};
pub(crate) use warpscope_peer::service::Service;
pub(crate) use warpscope_peer::streams::{StreamEvent, Streams};
pub(crate) use warpscope_peer::work::{Operation, Outcome, RemoteBuffer, WorkRequest};
