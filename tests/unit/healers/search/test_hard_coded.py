"""An answer that is written down, and a number that is only reckoned with."""

from __future__ import annotations

from jupyter_selfheal.inside.search.program import Program, Unit, hard_codes


def test_expected_literals_are_known_as_hard_coded() -> None:
    program = Program((Unit("assert f(2) == [42, 7]", "check"),), expect="'yes'")
    assert hard_codes(program, ["return 42"], ["return 41"])
    assert hard_codes(program, ["return 'yes'"], ["return x"])
    assert not hard_codes(program, ["return 1"], ["return x"])


def test_a_number_that_is_reckoned_with_is_no_answer_where_two_are_expected() -> None:
    two = Program((Unit("assert off(100, 20) == 80", "check"), Unit("assert off(50, 10) == 45", "check")))
    old = ["return a - a * p"]
    assert not hard_codes(two, ["return a - a * (p / 100)"], old)
    assert hard_codes(two, ["return 80 if p else a * p / 100"], old)
    assert hard_codes(two, ["if a == 100:\n    return a / 100"], old), "it asks for the argument of a check"
    assert hard_codes(two, ["return 40 + 40 if a / 80 else 80"], old)
    same = Program((Unit("assert off(100, 20) == 80", "check"), Unit("assert off(160, 50) == 80", "check")))
    assert hard_codes(same, ["return a * 0 + 80"], old)
