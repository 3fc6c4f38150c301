"""The cells of a session."""

from __future__ import annotations

from jupyter_selfheal.model import Cell, Output
from jupyter_selfheal.surfaces.live.cell_log import CellLog


def test_history_is_the_notebook_where_no_front_end_tells() -> None:
    log = CellLog("/work")
    log.record_run("a", "x = 1", 1)
    log.record_run("b", "y = 2", 2)
    log.record_run("a", "x = 3", 3)
    found = log.build_notebook("f", "x / 0", 4)
    assert [(c.id, c.source, c.runs) for c in found.cells] == [("b", "y = 2", 2), ("a", "x = 3", 3), ("f", "x / 0", 4)]
    assert log.find_cell_of_run(2) == "b"


def test_what_failed_last_comes_without_what_failed_before_and_what_ran_since() -> None:
    log = CellLog("/work")
    log.record_run("a", "x = 1", 1)
    log.record_run("b", "y", 2, failed=True)
    log.record_run("c", "z = x", 3)
    log.record_run("d", "z / 0", 4, failed=True)
    log.record_run("e", "print(x)", 5)
    assert [c.id for c in log.list_cells_to_failure()] == ["a", "c", "d"]
    assert [c.id for c in log.list_cells_to_failure(2)] == ["a", "b"]
    assert [log.list_cells_to_failure(run) for run in (1, 5, 9)] == [()] * 3, "these do not fail, or were never run"
    log.record_run("d", "z / 1", 6)
    assert [c.id for c in log.list_cells_to_failure()] == ["a", "b"]


def test_cells_of_the_front_end_keep_their_order_and_know_what_ran() -> None:
    log = CellLog("/work")
    log.record_run("b", "y = 2", 1)
    log.record_run("c", "old", 2)
    log.learn((Cell("a", "x = 1"), Cell("b", "y  =  2"), Cell("c", "new"), Cell("f", "z")), "n.ipynb")
    found = log.build_notebook("f", "z", 3)
    assert [(c.id, c.runs) for c in found.cells] == [("a", 0), ("b", 1), ("c", 0), ("f", 0)]
    assert found.path == "n.ipynb"


def test_id_is_made_of_the_source_where_there_is_none() -> None:
    assert CellLog.identify(None, "x") == CellLog.identify(None, "x") != CellLog.identify(None, "y")
    assert CellLog.identify("front", "x") == "front"


def test_output_of_this_session_is_not_taken_for_the_stored_one() -> None:
    error = Output("error", ename="NameError")
    log = CellLog("/work")
    log.learn((Cell("a", "x", outputs=(Output("stream", text="1"),)), Cell("b", "y")))
    log.record_run("a", "x", 1)
    log.record_run("b", "y", 2)
    log.learn((Cell("a", "x", outputs=(error,)), Cell("b", "y", outputs=(error,))))
    assert [c.outputs for c in log.build_notebook("b", "y", 2).cells] == [(Output("stream", text="1"),), ()]


def test_error_of_an_earlier_kernel_is_not_what_the_cell_is_meant_to_show() -> None:
    log = CellLog("/work")
    log.learn((Cell("a", "x", outputs=(Output("stream", text="1"), Output("error", ename="NameError"))),))
    assert log.build_notebook("a", "x", 1).cells[0].outputs == ()


def test_lines_on_top_that_do_not_run_are_kept_apart() -> None:
    log = CellLog("/work")
    log.record_run("a", "\n\nx", 1)
    log.record_run("b", "%%heal --expect 1\nx", 2)
    log.learn((Cell("c", "%%heal\ny"),))
    assert (log.find_source("a"), log.find_source("b")) == ("x", "\nx")
    found = log.build_notebook("c", "\ny", 3).cells
    assert [log.find_written_source(c) for c in (*found, Cell("b", "\nx"), Cell("a", "x"))] == [
        "%%heal\ny",
        "%%heal --expect 1\nx",
        "\n\nx",
    ]
