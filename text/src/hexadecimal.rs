//! Bytes as hexadecimal digits.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends two digits per byte, with a separator between bytes.
pub fn push_hexadecimal(bytes: &[u8], separator: &str, out: &mut String) {
    out.reserve(bytes.len() * (2 + separator.len()));
    for (index, byte) in bytes.iter().enumerate() {
        out.push_str(if index > 0 { separator } else { "" });
        for digit in [byte >> 4, byte & 0xf] {
            out.push(DIGITS.get(usize::from(digit)).copied().map_or('?', char::from));
        }
    }
}

/// Returns two digits per byte, with a separator between bytes.
pub fn hexadecimal(bytes: &[u8], separator: &str) -> String {
    let mut out = String::new();
    push_hexadecimal(bytes, separator, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hexadecimal(&[0x00, 0x9f, 0xa0, 0xff], ""), "009fa0ff");
        let mut out = "0x".to_owned();
        push_hexadecimal(&[1, 2], ":", &mut out);
        assert_eq!(out, "0x01:02");
    }
}
