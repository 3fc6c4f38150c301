"""A number that a formula lacks, or has wrong: what all checks agree on is put in, and nothing where they do not, or one alone says so."""

from __future__ import annotations

import pytest

from tests.unit.healers.search.searching import find

FOUND = [
    ("return c * 9 / 5", (("f(100)", "212"), ("f(0)", "32")), "return c * 9 / 5 + 32"),
    ("return c * 9 / 5 + 30", (("f(100)", "212"), ("f(0)", "32")), "return c * 9 / 5 + 32"),
    ("return c - 270", (("f(300)", "26.75"), ("f(0)", "-273.25")), "return c - 273.25"),
    ("return 9.8 * c ** 2 / 2", (("f(1)", "4.905"), ("f(2)", "19.62")), "return 9.81 * c ** 2 / 2"),
    ("return c / 36", (("f(9)", "2.5"), ("f(36)", "10")), "return c / 3.6"),
    ("return -c", (("f(1)", "7"), ("f(3)", "5")), "return -c + 8"),
]


@pytest.mark.parametrize(("body", "checks", "wanted"), FOUND)
@pytest.mark.parametrize(
    "form", ["assert {} == {}", "assert abs({} - {}) < 1e-9", "import math\nassert math.isclose({}, {})"]
)
def test_a_number_that_checks_agree_on_is_put_in(
    body: str, checks: tuple[tuple[str, str], ...], wanted: str, form: str
) -> None:
    patches = find(f"def f(c):\n    {body}\n", "\n".join(form.format(*check) for check in checks))["patches"]
    assert wanted in next(iter(patches[0]["texts"].values()))


LEFT = [
    ("def f(c):\n    return c * 9 / 5\n", "assert f(100) == 212"),
    ("def f(c):\n    return c * 9 / 5\n", "assert f(100) == 212\nassert f(0) == 31"),
    ("def f(c):\n    return c * 9 / 5\n", "assert f(100) == 212\nassert f(100.0) == 212"),
    ("def f(s):\n    return s.count('a')\n", "assert f('banana') == 9\nassert f('a') == 7"),
    ("def f(c):\n    if c > 50:\n        return c\n    return c * 2\n", "assert f(100) == 132\nassert f(0) == 32"),
    ("def f(w, h):\n    return w * h\n", "assert f(2, 3) == 20\nassert f(1, 4) == 18"),
    ("def f(a, k):\n    return a * 10 + k * 10\n", "assert f(2, 1) == 25\nassert f(1, 1) == 15\nassert f(3, 1) == 35"),
    ("def f(c):\n    return c * 100\n", "assert f(1.5) == 1.5\nassert f(2.5) == 2.5"),
    ("def f(c):\n    return c * 0.2\n", "assert f(10000) == 0\nassert f(20000) == 2000\nassert f(30000) == 4000"),
    ("def f(c):\n    return c + 32\n", "assert f(1) == 1\nassert f(2) == 2"),
    ("rate = 2\ndef f(c):\n    return c * rate\n", "assert f(100) == 1234.56789\nassert f(0) == 1034.56789"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "checks"), LEFT)
def test_nothing_is_put_in_where_nothing_is_agreed_on(text: str, checks: str) -> None:
    assert [p["words"] for p in find(text, checks)["patches"] if "every number" in p["words"]] == []


SEVERAL = [
    ("return w * h", (("2, 3", "11"), ("1, 4", "9"), ("5, 5", "30")), "return w * h + 5"),
    ("return w - h", (("7, 3", "5"), ("9, 4", "6")), "return w - h + 1"),
    ("return w / h", (("80, 200", "4000"), ("90, 150", "6000")), "return w / h * 10000"),
]


@pytest.mark.parametrize(("body", "checks", "wanted"), SEVERAL)
def test_of_several_parameters_checks_with_all_of_them_otherwise_tell(
    body: str, checks: tuple[tuple[str, str], ...], wanted: str
) -> None:
    asserts = "\n".join(f"assert f({given}) == {value}" for given, value in checks)
    patches = find(f"def f(w, h):\n    {body}\n", asserts)["patches"]
    assert wanted in next(iter(patches[0]["texts"].values()))
