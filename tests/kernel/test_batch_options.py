"""Every option of ``jupyter selfheal heal`` does what its help says, seen from outside."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from jupyter_selfheal.testing.fake_model_server import FakeModelServer, Received, Says
from tests.batches import cell
from tests.command import HEAL, heal, place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

GUESS = "def area(w, h):\n    return w + h", cell("area(4, 7)", metadata={"selfheal": {"expect": "28"}})
"""What only the search can heal: what it finds is never called safe."""


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "applied"), [pytest.param("all", True, marks=pytest.mark.slow), ("safe", False)])
def test_the_policy_decides_about_a_fix_that_is_not_safe(place: Path, policy: str, applied: bool) -> None:
    given = write(place / "n.ipynb", *GUESS, "x = 'a'.uper()")
    done = heal(given, "-o", "out.ipynb", "--approve", policy, "--json")
    assert [c["status"] for c in done.cells] == ["ran", "healed" if applied else "proposed", "healed"]
    assert done.returncode == (0 if applied else 1)
    assert sources(place / "out.ipynb")[0].endswith("w * h" if applied else "w + h")
    assert done.cells[1]["fix"]["diff"].endswith("+    return w * h")


def test_in_place_applies_safe_fixes_only(place: Path) -> None:
    given = write(place / "n.ipynb", *GUESS, "x = 'a'.uper()")
    heal(given, "--in-place", ends=1)
    assert sources(given) == ["def area(w, h):\n    return w + h", "area(4, 7)", "x = 'a'.upper()"]


@pytest.mark.slow
def test_a_cell_is_healed_whole_or_not_at_all(place: Path) -> None:
    """Docs: ADR 21. A safe fix, and behind it one that is not."""
    given = write(
        place / "n.ipynb", "def area(w, h):\n    return w + h", "word = 'a'.uper()\nassert area(2, 3) == 6\nassert area(4, 5) == 20"
    )  # fmt: skip
    before = given.read_bytes()
    done = heal(given, "--in-place", "--json", ends=1)
    assert given.read_bytes() == before
    assert done.cells[1]["status"] in ("proposed", "not healed")
    heal(given, "--in-place", "--approve", "all", ends=0)
    assert sources(given)[1].startswith("word = 'a'.upper()")


@pytest.mark.slow
def test_only_the_healers_that_are_named_are_asked(place: Path) -> None:
    given = write(place / "n.ipynb", *GUESS)
    assert heal(given, "--healers", "rules", "-o", "a.ipynb").returncode == 1
    assert heal(given, "--healers", "rules,search", "-o", "b.ipynb").returncode == 0


@pytest.mark.slow
def test_a_cell_may_run_no_longer_than_it_was_given(place: Path) -> None:
    given = write(place / "n.ipynb", "x = 1", "while x: pass", "x + 1")
    done = heal(given, "--timeout", "2", "--json")
    assert [c["kind"] for c in done.cells] == ["", "timed_out", ""]
    assert re.fullmatch(
        r"Timed out after [2-4] s\.", done.cells[1]["failure"]
    )  # what it waits for a processor is given back


@contextlib.contextmanager
def server() -> Iterator[int]:
    """The port of somebody who answers on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        over = threading.Event()

        def answer() -> None:
            while not over.is_set():
                with contextlib.suppress(TimeoutError):
                    listening.accept()[0].close()

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            over.set()
            thread.join()


def test_offline_there_is_no_network_for_cells_either(place: Path) -> None:
    with server() as port:
        given = write(place / "n.ipynb", f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 5).close()")
        assert heal(given, "-o", "a.ipynb").returncode == 1
        assert heal(given, "-o", "b.ipynb", online=True).returncode == 0


@pytest.mark.slow
def test_no_money_no_model(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    given = write(place / "n.ipynb", "def f(rows):\n    return rows[0].total\n", "f([{}])")
    words = ["--healers", "language_model", "--budget", "0", "--attempts", "1", "--json"]
    done = heal(given, *words, online=True, ends=1)
    assert "budget" in done.cells[1]["detail"]
    assert json.loads(done.stdout)["cost_usd"] == 0


def test_the_notebooks_own_kernel_runs_it_in_its_own_folder(place: Path) -> None:
    spec = place.parent / "data" / "kernels" / "ours"
    spec.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel = {"argv": argv, "display_name": "Ours", "language": "python", "env": {"WHOSE_KERNEL": "ours"}}
    (spec / "kernel.json").write_text(json.dumps(kernel))
    (place / "sub").mkdir()
    (place / "sub" / "data.txt").write_text("7")
    code = "import os\nassert os.environ['WHOSE_KERNEL'] == 'ours'\nint(open('data.txt').read())"
    given = write(place / "sub" / "n.ipynb", code, kernelspec={"name": "ours", "display_name": "Ours"})
    assert heal(given).returncode == 0


@pytest.mark.slow
def test_quiet_says_nothing_and_verbose_more(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = write(place / "n.ipynb", "x = missing()", "x", "print('a'.uper())")
    quiet = heal(given, "-q")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (1, "", "")
    monkeypatch.setenv("COLUMNS", "160")
    plain, verbose = heal(given).stdout, heal(given, "-v").stdout
    for column in ("cell", "failure", "cause", "fix", "proven from", "isolation", "score", "tries", "seconds", "cost"):
        assert column in plain.splitlines()[1]
    assert "follows from cell 1" in verbose
    assert len(verbose) >= len(plain)


@pytest.mark.slow
def test_at_a_terminal_there_is_progress(place: Path) -> None:
    given = write(place / "n.ipynb", "import time; time.sleep(1)", "x = 'a'.uper()", "time.sleep(1)")
    child = pexpect.spawn(HEAL[0], [*HEAL[1:], str(given)], cwd=str(place), timeout=90, dimensions=(24, 160))
    child.expect(r"n\.ipynb .*/3, running")
    child.expect(r"healing AttributeError")
    child.expect(r"3/3, running it all in a clean kernel")
    child.expect("written: .*n.healed.ipynb")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def asked(place: Path, *answers: tuple[str, str]) -> int:
    """Heal, asking about each fix; each question is waited for and answered. The exit code."""
    given = write(place / "n.ipynb", "x = 'a'.uper()")
    words = [*HEAL[1:], str(given), "-o", "out.ipynb", "--approve", "ask"]
    child = pexpect.spawn(HEAL[0], words, cwd=str(place), timeout=90)
    for question, answer in answers:
        child.expect(question)
        child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    return int(child.exitstatus)


@pytest.mark.slow
def test_a_person_may_say_no_and_why(place: Path) -> None:
    assert asked(place, (r"\[a\]ccept", "n"), (r"Why\?", "it shall stay small")) == 1
    assert sources(place / "out.ipynb") == ["x = 'a'.uper()"]


@pytest.mark.slow
def test_what_a_person_writes_instead_is_tried_too(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = place / "editor.py"
    editor.write_text("import sys\nopen(sys.argv[1], 'w').write('x = \"a\".title()')\n")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {editor}")
    assert asked(place, (r"\[a\]ccept", "e"), (r"title[\s\S]*\[a\]ccept", "y")) == 0
    assert sources(place / "out.ipynb") == ['x = "a".title()']


@pytest.mark.slow
def test_nothing_is_said_of_the_syntax_of_a_cell_that_python_only_warns_of(place: Path) -> None:
    given = write(place / "n.ipynb", "pattern = '\\d'", "x = 'a'.uper()")
    done = heal(given, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.first_examples(1)
@pytest.mark.parametrize("rounds", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_a_model_is_asked_as_often_as_there_are_attempts(
    place: Path, monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    asked: list[str] = []

    def wrong(received: Received) -> Says:
        """Each time three other patches that fail in three other ways."""
        cell = re.search(r"The failing cell, (cell-\d+)", json.dumps(received.body))
        assert cell is not None
        asked.append(cell[1])
        names = [f"{word}_{'ab'[len(asked) % 2]}{len(asked) ** 3}" for word in ("harvest", "orchard", "basket")]
        hypotheses = [
            {
                "title": f"Read {name}",
                "cause": f"it is {name} that is meant",
                "risk": "none",
                "edits": [{"cell": cell[1], "action": "replace", "source": f"total = {name}['pear'] * {len(asked)}"}],
            }
            for name in names
        ]
        diagnosis = {"cause": "a guess", "cell": cell[1], "class": "code", "confidence": 90}
        return Says(json.dumps({"diagnosis": diagnosis, "hypotheses": hypotheses}))

    given = write(place / "n.ipynb", "prices = {'pear': 4}", "total = prices['aple'] + 1")
    words = ["--healers", "language_model", "--budget", "1", "--attempts", str(rounds), "-o", "out.ipynb", "--json"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    with FakeModelServer(iter(lambda: wrong, None)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        found = heal(given, *words, online=True, seconds=240, ends=1).cells[1]
    assert len(asked) == rounds, found
    assert found["attempts"] == 3 * rounds, "each of them was tried"
    assert found["status"] == "not healed"


def test_a_notebook_has_the_memory_that_is_named(place: Path) -> None:
    """All of its cells together: what one holds, the next cannot have."""
    given = write(place / "n.ipynb", "held = bytearray(150 << 20)", "more = bytearray(200 << 20)", "len(held)")
    done = heal(given, "-o", "out.ipynb", "--memory-mb", "300", "--json", ends=1)
    assert [c["status"] for c in done.cells] == ["ran", "left alone", "ran"]
    assert done.cells[1]["failure"] == "MemoryError"


@pytest.mark.slow
def test_a_recording_that_is_not_there_is_one_line_and_no_fault_of_ours(place: Path) -> None:
    given = write(place / "n.ipynb", "1 / 0")
    done = heal(given, "-o", "out.ipynb", "--healers", "language_model", "--replay", "none", online=True)
    assert done.returncode == 2
    assert "there is no recording in none" in done.stderr
    assert "internal error" not in done.stderr + done.stdout
