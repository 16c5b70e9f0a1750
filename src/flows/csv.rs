//! `--format csv`: a row for each connection.

use super::format;
use super::run::Print;
use crate::decoding::Scanned;
use std::io::{self, Write};
use warpscope_dissector::format::sides;
use warpscope_dissector::mpa::{CrcVerdict, Side};
use warpscope_dissector::operation::OperationKind;
use warpscope_dissector::statistics::{DirectionCounts, Flow, Flows};

/// A row for each connection, all files in one table.
#[derive(Debug)]
pub(super) struct Csv;

/// The columns: for each its name and what stands in it.
type Columns = Vec<(&'static str, String)>;

impl Print for Csv {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", NAMES.join(","))
    }

    fn file(&mut self, scanned: &Scanned, flows: &Flows, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        for flow in flows.flows() {
            let columns = columns(&scanned.name, flow);
            writer.write_record(columns.iter().map(|(_, value)| value)).map_err(io::Error::from)?;
        }
        writer.flush()
    }
}

/// The names in the first line.
const NAMES: [&str; 37] = [
    "file",
    "flow",
    "initiator",
    "responder",
    "roles_known",
    "first_frame",
    "last_frame",
    "start",
    "duration",
    "revision",
    "crc",
    "initiator_markers",
    "responder_markers",
    "frames",
    "wire_bytes",
    "messages",
    "data_bytes",
    "reads",
    "read_p50",
    "read_p99",
    "initiator_most_requests",
    "initiator_limit",
    "responder_most_requests",
    "responder_limit",
    "calls",
    "replies",
    "rpc_errors",
    "unanswered_calls",
    "payload_bytes",
    "repeated_bytes",
    "skipped_bytes",
    "bad_crcs",
    "end",
    "end_by",
    "setup_only",
    "findings_must",
    "findings_should",
];

fn columns(file: &str, flow: &Flow) -> Columns {
    let [one, other] = sides(flow);
    let negotiation = &flow.negotiation;
    let sum = |of: fn(&DirectionCounts) -> u64| -> String {
        flow.sides.iter().map(of).sum::<u64>().to_string()
    };
    let known = |value: Option<bool>| value.map(|value| value.to_string()).unwrap_or_default();
    let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    let limit = |side: Side| number(negotiation.depth(side).map(u64::from));
    let reads = |counts: &&warpscope_dissector::statistics::OperationCounts| {
        matches!(counts.kind, OperationKind::Read | OperationKind::ReadV2)
    };
    // Percentiles of two sides cannot be added: those of the side that read more stand there.
    let most = flow.operations.iter().filter(reads).max_by_key(|counts| counts.completed);
    let ranks = most.and_then(|counts| counts.latency).and_then(|latency| latency.ranks);
    let revision = [one, other].into_iter().find_map(|side| negotiation.revision(side));
    let end = flow.end();
    let total: u64 = flow.operations.iter().filter(reads).map(|counts| counts.completed).sum();
    let role = |side: Side| if side == one { "initiator" } else { "responder" };
    vec![
        ("file", file.to_owned()),
        ("flow", flow.info.number.to_string()),
        ("initiator", format::address(flow, one)),
        ("responder", format::address(flow, other)),
        ("roles_known", flow.initiator().is_some().to_string()),
        ("first_frame", flow.first.frame.to_string()),
        ("last_frame", flow.last.frame.to_string()),
        ("start", flow.first.time.map(|time| time.to_string()).unwrap_or_default()),
        ("duration", flow.duration().map(|time| time.to_string()).unwrap_or_default()),
        ("revision", number(revision.map(u64::from))),
        ("crc", known(negotiation.crc())),
        ("initiator_markers", known(negotiation.markers_from(one))),
        ("responder_markers", known(negotiation.markers_from(other))),
        ("frames", sum(|side| side.tcp.frames)),
        ("wire_bytes", sum(|side| side.tcp.wire)),
        ("messages", flow.opcodes.total().messages.to_string()),
        ("data_bytes", flow.opcodes.data().to_string()),
        ("reads", total.to_string()),
        ("read_p50", number(ranks.map(|ranks| ranks[0]))),
        ("read_p99", number(ranks.map(|ranks| ranks[2]))),
        ("initiator_most_requests", flow.side(one).most_outstanding.to_string()),
        ("initiator_limit", limit(one)),
        ("responder_most_requests", flow.side(other).most_outstanding.to_string()),
        ("responder_limit", limit(other)),
        ("calls", sum(|side| side.calls.calls)),
        ("replies", sum(|side| side.calls.replies)),
        ("rpc_errors", sum(|side| side.calls.errors + side.calls.refused)),
        ("unanswered_calls", sum(|side| side.calls.unanswered())),
        ("payload_bytes", sum(|side| side.tcp.payload)),
        ("repeated_bytes", sum(|side| side.tcp.repeated)),
        ("skipped_bytes", sum(DirectionCounts::skipped_bytes)),
        ("bad_crcs", sum(|side| side.with_crc(CrcVerdict::Bad))),
        ("end", format::end_kind(end).to_owned()),
        ("end_by", format::end_side(end).map(role).unwrap_or_default().to_owned()),
        ("setup_only", (!flow.has_fpdus()).to_string()),
        ("findings_must", flow.findings.must.to_string()),
        ("findings_should", flow.findings.should.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_dissector::flow::ConnectionInfo;
    use warpscope_dissector::link::Endpoint;
    use warpscope_dissector::statistics::Mark;

    #[test]
    fn every_value_has_its_name() {
        let info = ConnectionInfo { number: 0, ends: [Endpoint::default(); 2] };
        let columns = columns("file", &Flow::new(info, Mark::default()));
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, NAMES);
    }
}
