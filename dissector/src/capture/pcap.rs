//! The pcap format (draft-ietf-opsawg-pcap): a file header, then records.

use super::source::{LARGEST_RECORD, RawRecord, Source};
use super::{CaptureError, Interface, LinkType};
use pcap_parser::nom::IResult;
use pcap_parser::{LegacyPcapBlock, PcapError, nom};

/// Length of the file header in bytes.
const FILE_HEADER: usize = 24;

/// Returns an error about something unexpected.
fn no(source: &Source, expected: &'static str) -> CaptureError {
    source.malformed(0, expected, "something else".to_owned(), "the file is damaged")
}

type ParseRecord = fn(&[u8]) -> IResult<&[u8], LegacyPcapBlock<'_>, PcapError<&[u8]>>;

/// A pcap file whose header was parsed.
pub(super) struct Pcap {
    parse: ParseRecord,
    record_header: usize,
    /// The unit of a time's fraction, in nanoseconds.
    unit: i64,
    name: &'static str,
    interface: Interface,
}

impl Pcap {
    /// Parses the file header.
    pub(super) fn open(source: &mut Source) -> Result<Self, CaptureError> {
        source.require(FILE_HEADER, "file header")?;
        let Ok((_, header)) = pcap_parser::parse_pcap_header(source.buffer.available()) else {
            return Err(no(source, "a pcap file header"));
        };
        source.buffer.consume(FILE_HEADER);
        let modified = header.is_modified_format();
        let parse: ParseRecord = if modified {
            pcap_parser::parse_pcap_frame_modified
        } else if header.is_bigendian() {
            pcap_parser::parse_pcap_frame_be
        } else {
            pcap_parser::parse_pcap_frame
        };
        let (unit, name) = if header.is_nanosecond_precision() {
            (1, "pcap with nanoseconds")
        } else if modified {
            (1_000, "modified pcap")
        } else {
            (1_000, "pcap")
        };
        // The upper bits give the length of the frame check sequence at the end of each frame.
        let link_type = LinkType(header.network.0.cast_unsigned() & 0x03ff_ffff);
        let snap_length = header.snaplen;
        let interface = Interface { link_type, snap_length, ..Interface::default() };
        Ok(Self { parse, record_header: if modified { 24 } else { 16 }, unit, name, interface })
    }

    pub(super) fn next_record(
        &mut self,
        source: &mut Source,
    ) -> Result<Option<RawRecord>, CaptureError> {
        if !source.has_more("record header")? {
            return Ok(None);
        }
        loop {
            let window = source.buffer.available();
            match (self.parse)(window) {
                Ok((_, record)) => {
                    let length = record.data.len();
                    if length > LARGEST_RECORD {
                        return Err(self.too_long(source, length));
                    }
                    let seconds = i64::from(record.ts_sec) * 1_000_000_000;
                    let time = seconds + i64::from(record.ts_usec) * self.unit;
                    let original_length = record.origlen;
                    source.buffer.consume(self.record_header);
                    let bytes = source.buffer.consume(length);
                    return Ok(Some(RawRecord {
                        interface: 0,
                        time: Some(time),
                        bytes,
                        original_length,
                        block: 0..0,
                    }));
                }
                Err(nom::Err::Incomplete(missing)) => {
                    let missing = match missing {
                        nom::Needed::Size(missing) => missing.get(),
                        nom::Needed::Unknown => 1,
                    };
                    let needed = window.len().saturating_add(missing);
                    if window.len() < self.record_header {
                        source.require(needed, "record header")?;
                        continue;
                    }
                    if needed - self.record_header > LARGEST_RECORD {
                        return Err(self.too_long(source, needed - self.record_header));
                    }
                    source.require(needed, "record")?;
                }
                Err(_) => return Err(no(source, "a record")),
            }
        }
    }

    fn too_long(&self, source: &Source, length: usize) -> CaptureError {
        source.malformed(
            8,
            "a captured length of at most 16777216",
            length.to_string(),
            "bytes are missing or changed before this place (a bad disk, a transfer in text \
             mode, two writers in one file)",
        )
    }

    pub(super) fn interfaces(&self) -> &[Interface] {
        std::slice::from_ref(&self.interface)
    }

    /// Returns the decimal digits of times.
    pub(super) fn time_digits(&self) -> u8 {
        if self.unit == 1 { 9 } else { 6 }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }
}
