//! Orders to the target, and its memory.

use super::executor::{Executor, Stop, local_tag};
use super::session::RunError;
use crate::case::{Buffer, PROCEDURES, Record, Side};
use crate::run::serve::Serve;
use std::collections::BTreeSet;
use std::time::Duration;
use warpscope_agent::{
    BindWindow, Bytes, ErrorCode, Method, Operation, Post, PostReceives, Register, Revalidate,
    Right, Scope, Word, WorkFlag, WriteMemory,
};

/// The maximum number of bytes of memory that are written at once.
const AT_ONCE: usize = 1 << 16;
/// The numbers of the programs NFS and MOUNT (RFC 1813).
const NFS: u32 = 100_003;
const MOUNT: u32 = 100_005;
/// The credits to grant, and the maximum inline reply in bytes, if the case does not say.
const SERVED: (u64, u64) = (8, 1024);
/// How long calls are answered if the case does not say.
const SERVING: Duration = Duration::from_secs(10);

fn rights(words: &[&str]) -> BTreeSet<Right> {
    words.iter().filter_map(|word| word.parse().ok()).collect()
}

/// Returns the program and procedure of a call named by its word.
fn procedure(word: &str) -> Option<(u32, u32)> {
    let number = PROCEDURES.iter().position(|it| *it == word)?;
    let first_of_mount = PROCEDURES.iter().position(|it| it.starts_with("mount_"))?;
    Some(match number.checked_sub(first_of_mount) {
        Some(number) => (MOUNT, number as u32),
        None => (NFS, number as u32),
    })
}

impl Executor<'_> {
    /// Registers the target's buffers that do not belong to a stream.
    pub(super) fn register_buffers(&mut self) -> Result<(), Stop> {
        let buffers = self.instance.buffers.iter().filter(|it| it.region.side == Side::Target);
        let mut any = false;
        for buffer in buffers {
            any = true;
            if buffer.window.is_none() && buffer.scope != Some("stream") {
                self.register(buffer, 0)?;
            }
        }
        self.bind_windows(None)?;
        if any { self.fill_buffers() } else { Ok(()) }
    }

    /// Offers the runner's buffers on a stream, and registers the target's buffers that belong to it.
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
            self.bind_windows(Some(stream))?;
            self.fill_buffers()?;
        }
        Ok(())
    }

    /// Returns the initial contents of a buffer of the runner.
    pub(super) fn first_bytes(&self, buffer: &Buffer, stream: u32) -> Result<Vec<u8>, String> {
        let fill = self.optional_bytes(buffer.fill.as_ref(), stream)?;
        let mut bytes = fill.unwrap_or_default();
        bytes.resize(buffer.length as usize, 0);
        Ok(bytes)
    }

    /// Binds the windows that belong to a stream, or those that belong to none.
    fn bind_windows(&mut self, stream: Option<u32>) -> Result<(), Stop> {
        let instance = self.instance;
        for buffer in instance.buffers.iter().filter(|it| it.window.is_some()) {
            let of = match buffer.scope {
                Some("stream") => Some(self.stream_number(buffer.stream.as_deref().unwrap_or("a"))),
                _ => None,
            };
            if of == stream {
                self.register(buffer, stream.unwrap_or_default())?;
            }
        }
        Ok(())
    }

    /// Writes the initial contents of the target's buffers, and remembers them.
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

    /// Remembers the contents of the target's buffers if the case compares them later.
    fn remember(&mut self) -> Result<(), Stop> {
        for (name, region) in &self.regions {
            if self.instance.compares(name) {
                let bytes = self.session.read_region(name, 0, region.length)?;
                self.remembered.insert(name.clone(), bytes);
            }
        }
        Ok(())
    }

    /// Registers a buffer of the target, or binds a window.
    fn register(&mut self, buffer: &Buffer, stream: u32) -> Result<(), Stop> {
        let region = buffer.region.name.clone();
        let base = self.optional_number(buffer.base.as_ref(), stream)?.map(Word);
        let (scope, stream) = match buffer.scope {
            Some("stream") if self.capabilities.has("stream-scope") => {
                (Scope::Stream, Some(self.stream_name(stream)))
            }
            Some("foreign") => (Scope::OtherProtectionDomain, None),
            _ => (Scope::ProtectionDomain, None),
        };
        let (length, rights) = (buffer.length, rights_of(buffer));
        let method = match &buffer.window {
            Some((of, offset)) => {
                let (of, offset) = (of.name.clone(), *offset);
                let region = region.clone();
                let window = BindWindow { region, of, offset, length, rights, base, scope, stream };
                Method::BindWindow(window)
            }
            None => Method::Register(Register {
                region: region.clone(),
                length,
                rights,
                base,
                scope,
                stream,
                backing: buffer.backing.and_then(|it| it.parse().ok()).unwrap_or_default(),
                hash: buffer.hash.and_then(|it| it.parse().ok()),
            }),
        };
        self.region(region, method)
    }

    /// Calls a method that returns a region.
    fn region(&mut self, name: String, method: Method) -> Result<(), Stop> {
        let region = self.session.result(method)?;
        self.regions.insert(name, region);
        Ok(())
    }

    /// Reads bytes from a region of the target.
    pub(super) fn read_region(
        &mut self,
        name: &str,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, Stop> {
        if !self.regions.contains_key(name) {
            return Err(RunError::Unknown(format!("there is no region {name}")).into());
        }
        Ok(self.session.read_region(name, offset, length)?)
    }

    /// Writes bytes into a region of the target.
    fn write_region(&mut self, name: &str, offset: u64, bytes: &[u8]) -> Result<(), Stop> {
        for (index, piece) in bytes.chunks(AT_ONCE).enumerate() {
            let (region, bytes) = (name.to_owned(), Bytes(piece.to_vec()));
            let offset = offset + (index * AT_ONCE) as u64;
            self.session.need(Method::WriteMemory(WriteMemory { region, offset, bytes }))?;
        }
        Ok(())
    }

    /// Executes a `serve` step: answers RPC calls.
    pub(super) fn serve(&mut self, stream: u32, record: &Record) -> Result<(), Stop> {
        let number = |key: &str| self.optional_number(record.number(key), stream);
        let serve = Serve {
            until: record.keywords("until").iter().filter_map(|it| procedure(it)).collect(),
            refuse: record.keywords("refuse").iter().filter_map(|it| procedure(it)).collect(),
            credits: number("credits")?.unwrap_or(SERVED.0) as u32,
            inline: number("inline")?.unwrap_or(SERVED.1) as usize,
            again: record.flag("again") == Some(true),
            within: record.time("within").unwrap_or(SERVING),
        };
        let wrong = self.session.serve(stream, &serve)?;
        let what = if serve.until.is_empty() { "the stream ends" } else { "a call comes" };
        match self.check(format!("calls are made, and {what}"), wrong) {
            Err(Stop::Judged) if record.keyword("otherwise").is_some() => {
                Err(self.does_not_apply().into())
            }
            done => done,
        }
    }

    pub(super) fn order(&mut self, stream: u32, record: &Record, times: u64) -> Result<(), Stop> {
        let name = || record.region("region").map(|it| it.name.clone());
        let region = || name().ok_or("a buffer is needed");
        let number = |key: &str, usual: u64| match record.number(key) {
            Some(value) => self.number(value, stream),
            None => Ok(usual),
        };
        let on = self.stream_name(stream);
        let method = match record.name {
            "post_receives" => Method::PostReceives(PostReceives {
                stream: on,
                count: number("count", 1)? as u32,
                size: number("size", 0)? as u32,
                region: name(),
                offset: number("offset", 0)?,
                identifier: number("identifier", 1)?,
            }),
            "post" => Method::Post(self.work(stream, record)?),
            "fill" => {
                let bytes = record.bytes("with").ok_or("fill needs bytes")?;
                let bytes = self.bytes(bytes, stream)?;
                let offset = number("offset", 0)?;
                self.write_region(&region()?, offset, &bytes)?;
                return self.remember();
            }
            "invalidate" => Method::Invalidate { region: region()? },
            "recall" => Method::Recall { region: region()? },
            "revalidate" => {
                let region = region()?;
                let words = record.keywords("rights");
                let mut buffers = self.instance.buffers.iter();
                let buffer = buffers.find(|it| it.region.name == region);
                let rights = match words {
                    [] => buffer.map(rights_of).unwrap_or_default(),
                    words => rights(words),
                };
                let asked = Revalidate { region: region.clone(), rights };
                return self.region(region, Method::Revalidate(asked));
            }
            "deregister" => Method::Deregister { region: region()? },
            "finish" => Method::Finish { stream: on },
            "abort" => Method::Abort { stream: on },
            other => return Err(format!("there is no order {other}").into()),
        };
        // A stream that has already ended need not be ended.
        let ends = matches!(method, Method::Finish { .. } | Method::Abort { .. });
        match record.keyword("answer") {
            _ if ends => drop(self.session.ask(method)?),
            Some("failed") => {
                let identifier = number("identifier", 1)?;
                match self.session.need(method) {
                    Err(RunError::Refused { error, .. }) if error.is(ErrorCode::Refused) => {
                        self.refused.insert(identifier);
                    }
                    answer => drop(answer?),
                }
            }
            _ => drop(self.session.need_all(method, times)?),
        }
        Ok(())
    }

    fn work(&self, stream: u32, record: &Record) -> Result<Post, String> {
        let number = |key: &str, usual: u64| match record.number(key) {
            Some(value) => self.number(value, stream),
            None => Ok(usual),
        };
        let bytes = |key: &str| -> Result<Option<Vec<u8>>, String> {
            self.optional_bytes(record.bytes(key), stream)
        };
        let operation = record.keyword("operation").and_then(|it| it.parse().ok());
        let operation = operation.unwrap_or(Operation::Send);
        let payload = bytes("payload")?;
        let all = if operation == Operation::Atomic { u64::MAX } else { 0 };
        let flags = record.keywords("flags").iter().filter_map(|it| it.parse::<WorkFlag>().ok());
        Ok(Post {
            stream: self.stream_name(stream),
            identifier: number("identifier", 1)?,
            operation,
            flags: flags.collect(),
            length: number("length", payload.as_ref().map_or(0, |it| it.len() as u64))? as u32,
            payload: payload.map(Bytes),
            region: record.region("region").map(|it| it.name.clone()),
            offset: number("offset", 0)?,
            stag: number("stag", 0)? as u32,
            to: Word(number("to", 0)?),
            atomic: record.keyword("atomic").and_then(|it| it.parse().ok()),
            data: Word(number("data", 0)?),
            mask: Word(number("mask", all)?),
            compare_data: Word(number("compare_data", 0)?),
            compare_mask: Word(number("compare_mask", all)?),
            invalidate_stag: number("invalidate_stag", 0)? as u32,
            hash: bytes("hash")?.map(Bytes),
        })
    }
}

/// Returns what a remote peer may do with a buffer.
fn rights_of(buffer: &Buffer) -> BTreeSet<Right> {
    match buffer.rights.as_slice() {
        [] => rights(&["read", "write"]),
        words => rights(words),
    }
}
