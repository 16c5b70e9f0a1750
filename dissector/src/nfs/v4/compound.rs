//! The COMPOUND procedure: a list of operations, each with its number in front (RFC 8881 section 16.2).

use super::{callbacks, copies, files, layouts, sessions};
use crate::field::Field;
use crate::field::nfs::v4 as fields;
use crate::nfs::Datum;
use crate::nfs::layout::Pair;
use crate::nfs::shape::Item::{Call, Text, Word};
use crate::nfs::shape::Items;
use crate::nfs::walker::{Walked, Walker};

/// One operation: its number, arguments and results; the results begin with the status.
pub(super) type Operation = (u32, Items, Items);

/// NULL and COMPOUND.
pub(in crate::nfs) const PROCEDURES: &[Pair] = &[
    (&[], &[]),
    (
        &[Text(&fields::TAG), Word(&fields::MINOR_VERSION), Call(arguments)],
        &[Call(status), Text(&fields::TAG), Call(results)],
    ),
];

/// CB_NULL and CB_COMPOUND.
pub(in crate::nfs) const CALLBACKS: &[Pair] = &[
    (&[], &[]),
    (
        &[
            Text(&fields::TAG),
            Word(&fields::MINOR_VERSION),
            Word(&fields::CALLBACK_IDENT),
            Call(callback_arguments),
        ],
        &[Call(status), Text(&fields::TAG), Call(callback_results)],
    ),
];

/// Which of the two an operation's layout is taken from.
type Half = fn(&Operation) -> Items;

fn status(walker: &mut Walker<'_, '_>) -> Walked {
    walker.status(&fields::STATUS).map(drop)
}

fn arguments(walker: &mut Walker<'_, '_>) -> Walked {
    forward(walker, |operation| operation.1)
}

fn results(walker: &mut Walker<'_, '_>) -> Walked {
    forward(walker, |operation| operation.2)
}

fn callback_arguments(walker: &mut Walker<'_, '_>) -> Walked {
    operations(walker, &fields::CALLBACK_OPERATION, callback, |operation| operation.1).map(drop)
}

fn callback_results(walker: &mut Walker<'_, '_>) -> Walked {
    operations(walker, &fields::CALLBACK_OPERATION, callback, |operation| operation.2).map(drop)
}

fn forward(walker: &mut Walker<'_, '_>, half: Half) -> Walked {
    let main = operations(walker, &fields::OPERATION, operation, half)?;
    for number in main.iter().flatten() {
        walker.derive(&fields::MAIN_OPERATION, Datum::Number(u64::from(*number)));
    }
    Ok(())
}

/// The most operations of a compound that are told to be what it is about.
const MOST_MAIN: usize = 16;

/// Goes over the operations; returns the numbers of those that the compound is about.
fn operations(
    walker: &mut Walker<'_, '_>,
    field: &'static Field,
    find: fn(u32) -> Option<&'static Operation>,
    half: Half,
) -> Walked<[Option<u32>; MOST_MAIN]> {
    let count = walker.word(&fields::OPERATIONS_COUNT)?;
    let (mut main, mut mains, mut best) = ([None; MOST_MAIN], 0, u8::MAX);
    walker.beneath(|walker| {
        walker.times(count, |walker| {
            let number = walker.word(field)?;
            let operation = find(number).ok_or_else(|| walker.undecided(field, number.into()))?;
            let tier = tier(number);
            if tier < best {
                (best, mains, main) = (tier, 0, [None; MOST_MAIN]);
            }
            if let (true, Some(place)) = (tier == best, main.get_mut(mains)) {
                *place = Some(number);
                mains += 1;
            }
            walker.beneath(|walker| walker.items(half(operation)))
        })
    })?;
    Ok(main)
}

/// How likely a compound is about an operation: the lower, the likelier. The others go along with it.
fn tier(operation: u32) -> u8 {
    match operation {
        // ACCESS, NVERIFY
        3 | 17 => 2,
        // GETATTR, PUTPUBFH, PUTROOTFH
        9 | 23 | 24 => 3,
        // GETFH, PUTFH, RESTOREFH, SAVEFH, SEQUENCE
        10 | 22 | 31 | 32 | 53 => 4,
        _ => 1,
    }
}

fn operation(number: u32) -> Option<&'static Operation> {
    [files::OPERATIONS, sessions::OPERATIONS, layouts::OPERATIONS, copies::OPERATIONS]
        .iter()
        .flat_map(|table| table.iter())
        .find(|(of, ..)| *of == number)
}

fn callback(number: u32) -> Option<&'static Operation> {
    callbacks::OPERATIONS.iter().find(|(of, ..)| *of == number)
}
