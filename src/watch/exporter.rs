//! The HTTP server that Prometheus scrapes: a fixed number of threads, one client each, with a time limit.

use super::metrics::Metrics;
use anyhow::{Context as _, Result};
use httparse::{EMPTY_HEADER, Request, Status};
use prometheus_client::encoding::{prometheus_text, text};
use prometheus_client::registry::Registry;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Clients that are served at the same time; further clients wait.
const CLIENTS: usize = 4;
/// The time limit of a client, from its connection to the last byte of its response.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes of a request, and the most lines of its header.
const REQUEST: usize = 8192;
const HEADERS: usize = 64;
/// How long to wait if no connection can be accepted, for example without free descriptors.
const PAUSE: Duration = Duration::from_millis(200);

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves the metrics.
pub(super) struct Exporter {
    pub(super) metrics: Metrics,
    pub(super) registry: Registry,
}

impl Exporter {
    /// Returns the metrics as OpenMetrics text, or in the older Prometheus text format.
    pub(super) fn text(&self, open_metrics: bool) -> String {
        self.metrics.memory.set(resident_memory());
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = match open_metrics {
            true => text::encode(&mut out, &self.registry),
            false => prometheus_text::encode(&mut out, &self.registry),
        };
        out
    }

    /// Starts to serve at an address; returns the address in use.
    pub(super) fn serve(self: &Arc<Self>, address: &str) -> Result<SocketAddr> {
        let taken = |what: &str| format!("--metrics {address}: cannot {what}");
        let listener = TcpListener::bind(address).with_context(|| taken("listen"))?;
        let bound = listener.local_addr().with_context(|| taken("listen"))?;
        let listener = Arc::new(listener);
        for number in 0..CLIENTS {
            let (exporter, listener) = (Arc::clone(self), Arc::clone(&listener));
            std::thread::Builder::new()
                .name(format!("metrics {number}"))
                .spawn(move || exporter.take(&listener))
                .with_context(|| taken("start a thread"))?;
        }
        Ok(bound)
    }

    fn take(&self, listener: &TcpListener) {
        loop {
            match listener.accept() {
                // A client that disconnects, or is too slow, gets no answer.
                Ok((stream, _)) => drop(self.client(Patient::new(stream))),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }

    fn client(&self, mut stream: Patient) -> io::Result<()> {
        let mut request = [0; REQUEST];
        let mut filled = 0;
        let (status, kind, body) = loop {
            let read = stream.read(request.get_mut(filled..).unwrap_or_default())?;
            filled += read;
            let mut headers = [EMPTY_HEADER; HEADERS];
            let mut parsed = Request::new(&mut headers);
            match parsed.parse(request.get(..filled).unwrap_or_default()) {
                Ok(Status::Complete(_)) => break self.response(&parsed),
                Ok(Status::Partial) if read > 0 && filled < REQUEST => {}
                _ => {
                    break plain(
                        "400 Bad Request",
                        "This is not an HTTP request, or it is too long.\n",
                    );
                }
            }
        };
        let length = body.len();
        let header = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(header.as_bytes())?;
        stream.write_all(body.as_bytes())
    }

    fn response(&self, request: &Request<'_, '_>) -> Response {
        let path = request.path.map_or("", |path| path.split('?').next().unwrap_or(path));
        match (request.method, path) {
            (Some("GET"), "/metrics") => {
                self.metrics.scrapes.inc();
                let accepts = |format: &str| {
                    request.headers.iter().any(|header| {
                        header.name.eq_ignore_ascii_case("accept")
                            && String::from_utf8_lossy(header.value).contains(format)
                    })
                };
                let open = accepts("application/openmetrics-text") || !accepts("text/plain");
                let kind = if open { OPEN_METRICS } else { prometheus_text::CONTENT_TYPE };
                ("200 OK", kind, self.text(open))
            }
            (Some("GET"), _) => plain("404 Not Found", "The metrics are at /metrics.\n"),
            _ => plain("405 Method Not Allowed", "Only GET /metrics is answered here.\n"),
        }
    }
}

/// Status, type and text.
type Response = (&'static str, &'static str, String);

fn plain(status: &'static str, words: &str) -> Response {
    (status, "text/plain; charset=utf-8", words.to_owned())
}

/// A client's connection, limited to [`PATIENCE`].
struct Patient {
    stream: TcpStream,
    until: Instant,
}

impl Patient {
    fn new(stream: TcpStream) -> Self {
        Self { stream, until: Instant::now() + PATIENCE }
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Patient {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(into)
    }
}

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Returns the resident memory in bytes; 0 if the system does not report it.
fn resident_memory() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    kibibytes.map_or(0, |kibibytes: i64| kibibytes * 1024)
}
