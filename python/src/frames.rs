//! Frames as dictionaries from field names to values.

use crate::capture::Source;
use crate::failure::capture_error;
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::field::frame::NUMBER;
use warpscope_dissector::field::{self, Field, Kind};
use warpscope_dissector::filter::Filter;
use warpscope_dissector::selection::Selection;
use warpscope_dissector::tree::{Node, Tree, Value};

/// The number of frames between checks for signals.
const FRAMES: u64 = 1024;

/// The frames that pass, one after the other.
#[pyclass(frozen, module = "warpscope._native")]
pub(crate) struct Frames(Mutex<Iteration>);

struct Iteration {
    source: Arc<Source>,
    /// `None` after the capture has been read.
    reader: Option<CaptureReader>,
    selection: Selection,
    fields: Option<Vec<&'static Field>>,
    /// What was still waiting when the capture ended.
    late: VecDeque<Py<PyDict>>,
    total: Option<u64>,
}

/// The outcome of reading some frames.
enum Step {
    Passed,
    NonePassed,
    End(Option<CaptureError>),
}

impl Frames {
    pub(crate) fn new(
        py: Python<'_>,
        source: Arc<Source>,
        filter: Option<Filter>,
        fields: Option<&[String]>,
    ) -> PyResult<Self> {
        let named = |names: &[String]| names.iter().map(|name| named(name)).collect();
        let fields = fields.map(named).transpose()?;
        // An empty filter accepts everything.
        let filter = filter.or_else(|| Filter::parse("").ok());
        let all = || PyKeyError::new_err("the empty filter");
        let selection = Selection::new(filter.ok_or_else(all)?, source.options.clone());
        let reader = source.opened(py)?;
        let (total, late) = (source.bytes(&reader), VecDeque::new());
        let iteration = Iteration { source, reader: Some(reader), selection, fields, late, total };
        Ok(Self(Mutex::new(iteration)))
    }

    fn step(reader: &mut CaptureReader, selection: &mut Selection) -> Step {
        let names_interfaces = reader.names_interfaces();
        for _ in 0..FRAMES {
            match reader.next_described() {
                Ok(Some(described)) if selection.passes(&described, names_interfaces) => {
                    return Step::Passed;
                }
                Ok(Some(_)) => {}
                Ok(None) => return Step::End(None),
                Err(damage) => return Step::End(Some(damage)),
            }
        }
        Step::NonePassed
    }
}

#[pymethods]
impl Frames {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        // The holder may be waiting for the interpreter's lock, which is held here.
        let busy = |_| PyRuntimeError::new_err("another thread takes the next frame");
        let mut iteration = self.0.try_lock().map_err(busy)?;
        let Iteration { source, reader, selection, fields, late, total } = &mut *iteration;
        let fields = fields.as_deref();
        while let Some(reading) = reader {
            let step = py.detach(|| Self::step(reading, selection));
            if !matches!(step, Step::Passed) || selection.view.number.is_multiple_of(FRAMES) {
                source.report(py, reading.bytes_read(), *total)?;
            }
            let damage = match step {
                Step::Passed => return dictionary(py, &selection.view, fields).map(Some),
                Step::NonePassed => {
                    py.check_signals()?;
                    continue;
                }
                Step::End(damage) => damage,
            };
            *reader = None;
            let mut made = Ok(());
            selection.finish(|view| match dictionary(py, view, fields) {
                Ok(frame) => late.push_back(frame.unbind()),
                Err(error) => made = Err(error),
            });
            made?;
            if let Some(damage) = damage.filter(|_| !source.partial) {
                return Err(capture_error(py, &source.name, &damage));
            }
        }
        Ok(late.pop_front().map(|frame| frame.into_bound(py)))
    }
}

/// Returns the field with this name.
fn named(name: &str) -> PyResult<&'static Field> {
    field::find(name).ok_or_else(|| {
        PyKeyError::new_err(match field::nearest(name) {
            Some(nearest) => format!("{name}: no such field; did you mean {nearest}?"),
            None => format!("{name}: no such field; `warpscope fields` lists all"),
        })
    })
}

/// Returns the fields of a frame: all of them, or the requested ones.
fn dictionary<'py>(
    py: Python<'py>,
    view: &FrameView,
    fields: Option<&[&'static Field]>,
) -> PyResult<Bound<'py, PyDict>> {
    let frame = PyDict::new(py);
    for field in fields.unwrap_or_default() {
        frame.set_item(field.name, py.None())?;
    }
    for node in &view.tree.nodes {
        if fields.is_some_and(|fields| !fields.contains(&node.field)) {
            continue;
        }
        let (name, value) = (node.field.name, python(py, &view.tree, node)?);
        match frame.get_item(name)? {
            Some(before) if !before.is_none() && node.value != Value::None => {
                match before.cast::<PyList>() {
                    Ok(list) => list.append(value)?,
                    Err(_) => frame.set_item(
                        name,
                        (before, value).into_pyobject(py).and_then(|pair| PyList::new(py, pair))?,
                    )?,
                }
            }
            _ => frame.set_item(name, value)?,
        }
    }
    // A late entry has no field for the number.
    if fields.is_none_or(|fields| fields.contains(&&NUMBER)) {
        frame.set_item(NUMBER.name, view.number)?;
    }
    Ok(frame)
}

/// Converts a value. For a protocol or a heading, the value is that it is present.
fn python(py: Python<'_>, tree: &Tree, node: &Node) -> PyResult<Py<PyAny>> {
    let text = |text: &str| text.into_pyobject(py).map(|text| text.into_any().unbind());
    Ok(match &node.value {
        Value::None => true.into_pyobject(py)?.to_owned().into_any().unbind(),
        Value::Unsigned(number) if node.field.kind == Kind::Boolean => {
            (*number != 0).into_pyobject(py)?.to_owned().into_any().unbind()
        }
        Value::Unsigned(number) => number.into_pyobject(py)?.into_any().unbind(),
        Value::Time(time) => time.into_pyobject(py)?.into_any().unbind(),
        Value::Bytes { .. } => PyBytes::new(py, tree.value_bytes(&node.value)).into_any().unbind(),
        Value::Ipv4(address) => text(&Ipv4Addr::from(*address).to_string())?,
        Value::Ipv6(address) => text(&Ipv6Addr::from(*address).to_string())?,
        Value::Ethernet(_) => {
            let mut words = String::new();
            tree.value_text(node, &mut words);
            text(&words)?
        }
        Value::Text(words) => text(words)?,
    })
}
