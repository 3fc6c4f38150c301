"""Handlers that the notebook asks for: its own text says what a value that cannot be read becomes.

To swallow an exception is cheating, but where a docstring, a comment or the text above a cell says "a line that is no number counts as
0", a handler of a named error that gives 0 does what it says. That alone proves nothing: something that failed before must hold.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.evidence import Evidence

SWALLOWS = "swallows the exception"
"""The trick that such a handler is not."""

_ANY_ERROR = frozenset({"Exception", "BaseException", "StandardError"})
_SKIPS = re.compile(r"(?i)\b(skip|ignor|leav|left out|drop|omit)")
_EMPTY = re.compile(r"(?i)\bempty\b")
_UNREADABLE = re.compile(r"(?i)\b(nan|missing|unreadable|invalid|unknown|cannot|empty|bad)\b")
_COMMENT = re.compile(r"#(.*)")


def forgive_documented_handlers(seen: Evidence, case: Case, patch: Patch) -> tuple[str, ...]:
    """The patch's tricks, without the swallowed exception where the notebook's text asks for each new handler, and a docstring's example
    that failed before, an expectation of the user's or the stored output of the failing cell shows that it is right. So too where
    only the name of a handler's error is another one, for which an assert is enough."""
    shown = (
        seen.example_mended
        or (bool(seen.user) and all(part.met for part in seen.user))
        or (seen.output.same and seen.output.computed > 0)
    )
    if SWALLOWS not in seen.tampering:
        return seen.tampering
    is_asked = shown and are_handlers_documented(case, patch)
    is_retyped = (shown or seen.own_asserts or seen.deciding.all_held) and are_handlers_retyped(case, patch)
    if not is_asked and not is_retyped:
        return seen.tampering
    return tuple(trick for trick in seen.tampering if trick != SWALLOWS)


def are_handlers_documented(case: Case, patch: Patch) -> bool:
    """Whether the text that stood there before says what each handler that the patch adds gives."""
    asked = [
        _is_asked_for(handler, text)
        for cell_id, before, after in list_patched_cells(case, patch)
        for handler, text in _list_new_handlers(before, after, read_text_above(case, cell_id))
    ]
    return bool(asked) and all(asked)


def are_handlers_retyped(case: Case, patch: Patch) -> bool:
    """Whether each handler that the patch brings stood there for another error, with the same body, which gives a value: it says what the
    author wants to come of an error, and only the error's name was wrong."""
    brought = 0
    for _, before, after in list_patched_cells(case, patch):
        old, new = ([n for n in src.walk(text) if isinstance(n, ast.ExceptHandler)] for text in (before, after))
        known = {src.dump_tree(n) for n in old}
        kept = {src.dump_tree(n) for n in new}
        gone = [(_dump_body(n), _list_errors(n)) for n in old if src.dump_tree(n) not in kept]
        for handler in (n for n in new if src.dump_tree(n) not in known):
            body, errors = _dump_body(handler), _list_errors(handler)
            same = next((pair for pair in gone if pair[0] == body and _is_retyped(pair[1], errors)), None)
            if same is None or not any(_gives_value(statement) for statement in handler.body):
                return False
            gone.remove(same)
            brought += 1
    return brought > 0


def _dump_body(handler: ast.ExceptHandler) -> str:
    return f"{handler.name} {[src.dump_tree(n) for n in handler.body]}"


def _list_errors(handler: ast.ExceptHandler) -> list[str]:
    """The names of the errors that a handler catches; empty where it catches any, or what is no name."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = [kind.id for kind in kinds if isinstance(kind, ast.Name)]
    return names if len(names) == len(kinds) and _ANY_ERROR.isdisjoint(names) else []


def _is_retyped(old: list[str], new: list[str]) -> bool:
    """Whether a handler of one error catches another one now: in its place, or beside it."""
    return len(old) == 1 and (len(new) == 1 or (len(new) == 2 and old[0] in new))


def _gives_value(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Return):
        return statement.value is not None
    return isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Raise)


def are_options_documented(case: Case, patch: Patch) -> bool:
    """Whether a comment, a docstring or the text above speaks of values that cannot be read, so that a lenient option may be meant."""
    for cell_id, before, _ in list_patched_cells(case, patch):
        said = [*_COMMENT.findall(before), read_text_above(case, cell_id)]
        said += [ast.get_docstring(n) or "" for n in src.walk(before) if isinstance(n, ast.FunctionDef)]
        if any(_UNREADABLE.search(text) or _SKIPS.search(text) for text in said):
            return True
    return False


def read_text_above(case: Case, cell_id: str) -> str:
    """The text cell right above a cell; empty where a cell of code stands there."""
    at = case.notebook.index(cell_id)
    above = case.notebook.cells[at - 1] if at > 0 else None
    return above.source if above is not None and above.kind == "markdown" else ""


def _list_new_handlers(before: str, after: str, above: str) -> Iterator[tuple[ast.ExceptHandler, str]]:
    """Every handler that the patch adds, with the text that its place had before: docstring, comments, the text above the cell."""
    old, new = src.parse(before), src.parse(after)
    if old is None or new is None:
        return
    known = {src.dump_tree(n) for n in ast.walk(old) if isinstance(n, ast.ExceptHandler)}
    docstrings = {n.name: ast.get_docstring(n) or "" for n in ast.walk(old) if isinstance(n, ast.FunctionDef)}
    comments = "\n".join(_COMMENT.findall(before))
    for top in new.body:
        docstring = docstrings.get(top.name, "") if isinstance(top, ast.FunctionDef) else ""
        for node in ast.walk(top):
            if isinstance(node, ast.ExceptHandler) and src.dump_tree(node) not in known:
                yield node, "\n".join((_drop_examples(docstring), comments, above))


def _drop_examples(docstring: str) -> str:
    """The sentences alone: a ``0`` in an example says nothing of what cannot be read."""
    return docstring.partition(">>>")[0]


def _is_asked_for(handler: ast.ExceptHandler, text: str) -> bool:
    kinds: Sequence[ast.expr] = (
        handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type or ast.Name("")]
    )
    if any(not isinstance(kind, ast.Name) or kind.id in _ANY_ERROR or not kind.id for kind in kinds):
        return False
    if len(handler.body) != 1:
        return False
    only = handler.body[0]
    if isinstance(only, ast.Continue | ast.Pass):
        return bool(_SKIPS.search(text))
    value = only.value if isinstance(only, ast.Return | ast.Assign) else None
    if isinstance(only, ast.Expr) and isinstance(only.value, ast.Call) and len(only.value.args) == 1:
        value = only.value.args[0]  # `numbers.append(0)`
    return value is not None and _is_named(value, text)


def _is_named(value: ast.expr, text: str) -> bool:
    """Whether the text names a literal (or ``nan``) as a word of its own."""
    if isinstance(value, ast.Call | ast.Attribute):
        return "nan" in ast.unparse(value).lower() and re.search(r"(?i)\bnan\b", text) is not None
    try:
        literal = ast.literal_eval(value)
    except ValueError:
        return False
    if literal in ("", [], {}, ()):
        return bool(_EMPTY.search(text))
    return re.search(rf"(?<![\w.]){re.escape(str(literal))}(?![\w])", text) is not None
