from __future__ import annotations

from jupyter_selfheal.model import Cell, Output, Replace
from jupyter_selfheal.surfaces.notebook.failures import list_warnings
from jupyter_selfheal.surfaces.notebook.records import NotebookReport, Record, Status
from jupyter_selfheal.surfaces.notebook.roots import describe_root

CELLS = {
    "a": "df['c'] = df['c'].fillna(0)",
    "b": "print('nothing of it')",
    "c": "n = df['c'].astype(int)",
    "d": "n.sum()",
    "e": "other = 1",
    "f": "df.shape",
}


def build_report(edited: str, failing: str = "c") -> tuple[NotebookReport, Record]:
    records = tuple(
        Record(
            Cell(name, source),
            number,
            Status.HEALED if name == failing else Status.RAN,
            edits=(Replace(edited, "old", CELLS[edited]),) if name == failing else (),
        )
        for number, (name, source) in enumerate(CELLS.items(), 1)
    )
    return NotebookReport("n.ipynb", records=records), records[list(CELLS).index(failing)]


def test_a_root_far_above_is_said_with_the_cells_that_come_of_it() -> None:
    words = describe_root(*build_report("a"))
    assert "root in cell 1" in words
    assert words.endswith("run now: 4, 6")


def test_a_fix_in_the_failing_cell_has_no_root_elsewhere() -> None:
    assert not describe_root(*build_report("c"))


def test_warnings_of_a_cell_are_told_by_their_class() -> None:
    text = "/tmp/x.py:3: ChainedAssignmentError: A value is being set on a copy\nSuch a method never works\n<stdin>:1: FutureWarning: soon\n"
    outputs = [Output("stream", "stderr", text), Output("stream", "stdout", "a.py:1: NotOne: of stdout\n")]
    assert list_warnings(outputs) == ("ChainedAssignmentError", "FutureWarning")
