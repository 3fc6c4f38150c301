"""What loading the extension costs the user's kernel."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

HEAVY = {
    "anthropic", "httpx2", "httpx", "nbformat", "jsonschema", "ipywidgets", "anywidget", "jinja2", "fissix", "libcst",
    "numpy", "pandas", "genai_prices", "tqdm", "sqlite3", "jupyter_client.manager",
}  # fmt: skip

SCRIPT = """
import sys, json
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
shell.run_line_magic("load_ext", "jupyter_selfheal")
loaded = sorted(set(sys.modules) - before)
shell.run_line_magic("heal", "{switch}")
before = set(sys.modules)
shell.run_cell("None")
after_cell = sorted(set(sys.modules) - before)
shell.run_line_magic("unload_ext", "jupyter_selfheal")
print(json.dumps([loaded, after_cell, sorted(set(sys.modules) - before - set(after_cell))]))
"""

ONLY_A_FAILURE_NEEDS = (
    "messages", "model", "model.cost", "model.trial", "model.proposal", "numbers", "registry", "source", "surfaces.card",
    "surfaces.live.live_heal", "surfaces.live.magics",
)  # fmt: skip


def list_imports(folder: Path, switch: str) -> list[list[str]]:
    """What loading imports, then what a cell does with suggestions ``on`` or ``off``, and what unloading does."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.replace("{switch}", switch)], capture_output=True, text=True, timeout=120,
        env={"PATH": "", "HOME": str(folder), "IPYTHONDIR": str(folder), "JUPYTER_DATA_DIR": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    imports: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
    return imports


def list_fork_modules(names: list[str]) -> list[str]:
    return [name for name in names if name.startswith("jupyter_selfheal.inside.fork")]


def test_loading_imports_nothing_heavy(tmp_path: Path) -> None:
    loaded, _, _ = list_imports(tmp_path, "on")
    ours = [name for name in loaded if name.startswith("jupyter_selfheal")]
    assert ours
    assert not HEAVY & set(loaded)
    names = {f"jupyter_selfheal.{name}" for name in ONLY_A_FAILURE_NEEDS}
    assert all(importlib.util.find_spec(name) for name in names)
    assert not names & set(loaded)
    assert len(ours) <= 18, ours
    assert len(loaded) - len(ours) <= 12, sorted(set(loaded) - set(ours))


def test_what_copies_a_kernel_is_imported_by_the_first_cell_that_is_copied_before(tmp_path: Path) -> None:
    loaded, by_cell, _ = list_imports(tmp_path, "on")
    assert not list_fork_modules(loaded)
    assert list_fork_modules(by_cell)


def test_where_no_copy_is_ever_made_nothing_of_it_is_imported(tmp_path: Path) -> None:
    loaded, by_cell, by_unloading = list_imports(tmp_path, "off")
    assert not list_fork_modules([*loaded, *by_cell, *by_unloading])
