"""Cells that were stopped: which loop cannot end, and when that is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.healers.rules.endless_loop import EndlessLoop
from jupyter_selfheal.model import Cell, Diagnosis, FailureKind, Frame
from jupyter_selfheal.testing.failing import Broken
from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose


@pytest.mark.parametrize(
    ("cell", "reason"), [("while n > 0:\n    pass", None), ("import time; time.sleep(99)", "interrupted")]
)
def test_what_the_user_stopped_is_looked_at_where_its_loop_may_be_endless(
    bench: Bench, cell: str, reason: str | None
) -> None:
    broken = bench.fail("raise KeyboardInterrupt")
    failure = replace(broken.case.failure, kind=FailureKind.TIMED_OUT, source=cell)
    notebook = replace(broken.case.notebook, cells=(Cell(failure.cell_id, cell),))
    stopped = replace(broken, case=replace(broken.case, failure=failure, notebook=notebook))
    assert diagnose(stopped).skip_reason == reason


SLOW = "The cell does not finish within the time limit."


def stop(broken: Broken, cell: str, *places: tuple[str, int], above: str = "") -> Diagnosis:
    """What is said of a cell that was stopped at these places, each a cell (``a`` is the one above) and a line."""
    own = broken.case.failure.cell_id
    frames = tuple(Frame("", line, "f", cell_id=where or own) for where, line in places)
    failure = replace(broken.case.failure, kind=FailureKind.TIMED_OUT, source=cell, frames=frames)
    notebook = replace(broken.case.notebook, cells=(Cell("a", above), Cell(own, cell)))
    return diagnose(replace(broken, case=replace(broken.case, failure=failure, notebook=notebook)))


@pytest.mark.parametrize(
    ("cell", "cause"),
    [
        (
            "xs = [1]\nwhile xs:\n    for x in xs:\n        print(x)",
            "The loop in line 2 never ends: nothing in it changes `xs`.",
        ),
        (
            "done, xs = [], [1]\nwhile xs:\n    out = []\n    out.append(xs[0] ** 2)",
            "The loop in line 2 never ends: nothing in it changes `xs`.",
        ),
        (
            "xs = ['a']\nwhile xs:\n    name = xs[0]\n    print(name.upper(), time.time())",
            "The loop in line 2 never ends: nothing in it changes `xs`.",
        ),
        ("xs = [1]\nwhile xs:\n    for x in xs:\n        xs.pop()", SLOW),
        ("xs = [1]\nwhile xs:\n    f(xs[0], xs)", SLOW),
        ("running = True\nwhile running:\n    wait()", SLOW),
        ("xs = [1]\nwhile len(xs) > 0:\n    del xs[0]", SLOW),
        ("xs = [1]\nwhile xs:\n    print(xs[0])\n    xs[0:1] = []", SLOW),
        ("def run(self, xs):\n    while xs:\n        self.visit(xs[-1])", SLOW),
        ("xs = [1]\nwhile xs:\n    x = xs[-1]\n    tree.expand(x)", SLOW),
        ("out = []\nout = xs\nwhile xs:\n    print(xs[0])\n    out.pop()", SLOW),  # another name of the same list
    ],
)
def test_a_loop_that_cannot_end_is_named(bench: Bench, cell: str, cause: str) -> None:
    assert stop(bench.fail("raise TimeoutError"), cell, ("", 3)).cause == cause


def test_a_loop_is_said_to_be_endless_only_where_the_cell_was_stopped_in_it(bench: Bench) -> None:
    broken = bench.fail("raise TimeoutError")
    above, cell = "def wait(n):\n    while n > 5:\n        print(n)\n", "wait(0)\ntime.sleep(600)"
    words = "The loop in line 2 of cell 1 {}: nothing in it changes `n > 5`."
    assert stop(broken, cell, ("", 1), ("a", 3), above=above).cause == words.format("never ends")
    assert stop(broken, cell, ("", 2), above=above).cause == SLOW
    assert stop(broken, cell, above=above).cause == words.format("may never end")
    counts = "def step():\n    global n\n    n -= 1\n"
    assert stop(broken, "n = 3\nwhile n > 0:\n    step()", ("", 3), ("a", 3), above=counts).cause == SLOW


FILLED = "xs, n = [], 3\nwhile n > 0:\n    xs.append(n)\n    m = n\ny = [0]"


def run_out(broken: Broken, cell: str, line: int, **changes: object) -> Broken:
    """That cell, where memory ran out in that line (0: nobody knows where)."""
    own = broken.case.failure.cell_id
    frames = (Frame("", line, "<module>", cell_id=own),) if line else ()
    failure = replace(broken.case.failure, ename="MemoryError", evalue="", source=cell, line=line, frames=frames)
    failure = replace(failure, **changes)  # type: ignore[arg-type]
    return replace(
        broken,
        case=replace(broken.case, failure=failure, notebook=replace(broken.case.notebook, cells=(Cell(own, cell),))),
    )


def test_a_loop_that_never_ends_and_fills_the_memory_is_named_and_let_go_on(bench: Bench) -> None:
    broken = run_out(bench.fail("raise MemoryError"), FILLED, 3)
    assert diagnose(broken).cause == "The loop in line 2 never ends: nothing in it changes `n > 0`."
    (patch,) = broken.propose_patches(EndlessLoop())
    assert "n -= 1" in broken.apply_patch(patch).cells[0].source


@pytest.mark.parametrize(
    ("cell", "line", "changes"),
    [
        (FILLED, 5, {}),  # behind the loop
        (FILLED, 4, {}),  # a line that adds nothing
        (FILLED.replace("m = n", "n = step(n)"), 3, {}),  # it may end
        (FILLED.replace("append(n)", "append([0] * 10**12)"), 3, {}),  # too much in the first round
        (FILLED, 0, {}),
        (FILLED, 0, {"kind": FailureKind.DIED, "evalue": "out of memory"}),
    ],
)
def test_elsewhere_what_runs_out_is_memory(bench: Bench, cell: str, line: int, changes: dict[str, object]) -> None:
    broken = run_out(bench.fail("raise MemoryError"), cell, line, **changes)
    assert diagnose(broken).cause == "Out of memory."
    assert broken.propose_patches(EndlessLoop()) == ()
