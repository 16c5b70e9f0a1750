//! The list of all fields and the look-up by name.

use super::Field;
use std::collections::HashMap;
use std::sync::LazyLock;

static PROTOCOLS: &[&[&Field]] = &[
    super::frame::FIELDS,
    super::link::FIELDS,
    super::ip::FIELDS,
    super::small::FIELDS,
    super::tcp::FIELDS,
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
    super::mount::FIELDS,
    super::nfsacl::FIELDS,
    super::operation::FIELDS,
    super::exchange::FIELDS,
];

/// The fields, protocol by protocol, in the order in which the layers nest.
pub fn protocols() -> &'static [&'static [&'static Field]] {
    PROTOCOLS
}

static BY_NAME: LazyLock<HashMap<&'static str, &'static Field>> =
    LazyLock::new(|| all().map(|field| (field.name, field)).collect());

/// Every field.
pub fn all() -> impl Iterator<Item = &'static Field> {
    protocols().iter().flat_map(|fields| fields.iter().copied())
}

/// The field of that name.
pub fn find(name: &str) -> Option<&'static Field> {
    BY_NAME.get(name).copied()
}

/// The known name most like an unknown one, for a suggestion. A name that lacks its protocol is the
/// one of iWARP, or of the highest layer.
pub fn nearest(name: &str) -> Option<&'static str> {
    let lacking = |field: &&Field| {
        field.name.strip_suffix(name).is_some_and(|protocol| protocol.ends_with('.'))
    };
    // The one with the fewest parts before; of several, the last, which is of the highest layer, but
    // iWARP's before those of what it carries.
    let likely = |field: &&Field| {
        let parts = field.name.matches('.').count();
        (std::cmp::Reverse(parts), field.protocol().starts_with("iwarp"))
    };
    if let Some(field) = all().filter(lacking).max_by_key(likely) {
        return Some(field.name);
    }
    all()
        .map(|field| (strsim::jaro_winkler(field.name, name), field.name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}
