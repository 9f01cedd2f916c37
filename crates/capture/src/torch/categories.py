"""What memory of the host was for: parameters, gradients, activations and so on. In one namespace with `recorder.py`.

PyTorch's memory profiler tells it from how tensors flow through operators, modules and optimizers, and only in the process
that was recorded; no trace has it. So it is put into the trace, as a counter with a series for each category, where
`eaves memory` finds it and Perfetto draws it.
"""

import os

# The counter's name, which `eaves_model::MEMORY_BY_CATEGORY` is too.
COUNTER = "memory by category"
# PyTorch takes about 0.1 ms for each of its events, of which a megabyte of a trace has 2,500.
LARGEST_TRACE = 100_000_000


def category_events(torch, profiler, base):
    """The lines of a trace that say how much memory each category has, from each change on. Times count from `base`, in
    nanoseconds. What was there before the recording is there from the first change on."""
    from torch.profiler._memory_profiler import Action, TensorKey

    memory = profiler._memory_profile()
    host = torch.device("cpu")
    levels, lines = {}, []

    def change(time, key, version, bytes_more):
        category = memory._categories.get(key, version) if isinstance(key, TensorKey) else None
        name = "unknown" if category is None else category.name.lower()
        levels[name] = levels.get(name, 0) + bytes_more
        whole, part = divmod(time - base, 1000)
        lines.append(
            f'{{"ph": "C", "name": "{COUNTER}", "pid": {os.getpid()}, "ts": {whole}.{part:03d}, '
            f'"args": {{"{name}": {levels[name]}}}}},\n'
        )

    timeline = [entry for entry in memory.timeline if entry[2][0].device == host]
    first = next((time for time, *_ in timeline if time >= 0), base)
    for time, action, (key, version), size in timeline:
        time = max(time, first)
        if action in (Action.PREEXISTING, Action.CREATE):
            change(time, key, version, size)
        elif action == Action.DESTROY:
            change(time, key, version, -size)
        elif action == Action.INCREMENT_VERSION:
            # The old category loses it first, so that bytes never count twice.
            change(time, key, version, -size)
            change(time, key, version + 1, size)
    return lines


def base_of(line):
    """The zero of a trace, if this line of it says so."""
    name, _, value = line.partition(b":")
    digits = value.strip().rstrip(b",")
    return int(digits) if name.strip() == b'"baseTimeNanoseconds"' and digits.isdigit() else None
