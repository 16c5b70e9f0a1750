//! The callback operations (RFC 5662, RFC 7863).

use super::xdr::{Exchange, Xdr, callback, x};

const SESSION: &[u8; 16] = b"a session number";

fn ok() -> Xdr {
    x().u(&[0])
}

fn handle() -> Xdr {
    x().opaque(b"a handle")
}

/// The exchanges.
pub fn exchanges() -> Vec<Exchange> {
    let slot = || x().fixed(SESSION).u(&[9, 1, 3]);
    let notifications = || x().u(&[1]).bitmap(&[0x8]).opaque(b"notifications");
    vec![
        callback(
            "CB_GETATTR",
            3,
            handle().bitmap(&[0x18]),
            ok().attributes(&[0x18], &x().h(1).h(2)),
        ),
        callback("CB_RECALL", 4, x().state_id(1).u(&[1]).with(&handle()), ok()),
        callback(
            "CB_LAYOUTRECALL of a file",
            5,
            x().u(&[1, 3, 0, 1]).with(&handle()).h(0).h(u64::MAX).state_id(4),
            ok(),
        ),
        callback("CB_LAYOUTRECALL of a file system", 5, x().u(&[1, 3, 0, 2]).h(1).h(2), ok()),
        callback("CB_LAYOUTRECALL of all", 5, x().u(&[1, 3, 1, 3]), x().u(&[10060])),
        callback("CB_NOTIFY", 6, x().state_id(1).with(&handle()).with(&notifications()), ok()),
        callback(
            "CB_PUSH_DELEG",
            7,
            handle().u(&[1]).state_id(1).u(&[0, 0, 0, 1]).text("who"),
            ok(),
        ),
        callback("CB_RECALL_ANY", 8, x().u(&[5]).bitmap(&[0x3]), ok()),
        callback("CB_RECALLABLE_OBJ_AVAIL", 9, x().u(&[5]).bitmap(&[0x3]), ok()),
        callback("CB_RECALL_SLOT", 10, x().u(&[7]), ok()),
        callback(
            "CB_SEQUENCE",
            11,
            slot().u(&[0, 1]).fixed(SESSION).u(&[2, 4, 0, 5, 1]),
            ok().with(&slot()).u(&[8]),
        ),
        callback("CB_SEQUENCE alone", 11, slot().u(&[0, 0]), x().u(&[10052])),
        callback("CB_WANTS_CANCELLED", 12, x().u(&[1, 0]), ok()),
        callback("CB_NOTIFY_LOCK", 13, handle().h(1).opaque(b"owner"), ok()),
        callback("CB_NOTIFY_DEVICEID", 14, notifications(), ok()),
        callback(
            "CB_OFFLOAD",
            15,
            handle().state_id(1).u(&[0, 1]).state_id(2).h(3).u(&[2]).h(4),
            ok(),
        ),
        callback("CB_OFFLOAD of a failure", 15, handle().state_id(1).u(&[28]).h(3), ok()),
        callback("CB_ILLEGAL", 10044, x(), x().u(&[10044])),
    ]
}
