//! Takes connections, and has each of them relayed.

use super::pair::{Pair, wall_clock};
use super::socket::Socket;
use super::target::connect;
use crate::proxy::{Impairments, Observed, Relay, Witness, capture_writer};
use crate::run::error::RunError;
use crate::run::suite::capture_path;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// The most connections at once; more wait until others end.
const MOST: u64 = 128;
/// How often is looked for a connection.
const NAP: Duration = Duration::from_millis(10);

/// How connections are relayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyOptions {
    /// Where the target is; the first address that answers is taken.
    pub to: Vec<SocketAddr>,
    /// What is done to the streams.
    pub impairments: Impairments,
    /// All choices are drawn from it.
    pub seed: u64,
    /// The number of the first connection.
    pub first: u64,
    /// Ends after so many connections.
    pub connections: Option<u64>,
    /// Ends after this time.
    pub during: Option<Duration>,
    /// The folder for captures, one of each connection.
    pub captures: Option<PathBuf>,
    /// What captures say of the program that made them.
    pub application: String,
}

/// A listener whose connections are relayed to a target.
#[derive(Debug)]
pub struct Proxy {
    listener: TcpListener,
    address: SocketAddr,
}

/// What came of a connection.
type Came = Result<Observed, RunError>;

impl Proxy {
    /// Listens.
    ///
    /// # Errors
    /// [`RunError::Listen`].
    pub fn listen(address: SocketAddr) -> Result<Self, RunError> {
        let failed = |error| RunError::Listen { address, error };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// Where it listens, with the port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Relays connections until there were enough, the time is over, or `stop` is set; what is open
    /// then is reset. Each connection is told when it is over.
    ///
    /// # Errors
    /// [`RunError::Connect`] when the target cannot be reached by the first connection: a later one is
    /// told as inconclusive. [`RunError::Socket`] when captures cannot be written.
    pub fn run(
        self,
        options: &ProxyOptions,
        stop: &AtomicBool,
        mut tell: impl FnMut(Observed),
    ) -> Result<(), RunError> {
        if let Some(folder) = &options.captures {
            std::fs::create_dir_all(folder)?;
        }
        let until = options.during.map(|during| Instant::now() + during);
        let over = AtomicBool::new(false);
        let (sender, receiver) = channel();
        let mut failed = None;
        std::thread::scope(|scope| {
            let (mut taken, mut running) = (0, 0);
            loop {
                if stop.load(Ordering::Relaxed)
                    || until.is_some_and(|until| Instant::now() >= until)
                    || failed.is_some()
                {
                    over.store(true, Ordering::Relaxed);
                }
                let enough = options.connections.is_some_and(|most| taken >= most);
                let ended = over.load(Ordering::Relaxed) || enough;
                if ended && running == 0 {
                    break;
                }
                let mut idle = true;
                if !ended && running < MOST {
                    match self.listener.accept() {
                        Ok((stream, from)) => {
                            let number = options.first + taken;
                            let one = One { options, number, from, to: self.address };
                            let (over, sender) = (&over, sender.clone());
                            scope.spawn(move || one.run(stream, over, &sender));
                            (taken, running, idle) = (taken + 1, running + 1, false);
                        }
                        Err(error) if waits(&error) => {}
                        Err(error) => failed = Some(error.into()),
                    }
                }
                let wait = if idle { NAP } else { Duration::ZERO };
                for came in heard(&receiver, wait) {
                    running -= 1;
                    match came {
                        Ok(observed) => tell(observed),
                        Err(error) => failed = failed.take().or(Some(error)),
                    }
                }
            }
        });
        failed.map_or(Ok(()), Err)
    }
}

/// Whether there is only no connection for now: one that went away before it was taken counts too.
fn waits(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted
    )
}

/// What came within this time; all there is.
fn heard(receiver: &Receiver<Came>, wait: Duration) -> Vec<Came> {
    let first = receiver.recv_timeout(wait).ok();
    first.into_iter().chain(receiver.try_iter()).collect()
}

/// A connection that was taken.
struct One<'a> {
    options: &'a ProxyOptions,
    number: u64,
    from: SocketAddr,
    /// Where it was taken.
    to: SocketAddr,
}

impl One<'_> {
    fn run(self, stream: TcpStream, over: &AtomicBool, sender: &Sender<Came>) {
        // The run has ended where nobody listens.
        let _ = sender.send(self.relayed(stream, over));
    }

    fn relayed(&self, stream: TcpStream, over: &AtomicBool) -> Came {
        let options = self.options;
        let (target, to) = match connect(&options.to) {
            Ok(connected) => connected,
            Err(error) => {
                // The side that connected is to know that there is nobody.
                let _ = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
                if self.number == options.first {
                    return Err(error);
                }
                let to = options.to.first().copied().unwrap_or(self.to);
                return Ok(Observed::unreached(self.number, [self.from, to], error.to_string()));
            }
        };
        let ends = [self.from, to];
        let unreached = Observed::unreached(self.number, ends, String::new());
        let path = options.captures.as_ref().map(|folder| capture_path(folder, &unreached.id()));
        let capture = path.as_ref().map(|path| {
            let file = BufWriter::new(File::create(path)?);
            capture_writer(file, &options.application)
        });
        let witness = Witness::opened(wall_clock(), ends, capture.transpose()?)?;
        let relay = Relay::new(options.impairments, options.seed, self.number);
        let sockets = [Socket::new(stream)?, Socket::new(target)?];
        let observed = Pair::new(sockets, relay, witness)?.run(self.number, over)?;
        Ok(Observed { capture: path, ..observed })
    }
}
