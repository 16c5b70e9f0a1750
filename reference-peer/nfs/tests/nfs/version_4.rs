//! The client of version 4 and the server, with the dissector as judge of each call and reply.

use crate::judge::session;
use crate::prelude::*;
use warpscope_nfs::Status4;
use warpscope_nfs::client::{FilesError, Nfs4, ResultError};

fn begin(minor: u32) -> (tempfile::TempDir, Files<Nfs4<Judged>>) {
    let (folder, judged) = server();
    (folder, session(judged, minor, b"/").unwrap())
}

fn status<T: std::fmt::Debug>(outcome: Result<T, FilesError<std::convert::Infallible>>) -> Status {
    match outcome {
        Err(FilesError::Result(ResultError::Operation(status))) => status,
        other => panic!("it does not fail: {other:?}"),
    }
}

#[test]
fn files_are_put_got_and_listed() {
    for minor in [1, 2] {
        let (folder, mut files) = begin(minor);
        let data: Vec<u8> = (0..3_000_000_u32).map(|at| (at / 7) as u8).collect();
        assert_eq!(files.write(b"data", &mut data.as_slice()).unwrap(), data.len() as u64);
        assert_eq!(fs::read(folder.path().join("data")).unwrap(), data);
        let mut got = Vec::new();
        assert_eq!(files.read(b"/data", &mut got).unwrap(), data.len() as u64);
        assert!(got == data, "the data that came back");
        files.write(b"data", &mut &b"short"[..]).unwrap();
        assert_eq!(fs::read(folder.path().join("data")).unwrap(), b"short");
        files.write(b"empty", &mut &b""[..]).unwrap();
        let mut got = Vec::new();
        assert_eq!(files.read(b"empty", &mut got).unwrap(), 0);
        files.make_directory(b"many").unwrap();
        let names: Vec<String> =
            (0..700).map(|number| format!("a-longer-name-{number:04}")).collect();
        for name in &names {
            fs::write(folder.path().join("many").join(name), name).unwrap();
        }
        let mut listed = files.list(b"many").unwrap();
        listed.sort_by(|one, other| one.name.cmp(&other.name));
        let found: Vec<&[u8]> = listed.iter().map(|entry| entry.name.as_slice()).collect();
        assert_eq!(found, names.iter().map(String::as_bytes).collect::<Vec<_>>());
        assert!(listed.iter().all(|entry| entry.attributes.is_some_and(|known| known.size == 18)));
        files.unmount().unwrap();
    }
}

#[test]
fn names_are_made_moved_and_removed() {
    let (folder, mut files) = begin(1);
    let path = |name: &str| folder.path().join(name);
    files.make_directory(b"folder").unwrap();
    files.write(b"folder/one", &mut &b"text"[..]).unwrap();
    files.link(b"folder/one", b"two").unwrap();
    assert_eq!(files.attributes(b"two").unwrap().links, 2);
    files.make_link(b"soft", b"folder/one").unwrap();
    assert_eq!(files.read_link(b"soft").unwrap(), b"folder/one");
    assert_eq!(files.attributes(b"soft").unwrap().file_type, FileType::SymbolicLink);
    files.rename(b"two", b"folder/three").unwrap();
    assert_eq!(fs::read(path("folder/three")).unwrap(), b"text");
    assert_eq!(status(files.remove_directory(b"folder")), Status::NOTEMPTY);
    assert_eq!(status(files.remove(b"folder")), Status::ISDIR);
    assert_eq!(status(files.remove_directory(b"soft")), Status::NOTDIR);
    assert_eq!(status(files.remove(b"none")), Status::NOENT);
    assert_eq!(status(files.attributes(b"soft/x")), Status::SYMLINK);
    assert_eq!(status(files.read(b"folder", &mut Vec::new())), Status::ISDIR);
    for name in [&b"folder/one"[..], b"folder/three", b"soft"] {
        files.remove(name).unwrap();
    }
    files.remove_directory(b"folder").unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let known = files.attributes(b"/").unwrap();
    assert_eq!(known.file_type, FileType::Directory);
}

#[test]
fn holes_are_read_as_zeros() {
    let (folder, mut files) = begin(2);
    let file = fs::File::create(folder.path().join("file")).unwrap();
    use std::os::unix::fs::FileExt as _;
    file.write_all_at(b"begin", 0).unwrap();
    file.write_all_at(b"end", 5_000_000).unwrap();
    file.set_len(6_000_000).unwrap();
    let mut got = Vec::new();
    assert_eq!(files.read(b"file", &mut got).unwrap(), 6_000_000);
    assert!(got == fs::read(folder.path().join("file")).unwrap());
}

/// A path for the root; a server that has no such version.
#[test]
fn a_session_begins_at_a_path() {
    let (folder, judged) = server();
    fs::create_dir_all(folder.path().join("a/b")).unwrap();
    fs::write(folder.path().join("a/b/file"), b"text").unwrap();
    let mut files = session(judged, 2, b"/a/b").unwrap();
    assert_eq!(files.attributes(b"file").unwrap().size, 4);
    let (_folder, judged) = server();
    assert_eq!(status(session(judged, 1, b"/none").map(|_| ())), Status::NOENT);
    let (_folder, judged) = server();
    let none = session(judged, 3, b"/").map(|_| ());
    assert_eq!(status(none), Status::MINOR_VERS_MISMATCH);
    assert_eq!(Status4(Status::JUKEBOX).to_string(), "NFS4ERR_DELAY (not yet: try again later)");
}
