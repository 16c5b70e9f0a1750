//! A requirement, and the words that its entry is made of.

use std::fmt;

use serde::Deserialize;

use crate::Section;

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
    /// Its name for good: document, section and a running number, such as `RFC5040-4.8-03`.
    pub id: String,
    /// The id of its [`Document`].
    pub document: String,
    /// The section that states it.
    pub section: Section,
    /// How strongly it is stated.
    pub level: Level,
    /// Who has to keep it; at least one.
    pub binds: Vec<Party>,
    /// What it demands, understood without the document at hand.
    pub text: String,
    /// How it can be judged.
    pub judged: Judged,
    /// What a capture must show or a peer must do, or why nothing shows it.
    pub how: String,
    /// Ids of requirements elsewhere that say the same thing.
    pub same_as: Vec<String>,
    /// What the document states it with.
    pub stated: Stated,
}

/// How strongly a requirement is stated, in the words of RFC 2119. SHALL and REQUIRED are MUST,
/// RECOMMENDED is SHOULD, OPTIONAL is MAY.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub enum Level {
    /// An absolute demand.
    #[serde(rename = "MUST")]
    Must,
    /// An absolute prohibition.
    #[serde(rename = "MUST NOT")]
    MustNot,
    /// A demand that good reasons can set aside.
    #[serde(rename = "SHOULD")]
    Should,
    /// A prohibition that good reasons can set aside.
    #[serde(rename = "SHOULD NOT")]
    ShouldNot,
    /// A permission, which the other side has to live with.
    #[serde(rename = "MAY")]
    May,
}

impl Level {
    /// The word of RFC 2119, in capitals.
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::MustNot => "MUST NOT",
            Self::Should => "SHOULD",
            Self::ShouldNot => "SHOULD NOT",
            Self::May => "MAY",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Who has to keep a requirement. This is the whole list: the files use no other word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Party {
    /// Whoever sends the frame, segment or message in question.
    Sender,
    /// Whoever receives it.
    Receiver,
    /// Either end, whatever its role.
    Both,
    /// The end that the payload comes from.
    #[serde(rename = "data source")]
    DataSource,
    /// The end that the payload goes to.
    #[serde(rename = "data sink")]
    DataSink,
    /// The end that opens the connection (MPA).
    Initiator,
    /// The end that answers an MPA request, an RDMA Read or Atomic Request, or an RPC call.
    Responder,
    /// The end that asks: with an RDMA Read or Atomic Request, or an RPC call.
    Requester,
    /// The protocol above, and its interface to the one below.
    Ulp,
    /// The protocol below, and its interface to the one above.
    Llp,
    /// The implementation as such, an RNIC or software: what it offers and guards, at either end.
    Implementation,
    /// What hands out local resources to local users (RFC 5042 §2.1).
    #[serde(rename = "resource manager")]
    ResourceManager,
    /// The IPsec services beneath the connection, at either end.
    Ipsec,
}

impl Party {
    /// The word that the files use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Receiver => "receiver",
            Self::Both => "both",
            Self::DataSource => "data source",
            Self::DataSink => "data sink",
            Self::Initiator => "initiator",
            Self::Responder => "responder",
            Self::Requester => "requester",
            Self::Ulp => "ulp",
            Self::Llp => "llp",
            Self::Implementation => "implementation",
            Self::ResourceManager => "resource manager",
            Self::Ipsec => "ipsec",
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// How it can be judged whether a requirement is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// From a capture, and perhaps by a peer too.
    Passive,
    /// Only by a peer that provokes it, or by a second look at the target.
    Active,
    /// By nothing outside the implementation.
    Unobservable,
}

impl Judged {
    /// The word that the files use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passive => "passive",
            Self::Active => "active",
            Self::Unobservable => "unobservable",
        }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What a document states a requirement with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stated {
    /// Running text, with one of the words that [`Level`] knows.
    #[default]
    Text,
    /// Running text without such a word.
    Plain,
    /// A table of values.
    Table,
    /// A figure of a layout.
    Figure,
}

/// A document as people write it: `RFC 5041` for `RFC5041`, the name of a draft.
pub fn document_name(id: &str) -> String {
    match (id, id.strip_prefix("RFC")) {
        (_, Some(number)) => format!("RFC {number}"),
        ("EXTV2", _) => "rdmap-ext-v2".to_owned(),
        ("COMMIT", _) => "rdma-commit".to_owned(),
        _ => id.to_owned(),
    }
}
