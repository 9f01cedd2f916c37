"""The kernels of a rocprofv3 JSON by name, as scripts around it do it."""

import json
import sys

import pandas

with open(sys.argv[1]) as file:
    tool = json.load(file)["rocprofiler-sdk-tool"][0]
names = {symbol["kernel_id"]: symbol.get("formatted_kernel_name", "") for symbol in tool["kernel_symbols"]}
rows = [
    {
        "name": names.get(record["dispatch_info"]["kernel_id"]),
        "start": record["start_timestamp"],
        "duration": record["end_timestamp"] - record["start_timestamp"],
        "grid": record["dispatch_info"]["grid_size"]["x"],
        "block": record["dispatch_info"]["workgroup_size"]["x"],
    }
    for record in tool["buffer_records"]["kernel_dispatch"]
]
frame = pandas.DataFrame(rows)
table = frame.groupby("name")["duration"].agg(["count", "sum", "mean", "median", "std", "min", "max"])
print(table.sort_values("sum", ascending=False).to_string())
