//! What a target can do, by the names that cases use.

use std::collections::BTreeMap;
use warpscope_wire::test_ulp::{
    Abilities, AccessRights, Capabilities as Told, Documents, Hashes, OperationCode, kind,
};

const DOCUMENTS: &[(&str, Documents)] = &[
    ("rfc7306", Documents::EXTENSIONS),
    ("ext-v2", Documents::EXT_V2),
    ("rdma-commit", Documents::COMMIT),
    ("rfc6581", Documents::ENHANCED),
];

const ABILITIES: &[(&str, Abilities)] = &[
    ("sees-private-data", Abilities::SEES_PRIVATE_DATA),
    ("sets-private-data", Abilities::SETS_PRIVATE_DATA),
    ("deregister", Abilities::DEREGISTERS),
    ("invalidate", Abilities::INVALIDATES),
    ("windows", Abilities::WINDOWS),
    ("file-regions", Abilities::FILES),
    ("solicited-events", Abilities::SOLICITED),
    ("tells-terminates-received", Abilities::TERMINATES_RECEIVED),
    ("tells-terminates-sent", Abilities::TERMINATES_SENT),
    ("opens-streams", Abilities::OPENS),
    ("several-streams", Abilities::STREAMS),
    ("base-given", Abilities::BASE_GIVEN),
    ("base-zero", Abilities::BASE_ZERO),
    ("chooses-markers", Abilities::MARKERS),
    ("chooses-crc", Abilities::CRC),
    ("chooses-revision", Abilities::REVISION),
    ("protection-domains", Abilities::PROTECTION_DOMAINS),
    ("fence", Abilities::FENCE),
    ("tells-invalidated", Abilities::INVALIDATED),
    ("tells-half-close", Abilities::HALF_CLOSE),
    ("chooses-segments", Abilities::SEGMENTS),
    ("chooses-rtr", Abilities::READY_TO_RECEIVE),
    ("chooses-documents", Abilities::DOCUMENTS),
];

const OPERATIONS: &[(&str, OperationCode)] = &[
    ("send", OperationCode::Send),
    ("immediate", OperationCode::Immediate),
    ("rdma-write", OperationCode::Write),
    ("rdma-read", OperationCode::Read),
    ("rdma-read-v2", OperationCode::ReadV2),
    ("atomic", OperationCode::Atomic),
    ("flush", OperationCode::Flush),
    ("verify", OperationCode::Verify),
    ("atomic-write", OperationCode::AtomicWrite),
];

const HASHES: &[(&str, Hashes)] =
    &[("crc32c", Hashes::CRC32C), ("sha256", Hashes::SHA256), ("blake3", Hashes::BLAKE3)];

const RIGHTS: &[(&str, AccessRights)] = &[
    ("right-read", AccessRights::READ),
    ("right-write", AccessRights::WRITE),
    ("right-atomic", AccessRights::ATOMIC),
    ("right-flush-persistent", AccessRights::FLUSH_PERSISTENT),
    ("right-flush-visible", AccessRights::FLUSH_VISIBLE),
    ("right-verify", AccessRights::VERIFY),
];

const ORDERS: &[(&str, u8)] = &[
    ("register", kind::REGISTER),
    ("copy", kind::COPY),
    ("fill", kind::FILL),
    ("checksum", kind::CHECKSUM),
    ("post-receives", kind::RECEIVES),
    ("post-work", kind::WORK),
    ("prepare", kind::PREPARE),
    ("finish", kind::FINISH),
    ("abort", kind::ABORT),
];

/// How the target is reached, by name.
const MODES: &[&str] = &["agent", "several-connections"];

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
        let mut names: BTreeMap<_, _> = Self::all_names().map(|name| (name, false)).collect();
        names.insert("several-connections", true);
        Self { names, told: None, text: String::new() }
    }

    /// Those that a target told in answer to the order `capabilities`.
    pub fn told(told: Told, text: String) -> Self {
        let mut it = Self::bare();
        let mut put = |name, there| it.names.insert(name, there);
        put("agent", true);
        for (name, document) in DOCUMENTS {
            put(name, told.documents.contains(*document));
        }
        for (name, ability) in ABILITIES {
            put(name, told.abilities.contains(*ability));
        }
        for (name, operation) in OPERATIONS {
            put(name, told.operations >> operation.code() & 1 == 1);
        }
        for (name, hash) in HASHES {
            put(name, told.hashes.contains(*hash));
        }
        for (name, right) in RIGHTS {
            put(name, told.rights.contains(*right));
        }
        for (name, kind) in ORDERS {
            put(name, told.orders >> kind & 1 == 1);
        }
        (it.told, it.text) = (Some(told), text);
        it
    }

    /// Every name that `needs` may have.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        let named = DOCUMENTS.iter().map(|it| it.0).chain(ABILITIES.iter().map(|it| it.0));
        let named = named.chain(OPERATIONS.iter().map(|it| it.0));
        let named = named.chain(HASHES.iter().map(|it| it.0)).chain(RIGHTS.iter().map(|it| it.0));
        named.chain(ORDERS.iter().map(|it| it.0)).chain(MODES.iter().copied())
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
