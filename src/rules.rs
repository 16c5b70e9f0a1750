//! `warpscope rules`: the list of rules, and the explanation of one.

use crate::cli::{ListFormat, RulesAction, RulesArguments};
use crate::table::{self, Group, Look};
use crate::terminal::print;
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::process::ExitCode;
use warpscope_dissector::rules::{self, Fault, Rule};
use warpscope_requirements::{Catalogue, Requirement, document_name};
use warpscope_text::suggest;
use warpscope_wire::rdmap::{error_code_name, error_type_name, layer_name};

pub(crate) fn run(arguments: &RulesArguments) -> Result<ExitCode> {
    let shown = arguments.action.as_ref().map(|RulesAction::Show { id }| id);
    if let Some(id) = shown.or(arguments.id.as_ref()) {
        let subject = Subject::find(id)?;
        return print(|out, look| show(&subject, look, out));
    }
    let layers = layers(arguments.layer.as_deref())?;
    let titles = layers.iter().map(|layer| layer.name.to_uppercase());
    let groups = |cells: fn(&Rule) -> [String; 4]| -> Vec<Group> {
        let rows = |layer: &Layer| layer.rules.iter().map(|rule| cells(rule).into()).collect();
        titles.clone().zip(layers.iter().map(rows)).collect()
    };
    print(|out, look| match arguments.format {
        ListFormat::Text => table::groups(
            &groups(|rule| {
                let level = format!("{:6}", rule.level);
                [rule.id.to_owned(), level, rule.section(), rule.title.to_owned()]
            }),
            look,
            out,
        ),
        ListFormat::Markdown => table::markdown_groups(
            &groups(|rule| {
                let id = format!("`{}`", rule.id);
                [id, rule.level.to_string(), rule.section(), rule.title.to_owned()]
            }),
            &["Rule", "Level", "Section", "What is required"],
            out,
        ),
        ListFormat::Json => {
            let rules = layers.iter().flat_map(|layer| &layer.rules);
            table::json(&rules.map(|rule| entry(rule)).collect::<Vec<_>>(), out)
        }
    })
}

/// A layer and its rules.
struct Layer {
    name: &'static str,
    rules: Vec<&'static Rule>,
}

fn layers(wanted: Option<&str>) -> Result<Vec<Layer>> {
    let mut layers: Vec<Layer> = Vec::new();
    for rule in rules::all() {
        let name = layer(rule);
        match layers.iter_mut().find(|layer| layer.name == name) {
            Some(layer) => layer.rules.push(rule),
            None => layers.push(Layer { name, rules: vec![rule] }),
        }
    }
    let Some(wanted) = wanted else { return Ok(layers) };
    let names: Vec<&str> = layers.iter().map(|layer| layer.name).collect();
    if !names.iter().any(|name| name.eq_ignore_ascii_case(wanted)) {
        bail!("--layer {wanted}: no rule has that layer; expected one of {}", names.join(", "));
    }
    layers.retain(|layer| layer.name.eq_ignore_ascii_case(wanted));
    Ok(layers)
}

/// Returns the layer of a rule: the first part of its name.
fn layer(rule: &'static Rule) -> &'static str {
    rule.id.split('-').next().unwrap_or_default()
}

/// Returns a rule in JSON.
fn entry(rule: &'static Rule) -> Value {
    let terminate = rule.terminate.map(
        |(layer, error_type, error_code)| json!({ "layer": layer, "type": error_type, "code": error_code }),
    );
    json!({
        "id": rule.id,
        "layer": layer(rule),
        "level": rule.level.to_string(),
        "section": rule.section(),
        "requirements": rule.requirements,
        "title": rule.title,
        "meaning": rule.meaning,
        "fault": fault(rule),
        "terminate": terminate,
    })
}

fn fault(rule: &Rule) -> &'static str {
    match rule.fault {
        Fault::Sender => "the side that sent it",
        Fault::Receiver => "the side that did not do what was due",
        Fault::Either => "either side: a capture does not show it",
    }
}

struct Subject {
    /// The named rule, or the rules that judge the named requirement.
    rules: Vec<&'static Rule>,
    /// The requirements of these rules.
    requirements: Vec<Requirement>,
}

impl Subject {
    fn find(id: &str) -> Result<Self> {
        let catalogue = Catalogue::builtin()?;
        if let Some(rule) = rules::all().find(|rule| rule.id.eq_ignore_ascii_case(id)) {
            let known = rule.requirements.iter().filter_map(|id| catalogue.find(id).ok());
            return Ok(Self { rules: vec![rule], requirements: known.cloned().collect() });
        }
        let same = |other: &&str| other.eq_ignore_ascii_case(id);
        let judging: Vec<_> =
            rules::all().filter(|rule| rule.requirements.iter().any(same)).collect();
        let requirement = catalogue.all().iter().find(|it| it.id.eq_ignore_ascii_case(id));
        if requirement.is_none() && judging.is_empty() {
            let known = rules::all().map(|rule| rule.id);
            match suggest(id, known.chain(catalogue.all().iter().map(|it| it.id.as_str()))) {
                Some(nearest) => {
                    bail!("no rule or requirement has the id {id}; did you mean {nearest}?")
                }
                None => bail!(
                    "no rule or requirement has the id {id}; `warpscope rules` lists the rules"
                ),
            }
        }
        Ok(Self { rules: judging, requirements: requirement.cloned().into_iter().collect() })
    }
}

fn show(subject: &Subject, look: Look, out: &mut dyn Write) -> io::Result<()> {
    for rule in &subject.rules {
        writeln!(out, "{}", look.heading(rule.id))?;
        writeln!(out, "  Demanded   {}", rule.title)?;
        writeln!(out, "  Level      {}, {}", rule.level, rule.section())?;
        writeln!(out, "  A finding  {}", rule.meaning)?;
        writeln!(out, "  At fault   {}", fault(rule))?;
        writeln!(out, "  Terminate  {}", terminate(rule))?;
        writeln!(out, "  Judges     {}", rule.requirements.join(", "))?;
        writeln!(out)?;
    }
    for (index, requirement) in subject.requirements.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", look.heading(&requirement.id))?;
        let binds: Vec<&str> = requirement.binds.iter().map(|party| party.word()).collect();
        writeln!(out, "  Demanded   {}", requirement.text)?;
        writeln!(
            out,
            "  Level      {}, {} section {}",
            requirement.level,
            document_name(&requirement.document),
            requirement.section
        )?;
        writeln!(out, "  Binds      {}", binds.join(", "))?;
        writeln!(out, "  Judged     {}: {}", requirement.judged, requirement.how)?;
        if !requirement.same_as.is_empty() {
            writeln!(out, "  Same as    {}", requirement.same_as.join(", "))?;
        }
        if subject.rules.is_empty() {
            writeln!(out, "  Rules      none")?;
        }
    }
    Ok(())
}

/// Describes the Terminate for a violation of the rule, in words and numbers.
fn terminate(rule: &Rule) -> String {
    let Some((layer, error_type, error_code)) = rule.terminate else {
        return "none".to_owned();
    };
    let name = |name: Option<&'static str>| name.unwrap_or("unnamed");
    format!(
        "layer {} ({layer}), type {} ({error_type}), code {} (0x{error_code:02x})",
        name(layer_name(layer)),
        name(error_type_name(layer, error_type)),
        name(error_code_name(layer, error_type, error_code)),
    )
}

#[cfg(test)]
mod tests {
    use super::{Catalogue, document_name, rules, suggest};
    use warpscope_dissector::rules::Level;
    use warpscope_requirements::Level as Demand;

    /// A rule's requirements are in the catalogue; the first is in the rule's section, and demands
    /// what the rule demands as strictly, or more.
    #[test]
    fn rules_judge_requirements_that_exist() {
        let catalogue = Catalogue::builtin().unwrap();
        let mut wrong = Vec::new();
        for rule in rules::all() {
            for id in rule.requirements {
                if let Err(unknown) = catalogue.find(id) {
                    wrong.push(format!("{}: {unknown}", rule.id));
                }
            }
            let first = rule.requirements.first().and_then(|id| catalogue.find(id).ok());
            let Some(first) = first else { continue };
            let (start, section) = (document_name(&first.document), first.section.to_string());
            if rule.section() != format!("{start} section {section}") {
                let own = rule.section();
                wrong.push(format!("{}: {own} for {start} section {section}", rule.id));
            }
            let must = matches!(first.level, Demand::Must | Demand::MustNot);
            if !must && rule.level == Level::Must {
                wrong.push(format!(
                    "{}: {:?}, but {} is {}",
                    rule.id, rule.level, first.id, first.level
                ));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn names_of_rules_are_unlike_each_other() {
        let ids: Vec<&str> = rules::all().map(|rule| rule.id).collect();
        for (index, id) in ids.iter().enumerate() {
            assert!(!ids[..index].contains(id), "{id} is there twice");
            assert_eq!(suggest(id, ids.iter().copied()), Some(*id));
        }
    }
}
