//! A runner: what the tests know of the other side is what the test ULP tells them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use warpscope_peer::connection::{Config, Event, Role};
use warpscope_peer::memory::{Accessor, Memory};
use warpscope_peer::service::Service;
use warpscope_peer::service::test_ulp::{TestUlp, TestUlpOptions};
use warpscope_peer::streams::{Pipe, StreamEvent, Streams};
use warpscope_peer::work::{Completion, OperationKind, Outcome, Received, WorkRequest};
use warpscope_wire::Writer;
use warpscope_wire::rdmap::Profile;
use warpscope_wire::test_ulp::{
    AccessRights, Addressing, Answer, Backing, Documents, Given, Greeting, Happened, Hash, Magic,
    Message, Order, PackingCode, Purpose, RegionDescription, RegisterOrder, ReportsOrder, Scope,
    Status, StreamOptions, Switches, Version,
};

pub(crate) const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4420);
/// The name of the control stream.
pub(crate) const CONTROL: u32 = 1;
/// The longest answer that the runner takes.
pub(crate) const LONGEST: u32 = 2048;

/// Memory with Steering Tags that can be told in advance.
pub(crate) fn memory(seed: u32) -> Memory {
    let mut number = seed;
    Memory::new(move || {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        number
    })
}

/// A configuration with every document.
pub(crate) fn config() -> Config {
    let accessor = Accessor { stream: 0, protection_domain: 1 };
    let config = Config::new(Role::Initiator, accessor);
    Config { profile: Profile::ALL, accepts: false, ..config }
}

/// A target whose streams have every document.
pub(crate) fn target_options() -> TestUlpOptions {
    TestUlpOptions::new(Config { role: Role::Responder, ..config() })
}

pub(crate) fn greeting(purpose: Purpose, stream: u32) -> Greeting {
    let (receives, longest) = (8, LONGEST);
    Greeting { magic: Magic, version: Version, purpose, receives, session: 7, stream, longest }
}

pub(crate) fn bytes(greeting: &Greeting) -> Vec<u8> {
    let mut bytes = vec![0; Greeting::LENGTH];
    greeting.emit(&mut Writer::new(&mut bytes));
    bytes
}

/// Stream options in which nothing is given.
pub(crate) fn options(purpose: Purpose, stream: u32) -> StreamOptions {
    StreamOptions {
        given: Given::NONE,
        switches: Switches::NONE,
        revision: 0,
        ird: 0,
        ord: 0,
        required_ord: 0,
        protection_domain: 0,
        stream,
        delay: 0,
        purpose,
        private_data_length: 0,
        longest_ulpdu: 0,
        packing: PackingCode::One,
        receives: 0,
        receive_size: 0,
        documents: Documents::NONE,
    }
}

/// A zero-based region for every stream.
pub(crate) fn register(length: u64, rights: AccessRights) -> RegisterOrder {
    RegisterOrder {
        length,
        base: 0,
        rights,
        stream: 0,
        addressing: Addressing::Zero,
        scope: Scope::ProtectionDomain,
        backing: Backing::Memory,
        hash: Hash::None,
    }
}

/// The runner's side: what happened to it.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<(u64, Event)>,
    pub(crate) completions: Vec<(u64, Completion)>,
}

impl Service for Recorder {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        match event {
            StreamEvent::Event(Event::Requested(request)) => {
                self.events.push((number, Event::Requested(request)));
                for name in 0..64 {
                    streams.post_receive(number, name, 4096).unwrap();
                }
                streams.accept(number, b"");
            }
            StreamEvent::Event(event) => self.events.push((number, event)),
            StreamEvent::Completion(completion) => self.completions.push((number, completion)),
            StreamEvent::FellBack(_) | StreamEvent::Closed => {}
        }
    }
}

/// A runner and a target.
pub(crate) struct Lab {
    pub(crate) pipe: Pipe,
    pub(crate) target: TestUlp,
    pub(crate) runner: Recorder,
    pub(crate) control: u64,
    sequence: u32,
    now: Duration,
}

impl Lab {
    /// A runner with a control stream of session 7.
    pub(crate) fn new() -> Self {
        Self::with(target_options(), memory(2))
    }

    pub(crate) fn with(options: TestUlpOptions, target_memory: Memory) -> Self {
        let mut lab = Self::without_streams(options, target_memory);
        lab.control = lab.connect(&bytes(&greeting(Purpose::Control, CONTROL)));
        lab
    }

    pub(crate) fn without_streams(options: TestUlpOptions, target_memory: Memory) -> Self {
        let sides = [Streams::new(memory(1)), Streams::new(target_memory)];
        let accepting = [config(), options.config.clone()];
        Self {
            pipe: Pipe::new(sides, accepting),
            target: TestUlp::new(options),
            runner: Recorder::default(),
            control: 0,
            sequence: 100,
            now: Duration::ZERO,
        }
    }

    /// Lets everything happen.
    pub(crate) fn run(&mut self) {
        self.pipe.run(&mut [&mut self.runner, &mut self.target]);
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.now += time;
        self.pipe.set_now(self.now);
        if self.target.poll_timeout().is_some_and(|due| due <= self.now) {
            self.target.handle_timeout(&mut self.pipe.sides[1]);
        }
        self.run();
    }

    /// The runner's streams.
    pub(crate) fn streams(&mut self) -> &mut Streams {
        &mut self.pipe.sides[0]
    }

    /// A stream with this private data, and receives for answers.
    pub(crate) fn connect(&mut self, private_data: &[u8]) -> u64 {
        let mut config = config();
        config.setup.private_data = private_data.to_vec();
        self.connect_with(config)
    }

    pub(crate) fn connect_with(&mut self, config: Config) -> u64 {
        let number = self.streams().connect(ADDRESS, config, false);
        self.run();
        number
    }

    /// A bare stream of this name with 16 receives of 4096 bytes at the target.
    pub(crate) fn bare(&mut self, name: u32) -> u64 {
        let greeting = Greeting { receives: 16, longest: 4096, ..greeting(Purpose::Bare, name) };
        self.connect(&bytes(&greeting))
    }

    /// Sends a message and says nothing of the answer.
    pub(crate) fn send(&mut self, stream: u64, message: &[u8]) {
        self.streams().post_receive(stream, 0, LONGEST as usize).unwrap();
        let operation = warpscope_peer::work::Operation::send(message);
        self.streams().post(stream, WorkRequest::new(0, operation)).unwrap();
        self.run();
    }

    /// The messages that came on a stream of the runner since this was asked last.
    pub(crate) fn received(&mut self, stream: u64) -> Vec<Received> {
        let mut received = Vec::new();
        self.runner.completions.retain(|(number, completion)| {
            let here = *number == stream && completion.kind == OperationKind::Receive;
            if let (true, Ok(Outcome::Received(message))) = (here, &completion.result) {
                received.push(message.clone());
            }
            !here
        });
        received
    }

    /// Gives an order on a stream; returns its answer.
    pub(crate) fn order_on(&mut self, stream: u64, order: &Order) -> Answer {
        self.sequence += 1;
        let message = order.message(self.sequence);
        self.received(stream);
        self.send(stream, &message);
        let received = self.received(stream);
        let [answer] = &received[..] else { panic!("{order:?} was answered by {received:?}") };
        let message = Message::parse(&answer.bytes).unwrap();
        assert_eq!((message.kind, message.sequence), (order.kind() | 0x80, self.sequence));
        assert!(answer.bytes.len() <= LONGEST as usize);
        Answer::parse(&message).unwrap()
    }

    /// Gives an order on the control stream.
    pub(crate) fn order(&mut self, order: &Order) -> Answer {
        self.order_on(self.control, order)
    }

    /// Gives an order that must be carried out.
    pub(crate) fn done(&mut self, order: &Order) {
        assert_eq!(self.order(order), Answer::Done, "{order:?}");
    }

    /// Gives an order that must not be carried out; returns the status and the byte to blame.
    pub(crate) fn refused(&mut self, order: &Order) -> Status {
        match self.order(order) {
            Answer::Refused(status, _, text) => {
                assert!(!text.is_empty());
                status
            }
            other => panic!("{order:?} was answered by {other:?}"),
        }
    }

    /// Registers a region at the target.
    pub(crate) fn register(&mut self, length: u64, rights: AccessRights) -> RegionDescription {
        match self.order(&Order::Register(register(length, rights), String::new())) {
            Answer::Region(region, _) => region,
            other => panic!("{other:?}"),
        }
    }

    /// What happened on a stream of the target, by name, and was not asked for yet.
    pub(crate) fn reports(&mut self, stream: u32) -> Vec<Happened> {
        let mut happened = Vec::new();
        loop {
            let order = ReportsOrder { stream, most: 100, wait: 0, front: 512 };
            match self.order(&Order::Reports(order)) {
                Answer::Reports(head, reports) => {
                    assert!(reports.iter().all(|it| stream == 0 || it.stream == stream));
                    happened.extend(reports.into_iter().map(|it| it.happened));
                    if head.left == 0 {
                        return happened;
                    }
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
