//! Rules that colour the messages.

use crate::look::Tone;
use std::sync::Arc;
use warpscope_dissector::filter::Filter;

/// A rule that colours the messages that pass a filter.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The text of the filter.
    pub text: String,
    /// The compiled filter.
    pub filter: Filter,
    /// The colour, by its meaning, so that it is readable in every theme.
    pub tone: Tone,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.tone) == (&other.text, other.tone)
    }
}

/// The default rules, as filter and tone.
pub const DEFAULTS: [(&str, Tone); 5] = [
    ("rpc.msgtyp == 0", Tone::Call),
    ("rpc.msgtyp == 1", Tone::Reply),
    ("iwarp_rdma.opcode == 0x00", Tone::Write),
    ("iwarp_rdma.opcode == 0x01", Tone::Request),
    ("iwarp_rdma.opcode == 0x02", Tone::Response),
];

/// Returns the compiled default rules.
pub fn defaults() -> Arc<[Rule]> {
    let rule = |(text, tone): (&str, Tone)| {
        Some(Rule { text: text.to_owned(), filter: Filter::parse(text).ok()?, tone })
    };
    DEFAULTS.into_iter().filter_map(rule).collect()
}
