//! Bugs in messages, their order, Terminates and the end of a stream.

macro_rules! rdmap_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Rdmap: [
        ]
    } $($rest)* } };
}
