"""A process of its own that runs a heal, has copies of itself killed after each of its events, and goes on with each.

Run as ``main()`` with a folder on its standard input; writes one JSON object: how many events a whole run has, how many of the killed and resumed runs
ended as it did, and what was different. Has no thread: a copy of a process has only the thread that made it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop import driver
from jupyter_selfheal.loop import events as ev
from jupyter_selfheal.model import Applicability, Attempt, Case, Cost, Patch, Replace
from jupyter_selfheal.ports import Answer, HealDependencies, Starts
from jupyter_selfheal.surfaces.bench.resilience.stand_in import FIX, SOURCES, build_case
from jupyter_selfheal.testing.fake_kernel import FakeKernel
from jupyter_selfheal.testing.scripted import ScriptedHealer, ScriptedScorer, build_scripted_dependencies

PAID, WORST = Cost(usd=0.01, calls=1), Cost(usd=0.02, calls=1)
CONFIG = HealConfig(budget_usd=1.0, parallel=1)
CALLS = "calls.txt"
"""A line for each call that was paid: what a process that is killed has written is still there."""


class KillingJournal:
    """Writes to another journal, and kills this process once so many events are in it."""

    def __init__(self, journal: JsonlJournal, after: int) -> None:
        self._journal = journal
        self._left = after

    def append(self, event: object) -> None:
        """See :class:`~jupyter_selfheal.ports.Journal`."""
        self._journal.append(event)
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def events(self) -> tuple[object, ...]:
        """See :class:`~jupyter_selfheal.ports.Journal`."""
        return self._journal.events()


def main() -> None:
    """See the module."""
    place = Path(sys.stdin.read())
    whole, calls, count = _run_whole(place / "whole")
    found = [(n, _kill_and_resume(place / str(n), n)) for n in range(1, count + 1)]
    different = [
        (n, what) for n, (end, killed, asked) in found if (what := _find_difference(end, whole, calls, killed, asked))
    ]  # fmt: skip
    print(json.dumps({"events": count, "same": count - len(different), "different": different}))


def _find_difference(end: str, whole: str, calls: int, killed: Sequence[object], asked: int) -> str:
    """What a resumed run has otherwise than the whole one; a call that was open when it was killed is made once more, and counted."""
    answered = {e.settles for e in killed if isinstance(e, ev.Answered)}
    still_open = sum(isinstance(e, ev.Reserved) and e.id not in answered for e in killed)
    if asked > calls + still_open:
        return "an answer was paid twice"
    return "" if end == whole else f"it ended otherwise ({end[:80]})"


def _run_whole(folder: Path) -> tuple[str, int, int]:
    folder.mkdir()
    run_in_copied_process(lambda: _write_end(folder, _heal_from_start(folder, 0)))
    journal, events = _open_run(folder)
    journal.close()
    return _read_end(folder), _count_calls(folder), len(events)


def _kill_and_resume(folder: Path, after: int) -> tuple[str, Sequence[object], int]:
    folder.mkdir()
    run_in_copied_process(lambda: _write_end(folder, _heal_from_start(folder, after)))
    journal, killed = _open_run(folder)
    journal.close()
    run_in_copied_process(lambda: _write_end(folder, _go_on(folder)))
    return _read_end(folder), killed, _count_calls(folder)


def run_in_copied_process(work: Callable[[], None]) -> None:
    """Do the work in a copy of this process, and wait for its end, however that comes."""
    copy = os.fork()
    if copy:
        os.waitpid(copy, 0)
        return
    try:
        work()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _heal_from_start(folder: Path, kill_after: int) -> str:
    with JsonlJournal.create("run", config=CONFIG, folder=folder) as journal:
        parts = _build_parts(folder)
        found = driver.heal(build_case(), replace(parts, journal=KillingJournal(journal, kill_after)))
        return _describe_reason(found.reason.value, found.applied[0].patch if found.applied else None)


def _go_on(folder: Path) -> str:
    journal, events = _open_run(folder)
    with journal:
        found = driver.heal(build_case(), replace(_build_parts(folder), journal=journal), resume_from=events)  # type: ignore[arg-type]
        return _describe_reason(found.reason.value, found.applied[0].patch if found.applied else None)


def _describe_reason(reason: str, patch: Patch | None) -> str:
    return f"{reason}\n{patch.source_of('id1', SOURCES[1]) if patch else ''}"


def _build_parts(folder: Path) -> HealDependencies:
    def ask(case: Case, history: Sequence[Attempt]) -> Answer:
        with (folder / CALLS).open("a", encoding="utf-8") as file:
            file.write("asked\n")
        asked = sum(attempt.patch.healer == "language_model" for attempt in history)
        source = FIX if asked else "total = prices['appel'] + prices['pear']\ntotal"
        return Answer((_build_patch(source),), cost=PAID, exhausted=False)

    paid = ScriptedHealer(ask, name="language_model", paid=True, worst=WORST)
    free = ScriptedHealer([Answer((_build_patch("total = price['apple']", "rules"),))])
    scorer = ScriptedScorer({"language_model": 9.0})
    return build_scripted_dependencies(
        Starts(before=(FakeKernel(SOURCES[:1]),)), [free, paid], scorer=scorer, config=CONFIG
    )


def _build_patch(source: str, healer: str = "language_model") -> Patch:
    return Patch((Replace("id1", SOURCES[1], source),), healer, healer=healer, applicability=Applicability.UNSAFE)


def _open_run(folder: Path) -> tuple[JsonlJournal, tuple[object, ...]]:
    journal, recording = JsonlJournal.resume(folder / "run.jsonl")
    return journal, recording.events()


def _write_end(folder: Path, end: str) -> None:
    (folder / "end.txt").write_text(end, encoding="utf-8")


def _read_end(folder: Path) -> str:
    path = folder / "end.txt"
    return path.read_text(encoding="utf-8") if path.exists() else "nothing"


def _count_calls(folder: Path) -> int:
    path = folder / CALLS
    return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0
