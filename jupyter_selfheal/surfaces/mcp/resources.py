"""What can be read beside the tools: runs and heals by id, and the pages of the rules."""

from __future__ import annotations

import json

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.mcp.tools import Toolbox, view_run


def read_run(toolbox: Toolbox, run_id: str) -> str:
    """A run of this server as JSON, or a heal of it step by step. Raises :class:`UsageError`.

    Heals of other sessions are not shown: they may be of notebooks outside of the roots.
    """
    if run_id in toolbox.journals:
        from jupyter_selfheal.journal.inspect import format_timeline
        from jupyter_selfheal.loop import events  # noqa: F401  (registers the classes that a journal holds)

        return "\n".join(format_timeline(run_id, None, None, False, False))
    return json.dumps(view_run(toolbox.runs.get(run_id)), ensure_ascii=False, indent=1)


def read_rule(code: str) -> str:
    """The page of a rule, or of a check of the review. Raises :class:`UsageError`."""
    from jupyter_selfheal.healers.rules._docs import explain
    from jupyter_selfheal.scoring.review._docs import explain_check

    if not code.isalnum():
        raise UsageError("a rule's code is like NAM101")
    page = explain_check(code)
    return page if page is not None else explain(code)
