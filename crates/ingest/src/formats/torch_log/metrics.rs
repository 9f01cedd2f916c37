//! `compilation_metrics`: some hundred numbers of each compilation, of which these are used.

use eaves_model::Ns;
use eaves_model::compile::CompileTimes;

use crate::json::walk::{Bad, Walk};

/// Numbers and texts of one record, texts as they are written.
#[derive(Clone, Debug, Default)]
pub(super) struct Metrics<'a> {
    pub(super) times: CompileTimes,
    /// True if there is a time at all.
    pub(super) has_time: bool,
    pub(super) function: Option<&'a [u8]>,
    pub(super) file: Option<&'a [u8]>,
    pub(super) line: Option<i64>,
    pub(super) operators: Option<i64>,
    pub(super) guards: Option<i64>,
    pub(super) fail_type: Option<&'a [u8]>,
    pub(super) fail_reason: Option<&'a [u8]>,
    pub(super) fail_file: Option<&'a [u8]>,
    pub(super) fail_line: Option<i64>,
    pub(super) restart_reasons: Vec<&'a [u8]>,
    pub(super) before_restart: Option<i64>,
    pub(super) cudagraph_skip: Option<&'a [u8]>,
    pub(super) torch_version: Option<&'a [u8]>,
}

/// A time that newer versions write in microseconds and older ones in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Time {
    exact: Option<i64>,
    older: Option<i64>,
}

impl Time {
    fn ns(self) -> Option<i64> {
        self.exact.or(self.older)
    }
}

/// The most reasons for restarts that are kept.
const MOST: usize = 64;

/// Reads the object at which the walk stands.
pub(super) fn parse(mut walk: Walk<'_>) -> Result<Metrics<'_>, Bad> {
    let mut found = Metrics::default();
    let [mut start, mut total, mut backend, mut inductor, mut code_gen, mut before] = [Time::default(); 6];
    let (mut kernels, mut garbage, mut cumulative) = (None, None, None);
    walk.object()?;
    while let Some(key) = walk.key()? {
        match key {
            b"start_time_us" => start.exact = walk.scaled(3)?,
            b"start_time" => start.older = walk.scaled(9)?,
            b"duration_us" => total.exact = walk.scaled(3)?,
            b"dynamo_cumulative_compile_time_us" | b"backward_cumulative_compile_time_us" => {
                cumulative = walk.scaled(3)?.or(cumulative);
            }
            b"entire_frame_compile_time_s" => total.older = walk.scaled(9)?,
            b"aot_autograd_cumulative_compile_time_us" => backend.exact = walk.scaled(3)?,
            b"backend_compile_time_s" => backend.older = walk.scaled(9)?,
            b"inductor_cumulative_compile_time_us" => inductor.exact = walk.scaled(3)?,
            b"inductor_compile_time_s" => inductor.older = walk.scaled(9)?,
            b"inductor_code_gen_cumulative_compile_time_us" => code_gen.exact = walk.scaled(3)?,
            b"code_gen_time_s" => code_gen.older = walk.scaled(9)?,
            b"dynamo_compile_time_before_restart_us" => before.exact = walk.scaled(3)?,
            b"dynamo_time_before_restart_s" => before.older = walk.scaled(9)?,
            b"triton_compile_time_us" => kernels = walk.scaled(3)?,
            b"gc_time_us" => garbage = walk.scaled(3)?,
            b"co_name" => found.function = walk.maybe_text()?,
            b"co_filename" => found.file = walk.maybe_text()?,
            b"co_firstlineno" => found.line = walk.integer()?,
            b"graph_op_count" => found.operators = walk.integer()?,
            b"guard_count" => found.guards = walk.integer()?,
            b"fail_type" => found.fail_type = walk.maybe_text()?,
            b"fail_reason" => found.fail_reason = walk.maybe_text()?,
            b"fail_user_frame_filename" => found.fail_file = walk.maybe_text()?,
            b"fail_user_frame_lineno" => found.fail_line = walk.integer()?,
            b"cudagraph_skip_reason" => found.cudagraph_skip = walk.maybe_text()?,
            b"pytorch_version" => found.torch_version = walk.maybe_text()?,
            b"restart_reasons" => {
                if walk.peek() == Some(b'[') {
                    walk.list()?;
                    while walk.item()? {
                        let reason = walk.maybe_text()?;
                        found.restart_reasons.extend(reason.filter(|_| found.restart_reasons.len() < MOST));
                    }
                } else {
                    walk.skip()?;
                }
            }
            _ => walk.skip()?,
        }
    }
    // Versions before 2.6 have no time of the whole.
    let total = total.ns().or(cumulative);
    found.has_time = total.is_some();
    found.before_restart = before.ns();
    // What is negative cannot be a time.
    let time = |time: Option<i64>| time.filter(|time| *time >= 0).map(Ns);
    found.times = CompileTimes {
        start: time(start.ns()).unwrap_or_default(),
        total: time(total).unwrap_or_default(),
        backend: time(backend.ns()),
        inductor: time(inductor.ns()),
        code_gen: time(code_gen.ns()),
        kernels: time(kernels),
        garbage: time(garbage),
    };
    Ok(found)
}
