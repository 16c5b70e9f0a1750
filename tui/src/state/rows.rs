//! The frames that the messages view lists.

/// Frames in order: all of them, or some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Some frames; none when all are listed.
    list: Option<Vec<u32>>,
    /// The last frame, when all are listed.
    count: u32,
    /// Frames before the first, when all are listed.
    before: u32,
}

impl Default for Rows {
    fn default() -> Self {
        Self { list: Some(Vec::new()), count: 0, before: 0 }
    }
}

impl Rows {
    /// All frames from one to another.
    pub fn all(first: u32, last: u32) -> Self {
        Self { list: None, count: last, before: first.saturating_sub(1) }
    }

    /// These frames.
    pub fn some(frames: Vec<u32>) -> Self {
        Self { list: Some(frames), count: 0, before: 0 }
    }

    /// Whether all frames are listed.
    pub fn is_all(&self) -> bool {
        self.list.is_none()
    }

    /// Adds a frame behind the last; of all frames, it is there already.
    pub fn push(&mut self, frame: u32) {
        match &mut self.list {
            Some(list) => list.push(frame),
            None => self.count = self.count.max(frame),
        }
    }

    /// Takes out the frames before one; returns how many.
    pub fn forget(&mut self, first: u32) -> usize {
        let gone = self.near(first).min(self.len());
        match &mut self.list {
            Some(list) => _ = list.drain(..gone),
            None => self.before = self.before.max(first.saturating_sub(1)).min(self.count),
        }
        gone
    }

    /// Rows there are.
    pub fn len(&self) -> usize {
        let all = self.count.saturating_sub(self.before) as usize;
        self.list.as_ref().map_or(all, Vec::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The frame of a row.
    pub fn frame(&self, row: usize) -> Option<u32> {
        match &self.list {
            Some(list) => list.get(row).copied(),
            None => {
                let frame = u32::try_from(row).ok()?.checked_add(self.before)?.checked_add(1)?;
                (frame <= self.count).then_some(frame)
            }
        }
    }

    /// The row of a frame, or of the first one behind it.
    pub fn near(&self, frame: u32) -> usize {
        match &self.list {
            Some(list) => list.partition_point(|at| *at < frame),
            None => frame.saturating_sub(1).saturating_sub(self.before) as usize,
        }
    }

    /// The row of a frame.
    pub fn find(&self, frame: u32) -> Option<usize> {
        let row = self.near(frame);
        (self.frame(row) == Some(frame)).then_some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_frames_find_each_other() {
        let some = Rows::some(vec![2, 5, 9]);
        assert_eq!((some.find(5), some.find(6), some.near(6)), (Some(1), None, 2));
        assert_eq!((some.frame(2), some.frame(3)), (Some(9), None));
        let late = Rows::all(4, 6);
        assert_eq!((late.len(), late.frame(0), late.frame(3), late.near(2)), (3, Some(4), None, 0));
        assert_eq!((late.find(3), late.find(6)), (None, Some(2)));
        let mut all = Rows::all(1, 3);
        assert_eq!((all.find(3), all.frame(2), all.frame(3)), (Some(2), Some(3), None));
        all.push(4);
        assert_eq!(all.len(), 4);
        assert!(Rows::default().is_empty() && Rows::default().frame(0).is_none());
    }
}
