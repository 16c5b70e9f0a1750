//! Colours and characters, from flags and environment.

use crate::cli::TuiArguments;
use anyhow::{Result, anyhow};
use warpscope_tui::look::{Look, Theme};

/// How everything looks.
///
/// # Errors
/// When there is no such theme.
pub(super) fn look(arguments: &TuiArguments) -> Result<Look> {
    let theme = match &arguments.theme {
        Some(name) => Theme::find(name)
            .ok_or_else(|| anyhow!("--theme {name}: there are dark, light and none"))?,
        None if std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty()) => Theme::Plain,
        None if arguments.snapshot.is_some() => Theme::Plain,
        None => Theme::Dark,
    };
    Ok(Look { theme, ascii: arguments.ascii || !speaks_unicode() })
}

/// Whether the locale has the characters of Unicode.
fn speaks_unicode() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    // Without a locale nothing is known, and today's terminals have them.
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
