use super::{Record, Recorder};
use crate::capture::CaptureReader;
use crate::operation::Event;
use crate::pipeline::{Item, ItemContext, Options, PacketItem, Pipeline, Sink};
use crate::rpc::RpcKind;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Counts items beside the recorder.
#[derive(Default)]
struct Counted {
    recorder: Recorder,
    segments: u64,
    bytes: u64,
    ended: u64,
    calls: u64,
    replies_without_call: u64,
    operations: u64,
}

impl Sink for Counted {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.recorder.packet(packet);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        match item {
            Item::Segment(segment) => {
                self.segments += 1;
                self.bytes += u64::from(segment.payload_length);
                self.ended += u64::from(segment.completed.is_some());
            }
            Item::Operation(operation) => {
                self.operations += u64::from(operation.event != Event::Requested);
            }
            Item::Rpc(rpc) if rpc.kind == RpcKind::Call => self.calls += 1,
            Item::Rpc(rpc) => self.replies_without_call += u64::from(rpc.call.is_none()),
            Item::Setup(_) | Item::Skipped(_) | Item::PlainRpc(_) => {}
        }
        self.recorder.item(context, item);
    }
}

/// The captures of this project.
fn captures() -> Vec<PathBuf> {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces");
    let mut files = Vec::new();
    for folder in ["captures", "synthetic"] {
        let entries = std::fs::read_dir(traces.join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        // Expectations are beside the captures.
        files.extend(paths.filter(|path| path.extension().is_none_or(|it| it != "yaml")));
    }
    assert!(files.len() > 20, "the captures are there");
    files
}

fn records(file: &Path) -> (Counted, Vec<Record>) {
    let mut reader = CaptureReader::open(file).unwrap();
    let mut pipeline = Pipeline::new(Options::default());
    let mut counted = Counted::default();
    let mut records = Vec::new();
    while let Some(frame) = reader.next_frame().unwrap() {
        pipeline.frame(&frame, &mut counted);
        records.extend(counted.recorder.take());
    }
    pipeline.finish(&mut counted);
    counted.recorder.finish();
    records.extend(counted.recorder.take());
    (counted, records)
}

#[test]
fn every_segment_is_in_one_message_and_every_call_in_one_exchange() {
    for file in captures() {
        let (counted, records) = records(&file);
        let (mut segments, mut bytes, mut ended) = (0, 0, 0);
        let (mut operations, mut calls, mut callless) = (0, 0, 0);
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
                Record::Rpc(rpc) => {
                    calls += u64::from(rpc.call.is_some());
                    callless += u64::from(rpc.exchange.is_none());
                }
            }
        }
        let found = [segments, bytes, ended, operations, calls, callless];
        let expected = [
            counted.segments,
            counted.bytes,
            counted.ended,
            counted.operations,
            counted.calls,
            counted.replies_without_call,
        ];
        assert_eq!(found, expected, "{}", file.display());
    }
}

#[test]
fn the_request_of_an_operation_is_a_message() {
    let captures = captures();
    let captured = |name: &str| {
        captures.iter().find(|file| file.to_string_lossy().contains(name)).unwrap().clone()
    };
    for name in ["f1-operations-stock", "g-nfs-v3-cut", "e1-terminate-stock", "rfc7306"] {
        let (_, records) = records(&captured(name));
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
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces");
    let names = |capture: &str| -> Vec<_> {
        let (_, records) = records(&captures.join(capture));
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
