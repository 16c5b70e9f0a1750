//! What is judged of a connection, and what its capture holds.

use super::impairment::Impairment;
use super::relay::RelayCounts;
use crate::judge::Verdict;
use crate::proxy::observed::*;
use std::net::SocketAddr;
use std::time::Duration;
use warpscope_dissector::capture::CaptureReader;
use warpscope_wire::mpa::{REPLY_KEY, REQUEST_KEY, append_fpdu};

const CLIENT: u8 = 0;
const TARGET: u8 = 1;

/// A setup frame of revision 1 with CRC (RFC 5044 section 7.1.1), and no private data.
fn setup(key: &[u8; 16]) -> Vec<u8> {
    [&key[..], &[0x40, 1, 0, 0]].concat()
}

/// The FPDU of a Send of one segment: DDP control (untagged, L, version 1), RDMAP control (version 1,
/// Send), reserved, QN 0, MSN, MO 0, payload (RFC 5041 section 4.3, RFC 5040 section 4.1).
fn send(sequence_number: u32) -> Vec<u8> {
    let header = [&[0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0][..], &sequence_number.to_be_bytes()];
    let ulpdu = [&header.concat()[..], &[0; 4], b"hello"].concat();
    let mut fpdu = Vec::new();
    append_fpdu(&mut fpdu, None, &[&ulpdu], true).unwrap();
    fpdu
}

fn ends() -> [SocketAddr; 2] {
    ["192.0.2.1:40000".parse().unwrap(), "192.0.2.7:7174".parse().unwrap()]
}

/// What is seen of a connection on which these were sent, and closed in good order.
fn seen(sent: &[(u8, Vec<u8>)]) -> Observed {
    let mut witness = Witness::<Vec<u8>>::opened(0, ends(), None).unwrap();
    for (time, (from, bytes)) in sent.iter().enumerate() {
        witness.bytes(time as i64, *from, bytes).unwrap();
        witness.arrived(1 - from, bytes.len());
    }
    for from in [CLIENT, TARGET] {
        witness.finished(1_000, from).unwrap();
        witness.arrived(1 - from, 1);
    }
    let counts = [RelayCounts { bytes: 1, ..RelayCounts::default() }, RelayCounts::default()];
    witness.end(3, counts).unwrap()
}

/// A setup, and then these.
fn conversation(more: &[(u8, Vec<u8>)]) -> Vec<(u8, Vec<u8>)> {
    let setup = [(CLIENT, setup(REQUEST_KEY)), (TARGET, setup(REPLY_KEY))];
    [&setup[..], more].concat()
}

fn reason(observed: &Observed) -> String {
    observed.verdict().1.unwrap()
}

#[test]
fn a_conversation_in_good_order_passes() {
    let observed = seen(&conversation(&[(CLIENT, send(1)), (TARGET, send(1)), (CLIENT, send(2))]));
    assert_eq!(observed.verdict().0, Verdict::Pass, "{:?}", observed.notes);
    assert_eq!(observed.id(), "proxy[connection=3]");
    let [client, target] = &observed.sides;
    assert_eq!((client.fpdus, client.messages, client.terminates), (2, 2, 0));
    assert_eq!((target.fpdus, target.messages, target.setup), (1, 1, true));
    assert_eq!([client.ending, target.ending], [Ending::Finished; 2]);
    assert!(observed.ladder.is_some_and(|ladder| ladder.rows.len() >= 5));
}

#[test]
fn the_side_that_breaks_a_requirement_is_at_fault() {
    for (from, who) in [(CLIENT, "the connecting side"), (TARGET, "the target")] {
        let observed = seen(&conversation(&[(CLIENT, send(1)), (from, send(7))]));
        assert!(observed.verdict().0 == Verdict::Fail);
        assert_eq!(observed.at_fault(), [from]);
        let rule = if from == CLIENT { "ddp-msn-sequence" } else { "ddp-msn-first" };
        let begins = format!("{who} is at fault: rule {rule} (RFC 5041 section 4.3): ");
        let reason = reason(&observed);
        assert!(reason.starts_with(&begins), "{reason}");
        // Three frames open the connection; two have the setup, the fifth bytes have the first Send.
        assert!(reason.contains("(frame 7)"), "{reason}");
        let came = observed.came();
        assert!(came.iter().any(|line| line.contains(&format!("{who} is at fault"))), "{came:?}");
    }
    let both = conversation(&[(CLIENT, send(9)), (TARGET, send(9))]);
    let reason = reason(&seen(&both));
    assert!(reason.starts_with("both sides are at fault: "), "{reason}");
    assert!(reason.ends_with(", and 1 more finding"), "{reason}");
}

/// Bytes may be damaged on the way: the rule does not say who is at fault.
#[test]
fn whose_bytes_have_a_wrong_crc_is_known() {
    let mut damaged = send(1);
    *damaged.last_mut().unwrap() ^= 1;
    let observed = seen(&conversation(&[(CLIENT, send(1)), (TARGET, damaged)]));
    let reason = reason(&observed);
    let begins = "bytes from the target, fault unclear: rule mpa-crc (RFC 5044 section 4.4): ";
    assert!(reason.starts_with(begins), "{reason}");
    assert!(observed.verdict().0 == Verdict::Fail);
}

#[test]
fn of_some_connections_nothing_can_be_said() {
    let request = (CLIENT, setup(REQUEST_KEY));
    let cases = [
        (vec![(CLIENT, b"GET / HTTP/1.1\r\n".to_vec())], "neither side speaks MPA: "),
        (vec![request], "the connecting side sent a setup frame, but the target"),
    ];
    for (sent, begins) in cases {
        let observed = seen(&sent);
        assert!(observed.verdict().0 == Verdict::Inconclusive, "{:?}", observed.notes);
        assert!(reason(&observed).starts_with(begins), "{}", reason(&observed));
    }
    let silent = Witness::<Vec<u8>>::opened(0, ends(), None).unwrap();
    let silent = silent.end(1, Default::default()).unwrap();
    assert_eq!(reason(&silent), "neither side sent anything");
    let unreached = Observed::unreached(2, ends(), "nobody is there".to_owned());
    assert_eq!(reason(&unreached), "nobody is there");
}

/// What is read at once is no TCP segment: where it ends within an FPDU, nobody is to be blamed.
#[test]
fn reads_that_end_within_fpdus_break_no_rule() {
    // Most of the FPDUs, of 32 bytes, are in two reads.
    let sends: Vec<u8> = (1..200).flat_map(send).collect();
    let reads = sends.chunks(40).map(|bytes| (CLIENT, bytes.to_vec()));
    let observed = seen(&conversation(&reads.collect::<Vec<_>>()));
    assert_eq!(observed.verdict().0, Verdict::Pass, "{:?}", observed.notes);
    assert_eq!(observed.sides[0].fpdus, 199);
}

/// Of a rule that is broken again and again the first findings are kept, and all are counted.
#[test]
fn findings_are_counted_and_a_few_are_kept() {
    let sends = vec![(TARGET, send(7)); 40];
    let observed = seen(&conversation(&[&[(CLIENT, send(1))], &sends[..]].concat()));
    assert!(observed.notes.len() <= 10, "{}", observed.notes.len());
    assert!(observed.must >= 39, "{}", observed.must);
    let last = observed.came().pop().unwrap();
    assert!(last.ends_with(" more findings of these rules"), "{last}");
}

/// The many findings about one side do not hide the one about the other.
#[test]
fn a_side_is_at_fault_however_often_the_other_was_before() {
    let first = [(CLIENT, send(1)), (TARGET, send(1))];
    let sends = vec![(TARGET, send(7)); 9];
    let observed = seen(&conversation(&[&first[..], &sends, &[(CLIENT, send(7))]].concat()));
    assert_eq!(observed.at_fault(), [CLIENT, TARGET], "{:?}", observed.notes);
    let reason = reason(&observed);
    assert!(reason.starts_with("both sides are at fault: "), "{reason}");
}

/// The capture has all bytes in order, and an acknowledgment only for what went on.
#[test]
fn the_capture_is_a_capture() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let capture = capture_writer(file.reopen().unwrap(), "a test").unwrap();
    let mut witness = Witness::opened(5, ends(), Some(capture)).unwrap();
    let long = vec![9; 100_000];
    witness.bytes(6, CLIENT, &long).unwrap();
    witness.bytes(7, TARGET, b"not yet").unwrap();
    witness.arrived(TARGET, long.len());
    witness.bytes(8, TARGET, b"by now").unwrap();
    witness.reset(9, CLIENT).unwrap();
    let observed = witness.end(1, Default::default()).unwrap();
    assert_eq!(observed.sides[0].ending, Ending::Reset);
    let mut reader = CaptureReader::open(file.path()).unwrap();
    let (mut payloads, mut acknowledged, mut times) = ([0, 0], Vec::new(), Vec::new());
    while let Some(frame) = reader.next_frame().unwrap() {
        let sliced = etherparse::SlicedPacket::from_ethernet(frame.bytes).unwrap();
        let Some(etherparse::TransportSlice::Tcp(tcp)) = sliced.transport else { panic!() };
        times.push(frame.time.unwrap());
        let side = usize::from(tcp.source_port() == 7174);
        payloads[side] += tcp.payload().len();
        if side == 1 && !tcp.syn() {
            acknowledged.push(tcp.acknowledgment_number());
        }
    }
    assert_eq!(payloads, [100_000, 13]);
    assert_eq!((&times[..4], &times[times.len() - 3..]), (&[5, 5, 5, 6][..], &[7, 8, 9][..]));
    assert_eq!(acknowledged[1] - acknowledged[0], 100_000);
    assert_eq!(observed.frames, times.len() as u64);
}

#[test]
fn what_was_done_in_words() {
    let mut counts = RelayCounts { bytes: 4096, pieces: 31, ..RelayCounts::default() };
    assert_eq!(counts.describe(), "4096 bytes in 31 pieces");
    for _ in 0..9 {
        counts.count(Impairment::CutHeader);
    }
    counts.count(Impairment::Delays);
    counts.paused = Duration::from_millis(12);
    assert_eq!(
        counts.describe(),
        "4096 bytes in 31 pieces; 9 cuts within a header, 1 pause of 12ms in all"
    );
}
