//! The beginning and the end of a trace file.

use std::fmt::Write;

use super::device::{COMMUNICATION_STREAM, COMPUTE_STREAM};
use super::kineto::push_time;
use super::occupancy::{MAX_THREADS, MULTIPROCESSORS, REGISTERS, SHARED_MEMORY, WARP};
use super::recorder::Process;

/// The moment all times of a trace count from, in nanoseconds since 1970. Kineto rounds it to three months.
const BASE_TIME: u64 = 1_759_276_800_000_000_000;
const DEVICE_NAME: &str = "NVIDIA A100-SXM4-80GB";
const DEVICE_MEMORY: u64 = 85_174_583_296;
/// Kineto asks viewers to show devices below processes and spans below devices.
const DEVICE_SORT_INDEX: u64 = 0x100_0000;
const SPAN_SORT_INDEX: u64 = 0x2000_0000;

/// What a trace says of itself.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) process: Process,
    pub(crate) rank: u64,
    pub(crate) world: u64,
    pub(crate) trace_id: u128,
    pub(crate) name: &'static str,
}

impl Document {
    /// Everything up to the first event.
    pub(crate) fn header(&self) -> String {
        let mut text = String::from("\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [");
        // Writing to a string cannot fail.
        for id in 0..self.world {
            let _ = write!(
                text,
                "{}
    {{
      \"id\": {id}, \"name\": \"{DEVICE_NAME}\", \"totalGlobalMem\": {DEVICE_MEMORY},
      \"computeMajor\": 8, \"computeMinor\": 0,
      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": {MAX_THREADS},
      \"regsPerBlock\": {REGISTERS}, \"warpSize\": {WARP},
      \"sharedMemPerBlock\": 49152, \"numSms\": {MULTIPROCESSORS}
    , \"regsPerMultiprocessor\": {REGISTERS}, \"sharedMemPerBlockOptin\": 166912, \"sharedMemPerMultiprocessor\": {SHARED_MEMORY}
    }}",
                if id == 0 { "" } else { "," }
            );
        }
        let ranks: Vec<String> = (0..self.world).map(|rank| rank.to_string()).collect();
        let (rank, world, ranks) = (self.rank, self.world, ranks.join(", "));
        let _ = write!(
            text,
            "
  ],
  \"cupti_version\": 24,
  \"cuda_runtime_version\": 12060,
  \"cuda_driver_version\": 12060,
  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {rank}, \"world_size\": {world}, \"pg_count\": 1, \"pg_config\": [{{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": {world}, \"ranks\": [{ranks}]}}], \"nccl_version\": \"2.21.5\"}},
  \"profile_memory\": 1,"
        );
        if self.process.with_shapes {
            text.push_str("\n  \"record_shapes\": 1,");
        }
        if self.process.with_stack {
            text.push_str("\n  \"with_stack\": 1,");
        }
        let _ = write!(text, "\n  \"trace_id\": \"{:032X}\",\n  \"traceEvents\": [", self.trace_id);
        text
    }

    /// Everything after the last event of the recording, and how many events that is.
    pub(crate) fn footer(&self, end: u64) -> (String, u64) {
        let mut footer = Footer { text: String::new(), time: String::new(), events: 0 };
        push_time(&mut footer.time, self.process.start);
        let process = self.process.id;
        footer.process(process, "CPU", process);
        for device in 0..self.world {
            footer.process(device, &format!("GPU {device}"), DEVICE_SORT_INDEX + device);
        }
        for stream in [COMPUTE_STREAM, COMMUNICATION_STREAM] {
            footer.thread(self.process.device, stream, &format!("stream {stream} "));
        }
        footer.thread(process, process, &format!("thread {process} (python)"));
        let autograd = self.process.autograd_thread;
        footer.thread(process, autograd, &format!("thread {autograd} (pt_autograd_0)"));

        let Footer { mut text, time, mut events } = footer;
        let (mut duration, mut window_end) = (String::new(), String::new());
        push_time(&mut duration, end - self.process.start);
        push_time(&mut window_end, end + 1_000_000);
        let name = self.name;
        let _ = write!(
            text,
            "
  {{
    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": {time}, \"dur\": {duration},
    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",
    \"name\": \"PyTorch Profiler (0)\",
    \"args\": {{
      \"Op count\": 0
    }}
  }},
  {{
    \"name\": \"process_sort_index\", \"ph\": \"M\", \"ts\": {time},
    \"pid\": \"Spans\", \"tid\": 0,
    \"args\": {{
      \"sort_index\": {SPAN_SORT_INDEX}
    }}
  }},
  {{
    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",
    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": {time}
  }},
  {{
    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",
    \"pid\": \"\", \"tid\": \"\", \"ts\": {window_end}
  }}
  ],
  \"traceName\": \"{name}\",
  \"displayTimeUnit\": \"ms\",
  \"baseTimeNanoseconds\": {BASE_TIME}
}}"
        );
        events += 4;
        (text, events)
    }
}

/// Names of processes and threads.
struct Footer {
    text: String,
    time: String,
    events: u64,
}

impl Footer {
    fn process(&mut self, process: u64, label: &str, sort_index: u64) {
        self.metadata("process_name", process, 0, "\"name\": \"python3\"");
        self.metadata("process_labels", process, 0, &format!("\"labels\": \"{label}\""));
        self.metadata("process_sort_index", process, 0, &format!("\"sort_index\": {sort_index}"));
    }

    fn thread(&mut self, process: u64, thread: u64, name: &str) {
        self.metadata("thread_name", process, thread, &format!("\"name\": \"{name}\""));
        self.metadata("thread_sort_index", process, thread, &format!("\"sort_index\": {thread}"));
    }

    fn metadata(&mut self, name: &str, process: u64, thread: u64, argument: &str) {
        let time = &self.time;
        let _ = write!(
            self.text,
            "
  {{
    \"name\": \"{name}\", \"ph\": \"M\", \"ts\": {time}, \"pid\": {process}, \"tid\": {thread},
    \"args\": {{
      {argument}
    }}
  }},"
        );
        self.events += 1;
    }
}
