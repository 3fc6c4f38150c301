"""FreshKernel keeps the contract of every trial kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.kernels.fresh import FreshKernel
from jupyter_selfheal.model import Cell, Launch
from jupyter_selfheal.testing.kernel_conformance import Making, TrialKernelConformance


@pytest.mark.kernel
class TestFreshKernel(TrialKernelConformance):
    @pytest.fixture
    def state(self, tmp_path: Path) -> Iterator[Making]:
        made: list[FreshKernel] = []

        def make(*cells: str) -> FreshKernel:
            recipe = [Cell(f"c{n}", code) for n, code in enumerate(cells)]
            made.append(FreshKernel(Launch("python3", str(tmp_path), writes="allow"), recipe, ahead=False))
            return made[-1]

        yield make
        for kernel in made:
            kernel.close()
