//! The files of a report.

use crate::cli::InstanceOutputArguments;
use anyhow::{Context as _, Result, bail};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use warpscope_conformance::report::{Run, html, json, junit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Junit,
    Json,
    Html,
}

/// A report that is asked for: its file is opened before the run, so that a run is not made in vain.
#[derive(Debug)]
pub(in crate::conform) struct ReportFile {
    format: Format,
    path: PathBuf,
    file: File,
}

impl ReportFile {
    /// Opens the files that are asked for.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(in crate::conform) fn open_all(asked: &InstanceOutputArguments) -> Result<Vec<Self>> {
        asked.reports.iter().map(|asked| Self::open(asked)).collect()
    }

    /// Opens the file of `FORMAT=FILE`.
    ///
    /// # Errors
    /// A format that there is none of, and a file that cannot be written.
    fn open(asked: &str) -> Result<Self> {
        let (format, path) = asked.split_once('=').unwrap_or((asked, ""));
        let format = match format {
            "junit" => Format::Junit,
            "json" => Format::Json,
            "html" => Format::Html,
            _ => bail!("--report {asked}: give junit=FILE, json=FILE or html=FILE"),
        };
        if path.is_empty() {
            bail!(
                "--report {asked}: name a file, as {asked}=report.{}",
                asked.trim_end_matches('=')
            );
        }
        let file =
            File::create(path).with_context(|| format!("--report {asked}: cannot write it"))?;
        Ok(Self { format, path: PathBuf::from(path), file })
    }

    /// Writes the report.
    ///
    /// # Errors
    /// Those of the file.
    pub(in crate::conform) fn write(self, run: &Run, strict: bool) -> Result<()> {
        let mut out = BufWriter::new(&self.file);
        let run = &as_seen_from(&self.path, run);
        match self.format {
            Format::Junit => junit::write(run, strict, &mut out),
            Format::Json => json::write(run, &mut out),
            Format::Html => html::write(run, &mut out),
        }
        .and_then(|()| out.flush())
        .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// The run with its captures named as seen from the folder of the report.
fn as_seen_from(report: &Path, run: &Run) -> Run {
    let mut run = run.clone();
    let folder = report.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(folder) = folder.canonicalize() else { return run };
    for instance in &mut run.instances {
        let Some(capture) = &instance.capture else { continue };
        let Ok(capture) = Path::new(capture).canonicalize() else { continue };
        let below = capture.strip_prefix(&folder).map(Path::to_owned);
        instance.capture = Some(below.unwrap_or(capture).display().to_string());
    }
    run
}
