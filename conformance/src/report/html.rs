//! The report as a single page for a browser. It needs no network and no other file.
//!
//! At the top are what was tested, the totals, what changed, what is wrong, and a matrix by document and
//! section. The script draws a case with its instances when it is opened, from JSON in the page ([`Data`]):
//! the page stays small however many fail. Each verdict has a sign and a word beside its colour.

use super::cause::{Cause, causes};
use super::change::{Change, Changed, changes, count, summary};
use super::embedded::Data;
use super::model::{FAILED, PASSED, exit_code, spent};
use super::outline::{DocumentResults, outline};
use super::{Counts, NamedRun, Run, Verdict};
use std::io::{self, Write};
use warpscope_requirements::document_name;
use warpscope_text::{counted, markup};

const STYLE: &str = include_str!("html.css");
const SCRIPT: &str = include_str!("html.js");

/// Writes the beginning of a page, up to its title.
pub(super) fn head(title: &str, out: &mut dyn Write) -> io::Result<()> {
    let title = markup(title);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
         <h1>{title}</h1>"
    )
}

/// Writes the report as a page for a browser, of at most a megabyte, with what changed since an older run. Its
/// first sentence says what [`exit_code`] says.
pub fn write_html(
    run: &Run,
    strict: bool,
    older: Option<&NamedRun>,
    out: &mut dyn Write,
) -> io::Result<()> {
    head(&format!("Conformance of {}", run.target.name), out)?;
    parameters(run, out)?;
    writeln!(out, "</header>\n<main>")?;
    let (counts, documents, causes) = (run.counts(), outline(run), causes(run));
    verdict(run, strict, &counts, out)?;
    if let Some(older) = older {
        changes_of(older, run, out)?;
    }
    causes_of(&causes, out)?;
    matrix(&documents, &counts, run.cases(), out)?;
    filter(&counts, out)?;
    writeln!(
        out,
        "<noscript><p>A script in this page draws the cases; the reports as JSON and JUnit have them too.</p>\
         </noscript>"
    )?;
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
                "<section class=\"part\" aria-labelledby=\"{id}\" data-section=\"{number}\">\n<h3 id=\"{id}\">{} {} \
                 <small>{}</small></h3>\n</section>",
                markup(section.number),
                markup(section.title),
                section.counts().describe()
            )?;
            number += 1;
        }
        writeln!(out, "</section>")?;
    }
    let data = serde_json::to_string(&Data::new(&documents, &causes))?;
    // This keeps a text from ending the element.
    let data = data.replace('<', "\\u003c");
    writeln!(
        out,
        "</main>\n<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n\
         </body>\n</html>"
    )
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

fn verdict(run: &Run, strict: bool, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    let failing = counted(counts.failing(strict), "instance");
    let (class, words) = match exit_code(run, strict) {
        _ if run.broken_off.is_some() => ("fail", "The run was broken off".to_owned()),
        PASSED => ("pass", "Nothing failed".to_owned()),
        FAILED => ("fail", format!("{failing} failed")),
        _ if counts.total() == 0 => ("inconclusive", "Nothing was run".to_owned()),
        _ => ("inconclusive", "The run could not decide everything".to_owned()),
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
    let decided = run.broken_off.is_none() && counts.of(Verdict::Inconclusive) == 0;
    match run.conclusion(strict).filter(|_| !decided) {
        Some(why) => writeln!(out, "<p class=\"sum {class}\">{}</p>", markup(&why)),
        None => Ok(()),
    }
}

/// Writes the legend, which is also a filter.
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

/// The maximum number of causes on the page. There are more only if hardly two failures are alike.
const CAUSES: usize = 150;
/// The maximum length of a cause on the page, in bytes.
const CAUSE: usize = 400;

/// Writes what is wrong, with the reason of the clearest instance of each cause. The script adds the rest.
fn causes_of(causes: &[Cause<'_>], out: &mut dyn Write) -> io::Result<()> {
    if causes.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section aria-labelledby=\"causes\">\n<h2 id=\"causes\">What is wrong</h2>")?;
    for (number, cause) in causes.iter().enumerate().take(CAUSES) {
        let (verdict, count) = (cause.verdict, cause.count());
        let plainest = cause.instances.first().map(|it| it.id.as_str()).unwrap_or_default();
        writeln!(
            out,
            "<details class=\"cause\" data-cause=\"{number}\">\n\
             <summary><span class=\"badge {}\">{} {verdict}</span><span class=\"name\"><b>{}</b> \
             <small>{count}</small></span></summary>\n\
             <p class=\"plainest\">Clearest in <code>{}</code></p>\n\
             </details>",
            verdict.word(),
            sign(verdict),
            markup(&cut(cause.cause)),
            markup(plainest)
        )?;
    }
    if causes.len() > CAUSES {
        writeln!(out, "<p>and {} more causes, in the JSON report</p>", causes.len() - CAUSES)?;
    }
    writeln!(out, "</section>")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(CAUSE) {
        Some((at, _)) => format!("{}\u{2026}", text.get(..at).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// The maximum number of changed cases of each kind on the page.
const CHANGES: usize = 60;

/// Writes what changed since an older run.
fn changes_of(older: &NamedRun, run: &Run, out: &mut dyn Write) -> io::Result<()> {
    let changes = changes(&older.run, run);
    let (version, began) = (markup(&older.run.version), older.run.started);
    writeln!(
        out,
        "<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">What changed</h2>\n<p>Since {} ({}, {began}, \
         warpscope {version}): {}.</p>",
        markup(&older.name),
        markup(&older.run.target.name),
        summary(&changes)
    )?;
    for of_change in changes.chunk_by(|one, next| one.change == next.change) {
        let Some(Changed { change, .. }) = of_change.first() else { continue };
        let class = match change {
            Change::NewlyFailing => "fail",
            Change::Mended => "pass",
            _ => "not-applicable",
        };
        writeln!(
            out,
            "<details class=\"cause\"{}><summary><span class=\"badge {class}\">{}</span><span class=\"name\">{}\
             </span></summary>\n<ul>",
            if *change == Change::NewlyFailing { " open=\"open\"" } else { "" },
            change.describe(),
            counted(count(of_change, *change), "instance"),
        )?;
        for changed in of_change.iter().take(CHANGES) {
            let (name, words) = (markup(&changed.name()), markup(&cut(&changed.words)));
            writeln!(out, "<li><code>{name}</code> <span class=\"reason\">{words}</span></li>")?;
        }
        if of_change.len() > CHANGES {
            writeln!(out, "<li>and {} more</li>", of_change.len() - CHANGES)?;
        }
        writeln!(out, "</ul>\n</details>")?;
    }
    writeln!(out, "</section>")
}

/// Writes the matrix by document and section.
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

/// Returns the sign of a verdict. Its word is always beside it, or in the label around it.
pub(super) fn sign(verdict: Verdict) -> String {
    format!("<i aria-hidden=\"true\">{}</i>", verdict.sign())
}
