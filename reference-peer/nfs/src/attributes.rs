//! What is known of an object, what is changed of it, and what it was before and after
//! (RFC 1813 section 2.6).

use crate::rpc::{Builder, Reader};
use warpscope_wire::{Layer, Malformed, Problem};

/// The type of an object (ftype3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FileType {
    /// A regular file.
    #[default]
    Regular = 1,
    /// A directory.
    Directory = 2,
    /// A block device.
    BlockDevice = 3,
    /// A character device.
    CharacterDevice = 4,
    /// A symbolic link.
    SymbolicLink = 5,
    /// A socket.
    Socket = 6,
    /// A named pipe.
    NamedPipe = 7,
}

impl FileType {
    /// The type with that number.
    pub fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            1 => Self::Regular,
            2 => Self::Directory,
            3 => Self::BlockDevice,
            4 => Self::CharacterDevice,
            5 => Self::SymbolicLink,
            6 => Self::Socket,
            7 => Self::NamedPipe,
            _ => return None,
        })
    }
}

/// A time since 1970 (nfstime3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time {
    /// Whole seconds.
    pub seconds: u32,
    /// Nanoseconds beyond them.
    pub nanoseconds: u32,
}

impl Time {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self { seconds: reader.word("seconds")?, nanoseconds: reader.word("nanoseconds")? })
    }

    pub(super) fn write(self, builder: &mut Builder) {
        builder.word(self.seconds).word(self.nanoseconds);
    }
}

/// What is known of an object (fattr3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes {
    /// Its type.
    pub file_type: FileType,
    /// Permission bits.
    pub mode: u32,
    /// Hard links to it.
    pub links: u32,
    /// The user that owns it.
    pub user: u32,
    /// The group that owns it.
    pub group: u32,
    /// Size in bytes.
    pub size: u64,
    /// Bytes that it takes on the disk.
    pub used: u64,
    /// Major and minor number of a device.
    pub device: (u32, u32),
    /// The file system.
    pub file_system: u64,
    /// The object in its file system.
    pub file_id: u64,
    /// Last access.
    pub accessed: Time,
    /// Last change of the content.
    pub modified: Time,
    /// Last change of content or attributes.
    pub changed: Time,
}

impl Attributes {
    /// Bytes of XDR.
    pub(super) const LENGTH: usize = 84;

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let number = reader.word("file type")?;
        let file_type = FileType::from_number(number).ok_or(Malformed {
            layer: Layer::Rpc,
            field: "file type",
            problem: Problem::Value(number.into()),
        })?;
        Ok(Self {
            file_type,
            mode: reader.word("mode")?,
            links: reader.word("links")?,
            user: reader.word("user")?,
            group: reader.word("group")?,
            size: reader.long("size")?,
            used: reader.long("used")?,
            device: (reader.word("major number")?, reader.word("minor number")?),
            file_system: reader.long("file system")?,
            file_id: reader.long("file ID")?,
            accessed: Time::read(reader)?,
            modified: Time::read(reader)?,
            changed: Time::read(reader)?,
        })
    }

    pub(super) fn write(&self, builder: &mut Builder) {
        builder.word(self.file_type as u32).word(self.mode).word(self.links);
        builder.word(self.user).word(self.group).long(self.size).long(self.used);
        builder.word(self.device.0).word(self.device.1);
        builder.long(self.file_system).long(self.file_id);
        for time in [self.accessed, self.modified, self.changed] {
            time.write(builder);
        }
    }

    /// Optional attributes (post_op_attr).
    pub(super) fn read_optional(reader: &mut Reader<'_>) -> Result<Option<Self>, Malformed> {
        Ok(if reader.boolean("attributes follow")? { Some(Self::read(reader)?) } else { None })
    }

    /// Optional attributes (post_op_attr).
    pub(super) fn write_optional(attributes: Option<&Self>, builder: &mut Builder) {
        builder.boolean(attributes.is_some());
        if let Some(attributes) = attributes {
            attributes.write(builder);
        }
    }
}

/// What is done to a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeChange {
    /// It stays.
    #[default]
    Keep,
    /// It becomes the time of the server.
    Server,
    /// It becomes that time.
    Set(Time),
}

impl TimeChange {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        match reader.word("time change")? {
            0 => Ok(Self::Keep),
            1 => Ok(Self::Server),
            2 => Time::read(reader).map(Self::Set),
            other => Err(Malformed {
                layer: Layer::Rpc,
                field: "time change",
                problem: Problem::Value(other.into()),
            }),
        }
    }

    fn write(self, builder: &mut Builder) {
        match self {
            Self::Keep => {
                builder.word(0);
            }
            Self::Server => {
                builder.word(1);
            }
            Self::Set(time) => time.write(builder.word(2)),
        }
    }
}

/// What is changed of an object, or set of a new one (sattr3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewAttributes {
    /// Permission bits.
    pub mode: Option<u32>,
    /// The user that owns it.
    pub user: Option<u32>,
    /// The group that owns it.
    pub group: Option<u32>,
    /// Size in bytes.
    pub size: Option<u64>,
    /// Last access.
    pub accessed: TimeChange,
    /// Last change of the content.
    pub modified: TimeChange,
}

impl NewAttributes {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        fn word(reader: &mut Reader<'_>, field: &'static str) -> Result<Option<u32>, Malformed> {
            Ok(if reader.boolean("value follows")? { Some(reader.word(field)?) } else { None })
        }
        Ok(Self {
            mode: word(reader, "mode")?,
            user: word(reader, "user")?,
            group: word(reader, "group")?,
            size: match reader.boolean("value follows")? {
                true => Some(reader.long("size")?),
                false => None,
            },
            accessed: TimeChange::read(reader)?,
            modified: TimeChange::read(reader)?,
        })
    }

    pub(super) fn write(&self, builder: &mut Builder) {
        for value in [self.mode, self.user, self.group] {
            builder.boolean(value.is_some());
            value.map(|value| builder.word(value));
        }
        builder.boolean(self.size.is_some());
        self.size.map(|size| builder.long(size));
        self.accessed.write(builder);
        self.modified.write(builder);
    }
}

/// What an object was before an operation, and is after it (wcc_data).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BeforeAndAfter {
    /// Size, content's last change and last change before.
    pub before: Option<(u64, Time, Time)>,
    /// Attributes after.
    pub after: Option<Attributes>,
}

impl BeforeAndAfter {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        let before = match reader.boolean("attributes follow")? {
            true => Some((reader.long("size")?, Time::read(reader)?, Time::read(reader)?)),
            false => None,
        };
        Ok(Self { before, after: Attributes::read_optional(reader)? })
    }

    pub(super) fn write(&self, builder: &mut Builder) {
        builder.boolean(self.before.is_some());
        if let Some((size, modified, changed)) = self.before {
            modified.write(builder.long(size));
            changed.write(builder);
        }
        Attributes::write_optional(self.after.as_ref(), builder);
    }
}
