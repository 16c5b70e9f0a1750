//! Runs the watch: reads the interfaces, or a file, and updates the metrics.

use super::count::{Count, Sums};
use super::exporter::Exporter;
use super::metrics::{Metrics, OfInterface};
use crate::cli::WatchArguments;
use crate::decoding::{Decoding, open};
use crate::failure::{ReadError, report, say};
use crate::live::{CapturedFrameSink, Plan, capture, list_interfaces};
use crate::terminal::print;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use warpscope_dissector::capture::{
    CaptureError, CaptureReader, DescribedFrame, Interface, InterfaceStatistics,
};
use warpscope_dissector::pipeline::{Options, Pipeline, Sink};
use warpscope_dissector::recording::Destination;
use warpscope_dissector::rules::Judge;
use warpscope_text::counted;

/// The interval at which rates are computed and open connections are counted.
const INTERVAL: Duration = Duration::from_secs(1);

pub(crate) fn run(arguments: &WatchArguments) -> Result<ExitCode> {
    if arguments.live.list_interfaces {
        return list_interfaces();
    }
    let decoding = Decoding::new(&arguments.decoding)?;
    let (metrics, registry) = Metrics::new();
    let exporter = Arc::new(Exporter { metrics: metrics.clone(), registry });
    let count = Count::new(metrics.clone(), arguments.most_servers);
    let mut watch = Watch::new(decoding.pipeline, count, metrics);
    if let Some(path) = &arguments.read {
        let stops = (!arguments.live.stop.is_empty()).then_some("-a");
        if let Some(flag) = arguments.live.only_live().or(stops) {
            bail!("{flag} is for a live capture (-i); -r counts the whole file");
        }
        return watch.file(path, &exporter);
    }
    // The files of a ring have their own names.
    let replace = arguments.existing.force || !arguments.live.ring.is_empty();
    let destination = arguments.write.as_deref().map(|path| Destination::new(path, None, replace));
    let destination = destination.transpose()?;
    if let Some(address) = &arguments.metrics {
        say!("Metrics at http://{}/metrics\n", exporter.serve(address)?);
    }
    let plan = Plan {
        arguments: &arguments.live,
        count: None,
        destination: destination.as_ref(),
        shows_progress: !arguments.quiet,
    };
    let ended = capture(&plan, &mut watch)?;
    say!("{}\n", watch.summary());
    Ok(ended)
}

pub(super) struct Watch {
    pipeline: Pipeline,
    count: Count,
    judge: Judge,
    metrics: Metrics,
    interfaces: Vec<String>,
    dropped: u64,
    /// The time and the sums of the last computation of rates: frames and operations a second.
    before: (Instant, Sums),
    rates: [u64; 2],
}

impl Watch {
    pub(super) fn new(options: Options, count: Count, metrics: Metrics) -> Self {
        Self {
            pipeline: Pipeline::new(options),
            count,
            judge: Judge::new(),
            metrics,
            interfaces: Vec::new(),
            dropped: 0,
            before: (Instant::now(), Sums::default()),
            rates: [0; 2],
        }
    }

    /// Counts the content of a file, and prints the metrics.
    fn file(&mut self, path: &Path, exporter: &Exporter) -> Result<ExitCode> {
        let (mut reader, _) = open(path).map_err(ReadError::from)?;
        let read = self.read(&mut reader);
        let printed = print(|out, _| write!(out, "{}", exporter.text(true)))?;
        Ok(read.map_or_else(|damage| report(&ReadError::from(damage).into()), |()| printed))
    }

    /// Counts the content of a file up to its end, or up to damage.
    pub(super) fn read(&mut self, reader: &mut CaptureReader) -> Result<(), CaptureError> {
        let read = loop {
            match reader.next_frame() {
                Ok(Some(frame)) => self.take(|pipeline, sink| pipeline.frame(&frame, sink)),
                Ok(None) => break Ok(()),
                Err(damage) => break Err(damage),
            }
        };
        self.count_open();
        self.take(|pipeline, sink| pipeline.finish(sink));
        read
    }

    fn take(&mut self, run: impl FnOnce(&mut Pipeline, &mut dyn Sink)) {
        run(&mut self.pipeline, &mut [&mut self.judge as &mut dyn Sink, &mut self.count]);
        self.judge.take().for_each(|finding| self.count.finding(&finding));
    }

    fn count_open(&mut self) {
        let open = self.pipeline.connections().iter().filter(|it| it.iwarp && !it.ended).count();
        self.metrics.connections_open.set(open as i64);
    }

    /// Returns the totals as one line.
    fn summary(&self) -> String {
        let Sums { connections, operations, terminates, findings, .. } = self.count.sums;
        [
            counted(connections, "connection"),
            counted(operations, "operation"),
            counted(terminates, "Terminate"),
            counted(findings, "finding"),
            counted(self.metrics.scrapes.get(), "scrape"),
        ]
        .join(", ")
    }
}

impl CapturedFrameSink for Watch {
    fn begin(&mut self, interfaces: &[Interface]) {
        let named = interfaces.iter().map(|interface| interface.name.clone().unwrap_or_default());
        self.interfaces = named.collect();
    }

    fn frame(&mut self, described: &DescribedFrame<'_>) -> Result<bool> {
        self.take(|pipeline, sink| pipeline.frame(&described.frame, sink));
        Ok(true)
    }

    fn idle(&mut self) -> Result<()> {
        let (since, sums) = (self.before.0.elapsed(), self.count.sums);
        if since >= INTERVAL {
            let rate = |now: u64, before: u64| ((now - before) as f64 / since.as_secs_f64()) as u64;
            let before = self.before.1;
            self.rates =
                [rate(sums.frames, before.frames), rate(sums.operations, before.operations)];
            self.before = (Instant::now(), sums);
            self.count_open();
        }
        Ok(())
    }

    fn counted(&mut self, counted: &[Option<InterfaceStatistics>]) {
        self.dropped = 0;
        for (interface, counted) in self.interfaces.iter().zip(counted) {
            let Some(counted) = counted else { continue };
            for (by, frames) in
                [("kernel", counted.dropped_by_system), ("interface", counted.dropped)]
            {
                let labels = OfInterface { interface: interface.clone(), by };
                let metric = self.metrics.dropped.get_or_create(&labels);
                metric.inner().store(frames, Ordering::Relaxed);
                self.dropped += frames;
            }
        }
    }

    fn progress(&self, _frames: u64) -> String {
        let [frames, operations] = self.rates;
        let findings = counted(self.count.sums.findings, "finding");
        format!(
            "{frames} frames/s, {operations} operations/s, {findings}, {} dropped",
            self.dropped
        )
    }

    fn finish(&mut self) -> Result<Vec<u64>> {
        self.take(|pipeline, sink| pipeline.finish(sink));
        Ok(Vec::new())
    }
}
