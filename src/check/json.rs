//! `--format json` and `--format ndjson`: every finding, written as soon as it is made.

use super::finding_json::finding;
use super::found::Found;
use super::report::Report;
use super::result::{Counts, FileResult, Summary};
use serde_json::{Value, json};
use std::io::{self, Write};

/// How the objects are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One object with the lists of findings and of files, and the summary.
    Object,
    /// An object a line; `type` says what it is.
    Lines,
}

/// `--format json` and `--format ndjson`.
#[derive(Debug)]
pub(super) struct Json {
    shape: Shape,
    /// True when a finding was written.
    followed: bool,
    files: Vec<Value>,
}

impl Json {
    /// A report of this shape.
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, followed: false, files: Vec::new() }
    }

    fn line(kind: &str, mut object: Value, out: &mut dyn Write) -> io::Result<()> {
        if let Some(object) = object.as_object_mut() {
            object.insert("type".to_owned(), Value::from(kind));
        }
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)
    }
}

impl Report for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.shape {
            Shape::Object => write!(out, "{{\"findings\":["),
            Shape::Lines => Ok(()),
        }
    }

    fn finding(&mut self, file: &str, found: &Found, out: &mut dyn Write) -> io::Result<()> {
        let object = finding(file, found);
        if self.shape == Shape::Lines {
            return Self::line("finding", object, out);
        }
        writeln!(out, "{}", if self.followed { "," } else { "" })?;
        self.followed = true;
        serde_json::to_writer(out, &object)?;
        Ok(())
    }

    fn file(&mut self, result: FileResult, out: &mut dyn Write) -> io::Result<()> {
        let object = json!({
            "file": result.name,
            "frames": result.frames,
            "connections": result.connections,
            "counts": counts(&result.counts),
            "error": result.error,
        });
        if self.shape == Shape::Lines {
            return Self::line("file", object, out);
        }
        self.files.push(object);
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let total = json!({
            "files": summary.files,
            "unreadable": summary.unreadable,
            "counts": counts(&summary.counts),
            "unused_waivers": summary.unused_waivers,
        });
        if self.shape == Shape::Lines {
            return Self::line("summary", total, out);
        }
        write!(out, "{}],\n\"files\":", if self.followed { "\n" } else { "" })?;
        serde_json::to_writer(&mut *out, &self.files)?;
        write!(out, ",\n\"summary\":")?;
        serde_json::to_writer(&mut *out, &total)?;
        writeln!(out, "}}")
    }
}

fn counts(counts: &Counts) -> Value {
    json!({ "must": counts.must, "should": counts.should, "waived": counts.waived })
}
