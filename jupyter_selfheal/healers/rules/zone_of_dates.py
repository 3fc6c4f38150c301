"""PDA147: dates with a time zone and dates without one, reckoned with each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.model import Applicability, Patch

DATES = ("pandas.Timestamp", "pandas.Series", "pandas.DatetimeIndex", "datetime.datetime")


class ZoneOfDates(Rule):
    """Give both sides a time zone, or neither.

    **Failure** `TypeError: Cannot subtract tz-naive and tz-aware datetime-like objects`, `can't compare offset-naive and offset-aware
    datetimes`, `Invalid comparison between dtype=datetime64[ns, UTC] and Timestamp`.

    **Fix** For the present moment, `datetime.now(other.tzinfo)`. Else the dates without a zone are taken to be of the other ones' zone
    (`stay["came"].dt.tz_localize(stay["left"].dt.tz)`), or the zone is left out (`.dt.tz_localize(None)`). So is a date that rows of a zoned index are asked by (`load[pd.Timestamp("2024-03-02").tz_localize(load.index.tz)]`). Dates without a zone get the one that they were to be converted to, or are taken to be of UTC.

    **Fix safety** Safe for `datetime.now()`: it is the same moment in each zone. Unsafe otherwise: only its author knows which zone dates without one
    are of. Silent where a side is computed.
    """

    code = "PDA147"
    name = "dates with and without a zone"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "KeyError"})
    message = re.compile(
        r"tz-naive and tz-aware|offset-naive and offset-aware|Invalid comparison between dtype=datetime64\[\w+(?:, [^\]]+)?\] and (?:Timestamp|datetime)|"
        r"^(?:Timestamp|datetime\.datetime)\(|^Cannot convert tz-naive|^Already tz-aware"
    )
    applicability = Applicability.UNSAFE
    why = "Only its author knows which zone the dates without one are of."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        yield from self._begin_zone(context)
        pairs = [(n.left, n.right) for n in context.list_nodes_at_failure(ast.BinOp)]
        pairs += [(n.left, n.comparators[0]) for n in context.list_nodes_at_failure(ast.Compare)]
        for pair in pairs:
            lives = context.describe_all(pair, calls=True)
            if not all(live.is_a(*DATES) for live in lives):
                continue
            zones = [_write_zone(context, side, live) for side, live in zip(pair, lives, strict=True)]
            aware = [context.is_true(f"({zone}) is not None") for zone in zones]
            if aware.count(True) != 1:
                continue
            with_zone, without = (0, 1) if aware[0] else (1, 0)
            naive = pair[without]
            clock = _find_clock(naive)
            if clock is not None:
                now = f"{context.text(clock)}.now({zones[with_zone]})"
                yield self.patch(
                    context.replace_here((*context.span(naive), now)),
                    f"Ask for the present moment in that zone: `{now}`",
                    "One of the dates has a time zone, the other one has none.",
                    applicability=Applicability.SAFE,
                    why="The present moment is the same one in each zone.",
                    prior=0.92,
                )
                return
            for side, zone, prior in ((without, zones[with_zone], 0.7), (with_zone, "None", 0.6)):
                written = _write_localized(context, pair[side], lives[side], zone)
                yield self.patch(
                    context.replace_here((*context.span(pair[side]), written)),
                    f"Use `{written}`",
                    "One of the dates has a time zone, the other one has none.",
                    why=self.why if side == without else "The zone is left out, as if both dates were of one place.",
                    prior=prior,
                )
            return
        yield from self._localize_labels(context)

    def _begin_zone(self, context: RuleContext) -> Iterator[Patch]:
        """``tz_localize`` for the `tz_convert` of dates without a zone, or `tz_localize("UTC")` in front of it; and the other way round."""
        for node in context.list_nodes_at_failure(ast.Attribute):
            at = context.find_attribute_span(node)
            if node.attr == "tz_convert" and "naive" in context.failure.evalue:
                readings = [
                    ("tz_localize", "They are of that place."),
                    ('tz_localize("UTC").tz_convert', "They are of UTC."),
                ]
                if any("utc" in getattr(n, "id", getattr(n, "value", "") or "").lower() for n in _list_words(context)):
                    readings.reverse()
            elif node.attr == "tz_localize" and "aware" in context.failure.evalue:
                readings = [("tz_convert", "They have a zone; the same moments in another one may be meant.")]
            else:
                continue
            for n, (new, why) in enumerate(readings):
                yield self.patch(
                    context.replace_here((*at, new)),
                    f"Use `{new}`",
                    "The dates have no zone yet." if len(readings) > 1 else "The dates have a zone already.",
                    why=why if len(readings) == 1 else f"{why} {self.why}",
                    prior=0.65 - 0.05 * n,
                )
            return

    def _localize_labels(self, context: RuleContext) -> Iterator[Patch]:
        """``load[pd.Timestamp("2024-03-02").tz_localize(load.index.tz)]``: dates without a zone that rows of a zoned index are asked by, also as bounds."""
        for node in context.list_failing_nodes(ast.Subscript):
            is_indexer = isinstance(node.value, ast.Attribute) and node.value.attr in ("loc", "at")
            table = node.value.value if isinstance(node.value, ast.Attribute) and is_indexer else node.value
            owner = context.read_plain_chain(table)
            first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            bounds = [first.lower, first.upper] if isinstance(first, ast.Slice) else [first]
            dates = [d for d in bounds if d is not None]
            lives = context.describe_all(dates, calls=True)
            if not owner or not dates or not all(live.is_a("datetime.datetime") for live in lives):
                continue
            zone = f"{owner}.index.tz"
            pairs = list(zip(dates, lives, strict=True))
            texts = [_write_localized(context, date, live, zone) for date, live in pairs]
            free = [f"({context.text(date)}).tzinfo is None" for date in dates]
            if not all(context.are_true([f"{zone} is not None", *free])):
                continue
            if isinstance(first, ast.Slice) or context.is_true(f"({texts[0]}) in {owner}.index"):
                splices = [(*context.span(d), text) for d, text in zip(dates, texts, strict=True)]
                yield self.patch(
                    context.replace_here(*splices),
                    f"Use `{texts[0]}`",
                    f"The dates of `{owner}` have a time zone, and the one that is asked for has none.",
                    prior=0.75,
                )
            return


def _list_words(context: RuleContext) -> list[ast.AST]:
    """Names and texts of the notebook."""
    nodes = context.walk_notebook()
    return [n for n in nodes if isinstance(n, ast.Name) or (isinstance(n, ast.Constant) and isinstance(n.value, str))]


def _find_clock(node: ast.expr) -> ast.expr | None:
    """``datetime`` of ``datetime.now()`` and of ``datetime.utcnow()``."""
    is_call = isinstance(node, ast.Call) and not node.args and not node.keywords
    callee = node.func if isinstance(node, ast.Call) and is_call else None
    return callee.value if isinstance(callee, ast.Attribute) and callee.attr in ("now", "utcnow") else None


def _write_zone(context: RuleContext, date: ast.expr, live: ObjectInfo) -> str:
    text = context.operand(date)
    if live.is_a("pandas.Series"):
        return f"{text}.dt.tz"
    return f"{text}.tzinfo" if live.is_a("datetime.datetime") else f"{text}.tz"


def _write_localized(context: RuleContext, date: ast.expr, live: ObjectInfo, zone: str) -> str:
    text = context.operand(date)
    if live.is_a("pandas.Series"):
        return f"{text}.dt.tz_localize({zone})"
    is_plain = live.is_a("datetime.datetime") and not live.is_a("pandas.Timestamp")
    return f"{text}.replace(tzinfo={zone})" if is_plain else f"{text}.tz_localize({zone})"
