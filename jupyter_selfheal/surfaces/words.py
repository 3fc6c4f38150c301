"""What a card says, in plain text: for a terminal, a saved notebook, a log or a screen reader."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from jupyter_selfheal.model import (
    UNCONFIRMED,
    Applicability,
    Candidate,
    Cost,
    Doubt,
    Notebook,
    Proposal,
    Question,
    Reason,
    Start,
    diff_patch,
    format_diff,
)
from jupyter_selfheal.surfaces.card import CONTINUES, Card, list_ways_on

SHORT_ANSWER = 60
"""Characters of an answer that are shown."""

LIKELY = 7.0
"""The score from which a judge means that a version is very likely what was meant (its prompt, ``providers/prompts/judge``)."""

LETTERS = "abcdf"
"""Names of the answers to a question; ``e`` is for Edit."""


WHAT_NEXT = {
    "healing": "It is still at work: wait for it, or end it with `%heal stop`.",
    "proposed": "`%heal show` shows its fix, `%heal approve` applies it.",
    "paused": "It waits for you: `%heal show` says what for.",
    "applied": "`%heal undo` takes its fix back.",
    "closed": "Run the cell that fails for a new heal.",
}
"""What can be done with a heal, by its phase."""


def list_numbers(numbers: Sequence[int]) -> str:
    """``cell 3``, or ``cells 2 to 5, 7``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    said = ", ".join(f"{span[0]} to {span[-1]}" if len(span) > 2 else ", ".join(map(str, span)) for span in spans)
    return f"{'cell' if len(numbers) == 1 else 'cells'} {said}"


def format_card(card: Card, notebook: Notebook) -> str:
    """The card in plain text: what a saved notebook, a log or a screen reader has of it."""
    return "\n".join(list_card_lines(card, notebook))


def list_card_lines(card: Card, notebook: Notebook) -> list[str]:
    """The card sentence by sentence; its diff is one of them."""
    lines = [f"Self-heal: {card.status or card.headline}"]
    if card.hides_fix:
        return [*lines, *list_lesson(card), "`%heal show` shows the fix."]
    candidate = card.find_candidate()
    is_told = candidate is not None and card.cause == candidate.patch.title
    lines += [s for s in ("" if is_told else card.cause, card.advice) if s]
    lines += card.explanation if card.phase == "closed" else ()
    if card.phase == "paused":
        lines.append(_format_ways_on(card.paused_by))
    if candidate is not None:
        diff = format_diff(diff_patch(candidate.patch, make_cell_namer(notebook)))
        lines += list(list_proposal_lines(card, candidate, diff))[1:]
    if card.proposal and card.proposal[0].questions:
        question = card.proposal[0].questions[0]
        lines += [question.text, f"{format_choices(question)}  (`%heal answer a`)"]
    return [*lines, *card.notes, *([card.instructions] if card.instructions else [])]


def _format_ways_on(reason: Reason) -> str:
    further = {
        "budget": "; `%heal budget USD` raises the budget",
        "retry": '; `%heal retry "hint"` goes on with a hint',
    }
    return f"`%heal continue`: {CONTINUES[reason]}{''.join(further.get(way, '') for way in list_ways_on(reason))}."


def list_lesson(card: Card) -> Iterator[str]:
    """Why it failed and where to look, for who wants to find the fix."""
    yield from card.explanation
    if card.hint:
        yield card.hint


def list_proposal_lines(card: Card, candidate: Candidate, diff: str) -> Iterator[str]:
    """What is proposed, how it is proven, and what to know before it is approved; ``diff`` is drawn as the medium can."""
    yield f"Self-heal: {card.status or card.headline}"
    yield candidate.patch.title
    yield diff
    if candidate.patch.risk:
        yield f"Could go wrong: {candidate.patch.risk}"
    proof = format_proof(candidate)
    yield " ".join([f"{proof} ({format_score(candidate)}).", *_list_further_reasons(candidate)])
    yield format_facts(card.proposal[0], candidate, is_brief=True)
    if warning := format_warning(card, candidate):
        yield warning


def format_proposal_status(proposal: Proposal) -> str:
    """The line on top of a proposal: what failed, and how far the fix was tested."""
    if proposal.proven_from and proposal.candidates:
        forked = proposal.candidates[0].trial.isolation.kernel == "forked"
        tested = f"fix ready, tested in a {'copy of your' if forked else 'fresh'} kernel"
    else:
        is_cut = bool(proposal.candidates) and proposal.candidates[0].verdict.plausible
        tested = "suggestion, tested up to the time limit" if is_cut else "suggestion, not tested"
    return f"{proposal.failure.headline}: {tested}" + (
        "; one value decides between fixes" if proposal.questions else ""
    )


def format_healed_line(candidate: Candidate) -> str:
    """What stays of a heal once its fix is in: what it did, and how to take it back."""
    return f"Healed: {candidate.patch.title} · `%heal undo` · `%heal history`"


def format_next_line(card: Card, notebook: Notebook) -> str:
    """After a decision: the fix of an earlier failure that waits, and is the one to decide now."""
    return f"Next: {make_cell_namer(notebook)(card.cell_id)}: {_name_offer(card)} · `%heal approve`"


def format_nothing_to_do(card: Card, earlier: Card | None) -> str:
    """Why a command has nothing to be done with: the last heal is not at that point. What waits of an earlier one is had by its cell."""
    said = f"there is nothing to do that with. The last heal: {card.status.rstrip('.')}. {WHAT_NEXT[card.phase]}"
    return (
        said if earlier is None else f"{said} An earlier fix waits ({_name_offer(earlier)}): run its cell again for it."
    )


def _name_offer(card: Card) -> str:
    candidate = card.find_candidate()
    return candidate.patch.title if candidate and not card.hides_fix else card.status


def format_history_line(card: Card, candidate: Candidate, notebook: Notebook) -> str:
    """A heal of the session in one line: the cell, what failed, what was done about it."""
    undone = "; undone" if card.status.startswith("Undone") else ""
    return f"{make_cell_namer(notebook)(card.cell_id)} · {card.headline} → {candidate.patch.title}{undone}"


def list_evidence(proposal: Proposal, candidate: Candidate) -> Iterator[str]:
    """Sentences for who asks why: the cause, what proves the fix, and what does not."""
    patch, verdict = candidate.patch, candidate.verdict
    if patch.cause or proposal.diagnosis.cause:
        yield f"Cause: {patch.cause or proposal.diagnosis.cause}"
    is_said = any(patch.why in reason for reason in verdict.reasons)
    kind = {"rules": f"rule {patch.rule}", "memory": "what you approved before"}.get(
        patch.healer, patch.healer.replace("_", " ")
    )
    yield f"Fix by {kind}, {patch.applicability.name.lower().replace('_', ' ')}" + (
        f": {patch.why}" if patch.why and not is_said else ""
    )
    yield f"{format_proof(candidate)} ({format_score(candidate)})"
    yield from (f"+ {reason}" for reason in _list_further_reasons(candidate))
    yield from (f"- {finding}" for finding in verdict.tampering)
    if patch.risk:
        yield f"Could go wrong: {patch.risk}"
    yield f"Ran in {candidate.trial.isolation.words}"
    yield from proposal.notes


def make_cell_namer(notebook: Notebook) -> Callable[[str], str]:
    """How people call a cell (see :meth:`~.Notebook.name_cell`); one that ran in this session with its first line."""

    def name_cell(cell_id: str) -> str:
        at = notebook.index(cell_id)
        if at < 0:
            return "the cell"
        name, cell = notebook.name_cell(cell_id), notebook.cells[at]
        return f"{name}: {cell.first_line}" if notebook.shows_runs and cell.runs else name

    return name_cell


def format_score(candidate: Candidate) -> str:
    """``score 6 of 10``."""
    return f"score {candidate.verdict.score:g} of 10"


def format_proof(candidate: Candidate) -> str:
    """``Confirmed by: asserts below``; ``Runs; result unconfirmed``. A judge's word confirms nothing that it left below :data:`LIKELY`."""
    verdict = candidate.verdict
    silent = {"runs"} if verdict.score >= LIKELY else {"runs", "judge"}
    proofs = [p for p in verdict.proofs if p not in silent]
    if not proofs:
        return "Runs; result unconfirmed" if candidate.trial.ran else "Not tested"
    sure = f", {verdict.confidence} % sure" if "judge" in proofs else ""  # a judge's word comes with its confidence
    return f"Confirmed by: {', '.join(proofs)}{sure}"


def _list_further_reasons(candidate: Candidate) -> Iterator[str]:
    """What the verdict goes by, but for what :func:`format_proof` says of it."""
    return (reason for reason in candidate.verdict.reasons if reason != UNCONFIRMED)


def format_warning(card: Card, candidate: Candidate) -> str:
    """What to know before the candidate is approved; empty where there is nothing."""
    warnings = [format_repeats(card, candidate)]
    if card.ran_since:
        cells = "1 cell has" if card.ran_since == 1 else f"{card.ran_since} cells have"
        warnings.append(
            f"{cells} run since this was tested: it would run in the state as it is now. `%heal approve` takes the newest fix first, and tests each there."
        )
    if candidate.verdict.score < 7 and candidate.trial.ran:  # of one that was not tested yet, that is said
        is_confirmed = any(proof != "runs" for proof in candidate.verdict.proofs)
        warnings.append(
            "It passes what is checked here, and so might a wrong fix. Check it first."
            if is_confirmed
            else "It runs, but nothing here confirms the result. Check it first."
        )
    elif candidate.patch.applicability is Applicability.DISPLAY_ONLY:
        warnings.append("This needs your own choice: it is shown, not recommended.")
    warnings.extend(
        f"{name[0].upper()}{name[1:]} read {' and '.join(f'`{n}`' for n in names)} meanwhile: run it again after the fix."
        for name, *names in card.stale.values()
    )
    return " ".join(filter(None, warnings))


def format_repeats(card: Card, candidate: Candidate) -> str | None:
    """That running the cell again does twice what it did before it failed, and what can be done about that."""
    repeats = card.repeats.get(candidate.patch.id, ())
    if not repeats:
        return None
    can_resume = candidate.patch.id in card.resumable
    instead = "; Resume runs only what is left" if can_resume else ""
    unasked = ", so it is not applied without asking" if card.auto and not can_resume else ""
    again = card.reruns.get(candidate.patch.id)
    fails = "" if again is None or again.ran else f", and then fails: {again.failed_by}"
    return f"Running the whole cell repeats what it did before it failed: it {', '.join(repeats)}{fails}{unasked}{instead}."


def format_facts(proposal: Proposal, candidate: Candidate, *, is_brief: bool = False) -> str:
    """From which state it was proven, in which isolation, at what cost. ``is_brief``: the sandbox's layers are named elsewhere."""
    isolation = candidate.trial.isolation
    starts = dict.fromkeys(s.value for s in proposal.proven_from)
    if Start.STANDS_IN in proposal.proven_from:  # it names the state too
        starts.pop(Start.AFTER_FAILURE.value, None)
    proven = " and ".join(starts)
    origin = {"rules": f"rule {candidate.patch.rule}", "search": "search", "memory": "what you approved before"}.get(
        candidate.patch.healer, candidate.patch.healer.replace("_", " ")
    )
    tried = f"proven from {proven}" if proven else "not proven: tried"
    place = isolation.summary if is_brief else isolation.words
    return (
        f"{tried} in {place}" if isolation.kernel != "none" else "not proven: it was not run"
    ) + f"; by {origin}; {proposal.seconds:.1f} s; {format_money(proposal.cost)}{_format_shares(proposal)}"


def _format_shares(proposal: Proposal) -> str:
    """`` (language model $0.0200, judge $0.0013)``, where more than one was paid."""
    paid = [f"{who.replace('_', ' ')} {format_money(cost)}" for who, cost in proposal.spent_by.items() if cost.usd]
    return f" ({', '.join(paid)})" if len(paid) > 1 else ""


def format_money(cost: Cost, *, short: bool = False) -> str:
    """``$0``, ``$0.0123``, ``$1.20``; where no price is known ``cost unknown (1,200 tokens)``, and ``?`` where it must be short."""
    if cost.unknown:
        return "?" if short else f"cost unknown ({cost.input_tokens + cost.output_tokens:,} tokens)"
    return f"${cost.usd:.2f}" if cost.usd >= 1 else f"${cost.usd:.4f}" if cost.usd else "$0"


def format_choices(question: Question) -> str:
    """The answers to choose from: ``a) 7  b) '34'``."""
    return "  ".join(
        f"{letter}) {shorten_answer(answer)}" for letter, answer in zip(LETTERS, question.answers, strict=False)
    )


def shorten_answer(answer: str) -> str:
    """An answer as it is shown; its letter, or the button, stands for the whole of it."""
    return answer if len(answer) <= SHORT_ANSWER else answer[: SHORT_ANSWER - 1] + "…"


def read_answer(question: Question, answer: str) -> str:
    """What was said, as an answer: by its letter, or by its value; a value that nobody gave stays what it is."""
    given = answer.strip()
    by_letter = dict(zip(LETTERS, question.answers, strict=False))
    return by_letter.get(given, given) if given not in question.answers else given


def format_doubts(doubts: Sequence[Doubt], places: Mapping[str, str], cells: int, columns: int = 80) -> Iterator[str]:
    """What a review of so many cells says, each doubt with its place (by cell id) and with what to do."""
    width = max(columns, 40)
    looked = f"review: {cells} {'cell that runs was' if cells == 1 else 'cells that run were'} looked at"
    if not doubts:
        yield from _wrap_text(f"{looked}; nothing speaks against {'it' if cells == 1 else 'them'}", width, "  ", "    ")
        return
    one = len(doubts) == 1
    noun = "1 doubt" if one else f"{len(doubts)} doubts"
    yield from _wrap_text(
        f"{looked}: {noun}; nothing was changed because of {'it' if one else 'them'}", width, "  ", "    "
    )
    for doubt in doubts:
        line = f", line {doubt.line}" if doubt.line else ""
        text = f"{places.get(doubt.cell_id, 'a cell')}{line}: {doubt.code} {doubt.what}"
        yield from _wrap_text(text, width, "  ", "    ")
        yield from _wrap_text(doubt.advice, width, "      → ", "        ")


def wrap_prose(lines: Iterable[str], width: int) -> Iterator[str]:
    """Sentences broken at words to what a terminal shows in a row; what has line breaks of its own (a diff) as it is."""
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        is_prose = "\n" not in line and len(line) > width
        yield from _wrap_text(line.strip(), width, indent, indent + "  ") if is_prose else (line,)


def fit_to_screen(lines: Iterable[str], out: TextIO) -> str:
    """Those lines for a terminal, none longer than it is wide; for anything else as they are."""
    width = shutil.get_terminal_size().columns if out.isatty() else sys.maxsize
    return "\n".join(wrap_prose(lines, width))


def print_lines(lines: Iterable[str], out: TextIO | None = None) -> None:
    """Print sentences, each of them broken at words where ``out`` (else what is printed to now) is a terminal."""
    out = out or sys.stdout
    print(fit_to_screen(lines, out), file=out, flush=True)


def _wrap_text(text: str, width: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )
