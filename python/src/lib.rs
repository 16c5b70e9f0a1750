//! The Python module `warpscope._native`: captures as Arrow tables and as frames. The reading itself is in
//! `warpscope-dissector`; this crate has its Python types, and the thread that reads for a stream.

mod capture;
mod check;
mod failure;
mod frames;
mod reading;
mod table;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("CaptureError", py.get_type::<failure::CaptureError>())?;
    module.add("FilterError", py.get_type::<failure::FilterError>())?;
    module.add_class::<capture::Capture>()?;
    module.add_class::<check::Check>()?;
    module.add_class::<frames::Frames>()?;
    module.add_class::<table::Table>()
}
