//! What a real Linux client said to a Linux server, said again to this one: with the handles that this
//! server gave, every call must get the status that it got there, and every READ the same data.
//!
//! `WARPSCOPE_NFS_CAPTURE` names another capture of NFSv3 to be said again, from its mount on.

use crate::prelude::*;
use crate::refused::judged_root;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::nfs::summarise;
use warpscope_dissector::pipeline::{Item, ItemContext, Pipeline, Sink};
use warpscope_dissector::ulp::rpc::RpcKind;
use warpscope_nfs::procedure;
use warpscope_nfs::rpc::Reader;

/// A captured message of NFS.
struct CapturedMessage {
    call: bool,
    xid: u32,
    procedure: Procedure,
    /// The RPC message of a call, the results of a reply without what went by write chunks.
    bytes: Vec<u8>,
    arguments_at: usize,
    /// The file data of a READ's reply.
    data: Option<Vec<u8>>,
}

#[derive(Default)]
struct Collector(Vec<CapturedMessage>);

impl Sink for Collector {
    fn item(&mut self, _: &ItemContext<'_>, item: &Item<'_>) {
        let Item::Rpc(rpc) = item else { return };
        let Some((procedure, direction, body)) = rpc.carried() else { return };
        if procedure.program != Procedure::NFS || !rpc.whole {
            return;
        }
        let call = rpc.kind == RpcKind::Call;
        let bytes = if call { rpc.message } else { rpc.body }.to_vec();
        let arguments_at = rpc.message.len() - rpc.body.len();
        let data = summarise(&procedure, direction, &body).ok().and_then(|summary| {
            let range = summary.operations.first()?.data.first().copied()?;
            Some(range.bytes(&body).to_vec())
        });
        self.0.push(CapturedMessage { call, xid: rpc.xid, procedure, bytes, arguments_at, data });
    }
}

fn captured_messages(path: &Path) -> Vec<CapturedMessage> {
    let mut reader = CaptureReader::open(path).unwrap();
    let mut collector = Collector::default();
    Pipeline::default().read(&mut reader, &mut collector, |_| {}).unwrap();
    collector.0
}

/// The handles that results give, each with what it is of.
fn handles(procedure: u32, results: &[u8]) -> Option<HashMap<Vec<u8>, Vec<u8>>> {
    let mut reader = Reader::new(results);
    let skip_attributes = |reader: &mut Reader<'_>| {
        if reader.boolean("attributes").ok()? {
            reader.fixed::<84>("attributes").ok()?;
        }
        Some(())
    };
    let mut found = HashMap::new();
    if reader.word("status").ok()? != 0 {
        return None;
    }
    match procedure {
        procedure::LOOKUP => {
            found.insert(Vec::new(), reader.opaque("handle", 64).ok()?.to_vec());
        }
        procedure::CREATE | procedure::MKDIR | procedure::SYMLINK => {
            reader.boolean("handle follows").ok()?.then_some(())?;
            found.insert(Vec::new(), reader.opaque("handle", 64).ok()?.to_vec());
        }
        procedure::READDIRPLUS => {
            skip_attributes(&mut reader)?;
            reader.long("verifier").ok()?;
            while reader.boolean("entry follows").ok()? {
                reader.long("file ID").ok()?;
                let name = reader.opaque("name", 255).ok()?.to_vec();
                reader.long("cookie").ok()?;
                skip_attributes(&mut reader)?;
                if reader.boolean("handle follows").ok()? {
                    found.insert(name, reader.opaque("handle", 64).ok()?.to_vec());
                }
            }
        }
        _ => {}
    }
    Some(found)
}

/// A call with this server's handles in place of the captured ones.
fn translated(message: &CapturedMessage, handles: &HashMap<Vec<u8>, Vec<u8>>) -> Vec<u8> {
    let (header, arguments) = message.bytes.split_at(message.arguments_at);
    let mut call = header.to_vec();
    let mut at = 0;
    while at < arguments.len() {
        let mut reader = Reader::new(&arguments[at..]);
        // Handles stand at the front: data is not searched for them.
        let own = reader.opaque("handle", 64).ok().filter(|_| at < 300);
        if let Some(own) = own.and_then(|handle| handles.get(handle)) {
            call.extend_from_slice(&(own.len() as u32).to_be_bytes());
            call.extend_from_slice(own);
            at = arguments.len() - reader.rest().len();
        } else {
            let end = (at + 4).min(arguments.len());
            call.extend_from_slice(&arguments[at..end]);
            at = end;
        }
    }
    call
}

#[test]
fn a_linux_client_gets_what_it_got_from_linux() {
    let shipped =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/captures/g-nfs-v3-cut.pcap.zst");
    let path = std::env::var_os("WARPSCOPE_NFS_CAPTURE").map_or(shipped, PathBuf::from);
    let (_folder, mut judged) = server();
    let root = judged_root(&mut judged);
    let (mut ours, mut known) = (HashMap::new(), HashMap::new());
    let (mut compared, mut read) = (HashMap::<&str, u32>::new(), 0);
    for message in captured_messages(&path) {
        let number = message.procedure.procedure;
        let name = message.procedure.name().unwrap();
        if message.call {
            if number == procedure::FSINFO && known.is_empty() {
                let handle =
                    Reader::new(&message.bytes[message.arguments_at..]).opaque("handle", 64);
                known.insert(handle.unwrap().to_vec(), root.clone());
            }
            let reply = judged.server.answer(&translated(&message, &known)).bytes;
            ours.insert(message.xid, reply);
            continue;
        }
        let Some(reply) = ours.remove(&message.xid) else { continue };
        let Some((0, results)) = accepted(&reply) else { panic!("{name} is refused") };
        judge(&message.procedure, Direction::Reply, results);
        assert_eq!(results.get(..4), message.bytes.get(..4), "status of {name} {:#x}", message.xid);
        let summary = summarise(&message.procedure, Direction::Reply, &Body::new(results)).unwrap();
        if let Some(data) = &message.data {
            let range = summary.operations[0].data[0];
            assert!(range.bytes(&Body::new(results)) == data, "data of {name} {:#x}", message.xid);
            read += data.len();
        }
        *compared.entry(name).or_default() += 1;
        let theirs = handles(number, &message.bytes);
        for (of, handle) in theirs.into_iter().flatten() {
            if let Some(own) = handles(number, results).and_then(|own| own.get(&of).cloned()) {
                known.insert(handle, own);
            }
        }
    }
    println!("compared {compared:?}, {read} bytes of data");
    for name in ["FSINFO", "PATHCONF", "GETATTR", "ACCESS", "MKDIR", "LOOKUP", "CREATE", "WRITE"] {
        assert!(compared.get(name).is_some_and(|count| *count > 0), "no {name}");
    }
}
