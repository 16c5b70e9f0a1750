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
use warpscope_dissector::flow::Connection;
use warpscope_dissector::pipeline::{Item, ItemContext, PacketItem, Sink};
use warpscope_dissector::statistics::{Flows, Statistics};
use warpscope_dissector::stream::SegmentDisposition;

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

    fn sink(&mut self) -> &mut dyn Sink {
        match &mut self.what {
            What::Flows(flows) => &mut **flows,
            What::Section(_, statistics) => &mut **statistics,
        }
    }
}

impl Sink for Own {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.frames += 1;
        self.sink().packet(packet);
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.sink().disposition(disposition);
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.sink().item(context, item);
    }

    fn elsewhere(&mut self, time: Option<i64>) {
        self.sink().elsewhere(time);
    }

    fn capture_ended(&mut self) {
        self.sink().capture_ended();
    }

    fn relieved(&mut self, connection: &Connection) {
        self.sink().relieved(connection);
    }

    fn connection_left(&mut self, connection: &Connection) {
        self.sink().connection_left(connection);
    }
}

impl Tap for Own {
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
