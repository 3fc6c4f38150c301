"""A handler whose error's name was wrong may be given the right one, and no more than that."""

from __future__ import annotations

import pytest

from jupyter_selfheal.scoring.documented_handlers import are_handlers_retyped
from tests.scoring_cases import case_of, patch_of

TRY = """def f(d, p):
    try:
        return d[p]
    except {error}:
        {then}
"""


def is_retyped(now: str, then: str = "return None", was: str = "KeyError") -> bool:
    before, after = (TRY.format(error=error, then=then) for error in (was, now))
    case = case_of([before, "f([], 0)"], 1, ename="IndexError")
    return are_handlers_retyped(case, patch_of(case, after, "c0"))


@pytest.mark.parametrize("then", ["return None", "d = 0", "raise ValueError(p)", "print(p)\n        return 0"])
def test_the_errors_name_alone_may_be_another_one(then: str) -> None:
    assert is_retyped("IndexError", then=then)


@pytest.mark.parametrize("now", ["(KeyError, IndexError)", "(IndexError, KeyError)"])
def test_what_was_caught_may_be_caught_still(now: str) -> None:
    assert is_retyped(now)


@pytest.mark.parametrize("then", ["print(d)", "pass", "return", "d.clear()"])
def test_a_body_that_gives_no_value_says_nothing(then: str) -> None:
    assert not is_retyped("IndexError", then=then)


@pytest.mark.parametrize(
    ("now", "was"),
    [
        ("Exception", "KeyError"),
        ("(KeyError, Exception)", "KeyError"),
        ("(TypeError, IndexError)", "KeyError"),
        ("(KeyError, IndexError, TypeError)", "KeyError"),
        ("IndexError", "(KeyError, TypeError)"),
        ("errors.Missing", "KeyError"),
    ],
)
def test_more_than_one_errors_name_is_no_slip(now: str, was: str) -> None:
    assert not is_retyped(now, was=was)
