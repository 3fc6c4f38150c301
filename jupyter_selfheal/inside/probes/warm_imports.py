"""Runs the imports of a cell, so that trials of it forked from here need not pay for them again.

Sent as the source of a probe (:class:`~jupyter_selfheal.model.Probe`): standard library only.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import sys
from typing import Any

INSTALLED = ("site-packages", "dist-packages")


def probe(shell: Any, last: Any, argument: Any) -> Any:
    """Run those of the import statements ``argument`` that load installed packages; how many modules that loaded.

    The names go into a namespace of their own: the cell's variables stay as they are. A package of the project is left alone,
    as what it does when it is imported is part of the cell. One that prints is too: then nothing is to be kept of it (-1). One that
    fails is left out: that is what the cell fails of.
    """
    before, printed = len(sys.modules), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        for statement in argument:
            with contextlib.suppress(Exception):
                if _is_installed(statement):
                    exec(compile(statement, "<import>", "exec"), {})
    return -1 if printed.getvalue() else len(sys.modules) - before


def _is_installed(statement: str) -> bool:
    """Whether all that it imports comes from where packages are installed."""
    node = ast.parse(statement).body[0]
    names = [a.name for a in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "")]
    specs = [importlib.util.find_spec(name.split(".")[0]) for name in names]
    return all(spec is not None and any(part in str(spec.origin) for part in INSTALLED) for spec in specs)
