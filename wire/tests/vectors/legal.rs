//! Strategies: arbitrary legal values of every repr.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use warpscope_wire::ddp::{HeaderView, Tagged, Untagged};
use warpscope_wire::mpa::*;
use warpscope_wire::rdmap::{self, *};
use warpscope_wire::rpc::{Auth, Call, MAX_AUTH_BODY, Reply, ReplyBody};
use warpscope_wire::rpcrdma::{Body, Chunks, Header, ReadSegment, Segment, TransportError};

/// Up to `most` bytes.
pub(crate) fn bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..=most)
}

pub(crate) fn enhanced() -> impl Strategy<Value = Enhanced> {
    let mode = any::<[bool; 3]>().prop_map(|[send, write, read]| {
        ReadyToReceive::new(send, write, read).map_or(Mode::ClientServer, Mode::PeerToPeer)
    });
    let depth = 0..=0x3fffu16;
    (mode, depth.clone(), depth).prop_map(|(mode, ird, ord)| Enhanced::new(mode, ird, ord).unwrap())
}

pub(crate) fn setup() -> impl Strategy<Value = Setup> {
    let revision = prop_oneof![
        Just(Revision::Consortium),
        Just(Revision::One),
        option::of(enhanced()).prop_map(Revision::Two),
    ];
    let data = bytes(MAX_PRIVATE_DATA - ENHANCED_LENGTH);
    (any::<[bool; 2]>(), option::of(any::<bool>()), revision, data).prop_map(
        |([markers, crc], reply, revision, data)| {
            match reply {
                None => Setup::request(markers, crc, revision, &data),
                Some(rejected) => Setup::reply(markers, crc, rejected, revision, &data),
            }
            .unwrap()
        },
    )
}

pub(crate) fn marker() -> impl Strategy<Value = Marker> {
    any::<u16>().prop_map(|pointer| Marker::new(pointer & !3).unwrap())
}

pub(crate) fn private_data() -> impl Strategy<Value = RdmaPrivateData> {
    (any::<bool>(), 1..=256u32, 1..=256u32).prop_map(|(invalidation, send, receive)| {
        RdmaPrivateData::new(invalidation, send * 1024, receive * 1024).unwrap()
    })
}

/// A strategy for a struct whose fields may have any value.
macro_rules! any_fields {
    ($name:ident: $repr:ident { $($field:ident: $type:ty),* }) => {
        pub(crate) fn $name() -> impl Strategy<Value = $repr> {
            any::<($($type,)*)>().prop_map(|($($field,)*)| $repr { $($field),* })
        }
    };
}

any_fields!(tagged: Tagged {
    last: bool, rsvd_ulp: u8, steering_tag: u32, tagged_offset: u64
});
any_fields!(untagged: Untagged {
    last: bool, rsvd_ulp: [u8; 5], queue_number: u32, message_sequence_number: u32,
    message_offset: u32
});
any_fields!(read_request: ReadRequest {
    sink_steering_tag: u32, sink_tagged_offset: u64, read_message_size: u32,
    source_steering_tag: u32, source_tagged_offset: u64
});
any_fields!(read_v2_request: ReadV2Request {
    read_message_size: u32, source_steering_tag: u32, source_tagged_offset: u64
});
any_fields!(atomic_response: AtomicResponse {
    original_request_identifier: u32, original_remote_data_value: u64
});
any_fields!(atomic_write_request: AtomicWriteRequest {
    data_sink_steering_tag: u32, data_sink_tagged_offset: u64, data: u64
});
any_fields!(flush_request: FlushRequest {
    data_sink_steering_tag: u32, data_sink_length: u32, data_sink_tagged_offset: u64,
    disposition_flags: u32
});

pub(crate) fn verify_request() -> impl Strategy<Value = VerifyRequest> {
    (flush_request(), option::of(vec(any::<u8>(), 1..70))).prop_map(|(range, hash_value)| {
        VerifyRequest {
            data_sink_steering_tag: range.data_sink_steering_tag,
            data_sink_length: range.data_sink_length,
            data_sink_tagged_offset: range.data_sink_tagged_offset,
            hash_value,
        }
    })
}

pub(crate) fn atomic_request() -> impl Strategy<Value = AtomicRequest> {
    let operation = (0..3, any::<[u64; 4]>()).prop_map(|(code, [a, b, c, d])| match code {
        0 => AtomicOperation::FetchAdd { add_data: a, add_mask: b },
        1 => AtomicOperation::Swap { swap_data: a },
        _ => AtomicOperation::CmpSwap {
            swap_data: a,
            swap_mask: b,
            compare_data: c,
            compare_mask: d,
        },
    });
    (any::<u32>(), any::<u32>(), any::<u64>(), operation).prop_map(
        |(request_identifier, remote_steering_tag, remote_tagged_offset, operation)| {
            AtomicRequest {
                request_identifier,
                remote_steering_tag,
                remote_tagged_offset,
                operation,
            }
        },
    )
}

/// A Terminate of any defined error; its echoed DDP header may be anything.
pub(crate) fn terminate() -> impl Strategy<Value = Terminate> {
    let triples: Vec<_> = (0..=0x0fff_u16)
        .map(|value| ((value >> 11) as u8, (value >> 8) as u8 & 7, value as u8))
        .filter(|(layer, kind, code)| rdmap::error_code_name(*layer, *kind, *code).is_some())
        .chain([(2, 0, 2), (2, 0, 7)])
        .collect();
    let echoed = option::of((any::<u16>(), any::<[u8; 18]>(), option::of(read_request())));
    (prop::sample::select(triples), echoed).prop_map(|((layer, kind, code), echoed)| {
        let mut terminate = Terminate::new(layer, kind, code).unwrap();
        if let Some((length, header, request)) = echoed {
            terminate = terminate.with_ddp(length, HeaderView::parse(&header).unwrap().0);
            if let Some(request) = request {
                terminate = terminate.with_read_request(request);
            }
        }
        terminate
    })
}

/// A control byte under each version that has the message.
pub(crate) fn control() -> impl Strategy<Value = RdmapControl> {
    let all: Vec<_> = Message::all()
        .flat_map(|message| (0..=3).filter_map(move |rv| RdmapControl::new(rv, message).ok()))
        .collect();
    prop::sample::select(all)
}

fn segment() -> impl Strategy<Value = Segment> {
    (any::<u32>(), any::<u32>(), any::<u64>()).prop_map(|(handle, length, offset)| Segment {
        handle,
        length,
        offset,
    })
}

fn chunks() -> impl Strategy<Value = Chunks> {
    let read =
        (any::<u32>(), segment()).prop_map(|(position, target)| ReadSegment { position, target });
    let chunk = || vec(segment(), 0..4);
    (vec(read, 0..4), vec(chunk(), 0..4), option::of(chunk()))
        .prop_map(|(reads, writes, reply)| Chunks { reads, writes, reply })
}

pub(crate) fn header() -> impl Strategy<Value = Header> {
    let error = prop_oneof![
        Just(TransportError::Chunk),
        any::<(u32, u32)>().prop_map(|(low, high)| TransportError::Version { low, high }),
    ];
    let some = chunks().prop_filter("an RDMA_NOMSG needs a chunk", |chunks| !chunks.is_empty());
    let new = |(xid, credits, body)| Header::new(xid, credits, body).unwrap();
    prop_oneof![
        (any::<u32>(), 1..=u32::MAX, chunks().prop_map(Body::Message)).prop_map(new),
        (any::<u32>(), 1..=u32::MAX, some.prop_map(Body::NoMessage)).prop_map(new),
        (any::<[u32; 3]>(), error).prop_map(|([xid, version, credits], error)| {
            Header::error(xid, version, credits, error)
        }),
    ]
}

fn auth() -> impl Strategy<Value = Auth> {
    let body = prop_oneof![bytes(9), bytes(MAX_AUTH_BODY)];
    (any::<u32>(), body).prop_map(|(flavor, body)| Auth::new(flavor, &body).unwrap())
}

pub(crate) fn call() -> impl Strategy<Value = Call> {
    (any::<[u32; 4]>(), auth(), auth()).prop_map(
        |([xid, program, program_version, procedure], credential, verifier)| Call {
            xid,
            program,
            program_version,
            procedure,
            credential,
            verifier,
        },
    )
}

pub(crate) fn reply() -> impl Strategy<Value = Reply> {
    let body = prop_oneof![
        (auth(), 0..6u32, any::<(u32, u32)>()).prop_map(|(verifier, accept_status, range)| {
            let mismatch = (accept_status == 2).then_some(range);
            ReplyBody::Accepted { verifier, accept_status, mismatch }
        }),
        any::<(u32, u32)>().prop_map(|(low, high)| ReplyBody::RpcMismatch { low, high }),
        (0..15u32).prop_map(|auth_status| ReplyBody::AuthError { auth_status }),
    ];
    (any::<u32>(), body).prop_map(|(xid, body)| Reply::new(xid, body).unwrap())
}
