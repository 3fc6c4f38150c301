"""A Ctrl-C that Python loses: raised in a finaliser, where nothing can be raised, it comes again."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOSES = """
import signal
from jupyter_selfheal.surfaces.cli.interrupts import resend_lost_interrupts

class Loser:
    times = 0

    def __del__(self):
        signal.raise_signal(signal.SIGINT)
        Loser.times += 1  # not reached: it is raised here, and dropped

resend_lost_interrupts()
try:
    for _ in range({lost}):
        Loser()
    while True:
        signal.pause()
except KeyboardInterrupt:
    print('interrupted', Loser.times)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no timer that interrupts")
@pytest.mark.parametrize("lost", [1, 3])
def test_a_lost_ctrl_c_comes_again(lost: int) -> None:
    ended = subprocess.run([sys.executable, "-c", LOSES.format(lost=lost)], capture_output=True, text=True, check=True)
    assert ended.stdout == "interrupted 0\n"
    assert ended.stderr == "", "no notice of what was dropped"


def test_other_errors_that_cannot_be_raised_are_still_told() -> None:
    code = (
        "from jupyter_selfheal.surfaces.cli.interrupts import resend_lost_interrupts as r; r()\n"
        "class E:\n    def __del__(self): 1 / 0\nE()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ZeroDivisionError" in ended.stderr


def test_a_ctrl_c_while_the_command_is_imported_is_one_sentence() -> None:
    code = (
        "import sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'jupyter_selfheal.surfaces.cli.parser': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "from jupyter_selfheal.__main__ import run\n"
        "sys.exit(run())"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "jupyter selfheal: interrupted: nothing more was written, and nothing is left running\n"
