"""The user's kernel is what it would be without the extension: the same cells in two kernels, one of them with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

CELLS = (
    "x = 1",
    "import random; r = random.random()",
    "import numpy as np; n = float(np.random.rand())",
    "random.seed(4)",
    "values = [r for r in range(5)]\nvalues",
    "values.appendd(3)",
    "undefined_name",
    "1 / 0",
    "def f(:",
    "%nonsense",
    "import os; os.makedirs('sub', exist_ok=True); os.chdir('sub')",
    "import os; os.chdir('..')",
    "handle = open('data.txt', 'a'); handle.write('line')",
    "handle.close()",
    "_",
    "%%time\ny = 2",
    "import asyncio\nawait asyncio.sleep(0)\nz = 3",
    "!echo hello",
    "import matplotlib.pyplot as plt; fig = plt.figure(); len(plt.get_fignums())",
    "raise KeyboardInterrupt",
    "%%heal --expect 3\n1 + 2",
    "del x",
    "import tempfile; t = tempfile.gettempdir()",
)

SNAPSHOT = """repr(__import__('builtins').eval(compile('''(
    sorted((k, repr(v)[:80]) for k, v in get_ipython().user_ns.items()
           if not k.startswith('_') and k not in ('In', 'Out', 'exit', 'quit', 'get_ipython', 'open') and ' at 0x' not in repr(v)),
    [s for s in In], {k: repr(v) for k, v in Out.items()}, repr(_)[:80], repr(__)[:80], get_ipython().execution_count,
    __import__('os').getcwd().split('/')[-1], hash(__import__('random').getstate()[1]),
    __import__('zlib').crc32(__import__('numpy').random.get_state()[1].tobytes()),
    sorted(t.rsplit('/', 1)[-1] for t in (__import__('os').readlink('/proc/self/fd/' + f)
           for f in __import__('os').listdir('/proc/self/fd') if __import__('os').path.exists('/proc/self/fd/' + f))
           if t.endswith('data.txt')),
    __import__('sys').path[1:], sorted(__import__('warnings').filters, key=repr).__len__(),
    str(__import__('signal').getsignal(2)).split(' at ')[0],
)''', '<snapshot>', 'eval'), get_ipython().user_ns))"""


def snapshot(kernel: LiveKernel) -> object:
    return ast.literal_eval(ast.literal_eval(kernel.value(SNAPSHOT)))


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveKernel, LiveKernel]]:
    root = tmp_path_factory.mktemp("pair")
    kernels = []
    for name in ("with", "without"):
        folder = root / name / "/".join(["deep"] * 30)
        folder.mkdir(parents=True)
        kernels.append(LiveKernel(folder, root / name / "data"))
        kernels[-1].run("import os, random, numpy; random.seed(1); numpy.random.seed(1)")
    assert kernels[0].run("%load_ext jupyter_selfheal", store_history=False)["status"] == "ok"
    yield kernels[0], kernels[1]
    for kernel in kernels:
        kernel.stop()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.lists(st.sampled_from(CELLS), min_size=2, max_size=8))
def test_state_is_what_it_is_without_the_extension(pair: tuple[LiveKernel, LiveKernel], cells: list[str]) -> None:
    ours, plain = pair
    for number, cell in enumerate(cells):
        bare = "\n".join(["", *cell.splitlines()[1:]]) if cell.startswith("%%heal") else cell
        with_it = ours.run(cell, f"cell-{number}", allow_stdin=True)
        without = plain.run(bare, f"cell-{number}", allow_stdin=True)
        assert with_it["status"] == without["status"], cell
        first, second = snapshot(ours), snapshot(plain)
        assert _plain(first) == _plain(second), cell


def _plain(found: object) -> object:
    """History with the line of ``%%heal`` left out: the one thing that differs by design."""
    assert isinstance(found, tuple)
    names, inputs, *rest = found
    return (names, [i.replace("%%heal --expect 3", "").strip() for i in inputs], *rest)


def test_working_directory_holds_no_file_of_ours(loaded: LiveKernel, tmp_path: Path) -> None:
    loaded.run("items = []\nitems.appendd(1)", "c", allow_stdin=True)
    loaded.card("a fix that has already run")
    assert list((tmp_path / "work").iterdir()) == []
