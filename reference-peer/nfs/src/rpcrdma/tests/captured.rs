//! What Linux clients and servers sent each other, judged as this peer would: every header can be
//! used, every reply repeats the chunks of its call, and what this peer would answer with goes the
//! way that it went.

use crate::rpc::RpcMessage;
use crate::rpcrdma::compose::{repeats, total};
use crate::rpcrdma::responder::{Context, Incoming, respond};
use crate::rpcrdma::{RpcRdmaConfig, Thresholds};
use std::collections::HashMap;
use std::path::Path;
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::pipeline::{Item, ItemContext, Pipeline, Sink};
use warpscope_peer::bug::Bugs;
use warpscope_wire::mpa::SetupView;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::{Chunks, HeaderView};

const CLIENT: usize = 0;
const SERVER: usize = 1;

/// Sends of a connection: by whom, and what.
#[derive(Debug, Default)]
struct Connection {
    private_data: [Vec<u8>; 2],
    sends: Vec<(usize, Vec<u8>)>,
}

#[derive(Default)]
struct Collector(HashMap<u32, Connection>);

impl Sink for Collector {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let connection = self.0.entry(context.connection.number).or_default();
        let Some(initiator) = context.negotiation.initiator() else { return };
        let side = if context.side == initiator { CLIENT } else { SERVER };
        match item {
            Item::Setup(setup) => {
                let view = SetupView::parse(setup.bytes).map(|(view, _)| view);
                connection.private_data[side] =
                    view.map(|view| view.private_data.to_vec()).unwrap_or_default();
            }
            Item::Segment(segment) => {
                let Some(completed) = &segment.completed else { return };
                let send = segment.message.is_some_and(Message::is_send);
                if send && completed.whole && completed.length > 0 {
                    connection.sends.push((side, completed.bytes.to_vec()));
                }
            }
            _ => {}
        }
    }
}

fn connections(name: &str) -> Vec<Connection> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/captures").join(name);
    let mut reader = CaptureReader::open(&path).unwrap();
    let mut collector = Collector::default();
    Pipeline::default().read(&mut reader, &mut collector, |_| {}).unwrap();
    collector.0.into_values().filter(|it| !it.sends.is_empty()).collect()
}

/// What was heard: calls forward and backward, and replies to them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Heard {
    calls: [usize; 2],
    replies: [usize; 2],
    reads: usize,
}

/// Both ends hear what the other sent.
fn hear(connection: &Connection, heard: &mut Heard) {
    // Linux servers take and send 4096 bytes, and calls of 1 MiB and more.
    let configs = [RpcRdmaConfig::client(16), RpcRdmaConfig::server(64)];
    let mut open: [HashMap<u32, Chunks>; 2] = Default::default();
    for (side, bytes) in &connection.sends {
        let hears = 1 - side;
        let waits = |xid: u32| open[hears].contains_key(&xid);
        let context = Context { config: &configs[hears], waits: &waits };
        match context.judge(bytes) {
            Incoming::Call(call) => {
                heard.calls[*side] += 1;
                heard.reads += usize::from(!call.chunks.reads.is_empty());
                open[*side].insert(call.xid, call.chunks);
            }
            Incoming::Reply(reply) => {
                heard.replies[*side] += 1;
                let offered = open[hears].remove(&reply.xid).unwrap();
                assert_eq!(offered.writes.len(), reply.chunks.writes.len());
                for (offered, returned) in offered.writes.iter().zip(&reply.chunks.writes) {
                    assert!(repeats(offered, returned));
                }
                if let Some(returned) = &reply.chunks.reply {
                    assert!(repeats(offered.reply.as_ref().unwrap(), returned));
                }
                assert!(reply.credits > 0);
                let moved: u64 = reply.chunks.writes.iter().map(|chunk| total(chunk)).sum();
                if let Some(payload) = reply.payload {
                    same_way(connection, payload, moved, &offered, bytes);
                }
            }
            other => panic!("{side} {other:?}: {bytes:02x?}"),
        }
    }
}

/// This peer's answer to the same call has the header of the real one, but for credits.
fn same_way(connection: &Connection, payload: &[u8], moved: u64, offered: &Chunks, real: &[u8]) {
    let (view, _) = HeaderView::parse(real).unwrap();
    let config = RpcRdmaConfig::server(view.credits());
    let thresholds = Thresholds::new(&config, &connection.private_data[CLIENT]);
    // What went by a write chunk is at the end, as in READ and READLINK of NFS version 3; of
    // version 4 that does not hold, and makes no difference to the header.
    let mut message = RpcMessage::plain(payload.to_vec());
    if moved > 0 {
        let start = message.bytes.len();
        message.bytes.resize((start + moved as usize).next_multiple_of(4), 0);
        message.eligible.push(start..start + moved as usize);
    }
    let outgoing = respond(view.xid(), &message, offered, &config, thresholds.send);
    assert_eq!(config.bugs, Bugs::NONE);
    let (ours, rest) = HeaderView::parse(&outgoing.bytes).unwrap();
    let (Some(ours), Some(theirs)) = (ours.body.chunks(), view.body.chunks()) else {
        panic!("an error: {outgoing:?}")
    };
    assert_eq!((&ours.reads, &ours.writes), (&theirs.reads, &theirs.writes));
    assert_eq!(rest, payload);
}

#[test]
fn linux_headers_are_understood() {
    for name in ["g-nfs-v3-cut.pcap.zst", "g-nfs-v4.1-cut.pcap.zst"] {
        let mut heard = Heard::default();
        for connection in connections(name) {
            hear(&connection, &mut heard);
        }
        // The captures end while calls with read chunks wait for their replies.
        let Heard { calls, replies, reads, .. } = heard;
        assert!(calls[CLIENT] > 30 && replies[SERVER] > 30 && reads > 10, "{name}: {heard:?}");
        assert_eq!((calls[SERVER], replies[CLIENT]), (0, 0), "{name}");
    }
}
