//! The steps of an instance: what a runner does, one after the other. There is no YAML in them.

use super::value::{Bytes, Region, Value};
use crate::yaml::Place;
use std::time::Duration;
use strum::{EnumString, VariantNames};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// The stream that it is about, by its name in the case.
    pub(crate) stream: String,
    /// What it shows, in the case's words.
    pub(crate) note: Option<String>,
    /// It is done only where the target can do this.
    pub(crate) needs: Option<&'static str>,
    /// It is done only where neither a Terminate nor the end of the stream has come (true), or one has.
    pub(crate) while_open: Option<bool>,
    /// How many times it is done, one after the other.
    pub(crate) times: u64,
    /// The file that says it: the case's, or a fragment's.
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
    /// Waits until what is wanted has come, or the time is over.
    Expect(Box<Expect>),
    /// Has the target do something: a method of its agent, by the name that cases have, with its arguments.
    Order(Record),
    /// Answers RPC calls of the target, as far as the record says.
    Serve(Record),
    /// Lets time pass.
    Wait(Duration),
    /// Whether what the target sends is read; where it is not, TCP fills, and the target waits.
    Hear(bool),
    /// Ends our side of the stream.
    Close(Close),
    /// Sends the ready-to-receive indication that the target's reply names (RFC 6581 section 9.2).
    Ready,
    /// Gives a variable its value.
    Set { name: String, value: Value },
}

/// How the runner sets a stream up. Its role is the instance's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Connect {
    /// Only the TCP connection: the frames of the setup are steps of the case.
    pub(crate) only_tcp: bool,
    /// The target connects again by itself: it is given no order.
    pub(crate) again: bool,
    /// The longest TCP segment that the runner announces (MSS), in bytes.
    pub(crate) segment_size: Option<Value>,
    /// What the runner's frame says and how the stream is used, as far as the case says it.
    pub(crate) ours: Record,
    /// What the target is told to say and do, as far as the case says it.
    pub(crate) theirs: Record,
    /// Fields of our frame that are overridden, by the names of its layout.
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
    /// In any way: steps that follow look at it.
    Any,
}

/// Something that is sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Send {
    pub(crate) content: Content,
    /// How it is framed, and put into TCP segments.
    pub(crate) framing: Framing,
    /// It waits, and goes out in one piece with what is sent next.
    pub(crate) hold: bool,
    /// Its name, for steps that speak of it (`echoes`).
    pub(crate) name: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// A message by its name in the layouts.
    Message {
        name: String,
        /// The fields that the case names, in its order, by their full names.
        fields: Vec<(String, FieldValue)>,
        /// What follows its headers.
        payload: Bytes,
    },
    Ulpdu(Bytes),
    /// Bytes of the TCP stream as they are.
    Raw(Bytes),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FieldValue {
    Number(Value),
    Bytes(Bytes),
    /// The elements of a list, each with its fields.
    List(Vec<Vec<(String, FieldValue)>>),
}

/// How FPDUs are framed; `None` is as it must be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Framing {
    pub(crate) crc: Option<CrcFault>,
    pub(crate) marker: Option<MarkerFault>,
    /// The pad, whatever its right length is.
    pub(crate) pad: Option<Bytes>,
    /// The ULPDU_Length, whatever the ULPDU's is.
    pub(crate) length: Option<Value>,
    /// Where the TCP stream is cut into segments.
    pub(crate) cut: Option<Cut>,
    /// The time between the pieces, and before the first of a whole one.
    pub(crate) delay: Option<Duration>,
    /// The longest payload of a DDP segment, in bytes: the message is cut into several.
    pub(crate) segment: Option<Value>,
    /// So many of its last bytes wait, and go out in front of what is sent next.
    pub(crate) keep: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CrcFault {
    /// A bit of it is flipped.
    Bad,
    /// It is that number, as the layout `fpdu` reads it.
    Is(Value),
}

/// What is wrong with the markers of an FPDU.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MarkerFault {
    /// FPDUPTR points elsewhere, by 4 bytes.
    Bad,
    /// FPDUPTR of the first is that.
    Pointer(Value),
    /// The reserved half of the first is that.
    Reserved(Value),
    /// There are none where there must be.
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
    /// After so many bytes, each counted from the first.
    At(Vec<Value>),
}

/// Something that is waited for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expect {
    pub(crate) want: Expected,
    /// What is accepted as strict-only: right in its idea, wrong by the letter.
    pub(crate) tolerate: Vec<Expected>,
    /// What may come before.
    pub(crate) skip: Vec<Expected>,
    /// Whether the case is not for a target that does otherwise.
    pub(crate) supposed: bool,
    /// How long; the runner's usual time, if the case does not say.
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
    /// These, one after the other; others may come between.
    InOrder(Vec<Expected>),
    /// All of these, in any order.
    AllOf(Vec<Expected>),
    /// Bytes of a buffer, once the stream is quiet.
    Memory(Memory),
    /// A report of the target, by its kind, with what is wanted of it.
    Report(Record),
    /// No such report, for all of the time.
    NoReport(Record),
    /// The end of what the target's RPC requester was started for.
    Task(TaskEnd),
}

/// How what the target's RPC requester was started for ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum TaskEnd {
    /// It says that all went well.
    Succeeded,
    /// It says that something failed.
    Failed,
    Ended,
}

/// A message that is expected: with values that are known before the run ([`FieldValue`]), or with
/// those of the run ([`Given`](crate::layout::Given)).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MessagePattern<V> {
    pub(crate) name: String,
    /// What its fields must be, by their full names.
    pub(crate) fields: FieldMatchers<V>,
    /// What its payload must be; over all segments.
    pub(crate) payload: Option<V>,
    /// In how many DDP segments it comes.
    pub(crate) segments: Option<V>,
    /// How many bytes its last segment has after the DDP header.
    pub(crate) last_payload: Option<V>,
    /// Variables that get the value of a field; `payload` is a field here.
    pub(crate) bind: Vec<(String, String)>,
    /// How long the ULPDUs of its segments must be.
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

    /// The same with other values.
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

/// The ULPDUs of a message whose length is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ulpdus {
    All,
    AllButLast,
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Matcher<V> {
    Is(V),
    /// Anything else.
    Not(V),
    AtLeast(V),
    AtMost(V),
    OneOf(Vec<V>),
    MultipleOf(V),
    /// Anything: the field must be there.
    Any,
    /// A list of so many elements, with what some fields of each must be.
    List(Vec<FieldMatchers<V>>),
    /// A list, with what the sums of some fields of its elements must be.
    Total(FieldMatchers<V>),
}

/// What fields must be, by name.
pub(crate) type FieldMatchers<V> = Vec<(String, Matcher<V>)>;

impl<V> Matcher<V> {
    /// The same with another value.
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

/// A Terminate that is expected; what is `None` may be anything.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Terminate {
    pub(crate) layer: Option<u64>,
    pub(crate) error_type: Option<u64>,
    /// The error codes, any of them.
    pub(crate) codes: Vec<u64>,
    /// The terminated DDP header, and with it the segment's length.
    pub(crate) ddp_header: Header,
    pub(crate) rdmap_header: Header,
    /// What other fields must be, and what is bound.
    pub(crate) message: MessagePattern<FieldValue>,
}

/// What a Terminate must say of the message that it refuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Header {
    #[default]
    Any,
    Absent,
    Present,
    /// What was sent: the step of that name, or the last one.
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
    /// Our direction, by FIN; the other goes on.
    Half,
    /// Both, by FIN.
    Graceful,
    /// Both, by RST.
    Reset,
}

/// Bytes of a buffer that are wanted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Memory {
    /// The buffer; none: all of the target's.
    pub(crate) region: Option<Region>,
    pub(crate) offset: Value,
    /// How many; to the end, if it is not said and the bytes do not say it.
    pub(crate) length: Option<Value>,
    /// What they must be; none: what they were when the buffer was filled.
    pub(crate) is: Option<Bytes>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Number(Value),
    Flag(bool),
    /// A word of those that its key takes.
    Word(&'static str),
    Words(Vec<&'static str>),
    Bytes(Bytes),
    Region(Region),
    Time(Duration),
    /// The name of a stream of the case, or another name.
    Stream(String),
}

/// A name, and arguments by key. Only keys of its table are in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Record {
    /// What it is: the order's name, the report's kind; empty for options.
    pub(crate) name: &'static str,
    /// What was said.
    pub(crate) arguments: Vec<(&'static str, Argument)>,
}

/// A method of [`Record`] that gives the argument of a key, if it was said.
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
    argument!(any_word, Word, &'static str);
    argument!(any_time, Time, Duration);

    /// The argument of a key, if it was said.
    pub(crate) fn argument(&self, key: &str) -> Option<&Argument> {
        self.arguments.iter().find(|(known, _)| *known == key).map(|(_, argument)| argument)
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.any_flag(key).copied()
    }

    pub(crate) fn word(&self, key: &str) -> Option<&'static str> {
        self.any_word(key).copied()
    }

    pub(crate) fn time(&self, key: &str) -> Option<Duration> {
        self.any_time(key).copied()
    }

    /// The words of a key; none, if it was not said.
    pub(crate) fn words(&self, key: &str) -> &[&'static str] {
        match self.argument(key) {
            Some(Argument::Words(words)) => words,
            _ => &[],
        }
    }
}
