"""The one dialogue of a terminal: a proposal is shown, and one answer taken. Live sessions and batch runs have the same keys and words."""

from __future__ import annotations

import ast
import codeop
import keyword
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

from jupyter_selfheal.model import DiffLine, LineKind, Notebook, Patch, Reason, Replace, Verdict, diff_patch
from jupyter_selfheal.surfaces import words
from jupyter_selfheal.surfaces.card import CONTINUES, Card, list_ways_on

NOBODY = "nobody"
"""The choice where there is nobody who can answer."""

NO_ANSWER = (EOFError, RuntimeError)
"""What asking raises where nobody answers: the end of the input, and the ``StdinNotImplementedError`` of a kernel without a front end."""

KEYS = {
    "y": ("apply", "[y]es", "apply the fix and run it"),
    "n": ("reject", "[n]o", "not this one; say why, and the next attempt knows"),
    "e": ("edit", "[e]dit", "change the fix; your version is tested before it is applied"),
    "r": ("resume", "[r]esume", "apply it, and run only what is left of the cell"),
    "t": ("retry", "[t]ry again", "look for another fix; a hint may follow: t use the median"),
    "w": ("why", "[w]hy", "the cause, and what proves the fix"),
    "q": ("leave", "[q]uit", "leave the cell as it is; Enter does the same"),
}
"""By key: the choice, how it is offered, what it does."""

REVIEW_KEYS = {
    "a": ("apply", "[a]ccept", "put this fix in"),
    "x": ("leave", "[x] leave out", "leave this fix out, and go on below; Enter does the same"),
    "s": (
        "safe",
        "[s] accept all that are safe",
        "put in this and every later fix that is safe; be asked about the others",
    ),
    **{key: KEYS[key] for key in "netw"},
}
"""The same of a notebook's review: as JupyterLab's panel has them."""

OTHER_FIX_KEYS = {
    "j": ("next", "[j] next", "the next fix that was found for this cell"),
    "k": ("previous", "[k] previous", "the fix before it"),
}
"""Where more than one fix was found."""

SAME_KEYS = {"a": "y", "accept": "y", "x": "q", "y": "a", "yes": "a", "q": "x", "quit": "x"}
"""By a key that is not offered: the one that does the same."""

PAUSE_KEYS = {
    "c": ("continue", "[c]ontinue", "go on"),
    "h": ("retry", "[h]int", "go on with a hint: h use the median"),
    "b": ("budget", "[b]udget", "go on with a new budget in dollars: b 0.50"),
    "q": ("stop", "[q]uit", "end this heal; nothing is changed"),
}

LESSON_KEYS = {
    "s": ("show", "[s]how it", "show the fix; nothing is applied yet"),
    "q": ("leave", "[q]uit", "find it yourself; Enter does the same"),
}

CONSENT_KEYS = {
    "y": ("allow", "[y]es", "test it in the sandbox; it is shown again before anything is applied"),
    "n": ("reject", "[n]o", "look for a fix that does not"),
}

_COLOURS = {
    LineKind.ADDED: "\x1b[32m",
    LineKind.REMOVED: "\x1b[31m",
    LineKind.HEADING: "\x1b[36m",
    LineKind.GAP: "\x1b[36m",
}

Keys = dict[str, tuple[str, str, str]]

_TAKES_TEXT = ("reject", "retry", "budget")
"""Choices that are followed by words of the user's."""

_ASSIGNS = re.compile(r"[-+*/%@&|^<>!=]*=")
"""How what follows a name reads where it is code: `n = 5`, `n += 1`."""

_IN_SENTENCES = frozenset({"not", "is", "in", "and", "or", "if", "as", "None", "True", "False"})
"""Python's keywords that somebody's words may begin with."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person chose (see :data:`KEYS`), with the words that belong to it. ``page``: of which of the proposal's candidates."""

    choice: str
    text: str = ""
    page: int = 0


@dataclass(slots=True)
class Dialogue:
    """Asks one person at a terminal."""

    ask: Callable[[str], str] = lambda question: input(question)
    out: TextIO = field(default_factory=lambda: sys.stdout)
    colours: bool = field(default_factory=lambda: may_use_colours(sys.stdout))
    takes_code: bool = False
    """Whether what is typed may be the user's next cell instead of an answer (the choice ``code``)."""
    is_review: bool = False
    """Whether a whole notebook is gone through: the keys are those of the review in JupyterLab."""
    _shown: tuple[str, str, Verdict] | None = None

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=self.out, flush=True)

    def _leave_progress(self) -> None:
        """Take the line over, in which the progress of a notebook's run stands."""
        if self.is_review and self.colours:
            print("\r\x1b[K", end="", file=self.out, flush=True)

    def say_lines(self, lines: Iterable[str]) -> None:
        """Print lines, no longer than the terminal is wide."""
        self.say(words.fit_to_screen(lines, self.out))

    def show(self, card: Card, notebook: Notebook) -> None:
        """The proposal with its diff, once; again where an answer changed what is known of the same fix."""
        candidate = card.find_candidate()
        if candidate is None or self._shown == (card.run, candidate.patch.id, candidate.verdict):
            return
        self._shown = card.run, candidate.patch.id, candidate.verdict
        self._leave_progress()
        lines = diff_patch(candidate.patch, words.make_cell_namer(notebook))
        diff = colour_diff(lines) if self.colours else "\n".join(map(str, lines))
        self.say_lines(words.list_proposal_lines(card, candidate, diff))

    def decide(self, card: Card, notebook: Notebook) -> Answer:
        """Show the proposal and ask until there is an answer that ends the asking."""
        self.show(card, notebook)
        proposal = card.proposal[0]
        if proposal.needs_consent:
            needs = ", ".join(proposal.needs_consent)
            answer = self._ask_for_choice(
                f"The fix would add {needs}. Test it in the sandbox?", CONSENT_KEYS, otherwise="n"
            )
            return Answer("reject", f"it must not add {needs}") if answer.choice == "reject" else answer
        questions = proposal.questions[:1]
        for question in questions:
            self.say_lines([question.text, f"{words.format_choices(question)}  (or another value: `= VALUE`)"])
        accepted = [a for question in questions for a in (*words.LETTERS[: len(question.answers)], *question.answers)]
        while True:
            candidate = card.find_candidate()
            assert candidate is not None
            question_text, otherwise = ("Accept?", "x") if self.is_review else ("Apply?", "q")
            answer = self._ask_for_choice(question_text, self._list_keys(card), otherwise=otherwise, known=accepted)
            if answer.choice == "why":
                self.say_lines([*card.explanation, *words.list_evidence(proposal, candidate)])
            elif answer.choice in ("next", "previous"):
                to = card.page + (1 if answer.choice == "next" else -1)
                card = card.with_(page=max(0, min(to, len(card.candidates) - 1)))
                self.show(card, notebook)
            elif answer.choice == "answer":
                return Answer("answer", words.read_answer(questions[0], answer.text), card.page)
            elif answer.choice == "reject":
                return Answer("reject", answer.text or self._ask_for_text("Why? (Enter for no reason) "), card.page)
            elif answer.choice == "edit":
                old_source = find_source_to_edit(candidate.patch, card.cell_id)
                new_source = edit_source(old_source, self)
                if new_source.strip() and new_source != old_source:
                    return Answer("edit", new_source, card.page)
                self.say("left as it was")
            else:
                return replace(answer, page=card.page)

    def _list_keys(self, card: Card) -> Keys:
        """What can be said to the candidate that the card shows."""
        keys = REVIEW_KEYS if self.is_review else {k: of for k, of in KEYS.items() if k != "r" or card.can_resume}
        return {**keys, **(OTHER_FIX_KEYS if len(card.candidates) > 1 else {})}

    def ask_to_see_fix(self) -> bool:
        """Whether the fix is wanted now; where nobody can answer, it is not."""
        return self._ask_for_choice("There is a fix.", LESSON_KEYS, otherwise="q").choice == "show"

    def ask_at_pause(self, why: str, reason: Reason) -> Answer:
        """A heal waits for its user, at the limit of that reason."""
        self._leave_progress()
        offered = (*list_ways_on(reason), "stop")
        keys = {key: of for key, of in PAUSE_KEYS.items() if of[0] in offered}
        keys["c"] = (*keys["c"][:2], CONTINUES[reason])
        answer = self._ask_for_choice(f"Paused: {why}\nGo on?", keys, otherwise="q")
        follow_up = {"retry": "Hint: ", "budget": "New budget in dollars: "}.get(answer.choice)
        return Answer(answer.choice, self._ask_for_text(follow_up)) if follow_up and not answer.text else answer

    def _ask_for_choice(self, question: str, keys: Keys, *, otherwise: str, known: Iterable[str] = ()) -> Answer:
        """One of the keys, or a value that is known or begins with ``=``; Enter is ``otherwise``."""
        offered = " ".join(label for _, label, _ in keys.values())
        prompt = words.fit_to_screen(f"{question} {offered} [?]".splitlines(), self.out)
        while True:
            try:
                reply = self.ask(f"{prompt} ").strip()
            except NO_ANSWER as error:
                if isinstance(error, EOFError):
                    self.say("")  # the question was printed: what comes next stands on a line of its own
                return Answer(NOBODY)
            if reply in known or (known and reply.startswith("=")):
                return Answer("answer", reply.removeprefix("="))
            word, _, rest = (reply or otherwise).partition(" ")
            said = (word.lower(), SAME_KEYS.get(word.lower(), ""))
            key = next((k for w in said for k in keys if w and w in _list_spellings(k, keys[k])), "")
            is_code = reads_as_code(reply, takes_text=bool(key) and keys[key][0] in _TAKES_TEXT)
            if is_code and self.takes_code:
                return Answer("code", reply)
            if key and not is_code:
                return Answer(keys[key][0], rest.strip())
            if word.lower() in OTHER_FIX_KEYS:
                self.say("This is the only fix that was found for the cell.")
            else:
                self.say_lines(f"  {key}  {effect}" for key, (_, _, effect) in keys.items())

    def _ask_for_text(self, question: str) -> str:
        try:
            return self.ask(question).strip()
        except NO_ANSWER:
            return ""


def _list_spellings(key: str, of: tuple[str, str, str]) -> tuple[str, ...]:
    """``y`` and ``yes``; ``t``, ``try`` and ``retry``."""
    label = of[1].replace("[", "").replace("]", "")
    return key, label, label.split()[0], of[0]


def reads_as_code(reply: str, *, takes_text: bool = False) -> bool:
    """Whether a reply is the next cell of somebody who did not look at the question; after a key that takes text a sentence is none."""
    word, _, rest = reply.partition(" ")
    if takes_text:
        return bool(_ASSIGNS.match(rest.lstrip()))
    if reply[:1] in ("%", "!"):
        return len(reply) > 1
    try:
        ast.literal_eval(reply)
        return False
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        is_statement = keyword.iskeyword(word) and bool(rest) and word not in _IN_SENTENCES
        return (is_statement or bool(re.search(r"[^\w\s,]", reply))) and _may_compile(reply)


def _may_compile(source: str) -> bool:
    """Whether this is Python, or the beginning of a statement."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            codeop.compile_command(source, symbol="exec")
        return True
    except (SyntaxError, ValueError, OverflowError):
        return False


def may_use_colours(out: TextIO) -> bool:
    """Whether the output is a terminal that shows colours, and nobody switched them off (https://no-color.org)."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def colour_diff(lines: Sequence[DiffLine]) -> str:
    """A diff with a terminal's colours."""
    return "\n".join(f"{_COLOURS[line.kind]}{line}\x1b[0m" if line.kind in _COLOURS else str(line) for line in lines)


def find_source_to_edit(patch: Patch, cell_id: str) -> str:
    """The failing cell as the patch has it; the first cell that it replaces where it leaves that one alone."""
    return patch.source_of(cell_id, next((e.source for e in patch.edits if isinstance(e, Replace)), ""))


def edit_source(source: str, dialogue: Dialogue) -> str:
    """The source as the user leaves it in ``$VISUAL`` or ``$EDITOR``; where none is set, or this is no terminal (a notebook
    asks here too), typed line by line. Empty: the user wants none."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor or not (sys.stdin.isatty() and sys.stdout.isatty()):
        dialogue.say("Type the cell as it should be; end with a line that holds only a dot.")
        try:
            return "\n".join(iter(lambda: dialogue.ask("... "), "."))
        except NO_ANSWER:  # nobody types on: what is there is not the whole cell
            return ""
    with tempfile.TemporaryDirectory(prefix="selfheal-edit-") as folder:
        path = Path(folder, "cell.py")
        path.write_text(source + "\n", encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=True)
            return path.read_text(encoding="utf-8").rstrip("\n")
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            dialogue.say(f"The editor {editor!r} could not be used: {error}")
            return ""
