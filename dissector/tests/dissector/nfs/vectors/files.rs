//! The operations of NFS version 4.0 (RFC 7531), and the attributes of all (RFC 7863).

use super::xdr::{Exchange, Xdr, operation, x};

const OK: [u32; 1] = [0];

fn ok() -> Xdr {
    x().u(&OK)
}

/// `change_info4`.
fn change() -> Xdr {
    x().u(&[1]).h(11).h(12)
}

/// A size and a mode.
fn set() -> Xdr {
    x().attributes(&[0x10, 0x2], &x().h(4096).u(&[0o100_644]))
}

/// `state_owner4`.
fn owner() -> Xdr {
    x().h(0x1122_3344_5566_7788).opaque(b"owner")
}

/// `nfsace4`.
fn ace() -> Xdr {
    x().u(&[0, 0x43, 0x1f_01ff]).text("OWNER@")
}

/// Values of the attributes 0 to 31 but 11 (`rdattr_error`), 14, 25 and 26.
fn low() -> (u32, Xdr) {
    let values = x()
        .bitmap(&[0x12, 0x2])
        .u(&[1, 3])
        .h(5)
        .h(6)
        .u(&[1, 0, 1])
        .h(7)
        .h(8)
        .u(&[1, 90])
        .u(&[2])
        .with(&ace())
        .with(&ace())
        .u(&[0xb, 1, 0, 1, 1])
        .opaque(b"file handle")
        .h(9)
        .h(10)
        .h(11)
        .h(12)
        .u(&[1])
        .text("root")
        .u(&[1, 1])
        .text("server")
        .u(&[2])
        .text("a")
        .text("b")
        .h(13)
        .u(&[14, 15])
        .h(16)
        .h(17);
    (!(1 << 11 | 1 << 14 | 1 << 25 | 1 << 26), values)
}

/// Values of the attributes 33 to 55 but 46 and the times that are set (48, 54).
fn high() -> (u32, Xdr) {
    let values = x()
        .u(&[0o100_755, 1, 3])
        .text("root@example")
        .text("wheel")
        .h(1)
        .h(2)
        .h(3)
        .u(&[8, 1])
        .h(4)
        .h(5)
        .h(6)
        .h(7)
        .time(10, 1)
        .time(11, 2)
        .time(12, 3)
        .time(0, 4)
        .time(13, 5)
        .time(14, 6)
        .h(99);
    (0x00ff_fffe & !(1 << 14 | 1 << 16 | 1 << 22), values)
}

/// One operation each; OPEN and LOCK in their variants.
pub fn exchanges() -> Vec<Exchange> {
    let mut all = plain();
    all.extend(opens());
    all.extend(attributes());
    all
}

fn plain() -> Vec<Exchange> {
    let denied = || x().u(&[10010]).h(1).h(2).u(&[2]).with(&owner());
    let range = || x().h(100).h(u64::MAX);
    let entry = |name: &str| x().u(&[1]).h(3).text(name).with(&set());
    vec![
        operation("ACCESS", 3, x().u(&[0x3f]), ok().u(&[0x1f, 0x3])),
        operation("CLOSE", 4, x().u(&[5]).state_id(1), ok().state_id(2)),
        operation("CLOSE fails", 4, x().u(&[5]).state_id(1), x().u(&[10025])),
        operation("COMMIT", 5, x().h(1).u(&[2]), ok().h(0xabcd)),
        operation(
            "CREATE link",
            6,
            x().u(&[5]).text("to").text("link").with(&set()),
            ok().with(&change()).bitmap(&[0x10]),
        ),
        operation(
            "CREATE device",
            6,
            x().u(&[3, 8, 1]).text("dev").with(&set()),
            ok().with(&change()).bitmap(&[]),
        ),
        operation(
            "CREATE directory",
            6,
            x().u(&[2]).text("dir").attributes(&[], &x()),
            x().u(&[17]),
        ),
        operation("DELEGPURGE", 7, x().h(0x77), ok()),
        operation("DELEGRETURN", 8, x().state_id(3), ok()),
        operation("GETFH", 10, x(), ok().opaque(b"a handle")),
        operation("LINK", 11, x().text("name"), ok().with(&change())),
        operation(
            "LOCK new owner",
            12,
            x().u(&[2, 0]).with(&range()).u(&[1, 7]).state_id(1).u(&[8]).with(&owner()),
            ok().state_id(9),
        ),
        operation(
            "LOCK old owner",
            12,
            x().u(&[1, 1]).with(&range()).u(&[0]).state_id(1).u(&[8]),
            denied(),
        ),
        operation("LOCKT", 13, x().u(&[1]).with(&range()).with(&owner()), denied()),
        operation("LOCKT free", 13, x().u(&[1]).with(&range()).with(&owner()), ok()),
        operation("LOCKU", 14, x().u(&[2, 9]).state_id(4).with(&range()), ok().state_id(5)),
        operation("LOOKUP", 15, x().text("name"), ok()),
        operation("LOOKUPP", 16, x(), ok()),
        operation("NVERIFY", 17, set(), ok()),
        operation("OPENATTR", 19, x().u(&[1]), ok()),
        operation("OPEN_CONFIRM", 20, x().state_id(1).u(&[2]), ok().state_id(3)),
        operation("OPEN_DOWNGRADE", 21, x().state_id(1).u(&[2, 1, 0]), ok().state_id(3)),
        operation("PUTFH", 22, x().opaque(b"a handle"), ok()),
        operation("PUTPUBFH", 23, x(), ok()),
        operation("PUTROOTFH", 24, x(), ok()),
        operation(
            "READ",
            25,
            x().state_id(0).h(1 << 33).u(&[65536]),
            ok().u(&[1]).opaque(b"bytes"),
        ),
        operation(
            "READDIR",
            26,
            x().h(0).h(0).u(&[512, 4096]).bitmap(&[0x18, 0x2]),
            ok().h(4).with(&entry("first")).with(&entry("second one")).u(&[0, 1]),
        ),
        operation("READLINK", 27, x(), ok().text("target")),
        operation("REMOVE", 28, x().text("name"), ok().with(&change())),
        operation("RENAME", 29, x().text("old").text("new"), ok().with(&change()).with(&change())),
        operation("RENEW", 30, x().h(5), ok()),
        operation("RESTOREFH", 31, x(), ok()),
        operation("SAVEFH", 32, x(), ok()),
        operation(
            "SECINFO",
            33,
            x().text("name"),
            ok().u(&[2, 1, 6]).opaque(&[0x2a, 0x86, 0x48]).u(&[0, 2]),
        ),
        operation("SETATTR", 34, x().state_id(0).with(&set()), ok().bitmap(&[0x10, 0x2])),
        operation(
            "SETATTR times",
            34,
            x().state_id(0).attributes(&[0, 0x41_0000], &x().u(&[1]).time(5, 6).u(&[0])),
            x().u(&[22]).bitmap(&[]),
        ),
        operation(
            "SETCLIENTID",
            35,
            x().h(1).opaque(b"client").u(&[0x4000_0000]).text("tcp").text("10.0.0.1.8.1").u(&[3]),
            ok().h(2).h(3),
        ),
        operation(
            "SETCLIENTID in use",
            35,
            x().h(1).opaque(b"client").u(&[0x4000_0000]).text("tcp").text("10.0.0.1.8.1").u(&[3]),
            x().u(&[10017]).text("tcp").text("10.0.0.2.8.1"),
        ),
        operation("SETCLIENTID_CONFIRM", 36, x().h(2).h(3), ok()),
        operation("VERIFY", 37, set(), x().u(&[10027])),
        operation(
            "WRITE",
            38,
            x().state_id(1).h(7).u(&[2]).opaque(b"bytes!"),
            ok().u(&[7, 2]).h(8),
        ),
        operation("RELEASE_LOCKOWNER", 39, owner(), ok()),
        operation("ILLEGAL", 10044, x(), x().u(&[10044])),
    ]
}

/// `OPEN4args` up to the owner.
fn open() -> Xdr {
    x().u(&[1, 3, 2]).with(&owner())
}

/// `OPEN4resok` up to the delegation.
fn opened() -> Xdr {
    ok().state_id(1).with(&change()).u(&[0x26]).bitmap(&[0x10])
}

fn opens() -> Vec<Exchange> {
    vec![
        operation("OPEN by name", 18, open().u(&[0, 0]).text("file"), opened().u(&[0])),
        operation(
            "OPEN reclaims, read delegation",
            18,
            open().u(&[0, 1, 2]),
            opened().u(&[1]).state_id(7).u(&[1]).with(&ace()),
        ),
        operation(
            "OPEN unchecked, write delegation by size",
            18,
            open().u(&[1, 0]).with(&set()).u(&[2]).state_id(9).text("file"),
            opened().u(&[2]).state_id(7).u(&[0, 1]).h(1 << 20).with(&ace()),
        ),
        operation(
            "OPEN guarded, write delegation by blocks",
            18,
            open().u(&[1, 1]).with(&set()).u(&[3]).text("file"),
            opened().u(&[2]).state_id(7).u(&[0, 2, 16, 4096]).with(&ace()),
        ),
        operation(
            "OPEN exclusive",
            18,
            open().u(&[1, 2]).h(0x1234).u(&[4]),
            opened().u(&[3, 1, 1]),
        ),
        operation(
            "OPEN exclusive of 4.1",
            18,
            open().u(&[1, 3]).h(0x1234).with(&set()).u(&[5]).state_id(2),
            opened().u(&[3, 0]),
        ),
        operation(
            "OPEN wants a delegation",
            18,
            x().u(&[1, 0x12_0201, 0]).with(&owner()).u(&[0, 4]),
            opened().u(&[3, 2, 0]),
        ),
        operation(
            "OPEN wants none",
            18,
            x().u(&[1, 0x402, 0]).with(&owner()).u(&[0, 4]),
            opened().u(&[0]),
        ),
        operation("OPEN delegated before", 18, open().u(&[0, 6]), x().u(&[10013])),
    ]
}

fn attributes() -> Vec<Exchange> {
    let ((low_mask, low), (high_mask, high)) = (low(), high());
    vec![
        operation(
            "GETATTR low and high",
            9,
            x().bitmap(&[low_mask, high_mask]),
            ok().attributes(&[low_mask, high_mask], &low.with(&high)),
        ),
        operation(
            "GETATTR Booleans and type",
            9,
            x().bitmap(&[1 << 14 | 1 << 25 | 1 << 26, 1 << 14]),
            ok().attributes(&[1 << 14 | 1 << 25 | 1 << 26, 1 << 14], &x().u(&[1, 0, 1, 1])),
        ),
        operation(
            "GETATTR delays and list",
            9,
            x().bitmap(&[0, 0x0700_0000]),
            ok().attributes(&[0, 0x0700_0000], &x().time(1, 2).time(3, 4).u(&[2, 1]).with(&ace())),
        ),
        operation(
            "GETATTR audit list, policy, layout types",
            9,
            x().bitmap(&[0, 0x5800_0000, 1]),
            ok().attributes(
                &[0, 0x5800_0000, 1],
                &x().u(&[1, 1]).with(&ace()).h(5).h(6).u(&[2, 1, 4, 1, 5]),
            ),
        ),
        operation(
            "GETATTR of 4.2",
            9,
            x().bitmap(&[0, 0, 0x1_f802]),
            ok().attributes(
                &[0, 0, 0x1_f802],
                &x().u(&[4096]).bitmap(&[0x10]).u(&[2, 65536]).h(7).u(&[1, 0, 3]).text("label"),
            ),
        ),
        operation(
            "GETATTR status, retention, umask",
            9,
            x().bitmap(&[0, 1 << 29, 0x2_07f0]),
            ok().attributes(
                &[0, 1 << 29, 0x2_07f0],
                &x().u(&[0, 4])
                    .text("source")
                    .text("now")
                    .u(&[7])
                    .time(1, 2)
                    .u(&[1, 5])
                    .bitmap(&[0x3])
                    .opaque(&[0; 16])
                    .h(60)
                    .u(&[1])
                    .time(3, 4)
                    .u(&[1, 1])
                    .h(60)
                    .h(60)
                    .u(&[0, 0, 0])
                    .h(1)
                    .u(&[0o755, 0o777, 0o644, 0o22]),
            ),
        ),
        operation(
            "GETATTR threshold",
            9,
            x().bitmap(&[0, 0, 1 << 4]),
            ok().attributes(&[0, 0, 1 << 4], &x().u(&[1, 5]).bitmap(&[0x3]).opaque(&[0; 16])),
        ),
        operation(
            "GETATTR umask",
            9,
            x().bitmap(&[0, 0, 1 << 17]),
            ok().attributes(&[0, 0, 1 << 17], &x().u(&[0o644, 0o22])),
        ),
        operation(
            "GETATTR extended attributes",
            9,
            x().bitmap(&[0, 0, 0x4_0000]),
            ok().attributes(&[0, 0, 0x4_0000], &x().u(&[1])),
        ),
        operation("GETATTR fails", 9, x().bitmap(&[]), x().u(&[10001])),
    ]
}
