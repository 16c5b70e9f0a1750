//! What came on a link, in order.

use super::buffer::Placed;
use super::figure;
use std::time::Duration;

/// Something that came, and when: since the link's beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// When its last byte came.
    pub at: Duration,
    /// What it is.
    pub what: What,
}

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A setup frame.
    Setup(SetupSeen),
    /// A whole message.
    Message(MessageSeen),
    /// Bytes that are not what the stream has there, and why; nothing that follows is read.
    Unreadable(Vec<u8>, String),
    /// The target closed its direction. The number is that of bytes that it left behind: a setup
    /// frame or FPDU that never became whole.
    Finished(usize),
    /// The connection was reset.
    Reset,
}

/// A setup frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupSeen {
    /// All its bytes, private data included.
    pub bytes: Vec<u8>,
}

/// Whether an FPDU's CRC is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrcSeen {
    /// It is.
    Right,
    /// It is not; the field and what it should be, as numbers of the field's bytes.
    Wrong(u32, u32),
}

/// A marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkerSeen {
    /// Bytes of Full Operation before it.
    pub position: u64,
    /// Its first half word.
    pub reserved: u16,
    /// FPDUPTR.
    pub pointer: u16,
    /// What FPDUPTR should be.
    pub due: u16,
}

/// An FPDU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FpduSeen {
    /// When its last byte came.
    pub at: Duration,
    /// Bytes of Full Operation before it.
    pub position: u64,
    /// The ULPDU: a DDP segment.
    pub ulpdu: Vec<u8>,
    /// The pad.
    pub pad: Vec<u8>,
    /// The four bytes of the CRC field.
    pub crc_field: [u8; 4],
    /// Whether they are right.
    pub crc: CrcSeen,
    /// The markers in it and before it.
    pub markers: Vec<MarkerSeen>,
    /// For tagged segments: whether they lie in a buffer that was offered.
    pub placed: Option<Placed>,
}

/// A whole message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSeen {
    /// Its segments.
    pub segments: Vec<FpduSeen>,
    /// What its segments carried, behind their DDP headers.
    pub payload: Vec<u8>,
    /// What is wrong with how its segments fit together; empty where nothing is.
    pub faults: Vec<String>,
}

impl SetupSeen {
    /// M.
    pub fn markers(&self) -> bool {
        figure::SETUP_MARKERS.read(&self.bytes) == Some(1)
    }

    /// C.
    pub fn crc(&self) -> bool {
        figure::SETUP_CRC.read(&self.bytes) == Some(1)
    }

    /// R.
    pub fn rejected(&self) -> bool {
        figure::SETUP_REJECTED.read(&self.bytes) == Some(1)
    }

    /// Rev.
    pub fn revision(&self) -> u8 {
        figure::SETUP_REVISION.read(&self.bytes).unwrap_or(0) as u8
    }

    /// The private data, enhanced data included.
    pub fn private_data(&self) -> &[u8] {
        self.bytes.get(figure::SETUP..).unwrap_or_default()
    }

    /// It in a few words.
    pub fn describe(&self) -> String {
        let mut words = String::from(match self.bytes.get(7) {
            Some(_) if self.bytes.get(..figure::KEY) == Some(b"MPA ID Rep Frame") => "MPA Reply",
            _ => "MPA Request",
        });
        words.push_str(&format!(" Rev={}", self.revision()));
        for (set, name) in
            [(self.markers(), " markers"), (self.crc(), " CRC"), (self.rejected(), " rejected")]
        {
            words.push_str(if set { name } else { "" });
        }
        words.push_str(&format!(" with {} bytes of private data", self.private_data().len()));
        words
    }
}

impl FpduSeen {
    /// Whether T is set.
    pub fn tagged(&self) -> bool {
        figure::TAGGED.read(&self.ulpdu) == Some(1)
    }

    /// Bytes of the DDP header.
    pub fn header_length(&self) -> usize {
        if self.tagged() { figure::TAGGED_HEADER } else { figure::UNTAGGED_HEADER }
    }

    /// What stands behind the DDP header.
    pub fn payload(&self) -> &[u8] {
        self.ulpdu.get(self.header_length()..).unwrap_or_default()
    }

    /// The opcode.
    pub fn opcode(&self) -> Option<u8> {
        figure::OPCODE.read(&self.ulpdu).map(|opcode| opcode as u8)
    }
}

impl MessageSeen {
    /// The opcode of its first segment.
    pub fn opcode(&self) -> Option<u8> {
        self.segments.first().and_then(FpduSeen::opcode)
    }

    /// Its first segment's bytes.
    pub fn first(&self) -> &[u8] {
        self.segments.first().map_or(&[], |segment| &segment.ulpdu)
    }

    /// Its last segment's bytes.
    pub fn last(&self) -> &[u8] {
        self.segments.last().map_or(&[], |segment| &segment.ulpdu)
    }

    /// It in a few words.
    pub fn describe(&self) -> String {
        let first = self.first();
        let number = |bits: super::Bits| bits.read(first).unwrap_or(0);
        let Some(opcode) = self.opcode() else {
            return format!("a segment of {} bytes, too short for a header", first.len());
        };
        let name = figure::opcode_name(opcode);
        let mut words = if figure::TAGGED.read(first) == Some(1) {
            let (tag, offset) = (number(figure::STEERING_TAG), number(figure::TAGGED_OFFSET));
            format!("{name} STag={tag:#010x} TO={offset:#x}")
        } else {
            let (queue, sequence) =
                (number(figure::QUEUE_NUMBER), number(figure::MESSAGE_SEQUENCE_NUMBER));
            format!("{name} QN={queue} MSN={sequence}")
        };
        if opcode == figure::TERMINATE {
            words.push_str(&terminate_words(&self.payload));
        } else {
            words.push_str(&format!(" with {} bytes", self.payload.len()));
        }
        if self.segments.len() > 1 {
            words.push_str(&format!(" in {} segments", self.segments.len()));
        }
        if self.segments.iter().any(|segment| segment.crc != CrcSeen::Right) {
            words.push_str(", wrong CRC");
        }
        for fault in &self.faults {
            words.push_str(", ");
            words.push_str(fault);
        }
        words
    }
}

/// Layer, type and code of a Terminate's payload, and what it echoes.
pub(super) fn terminate_words(payload: &[u8]) -> String {
    let number = |bits: super::Bits| bits.read(payload).unwrap_or(0) as u8;
    let (layer, kind, code) = (
        number(figure::TERMINATE_LAYER),
        number(figure::TERMINATE_TYPE),
        number(figure::TERMINATE_CODE),
    );
    let mut words = format!(": {}", code_words(layer, kind, code));
    for (bits, name) in
        [(figure::TERMINATE_D, ", echoes DDP"), (figure::TERMINATE_R, ", echoes RDMAP")]
    {
        words.push_str(if number(bits) == 1 { name } else { "" });
    }
    words
}

/// Layer, type and code in figures and words.
pub(super) fn code_words(layer: u8, kind: u8, code: u8) -> String {
    use warpscope_wire::rdmap::{error_code_name, error_type_name, layer_name};
    let layer_words = layer_name(layer).unwrap_or("unknown layer");
    let kind_words = error_type_name(layer, kind).unwrap_or("unknown type");
    let code_words = error_code_name(layer, kind, code).unwrap_or("unknown code");
    format!("{layer}/{kind}/{code:#04x} ({layer_words}, {kind_words}, {code_words})")
}

impl What {
    /// It in a few words.
    pub fn describe(&self) -> String {
        match self {
            Self::Setup(setup) => setup.describe(),
            Self::Message(message) => message.describe(),
            Self::Unreadable(bytes, why) => {
                format!("{} bytes that cannot be read: {why}", bytes.len())
            }
            Self::Finished(0) => "the target closed its direction (FIN)".to_owned(),
            Self::Finished(left) => {
                format!(
                    "the target closed its direction (FIN) within something: {left} bytes of it came"
                )
            }
            Self::Reset => "the target reset the connection (RST)".to_owned(),
        }
    }
}
