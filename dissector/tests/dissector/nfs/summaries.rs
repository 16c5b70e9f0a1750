//! Messages in short and in one line.

use super::exchanges;
use super::vectors::xdr::{Xdr, x};
use warpscope_dissector::nfs::{
    Body, Direction, Procedure, Summary, handle_hash, state_id_hash, summarise, write_line,
};

fn line(summary: &Summary) -> String {
    let mut out = String::new();
    write_line(summary, &mut out);
    out
}

/// Call and reply of a handmade exchange, in one line each.
fn lines(name: &str) -> [String; 2] {
    let all = exchanges();
    let exchange = all.iter().find(|exchange| exchange.name == name).unwrap();
    exchange.messages(1).map(|message| {
        let body = Body::new(message.body());
        line(&summarise(&message.procedure, message.direction, &body).unwrap())
    })
}

#[test]
fn lines_of_version_3_are_in_the_style_of_wireshark() {
    let hash = format!("0x{:08x}", handle_hash(b"handle of a file"));
    let expected = [
        ("NULL", "V3 NULL Call".to_owned(), "V3 NULL Reply".to_owned()),
        ("GETATTR", format!("V3 GETATTR Call, FH: {hash}"), "V3 GETATTR Reply".to_owned()),
        (
            "LOOKUP fails",
            format!("V3 LOOKUP Call, FH: {hash}/ab"),
            "V3 LOOKUP Reply Error: NFS3ERR_NOENT".to_owned(),
        ),
        (
            "ACCESS",
            format!("V3 ACCESS Call, FH: {hash} [Check: RD LU MD XT DL XE]"),
            "V3 ACCESS Reply [Allowed: RD LU MD XT DL XE]".to_owned(),
        ),
        (
            "READ",
            format!("V3 READ Call, FH: {hash} Offset: 1099511627776 Len: 4096"),
            "V3 READ Reply Len: 5 EOF".to_owned(),
        ),
        (
            "WRITE",
            format!("V3 WRITE Call, FH: {hash} Offset: 3 Len: 5 DATA_SYNC"),
            "V3 WRITE Reply Len: 5 FILE_SYNC".to_owned(),
        ),
        (
            "RENAME",
            format!("V3 RENAME Call, FH: {hash}/a FH: {hash}/b"),
            "V3 RENAME Reply".to_owned(),
        ),
        (
            "READDIR",
            format!("V3 READDIR Call, FH: {hash} Len: 1024"),
            "V3 READDIR Reply Entries: 2 EOF".to_owned(),
        ),
        (
            "MNT fails",
            "V3 MNT Call, /export".to_owned(),
            "V3 MNT Reply Error: ERR_ACCESS".to_owned(),
        ),
    ];
    for (name, call, reply) in expected {
        assert_eq!(lines(name), [call, reply]);
    }
}

#[test]
fn lines_of_compounds_name_their_operations() {
    let state = |sequence| format!("0x{:04x}", state_id_hash(&x().state_id(sequence).0));
    let [call, reply] = lines("CB_RECALL");
    let hash = handle_hash(b"a handle");
    assert_eq!(call, format!("V4 CB Call CB_RECALL FH: 0x{hash:08x} StateID: {}", state(1)));
    assert_eq!(reply, "V4 CB Reply CB_RECALL");
    let [_, reply] = lines("SEQUENCE fails");
    assert_eq!(reply, "V4 Reply SEQUENCE Error: NFS4ERR_BADSESSION");
    let call = x()
        .text("")
        .u(&[1, 4, 53])
        .fixed(&[7; 16])
        .u(&[1, 0, 0, 0, 22])
        .opaque(b"a handle")
        .u(&[25])
        .state_id(0)
        .h(8192)
        .u(&[4096, 9])
        .bitmap(&[0x10])
        .0;
    let summary = summarise(&Procedure::nfs(4, 1), Direction::Call, &Body::new(&call)).unwrap();
    assert_eq!(
        line(&summary),
        format!(
            "V4 Call SEQUENCE | PUTFH FH: 0x{hash:08x} | READ StateID: {} Offset: 8192 Len: 4096 | GETATTR",
            state(0)
        )
    );
    assert_eq!(summary.main().unwrap().name, "READ");
    assert_eq!(summary.minor_version, Some(1));
    assert_eq!(summary.name, "COMPOUND");
}

/// A call of minor version 1 with these operations, so many of them.
fn compound(count: u32, operations: Xdr) -> Summary {
    let call = [x().text("").u(&[1, count]).0, operations.0].concat();
    summarise(&Procedure::nfs(4, 1), Direction::Call, &Body::new(&call)).unwrap()
}

#[test]
fn lines_of_compounds_have_the_names_in_their_operations() {
    // PUTROOTFH, LOOKUP, REMOVE, RENAME.
    let named =
        compound(4, x().u(&[24, 15]).text("ab").u(&[28]).text("c").u(&[29]).text("d").text("e"));
    assert_eq!(line(&named), "V4 Call PUTROOTFH | LOOKUP ab | REMOVE c | RENAME d e");
}

#[test]
fn names_of_directory_entries_are_counted_alone() {
    // READDIR with two entries, of which each has a name and no attributes.
    let entry = |name| x().u(&[1]).h(3).text(name).bitmap(&[]).u(&[0]);
    let results = x().u(&[0]).text("").u(&[1, 26, 0]).h(4).with(&entry("a")).with(&entry("b"));
    let results = results.u(&[0, 1]).0;
    let summary = summarise(&Procedure::nfs(4, 1), Direction::Reply, &Body::new(&results)).unwrap();
    assert_eq!(line(&summary), "V4 Reply READDIR Entries: 2 EOF");
    assert!(summary.operations[0].names.is_empty());
}

#[test]
fn a_compound_is_about_an_access_before_the_attributes_and_behind_all_else() {
    // PUTROOTFH, ACCESS, GETFH, GETATTR.
    let access = compound(4, x().u(&[24, 3, 1, 10, 9]).bitmap(&[0x10]));
    assert_eq!(access.main().unwrap().name, "ACCESS");
    // PUTROOTFH, LOOKUP, ACCESS, GETATTR.
    let lookup = compound(4, x().u(&[24, 15]).text("ab").u(&[3, 1, 9]).bitmap(&[0x10]));
    assert_eq!(lookup.main().unwrap().name, "LOOKUP");
    // PUTROOTFH, GETATTR.
    let attributes = compound(2, x().u(&[24, 9]).bitmap(&[0x10]));
    assert_eq!(attributes.main().unwrap().name, "GETATTR");
}

#[test]
fn a_compound_that_fails_tells_which_operation_did() {
    let results = x().u(&[2]).text("").u(&[2, 22, 0, 15, 2]).0;
    let summary = summarise(&Procedure::nfs(4, 1), Direction::Reply, &Body::new(&results)).unwrap();
    assert_eq!(summary.status, Some(2));
    assert_eq!(summary.status_name(), Some("NFS4ERR_NOENT"));
    let statuses: Vec<_> = summary.operations.iter().map(|it| (it.name, it.status)).collect();
    assert_eq!(statuses, [("PUTFH", Some(0)), ("LOOKUP", Some(2))]);
    assert_eq!(line(&summary), "V4 Reply PUTFH | LOOKUP Error: NFS4ERR_NOENT");
}

/// The client owner of an EXCHANGE_ID is in `nfs.data`, and no data of a file.
#[test]
fn an_owner_is_no_file_data() {
    let all = exchanges();
    let exchange = all.iter().find(|exchange| exchange.name == "EXCHANGE_ID plain").unwrap();
    let [call, _] = exchange.messages(1);
    let summary = summarise(&call.procedure, call.direction, &Body::new(call.body())).unwrap();
    assert!(summary.operations[0].data.is_empty());
}

#[test]
fn a_name_cannot_break_the_line() {
    let lookup: Xdr = x().opaque(b"file handle!").text("a\nb\u{1b}[31m");
    let body = lookup.0;
    let summary = summarise(&Procedure::nfs(3, 3), Direction::Call, &Body::new(&body)).unwrap();
    let line = line(&summary);
    assert!(line.ends_with("/a\\nb\\u{1b}[31m"), "{line}");
}

#[test]
fn what_could_be_read_of_a_malformed_message_is_told() {
    let body = x().opaque(b"file handle!").h(77).0;
    let procedure = Procedure::nfs(3, 6);
    let (summary, unreadable) =
        summarise(&procedure, Direction::Call, &Body::new(&body)).unwrap_err();
    let summary = summary.unwrap();
    assert_eq!(summary.operations[0].offset, Some(77));
    assert_eq!(
        unreadable.to_string(),
        "malformed at byte 24: nfs.count3 needs 4 bytes, 0 are there"
    );
    let procedure = Procedure::nfs(2, 6);
    let (summary, unreadable) =
        summarise(&procedure, Direction::Call, &Body::new(&body)).unwrap_err();
    assert!(summary.is_none());
    assert_eq!(unreadable.to_string(), "program 100003 version 2 procedure 6 is not decoded");
}
