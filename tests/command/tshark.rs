//! What people type to tshark: the same rows, or the difference that docs/tshark.md describes.

use super::program::{Folder, run, shipped};
use super::require::missing;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

const DOCUMENT: &str = include_str!("../../docs/tshark.md");

/// Command lines after `-r FILE`, by capture. Rows are compared without what parts their cells.
const LINES: &[(&str, &[&str])] = &[
    (
        "captures/e1-terminate-stock.pcap",
        &[
            "-Y 'tcp.len == 0'",
            "-c 3",
            "-n -c 3",
            "-a packets:3",
            "-Y 'tcp.flags.syn == 1' -t ad",
            "-Y 'tcp.flags.syn == 1' -t udoy",
            "-Y 'tcp.flags.syn == 1' -t dd",
            "-Y 'tcp.flags.syn == 1' -t e",
            "-Y 'tcp.flags.fin == 1' -t d -u hms",
            "-c 3 -T tabs",
            "-c 2 -x",
            "-c 2 -x -S ----",
            "'tcp.len == 0' and frame.number '<' 40",
            "-2 -R 'tcp.len == 0' -Y 'tcp.port == 59004'",
            "-2 -R 'tcp.len > 0' -q -z conv,tcp",
            "-2 -R 'tcp.stream == 3' -q -z endpoints,tcp",
            "-2 -R 'tcp.len > 0' -T fields -e frame.number -e frame.time_relative -e tcp.len",
            "-T fields -e frame.number -e ip.src -e ip.dst -e tcp.srcport -e tcp.dstport",
            "-T fields -e tcp.stream -e tcp.seq -e tcp.ack -e tcp.len -e tcp.window_size",
            "-T fields -E header=y -E separator=, -E quote=d -e frame.number -e tcp.flags",
            "-T fields -E occurrence=l -e tcp.port -e ip.addr",
            "-T fields -E occurrence=a -E aggregator=/s -e tcp.port",
            "-T fields -e frame.number -e frame.protocols",
            "-T fields -e _ws.col.No. -e _ws.col.Time -e _ws.col.Source -e _ws.col.Destination -e _ws.col.Length",
            "-T fields -e tcp.analysis.acks_frame -e tcp.analysis.ack_rtt -e tcp.analysis.initial_rtt",
            "-T fields -e tcp.analysis.bytes_in_flight -e tcp.analysis.push_bytes_sent",
            "-Y iwarp_mpa -T fields -e frame.number -e iwarp_mpa.ulpdulength -e iwarp_mpa.pad",
            "-Y iwarp_ddp -T fields -e iwarp_ddp.stag -e iwarp_ddp.tagged_offset -e iwarp_ddp.last_flag",
            "-Y 'iwarp_rdma.opcode == 7' -T fields -e frame.number -e iwarp_rdma.opcode",
            "-Y 'iwarp_rdma.opcode in {0x01, 0x02}' -T fields -e frame.number",
            "-Y 'ip.src == 10.66.0.1 && tcp.len > 0' -T fields -e frame.number -e data.len",
            "-Y 'frame contains \"MPA ID\"' -T fields -e frame.number",
            "-Y 'tcp.flags & 0x01' -T fields -e frame.number",
            "-Y '!(tcp.port == 7200)'",
            "-T json -e ip.src -e tcp.len -c 4",
            "-T ek -e ip.src -e tcp.len -c 4",
            "-q -z io,stat,5",
            "-q -z 'io,stat,10,tcp.len > 0,COUNT(tcp.len)tcp.len,AVG(tcp.len)tcp.len'",
            "-q -z conv,tcp",
            "-q -z conv,ip",
            "-q -z 'conv,tcp,tcp.len > 0'",
            "-q -z endpoints,tcp",
            "-q -z endpoints,ip -z conv,ip",
            "-q -z follow,tcp,hex,3",
            "-q -z follow,tcp,raw,3",
            "-q -z follow,tcp,ascii,3",
        ],
    ),
    (
        "synthetic/reordered.pcap",
        &[
            "-Y tcp.analysis.flags -T fields -e frame.number",
            "-Y tcp.analysis.retransmission -T fields -e frame.number",
            "-Y 'tcp.analysis.out_of_order || tcp.analysis.lost_segment' -T fields -e frame.number",
            "-T fields -e frame.number -e _ws.expert.message -e _ws.expert.severity",
            "-q -z expert,warn,tcp.len==0",
        ],
    ),
    (
        "synthetic/lost-segment-plain.pcap",
        &["-Y tcp.analysis.ack_lost_segment -T fields -e frame.number", "-q -z conv,tcp"],
    ),
    (
        "synthetic/ipv6.pcap",
        &["-Y 'tcp.len == 0'", "-T fields -e ipv6.src -e ipv6.dst -e tcp.len", "-q -z conv,ipv6"],
    ),
    (
        "synthetic/vlan.pcap",
        &["-T fields -e vlan.id -e ip.src", "-T fields -e eth.src -e eth.type"],
    ),
    ("synthetic/not-iwarp.pcap", &["-Y tcp.analysis.window_update", "-q -z io,stat,0"]),
    (
        "synthetic/several-connections.pcap",
        &[
            "-Y 'tcp.stream in {1, 3}' -T fields -e tcp.stream -e frame.number",
            "-q -z endpoints,tcp",
        ],
    ),
];

/// Lines whose rows differ: what is different is in docs/tshark.md.
const DIFFERENT: &[(&str, &str)] = &[
    ("-q -z io,stat,0", "six digits"),
    ("-T fields -e frame.number -e frame.protocols", "at the last of its segments"),
];

/// The rows without what parts their cells, and without those that have no digit: headings and rules.
fn rows(text: &str) -> Vec<String> {
    let row =
        |line: &str| line.replace(['|', '"'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    // The numbers of columns in a heading are no row.
    let heading = |row: &str| row.split(' ').zip(1..).all(|(word, at)| word == at.to_string());
    let has_digit = |row: &str| row.contains(|it: char| it.is_ascii_digit());
    text.lines().map(row).filter(|row| has_digit(row) && !heading(row)).collect()
}

/// What tshark prints of a file; none where it is not installed.
fn tshark(arguments: &str) -> Option<String> {
    let mut command = Command::new("tshark");
    command.args(shell_words::split(arguments).unwrap());
    command.env("TZ", "UTC").env("WIRESHARK_CONFIG_DIR", env!("CARGO_TARGET_TMPDIR"));
    let output = command.stderr(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn sixty_lines_for_tshark_give_the_same_rows() {
    if tshark("--version").is_none() {
        return missing("tshark", "its command lines are tried");
    }
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for (capture, lines) in LINES {
        let file = shipped(capture);
        for line in *lines {
            tried += 1;
            let theirs = rows(&tshark(&format!("-n -r {file} {line}")).unwrap());
            let ended = run(format!("dissect -r {file} {line}"));
            assert_eq!(ended.status, Some(0), "{line}: {}", ended.err);
            let same = rows(&ended.out) == theirs;
            let documented = DIFFERENT.iter().find(|(known, _)| known == line);
            match documented {
                Some((_, words)) => {
                    assert!(!same, "{line} gives the same rows now");
                    assert!(DOCUMENT.contains(words), "docs/tshark.md says nothing of {words}");
                }
                None if same => {}
                None => {
                    let ours = rows(&ended.out);
                    let at = ours.iter().zip(&theirs).position(|(one, other)| one != other);
                    let at = at.unwrap_or(ours.len().min(theirs.len()));
                    wrong.push(format!(
                        "{capture} {line}: {:?}, tshark {:?}",
                        ours.get(at),
                        theirs.get(at)
                    ));
                }
            }
        }
    }
    assert!(tried >= 60, "only {tried}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The options of the table with what is said of them, as they are written there.
fn table() -> Vec<(&'static str, &'static str)> {
    let table = DOCUMENT.split("## Options").nth(1).unwrap().split("## Statistics").next().unwrap();
    let cells = |line: &'static str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        Some((cells.next()?.strip_prefix('`')?.strip_suffix('`')?, cells.next()?))
    };
    table.lines().filter_map(cells).collect()
}

#[test]
fn the_table_of_options_is_true() {
    let folder = Folder::new();
    for (option, support) in table() {
        let words = option.replace("FILE", &folder.at("x"));
        let ended = run(format!("dissect {words} --help"));
        let accepted = ended.status == Some(0);
        match support {
            "same" | "different" => assert!(accepted, "{option}: {}", ended.err),
            "not here" => assert!(!accepted, "{option} is accepted"),
            other => panic!("{option}: {other}?"),
        }
    }
}

#[test]
fn the_table_of_options_is_whole() {
    let Some(help) = tshark("-h") else { return missing("tshark", "its options are listed") };
    let table = table();
    let known: BTreeSet<&str> =
        table.iter().map(|(option, _)| option.split(' ').next().unwrap()).collect();
    let is_option = |word: &&str| match word.strip_prefix("--") {
        Some(name) => !name.is_empty(),
        None => word.starts_with('-') && word.len() == 2,
    };
    // What an option is for begins after two blanks.
    let heads = help
        .lines()
        .filter(|line| line.starts_with("  -"))
        .filter_map(|line| line.trim().split("  ").next());
    let words = heads.flat_map(|head| head.split([' ', ',', '<', '=']).filter(is_option));
    let lacking: Vec<&str> = words.filter(|word| !known.contains(word)).collect();
    assert!(lacking.is_empty(), "docs/tshark.md lacks {lacking:?}");
}

#[test]
fn frames_go_into_pcap_files_as_tshark_writes_them() {
    let folder = Folder::new();
    let (file, out) = (shipped("synthetic/vlan.pcap"), folder.at("out.pcap"));
    run(format!("dissect -r {file} -Y 'tcp.len > 0' -F pcap -w {out}")).with(0);
    assert_eq!(folder.bytes("out.pcap")[..4], [0xd4, 0xc3, 0xb2, 0xa1]);
    let theirs = folder.at("theirs.pcap");
    if tshark(&format!("-n -r {file} -Y 'tcp.len > 0' -F pcap -w {theirs}")).is_some() {
        let from = |name: &str| folder.bytes(name)[24..].to_vec();
        assert_eq!(from("out.pcap"), from("theirs.pcap"));
    }
    let message = run(format!("dissect -i lo -F pcap -w {}", folder.at("live"))).with(2).err;
    assert!(message.contains("-F pcap: a live capture is written as pcapng"), "{message}");
}

#[test]
fn xml_holds_what_json_holds() {
    let file = shipped("synthetic/commit.pcap");
    let pdml = run(format!("dissect -r {file} -T pdml")).with(0).out;
    let fields =
        run(format!("dissect -r {file} -T fields -e tcp.seq -e iwarp_ddp.stag")).with(0).out;
    for value in fields.split_whitespace().flat_map(|all| all.split(',')) {
        assert!(pdml.contains(&format!("show=\"{value}\"")), "{value}");
    }
    let count = |tag: &str| pdml.matches(tag).count();
    assert_eq!(count("<proto "), count("</proto>"));
    assert_eq!(count("<packet>"), fields.lines().count());
    let psml = run(format!("dissect -r {file} -T psml -c 1")).with(0).out;
    assert!(
        psml.contains("<section>No.</section>") && psml.contains("<section>TCP</section>"),
        "{psml}"
    );
    let cut = run(format!("dissect -r {file} -T json -j 'tcp tcp.flags' -c 1")).with(0).out;
    let layers = &super::program::json(&cut)[0]["_source"]["layers"];
    assert_eq!(layers["ip"]["filtered"], "ip");
    assert_eq!(layers["tcp"]["tcp.flags_tree"]["tcp.flags.syn"], "1");
    let opened = run(format!("dissect -r {file} -O tcp -c 1")).with(0).out;
    assert!(opened.contains("\n    Source Port") && !opened.contains("\n    Version"), "{opened}");
}

#[test]
fn statistics_that_are_not_here_name_what_is() {
    let folder = Folder::new();
    let file = folder.at("x");
    for (asked, instead) in [
        ("flow,tcp", "`warpscope follow FILE`"),
        ("conv,eth", "use -z conv,tcp, conv,ip or conv,ipv6"),
        ("plen,tree", "stats --only sizes"),
        ("h225,counter", "the statistics are io,phs io,stat conv,tcp"),
        ("warpscope,x", "the tables of warpscope are flows, opcodes, "),
        ("follow,tcp,ebcdic,0", "MODE is ascii, hex or raw"),
        ("rpc,srt,nfs", "rpc,srt,100003,3 for NFS"),
        ("io,stat,x", "io,stat,0.1"),
        ("io,stat,1,SUM(tcp.len)", "the field must also be in the filter"),
    ] {
        let message = run(format!("dissect -r {file} -q -z '{asked}'")).with(2).err;
        assert!(
            message.contains(&format!("-z {asked}: ")) && message.contains(instead),
            "{asked}: {message}"
        );
    }
    let file = shipped("captures/e1-terminate-stock.pcap");
    let flows = run(format!("flows {file}")).out;
    assert_eq!(run(format!("dissect -r {file} -q -z warpscope,flows")).with(0).out, flows);
    let opcodes = run(format!("stats --only opcodes {file}")).out;
    assert_eq!(run(format!("dissect -r {file} -q -z warpscope,opcodes")).with(0).out, opcodes);
    for report in ["fields", "protocols", "values"] {
        let Some(theirs) = tshark(&format!("-G {report}")) else { continue };
        let key = |line: &str| {
            let cells: Vec<&str> = line.split('\t').collect();
            cells.get(if report == "values" { 1 } else { 2 }).map(|it| (*it).to_owned())
        };
        let known: BTreeSet<_> = theirs.lines().filter_map(key).collect();
        let ours = run(format!("dissect -G {report}")).with(0).out;
        let shared = ours.lines().filter_map(key).filter(|it| known.contains(it)).count();
        assert!(shared * 2 > ours.lines().count(), "{report}: {shared} shared");
    }
}
