"""A condition around what reads an attribute that nothing has is no mend, whoever writes it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.scoring.tampering import find_tampering
from tests.scoring_cases import case_of, patch_of

JAR = "class Jar:\n    def __init__(self):\n        self.n = 0\n    def add(self, k):\n        {}self.check(){}\n        self.n += k\nj = Jar()\nj.add(2)"
MISSING = "'Jar' object has no attribute 'check'"
GUARD = "if {}:\n            "


def _find(before: str, after: str, line: int, evalue: str) -> str:
    case = case_of([before], 0, line, ename="AttributeError", evalue=evalue)
    return " ".join(find_tampering(case, patch_of(case, after)))


@pytest.mark.parametrize("guard", ["k < 0", "hasattr(self, 'check')", "not self.n"])
def test_what_nothing_has_is_not_put_under_a_condition(guard: str) -> None:
    assert "keeps from running" in _find(JAR.format("", ""), JAR.format(GUARD.format(guard), ""), 5, MISSING)


def test_a_number_has_no_such_method() -> None:
    before, after = "s = 3\ns.normalise()\nprint(s)", "s = 3\nif s < 0:\n    s.normalise()\nprint(s)"
    assert "keeps from running" in _find(before, after, 2, "'int' object has no attribute 'normalise'")


@pytest.mark.parametrize(
    ("before", "after", "line", "evalue"),
    [
        ("m = f()\nm.group()", "m = f()\nif m:\n    m.group()", 2, "'NoneType' object has no attribute 'group'"),
        (
            "x = 3\nx.upper()",
            "x = 3\nif isinstance(x, str):\n    x.upper()",
            2,
            "'int' object has no attribute 'upper'",
        ),
        (
            JAR.format("", "\n    def open(self):\n        self.check = print"),
            JAR.format(GUARD.format("k < 0"), "\n    def open(self):\n        self.check = print"),
            5,
            MISSING,
        ),
        (
            JAR.format("", "").replace("Jar:", "Jar(Base):"),
            JAR.format(GUARD.format("k < 0"), "").replace("Jar:", "Jar(Base):"),
            5,
            MISSING,
        ),
        ("t = soup.p\nt.rows()", "t = soup.p\nif t.name:\n    t.rows()", 2, "'Tag' object has no attribute 'rows'"),
    ],
    ids=["of None", "texts have it", "set elsewhere", "a base not seen", "a library's"],
)
def test_near_misses_may_be_asked_first(before: str, after: str, line: int, evalue: str) -> None:
    assert "keeps from running" not in _find(before, after, line, evalue)
