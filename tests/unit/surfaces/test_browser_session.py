"""``%load_ext`` in JupyterLite: IPython's own shell here, without a kernel; that it loads under Pyodide was tried by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell

from jupyter_selfheal.surfaces import browser_session


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    """A shell of its own with the session loaded."""
    made = InteractiveShell()
    browser_session.load(made)
    yield made
    browser_session.unload(made)
    made.history_manager.end_session()


def approve(shell: InteractiveShell) -> list[object]:
    """``%heal approve``; what the page is told to do with the cell."""
    shell.run_cell("%heal approve", store_history=True)
    told = shell.payload_manager.read_payload()
    shell.payload_manager.clear_payload()
    return told


def run(shell: InteractiveShell, *cells: str) -> None:
    for cell in cells:
        shell.run_cell(cell, store_history=True)


def test_a_failing_cell_is_healed_and_the_next_one_becomes_it(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "price = 20", "print(prise * 3)")
    said = capsys.readouterr().out
    assert "Self-heal: `prise` isn't defined. Did you mean `price`?\n-print(prise * 3)\n+print(price * 3)" in said
    assert "Score 7 of 10" in said
    assert approve(shell) == [{"source": "set_next_input", "text": "print(price * 3)", "replace": True}]
    assert approve(shell) == []
    assert "there is no fix to approve" in capsys.readouterr().out


def test_a_fix_in_a_cell_above_is_run_before_the_failing_cell(shell: InteractiveShell) -> None:
    run(shell, "def add(values):\n    return sum(vales)", "add([4])")
    (told,) = approve(shell)
    assert told == {
        "source": "set_next_input",
        "text": "def add(values):\n    return sum(values)\n\nadd([4])",
        "replace": True,
    }


def test_what_cannot_be_healed_is_said_and_nothing_is_offered(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    run(shell, "import os", "os.environ['NO_SUCH_KEY_HERE']")
    assert "NO_SUCH_KEY_HERE" in capsys.readouterr().out
    assert approve(shell) == []


def test_switched_off_or_unloaded_it_says_nothing(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    run(shell, "price = 20", "%heal off", "prise")
    assert "Self-heal" not in capsys.readouterr().out
    run(shell, "%heal on")
    browser_session.unload(shell)
    run(shell, "prise")
    assert "Self-heal" not in capsys.readouterr().out
