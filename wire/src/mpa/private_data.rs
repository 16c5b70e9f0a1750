//! RPC-over-RDMA version 1's private data: who speaks it, and with which inline thresholds (RFC 8797 §4).

use crate::figure::figure;
use crate::{Illegal, Layer};

/// The word that begins this private data.
const MAGIC: u32 = 0xf6ab_0e18;
const VERSION: u8 = 1;
const REMOTE_INVALIDATION: u8 = 0x01;
const SECTION: &str = "RFC 8797 section 4";

figure! {
    /// The eight bytes.
    RdmaPrivateDataView: 8 bytes, RpcOverRdma "private data" {
        /// The format identifier.
        0 magic u32;
        /// The version of the format.
        4 version u8;
        /// The flags.
        5 flags u8;
        /// The largest message that the sender of this sends inline: (bytes / 1024) - 1.
        6 encoded_send_size u8;
        /// The largest message that it receives inline: (bytes / 1024) - 1.
        7 encoded_receive_size u8;
    }
}

impl RdmaPrivateDataView<'_> {
    /// True when magic and version say that this is RFC 8797's private data.
    pub fn recognised(&self) -> bool {
        self.magic() == MAGIC && self.version() == VERSION
    }

    /// R: the sender supports remote invalidation.
    pub fn remote_invalidation(&self) -> bool {
        self.flags() & REMOTE_INVALIDATION != 0
    }

    /// The inline send threshold in bytes.
    pub fn send_size(&self) -> u32 {
        (u32::from(self.encoded_send_size()) + 1) * 1024
    }

    /// The inline receive threshold in bytes.
    pub fn receive_size(&self) -> u32 {
        (u32::from(self.encoded_receive_size()) + 1) * 1024
    }
}

/// Legal private data of RPC-over-RDMA version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RdmaPrivateData {
    /// R: the sender supports remote invalidation.
    pub remote_invalidation: bool,
    send_kib: u8,
    receive_kib: u8,
}

impl RdmaPrivateData {
    /// Private data with inline thresholds in bytes.
    ///
    /// # Errors
    /// [`Illegal`] when a size is not a multiple of 1024 from 1024 to 262144.
    pub fn new(
        remote_invalidation: bool,
        send_size: u32,
        receive_size: u32,
    ) -> Result<Self, Illegal> {
        let encode = |field, size: u32| {
            let kib = (size / 1024).checked_sub(1).filter(|_| size.is_multiple_of(1024));
            kib.and_then(|kib| u8::try_from(kib).ok()).ok_or(Illegal {
                layer: Layer::RpcOverRdma,
                field,
                value: size.into(),
                section: SECTION,
            })
        };
        let send_kib = encode("send size", send_size)?;
        let receive_kib = encode("receive size", receive_size)?;
        Ok(Self { remote_invalidation, send_kib, receive_kib })
    }

    /// The eight bytes on the wire.
    pub fn bytes(&self) -> [u8; 8] {
        let [a, b, c, d] = MAGIC.to_be_bytes();
        [a, b, c, d, VERSION, self.remote_invalidation.into(), self.send_kib, self.receive_kib]
    }
}

impl TryFrom<RdmaPrivateDataView<'_>> for RdmaPrivateData {
    type Error = Illegal;

    fn try_from(view: RdmaPrivateDataView<'_>) -> Result<Self, Illegal> {
        let checks = [
            ("magic", u64::from(view.magic()), view.magic() == MAGIC),
            ("version", view.version().into(), view.version() == VERSION),
            ("flags", view.flags().into(), view.flags() & !REMOTE_INVALIDATION == 0),
        ];
        for (field, value, legal) in checks {
            if !legal {
                let layer = Layer::RpcOverRdma;
                return Err(Illegal { layer, field, value, section: SECTION });
            }
        }
        Self::new(view.remote_invalidation(), view.send_size(), view.receive_size())
    }
}
