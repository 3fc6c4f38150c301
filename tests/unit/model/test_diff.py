from __future__ import annotations

from jupyter_selfheal.model import (
    Cell,
    DiffLine,
    Insert,
    Install,
    LineKind,
    Move,
    Notebook,
    Patch,
    Replace,
    RunCells,
    diff_patch,
    diff_sources,
    format_diff,
)

OLD = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\ng = 7\nh = 8"


def test_lines_are_data_with_a_gap_between_parts_that_are_far_apart() -> None:
    lines = diff_sources(OLD, OLD.replace("1", "0").replace("8", "9"), context=1)
    assert lines == (
        DiffLine(LineKind.REMOVED, "a = 1"),
        DiffLine(LineKind.ADDED, "a = 0"),
        DiffLine(LineKind.KEPT, "b = 2"),
        DiffLine(LineKind.GAP, ""),
        DiffLine(LineKind.KEPT, "g = 7"),
        DiffLine(LineKind.REMOVED, "h = 8"),
        DiffLine(LineKind.ADDED, "h = 9"),
    )


def test_lines_that_look_like_a_diffs_own_stay_what_they_are() -> None:
    lines = diff_sources("-- a\n@@ b", "++ a\n@@ b")
    assert format_diff(lines) == "--- a\n+++ a\n @@ b"
    assert [line.kind for line in lines] == [LineKind.REMOVED, LineKind.ADDED, LineKind.KEPT]


def test_equal_sources_have_no_lines() -> None:
    assert diff_sources(OLD, OLD) == ()


def test_every_edit_of_a_patch_is_drawn_under_the_cells_name() -> None:
    notebook = Notebook((Cell("t", "# Title", kind="markdown"), Cell("a", "x = 1"), Cell("b", "y = x"), Cell("c", "z")))
    edits = (
        Replace("a", "x = 1", "x = 2"),
        Insert("n", "import os", before="b"),
        Move("c", before="b"),
        RunCells(("a", "b")),
        Install("pandas", "pandas"),
    )
    assert format_diff(diff_patch(Patch(edits, "all of them"), notebook.name_cell)).splitlines() == [
        "@@ cell 1 @@",
        "-x = 1",
        "+x = 2",
        "@@ new cell above cell 2 @@",
        "+import os",
        "@@ move cell 3 above cell 2 @@",
        "@@ run first: cell 1, cell 2 @@",
        "+%pip install pandas",
    ]
