//! From what was seen of a connection to what is reported.

use crate::cli::ProxyArguments;
use crate::conform::run::quoted;
use crate::follow;
use warpscope_conformance::proxy::Observed;
use warpscope_conformance::report::{InstanceResult, Ladder, Verdict};
use warpscope_requirements::Catalogue;

/// Columns of a ladder in a report.
const COLUMNS: usize = 100;

/// What is reported of a connection.
pub(super) fn result(
    observed: &Observed,
    arguments: &ProxyArguments,
    seed: u64,
    catalogue: &Catalogue,
) -> InstanceResult {
    let rerun = rerun(observed, arguments, seed);
    let mut result = InstanceResult::of_connection(observed, catalogue, rerun);
    // As with `conform run`: no pictures of what went well.
    if result.verdict != Verdict::Pass {
        result.ladder = ladder(observed);
    }
    result
}

/// The command that relays a connection in the same way again.
fn rerun(observed: &Observed, arguments: &ProxyArguments, seed: u64) -> String {
    format!(
        "warpscope conform proxy --listen {} --to {} --impair {} --seed {seed} --first {} \
         --connections 1",
        arguments.listen,
        quoted(&arguments.to),
        arguments.impair,
        observed.number
    )
}

fn ladder(observed: &Observed) -> Option<Ladder> {
    let ladder = observed.ladder.as_ref().filter(|ladder| !ladder.rows.is_empty())?;
    let (mut text, mut svg) = (Vec::new(), Vec::new());
    follow::print(ladder, COLUMNS, false, &mut text).ok()?;
    follow::draw(ladder, &observed.id(), &mut svg).ok()?;
    let svg = Some(String::from_utf8_lossy(&svg).into_owned()).filter(|svg| !svg.is_empty());
    Some(Ladder { text: String::from_utf8_lossy(&text).into_owned(), svg })
}
