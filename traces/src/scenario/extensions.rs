//! The messages of RFC 7306, ext-v2 and rdma-commit.

use super::catalogue::{BUFFER_OFFSET, Made, SINK, SOURCE, Scenario, opened, payload, tagged};
use crate::Result;
use crate::conversation::{INITIATOR, RESPONDER};
use crate::message::{self, Target};
use crate::session::Agreement;
use warpscope_wire::mpa::{Enhanced, Mode, Revision};
use warpscope_wire::rdmap::{
    AtomicOperation, AtomicRequest, AtomicResponse, AtomicWriteRequest, FlushRequest, Message,
    ReadV2Request, VerifyRequest,
};

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "rfc7306",
        contains: "FetchAdd, Swap and CmpSwap with responses, Immediate Data with and without SE",
        purpose: "the messages of RFC 7306",
        make: rfc7306,
    },
    Scenario {
        name: "ext-v2",
        contains: "RV 2: Read V2, the four Sends with Immediate, a Send and Immediate Data",
        purpose: "the messages of rdmap-ext-v2",
        make: ext_v2,
    },
    Scenario {
        name: "commit",
        contains: "Write, Flush, Verify with and without hash, Atomic Write, and their responses",
        purpose: "the messages of rdma-commit",
        make: commit,
    },
];

fn rfc7306() -> Result<Made> {
    let mut session = opened(&Agreement::default())?;
    let operations = [
        AtomicOperation::FetchAdd { add_data: 5, add_mask: 0x8000_0000_8000_0000 },
        AtomicOperation::Swap { swap_data: 0x0123_4567_89ab_cdef },
        AtomicOperation::CmpSwap {
            swap_data: 1,
            swap_mask: u64::MAX,
            compare_data: 0,
            compare_mask: 0xff,
        },
    ];
    for (request_identifier, operation) in (1..).zip(operations) {
        let request = AtomicRequest {
            request_identifier,
            remote_steering_tag: SINK,
            remote_tagged_offset: BUFFER_OFFSET,
            operation,
        };
        let request = message::atomic_request(&request);
        session.send(INITIATOR, Message::AtomicRequest, Target::Queue, &request)?;
        let response = message::atomic_response(&AtomicResponse {
            original_request_identifier: request_identifier,
            original_remote_data_value: 0x1000 + u64::from(request_identifier),
        });
        session.send(RESPONDER, Message::AtomicResponse, Target::Queue, &response)?;
    }
    session.send(INITIATOR, Message::Immediate, Target::Queue, b"8 octets")?;
    session.send(INITIATOR, Message::ImmediateSolicited, Target::Queue, b"solicits")?;
    session.send(RESPONDER, Message::Immediate, Target::Queue, b"answered")?;
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

fn ext_v2() -> Result<Made> {
    let enhanced = Enhanced::new(Mode::ClientServer, 4, 4)?;
    let revision = [Revision::Two(Some(enhanced)); 2];
    let mut session = opened(&Agreement { revision, ..Agreement::default() })?;
    for sender in &mut session.senders {
        sender.rdmap_version = 2;
    }
    session.send(INITIATOR, Message::Send, Target::Queue, &payload(500, 100))?;
    let request = message::read_v2_request(&ReadV2Request {
        read_message_size: 2000,
        source_steering_tag: SOURCE,
        source_tagged_offset: 0x40,
    });
    session.send(INITIATOR, Message::ReadV2Request, Target::Queue, &request)?;
    session.send(RESPONDER, Message::ReadV2Response, Target::Queue, &payload(501, 2000))?;
    let with_immediate = |bytes| [payload(502, bytes), b"8 octets".to_vec()].concat();
    let invalidate = Target::Invalidate(SINK);
    for (message, target, bytes) in [
        (Message::SendImmediate, Target::Queue, 3000),
        (Message::SendInvalidateImmediate, invalidate, 300),
        (Message::SendSolicitedImmediate, Target::Queue, 300),
        (Message::SendSolicitedInvalidateImmediate, invalidate, 300),
    ] {
        session.send(INITIATOR, message, target, &with_immediate(bytes))?;
    }
    session.send(INITIATOR, Message::Immediate, Target::Queue, b"RV is 2.")?;
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}

fn commit() -> Result<Made> {
    let mut session = opened(&Agreement::default())?;
    session.send(INITIATOR, Message::Write, tagged(0), &payload(510, 500))?;
    for flags in [FlushRequest::flags(true, false), FlushRequest::flags(true, true)] {
        let request = message::flush_request(&FlushRequest {
            data_sink_steering_tag: SINK,
            data_sink_length: 500,
            data_sink_tagged_offset: BUFFER_OFFSET,
            disposition_flags: flags,
        });
        session.send(INITIATOR, Message::FlushRequest, Target::Queue, &request)?;
        session.send(RESPONDER, Message::FlushResponse, Target::Queue, &[])?;
    }
    for hash_value in [None, Some(payload(511, 32))] {
        let request = message::verify_request(&VerifyRequest {
            data_sink_steering_tag: SINK,
            data_sink_length: 500,
            data_sink_tagged_offset: BUFFER_OFFSET,
            hash_value,
        });
        session.send(INITIATOR, Message::VerifyRequest, Target::Queue, &request)?;
        session.send(RESPONDER, Message::VerifyResponse, Target::Queue, &payload(511, 32))?;
    }
    let request = message::atomic_write_request(&AtomicWriteRequest {
        data_sink_steering_tag: SINK,
        data_sink_tagged_offset: BUFFER_OFFSET,
        data: 0x1122_3344_5566_7788,
    });
    session.send(INITIATOR, Message::AtomicWriteRequest, Target::Queue, &request)?;
    session.send(RESPONDER, Message::AtomicWriteResponse, Target::Queue, &[])?;
    session.conversation.close(INITIATOR);
    Ok(Made::one(session))
}
