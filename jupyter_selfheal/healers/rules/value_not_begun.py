"""NAM108: a sum, a collection or a largest item that a loop adds to, and that nothing begins."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import list_arguments
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.context.value_types import read_number_in
from jupyter_selfheal.inside.tree_names import holds_name, holds_node, list_read_names
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"name '(\w+)' is not defined|(?:local )?variable '(\w+)' (?:referenced before|where it is not)")
NUMBERS = frozenset({"int", "float", "int64", "float64", "int32", "float32", "complex", "bool", "Decimal", "Fraction"})
NEUTRAL = {"str": "''", "list": "[]", "tuple": "()"}
COLLECTIONS = {"append": "[]", "extend": "[]", "add": "set()"}
NO_VALUES = frozenset({"function", "type", "module", "builtin_function_or_method", "method"})
HELD = re.compile(r"balance|budget|stock|capital|savings|cash|fuel|energy|health|lives|battery|inventory", re.I)
"""Names of amounts that begin with what there is."""
BRINGS_NAMES = re.compile(r"(?m)\bimport \*|^\s*%(?:run|load|store)\b|\bexec\(|\bglobals\(\)")
"""What brings names that no cell writes down."""
STEP = "What moves on by the same step may begin anywhere."
Loop = ast.For | ast.While


class ValueNotBegun(Rule):
    """Begin a value above the loop that adds to it.

    **Failure** `NameError: name 'total' is not defined` (or `UnboundLocalError`) at `total += price`, `found.append(x)`, `counts[word] = counts.get(word, 0) + 1`,
    `if n > largest: largest = n`, in a loop.

    **Fix** `total = 0` above the loop: what adds nothing (`0`, `''`, `[]`, `{}`, 1 of a product), by the type of what is added; the first item for a largest or
    smallest one. Within an outer loop, if that reads the value after the inner one.

    **Fix safety** Safe: adding begins with what adds nothing. Unsafe where it may begin with something else: what grows by a factor (`balance *= 1 + rate`), an amount that is there before (`stock -= sold`) or by
    the same step each time, a function's parameter that is not read, texts that hold numbers, a table of columns, and what is read after an inner loop and
    after the outer one. Silent where the name has another beginning anywhere, a cell brings names from elsewhere (`%run`, `import *`), a near name is there, nothing reads the value but the loop, or the type of
    what is added is not known.
    """

    code = "NAM108"
    name = "value that no line begins"
    enames = frozenset({"NameError", "UnboundLocalError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "A loop that adds to a value begins with what adds nothing, and no cell has another beginning."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        name = (match[1] or match[2]) if match else ""
        parents = src.read(context.source).parents
        on_line = [n for n in context.list_nodes_on_line(ast.stmt) if holds_name(n, name)]
        statement = min(on_line, key=lambda n: len(context.text(n)), default=None)
        if not name or statement is None or _is_there(context, name):
            return
        scope, loops = _list_loops(statement, parents)
        if not loops or not _is_read_elsewhere(context, scope, name, loops[-1]):
            return
        loop = _choose_loop(loops, name)
        beginning = _find_beginning(context, statement, name, loops[0])
        if beginning and not _begins_elsewhere(context, scope, statement, loops[-1], f"{name} = {beginning}"):
            doubt = (
                _describe_doubt_of_parameter(scope)
                or _describe_doubt(context, statement, name, loops)
                or (_describe_doubt_of_place(scope, name, loops) if loop is not loops[-1] else "")
            )
            start = context.span(loop)[0]
            indent = " " * loop.col_offset
            yield self.patch(
                context.replace(context.cell_id, [(start, start, f"{name} = {beginning}\n{indent}")]),
                f"Begin with `{name} = {beginning}` above the loop",
                f"The loop adds to `{name}`, which nothing begins.",
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.6 if doubt else 0.9,
            )


def _is_there(context: RuleContext, name: str) -> bool:
    """True where another cell binds the name, or a near one is there to be meant."""
    cells = [c.id for c in context.notebook.cells if c.kind == "code" and c.id != context.cell_id]
    elsewhere = any(
        name in src.find_names(context.source_of(c)).binds or BRINGS_NAMES.search(context.source_of(c)) for c in cells
    )
    own = {n.id for n in context.walk(ast.Name) if isinstance(n.ctx, ast.Store)} | {
        a.arg for a in context.walk(ast.arg)
    }
    live = {**context.state.names, **context.state.locals}
    known = {*own, *(n for n, kind in live.items() if kind[0] not in NO_VALUES)} - {name}
    return elsewhere or bool(find_nearest(name, sorted(known)))


def _begins_elsewhere(context: RuleContext, scope: ast.AST, statement: ast.stmt, outer: Loop, beginning: str) -> bool:
    """True where the cell binds the name in another way, in the scope of the loop or around it; to begin it anew alike, once it was read, is none."""
    name = beginning.partition(" ")[0]
    if not isinstance(scope, ast.Module) and name in src.find_names(context.source).binds:
        return True  # `global` may be missing
    adding = {id(n) for n in ast.walk(statement)}
    read = [
        n.lineno for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
    ]
    end = outer.end_lineno or 0
    for node in ast.walk(scope):
        if isinstance(node, ast.AugAssign):
            adding.add(id(node.target))
        elif isinstance(node, ast.Assign) and (holds_name(node.value, name) or context.text(node) == beginning):
            is_anew = holds_name(node.value, name) or node.lineno <= end or any(end < at < node.lineno for at in read)
            adding |= {id(t) for t in node.targets} if is_anew else set()
        elif (
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Store)
            and id(node) not in adding
        ):
            return True
    return False


def _describe_doubt(context: RuleContext, statement: ast.stmt, name: str, loops: list[Loop]) -> str:
    """Why the value may begin with something else than what adds nothing; empty where it can not."""
    added, is_product = _find_added(statement, name)
    if HELD.search(name):
        return f"A `{name}` is mostly there before anything is added to it."
    if added is None:
        value = statement.value if isinstance(statement, ast.Assign) else None
        return "A table of columns may be meant." if value is not None and _is_column(context, value) else ""
    calls = any(isinstance(n, ast.Call) for n in ast.walk(added))
    changing = {
        n.id for loop in loops for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    is_same = not calls and not any(holds_name(added, n) for n in changing)
    if is_product and (is_same or any(isinstance(n, ast.Add | ast.Sub) for n in ast.walk(added))):
        return "What grows by a factor may begin with an amount of its own."
    if isinstance(added, ast.Constant):
        return "" if added.value == 1 or isinstance(added.value, str) else STEP
    kind = context.describe_all([added], calls=True)[0].type
    if is_same and kind in NUMBERS:
        return STEP
    return (
        "The texts hold numbers, which may be meant to be added up."
        if read_number_in(context, added) and kind == "str"
        else ""
    )


def _describe_doubt_of_parameter(scope: ast.AST) -> str:
    """Why the value may begin with what the function is given; empty where each of its parameters is read."""
    given = list_arguments(scope) if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) else []
    named = [a for a in given if a.arg not in ("self", "cls") and a.arg[0] != "_"]
    unread = [a.arg for a in named if not any(holds_name(n, a.arg) for n in ast.walk(scope) if isinstance(n, ast.Name))]
    return f"`{unread[0]}` is given and not read: the value may begin with it." if unread else ""


def _describe_doubt_of_place(scope: ast.AST, name: str, loops: list[Loop]) -> str:
    """Why the value may be meant to begin above the outer loop, where it is read after the inner one; empty where it can not."""
    end = loops[-1].end_lineno or 0
    is_read = any(holds_name(n, name) for n in ast.walk(scope) if isinstance(n, ast.Name) and n.lineno > end)
    return "It is read below the outer loop too, and may be meant to go on from round to round." if is_read else ""


def _is_column(context: RuleContext, value: ast.expr) -> bool:
    chains = list_read_names(value)
    tables = [
        c for c in sorted(chains) if (kind := context.describe(c)) is not None and kind.type in ("DataFrame", "Series")
    ]
    return bool(tables) and context.is_true(f"getattr({context.text(value)}, 'ndim', 0) > 0")


def _list_loops(statement: ast.stmt, parents: dict[ast.AST, ast.AST]) -> tuple[ast.AST, list[Loop]]:
    """The function or cell around a statement, and the loops between them, innermost first."""
    loops: list[Loop] = []
    node: ast.AST = statement
    while node in parents and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        node = parents[node]
        if isinstance(node, Loop):
            loops.append(node)
    return node, loops


def _is_read_elsewhere(context: RuleContext, scope: ast.AST, name: str, outer: Loop) -> bool:
    """True where something outside of the loops reads the value: below them in the scope, or in a cell below."""
    below = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    if any(n.lineno > (outer.end_lineno or 0) for n in below) or _reads_after(outer, name):
        return True
    cells = context.notebook.list_code_after(context.cell_id) if isinstance(scope, ast.Module) else ()
    return any(name in src.find_names(c.source).uses for c in cells)


def _reads_after(outer: Loop, name: str) -> bool:
    """True where a loop inside an outer one adds to the value, and the outer one reads it."""
    inner = [n for n in outer.body if isinstance(n, Loop) and holds_name(n, name)]
    return bool(inner) and any(holds_name(n, name) for n in outer.body if n not in inner)


def _choose_loop(loops: list[Loop], name: str) -> Loop:
    """The outermost loop, but for one whose other statements read the value: then the one inside of it."""
    for inner, outer in pairwise(loops):
        if any(holds_name(n, name) for n in outer.body if n is not inner and not (holds_node(n, inner))):
            return inner
    return loops[-1]


def _find_beginning(context: RuleContext, statement: ast.stmt, name: str, loop: Loop) -> str:
    """What the value begins with; empty where that cannot be told."""
    added, is_product = _find_added(statement, name)
    if added is not None:
        kind = context.describe_all([added], calls=True)[0].type
        kind = kind or (type(added.value).__name__ if isinstance(added, ast.Constant) else "")
        if is_product:
            return "1" if kind in NUMBERS else ""
        return "0" if kind in NUMBERS else NEUTRAL.get(kind, "")
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        method = statement.value.func
        is_own = isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name) and method.value.id == name
        return COLLECTIONS.get(method.attr, "") if is_own and isinstance(method, ast.Attribute) else ""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id == name:
        is_text = context.describe_all([target.slice], calls=True)[0].type == "str"
        return "{}" if is_text or f"{name}.get(" in context.text(statement) else ""
    return _find_first_item(context, statement, name, loop)


def _find_added(statement: ast.stmt, name: str) -> tuple[ast.expr | None, bool]:
    """What ``total += x`` and ``total = total + x`` add (or multiply by: True)."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        operator, added = statement.op, statement.value
    elif (
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.BinOp)
        and isinstance(statement.value.left, ast.Name)
        and statement.value.left.id == name
        and [t.id for t in statement.targets if isinstance(t, ast.Name)] == [name]
    ):
        operator, added = statement.value.op, statement.value.right
    else:
        return None, False
    if not isinstance(operator, ast.Add | ast.Mult) or holds_name(added, name):
        return None, False
    return added, isinstance(operator, ast.Mult)


def _find_first_item(context: RuleContext, statement: ast.stmt, name: str, loop: Loop) -> str:
    """``numbers[0]`` for ``if n > largest: largest = n`` in ``for n in numbers``."""
    if not (isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and isinstance(statement, ast.If)):
        return ""
    item, test = loop.target.id, statement.test
    sides = (
        {n.id for n in (test.left, *test.comparators) if isinstance(n, ast.Name)}
        if isinstance(test, ast.Compare)
        else set()
    )
    is_order = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Lt | ast.Gt | ast.LtE | ast.GtE)
    keeps = any(
        isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Name)
        and n.value.id == item
        and context.text(n.targets[0]) == name
        for n in statement.body
    )
    items = context.read_plain_chain(loop.iter)
    is_alone = len(statement.body) == 1 and not statement.orelse  # the first item would count nothing and keep no place
    if not is_order or sides != {item, name} or not keeps or not items or not is_alone:
        return ""
    return f"{items}[0]" if (first := context.describe(f"{items}[0]")) is not None and first.type else ""
