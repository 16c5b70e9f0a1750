//! One thing that may come.

use super::matcher::{FieldMatch, Of, PayloadMatch};
use super::terminate::TerminatePattern;
use crate::engine::{CrcSeen, MessageSeen, SetupSeen, What};
use crate::engine::{figure, shown};
use std::sync::Arc;

/// What became of comparing an arrival with a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// It is that.
    Matches,
    /// The stream was torn down as it should, but not with that Terminate; how.
    Strict(String),
    /// It is not that; why.
    Differs(String),
}

/// What a setup frame must be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetupPattern {
    /// Fields, counted from the frame's first byte, or of the private data.
    pub fields: Vec<FieldMatch>,
    /// A reply, or a request; none for either.
    pub reply: Option<bool>,
    /// The private data, enhanced data included.
    pub private_data: Option<PayloadMatch>,
}

/// What the FPDUs of a message must be, beside what they carry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrameMatch {
    /// Whether wrong CRCs, wrong markers and pads that are not zero are borne. Where they are not, a
    /// message with one differs.
    pub any: bool,
    /// How many segments; none for any number.
    pub segments: Option<super::Matcher>,
}

/// What a message must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePattern {
    /// Its name, for words.
    pub name: String,
    /// The opcodes that are right; none for any.
    pub opcodes: Vec<u8>,
    /// Fields.
    pub fields: Vec<FieldMatch>,
    /// What it carries.
    pub payload: PayloadMatch,
    /// Its FPDUs.
    pub frames: FrameMatch,
}

impl MessagePattern {
    /// A message of an opcode.
    pub fn opcode(opcode: u8) -> Self {
        Self {
            name: figure::opcode_name(opcode).to_owned(),
            opcodes: vec![opcode],
            fields: Vec::new(),
            payload: PayloadMatch::Any,
            frames: FrameMatch::default(),
        }
    }
}

/// Judges what came in a way of its own: by the layouts, for what a case says.
pub trait ByHand: std::fmt::Debug + Send + Sync {
    /// What it takes, in words.
    fn describe(&self) -> String;

    /// Judges an arrival.
    fn judge(&self, what: &What) -> Judged;
}

/// A [`ByHand`] that patterns share; two are equal when they are the same.
#[derive(Debug, Clone)]
pub struct Shared(pub Arc<dyn ByHand>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Shared {}

/// One thing that may come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// A setup frame.
    Setup(SetupPattern),
    /// A message.
    Message(MessagePattern),
    /// A Terminate; where the stream ends without one, that is [`Judged::Strict`].
    Terminate(TerminatePattern),
    /// The target closes its direction in good order, at the end of an FPDU.
    Finished,
    /// The target resets the connection.
    Reset,
    /// Either of the two.
    Closed,
    /// What another judge says.
    ByHand(Shared),
    /// What both take.
    Both(Box<Pattern>, Shared),
    /// What this pattern takes to the letter: what would be [`Judged::Strict`] differs.
    Strictly(Box<Pattern>),
    /// What this pattern takes is right in its idea and wrong by the letter: [`Judged::Strict`].
    Tolerated(Box<Pattern>),
}

impl Pattern {
    /// It in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Setup(pattern) => {
                let name = match pattern.reply {
                    Some(true) => "an MPA Reply",
                    Some(false) => "an MPA Request",
                    None => "a setup frame",
                };
                with_fields(name, &pattern.fields)
            }
            Self::Message(pattern) => {
                let mut words = with_fields(&pattern.name, &pattern.fields);
                match &pattern.payload {
                    PayloadMatch::Any => {}
                    PayloadMatch::Is(bytes) => {
                        words.push_str(&format!(", payload {}", shown::bytes(bytes)));
                    }
                    PayloadMatch::Begins(bytes) => {
                        words
                            .push_str(&format!(", payload beginning with {}", shown::bytes(bytes)));
                    }
                    PayloadMatch::Length(matcher) => {
                        words.push_str(&format!(", {matcher} bytes"));
                    }
                }
                words
            }
            Self::Terminate(pattern) => pattern.describe(),
            Self::ByHand(judge) => judge.0.describe(),
            Self::Both(pattern, judge) => format!("{}; {}", pattern.describe(), judge.0.describe()),
            Self::Strictly(pattern) => pattern.describe(),
            Self::Tolerated(pattern) => format!("{} (strict-only)", pattern.describe()),
            Self::Finished => "the target closes its direction (FIN)".to_owned(),
            Self::Reset => "the target resets the connection".to_owned(),
            Self::Closed => "the target closes or resets the connection".to_owned(),
        }
    }

    /// Judges an arrival.
    pub fn judge(&self, what: &What) -> Judged {
        match (self, what) {
            (Self::ByHand(judge), _) => judge.0.judge(what),
            (Self::Both(pattern, judge), _) => match pattern.judge(what) {
                Judged::Matches => judge.0.judge(what),
                other => other,
            },
            (Self::Strictly(pattern), _) => match pattern.judge(what) {
                Judged::Strict(why) => Judged::Differs(why),
                other => other,
            },
            (Self::Tolerated(pattern), _) => match pattern.judge(what) {
                Judged::Matches => Judged::Strict(what.describe()),
                other => other,
            },
            (Self::Setup(pattern), What::Setup(setup)) => pattern.judge(setup),
            (Self::Message(pattern), What::Message(message)) => pattern.judge(message),
            (Self::Terminate(pattern), What::Message(message)) => match framing(message) {
                Some(why) => Judged::Differs(why),
                None => pattern.judge(message),
            },
            (Self::Terminate(_), What::Finished(0) | What::Reset) => {
                Judged::Strict(format!("torn down without a Terminate: {}", what.describe()))
            }
            (Self::Finished | Self::Closed, What::Finished(0))
            | (Self::Reset | Self::Closed, What::Reset) => Judged::Matches,
            _ => Judged::Differs(what.describe()),
        }
    }
}

fn with_fields(name: &str, fields: &[FieldMatch]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|field| format!("{} {}", field.name, field.matcher)).collect();
    if fields.is_empty() { name.to_owned() } else { format!("{name} with {}", fields.join(", ")) }
}

impl SetupPattern {
    fn judge(&self, setup: &SetupSeen) -> Judged {
        let reply = setup.bytes.starts_with(b"MPA ID Rep Frame");
        if self.reply.is_some_and(|due| due != reply) {
            return Judged::Differs(format!("it is the wrong frame: {}", setup.describe()));
        }
        let missed = self.fields.iter().find_map(|field| match field.of {
            Of::Payload => field.misses(setup.private_data()),
            _ => field.misses(&setup.bytes),
        });
        let private = self.private_data.as_ref();
        let missed = missed.or_else(|| {
            let why = private?.misses(setup.private_data())?;
            Some(format!("private data: {why}"))
        });
        match missed {
            Some(why) => Judged::Differs(why),
            None => Judged::Matches,
        }
    }
}

impl MessagePattern {
    fn judge(&self, message: &MessageSeen) -> Judged {
        let opcode = message.opcode();
        let right = |it: u8| self.opcodes.is_empty() || self.opcodes.contains(&it);
        if !opcode.is_some_and(right) {
            return Judged::Differs(format!("it is another message: {}", message.describe()));
        }
        let missed = self
            .fields
            .iter()
            .find_map(|field| missed_field(field, message))
            .or_else(|| self.payload.misses(&message.payload))
            .or_else(|| if self.frames.any { None } else { framing(message) })
            .or_else(|| {
                let count = message.segments.len() as u64;
                let due = self.frames.segments.as_ref()?;
                (!due.takes(count)).then(|| format!("it has {count} segments, not {due}"))
            });
        match missed {
            Some(why) => Judged::Differs(why),
            None => Judged::Matches,
        }
    }
}

fn missed_field(field: &FieldMatch, message: &MessageSeen) -> Option<String> {
    match field.of {
        Of::First => field.misses(message.first()),
        Of::Last => field.misses(message.last()),
        Of::Payload => field.misses(&message.payload),
        Of::Every => message.segments.iter().find_map(|segment| field.misses(&segment.ulpdu)),
    }
}

/// What is wrong with a message's FPDUs, or with how its segments fit together.
pub(crate) fn framing(message: &MessageSeen) -> Option<String> {
    if let Some(fault) = message.faults.first() {
        return Some(fault.clone());
    }
    message.segments.iter().find_map(|segment| {
        if let CrcSeen::Wrong(field, due) = segment.crc {
            return Some(format!("its CRC field is {field:#010x}, not {due:#010x}"));
        }
        if segment.pad.iter().any(|byte| *byte != 0) {
            return Some("its pad is not zero".to_owned());
        }
        let marker = segment.markers.iter().find(|it| it.pointer != it.due || it.reserved != 0)?;
        Some(format!(
            "the marker at {} has FPDUPTR {:#x}, not {:#x}, and reserved {:#x}",
            marker.position, marker.pointer, marker.due, marker.reserved
        ))
    })
}
