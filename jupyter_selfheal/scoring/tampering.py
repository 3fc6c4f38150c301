"""Does a patch cheat? Read from the trees before and after it, not from what it prints.

A patch that makes the failure go away without healing it caps at 3: it deletes the statement that failed, swallows the
exception, leaves early, puts a constant in place of the computation, hard-codes the expected value, weakens an assert or
replaces what failed by a stand-in. What only *may* hide the fault (a guard, ``errors="coerce"``) is named as a remark and
lowers the score.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Case, Patch
from jupyter_selfheal.registry import USER, is_strangers, load_traits
from jupyter_selfheal.scoring.asked_less import find_asked_less
from jupyter_selfheal.scoring.asserts import list_asserts, list_names, list_patched_cells
from jupyter_selfheal.scoring.deleted_lines import SPELLING
from jupyter_selfheal.scoring.deletion import (
    find_deletion,
    find_failing_statement,
    is_literal,
    list_fresh_statements,
    walk_trees,
)
from jupyter_selfheal.scoring.discarded import find_discarded_values
from jupyter_selfheal.scoring.documented_handlers import SWALLOWS
from jupyter_selfheal.scoring.edited_asserts import find_edited_asserts
from jupyter_selfheal.scoring.evidence import ENDS, SKIPS
from jupyter_selfheal.scoring.literals import find_hard_coded
from jupyter_selfheal.scoring.silenced import find_silenced_warning
from jupyter_selfheal.scoring.vacuous_conditions import find_disarmed_asserts, find_vacuous_conditions

_MOCKS = re.compile(r"^(unittest\.)?mock\b|^pytest$|^unittest$")
_NOT_RUN = re.compile(
    r"\s*%%(script\s+(false|true|echo|--no-raise-error)\b|writefile|file|markdown|html|raw|latex|javascript|js|svg)"
)
_MISSING = re.compile(r"^name '(\w+)' is not defined")
_HANDLER = re.compile(r"^[ \t]*except\b|\bsuppress\b", re.MULTILINE)
_OLD_OPTIONS = {
    "error_bad_lines=False": 'on_bad_lines="skip"',
    "convert_numeric=True": 'errors="coerce"',
    "coerce=True": 'errors="coerce"',
}
"""What asked for a lenient option before it had its name of today."""
LENIENT = "adds"
"""How a remark on a lenient option begins."""
_LEAVES = frozenset({"exit", "quit", "sys.exit", "os._exit", "os.abort", "get_ipython().kernel.do_shutdown"})


def find_tampering(case: Case, patch: Patch) -> tuple[str, ...]:
    """What in the patch makes the failure go away without healing it, in words; empty for an honest patch.

    A user's own edit is never called tampering, and a rule (not a model, not a search) may say in ``patch.removes`` that
    taking something away is the remedy.
    """
    if patch.healer == USER:
        return ()
    before, after = _list_sources(case, patch)
    old, new = _parse_trees(before), _parse_trees(after)
    tricks: list[str] = []
    trusted = load_traits(patch.healer).trusted
    tricks += _find_not_run(before, after)
    if not (patch.removes and trusted):
        tricks += find_deletion(case, old, new, after, trusted=trusted)
    if not _had_its_handlers(before, after):
        missing = _MISSING.search(case.failure.evalue) if case.failure.ename == "NameError" else None
        tricks += _find_swallowed(old, new, missing[1] if missing else "")
    tricks += _find_early_exits(old, new)
    tricks += _find_stand_ins(case, old, new)
    if not trusted:
        tricks += _find_shadowed_calls(case, old, new)
    if silenced := find_silenced_warning(case, patch):
        tricks.append(silenced)
    tricks += _find_weakened_asserts(before, after)
    tricks += find_edited_asserts(case, _list_all_asserts(before), _list_all_asserts(after), trusted=trusted)
    own = case.failure.ename == "AssertionError"
    if (own or not trusted) and find_asked_less(case, before, after, spare_failed=is_strangers(patch.healer)):
        tricks.append("asks an assert less often than before")
    tricks += find_hard_coded(case, old, new)
    tricks += find_disarmed_asserts(before, after)
    if old or not trusted:  # a rule only rewrites what is there, where the cell did not parse before
        tricks += find_vacuous_conditions(old, new)
        tricks += find_discarded_values(before, new)
    return tuple(dict.fromkeys(tricks))


def find_remarks(case: Case, patch: Patch) -> tuple[str, ...]:
    """What may hide the fault though it need not: guards around the failing statement, lenient options."""
    before, after = _list_sources(case, patch)
    old, new = _parse_trees(before), _parse_trees(after)
    lenient = _collect_lenient_options(new) - _collect_lenient_options(old) - _collect_asked_for(old)
    doubts = [f"{LENIENT} {option}" for option in sorted(lenient)]
    statement = find_failing_statement(case)
    if statement is not None and _count_guards(new, statement) > _count_guards(old, statement):
        doubts.append("runs the failing statement only under a condition")
    if _count_nodes(new, ast.Continue) > _count_nodes(old, ast.Continue):
        doubts.append(SKIPS)
    if _count_nodes(new, ast.Break) > _count_nodes(old, ast.Break):
        doubts.append(ENDS)
    return tuple(doubts)


def _list_sources(case: Case, patch: Patch) -> tuple[list[str], list[str]]:
    cells = list_patched_cells(case, patch)
    return [before for _, before, _ in cells], [after for _, _, after in cells]


def _parse_trees(sources: Iterable[str]) -> list[ast.Module]:
    return [tree for source in sources if (tree := src.parse(source)) is not None and not src.is_foreign(source)]


# --- exceptions swallowed -------------------------------------------------------------------------------------------


def _had_its_handlers(before: Sequence[str], after: Sequence[str]) -> bool:
    """True where a cell did not parse, and is given no handler that does not stand in it."""
    parses = all(src.parse(text) is not None for text in before)
    return not parses and len(_HANDLER.findall("\n".join(after))) <= len(_HANDLER.findall("\n".join(before)))


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


def _find_swallowed(old: list[ast.Module], new: list[ast.Module], missing: str = "") -> Iterator[str]:
    """``missing`` is the name that a NameError misses."""
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


def _suppresses_errors(item: ast.withitem) -> bool:
    return "suppress" in _read_dotted_call(item.context_expr)


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


def _read_dotted_call(node: ast.AST) -> str:
    """All of what is called, `os.remove` of `os.remove(path)`; empty for what is no call, or too deep."""
    try:
        return ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    except RecursionError:
        return ""


# --- leaving early --------------------------------------------------------------------------------------------------


def _find_not_run(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for old, new in zip(before, after, strict=True):
        if _NOT_RUN.match(new) and not _NOT_RUN.match(old):
            yield "turns the cell into one that is not run"


def _find_early_exits(old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    if len(_list_exits(new)) > len(_list_exits(old)):
        yield "ends the run early"
    if len(_list_jumps(new)) > len(_list_jumps(old)):
        yield "jumps over the statements that follow"


def _list_exits(trees: list[ast.Module]) -> list[ast.AST]:
    return [
        n
        for n in walk_trees(trees)
        if (isinstance(n, ast.Call) and _read_dotted_call(n) in _LEAVES)
        or (isinstance(n, ast.Raise) and n.exc is not None and "SystemExit" in src.dump_tree(n.exc))
    ]


def _list_jumps(trees: list[ast.Module]) -> list[ast.stmt]:
    """Unconditional return, continue or break with statements after it in the same block: they can never run. A text that stands alone
    at the end is a comment, and is none of them."""
    jumps: list[ast.stmt] = []
    for node in walk_trees(trees):
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list):
                done = [n for n in block if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
                jumps += [n for n in done[:-1] if isinstance(n, ast.Return | ast.Continue | ast.Break)]
    return jumps


# --- stand-ins ------------------------------------------------------------------------------------------------------


def _find_stand_ins(case: Case, old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    if _collect_mocks(new) - _collect_mocks(old):
        yield "uses a mock"
    functions = {n.name for n in walk_trees(old) if isinstance(n, ast.FunctionDef)}
    constant_before, constant_now = _count_constant_functions(old), _count_constant_functions(new)
    elsewhere = frozenset().union(*(list_names(c.source).binds for c in case.notebook.cells if c.kind == "code"))
    used = {n.id for n in walk_trees(old) if isinstance(n, ast.Name)}
    for node in list_fresh_statements(old, new):
        if isinstance(node, ast.FunctionDef) and _is_constant_function(node.body):
            is_more = constant_now[node.name] > constant_before[node.name]
            if is_more and node.name in functions | elsewhere | used:
                yield f"replaces the function {node.name} by a constant"
            elif node.name == "__eq__":
                yield "makes everything compare equal"
        elif isinstance(node, ast.Assign) and _is_monkeypatch(node, elsewhere | used):
            yield f"replaces {ast.unparse(node.targets[0])} by a constant"


def _count_constant_functions(trees: list[ast.Module]) -> Counter[str]:
    """How many functions of each name return a constant: methods of several classes share a name."""
    found = (n for n in walk_trees(trees) if isinstance(n, ast.FunctionDef))
    return Counter(n.name for n in found if _is_constant_function(n.body))


def _find_shadowed_calls(case: Case, old: list[ast.Module], new: list[ast.Module]) -> Iterator[str]:
    """Builtins that the notebook's code calls, and that the patch replaces by something of its own."""
    before = {name for tree in old for name in _list_made(tree)}
    sources = [case.failure.source, *(c.source for c in case.notebook.cells if c.kind == "code")]
    called = {
        n.func.id for s in sources for n in src.walk(s) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    }
    for name in dict.fromkeys(name for tree in new for name in _list_made(tree)):
        if name in called & src.BUILTINS and name not in before:
            yield f"replaces `{name}` by one of its own"


def _list_made(tree: ast.Module) -> Iterator[str]:
    """What is defined, imported or assigned from a call or a function at the top of a cell."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom) and node.module != "builtins":
            yield from (a.asname or a.name for a in node.names)
        elif isinstance(node, ast.Assign) and _makes_function(node.value):
            yield from (t.id for t in node.targets if isinstance(t, ast.Name))


def _makes_function(value: ast.expr) -> bool:
    """True for what may be a function of somebody's own; ``builtins.sum`` gives Python's own back."""
    if isinstance(value, ast.Attribute):
        return not (isinstance(value.value, ast.Name) and value.value.id in ("builtins", "__builtins__"))
    return isinstance(value, ast.Lambda | ast.Call)


def _collect_mocks(trees: list[ast.Module]) -> set[str]:
    mocks = set()
    for node in walk_trees(trees):
        if isinstance(node, ast.Import):
            mocks |= {a.name for a in node.names if _MOCKS.match(a.name)}
        elif isinstance(node, ast.ImportFrom) and (_MOCKS.match(node.module or "") or node.module == "unittest"):
            mocks.add(node.module or "")
        elif isinstance(node, ast.Name) and node.id in ("MagicMock", "Mock", "monkeypatch"):
            mocks.add(node.id)
    return mocks


def _is_constant_function(body: Sequence[ast.stmt]) -> bool:
    """Nothing but ``pass`` or ``return LITERAL`` (after a docstring)."""
    left = [n for n in body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
    if not left:
        return True
    only = left[0]
    is_return = isinstance(only, ast.Return) and (only.value is None or is_literal(only.value))
    return len(left) == 1 and (isinstance(only, ast.Pass) or is_return)


def _is_monkeypatch(node: ast.Assign, known: Iterable[str]) -> bool:
    """``module.function = lambda …: LITERAL``, or the same for a name that the notebook already has."""
    target = node.targets[0]
    if not isinstance(node.value, ast.Lambda) or not is_literal(node.value.body):
        return False
    return isinstance(target, ast.Attribute) or (isinstance(target, ast.Name) and target.id in known)


# --- asserts --------------------------------------------------------------------------------------------------------


def _find_weakened_asserts(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    left = [_describe_shape(n) for source in after for n in list_asserts(source)]
    for source in before:
        for node in list_asserts(source):
            shape = _describe_shape(node)
            if shape in left:
                left.remove(shape)
            else:
                yield "weakens or removes an assert"
                return


def _list_all_asserts(sources: Sequence[str]) -> list[ast.stmt]:
    return [node for source in sources for node in list_asserts(source)]


def _describe_shape(node: ast.stmt) -> tuple[tuple[str, ...], tuple[str, ...]]:
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


def _collect_lenient_options(trees: list[ast.Module]) -> set[str]:
    return {
        f'{n.arg}="{n.value.value}"'
        for n in walk_trees(trees)
        if isinstance(n, ast.keyword)
        and n.arg in ("errors", "on_bad_lines")
        and isinstance(n.value, ast.Constant)
        and n.value.value in ("ignore", "coerce", "skip", "replace")
    }


def _collect_asked_for(trees: list[ast.Module]) -> set[str]:
    """The lenient options that the code asked for by the names that they had: ``error_bad_lines=False``, ``convert_numeric=True``."""
    given = (n for n in walk_trees(trees) if isinstance(n, ast.keyword) and isinstance(n.value, ast.Constant))
    written = {f"{n.arg}={ast.unparse(n.value)}" for n in given}
    return {new for old, new in _OLD_OPTIONS.items() if old in written}


def _count_guards(trees: list[ast.Module], statement: ast.stmt) -> int:
    """How many conditions stand around the failing statement (or what has become of it)."""
    here = src.dump_tree(statement)
    return sum(
        1
        for branch in walk_trees(trees)
        if isinstance(branch, ast.If)
        for child in branch.body
        if any(src.dump_tree(n) == here for n in ast.walk(child))
    )


def _count_nodes(trees: list[ast.Module], kind: type[ast.AST]) -> int:
    return sum(1 for n in walk_trees(trees) if isinstance(n, kind))
