"""Statistics against published worked examples, and the reports that stand on them."""

from __future__ import annotations

import argparse
import csv
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench import run
from jupyter_selfheal.surfaces.bench.configurations import read_configurations
from jupyter_selfheal.surfaces.bench.dashboard import _draw_cost, find_frontier, rate_scores
from jupyter_selfheal.surfaces.bench.rows import Row, RowFile, Setup, compute_figures, format_figures
from jupyter_selfheal.surfaces.bench.statistics import (
    compare_pairs,
    correct_for_many,
    estimate_mean,
    estimate_share,
    pass_at_k,
)

SET = Setup("a set", "all")


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_are_those_of_newcombes_examples(right: int, of: int, low: float, high: float) -> None:
    """Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3."""
    found = estimate_share([1.0] * right + [0.0] * (of - right))
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@pytest.mark.parametrize("tasks", range(1, 40))
def test_an_interval_holds_its_share_whatever_is_rounded(tasks: int) -> None:
    """Else Matplotlib refuses to draw it."""
    for right in (0, tasks):
        found = estimate_share([1.0] * right + [0.0] * (tasks - right))
        assert found.low <= found.value <= found.high


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(18, 20, 0.6989663547715128, 0.972133518786232), (4, 20, 0.0806576625797981, 0.4160174322518935), (4, 200, 0.00780442641634947, 0.05028708690582643), (1, 30, 0.00590859, 0.16670391)],
)  # fmt: skip
def test_wilson_intervals_are_those_of_r(right: int, of: int, low: float, high: float) -> None:
    """R's ``binom.confint``, as kept in statsmodels' ``stats/tests/results/results_proportion.py``."""
    found = estimate_share([1.0] * right + [0.0] * (of - right))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-8)


def build_pairs(both: int, lost: int, gained: int, neither: int) -> tuple[list[float], list[float]]:
    """Two lists of the same tasks, from the four cells of their table."""
    first = [1.0] * (both + lost) + [0.0] * (gained + neither)
    return first, [1.0] * both + [0.0] * lost + [1.0] * gained + [0.0] * neither


@pytest.mark.parametrize(
    ("table", "p", "within"),
    [((23, 15, 19, 31), 0.60759136127308, 1e-9), ((20, 12, 2, 16), 0.0129, 5e-5), ((1, 1, 7, 12), 18 / 256, 1e-9)],
)
def test_mcnemar_is_that_of_published_examples(table: tuple[int, int, int, int], p: float, within: float) -> None:
    """The first by R's ``mcnemar.exact``, in statsmodels' ``stats/tests/results/contingency_table_r_results.csv``; two media for tubercle bacilli in
    Armitage and Berry 1994, p. 127, as in StatsDirect's manual ("McNemar and exact test for matched pairs"); Bentur's children in Fagerland,
    Lydersen and Laake 2013, table 1: twice the tail of a fair coin thrown 8 times."""
    found = compare_pairs(*build_pairs(*table))
    assert found.p == pytest.approx(p, abs=within)
    assert (found.lost, found.gained, found.tasks) == (table[1], table[2], sum(table))
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize(
    ("table", "value", "low", "high"),
    [((59, 6, 16, 80), 0.0621, 0.0046, 0.1186), ((36, 2, 12, 0), 0.2, 0.0569, 0.3404)],
)
def test_a_paired_difference_has_newcombes_interval(
    table: tuple[int, int, int, int], value: float, low: float, high: float
) -> None:
    """Cavo's patients before and after consolidation (Fagerland, Lydersen and Laake 2017, chapter 8) as in ``tests/testthat/test-ch8.R`` of the authors' R
    package (github.com/ocbe-uio/contingencytables), which takes the second from the first; and Newcombe 1998, table III, method 10."""
    found = compare_pairs(*build_pairs(*table))
    assert tuple(round(x, 4) for x in (found.value, found.low, found.high)) == (value, low, high)


@pytest.mark.parametrize(("first", "second"), [(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1.0, 1.0)])
def test_few_tasks_that_all_agree_do_not_make_a_difference_certain(first: float, second: float) -> None:
    """A bootstrap of three equal differences has no width: [+100 %, +100 %] beside p 0.25."""
    found = compare_pairs([first] * 3, [second] * 3)
    assert found.low <= found.value <= found.high
    assert found.high - found.low > 0.5


def test_permutations_are_those_of_fishers_maize() -> None:
    """Darwin's fifteen pairs in Fisher 1935, "The Design of Experiments", section 21: in 863 of 32,768 choices of signs the sum is at least
    314 eighths of an inch, so that twice as many are that far from zero. (Heights are made shares here; signs do not care.)"""
    eighths = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
    found = compare_pairs([0.5] * 15, [0.5 + n / 200 for n in eighths])
    assert found.p == pytest.approx(2 * 863 / 32768)
    assert (found.gained, found.lost) == (13, 2)


def test_bootstrap_is_that_of_efrons_mice() -> None:
    """The treated mice of Efron and Tibshirani 1993, tables 2.1 and 2.2: mean 86.86, bootstrap standard error 23.36; 1.96 of them to each side."""
    found = estimate_mean([94, 197, 16, 38, 99, 141, 23])
    assert found.value == pytest.approx(86.86, abs=0.01)
    assert (found.high - found.low) / (2 * 1.96) == pytest.approx(23.36, rel=0.03)


def test_effect_is_cohens_h() -> None:
    """Cohen 1988, "Statistical Power Analysis", table 6.2.2: 1.571 for one half less 1.047 for a quarter."""
    found = compare_pairs([1.0] + [0.0] * 3, [1.0] * 2 + [0.0] * 2)
    assert found.effect == pytest.approx(1.571 - 1.047, abs=0.001)


def test_holm_is_as_in_his_procedure() -> None:
    """0.005, 0.01, 0.03 and 0.04 of four: times 4, 3, 2 and 1, never falling (Holm 1979; these four stand in many textbooks)."""
    assert correct_for_many([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert correct_for_many([]) == []


def test_holm_is_that_of_r() -> None:
    """Six pairs of smokers' groups by R's ``pairwise.prop.test``, as in statsmodels' ``stats/tests/test_proportion.py``, ``TestProportion``."""
    raw = [0.00533824886503131, 0.8327574849753566, 0.1880573726722516, 0.002026764254350234, 0.1309487516334318, 0.1076118730631731]  # fmt: skip
    corrected = [0.02669124432515654, 0.8327574849753566, 0.4304474922526926, 0.0121605855261014, 0.4304474922526926, 0.4304474922526926]  # fmt: skip
    assert correct_for_many(raw) == pytest.approx(corrected, abs=1e-12)


@pytest.mark.parametrize(
    ("runs", "right", "k", "chance"), [(5, 0, 1, 0.0), (5, 2, 1, 0.4), (5, 2, 2, 0.7), (3, 3, 3, 1.0)]
)
def test_pass_at_k_counts_choices(runs: int, right: int, k: int, chance: float) -> None:
    """Two of five right: of the ten pairs three hold none."""
    assert pass_at_k(runs, right, k) == pytest.approx(chance)


@pytest.mark.parametrize(("runs", "right", "k"), [(200, 13, 1), (200, 13, 10), (200, 13, 100), (100, 60, 10)])
def test_pass_at_k_is_that_of_the_papers_listing(runs: int, right: int, k: int) -> None:
    """Chen et al. 2021, figure 3: one less the product of 1 - k / n over n from runs - right + 1 to runs."""
    listed = 1.0 - math.prod(1.0 - k / n for n in range(runs - right + 1, runs + 1))
    assert pass_at_k(runs, right, k) == pytest.approx(listed)


def test_pass_at_k_of_too_few_runs_is_refused() -> None:
    with pytest.raises(UsageError, match="pass@2 needs 2 runs"):
        pass_at_k(1, 1, 2)


def test_what_does_not_vary_has_an_interval_of_no_width() -> None:
    assert estimate_mean([0.5, 0.5]).low == estimate_mean([0.5, 0.5]).high == 0.5


def test_several_runs_of_a_task_are_one_unit() -> None:
    """Whole tasks are resampled: three equal runs of each tell no more than one of each does."""
    single, triple = [1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 1.0, 0.0]
    assert estimate_share(single) == estimate_share(triple)
    mixed = estimate_share([1 / 3, 0.0, 1.0, 2 / 3])
    assert mixed.low < 0.5 < mixed.high


def test_the_frontier_holds_what_nothing_beats() -> None:
    assert find_frontier([(2.0, 0.9), (1.0, 0.5), (1.5, 0.4), (3.0, 0.9)]) == [(1.0, 0.5), (2.0, 0.9)]


# --- reports --------------------------------------------------------------------------------------------------------


def write_rows(path: Path, rights: Sequence[bool], setup: Setup = SET, runs: int = 1, cpu: float = 1.0) -> str:
    kept = RowFile(path, setup)
    for n, right in enumerate(rights):
        for number in range(1, runs + 1):
            kept.add(
                Row(
                    f"task {n} (value misuse)", right, right, "search", cpu=cpu, score=9.0 if right else 5.0, reason="healed" if right else "exhausted",
                    attempts=1, first=right, run=number, phases={"try": 0.5}, diff="" if right else "-a\n+b", why="" if right else "expected 3, got 4",
                )
            )  # fmt: skip
    return str(path)


def report(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = run.command(argparse.Namespace(arguments=list(words)))
    return code, capsys.readouterr().out


def test_compare_says_a_difference_only_where_one_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = replace(SET, healers=("rules",))
    both = write_rows(tmp_path / "a.jsonl", [True] * 12)
    worse = write_rows(tmp_path / "b.jsonl", [True] * 2 + [False] * 10, rules)
    near = write_rows(tmp_path / "c.jsonl", [True] * 11 + [False])
    _, text = report(capsys, "compare", both, worse)
    assert "rules − rules+search: -83.3%" in text
    assert "0 gained, 10 lost of 12" in text
    assert text.count(": a difference was shown") == 1
    assert ": no difference was shown" in report(capsys, "compare", both, near)[1]


def test_regress_fails_on_what_is_worse_beyond_noise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = write_rows(tmp_path / "old.jsonl", [True] * 12)
    same = write_rows(tmp_path / "same.jsonl", [True] * 11 + [False], cpu=1.1)
    fell = write_rows(tmp_path / "fell.jsonl", [True] * 2 + [False] * 10)
    slow = write_rows(tmp_path / "slow.jsonl", [True] * 12, cpu=2.0)
    assert report(capsys, "regress", old, same) == (0, "no regression was shown: 0 gained, 1 lost of 12 tasks\n")
    code, text = report(capsys, "regress", old, fell)
    assert (code, "worse: success fell by 83.3%" in text) == (1, True)
    code, text = report(capsys, "regress", old, slow)
    assert (code, "CPU-seconds a task" in text) == (1, True)


def test_without_a_model_each_lost_task_is_a_regression_of_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rules and search do the same again: five programs that were all lost passed the baseline of CI, by p 0.06."""
    old, lost = write_rows(tmp_path / "old.jsonl", [True] * 5), write_rows(tmp_path / "new.jsonl", [True] * 4 + [False])
    code, text = report(capsys, "regress", old, lost, "--counts")
    assert (code, text) == (1, "worse: no longer healed correctly: task 4 (value misuse)\n")
    asked = replace(SET, healers=("language_model",), model="m")
    old, lost = (write_rows(tmp_path / f"{n}.jsonl", [True] * 4 + [bool(n)], asked) for n in (1, 0))
    assert report(capsys, "regress", old, lost, "--counts")[0] == 0, "a model's replies vary"


def test_variance_lists_the_tasks_that_flip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_rows(tmp_path / "a.jsonl", [True, False], runs=2)
    RowFile(Path(path), SET).add(Row("task 0 (value misuse)", False, False, run=3))
    RowFile(Path(path), SET).add(Row("task 1 (value misuse)", False, False, run=3))
    _, text = report(capsys, "variance", path)
    assert "1 task flips:\n    task 0 (value misuse): ✓✓·" in text
    assert "pass@1 33.3%" in text
    with pytest.raises(UsageError, match="one run"):
        report(capsys, "variance", write_rows(tmp_path / "b.jsonl", [True]))


def test_failures_are_grouped_and_the_nearest_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, text = report(capsys, "failures", write_rows(tmp_path / "a.jsonl", [True, False, False]))
    assert "2 of 3 not healed correctly" in text
    assert "    2  exhausted" in text
    assert "    2  value misuse" in text
    assert "    2  expected …, got …" in text
    assert "score 5, offered: expected 3, got 4\n-a\n+b" in text


def test_where_all_is_healed_no_empty_groups_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_rows(tmp_path / "a.jsonl", [True, True])
    assert report(capsys, "failures", path)[1].strip().endswith("0 of 2 not healed correctly")
    assert "<table" not in report(capsys, "failures", path, "--format", "html")[1]


def test_failures_are_a_page_too_and_name_the_steps_that_were_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_rows(tmp_path / "a.jsonl", [True])
    RowFile(Path(path), SET).add(
        Row("t|u", False, False, diff="-<a>\n+b", why="it's <b>", score=4.0, trace=str(tmp_path / "t"))
    )
    _, markdown = report(capsys, "failures", path, "--format", "markdown")
    assert "## rules+search: 1 of 2 not healed correctly" in markdown
    assert "| not told | 1 |" in markdown
    assert f"JUPYTER_DATA_DIR={tmp_path / 't'} jupyter selfheal trace" in markdown
    assert "~~~diff\n-<a>\n+b\n~~~" in markdown
    _, page = report(capsys, "failures", path, "--format", "html")
    assert "<pre>-&lt;a&gt;\n+b</pre>" in page
    assert f'href="{(tmp_path / "t").as_uri()}"' in page
    assert "<b>" not in page.replace("</b>", "")


@pytest.mark.filterwarnings("error")
def test_a_dashboard_is_pictures_and_a_page_with_everything_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [
        write_rows(tmp_path / "a.jsonl", [True, False, True]),
        write_rows(
            tmp_path / "b.jsonl",
            [True, False, False],
            replace(SET, healers=("language_model",), model="a-long-name-of-some-local-model:7b-instruct-q4_K_M"),
        ),
    ]
    _, text = report(capsys, "dashboard", *files, "-o", str(tmp_path / "out"))
    assert [Path(line).name for line in text.split()] == [
        "dashboard.png",
        "dashboard.pdf",
        "details.png",
        "dashboard.html",
    ]
    assert (tmp_path / "out/dashboard.png").read_bytes()[:4] == b"\x89PNG"
    pages = (tmp_path / "out/dashboard.pdf").read_bytes()
    assert pages[:4] == b"%PDF"
    assert pages.count(b"/Type /Page ") == 2, "the four panels, and time, calibration and faults"
    page = (tmp_path / "out/dashboard.html").read_text()
    assert page.count("<section>") == page.count("data:image/svg+xml;base64,") == 7, (
        "each panel by itself, for a narrow screen"
    )
    again = tmp_path / "again"
    report(capsys, "dashboard", *files, "-o", str(again))
    assert (again / "dashboard.html").read_text() == page
    assert json.dumps("task 2 (value misuse)") in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_model_without_a_price_is_not_drawn_as_free(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A local server's tokens cost something; as $0 it would stand on the frontier of cost and success."""
    found = []
    for name, dollars in (("local", 0.0), ("priced", 0.02)):
        kept = RowFile(tmp_path / f"{name}.jsonl", replace(SET, healers=("language_model",), model=name))
        kept.add(Row("a", True, name == "local", tokens={"language_model": 900}, dollars={"language_model": dollars}))
        found.append(str(kept.path))
    _, text = report(capsys, "compare", *found)
    assert "no price" in next(line for line in text.splitlines() if line.startswith("language_model (local)"))
    pictures = pytest.importorskip("matplotlib.figure").Figure()
    axis = pictures.subplots()
    _draw_cost(axis, read_configurations([Path(path) for path in found]))
    assert [text.get_text() for text in axis.texts] == [
        "no price, not drawn:\nlanguage_model (local)",
        "language_model (priced)",
    ]
    assert [list(map(float, line.get_ydata())) for line in axis.lines] == [[0.0, 0.0]], (
        "the frontier is of the priced one"
    )
    report(capsys, "dashboard", found[0], "-o", str(tmp_path / "none-has-a-price"))


def test_the_last_line_of_a_bench_does_not_count_runs_as_programs() -> None:
    rows = [Row(name, True, True, run=run) for name in "ab" for run in (1, 2, 3)]
    text = format_figures(compute_figures(rows, "a set", "all", 1))
    assert "a set, oracle all: 2 programs in 3 runs, 6 rows, 6 plausible" in text
    assert "oracle all: 2 programs, 2 plausible" in format_figures(compute_figures(rows[::3], "a set", "all", 1))


def test_calibration_counts_a_task_once_however_often_it_was_run() -> None:
    rows = [
        Row("a", True, True, score=8.8, run=1), Row("a", True, False, score=9.2, run=2), Row("b", False, False, score=6.0, place=1),
        Row("c", True, True, score=9.0), Row("d", False, False),
    ]  # fmt: skip
    assert rate_scores(rows) == {6: [1.0], 9: [0.5, 1.0]}


def test_rows_are_a_table_that_pandas_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write_rows(tmp_path / "a.jsonl", [True, False])
    other = RowFile(tmp_path / "b.jsonl", replace(SET, healers=("language_model",), model="stand-in"))
    other.add(Row('say "a, b"', True, True, tokens={"judge": 7}, dollars={"judge": 0.5}, diff="-a\n+b", load=1.0))
    _, text = report(capsys, "csv", first, str(other.path))
    lines = list(csv.DictReader(text.splitlines()))
    assert [line["file"] for line in lines] == ["a.jsonl", "a.jsonl", "b.jsonl"]
    assert [line["correct"] for line in lines] == ["True", "False", "True"]
    assert (lines[2]["name"], lines[2]["model"], lines[2]["tokens.judge"]) == ('say "a, b"', "stand-in", "7")
    assert lines[0]["tokens.judge"] == "", "nobody was asked there"
    assert all(line["versions.python"] and line["seed"] and "diff" not in line for line in lines)
    assert {line["temperature"] for line in lines} == {""}, "the model's own, and no number that says so"


def test_files_that_cannot_be_compared_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write_rows(tmp_path / "a.jsonl", [True])
    other = write_rows(tmp_path / "b.jsonl", [True], Setup("another set", "all"))
    (tmp_path / "old.jsonl").write_text('{"set": "a set", "oracle": "all"}\n')
    (tmp_path / "words.jsonl").write_text("words\n")
    for name, says in (
        ("b", "different tasks"),
        ("old", "schema 1"),
        ("words", "no file of rows"),
        ("none", "cannot be read"),
    ):
        with pytest.raises(UsageError, match=says) as raised:
            report(capsys, "compare", good, str(tmp_path / f"{name}.jsonl"))
        assert "\n" not in str(raised.value)
    assert other
