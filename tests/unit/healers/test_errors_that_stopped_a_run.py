"""Whether an error that a notebook was saved with is kept as meant, or stopped its run: by what its author ran below it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Cell, Diagnosis, Output
from jupyter_selfheal.testing.rule_conformance import Bench, build_notebook, find_first_failure
from tests.unit.healers.triage import diagnose


def _with(cell: Cell, bench: Bench, *below: Cell) -> Diagnosis:
    broken = find_first_failure(build_notebook([cell, *below], bench.folder))
    assert broken is not None
    return diagnose(broken)


LATER = Cell("c2", "2", count=4)


def test_a_tag_or_the_same_stored_error_means_deliberate_and_another_stored_error_does_not(bench: Bench) -> None:
    cell = Cell("c1", "1 / 0", count=3)
    same = Output("error", ename="ZeroDivisionError", evalue="integer division or modulo by zero")
    other = Output("error", ename="NameError", evalue="name 'x' is not defined")
    assert _with(replace(cell, tags=("raises-exception",)), bench).skip_reason == "deliberate"
    known = replace(cell, outputs=(replace(same, evalue="division by zero"),))
    assert _with(known, bench, LATER).skip_reason == "deliberate"
    assert _with(replace(cell, outputs=(other,)), bench, LATER).skip_reason is None
    renamed = Output("error", ename="KeyError", evalue="Key length was greater than the depth")
    again = Cell("c1", "class UnsortedError(KeyError): __str__ = Exception.__str__\nraise_it = UnsortedError('Key length was greater than the depth')\n"
                       "def f():\n    raise raise_it\nf()", outputs=(renamed,), count=3)  # fmt: skip
    assert _with(again, bench, LATER).kept, "a library gave its error a class of its own"


SAVED = (Output("error", ename="NameError", evalue="name 'prise' is not defined"),)


@pytest.mark.parametrize(
    ("text", "below", "meant"),
    [
        ("prise * 3", (), False),  # saved where it failed
        ("prise * 3", (Cell("c2", "2"),), False),  # as *Run all* leaves it
        ("prise * 3", (Cell("c2", "2", count=1),), False),  # run before
        ("prise * 3", (LATER,), True),
        ("total = prise * 3", (replace(LATER, source="total + 1"),), False),  # what it makes is needed
        ("total = prise * 3", (replace(LATER, source="total = 1\ntotal"),), True),
        ("d['total'] = prise * 3", (replace(LATER, source="d['total'] + 1"),), False),
        ("d['total'] = prise * 3", (replace(LATER, source="d.total.max()"),), False),
        ("d['total'] = prise * 3", (replace(LATER, source="d['total'] = 1\nd['total']"),), True),
        ("d['total'] = prise * 3", (replace(LATER, source="d['other']"),), True),
        ("d[0] = prise * 3", (replace(LATER, source="d[0]"),), True),  # as a lesson shows that a tuple takes nothing
    ],
)
def test_who_stopped_at_an_error_did_not_mean_it(bench: Bench, text: str, below: tuple[Cell, ...], meant: bool) -> None:
    found = _with(Cell("c1", text, outputs=SAVED, count=3), bench, *below)
    assert (found.kept or found.skip_reason == "deliberate") is meant


@pytest.mark.parametrize(
    ("text", "below", "meant"),
    [
        ("total = (1 + 2", "total + 1", False),
        ("total = (1 + 2", "total = 3\ntotal + 1", True),
        ("prices = [1, 2\nd['total'] = 3", "print('no more of it')", True),
    ],
)
def test_a_cell_that_does_not_parse_is_needed_for_what_its_lines_begin(
    bench: Bench, text: str, below: str, meant: bool
) -> None:
    stored = Output("error", ename="SyntaxError", evalue="'(' was never closed")
    found = _with(Cell("c1", text, outputs=(stored,), count=3), bench, replace(LATER, source=below))
    assert (found.kept or found.skip_reason == "deliberate") is meant


def test_what_stands_above_is_not_made_by_a_cell_alone(bench: Bench) -> None:
    stored = Output("error", ename="TypeError", evalue="'mappingproxy' object does not support item assignment")
    shown = Cell("c1", "p['a'] = 2", outputs=(stored,), count=3)
    above = Cell("c0", "import types\np = types.MappingProxyType({'a': 1})", count=2)
    broken = find_first_failure(build_notebook([above, shown, replace(LATER, source="p['a']")], bench.folder))
    assert broken is not None
    assert diagnose(broken).kept


@pytest.mark.parametrize(
    ("line", "meant"), [("x = float(1j)", True), ("x = int(1j)", False), ("float(1j) + 1  # x = float(1j)", False)]
)
def test_a_type_error_in_new_words_is_the_same_at_the_same_line(bench: Bench, line: str, meant: bool) -> None:
    told = "\x1b[0;32m----> 1\x1b[0;31m \x1b[0mx\x1b[0m = float(1j)\n\x1b[0m\nTypeError: can't convert complex to float"
    stored = Output("error", ename="TypeError", evalue="can't convert complex to float", traceback=(told,))
    found = _with(Cell("c1", line, outputs=(stored,), count=3), bench, LATER)
    assert found.kept is meant


def test_without_numbers_an_output_below_tells_that_the_author_went_on(bench: Bench) -> None:
    cell = Cell("c1", "prise * 3", outputs=SAVED)
    shown = Output("stream", text="2\n", name="stdout")
    assert _with(cell, bench, Cell("c2", "print(2)", outputs=(shown,))).kept
    assert not _with(cell, bench, Cell("c2", "print(2)")).kept
