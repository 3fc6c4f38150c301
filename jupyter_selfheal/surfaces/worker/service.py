"""Reads messages until there are no more; every heal runs on a thread of its own.

Heals take turns: one works at a time, and the one that waits for its user lets the next have the turn. At the end of the
input everything is let go of; the frozen states end with its connections.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from jupyter_selfheal import engine, wire
from jupyter_selfheal import messages as m
from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import SelfHealError, WireError
from jupyter_selfheal.journal.describe import format_request_record
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.model import Cost, Decision, Outcome
from jupyter_selfheal.surfaces.worker.journals import find_free_name, read_events, read_sent_records
from jupyter_selfheal.surfaces.worker.running_heal import (
    MANY_MODULES,
    RunningHeal,
    find_log_path,
    format_internal_error,
)
from jupyter_selfheal.surfaces.worker.states import StateAhead, connect_states

if TYPE_CHECKING:
    from jupyter_selfheal.surfaces.worker.heal_document import DocumentHeal
    from jupyter_selfheal.surfaces.worker.last_words import KernelWatch
    from jupyter_selfheal.surfaces.worker.look_ahead import Look

log = logging.getLogger("jupyter_selfheal.surfaces.worker")

END_SECONDS = 2.0
"""How long heals that were cancelled may take to end, all together, before the process does."""


class Worker:
    """The worker's end of the two pipes."""

    def __init__(self, lines: BinaryIO, out: BinaryIO) -> None:
        self._lines = lines
        self._out = out
        self._sending = threading.Lock()
        self._turn = threading.Lock()
        self._heals: dict[str, RunningHeal] = {}
        self._looks: dict[str, Look] = {}
        self._documents: dict[str, DocumentHeal] = {}
        self._ahead: StateAhead | None = None
        """Of the cell that failed last, until its heal comes; where none comes, until the next one fails."""
        self._done = 0
        self._spent = Cost()
        self._switched: JsonlJournal | None = None
        self._watch: KernelWatch | None = None

    def serve(self) -> None:
        """Until ``Shutdown`` or the end of the input; then everything that runs is cancelled."""
        self._send_message(m.Ready(__version__, os.getpid(), find_log_path()))
        for line in self._lines:
            try:
                message = wire.loads(line)
            except WireError as error:
                self._send_message(m.Notice(str(error), "error"))
                continue
            if isinstance(message, m.Shutdown):
                break
            try:
                self._handle_message(message)
            except Exception as error:
                log.exception("taking %s", type(message).__name__)
                self._send_message(m.Notice(format_internal_error(error), "error"))
        self._stop_heals()
        if self._watch is not None:
            self._watch.finish()

    def _watch_kernel(self, hello: m.Hello) -> None:
        from jupyter_selfheal.surfaces.worker.last_words import KernelWatch

        self._watch = KernelWatch(hello.kernel_pid, Path(hello.last_words), Path(hello.told))
        self._watch.start()

    def _send_message(self, message: m.FromWorker) -> None:
        """One line to the kernel. A kernel that is gone is noticed by the reader."""
        line = wire.dumps(message).encode("utf-8", "surrogatepass") + b"\n"
        with self._sending, contextlib.suppress(BrokenPipeError, ValueError):
            self._out.write(line)
            self._out.flush()

    def _handle_message(self, message: object) -> None:
        match message:
            case m.Hello():
                self._greet(message)
            case m.Heal():
                self._start_heal(message)
            case m.Reproduce():
                self._reproduce_failure(message)
            case m.Prove():
                self._run_aside("prove", lambda: self._prove_patch(message))
            case m.Decide(run, decision, states):
                self._take_decision(run, decision, states)
            case m.Cancel(run):
                self._cancel_run(run)
            case m.AskSent():
                self._run_aside("sent", lambda: self._report_sent(message))
            case m.Review():
                self._run_aside("review", lambda: self._review_cells(message))
            case m.LookAhead(run):
                from jupyter_selfheal.surfaces.worker.look_ahead import Look

                self._looks[run] = Look(message, self._send_message)
                self._run_aside("ahead", lambda: self._look_ahead(message))
            case m.HealDocument(run):
                from jupyter_selfheal.surfaces.worker.heal_document import DocumentHeal

                self._documents[run] = DocumentHeal(message, self._send_message)
                self._run_aside("document", lambda: self._heal_document(run))
            case m.Switched(run):
                self._open_switch_journal(run).append(message)
            case m.AskStatus():
                self._send_message(self._build_status())
            case _:
                self._send_message(m.Notice(f"{type(message).__name__} is no message for the worker", "error"))

    def _greet(self, hello: m.Hello) -> None:
        if hello.last_words:
            self._watch_kernel(hello)
        if hello.version != __version__:
            text = f"the extension is {hello.version}, the worker {__version__}: restart the kernel"
            self._send_message(m.Notice(text, "warning"))

    def _start_heal(self, message: m.Heal) -> None:
        engine.import_in_background(message.config)  # while the free healers work
        heal = self._heals[message.run] = RunningHeal(
            message, self._send_message, self._turn, self._remove_heal, self._ahead
        )
        self._ahead = None
        heal.thread.start()

    def _take_decision(self, run: str, decision: Decision, states: tuple[m.StateAddress, ...]) -> None:
        if (heal := self._heals.get(run)) is not None:  # asked once: it may end at any moment, on its own thread
            heal.take_decision(decision, states)
            return
        with connect_states(states):
            pass  # nobody works from them
        self._send_message(m.Notice("this heal has ended: nothing is waiting for a decision", "warning", run))

    def _cancel_run(self, run: str) -> None:
        if (heal := self._heals.get(run)) is not None:  # each asked once: it may end at any moment, on its own thread
            heal.cancel.set()
        if (look := self._looks.get(run)) is not None:
            look.stop()
        if (document := self._documents.get(run)) is not None:
            document.stop()

    def _reproduce_failure(self, message: m.Reproduce) -> None:
        """Have the cell run that has just failed. What cannot be done ahead is done when its heal comes."""
        if self._ahead is not None:
            self._ahead.close()
            self._ahead = None
        if message.new_modules < MANY_MODULES:  # else it is run from after its imports
            with contextlib.suppress(SelfHealError):
                self._ahead = StateAhead(message)

    @staticmethod
    def _run_aside(name: str, work: Callable[[], None]) -> None:
        threading.Thread(target=work, name=f"selfheal-{name}", daemon=True).start()

    def _build_status(self) -> m.Status:
        runs = list(self._heals.values())
        working = next((h for h in runs if h.working), None) or next((h for h in runs if h.waiting), None)
        queued = tuple(h.run for h in runs if h is not working and not h.waiting)
        waiting = working.waiting if working else False
        return m.Status(working.run if working else "", waiting, queued, self._done, self._spent)

    def _remove_heal(self, heal: RunningHeal, outcome: Outcome) -> None:
        """Count a heal that is over, and what it cost."""
        if self._heals.get(heal.run) is heal:
            del self._heals[heal.run]
        self._done += 1
        self._spent += outcome.cost

    def _prove_patch(self, message: m.Prove) -> None:
        """Try one patch again, from the states as they are now."""
        try:
            with connect_states(message.states) as starts:
                candidate = engine.prove_patch(message.case, message.patch, starts, message.config)
            self._send_message(m.Proven(message.run, (candidate,)))
        except SelfHealError as error:
            self._send_message(m.Proven(message.run, error=str(error)))
        except Exception as error:
            log.exception("proving again")
            self._send_message(m.Proven(message.run, error=format_internal_error(error)))

    def _report_sent(self, message: m.AskSent) -> None:
        """What went to a model in a run; where nothing did, what would. Always an answer: somebody waits for it."""
        records, would = (), ""
        try:
            records = tuple(read_sent_records(message.run))
            if message.cases and not records:
                would = self._preview_request(message)
        except SelfHealError as error:
            would = f"it cannot be said: {error}"
        except Exception as error:
            log.exception("rendering a request")
            would = format_internal_error(error)
        self._send_message(m.Sent(message.run, records, "\n\n".join(map(format_request_record, records)), would))

    def _review_cells(self, message: m.Review) -> None:
        """Always an answer: somebody waits for it."""
        from jupyter_selfheal.surfaces.worker.session_review import review_cells

        try:
            self._send_message(review_cells(message, lambda cost: self._send_message(m.Spent(message.run, cost))))
        except SelfHealError as error:
            self._send_message(m.Reviewed(message.run, notes=(f"the review ended early: {error}",)))
        except Exception as error:
            log.exception("reviewing")
            self._send_message(m.Reviewed(message.run, notes=(format_internal_error(error),)))

    def _look_ahead(self, message: m.LookAhead) -> None:
        """Always an answer: somebody waits for it."""
        look = self._looks[message.run]
        try:
            self._send_message(look.run())
        except SelfHealError as error:
            self._send_message(m.Foreseen(message.run, notes=(f"it ended early: {error}",)))
        except Exception as error:
            log.exception("looking ahead")
            self._send_message(m.Foreseen(message.run, notes=(format_internal_error(error),)))
        finally:
            del self._looks[message.run]

    def _heal_document(self, run: str) -> None:
        """Always an answer: a page waits for it."""
        try:
            self._send_message(self._documents[run].run())
        except SelfHealError as error:
            self._send_message(m.DocumentHealed(run, error=str(error)))
        except Exception as error:
            log.exception("healing a document")
            self._send_message(m.DocumentHealed(run, error=format_internal_error(error)))
        finally:
            del self._documents[run]

    def _preview_request(self, message: m.AskSent) -> str:
        at_work = self._heals.get(message.run)
        with contextlib.nullcontext(at_work.starts) if at_work else connect_states(message.states) as starts:
            return format_request_record(
                engine.preview_request(message.cases[0], starts, message.config, read_events(message.run))
            )

    def _open_switch_journal(self, run: str) -> JsonlJournal:
        """The journal of what the user switched in this session."""
        if self._switched is None:
            self._switched = JsonlJournal.create(find_free_name(run))
        return self._switched

    def _stop_heals(self) -> None:
        heals = list(self._heals.values())
        for heal in heals:
            heal.cancel.set()
        deadline = time.monotonic() + END_SECONDS
        for heal in heals:
            heal.thread.join(max(deadline - time.monotonic(), 0.0))
        for heal in heals:
            heal.close_states()
