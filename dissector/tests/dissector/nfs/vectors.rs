//! Arguments and results put together by hand from the XDR of the RFCs, one operation at a time.

use super::xdr::{Exchange, x};
use crate::prelude::*;

/// A name, the number of the procedure or operation, arguments and results.
type Row = (&'static str, u32, &'static str, &'static str);

/// Every exchange that was put together by hand.
pub fn exchanges() -> Vec<Exchange> {
    let nfs = VERSION_3.iter().map(|row| plain(Procedure::nfs(3, row.1), row));
    let mount = MOUNT.iter().map(|(version, row)| {
        let (program, version) = (Procedure::MOUNT, *version);
        plain(Procedure { program, version, procedure: row.1 }, row)
    });
    let acl = ACL
        .iter()
        .map(|row| plain(Procedure { program: Procedure::ACL, version: 3, procedure: row.1 }, row));
    let operations = VERSION_4.iter().map(|row| compound(Procedure::nfs(4, 1), "'tag' 2 1", row));
    let callback = Procedure { program: Procedure::CALLBACK, version: 1, procedure: 1 };
    let callbacks = CALLBACKS.iter().map(|row| compound(callback, "'' 1 7 1", row));
    nfs.chain(mount).chain(acl).chain(operations).chain(callbacks).collect()
}

fn plain(procedure: Procedure, (name, _, arguments, results): &Row) -> Exchange {
    let (arguments, results) = ((*arguments).to_owned(), (*results).to_owned());
    Exchange { name, procedure, arguments, results }
}

/// One operation of a compound: its results have the status in front, and so has the compound.
fn compound(
    procedure: Procedure,
    front: &str,
    (name, number, arguments, results): &Row,
) -> Exchange {
    let status = x(results).first_chunk().map_or(0, |status| u32::from_be_bytes(*status));
    let arguments = format!("{front} {number} {arguments}");
    let results = format!("{status} '' 1 {number} {results}");
    Exchange { name, procedure, arguments, results }
}

/// RFC 1813; every procedure once with success, and once without where the failure holds something.
const VERSION_3: &[Row] = &[
    ("NULL", 0, "", ""),
    ("GETATTR", 1, "@fh3", "0 @fattr3"),
    ("GETATTR fails", 1, "@fh3", "70"),
    ("SETATTR", 2, "@fh3 @sattr3 1 7 8", "0 @wcc"),
    ("SETATTR fails", 2, "@fh3 0 0 0 0 0 0 0", "10002 0 0"),
    ("LOOKUP", 3, "@fh3 'a'", "0 @fh3 @post 0"),
    ("LOOKUP fails", 3, "@fh3 'ab'", "2 @post"),
    ("ACCESS", 4, "@fh3 0x3f", "0 @post 0x3f"),
    ("ACCESS in part", 4, "@fh3 0x3f", "0 0 0x1f"),
    ("READLINK", 5, "@fh3", "0 0 '../target'"),
    ("READ", 6, "@fh3 0x10000000000h 4096", "0 @post 5 1 '12345'"),
    ("READ fails", 6, "@fh3 0h 1", "5 0"),
    ("WRITE", 7, "@fh3 3h 5 1 '12345'", "0 @wcc 5 2 0x102h"),
    ("CREATE unchecked", 8, "@fh3 'c' 0 @sattr3", "@made"),
    ("CREATE guarded", 8, "@fh3 'c' 1 @sattr3", "17 @wcc"),
    ("CREATE exclusive", 8, "@fh3 'c' 2 0xabcdh", "0 0 0 0 0"),
    ("MKDIR", 9, "@fh3 'd' @sattr3", "@made"),
    ("SYMLINK", 10, "@fh3 's' @sattr3 'to'", "@made"),
    ("MKNOD block", 11, "@fh3 'b' 3 @sattr3 8 1", "@made"),
    ("MKNOD pipe", 11, "@fh3 'p' 7 @sattr3", "@made"),
    ("MKNOD regular", 11, "@fh3 'r' 1", "10007 0 0"),
    ("REMOVE", 12, "@fh3 'a'", "0 @wcc"),
    ("RMDIR", 13, "@fh3 'd'", "66 @wcc"),
    ("RENAME", 14, "@fh3 'a' @fh3 'b'", "0 @wcc @wcc"),
    ("LINK", 15, "@fh3 @fh3 'l'", "0 @post @wcc"),
    ("READDIR", 16, "@fh3 0h 0h 1024", "0 @post 3h @entry3 @entry3 0 1"),
    ("READDIRPLUS", 17, "@fh3 4h 5h 512 1024", "0 @post 3h @entry3 @post 1 @fh3 @entry3 0 0 0 0"),
    ("FSSTAT", 18, "@fh3", "0 0 1h 2h 3h 4h 5h 6h 7"),
    ("FSINFO", 19, "@fh3", "0 0 1 2 3 4 5 6 7 8h 1 5 0x1b"),
    ("PATHCONF", 20, "@fh3", "0 0 1 255 1 1 0 1"),
    ("COMMIT", 21, "@fh3 1h 2", "0 @wcc 9h"),
];

/// MOUNT (RFC 1813), with the version.
const MOUNT: &[(u32, Row)] = &[
    (3, ("MNT", 1, "'/export'", "0 @fh3 2 1 390003")),
    (3, ("MNT fails", 1, "'/export'", "13")),
    (1, ("MNT version 1", 1, "'/export'", "0 @fh1")),
    (3, ("DUMP", 2, "", "1 'host' '/a' 1 'other' '/b' 0")),
    (3, ("UMNT", 3, "'/export'", "")),
    (3, ("UMNTALL", 4, "", "")),
    (3, ("EXPORT", 5, "", "1 '/a' 1 'group' 0 1 '/b' 0 0")),
];

/// NFSACL.
const ACL: &[Row] = &[
    ("GETACL", 1, "@fh3 0xf", "0 @post 0xf 2 2 1 0 7 2 1000 5 1 1 0x1020 0 4"),
    ("GETACL fails", 1, "@fh3 0xf", "70 0"),
    ("SETACL", 2, "@fh3 0xf 2 2 1 0 7 2 1000 5 1 1 0x1020 0 4", "0 @post"),
    ("GETXATTRDIR", 3, "@fh3 1", "0 @fh3 @post"),
];

/// Operations: of version 4.0 (RFC 7531), OPEN and LOCK in their variants; of version 4.1 (RFC 5662); of
/// version 4.2 and of extended attributes (RFC 7863, RFC 8276).
const VERSION_4: &[Row] = &[
    ("ACCESS", 3, "0x3f", "0 0x1f 3"),
    ("CLOSE", 4, "5 #1", "0 #2"),
    ("CLOSE fails", 4, "5 #1", "10025"),
    ("COMMIT", 5, "1h 2", "0 0xabcdh"),
    ("CREATE link", 6, "5 'to' 'link' @set", "0 @change {0x10}"),
    ("CREATE device", 6, "3 8 1 'dev' @set", "0 @change {}"),
    ("CREATE directory", 6, "2 'dir' {} ()", "17"),
    ("DELEGPURGE", 7, "0x77h", "0"),
    ("DELEGRETURN", 8, "#3", "0"),
    ("GETFH", 10, "", "0 @fh4"),
    ("LINK", 11, "'name'", "0 @change"),
    ("LOCK new owner", 12, "2 0 @range 1 7 #1 8 @owner", "0 #9"),
    ("LOCK old owner", 12, "1 1 @range 0 #1 8", "10010 1h 2h 2 @owner"),
    ("LOCKT", 13, "1 @range @owner", "10010 1h 2h 2 @owner"),
    ("LOCKT free", 13, "1 @range @owner", "0"),
    ("LOCKU", 14, "2 9 #4 @range", "0 #5"),
    ("LOOKUP", 15, "'name'", "0"),
    ("LOOKUPP", 16, "", "0"),
    ("NVERIFY", 17, "@set", "0"),
    ("OPENATTR", 19, "1", "0"),
    ("OPEN_CONFIRM", 20, "#1 2", "0 #3"),
    ("OPEN_DOWNGRADE", 21, "#1 2 1 0", "0 #3"),
    ("PUTFH", 22, "@fh4", "0"),
    ("PUTPUBFH", 23, "", "0"),
    ("PUTROOTFH", 24, "", "0"),
    ("READ", 25, "#0 0x200000000h 65536", "0 1 'bytes'"),
    ("READDIR", 26, "0h 0h 512 4096 {0x18,2}", "0 4h 1 3h 'first' @set 1 3h 'second one' @set 0 1"),
    ("READLINK", 27, "", "0 'target'"),
    ("REMOVE", 28, "'name'", "0 @change"),
    ("RENAME", 29, "'old' 'new'", "0 @change @change"),
    ("RENEW", 30, "5h", "0"),
    ("RESTOREFH", 31, "", "0"),
    ("SAVEFH", 32, "", "0"),
    ("SECINFO", 33, "'name'", "0 2 1 6 :2a8648 0 2"),
    ("SETATTR", 34, "#0 @set", "0 {0x10,2}"),
    ("SETATTR times", 34, "#0 {0,0x410000} (1 5.6 0)", "22 {}"),
    ("SETCLIENTID", 35, "@setclientid", "0 2h 3h"),
    ("SETCLIENTID in use", 35, "@setclientid", "10017 'tcp' '10.0.0.2.8.1'"),
    ("SETCLIENTID_CONFIRM", 36, "2h 3h", "0"),
    ("VERIFY", 37, "@set", "10027"),
    ("WRITE", 38, "#1 7h 2 'bytes!'", "0 7 2 8h"),
    ("RELEASE_LOCKOWNER", 39, "@owner", "0"),
    ("ILLEGAL", 10044, "", "10044"),
    ("OPEN by name", 18, "@open 0 0 'file'", "@opened 0"),
    ("OPEN reclaims, read delegation", 18, "@open 0 1 2", "@opened 1 #7 1 @ace"),
    ("OPEN delegated by size", 18, "@open 1 0 @set 2 #9 'file'", "@opened 2 #7 0 1 0x100000h @ace"),
    ("OPEN delegated by blocks", 18, "@open 1 1 @set 3 'file'", "@opened 2 #7 0 2 16 4096 @ace"),
    ("OPEN exclusive", 18, "@open 1 2 0x1234h 4", "@opened 3 1 1"),
    ("OPEN exclusive of 4.1", 18, "@open 1 3 0x1234h @set 5 #2", "@opened 3 0"),
    ("OPEN wants a delegation", 18, "1 0x120201 0 @owner 0 4", "@opened 3 2 0"),
    ("OPEN wants none", 18, "1 0x402 0 @owner 0 4", "@opened 0"),
    ("OPEN delegated before", 18, "@open 0 6", "10013"),
    // The attributes 0 to 31 but 11 (`rdattr_error`), 14, 25 and 26, and 33 to 55 but 46 and the times
    // that are set (48, 54).
    (
        "GETATTR low and high",
        9,
        "{0xf9ffb7ff,0xbebffe}",
        "0 {0xf9ffb7ff,0xbebffe} ({0x12,2} 1 3 5h 6h 1 0 1 7h 8h 1 90 2 @ace @ace 0xb 1 0 1 1 \
         'file handle' 9h 10h 11h 12h 1 'root' 1 1 'server' 2 'a' 'b' 13h 14 15 16h 17h \
         0o100755 1 3 'root@example' 'wheel' 1h 2h 3h 8 1 4h 5h 6h 7h 10.1 11.2 12.3 0.4 13.5 14.6 \
         99h)",
    ),
    ("GETATTR Booleans and type", 9, "{0x6004000,0x4000}", "0 {0x6004000,0x4000} (1 0 1 1)"),
    ("GETATTR delays and list", 9, "{0,0x7000000}", "0 {0,0x7000000} (1.2 3.4 2 1 @ace)"),
    ("GETATTR audit list", 9, "{0,0x58000000,1}", "0 {0,0x58000000,1} (1 1 @ace 5h 6h 2 1 4 1 5)"),
    ("GETATTR 4.2", 9, "{0,0,0x1f802}", "0 {0,0,0x1f802} (4096 {0x10} 2 65536 7h 1 0 3 'label')"),
    (
        "GETATTR status, retention, umask",
        9,
        "{0,0x20000000,0x207f0}",
        "0 {0,0x20000000,0x207f0} (0 4 'source' 'now' 7 1.2 1 5 {3} (0h 0h) 60h 1 3.4 1 1 60h 60h \
         0 0 0 1h 0o755 0o777 0o644 0o22)",
    ),
    ("GETATTR threshold", 9, "{0,0,0x10}", "0 {0,0,0x10} (1 5 {3} (0h 0h))"),
    ("GETATTR umask", 9, "{0,0,0x20000}", "0 {0,0,0x20000} (0o644 0o22)"),
    ("GETATTR extended attributes", 9, "{0,0,0x40000}", "0 {0,0,0x40000} (1)"),
    ("GETATTR fails", 9, "{}", "10001"),
    ("BACKCHANNEL_CTL", 40, "0x40000000 2 0 @system", "0"),
    ("BIND_CONN_TO_SESSION", 41, "@session 3 1", "0 @session 3 0"),
    ("EXCHANGE_ID plain", 42, "@client 0x80010103 0 0", "@id 0 @server @made-by"),
    ("EXCHANGE_ID machine", 42, "@client 0x103 1 {8} {0,1} @made-by", "@id 1 {8} {1} @server 0"),
    (
        "EXCHANGE_ID secret",
        42,
        "@client 0 2 {1} {2} 1 :010203 0 5 6 0",
        "@id 2 {1} {2} 0 1 32 4 1 'handle' @server 0",
    ),
    (
        "CREATE_SESSION",
        43,
        "0x55h 1 7 @channel {8} @channel {} 0x40000000 1 @system",
        "0 @session 1 2 @channel {} @channel {}",
    ),
    ("DESTROY_SESSION", 44, "@session", "0"),
    ("FREE_STATEID", 45, "#1", "0"),
    ("SECINFO_NO_NAME", 52, "1", "0 1 1"),
    ("SEQUENCE", 53, "@session 9 1 3 1", "0 @session 9 1 3 4 0x1fff"),
    ("SEQUENCE fails", 53, "@session 9 1 3 1", "10052"),
    ("SET_SSV", 54, "'secret' 'digest'", "0 'digest'"),
    ("TEST_STATEID", 55, "2 #1 #2", "0 2 0 10025"),
    ("DESTROY_CLIENTID", 57, "0x55h", "0"),
    ("RECLAIM_COMPLETE", 58, "1", "0"),
    ("GET_DIR_DELEGATION", 46, "1 {0x3f} 1.2 3.4 {0x10} {8}", "0 0 1h #2 {3} {0x10} {}"),
    ("GET_DIR_DELEGATION not now", 46, "0 {} 1.2 3.4 {} {}", "0 1 1"),
    ("GETDEVICEINFO", 47, "@device 2 4096 {6}", "0 2 'where it is' {2}"),
    ("GETDEVICEINFO too small", 47, "@device 2 4 {}", "10005 8192"),
    ("GETDEVICELIST", 48, "2 8 1h 2h", "0 3h 4h 2 @device @device 1"),
    ("LAYOUTCOMMIT", 49, "0h 4096h 0 #1 1 4095h 1 7.8 2 'update'", "0 1 4096h"),
    ("LAYOUTCOMMIT of nothing", 49, "0h 4096h 1 #1 0 0 2 ''", "0 0"),
    ("LAYOUTGET", 50, "1 2 2 0h @all 4096h #1 8192", "0 1 #2 1 0h @all 2 2 'the layout'"),
    ("LAYOUTGET later", 50, "0 2 1 0h 1h 1h #1 8192", "10058 1"),
    ("LAYOUTRETURN of a file", 51, "0 2 3 1 0h @all #2 'body'", "0 1 #3"),
    ("LAYOUTRETURN of all", 51, "0 2 3 3", "0 0"),
    ("WANT_DELEGATION", 56, "0x100 4", "0 1 #7 0 0 0 1 'who'"),
    ("ALLOCATE", 59, "#1 4096h 8192h", "0"),
    (
        "COPY between servers",
        60,
        "#1 #2 10h 20h 30h 1 0 2 1 'name' 3 'tcp' '10.0.0.1.8.1'",
        "0 1 #9 30h 2 0x77h 1 0",
    ),
    ("COPY refused", 60, "#1 #2 10h 20h 30h 1 1 0", "10094 0 1"),
    ("COPY_NOTIFY", 61, "#1 2 'nfs://host/'", "0 5.6 #3 1 1 'source'"),
    ("DEALLOCATE", 62, "#1 4096h 8192h", "0"),
    ("IO_ADVISE", 63, "#1 4096h 8192h {0x12}", "0 {2}"),
    ("LAYOUTERROR", 64, "0h 1h #1 1 @device 5 38", "0"),
    ("LAYOUTSTATS", 65, "0h 1h #1 2h 3h 4h 5h @device 2 'statistics'", "0"),
    ("OFFLOAD_CANCEL", 66, "#1", "0"),
    ("OFFLOAD_STATUS", 67, "#1", "0 77h 1 0"),
    ("OFFLOAD_STATUS under way", 67, "#1", "0 76h 0"),
    ("READ_PLUS", 68, "#1 0h 8192", "0 1 2 0 0h 'abcde' 1 5h 100h"),
    ("SEEK", 69, "#1 5h 1", "0 0 4096h"),
    ("WRITE_SAME", 70, "#1 2 0h 512h 8h 4h 1 16h 'pattern'", "0 1 #9 30h 2 0x77h"),
    ("CLONE", 71, "#1 #2 10h 20h 30h", "0"),
    ("GETXATTR", 72, "'user.name'", "0 'value'"),
    ("SETXATTR", 73, "1 'name' 'value'", "0 1 1h 2h"),
    ("LISTXATTRS", 74, "0h 4096", "0 2h 2 'a' 'bc' 1"),
    ("REMOVEXATTR", 75, "'name'", "0 1 1h 2h"),
];

/// The callback operations (RFC 5662, RFC 7863).
const CALLBACKS: &[Row] = &[
    ("CB_GETATTR", 3, "@fh4 {0x18}", "0 {0x18} (1h 2h)"),
    ("CB_RECALL", 4, "#1 1 @fh4", "0"),
    ("CB_LAYOUTRECALL of a file", 5, "1 3 0 1 @fh4 0h @all #4", "0"),
    ("CB_LAYOUTRECALL of a file system", 5, "1 3 0 2 1h 2h", "0"),
    ("CB_LAYOUTRECALL of all", 5, "1 3 1 3", "10060"),
    ("CB_NOTIFY", 6, "#1 @fh4 1 {8} 'notifications'", "0"),
    ("CB_PUSH_DELEG", 7, "@fh4 1 #1 0 0 0 1 'who'", "0"),
    ("CB_RECALL_ANY", 8, "5 {3}", "0"),
    ("CB_RECALLABLE_OBJ_AVAIL", 9, "5 {3}", "0"),
    ("CB_RECALL_SLOT", 10, "7", "0"),
    ("CB_SEQUENCE", 11, "@session 9 1 3 0 1 @session 2 4 0 5 1", "0 @session 9 1 3 8"),
    ("CB_SEQUENCE alone", 11, "@session 9 1 3 0 0", "10052"),
    ("CB_WANTS_CANCELLED", 12, "1 0", "0"),
    ("CB_NOTIFY_LOCK", 13, "@fh4 1h 'owner'", "0"),
    ("CB_NOTIFY_DEVICEID", 14, "1 {8} 'notifications'", "0"),
    ("CB_OFFLOAD", 15, "@fh4 #1 0 1 #2 3h 2 4h", "0"),
    ("CB_OFFLOAD of a failure", 15, "@fh4 #1 28 3h", "0"),
    ("CB_ILLEGAL", 10044, "", "10044"),
];
