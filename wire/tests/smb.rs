//! SMB Direct and SMB2: what the figures say, in bytes assembled by hand, and what is refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

use proptest::prelude::*;
use warpscope_wire::smb_direct::{
    BufferDescriptor, DataMessageView, DataTransfer, NegotiateRequest, NegotiateRequestView,
    NegotiateResponse, PrivateDataView,
};
use warpscope_wire::smb2::{
    BodyView, CloseRequest, Command, CreateContexts, CreateRequest, CreateResponse, ErrorResponse,
    FileId, Flags, Header, HeaderView, MessageView, PduView, Plain, ReadRequest, ReadResponse,
    WriteRequest, WriteResponse, status, text,
};

fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(pair).collect()
}

/// What `emit` writes into a buffer that was full of something else.
fn emitted<E: std::fmt::Debug>(emit: impl FnOnce(&mut [u8]) -> Result<usize, E>) -> Vec<u8> {
    let mut buffer = vec![0xa5; 1 << 16];
    let length = emit(&mut buffer).unwrap();
    buffer.truncate(length);
    buffer
}

/// MS-SMBD sections 3.1.5.6 to 3.1.5.8: what makes a receiver end the connection.
#[test]
fn messages_that_are_refused() {
    let request = |credits, receive, fragmented| {
        NegotiateRequest::new(credits, 1024, receive, fragmented).map_err(|illegal| illegal.field)
    };
    assert_eq!(request(0, 1024, 131_072), Err("CreditsRequested"));
    assert_eq!(request(1, 127, 131_072), Err("MaxReceiveSize"));
    assert_eq!(request(1, 128, 131_071), Err("MaxFragmentedSize"));
    assert!(request(1, 128, 131_072).is_ok());
    let response = NegotiateResponse::new((1, 0), 1 << 20, 1024, 1024, 131_072);
    assert_eq!(response.unwrap_err().field, "CreditsGranted");
    assert_eq!(DataTransfer::new(0, 1, true, 64).unwrap_err().field, "CreditsRequested");
}

#[test]
fn data_that_is_not_there_is_malformed() {
    let mut wire = bytes("0a00 0100 0000 0000 00000000 18000000 04000000 00000000 fe534d");
    assert_eq!(DataMessageView::parse(&wire).unwrap_err().field, "data");
    assert_eq!(NegotiateRequestView::parse(&wire[..19]).unwrap_err().needed(), Some(20));
    wire[12] = 19;
    assert_eq!(DataMessageView::parse(&wire).unwrap_err().field, "DataOffset");
    wire[16..20].fill(0xff);
    wire[12..16].fill(0xff);
    assert_eq!(DataMessageView::parse(&wire).unwrap_err().field, "data");
}

#[test]
fn depths_of_private_data_in_either_order() {
    let depths = |text| PrivateDataView::parse(&bytes(text)).unwrap().0.depths();
    assert_eq!(depths("20000000 01000000"), (32, 1));
    assert_eq!(depths("00000020 00000008"), (32, 8));
    assert_eq!(depths("00000000 00000000"), (0, 0));
}

/// The header of a response.
fn answer(mut header: Header) -> Header {
    header.flags = Flags(Flags::RESPONSE);
    header
}

const FILE: FileId = FileId { persistent: 0x4b, volatile: 7 };

/// The message alone in `wire`.
fn message(wire: &[u8]) -> MessageView<'_> {
    match PduView::parse(wire).unwrap() {
        (PduView::Message(message), []) => message,
        other => panic!("{other:?}"),
    }
}

/// MS-SMB2 section 2.2.1.2, field by field, each with other octets.
#[test]
fn header() {
    let wire = bytes(
        "fe534d42 4000 0201 110000c0 0800 0403 09000030 00000000 1817161514131211
         24232221 28272625 3837363534333231 c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
    );
    let (view, _) = HeaderView::parse(&wire).unwrap();
    assert_eq!((view.structure_size(), view.credit_charge(), view.credits()), (64, 0x102, 0x304));
    assert_eq!((view.status(), view.command()), (status::END_OF_FILE, 8));
    let flags = view.flag_set();
    assert!(flags.response() && flags.signed() && !flags.asynchronous() && !flags.related());
    assert_eq!(flags.0 & (Flags::DFS | Flags::REPLAY), 0x3000_0000);
    assert_eq!(view.message_id(), 0x1112_1314_1516_1718);
    assert_eq!((view.process_id(), view.tree_id()), (0x2122_2324, 0x2526_2728));
    assert_eq!(view.async_id(), 0x2526_2728_2122_2324);
    assert_eq!(view.session_id(), 0x3132_3334_3536_3738);
    assert_eq!(view.signature(), &wire[48..]);
    let repr = Header::try_from(view).unwrap();
    let written = emitted(|buffer| repr.emit_with(|_| (), buffer));
    assert_eq!(written, wire);
    for (at, field) in
        [(0, "ProtocolId"), (4, "StructureSize"), (12, "Command"), (20, "NextCommand")]
    {
        let mut wrong = wire.clone();
        wrong[at] = 0x33;
        let (view, _) = HeaderView::parse(&wrong).unwrap();
        assert_eq!(Header::try_from(view).unwrap_err().field, field);
    }
}

/// MS-SMB2 sections 2.2.19 and 2.2.20, with MS-SMBD section 2.2.3.1.
#[test]
fn read_by_channel() {
    let descriptor = BufferDescriptor { offset: 0x1_0000_0002, token: 0x0a0b_0c0d, length: 4096 };
    let request = ReadRequest::new(FILE, 4095, 4096, &[descriptor]).unwrap();
    let wire = emitted(|buffer| request.emit(&Header::new(Command::Read, 9), buffer));
    let body = bytes(
        "3100 00 00 00100000 ff0f000000000000 4b00000000000000 0700000000000000
         00000000 02000000 00000000 7000 1000
         0200000001000000 0d0c0b0a 00100000",
    );
    assert_eq!(wire[64..], body);
    let message = message(&wire);
    let BodyView::ReadRequest(view) = message.body().unwrap() else { panic!() };
    assert_eq!((view.length(), view.offset(), view.channel()), (4096, 4095, 2));
    assert_eq!(view.file_id(), FILE);
    let info = (view.channel_info_offset().into(), view.channel_info_length().into());
    assert_eq!(message.part("ReadChannelInfo", info.0, info.1).unwrap(), &body[48..]);
}

#[test]
fn read_responses() {
    let mut header = answer(Header::new(Command::Read, 9));
    let response = ReadResponse::new(b"0123", 0).unwrap();
    let wire = emitted(|buffer| response.emit(&header, buffer));
    assert_eq!(wire[64..], bytes("1100 50 00 04000000 00000000 00000000 30313233"));
    let BodyView::ReadResponse(view) = message(&wire).body().unwrap() else { panic!() };
    let data = message(&wire).part("data", view.data_offset().into(), view.data_length());
    assert_eq!(data.unwrap(), b"0123");
    header.status = status::END_OF_FILE;
    let wire = emitted(|buffer| ErrorResponse::emit(&header, buffer));
    assert_eq!(wire[64..], bytes("0900 00 00 00000000 00"));
    assert!(matches!(message(&wire).body().unwrap(), BodyView::Error(_)));
}

/// MS-SMB2 sections 2.2.21 and 2.2.22.
#[test]
fn writes() {
    let header = Header::new(Command::Write, 9);
    let inline = WriteRequest::inline(FILE, 1, b"0123").unwrap();
    let wire = emitted(|buffer| inline.emit(&header, buffer));
    let body = bytes(
        "3100 7000 04000000 0100000000000000 4b00000000000000 0700000000000000
         00000000 00000000 0000 0000 00000000 30313233",
    );
    assert_eq!(wire[64..], body);
    let descriptor = BufferDescriptor { offset: 0, token: 1, length: 10 };
    let channel = WriteRequest::by_channel(FILE, 1, &[descriptor, descriptor]).unwrap();
    let wire = emitted(|buffer| channel.emit(&header, buffer));
    let BodyView::WriteRequest(view) = message(&wire).body().unwrap() else { panic!() };
    assert_eq!((view.length(), view.data_offset(), view.remaining_bytes()), (0, 0, 20));
    assert_eq!((view.channel_info_offset(), view.channel_info_length()), (112, 32));
    assert_eq!(wire.len(), 64 + 48 + 32);
    assert!(WriteRequest::by_channel(FILE, 1, &[]).is_err());
    let answer = answer(header);
    let wire = emitted(|buffer| WriteResponse { count: 20 }.emit(&answer, buffer));
    let BodyView::WriteResponse(view) = message(&wire).body().unwrap() else { panic!() };
    assert_eq!(view.count(), 20);
}

#[test]
fn files_by_name() {
    let header = Header::new(Command::Create, 3);
    let create = CreateRequest::new("d\\å", 0x0012_0089, 1).unwrap();
    let wire = emitted(|buffer| create.emit(&header, buffer));
    let BodyView::CreateRequest(view) = message(&wire).body().unwrap() else { panic!() };
    assert_eq!((view.desired_access(), view.disposition()), (0x0012_0089, 1));
    let (offset, length) = (view.name_offset().into(), view.name_length().into());
    assert_eq!(text(message(&wire).part("name", offset, length).unwrap()), "d\\å");
    assert!(CreateRequest::new("", 0, 6).is_err());
    let answer = answer(header);
    let response = CreateResponse { file: FILE, end_of_file: 1000 };
    let wire = emitted(|buffer| response.emit(&answer, buffer));
    let BodyView::CreateResponse(view) = message(&wire).body().unwrap() else { panic!() };
    assert_eq!((view.file_id(), view.end_of_file(), view.action()), (FILE, 1000, 1));
    let close = Header::new(Command::Close, 4);
    let wire = emitted(|buffer| CloseRequest { file: FILE }.emit(&close, buffer));
    assert_eq!(message(&wire).body().unwrap().file_id(), Some(FILE));
    assert_eq!(FILE.to_string(), "0000004b-0000-0000-0700-000000000000");
    assert_eq!(FileId::RELATED.to_string(), "ffffffff-ffff-ffff-ffff-ffffffffffff");
}

/// MS-SMB2 section 2.2.13.2: contexts follow each other by Next, and the last has 0.
#[test]
fn create_contexts() {
    let context = |next: u8, name: &str| {
        let mut bytes = vec![next, 0, 0, 0, 16, 0, 4, 0, 0, 0, 24, 0, 0, 0, 0, 0];
        bytes.extend(name.bytes());
        bytes.resize(24, 0);
        bytes
    };
    let mut wire = emitted(|buffer| Plain::emit(&Header::new(Command::Echo, 1), buffer));
    wire.resize(72, 0);
    wire.extend(context(24, "RqLs"));
    wire.extend(context(0, "QFid"));
    let view = message(&wire);
    let names: Vec<_> =
        CreateContexts::new(&view, 72, 48).unwrap().map(|it| (it.0, it.2)).collect();
    assert_eq!(names, [(72, &b"RqLs"[..]), (96, &b"QFid"[..])]);
    assert!(CreateContexts::new(&view, 72, 49).is_err());
    wire[72] = 1;
    assert_eq!(CreateContexts::new(&message(&wire), 72, 48).unwrap().count(), 1);
}

/// MS-SMB2 section 3.2.4.1.4: NextCommand goes from one header to the next, and is a multiple of 8.
#[test]
fn compounds() {
    let first = Header::new(Command::Echo, 1).followed_by(72).unwrap();
    let mut wire = emitted(|buffer| Plain::emit(&first, buffer));
    wire.resize(72, 0);
    wire.extend(emitted(|buffer| Plain::emit(&Header::new(Command::Echo, 2), buffer)));
    let (one, rest) = PduView::parse(&wire).unwrap();
    let PduView::Message(one) = one else { panic!() };
    assert_eq!((one.header.message_id(), one.bytes.len()), (1, 72));
    assert_eq!(message(rest).header.message_id(), 2);
    assert!(first.followed_by(68).is_err());
    assert_eq!(PduView::parse(&wire[..71]).unwrap_err().field, "NextCommand");
    wire[20] = 63;
    assert_eq!(PduView::parse(&wire).unwrap_err().field, "NextCommand");
}

/// MS-SMB2 sections 2.2.41 and 2.2.42.1.
#[test]
fn encrypted_and_compressed() {
    let mut wire = bytes("fd534d42");
    wire.extend(0u8..32);
    wire.extend(bytes("64000000 0000 0100 0807060504030201 c0ffee"));
    let (PduView::Encrypted(view, data), []) = PduView::parse(&wire).unwrap() else { panic!() };
    assert_eq!((view.original_message_size(), view.flags()), (100, 1));
    assert_eq!((view.session_id(), data), (0x0102_0304_0506_0708, &[0xc0, 0xff, 0xee][..]));
    let wire = bytes("fc534d42 64000000 0100 0000 10000000 c0");
    let (PduView::Compressed(view, data), []) = PduView::parse(&wire).unwrap() else { panic!() };
    assert_eq!((view.original_size(), view.algorithm(), view.offset()), (100, 1, 16));
    assert_eq!(data, [0xc0]);
    let other = PduView::parse(&bytes("ff534d42 72")).unwrap_err();
    assert_eq!(
        other.to_string(),
        "malformed SMB2: ProtocolId has the value 1112364031, which no layout goes with"
    );
}

/// MS-SMB2 section 3.3.4.4: which statuses come with the body of their command.
#[test]
fn bodies_of_errors() {
    let error = |command: Command, code: u32, size: u8| {
        let mut header = Header::new(command, 1);
        (header.flags, header.status) = (Flags(Flags::RESPONSE), code);
        let mut wire = emitted(|buffer| header.emit_with(|_| (), buffer));
        wire.resize(64 + 100, 0);
        wire[64] = size;
        matches!(message(&wire).body().unwrap(), BodyView::Error(_))
    };
    assert!(error(Command::Read, status::END_OF_FILE, 9));
    assert!(error(Command::QueryDirectory, status::NO_MORE_FILES, 9));
    assert!(error(Command::ChangeNotify, status::PENDING, 9));
    assert!(!error(Command::SessionSetup, status::MORE_PROCESSING_REQUIRED, 9));
    assert!(!error(Command::QueryInfo, status::BUFFER_OVERFLOW, 9));
    assert!(!error(Command::Read, status::BUFFER_OVERFLOW, 17));
    assert!(error(Command::Ioctl, 0xc000_000d, 9));
    assert!(!error(Command::Ioctl, 0xc000_000d, 49));
}

/// Everything that can be asked of bytes.
fn look(input: &[u8]) {
    let _ = DataMessageView::parse(input);
    let mut rest = input;
    while let Ok((pdu, next)) = PduView::parse(rest) {
        rest = next;
        let PduView::Message(message) = pdu else { continue };
        let Ok(body) = message.body() else { continue };
        let _ = body.file_id();
        if let BodyView::CreateRequest(view) = body
            && let Ok(contexts) =
                CreateContexts::new(&message, view.contexts_offset(), view.contexts_length())
        {
            assert!(contexts.count() <= input.len());
        }
        if rest.is_empty() {
            break;
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_can_be_looked_at(mut input in proptest::collection::vec(any::<u8>(), 0..300), command in 0u8..20, response in any::<bool>()) {
        look(&input);
        if input.len() > 68 {
            input[..4].copy_from_slice(&[0xfe, 0x53, 0x4d, 0x42]);
            (input[12], input[13]) = (command, 0);
            input[16] = response.into();
            input[20..24].fill(0);
            look(&input);
        }
    }
}
