//! Fields that NFS shares between its versions, and with MOUNT and NFSACL.

use super::names::{PROCEDURES_3, STATUS};
use super::names4::{FILE_TYPES, PROCEDURES_4};
use crate::field::fields;

fields! {
    NFS: Protocol, Plain, Wireshark, "nfs", "Network File System", "Network File System, versions 3 (RFC 1813) and 4 (RFC 7530, RFC 8881, RFC 7862)";
    PROCEDURE_3: Unsigned(32), Named(PROCEDURES_3), Wireshark, "nfs.procedure_v3", "V3 Procedure", "The procedure of version 3 (RFC 1813 section 3.3)";
    PROCEDURE_4: Unsigned(32), Named(PROCEDURES_4), Wireshark, "nfs.procedure_v4", "V4 Procedure", "The procedure of version 4 (RFC 8881 section 16)";
    STATUS_ANY: Unsigned(32), Named(STATUS), Wireshark, "nfs.status", "Status", "The status of a result, whatever the version: repeats nfs.status3 or nfs.nfsstat4";
    MALFORMED: Text, Plain, Own, "nfs.malformed", "Malformed", "Why arguments or results cannot be read";
    LEFT_OVER: Bytes, Plain, Own, "nfs.left_over", "Left over", "Bytes behind the end of the arguments or results";
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
    ACCESS_SUPPORTED: Unsigned(8), Hexadecimal, Wireshark, "nfs.access_supported", "Supported types (of requested)", "The access that the server can tell about (RFC 8881 section 18.1)";
    ACCESS_RIGHTS: Unsigned(8), Hexadecimal, Wireshark, "nfs.access_rights", "Access rights (of requested)", "The access that is granted (RFC 1813 section 3.3.4, RFC 8881 section 18.1)";
    SUPPORTED_READ: Boolean, Plain, Wireshark, "nfs.access_supp_read", "0x001 READ", "Whether the server can tell about reading";
    SUPPORTED_LOOKUP: Boolean, Plain, Wireshark, "nfs.access_supp_lookup", "0x002 LOOKUP", "Whether the server can tell about looking up names";
    SUPPORTED_MODIFY: Boolean, Plain, Wireshark, "nfs.access_supp_modify", "0x004 MODIFY", "Whether the server can tell about changing what is there";
    SUPPORTED_EXTEND: Boolean, Plain, Wireshark, "nfs.access_supp_extend", "0x008 EXTEND", "Whether the server can tell about adding";
    SUPPORTED_DELETE: Boolean, Plain, Wireshark, "nfs.access_supp_delete", "0x010 DELETE", "Whether the server can tell about deleting";
    SUPPORTED_EXECUTE: Boolean, Plain, Wireshark, "nfs.access_supp_execute", "0x020 EXECUTE", "Whether the server can tell about executing";
    SUPPORTED_XATTR_READ: Boolean, Plain, Wireshark, "nfs.access_supp_xattr_read", "0x040 XATTR READ", "Whether the server can tell about reading extended attributes (RFC 8276)";
    SUPPORTED_XATTR_WRITE: Boolean, Plain, Wireshark, "nfs.access_supp_xattr_write", "0x080 XATTR WRITE", "Whether the server can tell about writing extended attributes (RFC 8276)";
    SUPPORTED_XATTR_LIST: Boolean, Plain, Wireshark, "nfs.access_supp_xattr_list", "0x100 XATTR LIST", "Whether the server can tell about listing extended attributes (RFC 8276)";
    ACCESS_READ: Boolean, Plain, Wireshark, "nfs.access_read", "0x001 READ", "Reading a file or directory (RFC 1813 section 3.3.4)";
    ACCESS_LOOKUP: Boolean, Plain, Wireshark, "nfs.access_lookup", "0x002 LOOKUP", "Looking up a name in a directory (RFC 1813 section 3.3.4)";
    ACCESS_MODIFY: Boolean, Plain, Wireshark, "nfs.access_modify", "0x004 MODIFY", "Changing data or entries that are there (RFC 1813 section 3.3.4)";
    ACCESS_EXTEND: Boolean, Plain, Wireshark, "nfs.access_extend", "0x008 EXTEND", "Adding data or entries (RFC 1813 section 3.3.4)";
    ACCESS_DELETE: Boolean, Plain, Wireshark, "nfs.access_delete", "0x010 DELETE", "Deleting an entry (RFC 1813 section 3.3.4)";
    ACCESS_EXECUTE: Boolean, Plain, Wireshark, "nfs.access_execute", "0x020 EXECUTE", "Executing a file (RFC 1813 section 3.3.4)";
    ACCESS_XATTR_READ: Boolean, Plain, Wireshark, "nfs.access_xattr_read", "0x040 XATTR READ", "Reading extended attributes (RFC 8276)";
    ACCESS_XATTR_WRITE: Boolean, Plain, Wireshark, "nfs.access_xattr_write", "0x080 XATTR WRITE", "Writing extended attributes (RFC 8276)";
    ACCESS_XATTR_LIST: Boolean, Plain, Wireshark, "nfs.access_xattr_list", "0x100 XATTR LIST", "Listing extended attributes (RFC 8276)";
}
