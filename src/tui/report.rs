//! A report of a conformance run, as the UI shows it.

use anyhow::{Context as _, Result};
use std::path::Path;
use warpscope_conformance::report::{Counts, InstanceResult, Run, Verdict, outline, read_json};
use warpscope_dissector::format::{counted, push_shown};
use warpscope_requirements::document_name;
use warpscope_tui::look::Tone;
use warpscope_tui::state::{RunEntry, TextLine, piece};

/// Reads a report.
///
/// # Errors
/// When the file cannot be read, or is no report.
pub(super) fn read(path: &Path) -> Result<(String, Vec<RunEntry>)> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {}: check the name", path.display()))?;
    let run = read_json(&text).with_context(|| path.display().to_string())?;
    let counts = run.counts();
    let broken =
        run.broken_off.as_ref().map_or(String::new(), |why| format!("; broken off: {why}"));
    let cases = counted(run.cases() as u64, "case");
    let title = format!("{}: {} of {cases}{broken}", run.target.name, counts.describe());
    Ok((shown(&title), entries(&run)))
}

fn shown(text: &str) -> String {
    let mut out = String::new();
    push_shown(text, &mut out);
    out
}

fn entries(run: &Run) -> Vec<RunEntry> {
    let mut entries = Vec::new();
    for document in outline(run) {
        entries.push(summed(0, document_name(document.id), &document.counts()));
        for section in &document.sections {
            let name = format!("{} {}", section.number, section.title);
            entries.push(summed(1, name, &section.counts()));
            for case in &section.cases {
                let mut entry = summed(2, case.id.to_owned(), &case.counts());
                entry.details = vec![line(Tone::Plain, case.title), line(Tone::Dim, case.level)];
                entries.push(entry);
                entries.extend(case.instances.iter().map(|instance| instance_entry(instance)));
            }
        }
    }
    entries
}

fn summed(depth: u8, name: String, counts: &Counts) -> RunEntry {
    let fails = counts.failing(false) > 0;
    let tone = match (fails, counts.of(Verdict::Pass)) {
        (true, _) => Tone::Bad,
        (false, 0) => Tone::Dim,
        (false, _) => Tone::Good,
    };
    RunEntry {
        depth,
        name: shown(&name),
        verdict: counts.describe(),
        tone,
        fails,
        details: Vec::new(),
    }
}

fn instance_entry(instance: &InstanceResult) -> RunEntry {
    let tone = match instance.verdict {
        Verdict::Pass => Tone::Good,
        verdict if verdict.fails(false) => Tone::Bad,
        Verdict::NotApplicable => Tone::Dim,
        _ => Tone::Warn,
    };
    RunEntry {
        depth: 3,
        name: shown(&instance.id),
        verdict: instance.verdict.describe().to_owned(),
        tone,
        fails: instance.verdict.fails(false),
        details: details(instance),
    }
}

fn line(tone: Tone, text: &str) -> TextLine {
    vec![piece(tone, shown(text))]
}

fn details(instance: &InstanceResult) -> Vec<TextLine> {
    let mut lines = vec![line(Tone::Strong, &instance.title)];
    let mut told = |name: &str, tone, texts: &mut dyn Iterator<Item = &str>| {
        for (index, text) in texts.flat_map(str::lines).enumerate() {
            let name = if index == 0 { name } else { "" };
            lines.push(vec![piece(Tone::Dim, format!("{name:<10}")), piece(tone, shown(text))]);
        }
    };
    let tone = if instance.verdict.fails(false) { Tone::Bad } else { Tone::Plain };
    told("why", tone, &mut instance.reason.iter().map(String::as_str));
    for requirement in &instance.covers {
        let document = document_name(&requirement.document);
        let (level, section, id) = (&requirement.level, &requirement.section, &requirement.id);
        let words = format!("{} ({level}, {document} section {section}, {id})", requirement.text);
        told("demanded", Tone::Plain, &mut [words.as_str()].into_iter());
    }
    told("sent", Tone::Plain, &mut instance.sent.iter().map(String::as_str));
    told("accepted", Tone::Plain, &mut instance.accepted.iter().map(String::as_str));
    told("came", tone, &mut instance.came.iter().map(String::as_str));
    told("see", Tone::Accent, &mut instance.link.iter().map(String::as_str));
    told("capture", Tone::Accent, &mut instance.capture.iter().map(String::as_str));
    told("again", Tone::Dim, &mut [instance.rerun.as_str()].into_iter());
    if let Some(ladder) = &instance.ladder {
        lines.push(Vec::new());
        lines.extend(ladder.text.lines().map(|text| line(Tone::Plain, text)));
    }
    lines
}
