//! Display filters: any text compiles or is refused with a place in it; and what compiles says the same
//! as a slow evaluator that walks what the text was written from.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use warpscope_dissector::field::{Field, find};
use warpscope_dissector::filter::{Filter, complete};
use warpscope_dissector::tree::{Location, Tree, Value};

/// Unsigned fields, with their most.
const FIELDS: [(&str, u64); 5] = [
    ("tcp.srcport", 0xffff),
    ("iwarp_ddp.msn", 0xffff_ffff),
    ("iwarp_ddp.mo", 0xffff_ffff),
    ("iwarp_ddp.tagged_offset", u64::MAX),
    ("iwarp_rdma.opcode", 0xf),
];

#[derive(Debug, Arbitrary)]
enum Test {
    Exists(u8),
    Compare { field: u8, relation: u8, number: u64, all: u8, hexadecimal: bool },
    In { field: u8, ranges: Vec<(u64, u64)>, not: bool },
    Masked { field: u8, mask: u64, number: u64 },
    Count { field: u8, number: u8 },
    Not(Box<Test>, bool),
    Both(Box<Test>, Box<Test>, u8),
}

#[derive(Debug, Arbitrary)]
struct Input {
    values: Vec<(u8, u64)>,
    test: Test,
    text: String,
    cursor: usize,
}

fn field(number: u8) -> (&'static str, u64) {
    FIELDS[usize::from(number) % FIELDS.len()]
}

const RELATIONS: [&str; 10] = ["==", "!=", "<", "<=", ">", ">=", "===", "!==", "eq", "gt"];

fn holds(relation: &str, one: u64, other: u64) -> bool {
    match relation {
        "==" | "===" | "eq" => one == other,
        "!=" | "!==" => one != other,
        "<" => one < other,
        "<=" => one <= other,
        ">" | "gt" => one > other,
        _ => one >= other,
    }
}

impl Test {
    fn write(&self, out: &mut String, depth: u32) {
        if depth > 20 {
            return out.push_str("tcp.srcport");
        }
        match self {
            Self::Exists(name) => out.push_str(field(*name).0),
            Self::Compare { field: name, relation, number, all, hexadecimal } => {
                let (name, most) = field(*name);
                let relation = RELATIONS[usize::from(*relation) % RELATIONS.len()];
                let number = number & most;
                out.push_str(["", "", "any ", "all "][usize::from(all & 3)]);
                match hexadecimal {
                    true => out.push_str(&format!("{name} {relation} {number:#x}")),
                    false => out.push_str(&format!("{name} {relation} {number}")),
                }
            }
            Self::In { field: name, ranges, not } => {
                let (name, most) = field(*name);
                let word = if *not { "not in" } else { "in" };
                let ranges = ranges.iter().take(8).map(|(from, to)| {
                    let (from, to) = (from & most, to & most);
                    if from == to { format!("{from}") } else { format!("{}..{}", from.min(to), from.max(to)) }
                });
                let ranges: Vec<String> = ranges.chain(["7".to_owned()]).collect();
                out.push_str(&format!("{name} {word} {{{}}}", ranges.join(", ")));
            }
            Self::Masked { field: name, mask, number } => {
                let (name, most) = field(*name);
                out.push_str(&format!("{name} & {} == {}", mask & most, number & most));
            }
            Self::Count { field: name, number } => {
                out.push_str(&format!("count({}) > {number}", field(*name).0));
            }
            Self::Not(test, word) => {
                out.push_str(if *word { "not (" } else { "!(" });
                test.write(out, depth + 1);
                out.push(')');
            }
            Self::Both(one, other, how) => {
                out.push('(');
                one.write(out, depth + 1);
                out.push_str([") and (", ") && (", ") or (", ") || (", ") xor (", ") ^^ ("][usize::from(how % 6)]);
                other.write(out, depth + 1);
                out.push(')');
            }
        }
    }

    fn holds(&self, values: &[(&'static str, u64)], depth: u32) -> bool {
        let of = |wanted: u8| {
            let name = field(wanted).0;
            values.iter().filter(move |(it, _)| *it == name).map(|(_, value)| *value)
        };
        if depth > 20 {
            return of(0).next().is_some();
        }
        match self {
            Self::Exists(name) => of(*name).next().is_some(),
            Self::Compare { field: name, relation, number, all, .. } => {
                let number = number & field(*name).1;
                let relation = RELATIONS[usize::from(*relation) % RELATIONS.len()];
                // `!=` and `===` are of all values, if nothing else is said (Wireshark 4).
                let every = match all & 3 {
                    2 => false,
                    3 => true,
                    _ => matches!(relation, "!=" | "==="),
                };
                let mut fits = of(*name).map(|value| holds(relation, value, number));
                match every {
                    true => of(*name).next().is_some() && fits.all(|it| it),
                    false => fits.any(|it| it),
                }
            }
            Self::In { field: name, ranges, not } => {
                let most = field(*name).1;
                let within = |value: u64| {
                    value == 7
                        || ranges.iter().take(8).any(|(from, to)| {
                            let (from, to) = (from & most, to & most);
                            (from.min(to)..=from.max(to)).contains(&value)
                        })
                };
                match not {
                    true => !of(*name).any(within),
                    false => of(*name).any(within),
                }
            }
            Self::Masked { field: name, mask, number } => {
                let most = field(*name).1;
                of(*name).any(|value| value & mask & most == number & most)
            }
            Self::Count { field: name, number } => of(*name).count() > usize::from(*number),
            Self::Not(test, _) => !test.holds(values, depth + 1),
            Self::Both(one, other, how) => {
                let (one, other) = (one.holds(values, depth + 1), other.holds(values, depth + 1));
                match how % 6 {
                    0 | 1 => one && other,
                    2 | 3 => one || other,
                    _ => one != other,
                }
            }
        }
    }
}

fuzz_target!(|input: Input| {
    let values: Vec<(&'static str, u64)> = input
        .values
        .iter()
        .take(12)
        .map(|(name, value)| (field(*name).0, value & field(*name).1))
        .collect();
    let mut tree = Tree::default();
    for (name, value) in &values {
        let known: &'static Field = find(name).unwrap();
        tree.push(1, known, Value::Unsigned(*value), Location::default());
    }
    let mut text = String::new();
    input.test.write(&mut text, 0);
    match Filter::parse(&text) {
        Ok(filter) => {
            assert_eq!(filter.matches(&tree), input.test.holds(&values, 0), "{text} of {values:?}");
        }
        Err(error) => panic!("{text}: {}", error.render()),
    }
    match Filter::parse(&input.text) {
        Ok(filter) => {
            filter.matches(&tree);
        }
        Err(error) => {
            assert!(input.text.get(error.span.clone()).is_some(), "{:?}", input.text);
            assert!(!error.render().is_empty());
        }
    }
    let span = complete(&input.text, input.cursor % 64).span;
    assert!(input.text.get(span).is_some(), "{:?}", input.text);
});
