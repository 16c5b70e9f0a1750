//! What is wrong in an FPDU or a setup frame: expected and actual fields, and their position.

use super::expectation::Pattern;
use super::message::Protocol;
use super::terminate::Echo;
use crate::format;
use crate::stream::figure::{self, Bits};
use crate::stream::{CrcSeen, FpduSeen, MessageSeen, Received, code_text};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use warpscope_text::hexadecimal;

/// A field as expected and as it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldDifference {
    /// Its name in the layouts, or in words.
    pub name: String,
    /// What it must be.
    pub expected: String,
    /// What it was.
    pub came: String,
    /// Whether the two differ.
    pub differs: bool,
}

/// What came, compared with what was expected: an FPDU or a setup frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// A description of the bytes: `Terminate, as it came`.
    pub of: String,
    /// The compared fields; empty if the reason says what is wrong.
    pub fields: Vec<FieldDifference>,
    /// Its bytes without markers in hexadecimal, 16 per line after their offset. What is wrong is in
    /// brackets. `...` stands for omitted lines.
    pub bytes: Vec<String>,
}

/// The number of lines at the beginning that are always shown.
const FIRST_LINES: usize = 4;
/// The length of ULPDU_Length in bytes.
const LENGTH: usize = 2;

/// Formats bytes in hexadecimal, with some of them marked.
fn lines(bytes: &[u8], marked: &[Range<usize>]) -> Vec<String> {
    let is_marked = |at: usize| marked.iter().any(|range| range.contains(&at));
    let mut lines: Vec<String> = Vec::new();
    for (number, part) in bytes.chunks(16).enumerate() {
        let start = number * 16;
        let here = start..start + part.len();
        if number >= FIRST_LINES && !here.clone().any(is_marked) {
            if lines.last().is_none_or(|line| line != "...") {
                lines.push("...".to_owned());
            }
            continue;
        }
        let mut line = format!("{start:04x} ");
        for (at, byte) in here.clone().zip(part) {
            let before = at > start && is_marked(at - 1);
            line.push(match (before, is_marked(at)) {
                (false, true) => '[',
                (true, false) => ']',
                _ => ' ',
            });
            line.push_str(&format!("{byte:02x}"));
        }
        if is_marked(here.end - 1) {
            line.push(']');
        }
        lines.push(line);
    }
    lines
}

/// Collects fields, and the positions of those that differ.
struct Comparison {
    fields: Vec<FieldDifference>,
    marked: Vec<Range<usize>>,
}

impl Comparison {
    /// Adds a field and the range of its bytes.
    fn field(&mut self, name: &str, expected: String, came: String, at: Range<usize>) {
        let differs = expected != came;
        self.push(name, expected, came, differs, at);
    }

    fn push(
        &mut self,
        name: &str,
        expected: String,
        came: String,
        differs: bool,
        at: Range<usize>,
    ) {
        if differs {
            self.marked.push(at);
        }
        self.fields.push(FieldDifference { name: name.to_owned(), expected, came, differs });
    }
}

impl Difference {
    /// Returns the bytes of an FPDU or a setup frame, with the wrong ranges marked.
    pub(crate) fn at(of: String, bytes: &[u8], marked: &[Range<usize>]) -> Self {
        Self { of, fields: Vec::new(), bytes: lines(bytes, marked) }
    }

    /// Compares what came with the most similar of these patterns.
    pub(crate) fn between(
        patterns: &[Pattern],
        received: &Received,
        protocol: Protocol<'_>,
    ) -> Option<Self> {
        let mut comparison = Comparison { fields: Vec::new(), marked: Vec::new() };
        let (of, bytes) = match received {
            Received::Setup(setup) => (setup.describe(), setup.bytes.clone()),
            Received::Message(message) => {
                let wrong = message.segments.iter().find(|it| it.crc != CrcSeen::Right);
                let segment = wrong.or(message.segments.first())?;
                (figure::opcode_name(segment.opcode()?).to_owned(), whole(segment))
            }
            _ => return None,
        };
        if !framing(received, &bytes, &mut comparison) {
            let like = patterns.iter().find_map(|it| it.compare(received, protocol));
            match like {
                Some(like) => comparison = like,
                None => {
                    let expected = patterns.first().map(|it| it.describe(protocol));
                    let expected = expected.unwrap_or_else(|| "nothing".to_owned());
                    let kind = if matches!(received, Received::Setup(_)) { 0..16 } else { 3..4 };
                    comparison.field("message", expected, received.describe(), kind);
                }
            }
        }
        let Comparison { fields, marked } = comparison;
        Some(Self { fields, ..Self::at(format!("{of}, as it came"), &bytes, &marked) })
    }

    /// Whether the difference is in the FPDU itself, whatever was expected in it.
    pub(crate) fn is_of_framing(&self) -> bool {
        self.fields.iter().any(|field| [CRC, PAD].contains(&field.name.as_str()))
    }
}

const CRC: &str = "CRC";
const PAD: &str = "pad";

/// Returns an FPDU without its markers.
fn whole(segment: &FpduSeen) -> Vec<u8> {
    let length = (segment.ulpdu.len() as u16).to_be_bytes();
    [&length, segment.ulpdu.as_slice(), &segment.pad, &segment.crc_field].concat()
}

/// Whether the CRC or the pad is wrong. Compares both.
fn framing(received: &Received, bytes: &[u8], comparison: &mut Comparison) -> bool {
    let Received::Message(message) = received else { return false };
    let crc = bytes.len().saturating_sub(4);
    for segment in &message.segments {
        if let CrcSeen::Wrong(field, due) = segment.crc {
            let [due, field] = [due, field].map(|it| format!("{it:#010x}"));
            comparison.field(CRC, due, field, crc..bytes.len());
            return true;
        }
    }
    let Some(first) = message.segments.first() else { return false };
    if first.pad.iter().any(|byte| *byte != 0) {
        let [due, pad] = [&vec![0; first.pad.len()], &first.pad].map(|it| format::bytes(it));
        comparison.field(PAD, due, pad, crc - first.pad.len()..crc);
        return true;
    }
    false
}

impl Pattern {
    /// Compares the fields with those of an expected message of the same kind; `None` if the kinds differ.
    fn compare(&self, received: &Received, protocol: Protocol<'_>) -> Option<Comparison> {
        let mut comparison = Comparison { fields: Vec::new(), marked: Vec::new() };
        match (self, received) {
            (Self::Tolerated(inner), _) => return inner.compare(received, protocol),
            (Self::Message(pattern), _) => {
                let (base, bytes) = match received {
                    Received::Setup(setup) => (0, setup.bytes.clone()),
                    Received::Message(message) => (LENGTH, super::message::whole(message)),
                    _ => return None,
                };
                let layout = protocol.layouts.message(&pattern.name)?;
                let fields = layout.read(&bytes).ok().filter(|fields| layout.is(fields))?;
                for (name, matcher) in &pattern.fields {
                    let Some(field) = fields.find(name) else { continue };
                    let at = base + field.at / 8..base + (field.at + field.width).div_ceil(8);
                    let came = super::message::display(&field.value);
                    let differs = !matcher.accepts(&field.value);
                    comparison.push(name, matcher.describe(), came, differs, at);
                }
            }
            (Self::Terminate(pattern), Received::Message(message)) => {
                if message.opcode() != Some(figure::TERMINATE) {
                    return None;
                }
                let words: Vec<String> = pattern.codes.iter().map(|it| it.describe()).collect();
                pattern.compare_headers(message, words, &mut comparison)?;
            }
            _ => return None,
        }
        comparison.fields.iter().any(|it| it.differs).then_some(comparison)
    }
}

impl super::TerminatePattern {
    fn compare_headers(
        &self,
        message: &MessageSeen,
        codes: Vec<String>,
        comparison: &mut Comparison,
    ) -> Option<()> {
        let payload = &message.payload;
        let number = |bits: Bits| bits.read(payload).map(|it| it as u8);
        let layer = number(figure::TERMINATE_LAYER)?;
        let (kind, code) = (number(figure::TERMINATE_TYPE)?, number(figure::TERMINATE_CODE)?);
        // The offset of the payload in the FPDU.
        let base = LENGTH + figure::UNTAGGED_HEADER;
        if !codes.is_empty() {
            let right = self.codes.iter().any(|it| it.matches(layer, kind, code));
            let came = code_text(layer, kind, code);
            comparison.push("error", codes.join(" or "), came, !right, base..base + 2);
        }
        let flag = |bits: Bits| number(bits) == Some(1);
        let mut at = figure::TERMINATE_CONTROL;
        at += if flag(figure::TERMINATE_M) || flag(figure::TERMINATE_D) {
            figure::TERMINATE_LENGTH
        } else {
            0
        };
        if let (Echo::Is(segment), true) = (&self.ddp_header, flag(figure::TERMINATE_M)) {
            let length = payload.get(at - figure::TERMINATE_LENGTH..at)?;
            let length = length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            let place = base + at - figure::TERMINATE_LENGTH..base + at;
            let due = segment.len().to_string();
            comparison.field("DDP Segment Length", due, length.to_string(), place);
        }
        for (name, echo, bit, long) in [
            ("DDP header", &self.ddp_header, figure::TERMINATE_D, None),
            ("RDMAP header", &self.rdmap_header, figure::TERMINATE_R, Some(figure::READ_REQUEST)),
        ] {
            let there = flag(bit);
            let presence = |there: bool| (if there { "there" } else { "not there" }).to_owned();
            let rest = payload.get(at..).unwrap_or_default();
            let tagged = figure::TAGGED.read(rest) == Some(1);
            let header = if tagged { figure::TAGGED_HEADER } else { figure::UNTAGGED_HEADER };
            let mut long = long.unwrap_or(header).min(rest.len());
            let control = base + 2..base + 3;
            match echo {
                Echo::Any => {}
                Echo::Is(due) if there => {
                    long = if name == "DDP header" { long.min(due.len()) } else { long };
                    let due = due.get(..long).unwrap_or(due);
                    let came = rest.get(..long)?;
                    let first = came.iter().zip(due).position(|(one, other)| one != other);
                    let place = base + at + first.unwrap_or(0)..base + at + long;
                    let [due, came] = [due, came].map(|it| hexadecimal(it, " "));
                    comparison.field(name, due, came, place);
                }
                echo => comparison.field(
                    name,
                    presence(*echo != Echo::Absent),
                    presence(there),
                    control,
                ),
            }
            at += if there { long } else { 0 };
        }
        Some(())
    }
}

/// The positions of fields that rules check: the first byte in an FPDU without markers or in a setup frame
/// (from the end if negative), and the number of bytes.
const PLACES: &[(&str, isize, usize)] = &[
    ("mpa-setup-key", 0, 16),
    ("mpa-setup-reserved", 16, 1),
    ("mpa-request-rejects", 16, 1),
    ("mpa-setup-revision", 17, 1),
    ("mpa-enhanced-revision", 17, 1),
    ("mpa-private-data-length", 18, 2),
    ("mpa-flags-without-model", 20, 4),
    ("mpa-reply-model", 20, 2),
    ("mpa-reply-model-unasked", 20, 2),
    ("mpa-request-rtr", 20, 4),
    ("mpa-reply-rtr", 20, 4),
    ("mpa-reply-ord", 22, 2),
    ("mpa-reply-ord-unnegotiated", 22, 2),
    ("mpa-reply-ird-unnegotiated", 20, 2),
    ("mpa-crc", -4, 4),
    ("mpa-ulpdu-length", 0, 2),
    ("ddp-reserved", 2, 1),
    ("ddp-version-tagged", 2, 1),
    ("ddp-version-untagged", 2, 1),
    ("ddp-last-flag", 2, 1),
    ("ddp-rsvdulp", 3, 5),
    ("ddp-msn-first", 12, 4),
    ("ddp-msn-sequence", 12, 4),
    ("ddp-message-offset", 16, 4),
    ("ddp-tagged-stag", 4, 4),
    ("ddp-tagged-offset", 8, 8),
    ("ddp-to-wrap", 8, 8),
    ("rdmap-version", 3, 1),
    ("rdmap-version-mixed", 3, 1),
    ("rdmap-commit-version", 3, 1),
    ("rdmap-reserved", 3, 1),
    ("rdmap-opcode", 3, 1),
    ("rdmap-tagged-flag", 2, 1),
    ("rdmap-queue-number", 8, 4),
    ("rdmap-invalidate-stag", 4, 4),
    ("rdmap-terminate-control", 20, 3),
    ("rdmap-terminate-code", 20, 2),
    ("rdmap-terminate-reserved", 22, 2),
    ("rdmap-terminate-segment-length", 24, 2),
    ("rdmap-terminate-echo", 26, 18),
];

/// Returns the range of the field that a rule checks in these bytes; none if it checks more than one.
pub(crate) fn place_of(rule: &str, bytes: &[u8]) -> Option<Range<usize>> {
    if rule == "mpa-pad" {
        let (length, _) = bytes.split_first_chunk::<LENGTH>()?;
        let first = LENGTH + usize::from(u16::from_be_bytes(*length));
        let end = bytes.len().checked_sub(4)?;
        return (first < end).then_some(first..end);
    }
    let (_, first, length) = PLACES.iter().find(|(id, ..)| *id == rule)?;
    let first = match usize::try_from(*first) {
        Ok(first) => first,
        Err(_) => bytes.len().checked_sub(first.unsigned_abs())?,
    };
    (first < bytes.len()).then(|| first..(first + length).min(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_in_brackets() {
        let bytes: Vec<u8> = (0..20).collect();
        assert_eq!(
            lines(&bytes, &[1..3, 15..17]),
            ["0000  00[01 02]03 04 05 06 07 08 09 0a 0b 0c 0d 0e[0f]", "0010 [10]11 12 13"]
        );
        let long = lines(&[0; 200], &[0..1, 199..200]);
        assert_eq!(long.len(), FIRST_LINES + 2);
        assert_eq!(long[FIRST_LINES..], ["...", "00c0  00 00 00 00 00 00 00[00]"]);
    }

    #[test]
    fn every_place_is_that_of_a_rule() {
        for (id, ..) in PLACES {
            assert!(warpscope_dissector::rules::find(id).is_some_and(|it| it.id == *id), "{id}");
        }
        assert_eq!(place_of("mpa-crc", &[0; 24]), Some(20..24));
        assert_eq!(place_of("mpa-crc", &[0; 3]), None);
        assert_eq!(place_of("mpa-pad", &[0, 1, 9, 7, 1, 1, 1, 1]), Some(3..4));
        assert_eq!(place_of("rpc-done", &[0; 24]), None);
    }
}
