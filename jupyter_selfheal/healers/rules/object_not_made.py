"""TYP263: a variable that is a class of the notebook where an object of it is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function, read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"\w+\.\w+\(\) missing \d+ required positional arguments?: '\w+'|^type object '\w+' has no attribute '\w+'"
)

LACKS_SELF = re.compile(r"^(\w+)\.(\w+)\(\) missing 1 required positional argument: 'self'")
FOR_CLASS = "The object may have to be kept, or the method be one of the class."

OF_OBJECTS = frozenset({"print", "len", "str", "repr", "list", "sum", "sorted", "bool", "iter", "next", "display"})
"""What is asked of an object, and seldom of its class."""


class ObjectNotMade(Rule):
    """Call the class whose object is used.

    **Failure** `TypeError: Stack.push() missing 1 required positional argument: 'item'` at `stack.push(1)` below `stack = Stack`;
    `AttributeError: type object 'Stack' has no attribute 'items'` at `stack.items`.

    **Fix** `stack = Stack()`. At `Stack.size()`, where a method is called on the class: `Stack().size()`, or `stack.size()` where there is one object of it.

    **Fix safety** Safe where the class is the notebook's own and can be made without arguments, and the variable is read for its attributes alone; so is a method called on the class that reads `self` and sets nothing of it, outside of functions. Unsafe where it is given to something else, and
    where what is set by it is read of the class. Silent where it is called, or asked for, as another name of the class.
    """

    code = "TYP263"
    name = "object that was not made"
    enames = frozenset({"TypeError", "AttributeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "A method of its objects is called, and it can be made without arguments."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if (called := LACKS_SELF.search(context.failure.evalue)) is not None:
            yield from self._call_on_object(context, *called.groups())
        names = dict.fromkeys(
            n.value.id for n in context.list_nodes_at_failure(ast.Attribute) if isinstance(n.value, ast.Name)
        )
        for name in names:
            made = context.find_last_assignment(name)
            if made is None or not isinstance(made.node.value, ast.Name) or made.node.value.id == name:
                continue
            owner = made.node.value.id
            kind = context.describe(owner)
            if kind is None or not kind.is_class or not kind.path.startswith("__main__") or _is_called(context, name):
                continue
            signature = context.signature(owner)
            if signature is None or not signature.needs_nothing:
                continue
            doubt = _explain_doubt(context, name, owner)
            end = src.find_span(made.source, made.node.value)[1]
            yield self.patch(
                context.replace(made.cell_id, [(end, end, "()")]),
                f"Make an object: `{name} = {owner}()`",
                f"`{name}` is the class `{owner}` itself, and no object of it.",
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.6 if doubt else 0.93,
            )
            return

    def _call_on_object(self, context: RuleContext, owner: str, method: str) -> Iterator[Patch]:
        """``Stack().size()`` for ``Stack.size()``."""
        kind, signature = context.describe(owner), context.signature(owner)
        definitions = (n for n in context.walk_notebook() if isinstance(n, ast.ClassDef) and n.name == owner)
        body = next(definitions, ast.Module([], [])).body
        bodies = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == method]
        nodes = [n for n in context.list_nodes_at_failure(ast.Attribute) if n.attr == method]
        if kind is None or not kind.is_class or not nodes or context.text(nodes[0].value) != owner or len(bodies) != 1:
            return  # by another name of the class, say
        if find_function(context.source, context.line) is not None:
            return  # `self`, or one that it was given
        own = [n for n in ast.walk(bodies[0]) if isinstance(n, ast.Attribute) and read_last_name(n.value) == "self"]
        calls = [n for n in context.walk_notebook() if isinstance(n, ast.Call) and read_last_name(n.func) == owner]
        objects = [name for name, (of, _) in context.state.names.items() if of == owner and name != "_"]
        bases = [b for n in context.walk_notebook() if isinstance(n, ast.ClassDef) for b in n.bases]
        if owner in map(read_last_name, bases):
            return  # an object of another class may be meant
        kept = context.find_last_assignment(objects[0]) if len(objects) == len(calls) == 1 else None
        is_kept = kept is not None and ast.dump(kept.node.value) == ast.dump(calls[0])
        made = f"{owner}()" if signature is not None and signature.needs_nothing and not calls else ""
        new = objects[0] if is_kept else made
        if not new or not own:
            return
        changes = any(isinstance(n.ctx, ast.Store) for n in own) or (not is_kept and _changes_part(bodies[0]))
        doubt = FOR_CLASS if changes else ""
        yield self.patch(
            context.replace_here((*context.span(nodes[0].value), new)),
            f"Call it on an object: `{new}.{method}`",
            f"`{method}` is a method of the objects of `{owner}`, and was called on the class itself.",
            applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
            why=doubt or "The method reads its object, and there is one way to have one.",
            prior=0.6 if doubt else 0.93,
        )


def _changes_part(method: ast.FunctionDef) -> bool:
    """Whether it may change what an object holds: `self.items.append(item)`, `self.items[0] = item`."""
    held = (
        n.value for n in ast.walk(method) if isinstance(n, ast.Attribute | ast.Subscript) and _is_changing(method, n)
    )
    return any(isinstance(n, ast.Attribute) and read_last_name(n.value) == "self" for n in held)


def _is_changing(method: ast.FunctionDef, part: ast.Attribute | ast.Subscript) -> bool:
    is_alone = any(
        isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and n.value.func is part for n in ast.walk(method)
    )
    return is_alone or not isinstance(part.ctx, ast.Load)


def _is_called(context: RuleContext, name: str) -> bool:
    """Whether the variable is another name of the class: something makes objects by it, asks whether one is of it, or makes a class from it."""
    for node in context.walk_notebook():
        match node:
            case ast.Call(func=ast.Name(id=called)) if called == name:
                return True
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kind]):
                asked = [kind]
            case ast.ClassDef(bases=[*asked]):
                pass
            case ast.ExceptHandler(type=ast.expr() as kind):
                asked = [kind]
            case ast.Compare():
                asked = [node.left, *node.comparators]
            case _:
                continue
        if any(isinstance(n, ast.Name) and n.id == name for part in asked for n in (part, *_list_elements(part))):
            return True
    return False


def _list_elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else []


def _explain_doubt(context: RuleContext, name: str, owner: str) -> str:
    """Why the class itself may be meant; empty where nothing but attributes of the variable are used."""
    read, plain, attributes = 0, 0, list[ast.Attribute]()
    for node in context.walk_notebook():
        match node:
            case ast.Name(id=used, ctx=ast.Load()) if used == name:
                read += 1
            case ast.Attribute(value=ast.Name(id=used)) if used in (name, owner):
                attributes.append(node)
                plain += used == name
            case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=used), *_]) if used == name:
                plain += called in OF_OBJECTS
    if read > plain:
        return "The variable is given to something that may take the class itself."
    by_variable = {n.attr for n in attributes if n.value.id == name and isinstance(n.ctx, ast.Store)}  # type: ignore[attr-defined]
    by_class = {n.attr for n in attributes if n.value.id == owner and isinstance(n.ctx, ast.Load)}  # type: ignore[attr-defined]
    return "What is set by the variable is read of the class." if by_variable & by_class else ""
