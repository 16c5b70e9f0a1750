//! A host in a thread of its own that answers messages, and what is left of it in the end.

use crate::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::thread::JoinHandle;

/// How long anything may take to happen: far longer than it ever takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of the region that all may read.
pub(crate) const SHARED: usize = 1 << 20;

/// What goes on in the server, for the test to see.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    stop: AtomicBool,
    /// Streams that there are, and the most there were.
    pub(crate) streams: AtomicUsize,
    pub(crate) most: AtomicUsize,
    /// Streams that got as far, or ended for an error that was found here.
    pub(crate) established: AtomicUsize,
    pub(crate) refused: AtomicUsize,
    pub(crate) closed: AtomicUsize,
}

impl Seen {
    /// Waits until a number is as it should be.
    pub(crate) fn until(&self, what: &str, mut condition: impl FnMut(&Self) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !condition(self) {
            assert!(Instant::now() < until, "waited in vain for: {what}: {self:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn until_none(&self) {
        self.until("no streams", |it| it.streams.load(Ordering::Relaxed) == 0);
    }
}

/// Sends each message back; gives each stream a region of its own.
#[derive(Debug)]
struct Echo {
    seen: Arc<Seen>,
    own: HashMap<u64, u32>,
}

impl Service for Echo {
    fn handle(&mut self, streams: &mut Streams, number: u64, event: StreamEvent) {
        match event {
            StreamEvent::Event(Event::Established(_)) => {
                self.seen.established.fetch_add(1, Ordering::Relaxed);
                let own = Registration::stream(number, Rights::ALL);
                let tag = streams.memory().register(vec![0; 4096], own).unwrap();
                self.own.insert(number, tag);
                for name in 0..4 {
                    let _ = streams.post_receive(number, name, 4096);
                }
            }
            StreamEvent::Completion(done) => {
                if let Ok(Outcome::Received(got)) = done.result {
                    let _ = streams.post_receive(number, 0, 4096);
                    let answer = WorkRequest::new(0, Operation::send(&got.bytes));
                    let _ = streams.post(number, answer);
                }
            }
            StreamEvent::Event(Event::FinishReceived) => streams.finish(number),
            StreamEvent::Event(Event::Violated(_)) => {
                self.seen.refused.fetch_add(1, Ordering::Relaxed);
            }
            StreamEvent::Closed => {
                if let Some(tag) = self.own.remove(&number) {
                    streams.memory().deregister(tag).unwrap();
                }
                self.seen.closed.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
        self.seen.streams.store(streams.count(), Ordering::Relaxed);
        self.seen.most.fetch_max(streams.count(), Ordering::Relaxed);
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The region that all may read.
    pub(crate) shared: u32,
    pub(crate) seen: Arc<Seen>,
    thread: JoinHandle<[usize; 2]>,
}

impl Server {
    /// Begins to serve, with timers that a test can wait for.
    pub(crate) fn start(options: HostOptions) -> Self {
        let quick = Duration::from_secs(2);
        let config = Config { setup_timeout: quick, close_timeout: quick / 4, ..config() };
        Self::start_with(options, config)
    }

    pub(crate) fn start_with(options: HostOptions, config: Config) -> Self {
        let mut memory = Memory::seeded(1);
        let shared = Registration::shared(config.accessor.protection_domain, Rights::READ);
        let shared = memory.register(vec![7; SHARED], shared).unwrap();
        let mut host = Host::new(Streams::new(memory), options).unwrap();
        let address = host.listen(LOOPBACK, config).unwrap();
        let seen = Arc::new(Seen::default());
        let mut echo = Echo { seen: Arc::clone(&seen), own: HashMap::new() };
        let thread_seen = Arc::clone(&seen);
        let thread = std::thread::spawn(move || {
            let stop = || thread_seen.stop.load(Ordering::Relaxed);
            host.serve(&mut echo, stop, Duration::from_secs(2)).unwrap();
            let streams = host.streams();
            [streams.count(), streams.memory().count()]
        });
        Self { address, shared, seen, thread }
    }

    /// Stops it: no stream is left, and only the shared region.
    pub(crate) fn end(self) {
        self.seen.stop.store(true, Ordering::Relaxed);
        assert_eq!(self.thread.join().unwrap(), [0, 1], "streams and regions that are left");
    }
}
