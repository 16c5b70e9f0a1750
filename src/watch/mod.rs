//! `warpscope watch`: live traffic as metrics, for Prometheus to scrape.

mod count;
mod exporter;
mod metrics;
mod run;
#[cfg(test)]
mod tests;

pub(crate) use run::run;
