"""Reading what a trial sends: frames, a length and JSON each, into the results of its steps."""

from __future__ import annotations

import json
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_selfheal import source
from jupyter_selfheal.kernels.deaths import find_cell_line, parse_stack
from jupyter_selfheal.kernels.output_collector import OutputCollector
from jupyter_selfheal.model import JSON, ErrorInfo, Frame, Probe, Run, Step, StepResult
from jupyter_selfheal.numbers import read_count, read_number


class FrameReader:
    """Cuts a stream of bytes into frames; one that is not whole yet is waited for."""

    def __init__(self) -> None:
        self._data = bytearray()

    def take_frames(self, data: bytes) -> Iterator[list[Any]]:
        """The frames that are whole now."""
        self._data += data
        while len(self._data) >= 4:
            size = struct.unpack_from(">I", self._data)[0]
            if len(self._data) < 4 + size:
                return
            frame = json.loads(bytes(self._data[4 : 4 + size]))
            del self._data[: 4 + size]
            yield frame


@dataclass
class _StepSoFar:
    outputs: OutputCollector = field(default_factory=OutputCollector)
    began: bool = False
    began_at: float = 0.0
    """On this process's monotonic clock, for a step that was cut off and never said how long it took."""
    late: ErrorInfo | None = None
    error: ErrorInfo | None = None
    ended: Mapping[str, JSON] | None = None


class ResultReader:
    """The results of a trial as its frames come in."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._readings = [_StepSoFar() for _ in steps]
        self._at = -1
        self.layers: tuple[str, ...] = ()
        self.probed: dict[str, str | None] = {}
        self.blocked: list[str] = []
        self.failed = ""
        """Why the trial's sandbox could not be entered."""
        self.done: Mapping[str, JSON] | None = None
        """The trial's last word; None where its process ended without one."""

    @property
    def is_kept(self) -> bool:
        """True where the trial's process has frozen and waits."""
        return self.done is not None and bool(self.done.get("kept"))

    @property
    def was_heard(self) -> bool:
        """True where the trial has said anything."""
        return self._at >= 0 or bool(self.layers or self.failed) or self.done is not None

    @property
    def is_over(self) -> bool:
        """True where nothing can come after the trial's last word."""
        return self.done is not None and bool(self.done.get("over"))

    def take_frame(self, frame: Sequence[Any]) -> None:
        """Take in one frame. Raises ValueError, TypeError, LookupError or AttributeError for one that is not ours."""
        kind, *rest = frame
        if kind == "begin":
            self._at = rest[0]
            self._readings[self._at].began = True
            self._readings[self._at].began_at = time.monotonic()
        elif kind == "out":
            self.add_output(rest[0])
        elif kind == "late":
            self._readings[self._at].late = self._build_error(self._at, rest[0])
        elif kind == "end":
            at, ended = rest[0], dict(rest[1])
            self._readings[at].ended = ended
            self._readings[at].error = self._build_error(at, ended["error"]) if "error" in ended else None
        elif kind == "layers":
            self.layers, self.probed = tuple(map(str, rest[0])), dict(rest[1])
        elif kind == "blocked":
            self.blocked.append(str(rest[0]))
        elif kind == "failed":
            self.failed = str(rest[0])
        elif kind == "done":
            marks = {name: read_number(at) for name, at in dict(rest[0].get("marks", {})).items()}
            self.done = {**rest[0], "marks": {name: at for name, at in marks.items() if at is not None}}

    def add_output(self, raw: Mapping[str, JSON]) -> None:
        """One output of the step at hand."""
        if self._at >= 0:
            self._readings[self._at].outputs.take_message(str(raw["output_type"]), raw)

    def build_results(self, *, timed_out: bool, died: str, fault: str = "") -> tuple[StepResult, ...]:
        """A result for every step. ``timed_out``: of the whole trial; ``died``: what ended the process, if anything did;
        ``fault``: the stack that Python wrote when it crashed."""
        return tuple(self._build_result(n, timed_out, died, fault) for n in range(len(self._steps)))

    def _build_result(self, at: int, timed_out: bool, died: str, fault: str) -> StepResult:
        step, reading = self._steps[at], self._readings[at]
        errors: tuple[ErrorInfo, ...] = (reading.late,) if reading.late else ()
        ended = reading.ended or {}
        status = str(ended.get("status", "skipped"))
        seconds = read_number(ended.get("seconds"), 0) or 0.0
        if reading.ended is None and reading.began:
            seconds = time.monotonic() - reading.began_at
            status = "timeout" if timed_out else "error"
            if died:
                errors = (_build_death(step, died, fault),)
        if reading.error:
            errors = (reading.error,)
        if status not in ("timeout", "error"):
            errors = ()
        return StepResult(
            status,
            role=step.role.value if isinstance(step, Run) else "probe",
            cell_id=step.cell_id if isinstance(step, Run) else "",
            name=step.name if isinstance(step, Probe) else "",
            outputs=reading.outputs.outputs,
            errors=errors,
            value=ended.get("value"),
            seconds=seconds,
            peak_mb=read_number(ended.get("peak_mb"), 0) or 0.0,
        )

    def _build_error(self, at: int, raw: Mapping[str, JSON]) -> ErrorInfo:
        step = self._steps[at]
        return read_error(raw, step.code if isinstance(step, Run) else "")


def _build_death(step: Step, died: str, fault: str) -> ErrorInfo:
    """The end of the process as an error of the step, at the line that it died in where that is known."""
    line = find_cell_line(parse_stack(fault)) if isinstance(step, Run) else 0
    statement = source.find_statement(step.code, line) if isinstance(step, Run) and line else -1
    return ErrorInfo("KernelDied", died, line=line, statement=statement, traceback=fault)


def read_error(raw: Mapping[str, JSON], code: str) -> ErrorInfo:
    """An error as :mod:`~jupyter_selfheal.inside.locate` describes it in a kernel; ``code`` is the cell's, empty for a probe."""
    line = read_count(raw.get("line", 0)) or 0
    return ErrorInfo(
        ename=str(raw["ename"]),
        evalue=str(raw["evalue"]),
        line=line,
        statement=source.find_statement(code, line) if line else -1,
        frames=tuple(Frame(file, n, function, text, cell) for file, n, function, text, cell in raw.get("frames", ())),
        traceback=str(raw.get("traceback", "")),
        before_exec=bool(raw.get("before_exec", False)),
    )
