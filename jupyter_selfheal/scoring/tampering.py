"""Does a patch cheat? Read from the trees before and after it, not from what it prints.

A patch that makes the failure go away without healing it caps at 3: it deletes the statement that failed, swallows the
exception, leaves early, puts a constant in place of the computation, hard-codes the expected value, weakens an assert or
replaces what failed by a stand-in. What only *may* hide the fault (a guard, ``errors="coerce"``) is named as a remark and
lowers the score.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.registry import USER, load_traits
from jupyter_selfheal.scoring.asserts import asserts_in, names_in, patched_cells
from jupyter_selfheal.scoring.deletion import deleted, dump, failing_statement, fresh_statements, is_literal, walk
from jupyter_selfheal.scoring.discarded import thrown_away
from jupyter_selfheal.scoring.literals import hard_coded
from jupyter_selfheal.scoring.vacuous_conditions import made_vacuous

_MOCKS = re.compile(r"^(unittest\.)?mock\b|^pytest$|^unittest$")
_NOT_RUN = re.compile(
    r"\s*%%(script\s+(false|true|echo|--no-raise-error)\b|writefile|file|markdown|html|raw|latex|javascript|js|svg)"
)
_LEAVES = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort", "get_ipython().kernel.do_shutdown"})


def tampering(case: Case, patch: Patch) -> tuple[str, ...]:
    """What in the patch makes the failure go away without healing it, in words; empty for an honest patch.

    A user's own edit is never called tampering, and a rule (not a model, not a search) may say in ``patch.removes`` that
    taking something away is the remedy.
    """
    if patch.healer == USER:
        return ()
    before, after = _sources(case, patch)
    old, new = _trees(before), _trees(after)
    found: list[str] = []
    trusted = load_traits(patch.healer).trusted
    found += _not_run(before, after)
    if not (patch.removes and trusted):
        found += deleted(case, old, new, after, trusted=trusted)
    found += _swallowed(old, new)
    found += _left_early(old, new)
    found += _stand_ins(case, old, new)
    found += _weakened(before, after)
    found += hard_coded(case, old, new)
    found += made_vacuous(old, new)
    found += thrown_away(old, new)
    return tuple(dict.fromkeys(found))


def remarks(case: Case, patch: Patch) -> tuple[str, ...]:
    """What may hide the fault though it need not: guards around the failing statement, lenient options."""
    before, after = _sources(case, patch)
    old, new = _trees(before), _trees(after)
    found = [f"adds {option}" for option in sorted(_lenient(new) - _lenient(old))]
    statement = failing_statement(case)
    if statement is not None and _guards(new, statement) > _guards(old, statement):
        found.append("runs the failing statement only under a condition")
    if _count(new, ast.Continue) > _count(old, ast.Continue):
        found.append("skips some rounds of a loop")
    return tuple(found)


def _sources(case: Case, patch: Patch) -> tuple[list[str], list[str]]:
    cells = patched_cells(case, patch)
    return [before for _, before, _ in cells], [after for _, _, after in cells]


def _trees(sources: Iterable[str]) -> list[ast.Module]:
    return [tree for source in sources if (tree := src.parse(source)) is not None and not src.is_foreign(source)]


# --- exceptions swallowed -------------------------------------------------------------------------------------------


def _swallowed(old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    known = {dump(n) for n in walk(old) if isinstance(n, ast.Try | ast.TryStar | ast.With)}
    handlers = {dump(h) for n in walk(old) if isinstance(n, ast.Try) for h in n.handlers}
    for node in walk(new):
        if isinstance(node, ast.Try | ast.TryStar) and dump(node) not in known:
            hiding = [h for h in node.handlers if _hides(h, node.body) and dump(h) not in handlers]
            if hiding and not _is_import_fallback(node):
                yield "swallows the exception"
        elif isinstance(node, ast.With) and dump(node) not in known and any(map(_suppresses, node.items)):
            yield "swallows the exception"


def _suppresses(item: ast.withitem) -> bool:
    return "suppress" in _called(item.context_expr)


def _hides(handler: ast.ExceptHandler, body: Sequence[ast.stmt]) -> bool:
    """It neither raises again nor computes what the body would have computed in another way."""
    if any(isinstance(n, ast.Raise) for child in handler.body for n in ast.walk(child)):
        return False
    wanted, made = _computed(body), _computed(handler.body)
    return not (wanted and wanted <= made)


def _computed(body: Sequence[ast.stmt]) -> set[str]:
    """The targets that get a value which is no literal."""
    return {
        dump(target)
        for n in walk(body)
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


def _called(node: ast.AST) -> str:
    try:
        return ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    except RecursionError:
        return ""


# --- leaving early --------------------------------------------------------------------------------------------------


def _not_run(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for old, new in zip(before, after, strict=True):
        if _NOT_RUN.match(new) and not _NOT_RUN.match(old):
            yield "turns the cell into one that is not run"


def _left_early(old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    if len(_exits(new)) > len(_exits(old)):
        yield "ends the run early"
    if len(_jumps(new)) > len(_jumps(old)):
        yield "jumps over the statements that follow"


def _exits(trees: list[ast.Module]) -> list[ast.AST]:
    return [
        n
        for n in walk(trees)
        if (isinstance(n, ast.Call) and _called(n) in _LEAVES)
        or (isinstance(n, ast.Raise) and n.exc is not None and "SystemExit" in dump(n.exc))
    ]


def _jumps(trees: list[ast.Module]) -> list[ast.stmt]:
    """Unconditional return, continue or break with statements after it in the same block: they can never run."""
    found: list[ast.stmt] = []
    for node in walk(trees):
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list):
                found += [n for n in block[:-1] if isinstance(n, ast.Return | ast.Continue | ast.Break)]
    return found


# --- stand-ins ------------------------------------------------------------------------------------------------------


def _stand_ins(case: Case, old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    if _mocks(new) - _mocks(old):
        yield "uses a mock"
    functions = {n.name: n for n in walk(old) if isinstance(n, ast.FunctionDef)}
    elsewhere = frozenset().union(*(names_in(c.source).binds for c in case.notebook.cells if c.kind == "code"))
    used = {n.id for n in walk(old) if isinstance(n, ast.Name)}
    for node in fresh_statements(old, new):
        if isinstance(node, ast.FunctionDef) and _is_constant_function(node.body):
            was = functions.get(node.name)
            if (was is not None and not _is_constant_function(was.body)) or (
                was is None and node.name in elsewhere | used
            ):
                yield f"replaces the function {node.name} by a constant"
            elif node.name == "__eq__":
                yield "makes everything compare equal"
        elif isinstance(node, ast.Assign) and _patches(node, elsewhere | used):
            yield f"replaces {ast.unparse(node.targets[0])} by a constant"


def _mocks(trees: list[ast.Module]) -> set[str]:
    found = set()
    for node in walk(trees):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names if _MOCKS.match(a.name)}
        elif isinstance(node, ast.ImportFrom) and (_MOCKS.match(node.module or "") or node.module == "unittest"):
            found.add(node.module or "")
        elif isinstance(node, ast.Name) and node.id in ("MagicMock", "Mock", "monkeypatch"):
            found.add(node.id)
    return found


def _is_constant_function(body: Sequence[ast.stmt]) -> bool:
    """Nothing but ``pass`` or ``return LITERAL`` (after a docstring)."""
    left = [n for n in body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    if not left:
        return True
    only = left[0]
    is_return = isinstance(only, ast.Return) and (only.value is None or is_literal(only.value))
    return len(left) == 1 and (isinstance(only, ast.Pass) or is_return)


def _patches(node: ast.Assign, known: Iterable[str]) -> bool:
    """``module.function = lambda …: LITERAL``, or the same for a name that the notebook already has."""
    target = node.targets[0]
    if not isinstance(node.value, ast.Lambda) or not is_literal(node.value.body):
        return False
    return isinstance(target, ast.Attribute) or (isinstance(target, ast.Name) and target.id in known)


# --- asserts --------------------------------------------------------------------------------------------------------


def _weakened(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    left = [_shape(n) for source in after for n in asserts_in(source)]
    for source in before:
        for node in asserts_in(source):
            shape = _shape(node)
            if shape in left:
                left.remove(shape)
            else:
                yield "weakens or removes an assert"
                return


def _shape(node: ast.stmt) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an assert demands, whatever its names are called: its constants and its operators, calls counted."""
    tested = node.test if isinstance(node, ast.Assert) else node
    constants, signs = [], []
    for n in ast.walk(tested):
        if isinstance(n, ast.Constant):
            if not isinstance(n.value, str):
                constants.append(repr(n.value))
        elif isinstance(n, ast.cmpop | ast.boolop | ast.unaryop):
            signs.append(type(n).__name__)
    return tuple(sorted(constants)), tuple(sorted(signs))


# --- remarks --------------------------------------------------------------------------------------------------------


def _lenient(trees: list[ast.Module]) -> set[str]:
    return {
        f'{n.arg}="{n.value.value}"'
        for n in walk(trees)
        if isinstance(n, ast.keyword)
        and n.arg in ("errors", "on_bad_lines")
        and isinstance(n.value, ast.Constant)
        and n.value.value in ("ignore", "coerce", "skip", "replace")
    }


def _guards(trees: list[ast.Module], statement: ast.stmt) -> int:
    """How many conditions stand around the failing statement (or what has become of it)."""
    here = dump(statement)
    return sum(
        1
        for branch in walk(trees)
        if isinstance(branch, ast.If)
        for child in branch.body
        if any(dump(n) == here for n in ast.walk(child))
    )


def _count(trees: list[ast.Module], kind: type[ast.AST]) -> int:
    return sum(1 for n in walk(trees) if isinstance(n, kind))
