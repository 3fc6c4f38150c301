"""Switching on and off in a shell of this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from jupyter_selfheal.surfaces.live import extension
from jupyter_selfheal.surfaces.live.session import LiveSession


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.enabled = False
    found = InteractiveShell.instance(config=config)
    yield found
    extension.unload(found)
    InteractiveShell.clear_instance()


def session_of(shell: InteractiveShell) -> LiveSession:
    found = getattr(shell, extension.ATTRIBUTE)
    assert isinstance(found, LiveSession)
    return found


def places(shell: InteractiveShell) -> tuple[Any, ...]:
    """Everything of the shell that an extension could change."""
    return (
        shell.custom_exceptions,
        shell.CustomTB,
        list(shell.input_transformers_cleanup),
        list(shell.input_transformers_post),
        {event: list(callbacks) for event, callbacks in shell.events.callbacks.items()},
        sorted(shell.magics_manager.magics["line"]),
        sorted(shell.magics_manager.magics["cell"]),
        sorted(shell.user_ns),
    )


def test_unloading_restores_everything(shell: InteractiveShell) -> None:
    before = places(shell)
    extension.load(shell)
    assert places(shell) != before
    extension.unload(shell)
    assert places(shell) == before


def test_handler_of_somebody_else_is_called_and_put_back(shell: InteractiveShell) -> None:
    seen = []
    shell.set_custom_exc((ZeroDivisionError,), lambda s, et, ev, tb, tb_offset=None: seen.append(et))
    theirs = shell.CustomTB
    extension.load(shell)
    shell.run_cell("%heal off")
    shell.run_cell("1/0")
    assert seen == [ZeroDivisionError]
    extension.unload(shell)
    assert shell.CustomTB == theirs
    assert shell.custom_exceptions == (ZeroDivisionError,)


@pytest.mark.parametrize("cell", ["1/0", "def f(:\n  pass", "%nonsense_magic", "undefined_name", "raise SystemExit(3)"])
def test_traceback_is_what_it_is_without_us(
    shell: InteractiveShell, cell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown() -> str:
        shell.execution_count = 7
        shell.run_cell(cell, store_history=True)
        captured = capsys.readouterr()
        return captured.out + captured.err

    plain = shown()
    extension.load(shell)
    shell.run_cell("%heal off")
    capsys.readouterr()
    assert shown() == plain
    assert plain


def test_error_of_ours_is_one_line_and_the_hook_survives(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    extension.load(shell)
    session = session_of(shell)

    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("ours")

    monkeypatch.setattr(session, "make_run_id", broken)
    for _ in range(2):
        shell.run_cell("1/0")
    told = [line for line in capsys.readouterr().err.splitlines() if "Self-heal" in line]
    assert len(told) == 1
    assert "live.log" in told[0]
    assert "ValueError: ours" in session.log_path.read_text()
    assert shell.custom_exceptions == (Exception,)


def test_loading_twice_changes_nothing(shell: InteractiveShell) -> None:
    extension.load(shell)
    once = places(shell)
    extension.load(shell)
    assert places(shell) == once


def test_settings_come_from_the_configuration(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.config.SelfHeal.budget_usd = 0.5
    shell.config.SelfHeal.healers = ["rules"]
    shell.config.SelfHeal.nonsense = 1
    config = extension.read_config(shell)
    assert (config.budget_usd, config.healers) == (0.5, ("rules",))
    assert "unknown setting 'nonsense'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("%heal nonsense", "unknown command 'nonsense'"),
        ("%heal --expct 3", "unknown option --expct"),
        ("%heal approve", "no heal in this session yet"),
        ("%%heal --nonsense\n1/0", "unknown option --nonsense"),
        ("%%heal reject\n1/0", "does not go on top of a cell"),
    ],
)
def test_usage_errors_are_one_line(
    shell: InteractiveShell, line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    extension.load(shell)
    shell.run_cell(line)
    captured = capsys.readouterr()
    assert said in captured.out + captured.err
    assert "Traceback" not in captured.out + captured.err


def test_help_is_shown_like_any_magic(shell: InteractiveShell) -> None:
    extension.load(shell)
    found = shell.object_inspect("%%heal")
    assert "--expect E" in found["docstring"]


def test_help_is_also_a_command(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    extension.load(shell)
    shell.run_cell("%heal help")
    assert "--expect E" in capsys.readouterr().out


def test_in_a_trial_heal_lines_are_read_and_nothing_is_started(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys._selfheal_trial", True, raising=False)
    before = places(shell)[:2]
    extension.load(shell)
    assert shell.run_cell("%%heal --expect 3\nx = 3").success
    assert shell.run_cell("%heal status").success
    assert places(shell)[:2] == before
    assert not hasattr(shell, extension.ATTRIBUTE)
    shell.input_transformers_cleanup.pop()


TIMED_AS_IN_IPYTHON_8 = """
from IPython.core.magic import register_cell_magic
@register_cell_magic
def time(line, cell):
    try:
        exec(compile(cell, "<timed exec>", "exec"), get_ipython().user_ns)
    except Exception:
        get_ipython().showtraceback()
"""


def test_an_error_that_a_magic_showed_by_itself_is_a_failure_once(shell: InteractiveShell) -> None:
    """``%%time`` of IPython 8 ends well where its body failed (IPython 9 raises)."""
    extension.load(shell)
    session = session_of(shell)
    shell.run_cell(TIMED_AS_IN_IPYTHON_8)
    told: list[str] = []
    session.listeners.append(lambda heal: told.append(heal.case.failure.headline))
    shell.run_cell("%%heal --no-wait\n%%time\nundefined_name")
    assert told[:1] == ["NameError: name 'undefined_name' is not defined"]
    count = len(session.heals)
    shell.run_cell("%%time\n1 + 1")
    assert len(session.heals) == count


def test_an_interrupt_of_ours_is_one_sentence_and_leaves_our_places(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    """It comes while what the cell raised is read: in the exception's own text here, in an import of ours as a rule."""
    extension.load(shell)
    shell.run_cell("class Stops(Exception):\n    def __str__(self):\n        raise KeyboardInterrupt")
    ours = places(shell)
    shell.run_cell("raise Stops()")
    said = "".join(capsys.readouterr())
    assert "Self-heal: stopped; nothing was changed." in said
    assert "Error in callback" not in said
    assert "shell_hooks" not in said
    assert places(shell)[:5] == ours[:5]
    assert session_of(shell).heals.latest is None
