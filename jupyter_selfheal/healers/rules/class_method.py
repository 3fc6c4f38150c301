"""API212: arguments that a class takes by one of its class methods now, or when it is made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument, quote_alike
from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import find_assignment, find_keyword, read_literal
from jupyter_selfheal.healers.rules.context.rewritten_calls import build_argument_splice
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"(\w+)\(\) got an unexpected keyword argument '(\w+)'")


class ClassMethod(Rule):
    """Give arguments to the part of a class that takes them: a class method, or the constructor.

    **Failure** `TypeError: PeriodIndex.__new__() got an unexpected keyword argument 'year'`.

    **Fix** `pd.PeriodIndex(year=years, quarter=quarters)` becomes `pd.PeriodIndex.from_fields(year=years, quarter=quarters)`: the only one of the
    installed class's methods `from_…` that has all the arguments as parameters (the `name` of an index is given by `rename`). `ExponentialSmoothing(ts).fit(use_boxcox=True)` becomes
    `ExponentialSmoothing(ts, use_boxcox=True).fit()`: the constructor has the argument that the method has not, and it is not given there. A value that is called otherwise since goes with it (`ARIMA(…).fit(trend="nc")`, `ARIMA(…, trend="n").fit()`).

    **Fix safety** Safe: all arguments keep their names; of a class method there are two at least, and no other method of the class takes them. What goes to
    the constructor is a literal, and the object is made in the same cell and used by this call alone there. Silent where a positional argument is given to
    what becomes a class method, and for classes of the notebook's own.
    """

    code = "API212"
    name = "arguments that a class method takes now"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "One method of the installed class takes all of these arguments by these names."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        match = MESSAGE.search(context.failure.evalue)
        if match is None:
            return
        if match[1] not in ("__new__", "__init__"):
            yield from self._give_to_constructor(context, match[1], match[2])
            return
        for call in context.list_calls_at_failure():
            keywords = {k.arg for k in call.keywords if k.arg}
            if call.args or match[2] not in keywords or len(keywords) < 2 or len(keywords) < len(call.keywords):
                continue
            made = context.describe(call.func)
            if made is None or not made.is_class or made.path.startswith("__main__"):
                continue
            makers = [name for name in made.attributes if name.startswith("from_")]
            named = find_keyword(call, "name") if "rename" in made.attributes and len(keywords) > 2 else None
            parameters = {name: _list_parameters(context, call.func, name) for name in makers}
            fitting = [name for name in makers if keywords <= parameters[name]]
            splices: list[Splice] = []
            if not fitting and named is not None:  # an index is named afterwards
                fitting = [name for name in makers if keywords - {"name"} <= parameters[name]]
                last = context.span(call)[1]
                splices = [
                    build_argument_splice(context, call, named, ""),
                    (last, last, f".rename({context.text(named.value)})"),
                ]
            if len(fitting) == 1:
                end = context.span(call.func)[1]
                yield self.patch(
                    context.replace_here((end, end, f".{fitting[0]}"), *splices),
                    f"Make it by `{context.text(call.func)}.{fitting[0]}`",
                    f"`{context.text(call.func)}` itself takes no `{match[2]}`.",
                    prior=0.93,
                )
            return

    def _give_to_constructor(self, context: RuleContext, method: str, name: str) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            keyword = find_keyword(call, name)
            if keyword is None or not isinstance(call.func, ast.Attribute) or call.func.attr != method:
                continue
            maker = _find_constructor(context, call.func.value)
            if (
                maker is None
                or not read_literal(keyword.value)[0]
                or any(k.arg in (None, name) for k in maker.keywords)
            ):
                return
            made, signature = context.describe(maker.func), context.signature(maker.func)
            if made is None or not made.is_class or made.path.startswith("__main__") or signature is None:
                return
            parameters = [p.name for p in signature.parameters]
            if name not in parameters or parameters.index(name) < len(maker.args):
                return
            given = _write_keyword(context, keyword, context.text(maker.func).rpartition(".")[2])
            yield self.patch(
                context.replace_here(
                    build_argument_splice(context, call, keyword, ""), append_argument(context.source, maker, given)
                ),
                f"Give `{given}` to `{context.text(maker.func)}`",
                f"`{method}` takes no `{name}`; the class takes it when it is made.",
                why="The installed class has this argument, by the same name, in its constructor alone.",
                prior=0.93,
            )
            return


def _write_keyword(context: RuleContext, keyword: ast.keyword, callee: str) -> str:
    """The argument as the constructor takes it, whose value may be called otherwise now: ``trend='n'`` for `trend='nc'`."""
    text, value = context.text(keyword), getattr(keyword.value, "value", None)
    changes = (v for v in load_knowledge().values if v.keyword == keyword.arg and callee in v.calls)
    new = next((v.new[value] for v in changes if isinstance(value, str) and value in v.new), None)
    return text if new is None else f"{keyword.arg}={quote_alike(str(new), text)}"


def _find_constructor(context: RuleContext, owner: ast.expr) -> ast.Call | None:
    """The call that makes what a method is called on: right before it, or above it in the cell for it alone."""
    if isinstance(owner, ast.Call):
        return owner
    if not isinstance(owner, ast.Name):
        return None
    made = find_assignment(context.source, owner.id, context.line)
    uses = [n for n in context.walk(ast.Name) if n.id == owner.id]
    is_alone = len(uses) == 2 and made is not None and len(made.targets) == 1
    return made.value if is_alone and made is not None and isinstance(made.value, ast.Call) else None


def _list_parameters(context: RuleContext, owner: ast.expr, name: str) -> set[str]:
    signature = context.signature(f"{context.text(owner)}.{name}")
    return {p.name for p in signature.parameters} if signature is not None else set()
