"""API217: a call that set what is always so now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.inside.tree_blocks import list_blocks
from jupyter_selfheal.model import Applicability, Patch

UTF8 = frozenset({"utf8", "utf-8", "utf_8"})


class CallWithoutEffect(Rule):
    """Leave out `sys.setdefaultencoding("utf-8")`, which Python 3 has no need of.

    **Failure** `AttributeError: module 'sys' has no attribute 'setdefaultencoding'`, below a `reload(sys)` of Python 2.

    **Fix** The statement goes, on whatever line it stands; what stands beside it stays.

    **Fix safety** Safe: texts are decoded as UTF-8 by default in Python 3, which is what the call asked for. Silent for another encoding, and where the
    statement is all that a block has.
    """

    code = "API217"
    name = "call that set what is always so now"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "Python 3 has UTF-8 as its default encoding, always (https://docs.python.org/3/library/sys.html#sys.getdefaultencoding)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.attribute != "setdefaultencoding" or context.owner.path != "sys":
            return
        splices = [s for s in (_cut_statement(context, n) for n in _list_calls(context)) if s is not None]
        if not splices:
            return
        yield self.patch(
            context.replace_here(*splices),
            "Leave out `sys.setdefaultencoding`",
            "Python 3 has no `sys.setdefaultencoding`: its default encoding is UTF-8.",
            removes="`sys.setdefaultencoding`: UTF-8 is the default since Python 3",
            prior=0.95,
        )


def _list_calls(context: RuleContext) -> list[ast.Expr]:
    """Statements `sys.setdefaultencoding("utf-8")` that are not all that a block has."""
    found = []
    modules = {ast.dump(n.value) for n in context.list_failing_nodes(ast.Attribute) if n.attr == "setdefaultencoding"}
    for block in (b for n in context.walk(ast.AST) for b in list_blocks(n)):
        for node in block if len(block) > 1 else ():
            match node:
                case ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=module, attr="setdefaultencoding"),
                        args=[ast.Constant(value=str(name))],
                        keywords=[],
                    )
                ) if name.lower() in UTF8 and ast.dump(module) in modules:
                    found.append(node)
    return found


def _cut_statement(context: RuleContext, node: ast.Expr) -> Splice | None:
    """The statement with its whole line, or with the semicolon beside it."""
    start, end = context.span(node)
    source = context.source
    head = source.rfind("\n", 0, start) + 1
    tail = source.find("\n", end) if "\n" in source[end:] else len(source)
    before, after = source[head:start], source[end:tail]
    if not before.strip() and not after.split("#")[0].strip(" \t;"):
        return (head, tail + 1, "") if tail < len(source) else (max(head - 1, 0), tail, "")
    if before.rstrip().endswith(";"):
        return head + len(before.rstrip()) - 1, end, ""
    if after.lstrip().startswith(";"):
        return start, end + len(after) - len(after.lstrip()[1:].lstrip()), ""
    return None
