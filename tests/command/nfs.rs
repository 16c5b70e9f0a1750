//! `peer listen -s nfs` and `peer nfs`, process to process.

use super::listener::Listener;
use super::peer::assert_clean;
use super::program::{Ended, Folder, has, json, printed, refused, run, run_on};
use super::require::wireshark;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

/// A server of a folder.
struct Server(Listener);

impl Server {
    /// Serves a folder with further arguments.
    fn new(folder: &Folder, arguments: &str) -> Self {
        Self(Listener::start(format!("-s nfs -o no-squash -o export={folder} {arguments}")))
    }

    /// A line that has `peer nfs` do something.
    fn line(&self, arguments: impl AsRef<str>) -> String {
        format!("peer nfs {} {}", self.0.address, arguments.as_ref())
    }

    /// What `peer nfs` prints.
    #[track_caller]
    fn done(&self, arguments: impl AsRef<str>) -> String {
        printed(self.line(arguments))
    }

    /// What `peer nfs` fails with has these words.
    #[track_caller]
    fn refuses(&self, arguments: impl AsRef<str>, words: &str) {
        has(&refused(self.line(arguments)), &[words]);
    }

    /// Stops it; what it printed of the whole run.
    fn stop(self) -> String {
        self.0.stop().with(0).out
    }
}

/// Bytes that repeat nowhere soon.
fn content(length: usize) -> Vec<u8> {
    warpscope_traces::noise::Noise::new(length as u64).bytes(length)
}

const LENGTHS: [usize; 5] = [0, 1, 1024, 100_003, 4 << 20];

/// Puts files and gets them back, and judges the capture of the server.
fn round_trip(server: &str, client: &str) {
    let (export, local) = (Folder::new(), Folder::new());
    let record = format!("--no-capture --write-pcap {local}/capture.pcapng");
    let serving = Server::new(&export, &format!("{server} {record}"));
    for length in LENGTHS {
        local.write("from", content(length));
        for step in [format!("put {local}/from f{length}"), format!("get f{length} {local}/back")] {
            assert_eq!(serving.done(format!("{client} {step}")), "");
        }
        assert!(export.bytes(&format!("f{length}")) == content(length), "put {length}");
        assert!(local.bytes("back") == content(length), "get {length}");
    }
    let mut names = LENGTHS.map(|length| format!("f{length}\n"));
    names.sort();
    assert_eq!(serving.done(format!("{client} ls")), names.concat());
    has(&serving.stop(), &["and 0 errors sent", "\n0 messages dropped, 0"]);

    assert_clean(&local.at("capture.pcapng"));
    recovered(&local);
    // With markers, tshark takes each TCP segment for one FPDU, and loses others.
    if !client.contains("--markers") {
        witnessed(Path::new(&local.at("capture.pcapng")));
    }
}

/// `export --files` finds each file in the capture, written and read.
fn recovered(folder: &Folder) {
    let exported = run(format!("export --files {folder}/files {folder}/capture.pcapng")).with(0);
    assert_eq!(exported.err, "");
    let manifest = json(folder.read("files/manifest.json"));
    for length in LENGTHS.into_iter().filter(|length| *length > 0) {
        let name = format!("f{length}");
        let files = manifest["files"].as_array().unwrap();
        let file = files.iter().find(|file| file["names"][0] == *name).unwrap();
        let sum: String =
            Sha256::digest(content(length)).iter().map(|byte| format!("{byte:02x}")).collect();
        for way in ["written", "read"] {
            assert_eq!(file[way]["sha256"], *sum, "{name} {way}");
        }
    }
}

/// tshark finds as many replies of NFS and MOUNT as calls, and reads them all but for results that went by a
/// write chunk: it looks for these in the Send, and calls that malformed of Linux too. (Replies in a reply chunk of several
/// segments, as a READ_PLUS may have, it does not put together: no row here has such.)
fn witnessed(capture: &Path) {
    let count = |filter: &str| {
        let lines = wireshark("tshark", &["-Y", filter, "-r"], capture)?;
        Some(lines.lines().count())
    };
    let (Some(calls), Some(replies)) =
        (count("(nfs || mount) && rpc.msgtyp == 0"), count("(nfs || mount) && rpc.msgtyp == 1"))
    else {
        return;
    };
    assert!(calls > 50 && calls == replies, "{calls} calls, {replies} replies");
    let reads = "(nfs.procedure_v3 == 6 || nfs.opcode == 25) && rpcordma.writes_count > 0";
    let malformed = &format!("_ws.malformed && !({reads})");
    assert_eq!(count(malformed), Some(0));
}

#[test]
fn files_come_back_as_they_were() {
    let rows = [
        ("", ""),
        // The smallest messages; the largest, and many segments.
        ("-o inline=1024 -o data=65536", "--inline 1024 --form long"),
        ("-o inline=262144", "--inline 262144 --form chunked --longest-segment 30000"),
        ("--markers -o invalidation=false", "--markers --packing several"),
        ("-o private-data=false -o credits=1", "--credits 1 --revision 1"),
        ("", "--vers 4.2"),
        ("-o inline=1024", "--vers 4.1 --inline 1024 --form long"),
        ("-o private-data=false", "--vers 4.1 --form chunked --longest-segment 30000"),
        ("", "--vers 4.2 --callbacks 0 --markers"),
    ];
    std::thread::scope(|scope| {
        for (server, client) in rows {
            scope.spawn(move || round_trip(server, client));
        }
    });
}

#[test]
fn folders_names_and_links() {
    for (version, error) in [("3", "NFS3ERR"), ("4.1", "NFS4ERR"), ("4.2", "NFS4ERR")] {
        folders_names_and_links_of(version, error);
    }
}

fn folders_names_and_links_of(version: &str, error: &str) {
    let export = Folder::new();
    let at = |path: &str| Path::new(&export.at(path)).to_owned();
    let serving = Server::new(&export, "");
    let of = |arguments: &str| format!("--vers {version} {arguments}");
    let go = |arguments: &str| serving.done(of(arguments));
    go("mkdir a a/b c");
    assert!(at("a/b").is_dir() && at("c").is_dir());
    assert_eq!(run_on(b"text", serving.line(of("put - a/b/file"))).with(0).out, "");
    assert_eq!(export.read("a/b/file"), "text");
    assert_eq!(go("get /a/b/file -"), "text");
    go("mv a/b/file c/other");
    assert!(!at("a/b/file").exists() && at("c/other").is_file());
    go("ln c/other hard");
    go("ln -s ../anywhere soft");
    assert_eq!(fs::read_link(at("soft")).unwrap(), Path::new("../anywhere"));
    assert_eq!(go("readlink soft"), "../anywhere\n");
    assert_eq!(go("ls /"), "a\nc\nhard\nsoft\n");
    let long = go("ls -l");
    let line = |name: &str| long.lines().find(|line| line.ends_with(name)).unwrap();
    assert!(line(" a").starts_with("drwx") && line(" soft").starts_with('l'), "{long}");
    assert_eq!(line(" hard").split_whitespace().nth(1), Some("2"), "{long}");
    let words = ["regular file", "folder", "size         4\n", "links        2\n"];
    has(&go("stat hard a"), &words);
    // What fails does not keep the rest from being done.
    let Ended { out, err, .. } = run(serving.line(of("rm no-such hard soft"))).with(1);
    assert_eq!((out.as_str(), err.lines().count()), ("", 1), "{err}");
    assert!(err.starts_with(&format!("warpscope: no-such: {error}_NOENT")), "{err}");
    assert!(!at("hard").exists() && at("soft").symlink_metadata().is_err());
    serving.refuses(of("rmdir c"), &format!("{error}_NOTEMPTY"));
    serving.refuses(of("rm c"), "rmdir removes a folder");
    serving.refuses(of("rmdir c/other"), &format!("{error}_NOTDIR"));
    go("rmdir a/b a");
    assert!(!at("a").exists());
    // A folder beneath can be mounted by itself.
    assert_eq!(go("--export /c ls"), "other\n");
}

#[test]
fn a_read_only_export_stays_as_it_is() {
    let (export, local) = (Folder::new(), Folder::new());
    export.write("file", "text");
    let mine = local.write("mine", "mine");
    let serving = Server::new(&export, "-o read-only=true");
    let put = format!("put {mine} file");
    for version in [3, 4] {
        let minor = if version == 4 { "--vers 4.2" } else { "" };
        for arguments in [&*put, "mkdir folder", "rm file", "mv file other", "ln -s x y"] {
            let words = format!("NFS{version}ERR_ROFS (the file system is read-only)");
            serving.refuses(format!("{minor} {arguments}"), &words);
        }
    }
    serving.done(format!("get file {mine}"));
    assert_eq!(local.read("mine"), "text");
    assert_eq!(fs::read_dir(export.at("")).unwrap().count(), 1);
    // A local file stays too when there is nothing to put in its place.
    serving.refuses(format!("get no-such {mine}"), "NFS3ERR_NOENT");
    assert_eq!(local.read("mine"), "text");
    assert_eq!(fs::read_dir(local.at("")).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    for (line, words) in [
        ("listen 127.0.0.1:0 -s nfs", "-o export=FOLDER"),
        ("listen 127.0.0.1:0 -s nfs -o export=/no/such", "use a folder that exists"),
        ("listen 127.0.0.1:0 -s nfs -o export=/ -o inline=1000", "a multiple of 1024"),
        ("listen 127.0.0.1:0 -s nfs -o export=/ -o read-only=perhaps", "true refuses all changes"),
        ("listen 127.0.0.1:0 -s nfs -o export=/ -o tcp=nowhere", "ADDRESS:PORT"),
        ("connect 127.0.0.1:1 -s nfs", "`warpscope peer nfs HOST:PORT ls`"),
        ("nfs 127.0.0.1:1 ls", "does an NFS server listen there"),
        ("nfs 127.0.0.1:1 --inline 5 ls", "a multiple of 1024"),
    ] {
        has(&refused(format!("peer {line}")), &[words]);
    }
    let export = Folder::new();
    fs::create_dir(export.at("folder")).unwrap();
    for (server, client, words) in [
        ("", "--export /other ls", "mounting /other: NFS3ERR_NOENT"),
        ("", "--vers 4.1 --export /other ls", "mounting /other: NFS4ERR_NOENT"),
        ("", "--vers 4.1 --mount 127.0.0.1 ls", "version 4 has no MOUNT"),
        ("", "get folder", "ls lists it"),
        ("", "rm folder", "rmdir removes a folder"),
        ("--reject", "ls", "rejected"),
        // The client drops replies whose two XIDs differ, and waits.
        ("--bug rpc-header-xid", "--timeout 0.3 ls", "use --timeout to wait longer"),
    ] {
        Server::new(&export, server).refuses(client, words);
    }
}

#[test]
fn a_bug_of_the_server_is_found_in_its_capture() {
    let (export, local) = (Folder::new(), Folder::new());
    let record = format!("--no-capture --write-pcap {local}/capture.pcapng");
    let serving = Server::new(&export, &format!("--bug rpc-credits-zero {record}"));
    serving.done("ls");
    serving.stop();
    has(&run(format!("check {local}/capture.pcapng")).out, &["RFC8166-3.3.1-02"]);
}

/// A call of MOUNT, with record marking, as RFC 5531 and RFC 1813 have it.
fn mount_call(procedure: u32, arguments: &[u8]) -> Vec<u8> {
    // XID, CALL, RPC version 2, program, version 3, procedure; credential and verifier AUTH_NONE.
    let header = [0x77, 0, 2, 100_005, 3, procedure, 0, 0, 0, 0];
    let mut call: Vec<u8> = header.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
    call.extend_from_slice(arguments);
    [&(0x8000_0000 | call.len() as u32).to_be_bytes()[..], &call].concat()
}

#[test]
fn mount_is_answered_over_plain_tcp() {
    let export = Folder::new();
    let serving = Server::new(&export, "-o tcp=127.0.0.1:0");
    let stderr = serving.0.whole_lines();
    let line = stderr.lines().find(|line| line.ends_with("over plain TCP")).unwrap();
    let address = line.strip_prefix("listening at ").unwrap().split(": ").next().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let mut ask = |call: &[u8]| {
        stream.write_all(call).unwrap();
        let mut header = [0; 4];
        stream.read_exact(&mut header).unwrap();
        let length = u32::from_be_bytes(header);
        assert!(length & 0x8000_0000 != 0, "one fragment");
        let mut reply = vec![0; (length & 0x7fff_ffff) as usize];
        stream.read_exact(&mut reply).unwrap();
        reply.chunks(4).map(|word| u32::from_be_bytes(word.try_into().unwrap())).collect::<Vec<_>>()
    };
    // XID, REPLY, accepted, verifier AUTH_NONE, SUCCESS.
    let accepted = [0x77, 1, 0, 0, 0, 0];
    assert_eq!(ask(&mount_call(0, &[])), accepted, "NULL");
    let reply = ask(&mount_call(1, &[0, 0, 0, 1, b'/', 0, 0, 0]));
    assert_eq!(reply[..7], [0x77, 1, 0, 0, 0, 0, 0], "MNT");
    let handle = reply[7];
    assert!(handle > 0 && handle <= 64, "{reply:?}");
    let behind = 8 + (handle as usize).div_ceil(4);
    export.write("seen", b"");
    let mut digits: String = reply[8..behind].iter().map(|word| format!("{word:08x}")).collect();
    digits.truncate(2 * handle as usize);
    for root in [format!("--mount {address}"), format!("--file-handle {digits}")] {
        assert_eq!(serving.done(format!("{root} ls")), "seen\n");
    }
    serving.refuses("--file-handle 0 ls", "hexadecimal digits");
    assert!(reply[behind + 1..].contains(&1), "AUTH_SYS is among the flavors: {reply:?}");
    let reply = ask(&mount_call(1, &[0, 0, 0, 3, b'/', b'n', b'o', 0]));
    assert_eq!(reply[6..], [2], "MNT3ERR_NOENT");
    // What is no record ends this connection, and no other.
    let mut other = TcpStream::connect(address).unwrap();
    other.write_all(&[0x7f, 0xff, 0xff, 0xff]).unwrap();
    assert_eq!(other.read(&mut [0; 1]).unwrap(), 0);
    assert_eq!(ask(&mount_call(0, &[])), accepted, "NULL");
    assert_eq!(serving.done("ls"), "seen\n");
}

#[test]
fn null_calls_at_once() {
    let folder = Folder::new();
    let serving = Server::new(&folder, "-o credits=3");
    assert_eq!(serving.done("null"), "");
    assert_eq!(serving.done("--callbacks 2 null --count 40"), "");
    assert_eq!(serving.done("--vers 4.2 --pause 1 null --count 40"), "");
}

/// A hole of 256 MiB comes back as it is without being moved (RFC 7862 section 15.10).
#[test]
fn a_hole_is_not_moved() {
    let (export, local) = (Folder::new(), Folder::new());
    let file = fs::File::create(export.at("sparse")).unwrap();
    file.set_len(256 << 20).unwrap();
    drop(file);
    fs::OpenOptions::new()
        .append(true)
        .open(export.at("sparse"))
        .unwrap()
        .write_all(b"end")
        .unwrap();
    let serving = Server::new(&export, "");
    serving.done(format!("--vers 4.2 get sparse {local}/back"));
    let back = local.bytes("back");
    assert_eq!(back.len(), (256 << 20) + 3);
    assert!(back.ends_with(b"end") && back[..256 << 20].iter().all(|byte| *byte == 0));
    let output = serving.stop();
    let sent = output.lines().find_map(|line| line.split_once(" bytes sent")).unwrap().0;
    let sent: u64 = sent.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(sent < 1 << 20, "{sent} bytes");
}
