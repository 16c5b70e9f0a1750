//! What the client asks of a server of version 4.1 or 4.2: one session with one slot, and no back
//! channel, as it wants no delegations (RFC 8881 sections 2.10, 18).

use super::calls::{Client, Pending, Read};
use super::results::{Data, Handle, Listed, ListedEntry};
use crate::protocol::{Attributes, FileType, Time};
use crate::rpc::{Builder, Reader};
use crate::v4::operation as op;
use crate::v4::types;
use crate::v4::types::{
    Bitmap, ChangeInfo, Channel, Claim, ClientOwner, Create, CreateSession, ExchangeId, Kind, List,
    Making, Opaque, Open, Owner, Protection, ReadDirectory, Sequence, SessionId, StateId, Values,
    Write,
};
use crate::{LONGEST_HANDLE, NFS, VERSION_4};
use warpscope_wire::Malformed;

const COMPOUND: u32 = 1;
/// Bytes of a reply up to the results of the third operation: tag, count, SEQUENCE, PUTFH.
const BEFORE: usize = 4 + 4 + 44 + 8;
/// Bytes of an operation and its status.
const STATUS: usize = 8;
/// Room for the attributes of one object.
const ATTRIBUTES: usize = 1024;
/// The longest target of a symbolic link that is asked for.
const LONGEST_TARGET: usize = 4096;
/// The longest message of the session: data, and what is around it.
const LONGEST: u32 = (1 << 20) + 4096;
/// Access to read and to write, without a delegation.
const TO_READ: u32 = 0x0401;
const TO_WRITE: u32 = 0x0402;
/// The user of an object whose owner has no number: nobody.
const NOBODY: u32 = 65_534;

const SIZE: u32 = 4;
const MOST_READ: u32 = 30;
const MOST_WRITTEN: u32 = 31;
const MODE: u32 = 33;
/// What is asked of an object: type, size, file system, file ID, mode, links, owner, group, device, space, times.
const ASKED: [u32; 13] = [1, SIZE, 8, 20, MODE, 35, 36, 37, 41, 45, 47, 52, 53];

/// A session with a server.
#[derive(Debug, Clone)]
pub(super) struct Version4 {
    minor: u32,
    id: u64,
    session: SessionId,
    sequence: u32,
}

/// A call that stands alone, without a session.
fn alone<R>(
    client: &mut Client,
    minor: u32,
    read: Read<R>,
    add: impl FnOnce(&mut Builder),
) -> Pending<R> {
    client.call_version(VERSION_4, (NFS, COMPOUND), 4 + 2048, None, read, |call| {
        call.opaque(b"").word(minor).word(1);
        add(call);
        call
    })
}

/// Passes over the results of an operation that has none.
fn passed(reader: &mut Reader<'_>, operations: usize) -> Result<(), Malformed> {
    for _ in 0..operations {
        reader.fixed::<STATUS>("operation and status")?;
    }
    Ok(())
}

/// Passes over tag, count, SEQUENCE and PUTFH, and the number and status of the third operation.
fn third(reader: &mut Reader<'_>) -> Result<(), Malformed> {
    reader.opaque("tag", 1024)?;
    reader.word("count")?;
    reader.fixed::<44>("SEQUENCE")?;
    passed(reader, 2)
}

/// EXCHANGE_ID: the client ID and the sequence ID of CREATE_SESSION.
pub(super) fn exchange_id(client: &mut Client, minor: u32) -> Pending<(u64, u32)> {
    let life = client.life();
    let name = Opaque(format!("warpscope peer nfs {life:08x}").into_bytes());
    let [a, b, c, d] = life.to_be_bytes();
    let owner = ClientOwner { verifier: [a, b, c, d, d, c, b, a], owner: name };
    let protection = Protection::None;
    let asked = ExchangeId { client: owner, flags: 0, protection, implementation: None };
    let read = |reader: &mut Reader<'_>| {
        reader.opaque("tag", 1024)?;
        reader.word("count")?;
        passed(reader, 1)?;
        reader.value("client ID and sequence ID")
    };
    alone(client, minor, read, |call| _ = call.word(op::EXCHANGE_ID).value(&asked))
}

/// CREATE_SESSION: the session ID.
pub(super) fn create_session(
    client: &mut Client,
    minor: u32,
    (id, sequence): (u64, u32),
) -> Pending<SessionId> {
    let fore = Channel {
        request: LONGEST,
        response: LONGEST,
        cached: 4096,
        operations: 8,
        slots: 1,
        ..Channel::default()
    };
    let back = Channel { request: 4096, response: 4096, cached: 0, operations: 2, ..fore };
    let security = List(vec![types::CallbackSecurity(Some(crate::rpc::Credential::None))]);
    let program = 0x4000_0000;
    let asked = CreateSession { client: id, sequence, flags: 0, fore, back, program, security };
    let read = |reader: &mut Reader<'_>| {
        reader.opaque("tag", 1024)?;
        reader.word("count")?;
        passed(reader, 1)?;
        reader.value("session ID")
    };
    alone(client, minor, read, |call| _ = call.word(op::CREATE_SESSION).value(&asked))
}

impl Version4 {
    pub(super) fn new(minor: u32, id: u64, session: SessionId) -> Self {
        Self { minor, id, session, sequence: 0 }
    }

    /// The minor version.
    pub(super) fn minor(&self) -> u32 {
        self.minor
    }

    /// SEQUENCE, a handle or the root, and `count` operations that `add` adds; `longest` is what the results of those
    /// have at most.
    fn ask<R>(
        &mut self,
        client: &mut Client,
        handle: Option<&Handle>,
        (count, longest, room): (u32, usize, Option<u32>),
        read: Read<R>,
        add: impl FnOnce(&mut Builder),
    ) -> Pending<R> {
        self.sequence = self.sequence.wrapping_add(1);
        let (session, sequence) = (self.session, self.sequence);
        let asked = Sequence { session, sequence, slot: 0, highest: 0, cache: false };
        let minor = self.minor;
        let longest = 4 + BEFORE + longest;
        client.call_version(VERSION_4, (NFS, COMPOUND), longest, room, read, |call| {
            call.opaque(b"").word(minor).word(2 + count);
            call.word(op::SEQUENCE).value(&asked);
            match handle {
                Some(handle) => call.word(op::PUTFH).value(handle),
                None => call.word(op::PUTROOTFH),
            };
            add(call);
            call
        })
    }

    /// The root's handle.
    pub(super) fn root(&mut self, client: &mut Client) -> Pending<Handle> {
        let longest = STATUS + 4 + LONGEST_HANDLE as usize;
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            reader.value("file handle")
        };
        self.ask(client, None, (1, longest, None), read, |call| _ = call.word(op::GETFH))
    }

    /// RECLAIM_COMPLETE: there is nothing to reclaim.
    pub(super) fn reclaim_complete(&mut self, client: &mut Client) -> Pending<()> {
        let add = |call: &mut Builder| _ = call.word(op::RECLAIM_COMPLETE).boolean(false);
        self.ask(client, None, (1, STATUS, None), third, add)
    }

    /// DESTROY_SESSION and DESTROY_CLIENTID, in turn.
    pub(super) fn end(&self, client: &mut Client) -> [Pending<()>; 2] {
        let (minor, session, id) = (self.minor, self.session, self.id);
        let session = alone(
            client,
            minor,
            |_| Ok(()),
            |call| _ = call.word(op::DESTROY_SESSION).value(&session),
        );
        [
            session,
            alone(client, minor, |_| Ok(()), |call| _ = call.word(op::DESTROY_CLIENTID).long(id)),
        ]
    }

    pub(super) fn lookup(
        &mut self,
        client: &mut Client,
        directory: &Handle,
        name: &[u8],
    ) -> Pending<Handle> {
        let longest = 2 * STATUS + 4 + LONGEST_HANDLE as usize;
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            passed(reader, 1)?;
            reader.value("file handle")
        };
        self.ask(client, Some(directory), (2, longest, None), read, |call| {
            call.word(op::LOOKUP).opaque(name).word(op::GETFH);
        })
    }

    pub(super) fn attributes(
        &mut self,
        client: &mut Client,
        object: &Handle,
    ) -> Pending<Attributes> {
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            known(&reader.value("attributes")?)
        };
        self.ask(client, Some(object), (1, STATUS + ATTRIBUTES, None), read, |call| {
            call.word(op::GETATTR).value(&Bitmap::of(ASKED));
        })
    }

    /// The most bytes of a READ and of a WRITE.
    pub(super) fn most_data(&mut self, client: &mut Client, root: &Handle) -> Pending<(u32, u32)> {
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            let values: Values = reader.value("attributes")?;
            let mut reader = Reader::new(&values.values.0);
            let mut most = |number| {
                let given = if values.mask.has(number) { reader.long("most")? } else { 4096 };
                Ok::<_, Malformed>(u32::try_from(given).unwrap_or(u32::MAX))
            };
            Ok((most(MOST_READ)?, most(MOST_WRITTEN)?))
        };
        self.ask(client, Some(root), (1, STATUS + ATTRIBUTES, None), read, |call| {
            call.word(op::GETATTR).value(&Bitmap::of([MOST_READ, MOST_WRITTEN]));
        })
    }

    pub(super) fn list(
        &mut self,
        client: &mut Client,
        directory: &Handle,
        (cookie, verifier): (u64, [u8; 8]),
        maximum: u32,
    ) -> Pending<Listed> {
        let attributes = Bitmap::of(ASKED);
        let asked =
            ReadDirectory { cookie, verifier, directory_count: maximum, maximum, attributes };
        let longest = STATUS + maximum as usize;
        self.ask(client, Some(directory), (1, longest, None), listed, |call| {
            call.word(op::READDIR).value(&asked);
        })
    }

    /// OPEN for reading: the state ID.
    pub(super) fn open(&mut self, client: &mut Client, file: &Handle) -> Pending<StateId> {
        let asked = self.asked(TO_READ, Making::No, Claim::Handle);
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            opened(reader)
        };
        self.ask(client, Some(file), (1, STATUS + ATTRIBUTES, None), read, |call| {
            call.word(op::OPEN).value(&asked);
        })
    }

    /// OPEN for writing of a file that is made, or made empty: the state ID and the handle.
    pub(super) fn create(
        &mut self,
        client: &mut Client,
        directory: &Handle,
        name: &[u8],
    ) -> Pending<(StateId, Handle)> {
        let mut values = Builder::default();
        values.long(0).word(0o644);
        let values = Values { mask: Bitmap::of([SIZE, MODE]), values: Opaque(values.bytes) };
        let claim = Claim::Null(Opaque(name.to_vec()));
        let asked = self.asked(TO_WRITE, Making::Unchecked(values), claim);
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            let state = opened(reader)?;
            passed(reader, 1)?;
            Ok((state, reader.value("file handle")?))
        };
        self.ask(client, Some(directory), (2, 2 * STATUS + ATTRIBUTES, None), read, |call| {
            call.word(op::OPEN).value(&asked).word(op::GETFH);
        })
    }

    fn asked(&self, access: u32, how: Making, claim: Claim) -> Open {
        let owner = Owner { client: self.id, owner: Opaque(b"warpscope".to_vec()) };
        Open { sequence: 0, access, deny: 0, owner, how, claim }
    }

    pub(super) fn close(
        &mut self,
        client: &mut Client,
        file: &Handle,
        state: StateId,
    ) -> Pending<()> {
        self.ask(client, Some(file), (1, STATUS + 16, None), third, |call| {
            call.word(op::CLOSE).word(0).value(&state);
        })
    }

    pub(super) fn read(
        &mut self,
        client: &mut Client,
        file: &Handle,
        asked: types::Read,
    ) -> Pending<Data> {
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            let (end, data): (bool, Vec<u8>) = reader.value("data")?;
            Ok(Data { attributes: None, count: data.len() as u32, end, data })
        };
        let room = Some(asked.count);
        self.ask(client, Some(file), (1, STATUS + 4, room), read, |call| {
            call.word(op::READ).value(&asked);
        })
    }

    /// READ_PLUS: holes are read as zeros.
    pub(super) fn read_plus(
        &mut self,
        client: &mut Client,
        file: &Handle,
        asked: types::Read,
    ) -> Pending<Pieces> {
        // Each piece has 20 bytes beside its data: as many as the server likes, up to this.
        let longest = STATUS + 8 + asked.count as usize + 64 * 20 + 4;
        self.ask(client, Some(file), (1, longest, None), Pieces::read, |call| {
            call.word(op::READ_PLUS).value(&asked);
        })
    }

    pub(super) fn write(
        &mut self,
        client: &mut Client,
        file: &Handle,
        write: &Write,
    ) -> Pending<(u32, u32, [u8; 8])> {
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            Ok((reader.word("count")?, reader.word("committed")?, reader.fixed("write verifier")?))
        };
        self.ask(client, Some(file), (1, STATUS + 16, None), read, |call| {
            call.word(op::WRITE).value(write);
        })
    }

    pub(super) fn commit(&mut self, client: &mut Client, file: &Handle) -> Pending<[u8; 8]> {
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            reader.fixed("write verifier")
        };
        self.ask(client, Some(file), (1, STATUS + 8, None), read, |call| {
            call.word(op::COMMIT).long(0).word(0);
        })
    }

    /// CREATE: a directory, or a symbolic link to `target`.
    pub(super) fn make(
        &mut self,
        client: &mut Client,
        directory: &Handle,
        name: &[u8],
        target: Option<&[u8]>,
    ) -> Pending<()> {
        let (kind, attributes) = match target {
            Some(target) => (Kind::Link(target.to_vec()), Values::default()),
            None => {
                let mode = Opaque(0o755_u32.to_be_bytes().to_vec());
                let values = Values { mask: Bitmap::of([MODE]), values: mode };
                (Kind::Plain(FileType::Directory as u32), values)
            }
        };
        let asked = Create { kind, name: Opaque(name.to_vec()), attributes };
        self.ask(client, Some(directory), (1, STATUS + 64, None), third, |call| {
            call.word(op::CREATE).value(&asked);
        })
    }

    pub(super) fn read_link(&mut self, client: &mut Client, link: &Handle) -> Pending<Vec<u8>> {
        let read = |reader: &mut Reader<'_>| {
            third(reader)?;
            reader.value("link target")
        };
        // Inline or whole in a reply chunk: nfsd puts the wrong bytes into a write chunk of its own.
        let expected = (1, STATUS + 4 + LONGEST_TARGET, None);
        self.ask(client, Some(link), expected, read, |call| _ = call.word(op::READLINK))
    }

    pub(super) fn remove(
        &mut self,
        client: &mut Client,
        directory: &Handle,
        name: &[u8],
    ) -> Pending<()> {
        self.ask(client, Some(directory), (1, STATUS + 20, None), third, |call| {
            call.word(op::REMOVE).opaque(name);
        })
    }

    pub(super) fn rename(
        &mut self,
        client: &mut Client,
        from: (&Handle, &[u8]),
        to: (&Handle, &[u8]),
    ) -> Pending<()> {
        self.ask(client, Some(from.0), (3, 3 * STATUS + 40, None), third, |call| {
            call.word(op::SAVEFH).word(op::PUTFH).value(to.0);
            call.word(op::RENAME).opaque(from.1).opaque(to.1);
        })
    }

    pub(super) fn link(
        &mut self,
        client: &mut Client,
        object: &Handle,
        directory: &Handle,
        name: &[u8],
    ) -> Pending<()> {
        self.ask(client, Some(object), (3, 3 * STATUS + 20, None), third, |call| {
            call.word(op::SAVEFH).word(op::PUTFH).value(directory).word(op::LINK).opaque(name);
        })
    }
}

/// The results of OPEN: the state ID. A delegation that nobody asked for is passed over.
fn opened(reader: &mut Reader<'_>) -> Result<StateId, Malformed> {
    let state = reader.value("state ID")?;
    let _: (ChangeInfo, u32, Bitmap) = reader.value("open results")?;
    match reader.word("delegation type")? {
        0 => {}
        kind @ (1 | 2) => {
            let _: (StateId, bool) = reader.value("delegation")?;
            if kind == 2 {
                // A size, or blocks and their length.
                let _: (u32, u64) = reader.value("space limit")?;
            }
            let _: (u32, u32, u32) = reader.value("permissions")?;
            reader.opaque("who", 1024)?;
        }
        3 => {
            if let 1 | 2 = reader.word("why there is none")? {
                reader.boolean("will be told")?;
            }
        }
        other => return Err(crate::rpc::value("delegation type", other)),
    }
    Ok(state)
}

/// The results of READDIR.
fn listed(reader: &mut Reader<'_>) -> Result<Listed, Malformed> {
    third(reader)?;
    let verifier = reader.fixed("cookie verifier")?;
    let mut entries = Vec::new();
    while reader.boolean("entry follows")? {
        let cookie = reader.long("cookie")?;
        let name = reader.opaque("name", 4096)?.to_vec();
        let attributes = known(&reader.value("attributes")?)?;
        let (file_id, handle) = (attributes.file_id, None);
        entries.push(ListedEntry { file_id, name, cookie, attributes: Some(attributes), handle });
    }
    let end = reader.boolean("end of directory")?;
    Ok(Listed { directory: None, verifier, entries, end })
}

/// The attributes of an object, of those that are asked for; what a server does not have is zero.
fn known(values: &Values) -> Result<Attributes, Malformed> {
    let mut known = Attributes::default();
    let mut reader = Reader::new(&values.values.0);
    let time = |reader: &mut Reader<'_>| {
        let (seconds, nanoseconds) = (reader.long("seconds")?, reader.word("nanoseconds")?);
        Ok::<_, Malformed>(Time { seconds: seconds as u32, nanoseconds })
    };
    for number in values.mask.numbers() {
        match number {
            1 => known.file_type = reader.value("file type")?,
            SIZE => known.size = reader.long("size")?,
            8 => (known.file_system, _) = reader.value::<(u64, u64)>("file system")?,
            20 => known.file_id = reader.long("file ID")?,
            MODE => known.mode = reader.word("mode")?,
            35 => known.links = reader.word("links")?,
            36 => known.user = identity(&mut reader)?,
            37 => known.group = identity(&mut reader)?,
            41 => known.device = reader.value("device numbers")?,
            45 => known.used = reader.long("used")?,
            47 => known.accessed = time(&mut reader)?,
            52 => known.changed = time(&mut reader)?,
            53 => known.modified = time(&mut reader)?,
            other => return Err(crate::rpc::value("attribute", other)),
        }
    }
    Ok(known)
}

/// The number of an owner: of one that is named otherwise, nobody's.
fn identity(reader: &mut Reader<'_>) -> Result<u32, Malformed> {
    let owner = std::str::from_utf8(reader.opaque("owner", 1024)?).ok();
    Ok(owner.and_then(|owner| owner.parse().ok()).unwrap_or(NOBODY))
}

/// What READ_PLUS returns: whether it is the end, and data and holes by where they begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pieces {
    end: bool,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Data(u64, Vec<u8>),
    Hole(u64, u64),
}

impl Pieces {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        third(reader)?;
        let (end, count) = (reader.boolean("end of file")?, reader.word("pieces")?);
        let mut pieces = Vec::new();
        for _ in 0..count {
            pieces.push(match reader.word("kind of piece")? {
                0 => Piece::Data(reader.long("offset")?, reader.opaque("data", u32::MAX)?.to_vec()),
                1 => Piece::Hole(reader.long("offset")?, reader.long("length")?),
                other => return Err(crate::rpc::value("kind of piece", other)),
            });
        }
        Ok(Self { end, pieces })
    }

    /// The bytes from an offset on, at most so many: a hole may begin before and end behind them.
    pub(super) fn bytes(&self, offset: u64, count: u32) -> Data {
        let (mut data, until) = (Vec::new(), offset.saturating_add(count.into()));
        for piece in &self.pieces {
            let at = offset + data.len() as u64;
            match piece {
                Piece::Data(from, bytes) if *from <= at => {
                    let skipped = usize::try_from(at - from).unwrap_or(usize::MAX);
                    data.extend_from_slice(bytes.get(skipped..).unwrap_or_default());
                }
                Piece::Hole(from, length) if *from <= at => {
                    let end = from.saturating_add(*length).min(until);
                    let zeros = usize::try_from(end.saturating_sub(at)).unwrap_or(0);
                    data.resize(data.len() + zeros, 0);
                }
                // The pieces are to be contiguous (RFC 7862 section 15.10.3): the rest is asked for again.
                _ => break,
            }
        }
        let whole = data.len() as u64 <= u64::from(count);
        data.truncate(count as usize);
        let hole_behind = self.pieces.iter().any(|piece| match piece {
            Piece::Hole(from, length) => from.saturating_add(*length) > until,
            Piece::Data(..) => false,
        });
        let end = self.end && whole && !hole_behind;
        Data { attributes: None, count: data.len() as u32, end, data }
    }
}
