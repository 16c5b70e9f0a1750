//! A session to a server in which the dissector reads every call and reply.

use crate::prelude::*;
use tempfile::TempDir;
use warpscope_dissector::field::Field;
use warpscope_dissector::nfs::{Datum, Place, Visit, walk};
use warpscope_nfs::client::{
    Callbacks, FilesError, Nfs3, Nfs4, Pending, ResultError, Session, SessionConfig,
};
use warpscope_nfs::rpc::{AuthSys, OutgoingCall, RpcMessage};
use warpscope_wire::rpc::{ReplyBody, RpcView};

pub(crate) struct Judged {
    pub(crate) server: Server,
    pub(crate) calls: Vec<Vec<u8>>,
}

/// Listens for bytes after the end.
#[derive(Default)]
struct Ends(bool);

impl Visit for Ends {
    fn value(&mut self, field: &'static Field, _: Datum<'_>, _: Option<Place>) {
        self.0 |= field.name == "nfs.left_over";
    }
}

/// The call's procedure, and where its arguments begin.
pub(crate) fn procedure(call: &[u8]) -> (Procedure, usize) {
    let Ok((RpcView::Call(view), arguments)) = RpcView::parse(call) else { panic!("no call") };
    let (program, version) = (view.program, view.program_version);
    let procedure = Procedure { program, version, procedure: view.procedure };
    (procedure, call.len() - arguments.len())
}

/// Panics when the dissector cannot read arguments or results, or finds bytes after them.
pub(crate) fn judge(procedure: &Procedure, direction: Direction, bytes: &[u8]) {
    let mut ends = Ends::default();
    let walked = walk(procedure, direction, &Body::new(bytes), &mut ends);
    assert!(walked.is_ok(), "{procedure:?} {direction:?}: {walked:?} in {bytes:02x?}");
    assert!(!ends.0, "{procedure:?} {direction:?}: bytes after the end");
}

/// The accept status and the results; `None` for a denied call.
pub(crate) fn accepted(reply: &[u8]) -> Option<(u32, &[u8])> {
    match RpcView::parse(reply) {
        Ok((RpcView::Reply(view), results)) => match view.body {
            ReplyBody::Accepted { accept_status, .. } => Some((accept_status, results)),
            _ => None,
        },
        other => panic!("no reply: {other:?}"),
    }
}

/// Panics when the items that may move by themselves are not where and what they must be.
fn judge_items(message: &RpcMessage) {
    for item in &message.eligible {
        let length = &message.bytes[item.start - 4..item.start];
        assert_eq!(u32::from_be_bytes(length.try_into().unwrap()) as usize, item.len());
        assert!(item.end.next_multiple_of(4) <= message.bytes.len());
    }
}

impl Session for Judged {
    type Error = std::convert::Infallible;

    fn call(&mut self, call: OutgoingCall) -> Result<Vec<u8>, Self::Error> {
        let bytes = &call.message.bytes;
        let (procedure, arguments) = procedure(bytes);
        judge(&procedure, Direction::Call, &bytes[arguments..]);
        judge_items(&call.message);
        self.calls.push(bytes.clone());
        for at in 0..bytes.len().min(400) {
            let item = call.message.eligible.iter().find(|item| item.start == at);
            let end = item.map_or(at + 4, |item| item.end);
            let may = self.server.may_take_out(bytes, at..end);
            assert_eq!(may, item.is_some(), "{procedure:?}: {at}..{end}");
        }
        let reply = self.server.answer(bytes);
        let (status, results) = accepted(&reply.bytes).unwrap();
        assert_eq!(status, 0, "{procedure:?}");
        judge(&procedure, Direction::Reply, results);
        judge_items(&reply);
        assert!(reply.bytes.len() <= call.longest_reply, "{procedure:?}: reply too long");
        // What is offered no chunk of its own comes inline or in the reply chunk.
        let offered = reply.eligible.get(..call.result_room.len()).unwrap_or(&reply.eligible);
        assert!(offered.len() == reply.eligible.len() || offered.is_empty());
        for (item, room) in offered.iter().zip(&call.result_room) {
            assert!(item.len() <= *room as usize);
        }
        let moved: usize = offered.iter().map(|item| item.len().next_multiple_of(4)).sum();
        assert!(reply.bytes.len() - moved <= call.longest_reduced_reply());
        Ok(reply.bytes)
    }
}

/// A server over a new folder.
pub(crate) fn server() -> (TempDir, Judged) {
    let folder = TempDir::new().unwrap();
    let server = Server::new(folder.path(), options()).unwrap();
    (folder, Judged { server, calls: Vec::new() })
}

pub(crate) fn options() -> ExportOptions {
    ExportOptions { key: [7; 32], write_verifier: *b"verifier", ..ExportOptions::default() }
}

pub(crate) fn client() -> Client {
    let user = AuthSys { machine_name: b"here".to_vec(), user: 1000, ..AuthSys::default() };
    Client::new(0xffff_fffe, Credential::Sys(user)).unwrap()
}

/// Files over a server of a new folder, mounted.
pub(crate) fn mounted() -> (TempDir, Files<Nfs3<Judged>>) {
    let (folder, judged) = server();
    (folder, files(judged))
}

/// Files over a server, mounted.
pub(crate) fn files(judged: Judged) -> Files<Nfs3<Judged>> {
    Files::mount(judged, client(), b"/").unwrap()
}

/// The status with which a call fails.
pub(crate) fn failure<R: std::fmt::Debug>(
    files: &mut Files<Nfs3<Judged>>,
    call: impl FnOnce(&mut Client) -> Pending<R>,
) -> Status {
    match files.call(call) {
        Err(FilesError::Result(ResultError::Failed(status))) => status,
        other => panic!("it does not fail: {other:?}"),
    }
}

pub(crate) type Begun = Result<Files<Nfs4<Judged>>, FilesError<std::convert::Infallible>>;

/// Files over a session of that minor version, without a back channel.
pub(crate) fn session(judged: Judged, minor: u32, path: &[u8]) -> Begun {
    let (owner, verifier, longest_callback) = (b"owner".to_vec(), [1; 8], None);
    let config = SessionConfig { minor, owner, verifier, longest_callback };
    Files::begin(judged, client(), &config, Callbacks::default(), path)
}
