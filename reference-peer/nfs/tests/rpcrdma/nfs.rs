//! NFS over RPC-over-RDMA, in memory: a folder that is exported, mounted and used.

use crate::prelude::*;
use std::cell::RefCell;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use warpscope_nfs::client::{Callbacks, Client, Files, FilesError, Nfs, Session, SessionConfig};
use warpscope_nfs::rpc::Credential;
use warpscope_nfs::{ExportOptions, Server};

/// Who answers at a side: the server, or the client's callback program.
enum Side {
    Serving(Rc<RefCell<Server>>),
    Calling(Callbacks),
}

impl Answer for Side {
    fn answer(&mut self, call: &[u8]) -> RpcMessage {
        self.answer_on(0, call)
    }

    fn answer_on(&mut self, stream: u64, call: &[u8]) -> RpcMessage {
        match self {
            Self::Serving(server) => server.borrow_mut().answer_on(stream, call),
            Self::Calling(callbacks) => callbacks.answer_on(stream, call),
        }
    }

    fn may_take_out(&self, call: &[u8], item: Range<usize>) -> bool {
        match self {
            Self::Serving(server) => server.borrow().may_take_out(call, item),
            Self::Calling(callbacks) => callbacks.may_take_out(call, item),
        }
    }

    fn backward(&mut self) -> Option<(u64, OutgoingCall)> {
        match self {
            Self::Serving(server) => server.borrow_mut().backward(),
            Self::Calling(callbacks) => callbacks.backward(),
        }
    }

    fn replied(&mut self, stream: u64, reply: Option<&[u8]>) {
        match self {
            Self::Serving(server) => server.borrow_mut().replied(stream, reply),
            Self::Calling(callbacks) => callbacks.replied(stream, reply),
        }
    }
}

/// A session over a pair whose server exports a folder.
struct Mounted(RpcPair<Side>);

impl Session for Mounted {
    type Error = CallFailure;

    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, CallFailure> {
        self.0.call(INITIATOR, call);
        self.0.run();
        let (_, ended) = self.0.ended[INITIATOR].pop().expect("a call that ended");
        ended.map(ReducedReply::whole_with_last)
    }
}

/// A server of a folder, a session to it, and what answers its calls.
fn mounted(
    folder: &Path,
    form: CallForm,
    threshold: u32,
) -> (Rc<RefCell<Server>>, Mounted, Callbacks) {
    let sizes = |it| RpcRdmaConfig { send_size: threshold, receive_size: threshold, ..it };
    let client = RpcRdmaConfig { form, ..sizes(RpcRdmaConfig::client(2)) };
    let server = sizes(RpcRdmaConfig::server(8));
    let export = Server::new(folder, ExportOptions::default()).unwrap();
    let (export, callbacks) = (Rc::new(RefCell::new(export)), Callbacks::default());
    let sides = [Side::Calling(callbacks.clone()), Side::Serving(export.clone())];
    let pair = RpcPair::answering([client, server], |_| {}, sides);
    (export, Mounted(pair), callbacks)
}

fn client() -> Client {
    Client::new(1, Credential::default()).unwrap()
}

fn config(minor: u32, owner: &str) -> SessionConfig {
    // The least inline threshold without the header of the transport.
    let (owner, verifier, longest_callback) = (owner.into(), [1; 8], Some(1024 - 28));
    SessionConfig { minor, owner, verifier, longest_callback }
}

#[test]
fn a_folder_is_used_in_every_form_of_call_and_every_version() {
    for form in [CallForm::Shortest, CallForm::Chunked, CallForm::Long] {
        for threshold in [1024, 4096] {
            for minor in [None, Some(1), Some(2)] {
                let what = format!("{form:?}, {threshold}, {minor:?}");
                let folder = tempfile::tempdir().unwrap();
                let (_, session, callbacks) = mounted(folder.path(), form, threshold);
                match minor {
                    None => used(Files::mount(session, client(), b"/").unwrap(), &folder, &what),
                    Some(minor) => {
                        let config = config(minor, "a");
                        let files = Files::begin(session, client(), &config, callbacks, b"/");
                        used(files.unwrap(), &folder, &what);
                    }
                }
            }
        }
    }
}

fn used<N: Nfs<Session = Mounted>>(mut files: Files<N>, folder: &tempfile::TempDir, what: &str) {
    let data: Vec<u8> = (0..200_003_u32).map(|at| (at % 251) as u8).collect();
    files.make_directory(b"/a folder").unwrap();
    for length in [0, 1, 2, 3, 900, 1000, 200_003] {
        let name = format!("/a folder/file {length}");
        let put = &data[..length];
        files.write(name.as_bytes(), &mut &put[..]).unwrap();
        assert_eq!(fs::read(folder.path().join(&name[1..])).unwrap(), put);
        let mut got = Vec::new();
        files.read(name.as_bytes(), &mut got).unwrap();
        assert_eq!(got, put, "{what}: {length}");
    }
    files.make_link(b"/link", b"a folder").unwrap();
    assert_eq!(files.read_link(b"/link").unwrap(), b"a folder");
    files.rename(b"/a folder/file 1", b"/one").unwrap();
    files.link(b"/one", b"/two").unwrap();
    files.remove(b"/a folder/file 2").unwrap();
    assert_eq!(files.list(b"/a folder").unwrap().len(), 5);
    assert!(files.read_link(b"/one").is_err());
    let Mounted(mut pair) = files.unmount().unwrap();
    pair.close_clean(what);
}

/// Another client, which calls the server at once, and does not wait.
struct Other(Rc<RefCell<Server>>);

impl Session for Other {
    type Error = &'static str;

    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, Self::Error> {
        Ok(self.0.borrow_mut().answer_on(99, &call.message.bytes).bytes)
    }

    fn wait(&mut self, _: std::time::Duration) -> Result<(), Self::Error> {
        Err("asked to wait")
    }
}

/// Takes what is read, and has the other client write the same file meanwhile.
struct Meanwhile {
    server: Rc<RefCell<Server>>,
    minor: u32,
    /// What the other client came to, each time.
    came_to: Vec<Result<u64, String>>,
}

impl Write for Meanwhile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let owner = format!("other {}", self.came_to.len());
        let (session, config) = (Other(self.server.clone()), config(self.minor, &owner));
        let mut files =
            Files::begin(session, client(), &config, Callbacks::default(), b"/").unwrap();
        let written = files.write(b"file", &mut &b"new"[..]);
        self.came_to.push(written.map_err(|error| match error {
            FilesError::Session(why) => why.to_owned(),
            other => other.to_string(),
        }));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// RFC 8881 sections 10.4.5, 20.2: who holds a delegation gives it back when it is recalled, amid what it does.
#[test]
fn a_delegation_is_given_back_when_it_is_recalled() {
    for minor in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let content = vec![7; (2 << 20) + 5];
        fs::write(folder.path().join("file"), &content).unwrap();
        let (server, session, callbacks) = mounted(folder.path(), CallForm::Shortest, 4096);
        let config = config(minor, "reader");
        let files = Files::begin(session, client(), &config, callbacks.clone(), b"/");
        let mut files = files.unwrap();
        let came_to = Vec::new();
        let mut meanwhile = Meanwhile { server, minor, came_to };
        files.read(b"file", &mut meanwhile).unwrap();
        // The first time the delegation is in the way; it is recalled, and given back before more is read.
        let [first, second, ..] = &meanwhile.came_to[..] else { panic!("{minor}: read at once") };
        assert_eq!(first, &Err("asked to wait".to_owned()), "4.{minor}");
        assert_eq!(second, &Ok(3), "4.{minor}");
        assert_eq!(callbacks.recalls(), 1, "4.{minor}");
        assert_eq!(fs::read(folder.path().join("file")).unwrap(), b"new");
        let Mounted(mut pair) = files.unmount().unwrap();
        pair.close_clean(&format!("a recall, 4.{minor}"));
    }
}

/// Without a back channel nothing could be recalled: there are no delegations.
#[test]
fn without_a_back_channel_there_is_no_delegation() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), vec![7; 3 << 20]).unwrap();
    let (server, session, callbacks) = mounted(folder.path(), CallForm::Shortest, 4096);
    let config = SessionConfig { longest_callback: None, ..config(2, "reader") };
    let mut files = Files::begin(session, client(), &config, callbacks.clone(), b"/").unwrap();
    let came_to = Vec::new();
    let mut meanwhile = Meanwhile { server, minor: 2, came_to };
    files.read(b"file", &mut meanwhile).unwrap();
    assert_eq!(meanwhile.came_to[0], Ok(3));
    assert_eq!(callbacks.recalls(), 0);
    files.unmount().unwrap().0.close_clean("no back channel");
}
