//! Coverage as JSON.
//!
//! | key | what |
//! |---|---|
//! | `format` | `warpscope-conformance-coverage/1` |
//! | `tally` | counts of all: `active_must`, `passive_must`, `should`, `may` (each `total`, `covered`, `waived`), `unobservable` |
//! | `documents` | a list: `id`, `title`, `tally`, `sections` |
//! | `sections` | a list: `section`, `tally`, `uncovered` (ids of MUSTs and SHOULDs that nothing judges), `requirements` |
//! | `requirements` | a list: `id`, `level`, `judged`, `text`, `standing` (`covered`, `waived`, `uncovered`, `unobservable`), `cases`, `rules`, `said_elsewhere`, `waived` (the reason) |
//! | `unknown` | ids that cases and rules name and no requirement has: `by`, `id`, `nearest` |

use super::model::{Coverage, RequirementCoverage, SectionCoverage, Standing};
use super::text::is_open;
use serde_json::{Value, json};
use std::io::{self, Write};

/// The name and version of the object.
pub const FORMAT: &str = "warpscope-conformance-coverage/1";

/// Writes the object.
///
/// # Errors
/// Those of the output.
pub fn write(coverage: &Coverage, out: &mut dyn Write) -> io::Result<()> {
    let documents: Vec<Value> = coverage
        .documents
        .iter()
        .map(|it| {
            json!({
                "id": it.document.id,
                "title": it.document.title,
                "tally": it.tally(),
                "sections": it.sections.iter().map(section).collect::<Vec<_>>(),
            })
        })
        .collect();
    let unknown: Vec<Value> = coverage
        .unknown
        .iter()
        .map(|it| json!({ "by": it.by, "id": it.error.id, "nearest": it.error.nearest }))
        .collect();
    let whole = json!({
        "format": FORMAT,
        "tally": coverage.tally(),
        "documents": documents,
        "unknown": unknown,
    });
    serde_json::to_writer_pretty(&mut *out, &whole)?;
    writeln!(out)
}

fn section(section: &SectionCoverage) -> Value {
    let open = section.requirements.iter().filter(|it| is_open(it));
    json!({
        "section": section.number,
        "tally": section.tally(),
        "uncovered": open.map(|it| it.requirement.id.as_str()).collect::<Vec<_>>(),
        "requirements": section.requirements.iter().map(requirement).collect::<Vec<_>>(),
    })
}

fn requirement(it: &RequirementCoverage) -> Value {
    let standing = match it.standing() {
        Standing::Covered => "covered",
        Standing::Waived => "waived",
        Standing::Uncovered => "uncovered",
        Standing::Unobservable => "unobservable",
    };
    json!({
        "id": it.requirement.id,
        "level": it.requirement.level.word(),
        "judged": it.requirement.judged.word(),
        "text": it.requirement.text,
        "standing": standing,
        "cases": it.cases,
        "rules": it.rules,
        "said_elsewhere": it.same,
        "waived": it.waived,
    })
}
