//! Sets of switches, which make a peer differ from the strict one.
//!
//! [`Bug`](crate::bug::Bug) and [`Variant`](crate::variant::Variant) are tables of switches. A set of them is
//! part of the configuration of a connection. With none on, asking the set is one test of a bit.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::str::FromStr;
use warpscope_text::suggest;

/// Something that can be switched on by its name.
pub trait Switch: Copy + Eq + Hash + fmt::Debug + 'static {
    /// What a switch of this table is called.
    const KIND: &'static str;

    /// Returns its index in the table.
    fn number(self) -> usize;

    /// Returns its name on the command line.
    fn name(self) -> &'static str;

    /// Returns all switches, in the order of the table.
    fn all() -> impl Iterator<Item = Self>;

    /// Returns the switch of this name.
    fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|it| it.name() == name)
    }
}

/// The layer whose code a switch is in.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display, strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum Layer {
    /// Setup frames, and what the sides agree on with them.
    Setup,
    /// FPDUs, CRCs and markers.
    Mpa,
    /// Segments and queues.
    Ddp,
    /// Messages, their order, Terminates and the end of a stream.
    Rdmap,
    /// Regions, their bounds and rights.
    Memory,
    /// RPC-over-RDMA and what it carries.
    Rpc,
}

/// The side of a connection that shows a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum SwitchSide {
    /// The one that sends the setup request.
    Initiator,
    /// The one that answers the request.
    Responder,
    /// Either one.
    Both,
}

const WORDS: usize = 10;

/// The largest number of switches in a table.
pub(crate) const MOST: usize = WORDS * 64;

/// A set of switches; empty by default. Written and read as names with commas between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Switches<S>([u64; WORDS], PhantomData<S>);

impl<S> Switches<S> {
    /// The empty set: the strict peer.
    pub const NONE: Self = Self([0; WORDS], PhantomData);
}

impl<S> Default for Switches<S> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<S: Switch> Switches<S> {
    /// Returns whether this switch is on.
    #[inline]
    pub fn has(self, switch: impl Into<S>) -> bool {
        let number = switch.into().number();
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    /// Calls `otherwise` if this switch is on.
    #[inline]
    pub fn when(self, switch: impl Into<S>, otherwise: impl FnOnce()) {
        if self.has(switch) {
            otherwise();
        }
    }

    /// Returns whether no switch is on.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == [0; WORDS]
    }

    /// Switches this switch on.
    pub fn insert(&mut self, switch: impl Into<S>) {
        let number = switch.into().number();
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Returns the switches that are on, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = S> {
        S::all().filter(move |it| self.has(*it))
    }
}

impl<S: Switch> FromIterator<S> for Switches<S> {
    fn from_iter<I: IntoIterator<Item = S>>(switches: I) -> Self {
        let mut set = Self::NONE;
        switches.into_iter().for_each(|it| set.insert(it));
        set
    }
}

impl<S: Switch> From<S> for Switches<S> {
    fn from(switch: S) -> Self {
        Self::from_iter([switch])
    }
}

impl<S: Switch> fmt::Display for Switches<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, switch) in self.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{}", switch.name())?;
        }
        Ok(())
    }
}

impl<S: Switch> FromStr for Switches<S> {
    type Err = UnknownSwitch;

    /// Parses names with commas between them. Spaces around a name, and empty names, are ignored.
    fn from_str(names: &str) -> Result<Self, UnknownSwitch> {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(|name| S::by_name(name).ok_or_else(|| UnknownSwitch::new::<S>(name))).collect()
    }
}

/// A name that no switch of a table has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} has the name {name:?}{}", nearest.map(|name| format!(": did you mean {name}?")).unwrap_or_default())]
pub struct UnknownSwitch {
    /// What a switch of that table is called.
    pub kind: &'static str,
    /// The name that was given.
    pub name: String,
    /// The most similar name, if there is one.
    pub nearest: Option<&'static str>,
}

impl UnknownSwitch {
    fn new<S: Switch>(name: &str) -> Self {
        let nearest = suggest(name, S::all().map(S::name));
        Self { kind: S::KIND, name: name.to_owned(), nearest }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Switch};
    use crate::bug::{Bugs, SeededBug};

    #[test]
    fn sets_are_read_and_written() {
        let all: Vec<_> = SeededBug::all().collect();
        let ([.., last], [first, ..]) = (&all[..], &all[..]) else { panic!("no bugs") };
        assert!(all.len() <= MOST, "Switches needs another word");
        let both: Bugs = [*last, *first].into_iter().collect();
        assert_eq!(both.to_string(), format!("{},{}", first.name(), last.name()));
        assert_eq!(format!("{}, {},", last.name(), first.name()).parse(), Ok(both));
        assert_eq!(both.iter().collect::<Vec<_>>(), [*first, *last]);
        assert_eq!("".parse(), Ok(Bugs::NONE));
        assert!(Bugs::NONE.is_empty() && !Bugs::from(*last).is_empty());
        let wrong = format!("{}x", first.name());
        let error = wrong.parse::<Bugs>().unwrap_err();
        assert_eq!(error.nearest, Some(first.name()));
        assert!(error.to_string().contains(first.name()));
    }
}
