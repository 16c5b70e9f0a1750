//! Selection, waivers and reports, over rules and findings made up here.

mod reports;
mod waivers;

use super::run::{Found, Selection};
use warpscope_dissector::flow::ConnectionInfo;
use warpscope_dissector::link::Endpoint;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::rules::{Fault, Finding, Level, Place, Rule};

static SEQUENCE: Rule = Rule {
    id: "ddp-msn-sequence",
    requirements: &["RFC5041-5.1-01", "RFC5041-5.3-02"],
    level: Level::Must,
    title: "Message sequence numbers follow one another.",
    meaning: "The receiver puts the message into the wrong buffer.",
    fault: Fault::Sender,
    terminate: Some((1, 2, 3)),
};

static FILL: Rule = Rule {
    id: "mpa-fill",
    requirements: &["RFC5044-4.3-01"],
    level: Level::Should,
    title: "FPDUs are as long as a TCP segment.",
    meaning: "Throughput suffers.",
    fault: Fault::Either,
    terminate: None,
};

fn all() -> Vec<&'static Rule> {
    vec![&SEQUENCE, &FILL]
}

/// A finding of the client, which initiated the connection.
fn found(rule: &'static Rule, frame: u64, waived: Option<&str>) -> Found {
    let end = |last, port| Endpoint { address: [10, 0, 0, last].into(), port };
    let place = Place {
        connection: ConnectionInfo::new(3, [end(2, 40_000), end(1, 7_174)]),
        side: Side(0),
        frame,
        time: Some(1_700_000_000_001_001_000),
        stream_offset: Some(1234),
        message: Some(7),
    };
    let explanation = "message <5>\u{1b}[31m, due was 4".to_owned();
    let at_fault = (rule.fault == Fault::Sender).then_some(Side(0));
    let finding = Finding { rule, place, at_fault, explanation };
    Found { finding, initiator: Some(Side(0)), waived: waived.map(str::to_owned) }
}

fn selected(asked: &[&str], ignored: &[&str]) -> Result<Vec<&'static str>, String> {
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let selection = Selection::new(&all(), &owned(asked), &owned(ignored));
    let selection = selection.map_err(|error| error.to_string())?;
    Ok(selection.rules().iter().map(|rule| rule.id).collect())
}

#[test]
fn rules_are_selected_by_their_names_and_their_requirements() {
    assert_eq!(selected(&[], &[]).unwrap(), ["ddp-msn-sequence", "mpa-fill"]);
    assert_eq!(selected(&["mpa-fill"], &[]).unwrap(), ["mpa-fill"]);
    assert_eq!(selected(&["RFC5041-5.3-02"], &[]).unwrap(), ["ddp-msn-sequence"]);
    assert_eq!(selected(&[], &["mpa-fill"]).unwrap(), ["ddp-msn-sequence"]);
    assert!(selected(&["mpa-fill"], &["RFC5044-4.3-01"]).unwrap().is_empty());
}
