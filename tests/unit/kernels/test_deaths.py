"""A dead kernel is told by its signal, the line it died in, and its memory."""

from __future__ import annotations

import signal

import pytest

from jupyter_selfheal.healers.triage.smaller import list_what_could_be_smaller
from jupyter_selfheal.kernels.deaths import describe_death, find_cell_line, parse_stack
from jupyter_selfheal.model import Ending

STACK = """Fatal Python error: Segmentation fault

Current thread 0x00007f1 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/tmp/ipykernel_1/2.py", line 2 in crash
  File "/tmp/ipykernel_1/3.py", line 4 in <module>
  File "/site-packages/IPython/core/interactiveshell.py", line 3700 in run_code
  File "/site-packages/IPython/core/interactiveshell.py", line 3600 in run_ast_nodes

Extension modules: numpy.core (total: 1)
"""


@pytest.mark.parametrize(
    ("code", "ending", "said"),
    [
        (-signal.SIGSEGV, Ending.KILLED, "segmentation fault: compiled code used memory that is not its own (SIGSEGV); it had 85 MB"),
        (-signal.SIGKILL, Ending.KILLED, "something ended its process (SIGKILL)"),
        (-40, Ending.KILLED, "signal 40"),
        (3, Ending.EXITED, "exit code 3"),
    ],
)  # fmt: skip
def test_a_death_is_told_by_its_signal_and_its_memory(code: int, ending: Ending, said: str) -> None:
    told = describe_death(code, 85.2)
    assert told[0] is ending
    assert said in told[1]


def test_out_of_memory_is_named_as_such() -> None:
    assert describe_death(-9, 4096.0, oom=True)[0] is Ending.OUT_OF_MEMORY
    told = describe_death(-signal.SIGABRT, 900.0, stderr="terminate called after throwing 'std::bad_alloc'")
    assert told == (Ending.OUT_OF_MEMORY, "out of memory: the cell needed more than there is; it had 900 MB of memory")
    assert describe_death(-signal.SIGABRT, 900.0)[0] is Ending.KILLED


def test_the_line_of_the_cell_is_read_off_the_last_stack() -> None:
    frames = parse_stack(STACK.replace("line 4", "line 9") + STACK)
    assert [f.function for f in frames][-3:] == ["<module>", "crash", "string_at"]
    assert find_cell_line(frames) == 4
    assert find_cell_line(parse_stack("")) == 0


def test_what_could_be_smaller_is_read_off_the_failing_statement() -> None:
    source = (
        "import numpy as np\nsmall = np.zeros((10, 10))\nbig = np.ones((10**6, 1_000))\nother = pd.read_csv('a.csv')"
    )
    assert list(list_what_could_be_smaller(source, 3)) == ["`np.ones((10 ** 6, 1000))` asks for 7.5 GB"]
    assert any("usecols" in said for said in list_what_could_be_smaller(source))
    assert not list(list_what_could_be_smaller(source, 2))
