//! What a reader of a failure needs, in the order in which it is read: the same for every writer.

use super::InstanceResult;
use super::outline::document_name;

/// Something that is told of an instance: its name, and the lines.
pub(super) struct Detail {
    /// What it is, in a word.
    pub(super) name: &'static str,
    /// What is said; at least one line.
    pub(super) lines: Vec<String>,
    /// How the lines are to be shown.
    pub(super) form: Form,
}

/// How lines are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Sentences, which may be broken anywhere.
    Words,
    /// Lines that stay as they are: decoded messages, commands.
    Lines,
}

/// Everything that is told of an instance beside its name, verdict, title and ladder.
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
    push("Demanded", Form::Words, demanded.collect());
    push("Why", Form::Words, instance.reason.clone().into_iter().collect());
    push("See", Form::Lines, instance.link.clone().into_iter().collect());
    push("Sent", Form::Lines, instance.sent.clone());
    push("Accepted", Form::Lines, instance.accepted.clone());
    push("Came", Form::Lines, instance.came.clone());
    if instance.attempts > 1 {
        let tries = format!("{} times, and the worst counts", instance.attempts);
        push("Tried", Form::Words, vec![tries]);
    }
    push("Again", Form::Lines, vec![instance.rerun.clone()]);
    push("Capture", Form::Lines, instance.capture.clone().into_iter().collect());
    details
}
