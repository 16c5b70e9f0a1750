//! The target's RPC requester: starts it, takes its connection, and waits for its end.

use super::error::RunError;
use super::stage::{Stage, listen};
use super::task::{Ended, Task};
use crate::engine::{LinkOptions, shown};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Until when a requester is waited for.
#[derive(Debug, Clone, Copy)]
struct Limits {
    usual: Instant,
    /// For one that the system holds: on a machine whose disk is busy with a build, a program may not
    /// begin for half a minute, which says nothing of the target.
    held: Instant,
}

impl Limits {
    fn new(begun: Instant, patience: Duration) -> Self {
        let usual = begun + patience;
        Self { usual, held: usual + patience }
    }

    fn shorten(&mut self, until: Instant) {
        self.usual = self.usual.min(until);
        self.held = self.usual;
    }

    fn over(&self, now: Instant, is_held: impl FnOnce() -> bool) -> bool {
        now >= self.held || (now >= self.usual && !is_held())
    }
}

impl Stage {
    /// Starts the target's RPC requester, and takes the connection that it opens.
    ///
    /// The wait ends early when the command has: what it opened before waits at the listener by then.
    /// A command that ends well may have told another process to connect, which gets the time of an
    /// expectation.
    pub(super) fn launch(
        &mut self,
        name: u32,
        link: LinkOptions,
        task: &str,
    ) -> Result<(), RunError> {
        let Some(command) = self.rpc_target.tasks.get(task) else {
            return Err(RunError::Unknown(format!("the target has no command for `{task}`")));
        };
        let listener = listen(SocketAddr::new(self.rpc_target.listen, 0))?;
        let task = Task::start(command, listener.local_addr()?)?;
        let (pace, begun) = (self.pace, Instant::now());
        let mut limits = Limits::new(begun, pace.patience());
        let mut ended = None;
        let connection = self.hub.accept_until(&listener, || {
            if ended.is_none() {
                ended = task.ended()?;
                if let Some(ended) = ended {
                    let nominal = Duration::ZERO;
                    let rest =
                        if ended.well() { pace.within(nominal) } else { pace.quiet(nominal) };
                    limits.shorten(Instant::now() + rest);
                }
            }
            Ok(limits.over(Instant::now(), || task.is_held()))
        })?;
        let Some(connection) = connection else {
            let (waited, command) = (begun.elapsed(), task.told());
            return Err(RunError::NoRequester { waited, command });
        };
        self.task = Some(task);
        self.adopt(name, link, connection);
        Ok(())
    }

    /// Waits for the end of what the RPC requester was started for; what is wrong about it.
    pub(super) fn task_ended(
        &mut self,
        succeeds: Option<bool>,
        within: Duration,
    ) -> Result<Option<String>, RunError> {
        let until = Instant::now() + self.pace.within(within);
        loop {
            let Some(task) = &self.task else {
                return Err(RunError::Unknown("no requester was started".to_owned()));
            };
            if let Some(ended) = task.ended()? {
                let well = ended.well();
                let wrong = succeeds.is_some_and(|due| due != well);
                let came = match ended {
                    Ended::Status(0) => "it says that all went well".to_owned(),
                    Ended::Status(_) => "it says that it failed".to_owned(),
                    Ended::Signal(_) => format!("it {ended}"),
                };
                return Ok(wrong.then_some(came));
            }
            if Instant::now() >= until {
                return Ok(Some(format!("it still runs after {}", shown::time(within))));
            }
            // It may wait for this end of a stream that it has ended.
            let ended = self.streams.iter().filter(|(_, it)| it.link.ended() && !it.finished);
            for name in ended.map(|(name, _)| *name).collect::<Vec<_>>() {
                self.finish(name)?;
            }
            self.pump(Duration::from_millis(5));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::Limits;
    use crate::engine::{Capabilities, LinkOptions, Verdict};
    use crate::run::executor::Executor;
    use crate::run::hub::Hub;
    use crate::run::stage::Stage;
    use crate::run::{Action, Instance, Outcome, Pace, RpcTarget, Target};
    use std::net::{TcpListener, TcpStream};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    /// Less than a command that does not connect is waited for while it runs.
    const SOON: Duration = Duration::from_secs(15);

    /// What came of an instance that starts this command, and does nothing more.
    fn launched(command: &str) -> Outcome {
        let tasks = [("task".to_owned(), command.to_owned())].into();
        let rpc = RpcTarget { tasks, ..RpcTarget::default() };
        let address = ([127, 0, 0, 1], 9).into();
        let target = Target { rpc, ..Target::bare(address) };
        let launch =
            Action::Launch { stream: 2, link: LinkOptions::default(), task: "task".to_owned() };
        let instance = Instance {
            id: "launched".to_owned(),
            case: "launched".to_owned(),
            needs: Vec::new(),
            rpc: true,
            tasks: vec!["task".to_owned()],
            exclusive: false,
            allowed_findings: Vec::new(),
            script: Arc::new(vec![launch]),
        };
        let mut stage = Stage::new(&target, address, 2, Pace::default());
        Executor::new(&mut stage, &Capabilities::default(), 0).run(&instance)
    }

    fn inconclusive(outcome: &Outcome) -> &str {
        match &outcome.verdict {
            Verdict::Inconclusive(why) => why,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_command_that_failed_is_not_waited_for_and_what_it_said_is_told() {
        for (command, told) in [
            (
                "echo no such export >&2; echo at all >&2; exit 3",
                "its command ended with exit status 3, and said: no such export; at all",
            ),
            ("kill -KILL $$", "its command was ended by signal 9, and said nothing"),
            ("exec /nowhere/to/be/found", "exit status 127, and said: "),
        ] {
            let outcome = launched(command);
            let why = inconclusive(&outcome);
            assert!(why.contains(told), "{command}: {why}");
            assert!(outcome.took < SOON, "{command}: {:?}", outcome.took);
        }
    }

    #[test]
    fn what_a_command_leaves_behind_does_not_hold_the_run_up() {
        let outcome = launched("sleep 100 & echo gone >&2; exit 1");
        assert!(inconclusive(&outcome).contains("and said: gone"), "{}", outcome.verdict);
        assert!(outcome.took < SOON, "{:?}", outcome.took);
    }

    /// A command may tell a daemon to connect, and be done.
    #[test]
    fn a_command_that_ended_well_leaves_time_to_connect() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("port");
        let command = format!("echo {{port}} > '{0}.new'; mv '{0}.new' '{0}'", file.display());
        let daemon = std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(300));
                if let Ok(port) = std::fs::read_to_string(&file) {
                    return TcpStream::connect(("127.0.0.1", port.trim().parse().unwrap()));
                }
            }
        });
        let outcome = launched(&command);
        assert_eq!(outcome.verdict, Verdict::Pass);
        daemon.join().unwrap().unwrap();
        let outcome = launched("exit 0");
        assert!(inconclusive(&outcome).contains("ended with exit status 0"), "{}", outcome.verdict);
        assert!(outcome.took > Duration::from_secs(1) && outcome.took < SOON, "{:?}", outcome.took);
    }

    #[test]
    fn a_command_that_the_system_holds_has_longer() {
        let (begun, second) = (Instant::now(), Duration::from_secs(1));
        let mut limits = Limits::new(begun, 30 * second);
        for (after, held, over) in [
            (29, false, false),
            (29, true, false),
            (30, false, true),
            (30, true, false),
            (59, true, false),
            (60, true, true),
        ] {
            assert_eq!(limits.over(begun + after * second, || held), over, "{after} {held}");
        }
        limits.shorten(begun + second);
        assert!(!limits.over(begun, || false) && limits.over(begun + second, || true));
        limits.shorten(begun + 9 * second);
        assert!(limits.over(begun + second, || false));
    }

    /// Between the last look and the end of the wait a runner may be kept from running.
    #[test]
    fn what_came_while_the_runner_was_held_up_is_taken() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut connected = None;
        let taken = Hub::new().accept_until(&listener, || {
            connected = Some(TcpStream::connect(listener.local_addr()?)?);
            Ok(true)
        });
        assert!(taken.unwrap().is_some());
    }
}
