//! `eaves serve`: serves the page over HTTP.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use eaves_serve::{Options, Server, StartError};

use crate::arguments::OutputArguments;
use crate::failure::hinted;
use eaves_app::HELP_TEMPLATE;

/// Serve the page, with every view, to browsers
#[derive(Args, Debug)]
#[command(
    help_template = HELP_TEMPLATE,
    before_help = "  eaves serve traces/
  eaves serve --port 8080 run-1/ run-2/
  eaves serve --host 0.0.0.0 --token auto traces/
  ssh -L 6970:localhost:6970 gpu-box eaves serve traces/"
)]
pub(crate) struct Arguments {
    /// Files and directories; each is a separate run
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    serving: ServingArguments,
}

/// How the server runs.
#[derive(Args, Debug)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServingArguments {
    /// Address to listen on; anything but loopback requires --token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Port to listen on; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 6970)]
    port: u16,
    /// Token that clients must present; `auto` generates and prints one
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Additional host name that browsers may use for this machine
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
    /// Memory budget for loaded runs; the least recently used is evicted
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "4GB")]
    memory: u64,
    /// Upload size limit
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "1GB")]
    upload_limit: u64,
    /// Let the page open any path, not just below the inputs and this directory
    #[arg(long)]
    anywhere: bool,
    /// Compare operators with this device or peaks file, not the recorded device
    #[arg(long, value_name = "NAME|FILE", help_heading = "Device")]
    device: Option<String>,
    /// Peaks and thresholds for NPU commands, saved by the page [default:
    /// roofline_config.json]
    #[arg(long, value_name = "FILE", help_heading = "Device")]
    config: Option<PathBuf>,
    /// Operator formulas of your own, saved by the page [default: ops.rhai,
    /// for measurements]
    #[arg(long, value_name = "FILE", help_heading = "Device")]
    ops: Option<PathBuf>,
}

/// Serves until it is interrupted.
pub(super) fn run(arguments: &Arguments, output: &OutputArguments) -> Result<()> {
    arguments.inputs.iter().try_for_each(|input| check(input))?;
    let server = arguments.serving.start(&arguments.inputs)?;
    let inputs = arguments.inputs.iter().map(|input| vec![input.clone()]);
    for input in inputs {
        server.open(input).map_err(|problem| anyhow::anyhow!("{problem}"))?;
    }
    output.printer().message(&format!("serving at {}\n", server.url()));
    server.wait();
    Ok(())
}

/// Whether there is such an input. Runs are read when somebody looks at them, which is late to hear of a wrong name.
fn check(input: &Path) -> Result<()> {
    let name = input.to_string_lossy();
    let matches = || glob::glob(&name).is_ok_and(|mut found| found.next().is_some());
    // What is not on this machine is only known when it is asked for.
    if name.contains("://") || input.exists() || matches() {
        return Ok(());
    }
    Err(hinted(
        format!("no such file or directory: {}", input.display()),
        "name traces, directories or saved reports; without inputs, open them from the page",
    ))
}

impl ServingArguments {
    /// Starts the server, which may open what lies below the inputs.
    pub(crate) fn start(&self, inputs: &[PathBuf]) -> Result<Server> {
        let mut folders = vec![PathBuf::from(".")];
        folders.extend(inputs.iter().cloned());
        if let Some(device) = &self.device {
            // A wrong name is heard of now, not when somebody looks at a run.
            eaves_app::device::named(device)?;
        }
        let options = Options {
            host: self.host,
            port: self.port,
            token: self.token()?,
            host_names: self.host_name.clone(),
            memory: self.memory,
            upload_limit: self.upload_limit,
            anywhere: self.anywhere,
            folders,
            device: self.device.clone(),
            config: self.config.clone(),
            ops: self.ops.clone(),
        };
        Server::start(options).map_err(|error| match &error {
            StartError::NoToken(_) => hinted(
                error.to_string(),
                "add `--token auto`, or connect through `ssh -L 6970:localhost:6970`",
            ),
            StartError::Listen { .. } => {
                hinted(error.to_string(), "choose another --port; 0 picks a free one")
            }
            _ => error.into(),
        })
    }

    fn token(&self) -> Result<Option<String>> {
        match self.token.as_deref() {
            Some("auto") => Ok(Some(random_token()?)),
            Some(token)
                if token.len() < LEAST_TOKEN || !token.bytes().all(|letter| letter.is_ascii_graphic()) =>
            {
                Err(hinted(
                    format!("a token needs at least {LEAST_TOKEN} characters and no spaces"),
                    "`--token auto` generates one",
                ))
            }
            token => Ok(token.map(str::to_owned)),
        }
    }
}

/// Shorter ones are guessed.
const LEAST_TOKEN: usize = 8;

fn random_token() -> Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).context("the system provides no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// `4GB`, `500MB`, `1024`.
fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size; write a number with KB, MB, GB or TB");
    let split = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..split], text[split..].trim());
    let factor = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "K" | "KB" => 1e3,
        "M" | "MB" => 1e6,
        "G" | "GB" => 1e9,
        "T" | "TB" => 1e12,
        _ => return Err(wrong()),
    };
    let value = number.parse::<f64>().map_err(|_| wrong())? * factor;
    if value >= 1.0 { Ok(value as u64) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("4GB"), Ok(4_000_000_000));
        assert_eq!(bytes("1.5 mb"), Ok(1_500_000));
        assert_eq!(bytes("7"), Ok(7));
        for wrong in ["", "GB", "-1", "0", "4XB", "1.2.3"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tokens_differ() {
        let (one, other) = (random_token().unwrap(), random_token().unwrap());
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
    }
}
