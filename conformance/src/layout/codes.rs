//! What the numbers of a Terminate mean.

/// What a layer, an error type and an error code mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminateCode {
    /// The layer's word: `rdmap`, `ddp`, `llp`.
    pub layer: String,
    /// The layer's number.
    pub layer_number: u64,
    /// The error type's word.
    pub error_type: String,
    /// The error type's number.
    pub error_type_number: u64,
    /// The error code; none where every code is right.
    pub code: Option<u64>,
    /// The code's word.
    pub name: String,
    /// The document that defines it.
    pub document: String,
    /// The section.
    pub section: String,
}
