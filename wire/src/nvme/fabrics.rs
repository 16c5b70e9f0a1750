//! Fabrics commands: Connect with its data, Property Get and Set (NVMe Base 2.0, fabrics commands).

use super::page::text;
use crate::figure::figure;
use crate::{Illegal, Layer, Writer};

/// The opcode of every Fabrics command.
pub const FABRICS_OPCODE: u8 = 0x7f;

figure! {
    /// A Connect command: the first one on every queue. It is a submission queue entry.
    ConnectView: 64 bytes little endian, Nvme "Connect command" {
        /// Command Identifier (CID).
        2 command_id u16;
        /// Fabrics Command Type (FCTYPE): 1.
        4 fabrics_type u8;
        /// Record Format (RECFMT): 0.
        40 record_format u16;
        /// Queue ID (QID): 0 makes it the admin queue.
        42 queue_id u16;
        /// Submission Queue Size (SQSIZE): one less than the number of entries.
        44 submission_queue_size u16;
        /// Connect Attributes (CATTR): priority class, and in bit 2: SQ flow control is off.
        46 attributes u8;
        /// Keep Alive Timeout (KATO) in milliseconds; 0 means none.
        48 keep_alive_timeout u32;
    }
}

impl ConnectView<'_> {
    /// Returns whether the host wants SQ flow control off: SQ heads have no meaning then.
    pub fn flow_control_off(&self) -> bool {
        self.attributes() & 0x04 != 0
    }
}

/// Length of each of the two names in bytes.
const NAME: usize = 256;

figure! {
    /// The data of a Connect command.
    ConnectDataView: 1024 bytes little endian, Nvme "Connect data" {
        /// Controller ID (CNTLID): 0xffff requests any, if the subsystem chooses the IDs.
        16 controller_id u16;
    }
}

impl<'a> ConnectDataView<'a> {
    /// Offset of the NVM subsystem's name.
    pub const SUBSYSTEM_NAME: usize = 256;
    /// Offset of the host's name.
    pub const HOST_NAME: usize = 512;
    /// Length of a name in bytes.
    pub const NAME_LENGTH: usize = NAME;

    /// Host Identifier (HOSTID).
    pub fn host_identifier(&self) -> &'a [u8] {
        self.bytes().get(..16).unwrap_or(&[])
    }

    /// NVM Subsystem NVMe Qualified Name (SUBNQN), up to its first zero byte.
    pub fn subsystem_name(&self) -> &'a [u8] {
        text(self.bytes(), Self::SUBSYSTEM_NAME, NAME)
    }

    /// Host NVMe Qualified Name (HOSTNQN), up to its first zero byte.
    pub fn host_name(&self) -> &'a [u8] {
        text(self.bytes(), Self::HOST_NAME, NAME)
    }
}

/// Legal data of a Connect command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConnectData {
    /// Host Identifier.
    pub host_identifier: [u8; 16],
    /// Controller ID.
    pub controller_id: u16,
    subsystem_name: String,
    host_name: String,
}

impl ConnectData {
    /// Creates data with these names.
    ///
    /// # Errors
    /// [`Illegal`] when a name is over 223 bytes or has a zero byte.
    pub fn new(
        host_identifier: [u8; 16],
        controller_id: u16,
        subsystem_name: &str,
        host_name: &str,
    ) -> Result<Self, Illegal> {
        for (field, name) in [("subsystem name", subsystem_name), ("host name", host_name)] {
            if name.len() > 223 || name.contains('\0') {
                return Err(Illegal::new(
                    Layer::Nvme,
                    field,
                    name.len() as u64,
                    "NVMe Base 2.0, NVMe Qualified Names",
                ));
            }
        }
        let (subsystem_name, host_name) = (subsystem_name.to_owned(), host_name.to_owned());
        Ok(Self { host_identifier, controller_id, subsystem_name, host_name })
    }

    /// Writes the 1024 bytes.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let begin = writer.written();
        writer.bytes(&self.host_identifier).bytes(&self.controller_id.to_le_bytes()).zeros(238);
        for name in [&self.subsystem_name, &self.host_name] {
            writer.bytes(name.as_bytes()).zeros(NAME - name.len());
        }
        let rest = (begin + ConnectDataView::LENGTH).saturating_sub(writer.written());
        writer.zeros(rest);
    }
}

figure! {
    /// A Property Get or Property Set command. It is a submission queue entry.
    PropertyView: 64 bytes little endian, Nvme "Property command" {
        /// Command Identifier (CID).
        2 command_id u16;
        /// Fabrics Command Type (FCTYPE): 4 gets, 0 sets.
        4 fabrics_type u8;
        /// Attributes (ATTRIB): the three low bits are 0 for 4 bytes, 1 for 8.
        40 attributes u8;
        /// Offset (OFST) of the property in bytes.
        44 offset u32;
        /// Value, in a Property Set.
        48 value u64;
    }
}

impl PropertyView<'_> {
    /// Returns the length of the property in bytes; `None` for a size that is not defined.
    pub fn size(&self) -> Option<usize> {
        match self.attributes() & 0x07 {
            0 => Some(4),
            1 => Some(8),
            _ => None,
        }
    }
}
