"""Thread pools of the user's: they work in every state of a notebook, however many were kept before it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.kernels.freeze import open_state
from jupyter_selfheal.model import OPEN, Keep, Launch, Run, Step, TrialRequest
from jupyter_selfheal.testing.processes import is_gone, list_marked, mark_descendants
from tests.command import heal, nothing_is_left_running, place, write

__all__ = ["place"]
from tests.kernel.forking import printed, tried

pytestmark = pytest.mark.kernel

STATES = 6

POOL = "from concurrent.futures import ThreadPoolExecutor\n"
POOLS = {
    "in a global": (POOL + "pool = ThreadPoolExecutor(2)", "list(pool.map(str, range(3)))"),
    "in a class": (
        POOL + "class Loader:\n    pool = ThreadPoolExecutor(2)\n    def load(self):\n"
        "        return [f.result() for f in [self.pool.submit(str, n) for n in range(3)]]",
        "Loader().load()",
    ),
    "in a module, of a class of its own, as dask's": (
        POOL + "import types\nclass ContextAware(ThreadPoolExecutor):\n    pass\n"
        "local = types.ModuleType('local'); local.default_pool = ContextAware(2)",
        "list(local.default_pool.map(str, range(3)))",
    ),
    "in an object that only a closure knows": (
        POOL
        + "def made():\n    pool = ThreadPoolExecutor(2)\n    return lambda: list(pool.map(str, range(3)))\nwork = made()",
        "work()",
    ),
    "of asyncio.to_thread": ("import asyncio", "[await asyncio.to_thread(str, n) for n in range(3)]"),
    "of the loop": (
        "import asyncio",
        "[await asyncio.get_running_loop().run_in_executor(None, str, n) for n in range(3)]",
    ),
    "of joblib": (
        "from joblib import Parallel, delayed",
        "Parallel(n_jobs=2, backend='threading')(delayed(str)(n) for n in range(3))",
    ),
    "of dask": (
        "import dask",
        "list(dask.compute(*[dask.delayed(str)(n) for n in range(3)], scheduler='threads'))",
    ),
    "of multiprocessing": (
        "from multiprocessing.pool import ThreadPool\npool = ThreadPool(2)",
        "pool.map(str, range(3))",
    ),
    "of multiprocessing, step by step": (
        "from multiprocessing.pool import ThreadPool\npool = ThreadPool(2)",
        "[*pool.imap(str, range(2)), pool.apply_async(str, (2,)).get(20)]",
    ),
    "of multiprocessing, in a with statement": (
        "from multiprocessing.pool import ThreadPool\npool = None",
        "exec('with ThreadPool(2) as pool: result = pool.map(str, range(3))', globals()) or result",
    ),
}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkedKernel]:
    mark_descendants()
    kernel = open_state(Launch("python3", str(tmp_path_factory.mktemp("project"))), say=pytest.fail)
    assert isinstance(kernel, ForkedKernel)
    yield kernel
    kernel.close()
    assert all(is_gone(pid) for pid in list_marked())


@pytest.mark.parametrize("name", POOLS)
def test_a_pool_works_in_six_kept_states(first: ForkedKernel, name: str) -> None:
    make, use = POOLS[name]
    if name == "of dask":
        pytest.importorskip("dask")
    states = [first]
    try:
        for step in [make, *[f"print({use})"] * STATES]:
            steps: tuple[Step, ...] = (Run(step, "c"),)
            trial, kept = states[-1].run(TrialRequest(steps, keep=Keep.ALWAYS, sandbox=OPEN, timeout=60))
            assert isinstance(kept, ForkedKernel), trial.detail
            states.append(kept)
            assert printed(trial) == ("" if step == make else "['0', '1', '2']\n")
    finally:
        for state in states[1:]:
            state.close()


def test_a_pool_of_multiprocessing_can_be_ended_in_a_kept_state(first: ForkedKernel) -> None:
    make, use = POOLS["of multiprocessing"]
    trial, kept = first.run(TrialRequest((Run(make, "c"),), keep=Keep.ALWAYS, sandbox=OPEN, timeout=60))
    assert isinstance(kept, ForkedKernel), trial.detail
    try:
        for end in ("pool.close(); pool.join()", "pool.terminate(); pool.join()", "del pool; import gc; gc.collect()"):
            assert printed(tried(kept, f"{end}; print('ended')")) == "ended\n"
            assert printed(tried(kept, f"{use}; {end}; print('ended')")) == "ended\n"
    finally:
        kept.close()


@pytest.mark.parametrize("name", [pytest.param("in a global", marks=pytest.mark.slow), "of multiprocessing"])
def test_a_notebook_with_a_pool_runs_and_is_healed(place: Path, name: str) -> None:
    make, use = POOLS[name]
    given = write(place / "n.ipynb", make, *[use] * STATES, f"names = {use}\nnames[0].uper()")
    done = heal(given, "-o", "out.ipynb", "--approve", "all", "--timeout", "30", cwd=place)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not healed" not in done.stdout
    assert "replay" not in done.stdout
    healed = json.loads((place / "out.ipynb").read_text())["cells"]
    assert "".join(healed[-1]["source"]) == f"names = {use}\nnames[0].upper()"
    assert nothing_is_left_running(place)
