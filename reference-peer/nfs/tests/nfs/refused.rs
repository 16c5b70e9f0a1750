//! Errors: of the file system, of a folder that is exported to be read, and of RPC.

use crate::prelude::*;
use warpscope_nfs::rpc::{CallHeader, begin_call};
use warpscope_nfs::{MOUNT, NFS, mount, procedure};

/// The status that a call built by hand gets; its results are judged.
fn status(judged: &mut Judged, procedure: u32, arguments: &[&[u8]]) -> u32 {
    use warpscope_dissector::nfs::{Direction, Procedure};
    let reply = raw(judged, NFS, 3, procedure, arguments);
    let (0, results) = accepted(&reply).unwrap() else { panic!("not accepted") };
    crate::judge::judge(&Procedure::nfs(3, procedure), Direction::Reply, results);
    u32::from_be_bytes(*results.first_chunk().unwrap())
}

fn raw(
    judged: &mut Judged,
    program: u32,
    version: u32,
    procedure: u32,
    arguments: &[&[u8]],
) -> Vec<u8> {
    let credential = &Credential::None;
    let header = CallHeader { xid: 1, program, version, procedure, credential };
    let mut call = begin_call(&header).unwrap();
    for argument in arguments {
        call.fixed(argument);
    }
    judged.server.answer(&call.finish().bytes).bytes
}

fn opaque(bytes: &[u8]) -> Vec<u8> {
    let mut xdr = (bytes.len() as u32).to_be_bytes().to_vec();
    xdr.extend_from_slice(bytes);
    xdr.resize(xdr.len().next_multiple_of(4), 0);
    xdr
}

#[test]
fn errors_have_their_status() {
    let (folder, judged) = server();
    fs::create_dir_all(folder.path().join("d/e")).unwrap();
    fs::write(folder.path().join("f"), "").unwrap();
    let mut files = files(judged);
    let new = NewAttributes::default();
    let root = files.handle(b"").unwrap();
    let (d, f) = (files.handle(b"d").unwrap(), files.handle(b"f").unwrap());
    let long = [b'n'; 256];
    let cases = [
        (failure(&mut files, |client| client.lookup(&root, b"none")), Status::NOENT),
        (failure(&mut files, |client| client.lookup(&root, &long)), Status::NAMETOOLONG),
        (failure(&mut files, |it| it.create(&root, &long, true, &new)), Status::NAMETOOLONG),
        (failure(&mut files, |client| client.lookup(&f, b"x")), Status::NOTDIR),
        (failure(&mut files, |client| client.remove(&root, b"none")), Status::NOENT),
        (failure(&mut files, |client| client.remove(&root, b"d")), Status::ISDIR),
        (failure(&mut files, |client| client.remove_directory(&root, b"f")), Status::NOTDIR),
        (failure(&mut files, |client| client.remove_directory(&root, b"d")), Status::NOTEMPTY),
        (failure(&mut files, |client| client.make_directory(&root, b"d", &new)), Status::EXIST),
        (failure(&mut files, |client| client.make_link(&root, b"f", b"x", &new)), Status::EXIST),
        (failure(&mut files, |client| client.rename((&root, b"f"), (&root, b"d"))), Status::EXIST),
        (failure(&mut files, |client| client.rename((&root, b"d"), (&root, b"f"))), Status::EXIST),
        (failure(&mut files, |client| client.rename((&root, b"d"), (&d, b"in"))), Status::INVAL),
        (failure(&mut files, |client| client.rename((&root, b"no"), (&d, b"in"))), Status::NOENT),
        (failure(&mut files, |client| client.link(&d, &root, b"l")), Status::INVAL),
        (failure(&mut files, |client| client.link(&f, &root, b"d")), Status::EXIST),
        (failure(&mut files, |client| client.read(&d, 0, 1)), Status::INVAL),
        (failure(&mut files, |client| client.write(&f, u64::MAX, b"xy", 0)), Status::FBIG),
        (failure(&mut files, |client| client.read_link(&f)), Status::INVAL),
        (failure(&mut files, |client| client.read_directory(&f, (0, [0; 8]), 512)), Status::NOTDIR),
    ];
    for (number, (found, expected)) in cases.iter().enumerate() {
        assert_eq!(found, expected, "case {number}");
    }
}

#[test]
fn a_folder_to_be_read_is_not_changed() {
    let (folder, _) = server();
    fs::create_dir(folder.path().join("d")).unwrap();
    fs::write(folder.path().join("f"), "data").unwrap();
    let read_only = ExportOptions { read_only: true, ..options() };
    let server = Server::new(folder.path(), read_only).unwrap();
    let mut files = files(Judged { server, calls: Vec::new() });
    let new = NewAttributes { mode: Some(0o777), ..NewAttributes::default() };
    let (root, f) = (files.handle(b"").unwrap(), files.handle(b"f").unwrap());
    let refused = [
        failure(&mut files, |client| client.set_attributes(&f, &new, None)),
        failure(&mut files, |client| client.write(&f, 0, b"x", 0)),
        failure(&mut files, |client| client.create(&root, b"x", false, &new)),
        failure(&mut files, |client| client.make_directory(&root, b"x", &new)),
        failure(&mut files, |client| client.make_link(&root, b"x", b"y", &new)),
        failure(&mut files, |client| client.remove(&root, b"f")),
        failure(&mut files, |client| client.remove_directory(&root, b"d")),
        failure(&mut files, |client| client.rename((&root, b"f"), (&root, b"g"))),
        failure(&mut files, |client| client.link(&f, &root, b"g")),
    ];
    assert_eq!(refused, [Status::ROFS; 9]);
    let (_, granted) = files.call(|client| client.access(&root, 0x3f)).unwrap();
    assert_eq!(granted & 0x1c, 0);
    assert_eq!(files.call(|client| client.read(&f, 0, 9)).unwrap().data, b"data");
    assert_eq!(files.list(b"").unwrap().len(), 2);
}

#[test]
fn nodes_are_made_as_far_as_they_are_harmless() {
    let (_folder, mut judged) = server();
    let root = judged_root(&mut judged);
    let none = [0; 24];
    let node = |name: &[u8], kind: u32, rest: &[u8]| {
        [&opaque(&root)[..], &opaque(name), &kind.to_be_bytes(), rest].concat()
    };
    let device = [&none[..], &[0; 8]].concat();
    for (kind, rest, expected) in [
        (7, &none[..], 0),
        (6, &none[..], 0),
        (3, &device[..], 10004),
        (4, &device[..], 10004),
        (1, &[][..], 10007),
        (9, &[][..], 10007),
    ] {
        let arguments = node(format!("n{kind}").as_bytes(), kind, rest);
        assert_eq!(status(&mut judged, procedure::MKNOD, &[&arguments]), expected, "type {kind}");
    }
    // WRITE that counts other bytes than it has.
    let write = [&opaque(&root)[..], &[0; 8], &5_u32.to_be_bytes(), &[0; 4], &opaque(b"abcd")];
    assert_eq!(status(&mut judged, procedure::WRITE, &write), 22);
    for handle in [&b""[..], b"short", &[0; 64]] {
        assert_eq!(status(&mut judged, procedure::GETATTR, &[&opaque(handle)]), 10001);
    }
    for procedure in [procedure::FSSTAT, procedure::FSINFO, procedure::PATHCONF] {
        assert_eq!(status(&mut judged, procedure, &[&opaque(&root)]), 0);
    }
}

pub(crate) fn judged_root(judged: &mut Judged) -> Vec<u8> {
    let reply = raw(judged, MOUNT, 3, mount::MNT, &[&opaque(b"/")]);
    let length = u32::from_be_bytes(*reply[28..].first_chunk().unwrap()) as usize;
    reply[32..32 + length].to_vec()
}

#[test]
fn programs_versions_and_procedures_that_are_not_there() {
    let (_folder, mut judged) = server();
    let words = |reply: Vec<u8>| -> Vec<u32> {
        reply[20..].chunks(4).map(|word| u32::from_be_bytes(word.try_into().unwrap())).collect()
    };
    assert_eq!(words(raw(&mut judged, 100_227, 3, 0, &[])), [1]);
    assert_eq!(words(raw(&mut judged, NFS, 2, 0, &[])), [2, 3, 4]);
    assert_eq!(words(raw(&mut judged, MOUNT, 1, 0, &[])), [2, 3, 3]);
    assert_eq!(words(raw(&mut judged, NFS, 3, 22, &[])), [3]);
    assert_eq!(words(raw(&mut judged, MOUNT, 3, 6, &[])), [3]);
    assert_eq!(words(raw(&mut judged, NFS, 3, 1, &[])), [4]);
    assert_eq!(words(raw(&mut judged, NFS, 3, 0, &[])), [0]);
}

#[test]
fn mounts_are_listed_until_they_end() {
    use warpscope_dissector::nfs::{Direction, Procedure};
    let (folder, mut judged) = server();
    let mut client = client();
    let dump = |judged: &mut Judged, procedure| {
        let reply = raw(judged, MOUNT, 3, procedure, &[]);
        let results = reply[24..].to_vec();
        let of = Procedure { program: MOUNT, version: 3, procedure };
        crate::judge::judge(&of, Direction::Reply, &results);
        results
    };
    assert_eq!(dump(&mut judged, mount::DUMP), [0; 4]);
    judged.server.answer(&client.mount(b"/").call.message.bytes);
    judged.server.answer(&client.mount(b"/").call.message.bytes);
    let one = [&[0, 0, 0, 1][..], &opaque(b"here"), &opaque(b"/"), &[0; 4]].concat();
    assert_eq!(dump(&mut judged, mount::DUMP), one);
    judged.server.answer(&client.unmount(b"/").call.message.bytes);
    assert_eq!(dump(&mut judged, mount::DUMP), [0; 4]);
    judged_root(&mut judged);
    raw(&mut judged, MOUNT, 3, mount::UMNTALL, &[]);
    assert_eq!(dump(&mut judged, mount::DUMP), [0; 4]);
    let folder = folder.path().canonicalize().unwrap();
    let folder = folder.to_str().unwrap().as_bytes();
    let export = [&[0, 0, 0, 1][..], &opaque(folder), &[0; 8]].concat();
    assert_eq!(dump(&mut judged, mount::EXPORT), export);
}

#[test]
fn handles_are_valid_with_the_same_key_alone() {
    let (folder, judged) = server();
    fs::create_dir_all(folder.path().join("a/b")).unwrap();
    fs::write(folder.path().join("a/b/c"), "data").unwrap();
    fs::write(folder.path().join("gone"), "").unwrap();
    let mut first = files(judged);
    let file = first.handle(b"a/b/c").unwrap();
    let gone = first.handle(b"gone").unwrap();
    fs::rename(folder.path().join("a/b"), folder.path().join("moved")).unwrap();
    fs::remove_file(folder.path().join("gone")).unwrap();
    let again = |options| {
        let server = Server::new(folder.path(), options).unwrap();
        files(Judged { server, calls: Vec::new() })
    };
    let mut second = again(options());
    assert_eq!(second.call(|client| client.read(&file, 0, 9)).unwrap().data, b"data");
    assert_eq!(failure(&mut second, |client| client.attributes(&gone)), Status::STALE);
    let mut other = again(ExportOptions { key: [8; 32], ..options() });
    assert_eq!(failure(&mut other, |client| client.attributes(&file)), Status::STALE);
    // Another life's handle that is not stale but wrong: the proof does not fit.
    let mut forged = second.unmount().unwrap();
    let call = {
        let mut client = crate::judge::client();
        let mut bytes = client.attributes(&file).call.message.bytes;
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        bytes
    };
    let reply = warpscope_nfs::rpc::Answer::answer(&mut forged.server, &call).bytes;
    assert_eq!(&reply[24..], Status::BADHANDLE.0.to_be_bytes());
}

#[test]
fn a_folder_that_is_not_there_is_not_exported() {
    let failed = Server::new("/no/such/folder".as_ref(), options()).unwrap_err();
    assert!(failed.to_string().starts_with("cannot export /no/such/folder"));
}
