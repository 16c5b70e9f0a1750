//! The steps of an instance: what a runner does, one after the other. There is no YAML in them.

use std::time::Duration;

use super::record::Record;
use super::value::{Bytes, Region, Value};
use crate::yaml::Place;

/// A step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The stream that it is about, by its name in the case.
    pub stream: String,
    /// What it shows, in the case's words.
    pub note: Option<String>,
    /// The file that says it: the case's, or a fragment's.
    pub file: String,
    /// Where in the file.
    pub place: Place,
    /// What is done.
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Sets the stream up.
    Connect(Box<Connect>),
    /// Sends something.
    Send(Box<Send>),
    /// Waits until what is wanted has come, or the time is over.
    Expect(Box<Expect>),
    /// Has the target do something: an order of the test ULP, by its name, with its arguments.
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
    Set {
        /// The variable.
        name: String,
        /// Its value.
        value: Value,
    },
}

/// How the runner sets a stream up. Its role is the instance's.
#[derive(Clone, Debug, PartialEq)]
pub struct Connect {
    /// Only the TCP connection: the frames of the setup are steps of the case.
    pub only_tcp: bool,
    /// The target connects again by itself: it is given no order.
    pub again: bool,
    /// The longest TCP segment that the runner announces (MSS), in bytes.
    pub segment_size: Option<Value>,
    /// What the runner's frame says and how the stream is used, as far as the case says it.
    pub ours: Record,
    /// What the target is told to say and do, as far as the case says it.
    pub theirs: Record,
    /// Fields of our frame that are overridden, by the names of its layout.
    pub fields: Vec<(String, FieldValue)>,
    /// How the setup must end.
    pub ends: SetupEnd,
}

/// How a setup ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupEnd {
    /// Established.
    Accepted,
    /// A reply that rejects.
    Rejected,
    /// Closed without a reply.
    Closed,
    /// In any way: steps that follow look at it.
    Any,
}

/// Something that is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Send {
    /// What.
    pub content: Content,
    /// How it is framed, and put into TCP segments.
    pub framing: Framing,
    /// It waits, and goes out in one piece with what is sent next.
    pub hold: bool,
    /// Its name, for steps that speak of it (`echoes`).
    pub name: Option<String>,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A message by its name in the layouts.
    Message {
        /// Its name.
        name: String,
        /// The fields that the case names, in its order, by their full names.
        fields: Vec<(String, FieldValue)>,
        /// What follows its headers.
        payload: Bytes,
    },
    /// A ULPDU as it is, in an FPDU.
    Ulpdu(Bytes),
    /// Bytes of the TCP stream as they are.
    Raw(Bytes),
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// A number.
    Number(Value),
    /// Bytes.
    Bytes(Bytes),
    /// The elements of a list, each with its fields.
    List(Vec<Vec<(String, FieldValue)>>),
}

/// How FPDUs are framed; `None` is as it must be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Framing {
    /// The CRC.
    pub crc: Option<CrcFault>,
    /// The markers.
    pub marker: Option<MarkerFault>,
    /// The pad, whatever its right length is.
    pub pad: Option<Bytes>,
    /// The ULPDU_Length, whatever the ULPDU's is.
    pub length: Option<Value>,
    /// Where the TCP stream is cut into segments.
    pub cut: Option<Cut>,
    /// The time between the pieces, and before the first of a whole one.
    pub delay: Option<Duration>,
    /// The longest payload of a DDP segment, in bytes: the message is cut into several.
    pub segment: Option<Value>,
    /// So many of its last bytes wait, and go out in front of what is sent next.
    pub keep: Option<Value>,
}

/// What is wrong with a CRC.
#[derive(Clone, Debug, PartialEq)]
pub enum CrcFault {
    /// A bit of it is flipped.
    Bad,
    /// It is that number, as the layout `fpdu` reads it.
    Is(Value),
}

/// What is wrong with the markers of an FPDU.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkerFault {
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
pub enum Cut {
    /// Nowhere.
    Whole,
    /// Behind every byte.
    OneByte,
    /// Within the length word, and within the DDP header.
    HeaderSplit,
    /// Behind so many bytes, each counted from the first.
    At(Vec<Value>),
}

/// Something that is waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// What.
    pub want: Want,
    /// What is accepted as strict-only: right in its idea, wrong by the letter.
    pub tolerate: Vec<Want>,
    /// What may come before.
    pub skip: Vec<Want>,
    /// How long; the runner's usual time, if the case does not say.
    pub within: Option<Duration>,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// A message.
    Message(Wanted),
    /// A Terminate.
    Terminate(Terminate),
    /// The end of the stream.
    Closed(Closed),
    /// Nothing, for all of the time.
    Nothing,
    /// One of these.
    AnyOf(Vec<Want>),
    /// These, one after the other; others may come between.
    InOrder(Vec<Want>),
    /// All of these, in any order.
    AllOf(Vec<Want>),
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// It says that all went well.
    Succeeded,
    /// It says that something failed.
    Failed,
    /// Either.
    Any,
}

/// A message that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its name in the layouts.
    pub name: String,
    /// What its fields must be, by their full names.
    pub fields: Vec<(String, Matcher)>,
    /// What its payload must be; over all segments.
    pub payload: Option<Bytes>,
    /// In how many DDP segments it comes.
    pub segments: Option<Value>,
    /// How many bytes its last segment has behind the DDP header.
    pub last_payload: Option<Value>,
    /// Variables that get the value of a field; `payload` is a field here.
    pub bind: Vec<(String, String)>,
    /// How long the ULPDUs of its segments must be.
    pub lengths: Vec<(Ulpdus, Matcher)>,
}

/// The ULPDUs of a message whose length is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ulpdus {
    /// Each of them.
    All,
    /// Each but the last.
    AllButLast,
}

/// What a field must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Matcher {
    /// That.
    Is(Value),
    /// These bytes.
    Bytes(Bytes),
    /// Anything but that.
    Not(Value),
    /// That or more.
    AtLeast(Value),
    /// That or less.
    AtMost(Value),
    /// One of these.
    OneOf(Vec<Value>),
    /// A multiple of that.
    MultipleOf(Value),
    /// Anything: the field must be there.
    Any,
    /// A list of so many elements, with what some fields of each must be.
    List(Vec<Vec<(String, Matcher)>>),
}

/// A Terminate that is wanted; what is `None` may be anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terminate {
    /// The layer.
    pub layer: Option<u64>,
    /// The error type.
    pub error_type: Option<u64>,
    /// The error codes, any of them.
    pub codes: Vec<u64>,
    /// The terminated DDP header, and with it the segment's length.
    pub ddp_header: Header,
    /// The terminated RDMAP header.
    pub rdmap_header: Header,
    /// What other fields must be.
    pub fields: Vec<(String, Matcher)>,
    /// Variables that get the value of a field.
    pub bind: Vec<(String, String)>,
}

/// What a Terminate must say of the message that it refuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// Anything.
    #[default]
    Any,
    /// Nothing.
    Absent,
    /// What was sent: the step of that name, or the last one.
    Echoes(Option<String>),
}

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// A FIN.
    Graceful,
    /// A RST.
    Reset,
    /// One of both.
    Any,
}

/// How we end our side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// Our direction, by FIN; the other goes on.
    Half,
    /// Both, by FIN.
    Graceful,
    /// Both, by RST.
    Reset,
}

/// Bytes of a buffer that are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The buffer; none: all of the target's.
    pub region: Option<Region>,
    /// The first byte.
    pub offset: Value,
    /// How many; to the end, if it is not said and the bytes do not say it.
    pub length: Option<Value>,
    /// What they must be; none: what they were when the buffer was filled.
    pub is: Option<Bytes>,
}
