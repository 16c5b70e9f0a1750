//! The submission queue entry that begins a command capsule, and its data pointer (NVMe Base 2.0,
//! submission queue entry and scatter gather lists; NVMe RDMA Transport 1.0).

use super::fabrics::FABRICS_OPCODE;
use super::names::{ADMIN_OPCODES, FABRICS_TYPES, IO_OPCODES};
use crate::figure::figure;
use crate::{Illegal, Layer, Writer, name_of};

/// Offset of the data pointer (DPTR) in a submission queue entry.
const DATA_POINTER: usize = 24;

/// The kind of a queue, admin or I/O command set: opcodes mean different things on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Queue {
    /// The queue with ID 0.
    Admin,
    /// Any other.
    Io,
}

impl Queue {
    /// Returns the kind of the queue with this ID.
    pub fn of(queue_id: u16) -> Self {
        if queue_id == 0 { Self::Admin } else { Self::Io }
    }
}

/// The direction of a command's data: the two low bits of its opcode, or of its Fabrics Command Type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
pub enum DataDirection {
    /// No data.
    #[strum(serialize = "none")]
    None,
    /// From the host to the controller: in-capsule, or by RDMA Reads.
    #[strum(serialize = "host to controller")]
    HostToController,
    /// From the controller to the host: by RDMA Writes.
    #[strum(serialize = "controller to host")]
    ControllerToHost,
    /// Both ways.
    #[strum(serialize = "bidirectional")]
    Bidirectional,
}

figure! {
    /// A submission queue entry (SQE).
    CommandView: 64 bytes little endian, Nvme "submission queue entry" {
        /// Opcode (OPC).
        0 opcode u8;
        /// Fused operation (FUSE, the two low bits), PRP or SGL for Data Transfer (PSDT, the two high bits).
        1 flags u8;
        /// Command Identifier (CID).
        2 command_id u16;
        /// Namespace Identifier (NSID).
        4 namespace_id u32;
        /// Command Dword 2.
        8 dword2 u32;
        /// Command Dword 3.
        12 dword3 u32;
        /// Metadata Pointer (MPTR).
        16 metadata_pointer u64;
        /// Command Dword 10.
        40 dword10 u32;
        /// Command Dword 11.
        44 dword11 u32;
        /// Command Dword 12.
        48 dword12 u32;
        /// Command Dword 13.
        52 dword13 u32;
        /// Command Dword 14.
        56 dword14 u32;
        /// Command Dword 15.
        60 dword15 u32;
    }
}

impl<'a> CommandView<'a> {
    /// Returns whether it is a Fabrics command: [`ConnectView`](super::ConnectView) and
    /// [`PropertyView`](super::PropertyView) read the same 64 bytes.
    pub fn is_fabrics(&self) -> bool {
        self.opcode() == FABRICS_OPCODE
    }

    /// Returns the Fabrics Command Type (FCTYPE), in the place of the namespace's first byte.
    pub fn fabrics_type(&self) -> Option<u8> {
        self.is_fabrics().then(|| self.namespace_id().to_le_bytes()[0])
    }

    /// Returns the name of the command on a queue of this kind.
    pub fn name(&self, queue: Queue) -> Option<&'static str> {
        if let Some(fabrics_type) = self.fabrics_type() {
            return name_of(FABRICS_TYPES, fabrics_type);
        }
        let names = match queue {
            Queue::Admin => ADMIN_OPCODES,
            Queue::Io => IO_OPCODES,
        };
        name_of(names, self.opcode())
    }

    /// Returns the direction of its data, if it has any.
    pub fn direction(&self) -> DataDirection {
        match self.fabrics_type().unwrap_or(self.opcode()) & 3 {
            0 => DataDirection::None,
            1 => DataDirection::HostToController,
            2 => DataDirection::ControllerToHost,
            _ => DataDirection::Bidirectional,
        }
    }

    /// PRP or SGL for Data Transfer (PSDT): over a fabric 1, an SGL with a contiguous metadata buffer.
    pub fn sgl_use(&self) -> u8 {
        self.flags() >> 6
    }

    /// Returns the SGL descriptor of the data pointer (SGL1).
    pub fn descriptor(&self) -> DescriptorView<'a> {
        const END: usize = DATA_POINTER + DescriptorView::LENGTH;
        DescriptorView::of(self.bytes().get(DATA_POINTER..END))
    }

    /// Starting LBA (SLBA) of a command on logical blocks.
    pub fn starting_lba(&self) -> u64 {
        u64::from(self.dword11()) << 32 | u64::from(self.dword10())
    }

    /// Number of Logical Blocks of such a command: the NLB field plus one.
    pub fn block_count(&self) -> u32 {
        (self.dword12() & 0xffff) + 1
    }

    /// Number of Ranges of a Dataset Management command: the NR field plus one.
    pub fn range_count(&self) -> u32 {
        (self.dword10() & 0xff) + 1
    }

    /// Controller or Namespace Structure (CNS) of an Identify command.
    pub fn identify_structure(&self) -> u8 {
        self.dword10().to_le_bytes()[0]
    }

    /// Log Page Identifier (LID) of a Get Log Page command.
    pub fn log_page(&self) -> u8 {
        self.dword10().to_le_bytes()[0]
    }

    /// Number of bytes that a Get Log Page command requests: NUMDU and NUMDL hold the dwords minus one.
    pub fn log_page_length(&self) -> u64 {
        let dwords = u64::from(self.dword11() & 0xffff) << 16 | u64::from(self.dword10() >> 16);
        (dwords + 1) * 4
    }

    /// Log Page Offset (LPO) in bytes of a Get Log Page command.
    pub fn log_page_offset(&self) -> u64 {
        u64::from(self.dword13()) << 32 | u64::from(self.dword12())
    }

    /// Feature Identifier (FID) of a Set Features or Get Features command.
    pub fn feature(&self) -> u8 {
        self.dword10().to_le_bytes()[0]
    }
}

figure! {
    /// An SGL descriptor as it appears in a command or in a list of descriptors.
    DescriptorView: 16 bytes little endian, Nvme "SGL descriptor" {
        /// Address, or an offset into the capsule.
        0 address u64;
        /// Length in bytes, for the types with a length of four bytes.
        8 length u32;
        /// The type in the four high bits, the sub type in the others.
        15 identifier u8;
    }
}

impl<'a> DescriptorView<'a> {
    /// Offset of the key of a keyed descriptor.
    pub const KEY: usize = 11;

    fn of(bytes: Option<&'a [u8]>) -> Self {
        static NONE: [u8; 16] = [0; 16];
        Self(bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or(&NONE))
    }

    /// SGL Descriptor Type.
    pub fn descriptor_type(&self) -> u8 {
        self.identifier() >> 4
    }

    /// SGL Descriptor Sub Type.
    pub fn sub_type(&self) -> u8 {
        self.identifier() & 0x0f
    }

    /// Returns the three-byte length of a keyed descriptor.
    pub fn keyed_length(&self) -> u32 {
        self.length() & 0x00ff_ffff
    }

    /// Returns the key of a keyed descriptor: on iWARP the Steering Tag (STag), here little-endian.
    pub fn key(&self) -> u32 {
        let key = self.bytes().get(Self::KEY..Self::KEY + 4).and_then(|key| key.try_into().ok());
        u32::from_le_bytes(key.unwrap_or_default())
    }

    /// Returns its meaning; `None` for a type and sub type that are not defined for RDMA.
    pub fn descriptor(&self) -> Option<Descriptor> {
        let (address, length) = (self.address(), self.length());
        Some(match (self.descriptor_type(), self.sub_type()) {
            (0x0, 0x0) => Descriptor::Address { address, length },
            (0x0, 0x1) => Descriptor::InCapsule { offset: address, length },
            (0x2, 0x1) => Descriptor::Segment { offset: address, length, last: false },
            (0x3, 0x1) => Descriptor::Segment { offset: address, length, last: true },
            (0x4, 0x0 | 0xf) => Descriptor::Keyed {
                address,
                length: self.keyed_length(),
                key: self.key(),
                invalidate: self.sub_type() == 0xf,
            },
            _ => return None,
        })
    }
}

/// The place of a command's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Descriptor {
    /// An address without a key, which no RDMA can reach. All zeros means no data.
    Address {
        /// The address.
        address: u64,
        /// Length in bytes.
        length: u32,
    },
    /// In the capsule itself.
    InCapsule {
        /// Offset in bytes from the end of the submission queue entry and the controller's ICDOFF.
        offset: u64,
        /// Length in bytes.
        length: u32,
    },
    /// More descriptors, in the capsule.
    Segment {
        /// Offset in bytes from the end of the submission queue entry and the controller's ICDOFF.
        offset: u64,
        /// Length of the descriptors in bytes.
        length: u32,
        /// Whether that segment is the last one.
        last: bool,
    },
    /// In memory for which the host has provided a key.
    Keyed {
        /// The address: on iWARP the Tagged Offset (TO).
        address: u64,
        /// Length in bytes, of 24 bits.
        length: u32,
        /// The key: on iWARP the Steering Tag (STag).
        key: u32,
        /// Whether the controller may invalidate the key with its response.
        invalidate: bool,
    },
}

impl Descriptor {
    /// The descriptor for no data.
    pub const NONE: Self = Self::Address { address: 0, length: 0 };

    /// Returns the length of the data, or of the descriptors, in bytes.
    pub fn length(&self) -> u32 {
        match self {
            Self::Address { length, .. }
            | Self::InCapsule { length, .. }
            | Self::Segment { length, .. }
            | Self::Keyed { length, .. } => *length,
        }
    }

    /// Returns the name of its kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Address { length: 0, .. } => "none",
            Self::Address { .. } => "address",
            Self::InCapsule { .. } => "in-capsule",
            Self::Segment { last: false, .. } => "segment",
            Self::Segment { last: true, .. } => "last segment",
            Self::Keyed { invalidate: false, .. } => "keyed",
            Self::Keyed { invalidate: true, .. } => "keyed, to be invalidated",
        }
    }

    /// Writes the 16 bytes.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        let (address, length, identifier) = match *self {
            Self::Address { address, length } => (address, length, 0x00),
            Self::InCapsule { offset, length } => (offset, length, 0x01),
            Self::Segment { offset, length, last } => {
                (offset, length, 0x21 + (u8::from(last) << 4))
            }
            Self::Keyed { address, length, key, invalidate } => {
                let identifier = if invalidate { 0x4f } else { 0x40 };
                let [low, middle, high, _] = length.to_le_bytes();
                writer
                    .bytes(&address.to_le_bytes())
                    .bytes(&[low, middle, high])
                    .bytes(&key.to_le_bytes())
                    .u8(identifier);
                return;
            }
        };
        writer.bytes(&address.to_le_bytes()).bytes(&length.to_le_bytes()).zeros(3).u8(identifier);
    }
}

/// A submission queue entry that may be sent over RDMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Command {
    /// Opcode.
    pub opcode: u8,
    /// Fused operation: 0 none, 1 the first, 2 the second of two.
    fused: u8,
    /// Command Identifier.
    pub command_id: u16,
    /// Namespace Identifier; for a Fabrics command, its type.
    pub namespace_id: u32,
    /// Command Dwords 2 and 3.
    pub dwords2: [u32; 2],
    /// Metadata Pointer.
    pub metadata_pointer: u64,
    descriptor: Descriptor,
    /// Command Dwords 10 to 15.
    pub dwords10: [u32; 6],
}

/// The PSDT of every command over a fabric.
const SGL: u8 = 0x40;

impl Command {
    /// Creates a command with an opcode and a data pointer; all other fields are zero.
    ///
    /// # Errors
    /// [`Illegal`] for a keyed length of more than 24 bits.
    pub fn new(opcode: u8, command_id: u16, descriptor: Descriptor) -> Result<Self, Illegal> {
        if let Descriptor::Keyed { length, .. } = descriptor
            && length > 0x00ff_ffff
        {
            return Err(illegal("keyed length", length));
        }
        Ok(Self {
            opcode,
            fused: 0,
            command_id,
            namespace_id: 0,
            dwords2: [0; 2],
            metadata_pointer: 0,
            descriptor,
            dwords10: [0; 6],
        })
    }

    /// Returns the place of its data.
    pub fn descriptor(&self) -> Descriptor {
        self.descriptor
    }

    /// Writes the 64 bytes.
    pub fn emit(&self, writer: &mut Writer<'_>) {
        writer
            .u8(self.opcode)
            .u8(SGL | self.fused)
            .bytes(&self.command_id.to_le_bytes())
            .bytes(&self.namespace_id.to_le_bytes());
        for dword in self.dwords2 {
            writer.bytes(&dword.to_le_bytes());
        }
        writer.bytes(&self.metadata_pointer.to_le_bytes());
        self.descriptor.emit(writer);
        for dword in self.dwords10 {
            writer.bytes(&dword.to_le_bytes());
        }
    }
}

fn illegal(field: &'static str, value: impl Into<u64>) -> Illegal {
    Illegal::new(Layer::Nvme, field, value, "NVMe Base 2.0, submission queue entry")
}

impl TryFrom<CommandView<'_>> for Command {
    type Error = Illegal;

    /// Refuses PRPs, a fused operation of 3, reserved flags, and descriptors that RDMA cannot use.
    fn try_from(view: CommandView<'_>) -> Result<Self, Illegal> {
        if view.flags() & !0x03 != SGL || view.flags() & 0x03 == 0x03 {
            return Err(illegal("flags", view.flags()));
        }
        let descriptor = view.descriptor();
        let Some(pointer) = descriptor.descriptor() else {
            return Err(illegal("SGL identifier", descriptor.identifier()));
        };
        let [.., first, second, third, _] = *descriptor.bytes();
        if !matches!(pointer, Descriptor::Keyed { .. }) && [first, second, third] != [0; 3] {
            return Err(illegal("SGL reserved", first | second | third));
        }
        let command = Self::new(view.opcode(), view.command_id(), pointer)?;
        Ok(Self {
            fused: view.flags() & 0x03,
            namespace_id: view.namespace_id(),
            dwords2: [view.dword2(), view.dword3()],
            metadata_pointer: view.metadata_pointer(),
            dwords10: [
                view.dword10(),
                view.dword11(),
                view.dword12(),
                view.dword13(),
                view.dword14(),
                view.dword15(),
            ],
            ..command
        })
    }
}

figure! {
    /// A range of a Dataset Management command's data (NVM Command Set 1.0).
    DataRangeView: 16 bytes little endian, Nvme "range" {
        /// Context Attributes.
        0 attributes u32;
        /// Length in logical blocks; here the field is not one less.
        4 block_count u32;
        /// Starting LBA.
        8 starting_lba u64;
    }
}
