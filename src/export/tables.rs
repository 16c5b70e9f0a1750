//! The tables that there are, and what they have in common.

use super::cell::{Cell, Column};
use super::{messages, operations, rpcs};
use warpscope_dissector::flow::ConnectionInfo;
use warpscope_dissector::mpa::Side;
use warpscope_dissector::record::Record;

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// A row a message.
    Messages,
    /// A row an operation.
    Operations,
    /// A row an RPC exchange.
    Rpcs,
}

impl Table {
    /// Every table.
    pub(super) const ALL: [Self; 3] = [Self::Messages, Self::Operations, Self::Rpcs];

    /// Its name, and that of its file in a folder.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Operations => "operations",
            Self::Rpcs => "rpcs",
        }
    }

    /// Its columns.
    pub(super) fn columns(self) -> &'static [Column] {
        match self {
            Self::Messages => messages::COLUMNS,
            Self::Operations => operations::COLUMNS,
            Self::Rpcs => rpcs::COLUMNS,
        }
    }

    /// The row of a record, when it is one of this table.
    pub(super) fn row(self, capture: &str, record: &Record) -> Option<Vec<Cell>> {
        match (self, record) {
            (Self::Messages, Record::Message(record)) => Some(messages::row(capture, record)),
            (Self::Operations, Record::Operation(record)) => Some(operations::row(capture, record)),
            (Self::Rpcs, Record::Rpc(record)) => Some(rpcs::row(capture, record)),
            _ => None,
        }
    }
}

/// The columns that every table begins with.
pub(super) mod ends_columns {
    use super::super::cell::{Column, Kind, always};

    pub(in super::super) const CAPTURE: Column =
        always("capture", Kind::Text, "", "The capture file, as it was named on the command line");
    pub(in super::super) const CONNECTION: Column = always(
        "connection",
        Kind::U32,
        "",
        "The number of the TCP connection in its capture, from 0 (`tcp.stream`)",
    );
    pub(in super::super) const SOURCE: Column = always(
        "source",
        Kind::Text,
        "",
        "IP address of the sender; of the requester of an operation; of the caller of an RPC",
    );
    pub(in super::super) const SOURCE_PORT: Column =
        always("source_port", Kind::U32, "", "Its TCP port");
    pub(in super::super) const DESTINATION: Column =
        always("destination", Kind::Text, "", "IP address of the other end");
    pub(in super::super) const DESTINATION_PORT: Column =
        always("destination_port", Kind::U32, "", "Its TCP port");
}

/// The first cells of every row.
pub(super) fn ends(capture: &str, connection: &ConnectionInfo, from: Side) -> Vec<Cell> {
    let (source, destination) =
        (connection.ends[from.index()], connection.ends[from.peer().index()]);
    vec![
        capture.to_owned().into(),
        connection.number.into(),
        source.address.to_string().into(),
        source.port.into(),
        destination.address.to_string().into(),
        destination.port.into(),
    ]
}
