//! Bugs in regions, their bounds and rights.

macro_rules! memory_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Memory: [
        ]
    } $($rest)* } };
}
