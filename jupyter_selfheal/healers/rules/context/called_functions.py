"""The calls of a function or a method of the notebook: of a method only those whose receiver is known to be of the class that defines it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name
from jupyter_selfheal.healers.rules.context.objects import ObjectInfo
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

_BINDING = {"staticmethod": 0, "classmethod": 1}


@dataclass(frozen=True, slots=True)
class Place:
    """A function of a cell, or a method of the class ``owner``; an empty ``name`` is the cell's top level."""

    name: str = ""
    owner: str = ""

    def __bool__(self) -> bool:
        return bool(self.name)


@dataclass(frozen=True, slots=True)
class Called:
    """A function with its calls in the cells that ran, each with its cell. ``is_sure``: there is no call of that name whose receiver is not
    known, nor was one another object before."""

    definition: ast.FunctionDef
    calls: tuple[tuple[str, ast.Call], ...]
    bound: int
    """How many parameters are given by the receiver."""
    is_sure: bool

    def list_given(self, parameter: str) -> list[ast.expr]:
        """What the calls give for a parameter."""
        arguments = self.definition.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][self.bound :]
        at = names.index(parameter) if parameter in names else len(names)
        given = [call.args[at] for _, call in self.calls if parameter in names and at < len(call.args)]
        return given + [k.value for _, call in self.calls for k in call.keywords if k.arg == parameter]

    def has_own(self, name: str) -> bool:
        """Whether the function has a variable of that name."""
        nodes = list(ast.walk(self.definition))
        stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        return name in stored or any(isinstance(n, ast.arg) and n.arg == name for n in nodes)


def walk_with_places(statement: ast.stmt) -> Iterator[tuple[Place, ast.AST]]:
    """Every node of a statement of a cell, once, with the function or the method of a class that it is in."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from ((Place(node.name), inner) for inner in ast.walk(node))
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield from ((Place(method.name, node.name), inner) for inner in ast.walk(method))
        else:
            yield Place(), node
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def find_called(context: RuleContext, cell_id: str, place: Place) -> Called | None:
    """The function at a place with its calls; None where it is not the only one of its name, so that a call may mean another."""
    mine = _list_definitions(context.source_of(cell_id), place)
    cells = (*(c.id for c in context.notebook.list_code_before(context.failure.cell_id)), context.failure.cell_id)
    sources = {c: context.source_of(c) for c in cells}
    if len(mine) != 1 or (place.owner and sum(len(_list_definitions(s, place)) for s in sources.values()) > 1):
        return None
    calls = [(c, n) for c, source in sources.items() for n in src.walk(source) if isinstance(n, ast.Call)]
    if not place.owner:
        named = [(c, n) for c, n in calls if isinstance(n.func, ast.Name) and n.func.id == place.name]
        return Called(mine[0], tuple(named), 0, is_sure=True)
    return _find_called_method(context, mine[0], place, calls)


def _find_called_method(
    context: RuleContext, method: ast.FunctionDef, place: Place, calls: list[tuple[str, ast.Call]]
) -> Called:
    """A method with those of the calls of its name that are its own."""
    named = [(c, n, n.func.value) for c, n in calls if isinstance(n.func, ast.Attribute) and n.func.attr == place.name]
    decorators = {read_dotted_name(d) or "" for d in method.decorator_list}
    bound = next((_BINDING[d] for d in decorators if d in _BINDING), 1)
    chains = sorted({chain for _, _, receiver in named if (chain := read_dotted_name(receiver))})
    known = dict(zip(chains, context.describe_all(chains), strict=True))
    own, is_sure, once = [], True, _list_assigned_once(context)
    for cell_id, call, receiver in named:
        chain = read_dotted_name(receiver) or ""
        is_made = isinstance(receiver, ast.Call) and read_dotted_name(receiver.func) == place.owner
        is_class = chain == place.owner and not decorators.isdisjoint(_BINDING)
        info = known.get(chain, ObjectInfo())
        is_own = bool(info.mro) and info.mro[0].rpartition(".")[2] == place.owner
        if is_made or is_class or is_own:
            own.append((cell_id, call))
        is_kept = is_own and chain.partition(".")[0] in once  # else it may have been another object when it was called
        is_sure = is_sure and (is_made or is_kept or (bool(info.type) and not info.is_a(place.owner)))
    return Called(method, tuple(own), bound, is_sure)


def _list_assigned_once(context: RuleContext) -> set[str]:
    """Names that one assignment of a cell's top level binds, and nothing else."""
    cells = (*(c.id for c in context.notebook.list_code_before(context.failure.cell_id)), context.failure.cell_id)
    sources = [context.source_of(c) for c in cells]
    names = (n for source in sources for n in src.walk(source) if isinstance(n, ast.Name))
    bound = Counter(n.id for n in names if isinstance(n.ctx, ast.Store))
    assigned = (s.node for source in sources for s in src.list_statements(source))
    targets = (t for node in assigned if isinstance(node, ast.Assign) for t in node.targets)
    return {t.id for t in targets if isinstance(t, ast.Name) and bound[t.id] == 1}


def _list_definitions(source: str, place: Place) -> list[ast.FunctionDef]:
    """The functions of a place's name in a cell: the methods of its class, or the functions that are of no class."""
    statements = [s.node for s in src.list_statements(source)]
    found = (n for s in statements for at, n in walk_with_places(s) if at == place)
    return [n for n in found if isinstance(n, ast.FunctionDef) and n.name == place.name]
