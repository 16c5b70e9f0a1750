//! The verbs agent of `agents/verbs`, with a device that is not there, against the protocol. It needs
//! a C compiler and the development files of rdma-core and jansson: `verbs` in `WARPSCOPE_REQUIRE`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

#[path = "../../../tests/support/require.rs"]
#[allow(dead_code, unreachable_pub, reason = "other tests use all of it")]
mod require;

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use warpscope_agent::{Call, Capabilities, EventKind, Region, Reply, Says};

/// Every method, with all parameters that it has.
const CALLS: &str = include_str!("../../verbs/test/calls.txt");
/// What takes the place of each parameter.
const VALUES: &str = r#"[true, 7, -1, 1.5, "x", "0x", "0x10", "00 0", ["x"], [], [7], {}, "read write", "[::1]7", "1.2.3.4:99999"]"#;
const NO_CALLS: &str = include_str!("../../verbs/test/no-calls.txt");

/// A stream from its opening to its end, with memory for it: a code of an error or 0, and a call; or
/// an event that is waited for. `$0` is the STag of what was registered first, with its offset.
const STORY: &str = include_str!("../../verbs/test/story.txt");
/// What is said of its stream `in`: what was flushed comes before the end.
const OF_IN: &str = "request established arrival solicited_event completion ended";

/// Two streams are prepared with receives that fit, but not together.
const TOO_MUCH: &str = r#"
0 prepare {"stream": "a", "from": "192.0.2.1:1", "receives": 10, "receive_size": 16777216}
0 prepare {"stream": "b", "from": "192.0.2.1:2", "receives": 10, "receive_size": 16777216}
0 open {"stream": "to-a", "address": "127.0.0.1", "port": 7174}
- a established
0 open {"stream": "to-b", "address": "127.0.0.1", "port": 7174}
- b setup_failed
- b ended
0 register {"region": "r", "length": 8, "rights": []}
"#;

/// The agent, built once; none where it cannot be.
fn built() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        // Made under a name of its own: another run of the tests may have the program open.
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let program = folder.join("verbs-agent");
        let fresh = folder.join(format!("verbs-agent-{}", std::process::id()));
        let mut make = Command::new("make");
        make.args(["-B", "-C", concat!(env!("CARGO_MANIFEST_DIR"), "/../verbs"), "fake"]);
        let why = match make.arg(format!("FAKE={}", fresh.display())).output() {
            Ok(made) if made.status.success() => {
                std::fs::rename(fresh, &program).unwrap();
                return Some(program);
            }
            Ok(made) => String::from_utf8_lossy(&made.stderr).into_owned(),
            Err(error) => error.to_string(),
        };
        assert!(!why.contains("error:") || why.contains("No such file"), "{why}");
        require::missing("verbs", &why);
        None
    };
    PROGRAM.get_or_init(build).as_ref()
}

struct Agent(Child, u16);

impl Drop for Agent {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Agent {
    fn start() -> Option<Self> {
        // A port that the system gives to nobody else; another agent, also of another run of the tests, has another.
        static AGENTS: AtomicU32 = AtomicU32::new(0);
        let agent = AGENTS.fetch_add(1, Ordering::Relaxed);
        let port = 10_000 + ((std::process::id() * 8 + agent) % 20_000) as u16;
        let mut command = Command::new(built()?);
        command.args(["-a", "127.0.0.1", "-f", env!("CARGO_TARGET_TMPDIR"), "-c"]);
        Some(Self(command.arg(port.to_string()).spawn().unwrap(), port))
    }

    fn session(&self) -> Session {
        let patience = Duration::from_millis(20);
        let mut tries = std::iter::repeat_with(|| std::thread::sleep(patience)).take(500);
        let stream = tries.find_map(|()| TcpStream::connect(("127.0.0.1", self.1)).ok()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        Session { lines: BufReader::new(stream), events: Vec::new() }
    }
}

struct Session {
    lines: BufReader<TcpStream>,
    /// Stream and kind of each.
    events: Vec<String>,
}

impl Session {
    /// The next line, which is one of the protocol.
    fn hear(&mut self) -> Says {
        let mut line = String::new();
        assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "the agent is there");
        let says = Reply::read(line.as_bytes()).unwrap_or_else(|error| panic!("{error}")).says;
        if let Says::Event { params, .. } = &says {
            let kind: &str = EventKind::from(&params.happened).into();
            self.events.push(format!("{} {kind}", params.stream));
        }
        says
    }

    /// Sends a line, and gives the reply: its number, and a result or a code.
    fn say(&mut self, line: &str) -> (Option<u64>, Result<Value, i32>) {
        self.lines.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
        loop {
            match self.hear() {
                Says::Event { .. } => {}
                Says::Error { id, error } => return (id, Err(error.code)),
                Says::Result { id, result } => return (Some(id), Ok(result)),
            }
        }
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value, i32> {
        let line = json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": params});
        self.say(&line.to_string()).1
    }

    fn goes_through(&mut self, story: &str) {
        let mut regions: Vec<Region> = Vec::new();
        for line in story.trim().lines() {
            let (code, rest) = line.split_once(' ').unwrap();
            if code == "-" {
                while !self.events.iter().any(|it| it == rest) {
                    self.hear();
                }
                continue;
            }
            let (method, params) = rest.split_once(' ').unwrap();
            let mut params = params.to_owned();
            for (number, Region { stag, base, .. }) in regions.iter().enumerate() {
                let there = format!("{stag}, \"to\": \"{:#x}\"", base.0);
                params = params.replace(&format!("${number}"), &there);
            }
            let mut values = serde_json::Deserializer::from_str(&params).into_iter::<Value>();
            let result = self.call(method, &values.next().unwrap().unwrap());
            assert_eq!(result.clone().err().unwrap_or(0).to_string(), code, "{line}");
            let region =
                result.clone().ok().and_then(|it| serde_json::from_value::<Region>(it).ok());
            regions.extend(region);
            assert!(values.next().is_none_or(|it| result.ok() == it.ok()), "{line}");
        }
    }
}

/// What the protocol takes, the agent takes; what not, it refuses with the same code and number.
#[test]
fn the_agent_takes_and_refuses_what_the_protocol_does() {
    let Some(agent) = Agent::start() else { return };
    let mut session = agent.session();
    let mut lines: Vec<String> = NO_CALLS.lines().map(str::to_owned).collect();
    let values: Vec<Value> = serde_json::from_str(VALUES).unwrap();
    for (method, params) in CALLS.trim().lines().map(|it| it.split_once(' ').unwrap()) {
        let params: Value = serde_json::from_str(params).unwrap();
        let mut line = |it: &Value| {
            let line = json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": it});
            lines.push(line.to_string());
        };
        [&params, &json!([]), &json!("x")].into_iter().for_each(&mut line);
        for key in params.as_object().unwrap().keys() {
            let mut changed = params.clone();
            changed.as_object_mut().unwrap().remove(key);
            line(&changed);
            for value in &values {
                changed.as_object_mut().unwrap().insert(key.clone(), value.clone());
                line(&changed);
            }
        }
        let mut unknown = params.clone();
        unknown.as_object_mut().unwrap().insert("recieves".to_owned(), json!(1));
        line(&unknown);
    }
    for line in lines {
        let (id, result) = session.say(&line);
        match Call::read(line.as_bytes()).map_err(|it| it.says) {
            Ok(_) => assert!(result.clone().err().is_none_or(|it| (1..=4).contains(&it)), "{line}"),
            Err(Says::Error { id: its, error: it }) => {
                assert_eq!((id, result), (its, Err(it.code)), "{line}")
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_stream_that_ended_stays_until_its_name_is_given_again() {
    let Some(agent) = Agent::start() else { return };
    let mut session = agent.session();
    let found = session.call("capabilities", &json!({})).unwrap();
    let found: Capabilities = serde_json::from_value(found).unwrap();
    assert_eq!(found.abilities.len(), 17, "the device lacks Atomics alone: {found:?}");
    session.goes_through(STORY);
    let of_in = session.events.iter().filter_map(|it| it.strip_prefix("in "));
    assert_eq!(of_in.collect::<Vec<&str>>().join(" "), OF_IN);
}

#[test]
fn prepared_receives_take_no_more_memory_than_there_is() {
    let Some(agent) = Agent::start() else { return };
    agent.session().goes_through(TOO_MUCH);
}

/// What a session had is gone with it, and others never see it.
#[test]
fn a_session_leaves_nothing() {
    let Some(agent) = Agent::start() else { return };
    let region = json!({"region": "r", "length": 1 << 26, "rights": [], "base": "0x10000000"});
    for _ in 0..5 {
        let [mut first, mut second] = [agent.session(), agent.session()];
        while first.call("register", &region).is_err() {
            // The session before is ending.
            std::thread::sleep(Duration::from_millis(5));
        }
        first.goes_through(STORY.split_once("- out").unwrap().0);
        second.goes_through("2 recall {\"region\": \"r\"}\n2 finish {\"stream\": \"in\"}");
        first.lines.get_mut().write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,").unwrap();
    }
}
