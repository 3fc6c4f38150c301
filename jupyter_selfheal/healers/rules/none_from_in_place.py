"""NON101: the result of a method that changes its object in place, which is None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_function, is_truth, list_arguments, read_plain_chain
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.used_functions import (
    find_definition,
    list_functions_used,
    walk_own,
)
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Applicability, Patch

METHODS = frozenset(
    {"sort", "reverse", "append", "extend", "insert", "remove", "clear", "update", "add", "discard", "shuffle",
     "difference_update", "intersection_update", "appendleft", "extendleft", "rotate"}
)  # fmt: skip
"""Methods of list, set, dict, deque and random that return None."""
ORDERING = frozenset({"sort", "reverse", "shuffle"})
"""Those of them whose only use is the object in its new order."""

SHARED = "What was changed in place is read by its own name, too: there it may be meant as it was."


class NoneFromInPlace(Rule):
    """Do not assign what an in-place method returns.

    **Failure** `AttributeError: 'NoneType' object has no attribute …`, `TypeError: 'NoneType' object is not …`, where the
    name was assigned from `x.sort()`, `random.shuffle(x)`, `df.drop(…, inplace=True)` and the like.

    **Fix** The call stands alone, and another name is assigned the object itself: `y = x.sort()` becomes `x.sort()` and
    `y = x`; for pandas with another target `inplace=True` goes. Cells that made the object run again first, since the
    assignment has replaced it. A function that returns such a result returns the object. Where the result is used at once (`words.sort()[0]`, `for x in xs.reverse():`), the call goes
    above the statement.

    **Fix safety** Safe: the method's effect stays, and the name holds the object that the later code reads. Unsafe where the later code reads the object by its own name,
    too (`ranked = times.sort()` above `zip(names, times)`; `clean = df.dropna(inplace=True)` above `len(df)`): a list of its own (`sorted(times)`) is offered first. A function that sorts what a
    variable of its caller holds is only offered a copy to return: the caller may read the list in its new order.
    """

    code = "NON101"
    name = "None from an in-place method"
    stage = Stage.STATE
    enames = frozenset({"AttributeError", "TypeError"})
    applicability = Applicability.SAFE
    why = "The call keeps its effect, and the name holds the changed object, as the later code expects."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not context.is_about_none and context.failure.evalue != "can only join an iterable":
            return
        for name in context.list_names_of_none():
            assignment = context.find_last_assignment(name)
            if assignment is None or len(assignment[2].targets) != 1:
                continue
            cell_id, source, node = assignment
            text = _separate_call(source, node, name)
            if not text:
                continue
            shared = _is_read_too(context, cell_id, source, node, name)
            if shared:
                yield from self._give_copy(context, cell_id, source, node, name)
            yield self.patch(
                change_and_replay(context, {cell_id: [(*src.find_span(source, node), text)]}, [name]),
                f"Don't assign the in-place call's result to `{name}`",
                f"`{src.extract_text(source, node.value)}` works in place and returns None.",
                applicability=Applicability.UNSAFE if shared else Applicability.SAFE,
                why=SHARED if shared else self.why,
                prior=0.6 if shared else 0.9,
            )
            return
        yield from self._mend_local(context)
        yield from self._use_the_object(context)
        yield from self._mend_returned(context)

    def _give_copy(
        self, context: RuleContext, cell_id: str, source: str, node: ast.Assign, name: str
    ) -> Iterator[Patch]:
        """``ranked = sorted(times)``, where ``times`` is read below, too."""
        call = node.value
        owner = call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None
        made = _write_copy(source, call, owner) if isinstance(call, ast.Call) and isinstance(owner, ast.Name) else ""
        if made:
            yield self.patch(
                change_and_replay(context, {cell_id: [(*src.find_span(source, node.value), made)]}, [name]),
                f"Give `{name}` a list of its own: `{made}`",
                f"`{src.extract_text(source, call)}` works in place and returns None.",
                applicability=Applicability.UNSAFE,
                why=SHARED,
                prior=0.75,
            )

    def _mend_local(self, context: RuleContext) -> Iterator[Patch]:
        """The name is a variable of the function that failed."""
        function = find_function(context.source, context.line)
        if function is None:
            return
        read = {n.id for n in context.list_nodes_on_line(ast.Name) if isinstance(n.ctx, ast.Load)}
        names = {n for n in read if context.state.locals.get(n, ("",))[0] == "NoneType"}
        made = [
            n
            for n in ast.walk(function)
            if isinstance(n, ast.Assign)
            and n.lineno < context.line
            and any(isinstance(t, ast.Name) and t.id in names for t in n.targets)
        ]
        node = max(made, key=lambda n: n.lineno, default=None)
        if node is None or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            return
        name = node.targets[0].id
        text = _copy_argument(context.source, node, {a.arg for a in list_arguments(function)})
        text = text or _separate_call(context.source, node, name)
        if text:
            yield self.patch(
                context.replace_here((*context.span(node), text)),
                f"Don't assign the in-place call's result to `{name}`",
                f"`{context.text(node.value)}` works in place and returns None.",
                prior=0.9,
            )

    def _mend_returned(self, context: RuleContext) -> Iterator[Patch]:
        """The None came out of a function of the notebook, which returns what an in-place method gives."""
        sources = {c: context.source_of(c) for c in context.list_cells_upwards()} if context.is_about_none else {}
        for name in list_functions_used(context) if sources else ():
            for cell_id, source in sources.items():
                function = find_definition(source, name)
                changes = _mend_returns(source, function) if function is not None else []
                # a method of the notebook's own may be called the same, and return something
                own = any(find_definition(s, read_called_name(call)) for s in sources.values() for call, _ in changes)
                if not changes or own:
                    continue
                text = src.extract_text(source, changes[0][0])
                is_evident = all(read_called_name(call) in ORDERING or _find_in_place(call) for call, _ in changes)
                if is_evident and _may_read_its_argument(context, name):
                    # what it was given is changed as before, where no copy is made
                    is_evident = all("\n" in text for _, (_, _, text) in changes)
                yield self.patch(
                    context.replace(cell_id, [splice for _, splice in changes]),
                    f"Return the object that `{text}` changes",
                    f"`{name}` returns what `{text}` gives, and that works in place and returns None.",
                    applicability=Applicability.SAFE if is_evident else Applicability.UNSAFE,
                    prior=0.9 if is_evident else 0.7,
                )
                return

    def _use_the_object(self, context: RuleContext) -> Iterator[Patch]:
        """The result is used in the expression that it stands in."""
        for node in context.list_failing_nodes(ast.Subscript, ast.Attribute, ast.Call, ast.For, ast.BinOp):
            for call in _list_calls_in(node):
                changes = _take_out(context, call)
                if changes:
                    text = context.text(call)
                    yield self.patch(
                        context.replace_here(*changes),
                        f"Use the object that `{text}` changes",
                        f"`{text}` works in place and returns None.",
                        prior=0.9,
                    )
                    return


def _is_read_too(context: RuleContext, cell_id: str, source: str, node: ast.Assign, name: str) -> bool:
    """Whether what was changed in place is read by its own name below: there it may be meant as it was."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    changed = call.args[0] if call.func.attr == "shuffle" and call.args else call.func.value
    owner = changed.id if isinstance(changed, ast.Name) else ""
    if not owner or owner == name:
        return False
    inside = [n for n in src.walk(source) if getattr(n, "lineno", 0) > (node.end_lineno or node.lineno)]
    below = [n for c in context.notebook.list_code_after(cell_id) for n in src.walk(context.source_of(c.id))]
    return any(isinstance(n, ast.Name) and n.id == owner and isinstance(n.ctx, ast.Load) for n in (*inside, *below))


def _may_read_its_argument(context: RuleContext, name: str) -> bool:
    """True where somebody may rely on what the function does to its argument: a call of it is a statement of its own, or is given what a
    name holds."""
    for cell in context.notebook.cells:
        for node in src.walk(context.source_of(cell.id)) if cell.kind == "code" else ():
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and read_called_name(node.value) == name:
                return True
            if isinstance(node, ast.Call) and read_called_name(node) == name:
                given = (*node.args, *(k.value for k in node.keywords))
                if any(isinstance(v, ast.Name | ast.Attribute | ast.Subscript) for v in given):
                    return True
    return False


def _mend_returns(source: str, function: ast.FunctionDef) -> list[tuple[ast.Call, Splice]]:
    """For each ``return`` of what an in-place method gives, the call of it and the splice that has the object returned."""
    arguments = {a.arg for a in list_arguments(function)}
    made = [n for n in walk_own(function) if isinstance(n, ast.Assign) and len(n.targets) == 1]
    changes: list[tuple[ast.Call, Splice]] = []
    for node in walk_own(function):
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Call):
            text = _return_object(source, value, arguments)
            changes += [(value, (*src.find_span(source, node), text))] if text else []
        elif isinstance(value, ast.Name):
            before = [n for n in made if n.lineno < value.lineno and getattr(n.targets[0], "id", "") == value.id]
            last = max(before, key=lambda n: n.lineno, default=None)
            if last is not None and isinstance(last.value, ast.Call):
                text = _copy_argument(source, last, arguments) or _separate_call(source, last, value.id)
                changes += [(last.value, (*src.find_span(source, last), text))] if text else []
    return changes


def _return_object(source: str, call: ast.Call, arguments: set[str]) -> str:
    """``return xs.sort()``: the call above, and the object returned; a new one of what the caller gave. Empty for any other call."""
    if (in_place := _find_in_place(call)) is not None:
        return f"return {_drop_keyword(source, call, in_place)}"
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in METHODS:
        return ""
    if call.func.attr == "shuffle" and not call.args:
        return ""
    changed = call.args[0] if call.func.attr == "shuffle" else call.func.value
    if not isinstance(changed, ast.Name):
        return ""
    copied = _write_copy(source, call, changed) if changed.id in arguments else ""
    indent = " " * next(n.col_offset for n in src.walk(source) if isinstance(n, ast.Return) and n.value is call)
    return f"return {copied}" if copied else f"{src.extract_text(source, call)}\n{indent}return {changed.id}"


def _list_calls_in(node: ast.AST) -> list[ast.Call]:
    """The calls of in-place methods among what a node needs a value of."""
    operands: list[ast.expr] = []
    if isinstance(node, ast.Subscript | ast.Attribute):
        operands = [node.value]
    elif isinstance(node, ast.For):
        operands = [node.iter]
    elif isinstance(node, ast.BinOp):
        operands = [node.left, node.right]
    elif isinstance(node, ast.Call):
        operands = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    calls = [n for n in operands if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return [n for n in calls if read_called_name(n) in METHODS or _find_in_place(n) is not None]


def _take_out(context: RuleContext, call: ast.Call) -> list[Splice]:
    """The call above its statement, and the object in its place; what has no name is made anew by `sorted` or a slice."""
    assert isinstance(call.func, ast.Attribute)
    owner = call.func.value
    name = context.text(owner)
    in_place = _find_in_place(call)
    # a part of a table is another table, which nobody has afterwards
    if not _is_place(owner, context.source) or (in_place is not None and isinstance(owner, ast.Subscript)):
        arguments = ", ".join(context.text(k) for k in call.keywords)
        forms = {
            "sort": f"sorted({name}{', ' if arguments else ''}{arguments})",
            "reverse": f"{context.operand(owner)}[::-1]",
        }
        made = forms.get(call.func.attr) if not call.args else None
        if in_place is not None:
            made = _drop_keyword(context.source, call, in_place)
        return [(*context.span(call), made)] if made else []
    thing = context.describe(name)
    if thing is None or (thing.module not in ("builtins", "collections") and in_place is None):
        return []
    statement: ast.AST = call
    parents = src.read(context.source).parents
    while not isinstance(statement, ast.stmt):
        inner, statement = statement, parents[statement]
        if isinstance(statement, (ast.Lambda, ast.IfExp, ast.BoolOp, ast.comprehension, ast.ListComp, ast.GeneratorExp,
                                  ast.SetComp, ast.DictComp)):  # fmt: skip
            return []
        if isinstance(statement, ast.For) and inner is not statement.iter:
            return []
    if not isinstance(statement, ast.Expr | ast.Assign | ast.Return | ast.For):
        return []
    start = context.span(statement)[0]
    indent = context.source[context.source.rfind("\n", 0, start) + 1 : start]
    if indent.strip():
        return []
    return [(start, start, f"{context.text(call)}\n{indent}"), (*context.span(call), name)]


def _is_place(node: ast.AST, source: str) -> bool:
    """True for a variable, an attribute or an item: what a second mention means the same object of."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and bool(read_plain_chain(node, source))


def _copy_argument(source: str, node: ast.Assign, arguments: set[str]) -> str:
    """What a function was given stays as its caller has it: ``s = xs.sort()`` becomes ``s = sorted(xs)``; empty for anything else."""
    call, target = node.value, node.targets[0]
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return ""
    owner = call.func.value
    made = _write_copy(source, call, owner) if isinstance(owner, ast.Name) and owner.id in arguments else ""
    return f"{src.extract_text(source, target)} = {made}" if made else ""


def _write_copy(source: str, call: ast.Call, owner: ast.Name) -> str:
    """What ``owner.sort()`` or ``owner.reverse()`` would leave, as a new list; empty for another call."""
    given = "".join(f", {src.extract_text(source, k)}" for k in call.keywords)
    forms = {"sort": f"sorted({owner.id}{given})", "reverse": f"list(reversed({owner.id}))"}
    return forms.get(call.func.attr, "") if isinstance(call.func, ast.Attribute) and not call.args else ""


def _separate_call(source: str, node: ast.Assign, name: str) -> str:
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return ""
    text = src.extract_text(source, call)
    if (in_place := _find_in_place(call)) is not None:
        if read_plain_chain(call.func.value, source) == name:
            return text
        return f"{name} = {_drop_keyword(source, call, in_place)}"
    if call.func.attr not in METHODS:
        return ""
    changed = call.func.value
    if call.func.attr == "shuffle":
        if not call.args:
            return ""
        changed = call.args[0]
    owner, indent = src.extract_text(source, changed), " " * node.col_offset
    if not _is_place(changed, source):
        start = src.find_span(source, call)[0]
        at, end = (where - start for where in src.find_span(source, changed))
        return f"{name} = {owner}\n{indent}{text[:at]}{name}{text[end:]}"
    if owner == name:
        return text
    return f"{text}\n{indent}{name} = {owner}"


def _find_in_place(call: ast.Call) -> ast.keyword | None:
    """The call's ``inplace=True``."""
    return next(
        (k for k in call.keywords if k.arg == "inplace" and is_truth(k.value, True)),
        None,
    )


def _drop_keyword(source: str, call: ast.Call, keyword: ast.keyword) -> str:
    """The call's text without one keyword."""
    rest = [src.extract_text(source, a) for a in call.args]
    rest += [src.extract_text(source, k) for k in call.keywords if k is not keyword]
    return f"{src.extract_text(source, call.func)}({', '.join(rest)})"
