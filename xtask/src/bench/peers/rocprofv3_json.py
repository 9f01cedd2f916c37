"""The kernels of a rocprofv3 JSON by name, with what launched them, their counters, and the time the device was busy: the
same fields of the same records that eaves reads, as scripts around it do it."""

import json
import sys

import pandas

with open(sys.argv[1]) as file:
    tool = json.load(file)["rocprofiler-sdk-tool"][0]
records = {**tool["callback_records"], **tool["buffer_records"]}
symbols = {symbol["kernel_id"]: symbol for symbol in tool["kernel_symbols"]}
devices = {agent["id"]["handle"]: agent["node_id"] for agent in tool["agents"]}


def extent(name, size):
    return {f"{name}_x": size["x"], f"{name}_y": size["y"], f"{name}_z": size["z"]}


def kernel(record, info):
    symbol = symbols.get(info["kernel_id"], {})
    return {
        "name": symbol.get("formatted_kernel_name"),
        "device": devices.get(info["agent_id"]["handle"]),
        "queue": info["queue_id"]["handle"],
        "stream": record.get("stream_id", {}).get("handle"),
        "correlation": record["correlation_id"]["internal"],
        "dispatch": info["dispatch_id"],
        "start": record["start_timestamp"],
        "end": record["end_timestamp"],
        "shared": info["group_segment_size"],
        "scratch": info["private_segment_size"],
        "registers": symbol.get("arch_vgpr_count"),
        **extent("grid", info["grid_size"]),
        **extent("block", info["workgroup_size"]),
    }


kernels = pandas.DataFrame([kernel(record, record["dispatch_info"]) for record in records["kernel_dispatch"]])
kernels["duration"] = kernels["end"] - kernels["start"]
kernels["share"] = kernels["duration"] / kernels["duration"].sum()
table = kernels.groupby("name").agg(
    {"duration": ["count", "sum", "mean", "median", "std", "min", "max"], "share": "sum"}
)

# Time in which anything ran: where one begins after all before it have ended, a new stretch begins.
spans = kernels[["start", "end"]].sort_values("start")
end = spans["end"].cummax()
stretch = (spans["start"] > end.shift()).cumsum()
spans = spans.groupby(stretch).agg({"start": "min", "end": "max"})
busy = (spans["end"] - spans["start"]).sum()

calls = pandas.DataFrame(
    [
        {"correlation": record["correlation_id"]["internal"], "called": record["start_timestamp"]}
        for section in ("hip_api", "hsa_api")
        for record in records.get(section, [])
    ],
    columns=["correlation", "called"],
)
joined = kernels.merge(calls, on="correlation")
delays = (joined["start"] - joined["called"]).groupby(joined["name"]).mean()

counted = pandas.DataFrame(
    [
        {"dispatch": info["dispatch_id"], "counter": value["counter_id"]["handle"], "value": value["value"]}
        for record in records.get("counter_collection", [])
        for info in [record["dispatch_data"]["dispatch_info"]]
        for value in record["records"]
    ],
    columns=["dispatch", "counter", "value"],
)
sums = counted.merge(kernels[["dispatch", "name"]], on="dispatch").groupby(["name", "counter"])["value"].sum()
print(busy, table.sort_values(("duration", "sum"), ascending=False).to_string(), delays, sums)
