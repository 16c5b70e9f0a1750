//! An opened object: its attributes, and operations on it.

use super::folder::{Export, Identity, legal};
use crate::protocol::{Attributes, FileType, NewAttributes, Time, TimeChange};
use crate::{Status, access};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs;
use rustix::fs::{
    Access, AtFlags, CWD, FileType as Kind, Gid, Mode, OFlags, StatVfs, Statx, StatxFlags,
    StatxTimestamp, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, Uid, openat, statx,
};
use rustix::io::{pread, pwrite};

/// What must be on stable storage when a WRITE is answered (stable_how).
const UNSTABLE: u32 = 0;
const DATA_SYNC: u32 = 1;
pub(crate) const FILE_SYNC: u32 = 2;

/// An object, opened without access to its content.
#[derive(Debug)]
pub(crate) struct Object {
    pub(super) descriptor: OwnedFd,
    pub(crate) identity: Identity,
    /// The device of the exported folder.
    root_device: u64,
    known: Statx,
}

impl Object {
    pub(super) fn new(
        descriptor: OwnedFd,
        root_device: Option<u64>,
    ) -> Result<Self, rustix::io::Errno> {
        let known = look(&descriptor)?;
        let device = u64::from(known.stx_dev_major) << 32 | u64::from(known.stx_dev_minor);
        let born = if known.stx_mask & StatxFlags::BTIME.bits() == 0 {
            0
        } else {
            let StatxTimestamp { tv_sec, tv_nsec, .. } = known.stx_btime;
            (tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(tv_nsec.into())
        };
        let identity = Identity { device, inode: known.stx_ino, born };
        Ok(Self { descriptor, identity, root_device: root_device.unwrap_or(device), known })
    }

    pub(super) fn device(&self) -> u64 {
        self.identity.device
    }

    /// Returns the same object with current attributes.
    pub(crate) fn again(&self) -> Result<Self, Status> {
        let descriptor = self.descriptor.try_clone().map_err(|_| Status::JUKEBOX)?;
        Ok(Self::new(descriptor, Some(self.root_device))?)
    }

    /// Returns the object with a name in this directory. Never follows a symbolic link.
    pub(super) fn child(&self, name: &[u8], root_device: u64) -> Result<Self, Status> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let child = openat(&self.descriptor, name, flags, Mode::empty())?;
        Ok(Self::new(child, Some(root_device))?)
    }

    /// Returns a path to the object itself that is valid whatever happens to its names.
    pub(crate) fn magic(&self) -> String {
        format!("/proc/self/fd/{}", self.descriptor.as_fd().as_raw_fd())
    }

    /// Opens the object's content.
    pub(crate) fn reopen(&self, flags: OFlags) -> Result<OwnedFd, Status> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(openat(CWD, self.magic(), flags, Mode::empty())?)
    }

    pub(crate) fn is_directory(&self) -> bool {
        self.file_type() == FileType::Directory
    }

    pub(crate) fn file_type(&self) -> FileType {
        match Kind::from_raw_mode(u32::from(self.known.stx_mode)) {
            Kind::Directory => FileType::Directory,
            Kind::BlockDevice => FileType::BlockDevice,
            Kind::CharacterDevice => FileType::CharacterDevice,
            Kind::Symlink => FileType::SymbolicLink,
            Kind::Socket => FileType::Socket,
            Kind::Fifo => FileType::NamedPipe,
            _ => FileType::Regular,
        }
    }

    /// Returns the attributes from when the object was opened.
    pub(crate) fn attributes(&self) -> Attributes {
        self.described(&self.known)
    }

    /// Returns the current attributes; `None` if they are not available.
    pub(crate) fn attributes_now(&self) -> Option<Attributes> {
        look(&self.descriptor).ok().map(|known| self.described(&known))
    }

    fn described(&self, known: &Statx) -> Attributes {
        Attributes {
            file_type: self.file_type(),
            mode: u32::from(known.stx_mode) & 0o7777,
            links: known.stx_nlink,
            user: known.stx_uid,
            group: known.stx_gid,
            size: known.stx_size,
            used: known.stx_blocks.saturating_mul(512),
            device: (known.stx_rdev_major, known.stx_rdev_minor),
            file_system: self.root_device,
            file_id: self.file_id(self.identity.device, known.stx_ino),
            accessed: time(&known.stx_atime),
            modified: time(&known.stx_mtime),
            changed: time(&known.stx_ctime),
        }
    }

    /// Returns the file ID. A client sees one exported file system, even if others are mounted in it.
    fn file_id(&self, device: u64, inode: u64) -> u64 {
        let other = (device ^ self.root_device).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        inode ^ other
    }

    /// Returns which of the wanted access rights the server's process has.
    pub(crate) fn access(&self, wanted: u32, read_only: bool) -> u32 {
        let may = |kind| fs::accessat(CWD, self.magic(), kind, AtFlags::EACCESS).is_ok();
        // The magic path of a symbolic link leads to the link, which anyone may read.
        let link = self.file_type() == FileType::SymbolicLink;
        let mut granted = 0;
        if link || may(Access::READ_OK) {
            granted |= access::READ;
        }
        if !link && !read_only && may(Access::WRITE_OK) {
            granted |= access::MODIFY | access::EXTEND;
            if self.is_directory() {
                granted |= access::DELETE;
            }
        }
        if !link && may(Access::EXEC_OK) {
            granted |= if self.is_directory() { access::LOOKUP } else { access::EXECUTE };
        }
        granted & wanted
    }

    /// Changes attributes: the size first, the times last.
    pub(crate) fn change(&self, new: &NewAttributes) -> Result<(), Status> {
        if let Some(size) = new.size {
            self.regular()?;
            if i64::try_from(size).is_err() {
                return Err(Status::FBIG);
            }
            fs::ftruncate(self.reopen(OFlags::WRONLY)?, size)?;
        }
        let known = self.attributes();
        let user = new.user.filter(|user| *user != known.user);
        let group = new.group.filter(|group| *group != known.group);
        if user.is_some() || group.is_some() {
            if user == Some(u32::MAX) || group == Some(u32::MAX) {
                return Err(Status::INVAL);
            }
            let (user, group) = (user.map(Uid::from_raw), group.map(Gid::from_raw));
            fs::chownat(CWD, self.magic(), user, group, AtFlags::empty())?;
        }
        // A symbolic link has no mode of its own.
        if let Some(mode) = new.mode
            && known.file_type != FileType::SymbolicLink
        {
            let mode = Mode::from_raw_mode(mode & 0o7777);
            fs::chmodat(CWD, self.magic(), mode, AtFlags::empty())?;
        }
        if (new.accessed, new.modified) != (TimeChange::Keep, TimeChange::Keep) {
            let times = Timestamps {
                last_access: moment(new.accessed),
                last_modification: moment(new.modified),
            };
            fs::utimensat(CWD, self.magic(), &times, AtFlags::empty())?;
        }
        Ok(())
    }

    /// Refuses an object that is not a regular file: NFS3ERR_ISDIR or NFS3ERR_INVAL.
    pub(super) fn regular(&self) -> Result<(), Status> {
        match self.file_type() {
            FileType::Regular => Ok(()),
            FileType::Directory => Err(Status::ISDIR),
            _ => Err(Status::INVAL),
        }
    }

    /// Reads up to `count` bytes of a regular file, and returns whether they reach its end.
    pub(crate) fn read(&self, offset: u64, count: u32) -> Result<(Vec<u8>, bool), Status> {
        if self.file_type() != FileType::Regular {
            // RFC 1813 section 3.3.6 does not allow ISDIR here.
            return Err(Status::INVAL);
        }
        let file = self.reopen(OFlags::RDONLY)?;
        let size = fs::fstat(&file)?.st_size as u64;
        let length = u64::from(count).min(size.saturating_sub(offset)) as usize;
        let (mut data, mut filled) = (vec![0; length], 0);
        while let Some(room) = data.get_mut(filled..).filter(|room| !room.is_empty()) {
            match pread(&file, room, offset + filled as u64)? {
                0 => break,
                more => filled += more,
            }
        }
        data.truncate(filled);
        Ok((data, offset.saturating_add(filled as u64) >= size))
    }

    /// Writes all of `data` into a regular file, and puts it on stable storage as far as `stable` requires.
    pub(crate) fn write(&self, offset: u64, data: &[u8], stable: u32) -> Result<(), Status> {
        if self.file_type() != FileType::Regular {
            return Err(Status::INVAL);
        }
        if offset.checked_add(data.len() as u64).is_none_or(|end| i64::try_from(end).is_err()) {
            return Err(Status::FBIG);
        }
        let file = self.reopen(OFlags::WRONLY)?;
        let mut written = 0;
        while let Some(rest) = data.get(written..).filter(|rest| !rest.is_empty()) {
            match pwrite(&file, rest, offset + written as u64)? {
                0 => return Err(Status::NOSPC),
                more => written += more,
            }
        }
        match stable {
            UNSTABLE => {}
            DATA_SYNC => fs::fdatasync(&file)?,
            _ => fs::fsync(&file)?,
        }
        Ok(())
    }

    /// Puts written data of a file, or changes of a directory, on stable storage. An object that can be
    /// neither read nor written cannot be opened for this, and is left to the system.
    pub(crate) fn settle(&self) -> Result<(), Status> {
        if !matches!(self.file_type(), FileType::Regular | FileType::Directory) {
            return Ok(());
        }
        match self.reopen(OFlags::RDONLY).or_else(|_| self.reopen(OFlags::WRONLY)) {
            Ok(opened) => Ok(fs::fsync(opened)?),
            Err(Status::ACCES | Status::ISDIR) => Ok(()),
            Err(status) => Err(status),
        }
    }

    /// Returns the target of a symbolic link.
    pub(crate) fn target(&self) -> Result<Vec<u8>, Status> {
        if self.file_type() != FileType::SymbolicLink {
            return Err(Status::INVAL);
        }
        Ok(fs::readlinkat(&self.descriptor, "", Vec::new())?.into_bytes())
    }

    /// Returns the statistics of its file system.
    pub(crate) fn space(&self) -> Result<StatVfs, Status> {
        Ok(fs::fstatvfs(&self.descriptor)?)
    }
}

fn look(descriptor: &OwnedFd) -> Result<Statx, rustix::io::Errno> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    statx(descriptor, "", AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW, wanted)
}

/// Converts a time, limited to 1970 or later and to what 32 bits of seconds can hold.
fn time(time: &StatxTimestamp) -> Time {
    let seconds = time.tv_sec.clamp(0, u32::MAX.into()) as u32;
    Time { seconds, nanoseconds: time.tv_nsec }
}

fn moment(change: TimeChange) -> Timespec {
    match change {
        TimeChange::Keep => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        TimeChange::Server => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        TimeChange::Set(time) => Timespec {
            tv_sec: time.seconds.into(),
            tv_nsec: time.nanoseconds.min(999_999_999).into(),
        },
    }
}

// Operations that create, remove and move names in directories. Each puts the directory on stable storage
// before it returns (RFC 1813 section 4.8).

/// How a file is created (createhow3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creation {
    /// Whether or not it exists.
    Unchecked(NewAttributes),
    /// Only if it does not exist.
    Guarded(NewAttributes),
    /// Only if it does not exist, or was created by the same call before.
    Exclusive([u8; 8]),
}

impl Export {
    /// Creates a regular file.
    pub(crate) fn create(
        &mut self,
        parent: &Object,
        name: &[u8],
        how: &Creation,
    ) -> Result<Object, Status> {
        let name = new(name)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let made = fs::openat(&parent.descriptor, name, flags, Mode::from_raw_mode(0o644));
        let new = match (made, how) {
            (Ok(_), Creation::Unchecked(new) | Creation::Guarded(new)) => *new,
            (Ok(_), Creation::Exclusive(verifier)) => remembering(verifier),
            (Err(error), _) if Status::from(error) != Status::EXIST => return Err(error.into()),
            (Err(_), Creation::Guarded(_)) => return Err(Status::EXIST),
            (Err(_), Creation::Unchecked(new)) => {
                let object = self.lookup(parent, name)?;
                if object.file_type() != FileType::Regular {
                    return Err(Status::EXIST);
                }
                // An existing file keeps its attributes, except the size.
                object.change(&NewAttributes { size: new.size, ..NewAttributes::default() })?;
                return object.again();
            }
            (Err(_), Creation::Exclusive(verifier)) => {
                let object = self.lookup(parent, name)?;
                let (known, wanted) = (object.attributes(), remembering(verifier));
                let times = (TimeChange::Set(known.accessed), TimeChange::Set(known.modified));
                let same = (wanted.accessed, wanted.modified) == times;
                let again = object.file_type() == FileType::Regular && known.size == 0 && same;
                return if again { Ok(object) } else { Err(Status::EXIST) };
            }
        };
        self.made(parent, name, &new)
    }

    pub(crate) fn make_directory(
        &mut self,
        parent: &Object,
        name: &[u8],
        new_attributes: &NewAttributes,
    ) -> Result<Object, Status> {
        let name = new(name)?;
        fs::mkdirat(&parent.descriptor, name, Mode::from_raw_mode(0o755))?;
        self.made(parent, name, &NewAttributes { size: None, ..*new_attributes })
    }

    /// Creates a symbolic link.
    pub(crate) fn make_link(
        &mut self,
        parent: &Object,
        name: &[u8],
        target: &[u8],
        new_attributes: &NewAttributes,
    ) -> Result<Object, Status> {
        let name = new(name)?;
        if target.is_empty() || target.contains(&0) {
            return Err(Status::INVAL);
        }
        fs::symlinkat(target, &parent.descriptor, name)?;
        self.made(parent, name, &NewAttributes { size: None, ..*new_attributes })
    }

    /// Creates a named pipe or a socket. Devices are never created.
    pub(crate) fn make_node(
        &mut self,
        parent: &Object,
        name: &[u8],
        file_type: Option<FileType>,
        new_attributes: &NewAttributes,
    ) -> Result<Object, Status> {
        let kind = match file_type {
            Some(FileType::NamedPipe) => Kind::Fifo,
            Some(FileType::Socket) => Kind::Socket,
            Some(FileType::BlockDevice | FileType::CharacterDevice) => return Err(Status::NOTSUPP),
            _ => return Err(Status::BADTYPE),
        };
        let name = new(name)?;
        fs::mknodat(&parent.descriptor, name, kind, Mode::from_raw_mode(0o644), 0)?;
        self.made(parent, name, &NewAttributes { size: None, ..*new_attributes })
    }

    fn made(
        &mut self,
        parent: &Object,
        name: &[u8],
        new: &NewAttributes,
    ) -> Result<Object, Status> {
        let object = self.lookup(parent, name)?;
        object.change(new)?;
        object.settle()?;
        parent.settle()?;
        object.again()
    }

    /// Removes a directory, which must be empty, or any other object by its name.
    pub(crate) fn remove(
        &mut self,
        parent: &Object,
        name: &[u8],
        directory: bool,
    ) -> Result<(), Status> {
        let object = self.lookup(parent, legal(name)?)?;
        match (directory, object.is_directory()) {
            (true, false) => return Err(Status::NOTDIR),
            (false, true) => return Err(Status::ISDIR),
            _ => {}
        }
        let flags = if directory { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        fs::unlinkat(&parent.descriptor, name, flags)?;
        self.table.gone(&object.identity, &parent.identity, name);
        parent.settle()
    }

    /// Renames an object, and replaces any object that had the new name.
    pub(crate) fn rename(
        &mut self,
        from: (&Object, &[u8]),
        to: (&Object, &[u8]),
    ) -> Result<(), Status> {
        let object = self.lookup(from.0, legal(from.1)?)?;
        let replaced = self.lookup(to.0, legal(to.1)?).ok();
        if let Some(replaced) = &replaced
            && replaced.is_directory() != object.is_directory()
        {
            return Err(Status::EXIST);
        }
        fs::renameat(&from.0.descriptor, from.1, &to.0.descriptor, to.1)?;
        if replaced.as_ref().is_none_or(|replaced| replaced.identity != object.identity) {
            if let Some(replaced) = replaced {
                self.table.gone(&replaced.identity, &to.0.identity, to.1);
            }
            self.table.gone(&object.identity, &from.0.identity, from.1);
            self.saw(to.0, to.1, &object);
        }
        to.0.settle()?;
        from.0.settle()
    }

    /// Gives an object that is not a directory another name.
    pub(crate) fn link(
        &mut self,
        object: &Object,
        parent: &Object,
        name: &[u8],
    ) -> Result<(), Status> {
        if object.is_directory() {
            return Err(Status::INVAL);
        }
        let name = new(name)?;
        let follow = AtFlags::SYMLINK_FOLLOW;
        fs::linkat(CWD, object.magic(), &parent.descriptor, name, follow)?;
        self.saw(parent, name, object);
        parent.settle()
    }
}

/// Checks a name for a new object: `.` and `..` already exist.
fn new(name: &[u8]) -> Result<&[u8], Status> {
    if matches!(name, b"." | b"..") { Err(Status::EXIST) } else { legal(name) }
}

/// Returns times that hold the verifier of an exclusive creation until the client sets the times (RFC 1813
/// section 3.3.8).
fn remembering(verifier: &[u8; 8]) -> NewAttributes {
    let [a, b, c, d, e, f, g, h] = *verifier;
    let seconds = |bytes| u32::from_be_bytes(bytes) & 0x7fff_ffff;
    let time = |seconds| TimeChange::Set(Time { seconds, nanoseconds: 0 });
    NewAttributes {
        mode: Some(0o644),
        accessed: time(seconds([a, b, c, d])),
        modified: time(seconds([e, f, g, h])),
        ..NewAttributes::default()
    }
}
