//! The clipboard, by the terminal itself: OSC 52.

use std::io::{self, Write};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Asks the terminal to put text into the clipboard. Not every terminal does.
///
/// # Errors
/// The terminal's.
pub(super) fn copy(text: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()))?;
    out.flush()
}

/// RFC 4648 section 4.
fn base64(octets: &[u8]) -> String {
    let mut out = String::with_capacity(octets.len().div_ceil(3) * 4);
    for chunk in octets.chunks(3) {
        let octet = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = octet(0) << 16 | octet(1) << 8 | octet(2);
        for place in 0..4 {
            if place > chunk.len() {
                out.push('=');
            } else {
                let index = (bits >> (18 - 6 * place) & 63) as usize;
                out.push(ALPHABET.get(index).copied().map_or('=', char::from));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded_as_the_document_shows() {
        // RFC 4648 section 10.
        let vectors =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in vectors {
            assert_eq!(base64(text.as_bytes()), expected);
        }
        let mut out = Vec::new();
        copy("foo", &mut out).unwrap();
        assert_eq!(out, b"\x1b]52;c;Zm9v\x07");
    }
}
