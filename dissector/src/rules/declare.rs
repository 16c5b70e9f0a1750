//! `rules!`: declares the rules of a group, one after the other, as data.

/// Declares rules: name, id, level and fault, section, requirements, Terminate, title, meaning.
/// `RULES` lists them.
macro_rules! rules {
    ($(
        $name:ident: $id:literal, $level:ident, $fault:ident, $section:literal,
        [$($requirement:literal),+], $terminate:expr,
        $title:literal,
        $meaning:literal;
    )+) => {
        $(
            pub(in crate::rules) static $name: Rule = Rule {
                id: $id,
                requirements: &[$($requirement),+],
                section: $section,
                level: Level::$level,
                title: $title,
                meaning: $meaning,
                fault: Fault::$fault,
                terminate: $terminate,
            };
        )+

        /// The rules of this group.
        pub(in crate::rules) static RULES: &[&Rule] = &[$(&$name),+];
    };
}
pub(super) use rules;
