use super::{Record, Recorder};
use crate::operation::Event;
use crate::pipeline::{Item, ItemContext, PacketItem, Sink};
use crate::table::tests::read;
use crate::ulp::rpc::RpcKind;
use std::collections::HashMap;

/// Counts items beside the recorder: segments, their bytes, ended messages, operations, calls, and
/// replies without calls.
#[derive(Default)]
struct Counted {
    recorder: Recorder,
    counts: [u64; 6],
}

impl Sink for Counted {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.recorder.packet(packet);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let [segments, bytes, ended, operations, calls, callless] = &mut self.counts;
        match item {
            Item::Segment(segment) => {
                *segments += 1;
                *bytes += u64::from(segment.payload_length);
                *ended += u64::from(segment.completed.is_some());
            }
            Item::Operation(operation) => {
                *operations += u64::from(operation.event != Event::Requested);
            }
            Item::Rpc(rpc) if rpc.kind == RpcKind::Call => *calls += 1,
            Item::Rpc(rpc) => *callless += u64::from(rpc.call.is_none()),
            Item::Setup(_) | Item::Skipped(_) | Item::PlainRpc(_) | Item::Ulp(_) | Item::Io(_) => {}
        }
        self.recorder.item(context, item);
    }
}

/// What is counted in a shipped capture, and what is recorded of it.
fn records(capture: &str) -> ([u64; 6], Vec<Record>) {
    let mut counted = Counted::default();
    read(capture, &mut counted);
    counted.recorder.finish();
    (counted.counts, counted.recorder.take().collect())
}

#[test]
fn every_segment_is_in_one_message_and_every_call_in_one_exchange() {
    let mut captures = 0;
    for folder in ["captures", "synthetic"] {
        let path = format!("{}/../traces/{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(path).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            // Expectations are beside the captures.
            if name.ends_with(".yaml") {
                continue;
            }
            let (counted, records) = records(&format!("{folder}/{name}"));
            let [mut segments, mut bytes, mut ended, mut operations, mut calls, mut callless] =
                [0; 6];
            for record in &records {
                match record {
                    Record::Message(message) => {
                        segments += u64::from(message.segments);
                        bytes += message.bytes;
                        ended += u64::from(message.ended);
                        assert!(message.first_frame <= message.last_frame, "{message:?}");
                        assert!(!message.whole || message.ended, "{message:?}");
                    }
                    Record::Operation(_) => operations += 1,
                    Record::Io(_) => {}
                    Record::Rpc(rpc) => {
                        calls += u64::from(rpc.call.is_some());
                        callless += u64::from(rpc.exchange.is_none());
                    }
                }
            }
            let found = [segments, bytes, ended, operations, calls, callless];
            assert_eq!(found, counted, "{name}");
            captures += 1;
        }
    }
    assert!(captures > 20, "the captures are there");
}

#[test]
fn the_request_of_an_operation_is_a_message() {
    for name in [
        "captures/f1-operations-stock.pcap.zst",
        "captures/g-nfs-v3-cut.pcap.zst",
        "captures/e1-terminate-stock.pcap",
        "synthetic/rfc7306.pcap",
    ] {
        let (_, records) = records(name);
        let mut messages = HashMap::new();
        for record in &records {
            if let Record::Message(message) = record {
                let place = (message.connection.number, message.sender, message.number);
                assert!(messages.insert(place, message.clone()).is_none(), "{name} {place:?}");
            }
        }
        let mut compared = 0;
        for record in &records {
            let Record::Operation(record) = record else { continue };
            let operation = &record.operation;
            let connection = record.connection.number;
            let request = &messages[&(connection, operation.requester, operation.request.message)];
            assert_eq!(request.message, Some(operation.message));
            assert_eq!(request.bytes, operation.request.bytes);
            assert_eq!(request.operation, Some(operation.number));
            compared += 1;
            let Some(response) = &operation.response else { continue };
            let answer = &messages[&(connection, operation.requester.peer(), response.message)];
            assert_eq!(answer.bytes, response.bytes);
            assert_eq!(answer.request_frame, Some(operation.request.last_frame));
        }
        assert!(compared > 0, "{name}");
    }
}

#[test]
fn an_exchange_has_the_names_of_its_program_and_procedure() {
    let names = |capture: &str| -> Vec<_> {
        let (_, records) = records(capture);
        let rpcs = records.into_iter().filter_map(|record| match record {
            Record::Rpc(rpc) => Some((rpc.exchange, rpc.program_name(), rpc.procedure_name())),
            _ => None,
        });
        rpcs.collect()
    };
    // By the plan of the capture, the call of exchange 4 is in a read chunk.
    let planned = names("synthetic/rpcordma.pcap");
    assert!(planned.contains(&(Some(1), Some("NFS"), Some("GETATTR"))), "{planned:?}");
    assert!(planned.contains(&(Some(4), Some("NFS"), Some("WRITE"))), "{planned:?}");
    // A compound is reported by its operation, a NULL by its procedure.
    let compounds = names("captures/g-nfs-v4.1-cut.pcap.zst");
    assert!(compounds.contains(&(Some(1), Some("NFS"), Some("NULL"))), "{compounds:?}");
    assert!(compounds.contains(&(Some(2), Some("NFS"), Some("EXCHANGE_ID"))), "{compounds:?}");
    assert!(compounds.iter().all(|(.., name)| *name != Some("COMPOUND")), "{compounds:?}");
}
