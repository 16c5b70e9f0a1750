use super::*;
use std::collections::BTreeSet;
use warpscope_wire::rdmap::error_code_name;

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
