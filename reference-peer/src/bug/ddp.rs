//! Bugs in DDP segments and queues.

macro_rules! ddp_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Ddp: [
        ]
    } $($rest)* } };
}
