//! Regions as people describe them: `name=log,size=1MiB,rights=read+write,file=log.bin` on a command
//! line, or the same keys in YAML.

mod error;
mod parse;
mod region;
#[cfg(test)]
mod tests;
mod value;

pub use error::{RegisterError, SpecError};
pub use region::{RegionSpec, Registered, WindowSpec};
pub use value::{Fill, Scope};
