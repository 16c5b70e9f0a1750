//! Arguments and results put together by hand from the XDR of the RFCs, one operation at a time.

pub mod callbacks;
pub mod copies;
pub mod files;
pub mod layouts;
pub mod sessions;
pub mod version3;
pub mod xdr;
