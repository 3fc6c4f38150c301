"""Mutation operators for parts of a statement that stand in each other's place, for a result that is dropped although something collects
results, and for what is asked once where it is to be counted."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import Change, Scope

_PARTS = ast.Name | ast.Call | ast.Subscript | ast.Attribute | ast.BinOp
MOST_PARTS = 10
"""Parts of a statement that are exchanged with each other."""


def propose_exchanged_parts(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``pairs[stack.pop()] != c`` for ``stack.pop() != pairs[c]``: two parts of a statement in each other's place."""
    roots: list[ast.AST]
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Expr) and node.value is not None:
        roots = [node.value]
    elif isinstance(node, ast.If | ast.While):
        roots = [node.test]
    else:
        return
    parts = [
        n
        for root in roots
        for n in ast.walk(root)
        if isinstance(n, _PARTS) and s.is_read(n) and n not in s.frozen and not s.is_called(n)
    ]
    for one, two in itertools.combinations(parts[: MOST_PARTS + 2], 2):
        first, second = s.text_of(one), s.text_of(two)
        spans = sorted([(s.start_of(one), s.end_of(one)), (s.start_of(two), s.end_of(two))])
        is_apart = spans[0][1] <= spans[1][0]
        if is_apart and first != second and not (isinstance(one, ast.Name) and isinstance(two, ast.Name)):
            edits = (s.replace_node(one, second), s.replace_node(two, first))
            prior = 0.4 if _is_key_of_other(s, one, two) or _is_key_of_other(s, two, one) else 0.12
            yield Change(edits, prior, node.lineno, f"`{first}` and `{second}` are exchanged")


def _is_key_of_other(s: Scope, key: ast.AST, side: ast.AST) -> bool:
    """Whether a key stands in what another side of a comparison is compared with: ``pairs[c]`` and ``stack.pop()``."""
    entry, compared = s.parents.get(key), s.parents.get(side)
    is_key = isinstance(entry, ast.Subscript) and entry.slice is key
    return is_key and isinstance(compared, ast.Compare) and s.parents.get(entry) is compared  # type: ignore[arg-type]


def propose_collected_result(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``out.extend(flatten(x))`` and ``total += count(x)`` for a call of a function of the program on a line of its own, whose result is dropped."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return
    called = node.value.func
    if not isinstance(called, ast.Name) or called.id not in {*s.functions, *s.hints.signatures}:
        return
    text = s.text_of(node.value)
    lists, sums = _list_collectors(s.find_function(node))
    forms = [(f"{n}.extend({text})", 0.6) for n in lists] + [(f"{n}.append({text})", 0.4) for n in lists]
    forms += [(f"{n} += {text}", 0.6) for n in sums]
    for new, prior in forms:
        edit = (s.start_of(node), s.end_of(node), new)
        yield Change((edit,), prior, node.lineno, f"the result of `{text}` is dropped")


def _list_collectors(function: ast.AST) -> tuple[dict[str, None], dict[str, None]]:
    """The lists that a function appends to, and the variables that it adds to."""
    lists: dict[str, None] = {}
    sums: dict[str, None] = {}
    for n in ast.walk(function):
        match n:
            case ast.Call(ast.Attribute(ast.Name(name), "append" | "extend" | "add")):
                lists[name] = None
            case ast.AugAssign(ast.Name(name), ast.Add()):
                sums[name] = None
            case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(other), ast.Add())) if name == other:
                sums[name] = None
    return lists, sums


def propose_counts_of_both(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``a.count(x) != b.count(x)`` for ``x not in b`` in a loop through ``a``: it is to be there as often."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.In | ast.NotIn) or len(node.ops) != 1:
        return
    item, whole = node.left, node.comparators[0]
    if not isinstance(item, ast.Name) or not isinstance(whole, ast.Name):
        return
    through = [
        p.iter
        for p in s.walk_upwards(node)
        if isinstance(p, ast.For) and isinstance(p.target, ast.Name) and p.target.id == item.id
    ]
    for other in (t.id for t in through if isinstance(t, ast.Name) and t.id != whole.id):
        one, two = f"{other}.count({item.id})", f"{whole.id}.count({item.id})"
        signs = (("==", 0.35), ("<=", 0.25)) if isinstance(node.ops[0], ast.In) else (("!=", 0.35), (">", 0.25))
        for sign, prior in signs:
            new = f"{one} {sign} {two}"
            yield Change(
                (s.replace_node(node, new),), prior, node.lineno, f"`{s.text_of(node)}` asks once, not how often"
            )


def propose_turned_queue(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs.insert(0, xs.pop())`` for ``xs.append(xs.pop(0))``, and the other way round: the list turns in the other direction."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(name), "append"), [ast.Call(ast.Attribute(ast.Name(own), "pop"), [ast.Constant(0)])]) if name == own:  # fmt: skip
            new = f"{name}.insert(0, {name}.pop())"
        case ast.Call(ast.Attribute(ast.Name(name), "insert"), [ast.Constant(0), ast.Call(ast.Attribute(ast.Name(own), "pop"), [])]) if name == own:  # fmt: skip
            new = f"{name}.append({name}.pop(0))"
        case _:
            return
    yield Change(((s.start_of(node), s.end_of(node), new),), 0.6, node.lineno, f"`{name}` turns in the other direction")


def propose_list_begun(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``groups[key] = [x]`` for ``groups[key] = x`` beside ``groups[key].append(x)``: what is appended to begins as a list."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Subscript):
        return
    entry = s.text_of(node.targets[0])
    forms = {"append": "[{}]", "extend": "[{}]", "add": "{{{}}}"}
    if isinstance(node.value, ast.List | ast.Set | ast.Dict | ast.ListComp):
        return
    for n in ast.walk(s.find_function(node)):
        if isinstance(n, ast.Attribute) and n.attr in forms and s.text_of(n.value) == entry:
            new = forms[n.attr].format(s.text_of(node.value))
            words = f"`{entry}` is added to, and begins as `{new}`"
            yield Change((s.replace_node(node.value, new),), 0.85, node.lineno, words)
            return


def propose_exchanged_entries(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``{")": "(", "]": "["}`` for ``{"(": ")", "[": "]"}``, which is asked for one of its values."""
    if not isinstance(node, ast.Dict) or len(node.keys) < 2:
        return
    keys = [n.value for n in node.keys if isinstance(n, ast.Constant)]
    values = [n.value for n in node.values if isinstance(n, ast.Constant)]
    if len(keys) < len(node.keys) or len(values) < len(keys) or len({type(v) for v in (*keys, *values)}) > 1:
        return
    if len({*keys, *values}) == 2 * len(keys):
        text = ", ".join(f"{s.text_of(v)}: {s.text_of(k)}" for k, v in zip(node.keys, node.values, strict=True) if k)
        words = "the keys and the values of the dictionary are exchanged"
        yield Change((s.replace_node(node, f"{{{text}}}"),), 0.5, node.lineno, words)


OPERATORS = (
    propose_list_begun,
    propose_exchanged_parts,
    propose_collected_result,
    propose_counts_of_both,
    propose_turned_queue,
    propose_exchanged_entries,
)
