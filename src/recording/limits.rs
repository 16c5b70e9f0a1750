//! When a capture stops and when it begins a new file, checked as a whole.

use super::{Criterion, Destination};
use anyhow::{Result, bail};
use std::time::Duration;

/// When a new file begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Switch {
    /// After this time.
    pub(super) duration: Option<Duration>,
    /// When the file has this many bytes.
    pub(super) file_size: Option<u64>,
    /// When the file has this many packets.
    pub(super) packets: Option<u64>,
    /// How many files are kept.
    pub(super) files: Option<u64>,
}

/// When a capture stops and when it begins a new file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Stop after this time.
    pub(crate) duration: Option<Duration>,
    /// Stop after this many packets.
    pub(crate) packets: Option<u64>,
    /// Stop when the file has this many bytes.
    pub(super) file_size: Option<u64>,
    /// Stop after this many files.
    pub(super) files: Option<u64>,
    /// Several files.
    pub(super) ring: Option<Switch>,
}

impl Limits {
    /// From what `-a`, `-b` and `-c` say, and where `-w` writes to.
    ///
    /// # Errors
    /// When they do not go together.
    pub(crate) fn new(
        stop: &[Criterion],
        ring: &[Criterion],
        count: Option<u64>,
        destination: Option<&Destination>,
    ) -> Result<Self> {
        let mut limits = Self { packets: count, ..Self::default() };
        for criterion in stop {
            match *criterion {
                Criterion::Duration(duration) => lower(&mut limits.duration, duration),
                Criterion::FileSize(bytes) => lower(&mut limits.file_size, bytes),
                Criterion::Packets(packets) => lower(&mut limits.packets, packets),
                Criterion::Files(files) => lower(&mut limits.files, files),
            }
        }
        if limits.file_size.is_some() && destination.is_none() {
            bail!("-a filesize: there is no file; name one with -w");
        }
        if ring.is_empty() {
            if limits.files.is_some() {
                bail!(
                    "-a files: it counts the files of -b; add -b filesize:KB, -b duration:SECONDS \
                     or -b packets:N"
                );
            }
            return Ok(limits);
        }
        if destination.is_some_and(Destination::is_standard_output) {
            bail!("-b: several files cannot be written to standard output; name a file with -w");
        }
        let mut switch = Switch::default();
        for criterion in ring {
            match *criterion {
                Criterion::Duration(duration) => lower(&mut switch.duration, duration),
                Criterion::FileSize(bytes) => lower(&mut switch.file_size, bytes),
                Criterion::Packets(packets) => lower(&mut switch.packets, packets),
                Criterion::Files(files) => lower(&mut switch.files, files),
            }
        }
        // With several files, a file that is full is followed by the next.
        if let Some(bytes) = limits.file_size.take() {
            lower(&mut switch.file_size, bytes);
        }
        if (switch.duration, switch.file_size, switch.packets) == (None, None, None) {
            bail!(
                "-b files: nothing says when a new file begins; add -b filesize:KB, \
                 -b duration:SECONDS or -b packets:N"
            );
        }
        limits.ring = Some(switch);
        Ok(limits)
    }
}

/// Of several limits of a kind the lowest counts.
fn lower<T: Ord + Copy>(place: &mut Option<T>, value: T) {
    *place = Some(place.map_or(value, |before| before.min(value)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn limits(stop: &[&str], ring: &[&str], file: Option<&str>) -> Result<Limits> {
        let parse = |texts: &[&str]| -> Vec<Criterion> {
            texts.iter().map(|text| Criterion::parse(text).unwrap()).collect()
        };
        let destination = file.map(|name| Destination::unchecked(PathBuf::from(name)));
        Limits::new(&parse(stop), &parse(ring), Some(9), destination.as_ref())
    }

    #[test]
    fn the_lowest_of_a_kind_counts() {
        let found = limits(&["packets:12", "duration:3", "duration:2"], &[], None).unwrap();
        assert_eq!(found.packets, Some(9));
        assert_eq!(found.duration, Some(Duration::from_secs(2)));
        assert_eq!(found.ring, None);
    }

    #[test]
    fn with_several_files_a_full_one_is_followed_by_the_next() {
        let found =
            limits(&["filesize:5", "files:4"], &["packets:2", "files:3"], Some("f")).unwrap();
        let switch = found.ring.unwrap();
        assert_eq!(
            (switch.file_size, switch.packets, switch.files),
            (Some(5_000), Some(2), Some(3))
        );
        assert_eq!((found.file_size, found.files), (None, Some(4)));
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (stop, ring, file, words) in [
            (&["filesize:1"][..], &[][..], None, "-a filesize: there is no file"),
            (&["files:1"], &[], Some("f"), "-a files: it counts the files of -b"),
            (&[], &["files:2"], Some("f"), "-b files: nothing says when a new file begins"),
            (&[], &["packets:2"], Some("-"), "-b: several files cannot be written to standard"),
        ] {
            let refused = limits(stop, ring, file).unwrap_err().to_string();
            assert!(refused.starts_with(words), "{refused}");
        }
    }
}
