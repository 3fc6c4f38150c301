"""What ``%heal`` prints fits a terminal, and what it refuses is one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import MethodType, SimpleNamespace
from typing import Any

import pytest
from IPython.core.error import UsageError

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import UsageError as Refusal
from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.surfaces.live.heal_history import HealHistory
from jupyter_selfheal.surfaces.live.magics import HealMagics
from jupyter_selfheal.surfaces.live.session import LiveSession
from tests.unit.surfaces.test_card import Screen

Magics = Callable[..., tuple[HealMagics, Screen]]


@pytest.fixture
def on_screen(monkeypatch: pytest.MonkeyPatch) -> Magics:
    """Makes the magics of a session without a heal, on a terminal of eighty columns."""

    def make(config: HealConfig | None = None, *cells: Cell, **of_session: Any) -> tuple[HealMagics, Screen]:
        monkeypatch.setenv("COLUMNS", "80")
        screen = Screen()
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setattr(sys, "stderr", Screen())
        known: Any = SimpleNamespace(
            build_present=lambda: Notebook(cells), list_cells_below=list, is_told=False,
            list_cells_to_failure=lambda run: list(cells),
        )  # fmt: skip
        session: Any = SimpleNamespace(
            config=config or HealConfig(), cells=known, record_consent=lambda: None,
            **{"shell": SimpleNamespace(), "command": None, "closers": [], "heals": HealHistory(), **of_session},
        )  # fmt: skip
        session.start_command = MethodType(LiveSession.start_command, session)
        ahead: Any = SimpleNamespace(switch=lambda on: None)
        return HealMagics(session, SimpleNamespace(), SimpleNamespace(), lambda: ahead), screen  # type: ignore[arg-type]

    return make


def measure(text: str) -> int:
    return max(map(len, text.splitlines()))


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("ahead now", "no page has told which cells are below"),
        ("ahead on", "it stops when you run a cell. That takes JupyterLab or Notebook 7"),
        ("consent", "may be sent to the model in this session"),
    ],
)
def test_what_a_magic_says_fits_the_terminal(on_screen: Magics, command: str, says: str) -> None:
    magics, screen = on_screen(shell=SimpleNamespace(kernel=None), has_page=lambda: False)
    magics.heal_line(command)
    assert says in " ".join(screen.getvalue().split())
    assert measure(screen.getvalue()) <= 80


@pytest.mark.parametrize("command", ["bisect", "ahead on", "ahead maybe", "approve", "undo", "budget much"])
def test_what_a_magic_refuses_fits_the_terminal_with_the_name_that_ipython_puts_before_it(
    on_screen: Magics, command: str
) -> None:
    magics, _ = on_screen()
    magics._list_healed = list  # type: ignore[method-assign]
    with pytest.raises(UsageError) as refused:
        magics.heal_line(command)
    assert measure(f"UsageError: {refused.value}") <= 80


def test_a_refusal_of_ours_is_told_as_ipythons_own_and_without_a_traceback(on_screen: Magics) -> None:
    """IPython shows a traceback of every other class."""
    busy = SimpleNamespace(is_running=True, name="minimize")
    magics, _ = on_screen(None, Cell("a", "1"), command=busy)
    with pytest.raises(UsageError, match="`%heal minimize` is still at work"):
        magics.heal_line("minimize")
    assert not issubclass(UsageError, Refusal)


def test_a_folder_that_cannot_be_written_to_is_one_sentence(
    on_screen: Magics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    magics, _ = on_screen(None, Cell("a", "1"))
    with pytest.raises(UsageError, match="the working folder cannot be written to"):
        magics.heal_line("minimize")


def test_the_settings_say_that_no_model_is_asked_where_offline_holds(on_screen: Magics) -> None:
    magics, screen = on_screen(HealConfig(offline=True))
    magics.heal_line("config")
    assert "no model is asked, whichever healers are named" in screen.getvalue()
    magics, screen = on_screen(HealConfig())
    magics.heal_line("config")
    assert "no model is asked" not in screen.getvalue()


@pytest.mark.parametrize("phase", ["closed", "applied"])
def test_where_no_heal_is_at_work_there_is_none_to_stop(on_screen: Magics, phase: str) -> None:
    card = SimpleNamespace(phase=phase, status="Undone: the old source is back.")
    magics, _ = on_screen(heals=SimpleNamespace(latest=SimpleNamespace(card=card)))
    with pytest.raises(UsageError, match="there is no heal to stop"):
        magics.heal_line("stop")


@pytest.mark.parametrize(("phase", "says"), [("proposed", "`%heal approve` applies it"), ("closed", "")])
def test_a_fix_is_told_of_once(on_screen: Magics, phase: str, says: str) -> None:
    """Of a heal that begins again a terminal asks at once; afterwards it is proposed as well."""
    heal = SimpleNamespace(card=SimpleNamespace(phase=phase, status="fix ready"), settled=Event())
    heal.settled.set()
    magics, screen = on_screen(shell=SimpleNamespace(user_ns={}), heals=SimpleNamespace(latest=heal, __len__=lambda: 1))

    def ask_again(chosen: object) -> object:
        heal.card.phase = "proposed"
        return heal

    magics._dispatcher = SimpleNamespace(heal_last_failure=ask_again)  # type: ignore[assignment]
    magics.heal_line("")
    assert (says in screen.getvalue(), bool(screen.getvalue())) == (True, bool(says))
