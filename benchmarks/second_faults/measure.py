"""How often a patch is held back where a second fault is left that no check reaches: ``python benchmarks/second_faults/measure.py --seed 1 --each 3 --rows FILE``.

Each program has one fault, which its checks reach, or one more, which changes no check. The first is to be mended and applied, of the others
the patch is at most to be offered: it meets every check, and is wrong elsewhere. The search alone is run, without a kernel.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.second_faults.make_pairs import make_method, make_tasks, read_programs
from jupyter_selfheal.healers.search.plan import build_plan
from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search import search
from jupyter_selfheal.model import Case, Cell, Failure, FailureKind, Notebook
from jupyter_selfheal.surfaces.bench.judge import judge
from jupyter_selfheal.surfaces.bench.tasks import Task

PROGRAMS = Path(__file__).parent / "programs.txt"


def measure(task: Task, seconds: float) -> dict[str, Any]:
    """A row: what the search says first of a task, whether it would be applied, and whether it is right."""
    checks = "".join(task.tests)
    cells = Notebook((Cell("program", task.definition), Cell("checks", checks)))
    plan = build_plan(Case(Failure("checks", checks, FailureKind.RAISED, "AssertionError"), cells))
    assert plan is not None
    space: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(task.definition, space)
        reply = search.probe(SimpleNamespace(user_ns=space), None, plan.to_argument(seconds, 1))
    row = {"name": task.name, "state": "none", "cpu": reply["cpu"], "tried": reply["tried"]}
    if not reply["patches"]:
        return row
    best = reply["patches"][0]
    edits = [(plan.pieces[int(n)].start, plan.pieces[int(n)].end, text) for n, text in best["texts"].items()]
    is_right = judge(task, splice(task.definition, edits)).correct
    state = f"{'offered' if best['rival'] else 'applied'} {'right' if is_right else 'wrong'}"
    return {**row, "state": state, "words": best["words"], "rival": best["rival"]}


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=3, help="tasks of each kind for a program, at most")
    parser.add_argument("--seconds", type=float, default=20.0, help="what a search may take, counted as steps")
    parser.add_argument("--only", default="", help="a program")
    parser.add_argument("--methods", action="store_true", help="each function as the method of a class")
    parser.add_argument("--rows", type=Path)
    options = parser.parse_args(words)
    counts = Counter[str]()
    for program in read_programs(PROGRAMS.read_text(encoding="utf-8")):
        for task in make_tasks(program, options.seed, options.each) if options.only in program.name else ():
            row = measure(make_method(task) if options.methods else task, options.seconds)
            counts[f"{task.name.split()[0]}: {row['state']}"] += 1
            if options.rows:
                with options.rows.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row) + "\n")
    for what, number in sorted(counts.items()):
        print(f"{number:4} {what}")


if __name__ == "__main__":
    main()
