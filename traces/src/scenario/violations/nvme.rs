//! NVMe over RDMA connections that break one rule each.

use super::setup::{Cases, LEGAL, Pair, Play, put};
use crate::Result;
use crate::message::Target;
use crate::scenario::catalogue::{Generated, Scenario};
use crate::session::{Agreement, INITIATOR, RESPONDER};
use warpscope_wire::Writer;
use warpscope_wire::nvme::{Accept, CommandView, CompletionView, Descriptor, Request};
use warpscope_wire::rdmap::Message;

pub(in crate::scenario) const NVME: Scenario = Scenario {
    name: "violations-nvme",
    contains: "connections whose NVMe over RDMA breaks a rule each",
    purpose: "each rule of NVMe over RDMA is tripped where it is broken",
    make: make_nvme,
};

/// The queue ID of each connection, and its number of entries minus one, as in SQSIZE.
const QUEUE: u16 = 1;
const SIZE: u16 = 31;
/// The key that a command offers.
const KEY: u32 = 0x2222_2201;
/// Opcodes.
const FLUSH: u8 = 0x00;
const READ: u8 = 0x02;
const FABRICS: u8 = 0x7f;
/// Byte offsets of fields in a submission queue entry.
const FLAGS: usize = 1;
const FABRICS_TYPE: usize = 4;
const LENGTH: usize = 32;
const CONNECT_QUEUE: usize = 42;
const CONNECT_SIZE: usize = 44;
const KEY_LENGTH: usize = 44;
const PROPERTY: usize = 44;

/// Returns a submission queue entry with this data pointer.
fn command(opcode: u8, command_id: u16, descriptor: Descriptor) -> Vec<u8> {
    let mut entry = vec![0; CommandView::LENGTH];
    entry[0] = opcode;
    entry[FLAGS] = 0x40;
    put(&mut entry, 2, &command_id.to_le_bytes());
    entry[4] = 1;
    descriptor.emit(&mut Writer::new(&mut entry[24..40]));
    entry
}

fn flush(command_id: u16) -> Vec<u8> {
    command(FLUSH, command_id, Descriptor::NONE)
}

/// Returns a Connect with its data in the capsule.
fn connect() -> Vec<u8> {
    let mut entry = command(FABRICS, 0, Descriptor::InCapsule { offset: 0, length: 1024 });
    entry[FLAGS] = 0;
    put(&mut entry, CONNECT_QUEUE, &QUEUE.to_le_bytes());
    put(&mut entry, CONNECT_SIZE, &SIZE.to_le_bytes());
    entry.resize(CommandView::LENGTH + 1024, 0);
    entry
}

/// Returns a Read of one block into the host's memory.
fn read(command_id: u16) -> Vec<u8> {
    let keyed = Descriptor::Keyed { address: 0x1000, length: 512, key: KEY, invalidate: true };
    command(READ, command_id, keyed)
}

/// Returns a successful completion.
fn completion(command_id: u16, sq_head: u16) -> Vec<u8> {
    let mut entry = vec![0; CompletionView::LENGTH];
    put(&mut entry, 8, &sq_head.to_le_bytes());
    put(&mut entry, 12, &command_id.to_le_bytes());
    entry
}

/// Returns a failed completion with status Internal Error.
fn failed(command_id: u16, sq_head: u16) -> Vec<u8> {
    let mut entry = completion(command_id, sq_head);
    entry[14] = 0x0c;
    entry
}

impl Pair<'_> {
    /// Sends the Connect and its completion.
    fn connect(&mut self) -> Result<()> {
        self.send(INITIATOR, &connect())?;
        self.send(RESPONDER, &completion(0, 1))
    }
}

fn make_nvme() -> Result<Generated> {
    let mut cases = Cases::new(56_000);
    for (rule, play) in CASES {
        let request = Request {
            queue_id: QUEUE,
            host_receive_queue_size: SIZE + 1,
            host_send_queue_size: SIZE,
            controller_id: 1,
        };
        let mut private_data = [vec![0; 32], vec![0; 32]];
        request.emit(&mut Writer::new(&mut private_data[0]));
        Accept { controller_receive_queue_size: SIZE + 1 }
            .emit(&mut Writer::new(&mut private_data[1]));
        cases.opened(&Agreement { private_data, ..Agreement::default() }, |case| {
            play(&mut Pair { case, rule })
        })?;
    }
    Ok(cases.made())
}

const CASES: &[(&str, Play)] = &[
    ("nvme-command-id", |pair| {
        pair.connect()?;
        pair.send(INITIATOR, &flush(7))?;
        pair.wrong(INITIATOR, &flush(7))?;
        pair.send(RESPONDER, &completion(7, 3))
    }),
    // A PRP, and the reserved value.
    ("nvme-sgl", |pair| {
        pair.connect()?;
        let mut command = read(7);
        command[FLAGS] = 0;
        pair.wrong(INITIATOR, &command)?;
        pair.send(RESPONDER, &failed(7, 2))
    }),
    ("nvme-sgl", |pair| {
        pair.connect()?;
        let mut command = flush(7);
        command[FLAGS] = 0xc0;
        pair.wrong(INITIATOR, &command)?;
        pair.send(RESPONDER, &failed(7, 2))
    }),
    ("nvme-connect-first", |pair| {
        pair.wrong(INITIATOR, &flush(7))?;
        pair.send(RESPONDER, &failed(7, 1))
    }),
    ("nvme-connect-queue", |pair| {
        let mut connect = connect();
        connect[CONNECT_QUEUE] = 2;
        pair.wrong(INITIATOR, &connect)?;
        pair.send(RESPONDER, &completion(0, 1))
    }),
    // One byte more than the capsule has.
    ("nvme-in-capsule-range", |pair| {
        let mut connect = connect();
        connect[LENGTH] = 1;
        pair.wrong(INITIATOR, &connect)?;
        pair.send(RESPONDER, &failed(0, 1))
    }),
    // A descriptor in a capsule without data.
    ("nvme-in-capsule-range", |pair| {
        pair.connect()?;
        let list = Descriptor::Segment { offset: 0, length: 16, last: true };
        pair.wrong(INITIATOR, &command(READ, 7, list))?;
        pair.send(RESPONDER, &failed(7, 2))
    }),
    ("nvme-completion-unasked", |pair| {
        pair.connect()?;
        pair.wrong(RESPONDER, &completion(7, 1))
    }),
    // A second completion.
    ("nvme-completion-unasked", |pair| {
        pair.connect()?;
        pair.send(INITIATOR, &flush(7))?;
        pair.send(RESPONDER, &completion(7, 2))?;
        pair.wrong(RESPONDER, &completion(7, 2))
    }),
    ("nvme-sq-head", |pair| {
        pair.connect()?;
        pair.send(INITIATOR, &flush(7))?;
        pair.wrong(RESPONDER, &completion(7, SIZE + 1))
    }),
    ("nvme-invalidate-key", |pair| {
        pair.connect()?;
        pair.send(INITIATOR, &read(7))?;
        pair.wrong_invalidating(KEY + 1, &failed(7, 2))
    }),
    // A command that offers no memory.
    ("nvme-invalidate-key", |pair| {
        pair.connect()?;
        pair.send(INITIATOR, &flush(7))?;
        pair.wrong_invalidating(KEY, &completion(7, 2))
    }),
    ("nvme-data-missing", |pair| {
        pair.connect()?;
        pair.send(INITIATOR, &read(7))?;
        pair.wrong(RESPONDER, &completion(7, 2))
    }),
    // A failed Connect created no queue: the next one asks for a larger one.
    (LEGAL, |pair| {
        let mut small = connect();
        put(&mut small, CONNECT_SIZE, &3_u16.to_le_bytes());
        pair.send(INITIATOR, &small)?;
        pair.send(RESPONDER, &failed(0, 1))?;
        pair.connect()?;
        pair.send(INITIATOR, &flush(7))?;
        pair.send(RESPONDER, &completion(7, SIZE))
    }),
    // Two Reads into the same memory: it is unknown which of them each block belongs to.
    (LEGAL, |pair| {
        let target = Target::Tagged { steering_tag: KEY, tagged_offset: 0x1000 };
        pair.connect()?;
        pair.send(INITIATOR, &read(7))?;
        pair.send(INITIATOR, &read(8))?;
        pair.case.send(RESPONDER, Message::Write, target, &[0x55; 512])?;
        pair.case.send(RESPONDER, Message::Write, target, &[0x55; 512])?;
        pair.send(RESPONDER, &completion(7, 3))?;
        pair.send(RESPONDER, &completion(8, 3))
    }),
    // A Retrieve of the Key Value Command Set: a key of 16 bytes, and an empty value.
    (LEGAL, |pair| {
        pair.connect()?;
        let mut retrieve = read(7);
        retrieve[KEY_LENGTH] = 16;
        pair.send(INITIATOR, &retrieve)?;
        pair.send(RESPONDER, &completion(7, 2))
    }),
    // After a controller reset, no earlier command is outstanding.
    (LEGAL, |pair| {
        pair.connect()?;
        pair.send(INITIATOR, &flush(7))?;
        let mut disable = command(FABRICS, 8, Descriptor::NONE);
        disable[FABRICS_TYPE] = 0;
        disable[PROPERTY] = 0x14;
        pair.send(INITIATOR, &disable)?;
        pair.send(RESPONDER, &completion(8, 3))?;
        pair.send(INITIATOR, &flush(7))?;
        pair.send(RESPONDER, &completion(7, 4))
    }),
];
