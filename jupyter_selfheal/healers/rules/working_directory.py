"""FIL103: code of the project that reads its files as if it ran in its own folder."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.edits import add_import
from jupyter_selfheal.healers.rules.context.project import find_missing_path, is_bound_here, list_texts
from jupyter_selfheal.model import Applicability, Patch

FILE = re.compile(r"[^\s/\\:][^\n:]*\.\w{1,5}")
"""A file by its path from here: what is not there may be one to be written."""


class WorkingDirectory(Rule):
    """Run what reads files beside its own code in the folder where they are.

    **Failure** `FileNotFoundError` for a relative path that no text of the notebook names, raised under a function of a module of
    the project, where the path is there from that module's folder.

    **Fix** `os.chdir("../code")` above the failing statement, where the notebook needs nothing of its own folder. Else that
    statement alone runs there: `with contextlib.chdir("../code"):` (Python 3.11). Silent where that one names a file, which may be written.

    **Fix safety** Safe: the file is where the module that asks for it lies, and whatever the notebook itself reads is found as before.
    """

    code = "FIL103"
    name = "file beside the project's code"
    enames = frozenset({"FileNotFoundError", "OSError"})
    applicability = Applicability.SAFE
    why = "The file lies beside the module that reads it, and the notebook needs nothing of another folder."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        path = find_missing_path(context)
        statement = context.failing_statement
        if (
            not path
            or os.path.isabs(path)
            or "://" in path
            or statement is None
            or src.is_foreign(context.failure.source)
        ):
            return
        place = context.ask(questions.FIND_FOLDER_OF_CODE, path=path)
        if not isinstance(place, str) or not place:
            return
        first, last = (
            src.find_offset(context.failure.source, statement.lineno, 0),
            src.find_span(context.failure.source, statement)[1],
        )
        text = context.failure.source[first:last]
        cause = f"`{path}` is in `{place}`, beside the code that reads it."
        named = [t for t in list_texts(context) if FILE.fullmatch(t)]
        if not named and not is_bound_here(context, place):
            changes = [(first, first, f'import os\nos.chdir("{place}")\n')]
            title = f"Work in `{place}`"
        elif any(t in text for t in named):
            return
        elif "'''" not in text and '"""' not in text and "\\\n" not in text:
            inner = "".join("    " + line for line in text.splitlines(keepends=True))
            changes = [
                (first, last, f'with contextlib.chdir("{place}"):\n{inner}'),
                add_import(context.failure.source, "import contextlib"),
            ]
            title = f"Run it in `{place}`"
        else:
            return
        yield self.patch(context.replace(context.failure.cell_id, changes), title, cause, prior=0.85)
