"""UNP101: a loop that unpacks what is no pair."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"too many values to unpack|not enough values to unpack|cannot unpack non-iterable")


class Unpacking(Rule):
    """Go through a dictionary's items, or a list's items with their numbers.

    **Failure** `ValueError: too many values to unpack (expected 2)` or `TypeError: cannot unpack non-iterable int object` at
    `for key, value in d:` or `for n, x in items:`.

    **Fix** `d.items()` for a dictionary; `enumerate(items)` for a list, from 0 and, after it, from 1; `zip(names, prices)` for `names, prices`; `text.splitlines()` where lines are taken apart, and the loop goes through letters; `for name, age, _ in people` of records of three parts; a name that nothing reads goes where there is one too many.

    **Fix safety** Safe for a dictionary of texts or numbers, of which a pair of loop variables can only mean the items, and for as many lists of one length as
    there are variables, each of items of one type. Unsafe for a list: its items may have been meant to be pairs; and for a dictionary of tuples, whose parts may be. Silent
    for records (`["Ann", 30, "Ulm"]`), which go side by side into nothing.
    """

    code = "UNP101"
    name = "unpacking what is no pair"
    enames = frozenset({"ValueError", "TypeError", "IndexError"})
    applicability = Applicability.UNSAFE
    why = "The items may have been meant to be pairs."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if patch := self._go_through_lines(context):
            yield patch
            return
        if not MESSAGE.search(context.failure.evalue):
            return
        _, source, line = context.location
        for node in src.walk(source):
            if isinstance(node, ast.Assign) and node.lineno == line and isinstance(node.targets[0], ast.Tuple):
                if patch := self._leave_unread_out(context, node.targets[0]):
                    yield patch
                return
            if isinstance(node, ast.For | ast.comprehension) and node.target.lineno <= line <= (
                node.iter.end_lineno or 0
            ):
                patches = list(self._mend_loop(context, node))
                yield from patches
                if patches:
                    return

    def _mend_loop(self, context: RuleContext, node: ast.For | ast.comprehension) -> Iterator[Patch]:
        if not isinstance(node.target, ast.Tuple | ast.List):
            return
        if isinstance(node.target, ast.Tuple):
            if patch := self._leave_unread_out(context, node.target):
                yield patch
                return
            if _are_side_by_side(context, node):
                yield self._zip_lists(context, node.iter)
                return
        is_of_parts = isinstance(node.iter, ast.Tuple) and not all(isinstance(e, ast.Constant) for e in node.iter.elts)
        if len(node.target.elts) != 2 or is_of_parts:
            return  # what is unpacked of several parts is each of them
        name = context.read_plain_chain(node.iter)
        thing = context.describe(name) if name else None
        if name is None or thing is None:
            return
        if width := _find_width(context, name):
            yield from self._take_parts(context, node.target, width)
        elif thing.is_a("builtins.dict"):
            yield self._go_through_items(context, node.iter, name)
        elif thing.type in ("list", "tuple", "str", "ndarray", "set") and not context.is_true(
            f"len(next(iter({name}))) == 2 and not isinstance(next(iter({name})), str)"  # pairs, and one that is none
        ):
            yield from self._number_items(context, node, name)

    def _go_through_items(self, context: RuleContext, mapping: ast.expr, name: str) -> Patch:
        """``for key, value in prices.items()``."""
        end = context.span(mapping)[1]
        sure = not context.is_true(f"any(isinstance(key, tuple) for key in {name})")
        return self.patch(
            context.replace_here((end, end, ".items()")),
            f"Go through `{name}.items()`",
            f"`{name}` does not give pairs.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why="A pair of variables over a dictionary means its items." if sure else self.why,
            prior=0.9 if sure else 0.6,
        )

    def _number_items(self, context: RuleContext, node: ast.For | ast.comprehension, name: str) -> Iterator[Patch]:
        """``for n, x in enumerate(items)``, of a statement from 1, too: only what is stored can tell where it is to count from."""
        texts = [f"enumerate({name})", f"enumerate({name}, 1)"][: 2 if isinstance(node, ast.For) else 1]
        for text, prior in zip(texts, (0.6, 0.4), strict=False):
            yield self.patch(
                context.replace_here((*context.span(node.iter), text)),
                f"Go through `{text}`",
                f"`{name}` does not give pairs.",
                prior=prior,
            )

    def _go_through_lines(self, context: RuleContext) -> Patch | None:
        """``for line in text: name, age = line.split(",")``: the loop goes through the letters of a text of several lines."""
        loops = [n for n in context.walk(ast.For) if n.lineno < context.line <= (n.end_lineno or 0)]
        loop = loops[-1] if loops else None
        told = re.search(r"not enough values|^list index out of range$", context.failure.evalue)
        if loop is None or not isinstance(loop.target, ast.Name) or told is None:
            return None
        text, name = context.text(loop.iter), loop.target.id
        split = [
            c
            for c in context.list_nodes_on_line(ast.Call)
            if context.text(c).startswith((f"{name}.split(", f"{name}.strip("))
        ]
        is_read = (
            isinstance(loop.iter, ast.Call)
            and isinstance(loop.iter.func, ast.Attribute)
            and loop.iter.func.attr == "read"
        )
        is_text = context.read_plain_chain(loop.iter) and context.is_true(
            f"isinstance({text}, str) and chr(10) in {text}"
        )
        if not split or not (is_read or is_text) or not context.is_true(f"len({name}) == 1"):
            return None
        end = context.span(loop.iter)[1]
        return self.patch(
            context.replace_here((end, end, ".splitlines()")),
            f"Go through the lines: `{text}.splitlines()`",
            f"A loop over a text goes through its letters, and `{name}` is one of them.",
            applicability=Applicability.SAFE,
            why="The text has several lines, and each is taken apart in the loop.",
            prior=0.93,
        )

    def _zip_lists(self, context: RuleContext, lists: ast.expr) -> Patch:
        """``for name, price in zip(names, prices)``."""
        cell_id, source, _ = context.location
        start, end = src.find_span(source, lists)
        parts = lists.elts if isinstance(lists, ast.Tuple) else []
        is_named = all(isinstance(part, ast.Name | ast.Attribute) for part in parts)
        inside = source[start:end].removeprefix("(").removesuffix(")")
        return self.patch(
            context.replace(cell_id, [(start, end, f"zip({inside})")]),
            f"Go through `zip({inside})`",
            "The loop goes through the lists one after the other, and not through their items side by side.",
            applicability=Applicability.SAFE if is_named else Applicability.UNSAFE,
            why="There are as many variables as lists, all of one length." if is_named else self.why,
            prior=0.92 if is_named else 0.7,
        )

    def _leave_unread_out(self, context: RuleContext, target: ast.Tuple) -> Patch | None:
        """``for day, text, level in pairs``, ``low, high, mean = find_ends(xs)``, where no cell reads the one, and there are two parts."""
        told = re.search(r"not enough values to unpack \(expected (\d+), got (\d+)\)", context.failure.evalue)
        names = [e.id for e in target.elts if isinstance(e, ast.Name)]
        if not told or int(told[1]) != len(names) or len(names) != len(target.elts) or int(told[2]) < 2:
            return None
        read = {n.id for n in context.walk_notebook() if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        left = [n for n in names if n in read]
        if len(left) != int(told[2]):
            return None
        return self.patch(
            context.replace_here((*context.span(target), ", ".join(left))),
            f"Unpack into `{', '.join(left)}`",
            f"Each item has {told[2]} parts, and nothing reads {', '.join(f'`{n}`' for n in names if n not in read)}.",
            why="The data may lack a part.",
            prior=0.7,
        )

    def _take_parts(self, context: RuleContext, target: ast.Tuple | ast.List, width: int) -> Iterator[Patch]:
        """``for name, age, _ in people`` of records of three parts."""
        rest = "_" if width == 3 else "*_"
        end = context.span(target.elts[-1])[1]
        yield self.patch(
            context.replace_here((end, end, f", {rest}")),
            f"Let `{rest}` take what is behind the first two parts",
            f"Each item has {width} parts, and the loop has two names.",
            why="Which part is meant by which name is not known.",
            prior=0.6,
        )


def _find_width(context: RuleContext, name: str) -> int:
    """How many parts each item of a list has, where all are tuples or lists of one length above two."""
    rows = f"isinstance({name}, (list, tuple)) and {{len(_) if isinstance(_, (list, tuple)) else 0 for _ in {name}}}"
    width = context.number(f"max({rows}) if {rows} else 0") or 0
    return int(width) if width > 2 and context.is_true(f"len({rows}) == 1") else 0


def _are_side_by_side(context: RuleContext, node: ast.For | ast.comprehension) -> bool:
    """``for name, price in names, prices``: as many variables as lists, which are all of one length, and no pairs."""
    match node:
        case ast.For(ast.Tuple(variables), ast.Tuple(lists)) | ast.comprehension(
            ast.Tuple(variables), ast.Tuple(lists)
        ):
            pass
        case _:
            return False
    chains = [context.read_plain_chain(part) for part in lists]
    if len(variables) != len(lists) or len(set(chains)) != len(lists) or None in chains:
        return False
    things = context.describe_all([chain for chain in chains if chain])
    kinds = {"list", "tuple", "ndarray", "Series", "range"}
    return (
        all(t.type in kinds for t in things)
        and len({t.length for t in things}) == 1
        and things[0].length != len(lists)
        and not any(context.is_true(f"isinstance({c}, list | tuple) and len({{type(item) for item in {c}}}) > 1") for c in chains)
    )  # fmt: skip
