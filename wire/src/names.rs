//! Tables of numbers and their names.

/// Returns the name of a number in a table.
pub fn name_of(names: &[(u64, &'static str)], number: impl Into<u64>) -> Option<&'static str> {
    let number = number.into();
    names.iter().find(|(value, _)| *value == number).map(|(_, name)| *name)
}
