"""What a session remembers is read on one thread and changed on another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher

from jupyter_selfheal import messages as m
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.magic_options import HealOptions
from jupyter_selfheal.model import (
    Candidate,
    Case,
    Cell,
    Cost,
    Diagnosis,
    Failure,
    Notebook,
    Outcome,
    Patch,
    Proposal,
    Reason,
    Replace,
    SkipReason,
)
from jupyter_selfheal.surfaces.live.actions import Actions
from jupyter_selfheal.surfaces.live.frontend import FrontEnd
from jupyter_selfheal.surfaces.live.heal_dispatcher import HealDispatcher
from jupyter_selfheal.surfaces.live.heal_history import KEPT_HEALS
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal, build_new_card, drop_said_message
from jupyter_selfheal.surfaces.live.session import LiveSession
from jupyter_selfheal.surfaces.live.widget import CLOSED, WidgetView


class Heal:
    """A heal of which something is looked at while another thread, played by ``meanwhile``, begins one."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.meanwhile: Callable[[], object] = lambda: None
        self.is_closed = False
        self.view = SimpleNamespace(close=self.close)
        self.proving = False
        self.settled = SimpleNamespace(set=lambda: None)
        self.case = None

    @property
    def card(self) -> Any:
        self.meanwhile()
        return SimpleNamespace(phase="closed", cell_id="c")

    @property
    def is_open(self) -> bool:
        self.meanwhile()
        return False

    def close(self) -> None:
        self.meanwhile()
        self.is_closed = True


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Any]:
    session = LiveSession(SimpleNamespace(), HealConfig(), tmp_path)
    yield session
    session.stop()


@pytest.mark.parametrize("look", ["has_open_heal", "close_cards", "_handle_worker_end"])
def test_heals_may_begin_while_others_are_looked_at(session: Any, look: str) -> None:
    heals = [Heal(f"run-{n}") for n in range(3)]
    for heal in heals:
        session.remember(heal)
    begun = iter(range(100))
    heals[0].meanwhile = lambda: session.remember(Heal(f"new-{next(begun)}"))
    looks = {
        "has_open_heal": lambda: session.has_open_heal,
        "close_cards": session.close_cards,
        "_handle_worker_end": lambda: session._handle_worker_end("it ended", True),
    }
    looks[look]()
    assert session.heals.get("new-0")


def test_the_oldest_heals_are_closed_and_forgotten(session: Any) -> None:
    heals = [Heal(f"run-{n}") for n in range(KEPT_HEALS + 2)]
    for heal in heals:
        session.remember(heal)
    assert [heal.is_closed for heal in heals] == [True, True] + [False] * KEPT_HEALS
    assert list(session.heals) == heals[2:]
    assert session.heals.latest is heals[-1]


@pytest.mark.parametrize("status", ["KeyError: fixed", "Undone: the old source is back."])
def test_the_workers_last_word_changes_nothing_that_the_user_did_since(status: str) -> None:
    case = Case(Failure("c", "x['a']", ename="KeyError"), Notebook((Cell("c", "x['a']"),)))
    view = SimpleNamespace(show=None, update=lambda heal, before: None, close=None)
    heal = LiveHeal("run", case, build_new_card("run", case), view)  # type: ignore[arg-type]
    heal.update_card(phase="applied", status=status)
    heal.fold_message(m.Finished("run", Outcome(Reason.HEALED, case.failure), "journal"))
    assert heal.card.status == status
    assert heal.settled.is_set()


def test_a_card_whose_session_ends_leaves_its_text_in_the_page() -> None:
    case = Case(Failure("c", "x['a']", ename="KeyError", evalue="'a'"), Notebook((Cell("c", "x['a']"),)))
    published = CapturingDisplayPublisher()
    view = WidgetView(SimpleNamespace(display_pub=published), lambda *_: None)
    heal = LiveHeal("run", case, build_new_card("run", case), view)
    view.show(heal)
    widget = "application/vnd.jupyter.widget-view+json"
    assert widget in published.outputs[-1]["data"]
    view.close()
    last = published.outputs[-1]
    assert last["update"]
    assert widget not in last["data"]
    assert (
        last["data"]["text/plain"]
        == "Self-heal: KeyError: 'a': healing…\nThis card is closed: run the cell again for a new one."
    )
    view.close()
    assert published.outputs[-1] is last


def test_the_text_of_a_new_phase_is_published_before_its_buttons_come() -> None:
    """JupyterLab draws the output anew for a text: what is pressed at that moment would be lost."""
    case = Case(Failure("c", "x['a']", ename="KeyError", evalue="'a'"), Notebook((Cell("c", "x['a']"),)))
    told: list[str] = []

    class Page:
        """Hears of the text and of the trait, in the order in which they are sent."""

        def publish(self, bundle: dict[str, Any], *_: Any, update: bool = False, **__: Any) -> None:
            told.append(f"text {bundle['text/plain'].splitlines()[0]}")
            if not update:
                view._widget.observe(lambda change: told.append(f"card {change['new']['phase']}"), "card")  # type: ignore[union-attr]

    view = WidgetView(SimpleNamespace(display_pub=Page()), lambda *_: None)
    heal = LiveHeal("run", case, build_new_card("run", case), view)
    view.show(heal)
    told.clear()
    heal.update_card(phase="applied", status="fixed")
    heal.update_card(notes=("it holds",))
    assert told == ["text Self-heal: fixed", "card applied", "card applied"]


def test_a_card_is_not_closed_while_an_answer_is_shown() -> None:
    """Else the answer stood over the closed card's text, with buttons that lead nowhere."""
    case = Case(Failure("c", "x['a']", ename="KeyError", evalue="'a'"), Notebook((Cell("c", "x['a']"),)))
    published = CapturingDisplayPublisher()
    publish, closing = published.publish, threading.Thread(target=lambda: view.close())

    class CloseMeanwhile:
        """Another thread closes the card at the moment in which an answer is published."""

        def publish(self, *args: Any, **also: Any) -> None:
            if also.get("update") and closing.ident is None:
                closing.start()
                closing.join(0.05)
            publish(*args, **also)

    view = WidgetView(SimpleNamespace(display_pub=CloseMeanwhile()), lambda *_: None)
    heal = LiveHeal("run", case, build_new_card("run", case), view)
    view.show(heal)
    heal.fold_message(m.Paused("run", "the budget is used up", Reason.OVER_BUDGET, Cost()))
    closing.join()
    heal.fold_message(m.Notice("run", "too late"))
    assert published.outputs[-1]["data"]["text/plain"].endswith(CLOSED)
    assert "application/vnd.jupyter.widget-view+json" not in published.outputs[-1]["data"]


@pytest.mark.parametrize("reason", SkipReason)
def test_why_a_cell_is_left_as_it_is_is_said_as_a_sentence(reason: SkipReason) -> None:
    case = Case(Failure("c", "open('a')", ename="OSError", evalue="gone"), Notebook((Cell("c", "open('a')"),)))
    heal = LiveHeal("run", case, build_new_card("run", case), SimpleNamespace(update=lambda heal, before: None))  # type: ignore[arg-type]
    heal.fold_message(
        m.Finished("run", Outcome(Reason.ENVIRONMENT, case.failure, diagnosis=Diagnosis("", skip_reason=reason)), "")
    )
    assert heal.card.status == f"OSError: gone: Not changed: {reason.words}."


@pytest.mark.parametrize("again", [True, False])
def test_what_a_worker_says_late_revives_no_heal_whose_cell_has_run_again(again: bool) -> None:
    case = Case(Failure("c", "x['a']", ename="KeyError"), Notebook((Cell("c", "x['a']"),)))
    heal = LiveHeal("run", case, build_new_card("run", case), SimpleNamespace(update=lambda heal, before: None))  # type: ignore[arg-type]
    heal.update_card(phase="closed")
    heal.has_run_again = again
    heal.fold_message(m.Progress("run", "tried", "tried once"))
    assert heal.card.phase == ("closed" if again else "healing")


@pytest.mark.parametrize("action", ["reject", "retry", "edit", "continue"])
def test_an_answer_that_comes_at_once_is_not_overwritten_by_the_question(session: Any, action: str) -> None:
    case = Case(Failure("c", "x['a']", ename="KeyError"), Notebook((Cell("c", "x['a']"),)))
    view = SimpleNamespace(update=lambda heal, before: None)
    heal = LiveHeal("run", case, build_new_card("run", case, phase="proposed"), view)  # type: ignore[arg-type]
    answer = m.Proposed("run", Proposal(case.failure, Diagnosis("another cause"), ()), {}, {})
    session.client = SimpleNamespace(send=lambda message: heal.fold_message(answer) or True, close=lambda: None)
    Actions(session, SimpleNamespace()).send_decision(heal, action, text="x = 1")  # type: ignore[arg-type]
    assert (heal.card.phase, heal.card.cause) == ("proposed", "another cause")
    assert heal.settled.is_set()


def test_what_is_shown_last_is_what_the_card_is() -> None:
    case = Case(Failure("c", "x['a']", ename="KeyError"), Notebook((Cell("c", "x['a']"),)))
    shown: list[str] = []
    other = threading.Thread(target=lambda: heal.update_card(status="second"))

    def show(heal: LiveHeal, before: object) -> None:
        text = heal.card.status
        if text == "first":
            other.start()
            other.join(0.05)  # as long as the first is being shown, it must wait
        shown.append(text)

    heal = LiveHeal("run", case, build_new_card("run", case), SimpleNamespace(update=show))  # type: ignore[arg-type]
    heal.update_card(status="first")
    other.join()
    assert shown == ["first", "second"]


@pytest.mark.parametrize(
    ("cause", "shown"),
    [
        ("Syntax error in line 2: Missing parentheses in call to 'print'.", "Syntax error in line 2."),
        ("Syntax error in line 2: invalid syntax.", "Syntax error in line 2: invalid syntax."),
        ("`x` isn't defined. Did you mean `y`?", "`x` isn't defined. Did you mean `y`?"),
        ("It says: Missing parentheses in call to 'print', and more", "It says: Missing parentheses in call to 'print', and more"),
    ],
)  # fmt: skip
def test_a_cause_does_not_say_the_message_again_that_stands_above_it(cause: str, shown: str) -> None:
    assert drop_said_message(cause, "SyntaxError: Missing parentheses in call to 'print'") == shown
    assert drop_said_message(cause, "AssertionError") == cause


CELL = "items = []\nitems.appendd(3)"
CASE = Case(Failure("c", CELL, ename="AttributeError", evalue="no appendd"), Notebook((Cell("c", CELL),)))


def reject(session: Any) -> Patch:
    patch = Patch((Replace("c", CELL, CELL.replace("dd", "d")),), "Change `.appendd`")
    session.record_rejection(SimpleNamespace(case=CASE), SimpleNamespace(patch=patch))
    return patch


@pytest.mark.parametrize(("source", "is_known"), [(CELL, True), ("names = ['a']\nnames.appendd('b')", False)])
def test_a_rejected_fix_is_one_of_the_cell_as_it_was_written(session: Any, source: str, is_known: bool) -> None:
    patch = reject(session)
    failure = replace(CASE.failure, source=source)
    assert session.list_rejected(failure, Notebook((Cell("c", source),))) == ((patch,) if is_known else ())


def test_a_rejection_can_be_taken_back_once(session: Any) -> None:
    reject(session)
    heal = SimpleNamespace(case=CASE)
    assert session.take_rejection_back(heal)
    assert session.list_rejected(CASE.failure, CASE.notebook) == ()
    assert not session.take_rejection_back(heal)


@pytest.fixture
def sent(session: Any, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the worker is sent; nothing is forked."""
    told: list[Any] = []
    session.client = SimpleNamespace(send=lambda message: told.append(message) or True, close=lambda: None)
    monkeypatch.setattr(session.checkpoints, "freeze_now", lambda *_, **__: ())
    monkeypatch.setattr(session.checkpoints, "freeze_after_failure", lambda *_, **__: ("a state",))
    monkeypatch.setattr(session.checkpoints, "release", lambda states: told.append(states))
    return told


def make_dispatcher(session: Any, show: Callable[[LiveHeal], None]) -> HealDispatcher:
    view = SimpleNamespace(show=show, update=lambda heal, before: None, close=lambda: None)
    return HealDispatcher(session, make_view=lambda: view, should_wait=lambda: False, wait_for=lambda *_: None)  # type: ignore[arg-type,return-value]


def test_a_rejection_says_at_once_how_it_is_taken_back(session: Any, sent: list[Any]) -> None:
    patch = Patch((Replace("c", CELL, CELL.replace("dd", "d")),), "Change `.appendd`")
    proposal = Proposal(CASE.failure, Diagnosis(""), (Candidate(patch, None, None),))  # type: ignore[arg-type]
    card = build_new_card("run", CASE, phase="proposed", proposal=(proposal,), notes=("A note that stays.",))
    heal = LiveHeal("run", CASE, card, SimpleNamespace(update=lambda heal, before: None))  # type: ignore[arg-type]
    Actions(session, SimpleNamespace()).send_decision(heal, "reject")  # type: ignore[arg-type]
    named = ("Not offered again, as you rejected it: Change `.appendd`", "`%heal undo` takes the rejection back.")
    assert heal.card.notes == ("A note that stays.", *named)


def test_what_an_agent_gives_is_tried_though_it_was_rejected(session: Any, sent: list[Any]) -> None:
    patch = reject(session)
    view = SimpleNamespace(update=lambda heal, before: None)
    heal = LiveHeal("run", CASE, build_new_card("run", CASE), view)  # type: ignore[arg-type]
    dispatcher = make_dispatcher(session, lambda heal: None)
    dispatcher.restart_heal(heal, HealConfig())
    assert sent[-1].case.rejected == (patch,)
    assert heal.card.notes == (
        "Not offered again, as you rejected it: Change `.appendd`",
        "`%heal undo` takes the rejection back.",
    )
    dispatcher.restart_heal(heal, HealConfig(), given=(patch,))
    assert (sent[-1].case.rejected, sent[-1].given, heal.card.notes) == ((), (patch,), ())


def test_a_heal_whose_card_cannot_be_shown_is_ended(session: Any, sent: list[Any]) -> None:
    session.shell.user_ns = {}

    def show(heal: LiveHeal) -> None:
        raise OSError("the page is gone")

    with pytest.raises(OSError, match="gone"):
        make_dispatcher(session, show).start_heal(CASE.failure, HealOptions())
    assert isinstance(sent[-2], m.Cancel)
    assert sent[-1] == ("a state",)
    assert session.heals.latest is None


@pytest.mark.parametrize(
    ("name", "value", "least"), [("offline", "perhaps", True), ("budget_usd", "lots", 0.0), ("consent", "aye", False)]
)
def test_a_permission_of_the_page_that_cannot_be_read_is_not_granted(
    session: Any, name: str, value: str, least: object
) -> None:
    session.config = session.config.with_(offline=False, budget_usd=2, consent=True)
    FrontEnd(session, SimpleNamespace())._handle_message({"action": "settings", "values": {name: value}})  # type: ignore[arg-type]
    assert getattr(session.config, name) == least
    assert name in session.log_path.read_text()


def test_who_ends_a_heal_that_waits_for_a_key_is_not_told_that_the_machinery_failed() -> None:
    view = SimpleNamespace(update=lambda heal, before: None)
    heal = LiveHeal("run", CASE, build_new_card("run", CASE), view)  # type: ignore[arg-type]
    ended = m.Finished("run", Outcome(Reason.INFRASTRUCTURE, CASE.failure, detail="no key: set KEY"), "")
    heal.fold_message(m.Paused("run", "no key: set KEY", Reason.INFRASTRUCTURE, ()))
    heal.fold_message(ended)
    assert heal.card.status.endswith(": Stopped; nothing was changed.")
    heal = LiveHeal("run", CASE, build_new_card("run", CASE), view)  # type: ignore[arg-type]
    heal.fold_message(ended)
    assert "the healing machinery failed" in heal.card.status


@pytest.mark.parametrize("in_kernel", [False, True])
def test_a_terminal_waits_for_a_heal_that_is_begun_again(
    session: Any, sent: list[Any], in_kernel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no card there that shows what comes of it."""
    monkeypatch.delattr("sys.last_value", raising=False)
    monkeypatch.delattr("sys.last_exc", raising=False)
    view, waited = SimpleNamespace(update=lambda heal, before: None), list[LiveHeal]()
    heal = LiveHeal("run", CASE, build_new_card("run", CASE, phase="closed"), view)  # type: ignore[arg-type]
    session.remember(heal)
    dispatcher = HealDispatcher(
        session, make_view=lambda: view, should_wait=lambda: False, wait_for=lambda heal, _: waited.append(heal)
    )  # type: ignore[arg-type,return-value]
    if in_kernel:
        session.shell.kernel = None
    assert dispatcher.heal_last_failure(HealOptions()) is heal
    assert waited == ([] if in_kernel else [heal])
