//! What either analyzer says about each message, field by field.

use super::accepted::{ACCEPTED, accepted};
use super::datagrams;
use super::messages::Message;
use crate::prelude::*;
use warpscope_dissector::tree::Location;

/// The most differences that are kept for the message.
const MOST_DIFFERENCES: usize = 60;

/// The values of each field, joined.
#[derive(Default)]
struct Values {
    texts: HashMap<&'static str, String>,
    tree: Tree,
}

impl Visit for Values {
    fn value(&mut self, field: &'static Field, datum: Datum<'_>, _: Option<Place>) {
        let value = match datum {
            Datum::Heading => Value::None,
            Datum::Number(number) => Value::Unsigned(number),
            Datum::Bytes(bytes) => self.tree.bytes_value(bytes),
            Datum::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned().into()),
            Datum::Time(time) => Value::Time(time),
            Datum::Derived(text) => Value::Text(text.to_owned().into()),
        };
        let location = Location::default();
        let node = Node { field, depth: 0, generated: false, value, location, note: None };
        let text = self.texts.entry(field.name).or_default();
        if !text.is_empty() {
            text.push('|');
        }
        self.tree.value_text(&node, text);
    }
}

/// The fields that are compared: all that both have. tshark writes absolute times in words; their seconds
/// have a field of their own.
fn compared() -> Vec<&'static Field> {
    field::all()
        .filter(|field| ["nfs", "mount", "nfsacl"].contains(&field.protocol()))
        .filter(|field| field.origin == Origin::Wireshark && field.name.contains('.'))
        .filter(|field| !matches!(field.kind, Kind::Protocol | Kind::AbsoluteTime))
        .collect()
}

/// What comparing came to.
#[derive(Default)]
pub struct Outcome {
    /// Values that both have and that are the same.
    pub same: u64,
    /// Differences that nothing explains, in words.
    pub differences: Vec<String>,
    /// How many differences each entry of the table covered.
    covered: HashMap<usize, u64>,
}

impl Outcome {
    /// The reasons of entries that covered nothing.
    pub fn unused(&self) -> Vec<&'static str> {
        let entries = ACCEPTED.iter().enumerate();
        let unused = entries.filter(|(index, _)| !self.covered.contains_key(index));
        unused.map(|(_, entry)| entry.reason).collect()
    }
}

/// Compares what the two say.
pub fn compare(name: &str, messages: &[Message], outcome: &mut Outcome) {
    let fields = compared();
    let path = datagrams::write(name, messages);
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let lines = tshark::lines(&path, &["-2"], &names);
    assert_eq!(lines.len(), messages.len(), "{name}: tshark counts other frames");
    let mut same = 0_u64;
    for (number, (message, line)) in messages.iter().zip(&lines).enumerate() {
        if !message.whole {
            continue;
        }
        let mut ours = Values::default();
        let body = Body::new(message.body());
        let walked = walk(&message.procedure, message.direction, &body, &mut ours);
        let place = format!(
            "{name} message {} ({} {:?} {:?})",
            number + 1,
            message.name,
            message.procedure.name(),
            message.direction
        );
        if let Err(unreadable) = walked {
            outcome.differences.push(format!("{place}: {unreadable}"));
        }
        for (field, theirs) in fields.iter().zip(line.split('\t')) {
            let theirs = theirs.replace("True", "1").replace("False", "0");
            let our = ours.texts.get(field.name).map_or("", String::as_str);
            if our == theirs {
                same += our.split('|').filter(|value| !value.is_empty()).count() as u64;
                continue;
            }
            if let Some(entry) = accepted(field.name, message, our, &theirs) {
                *outcome.covered.entry(entry).or_default() += 1;
                continue;
            }
            if outcome.differences.len() < MOST_DIFFERENCES {
                let what = format!("{place}: {}", field.name);
                outcome.differences.push(format!("{what}: ours {our:?}, tshark's {theirs:?}"));
            }
        }
    }
    println!("{name}: {} messages, {same} values the same", messages.len());
    outcome.same += same;
}
