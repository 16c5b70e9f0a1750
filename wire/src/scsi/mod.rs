//! SCSI: the commands of block devices, their status, sense data and logical unit numbers.
//!
//! The layouts are those of T10's SCSI Primary Commands (SPC), SCSI Block Commands (SBC) and SCSI
//! Architecture Model (SAM), which cannot be shipped: several open implementations agree on each fact.

mod command;
mod names;
mod sense;

pub use command::{COMMANDS, CommandInfo, CommandView, Direction, Part, Place};
pub use names::{
    ADDITIONAL_SENSE, ADDRESS_METHODS, OPERATIONS, SENSE_KEYS, STATUSES, address_method,
    logical_unit_number,
};
pub use sense::{SenseFormat, SenseView};
