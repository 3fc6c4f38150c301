"""Names that nothing binds where they are read, though the value is there: another variable is overwritten by it (``f = (f - 32) * 5 / 9``
and then ``print(f, c)``), or another name was meant, as the error of the run says (``y = str(rev)`` above ``rev = y[::-1]``)."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.reading_changes import find_span
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.tree_names import holds_name, list_defined_names, list_names, list_read_names, walk

OTHERS = 6
"""Names that are tried in place of one that a run did not find: what is never read, and what was set last, before others."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def list_renamed_targets(tree: ast.Module, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """The first of these. ``known`` are names that exist apart from the tree."""
    missing = list_read_names(tree) - list_defined_names(tree) - known - set(dir(builtins))
    for scope in (n for n in walk(tree) if isinstance(n, ast.Module | _Function)):
        yield from _rename_targets(scope, table, missing)


def _rename_targets(scope: ast.Module | _Function, table: LineTable, missing: Collection[str]) -> Iterator[Change]:
    """A variable that is set a second time, where the other of the two is what a name means that nothing binds."""
    owned = list(_walk_scope(scope))
    stored = [n.id for n in owned if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    stored += [a.arg for a in ast.walk(scope.args) if isinstance(a, ast.arg)] if isinstance(scope, _Function) else []
    targets = [n.targets[0] for n in owned if isinstance(n, ast.Assign) and len(n.targets) == 1]
    twice = [t for t in targets if isinstance(t, ast.Name) and stored.count(t.id) > 1]
    dead = _find_overwritten(owned) if twice and missing else set[int]()
    for name in sorted(missing):
        last = max((n.lineno for n in owned if isinstance(n, ast.Name) and n.id == name), default=0)
        for target in (t for t in twice if t.lineno < last):
            is_dead = id(target) in dead
            words = f"`{target.id}` is set a second time, and stands for `{name}`"
            kind, prior = ("name", 0.75) if is_dead else ("guess", 0.6)
            yield Change(((*find_span(target, table), name),), prior, target.lineno, words, kind)  # type: ignore[arg-type]


def _find_overwritten(owned: Sequence[ast.AST]) -> set[int]:
    """The targets of a block that are set anew further down in it, and not read before."""
    dead: set[int] = set()
    for node in owned:
        for block in (getattr(node, field, None) for field in ("body", "orelse")):
            for one, *below in (block[n:] for n in range(len(block))) if isinstance(block, list) else ():
                if not isinstance(one, ast.Assign) or not isinstance(target := one.targets[0], ast.Name):
                    continue
                touching = next((s for s in below if target.id in list_names(s)), None)
                if isinstance(touching, ast.Assign) and target.id not in list_read_names(touching):
                    dead.add(id(target))
    return dead


def list_lost_reads(tree: ast.Module, table: LineTable, lost: tuple[str, int]) -> Iterator[Change]:
    """What may stand for a name that a run did not find in some line (``lost``), as the error said: a name of an inner scope, or one that is
    set too late, is there for whoever only lists names. A called one is a function of the cell, another one a variable in sight."""
    name, line = lost
    scopes = [n for n in ast.walk(tree) if isinstance(n, ast.Module | _Function)]
    sights = [(scope, _list_reads(scope, name)) for scope in scopes]
    scope, reads = next((s for s in sights if any(n.lineno == line for n in s[1])), (tree, []))
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    is_called = any(id(n) in called for n in reads if n.lineno == line)
    reads = [n for n in reads if (id(n) in called) == is_called]
    if name in (own := _list_set(scope)):  # set in another line, and read well behind it
        reads = [n for n in reads if n.lineno == line]
    gathered = _list_gathered(scope, name)
    reads = [n for n in reads if id(n) not in gathered]
    functions = [n.name for n in ast.walk(tree) if isinstance(n, _Function)]
    around = _list_set(tree) if scope is not tree else {}
    others = functions if is_called else [*reversed(own), *reversed(around)]
    used = list_read_names(tree)
    likely = sorted(dict.fromkeys(o for o in others if o != name), key=lambda o: o in used)[:OTHERS]
    edits = [find_span(n, table) for n in reads]
    for place, other in enumerate(likely if edits else ()):
        words = f"`{name}` is not there in line {line}, and stands for `{other}`"
        yield Change(tuple(sorted((*span, other) for span in edits)), 0.75 - 0.04 * place, line, words)


def _list_gathered(scope: ast.Module | _Function, name: str) -> set[int]:
    """Where a loop adds to a variable (``total = total + x``): what nothing begins, and no other variable is meant."""
    loops = (n for n in _walk_scope(scope) if isinstance(n, ast.For | ast.While))
    found: set[int] = set()
    for node in (n for loop in loops for n in ast.walk(loop)):
        match node:
            case ast.Assign([ast.Name(target)], ast.BinOp() as value) if target == name:
                found |= {id(n) for n in ast.walk(value) if isinstance(n, ast.Name) and n.id == name}
    return found


def _list_reads(scope: ast.Module | _Function, name: str) -> list[ast.Name]:
    """Where a scope reads a name, in the order of the lines; a comprehension that binds it reads its own."""
    nodes = list(_walk_scope(scope))
    inner = {
        id(n)
        for comprehension in nodes
        if isinstance(comprehension, _Comprehension)
        and any(holds_name(g.target, name) for g in comprehension.generators)
        for n in ast.walk(comprehension)
    }
    found = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inner)
    return sorted((n for n in found if n.id == name), key=lambda n: n.lineno)


def _list_set(scope: ast.Module | _Function) -> dict[str, int]:
    """The variables that are set in a scope and the parameters, with their first lines, in that order: not those of comprehensions."""
    inner = {id(t) for n in _walk_scope(scope) if isinstance(n, ast.comprehension) for t in ast.walk(n.target)}
    begins = [(scope.lineno, a.arg) for a in ast.walk(scope.args) if isinstance(a, ast.arg)] if isinstance(scope, _Function) else []  # fmt: skip
    names = (n for n in _walk_scope(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    begins += [(n.lineno, n.id) for n in names if id(n) not in inner]
    first: dict[str, int] = {}
    for line, name in sorted(begins):
        first.setdefault(name, line)
    return first


def _walk_scope(scope: ast.Module | _Function) -> Iterator[ast.AST]:
    """The nodes of a scope, not those of the functions and classes in it."""
    rest: list[ast.AST] = [scope]
    while rest:
        node = rest.pop()
        yield node
        inner = (c for c in ast.iter_child_nodes(node) if not isinstance(c, _Function | ast.ClassDef | ast.Lambda))
        rest.extend(inner)
