//! Error messages about interfaces that do not exist or may not be used.

use warpscope_text::suggest;

/// Returns the error that no interface has this name, with the existing names and a suggestion.
pub(crate) fn unknown(flag: &str, name: &str, names: &[String]) -> String {
    let near = suggest(name, names.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!(" did you mean {near}?"));
    let list = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    format!("{flag} {name}: no such interface;{near} available: {list}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let names = ["eth0".to_owned(), "lo".to_owned()];
        let words = unknown("-i", "eht0", &names);
        assert_eq!(words, "-i eht0: no such interface; did you mean eth0? available: eth0, lo");
        let words = unknown("--onto", "wlan7", &names);
        assert_eq!(words, "--onto wlan7: no such interface; available: eth0, lo");
        let words = unknown("-i", "a", &[]);
        assert_eq!(words, "-i a: no such interface; available: none");
    }
}
