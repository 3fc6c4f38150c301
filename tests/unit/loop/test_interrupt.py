"""Ctrl-C in a process of its own: the journal ends properly, whatever was going on."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_selfheal.journal.jsonl import read_journal

PROGRAM = """
import sys, time
from dataclasses import replace
from pathlib import Path
from jupyter_selfheal.journal.jsonl import JsonlJournal
from jupyter_selfheal.loop.driver import heal
from jupyter_selfheal.ports import Answer
from jupyter_selfheal.testing.scripted import ScriptedApprover, ScriptedHealer, build_scripted_dependencies
from tests.stages import answer, staged

stage, where = staged("x = 1", "x.nope"), sys.argv[2]

def hang(*_):
    print("hanging", flush=True)
    time.sleep(600)

class Asking(ScriptedApprover):
    def decide(self, proposal):
        hang()

healer = ScriptedHealer(hang if where == "healer" else [answer(stage.replaced("x.nope", "x"))])
with JsonlJournal.create("run", folder=Path(sys.argv[1])) as journal:
    outcome = heal(stage.case, replace(build_scripted_dependencies(stage.starts, [healer], approver=Asking()), journal=journal))
print(outcome.reason.value)
"""


@pytest.mark.parametrize("where", ["healer", "question"])
def test_ctrl_c_ends_the_heal_at_once_and_properly(tmp_path: Path, where: str) -> None:
    root = Path(__file__).parents[3]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path), where],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "hanging\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("cancelled\n", "", 0)
    kinds = [r.body["$"] for r in read_journal(tmp_path / "run.jsonl").records]
    assert kinds[-2:] == ["CancelRequested", "Ended"]
