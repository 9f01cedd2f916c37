//! The daemon that processes with Kineto ask. It never waits for anybody, so that it needs one thread.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::control::Client;
use super::datagram::{self, LONGEST, Message};
use super::place::{CONTROL, Place, SOCKET};
use super::recording::{Kind, Progress, Recording};
use crate::system;

/// How long a message is waited for before the rest is looked after.
const INTERVAL: Duration = Duration::from_millis(50);
/// A process that has not asked for so long, though it should every second, is gone if the system does not know it.
const SILENCE: Duration = Duration::from_secs(5);
/// More processes than a machine runs of one program.
const MOST_PROCESSES: usize = 4096;

/// A daemon that runs until it is dropped.
#[derive(Debug)]
pub struct Daemon {
    stop: Arc<AtomicBool>,
    malformed: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Daemon {
    /// Opens its sockets and starts it.
    pub fn start(place: &Place) -> io::Result<Self> {
        let socket = UnixDatagram::bind(place.sockets.join(SOCKET))?;
        socket.set_read_timeout(Some(INTERVAL))?;
        socket.set_write_timeout(Some(INTERVAL))?;
        let listener = UnixListener::bind(place.sockets.join(CONTROL))?;
        listener.set_nonblocking(true)?;
        let (stop, malformed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut state = State {
            socket,
            listener,
            sockets: place.sockets.clone(),
            directory: place.directory.clone(),
            malformed: Arc::clone(&malformed),
            processes: BTreeMap::new(),
            current: None,
        };
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("daemon".to_owned()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                state.turn();
            }
        })?;
        Ok(Self { stop, malformed, thread: Some(thread) })
    }

    /// Messages that were none.
    pub fn malformed(&self) -> u64 {
        self.malformed.load(Ordering::Relaxed)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

struct State {
    socket: UnixDatagram,
    listener: UnixListener,
    sockets: PathBuf,
    directory: PathBuf,
    malformed: Arc<AtomicU64>,
    /// When each process asked last.
    processes: BTreeMap<i32, Instant>,
    current: Option<(Recording, Client)>,
}

impl State {
    fn turn(&mut self) {
        let mut buffer = [0; LONGEST];
        if let Ok((length, from)) = self.socket.recv_from(&mut buffer) {
            match datagram::parse(&buffer[..length]) {
                Ok(message) => {
                    let reply = self.reply(message);
                    // A process that ended meanwhile, or has no room, asks again if it is still there.
                    drop(self.socket.send_to_addr(&reply, &from));
                }
                Err(_) => {
                    self.malformed.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        if let Ok((stream, _)) = self.listener.accept()
            && let Ok((client, order)) = Client::meet(stream)
        {
            self.begin(client, order);
        }
        self.advance();
    }

    fn reply(&mut self, message: Message) -> Vec<u8> {
        let now = Instant::now();
        match message {
            Message::Hello { .. } => datagram::welcome(),
            Message::Poll { process, ready, .. } => {
                if self.processes.len() < MOST_PROCESSES || self.processes.contains_key(&process) {
                    self.processes.insert(process, now);
                }
                let kind = self.kind(process);
                let offer = self.current.as_mut().filter(|_| ready);
                let config = offer.and_then(|(recording, _)| recording.offer(process, kind, now));
                datagram::answer(config.as_deref().unwrap_or_default())
            }
        }
    }

    /// What the process said of itself; see `attach.py`.
    fn kind(&self, process: i32) -> Kind {
        let says = |what: &str| self.sockets.join(format!("{process}.{what}")).exists();
        Kind { aside: says("aside"), stepping: says("stepping") }
    }

    fn begin(&mut self, mut client: Client, order: Option<super::Order>) {
        let Some(order) = order else { return client.refuse("this is no order") };
        if self.current.is_some() {
            return client.refuse("another recording is in progress");
        }
        match Recording::new(order, &self.directory) {
            Ok(recording) => self.current = Some((recording, client)),
            Err(error) => client.refuse(&format!("cannot write to {}: {error}", self.directory.display())),
        }
    }

    fn advance(&mut self) {
        let now = Instant::now();
        self.processes
            .retain(|process, last| now.duration_since(*last) < SILENCE || system::is_running(*process));
        let steps = self.current.as_ref().is_some_and(|(recording, _)| recording.wants_steps());
        let lacks_steps = steps && !self.processes.keys().any(|process| self.kind(*process).stepping);
        let is_alive = |process| self.processes.contains_key(&process);
        let sockets = &self.sockets;
        let rank = |process| fs::read_to_string(sockets.join(format!("{process}.rank"))).ok()?.parse().ok();
        let Some((recording, client)) = &mut self.current else { return };
        let over = match recording.advance(now, is_alive, rank) {
            Ok(Progress::Nobody) => {
                client.wait_for(if self.processes.is_empty() {
                    "no process has imported torch yet"
                } else if lacks_steps {
                    "no process has completed an optimizer step yet (use --duration to record without steps)"
                } else {
                    "processes poll once a second"
                });
                client.is_gone()
            }
            Ok(Progress::Recording(processes)) => {
                let word = if processes == 1 { "process" } else { "processes" };
                client.wait_for(&format!("{processes} {word} record"));
                client.is_gone()
            }
            Ok(Progress::Done(files, lost)) => {
                client.finish(&files, &lost);
                true
            }
            Err(error) => {
                client.refuse(&format!("cannot write to {}: {error}", self.directory.display()));
                true
            }
        };
        if over && let Some((recording, _)) = self.current.take() {
            recording.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ondemand::{Extent, Order, ask};
    use std::thread;

    const ORDER: Order =
        Order { extent: Extent::Steps(2), align: 1, stacks: false, shapes: true, memory: false };

    /// A process as Kineto is one: asks until it is told something, and returns that.
    fn process(sockets: PathBuf, number: i32) -> String {
        let own = sockets.join(format!("client{number}"));
        let socket = UnixDatagram::bind(own).unwrap();
        let mut body = [3_i32, 2, 0, 0, number, 1].map(i32::to_ne_bytes).concat();
        let mut message = (body.len() as u64).to_ne_bytes().to_vec();
        message.extend(b"req");
        message.resize(40, 0);
        message.append(&mut body);
        loop {
            socket.send_to(&message, sockets.join(SOCKET)).unwrap();
            let mut answer = [0; 4096];
            let length = socket.recv(&mut answer).unwrap();
            if length > 40 {
                return String::from_utf8_lossy(&answer[40..length]).into_owned();
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn processes_are_asked_and_their_files_collected() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place::new(directory.path()).unwrap();
        let daemon = Daemon::start(&place).unwrap();
        // Nothing that anybody sends disturbs it.
        let stray = UnixDatagram::unbound().unwrap();
        for bytes in [b"".as_slice(), b"hello", &[0xff; 100]] {
            stray.send_to(bytes, place.sockets.join(SOCKET)).unwrap();
        }
        // Processes that last as long as this test.
        let numbers = [1, std::process::id().cast_signed()];
        let clients: Vec<_> = numbers
            .into_iter()
            .map(|number| {
                let sockets = place.sockets.clone();
                thread::spawn(move || {
                    fs::write(sockets.join(format!("{number}.stepping")), "").unwrap();
                    let config = process(sockets, number);
                    let line = config.lines().find_map(|line| line.strip_prefix("ACTIVITIES_LOG_FILE="));
                    let path = line.unwrap().replace(".json", &format!("_{number}.json"));
                    fs::write(path, "{\"traceEvents\": [],\n\"traceName\": \"x\"\n}").unwrap();
                    config
                })
            })
            .collect();
        let mut heard = Vec::new();
        let answer = ask(&place.sockets, &ORDER, Duration::from_secs(60), |text| heard.push(text.to_owned()));
        let answer = answer.unwrap();
        assert_eq!(answer.files.len(), 2, "{answer:?}");
        assert!(answer.lost.is_empty() && answer.files.iter().all(|file| file.is_file()));
        assert_eq!(heard.last().map(String::as_str), Some("2 processes record"));
        for client in clients {
            assert!(client.join().unwrap().contains("ACTIVITIES_ITERATIONS=2\n"));
        }
        assert_eq!(daemon.malformed(), 3);
    }

    #[test]
    fn an_order_that_nobody_can_carry_out_ends_in_time() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place::new(directory.path()).unwrap();
        let _daemon = Daemon::start(&place).unwrap();
        let error = ask(&place.sockets, &ORDER, Duration::from_secs(3), |_| ()).unwrap_err();
        assert!(error.to_string().contains("imported torch"), "{error}");
    }
}
