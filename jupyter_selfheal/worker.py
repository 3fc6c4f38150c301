"""The engine of a live session: ``python -m jupyter_selfheal.worker``, one process for each kernel.

Messages (:mod:`jupyter_selfheal.messages`) come on stdin and go to stdout, one wire line each. Nothing else is ever
written to stdout: the descriptor is kept aside at the start, and whatever prints by mistake lands in the log (stderr).
At the end of stdin everything is let go of and the process ends; the frozen states end with its connections.

Heals take turns: one works at a time, and the one that waits for its user lets the next have the turn.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from jupyter_selfheal import assemble, wire
from jupyter_selfheal import messages as m
from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import SelfHealError, WireError
from jupyter_selfheal.journal.describe import describe, sent_text
from jupyter_selfheal.journal.describe import sent as sent_by
from jupyter_selfheal.journal.jsonl import JsonlJournal, read, runs_folder
from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.model import JSON, Cost, Decision, Outcome, Proposal, Reason, Start
from jupyter_selfheal.ports import Starts, TrialKernel

log = logging.getLogger("jupyter_selfheal.worker")

QUIET = frozenset({"Priced", "Reserved", "Settled", "ProposalMade", "PausedForUserAction", "Ended"})
"""Events without a progress line: another message says it, or it is bookkeeping."""


class Worker:
    """Reads messages until there are no more; every heal runs on a thread of its own."""

    def __init__(self, lines: BinaryIO, out: BinaryIO) -> None:
        self._lines = lines
        self._out = out
        self._sending = threading.Lock()
        self.turn = threading.Lock()
        self._heals: dict[str, LiveHeal] = {}
        self._done = 0
        self._spent = Cost()
        self._switched: JsonlJournal | None = None

    def send(self, message: m.FromWorker) -> None:
        """One line to the kernel. A kernel that is gone is noticed by the reader."""
        line = wire.dumps(message).encode("utf-8", "surrogatepass") + b"\n"
        with self._sending, contextlib.suppress(BrokenPipeError, ValueError):
            self._out.write(line)
            self._out.flush()

    def serve(self) -> None:
        """Until ``Shutdown`` or the end of the input; then everything that runs is cancelled."""
        self.send(m.Ready(__version__, os.getpid(), _log_path()))
        for line in self._lines:
            try:
                message = wire.loads(line)
            except WireError as error:
                self.send(m.Notice(str(error), "error"))
                continue
            if isinstance(message, m.Shutdown):
                break
            try:
                self._take(message)
            except Exception as error:
                log.exception("taking %s", type(message).__name__)
                self.send(m.Notice(f"{type(error).__name__}: {error} (log: {_log_path()})", "error"))
        self._stop()

    def _take(self, message: object) -> None:
        match message:
            case m.Hello(version=version):
                if version != __version__:
                    self.send(
                        m.Notice(f"the extension is {version}, the worker {__version__}: restart the kernel", "warning")
                    )
            case m.Heal():
                heal = self._heals[message.run] = LiveHeal(self, message)
                heal.thread.start()
            case m.Prove():
                threading.Thread(target=self._prove, args=(message,), name="selfheal-prove", daemon=True).start()
            case m.Decide(run, decision):
                if run in self._heals:
                    self._heals[run].decisions.put(decision)
                else:
                    self.send(m.Notice("this heal has ended: nothing is waiting for a decision", "warning", run))
            case m.Cancel(run):
                if run in self._heals:
                    self._heals[run].cancel.set()
            case m.AskSent():
                threading.Thread(target=self._sent, args=(message,), name="selfheal-sent", daemon=True).start()
            case m.Switched(run):
                self._switches(run).append(message)
            case m.AskStatus():
                self.send(self._status())
            case _:
                self.send(m.Notice(f"{type(message).__name__} is no message for the worker", "error"))

    def _status(self) -> m.Status:
        runs = list(self._heals.values())
        working = next((h for h in runs if h.working), None) or next((h for h in runs if h.waiting), None)
        queued = tuple(h.run for h in runs if h is not working and not h.waiting)
        waiting = working.waiting if working else False
        return m.Status(working.run if working else "", waiting, queued, self._done, self._spent)

    def ended(self, heal: LiveHeal, outcome: Outcome) -> None:
        """A heal is over."""
        if self._heals.get(heal.run) is heal:
            del self._heals[heal.run]
        self._done += 1
        self._spent += outcome.cost

    def _prove(self, message: m.Prove) -> None:
        """Try one patch again, from the states as they are now."""
        try:
            with _connected(message.states) as starts:
                found = assemble.prove(message.case, message.patch, starts, message.config)
            self.send(m.Proven(message.run, (found,)))
        except SelfHealError as error:
            self.send(m.Proven(message.run, error=str(error)))
        except Exception as error:
            log.exception("proving again")
            self.send(m.Proven(message.run, error=f"an error of ours: {error} (log: {_log_path()})"))

    def _sent(self, message: m.AskSent) -> None:
        """What went to a model in a run; where nothing did, what would."""
        records = tuple(_records(message.run))
        would = ""
        if message.cases and not records:
            try:
                open_ = self._heals.get(message.run)
                with contextlib.nullcontext(open_.starts) if open_ else _connected(message.states) as starts:
                    would = sent_text(
                        assemble.would_send(message.cases[0], starts, message.config, _events(message.run))
                    )
            except SelfHealError as error:
                would = f"it cannot be said: {error}"
            except Exception as error:
                log.exception("rendering a request")
                would = f"an error of ours: {error} (log: {_log_path()})"
        self.send(m.Sent(message.run, records, "\n\n".join(map(sent_text, records)), would))

    def _switches(self, run: str) -> JsonlJournal:
        """The journal of what the user switched in this session."""
        if self._switched is None:
            self._switched = JsonlJournal.create(_free(run))
        return self._switched

    def _stop(self) -> None:
        heals = list(self._heals.values())
        for heal in heals:
            heal.cancel.set()
        deadline = time.monotonic() + 2.0
        for heal in heals:
            heal.thread.join(max(deadline - time.monotonic(), 0.0))
        for heal in heals:
            heal.let_go()


class LiveHeal:
    """One heal of the session: its thread, the decisions that came for it, and its approver."""

    def __init__(self, worker: Worker, message: m.Heal) -> None:
        self.worker = worker
        self.message = message
        self.run = message.run
        self.cancel = threading.Event()
        self.decisions: queue.SimpleQueue[Decision] = queue.SimpleQueue()
        self.working = False
        self.waiting = False
        self.thread = threading.Thread(target=self._heal, name=f"selfheal-{message.run}", daemon=True)
        self._kernels: tuple[TrialKernel, ...] = ()
        self._began = time.monotonic()
        self._tried = 0
        self._cost = Cost()

    # --- the approver ---

    def decide(self, proposal: Proposal) -> Decision:
        """See :class:`~jupyter_selfheal.ports.Approver`."""
        return self._word(m.Proposed(self.run, proposal))

    def paused(self, why: str, proposal: Proposal | None, cost: Cost) -> Decision:
        """See :class:`~jupyter_selfheal.ports.Approver`."""
        return self._word(m.Paused(self.run, why, cost, (proposal,) if proposal else ()))

    def _word(self, question: m.Proposed | m.Paused) -> Decision:
        """Ask, and wait for the user; meanwhile another heal may work."""
        self.working, self.waiting = False, True
        self.worker.turn.release()
        try:
            self.worker.send(question)
            while not self.cancel.is_set():
                with contextlib.suppress(queue.Empty):
                    return self.decisions.get(timeout=0.05)
            raise KeyboardInterrupt
        finally:
            self.worker.turn.acquire()
            self.working, self.waiting = True, False

    # --- the work ---

    @property
    def starts(self) -> Starts:
        """The states that it works from."""
        return _starts(self._kernels)

    def let_go(self) -> None:
        """Close the states. Idempotent; ends trials that run."""
        if not self.message.keep_states:
            for kernel in self._kernels:
                kernel.close()

    def _heal(self) -> None:
        outcome, journal = self._failed(Reason.SELF_ERROR, "it ended without saying why"), ""
        try:
            with self.worker.turn:
                self.working = True
                outcome, journal = self._healed()
                self.working = False
        except SelfHealError as error:
            log.error("%s: %s", self.run, error)
            outcome = self._failed(Reason.INFRASTRUCTURE, str(error))
        except BaseException as error:
            log.exception("healing %s", self.run)
            outcome = self._failed(Reason.SELF_ERROR, f"{type(error).__name__}: {error} (log: {_log_path()})")
        finally:
            self.let_go()
            self.worker.ended(self, outcome)
            self.worker.send(m.Finished(self.run, outcome, journal))

    def _healed(self) -> tuple[Outcome, str]:
        message = self.message
        unproven = message.unproven
        try:
            self._kernels = tuple(_connect(address) for address in message.states)
        except SelfHealError as error:
            unproven = str(error)
        starts = _starts(self._kernels)
        with JsonlJournal.create(
            _free(self.run), notebook=message.case.notebook.path, config=message.config
        ) as journal:
            outcome = assemble.heal(
                message.case,
                starts,
                config=message.config,
                approver=self,
                journal=journal,
                cancel=self.cancel,
                run=journal.path.stem,
                unproven=unproven,
                listeners=(self._progress,),
                session_spent=message.session_spent,
            )
            return outcome, str(journal.path)

    def _progress(self, event: object) -> None:
        body = wire.encode(event)
        kind = str(body["$"])
        self._tried += kind == "TrialEnded"
        if kind in ("Answered", "Scored", "Settled"):
            self._cost += getattr(getattr(event, "answer", event), "cost", Cost())
        if kind not in QUIET:
            text = redact(describe(body)).splitlines()[0]
            seconds = time.monotonic() - self._began
            self.worker.send(m.Progress(self.run, kind, text, self._tried, self._cost, seconds))

    def _failed(self, reason: Reason, detail: str) -> Outcome:
        return Outcome(reason, self.message.case.failure, cost=self._cost, detail=detail)


@contextlib.contextmanager
def _connected(states: tuple[m.StateAddress, ...]) -> Iterator[Starts]:
    kernels = tuple(_connect(address) for address in states)
    try:
        yield _starts(kernels)
    finally:
        for kernel in kernels:
            kernel.close()


def _connect(address: m.StateAddress) -> TrialKernel:
    from jupyter_selfheal.kernels.forked import ForkedKernel

    return ForkedKernel.connect(address.socket, address.start)


def _starts(kernels: tuple[TrialKernel, ...]) -> Starts:
    before = tuple(k for k in kernels if k.start is Start.BEFORE_CELL)
    return Starts(before[:1], tuple(k for k in kernels if k.start is Start.AFTER_FAILURE)[:1])


def _free(run: str) -> str:
    """The run's id, numbered where it was healed before."""
    folder, number, name = runs_folder(), 1, run
    while (folder / f"{name}.jsonl").exists():
        number += 1
        name = f"{run}-{number}"
    return name


def _journals(run: str) -> list[Path]:
    """The journals of a run, and of its repetitions, oldest first."""
    found = runs_folder().glob(f"{run}*.jsonl") if run else ()
    return sorted((p for p in found if re.fullmatch(r"(-\d+)?", p.stem[len(run) :])), key=lambda p: p.stat().st_mtime)


def _events(run: str) -> tuple[object, ...]:
    """Everything that happened in a run so far."""
    return next((read(path).events() for path in reversed(_journals(run))), ())


def _records(run: str) -> Iterator[JSON]:
    """What went to a model, from the journals of a run."""
    for path in _journals(run):
        for record in read(path).records:
            sent = sent_by(record.body)
            if sent is not None:
                yield sent


def _log_path() -> str:
    """The file that stderr goes to, where that can be known."""
    try:
        path = Path(os.readlink("/proc/self/fd/2"))
    except OSError:
        return "the log of the extension"
    return str(path) if path.is_absolute() and path.is_file() else "stderr"


def main() -> int:
    """Serve stdin until it ends."""
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s [%(process)d] %(levelname)s %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    Worker(sys.stdin.buffer, out).serve()
    logging.shutdown()
    os._exit(0)  # threads that were left behind must not hold the process


if __name__ == "__main__":
    main()
