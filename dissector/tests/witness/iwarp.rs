//! Frame by frame, every field of iWARP, RPC-over-RDMA and RPC that both know.

use super::accepted::{ACCEPTED, Accepted, Difference, options};
use super::sides::{Tshark, Values, captures, ours, plain};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most differences that are kept for the message.
const MOST_DIFFERENCES: usize = 60000;

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
    let calls = calls(ours);
    for (index, (our_frame, their_frame)) in ours.iter().zip(theirs).enumerate() {
        for field in &tshark.fields {
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

/// Runs `work` on every capture, on as many threads as there are processors; the outcomes summed.
fn each_capture(work: impl Fn(&str, &Path) -> Outcome + Sync) -> Outcome {
    let captures = captures();
    let next = AtomicUsize::new(0);
    let sum = Mutex::new(Outcome::default());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, path)) = captures.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = work(name, path);
                    println!(
                        "{name}: {} values the same, {} open",
                        outcome.same, outcome.open_count
                    );
                    sum.lock().unwrap().add(outcome);
                }
            });
        }
    });
    sum.into_inner().unwrap()
}

/// Entries that should have covered a difference on the captures present and did not.
fn unused(tshark: &Tshark, covered: &[u64]) -> Vec<&'static Accepted> {
    let names: Vec<String> = captures().into_iter().map(|(name, _)| name).collect();
    ACCEPTED
        .iter()
        .zip(covered)
        .filter(|(entry, count)| **count == 0 && entry.is_for(tshark.version))
        .filter(|(entry, _)| names.iter().any(|name| entry.is_about(name)))
        .map(|(entry, _)| entry)
        .collect()
}

#[test]
fn every_iwarp_field_of_every_frame_is_as_tshark_says() {
    let Some(tshark) = Tshark::find() else {
        println!("skipped: there is no tshark to compare with");
        return;
    };
    let outcome = each_capture(|name, path| {
        let theirs = tshark.read(&plain(path), &options(name));
        compare(name, &tshark, &ours(path, &tshark.fields), &theirs)
    });
    println!("{} fields, {} values the same", tshark.fields.len(), outcome.same);
    for (entry, count) in ACCEPTED.iter().zip(&outcome.covered) {
        println!("{count:7} {} {}: {}", entry.captures, entry.fields, entry.reason);
    }
    let open = outcome.open_count;
    assert!(open == 0, "{open} differences that nothing explains:\n{}", outcome.open.join("\n"));
    let unused = unused(&tshark, &outcome.covered);
    assert!(unused.is_empty(), "accepted differences that do not occur: {unused:#?}");
}
