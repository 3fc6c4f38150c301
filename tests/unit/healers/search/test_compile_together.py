"""Changes of one function that are compiled together do what each does by itself."""

from __future__ import annotations

import builtins
import copy
import itertools
from collections.abc import Sequence
from types import CodeType
from typing import Any

import pytest

from jupyter_selfheal.inside.positions import splice
from jupyter_selfheal.inside.search.candidates import Maker
from jupyter_selfheal.inside.search.compile_together import SHORT, TOGETHER, compile_together
from jupyter_selfheal.inside.search.localise_faults import Sight
from jupyter_selfheal.inside.search.program import Program, Unit, compile_unit, fingerprint
from jupyter_selfheal.inside.search.propose_mutations import list_changes
from jupyter_selfheal.inside.search.run_result import Result
from jupyter_selfheal.inside.search.scope import Scope

ORCHARD = """\
class Orchard:
    def __init__(self, rows):
        self.rows = rows

    def pick(self, least):
        \"\"\"Ripe fruit by row,
        and how much there is.\"\"\"
        found, total = [], 0
        for number, row in enumerate(self.rows):
            if row and max(row) >= least:
                ripe = [size for size in row if size >= least]
                # these are sold
                found.append((number, len(ripe)))
            elif not row:
                total -= 1
            else:
                continue
            while total > 100:
                total -= 50
            total += sum(row)
        return found, total
"""
SHELVES = """\
def fill(boxes, room):
    # How many boxes fit, one after the other, into the room that a shelf of this width has. A function that is
    # shorter than this one is as quickly compiled by itself, as the most that it takes to compile one is then to begin:
    # so a few lines that say nothing stand here, until there are as many characters as it needs.
    placed = 0
    for box in boxes:
        if box > room:
            room = room - box
            placed = placed + 1
    return placed
"""
ROWS = [[3, 8, 9], [], [1, 2], [60, 70]]


def compile_all(text: str, variants: Sequence[str]) -> tuple[list[CodeType | None], list[str]]:
    """The code of each variant, and the texts that were compiled for it."""
    compiled: list[str] = []

    def compile_text(given: str) -> CodeType | None:
        compiled.append(given)
        try:
            return compile(given, "<test>", "exec", dont_inherit=True)
        except SyntaxError:
            return None

    made = compile_together(text, variants, compile_text, frozenset(dir(builtins)))
    return [m and m[0] for m in made], compiled


def pick(code: CodeType) -> Any:
    """What the orchard of some code gives: its value, or the error."""
    space: dict[str, Any] = {}
    try:
        exec(code, space)
        return space["Orchard"]([list(row) for row in ROWS]).pick(2)
    except NameError:  # of a name that nothing binds: it is a local one where another change would bind it
        return NameError
    except Exception as error:
        return type(error)


def is_quick(text: str) -> bool:
    """Loops that no change of these makes endless: ``while`` is asked with a total that shrinks."""
    return "total -= 50" in text and "while total > 100:" in text


def test_each_change_does_what_it_does_by_itself() -> None:
    changes = [splice(ORCHARD, c.edits) for c in list_changes(Scope(ORCHARD), {10, 13, 18})]
    variants = [text for text in dict.fromkeys(changes) if is_quick(text)][::2][:128]
    codes, compiled = compile_all(ORCHARD, variants)
    together = [(text, code) for text, code in zip(variants, codes, strict=True) if code is not None]
    assert len(together) > 0.8 * len(variants)
    assert len(compiled) <= 2 + len(variants) // TOGETHER * 3
    for text, code in together:
        assert pick(code) == pick(compile(text, "<alone>", "exec")), text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("row and max(row) >= least", "row"),
        ("if row and", "if not row and"),
        ("            total += sum(row)\n", ""),
        ("            total += sum(row)\n", "            if row:\n                total += sum(row)\n"),
        (
            "                continue\n",
            "                continue\n            if not row:\n                return found, -1\n",
        ),
        ("        return found, total\n", "            found.append(number)\n        return found, total\n"),
        ("            total += sum(row)\n", "            tally = 1\n"),
    ],
)
def test_lines_are_put_in_taken_out_and_put_elsewhere(old: str, new: str) -> None:
    assert old in ORCHARD
    variant = ORCHARD.replace(old, new)
    codes, compiled = compile_all(ORCHARD, [variant] * 4)
    assert len(compiled) == 1
    assert codes[0] is not None
    assert pick(codes[0]) == pick(compile(variant, "<alone>", "exec"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("            total += sum(row)\n", "            max = 3\n"),  # `max` would be a local name of all of them
        ("            total += sum(row)\n", "            yield total\n"),  # and all of them a generator
        ("            total += sum(row)\n", "            global total\n"),
        ("total > 100", "(total := total - 1) > 100"),
        ("def pick(self, least)", "def pick(self, least=0)"),
        ("            elif not row:\n                total -= 1\n", "            elif not row:\n"),
        ("total > 100", "(total > 100)"),  # what stands there
    ],
)
def test_what_reaches_beyond_its_place_is_compiled_by_itself(old: str, new: str) -> None:
    assert old in ORCHARD
    assert compile_all(ORCHARD, [ORCHARD.replace(old, new)] * 4)[0] == [None] * 4


def test_one_that_is_no_python_costs_the_others_nothing() -> None:
    sizes = [ORCHARD.replace("total > 100", f"total > 10{n}") for n in range(1, 8)]
    loose = ORCHARD.replace("        self.rows = rows\n", "        self.rows = rows\n        break\n")
    codes, _ = compile_all(ORCHARD, [*sizes, loose, *sizes])
    assert codes.count(None) <= 4
    assert codes[7] is None
    assert codes[0] is not None


def test_the_same_expression_written_otherwise_is_known() -> None:
    texts = [
        ORCHARD.replace("max(row) >= least", new)
        for new in ("max(row) > least", "(max(row) > (least))", "max(row) < 1")
    ]
    made = compile_together(ORCHARD, [*texts, texts[0]], lambda text: compile(text, "<t>", "exec"), frozenset())
    keys = [m and m[1] for m in made]
    assert keys[0] == keys[1] == keys[3] != keys[2]


def test_two_changes_that_cross_are_not_taken_for_another() -> None:
    lines = ORCHARD.splitlines(keepends=True)
    first = "".join(lines[:7] + lines[8:])  # `found, total = [], 0` and the loop below it, in part and as a whole
    second = "".join([*lines[:7], *lines[-1:]])
    codes, _ = compile_all(ORCHARD, [first, second, first, second])
    for text, code in zip([first, second], codes, strict=False):
        assert code is None or pick(code) == pick(compile(text, "<alone>", "exec"))


class CountingMaker(Maker):
    """Notes each text that it compiles."""

    def compile_text(self, n: int, text: str) -> CodeType | None:
        compiled.append(text)
        return super().compile_text(n, text)


compiled: list[str] = []


def test_single_changes_are_compiled_a_few_dozen_at_a_time() -> None:
    compiled.clear()
    program = Program((Unit(SHELVES, "define", True),), checks=("assert fill([3, 4], 5) == 1",))
    maker = CountingMaker(program, {}, {}, Sight(Result(1, 0)))
    singles = list(itertools.islice(maker.make_singles(), 400))
    together = [c for c in singles if c.key]
    assert len(SHELVES) > SHORT
    assert len(together) > 300
    assert len(compiled) < 150
    kept = together[7]
    shared = kept.codes[0]
    assert maker.compile_kept(kept, {})
    assert kept.codes[0] is not shared
    assert fingerprint(kept.codes[0]) == fingerprint(compile_unit(program, 0, kept.texts[0]))


def test_the_first_of_those_that_do_the_same_is_kept_though_forks_were_given_the_others_ahead() -> None:
    program = Program((Unit(SHELVES, "define", True),), checks=("assert fill([3, 4], 5) == 1",))
    maker = Maker(program, {}, {}, Sight(Result(1, 0)))
    first = next(c for c in itertools.islice(maker.make_singles(), 400) if c.key)
    later = copy.copy(first)
    maker.compile_alone(later)  # as one whose code is its own when it is made
    first.rank, later.rank = 1, 90
    kept: dict[int, int] = {}
    assert maker.compile_kept(first, kept)
    assert not maker.compile_kept(later, kept)
    assert maker.compile_kept(first, kept), "tried again with more time"
