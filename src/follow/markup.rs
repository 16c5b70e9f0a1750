//! What page and picture have in common: escaping, classes and colours.

use warpscope_dissector::format::push_shown;
use warpscope_dissector::ladder::Kind;

/// Text as it may stand in HTML and XML, between tags and in attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    push_shown(text, &mut shown);
    let mut out = String::with_capacity(shown.len());
    for character in shown.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // These two are characters, and XML forbids them.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

/// The class of a kind's rows: a word.
pub(super) fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Tcp => "tcp",
        Kind::Setup => "setup",
        Kind::Send => "send",
        Kind::Call => "call",
        Kind::Reply => "reply",
        Kind::Write => "write",
        Kind::Request => "request",
        Kind::Response => "response",
        Kind::Terminate => "terminate",
        Kind::Loss => "loss",
        Kind::Unknown => "unknown",
        Kind::Finding => "finding",
    }
}

/// The colours, light and dark, as custom properties.
pub(super) const COLOURS: &str = include_str!("colours.css");

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_from_the_wire_is_markup() {
        assert_eq!(escaped("<a b=\"c\">&'\u{1b}"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;\\u{1b}");
    }
}
