//! Command Descriptor Blocks (CDB): one table gives the place of each part in each command.

use super::names::OPERATIONS;
use crate::name_of;
use Direction::{In, Nothing, Out};
use Part as P;

/// A part of a Command Descriptor Block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The first logical block (LBA).
    LogicalBlockAddress,
    /// Number of logical blocks.
    Blocks,
    /// The greatest number of bytes that the target may return.
    AllocationLength,
    /// Number of bytes of parameters that the initiator sends.
    ParameterListLength,
    /// The service action: distinguishes commands that share an operation code.
    ServiceAction,
    /// RDPROTECT, WRPROTECT or VRPROTECT: how protection information is treated.
    Protect,
    /// DPO: the blocks need not stay in a cache.
    DisablePageOut,
    /// FUA: the medium itself is read or written.
    ForceUnitAccess,
    /// BYTCHK: what is compared.
    ByteCheck,
    /// IMMED: the status is sent before the command is complete.
    Immediate,
    /// ANCHOR: blocks that are unmapped stay reserved.
    Anchor,
    /// UNMAP: the blocks may be unmapped instead of written.
    Unmap,
    /// EVPD: a page of vital product data is requested.
    VitalProductData,
    /// DBD: no block descriptors are requested.
    DisableBlockDescriptors,
    /// PC: current, changeable, default or saved values.
    PageControl,
    /// The page.
    PageCode,
    /// The part of the page.
    SubpageCode,
    /// The choice of logical units that are reported.
    SelectReport,
    /// The scope of a persistent reservation.
    ReservationScope,
    /// The type of a persistent reservation.
    ReservationType,
    /// The group number.
    Group,
    /// The control byte.
    Control,
}

/// The place of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The part.
    pub part: Part,
    /// Offset of its first byte.
    pub offset: u8,
    /// Length in bytes, big-endian.
    pub width: u8,
    /// Mask of the bits that belong to it.
    pub mask: u64,
}

impl Place {
    /// Returns its value in a block; `None` when the block is too short.
    pub fn value(&self, block: &[u8]) -> Option<u64> {
        let begin = usize::from(self.offset);
        let bytes = block.get(begin..begin + usize::from(self.width))?;
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        Some((number & self.mask) >> self.mask.trailing_zeros())
    }
}

/// The direction of a command's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the target to the initiator.
    In,
    /// From the initiator to the target.
    Out,
    /// There is no data.
    Nothing,
    /// The command's parameters decide, or this table does not know.
    Unknown,
}

/// A row of the table.
#[derive(Debug)]
pub struct CommandInfo {
    /// The operation code: the first byte.
    pub operation: u8,
    /// The service action, for operation codes that several commands share.
    pub service_action: Option<u8>,
    /// The command's name: `READ(10)`.
    pub name: &'static str,
    /// Length of the block in bytes.
    pub length: u8,
    /// The direction of its data.
    pub direction: Direction,
    /// Its parts, without the operation code.
    pub places: &'static [Place],
}

const fn at(part: Part, offset: u8, width: u8) -> Place {
    Place { part, offset, width, mask: u64::MAX >> (64 - 8 * width as u32) }
}

const fn bits(part: Part, offset: u8, mask: u64) -> Place {
    Place { part, offset, width: 1, mask }
}

const fn row(
    operation: u8,
    name: &'static str,
    length: u8,
    direction: Direction,
    places: &'static [Place],
) -> CommandInfo {
    CommandInfo { operation, service_action: None, name, length, direction, places }
}

const fn action(
    operation: u8,
    service_action: u8,
    name: &'static str,
    length: u8,
    direction: Direction,
    places: &'static [Place],
) -> CommandInfo {
    let service_action = Some(service_action);
    CommandInfo { operation, service_action, name, length, direction, places }
}

const PROTECT: Place = bits(P::Protect, 1, 0xe0);
const DPO: Place = bits(P::DisablePageOut, 1, 0x10);
const FUA: Place = bits(P::ForceUnitAccess, 1, 0x08);
const BYTCHK: Place = bits(P::ByteCheck, 1, 0x06);
const IMMED: Place = bits(P::Immediate, 1, 0x02);
const ACTION: Place = bits(P::ServiceAction, 1, 0x1f);
const CONTROL_6: Place = at(P::Control, 5, 1);
const CONTROL_10: Place = at(P::Control, 9, 1);
const CONTROL_12: Place = at(P::Control, 11, 1);
const CONTROL_16: Place = at(P::Control, 15, 1);
const GROUP_10: Place = bits(P::Group, 6, 0x1f);
const GROUP_12: Place = bits(P::Group, 10, 0x1f);
const GROUP_16: Place = bits(P::Group, 14, 0x1f);
const LBA_6: Place = Place { part: P::LogicalBlockAddress, offset: 1, width: 3, mask: 0x1f_ffff };
const LBA_32: Place = at(P::LogicalBlockAddress, 2, 4);
const LBA_64: Place = at(P::LogicalBlockAddress, 2, 8);
const BLOCKS_10: Place = at(P::Blocks, 7, 2);
const BLOCKS_12: Place = at(P::Blocks, 6, 4);
const BLOCKS_16: Place = at(P::Blocks, 10, 4);
const ALLOCATION_10: Place = at(P::AllocationLength, 7, 2);
const ALLOCATION_12: Place = at(P::AllocationLength, 6, 4);
const ALLOCATION_16: Place = at(P::AllocationLength, 10, 4);
const PARAMETERS_10: Place = at(P::ParameterListLength, 7, 2);

const READ_WRITE_6: &[Place] = &[LBA_6, at(P::Blocks, 4, 1), CONTROL_6];
const READ_WRITE_10: &[Place] = &[PROTECT, DPO, FUA, LBA_32, GROUP_10, BLOCKS_10, CONTROL_10];
const READ_WRITE_12: &[Place] = &[PROTECT, DPO, FUA, LBA_32, BLOCKS_12, GROUP_12, CONTROL_12];
const READ_WRITE_16: &[Place] = &[PROTECT, DPO, FUA, LBA_64, BLOCKS_16, GROUP_16, CONTROL_16];
const VERIFY_10: &[Place] = &[PROTECT, DPO, BYTCHK, LBA_32, GROUP_10, BLOCKS_10, CONTROL_10];
const VERIFY_12: &[Place] = &[PROTECT, DPO, BYTCHK, LBA_32, BLOCKS_12, GROUP_12, CONTROL_12];
const VERIFY_16: &[Place] = &[PROTECT, DPO, BYTCHK, LBA_64, BLOCKS_16, GROUP_16, CONTROL_16];
const CACHE_10: &[Place] = &[IMMED, LBA_32, GROUP_10, BLOCKS_10, CONTROL_10];
const CACHE_16: &[Place] = &[IMMED, LBA_64, BLOCKS_16, GROUP_16, CONTROL_16];
const UNMAPS: Place = bits(P::Unmap, 1, 0x08);
const ANCHORS: Place = bits(P::Anchor, 1, 0x10);
const SAME_10: &[Place] = &[PROTECT, ANCHORS, UNMAPS, LBA_32, GROUP_10, BLOCKS_10, CONTROL_10];
const SAME_16: &[Place] = &[PROTECT, ANCHORS, UNMAPS, LBA_64, BLOCKS_16, GROUP_16, CONTROL_16];
const PAGES: [Place; 3] =
    [bits(P::PageControl, 2, 0xc0), bits(P::PageCode, 2, 0x3f), at(P::SubpageCode, 3, 1)];
const ACTION_IN_10: &[Place] = &[ACTION, ALLOCATION_10, CONTROL_10];
const ACTION_IN_12: &[Place] = &[ACTION, ALLOCATION_12, CONTROL_12];
const ACTION_OUT_12: &[Place] = &[ACTION, at(P::ParameterListLength, 6, 4), CONTROL_12];
const ACTION_IN_16: &[Place] = &[ACTION, ALLOCATION_16, CONTROL_16];
const RESERVE_OUT: &[Place] = &[
    ACTION,
    bits(P::ReservationScope, 2, 0xf0),
    bits(P::ReservationType, 2, 0x0f),
    at(P::ParameterListLength, 5, 4),
    CONTROL_10,
];

/// The commands: by operation code, and by service action if the code is shared.
#[rustfmt::skip]
pub static COMMANDS: &[CommandInfo] = &[
    row(0x00, "TEST UNIT READY",                6, Nothing, &[CONTROL_6]),
    row(0x03, "REQUEST SENSE",                  6, In,      &[at(P::AllocationLength, 4, 1), CONTROL_6]),
    row(0x04, "FORMAT UNIT",                    6, Direction::Unknown, &[CONTROL_6]),
    row(0x08, "READ(6)",                        6, In,      READ_WRITE_6),
    row(0x0a, "WRITE(6)",                       6, Out,     READ_WRITE_6),
    row(0x12, "INQUIRY",                        6, In,      &[bits(P::VitalProductData, 1, 0x01), at(P::PageCode, 2, 1), at(P::AllocationLength, 3, 2), CONTROL_6]),
    row(0x15, "MODE SELECT(6)",                 6, Out,     &[at(P::ParameterListLength, 4, 1), CONTROL_6]),
    row(0x16, "RESERVE(6)",                     6, Direction::Unknown, &[CONTROL_6]),
    row(0x17, "RELEASE(6)",                     6, Nothing, &[CONTROL_6]),
    row(0x1a, "MODE SENSE(6)",                  6, In,      &[bits(P::DisableBlockDescriptors, 1, 0x08), PAGES[0], PAGES[1], PAGES[2], at(P::AllocationLength, 4, 1), CONTROL_6]),
    row(0x1b, "START STOP UNIT",                6, Nothing, &[bits(P::Immediate, 1, 0x01), CONTROL_6]),
    row(0x1c, "RECEIVE DIAGNOSTIC RESULTS",     6, In,      &[at(P::PageCode, 2, 1), at(P::AllocationLength, 3, 2), CONTROL_6]),
    row(0x1d, "SEND DIAGNOSTIC",                6, Out,     &[at(P::ParameterListLength, 3, 2), CONTROL_6]),
    row(0x1e, "PREVENT ALLOW MEDIUM REMOVAL",   6, Nothing, &[CONTROL_6]),
    row(0x25, "READ CAPACITY(10)",             10, In,      &[LBA_32, CONTROL_10]),
    row(0x28, "READ(10)",                      10, In,      READ_WRITE_10),
    row(0x2a, "WRITE(10)",                     10, Out,     READ_WRITE_10),
    row(0x2e, "WRITE AND VERIFY(10)",          10, Out,     VERIFY_10),
    row(0x2f, "VERIFY(10)",                    10, Direction::Unknown, VERIFY_10),
    row(0x34, "PRE-FETCH(10)",                 10, Nothing, CACHE_10),
    row(0x35, "SYNCHRONIZE CACHE(10)",         10, Nothing, CACHE_10),
    row(0x37, "READ DEFECT DATA(10)",          10, In,      &[ALLOCATION_10, CONTROL_10]),
    row(0x3b, "WRITE BUFFER",                  10, Out,     &[at(P::ParameterListLength, 6, 3), CONTROL_10]),
    row(0x3c, "READ BUFFER(10)",               10, In,      &[at(P::AllocationLength, 6, 3), CONTROL_10]),
    row(0x41, "WRITE SAME(10)",                10, Out,     SAME_10),
    row(0x42, "UNMAP",                         10, Out,     &[bits(P::Anchor, 1, 0x01), GROUP_10, PARAMETERS_10, CONTROL_10]),
    row(0x4c, "LOG SELECT",                    10, Out,     &[bits(P::PageControl, 2, 0xc0), bits(P::PageCode, 2, 0x3f), at(P::SubpageCode, 3, 1), PARAMETERS_10, CONTROL_10]),
    row(0x4d, "LOG SENSE",                     10, In,      &[bits(P::PageControl, 2, 0xc0), bits(P::PageCode, 2, 0x3f), at(P::SubpageCode, 3, 1), ALLOCATION_10, CONTROL_10]),
    row(0x55, "MODE SELECT(10)",               10, Out,     &[PARAMETERS_10, CONTROL_10]),
    row(0x56, "RESERVE(10)",                   10, Direction::Unknown, &[CONTROL_10]),
    row(0x57, "RELEASE(10)",                   10, Direction::Unknown, &[CONTROL_10]),
    row(0x5a, "MODE SENSE(10)",                10, In,      &[bits(P::DisableBlockDescriptors, 1, 0x08), PAGES[0], PAGES[1], PAGES[2], ALLOCATION_10, CONTROL_10]),
    action(0x5e, 0x00, "PERSISTENT RESERVE IN: READ KEYS",           10, In, ACTION_IN_10),
    action(0x5e, 0x01, "PERSISTENT RESERVE IN: READ RESERVATION",    10, In, ACTION_IN_10),
    action(0x5e, 0x02, "PERSISTENT RESERVE IN: REPORT CAPABILITIES", 10, In, ACTION_IN_10),
    action(0x5e, 0x03, "PERSISTENT RESERVE IN: READ FULL STATUS",    10, In, ACTION_IN_10),
    action(0x5f, 0x00, "PERSISTENT RESERVE OUT: REGISTER",           10, Out, RESERVE_OUT),
    action(0x5f, 0x01, "PERSISTENT RESERVE OUT: RESERVE",            10, Out, RESERVE_OUT),
    action(0x5f, 0x02, "PERSISTENT RESERVE OUT: RELEASE",            10, Out, RESERVE_OUT),
    action(0x5f, 0x03, "PERSISTENT RESERVE OUT: CLEAR",              10, Out, RESERVE_OUT),
    action(0x5f, 0x04, "PERSISTENT RESERVE OUT: PREEMPT",            10, Out, RESERVE_OUT),
    action(0x5f, 0x05, "PERSISTENT RESERVE OUT: PREEMPT AND ABORT",  10, Out, RESERVE_OUT),
    action(0x5f, 0x06, "PERSISTENT RESERVE OUT: REGISTER AND IGNORE EXISTING KEY", 10, Out, RESERVE_OUT),
    action(0x5f, 0x07, "PERSISTENT RESERVE OUT: REGISTER AND MOVE",  10, Out, RESERVE_OUT),
    row(0x83, "THIRD-PARTY COPY OUT",          16, Out,     &[ACTION, at(P::ParameterListLength, 10, 4), CONTROL_16]),
    row(0x84, "THIRD-PARTY COPY IN",           16, In,      ACTION_IN_16),
    row(0x85, "ATA PASS-THROUGH(16)",          16, Direction::Unknown, &[CONTROL_16]),
    row(0x88, "READ(16)",                      16, In,      READ_WRITE_16),
    row(0x89, "COMPARE AND WRITE",             16, Out,     &[PROTECT, DPO, FUA, LBA_64, at(P::Blocks, 13, 1), GROUP_16, CONTROL_16]),
    row(0x8a, "WRITE(16)",                     16, Out,     READ_WRITE_16),
    row(0x8b, "ORWRITE(16)",                   16, Out,     READ_WRITE_16),
    row(0x8e, "WRITE AND VERIFY(16)",          16, Out,     VERIFY_16),
    row(0x8f, "VERIFY(16)",                    16, Direction::Unknown, VERIFY_16),
    row(0x90, "PRE-FETCH(16)",                 16, Nothing, CACHE_16),
    row(0x91, "SYNCHRONIZE CACHE(16)",         16, Nothing, CACHE_16),
    row(0x93, "WRITE SAME(16)",                16, Out,     SAME_16),
    action(0x9e, 0x10, "READ CAPACITY(16)",    16, In,      &[ACTION, LBA_64, ALLOCATION_16, CONTROL_16]),
    action(0x9e, 0x12, "GET LBA STATUS(16)",   16, In,      &[ACTION, LBA_64, ALLOCATION_16, CONTROL_16]),
    action(0x9e, 0x13, "REPORT REFERRALS",     16, In,      &[ACTION, LBA_64, ALLOCATION_16, CONTROL_16]),
    row(0xa0, "REPORT LUNS",                   12, In,      &[at(P::SelectReport, 2, 1), ALLOCATION_12, CONTROL_12]),
    row(0xa1, "ATA PASS-THROUGH(12)",          12, Direction::Unknown, &[CONTROL_12]),
    row(0xa2, "SECURITY PROTOCOL IN",          12, In,      &[ALLOCATION_12, CONTROL_12]),
    action(0xa3, 0x05, "REPORT IDENTIFYING INFORMATION",            12, In, ACTION_IN_12),
    action(0xa3, 0x0a, "REPORT TARGET PORT GROUPS",                 12, In, ACTION_IN_12),
    action(0xa3, 0x0b, "REPORT ALIASES",                            12, In, ACTION_IN_12),
    action(0xa3, 0x0c, "REPORT SUPPORTED OPERATION CODES",          12, In, ACTION_IN_12),
    action(0xa3, 0x0d, "REPORT SUPPORTED TASK MANAGEMENT FUNCTIONS", 12, In, ACTION_IN_12),
    action(0xa3, 0x0e, "REPORT PRIORITY",                           12, In, ACTION_IN_12),
    action(0xa3, 0x0f, "REPORT TIMESTAMP",                          12, In, ACTION_IN_12),
    action(0xa4, 0x06, "SET IDENTIFYING INFORMATION",               12, Out, ACTION_OUT_12),
    action(0xa4, 0x0a, "SET TARGET PORT GROUPS",                    12, Out, ACTION_OUT_12),
    action(0xa4, 0x0b, "CHANGE ALIASES",                            12, Out, ACTION_OUT_12),
    action(0xa4, 0x0e, "SET PRIORITY",                              12, Out, ACTION_OUT_12),
    action(0xa4, 0x0f, "SET TIMESTAMP",                             12, Out, ACTION_OUT_12),
    row(0xa8, "READ(12)",                      12, In,      READ_WRITE_12),
    row(0xaa, "WRITE(12)",                     12, Out,     READ_WRITE_12),
    row(0xae, "WRITE AND VERIFY(12)",          12, Out,     VERIFY_12),
    row(0xaf, "VERIFY(12)",                    12, Direction::Unknown, VERIFY_12),
    row(0xb5, "SECURITY PROTOCOL OUT",         12, Out,     &[at(P::ParameterListLength, 6, 4), CONTROL_12]),
];

/// A Command Descriptor Block as it appears in a SCSI Command. Any bytes are valid; how much of them is
/// understood depends on the first two.
#[derive(Debug, Clone, Copy)]
pub struct CommandView<'a> {
    /// The bytes: 16 in iSCSI, and more with an Extended CDB.
    pub block: &'a [u8],
    /// Its row in the table.
    pub info: Option<&'static CommandInfo>,
}

impl<'a> CommandView<'a> {
    /// Finds the command in a block.
    pub fn of(block: &'a [u8]) -> Self {
        let operation = block.first().copied();
        let service_action = block.get(1).map(|byte| byte & 0x1f);
        let info = COMMANDS.iter().find(|info| {
            Some(info.operation) == operation
                && info.service_action.is_none_or(|action| Some(action) == service_action)
        });
        Self { block, info }
    }

    /// Returns the operation code; 0 for an empty block.
    pub fn operation(&self) -> u8 {
        self.block.first().copied().unwrap_or_default()
    }

    /// Returns the name of the command, or that of its operation code; `None` if it is unknown.
    pub fn name(&self) -> Option<&'static str> {
        self.info.map(|info| info.name).or_else(|| name_of(OPERATIONS, self.operation()))
    }

    /// Returns the value of a part; `None` when the command has no such part.
    pub fn part(&self, part: Part) -> Option<u64> {
        let place = self.info?.places.iter().find(|place| place.part == part)?;
        place.value(self.block)
    }

    /// Returns the first logical block of a command that reads, writes or names blocks.
    pub fn logical_block_address(&self) -> Option<u64> {
        // Without a count it is a hint, as in READ CAPACITY.
        self.blocks()?;
        self.part(Part::LogicalBlockAddress)
    }

    /// Returns the number of logical blocks. In READ(6) and WRITE(6), 0 stands for 256.
    pub fn blocks(&self) -> Option<u64> {
        let blocks = self.part(Part::Blocks)?;
        let is_short = matches!(self.operation(), 0x08 | 0x0a);
        Some(if is_short && blocks == 0 { 256 } else { blocks })
    }
}
