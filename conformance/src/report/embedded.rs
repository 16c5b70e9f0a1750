//! The data from which the page's script draws cases and instances: JSON with every text once, within a
//! budget of bytes. The clearest instances of a cause come first; what does not fit is in the JSON report.

use super::cause::Cause;
use super::outline::DocumentResults;
use super::{InstanceResult, Requirement, Verdict};
use serde::Serialize;
use std::collections::HashMap;

/// The maximum size of all details in bytes.
const BUDGET: usize = 500_000;
/// The maximum size of the ladders among them in bytes.
const LADDERS: usize = 120_000;

/// Indexes of texts in [`Data::texts`].
type Texts = Vec<usize>;

/// All data of the script.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    texts: Vec<&'a str>,
    /// Verdicts by index: word, words, sign.
    verdicts: Vec<(&'static str, &'static str, char)>,
    sections: Vec<Section<'a>>,
    /// The instances of each cause, the clearest first.
    causes: Vec<Vec<usize>>,
}

#[derive(Serialize)]
struct Section<'a> {
    document: &'a str,
    number: &'a str,
    cases: Vec<Case<'a>>,
}

#[derive(Serialize)]
struct Case<'a> {
    id: &'a str,
    title: &'a str,
    level: &'a str,
    covers: Vec<&'a str>,
    /// What is required, if an instance has details.
    demanded: Texts,
    /// Id without that of the case, verdict, microseconds, details.
    instances: Vec<(&'a str, usize, u64, Option<Details<'a>>)>,
}

/// The details of an instance, without empty ones.
#[derive(Serialize)]
struct Details<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    see: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sent: Texts,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    accepted: Texts,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    came: Texts,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Compared>,
    #[serde(skip_serializing_if = "is_one")]
    tried: u32,
    /// The texts of the command before and after the id.
    again: (usize, usize),
    #[serde(skip_serializing_if = "Option::is_none")]
    capture: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ladder: Option<usize>,
}

/// The source of the bytes; the expected and actual value of each field, and whether they differ; the bytes.
#[derive(Serialize)]
struct Compared(usize, Vec<(usize, usize, usize, u8)>, Texts);

fn is_one(tried: &u32) -> bool {
    *tried <= 1
}

/// Texts by index, and their size.
#[derive(Default)]
struct Interner<'a> {
    texts: Vec<&'a str>,
    numbers: HashMap<&'a str, usize>,
    bytes: usize,
}

impl<'a> Interner<'a> {
    fn one(&mut self, text: &'a str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.bytes += text.len() + text.matches(['"', '\n', '<']).count() * 5 + 3;
            self.texts.push(text);
            self.texts.len() - 1
        })
    }

    fn all(&mut self, texts: &'a [String]) -> Texts {
        texts.iter().map(|text| self.one(text)).collect()
    }

    /// Removes all texts from this one on.
    fn back_to(&mut self, count: usize, bytes: usize) {
        for text in self.texts.drain(count..) {
            self.numbers.remove(text);
        }
        self.bytes = bytes;
    }
}

/// Returns the instances of a report, numbered from 0 in the order of documents, sections and cases.
pub(super) fn instances<'a>(
    documents: &'a [DocumentResults<'a>],
) -> impl Iterator<Item = &'a InstanceResult> {
    let sections = documents.iter().flat_map(|document| &document.sections);
    sections.flat_map(|section| &section.cases).flat_map(|case| case.instances.iter().copied())
}

impl<'a> Data<'a> {
    pub(super) fn new(documents: &'a [DocumentResults<'a>], causes: &[Cause<'a>]) -> Self {
        let all: Vec<&InstanceResult> = instances(documents).collect();
        let numbers: HashMap<&str, usize> =
            all.iter().enumerate().map(|(number, it)| (it.id.as_str(), number)).collect();
        let causes: Vec<Vec<usize>> = causes
            .iter()
            .map(|cause| {
                cause.instances.iter().filter_map(|it| numbers.get(it.id.as_str()).copied())
            })
            .map(Iterator::collect)
            .collect();
        // First the clearest instance of every cause, then the next of each, then all others with details.
        let most = causes.iter().map(Vec::len).max().unwrap_or(0);
        let ranked = (0..most).flat_map(|rank| causes.iter().filter_map(move |it| it.get(rank)));
        let others = (0..all.len()).filter(|at| {
            all.get(*at).is_some_and(|it| it.verdict != Verdict::Pass && it.reason.is_some())
        });
        let order: Vec<usize> = ranked.copied().chain(others).collect();
        let mut texts = Interner::default();
        let mut details: HashMap<usize, Details<'a>> = HashMap::new();
        let mut demanded: HashMap<&str, Texts> = HashMap::new();
        let (mut spent, mut drawn) = (0, 0);
        for number in order {
            let Some(instance) = all.get(number).filter(|_| !details.contains_key(&number)) else {
                continue;
            };
            let (count, bytes) = (texts.texts.len(), texts.bytes);
            let ladder = instance.ladder.as_ref().map(|it| it.text.trim_end());
            let ladder = ladder.filter(|it| drawn + it.len() <= LADDERS);
            let of_case: Texts = match demanded.get(instance.case.as_str()) {
                Some(known) => known.clone(),
                None => instance.covers.iter().map(|it| texts.one(&it.text)).collect(),
            };
            let of_instance = detailed(instance, ladder, &mut texts);
            let own = serde_json::to_string(&of_instance).map_or(0, |json| json.len());
            if spent + own + texts.bytes > BUDGET {
                texts.back_to(count, bytes);
                continue;
            }
            spent += own;
            drawn += ladder.map_or(0, str::len);
            demanded.insert(&instance.case, of_case);
            details.insert(number, of_instance);
        }
        let mut number = 0;
        let mut sections = Vec::new();
        for document in documents {
            for section in &document.sections {
                let cases = section.cases.iter().map(|case| {
                    let first = case.instances.first();
                    let covers = first.map(|it| it.covers.as_slice()).unwrap_or_default();
                    let instances = case.instances.iter().map(|it| {
                        let short = it.id.strip_prefix(case.id).unwrap_or(&it.id);
                        let verdict = Verdict::ALL.iter().position(|other| *other == it.verdict);
                        let details = details.remove(&number);
                        number += 1;
                        (short, verdict.unwrap_or_default(), it.microseconds, details)
                    });
                    Case {
                        id: case.id,
                        title: case.title,
                        level: case.level,
                        instances: instances.collect(),
                        covers: covers.iter().map(|it: &Requirement| it.id.as_str()).collect(),
                        demanded: demanded.remove(case.id).unwrap_or_default(),
                    }
                });
                let (document, number) = (document.id, section.number);
                sections.push(Section { document, number, cases: cases.collect() });
            }
        }
        let verdicts = Verdict::ALL.map(|it| (it.word(), it.describe(), it.sign()));
        Self { texts: texts.texts, verdicts: verdicts.to_vec(), sections, causes }
    }
}

fn detailed<'a>(
    instance: &'a InstanceResult,
    ladder: Option<&'a str>,
    texts: &mut Interner<'a>,
) -> Details<'a> {
    let difference = instance.difference.as_ref().map(|difference| {
        let fields = difference.fields.iter().map(|field| {
            let [name, expected, came] =
                [&field.name, &field.expected, &field.came].map(|it| texts.one(it));
            (name, expected, came, u8::from(field.differs))
        });
        let fields = fields.collect();
        Compared(texts.one(&difference.of), fields, texts.all(&difference.bytes))
    });
    let (before, after) = instance.rerun.split_once(&instance.id).unwrap_or((&instance.rerun, ""));
    Details {
        why: instance.reason.as_ref().map(|why| texts.one(why)),
        see: instance.link.as_deref(),
        sent: texts.all(&instance.sent),
        accepted: texts.all(&instance.accepted),
        came: texts.all(&instance.came),
        difference,
        tried: instance.attempts,
        again: (texts.one(before), texts.one(after)),
        capture: instance.capture.as_deref(),
        ladder: ladder.map(|text| texts.one(text)),
    }
}
