"""The conformance suite of trial kernels, on every adapter that is shipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.model import OPEN, Keep, Launch, Run, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.kernel_conformance import Making, TrialKernelConformance
from jupyter_selfheal.testing.processes import is_gone, list_marked, mark_descendants


class TestFakeKernel(TrialKernelConformance):
    has_processes = False

    @pytest.fixture
    def state(self) -> Making:  # type: ignore[override]
        return lambda *cells: FakeKernel([Run(source, f"c{n}") for n, source in enumerate(cells)])


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrialKernel]:
    mark_descendants()
    kernel = open_state(Launch("python3", str(tmp_path_factory.mktemp("project"))), say=pytest.fail)
    assert isinstance(kernel, ForkedKernel)
    yield kernel
    kernel.close()
    assert all(is_gone(pid) for pid in list_marked())


@pytest.mark.kernel
class TestForkedKernel(TrialKernelConformance):
    @pytest.fixture
    def state(self, first: TrialKernel, tmp_path: Path) -> Iterator[Making]:
        made: list[TrialKernel] = []

        def make(*cells: str) -> TrialKernel:
            steps = tuple(Run(source, f"c{n}") for n, source in enumerate(cells)) or (Run("", "c"),)
            trial, kept = first.run(TrialRequest(steps, keep=Keep.ON_SUCCESS, sandbox=OPEN))
            assert kept is not None, trial
            made.append(kept)
            return kept

        yield make
        for kernel in made:
            kernel.close()
