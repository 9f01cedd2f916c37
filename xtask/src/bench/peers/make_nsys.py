"""Makes a database in the form of `nsys export --type sqlite`: python make_nsys.py FILE BYTES.

The mix of rows is that of a training job recorded with the default options: two runtime calls for each kernel, operating
system calls, ranges, samples of the CPU with their call chains, changes of threads on cores, and GPU metrics.
"""

import os
import sqlite3
import sys

path, size = sys.argv[1], int(sys.argv[2])
database = sqlite3.connect(path)
database.executescript(
    """
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
    INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.20.2');
    CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, smCount INTEGER,
        clockRate INTEGER, memoryBandwidth INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, computeMajor INTEGER,
        computeMinor INTEGER, chipName TEXT);
    INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA A100-SXM4-80GB', '0000:03:00.0', 108, 1410000000, 2039000000000,
        41943040, 85000000000, 8, 0, 'GA100');
    CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT);
    INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1751410836000000000, '', '');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
        contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,
        globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
        launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, gridX INTEGER NOT NULL,
        gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL,
        blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL,
        localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL,
        sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
        globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
        callchainId INTEGER);
    CREATE TABLE OSRT_API (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER, globalTid INTEGER,
        correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, nestingLevel INTEGER,
        callchainId INTEGER NOT NULL);
    CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
        category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER,
        domainId INTEGER, uint64Value INTEGER, jsonText TEXT);
    CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY, start INTEGER NOT NULL, cpu INTEGER,
        threadState INTEGER, globalTid INTEGER, cpuCycles INTEGER NOT NULL);
    CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL,
        kernelMode INTEGER, thumbCode INTEGER, unresolved INTEGER, specialEntry INTEGER, originalIP INTEGER,
        unwindMethod INTEGER, stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
    CREATE TABLE SCHED_EVENTS (start INTEGER NOT NULL, cpu INTEGER NOT NULL, isSchedIn INTEGER NOT NULL,
        globalTid INTEGER, threadState INTEGER, threadBlock INTEGER);
    CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER NOT NULL, metricId INTEGER NOT NULL,
        value INTEGER NOT NULL);
    """
)
names = [f"void at::native::elementwise_kernel<{n}, at::native::Functor_{n}<float>>(int, T1, T2)" for n in range(200)]
names += ["cudaLaunchKernel", "cudaMemcpyAsync", "poll", "forward"]
database.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))

PID = 4711 << 24
STEP = 2_000
numbers = "WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last})"


def add(table, values, first, last):
    database.execute(f"INSERT INTO {table} {numbers.format(first=first, last=last)} SELECT {values} FROM n")


step = 0
while os.path.getsize(path) < size if step % 20 == 0 else True:
    first, last = step * STEP, (step + 1) * STEP - 1
    add(
        "CUPTI_ACTIVITY_KIND_KERNEL",
        f"i * 20000 + 9000, i * 20000 + 9000 + 3000 + i * 7919 % 15000, 0, 1, NULL, 7, i, {PID}, i % 200, i % 200, i % 200,"
        " 1, 0, 32 + i % 64, 1 + i % 4096, 1, 1, 256, 1, 1, 0, 16384, 0, 0, i, 32768, NULL, 0",
        first,
        last,
    )
    add(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        f"i * 10000, i * 10000 + 4000, 0, {PID} + 4711, CASE i % 2 WHEN 0 THEN i / 2 ELSE 1000000000 + i END,"
        " 200 + i % 2, 0, NULL",
        2 * first,
        2 * last + 1,
    )
    add("OSRT_API", f"i * 40000, i * 40000 + 30000, 27, {PID} + 4712, NULL, 202, 0, NULL, i", first // 2, last // 2)
    add("NVTX_EVENTS", f"i * 40000, i * 40000 + 35000, 59, NULL, NULL, NULL, NULL, {PID} + 4711, NULL, 203, 0, NULL, NULL",
        first // 2, last // 2)
    add("COMPOSITE_EVENTS", f"i, i * 30000, i % 64, 1, {PID} + 4711, 1000000", first, last)
    add("SAMPLING_CALLCHAINS", "i / 12, i % 200, i % 50, 0, 0, 0, 0, 140000000000000 + i, 1, i % 12", 12 * first, 12 * last + 11)
    add("SCHED_EVENTS", f"i * 9000, i % 64, i % 2, {PID} + 4711, NULL, NULL", 2 * first, 2 * last + 1)
    add("GPU_METRICS", "i / 20 * 100000, 144115188075855872, i % 20, i * 7919 % 100", 4 * first, 4 * last + 3)
    database.commit()
    step += 1
database.close()
