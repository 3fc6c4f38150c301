"""NON102: a function that computes its result and does not return it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.used_functions import (
    find_definition,
    list_functions_used,
    returns_value,
    walk_own,
)
from jupyter_selfheal.healers.rules.result_of_wrapper import is_wrapper
from jupyter_selfheal.inside.tree_names import is_name, list_names, read_called_name
from jupyter_selfheal.model import Applicability, Edit, FailureKind, Patch

EFFECTS = frozenset(
    {"print", "display", "show", "append", "extend", "insert", "sort", "reverse", "add", "update", "write", "close", "remove",
     "clear", "plot", "savefig", "setattr", "exit", "sleep", "seed", "warn", "fit", "set_title", "set_xlabel", "set_ylabel"}
)  # fmt: skip
"""Calls that are made for what they do."""


IN_PLACE = frozenset({"append", "extend", "insert", "sort", "reverse", "add", "update", "remove", "appendleft"})


class MissingReturn(Rule):
    """Return what the function's last statement computes.

    **Failure** `TypeError` or `AttributeError` about `NoneType`, or a missed expectation or assert, where the failing
    statement uses the result of a function of the notebook that never returns a value, or does not at the end of some branch.

    **Fix** Each end of the function that only computes returns its value: `n * fact(n - 1)` becomes `return n * fact(n - 1)`;
    after `total = …`, `total.sort()`, or a loop that fills one variable, comes `return total`; after `self.items.append(x)` of a method whose calls are chained `return self`. A function that ends with `print(price * 1.2)` returns that.

    **Fix safety** Unsafe: the last value is nearly always what is meant, but the function may have been written for its
    effect. Safe where the function has other ends that return a value and this one computes its own and drops it, and for `return self` where no other call of the method is read or shown.
    """

    code = "NON102"
    name = "missing return"
    stage = Stage.STATE
    enames = frozenset({"TypeError", "AttributeError", "AssertionError"})
    kinds = RAISED_OR_MISSED
    why = "The result is used, and the function's last statement computes the only value it can mean."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        raised = context.failure.kind is FailureKind.RAISED
        if raised and context.failure.ename != "AssertionError" and not context.is_about_none:
            return
        yield from self._give_manager(context)
        yield from self._give_object(context)
        for name in list_functions_used(context):
            for cell_id in context.list_cells_upwards():
                source = context.source_of(cell_id)
                function = find_definition(source, name)
                if function is None or is_wrapper(source, function):
                    continue
                changes = _add_returns(source, function)
                if not changes and (printed := _find_last_print(function)) is not None:
                    yield self._return_printed(context, cell_id, source, name, printed)
                    continue
                edits: tuple[Edit, ...] = context.replace(cell_id, changes) if changes else ()
                if not edits:
                    continue
                partial = returns_value(function) and _drops_values(function)
                yield self.patch(
                    edits,
                    f"Return the result of `{name}`",
                    f"`{name}` computes a result but never returns it.",
                    applicability=Applicability.SAFE if partial else Applicability.UNSAFE,
                    why="Its other branches return a value; this end was forgotten." if partial else self.why,
                    prior=0.85 if partial else 0.7,
                )

    def _return_printed(self, context: RuleContext, cell_id: str, source: str, name: str, printed: ast.Call) -> Patch:
        """``print(price * 1.2)`` at the end of a function whose result is used; it is printed still where something calls the function for that."""
        start, end = src.find_span(source, printed)
        text = src.extract_text(source, printed.args[0])
        shown = any(
            isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and read_called_name(n.value) == name
            for n in context.walk_notebook()
        )
        change = (end, end, f"\n{' ' * printed.col_offset}return {text}") if shown else (start, end, f"return {text}")
        return self.patch(
            context.replace(cell_id, [change]),
            f"Return what `{name}` prints",
            f"`{name}` prints its result, and the caller gets nothing.",
            applicability=Applicability.UNSAFE,
            why="The result is used; that it is printed may be meant, too.",
            prior=0.7,
        )

    def _give_manager(self, context: RuleContext) -> Iterator[Patch]:
        """``with Timer() as t``, where ``__enter__`` gives nothing: ``t`` is None."""
        nones = context.list_names_of_none()
        for view in context.look_upwards() if nones else ():
            for item in view.walk(ast.withitem):
                made, target = item.context_expr, item.optional_vars
                if not (isinstance(target, ast.Name) and target.id in nones and isinstance(made, ast.Call)):
                    continue
                for home in view.look_upwards():
                    owner = next((c for c in home.walk(ast.ClassDef) if c.name == read_called_name(made)), None)
                    methods = owner.body if owner is not None else []
                    enter = next((m for m in methods if isinstance(m, ast.FunctionDef) and m.name == "__enter__"), None)
                    if enter is None or returns_value(enter) or not enter.args.args:
                        continue
                    end = src.find_span(home.source, enter.body[-1])[1]
                    text = f"return {enter.args.args[0].arg}"
                    empty = isinstance(enter.body[-1], ast.Pass)
                    splice = (end - 4, end, text) if empty else (end, end, f"\n{' ' * enter.body[-1].col_offset}{text}")
                    yield self.patch(
                        context.replace(home.cell_id, [splice]),
                        f"Return the object from `__enter__` of `{read_called_name(made)}`",
                        f"`{target.id}` is what `__enter__` returns, which is nothing.",
                        applicability=Applicability.SAFE,
                        why="What `with … as` names is used, and `__enter__` gives nothing.",
                        prior=0.93,
                    )
                    return

    def _give_object(self, context: RuleContext) -> Iterator[Patch]:
        """``Stack().push(1).push(2)``, where `push` changes the object and gives nothing."""
        failing = context.list_failing_nodes(ast.Attribute)
        link = next((n for n in failing if context.failure.evalue.endswith(f"has no attribute '{n.attr}'")), None)
        chain = _list_chained(link)
        homes = [(v, c) for v in context.look_upwards() for c in v.walk(ast.ClassDef) if _has_methods(c, chain)]
        if len(chain) < 2 or link is None or len(homes) != 1:
            return
        home, owner = homes[0]
        methods = [m for m in owner.body if isinstance(m, ast.FunctionDef) and m.name in chain[1:]]
        methods = [m for m in methods if not returns_value(m)]
        if not methods or not all(map(_only_changes, methods)):
            return
        ends = [(src.find_span(home.source, m.body[-1])[1], m) for m in methods]
        names = {m.name for m in methods}
        sure = _is_dropped_or_chained(context, names)
        yield self.patch(
            context.replace(
                home.cell_id,
                [(end, end, f"\n{' ' * m.body[0].col_offset}return {m.args.args[0].arg}") for end, m in ends],
            ),
            f"Return the object from `{methods[0].name}` of `{owner.name}`",
            f"What `{methods[0].name}` returns is gone on from, and it returns nothing.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why="The calls are chained, and each only changes its object."
            if sure
            else "Its result is shown or read elsewhere, too.",
            prior=0.9,
        )


def _list_chained(node: ast.AST | None) -> list[str]:
    """The names of ``x.a().b().c``, the last first."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value.func if isinstance(node.value, ast.Call) else None
    return names


def _has_methods(owner: ast.ClassDef, names: list[str]) -> bool:
    """Whether a class has the method that is missing of None, and the one before it."""
    own = {m.name for m in owner.body if isinstance(m, ast.FunctionDef)}
    return own.issuperset(names[:2])


def _only_changes(method: ast.FunctionDef) -> bool:
    """Whether a method ends by changing its object, and leaves nowhere else: `self.items.append(x)`, `self.total += x`."""
    own = method.args.args[0].arg if method.args.args and not method.decorator_list else ""
    if not own or any(isinstance(n, ast.Return | ast.Yield | ast.YieldFrom) for n in walk_own(method)):
        return False
    match method.body[-1]:
        case ast.Expr(ast.Call(ast.Attribute(ast.expr() as changed))) | ast.Assign([changed]) | ast.AugAssign(changed):
            while isinstance(changed, ast.Attribute | ast.Subscript):
                changed = changed.value
            return is_name(changed, own)
    return False


def _is_dropped_or_chained(context: RuleContext, names: set[str]) -> bool:
    """Whether each call of such a method stands alone, where its result is not shown, or is gone on from."""
    for cell in context.notebook.cells:
        tree = src.parse(cell.source) if cell.kind == "code" else None
        if tree is None or not tree.body:
            continue
        fine = {n.value for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
        fine |= {n.value for n in ast.walk(tree) if isinstance(n, ast.Expr) and n is not tree.body[-1]}
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        if any(read_called_name(c) in names and c not in fine and not _is_end_of_chain(c, names) for c in calls):
            return False
    return True


def _is_end_of_chain(call: ast.Call, names: set[str]) -> bool:
    """Whether a call ends a chain of such calls: what it gives is what that failed for."""
    inner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in names


def _find_last_print(function: ast.FunctionDef) -> ast.Call | None:
    """The ``print`` of one value that a function ends with which returns nothing, where it prints nothing else; None for a text that is written out."""
    last = function.body[-1]
    value = last.value if isinstance(last, ast.Expr) else None
    printed = [n for n in walk_own(function) if isinstance(n, ast.Call) and read_called_name(n) == "print"]
    if not isinstance(value, ast.Call) or printed != [value] or value.keywords or len(value.args) != 1:
        return None
    told = value.args[0]
    is_text = isinstance(told, ast.JoinedStr | ast.Constant | ast.Starred) or any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) for n in ast.walk(told)
    )
    given = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    is_given = isinstance(told, ast.Name) and told.id in given  # it shows what it is given
    return None if is_text or is_given or returns_value(function) else value


def _drops_values(function: ast.FunctionDef) -> bool:
    """True where every end that does not return is an expression whose value is lost."""
    ends = [tail for tail in _list_tails(function.body) if not isinstance(tail, ast.Return | ast.Raise)]
    return all(
        isinstance(tail, ast.Expr)
        and not (isinstance(tail.value, ast.Call) and isinstance(tail.value.func, ast.Attribute))
        for tail in ends
    )


def _add_returns(source: str, function: ast.FunctionDef) -> list[Splice]:
    """Splices that make every end of the function return; empty where one cannot be told, or it is a generator."""
    if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in walk_own(function)):
        return []
    splices: list[Splice] = []
    for tail in _list_tails(function.body):
        splice = _return_at(source, function, tail)
        if splice is not None:
            splices.append(splice)
        elif not isinstance(tail, ast.Return | ast.Raise) and not returns_value(function):
            return []
    return splices


def _list_tails(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements after which a block ends."""
    last = body[-1]
    if isinstance(last, ast.If):
        yield from _list_tails(last.body)
        if last.orelse:
            yield from _list_tails(last.orelse)
    elif isinstance(last, ast.With):
        yield from _list_tails(last.body)
    elif isinstance(last, ast.Try):
        yield from _list_tails(last.orelse or last.body)
        for handler in last.handlers:
            yield from _list_tails(handler.body)
    else:
        yield last


def _return_at(source: str, function: ast.FunctionDef, tail: ast.stmt) -> Splice | None:
    start, end = src.find_span(source, tail)
    indent = " " * tail.col_offset
    if isinstance(tail, ast.Expr):
        value = tail.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in IN_PLACE:
            # ``found.sort()`` at the end: what it filled is the result
            changed = value.func.value
            made = isinstance(changed, ast.Name) and changed.id in _list_assigned(function)
            return (end, end, f"\n{indent}return {src.extract_text(source, changed)}") if made else None
        if isinstance(value, ast.Constant) and value.value is not ... and tail is not function.body[0]:
            is_note = source.startswith(('"""', "'''"), start)
            return (start, start, "return ") if returns_value(function) and not is_note else None
        if isinstance(value, ast.Constant | ast.Await) or (
            isinstance(value, ast.Call) and read_called_name(value) in EFFECTS
        ):
            return None
        return start, start, "return "
    if isinstance(tail, ast.Assign) and len(tail.targets) == 1 and isinstance(tail.targets[0], ast.Name):
        return end, end, f"\n{indent}return {tail.targets[0].id}"
    if isinstance(tail, ast.AugAssign | ast.AnnAssign) and isinstance(tail.target, ast.Name):
        return end, end, f"\n{indent}return {tail.target.id}"
    if isinstance(tail, ast.For | ast.While):
        name = _find_filled(function, tail)
        is_given_early = any(isinstance(n, ast.Return) and is_name(n.value, name) for n in ast.walk(tail))
        return (
            (end, end, f"\n{indent}return {name}") if name and not is_given_early else None
        )  # else it may stand in the loop by mistake
    return None


def _list_assigned(function: ast.FunctionDef) -> set[str]:
    return {t.id for n in walk_own(function) if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}


def _find_filled(function: ast.FunctionDef, loop: ast.For | ast.While) -> str:
    """The one variable that is bound before the loop and changed in it."""
    before = {
        t.id
        for s in function.body
        if isinstance(s, ast.Assign) and s.lineno < loop.lineno
        for t in s.targets
        if isinstance(t, ast.Name)
    }
    bound_names = src.collect_names(loop.body)
    targets = list_names(loop.target) if isinstance(loop, ast.For) else set()
    tested = list_names(loop.test) if isinstance(loop, ast.While) else set()
    changed = (bound_names.binds | bound_names.changes) & before - targets
    if len(changed) > 1:
        changed -= tested
    return next(iter(changed)) if len(changed) == 1 else ""
