"""A training loop of which some steps are recorded, by hand if asked to. Writes the CPU seconds of the whole process and
when it ended."""

import atexit
import os
import sys
import time


@atexit.register
def cost():
    # Registered first, so that it runs last: after everything that anybody else has to do at the end.
    with open(os.environ["EAVES_BENCH_COST"], "w") as file:
        file.write(f"{time.process_time()} {time.time()}")


import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
model = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
optimizer = torch.optim.AdamW(model.parameters())
profiler = None
if len(sys.argv) > 1:
    stacks = sys.argv[1] == "stacks"
    activities = torch.profiler.supported_activities()
    if not torch.cuda.is_initialized():
        activities.discard(torch.profiler.ProfilerActivity.CUDA)
    profiler = torch.profiler.profile(
        activities=activities,
        schedule=torch.profiler.schedule(wait=1, warmup=1, active=5, repeat=1),
        on_trace_ready=lambda done: done.export_chrome_trace(os.environ["EAVES_BENCH_COST"] + ".json"),
        record_shapes=True,
        with_stack=stacks,
    )
    profiler.start()
for _ in range(40):
    model(torch.randn(8, 32, 128)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    if profiler is not None:
        profiler.step()
if profiler is not None:
    profiler.stop()
