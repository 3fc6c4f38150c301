"""Mutation operators for what beginners overlook: a parameter that is overwritten, a result that is dropped, a point that means any
character, numbers that are texts, a greatest one that begins with zero, a count that begins anew, pieces that overlap, half a word, a
collection that is called, a loop that overwrites what was given, a step of nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, TEXT, Change, Scope
from jupyter_selfheal.inside.search.text_methods import CHANGED_TEXTS
from jupyter_selfheal.inside.tree_names import CONSTANTS

_PATTERNS = frozenset({"compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"})
_CALLED = frozenset(
    {"append", "count", "extend", "get", "index", "insert", "join", "pop", "remove", "split", "startswith"}
)
"""Methods of lists, texts and dictionaries that are given something."""
_REPEATS = "*+?{"


def propose_given_value(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``tax = 0.1`` at the top of ``def total(prices, tax)``: what the caller gives is lost."""
    function = s.parents.get(node)
    if not isinstance(node, ast.Assign) or not isinstance(function, ast.FunctionDef) or len(node.targets) != 1:
        return
    target = node.targets[0]
    given = {a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    if not isinstance(target, ast.Name) or target.id not in given or s.read_indent(node) is None:
        return
    above = function.body[: function.body.index(node)]
    if any(isinstance(n, ast.Name) and n.id == target.id for part in (*above, node.value) for n in ast.walk(part)):
        return
    start, end = s.find_line_span(node)[:2]
    if len(function.body) > 1:
        yield Change(((start, end, ""),), 0.75, node.lineno, f"`{target.id}` is given by the caller, and overwritten")


def propose_kept_result(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``i * i`` on a line of its own in a loop below ``out = []``, which nothing fills: ``out.append(i * i)``."""
    if not isinstance(node, ast.Expr) or not isinstance(
        node.value, ast.BinOp | ast.Subscript | ast.Name | ast.Attribute
    ):
        return
    if not s.is_in_loop(node):
        return
    nodes = list(ast.walk(s.find_function(node)))
    filled = {n.value.id for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
    for made in nodes:
        if not isinstance(made, ast.Assign) or not isinstance(made.value, ast.List) or made.value.elts:
            continue
        for target in made.targets:
            if isinstance(target, ast.Name) and target.id not in filled:
                new = f"{target.id}.append({s.text_of(node.value)})"
                edit = (s.start_of(node), s.end_of(node), new)
                yield Change(
                    (edit,), 0.6, node.lineno, f"`{s.text_of(node)}` is computed and not kept in `{target.id}`"
                )


def propose_kept_texts(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``line = line.replace(…)`` wherever a function does nothing with what such a method gives: a text itself never changes."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    dropped: dict[str, list[ast.stmt]] = {}
    for found in ast.walk(node):
        match found:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), method))) if method in CHANGED_TEXTS:
                dropped.setdefault(name, []).append(found)
    for name, places in dropped.items():
        if len(places) > 1 and s.name_may_be(name, frozenset({TEXT})):
            edits = tuple(sorted((s.start_of(n), s.start_of(n), f"{name} = ") for n in places))
            words = f"`{name}` stays as it is: what its methods give is dropped"
            lines = dict.fromkeys(n.lineno for n in places)
            yield from (Change(edits, 0.9, line, words, "senseless") for line in lines)


def propose_plain_points(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``r"\\d+\\.\\d\\d"`` for ``r"\\d+.\\d\\d"``: an unescaped point matches any character."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return
    owner, pattern = node.func.value, node.args[0]
    if not isinstance(owner, ast.Name) or owner.id != "re" or node.func.attr not in _PATTERNS:
        return
    if not isinstance(pattern, ast.Constant) or not isinstance(pattern.value, str):
        return
    text, start = s.text_of(pattern), s.start_of(pattern)
    points = _find_points(text)
    if not points:
        return
    slash = "\\" if text[0] in "rR" or "\\" in text else "\\\\"
    words = "an unescaped `.` matches any character"
    yield Change(tuple((start + at, start + at, slash) for at in points), 0.7, node.lineno, words)
    if len(points) > 1:
        for at in points:
            yield Change(((start + at, start + at, slash),), 0.4, node.lineno, words)


def _find_points(text: str) -> list[int]:
    """Where the points of a pattern stand that match any one character, outside of classes."""
    points, inside, at = [], False, 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        inside = (inside or text[at] == "[") and text[at] != "]"
        if text[at] == "." and not inside and text[at + 1 : at + 2] not in _REPEATS:
            points.append(at)
        at += 1
    return points


def propose_number_key(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``max(ages, key=int)`` for ``max(ages)``: texts of digits are compared letter by letter."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1 or node.keywords:
        return
    if node.func.id not in ("max", "min", "sorted") or not s.may_be(node.args[0], ITEMS):
        return
    if isinstance(node.args[0], ast.Starred) or s.infer_kinds(node.args[0]) == {NUMBER}:
        return
    end = s.end_of(node.args[0])
    for key, prior in (("int", 0.3), ("float", 0.12)):
        yield Change(((end, end, f", key={key}"),), prior, node.lineno, f"`{node.func.id}` lacks `key={key}`")


def propose_first_item(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``best = xs[0]`` for ``best = 0`` above ``for x in xs``, where the items are compared with it: all of them may be below it."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
        return
    body = getattr(s.parents.get(node), "body", [])
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    if type(node.value.value) not in (int, float) or not isinstance(body, list) or node not in body:
        return
    for loop in body[body.index(node) + 1 :]:
        if not isinstance(loop, ast.For):
            continue
        compared = {
            frozenset({c.left.id, c.comparators[0].id})
            for c in ast.walk(loop)
            if isinstance(c, ast.Compare) and isinstance(c.left, ast.Name) and isinstance(c.comparators[0], ast.Name)
        }
        words = f"`{' = '.join(names)}` begins with a number that no item may reach"
        if not isinstance(loop.target, ast.Name):
            parts = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
            if any(pair & {*names} and pair & parts for pair in compared):
                for new, prior in (("float('-inf')", 0.5), ("float('inf')", 0.3)):
                    yield Change((s.replace_node(node.value, new),), prior, node.lineno, words)
        elif isinstance(loop.iter, ast.Name) and any(frozenset({name, loop.target.id}) in compared for name in names):
            yield Change((s.replace_node(node.value, f"{loop.iter.id}[0]"),), 0.8, node.lineno, words)


def propose_count(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``counts[word] = counts.get(word, 0) + 1`` for ``counts[word] = 1`` in a loop: only the last one is kept of each key."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not s.is_in_loop(node):
        return
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return
    if not isinstance(value, ast.Constant | ast.Name) or (isinstance(value, ast.Constant) and value.value != 1):
        return
    if isinstance(target.slice, ast.Slice | ast.Constant) or _is_asked_for(s, node, target.value.id):
        return
    table, key, text = target.value.id, s.text_of(target.slice), s.text_of(value)
    words = f"`{s.text_of(target)} = {text}` forgets what was there for the same key"
    added = f"{table}.get({key}, 0) + {text}"
    yield Change((s.replace_node(value, added),), 0.7 if isinstance(value, ast.Constant) else 0.3, node.lineno, words)
    if isinstance(value, ast.Name):
        whole = (s.start_of(node), s.end_of(node), f"{table}.setdefault({key}, []).append({text})")
        yield Change((whole,), 0.25, node.lineno, words)


def _is_asked_for(s: Scope, node: ast.AST, table: str) -> bool:
    """Whether a condition around a statement asks if a key is in the table: what is there is counted on, and what is not begun."""
    around = s.parents.get(node)
    while around is not None and not isinstance(around, ast.For | ast.While | ast.FunctionDef):
        if isinstance(around, ast.If):
            asked = (
                n
                for n in ast.walk(around.test)
                if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.In | ast.NotIn)
            )
            if any(isinstance(n.comparators[0], ast.Name) and n.comparators[0].id == table for n in asked):
                return True
        around = s.parents.get(around)
    return False


def propose_step(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``range(0, len(xs), n)`` for ``range(len(xs))`` where ``xs[i:i + n]`` is taken: the pieces overlap."""
    if not isinstance(node, ast.For | ast.comprehension) or not isinstance(node.target, ast.Name):
        return
    call = node.iter
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "range":
        return
    if len(call.args) not in (1, 2):
        return
    for part in ast.walk(s.parents[node] if isinstance(node, ast.comprehension) else node):
        if not isinstance(part, ast.Slice) or not isinstance(part.lower, ast.Name) or part.lower.id != node.target.id:
            continue
        if isinstance(part.upper, ast.BinOp) and isinstance(part.upper.op, ast.Add):
            sizes = [n for n in (part.upper.left, part.upper.right) if s.text_of(n) != node.target.id]
            if len(sizes) == 1:
                first = "0, " if len(call.args) == 1 else ""
                size = s.text_of(sizes[0])
                edits = ((s.start_of(call.args[0]),) * 2 + (first,), (s.end_of(call.args[-1]),) * 2 + (f", {size}",))
                words = f"`{s.text_of(call)}` lacks the step `{size}`: the pieces overlap"
                yield Change(tuple(e for e in edits if e[2]), 0.7, call.lineno, words)
                return


def propose_rest_of_word(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``word[0].upper() + word[1:]`` for ``word[0].upper()``: the rest of the text is lost."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.args:
        return
    first = node.func.value
    if node.func.attr not in ("upper", "lower") or not isinstance(first, ast.Subscript):
        return
    if not isinstance(first.value, ast.Name) or not isinstance(first.slice, ast.Constant) or first.slice.value != 0:
        return
    if isinstance(s.parents.get(node), ast.BinOp | ast.Compare):
        return
    whole, letter = first.value.id, s.text_of(node)
    yield Change(
        (s.replace_node(node, f"{letter} + {whole}[1:]"),), 0.5, node.lineno, f"`{letter}` lacks the rest of `{whole}`"
    )


def propose_index_for_call(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs[i]`` for ``xs(i)``, where ``xs`` is a collection."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1 or node.keywords:
        return
    kinds = s.hints.kinds.get(node.func.id, frozenset())
    if (
        node.func.id in s.values
        and kinds
        and kinds <= {ITEMS, TEXT, DICT}
        and not isinstance(node.args[0], ast.Starred)
    ):
        new = f"{node.func.id}[{s.text_of(node.args[0])}]"
        words = f"`{node.func.id}` is no function: `{new}`"
        yield Change(((s.start_of(node), s.end_of(node), new),), 0.9, node.lineno, words)


def propose_call_for_index(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``xs.index(x)`` for ``xs.index[x]``: a method is called."""
    if (
        not isinstance(node, ast.Subscript)
        or not isinstance(node.value, ast.Attribute)
        or isinstance(node.slice, ast.Slice)
    ):
        return
    if node.value.attr in _CALLED and not isinstance(s.parents.get(node), ast.Call):
        new = f"{s.text_of(node.value)}({s.text_of(node.slice)})"
        words = f"`{s.text_of(node.value)}` is a method: `{new}`"
        yield Change(((s.start_of(node), s.end_of(node), new),), 0.9, node.lineno, words)


def propose_own_loop_variable(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for i, x in enumerate(xs)`` in a function that was given ``x`` and compares with it: the item has a name of its own."""
    function = s.find_function(node)
    if (
        not isinstance(node, ast.Name)
        or not isinstance(node.ctx, ast.Store)
        or not isinstance(function, ast.FunctionDef)
    ):
        return
    loop = next((p for p in s.walk_upwards(node) if isinstance(p, ast.stmt)), None)
    if not isinstance(loop, ast.For) or node.id not in {a.arg for a in function.args.args}:
        return
    is_one_of_two = isinstance(loop.target, ast.Tuple)  # the other one tells where it is
    name = "_" if is_one_of_two else next((n for n in ("item", "value", "element") if n not in s.names), "")
    words = f"the loop overwrites `{node.id}`, which was given"
    if name and loop.iter is not node:
        yield Change((s.replace_node(node, name),), 0.6, node.lineno, words)


def propose_own_step(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``i += 1`` for ``i += i``, which stays at zero for ever."""
    if (
        not isinstance(node, ast.AugAssign)
        or not isinstance(node.target, ast.Name)
        or not isinstance(node.value, ast.Name)
    ):
        return
    if node.target.id == node.value.id and isinstance(node.op, ast.Add) and s.is_in_loop(node):
        words = f"`{s.text_of(node)}` should be `{node.target.id} += 1`"
        yield Change((s.replace_node(node.value, "1"),), 0.7, node.lineno, words)


def propose_spelt_constant(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``True`` for ``true``, ``None`` for ``null``, where no such name is bound."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id not in CONSTANTS:
        return
    if node.id not in s.names and node.id not in s.hints.defined:
        yield Change(
            (s.replace_node(node, CONSTANTS[node.id]),),
            0.9,
            node.lineno,
            f"`{node.id}` should be `{CONSTANTS[node.id]}`",
        )


OPERATORS = (
    propose_index_for_call,
    propose_call_for_index,
    propose_own_loop_variable,
    propose_own_step,
    propose_spelt_constant,
    propose_first_item,
    propose_count,
    propose_step,
    propose_rest_of_word,
    propose_given_value,
    propose_kept_result,
    propose_kept_texts,
    propose_plain_points,
    propose_number_key,
)
