//! Each case: a talk with some changes, in random pieces, heard by a side that goes on with its own
//! work; now and then with a stream beside it that nobody disturbs.

use super::side::{NEIGHBOUR, PATTERN, Side};
use super::talk::{self, Random, Talk, talks};
use crate::prelude::*;

/// How many cases a test run has; a longer run asks for more with this variable.
const VARIABLE: &str = "WARPSCOPE_MUTATIONS";
const SAMPLE: u64 = 10_000;

/// The most that a side may send in answer to a talk: all that it was to do, and what it may be
/// asked for again and again.
const MOST_SENT: usize = 256 * 1024;
const MOST_TRANSMITS: usize = 2_000;
/// The most events: no talk gives occasion to more.
const MOST_EVENTS: usize = 16;
/// Characters of a connection in words: a byte that it keeps takes five at most. The longest FPDU
/// and a message under way are kept, and what was posted.
const MOST_WORDS: usize = 5 * (65_536 + 4096) + 32_768;

/// Hears bytes in pieces; sends whatever it wants to in between.
fn feed(side: &mut Side, random: &mut Random, bytes: &[u8], mut between: impl FnMut(&mut Side)) {
    let longest = if random.once_in(50) { 1 } else { random.of(&[3, 100, 1500, 100_000, 100_000]) };
    let mut rest = bytes;
    let (mut sent, mut transmits) = (0, 0);
    loop {
        while let Some(transmit) = side.transmit() {
            transmits += 1;
            if let Transmit::Bytes(bytes) = transmit {
                sent += bytes.len();
            }
            assert!(sent < MOST_SENT && transmits < MOST_TRANSMITS, "{sent}, {transmits}");
        }
        if rest.is_empty() {
            break;
        }
        let (piece, more) = rest.split_at(rest.len().min(1 + random.under(longest)));
        side.feed(piece);
        between(side);
        rest = more;
    }
}

/// Ends a side, and judges what is left of it; returns whether it found a violation.
fn judge(side: &mut Side, case: u64) -> bool {
    if case.is_multiple_of(64) {
        let words = format!("{:?}", side.connection).len();
        assert!(words < MOST_WORDS, "{words} characters of state");
    }
    let mut closed = 0;
    for close in [|it: &mut Connection| it.handle_finish(Duration::ZERO), Connection::finish] {
        close(&mut side.connection);
        let sent = std::iter::from_fn(|| side.transmit());
        closed += sent.filter(|it| !matches!(it, Transmit::Bytes(_))).count();
    }
    assert!(closed <= 1, "{closed} ends");
    // Once both sides have closed, or time is up after an error, a stream is over.
    if let Some(deadline) = side.connection.poll_timeout() {
        side.connection.handle_timeout(deadline);
        while side.transmit().is_some() {}
    }
    assert!(side.connection.is_ended());
    assert_eq!(side.connection.poll_timeout(), None);
    let completions = std::iter::from_fn(|| side.connection.poll_completion()).count();
    assert_eq!(completions, side.posted, "each work request and receive ends once");
    let events = std::iter::from_fn(|| side.connection.poll_event());
    let events: Vec<String> = events.map(|event| format!("{event:?}")).collect();
    assert!(events.len() <= MOST_EVENTS, "{events:?}");
    let over =
        |it: &String| ["Ended", "SetupFailed", "Rejected"].iter().any(|end| it.starts_with(end));
    assert!(events.iter().any(over), "{events:?}");
    events.iter().any(|it| it.contains("Violat"))
}

/// A stream of somebody else in the memory of a side.
struct Neighbour {
    here: Connection,
    own: Memory,
    sink: u32,
    there: Connection,
    tag: u32,
    rounds: u64,
}

impl Neighbour {
    fn new(tag: u32) -> Self {
        let accessor = |stream| Accessor { stream, protection_domain: 1 };
        let connection =
            |role, stream| Connection::new(Config::new(role, accessor(stream)), Duration::ZERO);
        let mut own = Memory::seeded(77);
        let sink = own.register(vec![0; 64], Registration::stream(1, Rights::NONE)).unwrap();
        let here = connection(Role::Initiator, 1);
        Self { here, own, sink, there: connection(Role::Responder, NEIGHBOUR), tag, rounds: 0 }
    }

    /// Writes its own bytes, and reads them back.
    fn works(&mut self, shared: &mut Memory) {
        let now = Duration::ZERO;
        let bytes = [self.rounds as u8 ^ 0xa5; 64];
        let remote = remote(self.tag, 4);
        let read = read_op(local(self.sink, 0), 64, remote);
        for operation in [write_op(&bytes, remote), read] {
            self.here.post(&self.own, WorkRequest::new(self.rounds, operation)).unwrap();
        }
        let mut busy = true;
        while busy {
            busy = false;
            while let Some(Transmit::Bytes(sent)) = self.here.poll_transmit(now, &mut self.own) {
                self.there.handle_bytes(now, shared, &sent);
                busy = true;
            }
            while let Some(Transmit::Bytes(sent)) = self.there.poll_transmit(now, shared) {
                self.here.handle_bytes(now, &mut self.own, &sent);
                busy = true;
            }
        }
        let done = std::iter::from_fn(|| self.here.poll_completion());
        assert_eq!(done.filter(|it| it.result.is_ok()).count(), 2, "the neighbour is disturbed");
        assert_eq!(self.own.bytes(self.sink), Some(&bytes[..]), "the neighbour reads wrong");
        self.rounds += 1;
    }
}

/// Bytes of a talk for `victim`, changed.
fn changed(random: &mut Random, talk: &Talk, victim: usize, side: &Side) -> Vec<u8> {
    let mut sent = talk.sent[1 - victim].clone();
    let at_setup = random.once_in(8);
    if at_setup {
        talk::setup(random, &mut sent.setup);
    }
    if !at_setup || random.once_in(4) {
        for _ in 0..=random.under(3) {
            talk::ulpdus(random, &mut sent, &side.tags);
        }
    }
    let mut framed = talk.framed(&sent.ulpdus);
    // Most keep the right CRC.
    if random.once_in(6) {
        let which = random.under(framed.len());
        talk::bytes(random, &mut framed[which]);
    }
    let mut bytes = sent.setup;
    bytes.extend(framed.into_iter().flatten());
    bytes
}

#[test]
fn the_talks_themselves_are_heard_well() {
    for talk in talks() {
        for victim in [0, 1] {
            let mut side = Side::new(victim, talk.terms, Bugs::NONE);
            let sent = &talk.sent[1 - victim];
            let mut bytes = sent.setup.clone();
            bytes.extend(talk.framed(&sent.ulpdus).concat());
            feed(&mut side, &mut Random::new(victim as u64), &bytes, |_| {});
            let done = std::iter::from_fn(|| side.connection.poll_completion());
            let (well, badly): (Vec<_>, Vec<_>) = done.partition(|it| it.result.is_ok());
            assert!(well.len() > 4 && badly.is_empty(), "{:?}: {badly:?}", talk.terms);
        }
    }
}

/// Carries out a case at a side with these bugs of memory. Returns whether the side found a violation,
/// and what was harmed.
fn carry_out(case: u64, talks: &[Talk], bugs: Bugs) -> (bool, Option<&'static str>) {
    let mut random = Random::new(case);
    let talk = &talks[random.under(talks.len())];
    let victim = random.under(2);
    let mut side = Side::new(victim, talk.terms, bugs);
    let bytes = changed(&mut random, talk, victim, &side);
    let mut neighbours = PATTERN.clone();
    if case.is_multiple_of(16) {
        let mut neighbour = Neighbour::new(side.tags.neighbours);
        neighbour.works(&mut side.memory);
        let mut turns = 0;
        feed(&mut side, &mut random, &bytes, |side| {
            turns += 1;
            if turns < 4 {
                neighbour.works(&mut side.memory);
            }
        });
        neighbour.works(&mut side.memory);
        neighbours[4..68].fill((neighbour.rounds - 1) as u8 ^ 0xa5);
    } else {
        // In some cases either side closes on the way.
        let (mut closes, often) = (Random::new(!case), if case % 8 == 1 { 20 } else { usize::MAX });
        feed(&mut side, &mut random, &bytes, |side| match closes.under(often) {
            0 => side.connection.finish(),
            1 => side.connection.handle_finish(Duration::ZERO),
            _ => {}
        });
    }
    (judge(&mut side, case), side.harm(&neighbours))
}

/// No panic; bounded answers, events and state; each work request ends once; nothing is written but
/// what was granted; a stream beside it works on.
#[test]
fn changed_talks_do_no_harm() {
    let cases = std::env::var(VARIABLE).ok().and_then(|it| it.parse().ok()).unwrap_or(SAMPLE);
    let talks = talks();
    let mut refused = 0;
    for case in 0..cases {
        let (found, harmed) = carry_out(case, &talks, Bugs::NONE);
        assert_eq!(harmed, None, "case {case}");
        refused += u64::from(found);
    }
    println!("{cases} cases: {refused} refused");
    // Were hardly any refused, or all, the changes would be of no use.
    assert!(refused > cases / 2 && refused < cases, "{refused} of {cases}");
}

/// The cases get as far as memory: what does not judge accesses is found out.
#[test]
fn harm_is_seen() {
    let talks = talks();
    // It begins with the first case that shows it: there are many before.
    for (bug, place, first) in [
        ("bounds-unchecked", "after the window", 1693),
        ("protection-domain-unchecked", "memory of another Protection Domain", 48_010),
    ] {
        let bugs: Bugs = bug.parse().unwrap();
        // Cases without a neighbour: it would be disturbed first.
        let mut cases = (first..first + 60_000).filter(|case| case % 16 != 0);
        let seen = cases.any(|case| carry_out(case, &talks, bugs).1 == Some(place));
        assert!(seen, "{bug}: nothing was seen {place}");
    }
}
