//! Which opcodes and orders the cases test: found from what their instances send and expect.

use crate::case::step::{Action, Content, Expected, FieldValue, Step};
use crate::case::{Cases, Instance, Role};
use crate::layout::{Layouts, Message};
use serde::{Deserialize, Serialize};
use serde_saphyr::Spanned;
use std::collections::{BTreeMap, BTreeSet};
use strum::IntoStaticStr;
use warpscope_requirements::Fault;

/// The orders that the documents describe, and the cells that need no case.
const BUILTIN: &str = include_str!("../../matrix.yaml");
const NAME: &str = "matrix.yaml";

/// Stands between two messages of an order if the answer to the first is waited for.
const ANSWER: &str = "answer";

/// The profiles, each with the profiles whose messages it includes.
const PROFILES: &[(&str, &[&str])] = &[
    ("rfc5040", &["rfc5040"]),
    ("rfc7306", &["rfc5040", "rfc7306"]),
    ("ext-v2", &["rfc5040", "rfc7306", "ext-v2"]),
    ("commit", &["rfc5040", "rfc7306", "commit"]),
];

/// Whether the target sends or receives a message.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum Direction {
    Taken,
    Sent,
}

/// The target's role in the setup.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(super) enum TargetRole {
    Responder,
    Initiator,
}

/// The columns of a table of opcodes.
pub(super) const COLUMNS: [(Direction, TargetRole); 4] = [
    (Direction::Taken, TargetRole::Responder),
    (Direction::Taken, TargetRole::Initiator),
    (Direction::Sent, TargetRole::Responder),
    (Direction::Sent, TargetRole::Initiator),
];

/// The ids of the cases of a cell, or the reason why it needs none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Cell {
    pub(super) cases: BTreeSet<String>,
    pub(super) waived: Option<String>,
}

/// A message under a profile, with a cell for each of [`COLUMNS`].
#[derive(Debug, Clone)]
pub(super) struct OpcodeRow {
    pub(super) profile: &'static str,
    pub(super) opcode: u64,
    pub(super) message: String,
    pub(super) cells: [Cell; 4],
}

/// Messages one after the other, and what the document says about them.
#[derive(Debug, Clone)]
pub(super) struct OrderRow {
    pub(super) order: Vec<String>,
    pub(super) says: String,
    pub(super) cell: Cell,
}

/// Which opcodes the cases test, in which direction, role and profile, and in which orders.
#[derive(Debug, Clone)]
pub struct Matrix {
    pub(super) opcodes: Vec<OpcodeRow>,
    /// The tables of orders, with their titles.
    pub(super) tables: Vec<(String, Vec<OrderRow>)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    operations: BTreeMap<String, Vec<String>>,
    tables: Vec<Table>,
    waivers: Vec<Waiver>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    title: String,
    profiles: Vec<String>,
    cells: Vec<Order>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    order: Vec<String>,
    /// The requirements of which a case must cover one. A section stands for all of its requirements.
    by: Vec<String>,
    says: Spanned<String>,
    waived: Option<String>,
}

/// Cells of the tables of opcodes that need no case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Waiver {
    profiles: Vec<String>,
    messages: Vec<String>,
    /// All, if not given.
    direction: Option<Direction>,
    role: Option<TargetRole>,
    reason: Spanned<String>,
}

impl Waiver {
    fn is_for(&self, row: &OpcodeRow, column: (Direction, TargetRole)) -> bool {
        self.profiles.iter().any(|it| it == row.profile)
            && self.messages.contains(&row.message)
            && self.direction.is_none_or(|it| it == column.0)
            && self.role.is_none_or(|it| it == column.1)
    }
}

/// Returns what the cases test of the matrix in the built-in file, and the waivers that match no empty cell.
///
/// # Errors
/// Returns what is wrong with the file. A test checks that nothing is.
pub fn matrix(cases: &Cases, layouts: &Layouts) -> Result<(Matrix, Vec<Fault>), Fault> {
    let fault = |line: u64, what: String| Fault { file: NAME.to_owned(), line, what };
    let file: File = serde_saphyr::from_str(BUILTIN).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line());
        fault(line, error.without_snippet().to_string())
    })?;
    let mut opcodes = opcodes(cases, layouts);
    let mut idle = Vec::new();
    for waiver in &file.waivers {
        let mut used = false;
        for row in &mut opcodes {
            for (index, column) in COLUMNS.into_iter().enumerate() {
                if !waiver.is_for(row, column) {
                    continue;
                }
                let Some(cell) = row.cells.get_mut(index) else { continue };
                if cell.cases.is_empty() {
                    cell.waived = Some(waiver.reason.value.trim().to_owned());
                    used = true;
                }
            }
        }
        if !used {
            let what =
                format!("no cell of {} is empty: remove the waiver", waiver.messages.join(", "));
            idle.push(fault(waiver.reason.referenced.line(), what));
        }
    }
    let tried: Vec<_> = cases
        .all()
        .iter()
        .flat_map(|case| case.instances.iter().map(|it| (it, case.covers.as_slice())))
        .map(|(it, covers)| (it, covers, orders(it, &file.operations)))
        .collect();
    let mut tables = Vec::new();
    for table in file.tables {
        let mut rows = Vec::new();
        for cell in table.cells {
            let judges =
                |covers: &[String]| covers.iter().any(|id| cell.by.iter().any(|by| is_of(id, by)));
            let matching = tried.iter().filter(|(instance, covers, orders)| {
                table.profiles.iter().any(|it| it == instance.profile)
                    && judges(covers)
                    && orders.iter().any(|it| has(it, &cell.order))
            });
            let found: BTreeSet<String> = matching.map(|(it, ..)| it.case.clone()).collect();
            if cell.waived.is_some() && !found.is_empty() {
                let what = format!("{} has cases: remove the waiver", cell.order.join(", "));
                idle.push(fault(cell.says.referenced.line(), what));
            }
            let cell_found = Cell { cases: found, waived: cell.waived };
            rows.push(OrderRow { order: cell.order, says: cell.says.value, cell: cell_found });
        }
        tables.push((table.title, rows));
    }
    Ok((Matrix { opcodes, tables }, idle))
}

impl Matrix {
    /// Returns the cells that no case tests and no waiver names, in words.
    pub fn missing(&self) -> Vec<String> {
        let empty = |cell: &Cell| cell.cases.is_empty() && cell.waived.is_none();
        let mut missing = Vec::new();
        for row in &self.opcodes {
            for (cell, (direction, role)) in row.cells.iter().zip(COLUMNS) {
                if empty(cell) {
                    let (how, role): (&str, &str) = (direction.into(), role.into());
                    let (message, profile) = (&row.message, row.profile);
                    missing.push(format!(
                        "{message} {how} by the target as {role}, profile {profile}"
                    ));
                }
            }
        }
        for (title, rows) in &self.tables {
            let rows = rows.iter().filter(|row| empty(&row.cell));
            missing.extend(rows.map(|row| format!("{title}: {}", row.order.join(", "))));
        }
        missing.iter().map(|it| format!("no case tries it: {it}")).collect()
    }
}

/// Returns the messages of each profile, with the cases that make the target receive or send them.
fn opcodes(cases: &Cases, layouts: &Layouts) -> Vec<OpcodeRow> {
    let mut rows = Vec::new();
    for (profile, contains) in PROFILES {
        let mut known: BTreeSet<u64> = BTreeSet::new();
        for message in layouts.messages() {
            let of = contains.contains(&message.profile());
            let Some(opcode) = opcode(message).filter(|it| of && known.insert(*it)) else {
                continue;
            };
            let name = message.name().to_owned();
            let cells: [Cell; 4] = Default::default();
            rows.push(OpcodeRow { profile, opcode, message: name, cells });
        }
    }
    for instance in cases.all().iter().flat_map(|case| &case.instances) {
        let role = target_role(instance);
        for (direction, name) in messages(instance) {
            let same = |row: &&mut OpcodeRow| {
                row.message == name
                    && (instance.profile == "all" || instance.profile == row.profile)
            };
            for row in rows.iter_mut().filter(same) {
                let column = COLUMNS.iter().position(|it| *it == (direction, role));
                if let Some(cell) = column.and_then(|it| row.cells.get_mut(it)) {
                    cell.cases.insert(instance.case.clone());
                }
            }
        }
    }
    rows
}

fn opcode(message: &Message) -> Option<u64> {
    message.values().iter().find(|(name, _)| name == "opcode")?.1.number()
}

fn target_role(instance: &Instance) -> TargetRole {
    match instance.role {
        Role::Initiator => TargetRole::Responder,
        Role::Responder => TargetRole::Initiator,
    }
}

/// Returns the messages that the target receives and sends, as the steps name them.
fn messages(instance: &Instance) -> BTreeSet<(Direction, &str)> {
    let mut found = BTreeSet::new();
    for step in &instance.steps {
        match &step.action {
            Action::Send(send) => {
                if let Content::Message { name, .. } = &send.content {
                    found.insert((Direction::Taken, name.as_str()));
                }
            }
            Action::Expect(expect) => {
                expected(&expect.want, &mut |name| {
                    found.insert((Direction::Sent, name));
                });
            }
            _ => {}
        }
    }
    found
}

/// Finds the messages that are waited for.
fn expected<'a>(want: &'a Expected, found: &mut impl FnMut(&'a str)) {
    match want {
        Expected::Message(pattern) => found(&pattern.name),
        Expected::Terminate(_) => found("terminate"),
        Expected::AnyOf(all) | Expected::InOrder(all) | Expected::AllOf(all) => {
            all.iter().for_each(|want| expected(want, found));
        }
        _ => {}
    }
}

/// Returns what the runner sends on each stream, one operation after the other, and where it waits for
/// answers.
fn orders<'a>(
    instance: &'a Instance,
    operations: &'a BTreeMap<String, Vec<String>>,
) -> Vec<Vec<&'a str>> {
    let mut streams: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for step in &instance.steps {
        let order = streams.entry(&step.stream).or_default();
        match word(step, operations) {
            Some(ANSWER) if order.last() == Some(&ANSWER) => {}
            Some(word) => order.push(word),
            None => {}
        }
    }
    streams.into_values().collect()
}

/// Returns the operation of a step's message, or that the step waits for an answer.
fn word<'a>(step: &'a Step, operations: &'a BTreeMap<String, Vec<String>>) -> Option<&'a str> {
    match &step.action {
        Action::Send(send) => {
            let Content::Message { name, fields, .. } = &send.content else { return None };
            // Of a message that is sent segment by segment, only the last segment counts.
            let last = fields.iter().find(|(name, _)| name == "last").map(|(_, value)| value);
            if matches!(last, Some(FieldValue::Number(value)) if value.known() == Some(0)) {
                return None;
            }
            let of = operations.iter().find(|(_, messages)| messages.contains(name));
            Some(of.map_or("other", |(operation, _)| operation))
        }
        Action::Expect(expect) => {
            let mut waits = false;
            expected(&expect.want, &mut |_| waits = true);
            waits.then_some(ANSWER)
        }
        _ => None,
    }
}

/// Whether an order contains these words one after the other.
fn has(order: &[&str], wanted: &[String]) -> bool {
    order
        .windows(wanted.len())
        .any(|window| window.iter().zip(wanted).all(|(one, other)| one == other))
}

/// Whether a requirement is the named one or belongs to the named section: `COMMIT-4` has `COMMIT-4-01`.
fn is_of(id: &str, by: &str) -> bool {
    id.strip_prefix(by).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
