"""NAM104: a method without ``self``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice, rename_name
from jupyter_selfheal.healers.rules.context.nodes import Function, find_class, find_function
from jupyter_selfheal.model import Applicability, Patch

COUNT = re.compile(r"(?:(\w+)\.)?(\w+)\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given")


class MissingSelf(Rule):
    """Give a method its `self`, or an attribute its `self.`.

    **Failure** `TypeError: C.m() takes 0 positional arguments but 1 was given`, where `m` is a plain method without `self`;
    or `NameError` inside a method for a name that is an attribute or a method of the class; or `UnboundLocalError` for one that
    the method only updates (`balance += amount`), or for `this`.

    **Fix** `self` becomes the first parameter; `total` becomes `self.total` throughout the method; what the class alone holds and the method
    updates, `Counter.total`; `this` becomes `self`.

    The `self` of a `@staticmethod` that does not read it goes; of one that reads it, the decorator.

    **Fix safety** Safe: the class itself has the attribute, no cell binds a variable of that name, and Python always passes
    the object first. Unsafe where a loop of the method updates the name: a sum of its own may be meant;
    and where it reads another attribute so that is a variable of the notebook, too (both are changed);
    and a number of the class that a method but `__init__` counts up, where nothing reads it of the class: each object may count for itself.
    """

    code = "NAM104"
    name = "missing self"
    enames = frozenset({"NameError", "TypeError", "UnboundLocalError"})
    applicability = Applicability.SAFE
    why = "Python passes the object first; the class has what is meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "missing 1 required positional argument" in context.failure.evalue:
            yield from self._drop_parameter(context)
        elif context.failure.ename == "TypeError":
            yield from self._add_parameter(context)
        elif context.missing_name == "self":
            cell_id, source, line = context.location
            function = find_function(source, line)
            if function is not None and find_class(source, line) is not None:
                yield self._with_self(context, cell_id, source, function)
        elif context.missing_name == "this":
            yield from self._rename_this(context)
        else:
            yield from self._use_attribute(context)

    def _rename_this(self, context: RuleContext) -> Iterator[Patch]:
        """``this.balance`` of Java or JavaScript, in every method of the class that is given ``self``."""
        cell_id, source, line = context.location
        owner = find_class(source, line)
        if (
            owner is None
            or context.is_bound_anywhere("this")
            or not (places := rename_name(source, "this", "self", owner))
        ):
            return
        methods = [m for m in owner.body if isinstance(m, Function) and [a.arg for a in m.args.args[:1]] == ["self"]]
        if len(places) == sum(len(rename_name(source, "this", "self", method)) for method in methods):
            yield self.patch(
                context.replace(cell_id, places),
                "Change `this` to `self`",
                "What other languages call `this` is given to a method as its first parameter, `self`.",
                prior=0.95,
            )

    def _add_parameter(self, context: RuleContext) -> Iterator[Patch]:
        match = COUNT.search(context.failure.evalue)
        is_exit = match is not None and (match[2], match[3], match[4]) == ("__exit__", "1", "4")
        if not match or (int(match[4]) != int(match[3]) + 1 and not is_exit) or _is_asked_of_class(context, match[2]):
            return
        for cell in (
            *context.notebook.list_code_before(context.failure.cell_id),
            context.notebook.cell(context.failure.cell_id),
        ):
            source = context.source_of(cell.id)
            tree = src.parse(source)
            for owner in ast.walk(tree) if tree else ():
                if not isinstance(owner, ast.ClassDef) or (match[1] and owner.name != match[1]):
                    continue
                for method in owner.body:
                    if isinstance(method, ast.FunctionDef) and method.name == match[2] == "__exit__" and is_exit:
                        end = src.find_span(source, method.args.args[0])[1]
                        yield self.patch(
                            context.replace(cell.id, [(end, end, ", exc_type, exc_value, traceback")]),
                            "Let `__exit__` take what is raised: `exc_type, exc_value, traceback`",
                            "Where a `with` ends, Python tells `__exit__` the error that ended it, or three times `None`.",
                            why="Python gives these three to every `__exit__`.",
                            prior=0.95,
                        )
                    elif isinstance(method, ast.FunctionDef) and method.name == match[2] and _lacks_self(method):
                        yield self._with_self(context, cell.id, source, method)

    def _drop_parameter(self, context: RuleContext) -> Iterator[Patch]:
        """``@staticmethod def area(self, w, h)``: nobody passes the object, and nothing reads it."""
        told = re.match(r"(\w+)\.(\w+)\(\)", context.failure.evalue)
        for view in context.look_upwards() if told is not None else ():
            for owner in (n for n in view.walk(ast.ClassDef) if told and n.name == told[1]):
                for method in owner.body:
                    if not isinstance(method, ast.FunctionDef) or not told or method.name != told[2]:
                        continue
                    static = [d for d in method.decorator_list if getattr(d, "id", "") == "staticmethod"]
                    reads = any(isinstance(n, ast.Name) and n.id == "self" for n in ast.walk(method))
                    if not static or [a.arg for a in method.args.args[:1]] != ["self"] or len(method.args.args) < 2:
                        continue
                    if reads:
                        if _is_asked_of_class(context, method.name):
                            return
                        start, end = view.span(static[0])
                        end += len(view.source[end:]) - len(view.source[end:].lstrip())
                        yield self.patch(
                            context.replace(view.cell_id, [(start - 1, end, "")]),
                            f"Take `@staticmethod` from `{method.name}`",
                            f"`{method.name}` reads `self`, and a static method is passed no object.",
                            why="The method reads the object, which Python passes to a plain method.",
                            prior=0.95,
                        )
                        return
                    start, end = (view.span(a)[0] for a in method.args.args[:2])
                    yield self.patch(
                        context.replace(view.cell_id, [(start, end, "")]),
                        f"Take `self` from `{method.name}`",
                        f"`{method.name}` is a static method, to which no object is passed.",
                        why="Nothing of the method reads it, and nobody passes it.",
                        prior=0.93,
                    )
                    return

    def _with_self(
        self, context: RuleContext, cell_id: str, source: str, method: ast.FunctionDef | ast.AsyncFunctionDef
    ) -> Patch:
        return self.patch(
            context.replace(cell_id, [_find_first_parameter(source, method)]),
            f"Add the parameter `self` to `{method.name}`",
            f"`{method.name}` is a method, so its first parameter must be `self`.",
            prior=0.95,
        )

    def _use_attribute(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        _, source, line = context.location
        owner, method = find_class(source, line), find_function(source, line)
        if not name or owner is None or method is None or not method.args.args or method.args.args[0].arg != "self":
            return
        if context.is_bound_anywhere(name) or name not in list_members(owner):
            return
        is_local = context.failure.ename == "UnboundLocalError"
        if is_local and not _only_updates(method, name):
            return
        if not is_local or _is_set_on_self(owner, name):
            yield self._write_attribute(context, owner, method, "self")
        elif method.name == "__init__" or _is_read_of_class(context, owner, name):
            yield self._write_attribute(context, owner, method, owner.name)
        else:
            why = "Nothing says whether each object counts for itself, or all of them together."
            yield self._write_attribute(context, owner, method, "self", why)
            yield self._write_attribute(context, owner, method, owner.name, why)

    def _write_attribute(
        self,
        context: RuleContext,
        owner: ast.ClassDef,
        method: ast.FunctionDef | ast.AsyncFunctionDef,
        holder: str,
        doubt: str = "",
    ) -> Patch:
        name = context.missing_name or ""
        cell_id, source, _ = context.location
        is_local = context.failure.ename == "UnboundLocalError"
        changes: list[Splice] = [
            (*src.find_span(source, n), f"{holder}.{name}")
            for n in ast.walk(method)
            if isinstance(n, ast.Name) and n.id == name
        ]
        others = [] if is_local else _list_other_attributes(context, owner, method)
        changes += [(*src.find_span(source, n), f"self.{n.id}") for n in others]
        sums_up = is_local and any(
            isinstance(n, ast.Name) and n.id == name
            for loop in ast.walk(method) if isinstance(loop, ast.For | ast.While)
            for n in ast.walk(loop)
        )  # fmt: skip
        return self.patch(
            context.replace(cell_id, changes),
            f"Change `{name}` to `{holder}.{name}`",
            f"`{name}` is an attribute of `{owner.name}`, not a variable. Did you mean `{holder}.{name}`?",
            applicability=Applicability.UNSAFE if sums_up or others or doubt else Applicability.SAFE,
            why="A loop updates it: a sum of the method's own may be meant."
            if sums_up
            else f"`{others[0].id}` is a variable of the notebook, too, which may be meant."
            if others
            else doubt or self.why,
            prior=0.6 if sums_up or doubt else 0.95,
        )


def _list_other_attributes(
    context: RuleContext, owner: ast.ClassDef, method: ast.FunctionDef | ast.AsyncFunctionDef
) -> list[ast.Name]:
    """Variables of the notebook that the method reads, and that its class keeps on the object, too: ``w`` of ``w * h``."""
    names = [n for n in ast.walk(method) if isinstance(n, ast.Name)]
    own = {a.arg for a in ast.walk(method) if isinstance(a, ast.arg)}
    own |= {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    taken = {i for i in {n.id for n in names} - own if _is_set_on_self(owner, i) and context.is_bound_anywhere(i)}
    return [n for n in names if n.id in taken]


def _lacks_self(method: ast.FunctionDef) -> bool:
    if method.decorator_list:
        return False
    first = method.args.args[0].arg if method.args.args else ""
    return first not in ("self", "cls") and not method.args.vararg


def _is_asked_of_class(context: RuleContext, name: str) -> bool:
    """``Maths.double(2, 3)``: no object is passed where the class itself is asked."""
    called = [
        c.func.value
        for c in context.list_calls_at_failure()
        if isinstance(c.func, ast.Attribute) and c.func.attr == name
    ]
    return any(thing.is_class for thing in context.describe_all(called)) if called else False


def _find_first_parameter(source: str, method: ast.FunctionDef | ast.AsyncFunctionDef) -> Splice:
    start = src.find_offset(source, method.lineno, method.col_offset)
    at = source.index("(", source.index(method.name, start)) + 1
    arguments = method.args
    empty = not (arguments.args or arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg)
    return at, at, "self" if empty else "self, "


def _only_updates(method: ast.AST, name: str) -> bool:
    """True where all that a method assigns to a name is made of the name itself."""
    for node in ast.walk(method):
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            if not any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.value)):
                return False
        elif isinstance(node, ast.For | ast.comprehension | ast.NamedExpr | ast.withitem):
            target = node.optional_vars if isinstance(node, ast.withitem) else node.target
            if any(isinstance(n, ast.Name) and n.id == name for n in (ast.walk(target) if target is not None else ())):
                return False
    return True


def _is_read_of_class(context: RuleContext, owner: ast.ClassDef, name: str) -> bool:
    """Whether the notebook reads ``Owner.name``, or a class method sets it: then it is of the class."""
    return any(
        isinstance(n, ast.Attribute) and n.attr == name
        and isinstance(n.value, ast.Name) and n.value.id in (owner.name, "cls")
        for n in context.walk_notebook()
    )  # fmt: skip


def _is_set_on_self(owner: ast.ClassDef, name: str) -> bool:
    return any(
        isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store)
        and src.find_root_name(n.value) == "self"
        for n in ast.walk(owner)
    )  # fmt: skip


def list_members(owner: ast.ClassDef) -> set[str]:
    """Methods, class attributes, fields of a dataclass, and what methods assign to ``self``."""
    names = {n.name for n in owner.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    names |= {t.id for n in owner.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    names |= {n.target.id for n in owner.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    for node in ast.walk(owner):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and src.find_root_name(node.value) == "self"
        ):
            names.add(node.attr)
    return names
