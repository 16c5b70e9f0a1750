//! Fields of NFSACL, the access control lists beside NFS version 3 (no public document; RFC 8267 section 5.2).

use super::fields;
use super::nfs::names::{ACL_PROCEDURES, ACL_PROCEDURES_3};

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
    NFSACL: Protocol, Plain, Wireshark, "nfsacl", "NFSACL", "Access control lists beside NFS version 3";
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
    CREATE: Boolean, Plain, Wireshark, "nfsacl.create", "Create", "Whether the named attribute directory is made when it is not there";
}
