//! The writers, over a made-up run.

mod sample;

use super::*;
use sample::run;
use std::io::{self, Write};

pub(crate) fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn page() -> String {
    written(|out| write_html(&run(), false, None, out))
}

#[test]
fn text_as_it_comes_and_at_the_end() {
    let text = Text { coloured: false, all: false, strict: false };
    let run = run();
    insta::assert_snapshot!(written(|out| {
        run.instances.iter().try_for_each(|instance| text.instance(instance, out))?;
        text.end(&run, out)
    }));
}

#[test]
fn colours_only_when_asked_for() {
    let plain = Text { coloured: false, all: true, strict: false };
    let coloured = Text { coloured: true, all: true, strict: false };
    let run = run();
    let whole = |text: Text| {
        written(|out| {
            run.instances.iter().try_for_each(|instance| text.instance(instance, out))?;
            text.end(&run, out)
        })
    };
    assert!(!whole(plain).contains('\u{1b}'), "an escape of the target reached the terminal");
    assert!(whole(plain).contains("\\u{1b}[31m"));
    let coloured = whole(coloured);
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some(at) = rest.find('\u{1b}') {
        bare.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('m').unwrap() + 1..];
    }
    bare.push_str(rest);
    assert_eq!(bare, whole(plain));
    assert!(coloured.len() > bare.len());
}

#[test]
fn every_instance_has_a_line_when_all_are_wanted() {
    let run = run();
    let lines = |all| {
        let text = Text { coloured: false, all, strict: false };
        written(|out| run.instances.iter().try_for_each(|instance| text.instance(instance, out)))
    };
    assert_eq!(lines(true).lines().count(), run.instances.len());
    assert_eq!(lines(false).lines().count(), run.instances.len() - 3);
}

#[test]
fn junit_has_a_test_case_an_instance() {
    insta::assert_snapshot!(written(|out| write_junit(&run(), false, out)));
}

#[test]
fn strictness_and_a_broken_run_show_in_junit() {
    let mut broken = run();
    broken.broken_off = Some("the target went away".to_owned());
    let lax = written(|out| write_junit(&run(), false, out));
    let strict = written(|out| write_junit(&broken, true, out));
    assert!(lax.contains("tests=\"8\" skipped=\"2\" failures=\"2\" errors=\"1\""), "{lax}");
    assert!(strict.contains("tests=\"9\" skipped=\"2\" failures=\"3\" errors=\"2\""), "{strict}");
    assert!(strict.contains("broken off: the target went away"));
}

#[test]
fn junit_and_the_exit_status_agree() {
    let of = |verdicts: &[Verdict], broken_off: Option<&str>| {
        let mut run = run();
        run.instances.retain(|it| verdicts.contains(&it.verdict));
        run.broken_off = broken_off.map(str::to_owned);
        run
    };
    use Verdict::{Fail, Inconclusive, NotApplicable, Pass, StrictOnly};
    for (run, strict, code, conclusion) in [
        (of(&[Pass, NotApplicable, StrictOnly], None), false, 0, None),
        (of(&[Pass, StrictOnly], None), true, 1, Some("1 instance failed")),
        (of(&[Pass, Fail], None), false, 1, Some("1 instance failed")),
        (of(&[Fail, Inconclusive], None), false, 1, Some("1 instance failed; 1 instance could")),
        (of(&[Pass, Inconclusive], None), false, 2, Some("1 instance could not be judged, first")),
        (of(&[Pass], Some("it is gone")), false, 2, Some("broken off: it is gone")),
        (of(&[], None), false, 2, Some("nothing was run")),
    ] {
        assert_eq!(exit_code(&run, strict), code);
        let junit = written(|out| write_junit(&run, strict, out));
        let sums = junit.lines().find(|line| line.starts_with("<testsuites")).unwrap();
        let none = |what: &str| sums.contains(&format!("{what}=\"0\""));
        assert_eq!(code == 0, none("failures") && none("errors"), "{junit}");
        assert_eq!(code == 1, !none("failures"), "{junit}");
        assert!(code != 2 || !none("errors"), "{junit}");
        let text = Text { coloured: false, all: false, strict };
        let text = written(|out| text.end(&run, out));
        let last = text.lines().last().unwrap();
        assert!(conclusion.is_none_or(|it| last.starts_with(it)), "{last}");
        assert_eq!(run.conclusion(strict).is_some(), conclusion.is_some());
    }
}

#[test]
fn json_is_stable_and_can_be_read_back() {
    let text = written(|out| write_json(&run(), out));
    insta::assert_snapshot!(text);
    assert_eq!(read_json(&text).unwrap(), run());
    let other = text.replace("conformance-run/1", "conformance-run/2");
    assert_eq!(
        read_json(&other).unwrap_err().to_string(),
        "the report has the format `warpscope-conformance-run/2`, but this program reads \
         `warpscope-conformance-run/1`"
    );
    assert!(read_json("[]").is_err());
}

#[test]
fn every_key_of_the_json_is_documented() {
    fn keys(value: &serde_json::Value, found: &mut std::collections::BTreeSet<String>) {
        match value {
            serde_json::Value::Object(map) => {
                found.extend(map.keys().cloned());
                map.values().for_each(|value| keys(value, found));
            }
            serde_json::Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
            _ => {}
        }
    }
    let value = serde_json::from_str(&written(|out| write_json(&run(), out))).unwrap();
    let mut found = std::collections::BTreeSet::new();
    keys(&value, &mut found);
    let documented = include_str!("../../../docs/conformance-report.md");
    let missing: Vec<_> =
        found.iter().filter(|key| !documented.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "docs/conformance-report.md lacks {missing:?}");
}

#[test]
fn the_page_stays_as_it_was_accepted() {
    let page = page();
    let body = page.split_once("<body>").unwrap().1.split_once("<script").unwrap().0;
    insta::assert_snapshot!(body);
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let page = page();
    let mut rest = page.as_str();
    while let Some((_, found)) = rest.split_once("src=\"") {
        assert!(found.starts_with("data:"), "{}", &found[..60]);
        rest = found;
    }
    for forbidden in ["@import", "url(", "<link", "<script>\u{1b}", "</style><script"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    // Of scripts there is one: what the target sent is text.
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(page.contains("\\u003cscript>"));
}

/// What the page's script reads.
fn embedded(page: &str) -> serde_json::Value {
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(data).unwrap()
}

#[test]
fn every_instance_is_in_the_page_with_what_is_known_of_it() {
    let (page, run) = (page(), run());
    let data = embedded(&page);
    let mut found = Vec::new();
    for case in
        data["sections"].as_array().unwrap().iter().flat_map(|it| it["cases"].as_array().unwrap())
    {
        for row in case["instances"].as_array().unwrap() {
            let word = &data["verdicts"][row[1].as_u64().unwrap() as usize][0];
            found.push((
                format!("{}{}", case["id"].as_str().unwrap(), row[0].as_str().unwrap()),
                word.clone(),
                row[3].clone(),
            ));
        }
    }
    assert_eq!(found.len(), run.instances.len());
    for instance in &run.instances {
        let (_, word, details) = found.iter().find(|(id, ..)| *id == instance.id).unwrap();
        assert_eq!(word, instance.verdict.word());
        let why = details["why"].as_u64().map(|why| data["texts"][why as usize].as_str().unwrap());
        assert_eq!(why, instance.reason.as_deref(), "{}", instance.id);
    }
    // The first cause is shown most plainly by the instance that failed.
    let first = data["causes"][0][0].as_u64().unwrap() as usize;
    assert_eq!(found[first].1, "fail");
    let difference = &found[first].2["difference"];
    let text =
        |number: &serde_json::Value| data["texts"][number.as_u64().unwrap() as usize].clone();
    assert_eq!(text(&difference[0]), "Terminate, as it came");
    assert_eq!(
        (text(&difference[1][0][2]), &difference[1][0][3]),
        ("0/1/0x01 (base or bounds)".into(), &1.into())
    );
    assert_eq!(text(&difference[2][0]), "0000  00 2e 41 47[01 01]e0 00");
}

/// Every instance fails by a cause of its own, and says much.
#[test]
fn a_page_has_at_most_a_megabyte() {
    let mut run = run();
    let sample = run.instances.iter().find(|it| it.verdict == Verdict::Fail).unwrap().clone();
    let failed = (0..4_000).map(|number| InstanceResult {
        id: format!(
            "{}-{}[number={number},cut=whole,theirs=plain,path=loaded]",
            sample.case,
            number / 8
        ),
        case: format!("{}-{}", sample.case, number / 8),
        causes: vec![format!("cause {number}: {}", "what is wrong ".repeat(30))],
        reason: Some(format!("reason {number}: {}", "why it is wrong ".repeat(30))),
        came: (0..20)
            .map(|line| format!("frame {line} of {number}: {}", "said ".repeat(20)))
            .collect(),
        ladder: Some(Ladder { text: format!("{number}\n{}", "-> <- \n".repeat(400)) }),
        ..sample.clone()
    });
    run.instances = failed.collect();
    let older = NamedRun { name: "old.json".to_owned(), run: self::run() };
    let page = written(|out| write_html(&run, false, Some(&older), out));
    assert!(page.len() <= 1_000_000, "{} bytes", page.len());
    let data = embedded(&page);
    let rows = data["sections"][0]["cases"].as_array().unwrap();
    assert_eq!(
        rows.iter().map(|case| case["instances"].as_array().unwrap().len()).sum::<usize>(),
        4_000
    );
    assert!(page.contains("3850 more causes"));
}

/// Of five instances one fails newly, one by another cause, one is mended, one is new, and one is absent.
#[test]
fn what_changed_between_two_runs_is_told() {
    let sample = run().instances.into_iter().find(|it| it.verdict == Verdict::Fail).unwrap();
    let of = |id: &str, verdict, cause: &str| InstanceResult {
        id: id.to_owned(),
        case: "a".to_owned(),
        verdict,
        causes: vec![cause.to_owned()],
        ..sample.clone()
    };
    use Verdict::{Fail, Pass};
    let with = |instances| Run { instances, ..run() };
    let [older, newer] = [
        [
            ("1", Pass, ""),
            ("2", Fail, "RED"),
            ("3", Fail, "RED"),
            ("4", Pass, ""),
            ("6", Fail, "GREEN"),
        ],
        [
            ("1", Fail, "RED"),
            ("2", Fail, "BLUE"),
            ("3", Pass, ""),
            ("5", Pass, ""),
            ("6", Fail, "GREEN"),
        ],
    ]
    .map(|all| {
        with(all.map(|(id, verdict, cause)| of(&format!("a[{id}]"), verdict, cause)).to_vec())
    });
    let found = changes(&older, &newer);
    let found: Vec<_> = found.iter().map(|it| (it.change, it.instances.clone())).collect();
    assert_eq!(
        found,
        [
            (Change::NewlyFailing, vec!["a[1]"]),
            (Change::OtherCause, vec!["a[2]"]),
            (Change::Mended, vec!["a[3]"]),
            (Change::New, vec!["a[5]"]),
            (Change::Absent, vec!["a[4]"]),
        ]
    );
    assert!(changes(&newer, &newer).is_empty());
    let text = Text { coloured: false, all: false, strict: false };
    let output = written(|out| text.changes("old.json", &older, &newer, out));
    let sum = "1 newly failing, 1 failing for another reason, 1 mended, 1 new, 1 absent";
    assert!(output.contains(sum) && output.contains("pass \u{2192} fail: RED"), "{output}");
    assert!(output.contains("fail: RED \u{2192} fail: BLUE"), "{output}");

    let runs = [("old.json", older), ("new.json", newer)];
    let runs = runs.map(|(name, run)| NamedRun { name: name.to_owned(), run });
    let page = written(|out| write_html(&runs[1].run, false, Some(&runs[0]), out));
    assert!(page.contains(sum) && page.contains("<code>a[1]</code>"), "{page}");
    insta::assert_snapshot!(written(|out| text.trend(&runs, out)));
    let page = written(|out| write_trend_html(&runs, out));
    for shown in ["<b>old.json</b>", "<th scope=\"row\">GREEN</th>", "<td class=\"fail\">1</td>"] {
        assert!(page.contains(shown), "{page}");
    }
    assert!(!page.contains("<script"));
}

#[test]
fn links_of_a_page_lead_somewhere() {
    let page = page();
    for part in page.split("href=\"#").skip(1) {
        let id = part.split_once('"').unwrap().0;
        assert_eq!(page.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
}

#[test]
fn words_and_signs_tell_verdicts_apart() {
    for (index, one) in Verdict::ALL.iter().enumerate() {
        let json = serde_json::to_string(one).unwrap();
        assert_eq!(json, format!("\"{}\"", one.word()));
        for other in &Verdict::ALL[..index] {
            assert_ne!(one.sign(), other.sign());
            assert_ne!(one.describe(), other.describe());
            assert_ne!(one.short(), other.short());
        }
    }
}

#[test]
fn the_exit_status_follows_from_the_verdicts() {
    let with = |verdicts: &[Verdict]| {
        let mut run = run();
        let sample = run.instances.remove(0);
        run.instances = verdicts
            .iter()
            .map(|verdict| InstanceResult { verdict: *verdict, ..sample.clone() })
            .collect();
        run
    };
    use Verdict::*;
    for (verdicts, lax, strict) in [
        (&[Pass, NotApplicable, ExpectedFailure][..], 0, 0),
        (&[Pass, Fail], 1, 1),
        (&[Pass, UnexpectedPass], 1, 1),
        (&[Pass, StrictOnly], 0, 1),
        (&[Pass, Inconclusive], 2, 2),
        (&[Pass, Inconclusive, Fail], 1, 1),
        (&[Pass, Inconclusive, StrictOnly], 2, 1),
        (&[Inconclusive, NotApplicable], 2, 2),
        (&[NotApplicable], 0, 0),
        (&[], 2, 2),
    ] {
        let run = with(verdicts);
        assert_eq!((exit_code(&run, false), exit_code(&run, true)), (lax, strict), "{verdicts:?}");
        for (is_strict, code) in [(false, lax), (true, strict)] {
            let page = written(|out| write_html(&run, is_strict, None, out));
            assert_eq!(page.contains("<p class=\"sum fail\">"), code == 1, "{verdicts:?}");
        }
    }
    let mut broken = with(&[Pass, Fail]);
    broken.broken_off = Some("the target went away".to_owned());
    assert_eq!(exit_code(&broken, false), 2);
}

/// One cause in three instances, of which one has another too, and one is inconclusive.
#[test]
fn all_reports_group_by_the_same_causes() {
    let mut run = run();
    let sample = run.instances.iter().find(|it| it.verdict == Verdict::Fail).unwrap().clone();
    let of = |id: &str, verdict, causes: &[&str], sent: usize| InstanceResult {
        id: id.to_owned(),
        verdict,
        causes: causes.iter().map(|it| (*it).to_owned()).collect(),
        sent: vec!["frame 4: Send".to_owned(); sent],
        ..sample.clone()
    };
    use Verdict::{Fail, Inconclusive, Pass, StrictOnly};
    run.instances = vec![
        of("a[1]", StrictOnly, &["RED"], 1),
        of("a[2]", Fail, &["RED", "BLUE"], 1),
        of("a[3]", Fail, &["RED"], 3),
        of("a[4]", Fail, &["RED"], 2),
        of("b", Inconclusive, &["GREEN"], 1),
        of("c", Pass, &[], 1),
    ];
    let grouped = [
        ("RED", Fail, vec!["a[4]", "a[3]", "a[2]", "a[1]"]),
        ("BLUE", Fail, vec!["a[2]"]),
        ("GREEN", Inconclusive, vec!["b"]),
    ];
    let found: Vec<_> = causes(&run)
        .iter()
        .map(|it| (it.cause, it.verdict, it.instances.iter().map(|it| it.id.as_str()).collect()))
        .collect();
    assert_eq!(found, grouped);

    let expected = serde_json::json!(grouped.clone().map(|(cause, verdict, instances)| {
        serde_json::json!({"cause": cause, "verdict": verdict, "instances": instances})
    }));
    let json: serde_json::Value =
        serde_json::from_str(&written(|out| write_json(&run, out))).unwrap();
    assert_eq!(json["causes"], expected);

    let text = Text { coloured: false, all: false, strict: false };
    let text = written(|out| text.end(&run, out));
    for (cause, ..) in &grouped {
        assert_eq!(text.matches(cause).count(), 1, "{text}");
    }
    // The plainest in full, the others by their case.
    assert_eq!(text.matches("  Sent  ").count(), 3, "{text}");
    assert!(text.contains("\u{2717} fail  a[4]\n"), "{text}");

    let page = written(|out| write_html(&run, false, None, out));
    let groups =
        page.split_once("What is wrong</h2>").unwrap().1.split_once("</section>").unwrap().0;
    let groups: Vec<&str> = groups.split("<details").skip(1).collect();
    for (group, (cause, _, instances)) in groups.iter().zip(&grouped) {
        assert!(group.contains(&format!("<b>{cause}</b>")), "{group}");
        assert!(group.contains(&format!("<code>{}</code>", instances[0])), "{group}");
    }
    let number = |id: &&str| run.instances.iter().position(|it| it.id == *id).unwrap();
    let numbers = grouped.clone().map(|(.., ids)| ids.iter().map(number).collect::<Vec<_>>());
    assert_eq!(embedded(&page)["causes"], serde_json::json!(numbers));

    let junit = written(|out| write_junit(&run, false, out));
    for (cause, _, instances) in &grouped {
        let property = format!("<property name=\"cause\" value=\"{cause}\"/>");
        assert_eq!(junit.matches(&property).count(), instances.len(), "{junit}");
    }
    assert_eq!(junit.matches("type=\"RED\"").count(), 3, "{junit}");
    assert_eq!(junit.matches("type=\"GREEN\"").count(), 1, "{junit}");
}

#[test]
fn sections_stand_in_the_order_of_the_text() {
    let run = run();
    let outline = outline(&run);
    let listed: Vec<(&str, Vec<&str>)> = outline
        .iter()
        .map(|document| (document.id, document.sections.iter().map(|it| it.number).collect()))
        .collect();
    let of_mpa = ("RFC5044", vec!["7.1.1", "7.1.3"]);
    assert_eq!(listed, [of_mpa, ("RFC5040", vec!["4.8", "4.10"]), ("RFC7306", vec!["5.1"])]);
    let total: u64 = outline.iter().map(|document| document.counts().total()).sum();
    assert_eq!(total, run.counts().total());
}

#[test]
fn durations_for_people() {
    use super::model::spent;
    for (microseconds, shown) in [
        (0, "0 µs"),
        (999, "999 µs"),
        (12_345, "12.3 ms"),
        (1_000_000, "1.00 s"),
        (59_999_999, "59.99 s"),
        (185_000_000, "3 min 5 s"),
    ] {
        assert_eq!(spent(microseconds), shown);
    }
}
