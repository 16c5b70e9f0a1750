//! The instances of a run, arranged by document, section and case.

use super::{Counts, FieldDifference, InstanceResult, Run};
use std::str::FromStr as _;
use warpscope_requirements::{Section, document_name};

/// A document and the results of its cases.
#[derive(Debug, Clone)]
pub struct DocumentResults<'a> {
    /// The document's id: `RFC5040`.
    pub id: &'a str,
    /// Its sections, in the order of the text.
    pub sections: Vec<SectionResults<'a>>,
}

/// A section and the results of its cases.
#[derive(Debug, Clone)]
pub struct SectionResults<'a> {
    /// The section's number, as the cases write it.
    pub number: &'a str,
    /// Its topic; may be empty.
    pub title: &'a str,
    /// Its cases, in the order of the run.
    pub cases: Vec<CaseResults<'a>>,
}

/// A case and the results of its instances.
#[derive(Debug, Clone)]
pub struct CaseResults<'a> {
    /// The case's id.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its level.
    pub level: &'a str,
    /// Its instances, in the order of the run; at least one.
    pub instances: Vec<&'a InstanceResult>,
}

impl CaseResults<'_> {
    /// Returns the number of instances by verdict.
    pub fn counts(&self) -> Counts {
        self.instances.iter().map(|instance| instance.verdict).collect()
    }
}

impl SectionResults<'_> {
    /// Returns the number of instances by verdict.
    pub fn counts(&self) -> Counts {
        let cases = self.cases.iter().flat_map(|case| &case.instances);
        cases.map(|instance| instance.verdict).collect()
    }
}

impl DocumentResults<'_> {
    /// Returns the number of instances by verdict.
    pub fn counts(&self) -> Counts {
        let sections = self.sections.iter().flat_map(|section| &section.cases);
        sections.flat_map(|case| &case.instances).map(|instance| instance.verdict).collect()
    }

    /// Returns the number of cases in it.
    pub fn cases(&self) -> usize {
        self.sections.iter().map(|section| section.cases.len()).sum()
    }
}

/// Returns the instances by document, section and case. Documents and cases are in the order of their first
/// occurrence in the run, sections in the order of the text.
pub fn outline(run: &Run) -> Vec<DocumentResults<'_>> {
    let mut documents: Vec<DocumentResults<'_>> = Vec::new();
    for instance in &run.instances {
        let document = place(
            &mut documents,
            |document| document.id == instance.document,
            || DocumentResults { id: &instance.document, sections: Vec::new() },
        );
        let section = document.and_then(|document| {
            place(
                &mut document.sections,
                |section| section.number == instance.section,
                || SectionResults {
                    number: &instance.section,
                    title: &instance.section_title,
                    cases: Vec::new(),
                },
            )
        });
        let case = section.and_then(|section| {
            place(
                &mut section.cases,
                |case| case.id == instance.case,
                || CaseResults {
                    id: &instance.case,
                    title: &instance.title,
                    level: &instance.level,
                    instances: Vec::new(),
                },
            )
        });
        if let Some(case) = case {
            case.instances.push(instance);
        }
    }
    for document in &mut documents {
        // A stable sort: what is not a section number comes last, in its original order.
        document.sections.sort_by_key(|section| {
            let number = Section::from_str(section.number).ok();
            (number.is_none(), number)
        });
    }
    documents
}

/// Returns the entry that is looked for, which is added if it is missing.
fn place<T>(
    entries: &mut Vec<T>,
    is: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> Option<&mut T> {
    let at = entries.iter().position(is).unwrap_or_else(|| {
        entries.push(new());
        entries.len() - 1
    });
    entries.get_mut(at)
}

/// A detail of an instance: its name and its lines.
pub(super) struct Detail {
    pub(super) name: &'static str,
    /// The content; at least one line.
    pub(super) lines: Vec<String>,
    /// How the lines are to be shown.
    pub(super) form: Form,
}

/// How lines are displayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Sentences, which may be wrapped anywhere.
    Text,
    /// Lines that are kept unchanged: decoded messages, commands.
    Lines,
}

/// The sign of a field that differs.
pub(super) const DIFFERS: &str = "\u{2260}";

/// Formats a field: if it differs, the expected value and below it the actual one, else a single line.
fn field(field: &FieldDifference) -> Vec<String> {
    let FieldDifference { name, expected, came, differs } = field;
    if !differs {
        return vec![format!("= {name:20} is        {came}")];
    }
    vec![
        format!("{DIFFERS} {name:20} expected  {expected}"),
        format!("{DIFFERS} {:20} came      {came}", ""),
    ]
}

/// Returns all details of an instance except its name, verdict, title and ladder.
pub(super) fn details(instance: &InstanceResult) -> Vec<Detail> {
    let mut details = Vec::new();
    let mut push = |name, form, lines: Vec<String>| {
        if !lines.is_empty() {
            details.push(Detail { name, lines, form });
        }
    };
    let demanded = instance.covers.iter().map(|requirement| {
        let (document, section) = (document_name(&requirement.document), &requirement.section);
        let (id, level, text) = (&requirement.id, &requirement.level, &requirement.text);
        format!("{text} ({level}, {document} section {section}, {id})")
    });
    push("Demanded", Form::Text, demanded.collect());
    push("Why", Form::Text, instance.reason.clone().into_iter().collect());
    push("See", Form::Lines, instance.link.clone().into_iter().collect());
    push("Sent", Form::Lines, instance.sent.clone());
    push("Accepted", Form::Lines, instance.accepted.clone());
    push("Came", Form::Lines, instance.came.clone());
    if let Some(difference) = &instance.difference {
        push("Fields", Form::Lines, difference.fields.iter().flat_map(field).collect());
        let bytes = std::iter::once(&difference.of).chain(&difference.bytes);
        push("Bytes", Form::Lines, bytes.cloned().collect());
    }
    if instance.attempts > 1 {
        let tries = format!("{} times, and the worst counts", instance.attempts);
        push("Tried", Form::Text, vec![tries]);
    }
    push("Again", Form::Lines, vec![instance.rerun.clone()]);
    push("Capture", Form::Lines, instance.capture.clone().into_iter().collect());
    details
}
