//! What is waited for.

use super::player::{Binding, Playing, SILENCE, USUAL};
use super::wanted::{Due, Wanted};
use crate::case::step::{Closed, Expect, Header, Matcher, Memory, TaskEnd, Terminate, Want};
use crate::case::{Record, Region, Side};
use crate::engine::expect::{
    Echo, Expectation, Matcher as NumberMatcher, Pattern, PayloadMatch, Shared, TerminateCode,
    TerminatePattern,
};
use crate::engine::{ArrivalDue, CompletionDue, ReportPattern, SetupDue};
use crate::run::{Action, OwnMemory, Scene, TargetMemory};
use std::sync::Arc;
use warpscope_wire::test_ulp::{CompletionStatus, EndingCode, FailureCode, ReportKind};

/// Bytes of an untagged segment's header, and of a Read Request behind it.
const READ_REQUEST: (usize, usize) = (18, 28);

/// A pattern, and what binds variables by it.
type Wants = (Pattern, Option<Arc<Wanted>>);

impl Playing<'_> {
    /// The actions of an expect.
    pub(super) fn expect(
        &mut self,
        stream: u32,
        expect: &Expect,
        scene: &Scene<'_>,
        number: usize,
    ) -> Result<(), String> {
        let within = expect.within.unwrap_or(USUAL);
        let tolerated: Vec<Pattern> = expect
            .tolerate
            .iter()
            .map(|want| Ok(Pattern::Tolerated(Box::new(self.want(stream, want, scene)?.0))))
            .collect::<Result<_, String>>()?;
        let skip: Vec<Pattern> = expect
            .skip
            .iter()
            .map(|want| Ok(self.want(stream, want, scene)?.0))
            .collect::<Result<_, String>>()?;
        let next = |any_of: Vec<Pattern>| Expectation::Next {
            any_of,
            skip: skip.clone(),
            skip_all: false,
            within,
        };
        let wants = |wants: &[Want]| -> Result<Vec<Wants>, String> {
            wants.iter().map(|want| self.want(stream, want, scene)).collect()
        };
        let (expectation, wanted) = match &expect.want {
            Want::Memory(memory) => return self.memory(stream, memory, scene),
            Want::Report(record) => {
                let pattern = self.report(stream, record, scene)?;
                self.queue.push_back(Action::Report { stream, pattern, within, behind: false });
                return Ok(());
            }
            Want::NoReport(record) => {
                let pattern = self.report(stream, record, scene)?;
                let during = expect.within.unwrap_or(SILENCE);
                self.queue.push_back(Action::NoReport { stream, pattern, during });
                return Ok(());
            }
            Want::InOrder(all) if matches!(all.first(), Some(Want::Report(_))) => {
                for (index, want) in all.iter().enumerate() {
                    let Want::Report(record) = want else { continue };
                    let (pattern, behind) = (self.report(stream, record, scene)?, index > 0);
                    self.queue.push_back(Action::Report { stream, pattern, within, behind });
                }
                return Ok(());
            }
            Want::Task(due) => {
                let succeeds = match due {
                    TaskEnd::Succeeded => Some(true),
                    TaskEnd::Failed => Some(false),
                    TaskEnd::Any => None,
                };
                self.queue.push_back(Action::Task { succeeds, within });
                return Ok(());
            }
            Want::Nothing => {
                let during = expect.within.unwrap_or(SILENCE);
                (Expectation::Nothing { of: Vec::new(), during }, Vec::new())
            }
            Want::InOrder(all) => {
                let (patterns, wanted) = wants(all)?.into_iter().unzip();
                (Expectation::InOrder { patterns, within }, wanted)
            }
            Want::AllOf(all) => {
                let (patterns, wanted) = wants(all)?.into_iter().unzip();
                (Expectation::AllOf { patterns, within }, wanted)
            }
            Want::AnyOf(all) => {
                let (mut patterns, wanted): (Vec<_>, Vec<_>) = wants(all)?.into_iter().unzip();
                patterns.extend(tolerated);
                (next(patterns), wanted)
            }
            one => {
                let (pattern, wanted) = self.want(stream, one, scene)?;
                let mut patterns = vec![pattern];
                patterns.extend(tolerated);
                (next(patterns), vec![wanted])
            }
        };
        // The expectation is the action of this number when nothing is queued before it.
        let action = number + self.queue.len();
        self.bindings.push(Binding { action, wanted });
        self.queue.push_back(Action::Expect { stream, expectation });
        Ok(())
    }

    fn want(&self, stream: u32, want: &Want, scene: &Scene<'_>) -> Result<Wants, String> {
        Ok(match want {
            Want::Message(wanted) => {
                let fields = self.dues(&wanted.fields, stream, scene)?;
                let payload = wanted.payload.as_ref();
                let payload = payload.map(|it| self.bytes(it, stream, scene)).transpose()?;
                let lengths = wanted.lengths.iter();
                let lengths = lengths
                    .map(|(ulpdus, matcher)| Ok((*ulpdus, self.due(matcher, stream, scene)?)))
                    .collect::<Result<_, String>>()?;
                let number = |value: &Option<crate::case::Value>| {
                    value.as_ref().map(|it| self.number(it, stream, scene)).transpose()
                };
                let wanted = Arc::new(Wanted {
                    layouts: Arc::clone(&self.script.layouts),
                    name: wanted.name.clone(),
                    fields,
                    payload,
                    lengths,
                    segments: number(&wanted.segments)?,
                    last_payload: number(&wanted.last_payload)?,
                    version: self.script.version,
                    bind: wanted.bind.clone(),
                });
                (Pattern::ByHand(Shared(wanted.clone())), Some(wanted))
            }
            Want::Terminate(terminate) => self.terminate(stream, terminate, scene)?,
            Want::Closed(Closed::Graceful) => (Pattern::Finished, None),
            Want::Closed(Closed::Reset) => (Pattern::Reset, None),
            Want::Closed(Closed::Any) => (Pattern::Closed, None),
            Want::Nothing
            | Want::AnyOf(_)
            | Want::InOrder(_)
            | Want::AllOf(_)
            | Want::Memory(_)
            | Want::Report(_)
            | Want::NoReport(_)
            | Want::Task(_) => {
                return Err("only messages, Terminates and ends can be alternatives".to_owned());
            }
        })
    }

    fn dues(
        &self,
        fields: &[(String, Matcher)],
        stream: u32,
        scene: &Scene<'_>,
    ) -> Result<Vec<(String, Due)>, String> {
        let due = |matcher| self.due(matcher, stream, scene);
        fields.iter().map(|(name, matcher)| Ok((name.clone(), due(matcher)?))).collect()
    }

    fn due(&self, matcher: &Matcher, stream: u32, scene: &Scene<'_>) -> Result<Due, String> {
        let number = |value: &crate::case::Value| self.number(value, stream, scene);
        Ok(match matcher {
            Matcher::Is(value) => Due::Is(number(value)?),
            Matcher::Bytes(bytes) => Due::Bytes(self.bytes(bytes, stream, scene)?),
            Matcher::Not(value) => Due::Not(number(value)?),
            Matcher::AtLeast(value) => Due::AtLeast(number(value)?),
            Matcher::AtMost(value) => Due::AtMost(number(value)?),
            Matcher::OneOf(values) => {
                Due::OneOf(values.iter().map(number).collect::<Result<_, _>>()?)
            }
            Matcher::MultipleOf(value) => Due::MultipleOf(number(value)?),
            Matcher::Any => Due::Any,
            Matcher::List(elements) => Due::List(
                elements
                    .iter()
                    .map(|element| self.dues(element, stream, scene))
                    .collect::<Result<_, _>>()?,
            ),
        })
    }

    fn terminate(
        &self,
        stream: u32,
        terminate: &Terminate,
        scene: &Scene<'_>,
    ) -> Result<Wants, String> {
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
        let ddp_header = self.echo(stream, &terminate.ddp_header, scene)?;
        let rdmap_header = match self.echo(stream, &terminate.rdmap_header, scene)? {
            Echo::Is(segment) => {
                let (header, length) = READ_REQUEST;
                Echo::Is(segment.get(header..header + length).unwrap_or_default().to_vec())
            }
            other => other,
        };
        let pattern = Pattern::Terminate(TerminatePattern { codes, ddp_header, rdmap_header });
        let fields = self.dues(&terminate.fields, stream, scene)?;
        let version = self.script.version;
        let wanted = Arc::new(Wanted {
            layouts: Arc::clone(&self.script.layouts),
            name: "terminate".to_owned(),
            fields,
            payload: None,
            lengths: Vec::new(),
            segments: None,
            last_payload: None,
            version,
            bind: terminate.bind.clone(),
        });
        let pattern = match (wanted.fields.is_empty(), version) {
            (true, 1) => pattern,
            (true, _) => Pattern::Both(
                Box::new(pattern),
                Shared(Arc::new(super::wanted::OfVersion(version))),
            ),
            (false, _) => Pattern::Both(Box::new(pattern), Shared(wanted.clone())),
        };
        // What else is borne, the case says itself.
        Ok((Pattern::Strictly(Box::new(pattern)), Some(wanted)))
    }

    /// What a Terminate must say of a segment that was sent.
    fn echo(&self, stream: u32, header: &Header, scene: &Scene<'_>) -> Result<Echo, String> {
        let segment = match header {
            Header::Any => return Ok(Echo::Any),
            Header::Absent => return Ok(Echo::Absent),
            Header::Echoes(None) => scene.link(stream).and_then(|link| link.sent().last()),
            Header::Echoes(Some(name)) => {
                let (stream, index) = self.sent.get(name).ok_or("nothing of that name was sent")?;
                scene.link(*stream).and_then(|link| link.sent().get(*index))
            }
        };
        segment
            .map(|sent| Echo::Is(sent.ulpdu.clone()))
            .ok_or_else(|| "nothing was sent".to_owned())
    }

    fn memory(&mut self, stream: u32, due: &Memory, scene: &Scene<'_>) -> Result<(), String> {
        self.queue.push_back(Action::Settle);
        let offset = self.number(&due.offset, stream, scene)?;
        let bytes = due.is.as_ref().map(|it| self.bytes(it, stream, scene)).transpose()?;
        let action = match (&due.region, bytes) {
            (None, _) => Action::TargetMemory(TargetMemory::Unchanged { region: None }),
            (Some(Region { side: Side::Target, name }), None) => {
                Action::TargetMemory(TargetMemory::Unchanged { region: Some(name.clone()) })
            }
            (Some(Region { side: Side::Target, name }), Some(bytes)) => {
                let region = name.clone();
                Action::TargetMemory(TargetMemory::Holds { region, offset, bytes })
            }
            (Some(region), bytes) => {
                let buffers = &self.script.instance.buffers;
                let index = buffers.iter().position(|it| it.region == *region);
                let index = index.ok_or("there is no such buffer")?;
                let (steering_tag, _) = super::buffers::local_tag(index);
                let bytes = match (bytes, buffers.get(index)) {
                    (Some(bytes), _) => bytes,
                    (None, Some(buffer)) => {
                        let fill = buffer.fill.as_ref();
                        let fill = fill.map(|it| self.bytes(it, stream, scene)).transpose()?;
                        let mut bytes = fill.unwrap_or_default();
                        bytes.resize(buffer.length as usize, 0);
                        bytes.split_off(bytes.len().min(offset as usize))
                    }
                    (None, None) => Vec::new(),
                };
                let (offset, bytes) = (offset as usize, PayloadMatch::Begins(bytes));
                Action::OwnMemory(OwnMemory { stream, steering_tag, offset, bytes })
            }
        };
        self.queue.push_back(action);
        Ok(())
    }

    fn report(
        &self,
        stream: u32,
        record: &Record,
        scene: &Scene<'_>,
    ) -> Result<ReportPattern, String> {
        let number = |key: &str| -> Result<Option<u64>, String> {
            record.number(key).map(|it| self.number(it, stream, scene)).transpose()
        };
        let code = || -> Result<Option<TerminateCode>, String> {
            let Some(layer) = number("layer")? else { return Ok(None) };
            let error_type = number("error_type")?.map(|it| it as u8);
            let code = number("error_code")?.map(|it| it as u8);
            Ok(Some(TerminateCode { layer: layer as u8, error_type, code }))
        };
        Ok(match record.name {
            "arrival" => {
                let payload = record.bytes("payload");
                let payload = payload.map(|it| self.bytes(it, stream, scene)).transpose()?;
                let checksum = payload.as_deref().filter(|it| !it.is_empty());
                let long = payload.as_ref().map(|it| it.len() as u64);
                ReportPattern::Arrival(ArrivalDue {
                    identifier: number("identifier")?,
                    length: number("length")?.or(long).map(NumberMatcher::Is),
                    checksum: checksum.map(warpscope_wire::crc::crc32c),
                    front: None,
                    immediate: number("immediate")?.map(Some),
                    invalidated: number("invalidated_stag")?.map(|it| it as u32),
                    solicited: record.flag("solicited"),
                })
            }
            "completion" => ReportPattern::Completed(CompletionDue {
                identifier: number("identifier")?,
                operation: None,
                status: record.word("status").map(|word| match word {
                    "succeeded" => CompletionStatus::Success,
                    "flushed" => CompletionStatus::Flushed,
                    "error_here" => CompletionStatus::TerminatedHere,
                    "terminated" => CompletionStatus::TerminatedByPeer,
                    _ => CompletionStatus::Other,
                }),
                original: number("original")?,
                hash: match record.bytes("hash") {
                    Some(hash) => Some(self.bytes(hash, stream, scene)?),
                    None => None,
                },
            }),
            "terminate_came" => ReportPattern::TerminateReceived(code()?),
            "terminates" => ReportPattern::TerminateSent(code()?),
            "ended" => ReportPattern::Ended(record.word("how").map(|word| match word {
                "closed" => EndingCode::Finished,
                "error_here" => EndingCode::TerminatedHere,
                "terminated" => EndingCode::TerminatedByPeer,
                "lost" => EndingCode::Lost,
                "dropped" => EndingCode::Aborted,
                "rejected" => EndingCode::Rejected,
                _ => EndingCode::SetupFailed,
            })),
            name @ ("established" | "request" | "rejected") => {
                let kind = match name {
                    "established" => ReportKind::Established,
                    "request" => ReportKind::Requested,
                    _ => ReportKind::Rejected,
                };
                let private_data = record.bytes("private_data");
                let private_data =
                    private_data.map(|it| self.bytes(it, stream, scene)).transpose()?;
                ReportPattern::Setup(Box::new(SetupDue {
                    kind,
                    revision: number("revision")?,
                    markers: record.flag("markers"),
                    crc: record.flag("crc"),
                    ird: number("ird")?,
                    ord: number("ord")?,
                    peer_ird: number("our_ird")?,
                    peer_ord: number("our_ord")?,
                    private_data,
                }))
            }
            "setup_failed" => {
                ReportPattern::SetupFailed(record.word("why").map(|word| match word {
                    "frame" => FailureCode::Frame,
                    "too_long" => FailureCode::Timeout,
                    "lost" => FailureCode::Lost,
                    _ => FailureCode::Options,
                }))
            }
            "fell_back" => ReportPattern::Kind(ReportKind::FellBack),
            "peer_closed" => ReportPattern::Kind(ReportKind::FinishReceived),
            "solicited_event" => ReportPattern::Kind(ReportKind::Solicited),
            other => return Err(format!("there is no report {other}")),
        })
    }
}
