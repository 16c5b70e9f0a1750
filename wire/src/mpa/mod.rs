//! MPA: setup frames, FPDUs and markers (RFC 5044, RFC 6581) and private data (RFC 8797).

mod enhanced;
mod error_code;
mod fpdu;
mod marker;
mod private_data;
mod setup;
mod stream;

pub use enhanced::{ENHANCED_LENGTH, Enhanced, EnhancedView, Mode, NOT_NEGOTIATED, ReadyToReceive};
pub use error_code::{EXTENDED_SECTION, error_code_name};
pub use fpdu::{CRC_LENGTH, Fpdu, FpduView, LENGTH_FIELD, MAX_ULPDU, fpdu_length, pad_length};
pub use marker::{MARKER_INTERVAL, MARKER_LENGTH, Marker, MarkerView};
pub use private_data::{RdmaPrivateData, RdmaPrivateDataView};
pub use setup::{
    KEY_LENGTH, MAX_PRIVATE_DATA, REPLY_KEY, REQUEST_KEY, Revision, Role, SETUP_HEADER_LENGTH,
    Setup, SetupHeaderView, SetupView,
};
pub use stream::{
    Demarked, append_fpdu, demark, fpdu_length_with_markers, fpdu_needs, insert_markers,
    next_marker, take_out_markers,
};
