"""CAL110: a coroutine that nobody awaited."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.inside.tree_names import is_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"'(?:coroutine|_GatheringFuture|_asyncio\.Future|_asyncio\.Task|Future|Task)'|coroutine found$")
WAITING = frozenset({"coroutine", "_GatheringFuture", "Future", "Task"})
"""Types of what gives its result when it is awaited."""


_WAITS = re.compile(r"\b(?:await|gather|as_completed|create_task)\b")


class NotAwaited(Rule):
    """Await the coroutine whose result is used.

    **Failure** `TypeError: unsupported operand type(s) for +: 'coroutine' and 'int'`, `'coroutine' object is not iterable`, `sequence item 0: expected str instance, coroutine found`,
    `AttributeError: 'coroutine' object has no attribute 'json'`; an `AssertionError` where a coroutine, or what `asyncio.gather` gives, is compared.

    **Fix** `result = await fetch()` where the name was assigned, `[await fetch(n) for n in pages]` and `texts.append(await fetch(n))` where a list of them was made, `(await fetch()) + 1` where the call stands in the failing expression.

    **Fix safety** Safe: the result of the coroutine is what is used, and a cell may await at its top level as an `async def` may. Silent
    in a plain function, which cannot, and for a list that a cell waits for.
    """

    code = "CAL110"
    name = "coroutine not awaited"
    stage = Stage.STATE
    enames = frozenset({"TypeError", "AttributeError", "AssertionError"})
    applicability = Applicability.SAFE
    why = "Only the coroutine's result has what is asked of it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename != "AssertionError" and not MESSAGE.search(context.failure.evalue):
            return
        for node in context.list_failing_nodes(ast.BinOp, ast.Subscript, ast.Attribute, ast.Call, ast.For, ast.Compare):
            for used in _list_used(node):
                home = _find_call(context, used)
                if home is None:
                    continue
                cell_id, source, call = home
                function = find_function(source, call.lineno)
                if isinstance(function, ast.FunctionDef):
                    continue
                start, end = src.find_span(source, call)
                text = source[start:end]
                awaited = f"(await {text})" if call is used else f"await {text}"
                yield self.patch(
                    context.replace(cell_id, [(start, end, awaited)]),
                    f"Await `{text}`",
                    f"`{text}` gives a coroutine: its result comes with `await`.",
                    prior=0.93,
                )
                return


def _find_call(context: RuleContext, used: ast.expr) -> tuple[str, str, ast.Call] | None:
    """The call of an async function that the expression is, or that its name was assigned from."""
    if isinstance(used, ast.Call):
        return (context.cell_id, context.source, used) if _is_async(context, used) else None
    if isinstance(used, ast.Name) and (made := context.find_last_assignment(used.id)) is not None:
        item = made.node.value.elt if isinstance(made.node.value, ast.ListComp) else None
        if isinstance(item, ast.Call) and _is_async(context, item) and not _is_waited_for(context, used.id):
            return made.cell_id, made.source, item
    put = _find_put(context, used.id) if isinstance(used, ast.Name) and not _is_waited_for(context, used.id) else None
    if put is not None:
        return context.cell_id, context.source, put
    if not isinstance(used, ast.Name) or context.describe_all([used])[0].type not in WAITING:
        return None
    function = find_function(context.source, context.line)
    own = [n for n in ast.walk(function) if isinstance(n, ast.Assign)] if function is not None else []
    given = [n.value for n in own if any(is_name(t, used.id) for t in n.targets)]
    if len(given) == 1 and isinstance(given[0], ast.Call):
        return context.cell_id, context.source, given[0]
    made = context.find_last_assignment(used.id) if not given else None
    if made is None or not isinstance(made[2].value, ast.Call):
        return None
    return made[0], made[1], made[2].value


def _find_put(context: RuleContext, name: str) -> ast.Call | None:
    """The call of an async function whose coroutines the failing function, or cell, appends to a list; None where it appends something else too."""
    function = find_function(context.source, context.line)
    calls = [c for c in context.walk(ast.Call) if ast.unparse(c.func) == f"{name}.append" and len(c.args) == 1]
    given = [c.args[0] for c in calls if find_function(context.source, c.lineno) is function]
    return given[0] if len(given) == 1 and isinstance(given[0], ast.Call) and _is_async(context, given[0]) else None


def _is_waited_for(context: RuleContext, name: str) -> bool:
    """Whether a cell waits for what is in a list itself (``await asyncio.gather(*tasks)``), which must then hold what can be waited for."""
    sources = (c.source for c in context.notebook.cells if c.kind == "code")
    return any(_WAITS.search(s) and name in src.find_names(s).uses for s in sources)


def _is_async(context: RuleContext, call: ast.Call) -> bool:
    name = context.read_plain_chain(call.func)
    return bool(name) and context.is_true(f"{name}.__code__.co_flags & 128")


def _list_used(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.Subscript() | ast.Attribute():
            return [node.value]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.For():
            return [node.iter]
        case ast.Call():
            return list(node.args)
    return []
