//! The trait of statistics, and their names.

use super::calls::{Programs, ServiceTimes};
use super::expert::Experts;
use super::follow::Follow;
use super::hierarchy::Hierarchy;
use super::io::IoStatistics;
use super::own::Own;
use super::traffic::{Counted, Parties};
use crate::decoding::parse_filter;
use crate::table::Look;
use anyhow::{Result, bail};
use std::any::Any;
use std::io::{self, Write};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::Sink;
use warpscope_dissector::tree::Tree;

/// Statistics: sinks for all items, printed at the end.
pub(in crate::dissect) trait Tap: Sink + Any + Send {
    /// Whether [`Self::frame_ended`] needs the tree.
    fn needs_tree(&self) -> bool {
        false
    }

    /// Whether the results of other connections can be joined to it.
    fn joins(&self) -> bool {
        false
    }

    /// Joins the results of another one of its kind, at the capture's end. False if a single one would have
    /// less.
    fn join(&mut self, _other: Box<dyn Any>) -> bool {
        false
    }

    /// Called after each frame; `passes` is false for one that the read filter leaves out.
    fn frame_ended(&mut self, _tree: Option<&Tree>, _passes: bool) {}

    /// Whether it counts frame by frame, so that a read filter can leave frames out.
    fn counts_frames(&self) -> bool {
        true
    }

    /// Called after the capture and its last items.
    fn capture_finished(&mut self) {}

    fn print(&self, look: Look, out: &mut dyn Write) -> io::Result<()>;
}

/// A display filter and its text; passes everything if there is none.
#[derive(Debug, Default)]
pub(super) struct Condition {
    pub(super) text: String,
    filter: Option<Filter>,
}

impl Condition {
    pub(super) fn new(text: &str, asked: &str) -> Result<Self> {
        let filter = match text.trim() {
            "" => None,
            text => Some(parse_filter(text, &format!("-z {asked}"))?),
        };
        Ok(Self { text: text.to_owned(), filter })
    }

    pub(super) fn is_any(&self) -> bool {
        self.filter.is_none()
    }

    pub(super) fn passes(&self, tree: Option<&Tree>) -> bool {
        match (&self.filter, tree) {
            (None, _) => true,
            (Some(filter), Some(tree)) => filter.matches(tree),
            (Some(_), None) => false,
        }
    }

    /// Returns the filter's text for the head of tshark's tables.
    pub(super) fn heading(&self) -> &str {
        if self.is_any() { "<No Filter>" } else { &self.text }
    }
}

/// The available statistics.
const KNOWN: &str = "io,phs io,stat conv,tcp conv,ip conv,ipv6 endpoints,tcp endpoints,ip endpoints,ipv6 \
                     follow,tcp rpc,srt rpc,programs expert warpscope,flows and warpscope,SECTION of stats";

/// Replacements for tshark's statistics that are not available, by the prefix of their names.
const ELSEWHERE: &[(&str, &str)] = &[
    ("flow,", "`warpscope follow FILE` draws a connection as a ladder"),
    ("follow,", "-z follow,tcp,MODE,STREAM prints a TCP stream"),
    ("conv,", "use -z conv,tcp, conv,ip or conv,ipv6"),
    ("endpoints,", "use -z endpoints,tcp, endpoints,ip or endpoints,ipv6"),
    ("plen,", "`warpscope stats --only sizes` counts the sizes of messages"),
    ("io,", "use -z io,phs or io,stat"),
    ("rpc,", "use -z rpc,programs or rpc,srt,PROGRAM,VERSION"),
    ("proto,colinfo", "-T fields -e FIELD prints a field of each frame"),
    ("ip_hosts", "-z endpoints,ip counts by address"),
    ("ipv6_hosts", "-z endpoints,ipv6 counts by address"),
    ("ip_srcdst", "-z conv,ip counts by pairs of addresses"),
    ("dests", "-z endpoints,tcp counts by address and port"),
    ("ptype", "-z io,phs counts by protocol"),
    ("smb", "`warpscope stats --only io` counts the commands of SMB2 over SMB Direct"),
    ("nfs", "`warpscope stats --only procedures` counts NFS procedures"),
    ("scsi", "`warpscope stats --only io` counts the SCSI commands of iSER"),
];

/// Returns the statistics that `-z` requests.
pub(in crate::dissect) fn named(asked: &str) -> Result<Box<dyn Tap>> {
    let words: Vec<&str> = asked.split(',').collect();
    let rest = |from: usize| words.get(from..).unwrap_or_default().join(",");
    let filter = |from: usize| Condition::new(&rest(from), asked);
    Ok(match words[..] {
        ["io", "phs", ..] => Box::new(Hierarchy::new(filter(2)?)),
        ["io", "stat", ..] => Box::new(IoStatistics::new(asked, &words[2..])?),
        ["conv", "tcp" | "ip" | "ipv6", ..] => {
            Box::new(Counted::new(Parties::Conversations, words[1], filter(2)?))
        }
        ["endpoints" | "hosts", "tcp" | "ip" | "ipv6", ..] => {
            Box::new(Counted::new(Parties::Each, words[1], filter(2)?))
        }
        ["follow", "tcp", ..] => Box::new(Follow::new(asked, &words[2..])?),
        ["rpc", "programs", ..] => Box::new(Programs::new(filter(2)?)),
        ["rpc", "srt", ..] => {
            let number = |at: usize| words.get(at).and_then(|word| word.parse().ok());
            let (Some(program), Some(version)) = (number(2), number(3)) else {
                bail!(
                    "-z {asked}: write rpc,srt,PROGRAM,VERSION, such as rpc,srt,100003,3 for NFS"
                );
            };
            Box::new(ServiceTimes::new(program, version, filter(4)?))
        }
        ["expert", ..] => Box::new(Experts::new(asked, &words[1..])?),
        ["warpscope", ..] => Box::new(Own::new(asked, &rest(1))?),
        _ => {
            let begins = |row: &&(&str, &str)| asked.starts_with(row.0);
            let instead = ELSEWHERE.iter().find(begins).map_or_else(
                || format!("the statistics are {KNOWN}"),
                |(_, instead)| (*instead).to_owned(),
            );
            bail!("-z {asked}: not supported; {instead}")
        }
    })
}
