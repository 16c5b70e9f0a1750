//! Decompression, chosen by a stream's first bytes.

use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Bytes that are handed to a decompressor at a time.
const COMPRESSED_CAPACITY: usize = 128 * 1024;

/// A way of compressing that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstandard,
    /// The LZ4 frame format.
    Lz4,
}

impl Compression {
    /// The compression that a stream starting with these bytes has.
    pub(super) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            // zstd files may start with a frame to be skipped (RFC 8878 §3.1.2).
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Self::Zstandard)
            }
            [0x04, 0x22, 0x4d, 0x18, ..] | [0x02, 0x21, 0x4c, 0x18, ..] => Some(Self::Lz4),
            _ => None,
        }
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "zstd",
            Self::Lz4 => "lz4",
        }
    }
}

/// Puts the right decompressor in front of a stream.
///
/// # Errors
/// The stream's own.
pub(super) fn decompressed(
    mut source: Box<dyn Read + Send>,
) -> io::Result<(Box<dyn Read + Send>, Option<Compression>)> {
    let mut start = Vec::with_capacity(4);
    source.by_ref().take(4).read_to_end(&mut start)?;
    let compression = Compression::of(&start);
    let whole = Cursor::new(start).chain(source);
    let Some(compression) = compression else { return Ok((Box::new(whole), None)) };
    let buffered = BufReader::with_capacity(COMPRESSED_CAPACITY, whole);
    let reader: Box<dyn Read + Send> = match compression {
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered)),
        Compression::Zstandard => Box::new(zstd::stream::read::Decoder::with_buffer(buffered)?),
        Compression::Lz4 => {
            Box::new(Lz4Frames { current: Some(lz4_flex::frame::FrameDecoder::new(buffered)) })
        }
    };
    Ok((reader, Some(compression)))
}

/// LZ4 frames one after the other, each with a decompressor of its own.
struct Lz4Frames<R: BufRead> {
    current: Option<lz4_flex::frame::FrameDecoder<R>>,
}

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.current {
            let count = decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            let ended = decoder.get_mut().fill_buf()?.is_empty();
            let finished = self.current.take().map(lz4_flex::frame::FrameDecoder::into_inner);
            self.current = finished.filter(|_| !ended).map(lz4_flex::frame::FrameDecoder::new);
        }
        Ok(0)
    }
}
