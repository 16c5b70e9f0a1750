//! The ways in which a stream is impaired.

use std::fmt;
use std::str::FromStr;

/// A way in which a stream is impaired. TCP guarantees the order, but not pieces or times, so a stack must
/// tolerate all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Impairment {
    /// A cut within ULPDU_Length, or PD_Length of a setup frame.
    CutLength,
    /// A cut within the DDP and RDMAP header, or the header of a setup frame.
    CutHeader,
    CutMarker,
    CutCrc,
    CutAnywhere,
    /// Each byte by itself.
    OneByte,
    Delays,
    /// Several FPDUs in one piece.
    Coalesce,
}

impl Impairment {
    pub(crate) const ALL: [Self; 8] = [
        Self::CutLength,
        Self::CutHeader,
        Self::CutMarker,
        Self::CutCrc,
        Self::CutAnywhere,
        Self::OneByte,
        Self::Delays,
        Self::Coalesce,
    ];

    pub(super) const CUTS: [Self; 5] =
        [Self::CutLength, Self::CutHeader, Self::CutMarker, Self::CutCrc, Self::CutAnywhere];

    /// Returns its name on a command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CutLength => "cut-length",
            Self::CutHeader => "cut-header",
            Self::CutMarker => "cut-marker",
            Self::CutCrc => "cut-crc",
            Self::CutAnywhere => "cut-anywhere",
            Self::OneByte => "one-byte",
            Self::Delays => "delays",
            Self::Coalesce => "coalesce",
        }
    }

    /// Returns what it does, in a few words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::CutLength => "within a length word",
            Self::CutHeader => "within a header",
            Self::CutMarker => "within a marker",
            Self::CutCrc => "within a CRC",
            Self::CutAnywhere => "anywhere",
            Self::OneByte => "every byte by itself",
            Self::Delays => "pauses",
            Self::Coalesce => "FPDUs joined",
        }
    }
}

/// Names that stand for several impairments.
const SUMS: [(&str, &[Impairment]); 3] =
    [("none", &[]), ("cuts", &Impairment::CUTS), ("all", &Impairment::ALL)];

/// The requested impairments; none by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Impairments(u16);

impl Impairments {
    /// Returns all impairments.
    pub fn all() -> Self {
        Impairment::ALL.into_iter().collect()
    }

    /// Whether there is none.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, impairment: Impairment) -> bool {
        self.0 & bit(impairment) != 0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Impairment> {
        Impairment::ALL.into_iter().filter(move |it| self.has(*it))
    }
}

fn bit(impairment: Impairment) -> u16 {
    let place = Impairment::ALL.iter().position(|it| *it == impairment);
    place.map_or(0, |place| 1 << place)
}

impl FromIterator<Impairment> for Impairments {
    fn from_iter<T: IntoIterator<Item = Impairment>>(impairments: T) -> Self {
        Self(impairments.into_iter().fold(0, |bits, it| bits | bit(it)))
    }
}

impl FromStr for Impairments {
    type Err = String;

    /// Parses names separated by commas. The error gives the unknown name and the known ones.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut found = Self::default();
        for name in text.split(',').map(str::trim) {
            let sum = SUMS.iter().find(|(sum, _)| *sum == name).map(|(_, parts)| *parts);
            let one = Impairment::ALL.into_iter().find(|it| it.name() == name);
            let several: Self = match (sum, one) {
                (Some(parts), _) => parts.iter().copied().collect(),
                (None, Some(one)) => Self(bit(one)),
                (None, None) => {
                    let sums = SUMS.iter().map(|(name, _)| *name);
                    let all: Vec<&str> =
                        sums.chain(Impairment::ALL.map(Impairment::name)).collect();
                    let near = warpscope_text::suggest(name, all.iter().copied());
                    let near = near.map(|near| format!(", did you mean {near}?"));
                    let near = near.unwrap_or_default();
                    return Err(format!(
                        "{name:?} is not an impairment{near}; expected one of {}",
                        all.join(", ")
                    ));
                }
            };
            found.0 |= several.0;
        }
        Ok(found)
    }
}

impl fmt::Display for Impairments {
    /// Formats the shortest list that is parsed as the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cuts, all): (Self, Self) = (Impairment::CUTS.into_iter().collect(), Self::all());
        let mut names = Vec::new();
        if self.is_none() {
            names.push("none");
        } else if *self == all {
            names.push("all");
        } else {
            let whole = self.0 & cuts.0 == cuts.0;
            names.extend(whole.then_some("cuts"));
            let rest = self.iter().filter(|it| !(whole && cuts.has(*it)));
            names.extend(rest.map(Impairment::name));
        }
        f.pad(&names.join(","))
    }
}

/// A source of random numbers.
#[derive(Debug, Clone)]
pub(super) struct Draw(u64);

/// What the random numbers of a direction depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) seed: u64,
    /// The connection's number.
    pub(super) connection: u64,
    pub(super) side: u8,
}

impl Draw {
    /// Returns the source for the unit of this number in a direction. It depends on nothing else, so that
    /// neither time nor previous numbers change it.
    pub(super) fn of(origin: Origin, unit: u64) -> Self {
        let mut state = 0;
        for part in [origin.seed, origin.connection, u64::from(origin.side), unit] {
            state = mixed(state ^ part);
        }
        Self(state)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// Returns a number from `from` to `to`, inclusive.
    pub(super) fn between(&mut self, from: usize, to: usize) -> usize {
        let many = to.saturating_sub(from) as u64 + 1;
        from + (self.next() % many) as usize
    }

    /// Returns true once in `many` times.
    pub(super) fn one_in(&mut self, many: u64) -> bool {
        self.next().is_multiple_of(many.max(1))
    }
}

/// The mixing step of splitmix64.
fn mixed(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_back() {
        for text in ["none", "all", "cuts", "cuts,delays", "cut-crc", "cut-length,coalesce"] {
            let read: Impairments = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
        }
        let cuts: Impairments = "cut-crc, cuts".parse().unwrap();
        assert_eq!(cuts.to_string(), "cuts");
        assert!(!cuts.has(Impairment::OneByte));
    }

    #[test]
    fn an_unknown_name_is_refused_with_those_there_are() {
        let refused = "cuts,delay".parse::<Impairments>().unwrap_err();
        assert!(
            refused.starts_with("\"delay\" is not an impairment, did you mean delays?"),
            "{refused}"
        );
        let refused = "reorder".parse::<Impairments>().unwrap_err();
        assert!(
            refused.contains("is not an impairment; expected one of none, cuts, all, cut-length"),
            "{refused}"
        );
    }
}
