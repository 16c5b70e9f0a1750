//! What regions of the target hold.

use super::answered::{answer_words, order_words};
use super::error::RunError;
use super::stage::Stage;
use warpscope_wire::test_ulp::{Answer, Order, RegionDescription, RegionRange, Status};

/// Bytes that are asked for at once, at first.
const AT_ONCE: u32 = 1 << 16;
/// What a target answers at least (test ULP section 2.2), less the header.
const LEAST: u32 = 2048;

/// Reads bytes of a region.
pub(super) fn read(
    stage: &mut Stage,
    region: &RegionDescription,
    offset: u64,
    length: u64,
) -> Result<Vec<u8>, RunError> {
    let mut bytes = Vec::new();
    let mut at_once = AT_ONCE;
    while (bytes.len() as u64) < length {
        let left = length - bytes.len() as u64;
        let range = RegionRange {
            region: region.region,
            length: left.min(at_once.into()) as u32,
            offset: offset + bytes.len() as u64,
        };
        let order = Order::Read(range);
        match stage.ask(&order)? {
            Answer::Bytes(more) if !more.is_empty() => bytes.extend(more),
            Answer::Refused(Status::Limit, ..) if at_once > LEAST => at_once = LEAST,
            answer => {
                let why = answer_words(&answer);
                return Err(RunError::Refused { order: order_words(order.kind()), why });
            }
        }
    }
    Ok(bytes)
}
