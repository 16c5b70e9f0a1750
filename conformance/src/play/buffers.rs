//! The memory that an instance needs.

use super::player::{Later, Playing};
use crate::case::{Buffer, Side};
use crate::run::{Action, AnswerMatch, Scene};
use warpscope_wire::test_ulp::{
    AccessRights, Addressing, Backing, BindOrder, Hash, Order, RegionRange, RegisterOrder, Scope,
};

/// Bytes that are written by one order, at most.
const AT_ONCE: usize = 400;

/// STag and base of the runner's buffer of this number, where the case gives no base.
pub(super) fn local_tag(index: usize) -> (u32, u64) {
    (0x4c00_0100 + ((index as u32) << 8), 0x1_0000 * (index as u64 + 1))
}

/// Rights by their words.
pub(super) fn rights(words: &[&str]) -> AccessRights {
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

impl Playing<'_> {
    /// Registers the target's buffers that belong to no stream.
    pub(super) fn register(&mut self, scene: &Scene<'_>) -> Result<(), String> {
        let script = self.script;
        for buffer in &script.instance.buffers {
            let own = buffer.region.side == Side::Target && buffer.window.is_none();
            if own && buffer.scope != Some("stream") {
                self.register_one(buffer, 0, scene)?;
            }
        }
        self.then(Later::Windows(0));
        if script.instance.buffers.iter().any(|it| it.region.side == Side::Target) {
            self.then(Later::Fill);
        }
        Ok(())
    }

    fn register_one(
        &mut self,
        buffer: &Buffer,
        stream: u32,
        scene: &Scene<'_>,
    ) -> Result<(), String> {
        let base = buffer.base.as_ref().map(|base| self.number(base, stream, scene)).transpose()?;
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
            let of = scene.region(&of.name).ok_or_else(|| format!("there is no {}", of.name))?;
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
            self.queue.push_back(Action::Bind { name: buffer.region.name.clone(), order });
            return Ok(());
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
        self.queue.push_back(Action::Register { name: buffer.region.name.clone(), order });
        Ok(())
    }

    /// Does what waited for the actions before it.
    pub(super) fn do_later(&mut self, later: Later, scene: &Scene<'_>) -> Result<(), String> {
        match later {
            Later::Reply(stream, connect) => self.frame(stream, &connect, true, scene),
            Later::Fill => self.fill(scene, None),
            Later::Windows(stream) => self.windows(stream, scene),
            Later::Buffers(stream) => self.buffers_of(stream, scene),
            Later::Ready(stream) => {
                self.ready_to_receive(stream, scene);
                Ok(())
            }
        }
    }

    /// Binds the windows that belong to a stream, or, of stream 0, to none.
    fn windows(&mut self, stream: u32, scene: &Scene<'_>) -> Result<(), String> {
        let script = self.script;
        for buffer in script.instance.buffers.iter().filter(|it| it.window.is_some()) {
            let of = match buffer.scope {
                Some("stream") => self.stream(buffer.stream.as_deref().unwrap_or("a")),
                _ => 0,
            };
            if of == stream {
                self.register_one(buffer, stream, scene)?;
            }
        }
        Ok(())
    }

    /// Puts into the target's buffers what is in them at first, and remembers it.
    fn fill(&mut self, scene: &Scene<'_>, only: Option<&str>) -> Result<(), String> {
        let script = self.script;
        for buffer in &script.instance.buffers {
            let name = &buffer.region.name;
            let Some(fill) = &buffer.fill else { continue };
            if buffer.region.side == Side::Local || only.is_some_and(|only| only != name) {
                continue;
            }
            if scene.region(name).is_some() {
                let bytes = self.bytes(fill, 0, scene)?;
                self.write_region(name, 0, &bytes, scene)?;
            }
        }
        if script.compares() {
            self.queue.push_back(Action::Remember);
        }
        Ok(())
    }

    /// Orders that write bytes into a region of the target.
    pub(super) fn write_region(
        &mut self,
        name: &str,
        offset: u64,
        bytes: &[u8],
        scene: &Scene<'_>,
    ) -> Result<(), String> {
        let region = scene.region(name).ok_or_else(|| format!("there is no buffer {name}"))?;
        for (index, piece) in bytes.chunks(AT_ONCE).enumerate() {
            let range = RegionRange {
                region: region.region,
                length: piece.len() as u32,
                offset: offset + (index * AT_ONCE) as u64,
            };
            let order = Box::new(Order::Write(range, piece.to_vec()));
            let (name, answer) = (String::new(), AnswerMatch::Needed);
            self.queue.push_back(Action::Order { name, order, answer });
        }
        Ok(())
    }

    /// Offers the runner's buffers on a stream, and registers the target's that belong to it.
    fn buffers_of(&mut self, stream: u32, scene: &Scene<'_>) -> Result<(), String> {
        let script = self.script;
        let mut registered = false;
        for (index, buffer) in script.instance.buffers.iter().enumerate() {
            let of = buffer.stream.as_deref().unwrap_or("a");
            let mine = self.stream(of) == stream;
            match buffer.region.side {
                Side::Local => {
                    let (steering_tag, usual) = local_tag(index);
                    let base = buffer.base.as_ref();
                    let base = base.map(|it| self.number(it, stream, scene)).transpose()?;
                    let fill = buffer.fill.as_ref();
                    let fill = fill.map(|it| self.bytes(it, stream, scene)).transpose()?;
                    let mut bytes = fill.unwrap_or_default();
                    bytes.resize(buffer.length as usize, 0);
                    let base = base.unwrap_or(usual);
                    self.queue.push_back(Action::Offer { stream, steering_tag, base, bytes });
                }
                Side::Target if mine && buffer.scope == Some("stream") => {
                    if buffer.window.is_none() {
                        self.register_one(buffer, stream, scene)?;
                    }
                    registered = true;
                }
                Side::Target => {}
            }
        }
        if registered {
            self.then(Later::Windows(stream));
            self.then(Later::Fill);
        }
        Ok(())
    }
}
