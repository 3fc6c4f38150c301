"""What can only be seen from outside of a heal: a kill between a paid reply and its line in the journal, and what else is sent."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop import driver
from jupyter_selfheal.loop.events import Answered, Reserved
from jupyter_selfheal.model import Oracle, Reason
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Says
from jupyter_selfheal.testing.scripted import ScriptedApprover
from tests.model_stage import GOOD, case_of, parts_of, settings

ROOT = Path(__file__).parents[3]

KILLED = """
import os, signal, sys
from pathlib import Path
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop import driver
from jupyter_selfheal.loop.events import Answered
from jupyter_selfheal.model import Oracle
from jupyter_selfheal.providers.anthropic import AnthropicProvider
from jupyter_selfheal.testing.scripted import ScriptedApprover
from tests.model_stage import case_of, parts_of, settings

class Cut(JsonlJournal):
    def append(self, event):
        if isinstance(event, Answered):
            os.kill(os.getpid(), signal.SIGKILL)  # the reply is here, and paid; its line is not
        super().append(event)

case = case_of(oracle=Oracle(expect="7"))
provider = AnthropicProvider(key="k", base_url=sys.argv[1])
journal = Cut.create("cut", folder=Path(sys.argv[2]))
driver.heal(case, parts_of(case, provider, settings(budget_usd=1.0), ScriptedApprover(), journal))
"""


def run(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


def test_killed_between_the_paid_reply_and_its_line_the_call_counts_as_spent(tmp_path: Path) -> None:
    case = case_of(oracle=Oracle(expect="7"))
    with FakeModelServer([Says(GOOD), Says(GOOD)]) as server:
        child = run(KILLED, server.url, str(tmp_path))
        assert child.returncode == -signal.SIGKILL, child.stderr
        assert len(server.requests) == 1
        journal, recording = JsonlJournal.resume(tmp_path / "cut.jsonl")
        with journal:
            before: Any = recording.events()
            assert not [e for e in before if isinstance(e, Answered)]
            (reserved,) = [e for e in before if isinstance(e, Reserved)]
            provider = AnthropicProvider(key="k", base_url=server.url)
            parts = parts_of(case, provider, settings(budget_usd=1.0), ScriptedApprover(), journal)
            outcome = driver.heal(case, parts, resume_from=before)
            (answered,) = [e for e in journal.events() if isinstance(e, Answered)]
        assert len(server.requests) == 2
    assert outcome.reason is Reason.HEALED
    assert reserved.worst.usd > answered.answer.cost.usd > 0
    assert outcome.cost.usd == pytest.approx(reserved.worst.usd + answered.answer.cost.usd)


WATCHED = """
import json, os, sys
connected, spans = set(), []
sys.addaudithook(lambda name, args: connected.add(repr(args[1])) if name == "socket.connect" else None)
os.environ["ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE"] = "content"

from opentelemetry import trace

class Span(trace.NonRecordingSpan):
    def is_recording(self): return True
    def set_attribute(self, name, value): spans.append(repr((name, value)))
    def set_attributes(self, found): spans.append(repr(found))
    def add_event(self, name, attributes=None, timestamp=None): spans.append(repr((name, attributes)))

class Tracer(trace.NoOpTracer):
    def start_span(self, name, *rest, **more):
        spans.append(repr((name, more)))
        return Span(trace.INVALID_SPAN_CONTEXT)

class Provider(trace.TracerProvider):
    def get_tracer(self, *rest, **more): return Tracer()

trace.set_tracer_provider(Provider())

from jupyter_selfheal.model import Oracle
from jupyter_selfheal.testing.fake_model_server import Says
from tests.model_stage import GOOD, case_of, heal

outcome, _, _, requests = heal(case_of(), [Says(GOOD), *[Says("{}")] * 8])
asked = [[r.path, dict(r.headers), r.body] for r in requests]
print(json.dumps({"asked": asked, "connected": sorted(connected), "spans": spans}))
"""


def test_cells_travel_in_the_messages_of_a_request_and_nowhere_else() -> None:
    ran = run(WATCHED)
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout.splitlines()[-1])
    assert len(seen["asked"]) > 2, "the judge was asked too"
    assert seen["spans"] == [], "the SDK's own telemetry is off, whatever the environment says"
    assert len(seen["connected"]) == 1, "nobody else was connected to"
    assert sum("aple" in json.dumps(body["messages"]) for _, _, body in seen["asked"]) >= 2
    for path, headers, body in seen["asked"]:
        assert path == "/v1/messages"
        assert not [name for name in headers if name.startswith(("traceparent", "tracestate", "baggage"))]
        assert "aple" not in json.dumps(headers)
        assert set(body) <= {"model", "max_tokens", "stream", "system", "messages", "output_config"}
        elsewhere = json.dumps({name: value for name, value in body.items() if name != "messages"})
        assert "aple" not in elsewhere
