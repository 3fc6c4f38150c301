"""``%heal`` and ``%%heal``."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from IPython.core.error import UsageError

from jupyter_selfheal import magic_options as options
from jupyter_selfheal import messages as m
from jupyter_selfheal.config import read_setting
from jupyter_selfheal.errors import SelfHealError
from jupyter_selfheal.model import Case
from jupyter_selfheal.surfaces import words
from jupyter_selfheal.surfaces.live import application
from jupyter_selfheal.surfaces.live.actions import Actions
from jupyter_selfheal.surfaces.live.healing import Healing
from jupyter_selfheal.surfaces.live.heals import LiveHeal
from jupyter_selfheal.surfaces.live.session import LiveSession

ANSWER_SECONDS = 5.0
"""How long ``status`` waits for the worker."""

PROOF_SECONDS = 60.0
"""How long an approval waits for its proof from the state as it is now; then nothing is applied."""

RENDER_SECONDS = 60.0
"""How long ``sent`` does: a request describes live variables, and for that the cell is run once more in a copy."""

NOTHING_TO_SEND = (
    "Nothing was sent to a model for this cell, and what would be cannot be said: the kernel no longer has its failure. "
    "Run the cell again, and ask then."
)

ASKED_FOR = "This would be, if you asked one:"


class HealMagics:
    """What the magics of one session do (they are registered by :mod:`.extension`, which imports this when one is used)."""

    def __init__(self, session: LiveSession, healing: Healing, actions: Actions) -> None:
        self.shell = session.shell
        self._session = session
        self._healing = healing
        self._actions = actions

    def heal_cell(self, line: str, cell: str) -> None:
        """``%%heal``."""
        # reached only where the line was left in place: a command, or options that cannot be read
        word = line.strip().partition(" ")[0]
        if word == "approve":
            self._approve(cell, replacing=True)
        elif word in options.COMMANDS:
            raise UsageError(f"`%%heal {word}` does not go on top of a cell: run `%heal {word}` in a cell of its own")
        else:
            self._parsed(line)
            raise UsageError("%%heal must be the first line of its cell")

    def heal_line(self, line: str) -> None:
        """``%heal``."""
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("--"):
            self._heal_last(line)
        elif word not in options.COMMANDS:
            raise UsageError(f"unknown command {word!r}: {', '.join(options.COMMANDS)}; see `%heal?`")
        else:
            getattr(self, f"_{word}")(rest.strip())

    # --- healing ---------------------------------------------------------------------------------------------------

    def _parsed(self, line: str) -> options.HealOptions:
        try:
            return options.parse(line, self._session.shell.user_ns)
        except SelfHealError as error:
            raise UsageError(str(error)) from None

    def _heal_last(self, line: str) -> None:
        chosen = self._parsed(line)
        if self._healing.heal_last(chosen) is None:
            print("Self-heal: nothing failed yet in this session.")

    def _last(self, *phases: str) -> LiveHeal:
        heal = self._session.heals.latest
        if heal is None:
            raise UsageError("there is no heal in this session yet: run a cell that fails, or `%heal`")
        if phases and heal.card.phase == "healing":
            heal.settled.wait(60)
        if phases and heal.card.phase not in phases:
            raise UsageError(f"that does not fit: the last heal is {heal.card.phase} ({heal.card.status})")
        return heal

    def _approve(self, cell: str = "", replacing: bool = False) -> None:
        heal = self._last("proposed")
        if replacing and options.to_body(cell).strip() != heal.case.failure.source.strip():
            raise UsageError("this cell was edited since it failed, so the fix does not fit: run it again first")
        self._apply(heal)

    def _run(self, _rest: str) -> None:
        self._apply(self._last("proposed"))

    def _resume(self, _rest: str) -> None:
        heal = self._last("proposed")
        rest = self._actions.arm_resume(heal, "")
        self._session.pending_resume.clear()
        if not rest:
            raise UsageError("nothing can be left out here: `%heal approve` runs the whole fixed cell")
        if heal.disturbed:  # what was proven since is the whole cell
            heal.change(ran_since=max(heal.card.ran_since, 1))
        self._apply(heal, rest)

    def _apply(self, heal: LiveHeal, what_is_left: str = "") -> None:
        if heal.card.proposal[0].needs_consent:
            raise UsageError(
                f"not tried yet: it would add {', '.join(heal.card.proposal[0].needs_consent)}; `%heal allow`"
            )
        if heal.card.ran_since and not self._proven_now(heal, resumed=bool(what_is_left)):
            return
        found = self._actions.approved(heal, "")
        assert found is not None
        failure = heal.case.failure
        sources = {c.id: c.source for c in heal.case.notebook.cells}
        plan = application.plan_of(found, failure.cell_id, failure.source, sources)
        for label, source in plan.others:
            print(f"Self-heal: it also changes {label}; copy this there:\n{source}\n")
        application.become(self.shell, heal.card.restore_source(plan.source))
        self._actions.run_approved(heal, found, what_is_left=what_is_left)

    def _proven_now(self, heal: LiveHeal, *, resumed: bool) -> bool:
        """Prove what is about to be run, from the state as it is now."""
        if heal.proving:
            heal.settled.wait(PROOF_SECONDS)
        if heal.card.ran_since and not self._healing.prove_again(heal, resumed=resumed):
            return True  # it cannot be proven from here; the card has said so
        heal.settled.wait(PROOF_SECONDS)
        if heal.card.ran_since:
            print(words.format_card(heal.card, heal.case.notebook))
            print("Not applied: it could not be proven from the state as it is now. `%heal retry` looks again.")
            return False
        return True

    # --- decisions -------------------------------------------------------------------------------------------------

    def _reject(self, why: str) -> None:
        self._actions.decide(self._last("proposed"), "reject", text=why.strip("\"'"))

    def _retry(self, hint: str) -> None:
        self._actions.decide(self._last("proposed", "paused", "closed"), "retry", text=hint.strip("\"'"))

    def _continue(self, _rest: str) -> None:
        self._actions.decide(self._last("paused"), "continue")

    def _budget(self, usd: str) -> None:
        try:
            budget = read_setting("budget_usd", usd)
        except SelfHealError as error:
            raise UsageError(f"`%heal budget USD`: {error}") from None
        self._actions.decide(self._last("paused"), "budget", text=str(budget))

    def _model(self, _rest: str) -> None:
        heal = self._last("proposed", "closed")
        if not self._session.config.consent:
            raise UsageError("nothing is sent before you agree: `%heal consent`; `%heal sent` shows what was")
        self._actions.ask_model(heal)

    def _stop(self, _rest: str) -> None:
        self._actions.decide(self._last(), "stop")

    def _answer(self, value: str) -> None:
        heal = self._last("proposed")
        asked = heal.card.proposal[0].questions
        if not asked or not value:
            what = f"one of {words.format_choices(asked[0])}" if asked else "nothing was asked: see `%heal show`"
            raise UsageError(f"`%heal answer VALUE`: {what}")
        self._actions.decide(heal, "answer", text=words.read_answer(asked[0], value))

    def _allow(self, _rest: str) -> None:
        self._actions.decide(self._last("proposed"), "allow")

    def _prove(self, _rest: str) -> None:
        heal = self._last("proposed")
        if not self._healing.prove_again(heal):
            print(f"It cannot be proven from here: {self._session.checkpoints.refusal or 'no state to try it from'}")

    def _undo(self, _rest: str) -> None:
        heal = self._last("applied")
        if not heal.applied:
            raise UsageError("nothing was applied in the last heal")
        old = heal.card.restore_source(heal.case.failure.source)
        application.become(self.shell, old)
        where = "in this cell" if hasattr(self.shell, "kernel") else "at the next prompt"
        print(f"The old source is back {where}; what the fixed cell did to your variables stays.")
        if getattr(self.shell, "simple_prompt", False):
            print(old)  # such a prompt cannot hold it
        heal.change(status="Undone: the old source is back.", undo=())

    # --- looking ---------------------------------------------------------------------------------------------------

    def _show(self, _rest: str) -> None:
        heal = self._last()
        print(words.format_card(heal.card, heal.case.notebook))

    def _status(self, _rest: str) -> None:
        session = self._session
        session.status = None
        session.client.send(m.AskStatus())
        _wait_for(lambda: session.status is not None)
        print(
            f"suggestions {'on' if session.auto_suggest else 'off'}, auto-approve {'on' if session.auto_approve else 'off'}"
        )
        for what, since in session.switches.items():
            print(f"switched: {what} {since}")
        print(f"worker {'running, pid ' + str(session.client.pid) if session.client.alive else 'not running'}")
        print(f"checkpoints: {session.checkpoints.words}")
        print(f"spent in this session: {words.format_money(session.spent)}")
        if (heal := session.heals.latest) is not None:
            print(
                f"last heal: {heal.card.phase}: {heal.card.status}"
                + (f"; journal {heal.journal}" if heal.journal else "")
            )
        print(f"log: {session.log_path}")

    def _sent(self, rest: str) -> None:
        words = rest.split()
        cell_id = words[words.index("--cell") + 1] if "--cell" in words[:-1] else ""
        session = self._session
        asked = self._healing.case_to_send(cell_id)
        if asked is None:
            print(NOTHING_TO_SEND if cell_id else "Nothing was sent to a model: nothing failed yet in this session.")
            return
        run, case = asked
        heal = session.heals.get(run)
        answer = self._asked(run, case, open_=heal is not None and heal.card.phase not in ("closed", "applied"))
        if "--json" in words:
            import json

            print(json.dumps(list(answer.records), indent=2, ensure_ascii=False))
        elif answer.records:
            print(f"This was sent to a model for this failure:\n\n{answer.text}" if cell_id else answer.text)
        else:
            print(f"Nothing was sent to a model for this failure. {ASKED_FOR}\n\n{answer.would}")

    def _asked(self, run: str, case: Case, *, open_: bool) -> m.Sent:
        """What the worker says was sent in a run, or would be; ``open_``: the worker has the states of that heal."""
        session = self._session
        session.sent = None
        states = () if open_ else session.checkpoints.now(run)
        session.client.send(m.AskSent(run, (case,), states, session.config.with_every_healer()))
        _wait_for(lambda: session.sent is not None, RENDER_SECONDS)
        if session.sent is None:
            raise UsageError("the worker does not answer; `%heal status` says how it is")
        return session.sent

    def _config(self, _rest: str) -> None:
        for f in fields(self._session.config):
            print(f"c.SelfHeal.{f.name} = {getattr(self._session.config, f.name)!r}")

    # --- switches --------------------------------------------------------------------------------------------------

    def _on(self, _rest: str) -> None:
        self._session.auto_suggest = True
        self._session.switched("suggestions", "on")
        print("Suggestions on exceptions are on.")

    def _off(self, _rest: str) -> None:
        self._session.auto_suggest = False
        self._session.switched("suggestions", "off")
        self._session.checkpoints.ran_ok()
        print("Suggestions on exceptions are off; %%heal and %heal go on working.")

    def _auto(self, rest: str) -> None:
        if rest not in ("", "on", "off"):
            raise UsageError(f"`%heal auto` is switched on or off, not {rest!r}")
        self._session.auto_approve = rest != "off"
        word = "on: safe patches are applied without asking" if self._session.auto_approve else "off"
        self._session.switched("auto-approve", "off" if rest == "off" else "on")
        print(f"Auto-approve is {word}.")

    def _consent(self, _rest: str) -> None:
        self._session.consent()
        print("Failing cells may be sent to the model in this session; `%heal sent` shows what was.")


def _wait_for(done: Any, seconds: float = ANSWER_SECONDS) -> None:
    import time

    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        time.sleep(0.02)
