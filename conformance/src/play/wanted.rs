//! A message that is wanted, judged by the layouts.

use crate::engine::expect::{ByHand, Judged, framing};
use crate::engine::{MessageSeen, What};
use crate::layout::{Fields, Given, Layouts};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a field must be, with all variables known.
#[derive(Debug, Clone)]
pub(super) enum Due {
    Is(u64),
    Octets(Vec<u8>),
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
    /// Variables, each with the field that it gets.
    pub(super) bind: Vec<(String, String)>,
}

impl Due {
    fn misses(&self, value: &Given) -> bool {
        let number = value.number();
        let with = |test: &dyn Fn(u64) -> bool| !number.is_some_and(test);
        match self {
            Self::Any => false,
            Self::Octets(due) => !matches!(value, Given::Octets(octets) if octets == due),
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
    /// Its octets, and the fields that they have. The octets of a message in several segments are those
    /// of the first header and of all payload.
    fn read(&self, what: &What) -> Result<(Vec<u8>, Fields), String> {
        let octets = match what {
            What::Setup(setup) => setup.octets.clone(),
            What::Message(message) => whole(message),
            other => return Err(other.words()),
        };
        let message = self.layouts.message(&self.name);
        let message = message.ok_or_else(|| format!("there is no message {}", self.name))?;
        let carried = message.carrier() == crate::layout::Carrier::Fpdu;
        if carried != matches!(what, What::Message(_)) {
            return Err(format!("it is another message: {}", what.words()));
        }
        let fields = message
            .read(&octets)
            .map_err(|_| format!("it is too short, or another message: {}", what.words()))?;
        if let What::Message(seen) = what {
            if !message.is(&fields) {
                return Err(format!("it is another message: {}", what.words()));
            }
            if let Some(why) = framing(seen) {
                return Err(why);
            }
        } else if message.name().ends_with("request") == octets.starts_with(b"MPA ID Rep") {
            return Err(format!("it is another frame: {}", what.words()));
        }
        Ok((octets, fields))
    }

    /// What follows its headers.
    fn payload_of(octets: &[u8], fields: &Fields) -> Vec<u8> {
        match fields.octets("private_data") {
            Some(data) => data.to_vec(),
            None => octets.get(fields.length()..).unwrap_or_default().to_vec(),
        }
    }

    fn differs(&self, what: &What) -> Option<String> {
        let (octets, fields) = match self.read(what) {
            Ok(read) => read,
            Err(why) => return Some(why),
        };
        if let Some(why) = differing("", &self.fields, &fields) {
            return Some(why);
        }
        let due = self.payload.as_ref()?;
        let came = Self::payload_of(&octets, &fields);
        crate::engine::expect::PayloadMatch::Is(due.clone()).misses(&came)
    }

    /// Gives the variables their values.
    pub(super) fn bind(
        &self,
        what: &What,
        numbers: &mut BTreeMap<String, u64>,
        octets: &mut BTreeMap<String, Vec<u8>>,
    ) {
        let Ok((all, fields)) = self.read(what) else { return };
        for (variable, field) in &self.bind {
            if field == "payload" {
                octets.insert(variable.clone(), Self::payload_of(&all, &fields));
                continue;
            }
            match fields.field(field).map(|field| &field.value) {
                Ok(Given::Number(number)) => {
                    numbers.insert(variable.clone(), *number);
                }
                Ok(Given::Octets(value)) => {
                    octets.insert(variable.clone(), value.clone());
                }
                _ => {}
            }
        }
    }
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
                Some(format!("{name} has {came} elements, not {due}"))
            }
            due => Some(format!("{name} is {}, not {due:?}", shown(&field.value))),
        }
    })
}

fn whole(message: &MessageSeen) -> Vec<u8> {
    let first = message.segments.first();
    let header = first.map_or(0, |it| it.header_length());
    let mut octets = message.first().get(..header).unwrap_or(message.first()).to_vec();
    // L is that of the last segment: the message is whole.
    if let (Some(octet), Some(last)) = (octets.first_mut(), message.last().first()) {
        *octet |= last & 0x40;
    }
    octets.extend_from_slice(&message.payload);
    octets
}

fn shown(value: &Given) -> String {
    match value {
        Given::Number(number) => format!("{number:#x}"),
        Given::Octets(octets) => format!("{octets:02x?}"),
        Given::List(_) => "a list".to_owned(),
    }
}

impl ByHand for Wanted {
    fn words(&self) -> String {
        let mut words = self.name.clone();
        for (name, due) in &self.fields {
            words.push_str(&format!(", {name} {due:x?}"));
        }
        if let Some(payload) = &self.payload {
            words.push_str(&format!(", {} certain octets", payload.len()));
        }
        words
    }

    fn judge(&self, what: &What) -> Judged {
        match self.differs(what) {
            None => Judged::Matches,
            Some(why) => Judged::Differs(why),
        }
    }
}
