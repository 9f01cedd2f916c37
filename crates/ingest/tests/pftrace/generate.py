"""Writes `rocprofv3.pftrace` and `other.pftrace` with Perfetto's own protocol buffers.

    python -m venv venv && venv/bin/pip install perfetto protobuf
    venv/bin/python crates/ingest/tests/pftrace/generate.py

The first is what `generatePerfetto.cpp` of ROCm's rocprofiler-sdk writes, as the C++ library of Perfetto encodes it:
names interned, times as differences of a clock of the sequence, defaults, and a state that is cleared. The second is a
trace of another recorder: plain names, real time, counters in multiples and as differences, a packet that is packed.
What the tests expect of them is computed from the numbers below by hand.
"""

import pathlib
import zlib

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto

FOLDER = pathlib.Path(__file__).parent
BOOTTIME, REALTIME, MONOTONIC, INCREMENTAL = 6, 1, 3, 64


class Sequence:
    """A writer that interns names and tells times as differences, as the C++ library does."""

    def __init__(self, trace, number, start):
        self.trace, self.number, self.start = trace, number, start
        self.clear()

    def clear(self):
        self.tables, self.last = {}, self.start
        packet = self.packet()
        packet.sequence_flags = 1
        packet.clock_snapshot.clocks.add(clock_id=BOOTTIME, timestamp=self.start)
        packet.clock_snapshot.clocks.add(clock_id=INCREMENTAL, timestamp=self.start, is_incremental=True)
        packet.trace_packet_defaults.timestamp_clock_id = INCREMENTAL

    def packet(self):
        return self.trace.packet.add(trusted_packet_sequence_id=self.number)

    def number_of(self, packet, table, text):
        numbers = self.tables.setdefault(table, {})
        if text not in numbers:
            numbers[text] = len(numbers) + 1
            getattr(packet.interned_data, table).add(iid=numbers[text], name=text)
        return numbers[text]

    def event(self, kind, time, track, category=None, name=None, annotations=()):
        packet = self.packet()
        packet.sequence_flags = 2
        if time >= self.last:
            packet.timestamp = time - self.last
            self.last = time
        else:
            packet.timestamp = time
            packet.timestamp_clock_id = BOOTTIME
        event = packet.track_event
        event.type, event.track_uuid = kind, track
        if category:
            event.category_iids.append(self.number_of(packet, "event_categories", category))
        if name:
            event.name_iid = self.number_of(packet, "event_names", name)
        for key, value in annotations:
            annotation = event.debug_annotations.add()
            annotation.name_iid = self.number_of(packet, "debug_annotation_names", key)
            if isinstance(value, str):
                annotation.string_value = value
            elif isinstance(value, float):
                annotation.double_value = value
            else:
                annotation.uint_value = value

    def slice(self, begin, end, track, category, name, annotations=()):
        times = [("begin_ns", begin), ("end_ns", end), ("delta_ns", end - begin)]
        self.event(1, begin, track, category, name, times + list(annotations))
        self.event(2, end, track)


def rocprofv3():
    trace = proto.Trace()
    process = trace.packet.add(trusted_packet_sequence_id=1).track_descriptor
    process.uuid, process.process.pid, process.process.process_name = 1, 4711, "train"
    thread = trace.packet.add(trusted_packet_sequence_id=1).track_descriptor
    thread.uuid, thread.parent_uuid, thread.thread.pid, thread.thread.tid = 2, 1, 4711, 4712
    thread.thread.thread_name = "main"
    stream = trace.packet.add(trusted_packet_sequence_id=1).track_descriptor
    stream.uuid, stream.parent_uuid, stream.name = 3, 1, 'STREAM [" 5 "] '
    bytes_track = trace.packet.add(trusted_packet_sequence_id=1).track_descriptor
    bytes_track.uuid, bytes_track.parent_uuid, bytes_track.name = 4, 1, "COPY BYTES to GPU [0] (GPU)"
    bytes_track.counter.unit, bytes_track.counter.unit_multiplier = 3, 1024

    one = Sequence(trace, 1, 1_000_000)
    one.slice(1_001_000, 1_002_000, 2, "hip_api", "hipLaunchKernel", [("corr_id", 7), ("operation", 240), ("tid", 4712)])
    one.slice(1_000_100, 1_009_000, 2, "marker_api", "step 1", [("corr_id", 6)])
    dispatch = [
        ("agent", "GPU-0"), ("corr_id", 7), ("queue", 2), ("stream_ID", 5), ("kernel_id", 3), ("Scratch_Size", 16),
        ("LDS_Block_Size", 4096), ("VGPR_Count", 24), ("Accum_VGPR_Count", 8), ("SGPR_Count", 32),
        ("workgroup_size", 256), ("grid_size", 99_840), ("SQ_WAVES", 1563.0),
    ]
    one.slice(1_003_000, 1_005_500, 3, "kernel_dispatch", "vector_add(float*) [clone .kd]", dispatch)
    # The state is cleared: the same numbers stand for other names.
    one.clear()
    copy = [("src_agent", "CPU-0"), ("dst_agent", "GPU-0"), ("copy_bytes", 1 << 20), ("corr_id", 8), ("stream_ID", 5)]
    one.slice(1_006_000, 1_006_400, 3, "memory_copy", "MEMORY_COPY_HOST_TO_DEVICE", copy)
    packet = one.packet()
    packet.timestamp, packet.timestamp_clock_id = 1_006_200, BOOTTIME
    packet.track_event.type, packet.track_event.track_uuid, packet.track_event.counter_value = 4, 4, 1024
    return trace


def other():
    trace = proto.Trace()
    snapshot = trace.packet.add(trusted_packet_sequence_id=9).clock_snapshot
    snapshot.clocks.add(clock_id=BOOTTIME, timestamp=5_000)
    snapshot.clocks.add(clock_id=REALTIME, timestamp=1_700_000_000_000_005_000)
    snapshot.clocks.add(clock_id=MONOTONIC, timestamp=4_000)
    counter = trace.packet.add(trusted_packet_sequence_id=9).track_descriptor
    counter.uuid, counter.name, counter.counter.is_incremental = 11, "frames", True
    defaults = trace.packet.add(trusted_packet_sequence_id=9, sequence_flags=1)
    defaults.trace_packet_defaults.track_event_defaults.track_uuid = 12

    def event(packets, time, kind, **fields):
        packet = packets.add(trusted_packet_sequence_id=9, timestamp=time)
        packet.track_event.type = kind
        for key, value in fields.items():
            if key == "categories":
                packet.track_event.categories.append(value)
            elif key == "clock":
                packet.timestamp_clock_id = value
            else:
                setattr(packet.track_event, key, value)

    event(trace.packet, 6_000, 1, name="outer", categories="render")
    event(trace.packet, 6_100, 1, name="inner", categories="render")
    event(trace.packet, 6_300, 2)
    event(trace.packet, 6_900, 2)
    # 5,500 of the monotonic clock is 6,500 of the boot clock.
    event(trace.packet, 5_500, 3, name="here", clock=MONOTONIC)
    event(trace.packet, 6_000, 4, track_uuid=11, counter_value=3)
    event(trace.packet, 6_400, 4, track_uuid=11, counter_value=4)
    packed = proto.Trace()
    event(packed.packet, 7_000, 1, name="packed")
    event(packed.packet, 7_050, 2)
    trace.packet.add(trusted_packet_sequence_id=9).compressed_packets = zlib.compress(packed.SerializeToString())
    # Packets were dropped, so a name by its number cannot be known.
    trace.packet.add(trusted_packet_sequence_id=9).previous_packet_dropped = 1
    lost = trace.packet.add(trusted_packet_sequence_id=9, timestamp=8_000, sequence_flags=2)
    lost.track_event.type, lost.track_event.name_iid = 3, 1
    return trace


for name, trace in (("rocprofv3", rocprofv3()), ("other", other())):
    (FOLDER / f"{name}.pftrace").write_bytes(trace.SerializeToString())
