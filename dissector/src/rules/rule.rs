//! The rule type, and the list of all rules.

use super::catalogue;
use crate::flow::ConnectionInfo;
use crate::mpa::Side;

/// How strictly a document requires something (RFC 2119): in text `MUST` or `SHOULD`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display, strum::IntoStaticStr,
)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Level {
    /// SHOULD or SHOULD NOT.
    Should,
    /// MUST or MUST NOT.
    Must,
}

/// Who breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The side that sent the bytes.
    Sender,
    /// The side that did not do what was required.
    Receiver,
    /// Either: the capture does not tell.
    Either,
}

/// A passive rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name: layer and what is wrong, such as `ddp-msn-sequence`.
    pub id: &'static str,
    /// The requirements that it judges, by their ids in the catalogue of requirements; a finding names the
    /// first one.
    pub requirements: &'static [&'static str],
    /// How strictly it is required.
    pub level: Level,
    /// The requirement, in a sentence.
    pub title: &'static str,
    /// What a finding means for the user: what goes wrong, and where to look.
    pub meaning: &'static str,
    /// Who is at fault.
    pub fault: Fault,
    /// Layer, error type and code of the Terminate that it deserves, if it deserves one.
    pub terminate: Option<(u8, u8, u8)>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl Eq for Rule {}

/// The documents whose names are not in the ids of their requirements.
const DOCUMENTS: &[(&str, &str)] = &[
    ("COMMIT", "rdma-commit"),
    ("EXTV2", "rdmap-ext-v2"),
    ("NVME", "NVMe Base 2.0"),
    ("SMBD", "MS-SMBD"),
];

impl Rule {
    /// Returns the section of the first requirement, such as `RFC 5041 section 5.1`.
    pub fn section(&self) -> String {
        let first = self.requirements.first().copied().unwrap_or_default();
        let (document, rest) = first.split_once('-').unwrap_or_default();
        let section = rest.rsplit_once('-').map_or(rest, |(section, _)| section);
        if let Some(number) = document.strip_prefix("RFC") {
            return format!("RFC {number} section {section}");
        }
        let name = DOCUMENTS.iter().find(|(id, _)| *id == document).map_or(document, |it| it.1);
        format!("{name} section {section}")
    }

    /// Describes in one line that the rule is broken: its name, its section and its requirement.
    pub fn broken(&self) -> String {
        let title = self.title.trim_end_matches('.');
        format!("rule {} is broken ({}): {title}", self.id, self.section())
    }
}

static RULES: &[&[&Rule]] = &[
    catalogue::setup::RULES,
    catalogue::fpdu::RULES,
    catalogue::ddp::RULES,
    catalogue::rdmap::RULES,
    catalogue::operation::RULES,
    catalogue::terminate::RULES,
    catalogue::rpc::RULES,
    catalogue::rpc_exchange::RULES,
    super::smb_direct::catalogue::RULES,
    super::iser::catalogue::RULES,
    super::nvme::catalogue::RULES,
];

/// Returns every rule, layer by layer.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().flat_map(|rules| rules.iter().copied())
}

/// Returns the rule with this name, or the first that judges this requirement.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id).or_else(|| all().find(|rule| rule.requirements.contains(&id)))
}

/// Where in the capture something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The side whose stream it is in.
    pub side: Side,
    /// The frame that completed it; for something that is missing, the last frame that was seen of it.
    pub frame: u64,
    /// When that frame was captured, in nanoseconds since 1970.
    pub time: Option<i64>,
    /// Stream offset of the item that contains it, in bytes from the first byte of the direction.
    pub stream_offset: Option<u64>,
    /// The number of the RDMAP message within its direction.
    pub message: Option<u64>,
}

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Where the rule was broken: connection, side, frame, message.
    pub place: Place,
    /// The side at fault, if the rule and the capture tell.
    pub at_fault: Option<Side>,
    /// What was seen and what was expected, in a sentence with the values.
    pub explanation: String,
}

/// Declares rules: name, id, level and fault, requirements, Terminate, title, meaning.
/// `RULES` lists them.
macro_rules! rules {
    ($(
        $name:ident: $id:literal, $level:ident, $fault:ident,
        [$($requirement:literal),+], $terminate:expr,
        $title:literal,
        $meaning:literal;
    )+) => {
        $(
            pub(in crate::rules) static $name: $crate::rules::rule::Rule = $crate::rules::rule::Rule {
                id: $id,
                requirements: &[$($requirement),+],
                level: $crate::rules::rule::Level::$level,
                title: $title,
                meaning: $meaning,
                fault: $crate::rules::rule::Fault::$fault,
                terminate: $terminate,
            };
        )+

        /// The rules of this group.
        pub(in crate::rules) static RULES: &[&$crate::rules::rule::Rule] = &[$(&$name),+];
    };
}
pub(super) use rules;
