//! What is said without end, and what is small and means much: filters, YAML files, agents, streams.

use super::bombs::{MEMORY, takes_bounded_memory};
use super::listener::Listener;
use super::memory;
use super::program::{Folder, has, run, shipped};
use super::running::{Running, until};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Filters of depth 100,000, or as long as an argument may be, are refused or work.
#[test]
fn filters_take_bounded_memory() {
    let capture = shipped("captures/e1-terminate-stock.pcap");
    let deep = format!("{}tcp{}", "(".repeat(50_000), ")".repeat(50_000));
    let wide = vec!["tcp"; 15_000].join("||");
    for (filter, status) in [
        (&deep, 2),
        (&"(".repeat(100_000), 2),
        (&format!("{}tcp", "!".repeat(100_000)), 0),
        (&wide, 0),
    ] {
        for line in [
            format!("dissect -r {capture} -Y '{filter}'"),
            format!("dissect -r {capture} -q -z 'io,phs,{filter}'"),
            format!("tui {capture} -Y '{filter}' --snapshot messages"),
        ] {
            takes_bounded_memory(&line, &[status]);
        }
    }
}

/// YAML that means much, is deep, has keys without end or is long is refused.
#[test]
fn yaml_takes_bounded_memory() {
    let folder = Folder::new();
    let capture = shipped("captures/e1-terminate-stock.pcap");
    let levels = |at| format!("- &a{at} [{}]\n", vec![format!("*a{}", at - 1); 10].join(","));
    let laughs = "- &a0 [x, x]\n".to_owned() + &(1..12).map(levels).collect::<String>();
    let keys = (0..300_000).map(|at| format!("k{at}: 1\n")).collect();
    let long = format!("name: '{}'\n", "x".repeat(5 << 20));
    for (name, text) in
        [("laughs", laughs), ("deep", "[".repeat(200_000)), ("keys", keys), ("long", long)]
    {
        let file = folder.write(&format!("{name}.yaml"), text);
        for line in [
            format!("conform list --cases {file}"),
            format!("check --waivers {file} {capture}"),
            format!("peer listen 127.0.0.1:0 --regions {file}"),
        ] {
            takes_bounded_memory(&line, &[2]);
        }
    }
    // It reads all cases first.
    let line = format!("conform run --target 127.0.0.1:9 --profile {folder}/laughs.yaml");
    takes_bounded_memory(&line, &[2]);
}

/// Lines without an end, lines of nothing, and one with millions of values, on many control connections
/// of an agent at once; it serves the next runner.
#[test]
fn control_lines_take_bounded_memory() {
    let mut agent = Listener::agent("");
    let control = agent.control();
    let values = || b"[0,".repeat(1 << 18);
    let many = [vec![b'x'; 1 << 20], vec![b'\n'; 1 << 20], b"1\n".repeat(1 << 18), values()];
    thread::scope(|scope| {
        for bytes in many.iter().cycle().take(16) {
            let control = &control;
            scope.spawn(move || {
                let mut line = TcpStream::connect(control).unwrap();
                line.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
                // It ends when the agent has enough, or waits until its replies are read.
                for _ in 0..32 {
                    if line.write_all(bytes).is_err() {
                        break;
                    }
                }
                let _ = line.write_all(b"\n");
            });
        }
    });
    assert!((1..MEMORY).contains(&memory(agent.id())), "{} KiB", memory(agent.id()));
    run(format!("conform run --agent {control} mpa-crc-flag")).with(0);
    agent.stop().with(0);
}

/// Whoever never ends a line on a control connection is cut off, and nobody else.
#[test]
fn a_control_line_without_an_end_ends_alone() {
    let mut agent = Listener::agent("");
    let control = agent.control();
    let [mut endless, other] = [(); 2].map(|()| TcpStream::connect(&control).unwrap());
    let mut other = BufReader::new(other);
    let mut ask = || {
        let call = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"capabilities\"}\n";
        other.get_mut().write_all(call).unwrap();
        let mut reply = String::new();
        other.read_line(&mut reply).unwrap();
        has(&reply, &["\"result\""]);
    };
    ask();
    while endless.write_all(&[b'x'; 1 << 20]).is_ok() {}
    ask();
    agent.stop().with(0);
}

/// An agent that says a line without an end, or answers what it was not asked, or reports without an
/// end, breaks the run off.
#[test]
fn an_agents_lines_take_bounded_memory() {
    let answer = r#"{"jsonrpc":"2.0","id":NUMBER,"result":{}}"#;
    let event =
        r#"{"jsonrpc":"2.0","method":"event","params":{"event":"peer_closed","stream":"NUMBER"}}"#;
    let line = |text: &str, number: u32| text.replace("NUMBER", &number.to_string()) + "\n";
    let lines = |text: &str| (1000..3000).map(|number| line(text, number)).collect::<String>();
    for bytes in ["x".repeat(1 << 16), lines(answer), lines(event)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            while let Ok((mut runner, _)) = listener.accept() {
                while runner.write_all(bytes.as_bytes()).is_ok() {}
            }
        });
        let line = format!("conform run --agent {address} mpa-crc-flag");
        takes_bounded_memory(&line, &[2]);
    }
}

/// Connections with bytes that mean nothing, or that never end a setup frame, leave the peer serving.
#[test]
fn streams_take_bounded_memory() {
    let listener = Listener::start("-s pingpong");
    let crowd: Vec<TcpStream> = (0..500_u32)
        .filter_map(|number| {
            let mut stream = TcpStream::connect(&listener.address).ok()?;
            let bytes = if number % 2 == 0 { &[0xff; 1 << 16][..] } else { b"MPA ID Req Frame" };
            let _ = stream.write_all(bytes);
            Some(stream)
        })
        .collect();
    run(format!("peer connect {} -s pingpong", listener.address)).with(0);
    assert!((1..MEMORY).contains(&memory(listener.id())), "{} KiB", memory(listener.id()));
    drop(crowd);
    has(&listener.stop().err, &["listening at"]);
}

/// Who reads nothing of what a proxy has for it holds up the other side, and not the proxy's memory.
#[test]
fn a_proxy_takes_bounded_memory() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let line = format!("conform proxy --listen 127.0.0.1:0 --to {}", target.local_addr().unwrap());
    let mut running = Running::start(&mut super::warpscope(&line));
    let mut at = String::new();
    until("a proxy", || {
        let output = running.stderr();
        let output = &output[..output.rfind('\n').unwrap_or(0)];
        let place =
            output.lines().find_map(|it| it.strip_prefix("listening at ")?.split(": ").next());
        at = place.unwrap_or_default().to_owned();
        !at.is_empty() || running.has_ended()
    });
    let mut stream = TcpStream::connect(at).unwrap();
    let (_unread, _) = target.accept().unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
    for _ in 0..512 {
        if stream.write_all(&[0; 1 << 20]).is_err() {
            break;
        }
    }
    assert!((1..MEMORY).contains(&memory(running.id())), "{} KiB", memory(running.id()));
    drop(stream);
    running.stop();
}
