"""API214: an option in a dictionary that a function no longer takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.changed_keyword import find_keyword_change, name_keyword
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.knowledge import Case, Keyword, load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_literal
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.model import Applicability, Patch

ALIASES = re.compile(
    r"Got both '(\w+)' and '(\w+)', which are aliases|Supply a '(c)' argument or a '(color)' kwarg but not both"
)


class ChangedOption(Rule):
    """Give an option of a dictionary by its new name.

    **Failure** `AttributeError: … got an unexpected keyword argument 'frac'` at `arrowprops={"frac": 0.1}`; `'normed'` at `plt.hist(x, **options)`, with `options = {"normed": True}`
    or `dict(normed=True)` above, and at `hist_kws={"normed": True}`; `Got both 'c' and 'color', which are aliases of one another` at `line_kws={"c": "r"}`, and
    `edgecolor` and `edgecolors` at `scatter_matrix(data, edgecolor="k")`.

    **Fix** What the changelogs (`data/*.toml`) say of the keyword, written in the dictionary. Of two names of one thing, the library's own (`color`) in place of the short one, which had the last word.

    **Fix safety** Safe where the changelog names the successor, or says that the option has had no effect. Unsafe where something is lost. Silent where the dictionary is not written
    down, and where another call or another form took the option's place.
    """

    code = "API214"
    name = "option that is no longer taken"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError", "AttributeError", "ValueError"})
    applicability = Applicability.SAFE
    why = "The library's changelog names the new form of this option."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if both := ALIASES.search(context.failure.evalue):
            one, other = (g for g in both.groups() if g)
            yield from self._name_in_full(context, one, other)
            yield from self._name_in_full(context, other, one)
            return
        name = name_keyword(context.failure.evalue)
        for call in context.list_calls_at_failure() if name else ():
            for keyword in call.keywords:
                written = _find_written(context, keyword.value)
                change = _find_change(context, call, keyword, name) if written else None
                if written is None or change is None:
                    continue
                cell_id, source, options = written
                made = _rewrite_option(source, options, name, change)
                if made is None:
                    continue
                splice, case = made
                edits = context.replace(cell_id, [splice])
                loses = bool(case.unsafe) or not (case.argument or case.idle)
                yield self.patch(
                    edits, f"Change the option `{name}`" if case.argument else f"Take out the option `{name}`",
                    f"`{context.text(call.func)}` no longer takes `{name}` (since {change.libraries[0].partition('.')[0]} {change.version}).",
                    applicability=Applicability.UNSAFE if loses else Applicability.SAFE,
                    why=case.unsafe or (f"`{name}` is left out: {case.removes}" if loses else self.cite(change.source)),
                    removes=case.removes or ("" if case.argument else f"`{name}`"), prior=0.6 if loses else 0.9,
                )  # fmt: skip
                return

    def _name_in_full(self, context: RuleContext, short: str, full: str) -> Iterator[Patch]:
        """The name that the library gives too, where an option, or an argument that the call hands on, has the other one."""
        splices: list[Splice] = []
        for call in context.list_calls_at_failure()[:1]:
            named = [(k, str(k.arg)) for k in call.keywords]
            for node in (n for k in call.keywords for n in ast.walk(k.value)):
                if isinstance(node, ast.Dict) and not any(_is_text(key, full) for key in node.keys):
                    for key, value in zip(node.keys, node.values, strict=True):
                        if key is not None and _is_text(key, short) and _is_plain(value, short):
                            splices.append((*context.span(key), repr(full)))
                elif isinstance(node, ast.Call) and read_last_name(node.func) == "dict":
                    named += [(k, str(k.arg)) for k in node.keywords if full not in [o.arg for o in node.keywords]]
            for keyword, given in named:
                if given == short and _is_plain(keyword.value, short) and not any(k.arg == full for k in call.keywords):
                    start = context.span(keyword)[0]
                    splices.append((start, start + len(short), full))
        if splices:
            cause = f"The library gives a `{full}` itself, and `{short}` is another name for it."
            why = f"`{short}` was taken where both were given, and so is `{full}` where it stands there."
            yield self.patch(context.replace_here(*splices), f"Change `{short}` to `{full}`", cause, why=why, prior=0.9)


def _is_text(node: ast.expr | None, text: str = "") -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and text in ("", node.value)


def _is_plain(value: ast.expr, name: str) -> bool:
    """True for a text, or for a number that is no colour's: what both names take."""
    return _is_text(value) or (isinstance(value, ast.Constant) and type(value.value) in (int, float) and name != "c")


def _find_written(context: RuleContext, value: ast.expr) -> tuple[str, str, ast.Dict | ast.Call] | None:
    """The dictionary as it is written down, there or where its name was last assigned in the failing cell: others are not run again."""
    cell_id, source = context.cell_id, context.source
    if isinstance(value, ast.Name):
        made = context.find_last_assignment(value.id)
        if made is None or made[0] != cell_id:
            return None
        value = made[2].value
    is_call = isinstance(value, ast.Call) and read_last_name(value.func) == "dict" and not value.args
    return (
        (cell_id, source, value) if isinstance(value, ast.Dict) or (is_call and isinstance(value, ast.Call)) else None
    )


def _find_change(context: RuleContext, call: ast.Call, keyword: ast.keyword, name: str) -> Keyword | None:
    live = context.describe_all([call.func], calls=True)[0]
    if keyword.arg is None:
        return find_keyword_change(call, live, name)
    return load_knowledge().keyword(keyword.arg, [live.path], name)


def _rewrite_option(
    source: str, options: ast.Dict | ast.Call, name: str, change: Keyword
) -> tuple[Splice, Case] | None:
    """The splice of the option's entry, and the case of the change that it follows."""
    entries: list[tuple[str, tuple[int, int], ast.expr]] = []
    if isinstance(options, ast.Dict):
        for key, value in zip(options.keys, options.values, strict=True):
            start = src.find_span(source, key or value)[0] if key else src.find_span(source, value)[0] - 2
            text = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
            entries.append((text, (start, src.find_span(source, value)[1]), value))
    else:
        entries = [(str(k.arg), src.find_span(source, k), k.value) for k in options.keywords]
    at = next((n for n, entry in enumerate(entries) if entry[0] == name), None)
    if at is None:
        return None
    _, (start, end), value = entries[at]
    is_literal, given = read_literal(value)
    case = next((c for c in change.cases if not c.values or (is_literal and given in c.values)), None)
    if (
        case is None
        or case.callee
        or case.wrap
        or case.after
        or case.needs
        or "{" in case.argument.replace("{value}", "")
    ):
        return None
    if not case.argument:
        before = entries[at - 1][1][1] if at else start
        comma = re.match(r"\s*,\s*", source[end:]) if len(entries) == 1 else None
        after = entries[1][1][0] if not at and len(entries) > 1 else end + (comma.end() if comma else 0)
        return (before, after, ""), case
    if any(entry[0] == case.argument.partition("=")[0] for entry in entries):
        return None
    written = case.argument.replace("{value}", src.extract_text(source, value))
    return (start, end, written if isinstance(options, ast.Call) else _write_items(written)), case


def _write_items(arguments: str) -> str:
    """``'stat': 'density', 'common_norm': False`` of `stat='density', common_norm=False`."""
    text = f"f({arguments})"
    call = parse_expression(text)
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return ", ".join(f"{k.arg!r}: {src.extract_text(text, k.value)}" for k in keywords)
