//! A server with a folder, clients with their sessions, and the operations that most tests use.

pub(crate) use crate::xdr::{Ops, Reply, Stateid};
use std::path::PathBuf;
use warpscope_nfs::rpc::Answer as _;
use warpscope_nfs::{ExportOptions, Server};

/// Operations (RFC 8881 section 16.2.1, RFC 7862 section 15, RFC 8276 section 8.4).
pub(crate) mod op {
    pub(crate) const ACCESS: u32 = 3;
    pub(crate) const CLOSE: u32 = 4;
    pub(crate) const COMMIT: u32 = 5;
    pub(crate) const CREATE: u32 = 6;
    pub(crate) const GETATTR: u32 = 9;
    pub(crate) const GETFH: u32 = 10;
    pub(crate) const LINK: u32 = 11;
    pub(crate) const LOCK: u32 = 12;
    pub(crate) const LOCKT: u32 = 13;
    pub(crate) const LOCKU: u32 = 14;
    pub(crate) const LOOKUP: u32 = 15;
    pub(crate) const LOOKUPP: u32 = 16;
    pub(crate) const NVERIFY: u32 = 17;
    pub(crate) const OPEN: u32 = 18;
    pub(crate) const OPEN_DOWNGRADE: u32 = 21;
    pub(crate) const PUTFH: u32 = 22;
    pub(crate) const PUTROOTFH: u32 = 24;
    pub(crate) const READ: u32 = 25;
    pub(crate) const READDIR: u32 = 26;
    pub(crate) const READLINK: u32 = 27;
    pub(crate) const REMOVE: u32 = 28;
    pub(crate) const RENAME: u32 = 29;
    pub(crate) const RESTOREFH: u32 = 31;
    pub(crate) const SAVEFH: u32 = 32;
    pub(crate) const SETATTR: u32 = 34;
    pub(crate) const VERIFY: u32 = 37;
    pub(crate) const WRITE: u32 = 38;
    pub(crate) const BIND_CONN_TO_SESSION: u32 = 41;
    pub(crate) const EXCHANGE_ID: u32 = 42;
    pub(crate) const CREATE_SESSION: u32 = 43;
    pub(crate) const DESTROY_SESSION: u32 = 44;
    pub(crate) const FREE_STATEID: u32 = 45;
    pub(crate) const SEQUENCE: u32 = 53;
    pub(crate) const TEST_STATEID: u32 = 55;
    pub(crate) const DESTROY_CLIENTID: u32 = 57;
    pub(crate) const RECLAIM_COMPLETE: u32 = 58;
    pub(crate) const ILLEGAL: u32 = 10044;
    pub(crate) const ALLOCATE: u32 = 59;
    pub(crate) const COPY: u32 = 60;
    pub(crate) const DEALLOCATE: u32 = 62;
    pub(crate) const IO_ADVISE: u32 = 63;
    pub(crate) const READ_PLUS: u32 = 68;
    pub(crate) const SEEK: u32 = 69;
    pub(crate) const CLONE: u32 = 71;
    pub(crate) const GETXATTR: u32 = 72;
    pub(crate) const SETXATTR: u32 = 73;
    pub(crate) const LISTXATTRS: u32 = 74;
    pub(crate) const REMOVEXATTR: u32 = 75;
}

/// Statuses (RFC 8881 section 15.1, RFC 7862 section 11, RFC 8276 section 8.5).
pub(crate) mod err {
    pub(crate) const OK: u32 = 0;
    pub(crate) const NOENT: u32 = 2;
    pub(crate) const NXIO: u32 = 6;
    pub(crate) const EXIST: u32 = 17;
    pub(crate) const NOTDIR: u32 = 20;
    pub(crate) const ISDIR: u32 = 21;
    pub(crate) const INVAL: u32 = 22;
    pub(crate) const NAMETOOLONG: u32 = 63;
    pub(crate) const NOTEMPTY: u32 = 66;
    pub(crate) const STALE: u32 = 70;
    pub(crate) const BADHANDLE: u32 = 10001;
    pub(crate) const BAD_COOKIE: u32 = 10003;
    pub(crate) const NOTSUPP: u32 = 10004;
    pub(crate) const TOOSMALL: u32 = 10005;
    pub(crate) const BADTYPE: u32 = 10007;
    pub(crate) const DELAY: u32 = 10008;
    pub(crate) const SAME: u32 = 10009;
    pub(crate) const DENIED: u32 = 10010;
    pub(crate) const LOCKED: u32 = 10012;
    pub(crate) const GRACE: u32 = 10013;
    pub(crate) const SHARE_DENIED: u32 = 10015;
    pub(crate) const NOFILEHANDLE: u32 = 10020;
    pub(crate) const MINOR_VERS_MISMATCH: u32 = 10021;
    pub(crate) const STALE_CLIENTID: u32 = 10022;
    pub(crate) const OLD_STATEID: u32 = 10024;
    pub(crate) const BAD_STATEID: u32 = 10025;
    pub(crate) const NOT_SAME: u32 = 10027;
    pub(crate) const LOCK_RANGE: u32 = 10028;
    pub(crate) const SYMLINK: u32 = 10029;
    pub(crate) const RESTOREFH: u32 = 10030;
    pub(crate) const ATTRNOTSUPP: u32 = 10032;
    pub(crate) const NO_GRACE: u32 = 10033;
    pub(crate) const BADXDR: u32 = 10036;
    pub(crate) const LOCKS_HELD: u32 = 10037;
    pub(crate) const OPENMODE: u32 = 10038;
    pub(crate) const BADCHAR: u32 = 10040;
    pub(crate) const BADNAME: u32 = 10041;
    pub(crate) const OP_ILLEGAL: u32 = 10044;
    pub(crate) const FILE_OPEN: u32 = 10046;
    pub(crate) const BADSESSION: u32 = 10052;
    pub(crate) const BADSLOT: u32 = 10053;
    pub(crate) const COMPLETE_ALREADY: u32 = 10054;
    pub(crate) const SEQ_MISORDERED: u32 = 10063;
    pub(crate) const SEQUENCE_POS: u32 = 10064;
    pub(crate) const REQ_TOO_BIG: u32 = 10065;
    pub(crate) const REP_TOO_BIG: u32 = 10066;
    pub(crate) const REP_TOO_BIG_TO_CACHE: u32 = 10067;
    pub(crate) const RETRY_UNCACHED_REP: u32 = 10068;
    pub(crate) const TOO_MANY_OPS: u32 = 10070;
    pub(crate) const OP_NOT_IN_SESSION: u32 = 10071;
    pub(crate) const CLIENTID_BUSY: u32 = 10074;
    pub(crate) const SEQ_FALSE_RETRY: u32 = 10076;
    pub(crate) const BAD_HIGH_SLOT: u32 = 10077;
    pub(crate) const NOT_ONLY_OP: u32 = 10081;
    pub(crate) const WRONG_TYPE: u32 = 10083;
    pub(crate) const NOXATTR: u32 = 10095;
}

/// Attributes (RFC 8881 sections 5.6 and 5.7).
pub(crate) mod attr {
    pub(crate) const SUPPORTED_ATTRS: u32 = 0;
    pub(crate) const TYPE: u32 = 1;
    pub(crate) const CHANGE: u32 = 3;
    pub(crate) const SIZE: u32 = 4;
    pub(crate) const RDATTR_ERROR: u32 = 11;
    pub(crate) const FILEID: u32 = 20;
    pub(crate) const MODE: u32 = 33;
    pub(crate) const NUMLINKS: u32 = 35;
    pub(crate) const TIME_ACCESS_SET: u32 = 48;
}

pub(crate) const READ_LT: u32 = 1;
pub(crate) const WRITE_LT: u32 = 2;
/// A length that goes on to the end of the file.
pub(crate) const TO_END: u64 = u64::MAX;

/// A server and its folder.
pub(crate) struct Lab {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) server: Server,
    /// The connection that calls come on.
    pub(crate) stream: u64,
    /// Whether calls come on a connection on which nobody can be called back.
    pub(crate) no_back_channel: bool,
    xid: u32,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::new(folder.path(), ExportOptions::default()).unwrap();
        Self { folder, server, stream: 1, no_back_channel: false, xid: 0x4e46_5304 }
    }

    /// With a client of minor version 1 that may open files.
    pub(crate) fn with_client() -> (Self, Client) {
        let mut lab = Self::new();
        let client = lab.client(1, b"one");
        (lab, client)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file that nobody opened.
    pub(crate) fn file(&self, name: &str, data: &[u8]) {
        std::fs::write(self.path(name), data).unwrap();
    }

    /// The reply to the call of a COMPOUND, as bytes.
    pub(crate) fn bytes(&mut self, minor: u32, tag: &[u8], ops: &Ops) -> Vec<u8> {
        self.xid += 1;
        // XID, CALL, RPC version 2, NFS, version 4, COMPOUND, AUTH_NONE twice (RFC 5531 section 9).
        let head = Ops::default().words(&[self.xid, 0, 2, 100_003, 4, 1, 0, 0, 0, 0]);
        let call = head.opaque(tag).words(&[minor, ops.count]).raw(&ops.bytes);
        if self.no_back_channel {
            return self.server.answer(&call.bytes).bytes;
        }
        self.server.answer_on(self.stream, &call.bytes).bytes
    }

    /// A COMPOUND of just these operations.
    pub(crate) fn compound(&mut self, minor: u32, ops: &Ops) -> Reply {
        let bytes = self.bytes(minor, b"", ops);
        Reply::new(self.xid, bytes)
    }

    pub(crate) fn tagged(&mut self, tag: &[u8], ops: &Ops) -> Reply {
        let bytes = self.bytes(1, tag, ops);
        Reply::new(self.xid, bytes)
    }

    /// A client ID that is not confirmed, and the sequence ID that confirms it.
    pub(crate) fn exchange_id(&mut self, owner: &[u8], verifier: u64) -> (u64, u32) {
        let mut reply = self.compound(1, &exchange_id(owner, verifier, 0));
        reply.ok(op::EXCHANGE_ID);
        (reply.long(), reply.word())
    }

    /// A session for a client ID.
    pub(crate) fn session(&mut self, minor: u32, id: u64, sequence: u32) -> Client {
        let mut reply = self.compound(minor, &create_session(id, sequence));
        let session = reply.ok(op::CREATE_SESSION).raw();
        Client { minor, id, session, sequence: 0, create: sequence }
    }

    /// A client with a session that has nothing to reclaim.
    pub(crate) fn client(&mut self, minor: u32, owner: &[u8]) -> Client {
        let (id, sequence) = self.exchange_id(owner, 1);
        let mut client = self.session(minor, id, sequence);
        let done = Ops::default().op(op::RECLAIM_COMPLETE).word(0);
        assert_eq!(self.last(&mut client, done), err::OK);
        client
    }

    /// The reply to operations after a SEQUENCE of the first slot, which succeeds.
    pub(crate) fn run(&mut self, client: &mut Client, ops: Ops) -> Reply {
        client.sequence += 1;
        let sequence = client.sequence(0, client.sequence, 0, true);
        let mut reply = self.compound(client.minor, &sequence.then(ops));
        reply.ok(op::SEQUENCE);
        assert_eq!(reply.raw(), client.session);
        assert_eq!((reply.word(), reply.word()), (client.sequence, 0), "sequence ID and slot");
        reply.raw::<12>();
        reply
    }

    /// The status of the last of these operations. All before it succeed.
    pub(crate) fn last(&mut self, client: &mut Client, ops: Ops) -> u32 {
        let count = ops.count;
        let reply = self.run(client, ops);
        assert_eq!(reply.count, count + 1, "all are executed, the last one is {}", reply.status);
        reply.status
    }

    /// The file handle of a path from the root.
    pub(crate) fn handle(&mut self, client: &mut Client, path: &[&str]) -> Vec<u8> {
        let mut reply = self.run(client, at(path).op(op::GETFH));
        reply.ok(op::PUTROOTFH);
        for _ in path {
            reply.ok(op::LOOKUP);
        }
        reply.ok(op::GETFH).opaque()
    }

    /// Opens a file of the root that is there.
    pub(crate) fn open(&mut self, client: &mut Client, open: &Open<'_>) -> Result<Opened, u32> {
        let ops = Ops::default().op(op::PUTROOTFH).then(open.ops()).op(op::GETFH);
        let mut reply = self.run(client, ops);
        reply.ok(op::PUTROOTFH);
        match reply.result(op::OPEN) {
            0 => {}
            status => return Err(status),
        }
        let mut opened = opened(&mut reply);
        opened.handle = reply.ok(op::GETFH).opaque();
        reply.end();
        Ok(opened)
    }

    /// Opens a file for reading and writing, as the owner `o`.
    pub(crate) fn open_both(&mut self, client: &mut Client, name: &str) -> Opened {
        self.open(client, &Open::new(name)).unwrap()
    }
}

/// A client's session, of which the first slot is used.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) minor: u32,
    pub(crate) id: u64,
    pub(crate) session: [u8; 16],
    /// The last sequence ID of the first slot.
    pub(crate) sequence: u32,
    /// The sequence ID of the CREATE_SESSION.
    pub(crate) create: u32,
}

impl Client {
    /// SEQUENCE (RFC 8881 section 18.46.1).
    pub(crate) fn sequence(&self, slot: u32, sequence: u32, highest: u32, cache: bool) -> Ops {
        let words = [sequence, slot, highest, u32::from(cache)];
        Ops::default().op(op::SEQUENCE).raw(&self.session).words(&words)
    }
}

/// EXCHANGE_ID without state protection and implementation (RFC 8881 section 18.35.1).
pub(crate) fn exchange_id(owner: &[u8], verifier: u64, flags: u32) -> Ops {
    Ops::default().op(op::EXCHANGE_ID).long(verifier).opaque(owner).words(&[flags, 0, 0])
}

/// Of a channel: padding, request, response, cached, operations, requests, no IRD.
pub(crate) type Channel = [u32; 7];
pub(crate) const CHANNEL: Channel = [0, 1 << 20, 1 << 20, 4096, 16, 4, 0];

/// CREATE_SESSION with callbacks by AUTH_NONE (RFC 8881 section 18.36.1).
pub(crate) fn create_session(id: u64, sequence: u32) -> Ops {
    create_session_with(id, sequence, 0, CHANNEL)
}

pub(crate) fn create_session_with(id: u64, sequence: u32, flags: u32, fore: Channel) -> Ops {
    let head = Ops::default().op(op::CREATE_SESSION).long(id).words(&[sequence, flags]);
    head.words(&fore).words(&[0, 4096, 4096, 0, 2, 1, 0]).words(&[0x4000_0000, 1, 0])
}

/// PUTROOTFH and LOOKUPs.
pub(crate) fn at(path: &[&str]) -> Ops {
    path.iter().fold(Ops::default().op(op::PUTROOTFH), |ops, name| {
        ops.op(op::LOOKUP).opaque(name.as_bytes())
    })
}

pub(crate) fn put(handle: &[u8]) -> Ops {
    Ops::default().op(op::PUTFH).opaque(handle)
}

/// GETATTR after other operations.
pub(crate) fn getattr(ops: Ops, bits: &[u32]) -> Ops {
    ops.op(op::GETATTR).bitmap(bits)
}

/// How OPEN creates (RFC 8881 section 18.16.1).
#[derive(Clone)]
pub(crate) enum How {
    NoCreate,
    Unchecked(Option<u64>),
    Guarded,
    Exclusive(u64),
    ExclusiveOne(u64),
}

/// What OPEN is asked for. By default CLAIM_NULL, both kinds of access, and nothing denied.
#[derive(Clone)]
pub(crate) struct Open<'a> {
    pub(crate) access: u32,
    pub(crate) deny: u32,
    pub(crate) owner: &'a [u8],
    pub(crate) how: How,
    /// CLAIM_NULL of a name; CLAIM_FH without.
    pub(crate) name: Option<&'a str>,
}

impl<'a> Open<'a> {
    pub(crate) fn new(name: &'a str) -> Self {
        Self { access: 3, deny: 0, owner: b"o", how: How::NoCreate, name: Some(name) }
    }

    pub(crate) fn ops(&self) -> Ops {
        let head = Ops::default().op(op::OPEN).words(&[0, self.access, self.deny]);
        // The client ID of the owner counts for nothing.
        let head = head.long(0x0bad_0bad).opaque(self.owner);
        let how = match self.how {
            How::NoCreate => head.word(0),
            How::Unchecked(None) => head.words(&[1, 0]).fattr(&[], &Ops::default()),
            How::Unchecked(Some(size)) => {
                head.words(&[1, 0]).fattr(&[attr::SIZE], &Ops::default().long(size))
            }
            How::Guarded => head.words(&[1, 1]).fattr(&[], &Ops::default()),
            How::Exclusive(verifier) => head.words(&[1, 2]).long(verifier),
            How::ExclusiveOne(verifier) => {
                head.words(&[1, 3]).long(verifier).fattr(&[], &Ops::default())
            }
        };
        match self.name {
            Some(name) => how.word(0).opaque(name.as_bytes()),
            None => how.word(4),
        }
    }
}

/// What OPEN gave (RFC 8881 section 18.16.2).
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub(crate) stateid: Stateid,
    /// Whether the change attributes were atomic; before, after.
    pub(crate) change: (bool, u64, u64),
    pub(crate) flags: u32,
    pub(crate) attributes: Vec<u32>,
    /// The type of the delegation.
    pub(crate) delegation: u32,
    pub(crate) handle: Vec<u8>,
}

/// Reads the result of an OPEN that succeeded. Nobody here has a back channel: no delegation is given.
pub(crate) fn opened(reply: &mut Reply) -> Opened {
    let stateid = reply.stateid();
    let change = (reply.bool(), reply.long(), reply.long());
    let flags = reply.word();
    let attributes = reply.bitmap();
    let delegation = reply.word();
    if delegation == 3 {
        // Contention and resources say too whether more is announced later.
        let why = reply.word();
        if (1..=2).contains(&why) {
            reply.bool();
        }
    } else {
        assert_eq!(delegation, 0, "no delegation");
    }
    Opened { stateid, change, flags, attributes, delegation, handle: Vec::new() }
}

pub(crate) fn close(stateid: Stateid) -> Ops {
    Ops::default().op(op::CLOSE).word(0).stateid(stateid)
}

pub(crate) fn read(stateid: Stateid, offset: u64, count: u32) -> Ops {
    Ops::default().op(op::READ).stateid(stateid).long(offset).word(count)
}

/// WRITE that may stay in memory (UNSTABLE4) or must not (FILE_SYNC4, 2).
pub(crate) fn write(stateid: Stateid, offset: u64, stable: u32, data: &[u8]) -> Ops {
    Ops::default().op(op::WRITE).stateid(stateid).long(offset).word(stable).opaque(data)
}

/// LOCK by a lock owner that has none in this open.
pub(crate) fn first_lock(open: Stateid, owner: &[u8], kind: u32, offset: u64, length: u64) -> Ops {
    let head = Ops::default().op(op::LOCK).words(&[kind, 0]).long(offset).long(length);
    head.words(&[1, 0]).stateid(open).word(0).long(0x0bad_0bad).opaque(owner)
}

/// LOCK by a lock owner that has a stateid.
pub(crate) fn next_lock(lock: Stateid, kind: u32, offset: u64, length: u64) -> Ops {
    let head = Ops::default().op(op::LOCK).words(&[kind, 0]).long(offset).long(length);
    head.word(0).stateid(lock).word(0)
}

pub(crate) fn test_lock(owner: &[u8], kind: u32, offset: u64, length: u64) -> Ops {
    let head = Ops::default().op(op::LOCKT).word(kind).long(offset).long(length);
    head.long(0x0bad_0bad).opaque(owner)
}

pub(crate) fn unlock(lock: Stateid, offset: u64, length: u64) -> Ops {
    Ops::default().op(op::LOCKU).words(&[WRITE_LT, 0]).stateid(lock).long(offset).long(length)
}
