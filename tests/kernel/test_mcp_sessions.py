"""Ten sessions as coding agents have them, each from the first look to the file, and the MCP Inspector as a second client.

An agent here is a script: it does what the answers say (``root_failures``, ``next``, refusals), and knows nothing else of the notebook.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.batches import cell, notebook
from tests.needed import needs

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.slow,
    needs("mcp", reason="the MCP server is an extra: pip install 'jupyter-selfheal[mcp]'"),
]

INSPECTOR = os.environ.get("MCP_INSPECTOR_CLI") or shutil.which("mcp-inspector-cli")
"""Its command, as ``npm install @modelcontextprotocol/inspector`` puts it into ``node_modules/.bin``."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("root")


@pytest.fixture(scope="module")
def agent(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with import_module("tests.agent").connect(root, tmp_path_factory.mktemp("data")) as (client, _):
        yield client


@pytest.fixture
def nb(request: pytest.FixtureRequest, root: Path) -> Callable[..., str]:
    """Writes the notebook of a session, and gives its name."""

    def write(*cells: Any) -> str:
        name = f"{request.node.name.removeprefix('test_')}.ipynb"
        (root / name).write_text(json.dumps(notebook(*cells), indent=1) + "\n")
        return name

    return write


def change(agent: Any, path: str, cell_id: str, old: str, new: str, **more: Any) -> dict[str, Any]:
    """Have one edit tried, of the source as the server shows it."""
    source = agent.call("diagnose", path=path, cell_id=cell_id)["source"]
    edits = [{"cell_id": cell_id, "old_source": source, "new_source": source.replace(old, new)}]
    found: dict[str, Any] = agent.call("try_patch", path=path, edits=edits, **more)
    return found


def sources(root: Path, name: str) -> list[str]:
    return ["".join(c["source"]) for c in json.loads((root / name).read_text())["cells"]]


def test_a_misspelt_name_is_looked_at_tried_and_written(agent: Any, root: Path, nb: Callable[..., str]) -> None:
    path = nb("values = [3, 5]", "total = sum(valeus)\ntotal")
    (broken,) = agent.call("check_notebook", path=path)["root_failures"]
    tried = change(agent, path, broken, "valeus", "values", expect="8")
    assert tried["accepted"]
    assert agent.call("apply_fix", fix_id=tried["fix_id"])["still_failing"] == []
    assert agent.call("check_notebook", path=path)["root_failures"] == []
    assert sources(root, path)[1] == "total = sum(values)\ntotal"


def test_a_first_idea_that_misses_is_followed_by_one_that_meets(agent: Any, nb: Callable[..., str]) -> None:
    path = nb("values = ['3', '5']", "total = sum(values)\ntotal")
    missed = change(agent, path, "c1", "sum(values)", "''.join(values)", expect="8")
    assert not missed["accepted"]
    assert "8" in missed["why_not"]
    assert change(agent, path, "c1", "sum(values)", "sum(map(int, values))", expect="8")["accepted"]


def test_an_agent_that_cheats_is_told_so_and_gets_nothing(agent: Any, root: Path, nb: Callable[..., str]) -> None:
    path = nb("values = ['3', '5']", "total = sum(values)\ntotal")
    given = (root / path).read_bytes()
    for cheat in ("8", "8 if values else 0"):
        tried = change(agent, path, "c1", "sum(values)", cheat, expect="8")
        assert (tried["accepted"], tried["fix_id"]) == (False, None)
        assert tried["tampering"]
    assert (root / path).read_bytes() == given


def test_the_root_is_above_and_what_follows_heals_with_it(agent: Any, nb: Callable[..., str]) -> None:
    path = nb("def mean(xs):\n    return sum(xs) / len(x)", "m = mean([1, 3])\nm", "print(m + 1)")
    said = agent.call("check_notebook", path=path)
    assert (said["root_failures"], said["consequences"]) == (["c1"], 1)
    cause = agent.call("diagnose", path=path, cell_id="c1")["cause_cell_id"]
    old = "def mean(xs):\n    return sum(xs) / len(x)"
    edits = [{"cell_id": cause, "old_source": old, "new_source": old.replace("len(x)", "len(xs)")}]
    tried = agent.call("try_patch", path=path, edits=edits, expect="2.0")
    assert tried["accepted"]
    assert [c["status"] for c in tried["cells_below"]] == ["ran"]


def test_a_value_is_read_in_a_copy_before_anything_is_tried(agent: Any, nb: Callable[..., str]) -> None:
    path = nb("row = {'Name': 'ann', 'Age ': 30}", "age = row['Age']\nage")
    seen = agent.call("run_in_copy", path=path, cell_id="c1", code="list(row)")["output"]
    (key,) = [k for k in ("Age ", "age") if repr(k) in seen]
    assert change(agent, path, "c1", "'Age'", repr(key), expect="30")["accepted"]


def test_our_own_fix_is_asked_for_written_and_taken_back(agent: Any, root: Path, nb: Callable[..., str]) -> None:
    path = nb("items = [1, 2]", "items.appendd(3)\nitems", "assert len(items) == 3")
    given = (root / path).read_bytes()
    fix = agent.call("propose_fixes", path=path, cell_id="c1")["fixes"][0]
    agent.call("apply_fix", fix_id=fix["fix_id"])
    assert "items.append(3)" in sources(root, path)[1]
    agent.call("revert_fix", fix_id=fix["fix_id"])
    assert (root / path).read_bytes() == given


def test_an_edit_against_an_older_document_is_refused_and_made_again(
    agent: Any, root: Path, nb: Callable[..., str]
) -> None:
    path = nb("values = [3, 5]", "total = sum(valeus)\ntotal")
    old = agent.call("diagnose", path=path, cell_id="c1")["source"]
    nb("values = [3, 5]", "# the sum\ntotal = sum(valeus)\ntotal")
    edits = [{"cell_id": "c1", "old_source": old, "new_source": old.replace("valeus", "values")}]
    assert "is not what stands in cell c1" in agent.refusal("try_patch", path=path, edits=edits, expect="8")
    assert change(agent, path, "c1", "valeus", "values", expect="8")["accepted"]


def test_what_must_be_left_alone_is_said_and_nothing_is_written(agent: Any, root: Path, nb: Callable[..., str]) -> None:
    path = nb("import os", "key = os.environ['ACME_API_KEY']", "print('done')")
    given = (root / path).read_bytes()
    said = agent.call("diagnose", path=path, cell_id="c1")
    assert said["leave_alone"]
    assert agent.call("propose_fixes", path=path, cell_id="c1")["fixes"] == []
    assert (root / path).read_bytes() == given


def test_two_failures_of_one_notebook_are_healed_one_after_the_other(
    agent: Any, root: Path, nb: Callable[..., str]
) -> None:
    path = nb("a = [1]", cell("b = a.lenght\nb"), "c = {'x': 2}", "d = c['X']\nd")
    repairs = {"c1": ("a.lenght", "len(a)", "1"), "c3": ("'X'", "'x'", "2")}
    while failing := agent.call("check_notebook", path=path)["root_failures"]:
        old, new, expect = repairs.pop(failing[0])
        tried = change(agent, path, failing[0], old, new, expect=expect)
        agent.call("apply_fix", fix_id=tried["fix_id"])
    assert repairs == {}


def test_cells_that_fail_in_one_line_of_a_function_are_one_root(agent: Any, nb: Callable[..., str]) -> None:
    said = agent.call(
        "check_notebook", path=nb("def area(w):\n    return w * heigth", "area(2)", "area(3) + 1", "area()")
    )
    assert (said["root_failures"], said["consequences"]) == (["c1", "c3"], 1)
    assert [c.get("same_fault_as") for c in said["cells"]] == [None, "c1", None]


def test_an_edit_of_a_cell_that_may_go_by_the_order_of_a_set_is_run_in_other_kernels(
    agent: Any, nb: Callable[..., str]
) -> None:
    finding = "def find(x):\n    return [w for w in words if w.startswith(x)]"
    path = nb("words = {'tea', 'cake'}", finding, "find('ak')")
    edits = [{"cell_id": "c1", "old_source": finding, "new_source": finding.replace("w.startswith(x)", "x in w")}]
    tried = agent.call("try_patch", path=path, edits=edits, cell_id="c2", expect="['cake']")
    assert tried["accepted"]
    assert "repeated runs" in tried["proven"]


def test_a_long_run_is_asked_about_by_its_id(agent: Any, nb: Callable[..., str]) -> None:
    path = nb("import time\ntime.sleep(2)\nx = [1]", "x.appendd(2)")
    begun = agent.call("check_notebook", path=path, wait_seconds=0)
    assert begun["state"] == "running"
    said = agent.call("run_status", run_id=begun["run_id"], wait_seconds=120)
    assert said["state"] == "done"
    assert said["result"]["root_failures"] == ["c1"]


@pytest.mark.skipif(
    INSPECTOR is None, reason="npm install @modelcontextprotocol/inspector, and name its mcp-inspector-cli"
)
def test_the_inspector_of_the_protocol_is_answered_too(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(json.dumps(notebook("values = [3]", "sum(valeus)")))
    server = [sys.executable, "-m", "jupyter_selfheal", "mcp", "--root", str(tmp_path)]

    def inspect(*words: str) -> dict[str, Any]:
        command = [str(INSPECTOR), "--cli", *server, *words]
        env = {**os.environ, "JUPYTER_DATA_DIR": str(tmp_path / "data")}
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env, check=False)
        assert ran.returncode == 0, ran.stderr
        found: dict[str, Any] = json.loads(ran.stdout)
        return found

    tools = {tool["name"] for tool in inspect("--method", "tools/list")["tools"]}
    assert {"check_notebook", "diagnose", "try_patch", "apply_fix", "revert_fix", "run_in_copy"} <= tools
    called = ("--method", "tools/call", "--tool-name", "check_notebook", "--tool-arg", "path=n.ipynb")
    assert inspect(*called)["structuredContent"]["root_failures"] == ["c1"]
