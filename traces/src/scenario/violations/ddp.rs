//! Segments that break RFC 5041.

use super::super::catalogue::{Made, SINK, Scenario, payload, tagged};
use super::case::Cases;
use crate::Result;
use crate::conversation::INITIATOR;
use crate::message::Target;
use crate::session::Agreement;
use warpscope_wire::rdmap::Message;

pub(in crate::scenario) const SCENARIO: Scenario = Scenario {
    name: "violations-ddp",
    contains: "connections whose DDP segments break a rule each",
    purpose: "each rule of DDP is tripped where it is broken",
    make,
};

/// L in the DDP control byte.
const LAST: u8 = 0x40;
/// Where fields of an untagged header end: MSN and MO. Their last byte is changed.
const MSN: usize = 13;
const MO: usize = 17;
/// The same of a tagged header: STag and TO.
const STAG: usize = 5;
const TO: usize = 13;
/// Bytes of a message of two segments, of three and of four.
const TWO: usize = 2000;
const FOUR: usize = 5000;

fn make() -> Result<Made> {
    let mut cases = Cases::new(48_000);
    headers(&mut cases)?;
    untagged(&mut cases)?;
    order(&mut cases)?;
    extra(&mut cases)?;
    targets(&mut cases)?;
    Ok(cases.made())
}

/// One segment, and what is wrong with it.
fn headers(cases: &mut Cases) -> Result<()> {
    let (send, write) = (Message::Send, Message::Write);
    for (rule, message, target, at, value) in [
        ("ddp-reserved", send, Target::Queue, 0, 0x45),
        ("ddp-version-tagged", write, tagged(0), 0, 0xc0),
        ("ddp-version-untagged", send, Target::Queue, 0, 0x40),
        ("ddp-msn-first", send, Target::Queue, MSN, 2),
    ] {
        cases.opened(&Agreement::default(), |case| {
            case.breaks(rule, INITIATOR);
            case.send_changed(INITIATOR, message, target, &payload(720, 40), |_, ulpdu| {
                ulpdu[at] = value;
            })
        })?;
    }
    cases.opened(&Agreement::default(), |case| {
        case.breaks("ddp-header-length", INITIATOR);
        case.send_changed(INITIATOR, send, Target::Queue, &[], |_, ulpdu| ulpdu.truncate(10))
    })
}

fn untagged(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(721, 40))?;
        case.breaks("ddp-msn-sequence", INITIATOR);
        case.send_changed(INITIATOR, Message::Send, Target::Queue, &[], |_, ulpdu| ulpdu[MSN] = 3)
    })?;
    cases.opened(&Agreement::default(), |case| {
        // The second segment, which is the next frame but one when nothing is acknowledged.
        case.breaks_later("ddp-message-offset", INITIATOR, 1);
        let change = |index, ulpdu: &mut Vec<u8>| {
            if index == 1 {
                ulpdu[MO] += 4;
            }
        };
        case.send_changed(INITIATOR, Message::Send, Target::Queue, &payload(722, TWO), change)
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.send_changed(
            INITIATOR,
            Message::Send,
            Target::Queue,
            &payload(723, TWO),
            |_, ulpdu| ulpdu[0] &= !LAST,
        )?;
        case.breaks("ddp-last-flag", INITIATOR);
        case.send(INITIATOR, Message::Send, Target::Queue, &payload(724, 40))
    })?;
    cases.opened(&Agreement::default(), |case| {
        case.breaks_later("ddp-rsvdulp", INITIATOR, 1);
        // A Send goes on as a Send with SE.
        let change = |index, ulpdu: &mut Vec<u8>| {
            if index == 1 {
                ulpdu[1] = 0x45;
            }
        };
        case.send_changed(INITIATOR, Message::Send, Target::Queue, &payload(725, TWO), change)
    })?;
    cases.opened(&Agreement::default(), |case| {
        // A message cannot begin there either.
        case.breaks("ddp-message-length", INITIATOR);
        case.breaks("ddp-message-offset", INITIATOR);
        case.send_changed(INITIATOR, Message::Send, Target::Queue, &payload(726, 32), |_, ulpdu| {
            ulpdu[MO - 3..=MO].copy_from_slice(&0xffff_fff0_u32.to_be_bytes())
        })
    })
}

/// More segments than there should be.
fn extra(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        let sender = &mut case.session.senders[INITIATOR];
        let ulpdus = sender.ulpdus(Message::Send, Target::Queue, &payload(760, FOUR))?;
        for (index, mut ulpdu) in ulpdus.into_iter().take(3).enumerate() {
            match index {
                1 => ulpdu[0] |= LAST,
                2 => case.breaks("ddp-segment-after-last", INITIATOR),
                _ => {}
            }
            case.session.streams[INITIATOR].fpdu(&ulpdu)?;
            case.session.flush(INITIATOR);
        }
        Ok(())
    })?;
    cases.opened(&Agreement::default(), |case| {
        let sender = &mut case.session.senders[INITIATOR];
        let ulpdus = sender.ulpdus(Message::Send, Target::Queue, &[])?;
        let mut first = ulpdus[0].clone();
        first[0] &= !LAST;
        case.session.streams[INITIATOR].fpdu(&first)?;
        case.session.flush(INITIATOR);
        case.breaks("ddp-empty-message", INITIATOR);
        case.session.streams[INITIATOR].fpdu(&ulpdus[0])?;
        case.session.flush(INITIATOR);
        Ok(())
    })
}

/// Four segments: the first, the third, the second, the last.
fn order(cases: &mut Cases) -> Result<()> {
    cases.opened(&Agreement::default(), |case| {
        let sender = &mut case.session.senders[INITIATOR];
        let ulpdus = sender.ulpdus(Message::Send, Target::Queue, &payload(727, FOUR))?;
        case.breaks_later("ddp-segment-order", INITIATOR, 1);
        for index in [0, 2, 1, 3] {
            case.session.streams[INITIATOR].fpdu(&ulpdus[index])?;
            case.session.flush(INITIATOR);
        }
        Ok(())
    })
}

fn targets(cases: &mut Cases) -> Result<()> {
    for (rule, at) in [("ddp-tagged-stag", STAG), ("ddp-tagged-offset", TO)] {
        cases.opened(&Agreement::default(), |case| {
            case.breaks_later(rule, INITIATOR, 1);
            let change = |index, ulpdu: &mut Vec<u8>| {
                if index == 1 {
                    ulpdu[at] ^= 8;
                }
            };
            case.send_changed(INITIATOR, Message::Write, tagged(0), &payload(728, TWO), change)
        })?;
    }
    cases.opened(&Agreement::default(), |case| {
        case.breaks("ddp-to-wrap", INITIATOR);
        let target = Target::Tagged { steering_tag: SINK, tagged_offset: u64::MAX - 15 };
        case.send(INITIATOR, Message::Write, target, &payload(729, 32))
    })
}
