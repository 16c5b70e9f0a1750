//! What a connection of either role in Full Operation hears, segment by segment, and the Terminate
//! that the last one gets, byte for byte. The same rows show seeded bugs.

use crate::prelude::*;
use crate::raw::{Tags, Trace};

pub(crate) const LAST: u8 = 0x41;
pub(crate) const MORE: u8 = 0x01;
pub(crate) const WRITE: [u8; 2] = [0xc1, 0x40];
pub(crate) const SEND: [u8; 2] = [LAST, 0x43];
const READ: [u8; 2] = [LAST, 0x41];
const RESPONSE: [u8; 2] = [0xc1, 0x42];

/// In place of layer, type and code: nothing is refused; or the peer ends the stream.
const TAKEN: u16 = u16::MAX;
const ENDED: u16 = u16::MAX - 1;

/// Segments for a connection of its own.
pub(crate) struct Row {
    what: String,
    profile: Profile,
    /// What the connection has asked for before; the sink is its region with all rights.
    ask: Option<Ask>,
    segments: Box<Made>,
    /// Layer, type and code of the Terminate for the last segment.
    due: u16,
}

type Ask = fn(u32) -> Operation;
type Made = dyn Fn(&Tags) -> Vec<Vec<u8>>;
type One = (&'static str, fn(&Tags) -> Vec<u8>, u16);
type Several = (&'static str, fn(&Tags) -> Vec<Vec<u8>>, u16);

fn ones<const N: usize>(profile: Profile, rows: [One; N]) -> impl Iterator<Item = Row> {
    rows.into_iter().map(move |(what, segment, due)| {
        let segments = Box::new(move |tags: &Tags| vec![segment(tags)]);
        Row { what: what.to_owned(), profile, ask: None, segments, due }
    })
}

fn severals<const N: usize>(profile: Profile, rows: [Several; N]) -> impl Iterator<Item = Row> {
    rows.into_iter().map(move |(what, segments, due)| Row {
        what: what.to_owned(),
        profile,
        ask: None,
        segments: Box::new(segments),
        due,
    })
}

fn write(tag: u32, offset: u64, payload: &[u8]) -> Vec<u8> {
    tagged(WRITE, tag, offset, payload)
}

/// RFC 5041 section 7.1: in the order of its checks where there are several faults; then those of RDMAP
/// (RFC 5040 section 7.2). A Write without the right is no remote protection error, which only requests
/// can be (RFC 5040 figure 10).
fn tagged_segments() -> Vec<Row> {
    ones(
        Profile::RFC5040,
        [
            ("all of the region", |t| write(t.own, BASE, &[9; 64]), TAKEN),
            ("above", |t| write(t.own, BASE + 60, b"12345"), 0x1101),
            ("far above", |t| write(t.own, BASE + 60, &[9; 30]), 0x1101),
            ("below", |t| write(t.own, BASE - 1, b"x"), 0x1101),
            ("far below", |t| write(t.own, 8, &[9; 4]), 0x1101),
            ("wrap", |t| write(t.own, u64::MAX, b"x"), 0x1103),
            ("wrap into the region", |t| write(t.own, u64::MAX - 3, &[9; 64]), 0x1103),
            ("another key", |t| write(t.own ^ 0x80, BASE, b"x"), 0x1100),
            ("another index", |t| write(t.own ^ 0x8000, BASE, b"x"), 0x1100),
            ("no right", |t| write(t.read_only, BASE, b"x"), 0x1100),
            ("the right alone", |t| write(t.write_only, BASE, b"x"), TAKEN),
            ("another stream", |t| write(t.other_stream, BASE, b"x"), 0x1102),
            ("another domain", |t| write(t.other_domain, BASE, b"x"), 0x1102),
            ("shared", |t| write(t.shared, BASE, b"x"), TAKEN),
            ("window", |t| write(t.window, BASE, &[9; 24]), TAKEN),
            ("after a window", |t| write(t.window, BASE + 20, &[9; 5]), 0x1101),
            ("DDP version 0", |t| tagged([0xc0, 0x40], t.own, BASE, b"x"), 0x1104),
            ("DDP version 2", |t| tagged([0xc2, 0x40], t.own, BASE, b""), 0x1104),
            ("DDP's reserved bits", |t| tagged([0xfd, 0x40], t.own, BASE, b"x"), TAKEN),
            ("RDMAP's reserved bits", |t| tagged([0xc1, 0x70], t.own, BASE, b"x"), TAKEN),
            ("a Send", |t| tagged([0xc1, 0x43], t.own, BASE, b""), 0x0206),
            ("an unasked Read Response", |t| tagged(RESPONSE, t.own, BASE, b"x"), 0x0206),
            ("an empty one", |_| tagged(RESPONSE, 0, 0, b""), 0x0206),
            ("all faults", |_| tagged([0xc0, 0xff], 1, u64::MAX, b"12"), 0x1104),
            ("STag first", |_| tagged([0xc1, 0xff], 1, u64::MAX, b"12"), 0x1100),
            ("stream first", |t| tagged([0xc1, 0xff], t.blind, u64::MAX, b"12"), 0x1102),
            ("wrap first", |t| tagged([0xc1, 0xff], t.lasting, u64::MAX, b"12"), 0x1103),
            ("bounds first", |t| tagged([0xc1, 0xff], t.lasting, BASE + 63, b"12"), 0x1101),
            // No bytes, no checks of STag and TO.
            ("version first", |_| tagged([0xc1, 0xff], 1, u64::MAX, b""), 0x0205),
            ("opcode alone", |_| tagged([0xc1, 0x43], 1, u64::MAX, b""), 0x0206),
        ],
    )
    .collect()
}

fn send(number: u32) -> Vec<u8> {
    untagged(SEND, [0, 0, number, 0], b"x")
}

fn first() -> Vec<u8> {
    untagged([MORE, 0x43], [0, 0, 1, 0], b"1234")
}

fn second(control: [u8; 2]) -> Vec<u8> {
    untagged(control, [0, 0, 1, 4], b"5678")
}

fn last(offset: u32, payload: &[u8]) -> Vec<u8> {
    untagged(SEND, [0, 0, 1, offset], payload)
}

fn queue_0(control: [u8; 2], payload: &[u8]) -> Vec<u8> {
    untagged(control, [0, 0, 1, 0], payload)
}

fn terminate(payload: &[u8]) -> Vec<u8> {
    untagged([LAST, 0x47], [0, 2, 1, 0], payload)
}

/// RFC 5041 section 7.1, RFC 5040 section 7.2 rules 2 and 3, and messages of a wrong length.
fn untagged_segments() -> Vec<Row> {
    let base = ones(
        Profile::RFC5040,
        [
            ("MSN 0", |_| send(0), 0x1203),
            ("MSN ahead", |_| send(2), 0x1203),
            ("queue 4", |_| untagged(SEND, [0, 4, 1, 0], b"x"), 0x1201),
            ("queue 3", |_| untagged(SEND, [0, 3, 1, 0], b"x"), 0x1201),
            ("MO 1", |_| last(1, b"x"), 0x1204),
            ("one byte too long", |_| last(0, b"123456789"), 0x1205),
            ("two bytes too long", |_| last(0, b"1234567890"), 0x1205),
            ("DDP version 2", |_| queue_0([0x42, 0x43], b"x"), 0x1206),
            ("reserved bits", |_| queue_0([LAST | 0x3c, 0x43 | 0x30], b"x"), TAKEN),
            ("RDMAP version 0", |_| queue_0([LAST, 0x03], b"x"), 0x0205),
            ("RDMAP version 2", |_| queue_0([LAST, 0x83], b"x"), 0x0205),
            ("no document's opcode", |_| queue_0([LAST, 0x4f], b"x"), 0x0206),
            ("RFC 7306's opcode", |_| queue_0([LAST, 0x48], b"12345678"), 0x0206),
            ("a Send among requests", |_| untagged(SEND, [0, 1, 1, 0], b"x"), 0x0206),
            ("a request among Sends", |_| queue_0(READ, b"x"), 0x0206),
            ("a Write on a queue", |_| queue_0([LAST, 0x40], b"x"), 0x0206),
            ("SE", |_| queue_0([LAST, 0x45], b"x"), TAKEN),
            ("a Terminate", |_| terminate(&[0; 4]), ENDED),
            ("a Terminate of 3 bytes", |_| terminate(&[0; 3]), 0x02ff),
            ("a local Terminate with a code", |_| terminate(&[0, 5, 0, 0]), ENDED),
            ("a Terminate with reserved bits", |_| terminate(&[0, 0, 0, 1]), ENDED),
            ("half a header", |_| send(1)[..9].to_vec(), 0x0207),
            ("a word of a header", |_| send(1)[..4].to_vec(), 0x0207),
            ("a stray STag", |t| untagged(SEND, [t.own, 0, 1, 0], b"x"), TAKEN),
            // DDP version, then queue, MSN, MO, length; then RDMAP's version and opcode; a wrong length
            // of the right message on the right queue comes last.
            ("all faults", |_| untagged([0x40, 0xff], [0, 9, 9, 9], b"123456789"), 0x1206),
            ("queue first", |_| untagged([LAST, 0xff], [0, 9, 9, 9], b"123456789"), 0x1201),
            ("MSN first", |_| untagged([LAST, 0xff], [0, 0, 9, 9], b"123456789"), 0x1203),
            ("MO first", |_| untagged([LAST, 0xff], [0, 0, 1, 9], b"123456789"), 0x1204),
            ("length first", |_| queue_0([LAST, 0xff], b"123456789"), 0x1205),
            ("RDMAP version first", |_| queue_0([LAST, 0xff], b"1"), 0x0205),
            ("opcode first", |_| untagged([LAST, 0x40], [0, 1, 1, 0], &[0; 27]), 0x0206),
        ],
    );
    let messages = severals(
        Profile::RFC5040,
        [
            ("no third buffer", |_| vec![send(1), send(2), send(3)], 0x1202),
            ("an MSN again", |_| vec![send(1), send(1)], 0x1203),
            ("within a message", |_| vec![first(), last(0, b"x")], 0x1204),
            ("back within a message", |_| vec![first(), last(2, b"56")], TAKEN),
            ("in another order", |_| vec![second([MORE, 0x43]), first(), last(8, b"")], TAKEN),
            ("the last flag too early", |_| vec![second([MORE, 0x43]), last(0, b"1")], 0x1204),
            ("ahead within a message", |_| vec![first(), last(5, b"x")], 0x1204),
            ("too long in the end", |_| vec![first(), last(4, b"56789")], 0x1205),
            ("an MSN within a message", |_| vec![first(), send(2)], 0x1203),
            ("another opcode within", |_| vec![first(), second([LAST, 0x45])], 0x0206),
            ("RDMAP version 0 within", |_| vec![first(), second([LAST, 0x03])], 0x0205),
            ("another version and opcode within", |_| vec![first(), second([LAST, 0x85])], 0x0205),
            ("no document's opcode within", |_| vec![first(), second([LAST, 0x4f])], 0x0206),
            ("other reserved bits within", |_| vec![first(), second([LAST, 0x73])], TAKEN),
            ("two messages", |_| vec![last(0, b"123"), untagged(SEND, [0, 0, 2, 0], b"")], TAKEN),
            ("after a Terminate", |_| vec![terminate(&[0; 4]), send(1)], ENDED),
        ],
    );
    // RFC 7306 section 6.3: Immediate Data has exactly eight bytes.
    let immediate = ones(
        Profile::RFC7306,
        [
            ("Immediate Data", |_| queue_0([LAST, 0x48], b"12345678"), TAKEN),
            ("nothing immediate", |_| queue_0([LAST, 0x48], b""), 0x02ff),
            ("short Immediate Data", |_| queue_0([LAST, 0x48], b"1234567"), 0x02ff),
            ("a byte of Immediate Data", |_| queue_0([LAST, 0x48], b"1"), 0x02ff),
            ("long Immediate Data", |_| queue_0([LAST, 0x48], b"123456789"), 0x02ff),
            ("no request for it", |_| queue_3(0x4b, 1, &[0; 12]), 0x1202),
        ],
    );
    // ext-v2 sections 4.1 and 5.3. Immediate Data needs no room in the buffer.
    let ext_v2 = ones(
        Profile::EXT_V2,
        [
            ("Immediate Data alone", |_| queue_0([LAST, 0x93], b"12345678"), TAKEN),
            ("more in the last segment", |_| queue_0([LAST, 0x93], b"1234567890"), 0x02ff),
            ("a byte more", |_| queue_0([LAST, 0x93], b"123456789"), 0x02ff),
            ("a byte less", |_| queue_0([LAST, 0x93], b"1234567"), 0x02ff),
            ("more than the buffer", |_| queue_0([MORE, 0x93], b"123456789"), 0x1205),
            ("RDMAP version 1", |_| queue_0(SEND, b"x"), 0x0205),
        ],
    );
    let in_full = |_: &Tags| {
        let immediate = untagged([LAST, 0x93], [0, 0, 1, 8], b"12345678");
        vec![queue_0([MORE, 0x93], b"12345678"), immediate]
    };
    let full: Several = ("Immediate Data after a full buffer", in_full, TAKEN);
    let in_two = severals(Profile::EXT_V2, [full]);
    base.chain(messages).chain(immediate).chain(ext_v2).chain(in_two).collect()
}

fn ask(size: u32, tag: u32, offset: u64) -> Vec<u8> {
    untagged(READ, [0, 1, 1, 0], &read(size, tag, offset))
}

/// RFC 5040 section 7.2; RFC 5041 section 7.1 for a request over the IRD, and a long one.
fn requests() -> Vec<Row> {
    let rows = ones(
        Profile::RFC5040,
        [
            ("all of the region", |t| ask(64, t.own, BASE), TAKEN),
            ("above", |t| ask(65, t.own, BASE), 0x0101),
            ("far above", |t| ask(90, t.own, BASE), 0x0101),
            ("half above", |t| ask(64, t.own, BASE + 1), 0x0101),
            ("below", |t| ask(1, t.own, BASE - 1), 0x0101),
            ("far below", |t| ask(4, t.own, 4), 0x0101),
            ("wrap", |t| ask(16, t.own, u64::MAX - 15), 0x0104),
            ("wrap into the region", |t| ask(64, t.own, u64::MAX - 3), 0x0104),
            ("another key", |t| ask(4, t.own ^ 1, BASE), 0x0100),
            ("nothing of another key", |t| ask(0, t.own ^ 1, BASE), TAKEN),
            ("the right alone", |t| ask(4, t.read_only, BASE), TAKEN),
            ("no right", |t| ask(4, t.write_only, BASE), 0x0102),
            ("another stream", |t| ask(4, t.other_stream, BASE), 0x0103),
            ("another domain", |t| ask(4, t.other_domain, BASE), 0x0103),
            ("window", |t| ask(24, t.window, BASE), TAKEN),
            ("27 bytes", |_| untagged(READ, [0, 1, 1, 0], &[0; 27]), 0x02ff),
            ("29 bytes", |t| [ask(0, t.own, 0), vec![0]].concat(), 0x1205),
        ],
    );
    // No response has been sent: the requests still hold the buffers that there are.
    let three = |t: &Tags| {
        let of = |number| untagged(READ, [0, 1, number, 0], &read(4, t.own, BASE));
        [1, 2, 3].map(of).to_vec()
    };
    rows.chain(severals(Profile::RFC5040, [("over the IRD", three, 0x1202)])).collect()
}

/// An Atomic Request of this code, with the lowest bit of this byte set.
pub(crate) fn atomic(code: u8, tag: u32, offset: u64, set: usize) -> Vec<u8> {
    let mut header = vec![0, 0, 0, code, 0, 0, 0, 7];
    header.extend_from_slice(&tag.to_be_bytes());
    header.extend_from_slice(&offset.to_be_bytes());
    header.extend([0x0101_u64, 0x8080, 0, 0xff].map(u64::to_be_bytes).as_flattened());
    header[set] |= 1;
    untagged([LAST, 0x4a], [0, 1, 1, 0], &header)
}

/// The lowest bit of the identifier, which is set as it is.
pub(crate) const AS_IT_IS: usize = 7;

/// RFC 7306 sections 5.1 and 8.2, and figure 5, which has no Swap.
fn atomic_requests() -> Vec<Row> {
    let rows = ones(
        Profile::RFC7306,
        [
            ("FetchAdd", |t| atomic(0, t.own, BASE, AS_IT_IS), TAKEN),
            ("Swap", |t| atomic(1, t.own, BASE, AS_IT_IS), 0x02ff),
            ("CmpSwap", |t| atomic(2, t.own, BASE, AS_IT_IS), TAKEN),
            ("code 3", |t| atomic(3, t.own, BASE, AS_IT_IS), 0x02ff),
            ("not aligned", |t| atomic(0, t.own, BASE + 4, AS_IT_IS), 0x0207),
            ("half above", |t| atomic(0, t.own, BASE + 60, AS_IT_IS), 0x0101),
            ("aligned in a window", |t| atomic(0, t.window, BASE + 8, AS_IT_IS), TAKEN),
            ("not aligned there", |t| atomic(0, t.window, BASE + 4, AS_IT_IS), 0x0207),
            ("the offset alone", |t| atomic(0, t.odd_window, 0, AS_IT_IS), 0x0207),
            ("the address alone", |t| atomic(0, t.odd_window, 4, AS_IT_IS), TAKEN),
            ("right to read", |t| atomic(0, t.read_only, BASE, AS_IT_IS), 0x0102),
            ("right to write", |t| atomic(2, t.write_only, BASE, AS_IT_IS), 0x0102),
            ("a reserved bit", |t| atomic(0, t.own, BASE, 0), TAKEN),
            ("Compare Data in a FetchAdd", |t| atomic(0, t.own, BASE, 40), TAKEN),
        ],
    );
    rows.collect()
}

/// The requests besides the RDMA Read, for eight bytes: control bytes, and the RDMAP header.
pub(crate) fn newer_requests(tag: u32, offset: u64) -> [(Profile, [u8; 2], Vec<u8>); 7] {
    let (tag, offset) = (tag.to_be_bytes(), offset.to_be_bytes());
    let length = [0, 0, 0, 8];
    let atomic = [&[0; 8], &tag[..], &offset, &[0; 32]].concat();
    [
        (Profile::RFC7306, [LAST, 0x4a], atomic.clone()),
        (Profile::EXT_V2, [LAST, 0x8a], atomic),
        (Profile::EXT_V2, [LAST, 0x91], [&length, &tag[..], &offset].concat()),
        (Profile::COMMIT, [LAST, 0x4c], [&tag, &length[..], &offset, &[0, 0, 0, 1]].concat()),
        (Profile::COMMIT, [LAST, 0x4c], [&tag, &length[..], &offset, &[0, 0, 0, 2]].concat()),
        (Profile::COMMIT, [LAST, 0x4e], [&tag, &length[..], &offset].concat()),
        (Profile::COMMIT, [LAST, 0x50], [&tag, &length[..], &offset, &[9; 8]].concat()),
    ]
}

/// A request of rdma-commit.
fn commit(opcode: u8, stag: u32, tag: u32, length: u32, offset: u64, rest: &[u8]) -> Vec<u8> {
    let header = [&tag.to_be_bytes(), &length.to_be_bytes()[..], &offset.to_be_bytes(), rest];
    untagged([LAST, 0x40 | opcode], [stag, 1, 1, 0], &header.concat())
}

/// RFC 5040 section 4.8 and RFC 7306 section 8.1: whatever is wrong with the buffer of a request, the
/// Terminate has the DDP header and its length, and never an RDMAP header, which is for RDMA Reads alone.
/// Then rdma-commit sections 3.1.1.2, 3.1.2 and 3.1.3.1.
fn newer_documents() -> Vec<Row> {
    type Buffer = fn(&Tags) -> (u32, u64);
    let buffers: [(&str, Buffer, u16); 8] = [
        ("right", |t| (t.own, BASE), TAKEN),
        ("another key", |t| (t.own ^ 0x80, BASE), 0x0100),
        ("above", |t| (t.own, BASE + 64), 0x0101),
        ("half above", |t| (t.own, BASE + 60), 0x0101),
        ("no right", |t| (t.write_only, BASE), 0x0102),
        ("another stream", |t| (t.other_stream, BASE), 0x0103),
        ("wrap", |t| (t.own, u64::MAX - 7), 0x0104),
        ("not aligned", |t| (t.own, BASE + 4), TAKEN),
    ];
    let mut rows = Vec::new();
    for (index, (profile, ..)) in newer_requests(0, 0).into_iter().enumerate() {
        for (what, buffer, due) in buffers {
            let segments = Box::new(move |tags: &Tags| {
                let (tag, offset) = buffer(tags);
                let (_, control, header) = &newer_requests(tag, offset)[index];
                vec![untagged(*control, [0, 1, 1, 0], header)]
            });
            let due = match (index, what) {
                // An Atomic Write is a Write.
                (6, "no right") => TAKEN,
                // RFC 7306 section 8.2 and rdma-commit section 3.1.3.1: words alone are aligned.
                (0 | 1 | 6, "not aligned") => 0x0207,
                _ => due,
            };
            let what = format!("request {index}, {what}");
            rows.push(Row { what, profile, ask: None, segments, due });
        }
    }
    rows.extend(ones(
        Profile::COMMIT,
        [
            ("Flush with all rights", |t| commit(0x0c, 0, t.own, 8, BASE, &[0, 0, 0, 3]), TAKEN),
            ("right to read", |t| commit(0x0c, 0, t.read_only, 8, BASE, &[0, 0, 0, 3]), 0x0102),
            ("right to flush", |t| commit(0x0c, 0, t.lasting, 8, BASE, &[0, 0, 0, 1]), TAKEN),
            ("nothing to flush", |t| commit(0x0c, 0, t.own, 0, BASE, &[0, 0, 0, 1]), TAKEN),
            ("a long Flush", |t| commit(0x0c, 0, t.own, 8, BASE, &[0, 0, 0, 1, 0]), 0x02ff),
            ("invalidation", |t| commit(0x0c, t.own, t.own, 8, BASE, &[0, 0, 0, 1]), TAKEN),
            ("Verify, right to read", |t| commit(0x0e, 0, t.read_only, 9, BASE, b""), 0x0102),
            ("Verify of 9 bytes", |t| commit(0x0e, 0, t.own, 9, BASE, b""), TAKEN),
            ("a part of the hash", |t| commit(0x0e, 0, t.own, 9, BASE, &[0x0b]), 0x02ff),
            ("another hash", |t| commit(0x0e, 0, t.own, 9, BASE, &[1; 4]), 0x02ff),
            ("a hash of 64 bytes", |t| commit(0x0e, 0, t.own, 9, BASE, &[1; 64]), 0x02ff),
            ("a hash of 65 bytes", |t| commit(0x0e, 0, t.own, 9, BASE, &[1; 65]), 0x1205),
            ("to be read", |t| commit(0x10, 0, t.read_only, 8, BASE, &[1; 8]), 0x0102),
            ("no bytes", |t| commit(0x10, 0, t.own, 0, BASE, &[1; 8]), 0x0207),
            ("four bytes", |t| commit(0x10, 0, t.own, 4, BASE, &[1; 8]), 0x0207),
            ("nine bytes", |t| commit(0x10, 0, t.own, 9, BASE, &[1; 8]), 0x0207),
            ("all bytes", |t| commit(0x10, 0, t.own, u32::MAX, BASE, &[1; 8]), 0x0207),
        ],
    ));
    // rdma-commit section 3.1: its messages have RV 1.
    let both = |_: &Tags| {
        let of = |control, number| untagged([LAST, control], [0, 1, number, 0], &[0; 20]);
        vec![of(0x4c, 1), of(0x8c, 2)]
    };
    rows.extend(severals(Profile::ALL, [("RDMAP version 2", both, 0x0205)]));
    rows
}

fn half(tag: u32) -> Vec<u8> {
    tagged([0x81, 0x42], tag, BASE, &[9; 4])
}

fn queue_3(control: u8, number: u32, payload: &[u8]) -> Vec<u8> {
    untagged([LAST, control], [0, 3, number, 0], payload)
}

/// What every region begins with.
const FIRST: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// RFC 5040 section 5.2.2, RFC 7306 section 5.2.2, ext-v2 section 6: what answers a request is what it
/// asked for.
fn responses() -> Vec<Row> {
    let read: Ask = |tag| read_op(local(tag, BASE), 8, remote(1, 0));
    let read_v2: Ask =
        |tag| Operation::ReadV2 { sink: local(tag, BASE), length: 8, remote: remote(1, 0) };
    let atomic: Ask =
        |_| atomic_op(AtomicOperation::FetchAdd { add_data: 1, add_mask: 0 }, remote(1, 0));
    let verify: Ask = |_| Operation::Verify { remote: remote(1, 0), length: 8, expected: None };
    let asked = |ask| move |row| Row { ask: Some(ask), ..row };
    let reads = ones(
        Profile::RFC5040,
        [
            ("all", |t| tagged(RESPONSE, t.own, BASE, &[9; 8]), TAKEN),
            ("without its first byte", |t| tagged(RESPONSE, t.own, BASE + 1, &FIRST[1..8]), 0x02ff),
            ("short", |t| tagged(RESPONSE, t.own, BASE, &FIRST[..7]), 0x02ff),
            ("long", |t| tagged(RESPONSE, t.own, BASE, &[9; 9]), 0x1101),
            ("half after its place", |t| tagged(RESPONSE, t.own, BASE + 1, &[9; 8]), 0x1101),
            ("to another region", |t| tagged(RESPONSE, t.write_only, BASE, &[9; 8]), 0x1100),
            ("nothing", |_| tagged(RESPONSE, 0, 0, b""), 0x02ff),
        ],
    );
    let halves = severals(
        Profile::RFC5040,
        [
            ("in two", |t| vec![half(t.own), tagged(RESPONSE, t.own, BASE + 4, &[9; 4])], TAKEN),
            (
                "half of it twice",
                |t| vec![half(t.own), tagged(RESPONSE, t.own, BASE, &[9; 4])],
                0x02ff,
            ),
        ],
    );
    let atomics = ones(
        Profile::RFC7306,
        [
            ("identifier 0", |_| queue_3(0x4b, 1, &[0; 12]), TAKEN),
            ("another identifier", |_| queue_3(0x4b, 1, &[1; 12]), 0x02ff),
            ("short", |_| queue_3(0x4b, 1, &[0; 11]), 0x02ff),
            ("long", |_| queue_3(0x4b, 1, &[0; 13]), 0x1205),
            ("MSN ahead", |_| queue_3(0x4b, 2, &[0; 12]), 0x1203),
        ],
    );
    let two = |_: &Tags| [1, 2].map(|number| queue_3(0x4b, number, &[0; 12])).to_vec();
    let twice = severals(Profile::RFC7306, [("one too many", two, 0x1202)]);
    let others = ones(
        Profile::ALL,
        [
            ("of a Flush", |_| queue_3(0x4d, 1, b""), 0x0206),
            ("of a Verify", |_| queue_3(0x4f, 1, b"12345678"), 0x0206),
        ],
    );
    let verifies = ones(Profile::COMMIT, [("hash", |_| queue_3(0x4f, 1, &[9; 64]), TAKEN)]);
    let reads_v2 = ones(
        Profile::EXT_V2,
        [
            ("all", |_| queue_3(0x92, 1, &[9; 8]), TAKEN),
            ("short", |_| queue_3(0x92, 1, &FIRST[..7]), 0x02ff),
            ("long", |_| queue_3(0x92, 1, &[9; 9]), 0x1205),
            ("of an Atomic", |_| queue_3(0x8b, 1, &[9; 8]), 0x0206),
        ],
    );
    let read = reads.chain(halves).map(asked(read));
    let atomic = atomics.chain(twice).chain(others).map(asked(atomic));
    let rest = verifies.map(asked(verify)).chain(reads_v2.map(asked(read_v2)));
    read.chain(atomic).chain(rest).collect()
}

fn invalidate(tag: u32, number: u32) -> Vec<u8> {
    untagged([LAST, 0x44], [tag, 0, number, 0], b"x")
}

/// RFC 5040 sections 5.3 and 8.1.1 item 7.
fn invalidation() -> Vec<Row> {
    let refused = ones(
        Profile::RFC5040,
        [
            ("unknown", |t| invalidate(t.own ^ 1, 1), 0x0109),
            ("another stream's", |t| invalidate(t.other_stream, 1), 0x0109),
            ("another domain's", |t| invalidate(t.other_domain, 1), 0x0109),
            ("shared", |t| untagged([LAST, 0x46], [t.shared, 0, 1, 0], b"x"), 0x0109),
        ],
    );
    let taken = severals(
        Profile::RFC5040,
        [
            ("own", |t| vec![invalidate(t.own, 1), write(t.own, BASE, b"x")], 0x1100),
            ("own, again", |t| vec![invalidate(t.own, 1), invalidate(t.own, 2)], 0x0109),
            ("to be read", |t| vec![invalidate(t.read_only, 1), ask(4, t.read_only, BASE)], 0x0100),
        ],
    );
    refused.chain(taken).collect()
}

type Group = (&'static str, fn() -> Vec<Row>);

/// All rows by what they are about.
pub(crate) const GROUPS: [Group; 7] = [
    ("tagged segments", tagged_segments),
    ("untagged segments", untagged_segments),
    ("requests", requests),
    ("atomic requests", atomic_requests),
    ("requests of newer documents", newer_documents),
    ("responses", responses),
    ("invalidation", invalidation),
];

impl Row {
    /// A connection that has asked for what it is to ask for, and the segments.
    fn begin(&self, role: Role, bugs: Bugs) -> (Raw, Vec<Vec<u8>>) {
        let mut config = Config { profile: self.profile, bugs, ..Config::new(role, STREAM) };
        config.setup.ird = 2;
        let mut raw = Raw::opened(config, 0x40);
        if let Some(ask) = self.ask {
            raw.ask(ask(raw.tags.own));
            raw.transmit();
        }
        let segments = (self.segments)(&raw.tags);
        (raw, segments)
    }

    /// What is seen of a connection with these bugs.
    pub(crate) fn play(&self, role: Role, bugs: Bugs) -> Trace {
        let (mut raw, segments) = self.begin(role, bugs);
        for segment in segments.iter().chain([&behind(&raw)]) {
            raw.feed_ulpdu(segment);
        }
        raw.seen()
    }

    /// The Terminate for a segment: RFC 5040 figure 10 for the headers.
    fn terminate(&self, ulpdu: &[u8]) -> Vec<u8> {
        let header = if ulpdu[0] & 0x80 != 0 { 14 } else { 18 };
        let echoed = match self.due {
            _ if ulpdu.len() < header => return [&self.due.to_be_bytes()[..], &[0, 0]].concat(),
            0x0100..=0x0108 if header == 18 && ulpdu[1] == READ[1] => 18 + 28,
            _ => header,
        };
        let control = if echoed > 18 { 0xe0 } else { 0xc0 };
        let length = (ulpdu.len() as u16).to_be_bytes();
        [&self.due.to_be_bytes()[..], &[control, 0], &length, &ulpdu[..echoed]].concat()
    }
}

/// A segment that comes after what is refused, and is dropped.
fn behind(raw: &Raw) -> Vec<u8> {
    write(raw.tags.own, BASE + 40, b"behind")
}

fn check(row: &Row, role: Role) {
    let what = format!("{:?}, {role:?}: {}", row.profile, row.what);
    let (mut raw, mut segments) = row.begin(role, Bugs::NONE);
    let last = segments.pop().unwrap();
    for segment in &segments {
        raw.feed_ulpdu(segment);
    }
    assert_eq!(raw.violations(), [], "{what}");
    let before = raw.contents();
    raw.feed_ulpdu(&last);
    let mut violations = raw.violations();
    if row.due == TAKEN || row.due == ENDED {
        let sent = raw.transmit();
        let ends = sent.iter().filter(|it| !matches!(it, Transmit::Bytes(_))).count();
        assert_eq!(ends, usize::from(row.due == ENDED), "{what}: {sent:?}");
        violations.extend(raw.violations());
        assert_eq!(violations, [], "{what}");
        let mut done = std::iter::from_fn(|| raw.connection.poll_completion());
        assert!(row.due == ENDED || done.all(|it| it.result.is_ok()), "{what}");
        return;
    }
    // What cannot be carried out is found only when its turn comes.
    if !violations.is_empty() {
        raw.feed_ulpdu(&behind(&raw));
    }
    assert_eq!(raw.terminate(), row.terminate(&last), "{what}");
    raw.feed_ulpdu(&behind(&raw));
    violations.extend(raw.violations());
    assert_eq!((violations.len(), raw.transmit()), (1, vec![]), "{what}");
    assert_eq!(raw.contents(), before, "{what}");
}

#[test]
fn each_segment_gets_what_the_documents_ask_for() {
    for (_, rows) in GROUPS {
        for row in rows() {
            for role in [Role::Initiator, Role::Responder] {
                check(&row, role);
            }
        }
    }
}
