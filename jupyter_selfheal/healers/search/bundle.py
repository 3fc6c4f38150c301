"""The runtime as one source text, for a trial kernel whose environment may lack this package."""

from __future__ import annotations

from functools import cache
from pathlib import Path

MODULES = (
    "text", "scope", "operators", "constants", "names", "shapes", "containers", "conditions", "statements", "missing", "variations", "exchanges", "mirrored", "intent", "propose", "program",
    "evaluate", "pool", "replay", "locate", "candidates", "behave", "ranking", "search",
)  # fmt: skip
"""The runtime's modules; each imports only those before it."""

_HERE = "jupyter_selfheal.healers.search.runtime"
_THERE = "_selfheal_search"
_LOADER = '''"""Sent by jupyter_selfheal: loads the search from text and calls it."""
import sys, types

SOURCES = {sources!r}


def probe(shell, last, argument):
    package = types.ModuleType({there!r})
    package.__path__ = []
    sys.modules[{there!r}] = package
    for name, text in SOURCES:
        module = types.ModuleType({there!r} + "." + name)
        sys.modules[module.__name__] = module
        setattr(package, name, module)
        exec(compile(text, "<" + module.__name__ + ">", "exec"), module.__dict__)
    return module.probe(shell, last, argument)
'''


@cache
def source() -> str:
    """The source of a probe that searches. The modules live under another name there, apart from an installed package."""
    folder = Path(__file__).parent / "runtime"
    texts = [(name, (folder / f"{name}.py").read_text(encoding="utf-8").replace(_HERE, _THERE)) for name in MODULES]
    return _LOADER.format(sources=texts, there=_THERE)
