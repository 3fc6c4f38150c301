"""Imports point one way (docs/architecture.md): read with ``ast``, so that a wrong one fails before it runs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "jupyter_selfheal"

BASE = {"model", "wire", "errors", "config", "ports", "source", "messages", "magic_options", "_version"}
PARTS = {"loop", "kernels", "healers", "providers", "scoring", "journal"}
FORK_HALF = {
    "kernels.zygote",
    "kernels.gate",
    "kernels.sandbox",
    "kernels.refused",
    "kernels.overlay",
    "kernels.syscalls",
    "kernels.guard",
    "kernels.steps",
    "kernels.capture",
    "kernels.hygiene",
    "kernels.descriptors",
    "kernels.trial",
    "kernels.pair",
    "kernels.frozen",
    "kernels.event_loop",
}
EDGE = {"worker", "cli", "notebook", "bench", "__main__"}


def allowed(module: str, target: str) -> bool:
    """Whether ``module`` (dotted, without the package) may import ``target``."""
    top, target_top = module.split(".")[0], target.split(".")[0]
    if target in ("", "_version") or target_top == top:
        return not (module in FORK_HALF and target not in FORK_HALF)
    if module in FORK_HALF:
        return False
    if target_top in BASE:
        return top not in BASE or target_top in {"model", "errors", "config", "wire"} or module == "ports"
    if top in PARTS:
        return False
    if top == "live":
        return target in FORK_HALF
    if top == "testing":
        return True
    if top == "assemble":
        return target_top in PARTS or target_top == "testing"
    if top in EDGE:
        return target_top in {"assemble", "testing"} | PARTS | EDGE
    return top == "__init__" and target_top == "live"


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


@pytest.mark.parametrize(
    "name",
    [
        "zygote",
        "guard",
        "steps",
        "capture",
        "hygiene",
        "descriptors",
        "trial",
        "gate",
        "sandbox",
        "refused",
        "overlay",
        "syscalls",
    ],
)
def test_the_fork_half_is_standard_library_only(name: str) -> None:
    import sys

    path = PACKAGE / "kernels" / f"{name}.py"
    if not path.exists():
        pytest.fail(f"{path} is missing")
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [a.name.split(".")[0] for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "").split(".")[0]]
        else:
            continue
        for top in names:
            assert top in sys.stdlib_module_names or top in {
                "jupyter_selfheal",
                "__future__",
                "IPython",
                "ipykernel",
            }, top
