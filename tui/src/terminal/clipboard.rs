//! The clipboard: by the terminal itself (OSC 52), or by a command.

use std::io::{self, Write};
use std::process::{Command, Stdio};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Asks the terminal to put text into the clipboard. Not every terminal does.
///
/// # Errors
/// The terminal's.
pub(super) fn copy(text: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()))?;
    out.flush()
}

/// Gives text to a command's standard input, and waits for its end.
///
/// # Errors
/// When the command cannot be run, or does not end well; with what it said.
pub(super) fn copy_by(command: &str, text: &str) -> io::Result<()> {
    let mut child = shell(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        // `xclip` and others stay behind and hold the clipboard: what they inherit must not be waited for.
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        match input.write_all(text.as_bytes()) {
            // It says by its status whether it has enough.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
            _ => {}
        }
    }
    let status = child.wait()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(status.to_string())) }
}

fn shell(command: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut shell = Command::new(program);
    shell.arg(flag).arg(command);
    shell
}

/// RFC 4648 section 4.
fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
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

    #[cfg(unix)]
    #[test]
    fn a_command_takes_the_text_or_says_why_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("taken");
        copy_by(&format!("cat > '{}'", file.display()), "a\tb\n").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "a\tb\n");
        assert!(copy_by("exit 3", "x").unwrap_err().to_string().contains('3'));
    }
}
