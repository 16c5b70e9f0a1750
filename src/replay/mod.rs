//! `warpscope replay`: captures again, against what is expected of them.

mod bless;
mod compare;
mod count;
mod expect;
mod expect_text;
mod findings;
mod folder;
mod observe;
mod report;
mod value;
mod yaml;

pub(crate) use folder::run;
