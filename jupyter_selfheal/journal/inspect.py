"""Reading journals: the list of runs, and one run as a timeline that a stranger can follow.

It works on the events' wire form, so that a journal can be read without the code that wrote it. Everything shown is
redacted.
"""

from __future__ import annotations

import json as jsonlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from jupyter_selfheal.errors import JournalError, UsageError
from jupyter_selfheal.journal.describe import KINDS, describe_ending, describe_event, format_details, format_headline
from jupyter_selfheal.journal.jsonl import Record, Recording, list_journals, locate_runs_folder, read_journal
from jupyter_selfheal.journal.known_secrets import list_environment_secrets
from jupyter_selfheal.journal.redact import Redactor, redact, redact_json
from jupyter_selfheal.model import Cost

POLL: Final = 0.2
"""Seconds between two looks at a journal that is followed."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run in the list. ``ending`` is its reason, or ``unfinished``, or ``damaged`` with the complaint in ``headline``."""

    id: str
    path: Path
    began: str = ""
    notebook: str = ""
    headline: str = ""
    ending: str = "unfinished"
    attempts: int = 0
    cost: Cost = Cost()


def list_runs(folder: Path | None = None) -> Iterator[Run]:
    """Every run, the newest first. A damaged journal is listed as such."""
    for path in list_journals(folder):
        try:
            recording = read_journal(path)
        except JournalError as error:
            yield Run(path.stem, path, headline=str(error), ending="damaged")
            continue
        yield _summarize_run(path, recording)


def list_runs_as_json(folder: Path | None = None) -> Iterator[str]:
    """A JSON object for each run, the newest first: what the table says, and where its journal is."""
    for run in list_runs(folder):
        said = {"run": run.id, "began": run.began, "ended": run.ending, "tried": run.attempts, "cost_usd": run.cost.usd,
                "notebook": run.notebook, "failure": run.headline, "journal": str(run.path)}  # fmt: skip
        yield jsonlib.dumps(said, ensure_ascii=False)


def _summarize_run(path: Path, recording: Recording) -> Run:
    bodies = [r.body for r in recording.records]
    started: Mapping[str, Any] = next((b for b in bodies if b.get("$") == "Started"), {})
    failure = (started.get("case") or {}).get("failure") or {}
    ending = next((str(b.get("reason")) for b in reversed(bodies) if b.get("$") == "Ended"), "unfinished")
    return Run(
        id=path.stem,
        path=path,
        began=str(recording.header.get("began", "")),
        notebook=str(recording.header.get("notebook", "")),
        headline=redact(format_headline(failure))[:120],
        ending=ending,
        attempts=sum(b.get("$") == "TrialEnded" for b in bodies),
        cost=sum(sum_costs(bodies).values(), Cost()),
    )


def sum_costs(bodies: Iterable[Mapping[str, Any]]) -> dict[str, Cost]:
    """What was spent, by who was paid. A reservation that was never settled counts at its worst: the process died in the call."""
    costs: dict[str, Cost] = {}
    reserved: dict[str, tuple[str, Cost]] = {}
    for body in bodies:
        kind = body.get("$")
        if kind == "Reserved":
            reserved[str(body.get("id"))] = (str(body.get("who")), _read_cost(body.get("worst")))
        elif kind in ("Answered", "CapabilitiesChecked", "Scored", "Settled"):
            call = body.get("id") if kind == "Settled" else body.get("settles")
            who, _ = reserved.pop(str(call), (str(body.get("healer") or call), Cost()))
            costs[who] = costs.get(who, Cost()) + _read_cost((body.get("answer") or body).get("cost"))
    for who, worst in reserved.values():
        costs[who] = costs.get(who, Cost()) + worst
    return {who: cost for who, cost in costs.items() if cost.usd or cost.unknown}


def _read_cost(raw: Any) -> Cost:
    """A cost of the journal; of one that cannot be read only that it is not known."""
    if not isinstance(raw, Mapping):
        return Cost()
    try:
        return Cost(**{f.name: raw[f.name] for f in fields(Cost) if f.name in raw})
    except ValueError:
        return Cost(unknown=True)


def _format_price(cost: Cost) -> str:
    """A cost in words; where no price is known, the tokens are what there is to say."""
    tokens = cost.input_tokens + cost.output_tokens
    if not cost.unknown:
        return f"${cost.usd:.4f}"
    return (
        f"${cost.usd:.4f} and an unknown price ({tokens} tokens)"
        if cost.usd
        else f"{tokens} tokens at an unknown price"
    )


def list_numbered_runs(run: str, folder: Path | None = None) -> list[str]:
    """The runs that one command made, in their order (``3656e452`` for ``3656e452-1``, ``3656e452-2``, …), or ``run`` itself if there is none."""
    numbered = re.compile(rf"{re.escape(run)}[-.](\d+(?:\.\d+)?)")
    ids = [path.stem for path in list_journals(folder)]
    found = {match[1]: id for id in ids if (match := numbered.fullmatch(id))} if run not in ids else {}
    return [found[number] for number in sorted(found, key=lambda text: [int(n) for n in text.split(".")])] or [run]


_WIDE = 110
"""Columns from which on what failed stands beside the rest of a run."""


def find_journal(run: str, folder: Path | None = None) -> Path:
    """The journal of a run: by its id, the beginning of it, ``last``, or the path of a file. Raises UsageError."""
    if run.endswith(".jsonl") and Path(run).is_file():
        return Path(run)
    paths = [p for p in list_journals(folder) if run == "last" or p.stem.startswith(run)]
    exact = [p for p in paths if p.stem == run]
    if exact or (paths and run == "last"):
        return (exact or paths)[0]
    if not paths:
        raise UsageError(
            f"there is no run {run!r} in {folder or locate_runs_folder()}: `jupyter selfheal trace` lists all"
        )
    if len(paths) > 1:
        raise UsageError(f"{len(paths)} runs begin with {run!r}: {', '.join(p.stem for p in paths[:5])}")
    return paths[0]


def format_run_table(folder: Path | None = None, columns: int = 0) -> Iterator[str]:
    """The list of runs under a heading, a line each; where there are few ``columns``, two. A cost with a question mark leaves out what has
    no known price."""
    runs = list(list_runs(folder))
    width = max((14, *(len(run.id) for run in runs)))
    apart = "\n    " if 0 < columns < _WIDE else "  "
    yield f"{'run':<{width}} {'began':<16} {'ended':<17} {'tried':>5} {'cost':>8}{apart}failure"
    for run in runs:
        where = f"[{Path(run.notebook).name}] " if run.notebook else ""
        began = run.began[:16].replace("T", " ")
        cost = f"{run.cost.usd:.4f}" + ("?" if run.cost.unknown else "")
        ended = f"{run.id:<{width}} {began:<16} {describe_ending(run.ending):<17} {run.attempts:>5} {cost:>8}"
        yield f"{ended}{apart}{where}{run.headline}"


def format_timeline(
    run: str,
    kind: str | None = None,
    index: int | None = None,
    json: bool = False,
    follow: bool = False,
    *,
    folder: Path | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[str]:
    """The lines to print for one run.

    ``kind`` keeps the events of one kind (:data:`~jupyter_selfheal.journal.describe.KINDS`); ``request`` shows what went
    to a model, word for word. ``index`` picks one of what is left (1 is the first, -1 the last) with all its details.
    ``json`` gives the events themselves, redacted, a line each. ``follow`` waits for more until the run has ended.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"unknown kind {kind!r}: choose from {', '.join(KINDS)}")
    path = find_journal(run, folder)
    recording = read_journal(path)
    if not json and kind is None and index is None:
        yield from _format_heading(recording)
    if index is not None:
        picked = [r for r in recording.records if kind is None or KINDS[kind](r.body)]
        try:
            chosen = [picked[index - 1 if index > 0 else index or len(picked)]]  # there is no number 0
        except IndexError as error:
            raise UsageError(f"there are {len(picked)} such events, no number {index}") from error
        yield from _format_records(chosen, recording, json, True)
        return
    shown = 0
    while True:
        fresh = [r for r in recording.records[shown:] if kind is None or KINDS[kind](r.body)]
        yield from _format_records(fresh, recording, json, kind is not None)
        shown = len(recording.records)
        over = any(r.body.get("$") == "Ended" for r in recording.records)
        if not follow or over or stop():
            break
        time.sleep(POLL)
        recording = read_journal(path)
    if not json and kind is None:
        yield from _format_bill(recording)
        yield from (f"  note: {notice}" for notice in recording.notices if not follow)


def _format_heading(recording: Recording) -> Iterator[str]:
    header = recording.header
    yield f"run {header.get('run', '?')}, begun {str(header.get('began', ''))[:19].replace('T', ' ')} UTC"
    yield f"  by jupyter_selfheal {header.get('version', '?')}" + (
        f", notebook {header['notebook']}" if header.get("notebook") else ""
    )
    yield ""


def _format_bill(recording: Recording) -> Iterator[str]:
    """Who was paid how much, where anybody was."""
    costs = sum_costs(r.body for r in recording.records)
    if costs:
        parts = ", ".join(f"{who.replace('_', ' ')} {_format_price(cost)}" for who, cost in costs.items())
        yield f"  spent: {_format_price(sum(costs.values(), Cost()))} ({parts})"


def _format_records(records: list[Record], recording: Recording, json: bool, full: bool) -> Iterator[str]:
    began = recording.records[0].at if recording.records else ""
    redactor = _learn_secrets(recording)
    for record in records:
        if json:
            body = redact_json({"line": record.line, "at": record.at, "event": record.body}, redactor)
            yield jsonlib.dumps(body, ensure_ascii=False)
            continue
        text = redactor.redact(describe_event(record.body))
        first, *rest = text.splitlines() or [""]
        yield f"{_format_elapsed(began, record.at):>9}  {first}"
        yield from (f"{'':>9}  {line}" for line in rest)
        if full:
            yield from (f"{'':>9}  | {line}" for line in redactor.redact(format_details(record.body)).splitlines())


def _learn_secrets(recording: Recording) -> Redactor:
    """Replaces every secret that stands anywhere in a run with its name, also where it stands without it."""
    redactor = Redactor(learns=True, keeps_placeholders=True)
    redactor.learn_values((*list_environment_secrets(), *recording.secrets))
    for record in recording.records:
        redact_json(record.body, redactor)
    return redactor


def _format_elapsed(began: str, at: str) -> str:
    try:
        seconds = (datetime.fromisoformat(at) - datetime.fromisoformat(began)).total_seconds()
    except ValueError:
        return ""
    return f"+{seconds:.3f}s"
