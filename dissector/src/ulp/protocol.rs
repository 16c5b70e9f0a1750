//! The table of upper layer protocols.

use super::layer::UpperLayer;
use super::{Sides, iser, nvme, smb_direct};
use std::str::FromStr;
use warpscope_wire::mpa::RdmaPrivateDataView;

/// An upper layer protocol that a connection can carry.
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

/// The properties of a protocol.
struct Row {
    ulp: Ulp,
    /// Wireshark's name of its layer: what `-d tcp.port==N,NAME` takes.
    name: &'static str,
    title: &'static str,
    /// The port that its servers listen on.
    port: u16,
    /// Creates its decoder; `None` for RPC-over-RDMA, whose calls the connection follows itself.
    begin: fn() -> Option<Box<dyn UpperLayer>>,
    private_data: Recognises,
    send: Recognises,
}

/// Returns whether bytes are of a protocol. The flags say whether the initiator sent them, if known, and
/// whether an end has the protocol's port.
type Recognises = fn(&[u8], Option<bool>, bool) -> bool;

/// The protocols, in the order in which they are tried.
const ROWS: &[Row] = &[
    Row {
        ulp: Ulp::RpcRdma,
        name: "rpcordma",
        title: "RPC-over-RDMA",
        port: 20049,
        begin: || None,
        private_data: |bytes, _, _| {
            RdmaPrivateDataView::parse(bytes).is_ok_and(|(view, _)| view.recognised())
        },
        // The message stage recognises its Sends.
        send: |_, _, _| false,
    },
    Row {
        ulp: Ulp::Nvme,
        name: "nvme-rdma",
        title: "NVMe over RDMA",
        port: 4420,
        begin: || Some(Box::new(nvme::Conversation::default())),
        private_data: nvme::recognises_private_data,
        send: nvme::recognises_send,
    },
    Row {
        ulp: Ulp::Iser,
        name: "iser",
        title: "iSER",
        port: 3260,
        begin: || Some(Box::new(iser::Conversation::default())),
        private_data: iser::recognises_private_data,
        send: iser::recognises_send,
    },
    Row {
        ulp: Ulp::SmbDirect,
        name: "smb_direct",
        title: "SMB Direct",
        port: 5445,
        begin: || Some(Box::new(smb_direct::Conversation::default())),
        private_data: smb_direct::recognises_private_data,
        send: smb_direct::recognises_send,
    },
];

impl Ulp {
    /// Every protocol.
    pub const ALL: [Self; 4] = [Self::RpcRdma, Self::Nvme, Self::Iser, Self::SmbDirect];

    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.ulp == self).unwrap_or(&ROWS[0])
    }

    /// Returns Wireshark's name of its layer.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns its usual name.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// Creates its decoder; `None` for RPC-over-RDMA, whose calls the connection follows itself.
    pub(super) fn begin(self) -> Option<Box<dyn UpperLayer>> {
        (self.row().begin)()
    }

    /// Recognises the protocol from the private data of a setup frame, without the four bytes of RFC 6581 §6.
    pub(super) fn of_private_data(bytes: &[u8], sides: &Sides) -> Option<Self> {
        Self::recognised(sides, |row, port| (row.private_data)(bytes, sides.by_initiator(), port))
    }

    /// Recognises the protocol from a complete Send; never RPC-over-RDMA.
    pub(super) fn of_send(bytes: &[u8], sides: &Sides) -> Option<Self> {
        Self::recognised(sides, |row, port| (row.send)(bytes, sides.by_initiator(), port))
    }

    fn recognised(sides: &Sides, is_of: impl Fn(&Row, bool) -> bool) -> Option<Self> {
        let found = ROWS.iter().find(|row| is_of(row, sides.ports.contains(&row.port)));
        found.map(|row| row.ulp)
    }
}

impl FromStr for Ulp {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|ulp| ulp.name() == name).ok_or(())
    }
}
