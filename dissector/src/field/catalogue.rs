//! The list of all fields and the look-up by name.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;
use warpscope_text::suggest;
use warpscope_wire::name_of;

static PROTOCOLS: &[&[&Field]] = &[
    super::frame::FIELDS,
    super::link::FIELDS,
    super::ip::FIELDS,
    super::small::FIELDS,
    super::tcp::FIELDS,
    super::analysis::tcp::FIELDS,
    super::analysis::expert::FIELDS,
    super::mpa::FIELDS,
    super::ddp::FIELDS,
    super::rdmap::FIELDS,
    super::rpc::transport::FIELDS,
    super::rpc::message::FIELDS,
    super::nfs::common::FIELDS,
    super::nfs::v3::FIELDS,
    super::nfs::v4::FIELDS,
    super::nfs::attributes4::FIELDS,
    super::nfs::session4::FIELDS,
    super::nfs::layout4::FIELDS,
    super::smb_direct::transport::FIELDS,
    super::smb_direct::smb2::FIELDS,
    super::mount::FIELDS,
    super::nfsacl::FIELDS,
    super::nvme::rdma::FIELDS,
    super::nvme::entry::FIELDS,
    super::nvme::fabrics::FIELDS,
    super::nvme::page::FIELDS,
    super::iser::header::FIELDS,
    super::iser::iscsi::FIELDS,
    super::iser::scsi::FIELDS,
    super::operation::FIELDS,
    super::exchange::FIELDS,
    super::io::FIELDS,
];

/// Returns the fields, protocol by protocol, in the order in which the layers nest.
pub fn protocols() -> &'static [&'static [&'static Field]] {
    PROTOCOLS
}

static BY_NAME: LazyLock<HashMap<&'static str, &'static Field>> =
    LazyLock::new(|| all().map(|field| (field.name, field)).collect());

/// Returns every field.
pub fn all() -> impl Iterator<Item = &'static Field> {
    protocols().iter().flat_map(|fields| fields.iter().copied())
}

/// Returns the field with this name.
pub fn find(name: &str) -> Option<&'static Field> {
    BY_NAME.get(name).copied()
}

/// Returns the known name most similar to an unknown one, for a suggestion. A name without its protocol is
/// taken for one of iWARP, or of the highest layer.
pub fn nearest(name: &str) -> Option<&'static str> {
    let lacking = |field: &&Field| {
        field.name.strip_suffix(name).is_some_and(|protocol| protocol.ends_with('.'))
    };
    // The one with the fewest parts comes first; of several, the last, which belongs to the highest layer,
    // but iWARP's fields come before those of what it carries.
    let likely = |field: &&Field| {
        let parts = field.name.matches('.').count();
        (std::cmp::Reverse(parts), field.protocol().starts_with("iwarp"))
    };
    if let Some(field) = all().filter(lacking).max_by_key(likely) {
        return Some(field.name);
    }
    suggest(name, all().map(|field| field.name))
}

// A field is declared once, with its name, type, display and source. The declaration serves the tree, the
// display filter, `-e`, the outputs and `warpscope fields`.

/// The type of a field's value, in the sense of a display filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A protocol: names a layer; its presence can be tested.
    Protocol,
    /// A heading without a value; its presence can be tested.
    Heading,
    /// True or false.
    Boolean,
    /// An unsigned integer of this many bits.
    Unsigned(u8),
    /// A frame number.
    FrameNumber,
    /// A string of bytes.
    Bytes,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// An Ethernet address.
    Ethernet,
    /// Text.
    Text,
    /// An absolute time, nanoseconds since 1970-01-01 UTC.
    AbsoluteTime,
    /// A span of time in nanoseconds.
    RelativeTime,
}

/// How a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Display {
    /// Decimal number (or the only form that the kind has).
    Plain,
    /// Hexadecimal, padded to the field's width, with `0x`.
    Hexadecimal,
    /// Decimal, with the value's name in a tree.
    Named(&'static [(u64, &'static str)]),
    /// Hexadecimal, with the value's name in a tree.
    NamedHexadecimal(&'static [(u64, &'static str)]),
    /// Bytes as two hexadecimal digits each, joined by colons in a tree.
    Colons,
}

/// Where a field's name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Wireshark has this field, with the same name and meaning.
    Wireshark,
    /// Only this project has it.
    Own,
}

/// A declared field.
#[derive(Debug)]
pub struct Field {
    /// The display-filter name, `protocol.part.part`.
    pub name: &'static str,
    /// The label shown in a tree.
    pub label: &'static str,
    /// The type of its values.
    pub kind: Kind,
    /// How its values are shown.
    pub display: Display,
    /// Where its name comes from.
    pub origin: Origin,
    /// What it means, and the section that defines it.
    pub doc: &'static str,
}

/// A reference to a field of the catalogue.
pub type FieldRef = &'static Field;

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }
}
impl Eq for Field {}

impl Field {
    /// Returns the name of the field's protocol: the part before the first dot.
    pub fn protocol(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(protocol, _)| protocol)
    }

    /// Returns true for a field that repeats another's value, so that a filter can ask for either of two
    /// places (`tcp.port`). A printed tree leaves it out.
    pub fn is_alias(&self) -> bool {
        matches!(
            self.name,
            "eth.addr"
                | "eth.lg"
                | "eth.ig"
                | "ip.addr"
                | "ipv6.addr"
                | "tcp.port"
                | "udp.port"
                | "nfs.status"
        )
    }

    /// Returns the name of an enumerated value, if it has one.
    pub fn value_name(&self, number: u64) -> Option<&'static str> {
        let (Display::Named(names) | Display::NamedHexadecimal(names)) = self.display else {
            return None;
        };
        name_of(names, number)
    }

    /// Writes a number as `-e` prints it: decimal or hexadecimal, never its name.
    pub(crate) fn number_text(&self, number: u64, out: &mut String) {
        let bits = match self.kind {
            Kind::Unsigned(bits) => usize::from(bits),
            _ => 0,
        };
        let written = match self.display {
            Display::Hexadecimal | Display::NamedHexadecimal(_) => {
                write!(out, "0x{number:0width$x}", width = bits.div_ceil(4))
            }
            _ => write!(out, "{number}"),
        };
        debug_assert!(written.is_ok());
    }
}

/// Declares the fields of one protocol as statics, and `FIELDS`, the list of all of them.
///
/// ```text
/// fields! {
///     PROTOCOL: Protocol, Plain, Wireshark, "iwarp_mpa", "iWARP MPA", "Marker PDU Aligned framing (RFC 5044)";
///     ULPDU_LENGTH: Unsigned(16), Plain, Wireshark, "iwarp_mpa.ulpdulength", "ULPDU length", "Bytes of the ULPDU alone (RFC 5044 §4.1)";
/// }
/// ```
macro_rules! fields {
    ($($ident:ident: $kind:expr, $display:expr, $origin:expr, $name:literal, $label:literal, $doc:literal;)+) => {
        $(
            #[doc = $doc]
            pub static $ident: $crate::field::Field = {
                #[allow(unused_imports, reason = "not every field uses every display")]
                use $crate::field::{Display::*, Kind::*, Origin::*};
                $crate::field::Field {
                    name: $name,
                    label: $label,
                    kind: $kind,
                    display: $display,
                    origin: $origin,
                    doc: $doc,
                }
            };
        )+
        /// Every field of this protocol, in the order of declaration.
        pub static FIELDS: &[&$crate::field::Field] = &[$(&$ident),+];
    };
}
pub(crate) use fields;
