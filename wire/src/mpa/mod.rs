//! MPA: setup frames, FPDUs and markers (RFC 5044, RFC 6581) and private data (RFC 8797).

mod fpdu;
mod setup;

pub use fpdu::{
    CRC_LENGTH, Fpdu, FpduView, LENGTH_FIELD, MARKER_INTERVAL, MARKER_LENGTH, MAX_ULPDU, Marker,
    MarkerView, UnmarkedFpdu, append_fpdu, demark, error_code_name, fpdu_length,
    fpdu_length_with_markers, fpdu_needs, insert_markers, next_marker, pad_length, stream_length,
    take_out_markers,
};
pub use setup::{
    ENHANCED_LENGTH, Enhanced, EnhancedView, KEY_LENGTH, MAX_PRIVATE_DATA, Mode, NOT_NEGOTIATED,
    REPLY_KEY, REQUEST_KEY, RdmaPrivateData, RdmaPrivateDataView, ReadyToReceive, Revision, Role,
    SETUP_HEADER_LENGTH, Setup, SetupHeaderView, SetupView,
};
