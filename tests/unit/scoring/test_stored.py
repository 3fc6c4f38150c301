from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Cell, Output
from jupyter_selfheal.scoring import comparison, stored


def text(value: str) -> Output:
    return Output("execute_result", data={"text/plain": value})


def printed(value: str) -> Output:
    return Output("stream", name="stdout", text=value)


def compared(before: Output, after: Output, source: str = "x", tags: tuple[str, ...] = ()) -> comparison.Comparison:
    return stored.compare(Cell("a", source, tags=tags, outputs=(before,)), (after,))


REPRODUCED = [
    ("0.30000000000000004", "0.3"),
    ("3.14", "3.14159"),
    ("array([1., 2.])", "array([1.,  2.])"),
    ("np.float64(2.5)", "2.5"),
    ("(np.True_, np.False_)", "(True, False)"),
    ("[np.int64(1), np.int64(2)]", "[1, 2]"),
    ("<function f at 0x7f3a5c2d1e18>", "<function f at 0x7fb11d2d1e18>"),
    ("(array([1., 2.]), <a list of 2 Patch objects>)", "(array([1., 2.]), <BarContainer object of 2 artists>)"),
    ("[<matplotlib.lines.Line2D at 0x7f3a5c2d1e18>] 5", "[<matplotlib.lines.Line2D object at 0x7aaa5c2d1e18>] 5"),
    ("   a  b\n0  1  2", "   a    b\n0  1    2"),
    ("dtype: object, n 1", "dtype: str, n 1"),
    ("done 5 in 3.2 s", "done 5 in 7.9 s"),
    ("CPU times: user 2 ms\nWall time: 4 ms\n42", "CPU times: user 9 ms\nWall time: 1 ms\n42"),
    ("u'a'", "u'a'"),
    ("'a'", '"a"'),
    (
        "5 DatetimeIndexResampler [freq=<2 * Hours>, axis=0, label=left]",
        "5 DatetimeIndexResampler [freq=<2 * Hours>, label=left, origin=start_day]",
    ),
]


@pytest.mark.parametrize(("before", "after"), REPRODUCED)
def test_what_changes_between_runs_and_versions_is_no_difference(before: str, after: str) -> None:
    found = compared(text(before), text(after))
    assert found.can_decide
    assert found.same


@pytest.mark.parametrize(
    ("before", "after"),
    [("5", "6"), ("3.14", "3.15"), ("a b", "a"), ("[1, 2]", "[2, 1]"), ("-5", "5"), ("1000000", "1000001")],
)
def test_another_result_is_a_difference_and_is_shown(before: str, after: str) -> None:
    found = compared(text(before), text(after))
    assert found.can_decide
    assert not found.same
    assert (found.stored, found.got) == (before, after)


def test_streams_are_joined_before_they_are_compared() -> None:
    cell = Cell("a", "x", outputs=(printed("a\n"), printed("b\n")))
    assert stored.compare(cell, (printed("a\nb\n"),)).same


def test_html_is_read_where_there_is_no_plain_text() -> None:
    before = Output("display_data", data={"text/html": "<style>td {x: 5}</style><td>A &amp; B</td><td>7</td>"})
    assert compared(before, Output("display_data", data={"text/html": "<td> A & B</td> <td>7.0</td>"})).same


@pytest.mark.parametrize(
    "before",
    [
        Output("display_data", data={"image/png": "AAAA", "text/plain": "<Figure size 640x480 with 1 Axes>"}),
        text("<matplotlib.axes._subplots.AxesSubplot at 0x7f3a5c2d1e18>"),
        Output("stream", name="stderr", text="a warning"),
        Output("error", ename="NameError"),
        text(""),
    ],
)
def test_pictures_warnings_and_errors_are_no_oracle(before: Output) -> None:
    assert not compared(before, text("5")).can_decide


def test_an_output_that_nobody_reads_is_no_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "LONGEST", 20)
    assert not compared(printed("12345 " * 4), printed("12345 " * 4)).can_decide
    assert compared(printed("12345 " * 3), printed("12345 " * 3)).match is comparison.Match.SAME
    assert compared(printed("12345"), printed("12345 " * 4)).match is comparison.Match.VALUE


@pytest.mark.parametrize("marker", ["NBVAL_IGNORE_OUTPUT", "NBVAL_SKIP", "NBVAL_RAISES_EXCEPTION"])
def test_nbvals_markers_and_tags_switch_the_comparison_off(marker: str) -> None:
    assert not compared(text("5"), text("6"), f"# {marker}\nx").can_decide
    assert not compared(text("5"), text("6"), tags=(marker.lower().replace("_", "-"),)).can_decide
    assert compared(text("5"), text("6"), "# NBVAL_CHECK_OUTPUT\nx").can_decide


def test_similarity_says_how_much_is_as_stored() -> None:
    found = compared(printed("a b c d e f g h 1\n"), printed("a b c d e f g h 2\n"))
    assert 0.8 < found.similarity < 1.0


@pytest.mark.parametrize(
    ("source", "outputs", "computed"),
    [
        ("save_fig('ridge')", (Output("stream", text="Saving figure ridge\n"),), 0),
        ("print('total', total)", (Output("stream", text="total 42\n"),), 1),
        ("print('round', 3)", (Output("stream", text="round 3\n"),), 0),
        ("name", (Output("execute_result", data={"text/plain": "'Ada'"}),), 1),
    ],
)
def test_what_stands_in_the_cell_is_not_computed(source: str, outputs: tuple[Output, ...], computed: int) -> None:
    assert stored.compare(Cell("c", source, outputs=outputs), outputs).computed == computed


def test_outputs_that_differ_in_numbers_only_are_told_from_others() -> None:
    assert compared(printed("mean 0.12 of 50"), printed("mean 0.19 of 48")).worded
    assert not compared(printed("mean 0.12"), printed("mean 0.12 0.19")).worded
    assert not compared(printed("mean 0.12"), printed("median 0.12")).worded


WIDE = """          model               best score
0          tree    {'normalize': True}  0.81
1         lasso  {'selection': 'cyclic'}  0.22"""
BROKEN = """          model   \\
0          tree   
1         lasso   

   best score
0    {}  0.79
1    {'selection': 'random'}  0.22"""  # noqa: W291 (as pandas writes it)


@pytest.mark.parametrize(
    ("old", "new", "source", "worded"),
    [
        (WIDE, BROKEN, "rows.append(search.best_params_)", True),
        ("{'C': 1, 'penalty': 'l1'}", "{'C': 10, 'penalty': 'l2'}", "print(search.best_params_)", True),
        (WIDE, BROKEN.replace("'random'}", "'ra..."), "rows.append(search.best_params_)", True),  # a long one is cut
        (WIDE, BROKEN, "rows.append(search.params)", False),  # nobody says that these were chosen
        (WIDE, BROKEN.replace("lasso", "ridge"), "rows.append(search.best_params_)", False),
        ("best: {'C': 1}", "worst: {'C': 1}", "print(search.best_params_)", False),
    ],
)
def test_what_a_search_chose_is_no_more_a_word_than_a_number_is(old: str, new: str, source: str, worded: bool) -> None:
    assert stored.compare_outputs([printed(old)], [printed(new)], source).worded is worded


def test_what_depends_on_an_unhealed_cell_is_not_compared() -> None:
    cell = Cell("c", "x", outputs=(printed("1\n"),))
    assert stored.compare(cell, (printed("2\n"),)).can_decide
    assert not stored.compare(replace(cell, stale=True), (printed("2\n"),)).can_decide


def test_a_new_order_of_what_stands_in_the_cell_was_computed() -> None:
    stored_output = text("[[1, 4], [2, 5], [3, 6]]")
    assert compared(stored_output, stored_output, "transpose([[1, 2, 3], [4, 5, 6]])").computed == 6
    assert compared(stored_output, stored_output, "[[1, 4], [2, 5], [3, 6]]").computed == 0
    assert compared(text("[2, 1]"), text("[2, 1]"), "turn([1, 2])").computed == 0, "one of two orders"
    program = "xs = [64, 34, 25, 12]\nn = len(xs)\nfor i in range(0, n - 1):\n    pass\nprint(xs)"
    assert compared(text("[12, 25, 34, 64]"), text("[12, 25, 34, 64]"), program).computed == 4, (
        "other numbers stand there too"
    )
    assert compared(text("[64, 34, 25, 12]"), text("[64, 34, 25, 12]"), program).computed == 0, "as it was"


@pytest.mark.parametrize(
    ("source", "text", "computed"),
    [
        ("for i in range(4):\n    print('*' * i)", "\n*\n**\n***\n", 2),
        ("for i in range(3):\n    print(' ' * (2 - i) + '#' * (2 * i + 1))", "  #\n ###\n#####\n", 2),
        ("print('-' * 5)\nprint('done')\nprint('=' * 5)", "-----\ndone\n=====\n", 0),
        ("print('*')\nprint('**')\nprint('***')", "*\n**\n***\n", 0),
    ],
)
def test_the_lines_of_a_drawing_are_computed(source: str, text: str, computed: int) -> None:
    assert stored.compare_outputs((printed(text),), (printed(text),), source).computed == computed


def test_words_that_a_cell_prints_are_computed_where_it_uses_nothing_else() -> None:
    word = "word = 'hello'\nprint(word[::-1])"
    assert compared(printed("olleh\n"), printed("olleh\n"), word).computed == 1
    assert compared(printed("hello\n"), printed("hello\n"), word).computed == 0, "it stands there"
    assert compared(printed("olleh\n"), printed("olleh\n"), "print(word[::-1])").computed == 0
    saving = "import tools\nname = 'ridge'\ntools.save(name)"
    assert compared(printed("Saving ridge\n"), printed("Saving ridge\n"), saving).computed == 0, "of another's code"


@pytest.mark.parametrize(
    ("call", "new", "match"),
    [
        ("value_counts()", "b    2\na    2\nc    1\nName: count, dtype: int64", comparison.Match.FORM),
        ("value_counts()", "c    1\na    2\nb    2\nName: count, dtype: int64", comparison.Match.VALUE),
        ("value_counts(sort=False)", "c    1\na    2\nb    2\nName: count, dtype: int64", comparison.Match.FORM),
        ("value_counts(sort=False)", "c    2\na    1\nb    2\nName: count, dtype: int64", comparison.Match.VALUE),
    ],
)
def test_counts_that_are_not_sorted_come_in_any_order(call: str, new: str, match: comparison.Match) -> None:
    old, got = (Output("execute_result", data={"text/plain": t}) for t in ("a    2\nb    2\nc    1\ndtype: int64", new))
    assert stored.compare_outputs([old], [got], f"kinds.{call}").match is match


@pytest.mark.parametrize(
    ("source", "shown", "built"),
    [
        ("grid = [[0] * 3 for _ in range(2)]\ngrid[0][1] = 5\ngrid", "[[0, 5, 0], [0, 0, 0]]", True),
        ("flatten([1, [2, [3]]])", "[1, 2, 3]", True),
        ("swap({'a': 1, 'b': 2})", "{1: 'a', 2: 'b'}", True),
        ("show(9, 2, 3)", "(9, 2, 3)", False),  # as it was given, in whatever brackets
        ("set([1, 2, 3])", "{1, 2, 3}", False),
        ("[0] * 3", "[0, 0, 0]", False),  # one value
        ("pair(1, 'a')", "('a', 1)", False),  # two
        ("print('a', 'b', 'c')", "b c a", False),  # no collection
        ("f(1)(2)(3)", "(1 + 2 + 3)", False),
    ],
)
def test_a_collection_built_of_what_stands_in_the_cell_is_more_than_its_words(
    source: str, shown: str, built: bool
) -> None:
    assert compared(text(shown), text(shown), source).built is built
    assert not compared(text(shown), text("[7, 8, 9]"), source).built
