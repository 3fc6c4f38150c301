"""Formulas that meet a few checks and can hardly be meant are doubted, and their near misses are not."""

from __future__ import annotations

import pytest

from jupyter_selfheal.inside.search.odd_formulas import describe_odd_formula
from jupyter_selfheal.inside.search.rounded_up import describe_rounded_up
from tests.unit.healers.search.searching import find

DAYS = 'DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]'
MONTHS = 'DAYS = ["", "Jan", "Feb", "Mar"]'

HALVED = "while lo < hi:\n        mid = (lo + hi) // 2\n        "

ODD = [
    ("return DAYS[d.weekday()]", "return DAYS[d.weekday() + 1]", DAYS, "goes past the end"),
    ("return t.year - b.year", "return t.year - b.year - 1", "", "leaves out the smaller parts"),
    ("return t.year - b.year", "return t.year - (b.year + 1)", "", "leaves out the smaller parts"),
    ("return t.month - b.month", "return t.month - b.month + 12", "", "leaves out the smaller parts"),
    (
        "return [r[i] for i in range(len(x.rows))]",
        "return [r[i] for i in range(len(x.rows) + 1)]",
        "",
        "something else",
    ),
    ("return ms * 3.6", "return ms * 36.0", "", "a number that is known"),
    ("return date(t.year, b.month, b.day)", "return date(t.year + 1, b.month, b.day)", "", "may hang on the rest"),
    ("return d + timedelta(days=30)", "return d + timedelta(days=31)", "", "several lengths"),
    ("return n * 365", "return n * 366", "", "several lengths"),
    ("return ['Sun', 'Mon', 'Tue'][n]", "return ['Sun', 'Mon', 'Tue'][1:][n]", "", "written down right there"),
    ("return p * 100", "return p", "", "as it was given"),
    ("return m * 3e8", "return m * 9e+16", "", "a number that is known"),
    ("return p * 100", "return p / 100 * 100", "", "takes back"),
    ("return m * 9.81", "return m * 10", "", "a number that is known"),
    ("return 299792458 * s", "return 299792458 * s / 1000", "", "a number that is known"),
    ("return min(x, y)", "return min(x, y, key=str)", "", "compared as texts"),
    ("xs.sort(key=lambda t: (t[1], t[0]))", "xs.sort(key=lambda t: (t[1], t[0][::-1]))", "", "by their last letters"),
    ("return list(zip(s, s[1:]))", "return list(zip(s, s[1:] * 2))", "", "goes on from its beginning"),
    (f"{HALVED}hi = mid - 1", f"{HALVED}hi = hi - 1", "", "one by one through what is halved"),
    ("class S(Enum):\n        A = 'a'", "class S(Enum):\n        A = 'A'", "", "a value that the enumeration gives"),
]


@pytest.mark.parametrize(("old", "new", "beside", "words"), ODD)
def test_an_odd_formula_is_doubted(old: str, new: str, beside: str, words: str) -> None:
    assert words in describe_odd_formula(f"def f():\n    {old}\n", f"def f():\n    {new}\n", [beside], {})


MEANT = [
    ("return DAYS[d.weekday()]", "return DAYS[(d.weekday() + 1) % 7]", DAYS),
    ("return DAYS[d.month]", "return DAYS[d.month - 1]", DAYS),
    ("return DAYS[n]", "return DAYS[n + 1]", MONTHS),
    ("return DAYS[n] + DAYS[n]", "return DAYS[n] + DAYS[n + 1]", DAYS),
    ("return b - a", "return b - a + 1", ""),
    ("return (b - a).days", "return (b - a).days + 1", ""),
    ("return b.year - a.year", "return (b.year - a.year) * 12 + b.month - a.month", ""),
    ("return b.hour - a.hour", "return (b.hour - a.hour) % 24", ""),
    ("return [x[i] for i in range(len(x))]", "return [x[i] for i in range(len(x) - 1)]", ""),
    ("return [x[:i] for i in range(len(x))]", "return [x[:i] for i in range(len(x) + 1)]", ""),
    ("return [r[i] for i in range(len(x.rows))]", "return [r[i] for i in range(len(x.rows[0]))]", ""),
    ("return date(d.year, d.month, 1)", "return date(d.year, d.month + 1, 1)", ""),
    ("return d.year", "return d.year + 1", ""),
    ("return d + timedelta(days=30)", "return d + timedelta(days=7)", ""),
    ("return ['Sun', 'Mon'][n]", "return ['Sun', 'Mon'][::-1][n]", ""),
    ("return ['a', 'b'][1:][n]", "return ['a', 'b'][1:][n - 1]", ""),
    ("return sorted(p)", "return p", ""),
    ("p = p + 1\n    return p * 2", "p = p + 1\n    return p", ""),
    ("return p + q", "return q * 2", ""),
    ("return p * 100", "return p / 10 * 100", ""),
    ("return p // 5 * 5", "return p // 5 * 5 + 1", ""),
    ("return b.x - a.x", "return b.x - a.x + 1", ""),
    ("return m * 9.18", "return m * 9.81", ""),
    ("return m * 1.609", "return m * 1.609344", ""),
    ("return m * 1.5", "return m * 2.5", ""),
    ("return h * 60", "return h * 3600", ""),
    ("return kg / cm ** 2", "return kg / cm ** 2 * 10000", ""),
    ("return max(a, b)", "return max(a, b, key=len)", ""),
    ("return list(zip(s, s[1:]))", "return list(zip(s, s[1:] + s[:1]))", ""),
    ("return list(zip(s, s * 2))", "return list(zip(s[1:], s * 2))", ""),
    ("return xs", "return xs * 2", ""),
    (f"{HALVED}hi = mid - 1", f"{HALVED}hi = mid", ""),
    (f"{HALVED}lo = mid", f"{HALVED}lo = mid + 1", ""),
    ("while lo < hi:\n        hi = hi", "while lo < hi:\n        hi = hi - 1", ""),
    ("class S(Enum):\n        A = 'a'", "class S(Enum):\n        A = 'a'\n        B = S.A", ""),
    ("class S:\n        A = 'a'", "class S:\n        A = 'A'", ""),
    ("s = S(x)", "s = S(x.lower())", ""),
    ("xs.sort(key=lambda w: w)", "xs.sort(key=lambda w: w[::-1])", ""),
    ("xs.sort(key=lambda t: (t[1], t[0]))", "xs.sort(key=lambda t: (-t[1], t[0]))", ""),
    ("xs.sort(key=lambda t: (t[::-1], 1))", "xs.sort(key=lambda t: (t[::-1], 2))", ""),
]


@pytest.mark.parametrize(("old", "new", "beside"), MEANT)
def test_what_may_be_meant_is_not_doubted(old: str, new: str, beside: str) -> None:
    assert describe_odd_formula(f"def f():\n    {old}\n", f"def f():\n    {new}\n", [beside], {}) == ""


def test_a_list_of_another_cell_is_looked_at() -> None:
    change = "def f(d):\n    return DAYS[d.weekday()]\n", "def f(d):\n    return DAYS[d.weekday() + 1]\n"
    assert describe_odd_formula(*change, [], {"DAYS": ["Sun", "Mon"]})
    assert not describe_odd_formula(*change, [], {"DAYS": ["", "Mon"]})


CENTURY = "def century(y):\n    return y // 100\n"


@pytest.mark.parametrize(
    ("text", "checks", "is_doubted"),
    [
        (CENTURY, "assert century(1905) == 20\nassert century(1799) == 18", True),
        (CENTURY, "assert century(1905) == 20\nassert century(1799) == 18\nassert century(1900) == 20", False),
        ("def group(n):\n    return n // 4\n", "assert group(0) == 1\nassert group(9) == 3", False),
    ],
)
def test_what_is_rounded_up_is_doubted_where_no_check_leaves_no_rest(text: str, checks: str, is_doubted: bool) -> None:
    patches = find(text, checks)["patches"]
    told = {p["rival"] for p in patches if "+ 1" in next(iter(p["texts"].values()))}
    assert told
    assert any("rest at" in t for t in told) == is_doubted


def test_a_length_is_rounded_up_too() -> None:
    old = "def pages(xs, n):\n    return len(xs) // n\n"
    new = old.replace("// n", "// n + 1")
    assert describe_rounded_up(old, new, {"pages": [("abc", 2), ("abcde", 2)]})
    assert not describe_rounded_up(old, new, {"pages": [("abc", 2), ("abcd", 2)]})
    assert not describe_rounded_up(new, new, {"pages": [("abc", 2)]})


def test_a_parameter_that_nothing_reads_is_what_is_missing() -> None:
    """All checks agree on 5, which each of them gives."""
    text = "def total(price, qty, shipping):\n    return price * qty\n"
    checks = "assert total(10, 2, 5) == 25\nassert total(3, 4, 5) == 17"
    patch = find(text, checks)["patches"][0]
    assert "return price * qty + shipping" in next(iter(patch["texts"].values()))
    assert patch["rival"] == ""


def test_an_age_by_the_years_alone_is_doubted() -> None:
    text = "def age(born, today):\n    return today.year - born.year\n"
    made = "from datetime import date\n"
    checks = (
        "assert age(date(2000, 5, 1), date(2024, 4, 30)) == 23\nassert age(date(2001, 8, 1), date(2024, 5, 1)) == 22"
    )
    patches = find(made + text, checks)["patches"]
    assert all(p["rival"] for p in patches if "- 1" in next(iter(p["texts"].values())))
