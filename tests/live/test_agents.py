"""A coding agent's server on a running kernel: it looks and proves in copies, and asks the user by the card."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import KernelError, UsageError
from jupyter_selfheal.surfaces.mcp.edits import GivenEdit
from jupyter_selfheal.surfaces.mcp.kernel_line import KernelLine
from jupyter_selfheal.surfaces.mcp.live_tools import LiveToolbox
from jupyter_selfheal.surfaces.mcp.runs import ToolRun
from jupyter_selfheal.surfaces.notebook.settings import Settings
from tests.live.conftest import LiveKernel
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.kernel

TOTAL = "def total(basket):\n    return sum(prices[item] for item in basket)"
BILL = "bill = total(['tea', 'cake'])\nbill"
MENDED = TOTAL.replace("prices[item]", "float(prices[item])")


@pytest.fixture
def toolbox(kernel: LiveKernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveToolbox]:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "agent"))
    line = KernelLine(lambda: Path(kernel.manager.connection_file), patience=PATIENCE)
    settings = Settings(HealConfig().with_(healers=("rules",)), approve="none")
    made = LiveToolbox(line, settings)
    yield made
    made.close()


def ask(toolbox: LiveToolbox, work: Any) -> Any:
    """What a tool answers, with the run that it was."""
    run = toolbox.runs.start("test", work)
    while run.is_running:
        run.wait_for_news(run.version, 1.0)
    assert run.state == "done", run.error
    return run.result


def test_an_agent_proves_in_copies_and_the_user_decides(kernel: LiveKernel, toolbox: LiveToolbox) -> None:
    with pytest.raises(UsageError, match="%load_ext jupyter_selfheal"):
        toolbox.check_session("broken", 0, 20, 400)

    kernel.run("%load_ext jupyter_selfheal")
    kernel.run("prices = {'tea': '3.50', 'cake': '4.20'}", "c0")
    kernel.run(TOTAL, "c1")
    kernel.run(BILL, "c2", allow_stdin=True)
    kernel.wait_for(lambda: bool(kernel.displays) and "healing…" not in kernel.card(), "a card")

    said = toolbox.check_session("broken", 0, 20, 400)
    assert said["root_failures"] == ["c2"]
    assert said["cells"][0]["failure"].startswith("TypeError")

    looked = ask(toolbox, lambda run: toolbox.run_in_session_copy(run, "prices['tea'] = 0; prices", 400))
    assert looked["output"] == "{'tea': 0, 'cake': '4.20'}"
    assert kernel.value("prices['tea']") == "'3.50'", "the user's own state is as it was"

    diagnosed = ask(toolbox, lambda run: toolbox.diagnose(run, "", "c2", 400))
    assert [c["cell_id"] for c in diagnosed["depends_on"]] == ["c0", "c1"]

    cheat = [GivenEdit("c2", BILL, "bill = 7.7\nbill")]
    refused = ask(toolbox, lambda run: toolbox.try_patch(run, "", cheat, "7.7", [], "", 400))
    assert refused["fix_id"] is None

    edits = [GivenEdit("c1", TOTAL, MENDED)]
    proven = ask(toolbox, lambda run: toolbox.try_patch(run, "", edits, "", [], "", 400))
    assert (proven["heals_cell"], proven["output_after"]) == ("c2", "7.7")
    assert not proven["accepted"], "running is not being right: the user is asked"
    assert kernel.value("'bill' in globals()") == "False"

    rejected = offer(kernel, toolbox, proven["fix_id"], "%heal reject keep prices as text")
    assert not rejected["applied"]
    assert "keep prices as text" in rejected["user_said"]
    assert kernel.value("'bill' in globals()") == "False"

    approved = offer(kernel, toolbox, proven["fix_id"], "%heal approve")
    assert approved["applied"], approved
    assert "keep prices as text" not in approved["user_said"], "that was said of the rejected one"
    assert kernel.value("bill") == "7.7"


def test_a_kernel_that_was_restarted_is_asked_again(kernel: LiveKernel, toolbox: LiveToolbox) -> None:
    kernel.run("%load_ext jupyter_selfheal")
    kernel.run("x = 1", "c0")
    assert toolbox.check_session("all", 0, 20, 400)["ran"] == 1
    kernel.manager.restart_kernel(now=True)
    kernel.client.wait_for_ready(timeout=PATIENCE)
    with pytest.raises(UsageError, match="%load_ext jupyter_selfheal"):
        toolbox.check_session("broken", 0, 20, 400)
    kernel.run("%load_ext jupyter_selfheal")
    kernel.run("y = 2", "c1")
    kernel.run("z = 3", "c2")
    assert toolbox.check_session("all", 0, 20, 400)["ran"] == 2, "the server of the agent goes on"


def test_a_kernel_that_was_shut_down_is_not_waited_for(kernel: LiveKernel) -> None:
    """Half a minute went by before an agent was told."""
    kernel.run("%load_ext jupyter_selfheal")
    file = Path(kernel.manager.connection_file)

    def find() -> Path:
        if file.is_file():
            return file
        raise UsageError("no kernel runs")

    line = KernelLine(find, patience=sys.float_info.max)
    line.look(copies=False)
    kernel.manager.shutdown_kernel(now=True)
    with pytest.raises(UsageError, match="no kernel runs"):
        line.look(copies=False)
    line.close()


def test_a_kernel_that_is_busy_is_asked_once_and_its_line_stays_open(kernel: LiveKernel, tmp_path: Path) -> None:
    kernel.run("%load_ext jupyter_selfheal")
    line = KernelLine(lambda: Path(kernel.manager.connection_file), patience=PATIENCE)
    line.look(copies=False)
    line._patience, comm = 0.5, line._comm
    began, go_on = tmp_path / "began", tmp_path / "go on"
    running = kernel.queue(
        f"import pathlib, time\npathlib.Path({str(began)!r}).touch()\nwhile not pathlib.Path({str(go_on)!r}).exists():\n    time.sleep(0.01)"
    )
    assert wait_until(began.exists)
    try:
        with pytest.raises(UsageError, match="does not answer"):
            line.look(copies=False)
    finally:
        go_on.touch()
    kernel.done(running)
    line._patience = PATIENCE
    line.look(copies=False)
    assert line._comm == comm, "an offer that waits for its user hears of the decision"
    line.close()


def test_a_decision_is_not_waited_for_where_the_card_is_gone() -> None:
    line = KernelLine(lambda: Path("none"))
    with pytest.raises(KernelError, match="offer it again"):
        line.wait_for_decision("a run", lambda: False, print)


def offer(kernel: LiveKernel, toolbox: LiveToolbox, fix_id: str, decision: str) -> Any:
    """What an agent is told once the user has decided on its patch by that command."""
    asked = toolbox.runs.start("apply_fix", lambda run: toolbox.apply_fix(run, fix_id))
    kernel.wait_for(lambda: "fix ready" in kernel.card() and "The agent's edit" in kernel.card(), "its card")
    assert asked.is_running, "nothing is decided before the user has"
    kernel.run(decision)
    wait_for_end(asked)
    return asked.result


def wait_for_end(run: ToolRun) -> None:
    while run.is_running:
        run.wait_for_news(run.version, 1.0)
    assert run.state == "done", run.error


@pytest.mark.slow
def test_the_live_session_of_the_docs_is_what_a_server_answers(kernel: LiveKernel, tmp_path: Path) -> None:
    """But for ids, times and what this machine isolates by; ``docs/agents/record_live_session.py`` wrote it. Its cheap twin is above: the same
    steps without a server's process."""
    agents = pytest.importorskip("tests.agent")
    with import_from(Path(__file__).parents[2] / "docs" / "agents"):
        import record_live_session as recorded
    recorded.run_cells(kernel)
    with agents.connect(tmp_path, tmp_path / "agent", "--kernel", kernel.manager.connection_file) as (agent, _):
        played = recorded.play_session(kernel, agent)
    assert [strip(*call) for call in played] == [strip(*call) for call in recorded.read_session()]


@contextmanager
def import_from(folder: Path) -> Iterator[None]:
    before = list(sys.path)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path[:] = before


def strip(tool: str, arguments: dict[str, Any], answer: dict[str, Any]) -> Any:
    kept = {k: v for k, v in answer.items() if k not in ("run_id", "cost", "fix_id", "next")}
    proven = [line for line in kept.pop("proven", ()) if not line.startswith("ran in ")]
    return tool, sorted(arguments), kept, proven
