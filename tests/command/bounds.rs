//! What a command takes, and what it leaves, where something is too much or ends too early.

use super::capture::Capture;
use super::listener::Listener;
use super::program::{Folder, dissected, has, json, run, shipped};
use super::require::missing;
use super::running::{Running, until};
use serde_json::Value;
use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Command;

/// A command that a hang-up ends, also where the tests run under `nohup`.
fn warpscope(line: &str) -> Command {
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP").arg(assert_cmd::cargo::cargo_bin!("warpscope"));
    command.args(shell_words::split(line).unwrap());
    command
}

/// A command in a shell that has set something before.
fn after(setting: &str, line: &str) -> Command {
    let program = assert_cmd::cargo::cargo_bin!("warpscope");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{setting}; exec {} {line}", program.display())]);
    command
}

/// A number that the system has of a process: `Uid`, `VmHWM`.
fn status(of: u32, name: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{of}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What was read before Ctrl-C is shown, or written whole; what ended it is said.
#[test]
fn reading_is_stopped_in_good_order() {
    let folder = Folder::new();
    let fifo = folder.at("fifo");
    for (signal, line) in [
        ("INT", format!("stats {fifo}")),
        ("TERM", format!("dissect -T json -e frame.number -r {fifo}")),
        ("HUP", format!("dissect -w {folder}/out -r {fifo}")),
    ] {
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let running = Running::start(&mut warpscope(&line));
        let mut writer = File::create(&fifo).unwrap();
        writer.write_all(&Capture::conversation().bytes).unwrap();
        until("signals are taken", || running.takes_signals());
        // Nothing shows from outside how much has been read.
        std::thread::sleep(std::time::Duration::from_millis(500));
        running.signal(signal);
        let ended = running.end().with(1);
        has(&ended.err, &["fifo: stopped as asked; ", " the first 10 frames"]);
        match signal {
            "INT" => has(&ended.out, &["Send", "Read Request"]),
            "TERM" => assert_eq!(json(&ended.out).as_array().map(Vec::len), Some(10)),
            _ => assert_eq!(dissected(&folder.at("out"), "").lines().count(), 10),
        }
        fs::remove_file(&fifo).unwrap();
    }
}

/// A hang-up is left alone where the user wants none of it (`nohup`).
#[test]
fn a_hangup_is_left_alone() {
    let running = Running::start(&mut after("trap '' HUP", "peer listen 127.0.0.1:0 -s pingpong"));
    until("signals are taken", || running.takes_signals());
    running.signal("HUP");
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal("INT");
    running.success();
}

/// A recording that the disk has no room for is an error of the peer, with capture rights and without.
#[test]
fn a_recording_that_is_cut_is_said() {
    for how in ["", "--no-capture"] {
        let folder = Folder::new();
        // As a full disk: no file gets longer than 8 KiB.
        let peer = format!(
            "peer listen 127.0.0.1:0 -s pingpong --end-after 1 --write-pcap {folder}/x {how}"
        );
        let listener = Listener::spawn(&mut after("ulimit -f 8; trap '' XFSZ", &peer));
        let client =
            format!("peer connect {} -s pingpong -o count=200 -o size=400", listener.address);
        run(client).with(0);
        let ended = listener.end().with(1);
        has(&ended.err, &["x: cannot write: File too large"]);
        assert_eq!(fs::metadata(folder.at("x")).unwrap().mode() & 0o777, 0o600);
    }
}

/// A capture may hold what others must not see.
#[test]
fn captures_are_for_their_owner() {
    let folder = Folder::new();
    let mode = |name: &str| fs::metadata(folder.at(name)).unwrap().mode() & 0o777;
    folder.write("in", &Capture::conversation().bytes);
    run(format!("dissect -r {folder}/in -w {folder}/out")).with(0);
    run(format!("conform run --self mpa-crc-flag --pcap {folder}/captures")).with(0);
    let captures = fs::read_dir(folder.at("captures")).unwrap();
    let captures: Vec<String> =
        captures.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!captures.is_empty());
    for name in captures {
        assert_eq!(mode(&format!("captures/{name}")), 0o600, "{name}");
    }
    assert_eq!(mode("out"), 0o600);
}

/// After `-Z` a capture goes on as that user, and its file is that user's.
#[test]
fn rights_are_given_up() {
    let folder = Folder::new();
    let line = format!("capture -q -i lo -f 'tcp port 9' -Z nobody -w {folder}/out");
    if !rustix::process::geteuid().is_root() {
        let ended = run(line);
        assert!(ended.status != Some(0));
        return;
    }
    fs::set_permissions(folder.at(""), Permissions::from_mode(0o777)).unwrap();
    let running = Running::start(&mut warpscope(&line));
    until("the capture", || running.stderr().contains("Capturing on 'lo'\n"));
    until("the file", || fs::metadata(folder.at("out")).is_ok());
    let nobody = fs::metadata(folder.at("out")).unwrap().uid();
    assert_ne!(nobody, 0);
    assert_eq!(status(running.id(), "Uid"), Some(nobody.into()));
    assert_eq!(status(running.id(), "CapEff"), Some(0));
    running.stop().with(0);
    let ended = run(format!("capture -i lo -Z no-such-user -w {folder}/no")).with(2);
    has(&ended.err, &["-Z no-such-user: no such user"]);
}

/// A copy that a package has given the rights captures for who has none, drops them, and has them for
/// nothing else.
#[test]
fn a_helper_has_the_rights_to_capture() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = Folder::new();
    fs::set_permissions(folder.at(""), Permissions::from_mode(0o777)).unwrap();
    fs::create_dir_all(folder.at("libexec/warpscope")).unwrap();
    fs::create_dir(folder.at("bin")).unwrap();
    let (program, helper) = (folder.at("bin/warpscope"), folder.at("libexec/warpscope/warpscope"));
    for copy in [&program, &helper] {
        fs::copy(assert_cmd::cargo::cargo_bin!("warpscope"), copy).unwrap();
    }
    let nobody = |program: &str, line: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]);
        command.args(shell_words::split(line).unwrap());
        command
    };
    let line = format!("capture -q -i lo -f 'tcp port 9' -w {folder}/out");
    let permit = |mode| fs::set_permissions(&helper, Permissions::from_mode(mode)).unwrap();
    permit(0o700);
    let without = Running::start(&mut nobody(&program, &line)).end().with(2);
    has(&without.err, &["-i lo: ", "sudo usermod -aG wireshark $USER"]);
    permit(0o755);
    let granted = Command::new("setcap").args(["cap_net_raw,cap_net_admin=eip", &helper]).status();
    if !granted.is_ok_and(|status| status.success()) {
        return missing("setcap", "the file system keeps no rights of files");
    }
    let running = Running::start(&mut nobody(&program, &line));
    until("the capture", || running.stderr().contains("Capturing on 'lo'\n"));
    assert_eq!(status(running.id(), "CapEff"), Some(0));
    assert_eq!(
        fs::read_link(format!("/proc/{}/exe", running.id())).unwrap().to_str(),
        Some(&*helper)
    );
    running.stop().with(0);
    assert_eq!(fs::metadata(folder.at("out")).unwrap().uid(), 65534);
    let capture = shipped("captures/e1-terminate-stock.pcap");
    let sends = Running::start(&mut nobody(&helper, &format!("replay --onto lo {capture}")));
    has(&sends.end().with(2).err, &["--onto lo: ", "setcap"]);
}

/// What a capture says of places in files is not taken for granted.
#[test]
fn exported_files_have_limits() {
    let folder = Folder::new();
    let capture = shipped("captures/g-nfs-v3-cut.pcap.zst");
    let export = |name: &str, limit: &str| {
        let ended = run(format!("export --files {folder}/{name} {limit} {capture}")).with(0);
        let manifest = json(folder.read(&format!("{name}/manifest.json")));
        let files = manifest["files"].as_array().unwrap().clone();
        let sum = |key: &str| {
            let of = |file: &Value| {
                ["written", "read"].iter().filter_map(|it| file[*it][key].as_u64()).sum::<u64>()
            };
            files.iter().map(of).sum::<u64>()
        };
        (sum("length"), sum("bytes_left_out"), ended.err)
    };
    let (whole, none, message) = export("all", "");
    assert_eq!((none, message.contains("left out")), (0, false), "{message}");
    for (name, limit) in [("file", "--max-file-size 1K"), ("total", "--max-total 1K")] {
        let (length, left_out, message) = export(name, limit);
        assert!(length < whole && left_out > 0);
        has(&message, &[&format!("{left_out} bytes left out: beyond --max-file-size")]);
    }
}

/// A stream on which nothing happens does not stay for ever.
#[test]
fn an_idle_stream_is_dropped() {
    let listener = Listener::start("-s passive --idle-timeout 0.5 --end-after 1");
    let ended = run(format!("peer connect {} -s passive", listener.address)).with(0);
    has(&ended.err, &["the TCP connection was reset or lost"]);
    has(&listener.end().err, &["stream 1: dropped: idle for longer than --idle-timeout"]);
}

/// Callers have the rights of nobody where root serves files, unless it says otherwise.
#[test]
fn root_serves_files_as_nobody() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (export, local) = (Folder::new(), Folder::new());
    fs::set_permissions(export.at(""), Permissions::from_mode(0o777)).unwrap();
    export.write("secret", "of root");
    fs::set_permissions(export.at("secret"), Permissions::from_mode(0o600)).unwrap();
    local.write("new", "text");
    let serve = |options: &str| {
        Listener::start(format!("-s nfs -o export={export} --end-after 2 {options}"))
    };
    // A capture that root began is ended by nobody.
    let squashed = serve(&format!("--write-pcap {local}/pcapng"));
    has(&squashed.whole_lines(), &["callers have the rights of nobody"]);
    let at = &squashed.address;
    let refused = run(format!("peer nfs {at} get secret {local}/secret")).with(2);
    has(&refused.err, &["NFS3ERR_ACCES"]);
    run(format!("peer nfs {at} put {local}/new")).with(0);
    assert_ne!(fs::metadata(export.at("new")).unwrap().uid(), 0);
    squashed.end().with(0);
    let open = serve("-o no-squash");
    run(format!("peer nfs {} get secret {local}/secret", open.address)).with(0);
    assert_eq!(local.read("secret"), "of root");
}
