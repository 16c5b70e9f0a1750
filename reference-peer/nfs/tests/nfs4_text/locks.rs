//! LOCK, LOCKT, LOCKU (RFC 8881 sections 18.10 to 18.12).

use crate::prelude::*;

/// A file that two clients have open, and their opens.
struct Shared {
    lab: Lab,
    one: Client,
    two: Client,
    opens: [Stateid; 2],
    handle: Vec<u8>,
}

/// Offset, length, type, client ID and owner of a lock that stands against another.
type Denied = (u64, u64, u32, u64, Vec<u8>);

impl Shared {
    fn new() -> Self {
        let (mut lab, mut one) = Lab::with_client();
        lab.file("f", b"data");
        let mut two = lab.client(1, b"two");
        let first = lab.open_both(&mut one, "f");
        let second = lab.open_both(&mut two, "f").stateid;
        Self { lab, one, two, opens: [first.stateid, second], handle: first.handle }
    }

    fn run(&mut self, second: bool, ops: Ops, number: u32) -> (u32, Reply) {
        let client = if second { &mut self.two } else { &mut self.one };
        let mut reply = self.lab.run(client, put(&self.handle).then(ops));
        reply.ok(op::PUTFH);
        (reply.result(number), reply)
    }

    /// The stateid of LOCK or LOCKU, or the error.
    fn stateid(&mut self, second: bool, ops: Ops, number: u32) -> Result<Stateid, u32> {
        let (status, mut reply) = self.run(second, ops, number);
        if status != err::OK {
            return Err(status);
        }
        let stateid = reply.stateid();
        reply.end();
        Ok(stateid)
    }

    /// The first lock of an owner of the first or second client.
    fn first(
        &mut self,
        second: bool,
        owner: &[u8],
        kind: u32,
        range: (u64, u64),
    ) -> Result<Stateid, u32> {
        let open = self.opens[usize::from(second)];
        self.stateid(second, first_lock(open, owner, kind, range.0, range.1), op::LOCK)
    }

    /// What stands against a lock, if anything does.
    fn test(&mut self, second: bool, owner: &[u8], kind: u32, range: (u64, u64)) -> Option<Denied> {
        let (status, reply) = self.run(second, test_lock(owner, kind, range.0, range.1), op::LOCKT);
        if status == err::OK {
            reply.end();
            return None;
        }
        assert_eq!(status, err::DENIED);
        Some(denied(reply))
    }
}

fn denied(mut reply: Reply) -> Denied {
    let found = (reply.long(), reply.long(), reply.word(), reply.long(), reply.opaque());
    reply.end();
    found
}

/// RFC 8881 section 18.10.3: what is denied names the lock that stands against it, with the client ID of its owner.
/// Section 18.10.4: offset and length may be those that were asked for.
#[test]
fn a_lock_is_denied() {
    let mut shared = Shared::new();
    shared.first(false, b"l", WRITE_LT, (10, 10)).unwrap();
    let open = shared.opens[1];
    for kind in [READ_LT, WRITE_LT, 3, 4] {
        let ops = first_lock(open, b"l", kind, 15, 100);
        let (status, reply) = shared.run(true, ops, op::LOCK);
        assert_eq!(status, err::DENIED);
        let (offset, length, held, client, owner) = denied(reply);
        assert!([(10, 10), (15, 100)].contains(&(offset, length)), "{offset} {length}");
        assert_eq!((held, client, owner.as_slice()), (WRITE_LT, shared.one.id, &b"l"[..]));
    }
    shared.first(true, b"l", WRITE_LT, (0, 10)).unwrap();
    shared.first(true, b"m", WRITE_LT, (20, 10)).unwrap();
}

/// RFC 8881 section 9.1.1 and 18.10: read locks stand beside each other; owners of one client are different ones.
#[test]
fn read_locks_are_shared() {
    let mut shared = Shared::new();
    shared.first(false, b"l", READ_LT, (0, TO_END)).unwrap();
    shared.first(true, b"l", READ_LT, (0, 5)).unwrap();
    assert_eq!(shared.first(false, b"m", WRITE_LT, (3, 1)).unwrap_err(), err::DENIED);
    shared.first(false, b"m", READ_LT, (3, 1)).unwrap();
}

/// RFC 8881 section 18.10.3: a length of zero, and a range beyond 64 bits, are NFS4ERR_INVAL; all ones go to the end.
/// Sections 18.11.3 and 18.12.3: for LOCKT and LOCKU too.
#[test]
fn ranges_have_rules() {
    let mut shared = Shared::new();
    let lock = shared.first(false, b"l", WRITE_LT, (u64::MAX - 1, 1)).unwrap();
    for (offset, length) in [(0, 0), (2, u64::MAX - 1), (u64::MAX, 2)] {
        let found = shared.first(true, b"l", WRITE_LT, (offset, length));
        assert_eq!(found.unwrap_err(), err::INVAL, "{offset} {length}");
        let (status, _) = shared.run(false, test_lock(b"l", READ_LT, offset, length), op::LOCKT);
        assert_eq!(status, err::INVAL, "{offset} {length}");
        let (status, _) = shared.run(false, unlock(lock, offset, length), op::LOCKU);
        assert_eq!(status, err::INVAL, "{offset} {length}");
    }
    shared.first(true, b"l", WRITE_LT, (0, 1)).unwrap();
    assert_eq!(shared.first(true, b"l", WRITE_LT, (7, TO_END)).unwrap_err(), err::DENIED);
    // The last byte of all: offset and length together are just within 64 bits; to the end it is in any case.
    shared.first(true, b"m", WRITE_LT, (u64::MAX, TO_END)).unwrap();
}

/// RFC 8881 section 18.11.3: LOCKT reports what stands against a lock, with its type, and takes none. Section 18.11.4: not
/// the owner's own.
#[test]
fn locks_are_tested() {
    let mut shared = Shared::new();
    shared.first(false, b"l", READ_LT, (10, TO_END)).unwrap();
    assert_eq!(shared.test(true, b"l", READ_LT, (0, 20)), None);
    let (offset, length, kind, client, owner) =
        shared.test(true, b"l", WRITE_LT, (0, 20)).expect("it is denied");
    assert!([(10, TO_END), (0, 20)].contains(&(offset, length)), "{offset} {length}");
    assert_eq!((kind, client, owner.as_slice()), (READ_LT, shared.one.id, &b"l"[..]));
    assert_eq!(shared.test(false, b"l", WRITE_LT, (0, 20)), None, "its own");
    assert!(shared.test(false, b"m", WRITE_LT, (0, 20)).is_some(), "another owner's");
    assert_eq!(shared.test(true, b"l", WRITE_LT, (0, 10)), None);
    shared.first(true, b"l", WRITE_LT, (0, 10)).unwrap();
}

/// RFC 8881 section 18.10.3 and 8.2.2: the stateid of an owner and a file goes on with each change, and is the same for
/// a lock that says again who its owner is.
#[test]
fn one_stateid_for_an_owner() {
    let mut shared = Shared::new();
    let first = shared.first(false, b"l", READ_LT, (0, 1)).unwrap();
    assert_eq!(first.seqid, 1);
    let second = shared.stateid(false, next_lock(first, WRITE_LT, 5, 1), op::LOCK).unwrap();
    assert_eq!(second, first.at(2));
    let old = shared.stateid(false, next_lock(first, WRITE_LT, 9, 1), op::LOCK);
    assert_eq!(old.unwrap_err(), err::OLD_STATEID);
    let third = shared.first(false, b"l", READ_LT, (20, 1)).unwrap();
    assert_eq!(third, first.at(3));
    let fourth = shared.stateid(false, unlock(third, 20, 1), op::LOCKU).unwrap();
    assert_eq!(fourth, first.at(4));
    let other = shared.first(false, b"m", READ_LT, (30, 1)).unwrap();
    assert_ne!(other.other, first.other);
    assert_eq!(other.seqid, 1);
}

/// RFC 8881 section 18.10.4 and 18.12.4: a server with the locks of POSIX (OPEN4_RESULT_LOCKTYPE_POSIX) changes kinds,
/// joins ranges and splits them. One without may answer NFS4ERR_LOCK_RANGE.
#[test]
fn ranges_split_and_change() {
    let mut shared = Shared::new();
    let lock = shared.first(false, b"l", READ_LT, (0, 100)).unwrap();
    let posix = {
        let (lab, client) = (&mut shared.lab, &mut shared.one);
        lab.open_both(client, "f").flags & 4 != 0
    };
    let upgraded = shared.stateid(false, next_lock(lock, WRITE_LT, 40, 20), op::LOCK);
    if upgraded == Err(err::LOCK_RANGE) && !posix {
        return;
    }
    let upgraded = upgraded.unwrap();
    assert_eq!(shared.test(true, b"x", READ_LT, (0, 40)), None);
    assert_eq!(shared.test(true, b"x", READ_LT, (60, 40)), None);
    assert!(shared.test(true, b"x", READ_LT, (59, 1)).is_some());
    let split = shared.stateid(false, unlock(upgraded, 45, 5), op::LOCKU).unwrap();
    assert_eq!(shared.test(true, b"x", WRITE_LT, (45, 5)), None);
    assert!(shared.test(true, b"x", READ_LT, (44, 1)).is_some());
    assert!(shared.test(true, b"x", READ_LT, (50, 1)).is_some());
    let reads = shared.stateid(false, next_lock(split, READ_LT, 0, 100), op::LOCK).unwrap();
    assert_eq!(shared.test(true, b"x", READ_LT, (0, TO_END)), None);
    let none = shared.stateid(false, unlock(reads, 0, TO_END), op::LOCKU).unwrap();
    assert_eq!(shared.test(true, b"x", WRITE_LT, (0, TO_END)), None);
    // What is not locked can be unlocked, as in POSIX.
    shared.stateid(false, unlock(none, 7, 7), op::LOCKU).unwrap();
}

/// RFC 8881 section 18.10.4 and 9.1.1: an upgrade that another's lock stands against is denied, and the lock stays as it
/// was.
#[test]
fn an_upgrade_may_be_denied() {
    let mut shared = Shared::new();
    let lock = shared.first(false, b"l", READ_LT, (0, 10)).unwrap();
    shared.first(true, b"l", READ_LT, (5, 10)).unwrap();
    let found = shared.stateid(false, next_lock(lock, WRITE_LT, 0, 10), op::LOCK);
    assert_eq!(found.unwrap_err(), err::DENIED);
    assert!(shared.test(true, b"l", WRITE_LT, (0, 5)).is_some());
    assert_eq!(shared.test(true, b"l", READ_LT, (0, 5)), None);
    // Its seqid is as it was: nothing has changed.
    shared.stateid(false, unlock(lock, 0, 10), op::LOCKU).unwrap();
}

/// RFC 8881 section 18.2.3: no lock is left after CLOSE: it frees them, or fails with NFS4ERR_LOCKS_HELD.
#[test]
fn locks_do_not_outlive_the_open() {
    let mut shared = Shared::new();
    let lock = shared.first(false, b"l", WRITE_LT, (0, 10)).unwrap();
    let open = shared.opens[0];
    match shared.stateid(false, close(open), op::CLOSE) {
        Ok(_) => {
            assert_eq!(shared.test(true, b"l", WRITE_LT, (0, 10)), None);
            let found = shared.stateid(false, next_lock(lock, READ_LT, 0, 1), op::LOCK);
            assert_eq!(found.unwrap_err(), err::BAD_STATEID);
        }
        Err(status) => {
            assert_eq!(status, err::LOCKS_HELD);
            assert!(shared.test(true, b"l", WRITE_LT, (0, 10)).is_some());
        }
    }
}

/// RFC 8881 section 18.10.3, 18.11.3: only files have locks. Section 18.10.4: a reclaim after RECLAIM_COMPLETE
/// is NFS4ERR_NO_GRACE (section 18.51.3).
#[test]
fn only_files_have_locks() {
    let mut shared = Shared::new();
    std::os::unix::fs::symlink("f", shared.lab.path("l")).unwrap();
    let (lab, one) = (&mut shared.lab, &mut shared.one);
    for (path, expected) in [(&[][..], err::ISDIR), (&["l"], err::SYMLINK)] {
        let ops = at(path).then(test_lock(b"l", READ_LT, 0, 1));
        assert_eq!(lab.last(one, ops), expected);
    }
    let head = Ops::default().op(op::LOCK).words(&[READ_LT, 1]).long(0).long(1).words(&[1, 0]);
    let reclaim = head.stateid(shared.opens[0]).word(0).long(0).opaque(b"l");
    let found = shared.stateid(false, reclaim, op::LOCK);
    assert_eq!(found.unwrap_err(), err::NO_GRACE);
}

/// RFC 8881 section 9.1.2 and 18.10.4: a write lock by an open that only reads is denied as POSIX does
/// (NFS4ERR_OPENMODE), or given.
#[test]
fn a_lock_beyond_the_access() {
    let mut shared = Shared::new();
    let open = Open { access: 1, owner: b"p", ..Open::new("f") };
    let reads = shared.lab.open(&mut shared.one, &open).unwrap().stateid;
    let found = shared.stateid(false, first_lock(reads, b"l", WRITE_LT, 0, 1), op::LOCK);
    assert!(found.is_ok() || found == Err(err::OPENMODE), "{found:?}");
    shared.stateid(false, first_lock(reads, b"m", READ_LT, 5, 1), op::LOCK).unwrap();
}
