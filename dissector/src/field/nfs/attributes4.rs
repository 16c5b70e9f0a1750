//! Fields of the attributes of NFS version 4 (RFC 8881 section 5, RFC 7862 section 12).

use super::names4::{
    ACE_TYPES, ATTRIBUTES, CHANGE_ATTRIBUTE_TYPES, FILE_SYSTEM_STATUSES, MODE_FORMATS,
};
use crate::field::{Display, Field, Kind, Origin, fields};

/// `nfs.set_it` once more, with the names that version 4 gives its values; the list of fields has it as
/// version 3's.
pub static TIME_SET: Field = Field {
    name: "nfs.set_it",
    label: "Set_it",
    kind: Kind::Unsigned(32),
    display: Display::Named(super::names4::TIME_HOW_4),
    origin: Origin::Wireshark,
    doc: "To which time it is set (RFC 8881 section 3.3.3)",
};

fields! {
    MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.attr_mask", "Attribute mask", "32 bits of a set of attributes (RFC 8881 section 3.2)";
    ATTRIBUTE: Unsigned(32), Named(ATTRIBUTES), Wireshark, "nfs.attr", "Attribute", "An attribute of the set (RFC 8881 section 5)";
    EXPIRES: Unsigned(32), Hexadecimal, Wireshark, "nfs.fattr4_fh_expire_type", "File handles expire", "When file handles expire (RFC 8881 section 4.2.3)";
    CHANGE: Unsigned(64), Plain, Wireshark, "nfs.changeid4", "Change", "Changes whenever the object does (RFC 8881 section 5.8.1.4)";
    SIZE: Unsigned(64), Plain, Wireshark, "nfs.fattr4.size", "Size", "Bytes of the object (RFC 8881 section 5.8.1.5)";
    LINK_SUPPORT: Boolean, Plain, Wireshark, "nfs.fattr4_link_support", "Link support", "Hard links are supported (RFC 8881 section 5.8.1.6)";
    SYMLINK_SUPPORT: Boolean, Plain, Wireshark, "nfs.fattr4_symlink_support", "Symlink support", "Symbolic links are supported (RFC 8881 section 5.8.1.7)";
    NAMED_ATTRIBUTES: Boolean, Plain, Wireshark, "nfs.fattr4_named_attr", "Named attributes", "The object has named attributes (RFC 8881 section 5.8.1.8)";
    FILE_SYSTEM_MAJOR: Unsigned(64), Plain, Wireshark, "nfs.fsid4.major", "Fsid4.major", "The file system: first half (RFC 8881 section 5.8.1.9)";
    FILE_SYSTEM_MINOR: Unsigned(64), Plain, Wireshark, "nfs.fsid4.minor", "Fsid4.minor", "The file system: second half (RFC 8881 section 5.8.1.9)";
    UNIQUE_HANDLES: Boolean, Plain, Wireshark, "nfs.fattr4_unique_handles", "Unique handles", "Different handles mean different objects (RFC 8881 section 5.8.1.10)";
    LEASE_TIME: Unsigned(32), Plain, Wireshark, "nfs.fattr4.lease_time", "Lease_time", "Seconds of a lease (RFC 8881 section 5.8.1.11)";
    ACL_SUPPORT: Unsigned(32), Plain, Wireshark, "nfs.fattr4.aclsupport", "ACL support", "Kinds of access control entries (RFC 8881 section 6.2.1.2)";
    ACL_ALLOW: Boolean, Plain, Wireshark, "nfs.fattr4.aclsupport.allow_acl", "ALLOW", "Entries that allow (RFC 8881 section 6.2.1.2)";
    ACL_DENY: Boolean, Plain, Wireshark, "nfs.fattr4.aclsupport.deny_acl", "DENY", "Entries that deny (RFC 8881 section 6.2.1.2)";
    ACL_AUDIT: Boolean, Plain, Wireshark, "nfs.fattr4.aclsupport.audit_acl", "AUDIT", "Entries that audit (RFC 8881 section 6.2.1.2)";
    ACL_ALARM: Boolean, Plain, Wireshark, "nfs.fattr4.aclsupport.alarm_acl", "ALARM", "Entries that raise an alarm (RFC 8881 section 6.2.1.2)";
    ACE_COUNT: Unsigned(32), Plain, Wireshark, "nfs.num_aces", "ACE count", "Number of access control entries (RFC 8881 section 6.2.1)";
    ACL_FLAGS: Unsigned(32), Plain, Wireshark, "nfs.acl.flags", "ACL flags", "Flags of a list (RFC 8881 section 6.2.2)";
    ACE_TYPE: Unsigned(32), Named(ACE_TYPES), Wireshark, "nfs.acetype4", "Acetype", "What an entry does (RFC 8881 section 6.2.1.1)";
    ACE_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.aceflags4", "ACE flags", "How an entry is inherited (RFC 8881 section 6.2.1.4)";
    ACE_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.acemask4", "ACE mask", "What an entry is about (RFC 8881 section 6.2.1.3)";
    WHO: Text, Plain, Wireshark, "nfs.who", "Who", "Who an entry is about (RFC 8881 section 6.2.1.5)";
    ARCHIVE: Boolean, Plain, Wireshark, "nfs.fattr4_archive", "Archive", "Changed since it was last copied to a backup (RFC 8881 section 5.8.2.1)";
    CAN_SET_TIME: Boolean, Plain, Wireshark, "nfs.fattr4_cansettime", "Can set time", "Times can be set exactly (RFC 8881 section 5.8.2.2)";
    CASE_INSENSITIVE: Boolean, Plain, Wireshark, "nfs.fattr4_case_insensitive", "Case insensitive", "Names that differ in case are the same (RFC 8881 section 5.8.2.3)";
    CASE_PRESERVING: Boolean, Plain, Wireshark, "nfs.fattr4_case_preserving", "Case preserving", "The case of names is kept (RFC 8881 section 5.8.2.4)";
    CHOWN_RESTRICTED: Boolean, Plain, Wireshark, "nfs.fattr4_chown_restricted", "Chown restricted", "Only the superuser changes owners (RFC 8881 section 5.8.2.6)";
    FILE_ID: Unsigned(64), Plain, Wireshark, "nfs.fattr4.fileid", "File ID", "The object's number in its file system (RFC 8881 section 5.8.2.7)";
    FILES_AVAILABLE: Unsigned(64), Plain, Wireshark, "nfs.fattr4.files_avail", "Files_avail", "File slots that the user may have (RFC 8881 section 5.8.2.8)";
    FILES_FREE: Unsigned(64), Plain, Wireshark, "nfs.fattr4.files_free", "Files_free", "Free file slots (RFC 8881 section 5.8.2.9)";
    FILES_TOTAL: Unsigned(64), Plain, Wireshark, "nfs.fattr4.files_total", "Files_total", "File slots (RFC 8881 section 5.8.2.10)";
    LOCATION: Heading, Plain, Wireshark, "nfs.fattr4.fs_location", "Location", "Where else the file system is (RFC 8881 section 11.16)";
    LOCATIONS: Unsigned(32), Plain, Own, "nfs.locations", "Locations", "Number of locations (RFC 8881 section 11.16)";
    SERVERS: Heading, Plain, Wireshark, "nfs.servers", "Servers", "Servers of a location (RFC 8881 section 11.16)";
    SERVERS_COUNT: Unsigned(32), Plain, Own, "nfs.servers.count", "Number of servers", "How many there are (RFC 8881 section 11.16)";
    SERVER: Text, Plain, Wireshark, "nfs.server", "Server", "A server of a location (RFC 8881 section 11.16)";
    HIDDEN: Boolean, Plain, Wireshark, "nfs.fattr4_hidden", "Hidden", "Hidden in the sense of Windows (RFC 8881 section 5.8.2.15)";
    HOMOGENEOUS: Boolean, Plain, Wireshark, "nfs.fattr4_homogeneous", "Homogeneous", "Attributes of the file system are the same for all its objects (RFC 8881 section 5.8.2.16)";
    LARGEST_FILE: Unsigned(64), Plain, Wireshark, "nfs.fattr4.maxfilesize", "Maxfilesize", "The most bytes of a file (RFC 8881 section 5.8.2.17)";
    MAXIMUM_LINKS: Unsigned(32), Plain, Wireshark, "nfs.fattr4.maxlink", "Maxlink", "The most names of an object (RFC 8881 section 5.8.2.18)";
    MAXIMUM_NAME: Unsigned(32), Plain, Wireshark, "nfs.fattr4.maxname", "Maxname", "The most bytes of a name (RFC 8881 section 5.8.2.19)";
    MAXIMUM_READ: Unsigned(64), Plain, Wireshark, "nfs.fattr4.maxread", "Maxread", "The most bytes of a READ (RFC 8881 section 5.8.2.20)";
    MAXIMUM_WRITE: Unsigned(64), Plain, Wireshark, "nfs.fattr4.maxwrite", "Maxwrite", "The most bytes of a WRITE (RFC 8881 section 5.8.2.21)";
    MIME_TYPE: Text, Plain, Wireshark, "nfs.fattr4_mimetype", "MIME type", "The MIME type (RFC 8881 section 5.8.2.22)";
    MODE: Unsigned(32), Plain, Wireshark, "nfs.mode", "Mode", "Permission bits (RFC 8881 section 6.2.4)";
    MODE_NAME: Unsigned(32), Named(MODE_FORMATS), Wireshark, "nfs.mode.name", "Format", "The file's type, which a mode should not hold";
    MODE_SET_UID: Boolean, Plain, Wireshark, "nfs.mode.set_user_id", "Set user id on exec", "Set user ID on execution";
    MODE_SET_GID: Boolean, Plain, Wireshark, "nfs.mode.set_group_id", "Set group id on exec", "Set group ID on execution";
    MODE_STICKY: Boolean, Plain, Wireshark, "nfs.mode.save_swap_text", "Save swapped text even after use", "Save swapped text";
    MODE_OWNER_READ: Boolean, Plain, Wireshark, "nfs.mode.read_owner", "Read permission for owner", "The owner may read";
    MODE_OWNER_WRITE: Boolean, Plain, Wireshark, "nfs.mode.write_owner", "Write permission for owner", "The owner may write";
    MODE_OWNER_EXECUTE: Boolean, Plain, Wireshark, "nfs.mode.exec_owner", "Execute permission for owner", "The owner may execute or look up";
    MODE_GROUP_READ: Boolean, Plain, Wireshark, "nfs.mode.read_group", "Read permission for group", "The group may read";
    MODE_GROUP_WRITE: Boolean, Plain, Wireshark, "nfs.mode.write_group", "Write permission for group", "The group may write";
    MODE_GROUP_EXECUTE: Boolean, Plain, Wireshark, "nfs.mode.exec_group", "Execute permission for group", "The group may execute or look up";
    MODE_OTHER_READ: Boolean, Plain, Wireshark, "nfs.mode.read_other", "Read permission for others", "Others may read";
    MODE_OTHER_WRITE: Boolean, Plain, Wireshark, "nfs.mode.write_other", "Write permission for others", "Others may write";
    MODE_OTHER_EXECUTE: Boolean, Plain, Wireshark, "nfs.mode.exec_other", "Execute permission for others", "Others may execute or look up";
    NO_TRUNCATION: Boolean, Plain, Wireshark, "nfs.fattr4_no_trunc", "No truncation", "A name that is too long is an error (RFC 8881 section 5.8.2.24)";
    LINKS: Unsigned(32), Plain, Wireshark, "nfs.fattr4.numlinks", "Numlinks", "Number of names (RFC 8881 section 5.8.2.25)";
    OWNER: Text, Plain, Wireshark, "nfs.fattr4_owner", "Owner", "The owner (RFC 8881 section 5.9)";
    OWNER_GROUP: Text, Plain, Wireshark, "nfs.fattr4_owner_group", "Owner group", "The owner's group (RFC 8881 section 5.9)";
    QUOTA_HARD: Unsigned(64), Plain, Wireshark, "nfs.fattr4.quota_hard", "Quota_hard", "Bytes that the user may still have (RFC 8881 section 5.8.2.28)";
    QUOTA_SOFT: Unsigned(64), Plain, Wireshark, "nfs.fattr4.quota_soft", "Quota_soft", "Bytes that the user may have before a warning (RFC 8881 section 5.8.2.29)";
    QUOTA_USED: Unsigned(64), Plain, Wireshark, "nfs.fattr4.quota_used", "Quota_used", "Bytes that the user has (RFC 8881 section 5.8.2.30)";
    SPACE_AVAILABLE: Unsigned(64), Plain, Wireshark, "nfs.fattr4.space_avail", "Space_avail", "Free bytes that the user may have (RFC 8881 section 5.8.2.32)";
    SPACE_FREE: Unsigned(64), Plain, Wireshark, "nfs.fattr4.space_free", "Space_free", "Free bytes (RFC 8881 section 5.8.2.33)";
    SPACE_TOTAL: Unsigned(64), Plain, Wireshark, "nfs.fattr4.space_total", "Space_total", "Bytes of the file system (RFC 8881 section 5.8.2.34)";
    SPACE_USED: Unsigned(64), Plain, Wireshark, "nfs.fattr4.space_used", "Space_used", "Bytes that the object takes (RFC 8881 section 5.8.2.35)";
    SYSTEM: Boolean, Plain, Wireshark, "nfs.fattr4_system", "System", "A system file in the sense of Windows (RFC 8881 section 5.8.2.36)";
    TIME_SECONDS: Unsigned(64), Plain, Wireshark, "nfs.nfstime4.seconds", "Seconds", "Seconds of a time since 1970-01-01 UTC (RFC 8881 section 3.3.1)";
    TIME_NANOSECONDS: Unsigned(32), Plain, Wireshark, "nfs.nfstime4.nseconds", "Nanoseconds", "Nanoseconds of a time (RFC 8881 section 3.3.1)";
    MOUNTED_ON: Unsigned(64), Hexadecimal, Wireshark, "nfs.fattr4.mounted_on_fileid", "Mounted on file ID", "The number of the object that the file system is mounted on (RFC 8881 section 5.8.2.23)";
    BLOCK_SIZE: Unsigned(32), Plain, Wireshark, "nfs.fattr4.layout_blksize", "Layout block size", "The block size that layouts like (RFC 8881 section 5.12.3)";
    ALIGNMENT: Unsigned(32), Plain, Own, "nfs.layout_alignment", "Layout alignment", "The alignment that layouts like (RFC 8881 section 5.12.2)";
    CHARACTER_SETS: Unsigned(32), Hexadecimal, Wireshark, "nfs.fattr4.fs_charset_cap", "Character sets", "What names may hold (RFC 8881 section 14.4)";
    CONTAINS_NON_UTF8: Boolean, Plain, Wireshark, "nfs.fattr4.fs_charset_cap.nonutf8", "CONTAINS_NON_UTF8", "The file system has names that are not UTF-8";
    ONLY_UTF8: Boolean, Plain, Wireshark, "nfs.fattr4.fs_charset_cap.utf8", "ALLOWS_ONLY_UTF8", "The file system takes only names in UTF-8";
    CLONE_BLOCK_SIZE: Unsigned(32), Plain, Wireshark, "nfs.fattr4.clone_block_size", "Clone block size", "What CLONE's ranges must be a multiple of (RFC 7862 section 12.2.1)";
    SPACE_FREED: Unsigned(64), Plain, Wireshark, "nfs.fattr4.space_freed", "Space freed", "Bytes that deleting the object would free (RFC 7862 section 12.2.2)";
    CHANGE_TYPE: Unsigned(32), Named(CHANGE_ATTRIBUTE_TYPES), Wireshark, "nfs.fattr4.change_attr_type", "Change attr type", "What the change attribute is (RFC 7862 section 12.2.3)";
    LABEL_FORMAT: Unsigned(32), Plain, Wireshark, "nfs.fattr4.security_label.lfs", "Label format", "Who defines the security label (RFC 7862 section 12.2.4)";
    LABEL_POLICY: Unsigned(32), Plain, Wireshark, "nfs.fattr4.security_label.pi", "Label policy", "Which policy the label is of (RFC 7862 section 12.2.4)";
    LABEL: Text, Plain, Wireshark, "nfs.fattr4.security_label.context", "Label", "The security label (RFC 7862 section 12.2.4)";
    UMASK: Unsigned(32), Plain, Wireshark, "nfs.fattr4.umask", "Umask", "The bits that a new object's mode shall not have (RFC 8275)";
    XATTR_SUPPORT: Boolean, Plain, Wireshark, "nfs.fattr4_xattr_support", "Extended attributes", "Extended attributes are supported (RFC 8276)";
    OFFLINE: Boolean, Plain, Wireshark, "nfs.fattr4_offline", "Offline", "The object is not at hand (RFC 9754)";
    POLICY_MAJOR: Unsigned(64), Plain, Own, "nfs.change_policy.major", "Change policy, major", "Changes when the server's policies do (RFC 8881 section 5.8.2.5)";
    POLICY_MINOR: Unsigned(64), Plain, Own, "nfs.change_policy.minor", "Change policy, minor", "Changes when the server's policies do (RFC 8881 section 5.8.2.5)";
    ABSENT: Boolean, Plain, Own, "nfs.fs_status.absent", "Absent", "The file system is not here (RFC 8881 section 11.18)";
    STATUS_TYPE: Unsigned(32), Named(FILE_SYSTEM_STATUSES), Own, "nfs.fs_status.type", "Status type", "What kind of copy the file system is (RFC 8881 section 11.18)";
    STATUS_SOURCE: Text, Plain, Own, "nfs.fs_status.source", "Status source", "What it is a copy of (RFC 8881 section 11.18)";
    STATUS_CURRENT: Text, Plain, Own, "nfs.fs_status.current", "Status current", "Its version (RFC 8881 section 11.18)";
    STATUS_AGE: Unsigned(32), Plain, Own, "nfs.fs_status.age", "Status age", "How far behind it is, in seconds (RFC 8881 section 11.18)";
    RETENTION_COUNT: Unsigned(32), Plain, Own, "nfs.retention.count", "Retention count", "Whether a time or duration of retention follows (RFC 8881 section 5.13)";
    RETENTION_DURATION: Unsigned(64), Plain, Own, "nfs.retention.duration", "Retention duration", "Seconds of retention (RFC 8881 section 5.13)";
    RETENTION_ENABLED: Boolean, Plain, Own, "nfs.retention.enabled", "Retention enabled", "Retention begins (RFC 8881 section 5.13)";
    RETENTION_HOLD: Unsigned(64), Hexadecimal, Own, "nfs.retention.hold", "Retention hold", "Administrative holds (RFC 8881 section 5.13.5)";
    MODE_MASK: Unsigned(32), Hexadecimal, Own, "nfs.mode_mask", "Mode mask", "Which bits of the mode to set (RFC 8881 section 6.2.5)";
    LOCATIONS_INFO: Bytes, Plain, Own, "nfs.fs_locations_info", "Locations info", "Locations with details: not taken apart (RFC 8881 section 11.17)";
    NOT_DECODED: Bytes, Plain, Own, "nfs.attributes_left", "Attributes left", "Values of attributes that are not decoded";
}
