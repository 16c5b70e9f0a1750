//! `-z warpscope,...`: the output of `warpscope stats` and `warpscope flows`, from the same reading.

use super::tap::Tap;
use crate::cli::Section;
use crate::decoding::Scanned;
use crate::table::Look;
use crate::{flows, stats};
use anyhow::{Result, bail};
use clap::ValueEnum as _;
use std::any::Any;
use std::io::{self, Write};
use warpscope_dissector::pipeline::{PacketItem, Sink};
use warpscope_dissector::statistics::{Flows, Statistics};

enum What {
    Flows(Box<Flows>),
    Section(Section, Box<Statistics>),
}

pub(super) struct Own {
    what: What,
    frames: u64,
}

impl Own {
    /// Creates the statistics with that name.
    pub(super) fn new(asked: &str, name: &str) -> Result<Self> {
        let what = match (name, Section::from_str(name, true)) {
            ("flows", _) => What::Flows(Box::new(Flows::new(None))),
            (_, Ok(section)) => What::Section(section, Box::new(Statistics::new(None, None))),
            _ => {
                let names =
                    Section::value_variants().iter().filter_map(|it| it.to_possible_value());
                let names: Vec<String> = names.map(|it| it.get_name().to_owned()).collect();
                bail!(
                    "-z {asked}: no such table; the tables of warpscope are flows, {}",
                    names.join(", ")
                )
            }
        };
        Ok(Self { what, frames: 0 })
    }
}

impl Sink for Own {
    fn pass_on(&mut self, to: &mut dyn FnMut(&mut dyn Sink)) {
        match &mut self.what {
            What::Flows(flows) => to(&mut **flows),
            What::Section(_, statistics) => to(&mut **statistics),
        }
    }

    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.frames += 1;
        self.pass_on(&mut |sink| sink.packet(packet));
    }
}

impl Tap for Own {
    fn counts_frames(&self) -> bool {
        false
    }

    fn joins(&self) -> bool {
        true
    }

    fn join(&mut self, other: Box<dyn Any>) -> bool {
        let Ok(other) = other.downcast::<Self>() else { return false };
        self.frames += other.frames;
        match (&mut self.what, other.what) {
            (What::Flows(mine), What::Flows(other)) => mine.join(*other),
            (What::Section(_, mine), What::Section(_, other)) => mine.join(*other),
            _ => false,
        }
    }

    fn capture_finished(&mut self) {
        if let What::Flows(flows) = &mut self.what {
            flows.finish();
        }
    }

    fn print(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let scanned = Scanned { name: String::new(), frames: self.frames, error: None };
        match &self.what {
            What::Flows(flows) => flows::overview(look, None, &scanned, flows, out),
            What::Section(section, statistics) => {
                let text = stats::Text { look, counts: statistics.counts(), interval: None };
                text.file(&[*section], &scanned, out)
            }
        }
    }
}
