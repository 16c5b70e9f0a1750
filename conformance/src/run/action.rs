//! What an instance does, one thing after the other.

use crate::engine::expect::{Expectation, PayloadMatch};
use crate::engine::{Delivery, LinkOptions, Part, ReportPattern, SetupOut};
use std::time::Duration;
use warpscope_wire::test_ulp::{
    BindOrder, Order, RegisterOrder, RevalidateOrder, Status, StreamOptions,
};

/// How a stream is opened and set up in one action, with a greeting of the test ULP where the target
/// speaks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The stream's name.
    pub stream: u32,
    /// The link's options.
    pub link: LinkOptions,
    /// The setup frame, without the greeting, which is put behind its private data.
    pub setup: SetupOut,
    /// Receives that the target is to post.
    pub receives: u16,
    /// Bytes of each.
    pub longest: u32,
}

impl Opening {
    /// A stream of revision 1 with CRCs, without markers, and with 16 receives of 4096 bytes.
    pub fn plain(stream: u32) -> Self {
        let (link, setup) = (LinkOptions::default(), SetupOut::request(b""));
        Self { stream, link, setup, receives: 16, longest: 4096 }
    }
}

/// How the runner closes a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// Its direction, in good order (FIN).
    Finish,
    /// With a reset.
    Reset,
}

/// What the answer to an order must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerMatch {
    /// Done: the run cannot go on without.
    Needed,
    /// Of this status; another one fails the instance.
    Is(Status),
    /// Anything.
    Any,
}

/// What a region of the target must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetMemory {
    /// These bytes at an offset.
    Holds {
        /// The region's name.
        region: String,
        /// Bytes of the region before them.
        offset: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// What it held at the last [`Action::Remember`]; none for every region that was remembered.
    Unchanged {
        /// The region's name.
        region: Option<String>,
    },
}

/// What a buffer of the runner must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnMemory {
    /// The stream that it is offered on.
    pub stream: u32,
    /// Its STag.
    pub steering_tag: u32,
    /// Bytes of the buffer before.
    pub offset: usize,
    /// What follows there.
    pub bytes: PayloadMatch,
}

/// How RPC calls of the target are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Serve {
    /// Program and procedure of the calls that are not answered, and end it; without any, the
    /// stream's end does.
    pub until: Vec<(u32, u32)>,
    /// Credits that replies grant.
    pub credits: u32,
    /// Bytes of the longest reply that goes inline.
    pub inline: usize,
    /// Whether calls are answered too that something with their XID was sent for.
    pub again: bool,
    /// How long it may take.
    pub within: Duration,
}

/// One thing that an instance does. Streams go by the names that the test ULP knows them by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Opens a TCP connection to the target, and sends nothing.
    Connect {
        /// The stream's name.
        stream: u32,
        /// The link's options.
        link: LinkOptions,
    },
    /// Has the target open a stream to the runner, and takes the TCP connection; the runner sends
    /// nothing.
    Accept {
        /// The stream's name.
        stream: u32,
        /// The link's options.
        link: LinkOptions,
        /// What the target opens it with; the name is put in.
        options: Box<StreamOptions>,
        /// The private data of its request.
        private_data: Vec<u8>,
    },
    /// Takes the next TCP connection that the target makes to where it was told to open a stream: it
    /// tries again by itself.
    AcceptAgain {
        /// The stream's name.
        stream: u32,
        /// The link's options.
        link: LinkOptions,
    },
    /// Starts the target's RPC requester, and takes the TCP connection that it opens; the runner sends
    /// nothing.
    Launch {
        /// The stream's name.
        stream: u32,
        /// The link's options.
        link: LinkOptions,
        /// What it is started for, by a name of the target's profile.
        task: String,
    },
    /// Answers RPC calls of the target.
    Serve {
        /// The stream's name.
        stream: u32,
        /// How.
        serve: Serve,
    },
    /// Demands that what the RPC requester was started for ends.
    Task {
        /// Whether it must succeed; none where both will do.
        succeeds: Option<bool>,
        /// How long it may take.
        within: Duration,
    },
    /// Opens a TCP connection, sends the request, and demands a reply that accepts.
    Establish(Opening),
    /// Sends.
    Send {
        /// The stream's name.
        stream: u32,
        /// What.
        parts: Vec<Part>,
        /// How it reaches TCP.
        delivery: Delivery,
    },
    /// Demands something of what comes.
    Expect {
        /// The stream's name.
        stream: u32,
        /// What.
        expectation: Expectation,
    },
    /// Lets time pass.
    Wait(Duration),
    /// Reads what the target sends, or leaves it in TCP, so that the target has to wait.
    Hear {
        /// The stream's name.
        stream: u32,
        /// Whether it is read.
        on: bool,
    },
    /// Closes a stream.
    Close {
        /// The stream's name.
        stream: u32,
        /// How.
        closing: Closing,
    },
    /// Gives an order of the test ULP; [`super::Scene::answer`] has the answer.
    Order {
        /// The answer's name.
        name: String,
        /// The order.
        order: Box<Order>,
        /// What the answer must be.
        answer: AnswerMatch,
    },
    /// Registers a region at the target; [`super::Scene::region`] has its description.
    Register {
        /// Its name in the instance.
        name: String,
        /// The order.
        order: RegisterOrder,
    },
    /// Binds a window at the target; it is a region like others.
    Bind {
        /// Its name in the instance.
        name: String,
        /// The order.
        order: BindOrder,
    },
    /// Gives a region remote access again; its STag may be another.
    Revalidate {
        /// Its name in the instance.
        name: String,
        /// The order.
        order: Box<RevalidateOrder>,
    },
    /// Remembers what the regions of the instance hold.
    Remember,
    /// Demands that a region of the target holds something.
    TargetMemory(TargetMemory),
    /// Offers a buffer to the target.
    Offer {
        /// The stream's name.
        stream: u32,
        /// Its STag.
        steering_tag: u32,
        /// The Tagged Offset of its first byte.
        base: u64,
        /// What it holds.
        bytes: Vec<u8>,
    },
    /// Demands that a buffer of the runner holds something.
    OwnMemory(OwnMemory),
    /// Demands a report of the target.
    Report {
        /// The stream that it is about.
        stream: u32,
        /// What it must say.
        pattern: ReportPattern,
        /// How long it may take.
        within: Duration,
        /// Whether it must come behind the report that was demanded last.
        behind: bool,
    },
    /// Demands that no such report comes; those that came before and were not asked for count.
    NoReport {
        /// The stream that it would be about.
        stream: u32,
        /// What it would say.
        pattern: ReportPattern,
        /// For so long.
        during: Duration,
    },
    /// Goes on with another MSN in a queue of a stream.
    Sequence {
        /// The stream's name.
        stream: u32,
        /// QN.
        queue: u32,
        /// The next MSN.
        sequence: u32,
    },
    /// Whether Read Requests on a stream are answered from now on.
    AnswerReads {
        /// The stream's name.
        stream: u32,
        /// Whether.
        answer: bool,
    },
    /// Overrides what was agreed on for the runner's own direction.
    Framing {
        /// The stream's name.
        stream: u32,
        /// Whether its FPDUs have markers.
        markers: bool,
        /// Whether their CRCs are in use.
        crc: bool,
    },
    /// Waits until the target has looked at what was sent: a conversation on the control stream.
    Settle,
    /// Fails the instance, or ends it: what a case found out by itself.
    Verdict(crate::engine::Check),
}
