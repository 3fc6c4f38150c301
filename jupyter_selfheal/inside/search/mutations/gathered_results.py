"""Mutation operators for a result that is gathered in a loop or by recursion: where it begins, what is put into it, and what is left at the
end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import ITEMS, Change, Scope

_LOOPS = ast.For | ast.While
_EMPTY = ("[]", "list()")


def _find_loop(s: Scope, node: ast.AST) -> ast.For | ast.While | None:
    return next((p for p in s.walk_upwards(node) if isinstance(p, _LOOPS)), None)


def _indent_block(s: Scope, stmt: ast.stmt) -> str:
    start, end, _ = s.find_line_span(stmt)
    text = s.text[start:end]
    return "".join(f"    {line}" for line in text.splitlines(keepends=True)) + ("" if text.endswith("\n") else "\n")


def propose_begun_once(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if key not in groups: groups[key] = []`` for ``groups[key] = []`` in a loop, which drops what was gathered under the key before."""
    match node:
        case ast.Assign([ast.Subscript(ast.Name(name), key)], value) if _find_loop(s, node) is not None:
            pass
        case _:
            return
    indent = s.read_indent(node)
    if indent is None or s.text_of(node.targets[0]) in s.text_of(value):
        return
    following = s.find_next_statement(node)
    is_filled = following is not None and s.text_of(node.targets[0]) in s.text_of(following)
    start, end, _ = s.find_line_span(node)
    test = f"{s.text_of(key)} not in {name}"
    edit = (start, end, f"{indent}if {test}:\n{_indent_block(s, node)}")
    if is_filled:
        yield Change((edit,), 0.7, node.lineno, f"`{s.text_of(node)}` lacks the condition `{test}`")
    elif not isinstance(s.parents.get(node), ast.If):
        yield Change((edit,), 0.3, node.lineno, f"what `{name}` holds of `{s.text_of(key)}` is to stay")


def propose_kept_in_order(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``seen = []`` with ``if x not in seen: seen.append(x)`` for ``seen = set()`` with ``seen.add(x)``: a set has no order to give back."""
    match node:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name("set"), [], [])):
            pass
        case _:
            return
    edits: list[Edit] = [(s.start_of(node.value), s.end_of(node.value), "[]")]
    added = 0
    for n in ast.walk(s.find_function(node)):
        match n:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(own), "add"), [item], [])) if own == name:
                indent, (start, end, _), text = s.read_indent(n), s.find_line_span(n), s.text_of(item)
                if indent is None:
                    return
                is_asked = (
                    isinstance(test := s.parents.get(n), ast.If) and s.text_of(test.test) == f"{text} not in {name}"
                )
                put = f"{name}.append({text})\n"
                edits.append(
                    (
                        start,
                        end,
                        f"{indent}{put}" if is_asked else f"{indent}if {text} not in {name}:\n{indent}    {put}",
                    )
                )
                added += 1
            case ast.Attribute(ast.Name(own), method) if own == name and method != "add":
                return
    if added:
        words = f"`{name}` is a set, which keeps no order"
        yield Change(tuple(sorted(edits)), 0.6, node.lineno, words)


def propose_gathered(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``names.append(x)`` for ``return [x]`` in a loop, and ``return names`` after it, where ``names = []`` is never filled."""
    if not isinstance(node, _LOOPS) or s.read_indent(node) is None or s.is_in_loop(node):
        return
    function, end = s.find_function(node), s.find_line_span(node)[1]
    for name in _list_never_filled(s, function):
        gives = [n for n in ast.walk(node) if isinstance(n, ast.Return) and s.find_function(n) is function]
        test = node.body[-1]
        if not gives or not isinstance(test, ast.If) or gives[0] not in test.body or len(gives) > 2:
            return
        value = gives[0].value
        item = value.elts[0] if isinstance(value, ast.List) and len(value.elts) == 1 else value
        if item is None or (len(gives) == 2 and (len(test.orelse) != 1 or test.orelse[0] is not gives[1])):
            return
        edits: list[Edit] = [(s.start_of(gives[0]), s.end_of(gives[0]), f"{name}.append({s.text_of(item)})")]
        if len(gives) == 2:
            edits.append((s.end_of(gives[0]), s.end_of(gives[1]), ""))
        below, indent = s.find_next_statement(node), s.read_indent(node)
        if not isinstance(below, ast.Return):
            pad = "" if s.text[:end].endswith("\n") else "\n"
            edits.append((end, end, f"{pad}{indent}return {name}\n"))
        elif below.value is not None:
            edits.append(s.replace_node(below.value, name))
        yield Change(tuple(edits), 0.6, gives[0].lineno, f"the first is given back, and `{name}` is to hold all")


def _list_never_filled(s: Scope, function: ast.AST) -> list[str]:
    """The variables that begin as an empty list and that nothing reads."""
    nodes = list(ast.walk(function))
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return [
        n.targets[0].id
        for n in nodes
        if isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Name)
        and s.text_of(n.value) in _EMPTY
        and n.targets[0].id not in read
    ]


def propose_list_of_best(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``names = [name]`` for ``names.append(name)`` beside ``best = mark`` below ``if mark > best:``: those before were not the best."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(names), "append"), [item], [])):
            branch = s.parents.get(node)
        case _:
            return
    if not isinstance(branch, ast.If) or node not in branch.body or _find_loop(s, node) is None:
        return
    compared = {n.id for n in ast.walk(branch.test) if isinstance(n, ast.Name)}
    set_here = {
        n.targets[0].id for n in branch.body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    }
    if compared & set_here:
        new = f"{names} = [{s.text_of(item)}]"
        words = f"what `{names}` holds was gathered for what is no longer the best"
        yield Change(((s.start_of(node), s.end_of(node), new),), 0.55, node.lineno, words)


def propose_other_items(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[list(item) for item in zip(*m)]`` for ``list(zip(*m))``; ``[item[::-1] for item in pairs]`` for the pairs that are given back."""
    match node:
        case ast.Call(ast.Name("list"), [ast.Call(ast.Name("zip" | "enumerate" | "reversed" | "sorted")) as inner], []):
            new = f"[list(item) for item in {s.text_of(inner)}]"
            yield Change((s.replace_node(node, new),), 0.5, node.lineno, "each item is to be a list")
        case ast.Return(value=ast.Name(name) as value) if s.hints.kinds.get(name, frozenset()) & {ITEMS}:
            made = s.find_function(node)
            pairs = [n for n in ast.walk(made) if isinstance(n, ast.Tuple) and isinstance(n.ctx, ast.Load)]
            if pairs:
                new = f"[item[::-1] for item in {name}]"
                yield Change(
                    (s.replace_node(value, new),), 0.3, node.lineno, f"the parts of each item of `{name}` are exchanged"
                )


def propose_compared_at_end(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``best = max(best, n)`` after a loop that asks ``if n > best: best = n`` only where a run ends: the last one ends with the loop."""
    if not isinstance(node, _LOOPS) or s.read_indent(node) is None or s.is_in_loop(node):
        return
    end, indent = s.find_line_span(node)[1], str(s.read_indent(node))
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for n in ast.walk(node):
        match n:
            case ast.If(ast.Compare(_, [ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE() as op]) as test, [ast.Assign([ast.Name(best)], ast.Name(count))], []):  # fmt: skip
                pass
            case _:
                continue
        if {best, count} == {x.id for x in ast.walk(test) if isinstance(x, ast.Name)}:
            left = s.text_of(test.left)
            function = "max" if isinstance(op, ast.Gt | ast.GtE) == (left == count) else "min"
            text = f"{best} = {function}({best}, {count})"
            words = f"`{text}` is missing after the loop, for the last of them"
            yield Change(((end, end, f"{pad}{indent}{text}\n"),), 0.6, node.lineno, words)


def propose_counted_anew(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``else: n = 1`` beside ``if xs[i] == xs[i - 1]: n += 1`` in a loop, where ``n = 1`` above it: a run that ends begins anew."""
    loop = _find_loop(s, node) if isinstance(node, ast.If) else None
    if not isinstance(node, ast.If) or node.orelse or loop is None or s.read_indent(node) is None:
        return
    match node.body:
        case [ast.AugAssign(ast.Name(name), ast.Add(), ast.Constant(1))]:
            pass
        case _:
            return
    indent, end = s.read_indent(node), s.find_line_span(node)[1]
    pad = "" if s.text[:end].endswith("\n") else "\n"
    begun = [
        s.text_of(n.value)
        for n in ast.walk(s.find_function(node))
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant) and s.text_of(n.targets[0]) == name
    ]
    for value in dict.fromkeys(begun):
        text = f"{pad}{indent}else:\n{indent}    {name} = {value}\n"
        yield Change(
            ((end, end, text),), 0.55, node.lineno, f"`else: {name} = {value}` is missing: `{name}` begins anew"
        )


def propose_put_at_end(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``else: out.append(x)`` of a loop that puts ``x`` before the first greater one and breaks off: there may be none."""
    if not isinstance(node, _LOOPS) or node.orelse or s.read_indent(node) is None:
        return
    test = node.body[-1]
    if not isinstance(test, ast.If) or not isinstance(test.body[-1], ast.Break):
        return
    end, indent = s.find_line_span(node)[1], s.read_indent(node)
    pad = "" if s.text[:end].endswith("\n") else "\n"
    for n in test.body[:-1]:
        match n:
            case ast.Expr(ast.Call(ast.Attribute(out, "insert"), [_, item], [])):
                text = f"{s.text_of(out)}.append({s.text_of(item)})"
                edit = (end, end, f"{pad}{indent}else:\n{indent}    {text}\n")
                yield Change((edit,), 0.75, test.lineno, f"`{text}` is missing where no place was found")


def propose_each_once(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if x in b and x not in out:`` above ``out.append(x)``: what is there already is not put in again."""
    match node:
        case ast.If(test, [ast.Expr(ast.Call(ast.Attribute(ast.Name(out), "append"), [ast.Name() as item], []))]):
            pass
        case _:
            return
    known = f"{s.text_of(item)} not in {out}"
    if known not in s.text_of(test):
        new = f"{s.parenthesize(test)} and {known}"
        yield Change((s.replace_node(test, new),), 0.4, node.lineno, f"`{s.text_of(test)}` lacks `{known}`")


def propose_lengths(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(max(len(a), len(b)))`` for ``range(max(a, b))``, where these are lists."""
    match node:
        case ast.Call(ast.Name("range"), [*_, ast.Call(ast.Name("max" | "min"), [ast.Name(one), ast.Name(two)], []) as most], []):  # fmt: skip
            new = f"{s.text_of(most.func)}(len({one}), len({two}))"
            if all(s.name_may_be(name, frozenset({ITEMS})) for name in (one, two)):
                yield Change((s.replace_node(most, new),), 0.7, node.lineno, f"`{s.text_of(most)}` should be `{new}`")


def propose_other_end(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs.insert(0, x)`` for ``xs.append(x)``, and the other way round."""
    match node:
        case ast.Call(ast.Attribute(out, "append"), [item], []):
            new = f"{s.text_of(out)}.insert(0, {s.text_of(item)})"
        case ast.Call(ast.Attribute(out, "insert"), [ast.Constant(0), item], []):
            new = f"{s.text_of(out)}.append({s.text_of(item)})"
        case _:
            return
    edit = (s.start_of(node), s.end_of(node), new)
    yield Change((edit,), 0.3, node.lineno, f"`{s.text_of(node)}` puts it at the wrong end")


def propose_lists_of_parts(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``[xs[0]] + f(xs[1:])`` for ``xs[0] + f(xs[1:])`` in ``f``, which gives a list: what is joined to it are lists."""
    if (
        not isinstance(node, ast.BinOp)
        or not isinstance(node.op, ast.Add)
        or isinstance(s.parents.get(node), ast.BinOp)
    ):
        return
    function = s.find_function(node)
    terms: list[ast.expr] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
        terms.insert(0, left.right)
        left = left.left
    terms.insert(0, left)
    own = getattr(function, "name", "")
    calls = [t for t in terms if isinstance(t, ast.Call) and isinstance(t.func, ast.Name) and t.func.id == own]
    plain = [t for t in terms if _is_single(t) and t not in calls]
    if calls and plain:
        edits = tuple((s.start_of(t), s.end_of(t), f"[{s.text_of(t)}]") for t in plain)
        yield Change(edits, 0.6, node.lineno, f"`{s.text_of(plain[0])}` is joined to a list as a list")


def _is_single(term: ast.expr) -> bool:
    """Whether a term is one item, as far as it shows: a name, a place, a pair, or what ``sum`` and its like give."""
    match term:
        case ast.Subscript(_, ast.Slice()):
            return False
        case ast.Name() | ast.Subscript() | ast.Tuple():
            return True
        case ast.Call(ast.Name("sum" | "max" | "min" | "len" | "abs")):
            return True
    return False


def propose_empty_pair(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return [], []`` for ``return []`` in a function that gives two values elsewhere."""
    if (
        not isinstance(node, ast.Return)
        or node.value is None
        or s.text_of(node.value) not in ("[]", "None", "()", "0", "")
    ):
        return
    sizes = {
        len(n.value.elts)
        for n in ast.walk(s.find_function(node))
        if isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple) and n is not node
    }
    for size in sizes:
        if size > 1:
            text = ", ".join([s.text_of(node.value) if s.text_of(node.value) != "()" else "[]"] * size)
            edit = (s.start_of(node.value), s.end_of(node.value), text)
            yield Change((edit,), 0.7, node.lineno, f"`{text}` are to be given back, as elsewhere")


def propose_joined_lists(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``out.extend(a)`` for ``out.append(a)``, and the same of ``b`` below it, where ``a`` and ``b`` are lists that the function was given."""
    match node:
        case ast.Expr(ast.Call(ast.Attribute(out, "append") as method, [ast.Name(given)], [])):
            edits = [(s.end_of(out), s.end_of(method), ".extend")]
        case _:
            return
    below = s.find_next_statement(node)
    match below:
        case ast.Expr(ast.Call(ast.Attribute(other, "append") as method, [ast.Name(second)], [])) if s.text_of(
            other
        ) == s.text_of(out):
            edits.append((s.end_of(other), s.end_of(method), ".extend"))
        case _:
            return
    if all(s.hints.kinds.get(name, frozenset()) == {ITEMS} for name in (given, second)):
        yield Change(
            tuple(edits),
            0.7,
            node.lineno,
            f"`{given}` and `{second}` are lists, whose items belong into `{s.text_of(out)}`",
        )


OPERATORS = (
    propose_each_once,
    propose_lengths,
    propose_joined_lists,
    propose_begun_once,
    propose_kept_in_order,
    propose_gathered,
    propose_list_of_best,
    propose_other_items,
    propose_compared_at_end,
    propose_counted_anew,
    propose_put_at_end,
    propose_other_end,
    propose_lists_of_parts,
    propose_empty_pair,
)
