use super::*;
use std::sync::LazyLock;

static LAYOUTS: LazyLock<Layouts> =
    LazyLock::new(|| Layouts::builtin().unwrap_or_else(|wrong| panic!("{wrong}")));

fn number(name: &str, value: u64) -> (String, Given) {
    (name.to_owned(), Given::Number(value))
}

/// The message of a profile whose values a segment's fields have.
fn recognise(segment: &[u8], profile: &str) -> Option<(&'static Message, Fields)> {
    LAYOUTS.messages().iter().filter(|it| it.profile() == profile).find_map(|message| {
        message.field("opcode").ok()?;
        let fields = message.read(segment).ok()?;
        message.is(&fields).then_some((message, fields))
    })
}

#[test]
fn fixed_fields_fill_their_layouts_without_holes() {
    for layout in &LAYOUTS.layouts {
        let mut due = None;
        for field in layout.fields() {
            let Some(at) = field.at else { break };
            // What lies within a field may lie after something else there.
            let end = due.unwrap_or(if layout.within.is_some() { at } else { 0 });
            assert_eq!(at, end, "{}.{}", layout.name(), field.name());
            due = Some(at + field.width().unwrap_or(0));
        }
    }
}

#[test]
fn the_hex_dump_of_rfc_5044_figure_5_reads_as_annotated() {
    // A Send to queue 0 with MSN 1 and 24 bytes of zeros; length 0x2a.
    let mut fpdu = vec![0, 0x2a, 0x41, 0x43];
    fpdu.extend([0; 4]);
    fpdu.extend([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    fpdu.extend([0; 24]);
    fpdu.extend([0x52, 0x23, 0x99, 0x83]);
    let fields = LAYOUTS.layout("fpdu").unwrap().read(&fpdu).unwrap();
    assert_eq!(fields.number("ulpdu_length"), Some(0x2a));
    assert_eq!(fields.bytes("pad"), Some(&[][..]));
    assert_eq!(fields.number("crc"), Some(0x5223_9983));
    let ulpdu = fields.bytes("ulpdu").unwrap();
    let (message, fields) = recognise(ulpdu, "rfc5040").unwrap();
    assert_eq!((message.name(), fields.length()), ("send", 18));
    let expected =
        [("last", 1), ("dv", 1), ("rv", 1), ("opcode", 3), ("qn", 0), ("msn", 1), ("mo", 0)];
    for (name, value) in expected {
        assert_eq!(fields.number(name), Some(value), "{name}");
    }
    assert_eq!(message.compose(&[number("msn", 1)], &[0; 24]).unwrap(), ulpdu);
}

#[test]
fn the_pad_ends_an_fpdu_on_four_bytes() {
    let layout = LAYOUTS.layout("fpdu").unwrap();
    for (ulpdu, pad) in [(14, 0), (15, 3), (16, 2), (17, 1), (0, 2)] {
        let bytes =
            [number("ulpdu_length", ulpdu as u64), ("ulpdu".into(), Given::Bytes(vec![7; ulpdu]))];
        let fpdu = layout.compose(&bytes).unwrap();
        assert_eq!(fpdu.len(), 2 + ulpdu + pad + 4);
        assert_eq!(layout.read(&fpdu).unwrap().bytes("pad").unwrap().len(), pad);
    }
}

#[test]
fn a_setup_frame_counts_its_private_data() {
    let request = LAYOUTS.message("mpa_request").unwrap();
    let frame = request.compose(&[number("c", 1)], b"abc").unwrap();
    assert_eq!(&frame[..16], b"MPA ID Req Frame");
    assert_eq!(&frame[16..], [0x40, 1, 0, 3, b'a', b'b', b'c']);
    let lie = request.compose(&[number("pd_length", 513)], b"").unwrap();
    assert_eq!(&lie[16..], [0, 1, 2, 1]);

    let enhanced = LAYOUTS.message("mpa_enhanced_reply").unwrap();
    let given =
        [number("flag_a", 1), number("ird", 0x3FFF), number("flag_d", 1), number("ord", 16)];
    let frame = enhanced.compose(&given, b"z").unwrap();
    assert_eq!(&frame[16..], [0x10, 2, 0, 5, 0xbf, 0xff, 0x40, 16, b'z']);
    let fields = enhanced.read(&frame).unwrap();
    assert_eq!(fields.number("ord"), Some(16));
    assert_eq!(fields.number("pd_length"), Some(5));
}

#[test]
fn what_was_named_wins_over_what_a_message_has() {
    let send = LAYOUTS.message("send").unwrap();
    let bytes = send.compose(&[number("rsvd_ulp", 0xFF_0000_0000)], &[]).unwrap();
    assert_eq!(bytes[1], 0xFF);
    let bytes = send.compose(&[number("opcode", 9), number("rsvd_ulp", 0)], &[]).unwrap();
    assert_eq!(bytes[1], 9);
    let error = send.compose(&[number("opcode", 16)], &[]).unwrap_err();
    assert_eq!(error.to_string(), "`opcode` has 4 bits: 0x10 does not fit");
    let error = send.compose(&[number("queue_numbr", 0)], &[]).unwrap_err();
    assert_eq!(error.to_string(), "send has no field `queue_numbr`; did you mean `queue_number`?");
}

#[test]
fn a_terminate_has_the_headers_that_its_bits_say() {
    let terminate = LAYOUTS.message("terminate").unwrap();
    let bare = terminate.compose(&[number("layer", 2), number("code", 2)], &[]).unwrap();
    assert_eq!(&bare[18..], [0x20, 2, 0, 0]);
    let given = [
        number("etype", 1),
        number("m_bit", 1),
        number("d_bit", 1),
        number("r_bit", 1),
        number("ddp_segment_length", 46),
        number("terminated_queue_number", 1),
        number("terminated_source_stag", 0xDEAD_BEEF),
    ];
    let full = terminate.compose(&given, &[]).unwrap();
    assert_eq!(full.len(), 18 + 4 + 2 + 18 + 28);
    assert_eq!(&full[18..24], [0x01, 0, 0xE0, 0, 0, 46]);
    let fields = terminate.read(&full).unwrap();
    assert_eq!(fields.number("terminated_data_source_steering_tag"), Some(0xDEAD_BEEF));
    assert_eq!(fields.number("terminated_ddp_version"), Some(1));
    let tagged = [number("d_bit", 1), number("terminated_tagged", 1), number("terminated_stag", 7)];
    let tagged = terminate.compose(&tagged, &[]).unwrap();
    assert_eq!(tagged.len(), 18 + 4 + 2 + 14);
    assert_eq!(terminate.read(&tagged).unwrap().number("terminated_stag"), Some(7));
}

#[test]
fn lists_of_chunks_are_written_and_read() {
    let rpc = LAYOUTS.message("rpc_over_rdma").unwrap();
    let segment = vec![number("handle", 7), number("length", 100), number("offset", 1 << 40)];
    let mut read = segment.clone();
    read.push(number("position", 4));
    let chunk = vec![("segments".to_owned(), Given::List(vec![segment.clone(), segment]))];
    let given = [
        number("xid", 0x1234),
        ("read_list".to_owned(), Given::List(vec![read])),
        ("reply_chunk".to_owned(), Given::List(vec![chunk])),
    ];
    let bytes = rpc.compose(&given, b"rpc!").unwrap();
    // Read list: 1, five words, 0; write list: 0; reply chunk: 1, 2, two segments.
    assert_eq!(bytes.len(), 18 + 16 + (4 + 20 + 4) + 4 + (4 + 4 + 32) + 4);
    let fields = rpc.read(&bytes).unwrap();
    assert_eq!(fields.length(), bytes.len() - 4);
    assert_eq!(fields.number("read_list[0].position"), Some(4));
    assert_eq!(fields.number("reply_chunk[0].segments[1].offset"), Some(1 << 40));
    for end in 0..fields.length() {
        assert!(rpc.read(&bytes[..end]).is_err(), "{end}");
    }
}

#[test]
fn elements_of_lists_are_fields_and_lists_are_counted() {
    let call = LAYOUTS.message("nfs_write_call").unwrap();
    let path = "write_list[0].segments[1].offset";
    assert_eq!(call.full_name(path).unwrap(), path);
    assert_eq!(call.field(path).unwrap().width(), Some(64));
    for wrong in ["write_list[0].segment", "write_list[x].segments", "handle[0].length"] {
        assert!(call.field(wrong).is_err(), "{wrong}");
    }
    let segment = vec![number("handle", 7), number("position", 8)];
    let given = [
        ("read_list".to_owned(), Given::List(vec![segment])),
        ("handle".to_owned(), Given::Bytes(vec![9; 13])),
        number("data_length", 5),
    ];
    let bytes = call.compose(&given, b"").unwrap();
    let fields = call.read(&bytes).unwrap();
    assert_eq!((fields.number("read_list"), fields.number("write_list")), (Some(1), Some(0)));
    // The length of the file handle, which is not that of the segment's handle before it.
    assert_eq!(fields.number("handle_length"), Some(13));
    assert_eq!(fields.bytes("handle_pad"), Some(&[0, 0, 0][..]));
    assert_eq!(fields.number("data_length"), Some(5));
    assert_eq!(fields.length(), bytes.len());
}

#[test]
fn a_message_is_recognised_in_the_profile_that_has_it() {
    for message in LAYOUTS.messages().iter().filter(|it| it.field("opcode").is_ok()) {
        // A Send to RDMAP.
        if message.parts().any(|it| it.name() == "rpc_over_rdma") {
            continue;
        }
        let bytes = message.compose(&[], &[]).unwrap();
        let (found, _) = recognise(&bytes, message.profile()).unwrap();
        assert_eq!(found.name(), message.name());
    }
}

#[test]
fn every_code_has_one_meaning() {
    for (index, code) in LAYOUTS.codes().iter().enumerate() {
        for other in &LAYOUTS.codes()[index + 1..] {
            let key = |it: &TerminateCode| (it.layer_number, it.error_type_number, it.code);
            assert_ne!(key(code), key(other), "{} {}", code.name, other.name);
        }
    }
    assert_eq!(LAYOUTS.codes().len(), 14 + 12 + 7);
}
