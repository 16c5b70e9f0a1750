//! Waits for what a case expects: on the stream, in memory, in reports, from a requester.

use super::executor::{Executor, Stop, local_tag};
use crate::case::step::{Closed, Expect, Expected, Header, Memory, TaskEnd, Terminate};
use crate::case::{Record, Region, Side};
use crate::format;
use crate::judge::{
    Echo, Expectation, Fact, Pattern, ReportPattern, TerminateCode, TerminatePattern, ending,
    failure, known, outcome, payload_differs,
};
use std::time::Duration;
use strum::VariantArray as _;
use warpscope_agent::EventKind;

/// The length in bytes of an untagged segment's header, and of the Read Request after it.
const READ_REQUEST: (usize, usize) = (18, 28);
/// The time for an expectation if the case gives none.
const USUAL: Duration = Duration::from_secs(2);
/// The duration of a silence if the case gives none.
const SILENCE: Duration = Duration::from_millis(50);

/// Whether the requester must report success; `None` if it may report either.
fn succeeds(end: TaskEnd) -> Option<bool> {
    match end {
        TaskEnd::Succeeded => Some(true),
        TaskEnd::Failed => Some(false),
        TaskEnd::Ended => None,
    }
}

impl Executor<'_> {
    pub(super) fn expect_step(&mut self, stream: u32, expect: &Expect) -> Result<(), Stop> {
        let within = expect.within.unwrap_or(USUAL);
        let during = expect.within.unwrap_or(SILENCE);
        // What is correct, and what is tolerated.
        let or_tolerated = |executor: &Self, wants: &[Expected]| -> Result<Vec<Pattern>, String> {
            let mut patterns = executor.patterns(stream, wants)?;
            let tolerated = executor.patterns(stream, &expect.tolerate)?.into_iter();
            patterns.extend(tolerated.map(|pattern| Pattern::Tolerated(Box::new(pattern))));
            Ok(patterns)
        };
        let next = |executor: &Self, wants: &[Expected]| -> Result<Expectation, String> {
            let any_of = or_tolerated(executor, wants)?;
            Ok(Expectation::Next { any_of, skip: executor.patterns(stream, &expect.skip)?, within })
        };
        let done = match &expect.want {
            Expected::Memory(memory) => self.expect_memory(stream, memory),
            Expected::Report(record) => self.expect_report(stream, record, within, false),
            Expected::NoReport(record) => self.expect_no_report(stream, record, during),
            Expected::InOrder(all) if matches!(all.first(), Some(Expected::Report(_))) => {
                all.iter().enumerate().try_for_each(|(index, want)| match want {
                    Expected::Report(record) => {
                        self.expect_report(stream, record, within, index > 0)
                    }
                    _ => Ok(()),
                })
            }
            Expected::Task(end) => self.expect_task(*end, &expect.tolerate, within),
            want => {
                let expectation = match want {
                    Expected::Nothing => {
                        Expectation::Nothing { during, skip: or_tolerated(self, &expect.skip)? }
                    }
                    Expected::InOrder(all) => {
                        Expectation::InOrder { patterns: self.patterns(stream, all)?, within }
                    }
                    Expected::AllOf(all) => {
                        Expectation::AllOf { patterns: self.patterns(stream, all)?, within }
                    }
                    Expected::AnyOf(all) => next(self, all)?,
                    one => next(self, std::slice::from_ref(one))?,
                };
                self.expect(stream, &expectation)
            }
        };
        match done {
            Err(Stop::Judged) if expect.supposed => Err(self.does_not_apply().into()),
            done => done,
        }
    }

    fn patterns(&self, stream: u32, wants: &[Expected]) -> Result<Vec<Pattern>, String> {
        wants.iter().map(|want| self.pattern(stream, want)).collect()
    }

    fn pattern(&self, stream: u32, want: &Expected) -> Result<Pattern, String> {
        Ok(match want {
            Expected::Message(message) => {
                Pattern::Message(message.try_map(&|value| self.given(value, stream))?)
            }
            Expected::Terminate(terminate) => {
                Pattern::Terminate(self.terminate(stream, terminate)?)
            }
            Expected::Closed(Closed::Graceful) => Pattern::Finished,
            Expected::Closed(Closed::Reset) => Pattern::Reset,
            Expected::Closed(Closed::Any) => Pattern::Closed,
            Expected::Nothing => Pattern::Silence,
            _ => return Err("only messages, Terminates and ends can be alternatives".to_owned()),
        })
    }

    fn terminate(&self, stream: u32, terminate: &Terminate) -> Result<TerminatePattern, String> {
        let error_type = terminate.error_type.map(|it| it as u8);
        let codes = match terminate.layer {
            None => Vec::new(),
            Some(layer) => {
                let code =
                    |code: Option<u8>| TerminateCode { layer: layer as u8, error_type, code };
                match terminate.codes.as_slice() {
                    [] => vec![code(None)],
                    codes => codes.iter().map(|it| code(Some(*it as u8))).collect(),
                }
            }
        };
        let ddp_header = self.echo(stream, &terminate.ddp_header)?;
        let rdmap_header = match self.echo(stream, &terminate.rdmap_header)? {
            Echo::Is(segment) => {
                let (header, length) = READ_REQUEST;
                Echo::Is(segment.get(header..header + length).unwrap_or_default().to_vec())
            }
            other => other,
        };
        let message = terminate.message.try_map(&|value| self.given(value, stream))?;
        Ok(TerminatePattern { codes, ddp_header, rdmap_header, message })
    }

    /// Returns what a Terminate must contain of a segment that was sent.
    fn echo(&self, stream: u32, header: &Header) -> Result<Echo, String> {
        let segment = match header {
            Header::Any => return Ok(Echo::Any),
            Header::Absent => return Ok(Echo::Absent),
            Header::Present => return Ok(Echo::Present),
            Header::Echoes(None) => self.raw(stream).and_then(|raw| raw.sent().last()),
            Header::Echoes(Some(name)) => {
                let (stream, index) =
                    self.sent.get(name).ok_or("nothing with that name was sent")?;
                self.raw(*stream).and_then(|raw| raw.sent().get(*index))
            }
        };
        segment.map(|sent| Echo::Is(sent.clone())).ok_or_else(|| "nothing was sent".to_owned())
    }

    fn expect_memory(&mut self, stream: u32, memory: &Memory) -> Result<(), Stop> {
        self.session.settle()?;
        let offset = self.number(&memory.offset, stream)?;
        let bytes = self.optional_bytes(memory.is.as_ref(), stream)?;
        match (&memory.region, bytes) {
            (None, _) => self.expect_unchanged(None, 0, None),
            (Some(Region { side: Side::Target, name }), None) => {
                let length = self.optional_number(memory.length.as_ref(), stream)?;
                self.expect_unchanged(Some(name), offset, length)
            }
            (Some(Region { side: Side::Target, name }), Some(bytes)) => {
                let there = self.read_region(name, offset, bytes.len() as u64)?;
                let accepted =
                    format!("{} at offset {offset} of region {name}", format::bytes(&bytes));
                self.check(accepted, payload_differs(&there, &bytes))
            }
            (Some(region), bytes) => {
                let (index, buffer) = self.local_buffer(region).ok_or("there is no such buffer")?;
                let (steering_tag, _) = local_tag(index);
                let bytes = match bytes {
                    Some(bytes) => bytes,
                    None => {
                        let mut bytes = self.first_bytes(buffer, stream)?;
                        bytes.split_off(bytes.len().min(offset as usize))
                    }
                };
                let held = self.stream(stream)?.raw.buffers.find(steering_tag);
                let came = match held.and_then(|it| it.bytes.get(offset as usize..)) {
                    None => Some("the runner has no such buffer".to_owned()),
                    Some(held) if held.starts_with(&bytes) => None,
                    Some(held) => payload_differs(held, &bytes),
                };
                self.check(format!("bytes in the runner's buffer {steering_tag:#010x}"), came)
            }
        }
    }

    /// Checks that the target's buffers, or the one with a name, still hold what they were filled with, from
    /// an offset on and for a length.
    fn expect_unchanged(
        &mut self,
        only: Option<&str>,
        offset: u64,
        length: Option<u64>,
    ) -> Result<(), Stop> {
        for (name, bytes) in self.remembered.clone() {
            if only.is_none_or(|only| only == name) && self.regions.contains_key(&name) {
                let bytes = bytes.get(offset as usize..).unwrap_or_default();
                let length = length.map_or(bytes.len(), |it| bytes.len().min(it as usize));
                let there = self.read_region(&name, offset, length as u64)?;
                let wrong = payload_differs(&there, bytes.get(..length).unwrap_or_default());
                let place =
                    if offset == 0 { String::new() } else { format!(" from byte {offset} on") };
                self.check(format!("region {name} is unchanged{place}"), wrong)?;
            }
        }
        Ok(())
    }

    fn expect_task(
        &mut self,
        end: TaskEnd,
        tolerate: &[Expected],
        within: Duration,
    ) -> Result<(), Stop> {
        let accepted = match end {
            TaskEnd::Succeeded => "the requester reports success",
            TaskEnd::Failed => "the requester reports a failure",
            TaskEnd::Ended => "the requester ends",
        };
        let accepted = accepted.to_owned();
        let Some(came) = self.session.task_ended(succeeds(end), within)? else {
            return self.check(accepted, None);
        };
        for tolerated in tolerate {
            let fits = match tolerated {
                Expected::Task(end) => {
                    self.session.task_ended(succeeds(*end), Duration::ZERO)?.is_none()
                }
                Expected::Nothing => self.session.task_ended(None, Duration::ZERO)?.is_some(),
                _ => false,
            };
            if fits {
                self.tolerate(accepted, came);
                return Ok(());
            }
        }
        self.check(accepted, Some(came))
    }

    fn expect_report(
        &mut self,
        stream: u32,
        record: &Record,
        within: Duration,
        after_last: bool,
    ) -> Result<(), Stop> {
        let pattern = self.report_pattern(stream, record)?;
        let of_refused = |(name, fact): &(&str, Fact)| {
            let refused = |it: &u64| *name == "identifier" && self.refused.contains(it);
            matches!(fact, Fact::Number(it) if refused(it))
        };
        let fails = |(_, fact): &(&str, Fact)| matches!(fact, Fact::Outcome(false, _));
        if pattern.facts.iter().any(of_refused) && pattern.facts.iter().any(fails) {
            return self.check(pattern.describe(), None);
        }
        let within = self.session.pace.within(within);
        let name = self.stream_name(stream);
        let result = self.reports.wait(self.session, &name, &pattern, within, after_last)?;
        self.check(pattern.describe(), result.err())
    }

    fn expect_no_report(
        &mut self,
        stream: u32,
        record: &Record,
        during: Duration,
    ) -> Result<(), Stop> {
        let pattern = self.report_pattern(stream, record)?;
        let during = self.session.pace.quiet(during);
        let name = self.stream_name(stream);
        let result = self.reports.watch(self.session, &name, &pattern, during)?;
        self.check(pattern.none_text(), result.err())
    }

    fn report_pattern(&self, stream: u32, record: &Record) -> Result<ReportPattern, String> {
        use EventKind::{
            Arrival, Completion, Ended, Established, FellBack, PeerClosed, Rejected, Request,
            SetupFailed, SolicitedEvent, TerminateCame, Terminates,
        };
        let named = |kind: &&EventKind| <&str>::from(**kind) == record.name;
        let kind = EventKind::VARIANTS.iter().find(named);
        let kind = *kind.ok_or_else(|| format!("there is no report {}", record.name))?;
        let figure = |key: &str| self.optional_number(record.number(key), stream);
        let number = |key: &str| Ok::<_, String>(figure(key)?.map(Fact::Number));
        let bytes = |key: &str| self.optional_bytes(record.bytes(key), stream);
        let switch = |key: &str| record.flag(key).map(Fact::Switch);
        let facts = match kind {
            Arrival => {
                let payload = bytes("payload")?;
                let long = payload.as_ref().map(|it| it.len() as u64);
                let immediate = figure("immediate")?.map(|it| Fact::Immediate(Some(it)));
                let invalidated = figure("invalidated_stag")?.map(|it| it as u32);
                known([
                    ("the receive", number("identifier")?),
                    ("its length", figure("length")?.or(long).map(Fact::Length)),
                    ("the payload", payload.map(Fact::Payload)),
                    ("Immediate Data", immediate),
                    ("the STag", invalidated.map(Fact::Invalidated)),
                    ("solicited", record.flag("solicited").map(Fact::Solicited)),
                ])
            }
            Completion => known([
                ("identifier", number("identifier")?),
                ("the status", record.keyword("status").map(|it| outcome(it == "succeeded"))),
                ("original", number("original")?),
                ("the hash", bytes("hash")?.map(Fact::Bytes)),
            ]),
            TerminateCame | Terminates => {
                let [error_type, code] =
                    [figure("error_type")?, figure("error_code")?].map(|it| it.map(|it| it as u8));
                let layer = figure("layer")?.map(|it| it as u8);
                let code = layer.map(|layer| TerminateCode { layer, error_type, code });
                known([("the code", code.map(Fact::Code))])
            }
            Request | Established | Rejected => known([
                ("revision", number("revision")?),
                ("markers", switch("markers")),
                ("CRC", switch("crc")),
                ("IRD", number("ird")?),
                ("ORD", number("ord")?),
                ("our IRD", number("our_ird")?),
                ("our ORD", number("our_ord")?),
                ("our private data", bytes("private_data")?.map(Fact::Bytes)),
            ]),
            Ended => {
                let how = record.keyword("how").and_then(|it| it.parse().ok());
                known([("the ending", how.map(ending))])
            }
            SetupFailed => {
                let why = record.keyword("why").and_then(|it| it.parse().ok());
                known([("the reason", why.map(failure))])
            }
            FellBack | PeerClosed | SolicitedEvent => Vec::new(),
        };
        Ok(ReportPattern { kind, facts })
    }
}
