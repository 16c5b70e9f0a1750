//! The relay: what goes in comes out, in the pieces and at the times that the impairments allow.

use super::impairment::Impairment;
use super::{Impairments, Relay, Step};
use proptest::prelude::*;
use std::ops::Range;
use std::time::Duration;
use warpscope_wire::mpa::{REPLY_KEY, REQUEST_KEY, append_fpdu};

/// The flags of a setup frame (RFC 5044 section 7.1.1): M, which asks for markers, and C.
const MARKERS: u8 = 0x80;
const CRC: u8 = 0x40;

/// What came out of a direction.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Out {
    pieces: Vec<(Duration, Vec<u8>)>,
    finished: Option<Duration>,
    reset: Option<Duration>,
}

impl Out {
    fn bytes(&self) -> Vec<u8> {
        self.pieces.iter().flat_map(|(_, piece)| piece.clone()).collect()
    }

    /// Bytes before each end of a piece, the last one left out.
    fn cuts(&self) -> Vec<usize> {
        let lengths = self.pieces.iter().map(|(_, piece)| piece.len());
        let end = |at: &mut usize, length| {
            *at += length;
            Some(*at)
        };
        let mut ends: Vec<usize> = lengths.scan(0, end).collect();
        ends.pop();
        ends
    }
}

/// A relay, with the time, and what came out by the side that sent it.
struct Play {
    relay: Relay,
    now: Duration,
    out: [Out; 2],
}

impl Play {
    fn new(wanted: Impairments, seed: u64) -> Self {
        let relay = Relay::new(wanted, seed, 1);
        Self { relay, now: Duration::ZERO, out: Default::default() }
    }

    /// Does what is due now.
    fn turn(&mut self) {
        for from in [0, 1] {
            let out = &mut self.out[usize::from(from)];
            loop {
                match self.relay.step(self.now, from) {
                    Step::Bytes(bytes) => {
                        assert!(!bytes.is_empty());
                        let count = bytes.len();
                        out.pieces.push((self.now, bytes.to_vec()));
                        self.relay.went(self.now, from, count);
                    }
                    Step::Finish => {
                        assert_eq!(out.finished.replace(self.now), None, "reported once");
                        self.relay.has_finished(from);
                    }
                    Step::Reset => {
                        assert_eq!(out.reset.replace(self.now), None, "reported once");
                        self.relay.has_reset();
                    }
                    Step::Nothing => break,
                }
            }
        }
    }

    fn takes(&mut self, from: u8, bytes: &[u8]) {
        self.relay.received(self.now, from, bytes);
        self.turn();
    }

    /// Does all that is due up to this time.
    fn goes_on(&mut self, until: Duration) {
        while let Some(due) =
            self.relay.due().into_iter().flatten().min().filter(|due| *due <= until)
        {
            assert!(due > self.now, "what is due is done: {due:?} at {:?}", self.now);
            self.now = due;
            self.turn();
        }
    }

    /// Lets this time pass.
    fn passes(&mut self, time: Duration) {
        let until = self.now + time;
        self.goes_on(until);
        self.now = until;
    }

    /// Lets time pass until nothing is due any more.
    fn settles(&mut self) {
        self.goes_on(Duration::MAX);
    }
}

fn only(impairment: Impairment) -> Impairments {
    [impairment].into_iter().collect()
}

fn setup(key: &[u8; 16], flags: u8, private_data: usize) -> Vec<u8> {
    let length = u16::try_from(private_data).unwrap().to_be_bytes();
    [&key[..], &[flags, 1], &length, &vec![0xda; private_data]].concat()
}

fn reply(flags: u8) -> Vec<u8> {
    setup(REPLY_KEY, flags, 0)
}

/// The bytes of the connecting side: a request with 30 bytes of private data, and FPDUs; with the
/// places of these.
fn request_and(lengths: &[usize], markers: bool) -> (Vec<u8>, Vec<Range<usize>>) {
    let mut full = Vec::new();
    let mut places = Vec::new();
    for (number, length) in lengths.iter().enumerate() {
        let begin = full.len();
        let position = markers.then_some(begin as u64);
        let ulpdu: Vec<u8> = (0..*length).map(|at| (at * 7 + number) as u8).collect();
        append_fpdu(&mut full, position, &[&ulpdu], true).unwrap();
        places.push(SETUP + begin..SETUP + full.len());
    }
    ([setup(REQUEST_KEY, CRC, SETUP - 20), full].concat(), places)
}

const SETUP: usize = 50;

/// Lengths of ULPDUs around everything that matters to them.
const LENGTHS: [usize; 9] = [100, 1, 1442, 18, 14, 5000, 484, 600, 2];

#[test]
fn nothing_is_cut_or_held_where_nothing_is_asked_for() {
    let (bytes, _) = request_and(&LENGTHS, false);
    let mut play = Play::new(Impairments::default(), 1);
    for piece in [&bytes[..1], &bytes[1..70], &bytes[70..]] {
        play.takes(0, piece);
    }
    assert_eq!(play.relay.due(), [None, None]);
    assert_eq!(play.out[0].cuts(), [1, 70]);
    assert_eq!(play.out[0].bytes(), bytes);
    assert!(play.out[0].pieces.iter().all(|(time, _)| time.is_zero()));
}

/// Where an FPDU's bytes of this kind are, by RFC 5044 sections 4.1 and 4.3; written down without the
/// relay's own notion of it: every byte is looked at.
fn field(kind: Impairment, unit: &Range<usize>, markers: bool) -> Vec<Range<usize>> {
    let in_marker = |at: usize| markers && (at - SETUP) % 512 < 4;
    let content: Vec<usize> = unit.clone().filter(|at| !in_marker(*at)).collect();
    let header = content.len().saturating_sub(4).min(16);
    let one = match kind {
        Impairment::CutLength => content[0]..content[1] + 1,
        Impairment::CutHeader => content[2]..content[header - 1] + 1,
        Impairment::CutCrc => unit.end - 4..unit.end,
        Impairment::CutMarker => {
            let starts = unit.clone().filter(|at| markers && (at - SETUP).is_multiple_of(512));
            return starts.map(|start| start..start + 4).collect();
        }
        _ => unit.clone(),
    };
    vec![one]
}

#[test]
fn cuts_fall_where_their_names_say() {
    let cuts: Impairments = "cuts".parse().unwrap();
    for (kind, markers) in cuts.iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let (bytes, places) = request_and(&LENGTHS, markers);
        for seed in 0..20 {
            let mut play = Play::new(only(kind), seed);
            play.takes(1, &reply(if markers { MARKERS } else { 0 }));
            play.takes(0, &bytes);
            play.settles();
            assert_eq!(play.out[0].bytes(), bytes);
            let cuts = play.out[0].cuts();
            let within = |field: &Range<usize>| {
                let cuts = cuts.iter().filter(|at| (field.start + 1..field.end).contains(at));
                cuts.count()
            };
            let mut expected = 0;
            for unit in &places {
                let fields = field(kind, unit, markers);
                let found: usize = fields.iter().map(within).sum();
                assert_eq!(found, within(unit), "{kind:?} {unit:?} {fields:?} {cuts:?}");
                let most = if kind == Impairment::CutAnywhere { 3 } else { 1 };
                let least = usize::from(!fields.is_empty());
                assert!((least..=most).contains(&found), "{kind:?} {unit:?} {cuts:?}");
                expected += found;
            }
            // Of the setup frame: PD_Length, or what is before it.
            let front = match kind {
                Impairment::CutLength => Some(18..20),
                Impairment::CutHeader => Some(0..18),
                Impairment::CutAnywhere => Some(0..SETUP),
                _ => None,
            };
            let found = within(&(0..SETUP));
            assert_eq!(found, front.as_ref().map_or(0, within), "{kind:?} {cuts:?}");
            assert_eq!(found > 0, front.is_some(), "{kind:?} {cuts:?}");
            assert_eq!(play.relay.counts()[0].used(kind) as usize, expected + found, "{kind:?}");
        }
    }
}

#[test]
fn one_byte_is_one_byte() {
    let (bytes, _) = request_and(&[100, 40], false);
    let mut play = Play::new(only(Impairment::OneByte), 3);
    play.takes(0, &bytes);
    assert_eq!(play.out[0].bytes(), bytes);
    assert!(play.out[0].pieces.iter().all(|(time, piece)| time.is_zero() && piece.len() == 1));
}

#[test]
fn units_are_joined_and_do_not_wait_long() {
    let lengths = [200; 40];
    let (bytes, places) = request_and(&lengths, false);
    let mut play = Play::new(only(Impairment::Coalesce), 5);
    play.takes(0, &bytes[..SETUP]);
    assert_eq!(play.out[0].bytes(), bytes[..SETUP], "a setup frame goes by itself, and at once");
    for unit in &places {
        play.takes(0, &bytes[unit.clone()]);
        play.passes(Duration::from_millis(1));
    }
    play.settles();
    assert_eq!(play.out[0].bytes(), bytes);
    let sizes: Vec<usize> =
        play.out[0].pieces[1..].iter().map(|(_, piece)| piece.len() / 208).collect();
    assert_eq!(sizes.iter().sum::<usize>(), lengths.len(), "whole FPDUs: {sizes:?}");
    assert!(sizes.iter().all(|size| (1..=8).contains(size)), "{sizes:?}");
    assert!(sizes.iter().any(|size| *size > 2), "{sizes:?}");
    // The first of a group has waited longest.
    let mut at = 0;
    for ((time, _), size) in play.out[0].pieces[1..].iter().zip(&sizes) {
        let came = Duration::from_millis(at);
        assert!(*time <= came + Duration::from_millis(20), "{time:?} {came:?}");
        at += *size as u64;
    }
}

#[test]
fn pauses_are_short() {
    let (bytes, places) = request_and(&[100; 200], false);
    let mut play = Play::new(only(Impairment::Delays), 9);
    play.takes(0, &bytes);
    play.settles();
    assert_eq!(play.out[0].bytes(), bytes);
    let ends: Vec<usize> = places.iter().map(|unit| unit.start).collect();
    assert!(play.out[0].cuts().iter().all(|at| ends.contains(at)), "between units alone");
    let counts = &play.relay.counts()[0];
    let pauses = pauses(&play.out[0]);
    let long: Vec<_> = pauses.iter().filter(|pause| !pause.is_zero()).collect();
    assert!(long.iter().all(|pause| **pause <= Duration::from_millis(30)), "{long:?}");
    assert_eq!(counts.used(Impairment::Delays) as usize, long.len());
    assert_eq!(counts.paused, long.iter().copied().sum());
    // One in eight of 200.
    assert!((10..=45).contains(&long.len()), "{long:?}");
}

/// What passed between pieces.
fn pauses(out: &Out) -> Vec<Duration> {
    let mut before = Duration::ZERO;
    out.pieces.iter().map(|(time, _)| *time - std::mem::replace(&mut before, *time)).collect()
}

#[test]
fn a_run_can_be_repeated() {
    let (bytes, _) = request_and(&LENGTHS, true);
    let run = |seed, connection, chunk: usize| {
        let mut play = Play::new(Impairments::all(), seed);
        play.relay = Relay::new(Impairments::all(), seed, connection);
        play.takes(1, &reply(MARKERS));
        for bytes in bytes.chunks(chunk) {
            play.takes(0, bytes);
        }
        play.settles();
        assert_eq!(play.out[0].bytes(), bytes);
        (play.out[0].clone(), play.relay.counts())
    };
    assert_eq!(run(7, 1, bytes.len()), run(7, 1, bytes.len()));
    assert_ne!(run(7, 1, bytes.len()).0, run(8, 1, bytes.len()).0, "the seed counts");
    assert_ne!(run(7, 1, bytes.len()).0, run(7, 2, bytes.len()).0, "the connection counts");
    // However the bytes came, the same cuts are made.
    let (whole, pieces) = (run(7, 1, bytes.len()).1, run(7, 1, 100).1);
    for cut in "cuts,delays,one-byte".parse::<Impairments>().unwrap().iter() {
        assert_eq!(whole[0].used(cut), pieces[0].used(cut), "{cut:?}");
    }
}

#[test]
fn what_is_no_mpa_is_relayed_at_once() {
    for seed in 0..20 {
        let mut play = Play::new("cuts,one-byte".parse().unwrap(), seed);
        let bytes = [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 4000]].concat();
        play.takes(0, &bytes);
        play.passes(Duration::from_millis(9));
        assert_eq!(play.out[0].bytes(), bytes, "three units with three rests of 1 ms at most");
    }
}

#[test]
fn the_front_of_a_unit_does_not_wait_for_what_says_its_length() {
    let (bytes, places) = request_and(&[100, 200], false);
    let mut play = Play::new(only(Impairment::CutCrc), 2);
    play.takes(0, &bytes[..5]);
    assert_eq!(play.out[0].pieces.len(), 0);
    play.passes(Duration::from_millis(20));
    assert_eq!(play.out[0].bytes(), bytes[..5]);
    // One byte of the length word, and the next a second later.
    play.takes(0, &bytes[5..SETUP + 1]);
    play.passes(Duration::from_secs(1));
    assert_eq!(play.out[0].bytes(), bytes[..SETUP + 1]);
    play.takes(0, &bytes[SETUP + 1..]);
    play.settles();
    assert_eq!(play.out[0].bytes(), bytes);
    let cuts = play.out[0].cuts();
    for unit in places {
        let crc = unit.end - 3..unit.end;
        assert_eq!(cuts.iter().filter(|at| crc.contains(at)).count(), 1, "{cuts:?}");
    }
}

#[test]
fn no_more_is_read_than_is_sent_on() {
    for wanted in [Impairments::default(), Impairments::all(), only(Impairment::OneByte)] {
        let mut relay = Relay::new(wanted, 1, 1);
        let (bytes, _) = request_and(&[1000; 2000], false);
        let mut taken = 0;
        for piece in bytes.chunks(1 << 16) {
            if !relay.has_room(0) {
                break;
            }
            relay.received(Duration::ZERO, 0, piece);
            taken += piece.len();
        }
        assert!(!relay.has_room(0), "{wanted}: a limit is reached");
        assert!(taken <= (256 + 64) << 10, "{wanted}: {taken}");
        assert!(relay.has_room(1), "the other direction goes on");
        let mut play = Play { relay, ..Play::new(wanted, 1) };
        play.turn();
        play.settles();
        assert!(play.relay.has_room(0));
        assert_eq!(play.out[0].bytes(), bytes[..taken]);
    }
}

#[test]
fn a_direction_is_closed_behind_its_last_byte_and_the_other_goes_on() {
    for wanted in [Impairments::default(), Impairments::all()] {
        let (bytes, _) = request_and(&LENGTHS, false);
        let mut play = Play::new(wanted, 4);
        play.takes(0, &bytes);
        // Bytes of an FPDU that was never finished go too.
        play.takes(0, &[0]);
        play.relay.finished(0);
        play.turn();
        play.settles();
        assert_eq!(play.out[0].bytes(), [&bytes[..], &[0]].concat());
        let last = play.out[0].pieces.last().unwrap().0;
        assert!(play.out[0].finished.unwrap() >= last);
        assert!(!play.relay.is_over());
        play.takes(1, &reply(0));
        play.settles();
        assert_eq!(play.out[1].bytes(), reply(0));
        assert_eq!(play.out[1].finished, None);
        play.relay.finished(1);
        play.turn();
        assert!(play.out[1].finished.is_some() && play.relay.is_over());
    }
}

#[test]
fn a_reset_comes_behind_what_was_sent_before_and_without_pauses() {
    let (bytes, _) = request_and(&[300; 60], false);
    let mut play = Play::new(Impairments::all(), 6);
    play.relay.received(play.now, 1, &reply(0));
    play.relay.received(play.now, 0, &bytes);
    play.relay.lost(0);
    assert!(play.relay.is_lost() && !play.relay.has_room(1));
    play.turn();
    assert_eq!(play.out[0].bytes(), bytes);
    assert_eq!((play.out[0].reset, play.out[0].finished), (Some(Duration::ZERO), None));
    assert_eq!(play.out[1], Out::default(), "nothing goes to who is lost");
    assert!(play.relay.is_over());
}

#[test]
fn when_both_are_lost_nothing_is_left_to_be_done() {
    let mut relay = Relay::new(Impairments::all(), 1, 1);
    relay.received(Duration::ZERO, 0, &request_and(&[300], false).0);
    relay.lost(0);
    relay.lost(0);
    assert!(!relay.is_over());
    relay.lost(1);
    assert!(relay.is_over());
}

/// How a side's bytes come: so many, after so many milliseconds.
fn chunks() -> impl Strategy<Value = Vec<(usize, u64)>> {
    let wait = prop_oneof![3 => Just(0), 1 => 0..60_u64];
    prop::collection::vec((1..3000_usize, wait), 1..12)
}

fn impairments() -> impl Strategy<Value = Impairments> {
    prop::sample::subsequence(Impairment::ALL.to_vec(), 0..=Impairment::ALL.len())
        .prop_map(|list| list.into_iter().collect())
}

/// Plays both sides' bytes in the pieces that `chunks` says, over and over.
fn relayed(play: &mut Play, streams: [&[u8]; 2], chunks: &[(usize, u64)]) {
    let mut rest = streams;
    for (turn, (size, wait)) in chunks.iter().cycle().enumerate() {
        let from = turn % 2;
        let (piece, behind) = rest[from].split_at((*size).min(rest[from].len()));
        rest[from] = behind;
        if !piece.is_empty() {
            play.takes(from as u8, piece);
        }
        play.passes(Duration::from_millis(*wait));
        if rest.iter().all(|rest| rest.is_empty()) {
            break;
        }
    }
    play.relay.finished(0);
    play.relay.finished(1);
    play.turn();
    play.settles();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever is asked for, and however the bytes come: they go on, all of them, in order; no pause
    /// is longer than one between units and a rest after a cut; and the ends come.
    #[test]
    fn bytes_come_out_as_they_went_in(
        wanted in impairments(),
        seed in any::<u64>(),
        lengths in prop::collection::vec(0..2000_usize, 0..20),
        flags in any::<[bool; 2]>(),
        damage in prop::collection::vec(any::<(usize, u8)>(), 0..4),
        chunks in chunks(),
    ) {
        let bits = flags.map(|markers| if markers { MARKERS } else { 0 });
        let (mut first, _) = request_and(&lengths, flags[1]);
        first[16] |= bits[0];
        let mut second = reply(bits[1]);
        append_fpdu(&mut second, flags[0].then_some(0), &[&[7; 900]], true).unwrap();
        for (at, byte) in damage {
            let at = at % first.len();
            first[at] = byte;
        }
        let mut play = Play::new(wanted, seed);
        relayed(&mut play, [&first, &second], &chunks);
        prop_assert_eq!(play.out[0].bytes(), first);
        prop_assert_eq!(play.out[1].bytes(), second);
        prop_assert!(play.relay.is_over());
        prop_assert!(play.out.iter().all(|out| out.finished.is_some() && out.reset.is_none()));
    }

    /// Bytes that mean nothing are bytes all the same.
    #[test]
    fn any_bytes_are_relayed(
        wanted in impairments(),
        seed in any::<u64>(),
        streams in any::<[Vec<u8>; 2]>(),
        key in any::<bool>(),
        chunks in chunks(),
    ) {
        let [first, second] = streams;
        let front = if key { &REQUEST_KEY[..] } else { &[] };
        let first = [front, &first].concat();
        let mut play = Play::new(wanted, seed);
        relayed(&mut play, [&first, &second], &chunks);
        prop_assert_eq!(play.out[0].bytes(), first);
        prop_assert_eq!(play.out[1].bytes(), second);
    }

    /// No byte waits for longer than a pause for every unit before it, and the time that units are
    /// held; all at once as a burst.
    #[test]
    fn delays_are_bounded(wanted in impairments(), seed in any::<u64>(), units in 1..30_usize) {
        let (bytes, _) = request_and(&vec![500; units], false);
        let mut play = Play::new(wanted, seed);
        play.takes(0, &bytes);
        play.settles();
        for pause in pauses(&play.out[0]) {
            // A pause, a rest after a cut, and what the last units are held.
            prop_assert!(pause <= Duration::from_millis(30 + 1 + 20), "{:?}", pause);
        }
    }
}
