"""Python 2 in the syntax of Python 3, by fissix' fixers (the maintained lib2to3, which is loaded when it is first asked)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jupyter_selfheal.source.source import read

SYNTAX = ("print", "exec", "except", "raise", "repr", "ne", "numliterals", "tuple_params", "throw")
"""Fixers of what no longer parses."""


@cache
def _load_refactoring(fixers: tuple[str, ...], print_function: bool) -> Any:
    from fissix.refactor import RefactoringTool, get_fixers_from_package

    known = set(get_fixers_from_package("fissix.fixes"))
    wanted = [f"fissix.fixes.fix_{name}" for name in fixers]
    return RefactoringTool([w for w in wanted if w in known], {"print_function": print_function})


def refactor(source: str, fixers: tuple[str, ...]) -> str | None:
    """The source after some of fissix' fixers; None where it cannot read it."""
    masked, kept = _replace_magics(source)
    masked = re.sub(r"\b[uU][rR](?=['\"])", "r", masked)
    try:
        tree = _load_refactoring(fixers, "print" not in fixers).refactor_string(masked + "\n", "<cell>")
    except Exception:  # lib2to3's driver raises ParseError, TokenError and others for what it cannot read
        return None
    text = str(tree).removesuffix("\n")
    for number, line in kept.items():
        text = text.replace(f"_selfheal_magic_{number}_", line)
    return text


def _replace_magics(source: str) -> tuple[str, dict[int, str]]:
    """The source with IPython's lines replaced by names that no cell has, and those lines without their indentation."""
    kept: dict[int, str] = {}
    matches = []
    for number, (line, masked) in enumerate(zip(source.split("\n"), read(source).masked_text.split("\n"), strict=True)):
        if line != masked:
            kept[number] = line.lstrip()
            line = line[: len(line) - len(line.lstrip())] + f"_selfheal_magic_{number}_"
        matches.append(line)
    return "\n".join(matches), kept
