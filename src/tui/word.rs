//! `warpscope FILE`: the command that is meant when none is given.

use std::ffi::OsString;
use std::path::Path;

/// The command that shows a file.
const SHOW: &str = "tui";

/// The command line with the command that is meant: a first word that is no command but a file is
/// shown.
pub(crate) fn with_command(
    mut words: Vec<OsString>,
    is_command: impl Fn(&str) -> bool,
) -> Vec<OsString> {
    let meant = words.get(1).is_some_and(|word| {
        let text = word.to_string_lossy();
        !text.starts_with('-') && !is_command(&text) && Path::new(word).is_file()
    });
    if meant {
        words.insert(1, SHOW.into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_shown_and_a_command_stays_one() {
        let line = |words: &[&str]| -> Vec<String> {
            let words = words.iter().map(OsString::from).collect();
            let meant = with_command(words, |word| word == "flows");
            meant.into_iter().map(|word| word.to_string_lossy().into_owned()).collect()
        };
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert_eq!(
            line(&["warpscope", file, "-Y", "mpa"]),
            ["warpscope", "tui", file, "-Y", "mpa"]
        );
        assert_eq!(line(&["warpscope", "flows"]), ["warpscope", "flows"]);
        assert_eq!(line(&["warpscope", "flosw"]), ["warpscope", "flosw"]);
        assert_eq!(line(&["warpscope", "--help"]), ["warpscope", "--help"]);
        assert_eq!(line(&["warpscope"]), ["warpscope"]);
    }
}
