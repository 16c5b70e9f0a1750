//! Messages as lines: JSON-RPC 2.0, one object per line.

use crate::{Bytes, Capabilities, Event, Method, Region};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;
use strum::VariantNames as _;

/// What every message begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
enum Version {
    #[default]
    #[serde(rename = "2.0")]
    Two,
}

/// A call: what a runner asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    jsonrpc: Version,
    /// The runner's number of it; the reply has the same.
    pub id: u64,
    /// What is asked.
    #[serde(flatten)]
    pub method: Method,
}

impl Call {
    /// Returns a call of `method`, numbered `id`.
    pub fn new(id: u64, method: Method) -> Self {
        Self { jsonrpc: Version::Two, id, method }
    }

    /// Returns the call as a line, with its line end.
    pub fn line(&self) -> String {
        line(self)
    }

    /// Parses a line, with or without its line end.
    ///
    /// # Errors
    /// Returns the reply that says what is wrong with the line.
    pub fn read(line: &[u8]) -> Result<Self, Reply> {
        let refuse = |id, code, message| Reply::error(id, Error::new(code, message));
        let mut value: Value =
            read(line).map_err(|error| refuse(None, ErrorCode::ParseError, error.to_string()))?;
        // The parameters of a method that has none may be empty.
        if let Value::Object(fields) = &mut value
            && fields.get("params").is_some_and(|it| it.is_null() || *it == json!({}))
        {
            fields.remove("params");
        }
        let id = value.get("id").and_then(Value::as_u64);
        let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
        if value.get("jsonrpc") != Some(&json!("2.0")) || id.is_none() || method.is_none() {
            let why = "a call has jsonrpc \"2.0\", a number as id, and a method".to_owned();
            return Err(refuse(id, ErrorCode::InvalidRequest, why));
        }
        let known = method.as_deref().is_some_and(|it| Method::VARIANTS.contains(&it));
        serde_json::from_value(value).map_err(|error| match known {
            true => refuse(id, ErrorCode::InvalidParams, error.to_string()),
            false => {
                let why = format!("there is no method {}", method.unwrap_or_default());
                refuse(id, ErrorCode::MethodNotFound, why)
            }
        })
    }
}

/// What an agent says: the result of a call, why there is none, or an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    jsonrpc: Version,
    /// What it says.
    #[serde(flatten)]
    pub says: Says,
}

/// What a line of an agent says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Says {
    /// A call failed.
    Error {
        /// The call; none where its number could not be read.
        id: Option<u64>,
        /// Why the call was not carried out.
        error: Error,
    },
    /// A call was carried out.
    Result {
        /// The call.
        id: u64,
        /// What came of it.
        result: Value,
    },
    /// Something happened.
    Event {
        /// Always `event`.
        method: Notification,
        /// The event.
        params: Event,
    },
}

/// The one notification that there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Notification {
    /// Something happened on a stream.
    Event,
}

/// A line from an agent that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the agent's line cannot be read: {why}: {line}")]
pub struct Unreadable {
    why: String,
    /// The beginning of the line.
    line: String,
}

impl Reply {
    /// Returns the result of a call.
    pub fn result(id: u64, result: &impl Serialize) -> Self {
        // Every result of this protocol is valid JSON.
        let result = serde_json::to_value(result).unwrap_or_default();
        Self { jsonrpc: Version::Two, says: Says::Result { id, result } }
    }

    /// Returns the error of a call that has no result.
    pub fn error(id: Option<u64>, error: Error) -> Self {
        Self { jsonrpc: Version::Two, says: Says::Error { id, error } }
    }

    /// Returns a notification of an event on a stream.
    pub fn event(params: Event) -> Self {
        let method = Notification::Event;
        Self { jsonrpc: Version::Two, says: Says::Event { method, params } }
    }

    /// Whether the reply is an error.
    pub fn failed(&self) -> bool {
        matches!(self.says, Says::Error { .. })
    }

    /// Returns the reply as a line, with its line end.
    pub fn line(&self) -> String {
        line(self)
    }

    /// Parses a line, with or without its line end.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub fn read(line: &[u8]) -> Result<Self, Unreadable> {
        read(line).map_err(|error| Unreadable {
            why: error.to_string(),
            line: String::from_utf8_lossy(line).trim_end().chars().take(200).collect(),
        })
    }
}

/// The most values that a line may have: in memory each takes thirty times the two bytes of the shortest.
const MOST_VALUES: usize = 100_000;

/// Parses the JSON of a line.
fn read<T: DeserializeOwned>(line: &[u8]) -> Result<T, serde_json::Error> {
    if line.iter().filter(|byte| **byte == b',').count() > MOST_VALUES {
        let why = format!("a line has at most {MOST_VALUES} values");
        return Err(serde_json::Error::custom(why));
    }
    serde_json::from_slice(line)
}

fn line(message: &impl Serialize) -> String {
    // This cannot fail, because maps of this protocol have strings as keys.
    let mut line = serde_json::to_string(message).unwrap_or_default();
    line.push('\n');
    line
}

/// Why a call was not carried out. It has changed nothing then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{}: {message}", ErrorCode::name(*code))]
pub struct Error {
    /// One of [`ErrorCode`].
    pub code: i32,
    /// For people.
    pub message: String,
}

impl Error {
    /// Returns an error with this code and message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: code as i32, message: message.into() }
    }

    /// Whether the error has this code.
    pub fn is(&self, code: ErrorCode) -> bool {
        self.code == code as i32
    }
}

/// Codes of errors: those of JSON-RPC, and those of this protocol, which are greater than 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::VariantArray)]
#[repr(i32)]
pub enum ErrorCode {
    /// The line is not JSON.
    ParseError = -32700,
    /// The line is not a call.
    InvalidRequest = -32600,
    /// The method does not exist.
    MethodNotFound = -32601,
    /// The parameters are not those of the method.
    InvalidParams = -32602,
    /// The target can never do that: a case that needs it does not apply.
    Unsupported = 1,
    /// The call names a stream, a region or bytes that do not exist.
    Unknown = 2,
    /// It cannot be done now.
    Refused = 3,
    /// It would exceed a limit of the target.
    Limit = 4,
}

impl ErrorCode {
    fn name(code: i32) -> impl fmt::Display {
        let all = <Self as strum::VariantArray>::VARIANTS;
        match all.iter().find(|it| **it as i32 == code) {
            Some(Self::ParseError) => "no JSON".to_owned(),
            Some(Self::InvalidRequest) => "no call".to_owned(),
            Some(Self::MethodNotFound) => "no method".to_owned(),
            Some(Self::InvalidParams) => "invalid".to_owned(),
            Some(Self::Unsupported) => "unsupported".to_owned(),
            Some(Self::Unknown) => "unknown".to_owned(),
            Some(Self::Refused) => "refused".to_owned(),
            Some(Self::Limit) => "limit".to_owned(),
            None => format!("error {code}"),
        }
    }
}

/// Returns the JSON Schema of the protocol: calls and replies, with the results under `$defs`.
pub fn schema() -> Value {
    let mut generator = SchemaGenerator::default();
    let call = generator.subschema_for::<Call>();
    let reply = generator.subschema_for::<Reply>();
    for result in [
        generator.subschema_for::<Capabilities>(),
        generator.subschema_for::<Region>(),
        generator.subschema_for::<Bytes>(),
    ] {
        // Each is now among the definitions.
        drop(result);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The agent protocol of warpscope, version 1: a line each way",
        "anyOf": [call, reply],
        "$defs": generator.take_definitions(true),
    })
}
