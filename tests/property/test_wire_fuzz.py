"""Whatever comes in, wherever it comes in: an error that says so, and the reader lives on."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import socket
import struct
import subprocess
import sys
import threading
import time
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from jupyter_selfheal import messages as m
from jupyter_selfheal import wire
from jupyter_selfheal.errors import JournalError, KernelError, WireError
from jupyter_selfheal.journal import jsonl
from jupyter_selfheal.kernels.trial_channels import Channels, read_results
from jupyter_selfheal.kernels.trial_results import ResultReader
from jupyter_selfheal.model import Cost, Diagnosis, ErrorInfo, Probe, Run, Verdict
from jupyter_selfheal.surfaces.live.worker_client import WorkerClient
from jupyter_selfheal.surfaces.worker.service import Worker
from tests.property.test_wire_round_trip import CLASSES, values

DEEP = "[" * 100_000
DEEPER = '{"v":1,"body":' + '{"$":"Paused","proposal":[' * 30_000
ODD = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(sorted(CLASSES)) | st.just(10**400)
)  # fmt: skip
JSONS = st.recursive(
    ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["$", "v", "body", "run", "x"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
MANY = settings(
    max_examples=15 if settings.default.derandomize else 60, deadline=None, suppress_health_check=list(HealthCheck)
)
"""Of each kind of message; where they are others each time (``make test-all``), more of them are tried."""


def mutated(data: st.DataObject, raw: Any) -> Any:
    """The same JSON with something else in one place."""
    places = (
        [raw.items()] if isinstance(raw, dict) and raw else [enumerate(raw)] if isinstance(raw, list) and raw else []
    )
    if not places or data.draw(st.integers(0, 3)) == 0:
        return data.draw(JSONS)
    at, value = data.draw(st.sampled_from(list(places[0])))
    copy = dict(raw) if isinstance(raw, dict) else list(raw)
    copy[at] = mutated(data, value)
    return copy


def conforms(value: Any, hint: Any) -> bool:
    """Whether a value is what the type hint says; numbers that are none are never."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin in (types.UnionType, typing.Union):
        return any(conforms(value, option) for option in args)
    if origin is tuple:
        hints = [args[0]] * len(value) if len(args) == 2 and args[1] is Ellipsis else args
        return isinstance(value, tuple) and all(map(conforms, value, hints))
    if origin is Mapping:
        return isinstance(value, Mapping) and all(conforms(v, args[1]) for v in value.values())
    if hint is float:
        return type(value) is float and math.isfinite(value)
    if not dataclasses.is_dataclass(value):
        return type(value) is hint
    assert isinstance(hint, type)
    return isinstance(value, hint) and all(
        conforms(getattr(value, n), h) for n, h in wire._read_hints(type(value)).items()
    )


def read_or_refuse(line: str | bytes) -> Any:
    try:
        return wire.loads(line)
    except WireError:
        return None


@pytest.mark.parametrize("name", CLASSES)
@MANY
@given(data=st.data())
def test_a_spoilt_message_is_refused_or_is_a_message(name: str, data: st.DataObject) -> None:
    body = wire.encode(data.draw(values(CLASSES[name])))
    message = read_or_refuse(json.dumps({"v": wire.VERSION, "body": mutated(data, body)}))
    assert message is None or conforms(message, type(message))


@MANY
@given(st.binary(max_size=40) | JSONS.map(json.dumps) | st.text(max_size=20))
@example(DEEP)
@example(DEEPER)
@example('{"v":1,"body":{"$":"Cost","usd":NaN}}')
@example('{"v":1,"body":{"$":"Spent","run":"r","cost":3}}')
@example('{"v":1,"body":{"$":"Notice","text":[' + DEEP)
@example(b"\xff\xfe{")
def test_anything_else_is_refused(line: str | bytes) -> None:
    assert read_or_refuse(line) is None


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [(Cost, "usd", -1.0), (Cost, "usd", math.nan), (Cost, "input_tokens", -5), (Verdict, "score", math.nan),
     (Verdict, "score", 11.0), (Diagnosis, "confidence", 1000)],
)  # fmt: skip
def test_numbers_out_of_range_make_no_object(kind: type, field: str, value: float) -> None:
    required = {"Verdict": {"patch_id": "p", "score": 1.0, "plausible": True}, "Diagnosis": {"cause": "c"}}
    raw = {"$": kind.__name__, **required.get(kind.__name__, {}), field: value}
    with pytest.raises(WireError, match=rf"no |expected float|{kind.__name__}"):
        wire.decode(raw)


def test_what_is_too_deep_to_be_sent_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(WireError, match="deep"):
        wire.encode(m.Sent("r", (value,), "", ""))


# --- journals -------------------------------------------------------------------------------------------------------


@MANY
@given(data=st.data())
def test_a_journal_with_any_line_is_read_or_named_as_damaged(tmp_path: Path, data: st.DataObject) -> None:
    event = wire.encode(data.draw(values(data.draw(st.sampled_from(list(CLASSES.values()))))))
    entry = mutated(data, {"v": wire.VERSION, "at": "", "body": event})
    line = (
        data.draw(st.sampled_from([json.dumps(entry), DEEP, DEEPER])) if data.draw(st.booleans()) else json.dumps(entry)
    )
    path = tmp_path / "run.jsonl"
    path.write_text(f'{{"selfheal": {jsonl.SCHEMA}}}\n{line}\n', encoding="utf-8")
    try:
        events = jsonl.read_journal(path).events()
    except JournalError:
        return
    assert all(conforms(event, type(event)) for event in events)


# --- the worker and the kernel ---------------------------------------------------------------------------------------


def spoilt_lines(data: st.DataObject) -> list[bytes]:
    sound = wire.encode(data.draw(values(data.draw(st.sampled_from([m.Decide, m.Cancel, m.Hello, m.Spent])))))
    lines = [json.dumps({"v": 1, "body": mutated(data, sound)}).encode(), json.dumps(data.draw(JSONS)).encode()]
    return [*lines, data.draw(st.binary(max_size=30)).replace(b"\n", b""), DEEP.encode(), DEEPER.encode()]


@MANY
@given(data=st.data())
def test_the_worker_answers_after_whatever_came_in(data: st.DataObject) -> None:
    asked = wire.dumps(m.AskStatus()).encode()
    out = io.BytesIO()
    Worker(io.BytesIO(b"\n".join([*spoilt_lines(data), asked, b""])), out).serve()
    said = [wire.loads(line) for line in out.getvalue().splitlines()]
    assert isinstance(said[-1], m.Status)
    assert all(isinstance(message, m.Ready | m.Notice | m.Status) for message in said)


READY = wire.dumps(m.Ready("1", 1)).encode()  # what comes before it is somebody else's print, and is skipped


class Writing(WorkerClient):
    """A client whose worker writes what it is told to, and ends."""

    text = b""

    def _spawn_worker(self) -> subprocess.Popen[bytes]:
        command = "import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.readline()))"
        process = subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin
        process.stdin.write(self.text.hex().encode() + b"\n")
        return process


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_kernels_reader_lives_on_after_whatever_came_in(tmp_path: Path, data: st.DataObject) -> None:
    received, lost = [], threading.Event()
    client = Writing(tmp_path / "log", received.append, lambda _text, _again: lost.set())
    client.text = b"\n".join([READY, *spoilt_lines(data), wire.dumps(m.Notice("the last line")).encode(), b""])
    client.start()
    assert lost.wait(60)
    assert m.Notice("the last line") in received


# --- trials ----------------------------------------------------------------------------------------------------------

FRAMES = [
    ["begin", 0], ["out", {"output_type": "stream", "name": "stdout", "text": "x"}],
    ["late", {"ename": "E", "evalue": "", "line": 1}],
    ["end", 1, {"status": "ok", "value": {"a": 1}, "seconds": 0.1}], ["layers", ["overlay"], {}], ["blocked", "network"],
    ["done", {"kept": False, "over": True, "marks": {}}],
]  # fmt: skip


@MANY
@given(data=st.data())
def test_a_trial_that_says_anything_gives_a_result_or_a_fault_of_the_kernel(data: st.DataObject) -> None:
    reading = ResultReader((Run("1"), Probe("def probe(): pass", name="facts")))
    with Channels(keep=False) as channels:
        results, status = channels.theirs
        for frame in data.draw(st.permutations(FRAMES)):
            text = json.dumps(mutated(data, frame) if data.draw(st.booleans()) else frame).encode()
            results.sendall(struct.pack(">I", len(text)) + text)
        status.sendall(json.dumps(mutated(data, {"ending": "finished", "code": 0})).encode())
        for end in (results, status):
            end.shutdown(socket.SHUT_RDWR)
        try:
            read_results(channels, reading, time.monotonic() + 60)
            trial = reading.build_results(timed_out=False, died="")
        except KernelError:
            return
    assert [step.role for step in trial] == ["cell", "probe"]
    assert all(conforms(step.errors, tuple[ErrorInfo, ...]) for step in trial)
