//! A message of NVMe over RDMA: its protocols and its line.

use crate::ulp::{FilePlace, UlpItem, write_answer};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use warpscope_text::counted;
use warpscope_wire::nvme::{
    ASYNCHRONOUS_EVENT_TYPES, CNS_VALUES, CommandView, CompletionView, ConnectDataView,
    ConnectView, DiscoveryHeaderView, FEATURES, LOG_PAGES, NOTICES, PROPERTIES, PropertyView,
    Queue,
};
use warpscope_wire::{Malformed, name_of};

/// Opcodes of the admin queue that determine the rest of a command.
pub(crate) mod admin {
    pub(crate) const GET_LOG_PAGE: u8 = 0x02;
    pub(crate) const IDENTIFY: u8 = 0x06;
    pub(crate) const ABORT: u8 = 0x08;
    pub(crate) const SET_FEATURES: u8 = 0x09;
    pub(crate) const GET_FEATURES: u8 = 0x0a;
    pub(crate) const ASYNCHRONOUS_EVENT: u8 = 0x0c;
}

/// Opcodes of I/O queues that determine the rest of a command.
pub(crate) mod io {
    pub(crate) const WRITE: u8 = 0x01;
    pub(crate) const READ: u8 = 0x02;
    pub(crate) const WRITE_UNCORRECTABLE: u8 = 0x04;
    pub(crate) const COMPARE: u8 = 0x05;
    pub(crate) const WRITE_ZEROES: u8 = 0x08;
    pub(crate) const DATASET_MANAGEMENT: u8 = 0x09;
    pub(crate) const VERIFY: u8 = 0x0c;
    pub(crate) const ZONE_APPEND: u8 = 0x7d;
}

/// Fabrics Command Types that determine the rest of a command.
pub(crate) mod fabrics {
    pub(crate) const PROPERTY_SET: u8 = 0x00;
    pub(crate) const CONNECT: u8 = 0x01;
    pub(crate) const PROPERTY_GET: u8 = 0x04;
}

/// CNS values whose data is decoded.
pub(crate) mod structure {
    pub(crate) const NAMESPACE: u8 = 0x00;
    pub(crate) const CONTROLLER: u8 = 0x01;
    pub(crate) const ACTIVE_NAMESPACES: u8 = 0x02;
}

/// The Discovery log page.
pub(crate) const DISCOVERY: u8 = 0x70;

/// A command without a completion, and the kind of its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    entry: [u8; CommandView::LENGTH],
    /// The kind of queue, on which the meaning of opcodes depends.
    pub queue: Queue,
    /// True if another command offered some of the same memory at the same time: moved data may be either's.
    pub shared: bool,
}

impl Asked {
    pub(crate) fn new(view: &CommandView<'_>, queue: Queue) -> Self {
        Self { entry: *view.bytes(), queue, shared: false }
    }

    /// Returns the 64 bytes of the submission queue entry.
    pub fn entry(&self) -> &[u8; CommandView::LENGTH] {
        &self.entry
    }

    fn view(&self) -> Option<CommandView<'_>> {
        CommandView::parse(&self.entry).ok().map(|(view, _)| view)
    }

    /// Returns the name of the command.
    pub fn name(&self) -> Cow<'static, str> {
        let Some(view) = self.view() else { return "command".into() };
        match (view.name(self.queue), view.fabrics_type()) {
            (Some(name), _) => name.into(),
            (None, Some(fabrics_type)) => format!("Fabrics command {fabrics_type:#04x}").into(),
            (None, None) => format!("opcode {:#04x}", view.opcode()).into(),
        }
    }

    /// Returns whether it is a Fabrics command.
    pub fn is_fabrics(&self) -> bool {
        self.view().is_some_and(|view| view.is_fabrics())
    }

    /// Returns the name of its data, if that is decoded.
    pub(crate) fn page(&self) -> Option<&'static str> {
        let view = self.view()?;
        if view.is_fabrics() || self.queue != Queue::Admin {
            return None;
        }
        match view.opcode() {
            admin::GET_LOG_PAGE if view.log_page() == DISCOVERY => Some("Discovery log page"),
            admin::IDENTIFY => match view.identify_structure() {
                structure::NAMESPACE => Some("Identify Namespace data"),
                structure::CONTROLLER => Some("Identify Controller data"),
                structure::ACTIVE_NAMESPACES => Some("Active Namespace List"),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the place of `bytes` bytes of a Read or a Write, in a namespace of an NVM subsystem.
    pub(crate) fn file(&self, subsystem: &[u8], bytes: u64) -> Option<FilePlace> {
        let view = self.view().filter(|_| self.queue == Queue::Io)?;
        if !matches!(view.opcode(), io::READ | io::WRITE) {
            return None;
        }
        let name = format!("nsid-{}", view.namespace_id());
        let blocks = view.block_count().into();
        let mut place = FilePlace::blocks(name, view.starting_lba(), blocks, bytes)?;
        place.handle.extend_from_slice(subsystem);
        Some(place)
    }

    /// Returns what it is about, as text; empty for nothing.
    pub(crate) fn object(&self) -> String {
        let Some(view) = self.view() else { return String::new() };
        let named = |names: &[(u64, &'static str)], value: u8| match name_of(names, value) {
            Some(name) => name.to_owned(),
            None => format!("{value:#04x}"),
        };
        if let Some(fabrics_type) = view.fabrics_type() {
            return fabrics_object(&self.entry, fabrics_type);
        }
        if self.queue == Queue::Io {
            return format!("nsid {}{}", view.namespace_id(), Blocks::of(&view));
        }
        match view.opcode() {
            admin::GET_LOG_PAGE => named(LOG_PAGES, view.log_page()),
            admin::IDENTIFY => {
                let words = named(CNS_VALUES, view.identify_structure());
                match view.namespace_id() {
                    0 => words,
                    namespace => format!("{words}, nsid {namespace}"),
                }
            }
            admin::SET_FEATURES | admin::GET_FEATURES => named(FEATURES, view.feature()),
            admin::ABORT => {
                let [queue, command] = [view.dword10() & 0xffff, view.dword10() >> 16];
                format!("CID {command} of queue {queue}")
            }
            _ => String::new(),
        }
    }
}

fn fabrics_object(entry: &[u8], fabrics_type: u8) -> String {
    match fabrics_type {
        fabrics::CONNECT => match ConnectView::parse(entry) {
            Ok((connect, _)) => format!("queue {}", connect.queue_id()),
            Err(_) => String::new(),
        },
        fabrics::PROPERTY_GET | fabrics::PROPERTY_SET => match PropertyView::parse(entry) {
            Ok((property, _)) => match name_of(PROPERTIES, property.offset()) {
                Some(name) => name.to_owned(),
                None => format!("property {:#x}", property.offset()),
            },
            Err(_) => String::new(),
        },
        _ => String::new(),
    }
}

/// The logical blocks named by a command of an I/O queue, as text that follows its namespace.
struct Blocks {
    range: Option<(u64, u32)>,
    ranges: Option<u32>,
}

impl Blocks {
    fn of(view: &CommandView<'_>) -> Self {
        match view.opcode() {
            opcode if names_blocks(opcode) => {
                Self { range: Some((view.starting_lba(), view.block_count())), ranges: None }
            }
            io::DATASET_MANAGEMENT => Self { range: None, ranges: Some(view.range_count()) },
            _ => Self { range: None, ranges: None },
        }
    }
}

/// Returns whether a command of an I/O queue has a starting LBA and a number of blocks.
pub(crate) fn names_blocks(opcode: u8) -> bool {
    matches!(
        opcode,
        io::WRITE
            | io::READ
            | io::WRITE_UNCORRECTABLE
            | io::COMPARE
            | io::WRITE_ZEROES
            | io::VERIFY
            | io::ZONE_APPEND
    )
}

impl fmt::Display for Blocks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((lba, blocks)) = self.range {
            write!(out, ", LBA {lba}, {}", counted(blocks.into(), "block"))?;
        }
        if let Some(ranges) = self.ranges {
            write!(out, ", {}", counted(ranges.into(), "range"))?;
        }
        Ok(())
    }
}

/// The content of a message.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// A command capsule.
    Command {
        /// The command.
        asked: Asked,
        /// Its data in the capsule.
        data: &'a [u8],
        /// True if a command with that identifier already waits for its completion.
        repeated: bool,
    },
    /// A response capsule.
    Completion {
        /// The command, if it was seen.
        asked: Option<Asked>,
        /// The STag that the Send invalidates.
        invalidated: Option<u32>,
        /// True if all commands that wait for a completion are known.
        known: bool,
    },
    /// Data reassembled from RDMA Reads or Writes.
    Page {
        /// The command.
        asked: Asked,
    },
    /// A Send that is neither a command nor a response.
    Unreadable(Malformed),
}

/// A message of NVMe over RDMA.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// The ID of the connection's queue, if known.
    pub queue_id: Option<u16>,
    /// The content.
    pub content: Content<'a>,
}

impl Message<'_> {
    /// Returns the protocols in it, by Wireshark's names.
    pub(crate) fn protocols(&self) -> &'static [&'static str] {
        match self.content {
            Content::Unreadable(_) => &["nvme-rdma"],
            _ => &["nvme-rdma", "nvme"],
        }
    }

    /// Writes its line; returns true for an alarm.
    pub(crate) fn write_line(&self, item: &UlpItem<'_>, out: &mut String) -> bool {
        let mut alarm = false;
        let written = self.line(item, out, &mut alarm);
        debug_assert!(written.is_ok());
        alarm
    }

    fn line(&self, item: &UlpItem<'_>, out: &mut String, alarm: &mut bool) -> fmt::Result {
        let queue = |out: &mut String| match self.queue_id {
            Some(queue_id) => write!(out, "Q{queue_id} "),
            None => Ok(()),
        };
        match &self.content {
            Content::Command { asked, .. } => {
                queue(out)?;
                write!(out, "{}", asked.name())?;
                let object = asked.object();
                if !object.is_empty() {
                    write!(out, " {object}")?;
                }
                if let Some(length) = item.io.and_then(|io| io.length) {
                    write!(out, ", {}", counted(length, "byte"))?;
                }
                if let Some(view) = asked.view() {
                    write!(out, " CID={}", view.command_id())?;
                }
            }
            Content::Completion { asked, .. } => {
                queue(out)?;
                let Ok((view, _)) = CompletionView::parse(item.bytes) else { return Ok(()) };
                let Some((asked, io)) = asked.as_ref().zip(item.io) else {
                    return write!(
                        out,
                        "completion CID={} [of a command not seen]",
                        view.command_id()
                    );
                };
                write!(out, "{}: ", asked.name())?;
                if let Some(status) = &io.status {
                    out.push_str(&status.words);
                    *alarm = status.failed;
                }
                if view.status().do_not_retry() {
                    out.push_str(", do not retry");
                }
                if is_event(asked) && view.status().succeeded() {
                    write!(out, ", {}", event(view.dword0()))?;
                }
                write!(out, " CID={}", view.command_id())?;
                if let Some(requested) = io.requested {
                    write_answer(requested.frame, io.latency(), out)?;
                }
            }
            Content::Page { asked } => write!(out, " [{}]", page_text(asked, item.bytes))?,
            Content::Unreadable(malformed) => {
                *alarm = item.whole;
                write!(out, "[{malformed}]")?;
            }
        }
        if !item.whole {
            out.push_str(" [incomplete]");
        }
        Ok(())
    }
}

/// Returns whether a command waits for an event.
pub(crate) fn is_event(asked: &Asked) -> bool {
    asked.queue == Queue::Admin
        && asked.view().is_some_and(|view| view.opcode() == admin::ASYNCHRONOUS_EVENT)
}

/// Returns the text of an event reported by an Asynchronous Event Request.
fn event(result: u32) -> String {
    let [kind, information, page, _] = result.to_le_bytes();
    let kind = u64::from(kind & 0x07);
    let words = match name_of(NOTICES, information) {
        Some(notice) if kind == 2 => notice.to_owned(),
        _ => {
            let name = name_of(ASYNCHRONOUS_EVENT_TYPES, kind).unwrap_or("event");
            format!("{name} {information:#04x}")
        }
    };
    match name_of(LOG_PAGES, page) {
        Some(name) => format!("{words}, log page {name}"),
        None => words,
    }
}

/// Returns the text of some data.
fn page_text(asked: &Asked, bytes: &[u8]) -> String {
    let Some(title) = asked.page() else {
        let Ok((data, _)) = ConnectDataView::parse(bytes) else { return "Connect data".to_owned() };
        let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        return format!("to {} from {}", name(data.subsystem_name()), name(data.host_name()));
    };
    match DiscoveryHeaderView::parse(bytes) {
        Ok((header, _)) if title == "Discovery log page" => {
            let entries = header.record_count();
            format!(
                "{title} {}: {entries} {}",
                header.generation_counter(),
                if entries == 1 { "entry" } else { "entries" }
            )
        }
        _ => title.to_owned(),
    }
}
