"""Which names stand for a table, and which for what was made of it: by assignments, chains of methods, and calls that are given it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.source.rerun import DEFINITIONS


def find_shared(names: Iterable[str], above: Iterable[str], failed: str) -> frozenset[str]:
    """The names, and those that stand for the very objects of them or hold these below the cells ``above``: ``a`` of ``df = a``, and of ``tables = [a, b]``.

    ``failed`` is the cell whose loops also name them: ``for table in tables: table.columns = …``.
    """
    objects: dict[str, frozenset[object]] = {}

    def find_objects(some: Iterable[str]) -> frozenset[object]:
        return frozenset().union(*(objects.get(name, {name}) for name in some))

    loops = [n for n in src.walk(failed) if isinstance(n, ast.For | ast.AsyncFor)]
    for statement in (*(s.node for text in above for s in src.list_statements(text)), *loops):
        for targets, value in _list_bindings(statement):
            is_loop = value is getattr(statement, "iter", None)
            held = find_objects(_find_origins(value) if is_loop else _list_bare_names(value)) or frozenset((object(),))
            kept = frozenset[object]() if _is_plain(statement) else find_objects(targets)
            objects |= dict.fromkeys(targets, held | kept)
    wanted = find_objects(names)
    unbound = {name for name in wanted if isinstance(name, str) and name not in objects}
    return frozenset(names) | unbound | {name for name, those in objects.items() if those & wanted}


def find_made(names: Iterable[str], below: Iterable[ast.stmt]) -> frozenset[str]:
    """The names behind the statements ``below`` that stand for what the ``names`` stood for above them, or for what was made of it.

    ``b`` of ``b = a.dropna()``, ``b = pd.concat([a, c])``, ``tables["b"] = a``; not of ``b = c[c.id.isin(a.id)]``, nor what is bound anew.
    """
    made = set(names)
    for statement in below:
        if isinstance(statement, DEFINITIONS):
            if made.isdisjoint(src.find_free_names(statement)):
                made.discard(statement.name)
            else:
                made.add(statement.name)
            continue
        for targets, value in _list_bindings(statement):
            if not made.isdisjoint(_find_origins(value)):
                made.update(targets)
            elif _is_plain(statement):
                made.difference_update(targets)
        for node in ast.walk(statement):
            match node:
                case ast.Assign(targets=[ast.Subscript() as holder], value=ast.Name(id=name)) if name in made:
                    made.add(src.find_root_name(holder))
                case ast.Call(ast.Attribute(holder, "append" | "extend"), [ast.Name(id=name)]) if name in made:
                    made.add(src.find_root_name(holder))
    return frozenset(made)


def _is_plain(statement: ast.stmt) -> bool:
    """Whether a statement only binds: what it binds is then certainly another object."""
    return isinstance(statement, ast.Assign | ast.AnnAssign)


def _list_bindings(statement: ast.stmt) -> Iterator[tuple[frozenset[str], ast.expr]]:
    """The names that the parts of a statement bind, in the order of its lines, with what to."""
    pairs: list[tuple[list[ast.expr], ast.expr]] = []
    for node in ast.walk(statement):
        match node:
            case ast.Assign(targets, value):
                pairs.append((targets, value))
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.NamedExpr(target, value)
                | ast.For(target, value)
                | ast.AsyncFor(target, value)
            ):
                pairs.append(([target], value))
            case ast.withitem(value, ast.expr() as target):
                pairs.append(([target], value))
    for targets, value in sorted(pairs, key=lambda pair: pair[1].lineno):
        nodes = (n for target in targets for n in ast.walk(target))
        yield frozenset(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)), value


def _list_bare_names(value: ast.expr) -> list[str]:
    """``a`` of ``a``; ``a`` and ``b`` of ``[a, b]`` and of ``{"x": a, "y": b}``."""
    parts = getattr(value, "elts", getattr(value, "values", [value]))
    return [part.id for part in parts if isinstance(part, ast.Name)]


def _find_origins(value: ast.expr) -> Iterator[str]:
    """The names whose values an expression goes on with: not those by which rows are chosen, nor a table of which a call is given a column."""
    stack: list[ast.AST] = [value]
    while stack:
        match node := stack.pop():
            case ast.Name(id=name, ctx=ast.Load()):
                yield name
            case ast.Subscript(value=owner):
                stack.append(owner)
            case ast.Call(func, args, keywords):
                given = (*args, *(k.value for k in keywords))
                stack += [func, *(g for g in given if not isinstance(g, ast.Attribute | ast.Subscript))]
            case ast.expr() | ast.comprehension():
                stack += ast.iter_child_nodes(node)
