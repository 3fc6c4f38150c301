"""Heals failing notebook cells. ``%load_ext jupyter_selfheal`` in a notebook; ``jupyter selfheal heal`` over files.

Nothing heavy is imported here: this module runs in the user's kernel.
"""

from __future__ import annotations

import sys

if sys.argv[:1] == ["-m"] and sys.path and not sys.flags.safe_path and "jupyter_selfheal" in "".join(sys.orig_argv):
    # `python -m jupyter_selfheal` in a folder with a `queue.py` must not take that for Python's own: Python's modules first
    sys.path.append(sys.path.pop(0))

from jupyter_selfheal._version import __version__

TYPE_CHECKING = (
    False  # as in `typing`, whose import takes ten times as long as this module: a Ctrl-C in it cannot be told in words
)
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor
    from os import PathLike
    from typing import Any

    from IPython.core.interactiveshell import InteractiveShell

    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.surfaces.notebook.api import CellProposal, HealedNotebook, NotebookReport

__all__ = ["__version__", "check", "heal", "heal_all", "load_ipython_extension", "propose", "unload_ipython_extension"]


def heal(
    notebook: str | PathLike[str],
    *,
    output: str | PathLike[str] | None = None,
    config: HealConfig | None = None,
    approve: str = "all",
    kernel: str = "",
    timeout: float = 120.0,
    executor: Executor | None = None,
) -> HealedNotebook:
    """Run a notebook in its own kernel, heal what fails, and prove the healed notebook in a clean kernel.

    Nothing is written unless ``output`` names a place, which may be the notebook itself. ``config`` is a
    :class:`~jupyter_selfheal.config.HealConfig`; without one no model is asked. ``approve`` says which proven fixes are applied:
    ``all``, ``safe`` or ``none``. ``kernel`` names another kernelspec than the notebook's own; ``timeout`` is the seconds that a
    cell may run; any ``executor`` of :mod:`concurrent.futures` (also Dask's ``client.get_executor()``) may do the work, in a
    process that its worker starts. Raises :class:`~jupyter_selfheal.errors.SelfHealError` for what cannot be run::

        healed = jupyter_selfheal.heal("stock.ipynb", output="healed.ipynb")
        if not healed.runs:
            print(healed.report.summary)
    """
    from jupyter_selfheal.surfaces.notebook.api import heal_notebook

    return heal_notebook(
        notebook, output=output, config=config, approve=approve, kernel=kernel, timeout=timeout, executor=executor
    )


def heal_all(
    notebooks: Iterable[str | PathLike[str]],
    *,
    executor: Executor,
    output_dir: str | PathLike[str] | None = None,
    config: HealConfig | None = None,
    approve: str = "all",
    kernel: str = "",
    timeout: float = 120.0,
) -> Iterator[NotebookReport]:
    """Heal several notebooks on any executor, out of one budget; the report of each as soon as it is there.

    Each is healed in a process that a worker starts, so that threads will do: ``ThreadPoolExecutor(4)`` heals four at once. Workers
    elsewhere must see the same files. Nothing is written unless ``output_dir`` names a folder. The rest is as for :func:`heal`; what
    keeps one notebook from being run is the ``error`` of its report::

        with ThreadPoolExecutor(4) as pool:
            for report in jupyter_selfheal.heal_all(Path("course").rglob("*.ipynb"), executor=pool, output_dir="healed"):
                print(report.path, report.summary)
    """
    from jupyter_selfheal.surfaces.notebook.api import heal_notebooks

    return heal_notebooks(
        notebooks, executor=executor, output_dir=output_dir, config=config, approve=approve, kernel=kernel,
        timeout=timeout,
    )  # fmt: skip


def check(
    notebook: str | PathLike[str], *, config: HealConfig | None = None, kernel: str = "", timeout: float = 120.0
) -> HealedNotebook:
    """Run a notebook, diagnose what fails, and prove what would heal it. Nothing is changed and nothing is written::

    for record in jupyter_selfheal.check("stock.ipynb").report.records:
        print(record.number, record.status, record.cause)
    """
    return heal(notebook, config=config, approve="none", kernel=kernel, timeout=timeout)


def propose(
    cell: str,
    state: Mapping[str, object] | Sequence[str] = (),
    *,
    folder: str | PathLike[str] = ".",
    config: HealConfig | None = None,
    kernel: str = "",
    timeout: float = 120.0,
) -> CellProposal:
    """Run one cell in a kernel of its own, diagnose its failure, and prove a fix. Nothing is changed and nothing is written.

    ``state`` is what was there before: the cells above, as texts, or variables by name (which must be picklable). The kernel runs in
    ``folder``. The rest is as for :func:`heal`. Raises :class:`~jupyter_selfheal.errors.SelfHealError` for what cannot be run::

        proposal = jupyter_selfheal.propose("price['aple']", {"price": {"apple": 3}})
        print(proposal.cause, proposal.source)
    """
    from jupyter_selfheal.surfaces.notebook.api import propose_for_cell

    return propose_for_cell(cell, state, folder, config, kernel, timeout)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Switch healing on in this shell (``%load_ext jupyter_selfheal``)."""
    if sys.platform == "emscripten":  # Python in a browser, as in JupyterLite
        from jupyter_selfheal.surfaces import browser_session

        browser_session.load(shell)
        return
    if sys.platform == "win32":
        from jupyter_selfheal.errors import NOT_ON_WINDOWS

        print(f"Self-heal: {NOT_ON_WINDOWS}.", file=sys.stderr)
        return
    from jupyter_selfheal.surfaces.live import extension

    extension.load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take everything back (``%unload_ext jupyter_selfheal``)."""
    if sys.platform == "emscripten":
        from jupyter_selfheal.surfaces import browser_session

        browser_session.unload(shell)
        return
    from jupyter_selfheal.surfaces.live import extension

    extension.unload(shell)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
