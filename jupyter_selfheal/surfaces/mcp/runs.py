"""Calls as runs with an id: what takes longer than a client waits goes on, and is asked about later."""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from jupyter_selfheal.errors import SelfHealError, UsageError
from jupyter_selfheal.model import JSON
from jupyter_selfheal.surfaces.cli.faults import report_internal_error
from jupyter_selfheal.surfaces.mcp.meter import Meter, use_meter

MOST_RUNS = 50
"""Ended runs whose results can still be asked for."""

CANCELLED = "cancelled: nothing was written; call the tool again to begin anew"


@dataclass(slots=True)
class ToolRun:
    """One call of a tool, on a thread of its own."""

    tool: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    meter: Meter = field(default_factory=Meter)
    state: str = "running"
    """``running``, ``done``, ``failed`` or ``cancelled``."""
    result: JSON = None
    error: str = ""
    at: int = 0
    of: int = 0
    doing: str = "starting"
    version: int = 0
    """Counts up with everything that can be told of it."""
    _writing: bool = False
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _on_cancel: list[Callable[[], None]] = field(default_factory=list)

    @property
    def is_running(self) -> bool:
        return self.state == "running"

    @property
    def is_cancelled(self) -> bool:
        return self.state == "cancelled"

    def report_progress(self, at: int, of: int, doing: str) -> None:
        """Say how far it is: ``at`` of ``of`` cells, and what is being done."""
        with self._changed:
            self.at, self.of, self.doing = at, of, doing
            self._tell_listeners()

    def wait_for_news(self, version: int, seconds: float) -> None:
        """Block until there is more to tell than at that version, at most so long."""
        with self._changed:
            self._changed.wait_for(lambda: self.version != version or not self.is_running, seconds)

    def on_cancel(self, act: Callable[[], None]) -> None:
        """Have something done when the run is cancelled; at once where it is already."""
        with self._changed:
            self._on_cancel.append(act)
            cancelled = self.is_cancelled
        if cancelled:
            act()

    def cancel(self) -> None:
        """End it. What its thread still returns is not looked at."""
        with self._changed:
            if not self.is_running or self._writing:
                return
            self.state, self.error = "cancelled", CANCELLED
            self.meter.stop()
            self._tell_listeners()
            acts = list(self._on_cancel)
        for act in acts:
            act()

    def begin_writing(self) -> None:
        """From here on it is not cancelled any more: a file is about to be replaced. Raises :class:`UsageError` where it was."""
        with self._changed:
            if self.is_cancelled:
                raise UsageError(CANCELLED)
            self._writing = True

    def settle(self, state: str, result: JSON = None, error: str = "") -> None:
        """How it ended; nothing where it was cancelled meanwhile."""
        with self._changed:
            if self.is_running:
                self.state, self.result, self.error = state, result, error
                self.meter.stop()
                self._tell_listeners()

    def _tell_listeners(self) -> None:
        self.version += 1
        self._changed.notify_all()


class ToolRuns:
    """The runs of a server, the latest of them. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, ToolRun] = OrderedDict()

    def start(self, tool: str, work: Callable[[ToolRun], JSON]) -> ToolRun:
        """Begin a run on a thread of its own."""
        run = ToolRun(tool)
        with self._lock:
            self._runs[run.id] = run
            ended = [r.id for r in self._runs.values() if not r.is_running]
            for run_id in ended[: max(len(ended) - MOST_RUNS, 0)]:
                del self._runs[run_id]
        threading.Thread(target=_perform_run, args=(run, work), name=f"selfheal-{tool}", daemon=True).start()
        return run

    def get(self, run_id: str) -> ToolRun:
        """The run of that id. Raises :class:`UsageError`."""
        with self._lock:
            if run_id in self._runs:
                return self._runs[run_id]
        raise UsageError(
            f"there is no run {run_id[:40]!r} (the last {MOST_RUNS} are kept while the server runs): call the tool again"
        )

    def cancel_all(self) -> None:
        """End every run."""
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.cancel()


def _perform_run(run: ToolRun, work: Callable[[ToolRun], JSON]) -> None:
    use_meter(run.meter)
    try:
        run.settle("done", work(run))
    except SelfHealError as error:
        run.settle("failed", error=" ".join(str(error).split()))
    except Exception as error:
        if run.is_running:
            run.settle("failed", error=report_internal_error(error))
