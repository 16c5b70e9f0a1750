//! The byte ranges that an owner has locked in a file (RFC 8881 section 9.2).

/// The bytes from `start` to `end` inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) end: u64,
    /// Whether it is a write lock, so that others may not even read.
    pub(super) write: bool,
}

impl Range {
    /// Creates a range from offset and length: a length of all ones extends to the end of any file. `None` if
    /// it is empty, or if offset plus length exceeds 64 bits (RFC 8881 section 18.10.3).
    pub(super) fn new(offset: u64, length: u64, write: bool) -> Option<Self> {
        let end = match length {
            0 => return None,
            u64::MAX => u64::MAX,
            _ => offset.checked_add(length)? - 1,
        };
        Some(Self { start: offset, end, write })
    }

    /// Returns the length as in the protocol.
    pub(super) fn length(&self) -> u64 {
        match self.end {
            u64::MAX => u64::MAX,
            end => end - self.start + 1,
        }
    }

    /// Whether two ranges of different owners conflict.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        (self.write || other.write) && self.start <= other.end && other.start <= self.end
    }
}

/// The ranges of one owner, in order and without overlap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ranges(pub(super) Vec<Range>);

impl Ranges {
    /// Removes a range; the rest of partly covered ranges stays.
    pub(super) fn unlock(&mut self, gone: &Range) {
        let mut left = Vec::new();
        for range in &self.0 {
            if range.end < gone.start || gone.end < range.start {
                left.push(*range);
                continue;
            }
            if range.start < gone.start {
                left.push(Range { end: gone.start - 1, ..*range });
            }
            if range.end > gone.end {
                left.push(Range { start: gone.end + 1, ..*range });
            }
        }
        self.0 = left;
    }

    /// Adds a range, and replaces what it covers: an owner upgrades and downgrades its own locks.
    pub(super) fn lock(&mut self, new: Range) {
        self.unlock(&new);
        let at = self.0.partition_point(|range| range.start < new.start);
        self.0.insert(at, new);
        let mut merged: Vec<Range> = Vec::new();
        for range in &self.0 {
            match merged.last_mut() {
                Some(last)
                    if last.write == range.write
                        && last.end.checked_add(1) == Some(range.start) =>
                {
                    last.end = range.end;
                }
                _ => merged.push(*range),
            }
        }
        self.0 = merged;
    }

    /// Returns the first range that conflicts with another owner's range.
    pub(super) fn conflict(&self, other: &Range) -> Option<&Range> {
        self.0.iter().find(|range| range.conflicts(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, length: u64, write: bool) -> Range {
        Range::new(start, length, write).expect("a range")
    }

    #[test]
    fn a_range_has_a_byte_and_stays_within_the_largest_file() {
        assert_eq!(Range::new(0, 0, true), None);
        assert_eq!(Range::new(2, u64::MAX - 1, true), None);
        assert_eq!(range(5, u64::MAX, false).end, u64::MAX);
        assert_eq!(range(5, u64::MAX, false).length(), u64::MAX);
        assert_eq!(range(5, 10, false).length(), 10);
    }

    /// RFC 8881 section 9.2: an owner may ask for a range that overlaps its own; the locks become as if split there.
    #[test]
    fn own_ranges_split_merge_and_change() {
        let mut ranges = Ranges::default();
        ranges.lock(range(0, 10, false));
        ranges.lock(range(10, 10, false));
        assert_eq!(ranges.0, [range(0, 20, false)]);
        ranges.lock(range(5, 5, true));
        assert_eq!(ranges.0, [range(0, 5, false), range(5, 5, true), range(10, 10, false)]);
        ranges.lock(range(5, 5, false));
        assert_eq!(ranges.0, [range(0, 20, false)]);
        ranges.unlock(&range(8, 4, false));
        assert_eq!(ranges.0, [range(0, 8, false), range(12, 8, false)]);
        ranges.unlock(&range(0, u64::MAX, false));
        assert!(ranges.0.is_empty());
    }

    #[test]
    fn readers_agree_and_writers_do_not() {
        let mut ranges = Ranges::default();
        ranges.lock(range(10, 10, false));
        assert_eq!(ranges.conflict(&range(0, u64::MAX, false)), None);
        assert_eq!(ranges.conflict(&range(19, 1, true)), Some(&range(10, 10, false)));
        assert_eq!(ranges.conflict(&range(20, 1, true)), None);
        assert_eq!(ranges.conflict(&range(0, 10, true)), None);
    }
}
