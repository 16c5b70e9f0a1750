//! What trips somebody in the first hour, each once.

use super::program::{Folder, has, printed, refused, run, shipped};

#[test]
fn a_file_that_is_not_there_is_no_command() {
    let message = refused("nothere.pcap");
    assert!(message.starts_with("nothere.pcap: cannot open the file: No such file"), "{message}");
    for (word, words) in [("convert", "no such command or file: 'convert'\n"), ("flos", "'flows'")]
    {
        let message = refused(word);
        has(&message, &[words, "warpscope [OPTIONS] FILE"]);
        assert!(word == "flos" || !message.contains("similar"), "{message}");
    }
}

#[test]
fn a_display_filter_follows_the_file() {
    let input = shipped("captures/e1-terminate-stock.pcap");
    let screen = printed(format!("{input} iwarp_rdma.terminate --snapshot messages --size 80x12"));
    has(&screen, &["filter, 17 of 308 frames: iwarp_rdma.terminate"]);
    let screen = printed(format!("tui {input} tcp.stream == 4 --snapshot flows"));
    has(&screen, &["filter, 1 of 22 flows: tcp.stream == 4"]);
    let message = refused(format!("{input} tcp.steam==4"));
    has(&message, &["the display filter after the file: `tcp.steam` is neither", "`tcp.stream`?"]);
    let message = refused(format!("{input} nothere.pcap"));
    assert!(message.starts_with("nothere.pcap: cannot open the file"), "{message}");
    let message = refused(format!("{input} tcp -Y rpc"));
    has(&message, &["both with -Y and at the end of the command line: leave one out"]);
}

#[test]
fn check_and_annotate_count_the_same() {
    let folder = Folder::new();
    for name in ["captures/e1-terminate-stock.pcap", "captures/g-nfs-v3-cut.pcap.zst"] {
        let input = shipped(name);
        let checked = run(format!("check {input}")).out;
        let counted = checked.lines().last().unwrap().trim_start_matches("1 file: ");
        let message = run(format!("annotate --force -r {input} -w {folder}/out")).with(0).err;
        assert!(message.starts_with(&format!("{counted}, ")), "{message}, checked: {counted}");
    }
}

#[test]
fn no_file_is_replaced_without_force() {
    let folder = Folder::new();
    let input = shipped("synthetic/commit.pcap");
    let out = folder.write("out", "precious");
    let all = folder.write("messages.csv", "precious");
    for line in [
        format!("export {input} --to messages --csv {out}"),
        format!("export {input} --to all --csv {folder}"),
        format!("dissect -r {input} -w {out}"),
        format!("annotate -r {input} -w {out}"),
        format!("follow {input} 0 --html {out}"),
        format!("replay {input} --junit {out}"),
        format!("peer listen 127.0.0.1:0 -s pingpong --write-pcap {out}"),
        format!("conform proxy --listen 127.0.0.1:0 --to 127.0.0.1:1 --report json={out}"),
    ] {
        let ended = run(&line).with(2);
        has(&ended.err, &[": this file already exists; name another, or add --force\n"]);
        assert!([&out, &all].iter().all(|it| std::fs::read(it).unwrap() == b"precious"), "{line}");
    }
    // A link that leads nowhere yet is not followed either.
    let link = folder.at("link.pcapng");
    std::os::unix::fs::symlink(folder.at("elsewhere"), &link).unwrap();
    has(&run(format!("dissect -r {input} -w {link}")).with(2).err, &["already exists"]);
    run(format!("export {input} --to messages --csv {out} --force")).with(0);
    assert!(folder.read("out").starts_with("file,connection,"));
}

#[test]
fn a_capture_without_packets_is_reported_as_such() {
    let folder = Folder::new();
    let empty =
        folder.write("empty.pcap", &std::fs::read(shipped("synthetic/commit.pcap")).unwrap()[..24]);
    let commands = ["flows", "stats", "follow", "dissect -r", "export --to rpcs --csv -"];
    for command in commands {
        let ended = run(format!("{command} {empty}")).with(0);
        assert_eq!(
            ended.err,
            format!("warpscope: {empty}: the capture has no packets\n"),
            "{command}"
        );
        assert!(!ended.out.contains("No iWARP"), "{command}: {}", ended.out);
    }
    has(&printed(format!("tui --snapshot flows {empty}")), &["the capture has no packets"]);
}

#[test]
fn folders_are_searched_and_captures_without_expectations_counted() {
    let folder = Folder::new();
    let bytes = std::fs::read(shipped("synthetic/commit.pcap")).unwrap();
    std::fs::create_dir_all(folder.at("below/deep")).unwrap();
    folder.write("below/deep/a.pcap", &bytes);
    let ended = run(format!("replay {folder}")).with(0);
    assert!(ended.out.ends_with("\n1 capture: 1 without expectations\n"), "{}", ended.out);
    has(&run(format!("replay --require-expectations {folder}")).with(1).out, &["--bless"]);
}

#[test]
fn why_a_terminate_was_sent_is_in_the_summary_of_the_flow() {
    let input = shipped("captures/e1-terminate-stock.pcap");
    let sentence = "the responder 10.66.0.1 refuses the Read Request of the initiator 10.66.0.2 in frame 99 \
                    (message 1): its 256 bytes at TO 0x7f9e07033000 do not lie within the memory of";
    for line in ["flows", "follow", "flows --details=7", "follow --width 300"] {
        let flow = if line.starts_with("follow --width") { " 7" } else { "" };
        let shown = printed(format!("{line} {input}{flow}"));
        let joined = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(sentence), "{line}: {shown}");
    }
}

#[test]
fn one_of_a_thing_is_no_plural() {
    let listed = printed(format!("follow {}", shipped("captures/e1-terminate-stock.pcap")));
    has(&listed, &["iWARP, 1 message\n", "iWARP, 2 messages, 1 Terminate"]);
}

/// Two hosts' captures of one connection: each message is there twice, and the difference is the way.
#[test]
fn captures_of_two_hosts_are_shown_as_one() {
    let folder = Folder::new();
    let client = shipped("captures/e1-terminate-stock.pcap");
    let mut bytes = std::fs::read(&client).unwrap();
    // The records of the other host: each 350 µs later.
    let nanoseconds = bytes[..4] == 0xa1b2_3c4d_u32.to_le_bytes();
    let (later, second) = if nanoseconds { (350_000, 1_000_000_000) } else { (350, 1_000_000) };
    let mut at = 24;
    while at < bytes.len() {
        let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
        let (time, length) = (word(at + 4) + later, word(at + 8) as usize);
        let seconds = word(at) + time / second;
        bytes[at..at + 4].copy_from_slice(&seconds.to_le_bytes());
        bytes[at + 4..at + 8].copy_from_slice(&(time % second).to_le_bytes());
        at += 16 + length;
    }
    let server = folder.write("server.pcap", &bytes);
    let line = format!("tui --merge {client} {server} --size 120x40 --snapshot");
    let flows = printed(format!("{line} flows --keys j"));
    // Each connection once for each file, with the same findings: nothing is sent twice.
    has(&flows, &["2/44", "1 10.66.0.2:59004 10.66.0.1:7200", "captured on server.pcap"]);
    let messages = printed(format!("{line} messages --keys 'u u'"));
    let shown: Vec<&str> = messages.lines().filter(|line| line.contains("350 µs")).collect();
    assert!(shown.len() > 3 && shown[0].contains("MPA Request Rev=2 IRD=4 ORD=4"), "{messages}");
    // What is wrong with one file is said, and the other is shown.
    let cut = folder.write("cut.pcap", &bytes[..2000]);
    let ended = run(format!("tui --merge {client} {cut} --snapshot flows --size 200x30")).with(1);
    has(&ended.out, &["cut.pcap: the capture is cut off", "10.66.0.2:35061"]);
}
