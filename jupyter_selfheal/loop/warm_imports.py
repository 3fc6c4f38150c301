"""What a failing cell imports is loaded once, and its trials go on from there.

The state before the cell has not imported what the cell itself imports: each trial, and each question that looks into a library, would pay for
that again (seconds for scikit-learn or Matplotlib).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import Keep, Probe, Sandbox, TrialRequest
from jupyter_selfheal.ports import TrialKernel

MOST_SECONDS = 60.0
"""How long the imports may take."""


def warm_imports(
    state: TrialKernel, statements: Sequence[str], sandbox: Sandbox, seconds: float = MOST_SECONDS
) -> TrialKernel | None:
    """The state with what these import statements load; its variables are as they were.

    None where that is of no use: nothing to load, or an import that prints.
    """
    if not statements:
        return None
    ask = Probe(probe_source("probes.warm_imports"), list(statements), "warm imports")
    request = TrialRequest((ask,), timeout=min(seconds, MOST_SECONDS), keep=Keep.ALWAYS, sandbox=sandbox)
    trial, kept = state.run(request)
    loaded = trial.steps[0].value if trial.steps and trial.steps[0].status == "ok" else 0
    if kept is not None and isinstance(loaded, int) and loaded > 0:
        return kept
    if kept is not None:
        kept.close()
    return None


def find_first_imports(source: str, goes_on: Callable[[ast.stmt], bool] = lambda node: False) -> tuple[str, ...]:
    """The imports before the first statement that is none, and with which it does not go on, without those of the standard library."""
    found = []
    for statement in src.list_statements(source):
        node = statement.node
        if not isinstance(node, ast.Import | ast.ImportFrom):
            if not goes_on(node):
                break
        elif _list_packages(node).isdisjoint(sys.stdlib_module_names):
            found.append(ast.unparse(node))
    return tuple(found)


def _list_packages(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The packages that it loads; of a relative import one that is in every standard library, as it is of the project."""
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").split(".")[0] if not node.level else "sys"}
    return {alias.name.split(".")[0] for alias in node.names}
