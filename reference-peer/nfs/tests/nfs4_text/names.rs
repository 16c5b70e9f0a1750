//! Names, attributes and directories.

use crate::prelude::*;

/// Attributes that a server must have (RFC 8881 section 5.6).
const REQUIRED: [u32; 14] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 19, 75];

/// One attribute of an object that has one word.
fn word(lab: &mut Lab, client: &mut Client, path: &[&str], bit: u32) -> u32 {
    attribute(lab, client, path, bit).word()
}

/// A reply that stands at the value of an attribute.
fn attribute(lab: &mut Lab, client: &mut Client, path: &[&str], bit: u32) -> Reply {
    let mut reply = lab.run(client, getattr(at(path), &[bit]));
    reply.ok(op::PUTROOTFH);
    for _ in path {
        reply.ok(op::LOOKUP);
    }
    assert_eq!(reply.ok(op::GETATTR).fattr(), [bit]);
    reply
}

/// RFC 8881 section 5.6: the required attributes are supported, and GETATTR has them, in order of their bits.
#[test]
fn required_attributes_are_there() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"12345");
    let supported = attribute(&mut lab, &mut client, &["f"], attr::SUPPORTED_ATTRS).bitmap();
    for bit in REQUIRED {
        assert!(supported.contains(&bit), "{bit}");
    }
    let handle = lab.handle(&mut client, &["f"]);
    // rdattr_error says something in READDIR alone.
    let asked: Vec<u32> = REQUIRED.into_iter().filter(|bit| *bit != attr::RDATTR_ERROR).collect();
    let mut reply = lab.run(&mut client, getattr(put(&handle), &asked));
    reply.ok(op::PUTFH);
    assert_eq!(reply.ok(op::GETATTR).fattr(), asked);
    assert_eq!(reply.bitmap(), supported);
    assert_eq!(reply.word(), 1, "NF4REG");
    assert!(reply.word() <= 0xf, "how a file handle may expire");
    reply.long();
    assert_eq!(reply.long(), 5, "the size");
    let _links = [reply.bool(), reply.bool()];
    assert!(!reply.bool(), "there are no named attributes of a file");
    reply.raw::<16>();
    reply.bool();
    assert!(reply.word() > 0, "the time of a lease");
    assert_eq!(reply.opaque(), handle);
    let exclusive = reply.bitmap();
    assert!(exclusive.iter().all(|bit| supported.contains(bit)), "{exclusive:?}");
    reply.end();
}

/// RFC 8881 section 18.7.3: what is not supported is left out; what can only be set is an error.
#[test]
fn attributes_that_cannot_be_read() {
    let (mut lab, mut client) = Lab::with_client();
    let mut reply = lab.run(&mut client, getattr(at(&[]), &[attr::TYPE, 95]));
    assert_eq!(reply.ok(op::PUTROOTFH).ok(op::GETATTR).fattr(), [attr::TYPE]);
    let set_only = getattr(at(&[]), &[attr::TIME_ACCESS_SET]);
    assert_eq!(lab.last(&mut client, set_only), err::INVAL);
}

/// RFC 8881 section 18.31.3, 18.15.3: VERIFY goes on with what is the same, NVERIFY with what is not.
#[test]
fn attributes_are_verified() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"12345");
    let ask = |number, size| at(&["f"]).op(number).fattr(&[attr::SIZE], &Ops::default().long(size));
    assert_eq!(lab.last(&mut client, ask(op::VERIFY, 5)), err::OK);
    assert_eq!(lab.last(&mut client, ask(op::VERIFY, 6)), err::NOT_SAME);
    assert_eq!(lab.last(&mut client, ask(op::NVERIFY, 5)), err::SAME);
    assert_eq!(lab.last(&mut client, ask(op::NVERIFY, 6)), err::OK);
    for number in [op::VERIFY, op::NVERIFY] {
        let error = at(&["f"]).op(number).fattr(&[attr::RDATTR_ERROR], &Ops::default().word(0));
        assert_eq!(lab.last(&mut client, error), err::INVAL);
        let unknown = at(&["f"]).op(number).fattr(&[95], &Ops::default().word(0));
        assert_eq!(lab.last(&mut client, unknown), err::ATTRNOTSUPP);
    }
}

/// RFC 8881 section 18.13.3 and .4, 18.14.3: what LOOKUP refuses; the root has no parent.
#[test]
fn names_are_looked_up() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"");
    std::fs::create_dir(lab.path("d")).unwrap();
    std::os::unix::fs::symlink("f", lab.path("l")).unwrap();
    for (path, expected) in [
        (&["none"][..], &[err::NOENT][..]),
        (&["f", "x"], &[err::NOTDIR]),
        (&["l", "x"], &[err::SYMLINK]),
        (&[""], &[err::INVAL]),
        (&["a/b"], &[err::BADCHAR, err::BADNAME, err::NOENT, err::INVAL]),
        (&["."], &[err::BADNAME, err::NOENT]),
        (&[".."], &[err::BADNAME, err::NOENT]),
    ] {
        let status = lab.last(&mut client, at(path));
        assert!(expected.contains(&status), "{status} for {path:?}");
    }
    let long = "x".repeat(300);
    assert_eq!(lab.last(&mut client, at(&[&long])), err::NAMETOOLONG);
    assert_eq!(lab.last(&mut client, at(&[]).op(op::LOOKUPP)), err::NOENT);
    assert_eq!(lab.last(&mut client, at(&["f"]).op(op::LOOKUPP)), err::NOTDIR);
    let root = lab.handle(&mut client, &[]);
    let mut reply = lab.run(&mut client, at(&["d"]).op(op::LOOKUPP).op(op::GETFH));
    reply.ok(op::PUTROOTFH).ok(op::LOOKUP).ok(op::LOOKUPP);
    assert_eq!(reply.ok(op::GETFH).opaque(), root);
}

/// RFC 8881 section 18.1.3: of the rights that were asked for, those that are supported, and of those the ones that are
/// given. Other bits than the six are refused, or left out (section 15.2 has NFS4ERR_INVAL).
#[test]
fn rights_are_told() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"");
    for asked in [0, 1, 0x1d, 0x3f] {
        let mut reply = lab.run(&mut client, at(&["f"]).op(op::ACCESS).word(asked));
        reply.ok(op::PUTROOTFH).ok(op::LOOKUP).ok(op::ACCESS);
        let (supported, given) = (reply.word(), reply.word());
        reply.end();
        assert_eq!(supported & !asked, 0, "{supported:#x} of {asked:#x}");
        assert_eq!(given & !supported, 0, "{given:#x} of {supported:#x}");
        assert_eq!(given & 1, asked & 1, "the file can be read");
    }
}

/// One READDIR: verifier, names with cookies, whether that is all.
type Listed = ([u8; 8], Vec<(String, u64)>, bool);

fn list(
    lab: &mut Lab,
    client: &mut Client,
    cookie: u64,
    verifier: [u8; 8],
    most: u32,
) -> Result<Listed, u32> {
    let head = at(&["d"]).op(op::READDIR).long(cookie).raw(&verifier).words(&[most, most]);
    let mut reply = lab.run(client, head.bitmap(&[attr::RDATTR_ERROR, attr::FILEID]));
    reply.ok(op::PUTROOTFH).ok(op::LOOKUP);
    match reply.result(op::READDIR) {
        0 => {}
        status => return Err(status),
    }
    let before = reply.results().len();
    let verifier = reply.raw();
    let mut names = Vec::new();
    while reply.bool() {
        let cookie = reply.long();
        let name = String::from_utf8(reply.opaque()).unwrap();
        assert_eq!(reply.fattr(), [attr::RDATTR_ERROR, attr::FILEID]);
        assert_eq!(reply.word(), 0);
        reply.long();
        names.push((name, cookie));
    }
    let eof = reply.bool();
    reply.end();
    // What is before READDIR4resok: 36 bytes of RPC and COMPOUND, SEQUENCE's 44, three heads of 8 bytes.
    assert!(before - 28 - 44 - 24 <= most as usize, "{before} bytes for {most}");
    Ok((verifier, names, eof))
}

/// RFC 8881 section 18.23.3: each name comes once, whatever the size of the replies; no `.` and `..`, no cookies 0, 1
/// and 2; no more than maxcount; NFS4ERR_TOOSMALL where not one fits.
#[test]
fn a_directory_is_listed() {
    let (mut lab, mut client) = Lab::with_client();
    std::fs::create_dir(lab.path("d")).unwrap();
    let (_, none, eof) = list(&mut lab, &mut client, 0, [0; 8], 4096).unwrap();
    assert!(none.is_empty() && eof);
    let expected: Vec<String> = (0..60).map(|number| format!("name-{number:02}")).collect();
    expected.iter().for_each(|name| lab.file(&format!("d/{name}"), b""));
    for most in [150, 512, 1 << 15] {
        let (mut cookie, mut verifier, mut found) = (0, [0; 8], Vec::new());
        loop {
            let (next, names, eof) = list(&mut lab, &mut client, cookie, verifier, most).unwrap();
            assert!(names.iter().all(|(_, cookie)| *cookie > 2), "{names:?}");
            assert!(eof || !names.is_empty(), "it goes on");
            verifier = next;
            cookie = names.last().map_or(cookie, |(_, cookie)| *cookie);
            found.extend(names.into_iter().map(|(name, _)| name));
            if eof {
                break;
            }
        }
        found.sort();
        assert_eq!(found, expected);
    }
    assert_eq!(list(&mut lab, &mut client, 0, [0; 8], 20).unwrap_err(), err::TOOSMALL);
}

/// RFC 8881 section 18.23.3: a verifier that is not valid for the directory is NFS4ERR_NOT_SAME; a server that does not
/// use it (all zeros, section 18.23.4) need not look at it. Cookies 1 and 2 are none.
#[test]
fn a_listing_goes_on_with_its_verifier() {
    let (mut lab, mut client) = Lab::with_client();
    std::fs::create_dir(lab.path("d")).unwrap();
    (0..60).for_each(|number| lab.file(&format!("d/name-{number:02}"), b""));
    let (verifier, names, _) = list(&mut lab, &mut client, 0, [0; 8], 512).unwrap();
    let cookie = names.last().unwrap().1;
    if verifier != [0; 8] {
        let wrong = verifier.map(|byte| !byte);
        let found = list(&mut lab, &mut client, cookie, wrong, 512);
        assert_eq!(found.unwrap_err(), err::NOT_SAME);
    }
    for cookie in [1, 2] {
        let found = list(&mut lab, &mut client, cookie, verifier, 512).map(|_| ());
        assert!([Err(err::BAD_COOKIE), Ok(())].contains(&found), "{found:?}");
    }
    let file = at(&["d", "name-00"]).op(op::READDIR).long(0).raw(&[0; 8]).words(&[512, 512, 0]);
    assert_eq!(lab.last(&mut client, file), err::NOTDIR);
}

/// RFC 8881 section 18.4.3: CREATE makes folders and links, and no files; the new object is the current one.
#[test]
fn objects_are_created() {
    let (mut lab, mut client) = Lab::with_client();
    let make = |kind, name: &[u8]| {
        let ops = at(&[]).op(op::CREATE).word(kind);
        let ops = if kind == 5 { ops.opaque(b"target") } else { ops };
        ops.opaque(name).fattr(&[attr::MODE], &Ops::default().word(0o750))
    };
    let mut reply = lab.run(&mut client, getattr(make(2, b"d"), &[attr::TYPE]));
    reply.ok(op::PUTROOTFH).ok(op::CREATE);
    let (_, before, after) = (reply.bool(), reply.long(), reply.long());
    assert_ne!(before, after, "the folder has changed");
    assert!(reply.bitmap().iter().all(|bit| *bit == attr::MODE));
    assert_eq!(reply.ok(op::GETATTR).fattr(), [attr::TYPE]);
    assert_eq!(reply.word(), 2);
    assert_eq!(lab.last(&mut client, make(2, b"d")), err::EXIST);
    assert_eq!(lab.last(&mut client, make(2, b"")), err::INVAL);
    assert_eq!(lab.last(&mut client, make(1, b"f")), err::BADTYPE);
    let ops = make(5, b"l").op(op::READLINK);
    let mut reply = lab.run(&mut client, ops);
    reply.ok(op::PUTROOTFH).ok(op::CREATE).raw::<20>();
    reply.bitmap();
    assert_eq!(reply.ok(op::READLINK).opaque(), b"target");
    let wrong = lab.last(&mut client, at(&["d"]).op(op::READLINK));
    // Section 18.24.3: the error for what is no link; RFC 8881 has NFS4ERR_WRONG_TYPE for all, and section 15.2 adds
    // NFS4ERR_ISDIR for folders and NFS4ERR_INVAL.
    assert!([err::WRONG_TYPE, err::ISDIR, err::INVAL].contains(&wrong), "{wrong}");
}

/// RFC 8881 section 18.25.3 and .4: what is removed, and the change of the folder; a folder that is not empty stays.
#[test]
fn names_are_removed() {
    let (mut lab, mut client) = Lab::with_client();
    std::fs::create_dir(lab.path("d")).unwrap();
    lab.file("d/f", b"");
    let remove = |path: &[&str], name: &[u8]| at(path).op(op::REMOVE).opaque(name);
    assert_eq!(lab.last(&mut client, remove(&[], b"d")), err::NOTEMPTY);
    assert_eq!(lab.last(&mut client, remove(&["d"], b"none")), err::NOENT);
    assert_eq!(lab.last(&mut client, remove(&["d"], b"")), err::INVAL);
    assert_eq!(lab.last(&mut client, remove(&["d", "f"], b"x")), err::NOTDIR);
    let mut reply = lab.run(&mut client, getattr(remove(&["d"], b"f"), &[attr::CHANGE]));
    reply.ok(op::PUTROOTFH).ok(op::LOOKUP).ok(op::REMOVE);
    let (atomic, before, after) = (reply.bool(), reply.long(), reply.long());
    assert_ne!(before, after);
    assert_eq!(reply.ok(op::GETATTR).fattr(), [attr::CHANGE]);
    let now = reply.long();
    assert!(!atomic || now == after);
    assert_eq!(lab.last(&mut client, remove(&[], b"d")), err::OK);
}

fn rename(from: &[&str], old: &[u8], to: &[&str], new: &[u8]) -> Ops {
    at(from).op(op::SAVEFH).then(at(to)).op(op::RENAME).opaque(old).opaque(new)
}

/// RFC 8881 section 18.26.3: the target is replaced if it fits, and NFS4ERR_EXIST is the error if not, also for a folder
/// that is not empty; two names of one file stay.
#[test]
fn names_are_changed() {
    let (mut lab, mut client) = Lab::with_client();
    for folder in ["d", "e", "empty"] {
        std::fs::create_dir(lab.path(folder)).unwrap();
    }
    lab.file("d/f", b"f");
    lab.file("g", b"g");
    std::fs::hard_link(lab.path("g"), lab.path("h")).unwrap();
    let root = &[][..];
    for (ops, expected) in [
        (rename(root, b"g", root, b"d"), err::EXIST),
        (rename(root, b"d", root, b"g"), err::EXIST),
        (rename(root, b"empty", root, b"d"), err::EXIST),
        (rename(root, b"none", root, b"x"), err::NOENT),
        (rename(root, b"", root, b"x"), err::INVAL),
        (rename(root, b"g", root, b""), err::INVAL),
        (rename(root, b"g", &["d", "f"], b"x"), err::NOTDIR),
        (rename(&["d", "f"], b"g", root, b"x"), err::NOTDIR),
        (rename(root, b"d", &["d"], b"below"), err::INVAL),
        (rename(root, b"g", root, b"h"), err::OK),
        (rename(root, b"d", root, b"empty"), err::OK),
        (rename(&["empty"], b"f", &["e"], b"i"), err::OK),
        (rename(root, b"h", &["e"], b"i"), err::OK),
    ] {
        assert_eq!(lab.last(&mut client, ops), expected);
    }
    assert_eq!(std::fs::read(lab.path("g")).unwrap(), b"g");
    assert_eq!(std::fs::read(lab.path("e/i")).unwrap(), b"g");
    assert!(!lab.path("d").exists() && !lab.path("h").exists());
}

/// RFC 8881 section 18.9.3 and 15.2: a second name; none for a folder; none where there is one.
#[test]
fn names_are_added() {
    let (mut lab, mut client) = Lab::with_client();
    std::fs::create_dir(lab.path("d")).unwrap();
    lab.file("f", b"f");
    let link = |from: &[&str], to: &[&str], name: &[u8]| {
        at(from).op(op::SAVEFH).then(at(to)).op(op::LINK).opaque(name)
    };
    assert_eq!(lab.last(&mut client, link(&["f"], &["d"], b"g")), err::OK);
    assert_eq!(lab.last(&mut client, link(&["f"], &["d"], b"g")), err::EXIST);
    assert_eq!(lab.last(&mut client, link(&["f"], &["d"], b"")), err::INVAL);
    assert_eq!(lab.last(&mut client, link(&["f"], &["f"], b"g")), err::NOTDIR);
    let folder = lab.last(&mut client, link(&["d"], &[], b"g"));
    assert_eq!(folder, err::ISDIR);
    assert_eq!(word(&mut lab, &mut client, &["f"], attr::NUMLINKS), 2);
    let first = attribute(&mut lab, &mut client, &["f"], attr::FILEID).long();
    let second = attribute(&mut lab, &mut client, &["d", "g"], attr::FILEID).long();
    assert_eq!(first, second);
}

fn set(path: &[&str], stateid: Stateid, bits: &[u32], values: &Ops) -> Ops {
    at(path).op(op::SETATTR).stateid(stateid).fattr(bits, values)
}

/// RFC 8881 section 18.30.3: which attributes were set is reported, on failure as well; section 18.30.4 and 5.5: those that
/// can only be read are NFS4ERR_INVAL, those that are not there NFS4ERR_ATTRNOTSUPP. The change attribute changes.
#[test]
fn attributes_are_set() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"12345");
    let before = attribute(&mut lab, &mut client, &["f"], attr::CHANGE).long();
    let values = Ops::default().long(2).word(0o600);
    let ops = set(&["f"], Stateid::ANONYMOUS, &[attr::SIZE, attr::MODE], &values);
    let mut reply = lab.run(&mut client, ops);
    reply.ok(op::PUTROOTFH).ok(op::LOOKUP);
    assert_eq!(reply.ok(op::SETATTR).bitmap(), [attr::SIZE, attr::MODE]);
    reply.end();
    assert_eq!(std::fs::read(lab.path("f")).unwrap(), b"12");
    assert_eq!(word(&mut lab, &mut client, &["f"], attr::MODE), 0o600);
    assert_ne!(attribute(&mut lab, &mut client, &["f"], attr::CHANGE).long(), before);
    for (bit, values, expected) in [
        (attr::TYPE, Ops::default().word(1), err::INVAL),
        (attr::FILEID, Ops::default().long(1), err::INVAL),
        (95, Ops::default().long(1), err::ATTRNOTSUPP),
    ] {
        let mut reply = lab.run(&mut client, set(&["f"], Stateid::ANONYMOUS, &[bit], &values));
        reply.ok(op::PUTROOTFH).ok(op::LOOKUP);
        assert_eq!(reply.result(op::SETATTR), expected, "{bit}");
        assert!(reply.bitmap().is_empty(), "the result goes on with what was set");
        reply.end();
    }
    let folder = set(&[], Stateid::ANONYMOUS, &[attr::SIZE], &Ops::default().long(1));
    let status = lab.last(&mut client, folder);
    assert!([err::ISDIR, err::INVAL, err::WRONG_TYPE].contains(&status), "{status}");
}

/// RFC 8881 section 18.30.3: a size is set like a WRITE: not against a denial, and not by an open that only reads.
#[test]
fn a_size_is_set_like_a_write() {
    let (mut lab, mut client) = Lab::with_client();
    lab.file("f", b"12345");
    let size = Ops::default().long(2);
    let reads = Open { access: 1, deny: 2, ..Open::new("f") };
    let opened = lab.open(&mut client, &reads).unwrap();
    let ops = set(&["f"], opened.stateid, &[attr::SIZE], &size);
    assert_eq!(lab.last(&mut client, ops), err::OPENMODE);
    let ops = set(&["f"], Stateid::ANONYMOUS, &[attr::SIZE], &size);
    let status = lab.last(&mut client, ops);
    // Section 15.2 has both for SETATTR.
    assert!([err::LOCKED, err::SHARE_DENIED].contains(&status), "{status}");
    assert_eq!(lab.last(&mut client, put(&opened.handle).then(close(opened.stateid))), err::OK);
    let ops = set(&["f"], Stateid::ANONYMOUS, &[attr::SIZE], &size);
    assert_eq!(lab.last(&mut client, ops), err::OK);
}
