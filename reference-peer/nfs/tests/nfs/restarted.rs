//! Handles after the server was started again.

use crate::judge::{Judged, failure, files, options, server};
use std::fs;
use warpscope_nfs::{ExportOptions, Server, Status};

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
