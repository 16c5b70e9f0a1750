//! Every view on two sizes of screen, over captures of a real implementation.

use crate::prelude::*;

const FIELDS: &str = "2 G + w a r p _ d d p . s t a g Tab Enter + r d m a . o p c Tab Enter";

/// A capture, the keys that lead to the screen, and the screen's name.
const SCREENS: &[(&str, &str, &str)] = &[
    ("flows", "captures/e1-terminate-stock.pcap", ""),
    ("messages", "captures/e1-terminate-stock.pcap", "2"),
    ("columns", "captures/e1-terminate-stock.pcap", "2 ] Tab j j a C"),
    ("fields-as-columns", "captures/f1-operations-stock.pcap.zst", FIELDS),
    ("prompt", "captures/e1-terminate-stock.pcap", "2 C + d d p . s"),
    ("terminate", "captures/e1-terminate-stock.pcap", "2 ] Tab"),
    ("operations", "captures/f1-operations-stock.pcap.zst", "3"),
    ("calls", "captures/j3-mid-nfs.pcap.zst", "4"),
    ("ladder", "captures/e1-terminate-stock.pcap", "5"),
    ("scaled", "captures/c4-mpav2-client-mpav1-server.pcap", "5 w"),
    ("findings", "captures/e1-terminate-stock.pcap", "6 Enter j"),
    ("statistics", "captures/f1-operations-stock.pcap.zst", "7"),
    ("fields", "captures/c4-mpav2-client-mpav1-server.pcap", "8 j j"),
    ("run", "captures/c4-mpav2-client-mpav1-server.pcap", "9"),
    ("loss", "captures/i1-netem-loss-reorder.pcap.zst", "2 v ]"),
    ("help", "captures/c4-mpav2-client-mpav1-server.pcap", "2 ?"),
    ("palette", "captures/c4-mpav2-client-mpav1-server.pcap", ": f i n"),
    ("filter", "captures/c4-mpav2-client-mpav1-server.pcap", "f m p a"),
];

#[test]
fn every_view_on_a_small_and_a_large_screen() {
    for ((name, capture, keys), size) in SCREENS.iter().flat_map(|it| [(it, SMALL), (it, LARGE)]) {
        let screen = open(capture, size).press(keys).screen();
        insta::assert_snapshot!(format!("{name}-{}x{}", size.0, size.1), screen);
    }
}

#[test]
fn ascii_screens_are_ascii() {
    for (name, capture, keys) in SCREENS {
        let mut driven = open(capture, SMALL);
        driven.session.state.look.ascii = true;
        let screen = driven.press(keys).screen();
        assert!(screen.is_ascii(), "{name}: {screen}");
    }
}

#[test]
fn a_screen_that_is_too_small_says_so() {
    let mut driven = open("captures/c4-mpav2-client-mpav1-server.pcap", (30, 5));
    assert!(driven.screen().starts_with("too small"), "{}", driven.screen());
    for (columns, rows) in [(0, 0), (1, 1), (40, 10), (41, 200), (500, 11)] {
        driven.session.state.resize((columns, rows));
        for view in ["1", "2", "3", "4", "5", "6", "7", "8", "9", "?"] {
            driven.press(view).screen();
        }
        driven.press("Esc");
    }
}
