use super::*;
use std::collections::BTreeSet;
use warpscope_wire::rdmap::{ReadRequest, error_code_name};

#[test]
fn the_table_is_indexed_by_violation() {
    for (index, row) in TABLE.iter().enumerate() {
        assert_eq!(row.violation as usize, index, "{}", row.meaning);
        assert!(error_code_name(row.layer, row.error_type, row.error_code).is_some());
    }
}

/// RFC 5040 figure 10: which layer and type echoes what.
#[test]
fn headers_follow_the_figure() {
    for row in &TABLE {
        let due = match (row.layer, row.error_type) {
            (0, 0) | (2, _) => Echo::Nothing,
            (0, 1) if row.violation == Violation::CannotInvalidate => Echo::Ddp,
            (0, 1) => Echo::DdpAndRead,
            // Nothing can be echoed where no header was read.
            (0, 2) if row.violation == Violation::HeaderCut => Echo::Nothing,
            _ => Echo::Ddp,
        };
        assert_eq!(row.echo, due, "{}", row.meaning);
    }
}

/// RFC 5041 section 7.2: every error number of DDP has a violation.
#[test]
fn every_error_of_ddp_is_found() {
    let found: BTreeSet<(u8, u8)> = TABLE
        .iter()
        .filter(|row| row.layer == 1)
        .map(|row| (row.error_type, row.error_code))
        .collect();
    let due = (0..=4).map(|code| (1, code)).chain((1..=6).map(|code| (2, code)));
    assert_eq!(found, due.collect());
}

/// RFC 5040 section 4.8, figures 7 and 8, filled by hand.
#[test]
fn a_refused_read_is_echoed_whole() {
    let mut ulpdu = vec![0x41, 0x41, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0];
    ulpdu.extend_from_slice(&[0xee; 28]);
    let request = ReadRequest {
        sink_steering_tag: 0x0102_0304,
        sink_tagged_offset: 5,
        read_message_size: 6,
        source_steering_tag: 0x0708_090a,
        source_tagged_offset: 11,
    };
    let refused = Refused::segment(&ulpdu).unwrap().with_read_request(request);
    let mut bytes = [0xaa; 64];
    let report = terminate(Violation::Bounds, Some(&refused)).unwrap();
    let length = report.emit(&mut bytes).unwrap();
    let mut due = vec![0x01, 0x01, 0xe0, 0x00, 0x00, 46];
    due.extend_from_slice(&ulpdu[..18]);
    due.extend_from_slice(&[1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 6]);
    due.extend_from_slice(&[7, 8, 9, 10, 0, 0, 0, 0, 0, 0, 0, 11]);
    assert_eq!(bytes[..length], due);

    let report = terminate(Violation::Opcode, Some(&refused)).unwrap();
    let length = report.emit(&mut bytes).unwrap();
    assert_eq!(bytes[..6], [0x02, 0x06, 0xc0, 0x00, 0x00, 46]);
    assert_eq!(length, 4 + 2 + 18);

    let report = terminate(Violation::Crc, Some(&refused)).unwrap();
    let length = report.emit(&mut bytes).unwrap();
    assert_eq!(bytes[..length], [0x20, 0x02, 0x00, 0x00]);
}
