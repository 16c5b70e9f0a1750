//! What a live capture says on standard error when it begins and when it has ended.

use super::turn::Ending;
use std::fmt::Write as _;
use warpscope_dissector::capture::Interface;
use warpscope_dissector::format::counted;

/// `Capturing on 'eth0' and 'lo'`, as tshark says it.
pub(super) fn beginning(interfaces: &[Interface]) -> String {
    let names: Vec<String> = interfaces.iter().map(|one| format!("'{}'", name(one))).collect();
    let mut text = "Capturing on ".to_owned();
    match names.split_last() {
        Some((last, [])) => text.push_str(last),
        Some((last, others)) => {
            let _ = write!(text, "{} and {last}", others.join(", "));
        }
        None => {}
    }
    text.push('\n');
    text
}

/// How many packets were captured, and how many were lost where: for each interface when there are
/// several.
pub(super) fn end(interfaces: &[Interface], captured: &[u64], endings: &[Ending]) -> String {
    let mut text = String::new();
    let several = interfaces.len() > 1;
    if several {
        let _ = writeln!(text, "{} captured", packets(captured.iter().sum()));
    }
    for ((interface, captured), ending) in interfaces.iter().zip(captured).zip(endings) {
        let before = if several { format!("{}: ", name(interface)) } else { String::new() };
        let _ = writeln!(text, "{before}{} captured", packets(*captured));
        let Some(statistics) = ending.statistics else {
            let _ = writeln!(text, "{before}the system does not say how many packets were dropped");
            continue;
        };
        for (count, by) in
            [(statistics.dropped_by_system, "kernel"), (statistics.dropped, "interface")]
        {
            let _ = writeln!(text, "{before}{} dropped by the {by}", packets(count));
        }
    }
    text
}

fn packets(count: u64) -> String {
    counted(count, "packet")
}

fn name(interface: &Interface) -> &str {
    interface.name.as_deref().unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_dissector::capture::{InterfaceStatistics, LinkType};

    fn interfaces(names: &[&str]) -> Vec<Interface> {
        let interface = |name: &&str| Interface {
            section: 0,
            number: 0,
            link_type: LinkType::ETHERNET,
            snap_length: 0,
            name: Some((*name).to_owned()),
            description: None,
        };
        names.iter().map(interface).collect()
    }

    fn ending(dropped_by_system: u64, dropped: u64) -> Ending {
        let statistics = InterfaceStatistics { received: 9, dropped, dropped_by_system };
        Ending { statistics: Some(statistics), failure: None }
    }

    #[test]
    fn interfaces_are_named_at_the_beginning() {
        assert_eq!(beginning(&interfaces(&["a"])), "Capturing on 'a'\n");
        assert_eq!(beginning(&interfaces(&["a", "b", "c"])), "Capturing on 'a', 'b' and 'c'\n");
    }

    #[test]
    fn packets_are_counted_at_the_end() {
        assert_eq!(
            end(&interfaces(&["a"]), &[1], &[ending(0, 2)]),
            "1 packet captured\n0 packets dropped by the kernel\n2 packets dropped by the interface\n"
        );
        let nothing_known = Ending::default();
        assert_eq!(
            end(&interfaces(&["a", "b"]), &[1, 3], &[ending(1, 0), nothing_known]),
            "4 packets captured\na: 1 packet captured\na: 1 packet dropped by the kernel\n\
             a: 0 packets dropped by the interface\nb: 3 packets captured\n\
             b: the system does not say how many packets were dropped\n"
        );
    }
}
