//! Bars of text.

/// Characters of the longest bar.
pub(super) const LONGEST: usize = 24;
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// A bar for a number, where the greatest number has the longest. Any number but 0 shows something.
pub(super) fn bar(number: u64, greatest: u64) -> String {
    if number == 0 || greatest == 0 {
        return String::new();
    }
    let eighths = u128::from(number) * (LONGEST * 8) as u128 / u128::from(greatest);
    let eighths = usize::try_from(eighths).unwrap_or(LONGEST * 8).clamp(1, LONGEST * 8);
    let mut bar = "█".repeat(eighths / 8);
    if eighths % 8 > 0 {
        bar.extend(EIGHTHS.get(eighths % 8));
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_numbers_are_great() {
        assert_eq!(bar(0, 5), "");
        assert_eq!(bar(0, 0), "");
        assert_eq!(bar(5, 5), "█".repeat(LONGEST));
        assert_eq!(bar(1, 2), "█".repeat(LONGEST / 2));
        assert_eq!(bar(1, u64::MAX), "▏");
        assert_eq!(bar(u64::MAX, u64::MAX).chars().count(), LONGEST);
        // 1 of 16: one and a half of 24 characters.
        assert_eq!(bar(1, 16), "█▌");
    }
}
