/// Fields of NFS version 4: compounds, state, opens, locks and directories (RFC 7530, RFC 8881).
pub mod v4 {
    use crate::field::fields;
    use crate::field::nfs::names::{
        CALLBACK_OPERATIONS, CALLBACK_PROCEDURES, CLAIM_TYPES, CREATE_MODES_4, DELEGATION_TYPES,
        FLAVORS, LIMITS, LOCK_TYPES, OPEN_TYPES, OPERATIONS, SECINFO_STYLES, SERVICES,
        SHARE_ACCESS, SHARE_DENY, STABLE_HOW_4, STATUS_4, WHY_NO_DELEGATION,
    };

    fields! {
        STATUS: Unsigned(32), Named(STATUS_4), Wireshark, "nfs.nfsstat4", "Status", "The status of a compound or operation (RFC 8881 section 15)";
        TAG: Text, Plain, Wireshark, "nfs.tag", "Tag", "A name that the client gives the compound (RFC 8881 section 16.2)";
        MINOR_VERSION: Unsigned(32), Plain, Wireshark, "nfs.minorversion", "Minor version", "The minor version (RFC 8881 section 16.2)";
        OPERATIONS_COUNT: Unsigned(32), Plain, Wireshark, "nfs.ops.count", "Operations", "Number of operations (RFC 8881 section 16.2)";
        OPERATION: Unsigned(32), Named(OPERATIONS), Wireshark, "nfs.opcode", "Operation", "An operation (RFC 8881 section 16.2)";
        MAIN_OPERATION: Unsigned(32), Named(OPERATIONS), Wireshark, "nfs.main_opcode", "Main operation", "The operation that the compound is about";
        CALLBACK: Protocol, Plain, Wireshark, "nfs.cb", "Network File System CB", "Callbacks of NFS version 4 (RFC 8881 section 20)";
        CALLBACK_PROCEDURE: Unsigned(32), Named(CALLBACK_PROCEDURES), Wireshark, "nfs.cb_procedure", "CB Procedure", "The procedure of the callback program (RFC 8881 section 20)";
        CALLBACK_OPERATION: Unsigned(32), Named(CALLBACK_OPERATIONS), Wireshark, "nfs.cb.operation", "Operation", "A callback operation (RFC 8881 section 20)";
        CALLBACK_IDENT: Unsigned(32), Hexadecimal, Wireshark, "nfs.callback.ident", "Callback_ident", "Which callback a client registered (RFC 7530 section 16.33)";
        CLIENT_ID: Unsigned(64), Hexadecimal, Wireshark, "nfs.clientid", "Client ID", "The server's number for the client (RFC 8881 section 2.4)";
        SEQUENCE_ID: Unsigned(32), Hexadecimal, Wireshark, "nfs.seqid", "Sequence ID", "The number of a request of an owner, session or slot (RFC 8881 section 2.10.6.1)";
        LOCK_SEQUENCE_ID: Unsigned(32), Hexadecimal, Wireshark, "nfs.lock_seqid", "Lock sequence ID", "The number of a request of a lock owner (RFC 7530 section 9.1.3)";
        STATE_ID: Bytes, Plain, Wireshark, "nfs.stateid", "StateID", "A state ID: a sequence number and 12 bytes (RFC 8881 section 8.2)";
        STATE_ID_HASH: Unsigned(16), Hexadecimal, Wireshark, "nfs.stateid.hash", "StateID Hash", "CRC-16 of the state ID: a short name for it";
        STATE_ID_SEQUENCE: Unsigned(32), Plain, Wireshark, "nfs.stateid.seqid", "StateID sequence", "Counts the changes of the state (RFC 8881 section 8.2.2)";
        STATE_ID_OTHER: Bytes, Plain, Wireshark, "nfs.stateid.other", "StateID Other", "What distinguishes states (RFC 8881 section 8.2.2)";
        STATE_ID_OTHER_HASH: Unsigned(32), Hexadecimal, Wireshark, "nfs.stateid.other_hash", "StateID Other hash", "CRC-32 of what distinguishes states";
        OFFSET: Unsigned(64), Plain, Wireshark, "nfs.offset4", "Offset", "Where in the file (RFC 8881 sections 18.22 and 18.32)";
        COUNT: Unsigned(32), Plain, Wireshark, "nfs.count4", "Count", "Bytes to move, or moved (RFC 8881 sections 18.22 and 18.32)";
        LENGTH: Unsigned(64), Plain, Wireshark, "nfs.length4", "Length", "Length of a range (RFC 8881 section 18.10)";
        STABLE: Unsigned(32), Named(STABLE_HOW_4), Wireshark, "nfs.stable_how4", "Stable", "What is, or must be, on stable storage (RFC 8881 section 18.32)";
        VERIFIER: Unsigned(64), Hexadecimal, Wireshark, "nfs.verifier4", "Verifier", "A verifier: of a write, a client or an exclusive create (RFC 8881 section 3.2)";
        COMPONENT: Text, Plain, Wireshark, "nfs.pathname.component", "Name", "A name, or one part of a path (RFC 8881 section 14)";
        COMPONENTS: Unsigned(32), Plain, Wireshark, "nfs.pathname.component.count", "Path name components", "Number of parts of a path";
        LINK_TEXT: Text, Plain, Wireshark, "nfs.symlink.linktext", "Link Contents", "What a symbolic link holds (RFC 8881 section 18.24)";
        CHANGE_INFO: Heading, Plain, Own, "nfs.change_info", "Change info", "The directory's change attribute before and after (RFC 8881 section 3.3.8)";
        CHANGE_ATOMIC: Boolean, Plain, Wireshark, "nfs.change_info.atomic", "Atomic", "Whether nothing else changed it in between (RFC 8881 section 3.3.8)";
        CHANGE_BEFORE: Unsigned(64), Plain, Wireshark, "nfs.changeid4.before", "Change before", "The change attribute before (RFC 8881 section 3.3.8)";
        CHANGE_AFTER: Unsigned(64), Plain, Wireshark, "nfs.changeid4.after", "Change after", "The change attribute after (RFC 8881 section 3.3.8)";
        SHARE_ACCESS_BITS: Unsigned(32), Named(SHARE_ACCESS), Wireshark, "nfs.open4.share_access", "Share_access", "What the opener wants to do (RFC 8881 section 18.16)";
        SHARE_DENY_BITS: Unsigned(32), Named(SHARE_DENY), Wireshark, "nfs.open4.share_deny", "Share_deny", "What others shall not do (RFC 8881 section 18.16)";
        WANT: Unsigned(32), NamedHexadecimal(SHARE_ACCESS), Wireshark, "nfs.want", "Wants", "Which delegation the client wants (RFC 8881 section 18.16)";
        WANT_NOTIFICATION: Unsigned(32), Hexadecimal, Wireshark, "nfs.want_notification", "Want notification", "When the client would take a delegation later (RFC 8881 section 18.16)";
        WANT_WHEN_AVAILABLE: Boolean, Plain, Wireshark, "nfs.want_notification.when_resrc_avail", "When available", "It wants to know when a delegation is available (RFC 8881 section 18.16)";
        WANT_WHEN_UNCONTENDED: Boolean, Plain, Wireshark, "nfs.want_push_deleg_when_uncontended", "When uncontended", "It wants the delegation as soon as there is no conflict (RFC 8881 section 18.16)";
        OPEN_OWNER: Bytes, Plain, Wireshark, "nfs.open_owner4", "Open owner", "Who opens (RFC 8881 section 3.3.10)";
        LOCK_OWNER: Bytes, Plain, Wireshark, "nfs.lock_owner4", "Lock owner", "Who locks (RFC 8881 section 3.3.10)";
        OPEN_TYPE: Unsigned(32), Named(OPEN_TYPES), Wireshark, "nfs.open.opentype", "Open Type", "Whether the file is created (RFC 8881 section 18.16)";
        CREATE_MODE: Unsigned(32), Named(CREATE_MODES_4), Wireshark, "nfs.createmode4", "Create Mode", "How it is created (RFC 8881 section 18.16)";
        CLAIM_TYPE: Unsigned(32), Named(CLAIM_TYPES), Wireshark, "nfs.open.claim_type", "Claim Type", "By which right the file is opened (RFC 8881 section 18.16)";
        DELEGATE_TYPE: Unsigned(32), Named(DELEGATION_TYPES), Wireshark, "nfs.delegate_type", "Delegate_type", "The delegation that the client had (RFC 8881 section 18.16)";
        RESULT_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.open_rflags", "Result flags", "What the client must know about the open (RFC 8881 section 18.16)";
        RESULT_CONFIRM: Boolean, Plain, Wireshark, "nfs.open_rflags.confirm", "Confirm", "OPEN_CONFIRM is needed (RFC 7530 section 16.16)";
        RESULT_POSIX: Boolean, Plain, Wireshark, "nfs.open_rflags.locktype_posix", "Locktype posix", "Byte-range locks are POSIX's (RFC 8881 section 18.16)";
        RESULT_PRESERVE: Boolean, Plain, Wireshark, "nfs.open_rflags.preserve_unlinked", "Preserve unlinked", "The file is kept while it is open, even without a name (RFC 8881 section 18.16)";
        RESULT_MAY_NOTIFY: Boolean, Plain, Wireshark, "nfs.open_rflags.may_notify_lock", "May notify lock", "The server may notify the client when a lock is free (RFC 8881 section 18.16)";
        DELEGATION_TYPE: Unsigned(32), Named(DELEGATION_TYPES), Wireshark, "nfs.open.delegation_type", "Delegation Type", "The delegation granted (RFC 8881 section 18.16)";
        WHY_NONE: Unsigned(32), Named(WHY_NO_DELEGATION), Wireshark, "nfs.open.why_no_delegation", "Why no delegation", "Why there is no delegation (RFC 8881 section 18.16)";
        WILL_TELL: Boolean, Plain, Own, "nfs.will_tell", "Server will tell", "Whether the server will notify the client when a delegation is available (RFC 8881 section 18.16)";
        WRITE_RECALL: Boolean, Plain, Wireshark, "nfs.recall", "Recall", "Whether the write delegation is being recalled already (RFC 8881 section 18.16)";
        RECALL: Boolean, Plain, Wireshark, "nfs.recall4", "Recall", "Whether the delegation is being recalled already (RFC 8881 section 18.16)";
        LIMIT_BY: Unsigned(32), Named(LIMITS), Wireshark, "nfs.open.limit_by", "Space limit", "What limits the data that a client may keep to itself (RFC 8881 section 18.16)";
        LIMIT_SIZE: Unsigned(64), Plain, Wireshark, "nfs.filesize", "Filesize", "The largest file that it may make (RFC 8881 section 18.16)";
        LIMIT_BLOCKS: Unsigned(32), Plain, Wireshark, "nfs.num_blocks", "Num_blocks", "The most blocks that it may write (RFC 8881 section 18.16)";
        LIMIT_BLOCK_SIZE: Unsigned(32), Plain, Wireshark, "nfs.bytes_per_block", "Bytes_per_block", "Bytes of such a block (RFC 8881 section 18.16)";
        CREATE_DIRECTORY: Boolean, Plain, Wireshark, "nfs.openattr4.createdir", "Attribute dir create", "Whether the named attribute directory is created if it does not exist (RFC 8881 section 18.17)";
        LOCK_TYPE: Unsigned(32), Named(LOCK_TYPES), Wireshark, "nfs.locktype4", "Locktype", "The lock (RFC 8881 section 18.10)";
        RECLAIM: Boolean, Plain, Wireshark, "nfs.lock.reclaim", "Reclaim", "Whether a lock from before the server's restart is claimed again (RFC 8881 section 18.10)";
        NEW_LOCK_OWNER: Boolean, Plain, Wireshark, "nfs.lock.locker.new_lock_owner", "New lock owner", "Whether the owner has no locks on the file yet (RFC 8881 section 18.10)";
        END_OF_FILE: Unsigned(32), Plain, Wireshark, "nfs.eof", "EOF", "Whether the read came to the end of the file (RFC 8881 section 18.22)";
        COOKIE: Unsigned(64), Plain, Wireshark, "nfs.cookie4", "Cookie", "Where in the directory to continue (RFC 8881 section 18.23)";
        COOKIE_VERIFIER: Unsigned(64), Plain, Wireshark, "nfs.cookie_verf4", "Cookie_verf", "Whether the cookie is still good (RFC 8881 section 18.23)";
        DIRECTORY_COUNT: Unsigned(32), Plain, Wireshark, "nfs.dircount", "Dircount", "A hint: bytes of names and cookies (RFC 8881 section 18.23)";
        MAXIMUM_COUNT: Unsigned(32), Plain, Wireshark, "nfs.maxcount", "Maxcount", "The most bytes of the result (RFC 8881 section 18.23)";
        VALUE_FOLLOWS: Boolean, Plain, Wireshark, "nfs.value_follows", "Value Follows", "Whether one more entry follows (RFC 4506 section 4.19)";
        ENTRY: Heading, Plain, Own, "nfs.entry", "Entry", "An entry of a directory (RFC 8881 section 18.23)";
        ENTRY_NAME: Text, Plain, Wireshark, "nfs.entry_name", "Name", "The entry's name (RFC 8881 section 18.23)";
        DIRECTORY_END: Boolean, Plain, Wireshark, "nfs.dirlist4.eof", "EOF", "Whether the directory has no more entries (RFC 8881 section 18.23)";
        FLAVORS_INFO: Heading, Plain, Wireshark, "nfs.flavors.info", "Flavors", "Security flavors that the server takes (RFC 8881 section 18.29)";
        FLAVORS_COUNT: Unsigned(32), Plain, Own, "nfs.flavors.count", "Number of flavors", "How many there are";
        FLAVOR: Unsigned(32), Named(FLAVORS), Wireshark, "nfs.secinfo.flavor", "Flavor", "A security flavor (RFC 8881 section 18.29)";
        FLAVOR_OID: Bytes, Plain, Wireshark, "nfs.secinfo.flavor_info.rpcsec_gss_info.oid", "Oid", "The mechanism of RPCSEC_GSS (RFC 8881 section 18.29)";
        FLAVOR_QUALITY: Unsigned(32), Plain, Wireshark, "nfs.secinfo.flavor_info.rpcsec_gss_info.qop", "Quality of protection", "The quality of protection (RFC 8881 section 18.29)";
        FLAVOR_SERVICE: Unsigned(32), Named(SERVICES), Wireshark, "nfs.secinfo.rpcsec_gss_info.service", "Service", "The service of RPCSEC_GSS (RFC 8881 section 18.29)";
        SECINFO_STYLE: Unsigned(32), Named(SECINFO_STYLES), Wireshark, "nfs.secinfo.style", "Secinfo Style", "The current object or its parent (RFC 8881 section 18.45)";
        CLIENT_OWNER: Bytes, Plain, Wireshark, "nfs.nfs_client_id4.id", "Id", "The client's own name (RFC 7530 section 16.33)";
        CALLBACK_PROGRAM: Unsigned(32), Hexadecimal, Wireshark, "nfs.cb_program", "Cb_program", "The program number of callbacks (RFC 8881 section 18.36)";
        NETWORK_ID: Text, Plain, Wireshark, "nfs.r_netid", "Network ID", "The kind of network (RFC 8881 section 3.3.9)";
        NETWORK_ADDRESS: Text, Plain, Wireshark, "nfs.r_addr", "Network address", "An address on it (RFC 8881 section 3.3.9)";
        TRUNCATE: Boolean, Plain, Wireshark, "nfs.truncate", "Truncate", "Whether the file is about to be truncated to nothing (RFC 8881 section 20.2)";
    }
}

/// Fields of the attributes of NFS version 4 (RFC 8881 section 5, RFC 7862 section 12).
pub mod attributes4 {
    use crate::field::nfs::names::{
        ACE_TYPES, ATTRIBUTES, CHANGE_ATTRIBUTE_TYPES, FILE_SYSTEM_STATUSES, MODE_FORMATS,
        TIME_HOW_4,
    };
    use crate::field::{Display, Field, fields, nfs::v3};

    /// Version 3's field, with version 4's names of its values (RFC 8881 section 3.3.3).
    pub static TIME_SET: Field = Field { display: Display::Named(TIME_HOW_4), ..v3::SET_IT };

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
        BLOCK_SIZE: Unsigned(32), Plain, Wireshark, "nfs.fattr4.layout_blksize", "Layout block size", "The block size that layouts prefer (RFC 8881 section 5.12.3)";
        ALIGNMENT: Unsigned(32), Plain, Own, "nfs.layout_alignment", "Layout alignment", "The alignment that layouts prefer (RFC 8881 section 5.12.2)";
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
        OFFLINE: Boolean, Plain, Wireshark, "nfs.fattr4_offline", "Offline", "The object is not immediately available (RFC 9754)";
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
}

/// Fields of sessions and client IDs of NFS version 4.1 (RFC 8881 sections 18.33 to 18.51).
pub mod session4 {
    use crate::field::nfs::names::{CLIENT_DIRECTIONS, FLAVORS, PROTECTIONS, SERVER_DIRECTIONS};
    use crate::field::{Field, fields, nfs::v4};

    /// An operation that is named in a compound but not performed (RFC 8881 section 18.35).
    pub static NAMED_OPERATION: Field = Field { label: "Operation", ..v4::OPERATION };

    fields! {
        SESSION_ID: Bytes, Plain, Wireshark, "nfs.session_id4", "Session ID", "The session (RFC 8881 section 2.10)";
        SLOT: Unsigned(32), Plain, Wireshark, "nfs.slotid", "Slot id", "The slot of a request (RFC 8881 section 2.10.6.1)";
        HIGHEST_SLOT: Unsigned(32), Plain, Wireshark, "nfs.high_slotid", "High slot id", "The highest slot in use, or allowed (RFC 8881 section 18.46)";
        TARGET_HIGHEST_SLOT: Unsigned(32), Plain, Wireshark, "nfs.target_high_slotid", "Target high slot id", "The highest slot that the server would like in use (RFC 8881 section 18.46)";
        CACHE_THIS: Boolean, Plain, Wireshark, "nfs.cachethis4", "Cache this", "Whether the reply shall be kept (RFC 8881 section 18.46)";
        SEQUENCE_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.sequence.flags", "Status flags", "What the client must know about its state (RFC 8881 section 18.46)";
        CB_PATH_DOWN: Boolean, Plain, Wireshark, "nfs.sequence.flags.cb_path_down", "SEQ4_STATUS_CB_PATH_DOWN", "No connection for callbacks works (RFC 8881 section 18.46)";
        CB_GSS_EXPIRING: Boolean, Plain, Wireshark, "nfs.sequence.flags.cb_gss_contexts_expiring", "SEQ4_STATUS_CB_GSS_CONTEXTS_EXPIRING", "The callbacks' security contexts expire soon (RFC 8881 section 18.46)";
        CB_GSS_EXPIRED: Boolean, Plain, Wireshark, "nfs.sequence.flags.cb_gss_contexts_expired", "SEQ4_STATUS_CB_GSS_CONTEXTS_EXPIRED", "The callbacks' security contexts have expired (RFC 8881 section 18.46)";
        EXPIRED_ALL: Boolean, Plain, Wireshark, "nfs.sequence.flags.expired_all_state_revoked", "SEQ4_STATUS_EXPIRED_ALL_STATE_REVOKED", "The lease expired, and all state is revoked (RFC 8881 section 18.46)";
        EXPIRED_SOME: Boolean, Plain, Wireshark, "nfs.sequence.flags.expired_some_state_revoked", "SEQ4_STATUS_EXPIRED_SOME_STATE_REVOKED", "The lease expired, and some state is revoked (RFC 8881 section 18.46)";
        ADMIN_REVOKED: Boolean, Plain, Wireshark, "nfs.sequence.flags.admin_state_revoked", "SEQ4_STATUS_ADMIN_STATE_REVOKED", "An administrator revoked state (RFC 8881 section 18.46)";
        RECALLABLE_REVOKED: Boolean, Plain, Wireshark, "nfs.sequence.flags.recallable_state_revoked", "SEQ4_STATUS_RECALLABLE_STATE_REVOKED", "Delegations or layouts are revoked (RFC 8881 section 18.46)";
        LEASE_MOVED: Boolean, Plain, Wireshark, "nfs.sequence.flags.lease_moved", "SEQ4_STATUS_LEASE_MOVED", "A file system moved to another server (RFC 8881 section 18.46)";
        RESTART_RECLAIM: Boolean, Plain, Wireshark, "nfs.sequence.flags.restart_reclaim_needed", "SEQ4_STATUS_RESTART_RECLAIM_NEEDED", "The server restarted: state must be reclaimed (RFC 8881 section 18.46)";
        CB_PATH_DOWN_SESSION: Boolean, Plain, Wireshark, "nfs.sequence.flags.cb_path_down_session", "SEQ4_STATUS_CB_PATH_DOWN_SESSION", "This session has no connection for callbacks (RFC 8881 section 18.46)";
        BACKCHANNEL_FAULT: Boolean, Plain, Wireshark, "nfs.sequence.flags.backchannel_fault", "SEQ4_STATUS_BACKCHANNEL_FAULT", "The callback channel is broken (RFC 8881 section 18.46)";
        DEVICE_CHANGED: Boolean, Plain, Wireshark, "nfs.sequence.flags.devid_changed", "SEQ4_STATUS_DEVID_CHANGED", "A device ID changed (RFC 8881 section 18.46)";
        DEVICE_DELETED: Boolean, Plain, Wireshark, "nfs.sequence.flags.devid_deleted", "SEQ4_STATUS_DEVID_DELETED", "A device ID was deleted (RFC 8881 section 18.46)";
        CALL_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.exchange_id.call_flags", "Flags", "What the client supports and wants (RFC 8881 section 18.35)";
        REPLY_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.exchange_id.reply_flags", "Flags", "What the server supports (RFC 8881 section 18.35)";
        CONFIRMED: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.confirmed_r", "EXCHGID4_FLAG_CONFIRMED_R", "The client ID is confirmed (RFC 8881 section 18.35)";
        UPDATE_CONFIRMED: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.confirmed_rec_a", "EXCHGID4_FLAG_UPD_CONFIRMED_REC_A", "A confirmed record is updated (RFC 8881 section 18.35)";
        DATA_SERVER: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.pnfs_ds", "EXCHGID4_FLAG_USE_PNFS_DS", "A data server of pNFS (RFC 8881 section 18.35)";
        METADATA_SERVER: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.pnfs_mds", "EXCHGID4_FLAG_USE_PNFS_MDS", "A metadata server of pNFS (RFC 8881 section 18.35)";
        NON_PNFS: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.non_pnfs", "EXCHGID4_FLAG_USE_NON_PNFS", "A server without pNFS (RFC 8881 section 18.35)";
        BIND_PRINCIPAL: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.bind_princ", "EXCHGID4_FLAG_BIND_PRINC_STATEID", "State belongs to the principal that made it (RFC 8881 section 18.35)";
        MOVED_MIGRATION: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.moved_migr", "EXCHGID4_FLAG_SUPP_MOVED_MIGR", "Migration is supported (RFC 8881 section 18.35)";
        MOVED_REFERRAL: Boolean, Plain, Wireshark, "nfs.exchange_id.flags.moved_refer", "EXCHGID4_FLAG_SUPP_MOVED_REFER", "Referrals are supported (RFC 8881 section 18.35)";
        STATE_PROTECTION: Unsigned(32), Named(PROTECTIONS), Wireshark, "nfs.exchange_id.state_protect", "State protection", "How state is protected (RFC 8881 section 18.35)";
        OPERATION_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.op_mask", "Op_mask", "32 bits of a set of operations (RFC 8881 section 18.35)";
        OID_COUNT: Unsigned(32), Plain, Own, "nfs.algorithms", "Oid count", "Number of algorithms (RFC 8881 section 18.35)";
        HASH_ALGORITHM: Unsigned(32), Hexadecimal, Wireshark, "nfs.prot_info4_hash_alg", "Hash algorithm", "The chosen hash algorithm (RFC 8881 section 18.35)";
        ENCRYPTION_ALGORITHM: Unsigned(32), Hexadecimal, Wireshark, "nfs.prot_info4_encr_alg", "Encryption algorithm", "The chosen encryption algorithm (RFC 8881 section 18.35)";
        SECRET_LENGTH: Unsigned(32), Hexadecimal, Wireshark, "nfs.prot_info4_svv_length", "Secret length", "Bytes of the secret (RFC 8881 section 18.35)";
        WINDOW: Unsigned(32), Hexadecimal, Wireshark, "nfs.prot_info4_spi_window", "Window", "Versions of the secret that are kept (RFC 8881 section 18.35)";
        ASKED_WINDOW: Unsigned(32), Hexadecimal, Wireshark, "nfs.state_protect_window", "Window", "Versions of the secret to keep (RFC 8881 section 18.35)";
        GSS_HANDLES: Unsigned(32), Hexadecimal, Wireshark, "nfs.state_protect_num_gss_handles", "GSS handles", "Number of RPCSEC_GSS handles to make (RFC 8881 section 18.35)";
        GSS_HANDLE: Bytes, Plain, Wireshark, "nfs.gsshandle4", "Gsshandle4", "An RPCSEC_GSS handle (RFC 8881 section 18.33)";
        GSS_HANDLES_COUNT: Unsigned(32), Plain, Own, "nfs.gss_handles", "Gss handles count", "Number of RPCSEC_GSS handles (RFC 8881 section 18.35)";
        SERVER_MINOR: Unsigned(64), Plain, Wireshark, "nfs.minorid4", "Minor ID", "The server owner: minor ID (RFC 8881 section 2.5)";
        SERVER_MAJOR: Bytes, Plain, Wireshark, "nfs.majorid4", "Major ID", "The server owner: major ID (RFC 8881 section 2.5)";
        SERVER_SCOPE: Bytes, Plain, Wireshark, "nfs.scope", "Server scope", "Servers of the same scope share client IDs (RFC 8881 section 2.10.4)";
        IMPLEMENTATION: Unsigned(32), Plain, Own, "nfs.implementation", "Implementation", "Whether the implementation gives its name (RFC 8881 section 3.3.21)";
        IMPLEMENTATION_DOMAIN: Text, Plain, Wireshark, "nfs.nii_domain4", "Implementation domain", "The implementor's DNS name (RFC 8881 section 3.3.21)";
        IMPLEMENTATION_NAME: Text, Plain, Wireshark, "nfs.nii_name4", "Implementation name", "The implementation's name (RFC 8881 section 3.3.21)";
        SESSION_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.create_session_flags", "Session flags", "What the session supports (RFC 8881 section 18.36)";
        PERSISTENT: Boolean, Plain, Wireshark, "nfs.create_session.flags.persist", "CREATE_SESSION4_FLAG_PERSIST", "Replies are kept over a restart (RFC 8881 section 18.36)";
        BACK_CHANNEL: Boolean, Plain, Wireshark, "nfs.create_session.flags.conn_back_chan", "CREATE_SESSION4_FLAG_CONN_BACK_CHAN", "The connection carries callbacks (RFC 8881 section 18.36)";
        RDMA_MODE: Boolean, Plain, Wireshark, "nfs.create_session.flags.conn_rdma", "CREATE_SESSION4_FLAG_CONN_RDMA", "The connection goes over to RDMA (RFC 8881 section 18.36)";
        FORE_CHANNEL: Heading, Plain, Own, "nfs.fore_channel", "Fore channel", "Attributes of the channel from client to server (RFC 8881 section 18.36)";
        BACKWARD_CHANNEL: Heading, Plain, Own, "nfs.back_channel", "Backward channel", "Attributes of the channel from server to client (RFC 8881 section 18.36)";
        HEADER_PADDING: Unsigned(32), Plain, Wireshark, "nfs.padsize4", "Hdr pad size", "Bytes of padding after headers (RFC 8881 section 18.36)";
        MAXIMUM_REQUEST: Unsigned(32), Plain, Wireshark, "nfs.maxreqsize4", "Max req size", "The most bytes of a request (RFC 8881 section 18.36)";
        MAXIMUM_RESPONSE: Unsigned(32), Plain, Wireshark, "nfs.maxrespsize4", "Max resp size", "The most bytes of a response (RFC 8881 section 18.36)";
        MAXIMUM_CACHED: Unsigned(32), Plain, Wireshark, "nfs.maxrespsizecached4", "Max resp size cached", "The most bytes of a response that is kept (RFC 8881 section 18.36)";
        MAXIMUM_OPERATIONS: Unsigned(32), Plain, Wireshark, "nfs.maxops4", "Max ops", "The most operations of a compound (RFC 8881 section 18.36)";
        MAXIMUM_REQUESTS: Unsigned(32), Plain, Wireshark, "nfs.maxreqs4", "Max reqs", "The most requests at once: slots (RFC 8881 section 18.36)";
        RDMA_IRD: Unsigned(32), Plain, Wireshark, "nfs.rdmachanattrs4", "RDMA inbound read depth", "The RDMA Reads that may be outstanding (RFC 8881 section 18.36)";
        RDMA_IRD_COUNT: Unsigned(32), Plain, Own, "nfs.rdma_ird_count", "RDMA channel attributes", "Whether there are attributes of an RDMA channel (RFC 8881 section 18.36)";
        SECURITY_COUNT: Unsigned(32), Plain, Own, "nfs.cb_security_count", "Callback security parameters", "Number of security parameters for callbacks (RFC 8881 section 18.36)";
        SECURITY_FLAVOR: Unsigned(32), Named(FLAVORS), Wireshark, "nfs.flavor4", "Flavor", "A security flavor for callbacks (RFC 8881 section 18.33)";
        STAMP: Unsigned(32), Plain, Wireshark, "nfs.stamp4", "Stamp", "Of AUTH_SYS (RFC 5531 appendix A)";
        MACHINE_NAME: Text, Plain, Wireshark, "nfs.machinename4", "Machine name", "Of AUTH_SYS (RFC 5531 appendix A)";
        UID: Unsigned(32), Plain, Wireshark, "nfs.uid4", "Uid", "Of AUTH_SYS (RFC 5531 appendix A)";
        GID: Unsigned(32), Plain, Wireshark, "nfs.gid4", "Gid", "Of AUTH_SYS (RFC 5531 appendix A)";
        GIDS_COUNT: Unsigned(32), Plain, Own, "nfs.gids", "Auxiliary groups", "Number of further groups of AUTH_SYS (RFC 5531 appendix A)";
        SERVICE: Unsigned(32), Plain, Wireshark, "nfs.service4", "Service", "The service of RPCSEC_GSS (RFC 8881 section 18.33)";
        CLIENT_DIRECTION: Unsigned(32), NamedHexadecimal(CLIENT_DIRECTIONS), Wireshark, "nfs.bctsa_dir", "Direction", "Which channels the connection shall carry (RFC 8881 section 18.34)";
        CLIENT_RDMA: Boolean, Plain, Wireshark, "nfs.bctsa_use_conn_in_rdma_mode", "Use RDMA", "Whether the connection shall go over to RDMA (RFC 8881 section 18.34)";
        SERVER_DIRECTION: Unsigned(32), NamedHexadecimal(SERVER_DIRECTIONS), Wireshark, "nfs.bctsr_dir", "Direction", "Which channels the connection carries (RFC 8881 section 18.34)";
        SERVER_RDMA: Boolean, Plain, Wireshark, "nfs.bctsr_use_conn_in_rdma_mode", "Use RDMA", "Whether the connection goes over to RDMA (RFC 8881 section 18.34)";
        ONE_FILE_SYSTEM: Boolean, Plain, Wireshark, "nfs.reclaim_one_fs4", "One file system", "Whether reclaiming is complete for one file system alone (RFC 8881 section 18.51)";
        SECRET: Bytes, Plain, Own, "nfs.ssv", "Secret", "The new secret state verifier, or its change (RFC 8881 section 18.47)";
        DIGEST: Bytes, Plain, Own, "nfs.ssv_digest", "Digest", "A digest that proves that the secret is known (RFC 8881 section 18.47)";
        STATE_IDS: Unsigned(32), Plain, Own, "nfs.state_ids", "State IDs", "Number of state IDs, or of their statuses (RFC 8881 section 18.48)";
        REFERRING_LISTS: Unsigned(32), Plain, Own, "nfs.referring_lists", "Referring lists", "Number of lists of requests that the callback refers to (RFC 8881 section 20.9)";
        REFERRING_CALLS: Unsigned(32), Plain, Own, "nfs.referring_calls", "Referring calls", "Number of requests that the callback refers to (RFC 8881 section 20.9)";
    }
}

/// Fields of layouts (pNFS), directory notifications, copies, holes and extended attributes
/// (RFC 8881 sections 12 and 18.39 to 18.44, RFC 7862, RFC 8276).
pub mod layout4 {
    use crate::field::fields;
    use crate::field::nfs::names::{
        CONTENT_TYPES, DIRECTORY_DELEGATIONS, IO_MODES, LAYOUT_TYPES, NETWORK_LOCATIONS,
        OPERATIONS, RECALL_TYPES, RETURN_TYPES, XATTR_OPTIONS,
    };

    fields! {
        LAYOUT_TYPE: Unsigned(32), Named(LAYOUT_TYPES), Wireshark, "nfs.layouttype", "Layout type", "The kind of layout (RFC 8881 section 3.3.13)";
        LAYOUT_TYPES_COUNT: Unsigned(32), Plain, Own, "nfs.layout_types", "Layout types", "Number of kinds of layouts (RFC 8881 section 5.12.1)";
        IO_MODE: Unsigned(32), Named(IO_MODES), Wireshark, "nfs.iomode", "IO mode", "Whether the layout is for reading or writing too (RFC 8881 section 3.3.20)";
        MINIMUM_LENGTH: Unsigned(64), Plain, Wireshark, "nfs.minlength4", "Min length", "The least bytes that a layout must cover (RFC 8881 section 18.43)";
        LAYOUT_AVAILABLE: Boolean, Plain, Wireshark, "nfs.layoutavail", "Signal layout available", "Whether the server signals, or shall signal, that a layout is available (RFC 8881 section 18.43)";
        RETURN_ON_CLOSE: Boolean, Plain, Wireshark, "nfs.retclose4", "Return on close", "Whether the layout goes back with the last close (RFC 8881 section 18.43)";
        LAYOUTS: Unsigned(32), Plain, Own, "nfs.layouts", "Layouts", "Number of layouts (RFC 8881 section 18.43)";
        LAYOUT: Bytes, Plain, Wireshark, "nfs.layout", "Layout", "A layout: what it holds depends on its kind (RFC 8881 section 18.43)";
        LAYOUT_HINT: Bytes, Plain, Own, "nfs.layout_hint", "Layout hint", "A hint for layouts: what it holds depends on their kind (RFC 8881 section 5.12.4)";
        DEVICE_ID: Bytes, Plain, Wireshark, "nfs.deviceid", "Device ID", "A storage device, or several (RFC 8881 section 3.3.14)";
        DEVICES: Unsigned(32), Plain, Wireshark, "nfs.devicenum4", "Devices", "Number of device IDs (RFC 8881 section 18.41)";
        DEVICE_ADDRESS: Bytes, Plain, Own, "nfs.device_address", "Device address", "Where the device is: depends on the kind of layout (RFC 8881 section 18.40)";
        NOTIFY_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.notify_mask", "Notify_mask", "32 bits of a set of notifications (RFC 8881 sections 18.39 and 18.40)";
        NOTIFY_VALUES: Bytes, Plain, Own, "nfs.notify_values", "Notifications", "Notifications: what they hold depends on the mask (RFC 8881 section 20.4)";
        NOTIFY_COUNT: Unsigned(32), Plain, Own, "nfs.notify_count", "Notifications", "Number of notifications (RFC 8881 section 20.4)";
        RECLAIM: Boolean, Plain, Wireshark, "nfs.reclaim4", "Reclaim", "Whether state from before the server's restart is claimed again (RFC 8881 sections 18.42 and 18.44)";
        NEW_OFFSET: Boolean, Plain, Wireshark, "nfs.newoffset", "New offset", "Whether the last byte written is given (RFC 8881 section 18.42)";
        NEW_TIME: Boolean, Plain, Wireshark, "nfs.newtime", "New time", "Whether a modify time is given (RFC 8881 section 18.42)";
        NEW_SIZE: Boolean, Plain, Wireshark, "nfs.newsize", "New size", "Whether the size changed (RFC 8881 section 18.42)";
        LAYOUT_UPDATE: Bytes, Plain, Wireshark, "nfs.layoutupdate", "Layout update", "What the client says about the layout: depends on its kind (RFC 8881 section 18.42)";
        RETURN_TYPE: Unsigned(32), Named(RETURN_TYPES), Wireshark, "nfs.returntype", "Return type", "What is returned: a file's layout, those of a file system, all (RFC 8881 section 18.44)";
        RETURN_BODY: Bytes, Plain, Wireshark, "nfs.lrf_body_content", "Layout return", "What goes with the return: depends on the kind of layout (RFC 8881 section 18.44)";
        STATE_ID_PRESENT: Boolean, Plain, Wireshark, "nfs.lrs_present", "State ID present", "Whether a state ID follows (RFC 8881 section 18.44)";
        RECALL_TYPE: Unsigned(32), Named(RECALL_TYPES), Wireshark, "nfs.recalltype", "Recall type", "What is recalled: a file's layout, those of a file system, all (RFC 8881 section 20.3)";
        RECALL_CHANGED: Boolean, Plain, Wireshark, "nfs.clorachanged", "Changed", "Whether the layout has changed (RFC 8881 section 20.3)";
        OBJECTS_TO_KEEP: Unsigned(32), Plain, Own, "nfs.objects_to_keep", "Objects to keep", "Objects that the client may keep (RFC 8881 section 20.6)";
        TYPE_MASK: Unsigned(32), Hexadecimal, Own, "nfs.type_mask", "Type mask", "32 bits of a set of kinds of objects (RFC 8881 section 20.6)";
        WANTS_CANCELLED: Boolean, Plain, Own, "nfs.wants_cancelled", "Wants cancelled", "Whether wants of a kind are cancelled (RFC 8881 section 20.10)";
        SIGNAL_DELEGATION: Boolean, Plain, Own, "nfs.signal_delegation", "Signal delegation", "Whether the server signals, or shall signal, that a delegation is available (RFC 8881 section 18.39)";
        DIRECTORY_DELEGATION: Unsigned(32), Named(DIRECTORY_DELEGATIONS), Own, "nfs.dir_delegation", "Directory delegation", "Whether there is a directory delegation (RFC 8881 section 18.39)";
        CONSECUTIVE: Boolean, Plain, Wireshark, "nfs.consecutive", "Consecutive", "Whether the copy goes from front to back (RFC 7862 section 15.2)";
        SYNCHRONOUS: Boolean, Plain, Wireshark, "nfs.synchronous", "Synchronous", "Whether the copy is done when the reply comes (RFC 7862 section 15.2)";
        SOURCE_SERVERS: Unsigned(32), Plain, Wireshark, "nfs.source_servers", "Source servers", "Number of source servers (RFC 7862 section 15.2)";
        LOCATION_TYPE: Unsigned(32), Named(NETWORK_LOCATIONS), Wireshark, "nfs.netloctype", "Netloc type", "How a server is named (RFC 7862 section 15.2)";
        LOCATION_NAME: Text, Plain, Wireshark, "nfs.nl_name", "Location name", "A server's name (RFC 7862 section 15.2)";
        LOCATION_URL: Text, Plain, Wireshark, "nfs.nl_url", "Location URL", "A server's URL (RFC 7862 section 15.2)";
        CALLBACK_IDS: Unsigned(32), Plain, Wireshark, "nfs.callback_ids", "Callback state IDs", "Number of state IDs of a copy under way: 0 or 1 (RFC 7862 section 15.2)";
        OFFLOAD_STATUSES: Unsigned(32), Plain, Wireshark, "nfs.num_offload_status", "Offload statuses", "Number of statuses of a copy: 0 or 1 (RFC 7862 section 15.9)";
        BYTES_COPIED: Unsigned(64), Plain, Wireshark, "nfs.bytes_copied", "Bytes copied", "Bytes copied (RFC 7862 section 16.1)";
        HINT_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.hint.mask", "Hint mask", "32 bits of a set of hints (RFC 7862 section 15.5)";
        DEVICE_ERRORS: Unsigned(32), Plain, Wireshark, "nfs.device_error_count", "Device errors", "Number of errors (RFC 7862 section 15.6)";
        ERROR_OPERATION: Unsigned(32), Named(OPERATIONS), Own, "nfs.device_error.operation", "Error operation", "The operation that failed (RFC 7862 section 15.6)";
        LAYOUT_STATISTICS: Bytes, Plain, Wireshark, "nfs.layoutstats", "Layout statistics", "What the client reports about the use of a layout: depends on its kind (RFC 7862 section 15.7)";
        IO_COUNT: Unsigned(64), Plain, Wireshark, "nfs.io_count", "Count", "Number of reads or writes (RFC 7862 section 15.7)";
        IO_BYTES: Unsigned(64), Plain, Wireshark, "nfs.io_bytes", "Bytes", "Bytes read or written (RFC 7862 section 15.7)";
        CONTENTS: Unsigned(32), Plain, Own, "nfs.contents", "Contents", "Number of pieces of data and holes (RFC 7862 section 15.10)";
        CONTENT_TYPE: Unsigned(32), Named(CONTENT_TYPES), Wireshark, "nfs.content.type", "Content Type", "Data or a hole (RFC 7862 section 15.10)";
        SEEK_FOR: Unsigned(32), Named(CONTENT_TYPES), Wireshark, "nfs.data_content", "Data content", "What is looked for: data or a hole (RFC 7862 section 15.11)";
        BLOCK_SIZE: Unsigned(64), Plain, Own, "nfs.adb.block_size", "Block size", "Bytes of a block (RFC 7862 section 8)";
        BLOCK_COUNT: Unsigned(64), Plain, Own, "nfs.adb.blocks", "Blocks", "Number of blocks (RFC 7862 section 8)";
        BLOCK_NUMBER_OFFSET: Unsigned(64), Plain, Own, "nfs.adb.number_offset", "Block number offset", "Where in a block its number goes (RFC 7862 section 8)";
        BLOCK_NUMBER: Unsigned(32), Plain, Own, "nfs.adb.number", "Block number", "The first block's number (RFC 7862 section 8)";
        PATTERN_OFFSET: Unsigned(64), Plain, Own, "nfs.adb.pattern_offset", "Pattern offset", "Where in a block the pattern goes (RFC 7862 section 8)";
        PATTERN: Bytes, Plain, Own, "nfs.adb.pattern", "Pattern", "The pattern (RFC 7862 section 8)";
        XATTR_NAME: Text, Plain, Wireshark, "nfs.xattr.key", "Extended attribute", "The name of an extended attribute (RFC 8276 section 8.4)";
        XATTR_OPTION: Unsigned(32), Named(XATTR_OPTIONS), Wireshark, "nfs.setxattr.options", "Option", "Whether it may, must or must not exist (RFC 8276 section 8.4.2)";
        XATTR_COOKIE: Unsigned(64), Plain, Wireshark, "nfs.lisxtattr.cookie", "Cookie", "Where in the list to continue (RFC 8276 section 8.4.3)";
        XATTR_MAXIMUM: Unsigned(32), Plain, Wireshark, "nfs.lisxtattr.maxcount", "Maxcount", "The most bytes of the result (RFC 8276 section 8.4.3)";
        XATTR_COUNT: Unsigned(32), Plain, Wireshark, "nfs.listxattr.names.count", "Xattr names count", "Number of names (RFC 8276 section 8.4.3)";
        XATTR_END: Unsigned(32), Plain, Wireshark, "nfs.lisxtattr.eof", "EOF", "Whether there are no more (RFC 8276 section 8.4.3)";
        THRESHOLDS: Unsigned(32), Plain, Own, "nfs.thresholds", "Thresholds", "Number of thresholds (RFC 8881 section 5.12.6)";
        THRESHOLD_MASK: Unsigned(32), Hexadecimal, Wireshark, "nfs.fattr4.threshold_item.hint_mask", "Threshold mask", "32 bits of a set of thresholds (RFC 8881 section 3.3.22)";
        THRESHOLD_VALUES: Bytes, Plain, Own, "nfs.threshold_values", "Threshold values", "The thresholds (RFC 8881 section 3.3.22)";
    }
}
