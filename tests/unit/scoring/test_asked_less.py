"""An assert that stands is asked as often as before; what a function relies on is no test of it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Case, Frame, Patch
from jupyter_selfheal.scoring.asked_less import list_places
from jupyter_selfheal.scoring.dodges import find_dodge
from jupyter_selfheal.scoring.tampering import find_tampering
from tests.scoring_cases import case_of, patch_of

LESS = "asks an assert less often than before"
SEARCH = """def search(xs, t):
    lo, hi = 0, len(xs) - 1
    while lo < hi:
        mid = (lo + hi) // 2
        assert 0 <= mid < len(xs)
        if xs[mid] == t:
            return mid
        if xs[mid] < t:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1"""
SIGN = """def sign(n):
    if n > 0:
        name = 'pos'
    elif n < -0.5:
        name = 'neg'
    else:
        assert False, n
    return name.title()"""
SHIFT = """def shift(xs):
    out = []
    for x in xs:
        if x > 2:
            assert x < 90
            out.append(x - 1)
    return out"""
CONTRACTS = {"a loop": (SEARCH, "lo < hi", "lo <= hi"), "a branch": (SIGN, "n < -0.5", "n <= 0"), "an item": (SHIFT, "x > 2", "x > 1")}  # fmt: skip
CALLS = {SEARCH: "assert search([1, 2], 2) == 1", SIGN: "assert sign(-0.2) == 'Neg'", SHIFT: "assert shift([2]) == [1]"}


def mend(definition: str, was: str, now: str, call: str, line: int = 0, healer: str = "agent") -> tuple[Case, Patch]:
    """The failing cell calls what is defined above; ``line`` of the definition failed, or the call's own assert."""
    frames = [Frame("", 1, "<module>", cell_id="c1"), *([Frame("", line, "f", cell_id="c0")] if line else [])]
    case = case_of([definition, call, "def ask(x):\n    return x"], 1, ename="AssertionError", frames=tuple(frames))
    return case, patch_of(case, definition.replace(was, now), "c0", healer=healer)


@pytest.mark.parametrize("healer", ["agent", "search", "rules"])
@pytest.mark.parametrize("title", CONTRACTS)
def test_a_condition_of_a_function_is_mended_whatever_it_relies_on(title: str, healer: str) -> None:
    definition, was, now = CONTRACTS[title]
    case, patch = mend(definition, was, now, CALLS[definition], healer=healer)
    assert find_tampering(case, patch) == ()
    assert find_dodge(case, patch, ()) == ""


@pytest.mark.parametrize("title", CONTRACTS)
def test_where_that_is_what_failed_a_strangers_patch_is_offered_and_a_guess_is_none(title: str) -> None:
    definition, was, now = CONTRACTS[title]
    line = next(n for n, text in enumerate(definition.splitlines(), 1) if "assert" in text)
    case, patch = mend(definition, was, now, CALLS[definition], line)
    assert find_tampering(case, patch) == ()
    assert "is asked, which failed" in find_dodge(case, patch, ())
    assert LESS in find_tampering(*mend(definition, was, now, CALLS[definition], line, healer="search"))


def test_a_jump_before_a_contract_that_failed_is_doubted() -> None:
    now = "        if mid == 1:\n            continue\n        assert 0"
    case, patch = mend(SEARCH, "        assert 0", now, CALLS[SEARCH], 5)
    assert "is asked, which failed" in find_dodge(case, patch, ())


TESTING = {
    "a test by its name": "def check(cases):\n    n = 0\n    for x in cases:\n        if x > 2:\n            assert x < 90\n            n += 1\n    return n",
    "it gives nothing": "def run(cases):\n    n = 0\n    for x in cases:\n        if x > 2:\n            assert x < 90\n            n += 1",
    "it asks what the notebook makes": "def run(cases):\n    n = 0\n    for x in cases:\n        if x > 2:\n            assert ask(x) < 90\n            n += 1\n    return n",
    "it asks what it is given": "def run(cases, f):\n    n = 0\n    for x in cases:\n        if x > 2:\n            y = f(x)\n            assert y < 90\n            n += 1\n    return n",
    "only an assert": "def run(x):\n    if x > 2:\n        assert x < 90\n    return x + 0",
    "of the cell": "for x in cases:\n    if x > 2:\n        assert x < 90\n        y = x",
}


@pytest.mark.parametrize("title", TESTING)
def test_a_condition_around_a_test_is_not_changed(title: str) -> None:
    case, patch = mend(TESTING[title], "x > 2", "x > 9", "y = 3\nassert y == 4")
    assert LESS in find_tampering(case, patch)


@pytest.mark.parametrize(
    ("was", "now", "less"),
    [
        ("if rows:\n    assert n == 1", "if rows:\n    pass\nelse:\n    assert n == 1", True),
        ("if rows.szie:\n    assert n == 1", "if rows.size:\n    assert n == 1", False),
        ("if rows.szie > 1:\n    assert n == 1", "if rows.size > 3:\n    assert n == 1", True),
        ("if rows:\n    assert n == 1", "if rows:\n    n = 1\n    assert n == 1", False),
    ],
    ids=["in the other branch", "a slip of spelling", "a slip and more", "the same condition"],
)
def test_a_cells_own_condition(was: str, now: str, less: bool) -> None:
    case = case_of([was], ename="AttributeError")
    assert (LESS in find_tampering(case, patch_of(case, now))) is less


def test_a_long_chain_of_conditions_with_asserts_is_read_without_recursion() -> None:
    """Deeper than Python recurses within the chain: each `elif` stands in the `else` of the one before."""
    links = "".join(f"    elif n == {k}:\n        assert n != {k + 1}\n" for k in range(1, 600))
    chain = f"def name(n):\n    if n == 0:\n        assert n < 1\n{links}    return str(n)"
    case, _ = mend(chain, "str(n)", "str(n).strip()", "assert name(3) == '3'")
    places = list_places(case, [chain], of_items=True)
    assert len(places) == 600
    assert not any(place.is_contract for place in places)


@pytest.mark.parametrize(
    ("now", "less"),
    [
        ("if int('3') > 2:", False),
        ("if 3 > 2:", False),
        ("if float('3') > 2:", False),
        ("if '3' > str(2):", True),
        ("if '3' > '2':", True),
        ("if '3' > 2.0:", True),
        ("if 3 > '2':", True),
        ("if int('3') > 5:", True),
        ("if False:", True),
        ("if isinstance('3', int) and '3' > 2:", True),
        ("if int('3') < 2:", True),
    ],
)
def test_a_condition_that_raised_may_convert_what_it_compares(now: str, less: bool) -> None:
    cells = ["x = 6", "if '3' > 2:\n    assert x == 6"]
    case = case_of(cells, 1, ename="TypeError", evalue="'>' not supported between instances of 'str' and 'int'")
    patch = patch_of(case, cells[1].replace("if '3' > 2:", now), healer="agent")
    assert (LESS in find_tampering(case, patch)) is less
    passed = case_of(cells, 1, line=2, ename="NameError", evalue="name 'x' is not defined")
    assert LESS in find_tampering(passed, patch), "the condition is not what failed"


@pytest.mark.parametrize(
    ("was", "now", "less"),
    [
        ("n > 2", "int(n) > 2", False),
        ("n > 2", "n > '2'", True),  # of '10' that is not so
        ("n > 2", "str(n) > str(2)", True),
        ("str(n) > 2", "n > 2", False),
        ("str(n) > 2", "int(n) > 2", False),
        ("int(n) > '2'", "int(n) > 2", False),
        ("int(n) > '2'", "n > '2'", True),
        ("n + 1 == 3", "int(n) + 1 == 3", False),
        ("n + '1' == 3", "n + 1 == '3'", False),
        ("2 in n", "str(2) in n", False),
        ("2 not in n", "'2' not in n", False),
        ("2 in n and n > 3", "str(2) in n and n > '3'", True),
        ("2 in n and n > 3", "'2' in n and int(n) > 3", False),
        ("len(n) < 2", "len(str(n)) < 2", True),
    ],
)
def test_a_condition_is_converted_towards_numbers_or_of_what_is_equal(was: str, now: str, less: bool) -> None:
    cells = ["n = '10'", f"if {was}:\n    assert n == 6"]
    case = case_of(cells, 1, ename="TypeError", evalue="not supported between instances of 'str' and 'int'")
    patch = patch_of(case, cells[1].replace(f"if {was}:", f"if {now}:"), healer="agent")
    assert (LESS in find_tampering(case, patch)) is less
