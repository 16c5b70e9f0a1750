//! An object that was opened: what is known of it, and what is done to it.

use super::handle::Identity;
use crate::attributes::{Attributes, FileType, NewAttributes, Time, TimeChange};
use crate::{Status, access};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{
    self, Access, AtFlags, CWD, FileType as Kind, Gid, Mode, OFlags, StatVfs, Statx, StatxFlags,
    StatxTimestamp, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, Uid, openat, statx,
};
use rustix::io::{pread, pwrite};

/// What is on stable storage when a WRITE is answered (stable_how).
const UNSTABLE: u32 = 0;
const DATA_SYNC: u32 = 1;
pub(crate) const FILE_SYNC: u32 = 2;

/// An object, opened without any right to its content.
#[derive(Debug)]
pub(crate) struct Object {
    pub(super) descriptor: OwnedFd,
    pub(super) identity: Identity,
    /// Of what is beneath, the device of the folder.
    root_device: u64,
    known: Statx,
}

impl Object {
    pub(super) fn new(
        descriptor: OwnedFd,
        root_device: Option<u64>,
    ) -> Result<Self, rustix::io::Errno> {
        let known = look(&descriptor)?;
        let device = device(known.stx_dev_major, known.stx_dev_minor);
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

    /// The same object, looked at again.
    pub(super) fn again(&self) -> Result<Self, Status> {
        let descriptor = self.descriptor.try_clone().map_err(|_| Status::JUKEBOX)?;
        Ok(Self::new(descriptor, Some(self.root_device))?)
    }

    /// What goes by a name in this directory; never what a symbolic link points to.
    pub(super) fn child(&self, name: &[u8], root_device: u64) -> Result<Self, Status> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let child = openat(&self.descriptor, name, flags, Mode::empty())?;
        Ok(Self::new(child, Some(root_device))?)
    }

    /// A name of the object itself, by which it is reached whatever happened to its names.
    pub(super) fn magic(&self) -> String {
        format!("/proc/self/fd/{}", self.descriptor.as_fd().as_raw_fd())
    }

    /// Opens the object's content.
    pub(super) fn reopen(&self, flags: OFlags) -> Result<OwnedFd, Status> {
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

    /// What was known when the object was opened.
    pub(crate) fn attributes(&self) -> Attributes {
        self.described(&self.known)
    }

    /// What is known now; `None` when it cannot be had.
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

    /// All that is exported is one file system to a client, even where others are mounted in it.
    fn file_id(&self, device: u64, inode: u64) -> u64 {
        let other = (device ^ self.root_device).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        inode ^ other
    }

    /// Which of the rights that are asked for the server's process has.
    pub(crate) fn access(&self, wanted: u32, read_only: bool) -> u32 {
        let may = |kind| fs::accessat(CWD, self.magic(), kind, AtFlags::EACCESS).is_ok();
        // The magic name of a symbolic link leads to the link, which anyone may read.
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

    /// Refuses what is no regular file: NFS3ERR_ISDIR or NFS3ERR_INVAL.
    pub(super) fn regular(&self) -> Result<(), Status> {
        match self.file_type() {
            FileType::Regular => Ok(()),
            FileType::Directory => Err(Status::ISDIR),
            _ => Err(Status::INVAL),
        }
    }

    /// Up to `count` bytes of a regular file, and whether they reach its end.
    pub(crate) fn read(&self, offset: u64, count: u32) -> Result<(Vec<u8>, bool), Status> {
        if self.file_type() != FileType::Regular {
            // RFC 1813 section 3.3.6 has no ISDIR here.
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

    /// Writes all of `data` into a regular file, and puts it on stable storage as far as `stable` says.
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

    /// Puts what was written to a file, or changed in a directory, on stable storage. What may be neither
    /// read nor written cannot be opened for that, and is left to the system.
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

    /// The target of a symbolic link.
    pub(crate) fn target(&self) -> Result<Vec<u8>, Status> {
        if self.file_type() != FileType::SymbolicLink {
            return Err(Status::INVAL);
        }
        Ok(fs::readlinkat(&self.descriptor, "", Vec::new())?.into_bytes())
    }

    /// The file system that it is in.
    pub(crate) fn space(&self) -> Result<StatVfs, Status> {
        Ok(fs::fstatvfs(&self.descriptor)?)
    }
}

fn look(descriptor: &OwnedFd) -> Result<Statx, rustix::io::Errno> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    statx(descriptor, "", AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW, wanted)
}

fn device(major: u32, minor: u32) -> u64 {
    u64::from(major) << 32 | u64::from(minor)
}

/// A time, at least 1970 and at most what 32 bits of seconds hold.
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
