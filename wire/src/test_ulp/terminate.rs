//! A Terminate that went or came (section 9.6).

use super::TerminateKnown;
use super::record::record;

record! {
    /// A Terminate went or came.
    TerminateReportView, TerminateReport: 4 bytes, "Terminate", "test ULP section 9.6" {
        /// Layer.
        0 layer u8 as u8;
        /// Error type (EType).
        1 error_type u8 as u8;
        /// Error code.
        2 error_code u8 as u8;
        /// Which of the fields the target knows.
        3 known u8 as TerminateKnown;
    }
}
