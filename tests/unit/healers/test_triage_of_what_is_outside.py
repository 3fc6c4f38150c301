"""What triage leaves alone as it hangs on something outside, or was never run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jupyter_selfheal.model import Cell, FailureKind, SkipReason
from jupyter_selfheal.testing.rule_conformance import Bench, build_notebook, find_first_failure
from tests.unit.healers.triage import diagnose


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("# Set up\n!pip install wonder\n\n!make all", SkipReason.NETWORK),
        ("!git clone https://example.org/a.git", SkipReason.NETWORK),
        ("!pip install wonder\nwhile True:\n    pass", None),  # the loop may have taken the time
        ("!ls data\n!make all", None),
        ("x = 1  # !pip install wonder", None),
    ],
)
def test_commands_for_the_shell_that_wait_for_an_address(bench: Bench, source: str, reason: SkipReason | None) -> None:
    broken = bench.fail("1 / 0")
    failure = replace(broken.case.failure, source=source, kind=FailureKind.TIMED_OUT, ename="", evalue="")
    assert diagnose(replace(broken, case=replace(broken.case, failure=failure))).skip_reason is reason


def test_a_service_that_its_reader_gave_up_is_outside(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    raises = "def DataReader(name, data_source):\n    raise NotImplementedError(f'data_source={data_source!r} is not implemented')"
    bench.write_file("pandas_datareader.py", raises)
    monkeypatch.syspath_prepend(bench.folder)
    read = "DataReader('MMM', data_source='yahoo')"
    gone = diagnose(bench.fail("from pandas_datareader import DataReader", read))
    assert (gone.skip_reason, gone.advice) == (SkipReason.NETWORK, "Read the data from another source, or from a file.")
    assert diagnose(bench.fail(raises, read)).skip_reason is not SkipReason.NETWORK, "a function of the notebook's own"


@pytest.mark.parametrize(
    ("source", "count", "above", "reason"),
    [
        ("shelf.place()", None, 3, SkipReason.SKELETON),
        ("shelf.place()", 4, 3, None),  # somebody ran it
        ("shelf.place()", None, None, None),  # nothing was run: that it was not says nothing
        ("shelf.place(depth=2)", None, 3, None),
        ("books = shelf.place()", None, 3, None),
    ],
)
def test_a_call_of_nothing_that_was_never_run_shows_its_parameters(
    bench: Bench, source: str, count: int | None, above: int | None, reason: SkipReason | None
) -> None:
    made = "class Shelf:\n    def place(self, book, depth=1):\n        return book\nshelf = Shelf()"
    cells = (Cell("a", made, count=above), Cell("b", source, count=count))
    broken = find_first_failure(build_notebook(cells, bench.folder))
    assert broken is not None
    assert diagnose(broken).skip_reason is reason


@pytest.mark.parametrize(
    "refused",
    ["PermissionError(13, 'Permission denied', 'x.txt')",
     "OSError(30, 'Read-only file system', '/opt/x.txt')",
     "OSError(75, 'Value too large for defined data type', 'x.txt')",
     "OSError('Matplotlib requires access to a writable cache directory, but there was an issue with the default path')"],
)  # fmt: skip
def test_a_right_that_is_missing_is_no_missing_module_and_the_way_to_let_cells_write_is_named(
    bench: Bench, refused: str
) -> None:
    saved = f"from concurrent.futures import Future\nsaved = Future()\nsaved.set_exception({refused})"
    found = diagnose(bench.fail(saved, "saved.result()"))
    assert found.skip_reason == "environment"
    assert "`heal --write`" in found.advice


@pytest.mark.parametrize(
    ("evalue", "cause", "advice"),
    [
        (r"Command 'b'ls nofolder\n'' returned non-zero exit status 2.", "status 2: `ls nofolder`", "output"),
        (r"Command 'b'foo --bar\n'' returned non-zero exit status 127.", "status 127: `foo --bar`", "install it"),
        ("Command '['ls', '../data']' returned non-zero exit status 2.", "status 2: `['ls', '../data']`", "output"),
        ("Command 'make' died with <Signals.SIGKILL: 9>.", "was killed: `make`", "output"),
    ],
)
def test_a_program_that_failed_is_no_missing_module(bench: Bench, evalue: str, cause: str, advice: str) -> None:
    broken = bench.fail("1 / 0")
    failure = replace(broken.case.failure, ename="CalledProcessError", evalue=evalue)
    found = diagnose(replace(broken, case=replace(broken.case, failure=failure)))
    assert found.skip_reason is SkipReason.ENVIRONMENT
    assert cause in found.cause
    assert advice in found.advice
