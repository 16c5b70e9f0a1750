//! The JSON Schema of case files, for editors. It is made from the tables that the reader uses.

use serde_json::{Map, Value, json};

use super::grammar::{
    ANY_STEP, BUFFER, BYTES, CASE, CLOSED, CONNECT, EXPECTING, Entry, FRAGMENT, FRAMING, Key,
    MATCHERS, MEMORY, ORDERS, OURS, REPEAT, REPORTS, SERVE, TERMINATE, THEIRS, Takes, USE, VERBS,
};
use super::step::TaskEnd;
use crate::layout::{Field, Layout, Layouts, Message};
use strum::VariantNames as _;

/// Returns the JSON Schema (draft 2020-12) of case files and of the fragments that they share. It covers
/// keys, words, messages and fields. What depends on more than one place (variables, requirement ids,
/// reachability) is reported by `warpscope conform lint` only.
pub fn schema(layouts: &Layouts) -> Value {
    let mut definitions = Map::new();
    let mut define = |name: &str, what: Value| definitions.insert(name.to_owned(), what);
    define(
        "expression",
        json!({
            "description": "A number (decimal, 0x, 0b), or arithmetic with $variables",
            "oneOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }],
        }),
    );
    define(
        "flag",
        json!({
            "oneOf": [
                { "enum": ["on", "off", "yes", "no", true, false, 0, 1] },
                { "$ref": "#/$defs/variable" },
            ],
        }),
    );
    define("variable", json!({ "type": "string", "pattern": "^\\$" }));
    define(
        "bytes",
        json!({
            "description": "Bytes: a number of them, {hex: ...}, {text: ...}, {zeros: N}, {u32: N}, {u64: N}, a pattern, a list",
            "oneOf": [
                { "$ref": "#/$defs/expression" },
                { "type": "array", "items": { "$ref": "#/$defs/bytes" } },
                object(BYTES, &[]),
            ],
        }),
    );
    define("matcher", matcher());
    define("steps", json!({ "type": "array", "items": { "$ref": "#/$defs/step" } }));
    define("step", step());
    define("send", sends(layouts));
    define("want", wants(layouts));
    define("connect", {
        let mut keys = object(OURS, CONNECT);
        put(&mut keys, "target", object(THEIRS, &[]));
        keys
    });
    define("target", entries(ORDERS));
    define("serve", object(SERVE, &[]));
    define("repeat", object(REPEAT, &[]));
    define("use", json!({ "oneOf": [{ "type": "string" }, object(USE, &[])] }));
    let mut case = object(CASE, &[]);
    let buffers = json!({ "type": "object", "additionalProperties": object(BUFFER, &[]) });
    let sides = json!({
        "type": "object",
        "properties": { "target": buffers.clone(), "local": buffers },
        "additionalProperties": false,
    });
    put(&mut case, "buffers", sides.clone());
    put(
        &mut case,
        "across",
        json!({ "type": "object", "additionalProperties": { "type": "array" } }),
    );
    put(&mut case, "except", json!({ "type": "array", "items": { "type": "object" } }));
    put(&mut case, "steps", json!({ "$ref": "#/$defs/steps" }));
    let mut fragment = object(FRAGMENT, &[]);
    put(&mut fragment, "buffers", sides);
    put(&mut fragment, "takes", json!({ "type": "object" }));
    put(&mut fragment, "steps", json!({ "$ref": "#/$defs/steps" }));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A conformance case of warpscope",
        "oneOf": [case, fragment],
        "$defs": definitions,
    })
}

/// Adds a property to an object's schema.
fn put(object: &mut Value, name: &str, what: Value) {
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), what);
    }
}

/// Returns the schema of an object with the keys of these tables and no others.
fn object(keys: &[Key], more: &[Key]) -> Value {
    let all = || keys.iter().chain(more);
    let properties: Map<String, Value> =
        all().map(|key| (key.name.to_owned(), takes(key))).collect();
    let required: Vec<&str> = all().filter(|key| key.needed).map(|key| key.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn takes(key: &Key) -> Value {
    let words =
        |words: &[&str]| json!({ "oneOf": [{ "enum": words }, { "$ref": "#/$defs/variable" }] });
    let mut what = match key.takes {
        Takes::Number => json!({ "$ref": "#/$defs/expression" }),
        Takes::Flag => json!({ "$ref": "#/$defs/flag" }),
        Takes::Keyword(known) => words(known),
        Takes::Keywords(known) => json!({
            "oneOf": [words(known), { "type": "array", "items": words(known) }],
        }),
        Takes::Bytes => json!({ "$ref": "#/$defs/bytes" }),
        Takes::Region => json!({ "$ref": "#/$defs/variable" }),
        Takes::Time => json!({ "type": "string", "pattern": "^(\\$.*|[0-9]+(ms|s))$" }),
        Takes::Stream | Takes::Text => json!({ "type": ["string", "number"] }),
        Takes::Texts => json!({
            "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }],
        }),
        Takes::Own => json!({}),
    };
    if let Some(what) = what.as_object_mut() {
        what.insert("description".to_owned(), Value::from(key.says));
    }
    what
}

fn entries(table: &[Entry]) -> Value {
    let properties: Map<String, Value> = table
        .iter()
        .map(|entry| {
            let mut keys = object(entry.keys, &[]);
            if let Some(keys) = keys.as_object_mut() {
                keys.insert("description".to_owned(), Value::from(entry.says));
            }
            (entry.name.to_owned(), keys)
        })
        .collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// Returns the schema of a step: one verb, and the keys allowed beside it.
fn step() -> Value {
    let verbs = VERBS.iter().map(|verb| {
        let beside = match verb.name {
            "send" => FRAMING,
            "expect" => EXPECTING,
            _ => &[],
        };
        let mut step = object(ANY_STEP, beside);
        let own = match verb.name {
            "expect" => json!({ "$ref": "#/$defs/want" }),
            "set" => json!({
                "type": "object",
                "additionalProperties": { "$ref": "#/$defs/expression" },
            }),
            "wait" | "hear" | "close" => takes(verb),
            "ready" => json!({ "type": ["object", "null"] }),
            name => json!({ "$ref": format!("#/$defs/{name}") }),
        };
        put(&mut step, verb.name, own);
        if let Some(step) = step.as_object_mut() {
            step.insert("required".to_owned(), json!([verb.name]));
            step.insert("description".to_owned(), Value::from(verb.says));
        }
        step
    });
    json!({ "oneOf": verbs.collect::<Vec<_>>() })
}

/// Returns the schema of anything that a step can send.
fn sends(layouts: &Layouts) -> Value {
    let mut properties: Map<String, Value> = layouts
        .messages()
        .iter()
        .map(|message| (message.name().to_owned(), fields(message, value_of)))
        .collect();
    for name in ["ulpdu", "raw"] {
        properties.insert(name.to_owned(), json!({ "$ref": "#/$defs/bytes" }));
    }
    json!({
        "type": "object",
        "properties": properties,
        "patternProperties": { "^\\$": {} },
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
    })
}

/// Returns the schema of anything that a step can wait for.
fn wants(layouts: &Layouts) -> Value {
    let list = json!({ "type": "array", "items": { "$ref": "#/$defs/want" } });
    let mut wants = object(EXPECTING, MEMORY.get(..0).unwrap_or_default());
    for message in layouts.messages().iter().filter(|it| it.name() != "terminate") {
        let mut due = fields(message, |_| json!({ "$ref": "#/$defs/matcher" }));
        for name in ["ulpdus", "ulpdus_but_last"] {
            put(&mut due, name, json!({ "$ref": "#/$defs/matcher" }));
        }
        if let Some(properties) = due.get_mut("properties").and_then(Value::as_object_mut) {
            for name in ["segments", "last_payload"] {
                properties.insert(name.to_owned(), json!({ "type": ["integer", "string"] }));
            }
        }
        put(&mut wants, message.name(), due);
    }
    for name in ["any_of", "in_order", "all_of", "tolerate", "skip"] {
        put(&mut wants, name, list.clone());
    }
    put(&mut wants, "terminate", object(TERMINATE, &[]));
    put(&mut wants, "closed", json!({ "enum": CLOSED }));
    put(&mut wants, "nothing", json!({}));
    put(&mut wants, "task", json!({ "enum": TaskEnd::VARIANTS }));
    put(&mut wants, "memory", object(MEMORY, &[]));
    put(&mut wants, "memory_unchanged", json!({ "$ref": "#/$defs/variable" }));
    put(&mut wants, "report", entries(REPORTS));
    put(&mut wants, "no_report", entries(REPORTS));
    if let Some(wants) = wants.as_object_mut() {
        wants.insert("patternProperties".to_owned(), json!({ "^\\$": {} }));
    }
    json!({ "oneOf": [{ "enum": ["closed", "nothing"] }, { "$ref": "#/$defs/variable" }, wants] })
}

/// Returns the schema of a message's fields, and of names that stand for several of them.
fn fields(message: &Message, what: fn(&Field) -> Value) -> Value {
    let mut properties = Map::new();
    for name in message.names() {
        if let Some(field) = message.find(&name) {
            if let Some(group) = name.strip_suffix("_stag").or((name == "stag").then_some("buffer"))
            {
                properties.insert(group.to_owned(), json!({}));
            }
            properties.insert(name, what(field));
        }
    }
    properties.insert("payload".to_owned(), json!({ "$ref": "#/$defs/bytes" }));
    properties.insert("bind".to_owned(), json!({ "type": "object" }));
    json!({
        "type": ["object", "null"],
        "description": message.parts().map(Layout::title).collect::<Vec<_>>().join("; "),
        "properties": properties,
        "patternProperties": { "^\\$": {} },
        "additionalProperties": false,
    })
}

/// Returns the schema of a field's value when it is sent.
fn value_of(field: &Field) -> Value {
    if field.elements().is_some() {
        return json!({ "type": "array", "items": { "type": "object" } });
    }
    let Some(width) = field.width().filter(|width| *width <= 64) else {
        return json!({ "$ref": "#/$defs/bytes" });
    };
    // A field of one bit is also a flag.
    let text = if width == 1 { json!(["string", "boolean"]) } else { json!("string") };
    let most = if width < 64 { (1_u64 << width) - 1 } else { u64::MAX };
    json!({
        "oneOf": [{ "type": "integer", "minimum": 0, "maximum": most }, { "type": text }],
        "description": format!("{} ({width} bits)", field.name()),
    })
}

/// Returns the schema of what a field may be compared with.
fn matcher() -> Value {
    let compare: Map<String, Value> =
        MATCHERS.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    json!({
        "oneOf": [
            { "type": ["integer", "string", "boolean", "array"] },
            { "type": "object", "properties": compare },
            { "$ref": "#/$defs/bytes" },
        ],
    })
}
