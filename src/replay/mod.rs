//! `warpscope replay`: captures again, against what is expected of them, or onto a link.

mod bless;
mod compare;
mod count;
mod expect;
mod expect_text;
mod findings;
mod folder;
mod inject;
mod observe;
mod pace;
mod report;
mod run;
mod value;

pub(crate) use run::run;
