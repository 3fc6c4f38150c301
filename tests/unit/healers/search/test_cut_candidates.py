"""Which candidates that were cut are tried again with more steps."""

from __future__ import annotations

from jupyter_selfheal.inside.search.candidates import Candidate
from jupyter_selfheal.inside.search.cut_candidates import FINISHED, choose_unfinished, select_promising
from jupyter_selfheal.inside.search.run_result import Result

BASE = Result(failed=4, passed=2, mask=0b000011)


def cut(rank: int, weight: float, passed: int, failed: int, loops: int, mask: int = 0b000011) -> Candidate:
    result = Result(failed, passed, "time", mask, cut=loops)
    return Candidate({}, "", 1, weight, 0, 1, result=result, rank=rank, given=8000)


def test_a_likely_one_whose_first_checks_take_long_is_among_them() -> None:
    many = [cut(n, 0.1, 4, 4, 4) for n in range(1, 60)]
    likely = cut(90, 0.6, 3, 4, 4)
    late = [*many, likely]
    chosen = choose_unfinished(late, BASE, 8000, 0)[0]
    assert likely in chosen
    assert len(chosen) <= FINISHED


def test_a_change_that_mends_some_checks_and_loses_none_is_among_them() -> None:
    gaining = cut(7, 0.6, 3, 3, 2, mask=0b000111)
    losing = cut(8, 0.7, 3, 3, 2, mask=0b011100)
    chosen = choose_unfinished([gaining, losing], BASE, 8000, 0)[0]
    assert chosen == [gaining]


def test_what_had_all_the_steps_there_are_is_not_tried_again() -> None:
    done = cut(3, 0.9, 5, 1, 1)
    done.given = 15_000_000
    assert choose_unfinished([done], BASE, 8000, 0)[0] == []


def test_one_of_which_nothing_but_what_was_cut_fails_is_promising_however_much_was_cut() -> None:
    all_cut, beaten = cut(1, 0.5, 2, 4, 4), cut(2, 0.5, 2, 4, 1)
    assert select_promising([all_cut, beaten], 10, counts_all=True, is_one=False) == [all_cut]


def test_early_few_are_tried_again_single_edits_first_and_none_to_its_end() -> None:
    late = [cut(n, 0.6, 4, 4, 4) for n in range(1, 20)]
    several, single = cut(30, 0.9, 5, 3, 3), cut(31, 0.5, 5, 3, 3)
    several.edits = 2
    chosen, steps = choose_unfinished([several, single, *late], BASE, 8000, 0, 8)
    assert chosen[:2] == [single, several]
    assert len(chosen) <= 9
    assert steps == 80_000
    assert [choose_unfinished(late, BASE, 8000, n)[1] for n in (1, 2)] == [800_000, 15_000_000]
