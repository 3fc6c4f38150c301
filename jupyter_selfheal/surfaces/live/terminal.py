"""The same flow in a terminal, or wherever a cell waits for its heal: a coloured diff, and y/n/e/why/undo."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from jupyter_selfheal.model import Candidate
from jupyter_selfheal.surfaces.live import edits, words
from jupyter_selfheal.surfaces.live.actions import Actions
from jupyter_selfheal.surfaces.live.card import Card
from jupyter_selfheal.surfaces.live.heals import LiveHeal
from jupyter_selfheal.surfaces.live.session import LiveSession

POLL_SECONDS = 0.1
COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}


class QuietView:
    """No card: the terminal prints what it needs when it needs it."""

    def show(self, heal: LiveHeal) -> None:
        """Nothing is shown until the heal is settled."""

    def update(self, heal: LiveHeal, before: Card) -> None:
        """Read by whoever waits."""

    def close(self) -> None:
        """Nothing is held."""


def coloured(diff: str) -> str:
    """A unified diff with terminal colours."""
    return "\n".join(f"{COLOURS[line[0]]}{line}\x1b[0m" if line[:1] in COLOURS else line for line in diff.splitlines())


def edited(source: str) -> str:
    """The source as the user leaves it in ``$VISUAL`` or ``$EDITOR``; where none is set, or this is no terminal (a notebook
    asks here too), typed line by line. Empty: the user wants none."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("Type the cell as it should be; end with a line that holds only a dot.")
        return "\n".join(iter(lambda: input("... "), "."))
    with tempfile.TemporaryDirectory(prefix="selfheal-edit-") as folder:
        path = Path(folder, "cell.py")
        path.write_text(source + "\n", encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=True)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            print(f"$EDITOR did not end well: {error}")
            return ""
        return path.read_text(encoding="utf-8").rstrip("\n")


class Waiting:
    """Blocks until a heal is decided, with progress; asks where somebody can answer."""

    def __init__(self, session: LiveSession, actions: Actions) -> None:
        self._session = session
        self._actions = actions
        self._printed = ""

    def __call__(self, heal: LiveHeal, result: Any) -> None:
        """Wait, ask, apply; after an approved heal ``result`` no longer counts as failed, so that Run All goes on."""
        try:
            while self._settle(heal) and self._ask(heal, result):
                pass
        except (KeyboardInterrupt, EOFError):
            self._actions.decide(heal, "stop")
            print("Self-heal: stopped; nothing was changed.")

    def _settle(self, heal: LiveHeal) -> bool:
        shown = 0
        while not heal.settled.wait(POLL_SECONDS):
            attempts = heal.card.attempts
            for text in attempts[shown:]:
                self._progress(text)
            shown = len(attempts)
        self._progress("")
        return heal.card.phase in ("proposed", "paused") or self._end(heal)

    @staticmethod
    def _progress(text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[2K{text[:100]}", end="", file=sys.stderr, flush=True)

    @staticmethod
    def _end(heal: LiveHeal) -> bool:
        print(words.text(heal.card, heal.case.notebook))
        return False

    def _ask(self, heal: LiveHeal, result: Any) -> bool:
        """Show the proposal and take one answer. True: go on waiting."""
        found = heal.card.candidate()
        if heal.card.phase == "proposed" and found is not None:
            self._print(heal, found)
            if how := heal.card.unasked:
                print(
                    "approved: it is safe, and `%heal auto` is on" + ("; what ran is not run again" * (how == "resume"))
                )
                return self._apply(heal, result, resumed=how == "resume")
        else:
            print(words.text(heal.card, heal.case.notebook))
        answer = self._input(heal)
        return self._take(heal, result, answer.strip())

    def _print(self, heal: LiveHeal, found: Candidate) -> None:
        """The proposal, once: whoever asked for the evidence has just seen it."""
        if self._printed == heal.run + found.patch.id:
            return
        self._printed = heal.run + found.patch.id
        print(f"Self-heal: {heal.card.status}\n{found.patch.title}")
        print(coloured(edits.diff_text(found.patch, heal.case.notebook)))
        if found.patch.risk:
            print(f"Could go wrong: {found.patch.risk}")
        print(f"{words.score_words(found)}: " + " ".join(found.verdict.reasons))
        print(words.facts_line(heal.card.proposal[0], found))
        if said := words.repeats(heal.card, found):
            print(said)

    def _input(self, heal: LiveHeal) -> str:
        paused = heal.card.phase == "paused"
        question = (
            "continue, hint TEXT, budget USD or stop? "
            if paused
            else "Apply? [y/n/e(dit)/r(esume)/why/t(ry again) HINT] "
        )
        if heal.card.proposal and heal.card.proposal[0].questions:
            asked = heal.card.proposal[0].questions[0]
            question = f"{asked.text}\n{words.choices(asked)}  (or another value: `= VALUE`)\n{question}"
        try:
            return input(question)
        except (EOFError, RuntimeError):  # RuntimeError: StdinNotImplementedError of a kernel without a front end
            print("nobody can answer here: see `%heal show`, approve with `%heal approve`")
            return "later"

    def _take(self, heal: LiveHeal, result: Any, answer: str) -> bool:
        word, _, rest = answer.partition(" ")
        word = word.lower()
        if heal.card.phase == "paused":
            return self._take_paused(heal, word, rest)
        question = heal.card.proposal[0].questions if heal.card.proposal else ()
        given = words.answer_of(question[0], answer.removeprefix("=")) if question else ""
        if question and (given in question[0].answers or answer.startswith("=")):
            self._printed = ""
            self._actions.decide(heal, "answer", text=given)
        elif word in ("y", "yes", "r", "resume"):
            return self._apply(heal, result, resumed=word.startswith("r"))
        elif word in ("n", "no"):
            self._actions.decide(heal, "reject", text=rest or input("Why? (Enter for nothing) "))
        elif word in ("t", "try", "retry"):
            self._actions.decide(heal, "retry", text=rest)
        elif word in ("e", "edit"):
            self._edit(heal)
        elif word == "why":
            print(words.text(heal.card, heal.case.notebook))
            heal.settled.set()
        elif word in ("later", ""):
            print("left as it is: `%heal approve` applies it, `%heal reject` ends it")
            return False
        else:
            print(
                "y: apply and run it; n: reject; e: edit; r: run only what is left; why: the evidence; t HINT: try again"
            )
        return True

    def _take_paused(self, heal: LiveHeal, word: str, rest: str) -> bool:
        action = {"c": "continue", "continue": "continue", "hint": "retry", "budget": "budget"}.get(word, "stop")
        self._actions.decide(heal, action, text=rest)
        return True

    def _edit(self, heal: LiveHeal) -> None:
        """Take the user's own version; it is tried as any other before it is proposed."""
        shown = heal.card.candidate()
        source = edited(edits.main_source(shown.patch, heal.card.cell_id) if shown else heal.case.failure.source)
        if source.strip():
            self._actions.decide(heal, "edit", text=source)
        else:
            print("left as it was")

    def _apply(self, heal: LiveHeal, result: Any, resumed: bool = False) -> bool:
        shown = heal.card.candidate()
        rest = self._actions.arm_resume(heal, "") if resumed else ""
        if resumed and not rest:
            print("Nothing can be left out: the whole cell is run.")
        found = self._actions.approved(heal, shown.patch.id if shown else "")
        if found is None:
            return False
        self._session.pending_resume.clear()
        done = self._actions.run_approved(heal, found, what_is_left=rest)
        if done is not None and done.success and result is not None:
            result.error_in_exec = None
            result.error_before_exec = None
            self._session.shell.last_execution_succeeded = True
        return False
