//! Orders to the target, and its memory.

use super::control::{answer_words, order_words, status_words};
use super::executor::{Executor, Stop, local_tag};
use super::session::RunError;
use crate::case::{Buffer, PROCEDURES, Record, Side};
use crate::run::serve::Serve;
use std::time::Duration;
use warpscope_wire::test_ulp::{
    AccessRights, Addressing, Answer, AtomicCode, Backing, BindOrder, Hash, OperationCode, Order,
    Pattern, ReceivesOrder, RegionRange, RegisterOrder, RevalidateOrder, Scope, SourceCode, Status,
    WorkFlags, WorkOrder,
};

/// Bytes that are written by one order, at most.
const AT_ONCE: usize = 400;
/// The numbers of the programs NFS and MOUNT (RFC 1813).
const NFS: u32 = 100_003;
const MOUNT: u32 = 100_005;
/// Credits that are granted, and bytes of the longest reply inline, where the case says nothing.
const SERVED: (u64, u64) = (8, 1024);
/// How long calls are answered where the case says nothing.
const SERVING: Duration = Duration::from_secs(10);

fn rights(words: &[&str]) -> AccessRights {
    words.iter().fold(AccessRights::NONE, |rights, word| {
        rights
            | match *word {
                "read" => AccessRights::READ,
                "write" => AccessRights::WRITE,
                "atomic" => AccessRights::ATOMIC,
                "flush_persistence" => AccessRights::FLUSH_PERSISTENT,
                "flush_visibility" => AccessRights::FLUSH_VISIBLE,
                "verify" => AccessRights::VERIFY,
                _ => AccessRights::NONE,
            }
    })
}

/// Program and procedure of a call by its word.
fn procedure(word: &str) -> Option<(u32, u32)> {
    let number = PROCEDURES.iter().position(|it| *it == word)?;
    let first_of_mount = PROCEDURES.iter().position(|it| it.starts_with("mount_"))?;
    Some(match number.checked_sub(first_of_mount) {
        Some(number) => (MOUNT, number as u32),
        None => (NFS, number as u32),
    })
}

impl Executor<'_> {
    /// Registers the target's buffers that belong to no stream.
    pub(super) fn register_buffers(&mut self) -> Result<(), Stop> {
        let buffers = self.instance.buffers.iter().filter(|it| it.region.side == Side::Target);
        let mut any = false;
        for buffer in buffers {
            any = true;
            if buffer.window.is_none() && buffer.scope != Some("stream") {
                self.register(buffer, 0)?;
            }
        }
        self.bind_windows(0)?;
        if any { self.fill_buffers() } else { Ok(()) }
    }

    /// Offers the runner's buffers on a stream, and registers the target's that belong to it.
    pub(super) fn offer_buffers(&mut self, stream: u32) -> Result<(), Stop> {
        let instance = self.instance;
        let mut registered = false;
        for (index, buffer) in instance.buffers.iter().enumerate() {
            let mine = self.stream_number(buffer.stream.as_deref().unwrap_or("a")) == stream;
            match buffer.region.side {
                Side::Local => {
                    let (steering_tag, usual) = local_tag(index);
                    let base = self.optional_number(buffer.base.as_ref(), stream)?;
                    let bytes = self.first_bytes(buffer, stream)?;
                    let buffers = &mut self.stream(stream)?.raw.buffers;
                    buffers.offer(steering_tag, base.unwrap_or(usual), bytes);
                }
                Side::Target if mine && buffer.scope == Some("stream") => {
                    registered = true;
                    if buffer.window.is_none() {
                        self.register(buffer, stream)?;
                    }
                }
                Side::Target => {}
            }
        }
        if registered {
            self.bind_windows(stream)?;
            self.fill_buffers()?;
        }
        Ok(())
    }

    /// What a buffer of the runner holds at first.
    pub(super) fn first_bytes(&self, buffer: &Buffer, stream: u32) -> Result<Vec<u8>, String> {
        let fill = self.optional_bytes(buffer.fill.as_ref(), stream)?;
        let mut bytes = fill.unwrap_or_default();
        bytes.resize(buffer.length as usize, 0);
        Ok(bytes)
    }

    /// Binds the windows that belong to a stream, or, of stream 0, to none.
    fn bind_windows(&mut self, stream: u32) -> Result<(), Stop> {
        let instance = self.instance;
        for buffer in instance.buffers.iter().filter(|it| it.window.is_some()) {
            let of = match buffer.scope {
                Some("stream") => self.stream_number(buffer.stream.as_deref().unwrap_or("a")),
                _ => 0,
            };
            if of == stream {
                self.register(buffer, stream)?;
            }
        }
        Ok(())
    }

    /// Puts into the target's buffers what is in them at first, and remembers it.
    fn fill_buffers(&mut self) -> Result<(), Stop> {
        let instance = self.instance;
        for buffer in instance.buffers.iter().filter(|it| it.region.side == Side::Target) {
            let name = &buffer.region.name;
            if let Some(fill) = &buffer.fill
                && self.regions.contains_key(name)
            {
                let bytes = self.bytes(fill, 0)?;
                self.write_region(name, 0, &bytes)?;
            }
        }
        self.remember()
    }

    /// Remembers what the target's buffers hold, if the case asks later.
    fn remember(&mut self) -> Result<(), Stop> {
        if self.instance.compares_memory() {
            for (name, region) in &self.regions {
                let bytes = self.session.read_region(region, 0, region.length)?;
                self.remembered.insert(name.clone(), bytes);
            }
        }
        Ok(())
    }

    /// Registers a buffer of the target, or binds a window.
    fn register(&mut self, buffer: &Buffer, stream: u32) -> Result<(), Stop> {
        let base = self.optional_number(buffer.base.as_ref(), stream)?;
        let addressing = match base {
            None => Addressing::Chosen,
            Some(0) => Addressing::Zero,
            Some(_) => Addressing::Given,
        };
        let scope = match buffer.scope {
            Some("stream") => Scope::Stream,
            Some("foreign") => Scope::OtherProtectionDomain,
            _ => Scope::ProtectionDomain,
        };
        let usual = ["read", "write"];
        let words = if buffer.rights.is_empty() { &usual[..] } else { &buffer.rights[..] };
        if let Some((of, offset)) = &buffer.window {
            let of =
                self.regions.get(&of.name).ok_or_else(|| format!("there is no {}", of.name))?;
            let order = BindOrder {
                region: of.region,
                length: buffer.length,
                offset: *offset,
                base: base.unwrap_or(0),
                rights: rights(words),
                stream,
                addressing,
                scope,
            };
            return self.region_order(&buffer.region.name, &Order::Bind(order));
        }
        let order = RegisterOrder {
            length: buffer.length,
            base: base.unwrap_or(0),
            rights: rights(words),
            stream,
            addressing,
            scope,
            backing: match buffer.backing {
                Some("file") => Backing::File,
                Some("failing") => Backing::Failing,
                _ => Backing::Memory,
            },
            hash: match buffer.hash {
                Some("crc32c") => Hash::Crc32c,
                Some("sha256") => Hash::Sha256,
                Some("blake3") => Hash::Blake3,
                _ => Hash::None,
            },
        };
        let name = &buffer.region.name;
        self.region_order(name, &Order::Register(order, name.clone()))
    }

    /// Gives an order that is answered with a region.
    fn region_order(&mut self, name: &str, order: &Order) -> Result<(), Stop> {
        match self.session.need(order)? {
            Answer::Region(description, _) => {
                self.regions.insert(name.to_owned(), description);
                Ok(())
            }
            answer => {
                let (order, why) = (order_words(order.kind()), answer_words(&answer));
                Err(RunError::Refused { order, why }.into())
            }
        }
    }

    /// Reads bytes of a region of the target.
    pub(super) fn read_region(
        &mut self,
        name: &str,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, Stop> {
        let Some(region) = self.regions.get(name) else {
            return Err(RunError::Unknown(format!("there is no region {name}")).into());
        };
        Ok(self.session.read_region(region, offset, length)?)
    }

    /// Writes bytes into a region of the target.
    fn write_region(&mut self, name: &str, offset: u64, bytes: &[u8]) -> Result<(), Stop> {
        let region = self.regions.get(name).ok_or_else(|| format!("there is no buffer {name}"))?;
        for (index, piece) in bytes.chunks(AT_ONCE).enumerate() {
            let range = RegionRange {
                region: region.region,
                length: piece.len() as u32,
                offset: offset + (index * AT_ONCE) as u64,
            };
            self.session.need(&Order::Write(range, piece.to_vec()))?;
        }
        Ok(())
    }

    /// Carries a `serve` out: answers RPC calls.
    pub(super) fn serve(&mut self, stream: u32, record: &Record) -> Result<(), Stop> {
        let number = |key: &str| self.optional_number(record.number(key), stream);
        let serve = Serve {
            until: record.words("until").iter().filter_map(|it| procedure(it)).collect(),
            credits: number("credits")?.unwrap_or(SERVED.0) as u32,
            inline: number("inline")?.unwrap_or(SERVED.1) as usize,
            again: record.flag("again") == Some(true),
            within: record.time("within").unwrap_or(SERVING),
        };
        let wrong = self.session.serve(stream, &serve)?;
        let what = if serve.until.is_empty() { "the stream ends" } else { "a call comes" };
        self.check(format!("calls are made, and {what}"), wrong)
    }

    pub(super) fn order(&mut self, stream: u32, record: &Record) -> Result<(), Stop> {
        let region = || -> Result<u32, String> {
            let Some(region) = record.region("region") else { return Ok(0) };
            let known = self.regions.get(&region.name);
            Ok(known.ok_or_else(|| format!("there is no buffer {}", region.name))?.region)
        };
        let number = |key: &str, usual: u64| match record.number(key) {
            Some(value) => self.number(value, stream),
            None => Ok(usual),
        };
        let order = match record.name {
            "post_receives" => Order::Receives(ReceivesOrder {
                stream,
                count: number("count", 1)? as u32,
                size: number("size", 0)? as u32,
                region: region()?,
                offset: number("offset", 0)?,
                identifier: number("identifier", 1)?,
            }),
            "post" => self.work(stream, record)?,
            "fill" => {
                let bytes = record.bytes("with").ok_or("fill needs bytes")?;
                let bytes = self.bytes(bytes, stream)?;
                let name = record.region("region").map(|it| it.name.clone()).unwrap_or_default();
                let offset = number("offset", 0)?;
                self.write_region(&name, offset, &bytes)?;
                return self.remember();
            }
            "invalidate" => Order::Invalidate(region()?),
            "recall" => Order::Recall(region()?),
            "revalidate" => {
                let name = record.region("region").map(|it| it.name.as_str()).unwrap_or_default();
                let before = self.regions.get(name).map(|it| it.rights);
                let words = record.words("rights");
                let rights = if words.is_empty() { before } else { Some(rights(words)) };
                let rights = rights.ok_or_else(|| format!("there is no buffer {name}"))?;
                let order = RevalidateOrder { region: region()?, rights };
                return self.region_order(name, &Order::Revalidate(order));
            }
            "deregister" => Order::Deregister(region()?),
            "finish" => Order::Finish(stream),
            "abort" => Order::Abort(stream),
            other => return Err(format!("there is no order {other}").into()),
        };
        // A stream that has ended in the meantime needs no end.
        let ends = matches!(order, Order::Finish(_) | Order::Abort(_));
        match record.word("answer") {
            _ if ends => self.session.ask(&order)?,
            Some("refused") => {
                let status = self.session.ask(&order)?.status();
                let wrong = (status != Status::Refused)
                    .then(|| format!("its answer is \"{}\"", status_words(status)));
                let accepted = format!("the target's answer \"{}\"", status_words(Status::Refused));
                return self.check(accepted, wrong);
            }
            _ => self.session.need(&order)?,
        };
        Ok(())
    }

    fn work(&self, stream: u32, record: &Record) -> Result<Order, String> {
        let number = |key: &str, usual: u64| match record.number(key) {
            Some(value) => self.number(value, stream),
            None => Ok(usual),
        };
        let bytes = |key: &str| -> Result<Option<Vec<u8>>, String> {
            self.optional_bytes(record.bytes(key), stream)
        };
        let operation = match record.word("operation") {
            Some("immediate_data") => OperationCode::Immediate,
            Some("rdma_write") => OperationCode::Write,
            Some("rdma_read") => OperationCode::Read,
            Some("rdma_read_v2") => OperationCode::ReadV2,
            Some("atomic") => OperationCode::Atomic,
            Some("flush") => OperationCode::Flush,
            Some("verify") => OperationCode::Verify,
            Some("atomic_write") => OperationCode::AtomicWrite,
            _ => OperationCode::Send,
        };
        let mut flags = WorkFlags::NONE;
        for (word, flag) in [
            ("fence", WorkFlags::FENCE),
            ("solicited", WorkFlags::SOLICITED),
            ("invalidate", WorkFlags::INVALIDATE),
            ("immediate", WorkFlags::IMMEDIATE),
            ("persistence", WorkFlags::PERSISTENCE),
            ("visibility", WorkFlags::GLOBAL_VISIBILITY),
            ("compare", WorkFlags::COMPARE),
        ] {
            flags = flags.with(flag, record.words("flags").contains(&word));
        }
        let region = record.region("region").and_then(|it| self.regions.get(&it.name));
        let payload = bytes("payload")?;
        let sends = matches!(operation, OperationCode::Send | OperationCode::Write);
        let source = match (&payload, region) {
            (Some(bytes), _) if !bytes.is_empty() => SourceCode::Inline,
            (None, Some(_)) if sends => SourceCode::Region,
            _ => SourceCode::None,
        };
        let length = number("length", payload.as_ref().map_or(0, |it| it.len() as u64))? as u32;
        let work = WorkOrder {
            stream,
            operation,
            flags,
            source,
            atomic: match record.word("atomic") {
                Some("swap") => AtomicCode::Swap,
                Some("cmp_swap") => AtomicCode::CmpSwap,
                _ => AtomicCode::FetchAdd,
            },
            identifier: number("identifier", 1)?,
            remote_steering_tag: number("stag", 0)? as u32,
            length,
            remote_tagged_offset: number("to", 0)?,
            region: region.map_or(0, |it| it.region),
            invalidate_steering_tag: number("invalidate_stag", 0)? as u32,
            offset: number("offset", 0)?,
            data: number("data", 0)?,
            mask: number("mask", if operation == OperationCode::Atomic { u64::MAX } else { 0 })?,
            compare_data: number("compare_data", 0)?,
            compare_mask: number(
                "compare_mask",
                if operation == OperationCode::Atomic { u64::MAX } else { 0 },
            )?,
            pattern: Pattern::Constant,
            seed: 0,
        };
        Ok(Order::Work(work, bytes("hash")?.or(payload).unwrap_or_default()))
    }
}
