//! Bugs in RPC-over-RDMA and what it carries.

macro_rules! rpc_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Rpc: [
        ]
    } $($rest)* } };
}
