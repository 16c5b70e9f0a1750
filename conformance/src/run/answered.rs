//! Answers of the target in words.

use warpscope_wire::test_ulp::{Answer, Status};

/// What became of an order.
pub(super) fn status_words(status: Status) -> &'static str {
    match status {
        Status::Done => "done",
        Status::Malformed => "malformed",
        Status::Unsupported => "unsupported",
        Status::Unknown => "unknown",
        Status::Refused => "refused",
        Status::Limit => "limit",
    }
}

/// Why an answer is not the one that is needed.
pub(super) fn answer_words(answer: &Answer) -> String {
    let kind = match answer {
        Answer::Refused(status, _, text) => return refused_words(*status, text),
        Answer::Done => "that it is done",
        Answer::Greeting(_) => "a greeting",
        Answer::Capabilities(..) => "what it can do",
        Answer::Region(..) => "a region",
        Answer::Regions(..) => "a list of regions",
        Answer::Octets(octets) if octets.is_empty() => "no octets",
        Answer::Octets(_) => "octets",
        Answer::Stream(_) => "a stream",
        Answer::Streams(..) => "a list of streams",
        Answer::Reports(..) => "reports",
    };
    format!("it answered with {kind}, which is no answer to that")
}

/// Why the target refused an order.
pub(super) fn refused_words(status: Status, text: &str) -> String {
    match text {
        "" => status_words(status).to_owned(),
        text => format!("{}: {text}", status_words(status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_wire::test_ulp::Refusal;

    #[test]
    fn answers_are_told_in_words() {
        let refusal = Refusal { offset: 0, value: 0 };
        let refused = Answer::Refused(Status::Limit, refusal, "too long".to_owned());
        assert_eq!(answer_words(&refused), "limit: too long");
        let other = answer_words(&Answer::Octets(Vec::new()));
        assert_eq!(other, "it answered with no octets, which is no answer to that");
    }
}
