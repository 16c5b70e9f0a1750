//! What is written is read, and the other way round.

use crate::shown::{emitted, written};
use crate::{KINDS, legal};
use proptest::collection::vec;
use proptest::prelude::*;
use warpscope_wire::ddp::{Tagged, TaggedView, Untagged, UntaggedView};
use warpscope_wire::mpa::*;
use warpscope_wire::rdmap::*;
use warpscope_wire::rpc::{Call, Reply, RpcView};
use warpscope_wire::rpcrdma::{Header, HeaderView};

/// Round trips of reprs whose view is followed by other bytes.
macro_rules! round_trips {
    ($($name:ident: $view:ident => $repr:ident, $value:ident => $bytes:expr;)*) => {
        proptest! {
            $(#[test]
            fn $name($value in legal::$name(), tail in legal::bytes(9)) {
                let mut bytes: Vec<u8> = $bytes;
                let length = bytes.len();
                bytes.extend(&tail);
                let (view, rest) = $view::parse(&bytes).unwrap();
                prop_assert_eq!(rest, &tail[..]);
                prop_assert_eq!($repr::try_from(view).unwrap(), $value);
                prop_assert!($view::parse(&bytes[..length - 1]).is_err());
            })*
        }
    };
}

round_trips! {
    tagged: TaggedView => Tagged, value => written(|w| value.emit(w));
    untagged: UntaggedView => Untagged, value => written(|w| value.emit(w));
    enhanced: EnhancedView => Enhanced, value => value.bytes().to_vec();
    marker: MarkerView => Marker, value => value.bytes().to_vec();
    private_data: RdmaPrivateDataView => RdmaPrivateData, value => value.bytes().to_vec();
    setup: SetupView => Setup, value => emitted(|buffer| value.emit(buffer));
    read_request: ReadRequestView => ReadRequest, value => written(|w| value.emit(w));
    read_v2_request: ReadV2RequestView => ReadV2Request, value => written(|w| value.emit(w));
    atomic_request: AtomicRequestView => AtomicRequest, value => written(|w| value.emit(w));
    atomic_response: AtomicResponseView => AtomicResponse, value => written(|w| value.emit(w));
    atomic_write_request: AtomicWriteRequestView => AtomicWriteRequest,
        value => written(|w| value.emit(w));
    flush_request: FlushRequestView => FlushRequest, value => written(|w| value.emit(w));
    header: HeaderView => Header, value => emitted(|buffer| value.emit(buffer));
}

proptest! {
    #[test]
    fn verify_request(value in legal::verify_request()) {
        let bytes = written(|w| value.emit(w));
        prop_assert_eq!(VerifyRequest::from(VerifyRequestView::parse(&bytes).unwrap()), value);
    }

    #[test]
    fn terminate(value in legal::terminate()) {
        let bytes = emitted(|buffer| value.emit(buffer));
        prop_assert_eq!(bytes.len(), value.length());
        let view = TerminateView::parse(&bytes).unwrap();
        prop_assert_eq!(Terminate::try_from(view).unwrap(), value);
    }

    #[test]
    fn rpc(call in legal::call(), reply in legal::reply(), tail in legal::bytes(9)) {
        let bytes = [written(|w| call.emit(w)), tail.clone()].concat();
        let Ok((RpcView::Call(view), rest)) = RpcView::parse(&bytes) else { panic!("no call") };
        prop_assert_eq!((Call::try_from(view).unwrap(), rest), (call, &tail[..]));
        let bytes = [written(|w| reply.emit(w)), tail.clone()].concat();
        let Ok((RpcView::Reply(view), rest)) = RpcView::parse(&bytes) else { panic!("no reply") };
        prop_assert_eq!((Reply::try_from(view).unwrap(), rest), (reply, &tail[..]));
    }

    #[test]
    fn control(value in legal::control()) {
        let view = RdmapControlView(value.byte());
        prop_assert_eq!(RdmapControl::try_from(view).unwrap(), value);
    }

    #[test]
    fn fpdu(ulpdu in legal::bytes(300), tail in legal::bytes(9)) {
        let fpdu = Fpdu::new(&ulpdu).unwrap();
        let mut bytes = emitted(|buffer| fpdu.emit(buffer));
        bytes.extend(&tail);
        let (view, rest) = FpduView::parse(&bytes).unwrap();
        prop_assert_eq!(rest, &tail[..]);
        prop_assert_eq!(Fpdu::try_from(view).unwrap(), fpdu);
    }

    /// A CRC finds every error within 32 bits.
    #[test]
    fn a_damaged_fpdu_is_illegal(
        ulpdu in legal::bytes(300), at in any::<prop::sample::Index>(), damage in 1..=u8::MAX,
    ) {
        let mut bytes = emitted(|buffer| Fpdu::new(&ulpdu).unwrap().emit(buffer));
        let at = 2 + at.index(bytes.len() - 2);
        bytes[at] ^= damage;
        let (view, _) = FpduView::parse(&bytes).unwrap();
        prop_assert!(Fpdu::try_from(view).is_err());
    }

    #[test]
    fn segment(
        control in legal::control(), last: bool, numbers: [u32; 3], tagged_offset: u64,
        payload in legal::bytes(70),
    ) {
        let message = control.message();
        let [steering_tag, message_sequence_number, message_offset] = numbers;
        let destination = match message.info().buffer {
            Buffer::Tagged => Destination::Tagged { steering_tag, tagged_offset },
            Buffer::Queue(_) => Destination::Untagged {
                invalidate_steering_tag: if message.may_invalidate() { steering_tag } else { 0 },
                message_sequence_number,
                message_offset: match message.info().payload {
                    Payload::Header(_) | Payload::Nothing => 0,
                    _ => message_offset,
                },
            },
        };
        let length = match message.info().payload {
            Payload::Ulp | Payload::AtLeast(_) => payload.len(),
            Payload::UlpThenImmediate => if last { 8 } else { payload.len() },
            Payload::Header(length) => length,
            Payload::Nothing => 0,
        };
        let mut payload = payload;
        payload.resize(length, 0x5a);
        let value = match Segment::new(control, last, destination, &payload) {
            Ok(value) => value,
            // A payload shorter than its message must be, at a low offset.
            Err(_) => {
                prop_assert!(matches!(message.info().payload, Payload::AtLeast(_)) && last);
                return Ok(());
            }
        };
        let bytes = emitted(|buffer| value.emit(buffer));
        let view = SegmentView::parse(&bytes).unwrap();
        prop_assert_eq!(view.message(Profile::ALL), Some(message));
        prop_assert_eq!(Segment::try_from(view).unwrap(), value);
    }
}

/// Bytes that some parser finds legal, or nearly so: one of them changed, or the end cut off.
fn nearly_legal() -> impl Strategy<Value = Vec<u8>> {
    let legal = prop_oneof![
        legal::tagged().prop_map(|value| written(|w| value.emit(w))),
        legal::untagged().prop_map(|value| written(|w| value.emit(w))),
        legal::setup().prop_map(|value| emitted(|buffer| value.emit(buffer))),
        legal::private_data().prop_map(|value| value.bytes().to_vec()),
        legal::bytes(99).prop_map(|ulpdu| emitted(|b| Fpdu::new(&ulpdu).unwrap().emit(b))),
        legal::atomic_request().prop_map(|value| written(|w| value.emit(w))),
        legal::terminate().prop_map(|value| emitted(|buffer| value.emit(buffer))),
        legal::header().prop_map(|value| emitted(|buffer| value.emit(buffer))),
        legal::call().prop_map(|value| written(|w| value.emit(w))),
        legal::reply().prop_map(|value| written(|w| value.emit(w))),
        (legal::control(), legal::untagged(), legal::bytes(60)).prop_map(
            |(control, header, tail)| {
                let rsvd_ulp = [control.byte(), 0, 0, 0, 0];
                let queue_number = header.queue_number % 4;
                let header = Untagged { rsvd_ulp, queue_number, message_offset: 0, ..header };
                [written(|w| header.emit(w)), tail].concat()
            }
        ),
    ];
    (legal, any::<prop::sample::Index>(), any::<u8>(), 0..3).prop_map(|(mut bytes, at, to, how)| {
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = to,
            1 => bytes.truncate(at),
            _ => {}
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// No decoder panics, and a view that turns into a repr is written as it was read.
    #[test]
    fn legal_readings_are_written_as_read(
        bytes in prop_oneof![legal::bytes(600), nearly_legal()],
    ) {
        for (name, decode) in KINDS {
            if let Ok(shown) = decode(&bytes)
                && let Ok(emit) = &shown.repr
            {
                prop_assert_eq!(&bytes[..shown.covered], &emitted(emit)[..], "{}", name);
            }
        }
    }

    #[test]
    fn demark_never_panics(position: u64, stream in legal::bytes(1200)) {
        let (mut fpdu, mut markers) = (Vec::new(), Vec::new());
        match demark(position, &stream, &mut fpdu, &mut markers) {
            Ok(demarked) => {
                prop_assert!(demarked.consumed <= stream.len());
                prop_assert_eq!(demarked.consumed, fpdu.len() + markers.len() * MARKER_LENGTH);
            }
            Err(malformed) => prop_assert!(malformed.needed().unwrap() > stream.len()),
        }
    }

    #[test]
    fn next_marker_is_the_first(position: u64) {
        let marker = next_marker(position);
        prop_assert!(marker.is_multiple_of(MARKER_INTERVAL));
        prop_assert!(marker.wrapping_sub(position) < MARKER_INTERVAL);
    }
}

#[test]
fn pad_makes_four() {
    for length in 0..=u16::MAX {
        assert!(pad_length(length) < 4);
        assert_eq!((2 + usize::from(length) + pad_length(length)) % 4, 0);
        assert_eq!(fpdu_length(length), 2 + usize::from(length) + pad_length(length) + 4);
        assert_eq!(fpdu_needs(None, &length.to_be_bytes()), fpdu_length(length));
    }
}

/// A stream as RFC 5044 §4.3 and §4.4 say it, byte by byte: returns the marked FPDU.
fn marked(position: u64, fpdu: &[u8]) -> Vec<u8> {
    let (mut stream, mut start) = (Vec::new(), None);
    for word in fpdu.chunks(4) {
        let offset = stream.len();
        if position.wrapping_add(offset as u64).is_multiple_of(512) {
            let back = u16::try_from(start.map_or(0, |start| offset - start)).unwrap();
            stream.extend([0, 0, (back >> 8) as u8, back as u8]);
        }
        start.get_or_insert(stream.len());
        stream.extend(word);
    }
    let covered = stream.len() - 4;
    let crc = warpscope_wire::crc::crc32c(&stream[..covered]).to_le_bytes();
    stream[covered..].copy_from_slice(&crc);
    stream
}

/// An FPDU appended in pieces is the one that was expected, but for a CRC that is not in use.
fn check_appended(
    position: Option<u64>,
    ulpdu: &[u8],
    expected: &[u8],
) -> Result<(), TestCaseError> {
    let (header, payload) = ulpdu.split_at(ulpdu.len().min(14));
    let mut stream = vec![0xa5];
    for crc in [true, false] {
        stream.truncate(1);
        let length = append_fpdu(&mut stream, position, &[header, payload], crc).unwrap();
        prop_assert_eq!((stream[0], length), (0xa5, expected.len()));
        let (covered, field) = stream[1..].split_at(expected.len() - 4);
        prop_assert_eq!(covered, &expected[..expected.len() - 4]);
        prop_assert_eq!(field, if crc { &expected[expected.len() - 4..] } else { &[0; 4] });
    }
    Ok(())
}

fn check_stream(position: u64, ulpdus: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let (mut stream, mut starts) = (Vec::new(), Vec::new());
    for ulpdu in ulpdus {
        let plain = emitted(|buffer| Fpdu::new(ulpdu).unwrap().emit(buffer));
        let at = position.wrapping_add(stream.len() as u64);
        let begin = stream.len();
        starts.push(begin);
        insert_markers(at, &plain, &mut stream);
        prop_assert_eq!(&stream[begin..], &marked(at, &plain)[..]);
        check_appended(Some(at), ulpdu, &stream[begin..])?;
        check_appended(None, ulpdu, &plain)?;
        let length = fpdu_length_with_markers(at, ulpdu.len() as u16);
        prop_assert_eq!(length, stream.len() - begin);
    }
    let (mut fpdu, mut markers) = (Vec::new(), Vec::new());
    for (ulpdu, begin) in ulpdus.iter().zip(starts) {
        let (at, rest) = (position.wrapping_add(begin as u64), &stream[begin..]);
        let demarked = demark(at, rest, &mut fpdu, &mut markers).unwrap();
        let (view, behind) = FpduView::parse(&fpdu).unwrap();
        prop_assert!(behind.is_empty());
        prop_assert_eq!(view.ulpdu(), &ulpdu[..]);
        prop_assert_eq!(view.crc(), demarked.computed_crc);
        for offset in &markers {
            let at = at.wrapping_add(*offset as u64);
            prop_assert!(at.is_multiple_of(MARKER_INTERVAL));
            let (marker, _) = MarkerView::parse(&rest[*offset..]).unwrap();
            let pointer = Marker::try_from(marker).unwrap().fpdu_pointer();
            prop_assert_eq!(usize::from(pointer), offset.saturating_sub(demarked.start));
        }
        let ends = demarked.consumed.saturating_sub(200)..demarked.consumed;
        for length in (0..demarked.start + 200).chain(ends).filter(|it| *it < demarked.consumed) {
            let error = demark(at, &rest[..length], &mut fpdu, &mut markers).unwrap_err();
            prop_assert_eq!(error.needed(), Some(fpdu_needs(Some(at), &rest[..length])));
        }
        prop_assert_eq!(fpdu_needs(Some(at), rest), demarked.consumed);
        prop_assert_eq!(fpdu_needs(Some(at), &rest[..demarked.consumed - 1]), demarked.consumed);
    }
    Ok(())
}

proptest! {
    /// FPDUs begin at multiples of four, as those before them end there.
    #[test]
    fn markers_in_and_out(
        position in prop_oneof![0..1024u64, any::<u64>(), u64::MAX - 4096..=u64::MAX],
        ulpdus in vec(prop_oneof![legal::bytes(40), legal::bytes(2100)], 1..6),
    ) {
        check_stream(position & !3, &ulpdus)?;
    }
}

/// The longest ULPDU: FPDUPTR reaches its last marker wherever the first one falls.
#[test]
fn markers_of_the_longest_fpdu() {
    let ulpdu = vec![0x3c; usize::from(MAX_ULPDU)];
    for position in (0..MARKER_INTERVAL).step_by(4) {
        check_stream(position, std::slice::from_ref(&ulpdu)).unwrap();
    }
    assert!(Fpdu::new(&vec![0; usize::from(MAX_ULPDU) + 1]).is_err());
    let mut stream = vec![1];
    let refused = append_fpdu(&mut stream, Some(0), &[&ulpdu, &[0]], true).unwrap_err();
    assert_eq!((refused.field, refused.value), ("ULPDU_Length", u64::from(MAX_ULPDU) + 1));
    assert_eq!(stream, [1]);
}
