"""What real notebooks taught: near-misses on which a library rule must stay silent, and details it must get right."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.healers.rules.frequency_alias import modernize_alias
from jupyter_selfheal.healers.rules.healer import load_rules
from jupyter_selfheal.model import Applicability
from jupyter_selfheal.testing.rule_conformance import Bench, build_notebook, find_first_failure, gets_past
from tests.needed import needs

pytestmark = needs("pandas")

PANDAS = "import pandas as pd"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize(
    ("old", "offset", "period"),
    [
        ("M", "ME", "M"),
        ("3M", "3ME", "3M"),
        ("Q-NOV", "QE-NOV", "Q-NOV"),
        ("A", "YE", "Y"),
        ("AS", "YS", "AS"),
        ("2H", "2h", "2h"),
        ("15T", "15min", "15min"),
        ("BM", "BME", "BM"),
        ("1H30T", "1h30min", "1h30min"),
        ("W-MON", "W-MON", "W-MON"),
        ("MS", "MS", "MS"),
        ("D", "D", "D"),
    ],
)
def test_a_frequency_is_renamed_for_offsets_and_kept_for_periods(old: str, offset: str, period: str) -> None:
    assert modernize_alias(old, period=False) == offset
    assert modernize_alias(old, period=True) == period


def test_the_month_of_a_period_keeps_its_alias(bench: Bench) -> None:
    cell = "months = pd.period_range('2020', periods=2, freq='M')\npd.date_range('2020', periods=2, freq='M')"
    healed = bench.heal("PDA101", PANDAS, cell)[1]
    assert "period_range('2020', periods=2, freq='M')" in healed
    assert "date_range('2020', periods=2, freq='ME')" in healed


def test_a_list_keeps_its_append_when_a_table_loses_it(bench: Bench) -> None:
    first = f"{PANDAS}\nrows, df = [], pd.DataFrame({{'a': [1]}})"
    healed = bench.heal("API103", first, "rows.append(1)\ndf = df.append(df, ignore_index=True)\nrows.append(2)")[1]
    assert healed == "rows.append(1)\ndf = pd.concat([df, df], ignore_index=True)\nrows.append(2)"


def test_a_string_has_no_append_and_is_left_alone(bench: Bench) -> None:
    assert bench.is_silent("API103", "'a'.append('b')")


def test_a_keyword_of_the_users_own_function_is_not_dropped(bench: Bench) -> None:
    assert bench.is_silent("API201", "def hist(x):\n    return x\nhist(1, normed=True)")


def test_dropping_a_keyword_that_changes_the_result_is_never_safe(bench: Bench) -> None:
    pytest.importorskip("sklearn")
    patches = bench.propose_patches("API201", "from sklearn.linear_model import Ridge", "Ridge(normalize=True)")
    assert [p.applicability for p in patches] == [Applicability.UNSAFE]


def test_a_keyword_that_became_a_no_op_says_what_it_removes(bench: Bench) -> None:
    pytest.importorskip("sklearn")
    patch = bench.propose_patches("API201", "from sklearn.cluster import KMeans", "KMeans(n_clusters=2, n_jobs=1)")[0]
    assert "n_jobs" in patch.removes
    assert patch.applicability is Applicability.SAFE  # how many cores are at work is no result


def test_a_threshold_that_stopped_nothing_goes_and_another_one_is_only_offered(bench: Bench) -> None:
    pytest.importorskip("sklearn")
    cell = "from sklearn.tree import DecisionTreeClassifier\nDecisionTreeClassifier(min_impurity_split={})"
    idle, other = (bench.propose_patches("API201", cell.format(value))[0] for value in ("1e-07", "0.1"))
    assert (idle.applicability, other.applicability) == (Applicability.SAFE, Applicability.UNSAFE)


def test_an_axis_that_is_not_told_is_only_offered(bench: Bench) -> None:
    table = f"{PANDAS}\ndf, side = pd.DataFrame({{'a': [1]}}), 0"
    for axis, level in (
        ("axis=side, ", Applicability.UNSAFE),
        ("", Applicability.SAFE),
    ):  # along rows where none is named
        cell = f"pd.concat([df, df], {axis}join_axes=[df.columns])"
        assert bench.propose_patches("API201", table, cell)[0].applicability is level


@pytest.mark.parametrize(
    ("more", "is_safe"), [("periods=1", True), ("axis=1", True), ("axis=side", False), ("limit=1", False)]
)
def test_gaps_that_were_filled_another_way_before_a_change_are_only_offered(
    bench: Bench, more: str, is_safe: bool
) -> None:
    cells = [
        f"{PANDAS}\nside = 1\ndf = pd.DataFrame({{'a': [1.0, 2.0], 'b': [None, 4.0]}})",
        f"df.pct_change(fill_method='ffill', {more})",
    ]
    (patch,) = bench.propose_patches("API201", *cells)
    assert patch.applicability is (Applicability.SAFE if is_safe else Applicability.UNSAFE)


def test_a_column_that_cannot_be_read_is_kept_as_ignore_did(bench: Bench) -> None:
    frame = f"{PANDAS}\ndf = pd.DataFrame({{'n': ['1', '2'], 'city': ['Rome', '7']}})"
    cells = [
        frame,
        "for c in ['n', 'city']:\n    df[c] = pd.to_numeric(df[c], errors='ignore')",
        "df.apply(pd.to_numeric, errors='ignore')",
    ]
    plain, kept, coerced = bench.propose_patches("PDA144", *cells[:2])
    broken = bench.fail(*cells[:2])
    assert not gets_past(broken.apply_patch(plain), broken.case.failure.cell_id)  # "Rome" is no number
    assert coerced.applicability is Applicability.UNSAFE
    after = broken.apply_patch(kept)
    healed = after.cells[1].source + "\nassert df['city'].tolist() == ['Rome', '7'] and df['n'].sum() == 3"
    assert find_first_failure(build_notebook([frame, healed], bench.folder)) is None
    broken = bench.fail(frame, cells[2])
    kept = broken.propose_patches(*(r for r in load_rules() if r.code == "PDA144"))[0]  # "Rome" is seen at once
    healed = "now = " + broken.apply_patch(kept).cells[1].source
    assert (
        find_first_failure(
            build_notebook(
                [frame, healed, "assert now['n'].sum() == 3 and now['city'].tolist() == ['Rome', '7']"], bench.folder
            )
        )
        is None
    )


def test_a_failure_inside_a_function_of_an_earlier_cell_is_mended_there(bench: Bench) -> None:
    healed = bench.heal(
        "API103",
        f"{PANDAS}\ndef stack(a, b):\n    return a.append(b)",
        "df = pd.DataFrame({'a': [1]})",
        "stack(df, df)",
    )
    assert "return pd.concat([a, b])" in healed[0]
    assert healed[2] == "stack(df, df)"


def test_one_changed_import_heals_all_users(bench: Bench) -> None:
    pytest.importorskip("sklearn")
    cells = ["from sklearn.cross_validation import train_test_split as tts", "tts([1, 2])", "tts([3, 4])"]
    assert bench.heal("API101", *cells) == ["from sklearn.model_selection import train_test_split as tts", *cells[1:]]


def test_a_removed_data_set_is_shown_and_never_applied_by_itself(bench: Bench) -> None:
    pytest.importorskip("sklearn")
    patches = bench.propose_patches("API101", "from sklearn.datasets import load_boston", "load_boston()")
    assert [p.applicability for p in patches] == [Applicability.DISPLAY_ONLY]


def test_so_it_is_where_it_is_asked_of_its_module(bench: Bench) -> None:
    pytest.importorskip("sklearn")
    patches = bench.propose_patches("API102", "from sklearn import datasets", "datasets.load_boston(return_X_y=True)")
    assert [p.applicability for p in patches] == [Applicability.DISPLAY_ONLY]


def test_a_placeholder_module_is_not_guessed_at(bench: Bench) -> None:
    assert bench.is_silent("API101", "from module_name import thing")


def test_a_text_series_is_not_reduced_to_its_numbers(bench: Bench) -> None:
    assert bench.is_silent("PDA103", f"{PANDAS}\npd.Series(['x']).mean()")


def test_a_missing_label_of_a_numbered_series_is_no_position(bench: Bench) -> None:
    assert bench.is_silent("PDA104", f"{PANDAS}\ns = pd.Series([1, 2], index=[10, 20])", "s[0]")


def test_an_if_over_an_array_is_left_to_the_user(bench: Bench) -> None:
    assert bench.is_silent("NPA104", "import numpy as np\nx = np.arange(3)", "if x > 1 and x < 2:\n    pass")


def test_a_number_that_is_not_whole_stays(bench: Bench) -> None:
    assert bench.is_silent("NPA103", "items = [1, 2, 3]\nitems[2.5]")


@pytest.mark.parametrize(
    ("cell", "healed"),
    [
        ("df.sort(['a', 'b'], ascending=False)", "df.sort_values(['a', 'b'], ascending=False)"),
        ("df.sort_index(by='a')", "df.sort_values(by='a')"),
        ("df.icol(0)", "df.iloc[:, 0]"),
        ("df.a.clip_upper(1)", "df.a.clip(upper=1)"),
        ("(df.a + df.b).order()", "(df.a + df.b).sort_values()"),
        ("df.drop_duplicates(cols='a', take_last=True)", "df.drop_duplicates(subset='a', keep='last')"),
        ("pd.concat([df, df], 1)", "pd.concat([df, df], axis=1)"),
        ("df.applymap(str)", "df.map(str)"),
        ("df.a.ravel()", "df.a.to_numpy()"),
        ("pd.rolling_sum(df.a, window=2, center=True)", "df.a.rolling(2, center=True).sum()"),
        ("df.groupby('a').agg({'b': {'total': 'sum'}})", "df.groupby('a').agg({'b': [('total', 'sum')]})"),
        ("pd.to_datetime('2020-01-01', coerce=True)", "pd.to_datetime('2020-01-01', errors='coerce')"),
    ],
)
def test_pandas_of_old_is_written_anew(bench: Bench, cell: str, healed: str) -> None:
    from jupyter_selfheal.testing.rule_conformance import gets_past

    broken = bench.fail(f"{PANDAS}\ndf = pd.DataFrame({{'a': [2, 1], 'b': [3, 4]}})", cell)
    sources = cell
    for _ in range(2):  # a second removed thing comes up behind the first
        patch = broken.propose_patches()[0]
        assert patch.applicability is Applicability.SAFE
        after = broken.apply_patch(patch)
        sources = after.cells[1].source
        if gets_past(after, "c2"):
            break
        broken = bench.fail(*(c.source for c in after.cells))
    assert sources == healed


def test_arguments_get_the_names_that_they_had_and_not_those_of_todays_order(bench: Bench) -> None:
    table = "df = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y'], 'c': [3, 4]})"
    healed = bench.heal("API202", f"{PANDAS}\n{table}", "df.pivot('a', 'b', 'c')")[1]
    assert healed == "df.pivot(index='a', columns='b', values='c')"


def test_the_sizes_of_a_learning_curve_do_not_become_its_groups(bench: Bench) -> None:
    pytest.importorskip("sklearn")
    setup = (
        "from sklearn.linear_model import LinearRegression\nfrom sklearn.model_selection import learning_curve\n"
        "X = [[i] for i in range(10)]\ny = list(range(10))"
    )
    healed = bench.heal("API202", setup, "learning_curve(LinearRegression(), X, y, [0.5, 1.0], cv=2)")[1]
    assert "train_sizes=[0.5, 1.0]" in healed


def test_a_parameter_that_was_taken_out_of_the_order_stops_the_rule(bench: Bench) -> None:
    assert bench.is_silent("API202", f"{PANDAS}\ns = pd.Series([1.0])", "s.fillna(0, None, 0)")


@pytest.mark.parametrize(
    ("shape", "level"), [("[0, 1, 1]", Applicability.SAFE), ("[[0, 1], [1, 1]]", Applicability.UNSAFE)]
)
def test_the_old_jaccard_is_the_accuracy_where_each_sample_has_one_label(
    bench: Bench, shape: str, level: Applicability
) -> None:
    pytest.importorskip("sklearn")
    cells = [
        f"import numpy as np\nfrom sklearn.multiclass import OneVsRestClassifier\ny = np.array({shape})",
        "from sklearn.metrics import jaccard_similarity_score\njaccard_similarity_score(y, y)",
    ]
    assert bench.propose_patches("API101", *cells)[0].applicability is level


def test_a_list_of_a_set_may_be_meant_in_the_order_of_its_items(bench: Bench) -> None:
    text = "def dedupe(xs):\n    return {}"
    patches = bench.propose_patches("ASR102", text.format("list(set(xs))"), "assert dedupe([9, 8, 9]) == [9, 8]")
    ways = [patch.source_of("c1", "").rpartition("return ")[2] for patch in patches]
    assert ways == ["sorted(set(xs))", "list(dict.fromkeys(xs))"], "the likelier first"
    known = "seen = {9, 8}\nordered = list(seen)\nassert ordered == [9, 8]"
    assert len(bench.propose_patches("ASR102", known)) == 1, "a set that is there has no such order"
