"""A session beside another one: other settings and kernels, journals of its own, the same budget."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from jupyter_selfheal.model import Notebook
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.session import Session, make_run_id


@contextmanager
def open_branch(session: Session, **changes: Any) -> Iterator[Session]:
    """A session with some settings changed, out of the same budget; it sees files of the project as the given one does."""
    with Session(replace(session.settings, cache=False, review=False, **changes), make_run_id()) as branch:
        branch.spent = session.spent
        branch.run_fixes = session.run_fixes
        branch.kernels.serve_files(session.kernels.served)
        try:
            yield branch
        finally:
            session.spent = branch.spent


def replace_cells(document: Document, notebook: Notebook) -> Document:
    """The document with the cells of ``notebook`` in place of its own; what the file holds of a cell goes with it."""
    given = dict(zip((c.id for c in document.notebook.cells), document.raw["cells"], strict=True))
    raw = [given.get(c.id, {"cell_type": c.kind, "metadata": {}, "source": c.source}) for c in notebook.cells]
    return replace(document, raw={**document.raw, "cells": raw}, notebook=notebook)
