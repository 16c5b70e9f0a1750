//! A time that was handed in.

use chrono::{DateTime, FixedOffset, SecondsFormat, Utc};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::time::{Duration, SystemTime};

/// A moment, to the millisecond, shown in UTC: `2026-11-21T11:49:12.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// The moment so many milliseconds after the beginning of 1970 in UTC. One that no calendar has
    /// becomes the beginning of 1970.
    pub fn from_milliseconds(milliseconds: i64) -> Self {
        Self(DateTime::from_timestamp_millis(milliseconds).unwrap_or_default())
    }

    /// The moment as JUnit wants it.
    pub(super) fn with_offset(self) -> DateTime<FixedOffset> {
        self.0.fixed_offset()
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self::from_milliseconds(i64::try_from(since.as_millis()).unwrap_or_default())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = DateTime::parse_from_rfc3339(&text).map_err(D::Error::custom)?;
        Ok(Self::from_milliseconds(time.timestamp_millis()))
    }
}

/// A duration for people: `950 us`, `12.3 ms`, `4.20 s`, `3 min 5 s`.
pub(super) fn spent(microseconds: u64) -> String {
    let duration = Duration::from_micros(microseconds);
    let seconds = duration.as_secs();
    match microseconds {
        0..1_000 => format!("{microseconds} us"),
        1_000..1_000_000 => format!("{}.{} ms", microseconds / 1000, microseconds % 1000 / 100),
        1_000_000..60_000_000 => format!("{seconds}.{:02} s", duration.subsec_millis() / 10),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}
