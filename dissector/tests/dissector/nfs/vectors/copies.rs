//! The operations of NFS version 4.2 and of extended attributes (RFC 7863, RFC 8276).

use super::layouts::DEVICE;
use super::xdr::{Exchange, Xdr, operation, x};

fn ok() -> Xdr {
    x().u(&[0])
}

/// The exchanges.
pub fn exchanges() -> Vec<Exchange> {
    let range = || x().state_id(1).h(4096).h(8192);
    let copy = || x().state_id(1).state_id(2).h(10).h(20).h(30);
    let written = || x().u(&[1]).state_id(9).h(30).u(&[2]).h(0x77);
    let change = || x().u(&[1]).h(1).h(2);
    vec![
        operation("ALLOCATE", 59, range(), ok()),
        operation(
            "COPY between servers",
            60,
            copy().u(&[1, 0, 2, 1]).text("name").u(&[3]).text("tcp").text("10.0.0.1.8.1"),
            ok().with(&written()).u(&[1, 0]),
        ),
        operation("COPY refused", 60, copy().u(&[1, 1, 0]), x().u(&[10094, 0, 1])),
        operation(
            "COPY_NOTIFY",
            61,
            x().state_id(1).u(&[2]).text("nfs://host/"),
            ok().time(5, 6).state_id(3).u(&[1, 1]).text("source"),
        ),
        operation("DEALLOCATE", 62, range(), ok()),
        operation("IO_ADVISE", 63, range().bitmap(&[0x12]), ok().bitmap(&[0x2])),
        operation(
            "LAYOUTERROR",
            64,
            x().h(0).h(1).state_id(1).u(&[1]).fixed(DEVICE).u(&[5, 38]),
            ok(),
        ),
        operation(
            "LAYOUTSTATS",
            65,
            x().h(0)
                .h(1)
                .state_id(1)
                .h(2)
                .h(3)
                .h(4)
                .h(5)
                .fixed(DEVICE)
                .u(&[2])
                .opaque(b"statistics"),
            ok(),
        ),
        operation("OFFLOAD_CANCEL", 66, x().state_id(1), ok()),
        operation("OFFLOAD_STATUS", 67, x().state_id(1), ok().h(77).u(&[1, 0])),
        operation("OFFLOAD_STATUS under way", 67, x().state_id(1), ok().h(76).u(&[0])),
        operation(
            "READ_PLUS",
            68,
            x().state_id(1).h(0).u(&[8192]),
            ok().u(&[1, 2, 0]).h(0).opaque(b"abcde").u(&[1]).h(5).h(100),
        ),
        operation("SEEK", 69, x().state_id(1).h(5).u(&[1]), ok().u(&[0]).h(4096)),
        operation(
            "WRITE_SAME",
            70,
            x().state_id(1).u(&[2]).h(0).h(512).h(8).h(4).u(&[1]).h(16).opaque(b"pattern"),
            ok().with(&written()),
        ),
        operation("CLONE", 71, copy(), ok()),
        operation("GETXATTR", 72, x().text("user.name"), ok().opaque(b"value")),
        operation("SETXATTR", 73, x().u(&[1]).text("name").opaque(b"value"), ok().with(&change())),
        operation(
            "LISTXATTRS",
            74,
            x().h(0).u(&[4096]),
            ok().h(2).u(&[2]).text("a").text("bc").u(&[1]),
        ),
        operation("REMOVEXATTR", 75, x().text("name"), ok().with(&change())),
    ]
}
