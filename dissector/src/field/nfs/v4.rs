//! Fields of NFS version 4: compounds, state, opens, locks and directories (RFC 7530, RFC 8881).

use super::names::FLAVORS;
use super::names4::{
    CALLBACK_OPERATIONS, CALLBACK_PROCEDURES, CLAIM_TYPES, CREATE_MODES_4, DELEGATION_TYPES,
    LIMITS, LOCK_TYPES, OPEN_TYPES, OPERATIONS, SECINFO_STYLES, SERVICES, SHARE_ACCESS, SHARE_DENY,
    STABLE_HOW_4, STATUS_4, WHY_NO_DELEGATION,
};
use crate::field::fields;

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
    STATE_ID_OTHER: Bytes, Plain, Wireshark, "nfs.stateid.other", "StateID Other", "What tells states apart (RFC 8881 section 8.2.2)";
    STATE_ID_OTHER_HASH: Unsigned(32), Hexadecimal, Wireshark, "nfs.stateid.other_hash", "StateID Other hash", "CRC-32 of what tells states apart";
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
    WANT_WHEN_AVAILABLE: Boolean, Plain, Wireshark, "nfs.want_notification.when_resrc_avail", "When available", "It wants to be told when a delegation can be had (RFC 8881 section 18.16)";
    WANT_WHEN_UNCONTENDED: Boolean, Plain, Wireshark, "nfs.want_push_deleg_when_uncontended", "When uncontended", "It wants the delegation as soon as nobody stands against it (RFC 8881 section 18.16)";
    OPEN_OWNER: Bytes, Plain, Wireshark, "nfs.open_owner4", "Open owner", "Who opens (RFC 8881 section 3.3.10)";
    LOCK_OWNER: Bytes, Plain, Wireshark, "nfs.lock_owner4", "Lock owner", "Who locks (RFC 8881 section 3.3.10)";
    OPEN_TYPE: Unsigned(32), Named(OPEN_TYPES), Wireshark, "nfs.open.opentype", "Open Type", "Whether the file is created (RFC 8881 section 18.16)";
    CREATE_MODE: Unsigned(32), Named(CREATE_MODES_4), Wireshark, "nfs.createmode4", "Create Mode", "How it is created (RFC 8881 section 18.16)";
    CLAIM_TYPE: Unsigned(32), Named(CLAIM_TYPES), Wireshark, "nfs.open.claim_type", "Claim Type", "By which right the file is opened (RFC 8881 section 18.16)";
    DELEGATE_TYPE: Unsigned(32), Named(DELEGATION_TYPES), Wireshark, "nfs.delegate_type", "Delegate_type", "The delegation that the client had (RFC 8881 section 18.16)";
    RESULT_FLAGS: Unsigned(32), Hexadecimal, Wireshark, "nfs.open_rflags", "Result flags", "What the client must know about the open (RFC 8881 section 18.16)";
    RESULT_CONFIRM: Boolean, Plain, Wireshark, "nfs.open_rflags.confirm", "Confirm", "OPEN_CONFIRM is needed (RFC 7530 section 16.16)";
    RESULT_POSIX: Boolean, Plain, Wireshark, "nfs.open_rflags.locktype_posix", "Locktype posix", "Byte-range locks are POSIX's (RFC 8881 section 18.16)";
    RESULT_PRESERVE: Boolean, Plain, Wireshark, "nfs.open_rflags.preserve_unlinked", "Preserve unlinked", "The file stays while it is open, without a name too (RFC 8881 section 18.16)";
    RESULT_MAY_NOTIFY: Boolean, Plain, Wireshark, "nfs.open_rflags.may_notify_lock", "May notify lock", "The server may tell when a lock is free (RFC 8881 section 18.16)";
    DELEGATION_TYPE: Unsigned(32), Named(DELEGATION_TYPES), Wireshark, "nfs.open.delegation_type", "Delegation Type", "The delegation granted (RFC 8881 section 18.16)";
    WHY_NONE: Unsigned(32), Named(WHY_NO_DELEGATION), Wireshark, "nfs.open.why_no_delegation", "Why no delegation", "Why there is no delegation (RFC 8881 section 18.16)";
    WILL_TELL: Boolean, Plain, Own, "nfs.will_tell", "Server will tell", "Whether the server will tell when a delegation can be had (RFC 8881 section 18.16)";
    WRITE_RECALL: Boolean, Plain, Wireshark, "nfs.recall", "Recall", "Whether the write delegation is being recalled already (RFC 8881 section 18.16)";
    RECALL: Boolean, Plain, Wireshark, "nfs.recall4", "Recall", "Whether the delegation is being recalled already (RFC 8881 section 18.16)";
    LIMIT_BY: Unsigned(32), Named(LIMITS), Wireshark, "nfs.open.limit_by", "Space limit", "What limits the data that a client may keep to itself (RFC 8881 section 18.16)";
    LIMIT_SIZE: Unsigned(64), Plain, Wireshark, "nfs.filesize", "Filesize", "The largest file that it may make (RFC 8881 section 18.16)";
    LIMIT_BLOCKS: Unsigned(32), Plain, Wireshark, "nfs.num_blocks", "Num_blocks", "The most blocks that it may write (RFC 8881 section 18.16)";
    LIMIT_BLOCK_SIZE: Unsigned(32), Plain, Wireshark, "nfs.bytes_per_block", "Bytes_per_block", "Bytes of such a block (RFC 8881 section 18.16)";
    CREATE_DIRECTORY: Boolean, Plain, Wireshark, "nfs.openattr4.createdir", "Attribute dir create", "Whether the named attribute directory is made when it is not there (RFC 8881 section 18.17)";
    LOCK_TYPE: Unsigned(32), Named(LOCK_TYPES), Wireshark, "nfs.locktype4", "Locktype", "The lock (RFC 8881 section 18.10)";
    RECLAIM: Boolean, Plain, Wireshark, "nfs.lock.reclaim", "Reclaim", "Whether a lock from before the server's restart is claimed again (RFC 8881 section 18.10)";
    NEW_LOCK_OWNER: Boolean, Plain, Wireshark, "nfs.lock.locker.new_lock_owner", "New lock owner", "Whether the owner has no locks on the file yet (RFC 8881 section 18.10)";
    END_OF_FILE: Unsigned(32), Plain, Wireshark, "nfs.eof", "EOF", "Whether the read came to the end of the file (RFC 8881 section 18.22)";
    COOKIE: Unsigned(64), Plain, Wireshark, "nfs.cookie4", "Cookie", "Where in the directory to go on (RFC 8881 section 18.23)";
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
    TRUNCATE: Boolean, Plain, Wireshark, "nfs.truncate", "Truncate", "Whether the file is about to be cut to nothing (RFC 8881 section 20.2)";
}
