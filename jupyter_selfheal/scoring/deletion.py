"""Is the statement that failed still there, in whatever form, once a patch is made?"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import CONSTANTS, list_names
from jupyter_selfheal.model import Case, FailureKind
from jupyter_selfheal.scoring.deleted_lines import SPELLING, find_deleted_line
from jupyter_selfheal.source import dump_tree


def find_failing_statement(case: Case) -> ast.stmt | None:
    """The innermost statement that raised: in the failing cell, or in the cell of the notebook that it called into."""
    cell_id, source, line = case.failure.cell_id, case.failure.source, case.failure.line
    for frame in reversed(case.failure.frames):
        if frame.cell_id == case.failure.cell_id:
            line = frame.line
            break
        if frame.cell_id and case.notebook.index(frame.cell_id) >= 0:
            cell_id, line = frame.cell_id, frame.line
            source = case.notebook.cell(cell_id).source
            break
    tree = src.parse(source)
    if tree is None:
        return None
    on_line = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    if not on_line and case.failure.statement >= 0 and cell_id == case.failure.cell_id:
        on_line = tree.body[case.failure.statement : case.failure.statement + 1]
    return max(on_line, key=lambda n: (n.lineno, -(n.end_lineno or n.lineno)), default=None)


def walk_trees(trees: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of trees that nobody changes: a patch is looked at from thirty sides, each of which walks the cells before and after it."""
    for tree in trees:
        yield from _list_nodes(tree)


@lru_cache(maxsize=64)
def _list_nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


def read_dotted_call(node: ast.AST) -> str:
    """All of what is called, `os.remove` of `os.remove(path)`; empty for what is no call, or too deep."""
    try:
        return ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    except RecursionError:
        return ""


def _list_statements(trees: Iterable[ast.AST]) -> list[ast.stmt]:
    return [n for n in walk_trees(trees) if isinstance(n, ast.stmt)]


def _collect_words(node: ast.AST) -> frozenset[str]:
    """Names, attributes and strings that a statement's own line speaks of (the bodies of blocks left out)."""
    words: set[str] = set()
    for n in _walk_header(node):
        if isinstance(n, ast.Name):
            words.add(n.id)
        elif isinstance(n, ast.Attribute):
            words.add(n.attr)
        elif isinstance(n, ast.alias):
            words.update(n.name.split("."))
        elif isinstance(n, ast.keyword) and n.arg:
            words.add(n.arg)
        elif isinstance(n, ast.Constant):
            words.add(repr(n.value))
    return frozenset(words)


def _walk_header(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt | ast.ExceptHandler):
            yield child
            yield from ast.walk(child)


def _dump_head(node: ast.stmt) -> str:
    """A statement without the blocks under it: a loop whose body changed is still the same loop."""
    name = getattr(node, "name", "") or getattr(node, "module", "")  # ``from module import …`` keeps it as text
    own = [dump_tree(n) for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt | ast.ExceptHandler)]
    return " ".join((type(node).__name__, str(name), *own))


def _is_idle(node: ast.stmt) -> bool:
    """``pass``, ``...``, a lone constant, or ``print`` of constants: statements that do nothing."""
    if isinstance(node, ast.Pass):
        return True
    if not isinstance(node, ast.Expr):
        return False
    value = node.value
    is_print = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print"
    constants = isinstance(value, ast.Call) and all(isinstance(a, ast.Constant) for a in value.args)
    return isinstance(value, ast.Constant) or (is_print and constants)


def _is_same_call(statement: ast.stmt, other: ast.stmt) -> bool:
    """Whether one is the other with its function's name spelt right: ``print("hello")`` for ``pritn("hello")`` takes nothing away."""
    calls = [n.value for n in (statement, other) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
    given = [[dump_tree(a) for a in (*call.args, *call.keywords)] for call in calls]
    if len(given) != 2 or not given[0] or given[0] != given[1]:
        return False
    names = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
    return len(names) == 2 and SequenceMatcher(None, names[0], names[1]).ratio() >= SPELLING


def _says_the_same(statement: ast.stmt, other: ast.stmt) -> bool:
    """Whether nothing is lost where an idle statement takes the failing one's place: its call spelt right, or its own `print` of Python 2."""
    if _is_same_call(statement, other):
        return True
    words = _collect_words(statement)
    constants = {repr(n.value) for n in ast.walk(other) if isinstance(n, ast.Constant)}
    return (
        isinstance(statement, ast.Expr)
        and "print" in words & _collect_words(other)
        and bool(constants)
        and constants <= words
    )


# --- deletion -----------------------------------------------------------------------------------------------------


def find_deletion(
    case: Case, old: list[ast.Module], new: list[ast.Module], after: Sequence[str], *, trusted: bool = False
) -> Iterator[str]:
    """Say so where the failing statement has no counterpart, or only a constant, in the new trees.

    ``after`` are the new sources, for a cell that did not parse. A ``trusted`` patch (a rule's) may replace a statement by one that
    shares no word with it, as a removed function's successor does.
    """
    if case.failure.kind is FailureKind.SYNTAX or src.parse(case.failure.source) is None:
        yield from find_deleted_line(case, after)
        return
    if _begins_with_failing_magic(case, after):
        return
    statement = find_failing_statement(case)
    if statement is None or isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    here = dump_tree(statement)
    kind = type(statement)
    if not any(type(n) is kind and dump_tree(n) == here for n in _list_statements(old)):
        return  # the failing statement is in a cell that this patch leaves as it is
    if any(type(n) is kind and dump_tree(n) == here and not _is_dead(n, new) for n in _list_statements(new)):
        return
    if isinstance(statement, ast.Try) and any(
        isinstance(n, ast.Try) and list(map(dump_tree, n.body)) == list(map(dump_tree, statement.body))
        for n in _list_statements(new)
    ):
        return  # it was a name in one of its handlers that failed
    fresh = _list_added_heads(old, new)
    words = _collect_words(statement)
    if not words and fresh:
        return
    alike = [n for n in fresh if (not _is_idle(n) or _says_the_same(statement, n)) and not _is_dead(n, new)]
    if any(_is_counterpart(statement, words, n) for n in alike):
        if _is_gutted(statement, alike):
            yield "puts a constant in place of the computation that failed"
        return
    imports = (ast.Import, ast.ImportFrom)
    if trusted and any(isinstance(statement, imports) or not isinstance(n, imports) for n in alike):
        return
    together = frozenset().union(*(_collect_words(n) for n in alike))
    if not (words and len(words & together) >= 0.5 * len(words)):
        yield "deletes the statement that failed"


def _list_added_heads(old: list[ast.Module], new: list[ast.Module]) -> list[ast.stmt]:
    """The statements that the old trees do not have, or have fewer times: a mend may be what another line says already."""
    left = Counter(map(_dump_head, _list_statements(old)))
    fresh = []
    for statement in _list_statements(new):
        head = _dump_head(statement)
        if left[head]:
            left[head] -= 1
        else:
            fresh.append(statement)
    return fresh


def _begins_with_failing_magic(case: Case, after: Sequence[str]) -> bool:
    """Whether the line that failed is a cell magic below its cell's first line, or one with a sign too few, and begins a cell now."""
    lines = case.failure.source.split("\n")
    line = lines[case.failure.line - 1] if 1 <= case.failure.line <= len(lines) else ""
    wanted = line if line.startswith("%%") and case.failure.line > 1 else f"%{line}"
    return wanted.startswith("%%") and any(text.split("\n")[0] == wanted for text in after)


def list_fresh_statements(old: list[ast.Module], new: list[ast.Module]) -> list[ast.stmt]:
    """The statements of the new trees that the old trees do not have."""
    known = {dump_tree(n) for n in _list_statements(old)}
    return [n for n in _list_statements(new) if dump_tree(n) not in known]


def _is_counterpart(statement: ast.stmt, words: frozenset[str], other: ast.stmt) -> bool:
    shared = words & _collect_words(other)
    if type(statement) is type(other) and not isinstance(other, ast.Expr | ast.If | ast.For | ast.While | ast.With):
        if isinstance(other, ast.Assign) and isinstance(statement, ast.Assign):
            same_target = [dump_tree(t) for t in statement.targets] == [dump_tree(t) for t in other.targets]
            return same_target or bool(shared)
        return isinstance(other, ast.Import | ast.ImportFrom | ast.Return | ast.Delete) or bool(shared)
    return len(shared) * 3 >= len(words) or _is_same_loop(statement, other)


def _is_same_loop(statement: ast.stmt, other: ast.stmt) -> bool:
    """Whether both loops bind the same and the other one goes through something that is computed: ``for x in days`` for ``for x in
    collect(month)``, not for ``for x in [day]``."""
    if (
        not isinstance(statement, ast.For)
        or not isinstance(other, ast.For)
        or dump_tree(statement.target) != dump_tree(other.target)
    ):
        return False
    is_written_out = isinstance(other.iter, ast.List | ast.Tuple | ast.Set | ast.Constant)
    return not is_written_out and any(name not in src.BUILTINS for name in list_names(other.iter))


def _is_gutted(statement: ast.stmt, fresh: Sequence[ast.stmt]) -> bool:
    """The failing statement computed from names; every new statement for the same target is a bare literal."""
    if not isinstance(statement, ast.Assign | ast.Return) or statement.value is None:
        return False
    if not any(map(_computes, ast.walk(statement.value))):
        return False
    if isinstance(statement.value, ast.Name) and _is_spelling(statement.value.id, fresh):
        return False
    values = [n.value for n in fresh if type(n) is type(statement) and _list_targets(n) == _list_targets(statement)]
    return bool(values) and all(v is not None and is_literal(v) for v in values)


def _computes(node: ast.AST) -> bool:
    """Whether a value hangs on more than what is written there: `(1, 2) (3, 4)` calls what is no function, and lacks a comma."""
    first = node
    while isinstance(first, ast.Call | ast.Subscript):
        first = first.func if isinstance(first, ast.Call) else first.value
    return isinstance(node, ast.Name) or (isinstance(node, ast.Call) and not is_literal(first))


def _is_spelling(name: str, fresh: Sequence[ast.stmt]) -> bool:
    """``true`` for ``True``, ``null`` for ``None``, a text without its quotes: the name was meant as the constant."""
    values = [n.value.value for n in fresh if isinstance(getattr(n, "value", None), ast.Constant)]  # type: ignore[attr-defined]
    return any(v == name or repr(v) == CONSTANTS.get(name) for v in values)


def _list_targets(node: ast.stmt) -> list[str]:
    return [dump_tree(t) for t in getattr(node, "targets", [])]


def is_literal(node: ast.AST) -> bool:
    """Whether an expression is made of constants alone."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _is_dead(node: ast.stmt, trees: Sequence[ast.Module]) -> bool:
    """Inside ``if False:`` (or another test that is constantly false)."""
    return any(
        isinstance(branch, ast.If | ast.While)
        and isinstance(branch.test, ast.Constant)
        and not branch.test.value
        and any(n is node for child in branch.body for n in ast.walk(child))
        for branch in walk_trees(trees)
    )
