//! A program in a pseudo-terminal.

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything is waited for: far longer than it ever takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the program has written.
struct Output {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// How much of `raw` the parser has: frames are given to it whole.
    parsed: usize,
}

impl Output {
    /// Shows what was written, but for a frame that has begun and not ended (DEC private mode 2026).
    fn show(&mut self, written: &[u8]) {
        self.raw.extend_from_slice(written);
        let last = |mark: &[u8]| self.raw.windows(mark.len()).rposition(|it| it == mark);
        let (began, ended) = (last(b"\x1b[?2026h"), last(b"\x1b[?2026l"));
        let whole = began.filter(|_| began > ended).unwrap_or(self.raw.len());
        if let Some(bytes) = self.raw.get(self.parsed..whole) {
            self.parser.process(bytes);
            self.parsed = whole;
        }
    }
}

/// A program and its terminal.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Arc<Mutex<Box<dyn Write + Send>>>,
    output: Arc<Mutex<Output>>,
    /// Ends where all that was written has been read.
    reading: thread::JoinHandle<()>,
    /// The folder for what the UI remembers.
    folder: Arc<TempDir>,
}

/// `warpscope tui` with the arguments in a line.
pub(crate) fn tui(line: impl AsRef<str>) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
    command.arg("tui");
    command.args(shell_words::split(line.as_ref()).unwrap());
    command
}

impl Terminal {
    /// Starts a program in a terminal of 80x24, and nothing remembered.
    pub(crate) fn start(command: CommandBuilder) -> Self {
        Self::remembering(command, Arc::new(tempfile::tempdir().unwrap()))
    }

    /// Starts `warpscope tui` with the arguments in a line, and waits for text on the screen.
    #[allow(dead_code, reason = "the tests do so")]
    pub(crate) fn open(line: impl AsRef<str>, text: &str) -> Self {
        let terminal = Self::start(tui(line));
        terminal.wait_for(text);
        terminal
    }

    /// Leaves the program, which ends well.
    #[allow(dead_code, reason = "the tests do so")]
    pub(crate) fn quit(&mut self) {
        self.press("q");
        assert_eq!(self.end().exit_code(), 0);
    }

    /// Starts a program with what another remembered.
    pub(crate) fn remembering(mut command: CommandBuilder, folder: Arc<TempDir>) -> Self {
        for (name, value) in [("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8")] {
            let inherited = std::env::var_os(name);
            if command.get_env(name).is_none_or(|own| inherited.as_deref() == Some(own)) {
                command.env(name, value);
            }
        }
        if command.get_env("NO_COLOR").is_some_and(|own| own.is_empty()) {
            command.env_remove("NO_COLOR");
        }
        command.env("XDG_STATE_HOME", folder.path());
        command.env("XDG_CONFIG_HOME", folder.path().join("settings"));
        let command_background =
            command.get_env("TEST_BACKGROUND").map(|it| it.to_string_lossy().into_owned());
        command.env_remove("COLORTERM");
        let pair = native_pty_system().openpty(size(80, 24)).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let (parser, raw) = (vt100::Parser::new(24, 80, 0), Vec::new());
        let output = Arc::new(Mutex::new(Output { parser, raw, parsed: 0 }));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let written = output.clone();
        // What a terminal answers that is asked for its background, and then what it is (DA1).
        let background = match command_background.as_deref() {
            Some("silent") => None,
            Some("unknown") => Some(String::new()),
            Some(colour) => Some(format!("\x1b]11;rgb:{colour}\x1b\\")),
            None => Some("\x1b]11;rgb:0000/0000/0000\x1b\\".to_owned()),
        };
        let keyboard = Arc::new(Mutex::new(pair.master.take_writer().unwrap()));
        let answers = keyboard.clone();
        let reading = thread::spawn(move || {
            let mut bytes = [0; 4096];
            let mut asked = 0;
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                let mut output = written.lock().unwrap();
                output.show(&bytes[..count]);
                let questions = output.raw.windows(3).filter(|it| it == b"\x1b[c").count();
                let Some(background) = &background else { continue };
                for _ in std::mem::replace(&mut asked, questions)..questions {
                    let answer = format!("{background}\x1b[?62c");
                    answers.lock().unwrap().write_all(answer.as_bytes()).unwrap();
                }
            }
        });
        Self { child, master: pair.master, keyboard, output, reading, folder }
    }

    /// The folder for what the UI remembers.
    pub(crate) fn folder(&self) -> Arc<TempDir> {
        self.folder.clone()
    }

    /// What is in the folder.
    pub(crate) fn remembered(&self) -> String {
        let file: &Path = self.folder.path();
        std::fs::read_to_string(file.join("warpscope/tui.json")).unwrap_or_default()
    }

    pub(crate) fn screen(&self) -> String {
        self.output.lock().unwrap().parser.screen().contents()
    }

    /// Whether the program's own screen is shown, and not the shell's.
    pub(crate) fn own_screen(&self) -> bool {
        self.output.lock().unwrap().parser.screen().alternate_screen()
    }

    /// All that was written, as text.
    pub(crate) fn written(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().unwrap().raw).into_owned()
    }

    /// Waits for text on the screen; the screen.
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |terminal| terminal.screen().contains(text));
        self.screen()
    }

    /// Waits until something holds.
    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(began.elapsed() < PATIENCE, "no {what} in\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) -> &Self {
        let mut keyboard = self.keyboard.lock().unwrap();
        keyboard.write_all(keys.as_bytes()).unwrap();
        keyboard.flush().unwrap();
        drop(keyboard);
        self
    }

    /// Changes the size of the terminal. The emulator keeps room for a wide character: what was drawn
    /// for a larger size may still come, and it has none for that in a single column, nor to scroll a single
    /// row.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.output.lock().unwrap().parser.screen_mut().set_size(rows.max(2), columns.max(2));
        self.master.resize(size(columns, rows)).unwrap();
    }

    /// Sends the program a signal.
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// The state of the process, as the system shows it: `R`, `S`, `T` for stopped.
    pub(crate) fn state(&self) -> char {
        let stat = format!("/proc/{}/stat", self.child.process_id().unwrap());
        let text = std::fs::read_to_string(stat).unwrap_or_default();
        text.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap_or('?')
    }

    #[allow(dead_code, reason = "a bench asks for it")]
    /// The memory that the process takes, in kilobytes (`VmRSS`).
    pub(crate) fn memory(&self) -> u64 {
        let status = format!("/proc/{}/status", self.child.process_id().unwrap());
        let text = std::fs::read_to_string(status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Whether the terminal reads lines and shows what is typed, as a shell wants it.
    pub(crate) fn is_as_before(&self) -> bool {
        use rustix::termios::{LocalModes, tcgetattr};
        let name = self.master.tty_name().unwrap();
        let Ok(slave) = std::fs::OpenOptions::new().read(true).write(true).open(name) else {
            return true;
        };
        let modes = tcgetattr(&slave).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// Waits for the end of the program, and for what it wrote last.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap()
                && self.reading.is_finished()
            {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "it does not end:\n{}", self.screen());
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}
