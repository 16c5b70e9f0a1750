//! Captures that are small and claim much, by every command and output that reads captures: how much
//! memory each takes at most. docs/robustness.md has the figures; `UPDATE_DOCS=1` measures them anew.

use super::capture::Capture;
use super::document;
use super::program::Folder;
use super::running::Running;
use super::{memory, warpscope};
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpscope_wire::mpa::Fpdu;

/// The most memory that a command may take, in KiB.
pub(crate) const MEMORY: u64 = 256 << 10;

const ACK: u8 = 16;
const PUSH: u8 = 24;

/// What reads a capture; FILE is the capture, OUT a name that is free. These are tried always.
const COMMANDS: [&str; 13] = [
    "dissect -r FILE",
    "dissect -Y iwarp_ddp -w OUT -r FILE",
    "check FILE",
    "flows FILE",
    "stats FILE",
    "export --csv OUT FILE --to all",
    "export --parquet OUT FILE --to all",
    "export --dataset OUT FILE",
    "export --files OUT FILE",
    "follow FILE 0 --html OUT",
    "annotate -r FILE -w OUT",
    "replay FILE --junit OUT",
    "tui FILE --snapshot messages",
];

/// Their other outputs: they take minutes in a debug build, and are tried with `WARPSCOPE_BOMBS=all` and
/// when the document is written.
const OTHERS: [&str; 17] = [
    "dissect -V -r FILE",
    "dissect -x -r FILE",
    "dissect -T json -r FILE",
    "dissect -T ndjson -r FILE",
    "dissect -T fields -e frame.number -e tcp.payload -r FILE",
    "dissect -q -z io,phs -r FILE",
    "dissect -w OUT -r FILE",
    "check --format json --repeated FILE",
    "check --format junit FILE",
    "check --format sarif FILE",
    "flows --details FILE",
    "flows --format json FILE",
    "stats --format json FILE",
    "export --ndjson OUT FILE --to messages",
    "follow FILE",
    "follow FILE 0",
    "follow FILE 0 --svg OUT",
];

/// A bomb: its name in the document, what it is, and its bytes.
type Bomb = (&'static str, fn() -> Vec<u8>);

const BOMBS: [Bomb; 9] = [
    ("single bytes", single_bytes),
    ("overlaps", overlaps),
    ("claims", claims),
    ("flows", flows),
    ("fragments", fragments),
    ("interfaces", interfaces),
    ("zstd", || zstd::encode_all(&*blocks(), 3).unwrap()),
    ("gzip", gzip),
    ("lz4", lz4),
];

/// A connection that has been set up.
fn opened() -> Capture {
    let mut capture = Capture::new();
    capture.segment(0, 2, &[]);
    capture.segment(1, 18, &[]);
    capture.segment(0, PUSH, b"MPA ID Req Frame\x40\x01\x00\x00");
    capture.segment(1, PUSH, b"MPA ID Rep Frame\x40\x01\x00\x00");
    capture
}

/// Every second byte of a stream, each in a segment of its own: nothing joins, and all of it waits.
pub(crate) fn single_bytes() -> Vec<u8> {
    let mut capture = opened();
    for _ in 0..100_000 {
        capture.skip(0, 1);
        capture.segment(0, PUSH, &[0]);
    }
    capture.bytes
}

/// RDMA Writes, each in a segment of its own; nothing is wrong with them.
pub(crate) fn writes(count: u32) -> Vec<u8> {
    let mut capture = opened();
    for number in 0..count {
        let write = [&[0xc1, 0x40][..], &big(&[7, 0, 32 * number]), &[7; 32]].concat();
        capture.segment(0, PUSH, &fpdu(&write));
    }
    capture.bytes
}

/// After a hole, segments that each have all but one byte of the one before.
fn overlaps() -> Vec<u8> {
    let mut capture = opened();
    capture.skip(0, 1);
    for _ in 0..20_000 {
        capture.segment(0, PUSH, &[0; 1400]);
        capture.skip(0, 0_u32.wrapping_sub(1399));
    }
    capture.bytes
}

/// RPCs whose chunks claim 4 GiB each, and RDMA Writes of every second byte into one of them.
fn claims() -> Vec<u8> {
    let mut capture = opened();
    let most = u32::MAX;
    for number in 1..=4_000_u32 {
        let mut words = vec![number, 1, 32, 0];
        // A Read chunk, a Write chunk of two segments, a Reply chunk.
        words.extend([1, 100, number << 8, most, 0, 0, 0]);
        words.extend([1, 2, number << 8 | 1, most, 0, 0, number << 8 | 2, most, 1, 0, 0]);
        words.extend([1, 1, number << 8 | 3, most, 0, 0]);
        // NFS, version 3, WRITE.
        words.extend([number, 0, 2, 100_003, 3, 7, 0, 0, 0, 0, 4, 0, 0, 0, 1024, 2, 1024]);
        let send = [&[0x41, 0x43, 0, 0, 0, 0][..], &big(&[0, number, 0]), &big(&words)].concat();
        capture.segment(0, PUSH, &fpdu(&send));
    }
    for at in 0..30_000 {
        let write = [&[0xc1, 0x40][..], &big(&[4_000 << 8 | 1, 0, 2 * at]), &[0]].concat();
        capture.segment(1, PUSH, &fpdu(&write));
    }
    capture.bytes
}

/// Connections without end, a setup frame each.
fn flows() -> Vec<u8> {
    let mut capture = Capture::new();
    (0..60_000).for_each(|number| connection(&mut capture, number, &[]));
    capture.bytes
}

/// Connections with 800 calls each that nothing answers.
fn open_calls() -> Vec<u8> {
    let mut calls = Vec::new();
    for number in 1..=800_u32 {
        // A transport header without chunks; NFS, version 3, NULL.
        let words = [number, 1, 32, 0, 0, 0, 0, number, 0, 2, 100_003, 3, 0, 0, 0, 0, 0];
        let send = [&[0x41, 0x43, 0, 0, 0, 0][..], &big(&[0, number, 0]), &big(&words)].concat();
        calls.extend(fpdu(&send));
    }
    let mut capture = Capture::new();
    (0..1_600).for_each(|number| connection(&mut capture, number, &calls));
    capture.bytes
}

/// The first segment of a connection, which has the setup frame and what follows it.
fn connection(capture: &mut Capture, number: u32, more: &[u8]) {
    let payload = [b"MPA ID Req Frame\x40\x01\x00\x00", more].concat();
    let mut ip = ip(6, 20 + payload.len() as u16, number as u16, 0);
    ip[26..30].copy_from_slice(&(0x0a01_0000 + (number >> 12)).to_be_bytes());
    ip.extend((1024 + (number & 0xfff) as u16).to_be_bytes());
    ip.extend(7174_u16.to_be_bytes());
    ip.extend(big(&[number, 1]));
    ip.extend([0x50, PUSH, 0x10, 0, 0, 0, 0, 0]);
    ip.extend(payload);
    capture.frame(&ip);
}

/// The first fragments of datagrams whose rest never comes.
fn fragments() -> Vec<u8> {
    let mut capture = Capture::new();
    for number in 0..40_000_u32 {
        let mut ip = ip(6, 1400, number as u16, 0x2000 | (number >> 16) as u16);
        ip.extend([0; 1400]);
        capture.frame(&ip);
    }
    capture.bytes
}

/// Interfaces without end, each with a long name.
fn interfaces() -> Vec<u8> {
    let name = [&[2, 0, 0xff, 0xff][..], &[b'x'; 0x1_0000], &[0; 4]].concat();
    let one = block(1, &[&[1, 0, 0, 0, 0, 0, 0, 0], &name[..]].concat());
    let packet = block(6, &[&little(&[0, 0, 0, 60, 60])[..], &[0; 60]].concat());
    [section(), one.repeat(2_000), packet].concat()
}

/// 320 MiB of blocks of an unknown kind, a packet after each 4 MiB.
fn blocks() -> Vec<u8> {
    let packet = block(6, &[&little(&[0, 0, 0, 60, 60])[..], &[0; 60]].concat());
    let unknown = block(0x0bad, &vec![0; 4 << 20]);
    [section(), block(1, &[1, 0, 0, 0, 0, 0, 0, 0]), [unknown, packet].concat().repeat(80)].concat()
}

fn gzip() -> Vec<u8> {
    use std::io::Write as _;
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(&blocks()).unwrap();
    out.finish().unwrap()
}

fn lz4() -> Vec<u8> {
    use std::io::Write as _;
    let mut out = lz4_flex::frame::FrameEncoder::new(Vec::new());
    out.write_all(&blocks()).unwrap();
    out.finish().unwrap()
}

/// The headers of Ethernet and IPv4.
fn ip(protocol: u8, length: u16, identification: u16, fragment: u16) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0];
    for word in [20 + length, identification, fragment] {
        frame.extend(word.to_be_bytes());
    }
    frame.extend([64, protocol, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1]);
    frame
}

fn fpdu(ulpdu: &[u8]) -> Vec<u8> {
    let fpdu = Fpdu::new(ulpdu).unwrap();
    let mut bytes = vec![0; fpdu.length()];
    fpdu.emit(&mut bytes).unwrap();
    bytes
}

fn big(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn little(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A block of pcapng.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32 + 12;
    [little(&[kind, length]), body.to_vec(), little(&[length])].concat()
}

fn section() -> Vec<u8> {
    block(0x0a0d_0d0a, &little(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX]))
}

/// No bomb takes more than 256 MiB in any command and output.
#[test]
fn captures_that_claim_much_take_bounded_memory() {
    let folder = Folder::new();
    for (name, make) in BOMBS {
        folder.write(name, make());
    }
    let all = document::writes() || std::env::var_os("WARPSCOPE_BOMBS").is_some();
    let others = if all { &OTHERS[..] } else { &[] };
    let rows: Vec<&str> = COMMANDS.iter().chain(others).copied().collect();
    let runs: Vec<(usize, usize)> =
        (0..rows.len()).flat_map(|row| (0..BOMBS.len()).map(move |at| (row, at))).collect();
    let (next, peaks) = (AtomicUsize::new(0), Mutex::new(vec![[0; BOMBS.len()]; rows.len()]));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, Into::into) {
            scope.spawn(|| {
                while let Some((row, at)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let file = format!("'{folder}/{}'", BOMBS[*at].0);
                    let out = Folder::new();
                    let line = rows[*row].replace("FILE", &file).replace("OUT", &out.at("out"));
                    let peak = peak(&line, &[0, 1, 2]);
                    peaks.lock().unwrap()[*row][*at] = peak;
                }
            });
        }
    });
    let peaks = peaks.into_inner().unwrap();
    let mut table = String::from("| MiB |");
    BOMBS.iter().for_each(|(name, _)| write!(table, " {name} |").unwrap());
    table.push_str("\n|---|");
    table.push_str(&"--:|".repeat(BOMBS.len()));
    for (command, peaks) in rows.iter().zip(&peaks) {
        write!(table, "\n| `{command}` |").unwrap();
        peaks.iter().for_each(|peak| write!(table, " {} |", peak.div_ceil(1024)).unwrap());
    }
    document::figures("bombs", &table);
    for (command, peaks) in rows.iter().zip(&peaks) {
        for ((name, _), peak) in BOMBS.iter().zip(peaks) {
            assert!((1..MEMORY).contains(peak), "{command}, {name}: {peak} KiB");
        }
    }
}

/// Calls without a reply are let go of over all connections, by everything that keeps them.
#[test]
fn open_calls_of_many_connections_take_bounded_memory() {
    let folder = Folder::new();
    folder.write("calls", open_calls());
    for command in ["check", "flows", "stats"] {
        takes_bounded_memory(&format!("{command} {}", folder.at("calls")), &[0, 1]);
    }
}

/// Runs a command that ends with one of these.
pub(crate) fn takes_bounded_memory(line: &str, status: &[i32]) {
    let peak = peak(line, status);
    assert!((1..MEMORY).contains(&peak), "{line:.200}: {peak} KiB");
}

/// The most memory of a command that ends with one of these, in KiB. One that ends at once may do so before anybody
/// has looked: then it runs again.
fn peak(line: &str, status: &[i32]) -> u64 {
    (0..20).map(|_| peak_of_one(line, status)).find(|peak| *peak > 0).unwrap_or(0)
}

fn peak_of_one(line: &str, status: &[i32]) -> u64 {
    let mut running = Running::start(&mut warpscope(line));
    let (number, mut peak) = (running.id(), 0);
    // Minutes, of the slowest with all outputs.
    while !running.has_ended() {
        peak = peak.max(memory(number));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let ended = running.end();
    let well = ended.status.is_some_and(|it| status.contains(&it));
    assert!(well, "{line:.200}: {:?} {:.999}", ended.status, ended.err);
    peak
}
