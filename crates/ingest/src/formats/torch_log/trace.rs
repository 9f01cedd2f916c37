//! The phases of compilations as a trace, for pictures and other tools.

use eaves_model::compile::CompileLog;
use eaves_model::{
    DistributedInfo, Ident, MaybeI64, Ns, Process, RankSource, Slice, SliceKind, StringId, Trace, Track,
};

/// A trace with a thread for the program and one for its workers. Nothing if the log has no phases.
pub(crate) fn trace(mut log: CompileLog) -> Option<Trace> {
    let zero = log.phases.iter().map(|phase| phase.start).min()?;
    let mut trace = Trace { strings: std::mem::take(&mut log.strings), ..Trace::default() };
    let process = Ident::number(log.rank);
    let name = trace.strings.intern("torch.compile");
    let labels = StringId::NONE;
    trace.tracks.describe_process(Process { process, name, labels, sort_index: MaybeI64::NONE });
    let threads = ["compiling", "workers"].map(|name| trace.strings.intern(name));
    // As calls nest: what began earlier, and of those that began together what lasted longer.
    log.phases.sort_by_key(|phase| (phase.start, std::cmp::Reverse(phase.duration)));
    for phase in &log.phases {
        let lane = usize::from(phase.beside);
        let thread = Ident::number(lane as i64);
        let sort_index = MaybeI64::NONE;
        let track = trace.tracks.describe_thread(Track { process, thread, name: threads[lane], sort_index });
        let compile = phase.compile.and_then(|at| log.compiles.get(at as usize));
        let category =
            compile.map_or(StringId::NONE, |compile| trace.strings.intern(&compile.id.to_string()));
        trace.slices.push(Slice {
            start: phase.start - zero,
            duration: phase.duration,
            name: phase.name,
            category,
            track,
            kind: SliceKind::Other,
            position: 0,
        });
    }
    trace.events = log.phases.len() as u64;
    trace.metadata.base_time_ns = Some(zero.0).filter(|zero| *zero != Ns::ZERO.0);
    trace.metadata.tool = log.torch_version.map(|version| format!("PyTorch {version}"));
    if log.rank_source == RankSource::Trace {
        trace.metadata.distributed =
            Some(DistributedInfo { rank: Some(log.rank), ..DistributedInfo::default() });
    }
    trace.diagnostics = log.diagnostics;
    Some(trace)
}
