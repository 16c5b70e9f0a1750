//! Shards beside each other find what one pipeline finds, however many there are.

use crate::prelude::*;
use std::sync::Arc;
use warpscope_dissector::pipeline::Options;
use warpscope_dissector::rules::{Finding, Judge};
use warpscope_dissector::shard::{Account, Found, Routed, Router, Shard, Usage};
use warpscope_dissector::statistics::{Flow, Flows, Statistics};
use warpscope_dissector::table::{
    CREDITS, DEPTHS, DepthRow, INTERVALS, IntervalRow, LATENCIES, LatencyRow, OPCODES, OpcodeRow,
    PROCEDURES, ProcedureRow, SIZES, SizeRow, Table,
};

/// Takes all that the commands take which read in parts.
struct Everything {
    judge: Judge,
    flows: Flows,
    statistics: Statistics,
}

impl Everything {
    fn new() -> Self {
        let (judge, flows) = (Judge::new(), Flows::new(None));
        Self { judge, flows, statistics: Statistics::new(None, None) }
    }
}

impl Sink for Everything {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        to(&mut self.judge);
        to(&mut self.flows);
        to(&mut self.statistics);
    }
}

/// What is to be the same: findings in their order, flows, statistics, and how the reading ended.
#[derive(PartialEq)]
struct Outcome {
    findings: Vec<String>,
    flows: Vec<Arc<Flow>>,
    others: (u64, Option<i64>),
    tables: String,
    frames: u64,
    damage: Option<String>,
}

impl Outcome {
    fn new(
        findings: impl Iterator<Item = Finding>,
        mut all: Everything,
        reader: &CaptureReader,
        damage: Option<CaptureError>,
    ) -> Self {
        all.flows.finish();
        let counts = all.statistics.counts();
        let tables = [
            Table::of(OPCODES, &OpcodeRow::of_counts(counts)),
            Table::of(SIZES, &SizeRow::of_counts(counts)),
            Table::of(LATENCIES, &LatencyRow::of_counts(counts)),
            Table::of(PROCEDURES, &ProcedureRow::of_counts(counts)),
            Table::of(INTERVALS, &IntervalRow::of_counts(counts, 40)),
            Table::of(DEPTHS, &DepthRow::of_counts(counts)),
            Table::of(CREDITS, &IntervalRow::with_calls(counts, 40)),
        ];
        Self {
            findings: findings.map(|finding| format!("{finding:?}")).collect(),
            flows: all.flows.flows().cloned().collect(),
            others: (all.flows.others(), all.flows.first_time()),
            tables: serde_json::to_string(&tables).unwrap(),
            frames: reader.frames_read(),
            damage: damage.map(|damage| damage.to_string()),
        }
    }
}

fn open(bytes: &[u8]) -> Option<CaptureReader> {
    CaptureReader::from_reader(Cursor::new(bytes.to_vec()), "capture").ok()
}

fn by_one(bytes: &[u8]) -> Option<Outcome> {
    let (mut reader, mut all) = (open(bytes)?, Everything::new());
    let damage = Pipeline::default().read(&mut reader, &mut all, |_| {}).err();
    let findings: Vec<_> = all.judge.take().collect();
    Some(Outcome::new(findings.into_iter(), all, &reader, damage))
}

/// None where the shards say that one pipeline may find something else.
fn by_shards(bytes: &[u8], count: usize) -> Option<Outcome> {
    let mut router = Router::new(open(bytes)?, count);
    let shard = |index| Shard::new(index, Options::default(), Everything::new());
    let mut shards: Vec<_> = (0..count).map(shard).collect();
    let (mut routed, mut account) = (Routed::default(), Account::default());
    let mut findings: Vec<(Found, Finding)> = Vec::new();
    let (mut damage, mut more) = (None, true);
    while more {
        match router.next(&mut routed) {
            Ok(read) => more = read,
            Err(error) => (more, damage) = (false, Some(error)),
        }
        let mut after = |all: &mut Everything, found: Found| {
            findings.extend(all.judge.take().map(|finding| (found, finding)));
        };
        let mut usages: Vec<Usage> =
            shards.iter_mut().map(|shard| shard.batch(&routed, &mut after)).collect();
        if !account.fits(usages.drain(..)) {
            return None;
        }
        if !more {
            let now = router.now();
            usages.extend(shards.iter_mut().map(|shard| shard.finish(now, &mut after)));
            if !account.fits(usages.into_iter()) {
                return None;
            }
        }
    }
    findings.sort_by_key(|(found, _)| *found);
    let mut sinks = shards.into_iter().map(Shard::into_sink);
    let mut all = sinks.next()?;
    for other in sinks {
        if !(all.flows.join(other.flows) & all.statistics.join(other.statistics)) {
            return None;
        }
    }
    let findings = findings.into_iter().map(|(_, finding)| finding);
    Some(Outcome::new(findings, all, router.reader(), damage))
}

/// True when the shards found the same; false when they said that it may not be.
fn compared(name: &str, bytes: &[u8]) -> bool {
    let Some(one) = by_one(bytes) else { return true };
    let mut all = true;
    for count in [1, 2, 3, 8] {
        let Some(shards) = by_shards(bytes, count) else {
            all = false;
            continue;
        };
        assert_eq!(shards.findings, one.findings, "{name}, {count} shards");
        assert_eq!(shards.flows, one.flows, "{name}, {count} shards");
        assert_eq!(shards.tables, one.tables, "{name}, {count} shards");
        assert!(shards == one, "{name}, {count} shards");
    }
    all
}

const ALL: [&str; 3] = ["captures", "synthetic", "violations"];

#[test]
fn shards_find_what_one_pipeline_finds() {
    let alone = Mutex::new(Vec::new());
    in_parallel(&captures(&ALL), |path| {
        let name = path.display().to_string();
        if !compared(&name, &std::fs::read(path).unwrap()) {
            alone.lock().unwrap().push(captures::name(path).to_owned());
        }
    });
    assert_eq!(alone.into_inner().unwrap(), [""; 0]);
}

/// Frames lost, exchanged, doubled and cut, and the file cut off.
#[test]
fn shards_find_the_same_in_mutated_captures() {
    let all = captures(&ALL);
    let jobs: Vec<u64> = (0..40).collect();
    in_parallel(&jobs, |seed| {
        let mut noise = Noise::new(seed + 1);
        let path = &all[noise.below(all.len() as u64) as usize];
        let mut frames = all_frames(path);
        frames.truncate(4000);
        for _ in 0..frames.len() / 20 + 1 {
            let at = noise.below(frames.len() as u64) as usize;
            match noise.below(4) {
                0 => drop(frames.remove(at)),
                1 => {
                    let other = (at + noise.below(9) as usize).min(frames.len() - 1);
                    frames.swap(at, other);
                }
                2 => frames.insert(at, frames[at]),
                _ => {
                    let length = noise.below(frames[at].bytes.len() as u64 + 1) as usize;
                    frames[at].bytes = &frames[at].bytes[..length];
                }
            }
            if frames.is_empty() {
                break;
            }
        }
        let Some(link_type) = frames.first().map(|frame| frame.link_type.0) else { return };
        let mut bytes = Vec::new();
        for word in [0xa1b2_3c4d, 0x0004_0002, 0, 0, 262_144, link_type] {
            bytes.extend(u32::to_le_bytes(word));
        }
        for frame in frames.iter().filter(|frame| frame.link_type.0 == link_type) {
            let time = frame.time.unwrap_or(0) as u64;
            let length = frame.bytes.len() as u32;
            let (seconds, rest) = ((time / 1_000_000_000) as u32, (time % 1_000_000_000) as u32);
            for word in [seconds, rest, length, frame.original_length] {
                bytes.extend(word.to_le_bytes());
            }
            bytes.extend(frame.bytes);
        }
        if noise.below(3) == 0 {
            bytes.truncate(24 + noise.below(bytes.len() as u64 - 24) as usize);
        }
        assert!(compared(&format!("{} seed {seed}", path.display()), &bytes));
    });
}
