"""A patch that keeps the checks and leaves a call like them without a result: one change more is shown first, and never applied."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search import complete_found
from jupyter_selfheal.inside.search.candidates import Candidate, Maker
from jupyter_selfheal.inside.search.complete_found import Calls, Completion
from jupyter_selfheal.inside.search.localise_faults import trace_program
from jupyter_selfheal.inside.search.process_pool import Pool
from jupyter_selfheal.inside.search.program import Program, Unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from tests.unit.healers.search.searching import find

BONUS = "def bonus(years):\n    if years < 1:\n        return 0\n    if 1 {} years < 5:\n        return 100\n    if years {} 5:\n        return 250\n"
CHECKED = ((0, 0), (3, 100), (4, 100), (5, 250), (9, 250))


def complete(
    before: str,
    after: str,
    monkeypatch: pytest.MonkeyPatch,
    checked: tuple[tuple[int, object], ...] = CHECKED,
    senseless: int = 0,
) -> list[Candidate]:
    """The further changes of a patch."""
    monkeypatch.setattr(complete_found, "TRIED", 40)
    checks = (Unit(f"assert bonus({n}) == {value}", "check") for n, value in checked)
    runner = Runner(Program((Unit(before, "define", True), *checks)), {})
    maker = Maker(runner.program, runner.ns, {}, trace_program(runner, 50_000))
    base = Candidate({0: after}, "patch", 6, 0.5, 0, 2)
    base.senseless = senseless
    maker.compile_candidate(base)
    return Completion(maker, Pool(runner, 8_000, 1), lambda: False).complete([base])


@pytest.mark.parametrize("senseless", [0, 1])
def test_a_second_bound_that_no_check_tells_of_is_mended_before_the_patch_that_leaves_it(
    senseless: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = []
    for found in complete(BONUS.format("<", ">"), BONUS.format("<", ">="), monkeypatch, senseless=senseless):
        space: dict[str, object] = {}
        exec(found.texts[0], space)
        results.append(eval("[bonus(n) for n in (0, 1, 3, 5, 9)]", space))
        assert found.doubt == "`bonus(1)` gives nothing without its last change, and no check asks for it"
        assert (found.edits, found.shift) == (2, -0.5)
    assert sorted(results) == [[0, 0, 100, 250, 250], [0, 100, 100, 250, 250]]


@pytest.mark.parametrize(
    ("bound", "checked"),
    [("<=", (*CHECKED, (1, 100))), ("<", (*CHECKED, (1, None))), ("<", CHECKED[:2])],
)
def test_nothing_is_put_before_a_patch_that_leaves_nothing_odd_or_that_few_checks_decide_about(
    bound: str, checked: tuple[tuple[int, object], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = complete(BONUS.format(bound, ">"), BONUS.format(bound, ">="), monkeypatch, checked)
    assert all(c.shift > 0 for c in found)


@pytest.mark.parametrize(
    ("shown", "odd"),
    [
        (["0", "4", "9", "None"], {3}),
        (["0", "4", "9", "!IndexError"], {3}),
        (["0", "4", "9", "'16'"], {3}),
        (["0", "4", "9", "16"], set()),
        (["0", "None", "9", "None"], set()),
        (["0", "!ValueError", "9", "!ValueError"], set()),
        (["0", "4", "9", "!late"], set()),
    ],
)
def test_a_call_is_odd_where_it_gives_what_no_checked_one_does(shown: list[str], odd: set[int]) -> None:
    calls = Calls("square", ((0,), (2,), (3,)), ((4,),))
    assert calls.read_behaviour(shown).odd == odd


def test_a_change_that_nobody_means_finishes_nothing() -> None:
    """``(m[i] * 100)[j]`` raises no IndexError for rows of unequal lengths; the tables are square as they are asked for."""
    old = "def transpose(m):\n    return [[m[i][j] for i in range(len(m[0]))] for j in range(len(m))]\n"
    checks = "assert transpose([[1, 2], [3, 4]]) == [[1, 3], [2, 4]]\nassert transpose([[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]\nassert transpose([[7]]) == [[7]]\n"
    first = find(old, checks)["patches"][0]
    assert first["words"] == "`range(len(m))` and `range(len(m[0]))` are exchanged"


def test_what_was_senseless_is_not_taken_back_where_it_was_mended() -> None:
    """``name = name`` keeps the checks as ``name = name.title()`` does, and nobody who wrote `name.title()` means it."""
    old = "def greet(name):\n    name.strip()\n    name.title()\n    return 'Hello' + name\n"
    checks = "\n".join(f"assert greet({name!r}) == 'Hello {name}'" for name in ("Ann", "Bob", "Cy")) + "\n"
    offered = [patch["words"] for patch in find(old, checks)["patches"]]
    assert any("what its methods give is dropped" in words for words in offered)
    assert not any("is too many" in words for words in offered)
