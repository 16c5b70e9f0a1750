//! The names of numbers in iSCSI (RFC 7143 §11).

use crate::name_of;

/// An opcode that RFC 7143 §11.2.1.2 assigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::FromRepr)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the document's own")]
pub enum Opcode {
    NopOut = 0x00,
    ScsiCommand = 0x01,
    TaskManagementRequest = 0x02,
    LoginRequest = 0x03,
    TextRequest = 0x04,
    DataOut = 0x05,
    LogoutRequest = 0x06,
    Snack = 0x10,
    NopIn = 0x20,
    ScsiResponse = 0x21,
    TaskManagementResponse = 0x22,
    LoginResponse = 0x23,
    TextResponse = 0x24,
    DataIn = 0x25,
    LogoutResponse = 0x26,
    ReadyToTransfer = 0x31,
    Asynchronous = 0x32,
    Reject = 0x3f,
}

impl Opcode {
    /// The table of opcodes by number.
    pub const NAMES: &[(u64, &'static str)] = &[
        (0x00, "NOP-Out"),
        (0x01, "SCSI Command"),
        (0x02, "Task Management Function Request"),
        (0x03, "Login Request"),
        (0x04, "Text Request"),
        (0x05, "SCSI Data-Out"),
        (0x06, "Logout Request"),
        (0x10, "SNACK Request"),
        (0x20, "NOP-In"),
        (0x21, "SCSI Response"),
        (0x22, "Task Management Function Response"),
        (0x23, "Login Response"),
        (0x24, "Text Response"),
        (0x25, "SCSI Data-In"),
        (0x26, "Logout Response"),
        (0x31, "Ready To Transfer"),
        (0x32, "Asynchronous Message"),
        (0x3f, "Reject"),
    ];

    /// Returns the name, as in RFC 7143 section 11.2.1.2.
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self as u8).unwrap_or_default()
    }

    /// Returns whether only an initiator sends it: a request.
    pub fn is_from_initiator(self) -> bool {
        (self as u8) < 0x20
    }
}

/// Task attributes (RFC 7143 §11.3.1).
pub const TASK_ATTRIBUTES: &[(u64, &str)] =
    &[(0, "Untagged"), (1, "Simple"), (2, "Ordered"), (3, "Head of queue"), (4, "ACA")];

/// iSCSI service responses (RFC 7143 §11.4.3).
pub const SCSI_RESPONSES: &[(u64, &str)] =
    &[(0, "Command completed at target"), (1, "Target failure")];

/// Task management functions (RFC 7143 §11.5.1, RFC 7144).
pub const TASK_MANAGEMENT_FUNCTIONS: &[(u64, &str)] = &[
    (1, "ABORT TASK"),
    (2, "ABORT TASK SET"),
    (3, "CLEAR ACA"),
    (4, "CLEAR TASK SET"),
    (5, "LOGICAL UNIT RESET"),
    (6, "TARGET WARM RESET"),
    (7, "TARGET COLD RESET"),
    (8, "TASK REASSIGN"),
    (9, "QUERY TASK"),
    (10, "QUERY TASK SET"),
    (11, "I_T NEXUS RESET"),
    (12, "QUERY ASYNCHRONOUS EVENT"),
];

/// Responses of a Task Management Function Response (RFC 7143 §11.6.1, RFC 7144).
pub const TASK_MANAGEMENT_RESPONSES: &[(u64, &str)] = &[
    (0, "Function complete"),
    (1, "Task does not exist"),
    (2, "LUN does not exist"),
    (3, "Task still allegiant"),
    (4, "Task allegiance reassignment not supported"),
    (5, "Task management function not supported"),
    (6, "Function authorization failed"),
    (7, "Function succeeded"),
    (255, "Function rejected"),
];

/// Events of Asynchronous Messages (RFC 7143 §11.9.1).
pub const ASYNCHRONOUS_EVENTS: &[(u64, &str)] = &[
    (0, "SCSI asynchronous event"),
    (1, "Logout request"),
    (2, "Connection drop notification"),
    (3, "Session drop notification"),
    (4, "Negotiation request"),
    (5, "Task termination"),
];

/// Stages of a login (RFC 7143 §11.12.3).
pub const LOGIN_STAGES: &[(u64, &str)] =
    &[(0, "SecurityNegotiation"), (1, "LoginOperationalNegotiation"), (3, "FullFeaturePhase")];

/// Status-Class and Status-Detail of a Login Response, as one number (RFC 7143 §11.13.5).
pub const LOGIN_STATUSES: &[(u64, &str)] = &[
    (0x0000, "Success"),
    (0x0101, "Target moved temporarily"),
    (0x0102, "Target moved permanently"),
    (0x0200, "Initiator error"),
    (0x0201, "Authentication failure"),
    (0x0202, "Authorization failure"),
    (0x0203, "Not found"),
    (0x0204, "Target removed"),
    (0x0205, "Unsupported version"),
    (0x0206, "Too many connections"),
    (0x0207, "Missing parameter"),
    (0x0208, "Can't include in session"),
    (0x0209, "Session type not supported"),
    (0x020a, "Session does not exist"),
    (0x020b, "Invalid during login"),
    (0x0300, "Target error"),
    (0x0301, "Service unavailable"),
    (0x0302, "Out of resources"),
];

/// Reasons of a Logout Request (RFC 7143 §11.14.1).
pub const LOGOUT_REASONS: &[(u64, &str)] = &[
    (0, "Close the session"),
    (1, "Close the connection"),
    (2, "Remove the connection for recovery"),
];

/// Responses of a Logout Response (RFC 7143 §11.15.1).
pub const LOGOUT_RESPONSES: &[(u64, &str)] = &[
    (0, "Connection or session closed successfully"),
    (1, "CID not found"),
    (2, "Connection recovery is not supported"),
    (3, "Cleanup failed"),
];

/// Types of a SNACK (RFC 7143 §11.16.1).
pub const SNACK_TYPES: &[(u64, &str)] =
    &[(0, "Data/R2T SNACK"), (1, "Status SNACK"), (2, "DataACK"), (3, "R-Data SNACK")];

/// Reasons of a Reject (RFC 7143 §11.17.1).
pub const REJECT_REASONS: &[(u64, &str)] = &[
    (0x02, "Data (payload) digest error"),
    (0x03, "SNACK Reject"),
    (0x04, "Protocol Error"),
    (0x05, "Command not supported"),
    (0x06, "Immediate command reject: too many immediate commands"),
    (0x07, "Task in progress"),
    (0x08, "Invalid data ack"),
    (0x09, "Invalid PDU field"),
    (0x0a, "Long op reject: out of Target Transfer Tags"),
    (0x0b, "Negotiation Reset (deprecated)"),
    (0x0c, "Waiting for Logout"),
];
