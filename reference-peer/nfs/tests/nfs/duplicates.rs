//! What cannot be done twice is done once, whoever asks again (RFC 1813 section 4.5).

use crate::prelude::*;
use warpscope_nfs::client::{Handle, Pending};
use warpscope_nfs::rpc::AuthSys;

/// A server, the handle of its root, and a client that gives that name, or none.
fn caller(machine: &str) -> (tempfile::TempDir, Server, Handle, Client) {
    let (folder, judged) = server();
    let mut files = files(judged);
    let root = files.handle(b"").unwrap();
    (folder, files.unmount().unwrap().server, root, numbering(machine))
}

/// A client whose first call has XID 9.
fn numbering(machine: &str) -> Client {
    let user = AuthSys { machine_name: machine.into(), ..AuthSys::default() };
    let credential = if machine.is_empty() { Credential::None } else { Credential::Sys(user) };
    Client::new(9, credential).unwrap()
}

/// The status that a call gets on a stream.
fn on<R>(server: &mut Server, stream: u64, call: &Pending<R>) -> Result<(), String> {
    let reply = server.answer_on(stream, &call.call.message.bytes).bytes;
    call.result(&reply).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn a_file_is_removed_once_and_the_repeat_is_told_so() {
    let (folder, mut server, root, mut client) = caller("here");
    fs::write(folder.path().join("f"), "1").unwrap();
    let remove = client.remove(&root, b"f");
    let first = server.answer_on(1, &remove.call.message.bytes);
    fs::write(folder.path().join("f"), "2").unwrap();
    // Also on the stream of a connection that was made again.
    for stream in [1, 1, 2] {
        assert_eq!(server.answer_on(stream, &remove.call.message.bytes), first);
    }
    server.gone(1);
    assert_eq!(server.answer(&remove.call.message.bytes), first);
    assert_eq!(fs::read(folder.path().join("f")).unwrap(), b"2");
    // Not a repeat: the same again with another XID.
    on(&mut server, 1, &client.remove(&root, b"f")).unwrap();
    assert!(!folder.path().join("f").exists());
}

#[test]
fn whatever_cannot_be_repeated_is_not() {
    let (folder, mut server, root, mut client) = caller("here");
    fs::write(folder.path().join("f"), "1").unwrap();
    let new = NewAttributes::default();
    let calls = [
        client.create(&root, b"guarded", true, &new).call.message.bytes,
        client.make_directory(&root, b"d", &new).call.message.bytes,
        client.make_link(&root, b"l", b"target", &new).call.message.bytes,
        client.rename((&root, b"f"), (&root, b"g")).call.message.bytes,
        client.remove_directory(&root, b"d").call.message.bytes,
    ];
    let first: Vec<_> = calls.iter().map(|call| server.answer_on(1, call)).collect();
    for (call, reply) in calls.iter().zip(&first) {
        // Accepted, carried out, NFS3_OK.
        assert_eq!(accepted(&reply.bytes).unwrap().1[..4], [0; 4]);
        assert_eq!(&server.answer_on(1, call), reply);
    }
    let link = client.link(&found(&mut server, &root, b"g"), &root, b"h");
    for _ in 0..2 {
        on(&mut server, 1, &link).unwrap();
    }
    // The guard is when it was last changed: a repeat would find another time.
    let file = found(&mut server, &root, b"g");
    let get = client.attributes(&file);
    let reply = server.answer(&get.call.message.bytes).bytes;
    let guard = Some(get.result(&reply).unwrap().changed);
    let mode = NewAttributes { mode: Some(0o600), ..new };
    let set = client.set_attributes(&file, &mode, guard);
    for _ in 0..2 {
        on(&mut server, 1, &set).unwrap();
    }
}

fn found(server: &mut Server, directory: &Handle, name: &[u8]) -> Handle {
    let lookup = numbering("other").lookup(directory, name);
    let reply = server.answer(&lookup.call.message.bytes).bytes;
    lookup.result(&reply).unwrap().handle
}

#[test]
fn an_exclusive_file_stays_made_after_its_times_are_set() {
    let (folder, mut server, root, mut client) = caller("here");
    let create = client.create_exclusive(&root, b"x", *b"verifier");
    let first = server.answer_on(1, &create.call.message.bytes);
    // The client sets the times, where the verifier may be kept.
    let (file, now) = (found(&mut server, &root, b"x"), std::time::SystemTime::now());
    fs::File::options()
        .write(true)
        .open(folder.path().join("x"))
        .unwrap()
        .set_times(fs::FileTimes::new().set_accessed(now).set_modified(now))
        .unwrap();
    assert_eq!(server.answer_on(1, &create.call.message.bytes), first);
    assert_eq!(found(&mut server, &root, b"x"), file);
    let other = on(&mut server, 1, &client.create_exclusive(&root, b"x", *b"verifier"));
    assert!(other.unwrap_err().contains("EXIST"));
}

#[test]
fn another_call_with_the_same_xid_is_carried_out() {
    let (folder, mut server, root, mut client) = caller("here");
    for name in ["a", "b", "c"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    on(&mut server, 1, &client.remove(&root, b"a")).unwrap();
    // Other arguments, another procedure, another host.
    on(&mut server, 1, &numbering("here").remove(&root, b"b")).unwrap();
    assert!(!folder.path().join("b").exists());
    let new = NewAttributes::default();
    on(&mut server, 1, &numbering("here").make_directory(&root, b"a", &new)).unwrap();
    assert!(folder.path().join("a").is_dir());
    on(&mut server, 1, &numbering("here").remove(&root, b"c")).unwrap();
    let there = on(&mut server, 1, &numbering("there").remove(&root, b"c"));
    assert!(there.unwrap_err().contains("NOENT"));
}

#[test]
fn who_gives_no_name_is_known_by_its_stream() {
    let (folder, mut server, root, mut client) = caller("");
    let path = folder.path().join("f");
    let remove = client.remove(&root, b"f");
    let again = |server: &mut Server, stream| {
        fs::write(&path, "").unwrap();
        on(server, stream, &remove).unwrap();
        !path.exists()
    };
    assert!(again(&mut server, 1));
    assert!(!again(&mut server, 1), "a repeat");
    assert!(again(&mut server, 2), "somebody else");
    server.gone(1);
    assert!(again(&mut server, 1), "somebody else who has its number now");
    // Nobody knows who calls.
    fs::write(&path, "").unwrap();
    server.answer(&remove.call.message.bytes);
    assert!(!path.exists());
}

#[test]
fn what_can_be_repeated_is_carried_out_again() {
    let (folder, mut server, root, mut client) = caller("here");
    fs::write(folder.path().join("f"), "old").unwrap();
    let file = found(&mut server, &root, b"f");
    let read = client.read(&file, 0, 3);
    on(&mut server, 1, &read).unwrap();
    fs::write(folder.path().join("f"), "new").unwrap();
    let reply = server.answer_on(1, &read.call.message.bytes).bytes;
    assert_eq!(read.result(&reply).unwrap().data, b"new");
}
