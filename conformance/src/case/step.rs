//! The steps of an instance, which a runner does one after the other. They contain no YAML.

use super::value::{Bytes, Region, Value};
use crate::yaml::Place;
use std::time::Duration;
use strum::{EnumString, VariantNames};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The name of its stream in the case.
    pub(crate) stream: String,
    /// What it shows, in the words of the case.
    pub(crate) note: Option<String>,
    /// The ability without which the target skips it.
    pub(crate) needs: Option<&'static str>,
    /// Does it only before a Terminate or the end of the stream has come (true), or only after (false).
    pub(crate) while_open: Option<bool>,
    /// How many times it is done, one after the other.
    pub(crate) times: u64,
    /// The file that contains it: the case's, or a fragment's.
    pub(crate) file: String,
    pub(crate) place: Place,
    pub(crate) action: Action,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Sets the stream up.
    Connect(Box<Connect>),
    /// Sends something.
    Send(Box<Send>),
    /// Waits until what is expected has come, or the time is over.
    Expect(Box<Expect>),
    /// Makes the target do something: a method of its agent, by the name used in cases, with its arguments.
    Order(Record),
    /// Answers RPC calls from the target, as far as the record says.
    Serve(Record),
    /// Lets time pass.
    Wait(Duration),
    /// Whether data from the target is read. If not, TCP fills and the target waits.
    Hear(bool),
    /// Ends our side of the stream.
    Close(Close),
    /// Sends the ready-to-receive indication that the target's reply names (RFC 6581 section 9.2).
    Ready,
    /// Gives a variable its value.
    Set { name: String, value: Value },
}

/// How the runner sets up a stream. Its role is that of the instance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Connect {
    /// Only opens the TCP connection: the frames of the setup are steps of the case.
    pub(crate) only_tcp: bool,
    /// The target connects again without an order.
    pub(crate) again: bool,
    /// The maximum TCP segment size (MSS) that the runner announces, in bytes.
    pub(crate) segment_size: Option<Value>,
    /// What the runner's frame contains and how the stream is used, as far as the case gives it.
    pub(crate) ours: Record,
    /// What the target has to say and do, as far as the case gives it.
    pub(crate) theirs: Record,
    /// Fields of our frame that are overridden, by their names in its layout.
    pub(crate) fields: Vec<(String, FieldValue)>,
    /// How the setup must end.
    pub(crate) ends: SetupEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SetupEnd {
    Accepted,
    Rejected,
    /// Closed without a reply.
    Closed,
    /// In any way: the next steps check it.
    Any,
}

/// Something that is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Send {
    pub(crate) content: Content,
    /// How it is framed and put into TCP segments.
    pub(crate) framing: Framing,
    /// It waits, and is sent in one piece with the next send.
    pub(crate) hold: bool,
    /// Its name, for steps that refer to it (`echoes`).
    pub(crate) name: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// A message by its name in the layouts.
    Message {
        name: String,
        /// The fields that the case gives, in its order, by their full names.
        fields: Vec<(String, FieldValue)>,
        /// The bytes after its headers.
        payload: Bytes,
    },
    Ulpdu(Bytes),
    /// Raw bytes of the TCP stream.
    Raw(Bytes),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FieldValue {
    Number(Value),
    Bytes(Bytes),
    /// The elements of a list, each with its fields.
    List(Vec<Vec<(String, FieldValue)>>),
}

/// How FPDUs are framed. `None` means correctly.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Framing {
    pub(crate) crc: Option<CrcFault>,
    pub(crate) marker: Option<MarkerFault>,
    /// The pad, whatever its correct length.
    pub(crate) pad: Option<Bytes>,
    /// The ULPDU_Length, whatever the length of the ULPDU.
    pub(crate) length: Option<Value>,
    /// Where the TCP stream is cut into segments.
    pub(crate) cut: Option<Cut>,
    /// The time between the pieces, or before the first piece if there is only one.
    pub(crate) delay: Option<Duration>,
    /// The maximum payload of a DDP segment, in bytes: the message is split into several segments.
    pub(crate) segment: Option<Value>,
    /// The number of its last bytes that wait, and are sent before the next send.
    pub(crate) keep: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CrcFault {
    /// One of its bits is flipped.
    Bad,
    /// It is this number, as the layout `fpdu` reads it.
    Is(Value),
}

/// What is wrong with the markers of an FPDU.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MarkerFault {
    /// FPDUPTR is off by 4 bytes.
    Bad,
    /// FPDUPTR of the first marker is this.
    Pointer(Value),
    /// The reserved half of the first marker is this.
    Reserved(Value),
    /// Required markers are missing.
    Missing,
}

/// Where the TCP stream is cut into segments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cut {
    Whole,
    /// After every byte.
    OneByte,
    /// Within the length word, and within the DDP header.
    HeaderSplit,
    /// After these numbers of bytes, each counted from the first byte.
    At(Vec<Value>),
}

/// Something that is waited for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expect {
    pub(crate) want: Expected,
    /// What is accepted as strict-only: right in substance, wrong in form.
    pub(crate) tolerate: Vec<Expected>,
    /// What may come before.
    pub(crate) skip: Vec<Expected>,
    /// Whether the case does not apply to a target that does something else.
    pub(crate) supposed: bool,
    /// How long to wait; the runner's usual time if the case gives none.
    pub(crate) within: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected {
    Message(MessagePattern<FieldValue>),
    Terminate(Terminate),
    /// The end of the stream.
    Closed(Closed),
    Nothing,
    AnyOf(Vec<Expected>),
    /// These, one after the other. Others may come between them.
    InOrder(Vec<Expected>),
    /// All of these, in any order.
    AllOf(Vec<Expected>),
    /// The bytes of a buffer, once the stream is quiet.
    Memory(Memory),
    /// A report from the target of this kind, with the expected values.
    Report(Record),
    /// No such report during all of the time.
    NoReport(Record),
    /// The end of the task that the target's RPC requester was started for.
    Task(TaskEnd),
}

/// How the task of the target's RPC requester ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum TaskEnd {
    /// It says that everything succeeded.
    Succeeded,
    /// It says that something failed.
    Failed,
    Ended,
}

/// An expected message: with values that are known before the run ([`FieldValue`]), or with those of the run
/// ([`Given`](crate::layout::Given)).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MessagePattern<V> {
    pub(crate) name: String,
    /// What its fields must be, by their full names.
    pub(crate) fields: FieldMatchers<V>,
    /// What its payload over all segments must be.
    pub(crate) payload: Option<V>,
    /// The number of DDP segments that it comes in.
    pub(crate) segments: Option<V>,
    /// The number of bytes after the DDP header of its last segment.
    pub(crate) last_payload: Option<V>,
    /// Variables that receive the value of a field. `payload` counts as a field here.
    pub(crate) bind: Vec<(String, String)>,
    /// The required lengths of the ULPDUs of its segments.
    pub(crate) lengths: Vec<(Ulpdus, Matcher<V>)>,
}

impl<V> MessagePattern<V> {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            fields: Vec::new(),
            payload: None,
            segments: None,
            last_payload: None,
            bind: Vec::new(),
            lengths: Vec::new(),
        }
    }

    /// Returns the same pattern with converted values.
    pub(crate) fn try_map<W, E>(
        &self,
        value: &impl Fn(&V) -> Result<W, E>,
    ) -> Result<MessagePattern<W>, E> {
        let length =
            |(ulpdus, matcher): &(Ulpdus, Matcher<V>)| Ok((*ulpdus, matcher.try_map(value)?));
        Ok(MessagePattern {
            name: self.name.clone(),
            fields: try_map_fields(&self.fields, value)?,
            payload: self.payload.as_ref().map(value).transpose()?,
            segments: self.segments.as_ref().map(value).transpose()?,
            last_payload: self.last_payload.as_ref().map(value).transpose()?,
            bind: self.bind.clone(),
            lengths: self.lengths.iter().map(length).collect::<Result<_, E>>()?,
        })
    }
}

/// The ULPDUs of a message whose length is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ulpdus {
    All,
    AllButLast,
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Matcher<V> {
    Is(V),
    /// Any other value.
    Not(V),
    AtLeast(V),
    AtMost(V),
    OneOf(Vec<V>),
    MultipleOf(V),
    /// Any value: the field must be present.
    Any,
    /// A list with this number of elements, and what some fields of each must be.
    List(Vec<FieldMatchers<V>>),
    /// A list, and what the sums of some fields of its elements must be.
    Total(FieldMatchers<V>),
}

/// What fields must be, by name.
pub(crate) type FieldMatchers<V> = Vec<(String, Matcher<V>)>;

impl<V> Matcher<V> {
    /// Returns the same matcher with a converted value.
    pub(crate) fn try_map<W, E>(
        &self,
        value: &impl Fn(&V) -> Result<W, E>,
    ) -> Result<Matcher<W>, E> {
        Ok(match self {
            Self::Is(it) => Matcher::Is(value(it)?),
            Self::Not(it) => Matcher::Not(value(it)?),
            Self::AtLeast(it) => Matcher::AtLeast(value(it)?),
            Self::AtMost(it) => Matcher::AtMost(value(it)?),
            Self::OneOf(all) => Matcher::OneOf(all.iter().map(value).collect::<Result<_, E>>()?),
            Self::MultipleOf(it) => Matcher::MultipleOf(value(it)?),
            Self::Any => Matcher::Any,
            Self::List(elements) => {
                let elements = elements.iter().map(|element| try_map_fields(element, value));
                Matcher::List(elements.collect::<Result<_, E>>()?)
            }
            Self::Total(sums) => Matcher::Total(try_map_fields(sums, value)?),
        })
    }
}

fn try_map_fields<V, W, E>(
    fields: &FieldMatchers<V>,
    value: &impl Fn(&V) -> Result<W, E>,
) -> Result<FieldMatchers<W>, E> {
    fields.iter().map(|(name, matcher)| Ok((name.clone(), matcher.try_map(value)?))).collect()
}

/// An expected Terminate. A field that is `None` may have any value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Terminate {
    pub(crate) layer: Option<u64>,
    pub(crate) error_type: Option<u64>,
    /// The accepted error codes.
    pub(crate) codes: Vec<u64>,
    /// The terminated DDP header, with the length of the segment.
    pub(crate) ddp_header: Header,
    pub(crate) rdmap_header: Header,
    /// What its other fields must be, and the variables to bind.
    pub(crate) message: MessagePattern<FieldValue>,
}

/// What a Terminate must contain of the message that it refuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Header {
    #[default]
    Any,
    Absent,
    Present,
    /// What was sent by the step of that name, or by the last one.
    Echoes(Option<String>),
}

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    Graceful,
    Reset,
    Any,
}

/// How we end our side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Close {
    /// Our direction, by FIN. The other direction stays open.
    Half,
    /// Both, by FIN.
    Graceful,
    /// Both, by RST.
    Reset,
}

/// Expected bytes of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Memory {
    /// The buffer; `None` for all buffers of the target.
    pub(crate) region: Option<Region>,
    pub(crate) offset: Value,
    /// How many bytes; to the end if neither this nor the bytes say it.
    pub(crate) length: Option<Value>,
    /// What they must be; `None` for what they were when the buffer was filled.
    pub(crate) is: Option<Bytes>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Number(Value),
    Flag(bool),
    /// One of the keywords that its key takes.
    Keyword(&'static str),
    Keywords(Vec<&'static str>),
    Bytes(Bytes),
    Region(Region),
    Time(Duration),
    /// The name of a stream of the case, or another name.
    Stream(String),
}

/// A name, and arguments by key. It contains only keys of its table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// The name of the order or the kind of the report; empty for options.
    pub(crate) name: &'static str,
    /// The given arguments.
    pub(crate) arguments: Vec<(&'static str, Argument)>,
}

/// Defines a method of [`Record`] that returns the argument of a key, if it was given.
macro_rules! argument {
    ($name:ident, $variant:ident, $type:ty) => {
        pub(crate) fn $name(&self, key: &str) -> Option<&$type> {
            match self.argument(key)? {
                Argument::$variant(argument) => Some(argument),
                _ => None,
            }
        }
    };
}

impl Record {
    argument!(number, Number, Value);
    argument!(bytes, Bytes, Bytes);
    argument!(region, Region, Region);
    argument!(text, Stream, str);
    argument!(any_flag, Flag, bool);
    argument!(any_keyword, Keyword, &'static str);
    argument!(any_time, Time, Duration);

    /// Returns the argument of a key, if it was given.
    pub(crate) fn argument(&self, key: &str) -> Option<&Argument> {
        self.arguments.iter().find(|(known, _)| *known == key).map(|(_, argument)| argument)
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.any_flag(key).copied()
    }

    pub(crate) fn keyword(&self, key: &str) -> Option<&'static str> {
        self.any_keyword(key).copied()
    }

    pub(crate) fn time(&self, key: &str) -> Option<Duration> {
        self.any_time(key).copied()
    }

    /// Returns the keywords of a key; none if it was not given.
    pub(crate) fn keywords(&self, key: &str) -> &[&'static str] {
        match self.argument(key) {
            Some(Argument::Keywords(keywords)) => keywords,
            _ => &[],
        }
    }
}
