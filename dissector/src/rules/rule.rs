//! What a rule is, and the list of them.

use super::catalogue;

/// How strictly a document demands something (RFC 2119).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// The side that did not do what was due.
    Receiver,
    /// Either: the capture does not tell.
    Either,
}

/// A passive rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name: layer and what is wrong, as `ddp-msn-sequence`.
    pub id: &'static str,
    /// The requirements that it judges, by their ids in the catalogue of requirements; the first is
    /// the one that a finding names.
    pub requirements: &'static [&'static str],
    /// The section that the first one is from, as `RFC 5041 section 5.1`.
    pub section: &'static str,
    /// How strictly it is demanded.
    pub level: Level,
    /// What is demanded, in a sentence.
    pub title: &'static str,
    /// What a finding means for the user: what goes wrong, and where to look.
    pub meaning: &'static str,
    /// Who is at fault.
    pub fault: Fault,
    /// Layer, error type and code of the Terminate that it deserves, when it deserves one.
    pub terminate: Option<(u8, u8, u8)>,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl Eq for Rule {}

static RULES: &[&[&Rule]] = &[
    catalogue::setup::RULES,
    catalogue::fpdu::RULES,
    catalogue::ddp::RULES,
    catalogue::rdmap::RULES,
    catalogue::operation::RULES,
    catalogue::terminate::RULES,
    catalogue::rpc::RULES,
    catalogue::rpc_exchange::RULES,
];

/// Every rule, layer by layer.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().flat_map(|rules| rules.iter().copied())
}

/// The rule of that name, or the first that judges that requirement.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id).or_else(|| all().find(|rule| rule.requirements.contains(&id)))
}
