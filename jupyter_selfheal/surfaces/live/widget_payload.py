"""The card as the widget receives it: plain data, with the buttons that can be pressed now."""

from __future__ import annotations

from jupyter_selfheal.model import JSON, Candidate, Notebook, Output, Proposal, Start, Trial
from jupyter_selfheal.surfaces.card import CONTINUES, Card, list_ways_on
from jupyter_selfheal.surfaces.dialogue import find_source_to_edit
from jupyter_selfheal.surfaces.live import explanation, resume
from jupyter_selfheal.surfaces.live.frontend_edits import to_frontend_edits
from jupyter_selfheal.surfaces.words import format_facts, format_proof, format_warning

AFTER_REST = "After (only what was left of the cell was run)"

WELCOME = (
    "New here? Nothing of yours changes until you choose: each fix was tested in a copy of your kernel, and Undo takes it back.",
    "For every notebook: “Use in every notebook” in the settings, or `jupyter selfheal enable`. To be left alone: `%heal off`.",
    "Which cells below will fail? “More: Check the cells below”, or `%heal ahead on`, tells it before you reach them.",
)
"""What the first card says below everything else."""
WELCOME_WITHOUT_PAGE = (
    "New here? Nothing of yours changes until you choose: each fix was tested in a copy of your kernel, and `%heal undo` takes it back.",
    "For every notebook: `jupyter selfheal enable`. To be left alone: `%heal off`.",
)
"""The same where the JupyterLab extension is not."""
AHEAD = ("ahead on", "Check the cells below", "from now on in idle time, in copies of the kernel: will they run?")

APPROVE = ("approve", "Apply", "put the fix into the notebook")
RUN = ("run", "Apply & run", "put the fix into the notebook and run it (Alt+Enter)")
EXPECT = ("expect", "Should be…", "say what the cell must give; it is run again, and every fix is held against that")
WANTED = "What must this cell give? A Python value: 2.0, [3, 5], 'north'"

SHOWN = frozenset({"run", "edit", "stop", "allow", "agree", "resume"})
"""Buttons of a proposal that are in sight; the rest is behind *More*. Resume is there where running all would repeat work."""

RESUME = ("resume", "Resume from the failing statement", "put the fix into the notebook, run only what is left")


def build_payload(card: Card, notebook: Notebook) -> dict[str, JSON]:
    """The card as the widget receives it; of a fix that is not to be seen yet there is nothing in it."""
    if card.hides_fix:
        hidden = card.with_(proposal=(), cause="", advice="", notes=(), attempts=())
        lesson = {"explanation": [*card.explanation, *([card.hint] if card.hint else [])], "is_lesson": True}
        return {**build_payload(hidden.with_(teach=False), notebook), **lesson, "buttons": list_buttons(card)}
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
        "candidates": [_build_candidate(c, card, notebook) for c in card.candidates],
        "notes": [*(proposal.notes if proposal else ()), *card.notes],
        "question": {"text": question.text, "answers": list(question.answers)} if question else None,
        "instructions": card.instructions,
        "buttons": list_buttons(card),
        "explanation": list_explanation(card),
        "is_lesson": card.phase == "closed",
        "undo": list(card.undo),
        "expired": card.expired,
        "welcome": list(WELCOME if card.has_page else WELCOME_WITHOUT_PAGE) if _is_welcoming(card) else [],
        "auto": (card.auto_by or "ask") if card.automatic_way else "",
        "how": card.automatic_way,
    }


def _is_welcoming(card: Card) -> bool:
    return card.welcomes and card.phase in ("proposed", "closed")


def list_explanation(card: Card) -> list[JSON]:
    """Why it failed and, of the fix that is shown, what it does and how to avoid the like."""
    candidate = card.find_candidate()
    if candidate is None:
        return [*card.explanation]
    return [*card.explanation, *explanation.explain_fix(candidate, card.proposal[0].failure)]


def list_buttons(card: Card) -> list[dict[str, JSON]]:
    """What can be done now, most wanted first; of a proposal what is wanted seldom is marked as ``more``."""
    buttons = _list_all_buttons(card)
    if card.phase != "proposed":
        return buttons
    shown = SHOWN if card.shown_repeats else SHOWN - {"resume"}
    return [b if b["id"] in shown or b.get("primary") else {**b, "more": True} for b in buttons]


def _list_all_buttons(card: Card) -> list[dict[str, JSON]]:
    buttons: list[dict[str, JSON]] = []

    def add(name: str, label: str, hint: str, **more: JSON) -> None:
        buttons.append({"id": name, "label": label, "hint": hint, **more})

    candidate = card.find_candidate()
    if card.hides_fix:
        add("reveal", "Show the fix", "after you have thought about it", primary=True)
        add("stop", "Dismiss", "end this heal; nothing is changed")
        return buttons
    if card.phase == "proposed" and candidate is not None and card.proposal[0].needs_consent:
        capabilities = ", ".join(card.proposal[0].needs_consent)
        add("allow", "Allow this trial", f"the patch would add: {capabilities}; it was not run yet", primary=True)
    elif card.phase == "proposed" and card.is_ahead:
        if card.can_run:
            add(*RUN, primary=True)
        add(*APPROVE, primary=not card.can_run)
        add("copy", "Copy", "copy the fixed cell")
        add("stop", "Dismiss", "nothing is changed")
    elif card.phase == "proposed" and candidate is not None:
        add(RUN[0], RUN[1], RUN[2], primary=True)
        add(*APPROVE)
        if card.can_resume:
            add(*RESUME)
        add("edit", "Edit", "change the fix and test yours", ask="Your version of the cell", multiline=True, done="Test my version",
            initial=card.draft or find_source_to_edit(candidate.patch, card.cell_id))  # fmt: skip
        add("copy", "Copy", "copy the fixed cell")
        if card.welcomes and card.has_page:
            add(*AHEAD)
    if card.is_ahead:
        return [*buttons, *_list_undo(card)]
    if card.phase == "proposed":
        add("reject", "Reject", "say why, and the next attempt will know", ask="Why? (may be empty)", done="Reject")
        add("retry", "Try again", "with a hint of yours", ask="A hint for the next attempt", done="Try again")
        add(*EXPECT, ask=WANTED)
    if card.phase == "paused":
        ways_on = list_ways_on(card.paused_by)
        add("continue", "Continue", CONTINUES[card.paused_by], primary=True)
        if "budget" in ways_on:
            add("budget", "Raise the budget", "to so many dollars", ask="New budget in US dollars")
        if "retry" in ways_on:
            add("retry", "Give a hint", "and go on", ask="A hint for the next attempt", done="Try again")
    if card.phase == "closed":
        add("retry", "Try again", "with a hint of yours", ask="A hint for the next attempt", done="Try again")
        add(*EXPECT, ask=WANTED)
    if card.phase in ("proposed", "closed") and card.asks_consent:
        add("agree", "Agree & ask", "send it, now and for the rest of this session", primary=True)
    elif card.phase in ("proposed", "closed") and not card.model_off:
        add("model", "Ask the model", "sends the cell and what it depends on; you are told what before")
    if card.phase in ("healing", "paused", "proposed"):
        add("stop", "Dismiss" if card.phase == "proposed" else "Stop", "end this heal; nothing is changed")
    return [*buttons, *_list_undo(card)]


def _list_undo(card: Card) -> list[dict[str, JSON]]:
    is_undoable = card.phase == "applied" and card.undo
    return [{"id": "undo", "label": "Undo", "hint": "put the old source back"}] if is_undoable else []


def _build_candidate(candidate: Candidate, card: Card, notebook: Notebook) -> dict[str, JSON]:
    proposal = card.proposal[0]
    again = card.reruns.get(candidate.patch.id)
    new_output = _list_outputs(again or candidate.trial)
    return {
        "id": candidate.patch.id,
        "title": candidate.patch.title,
        "score": f"{candidate.verdict.score:g}",
        "proven": format_proof(candidate),
        "risk": candidate.patch.risk,
        "reasons": _list_reasons(candidate),
        "facts": format_facts(proposal, candidate),
        "warning": format_warning(card, candidate),
        "edits": to_frontend_edits(candidate.patch, notebook, card.written, candidate.cells_run_again, card.cell_id),
        "old_output": [_build_output(o) for o in proposal.failure.outputs if o.output_type != "error"]
        + [_build_error(proposal)],
        "new_output": new_output,
        "after": AFTER_REST if not again and _ran_only_the_rest(candidate, proposal) else "After",
        "resume_output": _list_resumed_outputs(candidate, card, new_output),
    }


def _list_resumed_outputs(candidate: Candidate, card: Card, new_output: JSON) -> JSON:
    """What resuming shows, where it can be chosen and shows something else than the whole cell; else None."""
    resumed = card.proposal[0].resumed
    if not resumed or candidate.patch.id not in card.resumable or candidate is not card.candidates[0]:
        return None
    outputs = _list_outputs(resumed[0])
    return None if outputs == new_output else outputs


def _list_reasons(candidate: Candidate) -> list[JSON]:
    """What the verdict goes by, and what the fix does, unless that was said."""
    reasons, why = candidate.verdict.reasons, candidate.patch.why
    return [*reasons, *([why] if why and not any(why in reason for reason in reasons) else [])]


def _list_outputs(trial: Trial) -> list[JSON]:
    """What the failing cell shows in a trial."""
    return [_build_output(o) for s in trial.steps if s.role == "cell" for o in s.outputs]


def _ran_only_the_rest(candidate: Candidate, proposal: Proposal) -> bool:
    """Whether the trial left out what had run already, so that it shows what Resume does."""
    is_after = candidate.trial.start is Start.AFTER_FAILURE
    return is_after and resume.find_remaining_source(proposal.failure, candidate.patch) is not None


def _build_output(output: Output) -> dict[str, JSON]:
    return {
        "output_type": output.output_type,
        "text": output.text[:20_000],
        "data": {k: v for k, v in output.data.items() if k in ("text/plain", "image/png")},
        "traceback_text": f"{output.ename}: {output.evalue}" if output.output_type == "error" else "",
    }


def _build_error(proposal: Proposal) -> dict[str, JSON]:
    return {"output_type": "error", "text": "", "data": {}, "traceback_text": proposal.failure.headline}
