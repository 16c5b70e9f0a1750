//! The passive rules: each is tripped where its trace breaks it, and no clean trace trips any.

mod made;

use crate::prelude::*;

use warpscope_dissector::pipeline::Options;
use warpscope_dissector::rules::{self, Finding, Judge, Rule, all, find};
use warpscope_traces::scenario::PlannedBreach;
use warpscope_wire::rdmap::{Profile, error_code_name};

/// Every violation trace trips the rules that its plan breaks, at the frames, in the connections
/// and on the sides that the plan says, and no other.
#[test]
fn every_breach_is_found_where_it_was_planned() {
    let mut wrong = Vec::new();
    for scenario in scenario::with_breaches() {
        let planned: BTreeSet<_> = scenario.make().unwrap().breaches.into_iter().collect();
        assert!(!planned.is_empty(), "{} breaks nothing", scenario.name);
        let path = traces().join("violations").join(scenario.file_name());
        let found = findings(&all_frames(&path));
        let seen: Vec<_> = found
            .iter()
            .map(|finding| PlannedBreach {
                connection: finding.place.connection.number,
                frame: finding.place.frame,
                rule: finding.rule.id,
                side: finding.place.side.0,
            })
            .collect();
        let name = scenario.name;
        let unseen = planned.iter().filter(|breach| !seen.contains(breach));
        wrong.extend(unseen.map(|breach| format!("{name}: not found: {breach:?}")));
        for (breach, finding) in seen.iter().zip(&found) {
            if !planned.contains(breach) {
                wrong.push(format!("{name}: not planned: {breach:?}: {}", finding.explanation));
            }
        }
        if seen.len() != planned.len() {
            wrong.push(format!("{name}: {} findings of {}", seen.len(), planned.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A rule that no trace breaks would never be known to work.
#[test]
fn every_rule_has_a_trace_that_breaks_it() {
    let mut broken = BTreeSet::new();
    for scenario in scenario::with_breaches() {
        broken.extend(scenario.make().unwrap().breaches.iter().map(|breach| breach.rule));
    }
    let known: BTreeSet<_> = rules::all().map(|rule| rule.id).collect();
    assert_eq!(broken, known);
}

// Traces that break no rule trip none, whole or not.

/// Bytes of a file that make a capture long.
const LONG: u64 = 100_000;

/// The clean traces: the synthetic and the real ones.
fn clean() -> Vec<PathBuf> {
    let found = captures(&["synthetic", "captures"]);
    assert!(found.len() >= 50, "{} traces", found.len());
    found
}

/// The rules that a trace may trip.
fn allowed(name: &str) -> BTreeMap<&'static str, usize> {
    let rows = TABLE.iter().filter(|(trace, ..)| *trace == name);
    rows.map(|(_, rule, findings, _)| (*rule, *findings)).collect()
}

#[test]
fn clean_traces_trip_only_what_the_table_says() {
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for path in clean() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in findings(&all_frames(&path)) {
            *counts.entry(finding.rule.id).or_default() += 1;
        }
        let name = captures::name(&path);
        used.extend(counts.keys().map(|rule| (name.to_owned(), *rule)));
        if counts != allowed(name) {
            wrong.push(format!("{name}: {counts:?}"));
        }
    }
    for (trace, rule, _, reason) in TABLE {
        assert!(!reason.is_empty());
        if !used.contains(&((*trace).to_owned(), *rule)) {
            wrong.push(format!("not used: {trace} {rule}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `check` is measured where it finds nothing.
#[test]
fn the_capture_that_speed_is_measured_with_breaks_no_rule() {
    for message in [None, Some(64)] {
        let mut file = Vec::new();
        warpscope_traces::bench::write(&mut file, 1_000_000, true, message).unwrap();
        let mut reader = CaptureReader::from_reader(Cursor::new(file), "bench").unwrap();
        let frames: Vec<_> =
            std::iter::from_fn(|| reader.next_frame().unwrap().map(captures::lasting)).collect();
        assert_eq!(findings(&frames), [], "messages of {message:?}");
    }
}

/// What a capture lacks is nobody's fault: no rule is tripped that the whole capture does not trip.
#[test]
fn what_is_not_captured_trips_no_rule() {
    let mut wrong = Vec::new();
    for path in clean() {
        let (name, frames) = (captures::name(&path), all_frames(&path));
        let allowed = allowed(name);
        // Long captures have many places to lose something at once.
        let long = std::fs::metadata(&path).unwrap().len() > LONG;
        for loss in Loss::all().step_by(if long { 5 } else { 1 }) {
            for finding in findings(&loss.of(&frames)) {
                if !allowed.contains_key(finding.rule.id) {
                    let (frame, rule) = (finding.place.frame, finding.rule.id);
                    let what = &finding.explanation;
                    wrong.push(format!("{name} {loss:?}: frame {frame}: {rule}: {what}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// The rules that traces break which are not made to break them, and why.

/// A rule that a trace breaks, so many times: the file's name in `traces/synthetic` or
/// `traces/captures` without what follows the first dot, the rule, the findings, the reason.
type Deviation = (&'static str, &'static str, usize, &'static str);

const CONTROL: &str = "siw fills each byte of Terminate Control from its low end";
const LENGTH: &str = "siw's DDP Segment Length leaves out the DDP header, and is 0 for Reads";
const ECHO: &str = "siw writes the read size over the MSN of the header that it echoes";
const PAD: &str = "siw pads a short Send with the bytes that stand after it in its buffer";
const REPLACED: &str = "the capture is about every procedure of RFC 5666 too, and about version 2";
const INVALIDATE: &str = "Linux's NFS server has R clear in its private data (0xf6ab0e18 01 00 03 03), \
    and sends replies with Invalidate all the same, as soon as the client has R set";
const FIRST: &str = "siw lets its user send as responder before anything came (ib_write_lat)";
const TRUNCATED: &str = "siw's PD_Length loses its high byte: 256 becomes 0 and 259 becomes 3";

/// Every row was read in the bytes and in the document again before it was written here.
const TABLE: &[Deviation] = &[
    ("bad-crc", "mpa-crc", 2, "the capture is about wrong CRCs"),
    ("bad-marker", "mpa-marker-pointer", 1, "the capture is about a wrong marker"),
    ("garbage-after-request", "mpa-bytes-after-setup", 2, "the capture is about these bytes"),
    ("setup-variants", "mpa-enhanced-needless", 1, "one negotiates neither model nor depth"),
    ("rpcordma", "rpc-version", 1, REPLACED),
    ("rpcordma", "rpc-msgp", 1, REPLACED),
    ("rpcordma", "rpc-done", 1, REPLACED),
    ("terminate-all", "rdmap-terminate-missing-header", 2, "one has M alone and one D alone"),
    (
        "terminate-all",
        "rdmap-terminate-contradiction",
        5,
        "it has every code, about messages without a fault",
    ),
    ("terminate-swapped", "rdmap-terminate-control", 3, "the capture is about these Terminates"),
    ("a5-mpav1", "mpa-pad", 6, PAD),
    ("b2-perftest-crc", "mpa-pad", 28, PAD),
    ("i1-netem-loss-reorder", "mpa-pad", 4, PAD),
    ("a9-rping-gso-crc", "mpa-setup-reserved", 6, "siw asks for large FPDUs by the bit 0x08"),
    ("a9-rping-gso-crc", "mpa-mulpdu", 4, "with that bit siw makes FPDUs as large as GSO takes"),
    ("a9-rping-gso-crc", "mpa-ulpdu-length", 12, "and does not limit them to 64768 bytes"),
    ("b2-perftest-crc", "mpa-responder-first", 1, FIRST),
    ("d2-private-data-sizes", "mpa-enhanced-short", 2, TRUNCATED),
    ("d2-private-data-sizes", "mpa-bytes-after-setup", 2, TRUNCATED),
    ("d1-reject-refuse-disconnect", "ddp-message-cut", 1, "a process is killed amid a long Write"),
    ("e1-terminate-stock", "ddp-to-wrap", 1, "the program that was captured asks for this error"),
    ("e1-terminate-stock", "rdmap-terminate-control", 17, CONTROL),
    ("e1-terminate-stock", "rdmap-terminate-segment-length", 17, LENGTH),
    ("e1-terminate-stock", "rdmap-terminate-echo", 5, ECHO),
    ("g-nfs-v3-cut", "rpc-invalidate-unagreed", 13, INVALIDATE),
    ("g-nfs-v4.1-cut", "rpc-invalidate-unagreed", 17, INVALIDATE),
];

// Damaged captures do not stop the rules.

/// Bytes of a frame before TCP's payload, most often.
const HEADERS: usize = 54;
const VARIANTS: u64 = 20;

/// What is after the TCP header is damaged: everything reaches the rules.
#[test]
fn damaged_payloads_do_not_stop_the_rules() {
    let mut made = 0;
    for path in captures(&["synthetic", "violations"]) {
        let frames = all_frames(&path);
        for seed in 0..VARIANTS {
            let mut noise = Noise::new(seed);
            let (mut pipeline, mut judge) = (Pipeline::default(), Judge::new());
            for frame in &frames {
                let mut bytes = frame.bytes.to_vec();
                if bytes.len() > HEADERS && noise.below(3) == 0 {
                    // Headers are most often near the front.
                    let reach = if seed % 2 == 0 { 60 } else { bytes.len() };
                    let room = (bytes.len() - HEADERS).min(reach);
                    let at = HEADERS + noise.below(room as u64) as usize;
                    bytes[at] = noise.next_u64() as u8;
                }
                pipeline.frame(&Frame { bytes: &bytes, ..*frame }, &mut judge);
            }
            pipeline.finish(&mut judge);
            for finding in judge.take() {
                assert!(!finding.explanation.is_empty());
                made += 1;
            }
        }
    }
    // Damage is noticed: by the CRC above all.
    assert!(made > 1000, "{made} findings");
}

// What is not seen of a capture.

#[derive(Debug, Clone, Copy)]
enum Loss {
    /// The first frames.
    Beginning(u64),
    /// One frame of so many on average, chosen by a seed.
    Frames { one_of: u64, seed: u64 },
    /// What lies after so many bytes of each frame.
    Ends(usize),
    /// Every frame that the second host sends.
    OneDirection,
}

impl Loss {
    /// What the tests take away.
    fn all() -> impl Iterator<Item = Self> {
        let beginnings = [1, 2, 3, 4, 5, 6, 7, 9, 20, 101].map(Self::Beginning);
        let frames = (0..12).map(|seed| Self::Frames { one_of: 3 + 7 * seed, seed });
        let ends = [60, 80, 90, 110, 128, 300, 1000].map(Self::Ends);
        beginnings.into_iter().chain(frames).chain(ends).chain([Self::OneDirection])
    }

    /// What is left.
    fn of(self, frames: &[Frame<'static>]) -> Vec<Frame<'static>> {
        let mut left = frames.to_vec();
        match self {
            Self::Beginning(count) => left.retain(|frame| frame.number > count),
            Self::Frames { one_of, seed } => {
                let mut noise = Noise::new(seed);
                left.retain(|_| noise.below(one_of) != 0);
            }
            Self::Ends(bytes) => {
                left.iter_mut().for_each(|it| it.bytes = &it.bytes[..it.bytes.len().min(bytes)]);
            }
            Self::OneDirection => {
                // The frames that go to where the first one came from, by Ethernet's addresses.
                let second = left[0].bytes.get(6..12);
                left.retain(|frame| frame.bytes.get(..6) != second);
            }
        }
        left
    }
}

/// Where RFC 5040 and 7306 alone are in force, RV 2 is wrong in every segment; with rdmap-ext-v2 in
/// force it is not.
#[test]
fn version_2_is_for_ext_v2_alone() {
    let frames = all_frames(&traces().join("synthetic/ext-v2.pcap"));
    let found = |profile| {
        let options = Options { profile, ..Options::default() };
        let found = findings_by(&frames, Pipeline::new(options));
        found.iter().filter(|it| it.rule.id == "rdmap-version").count()
    };
    assert_eq!(found(Profile::EXT_V2), 0);
    assert_eq!(found(Profile::ALL), 0);
    assert!(found(Profile::RFC5040) > 10);
    assert_eq!(found(Profile::RFC5040), found(Profile::RFC7306));
}

/// The findings in a capture's frames, in order.
fn findings(frames: &[Frame<'_>]) -> Vec<Finding> {
    findings_by(frames, Pipeline::default())
}

fn findings_by(frames: &[Frame<'_>], mut pipeline: Pipeline) -> Vec<Finding> {
    let mut judge = Judge::new();
    frames.iter().for_each(|frame| pipeline.frame(frame, &mut judge));
    pipeline.finish(&mut judge);
    judge.take().collect()
}

// The rules of RPC-over-RDMA on a capture whose frames were lost, doubled or put out of order.

/// What a capture loses, shows late or shows twice is nobody's fault: no further rule of
/// RPC-over-RDMA is tripped by it.
#[test]
fn what_the_capture_does_trips_no_rule() {
    let frames = all_frames(&traces().join("captures/g-nfs-v4.1-cut.pcap.zst"));
    for seed in 0..9 {
        let mut noise = Noise::new(seed);
        let mut below = |limit: usize| noise.below(limit as u64) as usize;
        let mut shown = frames.clone();
        for _ in 0..shown.len() / 50 {
            let at = below(shown.len() - 8);
            match seed % 3 {
                0 => {
                    shown.remove(at);
                }
                1 => shown.swap(at, at + 1 + below(3)),
                _ => shown.insert(at + 1 + below(3), shown[at]),
            }
        }
        (1..).zip(&mut shown).for_each(|(number, frame)| frame.number = number);
        for Finding { rule, place, .. } in findings(&shown) {
            let known = !rule.id.starts_with("rpc-") || rule.id == "rpc-invalidate-unagreed";
            assert!(known, "seed {seed}: {} in frame {}", rule.id, place.frame);
        }
    }
}

// The rules as data.

fn wrong_with(rule: &Rule) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_lowercase() || c == '-' || c.is_ascii_digit();
    if !rule.id.chars().all(plain) || !rule.id.contains('-') {
        return Some("id that is no name");
    }
    if !rule.title.ends_with('.') || !rule.meaning.ends_with('.') {
        return Some("title or meaning that is no sentence");
    }
    let defined = |(layer, kind, code)| error_code_name(layer, kind, code).is_some();
    if !rule.terminate.is_none_or(defined) {
        return Some("Terminate that no document defines");
    }
    None
}

#[test]
fn every_rule_is_well_made() {
    let mut ids = BTreeSet::new();
    for rule in all() {
        assert!(ids.insert(rule.id), "{} is there twice", rule.id);
        assert!(!rule.requirements.is_empty(), "{} judges nothing", rule.id);
        let wrong = wrong_with(rule);
        assert_eq!(wrong, None, "{}", rule.id);
    }
    assert!(ids.len() > 80, "{} rules", ids.len());
}

#[test]
fn rules_are_found_by_their_names_and_requirements() {
    assert_eq!(find("mpa-crc").unwrap().requirements[0], "RFC5044-4.4-12");
    assert_eq!(find("RFC5044-4.4-12").unwrap().id, "mpa-crc");
    assert!(find("mpa").is_none());
    assert!(find("").is_none());
}
