"""Operations, bytes and time of every kernel in Nsight Compute's raw page, as scripts around it do it."""

import sys

import pandas

path = sys.argv[1]
with open(path) as file:
    skip = next(number for number, line in enumerate(file) if line.startswith('"ID"'))
frame = pandas.read_csv(path, skiprows=[*range(skip), skip + 1], low_memory=False)
op = "smsp__sass_thread_inst_executed_op_f{}_pred_on.sum"
frame["flops"] = (
    frame[op.format("add")]
    + frame[op.format("mul")]
    + 2 * frame[op.format("fma")]
    + frame["sm__ops_path_tensor_src_bf16_dst_fp32.sum"]
)
columns = ["flops", "dram__bytes.sum", "lts__t_bytes.sum", "l1tex__t_bytes.sum", "gpu__time_duration.sum"]
table = frame.groupby(["Kernel Name", "Grid Size", "Block Size"])[columns].sum()
table["intensity"] = table["flops"] / table["dram__bytes.sum"]
print(table.sort_values("gpu__time_duration.sum", ascending=False).head(50).to_string())
