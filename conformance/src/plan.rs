//! From cases to instances that can run: what an instance needs of a target, and what a target can do, by the
//! names used in cases.

use crate::case::step::{Action, Content, Expected};
use crate::case::{Bytes, Instance, Role, Value};
use std::collections::BTreeMap;
use strum::VariantArray as _;
use warpscope_agent::{Ability, Capabilities as Reported, Profile};
use warpscope_wire::mpa::MAX_PRIVATE_DATA;

/// Capabilities that no agent reports: a target profile gives them.
const BY_HAND: [&str; 6] =
    ["rpc-over-rdma", "rpc-requester", "rpc-private-data", "nfs", "nfs4", "mount"];

/// What a target can do: names, each with whether it is available. A profile may add or remove them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    names: BTreeMap<&'static str, bool>,
    /// What the target's agent reported; `None` without an agent.
    pub(crate) reported: Option<Reported>,
}

impl Capabilities {
    /// Returns those of a target without an agent, which is only a listener.
    pub(crate) fn bare() -> Self {
        let names = Self::all_names().map(|name| (name, false)).collect();
        Self { names, reported: None }
    }

    /// Returns those that an agent reports.
    pub(crate) fn reported(reported: Reported) -> Self {
        let mut it = Self::bare();
        it.set("agent", true);
        for ability in &reported.abilities {
            it.set(ability.into(), true);
        }
        Self { reported: Some(reported), ..it }
    }

    /// Returns what the target's RPC-over-RDMA side can do: the same, without an agent.
    #[must_use]
    pub(crate) fn without_agent(&self) -> Self {
        let mut it = Self { reported: None, ..self.clone() };
        it.set("agent", false);
        it
    }

    /// Returns every name that `needs` may have.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        let abilities = Ability::VARIANTS.iter().map(|it| it.into());
        ["agent"].into_iter().chain(abilities).chain(BY_HAND)
    }

    /// Returns the names of what it can do, in alphabetical order.
    pub fn available(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().filter(|(_, there)| **there).map(|(name, _)| *name)
    }

    /// Sets by hand whether something is available, as a target profile does. Returns false if the name is
    /// unknown.
    pub(crate) fn set(&mut self, name: &str, there: bool) -> bool {
        self.names.get_mut(name).map(|it| *it = there).is_some()
    }

    /// Whether it has this capability; `not-NAME` asks for the opposite.
    pub(crate) fn has(&self, name: &str) -> bool {
        match name.strip_prefix("not-") {
            Some(name) if !self.names.contains_key(&format!("not-{name}").as_str()) => {
                !self.has(name)
            }
            _ => self.names.get(name).copied().unwrap_or(false),
        }
    }

    /// Returns why an instance cannot run; `None` if it can. The memory of a Protection Domain with one
    /// stream belongs to that stream.
    pub(crate) fn lacks_for(&self, instance: &Instance) -> Option<String> {
        let alone = self.has("domain-invalidate") && instance.has_one_stream();
        let needs = instance.all_needs().into_iter();
        let lacks = self.lacks(needs.filter(|need| !(alone && *need == "stream-scope")));
        lacks.or_else(|| self.limit_for(instance))
    }

    /// Returns the limit of the target that an instance's orders exceed, if there is one.
    fn limit_for(&self, instance: &Instance) -> Option<String> {
        let limits = self.reported.as_ref()?.limits;
        let known = |value: Option<&Value>| value.and_then(Value::known);
        let private_data = |bytes: Option<u64>| {
            // Data that is too long for any frame needs no buffer.
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

    /// Returns why an instance with these needs cannot run; `None` if it can.
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
    /// Returns the profile of the messages that its streams may carry.
    pub(crate) fn messages(&self) -> Profile {
        self.profile.parse().unwrap_or_default()
    }

    /// Returns RV of messages whose case does not give it.
    pub(crate) fn version(&self) -> u64 {
        if matches!(self.profile, "ext-v2" | "all") { 2 } else { 1 }
    }

    /// Whether its profile allows what the rule with this id forbids: rfc5666bis-04 section 5.5 has either
    /// side send RDMA_ERROR.
    pub(crate) fn allows(&self, rule: &str) -> bool {
        self.profile == "5666bis" && rule == "rpc-error-sender"
    }

    /// Whether it uses the target's RPC-over-RDMA side: its streams go to another address, and there is no
    /// agent.
    pub(crate) fn uses_rpc(&self) -> bool {
        self.needs.contains(&"rpc-over-rdma")
    }

    /// Returns the abilities that the target must have, including those for its role.
    pub(crate) fn all_needs(&self) -> Vec<&'static str> {
        if self.role == Role::Initiator {
            return self.needs.clone();
        }
        // The side that connects is the requester, whether there is a responder or not.
        let needs = self.needs.iter().copied().filter(|need| *need != "rpc-over-rdma");
        needs.chain([if self.uses_rpc() { "rpc-requester" } else { "opens-streams" }]).collect()
    }

    fn has_one_stream(&self) -> bool {
        let mut streams = self.steps.iter().map(|step| &step.stream);
        let first = streams.next();
        streams.all(|stream| Some(stream) == first)
    }

    /// Returns the tasks that the target's RPC requester is started for, by names of the target's profile.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Connect(connect) => connect.theirs.text("task"),
            _ => None,
        })
    }

    /// Whether a step requires that a region of the target is unchanged.
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

    /// Whether it needs another profile of messages than the target's streams usually carry.
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
