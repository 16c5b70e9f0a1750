//! What a capture must show: expectations in YAML, which are read and compared with what is found.
//!
//! [`Expectations`] are the contents of `NAME.expect.yaml`; [`observe`] decodes the capture and counts;
//! [`differences`] compares the two. [`fresh`] and [`updated`] write the file.
//!
//! ```
//! use std::path::Path;
//! use warpscope_dissector::capture::CaptureReader;
//! use warpscope_replay::{Expectations, differences, observe};
//!
//! let capture = concat!(env!("CARGO_MANIFEST_DIR"), "/../traces/captures/a5-mpav1.pcap.zst");
//! let expected = Expectations::read(Path::new("a.yaml"), "counts: {setup_frames: 3}\n")?;
//! let observed = observe(CaptureReader::open(Path::new(capture))?, &expected.options, &expected.fields)?;
//! let found = &differences("a5-mpav1.pcap.zst", &expected, &observed)[0];
//! assert_eq!((found.path.as_str(), found.expected.as_str()), ("counts.setup_frames", "3"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod expectations;
mod observed;

pub use compare::{Difference, differences};
pub use expectations::{Expectations, fresh, updated};
pub use observed::{Counts, Expected, FieldExpectation, Found, MAPS, NUMBERS, Observed, observe};
