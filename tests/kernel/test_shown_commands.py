"""Every command that README.md and docs/*.md show is run, as it stands there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.surfaces.cli.parser import build_parser
from tests import shown_commands
from tests.command import run_command, write
from tests.live.conftest import LiveKernel

pytestmark = pytest.mark.kernel

TYPO = "items = [1, 2]\nitems.appendd(3)\nlen(items)"

NEEDS_FILES = (
    "jupyter selfheal bench",
    "jupyter selfheal mcp",
    "jupyter selfheal pr",
    "jupyter selfheal heal --project",
    "jupyter selfheal heal course",
    "jupyter selfheal heal --resume",
    "jupyter selfheal revert FILE.py",
    "jupyter selfheal heal PATH --python",
    "jupyter selfheal heal PATH --requirements",
)
"""Commands that are only asked whether they understand their words: programs are measured, agents served, clusters and repositories healed, files given back,
runs that were cut off gone on with in tests of their own."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a notebook in which a cell fails."""
    folder = tmp_path_factory.mktemp("shown")
    write_stock(folder)
    shutil.copytree(shown_commands.ROOT / "examples" / "notebooks", folder / "examples" / "notebooks")
    (folder / "work").mkdir()
    (folder / "lesson.md").write_text(f"# A lesson\n\n```python\n{TYPO}\n```\n")
    (folder / "answers.toml").write_text("")
    return folder


def write_stock(folder: Path) -> None:
    kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    write(folder / "stock.ipynb", TYPO, kernelspec=kernelspec)


def run(words: list[str], place: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    switches = {"enable", "disable"} & {*words}
    profile = (
        {"IPYTHONDIR": str(place / "ipython")} if switches else {}
    )  # of nobody else's, and not of the other commands'
    env = {**os.environ, "JUPYTER_DATA_DIR": str(place / "data"), **profile, **variables}
    if words[0] == "jupyter_selfheal":
        return run_command(words[1:], place, env)
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=place, env=env, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def earlier(place: Path) -> str:
    """The id of a heal that has been made."""
    run(["jupyter_selfheal", "heal", "stock.ipynb", "-o", "first.ipynb", "--offline"], place)
    return sorted((place / "data" / "selfheal" / "runs").glob("*.jsonl"))[0].stem


@pytest.mark.parametrize("command", [c for c in shown_commands.shell_commands() if c.startswith(NEEDS_FILES)])
def test_the_words_of_a_shell_command_are_understood(command: str) -> None:
    words = [shown_commands.PLACEHOLDERS.get(w, w) for w in shlex.split(command.partition(" > ")[0])]
    assert build_parser().parse_args(words[2:]).command == words[2]


@pytest.mark.parametrize("command", [c for c in shown_commands.shell_commands() if not c.startswith(NEEDS_FILES)])
def test_a_shell_command_does_as_shown(command: str, place: Path, earlier: str) -> None:
    stands_for = {**shown_commands.PLACEHOLDERS, "RUN": earlier}
    words = [stands_for.get(word, word) for word in shlex.split(command)]
    assert not [w for w in words if w.isupper() and len(w) > 1 and not w[-1].isdigit()], (
        "a word that nothing stands for"
    )
    words = ["jupyter_selfheal", *words[2:]] if words[0] == "jupyter" else words
    if "minimize" in words:
        write_stock(place)  # a command above this one may have healed it in place
    done = run(words, place)
    only_told = any(
        words in command for words in ("--approve none", "--approve ask", "selfheal check", "selfheal bisect")
    )
    still_broken = {1} if only_told else set()
    assert done.returncode in {0, *still_broken}, done.stdout + done.stderr
    assert "jupyter selfheal:" not in done.stderr


def test_the_readme_shows_what_is_printed(place: Path) -> None:
    text = (shown_commands.ROOT / "README.md").read_text("utf-8")
    command, shown = re.search(r"\n\$ (jupyter selfheal heal [^\n]*)\n(.*?)```", text, re.DOTALL).groups()  # type: ignore[union-attr]

    def leave_out_chance(line: str) -> str:
        return re.sub(r"─+|\b\d+\.\d(?=  +\$0)|trace \S+|  +", " ", line).strip()

    done = run(["jupyter_selfheal", *shlex.split(command)[2:]], place, COLUMNS="134")
    assert [leave_out_chance(line) for line in done.stdout.splitlines()] == [
        leave_out_chance(s) for s in shown.splitlines()
    ]


def test_the_command_that_a_heal_ends_with_shows_each_of_its_runs(place: Path) -> None:
    write(place / "two.ipynb", TYPO, "int('4 ')\nlen(itemss)")
    healed = run(["jupyter_selfheal", "heal", "two.ipynb", "-o", "two.healed.ipynb", "--offline"], place)
    (command,) = re.findall(r"jupyter selfheal (trace .*)", healed.stdout)
    told = run(["jupyter_selfheal", *shlex.split(command)], place)
    assert told.returncode == 0, told.stderr
    assert len(re.findall(r"(?m)^run ", told.stdout)) == 2
    assert told.stdout.index("appendd") < told.stdout.index("itemss")


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    there = LiveKernel(tmp_path_factory.mktemp("live"), tmp_path_factory.mktemp("data"))
    yield there
    there.stop()


FIRST = {"%heal undo": "%heal approve", "%heal model": "%heal consent"}
"""What goes before a command."""

REFUSED = {"%heal bisect": "no stored output of this notebook is known here", "%heal answer a": "nothing was asked"}
"""Commands that fit another moment, and what they say now."""


SAME = {"%heal minimize", "%heal minimize 5"}
"""Commands that run one of the command line, which has its own test."""


@pytest.mark.parametrize("magic", sorted({*shown_commands.magics()} - SAME))
def test_a_magic_does_as_shown(magic: str, kernel: LiveKernel) -> None:
    kernel.run("%load_ext jupyter_selfheal\n%heal on\n%heal auto off")
    # a cell of its own, as what was rejected is not suggested again; run as a page with a card runs it, where no command waits
    kernel.run(TYPO, cell_id := f"cell for {magic}", allow_stdin=True)
    kernel.wait_for(
        lambda: kernel.value("get_ipython()._jupyter_selfheal.heals.latest.card.phase") == "'proposed'", magic
    )
    if magic in FIRST:
        assert kernel.run(FIRST[magic])["status"] == "ok"
    cell = f"{magic}\n{TYPO if 'approve' in magic else '2.0'}" if magic.startswith("%%") and "?" not in magic else magic
    done = kernel.run(cell, cell_id, allow_stdin=True)
    if magic in REFUSED:
        assert REFUSED[magic] in str(done)
    else:
        assert done["status"] == "ok", done
