//! The verbs, one file each. To add one: copy a file, add a `mod` line, a variant and an arm, in order of name.

// tidy-alphabetical-start
mod attach;
mod cluster;
mod compile;
mod counters;
mod device;
pub(crate) mod export;
mod ingest;
mod memory;
mod open;
mod profile;
pub(crate) mod query;
pub(crate) mod report;
mod self_;
mod serve;
mod trigger;
mod watch;
// tidy-alphabetical-end

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use eaves_app::verbs;
use eaves_model::{Recording, Run};

use crate::Status;
use crate::arguments::OutputArguments;
use crate::failure::hinted;
use crate::progress::Bar;

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Attach(attach::Arguments),
    Bench(Box<verbs::Bench>),
    Cluster(cluster::Arguments),
    Comm(verbs::Comm),
    Compile(Box<compile::Arguments>),
    Counters(counters::Arguments),
    Device(verbs::Device),
    Diff(verbs::Diff),
    Export(export::Arguments),
    Flame(verbs::Flame),
    Hta(verbs::Hta),
    Info(verbs::Info),
    Ingest(ingest::Arguments),
    Kernels(verbs::Kernels),
    Memory(Box<memory::Arguments>),
    Open(open::Arguments),
    Ops(verbs::Ops),
    Predict(verbs::Predict),
    Profile(Box<profile::Arguments>),
    Query(query::Arguments),
    Report(report::Arguments),
    Roofline(Box<verbs::Roofline>),
    #[command(name = "self")]
    Self_(self_::Arguments),
    Serve(serve::Arguments),
    Timeline(verbs::Timeline),
    Trigger(trigger::Arguments),
    Validate(verbs::Validate),
    Watch(watch::Arguments),
}

impl Command {
    /// Does it.
    pub(crate) fn run(&self, output: &OutputArguments) -> Result<Status> {
        match self {
            Self::Attach(arguments) => return attach::run(arguments, output),
            Self::Bench(request) => return output.run(request.as_ref()),
            Self::Cluster(arguments) => return cluster::run(arguments),
            Self::Comm(request) => return output.run(request),
            Self::Compile(arguments) => return compile::run(arguments, output),
            Self::Counters(arguments) => return counters::run(arguments, output),
            Self::Device(request) => return device::run(request, output),
            Self::Diff(request) => return output.run(request),
            Self::Export(arguments) => export::run(arguments, output),
            Self::Flame(request) => return output.run(request),
            Self::Hta(request) => return output.run(request),
            Self::Info(request) => return output.run(request),
            Self::Ingest(arguments) => ingest::run(arguments, output),
            Self::Kernels(request) => return output.run(request),
            Self::Memory(arguments) => return memory::run(arguments, output),
            Self::Open(arguments) => open::run(arguments, output),
            Self::Ops(request) => return output.run(request),
            Self::Predict(request) => return output.run(request),
            Self::Profile(arguments) => return profile::run(arguments, output),
            Self::Query(arguments) => query::run(arguments, output),
            Self::Report(arguments) => return report::run(arguments, output),
            Self::Roofline(request) => return output.run(request.as_ref()),
            Self::Self_(arguments) => self_::run(arguments, output),
            Self::Serve(arguments) => serve::run(arguments, output),
            Self::Timeline(request) => return output.run(request),
            Self::Trigger(arguments) => return trigger::run(arguments, output),
            Self::Validate(request) => return output.run(request),
            Self::Watch(arguments) => return watch::run(arguments, output),
        }?;
        Ok(Status::Done)
    }
}

/// Reads the inputs of a verb, with a progress bar if it takes long.
fn read(inputs: &[PathBuf], output: &OutputArguments) -> Result<Run> {
    let (run, _) = read_with(inputs, output, |_| ())?;
    Ok(run)
}

/// Reads the inputs of a verb and does some work on each as soon as it is read.
pub(crate) fn read_with<R: Send>(
    inputs: &[PathBuf],
    output: &OutputArguments,
    work: impl Fn(&mut Recording) -> R + Sync,
) -> Result<(Run, Vec<R>)> {
    let bar = Bar::start(&output.printer());
    let options = eaves_ingest::Options { progress: bar.progress.clone(), ..Default::default() };
    let read = eaves_ingest::read_with(inputs, &options, work);
    drop(bar);
    read.map_err(|error| hinted(error.to_string(), error.hint()))
}
