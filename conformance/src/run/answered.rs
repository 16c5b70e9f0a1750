//! Orders, and answers of the target, in words.

use warpscope_wire::test_ulp::{Answer, Status, kind};

/// The orders by kind: with the words of cases, or those of the test ULP (section 10) where cases have
/// none.
const ORDERS: &[(u8, &str)] = &[
    (kind::HELLO, "hello"),
    (kind::CAPABILITIES, "capabilities"),
    (kind::RESET, "reset"),
    (kind::GOODBYE, "goodbye"),
    (kind::LIST_REGIONS, "list regions"),
    (kind::REGISTER, "register"),
    (kind::BIND, "bind window"),
    (kind::INVALIDATE, "invalidate"),
    (kind::REVALIDATE, "revalidate"),
    (kind::DEREGISTER, "deregister"),
    (kind::READ, "read"),
    (kind::COPY, "copy"),
    (kind::WRITE, "write"),
    (kind::FILL, "fill"),
    (kind::CHECKSUM, "checksum"),
    (kind::RECALL, "recall"),
    (kind::RECEIVES, "post_receives"),
    (kind::WORK, "post"),
    (kind::OPEN, "open"),
    (kind::PREPARE, "prepare"),
    (kind::FINISH, "finish"),
    (kind::ABORT, "abort"),
    (kind::LIST_STREAMS, "list streams"),
    (kind::REPORTS, "reports"),
];

/// The name of the order of this kind.
pub(super) fn order_words(kind: u8) -> &'static str {
    ORDERS.iter().find(|(it, _)| *it == kind).map_or("of another version", |(_, words)| words)
}

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
        Answer::Bytes(bytes) if bytes.is_empty() => "no bytes",
        Answer::Bytes(_) => "bytes",
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
    use crate::case::grammar;
    use crate::engine::ClientError;
    use crate::run::RunError;
    use std::io;
    use std::time::Duration;
    use warpscope_wire::test_ulp::{NoOrder, Refusal};

    /// The orders with their kinds, as the test ULP lists them.
    fn listed() -> Vec<(&'static str, u8)> {
        let text = include_str!("../../TEST-ULP.md");
        let (_, table) = text.split_once("## 10. Orders").unwrap();
        let (table, _) = table.split_once("\n## ").unwrap();
        let rows = table.lines().filter_map(|line| {
            let mut cells = line.split('|').map(str::trim).skip(1);
            Some((cells.next()?, cells.next()?.parse().ok()?))
        });
        rows.collect()
    }

    #[test]
    fn orders_have_the_words_of_cases_or_of_the_test_ulp() {
        let listed = listed();
        let kinds: Vec<u8> = listed.iter().map(|(_, kind)| *kind).collect();
        assert_eq!(kinds, kind::ALL);
        for (name, kind) in listed {
            let words = order_words(kind);
            let in_cases = |it: &str| grammar::ORDERS.iter().any(|entry| entry.name == it);
            let first = name.replace(' ', "_");
            let expected = match name {
                "post work" => "post",
                _ if in_cases(&first) => &first,
                _ => name,
            };
            assert_eq!(words, expected);
            assert!(words == name || in_cases(words), "{words}");
        }
    }

    /// Names of Rust begin within a word or with a capital, and Debug brings brackets and quotes.
    fn is_plain(text: &str) -> bool {
        let inner = |word: &str| {
            let letters: Vec<char> = word.chars().filter(|it| it.is_alphabetic()).collect();
            letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
        };
        let brackets = ["{", "}", "Some(", "Ok(", "Err(", "\"", "::"];
        !brackets.iter().any(|it| text.contains(it)) && !text.split_whitespace().any(inner)
    }

    #[test]
    fn no_error_of_a_run_speaks_rust() {
        let within = Duration::from_secs(30);
        let address = ([127, 0, 0, 1], 7174).into();
        let io_error = || io::Error::from(io::ErrorKind::AddrInUse);
        let over = ClientError::Over("the target rejected it".to_owned());
        let unreadable = ClientError::Unreadable(NoOrder::Unsupported(77));
        let too_long = ClientError::TooLong { length: 5000, longest: 512 };
        let command = "ended with exit status 127, and said nothing".to_owned();
        let mut errors = vec![
            RunError::Connect { address, error: io_error() },
            RunError::Listen { address, error: io_error() },
            RunError::Socket(io_error()),
            RunError::NoConnection(within),
            RunError::NoRequester { waited: within, command },
            RunError::NoGreeting(within),
            RunError::TooLong(within),
            RunError::NoAgent("an order"),
        ];
        errors.extend([over, unreadable, too_long].map(RunError::from));
        for kind in kind::ALL {
            let (order, why) = (order_words(*kind), refused_words(Status::Limit, ""));
            errors.push(RunError::NoAnswer { order, within });
            errors.push(RunError::Refused { order, why });
        }
        for error in errors {
            assert!(is_plain(&error.to_string()), "{error}");
        }
    }

    #[test]
    fn rust_is_told_from_words() {
        for rust in ["the order ListRegions(0)", "Some(1)", "AddrInUse", "Os { code: 98 }"] {
            assert!(!is_plain(rust), "{rust}");
        }
        assert!(is_plain(
            "the target refused the order `post_receives`: limit: no MSN, or an STag"
        ));
    }

    #[test]
    fn answers_are_told_in_words() {
        let refusal = Refusal { offset: 0, value: 0 };
        let refused = Answer::Refused(Status::Limit, refusal, "too long".to_owned());
        assert_eq!(answer_words(&refused), "limit: too long");
        let other = answer_words(&Answer::Bytes(Vec::new()));
        assert_eq!(other, "it answered with no bytes, which is no answer to that");
    }
}
