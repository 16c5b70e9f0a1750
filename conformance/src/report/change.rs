//! The differences between two runs, for example of two versions of a firmware.

use super::cause::names;
use super::{InstanceResult, Run, Verdict};
use std::collections::HashMap;
use warpscope_text::counted;

/// How an instance of two runs changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::VariantArray)]
pub enum Change {
    /// It needs attention now, but did not before.
    NewlyFailing,
    /// It still needs attention, but for another reason.
    OtherCause,
    /// It passes, but needed attention before.
    Mended,
    /// Its verdict changed in another way, for example from passed to not applicable.
    OtherVerdict,
    /// The older run does not have it.
    New,
    /// The newer run does not have it.
    Absent,
}

impl Change {
    /// Returns the change in words: `newly failing`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::NewlyFailing => "newly failing",
            Self::OtherCause => "failing for another reason",
            Self::Mended => "mended",
            Self::OtherVerdict => "with another verdict",
            Self::New => "new",
            Self::Absent => "absent",
        }
    }

    fn between(older: Option<&InstanceResult>, newer: Option<&InstanceResult>) -> Option<Self> {
        let (Some(older), Some(newer)) = (older, newer) else {
            return Some(if older.is_none() { Self::New } else { Self::Absent });
        };
        match (older.verdict.needs_attention(), newer.verdict.needs_attention()) {
            (false, true) => Some(Self::NewlyFailing),
            (true, false) if newer.verdict == Verdict::Pass => Some(Self::Mended),
            (true, true) if names(older) != names(newer) => Some(Self::OtherCause),
            _ => (older.verdict != newer.verdict).then_some(Self::OtherVerdict),
        }
    }
}

/// Instances of one case that changed in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed<'a> {
    /// The kind of change.
    pub change: Change,
    /// The case.
    pub case: &'a str,
    /// The old and the new state: a verdict with its cause, of each run.
    pub words: String,
    /// The ids of the instances.
    pub instances: Vec<&'a str>,
}

/// Describes an instance: its verdict, and what is wrong.
fn state(instance: &InstanceResult) -> String {
    match instance.verdict.needs_attention() {
        true => format!("{}: {}", instance.verdict, names(instance).join("; ")),
        false => instance.verdict.to_string(),
    }
}

/// Returns what changed from the older run to the newer, grouped by change, in the order of the newer run.
/// Instances that the newer run does not have come last.
pub fn changes<'a>(older: &'a Run, newer: &'a Run) -> Vec<Changed<'a>> {
    let by_id = |run: &'a Run| -> HashMap<&'a str, &'a InstanceResult> {
        run.instances.iter().map(|it| (it.id.as_str(), it)).collect()
    };
    let (before, after) = (by_id(older), by_id(newer));
    let gone = older.instances.iter().filter(|it| !after.contains_key(it.id.as_str()));
    let pairs = newer.instances.iter().map(|it| (before.get(it.id.as_str()).copied(), Some(it)));
    let mut found: Vec<Changed<'a>> = Vec::new();
    let mut places: HashMap<(Change, &str, String), usize> = HashMap::new();
    for (old, new) in pairs.chain(gone.map(|it| (Some(it), None))) {
        let (Some(change), Some(it)) = (Change::between(old, new), new.or(old)) else { continue };
        let words = match (old, new) {
            (Some(old), Some(new)) => format!("{} \u{2192} {}", state(old), state(new)),
            _ => state(it),
        };
        let place = *places.entry((change, &it.case, words.clone())).or_insert_with(|| {
            found.push(Changed { change, case: &it.case, words, instances: Vec::new() });
            found.len() - 1
        });
        if let Some(changed) = found.get_mut(place) {
            changed.instances.push(&it.id);
        }
    }
    found.sort_by_key(|it| it.change);
    found
}

impl Changed<'_> {
    /// Returns the instance, or the case and the number of its instances.
    pub(super) fn name(&self) -> String {
        match self.instances.as_slice() {
            [only] => (*only).to_owned(),
            all => format!("{}, {}", self.case, counted(all.len() as u64, "instance")),
        }
    }
}

/// Returns the number of instances that changed in this way.
pub(super) fn count(changes: &[Changed<'_>], change: Change) -> u64 {
    let of = changes.iter().filter(|it| it.change == change);
    of.map(|it| it.instances.len() as u64).sum()
}

/// Returns the number of instances for each change: `3 newly failing, 2 mended`.
pub(super) fn summary(changes: &[Changed<'_>]) -> String {
    use strum::VariantArray as _;
    let counts = Change::VARIANTS.iter().map(|it| (*it, count(changes, *it)));
    let words = counts.filter(|(_, count)| *count > 0);
    let words: Vec<_> = words.map(|(it, count)| format!("{count} {}", it.describe())).collect();
    if words.is_empty() { "no instance changed".to_owned() } else { words.join(", ") }
}
