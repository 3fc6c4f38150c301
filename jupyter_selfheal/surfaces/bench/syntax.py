"""Programs that do not parse: one random syntax fault in each program of a set, or records with faults of their own."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import quixbugs
from jupyter_selfheal.surfaces.bench.records import read_records
from jupyter_selfheal.surfaces.bench.tasks import Task

SEED = 20261121
FAULTS = ("colon", "bracket", "quote", "indent", "dedent", "equals", "comma", "print")


def load(path: Path) -> tuple[str, list[Task]]:
    """Tasks whose definition does not parse: of JSON lines with ``broken`` and ``reference``; else one fault (seeded) put into each
    program of a QuixBugs clone or of HumanEval."""
    if path.is_dir():
        sources = [(t.name, t.reference) for t in quixbugs.load(path)]
    else:
        records = read_records(path)
        if all("broken" in r for r in records):
            return "syntax faults", [_build_task(str(n), r["broken"], r["reference"]) for n, r in enumerate(records)]
        if not all("canonical_solution" in r for r in records):
            raise UsageError(f"{path} holds neither `broken` and `reference` nor HumanEval's records")
        sources = [(r["task_id"], r["prompt"] + r["canonical_solution"]) for r in records]
    return f"syntax faults put into {path.name} (seed {SEED})", list(_inject_faults(sources))


def _build_task(name: str, broken: str, reference: str) -> Task:
    return Task(name, "", broken, ("pass\n",), reference)


def _inject_faults(sources: list[tuple[str, str]]) -> Iterator[Task]:
    for number, (name, source) in enumerate(sources):
        rng = random.Random(f"{SEED}/{number}")
        for attempt in range(30):
            kind = FAULTS[(number + attempt) % len(FAULTS)]
            broken = _break_source(source, kind, rng)
            if broken is not None and not can_compile(broken):
                yield _build_task(f"{name} ({kind})", broken, source)
                break


def _break_source(source: str, kind: str, rng: random.Random) -> str | None:
    """The source with one fault of a kind at a random place outside its docstring, or None where there is no place for it."""
    pattern = {
        "colon": r":(?=[ \t]*\n)", "bracket": r"[)\]}]", "quote": r"(?<=\w)['\"](?=[,)\] \n:])", "indent": r"(?<=\n)[ ]{4,}(?=\w)",
        "dedent": r"(?<=\n)[ ]{8,}(?=\w)", "equals": r"==", "comma": r",(?= \w)", "print": r"(?<=\n)([ ]+)return (\w+)\n",
    }[kind]  # fmt: skip
    places = [m for m in re.finditer(pattern, source) if not _is_in_docstring(source, m.start())]
    if not places:
        return None
    at = rng.choice(places)
    new = {"indent": at[0] + " ", "dedent": at[0][: -rng.choice((1, 2, 3))], "equals": "="}.get(kind, "")
    if kind == "print":
        new = f"{at[1]}print {at[2]}\n{at[0]}"
    return source[: at.start()] + new + source[at.end() :]


def _is_in_docstring(source: str, at: int) -> bool:
    return source[:at].count('"""') % 2 == 1


def can_compile(source: str) -> bool:
    """True where it compiles."""
    try:
        compile(source, "<program>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def is_same_program(program: str, reference: str) -> bool:
    """True where a program is the reference again, formatting and comments apart (what was added as ``print`` may stay)."""
    try:
        return src.dump_tree(ast.parse(program)) == src.dump_tree(ast.parse(reference))
    except SyntaxError:
        return False
