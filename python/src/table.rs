//! A table as a stream of Arrow batches, for consumers of `__arrow_c_stream__`.

use crate::capture::{Capture, Source};
use crate::failure::{capture_error, parse_filter};
use crate::reading::{Part, Reading};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::table::{Batches, CaptureTable};

/// How often a wait for a batch checks for signals and reports progress.
const LOOK: Duration = Duration::from_millis(100);

/// What ended the latest stream of a table early.
type Ending = Arc<Mutex<Option<Ended>>>;

enum Ended {
    Damage(CaptureError),
    Raised(PyErr),
}

impl From<PyErr> for Ended {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

/// A table of a capture. Whoever takes its stream has the capture read anew, by a thread of its own.
///
/// What takes the stream must be called by Python, not from here: PyO3 does not see that a callee gives up the
/// interpreter's lock.
#[pyclass(frozen, subclass, module = "warpscope._native")]
pub(crate) struct Table {
    source: Arc<Source>,
    table: CaptureTable,
    filter: Option<Filter>,
    ending: Ending,
}

impl Table {
    fn schema(&self) -> SchemaRef {
        Arc::clone(Batches::new(&self.table.columns()).schema())
    }

    fn ended(&self, py: Python<'_>) -> Option<PyErr> {
        let ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        ending.as_ref().map(|ended| match ended {
            Ended::Damage(damage) => capture_error(py, &self.source.name, damage),
            Ended::Raised(error) => error.clone_ref(py),
        })
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(capture: &Capture, table: &str, filter: Option<&str>) -> PyResult<Self> {
        let named = CaptureTable::ALL.into_iter().find(|it| it.to_string() == table);
        let table = named.ok_or_else(|| PyValueError::new_err(format!("no table {table}")))?;
        let (source, filter) = (Arc::clone(&capture.0), parse_filter(filter)?);
        Ok(Self { source, table, filter, ending: Ending::default() })
    }

    /// The exception that ended the latest stream, or None.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<PyErr> {
        self.ended(py)
    }

    /// Raises what a library that took the stream has made an exception of its own of.
    fn _raise_error(&self, py: Python<'_>) -> PyResult<()> {
        // Ctrl-C comes again.
        py.check_signals()?;
        self.ended(py).map_or(Ok(()), Err)
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<&'static str> {
        self.table.columns().iter().map(|column| column.name).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema().as_ref());
        let schema = schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Following a request for other types is optional for the producer of a stream.
        let _ = requested_schema;
        let Self { source, table, filter, .. } = self;
        let reader = source.opened(py)?;
        let total = source.bytes(&reader);
        let (name, options) = (source.name.clone(), source.options.clone());
        let reading = Reading::start(reader, name, *table, filter.clone(), options);
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let stream = Stream {
            source: Arc::clone(&self.source),
            schema: self.schema(),
            reading: Some(reading),
            total,
            taker: thread::current().id(),
            reported: Instant::now(),
            ending: Arc::clone(&self.ending),
        };
        PyCapsule::new_with_value(
            py,
            FFI_ArrowArrayStream::new(Box::new(stream)),
            c"arrow_array_stream",
        )
    }

    fn __repr__(&self) -> String {
        format!("<warpscope.Table {} of {:?}>", self.table, self.source.name)
    }
}

/// The batches of a table, while they are being read.
struct Stream {
    source: Arc<Source>,
    schema: SchemaRef,
    /// `None` after the stream has ended.
    reading: Option<Reading>,
    total: Option<u64>,
    /// The thread that requested the stream.
    taker: ThreadId,
    reported: Instant,
    ending: Ending,
}

impl Stream {
    /// Waits for the next part, without the interpreter's lock.
    fn wait(&mut self) -> Result<Option<RecordBatch>, Ended> {
        // This may run in another thread while the holder of the lock waits for that thread.
        let attaches = self.source.progress.is_some() || thread::current().id() == self.taker;
        loop {
            let looked = if attaches { Python::try_attach(|py| self.look(py)) } else { None };
            match looked.unwrap_or_else(|| Ok(self.receive()))? {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Part::Batch(batch)) => return Ok(Some(batch)),
                Ok(Part::End(None)) => return Ok(None),
                Ok(Part::End(Some(damage))) => return Err(Ended::Damage(damage)),
                Ok(Part::Failed(error)) => return Err(PyErr::from(error).into()),
                Err(RecvTimeoutError::Disconnected) => {
                    let failed = "the thread that reads the capture has failed";
                    return Err(PyRuntimeError::new_err(failed).into());
                }
            }
        }
    }

    fn receive(&mut self) -> Result<Part, RecvTimeoutError> {
        let reading = self.reading.as_mut();
        reading.map_or(Ok(Part::End(None)), |reading| reading.parts.recv_timeout(LOOK))
    }

    /// Waits for a while, then handles signals and reports progress.
    fn look(&mut self, py: Python<'_>) -> PyResult<Result<Part, RecvTimeoutError>> {
        let part = py.detach(|| self.receive());
        py.check_signals()?;
        let ended = matches!(part, Ok(Part::End(_)));
        if let Some(reading) = &self.reading
            && (ended || self.reported.elapsed() >= LOOK)
        {
            self.reported = Instant::now();
            self.source.report(py, reading.bytes.load(Ordering::Relaxed), self.total)?;
        }
        Ok(part)
    }
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reading.as_ref()?;
        let ended = match self.wait() {
            Ok(Some(batch)) => return Some(Ok(batch)),
            Ok(None) => {
                self.reading = None;
                return None;
            }
            Err(ended) => ended,
        };
        self.reading = None;
        let text = match &ended {
            Ended::Damage(damage) => (!self.source.partial).then(|| damage.to_string()),
            // The consumer of the stream turns this into an exception of its own.
            Ended::Raised(error) => {
                Some(Python::try_attach(|py| raised(py, error)).unwrap_or_default())
            }
        };
        *self.ending.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        text.map(|text| Err(ArrowError::ExternalError(text.into())))
    }
}

/// Returns the text of an exception. A KeyboardInterrupt is also raised again, in the main thread.
fn raised(py: Python<'_>, error: &PyErr) -> String {
    let words = error.to_string();
    if error.is_instance_of::<PyKeyboardInterrupt>(py)
        && let Ok(thread) = py.import("_thread")
        && let Err(failed) = thread.call_method0("interrupt_main")
    {
        failed.write_unraisable(py, None);
    }
    words
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
