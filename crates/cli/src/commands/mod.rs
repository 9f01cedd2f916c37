//! The verbs of the command line. Most are requests of `eaves_app` and need a variant and an arm. A file here is for what
//! only a terminal does: running a program, serving until it is stopped, reading a question from stdin.

// tidy-alphabetical-start
mod attach;
mod cluster;
mod compile;
mod device;
mod export;
mod memory;
mod open;
mod profile;
mod query;
mod report;
mod self_;
mod serve;
mod watch;
// tidy-alphabetical-end

use anyhow::Result;
use clap::Subcommand;
use eaves_app::verbs;

use crate::Status;
use crate::arguments::OutputArguments;

/// Operation.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Attach(attach::Arguments),
    Bench(Box<verbs::Bench>),
    Cluster(cluster::Arguments),
    Comm(verbs::Comm),
    Compile(Box<compile::Arguments>),
    Counters(verbs::Counters),
    Device(verbs::Device),
    Diff(verbs::Diff),
    Export(verbs::Export),
    Flame(verbs::Flame),
    Hta(verbs::Hta),
    Info(verbs::Info),
    Ingest(verbs::Ingest),
    Kernels(verbs::Kernels),
    Memory(Box<memory::Arguments>),
    Open(open::Arguments),
    Ops(verbs::Ops),
    Predict(verbs::Predict),
    Profile(Box<profile::Arguments>),
    Query(verbs::Query),
    Report(report::Arguments),
    Roofline(Box<verbs::Roofline>),
    #[command(name = "self")]
    Self_(self_::Arguments),
    Serve(serve::Arguments),
    Timeline(verbs::Timeline),
    Trigger(verbs::Trigger),
    Validate(verbs::Validate),
    Watch(watch::Arguments),
}

impl Command {
    /// Runs the verb.
    pub(crate) fn run(&self, output: &OutputArguments) -> Result<Status> {
        match self {
            Self::Attach(arguments) => return attach::run(arguments, output),
            Self::Bench(request) => return output.run(request.as_ref()),
            Self::Cluster(arguments) => return cluster::run(arguments),
            Self::Comm(request) => return output.run(request),
            Self::Compile(arguments) => return compile::run(arguments, output),
            Self::Counters(request) => return output.run(request),
            Self::Device(request) => return device::run(request, output),
            Self::Diff(request) => return output.run(request),
            Self::Export(request) => return export::run(request, output),
            Self::Flame(request) => return output.run(request),
            Self::Hta(request) => return output.run(request),
            Self::Info(request) => return output.run(request),
            Self::Ingest(request) => return output.run(request),
            Self::Kernels(request) => return output.run(request),
            Self::Memory(arguments) => return memory::run(arguments, output),
            Self::Open(arguments) => open::run(arguments, output),
            Self::Ops(request) => return output.run(request),
            Self::Predict(request) => return output.run(request),
            Self::Profile(arguments) => return profile::run(arguments, output),
            Self::Query(request) => return query::run(request, output),
            Self::Report(arguments) => return report::run(arguments, output),
            Self::Roofline(request) => return output.run(request.as_ref()),
            Self::Self_(arguments) => self_::run(arguments, output),
            Self::Serve(arguments) => serve::run(arguments, output),
            Self::Timeline(request) => return output.run(request),
            Self::Trigger(request) => return output.run(request),
            Self::Validate(request) => return output.run(request),
            Self::Watch(arguments) => return watch::run(arguments, output),
        }?;
        Ok(Status::Done)
    }
}
