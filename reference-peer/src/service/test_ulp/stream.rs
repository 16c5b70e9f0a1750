//! What the target knows of a stream that is up.

use std::collections::HashMap;
use std::time::Duration;
use warpscope_wire::test_ulp::{
    EndingCode, Purpose, ReportsOrder, RoleCode, StreamDescription, StreamState,
};

/// The longest answer before any greeting, in bytes (section 2.2).
const LONGEST_UNGREETED: u32 = 4096;

/// What every side must be able to take, in bytes (section 2.2).
const LEAST_LONGEST: u32 = 512;

/// The longest answer that is made, in bytes, however much the peer takes.
const LONGEST_ANSWER: u32 = 1 << 20;

/// A receive that is posted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Receive {
    /// For orders.
    Own,
    Ordered {
        /// The runner's name for it.
        identifier: u64,
    },
}

/// A work request that is posted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Job {
    /// An answer, or the target's hello.
    Answer {
        /// Whether a receive is posted again when it is sent.
        again: bool,
        /// Whether the stream is dropped then.
        abort: bool,
    },
    /// An RDMA Write that was asked for by `copy`.
    Copy {
        /// The stream that asked, by number, and the order's sequence.
        asker: u64,
        sequence: u32,
        again: bool,
    },
    Ordered {
        /// The runner's name for it.
        identifier: u64,
        /// Bytes that it holds.
        bytes: u64,
    },
}

/// An order for reports that waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub(super) order: ReportsOrder,
    pub(super) sequence: u32,
    pub(super) until: Duration,
    pub(super) again: bool,
}

/// What a request is answered with when its time has come.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    pub(super) at: Duration,
    pub(super) reject: bool,
    pub(super) private_data: Vec<u8>,
}

/// A stream that is up, or coming up.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) session: u32,
    pub(super) name: u32,
    pub(super) purpose: Purpose,
    pub(super) role: RoleCode,
    pub(super) state: StreamState,
    pub(super) ending: EndingCode,
    /// Whether it stays half open when the peer closes.
    pub(super) half_open: bool,
    /// The longest message that the peer takes, in bytes.
    pub(super) longest: u32,
    /// Receives to post once it is established: how many, and how long.
    pub(super) to_post: (u32, u32),
    pub(super) receives: HashMap<u64, Receive>,
    pub(super) work: HashMap<u64, Job>,
    /// The name of the next receive or work request.
    next: u64,
    pub(super) waiting: Option<Waiting>,
    pub(super) decision: Option<Decision>,
    /// Whether the target's hello is not answered yet.
    pub(super) greeting: bool,
    /// Orders that came with SE, and whose event is to come.
    pub(super) solicited_orders: u32,
}

impl Stream {
    /// A stream in its setup.
    pub(super) fn new(session: u32, name: u32, purpose: Purpose, role: RoleCode) -> Self {
        Self {
            session,
            name,
            purpose,
            role,
            state: StreamState::Opening,
            ending: EndingCode::None,
            half_open: false,
            longest: LONGEST_UNGREETED,
            to_post: (0, 0),
            receives: HashMap::new(),
            work: HashMap::new(),
            next: 1,
            waiting: None,
            decision: None,
            greeting: false,
            solicited_orders: 0,
        }
    }

    /// A name for a receive or work request.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// The peer takes messages of so many bytes.
    pub(super) fn takes(&mut self, longest: u32) {
        self.longest = longest.clamp(LEAST_LONGEST, LONGEST_ANSWER);
    }

    /// Bytes of an answer's body at most.
    pub(super) fn room(&self) -> usize {
        (self.longest as usize).saturating_sub(16)
    }

    /// Receives that were posted by order and wait.
    pub(super) fn ordered_receives(&self) -> u32 {
        let ordered = |it: &&Receive| matches!(it, Receive::Ordered { .. });
        self.receives.values().filter(ordered).count() as u32
    }

    /// Work requests that were ordered and are not complete, and the bytes that they hold.
    pub(super) fn ordered_work(&self) -> (u32, u64) {
        let mut sum = (0, 0);
        for job in self.work.values() {
            if let Job::Ordered { bytes, .. } = job {
                sum = (sum.0 + 1, sum.1 + bytes);
            }
        }
        sum
    }

    /// What the runner is told of it.
    pub(super) fn describe(&self) -> StreamDescription {
        StreamDescription {
            stream: self.name,
            session: self.session,
            purpose: self.purpose,
            state: self.state,
            role: self.role,
            ending: self.ending,
            receives: self.ordered_receives(),
            work: self.ordered_work().0,
        }
    }
}
