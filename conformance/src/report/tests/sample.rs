//! A made-up run with every verdict, in which nothing was really sent.

use crate::report::{
    Difference, FieldDifference, InstanceResult, Ladder, Requirement, Run, Target, Timestamp,
    Verdict,
};

const LADDER: &str = "\
runner                                          target
  \u{2502}\u{2500} RDMA Read Request, STag 0xdeadbeef, 64 bytes \u{2500}\u{25b6}\u{2502}
  \u{2502}\u{25c0}\u{2500} Terminate: RDMAP, remote protection, 0x01 \u{2500}\u{2500}\u{2500}\u{2500}\u{2500}\u{2502}
";

/// A Terminate with another code than was expected.
fn difference() -> Difference {
    let field = |name: &str, expected: &str, came: &str| FieldDifference {
        name: name.to_owned(),
        expected: expected.to_owned(),
        came: came.to_owned(),
        differs: expected != came,
    };
    Difference {
        of: "Terminate, as it came".to_owned(),
        fields: vec![
            field("error", "0/1/0x00 (invalid STag)", "0/1/0x01 (base or bounds)"),
            field("DDP Segment Length", "46", "46"),
        ],
        bytes: vec!["0000  00 2e 41 47[01 01]e0 00".to_owned()],
    }
}

/// An instance that passed, of a case in a section.
fn instance(case: (&str, &str, &str), place: (&str, &str, &str), with: &str) -> InstanceResult {
    let ((id, title, level), (document, section, section_title)) = (case, place);
    InstanceResult {
        id: format!("{id}[{with}]"),
        case: id.to_owned(),
        title: title.to_owned(),
        document: document.to_owned(),
        section: section.to_owned(),
        section_title: section_title.to_owned(),
        level: level.to_owned(),
        covers: vec![Requirement {
            id: format!("{document}-{section}-03"),
            document: document.to_owned(),
            section: section.to_owned(),
            level: level.to_owned(),
            text: "A Read Request whose source STag names no memory of the target is refused with \
                   a Terminate, and nothing is read."
                .to_owned(),
        }],
        verdict: Verdict::Pass,
        reason: None,
        causes: Vec::new(),
        difference: None,
        link: None,
        microseconds: 12_345,
        attempts: 1,
        sent: Vec::new(),
        accepted: Vec::new(),
        came: Vec::new(),
        ladder: None,
        rerun: format!("warpscope conform run --target 192.0.2.7:7174 --seed 7 '{id}[{with}]'"),
        capture: None,
    }
}

/// The made-up run.
pub(super) fn run() -> Run {
    let terminate = ("RFC5040", "4.8", "Terminate");
    let stag = ("rdmap-read-unknown-stag", "A Read Request that names an unknown STag", "MUST");
    let failed = InstanceResult {
        verdict: Verdict::Fail,
        reason: Some("the Terminate names code 0x01, base or bounds, and not 0x00".to_owned()),
        causes: vec!["the Terminate names code \u{2026}, base or bounds".to_owned()],
        microseconds: 2_004_200,
        attempts: 2,
        sent: vec![
            "MPA Request: revision 1, markers off, CRC on, no private data".to_owned(),
            "RDMA Read Request: source STag 0xdeadbeef, TO 0, 64 bytes".to_owned(),
        ],
        accepted: vec![
            "Terminate: RDMAP, remote protection, invalid STag (0x00), with the DDP header"
                .to_owned(),
        ],
        came: vec![
            "MPA Reply: revision 1, markers off, CRC on, no private data".to_owned(),
            "Terminate: RDMAP, remote protection, base or bounds (0x01) <script>\u{1b}[31m"
                .to_owned(),
        ],
        ladder: Some(Ladder { text: LADDER.to_owned() }),
        difference: Some(difference()),
        capture: Some("captures/rdmap-read-unknown-stag-crc=on.pcapng".to_owned()),
        ..instance(stag, terminate, "crc=on,cut=whole")
    };
    let strict = InstanceResult {
        verdict: Verdict::StrictOnly,
        reason: Some("torn down with code 0xff, unspecified, where 0x00 is due".to_owned()),
        came: vec!["Terminate: RDMAP, remote protection, unspecified (0xff)".to_owned()],
        ladder: Some(Ladder { text: LADDER.to_owned() }),
        ..instance(stag, terminate, "crc=off,cut=one-byte")
    };
    let passed = InstanceResult {
        ladder: Some(Ladder { text: LADDER.to_owned() }),
        ..instance(stag, terminate, "crc=off,cut=whole")
    };
    let invalidate = ("rdmap-send-invalidate", "Send with Invalidate takes the STag away", "MUST");
    let expected = InstanceResult {
        verdict: Verdict::ExpectedFailure,
        reason: Some("the driver keeps the STag until the buffer is posted again".to_owned()),
        link: Some("https://example.org/bugs/17".to_owned()),
        ..instance(invalidate, ("RFC5040", "4.10", ""), "size=0")
    };
    let unexpected = InstanceResult {
        verdict: Verdict::UnexpectedPass,
        reason: Some("target.yaml:12 says that it fails: take the entry out".to_owned()),
        ..instance(invalidate, ("RFC5040", "4.10", ""), "size=64")
    };
    let setup = ("mpa-setup-late", "A reply that comes late is waited for", "SHOULD");
    let inconclusive = InstanceResult {
        verdict: Verdict::Inconclusive,
        reason: Some("no connection came about within 5 s: Connection refused".to_owned()),
        ..instance(setup, ("RFC5044", "7.1.3", "timers"), "wait=5s")
    };
    let atomics = ("atomic-fetch-add", "FetchAdd carries over no field boundary", "MUST");
    let missing = InstanceResult {
        verdict: Verdict::NotApplicable,
        reason: Some("needs `atomics`, which the target does not have".to_owned()),
        microseconds: 0,
        ..instance(atomics, ("RFC7306", "5.1", "FetchAdd"), "mask=0")
    };
    Run {
        version: "0.1.0".to_owned(),
        target: Target {
            name: "test card".to_owned(),
            address: Some("192.0.2.7:7174".to_owned()),
            profile: Some("profiles/test-card.yaml".to_owned()),
            mode: "agent".to_owned(),
            capabilities: vec!["rdma-read".to_owned(), "rdma-write".to_owned()],
            allowances: Vec::new(),
        },
        seed: 7,
        started: Timestamp::from_milliseconds(1_795_000_000_250),
        microseconds: 3_210_000,
        broken_off: None,
        instances: vec![
            inconclusive,
            failed,
            strict,
            expected,
            passed,
            unexpected,
            instance(
                ("mpa-setup-key", "The reply has the reply's key", "MUST"),
                ("RFC5044", "7.1.1", ""),
                "pd=0",
            ),
            missing,
        ],
    }
}
