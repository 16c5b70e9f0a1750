//! A target that opens its streams in the peer-to-peer model, and takes no order about that.

use super::tests::instance;
use super::{Options, Target, probe, run_all};
use crate::judge::Verdict;
use crate::layout::Layouts;
use crate::stream::{MessageOut, Part, RawStream, Received, SetupOut};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::AtomicBool;

/// The indications of a request, of a reply, and the Read that comes after the setup.
const SEND: [u8; 4] = [0xc0, 4, 0, 4];
const WRITE: [u8; 4] = [0x80, 4, 0x80, 4];
const READ: [u8; 4] = [0x80, 4, 0x40, 4];
const ALL: [u8; 4] = [0xc0, 4, 0xc0, 4];

/// An agent whose streams ask with this enhanced data; returns where it listens. `obeys`: the stream sends
/// what the reply names, and else nothing.
fn opener(asked: [u8; 4], obeys: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for control in listener.incoming().flatten() {
            std::thread::spawn(move || answer(control, asked, obeys));
        }
    });
    address
}

fn answer(control: TcpStream, asked: [u8; 4], obeys: bool) -> Option<()> {
    let mut out = control.try_clone().ok()?;
    let (runner, listens) = (control.peer_addr().ok()?, control.local_addr().ok()?);
    for line in BufReader::new(control).lines() {
        let call: Value = serde_json::from_str(&line.ok()?).ok()?;
        let result = match call["method"].as_str()? {
            "capabilities" => json!({
                "protocol": 1, "agent": "opener", "runner": runner, "listens": listens,
                "abilities": ["opens-streams", "rdma-read"],
                "profiles": ["rfc5040"], "profile": "rfc5040",
                "limits": {"regions": 8, "region_length": 4096, "streams": 8, "receives": 8,
                    "receive_size": 4096, "work": 8, "private_data": 512, "ird": 4, "ord": 4},
            }),
            "open" => {
                let port = call["params"]["port"].as_u64()? as u16;
                let events = out.try_clone().ok()?;
                std::thread::spawn(move || opens(port, asked, obeys, events));
                Value::Null
            }
            _ => Value::Null,
        };
        let reply = json!({"jsonrpc": "2.0", "id": call["id"], "result": result});
        out.write_all(format!("{reply}\n").as_bytes()).ok()?;
    }
    None
}

/// Opens a stream, sends what the reply names, and asks for eight bytes.
fn opens(port: u16, asked: [u8; 4], obeys: bool, mut events: TcpStream) -> Option<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let (mut raw, mut buffer) = (RawStream::new(), [0; 4096]);
    let request = SetupOut { enhanced: true, revision: 2, ..SetupOut::request(&asked) };
    let write = |raw: &mut RawStream, stream: &mut TcpStream, part: Part| {
        raw.send(&[part]).iter().try_for_each(|it| stream.write_all(&it.bytes)).ok()
    };
    write(&mut raw, &mut stream, Part::Setup(request))?;
    let eight = MessageOut::read_request((0x41, 0), 8, (7, 0));
    loop {
        let length = stream.read(&mut buffer).ok().filter(|length| *length > 0)?;
        for came in raw.receive(&buffer[..length]).to_vec() {
            let named = match &came {
                Received::Setup(setup) => setup.private_data().to_vec(),
                // The response to the indication.
                _ => {
                    write(&mut raw, &mut stream, Part::Message(eight.clone()))?;
                    continue;
                }
            };
            if !obeys || named[0] & 0x80 == 0 {
                continue;
            }
            let (send, reads) = (named[0] & 0x40 != 0, named[2] & 0x40 != 0);
            let indication = match (send, reads) {
                (true, _) => MessageOut::send(b""),
                (_, true) => MessageOut::read_request((0, 0), 0, (0, 0)),
                _ => MessageOut::write(0, 0, b""),
            };
            write(&mut raw, &mut stream, Part::Message(indication))?;
            let up = json!({"stream": "a", "event": "established", "ird": 4, "ord": 4});
            let up = json!({"jsonrpc": "2.0", "method": "event", "params": up});
            events.write_all(format!("{up}\n").as_bytes()).ok()?;
            if !reads {
                write(&mut raw, &mut stream, Part::Message(eight.clone()))?;
            }
        }
    }
}

/// What an instance with these steps makes of that target, and why.
fn verdict(asked: [u8; 4], obeys: bool, steps: &str) -> (Verdict, String) {
    let target = Target::agent(opener(asked, obeys));
    let options = Options::default();
    let known = probe(&target, &options).unwrap();
    let instance = instance(&format!("needs: [agent, opens-streams]\nrole: responder\n{steps}"));
    let (stop, mut outcomes) = (AtomicBool::new(false), Vec::new());
    let layouts = Layouts::builtin().unwrap();
    run_all(&target, &known, &layouts, &[instance], &options, &stop, |it| outcomes.push(it))
        .unwrap();
    let outcome = outcomes.remove(0);
    (outcome.verdict, outcome.reason.unwrap_or_default())
}

/// The reply has flag A, names one indication of the request, and waits for that (RFC 6581 section 9.2); a
/// Read has used the first number of queue 1.
#[test]
fn the_reply_takes_the_model_over() {
    for (asked, first) in [(SEND, 1), (WRITE, 1), (READ, 2), (ALL, 1)] {
        for msn in ["$stream.first_request".to_owned(), first.to_string()] {
            let expect = format!("{{rdma_read_request: {{msn: {msn}, source_stag: 7, size: 8}}}}");
            let steps = format!("steps: [{{connect: {{}}}}, {{expect: {expect}, within: 5s}}]");
            let (verdict, why) = verdict(asked, true, &steps);
            assert_eq!(verdict, Verdict::Pass, "{asked:02x?}: {why}");
        }
    }
}

/// Without its indication the setup is not over.
#[test]
fn the_indication_is_demanded() {
    let (verdict, why) = verdict(WRITE, false, "steps: [{connect: {}}, {expect: nothing}]");
    assert_eq!(verdict, Verdict::Fail, "{why}");
    assert!(why.contains("rdma_write") || why.contains("RDMA Write"), "{why}");
}

/// A case that names the model gets what it says.
#[test]
fn a_case_may_say_otherwise() {
    let steps = "steps: [{connect: {enhanced: on, peer_to_peer: off}}, {expect: nothing}]";
    let (_, why) = verdict(WRITE, true, steps);
    assert!(!why.contains("rdma_write"), "{why}");
}
