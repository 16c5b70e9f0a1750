//! A message that is wanted, judged by the layouts.

use super::script::has_the_version;
use crate::case::step::Ulpdus;
use crate::engine::expect::{ByHand, Judged, framing};
use crate::engine::shown::{self, counted, number};
use crate::engine::{MessageSeen, What};
use crate::layout::{Fields, Given, Layouts, Message};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a field must be, with all variables known.
#[derive(Debug, Clone)]
pub(super) enum Due {
    Is(u64),
    Bytes(Vec<u8>),
    Not(u64),
    AtLeast(u64),
    AtMost(u64),
    OneOf(Vec<u64>),
    MultipleOf(u64),
    Any,
    /// A list of so many elements.
    List(Vec<Vec<(String, Due)>>),
}

/// A message that is wanted.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) layouts: Arc<Layouts>,
    pub(super) name: String,
    pub(super) fields: Vec<(String, Due)>,
    pub(super) payload: Option<Vec<u8>>,
    /// How long its ULPDUs must be.
    pub(super) lengths: Vec<(Ulpdus, Due)>,
    /// In how many segments it comes.
    pub(super) segments: Option<u64>,
    /// How many bytes its last segment has behind the DDP header.
    pub(super) last_payload: Option<u64>,
    /// RV of the messages that the documents in force give theirs.
    pub(super) version: u64,
    /// Variables, each with the field that it gets.
    pub(super) bind: Vec<(String, String)>,
}

impl Due {
    /// It in words.
    fn describe(&self) -> String {
        match self {
            Self::Any => "of any value".to_owned(),
            Self::Is(due) => number(*due),
            Self::Bytes(due) => shown::bytes(due),
            Self::Not(due) => format!("other than {}", number(*due)),
            Self::AtLeast(due) => format!("at least {}", number(*due)),
            Self::AtMost(due) => format!("at most {}", number(*due)),
            Self::OneOf(due) => due.iter().map(|it| number(*it)).collect::<Vec<_>>().join(" or "),
            Self::MultipleOf(due) => format!("a multiple of {}", number(*due)),
            Self::List(due) => {
                let elements: Vec<String> = due
                    .iter()
                    .map(|element| match in_words(element).join(", ") {
                        fields if fields.is_empty() => "anything".to_owned(),
                        fields => format!("({fields})"),
                    })
                    .collect();
                match elements.is_empty() {
                    true => "without elements".to_owned(),
                    false => format!("[{}]", elements.join(", ")),
                }
            }
        }
    }

    /// What stands behind the value that came.
    fn instead(&self) -> String {
        match self {
            Self::Not(_) => ", which it must not be".to_owned(),
            due => format!(", not {}", due.describe()),
        }
    }

    fn misses(&self, value: &Given) -> bool {
        let number = value.number();
        let with = |test: &dyn Fn(u64) -> bool| !number.is_some_and(test);
        match self {
            Self::Any => false,
            Self::Bytes(due) => !matches!(value, Given::Bytes(bytes) if bytes == due),
            Self::Is(due) => with(&|it| it == *due),
            Self::Not(due) => with(&|it| it != *due),
            Self::AtLeast(due) => with(&|it| it >= *due),
            Self::AtMost(due) => with(&|it| it <= *due),
            Self::OneOf(due) => with(&|it| due.contains(&it)),
            Self::MultipleOf(due) => with(&|it| it.checked_rem(*due) == Some(0)),
            Self::List(due) => with(&|it| it == due.len() as u64),
        }
    }
}

impl Wanted {
    /// Its bytes, and the fields that they have. The bytes of a message in several segments are those
    /// of the first header and of all payload.
    fn read(&self, what: &What) -> Result<(Vec<u8>, Fields), String> {
        let bytes = match what {
            What::Setup(setup) => setup.bytes.clone(),
            What::Message(message) => whole(message),
            other => return Err(other.describe()),
        };
        let message = self.layouts.message(&self.name);
        let message = message.ok_or_else(|| format!("there is no message {}", self.name))?;
        let carried = message.carrier() == crate::layout::Carrier::Fpdu;
        if carried != matches!(what, What::Message(_)) {
            return Err(format!("it is another message: {}", what.describe()));
        }
        let fields = message
            .read(&bytes)
            .map_err(|_| format!("it is too short, or another message: {}", what.describe()))?;
        if let What::Message(seen) = what {
            let came = fields.number("rdma_version");
            let said = self.fields.iter().any(|(name, _)| name == "rdma_version");
            if !message.is_in_version(&fields, came) {
                return Err(format!("it is another message: {}", what.describe()));
            }
            if !said && !message.is_in_version(&fields, self.due_version(message)) {
                return Err(format!("RV is {}: {}", came.unwrap_or(0), what.describe()));
            }
            if let Some(why) = framing(seen) {
                return Err(why);
            }
        } else if message.name().ends_with("request") == bytes.starts_with(b"MPA ID Rep") {
            return Err(format!("it is another frame: {}", what.describe()));
        }
        Ok((bytes, fields))
    }

    fn due_version(&self, message: &Message) -> Option<u64> {
        has_the_version(message).then_some(self.version)
    }

    /// What is wrong with how it is cut into segments.
    fn cut(&self, what: &What) -> Option<String> {
        let What::Message(seen) = what else { return None };
        let count = seen.segments.len() as u64;
        let last = seen.segments.last().map_or(0, |it| it.payload().len() as u64);
        let differs = |name: &str, due: Option<u64>, came: u64| {
            let due = due?;
            (due != came).then(|| format!("{name} is {came}, not {due}"))
        };
        differs("the number of its segments", self.segments, count)
            .or_else(|| differs("the length of its last segment", self.last_payload, last))
    }

    /// What follows its headers.
    fn payload_of(bytes: &[u8], fields: &Fields) -> Vec<u8> {
        match fields.bytes("private_data") {
            Some(data) => data.to_vec(),
            None => bytes.get(fields.length()..).unwrap_or_default().to_vec(),
        }
    }

    fn differs(&self, what: &What) -> Option<String> {
        let (bytes, fields) = match self.read(what) {
            Ok(read) => read,
            Err(why) => return Some(why),
        };
        if let Some(why) = differing("", &self.fields, &fields) {
            return Some(why);
        }
        if let Some(why) = self.misses_length(what).or_else(|| self.cut(what)) {
            return Some(why);
        }
        let due = self.payload.as_ref()?;
        let came = Self::payload_of(&bytes, &fields);
        crate::engine::expect::PayloadMatch::Is(due.clone()).misses(&came)
    }

    fn misses_length(&self, what: &What) -> Option<String> {
        let What::Message(message) = what else { return None };
        self.lengths.iter().find_map(|(ulpdus, due)| {
            let count = match ulpdus {
                Ulpdus::All => message.segments.len(),
                Ulpdus::AllButLast => message.segments.len().saturating_sub(1),
            };
            let lengths = message.segments.iter().take(count).map(|it| it.ulpdu.len() as u64);
            let wrong = lengths.zip(1..).find(|(it, _)| due.misses(&Given::Number(*it)));
            wrong.map(|(it, place)| {
                format!("ULPDU {place} has {}{}", counted(it, "byte"), due.instead())
            })
        })
    }

    /// Gives the variables their values.
    pub(super) fn bind(
        &self,
        what: &What,
        numbers: &mut BTreeMap<String, u64>,
        bytes: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let Ok((all, fields)) = self.read(what) else { return };
        for (variable, field) in &self.bind {
            if field == "payload" {
                bytes.insert(variable.clone(), Self::payload_of(&all, &fields));
                continue;
            }
            match fields.field(field).map(|field| &field.value) {
                Ok(Given::Number(number)) => {
                    numbers.insert(variable.clone(), *number);
                }
                Ok(Given::Bytes(value)) => {
                    bytes.insert(variable.clone(), value.clone());
                }
                _ => {}
            }
        }
    }
}

/// What fields must be, each in words.
fn in_words(fields: &[(String, Due)]) -> Vec<String> {
    fields.iter().map(|(name, due)| format!("{name} {}", due.describe())).collect()
}

/// The first field that is not as it must be, and how.
fn differing(prefix: &str, due: &[(String, Due)], fields: &Fields) -> Option<String> {
    due.iter().find_map(|(name, due)| {
        let name = format!("{prefix}{name}");
        let Ok(field) = fields.field(&name) else { return Some(format!("it has no {name}")) };
        match due {
            due if !due.misses(&field.value) => {
                let Due::List(elements) = due else { return None };
                let mut elements = elements.iter().enumerate();
                elements.find_map(|(at, due)| differing(&format!("{name}[{at}]."), due, fields))
            }
            Due::List(elements) => {
                let (came, due) = (shown(&field.value), elements.len());
                let s = if came == "1" { "" } else { "s" };
                Some(format!("{name} has {came} element{s}, not {due}"))
            }
            due => Some(format!("{name} is {}{}", shown(&field.value), due.instead())),
        }
    })
}

fn whole(message: &MessageSeen) -> Vec<u8> {
    let first = message.segments.first();
    let header = first.map_or(0, |it| it.header_length());
    let mut bytes = message.first().get(..header).unwrap_or(message.first()).to_vec();
    // L is that of the last segment: the message is whole.
    if let (Some(byte), Some(last)) = (bytes.first_mut(), message.last().first()) {
        *byte |= last & 0x40;
    }
    bytes.extend_from_slice(&message.payload);
    bytes
}

fn shown(value: &Given) -> String {
    match value {
        Given::Number(value) => number(*value),
        Given::Bytes(bytes) => shown::bytes(bytes),
        Given::List(_) => "a list".to_owned(),
    }
}

impl ByHand for Wanted {
    fn describe(&self) -> String {
        let mut said: Vec<String> = Vec::new();
        said.extend(in_words(&self.fields));
        for (ulpdus, due) in &self.lengths {
            let each = match ulpdus {
                Ulpdus::All => "each ULPDU",
                Ulpdus::AllButLast => "each ULPDU but the last",
            };
            said.push(format!("{each} {} bytes long", due.describe()));
        }
        said.extend(self.segments.map(|count| format!("in {}", counted(count, "segment"))));
        said.extend(
            self.last_payload
                .map(|length| format!("{} in the last segment", counted(length, "byte"))),
        );
        said.extend(self.payload.iter().map(|it| format!("payload {}", shown::bytes(it))));
        let name = shown::message(&self.name);
        if said.is_empty() { name } else { format!("{name} ({})", said.join(", ")) }
    }

    fn judge(&self, what: &What) -> Judged {
        match self.differs(what) {
            None => Judged::Matches,
            Some(why) => Judged::Differs(why),
        }
    }
}

/// A message of this RV, whatever it is.
#[derive(Debug)]
pub(super) struct OfVersion(pub(super) u64);

impl ByHand for OfVersion {
    fn describe(&self) -> String {
        format!("RV {}", self.0)
    }

    fn judge(&self, what: &What) -> Judged {
        let What::Message(seen) = what else { return Judged::Differs(what.describe()) };
        let version = seen.first().get(1).map_or(0, |byte| u64::from(byte >> 6));
        if version == self.0 {
            return Judged::Matches;
        }
        Judged::Differs(format!("RV is {version}, not {}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Link, LinkOptions};
    use std::time::Duration;

    /// What came of a reply that accepts, without CRCs, and of these ULPDUs.
    fn message(ulpdus: &[&[u8]]) -> What {
        let mut link = Link::new(LinkOptions::default());
        link.receive(Duration::ZERO, b"MPA ID Rep Frame\x00\x01\x00\x00");
        for ulpdu in ulpdus {
            let mut fpdu = (ulpdu.len() as u16).to_be_bytes().to_vec();
            fpdu.extend_from_slice(ulpdu);
            fpdu.resize(fpdu.len().next_multiple_of(4), 0);
            fpdu.extend([0; 4]);
            link.receive(Duration::ZERO, &fpdu);
        }
        link.arrivals().last().unwrap().what.clone()
    }

    /// An untagged segment of queue 0, MSN 1: DDP control, RDMAP control, MO, payload.
    fn segment(ddp: u8, rdmap: u8, offset: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![ddp, rdmap, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, offset];
        bytes.extend_from_slice(payload);
        bytes
    }

    fn wanted(name: &str, version: u64) -> Wanted {
        Wanted {
            layouts: Arc::new(Layouts::builtin().unwrap()),
            name: name.to_owned(),
            fields: Vec::new(),
            payload: None,
            lengths: Vec::new(),
            segments: None,
            last_payload: None,
            version,
            bind: Vec::new(),
        }
    }

    fn why(wanted: &Wanted, what: &What) -> String {
        match wanted.judge(what) {
            Judged::Differs(why) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_message_has_the_version_of_the_documents_in_force() {
        let (first, second) = (segment(0x41, 0x43, 0, b"x"), segment(0x41, 0x83, 0, b"x"));
        let (first, second) = (message(&[&first]), message(&[&second]));
        assert_eq!(wanted("send", 1).judge(&first), Judged::Matches);
        assert_eq!(wanted("send", 2).judge(&second), Judged::Matches);
        assert!(why(&wanted("send", 2), &first).starts_with("RV is 1: "));
        assert!(why(&wanted("send", 1), &second).starts_with("RV is 2: "));
        assert!(why(&wanted("immediate_data", 2), &second).contains("another message"));
        let said = vec![("rdma_version".to_owned(), Due::Is(2))];
        let said = Wanted { fields: said, ..wanted("send", 1) };
        assert_eq!(said.judge(&second), Judged::Matches);
        assert!(why(&said, &first).contains("rdma_version is 1, not 2"));
        assert_eq!(OfVersion(2).judge(&second), Judged::Matches);
        assert!(matches!(OfVersion(1).judge(&second), Judged::Differs(_)));
        // The drafts say it of their own messages.
        let flush = message(&[&segment(0x41, 0x4d, 0, b"")]);
        assert_eq!(wanted("flush_response", 2).judge(&flush), Judged::Matches);
    }

    #[test]
    fn segments_are_counted() {
        let (first, last) = (segment(0x01, 0x93, 0, &[1; 20]), segment(0x41, 0x93, 20, &[2; 8]));
        let came = message(&[&first, &last]);
        let due = |segments, last_payload| Wanted {
            segments: Some(segments),
            last_payload: Some(last_payload),
            ..wanted("send_with_immediate", 2)
        };
        assert_eq!(due(2, 8).judge(&came), Judged::Matches);
        assert_eq!(why(&due(1, 8), &came), "the number of its segments is 2, not 1");
        assert_eq!(why(&due(2, 28), &came), "the length of its last segment is 8, not 28");
    }

    #[test]
    fn what_is_wanted_and_what_came_are_told_in_words() {
        let due = |name: &str, due| (name.to_owned(), due);
        let reply = Wanted {
            fields: vec![
                due("revision", Due::Is(1)),
                due("key", Due::Bytes(b"MPA ID Rep Frame".to_vec())),
                due("private_data_length", Due::AtMost(512)),
                due("crc_wanted", Due::Is(1)),
            ],
            ..wanted("mpa_reply", 1)
        };
        assert_eq!(
            reply.describe(),
            "an MPA Reply (revision 1, key \"MPA ID Rep Frame\", private_data_length at most 512, \
             crc_wanted 1)"
        );
        let mut link = Link::new(LinkOptions::default());
        link.receive(Duration::ZERO, b"MPA ID Rep Frame\x00\x01\x00\x00");
        let came = link.arrivals().last().unwrap().what.clone();
        assert_eq!(why(&reply, &came), "crc_wanted is 0, not 1");

        let came = message(&[&segment(0x41, 0x43, 0, &[1; 20])]);
        let due = |fields| Wanted { fields, ..wanted("send", 1) };
        let not = due(vec![("message_offset".to_owned(), Due::Not(0))]);
        assert_eq!(not.describe(), "a Send (message_offset other than 0)");
        assert_eq!(why(&not, &came), "message_offset is 0, which it must not be");
        let either = due(vec![("queue_number".to_owned(), Due::OneOf(vec![1, 0x1_0000]))]);
        assert_eq!(either.describe(), "a Send (queue_number 1 or 0x10000)");
        assert_eq!(why(&either, &came), "queue_number is 0, not 1 or 0x10000");
        let cut = Wanted {
            lengths: vec![(Ulpdus::AllButLast, Due::MultipleOf(4)), (Ulpdus::All, Due::AtMost(20))],
            segments: Some(1),
            payload: Some(vec![0; 20]),
            ..wanted("send", 1)
        };
        assert_eq!(
            cut.describe(),
            "a Send (each ULPDU but the last a multiple of 4 bytes long, each ULPDU at most 20 bytes \
             long, in 1 segment, payload 00 00 00 00 00 00 00 00 ... (20 bytes))"
        );
        assert_eq!(why(&cut, &came), "ULPDU 1 has 38 bytes, not at most 20");
        assert!(!format!("{}{}", reply.describe(), cut.describe()).contains("Some("));
    }
}
