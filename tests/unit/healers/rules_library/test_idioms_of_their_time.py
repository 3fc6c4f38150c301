"""What notebooks of 2013 to 2020 wrote, and what takes its place, over one rule or two."""

from __future__ import annotations

import pytest

from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench

SAFE = Applicability.SAFE


@pytest.mark.parametrize("call", ["open(path, 'rU')", "open(path, mode='rU')"])
def test_universal_newlines_are_what_a_file_is_read_with_anyway(bench: Bench, call: str) -> None:
    bench.write_file("given.csv", "1\n")
    (patch,) = bench.propose_patches("API203", "path = 'given.csv'", f"rows = {call}.read()")
    assert patch.applicability is SAFE
    assert patch.edits[0].source == f"rows = {call}.read()".replace("rU", "r")  # type: ignore[union-attr]


def test_categories_go_where_they_are_said_now(bench: Bench) -> None:
    made = "import pandas as pd\ns = pd.Series(list('ba'))"
    (patch,) = bench.propose_patches("API201", made, "s.astype('category', categories=['b', 'a'], ordered=True)")
    next_step = "s.astype('category', ordered=True).cat.set_categories(['b', 'a'])"
    assert (patch.applicability, patch.edits[0].source) == (SAFE, next_step)  # type: ignore[union-attr]
    assert bench.heal("API201", made, next_step)[1] == (
        "s.astype('category').cat.as_ordered().cat.set_categories(['b', 'a'])"
    )


def test_one_hot_columns_stay_sparse(bench: Bench) -> None:
    cells = ["from sklearn.preprocessing import OneHotEncoder", "h = OneHotEncoder(categorical_features=[0])"]
    use = "h.fit_transform([[0, 1.5], [1, 2.5]]).toarray()"
    assert "sparse_threshold=1)" in bench.heal("API201", cells[0], f"{cells[1]}\n{use}")[1]


def test_the_text_for_missing_values_is_the_number(bench: Bench) -> None:
    cells = [
        "from sklearn.impute import SimpleImputer",
        "i = SimpleImputer(missing_values='NaN')\ni.fit([[float('nan')]])",
    ]
    assert "missing_values=float('nan')" in bench.heal("API203", *cells)[1]


def test_missing_values_in_the_data_are_nobodys_old_text(bench: Bench) -> None:
    cells = [
        "from sklearn.linear_model import LinearRegression",
        "LinearRegression().fit([[float('nan')], [1]], [1, 2])",
    ]
    assert bench.is_silent("API203", *cells)


def test_what_axis_ignored_beside_a_mode_is_taken_out(bench: Bench) -> None:
    (patch,) = bench.propose_patches(
        "API201", "from matplotlib import pyplot", "pyplot.axis('scaled', adjustable='box')"
    )
    assert patch.applicability is SAFE
    assert patch.title == "Remove `adjustable='box'`"


def test_constants_that_numpy_2_removed_come_under_their_old_names(bench: Bench) -> None:
    healed = bench.heal("IMP106", "from numpy import *", "x = Inf")
    assert healed[1] == "from pylab import inf as Inf\nx = Inf"


def test_a_solver_for_two_classes_is_only_wrapped_unasked_where_nothing_looks_inside(bench: Bench) -> None:
    made = (
        "from sklearn.datasets import load_iris\nfrom sklearn.linear_model import LogisticRegression\n"
        "X, y = load_iris(return_X_y=True)\nmodel = LogisticRegression(solver='liblinear')"
    )
    fit = "model.fit(X, y)"
    assert [p.applicability for p in bench.propose_patches("SKL105", made, fit)] == [SAFE]
    looked = {name: bench.propose_patches("SKL105", made, fit, f"# not run\nmodel.{name}") for name in ("C_", "coef_")}
    assert [p.applicability for p in looked["C_"]] == [Applicability.UNSAFE]
    assert [p.applicability for p in looked["coef_"]] == [SAFE], "it fails below, where API103 reads it of those inside"


def test_a_pivot_table_is_told_its_rows_and_columns_by_their_names_of_now(bench: Bench) -> None:
    made = "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y'], 'v': [1.0, 2.0]})"
    (patch,) = bench.propose_patches("API201", made, "df.pivot_table(rows='a', cols='b', values='v')")
    next_step = "df.pivot_table(index='a', cols='b', values='v')"
    assert (patch.applicability, patch.edits[0].source) == (SAFE, next_step)  # type: ignore[union-attr]
    assert bench.heal("API201", made, next_step)[1] == "df.pivot_table(index='a', columns='b', values='v')"


@pytest.mark.parametrize(
    ("given", "healed"),
    [
        ("print 1, '/', 2, '=', 1 / 2", "print(1, '/', 2, '=', 1 // 2)"),
        ("print len(words) / 2", "print(len(words) // 2)"),
        ("print 1 / 2.0, (3 - 2 * 4) / 2", "print(1 / 2.0, (3 - 2 * 4) // 2)"),
        ("print half / 2", "print(half / 2)"),
    ],
)
def test_whole_numbers_of_python_2_divide_into_whole_numbers(bench: Bench, given: str, healed: str) -> None:
    first = "words, half = 'abc', 1.5"
    assert bench.heal("SYN101", first, given)[1] == healed
    future = "from __future__ import division\n" + first
    assert bench.heal("SYN101", future, given)[1] == healed.replace("//", "/")


def test_a_plot_alone_is_of_pylab_where_the_notebook_is_about_data(bench: Bench) -> None:
    assert bench.heal("IMP106", "import pandas as pd", "plot([1, 2])")[1] == "from pylab import plot\nplot([1, 2])"
    assert bench.is_silent("IMP106", "import pandas as pd", "plot([1, 2])", "# not run\ndef plot(x):\n    return x")


def test_a_column_that_is_assigned_to_as_a_whole_is_replaced(bench: Bench) -> None:
    made = "import pandas as pd\ndf = pd.DataFrame({'a': ['1', '2'], 'b': ['3', '4']})"
    loop = "for name in df.columns:\n    {} = df[name].astype('float32')"
    assert bench.heal("PDA108", made, loop.format("df.loc[:, name]"))[1] == loop.format("df[name]")


@pytest.mark.parametrize(("silent", "then"), [(", warn_bad_lines=False", "skip"), ("", "warn")])
def test_bad_lines_are_skipped_in_silence_only_where_no_warning_was_wanted(
    bench: Bench, silent: str, then: str
) -> None:
    read = "import io\nimport pandas as pd\nd = pd.read_csv(io.StringIO('a\\n1\\n'), error_bad_lines=False{0})"
    (patch,) = bench.propose_patches("API201", read.format(silent))
    assert patch.title == f"Change `error_bad_lines=` to `on_bad_lines='{then}'`"
