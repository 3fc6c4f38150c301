"""What runs notebooks for a team: pre-commit itself, the action's own script, and a Python script."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import jupyter_selfheal
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.cli.parser import build_parser
from jupyter_selfheal.surfaces.notebook.api import CellProposal
from tests.command import place, sources, write
from tests.course import Course, course, no_ci, service
from tests.forge import StandIn

__all__ = ["course", "no_ci", "place", "service"]

pytestmark = pytest.mark.kernel
ROOT = Path(__file__).parents[2]
SLIP = "x = 'a'.uper()\nx"


@pytest.mark.slow
def test_pre_commit_runs_the_hook_on_changed_notebooks_and_fails_where_one_was_healed(place: Path) -> None:
    """The hooks file in a repository of its own, as pre-commit clones it; the program found on the PATH."""
    hooks, course = place / "hooks", place / "course"
    hooks.mkdir()
    course.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    commands = place / "bin"
    commands.mkdir()
    (commands / "jupyter-selfheal").write_text(f'#!/bin/sh\nexec {sys.executable} -m jupyter_selfheal "$@"\n')
    (commands / "jupyter-selfheal").chmod(0o755)
    env = {
        **os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(place / "cache"),
        "HOME": str(place), "GIT_CONFIG_GLOBAL": os.devnull, "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    for key, value in (("AUTHOR", "a"), ("COMMITTER", "c")):
        env |= {f"GIT_{key}_NAME": value, f"GIT_{key}_EMAIL": f"{value}@example.org"}

    def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)

    for folder in (hooks, course):
        run("git", "init", "-q", cwd=folder)
    run("git", "add", "-A", cwd=hooks)
    assert run("git", "commit", "-qm", "hooks", cwd=hooks).returncode == 0
    head = run("git", "rev-parse", "HEAD", cwd=hooks).stdout.strip()
    given = write(course / "n.ipynb", SLIP)
    (course / "other.txt").write_text("no notebook")
    wanted = {"repos": [{"repo": str(hooks), "rev": head, "hooks": [{"id": "selfheal-check"}, {"id": "selfheal-fix"}]}]}
    (course / ".pre-commit-config.yaml").write_text(yaml.safe_dump(wanted))
    run("git", "add", "-A", cwd=course)
    done = run(sys.executable, "-m", "pre_commit", "run", "--all-files", cwd=course)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "notebooks run" in done.stdout
    assert "A `str` has no `uper`" in done.stdout
    assert "files were modified by this hook" in done.stdout
    assert sources(given) == ["x = 'a'.upper()\nx"]


@pytest.mark.parametrize(("step", "command", "annotations"), [("Check", "check", True), ("Pull request", "pr", False)])
def test_the_actions_scripts_call_the_commands_as_they_are(step: str, command: str, annotations: bool) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = next(s for s in action["runs"]["steps"] if s.get("name") == step)["run"]
    line = next(line for line in script.splitlines() if line.startswith("jupyter-selfheal"))
    options = action["inputs"]["options"]["default"]
    words = line.removesuffix("|| code=$?").replace("$NOTEBOOKS", ".").replace("$OPTIONS", options).split()
    parsed = build_parser().parse_args(words[1:])
    assert (parsed.command, parsed.annotations, len(parsed.report)) == (command, annotations, 3)


def test_the_nightly_workflows_ask_for_what_there_is() -> None:
    """Its inputs are the action's, the healing job may write what it writes, and GitLab's command line is understood."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    nightly = yaml.safe_load((ROOT / "examples" / "workflows" / "nightly.yml").read_text())
    for job in nightly["jobs"].values():
        inputs = job["steps"][-1]["with"]
        assert inputs.keys() <= action["inputs"].keys()
        command = "pr" if inputs.get("mode") == "pull-request" else "check"
        build_parser().parse_args([command, inputs["path"], *inputs.get("options", "").split()])
    assert nightly["jobs"]["newest"]["permissions"] == dict.fromkeys(["contents", "pull-requests", "issues"], "write")
    gitlab = yaml.safe_load((ROOT / "examples" / "workflows" / "nightly.gitlab-ci.yml").read_text())
    assert build_parser().parse_args(gitlab["notebooks"]["script"][-1].split()[1:]).command == "pr"


def test_a_repository_is_healed_in_one_pull_request(course: Course, service: StandIn) -> None:
    """The command itself, with real kernels: what it prints, what is pushed, and what the request says of run time."""
    done = subprocess.run(
        [sys.executable, "-m", "jupyter_selfheal", "pr", "--offline", "--forge", "github", "--api", service.api,
         "--repository", "team/course"],
        cwd=course.folder, env={**os.environ, "COLUMNS": "80"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2:] == [
        "opened: https://forge.example/pulls/1",
        "opened: https://forge.example/issues/1",
    ]
    assert "'a'.upper()" in course.git("show", "selfheal/main:lessons/slip.ipynb", cwd=course.remote)
    assert "cause: A `str` has no `uper`" in service.threads["pulls"][0]["body"]
    assert "left.ipynb" in service.threads["issues"][0]["body"]
    assert course.git("status", "--porcelain") == ""


@pytest.mark.slow
def test_a_script_heals_and_checks(place: Path) -> None:
    given = write(place / "n.ipynb", SLIP)
    checked = jupyter_selfheal.check(given)
    assert (checked.runs, checked.fixes) == (False, ())
    assert checked.report.records[0].candidate[0].patch.title == "Change `.uper` to `.upper`"
    healed = jupyter_selfheal.heal(str(given), output=place / "out.ipynb")
    assert (healed.runs, healed.fixes) == (True, ("Change `.uper` to `.upper`",))
    assert repr(healed) == f"<HealedNotebook {healed.report.path}: {healed.summary}>"
    assert healed.to_json()["notebooks"][0]["written"] == str(place / "out.ipynb")
    assert "".join(healed.notebook["cells"][0]["source"]) == "x = 'a'.upper()\nx"
    assert sources(given) == [SLIP], "the notebook itself stays as it is"
    assert sources(place / "out.ipynb") == ["x = 'a'.upper()\nx"]


def test_a_script_has_one_cell_looked_at(place: Path) -> None:
    (place / "n.txt").write_text("3")
    found = jupyter_selfheal.propose("int(open('n.txt').read()) + price['aple']", {"price": {"apple": 3}}, folder=place)
    assert found.failure == "KeyError: 'aple'"
    assert found.source == "int(open('n.txt').read()) + price['apple']"
    assert found.cells == (found.source,)
    assert [p.name for p in place.iterdir()] == ["n.txt"], "nothing is written"


def test_a_fault_above_the_one_cell_is_mended_there(place: Path) -> None:
    above = ["def total(values):\n    return sum(value)", "x = [8]"]
    found = jupyter_selfheal.propose("total(x)", above, folder=place)
    assert found.source == "total(x)"
    assert found.cells == ("def total(values):\n    return sum(values)", "x = [8]", "total(x)")
    assert "+    return sum(values)" in found.diff


def test_a_cell_that_runs_has_no_proposal_and_what_no_kernel_can_have_is_refused(place: Path) -> None:
    assert jupyter_selfheal.propose("1 + 1", folder=place) == CellProposal()
    with pytest.raises(UsageError, match="give the cells that make them"):
        jupyter_selfheal.propose("f(1)", {"f": lambda n: n}, folder=place)


def test_nbconvert_hands_on_the_healed_notebook(place: Path) -> None:
    import nbformat

    from jupyter_selfheal.surfaces.notebook.preprocessor import SelfHealPreprocessor

    given = nbformat.read(write(place / "n.ipynb", SLIP, "missing_thing"), 4)
    resources = {"metadata": {"path": str(place), "name": "n"}}
    healed, _ = SelfHealPreprocessor(allow_errors=True).preprocess(given, resources)
    assert (healed.cells[0].source, healed.cells[0].outputs[0].data["text/plain"]) == ("x = 'a'.upper()\nx", "'A'")
    assert healed.cells[1].outputs[0].ename == "NameError"


@pytest.mark.slow
def test_nbclient_runs_a_notebook_through_a_client_that_heals_and_names_the_cell_that_still_fails(place: Path) -> None:
    import nbformat
    from nbclient.exceptions import CellExecutionError

    from jupyter_selfheal.surfaces.notebook.client import SelfHealClient

    given = nbformat.read(write(place / "n.ipynb", SLIP, "missing_thing"), 4)
    client = SelfHealClient(given, resources={"metadata": {"path": str(place), "name": "n"}})
    with pytest.raises(CellExecutionError, match=r"n\.ipynb: cell 2: NameError: name 'missing_thing' is not defined"):
        client.execute()
    first = client.nb.cells[0]
    assert (first.source, first.outputs[0].data["text/plain"]) == ("x = 'a'.upper()\nx", "'A'")
