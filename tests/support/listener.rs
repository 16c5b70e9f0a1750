//! A `warpscope` that listens beside a test.

use super::program::Ended;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long anything may take: far longer than it ever takes.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A listener, and what it has said. It is killed when nobody has it any more.
pub struct Listener {
    child: Child,
    /// ADDRESS:PORT.
    pub address: String,
    errors: Arc<Mutex<String>>,
    reading: Option<JoinHandle<()>>,
}

impl Listener {
    /// Starts `peer listen` with these words behind the address, and waits until it listens.
    pub fn start(line: impl AsRef<str>) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("warpscope"));
        command.args(["peer", "listen", "127.0.0.1:0"]);
        Self::spawn(command.args(shell_words::split(line.as_ref()).unwrap()))
    }

    /// Starts what some command makes of it, and waits until it listens.
    pub fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let errors = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&errors);
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let reading = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut all = heard.lock().unwrap();
                all.push_str(&line);
                all.push('\n');
            }
        });
        let mut listener = Self { child, address: String::new(), errors, reading: Some(reading) };
        listener.address = listener.wait_for("where it listens", |line| {
            let address = line.strip_prefix("listening at ")?.split(": ").next()?;
            (!line.ends_with(" over plain TCP")).then(|| address.to_owned())
        });
        listener
    }

    /// What it has said on standard error.
    pub fn said(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    /// Waits for a line of standard error, and takes something out of it.
    fn wait_for(&mut self, what: &str, part: impl Fn(&str) -> Option<String>) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let ended = self.child.try_wait().unwrap().is_some();
            if let Some(part) = self.said().lines().find_map(&part) {
                return part;
            }
            assert!(!ended && Instant::now() < until, "{what} was not said: {}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The Steering Tag of a region, once it was said.
    pub fn steering_tag(&mut self, region: &str) -> u32 {
        let start = format!("region {region}: STag 0x");
        let digits = self.wait_for("the STag", |line| {
            Some(line.split_once(&start)?.1.split([',', ' ']).next()?.to_owned())
        });
        u32::from_str_radix(&digits, 16).unwrap()
    }

    /// Sends it a signal, as `INT`.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ended {
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        let status = self.child.wait().unwrap().code();
        self.reading.take().unwrap().join().unwrap();
        Ended { status, out, err: self.said() }
    }

    /// Stops it as Ctrl-C does, and waits for its end.
    pub fn stop(self) -> Ended {
        self.signal("INT");
        self.end()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
