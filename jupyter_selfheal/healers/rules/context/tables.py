"""What rules know by heart, from ``data/tables/*.toml``: each table is read when it is first asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parents[1] / "data" / "tables"


@cache
def read_table(name: str) -> Mapping[str, Any]:
    """One table, as written."""
    import tomllib

    return tomllib.loads((TABLES / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def read_words(table: str, entry: str) -> frozenset[str]:
    """The words of an entry that is a list of them, apart by blanks."""
    return frozenset(read_table(table)[entry].split())


# --- imports --------------------------------------------------------------------------------------------------------


@cache
def import_aliases() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Name → (module, name in the module; empty: the module itself), the most usual first."""
    aliases = read_table("imports")["aliases"]
    return {
        name: tuple(_split_place(w) for w in ([where] if isinstance(where, str) else where))
        for name, where in aliases.items()
    }


def _split_place(where: str) -> tuple[str, str]:
    module, _, name = where.partition(":")
    return module, name


@cache
def map_distributions() -> Mapping[str, str]:
    """Distribution, in small letters → module, where they differ."""
    pairs = read_table("distributions")["distributions"].items()
    return {distribution.lower(): module for module, distribution in pairs if "." not in module}


def find_distribution(module: str) -> tuple[str, bool]:
    """(distribution, known?) that provides a module; not known means that the names are merely taken to be equal."""
    distributions = read_table("distributions")["distributions"]
    top = module.split(".")[0]
    for name in (module, top):
        if name in distributions:
            return distributions[name], True
    return top.replace("_", "-"), top in read_words("distributions", "same_name")


def list_known_modules() -> list[str]:
    """The modules of which the distribution is known."""
    named = (name for name in read_table("distributions")["distributions"] if "." not in name)
    return [*named, *read_words("distributions", "same_name")]


def is_never_installed(module: str) -> bool:
    """True for names that say nothing, that only some product has, or that Python itself had."""
    names = {module, module.split(".")[0]}
    return any(names & read_words("distributions", e) for e in ("placeholders", "only_elsewhere", "python2_modules"))


# --- forms ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallForm:
    """A way to write a call anew: ``{r}`` its receiver, ``{0}``, ``{1}`` its arguments, of which there must be as many;
    ``{args}`` any number of them, as written; ``{dropped}`` any number, which go."""

    template: str

    def fill(self, receiver: str, arguments: Sequence[str], written: str | None = None) -> str | None:
        """The new text; None where the arguments do not fit."""
        count = len(set(re.findall(r"\{(\d)\}", self.template)))
        is_open = "{args}" in self.template or "{dropped}" in self.template
        if not is_open and len(arguments) != count:
            return None
        text = ", ".join(arguments) if written is None else written
        return self.template.format(*arguments, r=receiver, args=text, dropped="")


@cache
def call_forms(table: str, *entries: str) -> Mapping[str, tuple[CallForm, ...]]:
    """Name of a call → the forms that it may take, of an entry of a table."""
    forms: Any = read_table(table)
    for entry in entries:
        forms = forms.get(entry, {})
    return {name: tuple(map(CallForm, [form] if isinstance(form, str) else form)) for name, form in forms.items()}
