"""What the user sees of a heal, as plain data: the widget draws it, the terminal prints it, a saved notebook keeps its text.

A card is built anew for every change from what is known; nothing here touches the shell.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from jupyter_selfheal.magic_options import body_of, restored
from jupyter_selfheal.model import (
    JSON,
    Applicability,
    Candidate,
    Cost,
    Insert,
    Install,
    Move,
    Notebook,
    Output,
    Patch,
    Proposal,
    Question,
    Replace,
    RunCells,
)

APPROVE = ("approve", "Approve", "put the fix into the notebook")
RUN = ("run", "Approve & run", "put the fix into the notebook and run it (Alt+Enter)")
LETTERS = "abcdf"
"""Names of the answers to a question; ``e`` is for Edit."""
RESUME = ("resume", "Resume from the failing statement", "put the fix into the notebook, run only what is left")


@dataclass(frozen=True, slots=True)
class Card:
    """One heal as it stands.

    ``phase``: healing, proposed, paused, closed, applied. ``status`` is the line on top. ``fresh`` is False once the kernel
    ran other cells (``ran_since`` of them) after the proposal. ``can_resume`` where statements before the failing one
    need not run again.
    """

    run: str
    cell_id: str
    headline: str
    phase: str = "healing"
    status: str = ""
    cause: str = ""
    advice: str = ""
    attempts: tuple[str, ...] = ()
    proposal: tuple[Proposal, ...] = ()
    notes: tuple[str, ...] = ()
    instructions: str = ""
    ran_since: int = 0
    can_resume: bool = False
    resume_warning: str = ""
    undo: tuple[JSON, ...] = ()
    model_off: str = "no model is configured"
    """Why no model can be asked; empty where one can."""
    asks_consent: bool = False
    """True: the user wants the model asked, and was told what that sends."""
    auto: bool = False
    """True: the user switched on that safe patches are applied without asking."""
    auto_by: str = ""
    """Which of the views that show this heal was told to do so; empty until one has asked."""
    page: int = 0
    written: Mapping[str, str] = field(default_factory=dict)
    """Cells as they stand in the notebook, by id, where that is not what runs: with a ``%%heal`` line, say."""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.proposal[0].candidates if self.proposal else ()

    def candidate(self, patch_id: str = "") -> Candidate | None:
        """The candidate of that patch, else the one shown."""
        found = [c for c in self.candidates if c.patch.id == patch_id] or list(
            self.candidates[self.page : self.page + 1]
        )
        return found[0] if found else None

    def whole(self, source: str) -> str:
        """A source of the failing cell as it stands in the notebook."""
        return restored(self.written.get(self.cell_id, ""), source)

    def with_(self, **changes: object) -> Card:
        return replace(self, **changes)  # type: ignore[arg-type]


def as_written(edit: Replace, written: Mapping[str, str]) -> Replace:
    """The edit of the cell as it stands in the notebook (see :attr:`Card.written`)."""
    raw = written.get(edit.cell_id, "")
    if not raw or body_of(raw) != edit.old:
        return edit
    return Replace(edit.cell_id, raw, restored(raw, edit.source))


def edits_of(
    patch: Patch, notebook: Notebook, written: Mapping[str, str] = MappingProxyType({})
) -> list[dict[str, JSON]]:
    """The edits as the front end carries them out."""
    found: list[dict[str, JSON]] = []
    for edit in patch.edits:
        if isinstance(edit, Replace):
            label = _cell_name(notebook, edit.cell_id) if len(patch.edits) > 1 else ""
            put = as_written(edit, written)
            found.append(
                {"kind": "replace", "cellId": put.cell_id, "old": put.old, "source": put.source, "label": label}
            )
        elif isinstance(edit, Insert):
            found.append(
                {"kind": "insert", "cellId": edit.cell_id, "before": edit.before, "old": "", "source": edit.source,
                 "label": f"new cell above {_cell_name(notebook, edit.before)}"}
            )  # fmt: skip
        elif isinstance(edit, Move):
            source = notebook.cell(edit.cell_id).source if notebook.index(edit.cell_id) >= 0 else ""
            found.append(
                {"kind": "move", "cellId": edit.cell_id, "before": edit.before, "old": source, "source": source,
                 "label": f"move {_cell_name(notebook, edit.cell_id)} above {_cell_name(notebook, edit.before)}"}
            )  # fmt: skip
        elif isinstance(edit, RunCells):
            names = ", ".join(_cell_name(notebook, c) for c in edit.cell_ids)
            found.append(
                {"kind": "run", "cellIds": list(edit.cell_ids), "old": "", "source": "", "label": f"Run first: {names}",
                 "sources": [notebook.cell(c).source for c in edit.cell_ids if notebook.index(c) >= 0]}
            )  # fmt: skip
        elif isinstance(edit, Install):
            found.append(
                {"kind": "insert", "cellId": f"install-{patch.id}", "before": "", "old": "", "source": edit.line,
                 "label": "new cell"}
            )  # fmt: skip
    return found


def _cell_name(notebook: Notebook, cell_id: str) -> str:
    at = notebook.index(cell_id)
    if at < 0:
        return "the cell"
    cell = notebook.cells[at]
    first = next((line.strip() for line in cell.source.splitlines() if line.strip()), "")
    return f"[{cell.runs}] {first[:40]}" if cell.runs else f"“{first[:40]}”"


def buttons(card: Card) -> list[dict[str, JSON]]:
    """What can be done now, most wanted first."""
    found: list[dict[str, JSON]] = []

    def add(name: str, label: str, hint: str, **more: JSON) -> None:
        found.append({"id": name, "label": label, "hint": hint, **more})

    shown = card.candidate()
    if card.phase == "proposed" and shown is not None and card.proposal[0].needs_clearance:
        what = ", ".join(card.proposal[0].needs_clearance)
        add("allow", "Allow this trial", f"the patch would add: {what}; it was not run yet", primary=True)
    elif card.phase == "proposed" and shown is not None:
        add(RUN[0], RUN[1], RUN[2], primary=True)
        add(*APPROVE)
        if card.can_resume:
            add(RESUME[0], RESUME[1], card.resume_warning or RESUME[2])
        add("edit", "Edit", "change the fix and try yours", ask="Your version of the cell", multiline=True,
            initial=main_source(shown.patch, card.cell_id))  # fmt: skip
        add("copy", "Copy", "copy the fixed cell")
    if card.phase == "proposed":
        add("reject", "Reject", "say why, and the next attempt will know", ask="Why? (may be empty)")
        add("retry", "Try again", "with a hint of yours", ask="A hint for the next attempt")
    if card.phase == "paused":
        add("continue", "Continue", "go on from where it stopped", primary=True)
        add("budget", "Raise the budget", "to so many dollars", ask="New budget in US dollars")
        add("retry", "Give a hint", "and go on", ask="A hint for the next attempt")
    if card.phase == "closed":
        add("retry", "Try again", "with a hint of yours", ask="A hint for the next attempt")
    if card.phase in ("proposed", "closed") and card.asks_consent:
        add("agree", "Agree & ask", "send it, now and for the rest of this session", primary=True)
    elif card.phase in ("proposed", "closed") and not card.model_off:
        add("model", "Ask the model", "sends the cell and what it depends on; you are told what before")
    if card.phase in ("healing", "paused", "proposed"):
        add("stop", "Stop", "end this heal; nothing is changed")
    if card.phase == "applied" and card.undo:
        add("undo", "Undo", "put the old source back")
    return found


def main_source(patch: Patch, cell_id: str) -> str:
    """The failing cell as the patch has it; the first cell that it replaces where it leaves that one alone."""
    return patch.source_of(cell_id, next((e.source for e in patch.edits if isinstance(e, Replace)), ""))


def payload(card: Card, notebook: Notebook) -> dict[str, JSON]:
    """The card as the widget receives it."""
    proposal = card.proposal[0] if card.proposal else None
    question = proposal.questions[0] if proposal and proposal.questions else None
    return {
        "run": card.run,
        "cell": card.cell_id,
        "phase": card.phase,
        "status": card.status or card.headline,
        "cause": card.cause,
        "advice": card.advice,
        "attempts": list(card.attempts),
        "candidates": [_candidate(c, card, notebook) for c in card.candidates],
        "notes": [*(proposal.notes if proposal else ()), *card.notes],
        "question": {"text": question.text, "answers": list(question.answers)} if question else None,
        "instructions": card.instructions,
        "buttons": buttons(card),
        "undo": list(card.undo),
        "auto": (card.auto_by or "ask") if card.auto and _is_safe(card) else "",
    }


def _is_safe(card: Card) -> bool:
    shown = card.candidate()
    return (
        shown is not None
        and shown.patch.applicability is Applicability.SAFE
        and shown.verdict.plausible
        and not card.proposal[0].needs_clearance
        and not card.ran_since
    )


def _candidate(found: Candidate, card: Card, notebook: Notebook) -> dict[str, JSON]:
    proposal = card.proposal[0]
    return {
        "id": found.patch.id,
        "title": found.patch.title,
        "score": f"{found.verdict.score:g}",
        "proof": ", ".join(found.verdict.proofs) + _sure(found) or "not proven",
        "risk": found.patch.risk,
        "reasons": [*found.verdict.reasons, *([found.patch.why] if found.patch.why else [])],
        "facts": facts_line(proposal, found),
        "warning": _warning(card, found),
        "edits": edits_of(found.patch, notebook, card.written),
        "old_output": [_output(o) for o in proposal.failure.outputs] + [_error(proposal)],
        "new_output": [_output(o) for s in found.trial.steps if s.role == "cell" for o in s.outputs],
    }


def score_words(found: Candidate) -> str:
    """``score 6/10, 55 % sure``: a judge's word comes with its confidence."""
    return f"score {found.verdict.score:g}/10{_sure(found)}"


def _sure(found: Candidate) -> str:
    return f", {found.verdict.confidence} % sure" if "judge" in found.verdict.proofs else ""


def _warning(card: Card, found: Candidate) -> str:
    if card.ran_since:
        cells = "1 cell has" if card.ran_since == 1 else f"{card.ran_since} cells have"
        return f"{cells} run since this was proven; it is proven again before it is applied."
    if found.verdict.score < 7:
        return "This ran, but nothing shows that it is right: read it before you approve."
    if found.patch.applicability is Applicability.DISPLAY_ONLY:
        return "This needs your own choice: it is shown, not recommended."
    return ""


def _output(output: Output) -> dict[str, JSON]:
    return {
        "output_type": output.output_type,
        "text": output.text[:20_000],
        "data": {k: v for k, v in output.data.items() if k in ("text/plain", "image/png")},
        "traceback_text": f"{output.ename}: {output.evalue}" if output.output_type == "error" else "",
    }


def _error(proposal: Proposal) -> dict[str, JSON]:
    return {"output_type": "error", "text": "", "data": {}, "traceback_text": proposal.failure.headline}


def money(cost: Cost) -> str:
    """``$0``, ``$0.0123``, ``cost unknown``."""
    if cost.unknown:
        return f"cost unknown ({cost.input_tokens + cost.output_tokens} tokens)"
    return "$0" if cost.usd == 0 else f"${cost.usd:.4f}"


def facts_line(proposal: Proposal, found: Candidate) -> str:
    """From which state it was proven, in which isolation, at what cost."""
    proven = " and ".join(s.value for s in proposal.proven_from)
    origin = {"rules": f"rule {found.patch.rule}", "search": "search", "memory": "approved before"}.get(
        found.patch.healer, found.patch.healer.replace("_", " ")
    )
    return (
        (f"proven from {proven}" if proven else "not proven: show-only")
        + f" in {found.trial.isolation.words}; by {origin}; {proposal.seconds:.1f} s; {money(proposal.cost)}{_shares(proposal)}"
    )


def _shares(proposal: Proposal) -> str:
    """`` (language model $0.0200, judge $0.0013)``, where more than one was paid."""
    paid = [f"{who.replace('_', ' ')} {money(cost)}" for who, cost in proposal.spent_by.items() if cost.usd]
    return f" ({', '.join(paid)})" if len(paid) > 1 else ""


def diff_text(patch: Patch, notebook: Notebook) -> str:
    """A unified diff of every edit, for text and terminals."""
    parts = []
    for edit in edits_of(patch, notebook):
        if edit["kind"] == "run":
            parts.append(str(edit["label"]))
            continue
        lines = difflib.unified_diff(
            str(edit["old"]).splitlines(), str(edit["source"]).splitlines(), "the cell", "healed", lineterm="", n=3
        )
        parts.append("\n".join([*([str(edit["label"])] if edit["label"] else []), *list(lines)[2:]]))
    return "\n".join(parts)


def text(card: Card, notebook: Notebook) -> str:
    """The card in plain text: what a saved notebook, a log or a screen reader has of it."""
    lines = [f"Self-heal: {card.status or card.headline}"]
    lines += [s for s in (card.cause, card.advice) if s]
    found = card.candidate()
    if found is not None:
        lines += [found.patch.title, diff_text(found.patch, notebook)]
        lines += [f"Could go wrong: {found.patch.risk}"] if found.patch.risk else []
        lines += [f"{score_words(found)}: " + " ".join(found.verdict.reasons)]
        lines += [facts_line(card.proposal[0], found)]
        if warning := _warning(card, found):
            lines.append(warning)
    if card.proposal and card.proposal[0].questions:
        question = card.proposal[0].questions[0]
        lines += [question.text, f"{choices(question)}  (`%heal answer a`)"]
    lines += [*card.notes, *([card.instructions] if card.instructions else [])]
    return "\n".join(lines)


def choices(question: Question) -> str:
    """The answers to choose from: ``a) 7  b) '34'``."""
    return "  ".join(f"{letter}) {answer}" for letter, answer in zip(LETTERS, question.answers, strict=False))


def answer_of(question: Question, said: str) -> str:
    """What was said, as an answer: by its letter, or by its value; a value that nobody gave stays what it is."""
    given = said.strip()
    by_letter = dict(zip(LETTERS, question.answers, strict=False))
    return by_letter.get(given, given) if given not in question.answers else given


def mimebundle(card: Card, notebook: Notebook) -> Mapping[str, str]:
    """For a display without widgets."""
    return {"text/plain": text(card, notebook)}
