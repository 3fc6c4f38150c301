"""Mutation operators for what is to be left out, or looked at only where it is there: an index behind the end, letters that do not count."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import TEXT, Change, Scope

_LETTERS = (("isalpha", 0.3), ("isalnum", 0.2), ("isdigit", 0.2))


def propose_index_guard(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``i + 1 < len(xs) and xs[i] < xs[i + 1]``: in the last round there is no next item, and in the first one none before."""
    if not isinstance(node, ast.If | ast.While | ast.IfExp):
        return
    test = node.test
    asked = "".join(s.text_of(test).split())
    for part in ast.walk(test):
        match part:
            case ast.Subscript(ast.Name(whole), ast.BinOp(ast.Name(index), ast.Add(), ast.Constant(int()))):
                place = s.text_of(part.slice)
                guard, known = f"{place} < len({whole})", "".join(f"{place}<len({whole})".split())
            case ast.Subscript(ast.Name(), ast.BinOp(ast.Name(index), ast.Sub(), ast.Constant(int(step)))):
                guard, known = (
                    (f"{index} > 0", f"{index}>0") if step == 1 else (f"{index} >= {step}", f"{index}>={step}")
                )
            case _:
                continue
        if known not in asked:
            new = f"{guard} and {s.parenthesize(test)}"
            yield Change((s.replace_node(test, new),), 0.4, test.lineno, f"`{s.text_of(test)}` lacks `{guard}`")


def propose_end_guard(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``while j < len(xs) and xs[j] == x`` for ``while xs[j] == x``, where each round steps ``j``: the list ends at some time. And so of
    ``xs[i + j]``."""
    if not isinstance(node, ast.While):
        return
    stepped = {name for n in node.body if (name := _read_step(n))}
    asked = "".join(s.text_of(node.test).split())
    for part in ast.walk(node.test):
        match part:
            case ast.Subscript(ast.Name(whole), ast.Name(index)) if index in stepped and f"len({whole})" not in asked:
                guard = f"{index} < len({whole})"
            case ast.Subscript(ast.Name(whole), ast.BinOp(ast.Name(one), ast.Add(), ast.Name(other)) as place) if {
                one,
                other,
            } & stepped and f"len({whole})" not in asked:
                guard = f"{s.text_of(place)} < len({whole})"
            case _:
                continue
        new = f"{guard} and {s.parenthesize(node.test)}"
        yield Change((s.replace_node(node.test, new),), 0.7, node.lineno, f"`{s.text_of(node.test)}` lacks `{guard}`")


def _read_step(node: ast.stmt) -> str:
    """The name that ``i += 1`` or ``i = i + 1`` steps."""
    match node:
        case ast.AugAssign(ast.Name(name)):
            return name
        case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(own), ast.Add() | ast.Sub())) if own == name:
            return name
    return ""


def propose_empty_stack(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if not stack: return False`` before ``stack.pop()`` in a loop, and ``return not stack`` for ``return True``: what is left on it says something."""
    if not isinstance(node, ast.FunctionDef):
        return
    answers = [
        n
        for n in ast.walk(node)
        if isinstance(n, ast.Return) and isinstance(n.value, ast.Constant) and isinstance(n.value.value, bool)
    ]
    whole = answers[-1] if answers and answers[-1] is node.body[-1] else None
    for part in ast.walk(node):
        match part:
            case ast.Assign([_], ast.Call(ast.Attribute(ast.Name(stack), "pop"), [], [])) | ast.Expr(
                ast.Call(ast.Attribute(ast.Name(stack), "pop"), [], [])
            ) if answers and s.is_in_loop(part) and s.read_indent(part) is not None:
                pass
            case _:
                continue
        start, indent = s.find_line_span(part)[0], s.read_indent(part)
        guard = (start, start, f"{indent}if not {stack}:\n{indent}    return False\n")
        words = f"`{stack}` may be empty before `{stack}.pop()`"
        yield Change((guard,), 0.7, part.lineno, words)
        if whole is not None and s.text_of(whole) == "return True":
            left = s.replace_node(whole.value, f"not {stack}") if whole.value is not None else guard
            yield Change((left,), 0.6, whole.lineno, f"what is left in `{stack}` at the end is asked nowhere")
            yield Change(tuple(sorted((guard, left))), 0.6, part.lineno, f"{words}, and must be at the end")
        return


def propose_value_of_default(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if h is None: h = w`` where ``h`` is None unless it is given, and nothing asks whether it was."""
    if not isinstance(node, ast.FunctionDef) or s.read_indent(node.body[0]) is None:
        return
    names = [a.arg for a in node.args.args]
    first = (
        node.body[1] if s.is_doc(getattr(node.body[0], "value", None) or node) and len(node.body) > 1 else node.body[0]
    )
    at, indent = s.find_line_span(first)[0], s.read_indent(first)
    optional = zip(names[len(names) - len(node.args.defaults) :], node.args.defaults, strict=True)
    for name in (n for n, d in optional if isinstance(d, ast.Constant) and d.value is None):
        asked = [n for n in ast.walk(node) if isinstance(n, ast.Compare) and s.text_of(n.left) == name]
        if asked or indent is None:
            continue
        others = [(other, 0.5) for other in names if other not in (name, "self")]
        for value, prior in (*others, ("[]", 0.4), ("{}", 0.3), ("0", 0.3), ("1", 0.3), ("''", 0.25)):
            text = f"{indent}if {name} is None:\n{indent}    {name} = {value}\n"
            words = f"`{name}` is None where it is not given: `{value}` may be meant"
            yield Change(((at, at, text),), prior, first.lineno, words)


def propose_plain_parameter(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``def mean(xs)`` for ``def mean(*xs)``, which makes a list of one list."""
    match node:
        case ast.FunctionDef(args=ast.arguments([], [], ast.arg(name), [], [], None, [])):
            start = s.text.index("*", s.text.index("(", s.start_of(node)))
            words = f"`*{name}` puts the list that is given into another one"
            yield Change(((start, start + 1, ""),), 0.4, node.lineno, words)


def propose_letters(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[c for c in text if c.isalpha()]`` where nothing is left out, or only what is a space: spaces and signs may not count."""
    if isinstance(node, ast.Compare):
        yield from _propose_all_signs(s, node)
    if not isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp) or len(node.generators) != 1:
        return
    loop = node.generators[0]
    if loop.ifs or not isinstance(loop.target, ast.Name) or s.infer_kinds(loop.iter) != {TEXT}:
        return
    name, end = loop.target.id, s.end_of(loop.iter)
    for method, prior in _LETTERS:
        condition = f"{name}.{method}()"
        words = f"`{s.text_of(node)}` lacks the condition `{condition}`"
        yield Change(((end, end, f" if {condition}"),), prior, node.lineno, words)


def _propose_all_signs(s: Scope, node: ast.Compare) -> Iterator[Change]:
    """``c.isalpha()`` for ``c != " "``, and ``not c.isalpha()`` for ``c == " "``: other signs count no more than a space does."""
    match node:
        case ast.Compare(ast.Name(name), [ast.NotEq() | ast.Eq() as op], [ast.Constant(" ")]):
            turned = "" if isinstance(op, ast.NotEq) else "not "
        case _:
            return
    for method in ("isalpha", "isalnum"):  # whether digits count is told by a check with one, and by nothing else
        new = f"{turned}{name}.{method}()"
        yield Change((s.replace_node(node, new),), 0.3, node.lineno, f"`{s.text_of(node)}` should be `{new}`")


def propose_last_place(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``high = len(xs) - 1`` for ``high = len(xs)``: the last place, and not the one behind it."""
    match node:
        case ast.Assign(value=ast.Call(ast.Name("len"), [_]) as size):
            sizes = [size]
        case ast.Assign(value=ast.Tuple(parts)):
            sizes = [p for p in parts if isinstance(p, ast.Call) and s.text_of(p.func) == "len"]
        case _:
            return
    for size in sizes:
        new = f"{s.text_of(size)} - 1"
        yield Change((s.replace_node(size, new),), 0.5, size.lineno, f"`{s.text_of(size)}` should be `{new}`")


def propose_item_of_unread(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``total += days[m]`` for ``total += m`` where ``days`` is a list that nothing reads, and ``m`` counts."""
    if not isinstance(node, ast.For) or not isinstance(node.target, ast.Name):
        return
    function = s.find_function(node)
    read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    lists = [
        n.targets[0].id
        for n in ast.walk(function)
        if isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Name)
        and isinstance(n.value, ast.List | ast.Tuple | ast.Dict)
    ]
    index = node.target.id
    for whole in dict.fromkeys(name for name in lists if name not in read):
        for use in (n for stmt in node.body for n in ast.walk(stmt)):
            if isinstance(use, ast.Name) and use.id == index and isinstance(use.ctx, ast.Load):
                new = f"{whole}[{index}]"
                yield Change((s.replace_node(use, new),), 0.6, use.lineno, f"`{index}` should be `{new}`")


def propose_list_of_one(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return [items]`` for ``return items`` in a function that calls itself: the one way that there is, and not its parts."""
    if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Name):
        return
    function = s.find_function(node)
    name = getattr(function, "name", "")
    calls = (n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    others = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n is not node]
    if name in calls and others:
        new = f"[{node.value.id}]"
        yield Change((s.replace_node(node.value, new),), 0.35, node.lineno, f"`{node.value.id}` should be `{new}`")


def propose_reversed(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs[::-1]`` for ``xs[:-1]`` and ``xs[-1:]``: a colon too few, or in the wrong place."""
    match node:
        case ast.Subscript(_, ast.Slice(lower, upper, None)) if (lower is None) != (upper is None):
            end = s.text_of(lower or upper or node)
            if end == "-1":
                new = f"{s.parenthesize(node.value)}[::-1]"
                yield Change((s.replace_node(node, new),), 0.45, node.lineno, f"`{s.text_of(node)}` should be `{new}`")


OPERATORS = (
    propose_reversed,
    propose_list_of_one,
    propose_index_guard,
    propose_end_guard,
    propose_empty_stack,
    propose_value_of_default,
    propose_plain_parameter,
    propose_letters,
    propose_last_place,
    propose_item_of_unread,
)
