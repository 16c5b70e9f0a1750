//! The tables of conversations and of their participants.

use super::column::columns;
use crate::statistics::{Conversation, Party, PartyTraffic};
use warpscope_text::decimal_seconds;

/// Returns an address, with its port if it has one.
fn party((address, port): Party) -> String {
    match port {
        None => address.to_string(),
        Some(port) => format!("{address}:{port}"),
    }
}

/// Returns a number of bytes as tshark shortens it: `9999 bytes`, `10 kB`, `12 MB`.
fn size(bytes: u64) -> String {
    let units =
        [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes / unit >= 10) {
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

columns! {
    /// The columns of conversations, as tshark prints them.
    CONVERSATIONS: Conversation, |row|
    address_a: Text = party(row.parties[0]), "The party that sent the first frame"
        .heading("A", 0);
    between: Text = "<->", "" .people("", false, 0, |_, _| "<->".to_owned());
    address_b: Text = party(row.parties[1]), "The other party" .heading("B", 0);
    frames_to_a: U64 = row.sent[1].frames, "Frames that B sent" .heading("<- frames", 0);
    bytes_to_a: U64 = row.sent[1].bytes, "Their bytes" .heading("<- bytes", 0).text(|row, _| size(row.sent[1].bytes));
    frames_to_b: U64 = row.sent[0].frames, "Frames that A sent" .heading("-> frames", 0);
    bytes_to_b: U64 = row.sent[0].bytes, "Their bytes" .heading("-> bytes", 0).text(|row, _| size(row.sent[0].bytes));
    frames: U64 = row.total().frames, "Frames of both" .heading("frames", 0);
    bytes: U64 = row.total().bytes, "Their bytes" .heading("bytes", 0)
        .text(|row, _| size(row.total().bytes));
    start: I64 = row.times[0], "From the capture's first frame to its first" .unit("ns").heading("start", 0)
        .text(|row, _| decimal_seconds(row.times[0], 9));
    duration: I64 = row.times[1] - row.times[0], "From its first frame to its last" .unit("ns").heading("duration", 0)
        .text(|row, _| format!("{:.4}", (row.times[1] - row.times[0]) as f64 / 1e9));
}

columns! {
    /// The columns of participants, as tshark prints them.
    PARTIES: PartyTraffic, |row|
    address: Text = row.party.0.to_string(), "The address" .heading("address", 0);
    port: U32 = row.party.1, "The port of TCP" .null("it is an address alone") .heading("port", 0);
    frames: U64 = (row.sent + row.received).frames, "Frames sent and received" .heading("frames", 0);
    bytes: U64 = (row.sent + row.received).bytes, "Their bytes" .heading("bytes", 0);
    sent_frames: U64 = row.sent.frames, "Frames sent" .heading("sent frames", 0);
    sent_bytes: U64 = row.sent.bytes, "Their bytes" .heading("sent bytes", 0);
    received_frames: U64 = row.received.frames, "Frames received" .heading("received frames", 0);
    received_bytes: U64 = row.received.bytes, "Their bytes" .heading("received bytes", 0);
}
