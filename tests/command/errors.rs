//! What is refused, with which words, and the exit status.

use super::capture::{Capture, HEADERS};
use super::program::{Folder, has, json, refused, run, run_on, shipped};
use std::io::Read as _;
use std::process::{Command, Stdio};

/// What each of these lines is refused with begins with the words after it.
#[track_caller]
fn each_is_refused(rows: &[(&str, &str)]) {
    for (line, words) in rows {
        let message = refused(line);
        assert!(message.starts_with(words), "{line}: {message}");
    }
}

#[test]
fn command_lines_that_cannot_be_followed() {
    let folder = Folder::new();
    folder.write("in", Capture::conversation().bytes);
    for (before, argument, words) in [
        ("-T fields", "-e tcp.sq", ": no such field; did you mean tcp.seq?"),
        ("-T fields", "-e zzz", ": no such field; `warpscope fields` lists all"),
        ("-T fields", "-e _ws.col.Foo", ": no such column; the columns are"),
        ("", "-T fields", " and -T csv need fields: name some with -e"),
        ("", "-E header=y", ": -E is for -T fields and -T csv"),
        ("", "-o tcp.analysis:TRUE", ": no such preference; the preferences are iwarp.profile and"),
        ("", "-o iwarp.profile", ": a preference is set as NAME:VALUE"),
        (
            "",
            "-o iwarp.profile:x",
            ": iwarp.profile is one of rfc5040, rfc7306, ext-v2, commit, all",
        ),
        (
            "",
            "-o tcp.relative_sequence_numbers:1",
            ": tcp.relative_sequence_numbers is TRUE or FALSE",
        ),
        ("", "-d udp.port==1,iwarp", ": udp.port is not a supported layer type; use tcp.port"),
        ("", "-d tcp.port==1,http", ": http is not a protocol for tcp.port; use iwarp"),
        ("", "-d tcp.port==1", ": the protocol is missing"),
        ("", "-d tcp.port=1,iwarp", ": a rule is written tcp.port==PORT,PROTOCOL"),
        ("", "-d tcp.port==70000,iwarp", ": 70000 is not a port"),
        ("", "-d tcp.port==9-3,iwarp", ": 9-3 is not a port"),
        ("", "-d tcp.port==65535:2,iwarp", ": 65535:2 is not a port"),
    ] {
        let line = format!("dissect -r {folder}/in {before} {argument}");
        each_is_refused(&[(&line, &format!("{argument}{words}"))]);
    }
    for (arguments, words) in [
        ("-T csv", "-T fields and -T csv need fields: name some with -e"),
        ("-e tcp.seq", "-e needs an output format with fields: add -T fields"),
        ("-T ps", "invalid value 'ps' for '-T <FORMAT>'"),
        ("-t x", "invalid value 'x' for '-t <FORMAT>'"),
        ("-c many", "invalid value 'many' for '-c <COUNT>'"),
        ("-T ndjson -x", "-x can be used with -T text, and with -T json and ek only without -e"),
        ("-T fields -e tcp.seq -x", "-x can be used with -T text"),
        ("--bogus", "unexpected argument '--bogus' found"),
    ] {
        each_is_refused(&[(&format!("dissect -r {folder}/in {arguments}"), words)]);
    }
    for (format, option, words) in [
        ("fields", "header=x", "header is y or n"),
        ("fields", "quote=x", "quote is d (double), s (single) or n (none)"),
        ("fields", "occurrence=x", "occurrence is f (first), l (last) or a (all)"),
        ("fields", "separator=ab", "use one character, /t for a tab or /s for a space"),
        ("fields", "aggregator=", "use one character, /t for a tab or /s for a space"),
        ("fields", "colour=y", "no such option; the options are bom=y|n, header=y|n"),
        ("csv", "separator=;", "-T csv has commas"),
        ("csv", "quote=d", "-T csv has commas"),
    ] {
        let line = format!("dissect -r {folder}/in -T {format} -e tcp.seq -E '{option}'");
        each_is_refused(&[(&line, &format!("-E {option}: {words}"))]);
    }
    for (arguments, start) in
        [("-Y 'tcp.sq == 1'", "-Y: "), ("-q -z 'io,phs,tcp.sq == 1'", "-z io,phs,tcp.sq == 1: ")]
    {
        let message = refused(format!("dissect -r {folder}/in {arguments}"));
        assert!(message.starts_with(start), "{message}");
        has(&message, &["\n    tcp.sq == 1\n    ^~~~~~\n"]);
    }
}

#[test]
fn files_that_cannot_be_read() {
    let folder = Folder::new();
    folder.write("empty", "");
    folder.write("text", "no capture at all");
    folder.write("cut", &Capture::conversation().bytes[..20]);
    for (name, words) in [
        ("missing", "; check the name, or use - for"),
        ("", "; name a file in it"),
        ("empty", "; capture again, or check what wrote"),
        ("text", "not a pcap or pcapng file"),
        ("cut", "no frame could be read"),
    ] {
        has(&refused(format!("dissect -r {folder}/{name}")), &[words]);
    }
}

#[test]
fn a_capture_that_is_cut_off_is_shown_up_to_there() {
    let whole = Capture::conversation().bytes;
    let cut = &whole[..HEADERS.0 + 2 * (HEADERS.1 + 54) + 20];
    let ended = run_on(cut, "dissect -r - -T fields -e frame.number").with(1);
    assert_eq!(ended.out, "1\n2\n");
    let start = "warpscope: standard input: the capture is cut off";
    assert!(ended.err.starts_with(start), "{}", ended.err);
    has(&ended.err, &["; the 2 frames before it were read\n"]);
    let frames = json(run_on(cut, "dissect -r - -T json").with(1).out);
    assert_eq!(frames.as_array().unwrap().len(), 2);
    assert_eq!(run_on(cut, "dissect -r - -c 2").with(0).err, "");
}

#[test]
fn help_goes_to_standard_output() {
    for (line, words) in [
        ("--help", "warpscope dissect -r capture.pcapng"),
        ("dissect --help", "Exit status:"),
        ("dissect -h", "-T <FORMAT>"),
        ("fields --help", "warpscope fields tcp.flags"),
        ("help dissect", "Names are never resolved."),
        ("--version", "warpscope 0.1.0 (commit "),
        ("--version", "\nfeatures: "),
        ("--version", "\ncapture: "),
        ("completions bash", "complete -F _warpscope"),
        ("completions zsh", "#compdef warpscope"),
        ("completions fish", "complete -c warpscope"),
        ("man", ".TH warpscope 1"),
    ] {
        has(&super::program::printed(line), &[words]);
    }
    let folder = Folder::new();
    run(format!("man {folder}")).with(0);
    has(&folder.read("warpscope-conform-run.1"), &[".TH warpscope-conform-run 1"]);
    has(&run("").with(2).err, &["Usage: warpscope [OPTIONS] FILE"]);
    let message = run("dissect").with(2).err;
    assert!(message.starts_with("warpscope: the following required arguments"), "{message}");
    has(&run("disect").with(2).err, &["similar subcommand exists: 'dissect'"]);
}

/// Runs a command whose reader takes some bytes and then closes the pipe: it says nothing and ends with `code`.
#[track_caller]
fn ends_with_its_reader(line: &str, bytes: usize, code: i32) {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"))
        .args(line.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdout.take().unwrap().read_exact(&mut vec![0; bytes]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{line}");
    assert_eq!(output.status.code(), Some(code), "{line}");
}

/// A reader that has seen enough closes the pipe: that is no error.
#[test]
fn a_closed_pipe_ends_quietly() {
    let mut capture = Capture::new();
    for _ in 0..20_000 {
        capture.segment(0, 16, b"bytes");
    }
    let folder = Folder::new();
    let file = folder.write("in", &capture.bytes);
    for format in ["-V", "-T json", "-T csv -e frame.protocols"] {
        ends_with_its_reader(&format!("dissect -r {file} {format}"), 64, 0);
    }
}

/// Whoever reads the report may end before it does; the verdict stays what it is.
#[test]
fn a_closed_pipe_changes_no_verdict() {
    let folder = Folder::new();
    folder.write("c/a.pcap", Capture::conversation().bytes);
    folder.write("c/a.expect.yaml", "counts: {frames: 1}\n");
    let terminates = shipped("violations/violations-terminate.pcap");
    for line in [format!("check {terminates} {terminates}"), format!("replay {folder}/c")] {
        ends_with_its_reader(&line, 0, 1);
    }
}

// What does not need live capture, and what a build without it says.

#[test]
#[cfg(not(feature = "live"))]
fn a_build_without_live_capture_says_how_to_get_it() {
    for (line, flag) in
        [("dissect -i lo", "-i"), ("dissect -D", "-D"), ("capture -i lo -w -", "-i")]
    {
        let message = refused(line);
        let start = format!("{flag}: this build of warpscope has no live capture: ");
        assert!(message.starts_with(&start), "{message}");
        has(&message, &["`live`; install libpcap's development files", "--no-default-features"]);
    }
}

#[test]
fn flags_that_do_not_go_together_are_refused_before_anything_is_opened() {
    each_is_refused(&[
        ("dissect -r x -f tcp", "-f is for a live capture (-i); when reading a file, use -Y"),
        ("dissect -r x -a duration:1", "-a: only packets:N applies to a file"),
        ("dissect x y -Y z", "a display filter is given both with -Y and at the end"),
        ("dissect x -R tcp", "the following required arguments"),
        ("dissect x -c 0", "invalid value '0' for '-c <COUNT>'"),
        ("watch -r x -f tcp", "-f is for a live capture (-i)"),
        ("watch -r x -a packets:1", "-a is for a live capture (-i)"),
        ("dissect x -j tcp", "-j and -J are for -T json, ek and pdml"),
        ("dissect -r x -i y", "the argument '--read-file <FILE>' cannot be used with"),
        ("dissect -i x -a size:1", "invalid value 'size:1' for '--autostop <LIMIT:VALUE>'"),
        ("dissect -i x -a files:1", "-a files: it counts the files of -b"),
        ("dissect -i x -a filesize:1", "-a filesize: there is no file"),
        ("dissect -i x -b packets:1", "the following required arguments"),
        ("capture -ix -w- -b packets:1", "-b: several files cannot be written to standard output"),
        ("capture -w x", "the following required arguments"),
        ("replay x --loop 2", "the following required arguments"),
        ("replay x z --onto y", "replay: --onto takes one capture at a time"),
        ("replay x --onto y --speed 0", "invalid value '0' for '--speed"),
        ("replay x --onto y --loop 0", "invalid value '0' for '--loop"),
        ("replay - --onto y --loop 2", "--loop: standard input can be read"),
        ("replay x --onto y -Y tcp.sq", "-Y: "),
    ]);
}

// `warpscope rules`.

#[test]
fn what_is_not_known_is_refused_with_the_nearest() {
    has(&run("rules show RFC5041-3-99").with(2).err, &["; did you mean RFC5041-3-"]);
    let none = "no rule or requirement has the id zzz; `warpscope rules` lists the rules\n";
    assert_eq!(refused("rules show zzz"), none);
    let message = run("rules --layer zzz").with(2).err;
    assert!(message.starts_with("warpscope: --layer zzz: no rule has that layer; "), "{message}");
}

#[test]
fn the_list_as_json() {
    for rule in json(run("rules --format json").with(0).out).as_array().unwrap() {
        assert!(rule["id"].as_str().unwrap().starts_with(rule["layer"].as_str().unwrap()));
        assert!(!rule["requirements"].as_array().unwrap().is_empty());
    }
}

#[test]
fn rules_as_text_and_markdown() {
    let level = "\n  Level      MUST, RFC 5041 section 3\n";
    let line = "\n| `mpa-crc` | MUST | RFC 5044 section 4.4 | ";
    for (line, start, parts) in [
        ("rules --layer rpc", "RPC\n  rpc-", &["  MUST    RFC 8797 section 4.1  "][..]),
        ("rules --format markdown --layer MPA", "## MPA\n\n| Rule | Level | Section |", &[line]),
        (
            "rules show mpa-crc",
            "mpa-crc\n  Demanded   ",
            &[
                "\n  At fault   either side",
                "\n  Terminate  layer LLP (MPA) (2), type MPA error (0), ",
                "\n\nRFC5044-4.4-12\n  Demanded   ",
            ],
        ),
        ("rules show rfc5044-4.4-12", "mpa-crc\n", &["\nRFC5044-4.4-12\n"]),
        // Without a rule.
        ("rules show RFC5041-3-01", "RFC5041-3-01\n  Demanded   ", &[level]),
    ] {
        let text = run(line).with(0).out;
        assert!(text.starts_with(start), "{text}");
        has(&text, parts);
    }
    assert!(!run("rules --layer rpc").out.contains("mpa-"));
}

/// No command writes over a capture that it reads, by whatever name, and what is given up leaves nothing.
#[test]
fn what_is_read_is_not_written_over() {
    let folder = Folder::new();
    let shipped = super::program::shipped("captures/e1-terminate-stock.pcap");
    let capture = folder.at("a.pcap");
    std::fs::copy(shipped, &capture).unwrap();
    let [link, hard] = ["link.pcap", "hard.pcap"].map(|name| folder.at(name));
    std::os::unix::fs::symlink("a.pcap", &link).unwrap();
    std::fs::hard_link(&capture, &hard).unwrap();
    let before = std::fs::read(&capture).unwrap();
    for name in [&capture, &link, &hard] {
        for line in [
            format!("follow {capture} 0 --html {name}"),
            format!("follow {capture} 0 --svg {name}"),
            format!("export {capture} --to messages --csv {name}"),
            format!("export {capture} --to messages --ndjson {name}"),
            format!("export {capture} --to messages --parquet {name}"),
            format!("replay {capture} --junit {name}"),
            format!("dissect -r {capture} -w {name}"),
            format!("annotate -r {capture} -w {name}"),
        ] {
            let ended = run(&line).with(2);
            has(&ended.err, &["this is the input file"]);
            assert_eq!(std::fs::read(&capture).unwrap(), before, "{line}");
        }
    }
    let profile = folder.write("p.yaml", "address: 127.0.0.1:1\n");
    for format in ["junit", "json", "html"] {
        let line =
            format!("conform run --mode bare --profile {profile} --report {format}={profile}");
        has(&run(line).with(2).err, &["this is the input file"]);
    }
    assert_eq!(std::fs::read(&profile).unwrap(), b"address: 127.0.0.1:1\n");
    let mut left: Vec<_> = std::fs::read_dir(folder.at("."))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["a.pcap", "hard.pcap", "link.pcap", "p.yaml"]);
}
