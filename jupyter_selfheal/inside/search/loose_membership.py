"""`day in record[1]` for `day == record[1]`: with texts "1" is in "10", too; `month in record`, which is looked for in all parts of a record; and
`one[0] == other[0]`, which looks at one part of records that may be meant as a whole.

Where every check passes with another equality as well, and some check needs that the question holds, none tells which is meant: what is given has the part
that is looked for as a whole, or in one place, each time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType

from jupyter_selfheal.inside.search.candidates import Maker
from jupyter_selfheal.inside.search.program import Unit
from jupyter_selfheal.inside.search.run_candidate import Runner

MOST = 4
"""Questions that are looked at."""
PARTS = 3
"""Parts of a record that may be meant."""
EACH = 25_000
"""Steps for the checks of one change."""
_WORD, _HEAD = re.compile(r"\w+"), re.compile(r"(?:async )?def (\w+)")
_SIGNS: dict[type[ast.cmpop], str] = {ast.In: "==", ast.NotIn: "!=", ast.Eq: "==", ast.NotEq: "!="}


@dataclass(frozen=True, slots=True)
class _Question:
    """A question whether something is in a text or a record: ``never`` is the program in which it is never so, ``equal`` are those that ask for
    equality, each with the words of it."""

    words: str
    never: CodeType
    equal: tuple[tuple[str, CodeType], ...]


def describe_loose_membership(
    runner: Runner, maker: Maker, texts: Mapping[int, str], codes: Mapping[int, CodeType]
) -> str:
    """The doubt about a patched function that asks whether something is in a text or a record where an equality passes the same checks; empty where
    none does. To be called in a fork."""
    for unit, text in texts.items():
        for question in _list_questions(maker, unit, text):
            if _passes_checks(runner, codes, unit, question.never):
                continue
            for words, code in question.equal:
                if _passes_checks(runner, codes, unit, code):
                    return f"`{words}` for `{question.words}` passes the same checks"
    return ""


def add_called(units: Sequence[Unit], texts: Mapping[int, str]) -> dict[int, str]:
    """The changed texts by unit, and with them the functions of the program that they call: what these give is part of what is mended."""
    words = {word for text in texts.values() for word in _WORD.findall(text)}
    called = {
        n: unit.text
        for n, unit in enumerate(units)
        if n not in texts and unit.mutable and (head := _HEAD.match(unit.text)) and head[1] in words
    }
    return {**texts, **called}


def _passes_checks(runner: Runner, codes: Mapping[int, CodeType], unit: int, code: CodeType) -> bool:
    return runner.run({**codes, unit: code}, EACH, 1).plausible


def _list_questions(maker: Maker, unit: int, text: str) -> Iterator[_Question]:
    """The questions of a text, each first as one of texts and then as one of records: what is of another type is left as it is."""
    asked = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Compare) and len(n.ops) == 1]
    for node in [n for n in asked if any(_list_equalities(n))][:MOST]:
        words, never = ast.unparse(node), repr(isinstance(node.ops[0], ast.NotIn | ast.NotEq))
        for whole, type_, equal in _list_equalities(node):
            made = [
                maker.compile_text(
                    unit, _put_comparison(text, node, f"({other} if isinstance({whole}, {type_}) else {words})")
                )
                for other in (never, *equal)
            ]
            if made[0] is not None:
                known = ((e, code) for e, code in zip(equal, made[1:], strict=True) if code is not None)
                yield _Question(words, made[0], tuple(known))


def _list_equalities(node: ast.Compare) -> Iterator[tuple[str, str, list[str]]]:
    """What a question is asked of, a type that this may have, and the equalities that may be meant then."""
    left, right, sign = ast.unparse(node.left), ast.unparse(node.comparators[0]), _SIGNS.get(type(node.ops[0]), "")
    match node.left, node.ops[0], node.comparators[0]:
        case _, ast.In() | ast.NotIn(), ast.Name() | ast.Subscript():
            yield right, "str", [f"{left} {sign} {right}"]
            yield right, "tuple", [f"{left} {sign} {right}[{n}]" for n in range(PARTS)]
        case (
            ast.Subscript(one, ast.Constant(int(place))),
            ast.Eq() | ast.NotEq(),
            ast.Subscript(other, ast.Constant(int(same))),
        ) if place == same:
            yield ast.unparse(one), "tuple", [f"{ast.unparse(one)} {sign} {ast.unparse(other)}"]


def _put_comparison(text: str, node: ast.Compare, changed: str) -> str:
    """A text with something else in place of one comparison."""

    class Put(ast.NodeTransformer):
        def visit_Compare(self, found: ast.Compare) -> ast.AST:
            same = (found.lineno, found.col_offset, found.end_col_offset) == place
            return ast.parse(changed, mode="eval").body if same else self.generic_visit(found)

    place = (node.lineno, node.col_offset, node.end_col_offset)
    return ast.unparse(ast.fix_missing_locations(Put().visit(ast.parse(text))))
