"""PyTorch sums up a recording it makes on the spot, and eaves gives the same sums from the file.

PyTorch counts an operator that does nothing but call one of its own name, such as `aten::mean`, together with that call; eaves
counts both calls.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from conftest import Answer

PROGRAM = """
import json
import torch
from torch.profiler import ProfilerActivity, profile

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 8))
optimizer = torch.optim.AdamW(model.parameters())
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recorded:
    for _ in range(3):
        loss = model(torch.randn(32, 64)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
recorded.export_chrome_trace("trace.json")
rows = recorded.key_averages()
print(json.dumps({row.key: [row.count, row.self_cpu_time_total, row.cpu_time_total] for row in rows}))
"""


def nested_calls(path: Path) -> Counter[str]:
    """Calls of operators inside of calls of the same name."""
    events = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("cat") == "cpu_op"]
    found: Counter[str] = Counter()
    ends: dict[tuple[str, int], float] = {}
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        place = event["name"], event["tid"]
        if event["ts"] < ends.get(place, 0):
            found[event["name"]] += 1
        else:
            ends[place] = event["ts"] + event["dur"]
    return found


def test_sums_of_operators(torch_program, tmp_path):
    theirs = json.loads(torch_program(PROGRAM).splitlines()[-1])
    path = tmp_path / "trace.json"
    rows = Answer("report", str(path), "--details").rows("cpu-operators", "by_operator")
    ours = {row["operator"]: row for row in rows}
    operators = [name for name in theirs if name.startswith("aten::")]
    assert len(operators) >= 20 and set(operators) <= ours.keys()
    nested = nested_calls(path)
    for name in operators:
        count, own, total = theirs[name]
        calls = ours[name]["calls"]
        assert calls == count + nested[name], name
        # The file has microseconds with three decimals, as does PyTorch's sum.
        assert ours[name]["cpu_self_ns"] == pytest.approx(1e3 * own, abs=4 * calls), name
        if nested[name] == 0:
            assert ours[name]["cpu_total_ns"] == pytest.approx(1e3 * total, abs=2 * calls), name
