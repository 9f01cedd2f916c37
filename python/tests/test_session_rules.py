"""The rules about a session, each at its limit."""

from __future__ import annotations

import dataclasses

import pytest

from eaves.profiling._session_rules import Facts, judge

QUIET = Facts(
    kernels=[("a", 50.0), ("b", 50.0)],
    on_gpu=True,
    total_ms=10.0,
    gpu_busy_ms=7.0,
    host_alone_ms=3.0,
    launches=1000,
    peak_mb=80.0,
    capacity_mb=100.0,
)


def facts(**changes):
    return dataclasses.replace(QUIET, **changes)


def test_at_every_limit_nothing_is_wrong():
    advice = judge(QUIET)
    assert advice.bottlenecks == [] and advice.recommendations == []


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("ampere_sgemm_128x64", "Tensor Cores"),
        ("MatMulKernel", "torch.compile"),
        ("vectorized_elementwise_kernel", "fuse"),
        ("my_kernel", None),
    ],
)
def test_a_kernel_with_more_than_half_dominates(name, advice):
    found = judge(facts(kernels=[(name, 50.1), ("b", 49.9)]))
    assert len(found.bottlenecks) == 1
    assert found.bottlenecks[0].startswith(f"Single kernel dominates: {name} takes 50.1%")
    assert (advice is None and found.recommendations == []) or advice in found.recommendations[0]


def test_without_a_gpu_it_is_an_operator_and_nothing_speaks_of_gpus():
    kernels = [("aten::addmm", 90.0), ("b", 10.0)]
    found = judge(facts(on_gpu=False, kernels=kernels, host_alone_ms=10, gpu_busy_ms=0, launches=1e6))
    assert [text.split(":")[0] for text in found.bottlenecks] == ["Single operator dominates"]
    assert "Tensor Cores" not in found.recommendations[0] and "torch.compile" in found.recommendations[0]


def test_memory_above_four_fifths():
    found = judge(facts(peak_mb=80.1))
    assert found.bottlenecks == ["High memory use: the peak is 80.1% of what the device has"]
    assert "checkpointing" in found.recommendations[0] and "mixed precision" in found.recommendations[0]
    assert judge(facts(peak_mb=None)).bottlenecks == []
    assert judge(facts(peak_mb=float("nan"))).bottlenecks == []
    assert judge(facts(capacity_mb=None, peak_mb=1e9)).bottlenecks == []


def test_a_host_that_works_alone_for_three_tenths():
    found = judge(facts(host_alone_ms=3.01))
    assert found.bottlenecks[0].startswith("CPU overhead: the host works alone for 30.1%")
    assert "CUDA Graphs" in found.recommendations[0]
    # A host that is busy while the GPU is busy too holds nothing up.
    assert judge(facts(host_alone_ms=0.0)).bottlenecks == []


def test_launches_must_be_many_and_close():
    assert judge(facts(launches=1001, total_ms=10.0)).bottlenecks[0].startswith("Many small launches: 1001 in 10.0 ms")
    assert judge(facts(launches=1001, total_ms=10.1)).bottlenecks == []
    assert judge(facts(launches=1000, total_ms=1.0)).bottlenecks == []


def test_advice_is_given_once():
    advice = judge(facts(host_alone_ms=9.0))
    advice.add("again", advice.recommendations[0])
    assert len(advice.recommendations) == 1 and len(advice.bottlenecks) == 2
