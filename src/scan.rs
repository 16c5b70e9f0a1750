//! Reads whole captures into a sink, for the commands that print when all has been read.

use crate::failure::{ReadError, complain};
use crate::input::open;
use crate::progress::Progress;
use std::path::Path;
use std::process::ExitCode;
use warpscope_dissector::capture::CaptureError;
use warpscope_dissector::pipeline::{Options, Pipeline, Sink};

/// Nothing could be read.
const NOTHING: u8 = 2;
/// Some of it could not be read.
const PARTLY: u8 = 1;

/// How the reading of a capture went.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// Its name, as the user gave it.
    pub(crate) name: String,
    /// Frames that were read.
    pub(crate) frames: u64,
    /// Why no more were read; it was told on standard error.
    pub(crate) error: Option<String>,
}

/// Hands all frames of a capture to the sink.
pub(crate) fn scan(path: &Path, options: &Options, sink: &mut dyn Sink) -> Scanned {
    let mut frames = 0;
    let read = read(path, options, sink, &mut frames);
    let error = read.err().map(|error| ReadError::from(error).to_string());
    if let Some(error) = &error {
        complain(error);
    }
    Scanned { name: path.display().to_string(), frames, error }
}

fn read(
    path: &Path,
    options: &Options,
    sink: &mut dyn Sink,
    frames: &mut u64,
) -> Result<(), CaptureError> {
    let (mut reader, bytes) = open(path)?;
    let progress = Progress::of_silence(bytes);
    let mut pipeline = Pipeline::new(options.clone());
    let read = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => pipeline.frame(&frame, sink),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
        *frames += 1;
        progress.at(*frames, || reader.bytes_read());
    };
    pipeline.finish(sink);
    progress.clear();
    read
}

/// The exit status for how the files were read.
#[derive(Debug, Default)]
pub(crate) struct Status {
    frames: u64,
    failed: bool,
}

impl Status {
    /// Takes a file.
    pub(crate) fn take(&mut self, scanned: &Scanned) {
        self.frames += scanned.frames;
        self.failed |= scanned.error.is_some();
    }

    /// 0 when all was read, 1 when some was, 2 when nothing was.
    pub(crate) fn code(&self) -> ExitCode {
        match (self.failed, self.frames) {
            (false, _) => ExitCode::SUCCESS,
            (true, 0) => ExitCode::from(NOTHING),
            (true, _) => ExitCode::from(PARTLY),
        }
    }
}
