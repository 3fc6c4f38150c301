"""PDA119: tables that are joined on a column that one of them spells otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import quote_text
from jupyter_selfheal.healers.rules.context.spelling import is_abbreviated, normalize
from jupyter_selfheal.model import Applicability, Patch

_LOOKED_UP = "len({0}) > 1 and {0}[{1!r}].is_unique and {2}[{3!r}].dropna().isin({0}[{1!r}]).all()"

_TEXTS = "{0}[{1!r}].map(type).eq(str).any() and {0}[{1!r}].nunique() > 1"
MOST_COLUMNS = 20
"""Of how many columns the values are compared, where no name tells."""


class MergeKeys(Rule):
    """Join on a column although the tables spell it differently.

    **Failure** `KeyError: 'customer_id'` at `orders.merge(customers, on="customer_id")`, where the other table has `CustomerID`.

    **Fix** The other table's column is renamed in the call: `customers.rename(columns={"CustomerID": "customer_id"})`. Where it has another name (`uid`),
    both are named: `left_on="user_id", right_on="uid"`.

    **Fix safety** Safe where one column only of that table differs from the key in case and punctuation alone, and holds one of its values
    (or values of another type); silent where it holds none. Safe for the same words in short (`cust_id`), where no two rows have the same and all of the key's values are among them. Unsafe for another name: one column
    only ends in the same letters and holds none but the key's values, or is named by the key and one more word (`store`, `store_name`), or holds texts, and one of the two holds all values of the other.
    """

    code = "PDA119"
    name = "key of a join"
    stage = Stage.LIBRARY
    enames = frozenset({"KeyError"})
    applicability = Applicability.SAFE
    why = "One column only of the table is the key's name but for case and punctuation."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        wanted = context.failure.evalue.strip("'\"")
        for call in context.list_calls_at_failure():
            tables = _list_joined_tables(call)
            on = next((k.value for k in call.keywords if k.arg == "on"), None)
            if not tables or not _names_only(on, wanted):
                continue
            held = [set(k.columns) if (k := context.keys(t)) is not None else set() for t in tables]
            both = [c for c in set.intersection(*held) if isinstance(c, str)]
            if (
                len(both) == 1
                and min(len(both[0]), len(wanted)) > 2
                and _begin_alike(both[0], wanted)
                and isinstance(on, ast.Constant)
            ):
                new = quote_text(both[0])
                yield self.patch(
                    context.replace_here((*context.span(on), new)),
                    f"Join on {new}",
                    f"No table has a column {wanted!r}, and {both[0]!r} is the one that all have.",
                    applicability=Applicability.UNSAFE,
                    why="It is the one column that the tables share, and begins alike.",
                    prior=0.75,
                )
                return
            for node in tables:
                keys = context.keys(node)
                columns = [c for c in keys.columns if isinstance(c, str)] if keys is not None else []
                near = [c for c in columns if normalize(c) == normalize(wanted)]
                if wanted in columns:
                    continue
                if not near:
                    yield from self._name_both(context, call, node, columns, wanted)
                if len(near) != 1 or not _meet(context, tables, node, near[0], wanted):
                    continue
                text = f"{context.operand(node)}.rename(columns={{{quote_text(near[0])}: {quote_text(wanted)}}})"
                yield self.patch(
                    context.replace(context.cell_id, [(*context.span(node), text)]),
                    f"Match {wanted!r} with the other table's {near[0]!r}",
                    f"`{context.text(node)}` has no column {wanted!r}. Did you mean {near[0]!r}?",
                    prior=0.88,
                )
                return

    def _name_both(
        self, context: RuleContext, call: ast.Call, lacking: ast.expr, columns: list[str], wanted: str
    ) -> Iterator[Patch]:
        """The table has the key under another name: the one column that ends alike and holds nothing else than the key's values."""
        on = next(k for k in call.keywords if k.arg == "on")
        tables = _list_joined_tables(call)
        other = next((t for t in tables if t is not lacking), None)
        if other is None or len(tables) != 2 or not isinstance(on.value, ast.Constant):
            return
        held, holder = context.text(lacking), context.text(other)
        alike = [c for c in columns if c[-2:].casefold() == wanted[-2:].casefold() or _is_word_of(wanted, c)]
        test = "len({0}) > 0 and set({0}[{1!r}].dropna()) <= set({2}[{3!r}].dropna())"
        either = " or set({2}[{3!r}].dropna()) <= set({0}[{1!r}].dropna())"  # where the name itself says it
        short = [
            c
            for c in columns
            if is_abbreviated(c.casefold(), wanted.casefold()) or is_abbreviated(wanted.casefold(), c.casefold())
        ]
        keys = [c for c in short if context.is_true(_LOOKED_UP.format(held, c, holder, wanted))]
        is_sure = len(keys) == 1
        keys = keys if is_sure else [c for c in alike if context.is_true((test + either * _is_word_of(wanted, c)).format(held, c, holder, wanted))]  # fmt: skip
        if not keys and len(columns) <= MOST_COLUMNS:  # texts that are the same say more than a name that ends alike
            keys = [
                c for c in columns if context.is_true(f"{_TEXTS} and ({test}{either})".format(held, c, holder, wanted))
            ]
        if len(keys) != 1:
            return
        left, right = (keys[0], wanted) if lacking is tables[1] else (wanted, keys[0])
        text = f"left_on={quote_text(left)}, right_on={quote_text(right)}"
        yield self.patch(
            context.replace(context.cell_id, [(*context.span(on), text)]),
            f"Join {left!r} with {right!r}",
            f"`{held}` has no column {wanted!r}; its {keys[0]!r} holds the same values.",
            applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
            why="It is the key's name in short, each row has its own, and all values of the key are among them."
            if is_sure
            else "Its values are the key's; the joined table has both columns.",
            prior=0.9 if is_sure else 0.7,
        )


def _meet(context: RuleContext, tables: list[ast.expr], lacking: ast.expr, near: str, wanted: str) -> bool:
    """Whether a value of the key is in the other table's column: `id` of an order is no `ID` of a customer."""
    other = next((t for t in tables if t is not lacking), lacking)
    one, two = (f"{context.text(t)}[{c!r}]" for t, c in ((lacking, near), (other, wanted)))
    test = f"{one}.dtype.kind != {two}.dtype.kind or {one}.isin({two}).any()"
    return other is lacking or context.is_true(test)


def _begin_alike(one: str, other: str) -> bool:
    return one.casefold().startswith(other.casefold()) or other.casefold().startswith(one.casefold())


def _is_word_of(wanted: str, column: str) -> bool:
    """``store`` of ``store_name``, and the other way round."""
    short, long = sorted((wanted.casefold(), column.casefold()), key=len)
    return len(short) > 2 and long.startswith((f"{short}_", f"{short} "))


def _list_joined_tables(call: ast.Call) -> list[ast.expr]:
    """The tables of ``pd.merge(a, b, …)`` or ``a.merge(b, …)``, the right one first; empty for another call."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "merge":
        return []
    named = {k.arg: k.value for k in call.keywords}
    given = [*call.args[:2], *(named[n] for n in ("left", "right") if n in named)]
    both = given if len(given) == 2 else [call.func.value, *given]
    return [n for n in reversed(both) if isinstance(n, ast.Name | ast.Attribute | ast.Subscript)]


def _names_only(on: ast.expr | None, wanted: str) -> bool:
    items = on.elts if isinstance(on, ast.List | ast.Tuple) else [on]
    return any(isinstance(n, ast.Constant) and n.value == wanted for n in items)
