//! The operations of NFS version 4.1 for client IDs and sessions (RFC 5662).

use super::xdr::{Exchange, Xdr, operation, x};

const SESSION: &[u8; 16] = b"a session number";

fn ok() -> Xdr {
    x().u(&[0])
}

/// `channel_attrs4`, with or without the RDMA read depth.
fn channel(depth: &[u32]) -> Xdr {
    x().u(&[0, 1_048_576, 1_048_576, 4096, 16, 64]).bitmap(depth)
}

/// The exchanges.
pub fn exchanges() -> Vec<Exchange> {
    let owner = || x().h(0x0102).opaque(b"client owner");
    let implementation = || x().u(&[1]).text("example.org").text("name").time(9, 8);
    let server = || x().h(3).opaque(b"major").opaque(b"scope");
    let id = || ok().h(0x55).u(&[1, 0x2_0103]);
    let system = || x().u(&[1, 77]).text("host").u(&[0, 0, 2, 4, 5]);
    let slot = || x().fixed(SESSION).u(&[9, 1, 3]);
    vec![
        operation("BACKCHANNEL_CTL", 40, x().u(&[0x4000_0000, 2, 0]).with(&system()), ok()),
        operation(
            "BIND_CONN_TO_SESSION",
            41,
            x().fixed(SESSION).u(&[3, 1]),
            ok().fixed(SESSION).u(&[3, 0]),
        ),
        operation(
            "EXCHANGE_ID plain",
            42,
            owner().u(&[0x8001_0103, 0, 0]),
            id().u(&[0]).with(&server()).with(&implementation()),
        ),
        operation(
            "EXCHANGE_ID machine credential",
            42,
            owner().u(&[0x103, 1]).bitmap(&[1 << 3]).bitmap(&[0, 1]).with(&implementation()),
            id().u(&[1]).bitmap(&[1 << 3]).bitmap(&[1]).with(&server()).u(&[0]),
        ),
        operation(
            "EXCHANGE_ID secret",
            42,
            owner()
                .u(&[0, 2])
                .bitmap(&[1])
                .bitmap(&[2])
                .u(&[1])
                .opaque(&[1, 2, 3])
                .u(&[0, 5, 6, 0]),
            id().u(&[2])
                .bitmap(&[1])
                .bitmap(&[2])
                .u(&[0, 1, 32, 4, 1])
                .opaque(b"handle")
                .with(&server())
                .u(&[0]),
        ),
        operation(
            "CREATE_SESSION",
            43,
            x().h(0x55)
                .u(&[1, 7])
                .with(&channel(&[8]))
                .with(&channel(&[]))
                .u(&[0x4000_0000, 1])
                .with(&system()),
            ok().fixed(SESSION).u(&[1, 2]).with(&channel(&[])).with(&channel(&[])),
        ),
        operation("DESTROY_SESSION", 44, x().fixed(SESSION), ok()),
        operation("FREE_STATEID", 45, x().state_id(1), ok()),
        operation("SECINFO_NO_NAME", 52, x().u(&[1]), ok().u(&[1, 1])),
        operation("SEQUENCE", 53, slot().u(&[1]), ok().with(&slot()).u(&[4, 0x1fff])),
        operation("SEQUENCE fails", 53, slot().u(&[1]), x().u(&[10052])),
        operation("SET_SSV", 54, x().opaque(b"secret").opaque(b"digest"), ok().opaque(b"digest")),
        operation("TEST_STATEID", 55, x().u(&[2]).state_id(1).state_id(2), ok().u(&[2, 0, 10025])),
        operation("DESTROY_CLIENTID", 57, x().h(0x55), ok()),
        operation("RECLAIM_COMPLETE", 58, x().u(&[1]), ok()),
    ]
}
