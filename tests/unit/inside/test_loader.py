"""Modules as text: everything they need, nothing else, and no trace in the process that loads them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.inside import loader

FOLDER = Path(loader.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(FOLDER).with_suffix("").parts) for path in FOLDER.rglob("*.py") if path.stem != "__init__"
)


@pytest.mark.parametrize("module", [name for name in MODULES if name != "loader"])
def test_every_module_loads_from_text_without_the_package_and_leaves_no_module_behind(module: str) -> None:
    script = (
        f"import sys\nbefore = set(sys.modules)\n{loader.write_loading_code(module)}\nloaded = load()\n"
        "print(loaded.__name__, sorted(n for n in set(sys.modules) - before if n.startswith('jupyter_selfheal')))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-"], input=script, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"jupyter_selfheal.inside.{module} []\n", done.stderr


def test_what_a_module_needs_is_read_from_its_imports_each_after_those_it_imports() -> None:
    needed = loader.list_needed("fork.sandbox")
    assert needed[-1] == "fork.sandbox"
    assert needed.index("fork.syscalls") < needed.index("fork.overlay")
    assert len(set(needed)) == len(needed)


def test_a_kernel_of_another_python_compiles_the_text_itself() -> None:
    code = loader.write_loading_code("fork.sandbox").replace(repr(importlib.util.MAGIC_NUMBER), "b'another'")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-"],
        input=f"{code}\nprint(load().__name__)",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "jupyter_selfheal.inside.fork.sandbox\n", done.stderr


def test_an_installed_package_of_another_version_is_neither_used_nor_disturbed() -> None:
    script = (
        "import sys, types\nsys.modules['jupyter_selfheal'] = other = types.ModuleType('jupyter_selfheal')\n"
        f"{loader.write_loading_code('fork.gate')}\nload()\nprint(sys.modules['jupyter_selfheal'] is other, vars(other).get('inside'))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-"], input=script, capture_output=True, text=True, timeout=60)
    assert done.stdout == "True None\n", done.stderr


def test_a_module_that_needs_no_other_is_sent_as_it_stands() -> None:
    assert loader.probe_source("probes.variables") == loader.read_source("probes.variables")
