from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Cell, Oracle, Output, Role, Run
from jupyter_selfheal.scoring.asserts import count_asserts_run, find_asserts_below, list_asserts
from jupyter_selfheal.scoring.downstream import CellsBelow, choose_cells, shows_only_by_dtype
from jupyter_selfheal.scoring.read_evidence import read_evidence
from tests.scoring_cases import case_of, patch_of, try_patch


def test_asserts_inside_functions_are_there_but_do_not_run() -> None:
    source = "def f():\n    assert 1\nfor x in xs:\n    assert x\nnp.testing.assert_allclose(a, b)"
    assert len(list_asserts(source)) == 3
    assert count_asserts_run(source) == 2


def test_asserts_of_test_functions_count_where_the_cell_calls_them() -> None:
    check = "def check(f):\n    assert f(1) == 1\n    assert f(2) == 2\n"
    assert count_asserts_run("check(abs)", [check]) == 2
    assert count_asserts_run(f"{check}check(abs)\nassert True") == 3
    assert count_asserts_run(check) == 0
    assert count_asserts_run("f(1)", ["def f(n):\n    assert n\n"]) == 0


def test_only_asserts_on_what_is_there_are_asked() -> None:
    case = case_of(
        [
            "import math",
            "y = f(x)",
            "assert y == 4\nassert math.isclose(y, 4)\nassert other == 1",
            "z = y + 1\nassert z == 5",
            "y = 9\nassert y == 9",
            "for v in y:\n    assert v > 0",
        ],
        failing=1,
    )
    found = find_asserts_below(case, patch_of(case, "y = f(x)"))
    assert [b.code for b in found] == ["assert y == 4", "assert math.isclose(y, 4)"]
    assert all(b.decides for b in found)


def test_every_assert_that_calls_a_method_is_asked_in_its_turn() -> None:
    asserts = "assert Shop().add(1) == 1\nassert Shop().add(2) == 2\nassert Shop().add(3) == 3"
    shop = "class Shop:\n    def add(self, n):\n        return n"
    case = case_of([shop.replace("n):", "n)"), asserts])
    assert [b.code for b in find_asserts_below(case, patch_of(case, shop))] == asserts.splitlines()
    case = case_of([shop.replace("n):", "n)"), f"Shop.rate = read_rate()\n{asserts}"])
    assert find_asserts_below(case, patch_of(case, shop)) == ()


READS = "assert y == open('o.txt').read()"


@pytest.mark.parametrize(
    "writes",
    ["save(x)", "open('o.txt', 'w').write('4')", "!touch o.txt", "%%bash\ntouch o.txt", "table.to_csv('o.txt')"],
)
def test_an_assert_that_reads_a_file_is_not_asked_before_what_may_write_it(writes: str) -> None:
    case = case_of(["y = f(x)", writes, f"{READS}\nassert y == 4"])
    assert [b.code for b in find_asserts_below(case, patch_of(case, "y = f(x)"))] == ["assert y == 4"]


@pytest.mark.parametrize("between", ["print(y)", "z = len(y)", "import json", "assert y.check() == 1"])
def test_it_is_asked_where_nothing_between_may_have_written_it(between: str) -> None:
    case = case_of(["y = f(x)", between, READS])
    assert READS in [b.code for b in find_asserts_below(case, patch_of(case, "y = f(x)"))]


def test_what_a_cell_binds_anew_that_is_not_run_is_not_asked_about() -> None:
    case = case_of(["y = f(x)", "y = slow(y)", "assert y == 4"])
    first, slow, last = case.notebook.cells
    notebook = replace(case.notebook, cells=(first, replace(slow, expensive=True), last))
    assert find_asserts_below(replace(case, notebook=notebook), patch_of(case, "y = f(x)")) == ()


def test_an_assert_on_other_definitions_does_not_decide() -> None:
    case = case_of(["def mean(xs):\n    return 0", "xs = load()", "assert mean(xs) == 3\nassert xs"], failing=1)
    assert [b.decides for b in find_asserts_below(case, patch_of(case, "xs = [3]"))] == [False, True]


def test_an_assert_on_another_column_does_not_decide() -> None:
    asserts = 'assert max(t["score"]) < 9\nassert t["day"]\nassert len(t)\nassert t["score"] > t["day"]'
    case = case_of(["t = load()", 't["day"] = read(t["day"])', asserts], failing=1)
    found = find_asserts_below(case, patch_of(case, 't["day"] = read_days(t["day"])'))
    assert [b.decides for b in found] == [False, True, True, True]


def test_the_nearest_dependent_cells_are_run_with_what_they_need() -> None:
    case = case_of(["df = load()", "k = 2", "unrelated = 1", "df2 = df * k", "print(df2)"])
    assert [c.cell.id for c in choose_cells(case, patch_of(case, "df = read()"))] == ["c1", "c3", "c4"]


@pytest.mark.parametrize(
    "cell",
    [
        Cell("b", "df.x", skip=True),
        Cell("b", "df.x", expensive=True),
        Cell("b", "df.x", tags=("raises-exception",)),
        Cell("b", "df.x", outputs=(Output("error", ename="KeyError"),)),
        Cell("b", "%%bash\necho df"),
        Cell("b", "%%time\ndf.x"),
        Cell("b", "!pip install x\ndf.x"),
        Cell("b", "%pip install x\ndf.x"),
        Cell("b", "n = input(df)"),
        Cell("b", "import requests\nrequests.get(df)"),
        Cell("b", "pd.read_csv('https://x.org/a.csv', df)"),
        Cell("b", "import subprocess\nsubprocess.run(df)"),
        Cell("b", "model.fit(df)"),
        Cell("b", "df ="),
        Cell("b", "print(other, df)"),
        Cell("b", "print(1)"),
    ],
    ids=lambda c: c.source[:25] + str(c.tags),
)
def test_cells_that_are_dear_harmful_or_unrelated_are_not_run(cell: Cell) -> None:
    case = case_of(["import pandas as pd\nmodel = 1", "df = load()", cell], failing=1)
    assert choose_cells(case, patch_of(case, "df = read()")) == ()


def test_a_cell_that_needs_one_that_was_left_out_is_left_out() -> None:
    case = case_of(["df = load()", Cell("b", "m = fit(df)", expensive=True), "print(m, df)", "print(df)"])
    assert [c.cell.id for c in choose_cells(case, patch_of(case, "df = read()"))] == ["c3"]


@pytest.mark.parametrize(
    ("between", "chosen"),
    [
        (["log.append(1)"], ["c2", "c3"]),
        (["log.append(1)", "log.append(2)", "other = 1"], ["c2", "c3", "c5"]),
        (["np.random.seed(0)\nlog.sort()"], ["c2", "c3"]),
        (["log = []", "log.append(2)"], ["c2", "c3", "c4"]),
        (["!rm x\nlog.append(1)"], []),  # never run: what it adds is not there
        (["!rm x\nlog.append(1)", "log.append(2)"], []),
        (["!rm x\nlog.append(1)", "log = []"], ["c3", "c4"]),
        (["log.append(missing)"], []),
    ],
)
def test_what_cells_between_change_is_there_before_a_cell_that_reads_it_is_run(
    between: list[str], chosen: list[str]
) -> None:
    case = case_of(["import numpy as np\nlog = []", "df = load()", *between, "assert log and df"], failing=1)
    assert [c.cell.id for c in choose_cells(case, patch_of(case, "df = read()"))] == chosen


@pytest.mark.parametrize(
    ("between", "reads", "tells"),
    [
        ("log.append(2)", "log", [("c3", True)]),
        ("log.append(1 / 0)", "log", []),  # what is missing is no fault of the patch
        ("log.append(1 / 0)", "x", [("c3", True)]),
        ("log.append(2)", "log[7]", [("c3", False)]),
    ],
)
def test_what_a_cell_between_fails_to_make_is_not_held_against_a_patch(
    between: str, reads: str, tells: list[tuple[str, bool]]
) -> None:
    case = case_of(["log = []\ny = 1", "x = y.real_part", between, f"print(x, {reads})"], failing=1)
    patch = patch_of(case, "x = y.real")
    below = read_evidence(case, patch, try_patch(case, patch)).below
    assert [(b.cell_id, b.ran) for b in below] == tells


def test_a_cell_between_is_not_run_behind_one_that_changes_what_it_reads() -> None:
    case = case_of(["n = 1", "df = load()", "log = [n]", "n = df", "assert log and df"], failing=1)
    assert [c.cell.id for c in choose_cells(case, patch_of(case, "df = read()"))] == ["c3"]


def test_steps_share_the_seconds_and_carry_the_cells_own_expectations() -> None:
    case = case_of(["df = load()", Cell("b", "df + 1", oracle=Oracle(expect="3")), "df + 2"])
    found = tuple(CellsBelow().list_steps(case, patch_of(case, "df = 2"), HealConfig(downstream_seconds=8.0)))
    assert [(s.role, s.timeout, s.go_on) for s in found if isinstance(s, Run)] == [(Role.DOWNSTREAM, 4.0, True)] * 2
    assert [s.name for s in found if not isinstance(s, Run)] == ["expected:b"]
    assert tuple(CellsBelow().list_steps(case, patch_of(case, "df = 2"), HealConfig(downstream_seconds=0.0))) == ()


def test_a_cell_below_that_hangs_on_the_clock_says_nothing_where_it_differs() -> None:
    def stored(source: str, text: str) -> Cell:
        return Cell("c2", source, outputs=(Output("stream", name="stdout", text=text),))

    for source, asked in (("print(x + 1)", True), ("import time\nprint(x, time.time())", False)):
        case = case_of(["y = 1", "x = y.real_part", stored(source, "7.25 7.25\n")], failing=1)
        patch = patch_of(case, "x = y.real")
        below = read_evidence(case, patch, try_patch(case, patch)).below
        assert [b.output.can_decide for b in below] == [asked]


@pytest.mark.parametrize(
    ("change", "chosen"),
    [
        ("last = days.max() - pd.tseries.offsets.BDay()", []),  # pandas is as it was
        ("last = days.max()\npd.options.display.width = 40", ["c2"]),
        ("pd = load()", ["c2"]),
    ],
)
def test_what_only_calls_a_module_does_not_taint_all_that_reads_it(change: str, chosen: list[str]) -> None:
    case = case_of(["import pandas as pd\ndays = load()", "last = days.max(", "pd.DataFrame({'a': [1]})"], failing=1)
    assert [c.cell.id for c in choose_cells(case, patch_of(case, change))] == chosen


@pytest.mark.parametrize(("text", "asked"), [("[(1, 2)]", False), ("7", True)])
def test_a_list_of_python_2_below_says_nothing_where_an_iterator_is_shown(text: str, asked: bool) -> None:
    shown = Cell("c2", "zip([x], [2])", outputs=(Output("execute_result", data={"text/plain": text}),))
    case = case_of(["y = 1", "x = y.real_part", shown], failing=1)
    patch = patch_of(case, "x = y.real")
    below = read_evidence(case, patch, try_patch(case, patch)).below
    assert [b.output.can_decide for b in below] == [asked]


BY_DTYPE = "kind = 'texts' if x.dtype == 'object' else 'numbers'"


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("'texts' if x.dtype == 'object' else 'numbers'", False),
        ("'texts' if t[x].dtype == np.object else 'numbers'", False),
        (f"{BY_DTYPE}\nprint(kind)", False),
        (f"def find(x):\n    {BY_DTYPE}\n    return kind\nfind(x)", False),
        ("'texts' if x.dtype == 'float' else 'numbers'", True),
        (f"{BY_DTYPE}\nx", True),  # what is shown does not hang on the question
        (f"{BY_DTYPE}\nprint(x)\nkind", True),
    ],
)
@pytest.mark.parametrize("release", ["3.0.1", "2.2.3"])
def test_what_hangs_on_columns_of_objects_says_nothing_where_texts_have_a_type_of_their_own(
    source: str, asked: bool, release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(pandas, "__version__", release)
    told = Cell("c2", "x.imag", outputs=(Output("execute_result", data={"text/plain": "'texts'"}),))
    asking = replace(told, source=source)
    above = "y = 1\nt = np = {}"
    case, shown = (case_of([above, "x = y.real_part", cell], failing=1) for cell in (asking, told))
    patch = patch_of(case, "x = y.real")
    trial = try_patch(case, patch)
    # what it shows is another value, whatever the type of x
    steps = [s for s in try_patch(shown, patch).steps if s.cell_id == "c2"]
    assert steps
    trial = replace(trial, steps=(*(s for s in trial.steps if s.cell_id != "c2"), *steps))
    below = read_evidence(case, patch, trial).below
    assert [b.output.can_decide for b in below] == [asked or release < "3"]


@pytest.mark.parametrize(
    ("above", "source", "asked"),
    [
        (BY_DTYPE, "kind", False),
        (f"{BY_DTYPE}\nkinds = [kind]", "print(kinds, x)", False),
        (BY_DTYPE, "x", True),
        (f"{BY_DTYPE}\nkind = 'known'", "kind", True),  # bound anew
        (BY_DTYPE, "y = kind", True),  # nothing of it is shown
        (f"import math\n{BY_DTYPE}\nmath.pi, kind", "math.pi", True),  # a module is as it was
        ("kind = 'texts' if x.dtype in ('object', 'str') else 'numbers'", "kind", True),
    ],
)
def test_what_hangs_on_such_a_question_of_a_cell_above_says_nothing_either(
    above: str, source: str, asked: bool
) -> None:
    assert shows_only_by_dtype(source, ["x = 1", above, "z = 2"]) is not asked


@pytest.mark.parametrize(
    ("between", "fixed", "source", "warned", "asked"),
    [
        ("z = 1", "x = y.real", "print(x + t['n'][0])", True, False),
        ("made = dict(t)", "x = y.real", "print(x + made['n'][0])", True, False),
        ("z = 1", "x = y.real", "print(x + t['n'][0])", False, True),  # nobody was warned
        ("made = {'n': [1]}", "x = y.real", "print(x + made['n'][0])", True, True),  # another table
        ("t = {'n': [1]}", "x = y.real", "print(x + t['n'][0])", True, True),  # read anew
        ("z = 1", "t = {'n': [1]}\nx = y.real", "print(x + t['n'][0])", True, True),  # by the failing cell itself
        ("z = 1", "x = y.real", "print(add(x, 1))", True, True),  # what stands beside the write
        ("math.pi + t['n'][0]", "x = y.real", "print(math.floor(x))", True, True),  # a module is as it was
        (
            "z = 1",
            "x = y.real",
            "print(x)\nprint(t['n'][0])",
            True,
            True,
        ),  # the rest of what it shows differs too, perhaps
    ],
)
def test_what_lacks_a_write_that_is_lost_above_says_nothing(
    between: str, fixed: str, source: str, warned: bool, asked: bool
) -> None:
    above = "import math\ny = 1\nt = {'n': [1]}\nt['n'][0] = 1\ndef add(a, b):\n    return a + b"
    lost = Cell("c0", above, warned=("ChainedAssignmentError",) if warned else ())
    told = Cell("c3", source, outputs=(Output("stream", name="stdout", text="7.25\n"),))
    case = case_of([lost, between, f"{fixed}_part", told], failing=2)
    patch = patch_of(case, fixed)
    below = read_evidence(case, patch, try_patch(case, patch)).below
    assert [b.output.can_decide for b in below] == [asked]


@pytest.mark.parametrize("asked", [True, False])
def test_a_write_that_only_the_patch_loses_is_no_excuse_for_it(asked: bool) -> None:
    write = "t['n'][0] = 5"
    told = Cell("c2", "print(t['n'][0] + x)", outputs=(Output("stream", name="stdout", text="7.25\n"),))
    failing = f"t = {{'n': [1]}}\n{'t.update(n=[5])' if asked else write}\nx = y.real_part"
    case = case_of(["y = 1", failing, told], failing=1)
    patch = patch_of(case, f"t = {{'n': [1]}}\n{write}\nx = y.real")
    trial = try_patch(case, patch)
    warning = Output("stream", name="stderr", text="/tmp/1.py:2: ChainedAssignmentError: A value is trying to be set")
    steps = tuple(replace(s, outputs=(warning,)) if s.role == Role.CELL else s for s in trial.steps)
    below = read_evidence(case, patch, replace(trial, steps=steps)).below
    assert [b.output.can_decide for b in below] == [asked]


@pytest.mark.parametrize("asked", [True, False])
def test_what_is_lost_in_a_cell_below_says_nothing_of_the_patch(asked: bool) -> None:
    told = Cell("c3", "print(t['n'])", outputs=(Output("stream", name="stdout", text="7.25\n"),))
    case = case_of(["y = 1", "x = y.real_part", Cell("c2", "t = {'n': [x]}\nt['n'][0] = x"), told], failing=1)
    patch = patch_of(case, "x = y.real")
    trial = try_patch(case, patch)
    warning = Output("stream", name="stderr", text="/tmp/1.py:1: ChainedAssignmentError: A value is trying to be set")
    steps = (replace(s, outputs=() if asked else (warning,)) if s.cell_id == "c2" else s for s in trial.steps)
    below = read_evidence(case, patch, replace(trial, steps=tuple(steps))).below
    assert [b.output.can_decide for b in below if b.cell_id == "c3"] == [asked]


@pytest.mark.parametrize(
    ("between", "chosen"),
    [
        ("m = sales.sums()\nprint m", []),  # of Python 2, as it stands
        ("print m", ["c2"]),
        ("n = sales.sums()\nprint n", ["c2"]),
        ("if m:\n    print m == 2", ["c2"]),
    ],
)
def test_a_cell_that_does_not_parse_binds_what_it_assigns(between: str, chosen: list[str]) -> None:
    case = case_of(["m = cars.as_matrix()", between, "m[0]"])
    assert [c.cell.id for c in choose_cells(case, patch_of(case, "m = cars.to_numpy()"))] == chosen


@pytest.mark.parametrize(
    ("change", "chosen"),
    [
        ("log.resample('1h').sum().plot(title='n').set_ylabel('n')", []),
        ("log.n.plot.bar('day', 'n').set_title('n')", []),
        ("log.hist(bins=9)[0].set_title('n')", []),
        ("log.plot(days, days)[0].set_label('n')", ["c2"]),  # axes, which are drawn into
        ("log.plot(title='n')\nlog.pop('n')", ["c2"]),
        ("log.drop(columns='n', inplace=True)", ["c2"]),
        ("log.rows('n').append(2)", ["c2"]),
    ],
)
def test_what_is_done_to_a_plot_is_not_done_to_its_table(change: str, chosen: list[str]) -> None:
    case = case_of(["days = log = load()", "log.resample('1H').sum().plot().set_ylabel('n')", "log.head()"], failing=1)
    assert [c.cell.id for c in choose_cells(case, patch_of(case, change))] == chosen
