//! MPA error codes, carried by a Terminate of layer LLP (RFC 5044 §8, RFC 6581 §8).

/// Where the codes 5 to 7 were added.
pub const EXTENDED_SECTION: &str = "RFC 6581 section 8";

/// What an MPA error code means.
pub fn error_code_name(code: u8) -> Option<&'static str> {
    Some(match code {
        0x01 => "TCP connection closed, terminated or lost",
        0x02 => "MPA CRC does not match the calculated value",
        0x03 => "MPA marker and ULPDU_Length disagree on the start of an FPDU",
        0x04 => "invalid MPA request or reply frame",
        0x05 => "local catastrophic error",
        0x06 => "insufficient IRD resources",
        0x07 => "no matching RTR option",
        _ => return None,
    })
}
