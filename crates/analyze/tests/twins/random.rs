//! Random traces: nested operators, frames that were never closed, launches of kernels and graphs, activities side by
//! side, of no length and without a launch, steps, and the categories of old recorders.

use std::fmt::Write;

use eaves_model::Ns;

use super::facts::{Activity, Call, Facts, microseconds};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as i64
    }

    fn one_in(&mut self, count: i64) -> bool {
        self.below(count) == 0
    }
}

struct Writer {
    random: Random,
    text: String,
    facts: Facts,
    is_old: bool,
    correlation: i64,
    /// When the recording ends, and with it all frames that were not seen to end.
    end: i64,
}

impl Writer {
    fn event(
        &mut self,
        category: &str,
        name: &str,
        thread: usize,
        (start, end): (i64, i64),
        arguments: &str,
    ) {
        let (ts, dur) = (microseconds(Ns(start)), microseconds(Ns(end - start)));
        let comma = if self.text.is_empty() { "" } else { ",\n" };
        write!(
            self.text,
            r#"{comma}{{"ph": "X", "cat": "{category}", "name": "{name}", "pid": 1, "tid": {thread}, "ts": {ts}, "dur": {dur}, "args": {{{arguments}}}}}"#
        )
        .unwrap();
    }

    fn category(&self, new: &'static str) -> &'static str {
        match new {
            "cpu_op" if self.is_old => "Operator",
            "cuda_runtime" if self.is_old => "Runtime",
            "kernel" if self.is_old => "Kernel",
            "gpu_memcpy" if self.is_old => "Memcpy",
            "user_annotation" if self.is_old => "Operator",
            new => new,
        }
    }

    /// Operators, frames and launches inside a stretch of a thread.
    fn fill(&mut self, thread: usize, (start, end): (i64, i64), depth: u32) {
        let mut now = start;
        while end - now > 200 {
            let from = now + 1 + self.random.below(150);
            let to = from + 20 + self.random.below((end - from) * 2 / 3);
            if to >= end {
                return;
            }
            match self.random.below(4) {
                0 if depth < 4 => {
                    let name = ["aten::mm", "aten::linear", "aten::add"][self.random.below(3) as usize];
                    self.event(self.category("cpu_op"), name, thread, (from, to), "");
                    self.facts.operators.push(Call { thread, start: from, end: to });
                    self.facts.names.push(name.to_owned());
                    self.fill(thread, (from, to), depth + 1);
                }
                1 if depth < 4 => {
                    let closed = if self.random.one_in(3) { self.end } else { to };
                    self.event("python_function", "train.py(1): f", thread, (from, closed), "");
                    self.fill(thread, (from, to), depth + 1);
                }
                _ => self.launch(thread, from),
            }
            now = to;
        }
    }

    /// A launch of one activity, or of a graph of several, which run side by side.
    fn launch(&mut self, thread: usize, start: i64) {
        self.correlation += 1;
        let call = Call { thread, start, end: start + 1 + self.random.below(10) };
        let (nodes, name) =
            if self.random.one_in(5) { (4, "cudaGraphLaunch") } else { (1, "cudaLaunchKernel") };
        let arguments = format!(r#""correlation": {}"#, self.correlation);
        self.event(self.category("cuda_runtime"), name, thread, (call.start, call.end), &arguments);
        let latency = if self.random.one_in(4) { 40_000 } else { 300 };
        let first = call.end + self.random.below(latency);
        let stream = 7 + self.random.below(2);
        for node in 0..nodes {
            let start = first + self.random.below(30 * node + 1);
            self.activity(start, stream, Some(call));
        }
    }

    fn activity(&mut self, start: i64, stream: i64, launch: Option<Call>) {
        let length = if self.random.one_in(12) { 0 } else { self.random.below(400) };
        let is_kernel = !self.random.one_in(5);
        let (category, name) =
            if is_kernel { ("kernel", "gemm") } else { ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)") };
        let correlation = launch.map_or(-1, |_| self.correlation);
        let arguments = format!(r#""device": 0, "stream": {stream}, "correlation": {correlation}"#);
        self.event(self.category(category), name, 100 + stream as usize, (start, start + length), &arguments);
        self.facts.activities.push(Activity { start, end: start + length, is_kernel, launch });
    }
}

/// A trace, and what is in it.
pub(crate) fn trace(seed: u64) -> (String, Facts) {
    let mut random = Random(seed);
    let (is_old, end) = (random.one_in(3), 3_000 + random.below(6_000));
    let mut writer = Writer {
        random,
        text: String::new(),
        facts: Facts::default(),
        is_old,
        correlation: 0,
        end: end + 50_000,
    };
    let mut now = 0;
    for step in 0..writer.random.below(4) {
        let until = now + 500 + writer.random.below(2_000);
        let name = format!("ProfilerStep#{}", step + 3);
        writer.event(writer.category("user_annotation"), &name, 1, (now, until), "");
        writer.facts.steps.push((now, until));
        writer.fill(1, (now, until), 0);
        now = until + writer.random.below(100);
    }
    for _ in 0..writer.random.below(4) {
        let start = writer.random.below(end);
        writer.activity(start, 7, None);
    }
    writer.fill(1, (now, end), 0);
    writer.fill(2, (0, end), 0);
    (format!("{{\"schemaVersion\": 1, \"traceEvents\": [\n{}\n]}}", writer.text), writer.facts)
}
