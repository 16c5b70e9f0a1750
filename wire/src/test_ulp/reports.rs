//! Asking for reports (sections 9.1 and 9.2).

use super::ReportKind;
use super::record::record;

record! {
    /// Asks for reports.
    ReportsOrderView, ReportsOrder: 16 bytes, "reports order", "test ULP section 9.1" {
        /// The stream that they are about; 0: all of the session.
        0 stream u32 as u32;
        /// How many at most.
        4 most u32 as u32;
        /// Milliseconds to wait for the first, if there is none.
        8 wait u32 as u32;
        /// Bytes of an arrival that a report is to hold at most.
        12 front u32 as u32;
    }
}

record! {
    /// What comes before reports.
    ReportsHeadView, ReportsHead: 8 bytes, "front of the reports", "test ULP section 9.1" {
        /// Reports that were lost since the last answer, for want of room.
        0 lost u32 as u32;
        /// Reports that wait still.
        4 left u32 as u32;
    }
}

record! {
    /// What every report begins with.
    ReportHeaderView, ReportHeader: 24 bytes, "report header", "test ULP section 9.2" {
        /// Bytes of the report, with this header.
        0 length u32 as u32;
        /// What it reports.
        4 kind u32 as ReportKind;
        /// The stream.
        8 stream u32 as u32;
        /// Counts the session's reports from 1, lost ones too.
        12 number u32 as u32;
        /// Microseconds since some moment that stays the same.
        16 time u64 as u64;
    }
}
