//! The nodes of what happened to an operation.

use super::node::{Tree, Value};
use crate::field::{Field, operation as fields};
use crate::mpa::{Negotiation, Side};
use crate::operation::{Echo, Event, Operation, OperationItem, Reading, explain, field_at_fault};
use crate::pipeline::ItemContext;
use warpscope_wire::rdmap::TerminateView;

/// The event in a word.
fn event_word(event: Event<'_>) -> &'static str {
    match event {
        Event::Requested => "requested",
        Event::Completed => "completed",
        Event::Abandoned => "abandoned",
        Event::Terminated(..) => "terminated",
        Event::Refused(_) => "refused",
        Event::Unsolicited => "unsolicited",
    }
}

/// A Terminate in a sentence, with the addresses of the two ends.
pub fn explanation(
    context: &ItemContext<'_>,
    item: &OperationItem<'_>,
    echo: Echo,
) -> Option<String> {
    let Event::Terminated(cause, bytes) = item.event else { return None };
    let view = TerminateView::parse(bytes).ok()?;
    let initiator = context.negotiation.initiator();
    let end = |side: Side| {
        let end = context.connection.ends[side.index()];
        match initiator {
            Some(initiator) if initiator == side => format!("the initiator {}", end.address),
            Some(_) => format!("the responder {}", end.address),
            None => format!("{}:{}", end.address, end.port),
        }
    };
    let sender = item.operation.requester;
    Some(explain(&Reading::of(&view), cause, &end(sender), &end(sender.peer()), echo))
}

/// Adds what happened to an operation.
pub fn push_operation(tree: &mut Tree, context: &ItemContext<'_>, item: &OperationItem<'_>) {
    let operation = item.operation;
    let index = tree.push_generated(0, &fields::WARPSCOPE, Value::None);
    let note = format!("{} {} {}", operation.kind.name(), operation.number, event_word(item.event));
    if let Some(node) = tree.nodes.get_mut(index) {
        node.note = Some(note.into());
    }
    tree.push_generated(1, &fields::OPERATION, Value::None);
    let mut push = |field: &'static Field, value: Value| {
        tree.push_generated(2, field, value);
    };
    push(&fields::NUMBER, Value::Unsigned(operation.number));
    push(&fields::KIND, Value::Text(operation.kind.name().into()));
    push(&fields::EVENT, Value::Text(event_word(item.event).into()));
    push(&fields::OUTCOME, Value::Text(operation.outcome.word().into()));
    numbers(operation, context.negotiation, &mut push);
    let Event::Terminated(cause, bytes) = item.event else { return };
    if let Some(segment) = &cause.segment {
        push(&fields::CAUSE_FRAME, Value::Unsigned(segment.frame));
        push(&fields::CAUSE_MESSAGE, Value::Unsigned(segment.message_number));
        push(&fields::CAUSE_EXACT, Value::Unsigned(cause.exact.into()));
    }
    let field = TerminateView::parse(bytes)
        .ok()
        .and_then(|view| field_at_fault(&Reading::of(&view), cause));
    if let Some(field) = field {
        push(&fields::CAUSE_FIELD, Value::Text(field.into()));
    }
    if let Some(words) = explanation(context, item, Echo::Told) {
        push(&fields::EXPLANATION, Value::Text(words.into()));
    }
}

fn numbers(
    operation: &Operation,
    negotiation: &Negotiation,
    push: &mut dyn FnMut(&'static Field, Value),
) {
    let number = |number: u64| Value::Unsigned(number);
    push(&fields::FIRST_FRAME, number(operation.request.first_frame));
    push(&fields::REQUEST_FRAME, number(operation.request.last_frame));
    if let Some(region) = &operation.remote {
        push(&fields::STEERING_TAG, number(region.steering_tag.into()));
        push(&fields::TAGGED_OFFSET, number(region.tagged_offset));
        push(&fields::LENGTH, number(region.length));
    }
    if operation.kind.answered() {
        push(&fields::DEPTH, number(operation.depth.into()));
        if let Some(limit) = negotiation.depth(operation.requester) {
            push(&fields::DEPTH_LIMIT, number(limit.into()));
        }
    }
    let carrier = match (&operation.response, operation.kind.answered()) {
        (Some(response), _) => response,
        (None, true) => return,
        (None, false) => &operation.request,
    };
    push(&fields::BYTES, number(operation.bytes()));
    push(&fields::SEGMENTS, number(carrier.segments.into()));
    if carrier.repeated > 0 {
        push(&fields::REPEATED, number(carrier.repeated));
    }
    if operation.overtook > 0 {
        push(&fields::OVERTOOK, number(operation.overtook.into()));
    }
    if let Some(latency) = operation.latency() {
        push(&fields::LATENCY, Value::Time(latency));
    }
    if let Some(first) = operation.first_byte() {
        push(&fields::FIRST_BYTE, Value::Time(first));
    }
}
