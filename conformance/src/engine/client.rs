//! Giving orders of the test ULP (`conformance/TEST-ULP.md`), without a socket.

use super::arrival::What;
use super::compose::MessageOut;
use super::figure;
use super::link::{Delivery, Link, Part, TcpWrite};
use std::collections::VecDeque;
use warpscope_wire::Writer;
use warpscope_wire::test_ulp::{
    ANSWER, Answer, Greeting, GreetingView, Magic, Message, NoOrder, Order, Purpose, Version, kind,
};

/// What a target's greeting promises before it came (section 2.2).
const BEFORE: (u16, u32) = (1, 512);
/// The longest answer that the client takes.
const LONGEST: u32 = 1 << 20;
/// How many messages the client can have waiting: as many as it likes.
const RECEIVES: u16 = 64;

/// What is wrong with what the target said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// An answer cannot be read.
    #[error("the target's answer cannot be read: {0}")]
    Unreadable(#[from] NoOrder),
    /// A message that is no answer came on the control stream.
    #[error("the target sent {0} on the control stream")]
    NoAnswer(String),
    /// The order is longer than the target takes.
    #[error("an order of {length} bytes is longer than the target takes ({longest})")]
    TooLong {
        /// Bytes of the order.
        length: usize,
        /// The longest that the target takes.
        longest: u32,
    },
    /// The control stream is over.
    #[error("the control stream is over: {0}")]
    Over(String),
}

/// Gives orders over a link, and matches the answers.
#[derive(Debug)]
pub struct Client {
    /// The link that carries them.
    pub link: Link,
    session: u32,
    stream: u32,
    greeted: bool,
    /// How many messages the target can have waiting, and how long each may be.
    room: (u16, u32),
    sequence: u32,
    cursor: usize,
    /// Sequences that wait for an answer.
    waiting: Vec<u32>,
    answers: VecDeque<(u32, Answer)>,
}

/// The bytes of a greeting of the runner.
pub fn greeting_bytes(
    purpose: Purpose,
    session: u32,
    stream: u32,
    receives: u16,
    longest: u32,
) -> Vec<u8> {
    let (magic, version) = (Magic, Version);
    let greeting = Greeting { magic, version, purpose, receives, session, stream, longest };
    let mut bytes = vec![0; Greeting::LENGTH];
    greeting.emit(&mut Writer::new(&mut bytes));
    bytes
}

impl Client {
    /// A client of this session whose control stream has this name.
    pub fn new(link: Link, session: u32, stream: u32) -> Self {
        Self {
            link,
            session,
            stream,
            greeted: false,
            room: BEFORE,
            sequence: 0,
            cursor: 0,
            waiting: Vec::new(),
            answers: VecDeque::new(),
        }
    }

    /// Its session.
    pub fn session(&self) -> u32 {
        self.session
    }

    /// Whether the target has greeted.
    pub fn greeted(&self) -> bool {
        self.greeted
    }

    /// How many messages the target can have waiting, and how long each may be, in bytes.
    pub fn room(&self) -> (u16, u32) {
        self.room
    }

    /// The greeting, for the private data of a setup frame.
    pub fn greeting(&self) -> Vec<u8> {
        greeting_bytes(Purpose::Control, self.session, self.stream, RECEIVES, LONGEST)
    }

    /// The greeting as an order, for targets that see no private data.
    pub fn hello(&self) -> Order {
        Order::Hello(Greeting {
            magic: Magic,
            version: Version,
            purpose: Purpose::Control,
            receives: RECEIVES,
            session: self.session,
            stream: self.stream,
            longest: LONGEST,
        })
    }

    /// Whether there is room at the target for another order.
    pub fn may_ask(&self) -> bool {
        self.waiting.len() < usize::from(self.room.0.max(1))
    }

    /// The TCP writes that give an order, and its sequence.
    ///
    /// # Errors
    /// [`ClientError::TooLong`].
    pub fn ask(&mut self, order: &Order) -> Result<(u32, Vec<TcpWrite>), ClientError> {
        self.sequence = self.sequence.wrapping_add(1);
        let bytes = order.message(self.sequence);
        if bytes.len() > self.room.1 as usize {
            return Err(ClientError::TooLong { length: bytes.len(), longest: self.room.1 });
        }
        self.waiting.push(self.sequence);
        let part = Part::message(MessageOut::send(&bytes));
        Ok((self.sequence, self.link.sending(&[part], &Delivery::default())))
    }

    /// Looks at what came on the link; returns what is to be written because of it.
    ///
    /// # Errors
    /// [`ClientError`] when it is not what the test ULP has.
    pub fn look(&mut self) -> Result<Vec<TcpWrite>, ClientError> {
        let mut writes = self.link.take_answers();
        while let Some(arrival) = self.link.arrivals().get(self.cursor) {
            self.cursor += 1;
            match &arrival.what {
                What::Setup(setup) => {
                    if setup.rejected() {
                        return Err(ClientError::Over("the target rejected it".to_owned()));
                    }
                    let data = setup.private_data();
                    let data = data.get(enhanced_length(&setup.bytes)..).unwrap_or_default();
                    let greeting = GreetingView::parse(data).ok();
                    let greeting = greeting.and_then(|(view, _)| Greeting::try_from(view).ok());
                    if let Some(greeting) = greeting {
                        self.greeting_came(greeting);
                    }
                }
                What::Message(message) => {
                    let opcode = message.opcode();
                    if opcode == Some(figure::WRITE) || opcode == Some(figure::READ_REQUEST_OPCODE)
                    {
                        continue;
                    }
                    let send = [figure::SEND, figure::SEND_SOLICITED];
                    if !opcode.is_some_and(|it| send.contains(&it)) {
                        return Err(ClientError::Over(message.describe()));
                    }
                    let bytes = message.payload.clone();
                    writes.extend(self.message(&bytes)?);
                }
                other => return Err(ClientError::Over(other.describe())),
            }
        }
        Ok(writes)
    }

    /// Takes a message of the test ULP.
    fn message(&mut self, bytes: &[u8]) -> Result<Vec<TcpWrite>, ClientError> {
        let message = Message::parse(bytes).map_err(NoOrder::from)?;
        if message.kind == kind::HELLO {
            // The target opened the stream, and greets first.
            if let Order::Hello(greeting) = Order::parse(&message)? {
                self.greeting_came(greeting);
            }
            let Order::Hello(mine) = self.hello() else { return Ok(Vec::new()) };
            let answer = Answer::Greeting(mine).message(kind::HELLO, message.sequence);
            let part = Part::message(MessageOut::send(&answer));
            return Ok(self.link.sending(&[part], &Delivery::default()));
        }
        let Some(at) = self.waiting.iter().position(|it| *it == message.sequence) else {
            let what = format!("a message of kind {} that answers nothing", message.kind);
            return Err(ClientError::NoAnswer(what));
        };
        if message.kind < ANSWER {
            return Err(ClientError::NoAnswer(format!("an order of kind {}", message.kind)));
        }
        self.waiting.remove(at);
        let answer = Answer::parse(&message)?;
        if let Answer::Greeting(greeting) = &answer {
            self.greeting_came(*greeting);
        }
        self.answers.push_back((message.sequence, answer));
        Ok(Vec::new())
    }

    fn greeting_came(&mut self, greeting: Greeting) {
        self.greeted = true;
        self.room = (greeting.receives.max(1), greeting.longest.max(BEFORE.1));
    }

    /// The answer to the order of this sequence, when it came.
    pub fn answer(&mut self, sequence: u32) -> Option<Answer> {
        let at = self.answers.iter().position(|(it, _)| *it == sequence)?;
        self.answers.remove(at).map(|(_, answer)| answer)
    }
}

/// Bytes of enhanced data at the front of a frame's private data: RFC 6581 §6.
fn enhanced_length(frame: &[u8]) -> usize {
    let flags = frame.get(figure::KEY).copied().unwrap_or(0);
    let revision = figure::SETUP_REVISION.read(frame);
    if flags & 0x10 != 0 && revision == Some(2) { 4 } else { 0 }
}
