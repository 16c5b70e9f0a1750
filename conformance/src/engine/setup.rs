//! A setup frame as a test wants it.

use super::compose::{Patch, patch};

/// A setup frame to send: right unless something here says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupOut {
    /// A reply; else a request.
    pub reply: bool,
    /// M.
    pub markers: bool,
    /// C.
    pub crc: bool,
    /// R.
    pub rejected: bool,
    /// S: the private data begins with enhanced data.
    pub enhanced: bool,
    /// Rev.
    pub revision: u8,
    /// The private data, enhanced data included.
    pub private_data: Vec<u8>,
    /// Fields of the frame that are overridden.
    pub patches: Vec<Patch>,
}

impl SetupOut {
    /// A request of revision 1 that wants CRCs.
    pub fn request(private_data: &[u8]) -> Self {
        Self {
            reply: false,
            markers: false,
            crc: true,
            rejected: false,
            enhanced: false,
            revision: 1,
            private_data: private_data.to_vec(),
            patches: Vec::new(),
        }
    }

    /// A reply of revision 1 that wants CRCs.
    pub fn reply(private_data: &[u8]) -> Self {
        Self { reply: true, ..Self::request(private_data) }
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let key = if self.reply { b"MPA ID Rep Frame" } else { b"MPA ID Req Frame" };
        let mut bytes = key.to_vec();
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        bytes.push(
            flag(self.markers, 0x80)
                | flag(self.crc, 0x40)
                | flag(self.rejected, 0x20)
                | flag(self.enhanced, 0x10),
        );
        bytes.push(self.revision);
        bytes.extend_from_slice(&(self.private_data.len() as u16).to_be_bytes());
        bytes.extend_from_slice(&self.private_data);
        for it in &self.patches {
            patch(it, &mut bytes);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::SetupOut;
    use crate::engine::{Bits, Patch, Which};

    #[test]
    fn a_reply_with_overrides() {
        let field = |bits, value| Patch { segment: Which::All, bits, value };
        let patches = vec![field(Bits::bytes(18, 2), 9), field(Bits::bytes(0, 1), 0x6d)];
        let setup = SetupOut { markers: true, patches, ..SetupOut::reply(b"ab") };
        assert_eq!(setup.bytes(), *b"mPA ID Rep Frame\xc0\x01\x00\x09ab");
    }
}
