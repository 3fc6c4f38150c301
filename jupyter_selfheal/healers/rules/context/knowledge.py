"""What the libraries' own changelogs say: modules, names, methods, keywords and values that were renamed, moved or removed.

The knowledge is in ``data/*.toml``, one file a library, grouped by the release that removed something; each group
names its source. Nothing here is applied because a version number says so: a rule looks an entry up only after the old
thing has failed, and checks in the running environment that the successor is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ANNOUNCED = re.compile(r"(?i)deprecated|will be removed|renamed")
"""What a warning says of a name, a method or an argument that will go."""

DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True, slots=True)
class Form:
    """A way to write a call anew (placeholders: :func:`._rewrite.render`), where arguments are of the types in ``when``
    (none: where the argument is not given)."""

    template: str
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """One removed module, name or method, with what took its place.

    ``new`` is the successor: a dotted path, or a method's new name. ``forms`` rewrite calls whose arguments changed too
    (``params`` name the old ones in order), ``read`` a use that is no call. ``unsafe`` says what may change its meaning,
    ``unsafe_where`` the words of a notebook in which that matters (a regular expression; empty: in any),
    ``settled`` is what must hold of the first argument of each call for that doubt to go,
    ``statement`` is what a call becomes whose only use is what it changed, ``binds`` the import lines and the binding of the old
    name that take an import's place, ``made`` what calls become of methods of what the old class made (:func:`._rewrite.render`),
    ``show`` marks what the user must choose, ``removes`` what is taken away, ``requires`` a distribution to install,
    ``cause`` says why it fails where it was not removed.
    """

    old: str
    new: str
    library: str
    version: str
    source: str
    params: tuple[str, ...] = ()
    forms: tuple[Form, ...] = ()
    read: str = ""
    statement: str = ""
    binds: tuple[str, ...] = ()
    made: Mapping[str, str] = field(default_factory=dict)
    unsafe: str = ""
    unsafe_where: str = ""
    settled: str = ""
    show: bool = False
    removes: str = ""
    requires: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """What becomes of a keyword with one of ``values`` (empty: with any).

    ``argument`` takes its place (``{value}`` is what was given; empty: it goes), ``callee`` is the new last name of the
    callee or a dotted path, ``wrap`` is put around the call (``{call}``; ``{item}`` is the only item of a list that was given, ``{others}`` are the arguments without what is needed).
    ``needs`` is an argument, as written, that the call must have too, or the name of one, whatever its value is.
    """

    argument: str = ""
    values: tuple[Any, ...] = ()
    callee: str = ""
    wrap: str = ""
    after: str = ""
    """Put behind the call of a method on what the call gives: ``.to_period()`` in ``s.resample("ME").mean().to_period()``."""
    needs: str = ""
    unsafe: str = ""
    unsafe_where: str = ""
    """The words of a notebook in which that matters (a regular expression; empty: in any)."""
    removes: str = ""
    idle: bool = False
    """The argument changed no result: the library itself says that it can be left out."""
    numeric: bool = False
    """Only where the method's table has columns of numbers alone."""
    two_classes: bool = False
    """Only where the model is fitted to two classes."""
    cause: str = ""
    """Why it fails, where the keyword itself is still taken."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword that callables of these names (last component; ``*``: any of the libraries) no longer take."""

    calls: tuple[str, ...]
    old: str
    cases: tuple[Case, ...]
    libraries: tuple[str, ...]
    version: str
    source: str


@dataclass(frozen=True, slots=True)
class Value:
    """Values of an argument that are no longer accepted: old → new. ``keyword`` empty: wherever it stands in the call."""

    calls: tuple[str, ...]
    keyword: str
    new: Mapping[str, Any]
    libraries: tuple[str, ...]
    version: str
    source: str
    unsafe: str = ""
    becomes: str = ""
    """The keyword that takes the value now; empty: the same."""
    ran_before: str = ""
    """What is unsafe is not where a run is stored from before this Python: the library took the value then, as what is named here."""


@dataclass(frozen=True, slots=True)
class Positional:
    """The order in which callables of these names took their arguments before they became keyword-only."""

    calls: tuple[str, ...]
    order: tuple[str, ...]
    libraries: tuple[str, ...]
    version: str
    source: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Everything in the data files, by what it is looked up with."""

    modules: Mapping[str, Change]
    names: Mapping[str, Change]
    methods: Mapping[str, Change]
    keywords: Mapping[str, tuple[Keyword, ...]]
    values: tuple[Value, ...]
    positional: tuple[Positional, ...]

    def method(self, classes: tuple[str, ...], name: str) -> Change | None:
        """The change of a method by the dotted paths of its class and bases, most derived first."""
        for path in classes:
            short = path.split(".")[0] + "." + path.rsplit(".", 1)[-1]
            if matches := self.methods.get(f"{short}.{name}"):
                return matches
        return None

    def module(self, path: str) -> tuple[Change, str] | None:
        """The change of a module or of the nearest package above it, and its new path."""
        parts = path.split(".")
        for at in range(len(parts), 0, -1):
            if matches := self.modules.get(".".join(parts[:at])):
                rest = parts[at:]
                return matches, ".".join([matches.new, *rest]) if matches.new else ""
        return None

    def keyword(self, call: str, paths: Sequence[str], old: str) -> Keyword | None:
        """The change of a keyword of a callable, by its last name and the dotted paths of what it is live."""
        for keyword in self.keywords.get(old, ()):
            if (call in keyword.calls or "*" in keyword.calls) and is_from(paths, keyword.libraries):
                return keyword
        return None


def is_from(paths: Sequence[str], libraries: Sequence[str]) -> bool:
    """True where one of the dotted paths lies in one of the libraries (``matplotlib``, ``matplotlib.figure``)."""
    return any(path == library or path.startswith(library + ".") for path in paths for library in libraries)


@cache
def load_knowledge() -> Knowledge:
    """The data files, read once."""
    import tomllib

    modules: dict[str, Change] = {}
    names: dict[str, Change] = {}
    methods: dict[str, Change] = {}
    keywords: dict[str, list[Keyword]] = {}
    values: list[Value] = []
    positional: list[Positional] = []
    for path in sorted(DATA.glob("*.toml")):
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        for release in raw["release"]:
            library = release.get("library") or raw["library"]
            about = {"library": library, "version": release["version"], "source": release["source"]}
            for table, target in (("modules", modules), ("names", names), ("methods", methods)):
                for old, entry in release.get(table, {}).items():
                    target[old] = _read_change(old, entry, about)
            for entry in release.get("keywords", ()):
                for keyword in _read_keywords(entry, about):
                    keywords.setdefault(keyword.old, []).append(keyword)
            values.extend(_read_values(release, about))
            positional.extend(
                Positional(
                    tuple(e["calls"]),
                    tuple(e["order"].split()),
                    _read_libraries(e, about),
                    about["version"],
                    about["source"],
                )
                for e in release.get("positional", ())
            )
    return Knowledge(
        modules, names, methods, {k: tuple(v) for k, v in keywords.items()}, tuple(values), tuple(positional)
    )


def _read_change(old: str, entry: Any, about: Mapping[str, Any]) -> Change:
    if isinstance(entry, str):
        return Change(old=old, new=entry, **about)
    forms = tuple(
        Form(f) if isinstance(f, str) else Form(f["to"], {k: tuple(v) for k, v in f.get("when", {}).items()})
        for f in entry.get("forms", ())
    )
    return Change(
        old=old,
        new=entry.get("new", ""),
        params=tuple(entry.get("params", "").split()),
        forms=forms,
        binds=tuple(entry.get("binds", ())),
        made=entry.get("made", {}),
        **{
            k: entry[k]
            for k in ("read", "settled", "statement", "unsafe", "unsafe_where", "show", "removes", "requires", "cause")
            if k in entry
        },
        **about,
    )


def _read_libraries(entry: Mapping[str, Any], about: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(entry.get("libraries", (about["library"],)))


def _read_keywords(entry: Mapping[str, Any], about: Mapping[str, str]) -> Iterator[Keyword]:
    if "rename" in entry:
        for old, new in entry["rename"].items():
            case = Case(argument=f"{new}={{value}}", unsafe=entry.get("unsafe", ""))
            yield Keyword(
                tuple(entry["calls"]), old, (case,), _read_libraries(entry, about), about["version"], about["source"]
            )
        return
    cases = tuple(
        Case(
            argument=c.get("argument", ""),
            values=tuple(c.get("values", ())) + ((None,) if c.get("none") else ()),
            callee=c.get("callee", ""),
            wrap=c.get("wrap", ""),
            after=c.get("after", ""),
            needs=c.get("needs", ""),
            unsafe=c.get("unsafe", ""),
            unsafe_where=c.get("unsafe_where", ""),
            removes=c.get("removes", ""),
            idle=bool(c.get("idle")),
            numeric=bool(c.get("numeric")),
            two_classes=bool(c.get("two_classes")),
            cause=c.get("cause", ""),
        )
        for c in entry["cases"]
    )
    for old in entry["old"] if isinstance(entry["old"], list) else [entry["old"]]:
        yield Keyword(
            tuple(entry["calls"]), old, cases, _read_libraries(entry, about), about["version"], about["source"]
        )


def _read_values(release: Mapping[str, Any], about: Mapping[str, str]) -> Iterator[Value]:
    for entry in release.get("values", ()):
        yield Value(
            tuple(entry["calls"]),
            entry.get("keyword", ""),
            entry["new"],
            _read_libraries(entry, about),
            about["version"],
            about["source"],
            entry.get("unsafe", ""),
            entry.get("becomes", ""),
            entry.get("ran_before", ""),
        )
