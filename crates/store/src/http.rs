//! Questions to web servers, for callers that wait for the answer.

use std::io;
use std::time::Duration;

use reqwest::Method;

use crate::bucket::{provide_cryptography, wait};

/// How long an answer may take. A log of many megabytes is among them.
const PATIENCE: Duration = Duration::from_secs(120);
const PATIENCE_TO_CONNECT: Duration = Duration::from_secs(10);

/// Asks web servers.
#[derive(Clone, Debug)]
pub struct Client {
    client: reqwest::Client,
    patience: Duration,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The code, 200 if all is well.
    pub status: u16,
    /// What it says.
    pub body: Vec<u8>,
}

impl Client {
    /// A client with the certificates that the system trusts.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn new() -> io::Result<Self> {
        provide_cryptography();
        let name = concat!("eaves/", env!("CARGO_PKG_VERSION"));
        let builder = reqwest::Client::builder().user_agent(name);
        let client = builder.connect_timeout(PATIENCE_TO_CONNECT).build().map_err(told)?;
        Ok(Self { client, patience: PATIENCE })
    }

    /// The same, for a caller who cannot wait longer than this.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Asks, with a body of JSON if there is one. Any answer of the server is one.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn ask(
        &self,
        method: &'static str,
        address: &str,
        headers: &[(String, String)],
        body: Option<String>,
    ) -> io::Result<Reply> {
        let method = Method::from_bytes(method.as_bytes()).map_err(io::Error::other)?;
        let mut request = self.client.request(method, address).timeout(self.patience);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        let answer = wait(async move {
            let reply = request.send().await?;
            let status = reply.status().as_u16();
            Ok(Reply { status, body: reply.bytes().await?.to_vec() })
        })?;
        answer.map_err(told)
    }
}

/// The innermost cause: what is around it names the address once more and says nothing else.
fn told(error: reqwest::Error) -> io::Error {
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    io::Error::other(cause.to_string())
}
