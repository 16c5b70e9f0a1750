//! A runner: what the tests know of the other side is what its agent says.

use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use warpscope_peer::connection::{Config, Event, Role};
use warpscope_peer::memory::{Accessor, Memory};
use warpscope_peer::service::Service;
use warpscope_peer::service::agent::{Agent, AgentOptions};
use warpscope_peer::setup::SetupRevision;
use warpscope_peer::streams::{ControlEvent, Pipe, StreamEvent, Streams};
use warpscope_peer::work::{Completion, OperationKind, Outcome, Received, WorkRequest};
use warpscope_wire::rdmap::Profile;

pub(crate) const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4420);
/// The control connection of the tests, and another one.
pub(crate) const SESSION: u64 = 7;
pub(crate) const OTHER: u64 = 8;

/// A configuration with every document.
pub(crate) fn config() -> Config {
    let accessor = Accessor { stream: 0, protection_domain: 1 };
    let mut config = Config::new(Role::Initiator, accessor);
    config.setup.revision = SetupRevision::Two;
    config.setup.enhanced = true;
    Config { profile: Profile::ALL, accepts: false, ..config }
}

/// A target whose streams have every document.
pub(crate) fn options() -> AgentOptions {
    AgentOptions::new(Config { role: Role::Responder, ..config() })
}

/// The runner's side: what happened to it.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<(u64, Event)>,
    pub(crate) completions: Vec<(u64, Completion)>,
    /// It leaves requests unanswered.
    pub(crate) waits: bool,
}

impl Service for Recorder {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        match event {
            StreamEvent::Event(Event::Requested(request)) => {
                self.events.push((number, Event::Requested(request)));
                if !self.waits {
                    streams.accept(number, b"");
                }
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
    pub(crate) agent: Agent,
    pub(crate) runner: Recorder,
    /// What the agent said on control connections and was not looked at.
    messages: Vec<(u64, Value)>,
    calls: u64,
    now: Duration,
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self::with(options())
    }

    pub(crate) fn with(options: AgentOptions) -> Self {
        let sides = [1, 2].map(|seed| Streams::new(Memory::seeded(seed)));
        let accepting = [config(), options.config.clone()];
        let mut lab = Self {
            pipe: Pipe::new(sides, accepting),
            agent: Agent::new(options),
            runner: Recorder::default(),
            messages: Vec::new(),
            calls: 0,
            now: Duration::ZERO,
        };
        lab.control(SESSION, ControlEvent::Opened(ADDRESS));
        lab
    }

    /// Has something happen on a control connection.
    pub(crate) fn control(&mut self, session: u64, event: ControlEvent) {
        self.agent.control(&mut self.pipe.sides[1], session, event);
        self.run();
    }

    /// Lets everything happen.
    pub(crate) fn run(&mut self) {
        self.pipe.run(&mut [&mut self.runner, &mut self.agent]);
        while let Some((session, line)) = self.agent.poll_control() {
            assert!(line.ends_with('\n') && line.lines().count() == 1, "{line}");
            self.messages.push((session, serde_json::from_str(&line).unwrap()));
        }
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.now += time;
        self.pipe.set_now(self.now);
        if self.agent.poll_timeout().is_some_and(|due| due <= self.now) {
            self.agent.handle_timeout(&mut self.pipe.sides[1]);
        }
        self.run();
    }

    /// The runner's streams.
    pub(crate) fn streams(&mut self) -> &mut Streams {
        &mut self.pipe.sides[0]
    }

    /// Says a line, and returns the one reply to it; events stay.
    pub(crate) fn line(&mut self, session: u64, line: &[u8]) -> Value {
        self.control(session, ControlEvent::Line(line.to_vec()));
        let reply =
            |(its, message): &(u64, Value)| *its == session && message.get("method").is_none();
        let at = self.messages.iter().position(reply).expect("a line has a reply");
        let (_, reply) = self.messages.remove(at);
        assert!(
            self.messages.iter().all(|(_, message)| message.get("method").is_some()),
            "one reply"
        );
        reply
    }

    fn call(&mut self, session: u64, method: &str, params: &Value) -> Value {
        self.calls += 1;
        let call = json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params});
        let reply = self.line(session, call.to_string().as_bytes());
        assert_eq!(reply["id"], self.calls, "{reply}");
        reply
    }

    /// Calls a method that must succeed; its result.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut reply = self.call(SESSION, method, &params);
        assert!(reply.get("error").is_none(), "{method} {params}: {reply}");
        reply["result"].take()
    }

    /// Calls a method that must fail; the code of the error.
    pub(crate) fn refused(&mut self, method: &str, params: Value) -> i64 {
        self.refused_in(SESSION, method, params)
    }

    pub(crate) fn refused_in(&mut self, session: u64, method: &str, params: Value) -> i64 {
        let reply = self.call(session, method, &params);
        let error = &reply["error"];
        assert!(!error["message"].as_str().unwrap_or("").is_empty(), "{method} {params}: {reply}");
        error["code"].as_i64().unwrap()
    }

    /// What happened on a stream and was not looked at yet.
    pub(crate) fn happened(&mut self, stream: &str) -> Vec<Value> {
        let (mine, others) = std::mem::take(&mut self.messages)
            .into_iter()
            .partition(|(_, message)| message["params"]["stream"] == stream);
        self.messages = others;
        let mine: Vec<(u64, Value)> = mine;
        assert!(mine.iter().all(|(session, _)| *session == SESSION));
        mine.into_iter().map(|(_, mut message)| message["params"].take()).collect()
    }

    /// The names of events that happened on a stream.
    pub(crate) fn names(&mut self, stream: &str) -> Vec<String> {
        let happened = self.happened(stream);
        happened.iter().map(|it| it["event"].as_str().unwrap().to_owned()).collect()
    }

    /// The event of a name among those of a stream.
    pub(crate) fn event(&mut self, stream: &str, name: &str) -> Value {
        let all = self.happened(stream);
        let found = all.iter().find(|it| it["event"] == name).cloned();
        found.unwrap_or_else(|| panic!("no {name} in {all:?}"))
    }

    /// Whether nothing at all is left to say.
    pub(crate) fn is_quiet(&self) -> bool {
        self.messages.is_empty()
    }

    /// Prepares for a stream, with receives and what else is given, and opens it.
    pub(crate) fn stream(&mut self, name: &str, given: &Value) -> u64 {
        let mut options = json!({
            "stream": name, "from": ADDRESS.to_string(), "receives": 16, "receive_size": 4096
        });
        for (key, value) in given.as_object().unwrap() {
            options[key] = value.clone();
        }
        self.ask("prepare", options);
        self.connect(config())
    }

    pub(crate) fn connect(&mut self, config: Config) -> u64 {
        let number = self.streams().connect(ADDRESS, config, false);
        self.run();
        number
    }

    /// Posts work at the runner.
    pub(crate) fn post(&mut self, stream: u64, operation: warpscope_peer::work::Operation) {
        self.streams().post(stream, WorkRequest::new(0, operation)).unwrap();
        self.run();
    }

    /// The messages that came on a stream of the runner.
    pub(crate) fn received(&mut self, stream: u64) -> Vec<Received> {
        let mut received = Vec::new();
        for (number, completion) in self.runner.completions.drain(..) {
            if let (true, OperationKind::Receive, Ok(Outcome::Received(message))) =
                (number == stream, completion.kind, completion.result)
            {
                received.push(message);
            }
        }
        received
    }

    /// Registers a region for every stream, with every right; its STag.
    pub(crate) fn register(&mut self, name: &str, length: u64) -> u32 {
        let rights =
            json!(["read", "write", "atomic", "flush_persistence", "flush_visibility", "verify"]);
        let asked = json!({"region": name, "length": length, "rights": rights, "base": "0x0"});
        self.ask("register", asked)["stag"].as_u64().unwrap() as u32
    }

    /// What a region holds, as hexadecimal digits.
    pub(crate) fn read(&mut self, name: &str, offset: u64, length: u64) -> String {
        let range = json!({"region": name, "offset": offset, "length": length});
        self.ask("read_memory", range).as_str().unwrap().to_owned()
    }
}
