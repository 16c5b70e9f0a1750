//! The NFS 4.1 and 4.2 server against the text: RFC 8881, RFC 7862 and RFC 8276, read by one who had
//! not read the server. Calls are built and replies are read by an XDR of its own ([`xdr`]), from the
//! figures of those texts; nothing of the project's encoders is used. Where a text leaves an answer
//! open, each legal answer passes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod callbacks;
mod clients;
mod compounds;
mod locks;
mod minor_2;
mod names;
mod opens;
mod prelude;
mod sequences;
mod stateids;
mod xdr;
