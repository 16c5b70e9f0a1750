//! Expected messages, judged by the layouts.

use crate::case::step::{FieldMatchers, Matcher, MessagePattern, Ulpdus};
use crate::format::{self, number};
use crate::layout::{Carrier, Fields, Given, Layouts, Message};
use crate::stream::{CrcSeen, MessageSeen, Received};
use warpscope_text::counted;

/// Known faults in a target's bytes, according to the passive rules that its profile excuses. Everything else
/// is judged.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownFaults {
    /// Pad bytes are not zero.
    pad: bool,
    /// Terminate Control is filled from its low end, and is read that way.
    pub(super) low_end: bool,
    /// The DDP Segment Length of a Terminate is not the segment's.
    pub(super) length: bool,
    /// The headers in a Terminate are not those of the segment.
    pub(super) echo: bool,
}

impl KnownFaults {
    /// Returns the faults whose rules are excused.
    pub(crate) fn excused(is_excused: impl Fn(&str) -> bool) -> Self {
        Self {
            pad: is_excused("mpa-pad"),
            low_end: is_excused("rdmap-terminate-control"),
            length: is_excused("rdmap-terminate-segment-length"),
            echo: is_excused("rdmap-terminate-echo"),
        }
    }
}

/// The parameters in force on a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Protocol<'a> {
    pub(crate) layouts: &'a Layouts,
    /// RV of the messages whose RV depends on the documents in force.
    pub(crate) version: u64,
    /// The known faults in its bytes.
    pub(crate) faults: KnownFaults,
}

impl Protocol<'_> {
    /// Returns RV of a message; `None` if it is fixed, because the drafts define it for their own messages.
    pub(crate) fn version_of(&self, message: &Message) -> Option<u64> {
        matches!(message.profile(), "rfc5040" | "rfc7306").then_some(self.version)
    }
}

impl Matcher<Given> {
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Any => "of any value".to_owned(),
            Self::Is(value) => display(value),
            Self::Not(value) => format!("other than {}", display(value)),
            Self::AtLeast(value) => format!("at least {}", display(value)),
            Self::AtMost(value) => format!("at most {}", display(value)),
            Self::OneOf(values) => values.iter().map(display).collect::<Vec<_>>().join(" or "),
            Self::MultipleOf(value) => format!("a multiple of {}", display(value)),
            Self::Total(sums) => format!("in total ({})", describe_fields(sums).join(", ")),
            Self::List(elements) if elements.is_empty() => "without elements".to_owned(),
            Self::List(elements) => {
                let element = |element| match describe_fields(element).join(", ") {
                    fields if fields.is_empty() => "anything".to_owned(),
                    fields => format!("({fields})"),
                };
                format!("[{}]", elements.iter().map(element).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Returns the words that follow the value that came instead.
    fn describe_difference(&self) -> String {
        match self {
            Self::Not(_) => ", which it must not be".to_owned(),
            other => format!(", not {}", other.describe()),
        }
    }

    /// Whether a value is as required. Of a list, the value is the number of elements that were read.
    pub(super) fn accepts(&self, value: &Given) -> bool {
        let compare = |other: &Given, test: fn(u64, u64) -> bool| {
            value.number().zip(other.number()).is_some_and(|(value, other)| test(value, other))
        };
        match self {
            Self::Any => true,
            Self::Is(other) => value == other,
            Self::Not(other) => compare(other, |value, other| value != other),
            Self::AtLeast(other) => compare(other, |value, other| value >= other),
            Self::AtMost(other) => compare(other, |value, other| value <= other),
            Self::OneOf(others) => others.contains(value),
            Self::MultipleOf(other) => {
                compare(other, |value, other| value.checked_rem(other) == Some(0))
            }
            Self::List(elements) => value.number() == Some(elements.len() as u64),
            // The sums are compared one by one.
            Self::Total(_) => true,
        }
    }
}

impl MessagePattern<Given> {
    pub(crate) fn describe(&self) -> String {
        let mut words = describe_fields(&self.fields);
        for (ulpdus, matcher) in &self.lengths {
            let each = match ulpdus {
                Ulpdus::All => "each ULPDU",
                Ulpdus::AllButLast => "each ULPDU but the last",
            };
            words.push(format!("{each} {} bytes long", matcher.describe()));
        }
        let count = |value: &Option<Given>| value.as_ref().and_then(Given::number);
        words.extend(count(&self.segments).map(|it| format!("in {}", counted(it, "segment"))));
        words.extend(
            count(&self.last_payload)
                .map(|it| format!("{} in the last segment", counted(it, "byte"))),
        );
        words.extend(self.payload.iter().map(|it| format!("payload {}", display(it))));
        let name = format::message(&self.name);
        if words.is_empty() { name } else { format!("{name} ({})", words.join(", ")) }
    }

    /// Returns why what came does not match; `None` if it matches.
    pub(crate) fn difference(&self, received: &Received, protocol: Protocol<'_>) -> Option<String> {
        let (bytes, fields) = match self.read(received, protocol) {
            Ok(read) => read,
            Err(why) => return Some(why),
        };
        let differs = field_difference("", &self.fields, &fields)
            .or_else(|| self.length_difference(received))
            .or_else(|| self.segment_difference(received));
        match &self.payload {
            Some(Given::Bytes(payload)) if differs.is_none() => {
                payload_differs(&payload_of(&bytes, &fields), payload)
            }
            _ => differs,
        }
    }

    /// Returns the values that the variables receive.
    pub(crate) fn bind(&self, received: &Received, protocol: Protocol<'_>) -> Vec<(String, Given)> {
        let Ok((bytes, fields)) = self.read(received, protocol) else { return Vec::new() };
        let value = |field: &str| match field {
            "payload" => Some(Given::Bytes(payload_of(&bytes, &fields))),
            field => fields.find(field).map(|field| field.value.clone()),
        };
        let bound =
            self.bind.iter().map(|(variable, field)| Some((variable.clone(), value(field)?)));
        bound.flatten().collect()
    }

    /// Returns its bytes and their fields. For a message in several segments, these are the first header and
    /// the payload of all segments.
    fn read(
        &self,
        received: &Received,
        protocol: Protocol<'_>,
    ) -> Result<(Vec<u8>, Fields), String> {
        let bytes = match received {
            Received::Setup(setup) => setup.bytes.clone(),
            Received::Message(message) => whole(message),
            other => return Err(other.describe()),
        };
        let message = protocol.layouts.message(&self.name);
        let message = message.ok_or_else(|| format!("there is no message {}", self.name))?;
        let another = || format!("it is another message: {}", received.describe());
        if (message.carrier() == Carrier::Fpdu) != matches!(received, Received::Message(_)) {
            return Err(another());
        }
        let fields = message
            .read(&bytes)
            .map_err(|_| format!("it is too short, or another message: {}", received.describe()))?;
        if let Received::Message(seen) = received {
            let version = fields.number("rdma_version");
            let stated = self.fields.iter().any(|(name, _)| name == "rdma_version");
            if !message.is_in_version(&fields, version) {
                return Err(another());
            }
            if !stated && !message.is_in_version(&fields, protocol.version_of(message)) {
                return Err(format!("RV is {}: {}", version.unwrap_or(0), received.describe()));
            }
            if let Some(why) = framing_fault(seen, protocol.faults) {
                return Err(why);
            }
        } else if message.name().ends_with("request") == bytes.starts_with(b"MPA ID Rep") {
            return Err(format!("it is another frame: {}", received.describe()));
        }
        Ok((bytes, fields))
    }

    fn segment_difference(&self, received: &Received) -> Option<String> {
        let Received::Message(seen) = received else { return None };
        let count = seen.segments.len() as u64;
        let last = seen.segments.last().map_or(0, |it| it.payload().len() as u64);
        let differs = |name: &str, expected: &Option<Given>, came: u64| {
            let expected = expected.as_ref()?.number()?;
            (expected != came).then(|| format!("{name} is {came}, not {expected}"))
        };
        differs("the number of its segments", &self.segments, count)
            .or_else(|| differs("the length of its last segment", &self.last_payload, last))
    }

    fn length_difference(&self, received: &Received) -> Option<String> {
        let Received::Message(message) = received else { return None };
        self.lengths.iter().find_map(|(ulpdus, matcher)| {
            let count = match ulpdus {
                Ulpdus::All => message.segments.len(),
                Ulpdus::AllButLast => message.segments.len().saturating_sub(1),
            };
            let lengths = message.segments.iter().take(count).map(|it| it.ulpdu.len() as u64);
            let (length, place) =
                lengths.zip(1..).find(|(it, _)| !matcher.accepts(&Given::Number(*it)))?;
            let (bytes, difference) = (counted(length, "byte"), matcher.describe_difference());
            Some(format!("ULPDU {place} has {bytes}{difference}"))
        })
    }
}

pub(super) fn display(value: &Given) -> String {
    match value {
        Given::Number(value) => number(*value),
        Given::Bytes(bytes) => format::bytes(bytes),
        Given::List(_) => "a list".to_owned(),
    }
}

fn describe_fields(fields: &FieldMatchers<Given>) -> Vec<String> {
    fields.iter().map(|(name, matcher)| format!("{name} {}", matcher.describe())).collect()
}

/// Returns the first field that is not as required, and how it differs.
fn field_difference(
    prefix: &str,
    expected: &FieldMatchers<Given>,
    fields: &Fields,
) -> Option<String> {
    expected.iter().find_map(|(name, matcher)| {
        let name = format!("{prefix}{name}");
        let Some(field) = fields.find(&name) else { return Some(format!("it has no {name}")) };
        let came = display(&field.value);
        match (matcher, matcher.accepts(&field.value)) {
            (Matcher::List(elements), true) => {
                let mut elements = elements.iter().enumerate();
                elements.find_map(|(at, element)| {
                    field_difference(&format!("{name}[{at}]."), element, fields)
                })
            }
            (Matcher::Total(sums), _) => {
                let elements = field.value.number().unwrap_or_default();
                sums.iter().find_map(|(part, matcher)| {
                    let parts = (0..elements).filter_map(|at| {
                        fields.find(&format!("{name}[{at}].{part}"))?.value.number()
                    });
                    let sum = Given::Number(parts.fold(0, u64::wrapping_add));
                    let says = (display(&sum), matcher.describe_difference());
                    (!matcher.accepts(&sum))
                        .then(|| format!("{name} has {} of {part} in total{}", says.0, says.1))
                })
            }
            (_, true) => None,
            (Matcher::List(elements), false) => {
                let s = if came == "1" { "" } else { "s" };
                Some(format!("{name} has {came} element{s}, not {}", elements.len()))
            }
            (matcher, false) => Some(format!("{name} is {came}{}", matcher.describe_difference())),
        }
    })
}

/// Returns the bytes after a message's headers.
fn payload_of(bytes: &[u8], fields: &Fields) -> Vec<u8> {
    match fields.bytes("private_data") {
        Some(data) => data.to_vec(),
        None => bytes.get(fields.length()..).unwrap_or_default().to_vec(),
    }
}

pub(super) fn whole(message: &MessageSeen) -> Vec<u8> {
    let first = message.segments.first();
    let header = first.map_or(0, |it| it.header_length());
    let mut bytes = message.first().get(..header).unwrap_or(message.first()).to_vec();
    // L is that of the last segment, because the message is complete.
    if let (Some(byte), Some(last)) = (bytes.first_mut(), message.last().first()) {
        *byte |= last & 0x40;
    }
    bytes.extend_from_slice(&message.payload);
    bytes
}

/// Returns what is wrong with a message's FPDUs, or with how its segments fit together.
pub(super) fn framing_fault(message: &MessageSeen, known: KnownFaults) -> Option<String> {
    if let Some(fault) = message.faults.first() {
        return Some(fault.clone());
    }
    message.segments.iter().find_map(|segment| {
        if let CrcSeen::Wrong(field, expected) = segment.crc {
            return Some(format!("its CRC field is {field:#010x}, not {expected:#010x}"));
        }
        if !known.pad && segment.pad.iter().any(|byte| *byte != 0) {
            return Some("its pad is not zero".to_owned());
        }
        let wrong = |it: &&crate::stream::MarkerSeen| it.pointer != it.expected || it.reserved != 0;
        let marker = segment.markers.iter().find(wrong)?;
        Some(format!(
            "the marker at {} has FPDUPTR {:#x}, not {:#x}, and reserved {:#x}",
            marker.position, marker.pointer, marker.expected, marker.reserved
        ))
    })
}

/// Returns where bytes first differ from the expected bytes; `None` if they are equal.
pub(crate) fn payload_differs(bytes: &[u8], expected: &[u8]) -> Option<String> {
    if bytes == expected {
        return None;
    }
    let pairs = bytes.iter().zip(expected).enumerate();
    let first = pairs.into_iter().find(|(_, (came, expected))| came != expected);
    Some(match first {
        Some((at, (came, expected))) => format!("byte {at} is {came:#04x}, not {expected:#04x}"),
        None => {
            let (came, expected) =
                (counted(bytes.len() as u64, "byte"), number(expected.len() as u64));
            let are = if bytes.len() == 1 { "is" } else { "are" };
            format!("{came} {are} there, not {expected}")
        }
    })
}
