//! What layer, error type and error code of a Terminate mean (RFC 5040 §4.8, figure 9).

use crate::{ddp, mpa};

/// The name of a Terminate's layer.
pub fn layer_name(layer: u8) -> Option<&'static str> {
    Some(match layer {
        0 => "RDMAP",
        1 => "DDP",
        2 => "LLP (MPA)",
        _ => return None,
    })
}

/// The name of an error type under its layer.
pub fn error_type_name(layer: u8, error_type: u8) -> Option<&'static str> {
    Some(match (layer, error_type) {
        (0, 0) => "local catastrophic error",
        (0, 1) => "remote protection error",
        (0, 2) => "remote operation error",
        (1, _) => return ddp::error_type_name(error_type),
        (2, 0) => "MPA error",
        _ => return None,
    })
}

/// The name of an error code under its layer and error type.
pub fn error_code_name(layer: u8, error_type: u8, error_code: u8) -> Option<&'static str> {
    Some(match (layer, error_type, error_code) {
        (0, 0, _) => "local catastrophic error",
        (0, 1, 0x00) => "invalid STag",
        (0, 1, 0x01) => "base or bounds violation",
        (0, 1, 0x02) => "access rights violation",
        (0, 1, 0x03) => "STag not associated with the RDMAP stream",
        (0, 1, 0x04) => "TO wrap",
        (0, 2, 0x05) => "invalid RDMAP version",
        (0, 2, 0x06) => "unexpected opcode",
        (0, 2, 0x07) => "catastrophic error, localized to the RDMAP stream",
        (0, 2, 0x08) => "catastrophic error, global",
        (0, 1 | 2, 0x09) => "STag cannot be invalidated",
        (0, 1 | 2, 0xff) => "unspecified error",
        (1, _, _) => return ddp::error_code_name(error_type, error_code),
        (2, 0, _) => return mpa::error_code_name(error_code),
        _ => return None,
    })
}
