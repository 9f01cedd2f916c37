"""Kernels by name with the calls that launched them, from a database of Nsight Systems, as scripts around it do it."""

import sqlite3
import sys

import pandas

database = sqlite3.connect(sys.argv[1])
kernels = pandas.read_sql("SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL", database)
runtime = pandas.read_sql("SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME", database)
ranges = pandas.read_sql("SELECT * FROM NVTX_EVENTS", database)
names = pandas.read_sql("SELECT * FROM StringIds", database).set_index("id")["value"]
kernels["duration"] = kernels["end"] - kernels["start"]
kernels["name"] = kernels["demangledName"].map(names)
runtime["name"] = runtime["nameId"].map(names)
joined = kernels.merge(runtime, on="correlationId", suffixes=("", "_call"))
joined["delay"] = joined["start"] - joined["start_call"]
table = joined.groupby("name").agg({"duration": ["count", "sum", "mean", "median", "std", "min", "max"], "delay": "mean"})
print(table.sort_values(("duration", "sum"), ascending=False).head(50).to_string(), len(ranges))
