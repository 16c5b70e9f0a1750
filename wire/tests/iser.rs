//! iSER, iSCSI and SCSI: what the vectors have no bytes for, what a sender may not send, and no panic
//! on any bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use warpscope_wire::iscsi::{
    self, Body, NO_TAG, Opcode, Pair, PduView, additional_headers, padding_length, pairs,
};
use warpscope_wire::iser::{Advertised, Header, HeaderView, PrivateData, PrivateDataView};
use warpscope_wire::scsi::{self, CommandView, OPERATIONS, Part, SenseFormat, SenseView};
use warpscope_wire::{Problem, Writer, name_of};

/// The bytes of an iSER header.
fn emitted(header: Header) -> [u8; 28] {
    let mut bytes = [0xa5; 28];
    let mut writer = Writer::new(&mut bytes);
    header.emit(&mut writer);
    assert_eq!(writer.finish(), Ok(28));
    bytes
}

fn advertised() -> impl Strategy<Value = Advertised> {
    (any::<u32>(), any::<u64>())
        .prop_map(|(steering_tag, base_offset)| Advertised { steering_tag, base_offset })
}

fn header() -> impl Strategy<Value = Header> {
    prop_oneof![
        (option::of(advertised()), option::of(advertised()))
            .prop_map(|(write, read)| Header::Control { write, read }),
        any::<u16>().prop_map(|inbound_read_depth| Header::Hello { inbound_read_depth }),
        (any::<bool>(), any::<u16>()).prop_map(|(rejected, outbound_read_depth)| {
            Header::HelloReply { rejected, outbound_read_depth }
        }),
    ]
}

proptest! {
    #[test]
    fn an_iser_header_is_read_as_it_is_written(value in header(), tail in vec(any::<u8>(), 0..9)) {
        let mut bytes = emitted(value).to_vec();
        bytes.extend(&tail);
        let (view, rest) = HeaderView::parse(&bytes).unwrap();
        prop_assert_eq!(rest, &tail[..]);
        prop_assert_eq!(Header::try_from(view), Ok(value));
        match (value, view) {
            (Header::Control { write, read }, HeaderView::Control(view)) => {
                prop_assert_eq!((view.write_buffer(), view.read_buffer()), (write, read));
            }
            (Header::Hello { inbound_read_depth }, HeaderView::Hello(view)) => {
                prop_assert_eq!(view.inbound_read_depth(), inbound_read_depth);
            }
            (Header::HelloReply { rejected, outbound_read_depth }, HeaderView::HelloReply(view)) => {
                let read = (view.rejected(), view.outbound_read_depth());
                prop_assert_eq!(read, (rejected, outbound_read_depth));
            }
            _ => panic!("{value:?} is read as {view:?}"),
        }
        prop_assert!(HeaderView::parse(&bytes[..27]).is_err());
    }

    #[test]
    fn private_data_is_read_as_it_is_written(zbva in any::<bool>(), invalidate in any::<bool>()) {
        let value = PrivateData {
            no_zero_based_addresses: zbva,
            no_send_with_invalidate: invalidate,
        };
        let bytes = value.bytes();
        let (view, _) = PrivateDataView::parse(&bytes).unwrap();
        prop_assert_eq!(PrivateData::try_from(view), Ok(value));
    }

    #[test]
    fn nothing_panics(bytes in vec(any::<u8>(), 0..160), opcode in 0..64u8, block in vec(any::<u8>(), 0..20)) {
        let _ = HeaderView::parse(&bytes).map(|(view, _)| Header::try_from(view));
        let mut bytes = bytes;
        if let [first, _, _, _, ahs, high, middle, low, ..] = &mut bytes[..] {
            (*first, *high, *middle) = (opcode, 0, 0);
            (*ahs, *low) = (*ahs & 7, *low & 63);
        }
        if let Ok((pdu, rest)) = PduView::parse(&bytes) {
            let all = 48 + pdu.ahs.len() + pdu.data.len() + pdu.padding.len() + rest.len();
            prop_assert_eq!(all, bytes.len());
            prop_assert_eq!(matches!(pdu.body, Body::Other), pdu.opcode().is_none());
            prop_assert!(additional_headers(pdu.ahs).count() <= pdu.ahs.len());
            prop_assert!(pairs(pdu.data).all(|pair| !pair.bytes.is_empty()));
            let _ = (pdu.sense_segment(), pdu.bidirectional_read_length());
            prop_assert_eq!(PduView::parse_cut(&bytes), Ok(pdu));
        }
        if let Ok(sense) = SenseView::parse(&block) {
            let _ = (sense.key_name(), sense.additional_sense_name(), sense.information());
        }
        let command = CommandView::of(&block);
        let _ = (command.name(), command.logical_block_address(), command.blocks());
    }
}

/// What RFC 7145 §9 forbids a sender: reserved bits, an STag without its flag, another version.
#[test]
fn what_an_iser_header_must_not_have() {
    let with = |first: u8, at: usize, value: u8| {
        let mut bytes = [0; 28];
        if first >> 4 != 1 {
            bytes[1] = 0xaa;
        }
        (bytes[0], bytes[at]) = (first, if at == 0 { first } else { value });
        let refused = Header::try_from(HeaderView::parse(&bytes).unwrap().0);
        refused.err().map(|illegal| illegal.field)
    };
    assert_eq!(with(0x10, 0, 0), None);
    assert_eq!(with(0x12, 0, 0), Some("reserved"));
    assert_eq!(with(0x10, 3, 1), Some("reserved"));
    assert_eq!(with(0x14, 7, 1), Some("write STag"));
    assert_eq!(with(0x14, 15, 1), Some("write base offset"));
    assert_eq!(with(0x18, 19, 1), Some("read STag"));
    assert_eq!(with(0x18, 27, 1), Some("read base offset"));
    assert_eq!(with(0x20, 1, 0xa9), Some("versions"));
    assert_eq!(with(0x21, 0, 0), Some("reserved"));
    assert_eq!(with(0x20, 9, 1), Some("reserved"));
    assert_eq!(with(0x31, 0, 0), None);
    assert_eq!(with(0x32, 0, 0), Some("reserved"));
    let unknown = [0x40; 28];
    assert_eq!(HeaderView::parse(&unknown).unwrap_err().problem, Problem::Value(4));
}

/// A header in which every byte is its own number, so that a value says where it was read.
fn numbered(opcode: u8) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..48).collect();
    (bytes[0], bytes[4], bytes[5], bytes[6], bytes[7]) = (opcode, 0, 0, 0, 0);
    bytes
}

/// The sequence numbers that follow from the type (RFC 7143 §11), and the fields to which the vectors
/// give no value that only their place has.
#[test]
fn iscsi_headers_by_opcode() {
    for opcode in 0..64u8 {
        let bytes = numbered(opcode);
        let (pdu, _) = PduView::parse(&bytes).unwrap();
        let numbers = [
            pdu.body.command_sequence_number().is_some(),
            pdu.body.expected_status_sequence_number().is_some(),
            pdu.body.status_numbers().is_some(),
        ];
        let expected = match pdu.opcode() {
            None => [false, false, false],
            Some(Opcode::DataOut | Opcode::Snack) => [false, true, false],
            Some(kind) if kind.is_from_initiator() => [true, true, false],
            Some(_) => [false, false, true],
        };
        assert_eq!(numbers, expected, "{opcode:#x}");
        match pdu.body {
            Body::TaskManagementRequest(view) => {
                assert_eq!(view.expected_data_sequence_number(), 0x2425_2627);
            }
            Body::LoginRequest(view) => {
                assert_eq!((view.maximum_version(), view.minimum_version()), (2, 3));
            }
            Body::Snack(view) => assert_eq!(view.target_transfer_tag(), 0x1415_1617),
            Body::ScsiResponse(view) => assert_eq!(view.response(), 2),
            Body::LoginResponse(view) => {
                assert_eq!((view.maximum_version(), view.active_version()), (2, 3));
            }
            Body::Asynchronous(view) => assert_eq!(view.vendor_code(), 0x25),
            Body::Reject(view) => assert_eq!(view.data_sequence_number(), 0x2425_2627),
            _ => {}
        }
    }
}

/// Every assigned opcode has a name, and no other number has.
#[test]
fn opcodes_have_names() {
    for opcode in 0..64u8 {
        let name = name_of(Opcode::NAMES, opcode);
        assert_eq!(name, Opcode::from_repr(opcode).map(Opcode::name), "{opcode:#x}");
    }
    assert_eq!(name_of(iscsi::LOGIN_STATUSES, 0x0201u16), Some("Authentication failure"));
}

/// Lengths are bytes without padding, of Additional Header Segments words (RFC 7143 §11.2.1.5, .6).
#[test]
fn segments_follow_the_header() {
    let mut bytes = vec![0; 48];
    (bytes[0], bytes[1], bytes[4], bytes[7]) = (0x41, 0xe0, 2, 5);
    bytes.extend([0, 5, 2, 0, 0x00, 0x01, 0x02, 0x03]);
    bytes.extend(b"hello\0\0\0and");
    let (pdu, rest) = PduView::parse(&bytes).unwrap();
    assert!(pdu.basic.immediate());
    assert_eq!((pdu.data, pdu.padding, rest), (&b"hello"[..], &[0, 0, 0][..], &b"and"[..]));
    assert_eq!(pdu.bidirectional_read_length(), Some(0x0001_0203));
    let header = additional_headers(pdu.ahs).next().unwrap();
    assert_eq!((header.kind, header.length, header.content.len()), (2, 5, 5));

    let unpadded = &bytes[..48 + 8 + 6];
    let (pdu, _) = PduView::parse(unpadded).unwrap();
    assert_eq!((pdu.data, pdu.padding.len()), (&b"hello"[..], 1));
    let short = PduView::parse(&bytes[..48 + 8 + 4]).unwrap_err();
    assert_eq!((short.field, short.needed()), ("data segment", Some(5)));
    let cut = PduView::parse_cut(&bytes[..48 + 8 + 4]).unwrap();
    assert_eq!((cut.data, cut.padding, cut.ahs.len()), (&b"hell"[..], &[][..], 8));
    assert_eq!(PduView::parse_cut(&bytes[..50]).unwrap().ahs, [0, 5]);
    assert!(PduView::parse_cut(&bytes[..47]).is_err());
    assert_eq!([0, 1, 2, 3, 4].map(padding_length), [0, 3, 2, 1, 0]);
    assert_eq!(pdu.initiator_task_tag(), Some(0));
    let mut no_tag = numbered(0x20);
    no_tag[16..20].copy_from_slice(&NO_TAG.to_be_bytes());
    assert_eq!(PduView::parse(&no_tag).unwrap().0.initiator_task_tag(), None);
}

#[test]
fn text_is_pairs() {
    let text = b"A=1\0\0B=x=y\0C\0D=half";
    let found: Vec<Pair<'_>> = pairs(text).collect();
    let pair = |offset, key, value: Option<&'static [u8]>, ended| {
        let length = 1 + value.map_or(0, |value| value.len() + 1);
        Pair { offset, bytes: &text[offset..offset + length], key, value, ended }
    };
    let expected = [
        pair(0, b"A", Some(b"1"), true),
        pair(5, b"B", Some(b"x=y"), true),
        pair(11, b"C", None, true),
        pair(13, b"D", Some(b"half"), false),
    ];
    assert_eq!(found, expected);
}

/// Commands of the captures and of SBC's tables, part by part.
#[test]
fn commands_have_their_parts() {
    let read = [0x28, 0, 0, 0, 0x80, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    let command = CommandView::of(&read);
    assert_eq!(command.name(), Some("READ(10)"));
    assert_eq!((command.logical_block_address(), command.blocks()), (Some(32768), Some(1)));

    let short = CommandView::of(&[0x0a, 0xff, 0xff, 0xff, 0, 0]);
    assert_eq!((short.logical_block_address(), short.blocks()), (Some(0x1f_ffff), Some(256)));

    let long = [0x88, 0x08, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0];
    let command = CommandView::of(&long);
    assert_eq!(
        (command.logical_block_address(), command.blocks()),
        (Some(0x1_0000_0002), Some(256))
    );
    assert_eq!(
        (command.part(Part::ForceUnitAccess), command.part(Part::DisablePageOut)),
        (Some(1), Some(0))
    );

    let inquiry = CommandView::of(&[0x12, 1, 0x83, 0, 0xb9, 0]);
    assert_eq!(inquiry.part(Part::VitalProductData), Some(1));
    assert_eq!(
        (inquiry.part(Part::PageCode), inquiry.part(Part::AllocationLength)),
        (Some(0x83), Some(0xb9))
    );
    assert_eq!((inquiry.logical_block_address(), inquiry.blocks()), (None, None));

    let capacity = CommandView::of(&[0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0]);
    assert_eq!(
        (capacity.name(), capacity.part(Part::AllocationLength)),
        (Some("READ CAPACITY(16)"), Some(32))
    );
    assert_eq!(CommandView::of(&[0xa3, 0x1f]).name(), Some("MAINTENANCE IN"));
    assert_eq!(CommandView::of(&[0xc5]).name(), None);
    // Cut off: no part is read that is not there.
    assert_eq!(CommandView::of(&read[..5]).logical_block_address(), None);
}

/// Every part is inside its command, and every command's operation code has a name.
#[test]
fn the_table_of_commands_is_consistent() {
    for info in scsi::COMMANDS {
        let group = match info.operation {
            0x00..=0x1f => 6,
            0x20..=0x5f => 10,
            0x80..=0x9f => 16,
            _ => 12,
        };
        assert_eq!(info.length, group, "{}", info.name);
        for place in info.places {
            assert!(place.offset > 0 && place.offset + place.width <= info.length, "{}", info.name);
            assert!(
                place.mask != 0 && place.mask >> (8 * (place.width - 1)) <= 0xff,
                "{}",
                info.name
            );
        }
        let name = name_of(OPERATIONS, info.operation).expect(info.name);
        assert!(info.service_action.is_some() || name == info.name, "{}", info.name);
    }
    assert!(scsi::SENSE_KEYS.iter().enumerate().all(|(at, (key, _))| at as u64 == *key));
}

#[test]
fn sense_data_in_both_formats() {
    let fixed = [0xf0, 0, 5, 0, 0, 0x80, 0, 10, 0, 0, 0, 0, 0x21, 0, 0, 0, 0, 0];
    let sense = SenseView::parse(&fixed).unwrap();
    assert_eq!((sense.format(), sense.key_name()), (SenseFormat::Fixed, Some("Illegal Request")));
    assert_eq!((sense.additional_sense(), sense.information()), (Some(0x2100), Some(0x8000)));
    assert_eq!(sense.additional_sense_name(), Some("Logical block address out of range"));

    let descriptor = [0x73, 6, 0x29, 3, 0, 0, 0, 0];
    let sense = SenseView::parse(&descriptor).unwrap();
    assert_eq!((sense.key(), sense.additional_sense(), sense.deferred()), (6, Some(0x2903), true));
    assert_eq!(sense.information(), None);

    let short = SenseView::parse(&fixed[..8]).unwrap();
    assert_eq!((short.key(), short.additional_sense()), (5, None));
    assert!(SenseView::parse(&fixed[..3]).is_err());
    assert_eq!(SenseView::parse(&[0x7f, 0, 0, 0]).unwrap_err().problem, Problem::Value(0x7f));
}

#[test]
fn logical_units_have_numbers() {
    assert_eq!(scsi::logical_unit_number(0), Some(0));
    assert_eq!(scsi::logical_unit_number(0x0001_0000_0000_0000), Some(1));
    assert_eq!(scsi::logical_unit_number(0x4102_0000_0000_0000), Some(0x102));
    assert_eq!(scsi::logical_unit_number(0x0102_0000_0000_0000), None, "on another bus");
    assert_eq!(scsi::logical_unit_number(0x0001_0002_0000_0000), None, "of two levels");
    assert_eq!(scsi::logical_unit_number(0xc101_0000_0000_0000), None, "a well known one");
}
