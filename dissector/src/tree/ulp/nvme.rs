//! The nodes of NVMe over RDMA.

use crate::field::FieldRef;
use crate::field::nvme::{entry, fabrics, page, rdma};
use crate::mpa::SetupItem;
use crate::tree::{Part, Run, Tree, Value};
use crate::ulp::UlpItem;
use crate::ulp::nvme::message::{
    Asked, Content, DISCOVERY, Message, admin, fabrics as fabrics_types, io, is_event,
    names_blocks, structure,
};
use warpscope_text::counted;
use warpscope_wire::mpa::Role;
use warpscope_wire::nvme::{
    AcceptView, CommandView, CompletionView, ConnectDataView, DataRangeView, DiscoveryEntryView,
    DiscoveryHeaderView, IdentifyControllerView, IdentifyNamespaceView, PropertyView, Queue,
    RejectView, RequestView, text,
};

/// The maximum number of entries, ranges or namespaces shown from one list.
const LISTED: usize = 1024;
/// Offset of the data pointer in a submission queue entry.
const SGL: usize = 24;

impl Message<'_> {
    /// Adds its nodes; `run` is where its bytes are.
    pub(crate) fn push(&self, tree: &mut Tree, run: Run, item: &UlpItem<'_>) {
        let mut part = Part { tree, source: run.source, start: run.start, bytes: item.bytes };
        let part = &mut part;
        part.layer(0, &rdma::NVME_RDMA, None);
        if let Some(queue_id) = self.queue_id {
            part.derived(1, &rdma::QUEUE_ID, queue_id.into());
        }
        match &self.content {
            Content::Command { asked, data, .. } => command(part, asked, data),
            Content::Completion { asked, .. } => completion(part, asked.as_ref(), item),
            Content::Page { asked } => data(part, asked),
            Content::Unreadable(malformed) => {
                let words = Value::Text(malformed.to_string().into());
                part.tree.push_generated(1, &rdma::MALFORMED, words);
                part.bytes(1, &rdma::UNKNOWN_DATA, 0, item.bytes.len());
            }
        }
    }
}

/// Pushes some bits of a little-endian word, the lowest of them `shift` bits above the word's lowest.
fn bits(
    part: &mut Part<'_, '_>,
    depth: u8,
    field: FieldRef,
    (at, length): (usize, usize),
    (shift, count): (u8, u8),
) -> Option<u64> {
    let bytes = part.bytes.get(at..at.checked_add(length)?)?;
    let word = bytes.iter().rev().fold(0, |word: u64, byte| word << 8 | u64::from(*byte));
    let number = word >> shift & ((1u64 << count) - 1);
    let (first, within) = (at + usize::from(shift / 8), shift % 8);
    if within + count <= 8 {
        part.bits(depth, field, first, 8 - within - count, count);
    } else {
        let bytes = usize::from(within + count).div_ceil(8);
        part.value(depth, field, Value::Unsigned(number), first, bytes);
    }
    Some(number)
}

/// Pushes a text that ends at its first zero byte or blank.
fn name(part: &mut Part<'_, '_>, depth: u8, field: FieldRef, (at, length): (usize, usize)) {
    let words = String::from_utf8_lossy(text(part.bytes, at, length).trim_ascii_end());
    let value = Value::Text(words.into_owned().into());
    if part.bytes.len() >= at + length {
        part.value(depth, field, value, at, length);
    }
}

// Private data.

/// Adds the nodes of a setup frame's private data, which begins at an offset of the frame.
pub(crate) fn push_private_data(part: &mut Part<'_, '_>, at: usize, item: &SetupItem<'_>) {
    let bytes = item.view.ulp_private_data();
    let length = bytes.len();
    if length == 0 {
        return;
    }
    part.value(3, &rdma::NVME_RDMA, Value::None, at, length);
    let header = item.view.header;
    let rest = match (header.role(), header.rejected()) {
        (Some(Role::Reply), true) if length >= RejectView::LENGTH => {
            part.number_le(4, &rdma::REJECT_FORMAT, at, 2);
            part.number_le(4, &rdma::REJECT_STATUS, at + 2, 2);
            RejectView::LENGTH
        }
        (Some(Role::Reply), false) if length >= AcceptView::LENGTH => {
            part.number_le(4, &rdma::REPLY_FORMAT, at, 2);
            part.number_le(4, &rdma::REPLY_RECEIVE_SIZE, at + 2, 2);
            let reserved = AcceptView::LENGTH - AcceptView::RESERVED;
            part.bytes(4, &rdma::REPLY_RESERVED, at + AcceptView::RESERVED, reserved);
            AcceptView::LENGTH
        }
        (Some(Role::Request), _) if length >= RequestView::LENGTH => {
            part.number_le(4, &rdma::REQUEST_FORMAT, at, 2);
            part.number_le(4, &rdma::REQUEST_QUEUE_ID, at + 2, 2);
            part.number_le(4, &rdma::REQUEST_RECEIVE_SIZE, at + 4, 2);
            part.number_le(4, &rdma::REQUEST_SEND_SIZE, at + 6, 2);
            part.number_le(4, &rdma::REQUEST_CONTROLLER_ID, at + 8, 2);
            let reserved = RequestView::LENGTH - RequestView::RESERVED;
            part.bytes(4, &rdma::REQUEST_RESERVED, at + RequestView::RESERVED, reserved);
            RequestView::LENGTH
        }
        _ => 0,
    };
    if rest < length {
        part.bytes(4, &rdma::UNKNOWN_DATA, at + rest, length - rest);
    }
}

// Commands.

fn command(part: &mut Part<'_, '_>, asked: &Asked, in_capsule: &[u8]) {
    let Ok((view, _)) = CommandView::parse(part.bytes) else { return };
    let object = asked.object();
    let words = if object.is_empty() { String::new() } else { format!(" {object}") };
    part.layer(0, &entry::NVME, Some(format!("{}{words}", asked.name())));
    match view.fabrics_type() {
        Some(fabrics_type) => fabrics_command(part, fabrics_type, in_capsule),
        None => plain_command(part, &view, asked.queue),
    }
    let behind = part.bytes.len().saturating_sub(CommandView::LENGTH);
    if behind == 0 {
        return;
    }
    let dataset = asked.queue == Queue::Io && view.opcode() == io::DATASET_MANAGEMENT;
    if dataset && !view.is_fabrics() {
        ranges(part, view.range_count() as usize);
    } else if view.fabrics_type() != Some(fabrics_types::CONNECT) {
        part.bytes(1, &page::DATA_BYTES, CommandView::LENGTH, behind);
    }
}

fn plain_command(part: &mut Part<'_, '_>, view: &CommandView<'_>, queue: Queue) {
    part.number_le(1, &entry::OPCODE, 0, 1);
    let field = match queue {
        Queue::Admin => &entry::ADMIN_OPCODE,
        Queue::Io => &entry::IO_OPCODE,
    };
    part.derived(1, field, view.opcode().into());
    part.bits(1, &entry::FUSED_OPERATION, 1, 6, 2);
    part.bits(1, &entry::FLAGS_RESERVED, 1, 2, 4);
    part.bits(1, &entry::SGL_USE, 1, 0, 2);
    part.number_le(1, &entry::COMMAND_ID, 2, 2);
    part.number_le(1, &entry::NAMESPACE_ID, 4, 4);
    part.number_le(1, &entry::METADATA_POINTER, 16, 8);
    descriptor(part, &entry::SGL);
    let shown = match queue {
        Queue::Io => io_dwords(part, view),
        Queue::Admin => admin_dwords(part, view),
    };
    if shown.is_none() {
        let dwords = [
            &entry::DWORD10,
            &entry::DWORD11,
            &entry::DWORD12,
            &entry::DWORD13,
            &entry::DWORD14,
            &entry::DWORD15,
        ];
        for (index, field) in dwords.into_iter().enumerate() {
            part.number_le(1, field, 40 + 4 * index, 4);
        }
    }
}

/// Pushes the data pointer: an SGL descriptor.
fn descriptor(part: &mut Part<'_, '_>, heading: FieldRef) {
    let Ok((view, _)) = CommandView::parse(part.bytes) else { return };
    let descriptor = view.descriptor();
    let index = part.value(1, heading, Value::None, SGL, 16);
    part.note(index, descriptor.descriptor().map(|it| it.name().to_owned()));
    part.bits(2, &entry::SGL_SUB_TYPE, SGL + 15, 4, 4);
    part.bits(2, &entry::SGL_TYPE, SGL + 15, 0, 4);
    part.number_le(2, &entry::SGL_ADDRESS, SGL, 8);
    if descriptor.descriptor_type() == 4 {
        part.number_le(2, &entry::SGL_LENGTH, SGL + 8, 3);
        part.number_le(2, &entry::SGL_KEY, SGL + 11, 4);
    } else {
        part.number_le(2, &entry::SGL_LENGTH, SGL + 8, 4);
    }
}

/// Pushes the last dwords of a command on an I/O queue.
fn io_dwords(part: &mut Part<'_, '_>, view: &CommandView<'_>) -> Option<()> {
    match view.opcode() {
        opcode if names_blocks(opcode) => {
            part.number_le(1, &entry::STARTING_LBA, 40, 8)?;
            let blocks = Value::Unsigned(view.block_count().into());
            part.value(1, &entry::BLOCK_COUNT, blocks, 48, 2);
            bits(part, 1, &entry::PROTECTION, (50, 2), (10, 4))?;
            part.bits(1, &entry::FORCE_UNIT_ACCESS, 51, 1, 1)?;
            part.bits(1, &entry::LIMITED_RETRY, 51, 0, 1)?;
        }
        io::DATASET_MANAGEMENT => {
            let ranges = Value::Unsigned(view.range_count().into());
            part.value(1, &entry::RANGES, ranges, 40, 1);
            part.bits(1, &entry::DEALLOCATE, 44, 5, 1)?;
        }
        _ => return None,
    }
    Some(())
}

/// Pushes the last dwords of a command on the admin queue.
fn admin_dwords(part: &mut Part<'_, '_>, view: &CommandView<'_>) -> Option<()> {
    match view.opcode() {
        admin::IDENTIFY => {
            part.number_le(1, &entry::IDENTIFY_CNS, 40, 1)?;
            part.number_le(1, &entry::IDENTIFY_CONTROLLER, 42, 2)?;
        }
        admin::GET_LOG_PAGE => {
            part.number_le(1, &entry::LOG_PAGE, 40, 1)?;
            part.bits(1, &entry::LOG_RETAIN, 41, 0, 1)?;
            part.number_le(1, &entry::LOG_DWORDS, 42, 4)?;
            part.number_le(1, &entry::LOG_OFFSET, 48, 8)?;
        }
        admin::SET_FEATURES => {
            part.number_le(1, &entry::SET_FEATURE, 40, 1)?;
            part.bits(1, &entry::SET_FEATURE_SAVE, 43, 0, 1)?;
            match view.feature() {
                0x07 => {
                    part.number_le(1, &entry::SET_QUEUES_SUBMISSION, 44, 2)?;
                    part.number_le(1, &entry::SET_QUEUES_COMPLETION, 46, 2)?;
                }
                0x0b => {
                    part.number_le(1, &entry::SET_EVENTS, 44, 4)?;
                }
                0x0f => {
                    part.number_le(1, &entry::SET_KEEP_ALIVE, 44, 4)?;
                }
                _ => {
                    part.number_le(1, &entry::DWORD11, 44, 4)?;
                }
            }
        }
        admin::GET_FEATURES => {
            part.number_le(1, &entry::GET_FEATURE, 40, 1)?;
            part.bits(1, &entry::GET_FEATURE_SELECT, 41, 5, 3)?;
            part.number_le(1, &entry::DWORD11, 44, 4)?;
        }
        admin::ABORT => {
            part.number_le(1, &entry::ABORT_QUEUE, 40, 2)?;
            part.number_le(1, &entry::ABORT_COMMAND, 42, 2)?;
        }
        _ => return None,
    }
    Some(())
}

/// Pushes the ranges of a Dataset Management command in its capsule.
fn ranges(part: &mut Part<'_, '_>, count: usize) {
    for index in 0..count.min(LISTED) {
        let at = CommandView::LENGTH + index * DataRangeView::LENGTH;
        if part.bytes.len() < at + DataRangeView::LENGTH {
            return;
        }
        part.value(1, &entry::RANGE, Value::None, at, DataRangeView::LENGTH);
        part.number_le(2, &entry::RANGE_ATTRIBUTES, at, 4);
        part.number_le(2, &entry::RANGE_BLOCKS, at + 4, 4);
        part.number_le(2, &entry::RANGE_LBA, at + 8, 8);
    }
}

fn fabrics_command(part: &mut Part<'_, '_>, fabrics_type: u8, in_capsule: &[u8]) {
    part.value(1, &fabrics::COMMAND, Value::None, 0, CommandView::LENGTH);
    part.bytes(2, &fabrics::OPCODE, 0, 1);
    part.number_le(2, &fabrics::RESERVED, 1, 1);
    part.number_le(2, &fabrics::COMMAND_ID, 2, 2);
    part.number_le(2, &fabrics::TYPE, 4, 1);
    match fabrics_type {
        fabrics_types::CONNECT => {
            descriptor(part, &fabrics::CONNECT_SGL);
            part.number_le(2, &fabrics::CONNECT_FORMAT, 40, 2);
            part.number_le(2, &fabrics::CONNECT_QUEUE_ID, 42, 2);
            part.number_le(2, &fabrics::CONNECT_QUEUE_SIZE, 44, 2);
            part.number_le(2, &fabrics::CONNECT_ATTRIBUTES, 46, 1);
            part.bits(3, &fabrics::CONNECT_PRIORITY, 46, 6, 2);
            part.bits(3, &fabrics::CONNECT_FLOW_CONTROL_OFF, 46, 5, 1);
            part.number_le(2, &fabrics::CONNECT_KEEP_ALIVE, 48, 4);
            if in_capsule.len() >= ConnectDataView::LENGTH {
                connect_data(part, part.bytes.len() - in_capsule.len());
            }
        }
        fabrics_types::PROPERTY_GET | fabrics_types::PROPERTY_SET => {
            let Ok((view, _)) = PropertyView::parse(part.bytes) else { return };
            part.number_le(2, &fabrics::PROPERTY_ATTRIBUTES, 40, 1);
            part.bits(3, &fabrics::PROPERTY_SIZE, 40, 5, 3);
            part.number_le(2, &fabrics::PROPERTY_OFFSET, 44, 4);
            if fabrics_type == fabrics_types::PROPERTY_SET {
                property(part, &view, 48);
            }
        }
        _ => {}
    }
}

/// Pushes the value of a property, at an offset.
fn property(part: &mut Part<'_, '_>, view: &PropertyView<'_>, at: usize) {
    let (field, length) = match view.size() {
        Some(8) => (&fabrics::PROPERTY_VALUE_8, 8),
        _ => (&fabrics::PROPERTY_VALUE_4, 4),
    };
    part.number_le(2, field, at, length);
    let word = (at, length);
    match view.offset() {
        0x00 if length == 8 => {
            part.number_le(2, &fabrics::CAPABILITIES, at, 8);
            bits(part, 3, &fabrics::CAPABILITIES_ENTRIES, word, (0, 16));
            bits(part, 3, &fabrics::CAPABILITIES_TIMEOUT, word, (24, 8));
        }
        0x08 => {
            part.number_le(2, &fabrics::VERSION, at, 4);
            bits(part, 3, &fabrics::VERSION_MAJOR, word, (16, 16));
            bits(part, 3, &fabrics::VERSION_MINOR, word, (8, 8));
            bits(part, 3, &fabrics::VERSION_TERTIARY, word, (0, 8));
        }
        0x14 => {
            part.number_le(2, &fabrics::CONFIGURATION, at, 4);
            bits(part, 3, &fabrics::CONFIGURATION_ENABLE, word, (0, 1));
            bits(part, 3, &fabrics::CONFIGURATION_SHUTDOWN, word, (14, 2));
        }
        0x1c => {
            part.number_le(2, &fabrics::CONTROLLER_STATUS, at, 4);
            bits(part, 3, &fabrics::CONTROLLER_READY, word, (0, 1));
            bits(part, 3, &fabrics::CONTROLLER_FATAL, word, (1, 1));
            bits(part, 3, &fabrics::CONTROLLER_SHUTDOWN, word, (2, 2));
        }
        _ => {}
    }
}

fn connect_data(part: &mut Part<'_, '_>, at: usize) {
    part.bytes(2, &fabrics::CONNECT_HOST_ID, at, 16);
    part.number_le(2, &fabrics::CONNECT_CONTROLLER_ID, at + 16, 2);
    let length = ConnectDataView::NAME_LENGTH;
    let subsystem = at + ConnectDataView::SUBSYSTEM_NAME;
    name(part, 2, &fabrics::CONNECT_SUBSYSTEM, (subsystem, length));
    name(part, 2, &fabrics::CONNECT_HOST, (at + ConnectDataView::HOST_NAME, length));
}

// Completions.

fn completion(part: &mut Part<'_, '_>, asked: Option<&Asked>, item: &UlpItem<'_>) {
    let Ok((view, _)) = CompletionView::parse(part.bytes) else { return };
    let words = match asked {
        Some(asked) => format!("completion of {}", asked.name()),
        None => "completion of a command that was not seen".to_owned(),
    };
    part.layer(0, &entry::NVME, Some(words));
    let fabrics = asked.filter(|asked| asked.is_fabrics());
    match (fabrics, asked) {
        (Some(asked), _) => fabrics_result(part, asked),
        (None, Some(asked)) => result(part, asked),
        (None, None) => {
            part.number_le(1, &entry::RESULT, 0, 4);
        }
    }
    part.number_le(1, &entry::SQ_HEAD, 8, 2);
    part.number_le(1, &entry::SQ_ID, 10, 2);
    part.number_le(1, &entry::COMPLETED_ID, 12, 2);
    part.number_le(1, &entry::STATUS, 14, 2);
    let field = (14, 2);
    bits(part, 2, &entry::STATUS_RESERVED, field, (0, 1));
    bits(part, 2, &entry::STATUS_CODE, field, (1, 8));
    bits(part, 2, &entry::STATUS_CODE_TYPE, field, (9, 3));
    bits(part, 2, &entry::STATUS_RETRY_DELAY, field, (12, 2));
    bits(part, 2, &entry::STATUS_MORE, field, (14, 1));
    bits(part, 2, &entry::STATUS_DO_NOT_RETRY, field, (15, 1));
    // For a command that was not seen, the meaning of the code by itself.
    let name = view.status().name(fabrics.is_some());
    let words = item.io.and_then(|io| io.status.as_ref()).map(|status| status.words.clone());
    if let Some(words) = words.or(name.map(Into::into)) {
        part.tree.push_generated(2, &entry::STATUS_WORDS, Value::Text(words));
    }
    if let Some(requested) = item.io.and_then(|io| io.requested) {
        let field = if fabrics.is_some() { &fabrics::COMMAND_FRAME } else { &entry::COMMAND_FRAME };
        part.derived(1, field, requested.frame);
    }
    let behind = part.bytes.len() - CompletionView::LENGTH;
    if behind > 0 {
        part.bytes(1, &rdma::UNKNOWN_DATA, CompletionView::LENGTH, behind);
    }
}

fn result(part: &mut Part<'_, '_>, asked: &Asked) {
    part.number_le(1, &entry::RESULT, 0, 4);
    if is_event(asked) {
        bits(part, 2, &entry::RESULT_EVENT_TYPE, (0, 4), (0, 3));
        bits(part, 2, &entry::RESULT_EVENT_INFORMATION, (0, 4), (8, 8));
        bits(part, 2, &entry::RESULT_EVENT_LOG_PAGE, (0, 4), (16, 8));
    }
    let Ok((view, _)) = CommandView::parse(asked.entry()) else { return };
    let features = asked.queue == Queue::Admin && view.opcode() == admin::SET_FEATURES;
    if features && view.feature() == 0x07 {
        part.number_le(2, &entry::RESULT_QUEUES_SUBMISSION, 0, 2);
        part.number_le(2, &entry::RESULT_QUEUES_COMPLETION, 2, 2);
    }
}

fn fabrics_result(part: &mut Part<'_, '_>, asked: &Asked) {
    part.value(1, &fabrics::COMPLETION, Value::None, 0, CompletionView::LENGTH);
    part.number_le(2, &fabrics::COMPLETION_RESULT, 0, 8);
    let Ok((view, _)) = CommandView::parse(asked.entry()) else { return };
    match view.fabrics_type() {
        Some(fabrics_types::CONNECT) => {
            part.number_le(2, &fabrics::COMPLETION_CONTROLLER_ID, 0, 2);
            part.number_le(2, &fabrics::COMPLETION_AUTHENTICATION, 2, 2);
        }
        Some(fabrics_types::PROPERTY_GET) => {
            if let Ok((view, _)) = PropertyView::parse(asked.entry()) {
                property(part, &view, 0);
            }
        }
        _ => {}
    }
}

// Reassembled data.

fn data(part: &mut Part<'_, '_>, asked: &Asked) {
    let length = part.bytes.len();
    let title = asked.page().unwrap_or("Connect data");
    part.layer(0, &entry::NVME, Some(title.to_owned()));
    let index = part.value(1, &page::DATA, Value::None, 0, length);
    part.note(index, Some(counted(length as u64, "byte")));
    let Ok((view, _)) = CommandView::parse(asked.entry()) else { return };
    if view.fabrics_type() == Some(fabrics_types::CONNECT) {
        return connect_data(part, 0);
    }
    match (view.opcode(), view.identify_structure()) {
        (admin::GET_LOG_PAGE, DISCOVERY) => discovery(part, view.log_page_offset()),
        (admin::IDENTIFY, structure::CONTROLLER) => controller(part),
        (admin::IDENTIFY, structure::NAMESPACE) => namespace(part),
        (admin::IDENTIFY, structure::ACTIVE_NAMESPACES) => namespaces(part),
        _ => {}
    }
}

/// Pushes the Discovery log page from an offset on: its header, or entries.
fn discovery(part: &mut Part<'_, '_>, offset: u64) {
    let length = DiscoveryEntryView::LENGTH;
    let (mut count, mut begin) = (LISTED, 0);
    if offset == 0 {
        // A host may ask for only its first bytes, to learn how many entries there are.
        part.number_le(2, &page::DISCOVERY_GENERATION, 0, 8);
        part.number_le(2, &page::DISCOVERY_RECORDS, 8, 8);
        part.number_le(2, &page::DISCOVERY_FORMAT, 16, 2);
        let Ok((header, _)) = DiscoveryHeaderView::parse(part.bytes) else { return };
        count = usize::try_from(header.record_count()).unwrap_or(usize::MAX);
        begin = DiscoveryHeaderView::LENGTH;
    } else if !offset.is_multiple_of(length as u64) {
        return;
    }
    for index in 0..count.min(LISTED) {
        let at = begin + index * length;
        if part.bytes.len() < at + length {
            return;
        }
        let node = part.value(2, &page::ENTRY, Value::None, at, length);
        part.note(node, Some(index.to_string()));
        part.number_le(3, &page::ENTRY_TRANSPORT, at, 1);
        part.number_le(3, &page::ENTRY_FAMILY, at + 1, 1);
        part.number_le(3, &page::ENTRY_SUBSYSTEM_TYPE, at + 2, 1);
        part.number_le(3, &page::ENTRY_REQUIREMENTS, at + 3, 1);
        part.number_le(3, &page::ENTRY_PORT_ID, at + 4, 2);
        part.number_le(3, &page::ENTRY_CONTROLLER_ID, at + 6, 2);
        part.number_le(3, &page::ENTRY_QUEUE_SIZE, at + 8, 2);
        let place = |(offset, length): (usize, usize)| (at + offset, length);
        name(part, 3, &page::ENTRY_SERVICE, place(DiscoveryEntryView::SERVICE));
        name(part, 3, &page::ENTRY_SUBSYSTEM, place(DiscoveryEntryView::SUBSYSTEM_NAME));
        name(part, 3, &page::ENTRY_ADDRESS, place(DiscoveryEntryView::ADDRESS));
        part.number_le(3, &page::ENTRY_RDMA_SERVICE, at + 768, 1);
        part.number_le(3, &page::ENTRY_RDMA_PROVIDER, at + 769, 1);
        part.number_le(3, &page::ENTRY_RDMA_CONNECTION, at + 770, 1);
    }
}

fn controller(part: &mut Part<'_, '_>) {
    type View<'a> = IdentifyControllerView<'a>;
    if View::parse(part.bytes).is_err() {
        return;
    }
    part.number_le(2, &page::CONTROLLER_VENDOR, 0, 2);
    name(part, 2, &page::CONTROLLER_SERIAL, View::SERIAL_NUMBER);
    name(part, 2, &page::CONTROLLER_MODEL, View::MODEL_NUMBER);
    part.bytes(2, &page::CONTROLLER_FIRMWARE, View::FIRMWARE_REVISION.0, View::FIRMWARE_REVISION.1);
    part.number_le(2, &page::CONTROLLER_TRANSFER, 77, 1);
    part.number_le(2, &page::CONTROLLER_ID, 78, 2);
    part.number_le(2, &page::CONTROLLER_VERSION, 80, 4);
    part.number_le(2, &page::CONTROLLER_TYPE, 111, 1);
    part.number_le(2, &page::CONTROLLER_KEEP_ALIVE, 320, 2);
    part.number_le(2, &page::CONTROLLER_COMMANDS, 514, 2);
    part.number_le(2, &page::CONTROLLER_NAMESPACES, 516, 4);
    part.number_le(2, &page::CONTROLLER_SGLS, 536, 4);
    name(part, 2, &page::CONTROLLER_SUBSYSTEM, View::SUBSYSTEM_NAME);
    part.number_le(2, &page::CONTROLLER_CAPSULE, 1792, 4);
    part.number_le(2, &page::CONTROLLER_RESPONSE, 1796, 4);
    part.number_le(2, &page::CONTROLLER_OFFSET, 1800, 2);
    part.number_le(2, &page::CONTROLLER_DESCRIPTORS, 1803, 1);
}

fn namespace(part: &mut Part<'_, '_>) {
    let Ok((view, _)) = IdentifyNamespaceView::parse(part.bytes) else { return };
    part.number_le(2, &page::NAMESPACE_SIZE, 0, 8);
    part.number_le(2, &page::NAMESPACE_CAPACITY, 8, 8);
    part.number_le(2, &page::NAMESPACE_USE, 16, 8);
    part.number_le(2, &page::NAMESPACE_FORMATS, 25, 1);
    part.number_le(2, &page::NAMESPACE_FORMAT, 26, 1);
    if let Some(length) = view.format().ok().and_then(|format| format.block_length()) {
        part.derived(2, &page::NAMESPACE_BLOCK, length);
    }
}

/// Pushes a list of namespaces, which ends with a zero.
fn namespaces(part: &mut Part<'_, '_>) {
    for at in (0..part.bytes.len()).step_by(4).take(LISTED) {
        let Some(bytes) = part.bytes.get(at..at + 4) else { return };
        if bytes == [0; 4] {
            return;
        }
        part.number_le(2, &page::LISTED_NAMESPACE, at, 4);
    }
}
