//! NFS version 3, MOUNT and NFSACL (RFC 1813).

use super::xdr::{Exchange, Xdr, x};
use warpscope_dissector::nfs::Procedure;

fn handle() -> Xdr {
    x().opaque(b"handle of a file")
}

/// `fattr3`: 84 bytes.
fn attributes() -> Xdr {
    x().u(&[1, 0o104_755, 2, 1000, 100]).h(4096).h(8192).u(&[8, 1]).h(0xfd00).h(77).u(&[
        1_700_000_000,
        1,
        1_700_000_001,
        2,
        1_700_000_002,
        999_999_999,
    ])
}

fn post() -> Xdr {
    x().u(&[1]).with(&attributes())
}

/// `wcc_data` with both parts.
fn wcc() -> Xdr {
    x().u(&[1]).h(10).u(&[1, 2, 3, 4]).with(&post())
}

/// `sattr3` that sets everything.
fn new_attributes() -> Xdr {
    x().u(&[1, 0o644, 1, 1000, 1, 100, 1]).h(9).u(&[2, 5, 6, 1])
}

fn where_to(name: &str) -> Xdr {
    handle().text(name)
}

/// The exchanges; every procedure once with success, and once without where the failure holds something.
pub fn exchanges() -> Vec<Exchange> {
    let ok = || x().u(&[0]);
    let made = || ok().u(&[1]).with(&handle()).with(&post()).with(&wcc());
    let entry = || x().u(&[1]).h(5).text("name").h(6);
    let list: Vec<(&'static str, u32, Xdr, Xdr)> = vec![
        ("NULL", 0, x(), x()),
        ("GETATTR", 1, handle(), ok().with(&attributes())),
        ("GETATTR fails", 1, handle(), x().u(&[70])),
        ("SETATTR", 2, handle().with(&new_attributes()).u(&[1, 7, 8]), ok().with(&wcc())),
        ("SETATTR fails", 2, handle().u(&[0, 0, 0, 0, 0, 0, 0]), x().u(&[10002, 0, 0])),
        ("LOOKUP", 3, where_to("a"), ok().with(&handle()).with(&post()).u(&[0])),
        ("LOOKUP fails", 3, where_to("ab"), x().u(&[2]).with(&post())),
        ("ACCESS", 4, handle().u(&[0x3f]), ok().with(&post()).u(&[0x3f])),
        ("ACCESS in part", 4, handle().u(&[0x3f]), ok().u(&[0, 0x1f])),
        ("READLINK", 5, handle(), ok().u(&[0]).text("../target")),
        ("READ", 6, handle().h(1 << 40).u(&[4096]), ok().with(&post()).u(&[5, 1]).opaque(b"12345")),
        ("READ fails", 6, handle().h(0).u(&[1]), x().u(&[5, 0])),
        (
            "WRITE",
            7,
            handle().h(3).u(&[5, 1]).opaque(b"12345"),
            ok().with(&wcc()).u(&[5, 2]).h(0x0102),
        ),
        ("CREATE unchecked", 8, where_to("c").u(&[0]).with(&new_attributes()), made()),
        (
            "CREATE guarded",
            8,
            where_to("c").u(&[1]).with(&new_attributes()),
            x().u(&[17]).with(&wcc()),
        ),
        ("CREATE exclusive", 8, where_to("c").u(&[2]).h(0xabcd), ok().u(&[0, 0, 0, 0])),
        ("MKDIR", 9, where_to("d").with(&new_attributes()), made()),
        ("SYMLINK", 10, where_to("s").with(&new_attributes()).text("to"), made()),
        ("MKNOD block", 11, where_to("b").u(&[3]).with(&new_attributes()).u(&[8, 1]), made()),
        ("MKNOD pipe", 11, where_to("p").u(&[7]).with(&new_attributes()), made()),
        ("MKNOD regular", 11, where_to("r").u(&[1]), x().u(&[10007, 0, 0])),
        ("REMOVE", 12, where_to("a"), ok().with(&wcc())),
        ("RMDIR", 13, where_to("d"), x().u(&[66]).with(&wcc())),
        ("RENAME", 14, where_to("a").with(&where_to("b")), ok().with(&wcc()).with(&wcc())),
        ("LINK", 15, handle().with(&where_to("l")), ok().with(&post()).with(&wcc())),
        (
            "READDIR",
            16,
            handle().h(0).h(0).u(&[1024]),
            ok().with(&post()).h(3).with(&entry()).with(&entry()).u(&[0, 1]),
        ),
        (
            "READDIRPLUS",
            17,
            handle().h(4).h(5).u(&[512, 1024]),
            ok().with(&post())
                .h(3)
                .with(&entry().with(&post()).u(&[1]).with(&handle()))
                .with(&entry().u(&[0, 0]))
                .u(&[0, 0]),
        ),
        ("FSSTAT", 18, handle(), ok().u(&[0]).h(1).h(2).h(3).h(4).h(5).h(6).u(&[7])),
        ("FSINFO", 19, handle(), ok().u(&[0, 1, 2, 3, 4, 5, 6, 7]).h(8).u(&[1, 5, 0x1b])),
        ("PATHCONF", 20, handle(), ok().u(&[0, 1, 255, 1, 1, 0, 1])),
        ("COMMIT", 21, handle().h(1).u(&[2]), ok().with(&wcc()).h(9)),
    ];
    let nfs = list.into_iter().map(|(name, number, arguments, results)| Exchange {
        name,
        procedure: Procedure::nfs(3, number),
        arguments,
        results,
    });
    nfs.chain(mount()).chain(acl()).collect()
}

fn mount() -> Vec<Exchange> {
    let of = |name, version, procedure, arguments, results| Exchange {
        name,
        procedure: Procedure { program: Procedure::MOUNT, version, procedure },
        arguments,
        results,
    };
    let path = || x().text("/export");
    vec![
        of("MNT", 3, 1, path(), x().u(&[0]).with(&handle()).u(&[2, 1, 390_003])),
        of("MNT fails", 3, 1, path(), x().u(&[13])),
        of("MNT version 1", 1, 1, path(), x().u(&[0]).fixed(&[7; 32])),
        of(
            "DUMP",
            3,
            2,
            x(),
            x().u(&[1]).text("host").text("/a").u(&[1]).text("other").text("/b").u(&[0]),
        ),
        of("UMNT", 3, 3, path(), x()),
        of("UMNTALL", 3, 4, x(), x()),
        of(
            "EXPORT",
            3,
            5,
            x(),
            x().u(&[1]).text("/a").u(&[1]).text("group").u(&[0, 1]).text("/b").u(&[0, 0]),
        ),
    ]
}

fn acl() -> Vec<Exchange> {
    let of = |name, procedure, arguments, results| Exchange {
        name,
        procedure: Procedure { program: Procedure::ACL, version: 3, procedure },
        arguments,
        results,
    };
    let lists = || x().u(&[0xf, 2, 2, 1, 0, 7, 2, 1000, 5, 1, 1, 0x1020, 0, 4]);
    vec![
        of("GETACL", 1, handle().u(&[0xf]), x().u(&[0]).with(&post()).with(&lists())),
        of("GETACL fails", 1, handle().u(&[0xf]), x().u(&[70, 0])),
        of("SETACL", 2, handle().with(&lists()), x().u(&[0]).with(&post())),
        of("GETXATTRDIR", 3, handle().u(&[1]), x().u(&[0]).with(&handle()).with(&post())),
    ]
}
