"""Values that a beginner's cell loses, never begins, or takes for what they are not, for cells whose output is known: what a list's method
gives back, a number that a loop uses up, a part of a line that is still a text, a place for a value that a format has not."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Sequence

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.method_changes import ends_with_text
from jupyter_selfheal.inside.search.reading_changes import is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source
from jupyter_selfheal.inside.tree_names import list_defined_names

IN_PLACE = frozenset({"append", "extend", "insert", "remove", "reverse", "sort"})
"""Methods of a list that change it, and give nothing back."""
GIVEN = {"sort": "sorted({})", "reverse": "{}[::-1]"}
"""What gives that for a text, too."""
BEGINNINGS = {ast.Add: ("0", '""', "[]"), ast.Mult: ("1",)}
"""What a sum and a product begin with, the likeliest first."""
FILLED = {"append": "[]", "add": "set()"}
"""What a collection begins with that one of these methods fills."""
_LOOPS = (ast.For, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_STEPS = {ast.Lt: "+=", ast.LtE: "+=", ast.NotEq: "+=", ast.Gt: "-=", ast.GtE: "-="}
_DIGITS = re.compile(r"\d\.(\d+)")


def list_lost_values(source: Source, expected: str, known: frozenset[str]) -> list[Change]:
    """These changes. ``known`` are names that exist apart from the source."""
    return [
        *_drop_nothing(source),
        *_append_items(source),
        *_keep_used_up(source),
        *_begin_sums(source, known),
        *_begin_collections(source, known),
        *_set_letters(source),
        *_convert_parts(source),
        *_convert_slices(source),
        *_open_slots(source, expected),
        *_go_through_places(source),
        *_count_on_in_loops(source),
        *_part_prefixes(source),
        *_count_from_one(source),
    ]


def _find_name(node: ast.AST | None) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _find_target(statement: ast.AST) -> str:
    """The variable that a statement sets, where it sets no other one."""
    return _find_name(statement.targets[0]) if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else ""


def _drop_nothing(source: Source) -> Iterator[Change]:
    """``xs = xs.sort()`` as ``xs.sort()``: the method gives nothing back, and changes the list."""
    edits: list[Edit] = []
    given: list[Edit] = []
    line = 0
    for statement in source.order:
        name = _find_target(statement)
        value = statement.value if isinstance(statement, ast.Assign) else None
        if not name or not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            continue
        if value.func.attr in IN_PLACE and _find_name(value.func.value) == name:
            edits.append((source.start_of(statement), source.start_of(value), ""))
            line = line or value.lineno
            if value.func.attr in GIVEN and not value.args and not value.keywords:
                given.append((source.start_of(value), source.end_of(value), GIVEN[value.func.attr].format(name)))
    if given and len(given) == len(edits):
        yield Change(tuple(sorted(given)), 0.75, line, "what has no such method, as a text, is put in order anew")
    if edits:
        yield Change(
            tuple(sorted(edits)), 0.95, line, "what a method gives, which is nothing, is kept in place of the list"
        )


def _append_items(source: Source) -> Iterator[Change]:
    """``names[i] = input()`` in a loop as ``names.append(input())``, where ``names`` begins empty."""
    empty = {
        _find_target(n)
        for n in source.order
        if isinstance(n, ast.Assign) and source.text_of(n.value) in ("[]", "list()")
    }
    for node in source.order:
        if not isinstance(node, ast.Assign) or not isinstance(place := node.targets[0], ast.Subscript):
            continue
        name = _find_name(place.value)
        if name in empty - {""} and any(isinstance(n, _LOOPS) for n in source.walk_upwards(node)):
            edits = ((source.start_of(node), source.start_of(node.value), f"{name}.append("),)
            end = source.end_of(node.value)
            yield Change((*edits, (end, end, ")")), 0.85, node.lineno, f"`{name}` has no such place yet")


def _keep_used_up(source: Source) -> Iterator[Change]:
    """``while n > 0: n = n // 10`` above ``if total == n``: what ``n`` was is kept, and read behind the loop."""
    taken = {n.id for n in source.order if isinstance(n, ast.Name)}
    for loop in (n for n in source.order if isinstance(n, ast.While)):
        asked = {n.id for n in ast.walk(loop.test) if isinstance(n, ast.Name)}
        set_inside = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        indent = source.read_indent(loop)
        for name in sorted(asked & set_inside) if indent is not None else ():
            behind = [n for n in source.order if _find_name(n) == name and n.lineno > (loop.end_lineno or loop.lineno)]  # type: ignore[attr-defined]
            new = f"given_{name}"
            if (
                behind
                and all(isinstance(n.ctx, ast.Load) for n in behind if isinstance(n, ast.Name))
                and new not in taken
            ):
                at = source.start_of(loop)
                edits = [(at, at, f"{new} = {name}\n{indent}")]
                edits += [(source.start_of(n), source.end_of(n), new) for n in behind]
                words = f"`{name}` is used up by the loop, and is to be read as it was"
                yield Change(tuple(sorted(edits)), 0.7, loop.lineno, words)


def _begin_sums(source: Source, known: frozenset[str]) -> Iterator[Change]:
    """``s = s + x`` in a loop where nothing begins ``s``: ``s = 0`` above the loop, or above the one around it; and all such variables, with what
    they mostly begin with, above the first statement."""
    stores: dict[str, list[ast.AST]] = {}
    for node in source.order:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stores.setdefault(node.id, []).append(source.parents[node])
    given = {n.arg for n in source.order if isinstance(n, ast.arg)}
    first: dict[str, str] = {}
    for name, statements in stores.items():
        operators = [_find_growth(s, name) for s in statements]
        if name in known | given or (operator := operators[0]) not in BEGINNINGS or None in operators:
            continue
        values = ("0", "1") if _is_counter(source, name, statements) else BEGINNINGS[operator]
        first[name] = '""' if operator is ast.Add and any(map(_adds_text, statements)) else values[0]
        loops = [n for n in source.walk_upwards(statements[0]) if isinstance(n, (*_LOOPS, *_FUNCTIONS))]
        inner = next((n for n, loop in enumerate(loops) if isinstance(loop, _FUNCTIONS)), len(loops))
        for far, loop in enumerate(loops[:inner]):
            indent, at = source.read_indent(loop), source.start_of(loop)
            for rank, value in enumerate(values if indent is not None else ()):
                prior = 0.92 - 0.02 * far - 0.03 * rank
                words = f"`{name}` is added to and never begun"
                yield Change(((at, at, f"{name} = {value}\n{indent}"),), prior, loop.lineno, words)
    head = next((n for n in source.tree.body if not isinstance(n, ast.Import | ast.ImportFrom)), None)
    if first and head is not None:
        at, words = source.start_of(head), f"`{next(iter(first))}` is added to and never begun"
        yield Change(((at, at, "".join(f"{name} = {value}\n" for name, value in first.items())),), 0.9, 1, words)


def _is_counter(source: Source, name: str, statements: Sequence[ast.AST]) -> bool:
    """Whether a variable does nothing but count up by 1, and is read beside that in one of the loops: people count what they show from 1."""
    steps = [n for s in statements for n in ast.walk(s)]
    if not all(isinstance(n, ast.Constant) and n.value == 1 for n in steps if isinstance(n, ast.Constant)):
        return False
    is_alone = {n.id for n in steps if isinstance(n, ast.Name)} == {name} and any(
        isinstance(n, ast.Constant) for n in steps
    )
    reads = [n for n in source.order if _find_name(n) == name and isinstance(getattr(n, "ctx", None), ast.Load)]
    apart = [n for n in reads if n not in steps]
    return is_alone and any(isinstance(around, _LOOPS) for n in apart for around in source.walk_upwards(n))


def _begin_collections(source: Source, known: frozenset[str]) -> Iterator[Change]:
    """``xs.append(x)`` and ``seen[k] = 1`` where nothing binds ``xs`` or ``seen``: an empty one above the outermost loop around it."""
    there = list_defined_names(source.tree) | known | set(dir(builtins))
    begun: set[str] = set()
    for node in source.order:
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), method), _) if method in FILLED:
                value = FILLED[method]
            case ast.Subscript(ast.Name(name), index, ast.Store()) if not isinstance(index, ast.Slice):
                value = "{}"
            case _:
                continue
        if name in there | begun:
            continue
        begun.add(name)
        outer = [n for n in source.walk_upwards(node) if isinstance(n, (*_LOOPS, *_FUNCTIONS, ast.stmt))]
        inner = next(
            (n for n, around in enumerate(outer) if isinstance(around, (*_FUNCTIONS, ast.ClassDef))), len(outer)
        )
        place = outer[inner - 1] if inner else None
        indent = source.read_indent(place) if place is not None else None
        if place is not None and indent is not None:
            at, words = source.start_of(place), f"`{name}` is filled and never begun"
            yield Change(((at, at, f"{name} = {value}\n{indent}"),), 0.9, node.lineno, words, kind="name")


def _set_letters(source: Source) -> Iterator[Change]:
    """``word[0] = "J"`` as ``word = "J" + word[1:]``, of all such statements at once: the letters of a text cannot be changed."""
    texts = {
        _find_target(n)
        for n in source.order
        if isinstance(n, ast.Assign) and (is_call(n.value, "input", "str") or ends_with_text(n.value))
    }
    edits: list[Edit] = []
    line = 0
    for node in source.order:
        match node:
            case ast.Assign([ast.Subscript(ast.Name(name), index)], value) if name in texts:
                pass
            case _:
                continue
        if isinstance(index, ast.Slice):
            continue
        at = source.text_of(index)
        behind = {"-1": "", "0": f" + {name}[1:]"}.get(at, f" + {name}[{at} + 1:]")
        before = "" if at == "0" else f"{name}[:{at}] + "
        if at.startswith("-") and at != "-1":
            continue  # one more than a place from the end may be the beginning
        new = f"{name} = {before}{source.parenthesize(value)}{behind}"
        edits.append((source.start_of(node), source.end_of(node), new))
        line = line or node.lineno
    if edits:
        yield Change(tuple(sorted(edits)), 0.8, line, "the letters of a text cannot be changed", kind="failing")


def _adds_text(statement: ast.AST) -> bool:
    """Whether a statement adds a text that is written down."""
    return isinstance(statement, ast.Assign | ast.AugAssign) and ends_with_text(statement.value)


def _find_growth(statement: ast.AST, name: str) -> type[ast.operator] | None:
    """The operator of ``s = s + x`` and ``s += x``; None for any other statement."""
    if isinstance(statement, ast.AugAssign):
        return type(statement.op)
    if _find_target(statement) == name and isinstance(statement, ast.Assign) and isinstance(statement.value, ast.BinOp):
        sides = (statement.value.left, statement.value.right)
        return type(statement.value.op) if name in map(_find_name, sides) else None
    return None


def _convert_parts(source: Source) -> Iterator[Change]:
    """``name, mark = input().split()`` and ``total + mark``: the parts that are reckoned with are numbers; so is ``c`` of ``for c in text``."""
    texts = {_find_target(n) for n in source.order if isinstance(n, ast.Assign) and is_call(n.value, "input")}
    parts: dict[str, ast.AST] = {}
    for node in source.order:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Tuple)
            and "split(" in source.text_of(node.value)
        ):
            if not is_call(node.value, "map"):
                parts.update({_find_name(t): node for t in node.targets[0].elts})
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name) and _is_read_text(node.iter, texts):
            parts[node.target.id] = node
    reads = [n for n in source.order if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in parts]
    wrapped = {id(a) for n in source.order if isinstance(n, ast.Call) for a in n.args}
    reckoned = [
        n
        for n in reads
        if isinstance(source.parents[n], ast.BinOp | ast.AugAssign | ast.Compare) and id(n) not in wrapped
    ]
    names = {n.id for n in reckoned if isinstance(source.parents[n], ast.BinOp | ast.AugAssign)}
    spots = [n for n in reckoned if n.id in names]
    for kind, prior in (("int", 0.75), ("float", 0.5)) if spots else ():
        edits = tuple(sorted((source.start_of(n), source.end_of(n), f"{kind}({n.id})") for n in spots))
        yield Change(edits, prior, spots[0].lineno, f"`{spots[0].id}` is no number yet")
    for node in source.order:  # `marks[name] = parts[1]`
        value = node.value if isinstance(node, ast.Assign) else None
        if (
            isinstance(value, ast.Subscript)
            and isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Subscript)
        ):
            start, end = source.start_of(value), source.end_of(value)
            yield Change(
                ((start, end, f"int({source.text_of(value)})"),), 0.5, value.lineno, "what is kept is no number yet"
            )


def _convert_slices(source: Source) -> Iterator[Change]:
    """``marks = parts[1:]`` and ``sum(marks)``, where ``parts`` are the words of a line: they are numbers."""
    split = {
        _find_target(n)
        for n in source.order
        if isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Call)
        and isinstance(n.value.func, ast.Attribute)
        and n.value.func.attr == "split"
    }
    reckoned = {_find_name(n.args[0]) for n in source.order if isinstance(n, ast.Call) and is_call(n, "sum") and n.args}
    for node in source.order:
        match node:
            case ast.Assign([ast.Name(name)], ast.Subscript(ast.Name(owner), ast.Slice()) as value):
                if owner in split and name in reckoned:
                    start, end = source.start_of(value), source.end_of(value)
                    for kind, prior in (("int", 0.85), ("float", 0.75)):
                        new = f"list(map({kind}, {source.text_of(value)}))"
                        yield Change(((start, end, new),), prior, value.lineno, f"`{name}` are no numbers yet")
            case _:
                pass


def _is_read_text(node: ast.expr, texts: set[str]) -> bool:
    """Whether it is a text that was read, or one that is made of a number."""
    return _find_name(node) in texts - {""} or is_call(node, "input", "str")


def _open_slots(source: Source, expected: str) -> Iterator[Change]:
    """``"Sum: ".format(s)`` as ``"Sum: {}".format(s)``: the text has no place for the value."""
    digits = dict.fromkeys(len(m) for m in _DIGITS.findall(expected))
    for call in source.order:
        match call:
            case ast.Call(ast.Attribute(ast.Constant(str() as text) as literal, "format"), [value], []) if (
                "{" not in text
            ):
                end = source.end_of(literal) - 1
            case _:
                continue
        for slot in ("{}", *(f"{{:.{n}f}}" for n in digits)):
            gap = "" if text.endswith(" ") else " "
            prior = 0.8 if slot == "{}" else 0.75
            words = "the text has no place for the value that it is given"
            yield Change(((end, end, gap + slot),), prior, value.lineno, words)


def _go_through_places(source: Source) -> Iterator[Change]:
    """``for i in a: a[i]`` as ``for i in range(len(a))``: what is gone through are places, and not items; or as ``i``, the more where it is asked for
    something else."""
    for loop in source.order:
        if (
            not isinstance(loop, ast.For)
            or not (name := _find_name(loop.iter))
            or not (item := _find_name(loop.target))
        ):
            continue
        inside = [
            n for n in ast.walk(loop) if isinstance(n, ast.Subscript) and item in map(_find_name, ast.walk(n.slice))
        ]
        taken = [n for n in inside if _find_name(n.value) == name and _find_name(n.slice) == item]
        if taken and len(taken) == len(inside):
            reads = [n for s in loop.body for n in ast.walk(s) if _find_name(n) == item]
            edits = tuple(sorted((source.start_of(n), source.end_of(n), item) for n in taken))
            words = f"`{item}` is an item of `{name}`, and no place"
            yield Change(edits, 0.87 if len(reads) > len(taken) else 0.8, taken[0].lineno, words)
        if any(_find_name(n.value) == name for n in inside):
            edit = (source.start_of(loop.iter), source.end_of(loop.iter), f"range(len({name}))")
            yield Change((edit,), 0.85, loop.lineno, f"`{item}` is to be a place in `{name}`")


def _count_on_in_loops(source: Source) -> Iterator[Change]:
    """``while i <= n:`` in which nothing sets ``i``, which a number was set to: it is counted on at the end, or down where ``i > 0`` is asked; not
    where a line below the loop sets it, which belongs into it."""
    numbers = {
        _find_target(s)
        for s in source.order
        if isinstance(s, ast.Assign) and (isinstance(s.value, ast.Constant) or is_call(s.value, "int", "len"))
    }
    for loop in (n for n in source.order if isinstance(n, ast.While) and isinstance(n.test, ast.Compare)):
        name, sign = _find_name(loop.test.left), _STEPS.get(type(loop.test.ops[0]))  # type: ignore[attr-defined]
        stored = {n.id for n in ast.walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        stored |= {_find_target(s) for s in source.order if getattr(s, "lineno", 0) > (loop.end_lineno or 0)}
        indent = source.read_indent(loop.body[0])
        if name in numbers - stored and sign and indent is not None:
            end = source.end_of(loop.body[-1])
            words = f"`{name}` is never counted on in the loop that asks for it"
            yield Change(((end, end, f"\n{indent}{name} {sign} 1"),), 0.8, loop.lineno, words)


def _part_prefixes(source: Source) -> Iterator[Change]:
    """``print(a, "and", b"is")`` as ``b, "is"``, where ``b`` is a variable: its letter was taken for one that makes bytes."""
    bound = {n.id for n in source.order if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    edits: list[Edit] = []
    line = 0
    for call in source.order:
        for node in call.args if isinstance(call, ast.Call) and is_call(call, "print") else ():
            text = source.text_of(node)
            fields = isinstance(node, ast.JoinedStr) and any(isinstance(v, ast.FormattedValue) for v in node.values)
            if isinstance(node, ast.Constant | ast.JoinedStr) and text[:1] in bound & set("bfru") and not fields:
                edits.append((source.start_of(node), source.start_of(node) + 1, f"{text[0]}, "))
                line = line or node.lineno
    if edits:
        yield Change(tuple(edits), 0.9, line, "a variable runs into the text behind it")


def _count_from_one(source: Source) -> Iterator[Change]:
    """``print("Found at", i)`` as ``i + 1``: a place in a list is printed, which people count from one."""
    loops = [n for n in source.order if isinstance(n, ast.For) and is_call(n.iter, "range")]
    counted = {_find_name(n.target) for n in loops}
    places = counted | {
        _find_target(n) for n in source.order if isinstance(n, ast.Assign) and _find_name(n.value) in counted
    }
    for call in source.order:
        for node in call.args if isinstance(call, ast.Call) and is_call(call, "print") else ():
            if _find_name(node) in places - {""}:
                end = source.end_of(node)
                yield Change(((end, end, " + 1"),), 0.45, node.lineno, f"`{_find_name(node)}` is counted from 1")
