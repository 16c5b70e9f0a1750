//! A `warpscope peer listen` that runs.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long anything may take: far longer than it ever takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A listener, and what it has said.
pub(crate) struct Listener {
    child: Child,
    /// ADDRESS:PORT.
    pub(crate) address: String,
    errors: Arc<Mutex<String>>,
    reading: Option<JoinHandle<()>>,
}

/// What a listener left.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Listener {
    /// Starts it with these arguments behind the address, and waits until it listens.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let program = assert_cmd::cargo::cargo_bin!("warpscope");
        let mut command = Command::new(program);
        command.args(["peer", "listen", "127.0.0.1:0"]).args(arguments);
        Self::spawn(&mut command)
    }

    /// Starts what some command makes of it, and waits until it listens.
    pub(crate) fn spawn(command: &mut Command) -> Self {
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
        let reading = Some(reading);
        let mut listener = Self { child, address: String::new(), errors, reading };
        listener.address = listener.word_behind("listening at ").trim_end_matches(':').to_owned();
        listener
    }

    /// What it has said on standard error.
    pub(crate) fn said(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    /// The word behind these, once they were said.
    pub(crate) fn word_behind(&self, words: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let said = self.said();
            let word = said.split_once(words).and_then(|(_, rest)| rest.split_whitespace().next());
            if let Some(word) = word {
                return word.to_owned();
            }
            assert!(Instant::now() < until, "{words:?} was not said: {said}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The Steering Tag of a region.
    pub(crate) fn steering_tag(&self, region: &str) -> u32 {
        let word = self.word_behind(&format!("region {region}: STag 0x"));
        u32::from_str_radix(word.trim_end_matches(','), 16).unwrap()
    }

    /// Sends it a signal, as `INT`.
    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        let status = self.child.wait().unwrap();
        self.reading.take().unwrap().join().unwrap();
        Ended { status, stdout, stderr: self.said() }
    }

    /// Stops it as Ctrl-C does, and waits for its end.
    pub(crate) fn stop(self) -> Ended {
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
