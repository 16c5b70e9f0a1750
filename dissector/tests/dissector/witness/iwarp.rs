//! Frame by frame, every field of iWARP, RPC-over-RDMA and RPC that both know.

use super::accepted::{ACCEPTED, Accepted, Difference, options};
use super::midway;
use super::sides::{Tshark, Values, captures, ours};
use crate::prelude::*;

/// Fewer values than the captures of the repository hold: with fewer, something was not compared.
const FEWEST_VALUES: u64 = 300_000;
/// The most differences that are kept for the message.
const MOST_DIFFERENCES: usize = 60;

/// What comparing one or more captures came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Values that both have and that are the same: one for each occurrence.
    pub same: u64,
    /// How many differences each entry of the table covered.
    pub covered: Vec<u64>,
    /// Differences that no entry covers, in words.
    pub open: Vec<String>,
    /// Number of open differences.
    pub open_count: u64,
}

impl Outcome {
    fn add(&mut self, other: Self) {
        self.same += other.same;
        self.open_count += other.open_count;
        self.covered.resize(ACCEPTED.len(), 0);
        self.covered.iter_mut().zip(&other.covered).for_each(|(sum, count)| *sum += count);
        let room = MOST_DIFFERENCES.saturating_sub(self.open.len());
        self.open.extend(other.open.into_iter().take(room));
    }
}

/// The values of the RPC calls of a capture, by XID, as this project read them.
fn calls(frames: &[Values]) -> HashMap<&str, &Values> {
    let calls = frames.iter().filter(|values| values.each("rpc.msgtyp").any(|kind| kind == "0"));
    calls.flat_map(|values| values.each("rpc.xid").map(move |xid| (xid, values))).collect()
}

/// Compares what the two say about one capture.
pub fn compare(name: &str, tshark: &Tshark, ours: &[Values], theirs: &[Values]) -> Outcome {
    assert_eq!(ours.len(), theirs.len(), "{name}: tshark counts other frames");
    let mut outcome = Outcome { covered: vec![0; ACCEPTED.len()], ..Outcome::default() };
    let (calls, none) = (calls(ours), Values::default());
    for (index, (our_frame, their_frame)) in ours.iter().zip(theirs).enumerate() {
        for field in &tshark.fields {
            // Frames that were put in front are TCP segments too.
            if name.starts_with("midway/") && field.protocol() == "tcp" {
                continue;
            }
            let (our, their) = (our_frame.of(field.name), their_frame.of(field.name));
            if our == their {
                outcome.same += our_frame.each(field.name).count() as u64;
                continue;
            }
            let difference = Difference {
                capture: name,
                field: field.name,
                ours: our,
                theirs: their,
                our_frame,
                their_frame,
                our_next: ours.get(index + 1).unwrap_or(&none),
                their_previous: index.checked_sub(1).map_or(&none, |before| &theirs[before]),
                calls: &calls,
            };
            let entry = ACCEPTED
                .iter()
                .position(|entry| entry.is_for(tshark.version) && entry.covers(&difference));
            if let Some(entry) = entry {
                outcome.covered[entry] += 1;
                continue;
            }
            outcome.open_count += 1;
            if outcome.open.len() < MOST_DIFFERENCES {
                outcome.open.push(format!(
                    "{name} frame {}: {}: ours {our:?}, tshark's {their:?}",
                    index + 1,
                    field.name
                ));
            }
        }
    }
    outcome
}

/// One comparison: a capture, and whether setup frames are put in front of it, with or without CRCs.
struct Job {
    name: String,
    capture: PathBuf,
    setup: Option<bool>,
}

impl Job {
    /// Every capture; those that begin within connections once more with setup frames in front.
    fn all() -> Vec<Self> {
        let mut jobs = Vec::new();
        for (name, capture) in captures() {
            let midway = midway::CAPTURES.iter().find(|(midway, _)| *midway == name);
            if let Some((_, crc)) = midway {
                let name = format!("midway/{}", name.rsplit('/').next().unwrap());
                jobs.push(Self { name, capture: capture.clone(), setup: Some(*crc) });
            }
            jobs.push(Self { name, capture, setup: None });
        }
        jobs
    }

    fn run(&self, tshark: &Tshark) -> Outcome {
        let (file, added) = match self.setup {
            Some(crc) => midway::with_setup(&self.name, &self.capture, crc),
            None => (plain(&self.capture, "witness-iwarp"), 0),
        };
        let mut theirs = tshark.read(&file, &options(&self.name));
        theirs.iter_mut().for_each(|values| values.count_from(added, &tshark.fields));
        let ours = ours(&self.capture, tshark);
        let theirs = &theirs[added..];
        let mut outcome = compare(&self.name, tshark, &ours, theirs);
        let real = self.name.starts_with("captures/") || self.setup.is_some();
        if real && (added > 0 || midway::CAPTURES.iter().all(|(name, _)| *name != self.name)) {
            let (ours, theirs) = (counted(&ours), counted(theirs));
            if ours != theirs {
                let words = format!("{}: {ours:?}, tshark counts {theirs:?}", self.name);
                outcome.open_count += 1;
                outcome.open.push(words);
            }
        }
        outcome
    }
}

/// How many segments of each opcode and how many RPC-over-RDMA messages the frames hold. What ours are
/// is in the expectations beside the captures, which `warpscope replay` holds.
fn counted(frames: &[Values]) -> (BTreeMap<&str, u64>, usize) {
    let mut segments = BTreeMap::new();
    for opcode in frames.iter().flat_map(|values| values.each("iwarp_rdma.opcode")) {
        *segments.entry(opcode).or_default() += 1;
    }
    (segments, frames.iter().map(|values| values.each("rpcordma.xid").count()).sum())
}

/// Runs every job; the outcomes summed.
fn run(jobs: &[Job], tshark: &Tshark) -> Outcome {
    let sum = Mutex::new(Outcome::default());
    in_parallel(jobs, |job| {
        let outcome = job.run(tshark);
        let (same, open) = (outcome.same, outcome.open_count);
        let covered: u64 = outcome.covered.iter().sum();
        println!("{}: {same} values the same, {covered} accepted, {open} open", job.name);
        sum.lock().unwrap().add(outcome);
    });
    sum.into_inner().unwrap()
}

/// Entries that should have covered a difference on the captures present and did not.
fn unused(jobs: &[Job], tshark: &Tshark, covered: &[u64]) -> Vec<&'static Accepted> {
    ACCEPTED
        .iter()
        .zip(covered)
        .filter(|(entry, count)| **count == 0 && entry.is_for(tshark.version))
        .filter(|(entry, _)| jobs.iter().any(|job| entry.is_about(&job.name)))
        .map(|(entry, _)| entry)
        .collect()
}

#[test]
fn every_iwarp_field_of_every_frame_is_as_tshark_says() {
    let Some(tshark) = Tshark::find() else { return missing("tshark", "iWARP is compared") };
    let jobs = Job::all();
    let outcome = run(&jobs, &tshark);
    println!("{} fields, {} values the same", tshark.fields.len(), outcome.same);
    for (entry, count) in ACCEPTED.iter().zip(&outcome.covered) {
        println!("{count:7} {entry:?}");
    }
    let open = outcome.open_count;
    assert!(open == 0, "{open} differences that nothing explains:\n{}", outcome.open.join("\n"));
    assert!(outcome.same >= FEWEST_VALUES, "only {} values were compared", outcome.same);
    let unused = unused(&jobs, &tshark, &outcome.covered);
    assert!(unused.is_empty(), "accepted differences that do not occur: {unused:#?}");
}
