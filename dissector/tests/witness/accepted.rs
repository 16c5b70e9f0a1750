//! Where this project and tshark may differ, and why.

use super::sides::Values;
use std::collections::HashMap;
use std::fmt;

/// One field of one frame that the two read differently.
#[derive(Debug)]
pub struct Difference<'a> {
    pub capture: &'a str,
    pub field: &'static str,
    pub ours: &'a str,
    pub theirs: &'a str,
    pub our_frame: &'a Values,
    pub their_frame: &'a Values,
    /// Our values of the frames with RPC calls, by XID.
    pub calls: &'a HashMap<&'a str, &'a Values>,
}

/// One accepted kind of difference.
pub struct Accepted {
    /// Patterns of captures, of which one must fit; `*` stands for anything.
    pub captures: &'static str,
    /// Patterns of fields.
    pub fields: &'static str,
    /// The frames and values.
    when: fn(&Difference<'_>) -> bool,
    /// The first version of tshark that this is true of, and the first one that it is not.
    versions: Option<((u32, u32), (u32, u32))>,
    /// The fact behind it.
    pub reason: &'static str,
}

impl fmt::Debug for Accepted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}: {}", self.captures, self.fields, self.reason)
    }
}

/// True when one of the patterns, parted by blanks, fits.
fn fits(patterns: &str, text: &str) -> bool {
    patterns.split(' ').any(|pattern| match pattern.split_once('*') {
        Some((start, end)) => {
            text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
        }
        None => pattern == text,
    })
}

impl Accepted {
    pub fn is_for(&self, version: (u32, u32)) -> bool {
        self.versions.is_none_or(|(from, to)| (from..to).contains(&version))
    }

    pub fn is_about(&self, capture: &str) -> bool {
        fits(self.captures, capture)
    }

    pub fn covers(&self, difference: &Difference<'_>) -> bool {
        self.is_about(difference.capture)
            && fits(self.fields, difference.field)
            && (self.when)(difference)
    }
}

/// What tshark is told for a capture.
pub fn options(_capture: &str) -> Vec<&'static str> {
    vec!["-o", "tcp.reassemble_out_of_order:TRUE"]
}

pub static ACCEPTED: &[Accepted] = &[];
