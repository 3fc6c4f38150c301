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
    "import matplotlib.pyplot as plt; plt.figure(figsize=(3, 2)); plt.plot([1, 2]); plt.nope()",
    "plt.close('all')",
    "raise KeyboardInterrupt",
    "%%heal --expect 3\n1 + 2",
    "del x",
    "import tempfile; t = tempfile.gettempdir()",
)

SNAPSHOT = """
def look(shell, last):
    import builtins, hashlib, os, random, signal, sys, threading, warnings
    numpy, pyplot = sys.modules.get("numpy"), sys.modules.get("matplotlib.pyplot")
    def text(value):
        return "?" if " at 0x" in repr(value) else repr(value)[:80]
    def figure(number):
        found = pyplot.figure(number)
        return number, tuple(found.get_size_inches()), len(found.axes), [len(a.lines) for a in found.axes]
    def descriptors():
        for name in os.listdir("/proc/self/fd"):
            try:
                yield os.readlink("/proc/self/fd/" + name)
            except OSError:  # that of the listing itself
                continue
    current = pyplot.gcf().number if pyplot and pyplot.get_fignums() else 0
    mask = os.umask(0o22)
    os.umask(mask)
    found = {
        "names": {k: text(v) for k, v in shell.user_ns.items() if not k.startswith("_") and k not in ("In", "Out", "open", "data")},
        "hidden names": sorted(k for k in shell.user_ns if k.startswith("_")),
        "In": [s for s in shell.user_ns["In"]], "_i": [shell.user_ns["_" + "i" * n] for n in (1, 2, 3)],
        "Out": {k: text(v) for k, v in shell.user_ns["Out"].items()}, "_oh": sorted(shell.user_ns["_oh"]),
        "_": [text(v) for v in last], "count": shell.execution_count,
        "raw history": list(shell.history_manager.input_hist_raw),
        "cwd": os.path.basename(os.getcwd()), "random": hashlib.md5(repr(random.getstate()).encode()).hexdigest(),
        "numpy": numpy and hashlib.md5(numpy.random.get_state()[1].tobytes()).hexdigest(),
        "files": sorted(os.path.basename(t) for t in descriptors() if t.endswith("data.txt")),
        "figures": pyplot and ([figure(n) for n in pyplot.get_fignums()], current, pyplot.get_backend()),
        "path": sys.path[1:], "filters": len(warnings.filters), "hooks": [sys.excepthook.__name__, sys.displayhook.__class__.__name__],
        "environment": {k: v for k, v in os.environ.items() if k not in ("OLDPWD",)},
        "signals": {int(s): text(signal.getsignal(s)) for s in signal.valid_signals()},
        "user's threads": sorted(t.name for t in threading.enumerate() if not t.name.startswith("selfheal-")
                                 and not type(t).__module__.startswith(("IPython", "ipykernel"))),
        "modules": sorted(m for m in sys.modules if m.partition(".")[0] in ("__main__", "numpy", "matplotlib", "random", "os")),
        "builtins": len(dir(builtins)), "last": type(getattr(sys, "last_value", None)).__name__, "umask": mask,
        "recursion": sys.getrecursionlimit(), "switch": sys.getswitchinterval(), "argv": len(sys.argv), "trace": text(sys.gettrace()),
    }
    if current:
        pyplot.figure(current)
    return repr(found)
"""
EXPRESSION = f"(lambda s: (exec({SNAPSHOT!r}, s), s['look'](get_ipython(), (_, __, ___)))[1])({{}})"


def snapshot(kernel: LiveKernel) -> dict[str, object]:
    found: dict[str, object] = ast.literal_eval(ast.literal_eval(kernel.value(EXPRESSION)))
    return found


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
        for what in second:
            assert _plain(first[what]) == _plain(second[what]), (what, cell)


def _plain(found: object) -> object:
    """What was typed, with the line of ``%%heal`` and the folders' and kernels' own names left out: what differs by design."""
    if isinstance(found, dict):
        own = ("IPYTHONDIR", "JUPYTER", "JPY", "TMPDIR", "PYTEST")
        return {k: _plain(v) for k, v in found.items() if not str(k).startswith(own)}
    if isinstance(found, list | tuple):
        return [_plain(v) for v in found]
    return found.replace("%%heal --expect 3", "").strip() if isinstance(found, str) else found


def test_working_directory_holds_no_file_of_ours(loaded: LiveKernel, tmp_path: Path) -> None:
    loaded.run("items = []\nitems.appendd(1)", "c", allow_stdin=True)
    loaded.card("fix ready, tested")
    assert list((tmp_path / "work").iterdir()) == []
