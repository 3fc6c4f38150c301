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
from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.cli.parser import build_parser
from tests.command import place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel
ROOT = Path(__file__).parents[2]
SLIP = "x = 'a'.uper()\nx"


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


def test_the_actions_script_calls_the_command_as_it_is() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = next(step for step in action["runs"]["steps"] if step.get("name") == "Check")["run"]
    line = next(line for line in script.splitlines() if line.startswith("jupyter-selfheal"))
    options = action["inputs"]["options"]["default"]
    words = line.removesuffix("|| code=$?").replace("$NOTEBOOKS", ".").replace("$OPTIONS", options).split()
    parsed = build_parser().parse_args(words[1:])
    assert (parsed.command, parsed.annotations, len(parsed.report)) == ("check", True, 3)


def test_a_script_heals_and_checks(place: Path) -> None:
    given = write(place / "n.ipynb", SLIP)
    checked = jupyter_selfheal.check(given)
    assert (checked.runs, checked.fixes) == (False, ())
    assert checked.report.records[0].candidate[0].patch.title == "Change `.uper` to `.upper`"
    healed = jupyter_selfheal.heal(str(given), output=place / "out.ipynb")
    assert (healed.runs, healed.fixes) == (True, ("Change `.uper` to `.upper`",))
    assert healed.to_json()["notebooks"][0]["written"] == str(place / "out.ipynb")
    assert "".join(healed.notebook["cells"][0]["source"]) == "x = 'a'.upper()\nx"
    assert sources(given) == [SLIP], "the notebook itself stays as it is"
    assert sources(place / "out.ipynb") == ["x = 'a'.upper()\nx"]


def test_nbconvert_hands_on_the_healed_notebook_or_names_the_failing_cell(place: Path) -> None:
    import nbformat

    from jupyter_selfheal.surfaces.notebook.preprocessor import SelfHealPreprocessor

    given = nbformat.read(write(place / "n.ipynb", SLIP), 4)
    resources = {"metadata": {"path": str(place), "name": "n"}}
    with pytest.raises(NotebookError, match=r"n\.ipynb: cell 1: AttributeError: 'str' object has no attribute 'uper'"):
        SelfHealPreprocessor(approve="none").preprocess(given, resources)
    healed, _ = SelfHealPreprocessor().preprocess(given, resources)
    assert (healed.cells[0].source, healed.cells[0].outputs[0].data["text/plain"]) == ("x = 'a'.upper()\nx", "'A'")
