//! Pages that commands return: the Discovery log, Identify Controller and Identify Namespace (NVMe Base
//! 2.0). Only names, and fields on which numbers in other messages depend.

use crate::Malformed;
use crate::figure::figure;

/// Returns a text of up to `length` bytes from `at` on, up to its first zero byte.
pub fn text(bytes: &[u8], at: usize, length: usize) -> &[u8] {
    let all = bytes.get(at..at.saturating_add(length)).unwrap_or(&[]);
    all.split(|byte| *byte == 0).next().unwrap_or(&[])
}

/// Returns a text without its padding of blanks.
fn padded(bytes: &[u8], at: usize, length: usize) -> &[u8] {
    text(bytes, at, length).trim_ascii_end()
}

figure! {
    /// The header of the Discovery log page; entries follow it.
    DiscoveryHeaderView: 1024 bytes little endian, Nvme "Discovery log page header" {
        /// Generation Counter (GENCTR).
        0 generation_counter u64;
        /// Number of Records (NUMREC).
        8 record_count u64;
        /// Record Format (RECFMT): 0.
        16 record_format u16;
    }
}

figure! {
    /// An entry of the Discovery log page.
    DiscoveryEntryView: 1024 bytes little endian, Nvme "Discovery log page entry" {
        /// Transport Type (TRTYPE): 1 RDMA, 2 Fibre Channel, 3 TCP.
        0 transport_type u8;
        /// Address Family (ADRFAM): 1 IPv4, 2 IPv6, 3 InfiniBand, 4 Fibre Channel.
        1 address_family u8;
        /// Subsystem Type (SUBTYPE): 1 referral, 2 NVM subsystem, 3 this discovery subsystem.
        2 subsystem_type u8;
        /// Transport Requirements (TREQ).
        3 transport_requirements u8;
        /// Port ID (PORTID).
        4 port_id u16;
        /// Controller ID (CNTLID): 0xffff if the subsystem chooses it.
        6 controller_id u16;
        /// Admin Max SQ Size (ASQSZ).
        8 admin_queue_size u16;
        /// Entry Flags (EFLAGS).
        10 flags u16;
        /// RDMA QP Service Type: 1 reliable connected, 2 reliable datagram.
        768 rdma_service_type u8;
        /// RDMA Provider Type: 1 not specified, 2 InfiniBand, 3 and 4 RoCE, 5 iWARP.
        769 rdma_provider_type u8;
        /// RDMA Connection Management Service: 1 RDMA_IP_CM.
        770 rdma_connection_service u8;
        /// RDMA Partition Key.
        776 rdma_partition_key u16;
    }
}

impl<'a> DiscoveryEntryView<'a> {
    /// Offset and length of the service identifier.
    pub const SERVICE: (usize, usize) = (32, 32);
    /// Offset and length of the subsystem's name.
    pub const SUBSYSTEM_NAME: (usize, usize) = (256, 256);
    /// Offset and length of the address.
    pub const ADDRESS: (usize, usize) = (512, 256);

    /// Transport Service Identifier (TRSVCID): the port.
    pub fn service(&self) -> &'a [u8] {
        padded(self.bytes(), Self::SERVICE.0, Self::SERVICE.1)
    }

    /// NVM Subsystem Qualified Name (SUBNQN).
    pub fn subsystem_name(&self) -> &'a [u8] {
        text(self.bytes(), Self::SUBSYSTEM_NAME.0, Self::SUBSYSTEM_NAME.1)
    }

    /// Transport Address (TRADDR).
    pub fn address(&self) -> &'a [u8] {
        padded(self.bytes(), Self::ADDRESS.0, Self::ADDRESS.1)
    }
}

figure! {
    /// The data that Identify returns for a controller (CNS 1).
    IdentifyControllerView: 4096 bytes little endian, Nvme "Identify Controller data" {
        /// PCI Vendor ID (VID).
        0 vendor_id u16;
        /// PCI Subsystem Vendor ID (SSVID).
        2 subsystem_vendor_id u16;
        /// Maximum Data Transfer Size (MDTS): a power of two of memory pages; 0 means no limit.
        77 maximum_data_transfer_size u8;
        /// Controller ID (CNTLID).
        78 controller_id u16;
        /// Version (VER).
        80 version u32;
        /// Controller Type (CNTRLTYPE): 1 I/O, 2 discovery, 3 administrative.
        111 controller_type u8;
        /// Keep Alive Support (KAS): granularity of the timer in 100 ms; 0 means no support.
        320 keep_alive_support u16;
        /// Maximum Outstanding Commands (MAXCMD) of a queue.
        514 maximum_outstanding_commands u16;
        /// Number of Namespaces (NN).
        516 namespace_count u32;
        /// SGL Support (SGLS).
        536 sgl_support u32;
        /// I/O Queue Command Capsule Supported Size (IOCCSZ), in 16 bytes: 4 are the submission queue entry.
        1792 command_capsule_size u32;
        /// I/O Queue Response Capsule Supported Size (IORCSZ), in 16 bytes.
        1796 response_capsule_size u32;
        /// In Capsule Data Offset (ICDOFF), in 16 bytes.
        1800 in_capsule_data_offset u16;
        /// Maximum SGL Data Block Descriptors (MSDBD) of a command.
        1803 maximum_descriptors u8;
    }
}

impl<'a> IdentifyControllerView<'a> {
    /// Offset and length of the serial number.
    pub const SERIAL_NUMBER: (usize, usize) = (4, 20);
    /// Offset and length of the model number.
    pub const MODEL_NUMBER: (usize, usize) = (24, 40);
    /// Offset and length of the firmware revision.
    pub const FIRMWARE_REVISION: (usize, usize) = (64, 8);
    /// Offset and length of the subsystem's name.
    pub const SUBSYSTEM_NAME: (usize, usize) = (768, 256);

    /// NVM Subsystem NVMe Qualified Name (SUBNQN).
    pub fn subsystem_name(&self) -> &'a [u8] {
        text(self.bytes(), Self::SUBSYSTEM_NAME.0, Self::SUBSYSTEM_NAME.1)
    }
}

figure! {
    /// The data that Identify returns for a namespace (CNS 0).
    IdentifyNamespaceView: 4096 bytes little endian, Nvme "Identify Namespace data" {
        /// Namespace Size (NSZE) in logical blocks.
        0 size u64;
        /// Namespace Capacity (NCAP) in logical blocks.
        8 capacity u64;
        /// Namespace Utilization (NUSE) in logical blocks.
        16 utilization u64;
        /// Number of LBA Formats (NLBAF), minus one.
        25 format_count u8;
        /// Formatted LBA Size (FLBAS): the format in use.
        26 formatted_lba_size u8;
    }
}

impl<'a> IdentifyNamespaceView<'a> {
    /// Offset of the LBA formats.
    pub const FORMATS: usize = 128;

    /// Returns the index of the LBA format in use: four bits and, above 16 formats, two more.
    pub fn format_index(&self) -> usize {
        let flbas = usize::from(self.formatted_lba_size());
        flbas & 0x0f | (flbas & 0x60) >> 1
    }

    /// Returns the LBA format in use.
    ///
    /// # Errors
    /// [`Malformed`] never for an index of six bits; the page has room for all.
    pub fn format(&self) -> Result<BlockFormatView<'a>, Malformed> {
        let at = Self::FORMATS + self.format_index() * BlockFormatView::LENGTH;
        BlockFormatView::parse(self.bytes().get(at..).unwrap_or(&[])).map(|(format, _)| format)
    }
}

figure! {
    /// An LBA format (LBAF).
    BlockFormatView: 4 bytes little endian, Nvme "LBA format" {
        /// Metadata Size (MS) in bytes.
        0 metadata_size u16;
        /// LBA Data Size (LBADS): a power of two of bytes.
        2 data_size u8;
        /// Relative Performance (RP).
        3 performance u8;
    }
}

impl BlockFormatView<'_> {
    /// Returns the length of a logical block in bytes, without metadata; `None` for a format that is
    /// not available, or that is larger than a namespace can be.
    pub fn block_length(&self) -> Option<u64> {
        match self.data_size() {
            shift @ 9..=63 => Some(1 << shift),
            _ => None,
        }
    }
}
