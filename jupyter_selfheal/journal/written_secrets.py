"""Secrets that are written into code or a command line, read off by what they are assigned or given to."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.telling_names import is_likely_secret, is_telling

LONGEST = 200_000
"""Characters of a text that is read as code."""

_OPTIONS = re.compile(
    r"(?i)--(?P<name>[a-z][\w-]{0,40})(?:=|[ \t]{1,4})['\"]?(?P<value>[^\s'\"]{4,})"
    r"|(?m:^)[ \t]{0,20}(?:%(?:set_)?env|!?export|!?set)[ \t]{1,4}(?P<variable>\w{1,60})[= ][ \t]{0,4}['\"]?(?P<given>[^\s'\"]{4,})"
    r"|[?&](?P<field>[\w-]{1,40})=(?P<query>[^\s&'\"#]{4,})"
    r"|(?<![\w-])-u[ \t]{0,4}['\"]?[\w.@-]{1,60}:(?P<login>[^\s'\"]{4,})"
)


def list_written_secrets(text: str) -> Iterator[str]:
    """The values that are assigned to telling names in a piece of code, or given by them on a command line or in an address."""
    for match in _OPTIONS.finditer(text):
        name = match["name"] or match["variable"] or match["field"] or "password"
        value = match["value"] or match["given"] or match["query"] or match["login"]
        if is_telling(name) and is_likely_secret(name, value):
            yield value
    if len(text) <= LONGEST:
        for node in src.walk(text):
            for name, value in _list_named(node):
                yield from (v for v in _list_texts(value) if is_telling(name) and is_likely_secret(name, v))


def _list_named(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """(name, what stands under it) of a syntax node."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pair_targets(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield from _pair_targets(node.target, node.value)
    elif isinstance(node, ast.keyword) and node.arg:
        yield node.arg, node.value
    elif isinstance(node, ast.Dict):
        yield from ((_read_name(k), v) for k, v in zip(node.keys, node.values, strict=True) if k is not None)
    elif isinstance(node, ast.arguments):
        given = [*node.posonlyargs, *node.args]
        defaults = node.defaults
        yield from ((a.arg, d) for a, d in zip(given[len(given) - len(defaults) :], defaults, strict=True))
        yield from ((a.arg, d) for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True) if d is not None)
    elif isinstance(node, ast.Compare):
        yield from ((_read_name(node.left), right) for right in node.comparators)
    elif isinstance(node, ast.Call):  # os.environ.setdefault("DB_PASSWORD", "…"), os.getenv("TOKEN", "…")
        named = [_read_name(a) if isinstance(a, ast.Constant) else "" for a in node.args]
        yield from ((name, value) for name, value in zip(named, node.args[1:], strict=False) if name)


def _pair_targets(target: ast.AST, value: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        for one, item in zip(target.elts, value.elts, strict=False):
            yield from _pair_targets(one, item)
    else:
        yield _read_name(target), value


def _read_name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _read_name(node.slice)
    is_word = (
        isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[\w-]{1,60}", node.value)
    )
    return str(node.value) if is_word and isinstance(node, ast.Constant) else ""


def _list_texts(node: ast.AST) -> Iterator[str]:
    """The texts of a literal; of several in a row all, of a call (``str.encode``) those that it begins with. A sum of many texts is as deep as
    it has texts."""
    left = [node]
    while left:
        match left.pop():
            case ast.Constant(value=str() as text):
                yield text
            case ast.Constant(value=bytes() as data):
                yield data.decode("latin-1")
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                left += items[::-1]
            case ast.Dict(values=items) | ast.JoinedStr(values=items):
                left += items[::-1]
            case ast.Call(func=ast.Attribute(value=owner)):
                left.append(owner)
            case ast.BinOp(op=ast.Add(), left=first, right=second):
                left += (second, first)
