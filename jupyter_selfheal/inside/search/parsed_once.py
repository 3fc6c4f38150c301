"""Trees of the texts that ranking and doubting ask about again and again, each parsed and walked once.

The law: a tree hangs on nothing but its text, and nobody changes one that is shared. Who changes a tree parses the text for himself.
"""

from __future__ import annotations

import ast
import functools

from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.inside.tree_names import keep_nodes


@functools.lru_cache(maxsize=512)
def parse_once(text: str) -> ast.Module:
    """The tree of a text, shared by all who ask: to be read only. Raises what ``ast.parse`` raises."""
    return keep_nodes(parse_module(text))
