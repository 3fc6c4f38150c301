"""Which patches of a Python 2 cell are, by their trees, the same program, and what their other outputs cost."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.syntax_python2 import Python2Syntax
from jupyter_selfheal.model import Applicability, Cell, Output
from jupyter_selfheal.scoring.comparison import Comparison, Match
from jupyter_selfheal.scoring.evidence import Evidence
from jupyter_selfheal.scoring.output_cost import SAME_PROGRAM
from jupyter_selfheal.scoring.read_evidence import read_evidence
from jupyter_selfheal.scoring.same_program import find_same_programs, is_renamed, is_respelt
from jupyter_selfheal.scoring.verdict import build_verdict
from jupyter_selfheal.source.python2 import SYNTAX, refactor
from tests.scoring_cases import case_of, patch_of, try_patch

FIT = "import numpy as np\nfrom sklearn.svm import SVC\nX = np.ones((4, 2))\nclf = SVC().fit(X, [0, 1, 0, 1])"


def holds(above: str, old: str, new: str = "") -> bool:
    """Whether the cell, as a patch of Python 2's syntax alone makes it, is found to be the same program."""
    case = case_of([above, old], failing=1, ename="SyntaxError")
    patch = patch_of(case, new or refactor(old, SYNTAX) or "", healer="rules", applicability=Applicability.SAFE)
    return find_same_programs(case, patch) == {"c1"}


@pytest.mark.parametrize(
    "cell",
    [
        "print clf.score(X, y)",
        "print 'score', clf.score(X, y)",
        "for n in range(3):\n    print n, clf.predict(X[n:])",
        "print `clf`, 1 <> 2",
        "try:\n    print clf.predict(X)\nexcept ValueError, e:\n    raise TypeError, 'no'",
        "print X.mean() / 2.0, np.sqrt(3) / 4",
        "print [x * 2 for x in X], clf.n_iter_",
        "%matplotlib inline\nprint clf",
        "print clf.get_params({'deep': 1})",
        "print sorted(zip(X, X)), X.values, clf",
        "squares = [x * x for x in X]\nfor x in X:\n    print x",
    ],
)
def test_what_only_writes_python_2_anew_is_the_same_program(cell: str) -> None:
    assert holds(FIT, cell)


@pytest.mark.parametrize(
    "cell",
    [
        "print clf.n_iter_ / 2",  # of whole numbers it was without a rest
        "n = len(X)\nn /= 2\nprint clf, n",
        "print clf, ",  # what comes next stands behind a blank, or not
        "exec 'n = 7 / 2'\nprint clf, n",
        "def run(text):\n    exec text\n    return clf\nprint run('n = 1')",
        "print sorted([3, 1], cmp=lambda a, b: b - a), clf",
        "d = {'b': 1, 'a': 2}\nfor key in d:\n    print key, clf",
        "d = {'b': 1, 'a': 2}\nprint d.keys()[0], clf",
        "print list(set('abc')), clf",
        "print ', '.join({'a', 'b'}), clf",
        "print map(str, X), clf",
        "print range(3), clf",
        "print round(2.5), clf",
        "x = 1\nsquares = [x * x for x in X]\nprint x, clf",
        "def last():\n    y = [z for z in X]\n    return z\nprint last(), clf",
        "print len('caf\u00e9'), clf",
        "print open('notes').read(), clf",
        "class Old:\n    pass\nprint Old(), clf",
        "%run other.py\nprint clf",
        "import helper\nprint helper.half(3), clf",
        "import random\nrandom.seed(0)\nprint random.random(), clf",
    ],
)
def test_a_cell_that_python_3_may_reckon_otherwise_is_another_program(cell: str) -> None:
    assert not holds(FIT, cell)


def test_what_stands_above_counts_too() -> None:
    assert not holds(FIT + "\nhalf = len(X) / 2", "print clf.predict(X[:half])")
    assert holds("from __future__ import division\n" + FIT + "\nhalf = len(X) / 2", "print clf.predict(X[:half])")
    assert holds(FIT + "\nunread = 1\n", "print clf")
    assert not holds("n = 3", "print n + 1")  # no library that could give something else
    assert not holds("def broken(:\n    pass", "import numpy as np\nprint np.ones(2)")  # it never ran


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print 7 / 2, clf", "print(7 // 2, clf)"),
        ("print clf.score(X)", "print(clf.score(X) + 0)"),
        ("print clf.keys()", "print(list(clf.keys()))"),
        ("print(clf)", "print(clf )"),  # no Python 2
    ],
)
def test_a_patch_that_does_more_is_not_only_written_anew(old: str, new: str) -> None:
    case = case_of([FIT, old], failing=1)
    assert not is_respelt(patch_of(case, new))
    assert not holds(FIT, old, new)


def judge(above: str, old: str, stored: str, applicability: Applicability = Applicability.SAFE) -> tuple[float, str]:
    """The score of the conversion of a cell for which something else is stored, and its reasons."""
    sources = [above, Cell("c1", old, outputs=(Output("stream", name="stdout", text=stored),))]
    case = case_of(sources, failing=1, ename="SyntaxError")
    patch = patch_of(
        case, refactor(old, SYNTAX) or "", healer="rules", rule=Python2Syntax.code, applicability=applicability
    )
    verdict = build_verdict(patch, read_evidence(case, patch, try_patch(case, patch)))
    return verdict.score, " ".join(verdict.reasons)


def test_what_a_library_gives_otherwise_is_said_and_not_held_against_the_patch() -> None:
    above = "import numpy as np\nscores = np.arange(4) * 2.5"
    stored = "old words of a table\nthat now has others 0.25\n"
    score, reasons = judge(above, "print scores", stored)
    assert score == 7
    assert SAME_PROGRAM in reasons
    assert "differs in value" in reasons
    score, reasons = judge(above + "\nscores = scores * (7 / 2)", "print scores", stored)
    assert score < 7
    assert SAME_PROGRAM not in reasons
    assert judge(above, "print scores", stored, Applicability.UNSAFE)[0] < 7


def test_another_output_that_is_not_explained_is_held_against_it_all_the_same() -> None:
    other = Comparison(Match.VALUE, 0.1, 4, "a 1", "b 2", 2)
    case = case_of([FIT, "print clf"], failing=1)
    patch = patch_of(case, "print(clf)", healer="rules", applicability=Applicability.SAFE)
    assert build_verdict(patch, Evidence(ran=True, output=other)).score < 7
    assert build_verdict(patch, Evidence(ran=True, output=other, is_same_program=True)).score == 7


SPLIT = "import numpy as np\nX = np.arange(8.0)"


def judge_rule(
    rule: str, own: str, *below: tuple[str, str], applicability: Applicability = Applicability.SAFE
) -> float:
    """The score of a rule's patch of a cell that prints the mean, where ``own`` is stored for it, and other texts for cells below."""

    def told(source: str, text: str, cell_id: str) -> Cell:
        return Cell(cell_id, source, outputs=(Output("stream", name="stdout", text=text),) if text else ())

    cells = [told(source, text, f"c{n}") for n, (source, text) in enumerate(below, 2)]
    case = case_of([SPLIT, told("y = np.old(X)\nprint(y.mean())", own, "c1"), *cells], failing=1)
    patch = patch_of(case, "y = np.sqrt(X)\nprint(y.mean())", healer="rules", rule=rule, applicability=applicability)
    return build_verdict(patch, read_evidence(case, patch, try_patch(case, patch))).score


def test_a_new_name_is_not_held_back_for_what_its_release_gives_otherwise() -> None:
    other = "words of another release 0.25\n"
    assert judge_rule("API101", other) >= 7
    assert judge_rule("API101+API102", "", ("print(y.sum())", other)) >= 7
    assert judge_rule("API101+FIL110", other) < 7
    assert judge_rule("API101", other, applicability=Applicability.UNSAFE) < 7
    assert judge_rule("API202", other) < 7


@pytest.mark.parametrize(
    ("old", "new", "is_name"),
    [
        ("plt.style.use('seaborn-white')", "plt.style.use('seaborn-v0_8-white')", True),
        (
            "from m import x\nstyle.use(['seaborn', 'dark'])",
            "from n import x\nstyle.use(['seaborn-v0_8', 'dark'])",
            True,
        ),
        ("Tree(criterion='mse')", "Tree(criterion='squared_error')", False),
        ("plt.style.use('seaborn')\nx.sort(kind='a')", "plt.style.use('seaborn-v0_8')\nx.sort(kind='b')", False),
        ("model.use('a')", "model.use('b')", False),
        ("plt.style.use('seaborn'", "plt.style.use('seaborn-v0_8')", False),
    ],
)
def test_the_name_of_a_style_sheet_is_a_name_and_another_value_is_none(old: str, new: str, is_name: bool) -> None:
    case = case_of(["plt = 1", old], failing=1)
    assert (
        is_renamed(patch_of(case, new, healer="rules", rule="API101+API203", applicability=Applicability.SAFE))
        is is_name
    )
    assert not is_renamed(patch_of(case, new, healer="rules", rule="API203", applicability=Applicability.UNSAFE))


def test_a_new_name_is_held_to_numbers_that_no_model_gives() -> None:
    words, number = "words of another release 0.25\n", "0.25\n"
    assert judge_rule("API101", words, ("print(y.sum())", "13.477405\n")) >= 7
    assert judge_rule("API101", number, ("print(y.sum())", "13.477405\n")) < 7
    assert judge_rule("API101", "", ("print(y.sum())", "13.477405\n"), ("print(y.max())", number)) < 7
    fitted = "class M:\n    def fit(self, y): return y.max()\nprint(M().fit(y))"
    assert judge_rule("API101", "", ("print(y.sum())", "13.477405\n"), (fitted, number)) >= 7


def test_a_call_in_a_new_form_is_believed_where_something_that_hangs_on_it_comes_again() -> None:
    other = "words of another release 0.25\n"
    again = ("print(y.sum())", "13.477405\n")
    assert judge_rule("API202", "", again, ("print(y.max())", other)) >= 7
    assert judge_rule("API202", "", ("print(y.max())", other)) < 7
    assert judge_rule("API202", other, again) < 7
    assert judge_rule("NAM101", "", again, ("print(y.max())", other)) < 7
