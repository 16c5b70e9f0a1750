//! The abilities that an instance needs of the target: found from its steps and buffers, whatever its case
//! says.

use super::Record;
use super::files::{Buffer, Instance, Role};
use super::step::{Action, Expected};
use super::value::{Side, Value};
use std::collections::BTreeSet;

/// Names of abilities, as in `needs`.
pub(crate) type Abilities = BTreeSet<&'static str>;

/// The abilities that keys need: keys of a call, a report or the target's side of a setup.
const KEYS: &[(&str, &str)] = &[
    ("crc", "crc"),
    ("markers", "markers"),
    ("fall_back", "revision"),
    ("peer_to_peer", "peer-to-peer"),
    ("ready_to_receive", "peer-to-peer"),
    ("private_data", "private-data"),
    ("protection_domain", "protection-domains"),
    ("longest_ulpdu", "packing"),
    ("packing", "packing"),
    ("half_open", "half-close"),
];

/// The abilities that work and orders need, by their words in cases.
const ORDERS: &[(&str, &str)] = &[
    ("send", "send"),
    ("immediate_data", "immediate"),
    ("rdma_write", "rdma-write"),
    ("rdma_read", "rdma-read"),
    ("rdma_read_v2", "read-v2"),
    ("atomic", "atomics"),
    ("flush", "flush"),
    ("verify", "verify"),
    ("atomic_write", "atomic-write"),
    ("fence", "fence"),
    ("immediate", "send-immediate"),
    ("invalidate", "invalidate"),
    ("revalidate", "invalidate"),
    ("recall", "recall"),
];

/// The abilities that rights of a region need: a device that lacks the operation refuses the right.
const RIGHTS: &[(&str, &str)] = &[
    ("atomic", "atomics"),
    ("flush_persistence", "flush"),
    ("flush_visibility", "flush"),
    ("verify", "verify"),
];

/// The abilities that reports need: only that the target makes them. A field that the target does not know is
/// not judged.
const REPORTS: &[(&str, &str)] = &[
    ("terminate_came", "terminate-arrivals"),
    ("terminates", "terminate-reports"),
    ("peer_closed", "half-close"),
    ("solicited_event", "solicited-events"),
];

/// Returns the abilities that a table has for a name.
fn of<'a>(
    table: &'a [(&'static str, &'static str)],
    name: &'a str,
) -> impl Iterator<Item = &'static str> + 'a {
    table.iter().filter(move |(key, _)| *key == name).map(|(_, ability)| *ability)
}

impl Instance {
    /// Returns the abilities that its steps and buffers use.
    pub(crate) fn abilities(&self) -> Abilities {
        let mut used = Abilities::new();
        let mut streams = BTreeSet::new();
        let buffers = self.buffers.iter().filter(|it| it.region.side == Side::Target);
        buffers.for_each(|buffer| of_buffer(buffer, &mut used));
        for step in &self.steps {
            streams.insert(&step.stream);
            let before = used.clone();
            match &step.action {
                Action::Connect(connect) => {
                    of_setup(&connect.theirs, &mut used);
                    // A target that opens the stream may send the wanted revision by chance, and one that
                    // knows revision 2 answers it.
                    let theirs = |key| connect.theirs.number(key).and_then(Value::known);
                    if self.role == Role::Initiator {
                        match (theirs("revision"), connect.theirs.flag("enhanced")) {
                            (None, None) => {}
                            (Some(2), None | Some(true)) => drop(used.insert("enhanced-setup")),
                            _ => drop(used.insert("revision")),
                        }
                        // A target without RFC 6581 closes after such a request (its section 10).
                        if is_enhanced(&connect.ours) {
                            used.insert("enhanced-setup");
                        }
                    }
                    if connect.ours.argument("receives").is_some() {
                        used.insert("agent");
                    }
                }
                Action::Order(order) => of_order(order, &mut used),
                Action::Expect(expect) => of_expected(&expect.want, &mut used),
                _ => {}
            }
            // A step that is skipped if the target lacks the ability does not need it.
            if let Some(need) = step.needs.filter(|it| !before.contains(it)) {
                used.remove(need);
            }
        }
        if streams.len() > 1 && used.contains("agent") {
            used.insert("several-streams");
        }
        used
    }
}

/// Whether our setup frame has enhanced data: these keys imply it, or it says so.
pub(crate) fn is_enhanced(ours: &Record) -> bool {
    ours.flag("enhanced").unwrap_or(false)
        || ["peer_to_peer", "ird", "ord"].iter().any(|key| ours.argument(key).is_some())
}

fn of_buffer(buffer: &Buffer, used: &mut Abilities) {
    used.insert("agent");
    used.extend(buffer.rights.iter().flat_map(|right| of(RIGHTS, right)));
    used.extend(match buffer.base.as_ref().map(Value::known) {
        None => None,
        Some(Some(0)) => Some("zero-based"),
        Some(_) => Some("given-offsets"),
    });
    used.extend(buffer.window.as_ref().map(|_| "windows"));
    used.extend(match buffer.scope {
        Some("stream") => Some("stream-scope"),
        Some("foreign") => Some("protection-domains"),
        _ => None,
    });
    used.extend(match buffer.backing {
        Some("file") => Some("file-backing"),
        Some("failing") => Some("failing-backing"),
        _ => None,
    });
    used.extend(buffer.hash.map(|_| "verify"));
}

/// Adds what the target has to say and do in a setup. A task belongs to its RPC requester.
fn of_setup(theirs: &Record, used: &mut Abilities) {
    for (key, _) in theirs.arguments.iter().filter(|(key, _)| *key != "task") {
        used.insert("agent");
        used.extend(of(KEYS, key));
    }
}

fn of_order(order: &Record, used: &mut Abilities) {
    used.insert("agent");
    used.extend(of(ORDERS, order.name).filter(|_| order.name != "post"));
    let words =
        order.keyword("operation").into_iter().chain(order.keywords("flags").iter().copied());
    // A Send with Invalidate is a Send.
    used.extend(words.filter(|it| *it != "invalidate").flat_map(|word| of(ORDERS, word)));
}

fn of_expected(expected: &Expected, used: &mut Abilities) {
    match expected {
        Expected::Report(report) | Expected::NoReport(report) => {
            used.insert("agent");
            used.extend(of(REPORTS, report.name));
        }
        Expected::Memory(memory)
            if memory.region.as_ref().is_none_or(|it| it.side == Side::Target) =>
        {
            used.insert("agent");
        }
        Expected::AnyOf(all) | Expected::InOrder(all) | Expected::AllOf(all) => {
            all.iter().for_each(|it| of_expected(it, used));
        }
        _ => {}
    }
}
