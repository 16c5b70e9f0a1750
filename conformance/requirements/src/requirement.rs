//! A requirement, and the words that its entry uses.

use serde::Deserialize;
use std::fmt;
use std::str::FromStr;
use strum::{Display, IntoStaticStr};

/// A document that makes requirements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The prefix of its requirements' ids, such as `RFC5040` or `COMMIT`.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// One normative statement of a document, in the project's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The permanent id: document, section and a running number, such as `RFC5040-4.8-03`.
    pub id: String,
    /// The id of its [`Document`].
    pub document: String,
    /// The section that states it.
    pub section: Section,
    /// How strongly it is stated.
    pub level: Level,
    /// Who has to meet it; at least one party.
    pub binds: Vec<Party>,
    /// What it demands, so that it can be understood without the document.
    pub text: String,
    /// How it can be judged.
    pub judged: Judged,
    /// What a capture must show or a peer must do, or why nothing shows it.
    pub how: String,
    /// Ids of requirements in other places that say the same thing.
    pub same_as: Vec<String>,
    /// The form in which the document states it.
    pub stated: Stated,
}

/// How strongly a requirement is stated, in the words of RFC 2119. SHALL and REQUIRED are MUST,
/// RECOMMENDED is SHOULD, OPTIONAL is MAY.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Display, IntoStaticStr,
)]
pub enum Level {
    /// An absolute demand.
    #[serde(rename = "MUST")]
    #[strum(serialize = "MUST")]
    Must,
    /// An absolute prohibition.
    #[serde(rename = "MUST NOT")]
    #[strum(serialize = "MUST NOT")]
    MustNot,
    /// A demand that good reasons can set aside.
    #[serde(rename = "SHOULD")]
    #[strum(serialize = "SHOULD")]
    Should,
    /// A prohibition that good reasons can set aside.
    #[serde(rename = "SHOULD NOT")]
    #[strum(serialize = "SHOULD NOT")]
    ShouldNot,
    /// A permission, which the other side has to live with.
    #[serde(rename = "MAY")]
    #[strum(serialize = "MAY")]
    May,
}

impl Level {
    /// Returns the word of RFC 2119, in capitals.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Who has to meet a requirement. This list is complete: the files use no other word.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Display, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Party {
    /// Whoever sends the frame, segment or message in question.
    Sender,
    /// Whoever receives it.
    Receiver,
    /// Either end, whatever its role.
    Both,
    /// The end that the payload comes from.
    #[serde(rename = "data source")]
    #[strum(serialize = "data source")]
    DataSource,
    /// The end that the payload goes to.
    #[serde(rename = "data sink")]
    #[strum(serialize = "data sink")]
    DataSink,
    /// The end that opens the connection (MPA).
    Initiator,
    /// The end that answers an MPA request, an RDMA Read or Atomic Request, or an RPC call.
    Responder,
    /// The end that asks, with an RDMA Read or Atomic Request, or an RPC call.
    Requester,
    /// The protocol above, and its interface to the one below.
    Ulp,
    /// The protocol below, and its interface to the one above.
    Llp,
    /// The implementation as such, an RNIC or software: what it offers and protects, at either end.
    Implementation,
    /// The component that allocates local resources to local users (RFC 5042 §2.1).
    #[serde(rename = "resource manager")]
    #[strum(serialize = "resource manager")]
    ResourceManager,
    /// The IPsec services beneath the connection, at either end.
    Ipsec,
}

impl Party {
    /// Returns the word that the files use.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// How it can be judged whether a requirement is met.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Display, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Judged {
    /// From a capture, and possibly by a peer too.
    Passive,
    /// Only by a peer that provokes it, or by a second look at the target.
    Active,
    /// By nothing outside the implementation.
    Unobservable,
}

impl Judged {
    /// Returns the word that the files use.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The form in which a document states a requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stated {
    /// Running text with one of the words of [`Level`].
    #[default]
    Text,
    /// Running text without such a word.
    Plain,
    /// A table of values.
    Table,
    /// A figure that shows a layout.
    Figure,
}

/// The number of a section, such as `4.8`, `7.1.2` or, in an appendix, `A.1`. Sections are ordered as in the
/// text: `4`, `4.8`, `4.10`, `A`, `A.1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Section(Vec<Part>);

/// The part between two dots of a section number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Part {
    Number(u16),
    Appendix(char),
}

/// A text that is not a section number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is no section: write it as `4.8`, or `A.1` in an appendix")]
pub struct NoSection(String);

impl Section {
    /// Whether this section is `outer` or is within it: `7.1.2` is within `7.1` and `7`.
    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }
}

impl FromStr for Section {
    type Err = NoSection;

    fn from_str(text: &str) -> Result<Self, NoSection> {
        let read = |(index, part): (usize, &str)| match part.as_bytes() {
            [letter @ b'A'..=b'Z'] if index == 0 => Some(Part::Appendix(char::from(*letter))),
            [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
                part.parse().ok().map(Part::Number)
            }
            _ => None,
        };
        let parts: Option<Vec<Part>> = text.split('.').enumerate().map(read).collect();
        parts.map(Self).ok_or_else(|| NoSection(text.to_owned()))
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            match part {
                Part::Number(number) => write!(f, "{dot}{number}")?,
                Part::Appendix(letter) => write!(f, "{dot}{letter}")?,
            }
        }
        Ok(())
    }
}

/// Returns a document's name as people write it: `RFC 5041` for `RFC5041`, the name of a draft.
pub fn document_name(id: &str) -> String {
    match (id, id.strip_prefix("RFC")) {
        (_, Some(number)) => format!("RFC {number}"),
        ("EXT04", _) => "rdmap-ext-04".to_owned(),
        ("EXTV2", _) => "rdmap-ext-v2".to_owned(),
        ("COMMIT", _) => "rdma-commit".to_owned(),
        ("BIS04", _) => "rfc5666bis-04".to_owned(),
        ("SMBD", _) => "MS-SMBD".to_owned(),
        ("NVME", _) => "NVMe Base 2.0".to_owned(),
        _ => id.to_owned(),
    }
}
