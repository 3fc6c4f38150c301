"""The smallest edit of a project's requirements that keeps a library below the release which removed something.

Read and changed are ``requirements.txt``, ``pyproject.toml`` (``project.dependencies``) and conda's ``environment.yml``, as text: one
requirement of one line is another one afterwards, every other byte is as it was. Nothing is guessed: what asks for the newer release itself, or is
written in a way that is not understood, is left alone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.surfaces.notebook.records import Record
from jupyter_selfheal.surfaces.project.files import FileFix, ProjectFile, read_text_file

DISTRIBUTIONS = {"sklearn": "scikit-learn", "IPython": "ipython"}
"""The names under which libraries are installed, where it is not their own."""

_SINCE = re.compile(
    r"\b(IPython|matplotlib|networkx|numpy|pandas|scipy|seaborn|sklearn|statsmodels|sympy) (\d+(?:\.\d+)*)"
)
"""How a rule says which release removed something: ``(numpy 1.24)``, ``removed in pandas 2.0``."""

_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)(\[[\w, .-]*\])?\s*((?:[<>=!~]=?=?\s*[\w.*+!-]+\s*,?\s*)*)(;.*)?")
_CLAUSE = re.compile(r"(===|==|~=|!=|<=|>=|<|>|=)\s*([\w.*+!-]+)")
_CONDA_LINE = re.compile(r"^(\s*-\s+)([^\s#][^#\r\n]*?)(\s*(?:#.*)?\r?\n?)$")


@dataclass(frozen=True, slots=True)
class Bound:
    """A library that must be older than a release, and the number of the cell that says so."""

    name: str
    version: str
    cell: int

    @property
    def requirement(self) -> str:
        """As it stands in a file of requirements."""
        return f"{self.name}<{self.version}"


@dataclass(frozen=True, slots=True)
class RequirementsEdit:
    """A file with one requirement changed, and all that it asks for then."""

    fix: FileFix
    requirements: tuple[str, ...]


def find_bound(record: Record) -> Bound | None:
    """The release that broke a cell, where the cause of its fix is one; rules alone know that."""
    patch = record.candidate[0].patch if record.candidate and not record.is_fix_unrun else None
    found = _SINCE.search(patch.cause) if patch is not None and patch.rule else None
    if found is None:
        return None
    return Bound(DISTRIBUTIONS.get(found[1], found[1]), found[2], record.number)


def edit_requirements(folder: Path, project: Path, bound: Bound) -> RequirementsEdit | None:
    """The edit of the nearest file, from the notebook's folder up to the project's, that names the library; None where there is none to be had."""
    for place in (folder, *folder.parents):
        for name, read in _READERS.items():
            file = read_text_file(place / name)
            if file is None:
                continue
            asked = list(read(file.text))
            if any(_is_named(text, bound.name) for _, text, _ in asked):
                return _edit_file(file, asked, bound)
        if place == project or project not in place.parents:
            break
    return None


def tighten(requirement: str, bound: Bound) -> str | None:
    """The requirement with the bound; None where it asks for that release itself, is below it anyway, or is not understood."""
    parsed = _REQUIREMENT.fullmatch(requirement.strip())
    if parsed is None:
        return None
    name, extras, clauses, marker = parsed[1], parsed[2] or "", parsed[3], parsed[4] or ""
    kept, limit = [], _read_version(bound.version)
    for operator, version in _CLAUSE.findall(clauses):
        is_newer = _read_version(version) >= limit
        if operator in (">=", ">", "~=") and is_newer:
            return None
        is_below = _read_version(version) <= limit if operator == "<" else not is_newer
        if operator in ("<", "<=", "==", "===", "=", "~=") and is_below:
            return None  # it is below the bound anyway: what is installed is not what is asked for
        if operator in (">=", ">", "!="):
            kept.append(f"{operator}{version}")
    return f"{name}{extras}{','.join([*kept, f'<{bound.version}'])}{marker}"


def _edit_file(file: ProjectFile, asked: Sequence[tuple[int, str, str]], bound: Bound) -> RequirementsEdit | None:
    named = [(at, text) for at, text, _ in asked if _is_named(text, bound.name)]
    new = tighten(named[0][1], bound) if len(named) == 1 else None
    if new is None or any(not _REQUIREMENT.fullmatch(pip) for _, _, pip in asked):
        return None
    at, old = named[0]
    text = file.text[:at] + new + file.text[at + len(old) :]
    requirements = tuple(new if _is_named(text, bound.name) else pip for _, text, pip in asked)
    return RequirementsEdit(FileFix(file, text), requirements)


def _read_requirements(text: str) -> Iterator[tuple[int, str, str]]:
    """Where each requirement stands, as it stands, and as pip takes it."""
    at = 0
    for line in text.splitlines(keepends=True):
        asked = re.split(r"\s#|^#", line, maxsplit=1)[0].strip()
        if asked:
            yield at + line.index(asked), asked, asked
        at += len(line)


def _read_pyproject(text: str) -> Iterator[tuple[int, str, str]]:
    try:
        asked = tomllib.loads(text)["project"]["dependencies"]
    except (tomllib.TOMLDecodeError, KeyError, TypeError):
        return
    start = re.search(r"^dependencies\s*=", text, re.MULTILINE)
    for requirement in asked if start is not None else ():
        at = max(text.find(quote + requirement + quote, start.start() if start else 0) for quote in "\"'")
        if at >= 0:
            yield at + 1, requirement, requirement


def _read_environment(text: str) -> Iterator[tuple[int, str, str]]:
    """Conda's ``pandas=2.1`` is pip's ``pandas==2.1.*``; what pip cannot install, it is not asked for."""
    at, inside = 0, False
    for line in text.splitlines(keepends=True):
        if line[:1].strip():
            inside = line.startswith("dependencies:") or (inside and line.startswith("-"))
        found = _CONDA_LINE.match(line) if inside else None
        if found is not None and not found[2].endswith(":"):
            asked = found[2].strip()
            name, _, version = asked.partition("=")
            is_fuzzy = version and version[0] not in "=<>!~" and name[-1:] not in tuple("<>!~=")
            if name.strip() not in ("python", "pip"):
                yield at + found.start(2), asked, f"{name}=={version.partition('=')[0]}.*" if is_fuzzy else asked
        at += len(line)


_READERS = {
    "requirements.txt": _read_requirements,
    "environment.yml": _read_environment,
    "pyproject.toml": _read_pyproject,
}


def _is_named(requirement: str, name: str) -> bool:
    found = re.match(r"[\w.-]+", requirement)
    return found is not None and re.sub(r"[-_.]+", "-", found[0]).lower() == name.lower()


def _read_version(text: str) -> tuple[int, ...]:
    """The numbers that a version begins with, without zeros in the end: 2.0 is 2."""
    numbers = [int(part) for part in re.findall(r"\d+", text.partition("*")[0])]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
