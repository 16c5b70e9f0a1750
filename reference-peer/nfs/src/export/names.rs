//! What makes, removes and moves names in directories. Each puts the directory on stable storage
//! before it returns (RFC 1813 section 4.8).

use super::folder::{Export, legal};
use super::object::Object;
use crate::Status;
use crate::attributes::{FileType, NewAttributes, Time, TimeChange};
use rustix::fs::{self, AtFlags, CWD, FileType as Kind, Mode, OFlags};

/// How a file is created (createhow3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Creation {
    /// Whether it exists or not.
    Unchecked(NewAttributes),
    /// Only if it does not exist.
    Guarded(NewAttributes),
    /// Only if it does not exist, or was made by the same call before.
    Exclusive([u8; 8]),
}

impl Export {
    /// Makes a regular file.
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
                // What exists keeps all but the size.
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

    /// Makes a directory.
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

    /// Makes a symbolic link.
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

    /// Makes a named pipe or a socket. Devices are not made for anybody.
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

    /// Removes a name: of a directory, which must be empty, or of anything else.
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

    /// Gives an object another name, in place of what had it.
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

    /// Gives an object that is no directory a further name.
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

/// A name for something new: `.` and `..` exist.
fn new(name: &[u8]) -> Result<&[u8], Status> {
    if matches!(name, b"." | b"..") { Err(Status::EXIST) } else { legal(name) }
}

/// The verifier of an exclusive creation is kept in the times of the file, which the client sets
/// afterwards (RFC 1813 section 3.3.8).
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
