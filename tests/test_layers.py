"""Imports point one way (docs/architecture.md): read with ``ast``, so that a wrong one fails before it runs."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    wrong = sorted(t for t in imports_of(path) if not allowed(module, t))
    assert not wrong, f"{module} may not import {', '.join(wrong)}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "inside").rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_what_runs_inside_a_kernel_is_standard_library_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [a.name.split(".")[0] for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "").split(".")[0]]
        else:
            continue
        for top in names:
            assert top in sys.stdlib_module_names | KERNEL_ITSELF, f"{path.name} imports {top}"
