//! What each procedure does, seen by the client and in the folder.

use crate::prelude::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use warpscope_nfs::{Time, TimeChange, access};

#[test]
fn a_file_is_written_and_read_back() {
    let (folder, mut files) = mounted();
    // More than one READ and WRITE, and no multiple of four.
    let data: Vec<u8> = (0..2_500_001_u32).map(|at| (at % 251) as u8).collect();
    assert_eq!(files.write(b"/data", &mut data.as_slice()).unwrap(), data.len() as u64);
    assert_eq!(fs::read(folder.path().join("data")).unwrap(), data);
    let mut back = Vec::new();
    assert_eq!(files.read(b"data", &mut back).unwrap(), data.len() as u64);
    assert!(back == data);
    // In place of what it held.
    files.write(b"/data", &mut &b"short"[..]).unwrap();
    assert_eq!(fs::read(folder.path().join("data")).unwrap(), b"short");
    let file = files.handle(b"data").unwrap();
    let read = files.call(|client| client.read(&file, 1, 2)).unwrap();
    assert_eq!((read.data.as_slice(), read.count, read.end), (&b"ho"[..], 2, false));
    let read = files.call(|client| client.read(&file, 3, 9)).unwrap();
    assert_eq!((read.data.as_slice(), read.end), (&b"rt"[..], true));
    let read = files.call(|client| client.read(&file, 99, 9)).unwrap();
    assert_eq!((read.data.len(), read.end), (0, true));
    for stable in 0..3 {
        let written = files.call(|client| client.write(&file, 8, b"x", stable)).unwrap();
        assert_eq!((written.count, written.committed), (1, stable));
        assert_eq!(&written.verifier, b"verifier");
        assert_eq!(written.file.after.unwrap().size, 9);
    }
    assert_eq!(fs::read(folder.path().join("data")).unwrap(), b"short\0\0\0x");
    let (_, verifier) = files.call(|client| client.commit(&file)).unwrap();
    assert_eq!(&verifier, b"verifier");
    files.unmount().unwrap();
}

#[test]
fn files_are_created_in_three_ways() {
    let (folder, mut files) = mounted();
    let root = files.handle(b"").unwrap();
    let new = NewAttributes { mode: Some(0o640), size: Some(3), ..NewAttributes::default() };
    let made = files.call(|client| client.create(&root, b"a", true, &new)).unwrap();
    let attributes = made.attributes.unwrap();
    assert_eq!((attributes.mode, attributes.size), (0o640, 3));
    assert_eq!(failure(&mut files, |client| client.create(&root, b"a", true, &new)), Status::EXIST);
    // Unchecked takes what is there, and sets the size alone.
    let other = NewAttributes { mode: Some(0o600), size: Some(1), ..NewAttributes::default() };
    let again = files.call(|client| client.create(&root, b"a", false, &other)).unwrap();
    assert_eq!(again.handle, made.handle);
    assert_eq!((again.attributes.unwrap().mode, again.attributes.unwrap().size), (0o640, 1));
    // Exclusive: the same verifier is the same call again.
    let verifier = *b"\xff\x01\x02\x03\xfe\x05\x06\x07";
    let first = files.call(|client| client.create_exclusive(&root, b"b", verifier)).unwrap();
    let second = files.call(|client| client.create_exclusive(&root, b"b", verifier)).unwrap();
    assert_eq!(first.handle, second.handle);
    let other = failure(&mut files, |client| client.create_exclusive(&root, b"b", [1; 8]));
    assert_eq!(other, Status::EXIST);
    assert!(folder.path().join("b").exists());
    let on_directory = {
        files.make_directory(b"d").unwrap();
        failure(&mut files, |client| client.create(&root, b"d", false, &new))
    };
    assert_eq!(on_directory, Status::EXIST);
}

#[test]
fn attributes_are_those_of_the_folder_and_are_set() {
    let (folder, mut files) = mounted();
    files.write(b"f", &mut &b"12345"[..]).unwrap();
    let file = files.handle(b"f").unwrap();
    let time = |seconds, nanoseconds| TimeChange::Set(Time { seconds, nanoseconds });
    let new = NewAttributes {
        mode: Some(0o4711),
        size: Some(2),
        accessed: time(1_000_000_000, 5_000),
        modified: time(4_000_000_000, 999_999_000),
        ..NewAttributes::default()
    };
    let before = files.attributes(b"f").unwrap();
    let change = files.call(|client| client.set_attributes(&file, &new, None)).unwrap();
    assert_eq!(change.before, Some((5, before.modified, before.changed)));
    let known = fs::metadata(folder.path().join("f")).unwrap();
    assert_eq!((known.mode() & 0o7777, known.len()), (0o4711, 2));
    let times = (known.atime(), known.mtime(), known.mtime_nsec());
    assert_eq!(times, (1_000_000_000, 4_000_000_000, 999_999_000));
    let after = change.after.unwrap();
    assert_eq!(after, files.attributes(b"f").unwrap());
    assert_eq!(after.file_type, FileType::Regular);
    assert_eq!((after.links, after.user, after.group), (1, known.uid(), known.gid()));
    assert_eq!((after.file_id, after.size), (known.ino(), 2));
    assert_eq!((after.accessed.nanoseconds, after.modified.seconds), (5_000, 4_000_000_000));
    assert_eq!(i64::from(after.changed.seconds), known.ctime());
    // A guard that is not the time of the last change.
    let guard = Some(Time { seconds: 1, nanoseconds: 1 });
    let refused = failure(&mut files, |client| client.set_attributes(&file, &new, guard));
    assert_eq!(refused, Status::NOT_SYNC);
    let guard = Some(after.changed);
    let now = NewAttributes { modified: TimeChange::Server, ..NewAttributes::default() };
    files.call(|client| client.set_attributes(&file, &now, guard)).unwrap();
    assert!(files.attributes(b"f").unwrap().modified.seconds < 4_000_000_000);
    assert_eq!(files.attributes(b"f").unwrap().accessed.seconds, 1_000_000_000);
    let root = files.handle(b"").unwrap();
    let size = NewAttributes { size: Some(0), ..NewAttributes::default() };
    let refused = failure(&mut files, |client| client.set_attributes(&root, &size, None));
    assert_eq!(refused, Status::ISDIR);
    let (_, granted) = files.call(|client| client.access(&root, 0x3f)).unwrap();
    assert_eq!(granted & (access::READ | access::LOOKUP), access::READ | access::LOOKUP);
    assert_eq!(granted & access::EXECUTE, 0);
    fs::set_permissions(folder.path().join("f"), PermissionsExt::from_mode(0o600)).unwrap();
    let (_, granted) = files.call(|client| client.access(&file, 0x3f)).unwrap();
    assert_eq!(granted, access::READ | access::MODIFY | access::EXTEND);
    let (_, granted) = files.call(|client| client.access(&file, access::READ)).unwrap();
    assert_eq!(granted, access::READ);
}

#[test]
fn names_come_move_and_go() {
    let (folder, mut files) = mounted();
    files.make_directory(b"d").unwrap();
    files.make_directory(b"d/e").unwrap();
    files.write(b"d/e/f", &mut &b"1"[..]).unwrap();
    let file = files.handle(b"d/e/f").unwrap();
    // A handle outlives the names above it, and its own.
    files.rename(b"d/e", b"moved").unwrap();
    assert_eq!(files.call(|client| client.read(&file, 0, 9)).unwrap().data, b"1");
    files.rename(b"moved/f", b"g").unwrap();
    assert_eq!(files.call(|client| client.read(&file, 0, 9)).unwrap().data, b"1");
    files.link(b"g", b"moved/h").unwrap();
    assert_eq!(files.attributes(b"g").unwrap().links, 2);
    assert_eq!(files.handle(b"moved/h").unwrap(), file);
    files.remove(b"moved/h").unwrap();
    assert_eq!(files.call(|client| client.read(&file, 0, 9)).unwrap().data, b"1");
    files.link(b"g", b"h").unwrap();
    files.remove(b"g").unwrap();
    assert_eq!(files.call(|client| client.read(&file, 0, 9)).unwrap().data, b"1");
    files.remove(b"h").unwrap();
    assert_eq!(failure(&mut files, |client| client.attributes(&file)), Status::STALE);
    // A file in place of another one.
    files.write(b"old", &mut &b"old"[..]).unwrap();
    files.write(b"new", &mut &b"new"[..]).unwrap();
    let old = files.handle(b"old").unwrap();
    files.rename(b"new", b"old").unwrap();
    assert_eq!(fs::read(folder.path().join("old")).unwrap(), b"new");
    assert_eq!(failure(&mut files, |client| client.attributes(&old)), Status::STALE);
    files.make_link(b"link", b"../anything").unwrap();
    assert_eq!(files.read_link(b"link").unwrap(), b"../anything");
    assert_eq!(files.attributes(b"link").unwrap().file_type, FileType::SymbolicLink);
    files.remove(b"link").unwrap();
    files.remove_directory(b"moved").unwrap();
    files.remove_directory(b"d").unwrap();
    let names: Vec<_> = files.list(b"").unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, [b"old"]);
}

#[test]
fn a_large_directory_is_listed_while_it_changes() {
    let (folder, judged) = server();
    for number in 0..1000 {
        fs::write(folder.path().join(format!("file-{number:04}")), "").unwrap();
    }
    let mut files = files(judged);
    let listed = files.list(b"/").unwrap();
    let mut names: Vec<_> = listed.iter().map(|entry| entry.name.clone()).collect();
    names.sort();
    let expected: Vec<_> = (0..1000).map(|n| format!("file-{n:04}").into_bytes()).collect();
    assert_eq!(names, expected);
    for entry in &listed[..20] {
        let handle = entry.handle.clone().unwrap();
        let attributes = files.call(|client| client.attributes(&handle)).unwrap();
        assert_eq!(Some(attributes), entry.attributes);
        assert_eq!(attributes.file_id, entry.file_id);
    }
    // READDIR in small pieces; what was listed is removed on the way.
    let root = files.handle(b"").unwrap();
    let (mut seen, mut from) = (Vec::new(), (0, [0; 8]));
    loop {
        let part = files.call(|client| client.read_directory(&root, from, 512)).unwrap();
        from = (part.entries.last().unwrap().cookie, part.verifier);
        for entry in part.entries {
            if entry.name.starts_with(b"file") {
                files.remove(&entry.name).unwrap();
                seen.push(entry.name);
            }
        }
        if part.end {
            break;
        }
    }
    seen.sort();
    assert_eq!(seen, expected);
    let tiny = failure(&mut files, |client| client.read_directory(&root, (0, [0; 8]), 100));
    assert_eq!(tiny, Status::TOOSMALL);
    for cookie in [u64::MAX, 1 << 63] {
        let wild =
            failure(&mut files, |client| client.read_directory(&root, (cookie, [0; 8]), 512));
        assert_eq!(wild, Status::BAD_COOKIE);
    }
    let verifier = failure(&mut files, |client| client.read_directory(&root, (1, [1; 8]), 512));
    assert_eq!(verifier, Status::BAD_COOKIE);
}

#[test]
fn the_server_tells_of_itself() {
    let (folder, judged) = server();
    fs::create_dir_all(folder.path().join("below/deeper")).unwrap();
    let path = folder.path().canonicalize().unwrap().join("below/deeper");
    let mut files = Files::mount(judged, client(), path.to_str().unwrap().as_bytes()).unwrap();
    let mounted = files.call(|client| client.mount(b"/below/deeper")).unwrap();
    assert_eq!(mounted.handle, files.handle(b"").unwrap());
    assert!(mounted.flavors.contains(&1));
    for (path, status) in [
        (&b"/none"[..], Status::NOENT),
        (b"below", Status::ACCES),
        (b"/below/../..", Status::ACCES),
    ] {
        assert_eq!(failure(&mut files, |client| client.mount(path)), status);
    }
    let information = files.call(|client| client.information(&mounted.handle)).unwrap();
    assert_eq!(information.read.0, 1 << 20);
    assert_eq!(information.properties, 0x1b);
    files.call(|client| client.null()).unwrap();
}

/// RFC 1813 section 4.5: a call that comes again is answered as it was, and not carried out.
#[test]
fn a_call_that_comes_again_is_answered_as_before() {
    let (folder, mut files) = mounted();
    let root = files.handle(b"/").unwrap();
    fs::write(folder.path().join("file"), b"text").unwrap();
    let mut client = client();
    let remove = client.remove(&root, b"file").call.message.bytes;
    let again = client.remove(&root, b"file").call.message.bytes;
    let judged = &mut files.unmount().unwrap();
    let status = |reply: &[u8]| u32::from_be_bytes(*reply[24..].first_chunk().unwrap());
    let first = judged.server.answer(&remove).bytes;
    assert_eq!(status(&first), 0);
    assert_eq!(judged.server.answer(&remove).bytes, first);
    // With another XID it is another call; so is another call with the same XID.
    assert_eq!(status(&judged.server.answer(&again).bytes), 2);
    fs::write(folder.path().join("file"), b"text").unwrap();
    let mut other = remove.clone();
    let last = other.len() - 1;
    other[last - 3..].copy_from_slice(b"fool");
    assert_eq!(status(&judged.server.answer(&other).bytes), 2);
    assert_eq!(judged.server.answer(&remove).bytes, first);
    assert!(folder.path().join("file").exists());
}
