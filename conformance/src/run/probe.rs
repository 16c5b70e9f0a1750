//! What a target can do, and how fast it answers.

use super::answered::{answer_words, order_words};
use super::bare::bare;
use super::error::RunError;
use super::options::{Mode, Options, Target};
use super::pace::Pace;
use super::stage::Stage;
use crate::engine::Capabilities;
use std::time::{Duration, Instant};
use warpscope_wire::test_ulp::{Answer, Order, kind};

/// Conversations that are timed.
const ROUNDS: u32 = 8;

/// What is known of a target before the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What it can do.
    pub capabilities: Capabilities,
    /// How long to wait for it.
    pub pace: Pace,
    /// Names of capabilities in the target's profile that there are none of.
    pub unknown: Vec<String>,
}

/// Asks a target what it can do, and times it.
///
/// # Errors
/// [`RunError`] when the target is not there, or does not speak the test ULP where it should.
pub fn probe(target: &Target, options: &Options) -> Result<Probe, RunError> {
    let Some(address) = target.addresses.first() else {
        return Err(RunError::Unknown("the target has no address".to_owned()));
    };
    let mut pace = Pace { factor: options.patience.max(1), ..Pace::default() };
    let mut stage = Stage::new(target, *address, 1, pace);
    let mut capabilities = if target.mode == Mode::Bare {
        pace.round_trip = Duration::from_millis(20);
        bare(&mut stage)?
    } else {
        stage.open_control()?;
        let begun = Instant::now();
        let mut answer = stage.need(&Order::Capabilities)?;
        for _ in 1..ROUNDS {
            answer = stage.need(&Order::Capabilities)?;
        }
        pace.round_trip = begun.elapsed() / ROUNDS;
        let Answer::Capabilities(told, text) = answer else {
            let why = answer_words(&answer);
            return Err(RunError::Refused { order: order_words(kind::CAPABILITIES), why });
        };
        stage.ask(&Order::Goodbye)?;
        Capabilities::told(told, text)
    };
    for (name, there) in target.rpc.capabilities() {
        capabilities.set(name, there);
    }
    let unknown = target
        .capabilities
        .iter()
        .filter(|(name, there)| !capabilities.set(name, *there))
        .map(|(name, _)| name.clone())
        .collect();
    Ok(Probe { capabilities, pace, unknown })
}
