//! iSER on captures of Linux' initiator and target: what their kernels said they sent is what is shown.

use crate::prelude::*;
use warpscope_dissector::ulp::{Access, Detail, Io, Ulp};
use warpscope_wire::iscsi::{Body, Opcode};

/// What a capture shows.
#[derive(Default)]
struct Seen {
    /// PDUs by their type.
    pdus: BTreeMap<&'static str, u64>,
    /// SCSI Commands by operation code.
    operations: BTreeMap<u8, u64>,
    /// Bytes of data in SCSI Commands, and in Data-Outs.
    immediate: u64,
    unsolicited: u64,
    /// Statuses of logins that were refused.
    refused: BTreeMap<u16, u64>,
    /// Messages without an I/O.
    alone: Vec<&'static str>,
    ios: Vec<Io>,
    /// The data of each, where all of it was seen.
    data: Vec<Option<Vec<u8>>>,
    lines: Vec<String>,
    /// Connections known to carry iSER.
    connections: BTreeSet<u64>,
}

impl Sink for Seen {
    fn item(&mut self, context: &ItemContext<'_>, item: &Item<'_>) {
        if context.ulp == Some(Ulp::Iser) {
            self.connections.insert(context.connection.number.into());
        }
        match item {
            Item::Ulp(item) => {
                let Detail::Iser(message) = item.detail else { panic!("not of iSER") };
                let pdu = message.pdu().expect("every PDU can be read");
                let name = pdu.opcode().map_or("?", Opcode::name);
                *self.pdus.entry(name).or_default() += 1;
                match pdu.body {
                    Body::ScsiCommand(view) => {
                        let operation = view.command_descriptor_block()[0];
                        *self.operations.entry(operation).or_default() += 1;
                        self.immediate += pdu.data.len() as u64;
                    }
                    Body::DataOut(_) => self.unsolicited += pdu.data.len() as u64,
                    Body::LoginResponse(view) if view.status() != 0 => {
                        *self.refused.entry(view.status()).or_default() += 1;
                    }
                    _ => {}
                }
                if item.io.is_none() {
                    self.alone.push(name);
                }
                let mut line = String::new();
                item.write_line(&mut line);
                self.lines.push(line);
            }
            Item::Io(item) => {
                self.ios.push(item.io().clone());
                self.data.push(item.data());
            }
            Item::Rpc(_) => panic!("iSER was taken for RPC-over-RDMA"),
            _ => {}
        }
    }
}

fn seen(name: &str) -> Seen {
    let mut seen = Seen::default();
    run(&capture(name), &mut seen);
    seen
}

impl Seen {
    fn sum(&self, of: impl Fn(&Io) -> u64) -> u64 {
        self.ios.iter().map(of).sum()
    }

    /// I/Os by their status.
    fn statuses(&self) -> BTreeMap<&str, usize> {
        let mut statuses = BTreeMap::new();
        for io in &self.ios {
            let words = io.status.as_ref().map_or("none", |status| &status.words);
            *statuses.entry(words).or_default() += 1;
        }
        statuses
    }

    /// Reads and writes of blocks, but for those of 4096 bytes that the host makes by itself.
    fn blocks(&self) -> Vec<String> {
        let of_blocks = self.ios.iter().filter(|io| io.object.contains("LBA"));
        let of_blocks = of_blocks.filter(|io| matches!(&*io.operation, "READ(10)" | "WRITE(10)"));
        let chosen = of_blocks.filter(|io| (&*io.operation, io.length) != ("READ(10)", Some(4096)));
        chosen
            .map(|io| format!("{} {} {}", io.operation, io.object, io.length.unwrap_or_default()))
            .collect()
    }
}

/// What the kernels' trace events and an independent decoder say of a capture.
struct Facts {
    name: &'static str,
    /// Connections that carry iSER.
    connections: usize,
    /// PDUs by type, with as many answers as requests where only these are given.
    pdus: &'static [(&'static str, u64)],
    /// SCSI Commands by operation code.
    operations: &'static [(u8, u64)],
    /// Bytes in SCSI Commands, in Data-Outs, by RDMA Reads and by RDMA Writes.
    bytes: [u64; 4],
    /// Commands with CHECK CONDITION.
    conditions: usize,
    /// Statuses of refused logins.
    refused: &'static [(u16, u64)],
    /// Reads and writes of blocks, but for READ(10) of 4096 bytes.
    blocks: &'static [&'static str],
}

const FACTS: &[Facts] = &[
    Facts {
        name: "iser-discovery",
        connections: 1,
        pdus: &[("Login", 1), ("Text", 1)],
        operations: &[],
        bytes: [0; 4],
        conditions: 0,
        refused: &[],
        blocks: &[],
    },
    Facts {
        name: "iser-basic",
        connections: 2,
        pdus: &[("Login", 2), ("Logout", 1), ("SCSI", 110), ("Text", 1)],
        operations: &[
            (0x00, 6),
            (0x12, 58),
            (0x1a, 12),
            (0x28, 13),
            (0x2a, 7),
            (0x35, 1),
            (0x41, 1),
            (0x42, 1),
            (0x5a, 1),
            (0x9e, 6),
            (0xa0, 2),
            (0xa3, 2),
        ],
        bytes: [42_008, 0, 303_104, 389_671],
        conditions: 5,
        refused: &[],
        blocks: &[
            "WRITE(10) LUN 0, LBA 0, 1 block 512",
            "READ(10) LUN 0, LBA 0, 1 block 512",
            "WRITE(10) LUN 0, LBA 8, 8 blocks 4096",
            "WRITE(10) LUN 0, LBA 16, 16 blocks 8192",
            "READ(10) LUN 0, LBA 16, 16 blocks 8192",
            "WRITE(10) LUN 0, LBA 256, 128 blocks 65536",
            "READ(10) LUN 0, LBA 256, 128 blocks 65536",
            "WRITE(10) LUN 1, LBA 3, 1 block 4096",
            "WRITE(10) LUN 1, LBA 32, 32 blocks 131072",
            "WRITE(10) LUN 1, LBA 64, 32 blocks 131072",
            "READ(10) LUN 1, LBA 32, 32 blocks 131072",
            "READ(10) LUN 1, LBA 64, 32 blocks 131072",
        ],
    },
    Facts {
        name: "iser-sizes-crc",
        connections: 1,
        pdus: &[("Login", 1), ("Logout", 1), ("SCSI", 91)],
        operations: &[
            (0x00, 4),
            (0x12, 44),
            (0x1a, 12),
            (0x28, 15),
            (0x2a, 9),
            (0x9e, 4),
            (0xa0, 1),
            (0xa3, 2),
        ],
        bytes: [59_392, 0, 790_528, 880_311],
        conditions: 2,
        refused: &[],
        blocks: &[
            "WRITE(10) LUN 0, LBA 1, 1 block 512",
            "READ(10) LUN 0, LBA 1, 1 block 512",
            "WRITE(10) LUN 0, LBA 3, 3 blocks 1536",
            "READ(10) LUN 0, LBA 3, 3 blocks 1536",
            "WRITE(10) LUN 0, LBA 16, 16 blocks 8192",
            "READ(10) LUN 0, LBA 16, 16 blocks 8192",
            "WRITE(10) LUN 0, LBA 32, 32 blocks 16384",
            "READ(10) LUN 0, LBA 32, 32 blocks 16384",
            "WRITE(10) LUN 0, LBA 64, 64 blocks 32768",
            "READ(10) LUN 0, LBA 64, 64 blocks 32768",
            "WRITE(10) LUN 0, LBA 128, 128 blocks 65536",
            "READ(10) LUN 0, LBA 128, 128 blocks 65536",
            "WRITE(10) LUN 0, LBA 136, 136 blocks 69632",
            "READ(10) LUN 0, LBA 136, 136 blocks 69632",
            "WRITE(10) LUN 0, LBA 256, 256 blocks 131072",
            "READ(10) LUN 0, LBA 256, 256 blocks 131072",
            "WRITE(10) LUN 0, LBA 1024, 1024 blocks 524288",
            "READ(10) LUN 0, LBA 1024, 1024 blocks 524288",
        ],
    },
    Facts {
        name: "iser-unsolicited",
        connections: 1,
        pdus: &[("Login", 1), ("Logout", 1), ("SCSI", 87), ("SCSI Data-Out", 10)],
        operations: &[
            (0x00, 4),
            (0x12, 44),
            (0x1a, 12),
            (0x28, 13),
            (0x2a, 7),
            (0x9e, 4),
            (0xa0, 1),
            (0xa3, 2),
        ],
        bytes: [45_568, 77_824, 106_496, 260_279],
        conditions: 2,
        refused: &[],
        blocks: &[
            "WRITE(10) LUN 0, LBA 1, 1 block 512",
            "READ(10) LUN 0, LBA 1, 1 block 512",
            "WRITE(10) LUN 0, LBA 8, 8 blocks 4096",
            "WRITE(10) LUN 0, LBA 16, 16 blocks 8192",
            "READ(10) LUN 0, LBA 16, 16 blocks 8192",
            "WRITE(10) LUN 0, LBA 24, 24 blocks 12288",
            "READ(10) LUN 0, LBA 24, 24 blocks 12288",
            "WRITE(10) LUN 0, LBA 64, 64 blocks 32768",
            "READ(10) LUN 0, LBA 64, 64 blocks 32768",
            "WRITE(10) LUN 0, LBA 80, 80 blocks 40960",
            "READ(10) LUN 0, LBA 80, 80 blocks 40960",
            "WRITE(10) LUN 0, LBA 256, 256 blocks 131072",
            "READ(10) LUN 0, LBA 256, 256 blocks 131072",
        ],
    },
    Facts {
        name: "iser-errors",
        connections: 10,
        pdus: &[("Login", 11), ("Logout", 2), ("SCSI", 119), ("Task Management Function", 2)],
        operations: &[
            (0x00, 8),
            (0x12, 67),
            (0x1a, 18),
            (0x28, 13),
            (0x2a, 1),
            (0x9e, 6),
            (0xa0, 2),
            (0xa3, 3),
            (0xc5, 1),
        ],
        bytes: [4096, 0, 0, 56_345],
        conditions: 8,
        refused: &[(0x0201, 2), (0x0301, 1)],
        blocks: &[
            "READ(10) LUN 0, LBA 32768, 1 block 512",
            "WRITE(10) LUN 0, LBA 32767, 8 blocks 4096",
        ],
    },
    Facts {
        name: "iser-noop-reopen-crc",
        connections: 2,
        pdus: &[("Login", 2), ("Logout", 1), ("NOP-In", 8), ("NOP-Out", 8), ("SCSI", 79)],
        operations: &[
            (0x00, 4),
            (0x12, 44),
            (0x1a, 12),
            (0x28, 11),
            (0x2a, 1),
            (0x9e, 4),
            (0xa0, 1),
            (0xa3, 2),
        ],
        bytes: [8192, 0, 0, 104_119],
        conditions: 2,
        refused: &[],
        blocks: &[
            "READ(10) LUN 0, LBA 0, 32 blocks 16384",
            "READ(10) LUN 0, LBA 32, 32 blocks 16384",
            "READ(10) LUN 0, LBA 64, 32 blocks 16384",
            "READ(10) LUN 0, LBA 96, 32 blocks 16384",
            "WRITE(10) LUN 0, LBA 0, 16 blocks 8192",
            "READ(10) LUN 0, LBA 0, 16 blocks 8192",
        ],
    },
    // Three connections with iSER's private data, on which nothing is sent; one to a listener of plain
    // iSCSI, which never answers its request.
    Facts {
        name: "iser-cm-foreign",
        connections: 3,
        pdus: &[],
        operations: &[],
        bytes: [0; 4],
        conditions: 0,
        refused: &[],
        blocks: &[],
    },
];

/// The names of the requests and answers that a fact stands for.
fn types(facts: &Facts) -> BTreeMap<String, u64> {
    let mut types = BTreeMap::new();
    for (name, count) in facts.pdus {
        let names = match *name {
            "SCSI" => vec!["SCSI Command".to_owned(), "SCSI Response".to_owned()],
            "NOP-In" | "NOP-Out" | "SCSI Data-Out" => vec![(*name).to_owned()],
            name => vec![format!("{name} Request"), format!("{name} Response")],
        };
        types.extend(names.into_iter().map(|name| (name, *count)));
    }
    types
}

#[test]
fn what_the_kernels_say_is_shown() {
    for facts in FACTS {
        let (seen, name) = (seen(facts.name), facts.name);
        assert_eq!(seen.connections.len(), facts.connections, "{name}");
        let pdus = seen.pdus.iter().map(|(name, count)| ((*name).to_owned(), *count));
        assert_eq!(pdus.collect::<BTreeMap<_, _>>(), types(facts), "{name}");
        let operations: Vec<(u8, u64)> = seen.operations.clone().into_iter().collect();
        assert_eq!(operations, facts.operations, "{name}");
        let refused: Vec<(u16, u64)> = seen.refused.clone().into_iter().collect();
        assert_eq!(refused, facts.refused, "{name}");
        let by_read = seen.sum(|io| io.bytes.read);
        let by_write = seen.sum(|io| io.bytes.written);
        assert_eq!([seen.immediate, seen.unsolicited, by_read, by_write], facts.bytes, "{name}");
        assert_eq!(seen.blocks(), facts.blocks, "{name}");
        let conditions = seen.ios.iter().filter(|io| {
            io.status
                .as_ref()
                .is_some_and(|it| it.code == 2 && it.words.starts_with("CHECK CONDITION: "))
        });
        assert_eq!(conditions.count(), facts.conditions, "{name}");
    }
}

/// Every message is of an I/O, every I/O has its answer, and no byte that moved belongs to none.
#[test]
fn every_message_and_every_byte_is_of_an_io() {
    for facts in FACTS {
        let (seen, name) = (seen(facts.name), facts.name);
        assert_eq!(seen.alone, [""; 0], "{name}");
        let inline = seen.sum(|io| io.bytes.inline_out);
        assert_eq!(inline, facts.bytes[0] + facts.bytes[1], "{name}");
        for io in &seen.ios {
            assert!(
                io.unexplained.is_none() && io.completed.is_some() && io.whole,
                "{name}: {io:?}"
            );
            assert_eq!(io.ulp, Ulp::Iser);
            let moved = io.bytes.total();
            let failed = io.failed();
            // The device has less to say than was asked for, and nothing where it refuses.
            assert!(moved <= io.length.unwrap_or(0), "{name}: {io:?}");
            if io.access == Some(Access::Write) && !failed {
                assert_eq!(Some(moved), io.length, "{name}: {io:?}");
            }
        }
    }
}

/// What was written is what is read back, byte for byte, whatever the parts that it went in.
#[test]
fn what_is_written_is_read_back() {
    let mut compared = 0;
    for name in ["iser-basic", "iser-sizes-crc", "iser-unsolicited", "iser-noop-reopen-crc"] {
        let seen = seen(name);
        let mut written: HashMap<&str, &Vec<u8>> = HashMap::new();
        for (io, data) in seen.ios.iter().zip(&seen.data) {
            let length = io.length.unwrap_or_default();
            let data = match (&*io.operation, data) {
                ("WRITE(10)" | "READ(10)", Some(data)) => data,
                ("WRITE(10)" | "READ(10)", None) => {
                    panic!("{name}: the data of {io:?} was not kept")
                }
                _ => continue,
            };
            assert_eq!(data.len() as u64, length, "{name}: {io:?}");
            if io.access == Some(Access::Write) {
                written.insert(&io.object, data);
            } else if let Some(earlier) = written.get(&*io.object) {
                assert_eq!(*earlier, data, "{name}: {io:?}");
                compared += 1;
            }
        }
    }
    // One for each size that was written.
    assert_eq!(compared, 24);
}

/// How each kind of message is put into words.
#[test]
fn messages_are_put_into_words() {
    let mut lines = seen("iser-unsolicited").lines;
    lines.extend(seen("iser-errors").lines);
    lines.extend(seen("iser-discovery").lines);
    lines.extend(seen("iser-noop-reopen-crc").lines);
    for wanted in [
        "Login Request LoginOperationalNegotiation → FullFeaturePhase | ITT=0x00000000 CmdSN=0",
        "Login Response SecurityNegotiation Service unavailable | ITT=0x00000000 StatSN=0 (answers",
        "Text Request SendTargets=All | ITT=0x00000000 CmdSN=1",
        "SCSI Command WRITE(10) LUN 0, LBA 64, 64 blocks | ITT=0x52000000 CmdSN=81 32768 bytes, 8192 immediate",
        "SCSI Data-Out | ITT=0x52000000 8192 bytes at 8192",
        "SCSI Command INQUIRY LUN 0, VPD page 0x83 | ITT=",
        "SCSI Command operation code 0xc5 LUN 0 | ITT=",
        "SCSI Response READ(10) CHECK CONDITION: Illegal Request, Logical block address out of range",
        "SCSI Response READ(10) GOOD, 3584 bytes fewer | ITT=",
        "Task Management Function Request LOGICAL UNIT RESET | ITT=0x4f000000 CmdSN=78",
        "Task Management Function Response Function rejected | ITT=0x51000000",
        "NOP-Out | ITT=",
        "NOP-In | ITT=",
        "Logout Request Close the session | ITT=",
    ] {
        let found = lines.iter().any(|line| line.starts_with(wanted));
        let like =
            || lines.iter().filter(|line| line.starts_with(&wanted[..12])).collect::<Vec<_>>();
        assert!(found, "{wanted}\n{:#?}", like());
    }
}
