//! rocprofv3's JSON: agents, symbols of kernels, then the dispatches and the calls that made them.

use std::io::{self, Write};
use std::path::Path;

use super::{KERNELS, fill};
use crate::simulate::random::Random;

/// The first timestamp.
const START: u64 = 63_857_982_592_000;

/// Writes a file of about `size` bytes; answers the number of dispatches.
pub(crate) fn write(path: &Path, size: u64) -> io::Result<u64> {
    let mut random = Random::new(11);
    let mut time = START;
    let dispatch = |number: u64, out: &mut Vec<u8>| {
        let kernel = 1 + random.next() % KERNELS.len() as u64;
        let (gap, duration) = (random.between(500, 4_000), random.between(2_000, 90_000));
        let (threads, blocks) = (256, random.between(1, 4_096));
        let separator = if number == 0 { "" } else { "," };
        let id = number + 1;
        time += gap;
        let end = time + duration;
        write!(
            out,
            "{separator}{{\"size\":184,\"kind\":11,\"operation\":2,\"thread_id\":908,\"correlation_id\":{{\"internal\":{id},\
             \"external\":0}},\"start_timestamp\":{time},\"end_timestamp\":{end},\"dispatch_info\":{{\"size\":72,\
             \"agent_id\":{{\"handle\":37946}},\"queue_id\":{{\"handle\":16}},\"kernel_id\":{kernel},\"dispatch_id\":{id},\
             \"private_segment_size\":0,\"group_segment_size\":1024,\"workgroup_size\":{{\"x\":{threads},\"y\":1,\"z\":1}},\
             \"grid_size\":{{\"x\":{},\"y\":1,\"z\":1}}}},\"stream_id\":{{\"handle\":0}}}}",
            threads * blocks,
        )?;
        time = end;
        Ok(())
    };
    fill(path, size, &head(), dispatch, "]}}]}\n")
}

fn head() -> String {
    let symbol = |(number, name): (usize, &&str)| {
        format!(
            "{{\"size\":64,\"kernel_id\":{},\"code_object_id\":1,\"kernel_name\":\"kernel_{number}.kd\",\
             \"arch_vgpr_count\":64,\"accum_vgpr_count\":0,\"sgpr_count\":48,\"formatted_kernel_name\":\"{name}\",\
             \"demangled_kernel_name\":\"{name}\",\"truncated_kernel_name\":\"kernel_{number}\"}}",
            number + 1,
        )
    };
    let symbols: Vec<String> = KERNELS.iter().enumerate().map(symbol).collect();
    format!(
        "{{\"rocprofiler-sdk-tool\":[{{\"metadata\":{{\"node\":{{\"hostname\":\"node\"}},\"pid\":908,\"init_time\":{START},\
         \"fini_time\":{START},\"command\":[\"python\"]}},\"agents\":[{{\"size\":312,\"id\":{{\"handle\":37946}},\"type\":2,\
         \"cu_count\":304,\"name\":\"gfx942\",\"product_name\":\"AMD Instinct MI300X\",\"node_id\":1,\
         \"logical_node_id\":1,\"wave_front_size\":64}}],\"counters\":[],\"strings\":{{\"buffer_records\":[]}},\
         \"code_objects\":[],\"kernel_symbols\":[{{\"kernel_id\":0,\"kernel_name\":\"\"}},{}],\"host_functions\":[],\
         \"callback_records\":{{\"counter_collection\":[]}},\"buffer_records\":{{\"kernel_dispatch\":[",
        symbols.join(","),
    )
}
