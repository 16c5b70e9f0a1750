//! The services that there are, and their options: one table.

use crate::failure::OutputError;
use crate::terminal::standard_output;
use anyhow::{Result, anyhow, bail};
use owo_colors::OwoColorize as _;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::str::FromStr;
use warpscope_peer::service::{Passive, Service};

/// A service.
pub(super) struct Offer {
    /// Its name.
    pub(super) name: &'static str,
    /// What it does.
    about: &'static str,
    /// Its options: name, default, meaning.
    options: &'static [(&'static str, &'static str, &'static str)],
    build: fn(&Given<'_>) -> Result<Box<dyn Service>>,
}

/// What a service is built from.
pub(super) struct Given<'a> {
    offer: &'a Offer,
    values: BTreeMap<&'a str, &'a str>,
    /// Whether this side opens the streams.
    #[allow(dead_code, reason = "the services that care come next")]
    pub(super) initiator: bool,
}

/// Every service.
const OFFERS: &[Offer] = &[Offer {
    name: "passive",
    about: "Takes what comes: posts receives, offers the regions, says what happened.",
    options: &[
        ("receives", "64", "receives posted on each stream"),
        ("room", "65536", "octets that each has room for"),
    ],
    build: |given| {
        Ok(Box::new(Passive { receives: given.value("receives")?, room: given.value("room")? }))
    },
}];

/// The service that `-s` names, with the options of `-o`.
///
/// # Errors
/// When there is no such service or option, or an option's value cannot be had.
pub(super) fn build(name: &str, options: &[String], initiator: bool) -> Result<Box<dyn Service>> {
    let offer = OFFERS.iter().find(|offer| offer.name == name).ok_or_else(|| {
        let names: Vec<&str> = OFFERS.iter().map(|offer| offer.name).collect();
        anyhow!("-s {name}: there is no such service; there are {}", names.join(", "))
    })?;
    let mut values = BTreeMap::new();
    for option in options {
        let Some((key, value)) = option.split_once('=') else {
            bail!("-o {option}: an option of a service is given as NAME=VALUE");
        };
        if !offer.options.iter().any(|(known, ..)| *known == key) {
            let known: Vec<&str> = offer.options.iter().map(|(known, ..)| *known).collect();
            bail!("-o {option}: {name} has no such option; it has {}", known.join(", "));
        }
        values.insert(key, value);
    }
    (offer.build)(&Given { offer, values, initiator })
}

impl Given<'_> {
    /// An option's value as it was given, or its default.
    pub(super) fn text(&self, key: &str) -> &str {
        let default = || self.offer.options.iter().find(|(known, ..)| *known == key);
        self.values
            .get(key)
            .copied()
            .or_else(|| default().map(|(_, value, _)| *value))
            .unwrap_or_default()
    }

    /// An option's value, or its default.
    ///
    /// # Errors
    /// When it is no such value.
    pub(super) fn value<T: FromStr>(&self, key: &str) -> Result<T> {
        let text = self.text(key);
        let meaning = self.offer.options.iter().find(|(known, ..)| *known == key);
        text.parse().map_err(|_| {
            let meaning = meaning.map_or("", |(_, _, meaning)| *meaning);
            anyhow!("-o {key}={text}: {key} is a number: {meaning}")
        })
    }
}

/// Prints the services and their options.
///
/// # Errors
/// When the output failed.
pub(super) fn list() -> Result<ExitCode> {
    let (mut out, coloured) = standard_output();
    print(coloured, &mut *out).map_err(OutputError)?;
    Ok(ExitCode::SUCCESS)
}

fn print(coloured: bool, out: &mut dyn Write) -> io::Result<()> {
    for (index, offer) in OFFERS.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let name = offer.name;
        if coloured {
            writeln!(out, "{}", name.bold())?;
        } else {
            writeln!(out, "{name}")?;
        }
        writeln!(out, "  {}", offer.about)?;
        let shown = |(name, default, _): &(&str, &str, &str)| format!("-o {name}={default}");
        let width = offer.options.iter().map(|option| shown(option).len()).max().unwrap_or(0);
        for option in offer.options {
            writeln!(out, "  {:width$}  {}", shown(option), option.2)?;
        }
    }
    out.flush()
}
