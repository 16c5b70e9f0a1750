//! What a target can do, by the names that cases use.

use std::collections::BTreeMap;
use warpscope_wire::test_ulp::{Abilities, Capabilities as Told, Documents, OperationCode, kind};

/// What a name of `needs` asks of what a target tells.
#[derive(Debug, Clone, Copy)]
enum Asks {
    /// The test ULP itself.
    Agent,
    /// A document.
    Document(Documents),
    /// Abilities, all of them.
    Ability(Abilities),
    /// An order, by its kind.
    Order(u8),
    /// An operation.
    Operation(OperationCode),
    /// What the test ULP does not tell: a profile says it.
    Profile,
}

/// The names, and what they ask for.
const NAMES: &[(&str, Asks)] = &[
    ("agent", Asks::Agent),
    ("send", Asks::Operation(OperationCode::Send)),
    ("rdma-write", Asks::Operation(OperationCode::Write)),
    ("rdma-read", Asks::Operation(OperationCode::Read)),
    ("invalidate", Asks::Ability(Abilities::INVALIDATES)),
    ("atomics", Asks::Operation(OperationCode::Atomic)),
    ("immediate", Asks::Operation(OperationCode::Immediate)),
    ("read-v2", Asks::Operation(OperationCode::ReadV2)),
    ("send-immediate", Asks::Document(Documents::EXT_V2)),
    ("flush", Asks::Operation(OperationCode::Flush)),
    ("verify", Asks::Operation(OperationCode::Verify)),
    ("atomic-write", Asks::Operation(OperationCode::AtomicWrite)),
    ("enhanced-setup", Asks::Document(Documents::ENHANCED)),
    ("peer-to-peer", Asks::Ability(Abilities::READY_TO_RECEIVE)),
    ("markers", Asks::Ability(Abilities::MARKERS)),
    ("crc", Asks::Ability(Abilities::CRC)),
    ("private-data", Asks::Ability(Abilities::SEES_PRIVATE_DATA)),
    ("several-streams", Asks::Ability(Abilities::STREAMS)),
    ("opens-streams", Asks::Ability(Abilities::OPENS)),
    ("windows", Asks::Ability(Abilities::WINDOWS)),
    ("protection-domains", Asks::Ability(Abilities::PROTECTION_DOMAINS)),
    ("given-offsets", Asks::Ability(Abilities::BASE_GIVEN)),
    ("fence", Asks::Ability(Abilities::FENCE)),
    ("file-backing", Asks::Ability(Abilities::FILES)),
    ("failing-backing", Asks::Ability(Abilities::FAILING)),
    ("recall", Asks::Order(kind::RECALL)),
    ("solicited-events", Asks::Ability(Abilities::SOLICITED)),
    ("invalidated-tags", Asks::Ability(Abilities::INVALIDATED)),
    ("terminate-reports", Asks::Ability(Abilities::TERMINATES_SENT)),
    ("half-close", Asks::Ability(Abilities::HALF_CLOSE)),
    ("packing", Asks::Ability(Abilities::SEGMENTS)),
    ("rpc-over-rdma", Asks::Profile),
    ("rpc-requester", Asks::Profile),
    ("rpc-private-data", Asks::Profile),
    ("nfs", Asks::Profile),
];

/// What a target can do: names, each with whether it is there. A profile may take away or add.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    names: BTreeMap<&'static str, bool>,
    /// What the target said of its limits; none without the test ULP.
    pub told: Option<Told>,
    /// What the target is, in its words.
    pub text: String,
}

impl Capabilities {
    /// Those of a target without the test ULP: a listener, and nothing more.
    pub fn bare() -> Self {
        let names = Self::all_names().map(|name| (name, false)).collect();
        Self { names, told: None, text: String::new() }
    }

    /// Those that a target told in answer to the order `capabilities`.
    pub fn told(told: Told, text: String) -> Self {
        let there = |asks: Asks| match asks {
            Asks::Agent => true,
            Asks::Document(document) => told.documents.contains(document),
            Asks::Ability(ability) => told.abilities.contains(ability),
            Asks::Order(kind) => told.orders >> kind & 1 == 1,
            Asks::Operation(operation) => told.operations >> operation.code() & 1 == 1,
            Asks::Profile => false,
        };
        let names = NAMES.iter().map(|(name, asks)| (*name, there(*asks))).collect();
        Self { names, told: Some(told), text }
    }

    /// What the RPC-over-RDMA side of the target can do: the same, without the test ULP.
    #[must_use]
    pub fn without_agent(&self) -> Self {
        let mut it = Self { told: None, ..self.clone() };
        it.set("agent", false);
        it
    }

    /// Every name that `needs` may have.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The names with whether they are there, in the order of the alphabet.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.names.iter().map(|(name, there)| (*name, *there))
    }

    /// Says by hand whether something is there, as a target profile does; false when there is no such
    /// name.
    pub fn set(&mut self, name: &str, there: bool) -> bool {
        self.names.get_mut(name).map(|it| *it = there).is_some()
    }

    /// Whether it can do this; `not-NAME` asks for the opposite.
    pub fn has(&self, name: &str) -> bool {
        match name.strip_prefix("not-") {
            Some(name) if !self.names.contains_key(&format!("not-{name}").as_str()) => {
                !self.has(name)
            }
            _ => self.names.get(name).copied().unwrap_or(false),
        }
    }

    /// Why an instance with these needs cannot run; none where it can.
    pub fn lacks<'a>(&self, needs: impl IntoIterator<Item = &'a str>) -> Option<String> {
        let lacking: Vec<&str> = needs.into_iter().filter(|name| !self.has(name)).collect();
        if lacking.is_empty() {
            return None;
        }
        let no_agent = !self.has("agent") && lacking.iter().any(|name| *name != "agent");
        let why = if no_agent { " (the target does not speak the test ULP)" } else { "" };
        Some(format!("the target lacks {}{why}", lacking.join(", ")))
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
