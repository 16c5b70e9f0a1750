//! The instances that need attention, grouped by what is wrong. All reports use this grouping.

use super::{InstanceResult, Run, Verdict};
use serde::Serialize;
use std::collections::BTreeSet;
use warpscope_text::counted;

/// A fault, and the instances that have it.
#[derive(Debug, Clone, Serialize)]
pub struct Cause<'a> {
    /// Its name: a passive rule that the target breaks, or what came and what was expected, without values.
    pub cause: &'a str,
    /// The worst verdict that it led to.
    pub verdict: Verdict,
    /// The instances. The first shows the fault most clearly: it has the worst verdict, no other fault, and
    /// the fewest messages.
    #[serde(serialize_with = "ids")]
    pub instances: Vec<&'a InstanceResult>,
}

impl Cause<'_> {
    /// Returns the number of instances and cases: `39 instances of 11 cases`.
    pub(super) fn count(&self) -> String {
        let cases: BTreeSet<&str> = self.instances.iter().map(|it| it.case.as_str()).collect();
        let [instances, cases] = [self.instances.len(), cases.len()].map(|it| it as u64);
        format!("{} of {}", counted(instances, "instance"), counted(cases, "case"))
    }
}

fn ids<S: serde::Serializer>(of: &[&InstanceResult], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(of.iter().map(|instance| &instance.id))
}

/// Returns what is wrong: the worst verdict first, then what most instances show. An instance with two causes
/// is listed under both.
pub fn causes(run: &Run) -> Vec<Cause<'_>> {
    let mut causes: Vec<Cause<'_>> = Vec::new();
    for instance in run.instances.iter().filter(|it| it.verdict.needs_attention()) {
        for cause in names(instance) {
            match causes.iter_mut().find(|it| it.cause == cause) {
                Some(known) => known.instances.push(instance),
                None => {
                    causes.push(Cause {
                        cause,
                        verdict: instance.verdict,
                        instances: vec![instance],
                    });
                }
            }
        }
    }
    for cause in &mut causes {
        // A stable sort: of equally clear instances, the first of the run comes first.
        cause
            .instances
            .sort_by_key(|it| (it.verdict, it.causes.len(), it.sent.len() + it.came.len()));
        cause.verdict = cause.instances.first().map_or(cause.verdict, |it| it.verdict);
    }
    causes.sort_by_key(|it| (it.verdict, std::cmp::Reverse(it.instances.len())));
    causes
}

/// Returns what is wrong in an instance, from its result; if that does not say, its reason or its verdict.
pub(super) fn names(instance: &InstanceResult) -> Vec<&str> {
    match (instance.causes.as_slice(), &instance.reason) {
        ([], Some(reason)) => vec![reason],
        ([], None) => vec![instance.verdict.describe()],
        (causes, _) => causes.iter().map(String::as_str).collect(),
    }
}
