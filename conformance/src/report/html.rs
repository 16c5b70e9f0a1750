//! The report as one page for a browser: it needs no network and no other file.
//!
//! Above are what was tested and the sums, then a matrix by document and section, then every case
//! with its instances: what was demanded, sent, accepted and received, and the ladder. Each verdict
//! has a sign and a word beside its colour. The script filters by verdict and words; without it the page shows
//! everything. Ladders are pictures in the page's address space of their own (`img`), so that their styles stay theirs.

use super::cause::causes;
use super::model::{FAILED, PASSED, exit_code, spent};
use super::outline::{CaseResults, DocumentResults, Form, details, outline};
use super::{Counts, InstanceResult, Run, Verdict};
use std::collections::HashMap;
use std::io::{self, Write};
use warpscope_requirements::document_name;
use warpscope_text::{address, counted, markup};

const STYLE: &str = include_str!("html.css");
const SCRIPT: &str = include_str!("html.js");

/// Writes the report as a page for a browser.
///
/// # Errors
/// Those of the output.
pub fn write_html(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let title = markup(&format!("Conformance of {}", run.target.name));
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <h1>{title}</h1>"
    )?;
    parameters(run, out)?;
    writeln!(out, "</header>\n<main>")?;
    let counts = run.counts();
    verdict(run, &counts, out)?;
    filter(&counts, out)?;
    let documents = outline(run);
    causes_of(run, &documents, out)?;
    matrix(&documents, &counts, run.cases(), out)?;
    let mut number = 0;
    for (document_at, document) in documents.iter().enumerate() {
        writeln!(
            out,
            "<section class=\"document\" aria-labelledby=\"d{document_at}\">\n\
             <h2 id=\"d{document_at}\">{}</h2>",
            markup(&document_name(document.id))
        )?;
        for (section_at, section) in document.sections.iter().enumerate() {
            let id = format!("d{document_at}s{section_at}");
            writeln!(
                out,
                "<section class=\"part\" aria-labelledby=\"{id}\">\n<h3 id=\"{id}\">{} {} \
                 <small>{}</small></h3>",
                markup(section.number),
                markup(section.title),
                section.counts().describe()
            )?;
            for case in &section.cases {
                number = self::case(document, section.number, case, number, out)?;
            }
            writeln!(out, "</section>")?;
        }
        writeln!(out, "</section>")?;
    }
    writeln!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>")
}

fn parameters(run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let target = &run.target;
    let capabilities = target.capabilities.join(", ");
    let shown = [
        ("Address", target.address.clone().unwrap_or_default()),
        ("Profile", target.profile.clone().unwrap_or_default()),
        ("Mode", target.mode.clone()),
        ("Seed", run.seed.to_string()),
        ("Began", run.started.to_string()),
        ("Took", spent(run.microseconds)),
        ("warpscope", run.version.clone()),
        ("Capabilities", capabilities),
        ("Allowed by the profile", target.allowances.join("; ")),
    ];
    writeln!(out, "<dl class=\"parameters\">")?;
    for (name, value) in shown.iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", markup(value))?;
    }
    writeln!(out, "</dl>")
}

fn verdict(run: &Run, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    let failing = counted(counts.failing(false), "instance");
    let (class, words) = match exit_code(run, false) {
        _ if run.broken_off.is_some() => ("fail", "The run was broken off".to_owned()),
        PASSED => ("pass", "Nothing failed".to_owned()),
        FAILED => ("fail", format!("{failing} failed")),
        _ if counts.total() == 0 => ("inconclusive", "Nothing was run".to_owned()),
        _ => ("inconclusive", "The run could not tell all".to_owned()),
    };
    let sign = sign(match class {
        "pass" => Verdict::Pass,
        "fail" => Verdict::Fail,
        _ => Verdict::Inconclusive,
    });
    writeln!(
        out,
        "<p class=\"sum {class}\">{sign} <b>{words}</b> of {} instances of {} cases: {}.</p>",
        counts.total(),
        run.cases(),
        counts.describe()
    )?;
    let told = run.broken_off.is_none() && counts.of(Verdict::Inconclusive) == 0;
    match run.conclusion(false).filter(|_| !told) {
        Some(why) => writeln!(out, "<p class=\"sum {class}\">{}</p>", markup(&why)),
        None => Ok(()),
    }
}

/// The legend, which filters where the script runs.
fn filter(counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<form class=\"filter\" id=\"filter\">\n<fieldset>\n<legend>Show</legend>")?;
    for verdict in Verdict::ALL {
        let (word, words, meaning) = (verdict.word(), verdict.describe(), verdict.meaning());
        let count = counts.of(verdict);
        if count > 0 {
            writeln!(
                out,
                "<label class=\"{word}\" title=\"{meaning}\"><input type=\"checkbox\" \
                 name=\"verdict\" value=\"{word}\" checked=\"checked\"/>{} {words} \
                 <small>{count}</small></label>",
                sign(verdict)
            )?;
        }
    }
    writeln!(
        out,
        "</fieldset>\n<div class=\"words\"><label for=\"words\">with the words</label>\n\
         <input id=\"words\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" \
         placeholder=\"terminate RFC5040-4.8 crc=off\"/>\n\
         <button type=\"button\" id=\"open\">Open all</button>\n\
         <button type=\"button\" id=\"close\">Close all</button>\n\
         <output id=\"shown\" aria-live=\"polite\"></output></div>\n</form>"
    )
}

/// What is wrong, each with links to its instances, the plainest first.
fn causes_of(run: &Run, documents: &[DocumentResults<'_>], out: &mut dyn Write) -> io::Result<()> {
    let causes = causes(run);
    if causes.is_empty() {
        return Ok(());
    }
    let sections = documents.iter().flat_map(|document| &document.sections);
    let instances = sections.flat_map(|section| &section.cases).flat_map(|case| &case.instances);
    let numbers: HashMap<&str, usize> =
        instances.enumerate().map(|(number, instance)| (instance.id.as_str(), number)).collect();
    writeln!(out, "<section aria-labelledby=\"causes\">\n<h2 id=\"causes\">What is wrong</h2>")?;
    for cause in causes {
        let (verdict, count) = (cause.verdict, counted(cause.instances.len() as u64, "instance"));
        writeln!(
            out,
            "<details class=\"cause\">\n<summary><span class=\"badge {}\">{} {verdict}</span>\
             <span class=\"name\"><b>{}</b> <small>{count}</small></span></summary>\n<ul>",
            verdict.word(),
            sign(verdict),
            markup(cause.cause)
        )?;
        for instance in cause.instances {
            let number = numbers.get(instance.id.as_str()).copied().unwrap_or_default();
            writeln!(
                out,
                "<li class=\"{}\">{} <a href=\"#i{number}\"><code>{}</code></a> <span class=\"reason\">{}\
                 </span></li>",
                instance.verdict.word(),
                sign(instance.verdict),
                markup(&instance.id),
                markup(instance.reason.as_deref().unwrap_or_default())
            )?;
        }
        writeln!(out, "</ul>\n</details>")?;
    }
    writeln!(out, "</section>")
}

/// The matrix by document and section.
fn matrix(
    documents: &[DocumentResults<'_>],
    all: &Counts,
    cases: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let always = [Verdict::Pass, Verdict::Fail];
    let verdicts = Verdict::ALL.into_iter();
    let columns: Vec<Verdict> =
        verdicts.filter(|it| always.contains(it) || all.of(*it) > 0).collect();
    writeln!(
        out,
        "<div class=\"scroll\" role=\"region\" aria-label=\"Instances by section\" tabindex=\"0\">\n\
         <table class=\"matrix\">\n<caption>Instances by document and section</caption>\n\
         <thead><tr><th scope=\"col\">Section</th><th scope=\"col\">Cases</th>\
         <th scope=\"col\">Instances</th>"
    )?;
    for verdict in &columns {
        let (word, words) = (verdict.word(), verdict.describe());
        write!(out, "<th scope=\"col\" class=\"{word}\">{} {words}</th>", sign(*verdict))?;
    }
    writeln!(out, "</tr></thead>")?;
    let row = |head: String, cases: usize, counts: &Counts, out: &mut dyn Write| {
        write!(out, "<tr>{head}<td>{cases}</td><td>{}</td>", counts.total())?;
        for verdict in &columns {
            match counts.of(*verdict) {
                0 => write!(out, "<td class=\"none\">\u{b7}</td>")?,
                count => write!(out, "<td class=\"{}\">{count}</td>", verdict.word())?,
            }
        }
        writeln!(out, "</tr>")
    };
    for (document_at, document) in documents.iter().enumerate() {
        writeln!(out, "<tbody>")?;
        let name = markup(&document_name(document.id));
        let head = format!(
            "<th scope=\"rowgroup\" class=\"of-document\"><a href=\"#d{document_at}\">{name}</a></th>"
        );
        row(head, document.cases(), &document.counts(), out)?;
        for (section_at, section) in document.sections.iter().enumerate() {
            let (number, title) = (markup(section.number), markup(section.title));
            let head = format!(
                "<th scope=\"row\"><a href=\"#d{document_at}s{section_at}\">{number} {title}</a></th>"
            );
            row(head, section.cases.len(), &section.counts(), out)?;
        }
        writeln!(out, "</tbody>")?;
    }
    writeln!(out, "<tfoot>")?;
    row("<th scope=\"row\">All</th>".to_owned(), cases, all, out)?;
    writeln!(out, "</tfoot>\n</table>\n</div>")
}

/// A case with its instances, the first of which has this number; returns the number after the last.
fn case(
    document: &DocumentResults<'_>,
    section: &str,
    case: &CaseResults<'_>,
    first: usize,
    out: &mut dyn Write,
) -> io::Result<usize> {
    let worst = case.worst();
    let covers = case.instances.first().map(|instance| instance.covers.as_slice());
    let covers: Vec<&str> =
        covers.unwrap_or_default().iter().map(|requirement| requirement.id.as_str()).collect();
    let searched =
        format!("{} {} {} {section} {}", case.id, case.title, document.id, covers.join(" "));
    let open = if worst.fails(false) { " open=\"open\"" } else { "" };
    writeln!(
        out,
        "<details class=\"case\" data-words=\"{}\"{open}>\n<summary><span class=\"badge {}\">{} {worst}\
         </span><span class=\"name\"><b>{}</b> <code>{}</code> <small>{}</small></span>",
        markup(&searched.to_lowercase()),
        worst.word(),
        sign(worst),
        markup(case.title),
        markup(case.id),
        markup(case.level)
    )?;
    write!(out, "<span class=\"cells\">")?;
    for (at, instance) in case.instances.iter().enumerate() {
        let verdict = instance.verdict;
        let about = markup(&format!("{}: {verdict}", instance.id));
        write!(
            out,
            "<a href=\"#i{}\" class=\"{}\" title=\"{about}\" aria-label=\"{about}\">{}</a>",
            first + at,
            verdict.word(),
            sign(verdict)
        )?;
    }
    writeln!(out, "</span></summary>")?;
    for (at, instance) in case.instances.iter().enumerate() {
        self::instance(case, instance, first + at, out)?;
    }
    writeln!(out, "</details>")?;
    Ok(first + case.instances.len())
}

fn instance(
    case: &CaseResults<'_>,
    instance: &InstanceResult,
    number: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let verdict = instance.verdict;
    let reason = instance.reason.as_deref().unwrap_or_default();
    let searched = format!("{} {reason} {verdict}", instance.id).to_lowercase();
    // The case's id is above.
    let short = instance.id.strip_prefix(case.id).unwrap_or(&instance.id);
    let short = short.trim_start_matches('[').trim_end_matches(']');
    let short = if short.is_empty() { instance.id.as_str() } else { short };
    writeln!(
        out,
        "<details class=\"instance\" id=\"i{number}\" data-verdict=\"{}\" data-words=\"{}\">\n\
         <summary><span class=\"badge {}\">{} {verdict}</span><span class=\"name\"><code>{}</code> \
         <span class=\"reason\">{}</span></span><span class=\"took\">{}</span></summary>\n<dl>",
        verdict.word(),
        markup(&searched),
        verdict.word(),
        sign(verdict),
        markup(short),
        markup(reason),
        spent(instance.microseconds)
    )?;
    for detail in details(instance) {
        write!(out, "<dt>{}</dt>", detail.name)?;
        for line in &detail.lines {
            let line = markup(line);
            match (detail.form, detail.name) {
                (Form::Words, _) => write!(out, "<dd>{line}</dd>")?,
                (Form::Lines, "See") if is_web(&line) => {
                    write!(out, "<dd><a href=\"{line}\" rel=\"noreferrer\">{line}</a></dd>")?;
                }
                (Form::Lines, _) => write!(out, "<dd><code>{line}</code></dd>")?,
            }
        }
        writeln!(out)?;
    }
    writeln!(out, "</dl>")?;
    if let Some(ladder) = &instance.ladder {
        let text = markup(ladder.text.trim_end());
        match &ladder.svg {
            Some(svg) => writeln!(
                out,
                "<figure><img loading=\"lazy\" alt=\"The ladder of {}; as text below\" \
                 src=\"data:image/svg+xml,{}\"/>\n<details><summary>The ladder as text</summary>\
                 <pre>{text}</pre></details></figure>",
                markup(&instance.id),
                address(svg)
            )?,
            None => writeln!(out, "<figure><pre>{text}</pre></figure>")?,
        }
    }
    writeln!(out, "</details>")
}

/// Whether a link may be followed from the page.
fn is_web(link: &str) -> bool {
    link.starts_with("https://") || link.starts_with("http://")
}

/// The sign of a verdict. Its word always is beside it, or in the label around it.
fn sign(verdict: Verdict) -> String {
    format!("<i aria-hidden=\"true\">{}</i>", verdict.sign())
}
