//! From cases to instances that can run: what an instance needs of a target, and what a target can do,
//! by the names that cases use.

use crate::case::step::{Action, Expected};
use crate::case::{Instance, Role};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use warpscope_wire::test_ulp::{
    Abilities, Capabilities as TargetCapabilities, Documents, OperationCode, kind,
};

/// What a name of `needs` asks of what a target reports.
#[derive(Debug, Clone, Copy)]
enum Condition {
    /// The test ULP itself.
    Agent,
    Document(Documents),
    Ability(Abilities),
    Order(u8),
    Operation(OperationCode),
    /// What the test ULP does not report: a profile says it.
    Profile,
}

const NAMES: &[(&str, Condition)] = &[
    ("agent", Condition::Agent),
    ("send", Condition::Operation(OperationCode::Send)),
    ("rdma-write", Condition::Operation(OperationCode::Write)),
    ("rdma-read", Condition::Operation(OperationCode::Read)),
    ("invalidate", Condition::Ability(Abilities::INVALIDATES)),
    ("atomics", Condition::Operation(OperationCode::Atomic)),
    ("immediate", Condition::Operation(OperationCode::Immediate)),
    ("read-v2", Condition::Operation(OperationCode::ReadV2)),
    ("send-immediate", Condition::Document(Documents::EXT_V2)),
    ("flush", Condition::Operation(OperationCode::Flush)),
    ("verify", Condition::Operation(OperationCode::Verify)),
    ("atomic-write", Condition::Operation(OperationCode::AtomicWrite)),
    ("enhanced-setup", Condition::Document(Documents::ENHANCED)),
    ("peer-to-peer", Condition::Ability(Abilities::READY_TO_RECEIVE)),
    ("markers", Condition::Ability(Abilities::MARKERS)),
    ("crc", Condition::Ability(Abilities::CRC)),
    ("private-data", Condition::Ability(Abilities::SEES_PRIVATE_DATA)),
    ("several-streams", Condition::Ability(Abilities::STREAMS)),
    ("opens-streams", Condition::Ability(Abilities::OPENS)),
    ("windows", Condition::Ability(Abilities::WINDOWS)),
    ("protection-domains", Condition::Ability(Abilities::PROTECTION_DOMAINS)),
    ("given-offsets", Condition::Ability(Abilities::BASE_GIVEN)),
    ("fence", Condition::Ability(Abilities::FENCE)),
    ("file-backing", Condition::Ability(Abilities::FILES)),
    ("failing-backing", Condition::Ability(Abilities::FAILING)),
    ("recall", Condition::Order(kind::RECALL)),
    ("solicited-events", Condition::Ability(Abilities::SOLICITED)),
    ("invalidated-tags", Condition::Ability(Abilities::INVALIDATED)),
    ("terminate-reports", Condition::Ability(Abilities::TERMINATES_SENT)),
    ("half-close", Condition::Ability(Abilities::HALF_CLOSE)),
    ("packing", Condition::Ability(Abilities::SEGMENTS)),
    ("rpc-over-rdma", Condition::Profile),
    ("rpc-requester", Condition::Profile),
    ("rpc-private-data", Condition::Profile),
    ("nfs", Condition::Profile),
];

/// What a target can do: names, each with whether it is there. A profile may take away or add.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    names: BTreeMap<&'static str, bool>,
    /// What the target said of its limits; none without the test ULP.
    pub(crate) limits: Option<TargetCapabilities>,
}

impl Capabilities {
    /// Those of a target without the test ULP: a listener, and nothing more.
    pub(crate) fn bare() -> Self {
        let names = Self::all_names().map(|name| (name, false)).collect();
        Self { names, limits: None }
    }

    /// Those that a target reported in answer to the order `capabilities`.
    pub(crate) fn reported(limits: TargetCapabilities) -> Self {
        let there = |asks: Condition| match asks {
            Condition::Agent => true,
            Condition::Document(document) => limits.documents.contains(document),
            Condition::Ability(ability) => limits.abilities.contains(ability),
            Condition::Order(kind) => limits.orders >> kind & 1 == 1,
            Condition::Operation(operation) => limits.operations >> operation.code() & 1 == 1,
            Condition::Profile => false,
        };
        let names = NAMES.iter().map(|(name, asks)| (*name, there(*asks))).collect();
        Self { names, limits: Some(limits) }
    }

    /// What the RPC-over-RDMA side of the target can do: the same, without the test ULP.
    #[must_use]
    pub(crate) fn without_agent(&self) -> Self {
        let mut it = Self { limits: None, ..self.clone() };
        it.set("agent", false);
        it
    }

    /// Every name that `needs` may have.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The names of what it can do, in the order of the alphabet.
    pub fn available(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().filter(|(_, there)| **there).map(|(name, _)| *name)
    }

    /// Says by hand whether something is there, as a target profile does; false when there is no such
    /// name.
    pub(crate) fn set(&mut self, name: &str, there: bool) -> bool {
        self.names.get_mut(name).map(|it| *it = there).is_some()
    }

    /// Whether it can do this; `not-NAME` asks for the opposite.
    pub(crate) fn has(&self, name: &str) -> bool {
        match name.strip_prefix("not-") {
            Some(name) if !self.names.contains_key(&format!("not-{name}").as_str()) => {
                !self.has(name)
            }
            _ => self.names.get(name).copied().unwrap_or(false),
        }
    }

    /// Why an instance with these needs cannot run; none where it can.
    pub(crate) fn lacks<'a>(&self, needs: impl IntoIterator<Item = &'a str>) -> Option<String> {
        let lacking: Vec<&str> = needs.into_iter().filter(|name| !self.has(name)).collect();
        if lacking.is_empty() {
            return None;
        }
        let no_agent = !self.has("agent") && lacking.iter().any(|name| *name != "agent");
        let why = if no_agent { " (the target does not speak the test ULP)" } else { "" };
        Some(format!("the target lacks {}{why}", lacking.join(", ")))
    }
}

/// The documents that are in force in a profile; of RFC 6581 the revision decides.
static PROFILES: LazyLock<[(&str, Documents); 5]> = LazyLock::new(|| {
    [
        ("rfc5040", Documents::NONE),
        ("rfc7306", Documents::EXTENSIONS),
        ("ext-v2", Documents::EXTENSIONS | Documents::EXT_V2),
        ("commit", Documents::EXTENSIONS | Documents::COMMIT),
        ("all", Documents::EXTENSIONS | Documents::EXT_V2 | Documents::COMMIT),
    ]
});

impl Instance {
    pub(crate) fn documents(&self) -> Documents {
        let known = PROFILES.iter().find(|(profile, _)| *profile == self.profile);
        known.map_or(Documents::NONE, |(_, documents)| *documents)
    }

    /// The profile in which these documents are in force; the first, where there is none.
    pub(crate) fn profile_of(documents: Documents) -> &'static str {
        let same = |of: Documents| of | Documents::ENHANCED == documents | Documents::ENHANCED;
        PROFILES.iter().find(|(_, of)| same(*of)).map_or("rfc5040", |(profile, _)| profile)
    }

    /// RV of messages whose case does not say it.
    pub(crate) fn version(&self) -> u64 {
        if matches!(self.profile, "ext-v2" | "all") { 2 } else { 1 }
    }

    /// Whether it is with the RPC-over-RDMA side of the target: its streams go to another address, and
    /// nobody there speaks the test ULP.
    pub(crate) fn uses_rpc(&self) -> bool {
        self.needs.contains(&"rpc-over-rdma")
    }

    /// What the target must be able to do, its role counted.
    pub(crate) fn all_needs(&self) -> Vec<&'static str> {
        if self.role == Role::Initiator {
            return self.needs.clone();
        }
        // Who connects is the requester, whether there is a responder or not.
        let needs = self.needs.iter().copied().filter(|need| *need != "rpc-over-rdma");
        needs.chain([if self.uses_rpc() { "rpc-requester" } else { "opens-streams" }]).collect()
    }

    /// What the target's RPC requester is started for, by names of the target's profile.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Connect(connect) => connect.theirs.text("task"),
            _ => None,
        })
    }

    /// Whether it asks later what the target's buffers held at first.
    pub(crate) fn compares_memory(&self) -> bool {
        self.steps.iter().any(|step| match &step.action {
            Action::Expect(expect) => {
                matches!(&expect.want, Expected::Memory(it) if it.is.is_none())
            }
            _ => false,
        })
    }

    /// Whether the target follows other documents where nothing is said.
    pub(crate) fn changes_documents(&self, capabilities: &Capabilities) -> bool {
        // Of RFC 6581 the revision decides.
        let messages = |documents: Documents| documents | Documents::ENHANCED;
        let usual = capabilities.limits.map(|limits| limits.default_documents);
        usual.is_some_and(|usual| messages(usual) != messages(self.documents()))
    }

    /// Whether nothing else may run at the target meanwhile: it has the target prepare for a stream.
    pub(crate) fn is_exclusive(&self, capabilities: &Capabilities) -> bool {
        !self.uses_rpc()
            && capabilities.has("agent")
            && self.role == Role::Initiator
            && (self.changes_documents(capabilities)
                || self.steps.iter().any(|step| match &step.action {
                    Action::Connect(connect) => connect.prepares(),
                    _ => false,
                }))
    }
}

#[cfg(test)]
mod tests {
    use super::Capabilities;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = Capabilities::all_names().collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn needs_of_a_bare_target() {
        let mut bare = Capabilities::bare();
        assert_eq!(bare.lacks(["not-rdma-read"]), None);
        let why = bare.lacks(["rdma-read", "not-agent"]).unwrap();
        assert!(why.contains("rdma-read") && why.contains("test ULP"), "{why}");
        assert!(bare.set("rdma-read", true) && !bare.set("unheard-of", true));
        assert_eq!(bare.lacks(["rdma-read"]), None);
    }
}
