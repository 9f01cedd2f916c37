//! Submits jobs to a cluster through the API behind `ray job submit`. Needs neither Python nor Ray on this machine.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Context;
use eaves_store::http::{Client, Reply};
use serde_json::{Value, json};

use super::command::entrypoint;
use super::{Call, job_log};
use crate::Progress;
use crate::hinted;

/// What the cluster has to provide for the job, as JSON of Ray's `runtime_env`, such as `{"pip": ["eaves"]}`.
const ENVIRONMENT: &str = "EAVES_RAY_RUNTIME_ENV";
/// More headers for every request, as JSON: the variable of Ray's own program.
const HEADERS: &str = "RAY_JOB_HEADERS";
/// A token for clusters that ask for one: the variable of Ray's own program.
const TOKEN: &str = "RAY_AUTH_TOKEN";
/// How long a dashboard may be away before the job is given up.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a user who pressed Ctrl-C waits for the dashboard.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(5);
/// How often is asked, at first and later.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(2)];

/// The job that is waited for.
static WAITED_FOR: Mutex<Option<(Dashboard, String)>> = Mutex::new(None);

/// The dashboard of a cluster.
#[derive(Clone, Debug)]
pub(super) struct Dashboard {
    address: String,
    client: Client,
    headers: Vec<(String, String)>,
}

/// How a job is.
enum State {
    Waiting,
    Succeeded,
    /// Failed or stopped, and what Ray says of it.
    Ended(String),
}

impl Dashboard {
    /// Of an address. Nobody is asked yet.
    pub(super) fn at(address: &str) -> anyhow::Result<Self> {
        let mut headers = Vec::new();
        if let Ok(text) = std::env::var(HEADERS) {
            let given: serde_json::Map<String, Value> = serde_json::from_str(&text).map_err(|error| {
                hinted(format!("{HEADERS} is not a JSON object: {error}"), "as in `{\"name\": \"value\"}`")
            })?;
            headers.extend(
                given.iter().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))),
            );
        }
        if let Ok(token) = std::env::var(TOKEN) {
            headers.push(("authorization".to_owned(), format!("Bearer {}", token.trim())));
        }
        let client = Client::new().context("cannot use the network")?;
        Ok(Self { address: address.trim_end_matches('/').to_owned(), client, headers })
    }

    /// Runs a job and leaves its answer in a file.
    pub(super) fn run(&self, call: &Call<'_>, file: &Path, progress: &dyn Progress) -> anyhow::Result<()> {
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random).context("no random number")?;
        let name = random.iter().fold("eaves-".to_owned(), |mut name, byte| {
            let _ = write!(name, "{byte:02x}");
            name
        });
        let entrypoint = entrypoint(call, &name)?;
        // Known before it is there, so that it is stopped whenever Ctrl-C comes.
        let _waiting = Waiting::new(self, &name);
        self.submit(&name, &entrypoint)?;
        progress.line(&format!("job {name} on {}", self.address));
        let mut log = job_log::Log::default();
        let state = self.wait(&name, |text| {
            for line in log.news(text) {
                progress.line(line);
            }
        })?;
        let text = self.log(&name)?;
        for line in log.news(&text) {
            progress.line(line);
        }
        if let State::Ended(message) = state {
            let why = job_log::error(&text).map_or(message, str::to_owned);
            return Err(hinted(
                format!("the job failed on the cluster: {why}"),
                format!(
                    "`ray job logs {name}` shows the whole log; the cluster needs `eaves[ray]` ({ENVIRONMENT})"
                ),
            ));
        }
        let damaged = |what: &str| {
            hinted(
                format!("the result of job {name} did not arrive: {what}"),
                "try again; the job itself succeeded",
            )
        };
        let answer = job_log::answer(&text, &name).ok_or_else(|| damaged("its log has no end"))?;
        let answer = answer.map_err(|what| damaged(&what))?;
        std::fs::write(file, answer).with_context(|| format!("cannot write {}", file.display()))
    }

    fn submit(&self, name: &str, entrypoint: &str) -> anyhow::Result<()> {
        let environment = match std::env::var(ENVIRONMENT) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                hinted(format!("{ENVIRONMENT} is not JSON: {error}"), "as in `{\"pip\": [\"eaves\"]}`")
            })?,
            Err(_) => json!({}),
        };
        let job = json!({
            "entrypoint": entrypoint,
            "submission_id": name,
            "runtime_env": environment,
            "metadata": { "job_name": "eaves" },
        });
        let reply = self.ask("POST", "/api/jobs/", Some(&job)).map_err(|error| {
            hinted(
                format!("no answer from a Ray dashboard: {error}: {}", self.address),
                "pass the address of the dashboard, usually port 8265; `eaves cluster try` prints one",
            )
        })?;
        self.check(reply).map(drop)
    }

    /// Waits for the end of a job. Its log is shown as it grows.
    fn wait(&self, name: &str, mut show: impl FnMut(&str)) -> anyhow::Result<State> {
        let mut pause = PAUSES[0];
        let mut away: Option<Instant> = None;
        loop {
            match self.state(name) {
                Ok(State::Waiting) => {
                    away = None;
                    if let Ok(text) = self.log(name) {
                        show(&text);
                    }
                }
                Ok(state) => return Ok(state),
                Err(error) if away.get_or_insert_with(Instant::now).elapsed() > PATIENCE => {
                    return Err(hinted(
                        format!("the dashboard stopped answering: {error}"),
                        format!("the job may still be running; `ray job stop {name}` ends it"),
                    ));
                }
                Err(_) => {}
            }
            sleep(pause);
            pause = (pause * 5 / 4).min(PAUSES[1]);
        }
    }

    fn state(&self, name: &str) -> anyhow::Result<State> {
        let job = self.check(self.ask("GET", &format!("/api/jobs/{name}"), None)?)?;
        let said = |key: &str| job.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(match said("status").as_str() {
            "SUCCEEDED" => State::Succeeded,
            "STOPPED" => State::Ended("it was stopped".to_owned()),
            // The log comes after the first comma, and is told anyway.
            "FAILED" => State::Ended(
                said("message").split(", last available logs").next().unwrap_or_default().to_owned(),
            ),
            _ => State::Waiting,
        })
    }

    fn log(&self, name: &str) -> anyhow::Result<String> {
        let log = self.check(self.ask("GET", &format!("/api/jobs/{name}/logs"), None)?)?;
        Ok(log.get("logs").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    fn ask(&self, method: &'static str, path: &str, body: Option<&Value>) -> std::io::Result<Reply> {
        let address = format!("{}{path}", self.address);
        self.client.ask(method, &address, &self.headers, body.map(Value::to_string))
    }

    /// The JSON of an answer that says yes.
    fn check(&self, reply: Reply) -> anyhow::Result<Value> {
        let said = || String::from_utf8_lossy(&reply.body);
        if reply.status != 200 {
            // A traceback of Python says what is wrong in its last line.
            let said = said();
            let why: String = said
                .lines()
                .rfind(|line| !line.trim().is_empty())
                .unwrap_or_default()
                .chars()
                .take(300)
                .collect();
            let hint = match reply.status {
                401 | 403 => format!("the cluster requires authentication; set {TOKEN} or {HEADERS}"),
                404 => "is this a Ray dashboard? Its usual port is 8265".to_owned(),
                _ => "see the dashboard's log".to_owned(),
            };
            return Err(hinted(
                format!("the cluster refused ({}): {why}: {}", reply.status, self.address),
                hint,
            ));
        }
        serde_json::from_slice(&reply.body).map_err(|_| {
            let hint = "pass the address of the dashboard, usually port 8265";
            hinted(format!("not a Ray dashboard: {}", self.address), hint)
        })
    }
}

/// Keeps a job known as long as it is waited for.
struct Waiting;

impl Waiting {
    fn new(dashboard: &Dashboard, name: &str) -> Self {
        *WAITED_FOR.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((dashboard.clone(), name.to_owned()));
        Self
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *WAITED_FOR.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Stops the job that is waited for, if there is one.
pub(super) fn stop() {
    let job = WAITED_FOR.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((mut dashboard, name)) = job {
        dashboard.client = dashboard.client.with_patience(PATIENCE_AT_THE_END);
        // The process is about to end, and nobody is left to try again.
        drop(dashboard.ask("POST", &format!("/api/jobs/{name}/stop"), None));
    }
}
