//! Bugs in FPDUs, CRCs and markers.

macro_rules! mpa_bugs {
    ({ $($rows:tt)* } $next:ident $($rest:ident)*) => { $next! { { $($rows)*
        Mpa: [
        ]
    } $($rest)* } };
}
