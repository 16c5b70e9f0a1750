//! RPC-over-RDMA: every procedure, chunk lists, and the transfers that they describe.

use super::catalogue::{
    BUFFER_OFFSET, Generated, SINK, SOURCE, closed, payload, read_header, scenarios, tagged,
};
use crate::message::Target;
use crate::packet::End;
use crate::rpc::{BEFORE_READ, BEFORE_WRITTEN, CALL_HEADER, GETATTR, READ, WRITE};
use crate::session::{Agreement, INITIATOR, RESPONDER, Session};
use crate::{Result, message, rpc};
use warpscope_wire::mpa::RdmaPrivateData;
use warpscope_wire::rdmap::Message;
use warpscope_wire::rpcrdma::{Chunks, ReadSegment, Segment, TransportError};

scenarios! {
    SCENARIOS:
    "rpcordma", rpcordma,
        "RDMA_MSG, NOMSG, MSGP, DONE and ERROR; read, write and reply chunks with their transfers; a Send of three segments",
        "RPC-over-RDMA headers and the chunks' transfers";
}

const NFS_PORT: u16 = 20_049;
/// Length of a reply header in bytes.
const REPLY_HEADER: usize = 24;

fn segment(length: u32, offset: u64) -> Segment {
    Segment { handle: SINK, length, offset: BUFFER_OFFSET + offset }
}

fn read_list(position: u32, length: u32) -> Chunks {
    let target = Segment { handle: SOURCE, length, offset: 0x2000 };
    Chunks { reads: vec![ReadSegment { position, target }], ..Chunks::default() }
}

/// Fetches a read chunk: the responder sends a Read Request, the initiator responds.
fn fetch(session: &mut Session, bytes: &[u8]) -> Result<()> {
    let request = message::read_request(&read_header(bytes.len() as u32));
    session.send(RESPONDER, Message::ReadRequest, Target::Queue, &request)?;
    session.send(INITIATOR, Message::ReadResponse, tagged(0), bytes)
}

fn getattr(xid: u32) -> Vec<u8> {
    rpc::call_with(xid, GETATTR, &rpc::getattr())
}

/// Returns a WRITE with its data inline, `bytes` bytes long.
fn whole_write(xid: u32, bytes: usize) -> Vec<u8> {
    let data = payload(xid.into(), bytes - CALL_HEADER - BEFORE_WRITTEN);
    rpc::call_with(xid, WRITE, &[rpc::write(data.len() as u32), data].concat())
}

fn written(xid: u32, count: usize) -> Result<Vec<u8>> {
    rpc::message(xid, Chunks::default(), &rpc::reply_with(xid, &rpc::write_results(count as u32))?)
}

fn rpcordma() -> Result<Generated> {
    let ends = [End::v4(1, 40_001), End::v4(2, NFS_PORT)];
    let mut session = Session::new(ends, [0x0a0b_0c0d, 0x0d0c_0b0a]);
    let private_data = RdmaPrivateData::new(true, 4096, 4096)?.bytes().to_vec();
    session.open(&Agreement {
        private_data: [private_data.clone(), private_data],
        ..Agreement::default()
    })?;
    let call = |session: &mut Session, bytes: &[u8]| {
        session.send(INITIATOR, Message::Send, Target::Queue, bytes)
    };
    let answer = |session: &mut Session, bytes: &[u8]| {
        session.send(RESPONDER, Message::Send, Target::Queue, bytes)
    };
    let none = Chunks::default;
    // A call and a reply without chunks.
    call(&mut session, &rpc::message(1, none(), &getattr(1))?)?;
    answer(&mut session, &rpc::message(1, none(), &rpc::reply_with(1, &rpc::getattr_results())?)?)?;
    // A read chunk with the data of a WRITE; the reply invalidates its Steering Tag.
    let position = (CALL_HEADER + BEFORE_WRITTEN) as u32;
    let write = rpc::call_with(2, WRITE, &rpc::write(2000));
    call(&mut session, &rpc::message(2, read_list(position, 2000), &write)?)?;
    fetch(&mut session, &payload(700, 2000))?;
    let reply = written(2, 2000)?;
    session.send(RESPONDER, Message::SendInvalidate, Target::Invalidate(SOURCE), &reply)?;
    // A write chunk of two segments.
    let writes = Chunks { writes: vec![vec![segment(1500, 0), segment(500, 0x1000)]], ..none() };
    let read = rpc::call_with(3, READ, &rpc::read(2000));
    call(&mut session, &rpc::message(3, writes.clone(), &read)?)?;
    session.send(RESPONDER, Message::Write, tagged(0), &payload(701, 1500))?;
    session.send(RESPONDER, Message::Write, tagged(0x1000), &payload(702, 500))?;
    let reply = rpc::reply_with(3, &rpc::read_results(2000))?;
    answer(&mut session, &rpc::message(3, writes, &reply)?)?;
    // A long call: the whole call in a read chunk at position 0.
    call(&mut session, &rpc::no_message(4, read_list(0, 3000))?)?;
    fetch(&mut session, &whole_write(4, 3000))?;
    answer(&mut session, &written(4, 3000 - CALL_HEADER - BEFORE_WRITTEN)?)?;
    // A long reply: the whole reply in the reply chunk.
    let long_reply = Chunks { reply: Some(vec![segment(4000, 0)]), ..none() };
    let data = payload(703, 4000 - REPLY_HEADER - BEFORE_READ);
    let count = data.len() as u32;
    let read = rpc::call_with(5, READ, &rpc::read(count));
    call(&mut session, &rpc::message(5, long_reply.clone(), &read)?)?;
    let reply = rpc::reply_with(5, &[rpc::read_results(count), data].concat())?;
    session.send(RESPONDER, Message::Write, tagged(0), &reply)?;
    answer(&mut session, &rpc::no_message(5, long_reply)?)?;
    // 28 bytes of transport header, 40 of call header, 3432 of arguments: three segments.
    call(&mut session, &rpc::message(6, none(), &whole_write(6, 3472))?)?;
    answer(&mut session, &written(6, 3472 - CALL_HEADER - BEFORE_WRITTEN)?)?;
    // The two reserved procedures, and errors.
    call(&mut session, &rpc::message_padded(7, 4, 1024, &getattr(7))?)?;
    answer(&mut session, &rpc::error(7, 1, TransportError::Chunk)?)?;
    call(&mut session, &rpc::done(8))?;
    let unknown_version = rpc::message(9, none(), &getattr(9))?;
    call(&mut session, &rpc::with_version(unknown_version, 2))?;
    answer(&mut session, &rpc::error(9, 2, TransportError::Version { low: 1, high: 1 })?)?;
    closed(session)
}
