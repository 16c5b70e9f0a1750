//! FSSTAT, FSINFO, PATHCONF (RFC 1813 sections 3.3.18 to 3.3.20).

use super::serve::{Server, handle, now, status};
use crate::rpc::{Builder, Reader};
use warpscope_wire::Malformed;

/// Hard links, symbolic links, the same answers everywhere, times can be set.
const PROPERTIES: u32 = 0x01 | 0x02 | 0x08 | 0x10;
/// The most hard links that are promised.
const LINK_MAXIMUM: u32 = 32_000;
/// Data should be moved in multiples of this many bytes.
const MULTIPLE: u32 = 4096;

pub(super) fn statistics(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Result<(), Malformed> {
    let object = server.export.object(handle(arguments)?);
    let space = object.as_ref().map_err(|status| *status).and_then(|object| object.space());
    status(&space, results);
    now(&object, results);
    if let Ok(space) = space {
        for blocks in [space.f_blocks, space.f_bfree, space.f_bavail] {
            results.long(blocks.saturating_mul(space.f_frsize));
        }
        results.long(space.f_files).long(space.f_ffree).long(space.f_favail).word(0);
    }
    Ok(())
}

pub(super) fn information(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Result<(), Malformed> {
    let object = server.export.object(handle(arguments)?);
    status(&object, results);
    now(&object, results);
    if object.is_ok() {
        let most = server.export.options.most_data;
        for _ in ["read", "write"] {
            results.word(most).word(most).word(MULTIPLE);
        }
        results.word(most.min(64 * 1024)).long(i64::MAX as u64).word(0).word(1).word(PROPERTIES);
    }
    Ok(())
}

pub(super) fn limits(
    server: &mut Server,
    arguments: &mut Reader<'_>,
    results: &mut Builder,
) -> Result<(), Malformed> {
    let object = server.export.object(handle(arguments)?);
    status(&object, results);
    now(&object, results);
    if object.is_ok() {
        // Names that are too long are refused, owners cannot give files away, case matters.
        results.word(LINK_MAXIMUM).word(255);
        results.boolean(true).boolean(true).boolean(false).boolean(true);
    }
    Ok(())
}
