//! The captures of the repository, and the pipeline run over one.

use crate::prelude::*;
use warpscope_dissector::pipeline::Options;

/// The directory that holds the repository's captures.
pub fn traces() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../traces")
}

/// Every capture in these directories of `traces/`, in the order of the names.
pub fn captures(directories: &[&str]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = directories
        .iter()
        .flat_map(|directory| std::fs::read_dir(traces().join(directory)).unwrap())
        .map(|entry| entry.unwrap().path())
        // What is expected of each is in a file beside it.
        .filter(|path| path.to_string_lossy().contains(".pcap"))
        .collect();
    found.sort();
    assert!(found.len() >= 10, "the captures are not where they should be");
    found
}

/// The name of a capture without its endings.
pub fn name(capture: &Path) -> &str {
    let name = capture.file_name().unwrap().to_str().unwrap();
    name.split_once(".pcap").map_or(name, |(name, _)| name)
}

/// A capture of the repository by its name without endings.
pub fn capture(wanted: &str) -> PathBuf {
    let found = captures(&["captures", "synthetic"]).into_iter().find(|path| name(path) == wanted);
    found.unwrap_or_else(|| panic!("there is no capture {wanted}"))
}

/// A frame that lasts: its bytes are never freed.
pub fn lasting(frame: Frame<'_>) -> Frame<'static> {
    let Frame { number, interface, time, link_type, bytes, original_length } = frame;
    let bytes = bytes.to_vec().leak();
    Frame { number, interface, time, link_type, bytes, original_length }
}

pub fn all_frames(capture: &Path) -> Vec<Frame<'static>> {
    let mut reader = CaptureReader::open(capture).unwrap();
    std::iter::from_fn(|| reader.next_frame().unwrap().map(lasting)).collect()
}

/// Looks at each frame of a capture; the view then has what was left waiting at its end.
pub fn each_frame(capture: &Path, view: &mut FrameView, mut look: impl FnMut(&FrameView)) {
    let mut reader = CaptureReader::open(capture).unwrap();
    let options = Options { analysis: true, ..Options::default() };
    let (mut pipeline, names_interfaces) = (Pipeline::new(options), reader.names_interfaces());
    while let Some(described) = reader.next_described().unwrap() {
        let frame = described.frame;
        let context = &mut view.context;
        context.first_time = context.first_time.or(frame.time);
        context.interface = described.interface.filter(|_| names_interfaces).cloned();
        pipeline.frame(&frame, view);
        look(view);
        view.context.previous_time = frame.time;
        view.context.previous_displayed_time = frame.time;
    }
    pipeline.finish(view);
}

/// Runs the pipeline over a capture.
pub fn run(capture: &Path, sink: &mut impl Sink) -> Pipeline {
    let mut pipeline = Pipeline::default();
    pipeline.read(&mut CaptureReader::open(capture).unwrap(), sink, |_| {}).unwrap();
    pipeline
}
