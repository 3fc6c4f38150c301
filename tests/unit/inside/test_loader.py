"""Modules as text: everything they need, nothing else, and no trace in the process that loads them."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import CodeType

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


def test_imports_stand_above_all_definitions() -> None:
    for module in MODULES:
        whole = [ast.dump(n) for n in ast.parse(loader.read_source(module)).body if isinstance(n, ast.ImportFrom)]
        head = loader._parse_head(loader.read_source(module)).body
        assert [ast.dump(n) for n in head if isinstance(n, ast.ImportFrom)] == whole, module


def test_an_import_below_a_definition_in_a_text_is_read_all_the_same() -> None:
    tree = loader._parse_head('SCRIPT = """\ndef f():\n    pass\n"""\nfrom a import b\n\ndef g():\n    pass\n')
    assert [type(n).__name__ for n in tree.body] == ["Assign", "ImportFrom", "FunctionDef"]


COUNT = """
import sys
compiled = []
sys.addaudithook(lambda event, given: compiled.append(given[0]) if event == "compile" else None)
from jupyter_selfheal.inside import loader
probes = [loader.probe_source(f"search.{name}") for name in ("search", "try_readings", "deepen_readings")]
texts = {loader.read_source(name): 0 for name in loader.list_needed("search.search")}
texts = {text: 0 for text in texts if "\\ndef " in text or "\\nclass " in text}  # one of constants alone is read whole for its imports
for text in compiled:
    text = text.decode() if isinstance(text, bytes) else text
    if text in texts:
        texts[text] += 1
print(len(texts), max(texts.values()), sum(texts.values()))
"""


def test_what_three_probes_share_is_read_from_its_byte_code_and_compiled_by_none(tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(tmp_path)
    told = [
        subprocess.run(
            [sys.executable, "-c", COUNT], capture_output=True, text=True, timeout=120, env=env
        ).stdout.split()
        for _ in range(2)
    ]
    (modules, most, _), again = told
    assert int(modules) > 100
    assert most == "1", "a module was compiled for each probe anew"
    assert again == [modules, "0", "0"]


def test_what_fails_in_a_kernel_is_told_under_the_names_of_our_modules() -> None:
    files = {code.co_filename for code in _list_codes(loader._read_code("search.search"))}
    assert files == {"<selfheal jupyter_selfheal.inside.search.search>"}


def _list_codes(code: CodeType) -> list[CodeType]:
    return [code, *(inner for c in code.co_consts if isinstance(c, CodeType) for inner in _list_codes(c))]


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
