//! The control stream: orders of the test ULP (`conformance/TEST-ULP.md`), and answers in words.

use super::connections::{Connection, SocketEvent};
use super::session::RunError;
use crate::stream::{MessageOut, Part, RawStream, Received, SetupOut, TcpWrite, figure};
use std::collections::VecDeque;
use warpscope_wire::Writer;
use warpscope_wire::test_ulp::{
    ANSWER, Answer, Greeting, GreetingView, Magic, Message, NoOrder, Order, Purpose, Status,
    Version, kind,
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
pub(super) struct Client {
    /// The stream that carries them.
    pub(super) raw: RawStream,
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
pub(super) fn greeting_bytes(
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
    pub(super) fn new(raw: RawStream, session: u32, stream: u32) -> Self {
        Self {
            raw,
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

    /// Whether the target has greeted.
    pub(super) fn greeted(&self) -> bool {
        self.greeted
    }

    /// The greeting, for the private data of a setup frame.
    pub(super) fn greeting(&self) -> Vec<u8> {
        greeting_bytes(Purpose::Control, self.session, self.stream, RECEIVES, LONGEST)
    }

    /// The greeting as an order, for targets that see no private data.
    pub(super) fn hello(&self) -> Order {
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
    pub(super) fn may_ask(&self) -> bool {
        self.waiting.len() < usize::from(self.room.0.max(1))
    }

    /// The TCP writes that give an order, and its sequence.
    ///
    /// # Errors
    /// [`ClientError::TooLong`].
    pub(super) fn ask(&mut self, order: &Order) -> Result<(u32, Vec<TcpWrite>), ClientError> {
        self.sequence = self.sequence.wrapping_add(1);
        let bytes = order.message(self.sequence);
        if bytes.len() > self.room.1 as usize {
            return Err(ClientError::TooLong { length: bytes.len(), longest: self.room.1 });
        }
        self.waiting.push(self.sequence);
        Ok((self.sequence, self.raw.send(&[Part::Message(MessageOut::send(&bytes))])))
    }

    /// Looks at what came on the link; returns what is to be written because of it.
    ///
    /// # Errors
    /// [`ClientError`] when it is not what the test ULP has.
    pub(super) fn look(&mut self) -> Result<Vec<TcpWrite>, ClientError> {
        let mut writes = self.raw.take_answers();
        while let Some(received) = self.raw.received().get(self.cursor) {
            self.cursor += 1;
            match received {
                Received::Setup(setup) => {
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
                Received::Message(message) => {
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
            return Ok(self.raw.send(&[Part::Message(MessageOut::send(&answer))]));
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
    pub(super) fn answer(&mut self, sequence: u32) -> Option<Answer> {
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

/// The control stream of a session.
#[derive(Debug)]
pub(super) struct Control {
    pub(super) client: Client,
    pub(super) connection: Connection,
    pub(super) failed: Option<ClientError>,
}

impl Control {
    /// A control stream on a connection that this side opened: sends the request.
    pub(super) fn begin(connection: Connection, session: u32) -> Self {
        let client = Client::new(RawStream::new(), session, 1);
        let mut it = Self { client, connection, failed: None };
        if it.connection.opened {
            let setup = SetupOut::request(&it.client.greeting());
            let writes = it.client.raw.send(&[Part::Setup(setup)]);
            it.write(&writes);
        }
        it
    }

    /// Answers the request of a target that opened the control stream.
    pub(super) fn reply(&mut self) {
        let setup = SetupOut::reply(&self.client.greeting());
        let writes = self.client.raw.send(&[Part::Setup(setup)]);
        self.write(&writes);
    }

    pub(super) fn write(&mut self, writes: &[TcpWrite]) {
        for write in writes {
            // That it failed shows in what is heard.
            let _ = self.connection.write(&write.bytes);
        }
    }

    pub(super) fn hear(&mut self, heard: &SocketEvent) {
        match heard {
            SocketEvent::Bytes(bytes) => {
                self.client.raw.receive(bytes);
            }
            SocketEvent::Finished => self.client.raw.finished(),
            SocketEvent::Reset => self.client.raw.reset(),
        }
        match self.client.look() {
            Ok(writes) => self.write(&writes),
            Err(error) => self.failed = Some(error),
        }
    }

    pub(super) fn usable(&self) -> Result<(), RunError> {
        self.failed.clone().map_or(Ok(()), |error| Err(error.into()))
    }
}

/// The orders by kind: with the words of cases, or those of the test ULP (section 10) where cases have
/// none.
const ORDERS: &[(u8, &str)] = &[
    (kind::HELLO, "hello"),
    (kind::CAPABILITIES, "capabilities"),
    (kind::RESET, "reset"),
    (kind::GOODBYE, "goodbye"),
    (kind::LIST_REGIONS, "list regions"),
    (kind::REGISTER, "register"),
    (kind::BIND, "bind window"),
    (kind::INVALIDATE, "invalidate"),
    (kind::REVALIDATE, "revalidate"),
    (kind::DEREGISTER, "deregister"),
    (kind::READ, "read"),
    (kind::COPY, "copy"),
    (kind::WRITE, "write"),
    (kind::FILL, "fill"),
    (kind::CHECKSUM, "checksum"),
    (kind::RECALL, "recall"),
    (kind::RECEIVES, "post_receives"),
    (kind::WORK, "post"),
    (kind::OPEN, "open"),
    (kind::PREPARE, "prepare"),
    (kind::FINISH, "finish"),
    (kind::ABORT, "abort"),
    (kind::LIST_STREAMS, "list streams"),
    (kind::REPORTS, "reports"),
];

/// The name of the order of this kind.
pub(super) fn order_words(kind: u8) -> &'static str {
    ORDERS.iter().find(|(it, _)| *it == kind).map_or("of another version", |(_, words)| words)
}

pub(super) fn status_words(status: Status) -> &'static str {
    match status {
        Status::Done => "done",
        Status::Malformed => "malformed",
        Status::Unsupported => "unsupported",
        Status::Unknown => "unknown",
        Status::Refused => "refused",
        Status::Limit => "limit",
    }
}

/// Why an answer is not the one that is needed.
pub(super) fn answer_words(answer: &Answer) -> String {
    let kind = match answer {
        Answer::Refused(status, _, text) => return refused_words(*status, text),
        Answer::Done => "that it is done",
        Answer::Greeting(_) => "a greeting",
        Answer::Capabilities(..) => "what it can do",
        Answer::Region(..) => "a region",
        Answer::Regions(..) => "a list of regions",
        Answer::Bytes(bytes) if bytes.is_empty() => "no bytes",
        Answer::Bytes(_) => "bytes",
        Answer::Stream(_) => "a stream",
        Answer::Streams(..) => "a list of streams",
        Answer::Reports(..) => "reports",
    };
    format!("it answered with {kind}, which is no answer to that")
}

/// Why the target refused an order.
pub(super) fn refused_words(status: Status, text: &str) -> String {
    match text {
        "" => status_words(status).to_owned(),
        text => format!("{}: {text}", status_words(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::grammar;
    use std::io;
    use std::time::Duration;
    use warpscope_wire::test_ulp::Refusal;

    /// The orders with their kinds, as the test ULP lists them.
    fn listed() -> Vec<(&'static str, u8)> {
        let text = include_str!("../../TEST-ULP.md");
        let (_, table) = text.split_once("## 10. Orders").unwrap();
        let (table, _) = table.split_once("\n## ").unwrap();
        let rows = table.lines().filter_map(|line| {
            let mut cells = line.split('|').map(str::trim).skip(1);
            Some((cells.next()?, cells.next()?.parse().ok()?))
        });
        rows.collect()
    }

    #[test]
    fn orders_have_the_words_of_cases_or_of_the_test_ulp() {
        let listed = listed();
        let kinds: Vec<u8> = listed.iter().map(|(_, kind)| *kind).collect();
        assert_eq!(kinds, kind::ALL);
        for (name, kind) in listed {
            let words = order_words(kind);
            let in_cases = |it: &str| grammar::ORDERS.iter().any(|entry| entry.name == it);
            let first = name.replace(' ', "_");
            let expected = match name {
                "post work" => "post",
                _ if in_cases(&first) => &first,
                _ => name,
            };
            assert_eq!(words, expected);
            assert!(words == name || in_cases(words), "{words}");
        }
    }

    /// Names of Rust begin within a word or with a capital, and Debug brings brackets and quotes.
    fn is_plain(text: &str) -> bool {
        let inner = |word: &str| {
            let letters: Vec<char> = word.chars().filter(|it| it.is_alphabetic()).collect();
            letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
        };
        let brackets = ["{", "}", "Some(", "Ok(", "Err(", "\"", "::"];
        !brackets.iter().any(|it| text.contains(it)) && !text.split_whitespace().any(inner)
    }

    #[test]
    fn no_error_of_a_run_speaks_rust() {
        let within = Duration::from_secs(30);
        let address = ([127, 0, 0, 1], 7174).into();
        let io_error = || io::Error::from(io::ErrorKind::AddrInUse);
        let over = ClientError::Over("the target rejected it".to_owned());
        let unreadable = ClientError::Unreadable(NoOrder::Unsupported(77));
        let too_long = ClientError::TooLong { length: 5000, longest: 512 };
        let command = "ended with exit status 127, and said nothing".to_owned();
        let mut errors = vec![
            RunError::Connect { address, error: io_error() },
            RunError::Listen { address, error: io_error() },
            RunError::Socket(io_error()),
            RunError::NoConnection(within),
            RunError::NoRequester { waited: within, command },
            RunError::NoGreeting(within),
            RunError::TooLong(within),
            RunError::NoAgent("an order"),
        ];
        errors.extend([over, unreadable, too_long].map(RunError::from));
        for kind in kind::ALL {
            let (order, why) = (order_words(*kind), refused_words(Status::Limit, ""));
            errors.push(RunError::NoAnswer { order, within });
            errors.push(RunError::Refused { order, why });
        }
        for error in errors {
            assert!(is_plain(&error.to_string()), "{error}");
        }
    }

    #[test]
    fn rust_is_told_from_words() {
        for rust in ["the order ListRegions(0)", "Some(1)", "AddrInUse", "Os { code: 98 }"] {
            assert!(!is_plain(rust), "{rust}");
        }
        assert!(is_plain(
            "the target refused the order `post_receives`: limit: no MSN, or an STag"
        ));
    }

    #[test]
    fn answers_are_told_in_words() {
        let refusal = Refusal { offset: 0, value: 0 };
        let refused = Answer::Refused(Status::Limit, refusal, "too long".to_owned());
        assert_eq!(answer_words(&refused), "limit: too long");
        let other = answer_words(&Answer::Bytes(Vec::new()));
        assert_eq!(other, "it answered with no bytes, which is no answer to that");
    }
}
