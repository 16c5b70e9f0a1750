//! Tagged buffers that the runner offers to the target.

/// A tagged buffer of the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Its STag.
    pub steering_tag: u32,
    /// The Tagged Offset of its first byte.
    pub base: u64,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// For each byte, how often it was written.
    pub written: Vec<u16>,
}

/// What became of tagged bytes that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// They lie in a buffer.
    Yes,
    /// No buffer has the STag.
    UnknownSteeringTag,
    /// They do not lie within the buffer.
    OutOfBounds,
}

/// The buffers of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Buffers(Vec<Buffer>);

impl Buffers {
    /// Offers a buffer; one of the same STag is replaced.
    pub fn offer(&mut self, steering_tag: u32, base: u64, bytes: Vec<u8>) {
        self.withdraw(steering_tag);
        let written = vec![0; bytes.len()];
        self.0.push(Buffer { steering_tag, base, bytes, written });
    }

    /// Takes a buffer back.
    pub fn withdraw(&mut self, steering_tag: u32) {
        self.0.retain(|buffer| buffer.steering_tag != steering_tag);
    }

    /// The buffer with this STag.
    pub fn find(&self, steering_tag: u32) -> Option<&Buffer> {
        self.0.iter().find(|buffer| buffer.steering_tag == steering_tag)
    }

    /// Puts bytes where a tagged segment says.
    pub fn place(&mut self, steering_tag: u32, tagged_offset: u64, bytes: &[u8]) -> Placed {
        let Some(buffer) = self.0.iter_mut().find(|it| it.steering_tag == steering_tag) else {
            return Placed::UnknownSteeringTag;
        };
        let start = tagged_offset.checked_sub(buffer.base).and_then(|it| usize::try_from(it).ok());
        let range = start.and_then(|start| Some(start..start.checked_add(bytes.len())?));
        let Some(range) = range else { return Placed::OutOfBounds };
        match (buffer.bytes.get_mut(range.clone()), buffer.written.get_mut(range)) {
            (Some(there), Some(written)) => {
                there.copy_from_slice(bytes);
                written.iter_mut().for_each(|count| *count = count.saturating_add(1));
                Placed::Yes
            }
            _ => Placed::OutOfBounds,
        }
    }

    /// The bytes that a Read Request asks for.
    pub fn read(&self, steering_tag: u32, tagged_offset: u64, length: usize) -> Option<&[u8]> {
        let buffer = self.find(steering_tag)?;
        let start = usize::try_from(tagged_offset.checked_sub(buffer.base)?).ok()?;
        buffer.bytes.get(start..start.checked_add(length)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{Buffers, Placed};

    #[test]
    fn bounds() {
        let mut buffers = Buffers::default();
        buffers.offer(5, 0x1000, vec![0; 4]);
        assert_eq!(buffers.place(5, 0x1002, &[1, 2]), Placed::Yes);
        assert_eq!(buffers.place(5, 0x1003, &[1, 2]), Placed::OutOfBounds);
        assert_eq!(buffers.place(5, 0xfff, &[1]), Placed::OutOfBounds);
        assert_eq!(buffers.place(5, u64::MAX, &[1]), Placed::OutOfBounds);
        assert_eq!(buffers.place(6, 0x1000, &[1]), Placed::UnknownSteeringTag);
        assert_eq!(buffers.read(5, 0x1001, 3), Some(&[0, 1, 2][..]));
        assert_eq!(buffers.find(5).unwrap().written, [0, 0, 1, 1]);
    }
}
