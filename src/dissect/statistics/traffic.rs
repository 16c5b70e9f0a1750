//! `-z conv` and `-z endpoints`: the traffic between and of endpoints.

use super::tap::{Condition, Tap};
use crate::table::{Look, Table};
use std::io::{self, Write};
use warpscope_dissector::pipeline::{PacketItem, Sink};
use warpscope_dissector::statistics::{Between, Traffic};
use warpscope_dissector::table::{CONVERSATIONS, InFile, PARTIES};
use warpscope_dissector::tree::Tree;

/// The rule above and below tshark's tables.
pub(super) const RULE: &str =
    "================================================================================";

/// The parties that each row of a table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parties {
    Conversations,
    Each,
}

#[derive(Debug)]
pub(super) struct Counted {
    rows: Parties,
    name: &'static str,
    filter: Condition,
    traffic: Traffic,
}

impl Counted {
    pub(super) fn new(rows: Parties, layer: &str, filter: Condition) -> Self {
        let (between, name) = match layer {
            "tcp" => (Between::Tcp, "TCP"),
            "ip" => (Between::Ipv4, "IPv4"),
            _ => (Between::Ipv6, "IPv6"),
        };
        Self { rows, name, filter, traffic: Traffic::new(between) }
    }
}

impl Sink for Counted {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.traffic.packet(packet);
    }
}

impl Tap for Counted {
    fn needs_tree(&self) -> bool {
        !self.filter.is_any()
    }

    fn frame_ended(&mut self, tree: Option<&Tree>, passes: bool) {
        if passes && self.filter.passes(tree) {
            self.traffic.count();
        }
    }

    fn print(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let (what, file) = (self.rows, InFile::default());
        let what = if what == Parties::Each { "Endpoints" } else { "Conversations" };
        writeln!(out, "{RULE}\n{} {what}\nFilter:{}", self.name, self.filter.heading())?;
        let look = Look { width: None, ..look };
        match self.rows {
            Parties::Conversations => {
                Table::of(0, CONVERSATIONS, &file, &self.traffic.conversations())
                    .print(look, out)?;
            }
            Parties::Each => {
                Table::of(0, PARTIES, &file, &self.traffic.parties()).print(look, out)?
            }
        }
        writeln!(out, "{RULE}")
    }
}
