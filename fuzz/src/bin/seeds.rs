//! Writes what the fuzz targets begin with: captures, their frames and ULPDUs, cases, expectations.
//!
//!     seeds ROOT CORPUS

use libfuzzer_sys as _;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use warpscope_dissector::capture::CaptureReader;
use warpscope_dissector::nfs::{Direction, Procedure};
use warpscope_dissector::pipeline::{Item, ItemContext, Pipeline, Sink};

/// Longer captures and inputs cost more than they teach.
const MOST_CAPTURE: usize = 16_384;
const MOST_INPUT: usize = 4000;

/// The ULPDUs of each connection, as parts.
#[derive(Default)]
struct Ulpdus(BTreeMap<u32, Vec<u8>>);

impl Sink for Ulpdus {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        let Item::Segment(segment) = item else { return };
        let all = self.0.entry(context.connection.number).or_default();
        if all.len() < MOST_INPUT {
            let ulpdu = segment.fpdu.ulpdu();
            all.extend(part(context.side.0 | 0x18, ulpdu));
        }
    }
}

/// The operations of the COMPOUNDs after SEQUENCE, as parts: their number, then they.
#[derive(Default)]
struct Compounds(Vec<Vec<u8>>);

impl Sink for Compounds {
    fn item(&mut self, _: &ItemContext<'_>, item: &Item<'_>) {
        // No tag, minor version, count; SEQUENCE has 36 bytes.
        if let Item::Rpc(rpc) = item
            && let Some((procedure, Direction::Call, body)) = rpc.carried()
            && procedure == Procedure::nfs(4, 1)
            && let [0, 0, 0, 0, _, _, _, _, 0, 0, 0, count @ 2..=255, rest @ ..] = body.bytes
            && let Some(operations) = rest.get(36..)
        {
            self.0.push(part(0, &[&[count - 1], operations].concat()));
        }
    }
}

/// A part as `warpscope_fuzz::parts` takes it apart.
fn part(what: u8, bytes: &[u8]) -> Vec<u8> {
    let bytes = &bytes[..bytes.len().min(0x7ff)];
    [&[what, (bytes.len() >> 8) as u8, bytes.len() as u8], bytes].concat()
}

fn write(corpus: &Path, target: &str, name: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let folder = corpus.join(target);
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join(name), bytes)?)
}

fn files(folder: &Path, ends: &[&str], out: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, ends, out)?;
        } else if ends.iter().any(|end| path.to_string_lossy().ends_with(end)) {
            out.push(path);
        }
    }
    out.sort();
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(root), Some(corpus)) = (arguments.next(), arguments.next()) else {
        return Err("seeds ROOT CORPUS".into());
    };
    let mut captures = Vec::new();
    files(&root.join("traces"), &[".pcap", ".pcapng"], &mut captures)?;
    for (number, path) in captures.iter().enumerate() {
        let bytes = std::fs::read(path)?;
        let mut reader = CaptureReader::from_reader(std::io::Cursor::new(bytes.clone()), "seed")?;
        let begin = &bytes[..bytes.len().min(MOST_CAPTURE)];
        write(&corpus, "capture", &format!("{number}"), begin)?;
        let (mut pipeline, mut ulpdus) = (Pipeline::default(), Ulpdus::default());
        let mut frames = Vec::new();
        while let Ok(Some(described)) = reader.next_described() {
            if frames.len() < MOST_INPUT {
                frames.extend(part(0, described.frame.bytes));
            }
            pipeline.frame(&described.frame, &mut ulpdus);
        }
        pipeline.finish(&mut ulpdus);
        write(&corpus, "link", &format!("{number}"), &frames)?;
        for (connection, parts) in ulpdus.0.into_iter().take(3) {
            let name = format!("{number}-{connection}");
            write(&corpus, "witness", &name, &parts)?;
            for how in [0, 1, 4, 10, 11] {
                write(&corpus, "peer", &format!("{name}-{how}"), &[&[how], &parts[..]].concat())?;
            }
            let (mut sends, mut marked) = (Vec::new(), vec![0x64]);
            for (at, (what, ulpdu)) in warpscope_fuzz::parts(&parts).enumerate() {
                marked.extend(ulpdu);
                if at < 20 {
                    write(&corpus, "pdu", &format!("{name}-{at}"), ulpdu)?;
                }
                sends.extend(match ulpdu {
                    [ddp, 0x42, rest @ ..] if ddp & 0x80 != 0 => part(what & 1 | 6, rest),
                    [ddp, _, rest @ ..] if ddp & 0x80 != 0 => part(what & 1 | 2, rest),
                    _ => part(what & 1, ulpdu.get(18..).unwrap_or_default()),
                });
            }
            write(&corpus, "rpc", &name, &sends)?;
            write(&corpus, "mpa", &name, &marked)?;
        }
    }
    let path = root.join("traces/captures/nfs-v4.2-two-clients.pcap.zst");
    let (mut reader, mut pipeline) = (CaptureReader::open(&path)?, Pipeline::default());
    let mut compounds = Compounds::default();
    while let Ok(Some(described)) = reader.next_described() {
        pipeline.frame(&described.frame, &mut compounds);
    }
    for (number, some) in compounds.0.chunks(4).enumerate() {
        write(&corpus, "nfs4", &format!("{number}"), &some.concat())?;
    }
    let mut texts = Vec::new();
    files(&root.join("conformance/cases"), &[".yaml"], &mut texts)?;
    files(&root.join("traces"), &[".expect.yaml"], &mut texts)?;
    for (number, path) in texts.iter().enumerate() {
        let text = std::fs::read(path)?;
        if text.len() < MOST_INPUT {
            write(&corpus, "yaml", &format!("{number}"), &text)?;
        }
    }
    let agent = std::fs::read_to_string(root.join("agents/README.md"))?;
    let lines: Vec<&str> = agent.lines().filter_map(|line| line.strip_prefix("> {")).collect();
    for (number, _) in lines.iter().enumerate() {
        let text = lines[..=number].iter().map(|line| format!("{{{line}\n")).collect::<String>();
        write(&corpus, "agent", &format!("{number}"), text.as_bytes())?;
    }
    for (name, input) in [("none", ""), ("one", "\x01MPA ID Rep Frame@\x01\0\0"), ("two", "\x01MPA ID Rep FrameP\x02\0\x04")] {
        write(&corpus, "runner", name, input.as_bytes())?;
    }
    Ok(())
}
