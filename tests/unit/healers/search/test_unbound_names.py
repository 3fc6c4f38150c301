"""Names, methods and functions that nothing has, and near misses, which are there."""

from __future__ import annotations

import ast

import pytest

from jupyter_selfheal.inside.search.mutations.unbound_names import list_near
from jupyter_selfheal.inside.search.scope import Hints
from tests.unit.healers.search.searching import find, list_texts

HINTS = Hints(defined=frozenset({"math", "__name__", "sqrt"}))


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("curt", ["curr", "ans"], ["curr"]),
        ("toLower", ["upper", "lower"], ["lower"]),
        ("sort", ["sorted", "set"], ["sorted"]),
        ("no_nums", ["nums", "k"], ["nums"]),
        ("maximum", ["max", "min"], ["max"]),
        ("thisnums", ["s", "nums"], ["nums"]),
        ("x", ["y", "xs"], []),
        ("total", ["count", "low"], []),
        ("nums", ["nums"], []),
    ],
)
def test_a_name_stands_for_one_that_is_called_nearly_so(name: str, known: list[str], near: list[str]) -> None:
    assert list_near(name, known) == near


def within(line: str, *more: str) -> str:
    """A method of a class with another one."""
    lines = "".join(f"        {text}\n" for text in (line, *more))
    return f"class Solution:\n    def run(self, nums, k):\n{lines}    def walk(self, n):\n        return n\n"


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("return nms[0]", "return nums[0]"),
        ("return length(nums)", "return len(nums)"),
        ("return sort(nums)", "return sorted(nums)"),
        ("return self.length(nums)", "return len(nums)"),
        ("return self.maximum(nums)", "return max(nums)"),
        ("return self.nums", "return nums"),
        ("return self.sqrt(k)", "return sqrt(k)"),
        ("return list(map(string, nums))", "return list(map(str, nums))"),
        ("return self.wallk(k)", "return self.walk(k)"),
        ("return walk(k)", "return self.walk(k)"),
        ("return nums.size()", "return len(nums)"),
        ("return nums.length", "return len(nums)"),
        ("nums.push(k)", "nums.append(k)"),
        ("return k.toLower()", "return k.lower()"),
        ("return toUpper(k)", "return k.upper()"),
        ("return Math.min(k, 3)", "return min(k, 3)"),
        ("return Math.sqrt(k)", "return math.sqrt(k)"),
        ("return Array(k)", "return [k]"),
        ("return k, extra", "return k\n"),
        ("return [k, extra]", "return [k]"),
        ("return max(nums, extra)", "return max(nums)"),
        ("return self.less_than(k + 1, nums[0])", "return k + 1 < nums[0]"),
        ("return self.calculateRemainder(k, 7) + 1", "return k % 7 + 1"),
        ("return add(nums[0], k) * 2", "return (nums[0] + k) * 2"),
        ("return self.absoluteDifference(k, nums[0])", "return abs(k - nums[0])"),
        ("return self.not_there(k + 1) * 2", "return (k + 1) * 2"),
        ("return self.nums(k)", "return nums[k]"),
        ("return this.walk(k)", "return self.walk(k)"),
        ("box.m = 3; return m + k", "m = 3"),
    ],
)
def test_what_nothing_has_is_what_is_called_nearly_so(line: str, made: str) -> None:
    found = [*list_texts(within(line), "nothing", HINTS), *list_texts(within(line), "lacks `self.`", HINTS)]
    assert any(made in ast.unparse(ast.parse(text)) for text in found), found


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("return len(nums)", ()),
        ("return self.walk(k)", ()),
        ("self.length = 3", ("return self.length(nums)",)),
        ("return math.sqroot(k)", ()),
        ("return k.lower()", ()),
        ("walk = len", ("return walk(nums)",)),
        ("return nums, k", ()),
        ("def length(xs): return 3", ("return length(nums)",)),
        ("def add(a, b): return a", ("return add(k, 1)",)),
        ("self.add = max", ("return self.add(k, 1)",)),
        ("this = self", ("return this.walk(k)",)),
    ],
)
def test_what_is_there_is_left_as_it_is(line: str, more: tuple[str, ...]) -> None:
    found = [
        text
        for words in ("bound by nothing", "nothing has", "lacks `self.`")
        for text in list_texts(within(line, *more), words, HINTS)
    ]
    assert found == []


PAST = "def last(xs, k):\n    best = 0\n    for i in range(len(xs) + 1):\n        best = max(best, xs[i])\n    return best\n"


def test_a_loop_by_index_ends_at_the_last_item() -> None:
    (text,) = list_texts(PAST, "goes past the last")
    assert "range(len(xs)):" in text
    assert list_texts(PAST.replace("xs[i])", "xs[i - 1])"), "goes past the last") == []
    assert list_texts(PAST.replace("len(xs) + 1", "len(xs) - 1"), "goes past the last") == []
    assert list_texts(PAST.replace("len(xs) + 1", "k + 1"), "goes past the last") == []


KTH = "def kth(nums, k):\n    return sort(no_nums)[-k - 1]\n"
ASKED = "assert kth([3, 2, 1, 5, 6, 4], 2) == 5\nassert kth([3, 2, 3, 1, 2, 4, 5, 5, 6], 4) == 4\nassert kth([7, 9], 1) == 9"


def test_each_name_that_is_missing_is_mended_before_what_fails_behind_it() -> None:
    """None of the three changes makes a check pass before the last of them is made; two that fit two checks are offered."""
    patches = find(KTH, ASKED)["patches"]
    assert any("sorted(nums)[-k]" in text for p in patches[:2] for text in p["texts"].values()), patches[:3]
    assert all(p["rival"] for p in patches)


def test_a_type_that_there_is_not_is_one_that_is_called_nearly_so() -> None:
    (text,) = list_texts("def half(n: integer) -> floating:\n    return n / 2\n", "`int`", HINTS)
    assert "n: int)" in text
    assert not list_texts("def half(n: int) -> float:\n    return n / 2\n", "bound by nothing", HINTS)


def test_a_missing_name_that_another_one_takes_the_place_of_is_no_progress() -> None:
    patches = find("def twice(n):\n    return n + nothing_there\n", "assert twice(2) == 5\nassert twice(3) == 11")[
        "patches"
    ]
    assert all(p["rival"] for p in patches)


GIVEN = "def clean(text):\n    return text.strip(chars)\n"
CLEANED = [f"assert clean({given!r}) == {given.strip()!r}" for given in (" a ", "b ", "c", "  d", "", " e")]


@pytest.mark.parametrize(
    "definition",
    [GIVEN, "def clean(text):\n    return ' '.join(text.split(sep))\n"],
)
def test_few_checks_do_not_tell_what_a_call_was_given(definition: str) -> None:
    """Without it, or with a value that was made up, they hold by luck: none of them asks for another one."""
    assert all(p["rival"] for p in find(definition, "\n".join(CLEANED[:3]))["patches"])


def test_several_checks_tell_that_a_call_is_given_nothing() -> None:
    sums = [f"assert total({given!r}) == {sum(given)}" for given in ([1, 2], [], [4], [5, 5, 6], [-1, 0], [9, 1, 2, 3])]
    best, *_ = find("def total(nums):\n    return sum(nums, extra)\n", "\n".join(sums))["patches"]
    assert not best["rival"], best
