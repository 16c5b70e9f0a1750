//! NVMe over RDMA: what the captures of Linux' host and controller show, held against what the kernels traced
//! and an independent decoder counted.

mod accesses;
mod midway;
mod trees;

use crate::prelude::*;
use accesses::ACCESSES;
use std::collections::BTreeMap;
use warpscope_dissector::ulp::{Detail, Io, Ulp, nvme};
use warpscope_wire::nvme::{CommandView, CompletionView, Queue};

/// What a capture shows.
struct Facts {
    capture: &'static str,
    /// iWARP connections: each is a queue, or was refused.
    queues: usize,
    /// Commands of admin queues, by name.
    admin: &'static [(&'static str, usize)],
    /// Commands of I/O queues.
    io: &'static [(&'static str, usize)],
    /// Completions by status: DNR, More, type and code.
    statuses: &'static [(u16, usize)],
    /// Commands by the kind of their data pointer.
    descriptors: &'static [(&'static str, usize)],
    /// Bytes of data in command capsules.
    in_capsule: u64,
    /// Bytes that RDMA Reads moved.
    read: u64,
    /// Bytes that RDMA Writes moved.
    written: u64,
    /// Bytes that Reads and Writes of I/O queues asked for, as the controller's kernel counted them.
    asked: (u64, u64),
}

const FACTS: &[Facts] = &[
    Facts {
        capture: "nvme-discover",
        queues: 7,
        admin: &[
            ("Asynchronous Event Request", 4),
            ("Connect", 6),
            ("Get Log Page", 10),
            ("Identify", 23),
            ("Property Get", 24),
            ("Property Set", 12),
            ("Set Features", 5),
        ],
        io: &[("Connect", 1), ("Read", 6)],
        statuses: &[(0x0000, 85), (0x4182, 1), (0x4184, 1)],
        descriptors: &[("in-capsule", 1), ("keyed", 45), ("keyed, to be invalidated", 45)],
        in_capsule: 1024,
        read: 6144,
        written: 152096,
        asked: (24576, 0),
    },
    Facts {
        capture: "nvme-admin-crc",
        queues: 2,
        admin: &[
            ("Asynchronous Event Request", 3),
            ("Connect", 1),
            ("Get Features", 5),
            ("Get Log Page", 14),
            ("Identify", 38),
            ("Keep Alive", 9),
            ("Property Get", 10),
            ("Property Set", 3),
            ("Set Features", 3),
        ],
        io: &[("Connect", 1), ("Read", 9)],
        statuses: &[(0x0000, 94), (0x600f, 1)],
        descriptors: &[("in-capsule", 1), ("keyed", 32), ("keyed, to be invalidated", 63)],
        in_capsule: 1024,
        read: 1024,
        written: 251216,
        asked: (36864, 0),
    },
    Facts {
        capture: "nvme-sizes",
        queues: 2,
        admin: &[
            ("Asynchronous Event Request", 1),
            ("Connect", 1),
            ("Get Log Page", 4),
            ("Identify", 15),
            ("Property Get", 6),
            ("Property Set", 3),
            ("Set Features", 2),
        ],
        io: &[
            ("Connect", 1),
            ("Dataset Management", 2),
            ("Flush", 2),
            ("Read", 50),
            ("Write", 12),
            ("Write Zeroes", 1),
        ],
        statuses: &[(0x0000, 98), (0x6002, 1)],
        descriptors: &[("in-capsule", 8), ("keyed", 15), ("keyed, to be invalidated", 77)],
        in_capsule: 18976,
        read: 2315776,
        written: 1727008,
        asked: (1648640, 2328576),
    },
    Facts {
        capture: "nvme-sizes-incapsule16k-crc",
        queues: 2,
        admin: &[
            ("Asynchronous Event Request", 1),
            ("Connect", 1),
            ("Get Log Page", 4),
            ("Identify", 15),
            ("Property Get", 6),
            ("Property Set", 3),
            ("Set Features", 2),
        ],
        io: &[
            ("Connect", 1),
            ("Dataset Management", 2),
            ("Flush", 2),
            ("Read", 46),
            ("Write", 8),
            ("Write Zeroes", 1),
        ],
        statuses: &[(0x0000, 90), (0x6002, 1)],
        descriptors: &[("in-capsule", 8), ("keyed", 15), ("keyed, to be invalidated", 69)],
        in_capsule: 50208,
        read: 1328128,
        written: 770592,
        asked: (692224, 1372160),
    },
    Facts {
        capture: "nvme-errors",
        queues: 2,
        admin: &[
            ("opcode 0xc1", 1),
            ("Asynchronous Event Request", 1),
            ("Connect", 1),
            ("Get Features", 1),
            ("Get Log Page", 5),
            ("Identify", 21),
            ("Property Get", 6),
            ("Property Set", 3),
            ("Set Features", 2),
        ],
        io: &[("Compare", 1), ("Connect", 2), ("Read", 9), ("Write", 1)],
        statuses: &[(0x0000, 44), (0x6001, 3), (0x6002, 3), (0x6006, 3)],
        descriptors: &[("in-capsule", 3), ("keyed", 15), ("keyed, to be invalidated", 36)],
        in_capsule: 5632,
        read: 1024,
        written: 131616,
        asked: (37376, 4096),
    },
    Facts {
        capture: "nvme-reconnect-crc",
        queues: 8,
        admin: &[
            ("Asynchronous Event Request", 3),
            ("Connect", 5),
            ("Get Log Page", 8),
            ("Identify", 31),
            ("Property Get", 17),
            ("Property Set", 8),
            ("Set Features", 6),
        ],
        io: &[("Connect", 3), ("Read", 14), ("Write", 8)],
        statuses: &[(0x0000, 98), (0x4182, 2)],
        descriptors: &[("in-capsule", 7), ("keyed", 34), ("keyed, to be invalidated", 62)],
        in_capsule: 19456,
        read: 54272,
        written: 270944,
        asked: (90112, 65536),
    },
    Facts {
        capture: "nvme-queues-fio",
        queues: 6,
        admin: &[
            ("Asynchronous Event Request", 2),
            ("Connect", 2),
            ("Get Log Page", 8),
            ("Identify", 26),
            ("Property Get", 12),
            ("Property Set", 6),
            ("Set Features", 4),
        ],
        io: &[("Connect", 4), ("Read", 84), ("Write", 37)],
        statuses: &[(0x0000, 183)],
        descriptors: &[("in-capsule", 22), ("keyed", 24), ("keyed, to be invalidated", 139)],
        in_capsule: 59904,
        read: 538112,
        written: 1458752,
        asked: (1310208, 591872),
    },
    Facts {
        capture: "nvme-ipv6-p2p",
        queues: 2,
        admin: &[
            ("Asynchronous Event Request", 1),
            ("Connect", 1),
            ("Get Log Page", 4),
            ("Identify", 13),
            ("Property Get", 6),
            ("Property Set", 3),
            ("Set Features", 2),
        ],
        io: &[("Connect", 1), ("Read", 10), ("Write", 4)],
        statuses: &[(0x0000, 44)],
        descriptors: &[("in-capsule", 3), ("keyed", 12), ("keyed, to be invalidated", 30)],
        in_capsule: 2048,
        read: 66560,
        written: 165408,
        asked: (91136, 66560),
    },
    Facts {
        capture: "nvme-cm-reject",
        queues: 12,
        admin: &[],
        io: &[],
        statuses: &[],
        descriptors: &[],
        in_capsule: 0,
        read: 0,
        written: 0,
        asked: (0, 0),
    },
];

/// What the dissector finds.
#[derive(Default)]
struct Found {
    queues: Vec<u32>,
    messages: Vec<(Option<u16>, Kind)>,
    ios: Vec<(u32, Io)>,
    data: usize,
    lines: Vec<String>,
}

/// A message, without its bytes.
enum Kind {
    Command { admin: bool, name: String, descriptor: &'static str, entry: [u8; 64] },
    Completion { status: u16, known: bool },
    Page,
    Unreadable,
}

impl Sink for Found {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        match item {
            Item::Setup(_) if context.ulp == Some(Ulp::Nvme) => {
                self.queues.push(context.connection.number);
            }
            Item::Ulp(message) => {
                let Detail::Nvme(nvme::Message { queue_id, content }) = &message.detail else {
                    panic!("another protocol")
                };
                let mut line = String::new();
                message.write_line(&mut line);
                self.lines.push(line);
                self.messages.push((*queue_id, kind(content, message.bytes)));
            }
            Item::Io(io) => {
                self.data += io.data().map_or(0, |data| data.len());
                self.ios.push((context.connection.number, io.io().clone()));
            }
            _ => {}
        }
    }
}

fn kind(content: &nvme::Content<'_>, bytes: &[u8]) -> Kind {
    match content {
        nvme::Content::Command { asked, .. } => {
            let (view, _) = CommandView::parse(bytes).unwrap();
            Kind::Command {
                admin: asked.queue == Queue::Admin,
                name: asked.name().into_owned(),
                descriptor: view.descriptor().descriptor().unwrap().name(),
                entry: *asked.entry(),
            }
        }
        nvme::Content::Completion { asked, .. } => {
            let (view, _) = CompletionView::parse(bytes).unwrap();
            Kind::Completion { status: view.status().number(), known: asked.is_some() }
        }
        nvme::Content::Page { .. } => Kind::Page,
        nvme::Content::Unreadable(_) => Kind::Unreadable,
    }
}

fn found(name: &str) -> Found {
    let mut found = Found::default();
    run(&capture(name), &mut found);
    found.queues.sort_unstable();
    found.queues.dedup();
    found
}

fn counted<T: Ord>(of: impl Iterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    of.for_each(|one| *counts.entry(one).or_insert(0) += 1);
    counts
}

fn table<T: Ord + Clone>(rows: &[(T, usize)]) -> BTreeMap<T, usize> {
    rows.iter().cloned().collect()
}

fn commands(found: &Found, on_admin: bool) -> BTreeMap<&str, usize> {
    counted(found.messages.iter().filter_map(|(_, kind)| match kind {
        Kind::Command { admin, name, .. } if *admin == on_admin => Some(name.as_str()),
        _ => None,
    }))
}

#[test]
fn commands_and_completions_are_those_of_the_kernels() {
    for facts in FACTS {
        let name = facts.capture;
        let found = found(name);
        assert_eq!(found.queues.len(), facts.queues, "{name}");
        assert_eq!(commands(&found, true), table(facts.admin), "{name}");
        assert_eq!(commands(&found, false), table(facts.io), "{name}");
        let statuses = counted(found.messages.iter().filter_map(|(_, kind)| match kind {
            Kind::Completion { status, known } => {
                assert!(known, "{name}");
                Some(*status)
            }
            _ => None,
        }));
        assert_eq!(statuses, table(facts.statuses), "{name}");
        let descriptors = counted(found.messages.iter().filter_map(|(_, kind)| match kind {
            Kind::Command { descriptor, .. } => Some(*descriptor),
            _ => None,
        }));
        assert_eq!(descriptors, table(facts.descriptors), "{name}");
        assert!(!found.messages.iter().any(|(_, kind)| matches!(kind, Kind::Unreadable)), "{name}");
    }
}

#[test]
fn every_byte_that_moved_belongs_to_a_command() {
    for facts in FACTS {
        let name = facts.capture;
        let found = found(name);
        let sum = |of: fn(&Io) -> u64| found.ios.iter().map(|(_, io)| of(io)).sum::<u64>();
        assert!(found.ios.iter().all(|(_, io)| io.unexplained.is_none()), "{name}");
        assert!(found.ios.iter().all(|(_, io)| io.whole), "{name}");
        assert_eq!(sum(|io| io.bytes.inline_out), facts.in_capsule, "{name}");
        assert_eq!(sum(|io| io.bytes.read), facts.read, "{name}");
        assert_eq!(sum(|io| io.bytes.written), facts.written, "{name}");
        assert_eq!(sum(|io| io.bytes.inline_in), 0, "{name}");
        let kept = facts.in_capsule + facts.read + facts.written;
        assert_eq!(found.data as u64, kept, "{name}");
        // Commands without a completion are Asynchronous Event Requests, and what a refused queue left.
        let answered = found.ios.iter().filter(|(_, io)| io.status.is_some()).count();
        assert_eq!(answered, facts.statuses.iter().map(|(_, count)| count).sum::<usize>());
        for (_, io) in found.ios.iter().filter(|(_, io)| io.status.is_none()) {
            assert_eq!(io.operation, "Asynchronous Event Request", "{name}");
        }
    }
}

/// The accesses of I/O queues: what they do, where, on which queue, and by which identifier.
#[test]
fn reads_and_writes_are_those_that_the_host_traced() {
    for (name, expected) in ACCESSES {
        let found = found(name);
        let mut seen: Vec<_> = found
            .messages
            .iter()
            .filter_map(|(queue_id, kind)| match kind {
                Kind::Command { admin: false, name, entry, .. } => {
                    let (view, _) = CommandView::parse(entry).unwrap();
                    let length = view.descriptor().descriptor().unwrap().length();
                    let access = match name.as_str() {
                        "Write" => "Write",
                        "Read" if length != 4096 => "Read",
                        _ => return None,
                    };
                    let (lba, blocks) = (view.starting_lba(), view.block_count());
                    let queue_id = queue_id.unwrap();
                    Some((access, view.namespace_id(), lba, blocks, queue_id, view.command_id()))
                }
                _ => None,
            })
            .collect();
        let mut expected = expected.to_vec();
        seen.sort_unstable();
        expected.sort_unstable();
        assert_eq!(seen, expected, "{name}");
    }
}

#[test]
fn lengths_are_those_that_the_controller_counted() {
    for facts in FACTS {
        let found = found(facts.capture);
        let sum = |operation: &str| {
            let of = found.ios.iter().filter(|(_, io)| io.operation == operation);
            of.filter_map(|(_, io)| io.length).sum::<u64>()
        };
        assert_eq!((sum("Read"), sum("Write")), facts.asked, "{}", facts.capture);
    }
}
