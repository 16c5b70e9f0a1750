//! From cases to instances that can run: what an instance needs of a target, and what a target can do,
//! by the names that cases use.

use crate::case::step::{Action, Content, Expected};
use crate::case::{Bytes, Instance, Role, Value};
use std::collections::BTreeMap;
use strum::VariantArray as _;
use warpscope_agent::{Ability, Capabilities as Reported, Profile};
use warpscope_wire::mpa::MAX_PRIVATE_DATA;

/// What no agent reports: a profile of the target says it.
const BY_HAND: [&str; 6] =
    ["rpc-over-rdma", "rpc-requester", "rpc-private-data", "nfs", "nfs4", "mount"];

/// What a target can do: names, each with whether it is there. A profile may take away or add.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    names: BTreeMap<&'static str, bool>,
    /// What the target's agent said; none without one.
    pub(crate) reported: Option<Reported>,
}

impl Capabilities {
    /// Those of a target without an agent: a listener, and nothing more.
    pub(crate) fn bare() -> Self {
        let names = Self::all_names().map(|name| (name, false)).collect();
        Self { names, reported: None }
    }

    /// Those that an agent reports.
    pub(crate) fn reported(reported: Reported) -> Self {
        let mut it = Self::bare();
        it.set("agent", true);
        for ability in &reported.abilities {
            it.set(ability.into(), true);
        }
        Self { reported: Some(reported), ..it }
    }

    /// What the RPC-over-RDMA side of the target can do: the same, without an agent.
    #[must_use]
    pub(crate) fn without_agent(&self) -> Self {
        let mut it = Self { reported: None, ..self.clone() };
        it.set("agent", false);
        it
    }

    /// Every name that `needs` may have.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        let abilities = Ability::VARIANTS.iter().map(|it| it.into());
        ["agent"].into_iter().chain(abilities).chain(BY_HAND)
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

    /// Why an instance cannot run; none where it can. Memory of a Protection Domain with one stream is that
    /// stream's own.
    pub(crate) fn lacks_for(&self, instance: &Instance) -> Option<String> {
        let alone = self.has("domain-invalidate") && instance.has_one_stream();
        let needs = instance.all_needs().into_iter();
        let lacks = self.lacks(needs.filter(|need| !(alone && *need == "stream-scope")));
        lacks.or_else(|| self.limit_for(instance))
    }

    /// The limit of the target that an instance's orders pass, if there is one.
    fn limit_for(&self, instance: &Instance) -> Option<String> {
        let limits = self.reported.as_ref()?.limits;
        let known = |value: Option<&Value>| value.and_then(Value::known);
        let private_data = |bytes: Option<u64>| {
            // What is longer than any frame may have needs no buffer.
            let legal = bytes.filter(|it| *it <= MAX_PRIVATE_DATA as u64);
            ("length of private data", legal, limits.private_data.into())
        };
        let orders = instance.steps.iter().flat_map(|step| match &step.action {
            Action::Connect(connect) => {
                let (ours, theirs) = (&connect.ours, &connect.theirs);
                vec![
                    ("IRD", known(theirs.number("ird")), u64::from(limits.ird)),
                    ("ORD", known(theirs.number("ord")), limits.ord.into()),
                    ("number of receives", known(ours.number("receives")), limits.receives.into()),
                    (
                        "length of receives",
                        known(ours.number("receive_size")),
                        limits.receive_size.into(),
                    ),
                    private_data(ours.bytes("private_data").and_then(Bytes::length)),
                ]
            }
            Action::Send(send) => match &send.content {
                Content::Message { name, payload, .. } if name.starts_with("mpa_") => {
                    vec![private_data(payload.length())]
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        });
        orders.into_iter().find_map(|(what, asked, most)| {
            let asked = asked.filter(|asked| *asked > most)?;
            Some(format!("the {what} is {asked}, more than the target's {most}"))
        })
    }

    /// Why an instance with these needs cannot run; none where it can.
    pub(crate) fn lacks<'a>(&self, needs: impl IntoIterator<Item = &'a str>) -> Option<String> {
        let lacking: Vec<&str> = needs.into_iter().filter(|name| !self.has(name)).collect();
        if lacking.is_empty() {
            return None;
        }
        let no_agent = !self.has("agent") && lacking.iter().any(|name| *name != "agent");
        let why = if no_agent { " (the target has no agent)" } else { "" };
        Some(format!("the target lacks {}{why}", lacking.join(", ")))
    }
}

impl Instance {
    /// The messages that its streams may carry.
    pub(crate) fn messages(&self) -> Profile {
        self.profile.parse().unwrap_or_default()
    }

    /// RV of messages whose case does not say it.
    pub(crate) fn version(&self) -> u64 {
        if matches!(self.profile, "ext-v2" | "all") { 2 } else { 1 }
    }

    /// Whether its profile allows what a rule, by its id, forbids: rfc5666bis-04 section 5.5 has either side
    /// send RDMA_ERROR.
    pub(crate) fn allows(&self, rule: &str) -> bool {
        self.profile == "5666bis" && rule == "rpc-error-sender"
    }

    /// Whether it is with the RPC-over-RDMA side of the target: its streams go to another address, and
    /// no agent is there.
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

    fn has_one_stream(&self) -> bool {
        let mut streams = self.steps.iter().map(|step| &step.stream);
        let first = streams.next();
        streams.all(|stream| Some(stream) == first)
    }

    /// What the target's RPC requester is started for, by names of the target's profile.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Connect(connect) => connect.theirs.text("task"),
            _ => None,
        })
    }

    /// Whether some step asks that a region of the target is as it was at first.
    pub(crate) fn compares(&self, name: &str) -> bool {
        self.steps.iter().any(|step| match &step.action {
            Action::Expect(expect) => match &expect.want {
                Expected::Memory(it) if it.is.is_none() => {
                    it.region.as_ref().is_none_or(|region| region.name == name)
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// Whether the target's streams usually carry other messages.
    pub(crate) fn changes_messages(&self, capabilities: &Capabilities) -> bool {
        let usual = capabilities.reported.as_ref().map(|it| it.profile);
        usual.is_some_and(|usual| usual != self.messages())
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
        let mut in_cases = crate::case::grammar::CAPABILITIES.to_vec();
        in_cases.sort_unstable();
        assert_eq!(names, in_cases);
    }

    #[test]
    fn needs_of_a_bare_target() {
        let mut bare = Capabilities::bare();
        assert_eq!(bare.lacks(["not-rdma-read"]), None);
        let why = bare.lacks(["rdma-read", "not-agent"]).unwrap();
        assert!(why.contains("rdma-read") && why.contains("no agent"), "{why}");
        assert!(bare.set("rdma-read", true) && !bare.set("unheard-of", true));
        assert_eq!(bare.lacks(["rdma-read"]), None);
    }
}
