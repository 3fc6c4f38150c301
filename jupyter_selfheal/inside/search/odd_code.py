"""What stands in a function and can hardly be meant, whatever its few checks say: the trace of a fault that none of them shows.

A variable that is worked out and read nowhere, a parameter that nothing asks for, a loop that leaves in its first round: in programs that are right
these are rare, and what is left of a second fault often looks so.
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from jupyter_selfheal.inside.parsing import parse_module
from jupyter_selfheal.inside.search.unrun_statements import has_run
from jupyter_selfheal.inside.tree_names import is_call_of, is_name

HARDLY_MEANT = "can hardly be meant"
"""How what is said of it ends: it speaks against that patch, and not against others that meet the same checks."""
_LEAVES = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_OPEN = frozenset({"locals", "vars", "eval", "exec", "super"})
"""Functions that read what is named nowhere."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_odd_code(text: str, ran: Collection[int], is_added: bool = False) -> str:
    """The first of it in a function of which some statements ``ran`` (their lines), in words; empty where there is none. Where a statement ``is_added``
    that reads one variable, another one that is read nowhere may be what was worked out beside it."""
    tree = parse_module(text)
    kept = {f for c in ast.walk(tree) if isinstance(c, ast.ClassDef) and c.bases for f in c.body}
    for function in (n for n in ast.walk(tree) if isinstance(n, Function)):
        if any(has_run(s, ran) for s in function.body):
            is_open = function in kept or function.name.startswith("__")
            said = itertools.chain(() if is_open else _list_unread(function, is_added), _list_odd_statements(function))
            if odd := next(said, ""):
                return f"{odd}, which {HARDLY_MEANT}"
    return ""


def _list_unread(function: Function, is_added: bool) -> Iterator[str]:
    """Parameters, and variables, that nothing reads: of a function all of whose names can be seen."""
    nodes = list(ast.walk(function))
    names = [n for n in nodes if isinstance(n, ast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    if read & _OPEN:
        return
    shared = {name for n in nodes if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    known = read | shared | {"self", "cls"}
    yield from (f"the parameter `{name}` is read nowhere" for name in _list_parameters(function, known))
    if is_added:
        return
    targets = [t for n in nodes if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in nodes if isinstance(n, ast.AugAssign | ast.AnnAssign) and n.value is not None]
    for target in targets:
        if isinstance(target, ast.Name) and target.id not in known and target.id[0] != "_":
            yield f"`{target.id}` is set and read nowhere"


def list_unread_parameters(text: str) -> set[str]:
    """The parameters that the functions of a text are given and do not read."""
    functions = [n for n in ast.walk(parse_module(text)) if isinstance(n, Function)]
    return {
        name for f in functions for name in _list_parameters(f, {n.id for n in ast.walk(f) if isinstance(n, ast.Name)})
    }


def _list_parameters(function: Function, known: Collection[str]) -> Iterator[str]:
    """The parameters that are none of these names, but for what is left unread by its name."""
    names = (parameter.arg for parameter in function.args.args)
    return (name for name in names if name not in known and name[0] != "_")


def find_idle_question(text: str, unread: Collection[str], one_way: Collection[str]) -> str:
    """The first of the ``unread`` parameters that a function now reads only in a condition which every check has ``one_way``, in words: `x if flag is
    None else y`, with which the checks say as little of it as without."""
    for asked in one_way:
        name = next((n.id for n in ast.walk(parse_module(asked)) if isinstance(n, ast.Name) and n.id in unread), "")
        if name and sum(is_name(n, name) for n in ast.walk(parse_module(text))) == 1:
            return f"the parameter `{name}` is read in `{asked}` alone, which every check has the same way and {HARDLY_MEANT}"
    return ""


def _list_odd_statements(function: Function) -> Iterator[str]:
    stored = Counter(n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            for statement, below in itertools.pairwise(block if isinstance(block, list) else ()):
                if isinstance(statement, _LEAVES):
                    yield f"nothing comes to `{_cut(below)}`"
                elif _takes_same_length(statement, below, stored):
                    yield f"`{_cut(below)}` takes one length twice"
        if isinstance(node, _LOOPS) and len(node.body) > 1 and isinstance(node.body[-1], ast.Return | ast.Break):
            if not any(isinstance(n, ast.Continue) for n in ast.walk(node)):
                yield f"`{_cut(node)}` has one round"
        elif isinstance(node, ast.If) and list(map(ast.unparse, node.body)) == list(map(ast.unparse, node.orelse)):
            yield f"`{_cut(node)}` does the same both ways"
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            sizes = [ast.unparse(v) for v in node.value.elts if is_call_of(v, "len")]
            if len(set(sizes)) < len(sizes):
                yield f"`{_cut(node)}` takes one length twice"


def _takes_same_length(statement: ast.stmt, below: ast.stmt, stored: Mapping[str, int]) -> bool:
    """``n = len(a)`` above ``m = len(a)``, of which neither is counted on from there."""
    match statement, below:
        case ast.Assign([ast.Name(one)], first), ast.Assign([ast.Name(other)], second):
            is_kept = one != other and stored[one] == stored[other] == 1
            return is_kept and is_call_of(first, "len") and ast.unparse(first) == ast.unparse(second)
    return False


def _cut(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]
