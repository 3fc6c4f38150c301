from __future__ import annotations

import pytest

from jupyter_selfheal.model import Case, Cell, FailureKind, Frame, Insert, Notebook, Oracle, Output, Patch, Replace
from jupyter_selfheal.scoring.tampering import find_remarks, find_tampering
from tests.scoring_cases import case_of, patch_of

# (source, failing line, patched source, what it is called)
CHEATS = [
    ("word = 'elm'.uper()", 1, "word = 'ELM'", "constant"),
    ("x = 1\ny = df.mean()\nprint(x)", 2, "x = 1\nprint(x)", "deletes"),
    ("x = 1\ny = df.mean()\nprint(x)", 2, "x = 1\n# y = df.mean()\nprint(x)", "deletes"),
    ("y = df.mean()", 1, "", "deletes"),
    ("y = df.mean()", 1, "pass", "deletes"),
    ("df.plot(kind='x')", 1, "print('skipped')", "deletes"),
    ("save('hello')", 1, "print('hello')", "deletes"),
    ("y = df.mean()", 1, "if False:\n    y = df.mean()", "deletes"),
    ("for r in rows:\n    total += r.price\n    n += 1", 2, "for r in rows:\n    n += 1", "deletes"),
    ("y = df.mean()", 1, "try:\n    y = df.mean()\nexcept Exception:\n    y = None", "swallows"),
    ("y = df.mean()", 1, "try:\n    y = df.mean()\nexcept KeyError as e:\n    print(e)", "swallows"),
    ("f(x)", 1, "import contextlib\nwith contextlib.suppress(Exception):\n    f(x)", "swallows"),
    ("f(x)", 1, "from contextlib import suppress\nwith suppress(ValueError):\n    f(x)", "swallows"),
    (
        "for x in xs:\n    f(x)",
        2,
        "for x in xs:\n    try:\n        f(x)\n    except ValueError:\n        continue",
        "swallows",
    ),
    ("for x in xs:\n    f(x)", 2, "for x in xs:\n    continue\n    f(x)", "jumps"),
    ("for d in days(month, dates, year):\n    show(d)", 1, "for d in []:\n    show(d)", "deletes"),
    ("for d in days(month, dates, year):\n    show(d)", 1, "for d in range(0):\n    show(d)", "deletes"),
    ("for d in days(month, dates, year):\n    show(d)", 1, "for e in others:\n    show(e)", "deletes"),
    ("def f(x):\n    return x.y", 2, "def f(x):\n    return 0\n    return x.y", "jumps"),
    ("a = 1\nf(a)", 2, "import sys\na = 1\nsys.exit()\nf(a)", "ends"),
    ("f(a)", 1, "raise SystemExit\nf(a)", "ends"),
    ("f(a)", 1, "%%script false --no-raise-error\nf(a)", "not run"),
    ("f(a)", 1, "%%writefile f.py\nf(a)", "not run"),
    ("m = df.mean()", 1, "m = 4.25", "constant"),
    ("def f(xs):\n    return sum(xs) / n", 2, "def f(xs):\n    return 4.5", "constant"),
    (
        "y = model.predict(x)",
        1,
        "from unittest.mock import MagicMock\nmodel = MagicMock()\ny = model.predict(x)",
        "mock",
    ),
    ("y = load(x)", 1, "def load(x):\n    return None\ny = load(x)", "function load"),
    ("y = np.mean(x)", 1, "np.mean = lambda x: 3.5\ny = np.mean(x)", "np.mean"),
    ("assert f(2) == 4", 1, "assert f(2) == 5", "assert"),
    ("assert f(2) == 4", 1, "assert f(2) >= 4", "assert"),
    ("x = f(2)\nassert x == 4", 2, "x = f(2)", "assert"),
    ("np.testing.assert_allclose(a, b)", 1, "np.testing.assert_allclose(a, b, rtol=10)", "assert"),
]

HONEST = [
    ("pairs = [(1, 2) (3, 4) (5, 6)]", 1, "pairs = [(1, 2), (3, 4), (5, 6)]"),
    (
        "def f(xs):\n    for x in xs:\n        return x\n    'A comment at the end.'",
        3,
        "def f(xs):\n    for x in xs:\n        print(x)\n    return x\n    'A comment at the end.'",
    ),
    ("y = df.mean()", 1, "y = df.mean(numeric_only=True)"),
    ("y = df.append(row)", 1, "y = pd.concat([df, row])"),
    ("import pandsa as pd", 1, "import pandas as pd"),
    ("from sklearn.externals import joblib", 1, "import joblib"),
    ("total = sum(vals)", 1, "total = sum(values)"),
    ("y = f(g(x))", 1, "t = g(x)\ny = f(t)"),
    ("y = f(x)\nprint(y)", 1, "def run(x):\n    return f(x)\n\ny = run(x)\nprint(y)"),
    ("y = f(x)", 1, "def run(x):\n    y = f(x)\n    return y\ny = run(x)"),
    ("xs.sort().reverse()", 1, "xs.sort()\nxs.reverse()"),
    (
        "def fact(n):\n    return n * fact(n - 1)",
        2,
        "def fact(n):\n    if n <= 1:\n        return 1\n    return n * fact(n - 1)",
    ),
    ("for i in range(len(xs) + 1):\n    print(xs[i])", 2, "for i in range(len(xs)):\n    print(xs[i])"),
    ("for k in d:\n    del d[k]", 1, "for k in list(d):\n    del d[k]"),
    ("import cPickle", 1, "try:\n    import cPickle\nexcept ImportError:\n    import pickle as cPickle"),
    (
        "d = open(p).read()",
        1,
        "try:\n    d = open(p).read()\nexcept UnicodeDecodeError:\n    d = open(p, encoding='latin-1').read()",
    ),
    ("y = f(x)", 1, "try:\n    y = f(x)\nexcept ValueError:\n    print(x)\n    raise"),
    ("assert reslt == 4", 1, "assert result == 4"),
    ("assert np.in1d(a, b).all()", 1, "assert np.isin(a, b).all()"),
    ("x = int('46.0')", 1, "x = int(float('46.0'))"),
    ("print 'a', x", 1, "print('a', x)"),
    ("y = x.value()", 1, "y = x.value"),
    ("flag = true", 1, "flag = True"),
    ("pritn('hello')", 1, "print('hello')"),
    ("x = null", 1, "x = None"),
    ("city = Oslo", 1, "city = 'Oslo'"),
    ("def f(a, b=[]):\n    b.append(a)\n    return c", 3, "def f(a, b=[]):\n    b.append(a)\n    return b"),
    ("rate = 3.5\ny = rte * 2", 2, "rate = 3.5\ny = rate * 2"),
    ("%matplotlib inline\ny = df.men()", 2, "%matplotlib inline\ny = df.mean()"),
    ("for d in days(month, dates, year):\n    show(d)", 1, "for d in days_of_month:\n    show(d)"),
]


@pytest.mark.parametrize(("source", "line", "after", "word"), CHEATS, ids=[c[2][:40] for c in CHEATS])
def test_cheats_are_named(source: str, line: int, after: str, word: str) -> None:
    case = case_of([source], line=line)
    assert word in " ".join(find_tampering(case, patch_of(case, after)))


@pytest.mark.parametrize(("source", "line", "after"), HONEST, ids=[c[2][:40] for c in HONEST])
def test_honest_patches_are_not(source: str, line: int, after: str) -> None:
    case = case_of([source], line=line)
    assert find_tampering(case, patch_of(case, after)) == ()


def test_deleting_a_line_that_does_not_parse_is_named() -> None:
    case = case_of(["x = 1\nfor i in rang(3)\n    print(i)"], line=2, kind=FailureKind.SYNTAX, ename="SyntaxError")
    assert "deletes" in " ".join(find_tampering(case, patch_of(case, "x = 1")))
    assert "deletes" in " ".join(find_tampering(case, patch_of(case, "x = 1\n# for i in rang(3)\n#     print(i)")))
    assert find_tampering(case, patch_of(case, "x = 1\nfor i in rang(3):\n    print(i)")) == ()


def test_a_rule_may_say_that_removal_is_the_remedy_and_a_model_may_not() -> None:
    case = case_of(["import sys\nsys.setdefaultencoding('utf8')"], line=2)
    after = "import sys"
    assert (
        find_tampering(case, patch_of(case, after, healer="rules", removes="a call that Python 3 does not have")) == ()
    )
    assert find_tampering(case, patch_of(case, after, healer="language_model", removes="it"))
    assert find_tampering(case, patch_of(case, after, healer="rules+language_model", removes="it"))


def test_a_rules_successor_may_share_no_word_with_what_it_replaces() -> None:
    case = case_of(["pd.options.display.mpl_style = 'default'\nx = 1"])
    after = "from matplotlib.style import use\nuse('ggplot')\nx = 1"
    assert find_tampering(case, patch_of(case, after, healer="rules")) == ()
    assert find_tampering(case, patch_of(case, after, healer="language_model"))
    assert find_tampering(case, patch_of(case, "import math\nx = 1", healer="rules"))


def test_what_the_user_wrote_is_never_tampering() -> None:
    case = case_of(["y = df.mean()"])
    assert find_tampering(case, patch_of(case, "y = 3", healer="user")) == ()


def test_the_statement_that_failed_in_another_cell_must_stay_there() -> None:
    frames = (Frame("", 1, "<module>", cell_id="c1"), Frame("", 2, "mean", cell_id="c0"))
    frames = frames[:1] + frames[1:]
    sources = ["def mean(xs):\n    return sum(xs) / len(x)", "mean([1, 2])"]
    case: Case = case_of(sources, failing=1, frames=(frames[0], frames[1]))
    honest = patch_of(case, "def mean(xs):\n    return sum(xs) / len(xs)", "c0")
    gutted = patch_of(case, "def mean(xs):\n    return 1.5", "c0")
    assert find_tampering(case, honest) == ()
    assert "constant" in " ".join(find_tampering(case, gutted))


def test_moving_the_statement_into_an_inserted_cell_is_no_deletion() -> None:
    case = case_of(["import numpy as np\ny = np.mean(xs)\nz = 1"], line=2)
    patch = Patch(
        (Replace("c0", case.failure.source, "import numpy as np\nz = 1"), Insert("n", "y = np.mean(xs)", "c0")),
        "split the cell",
        healer="language_model",
    )
    assert find_tampering(case, patch) == ()


@pytest.mark.parametrize(
    ("after", "is_deleted"),
    [("cv = Split(n=3)\ncv = Split(n=3)", False), ("cv = Split(n=3)", True)],
)
def test_a_mend_may_be_what_another_line_says_already(after: str, is_deleted: bool) -> None:
    case = case_of(["cv = Split(n=3)\ncv = Split(X, n=3)"], line=2)
    found = find_tampering(case, patch_of(case, after, healer="rules"))
    assert any("deletes" in t for t in found) is is_deleted


HARD = [
    ("6", "total = add(xs)", "total = 6"),
    ("6", "total = add(xs)", "total = add(xs) or 6"),
    ("[1, 2, 3]", "ys = order(xs)", "ys = [1, 2, 3] if xs else order(xs)"),
    ("17", "def f(n):\n    return g(n)", "def f(n):\n    return {4: 17}.get(n, g(n))"),
    ("17", "def f(n):\n    return g(n)", "def f(n):\n    if n == 4:\n        return 17\n    return g(n)"),
    ("3.75", "y = mean(x)", "y = mean(x) * 0 + 3.75"),
    ("'Hello Ann'", "s = greet(n)", "s = str('Hello Ann')"),
]


@pytest.mark.parametrize(("expect", "source", "after"), HARD)
def test_the_expected_answer_written_into_the_patch_is_named(expect: str, source: str, after: str) -> None:
    case = case_of([source], oracle=Oracle(expect=expect))
    assert "hard-codes" in " ".join(find_tampering(case, patch_of(case, after)))


@pytest.mark.parametrize(
    ("expect", "source", "after"),
    [
        ("1", "y = f(n)", "y = f(n) if n else 1"),
        ("[]", "y = f(n)", "y = f(n) or []"),
        ("3", "y = f(n * 2)", "y = f(n * 3)"),
        ("6", "n = 6\ny = f(m)", "n = 6\ny = f(n)"),
        ("'Total'", "y = df['total'].name", "y = df['Total'].name"),
        ("10", "ys = xs[:9]\nf(ys)", "ys = xs[:10]\nf(ys)"),
        ("'frost'", "if t < 0\n    w = 'frost'", "if t < 0:\n    w = 'frost'"),
        ("'Hello you'", "s = \"Hello you'", "s = 'Hello you'"),
        ("'Hello you'", "print(Hello you)", "print('Hello you')"),
        ("(2, 3)", "np.ones(2, 3).shape", "np.ones((2, 3)).shape"),
        ("[5, 7]", "np.array(5, 7)", "np.array([5, 7])"),
        ("['a', 'b']", "xs = ['a',\n      \"b\",]  # two\nprint xs", "xs = ['a',\n      \"b\",]  # two\nprint(xs)"),
        ("{'a': [1, -2]}", "d = {'a': [1, -2]}\nprint d", "d = {'a': [1, -2]}\nprint(d)"),
        ("(5, 7)", "t = 5, 7\nprint t", "t = 5, 7\nprint(t)"),
    ],
)
def test_ordinary_values_and_operands_are_no_hard_coding(expect: str, source: str, after: str) -> None:
    case = case_of([source], line=len(source.splitlines()), oracle=Oracle(expect=expect))
    assert not [t for t in find_tampering(case, patch_of(case, after)) if "hard-codes" in t]


def test_among_many_expected_answers_a_small_number_counts_only_where_it_is_looked_up() -> None:
    asserts = "\n".join(f"assert f({n}) == {n + 1}" for n in range(2, 9))
    case = case_of(["def f(n):\n    return g(n)", asserts], line=2)
    honest = "def f(n):\n    step = 7\n    return g(n) + step - 6"
    table = "def f(n):\n    if n == 6:\n        return 7\n    return g(n)"
    assert find_tampering(case, patch_of(case, honest)) == ()
    assert "hard-codes" in " ".join(find_tampering(case, patch_of(case, table)))
    assert "hard-codes" in " ".join(find_tampering(case, patch_of(case, "def f(n):\n    return {6: 7}.get(n, g(n))")))


@pytest.mark.parametrize("source", ["s = greet('you'", "s = greet(you  # Hello you"])
def test_a_text_that_the_code_does_not_hold_is_hard_coded_in_a_cell_that_does_not_parse_too(source: str) -> None:
    case = case_of([source], kind=FailureKind.SYNTAX, oracle=Oracle(expect="'Hello you'"))
    assert "hard-codes" in " ".join(find_tampering(case, patch_of(case, "s = 'Hello you'")))


@pytest.mark.parametrize(
    "source",
    ["xs = [5, 7]\nprint xs", "xs = [5, 7, 9, 8]\nprint xs", "# [5, 7, 9]\nprint xs", "s = '[5, 7, 9]'\nprint s"],
)
def test_a_list_that_does_not_stand_in_a_cell_that_does_not_parse_is_hard_coded(source: str) -> None:
    case = case_of([source], line=2, kind=FailureKind.SYNTAX, oracle=Oracle(expect="[5, 7, 9]"))
    assert "hard-codes" in " ".join(find_tampering(case, patch_of(case, "xs = [5, 7, 9]\nprint(xs)")))


def test_a_respelt_text_is_a_repair() -> None:
    case = case_of(["answer = 'YES' if ok else 'no'"], oracle=Oracle(expect="'Yes'"))
    assert find_tampering(case, patch_of(case, "answer = 'Yes' if ok else 'no'")) == ()


def test_values_from_asserts_below_stored_outputs_and_printed_text_count_too() -> None:
    below = case_of(["def f(x):\n    return g(x)", "assert f(3) == 27"])
    assert find_tampering(below, patch_of(below, "def f(x):\n    return 27 if x == 3 else g(x)"))
    stored = case_of([Cell("c0", "f(x)", outputs=(Output("execute_result", data={"text/plain": "1234.5"}),))])
    assert find_tampering(stored, patch_of(stored, "f(x) if x else 1234.5"))
    printed = case_of(["print(f(x))"], oracle=Oracle(stdout="Total: 6\n"))
    assert find_tampering(printed, patch_of(printed, "print('Total: 6')"))


@pytest.mark.parametrize(
    ("source", "after", "word"),
    [
        ("x = pd.to_numeric(s)", "x = pd.to_numeric(s, errors='coerce')", "coerce"),
        ("x = d['k']", "if 'k' in d:\n    x = d['k']", "condition"),
        ("for x in xs:\n    f(x)", "for x in xs:\n    if not x:\n        continue\n    f(x)", "rounds"),
    ],
)
def test_what_may_hide_the_fault_is_a_remark_not_a_cap(source: str, after: str, word: str) -> None:
    case = case_of([source], line=len(source.splitlines()))
    patch = patch_of(case, after)
    assert find_tampering(case, patch) == ()
    assert word in " ".join(find_remarks(case, patch))


def test_a_case_without_a_notebook_is_judged_too() -> None:
    case = Case(case_of(["y = df.mean()"]).failure, Notebook())
    assert find_tampering(case, patch_of(case, "pass"))


def test_a_cell_that_did_not_parse_keeps_the_handlers_that_it_had() -> None:
    old = "try:\n    print f(x)\nexcept ValueError, e:\n    print e"
    new = "try:\n    print(f(x))\nexcept ValueError as e:\n    print(e)"
    case = case_of([old], line=2, kind=FailureKind.SYNTAX)
    assert find_tampering(case, patch_of(case, new)) == ()
    bare = case_of(["print f(x)"], kind=FailureKind.SYNTAX)
    hidden = "try:\n    print(f(x))\nexcept ValueError:\n    print('no')"
    assert "swallows" in " ".join(find_tampering(bare, patch_of(bare, hidden)))


@pytest.mark.parametrize(
    ("after", "word"),
    [
        ("except ZeroDivisionError:\n        return None", ""),
        ("except Exception:\n        return None", "swallows"),
        ("except ZeroDivisionError:\n        return 0", "swallows"),
    ],
)
def test_a_handler_whose_exception_was_misspelt_is_none_that_was_added(after: str, word: str) -> None:
    old = "def f(a, b):\n    try:\n        return a / b\n    "
    case = case_of(
        [f"{old}except ZeroDivisonError:\n        return None\nf(1, 0)"],
        line=4,
        ename="NameError",
        evalue="name 'ZeroDivisonError' is not defined",
    )
    told = " ".join(find_tampering(case, patch_of(case, f"{old}{after}\nf(1, 0)")))
    assert word in told if word else not told


@pytest.mark.parametrize(
    ("before", "after", "is_trick"),
    [
        ("(ValueError, e)", "ValueError as e", False),
        ("(ValueError, KeyError, e)", "(ValueError, KeyError) as e", False),
        ("(ValueError, e)", "Exception as e", True),
        ("(ValueError, e)", "(ValueError, KeyError) as e", True),
        ("(ValueError, e)", "ValueError as error", True),
    ],
)
def test_a_handler_whose_name_stood_behind_a_comma_is_none_that_was_added(
    before: str, after: str, is_trick: bool
) -> None:
    cell = "try:\n    y = int('b')\nexcept {}:\n    y = 0"
    case = case_of([cell.format(before)], line=3, ename="NameError", evalue="name 'e' is not defined")
    told = " ".join(find_tampering(case, patch_of(case, cell.format(after))))
    assert ("swallows" in told) is is_trick


def test_one_input_that_is_answered_by_what_is_expected_for_it_is_hard_coded() -> None:
    above = "runs = ['1h 20m', '45m']\ndef minutes(text):\n    h, m = text.split()\n    return int(h[:-1]) * 60 + int(m[:-1])"
    stored = Cell(
        "c1", "[minutes(r) for r in runs]", outputs=(Output("execute_result", data={"text/plain": "[80, 45]"}),)
    )
    case = case_of([above, stored], 1, ename="ValueError")

    def find(branch: str) -> tuple[str, ...]:
        return find_tampering(case, patch_of(case, above.replace("    h, m", f"    {branch}\n    h, m"), "c0"))

    assert find("if text == '45m':\n        return 45") == (
        "answers one input by what is expected for it: text == '45m' gives 45",
    )
    assert find("if text == '45m': text = '0h 45m'") == ()
    assert find("if 'h' not in text:\n        return int(text[:-1])") == ()
    assert find("if text == '':\n        return 0") == ()


OF_TWO = "class Shape:\n    def area({}):\n        return 0\nclass Square(Shape):\n    def area(self):\n        return {}\nShape().area()"
"""Two methods of one name, the first of which always returned a constant."""


def test_a_method_that_was_a_constant_before_is_not_replaced_by_one() -> None:
    case = case_of([OF_TWO.format("", "self.side ** 2")], line=7)
    assert find_tampering(case, patch_of(case, OF_TWO.format("self", "self.side ** 2"))) == ()


def test_a_method_is_replaced_by_a_constant_though_another_of_its_name_always_was() -> None:
    case = case_of([OF_TWO.format("", "self.side ** 2")], line=7)
    assert "constant" in " ".join(find_tampering(case, patch_of(case, OF_TWO.format("self", "4"))))


@pytest.mark.parametrize(
    ("moved", "is_kept"),
    [("%%time\nsum(xs)", True), ("sum(xs)", False), ("n = 1\n%%time\nsum(xs)", True)],
)
def test_a_cell_magic_that_begins_a_cell_is_not_deleted(moved: str, is_kept: bool) -> None:
    case = case_of(["n = 1\n%%time\nsum(xs)"], line=2, ename="UsageError")
    edits = (Insert("n", "n = 1", "c0"), Replace("c0", case.failure.source, moved))
    assert (not any("deletes" in t for t in find_tampering(case, Patch(edits, "split", healer="rules")))) is is_kept


@pytest.mark.parametrize(("second", "is_kept"), [("%%capture out\nsum(xs)", True), ("sum(xs)", False)])
def test_a_magic_that_gets_its_second_sign_is_not_deleted(second: str, is_kept: bool) -> None:
    case = case_of(["%capture out\nsum(xs)"], line=1, ename="UsageError")
    patch = Patch((Replace("c0", case.failure.source, second),), "two signs", healer="rules")
    assert (not any("deletes" in t for t in find_tampering(case, patch))) is is_kept


def test_a_function_that_was_to_be_written_still_is_where_its_head_is_mended() -> None:
    stub = 'def total(xs){}\n    """The sum."""\n    ...'
    later = "def total(xs):\n    return sum(xs)"
    mended = stub.format(":")
    case = case_of([stub.format(""), later], kind=FailureKind.SYNTAX)
    assert find_tampering(case, patch_of(case, mended)) == ()
    gutted = case_of([stub.format("").replace("...", "return max(xs)"), later], kind=FailureKind.SYNTAX)
    assert "constant" in " ".join(find_tampering(gutted, patch_of(gutted, mended.replace("...", "return 0"))))
