//! Reassembles the fragments of an upper message (MS-SMBD §3.1.5.8).

use warpscope_wire::smb_direct::DataMessageView;
use warpscope_wire::smb2::{COMPRESSED_ID, ENCRYPTED_ID, PROTOCOL_ID};

/// The most bytes of an upper message that are reassembled.
const LIMIT: usize = 8 << 20;
/// The most fragments whose frames are listed.
const FRAMES: usize = 1 << 14;

/// The upper message in progress in one direction.
#[derive(Debug, Clone, Default)]
pub(super) struct Fragments {
    bytes: Vec<u8>,
    frames: Vec<u64>,
    /// Bytes still to come; `None` if no message is in progress.
    remaining: Option<u32>,
    /// False if part of the message is missing, or was not kept.
    whole: bool,
    /// True after bytes of the direction were missing: a fragment may be of a message that began in them.
    lost: bool,
}

/// The effect of a Send on the upper message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// It carries no data.
    Nothing,
    /// More is to come.
    Fragment,
    /// It contains a complete upper message.
    Alone(&'a [u8]),
    /// It completes an upper message.
    Joined {
        /// All bytes of the upper message.
        bytes: Vec<u8>,
        /// The frames of the fragments.
        frames: Vec<u64>,
        /// False if part of it is missing.
        whole: bool,
    },
    /// It ends a message whose start is not known.
    Tail,
}

impl Fragments {
    /// Returns the bytes kept.
    pub(super) fn buffered(&self) -> usize {
        self.bytes.capacity() + self.frames.capacity() * size_of::<u64>()
    }

    /// Declares that bytes of the direction are missing.
    pub(super) fn lost(&mut self) {
        self.lost = true;
        self.whole = false;
    }

    /// Releases the bytes kept.
    pub(super) fn release(&mut self) {
        self.bytes = Vec::new();
        self.whole &= self.remaining.is_none();
    }

    /// Processes the data of a Send that `frame` completed.
    pub(super) fn take<'a>(&mut self, message: &DataMessageView<'a>, frame: u64) -> Step<'a> {
        let remaining = message.header.remaining_data_length();
        if message.data.is_empty() {
            return Step::Nothing;
        }
        let begins = begins(message.data);
        if self.lost && (begins || remaining == 0) {
            // The message in progress when bytes were lost has ended.
            let tail = !begins;
            (self.lost, self.remaining) = (false, None);
            if tail {
                return Step::Tail;
            }
        } else if self.lost {
            self.remaining = None;
            return Step::Fragment;
        }
        let goes_on = self.remaining.is_some();
        if !goes_on && remaining == 0 {
            return Step::Alone(message.data);
        }
        if !goes_on {
            self.bytes.clear();
            self.frames.clear();
            self.whole = true;
            let total = message.data.len().saturating_add(remaining as usize);
            self.bytes.reserve_exact(total.min(LIMIT / 8));
        }
        if self.frames.len() < FRAMES {
            self.frames.push(frame);
        }
        if self.whole && self.bytes.len() + message.data.len() <= LIMIT {
            self.bytes.extend_from_slice(message.data);
        } else {
            self.whole = false;
        }
        if remaining > 0 {
            self.remaining = Some(remaining);
            return Step::Fragment;
        }
        self.remaining = None;
        let (bytes, frames) = (std::mem::take(&mut self.bytes), std::mem::take(&mut self.frames));
        Step::Joined { bytes, frames, whole: self.whole }
    }
}

/// Returns whether bytes are the start of an upper message.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|id| {
        [PROTOCOL_ID, ENCRYPTED_ID, COMPRESSED_ID].contains(&u32::from_le_bytes(*id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_wire::smb_direct::DataTransfer;

    const BEGIN: &[u8] = &[0xfe, 0x53, 0x4d, 0x42, 1];

    /// What Sends with that data, and so much left after each, come to.
    fn steps(fragments: &mut Fragments, sends: &[(&[u8], u32)]) -> Vec<String> {
        let mut steps = Vec::new();
        for (number, (data, remaining)) in sends.iter().enumerate() {
            let mut buffer = [0; 64];
            let header = DataTransfer::new(1, 0, false, *remaining).unwrap();
            let length = header.emit(data, &mut buffer).unwrap();
            let (view, _) = DataMessageView::parse(&buffer[..length]).unwrap();
            steps.push(match fragments.take(&view, number as u64 + 1) {
                Step::Joined { bytes, frames, whole } => {
                    format!("{} bytes of {frames:?}, {whole}", bytes.len())
                }
                Step::Alone(bytes) => format!("{} bytes", bytes.len()),
                other => format!("{other:?}"),
            });
        }
        steps
    }

    #[test]
    fn fragments_belong_together_until_nothing_remains() {
        let sends = [(BEGIN, 0), (BEGIN, 7), (&[], 0), (&[2; 4], 3), (&[3; 3], 0), (BEGIN, 0)];
        let mut fragments = Fragments::default();
        let found = steps(&mut fragments, &sends);
        let joined = "12 bytes of [2, 4, 5], true";
        assert_eq!(found, ["5 bytes", "Fragment", "Nothing", "Fragment", joined, "5 bytes"]);
        assert_eq!(fragments.remaining, None);
    }

    #[test]
    fn what_follows_a_loss_is_read_from_the_next_beginning() {
        let mut fragments = Fragments::default();
        steps(&mut fragments, &[(BEGIN, 20)]);
        fragments.lost();
        let sends = [(&[2; 4][..], 3), (&[3; 3], 0), (BEGIN, 2), (&[4; 2], 0)];
        let found = steps(&mut fragments, &sends);
        assert_eq!(found, ["Fragment", "Tail", "Fragment", "7 bytes of [3, 4], true"]);
    }

    #[test]
    fn a_message_that_is_too_long_is_not_kept() {
        let mut fragments = Fragments::default();
        let data = [7; 32];
        let mut last = Vec::new();
        for left in (0..=(LIMIT / 32) as u32).rev() {
            last = steps(&mut fragments, &[(&data, left)]);
            assert!(fragments.buffered() <= LIMIT + (FRAMES * 8) * 2);
        }
        assert_eq!(last.len(), 1);
        assert!(last[0].ends_with("false"), "{last:?}");
    }
}
