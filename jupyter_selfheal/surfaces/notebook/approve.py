"""Who decides in a batch run: a policy, or a person at the terminal."""

from __future__ import annotations

import difflib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TextIO

from jupyter_selfheal.model import (
    Applicability,
    Candidate,
    Choice,
    Cost,
    Decision,
    Insert,
    Install,
    Move,
    Notebook,
    Patch,
    Proposal,
    Replace,
    RunCells,
)


@dataclass(frozen=True, slots=True)
class PolicyApprover:
    """``all`` applies the best patch that scores at least ``accept``, ``safe`` only one that is safe, ``none`` none.

    A pause (budget, attempts) ends the heal, as there is nobody to ask; a fix that adds a capability is passed over, and the
    next healer is asked.
    """

    policy: str
    accept: float

    def decide(self, proposal: Proposal) -> Decision:
        """Approve the best candidate that the policy allows, else stop."""
        by = f"--approve {self.policy}"
        if proposal.needs_clearance:
            needs = ", ".join(proposal.needs_clearance)
            return Decision(Choice.REJECT, text=f"the fix adds {needs}: --approve ask lets you allow it", by=by)
        for candidate in proposal.candidates if self.policy != "none" and proposal.proven_from else ():
            if self._allows(candidate):
                return Decision(Choice.APPROVE, candidate.patch.id, by=by)
        return Decision(Choice.STOP, text=self._why_not(proposal), by=by)

    def _why_not(self, proposal: Proposal) -> str:
        if self.policy == "none" or not proposal.candidates:
            return "the policy applies nothing"
        best = proposal.candidates[0]
        if not proposal.proven_from:
            return "it could not be proven"
        if best.verdict.score < self.accept or not best.verdict.plausible:
            return f"it scores {best.verdict.score:g}, below {self.accept:g}: nothing shows that it is right"
        return "it may change what the code means"

    def paused(self, why: str, proposal: Proposal | None, cost: Cost) -> Decision:
        """Stop."""
        return Decision(Choice.STOP, text=why, by=f"--approve {self.policy}")

    def _allows(self, candidate: Candidate) -> bool:
        verdict, patch = candidate.verdict, candidate.patch
        if not verdict.plausible or verdict.score < self.accept or patch.applicability is Applicability.DISPLAY_ONLY:
            return False
        return self.policy == "all" or patch.applicability is Applicability.SAFE


@dataclass(slots=True)
class TerminalApprover:
    """Shows each proposal as a coloured diff and asks y, n, e(dit), w(hy), q(uit)."""

    notebook: Notebook
    out: TextIO = field(default_factory=lambda: sys.stderr)
    ask: Callable[[str], str] = input
    colours: bool = True

    def decide(self, proposal: Proposal) -> Decision:
        """Block until there is a word; end of input stops."""
        if not proposal.candidates:
            return Decision(Choice.STOP)
        best = proposal.candidates[0]
        self._say("\n" + self._headline(proposal, best))
        self._say(self._coloured(diff(best.patch, self.notebook)))
        if best.patch.risk:
            self._say(f"Risk: {best.patch.risk}")
        if proposal.needs_clearance:
            return self._cleared(proposal)
        for question in proposal.questions:
            self._say(f"{question.text} ({' or '.join(question.answers)})")
        asked = " [a]nswer" if proposal.questions else ""
        while True:
            answer = self._asked(f"Apply this fix? [y]es [n]o [e]dit [w]hy{asked} [q]uit: ")
            if answer in ("y", "yes"):
                return Decision(Choice.APPROVE, best.patch.id)
            if answer in ("n", "no"):
                return Decision(Choice.REJECT, best.patch.id, self._asked("Why not (Enter for no reason)? ", raw=True))
            if answer in ("e", "edit"):
                edited = self._edited(best.patch)
                if edited:
                    return Decision(Choice.EDIT, best.patch.id, edited)
            elif asked and answer in ("a", "answer"):
                return Decision(Choice.ANSWER, text=self._asked("What should it be? ", raw=True))
            elif answer in ("w", "why"):
                self._say("\n".join(evidence(proposal, best)))
            elif answer in ("q", "quit", ""):
                return Decision(Choice.STOP)

    def paused(self, why: str, proposal: Proposal | None, cost: Cost) -> Decision:
        """Continue, give a hint, raise the budget or stop."""
        self._say(f"\nPaused: {why} (spent ${cost.usd:.4f})")
        answer = self._asked("[c]ontinue, [h]int, [b]udget, or [q]uit: ")
        if answer.startswith("c"):
            return Decision(Choice.CONTINUE)
        if answer.startswith("h"):
            return Decision(Choice.RETRY, text=self._asked("Hint: ", raw=True))
        if answer.startswith("b"):
            return Decision(Choice.RAISE_BUDGET, text=self._asked("New budget in dollars: ", raw=True))
        return Decision(Choice.STOP, text=why)

    def _cleared(self, proposal: Proposal) -> Decision:
        """Whether a fix that adds capabilities may be tried; if not, the next healer is asked."""
        needs = ", ".join(proposal.needs_clearance)
        answer = self._asked(f"The fix would add {needs}. Try it in the sandbox? [y/n]: ")
        if answer in ("y", "yes"):
            return Decision(Choice.CLEAR, proposal.candidates[0].patch.id)
        return Decision(Choice.REJECT, proposal.candidates[0].patch.id, f"it must not add {needs}")

    def _headline(self, proposal: Proposal, best: Candidate) -> str:
        proven = " and ".join(start.value for start in proposal.proven_from)
        return f"{proposal.failure.headline}\n{best.patch.title} — score {best.verdict.score:.1f} of 10, " + (
            f"proven from {proven}" if proven else "not proven"
        )

    def _edited(self, patch: Patch) -> str:
        """The user's own version of the (one) changed cell, from $EDITOR; empty where nothing was changed."""
        source = next((e.source for e in patch.edits if isinstance(e, Replace | Insert)), "")
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        with tempfile.NamedTemporaryFile("w+", suffix=".py", encoding="utf-8") as file:
            file.write(source)
            file.flush()
            try:
                subprocess.run([*editor.split(), file.name], check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                self._say(f"{editor} could not be used ({error}): set EDITOR to an editor of yours")
                return ""
            with open(file.name, encoding="utf-8") as edited:
                text = edited.read()
        text = text if source.endswith("\n") else text.rstrip("\n")
        return text if text != source else ""

    def _asked(self, question: str, raw: bool = False) -> str:
        try:
            answer = self.ask(question)
        except EOFError:
            return ""
        return answer.strip() if raw else answer.strip().lower()

    def _say(self, text: str) -> None:
        print(text, file=self.out, flush=True)

    def _coloured(self, text: str) -> str:
        if not self.colours:
            return text
        from pygments import highlight
        from pygments.formatters import TerminalFormatter
        from pygments.lexers import DiffLexer

        return highlight(text, DiffLexer(), TerminalFormatter()).rstrip("\n")


def evidence(proposal: Proposal, candidate: Candidate) -> Iterator[str]:
    """Sentences for a person: the cause, what proves the fix, and what does not."""
    patch, verdict = candidate.patch, candidate.verdict
    if patch.cause:
        yield f"Cause: {patch.cause}"
    yield f"Fix by {patch.healer}{' ' + patch.rule if patch.rule else ''}, {patch.applicability.name.lower()}" + (
        f": {patch.why}" if patch.why else ""
    )
    yield from (f"+ {reason}" for reason in verdict.reasons)
    yield from (f"- {what}" for what in verdict.tampering)
    if patch.risk:
        yield f"Risk: {patch.risk}"
    yield f"Ran in {candidate.trial.isolation.words}"
    yield from proposal.notes


def diff(patch: Patch, notebook: Notebook) -> str:
    """The patch as a unified diff, one part for each cell."""
    return "\n".join(part for edit in patch.edits if (part := _edit_diff(edit, notebook)))


def _edit_diff(edit: object, notebook: Notebook) -> str:
    if isinstance(edit, Replace):
        return _unified(edit.old, edit.source, _name(edit.cell_id, notebook))
    if isinstance(edit, Insert):
        return _unified("", edit.source, f"new cell above {_name(edit.before, notebook)}")
    if isinstance(edit, Move):
        return f"@@ move {_name(edit.cell_id, notebook)} above {_name(edit.before, notebook)} @@"
    if isinstance(edit, RunCells):
        return f"@@ run first: {', '.join(_name(c, notebook) for c in edit.cell_ids)} @@"
    if isinstance(edit, Install):
        return f"+{edit.line}"
    return ""


def _unified(old: str, new: str, name: str) -> str:
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), name, name, lineterm="", n=2))
    return "\n".join([f"@@ {name} @@", *(line for line in lines[2:] if not line.startswith("@@"))])


def _name(cell_id: str, notebook: Notebook) -> str:
    code = [c.id for c in notebook.cells if c.kind == "code" and c.source.strip()]
    return f"cell {code.index(cell_id) + 1}" if cell_id in code else f"cell {cell_id}"
