//! How the process ends.

use super::{Run, Verdict};

/// Nothing failed.
pub const PASSED: u8 = 0;
/// An instance failed, or passed where the target's profile says that it fails.
pub const FAILED: u8 = 1;
/// The run could not be made, or says nothing of the target.
pub const COULD_NOT_BE_MADE: u8 = 2;

/// The exit status of a run; `strict` makes `strict-only` a failure.
///
/// * 2 where the run was broken off, where it has no instances, and where nothing but
///   `inconclusive` came of those that apply: then nothing was learned of the target;
/// * else 1 where an instance has a verdict that fails ([`super::Verdict::fails`]);
/// * else 0. A single `inconclusive` beside others is told and does not fail a run.
pub fn exit_code(run: &Run, strict: bool) -> u8 {
    let counts = run.counts();
    let applicable = counts.total() - counts.of(Verdict::NotApplicable);
    let nothing_learned = applicable > 0 && counts.of(Verdict::Inconclusive) == applicable;
    if run.broken_off.is_some() || counts.total() == 0 || nothing_learned {
        COULD_NOT_BE_MADE
    } else if counts.failing(strict) > 0 {
        FAILED
    } else {
        PASSED
    }
}
