//! An agent on real connections.

use crate::{LOOPBACK, config, host, raise_socket_limit};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use warpscope_peer::service::agent::{Agent, AgentOptions};
use warpscope_peer::work::{Operation, RemoteBuffer, WorkRequest};

const PATIENCE: Duration = Duration::from_secs(30);

/// An agent in a thread of its own, which ends with the value.
struct Running {
    streams: SocketAddr,
    control: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start() -> Self {
        let mut server = host(1);
        let options = AgentOptions::default();
        let streams = server.listen(LOOPBACK, options.config.clone()).unwrap();
        let control = server.listen_for_control(LOOPBACK).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut agent = Agent::new(options);
            let stop = || asked.load(Ordering::Relaxed);
            server.serve(&mut agent, stop, Duration::from_secs(5)).unwrap();
        });
        Self { streams, control, stop, thread: Some(thread) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A control connection.
struct Line {
    lines: BufReader<TcpStream>,
    calls: u64,
}

impl Line {
    fn on(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { lines: BufReader::new(stream), calls: 0 }
    }

    fn to(agent: &Running) -> Self {
        Self::on(TcpStream::connect(agent.control).unwrap())
    }

    fn say(&mut self, method: &str, params: &Value) {
        self.calls += 1;
        let call = json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params});
        self.lines.get_ref().write_all(format!("{call}\n").as_bytes()).unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// What comes of a call; what happens before is not looked at.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.say(method, params);
        loop {
            let message = self.hear();
            if message["id"] == self.calls {
                return message;
            }
        }
    }
}

#[test]
fn events_are_told_while_nobody_asks() {
    let agent = Running::start();
    let mut control = Line::to(&agent);
    let mut runner = host(2);
    let number = runner.streams().connect(agent.streams, config(), false);
    let prepared = json!({"stream": "s", "from": "127.0.0.1:1", "receives": 1, "receive_size": 8});
    assert_eq!(control.ask("prepare", &prepared)["result"], Value::Null);
    let remote = RemoteBuffer { steering_tag: 0xdead_beef, tagged_offset: 0 };
    let write = Operation::Write { source: b"bytes"[..].into(), remote };
    let turning = std::thread::spawn(move || {
        runner.wait(PATIENCE).unwrap();
        runner.streams().post(number, WorkRequest::new(1, write)).unwrap();
        while runner.streams().count() > 0 {
            runner.wait(PATIENCE).unwrap();
        }
    });
    let mut names = Vec::new();
    while names.last().is_none_or(|name| name != "ended") {
        let event = control.hear();
        names.push(event["params"]["event"].as_str().unwrap().to_owned());
    }
    assert_eq!(names, ["request", "established", "completion", "terminates", "ended"]);
    turning.join().unwrap();
}

#[test]
fn calls_come_in_pieces_and_many_at_once_over_several_connections() {
    let agent = Running::start();
    let mut lines: Vec<Line> = (0..8).map(|_| Line::to(&agent)).collect();
    for control in &mut lines {
        let region = json!({"region": "a", "length": 65536, "rights": []});
        assert_eq!(control.ask("register", &region)["result"]["length"], 65536);
        for _ in 0..50 {
            control.say("read_memory", &json!({"region": "a", "offset": 0, "length": 65536}));
        }
    }
    for control in &mut lines {
        for call in control.calls - 49..=control.calls {
            let reply = control.hear();
            assert_eq!(reply["id"], call);
            assert_eq!(reply["result"].as_str().unwrap().len(), 131_072);
        }
        for piece in ["{\"jsonrpc\":\"2.0\",", "\"id\":99,\"method\":", "\"reset\"}", "\n{}\n"] {
            control.lines.get_ref().write_all(piece.as_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(control.hear(), json!({"jsonrpc": "2.0", "id": 99, "result": null}));
        assert_eq!(control.hear()["error"]["code"], -32600);
    }
}

/// As when a file of calls is piped into `nc -N`. All of it has come before the agent looks.
#[test]
fn calls_before_the_end_of_a_connection_are_answered() {
    const CALLS: u64 = 100;
    let mut server = host(1);
    let address = server.listen_for_control(LOOPBACK).unwrap();
    let mut control = Line::on(TcpStream::connect(address).unwrap());
    for _ in 0..CALLS {
        control.say("capabilities", &json!({}));
    }
    control.lines.get_ref().shutdown(Shutdown::Write).unwrap();
    let runner = std::thread::spawn(move || {
        for call in 1..=CALLS {
            assert_eq!(control.hear()["id"], call);
        }
        assert_eq!(control.lines.read_line(&mut String::new()).unwrap(), 0);
    });
    let mut agent = Agent::new(AgentOptions::default());
    server.serve(&mut agent, || runner.is_finished(), Duration::from_secs(5)).unwrap();
    runner.join().unwrap();
}

/// The agent has room for 256.
#[test]
fn more_runners_than_there_is_room_for_wait_for_their_turn() {
    raise_socket_limit();
    let agent = Running::start();
    let mut lines: Vec<Line> = (0..256).map(|_| Line::to(&agent)).collect();
    for control in &mut lines {
        assert_eq!(control.ask("reset", &json!({}))["result"], Value::Null);
    }
    let mut waiting = Line::to(&agent);
    waiting.say("reset", &json!({}));
    // It was seen, and not accepted.
    lines[0].ask("reset", &json!({}));
    drop(lines.pop());
    assert_eq!(waiting.hear()["id"], 1);
}

#[test]
fn an_agent_calls_a_runner_that_waits_now_and_again() {
    let listener = TcpListener::bind(LOOPBACK).unwrap();
    let address = listener.local_addr().unwrap();
    let mut server = host(1);
    server.call_runner(address);
    let stop = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&stop);
    let runner = std::thread::spawn(move || {
        for _ in 0..3 {
            let mut control = Line::on(listener.accept().unwrap().0);
            let can = control.ask("capabilities", &json!({}));
            assert_eq!(can["result"]["runner"], json!(address));
        }
        over.store(true, Ordering::Relaxed);
    });
    let mut agent = Agent::new(AgentOptions::default());
    server.serve(&mut agent, || stop.load(Ordering::Relaxed), Duration::from_secs(5)).unwrap();
    runner.join().unwrap();
}
