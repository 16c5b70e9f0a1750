//! The table of protocols, each under the one that carries it.

use super::sighting::{Above, Carrier, Sighting};
use std::io::{self, Write};

/// Characters before the counts.
const COLUMN: usize = 40;

#[derive(Debug, Default)]
struct Row {
    name: &'static str,
    children: Vec<usize>,
    frames: u64,
    bytes: u64,
}

/// The table; its first row is the root, which is not printed.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Row>,
}

impl Default for Table {
    fn default() -> Self {
        Self { rows: vec![Row::default()] }
    }
}

impl Table {
    /// Counts a frame once under every place that its protocols take.
    pub(super) fn count(&mut self, sighting: &Sighting) {
        let bytes = u64::from(sighting.bytes);
        let mut row = 0;
        for name in &sighting.layers {
            row = self.add(row, name, bytes);
        }
        let above = sighting.above;
        if above.has(Above::TCP_DATA) {
            self.add(row, "data", bytes);
        }
        self.add_rpc(row, Carrier::Tcp, sighting);
        if !above.has(Above::MPA) {
            return;
        }
        let mpa = self.add(row, "iwarp_mpa", bytes);
        if !above.has(Above::DDP) {
            return;
        }
        let ddp = self.add(mpa, "iwarp_ddp_rdmap", bytes);
        if above.has(Above::TRANSPORT) {
            let transport = self.add(ddp, "rpcordma", bytes);
            self.add_rpc(transport, Carrier::Transport, sighting);
        }
        self.add_rpc(ddp, Carrier::Ddp, sighting);
        if above.has(Above::DATA) {
            self.add(ddp, "data", bytes);
        }
    }

    /// Adds a frame to the protocols of the RPC messages that came by the carrier, below its row.
    fn add_rpc(&mut self, row: usize, carrier: Carrier, sighting: &Sighting) {
        let bytes = u64::from(sighting.bytes);
        let mut rpc = None;
        let messages = sighting.rpc.iter().filter(|(by, _)| *by == carrier);
        for (_, names) in messages {
            let Some((first, programs)) = names.split_first() else { continue };
            let rpc = *rpc.get_or_insert_with(|| self.add(row, first, bytes));
            for program in programs.iter() {
                self.add(rpc, program, bytes);
            }
        }
    }

    /// Adds a frame to a protocol below a row; returns its row.
    fn add(&mut self, parent: usize, name: &'static str, bytes: u64) -> usize {
        let known = self.rows.get(parent).and_then(|row| {
            let mut children = row.children.iter().copied();
            children.find(|child| self.rows.get(*child).is_some_and(|row| row.name == name))
        });
        let place = known.unwrap_or_else(|| {
            let place = self.rows.len();
            self.rows.push(Row { name, ..Row::default() });
            if let Some(row) = self.rows.get_mut(parent) {
                row.children.push(place);
            }
            place
        });
        if let Some(row) = self.rows.get_mut(place) {
            row.frames += 1;
            row.bytes += bytes;
        }
        place
    }

    /// Prints the rows, indented by their depth.
    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        self.print_below(0, 0, out)
    }

    fn print_below(&self, row: usize, depth: usize, out: &mut dyn Write) -> io::Result<()> {
        let children = self.rows.get(row).map_or(&[][..], |row| &row.children);
        for child in children {
            let Some(row) = self.rows.get(*child) else { continue };
            let (indent, name) = (depth * 2, row.name);
            let width = COLUMN.saturating_sub(indent);
            let (frames, bytes) = (row.frames, row.bytes);
            writeln!(out, "{:indent$}{name:width$} frames:{frames} bytes:{bytes}", "")?;
            self.print_below(*child, depth + 1, out)?;
        }
        Ok(())
    }
}
