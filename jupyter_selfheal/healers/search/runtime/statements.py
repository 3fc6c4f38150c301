"""Templates over statements: one missing, too many, in the wrong place, or of the wrong kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.search.runtime.conditions import tests_of
from jupyter_selfheal.healers.search.runtime.scope import DICT, ITEMS, NUMBER, SET, TEXT, TRUTH, Change, Scope

_LOOPS = ast.For | ast.While | ast.AsyncFor
_GROWS = {"append": 0.4, "add": 0.4, "extend": 0.2, "appendleft": 0.2, "update": 0.15, "insert": 0.05, "push": 0.3, "remove": 0.12, "discard": 0.1}


def kinds_of_statement(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``while`` for ``if``, ``return`` for ``yield``, ``continue`` for ``break``, ``else``-less ``elif``, ``x =+ y``."""
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.If | ast.While):
        word = "elif" if s.text.startswith("elif", s.lo(node)) else "if" if isinstance(node, ast.If) else "while"
        for new, prior in {"if": (("while", 0.3),), "while": (("if", 0.2),), "elif": (("if", 0.35),)}[word]:
            yield Change(((s.lo(node), s.lo(node) + len(word), new),), prior, line, f"`{word}` should be `{new}`")
        if word == "if":
            before = _before(s, node)
            if isinstance(before, ast.If) and not before.orelse:
                yield Change(((s.lo(node), s.lo(node) + 2, "elif"),), 0.35, line, "`if` should be `elif`")
    elif isinstance(node, ast.Break | ast.Continue):
        old, new = ("break", "continue") if isinstance(node, ast.Break) else ("continue", "break")
        yield Change(((s.lo(node), s.hi(node), new),), 0.55, line, f"`{old}` should be `{new}`")
        for text in ("pass", "return"):
            yield Change(((s.lo(node), s.hi(node), text),), 0.15, line, f"`{old}` should be `{text}`")
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom) and node.value.value is not None:
        value = s.of(node.value.value)
        other = f"yield {value}" if isinstance(node.value, ast.YieldFrom) else f"yield from {value}"
        yield Change(((s.lo(node), s.hi(node), other),), 0.6, line, f"`{s.of(node)}` should be `{other}`")
        yield Change(((s.lo(node), s.hi(node), f"return {value}"),), 0.15, line, "`yield` should be `return`")
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        yield from _assigned(s, node)
    elif isinstance(node, ast.Return) and node.value is not None and s.in_loop(node):
        yield Change(((s.lo(node), s.lo(node) + 6, "yield"),), 0.15, line, "`return` should be `yield`")
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Compare | ast.BinOp | ast.Name | ast.Subscript):
        yield from _expression_statement(s, node)


def _assigned(s: Scope, node: ast.Assign) -> Iterator[Change]:
    target, value, line = s.of(node.targets[0]), node.value, node.lineno
    start, end = s.hi(node.targets[0]), s.lo(value)
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd | ast.USub | ast.Invert):
        sign = s.text[end]
        if sign in "+-":
            whole = (s.lo(node), s.hi(node), f"{target} {sign}= {s.of(value.operand)}")
            yield Change((whole,), 0.95, line, f"`={sign}` should be `{sign}=`")
    for op, prior in (("+=", 0.4), ("-=", 0.2), ("*=", 0.2), ("|=", 0.08), ("//=", 0.06), ("/=", 0.06)):
        if s.may_be(value, NUMBER) or op == "+=":
            yield Change(((start, end, f" {op} "),), prior, line, f"`=` should be `{op}`")
    if isinstance(node.targets[0], ast.Name) and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr in ("sort", "append", "reverse", "extend", "update", "add", "insert", "remove", "clear", "shuffle"):
            yield Change(((s.lo(node), s.hi(node), s.of(value)),), 0.6, line, f"`.{value.func.attr}()` returns None")
    if isinstance(value, ast.Name) and isinstance(node.targets[0], ast.Name):
        yield Change(((s.lo(node), s.hi(node), f"{value.id} = {target}"),), 0.3, line, "the assignment is the wrong way round")
    if isinstance(node.targets[0], ast.Tuple) and isinstance(value, ast.Tuple) and len(value.elts) == 2:
        first, second = node.targets[0].elts[:2]
        edits = (s.put(first, s.of(second)), s.put(second, s.of(first)))
        yield Change(edits, 0.3, line, "the targets are exchanged")


def _expression_statement(s: Scope, node: ast.Expr) -> Iterator[Change]:
    """``x.replace(…)`` whose result is dropped; a value that should be returned, an ``==`` that should assign."""
    text, value, line = s.of(node), node.value, node.lineno
    inside = isinstance(s.function(node), ast.FunctionDef | ast.AsyncFunctionDef)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and isinstance(value.func.value, ast.Name):
        yield Change(((s.lo(node), s.lo(node), f"{value.func.value.id} = "),), 0.35, line, f"the result of `{text}` is dropped")
    if isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.Eq):
        new = f"{s.of(value.left)} = {s.of(value.comparators[0])}"
        yield Change(((s.lo(node), s.hi(node), new),), 0.9, line, "`==` should be `=`")
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.Sub):
        sign = "+" if isinstance(value.op, ast.Add) else "-"
        new = f"{s.of(value.left)} {sign}= {s.of(value.right)}"
        yield Change(((s.lo(node), s.hi(node), new),), 0.8, line, f"the result of `{text}` is dropped")
    if inside:
        yield Change(((s.lo(node), s.lo(node), "return "),), 0.5, line, f"`{text}` is not returned")
    for name in s.values:
        yield Change(((s.lo(node), s.lo(node), f"{name} = "),), 0.06, line, f"the result of `{text}` is dropped")


def _before(s: Scope, node: ast.AST) -> ast.stmt | None:
    for name in ("body", "orelse", "finalbody"):
        body = getattr(s.parents.get(node), name, None)
        if isinstance(body, list) and node in body:
            at = body.index(node)
            return body[at - 1] if at else None
    return None


def removed(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A statement too many inside a block, a condition around statements too many, an ``else`` too many."""
    if not isinstance(node, ast.stmt) or isinstance(s.parents.get(node), ast.Module) or s.indent(node) is None:
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Pass | ast.Global | ast.Nonlocal | ast.Try | ast.Raise):
        return
    line = node.lineno
    start, end, _ = s.block(node)
    only = next((b for b in s.blocks() if len(b) == 1 and b[0] is node), None)
    text = s.text[start:end]
    short = s.of(node).splitlines()[0]
    if s.text.startswith("elif", s.lo(node)):
        return
    prior = 0.3 if not hasattr(node, "body") else 0.14
    if isinstance(node, ast.Return):
        prior = 0.15
    nothing = f"{s.indent(node)}pass\n" if only else ""
    yield Change(((start, end, nothing),), prior, line, f"`{short}` is too many")
    if isinstance(node, ast.If | ast.While | ast.For) and not node.orelse and s.indent(node.body[0]) is not None:
        inner = s.text[s.block(node.body[0])[0] : end]
        yield Change(((start, end, _shift(inner, str(s.indent(node.body[0])), str(s.indent(node)))),), 0.2, line, f"`{short}` is too many")
    if isinstance(node, ast.If) and node.orelse and not s.is_elif(node, node.orelse) and s.indent(node.orelse[0]) is not None:
        head = s.block(node.body[-1])[1]
        inner = _shift(s.text[s.block(node.orelse[0])[0] : end], str(s.indent(node.orelse[0])), str(s.indent(node)))
        yield Change(((head, end, inner),), 0.2, line, "`else` is too many")
        if s.indent(node.body[0]) is not None:
            body = s.text[s.block(node.body[0])[0] : head]
            other = s.text[s.block(node.orelse[0])[0] : end]
            swap = (s.block(node.body[0])[0], head, _ended(other)), (s.block(node.orelse[0])[0], end, body)
            yield Change(swap, 0.3, line, "the branches are exchanged")
    del text


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _shift(text: str, old: str, new: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(new + line[len(old) :] if line.startswith(old) else line for line in lines)


def moved(s: Scope, node: ast.AST) -> Iterator[Change]:
    """The last statement of a block after it, the statement after a block into it, two neighbours exchanged."""
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if not isinstance(body, list) or not body or isinstance(node, ast.Module):
            continue
        for first, second in zip(body, body[1:], strict=False):
            yield from _neighbours(s, first, second)
    if not isinstance(node, ast.If | _LOOPS | ast.With) or s.indent(node) is None or not isinstance(node.body[-1], ast.stmt):
        return
    outer = str(s.indent(node))
    for body in (node.body, node.orelse) if isinstance(node, ast.If | _LOOPS) else (node.body,):
        if len(body) < 2 or s.indent(body[-1]) is None or (body is node.orelse and len(body) == 1):
            continue
        last = body[-1]
        start, end, _ = s.block(last)
        text = _ended(_shift(s.text[start:end], str(s.indent(last)), outer))
        whole = s.block(node)[1]
        words = f"`{s.of(last).splitlines()[0]}` belongs after the block"
        if whole == end:
            yield Change(((start, end, text),), 0.6 if isinstance(last, ast.Return) else 0.35, last.lineno, words)
        else:
            yield Change(((start, end, ""), (whole, whole, text)), 0.25, last.lineno, words)
        first = body[0]
        at = s.block(node)[0]
        if s.indent(first) is not None:
            lo, hi, _ = s.block(first)
            text = _shift(s.text[lo:hi], str(s.indent(first)), outer)
            yield Change(((at, at, text), (lo, hi, "")), 0.25, first.lineno, f"`{s.of(first).splitlines()[0]}` belongs before the block")


def _neighbours(s: Scope, first: ast.stmt, second: ast.stmt) -> Iterator[Change]:
    if s.indent(first) is None or s.indent(second) is None or s.text.startswith("elif", s.lo(second)):
        return
    a, b = s.block(first), s.block(second)
    texts = s.text[a[0] : a[1]], s.text[b[0] : b[1]]
    words = f"`{s.of(first).splitlines()[0]}` and `{s.of(second).splitlines()[0]}` are in the wrong order"
    if not s.is_doc(getattr(first, "value", first)):
        yield Change(((a[0], a[1], _ended(texts[1])), (b[0], b[1], texts[0])), 0.3, first.lineno, words)
    if isinstance(first, ast.If | _LOOPS) and s.indent((first.orelse or first.body)[-1]) is not None:
        inner = str(s.indent((first.orelse or first.body)[-1]))
        text = _shift(texts[1], str(s.indent(second)), inner)
        prior = 0.15 if isinstance(second, ast.Return) else 0.35
        yield Change(((b[0], b[1], text),), prior, second.lineno, f"`{s.of(second).splitlines()[0]}` belongs into the block above")
        if first.orelse and s.indent(first.body[-1]) is not None:
            at = s.block(first.body[-1])[1]
            yield Change(((at, at, _ended(_shift(texts[1], str(s.indent(second)), str(s.indent(first.body[-1]))))), (b[0], b[1], "")), 0.15, second.lineno, f"`{s.of(second).splitlines()[0]}` belongs into the branch above")


def inserted(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A statement is missing: made of the names at hand, or the same as one elsewhere in the function."""
    if node is not s.tree:
        return
    made = list(_made(s))
    for body in s.blocks():
        owner = s.parents[body[0]]
        if isinstance(owner, ast.ClassDef):
            continue
        looped = isinstance(owner, _LOOPS) or s.in_loop(body[0])
        for n, stmt in enumerate([*body, body[-1]]):
            last = n == len(body)
            if s.indent(stmt) is None or (last and isinstance(stmt, ast.Return | ast.Raise | ast.Continue | ast.Break)):
                continue
            start, end, _ = s.block(stmt)
            at = end if last else start
            pad = "" if s.text[:at].endswith("\n") or not at else "\n"
            for text, prior, loop in made:
                if loop and not looped:
                    continue
                yield Change(((at, at, f"{pad}{s.indent(stmt)}{text}\n"),), prior, s.parents[stmt].lineno if last and False else stmt.lineno, f"`{text}` is missing", rare=prior < 0.12)


def _idle(s: Scope) -> dict[str, str]:
    """Collections that are made empty and never filled, with their kind: what should fill them is missing."""
    found: dict[str, str] = {}
    for node in s.order:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = s.of(node.value)
            if text in ("[]", "list()", "set()"):
                found[node.targets[0].id] = SET if text == "set()" else ITEMS
    for node in s.order:
        touched = node.value if isinstance(node, ast.Attribute | ast.Subscript) else getattr(node, "target", None)
        if isinstance(touched, ast.Name):
            found.pop(touched.id, None)
    return found


def _made(s: Scope) -> Iterator[tuple[str, float, bool]]:
    """(statement, prior, only inside loops) for each statement that could be missing."""
    used = {n.attr for n in s.order if isinstance(n, ast.Attribute)}
    idle = _idle(s)
    for name in s.values:
        kinds = s.hints.kinds.get(name, frozenset())
        if not kinds or NUMBER in kinds:
            for text, prior in ((f"{name} += 1", 0.35), (f"{name} -= 1", 0.25), (f"{name} = 0", 0.14), (f"{name} = 1", 0.08)):
                yield text, prior, "=" in text and "=" != text
        if not kinds or ITEMS in kinds:
            yield f"{name} = []", 0.1, True
        if not kinds or TEXT in kinds:
            yield f"{name} = ''", 0.1, True
        yield f"return {name}", 0.25, False
        for other in s.values:
            if name != other:
                alike = 1.0 if s.alike(other, kinds) else 0.1
                yield f"{name} = {other}", 0.2 * alike, False
                if not kinds or NUMBER in kinds:
                    for op, prior in (("+=", 0.18), ("-=", 0.14), ("*=", 0.1), ("//=", 0.08)):
                        yield f"{name} {op} {other}", prior * alike, False
                if name in idle or kinds & {ITEMS, SET, DICT} or not kinds or kinds - {NUMBER, TEXT, TRUTH}:
                    for method, prior in _GROWS.items():
                        if method in used:
                            yield f"{name}.{method}({other})", prior * (1.3 if name in idle else 0.7), False
        if (kinds & {ITEMS, SET} or name in idle) and not used & {"append", "add"}:
            for other in s.values:
                if other != name:
                    yield f"{name}.{'append' if ITEMS in (kinds or {idle.get(name, ITEMS)}) else 'add'}({other})", 0.5 if name in idle else 0.2, False
        if kinds & {ITEMS}:
            yield f"{name}.pop()", 0.12, False
            yield f"{name}.sort()", 0.14, False
            yield f"{name} = sorted({name})", 0.12, False
        if kinds & {TEXT}:
            yield f"{name} = {name}.lower()", 0.1, False
    yield from (("continue", 0.14, True), ("break", 0.25, True), ("return", 0.05, False))
    for text, prior in (("True", 0.25), ("False", 0.25), ("None", 0.1), ("[]", 0.1), ("0", 0.1)):
        yield f"return {text}", prior, False
    for node in s.order:
        if isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Return) and node not in s.frozen:
            text = s.of(node)
            if "\n" not in text and len(text) < 80 and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                yield text, 0.22, False


def guards(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A base case is missing: ``if n <= 1: return n`` before the recursion; a condition is missing around a statement."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
        first = next((b for b in node.body if not (isinstance(b, ast.Expr) and s.is_doc(b.value))), node.body[-1])
        indent = s.indent(first)
        if indent is None:
            return
        names = tuple(a.arg for a in node.args.args if a.arg != "self")
        recursive = any(isinstance(n, ast.Call) and getattr(n.func, "id", getattr(n.func, "attr", "")) == node.name for n in ast.walk(node))
        at = s.block(first)[0]
        weight = 1.0 if recursive else 0.45
        for test, prior in tests_of(s, names):
            if prior < 0.1:
                continue
            for value, likely in _base_values(names):
                text = f"{indent}if {test}:\n{indent}    return {value}\n"
                yield Change(((at, at, text),), prior * likely * weight, node.lineno, f"`{node.name}` lacks the case `if {test}: return {value}`", rare=not recursive)
    elif isinstance(node, ast.Expr | ast.AugAssign | ast.Assign) and s.indent(node) is not None and not isinstance(s.parents[node], ast.Module):
        start, end, _ = s.block(node)
        indent = s.indent(node)
        body = "".join(f"    {line}" for line in s.text[start:end].splitlines(keepends=True))
        for test, prior in tests_of(s, s.values):
            if prior >= 0.2 and not s.is_doc(getattr(node, "value", node)):
                yield Change(((start, end, f"{indent}if {test}:\n{body}"),), prior * 0.35, node.lineno, f"`{s.of(node).splitlines()[0]}` lacks the condition `{test}`", rare=True)


def _base_values(names: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    for name in names:
        yield name, 0.8
    yield from (("1", 0.9), ("0", 0.9), ("[]", 0.7), ("''", 0.5), ("None", 0.3), ("True", 0.5), ("False", 0.6), ("-1", 0.3), ("{}", 0.2), ("[[]]", 0.3))
    for name in names:
        yield f"[{name}]", 0.3


def missing_return(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A function that ends without returning what it made; a local name that is bound only on some paths."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or s.indent(node.body[-1]) is None:
        return
    end, indent = s.block(node.body[-1])[1], s.indent(node.body[-1])
    pad = "" if s.text[:end].endswith("\n") else "\n"
    if not isinstance(node.body[-1], ast.Return):
        for name in s.values:
            yield Change(((end, end, f"{pad}{indent}return {name}\n"),), 0.6, node.body[-1].lineno, f"`{node.name}` does not return `{name}`")
    first = node.body[0]
    at = s.block(first)[0]
    if s.indent(first) is None:
        return
    for name in s.values:
        targets = [n for n in ast.walk(node) if isinstance(n, ast.AugAssign) and getattr(n.target, "id", "") == name]
        if targets:
            for value, prior in (("0", 0.4), ("1", 0.2), ("[]", 0.2), ("''", 0.2)):
                yield Change(((at, at, f"{indent}{name} = {value}\n"),), prior, first.lineno, f"`{name}` has no first value")
            yield Change(((at, at, f"{indent}global {name}\n"),), 0.3, first.lineno, f"`{name}` is the global one")
    yield from _shared_default(s, node, at, str(indent))


def _shared_default(s: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef, at: int, indent: str) -> Iterator[Change]:
    """A list or dict as default is shared by all calls."""
    names = [a.arg for a in node.args.args][len(node.args.args) - len(node.args.defaults) :]
    for name, default in zip(names, node.args.defaults, strict=False):
        if isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call):
            text = f"{indent}if {name} is None:\n{indent}    {name} = {s.of(default)}\n"
            yield Change((s.put(default, "None"), (at, at, text)), 0.7, node.lineno, f"the default of `{name}` is shared by all calls")


TEMPLATES = (kinds_of_statement, removed, moved, inserted, guards, missing_return)
