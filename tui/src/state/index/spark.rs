//! How much a flow moved, over its time.

/// Parts that a flow's time is cut into, at most.
pub const BUCKETS: usize = 32;
/// How long a part is at first, in nanoseconds.
const SHORTEST: i64 = 1_000;

/// Bytes by part of a flow's time; parts grow with the time that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spark {
    origin: Option<i64>,
    part: i64,
    bytes: [u32; BUCKETS],
    used: usize,
}

impl Default for Spark {
    fn default() -> Self {
        Self { origin: None, part: SHORTEST, bytes: [0; BUCKETS], used: 0 }
    }
}

impl Spark {
    /// Counts bytes that came then.
    pub fn add(&mut self, time: Option<i64>, bytes: u32) {
        let Some(time) = time else { return };
        let origin = *self.origin.get_or_insert(time);
        let since = time.saturating_sub(origin).max(0);
        while since / self.part >= BUCKETS as i64 {
            self.widen();
        }
        let index = usize::try_from(since / self.part).unwrap_or(0);
        if let Some(bucket) = self.bytes.get_mut(index) {
            *bucket = bucket.saturating_add(bytes);
            self.used = self.used.max(index + 1);
        }
    }

    fn widen(&mut self) {
        let old = self.bytes;
        self.bytes = [0; BUCKETS];
        for (index, bytes) in old.into_iter().enumerate() {
            if let Some(bucket) = self.bytes.get_mut(index / 2) {
                *bucket = bucket.saturating_add(bytes);
            }
        }
        self.used = self.used.div_ceil(2);
        self.part = self.part.saturating_mul(2);
    }

    /// Nanoseconds of a part, and the bytes of each part from the first frame on.
    pub fn parts(&self) -> (u64, &[u32]) {
        (self.part.unsigned_abs(), self.bytes.get(..self.used).unwrap_or(&[]))
    }

    /// Heights from 0 to 8 in at most so many columns.
    pub fn heights(&self, columns: usize) -> Vec<u8> {
        let used = self.bytes.get(..self.used).unwrap_or(&[]);
        let per = used.len().div_ceil(columns.max(1)).max(1);
        let sums: Vec<u64> =
            used.chunks(per).map(|part| part.iter().map(|bytes| u64::from(*bytes)).sum()).collect();
        let most = sums.iter().copied().max().unwrap_or(0).max(1);
        // What is not nothing shows.
        sums.iter().map(|sum| (sum * 8).div_ceil(most).min(8) as u8).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_lost_when_parts_grow() {
        let mut spark = Spark::default();
        for time in 0..1_000 {
            spark.add(Some(time * 777_777), 3);
        }
        assert_eq!(spark.bytes.iter().sum::<u32>(), 3_000);
        assert!(spark.heights(16).len() <= 16 && spark.heights(16).iter().all(|it| *it <= 8));
        spark.add(Some(i64::MAX), 1);
        assert_eq!(spark.bytes.iter().sum::<u32>(), 3_001);
        assert!(Spark::default().heights(8).is_empty());
    }
}
