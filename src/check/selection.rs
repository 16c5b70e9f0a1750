//! Which rules are judged by: `--rule` and `--ignore`.

use anyhow::{Result, anyhow};
use warpscope_dissector::rules::Rule;

/// The rules that are judged by, in their order in the list of rules.
#[derive(Debug)]
pub(super) struct Selection {
    rules: Vec<&'static Rule>,
}

impl Selection {
    /// Those of `all` that are asked for, without those that are ignored.
    ///
    /// # Errors
    /// When an id is no rule's and no requirement's.
    pub(super) fn new(all: &[&'static Rule], asked: &[String], ignored: &[String]) -> Result<Self> {
        let named = |flag: &str, ids: &[String]| -> Result<Vec<&'static Rule>> {
            let found = ids
                .iter()
                .map(|id| named(all, id).map_err(|unknown| anyhow!("{flag} {id}: {unknown}")));
            Ok(found.collect::<Result<Vec<_>>>()?.concat())
        };
        let (asked_rules, ignored) = (named("--rule", asked)?, named("--ignore", ignored)?);
        let wanted = |rule: &&Rule| {
            (asked.is_empty() || asked_rules.contains(rule)) && !ignored.contains(rule)
        };
        Ok(Self { rules: all.iter().copied().filter(|rule| wanted(rule)).collect() })
    }

    /// The rules.
    pub(super) fn rules(&self) -> &[&'static Rule] {
        &self.rules
    }

    /// Where a rule stands among them; `None` when it is not judged by.
    pub(super) fn position(&self, rule: &Rule) -> Option<usize> {
        self.rules.iter().position(|known| std::ptr::eq(*known, rule) || *known == rule)
    }
}

/// The rules that an id names: a rule's own, or a requirement's for all that judge it.
///
/// # Errors
/// What is wrong with it, with the nearest known id.
pub(super) fn named(all: &[&'static Rule], id: &str) -> Result<Vec<&'static Rule>, String> {
    let named: Vec<_> = all
        .iter()
        .copied()
        .filter(|rule| rule.id == id || rule.requirements.contains(&id))
        .collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let known = all.iter().flat_map(|rule| std::iter::once(&rule.id).chain(rule.requirements));
    Err(match nearest(id, known.copied()) {
        Some(nearest) => {
            format!("no such rule; did you mean {nearest}? `warpscope rules` lists all")
        }
        None => "no such rule; `warpscope rules` lists all".to_owned(),
    })
}

/// The known id most like an unknown one, whatever the case.
pub(crate) fn nearest<'a>(id: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let id = id.to_lowercase();
    known
        .map(|known| (strsim::jaro_winkler(&known.to_lowercase(), &id), known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}
