//! Formats numbers, bytes, times and names for people, and escapes text for a terminal and for markup.

use std::time::Duration;
use warpscope_text::hexadecimal;

/// Numbers from this one on are shown in hexadecimal: no length or count is that large.
const LARGE: u64 = 0x1_0000;
/// The maximum number of bytes shown. Of more bytes, half as many are shown, with their number.
const SHOWN: usize = 16;
/// The maximum number of characters of a text that are shown.
const CHARACTERS: usize = 32;

/// Formats a number: small ones in decimal, large ones in hexadecimal.
pub(crate) fn number(number: u64) -> String {
    if number < LARGE { number.to_string() } else { format!("{number:#x}") }
}

/// Formats bytes: as quoted text if all are printable, else in hexadecimal. Long ones are cut.
pub(crate) fn bytes(bytes: &[u8]) -> String {
    let count = bytes.len();
    if bytes.is_empty() {
        return "none".to_owned();
    }
    if bytes.iter().all(|byte| (0x20..0x7f).contains(byte)) {
        let text = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect::<String>();
        return match bytes.get(..CHARACTERS) {
            Some(first) if count > CHARACTERS => {
                format!("\"{}...\" ({count} bytes)", text(first))
            }
            _ => format!("\"{}\"", text(bytes)),
        };
    }
    match bytes.get(..SHOWN / 2) {
        Some(first) if count > SHOWN => format!("{} ... ({count} bytes)", hexadecimal(first, " ")),
        _ => hexadecimal(bytes, " "),
    }
}

/// Formats a time: in milliseconds below a second, else in seconds with two decimals.
pub(crate) fn time(time: Duration) -> String {
    let millis = time.as_millis();
    match (millis, millis / 1000, millis % 1000 / 10) {
        (..1000, ..) => format!("{millis} ms"),
        (_, seconds, 0) => format!("{seconds} s"),
        (_, seconds, parts) => format!("{seconds}.{parts:02} s"),
    }
}

/// Formats whether something is on.
pub(crate) fn switch(on: bool) -> String {
    (if on { "on" } else { "off" }).to_owned()
}

/// Returns the name of a message of the layouts in a sentence: `an MPA Reply` for `mpa_reply`.
pub(crate) fn message(name: &str) -> String {
    let words: Vec<String> = name.split('_').map(word).collect();
    let title = words.join(" ");
    let vowel = words.first().is_some_and(|first| match first.as_str() {
        // These are spoken letter by letter.
        "MPA" | "RDMA" | "RPC" | "NFS" | "FPDU" => true,
        other => other.starts_with(['A', 'E', 'I', 'O']),
    });
    format!("{} {title}", if vowel { "an" } else { "a" })
}

fn word(word: &str) -> String {
    match word {
        "mpa" | "rdma" | "rpc" | "nfs" | "ddp" | "fpdu" | "v2" | "v3" => word.to_uppercase(),
        "with" | "and" | "of" | "to" | "in" => word.to_owned(),
        other => {
            let mut letters = other.chars();
            let first = letters.next().map(|it| it.to_ascii_uppercase());
            first.into_iter().chain(letters).collect()
        }
    }
}

/// Escapes each line of a text, and keeps the line ends.
pub(crate) fn escaped_lines(text: &str) -> String {
    text.lines().map(warpscope_text::escaped).collect::<Vec<_>>().join("\n")
}

/// Parses a time, `2s` or `100ms`. Returns `None` if the text is not a time.
pub fn parse_time(text: &str) -> Option<Duration> {
    if let Some(millis) = text.strip_suffix("ms") {
        return millis.trim().parse().ok().map(Duration::from_millis);
    }
    let seconds: u64 = text.strip_suffix('s')?.trim().parse().ok()?;
    seconds.checked_mul(1000).map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_bytes_are_for_people() {
        assert_eq!(number(512), "512");
        assert_eq!(number(0x3ffe), "16382");
        assert_eq!(number(0x0001_0000), "0x10000");
        assert_eq!(bytes(b"MPA ID Rep Frame"), "\"MPA ID Rep Frame\"");
        assert_eq!(bytes(&[0, 1, 0x7f]), "00 01 7f");
        assert_eq!(bytes(&[1; 32]), "01 01 01 01 01 01 01 01 ... (32 bytes)");
        assert_eq!(bytes(&[b'a'; 40]), format!("\"{}...\" (40 bytes)", "a".repeat(32)));
        assert_eq!(bytes(&[]), "none");
        assert_eq!(time(Duration::from_micros(300_500)), "300 ms");
        assert_eq!(time(Duration::from_secs(5)), "5 s");
        assert_eq!(time(Duration::from_micros(2_041_498)), "2.04 s");
    }

    #[test]
    fn messages_have_the_names_that_the_documents_give_them() {
        assert_eq!(message("mpa_reply"), "an MPA Reply");
        assert_eq!(message("send_with_solicited_event"), "a Send with Solicited Event");
        assert_eq!(message("rdma_read_v2_request"), "an RDMA Read V2 Request");
        assert_eq!(message("atomic_response"), "an Atomic Response");
        assert_eq!(message("ddp_tagged_segment"), "a DDP Tagged Segment");
    }
}
