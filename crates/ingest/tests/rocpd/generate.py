"""Writes `two_runs.db`, a rocpd database of two runs, with Python's SQLite.

    python crates/ingest/tests/rocpd/generate.py

Tables and columns are those of schema 3 of rocpd (`rocpd_tables.sql` of ROCm's rocprofiler-sdk), without the keys and
checks. The first run has some of everything; the second is of schema 4, which does not exist yet. Both have
environments with a secret that must not be found anywhere else.
"""

import json
import pathlib
import sqlite3

FILE = pathlib.Path(__file__).parent / "two_runs.db"
SECRET = "EAVES_TEST_SECRET=hunter2"

COLUMNS = {
    "metadata": "tag TEXT, value TEXT",
    "string": "string TEXT",
    "info_node": "hash BIGINT, machine_id TEXT, hostname TEXT",
    "info_process": "nid INTEGER, ppid INTEGER, pid INTEGER, command TEXT, environment JSONB, extdata JSONB",
    "info_thread": "nid INTEGER, ppid INTEGER, pid INTEGER, tid INTEGER, name TEXT",
    "info_agent": "nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, logical_index INTEGER,"
    " type_index INTEGER, name TEXT, product_name TEXT, extdata JSONB DEFAULT '{}'",
    "info_pmc": "nid INTEGER, pid INTEGER, agent_id INTEGER, name TEXT, symbol TEXT",
    "info_kernel_symbol": "kernel_name TEXT, display_name TEXT, sgpr_count INTEGER, arch_vgpr_count INTEGER,"
    " accum_vgpr_count INTEGER",
    "event": "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER,"
    " extdata JSONB DEFAULT '{}'",
    "pmc_event": "event_id INTEGER, pmc_id INTEGER, value REAL DEFAULT 0.0",
    "region": "nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER",
    "sample": "track_id INTEGER, timestamp BIGINT, event_id INTEGER",
    "kernel_dispatch": "nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER,"
    " dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT,"
    " private_segment_size INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER,"
    " workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER",
    "memory_copy": "nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER,"
    " dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER",
    "memory_allocate": "nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER, type TEXT, level TEXT,"
    " start BIGINT, end BIGINT, address INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER",
}


class Run:
    def __init__(self, connection, suffix):
        self.connection, self.suffix, self.strings = connection, suffix, {}
        for table, columns in COLUMNS.items():
            guid = f"guid TEXT DEFAULT '{suffix}' NOT NULL, " if table != "metadata" else ""
            connection.execute(f"CREATE TABLE rocpd_{table}{suffix} (id INTEGER NOT NULL PRIMARY KEY, {guid}{columns})")

    def add(self, table, **values):
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        cursor = self.connection.execute(
            f"INSERT INTO rocpd_{table}{self.suffix} ({names}) VALUES ({marks})", list(values.values())
        )
        return cursor.lastrowid

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = self.add("string", string=text)
        return self.strings[text]

    def event(self, category, correlation, external=0, **extdata):
        return self.add(
            "event", category_id=self.string(category), stack_id=correlation, parent_stack_id=0,
            correlation_id=external, extdata=json.dumps(extdata),
        )

    def head(self, schema, pid):
        self.add("metadata", tag="schema_version", value=str(schema))
        self.add("info_node", id=5, hash=1, machine_id="m", hostname="box")
        self.add(
            "info_process", id=pid, nid=5, ppid=1, pid=pid, command=f"./app --token {SECRET}",
            environment=json.dumps({"TOKEN": SECRET}), extdata="{}",
        )
        self.add("info_thread", id=pid + 1, nid=5, ppid=1, pid=pid, tid=pid + 1, name="worker")
        self.add("info_agent", id=0, nid=5, pid=pid, type="CPU", type_index=0, name="EPYC", product_name="EPYC",
                 extdata=json.dumps({"id": {"handle": 90}, "type": 1, "name": "EPYC"}))
        device = {
            "id": {"handle": 91}, "type": 2, "name": "gfx942", "product_name": "AMD Instinct MI300X",
            "logical_node_type_id": 0, "wave_front_size": 64, "cu_count": 304, "num_xcc": 8,
            "mem_banks": [{"width": 8192, "mem_clk_max": 1300, "size_in_bytes": 206141652992}],
        }
        self.add("info_agent", id=1, nid=5, pid=pid, type="GPU", type_index=0, name="gfx942",
                 product_name="AMD Instinct MI300X", extdata=json.dumps(device))
        self.add("info_kernel_symbol", id=3, kernel_name="_Z3addPf.kd", display_name="add(float*)", sgpr_count=16,
                 arch_vgpr_count=24, accum_vgpr_count=8)

    def dispatch(self, number, pid, start, end, event, items=(1000, 4, 1), group=(64, 2, 1)):
        grid = {f"grid_size_{axis}": size for axis, size in zip("xyz", items)}
        block = {f"workgroup_size_{axis}": size for axis, size in zip("xyz", group)}
        self.add(
            "kernel_dispatch", nid=5, pid=pid, tid=pid + 1, agent_id=1, kernel_id=3, dispatch_id=number, queue_id=2,
            stream_id=7, start=start, end=end, private_segment_size=16, group_segment_size=512, **grid, **block,
            event_id=event,
        )


def first(connection):
    run = Run(connection, "_0000aaaa_01")
    run.head(3, 40)
    launch = run.event("HIP_RUNTIME_API_EXT", 11)
    run.add("region", nid=5, pid=40, tid=41, start=1000, end=1200, name_id=run.string("hipLaunchKernel"), event_id=launch)
    kernel = run.event("KERNEL_DISPATCH", 11, external=99)
    run.dispatch(1, 40, 1500, 2100, kernel)
    other = run.event("KERNEL_DISPATCH", 12)
    run.dispatch(2, 40, 2200, 2250, other)
    pushed = run.event("MARKER_CORE_RANGE_API", 9, message="step 1")
    run.add("region", nid=5, pid=40, tid=41, start=900, end=2500, name_id=run.string("roctxThreadRangeA"), event_id=pushed)
    marked = run.event("MARKER_CORE_API", 10)
    run.add("region", nid=5, pid=40, tid=41, start=950, end=950, name_id=run.string("here"), event_id=marked)
    copied = run.event("MEMORY_COPY", 8)
    run.add("memory_copy", nid=5, pid=40, tid=41, start=960, end=990, name_id=run.string("MEMORY_COPY_DEVICE_TO_HOST"),
            dst_agent_id=0, src_agent_id=1, size=4096, stream_id=7, event_id=copied)
    for kind, time, size in (("ALLOC", 910, 8192), ("FREE", 2400, 0)):
        run.add("memory_allocate", nid=5, pid=40, tid=41, agent_id=1, type=kind, level="REAL", start=time, end=time + 5,
                address=4096, size=size, event_id=run.event("MEMORY_ALLOCATION", 1))
    run.add("memory_allocate", nid=5, pid=40, tid=41, agent_id=1, type="ALLOC", level="SCRATCH", start=1400, end=1450,
            size=64, queue_id=2, event_id=run.event("SCRATCH_MEMORY", 2))
    for number, name in ((1, "SQ_WAVES"), (2, "TCC_HIT"), (3, "power")):
        run.add("info_pmc", id=number, nid=5, pid=40, agent_id=1, name=name, symbol=name)
    # Instances of a counter, not all of them side by side.
    for event, counter, value in ((kernel, 1, 10.5), (kernel, 2, 3.0), (kernel, 1, 1.5), (other, 1, 7.0)):
        run.add("pmc_event", event_id=event, pmc_id=counter, value=value)
    sampled = run.event("power", 0)
    run.add("sample", track_id=1, timestamp=1600, event_id=sampled)
    run.add("pmc_event", event_id=sampled, pmc_id=3, value=350.0)


def second(connection):
    run = Run(connection, "_0000bbbb_02")
    run.head(4, 60)
    launch = run.event("HIP_RUNTIME_API_EXT", 11)
    run.add("region", nid=5, pid=60, tid=61, start=3000, end=3100, name_id=run.string("hipLaunchKernel"), event_id=launch)
    run.dispatch(1, 60, 3200, 3300, run.event("KERNEL_DISPATCH", 11))


FILE.unlink(missing_ok=True)
connection = sqlite3.connect(FILE)
connection.execute("PRAGMA page_size = 512")
first(connection)
second(connection)
connection.commit()
connection.execute("VACUUM")
connection.close()
