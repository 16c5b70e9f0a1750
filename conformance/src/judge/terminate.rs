//! What a Terminate must contain (RFC 5040 §4.8).

use super::expectation::MatchResult;
use super::message::{KnownFaults, Protocol, payload_differs};
use crate::case::step::MessagePattern;
use crate::layout::Given;
use crate::stream::figure::{self, Bits};
use crate::stream::{MessageSeen, Received, code_text, terminate_text};
use warpscope_dissector::operation::Reading;
use warpscope_wire::rdmap::TerminateView;

/// The layer, error type and error code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TerminateCode {
    /// Layer: 0 RDMAP, 1 DDP, 2 LLP.
    pub(crate) layer: u8,
    /// EType; `None` for any.
    pub(crate) error_type: Option<u8>,
    /// Error code; `None` for any.
    pub(crate) code: Option<u8>,
}

impl TerminateCode {
    pub(super) fn matches(&self, layer: u8, error_type: u8, code: u8) -> bool {
        self.layer == layer
            && self.error_type.is_none_or(|it| it == error_type)
            && self.code.is_none_or(|it| it == code)
    }

    /// Returns the code in figures and words.
    pub(crate) fn describe(&self) -> String {
        match (self.error_type, self.code) {
            (Some(error_type), Some(code)) => code_text(self.layer, error_type, code),
            (Some(error_type), None) => format!("{}/{error_type}/any", self.layer),
            (None, _) => format!("{}/any/any", self.layer),
        }
    }
}

/// What a Terminate must contain of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Echo {
    /// Nothing is required.
    Any,
    /// The header must be absent.
    Absent,
    /// The header should be present.
    Present,
    /// It should be present, and must be this; for the DDP header, of the segment with these bytes.
    Is(Vec<u8>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TerminatePattern {
    /// The accepted codes; empty for any.
    pub(crate) codes: Vec<TerminateCode>,
    /// The requirement for the DDP header, HdrCt D. With [`Echo::Is`] the complete segment is given, and the
    /// DDP Segment Length must be its length.
    pub(crate) ddp_header: Echo,
    /// The requirement for the RDMAP header, HdrCt R.
    pub(crate) rdmap_header: Echo,
    /// What other fields must be, and the variables to bind.
    pub(crate) message: MessagePattern<Given>,
}

impl TerminatePattern {
    pub(crate) fn describe(&self, protocol: Protocol<'_>) -> String {
        let codes: Vec<String> = self.codes.iter().map(TerminateCode::describe).collect();
        let mut words = match codes.as_slice() {
            [] => "a Terminate".to_owned(),
            codes => format!("a Terminate {}", codes.join(" or ")),
        };
        for (echo, name) in [(&self.ddp_header, "DDP"), (&self.rdmap_header, "RDMAP")] {
            let say = match echo {
                Echo::Any => continue,
                Echo::Absent => "without the",
                Echo::Present => "with the",
                Echo::Is(_) => "that echoes the",
            };
            words.push_str(&format!(", {say} {name} header"));
        }
        match (self.message.fields.is_empty(), protocol.version) {
            (true, 1) => {}
            (true, version) => words.push_str(&format!("; RV {version}")),
            (false, _) => words.push_str(&format!("; {}", self.message.describe())),
        }
        words
    }

    /// Compares it with a message that came. A message that is filled from its low end does not match, but
    /// its contents are judged too, read that way.
    pub(crate) fn judge(&self, message: &MessageSeen, protocol: Protocol<'_>) -> MatchResult {
        let by_figure = self.judge_by_figure(message, protocol);
        let MatchResult::Differs(why) = by_figure else { return by_figure };
        let Some(turned) = from_low_end(message, protocol.faults.low_end) else {
            return MatchResult::Differs(why);
        };
        let rest = self.judge_by_figure(&turned, protocol);
        if protocol.faults.low_end {
            return rest;
        }
        let words = terminate_text(&turned.payload);
        let rest = match rest {
            MatchResult::Matches => "that is right".to_owned(),
            MatchResult::Strict(why) | MatchResult::Differs(why) => format!("and then {why}"),
        };
        MatchResult::Differs(format!(
            "its Terminate Control is filled from the low end (RFC 5040 section 4.8); read that \
             way, it is a Terminate{words}: {rest}"
        ))
    }

    fn judge_by_figure(&self, message: &MessageSeen, protocol: Protocol<'_>) -> MatchResult {
        match self.own_difference(message, protocol.faults) {
            Err(why) => return MatchResult::Differs(why),
            // Its fields may be those of the missing header.
            Ok(Some(missing)) => return MatchResult::Strict(missing),
            Ok(None) => {}
        }
        if !self.message.fields.is_empty() {
            return self.message.difference(&Received::Message(message.clone()), protocol).into();
        }
        let version = figure::RDMAP_VERSION.read(message.first()).unwrap_or(0);
        (protocol.version != 1 && version != protocol.version)
            .then(|| format!("RV is {version}, not {}", protocol.version))
            .into()
    }

    /// Returns what is missing but should be present.
    ///
    /// # Errors
    /// Returns why it does not match.
    fn own_difference(
        &self,
        message: &MessageSeen,
        faults: KnownFaults,
    ) -> Result<Option<String>, String> {
        if message.opcode() != Some(figure::TERMINATE) {
            return Err(format!("it is not a Terminate: {}", message.describe()));
        }
        let payload = &message.payload;
        let number = |bits: Bits| bits.read(payload).unwrap_or(0) as u8;
        if payload.len() < figure::TERMINATE_CONTROL {
            return Err("the Terminate has no control word".to_owned());
        }
        let first = message.first();
        let queue = figure::QUEUE_NUMBER.read(first);
        let sequence = figure::MESSAGE_SEQUENCE_NUMBER.read(first);
        if (queue, sequence) != (Some(2), Some(1)) {
            return Err(format!("a Terminate has QN 2 and MSN 1: {}", message.describe()));
        }
        let missing = self.headers(payload, faults)?;
        let (layer, error_type, code) = (
            number(figure::TERMINATE_LAYER),
            number(figure::TERMINATE_TYPE),
            number(figure::TERMINATE_CODE),
        );
        match self.codes.iter().any(|it| it.matches(layer, error_type, code)) {
            false if !self.codes.is_empty() => {
                Err(format!("torn down with another code: Terminate{}", terminate_text(payload)))
            }
            _ => Ok(missing),
        }
    }

    /// Returns which header is missing: figure 10 names those that a Terminate has, and the text says that
    /// their bits SHOULD be set.
    ///
    /// # Errors
    /// Returns why the headers that are present are wrong.
    fn headers(&self, payload: &[u8], faults: KnownFaults) -> Result<Option<String>, String> {
        let flag = |bits: Bits| bits.read(payload) == Some(1);
        let (m, d, r) =
            (flag(figure::TERMINATE_M), flag(figure::TERMINATE_D), flag(figure::TERMINATE_R));
        if figure::TERMINATE_RESERVED.read(payload) != Some(0) {
            return Err("reserved bits after HdrCt are not zero".to_owned());
        }
        let mut rest = payload.get(figure::TERMINATE_CONTROL..).unwrap_or_default();
        let mut length = None;
        if m || d {
            let Some((field, behind)) = rest.split_at_checked(figure::TERMINATE_LENGTH) else {
                return Err("the DDP Segment Length is missing".to_owned());
            };
            length = field.first_chunk::<2>().map(|field| usize::from(u16::from_be_bytes(*field)));
            rest = behind;
        }
        let mut ddp = None;
        if d {
            let tagged = figure::TAGGED.read(rest) == Some(1);
            let long = if tagged { figure::TAGGED_HEADER } else { figure::UNTAGGED_HEADER };
            // A segment that was shorter than its header is echoed as far as it went.
            let had = match &self.ddp_header {
                Echo::Is(segment) => Some(segment.len()),
                _ if faults.length => None,
                _ => length,
            };
            let long = had.map_or(long, |had| long.min(had.max(1)));
            let Some((header, behind)) = rest.split_at_checked(long) else {
                return Err("the DDP header is cut".to_owned());
            };
            (ddp, rest) = (Some(header), behind);
        }
        let mut rdmap = None;
        if r {
            let Some((header, behind)) = rest.split_at_checked(figure::READ_REQUEST) else {
                return Err(format!("the RDMAP header is cut: {} bytes", rest.len()));
            };
            (rdmap, rest) = (Some(header), behind);
        }
        if !rest.is_empty() {
            return Err(format!("{} bytes follow the headers that HdrCt announces", rest.len()));
        }
        if let Some(why) = self.ddp(ddp, length, faults) {
            return Err(why);
        }
        let there = matches!((&self.rdmap_header, rdmap), (Echo::Is(_), Some(_)));
        match echo_difference("RDMAP", &self.rdmap_header, rdmap) {
            Some(why) if !(there && faults.echo) => return Err(why),
            _ => {}
        }
        let due = |echo: &Echo| matches!(echo, Echo::Present | Echo::Is(_));
        let missing = match (d, r) {
            _ if m != d && self.ddp_header != Echo::Any => "it has only one of M and D",
            (false, _) if due(&self.ddp_header) => "it has no DDP header",
            (_, false) if due(&self.rdmap_header) => "it has no RDMAP header",
            _ => return Ok(None),
        };
        Ok(Some(missing.to_owned()))
    }

    fn ddp(
        &self,
        header: Option<&[u8]>,
        length: Option<usize>,
        faults: KnownFaults,
    ) -> Option<String> {
        let (Echo::Is(segment), Some(header)) = (&self.ddp_header, header) else {
            return echo_difference("DDP", &self.ddp_header, header);
        };
        let expected = segment.get(..header.len()).unwrap_or(segment);
        if let Some(why) = payload_differs(header, expected).filter(|_| !faults.echo) {
            return Some(format!("it echoes another DDP header: {why}"));
        }
        (length != Some(segment.len()) && !faults.length).then(|| {
            let length = length.unwrap_or_default();
            format!("its DDP Segment Length is {length}, not {}", segment.len())
        })
    }
}

/// Returns a Terminate whose control word was filled from the low end of its bytes, as in the figure; `None`
/// if it was not. One without headers does not show it, so it is read that way only if this is known.
fn from_low_end(message: &MessageSeen, known: bool) -> Option<MessageSeen> {
    let view = TerminateView::parse(&message.payload).ok()?;
    let mut turned = message.clone();
    let [first, _, headers, ..] = turned.payload.as_mut_slice() else { return None };
    if Reading::swapped(&view).is_none() && !(known && *headers == 0) {
        return None;
    }
    *first = first.rotate_left(4);
    *headers = headers.reverse_bits();
    Some(turned)
}

/// Returns why the echo of a header is wrong.
fn echo_difference(name: &str, echo: &Echo, header: Option<&[u8]>) -> Option<String> {
    match (echo, header) {
        (Echo::Absent, Some(_)) => Some(format!("it has a {name} header")),
        (Echo::Is(expected), Some(header)) => payload_differs(header, expected)
            .map(|why| format!("it echoes another {name} header: {why}")),
        (Echo::Any | Echo::Present, _) | (Echo::Absent | Echo::Is(_), None) => None,
    }
}
