//! Dissects a capture and keeps what expectations can be about.

use super::count::{Counter, Counts};
use super::expect::FieldExpectation;
use super::findings::Findings;
use super::value::Found;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use warpscope_dissector::capture::{CaptureError, CaptureReader};
use warpscope_dissector::dissect::FrameView;
use warpscope_dissector::pipeline::{Item, ItemContext, Options, PacketItem, Pipeline, Sink};
use warpscope_dissector::stream::SegmentDisposition;
use warpscope_dissector::tree::Value;

/// What a capture holds.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// The counts.
    pub(crate) counts: Counts,
    /// How often each rule found something.
    pub(crate) findings: BTreeMap<String, u64>,
    /// The values of the fields that expectations name, by frame and field.
    pub(crate) fields: BTreeMap<(u64, &'static str), Vec<Found>>,
}

/// Dissects a capture.
///
/// # Errors
/// When the capture cannot be read to its end.
pub(crate) fn observe(
    capture: &Path,
    options: &Options,
    wanted: &[FieldExpectation],
) -> Result<Observed, CaptureError> {
    let mut reader = CaptureReader::open(capture)?;
    let mut pipeline = Pipeline::new(options.clone());
    let view = (!wanted.is_empty()).then(|| FrameView::new(true, false));
    let mut watch = Watch { counter: Counter::default(), findings: Findings::default(), view };
    let frames: BTreeSet<u64> = wanted.iter().map(|expected| expected.frame).collect();
    let mut fields = BTreeMap::new();
    while let Some(frame) = reader.next_frame()? {
        if let Some(view) = &mut watch.view {
            view.context.first_time = view.context.first_time.or(frame.time);
        }
        pipeline.frame(&frame, &mut watch);
        watch.findings.count();
        if let Some(view) = &mut watch.view {
            let context = &mut view.context;
            context.previous_time = frame.time.or(context.previous_time);
            context.previous_displayed_time = context.previous_time;
            if frames.contains(&view.number) {
                keep(view, wanted, &mut fields);
            }
        }
    }
    pipeline.finish(&mut watch);
    if let Some(view) = &mut watch.view {
        while view.next_late() {
            keep(view, wanted, &mut fields);
        }
    }
    let findings = watch.findings.finish();
    Ok(Observed { counts: watch.counter.finish(), findings, fields })
}

/// Keeps the values that are wanted of the frame at hand.
fn keep(
    view: &FrameView,
    wanted: &[FieldExpectation],
    fields: &mut BTreeMap<(u64, &'static str), Vec<Found>>,
) {
    let tree = &view.tree;
    for expected in wanted.iter().filter(|expected| expected.frame == view.number) {
        let nodes = tree.nodes.iter().filter(|node| node.field == expected.field);
        let values = nodes.map(|node| {
            let mut text = String::new();
            tree.value_text(node, &mut text);
            let name = match node.value {
                Value::Unsigned(number) => node.field.value_name(number),
                _ => None,
            };
            Found { text, name }
        });
        fields.entry((view.number, expected.field.name)).or_default().extend(values);
    }
}

/// Whoever looks at the capture.
struct Watch {
    counter: Counter,
    findings: Findings,
    view: Option<FrameView>,
}

impl Sink for Watch {
    fn packet(&mut self, packet: &PacketItem<'_>) {
        self.counter.packet(packet);
        self.findings.packet(packet);
        if let Some(view) = &mut self.view {
            view.packet(packet);
        }
    }

    fn disposition(&mut self, disposition: SegmentDisposition) {
        self.findings.disposition(disposition);
        if let Some(view) = &mut self.view {
            view.disposition(disposition);
        }
    }

    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        self.counter.item(context, item);
        self.findings.item(context, item);
        if let Some(view) = &mut self.view {
            view.item(context, item);
        }
    }

    fn capture_ended(&mut self) {
        self.findings.capture_ended();
        if let Some(view) = &mut self.view {
            view.capture_ended();
        }
    }
}
