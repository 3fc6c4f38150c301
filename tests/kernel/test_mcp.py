"""The tools that coding agents call: an edit of theirs is proven in the exact state, and nothing else is ever written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil
import pytest

from jupyter_selfheal.surfaces.cli import main
from tests.batches import notebook
from tests.needed import needs
from tests.shown_commands import ROOT

pytestmark = [
    pytest.mark.kernel,
    needs("mcp", reason="the MCP server is an extra: pip install 'jupyter-selfheal[mcp]'"),
]

LOAD = "prices = {'tea': '3.50', 'cake': '4.20'}"
TOTAL = "def total(basket):\n    return sum(prices[item] for item in basket)"
BILL = "bill = total(['tea', 'cake'])\nbill"
MENDED = TOTAL.replace("prices[item]", "float(prices[item])")
CELLS = (LOAD, TOTAL, BILL, "print(f'to pay: {bill:.2f}')", "%%heal --stdout done\nprint('done')")
"""c0 to c4: c2 fails because of c1, c3 only because of c2; what c4 must print is said by its first line."""


def write(path: Path, *cells: Any) -> Path:
    path.write_text(json.dumps(notebook(*cells), indent=1) + "\n")
    return path


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("root")


@pytest.fixture(scope="module")
def connected(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One server for all tests but those that end it, and its process."""
    write(root / "shop.ipynb", *CELLS)
    with import_module("tests.agent").connect(root, tmp_path_factory.mktemp("data"), "--timeout", "3600") as both:
        yield both


@pytest.fixture(scope="module")
def agent(connected: Any) -> Any:
    return connected[0]


@pytest.fixture(scope="module")
def server(connected: Any) -> psutil.Process:
    process: psutil.Process = connected[1]
    return process


def edit(cell_id: str, old: str, new: str) -> dict[str, str]:
    return {"cell_id": cell_id, "old_source": old, "new_source": new}


MENDING = [edit("c1", TOTAL, MENDED)]


@pytest.mark.slow
def test_a_check_tells_the_root_from_what_follows(agent: Any) -> None:
    said = agent.call("check_notebook", path="shop.ipynb")
    assert (said["ran"], said["root_failures"], said["consequences"]) == (3, ["c2"], 1)
    assert [(c["cell_id"], c["status"]) for c in said["cells"]] == [("c2", "failed"), ("c3", "consequence")]
    assert said["cells"][1]["consequence_of"] == "c2"
    assert agent.call("check_notebook", path="shop.ipynb")["cost"]["cells_run"] == 0, "its states are kept"


def test_pages_of_a_result_are_as_long_as_asked_for(agent: Any) -> None:
    said = agent.call("check_notebook", path="shop.ipynb", show="all", limit=2, offset=1)
    assert [c["cell_id"] for c in said["cells"]] == ["c1", "c2"]
    assert said["more"] == "2 more cells: call again with offset=3"


def test_a_diagnosis_shows_lines_variables_and_what_the_cell_depends_on(agent: Any) -> None:
    said = agent.call("diagnose", path="shop.ipynb", cell_id="c2")
    assert [(f["cell_id"], f["line"]) for f in said["failure"]["frames"]] == [("c2", 1), ("c1", 2)]
    assert said["cause_cell_id"] == "c1"
    assert any(line.startswith("total.basket: list of 2") for line in said["variables"])
    assert [c["cell_id"] for c in said["depends_on"]] == ["c0", "c1"]


def test_a_cell_is_edited_as_it_stands_in_the_file_and_what_it_must_do_stays(agent: Any) -> None:
    source = agent.call("diagnose", path="shop.ipynb", cell_id="c4")["source"]
    assert source == CELLS[4]
    said = agent.refusal("try_patch", path="shop.ipynb", edits=[edit("c4", source, "print('done')")])
    assert "keep that line" in said


def test_the_tenth_edit_runs_no_cell_again_but_what_it_changes(agent: Any) -> None:
    agent.call("try_patch", path="shop.ipynb", edits=MENDING)  # the first may replay what a loaded machine did not keep
    costs = [agent.call("try_patch", path="shop.ipynb", edits=MENDING)["cost"] for _ in range(9)]
    assert {(c["trials"], c["cells_run"]) for c in costs} == {(1, 3)}, "the edited function, the cell, the cell below"


def test_what_runs_but_is_not_shown_right_may_not_be_applied(agent: Any) -> None:
    said = agent.call("try_patch", path="shop.ipynb", edits=MENDING)
    assert said["output_after"] == "7.7"
    assert "TypeError" in said["output_before"]
    assert (said["accepted"], said["fix_id"]) == (False, None)
    assert "running is not being right" in said["not_proven"][0]


@pytest.mark.parametrize(
    "new",
    ["bill = 7.7\nbill", "try:\n    bill = total(['tea', 'cake'])\nexcept TypeError:\n    bill = 7.7\nbill"],
    ids=["the answer written down", "the failure swallowed"],
)
def test_an_edit_that_cheats_is_named_and_has_no_id(new: str, agent: Any) -> None:
    said = agent.call("try_patch", path="shop.ipynb", edits=[edit("c2", BILL, new)], expect="7.7")
    assert said["score"] <= 3
    assert said["tampering"]
    assert said["why_not"].startswith("it hides the failure instead of mending it: it ")
    assert (said["proven"], said["fix_id"]) == ([], None)


def test_an_edit_that_misses_what_is_expected_has_no_id(agent: Any) -> None:
    said = agent.call("try_patch", path="shop.ipynb", edits=MENDING, expect="7.8")
    assert (said["accepted"], said["fix_id"]) == (False, None)
    assert "7.8" in said["why_not"]
    assert "7.7" in said["why_not"]


def test_a_question_of_what_is_printed_says_what_answers_it(agent: Any, root: Path) -> None:
    """No value of the cell tells `sorted(xs)` from `xs.sort()` in a `print`: what it must print does."""
    write(root / "sort.ipynb", "xs = [3, 1, 2]", "print(xs.srot())")
    said = agent.call("propose_fixes", path="sort.ipynb", cell_id="c1")
    assert said["fixes"][0]["fix_id"] is None
    (question,) = said["questions"]
    assert question["answers"] == ["[1, 2, 3]", "None"]
    assert question["say"] == [{"stdout": "[1, 2, 3]"}, {"stdout": "None"}]
    assert "what `say` holds for it" in said["next"]
    answered = agent.call("propose_fixes", path="sort.ipynb", cell_id="c1", **question["say"][0])
    assert answered["fixes"][0]["diff"].splitlines()[1:] == ["-print(xs.srot())", "+print(sorted(xs))"]
    assert answered["fixes"][0]["accepted"]
    assert answered["fixes"][0]["fix_id"]
    mine = agent.call(
        "try_patch", path="sort.ipynb", edits=[edit("c1", "print(xs.srot())", "print(xs.sort())")], stdout="[1, 2, 3]"
    )
    assert (mine["accepted"], mine["fix_id"]) == (False, None)


def test_code_in_a_copy_changes_nothing(agent: Any) -> None:
    def ask(code: str) -> Any:
        return agent.call("run_in_copy", path="shop.ipynb", cell_id="c2", code=code)

    assert ask("prices['tea'] = 9\nprices['tea']")["output"] == "9"
    assert ask("prices['tea']")["output"] == "'3.50'"


def test_a_secret_is_told_by_no_output_message_or_value(agent: Any, root: Path) -> None:
    login = "raw = ''.join(map(chr, [109, 48, 107, 33, 80, 113, 57, 122]))\npassword = raw"
    write(
        root / "login.ipynb",
        login,
        "print('as', raw)\nraise ValueError('bad login ' + raw)",
        "dbPassword = 'tr0ub4dor'\n1",
    )
    place = {"path": "login.ipynb", "cell_id": "c1"}
    said = [agent.call("check_notebook", path="login.ipynb", show="all"), agent.call("diagnose", **place)]
    said += [agent.call("run_in_copy", **place, code=code) for code in ("password", "['tr0ub' + '4dor', raw[:8]]")]
    told = json.dumps(said)
    assert said[0]["next"].startswith("nothing is to be healed: what fails is meant to")
    assert "m0k!Pq9z" not in told
    assert "bad login SELFHEAL_SECRET_1_" in told
    assert said[3]["output"] == "['SELFHEAL_SECRET_2_', 'SELFHEAL_SECRET_1_']"
    assert "dbPassword = 'tr0ub4dor'" in said[0]["cells"][2]["first_line"], "a source is shown as it must be edited"


def test_a_consequence_is_healed_at_its_root(agent: Any) -> None:
    why = agent.refusal("propose_fixes", path="shop.ipynb", cell_id="c3")
    assert "fails only because cell c2 does" in why


def test_runs_and_rules_can_be_read_but_heals_of_others_cannot(agent: Any) -> None:
    run_id = agent.call("check_notebook", path="shop.ipynb")["run_id"]
    assert json.loads(agent.read(f"selfheal://runs/{run_id}"))["result"]["root_failures"] == ["c2"]
    assert agent.read("selfheal://rules/NAM101").startswith("NAM101: ")
    for unknown in ("selfheal://runs/00000000-1", "selfheal://rules/XXX999"):
        with pytest.raises(import_module("tests.agent").MCPError):
            agent.read(unknown)


HOSTILE: list[tuple[str, dict[str, Any], str]] = [
    ("check_notebook", {"path": "/etc/passwd"}, "outside of the folders"),
    ("check_notebook", {"path": "../../../../etc/hosts"}, "outside of the folders"),
    ("check_notebook", {"path": "out.ipynb"}, "outside of the folders"),
    ("check_notebook", {"path": "shop.ipynb\0.txt"}, "name a notebook"),
    ("check_notebook", {"path": "x" * 3_000 + ".ipynb"}, ""),
    ("check_notebook", {"path": "nothing.ipynb"}, "no such file within"),
    ("check_notebook", {"path": "shop.ipynb", "limit": -1}, "limit"),
    ("check_notebook", {"path": 7}, "path"),
    ("diagnose", {"path": "shop.ipynb", "cell_id": "2"}, "there is no cell '2'; the code cells are c0, c1"),
    ("diagnose", {"path": "shop.ipynb"}, "cell_id: Field required"),
    (
        "try_patch",
        {"path": "shop.ipynb", "edits": MENDING, "expected": "7.7"},
        "it takes no expected, only path, edits",
    ),
    ("prove_patch", {"path": "shop.ipynb"}, "there is no tool 'prove_patch': call one of check_notebook, "),
    ("try_patch", {"path": "shop.ipynb", "edits": []}, "edits"),
    ("try_patch", {"path": "shop.ipynb", "edits": "rm -rf /"}, "edits"),
    (
        "try_patch",
        {"path": "shop.ipynb", "edits": [{"cell_id": "c1", "old_source": None, "new_source": 1}]},
        "old_source",
    ),
    ("try_patch", {"path": "shop.ipynb", "edits": [edit("c1", TOTAL, "x = 1\n" * 100_000)]}, "characters"),
    ("try_patch", {"path": "shop.ipynb", "edits": [edit("c1", TOTAL + " ", MENDED)]}, "is not what stands in cell c1"),
    ("try_patch", {"path": "shop.ipynb", "edits": [edit("c1", TOTAL, TOTAL)]}, "change nothing"),
    ("try_patch", {"path": "shop.ipynb", "edits": MENDING * 2}, "of the same cell"),
    ("try_patch", {"path": "shop.ipynb", "edits": MENDING, "expect": "7.7 +"}, "no Python expression"),
    ("try_patch", {"path": "shop.ipynb", "edits": MENDING, "stdout": "/(/"}, "no regular expression"),
    ("try_patch", {"path": "shop.ipynb", "edits": MENDING, "checks": ["import os; os.system('ls')"]}, "may only look"),
    (
        "try_patch",
        {"path": "shop.ipynb", "edits": [edit("c2", BILL, "import shutil\nshutil.rmtree('/')")]},
        "nobody has allowed that",
    ),
    (
        "run_in_copy",
        {"path": "shop.ipynb", "cell_id": "c2", "code": "import subprocess; subprocess.run('ls')"},
        "not run",
    ),
    ("run_in_copy", {"path": "shop.ipynb", "cell_id": "c2", "code": "open('left.txt', 'w').write('x')"}, "not run"),
    ("propose_fixes", {"path": "shop.ipynb", "cell_id": "c2", "budget_usd": 0.5}, "only the user can allow one"),
    ("apply_fix", {"fix_id": "fix-0000000000"}, "there is no proven fix"),
    ("revert_fix", {"fix_id": "fix-0000000000"}, "there is no proven fix"),
    ("run_status", {"run_id": "00000000"}, "there is no run"),
]


@pytest.mark.parametrize(("tool", "arguments", "why"), HOSTILE, ids=[str(n) for n in range(len(HOSTILE))])
def test_what_cannot_be_done_is_refused_in_one_line(
    tool: str, arguments: dict[str, Any], why: str, agent: Any, root: Path, tmp_path: Path
) -> None:
    outside = write(tmp_path / "out.ipynb", "1")
    link = root / "out.ipynb"
    link.unlink(missing_ok=True)
    link.symlink_to(outside)
    given = (root / "shop.ipynb").read_bytes()
    said = agent.refusal(tool, **arguments)
    assert why in said
    assert "\n" not in said
    assert len(said) < 1_000
    assert "Error executing" not in said
    assert (root / "shop.ipynb").read_bytes() == given


def test_a_notebook_that_changed_in_between_is_not_overwritten(agent: Any, root: Path) -> None:
    fix_id = agent.call("try_patch", path="shop.ipynb", edits=MENDING, expect="7.7")["fix_id"]
    file = root / "shop.ipynb"
    given = file.read_bytes()
    theirs = given.replace(b"'done'", b"'theirs'")
    try:
        file.write_bytes(theirs)
        assert "was changed since" in agent.refusal("apply_fix", fix_id=fix_id)
        assert file.read_bytes() == theirs
    finally:
        file.write_bytes(given)


WAITS = "import threading\nthreading.Event().wait()"
"""A cell that ends only when it is ended: the server's limit for a cell is an hour."""


def test_a_long_run_is_cancelled_by_its_id_and_the_file_as_it_is_then_is_healed_by_our_own_fix(
    agent: Any, root: Path
) -> None:
    write(root / "endless.ipynb", WAITS)
    begun = agent.call("check_notebook", path="endless.ipynb", wait_seconds=0)
    assert begun["state"] == "running"
    ended = agent.call("run_status", run_id=begun["run_id"], cancel=True)
    assert ended["state"] == "cancelled"
    write(root / "endless.ipynb", "items = [1, 2]", "items.appendd(3)\nitems", "assert len(items) == 3")
    said = agent.call("propose_fixes", path="endless.ipynb", cell_id="c1")
    assert "+items.append(3)" in said["fixes"][0]["diff"]
    assert said["fixes"][0]["fix_id"]
    assert said["cost"]["trials"] > 0
    assert "append" in agent.read(said["run"])


def test_a_call_that_its_client_gives_up_leaves_no_process(agent: Any, server: psutil.Process, root: Path) -> None:
    write(root / "given-up.ipynb", WAITS)
    others = set(server.children())

    def list_begun() -> list[psutil.Process]:
        """The call's own kernel with all below it: what other notebooks keep makes its spare processes at any time, and they stay."""
        kernels = [p for p in server.children() if p not in others]
        return [p for kernel in kernels for p in (kernel, *kernel.children(recursive=True))]

    begun = agent.give_up_once_it_runs(list_begun, "check_notebook", path="given-up.ipynb", wait_seconds=300)
    assert begun
    assert not psutil.wait_procs(begun, timeout=200)[1]


TOKEN = "a token that nobody guesses"


def test_two_clients_over_http_share_one_run_nobody_else_comes_in_and_a_kill_leaves_nothing(tmp_path: Path) -> None:
    write(tmp_path / "both.ipynb", LOAD, TOTAL)
    env = {**os.environ, "SELFHEAL_MCP_TOKEN": TOKEN, "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    words = [sys.executable, "-m", "jupyter_selfheal", "mcp", "--root", str(tmp_path), "--http", "0"]
    with subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        url = server.stderr.readline().split()[-1]
        for headers in ({}, {"Authorization": "Bearer another"}):
            refused = import_module("tests.agent").httpx2.post(
                url, json={}, headers=headers, trust_env=False, timeout=300
            )
            assert (refused.status_code, "Bearer TOKEN" in refused.text) == (401, True)
        with (
            import_module("tests.agent").connect_by_http(url, TOKEN) as one,
            import_module("tests.agent").connect_by_http(url, TOKEN) as other,
        ):
            asked = [a.start("check_notebook", path="both.ipynb") for a in (one, other)]
            said = [future.result() for future in asked]
        assert sorted(s["cost"]["cells_run"] for s in said) == [0, 2]
        assert [s["ran"] for s in said] == [2, 2]
        left = psutil.Process(server.pid).children(recursive=True)
        assert left
        server.kill()
        assert not psutil.wait_procs(left, timeout=200)[1], "a killed server leaves a process"


def test_without_the_sdk_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp", "--root", os.getcwd()]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "pip install 'jupyter-selfheal[mcp]'" in said


def test_the_session_of_the_docs_is_what_the_server_answers_and_its_fix_is_taken_out_byte_for_byte(
    agent: Any, root: Path
) -> None:
    """Word for word, but for what differs by run and machine; it is written by ``docs/agents/record_session.py``."""
    sys.path.insert(0, str(ROOT / "docs" / "agents"))
    try:
        import record_session
    finally:
        sys.path.pop(0)
    told = record_session.read_session()
    file = root / "sales.ipynb"
    file.write_bytes(given := record_session.NOTEBOOK.read_bytes())
    calls = list(record_session.list_calls())
    assert [tool for tool, _ in calls] == [tool for tool, _, _ in told]
    answer: dict[str, Any] = {}
    for (tool, arguments), (_, shown, written_down) in zip(calls[:5], told, strict=False):
        assert arguments == shown
        answer = agent.call(tool, **arguments)
        assert strip_what_varies(answer) == strip_what_varies(written_down)
    assert file.read_bytes() == given, "trying writes nothing"
    fix_id = answer["fix_id"]
    done = agent.call("apply_fix", fix_id=fix_id)
    assert strip_what_varies(done) == strip_what_varies(told[5][2])
    edit_made = calls[4][1]["edits"][0]
    before, after = (
        {c["id"]: "".join(c["source"]) for c in json.loads(raw)["cells"]} for raw in (given, file.read_bytes())
    )
    assert after == {**before, edit_made["cell_id"]: edit_made["new_source"]}
    assert "changed since" in agent.refusal("apply_fix", fix_id=fix_id), "it was proven on another version"
    agent.call("revert_fix", fix_id=fix_id)
    assert file.read_bytes() == given


def strip_what_varies(answer: dict[str, Any]) -> dict[str, Any]:
    """Without ids, times, the place of the file, and what this machine isolates by."""
    left_out = ("run_id", "cost", "notebook", "written", "isolation", "fix_id", "next")
    kept = {name: value for name, value in answer.items() if name not in left_out}
    proven = [line for line in kept.get("proven", ()) if not line.startswith("ran in ")]
    return {**kept, "proven": proven} if "proven" in kept else kept
