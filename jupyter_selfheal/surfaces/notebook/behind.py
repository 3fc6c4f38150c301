"""The states that fixes leave behind in their trials, from which a batch goes on: a healed cell that took a minute is not run once more to be applied."""

from __future__ import annotations

import ast
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.loop.capabilities import NETWORK
from jupyter_selfheal.loop.consent import find_capabilities
from jupyter_selfheal.model import Notebook, Run, Trial
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.notebook.together import has_plain_magics
from jupyter_selfheal.surfaces.project.modules import list_imported

MOST_STATES = 2
"""States that are held at once; of more patches that run those are held that were tried last."""


@dataclass(frozen=True, slots=True)
class Left:
    """What was run from ``first``, how, and the state behind it."""

    first: TrialKernel
    runs: tuple[Run, ...]
    trial: Trial
    state: TrialKernel


class StatesBehind:
    """Holds what patches of one failure leave behind, until one is applied or the chain goes on without. Thread-safe: patches are tried at once."""

    def __init__(self) -> None:
        self._left: list[Left] = []
        self._lock = threading.Lock()

    def add(self, first: TrialKernel, runs: Sequence[Run], trial: Trial, state: TrialKernel) -> None:
        """Hold a state. That of a trial that was kept from something is not: the cell might do otherwise."""
        left = Left(first, tuple(runs), trial, state)
        with self._lock:
            old = [left] if trial.blocked else self._left[: -MOST_STATES + 1]
            self._left = [one for one in (*self._left, left) if one not in old]
        for one in old:
            one.state.close()

    def take(self, first: TrialKernel, runs: Sequence[Run]) -> Left | None:
        """The state behind these steps from that state, if one was left; the caller closes it. The others are let go."""
        with self._lock:
            held, self._left = self._left, []
        found = next((one for one in held if one.first is first and one.runs == tuple(runs)), None)
        for one in held:
            if one is not found:
                one.state.close()
        return found

    def close(self) -> None:
        """Let go of what is held. Idempotent."""
        with self._lock:
            held, self._left = self._left, []
        for one in held:
            one.state.close()


# --- whether a trial may do what a cell may -------------------------------------------------------------------------

_NEEDS_NO_NETWORK = frozenset(
    ("numpy", "pandas", "scipy", "matplotlib", "mpl_toolkits", "pylab", "seaborn", "sklearn", "statsmodels", "patsy", "xgboost", "lightgbm", "catboost", "imblearn", "mlxtend", "networkx", "sympy", "IPython", "PIL", "cv2", "tqdm", "six", "numba")
)  # fmt: skip
"""Libraries that reach no network but by calls that say so."""

_REACHING = frozenset(
    ("asyncio", "ftplib", "http", "imaplib", "nntplib", "poplib", "smtplib", "socket", "socketserver", "ssl", "telnetlib", "urllib", "webbrowser", "xmlrpc", "ensurepip", "pip", "importlib", "runpy")
)  # fmt: skip
"""Modules of the standard library that may reach one."""

_SPEAKS_OF_NETWORK = re.compile(r"://|^www\.|^(?:fetch_|load_dataset|get_rdataset|download|url)", re.IGNORECASE)
"""Texts of a program, and names in it, that speak of one."""


def needs_no_network(notebook: Notebook) -> bool:
    """Whether a notebook's cells do the same without a network: they import what is known to need none, and nothing else in them speaks of one."""
    return all(_needs_no_network(c.source) for c in notebook.cells if c.kind == "code")


def _needs_no_network(source: str) -> bool:
    if src.parse(source) is None or not has_plain_magics(source) or NETWORK in find_capabilities(source):
        return False
    words = (word for node in src.walk(source) for word in _list_words(node))
    roots = {name.partition(".")[0] for name in list_imported(source, "")}
    return not any(map(_SPEAKS_OF_NETWORK.search, words)) and all(
        root in _NEEDS_NO_NETWORK or (root in sys.stdlib_module_names and root not in _REACHING) for root in roots
    )


def _list_words(node: ast.AST) -> Iterator[str]:
    """What a program says in one place: a text, the name of what it uses."""
    match node:
        case ast.Constant(str(text)) | ast.Name(text) | ast.Attribute(_, text):
            yield text
        case ast.Import(names) | ast.ImportFrom(_, names):
            yield from (alias.name for alias in names)
