"""Does a patch swallow an error? A new handler or ``contextlib.suppress`` around what failed, which brings nothing else about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from jupyter_selfheal import source as src
from jupyter_selfheal.scoring.deleted_lines import SPELLING
from jupyter_selfheal.scoring.deletion import read_dotted_call, walk_trees
from jupyter_selfheal.scoring.documented_handlers import SWALLOWS

_HANDLER = re.compile(r"^[ \t]*except\b|\bsuppress\b", re.MULTILINE)


def had_its_handlers(before: Sequence[str], after: Sequence[str]) -> bool:
    """True where a cell did not parse, and is given no handler that does not stand in it."""
    parses = all(src.parse(text) is not None for text in before)
    return not parses and len(_HANDLER.findall("\n".join(after))) <= len(_HANDLER.findall("\n".join(before)))


def find_swallowed_errors(old: list[ast.Module], new: list[ast.Module], missing: str = "") -> Iterator[str]:
    """New handlers that hide an error. ``missing`` is the name that a NameError misses: one that only spells it right is no new one."""
    known = {src.dump_tree(n) for n in walk_trees(old) if isinstance(n, ast.Try | ast.TryStar | ast.With)}
    before = [h for n in walk_trees(old) if isinstance(n, ast.Try) for h in n.handlers]
    handlers = {src.dump_tree(h) for h in before}
    for node in walk_trees(new):
        if isinstance(node, ast.Try | ast.TryStar) and src.dump_tree(node) not in known:
            hiding = [h for h in node.handlers if _hides_error(h, node.body) and src.dump_tree(h) not in handlers]
            hiding = [h for h in hiding if not _is_respelt(h, before, missing) and not _has_its_name_now(h, before)]
            if hiding and not _is_import_fallback(node):
                yield SWALLOWS
        elif (
            isinstance(node, ast.With) and src.dump_tree(node) not in known and any(map(_suppresses_errors, node.items))
        ):
            yield SWALLOWS


def _is_respelt(handler: ast.ExceptHandler, old: Iterable[ast.ExceptHandler], missing: str) -> bool:
    """True for a handler that stood there with the misspelt name of its exception, the one that is not defined."""
    kind = handler.type
    return (
        bool(missing)
        and isinstance(kind, ast.Name)
        and SequenceMatcher(None, kind.id, missing).ratio() >= SPELLING
        and any(
            isinstance(o.type, ast.Name)
            and o.type.id == missing
            and [src.dump_tree(n) for n in o.body] == [src.dump_tree(n) for n in handler.body]
            for o in old
        )
    )


def _has_its_name_now(handler: ast.ExceptHandler, old: Iterable[ast.ExceptHandler]) -> bool:
    """True for ``except ValueError as e`` where ``except (ValueError, e)`` stood: it catches no more than that was written for."""
    classes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = [src.dump_tree(c) for c in (*classes, ast.Name(handler.name or "", ast.Load())) if c is not None]
    return handler.name is not None and any(
        isinstance(o.type, ast.Tuple)
        and [src.dump_tree(c) for c in o.type.elts] == caught
        and [src.dump_tree(n) for n in o.body] == [src.dump_tree(n) for n in handler.body]
        for o in old
    )


def _suppresses_errors(item: ast.withitem) -> bool:
    return "suppress" in read_dotted_call(item.context_expr)


def _hides_error(handler: ast.ExceptHandler, body: Sequence[ast.stmt]) -> bool:
    """It neither raises again nor computes what the body would have computed in another way."""
    if any(isinstance(n, ast.Raise) for child in handler.body for n in ast.walk(child)):
        return False
    needed, made = _collect_computed(body), _collect_computed(handler.body)
    return not (needed and needed <= made)


def _collect_computed(body: Sequence[ast.stmt]) -> set[str]:
    """The targets that get a value which is no literal."""
    return {
        src.dump_tree(target)
        for n in walk_trees(body)
        if isinstance(n, ast.Assign)
        and any(isinstance(v, ast.Call | ast.Subscript | ast.BinOp) for v in ast.walk(n.value))
        for target in n.targets
    }


def _is_import_fallback(node: ast.Try | ast.TryStar) -> bool:
    """``try: import a except ImportError: import b as a``: the handler brings the same thing in from elsewhere."""
    imports = (ast.Import, ast.ImportFrom)
    return all(isinstance(n, imports) for n in node.body) and all(
        any(isinstance(n, imports) for n in h.body) for h in node.handlers
    )
