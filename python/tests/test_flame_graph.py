"""Flame graphs of lists, by hand, and the drawing of what is only data."""

from __future__ import annotations

import json
import re

import pytest

from eaves import FlameGraphGenerator, KernelInfo
from eaves.profiling.flame_graph import SMALL, kernel_kind, renamed


def leaves(graph):
    return {(kind["name"], leaf["name"]): leaf["value"] for kind in graph["children"] for leaf in kind["children"]}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ampere_sgemm_128x64", "Matrix Multiply"),
        ("cudnn_convolve", "Convolution"),
        ("softmax_warp_forward", "Softmax"),
        ("relu_kernel", "Activation"),
        ("GeluCUDAKernel", "Activation"),
        ("layer_norm", "Normalization"),
        ("flash_attention_fwd", "Attention"),
        ("vectorized_elementwise_kernel", "Elementwise"),
        ("reduce_kernel", "Reduction"),
        ("Memcpy HtoD", "Memory Copy"),
        ("FillFunctor", "Memory Fill"),
        ("my_kernel", "Other"),
    ],
)
def test_kinds_by_name(name, kind):
    assert kernel_kind(name) == kind


def test_kernels_of_a_name_add_up_and_small_ones_stay_in_the_total():
    kernels = [
        {"name": "sgemm", "duration_us": 600.0},
        {"name": "sgemm", "time_us": 300.0},
        KernelInfo(name="relu", duration_us=91.0),
        {"name": "gelu", "duration_us": 9.0},
        {"name": "silu", "duration_us": 8.0},
    ]
    graph = FlameGraphGenerator().from_kernel_list(kernels)
    assert graph["name"] == "GPU Execution" and graph["value"] == 1008.0
    assert leaves(graph) == {
        ("Matrix Multiply", "sgemm"): 900.0,
        ("Activation", "relu"): 91.0,
        ("Activation", SMALL): 17.0,
    }
    for kind in graph["children"]:
        assert kind["value"] == sum(leaf["value"] for leaf in kind["children"])


def test_the_share_counts_only_if_small_kernels_are_grouped():
    kernels = [{"name": "sgemm", "duration_us": 9980.0}, {"name": "relu", "duration_us": 20.0}]
    assert ("Activation", SMALL) in leaves(FlameGraphGenerator().from_kernel_list(kernels))
    assert ("Activation", "relu") in leaves(FlameGraphGenerator(group_small_kernels=False).from_kernel_list(kernels))


def test_small_frames_have_their_name_at_any_depth():
    root = {"name": "all", "value": 3.0}
    innermost = root
    for _ in range(5000):
        innermost["children"] = [{"name": "[small]", "value": 1.5}]
        innermost = innermost["children"][0]
    found = renamed(root)
    depth = 0
    while found["children"]:
        found = found["children"][0]
        depth += 1
        assert found["name"] == SMALL and found["value"] == 1.5
    assert depth == 5000


def test_data_alone_is_drawn_to_scale_and_escaped(tmp_path):
    data = {
        "name": "root",
        "value": 100.0,
        "children": [
            {"name": "<b>", "value": 75.0, "children": []},
            {"name": "right", "value": 20.0, "children": []},
            {"name": "dust", "value": 0.001, "children": []},
        ],
    }
    text = FlameGraphGenerator().export(data, tmp_path / "flame.html").read_text()
    assert "<b>" not in text.split("<h1>")[1] and "&lt;b&gt;" in text
    assert not re.search(r'(src|href)="', text)
    frames = dict(re.findall(r"<title>(\S+): [^<]*</title><rect x=\"([\d.]+)\"", text))
    widths = dict(re.findall(r"<title>(\S+): [^<]*</title><rect [^>]* width=\"([\d.]+)\"", text))
    assert float(widths["root"]) == 1200 and float(widths["&lt;b&gt;"]) == 900 and float(widths["right"]) == 240
    assert float(frames["right"]) == 900
    assert "dust" not in text and "1 frames are too narrow" in text


def test_json_is_that_of_d3(tmp_path):
    graph = FlameGraphGenerator().from_kernel_list([{"name": "sgemm", "duration_us": 600.0}])
    path = FlameGraphGenerator().export(graph, tmp_path / "deep" / "flame.json", format="json")
    assert json.loads(path.read_text())["children"][0]["children"][0] == {"name": "sgemm", "value": 600.0, "children": []}


def test_unknown_formats_are_refused(tmp_path):
    with pytest.raises(ValueError, match="not 'gif'"):
        FlameGraphGenerator().export({}, tmp_path / "x", format="gif")
