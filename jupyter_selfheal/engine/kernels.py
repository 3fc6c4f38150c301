"""Kernels and their environments, as the surfaces ask for them: a frozen state, a fresh kernel, a replayed one."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_selfheal.engine.parts import load_part
from jupyter_selfheal.model import Launch, Notebook, Start
from jupyter_selfheal.ports import TrialKernel

if TYPE_CHECKING:
    from jupyter_selfheal.kernels.replay_plan import PastCell


WATCHED = {"sklearn": "scikit-learn", "pandas": "pandas", "numpy": "numpy", "scipy": "scipy", "seaborn": "seaborn", "statsmodels": "statsmodels"}  # fmt: skip
"""The packages, and their distributions, of which old notebooks use what is gone."""


def connect_state(socket: str, start: Start) -> TrialKernel:
    """A frozen state of the user's kernel, taken over by its socket. Raises :class:`KernelError` where it is gone."""
    state: TrialKernel = load_part("kernels.forked", "ForkedKernel").connect(socket, start)
    return state


def move_state(state: TrialKernel, socket: str) -> None:
    """Have a state that :func:`connect_state` gave go on from another one. Raises :class:`KernelError` where that is gone."""
    load_part("kernels.forked", "ForkedKernel").move_to(state, socket)


def open_state(launch: Launch, *, fresh: bool = False) -> TrialKernel:
    """The state that a notebook's first cell starts from (:func:`jupyter_selfheal.kernels.freeze.open_state`)."""
    state: TrialKernel = load_part("kernels.freeze", "open_state")(launch, fresh=fresh)
    return state


def open_replayed_state(launch: Launch, past: Sequence[PastCell], *, paths: Sequence[str] = ()) -> TrialKernel:
    """The state after these cells, made by running them in a fresh kernel; ``paths`` go on its ``sys.path``."""
    state: TrialKernel = load_part("kernels.fresh", "FreshKernel")(launch, past, paths=paths)
    return state


def prepare_byte_code(kernelspec: str, modules: Sequence[str]) -> str:
    """Where kernels are to read the byte code of installed modules from (:func:`jupyter_selfheal.kernels.byte_code.prepare`)."""
    kept: str = load_part("kernels.byte_code", "prepare")(kernelspec, tuple(modules))
    return kept


def find_project(folder: str) -> str:
    """The folder of the project that a notebook in ``folder`` belongs to."""
    project: str = load_part("kernels.project", "find_project")(folder)
    return project


def find_gone_use(notebook: Notebook, kernelspec: str) -> str:
    """What a notebook uses that an installed package has no longer (`sklearn.cross_validation`): a cell of it will fail. Empty where there is no such
    use, or where its kernel has another environment than ours."""
    if find_kernel_python(kernelspec) != sys.executable:
        return ""
    sources = [cell.source for cell in notebook.cells if cell.kind == "code"]
    find_removed = load_part("healers.rules.context.written_before", "find_removed")
    for package, distribution in WATCHED.items():
        with contextlib.suppress(PackageNotFoundError):
            if used := str(find_removed(sources, package, version(distribution))):
                return used
    return ""


def find_kernel_python(kernelspec: str) -> str:
    """The Python that a kernelspec starts; ours where it starts something else. Raises :class:`KernelError` where there is no
    such kernelspec."""
    program: str = load_part("kernels.kernelspec", "read_kernelspec")(kernelspec)[0][0]
    return program if Path(program).name.startswith("python") else sys.executable


def build_installer(stack: contextlib.ExitStack, python: str = sys.executable) -> Callable[..., str]:
    """Installs requirements for a Python where only trials see them, until the stack is closed."""
    installer = load_part("kernels.scratch_install", "ScratchInstaller")(python)
    stack.callback(installer.close)
    made: Callable[..., str] = installer
    return made


def open_environments(stack: contextlib.ExitStack) -> Callable[..., str]:
    """Makes environments for notebooks (a Python, a requirements file) and gives their kernelspecs, until the stack is closed."""
    environments = load_part("kernels.environments", "Environments")()
    stack.callback(environments.close)
    make: Callable[..., str] = environments.make
    return make


def describe_crash(code: int, stack: str, peak_mb: float, *, oom: bool, said: str = "") -> tuple[str, str, int]:
    """How a kernel's process died: the ending, in words, and the line of its cell (0 where ``stack``, as `faulthandler` writes it, does not say)."""
    from jupyter_selfheal.kernels.deaths import describe_death, find_cell_line, parse_stack

    ending, how = describe_death(code, peak_mb, oom=oom, stderr=said)
    return ending.value, how, find_cell_line(parse_stack(stack))
