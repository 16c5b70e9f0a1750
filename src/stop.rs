//! Ctrl-C and SIGTERM: the first asks to stop, the second ends the program at once.

use anyhow::{Context as _, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user asked to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Takes the signals from now on.
    ///
    /// # Errors
    /// When the system does not let it.
    pub(crate) fn on_signals() -> Result<Self> {
        let stop = Self::default();
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag down and raises it.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop.0))
                .and_then(|_| flag::register(signal, Arc::clone(&stop.0)))
                .context("cannot take Ctrl-C and SIGTERM")?;
        }
        Ok(stop)
    }

    /// The flag that a signal raises.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// True once a signal came.
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
