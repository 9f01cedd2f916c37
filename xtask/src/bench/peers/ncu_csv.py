"""Operations, bytes and time of every kernel in Nsight Compute's raw page, as scripts around it do it: python ncu_csv.py
FILE. With the variable `COLUMNS` set to `wanted` it reads the columns alone that are looked at below, as eaves does with
large files."""

import os
import sys

import pandas

# What eaves keeps of the metrics of this file.
METRICS = [
    "dram__bytes.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "gpu__time_duration.sum",
    "l1tex__t_bytes.sum",
    "launch__registers_per_thread",
    "lts__t_bytes.sum",
    "sm__cycles_elapsed.avg",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed",
    "sm__ops_path_tensor_src_bf16_dst_fp32.sum",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
]
LAUNCH = ["ID", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "k": 1e3, "m": 1e-3, "u": 1e-6, "n": 1e-9}
BASES = ("byte", "inst", "second", "cycle", "s")

path = sys.argv[1]
with open(path) as file:
    skip = next(number for number, line in enumerate(file) if line.startswith('"ID"'))
columns = LAUNCH + METRICS if os.environ.get("COLUMNS") == "wanted" else None
units = pandas.read_csv(path, skiprows=skip, nrows=1, usecols=columns).iloc[0]
frame = pandas.read_csv(path, skiprows=[*range(skip), skip + 1], usecols=columns, low_memory=False)
for metric in METRICS:
    unit = str(units[metric])
    if unit[:1] in PREFIXES and unit[1:] in BASES:
        frame[metric] = frame[metric] * PREFIXES[unit[0]]
op = "smsp__sass_thread_inst_executed_op_f{}_pred_on.sum"
frame["flops"] = (
    frame[op.format("add")]
    + frame[op.format("mul")]
    + 2 * frame[op.format("fma")]
    + frame["sm__ops_path_tensor_src_bf16_dst_fp32.sum"]
)
sums = ["flops", "dram__bytes.sum", "lts__t_bytes.sum", "l1tex__t_bytes.sum", "gpu__time_duration.sum"]
groups = frame.groupby(["Kernel Name", "Grid Size", "Block Size"])
table = groups[sums].sum()
table["calls"] = groups.size()
for level in ("dram", "lts", "l1tex"):
    moved = "__bytes.sum" if level == "dram" else "__t_bytes.sum"
    table[f"{level}_intensity"] = table["flops"] / table[level + moved]
table["share"] = table["gpu__time_duration.sum"] / table["gpu__time_duration.sum"].sum()
print(table.sort_values("gpu__time_duration.sum", ascending=False).to_string())
