//! `peer listen -s nfs` and `peer nfs`, process to process.

use super::peer::{Serving, assert_clean};
use super::require::wireshark;
use super::warpscope;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

/// Serves a folder with further arguments.
fn serve(folder: &Path, arguments: &[&str]) -> Serving {
    let export = format!("export={}", folder.display());
    Serving::new(&[&["-s", "nfs", "-o", &export], arguments].concat())
}

/// `peer nfs` with these arguments.
fn nfs(serving: &Serving, arguments: &[&str]) -> assert_cmd::Command {
    let mut command = warpscope(&["peer", "nfs", &serving.address]);
    command.args(arguments);
    command
}

/// What `peer nfs` prints.
fn done(serving: &Serving, arguments: &[&str]) -> String {
    let output = nfs(serving, arguments).assert().success().stderr("").get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

/// The words that `peer nfs` fails with.
fn refused(serving: &Serving, arguments: &[&str]) -> String {
    let output = nfs(serving, arguments).assert().code(2).stdout("").get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

/// Bytes that repeat nowhere soon.
fn content(length: usize) -> Vec<u8> {
    let mut state = length as u32 ^ 0x9e37_79b9;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}

const LENGTHS: [usize; 5] = [0, 1, 1024, 100_003, 4 << 20];

/// Puts files and gets them back, and judges the capture of the server.
fn round_trip(server: &[&str], client: &[&str]) {
    let (export, local) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let capture = local.path().join("capture.pcapng");
    let record = ["--no-capture", "--write-pcap", capture.to_str().unwrap()];
    let serving = serve(export.path(), &[server, &record].concat());
    let with = |arguments: &[&str]| done(&serving, &[client, arguments].concat());
    let here = |name: &str| local.path().join(name).to_string_lossy().into_owned();
    for length in LENGTHS {
        let (from, name, back) = (here("from"), format!("f{length}"), here("back"));
        fs::write(&from, content(length)).unwrap();
        assert_eq!(with(&["put", &from, &name]), "");
        assert!(fs::read(export.path().join(&name)).unwrap() == content(length), "put {length}");
        assert_eq!(with(&["get", &name, &back]), "");
        assert!(fs::read(&back).unwrap() == content(length), "get {length}");
    }
    let names: Vec<String> = LENGTHS.map(|length| format!("f{length}")).to_vec();
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(with(&["ls"]).lines().collect::<Vec<_>>(), sorted);
    let said = serving.stop();
    assert!(
        said.contains("and 0 errors sent") && said.contains("\n0 messages dropped, 0"),
        "{said}"
    );

    assert_clean(&capture);
    recovered(&capture, &local.path().join("files"));
    // With markers, tshark takes each TCP segment for one FPDU, and loses others.
    if !client.contains(&"--markers") {
        witnessed(&capture);
    }
}

/// `export --files` finds each file in the capture, written and read.
fn recovered(capture: &Path, folder: &Path) {
    warpscope(&["export", "--files"]).arg(folder).arg(capture).assert().success().stderr("");
    let manifest = fs::read_to_string(folder.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
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
/// write chunk: it looks for these in the Send, and calls that malformed of Linux too.
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
    assert_eq!(
        count("_ws.malformed && !(nfs.procedure_v3 == 6 && rpcordma.writes_count > 0)"),
        Some(0)
    );
}

#[test]
fn files_come_back_as_they_were() {
    round_trip(&[], &[]);
}

#[test]
fn files_come_back_with_the_smallest_messages() {
    round_trip(&["-o", "inline=1024", "-o", "data=65536"], &["--inline", "1024", "--form", "long"]);
}

#[test]
fn files_come_back_with_the_largest_messages_and_many_segments() {
    let client = ["--inline", "262144", "--form", "chunked", "--longest-segment", "30000"];
    round_trip(&["-o", "inline=262144"], &client);
}

#[test]
fn files_come_back_with_markers() {
    round_trip(&["--markers", "-o", "invalidation=false"], &["--markers", "--packing", "several"]);
}

#[test]
fn files_come_back_without_private_data() {
    round_trip(
        &["-o", "private-data=false", "-o", "credits=1"],
        &["--credits", "1", "--revision", "1"],
    );
}

#[test]
fn folders_names_and_links() {
    let export = tempfile::tempdir().unwrap();
    let at = |path: &str| export.path().join(path);
    let serving = serve(export.path(), &[]);
    let go = |arguments: &[&str]| done(&serving, arguments);
    go(&["mkdir", "a", "a/b", "c"]);
    assert!(at("a/b").is_dir() && at("c").is_dir());
    nfs(&serving, &["put", "-", "a/b/file"]).write_stdin("text").assert().success().stdout("");
    assert_eq!(fs::read_to_string(at("a/b/file")).unwrap(), "text");
    assert_eq!(go(&["get", "/a/b/file", "-"]), "text");
    go(&["mv", "a/b/file", "c/other"]);
    assert!(!at("a/b/file").exists() && at("c/other").is_file());
    go(&["ln", "c/other", "hard"]);
    go(&["ln", "-s", "../anywhere", "soft"]);
    assert_eq!(fs::read_link(at("soft")).unwrap(), Path::new("../anywhere"));
    assert_eq!(go(&["readlink", "soft"]), "../anywhere\n");
    assert_eq!(go(&["ls", "/"]), "a\nc\nhard\nsoft\n");
    let long = go(&["ls", "-l"]);
    let line = |name: &str| long.lines().find(|line| line.ends_with(name)).unwrap();
    assert!(line(" a").starts_with("drwx") && line(" soft").starts_with('l'), "{long}");
    assert_eq!(line(" hard").split_whitespace().nth(1), Some("2"), "{long}");
    let stat = go(&["stat", "hard", "a"]);
    for words in ["regular file", "folder", "size         4\n", "links        2\n"] {
        assert!(stat.contains(words), "{words}: {stat}");
    }
    // What fails does not keep the rest from being done.
    let output = nfs(&serving, &["rm", "no-such", "hard", "soft"]).assert().code(1).stdout("");
    let words = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert_eq!(words.lines().count(), 1, "{words}");
    assert!(words.starts_with("warpscope: no-such: NFS3ERR_NOENT"), "{words}");
    assert!(!at("hard").exists() && at("soft").symlink_metadata().is_err());
    assert!(refused(&serving, &["rmdir", "c"]).contains("NFS3ERR_NOTEMPTY"));
    go(&["rmdir", "a/b", "a"]);
    assert!(!at("a").exists());
    // A folder beneath can be mounted by itself.
    assert_eq!(go(&["--export", "/c", "ls"]), "other\n");
}

#[test]
fn a_read_only_export_stays_as_it_is() {
    let (export, local) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(export.path().join("file"), "text").unwrap();
    let mine = local.path().join("mine").to_string_lossy().into_owned();
    fs::write(&mine, "mine").unwrap();
    let serving = serve(export.path(), &["-o", "read-only=true"]);
    for arguments in [
        &["put", &mine, "file"][..],
        &["mkdir", "folder"],
        &["rm", "file"],
        &["mv", "file", "other"],
        &["ln", "-s", "x", "y"],
    ] {
        let words = refused(&serving, arguments);
        assert!(words.contains("NFS3ERR_ROFS (the file system is read-only)"), "{words}");
    }
    done(&serving, &["get", "file", &mine]);
    assert_eq!(fs::read_to_string(&mine).unwrap(), "text");
    assert_eq!(fs::read_dir(export.path()).unwrap().count(), 1);
    // A local file stays too when there is nothing to put in its place.
    assert!(refused(&serving, &["get", "no-such", &mine]).contains("NFS3ERR_NOENT"));
    assert_eq!(fs::read_to_string(&mine).unwrap(), "text");
    assert_eq!(fs::read_dir(local.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_done_says_what_to_do() {
    let words = |arguments: &[&str], wanted: &str| {
        let output = warpscope(&[&["peer"], arguments].concat()).assert().code(2).stdout("");
        let words = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(words.starts_with("warpscope: ") && words.contains(wanted), "{words}");
    };
    let listen = ["listen", "127.0.0.1:0", "-s", "nfs"];
    let with = |more: &[&'static str]| [&listen[..], more].concat();
    words(&listen, "-o export=FOLDER");
    words(&with(&["-o", "export=/no/such"]), "name a folder that exists");
    words(&with(&["-o", "export=/", "-o", "inline=1000"]), "a multiple of 1024");
    words(&with(&["-o", "export=/", "-o", "read-only=perhaps"]), "true refuses all changes");
    words(&with(&["-o", "export=/", "-o", "tcp=nowhere"]), "ADDRESS:PORT");
    words(&["connect", "127.0.0.1:1", "-s", "nfs"], "`warpscope peer nfs HOST:PORT ls`");
    words(&["nfs", "127.0.0.1:1", "ls"], "does an NFS server listen there");
    words(&["nfs", "127.0.0.1:1", "--inline", "5", "ls"], "a multiple of 1024");

    let export = tempfile::tempdir().unwrap();
    fs::create_dir(export.path().join("folder")).unwrap();
    let serving = serve(export.path(), &[]);
    assert!(
        refused(&serving, &["--export", "/other", "ls"]).contains("mounting /other: NFS3ERR_NOENT")
    );
    assert!(refused(&serving, &["get", "folder"]).contains("ls lists it"));
    assert!(refused(&serving, &["rm", "folder"]).contains("rmdir removes a folder"));
    let rejecting = serve(export.path(), &["--reject"]);
    assert!(refused(&rejecting, &["ls"]).contains("rejected"));
    // The client drops replies whose two XIDs differ, and waits.
    let silent = serve(export.path(), &["--bug", "rpc-header-xid"]);
    assert!(refused(&silent, &["--timeout", "0.3", "ls"]).contains("--timeout waits longer"));
}

#[test]
fn a_bug_of_the_server_is_found_in_its_capture() {
    let (export, local) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let capture = local.path().join("capture.pcapng");
    let record = ["--bug", "rpc-credits-zero", "--no-capture", "--write-pcap"];
    let serving = serve(export.path(), &[&record[..], &[capture.to_str().unwrap()]].concat());
    done(&serving, &["ls"]);
    serving.stop();
    let output = warpscope(&["check"]).arg(&capture).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("RFC8166-3.3.1-02"), "{said}");
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
    let export = tempfile::tempdir().unwrap();
    let serving = serve(export.path(), &["-o", "tcp=127.0.0.1:0"]);
    let line = serving.said.lines().find(|line| line.ends_with("over plain TCP")).unwrap();
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
    assert!(reply[behind + 1..].contains(&1), "AUTH_SYS is among the flavors: {reply:?}");
    let reply = ask(&mount_call(1, &[0, 0, 0, 3, b'/', b'n', b'o', 0]));
    assert_eq!(reply[6..], [2], "MNT3ERR_NOENT");
    // What is no record ends this connection, and no other.
    let mut other = TcpStream::connect(address).unwrap();
    other.write_all(&[0x7f, 0xff, 0xff, 0xff]).unwrap();
    assert_eq!(other.read(&mut [0; 1]).unwrap(), 0);
    assert_eq!(ask(&mount_call(0, &[])), accepted, "NULL");
    assert_eq!(done(&serving, &["ls"]), "");
}

#[test]
fn null_calls_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let serving = serve(folder.path(), &["-o", "credits=3"]);
    assert_eq!(done(&serving, &["null"]), "");
    assert_eq!(done(&serving, &["--callbacks", "2", "null", "--count", "40"]), "");
}
