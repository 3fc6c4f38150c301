"""Imports point one way (docs/architecture.md): read with ``ast``, so that a wrong one fails before it runs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "jupyter_selfheal"

BASE = {
    "model",
    "wire",
    "errors",
    "config",
    "keys",
    "ports",
    "source",
    "messages",
    "magic_options",
    "numbers",
    "own_process",
    "registry",
    "setting_sources",
    "_version",
}
KERNEL_ITSELF = {"jupyter_selfheal", "__future__", "IPython", "ipykernel"}
"""What a kernel that can be healed has anyway; imported where it is used."""

SHARED = {"surfaces.card", "surfaces.words", "surfaces.dialogue"}
"""What every surface draws from; loaded into the user's kernel too."""

PARTS = {"loop", "kernels", "healers", "providers", "scoring", "journal"}


ONLY_NAMES = {"inside.search.program"}
"""Of what runs in kernels, modules whose constants alone are read outside of them."""


def allowed(module: str, target: str) -> bool:
    """Whether ``module`` (dotted, without the package) may import ``target``.

    ``inside`` stands on nothing but itself, as it is sent to kernels that lack the package. The base stands on it, no part
    on another part, ``engine`` on all of them, the surfaces on the engine; ``surfaces.live`` runs in the user's kernel and
    has none of the engine. Kernels are made by the engine alone: of ``kernels`` a surface sees what was run, as data.
    """
    top, target_top = module.split(".")[0], target.split(".")[0]
    if target in ("", "_version") or target_top == top != "surfaces":
        return True
    if top == "inside":
        return False
    if target_top == "inside":
        return True
    if target_top in BASE:
        return (
            top not in BASE
            or target_top in {"model", "errors", "config", "keys", "wire", "numbers", "registry"}
            or module == "ports"
        )
    if top in PARTS:
        return False
    if module.startswith("surfaces.live") or module in SHARED:
        return target in SHARED | {"surfaces"} or (module not in SHARED and target.startswith("surfaces.live"))
    if top == "testing":
        return True
    if top == "engine":
        return target_top in PARTS or target_top == "testing"
    if top in ("surfaces", "__main__"):
        if target_top == "kernels":
            return target == "kernels.replay_plan"
        return target_top in {"engine", "testing", "surfaces"} | PARTS
    own = ("surfaces.notebook.api", "surfaces.browser_session")
    return top == "__init__" and (target.startswith("surfaces.live") or target in own)


def imports_of(path: Path) -> set[str]:
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative imports hide the layer"
            names = [f"{node.module}.{a.name}" for a in node.names]
            if not (node.module or "").startswith("jupyter_selfheal"):
                continue
        else:
            continue
        for name in names:
            if name.split(".")[0] == "jupyter_selfheal":
                parts = name.split(".")[1:]
                while parts and not (
                    (PACKAGE / Path(*parts)).with_suffix(".py").exists() or (PACKAGE / Path(*parts)).is_dir()
                ):
                    parts.pop()
                found.add(".".join(parts))
    return found


def test_imports_point_one_way() -> None:
    """All files in one test: as a thousand of their own they took longer to be told of than to be read."""
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        wrong += [f"{module} may not import {t}" for t in sorted(imports_of(path)) if not allowed(module, t)]
    assert not wrong


def test_what_runs_inside_a_kernel_is_standard_library_only() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {top}"
        for path in sorted((PACKAGE / "inside").rglob("*.py"))
        for top in tops_of(path)
        if top not in sys.stdlib_module_names | KERNEL_ITSELF
    ]
    assert not wrong


def tops_of(path: Path) -> Iterator[str]:
    """The packages that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [a.name.split(".")[0] for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "").split(".")[0]]
        else:
            continue
        yield from names


def test_what_runs_on_several_threads_parses_by_the_one_function_that_other_threads_cannot_spoil() -> None:
    """CPython before 3.11.8 counts the depth of trees for all threads together: see ``inside/parsing.py``."""
    parts = ("loop", "scoring", "healers", "source", "kernels", "journal")
    paths = {path for part in parts for path in (PACKAGE / part).rglob("*.py")}
    read = {
        name for path in paths for name in imports_of(path) if name.startswith("inside.") and name not in ONLY_NAMES
    }
    paths |= {path for name in read if (path := (PACKAGE / name.replace(".", "/")).with_suffix(".py")).exists()}
    assert not sorted(str(path.relative_to(PACKAGE)) for path in paths if "ast.parse(" in path.read_text())
