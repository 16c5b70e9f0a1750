//! The hand-made vectors: every field decoded, every legal message written again; and properties that
//! hold for all values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

#[path = "vectors/file.rs"]
mod file;
#[path = "vectors/headers.rs"]
mod headers;
#[path = "vectors/iscsi.rs"]
mod iscsi;
#[path = "vectors/iser.rs"]
mod iser;
#[path = "vectors/legal.rs"]
mod legal;
#[path = "vectors/mpa.rs"]
mod mpa;
#[path = "vectors/nvme.rs"]
mod nvme;
#[path = "vectors/properties.rs"]
mod properties;
#[path = "vectors/rpc.rs"]
mod rpc;
#[path = "vectors/segment.rs"]
mod segment;
#[path = "vectors/shown.rs"]
mod shown;
#[path = "vectors/smb_direct.rs"]
mod smb_direct;
#[path = "vectors/stream.rs"]
mod stream;

use file::{Value, Vector};
use shown::{Decode, Read, Report};
use std::collections::BTreeMap;
use warpscope_wire::Malformed;
use warpscope_wire::iscsi::PduView;
use warpscope_wire::rdmap::{Message, Profile, RdmapControlView};
use warpscope_wire::rpc::RpcView;
use warpscope_wire::rpcrdma::HeaderView;

/// The kinds of messages that the codec has, and what decodes them; segments by message besides.
pub(crate) const KINDS: &[(&str, Decode)] = &[
    ("atomic_request", headers::atomic_request),
    ("atomic_response", headers::atomic_response),
    ("atomic_write_request", headers::atomic_write_request),
    ("ddp_tagged", headers::ddp_tagged),
    ("ddp_untagged", headers::ddp_untagged),
    ("flush_request", headers::flush_request),
    ("fpdu", mpa::fpdu),
    ("immediate_data", headers::immediate_data),
    ("iser_control", iser::header),
    ("iser_hello", iser::header),
    ("iser_hello_reply", iser::header),
    ("iser_private_data", iser::private_data),
    ("mpa_enhanced", mpa::enhanced),
    ("mpa_marker", mpa::marker),
    ("mpa_reply", mpa::setup),
    ("mpa_request", mpa::setup),
    ("nvme_command", nvme::command),
    ("nvme_connect", nvme::connect),
    ("nvme_cqe", nvme::completion),
    ("nvme_dataset_management", nvme::dataset_management),
    ("nvme_fabrics", nvme::fabrics),
    ("nvme_identify", nvme::identify),
    ("nvme_property_get", nvme::property_get),
    ("nvme_property_set", nvme::property_set),
    ("nvme_rdma_cm_accept", nvme::accept),
    ("nvme_rdma_cm_reject", nvme::reject),
    ("nvme_rdma_cm_request", nvme::request),
    ("nvme_read", nvme::read_or_write),
    ("nvme_write", nvme::read_or_write),
    ("rdma_private_data", mpa::private_data),
    ("rdma_read_request", headers::read_request),
    ("rdma_read_v2_request", headers::read_v2_request),
    ("rdmap_control", headers::rdmap_control),
    ("rpc_call", rpc::rpc),
    ("rpc_over_rdma", rpc::rpc_over_rdma),
    ("rpc_reply", rpc::rpc),
    ("segment", segment::segment),
    ("smb_direct_buffer_descriptor_v1", smb_direct::buffer_descriptors),
    ("smb_direct_data_transfer", smb_direct::data_transfer),
    ("smb_direct_negotiate_request", smb_direct::negotiate_request),
    ("smb_direct_negotiate_response", smb_direct::negotiate_response),
    ("terminate", headers::terminate),
    ("verify_request", headers::verify_request),
    ("verify_response", headers::verify_response),
];

/// What the codec makes of bytes that it cannot read.
type Refuse = fn(&[u8]) -> Option<Malformed>;

/// The kinds that cannot be read: cut short, or with an opcode that nothing goes with.
const REFUSED: &[(&str, Refuse)] = &[
    ("iscsi_truncated", |bytes| PduView::parse(bytes).err()),
    ("iser_opcode", |bytes| iser::header(bytes).err()),
    ("iser_private_data_truncated", |bytes| iser::private_data(bytes).err()),
    ("iser_truncated", |bytes| iser::header(bytes).err()),
    ("nvme_command_truncated", |bytes| nvme::command(bytes).err()),
    ("nvme_cqe_truncated", |bytes| nvme::completion(bytes).err()),
    ("nvme_rdma_cm_request_truncated", |bytes| nvme::request(bytes).err()),
    ("smb_direct_buffer_descriptor_v1_truncated", |bytes| {
        smb_direct::buffer_descriptors(bytes).err()
    }),
    ("smb_direct_data_transfer_truncated", |bytes| smb_direct::data_transfer(bytes).err()),
    ("smb_direct_negotiate_request_truncated", |bytes| smb_direct::negotiate_request(bytes).err()),
    ("smb_direct_negotiate_response_truncated", |bytes| {
        smb_direct::negotiate_response(bytes).err()
    }),
];

/// The kinds that the codec reads and does not write.
fn reader(vector: &Vector) -> Option<Read> {
    let private_data = ("smb_direct_private_data", smb_direct::private_data as Read);
    let mut kinds = iscsi::kinds().chain([private_data]);
    kinds.find(|(name, _)| *name == vector.message).map(|(_, read)| read)
}

/// Streams of FPDUs are walked, not decoded as one message.
const STREAM: &str = "fpdu_stream";

/// Illegal vectors whose header has a repr all the same, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "rpcrdma-xid-mismatch",
        "the header and the RPC message are legal each by itself: that their XIDs agree is a rule \
         about both (RFC 8166 section 4.2.1), above a codec that reads one at a time",
    ),
    (
        "iser-hello-too-long",
        "the header is legal by itself: that nothing follows it is a rule about the message (RFC \
         7145 section 9.3)",
    ),
    (
        "nvme-connect-sqsize-zero",
        "Connect has no repr of its own: the one of all commands does not look into their dwords",
    ),
    (
        "nvme-cqe-phase-and-sqid",
        "the codec takes a CQE with any value, also those that only memory-based transports have",
    ),
    (
        "nvme-fabrics-reserved-type",
        "the repr of all commands does not look into the type of a Fabrics command",
    ),
];

/// Legal vectors that no repr writes, and why.
const UNWRITTEN: &[(&str, &str)] = &[
    ("smb-direct-data-transfer-far-offset", "the codec writes data at offset 24 alone"),
    ("smb-direct-negotiate-response-not-supported", "the codec writes responses that accept alone"),
];

fn decoder(vector: &Vector) -> Option<Decode> {
    KINDS.iter().find(|(name, _)| *name == vector.message).map(|(_, decode)| *decode)
}

#[test]
fn every_vector() {
    let mut report = Report::default();
    for vector in &file::load() {
        if vector.message == STREAM {
            stream::check(&mut report, vector);
            continue;
        }
        if let Some((_, refuse)) = REFUSED.iter().find(|(name, _)| *name == vector.message) {
            report.check_refused(vector, refuse(&vector.bytes));
            continue;
        }
        if let Some(read) = reader(vector) {
            report.check_read(vector, read);
            if vector.message.starts_with("iscsi_") {
                report.same(vector, "type", true, iscsi::is(&vector.message, &vector.bytes));
            }
            continue;
        }
        let Some(decode) = decoder(vector) else {
            report.fail(vector, &format!("unknown kind {}", vector.message));
            continue;
        };
        match decode(&vector.bytes) {
            Ok(shown) => {
                report.check_fields(vector, &shown.fields, shown.payload);
                let mut exceptions = EXCEPTIONS.iter().chain(UNWRITTEN);
                if !exceptions.any(|(name, _)| *name == vector.name) {
                    report.check_repr(vector, &shown);
                }
            }
            Err(malformed) => report.fail(vector, &malformed.to_string()),
        }
        report.check_truncated(vector, decode);
        if let Some((version, opcode)) = control_of(vector) {
            let control = RdmapControlView(version << 6 | opcode);
            segment::check_profiles(&mut report, vector, control);
        }
    }
    report.finish();
}

/// RDMAP version and opcode, as the vector says.
fn control_of(vector: &Vector) -> Option<(u8, u8)> {
    match (vector.fields.get("rdmap_version")?, vector.fields.get("opcode")?) {
        (Value::Number(version), Value::Number(opcode)) => Some((*version as u8, *opcode as u8)),
        _ => None,
    }
}

/// An exception stands for a vector that is there, is illegal, and does have a repr; or is legal, and
/// has none.
#[test]
fn exceptions_are_needed() {
    let vectors = file::load();
    let both = [(EXCEPTIONS, false), (UNWRITTEN, true)];
    for ((name, reason), legal) in
        both.into_iter().flat_map(|(list, legal)| list.iter().map(move |entry| (entry, legal)))
    {
        let vector = vectors.iter().find(|vector| vector.name == *name).unwrap();
        let shown = decoder(vector).unwrap()(&vector.bytes).unwrap();
        let needed = vector.legal == legal && shown.repr.is_err() == legal;
        assert!(needed, "{name}: no exception any more: {reason}");
    }
}

#[test]
fn mismatched_xids_are_both_shown() {
    let vectors = file::load();
    let vector = vectors.iter().find(|vector| vector.name == "rpcrdma-xid-mismatch").unwrap();
    let (header, message) = HeaderView::parse(&vector.bytes).unwrap();
    let (rpc, _) = RpcView::parse(message).unwrap();
    assert_eq!((header.xid(), rpc.xid()), (0x8700_0e0e, 0x8700_0e0f));
}

/// Every kind has vectors, and every RDMAP message a legal segment.
#[test]
fn every_kind_has_vectors() {
    let vectors = file::load();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (name, _) in KINDS {
        counts.insert((*name).to_owned(), 0);
    }
    counts.insert(STREAM.to_owned(), 0);
    let refused = REFUSED.iter().map(|(name, _)| *name);
    for name in iscsi::kinds().map(|(name, _)| name).chain(refused) {
        counts.insert(name.to_owned(), 0);
    }
    counts.insert("smb_direct_private_data".to_owned(), 0);
    for message in Message::all() {
        counts.insert(segment_kind(message), 0);
    }
    for vector in &vectors {
        *counts.get_mut(&vector.message).unwrap() += 1;
        if let Some((version, opcode)) = control_of(vector).filter(|_| vector.legal)
            && vector.message == "segment"
        {
            let control = RdmapControlView(version << 6 | opcode);
            let message = Message::from_control(control, Profile::ALL).unwrap();
            *counts.get_mut(&segment_kind(message)).unwrap() += 1;
        }
    }
    println!("{} vectors: {counts:#?}", vectors.len());
    let missing: Vec<_> = counts.iter().filter(|(_, count)| **count == 0).collect();
    assert!(missing.is_empty(), "no vectors for {missing:?}");
    let opcodes: Vec<u8> = Message::all().map(|message| message.info().opcode).collect();
    assert!((0x00..=0x16).all(|opcode| opcodes.contains(&opcode)));
}

fn segment_kind(message: Message) -> String {
    let info = message.info();
    format!("segment {:#04x} {}", info.opcode, info.name)
}
