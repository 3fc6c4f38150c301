"""SQL103: a word of SQL that is misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.sqlite_names import respell_in_statements
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r'near "(\w+)": syntax error')
WORDS = (
    "select", "from", "where", "group", "order", "by", "having", "limit", "insert", "into", "values", "update", "set", "delete",
    "create", "table", "drop", "alter", "join", "left", "inner", "outer", "on", "as", "and", "or", "not", "null", "distinct", "union",
    "primary", "key", "references", "between", "like", "desc", "asc",
)  # fmt: skip
"""Words of the statements that courses teach (https://www.sqlite.org/lang_keywords.html)."""


class SqliteWords(Rule):
    """Spell the word as SQL does.

    **Failure** `OperationalError: near "form": syntax error` (or pandas' `DatabaseError`) at `select * form people`.

    **Fix** The word is spelt right in the texts of the cell that hold it.

    **Fix safety** Unsafe: the word may be a name, and another fault stand before it. Silent where several words are as near.
    """

    code = "SQL103"
    name = "misspelt word of SQL"
    enames = frozenset({"OperationalError", "DatabaseError"})
    message = MESSAGE
    applicability = Applicability.UNSAFE
    why = "The word is near, but the one written may be a name."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        near = find_nearest(told[1].lower(), WORDS) if told is not None else ()
        if told is None or len(near) != 1 or told[1].lower() in WORDS:
            return
        wrong, right = told[1], near[0].upper() if told[1].isupper() else near[0]
        cell_id, source, _ = context.location
        changes = list(respell_in_statements(source, wrong, right))
        if len(changes) == 1:
            yield self.patch(
                context.replace(cell_id, changes),
                f"Change `{wrong}` to `{right}`",
                f"SQL has no word `{wrong}` there. Did you mean `{right}`?",
                prior=0.8,
            )
