"""Reading the source of a cell: IPython's own syntax masked, statements, names, and edits by position.

Every edit of the product is a splice of text at the exact position of a syntax node, so that formatting, comments and
magics around it stay as the user wrote them (docs/adr/0002). Standard library only: this also runs in the user's kernel.
"""

from __future__ import annotations

from jupyter_selfheal.source.binding import BUILTINS, Names, free_names, is_pure, names, names_of, needed, root_name
from jupyter_selfheal.source.masking import (
    CELL_MAGICS_WITH_PYTHON,
    PARSE_FLAGS,
    compiles,
    expression,
    is_foreign,
    mask,
    parse,
    tree_of,
)
from jupyter_selfheal.source.positions import offset, span, splice, text_of
from jupyter_selfheal.source.toplevel import (
    Statement,
    canonical,
    keys,
    left_after,
    only,
    statement_at,
    statements,
)

__all__ = [
    "BUILTINS",
    "CELL_MAGICS_WITH_PYTHON",
    "PARSE_FLAGS",
    "Names",
    "Statement",
    "canonical",
    "compiles",
    "expression",
    "free_names",
    "is_foreign",
    "is_pure",
    "keys",
    "left_after",
    "mask",
    "names",
    "names_of",
    "needed",
    "offset",
    "only",
    "parse",
    "root_name",
    "span",
    "splice",
    "statement_at",
    "statements",
    "text_of",
    "tree_of",
]
