//! DDP's error types and codes, carried by a Terminate of layer DDP (RFC 5041 §6.2, RFC 5040 §4.8).

/// The name of a DDP error type.
pub fn error_type_name(error_type: u8) -> Option<&'static str> {
    Some(match error_type {
        0 => "local catastrophic error",
        1 => "tagged buffer error",
        2 => "untagged buffer error",
        3 => "reserved for the LLP",
        _ => return None,
    })
}

/// The name of a DDP error code under its error type.
pub fn error_code_name(error_type: u8, code: u8) -> Option<&'static str> {
    Some(match (error_type, code) {
        (0, _) => "local catastrophic error",
        (1, 0x00) => "invalid STag",
        (1, 0x01) => "base or bounds violation",
        (1, 0x02) => "STag not associated with the DDP stream",
        (1, 0x03) => "TO wrap",
        (1, 0x04) | (2, 0x06) => "invalid DDP version",
        (2, 0x01) => "invalid QN",
        (2, 0x02) => "invalid MSN: no buffer available",
        (2, 0x03) => "invalid MSN: MSN range is not valid",
        (2, 0x04) => "invalid MO",
        (2, 0x05) => "DDP message too long for the available buffer",
        _ => return None,
    })
}
