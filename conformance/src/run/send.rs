//! Executes send steps.

use super::executor::{Executor, Stop};
use crate::case::Role;
use crate::case::step::{Content, CrcFault, Cut, Framing, MarkerFault, Send};
use crate::layout::{Carrier, Given, Message};
use crate::stream::{CrcStyle, Cuts, Delivery, FpduStyle, MarkerStyle, Part};
use std::time::Duration;

/// The lengths of a tagged and of an untagged segment's header, in bytes.
const HEADERS: (usize, usize) = (14, 18);

impl Executor<'_> {
    pub(super) fn send(&mut self, stream: u32, send: &Send) -> Result<(), Stop> {
        let style = self.style(stream, &send.framing)?;
        let mut after = None;
        let mut frame = false;
        let parts = match &send.content {
            Content::Raw(bytes) => vec![Part::Raw(self.bytes(bytes, stream)?)],
            Content::Ulpdu(bytes) => {
                vec![Part::Ulpdu(self.bytes(bytes, stream)?, style)]
            }
            Content::Message { name, fields, payload } => {
                let message = self.layouts.message(name);
                let message = message.ok_or_else(|| format!("there is no message {name}"))?;
                let mut given = self.given_fields(fields, stream)?;
                let payload = self.bytes(payload, stream)?;
                if message.carrier() == Carrier::Stream {
                    frame = true;
                    let bytes = message.compose(&given, &payload);
                    vec![Part::Frame(bytes.map_err(|error| error.to_string())?)]
                } else {
                    let room = self.optional_number(send.framing.segment.as_ref(), stream)?;
                    after = self.sequence(stream, message, &mut given);
                    let longest =
                        self.raw(stream).ok_or("the stream is not connected")?.longest_ulpdu();
                    let room = room.map(|it| it as usize);
                    let segments = segments(message, &given, &payload, room, longest)?;
                    segments.into_iter().map(|it| Part::Ulpdu(it, style.clone())).collect()
                }
            }
        };
        if let Some(name) = &send.name {
            let held = self.held.get(&stream).map_or(&[][..], Vec::as_slice);
            let waiting = held.iter().filter(|it| matches!(it, Part::Ulpdu(..))).count();
            let before = self.raw(stream).map_or(0, |raw| raw.sent().len());
            self.sent.insert(name.clone(), (stream, before + waiting));
        }
        let mut all = self.held.remove(&stream).unwrap_or_default();
        all.extend(parts);
        if let Some(keep) = &send.framing.keep {
            let keep = self.number(keep, stream)?;
            all.push(Part::KeptBack(keep as usize));
        }
        if send.hold {
            self.held.insert(stream, all);
        } else {
            let delivery = self.delivery(stream, &send.framing, frame)?;
            if matches!(delivery.cuts, Cuts::Whole) && !delivery.gap.is_zero() {
                self.wait(delivery.gap);
            }
            self.send_cut(stream, &all, &delivery)?;
        }
        if let Some((queue, sequence)) = after {
            self.stream(stream)?.raw.set_sequence(queue, sequence);
        }
        Ok(())
    }

    pub(super) fn send_parts(&mut self, stream: u32, parts: &[Part]) -> Result<(), Stop> {
        self.send_cut(stream, parts, &Delivery::default())
    }

    fn send_cut(&mut self, stream: u32, parts: &[Part], delivery: &Delivery) -> Result<(), Stop> {
        let delay = self.session.first_fpdu_delay;
        let initiates = self.instance.role == Role::Initiator;
        if initiates && !delay.is_zero() && !parts.iter().all(|it| matches!(it, Part::Frame(_))) {
            let state = self.stream(stream)?;
            if state.raw.peer_setup().is_some() && state.raw.sent().is_empty() {
                self.wait(delay);
            }
        }
        // What came in the meantime decides what was agreed, and what is answered first.
        self.session.pump(Duration::ZERO);
        let writes = self.stream(stream)?.raw.send_cut(parts, delivery);
        Ok(self.session.write(stream, &writes)?)
    }

    /// Gives an untagged message the next MSN of its queue, and any message the RV of the profile, unless the
    /// case gives them. Returns the queue and the next MSN.
    fn sequence(
        &self,
        stream: u32,
        message: &Message,
        given: &mut Vec<(String, Given)>,
    ) -> Option<(u32, u32)> {
        let named = |given: &[(String, Given)], field: &str| {
            given.iter().any(|(name, _)| message.full_name(name).is_ok_and(|it| it == field))
        };
        let version = self.protocol().version_of(message);
        if message.find("rdma_version").is_some() && !named(given, "rdma_version") {
            given.extend(version.map(|it| ("rdma_version".to_owned(), Given::Number(it))));
        }
        let field = "message_sequence_number";
        let usual = |name: &str| {
            let mut values = message.values().iter();
            values.find(|(known, _)| known == name).and_then(|(_, value)| value.number())
        };
        if message.find(field).is_none() || named(given, field) || usual(field).is_some() {
            return None;
        }
        let queue = given.iter().find_map(|(name, value)| {
            let full = message.full_name(name).ok()?;
            (full == "queue_number").then(|| value.number())?
        });
        let queue = queue.or_else(|| usual("queue_number")).unwrap_or(0) as u32;
        let sequence = self.raw(stream)?.next_sequence(queue);
        given.push((field.to_owned(), Given::Number(sequence.into())));
        Some((queue, sequence.wrapping_add(1)))
    }

    fn style(&self, stream: u32, framing: &Framing) -> Result<FpduStyle, String> {
        let number = |value: &crate::case::Value| self.number(value, stream);
        let crc = match &framing.crc {
            None => CrcStyle::Agreed,
            Some(CrcFault::Bad) => CrcStyle::Wrong,
            Some(CrcFault::Is(value)) => CrcStyle::Is(number(value)? as u32),
        };
        let markers = match &framing.marker {
            None => MarkerStyle::Right,
            Some(MarkerFault::Bad) => MarkerStyle::PointerOff(4),
            Some(MarkerFault::Pointer(value)) => MarkerStyle::PointerIs(number(value)? as u16),
            Some(MarkerFault::Reserved(value)) => MarkerStyle::Reserved(number(value)? as u16),
            Some(MarkerFault::Missing) => MarkerStyle::LeftOut,
        };
        let pad = self.optional_bytes(framing.pad.as_ref(), stream)?;
        let length = framing.length.as_ref().map(number).transpose()?.map(|it| it as u16);
        Ok(FpduStyle { crc, length, pad, markers })
    }

    fn delivery(&self, stream: u32, framing: &Framing, frame: bool) -> Result<Delivery, String> {
        let cuts = match &framing.cut {
            None | Some(Cut::Whole) => Cuts::Whole,
            Some(Cut::OneByte) => Cuts::Every(1),
            // In a setup frame: within the key, and within PD_Length.
            Some(Cut::HeaderSplit) if frame => Cuts::At(vec![8, 19]),
            Some(Cut::HeaderSplit) => Cuts::At(vec![1, 10]),
            Some(Cut::At(values)) => {
                let places = values.iter().map(|it| self.number(it, stream));
                let places: Vec<u64> = places.collect::<Result<_, _>>()?;
                Cuts::At(places.into_iter().map(|it| it as usize).collect())
            }
        };
        Ok(Delivery { cuts, gap: framing.delay.unwrap_or(Duration::ZERO) })
    }
}

/// Returns a message's segments: one, or several if DDP may split it and it does not fit. `room` is the
/// maximum payload, if the case gives it, and `longest` the longest ULPDU.
fn segments(
    message: &Message,
    given: &[(String, Given)],
    payload: &[u8],
    room: Option<usize>,
    longest: usize,
) -> Result<Vec<Vec<u8>>, String> {
    let tagged = message.find("tagged_offset").is_some();
    let (place, header) =
        if tagged { ("tagged_offset", HEADERS.0) } else { ("message_offset", HEADERS.1) };
    let compose = |given: &[(String, Given)], payload: &[u8]| {
        message.compose(given, payload).map_err(|error| error.to_string())
    };
    let whole = compose(given, payload)?;
    let room = room.unwrap_or(longest.saturating_sub(header)).max(1);
    let (front, rest) = whole.split_at(header.min(whole.len()));
    if !message.may_be_split() || rest.len() <= room {
        return Ok(vec![whole]);
    }
    let named = |field: &str| {
        given.iter().rev().find_map(|(name, value)| {
            let full = message.full_name(name).ok()?;
            (full == field).then(|| value.number())?
        })
    };
    let (begin, last) = (named(place).unwrap_or(0), named("last").unwrap_or(1));
    let count = rest.len().div_ceil(room);
    let mut segments = Vec::with_capacity(count);
    for (index, piece) in rest.chunks(room).enumerate() {
        let mut values = given.to_vec();
        let offset = begin.wrapping_add((index * room) as u64);
        values.push((place.to_owned(), Given::Number(offset)));
        let end = if index + 1 == count { last } else { 0 };
        values.push(("last".to_owned(), Given::Number(end)));
        let mut segment = compose(&values, &[])?;
        segment.truncate(front.len());
        segment.extend_from_slice(piece);
        segments.push(segment);
    }
    Ok(segments)
}
