//! `warpscope fields` and `warpscope dissect`.

use super::program::{Folder, has, json, json_has, json_lines, refused, run, run_on, shipped};
use super::{Capture, dissected};
use serde_json::json;

#[test]
fn fields_are_listed_by_protocol_and_as_json_and_markdown() {
    let flags = run("fields tcp.flags").with(0).out;
    assert!(flags.starts_with("Transmission Control Protocol (tcp)\n  tcp.flags "), "{flags}");
    has(&flags, &["  tcp.flags.syn ", "RFC 9293"]);
    assert!(!flags.contains("tcp.seq"), "{flags}");
    has(&run("fields").with(0).out, &["\n\nEthernet"]);
    run("fields TCP.FLAGS").with(0);
    json_has(
        &json(run("fields --format json ip.proto").with(0).out),
        json!({
            "/0/name": "ip.proto",
            "/0/protocol": "ip",
            "/0/type": "unsigned 8 bits",
            "/0/origin": "Wireshark",
            "/0/values/6": "TCP",
        }),
    );
    let markdown = run("fields --format markdown ip.proto").with(0).out;
    let start = "## Internet Protocol Version 4 (`ip`)\n\n| Name |";
    assert!(markdown.starts_with(start), "{markdown}");
    has(&markdown, &["\n| `ip.proto` | Protocol |"]);
    let message = refused("fields tcp.sequence_nr");
    assert!(message.starts_with("no field matches tcp.sequence_nr; "), "{message}");
}

/// Bytes that nothing decodes: `data` where they are new, and what the stream makes of them in the line.
#[test]
fn plain_bytes_are_data_and_their_line_says_how_they_fit() {
    let mut capture = Capture::new();
    for (skipped, bytes) in [(0, "hello"), (5_u32.wrapping_neg(), "hello"), (5, "later")] {
        capture.skip(0, skipped);
        capture.segment(0, 0x18, bytes.as_bytes());
    }
    let folder = Folder::new();
    let file = folder.write("in", &capture.bytes);
    let fields = run(format!("dissect -r {file} -T fields -e frame.protocols -e data.data"));
    let plain = "eth:ethertype:ip:tcp";
    let expected = format!("{plain}:data\t68656c6c6f\n{plain}\t\n{plain}:data\t6c61746572\n");
    assert_eq!(fields.with(0).out, expected);
    let lines = run(format!("dissect -r {file}")).with(0).out;
    let of = |at: usize| lines.lines().nth(at).unwrap_or_default();
    assert!(!of(0).contains('[') || of(0).contains("TCP 59 40000 \u{2192} 7174 ["), "{lines}");
    has(of(1), &["[5 bytes seen before] 40000"]);
    has(of(2), &["[out of order, 5 bytes missing before] 40000"]);
}

/// A longer segment that waits is not lost to a shorter one with the same beginning.
#[test]
fn a_followed_stream_has_every_captured_byte() {
    let mut capture = Capture::new();
    let pieces: [(i32, &[u8]); 4] = [(0, b"one"), (4, b" three"), (-6, b" t"), (-6, b" two")];
    for (skipped, bytes) in pieces {
        capture.skip(0, skipped as u32);
        capture.segment(0, 0x18, bytes);
    }
    capture.skip(0, 6);
    capture.segment(1, 0x18, b"ack");
    let folder = Folder::new();
    let file = folder.write("in", &capture.bytes);
    let raw = run(format!("dissect -r {file} -q -z follow,tcp,raw,0")).with(0).out;
    has(&raw, &["6f6e65\n", "2074776f\n", "207468726565\n"]);
}

/// What a read filter leaves out is in no statistics.
#[test]
fn a_read_filter_applies_to_statistics() {
    let folder = Folder::new();
    let file = folder.write("in", Capture::conversation().bytes);
    for (filter, frames) in [("tcp.len > 0", "5"), ("tcp.len == 0", "4")] {
        let line = format!("dissect -r {file} -2 -R '{filter}' -q -z io,stat,0");
        let text = run(line).with(0).out;
        let row = text.lines().find(|line| line.contains("<>")).unwrap();
        assert_eq!(row.split('|').nth(2).map(str::trim), Some(frames), "{text}");
    }
    let message = refused(format!("dissect -r {file} -2 -R tcp -q -z warpscope,latency"));
    has(&message, &["-z warpscope,latency: it is about whole connections"]);
}

// Blocks of pcapng captures, made by hand in big-endian numbers.

/// A block in big-endian numbers: type, length, body, length.
pub(crate) fn block(kind: u32, body: &[&[u8]]) -> Vec<u8> {
    let body = body.concat();
    assert_eq!(body.len() % 4, 0, "a body is made of whole words");
    let length = (body.len() as u32 + 12).to_be_bytes();
    [&kind.to_be_bytes()[..], &length, &body, &length].concat()
}

/// An option in big-endian numbers.
pub(crate) fn option(code: u16, value: &[u8]) -> Vec<u8> {
    let mut option = [code.to_be_bytes(), (value.len() as u16).to_be_bytes()].concat();
    option.extend(value);
    option.resize(option.len().next_multiple_of(4), 0);
    option
}

pub(crate) fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// A section header; its section's length is `length`.
pub(crate) fn section(length: u64) -> Vec<u8> {
    let body = [&words(&[0x1a2b_3c4d, 0x0001_0000])[..], &length.to_be_bytes()].concat();
    block(0x0a0d_0d0a, &[&body, &option(1, b"a section"), &option(0, b"")])
}

pub(crate) fn interface(link_type: u32, name: &str, resolution: u8) -> Vec<u8> {
    let options = [option(2, name.as_bytes()), option(9, &[resolution]), option(0, b"")].concat();
    block(1, &[&words(&[link_type << 16, 1_500]), &options])
}

/// An ARP request as an enhanced packet with these options.
pub(crate) fn packet(interface: u32, ticks: u64, original_length: u32, options: &[u8]) -> Vec<u8> {
    let mut frame = vec![0xff; 6];
    frame.extend([2, 0, 0, 0, 0, 2, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 2]);
    frame.resize(42, 7);
    let captured = frame.len() as u32;
    frame.resize(44, 0);
    let header = words(&[interface, (ticks >> 32) as u32, ticks as u32, captured, original_length]);
    block(6, &[&header, &frame, options])
}

// `-T fields` and `-T csv`, and which frames are shown.

#[test]
fn a_line_a_frame_even_without_values() {
    let lines = dissected("-T fields -e frame.number -e tcp.seq -e ip.addr");
    let expected = "1\t0\t10.0.0.2,10.0.0.1\n2\t0\t10.0.0.1,10.0.0.2\n3\t1\t10.0.0.2,10.0.0.1\n";
    assert!(lines.starts_with(expected), "{lines}");
    assert_eq!(lines.lines().nth(8), Some("9\t\t"));
    assert_eq!(lines.lines().count(), 10);
}

#[test]
fn what_is_printed_of_some_frames_and_fields() {
    let addresses = "-T fields -e frame.number -e ip.addr -e tcp.payload -c 1";
    let numbers = "-T fields -e frame.number";
    let sequence = "-T fields -e frame.number -e tcp.seq -e tcp.ack -c 3";
    let columns = "-e _ws.col.No. -e _ws.col.Time -e _ws.col.Source -e _ws.col.Destination \
                   -e _ws.col.Protocol -e _ws.col.Length -e _ws.col.Info";
    let quoted = "-E header=y -E separator=, -E quote=d -E aggregator=/s";
    let defaults = "-E quote=n -E occurrence=a -E header=n -E separator=/t";
    let headed = "frame.number,ip.addr,tcp.payload\n\"1\",\"10.0.0.2 10.0.0.1\",\n";
    let two = "frame.number,ip.addr\n1,\"10.0.0.2,10.0.0.1\"\n2,\"10.0.0.1,10.0.0.2\"\n";
    let row = "1,0.000000,10.0.0.2,10.0.0.1,TCP,54,40000 → 7174 [SYN] Seq=0 Win=4096 Len=0\n";
    let absolute = "1\t999\t0\n2\t4999\t1000\n3\t1000\t5000\n";
    for (base, more, expected) in [
        (addresses, quoted, headed),
        (addresses, "-E occurrence=f -E separator=/s", "1 10.0.0.2 \n"),
        (addresses, "-E occurrence=l -E quote=s", "'1'\t'10.0.0.1'\t\n"),
        (addresses, defaults, "1\t10.0.0.2,10.0.0.1\t\n"),
        (addresses, "-E 'aggregator=|'", "1\t10.0.0.2|10.0.0.1\t\n"),
        // CSV quotes what holds a comma.
        ("-T csv -c 2", "-e frame.number -e ip.addr", two),
        ("-T csv -c 1 -E header=n", "-e ip.addr -E aggregator=/s", "10.0.0.2 10.0.0.1\n"),
        ("-T csv -c 1 -E header=n", "-e tcp.options", "\"\"\n"),
        ("-T csv -c 1 -E header=n", columns, row),
        (numbers, "-Y 'tcp.flags.syn == 1'", "1\n2\n"),
        (numbers, "-c 3", "1\n2\n3\n"),
        (numbers, "-c 3 -Y 'frame.number >= 3'", "3\n"),
        (numbers, "-Y 'frame.number > 10'", ""),
        (numbers, "-q", ""),
        ("-q", "", ""),
        ("-q", "-T json", ""),
        ("-T json", "-Y udp", "[]\n"),
        ("-T ndjson", "-Y udp", ""),
        (sequence, "-o tcp.relative_sequence_numbers:FALSE", absolute),
        (sequence, "-o tcp.relative_sequence_numbers:true", "1\t0\t0\n2\t0\t1\n3\t1\t1\n"),
    ] {
        assert_eq!(dissected(&format!("{base} {more}")), expected, "{base} {more}");
    }
}

#[test]
fn frames_come_from_standard_input() {
    let line = "dissect -r - -l -n -c 1 -T fields -e frame.number";
    assert_eq!(run_on(&Capture::conversation().bytes, line).with(0).out, "1\n");
}

// `-T json` and `-T ndjson`.

#[test]
fn an_array_in_the_layout_of_tshark() {
    let text = dissected("-T json");
    let start = "[\n  {\n    \"_index\": \"packets-2023-11-14\",\n    \"_type\": \"doc\",\n    \
                 \"_score\": null,\n    \"_source\": {\n      \"layers\": {\n        \"frame\": {\n";
    assert!(text.starts_with(start), "{text}");
    assert!(text.ends_with("\n  }\n]\n"), "{text}");
    let frames = json(text);
    assert_eq!(frames.as_array().unwrap().len(), 10);
    json_has(
        &frames[0]["_source"]["layers"],
        json!({
            "/frame/frame.number": "1",
            "/ip/ip.addr": ["10.0.0.2", "10.0.0.1"],
            "/ip/ip.flags": "0x02",
            "/ip/ip.flags_tree/ip.flags.df": "1",
            "/tcp/tcp.flags_tree/tcp.flags.syn": "1",
        }),
    );
}

#[test]
fn bytes_with_their_places() {
    json_has(
        &json(dissected("-T json -x -c 1"))[0]["_source"]["layers"],
        json!({
            "/frame_raw/2": 54,
            "/ip/ip.version_raw": ["4", 14, 1, 240, 4],
            "/ip/ip.src_raw": ["0a000002", 26, 4, 0, 32],
            "/tcp/tcp.srcport_raw": ["9c40", 34, 2, 0, 5],
        }),
    );
}

#[test]
fn an_object_a_line() {
    let text = dissected("-T ndjson");
    assert!(text.starts_with("{\"frame\":1,\"layers\":{\"frame\":{"), "{text}");
    let lines = json_lines(&text);
    assert_eq!(lines.len(), 10);
    json_has(&lines[8], json!({"/frame": 9, "/layers/arp/arp.opcode": "1"}));
}

#[test]
fn some_fields_as_arrays() {
    let fields = "-c 1 -e ip.addr -e arp.opcode -T";
    let frames = json(dissected(&format!("{fields} json")));
    let expected = json!({ "ip.addr": ["10.0.0.2", "10.0.0.1"] });
    assert_eq!(frames[0]["_source"]["layers"], expected);
    let expected = "{\"frame\":1,\"layers\":{\"ip.addr\":[\"10.0.0.2\",\"10.0.0.1\"]}}\n";
    assert_eq!(dissected(&format!("{fields} ndjson")), expected);
}

// `-z io,phs`.

const RULE: &str = "===================================================================";

#[test]
fn protocols_and_accounting() {
    let text = dissected("-q -z io,phs");
    let table = format!(
        "\n{RULE}\nProtocol Hierarchy Statistics\nFilter: \n\n\
         eth                                      frames:10 bytes:684\n  \
           ip                                     frames:9 bytes:642\n    \
             tcp                                  frames:9 bytes:642\n      \
               iwarp_mpa                          frames:5 bytes:426\n        \
                 iwarp_ddp_rdmap                  frames:3 bytes:278\n          \
                   data                           frames:2 bytes:172\n  \
           arp                                    frames:1 bytes:42\n{RULE}\n"
    );
    assert_eq!(text[..table.len().min(text.len())], table, "{text}");
    let accounting: Vec<(&str, &str)> = text[table.len()..]
        .lines()
        .filter_map(|line| line.trim().rsplit_once(' '))
        .map(|(name, count)| (name.trim(), count))
        .collect();
    for expected in [
        ("connections", "1"),
        ("setup frames", "2"),
        ("FPDUs", "3"),
        ("CRC good", "2"),
        ("CRC bad", "1"),
        ("complete messages", "3"),
        ("Write", "1"),
        ("Send", "1"),
        ("Read Request", "1"),
        ("bytes skipped", "0"),
    ] {
        assert!(accounting.contains(&expected), "{expected:?} in {text}");
    }
}

#[test]
fn statistics_have_a_filter_of_their_own_and_follow_the_frames() {
    let text = dissected("-q -z 'io,phs,tcp.flags.syn == 1' -Y arp");
    let tcp = "    tcp                                  frames:2 bytes:108\n";
    has(&text, &["Filter: tcp.flags.syn == 1\n", tcp]);
    assert!(!text.contains("iWARP") && !text.contains("arp  "), "{text}");
    let text = dissected("-z io,phs -Y arp");
    assert!(text.starts_with("    9   0.008008 "), "{text}");
    has(&text, &["\n\n===", "frames:10 "]);
}

#[test]
fn ports_decide_what_is_iwarp_and_profiles_what_an_opcode_means() {
    for rule in ["tcp.port==7174,data", "tcp.port==7000-8000,none", "tcp.port==7174:1,data"] {
        let text = dissected(&format!("-q -z io,phs -d {rule}"));
        has(&text, &["      data                               frames:5 bytes:426\n"]);
        assert!(!text.contains("iwarp"), "{rule}: {text}");
    }
    has(&dissected("-q -z io,phs -d tcp.port==40000,iwarp_mpa"), &["iwarp_ddp_rdmap"]);
    for profile in ["all", "rfc5040", "rfc7306", "ext-v2", "commit"] {
        has(&dissected(&format!("-q -z io,phs -o iwarp.profile:{profile}")), &["Read Request"]);
    }
}

/// The counts are those of tshark 4.0, which sets messages put together from chunks apart.
#[test]
fn remote_procedure_calls_by_what_they_came_by() {
    let file = shipped("captures/g-nfs-v3-cut.pcap.zst");
    let text = run(format!("dissect -q -z io,phs -r {file}")).with(0).out;
    let table = "
      rpc                                frames:6 bytes:720
        mount                            frames:4 bytes:472
      iwarp_mpa                          frames:2489 bytes:3024970
        iwarp_ddp_rdmap                  frames:2487 bytes:3024774
          rpcordma                       frames:68 bytes:17364
            rpc                          frames:51 bytes:13046
              nfs                        frames:45 bytes:11886
              nfsacl                     frames:6 bytes:1160
          data                           frames:2389 bytes:2995106
          rpc                            frames:13 bytes:10298
            nfs                          frames:13 bytes:10298
===";
    has(&text, &[table]);
}

// `-T text`: lines, trees, bytes, times.

const FIRST: &str = "    1   0.000000     10.0.0.2 → 10.0.0.1     TCP 54 40000 → 7174 [SYN] Seq=0 \
                     Win=4096 Len=0\n";

#[test]
fn lines_are_aligned() {
    let text = dissected("");
    assert!(text.starts_with(FIRST), "{text}");
    assert_eq!(text.lines().count(), 10);
    let arp = text.lines().nth(8).unwrap();
    assert!(arp.starts_with("    9   0.008008 ") && arp.contains(" ARP 42 "), "{arp}");
}

#[test]
fn times() {
    for (format, time) in [
        ("r", "0.003003"),
        ("d", "0.001001"),
        ("dd", "0.003003"),
        ("e", "1700000000.003003"),
        ("u", "22:13:20.003003"),
        ("ud", "2023-11-14 22:13:20.003003"),
        ("a", "22:13:20.003003"),
        ("ad", "2023-11-14 22:13:20.003003"),
    ] {
        let text = dissected(&format!("-t {format} -Y 'frame.number in {{1, 4}}'"));
        let line = text.lines().nth(1).unwrap();
        assert_eq!(line[6..line.find("     10.0.0.2").unwrap()].trim(), time, "{format}");
    }
}

#[test]
fn bytes_alone_and_with_the_line() {
    let rows = "0000  02 00 00 00 00 01 02 00 00 00 00 02 08 00 45 00   ..............E.\n\
                0010  00 28 00 01 40 00 40 06 00 00 0a 00 00 02 0a 00   .(..@.@.........\n\
                0020  00 01 9c 40 1c 06 00 00 03 e7 00 00 00 00 50 02   ...@..........P.\n\
                0030  10 00 00 00 00 00                                 ......\n\n";
    assert_eq!(dissected("-x -c 1"), rows);
    assert_eq!(dissected("-x -P -c 1"), format!("{FIRST}\n{rows}"));
    let all = dissected("-x -V -P -c 1");
    assert!(all.starts_with(FIRST), "{all}");
    assert!(all.ends_with(&format!("\n\n{rows}")), "{all}");
}

#[test]
fn trees_have_values_names_and_bits() {
    let text = dissected("-V -c 2");
    has(
        &text,
        &[
            "Frame 1: ",
            "    Frame Number: 1\n",
            "    [Protocols in frame: eth:ethertype:ip:tcp]\n",
            "Internet Protocol Version 4, Src: 10.0.0.2, Dst: 10.0.0.1\n",
            "    0100 .... = Version: 4\n",
            "    Protocol: TCP (6)\n",
            "Transmission Control Protocol, Src Port: 40000, Dst Port: 7174, Seq: 0, Len: 0\n",
            "    [Stream index: 0]\n",
            " seconds]\n",
            "..1. = Syn: ",
            "\n\nFrame 2: ",
        ],
    );
    assert!(!text.contains("Source or Destination") && text.ends_with("]\n\n"), "{text}");
}

/// A capture says what it likes: none of it reaches the terminal as a control character.
#[test]
fn no_control_characters() {
    let text = dissected("-V -x -P");
    assert!(!text.chars().any(|character| character.is_control() && character != '\n'));
}

/// A header that claims more than there is is malformed, not just data, where the connection is known to
/// carry RPC-over-RDMA (RFC 8166 section 4.3.2).
#[test]
fn a_header_that_claims_too_much_is_malformed() {
    let folder = Folder::new();
    let mut bytes = std::fs::read(shipped("synthetic/rpcordma.pcap")).unwrap();
    let words: Vec<u8> = [3u32, 1, 32, 0, 0, 1, 2].iter().flat_map(|it| it.to_be_bytes()).collect();
    let at = bytes.windows(28).position(|window| window == words).unwrap();
    bytes[at + 24..at + 28].fill(0xff);
    // An FPDU begins 20 bytes before: its length, and the DDP header of a Send (RFC 5044 section 4.1).
    let fpdu = at - 20;
    let length = 2 + usize::from(u16::from_be_bytes([bytes[fpdu], bytes[fpdu + 1]]));
    let padded = length.next_multiple_of(4);
    let crc = warpscope_wire::crc::crc32c(&bytes[fpdu..fpdu + padded]);
    bytes[fpdu + padded..fpdu + padded + 4].copy_from_slice(&crc.to_le_bytes());
    folder.write("in", &bytes);
    let why = "malformed RPC-over-RDMA: segments needs 68719476720 bytes";
    has(&super::program::dissected(&folder.at("in"), "-Y frame.number==14"), &[why]);
    let tree = super::program::dissected(&folder.at("in"), "-V -Y rpcordma.malformed");
    has(&tree, &["RPC over RDMA\n", "XID: 0x00000003", why]);
    assert!(!tree.contains("\nData"), "{tree}");
    let found = run(format!("check {folder}/in")).with(1).out;
    has(&found, &["segments needs"]);
}

/// As in Wireshark, the line of an RPC begins with what is called; what carries it follows, outwards.
#[test]
fn a_line_begins_with_its_innermost_layer() {
    let file = shipped("captures/g-nfs-v3-cut.pcap.zst");
    let fields = "-T fields -e _ws.col.Protocol -e _ws.col.Info";
    let lines = super::program::dissected(&file, fields);
    let of_nfs: Vec<&str> = lines.lines().filter_map(|line| line.strip_prefix("NFS\t")).collect();
    assert!(of_nfs.len() > 50, "{lines}");
    for line in of_nfs {
        let carried = line.split_once(" | RDMA_").is_some_and(|(_, rest)| rest.contains(" | Send"));
        // Where the last part of a call came by a Read, that carries it.
        assert!(carried || line.contains(" | Read Response "), "{line}");
        assert!(line.starts_with("V3 "), "{line}");
    }
    has(
        &lines,
        &["NFS\tV3 FSINFO Call, FH: 0x62d40c52 | RDMA_MSG XID=0xf06c3af6 Credits=128 | Send QN=0"],
    );
}
