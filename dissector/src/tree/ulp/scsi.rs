//! The nodes of a SCSI command, and of its status and sense data.

use crate::field::FieldRef;
use crate::field::iser::scsi;
use crate::tree::{Part, Value};
use crate::ulp::iser::message::{Message, command_name};
use warpscope_wire::iscsi::{BASIC_HEADER_LENGTH, Body, PduView};
use warpscope_wire::scsi::{
    CommandView, Part as CommandPart, Place, SenseFormat, SenseView, logical_unit_number,
};

/// Offset of the Command Descriptor Block in a SCSI Command.
const BLOCK: usize = 32;
/// Operation codes with fields of their own.
const INQUIRY: u8 = 0x12;
const UNMAP: u8 = 0x42;
/// Length of the header before the ranges in the parameters of UNMAP, and of each range.
const UNMAP_HEADER: usize = 8;
const UNMAP_RANGE: usize = 16;

/// Adds the SCSI layer, if the PDU has one.
pub(super) fn push(part: &mut Part<'_, '_>, message: &Message<'_>, pdu: &PduView<'_>) {
    match pdu.body {
        Body::ScsiCommand(view) => {
            let block = view.command_descriptor_block();
            let mut part = Part {
                tree: &mut *part.tree,
                source: part.source,
                start: part.start + BLOCK as u32,
                bytes: block,
            };
            push_command(&mut part, &CommandView::of(block), pdu.basic.logical_unit_number());
            push_parameters(&mut part, pdu);
        }
        Body::ScsiResponse(view) => {
            let block = message.request.and_then(|request| request.block);
            let at = BASIC_HEADER_LENGTH + pdu.ahs.len() + 2;
            let sense = pdu.sense_segment().map_or(&[][..], |segment| segment.sense);
            let mut part = Part {
                tree: &mut *part.tree,
                source: part.source,
                start: part.start + at as u32,
                bytes: sense,
            };
            part.layer(0, &scsi::SCSI, None);
            if let Some(request) = message.request {
                push_unit(&mut part, request.logical_unit);
            }
            if let Some(block) = &block {
                push_name(&mut part, &CommandView::of(block), true);
            }
            if view.response() == 0 {
                part.derived(1, &scsi::STATUS, view.status().into());
            }
            push_sense(&mut part);
        }
        Body::Asynchronous(_) if pdu.sense_segment().is_some_and(|data| !data.sense.is_empty()) => {
            let at = BASIC_HEADER_LENGTH + pdu.ahs.len() + 2;
            let sense = pdu.sense_segment().map_or(&[][..], |segment| segment.sense);
            let mut part = Part {
                tree: &mut *part.tree,
                source: part.source,
                start: part.start + at as u32,
                bytes: sense,
            };
            part.layer(0, &scsi::SCSI, None);
            push_sense(&mut part);
        }
        _ => {}
    }
}

/// Pushes the logical unit, as in the iSCSI header.
fn push_unit(part: &mut Part<'_, '_>, long: u64) {
    match logical_unit_number(long) {
        Some(number) => part.derived(1, &scsi::LUN, number.into()),
        None => part.derived(1, &scsi::LUN_LONG, long),
    }
}

/// Pushes the name and the operation code.
fn push_name(part: &mut Part<'_, '_>, command: &CommandView<'_>, derived: bool) {
    let name = Value::Text(command_name(command));
    part.tree.push_generated(1, &scsi::COMMAND, name);
    let field = match command.name() {
        Some(_) => &scsi::BLOCK_OPCODE,
        None => &scsi::OTHER_OPCODE,
    };
    if derived {
        part.derived(1, field, command.operation().into());
    } else {
        part.number(1, field, 0, 1);
    }
}

fn push_command(part: &mut Part<'_, '_>, command: &CommandView<'_>, logical_unit: u64) {
    part.layer(0, &scsi::SCSI, Some(command_name(command).into_owned()));
    push_unit(part, logical_unit);
    push_name(part, command, false);
    part.bytes(1, &scsi::CDB, 0, command.info.map_or(part.bytes.len(), |info| info.length.into()));
    for place in command.info.iter().flat_map(|info| info.places) {
        push_part(part, command, place);
    }
    if let (Some(address), Some(blocks)) = (command.logical_block_address(), command.blocks()) {
        part.derived(1, &scsi::LBA, address);
        part.derived(1, &scsi::BLOCKS, blocks);
    }
}

fn push_part(part: &mut Part<'_, '_>, command: &CommandView<'_>, place: &Place) {
    let Some(field) = field(command, place) else { return };
    let (at, width) = (usize::from(place.offset), usize::from(place.width));
    if std::ptr::eq(field, &scsi::LBA_16) {
        part.bytes(1, field, at, width);
        return;
    }
    let skip = place.mask.leading_zeros() - (64 - 8 * u32::from(place.width));
    let bits = place.mask.count_ones();
    if bits == 8 * u32::from(place.width) {
        part.number(1, field, at, width);
    } else {
        part.bits(1, field, at, skip as u8, bits as u8);
    }
}

/// Returns the field of a part of a command; `None` if Wireshark has the part in a field of many bits.
fn field(command: &CommandView<'_>, place: &Place) -> Option<FieldRef> {
    let operation = command.operation();
    let group = operation >> 5;
    Some(match place.part {
        CommandPart::LogicalBlockAddress => match group {
            0 => &scsi::LBA_6,
            // In the other commands it is obsolete, or has another name.
            4 if command.blocks().is_some() => &scsi::LBA_16,
            1 | 2 | 5 if command.blocks().is_some() => &scsi::LBA_10,
            _ => return None,
        },
        CommandPart::Blocks => match (group, place.width) {
            (0, _) => &scsi::LENGTH_6,
            (_, 2) => &scsi::LENGTH_10,
            (_, 4) => &scsi::LENGTH_12,
            _ => return None,
        },
        CommandPart::AllocationLength => match (operation, place.width) {
            (0x9e, _) => &scsi::BLOCK_ALLOCATION_32,
            (_, 1) => &scsi::ALLOCATION_8,
            (_, 2) => &scsi::ALLOCATION_16,
            _ => &scsi::ALLOCATION_32,
        },
        CommandPart::ParameterListLength => &scsi::PARAMETER_LENGTH,
        CommandPart::ServiceAction => match operation {
            0x5e => &scsi::RESERVE_IN_ACTION,
            0x5f => &scsi::RESERVE_OUT_ACTION,
            0x9e => &scsi::SERVICE_ACTION,
            0xa3 => &scsi::MAINTENANCE_ACTION,
            _ => return None,
        },
        CommandPart::Protect => match operation & 0x1f {
            0x08 => &scsi::READ_PROTECT,
            0x0f => &scsi::VERIFY_PROTECT,
            _ => &scsi::WRITE_PROTECT,
        },
        CommandPart::DisablePageOut => &scsi::DPO,
        CommandPart::ForceUnitAccess => &scsi::FUA,
        CommandPart::Unmap => &scsi::UNMAP,
        // The page is one of vital product data only with EVPD.
        CommandPart::PageCode if operation == INQUIRY => {
            (command.part(CommandPart::VitalProductData) == Some(1))
                .then_some(&scsi::INQUIRY_PAGE)?
        }
        CommandPart::PageCode => &scsi::MODE_PAGE,
        CommandPart::PageControl => &scsi::PAGE_CONTROL,
        CommandPart::SubpageCode => &scsi::MODE_SUBPAGE,
        CommandPart::SelectReport => &scsi::SELECT_REPORT,
        CommandPart::ReservationScope => &scsi::RESERVE_SCOPE,
        CommandPart::ReservationType => &scsi::RESERVE_TYPE,
        CommandPart::Group => &scsi::GROUP,
        CommandPart::Control if operation == INQUIRY => &scsi::INQUIRY_CONTROL,
        CommandPart::Control => &scsi::CONTROL,
        CommandPart::ByteCheck
        | CommandPart::Immediate
        | CommandPart::Anchor
        | CommandPart::VitalProductData
        | CommandPart::DisableBlockDescriptors => return None,
    })
}

/// Pushes the parameters of an UNMAP, if the command carries them.
fn push_parameters(part: &mut Part<'_, '_>, pdu: &PduView<'_>) {
    let Body::ScsiCommand(view) = pdu.body else { return };
    if view.command_descriptor_block().first() != Some(&UNMAP) || pdu.data.len() < UNMAP_HEADER {
        return;
    }
    let behind = BASIC_HEADER_LENGTH - BLOCK + pdu.ahs.len();
    let mut part = Part {
        tree: &mut *part.tree,
        source: part.source,
        start: part.start + behind as u32,
        bytes: pdu.data,
    };
    part.number(1, &scsi::UNMAP_LENGTH, 0, 2);
    let ranges = part.number(1, &scsi::UNMAP_DESCRIPTORS_LENGTH, 2, 2).unwrap_or_default();
    let end = pdu.data.len().min(UNMAP_HEADER + ranges as usize);
    let mut at = UNMAP_HEADER;
    while at + UNMAP_RANGE <= end {
        part.number(1, &scsi::UNMAP_LBA, at, 8);
        part.number(1, &scsi::UNMAP_BLOCKS, at + 8, 4);
        at += UNMAP_RANGE;
    }
}

/// Pushes sense data: the part's bytes.
fn push_sense(part: &mut Part<'_, '_>) {
    if part.bytes.is_empty() {
        return;
    }
    let sense = match SenseView::parse(part.bytes) {
        Ok(sense) => sense,
        Err(malformed) => {
            let text = Value::Text(malformed.to_string().into());
            part.tree.push_generated(1, &scsi::MALFORMED, text);
            return;
        }
    };
    part.bits(1, &scsi::SENSE_FORMAT, 0, 1, 7);
    part.bits(1, &scsi::SENSE_KEY, sense.key_place(), 4, 4);
    if sense.format() == SenseFormat::Fixed {
        part.number(1, &scsi::SENSE_INFORMATION, 3, 4);
    }
    let at = sense.additional_sense_place();
    part.number(1, &scsi::SENSE_ADDITIONAL, at, 2);
    part.number(1, &scsi::SENSE_CODE, at, 1);
    part.number(1, &scsi::SENSE_QUALIFIER, at + 1, 1);
}
