"""Output of forked trials that is known to go wrong: too much of it, from C, by magics, figures, widgets, input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.model import Run, Sandbox, Trial, TrialRequest
from tests.kernel.forking import User, printed, tried

pytestmark = pytest.mark.kernel


def mime(state: ForkedKernel, code: str) -> list[set[str]]:
    trial = tried(state, code)
    assert trial.ran, trial
    return mime_of(trial)


def mime_of(trial: Trial) -> list[set[str]]:
    return [set(o.data) for o in trial.steps[0].outputs if o.data]


def test_two_hundred_megabytes_of_output_are_cut(freeze: Any) -> None:
    state = freeze()
    small = Sandbox(output_kb=100)
    text = printed(tried(state, "for n in range(200): print('x' * 1_000_000)", sandbox=small))
    assert len(text) <= 101 * 1024
    trial = tried(
        state,
        "from IPython.display import display\ndisplay({'text/plain': 'x' * 200_000_000}, raw=True)\n1",
        sandbox=small,
    )
    told = printed(trial, "stderr")
    assert told.startswith("x" * 1000), "how the value begins is told"
    assert len(told) < 3000
    assert "output cut" in told
    shown = tried(state, "'ab,' * 5_000_000", sandbox=small)
    assert printed(shown, "stderr").startswith("'ab,ab,")
    assert not mime_of(shown), "a part of a value is no result"
    trial = tried(
        state,
        "import subprocess\n_ = subprocess.run('yes | head -c 200000000', shell=True)\nprint('end')",
        sandbox=small,
    )
    assert len(printed(trial)) <= 101 * 1024
    assert "output cut" in printed(trial, "stderr")


def test_one_value_too_large_cuts_nothing_that_is_printed_below_it(freeze: Any) -> None:
    shows = "from IPython.display import display\nfor n in range(3):\n    display({'text/plain': 'x' * 200_000}, raw=True)\n    print('row', n)"
    trial = tried(freeze(), shows, sandbox=Sandbox(output_kb=100))
    assert printed(trial) == "row 0\nrow 1\nrow 2\n"
    assert printed(trial, "stderr").count("output cut") == 3


def test_a_cell_that_prints_without_end_leaves_the_cells_below_their_outputs(freeze: Any) -> None:
    steps = (
        Run("print('x' * 500_000)\nprint('late')", "a"),
        Run("print('below')\n7", "b"),
        Run("print('y' * 500_000)", "c"),
    )
    trial, _ = freeze().run(TrialRequest(steps, sandbox=Sandbox(output_kb=100)))
    first, second, third = ("".join(o.text for o in step.outputs if o.name == "stdout") for step in trial.steps)
    assert len(first) == 100 * 1024
    assert second == "below\n"
    assert 0 < len(third) <= 13 * 1024, "what each cell has to itself is a part of the whole"


def test_output_from_c_keeps_its_place(freeze: Any) -> None:
    code = (
        "import os, subprocess, ctypes\nprint('a')\n_ = os.write(1, b'b\\n')\nprint('c')\n_ = subprocess.run(['echo', 'd'])\n"
        "libc = ctypes.CDLL(None)\n_ = libc.puts(b'e'); _ = libc.fflush(None)\nprint('f')\n_ = os.write(2, b'err')"
    )
    trial = tried(freeze(), code)
    assert printed(trial) == "a\nb\nc\nd\ne\nf\n"
    assert printed(trial, "stderr") == "err"


def test_shell_commands_and_magics(user: User, freeze: Any) -> None:
    state = freeze()
    assert printed(tried(state, "!echo one\nx = !echo two\nprint(x)")).replace("\r", "") == "one\n['two']\n"
    assert printed(tried(state, "%%bash\necho three")) == "three\n"
    assert "Wall time" in printed(tried(state, "%%time\nsum(range(10))"))
    trial = tried(state, "%%time\na = 1\nb = {}\nb['k']")
    if "no-raise-error" not in user.text("print(get_ipython().find_cell_magic('time').__doc__)"):
        return  # an IPython whose %%time swallows the error, so that its kernel replies that all is well
    assert (trial.steps[0].errors[0].ename, trial.steps[0].errors[0].line) == ("KeyError", 4)


SHOWN = "class A:\n    def __repr__(self): raise ValueError('shown')\nA()"


@pytest.mark.parametrize("code", ["%%capture\n1/0", "%%script false\n1", "%%time\n1/0", SHOWN])
def test_what_swallows_an_error_does_so_as_in_the_kernel(user: User, freeze: Any, code: str) -> None:
    user.changed |= {"threads", "fds"}
    state = freeze()
    reply = user.kernel._client.execute(code, reply=True, timeout=60)["content"]
    assert tried(state, code).steps[0].status == reply["status"]


def test_an_inline_figure_is_shown(user: User, freeze: Any) -> None:
    user.changed |= {"fds", "numpy", "random", "temporary"}
    user.run("%matplotlib inline\nimport matplotlib.pyplot as plt")
    assert {"image/png", "text/plain"} in mime(freeze(), "plt.plot([1, 2]);")


def test_a_figure_is_carried_over(user: User, freeze: Any) -> None:
    user.changed |= {"fds", "numpy", "random", "temporary"}
    user.run("%matplotlib inline\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots(); plt.close(fig)")
    assert {"image/png", "text/plain"} in mime(freeze(), "ax.plot([1, 2])\nfig")


def test_widgets_are_shown_and_changed_in_the_trial_only(user: User, freeze: Any) -> None:
    user.run("import ipywidgets\nslider = ipywidgets.IntSlider(value=1)")
    shown = mime(freeze(), "slider.value = 7\ndisplay(slider)")
    assert any("application/vnd.jupyter.widget-view+json" in kinds for kinds in shown)
    assert user.value("slider.value") == 1


def test_updated_and_cleared_displays(freeze: Any) -> None:
    code = (
        "from IPython.display import clear_output, display\nprint('gone'); clear_output()\n"
        "h = display('first', display_id=True); h.update('second')"
    )
    (output,) = tried(freeze(), code).steps[0].outputs
    assert output.data["text/plain"] == "'second'"


def test_input_is_refused(user: User, freeze: Any) -> None:
    can_answer = "type(get_ipython().kernel)._allow_stdin = property(lambda kernel: True, lambda kernel, value: None)"
    user.run(f"{can_answer}  # as JupyterLab can")
    try:
        state = freeze()
        for call in ("input('?')", "import getpass; getpass.getpass()"):
            trial = tried(state, call, timeout=20)
            assert trial.steps[0].errors[0].ename == "StdinNotImplementedError"
    finally:
        user.run("type(get_ipython().kernel)._allow_stdin = False")


def test_a_traceback_of_thousands_of_frames_is_shown_by_its_ends(freeze: Any) -> None:
    (error,) = tried(freeze(), "def f(n):\n    return f(n + 1)\nf(0)").steps[0].errors
    assert (error.ename, error.line, error.frames[0].function, error.frames[1].line) == (
        "RecursionError",
        3,
        "<module>",
        2,
    )
    assert len(error.frames) <= 60
    assert len(error.traceback) < 30_000


def test_what_the_script_of_run_raises_fails_the_cell(freeze: Any, tmp_path: Path) -> None:
    script = tmp_path / "tools.py"
    script.write_text("limit = 3\nlimit / 0\n")
    state = freeze()
    trial = tried(state, f"x = 1\n%run {script}")
    (error,) = trial.steps[0].errors
    assert (error.ename, error.line, error.frames[0].line, error.frames[-1].file) == (
        "ZeroDivisionError",
        2,
        2,
        str(script),
    )
    script.write_text("limit = 3\n")
    assert printed(tried(state, f"%run {script}\nprint(limit)")) == "3\n"
