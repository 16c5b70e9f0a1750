//! The table of the protocols.

use super::layer::UpperLayer;
use super::{iser, nvme, smb_direct};
use std::str::FromStr;

/// A protocol that a connection may carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ulp {
    /// RPC-over-RDMA version 1 (RFC 8166).
    RpcRdma,
    /// NVMe over RDMA.
    Nvme,
    /// iSCSI Extensions for RDMA (RFC 7145).
    Iser,
    /// SMB Direct.
    SmbDirect,
}

/// What is known of a protocol.
struct Row {
    ulp: Ulp,
    /// As Wireshark calls its layer: what `-d tcp.port==N,NAME` takes.
    name: &'static str,
    title: &'static str,
    /// The port that its servers listen at; 0 where that says nothing.
    port: u16,
}

const ROWS: &[Row] = &[
    Row { ulp: Ulp::RpcRdma, name: "rpcordma", title: "RPC-over-RDMA", port: 20049 },
    Row { ulp: Ulp::Nvme, name: "nvme-rdma", title: "NVMe over RDMA", port: 4420 },
    Row { ulp: Ulp::Iser, name: "iser", title: "iSER", port: 3260 },
    Row { ulp: Ulp::SmbDirect, name: "smb_direct", title: "SMB Direct", port: 5445 },
];

impl Ulp {
    /// Every protocol.
    pub const ALL: [Self; 4] = [Self::RpcRdma, Self::Nvme, Self::Iser, Self::SmbDirect];

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.ulp == self).unwrap_or(&ROWS[0])
    }

    /// As Wireshark calls its layer.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// As people call it.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The port that its servers listen at.
    pub fn port(self) -> u16 {
        self.row().port
    }

    /// What speaks it on a connection; `None` for RPC-over-RDMA, whose calls the connection follows itself.
    pub(super) fn begin(self) -> Option<Box<dyn UpperLayer>> {
        Some(match self {
            Self::RpcRdma => return None,
            Self::Nvme => Box::new(nvme::Conversation::default()),
            Self::Iser => Box::new(iser::Conversation::default()),
            Self::SmbDirect => Box::new(smb_direct::Conversation::default()),
        })
    }
}

impl FromStr for Ulp {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|ulp| ulp.name() == name).ok_or(())
    }
}
