"""Typed questions about which module of a library has a name."""

from __future__ import annotations

from collections.abc import Iterable

from jupyter_selfheal.healers.rules._rule import Scene
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import JSON


def _rows(answer: JSON) -> list[tuple[JSON, JSON]]:
    rows = answer if isinstance(answer, list) else []
    return [(r[0], r[1]) for r in rows if isinstance(r, list) and len(r) == 2]


def modules_with(scene: Scene, package: str, names: Iterable[str]) -> list[tuple[str, bool]]:
    """Public modules of a package that hold every one of the names, each with whether its ``__all__`` lists them."""
    argument: JSON = {"question": "find", "package": package, "names": list(names)}
    return [
        (str(module), bool(listed))
        for module, listed in _rows(scene.facts.ask(probe_source("probes.packages"), argument))
    ]


def holders_of(scene: Scene, name: str, packages: Iterable[str]) -> list[tuple[str, str]]:
    """(package, module) of each package that has one class or function of the name, and the module to import it from."""
    argument: JSON = {"question": "holders", "name": name, "packages": sorted(packages)}
    return [
        (str(package), str(module))
        for package, module in _rows(scene.facts.ask(probe_source("probes.packages"), argument))
    ]
