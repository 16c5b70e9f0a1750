//! NVMe over RDMA: figures read from bytes that Linux sent, and written again; what is refused; that
//! nothing panics.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "so tests fail")]

use proptest::prelude::*;
use warpscope_wire::nvme::*;
use warpscope_wire::{Malformed, Writer, name_of};

/// Bytes of hexadecimal digits; blanks do not count.
fn bytes(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// What `emit` writes into a poisoned buffer.
fn written(length: usize, emit: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut buffer = vec![0xa5; length];
    let mut writer = Writer::new(&mut buffer);
    emit(&mut writer);
    assert_eq!(writer.finish(), Ok(length));
    buffer
}

/// The request for an admin queue of 32 entries, with what is not allowed.
#[test]
fn private_data_that_no_host_sends() {
    let raw = [bytes("0000 0000 2000 1f00"), vec![0; 24]].concat();
    for (place, value, field) in [(0, 1, "record format"), (10, 1, "reserved"), (31, 9, "reserved")]
    {
        let mut wrong = raw.clone();
        wrong[place] = value;
        let (view, _) = RequestView::parse(&wrong).unwrap();
        assert_eq!(Request::try_from(view).unwrap_err().field, field);
    }
    assert_eq!(RequestView::parse(&raw[..31]).unwrap_err().needed(), Some(32));
}

/// The rejects that Linux sends: a status each.
#[test]
fn private_data_of_a_reject() {
    for (raw, status, words) in [
        ("0000 0100", 1, "Invalid Length"),
        ("0000 0200", 2, "Invalid Record Format"),
        ("0000 0400", 4, "Invalid Host Send Queue Size"),
    ] {
        let raw = bytes(raw);
        let (view, _) = RejectView::parse(&raw).unwrap();
        assert_eq!((view.status(), view.status_name()), (status, Some(words)));
        let reject = Reject::try_from(view).unwrap();
        assert_eq!(written(4, |writer| reject.emit(writer)), raw);
    }
    assert_eq!(Reject::new(0).unwrap_err().field, "status");
    assert_eq!(Reject::new(10).unwrap_err().field, "status");
}

/// The Connect command of an admin queue, with a keyed descriptor that may be invalidated.
const CONNECT: &str = "7f400000 01000000 00000000 00000000 00000000 00000000 \
     0060a207 8088ffff 00040001 4fae034f \
     00000000 1f000000 88130000 00000000 00000000 00000000";

/// A Fabrics command has its type in the place of the opcode. Opcode 2 is Get Log Page on the admin queue
/// and Read on an I/O queue.
#[test]
fn names_and_directions() {
    for (opcode, fabrics_type, queue, name, direction) in [
        (0x7f, 1, Queue::Admin, "Connect", DataDirection::HostToController),
        (0x7f, 1, Queue::Io, "Connect", DataDirection::HostToController),
        (0x7f, 4, Queue::Admin, "Property Get", DataDirection::None),
        (2, 0, Queue::of(0), "Get Log Page", DataDirection::ControllerToHost),
        (2, 0, Queue::of(1), "Read", DataDirection::ControllerToHost),
    ] {
        let mut raw = vec![0; 64];
        (raw[0], raw[4]) = (opcode, fabrics_type);
        let (command, _) = CommandView::parse(&raw).unwrap();
        assert_eq!(command.is_fabrics(), opcode == 0x7f);
        assert_eq!((command.name(queue), command.direction()), (Some(name), direction));
    }
}

/// A Connect that leaves flow control on; a Property Get of eight bytes at offset 0.
#[test]
fn attributes_of_fabrics_commands() {
    let raw = bytes(CONNECT);
    assert!(!ConnectView::parse(&raw).unwrap().0.flow_control_off());
    let mut raw = vec![0; 64];
    raw[40] = 1;
    let (property, _) = PropertyView::parse(&raw).unwrap();
    assert_eq!(property.size(), Some(8));
    assert_eq!(name_of(PROPERTIES, property.offset()), Some("Controller Capabilities"));
}

#[test]
fn blocks_are_one_more_than_the_field() {
    let mut raw = vec![0; 64];
    raw[0] = 1;
    raw[40..44].copy_from_slice(&2048u32.to_le_bytes());
    raw[44] = 1;
    raw[48..50].copy_from_slice(&2039u16.to_le_bytes());
    let (command, _) = CommandView::parse(&raw).unwrap();
    assert_eq!(command.starting_lba(), (1 << 32) + 2048);
    assert_eq!(command.block_count(), 2040);
    raw[48..50].copy_from_slice(&[0xff; 2]);
    let (command, _) = CommandView::parse(&raw).unwrap();
    assert_eq!(command.block_count(), 65536);
}

#[test]
fn a_log_page_is_counted_in_dwords() {
    let mut raw = vec![0; 64];
    raw[0] = 2;
    raw[40..44].copy_from_slice(&0x03ff_0070u32.to_le_bytes());
    raw[48..52].copy_from_slice(&1024u32.to_le_bytes());
    let (command, _) = CommandView::parse(&raw).unwrap();
    assert_eq!((command.log_page(), command.log_page_length()), (0x70, 4096));
    assert_eq!(command.log_page_offset(), 1024);
    raw[44] = 1;
    let (command, _) = CommandView::parse(&raw).unwrap();
    assert_eq!(command.log_page_length(), (0x1_03ff + 1) * 4);
}

#[test]
fn descriptors_of_every_kind() {
    for (raw, descriptor, name) in [
        ("0000000000000000 00000000 000000 00", Descriptor::NONE, "none"),
        (
            "0000000000000000 00100000 000000 01",
            Descriptor::InCapsule { offset: 0, length: 4096 },
            "in-capsule",
        ),
        (
            "1000000000000000 20000000 000000 21",
            Descriptor::Segment { offset: 16, length: 32, last: false },
            "segment",
        ),
        (
            "0000000000000000 20000000 000000 31",
            Descriptor::Segment { offset: 0, length: 32, last: true },
            "last segment",
        ),
        (
            "0100000000000080 ffffff 78563412 40",
            Descriptor::Keyed {
                address: 0x8000_0000_0000_0001,
                length: 0xff_ffff,
                key: 0x1234_5678,
                invalidate: false,
            },
            "keyed",
        ),
        // The STag of the RDMA Read that fetched the data was 03ae4f01, its TO ffff888007a26000.
        (
            "0060a2078088ffff 000400 014fae03 4f",
            Descriptor::Keyed {
                address: 0xffff_8880_07a2_6000,
                length: 1024,
                key: 0x03ae_4f01,
                invalidate: true,
            },
            "keyed, to be invalidated",
        ),
    ] {
        let raw = bytes(raw);
        let (view, _) = DescriptorView::parse(&raw).unwrap();
        assert_eq!(view.descriptor(), Some(descriptor));
        assert_eq!(descriptor.name(), name);
        assert_eq!(written(16, |writer| descriptor.emit(writer)), raw);
    }
    for identifier in [0x02, 0x0f, 0x10, 0x20, 0x30, 0x41, 0x5a, 0xf0] {
        let raw = [vec![0; 15], vec![identifier]].concat();
        let (view, _) = DescriptorView::parse(&raw).unwrap();
        assert_eq!(view.descriptor(), None, "{identifier:#x}");
    }
}

#[test]
fn commands_that_no_host_sends() {
    let legal = bytes(CONNECT);
    for (place, value, field) in [
        (1, 0x00, "flags"),
        (1, 0x43, "flags"),
        (1, 0x44, "flags"),
        (39, 0x41, "SGL identifier"),
        (39, 0x01, "SGL reserved"),
    ] {
        let mut raw = legal.clone();
        raw[place] = value;
        let (view, _) = CommandView::parse(&raw).unwrap();
        assert_eq!(Command::try_from(view).unwrap_err().field, field);
    }
    let keyed = |length| Descriptor::Keyed { address: 0, length, key: 1, invalidate: false };
    assert!(Command::new(2, 0, keyed(0xff_ffff)).is_ok());
    assert_eq!(Command::new(2, 0, keyed(0x100_0000)).unwrap_err().field, "keyed length");
}

#[test]
fn connect_data() {
    let identifier = bytes("aaaaaaaa bbbb 4ccc 8ddd eeeeeeeeeeee").try_into().unwrap();
    let data = ConnectData::new(
        identifier,
        0xffff,
        "nqn.2026-11.org.example:ram",
        "nqn.2026-11.org.example:host-b",
    )
    .unwrap();
    let raw = written(1024, |writer| data.emit(writer));
    let (view, rest) = ConnectDataView::parse(&raw).unwrap();
    assert!(rest.is_empty());
    assert_eq!(view.host_identifier(), identifier);
    assert_eq!(view.controller_id(), 0xffff);
    assert_eq!(view.subsystem_name(), b"nqn.2026-11.org.example:ram");
    assert_eq!(view.host_name(), b"nqn.2026-11.org.example:host-b");
    assert_eq!(raw[256..259], *b"nqn");
    assert_eq!(raw[512..515], *b"nqn");
    let long = "n".repeat(224);
    assert_eq!(ConnectData::new(identifier, 1, &long, "").unwrap_err().field, "subsystem name");
    assert_eq!(ConnectData::new(identifier, 1, "", "a\0b").unwrap_err().field, "host name");
}

/// A Property Get of the capabilities, answered; then a Connect that is refused.
#[test]
fn completions() {
    let raw = bytes("7f00000f 20080000 0200 0000 0100 0000");
    let (view, _) = CompletionView::parse(&raw).unwrap();
    assert_eq!((view.result(), view.status().succeeded()), (0x0820_0f00_007f, true));
    let raw = bytes("00000000 00000000 0100 0000 0000 0883");
    let (view, _) = CompletionView::parse(&raw).unwrap();
    assert_eq!((view.status().field(), view.status().succeeded()), (0x8308, false));
}

#[test]
fn statuses_in_words() {
    for (number, fabrics, words) in [
        (0x0000, false, Some("Successful Completion")),
        (0x4006, false, Some("Internal Error")),
        (0x6001, false, Some("Invalid Command Opcode")),
        (0x6002, false, Some("Invalid Field in Command")),
        (0x600f, false, Some("Data SGL Length Invalid")),
        (0x4184, true, Some("Connect Invalid Host")),
        (0x4184, false, None),
        (0x4182, true, Some("Connect Invalid Parameters")),
        (0x4182, false, Some("Attempted Write to Read Only Range")),
        (0x0080, false, Some("LBA Out of Range")),
        (0x0285, false, Some("Compare Failure")),
        (0x0701, false, None),
    ] {
        let status = Status::from_field(number << 1);
        assert_eq!(status.number(), number);
        assert_eq!(status.name(fabrics), words, "{number:#x}");
    }
    // The phase tag is no part of the status; two bits say which delay to wait for.
    assert_eq!(Status::from_field(1).number(), 0);
    assert_eq!(Status::from_field(0x3000).retry_delay(), 3);
}

#[test]
fn a_discovery_log_entry() {
    let mut raw = vec![0; 1024];
    raw[..12].copy_from_slice(&bytes("01 01 02 04 4411 ffff 2000 0000"));
    raw[32..64].fill(b' ');
    raw[32..36].copy_from_slice(b"4420");
    raw[256..283].copy_from_slice(b"nqn.2026-11.org.example:ram");
    raw[512..521].copy_from_slice(b"10.66.0.1");
    raw[768..771].copy_from_slice(&[1, 1, 1]);
    let (entry, _) = DiscoveryEntryView::parse(&raw).unwrap();
    assert_eq!((entry.transport_type(), entry.address_family()), (1, 1));
    assert_eq!((entry.subsystem_type(), entry.transport_requirements()), (2, 4));
    assert_eq!((entry.port_id(), entry.controller_id()), (4420, 0xffff));
    assert_eq!((entry.admin_queue_size(), entry.flags()), (32, 0));
    assert_eq!((entry.service(), entry.address()), (&b"4420"[..], &b"10.66.0.1"[..]));
    assert_eq!(entry.subsystem_name(), b"nqn.2026-11.org.example:ram");
    assert_eq!(entry.rdma_service_type(), 1);
}

#[test]
fn blocks_have_the_length_of_the_format_in_use() {
    let mut raw = vec![0; 4096];
    raw[26] = 0x11;
    for (format, shift, length) in [(1, 12, Some(4096)), (0x11, 9, Some(512))] {
        raw[128 + 4 * format + 2] = shift;
        let (page, _) = IdentifyNamespaceView::parse(&raw).unwrap();
        assert_eq!(page.format_index(), format);
        assert_eq!(page.format().unwrap().block_length(), length);
        raw[26] = 0x21;
    }
    let none = [0, 0, 0, 0];
    assert_eq!(BlockFormatView::parse(&none).unwrap().0.block_length(), None);
}

/// Takes what an accessor gives: it was called.
fn seen<T>(_: T) {}

/// A parser of any of the figures, for the property below.
fn parse_all(input: &[u8]) -> [Result<(), Malformed>; 11] {
    [
        RequestView::parse(input).map(|(view, _)| seen(Request::try_from(view))),
        AcceptView::parse(input).map(|(view, _)| seen(Accept::try_from(view))),
        RejectView::parse(input).map(|(view, _)| seen(Reject::try_from(view))),
        CommandView::parse(input).map(|(view, _)| {
            for queue in [Queue::Admin, Queue::Io] {
                let _ = (view.name(queue), view.direction(), view.descriptor().descriptor());
            }
            let _ = (view.starting_lba(), view.block_count(), view.log_page_length());
            seen(Command::try_from(view));
        }),
        ConnectView::parse(input).map(seen),
        PropertyView::parse(input).map(|(view, _)| seen(view.size())),
        ConnectDataView::parse(input)
            .map(|(view, _)| seen((view.subsystem_name(), view.host_name()))),
        CompletionView::parse(input).map(|(view, _)| seen(view.status().name(true))),
        DiscoveryEntryView::parse(input).map(|(view, _)| seen((view.service(), view.address()))),
        IdentifyControllerView::parse(input).map(|(view, _)| seen(view.subsystem_name())),
        IdentifyNamespaceView::parse(input)
            .map(|(view, _)| seen(view.format().map(|format| format.block_length()))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// Nothing panics, and what cannot be read is only too short.
    #[test]
    fn no_input_panics(input in prop::collection::vec(any::<u8>(), 0..4200)) {
        for result in parse_all(&input) {
            if let Err(malformed) = result {
                prop_assert!(malformed.needed().is_some_and(|needed| needed > input.len()));
            }
        }
    }

    /// A command that may be sent is written as it was read.
    #[test]
    fn legal_commands_are_written_as_read(
        mut input in prop::collection::vec(any::<u8>(), 64..=64),
        identifier in prop::sample::select(vec![0x01u8, 0x40, 0x4f, 0x31]),
    ) {
        input[1] = 0x40;
        input[36..39].fill(0);
        input[39] = identifier;
        let (view, _) = CommandView::parse(&input).unwrap();
        let command = Command::try_from(view).unwrap();
        prop_assert_eq!(written(64, |writer| command.emit(writer)), input);
    }
}
