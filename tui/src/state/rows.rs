//! The frames that the messages view lists.

/// Frames in order: all of them, or some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// Some frames; none when all are listed.
    list: Option<Vec<u32>>,
    /// How many frames there are, when all are listed.
    count: u32,
}

impl Default for Rows {
    fn default() -> Self {
        Self { list: Some(Vec::new()), count: 0 }
    }
}

impl Rows {
    /// All of so many frames.
    pub fn all(count: u32) -> Self {
        Self { list: None, count }
    }

    /// These frames.
    pub fn some(frames: Vec<u32>) -> Self {
        Self { list: Some(frames), count: 0 }
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

    /// Rows there are.
    pub fn len(&self) -> usize {
        self.list.as_ref().map_or(self.count as usize, Vec::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The frame of a row.
    pub fn frame(&self, row: usize) -> Option<u32> {
        match &self.list {
            Some(list) => list.get(row).copied(),
            None => u32::try_from(row + 1).ok().filter(|frame| *frame <= self.count),
        }
    }

    /// The row of a frame, or of the first one behind it.
    pub fn near(&self, frame: u32) -> usize {
        match &self.list {
            Some(list) => list.partition_point(|at| *at < frame),
            None => frame.saturating_sub(1) as usize,
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
        let mut all = Rows::all(3);
        assert_eq!((all.find(3), all.frame(2), all.frame(3)), (Some(2), Some(3), None));
        all.push(4);
        assert_eq!(all.len(), 4);
        assert!(Rows::default().is_empty() && Rows::default().frame(0).is_none());
    }
}
