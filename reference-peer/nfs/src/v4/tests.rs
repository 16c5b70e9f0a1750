//! What RFC 8881, RFC 7862 and RFC 8276 leave to a server, and what tests/nfs4_text does not ask of ours.

use super::operation as op;
use super::types::{
    Bitmap, ChangeInfo, Channel, Claim, ClientOwner, CreateSession, ExchangeId, List, Lock, Locker,
    Making, Opaque, Open, Owner, Protection, Read, Sequence, SessionId, StateId, Stretch, Values,
    Write,
};
use crate::rpc::{Answer, Builder, CallHeader, Credential, Reader, begin_call, results_of};
use crate::xdr::Xdr;
use crate::{ExportOptions, NFS, Server, Status, VERSION_4};
use std::fs;
use tempfile::TempDir;

const READ: u32 = 1;
const WRITE: u32 = 2;
const NO_DELEGATION: u32 = 0x0400;
const STREAM: u64 = 7;
/// Operations of a COMPOUND, as they are put together.
#[derive(Default)]
struct Asked {
    count: u32,
    bytes: Builder,
}

impl Asked {
    fn with(mut self, operation: u32, arguments: &impl Xdr) -> Self {
        self.count += 1;
        self.bytes.word(operation).value(arguments);
        self
    }
}

/// Asks with no session: the status, and what follows it.
fn ask(server: &mut Server, stream: u64, minor: u32, asked: Asked) -> (Status, Vec<u8>) {
    let credential = &Credential::None;
    let header = CallHeader { xid: 1, program: NFS, version: VERSION_4, procedure: 1, credential };
    let mut call = begin_call(&header).expect("a call");
    call.opaque(b"tag").word(minor).word(asked.count).fixed(&asked.bytes.bytes);
    let reply = server.answer_on(stream, &call.finish().bytes).bytes;
    let mut results = results_of(&reply, 1).expect("a reply");
    let status = results.word("status").expect("a status");
    assert_eq!(results.opaque("tag", 100).expect("the tag"), b"tag");
    (Status(status), results.rest().to_vec())
}

/// A client with a session.
struct Client {
    session: SessionId,
    stream: u64,
    sequence: u32,
    cache: bool,
}

fn exchange(name: &str) -> ExchangeId {
    let client = ClientOwner { verifier: [1; 8], owner: Opaque(name.into()) };
    ExchangeId { client, flags: 0, protection: Protection::None, implementation: None }
}

fn create(client: u64, sequence: u32) -> CreateSession {
    let channel = Channel {
        request: 1 << 20,
        response: 1 << 20,
        cached: 4096,
        operations: 16,
        slots: 4,
        ..Channel::default()
    };
    CreateSession {
        client,
        sequence,
        flags: 2,
        fore: channel,
        back: channel,
        program: 0x4000_0000,
        security: List(vec![super::types::CallbackSecurity(Some(Credential::None))]),
    }
}

/// The client ID, and the sequence ID of the next CREATE_SESSION.
fn identify(server: &mut Server, name: &str) -> (u64, u32) {
    let asked = Asked::default().with(op::EXCHANGE_ID, &exchange(name));
    let (status, rest) = ask(server, STREAM, 1, asked);
    assert_eq!(status, Status::OK);
    let mut rest = Reader::new(&rest[12..]);
    let id = rest.long("client ID").expect("a client ID");
    (id, rest.word("sequence").expect("it"))
}

impl Client {
    fn unready(server: &mut Server, name: &str, stream: u64) -> Self {
        let (id, sequence) = identify(server, name);
        let asked = Asked::default().with(op::CREATE_SESSION, &create(id, sequence));
        let (status, rest) = ask(server, stream, 2, asked);
        assert_eq!(status, Status::OK);
        let session = Reader::new(&rest[12..]).value("session").expect("a session");
        Self { session, stream, sequence: 0, cache: true }
    }

    /// One that has nothing to reclaim.
    fn new(server: &mut Server, name: &str, stream: u64) -> Self {
        let mut new = Self::unready(server, name, stream);
        let asked = Asked::default().with(op::RECLAIM_COMPLETE, &false);
        assert_eq!(new.ask(server, asked).0, Status::OK);
        new
    }

    fn sequence(&self) -> Sequence {
        let (session, sequence, cache) = (self.session, self.sequence, self.cache);
        Sequence { session, sequence, slot: 0, highest: 0, cache }
    }

    /// The next request of slot 0, of version 4.2: the status, and the results of the last operation.
    fn ask(&mut self, server: &mut Server, asked: Asked) -> (Status, Vec<u8>) {
        self.sequence += 1;
        self.again(server, asked)
    }

    /// The last request again.
    fn again(&self, server: &mut Server, asked: Asked) -> (Status, Vec<u8>) {
        let mut all = Asked::default().with(op::SEQUENCE, &self.sequence());
        all.count += asked.count;
        all.bytes.fixed(&asked.bytes.bytes);
        let (status, rest) = ask(server, self.stream, 2, all);
        let mut rest = Reader::new(&rest);
        rest.word("count").expect("a count");
        if rest.word("operation") == Ok(op::SEQUENCE) && rest.word("status") == Ok(0) {
            rest.fixed::<36>("results of SEQUENCE").expect("them");
        }
        (status, rest.rest().to_vec())
    }
}

fn server() -> (TempDir, Server) {
    let folder = tempfile::tempdir().expect("a folder");
    let options = ExportOptions { write_verifier: [9; 8], ..ExportOptions::default() };
    let server = Server::new(folder.path(), options).expect("a server");
    (folder, server)
}

fn open_by(name: &str, access: u32, deny: u32, owner: &str) -> Open {
    let owner = Owner { client: 0, owner: Opaque(owner.into()) };
    let claim = Claim::Null(Opaque(name.into()));
    Open { sequence: 0, access, deny, owner, how: Making::No, claim }
}

fn made_by(name: &str, access: u32, owner: &str) -> Open {
    let how = Making::Unchecked(Values::default());
    Open { how, ..open_by(name, access, 0, owner) }
}

/// OPEN in the folder: the status; the state ID and the delegation's type and state ID.
fn open(
    client: &mut Client,
    server: &mut Server,
    open: &Open,
) -> Result<(StateId, u32, StateId), Status> {
    let asked = Asked::default().with(op::PUTROOTFH, &()).with(op::OPEN, open);
    let (status, rest) = client.ask(server, asked);
    if status != Status::OK {
        return Err(status);
    }
    let mut rest = Reader::new(&rest[8..]);
    rest.fixed::<8>("OPEN and its status").expect("them");
    let id = rest.value("state ID").expect("a state ID");
    let (_, _, _): (ChangeInfo, u32, Bitmap) = rest.value("results").expect("them");
    let kind = rest.word("delegation").expect("a type");
    let delegation = if kind == 1 { rest.value("state ID").expect("one") } else { id };
    Ok((id, kind, delegation))
}

fn at(name: &str) -> Asked {
    Asked::default().with(op::PUTROOTFH, &()).with(op::LOOKUP, &Opaque(name.into()))
}

fn last_word(rest: &[u8]) -> u32 {
    u32::from_be_bytes(*rest.last_chunk().expect("a word"))
}

/// RFC 8881 section 18.36.4: where there is no room for another session the result is NFS4ERR_NOSPC, which is kept as
/// any other; the next request has the next sequence ID.
#[test]
fn sessions_without_room_are_refused_for_good() {
    let (_folder, mut server) = server();
    let (id, mut sequence) = identify(&mut server, "a");
    let mut ask_for = |sequence| {
        let asked = Asked::default().with(op::CREATE_SESSION, &create(id, sequence));
        let (status, rest) = ask(&mut server, STREAM, 1, asked);
        (status, rest.get(12..28).map(<[u8]>::to_vec))
    };
    let mut first = None;
    let refused = loop {
        let (status, session) = ask_for(sequence);
        if status != Status::OK {
            break status;
        }
        first = first.or(session);
        sequence += 1;
    };
    assert_eq!(refused, Status::NOSPC);
    assert_eq!(ask_for(sequence).0, Status::NOSPC);
    let session = first.and_then(|id| <[u8; 16]>::try_from(id).ok()).expect("a session");
    let destroy = Asked::default().with(op::DESTROY_SESSION, &session);
    assert_eq!(ask(&mut server, STREAM, 1, destroy).0, Status::OK);
    let asked = Asked::default().with(op::CREATE_SESSION, &create(id, sequence + 1));
    assert_eq!(ask(&mut server, STREAM, 1, asked).0, Status::OK);
    assert_eq!(identify(&mut server, "a"), (id, sequence + 2));
}

/// What clients may have kept together is bounded too: 64 slots each leave no room for 256 clients of 16 sessions.
#[test]
fn slots_of_all_clients_are_bounded() {
    let (_folder, mut server) = server();
    let mut sessions = 0;
    let refused = 'all: loop {
        let (id, first) = identify(&mut server, &format!("client {sessions}"));
        for sequence in first..first + 8 {
            let mut asked = create(id, sequence);
            asked.fore.slots = 64;
            let asked = Asked::default().with(op::CREATE_SESSION, &asked);
            match ask(&mut server, STREAM, 1, asked).0 {
                Status::OK => sessions += 1,
                status => break 'all status,
            }
        }
    };
    assert_eq!((refused, sessions), (Status::NOSPC, 128));
}

/// RFC 8881 section 2.10.6.4: a reply that is to be kept is no longer than ca_maxresponsesize_cached.
#[test]
fn a_read_that_is_kept_returns_what_can_be_kept() {
    let (folder, mut server) = server();
    std::fs::write(folder.path().join("f"), vec![7; 100_000]).expect("a file");
    let mut client = Client::new(&mut server, "a", STREAM);
    let (id, ..) = open(&mut client, &mut server, &open_by("f", 1, 0, "o")).expect("a state");
    let mut read = |cache| {
        client.cache = cache;
        let read = Read { state: id, offset: 0, count: 65_536 };
        let (status, rest) = client.ask(&mut server, at("f").with(op::READ, &read));
        assert_eq!(status, Status::OK);
        rest.len()
    };
    assert!((1024..4096).contains(&read(true)));
    assert!(read(false) > 65_536);
}

// RFC 8881 sections 2.10.6.1 and 18.46: sessions, slots, exactly once.

/// RFC 8881 section 2.10.6.1.3: what was not to be kept may be missing, and SEQUENCE itself is not what says so.
#[test]
fn a_long_reply_that_is_not_to_be_kept_is_not() {
    let (folder, mut server) = server();
    fs::write(folder.path().join("file"), [7; 9000]).expect("a file");
    let mut client = Client::new(&mut server, "a", STREAM);
    client.cache = false;
    let read = || at("file").with(op::READ, &Read { count: 9000, ..Read::default() });
    let (status, rest) = client.ask(&mut server, read());
    assert_eq!((status, rest.len()), (Status::OK, 8 + 8 + 8 + 4 + 4 + 9000));
    let (status, rest) = client.again(&mut server, read());
    assert_eq!(status, Status::RETRY_UNCACHED_REP);
    assert_eq!(rest, [op::PUTROOTFH.to_be_bytes(), 10068_u32.to_be_bytes()].concat());
    client.cache = true;
    assert_eq!(client.ask(&mut server, read()).0, Status::OK);
}

/// The number of clients is bounded: those that said nothing for a lease make room.
#[test]
fn clients_that_are_silent_make_room_for_others() {
    use super::sessions::Sessions;
    use std::time::{Duration, Instant};
    let (mut sessions, begun) = (Sessions::default(), Instant::now());
    let mut count = 0;
    while sessions.exchange_id(&exchange(&format!("{count}")), begun).is_ok() {
        count += 1;
    }
    assert_eq!(count, 256);
    assert!(sessions.to_make_room(begun + Duration::from_secs(50)).is_empty());
    let later = begun + Duration::from_secs(70);
    let silent = sessions.to_make_room(later);
    assert_eq!(silent.len(), 256);
    silent.into_iter().for_each(|client| sessions.forget(client));
    sessions.exchange_id(&exchange("new"), later).expect("room");
}

// RFC 8881 sections 8.2, 9: opens and locks.

/// Where a text leaves the answer open (tests/nfs4_text takes any that it allows), these are ours.
#[test]
fn answers_that_are_left_to_the_server() {
    let (folder, mut server) = server();
    let (status, rest) = ask(&mut server, STREAM, 1, Asked::default().with(77, &()));
    assert_eq!((status, &rest[4..8]), (Status::OP_ILLEGAL, &10044_u32.to_be_bytes()[..]));
    let (mut one, mut two) =
        (Client::new(&mut server, "a", STREAM), Client::new(&mut server, "b", 8));
    // Who may write gets no delegation.
    let made = made_by("file", READ | WRITE, "o");
    let (first, kind, _) = open(&mut one, &mut server, &made).expect("it");
    assert_eq!(kind, 0);
    let (second, ..) = open(&mut two, &mut server, &made).expect("it");
    // LOCK4denied has the range that is locked.
    let lock = |open, offset, length| {
        let owner = Owner { client: 0, owner: Opaque("l".into()) };
        let locker = Locker::New { open, owner };
        at("file").with(op::LOCK, &Lock { kind: 2, reclaim: false, offset, length, locker })
    };
    assert_eq!(one.ask(&mut server, lock(first, 10, 10)).0, Status::OK);
    let (status, rest) = two.ask(&mut server, lock(second, 0, u64::MAX));
    assert_eq!(status, Status::DENIED);
    let mut denied = Reader::new(&rest[rest.len() - 36..]);
    assert_eq!((denied.long("offset"), denied.long("length")), (Ok(10), Ok(10)));
    // What an open of another client denies is locked for those who have not opened the file.
    fs::write(folder.path().join("denied"), b"text").expect("a file");
    open(&mut one, &mut server, &open_by("denied", READ, WRITE, "o")).expect("it");
    open(&mut two, &mut server, &open_by("denied", READ, 0, "o")).expect("reading is not denied");
    let write = Write { data: b"x".to_vec(), ..Write::default() };
    assert_eq!(two.ask(&mut server, at("denied").with(op::WRITE, &write)).0, Status::LOCKED);
    // A session that was made in version 4.2 is one of 4.1 too.
    one.sequence += 1;
    let asked = Asked::default().with(op::SEQUENCE, &one.sequence());
    assert_eq!(ask(&mut server, STREAM, 1, asked).0, Status::OK);
}

// RFC 8881 section 10.4: delegations.

#[test]
fn a_delegation_is_recalled_before_another_client_writes() {
    let (folder, mut server) = server();
    fs::write(folder.path().join("file"), b"text").expect("a file");
    let (mut one, mut two) =
        (Client::new(&mut server, "a", STREAM), Client::new(&mut server, "b", 8));
    let (_, kind, delegation) =
        open(&mut one, &mut server, &open_by("file", READ, 0, "o")).expect("it");
    assert_eq!(kind, 1, "a delegation for reading");
    let unwanted = open_by("file", READ | NO_DELEGATION, 0, "o");
    assert_eq!(open(&mut two, &mut server, &unwanted).expect("it").1, 3, "none, with a reason");
    assert!(server.backward().is_none());
    let write = open_by("file", WRITE, 0, "w");
    assert_eq!(open(&mut two, &mut server, &write), Err(Status::JUKEBOX));
    let (stream, call) = server.backward().expect("a call back");
    assert_eq!(stream, STREAM);
    // CB_COMPOUND: no tag, the minor version of the session, ident, two operations; CB_SEQUENCE of the session, 1, slot 0.
    let call = call.message.bytes;
    let body = &call[call.len() - (16 + 4 + 16 + 20 + 4 + 16 + 4 + 4 + 44)..];
    let mut body = Reader::new(body);
    assert_eq!(body.value::<(u64, u64)>("head"), Ok((2, 2)));
    assert_eq!(body.word("operation"), Ok(11));
    assert_eq!(body.fixed::<16>("session"), Ok(one.session));
    assert_eq!(body.value::<(u64, u64)>("sequence, slot"), Ok((1 << 32, 0)));
    assert_eq!((body.word("referring calls"), body.word("operation")), (Ok(0), Ok(4)));
    assert_eq!(body.value::<StateId>("state ID"), Ok(delegation));
    // It is asked for once, and until it is back nobody else writes.
    assert_eq!(open(&mut two, &mut server, &write), Err(Status::JUKEBOX));
    assert!(server.backward().is_none());
    server.replied(STREAM, None);
    let back = at("file").with(op::DELEGRETURN, &delegation);
    assert_eq!(one.ask(&mut server, back).0, Status::OK);
    open(&mut two, &mut server, &write).expect("it is back");
    let again = open(&mut one, &mut server, &open_by("file", READ, 0, "p")).expect("it");
    assert_eq!(again.1, 0, "none while somebody writes");
}

// RFC 7862 and RFC 8276: version 4.2.

#[test]
fn holes_are_found_made_and_read_as_holes() {
    let (folder, mut server) = server();
    let mut client = Client::new(&mut server, "a", STREAM);
    fs::write(folder.path().join("file"), vec![1; 3 * 65536]).expect("a file");
    let state = StateId::default();
    let hole = Stretch { state, offset: 65536, length: 65536 };
    let (status, _) = client.ask(&mut server, at("file").with(op::DEALLOCATE, &hole));
    assert_eq!(status, Status::OK);
    let seek = |offset: u64, what: u32| at("file").with(op::SEEK, &(state, offset, what));
    let (status, rest) = client.ask(&mut server, seek(0, 1));
    assert_eq!((status, last_word(&rest)), (Status::OK, 65536));
    let (status, rest) = client.ask(&mut server, seek(65536, 0));
    assert_eq!((status, last_word(&rest)), (Status::OK, 2 * 65536));
    assert_eq!(client.ask(&mut server, seek(3 * 65536, 0)).0, Status::NXIO);
    client.cache = false;
    let read = Read { state, offset: 65530, count: 65536 + 12 };
    let (status, rest) = client.ask(&mut server, at("file").with(op::READ_PLUS, &read));
    assert_eq!(status, Status::OK);
    let mut rest = Reader::new(&rest[24..]);
    assert_eq!((rest.word("eof"), rest.word("pieces")), (Ok(0), Ok(3)));
    assert_eq!((rest.word("data"), rest.long("offset")), (Ok(0), Ok(65530)));
    assert_eq!(rest.opaque("data", 100), Ok(&[1; 6][..]));
    assert_eq!((rest.word("hole"), rest.long("offset")), (Ok(1), Ok(65536)));
    assert_eq!((rest.long("length"), rest.word("data")), (Ok(65536), Ok(0)));
    assert_eq!((rest.long("offset"), rest.opaque("data", 100)), (Ok(2 * 65536), Ok(&[1; 6][..])));
    let more = Stretch { state, offset: 0, length: 4 * 65536 };
    assert_eq!(client.ask(&mut server, at("file").with(op::ALLOCATE, &more)).0, Status::OK);
    assert_eq!(fs::metadata(folder.path().join("file")).expect("it").len(), 4 * 65536);
}

/// RFC 8267 section 6.1: the data of each WRITE, wherever it stands.
#[test]
fn the_data_of_every_write_may_move_by_itself() {
    let (_folder, server) = server();
    let write = |data: &[u8]| Write { data: data.to_vec(), ..Write::default() };
    let asked = Asked::default().with(op::PUTROOTFH, &()).with(op::WRITE, &write(b"first"));
    let asked = asked.with(op::GETATTR, &Bitmap::of([1, 33])).with(op::WRITE, &write(b"second!!"));
    let credential = &Credential::None;
    let header = CallHeader { xid: 1, program: NFS, version: VERSION_4, procedure: 1, credential };
    let mut call = begin_call(&header).expect("a call");
    call.opaque(b"").word(2).word(asked.count).fixed(&asked.bytes.bytes);
    let call = call.finish().bytes;
    let find = |data: &[u8]| {
        let at = call.windows(data.len()).position(|window| window == data).expect("it");
        at..at + data.len()
    };
    assert!(server.may_take_out(&call, find(b"first")));
    assert!(server.may_take_out(&call, find(b"second!!")));
    let first = find(b"first");
    assert!(!server.may_take_out(&call, first.start..first.end - 1));
    assert!(!server.may_take_out(&call, first.start - 4..first.end));
}

// RFC 8881 sections 5, 18: attributes, directories, names.

fn exclusive(name: &str, verifier: u8) -> Open {
    let mode = Values { mask: Bitmap::of([33]), values: Opaque(0o600_u32.to_be_bytes().to_vec()) };
    let how = Making::ExclusiveWith([verifier; 8], mode);
    Open { how, ..open_by(name, WRITE, 0, "o") }
}

#[test]
fn an_exclusive_open_is_the_same_when_it_comes_again() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, mut server) = server();
    let mut client = Client::new(&mut server, "a", STREAM);
    let first = open(&mut client, &mut server, &exclusive("file", 1)).expect("it is made").0;
    let again = open(&mut client, &mut server, &exclusive("file", 1)).expect("it is the same").0;
    assert_eq!((first.other, again.sequence), (again.other, 2));
    assert_eq!(open(&mut client, &mut server, &exclusive("file", 2)), Err(Status::EXIST));
    let known = fs::metadata(folder.path().join("file")).expect("a file");
    assert_eq!(known.permissions().mode() & 0o777, 0o600);
    let guarded = Open { how: Making::Guarded(Values::default()), ..open_by("file", READ, 0, "o") };
    assert_eq!(open(&mut client, &mut server, &guarded), Err(Status::EXIST));
    // Times keep the verifier, and are not set beside it.
    let values = Values { mask: Bitmap::of([54]), values: Opaque(vec![0; 4]) };
    let timed = Open { how: Making::ExclusiveWith([3; 8], values), ..exclusive("new", 3) };
    assert_eq!(open(&mut client, &mut server, &timed), Err(Status::INVAL));
    assert_eq!(open(&mut client, &mut server, &open_by("none", READ, 0, "o")), Err(Status::NOENT));
    assert_eq!(open(&mut client, &mut server, &open_by("file", 0, 0, "o")), Err(Status::INVAL));
}

#[test]
fn attributes_are_set_whole_or_not_at_all() {
    let (folder, mut server) = server();
    fs::write(folder.path().join("file"), b"0123456789").expect("a file");
    let mut client = Client::new(&mut server, "a", STREAM);
    let mut set = |mask: &[u32], values: &[u8]| {
        let values =
            Values { mask: Bitmap::of(mask.iter().copied()), values: Opaque(values.to_vec()) };
        let asked = at("file").with(op::SETATTR, &(StateId::default(), values));
        let (status, rest) = client.ask(&mut server, asked);
        (status, rest[rest.len() - 4..].to_vec())
    };
    let size = 4_u64.to_be_bytes();
    assert_eq!(set(&[4], &size).0, Status::OK);
    assert_eq!(fs::read(folder.path().join("file")).expect("it"), b"0123");
    // What can be read alone, what there is not, what is too short or too long: and none is set.
    let none = vec![0; 4];
    assert_eq!(set(&[20], &size), (Status::INVAL, none.clone()));
    assert_eq!(set(&[12], &size), (Status::ATTRNOTSUPP, none.clone()));
    assert_eq!(set(&[4, 33], &size), (Status::BADXDR, none.clone()));
    assert_eq!(set(&[33], &size), (Status::BADXDR, none.clone()));
    assert_eq!(set(&[36], &[&[0, 0, 0, 4], &b"root"[..]].concat()), (Status::BADOWNER, none));
    let get = |mask: &[u32]| at("file").with(op::GETATTR, &Bitmap::of(mask.iter().copied()));
    let (_, rest) = client.ask(&mut server, get(&[4, 12]));
    let values: Values = Reader::new(&rest[24..]).value("attributes").expect("them");
    assert_eq!((values.mask, values.values.0), (Bitmap::of([4]), 4_u64.to_be_bytes().to_vec()));
    assert_eq!(client.ask(&mut server, get(&[48])).0, Status::INVAL);
    let same = Values { mask: Bitmap::of([4]), values: Opaque(4_u64.to_be_bytes().to_vec()) };
    let other = Values { values: Opaque(5_u64.to_be_bytes().to_vec()), ..same.clone() };
    for (operation, values, status) in [
        (op::VERIFY, &same, Status::OK),
        (op::VERIFY, &other, Status::NOT_SAME),
        (op::NVERIFY, &same, Status::SAME),
        (op::NVERIFY, &other, Status::OK),
    ] {
        assert_eq!(client.ask(&mut server, at("file").with(operation, values)).0, status);
    }
}

#[test]
fn handles_are_current_saved_and_used_up() {
    let (folder, mut server) = server();
    fs::create_dir(folder.path().join("d")).expect("a directory");
    fs::write(folder.path().join("d/file"), b"").expect("a file");
    let mut client = Client::new(&mut server, "a", STREAM);
    let mut status = |asked| client.ask(&mut server, asked).0;
    let empty = Asked::default;
    assert_eq!(status(empty().with(op::GETFH, &())), Status::NOFILEHANDLE);
    assert_eq!(status(empty().with(op::RESTOREFH, &())), Status::NOFILEHANDLE);
    assert_eq!(status(empty().with(op::PUTFH, &Opaque(vec![1; 20]))), Status::BADHANDLE);
    assert_eq!(status(at("d").with(op::LOOKUPP, &()).with(op::LOOKUPP, &())), Status::NOENT);
    let up = || at("d").with(op::LOOKUPP, &());
    assert_eq!(status(up().with(op::LOOKUP, &Opaque(b"d".to_vec()))), Status::OK);
    assert_eq!(status(at("d").with(op::SECINFO_NO_NAME, &0_u32)), Status::OK);
    let used = at("d").with(op::SECINFO_NO_NAME, &0_u32).with(op::GETFH, &());
    assert_eq!(status(used), Status::NOFILEHANDLE);
    for (name, expected) in [
        (&b""[..], Status::INVAL),
        (b".", Status::BADNAME),
        (b"..", Status::BADNAME),
        (b"a/b", Status::BADCHAR),
        (&[b'x'; 256], Status::NAMETOOLONG),
    ] {
        assert_eq!(status(up().with(op::LOOKUP, &Opaque(name.to_vec()))), expected, "{name:?}");
    }
    let below = at("d").with(op::LOOKUP, &Opaque(b"file".to_vec()));
    assert_eq!(status(below.with(op::LOOKUP, &Opaque(b"x".to_vec()))), Status::NOTDIR);
    let listed = |cookie, maximum| super::types::ReadDirectory {
        cookie,
        maximum,
        attributes: Bitmap::of([20]),
        ..Default::default()
    };
    assert_eq!(status(at("d").with(op::READDIR, &listed(0, 4096))), Status::OK);
    assert_eq!(status(at("d").with(op::READDIR, &listed(2, 4096))), Status::BAD_COOKIE);
    assert_eq!(status(at("d").with(op::READDIR, &listed(0, 16))), Status::TOOSMALL);
    assert_eq!(status(at("d").with(op::REMOVE, &Opaque(b"file".to_vec()))), Status::OK);
}
