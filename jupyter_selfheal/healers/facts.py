"""Questions to the live state in which a cell failed, each asked of a throw-away copy of it and answered once."""

from __future__ import annotations

import ast
import contextlib
import json
import threading

from jupyter_selfheal.errors import KernelError
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import JSON, Failure, FailureKind, Keep, Probe, Role, Run, TrialRequest
from jupyter_selfheal.ports import AnswersQuestions, Questions, Starts, TrialKernel

PROBE_SECONDS = 20.0
"""Seconds a probe may take: they read attributes and folders; one that hangs is a property of the user's own."""

REPEATS_SECONDS = 10.0
"""Seconds that running the cell anew for one question after the other may take in all, where no state after it can be kept."""

_READING = frozenset({
    "len", "int", "float", "bool", "isinstance", "hasattr", "type", "abs", "callable", "all", "any", "min", "max", "sum", "mean", "keys",
    "lower", "upper", "startswith", "endswith",
})  # fmt: skip
"""Functions and methods that change nothing of what a cell usually holds."""
_OF_ITERATORS = frozenset({"all", "any", "min", "max", "sum"})
"""Of these only as methods: as functions they use an iterator up."""

_WITHOUT_AFTER = (FailureKind.TIMED_OUT, FailureKind.DIED)


class KernelFacts:
    """:class:`~jupyter_selfheal.ports.Facts` over a trial kernel.

    From a state after the failure a question is one probe. From a state before the cell, ``failure`` says which cell
    to run first; the state after it is kept for the further questions until :meth:`close`. ``cell_seconds`` is how
    long that cell may take. Where that state cannot be kept (a library's threads are running in it, say) the cell is run
    anew for each question until that has taken :data:`REPEATS_SECONDS`; what is asked then has no answer. A cell that does
    not end, or ends its process, has no state after it: what was there before is asked.
    """

    def __init__(self, kernel: TrialKernel, failure: Failure | None = None, *, cell_seconds: float = 0.0) -> None:
        self._kernel = kernel
        self._failure = failure
        self._cell_seconds = cell_seconds or max(10.0, 3.0 * (failure.seconds if failure else 0.0))
        self._after: TrialKernel | None = None
        self._repeated = 0.0
        self._answers: dict[str, JSON] = {}
        self._asking = threading.Lock()
        self._keeping = threading.Lock()
        self._closings = 0
        self._line: Questions | None = None
        """The copy that is asked, where the state has such ones."""

    @classmethod
    def of(cls, starts: Starts, failure: Failure) -> KernelFacts:
        """From the state after the failure where there is one, else from before the cell."""
        return cls(starts.after[0]) if starts.after else cls(starts.before[0], failure)

    def open_line(self, source: str) -> None:
        """Have a copy made that reads what questions of this source are written in, while nobody waits for it. Nothing is asked."""
        if isinstance(self._kernel, AnswersQuestions) and (
            self._failure is None or self._failure.kind in _WITHOUT_AFTER
        ):
            closings = self._closings  # as they are now: :meth:`close` may come while the copy is made
            with contextlib.suppress(KernelError, OSError):
                line = self._kernel.open_questions()
                if self._keep_line(line, closings):
                    line.prepare(source)

    def ask(self, source: str, argument: JSON = None) -> JSON:
        """See :meth:`jupyter_selfheal.ports.Facts.ask`."""
        question = json.dumps([source, argument], sort_keys=True)
        with self._asking:
            if question not in self._answers:
                self._answers[question] = self._ask_once(Probe(source, argument, timeout=PROBE_SECONDS))
            return self._answers[question]

    def close(self) -> None:
        """Let go of the state that was kept (never of the kernel that was given). Idempotent.

        A question that is still being asked, by a thread that nobody waits for any more, is not waited for here either: what it
        keeps is let go of when it comes.
        """
        with self._keeping:
            kept, self._after = self._after, None
            line, self._line = self._line, None
            self._closings += 1
        if line is not None:
            line.close()
        if kept is not None:
            kept.close()

    def _ask_once(self, probe: Probe) -> JSON:
        after = self._after
        # what the state is to this cell was said by whoever gave it: an earlier failure may have left it, too
        if after is not None or self._failure is None or self._failure.kind in _WITHOUT_AFTER:
            return self._ask_state(after or self._kernel, probe)
        if self._repeated >= REPEATS_SECONDS:
            return None
        steps = (Run(self._failure.source, self._failure.cell_id, Role.CELL, go_on=True), probe)
        limit = self._cell_seconds + PROBE_SECONDS
        return self._answer_request(self._kernel, TrialRequest(steps, timeout=limit, keep=Keep.ALWAYS, is_brief=True))

    def _ask_state(self, kernel: TrialKernel, probe: Probe) -> JSON:
        if not isinstance(kernel, AnswersQuestions):
            # a state that is made by running cells again costs as much as they do: a process that only was looked at is asked on
            keep = Keep.ALWAYS if kernel is self._after and is_only_read(probe.argument) else Keep.NEVER
            return self._answer_request(kernel, TrialRequest((probe,), timeout=PROBE_SECONDS, keep=keep))
        closings, line = self._closings, self._line
        if line is not None:
            try:
                return line.ask(probe)
            except (KernelError, OSError):  # nobody had asked for a while
                line.close()
        try:
            line = kernel.open_questions()
            if not self._keep_line(line, closings):
                return None
            return line.ask(probe)
        except (KernelError, OSError):
            return None  # as in :meth:`_answer_request`

    def _keep_line(self, line: Questions, closings: int) -> bool:
        """Keep the copy for further questions, in place of another. False where :meth:`close` came while it was made."""
        with self._keeping:
            is_wanted = closings == self._closings
            unwanted = self._line if is_wanted else line
            if is_wanted:
                self._line = line
        if unwanted is not None:
            unwanted.close()
        return is_wanted

    def _answer_request(self, kernel: TrialKernel, request: TrialRequest) -> JSON:
        closings = self._closings
        try:
            trial, kept = kernel.run(request)
        except KernelError:
            return None  # the machinery's fault shows in the trials themselves; a fact is only a help
        if kept is not None:
            self._keep_state(kept, closings)
        elif request.keep is Keep.ALWAYS and kernel is self._kernel:
            self._repeated += trial.seconds
        return trial.probe(request.steps[-1].name) if isinstance(request.steps[-1], Probe) else None

    def _keep_state(self, kept: TrialKernel, closings: int) -> None:
        """Keep the state for further questions, unless :meth:`close` came while it was made."""
        with self._keeping:
            is_wanted = closings == self._closings
            unwanted = self._after if is_wanted else kept
            if is_wanted:
                self._after = kept
        if unwanted is not None:
            unwanted.close()


def is_only_read(argument: JSON) -> bool:
    """Whether a question's expressions look at the state alone, so that what is asked next finds it as it was."""
    given = argument.get("argument") if isinstance(argument, dict) and "question" in argument else None
    if not isinstance(given, dict):
        return False  # a source of another form may do anything
    listed = given.get("expressions")
    texts = [given.get("expression", ""), *(listed if isinstance(listed, list) else [])]
    return all(_reads_only(text) for text in texts if isinstance(text, str))


def _reads_only(text: str) -> bool:
    try:
        nodes = list(ast.walk(parse_expression(f"({text.strip()}\n)")))
    except (SyntaxError, ValueError):
        return True  # it has no value, and is not run
    if any(isinstance(n, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom | ast.comprehension) for n in nodes):
        return False
    calls = [n.func for n in nodes if isinstance(n, ast.Call)]
    return all(
        f.attr in _READING
        if isinstance(f, ast.Attribute)
        else isinstance(f, ast.Name) and f.id in _READING - _OF_ITERATORS
        for f in calls
    )
