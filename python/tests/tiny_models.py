"""Models that compile quickly, in a module of their own so that another process can load them."""

from __future__ import annotations

import torch


class Perceptron(torch.nn.Module):
    """Two layers."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.first = torch.nn.Linear(width, width)
        self.second = torch.nn.Linear(width, 8)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return self.second(torch.relu(self.first(values)))


class Pointwise(torch.nn.Module):
    """Five operators on every element, which fuse into one kernel."""

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        return ((values + 1).sin() * 2).cos() - 1


class Broken(torch.nn.Module):
    """Three graph breaks: a print, a branch that depends on data, an item that does."""

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        values = values + 1
        print("first")  # break 1
        values = values * 2
        if values.sum() > 0:  # break 2
            values = values - 1
        scale = values.max().item()  # break 3
        return values.sin() * scale
