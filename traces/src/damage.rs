//! Damaged texts, for tests of parsers.

/// Removes each byte of a text in turn. If the result is refused, each line of the refusal must begin with a
/// place in the file `a.yaml`.
pub fn without_each_byte(text: &str, refusal: impl Fn(&str) -> Option<String>) {
    let mut refused = 0;
    for cut in 0..text.len() {
        let mut bytes = text.as_bytes().to_vec();
        bytes.remove(cut);
        let cut = String::from_utf8_lossy(&bytes);
        let Some(message) = refusal(&cut) else { continue };
        refused += 1;
        for line in message.lines() {
            let mut parts = line.splitn(4, ':');
            assert_eq!(parts.next(), Some("a.yaml"), "{message}");
            let place =
                [parts.next(), parts.next()].map(|part| part.and_then(|it| it.parse().ok()));
            let lines = text.lines().count() + 1;
            assert!(place[0].is_some_and(|line: usize| (1..=lines).contains(&line)), "{message}");
            assert!(place[1].is_some_and(|column: usize| column >= 1), "{message}");
            assert!(parts.next().is_some_and(|what| !what.trim().is_empty()), "{message}");
        }
    }
    assert!(refused > 0, "nothing was refused");
}
