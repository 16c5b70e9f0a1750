//! `check`: the verdict of the rules on a capture.

use crate::capture::Source;
use crate::failure::capture_error;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use warpscope_dissector::filter::Filter;
use warpscope_dissector::rules::Level;
use warpscope_dissector::table::{CaptureTable, InFile, Row, Value};

/// The number of frames between checks for signals.
const FRAMES: usize = 4096;

/// What the rules found in a capture.
#[pyclass(frozen, get_all, module = "warpscope._native")]
pub(crate) struct Check {
    /// Whether no MUST was broken; with `strict` no SHOULD either.
    passed: bool,
    /// Findings of rules that are a MUST.
    must: u64,
    /// Findings of rules that are a SHOULD.
    should: u64,
    /// How many findings each rule has.
    rules: BTreeMap<&'static str, u64>,
    /// The first findings: the columns of the table of findings, as dictionaries.
    findings: Vec<Py<PyDict>>,
}

impl Check {
    /// Checks a capture, and keeps at most this many findings.
    pub(crate) fn new(
        py: Python<'_>,
        source: &Source,
        strict: bool,
        filter: Option<Filter>,
        most: usize,
    ) -> PyResult<Self> {
        let columns = CaptureTable::Findings.columns();
        let file = InFile { name: &source.name, first_time: None };
        let mut scan = source.scan(py, CaptureTable::Findings, filter)?;
        let total = source.bytes(scan.reader());
        let (mut rules, mut findings) = (BTreeMap::new(), Vec::new());
        let (mut must, mut should) = (0, 0);
        let mut more = true;
        while more {
            let mut rows = Vec::new();
            let read = py.detach(|| {
                (0..FRAMES).try_fold(true, |_, _| match scan.frame(&mut rows) {
                    Ok(true) => Ok(true),
                    ended => Err(ended),
                })
            });
            for row in &rows {
                let Row::Finding(record) = row else { continue };
                let rule = record.finding.rule;
                *rules.entry(rule.id).or_default() += 1;
                match rule.level {
                    Level::Must => must += 1,
                    Level::Should => should += 1,
                }
                if findings.len() < most {
                    let finding = PyDict::new(py);
                    for (column, value) in columns.iter().zip(row.values(&file)) {
                        finding.set_item(column.name, python(py, value)?)?;
                    }
                    findings.push(finding.unbind());
                }
            }
            match read {
                Err(Err(damage)) if !source.partial => {
                    return Err(capture_error(py, &source.name, &damage));
                }
                read => more = read.is_ok(),
            }
            py.check_signals()?;
            source.report(py, scan.reader().bytes_read(), total)?;
        }
        let passed = must == 0 && (!strict || should == 0);
        Ok(Self { passed, must, should, rules, findings })
    }
}

#[pymethods]
impl Check {
    fn __bool__(&self) -> bool {
        self.passed
    }

    fn __repr__(&self) -> String {
        let Self { passed, must, should, .. } = self;
        let passed = if *passed { "passed" } else { "failed" };
        format!("<warpscope.Check {passed}: {must} MUST, {should} SHOULD>")
    }
}

/// Converts a value of a table.
fn python(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Null => py.None(),
        Value::Unsigned(number) => number.into_pyobject(py)?.into_any().unbind(),
        Value::Signed(number) => number.into_pyobject(py)?.into_any().unbind(),
        Value::Flag(flag) => flag.into_pyobject(py)?.to_owned().into_any().unbind(),
        Value::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
    })
}
