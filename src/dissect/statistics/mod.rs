//! `-z`: statistics that are printed after the capture.

mod calls;
mod expert;
mod follow;
mod hierarchy;
mod io;
mod own;
mod tap;
mod traffic;

pub(super) use tap::{Tap, named};
