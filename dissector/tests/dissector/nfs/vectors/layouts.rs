//! The operations of NFS version 4.1 for layouts and delegations (RFC 5662).

use super::xdr::{Exchange, Xdr, operation, x};

pub const DEVICE: &[u8; 16] = b"device number 16";

fn ok() -> Xdr {
    x().u(&[0])
}

/// The exchanges.
pub fn exchanges() -> Vec<Exchange> {
    vec![
        operation(
            "GET_DIR_DELEGATION",
            46,
            x().u(&[1]).bitmap(&[0x3f]).time(1, 2).time(3, 4).bitmap(&[0x10]).bitmap(&[0x8]),
            ok().u(&[0]).h(1).state_id(2).bitmap(&[0x3]).bitmap(&[0x10]).bitmap(&[]),
        ),
        operation(
            "GET_DIR_DELEGATION not now",
            46,
            x().u(&[0]).bitmap(&[]).time(1, 2).time(3, 4).bitmap(&[]).bitmap(&[]),
            ok().u(&[1, 1]),
        ),
        operation(
            "GETDEVICEINFO",
            47,
            x().fixed(DEVICE).u(&[2, 4096]).bitmap(&[0x6]),
            ok().u(&[2]).opaque(b"where it is").bitmap(&[0x2]),
        ),
        operation(
            "GETDEVICEINFO too small",
            47,
            x().fixed(DEVICE).u(&[2, 4]).bitmap(&[]),
            x().u(&[10005, 8192]),
        ),
        operation(
            "GETDEVICELIST",
            48,
            x().u(&[2, 8]).h(1).h(2),
            ok().h(3).h(4).u(&[2]).fixed(DEVICE).fixed(DEVICE).u(&[1]),
        ),
        operation(
            "LAYOUTCOMMIT",
            49,
            x().h(0)
                .h(4096)
                .u(&[0])
                .state_id(1)
                .u(&[1])
                .h(4095)
                .u(&[1])
                .time(7, 8)
                .u(&[2])
                .opaque(b"update"),
            ok().u(&[1]).h(4096),
        ),
        operation(
            "LAYOUTCOMMIT of nothing",
            49,
            x().h(0).h(4096).u(&[1]).state_id(1).u(&[0, 0, 2]).opaque(b""),
            ok().u(&[0]),
        ),
        operation(
            "LAYOUTGET",
            50,
            x().u(&[1, 2, 2]).h(0).h(u64::MAX).h(4096).state_id(1).u(&[8192]),
            ok().u(&[1]).state_id(2).u(&[1]).h(0).h(u64::MAX).u(&[2, 2]).opaque(b"the layout"),
        ),
        operation(
            "LAYOUTGET later",
            50,
            x().u(&[0, 2, 1]).h(0).h(1).h(1).state_id(1).u(&[8192]),
            x().u(&[10058, 1]),
        ),
        operation(
            "LAYOUTRETURN of a file",
            51,
            x().u(&[0, 2, 3, 1]).h(0).h(u64::MAX).state_id(2).opaque(b"body"),
            ok().u(&[1]).state_id(3),
        ),
        operation("LAYOUTRETURN of all", 51, x().u(&[0, 2, 3, 3]), ok().u(&[0])),
        operation(
            "WANT_DELEGATION",
            56,
            x().u(&[0x100, 4]),
            ok().u(&[1]).state_id(7).u(&[0, 0, 0, 1]).text("who"),
        ),
    ]
}
