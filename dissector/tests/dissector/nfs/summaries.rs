//! Messages in short and in one line.

use super::vectors::exchanges;
use super::xdr::{Exchange, x};
use crate::prelude::*;
use warpscope_dissector::nfs::{Summary, handle_hash, listed, state_id_hash};

fn line(summary: &Summary) -> String {
    let mut out = String::new();
    write_line(summary, &mut out);
    out
}

/// A handmade exchange.
fn exchange(name: &str) -> Exchange {
    exchanges().into_iter().find(|exchange| exchange.name == name).unwrap()
}

/// Call and reply of a handmade exchange, in one line each.
fn lines(name: &str) -> [String; 2] {
    exchange(name).messages(1).map(|message| {
        let body = Body::new(message.body());
        line(&summarise(&message.procedure, message.direction, &body).unwrap())
    })
}

/// A compound of NFS version 4.
fn compound(direction: Direction, items: &str) -> Summary {
    summarise(&Procedure::nfs(4, 1), direction, &Body::new(&x(items))).unwrap()
}

#[test]
fn lines_of_version_3_are_in_the_style_of_wireshark() {
    let hash = format!("0x{:08x}", handle_hash(b"handle of a file"));
    for (name, call, reply) in [
        ("NULL", "NULL Call", "NULL Reply"),
        ("GETATTR", "GETATTR Call, FH: HASH", "GETATTR Reply"),
        ("LOOKUP fails", "LOOKUP Call, FH: HASH/ab", "LOOKUP Reply Error: NFS3ERR_NOENT"),
        ("ACCESS", "ACCESS Call, FH: HASH [Check: RIGHTS]", "ACCESS Reply [Allowed: RIGHTS]"),
        ("READ", "READ Call, FH: HASH Offset: 1099511627776 Len: 4096", "READ Reply Len: 5 EOF"),
        (
            "WRITE",
            "WRITE Call, FH: HASH Offset: 3 Len: 5 DATA_SYNC",
            "WRITE Reply Len: 5 FILE_SYNC",
        ),
        ("RENAME", "RENAME Call, FH: HASH/a FH: HASH/b", "RENAME Reply"),
        ("READDIR", "READDIR Call, FH: HASH Len: 1024", "READDIR Reply Entries: 2 EOF"),
        ("MNT fails", "MNT Call, /export", "MNT Reply Error: ERR_ACCESS"),
    ] {
        let expected = [call, reply].map(|it| format!("V3 {it}").replace("HASH", &hash));
        let expected = expected.map(|it| it.replace("RIGHTS", "RD LU MD XT DL XE"));
        assert_eq!(lines(name), expected);
    }
}

/// RFC 1813 section 3.3.17: an entry may come with the handle of what it names.
#[test]
fn entries_of_a_directory_give_names_to_handles() {
    let procedure = Procedure::nfs(3, 17);
    let entry = |name: &str, rest: &str| format!("1 1h '{name}' 2h 0 {rest} ");
    let entries =
        entry("with", "1 'its handle'") + &entry("without", "0") + &entry("last", "1 'x'");
    let found = listed(&procedure, &Body::new(&x(&format!("0 0 3h {entries} 0 1"))));
    let expected = [(b"its handle".to_vec(), "with".to_owned()), (b"x".to_vec(), "last".into())];
    assert_eq!(found, expected);
}

#[test]
fn lines_of_compounds_name_their_operations() {
    let state = |items| format!("0x{:04x}", state_id_hash(&x(items)));
    let [call, reply] = lines("CB_RECALL");
    let hash = handle_hash(b"a handle");
    assert_eq!(call, format!("V4 CB Call CB_RECALL FH: 0x{hash:08x} StateID: {}", state("#1")));
    assert_eq!(reply, "V4 CB Reply CB_RECALL");
    assert_eq!(lines("SEQUENCE fails")[1], "V4 Reply SEQUENCE Error: NFS4ERR_BADSESSION");
    let call = "'' 1 4 53 @session 1 0 0 0 22 @fh4 25 #0 8192h 4096 9 {0x10}";
    let summary = compound(Direction::Call, call);
    let read = format!("READ StateID: {} Offset: 8192 Len: 4096", state("#0"));
    let expected = format!("V4 Call SEQUENCE | PUTFH FH: 0x{hash:08x} | {read} | GETATTR");
    assert_eq!(line(&summary), expected);
    assert_eq!(summary.main().unwrap().name, "READ");
    assert_eq!((summary.minor_version, summary.name), (Some(1), "COMPOUND"));
}

#[test]
fn lines_of_compounds_have_the_names_in_their_operations() {
    // PUTROOTFH, LOOKUP, REMOVE, RENAME.
    let named = compound(Direction::Call, "'' 1 4 24 15 'ab' 28 'c' 29 'd' 'e'");
    assert_eq!(line(&named), "V4 Call PUTROOTFH | LOOKUP ab | REMOVE c | RENAME d e");
}

#[test]
fn names_of_directory_entries_are_counted_alone() {
    // READDIR with two entries, of which each has a name and no attributes.
    let summary = compound(Direction::Reply, "0 '' 1 26 0 4h 1 3h 'a' {} 0 1 3h 'b' {} 0 0 1");
    assert_eq!(line(&summary), "V4 Reply READDIR Entries: 2 EOF");
    assert!(summary.operations[0].names.is_empty());
}

#[test]
fn a_compound_is_about_an_access_before_the_attributes_and_behind_all_else() {
    for (main, operations) in [
        // PUTROOTFH, ACCESS, GETFH, GETATTR.
        ("ACCESS", "4 24 3 1 10 9 {0x10}"),
        // PUTROOTFH, LOOKUP, ACCESS, GETATTR.
        ("LOOKUP", "4 24 15 'ab' 3 1 9 {0x10}"),
        // PUTROOTFH, GETATTR.
        ("GETATTR", "2 24 9 {0x10}"),
    ] {
        let summary = compound(Direction::Call, &format!("'' 1 {operations}"));
        assert_eq!(summary.main().unwrap().name, main);
    }
}

#[test]
fn a_compound_that_fails_tells_which_operation_did() {
    let summary = compound(Direction::Reply, "2 '' 2 22 0 15 2");
    assert_eq!((summary.status, summary.status_name()), (Some(2), Some("NFS4ERR_NOENT")));
    let statuses: Vec<_> = summary.operations.iter().map(|it| (it.name, it.status)).collect();
    assert_eq!(statuses, [("PUTFH", Some(0)), ("LOOKUP", Some(2))]);
    assert_eq!(line(&summary), "V4 Reply PUTFH | LOOKUP Error: NFS4ERR_NOENT");
}

/// The client owner of an EXCHANGE_ID is in `nfs.data`, and no data of a file.
#[test]
fn an_owner_is_no_file_data() {
    let [call, _] = exchange("EXCHANGE_ID plain").messages(1);
    let summary = summarise(&call.procedure, call.direction, &Body::new(call.body())).unwrap();
    assert!(summary.operations[0].data.is_empty());
}

#[test]
fn a_name_cannot_break_the_line() {
    let body = x("'file handle!' 'a\nb\u{1b}[31m'");
    let summary = summarise(&Procedure::nfs(3, 3), Direction::Call, &Body::new(&body)).unwrap();
    let line = line(&summary);
    assert!(line.ends_with("/a\\nb\\u{1b}[31m"), "{line}");
}

#[test]
fn what_could_be_read_of_a_malformed_message_is_told() {
    let body = x("'file handle!' 77h");
    for (version, offset, message) in [
        (3, Some(77), "malformed at byte 24: nfs.count3 needs 4 bytes, but only 0 are there"),
        (2, None, "program 100003 version 2 procedure 6 is not decoded"),
    ] {
        let procedure = Procedure::nfs(version, 6);
        let (summary, unreadable) =
            summarise(&procedure, Direction::Call, &Body::new(&body)).unwrap_err();
        assert_eq!(summary.and_then(|summary| summary.operations[0].offset), offset);
        assert_eq!(unreadable.to_string(), message);
    }
}
