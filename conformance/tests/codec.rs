//! The layouts and the codec were written from the figures by two authors. Here each reads what
//! the other wrote.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

use proptest::prelude::*;
use std::sync::LazyLock;
use warpscope_conformance::layout::{Fields, Given, Layouts};
use warpscope_wire::ddp::HeaderView;
use warpscope_wire::mpa::{
    Enhanced, Marker, Mode, RdmaPrivateData, ReadyToReceive, Revision, Setup,
};
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicResponse, AtomicWriteRequest, Buffer, Destination,
    FlushRequest, Message, Payload, RdmapControl, ReadRequest, ReadV2Request, Segment, Terminate,
    VerifyRequest,
};
use warpscope_wire::rpc::{Auth, Reply, ReplyBody};
use warpscope_wire::rpcrdma::{Body, Chunks, Header, ReadSegment, TransportError};
use warpscope_wire::{BufferTooSmall, Writer};

/// The layouts' name of a message.
fn name(message: Message) -> &'static str {
    match message {
        Message::Write => "rdma_write",
        Message::ReadRequest => "rdma_read_request",
        Message::ReadResponse => "rdma_read_response",
        Message::Send => "send",
        Message::SendInvalidate => "send_with_invalidate",
        Message::SendSolicited => "send_with_solicited_event",
        Message::SendSolicitedInvalidate => "send_with_solicited_event_and_invalidate",
        Message::Terminate => "terminate",
        Message::Immediate => "immediate_data",
        Message::ImmediateSolicited => "immediate_data_with_solicited_event",
        Message::AtomicRequest => "atomic_request",
        Message::AtomicResponse => "atomic_response",
        Message::FlushRequest => "flush_request",
        Message::FlushResponse => "flush_response",
        Message::VerifyRequest => "verify_request",
        Message::VerifyResponse => "verify_response",
        Message::AtomicWriteRequest => "atomic_write_request",
        Message::AtomicWriteResponse => "atomic_write_response",
        Message::ReadV2Request => "rdma_read_request_v2",
        Message::ReadV2Response => "rdma_read_response_v2",
        Message::SendImmediate => "send_with_immediate",
        Message::SendInvalidateImmediate => "send_with_invalidate_and_immediate",
        Message::SendSolicitedImmediate => "send_with_solicited_event_and_immediate",
        Message::SendSolicitedInvalidateImmediate => {
            "send_with_invalidate_solicited_event_and_immediate"
        }
    }
}

static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| Layouts::builtin().unwrap());

/// Every field that was read, to be given again; fields that parts overlay are given by the parts.
fn given(fields: &Fields) -> Vec<(String, Given)> {
    let is_given = |name: &str| name != "reserved_for_ulp" && !name.contains('[');
    let fields = fields.all().iter().filter(|it| is_given(&it.name));
    fields.map(|it| (it.name.clone(), it.value.clone())).collect()
}

/// Reads bytes that the codec wrote with a layout; wants those fields, and the bytes again.
fn header(layout: &str, bytes: &[u8], wanted: &[(&str, u64)]) {
    let layout = LAYOUTS.layout(layout).unwrap();
    let fields = layout.read(bytes).unwrap();
    for (name, value) in wanted {
        assert_eq!(fields.number(name), Some(*value), "{name} of {}", layout.name());
    }
    assert_eq!(fields.length(), bytes.len());
    assert_eq!(layout.compose(&given(&fields)).unwrap(), bytes, "{}", layout.name());
    let only: Vec<(String, Given)> =
        wanted.iter().map(|(name, value)| ((*name).to_owned(), Given::Number(*value))).collect();
    if !fields.all().iter().any(|it| matches!(&it.value, Given::Bytes(some) if !some.is_empty())) {
        assert_eq!(layout.compose(&only).unwrap(), bytes, "{} of these alone", layout.name());
    }
}

fn emitted(emit: impl Fn(&mut Writer<'_>)) -> Vec<u8> {
    written(|buffer| {
        let mut writer = Writer::new(buffer);
        emit(&mut writer);
        writer.finish()
    })
}

/// What is written into a buffer, by what its length is known from.
fn written(emit: impl FnOnce(&mut [u8]) -> Result<usize, BufferTooSmall>) -> Vec<u8> {
    let mut buffer = vec![0xA5; 4096];
    let length = emit(&mut buffer).unwrap();
    buffer.truncate(length);
    buffer
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn segments(tag: u32, place: u64, msn: u32, mo in 0..0xFFFF_u32, last: bool, bytes in prop::collection::vec(any::<u8>(), 80)) {
        for message in Message::all() {
            let info = message.info();
            let version = if message.requires_version_2() { 2 } else { 1 };
            let control = RdmapControl::new(version, message).unwrap();
            let (payload, last, mo) = match info.payload {
                Payload::Ulp => (&bytes[..usize::from(bytes[0]) % 80], last, mo),
                Payload::Header(length) => (&bytes[..length], true, 0),
                Payload::AtLeast(_) if message == Message::Terminate => (&[0x10, 0, 0, 0][..], true, 0),
                Payload::AtLeast(length) => (&bytes[..length + 32], true, 0),
                Payload::Nothing => (&[][..], true, 0),
                Payload::UlpThenImmediate => (&bytes[..8], true, mo),
            };
            let invalidate = if message.may_invalidate() { tag } else { 0 };
            let destination = match info.buffer {
                Buffer::Tagged => Destination::Tagged { steering_tag: tag, tagged_offset: place },
                Buffer::Queue(_) => Destination::Untagged {
                    invalidate_steering_tag: invalidate,
                    message_sequence_number: msn,
                    message_offset: mo,
                },
            };
            let segment = Segment::new(control, last, destination, payload).unwrap();
            let ulpdu = written(|buffer| segment.emit(buffer));
            let layout = LAYOUTS.message(name(message)).unwrap();
            let fields = layout.read(&ulpdu).unwrap();
            let mut wanted = vec![
                ("last", u64::from(last)),
                ("ddp_reserved", 0),
                ("ddp_version", 1),
                ("rdma_version", u64::from(version)),
                ("rdmap_reserved", 0),
                ("opcode", u64::from(info.opcode)),
            ];
            match info.buffer {
                Buffer::Tagged => wanted.extend([
                    ("tagged", 1),
                    ("steering_tag", u64::from(tag)),
                    ("tagged_offset", place),
                ]),
                Buffer::Queue(queue) => wanted.extend([
                    ("tagged", 0),
                    ("invalidate_steering_tag", u64::from(invalidate)),
                    ("queue_number", u64::from(queue)),
                    ("message_sequence_number", u64::from(msn)),
                    ("message_offset", u64::from(mo)),
                ]),
            }
            for (name, value) in wanted {
                prop_assert_eq!(fields.number(name), Some(value), "{} of {}", name, layout.name());
            }
            let behind = &ulpdu[fields.length()..];
            prop_assert_eq!(layout.compose(&given(&fields), behind).unwrap(), ulpdu);
        }
    }

    #[test]
    fn headers(a: u32, b: u32, c: u32, d: u64, e: u64, f: u64, g: u64, h: u64, hash in prop::collection::vec(any::<u8>(), 0..40)) {
        let (a64, b64, c64) = (u64::from(a), u64::from(b), u64::from(c));
        let request = ReadRequest {
            sink_steering_tag: a,
            sink_tagged_offset: d,
            read_message_size: b,
            source_steering_tag: c,
            source_tagged_offset: e,
        };
        header("read_request", &emitted(|writer| request.emit(writer)), &[
            ("sink_stag", a64), ("sink_to", d), ("size", b64), ("source_stag", c64), ("source_to", e),
        ]);
        let request = ReadV2Request { read_message_size: a, source_steering_tag: b, source_tagged_offset: d };
        header("read_request_v2", &emitted(|writer| request.emit(writer)), &[
            ("size", a64), ("source_stag", b64), ("source_to", d),
        ]);
        let operation = AtomicOperation::CmpSwap { swap_data: e, swap_mask: f, compare_data: g, compare_mask: h };
        let request = AtomicRequest { request_identifier: a, remote_steering_tag: b, remote_tagged_offset: d, operation };
        header("atomic_request", &emitted(|writer| request.emit(writer)), &[
            ("atomic_operation_code", 2), ("request_identifier", a64), ("remote_stag", b64), ("remote_to", d),
            ("add_or_swap_data", e), ("add_or_swap_mask", f), ("compare_data", g), ("compare_mask", h),
        ]);
        let response = AtomicResponse { original_request_identifier: a, original_remote_data_value: d };
        header("atomic_response", &emitted(|writer| response.emit(writer)), &[
            ("original_request_identifier", a64), ("original_remote_data_value", d),
        ]);
        let flags = FlushRequest::flags(a & 1 == 1, a & 2 == 2);
        let request = FlushRequest { data_sink_steering_tag: a, data_sink_length: b, data_sink_tagged_offset: d, disposition_flags: flags };
        header("flush_request", &emitted(|writer| request.emit(writer)), &[
            ("sink_stag", a64), ("length", b64), ("sink_to", d), ("p", a64 & 1), ("g", a64 >> 1 & 1),
        ]);
        let request = VerifyRequest { data_sink_steering_tag: a, data_sink_length: b, data_sink_tagged_offset: d, hash_value: (!hash.is_empty()).then(|| hash.clone()) };
        let bytes = emitted(|writer| request.emit(writer));
        header("verify_request", &bytes, &[("sink_stag", a64), ("length", b64), ("sink_to", d)]);
        let fields = LAYOUTS.layout("verify_request").unwrap().read(&bytes).unwrap();
        prop_assert_eq!(fields.bytes("hash_value"), Some(&hash[..]));
        let request = AtomicWriteRequest { data_sink_steering_tag: a, data_sink_tagged_offset: d, data: e };
        header("atomic_write_request", &emitted(|writer| request.emit(writer)), &[
            ("sink_stag", a64), ("length", 8), ("sink_to", d), ("data", e),
        ]);
        let pointer = u16::try_from(a & 0xFFFC).unwrap();
        header("marker", &Marker::new(pointer).unwrap().bytes(), &[("fpduptr", u64::from(pointer))]);
    }

    #[test]
    fn setup_frames(markers: bool, crc: bool, rejected: bool, reply: bool, bits in 1..8_u8, ird in 0..0x4000_u16, ord in 0..0x4000_u16, data in prop::collection::vec(any::<u8>(), 0..508)) {
        let (send, write, read) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
        let mode = Mode::PeerToPeer(ReadyToReceive::new(send, write, read).unwrap());
        let enhanced = Enhanced::new(mode, ird, ord).unwrap();
        for (revision, suffix) in [(Revision::One, ""), (Revision::Two(Some(enhanced)), "enhanced_")] {
            let setup = if reply {
                Setup::reply(markers, crc, rejected, revision, &data)
            } else {
                Setup::request(markers, crc, revision, &data)
            };
            let bytes = written(|buffer| setup.unwrap().emit(buffer));
            let message = format!("mpa_{suffix}{}", if reply { "reply" } else { "request" });
            let message = LAYOUTS.message(&message).unwrap();
            let fields = message.read(&bytes).unwrap();
            let number = |name: &str| fields.number(name).unwrap();
            let mut values = vec![("m", markers.into()), ("c", crc.into()), ("r", (rejected && reply).into())];
            if !suffix.is_empty() {
                values.extend([("flag_a", 1), ("flag_b", send.into()), ("flag_c", write.into()), ("flag_d", read.into()), ("ird", u64::from(ird)), ("ord", u64::from(ord))]);
            }
            let mut wanted = Vec::new();
            for (name, value) in values {
                prop_assert_eq!(number(name), value, "{}", name);
                wanted.push((name.to_owned(), Given::Number(value)));
            }
            prop_assert_eq!(message.compose(&wanted, &data).unwrap(), bytes);
        }
    }

    #[test]
    fn terminates(segment_length: u16, code in 0..5_u8, tagged: bool, with_request: bool, bytes in prop::collection::vec(any::<u8>(), 46)) {
        let mut echoed = bytes.clone();
        echoed[0] = echoed[0] & 0x7F | u8::from(tagged) << 7;
        let (view, _) = HeaderView::parse(&echoed).unwrap();
        let mut terminate = Terminate::new(0, 1, code).unwrap().with_ddp(segment_length, view);
        if with_request {
            terminate = terminate.with_read_request(ReadRequest {
                sink_steering_tag: 1, sink_tagged_offset: 2, read_message_size: 3, source_steering_tag: 4, source_tagged_offset: 5,
            });
        }
        let bytes = written(|buffer| terminate.emit(buffer));
        let layout = LAYOUTS.layout("terminate").unwrap();
        let fields = layout.read(&bytes).unwrap();
        let wanted = [("etype", 1), ("code", u64::from(code)), ("m_bit", 1), ("d_bit", 1), ("r_bit", u64::from(with_request)), ("ddp_segment_length", u64::from(segment_length)), ("terminated_tagged", u64::from(tagged))];
        for (name, value) in wanted {
            prop_assert_eq!(fields.number(name), Some(value), "{}", name);
        }
        prop_assert_eq!(fields.number("terminated_source_to"), with_request.then_some(5));
        prop_assert_eq!(fields.length(), bytes.len());
        prop_assert_eq!(layout.compose(&given(&fields)).unwrap(), bytes);
    }

    #[test]
    fn rpc_headers(xid: u32, credits in 1..u32::MAX, reads in prop::collection::vec((any::<u32>(), any::<u32>(), any::<u32>(), any::<u64>()), 0..4), writes in prop::collection::vec(0..3_usize, 0..3), reply in prop::option::of(0..3_usize)) {
        let segment = |seed: usize| warpscope_wire::rpcrdma::Segment { handle: seed as u32, length: 100, offset: seed as u64 * 8 };
        let chunk = |count: &usize| (0..*count).map(segment).collect::<Vec<_>>();
        let chunks = Chunks {
            reads: reads.iter().map(|it| ReadSegment { position: it.0 & !3, target: warpscope_wire::rpcrdma::Segment { handle: it.1, length: it.2, offset: it.3 } }).collect(),
            writes: writes.iter().map(chunk).collect(),
            reply: reply.as_ref().map(chunk),
        };
        let error = Body::Error(TransportError::Version { low: 1, high: 9 });
        for body in [Body::Message(chunks), error, Body::Error(TransportError::Chunk)] {
            let Ok(head) = Header::new(xid, credits, body) else { continue };
            let bytes = written(|buffer| head.emit(buffer));
            let fields = LAYOUTS.layout("rpc_over_rdma").unwrap().read(&bytes).unwrap();
            prop_assert_eq!(fields.length(), bytes.len());
            prop_assert_eq!(fields.number("xid"), Some(u64::from(xid)));
            prop_assert_eq!(fields.number("credit"), Some(u64::from(credits)));
            if let Some(chunks) = head.body().chunks() {
                for (index, read) in chunks.reads.iter().enumerate() {
                    let number = |name: &str| fields.number(&format!("read_list[{index}].{name}"));
                    prop_assert_eq!(number("position"), Some(u64::from(read.position)));
                    prop_assert_eq!(number("offset"), Some(read.target.offset));
                }
                for (index, write) in chunks.writes.iter().enumerate() {
                    for (place, segment) in write.iter().enumerate() {
                        let name = format!("write_list[{index}].segments[{place}].handle");
                        prop_assert_eq!(fields.number(&name), Some(u64::from(segment.handle)));
                    }
                }
            } else if fields.number("rdma_err") == Some(1) {
                prop_assert_eq!(fields.number("rdma_vers_high"), Some(9));
            }
        }
    }

    #[test]
    fn rpc_replies(xid: u32, low: u32, high: u32, accept_status in 0..6_u32, auth_status in 0..15_u32) {
        let mismatch = (accept_status == 2).then_some((low, high));
        let accepted = ReplyBody::Accepted { verifier: Auth::default(), accept_status, mismatch };
        let (low64, high64) = (u64::from(low), u64::from(high));
        let mut of_accepted = vec![("reply_stat", 0), ("accept_stat", u64::from(accept_status))];
        if mismatch.is_some() {
            of_accepted.extend([("program_low", low64), ("program_high", high64)]);
        }
        for (body, mut wanted) in [
            (accepted, of_accepted),
            (ReplyBody::RpcMismatch { low, high }, vec![("reply_stat", 1), ("reject_stat", 0), ("rpc_low", low64), ("rpc_high", high64)]),
            (ReplyBody::AuthError { auth_status }, vec![("reply_stat", 1), ("reject_stat", 1), ("auth_stat", u64::from(auth_status))]),
        ] {
            wanted.extend([("reply_xid", u64::from(xid)), ("message_type", 1)]);
            let reply = Reply::new(xid, body).unwrap();
            header("rpc_reply", &emitted(|writer| reply.emit(writer)), &wanted);
        }
    }

    #[test]
    fn rpc_private_data(invalidation: bool, send in 1..=256_u32, receive in 1..=256_u32) {
        let data = RdmaPrivateData::new(invalidation, send * 1024, receive * 1024).unwrap();
        header("rpc_private_data", &data.bytes(), &[
            ("remote_invalidation", u64::from(invalidation)),
            ("send_size", u64::from(send) - 1),
            ("receive_size", u64::from(receive) - 1),
        ]);
    }
}
