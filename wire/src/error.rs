//! Errors: bytes that cannot be parsed, and parsed values that break a rule.

/// The protocol layer that an error belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display)]
#[strum(serialize_all = "UPPERCASE")]
pub enum Layer {
    /// Marker PDU Aligned framing (RFC 5044, RFC 6581).
    Mpa,
    /// Direct Data Placement (RFC 5041).
    Ddp,
    /// Remote Direct Memory Access Protocol (RFC 5040 and its extensions).
    Rdmap,
    /// RPC-over-RDMA version 1 (RFC 8166).
    #[strum(serialize = "RPC-over-RDMA")]
    RpcOverRdma,
    /// ONC RPC version 2 (RFC 5531).
    Rpc,
    /// NVM Express over RDMA (NVMe RDMA Transport 1.0, NVMe Base 2.0).
    #[strum(serialize = "NVMe")]
    Nvme,
    /// iSCSI Extensions for RDMA (RFC 7145).
    #[strum(serialize = "iSER")]
    Iser,
    /// iSCSI (RFC 7143).
    #[strum(serialize = "iSCSI")]
    Iscsi,
    /// SCSI commands and sense data (T10's SPC and SBC).
    Scsi,
    /// SMB Direct (MS-SMBD).
    #[strum(serialize = "SMB Direct")]
    SmbDirect,
    /// SMB version 2 and 3 (MS-SMB2).
    Smb2,
}

/// Bytes that cannot be parsed as the expected structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed {layer}: {field} {problem}")]
pub struct Malformed {
    /// The layer that was being parsed.
    pub layer: Layer,
    /// The header or field that could not be parsed.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: Problem,
}

/// Why a field could not be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It does not fit into the available bytes.
    #[error("needs {needed} bytes, {available} are there")]
    Short {
        /// Number of bytes that the field needs.
        needed: usize,
        /// Number of bytes that are available.
        available: usize,
    },
    /// Its value selects the layout of the rest, and no layout has this value.
    #[error("has the value {0}, which no layout goes with")]
    Value(u64),
}

impl Malformed {
    /// Returns the error for a field that does not fit.
    pub(crate) fn short(
        layer: Layer,
        field: &'static str,
        needed: usize,
        available: usize,
    ) -> Self {
        Self { layer, field, problem: Problem::Short { needed, available } }
    }

    /// Returns the number of bytes needed, if there are too few.
    pub fn needed(&self) -> Option<usize> {
        match self.problem {
            Problem::Short { needed, .. } => Some(needed),
            Problem::Value(_) => None,
        }
    }
}

/// A parsed value that a sender must not send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("illegal {layer} field {field} = {value:#x} ({section})")]
pub struct Illegal {
    /// The layer of the field.
    pub layer: Layer,
    /// The name of the field.
    pub field: &'static str,
    /// Its value (a length where the field is a string of bytes).
    pub value: u64,
    /// The section that forbids it.
    pub section: &'static str,
}

impl Illegal {
    /// Returns the error for a value that a section forbids.
    pub(crate) fn new(
        layer: Layer,
        field: &'static str,
        value: impl Into<u64>,
        section: &'static str,
    ) -> Self {
        Self { layer, field, value: value.into(), section }
    }
}

/// The buffer given to `emit` cannot hold the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the buffer has {available} bytes and the message needs {needed}")]
pub struct BufferTooSmall {
    /// Number of bytes that the message needs.
    pub needed: usize,
    /// Number of bytes in the buffer.
    pub available: usize,
}
