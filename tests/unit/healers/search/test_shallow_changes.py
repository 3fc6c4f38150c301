"""Changes that meet a check whatever is wrong are only offered."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.idle_loops import find_fewer_rounds
from jupyter_selfheal.inside.search.shallow_changes import describe_shallow_change, turns_condition
from tests.unit.healers.search.searching import find

TURNED = "one truth value is met by whatever is turned around"
ORDER = "what is printed is only put in another order"
DECLARED = "what a decorator declares is meant as it stands"
PART = "a part of both sides is equal more often than they are"
SPLIT = "`'\\n'` no longer says where to split, and each space does"
FROZEN = "@dataclass(frozen=True)\nclass P:\n    x: int"


EARLY = (
    "def f(xs):\n    for x in xs:\n        if x:\n            return True\n        else:\n            return False\n"
)
PILED = "def f(xs):\n    pile = []\n    for x in xs:\n        pile.append(x)\n    if pile:\n        pass"
SHADED = "def f(rows):\n    {}\n    out[0] = 1\n    return out"
BELOW = "def f(xs):\n    for x in xs:\n        if x:\n            return True\n    return False\n"
"""What is returned too early belongs below the loop: neither value is turned around."""
TILL = "class Till:\n    def __init__(self, sum):\n        self.sum = sum\n    def pay(self, n):\n        if n > self.sum:\n            return False\n        self.log.append(n)\n        return True\n"
LOGGED = TILL.replace("= sum\n", "= sum\n        self.log = []\n")
"""What is returned stands one place further behind a statement that is put in."""


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        ("print('banana' in 'nan')", "print('banana' not in 'nan')", TURNED),
        ("def f(n):\n    return n % 2 == 1", "def f(n):\n    return n % 2 != 1", TURNED),
        ("def f(n):\n    return True", "def f(n):\n    return False", TURNED),
        (EARLY, BELOW, ""),
        (EARLY, BELOW.replace("True", "False"), TURNED),
        (TILL, LOGGED, ""),
        ("ok = is_valid(x)", "ok = not is_valid(x)", TURNED),
        ("ok = sorted(a) == sorted(b)", "ok = sorted(a)[-1] == sorted(b)[-1]", PART),
        ("ok = a == b", "ok = len(a) == len(b)", PART),
        ("ok = a[0] == b[0]", "ok = a[-1] == b[-1]", ""),
        ("ok = a == b", "ok = a[0] == b", ""),
        ("for l in t.split('\\n'):\n    f(l)", "for l in t.split():\n    f(l)", SPLIT),
        ("xs = [float(x) for x in t.split(',')]", "xs = [float(x) for x in t.split()]", SPLIT.replace("\\n", ",")),
        ("xs = [w[0] for w in t.split(' ')]", "xs = [w[0] for w in t.split()]", ""),
        ("for l in t.split('\\n'):\n    f(l)", "for l in t.split('\\n')[1:]:\n    f(l)", ""),
        ("for l in t.split('\\n'):\n    f(l)", "for l in t.strip().split('\\n'):\n    f(l)", ""),
        ("full = ages.fillna(0)", "full = ages", "`full` is then `ages` under another name"),
        ("full = ages.fillna(0)", "full = ages.dropna()", ""),
        ("ages = ages.fillna(0)", "ages = ages", ""),
        ("full = fill(ages)", "full = ages", ""),
        ("last = g['v'].last()", "last = g['v'].first()", "`last` says `last` by its name"),
        ("max_age = ages.max()", "max_age = ages.min()", "`max_age` says `max` by its name"),
        ("max_age = ages.min()", "max_age = ages.max()", ""),
        ("total = sum(xs)", "total = max(xs)", ""),
        ("last = rows.last()", "last = rows.sort().last()", ""),
        ("ok = a == b", "ok = sorted(a) == sorted(b)", ""),
        ("print(f(7), f(9), f(1))", "print(f(1), f(9), f(7))", ORDER),
        (FROZEN, FROZEN.replace("True", "False"), DECLARED),
        ("if is_big(y, xs):\n    z = 1", "if xs:\n    z = 1", "`is_big(y, xs)` is no longer asked"),
        ("if is_big():\n    z = 1", "if is_big:\n    z = 1", ""),
        ("if is_big(y, xs):\n    z = 1", "if is_big(xs, xs):\n    z = 1", ""),
        ("print('banana' in 'nan')", "print('nan' in 'banana')", ""),
        (
            "n = len(xs)",
            "n = len(xs[::2])",
            "`len(xs[::2])` counts some of the items, and may meet a few numbers by chance",
        ),
        ("n = len(xs[::2])", "n = len(xs[::2]) - 1", ""),
        ("n = len(xs)", "n = len(xs[1:])", ""),
        ("n = sum(xs)", "n = sum(xs[::2])", ""),
        ("h = s // 3600\nm = s // 60", "h = s // 3600\nm = s // 3600", "`m` is then worked out as `h` is"),
        ("h = s // 3600\nm = s // 60", "h = s // 3600\nm = s % 3600 // 60", ""),
        (
            PILED,
            PILED.replace("    if pile:\n        pass", "        if pile:\n            yield pile"),
            "`pile` is handed out and then changed",
        ),
        (PILED, PILED.replace("        pass", "        yield pile"), ""),
        (
            PILED,
            PILED.replace("pile.append(x)", "pile.append(x)\n        out.append(pile)"),
            "`pile` is handed out and then changed",
        ),
        (PILED, PILED.replace("pile.append(x)", "pile.append(x)\n        out.append(x)"), ""),
        (
            PILED,
            PILED.replace(
                "pile.append(x)", "pile.append(x)\n        if x:\n            yield pile\n            pile = []"
            ),
            "",
        ),
        (PILED, PILED.replace("pile.append(x)", "pile = [x]\n        pile.append(x)\n        yield pile"), ""),
        (
            PILED,
            PILED.replace(
                "pile.append(x)", "pile.append(x)\n        if x:\n            yield pile\n            return"
            ),
            "",
        ),
        (SHADED, SHADED.format("out = rows"), "`out` is then what it was given as `rows`, and is changed"),
        (SHADED, SHADED.format("out = rows.copy()"), ""),
        (SHADED, SHADED.format("out = shade"), ""),
        ("def f(rows):\n    {}\n    return out[0]", "def f(rows):\n    out = rows\n    return out[0]", ""),
        ("low = xs[0]\nhigh = xs[1]", "low = xs[0]\nhigh = xs[0]", ""),
        ("if s:\n    h = s - 1\nelse:\n    m = s", "if s:\n    h = s - 1\nelse:\n    m = s - 1", ""),
        ("a = n + 1\nb = n + 1\nc = n", "a = n + 1\nb = n + 1\nc = n * 2", ""),
        ("a = 1 + roll()\nb = roll()", "a = 1 + roll()\nb = 1 + roll()", ""),
        ("print(a < b)", "print(a <= b)", ""),
        ("if a in b:\n    c = 1", "if a not in b:\n    c = 1", ""),
        ("print(a, b)", "print(a, c)", ""),
        (
            "if i % 3 != 0:\n    z = 1",
            "if i % 3 - i != 0:\n    z = 1",
            "with `i` something else is compared than a number",
        ),
        (
            "if i % 3 != 0:\n    z = 1",
            "if i % 3 % i != 0:\n    z = 1",
            "with `i` something else is compared than a number",
        ),
        ("if i % 3 != 0:\n    z = 1", "if i % 3 - 1 != 0:\n    z = 1", ""),
        ("if len(xs) > 0:\n    z = 1", "if len(xs) - k > 0:\n    z = 1", ""),
        ("if n != 0:\n    z = 1", "if m != 0:\n    z = 1", ""),
        ("if n == 0:\n    z = 1", "if n % k == 0:\n    z = 1", ""),
        ("if owed == 0:\n    z = 1", "if owed - paid == 0:\n    z = 1", ""),
    ],
)
def test_what_meets_any_check_is_doubted(old: str, new: str, doubt: str) -> None:
    assert describe_shallow_change(old, new, 1) == doubt


@pytest.mark.parametrize(
    ("old", "new"),
    [("mean = xs.mean()", "mean = nanmean(xs)"), ("last_index = s.index(c)", "last_index = s.rindex(c)")],
)
def test_a_name_does_not_speak_against_another_kind_of_what_it_says(old: str, new: str) -> None:
    assert describe_shallow_change(old, new, 1) == ""


def test_a_truth_that_two_checks_missed_may_be_turned() -> None:
    assert describe_shallow_change("x = a in b", "x = a not in b", 2) == ""


def test_one_truth_value_applies_no_turned_condition() -> None:
    reply = find("def has(text, part):\n    return text in part", "assert has('banana', 'nan')")
    turned = [p for p in reply["patches"] if any("not in" in text for text in p["texts"].values())]
    assert turned
    assert all(p["rival"] for p in turned)


def test_what_does_the_same_as_a_turned_truth_value_is_doubted_as_it_is() -> None:
    twice = "def comes_twice(names):\n    for n in range(len(names)):\n        if names[n] in names[:n]:\n            return True\n        else:\n            return True"
    reply = find(twice, "assert comes_twice(['ann', 'bob']) == False")
    cluster = next(p["cluster"] for p in reply["patches"] if p["rival"] == TURNED)
    alike = [p for p in reply["patches"] if p["cluster"] == cluster]
    assert len(alike) > 1
    assert all(p["rival"] for p in alike)


def test_words_of_two_cases_are_made_alike_inside_of_both_calls() -> None:
    reply = find(
        "def anagram(a, b):\n    return sorted(a) == sorted(b)",
        "assert anagram('Listen', 'Silent')\nassert not anagram('abc', 'abd')",
    )
    texts = [text for p in reply["patches"][:2] for text in p["texts"].values()]
    assert any("sorted(a.lower()) == sorted(b.lower())" in text for text in texts)
    parts = [p for p in reply["patches"] if any("[-1]" in text for text in p["texts"].values())]
    assert all(p["rival"] for p in parts)


def test_the_key_of_the_largest_value_is_asked_for_by_the_value() -> None:
    reply = find("votes = {'ann': 3, 'bob': 7, 'cy': 5}\nwinner = max(votes)", "assert winner == 'bob'")
    assert "max(votes, key=votes.get)" in reply["patches"][0]["words"]


@pytest.mark.parametrize(
    ("old", "new", "rounds"),
    [
        ("ts = [make() for _ in range(n)]", "ts = [make() for _ in range(n - seed)]", "range(n - seed)"),
        ("for _ in range(n):\n    make()", "for _ in range(n - 1):\n    make()", "range(n - 1)"),
        ("ts = [xs[i] for i in range(n + 1)]", "ts = [xs[i] for i in range(n)]", ""),
        ("ts = [make(n) for _ in range(n)]", "ts = [make(k) for _ in range(n)]", ""),
        ("ts = [make() for _ in range(n)]", "ts = []", ""),
        ("for _ in range(n / 2):\n    make()", "for _ in range(n // 2):\n    make()", ""),
        ("for _ in range(xs):\n    make()", "for _ in range(len(xs)):\n    make()", ""),
        ("for line in open(a):\n    n += 1", "for line in open(b):\n    n += 1", ""),
    ],
)
def test_another_number_of_equal_rounds_mends_nothing_that_raised(old: str, new: str, rounds: str) -> None:
    assert find_fewer_rounds(old, new) == rounds


LOCK = "def opens(code, key):\n    if code {} key:\n        return {}\n    return False\n"
OPENED = "assert opens(7, 7) == {0}\nassert opens(3, 8) == False\n"


@pytest.mark.parametrize(
    ("given", "more", "is_doubted"),
    [
        ("True", "", True),
        ("True", "assert opens(5, 5) == True\n", False),
        ("'yes'", "", False),
    ],
)
def test_a_condition_that_is_turned_round_for_a_few_truth_values_is_doubted(
    given: str, more: str, is_doubted: bool
) -> None:
    patches = find(LOCK.format("!=", given), OPENED.format(given) + more)["patches"]
    best = next(p for p in patches if p["words"] == "`!=` should be `==`")
    assert ("truth values" in best["rival"]) is is_doubted


def test_the_opposite_of_one_comparison_turns_a_condition() -> None:
    told = LOCK.format("<", "1")
    assert [turns_condition(told, LOCK.format(way, "1")) for way in (">", ">=", "<=", "!=")] == [
        True,
        True,
        False,
        False,
    ]
    assert not turns_condition(told, told.replace("code <", "key >"))


@pytest.mark.parametrize(
    ("new", "mended", "is_said"),
    [("not left", 1, True), ("left", 1, True), ("not left", 2, False), ("len(left) > 2", 1, False)],
)
def test_whether_something_is_left_in_place_of_a_plain_answer(new: str, mended: int, is_said: bool) -> None:
    told = "def covers(left, stock):\n    for part in stock:\n        if part not in left:\n            return {}\n    return True\n"
    doubt = describe_shallow_change(told.format("False"), told.format(new), mended)
    assert bool(doubt) is is_said


@pytest.mark.parametrize(
    ("old", "new", "is_said"),
    [
        ("oldest = max(ages) + 1", "oldest = int(max(ages)) + 1", True),
        ("is_over = min(ages) > 3", "is_over = float(min(ages)) > 3", True),
        ("oldest = max(ages) + 1", "oldest = max(map(int, ages)) + 1", False),
        ("steps = list(range(max(ages)))", "steps = list(range(int(max(ages))))", False),
        ("oldest = int(max(ages)) + one", "oldest = int(max(ages)) + 1", False),
        ("oldest = max(ages, key=int) + 1", "oldest = int(max(ages, key=int)) + 1", False),
    ],
)
def test_the_largest_of_texts_is_not_the_largest_number(old: str, new: str, is_said: bool) -> None:
    assert ("among texts" in describe_shallow_change(old, new, 1)) is is_said
