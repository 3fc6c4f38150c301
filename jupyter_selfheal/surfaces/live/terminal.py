"""The same flow in a terminal, or wherever a cell waits for its heal: progress, then the dialogue, then what was chosen."""

from __future__ import annotations

import shutil
import sys
from typing import Any

from jupyter_selfheal.surfaces import words
from jupyter_selfheal.surfaces.card import Card
from jupyter_selfheal.surfaces.dialogue import NOBODY, Answer, Dialogue, may_use_colours
from jupyter_selfheal.surfaces.live.actions import Actions
from jupyter_selfheal.surfaces.live.live_heal import LiveHeal
from jupyter_selfheal.surfaces.live.patch_application import can_fill_prompt
from jupyter_selfheal.surfaces.live.session import LiveSession
from jupyter_selfheal.surfaces.live.typed_ahead import has_typed_ahead

POLL_SECONDS = 0.1


class QuietView:
    """No card: the terminal prints what it needs when it needs it."""

    def show(self, heal: LiveHeal) -> None:
        """Nothing is shown until the heal is settled."""

    def update(self, heal: LiveHeal, before: Card) -> None:
        """Read by whoever waits."""

    def close(self) -> None:
        """Nothing is held."""


class HealWaiter:
    """Blocks until a heal is decided, with progress; asks where somebody can answer."""

    def __init__(self, session: LiveSession, actions: Actions) -> None:
        self._session = session
        self._actions = actions
        has_colours = str(getattr(session.shell, "colors", "")).lower() != "nocolor"
        self._dialogue = Dialogue(colours=has_colours and may_use_colours(sys.stdout), takes_code=True)

    def __call__(self, heal: LiveHeal, result: Any) -> None:
        """Wait, ask, apply; after an approved heal ``result`` no longer counts as failed, so that Run All goes on."""
        try:
            while self._wait_until_settled(heal) and self._is_looked_at(heal) and self._ask_user(heal, result):
                pass
        except (KeyboardInterrupt, EOFError):
            self._actions.send_decision(heal, "stop")
            print("Self-heal: stopped; nothing was changed.")

    def _wait_until_settled(self, heal: LiveHeal) -> bool:
        shown = 0
        while not heal.settled.wait(POLL_SECONDS):
            attempts = heal.card.attempts
            for text in attempts[shown:]:
                self._print_progress(text)
            shown = len(attempts)
        self._print_progress("")
        return heal.card.phase in ("proposed", "paused") or self._print_end(heal)

    @staticmethod
    def _print_progress(text: str) -> None:
        if sys.stderr.isatty():
            width = shutil.get_terminal_size().columns - 1  # what goes on in a second row would stay there
            print(f"\r\x1b[2K{text[:width]}", end="", file=sys.stderr, flush=True)

    @staticmethod
    def _print_end(heal: LiveHeal) -> bool:
        words.print_lines(words.list_card_lines(heal.card, heal.case.notebook))
        return False

    def _is_looked_at(self, heal: LiveHeal) -> bool:
        """Whether the user has not gone on typing: lines that were meant for the next prompt are no answer to a question they came before.
        Nor are those of a file or a pipe that IPython reads."""
        if heal.card.automatic_way:
            return True
        is_piped = not hasattr(self._session.shell, "kernel") and not (sys.stdin and sys.stdin.isatty())
        if not is_piped and not has_typed_ahead():
            return True
        why = "no terminal is read" if is_piped else "you typed on"
        words.print_lines([f"{why}, so nothing is asked: `%heal show` shows the fix, `%heal approve` applies it"])
        return False

    def _ask_user(self, heal: LiveHeal, result: Any) -> bool:
        """Show the proposal and take one answer. True: go on waiting."""
        notebook = heal.case.notebook
        if heal.card.phase == "paused":
            why = heal.card.status.removeprefix("Paused: ")
            return self._carry_out(heal, result, self._dialogue.ask_at_pause(why, heal.card.paused_by))
        if heal.card.find_candidate() is None:
            return self._print_end(heal)
        if heal.card.hides_fix and not self._teach_first(heal):
            return False
        if how := heal.card.automatic_way:
            self._dialogue.show(heal.card, notebook)
            rest = "; what ran is not run again" if how == "resume" else ""
            words.print_lines([f"approved: it is safe, and `%heal auto` is on{rest}"])
            return self._apply_candidate(heal, result, resumed=how == "resume")
        return self._carry_out(heal, result, self._dialogue.decide(heal.card, notebook))

    def _teach_first(self, heal: LiveHeal) -> bool:
        """Explain first. True: the user wants to see the fix."""
        self._dialogue.say_lines(words.list_lesson(heal.card))
        if not self._dialogue.ask_to_see_fix():
            words.print_lines(["`%heal show` shows the fix when you want it"])
            return False
        heal.update_card(revealed=True)
        return True

    def _carry_out(self, heal: LiveHeal, result: Any, answer: Answer) -> bool:
        if answer.page != heal.card.page:
            heal.update_card(page=answer.page)
        if answer.choice in ("apply", "resume"):
            return self._apply_candidate(heal, result, resumed=answer.choice == "resume")
        if answer.choice == NOBODY:
            words.print_lines(["nobody can answer here: see `%heal show`, approve with `%heal approve`"])
            return False
        if answer.choice == "code":
            self._session.shell.set_next_input(answer.text)
            again = "" if can_fill_prompt(self._session.shell) else "; a simple prompt cannot be filled: type it again"
            words.print_lines(
                [
                    f"left as it is, as `{answer.text}` is no answer: `%heal approve` applies the fix, `%heal reject` ends it{again}"
                ]
            )
            return False
        if answer.choice == "leave":
            words.print_lines(["left as it is: `%heal approve` applies it, `%heal reject` ends it"])
            return False
        self._actions.send_decision(heal, answer.choice, text=answer.text)
        return True

    def _apply_candidate(self, heal: LiveHeal, result: Any, resumed: bool = False) -> bool:
        candidate = heal.card.find_candidate()
        rest = self._actions.arm_resume(heal, "") if resumed else None
        if resumed and not rest:
            words.print_lines(["Nothing can be left out: the whole cell is run."])
        approved = self._actions.record_approval(heal, candidate.patch.id if candidate else "")
        if approved is None:
            return False
        self._session.pending_resume.clear()
        rerun = self._actions.run_approved(heal, approved, what_is_left=rest or "")
        words.print_lines([words.format_healed_line(approved)])
        if rerun is not None and rerun.success and result is not None:
            result.error_in_exec = None
            result.error_before_exec = None
            self._session.shell.last_execution_succeeded = True
        return False
