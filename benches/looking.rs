//! How long `warpscope FILE` lets its user wait, measured where the user is: at the keys and the screen of a pseudo-terminal.
//!
//! `cargo bench --bench looking -- FILE`: the time from the start of the process to the first screen, of scrolling by a row and by a
//! page, to the first and the last result of a filter, and the memory. Nothing is demanded; the figures are for comparing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a measurement that cannot go on has failed")]

#[cfg(unix)]
#[path = "../tests/terminal/terminal.rs"]
#[allow(dead_code, unreachable_pub, reason = "tests use more of it")]
mod terminal;

#[cfg(unix)]
fn main() {
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    match file {
        Some(file) => measured::all(&file),
        // `cargo test --benches` gives no file.
        None => println!("cargo bench --bench looking -- FILE"),
    }
}

#[cfg(not(unix))]
fn main() {
    println!("there is no pseudo-terminal here");
}

#[cfg(unix)]
mod measured {
    use super::terminal::{Terminal, tui};
    use std::time::{Duration, Instant};

    /// Times that keys are pressed to measure scrolling.
    const TIMES: u32 = 100;

    /// Waits until the screen shows something; how long that took.
    fn until(terminal: &Terminal, holds: impl Fn(&str) -> bool) -> Duration {
        let began = Instant::now();
        while !holds(&terminal.screen()) {
            assert!(began.elapsed() < Duration::from_secs(600), "{}", terminal.screen());
            std::thread::sleep(Duration::from_micros(200));
        }
        began.elapsed()
    }

    /// The part of the last line that says which row is chosen.
    fn place(screen: &str) -> String {
        let mut words = screen.lines().last().unwrap_or("").split_whitespace();
        words.rfind(|word| word.contains('/')).unwrap_or("").to_owned()
    }

    fn report(what: &str, took: Duration) {
        println!("{what:<44} {:>9.1} ms", took.as_secs_f64() * 1e3);
    }

    /// Whether all visible rows are dissected: of any other row, the info is only an ellipsis. Before that of a
    /// text that was cut there is at most one blank.
    fn dissected(screen: &str) -> bool {
        !screen.contains("  …\n")
    }

    /// A key pressed many times; the mean and the longest time until the screen shows what it did.
    fn pressed(terminal: &mut Terminal, what: &str, key: &str) {
        let (mut sum, mut most) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..TIMES {
            let before = place(&terminal.screen());
            let began = Instant::now();
            terminal.press(key);
            until(terminal, |screen| place(screen) != before && dissected(screen));
            sum += began.elapsed();
            most = most.max(began.elapsed());
        }
        report(&format!("{what}: mean"), sum / TIMES);
        report(&format!("{what}: longest"), most);
    }

    fn memory(terminal: &Terminal, what: &str) {
        let kilobytes = terminal.memory();
        println!("{what:<44} {:>9.1} MiB", kilobytes as f64 / 1024.0);
    }

    pub(crate) fn all(file: &str) {
        // The program in the terminal does not run in this folder.
        let file = std::fs::canonicalize(file).unwrap();
        let file = file.to_str().unwrap();
        // The cache is warm when it has been read once.
        let size = std::io::copy(&mut std::fs::File::open(file).unwrap(), &mut std::io::sink());
        println!("{file}, {} MB", size.unwrap() / 1_000_000);
        for _ in 0..5 {
            let began = Instant::now();
            let terminal = Terminal::start(tui(file));
            until(&terminal, |screen| screen.contains("? help") && screen.contains("responder"));
            report("process start to first screen", began.elapsed());
            until(&terminal, |screen| screen.contains(" 0 1") || screen.matches(':').count() > 3);
            report("process start to first connection", began.elapsed());
        }
        let began = Instant::now();
        let mut terminal = Terminal::start(tui(file));
        let ended = |screen: &str| {
            let last = screen.lines().last().unwrap_or("");
            last.contains(" frames") && !last.contains('%') && !last.contains(" 0 frames")
        };
        until(&terminal, ended);
        report("process start to the whole index", began.elapsed());
        memory(&terminal, "memory with the whole index");
        let frames = terminal.screen().lines().last().unwrap_or("").trim().to_owned();
        println!("{frames}");

        terminal.press("2");
        until(&terminal, |screen| screen.contains("frame 4: ") || screen.contains("iwarp_mpa"));
        pressed(&mut terminal, "a row down", "j");
        pressed(&mut terminal, "a page down", " ");
        let began = Instant::now();
        terminal.press("G");
        until(&terminal, |screen| {
            let place = place(screen);
            place.split_once('/').is_some_and(|(at, count)| at == count) && dissected(screen)
        });
        report("to the last row", began.elapsed());
        pressed(&mut terminal, "a page up from the end", "\u{2}");

        terminal.press("fiwarp_rdma.opcode == 0x01");
        until(&terminal, |screen| screen.contains("0x01"));
        let began = Instant::now();
        terminal.press("\r");
        until(&terminal, |screen| screen.contains(" filter, ") && !screen.contains(" filter, 0 "));
        report("filter: first results", began.elapsed());
        until(&terminal, |screen| !screen.contains("filtered to"));
        report("filter: all frames", began.elapsed());
        memory(&terminal, "memory then");

        // Without the filter, from the first connection.
        let mut terminal = Terminal::start(tui(file));
        until(&terminal, ended);
        let began = Instant::now();
        terminal.press("5");
        until(&terminal, |screen| screen.contains("MPA Request"));
        report("ladder: first rows", began.elapsed());
        until(&terminal, |screen| !screen.contains('%'));
        report("ladder: whole", began.elapsed());
        memory(&terminal, "memory then");
    }
}
