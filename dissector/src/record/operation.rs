//! An operation at its end.

use crate::flow::ConnectionInfo;
use crate::operation::{Echo, Event, Operation, OperationItem};
use crate::pipeline::ItemContext;
use crate::tree::explanation;

/// An operation whose outcome is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationRecord {
    /// The connection.
    pub connection: ConnectionInfo,
    /// The operation.
    pub operation: Operation,
    /// The requests that its side may have outstanding, where the setup frames say so.
    pub depth_limit: Option<u16>,
    /// True for a response that answers no request that was seen: the operation's request is it.
    pub unsolicited: bool,
    /// The number of the Terminate's operation that refused it.
    pub refused_by: Option<u64>,
    /// For a Terminate: the frame of what it refuses, where that was found.
    pub cause_frame: Option<u64>,
    /// For a Terminate: what it says, in a sentence.
    pub explanation: Option<String>,
}

impl OperationRecord {
    /// The record of an operation that has come to its end; `None` while it is under way.
    pub fn new(context: &ItemContext<'_>, item: &OperationItem<'_>) -> Option<Self> {
        let mut record = Self {
            connection: *context.connection,
            operation: *item.operation,
            depth_limit: context.negotiation.depth(item.operation.requester),
            unsolicited: false,
            refused_by: None,
            cause_frame: None,
            explanation: None,
        };
        match item.event {
            Event::Requested => return None,
            Event::Completed | Event::Abandoned => {}
            Event::Terminated(cause, _) => {
                record.cause_frame = cause.segment.map(|segment| segment.frame);
                record.explanation = explanation(context, item, Echo::Told);
            }
            Event::Refused(terminate) => record.refused_by = Some(terminate),
            Event::Unsolicited => record.unsolicited = true,
        }
        Some(record)
    }
}
