//! Failures as Python exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;
use warpscope_dissector::capture::CaptureError as Damage;
use warpscope_dissector::filter::{Filter, FilterError as Fault};

create_exception!(
    warpscope,
    CaptureError,
    PyException,
    "A file is no capture, or cannot be read to its end: `file` is its name, `frame` the first frame that was not read."
);
create_exception!(
    warpscope,
    FilterError,
    PyValueError,
    "A display filter cannot be followed. The message shows where."
);

/// Returns the exception for a capture that could not be read, or not to its end.
pub(crate) fn capture_error(py: Python<'_>, file: &str, damage: &Damage) -> PyErr {
    if let Damage::Open { source, .. } = damage
        && let Some(number) = source.raw_os_error()
    {
        // Python turns it into FileNotFoundError, PermissionError and so on.
        return PyOSError::new_err((number, source.to_string(), file.to_owned()));
    }
    let error = CaptureError::new_err(damage.to_string());
    let value = error.value(py);
    let named = value.setattr("file", file);
    match named.and_then(|()| value.setattr("frame", damage.frames_read() + 1)) {
        Ok(()) => error,
        Err(failed) => failed,
    }
}

/// Parses a display filter.
pub(crate) fn parse_filter(text: Option<&str>) -> PyResult<Option<Filter>> {
    let refused = |fault: Fault| FilterError::new_err(fault.render());
    text.map(|text| Filter::parse(text).map_err(refused)).transpose()
}
