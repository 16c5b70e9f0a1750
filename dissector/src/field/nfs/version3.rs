/// Fields that NFS shares between its versions, and with MOUNT and NFSACL.
pub mod common {
    use crate::field::fields;
    use crate::field::nfs::names::{FILE_TYPES, PROCEDURES_3, PROCEDURES_4, STATUS};

    fields! {
        NFS: Protocol, Plain, Wireshark, "nfs", "Network File System", "Network File System, versions 3 (RFC 1813) and 4 (RFC 7530, RFC 8881, RFC 7862)";
        PROCEDURE_3: Unsigned(32), Named(PROCEDURES_3), Wireshark, "nfs.procedure_v3", "V3 Procedure", "The procedure of version 3 (RFC 1813 section 3.3)";
        PROCEDURE_4: Unsigned(32), Named(PROCEDURES_4), Wireshark, "nfs.procedure_v4", "V4 Procedure", "The procedure of version 4 (RFC 8881 section 16)";
        STATUS_ANY: Unsigned(32), Named(STATUS), Wireshark, "nfs.status", "Status", "The status of a result, whatever the version: repeats nfs.status3 or nfs.nfsstat4";
        MALFORMED: Text, Plain, Own, "nfs.malformed", "Malformed", "Why arguments or results cannot be read";
        LEFT_OVER: Bytes, Plain, Own, "nfs.left_over", "Left over", "Bytes after the end of the arguments or results";
        NOTE: Text, Plain, Own, "nfs.note", "Note", "What was found out on the way through arguments or results";
        FILE_HANDLE: Heading, Plain, Own, "nfs.file_handle", "File handle", "A file handle (RFC 1813 section 2.6, RFC 8881 section 4)";
        HANDLE_LENGTH: Unsigned(32), Plain, Wireshark, "nfs.fh.length", "Length", "Bytes of the file handle";
        HANDLE_HASH: Unsigned(32), Hexadecimal, Wireshark, "nfs.fh.hash", "Hash (CRC-32)", "CRC-32 of the file handle's bytes: a short name for it";
        HANDLE: Bytes, Plain, Wireshark, "nfs.fhandle", "File handle", "The file handle's bytes";
        NAME: Text, Plain, Wireshark, "nfs.name", "Name", "The name of a file in its directory (RFC 1813 section 2.5)";
        DATA: Bytes, Plain, Wireshark, "nfs.data", "Data", "Bytes of a file, or others without a meaning for the protocol";
        DATA_LENGTH: Unsigned(32), Plain, Own, "nfs.data_length", "Data length", "Bytes of file data";
        DATA_PLACE: Text, Plain, Own, "nfs.data_place", "Data place", "That the bytes of a data item were moved through a chunk, and how many are missing";
        READ_LENGTH: Unsigned(32), Plain, Wireshark, "nfs.read.data_length", "Read length", "Bytes of the file that were read (RFC 8881 section 18.22)";
        WRITE_LENGTH: Unsigned(32), Plain, Wireshark, "nfs.write.data_length", "Write length", "Bytes of the file to write (RFC 8881 section 18.32)";
        FILE_TYPE: Unsigned(32), Named(FILE_TYPES), Wireshark, "nfs.nfs_ftype4", "Ftype4", "The type of a file (RFC 8881 section 5.8.1.2)";
        MAJOR_DEVICE: Unsigned(32), Plain, Wireshark, "nfs.specdata1", "Specdata1", "Major number of a device (RFC 1813 section 2.6)";
        MINOR_DEVICE: Unsigned(32), Plain, Wireshark, "nfs.specdata2", "Specdata2", "Minor number of a device (RFC 1813 section 2.6)";
        ACCESS_CHECK: Unsigned(8), Hexadecimal, Wireshark, "nfs.access_check", "Check access", "The access that is asked about (RFC 1813 section 3.3.4, RFC 8881 section 18.1)";
        ACCESS_SUPPORTED: Unsigned(8), Hexadecimal, Wireshark, "nfs.access_supported", "Supported types (of requested)", "The access that the server can report on (RFC 8881 section 18.1)";
        ACCESS_RIGHTS: Unsigned(8), Hexadecimal, Wireshark, "nfs.access_rights", "Access rights (of requested)", "The access that is granted (RFC 1813 section 3.3.4, RFC 8881 section 18.1)";
        SUPPORTED_READ: Boolean, Plain, Wireshark, "nfs.access_supp_read", "0x001 READ", "Whether the server can report on reading";
        SUPPORTED_LOOKUP: Boolean, Plain, Wireshark, "nfs.access_supp_lookup", "0x002 LOOKUP", "Whether the server can report on looking up names";
        SUPPORTED_MODIFY: Boolean, Plain, Wireshark, "nfs.access_supp_modify", "0x004 MODIFY", "Whether the server can report on changing existing data or entries";
        SUPPORTED_EXTEND: Boolean, Plain, Wireshark, "nfs.access_supp_extend", "0x008 EXTEND", "Whether the server can report on adding";
        SUPPORTED_DELETE: Boolean, Plain, Wireshark, "nfs.access_supp_delete", "0x010 DELETE", "Whether the server can report on deleting";
        SUPPORTED_EXECUTE: Boolean, Plain, Wireshark, "nfs.access_supp_execute", "0x020 EXECUTE", "Whether the server can report on executing";
        SUPPORTED_XATTR_READ: Boolean, Plain, Wireshark, "nfs.access_supp_xattr_read", "0x040 XATTR READ", "Whether the server can report on reading extended attributes (RFC 8276)";
        SUPPORTED_XATTR_WRITE: Boolean, Plain, Wireshark, "nfs.access_supp_xattr_write", "0x080 XATTR WRITE", "Whether the server can report on writing extended attributes (RFC 8276)";
        SUPPORTED_XATTR_LIST: Boolean, Plain, Wireshark, "nfs.access_supp_xattr_list", "0x100 XATTR LIST", "Whether the server can report on listing extended attributes (RFC 8276)";
        ACCESS_READ: Boolean, Plain, Wireshark, "nfs.access_read", "0x001 READ", "Reading a file or directory (RFC 1813 section 3.3.4)";
        ACCESS_LOOKUP: Boolean, Plain, Wireshark, "nfs.access_lookup", "0x002 LOOKUP", "Looking up a name in a directory (RFC 1813 section 3.3.4)";
        ACCESS_MODIFY: Boolean, Plain, Wireshark, "nfs.access_modify", "0x004 MODIFY", "Changing existing data or entries (RFC 1813 section 3.3.4)";
        ACCESS_EXTEND: Boolean, Plain, Wireshark, "nfs.access_extend", "0x008 EXTEND", "Adding data or entries (RFC 1813 section 3.3.4)";
        ACCESS_DELETE: Boolean, Plain, Wireshark, "nfs.access_delete", "0x010 DELETE", "Deleting an entry (RFC 1813 section 3.3.4)";
        ACCESS_EXECUTE: Boolean, Plain, Wireshark, "nfs.access_execute", "0x020 EXECUTE", "Executing a file (RFC 1813 section 3.3.4)";
        ACCESS_XATTR_READ: Boolean, Plain, Wireshark, "nfs.access_xattr_read", "0x040 XATTR READ", "Reading extended attributes (RFC 8276)";
        ACCESS_XATTR_WRITE: Boolean, Plain, Wireshark, "nfs.access_xattr_write", "0x080 XATTR WRITE", "Writing extended attributes (RFC 8276)";
        ACCESS_XATTR_LIST: Boolean, Plain, Wireshark, "nfs.access_xattr_list", "0x100 XATTR LIST", "Listing extended attributes (RFC 8276)";
    }
}

/// Fields of NFS version 3 (RFC 1813).
pub mod v3 {
    use crate::field::fields;
    use crate::field::nfs::names::{CREATE_MODES, FILE_TYPES_3, STABLE_HOW, STATUS_3, TIME_HOW};

    /// Whether something follows.
    pub const FOLLOWS: &[(u64, &str)] = &[(0, "no value"), (1, "value follows")];

    fields! {
        STATUS: Unsigned(32), Named(STATUS_3), Wireshark, "nfs.status3", "Status", "The status of a result (RFC 1813 section 2.6)";
        OBJECT: Heading, Plain, Own, "nfs.object", "Object", "The file or directory that the procedure is about";
        OBJECT_ATTRIBUTES: Heading, Plain, Own, "nfs.obj_attributes", "Attributes", "Attributes of the object after the procedure (RFC 1813 section 2.6)";
        DIRECTORY_ATTRIBUTES: Heading, Plain, Own, "nfs.dir_attributes", "Directory attributes", "Attributes of the directory after the procedure (RFC 1813 section 2.6)";
        WEAK_CACHE_CONSISTENCY: Heading, Plain, Own, "nfs.wcc", "Weak cache consistency", "Attributes of an object before and after the procedure (RFC 1813 section 2.6)";
        FROM_DIRECTORY: Heading, Plain, Own, "nfs.fromdir_wcc", "Source directory", "Attributes of the directory that a file left (RFC 1813 section 3.3.14)";
        TO_DIRECTORY: Heading, Plain, Own, "nfs.todir_wcc", "Target directory", "Attributes of the directory that a file came to (RFC 1813 section 3.3.14)";
        BEFORE: Heading, Plain, Own, "nfs.before", "Before", "Attributes before the procedure (RFC 1813 section 2.6)";
        AFTER: Heading, Plain, Own, "nfs.after", "After", "Attributes after the procedure (RFC 1813 section 2.6)";
        NEW_ATTRIBUTES: Heading, Plain, Own, "nfs.new_attributes", "New attributes", "Attributes to set (RFC 1813 section 2.6)";
        WHERE: Heading, Plain, Own, "nfs.where", "Where", "A directory and a name in it (RFC 1813 section 2.6)";
        FROM: Heading, Plain, Own, "nfs.from", "From", "The directory and name that a file leaves (RFC 1813 section 3.3.14)";
        TO: Heading, Plain, Own, "nfs.to", "To", "The directory and name that a file comes to (RFC 1813 section 3.3.14)";
        ATTRIBUTES_FOLLOW: Unsigned(32), Named(FOLLOWS), Wireshark, "nfs.attributes_follow", "Attributes_follow", "Whether attributes follow (RFC 1813 section 2.6)";
        HANDLE_FOLLOW: Unsigned(32), Named(FOLLOWS), Wireshark, "nfs.handle_follow", "Handle_follow", "Whether a file handle follows (RFC 1813 section 2.6)";
        VALUE_FOLLOWS: Boolean, Plain, Own, "nfs.entry_follows", "Entry follows", "Whether one more entry of the list follows (RFC 4506 section 4.19)";
        SET_IT: Unsigned(32), Named(TIME_HOW), Wireshark, "nfs.set_it", "Set_it", "Whether and how an attribute is set (RFC 1813 section 2.6)";
        CHECK: Unsigned(32), Named(FOLLOWS), Wireshark, "nfs.sattrguard3", "Check", "Whether the change is made only if the change time is the given one (RFC 1813 section 3.3.2)";
        TYPE: Unsigned(32), Named(FILE_TYPES_3), Wireshark, "nfs.fattr3.type", "Type", "The type of the file (RFC 1813 section 2.6)";
        MODE: Unsigned(32), Plain, Wireshark, "nfs.mode3", "Mode", "Permission bits (RFC 1813 section 2.6)";
        MODE_SET_UID: Boolean, Plain, Wireshark, "nfs.mode3.suid", "S_ISUID", "Set user ID on execution (RFC 1813 section 2.6)";
        MODE_SET_GID: Boolean, Plain, Wireshark, "nfs.mode3.sgid", "S_ISGID", "Set group ID on execution (RFC 1813 section 2.6)";
        MODE_STICKY: Boolean, Plain, Wireshark, "nfs.mode3.sticky", "S_ISVTX", "Save swapped text (RFC 1813 section 2.6)";
        MODE_OWNER_READ: Boolean, Plain, Wireshark, "nfs.mode3.rusr", "S_IRUSR", "The owner may read (RFC 1813 section 2.6)";
        MODE_OWNER_WRITE: Boolean, Plain, Wireshark, "nfs.mode3.wusr", "S_IWUSR", "The owner may write (RFC 1813 section 2.6)";
        MODE_OWNER_EXECUTE: Boolean, Plain, Wireshark, "nfs.mode3.xusr", "S_IXUSR", "The owner may execute or look up (RFC 1813 section 2.6)";
        MODE_GROUP_READ: Boolean, Plain, Wireshark, "nfs.mode3.rgrp", "S_IRGRP", "The group may read (RFC 1813 section 2.6)";
        MODE_GROUP_WRITE: Boolean, Plain, Wireshark, "nfs.mode3.wgrp", "S_IWGRP", "The group may write (RFC 1813 section 2.6)";
        MODE_GROUP_EXECUTE: Boolean, Plain, Wireshark, "nfs.mode3.xgrp", "S_IXGRP", "The group may execute or look up (RFC 1813 section 2.6)";
        MODE_OTHER_READ: Boolean, Plain, Wireshark, "nfs.mode3.roth", "S_IROTH", "Others may read (RFC 1813 section 2.6)";
        MODE_OTHER_WRITE: Boolean, Plain, Wireshark, "nfs.mode3.woth", "S_IWOTH", "Others may write (RFC 1813 section 2.6)";
        MODE_OTHER_EXECUTE: Boolean, Plain, Wireshark, "nfs.mode3.xoth", "S_IXOTH", "Others may execute or look up (RFC 1813 section 2.6)";
        LINKS: Unsigned(32), Plain, Wireshark, "nfs.fattr3.nlink", "Nlink", "Number of names of the file (RFC 1813 section 2.6)";
        UID: Unsigned(32), Plain, Wireshark, "nfs.fattr3.uid", "Uid", "The owner (RFC 1813 section 2.6)";
        GID: Unsigned(32), Plain, Wireshark, "nfs.fattr3.gid", "Gid", "The owner's group (RFC 1813 section 2.6)";
        SIZE: Unsigned(64), Plain, Wireshark, "nfs.fattr3.size", "Size", "Bytes of the file (RFC 1813 section 2.6)";
        USED: Unsigned(64), Plain, Wireshark, "nfs.fattr3.used", "Used", "Bytes of disk space in use (RFC 1813 section 2.6)";
        FILE_SYSTEM_ID: Unsigned(64), Hexadecimal, Wireshark, "nfs.fattr3.fsid", "Fsid", "The file system (RFC 1813 section 2.6)";
        FILE_ID: Unsigned(64), Plain, Wireshark, "nfs.fattr3.fileid", "Fileid", "The file's number in its file system (RFC 1813 section 2.6)";
        ACCESS_TIME: AbsoluteTime, Plain, Wireshark, "nfs.atime", "Atime", "When the file was last read (RFC 1813 section 2.6)";
        ACCESS_SECONDS: Unsigned(32), Plain, Wireshark, "nfs.atime.sec", "Seconds", "Seconds of the access time";
        ACCESS_NANOSECONDS: Unsigned(32), Plain, Wireshark, "nfs.atime.nsec", "Nano seconds", "Nanoseconds of the access time";
        MODIFY_TIME: AbsoluteTime, Plain, Wireshark, "nfs.mtime", "Mtime", "When the file's data was last changed (RFC 1813 section 2.6)";
        MODIFY_SECONDS: Unsigned(32), Plain, Wireshark, "nfs.mtime.sec", "Seconds", "Seconds of the modify time";
        MODIFY_NANOSECONDS: Unsigned(32), Plain, Wireshark, "nfs.mtime.nsec", "Nano seconds", "Nanoseconds of the modify time";
        CHANGE_TIME: AbsoluteTime, Plain, Wireshark, "nfs.ctime", "Ctime", "When the file's attributes were last changed (RFC 1813 section 2.6)";
        CHANGE_SECONDS: Unsigned(32), Plain, Wireshark, "nfs.ctime.sec", "Seconds", "Seconds of the change time";
        CHANGE_NANOSECONDS: Unsigned(32), Plain, Wireshark, "nfs.ctime.nsec", "Nano seconds", "Nanoseconds of the change time";
        SIZE_BEFORE: Unsigned(64), Plain, Wireshark, "nfs.wcc_attr.size", "Size", "Bytes of the file before the procedure (RFC 1813 section 2.6)";
        SET_SIZE: Unsigned(64), Plain, Wireshark, "nfs.set_size", "Size", "The size to set (RFC 1813 section 2.6)";
        SET_UID: Unsigned(32), Plain, Wireshark, "nfs.uid3", "Uid", "The owner to set (RFC 1813 section 2.6)";
        SET_GID: Unsigned(32), Plain, Wireshark, "nfs.gid3", "Gid", "The group to set (RFC 1813 section 2.6)";
        OFFSET: Unsigned(64), Plain, Wireshark, "nfs.offset3", "Offset", "Where in the file (RFC 1813 sections 3.3.6, 3.3.7 and 3.3.21)";
        COUNT: Unsigned(32), Plain, Wireshark, "nfs.count3", "Count", "Bytes to move, or moved (RFC 1813 sections 3.3.6, 3.3.7 and 3.3.21)";
        DIRECTORY_COUNT: Unsigned(32), Plain, Wireshark, "nfs.count3_dircount", "Dircount", "The most bytes of names, cookies and file IDs (RFC 1813 section 3.3.17)";
        MAXIMUM_COUNT: Unsigned(32), Plain, Wireshark, "nfs.count3_maxcount", "Maxcount", "The most bytes of the result (RFC 1813 section 3.3.17)";
        END_OF_FILE: Boolean, Plain, Wireshark, "nfs.read.eof", "EOF", "Whether the read came to the end of the file (RFC 1813 section 3.3.6)";
        STABLE: Unsigned(32), Named(STABLE_HOW), Wireshark, "nfs.write.stable", "Stable", "What must be on stable storage before the reply (RFC 1813 section 3.3.7)";
        COMMITTED: Unsigned(32), Named(STABLE_HOW), Wireshark, "nfs.write.committed", "Committed", "What is on stable storage (RFC 1813 section 3.3.7)";
        VERIFIER: Bytes, Plain, Wireshark, "nfs.verifier", "Verifier", "A cookie: of a write, a directory's state or an exclusive create (RFC 1813 section 2.5)";
        LINK_CONTENTS: Text, Plain, Wireshark, "nfs.readlink.data", "Data", "What a symbolic link holds (RFC 1813 section 3.3.5)";
        LINK_TARGET: Text, Plain, Wireshark, "nfs.symlink.to", "To", "What a symbolic link will hold (RFC 1813 section 3.3.10)";
        CREATE_MODE: Unsigned(32), Named(CREATE_MODES), Wireshark, "nfs.createmode", "Create Mode", "What happens if the name already exists (RFC 1813 section 3.3.8)";
        NODE_TYPE: Unsigned(32), Named(FILE_TYPES_3), Wireshark, "nfs.type", "Type", "The type of the special file to make (RFC 1813 section 3.3.11)";
        COOKIE: Unsigned(64), Plain, Wireshark, "nfs.cookie3", "Cookie", "Where in the directory to continue (RFC 1813 sections 3.3.16 and 3.3.17)";
        ENTRY: Heading, Plain, Wireshark, "nfs.readdir.entry", "Entry", "An entry of a directory (RFC 1813 sections 3.3.16 and 3.3.17)";
        ENTRY_FILE_ID: Unsigned(64), Plain, Wireshark, "nfs.readdir.entry3.fileid", "File ID", "The entry's file number (RFC 1813 section 3.3.16)";
        ENTRY_NAME: Text, Plain, Wireshark, "nfs.readdir.entry3.name", "Name", "The entry's name (RFC 1813 section 3.3.16)";
        ENTRY_COOKIE: Unsigned(64), Plain, Wireshark, "nfs.readdir.entry3.cookie", "Cookie", "Where the next READDIR continues (RFC 1813 section 3.3.16)";
        PLUS_FILE_ID: Unsigned(64), Plain, Wireshark, "nfs.readdirplus.entry.fileid", "File ID", "The entry's file number (RFC 1813 section 3.3.17)";
        PLUS_NAME: Text, Plain, Wireshark, "nfs.readdirplus.entry.name", "Name", "The entry's name (RFC 1813 section 3.3.17)";
        PLUS_COOKIE: Unsigned(64), Plain, Wireshark, "nfs.readdirplus.entry.cookie", "Cookie", "Where the next READDIRPLUS continues (RFC 1813 section 3.3.17)";
        DIRECTORY_END: Unsigned(32), Plain, Wireshark, "nfs.readdir.eof", "EOF", "Whether the directory has no more entries (RFC 1813 sections 3.3.16 and 3.3.17)";
        TOTAL_BYTES: Unsigned(64), Plain, Wireshark, "nfs.fsstat3_resok.tbytes", "Total bytes", "Size of the file system in bytes (RFC 1813 section 3.3.18)";
        FREE_BYTES: Unsigned(64), Plain, Wireshark, "nfs.fsstat3_resok.fbytes", "Free bytes", "Free bytes of the file system (RFC 1813 section 3.3.18)";
        AVAILABLE_BYTES: Unsigned(64), Plain, Wireshark, "nfs.fsstat3_resok.abytes", "Available free bytes", "Free bytes that the user may have (RFC 1813 section 3.3.18)";
        TOTAL_FILES: Unsigned(64), Plain, Wireshark, "nfs.fsstat3_resok.tfiles", "Total file slots", "File slots of the file system (RFC 1813 section 3.3.18)";
        FREE_FILES: Unsigned(64), Plain, Wireshark, "nfs.fsstat3_resok.ffiles", "Free file slots", "Free file slots (RFC 1813 section 3.3.18)";
        AVAILABLE_FILES: Unsigned(64), Plain, Wireshark, "nfs.fsstat3_resok.afiles", "Available free file slots", "Free file slots that the user may have (RFC 1813 section 3.3.18)";
        INVARIANT_SECONDS: Unsigned(32), Plain, Wireshark, "nfs.fsstat.invarsec", "Invarsec", "Seconds that the file system is expected not to change (RFC 1813 section 3.3.18)";
        READ_MAXIMUM: Unsigned(32), Plain, Wireshark, "nfs.fsinfo.rtmax", "Rtmax", "The most bytes of a READ (RFC 1813 section 3.3.19)";
        READ_PREFERRED: Unsigned(32), Plain, Wireshark, "nfs.fsinfo.rtpref", "Rtpref", "Bytes that a READ should ask for (RFC 1813 section 3.3.19)";
        READ_MULTIPLE: Unsigned(32), Plain, Wireshark, "nfs.fsinfo.rtmult", "Rtmult", "What a READ's size should be a multiple of (RFC 1813 section 3.3.19)";
        WRITE_MAXIMUM: Unsigned(32), Plain, Wireshark, "nfs.fsinfo.wtmax", "Wtmax", "The most bytes of a WRITE (RFC 1813 section 3.3.19)";
        WRITE_PREFERRED: Unsigned(32), Plain, Wireshark, "nfs.fsinfo.wtpref", "Wtpref", "Bytes that a WRITE should have (RFC 1813 section 3.3.19)";
        WRITE_MULTIPLE: Unsigned(32), Plain, Wireshark, "nfs.fsinfo.wtmult", "Wtmult", "What a WRITE's size should be a multiple of (RFC 1813 section 3.3.19)";
        DIRECTORY_PREFERRED: Unsigned(32), Plain, Wireshark, "nfs.fsinfo.dtpref", "Dtpref", "Bytes that a READDIR should ask for (RFC 1813 section 3.3.19)";
        LARGEST_FILE: Unsigned(64), Plain, Wireshark, "nfs.fsinfo.maxfilesize", "Maxfilesize", "The most bytes of a file (RFC 1813 section 3.3.19)";
        TIME_DELTA: RelativeTime, Plain, Wireshark, "nfs.dtime", "Time delta", "The resolution of the server's times (RFC 1813 section 3.3.19)";
        DELTA_SECONDS: Unsigned(32), Plain, Wireshark, "nfs.dtime.sec", "Seconds", "Seconds of the time delta";
        DELTA_NANOSECONDS: Unsigned(32), Plain, Wireshark, "nfs.dtime.nsec", "Nano seconds", "Nanoseconds of the time delta";
        PROPERTIES: Unsigned(32), Hexadecimal, Wireshark, "nfs.fsinfo.properties", "Properties", "What the file system can do (RFC 1813 section 3.3.19)";
        CAN_SET_TIME: Boolean, Plain, Wireshark, "nfs.fsinfo.properties.setattr", "SETATTR can set time on server", "SETATTR can set times on the server exactly (RFC 1813 section 3.3.19)";
        HOMOGENEOUS: Boolean, Plain, Wireshark, "nfs.fsinfo.properties.pathconf", "PATHCONF", "PATHCONF says the same for every file (RFC 1813 section 3.3.19)";
        SYMBOLIC_LINKS: Boolean, Plain, Wireshark, "nfs.fsinfo.properties.symlinks", "File System supports symbolic links", "There are symbolic links (RFC 1813 section 3.3.19)";
        HARD_LINKS: Boolean, Plain, Wireshark, "nfs.fsinfo.properties.hardlinks", "File System supports hard links", "There are hard links (RFC 1813 section 3.3.19)";
        LINK_MAXIMUM: Unsigned(32), Plain, Wireshark, "nfs.pathconf.linkmax", "Linkmax", "The most names of a file (RFC 1813 section 3.3.20)";
        NAME_MAXIMUM: Unsigned(32), Plain, Wireshark, "nfs.pathconf.name_max", "Name_max", "The most bytes of a name (RFC 1813 section 3.3.20)";
        NO_TRUNCATION: Boolean, Plain, Wireshark, "nfs.pathconf.no_trunc", "No_trunc", "Whether a name that is too long is an error (RFC 1813 section 3.3.20)";
        CHOWN_RESTRICTED: Boolean, Plain, Wireshark, "nfs.pathconf.chown_restricted", "Chown_restricted", "Whether only the superuser changes owners (RFC 1813 section 3.3.20)";
        CASE_INSENSITIVE: Boolean, Plain, Wireshark, "nfs.pathconf.case_insensitive", "Case_insensitive", "Whether names that differ in case are the same (RFC 1813 section 3.3.20)";
        CASE_PRESERVING: Boolean, Plain, Wireshark, "nfs.pathconf.case_preserving", "Case_preserving", "Whether the case of names is kept (RFC 1813 section 3.3.20)";
    }
}

/// Fields of the MOUNT protocol, versions 1 to 3 (RFC 1813 appendix I).
pub mod mount {
    use crate::field::fields;
    use crate::field::nfs::names::{FLAVORS, MOUNT_PROCEDURES, MOUNT_STATUS};

    fields! {
        MOUNT: Protocol, Plain, Wireshark, "mount", "Mount Service", "The MOUNT protocol (RFC 1813 appendix I)";
        PROCEDURE_1: Unsigned(32), Named(MOUNT_PROCEDURES), Wireshark, "mount.procedure_v1", "V1 Procedure", "The procedure of version 1 (RFC 1094 appendix A)";
        PROCEDURE_2: Unsigned(32), Named(MOUNT_PROCEDURES), Wireshark, "mount.procedure_v2", "V2 Procedure", "The procedure of version 2";
        PROCEDURE_3: Unsigned(32), Named(MOUNT_PROCEDURES), Wireshark, "mount.procedure_v3", "V3 Procedure", "The procedure of version 3 (RFC 1813 section 5.2)";
        PATH: Text, Plain, Wireshark, "mount.path", "Path", "The directory to mount or unmount (RFC 1813 section 5.2)";
        STATUS: Unsigned(32), Named(MOUNT_STATUS), Wireshark, "mount.status", "Status", "The status of a MNT (RFC 1813 section 5.1.5)";
        MOUNT_ENTRY: Heading, Plain, Wireshark, "mount.dump.entry", "Mount List Entry", "A client and what it mounted (RFC 1813 section 5.2.2)";
        HOST_NAME: Text, Plain, Wireshark, "mount.dump.hostname", "Hostname", "The client (RFC 1813 section 5.2.2)";
        DIRECTORY: Text, Plain, Wireshark, "mount.dump.directory", "Directory", "What it mounted (RFC 1813 section 5.2.2)";
        EXPORT_ENTRY: Heading, Plain, Wireshark, "mount.export.entry", "Export List Entry", "A directory that is exported (RFC 1813 section 5.2.5)";
        EXPORT_DIRECTORY: Text, Plain, Wireshark, "mount.export.directory", "Directory", "The directory (RFC 1813 section 5.2.5)";
        EXPORT_GROUPS: Heading, Plain, Wireshark, "mount.export.groups", "Groups", "Who may mount it (RFC 1813 section 5.2.5)";
        EXPORT_GROUP: Text, Plain, Wireshark, "mount.export.group", "Group", "A name of who may mount it (RFC 1813 section 5.2.5)";
        FLAVORS_COUNT: Unsigned(32), Plain, Wireshark, "mount.flavors", "Flavors", "Number of authentication flavors (RFC 1813 section 5.2.1)";
        FLAVOR: Unsigned(32), Named(FLAVORS), Wireshark, "mount.flavor", "Flavor", "An authentication flavor that the server takes (RFC 1813 section 5.2.1)";
    }
}

/// Fields of NFSACL, the access control lists beside NFS version 3 (no public document; RFC 8267 section 5.2).
pub mod nfsacl {
    use crate::field::fields;
    use crate::field::nfs::names::{ACL_PROCEDURES, ACL_PROCEDURES_3};

    const ENTRY_TYPES: &[(u64, &str)] = &[
        (0x1, "NA_USER_OBJ"),
        (0x2, "NA_USER"),
        (0x4, "NA_GROUP_OBJ"),
        (0x8, "NA_GROUP"),
        (0x10, "NA_CLASS_OBJ"),
        (0x20, "NA_OTHER_OBJ"),
        (0x1001, "Default NA_USER_OBJ"),
        (0x1002, "Default NA_USER"),
        (0x1004, "Default NA_GROUP_OBJ"),
        (0x1008, "Default NA_GROUP"),
        (0x1010, "Default NA_CLASS_OBJ"),
        (0x1020, "Default NA_OTHER_OBJ"),
    ];

    fields! {
        NFSACL: Protocol, Plain, Wireshark, "nfsacl", "NFSACL", "Access control lists alongside NFS version 3";
        PROCEDURE_2: Unsigned(32), Named(ACL_PROCEDURES), Wireshark, "nfsacl.procedure_v2", "V2 Procedure", "The procedure of version 2";
        PROCEDURE_3: Unsigned(32), Named(ACL_PROCEDURES_3), Wireshark, "nfsacl.procedure_v3", "V3 Procedure", "The procedure of version 3";
        MASK: Unsigned(32), Hexadecimal, Wireshark, "nfsacl.mask", "Mask", "Which of the lists and counts are asked for or given";
        MASK_ENTRIES: Boolean, Plain, Wireshark, "nfsacl.mask.acl_entry", "ACL entry", "The entries of the list";
        MASK_COUNT: Boolean, Plain, Wireshark, "nfsacl.mask.acl_count", "ACL count", "The number of its entries";
        MASK_DEFAULT_ENTRIES: Boolean, Plain, Wireshark, "nfsacl.mask.default_acl_entry", "Default ACL entry", "The entries of the default list";
        MASK_DEFAULT_COUNT: Boolean, Plain, Wireshark, "nfsacl.mask.default_acl_count", "Default ACL count", "The number of its entries";
        ACL: Heading, Plain, Wireshark, "nfsacl.acl", "ACL", "The result of a GETACL";
        COUNT: Unsigned(32), Plain, Wireshark, "nfsacl.aclcnt", "ACL count", "Number of entries";
        DEFAULT_COUNT: Unsigned(32), Plain, Wireshark, "nfsacl.dfaclcnt", "Default ACL count", "Number of entries of the default list";
        LIST_COUNT: Unsigned(32), Plain, Own, "nfsacl.list_count", "Entries", "Number of entries that follow";
        ENTRY: Heading, Plain, Wireshark, "nfsacl.aclent", "ACL Entry", "An entry";
        ENTRY_TYPE: Unsigned(32), Named(ENTRY_TYPES), Wireshark, "nfsacl.aclent.type", "Type", "Who the entry is about, and whether it is of the default list";
        ENTRY_ID: Unsigned(32), Plain, Wireshark, "nfsacl.aclent.uid", "UID", "The user or group";
        PERMISSIONS: Unsigned(32), Plain, Wireshark, "nfsacl.aclent.perm", "Permissions", "What they may do";
        MAY_READ: Boolean, Plain, Wireshark, "nfsacl.aclent.perm.read", "READ", "They may read";
        MAY_WRITE: Boolean, Plain, Wireshark, "nfsacl.aclent.perm.write", "WRITE", "They may write";
        MAY_EXECUTE: Boolean, Plain, Wireshark, "nfsacl.aclent.perm.exec", "EXEC", "They may execute or look up";
        CREATE: Boolean, Plain, Wireshark, "nfsacl.create", "Create", "Whether the named attribute directory is created if it does not exist";
    }
}
