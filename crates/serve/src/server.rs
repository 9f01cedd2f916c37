//! Listening, and handing connections to the routes.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tower_service::Service;

use crate::access::LocalAddress;
use crate::state::Shared;
use crate::{Options, Problem, routes, watch};

/// Connections at once; others wait to be accepted.
const MOST_CONNECTIONS: usize = 1_024;
/// How long a client may take to send its headers.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// Bytes of headers and of what is read ahead.
const MOST_HEADERS: usize = 64 << 10;

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Everybody on the network could read what this machine can.
    #[error("{0} is reachable from other machines, but no token is set")]
    NoToken(std::net::IpAddr),
    /// The address is taken, or not of this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The system has no threads or files left.
    #[error("cannot start: {0}")]
    Runtime(std::io::Error),
}

/// A server that listens until it is dropped.
pub struct Server {
    runtime: Option<Runtime>,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Starts to listen.
    ///
    /// # Errors
    /// If the address cannot be had, or other machines could reach it without a token.
    pub fn start(options: Options) -> Result<Self, StartError> {
        if !options.host.is_loopback() && options.token.as_ref().is_none_or(String::is_empty) {
            return Err(StartError::NoToken(options.host));
        }
        let wanted = SocketAddr::new(options.host, options.port);
        let failed = |source| StartError::Listen { address: wanted, source };
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(64)
            .thread_name("eaves-serve")
            .enable_all()
            .build()
            .map_err(StartError::Runtime)?;
        let shared = Arc::new(Shared::new(options));
        let router = routes::router(shared.clone());
        let entered = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        runtime.spawn(accept(listener, router));
        runtime.spawn(watch::watch(Arc::downgrade(&shared)));
        drop(entered);
        Ok(Self { runtime: Some(runtime), address, shared })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a browser finds the page, with the token if there is one.
    pub fn url(&self) -> String {
        let host = match self.address.ip() {
            ip if ip.is_unspecified() => SocketAddr::from(([127, 0, 0, 1], self.address.port())),
            _ => self.address,
        };
        match &self.shared.options.token {
            Some(token) => format!("http://{host}/?token={token}"),
            None => format!("http://{host}/"),
        }
    }

    /// A run of inputs that the user named. The answer is its id; it is read when somebody looks.
    ///
    /// # Errors
    /// If there are too many.
    pub fn open(&self, inputs: Vec<PathBuf>) -> Result<String, Problem> {
        Ok(self.shared.runs.add(inputs, None)?.id.clone())
    }

    /// Reads a run now, so that the page has it at once, and tells what is wrong with it.
    ///
    /// # Errors
    /// If there is nothing to show.
    pub fn read(&self, id: &str) -> Result<(), Problem> {
        let run = self.shared.runs.find(id)?;
        self.shared.runs.load(&run).map(drop)
    }

    /// Listens for as long as the process lives.
    pub fn wait(&self) {
        loop {
            std::thread::park();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Whoever still reads a large file is not waited for.
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: tokio::net::TcpListener, router: Router) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    serve(stream, router).await;
                    drop(place);
                });
            }
            // Out of files, or a client that was gone before it was let in.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn serve(stream: TcpStream, router: Router) {
    let Ok(local) = stream.local_addr() else { return };
    // Answers are whole when they are sent.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(LocalAddress(local));
        let mut router = router.clone();
        Service::<hyper::Request<Body>>::call(&mut router, request.map(Body::new))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(MOST_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    // A client that breaks off, or speaks something else, is its own affair.
    drop(connection.await);
}
