"""A cell that fails because a file of the project did something else than once, without an error of its own."""

from __future__ import annotations

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Failure, FailureKind, Notebook
from jupyter_selfheal.surfaces.project.modules import Finder


def may_come_of_a_file(failure: Failure, notebook: Notebook, finder: Finder) -> bool:
    """Whether the failing cell's values come through a file of the project that does something else, or nothing, since a release of pandas.

    ``clean(df)`` of ``clean.py`` changes a copy, no longer finds the columns of text, or makes dummies of truth values; no frame of the
    failure, which is in a cell below, tells of that file.
    """
    from jupyter_selfheal.healers.rules.boolean_dummies import has_boolean_dummies  # not in every run
    from jupyter_selfheal.healers.rules.context.lost_writes import has_lost_writes
    from jupyter_selfheal.healers.rules.context.text_questions import has_text_questions
    from jupyter_selfheal.healers.rules.lost_write import may_come_of_a_table

    if failure.kind is not FailureKind.RAISED or not may_come_of_a_table(failure):
        return False
    texts, names = [c.source for c in notebook.list_code_before(failure.cell_id)], src.find_names(failure.source)
    made = [texts[n] for n in src.find_backward_slice(texts, names.uses | names.changes)]
    modules = finder.collect_modules([*made, failure.source], ())
    return any(has(m.file.text) for m in modules for has in (has_lost_writes, has_text_questions, has_boolean_dummies))
