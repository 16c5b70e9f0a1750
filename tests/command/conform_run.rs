//! `warpscope conform run` and `conform mutants`.

use super::listener::Listener;
use super::program::{Ended, Folder, has, json, json_has, run};
use super::running::{Running, until};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

const CATCHES: &str = "mpa-crc-wrong[markers=off,after=1]";

fn conform(arguments: impl AsRef<str>) -> Ended {
    run(format!("conform {}", arguments.as_ref()))
}

/// An option that has reports written in every format.
fn reports(folder: &Folder) -> String {
    format!("--report junit={folder}/r.xml,json={folder}/r.json,html={folder}/r.html")
}

#[test]
fn the_strict_peer_passes_and_reports_and_captures_are_written() {
    let folder = Folder::new();
    let reports = reports(&folder);
    let ended = conform(format!("run --self {CATCHES} {reports} --pcap {folder}/captures")).with(0);
    has(ended.out.trim_end().lines().last().unwrap(), &["seed 0: 1 pass in "]);
    has(&folder.read("r.xml"), &[r#"tests="1""#, r#"failures="0""#]);
    let expected = json!({
        "/exit_code": 0,
        "/counts/pass": 1,
        "/instances/0/id": CATCHES,
        "/instances/0/verdict": "pass",
    });
    json_has(&json(folder.read("r.json")), expected);
    let html = folder.read("r.html");
    let (case, with) = CATCHES.split_at(CATCHES.find('[').unwrap());
    has(&html, &["<!DOCTYPE html>", &format!("\"{case}\""), &format!("\"{with}\"")]);
    assert!(!html.contains("src=\"http") && !html.contains("href=\"http"), "one file is all");

    // The FPDU with the wrong CRC is ours.
    let capture = folder.at("captures/mpa-crc-wrong_markers=off,after=1_.pcapng");
    let filter = "-Y 'iwarp_mpa.crc.status == \"Bad\"'";
    let read = run(format!("dissect -r {capture} -T fields -e frame.number {filter}")).with(0);
    assert_eq!(read.out.lines().count(), 1);
}

/// The first failure ends the run; it is tried again as often as the user wants.
#[test]
fn a_run_ends_with_its_first_failure() {
    let folder = Folder::new();
    let rest = format!("--fail-fast --retries 2 -j 1 --report json={folder}/r.json mpa-crc-wrong");
    conform(format!("run --self --bug crc-unchecked {rest}")).with(1);
    let expected = json!({"/counts/fail": 1, "/counts/pass": 0, "/instances/0/attempts": 3});
    json_has(&json(folder.read("r.json")), expected);
}

/// `otherwise` and `tolerate` count beside reports and tasks too.
#[test]
fn what_a_report_or_a_task_may_be_instead() {
    let folder = Folder::new();
    let head = "title: t\ncovers: [RFC5044-8-02]\n";
    folder.write(
        "report.yaml",
        format!(
            "id: own-report\n{head}needs: [agent]\nsteps:\n  - connect: {{}}\n  - expect: {{report: {{request: \
             {{revision: 9}}}}}}\n    within: 100ms\n    otherwise: not_applicable\n"
        ),
    );
    folder.write(
        "task.yaml",
        format!(
            "id: own-task\n{head}needs: [rpc-over-rdma]\nrole: responder\nsteps:\n  - connect: {{only_tcp: true, \
             target: {{task: ping}}}}\n  - close: graceful\n  - expect: {{task: succeeded}}\n    within: 10s\n    \
             tolerate: [{{task: ended}}]\n"
        ),
    );
    let rest = format!("--cases {folder} --report json={folder}/r.json own-*");
    conform(format!("run --self {rest}")).with(0);
    let counts = json!({"/counts/not-applicable": 1, "/counts/strict-only": 1});
    json_has(&json(folder.read("r.json")), counts);
}

/// RFC 5044 section 7.1.2, rule 4: after a first FPDU that is wrong the responder may send none, so that it ends the
/// stream without a Terminate.
#[test]
fn a_capture_accuses_the_runner_alone() {
    let folder = Folder::new();
    let instance = "mpa-marker-first-wrong[pointer=4]";
    conform(format!("run --self {instance} --pcap {folder}/captures")).with(0);
    let capture = folder.at("captures/mpa-marker-first-wrong_pointer=4_.pcapng");
    let checked = run(format!("check {capture}")).with(1);
    has(&checked.out, &["1 finding (1 MUST)", "mpa-marker-pointer"]);
}

/// Four peers share the work.
#[test]
fn the_strict_peer_passes_every_case() {
    let text = conform("run --self -j 16").with(0).out;
    let (before, counts) = text.rsplit_once(", agent, seed 0: ").unwrap();
    assert_eq!(before.lines().last().unwrap().matches("127.0.0.1:").count(), 4, "{text}");
    // Three are for those that grant more than they were ordered to, six for those that grant more credits than 32.
    let not_asked = " pass, 9 not applicable in ";
    let (passed, rest) = counts.split_once(not_asked).unwrap_or_else(|| panic!("{text}"));
    assert!(passed.parse::<u32>().unwrap() > 3_000 && rest.lines().count() == 1, "{text}");
}

/// RFC 5041 section 7.1: a Write to an STag that nobody has, for which another code is demanded than a
/// strict peer's. On the wire the case tolerates it, and in the report it does not.
#[test]
fn another_code_is_strict_only_where_it_is_tolerated() {
    let case = "id: code
title: A Write to an STag that nobody has is refused
covers: [RFC5041-7.1-02]
needs: [agent, terminate-reports]
buffers: {target: {sink: {length: 4096}}}
steps:
- send: {rdma_write: {stag: 0xdeadbeef, to: 0, payload: 1}}
- expect: {terminate: {layer: ddp, type: tagged_buffer, code: base_or_bounds, ddp_header: echoes,
    rdmap_header: absent}}
  tolerate: [{terminate: {layer: ddp}}]
- expect: closed
- expect: {memory_unchanged: $target.all}
";
    let report = "- expect: {report: {terminates: {layer: 1, error_type: 1, error_code: 1}}}\n";
    let folder = Folder::new();
    folder.write("wire.yaml", case);
    folder.write("report.yaml", format!("{case}{report}"));
    let fails = "fail              code  ";
    let strict = "strict only       code  torn down with another code: Terminate: 1/1/0x00 ";
    for (file, more, status, expected) in
        [("wire", "", 0, strict), ("wire", "--strict", 1, strict), ("report", "", 1, fails)]
    {
        let ended = conform(format!("run --self {more} --cases {folder}/{file}.yaml"));
        has(&ended.with(status).out, &[expected]);
    }
}

#[test]
fn a_failure_says_what_was_demanded_sent_wanted_and_seen_and_how_to_see_it_again() {
    let ended = conform(format!("run --self {CATCHES} --bug crc-unchecked")).with(1);
    has(
        &ended.out,
        &[
            "With CRCs on, an FPDU with a wrong CRC is refused",
            "RFC5044-8-02",
            "Sent ",
            "[bad CRC]",
            "Accepted ",
            "no arrival",
            "Came ",
            "MPA Reply",
            "the target reported an arrival of 5 bytes, receive 2",
            "; the fault sent: The CRC field has ",
            "; expected no arrival",
            "Again     warpscope conform run --self --bug crc-unchecked -v 'mpa-crc-wrong[markers=off,after=1]'",
            "! mpa-crc: ",
        ],
    );
}

/// RFC 5040 section 4.8: the DDP Segment Length is the length of the segment, however a case that saw it
/// fails; each instance names what was sent.
#[test]
fn one_cause_is_told_once_and_first() {
    let folder = Folder::new();
    let bug = "terminate-length-of-payload";
    let cases = "terminate-tagged-codes terminate-sent terminate-taken-wrong ird-exceeded";
    let reports = reports(&folder);
    conform(format!("run --self --bug {bug} {cases} {reports}")).with(1);
    let report = json(folder.read("r.json"));
    let causes = report["causes"].as_array().unwrap();
    let names: Vec<_> = causes.iter().map(|it| it["cause"].as_str().unwrap()).collect();
    let rule = "rule rdmap-terminate-segment-length is broken (RFC 5040 section 4.8): ";
    assert!(matches!(*names, [name] if name.starts_with(rule)), "{names:?}");
    let failed = report["counts"]["fail"].as_u64().unwrap();
    assert_eq!(causes[0]["instances"].as_array().unwrap().len() as u64, failed);
    let instances = report["instances"].as_array().unwrap();
    for instance in instances.iter().filter(|it| it["verdict"] == "fail") {
        let reason = instance["reason"].as_str().unwrap();
        assert!(reason.starts_with("The DDP Segment Length is "), "{reason}");
        assert!(
            reason.contains("; the fault sent: ") || reason.contains("; sent last: "),
            "{reason}"
        );
    }
}

#[test]
fn a_profile_expects_failures_leaves_out_and_says_what_it_did_not_expect() {
    let folder = Folder::new();
    let mut target = Listener::agent("");
    let agent = target.control();
    for (key, id, status, expected) in [
        ("left-out", "mpa-request-*", 0, "16 not applicable"),
        ("expected-failures", "mpa-request-key", 1, "16 unexpected pass"),
        ("expected-failures", "mpa-request-kee", 2, "did you mean mpa-request-key?"),
    ] {
        let entries = format!("{key}: [{{id: {id}, reason: known}}]");
        folder.write("p.yaml", format!("agent: '{agent}'\n{entries}\n"));
        let ended = conform(format!("run --profile {folder}/p.yaml mpa-request-key")).with(status);
        has(if status == 2 { &ended.err } else { &ended.out }, &[expected]);
    }
}

/// The runner waits for the agent, which connects to it and says where streams go.
#[test]
fn an_agent_connects_to_a_runner_that_waits() {
    // A port that the system gives to nobody else, and another run of the tests has another.
    let address = format!("127.0.0.1:{}", 10_000 + std::process::id() % 20_000);
    let line = format!("conform run --agent-listen {address} {CATCHES} ddp-message-offset-hole");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_warpscope"));
    let run = Running::start(command.args(line.split(' ')));
    let _agent = Listener::agent(&format!("--runner {address}"));
    let ended = run.end().with(0);
    has(&ended.out, &["listen, seed 0: 5 pass in "]);
}

/// `timeout` sends its signal twice, and the report is whole all the same.
#[test]
fn a_run_that_is_ended_by_a_signal_sent_twice_leaves_its_report() {
    let folder = Folder::new();
    let captures = format!("{folder}/captures");
    let line = format!("conform run --self -j 1 --pcap {captures} {}", reports(&folder));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_warpscope"));
    let run = Running::start(command.args(line.split(' ')));
    let any = || std::fs::read_dir(&captures).is_ok_and(|mut entries| entries.next().is_some());
    until("an instance that ran", any);
    run.signal("TERM");
    std::thread::sleep(Duration::from_millis(30));
    run.signal("TERM");
    let ended = run.end().with(2);
    has(&ended.out, &["broken off: stopped by the user; "]);
    has(&folder.read("r.json"), &["stopped by the user"]);
    has(&folder.read("r.html"), &["</html>"]);
    has(&folder.read("r.xml"), &["</testsuites>"]);
}

#[test]
fn profiles_of_what_was_tried_speak_of_cases_that_there_are() {
    let folder = Folder::new();
    // Nobody listens there, so that all that is read is read, and no target is found.
    let address = "127.0.0.1:9";
    for (shipped, aim) in [
        ("conformance/findings/siw-linux-6.1.yaml", "target"),
        ("lab/siw-agent.yaml", "agent"),
        ("conformance/findings/nfsd-linux-6.1.yaml", "target"),
    ] {
        let path = format!("{}/{shipped}", env!("CARGO_MANIFEST_DIR"));
        // What is to be mounted would be asked for before.
        let text = std::fs::read_to_string(path).unwrap();
        let text = text.replace("mount: 127.0.0.1:17177/srv/nfs", "file-handle: '00'");
        let stderr = |text: &str| {
            let profile = folder.write("profile.yaml", text);
            conform(format!("run --profile {profile} --{aim} {address}")).with(2).err
        };
        has(&stderr(&text), &["check that it is running"]);
        if shipped.contains("siw-linux") {
            let renamed = stderr(&text.replace("mpa-garbage", "mpa-garbags"));
            has(&renamed, &["mpa-garbags", "did you mean mpa-garbage?"]);
        }
    }
}

#[test]
fn a_run_that_cannot_be_made_says_why() {
    // Nobody listens there, nor gets the port by chance.
    let free = "127.0.0.1:9";
    let [bare, agent, target] = ["--mode bare --target", "--agent", "--target"]
        .map(|flags| format!("{flags} {free} mpa-request-key"));
    let no_agent = format!("no agent for {free}: use --agent HOST:PORT");
    for (arguments, words) in [
        (&*bare, "check that it is running and listening"),
        (&*agent, "check that it is running and listening"),
        (&*target, &*no_agent),
        ("--self mpa-request-kee", "did you mean mpa-request-key?"),
        ("--self mpa-request-key --bug crc-uncheckt", "did you mean crc-unchecked?"),
        ("--profile /nowhere/p.yaml", "cannot read the profile /nowhere/p.yaml"),
        ("--self mpa-request-key --report xml=a", "xml=a"),
        ("mpa-request-key", "--target"),
    ] {
        has(&conform(format!("run {arguments}")).with(2).err, &[words]);
    }
}

#[test]
fn mutants_prints_which_case_kills_a_bug() {
    let text = conform("mutants crc-flag-missing").with(0).out;
    let line = text.lines().find(|line| line.starts_with("crc-flag-missing")).unwrap();
    has(line, &["killed", "mpa-crc-default"]);
    has(&text, &["1 seeded bug: 1 killed"]);
    has(&conform("mutants crc-uncheckt").with(2).err, &["crc-unchecked"]);
    // Of one file: the bugs that it names.
    let of = |file: &str| conform(format!("mutants --cases conformance/cases/rfc5044/{file}"));
    has(&of("7.1-setup/crc-default.yaml").with(0).out, &["1 seeded bug: 1 killed"]);
    let error = of("4.3-markers/marker-pointer.yaml").with(2).err;
    has(&error, &["marker-pointer.yaml: no case there names a bug"]);
}

#[test]
fn a_case_that_fails_who_is_right_is_told() {
    let folder = Folder::new();
    let head = "title: t\ncovers: [RFC5040-6.2.1-04]\nneeds: [agent, rdma-write]\nlevel: must\n";
    let steps =
        "steps:\n- send: {rdma_write: {stag: 7, to: 0, payload: 8}}\n- expect: {terminate: {}}\n";
    let write = |name: &str, end: &str| {
        let text = format!("id: {name}\n{head}{steps}- expect: {{closed: {end}}}\n");
        folder.write(&format!("{name}.yaml"), text);
    };
    write("right", "graceful_or_reset");
    let at = |words: &str| conform(format!("variants {words} --cases {folder}"));
    let text = at("terminate-then-reset").with(0).out;
    has(
        &text,
        &["terminate-then-reset: 1 pass", "1 variant and 0 mixtures: none of them fails a case"],
    );
    write("wrong", "graceful");
    let text = at("terminate-then-reset --mixtures 1").with(1).out;
    has(&text, &["1 fail, 1 pass", "  wrong: ", "which is a defect of the case"]);
    has(&conform("variants terminate-then-rest").with(2).err, &["terminate-then-reset?"]);
}

/// A requester that ends without a word to the runner: what it said is in every report, and nobody
/// waits for half a minute.
#[test]
fn a_requester_that_does_not_connect_is_told_with_what_it_said() {
    let folder = Folder::new();
    let mut target = Listener::agent("");
    let agent = target.control();
    let tasks = "tasks: {ping: 'echo no such export >&2; exit 3'}";
    let rpc = format!("rpc:\n  address: 127.0.0.1:9\n  {tasks}\n");
    let profile = folder.write("p.yaml", format!("agent: '{agent}'\n{rpc}"));
    let id = "rpc-requester-works[task=ping,size=none]";
    let begun = Instant::now();
    // Nothing can be said of the target.
    let text = conform(format!("run --profile {profile} {id} {}", reports(&folder))).with(2).out;
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
    let expected = "its command ended with exit status 3, and said: no such export";
    let line = text.lines().find(|line| line.starts_with("? inconclusive") && line.contains(id));
    assert!(line.is_some_and(|line| line.contains(expected)), "{text}");
    has(&text, &["  Why       no connection from the requester within "]);
    let report = json(folder.read("r.json"));
    let reason = report["instances"][0]["reason"].as_str().unwrap();
    assert!(reason.ends_with(expected), "{reason}");
    for name in ["r.xml", "r.html"] {
        has(&folder.read(name), &[expected]);
    }
}

/// A build beside a run replaces the program's file; peers are still started from what began the run.
#[test]
#[cfg(target_os = "linux")]
fn a_run_does_not_need_the_programs_file_any_more() {
    let folder = Folder::new();
    let copy = folder.at("warpscope");
    std::fs::copy(env!("CARGO_BIN_EXE_warpscope"), &copy).unwrap();
    let run = std::process::Command::new(&copy)
        .args(["conform", "run", "--self", "rpc-requester-works[task=ping,size=none]", CATCHES])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let other = folder.write("other", "#!/bin/sh\nexit 1\n");
    std::fs::rename(other, &copy).unwrap();
    let output = run.wait_with_output().unwrap();
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    has(&out, &["seed 0: 2 pass in "]);
}

/// Relays control connections to an agent, and breaks one at a call: the one of this number with this in it.
fn breaks(agent: String, call: &'static str, number: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let mut seen = 0;
        for runner in listener.incoming().flatten() {
            let to_agent = TcpStream::connect(&agent).unwrap();
            let back = [to_agent.try_clone().unwrap(), runner.try_clone().unwrap()];
            std::thread::spawn(move || {
                let [mut from, mut to] = back;
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            for line in BufReader::new(runner).lines().map_while(Result::ok) {
                seen += usize::from(line.contains(call));
                if seen == number && line.contains(call) {
                    break;
                }
                if writeln!(&to_agent, "{line}").is_err() {
                    break;
                }
            }
            let _ = to_agent.shutdown(Shutdown::Both);
        }
    });
    address
}

/// The first conversation, and then an instance, tell the target of a stream; or it is in the end that the
/// target is to forget them.
#[test]
fn a_target_that_breaks_the_control_connection_fails_the_run() {
    for (call, number) in [("\"prepare\"", 2), ("\"reset\"", 3)] {
        let folder = Folder::new();
        let mut target = Listener::agent("");
        let agent = breaks(target.control(), call, number);
        let reports = reports(&folder);
        let ended = conform(format!("run --agent {agent} mpa-crc-wrong {reports}")).with(2);
        let last = ended.out.trim_end().lines().last().unwrap();
        let message =
            "1 instance could not be judged, first because the agent closed the control connection";
        has(last, &[message]);
        let expected = json!({"/exit_code": 2, "/counts/inconclusive": 1, "/counts/fail": 0});
        json_has(&json(folder.read("r.json")), expected);
        has(&folder.read("r.xml"), &[r#"failures="0" errors="1""#]);
        has(&folder.read("r.html"), &[message]);
    }
}

/// The first conversation goes wrong, and the last would: the cases judge it.
#[test]
fn a_setup_that_is_wrong_is_judged_by_its_cases() {
    for (bug, wrong) in [
        ("setup-reserved-bits", "The reply's flags are 0x41"),
        ("setup-key-of-the-other", "MPA Req"),
    ] {
        let folder = Folder::new();
        let mut target = Listener::agent(&format!("--bug {bug}"));
        let agent = target.control();
        let reports = reports(&folder);
        let ended = conform(format!("run --agent {agent} mpa-reply-form {reports}")).with(1);
        has(&ended.err, &["the first conversation, which has no faults in it, failed: "]);
        has(&ended.out, &[wrong]);
        let report = json(folder.read("r.json"));
        assert_eq!(
            (&report["exit_code"], &report["broken_off"]),
            (&json!(1), &json!(null)),
            "{bug}"
        );
        has(&folder.read("r.xml"), &[r#"errors="0""#]);
        has(&folder.read("r.html"), &["failed</b> of "]);
    }
}

#[test]
fn reports_are_whole_where_nothing_could_be_run() {
    let folder = Folder::new();
    let reports = reports(&folder);
    let ended = conform(format!("run --agent 127.0.0.1:9 mpa-request-key {reports}")).with(2);
    let message = "check that it is running and listening";
    has(&ended.err, &[message]);
    let report = json(folder.read("r.json"));
    assert_eq!((&report["exit_code"], &report["instances"]), (&json!(2), &json!([])));
    has(report["broken_off"].as_str().unwrap(), &[message, "not run"]);
    has(&folder.read("r.xml"), &[r#"errors="1""#, message]);
    has(&folder.read("r.html"), &["The run was broken off", message]);
}

/// A target that says this to whoever connects, again and again, and takes nothing.
fn says_without_end(words: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            std::thread::spawn(move || {
                let words = words.repeat(1 + (1 << 16) / words.len().max(1));
                while !words.is_empty() && stream.write_all(&words).is_ok() {}
                // One that says nothing stays.
                std::thread::sleep(Duration::from_secs(100));
            });
        }
    });
    address
}

#[test]
fn a_target_that_floods_or_says_nothing_ends_the_run() {
    let ends = |words: &'static [u8]| {
        let folder = Folder::new();
        let target = says_without_end(words);
        let report = reports(&folder);
        let ended = conform(format!("run --target {target} --mode bare {report} --force")).with(2);
        let last = ended.out.lines().last().unwrap();
        has(last, &["the target answers nothing: ", "--keep-going", " instances not run"]);
        let broken = json(folder.read("r.json"))["broken_off"].as_str().unwrap().to_owned();
        assert!(broken.starts_with("the target answers nothing"), "{broken}");
        has(&folder.read("r.html"), &["answers nothing"]);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| ends(b"\0"));
        ends(b"");
    });
    let agent = says_without_end(b"\n\0");
    let ended = conform(format!("run --agent {agent}")).with(2);
    has(&ended.err, &["cannot run against"]);
}

/// The processes that another one has started, by the system's files.
fn children(of: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{of}/task")).unwrap();
    let lists = threads.map(|it| std::fs::read_to_string(it.unwrap().path().join("children")));
    let lists = lists.map(Result::unwrap_or_default).collect::<String>();
    lists.split_whitespace().map(|it| it.parse().unwrap()).collect()
}

/// SIGKILL leaves no time for anything: those that were started see that nobody holds their pipe any more, and
/// the next run takes the folders away.
#[test]
fn nothing_is_left_of_a_run_that_was_killed() {
    let running = Running::start(
        std::process::Command::new(assert_cmd::cargo::cargo_bin!("warpscope"))
            .args(["conform", "run", "--self", "-j", "1"]),
    );
    let number = running.id();
    let mut peers = Vec::new();
    until("the peers", || {
        peers = children(number);
        peers.len() > 1
    });
    let folders = || {
        let entries = std::fs::read_dir(std::env::temp_dir()).unwrap();
        let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap_or_default());
        names.filter(|name| name.starts_with(&format!("warpscope-{number}-"))).count()
    };
    assert!(folders() > 0);
    running.signal("KILL");
    drop(running);
    let alive = |number: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    };
    until("the end of the peers", || !peers.iter().any(alive));
    conform(format!("run --self {CATCHES}")).with(0);
    assert_eq!(folders(), 0);
}
