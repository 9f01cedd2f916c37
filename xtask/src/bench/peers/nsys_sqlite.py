"""Kernels by name with the calls that launched them and the time the device was busy, from a database of Nsight Systems,
as scripts around it do it: the same columns of the same tables that eaves reads."""

import sqlite3
import sys

import pandas

database = sqlite3.connect(sys.argv[1])
tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def read(table, columns):
    return pandas.read_sql(f"SELECT {columns} FROM {table}", database)


kernels = read(
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "start, end, globalPid, deviceId, contextId, streamId, correlationId, demangledName, shortName, mangledName,"
    " registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory",
)
runtime = read("CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, globalTid, correlationId, nameId")
ranges = read("NVTX_EVENTS", "start, end, eventType, globalTid, domainId, text, textId")
others = read("OSRT_API", "start, end, globalTid, nameId") if "OSRT_API" in tables else []
metrics = read("GPU_METRICS", "timestamp, typeId, metricId, value") if "GPU_METRICS" in tables else []
names = read("StringIds", "id, value").set_index("id")["value"]

kernels["duration"] = kernels["end"] - kernels["start"]
kernels["share"] = kernels["duration"] / kernels["duration"].sum()
kernels["name"] = kernels["demangledName"].map(names)
runtime["name"] = runtime["nameId"].map(names)

# Time in which anything ran: where one begins after all before it have ended, a new stretch begins.
spans = kernels[["start", "end"]].sort_values("start")
end = spans["end"].cummax()
stretch = (spans["start"] > end.shift()).cumsum()
spans = spans.groupby(stretch).agg({"start": "min", "end": "max"})
busy = (spans["end"] - spans["start"]).sum()

joined = kernels.merge(runtime, on="correlationId", suffixes=("", "_call"))
joined["delay"] = joined["start"] - joined["start_call"]
table = joined.groupby("name").agg(
    {
        "duration": ["count", "sum", "mean", "median", "std", "min", "max"],
        "share": "sum",
        "delay": "mean",
    }
)
print(busy, table.sort_values(("duration", "sum"), ascending=False).to_string(), len(ranges), len(others), len(metrics))
