"""Edits that make a cell pass and are wrong, and right ones, written by hand: of the former none is applied, the latter are applied or offered."""

from __future__ import annotations

import ast
import contextlib
import tomllib
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.model import BASELINE, Case, Cell, Failure, Frame, Notebook, Patch, Replace, Verdict
from jupyter_selfheal.scoring.asked_less import _read_header, find_asked_less
from jupyter_selfheal.scoring.dodges import find_dodge
from jupyter_selfheal.scoring.edited_data import find_edited_data
from jupyter_selfheal.scoring.free_choices import count_choices, count_named_values
from jupyter_selfheal.scoring.measures import is_measure
from jupyter_selfheal.scoring.scorer import EvidenceScorer
from jupyter_selfheal.scoring.tampering import find_tampering
from tests.scoring_cases import case_of, patch_of, try_patch
from tests.work import count_calls

DODGES: list[dict[str, Any]] = tomllib.loads((Path(__file__).parents[2] / "recorded" / "dodges.toml").read_text())[
    "case"
]


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to run in; filters of warnings, NumPy's errors, and what the edits replace in modules are put back."""
    import numpy

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(numpy, "allclose", numpy.allclose)
    monkeypatch.setattr(warnings, "warn", warnings.warn)
    with warnings.catch_warnings(), numpy.errstate():
        yield tmp_path


def build_case(raw: dict[str, Any]) -> Case:
    """The case, with the failure that its cell really has."""
    at, space = raw["failing"] - 1, dict[str, Any]()
    for number, source in enumerate(raw["cells"][:at]):
        exec(compile(source, f"<c{number}>", "exec"), space)
    try:
        exec(compile(raw["cells"][at], f"<c{at}>", "exec"), space)
    except Exception as error:
        name, text, seen = type(error).__name__, str(error), traceback.extract_tb(error.__traceback__)
    else:
        raise AssertionError("the cell must fail")
    own = [f for f in seen if f.filename.startswith("<c")]
    frames = tuple(Frame("", f.lineno or 0, f.name, cell_id=f.filename.strip("<>")) for f in own)
    cells = [Cell(f"c{n}", source) for n, source in enumerate(raw["cells"])]
    cells[at:at] = [Cell("text", raw["text"], kind="markdown")] if "text" in raw else []
    failure = Failure(f"c{at}", raw["cells"][at], ename=name, evalue=text, line=frames[0].line, frames=frames)
    return Case(failure, Notebook(tuple(cells)))


def judge(raw: dict[str, Any], case: Case, edit: list[list[Any]]) -> Verdict:
    edits = tuple(Replace(f"c{n - 1}", raw["cells"][n - 1], new) for n, new in edit)
    patch, scorer = Patch(edits, "an agent's", healer="agent"), EvidenceScorer()
    tried = [(patch, try_patch(case, patch, scorer))]
    return scorer.judge(case, try_patch(case, BASELINE), tried, ()).verdicts[0]


def is_right(raw: dict[str, Any], edit: list[list[Any]]) -> bool:
    space: dict[str, Any] = {}
    new = dict(edit)
    for number, source in enumerate(raw["cells"], 1):
        exec(new.get(number, source), space)
    return bool(eval(raw["truth"], space))


@pytest.mark.parametrize("raw", DODGES, ids=[raw["name"] for raw in DODGES])
def test_no_dodge_is_applied_and_what_is_right_is_applied_or_offered(raw: dict[str, Any], at_home: Path) -> None:
    pytest.importorskip("pandas" if "pandas" in raw["cells"][0] else "numpy")
    for name, text in raw.get("files", {}).items():
        (at_home / name).parent.mkdir(exist_ok=True)
        (at_home / name).write_text(text)
    case = build_case(raw)
    for edit in raw.get("wrong", ()):
        with contextlib.suppress(SystemExit, KeyboardInterrupt):
            assert judge(raw, case, edit).score < 7, edit
    for edit in raw.get("right", ()):
        verdict = judge(raw, case, edit)
        assert verdict.score >= 6, (edit, verdict)
        assert verdict.plausible
        assert is_right(raw, edit), edit


ABOVE = "from math import isclose\nWANT = {'a': 1}\nrows = ['a']\ncosts = {'tea': 3, 'pie': 4}\nTOP = 9"


def patched(
    before: str, after: str, below: str = "", ename: str = "KeyError", evalue: str = "", inside: str = ""
) -> tuple[Case, Patch]:
    frames = (Frame("", 1, inside, cell_id="c1"),) if inside else ()
    case = case_of([ABOVE, before, *([below] if below else [])], 1, ename=ename, evalue=evalue, frames=frames)
    return case, patch_of(case, after)


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        ("def close(a, b):\n    return a - b < 1e-9\nx = f()", "def close(a, b):\n    return a - b < 9\nx = g()", {"below": "assert close(x, 1)"}),
        ("x = area()", "isclose = max\nx = area2()", {"below": "assert isclose(x, 1)"}),
        ("got = {}\nfor r in rows:\n    got[r] += 1", "got = dict(WANT)", {"below": "assert got == WANT"}),
        ("x = 3 / 2\nassert x == 1", "x = round(3 / 2)\nassert x == 1", {"ename": "AssertionError"}),
        ("x = 3 / 2\nassert x == 1", "x = int(3 / 2)\nassert x == 1", {"ename": "AssertionError"}),
        ("def total(xs):\n    return sum(xs)\nx = total(rows)", "def total(xs):\n    return LIMIT\nx = total(rows)", {"below": "LIMIT = 9\nassert x == LIMIT", "ename": "AssertionError"}),
        ("x = sum(rows)", "x = max(LIMIT, 0)", {"below": "LIMIT = 9\nassert x == LIMIT", "ename": "AssertionError"}),
        ("x = sum(rows)", "x = LIMIT + 0", {"below": "LIMIT = 9\nassert x == LIMIT", "ename": "AssertionError"}),
        ("got = {}\nfor r in rows:\n    got[r] += 1", "got: dict = dict(NEED)", {"below": "NEED: dict = {'a': 1}\nassert got == NEED"}),
        ("r = a / b", "with np.errstate(all='ignore'):\n    r = a / b", {"ename": "FloatingPointError"}),
        ("x = pd.to_numeric(s)", "x = pd.to_numeric(s, errors='coerce')", {"ename": "ValueError"}),
    ],
)  # fmt: skip
def test_what_makes_an_assert_say_nothing_is_doubted(before: str, after: str, more: dict[str, str]) -> None:
    case, patch = patched(before, after, **more)
    remarks = ['adds errors="coerce"'] if "coerce" in after else []
    assert find_dodge(case, patch, remarks)
    assert not find_dodge(case, patch_of(case, after, healer="rules"), remarks)


@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        ("def close(a, b):\n    return a - c < 1e-9\nx = close(1, 2)", "def close(a, b):\n    return a - b < 1e-9\nx = close(1, 2)", {"below": "assert not close(x, 1)", "ename": "NameError", "inside": "close"}),
        ("from numpy import alclose\nx = 1", "from numpy import allclose\nx = 1", {"below": "assert allclose(x, 1)"}),
        ("def near(a):\n    return a\nx = f()", "def near(a):\n    return a + 0\nx = g()", {"below": "assert near(x)"}),
        ("got = {}\nfor r in rows:\n    got[r] += WANT[r]", "got = {}\nfor r in rows:\n    got[r] = WANT[r]", {"below": "assert got == WANT"}),
        ("def closest(xs, n):\n    return min(xs)", "def closest(xs, n):\n    return min(xs, key=lambda x: abs(x - n))", {"below": "assert closest([1, 5, 9], 4) == 5", "ename": "AssertionError"}),
        ("got = dict(WNAT)", "got = dict(WANT)", {"below": "assert got == WANT", "ename": "NameError"}),
        ("got = f()", "got = f(rows)", {"below": "assert len(got) == len(rows)"}),
        ("got = [rows[i:i + 3] for i in range(0, 9, 3)]", "got = [rows[i:i + SIZE] for i in range(0, 9, SIZE)]", {"below": "SIZE = 2\nassert len(got[0]) == SIZE"}),
        ("def clamp(x):\n    return x", "def clamp(x):\n    return min(x, LIMIT)", {"below": "LIMIT = 9\nassert clamp(12) == LIMIT", "ename": "AssertionError"}),
        ("x = min(y, limit)", "x = min(y, LIMIT)", {"below": "LIMIT = 9\nassert x == LIMIT"}),
        ("x = round(3 / 2, 1)\nassert x == 1", "x = round(2 / 2, 1)\nassert x == 1", {"ename": "AssertionError"}),
        ("x = 3 / '2'", "x = round(3 / int('2'))", {"ename": "TypeError"}),
        ("ids = ['1']\nassert ids == [1]", "ids = [int(i) for i in ['1']]\nassert ids == [1]", {"ename": "AssertionError"}),
        ("# a reading that is missing becomes NaN\nx = pd.to_numeric(s)", "# a reading that is missing becomes NaN\nx = pd.to_numeric(s, errors='coerce')", {"ename": "ValueError"}),
        ("with np.errstate(all='ignore'):\n    r = a / b", "with np.errstate(all='ignore'):\n    r = a / c", {"ename": "FloatingPointError"}),
    ],
    ids=["it failed itself", "it was misspelt", "no measure", "read before", "it is asked itself", "a misspelt name", "of its length", "a size", "a bound", "a name in small letters", "rounded before", "nothing was asserted", "a conversion", "as is said", "allowed before"],
)  # fmt: skip
def test_what_leaves_an_assert_its_word_is_not_doubted(before: str, after: str, more: dict[str, str]) -> None:
    case, patch = patched(before, after, **more)
    assert find_dodge(case, patch, ['adds errors="coerce"'] if "coerce" in after else []) == ""


@pytest.mark.parametrize(
    ("before", "after", "ename", "trick"),
    [
        ("x = old()", "warnings.simplefilter('ignore')\nx = old()", "FutureWarning", "silences"),
        ("warnings.simplefilter('error')\nx = old()", "x = old()", "FutureWarning", "silences"),
        ("x = old()", "warnings.warn = print\nx = old()", "UserWarning", "silences"),
        ("t = a.merge(b, validate='one_to_one')", "t = a.merge(b)", "MergeError", "turns the check `validate='one_to_one'` off"),
        ("t = concat(xs, verify_integrity=True)", "t = concat(xs, verify_integrity=False)", "ValueError", "turns the check"),
        ("t = list(zip(a, b, strict=True))", "t = list(zip(a, b))", "ValueError", "turns the check"),
        ("x = len(rows)\nassert x == 2", "def len(x):\n    return x.size + 2\nx = len(rows)\nassert x == 2", "TypeError", "replaces `len`"),
        ("for r in rows:\n    assert f(r) == 1", "for r in rows[1:]:\n    assert f(r) == 1", "AssertionError", "less often"),
        ("for r in rows:\n    assert f(r) == 1", "for r in rows:\n    if r != 'a':\n        assert f(r) == 1", "AssertionError", "less often"),
        ("for r in rows:\n    assert f(r) == 1", "for r in rows:\n    if r == 'a':\n        continue\n    assert f(r) == 1", "AssertionError", "less often"),
        ("for r, w in rows:\n    assert f(r) == w", "for r, w in rows:\n    w = f(r)\n    assert f(r) == w", "AssertionError", "less often"),
    ],
)  # fmt: skip
def test_tricks_that_are_named(before: str, after: str, ename: str, trick: str) -> None:
    case, patch = patched(before, after, ename=ename)
    assert trick in " ".join(find_tampering(case, patch))


@pytest.mark.parametrize(
    ("before", "after", "ename"),
    [
        ("x = old()", "x = new()", "FutureWarning"),
        ("t = a.merge(b, validate='one_to_one')", "t = a.drop_duplicates('k').merge(b, validate='one_to_one')", "MergeError"),
        ("t = list(zip(a, b, strict=True))", "t = list(zip(a, b))", "TypeError"),
        ("t = concat(xs, verify_integrity=False)", "t = concat(xs)", "ValueError"),
        ("warnings.simplefilter('ignore')\nx = old()", "warnings.simplefilter('ignore')\nx = new()", "FutureWarning"),
        ("x = f(1)", "warnings.simplefilter('ignore')\nx = f('1')", "TypeError"),
        ("x = len(rows)", "def size(x):\n    return len(x) + 0\nx = size(rows)", "TypeError"),
        ("x = total(rows)", "def total(xs):\n    sum = 0\n    for x in xs:\n        sum += x\n    return sum\nx = total(rows)", "NameError"),
        ("x = filter(rows)", "from jq import filter as take\nx = take(rows)", "TypeError"),
        ("for r in rows:\n    assert f(r) == 1", "def f(r):\n    return 1 * r\nfor r in rows:\n    assert f(r) == 1", "AssertionError"),
        ("for r in row:\n    assert f(r) == 1", "for r in rows:\n    assert f(r) == 1", "NameError"),
        ("sum = 5\nx = sum([1])", "from builtins import sum\nx = sum([1])", "TypeError"),
        ("sum = 5\nx = sum([1])", "import builtins\nsum = builtins.sum\nx = sum([1])", "TypeError"),
        ("x = f(1)\nif rows:\n    assert x == 1", "x = f(2)\nif rows:\n    assert x == 1", "TypeError"),
    ],
)  # fmt: skip
def test_what_is_no_trick(before: str, after: str, ename: str) -> None:
    assert find_tampering(*patched(before, after, ename=ename)) == ()


@pytest.mark.parametrize(
    ("before", "after", "choices"),
    [
        ("bill = find('x') + 1", "bill = (find('x') or 3) + 1", 1),
        ("x = costs['y']", "x = costs.get('y', 7)", 1),
        ("x = [float(t) for t in rows]", "x = [float(t.replace('n/a', '13.2')) for t in rows]", 1),
        ("x = f(n)\nassert x == 4\nassert f(1) == 6", "x = (4, 6, 8)[n]\nassert x == 4\nassert f(1) == 6", 3),
        ("x = f(n)\nassert x == 4\nassert f(1) == 6", "x = sum((1, 5, 10)[m] for m in n)\nassert x == 4\nassert f(1) == 6", 0),
        ("x = rows[i + 1]", "x = rows[min(i + 1, len(rows) - 1)]", 1),
        ("x = rows[i + 1]", "x = rows[(i + 1) % len(rows)]", 1),
        ("x: int = costs['y']", "x: int = costs.get('y', 7)", 1),
        ("x = f(n)\nassert x == 4\nassert f(1) == 6", "known: tuple = (4, 6, 8)\nx = known[n]\nassert x == 4\nassert f(1) == 6", 3),
        ("x = y\nassert f(1) == TOP", "x = min(y, TOP)\nassert f(1) == TOP", 1),
        ("n = {}\nn['a'] += 1", "n = {}\nn['a'] = n.get('a', 0) + 1", 0),
        ("n = {}\nn['a'] += 1", "n = {}\nn['a']: int = n.get('a', 0) + 1", 0),
        ("x = costs.get('y', 7)", "x = costs.get('z', 7)", 0),
        ("x = t.replace(',', '.')", "x = t.replace(',', '')", 0),
        ("x = find() or None", "x = find('a') or None", 0),
        ("x = max(lo, v)", "x = max(lo, min(v, hi))", 0),
        ("x = rows[0]", "x = rows[-1]", 0),
    ],
)  # fmt: skip
def test_a_value_in_place_of_a_missing_one_is_a_choice(before: str, after: str, choices: int) -> None:
    assert count_choices(*patched(before, after)) == choices


@pytest.mark.parametrize(
    ("after", "name"),
    [
        ("rows.remove('a')\nx = f(rows)", "rows"),
        ("del costs['tea']\nx = f(costs)", "costs"),
        ("costs['bun'] = 2\nx = f(costs)", "costs"),
        ("rows = [r for r in rows if r]\nx = f(rows)", ""),
        ("costs['bun'] = reckon()\nx = f(costs)", ""),
        ("mine = [1]\nmine.remove(1)\nx = f(mine)", ""),
        ("rows: list = []\nx = f(rows)", ""),
    ],
)
def test_data_that_a_patch_cuts_are_named(after: str, name: str) -> None:
    assert find_edited_data(*patched("x = f(rows)", after)) == name


@pytest.mark.parametrize(
    ("after", "doubted"),
    [
        ("x = total([1, 2, 2])\nassert x == 5", True),
        ("x = total([1, 2]) + 2\nassert x == 5", True),
        ("def total(xs):\n    return sum(xs) + 2\nx = total([1, 2])\nassert x == 5", False),
        ("y = 3\nx = total([1, 2])\nassert x == 5", False),
    ],
)
def test_a_call_is_not_asked_otherwise_for_its_assert_to_hold(after: str, doubted: bool) -> None:
    cells = ["def total(xs):\n    return sum(xs)", "x = total([1, 2])\nassert x == 5"]
    case = case_of(cells, 1, ename="AssertionError")
    assert bool(find_dodge(case, patch_of(case, after), ())) is doubted
    assert not find_dodge(case, patch_of(case, cells[0].replace("sum(xs)", "sum(xs) + 2"), "c0"), ())
    own = case_of([cells[0], "x = sum([1, 2])\nassert x == 5"], 1, ename="AssertionError")
    assert not find_dodge(own, patch_of(own, "x = sum([1, 2, 2])\nassert x == 5"), ())


@pytest.mark.parametrize(("name", "asks"), [("isclose", True), ("assertAlmostEqual", True), ("array_equal", True), ("allclose", True), ("same_items", True), ("closest", False), ("equalise", False), ("close_to_home", True), ("disclosed", False)])  # fmt: skip
def test_a_measure_is_told_by_the_words_of_its_name(name: str, asks: bool) -> None:
    assert is_measure(name) is asks


def test_what_is_closest_names_no_value_of_its_arguments() -> None:
    asked = list(ast.walk(ast.parse("assert closest(xs, 4) in (5, 9)")))
    assert count_named_values(asked) == count_named_values(ast.walk(ast.parse("assert nearest(xs, 4) in (5, 9)")))


def test_each_block_around_asserts_is_read_once() -> None:
    branches = "".join(f"elif x == {n}:\n    assert y == {n}\n" for n in range(50))
    text = f"if x < 0:\n    assert y == -1\n{branches}"
    case = case_of([text], ename="AssertionError")
    calls = count_calls(lambda: find_asked_less(case, [text], [text]), of=_read_header.__code__)
    assert 51 <= calls <= 2 * 51, "of equal texts one tree may be kept"
    assert find_asked_less(case, [text], [text.replace("x == 49", "x == 48")])
