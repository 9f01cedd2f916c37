//! Recording programs that use PyTorch while they run, when somebody asks.
//!
//! Kineto, the library in PyTorch that records, asks a daemon over a socket once a second whether there is something to
//! do. The [`Daemon`] is one: it lives in a private directory, hands an [`Order`] to every process of the program, and
//! waits for what they write. The protocol is that of Kineto's `IpcFabric` (`libkineto/src/IpcFabricConfigClient.cpp`,
//! `dynolog/src/ipcfabric` of the same makers), here in [`datagram`].

pub mod datagram;
mod order;

#[cfg(unix)]
mod control;
#[cfg(unix)]
mod daemon;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod recording;

pub use self::order::{Extent, Order};

#[cfg(unix)]
pub use self::control::{Answer, ask};
#[cfg(unix)]
pub use self::daemon::Daemon;
#[cfg(unix)]
pub use self::place::{Place, find};
