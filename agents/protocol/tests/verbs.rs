//! The verbs agent of `agents/verbs`, with a device that is not there, against the protocol: what it
//! answers to every method, with good parameters and with bad ones.
//!
//! It needs a C compiler and the development files of rdma-core and jansson: `verbs` in
//! `WARPSCOPE_REQUIRE`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "these are tests"
)]

#[path = "../../../tests/support/require.rs"]
#[allow(dead_code, reason = "tshark is not for here")]
mod require;

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::time::Duration;
use warpscope_agent::{Ability, Bytes, Call, Capabilities, EventKind, Region, Reply, Says};

/// The agent, built once; none where it cannot be.
fn built() -> Option<&'static PathBuf> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("verbs-agent");
        let mut make = Command::new("make");
        make.args(["-B", "-C", concat!(env!("CARGO_MANIFEST_DIR"), "/../verbs"), "fake"]);
        let made = make.arg(format!("FAKE={}", program.display())).output();
        let made = made.map_err(|error| error.to_string()).and_then(|it| match it.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&it.stderr).into_owned()),
        });
        match made {
            Ok(()) => Some(program),
            Err(why) if why.contains("error:") && !why.contains("No such file") => panic!("{why}"),
            Err(why) => {
                require::missing("verbs", &why);
                None
            }
        }
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
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(built()?);
        command.args(["-a", "127.0.0.1", "-c", &port.to_string(), "-f", env!("CARGO_TARGET_TMPDIR")]);
        Some(Self(command.spawn().unwrap(), port))
    }

    fn session(&self) -> Session {
        let connect = || TcpStream::connect(("127.0.0.1", self.1)).ok();
        let patience = Duration::from_millis(20);
        let mut tries = std::iter::repeat_with(|| std::thread::sleep(patience)).take(500);
        let stream = tries.find_map(|()| connect()).expect("the agent listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        Session { lines: BufReader::new(stream), events: Vec::new(), number: 0 }
    }
}

struct Session {
    lines: BufReader<TcpStream>,
    events: Vec<String>,
    number: u64,
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

    fn call(&mut self, method: &str, params: Value) -> Result<Value, i32> {
        self.number += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params});
        let (id, result) = self.say(&line.to_string());
        assert_eq!(id, Some(self.number), "{line}");
        result
    }

    fn wait(&mut self, event: &str) {
        while !self.events.iter().any(|it| it == event) {
            self.hear();
        }
    }

    /// A stream from `out` to `in`, both of the agent.
    fn opens(&mut self) {
        let prepared = json!({"from": "192.0.2.1:9", "stream": "in", "receives": 2, "receive_size": 8});
        assert_eq!(self.call("prepare", prepared), Ok(Value::Null));
        let opened = json!({"stream": "out", "address": "127.0.0.1", "port": 7174});
        assert_eq!(self.call("open", opened), Ok(Value::Null));
        self.wait("out established");
    }
}

/// Every method with all its parameters.
fn calls() -> Vec<(&'static str, Value)> {
    let options = json!({"revision": 2, "enhanced": true, "markers": true, "crc": true, "peer_to_peer": true,
        "ready_to_receive": ["read"], "ird": 1, "ord": 1, "required_ord": 1, "private_data": "00",
        "protection_domain": 2, "longest_ulpdu": 99, "packing": "shared", "profile": "all", "receives": 1,
        "receive_size": 1, "reject": true, "delay": 1, "fall_back": true, "half_open": true, "stream": "s"});
    let [mut open, mut prepare] = [options.clone(), options];
    open["port"] = json!(7174);
    open["address"] = json!("::1");
    prepare["from"] = json!("[::1]:7174");
    vec![
        ("capabilities", json!({})),
        ("reset", json!({})),
        ("register", json!({"region": "r", "length": 8, "rights": ["read"], "base": "0x1F0000", "scope": "stream",
            "stream": "s", "backing": "file"})),
        ("bind_window", json!({"region": "w", "of": "r", "offset": 1, "length": 2, "rights": ["write"],
            "base": "0x0", "scope": "protection_domain", "stream": "s"})),
        ("invalidate", json!({"region": "r"})),
        ("revalidate", json!({"region": "r", "rights": ["read", "atomic"]})),
        ("deregister", json!({"region": "r"})),
        ("read_memory", json!({"region": "r", "offset": 0, "length": 1})),
        ("write_memory", json!({"region": "r", "offset": 0, "bytes": "aF"})),
        ("recall", json!({"region": "r"})),
        ("post_receives", json!({"stream": "s", "count": 1, "size": 1, "identifier": 1, "region": "r", "offset": 0})),
        ("post", json!({"stream": "s", "identifier": 1, "operation": "verify", "flags": ["fence", "compare"],
            "payload": "00", "region": "r", "offset": 0, "length": 1, "stag": 1, "to": "0xffffffffffffffff",
            "atomic": "swap", "data": "0x1", "mask": "0x1", "compare_data": "0x1", "compare_mask": "0x1",
            "invalidate_stag": 1})),
        ("open", open),
        ("prepare", prepare),
        ("finish", json!({"stream": "s"})),
        ("abort", json!({"stream": "s"})),
    ]
}

/// What the protocol takes, the agent takes; what it does not take is refused with the same code and number.
#[test]
fn the_agent_takes_and_refuses_what_the_protocol_does() {
    let Some(agent) = Agent::start() else { return };
    let mut session = agent.session();
    let mut lines: Vec<String> = ["", "\u{0}", "{", "7", "[]", "null", "{\"id\":3,\"method\":\"reset\"}"].map(String::from).into();
    for id in [json!("3"), json!(-3), json!(null), json!(1.5), json!(3)] {
        lines.push(json!({"jsonrpc": "2.0", "id": id, "method": "rest", "params": [1]}).to_string());
        lines.push(json!({"jsonrpc": "2", "id": id, "method": "reset"}).to_string());
    }
    for (method, params) in calls() {
        let mut line = |params: Value| lines.push(json!({"jsonrpc": "2.0", "id": 5, "method": method, "params": params}).to_string());
        line(params.clone());
        line(json!([]));
        line(json!("x"));
        for key in params.as_object().unwrap().keys() {
            let mut without = params.clone();
            without.as_object_mut().unwrap().remove(key);
            line(without);
            for value in [json!(true), json!(7), json!(-1), json!(1.5), json!("x"), json!("0x"), json!("0x10"), json!("00 0"),
                json!(["x"]), json!([]), json!([7]), json!({}), json!("read write"), json!("[::1]7"), json!("1.2.3.4:99999")]
            {
                let mut other = params.clone();
                other[key] = value;
                line(other);
            }
        }
    }
    for line in lines {
        let (id, result) = session.say(&line);
        match Call::read(line.as_bytes()).map_err(|it| it.says) {
            Ok(_) => assert!(result.is_ok() || (1..=4).contains(&result.clone().unwrap_err()), "{line}: {result:?}"),
            Err(Says::Error { id: its, error }) => assert_eq!((id, result), (its, Err(error.code)), "{line}"),
            Err(other) => panic!("{other:?}"),
        }
    }
}

/// A stream from its opening to its end, which leaves its name; and windows on it.
#[test]
fn a_stream_that_ended_stays_until_its_name_is_given_again() {
    let Some(agent) = Agent::start() else { return };
    let mut session = agent.session();
    let capabilities: Capabilities = serde_json::from_value(session.call("capabilities", json!({})).unwrap()).unwrap();
    for ability in [Ability::Windows, Ability::StreamScope, Ability::ZeroBased, Ability::InvalidatedTags, Ability::SolicitedEvents] {
        assert!(capabilities.abilities.contains(&ability), "{ability:?} is found by trying");
    }
    session.opens();
    assert_eq!(session.call("prepare", json!({"from": "192.0.2.1:9", "stream": "in"})), Err(3));
    let sink = json!({"region": "sink", "length": 8, "rights": ["read", "write"], "scope": "stream", "stream": "in", "base": "0x0"});
    let sink: Region = serde_json::from_value(session.call("register", sink).unwrap()).unwrap();
    let window = json!({"region": "window", "of": "sink", "offset": 2, "length": 4, "rights": ["write"]});
    let window: Region = serde_json::from_value(session.call("bind_window", window).unwrap()).unwrap();
    assert_eq!(session.call("deregister", json!({"region": "sink"})), Err(3), "a window is bound to it");
    let write = |identifier: u32, region: Region| {
        json!({"stream": "out", "identifier": identifier, "operation": "rdma_write", "payload": "abcd", "stag": region.stag,
            "to": region.base})
    };
    assert_eq!(session.call("post", write(1, sink)), Ok(Value::Null));
    assert_eq!(session.call("post", write(2, window)), Ok(Value::Null));
    let bytes = session.call("read_memory", json!({"region": "sink", "offset": 0, "length": 5})).unwrap();
    let bytes: Bytes = serde_json::from_value(bytes).unwrap();
    assert_eq!(bytes.0, [0xab, 0xcd, 0xab, 0xcd, 0]);
    assert_eq!(session.call("read_memory", json!({"region": "sink", "offset": 5, "length": 4})), Err(2));
    assert_eq!(session.call("register", json!({"region": "sink", "length": 8, "rights": []})), Err(3));
    assert_eq!(session.call("register", json!({"region": "b", "length": 8, "rights": ["verify"]})), Err(1));
    assert_eq!(session.call("register", json!({"region": "b", "length": 1_u64 << 40, "rights": []})), Err(4));
    assert_eq!(session.call("invalidate", json!({"region": "window"})), Ok(Value::Null));
    let send = json!({"stream": "out", "identifier": 3, "operation": "send", "payload": "00", "flags": ["solicited"]});
    assert_eq!(session.call("post", send.clone()), Ok(Value::Null));
    assert_eq!(session.call("post", write(4, window)), Ok(Value::Null), "it ends the stream");
    session.wait("in ended");
    session.wait("out ended");
    for method in ["finish", "abort"] {
        assert_eq!(session.call(method, json!({"stream": "out"})), Err(3), "{method}");
        assert_eq!(session.call(method, json!({"stream": "other"})), Err(2), "{method}");
    }
    assert_eq!(session.call("post", send), Err(3));
    let receives = json!({"stream": "in", "count": 1, "size": 1, "identifier": 1});
    assert_eq!(session.call("post_receives", receives), Err(3));
    let of_in: Vec<&str> = session.events.iter().filter_map(|it| it.strip_prefix("in ")).collect();
    let expected = ["request", "established", "arrival", "solicited_event", "completion", "ended"];
    assert_eq!(of_in, expected, "what was flushed is told before the end");
    assert_eq!(session.call("prepare", json!({"from": "192.0.2.1:9", "stream": "in"})), Ok(Value::Null));
}

/// What a session had is gone with it, and others never see it.
#[test]
fn a_session_leaves_nothing() {
    let Some(agent) = Agent::start() else { return };
    let region = json!({"region": "r", "length": 1 << 26, "rights": ["read"], "base": "0x10000000"});
    for _ in 0..5 {
        let [mut first, mut second] = [agent.session(), agent.session()];
        first.opens();
        while first.call("register", region.clone()).is_err() {
            // The session before is ending.
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(second.call("read_memory", json!({"region": "r", "offset": 0, "length": 1})), Err(2));
        assert_eq!(second.call("finish", json!({"stream": "in"})), Err(2));
        first.lines.get_mut().write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,").unwrap();
    }
}
