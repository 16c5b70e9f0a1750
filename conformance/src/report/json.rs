//! The report as JSON, and back. `docs/conformance-report.md` has every key.
//!
//! The object is stable: `format` names it, keys are added and neither renamed nor given another
//! meaning within a version. Its keys:
//!
//! | key | what |
//! |---|---|
//! | `format` | `warpscope-conformance-run/1` |
//! | `exit_code` | as [`super::exit_code`], without strictness |
//! | `counts` | instances by verdict: `pass`, `fail`, `strict-only`, `unexpected-pass`, `inconclusive`, `expected-failure`, `not-applicable` |
//! | the fields of [`Run`] | `version`, `target`, `seed`, `started` (RFC 3339, UTC), `microseconds`, `broken_off`, `instances` |
//!
//! Each of `instances` has the fields of [`super::InstanceResult`]; a verdict is one of the keys of
//! `counts`. What is not known is `null`.

use super::{Counts, Run, exit_code};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The name and version of the object.
pub const FORMAT: &str = "warpscope-conformance-run/1";

#[derive(Serialize)]
struct Written<'a> {
    format: &'a str,
    exit_code: u8,
    counts: Counts,
    #[serde(flatten)]
    run: &'a Run,
}

#[derive(Deserialize)]
struct Header {
    format: String,
}

/// Text that is no report.
#[derive(Debug, thiserror::Error)]
pub enum NoReport {
    /// It is not JSON, or lacks a key.
    #[error("this is no report of a run: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It is a report of another version.
    #[error("the report has the format `{0}`, and this program reads `{FORMAT}`")]
    Format(String),
}

/// Writes the report.
///
/// # Errors
/// Those of the output.
pub fn write(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let (counts, exit_code) = (run.counts(), exit_code(run, false));
    serde_json::to_writer_pretty(&mut *out, &Written { format: FORMAT, exit_code, counts, run })?;
    writeln!(out)
}

/// Reads a report that [`write()`] wrote. `counts` and `exit_code` are not looked at: they follow from
/// the instances.
///
/// # Errors
/// When it is none, or one of another version.
pub fn read(text: &str) -> Result<Run, NoReport> {
    let header: Header = serde_json::from_str(text)?;
    if header.format != FORMAT {
        return Err(NoReport::Format(header.format));
    }
    Ok(serde_json::from_str(text)?)
}
