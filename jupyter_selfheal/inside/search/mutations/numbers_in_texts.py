"""Mutation operators for texts of which the numbers are meant, and for texts in which a pattern is not found."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope
from jupyter_selfheal.inside.tree_names import holds_name, is_method_call, read_called_name

_KINDS = (("int", 0.9), ("float", 0.6))
_PARTS = frozenset({"split", "groups", "partition", "findall"})
"""Methods that give several texts."""
_PICKS = frozenset({"max", "min", "sum", "sorted"})
_OF_NUMBERS = frozenset({"abs", "date", "datetime", "divmod", "max", "min", "pow", "range", "round", "sqrt", "sum", "time", "timedelta"})  # fmt: skip
"""Functions that are given numbers."""
_FINDING = frozenset({"search", "match", "fullmatch"})
"""Methods of `re`, and of a pattern, that give None where there is nothing to be found."""
NOT_FOUND = "nothing there is nothing to read"
"""The words of a change that leaves such texts out."""
LEFT_OUT = "it is left out then"
"""The words of a change that leaves records without a value out of a list, of whose others a sum is the same with a 0 for each."""
UNASKED = 0.4
"""How much less likely numbers are meant where the parts are only added or compared, as texts are, too."""


def propose_numbers(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``h, m = map(int, clock.split(":"))``; ``max(map(int, line.split()))``; ``key=lambda ip: [*map(int, ip.split("."))]``."""
    whole = "map({}, {})"
    match node:
        case ast.keyword("key", ast.Lambda(_, ast.Call() as call)) if _gives_parts(call):
            share, whole = 1.0, "[*map({}, {})]"
        case ast.Assign([ast.Tuple(names)], ast.Call() as call) if _gives_parts(call):
            share = _weigh_reckoning(s, node, {n.id for n in names if isinstance(n, ast.Name)})
        case ast.Call(ast.Name(name), [ast.Call() as call]) if name in _PICKS and _gives_parts(call):
            share = 1.0
        case _:
            return
    for kind, prior in _KINDS if share else ():
        new = whole.format(kind, s.text_of(call))
        edit = (s.start_of(call), s.end_of(call), new)
        yield Change((edit,), prior * share, node.lineno, f"the numbers in `{s.text_of(call)}` are meant: `{new}`")


def propose_found_ones(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[int(re.search(p, t)[1]) for t in texts if re.search(p, t)]``: texts without it are left out."""
    if not isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
        return
    call = _find_search(s, [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])
    if call:
        last = node.generators[-1]
        end = s.end_of(last.ifs[-1] if last.ifs else last.iter)
        yield Change(((end, end, f" if {call}"),), 0.6, node.lineno, _describe(call))


def propose_found_rounds(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if re.search(p, t):`` above the only statement of a loop that reads of it."""
    if not isinstance(node, ast.For) or len(node.body) != 1:
        return
    (statement,) = node.body
    if call := _find_search(s, [statement]):
        start, end = s.start_of(statement), s.end_of(statement)
        inner = " " * (statement.col_offset + 4)
        body = s.text[start:end].replace("\n", "\n    ")
        yield Change(((start, end, f"if {call}:\n{inner}{body}"),), 0.6, statement.lineno, _describe(call))


def propose_given_ones(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[float(r["x"]) for r in rows if r["x"] is not None]``: what is missing is left out."""
    match node:
        case ast.ListComp(
            ast.Call(ast.Name("int" | "float"), [read], []), [ast.comprehension(ast.Name(name)) as loop]
        ) | ast.GeneratorExp(
            ast.Call(ast.Name("int" | "float"), [read], []), [ast.comprehension(ast.Name(name)) as loop]
        ) if not loop.ifs and holds_name(read, name) and not isinstance(read, ast.Name):
            end, text = s.end_of(loop.iter), s.text_of(read)
            is_summed = s.text[: s.start_of(node)].endswith("sum")  # of a list it may be asked later how many there are
            words = f"`{text}` may be missing: {'it is passed over' if is_summed else LEFT_OUT}"
            yield Change(((end, end, f" if {text} is not None"),), 0.5, loop.iter.lineno, words)


def _find_search(s: Scope, nodes: Iterable[ast.AST]) -> str:
    """The one search for a pattern of whose find something is read at once; empty where there is none, or several."""
    read = (n.value for node in nodes for n in ast.walk(node) if isinstance(n, ast.Attribute | ast.Subscript))
    calls = {
        s.text_of(n) for n in read if isinstance(n, ast.Call) and any(is_method_call(n, name) for name in _FINDING)
    }
    return calls.pop() if len(calls) == 1 else ""


def _describe(call: str) -> str:
    return f"where `{call}` finds {NOT_FOUND}"


def _gives_parts(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _PARTS


def _weigh_reckoning(s: Scope, node: ast.AST, names: set[str]) -> float:
    """How likely all the names are numbers, by what is reckoned with them where they are bound: a product, a quotient, a difference or a power says so,
    a sum or an order may be one of texts; 0 where one of them is not reckoned with (a postcode)."""
    nodes = [*ast.walk(s.find_function(node) or s.tree)]
    meant = {n.id for outer in nodes for n in _list_operands(outer) if isinstance(n, ast.Name)}
    if not {n for n in names if not n.startswith("_")} <= meant:
        return 0.0
    told = (n for n in nodes if isinstance(n, ast.BinOp) and not isinstance(n.op, ast.Add | ast.Mod))
    return 1.0 if any(isinstance(o, ast.Name) and o.id in names for n in told for o in (n.left, n.right)) else UNASKED


def _list_operands(node: ast.AST) -> list[ast.expr]:
    """What a node reckons with, or orders."""
    match node:
        case ast.BinOp(ast.Constant(str()), ast.Mod()):
            return []
        case ast.BinOp(left, _, right):
            return [left, right]
        case ast.AugAssign(value=value) | ast.UnaryOp(ast.USub(), value):
            return [value]
        case ast.Compare(left, [ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE(), *_], compared):
            return [part for o in (left, *compared) for part in (o.elts if isinstance(o, ast.Tuple) else [o])]
        case ast.Call(_, args) if read_called_name(node) in _OF_NUMBERS:
            return args
    return []


OPERATORS = (propose_numbers, propose_found_ones, propose_found_rounds, propose_given_ones)
"""All of them."""
