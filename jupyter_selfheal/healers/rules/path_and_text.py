"""FIL105: a path and a text added with a plus."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"unsupported operand type\(s\) for (?:\+=?: '(?:Posix|Windows)Path' and 'str'|/=?: 'str' and 'str')"
)


ENDING = re.compile(r"[_-][^/]+$|\.\w{1,4}$|\.tar\.\w+$")
"""A text that ends a name: `_v2.pkl`, `.zip` (also of a folder); `.gitignore` is a name."""


class PathAndText(Rule):
    """Join a path and its next part with `/`.

    **Failure** `TypeError: unsupported operand type(s) for +: 'PosixPath' and 'str'` at `folder + '/data.txt'`.

    **Fix** `folder / 'data.txt'`, `folder / (name + '.csv')`; `path.with_name(path.name + '.bak')` for a text that ends a name; `Path(folder) / 'data.txt'` of two texts.

    **Fix safety** Safe where the text begins with a slash, the path is a folder (and the text does not end a name, as `.zip` does), or the text is the whole name of a file and the path has no extension and does not go on (`run_`): nobody runs two words together. Unsafe otherwise: a longer name may be meant.
    """

    code = "FIL105"
    name = "path and text"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "What follows the slash is the next part of the path."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if "'str' and 'str'" in context.failure.evalue:
            yield from self._make_path(context)
            return
        for node in context.list_failing_nodes(ast.BinOp):
            top = _find_whole_sum(context, node)
            first, *others = _list_operands(top)
            parts = _split_parts(context, others)
            if not parts:
                return
            if name := _lengthen_name(context, first, others):
                yield self.patch(
                    context.replace_here((*context.span(top), name)),
                    f"Use `{name}`",
                    "A path and a text cannot be added; this makes the path's name longer.",
                    applicability=Applicability.UNSAFE,
                    why="A file in the folder may be meant.",
                    prior=0.6,
                )
                return
            is_sure = (
                _begins_with_slash(others[0])
                or context.is_true(f"({context.text(first)}).is_dir()")
                or _is_file_in(context, first, others)
            )
            text = " / ".join([context.operand(first), *parts])
            yield self.patch(
                context.replace_here((*context.span(top), text)),
                f"Use `{text}`",
                "A path and its next part are joined with `/`.",
                applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
                why=self.why if is_sure else "A longer name may be meant, not a file in the folder.",
                prior=0.92 if is_sure else 0.5,
            )
            return

    def _make_path(self, context: RuleContext) -> Iterator[Patch]:
        """``folder / "people.csv"`` of two texts."""
        for node in context.list_failing_nodes(ast.BinOp):
            ends = [n.right for n in context.walk(ast.BinOp) if any(inner is node for inner in _walk_left(n))]
            known = context.reference("pathlib.Path") if any(map(_is_name_of_file, ends)) else None
            is_address = context.is_true(f"'://' in ({context.text(node.left)})")
            if known is None or isinstance(node.left, ast.BinOp) or is_address:
                return
            imports = context.add_imports([known.import_line] if known.import_line else [])
            new = f"{known.text}({context.text(node.left)})"
            yield self.patch(
                context.replace_here(*imports, (*context.span(node.left), new)),
                f"Make a path of it: `{new}`",
                "`/` joins paths, and both sides are texts.",
                why="The name of a file stands behind the slash, and a path joins it.",
                prior=0.93,
            )
            return


def _is_name_of_file(node: ast.expr) -> bool:
    """A text with an ending, as ``"people.csv"``, also one that is put together."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    last = parts[-1].value if parts and isinstance(parts[-1], ast.Constant) else None
    return isinstance(last, str) and re.search(r"\.[A-Za-z]\w{1,4}$", last) is not None


def _find_whole_sum(context: RuleContext, node: ast.BinOp) -> ast.BinOp:
    """The longest chain of ``+`` that begins with the failing one."""
    chains = [
        n
        for n in context.walk(ast.BinOp)
        if isinstance(n.op, ast.Add) and any(inner is node for inner in _walk_left(n))
    ]
    return max(chains, key=lambda n: context.span(n)[1], default=node)


def _walk_left(node: ast.expr) -> Iterator[ast.expr]:
    while isinstance(node, ast.BinOp):
        yield node
        node = node.left


def _list_operands(node: ast.expr) -> list[ast.expr]:
    operands = [n.right for n in _walk_left(node) if isinstance(n, ast.BinOp)][::-1]
    first = list(_walk_left(node))[-1]
    return [first.left if isinstance(first, ast.BinOp) else first, *operands]


def _is_file_in(context: RuleContext, first: ast.expr, others: list[ast.expr]) -> bool:
    """A whole name of a file, behind a path that has no extension, is no file, and ends as a name does: ``run_`` goes on."""
    name = others[0].value if len(others) == 1 and isinstance(others[0], ast.Constant) else None
    is_name = isinstance(name, str) and re.fullmatch(r"[A-Za-z]\w{2,}\.[a-z]\w{1,5}", name) is not None
    folder = context.text(first)
    return is_name and context.is_true(
        f"not ({folder}).suffix and not ({folder}).exists() and ({folder}).name[-1:].isalnum()"
    )


def _lengthen_name(context: RuleContext, first: ast.expr, others: list[ast.expr]) -> str:
    """``path.with_name(path.name + "_v2.pkl")``, where a text begins as the end of a name does; else empty."""
    ending = others[0].value if isinstance(others[0], ast.Constant) else None
    path = context.read_plain_chain(first)
    if path is None or not isinstance(ending, str) or not ENDING.match(ending):
        return ""
    return f"{path}.with_name({' + '.join([f'{path}.name', *map(context.operand, others)])})"


def _begins_with_slash(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and str(node.value).startswith("/")


def _split_parts(context: RuleContext, operands: list[ast.expr]) -> list[str]:
    """The parts of the path that the operands make, each as it is written; a slash in a literal text begins a new one."""
    parts: list[list[str]] = [[]]
    for operand in operands:
        if not isinstance(operand, ast.Constant) or not isinstance(operand.value, str):
            parts[-1].append(context.operand(operand))
            continue
        for number, piece in enumerate(operand.value.split("/")):
            if number:
                parts.append([])
            if piece:
                parts[-1].append(repr(piece))
    return [f"({' + '.join(p)})" if len(p) > 1 else p[0] for p in parts if p]
