//! What a report is: something that takes findings and files, one after the other.

use super::found::Found;
use super::result::{FileResult, Summary};
use std::io::{self, Write};

/// Prints what was found.
pub(super) trait Report {
    /// Prints what stands before the first finding.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Takes a finding as soon as it is made.
    fn finding(&mut self, _file: &str, _found: &Found, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Takes a file that has been read.
    fn file(&mut self, result: FileResult, out: &mut dyn Write) -> io::Result<()>;
    /// Prints what stands behind the last file.
    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()>;
}
