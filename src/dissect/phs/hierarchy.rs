//! One hierarchy: what it counts and how it is printed.

use super::accounting::Accounting;
use super::sighting::Sighting;
use super::table::Table;
use crate::dissect::options::NamedFilter;
use std::io::{self, Write};
use warpscope_dissector::tree::Tree;

/// One protocol hierarchy, and the accounting of the iWARP in it.
#[derive(Debug)]
pub(in crate::dissect) struct Hierarchy {
    filter: Option<NamedFilter>,
    table: Table,
    accounting: Accounting,
}

impl Hierarchy {
    /// A hierarchy of the frames that the filter passes.
    pub(in crate::dissect) fn new(filter: Option<NamedFilter>) -> Self {
        Self { filter, table: Table::default(), accounting: Accounting::default() }
    }

    /// True when frames have to be filtered.
    pub(in crate::dissect) fn needs_tree(&self) -> bool {
        self.filter.is_some()
    }

    /// Counts a frame, if it passes.
    pub(in crate::dissect) fn count(&mut self, sighting: &Sighting, tree: Option<&Tree>) {
        let passes = match (&self.filter, tree) {
            (None, _) => true,
            (Some(named), Some(tree)) => named.filter.matches(tree),
            (Some(_), None) => false,
        };
        if passes {
            self.table.count(sighting);
            self.accounting.count(sighting);
        }
    }

    /// Takes account of what the end of the capture brought to light. It belongs to frames that
    /// are counted already, so that a filter cannot ask for them any more.
    pub(in crate::dissect) fn count_late(&mut self, sighting: &Sighting) {
        if self.filter.is_none() {
            self.accounting.count(sighting);
        }
    }

    /// Prints table and accounting.
    pub(in crate::dissect) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        const RULE: &str = "===================================================================";
        let filter = self.filter.as_ref().map_or("", |named| named.text.as_str());
        writeln!(out, "\n{RULE}\nProtocol Hierarchy Statistics\nFilter: {filter}\n")?;
        self.table.print(out)?;
        writeln!(out, "{RULE}")?;
        self.accounting.print(out)
    }
}
