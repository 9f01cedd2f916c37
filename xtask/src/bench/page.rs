//! The benchmark of the server: a big trace from its opening to its first answers, windows of its timeline, and many
//! clients at once.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::ingest::{build, goal, machine};
use super::inputs;
use super::table::Table;
use crate::generate::big;
use crate::options::Options;
use crate::project;

/// What eaves promises.
const GOAL_SECONDS_TO_OPEN: f64 = 5.0;
const GOAL_WINDOW_MS: f64 = 50.0;
const GOAL_CLIENT_P99_MS: f64 = 50.0;

/// Where answers are.
const DOCUMENT: &str = "/api/v1/runs/latest/document";
const TIMELINE: &str = "/api/v1/runs/latest/timeline";

/// Pixels of a wide window.
const PIXELS: u32 = 1600;

/// Runs the benchmark.
pub(super) fn run(mut options: Options) -> Result<()> {
    let size = options.value("--size")?.map_or(Ok(500_000_000), |size| big::parse_size(&size))?;
    let clients: usize = options.value("--clients")?.map_or(Ok(200), |clients| clients.parse())?;
    let seconds: u64 = options.value("--seconds")?.map_or(Ok(60), |seconds| seconds.parse())?;
    let program = options.value("--program")?.map(PathBuf::from);
    options.finish()?;
    let eaves = program.map_or_else(build, Ok)?;
    println!("{}", machine());
    let file = inputs::big_trace(size, "json")?;
    let mut table = Table::new(&["", "ms"]);
    let mut goals = Vec::new();

    let start = Instant::now();
    let server = Server::start(&eaves, &file)?;
    let mut client = Client::connect(&server.address)?;
    let whole = client.until_there(TIMELINE, Duration::from_secs(120))?;
    let opened = start.elapsed().as_secs_f64();
    table.row([
        format!("{} MB until its timeline is there ({} kB)", size / 1_000_000, whole.body / 1000),
        ms(opened),
    ]);
    goals.push(("seconds until a big trace can be looked at", opened, "<=", GOAL_SECONDS_TO_OPEN));
    let start = Instant::now();
    client.until_there(DOCUMENT, Duration::from_secs(120))?;
    table.row(["its report, after that".to_owned(), ms(start.elapsed().as_secs_f64())]);
    let mut worst = 0.0_f64;
    for part in [1, 10, 100, 1000, 10_000] {
        let times = windows(&mut client, part)?;
        worst = worst.max(times);
        table.row([format!("a window of 1/{part} of it in {PIXELS} pixels, median"), ms(times)]);
    }
    goals.push(("ms of a window of its timeline", worst * 1e3, "<=", GOAL_WINDOW_MS));
    drop(server);

    let server = Server::start(&eaves, &project::root().join("examples/training"))?;
    Client::connect(&server.address)?.until_there(DOCUMENT, Duration::from_secs(60))?;
    for (what, conditional) in [("whole", false), ("not changed", true)] {
        let crowd = crowd(&server.address, clients, Duration::from_secs(seconds), conditional)?;
        let name = format!("{clients} clients, {seconds} s, answers {what}: ");
        table.row([format!("{name}median of {}", crowd.answers), ms(crowd.median)]);
        table.row([format!("{name}p99, {} errors", crowd.errors), ms(crowd.p99)]);
        goals.push(("p99 in ms of cached answers", crowd.p99 * 1e3, "<=", GOAL_CLIENT_P99_MS));
        goals.push(("errors", crowd.errors as f64, "<=", 0.0));
    }
    println!("\n{table}\nGoals");
    for (what, measured, relation, wanted) in goals {
        goal(what, measured, relation, wanted);
    }
    Ok(())
}

fn ms(seconds: f64) -> String {
    format!("{:.2}", seconds * 1e3)
}

/// The median time of a window of this part of the whole, at different places.
fn windows(client: &mut Client, part: u64) -> Result<f64> {
    let whole = client.window()?;
    let length = (whole / part).max(1);
    let mut times = Vec::new();
    for step in 0..9 {
        let start = (whole - length) / 9 * step;
        let path = format!("{TIMELINE}?start={start}&end={}&pixels={PIXELS}", start + length);
        let before = Instant::now();
        client.get(&path, None)?.expect(200)?;
        times.push(before.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// What many clients saw.
struct Crowd {
    answers: usize,
    errors: u64,
    median: f64,
    p99: f64,
}

/// Many clients that ask for one answer again and again, each as soon as it has the last.
fn crowd(address: &str, clients: usize, time: Duration, conditional: bool) -> Result<Crowd> {
    let errors = AtomicU64::new(0);
    let tag = Client::connect(address)?.get(DOCUMENT, None)?.tag.filter(|_| conditional);
    let wanted = if conditional { 304 } else { 200 };
    let end = Instant::now() + time;
    let one = || -> Vec<f32> {
        let mut times = Vec::new();
        let Ok(mut client) = Client::connect(address) else {
            errors.fetch_add(1, Ordering::Relaxed);
            return times;
        };
        while Instant::now() < end {
            let before = Instant::now();
            if client.get(DOCUMENT, tag.as_deref()).and_then(|answer| answer.expect(wanted)).is_err() {
                errors.fetch_add(1, Ordering::Relaxed);
                return times;
            }
            times.push(before.elapsed().as_secs_f32());
        }
        times
    };
    let mut times: Vec<f32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|_| scope.spawn(one)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    times.sort_by(f32::total_cmp);
    let at = |share: f64| {
        times.get((times.len() as f64 * share) as usize).map_or(f64::INFINITY, |time| f64::from(*time))
    };
    Ok(Crowd { answers: times.len(), errors: errors.into_inner(), median: at(0.5), p99: at(0.99) })
}

/// A running server, which ends with this.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(eaves: &Path, input: &Path) -> Result<Self> {
        let mut command = Command::new(eaves);
        command.args(["open", "--no-browser", "--port", "0"]).arg(input);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let stderr = child.stderr.take().context("no messages")?;
        let mut lines = BufReader::new(stderr).lines();
        for line in lines.by_ref() {
            let line = line?;
            if let Some((_, rest)) = line.split_once("http://") {
                let address = rest.split(['/', ' ']).next().unwrap_or(rest).to_owned();
                // What it says later must go somewhere.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Self { child, address });
            }
        }
        bail!("the server did not say its address")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
struct Client {
    stream: BufReader<TcpStream>,
    host: String,
}

/// What came back.
struct Answer {
    status: u16,
    tag: Option<String>,
    /// Bytes of the body.
    body: usize,
    text: Vec<u8>,
}

impl Answer {
    fn expect(&self, status: u16) -> Result<()> {
        if self.status != status {
            bail!("{} instead of {status}: {}", self.status, String::from_utf8_lossy(&self.text));
        }
        Ok(())
    }
}

impl Client {
    fn connect(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        Ok(Self { stream: BufReader::new(stream), host: address.to_owned() })
    }

    /// Asks until it is there: a run that is being read says so.
    fn until_there(&mut self, path: &str, limit: Duration) -> Result<Answer> {
        let start = Instant::now();
        loop {
            let answer = self.get(path, None)?;
            if answer.status == 200 {
                return Ok(answer);
            }
            if start.elapsed() > limit {
                answer.expect(200)?;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Nanoseconds that the timeline covers: `"window":[from,to]` of its description.
    fn window(&mut self) -> Result<u64> {
        let answer = self.plain(TIMELINE)?;
        let text = String::from_utf8_lossy(&answer.text);
        let found = text.split_once("\"window\":[").and_then(|(_, rest)| rest.split_once(']'));
        let (from, to) = found.and_then(|(pair, _)| pair.split_once(',')).context("no window")?;
        let (from, to): (i64, i64) = (from.trim().parse()?, to.trim().parse()?);
        Ok(u64::try_from(to - from)?)
    }

    fn get(&mut self, path: &str, tag: Option<&str>) -> Result<Answer> {
        self.ask(path, "Accept-Encoding: gzip, br\r\n", tag)
    }

    fn plain(&mut self, path: &str) -> Result<Answer> {
        self.ask(path, "", None)
    }

    fn ask(&mut self, path: &str, headers: &str, tag: Option<&str>) -> Result<Answer> {
        let tag = tag.map_or(String::new(), |tag| format!("If-None-Match: {tag}\r\n"));
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}{tag}\r\n", self.host);
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).context("no status")?;
        let (mut length, mut tag, mut chunked) = (0, None, false);
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse()?,
                "etag" => tag = Some(value.to_owned()),
                "transfer-encoding" => chunked = value == "chunked",
                _ => {}
            }
        }
        let mut text = Vec::new();
        if chunked {
            self.chunks(&mut text)?;
        } else if status != 304 {
            text.resize(length, 0);
            self.stream.read_exact(&mut text)?;
        }
        Ok(Answer { status, tag, body: text.len(), text })
    }

    /// A body in pieces, each behind its length.
    fn chunks(&mut self, text: &mut Vec<u8>) -> Result<()> {
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16)?;
            let start = text.len();
            // Two more for the end of the line.
            text.resize(start + length + 2, 0);
            self.stream.read_exact(&mut text[start..])?;
            text.truncate(start + length);
            if length == 0 {
                return Ok(());
            }
        }
    }
}
