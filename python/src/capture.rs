//! A capture file and the operations on it.

use crate::check::Check;
use crate::failure::{capture_error, parse_filter};
use crate::frames::Frames;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::pipeline::Options;
use warpscope_dissector::table::{CaptureTable, RowScan};
use warpscope_wire::rdmap::Profile;

/// The location of a capture, and how to read it.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    /// The path as it was given, for tables and messages.
    pub(crate) name: String,
    pub(crate) options: Options,
    /// Whether the end of the readable part counts as the end of the capture.
    pub(crate) partial: bool,
    /// Called with the number of bytes read, and the file's size if known.
    pub(crate) progress: Option<Py<PyAny>>,
}

impl Source {
    pub(crate) fn reader(&self) -> Result<CaptureReader, CaptureError> {
        CaptureReader::open(&self.path)
    }

    pub(crate) fn opened(&self, py: Python<'_>) -> PyResult<CaptureReader> {
        let opened = py.detach(|| self.reader());
        opened.map_err(|damage| capture_error(py, &self.name, &damage))
    }

    pub(crate) fn scan(
        &self,
        py: Python<'_>,
        table: CaptureTable,
        filter: Option<Filter>,
    ) -> PyResult<RowScan> {
        Ok(RowScan::new(self.opened(py)?, table, filter, self.options.clone()))
    }

    /// Calls the progress callback, but not for each frame of an iteration.
    pub(crate) fn report(&self, py: Python<'_>, bytes: u64, total: Option<u64>) -> PyResult<()> {
        self.progress.as_ref().map_or(Ok(()), |it| it.call1(py, (bytes, total)).map(drop))
    }

    /// Returns the number of bytes to read, if known.
    pub(crate) fn bytes(&self, reader: &CaptureReader) -> Option<u64> {
        let known = std::fs::metadata(&self.path).ok().filter(|_| reader.decompressor().is_none());
        known.map(|file| file.len())
    }
}

/// A capture file. Nothing of it is kept: each table and each iteration reads it anew.
#[pyclass(frozen, subclass, module = "warpscope._native")]
pub(crate) struct Capture(pub(crate) Arc<Source>);

#[pymethods]
impl Capture {
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        decode_as: Option<HashMap<u16, bool>>,
        profile: Option<&str>,
        partial: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let profile = profile.map_or(Ok(Profile::ALL), |name| {
            Profile::by_name(name).ok_or_else(|| {
                let names: Vec<&str> = Profile::NAMES.iter().map(|(name, _)| *name).collect();
                PyValueError::new_err(format!("profile is one of {}, not {name}", names.join(", ")))
            })
        })?;
        let ports = decode_as.unwrap_or_default();
        let options = Options { profile, ports, ..Options::default() };
        let name = path.display().to_string();
        let source = Source { path, name, options, partial, progress };
        source.opened(py)?;
        Ok(Self(Arc::new(source)))
    }

    #[getter]
    fn file(&self) -> &str {
        &self.0.name
    }

    fn _check(
        &self,
        py: Python<'_>,
        strict: bool,
        filter: Option<&str>,
        most: usize,
    ) -> PyResult<Check> {
        Check::new(py, &self.0, strict, parse_filter(filter)?, most)
    }

    fn _frames(
        &self,
        py: Python<'_>,
        filter: Option<&str>,
        fields: Option<Vec<String>>,
    ) -> PyResult<Frames> {
        Frames::new(py, Arc::clone(&self.0), parse_filter(filter)?, fields.as_deref())
    }

    fn __repr__(&self) -> String {
        format!("warpscope.open({:?})", self.0.name)
    }
}
