//! Judges how a side ends its stream: a FIN in the middle of its own message, and an end without the
//! Terminate that was required.

use super::catalogue::operation as rules;
use super::rule::{Finding, Level, Place, Rule};
use super::state::ConnectionState;
use crate::flow::ConnectionInfo;
use crate::mpa::Side;

/// A FIN or an RST.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ending {
    pub frame: u64,
    pub time: Option<i64>,
    pub reset: bool,
    /// Bytes of the side's stream before it, in 32 bits.
    pub sent: u32,
    /// Bytes of the other direction that it acknowledges, in 32 bits.
    pub received: u32,
}

/// A segment that its receiver must refuse with a Terminate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusable {
    rule: &'static Rule,
    frame: u64,
    /// Where the segment ends in its stream, in 32 bits.
    end: u32,
    /// FPDUs that its receiver had already sent.
    answered: u64,
}

/// Layer of a Terminate for what MPA finds wrong.
const LLP: u8 = 2;

/// Remembers the first of a side's findings that deserves a Terminate. None may be sent if MPA finds the
/// initiator's first FPDU wrong: the responder must first validate one (RFC 5044 section 7.1.2, rule 4).
pub(super) fn remember(state: &mut ConnectionState, side: Side, opens: bool, findings: &[Finding]) {
    let answered = state.side(side.peer()).fpdus;
    let mine = state.side(side);
    if mine.refusable.is_some() {
        return;
    }
    let due = |it: &&Finding| {
        let layer = it.rule.terminate.map(|(layer, ..)| layer);
        it.rule.level == Level::Must && layer.is_some_and(|layer| !(opens && layer == LLP))
    };
    let found = findings.iter().filter(|it| it.at_fault == Some(side)).find(due);
    mine.refusable = found.map(|it| Refusable {
        rule: it.rule,
        frame: it.place.frame,
        end: mine.end as u32,
        answered,
    });
}

/// Judges the endings of both sides, if everything before them has been judged.
pub(super) fn judge(
    state: &mut ConnectionState,
    connection: &ConnectionInfo,
    findings: &mut Vec<Finding>,
) {
    let mut sides = Side::BOTH;
    // The side that closes first ends the stream.
    sides.sort_by_key(|side| state.side(*side).ending.map_or(u64::MAX, |ending| ending.frame));
    for side in sides {
        let mine = state.side(side);
        let Some(ending) = mine.ending.filter(|it| it.sent == mine.end as u32) else { continue };
        mine.ending = None;
        let found = judge_one(state, side, &ending);
        state.side(side).ended = true;
        let place = Place {
            connection: *connection,
            side,
            frame: ending.frame,
            time: ending.time,
            stream_offset: None,
            message: None,
        };
        if let Some((rule, explanation)) = found {
            findings.push(Finding { rule, place, at_fault: Some(side), explanation });
        }
    }
}

fn judge_one(
    state: &mut ConnectionState,
    side: Side,
    ending: &Ending,
) -> Option<(&'static Rule, String)> {
    // After a Terminate the stream may end at once, and in any way (RFC 5040 section 6.2.1).
    if !state.whole() || state.sides.iter().any(|it| it.terminated.is_some()) {
        return None;
    }
    let how = if ending.reset { "RST" } else { "FIN" };
    // A side that closes after the other's FIN does not end the stream.
    let peer = state.side(side.peer());
    let refusable = peer.refusable.filter(|_| !peer.ended);
    let mine = state.side(side);
    if let Some(wrong) = refusable
        && ending.received.wrapping_sub(wrong.end) as i32 >= 0
        && wrong.answered == mine.fpdus
    {
        let text = format!(
            "{how} without a Terminate after frame {}, which breaks {}.",
            wrong.frame, wrong.rule.id
        );
        return Some((&rules::TERMINATE_MISSING, text));
    }
    let open = mine.messages.open()?;
    let text = format!("FIN in the middle of {open}: its last segment was not sent.");
    (!ending.reset).then_some((&rules::MESSAGE_CUT, text))
}
