"""API201: a keyword that a function no longer takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Signature, Stage, questions
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.knowledge import ANNOUNCED, Case, Keyword, load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name, read_last_name, read_literal
from jupyter_selfheal.healers.rules.context.remedies import LIKE, NEW_KEYWORD
from jupyter_selfheal.healers.rules.context.spelling import (
    edit_distance,
    is_abbreviated,
    is_british,
    is_opposite,
    is_plain_slip,
    normalize,
)
from jupyter_selfheal.healers.rules.context.targets import is_fitted_to_two_classes
from jupyter_selfheal.healers.rules.context.templates import matters
from jupyter_selfheal.model import Applicability, Failure, Patch

NAMED = re.compile(
    r"(?:unexpected|invalid|unknown|unrecognized|unrecognised|not recognized)[^'\"]{0,90}['\"](\w+)['\"]", re.I
)
KEYWORD_FIRST = re.compile(
    r"['\"`](\w+)['\"`] is an invalid keyword|[Kk]eyword (\w+) is not recognized|property (\w+)$|"
    r"['\"`](\w+)['\"`] (?:parameter|argument|keyword)[^.]{0,40}(?:removed|deprecated|not supported|no longer)|Unknown property (\w+)|"
    r"^(\w+) must be None; got|^Can not interpolate with (method)="
)
MISSING = re.compile(r"missing (?:\d+ required positional arguments?|a required argument): |^No group keys passed")
COUNT = re.compile(r"n_\w+|bin|(?:skip|n)row|ncol|epoch|decimal|(?:min_)?period")
"""Parameters in the singular that say of how many, and so take the same whole number in the plural."""


class ChangedKeyword(Rule):
    """Give a keyword argument by its new name or form.

    **Failure** `TypeError: … got an unexpected keyword argument 'normed'`, also where the library raises it deep inside.

    **Fix** The changelogs (`data/*.toml`) say what took the keyword's place for the values that were given: another name, another
    value, another method (`fillna(method="ffill")` → `ffill()`), a call around it. Every call in the cell that gives the
    same keyword to the same function is mended. A keyword that is in no changelog is renamed to the parameter that the
    message suggests, or to the one of the live signature that is nearest.

    **Fix safety** Safe where the changelog names the successor, or the value given is what happens without the keyword now.
    Unsafe where something is lost, which the patch then names: a keyword is never dropped silently. Guesses by
    likeness are unsafe, but for the one parameter of an installed library's function that differs by one slip behind a word's first letter (`descending`
    is not `ascending`, and what a file beside the notebook defines may be misspelt itself): a letter that is missing, doubled or swapped (`max_dept`), a British spelling (`normalise`), or a count in the singular with a whole
    number, where nothing else is near (`bin=10` for `bins`, `n_cluster=3`, `max_iters=500` for `max_iter`, `return_count=True`; `alpha=3` is not `alphas`).
    """

    code = "API201"
    name = "keyword that is no longer taken"
    stage = Stage.CHANGELOG
    enames = frozenset({"TypeError", "AttributeError", "ValueError"})
    warning = ANNOUNCED
    applicability = Applicability.SAFE
    why = "The library's changelog names the new form of this argument."

    def matches(self, failure: Failure) -> bool:
        text = failure.evalue
        return super().matches(failure) and bool(failure.is_warning or name_keyword(text) or MISSING.search(text))

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = name_keyword(context.failure.evalue)
        if context.failure.is_warning or MISSING.search(context.failure.evalue):
            name = _find_old_keyword(context)
        if name and "_" in name and not any(k.arg == name for c in context.list_calls_at_failure() for k in c.keywords):
            name = name.split("_", 1)[1]  # matplotlib: "keyword grid_b is not recognized"
        if not name:
            return
        nearest = next((c for c in context.list_calls_at_failure() if any(k.arg == name for k in c.keywords)), None)
        if nearest is None:
            return
        live = context.describe_all([nearest.func], calls=True)[0]
        change = (
            find_keyword_change(nearest, live, name)
            or _change_of_handed(context, nearest, name)
            or _change_of_options(context, nearest, name)
        )
        if change is None:
            yield from self._guess_keyword(context, nearest, name)
            return
        done: list[Rewritten] = []
        for call in _same_calls(context, nearest, name):
            rewritten = _rewrite_call(context, call, name, change)
            if rewritten is not None and not any(a <= rewritten.start < b for r in done for a, b, _ in r.splices):
                done.append(rewritten)
        if not done:
            return
        unsafe = "; ".join(dict.fromkeys(r.case.unsafe for r in done if r.case.unsafe and matters(context, r.case)))
        removes = "; ".join(dict.fromkeys(r.case.removes for r in done if r.case.removes))
        splices = [s for r in done for s in r.splices]
        imports = [i for r in done for i in r.imports]
        loses = bool(unsafe) or any(
            not (r.case.argument or r.case.values or r.case.wrap or r.case.callee or r.case.idle) for r in done
        )
        yield self.patch(
            context.replace(context.cell_id, [*splices, *context.add_imports(imports)]),
            done[0].shown if done[0].shown.startswith("Remove") else f"Change `{name}=` to `{done[0].shown}`",
            f"`{read_dotted_name(nearest.func) or context.text(nearest.func)}` no longer takes `{name}` (since {change.libraries[0].partition('.')[0]} {change.version}).",
            applicability=Applicability.UNSAFE if loses else Applicability.SAFE,
            why=unsafe or (f"`{name}` is left out: {removes}" if loses else self.cite(change.source)),
            removes=removes or (f"`{name}=`" if loses else ""),
            prior=0.6 if loses else 0.9,
        )

    def _guess_keyword(self, context: RuleContext, call: ast.Call, name: str) -> Iterator[Patch]:
        """The parameter that the message suggests, or the nearest one of the live signature that is not given yet."""
        said = NEW_KEYWORD.search(context.failure.evalue)
        suggestion = next((g for g in said.groups() if g), "") if said else ""
        signature = context.signature(call.func, calls=True) or Signature()
        parameters = [p.name for p in signature.parameters if p.kind != "VAR_KEYWORD"]
        given = {k.arg for k in call.keywords} | set(parameters[: len(call.args)])
        free = [p for p in parameters if p not in given and p != "self" and not is_opposite(name, p)]
        near = [suggestion] if suggestion and not is_opposite(name, suggestion) else _list_near(name, free)
        keyword = next(k for k in call.keywords if k.arg == name)
        start = context.span(keyword)[0]
        owner = context.describe_all([call.func], calls=True)[0].path if near else ""
        is_library = bool(owner) and context.ask(questions.IS_OF_LIBRARY, path=owner)
        alone = len(_list_near(name, free)) == 1
        for rank, new in enumerate(near[:2]):
            if new in given:
                continue
            said_so = new == suggestion and not LIKE.search(context.failure.evalue)
            slips = [p for p in free if _is_slip(keyword, p, alone=alone)]
            sure = said_so or (is_library and slips == [new])
            why = "The library's own message names the parameter." if said_so else "It is the only parameter of the library's function that differs by a slip." if sure else "It is the parameter of the function's signature that is nearest to what was written."  # fmt: skip
            yield self.patch(
                context.replace(context.cell_id, [(start, start + len(name), new)]),
                f"Change `{name}=` to `{new}=`",
                f"`{context.text(call.func)}` takes no `{name}`.",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why=why,
                prior=(0.85 if sure else 0.5) - 0.1 * rank,
            )


def _is_slip(keyword: ast.keyword, new: str, *, alone: bool) -> bool:
    """Whether a parameter can only have been misspelt: by one letter, or as a singular whose plural takes the same number and is near ``alone``.

    A text, a list, or a number that is no count means another thing to a plural (``labels="ab"`` are two, ``alphas=3`` is no list); another form of a
    verb (``scaled``) is another word, and what differs at a word's beginning is often the opposite (``descending``, ``n_uninformative``).
    """
    old = str(keyword.arg)
    if old == f"{new}s" and new == "max_iter":
        return alone and isinstance(keyword.value, ast.Constant) and type(keyword.value.value) is int
    if new == f"{old}s":
        is_whole = isinstance(keyword.value, ast.Constant) and type(keyword.value.value) is int
        is_asked = old.startswith("return_") and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        return alone and ((is_whole and COUNT.fullmatch(old) is not None) or is_asked)
    short, long = sorted((old, new), key=len)
    is_other_form = long.startswith(short) and long[len(short) :] in ("d", "ed", "r", "er", "_")
    one_edit = normalize(old) == normalize(new) or (
        edit_distance(old, new) == 1 and [w[:1] for w in old.split("_")] == [w[:1] for w in new.split("_")]
    )
    return is_british(old, new) or (one_edit and is_plain_slip(old, new, strict=True) and not is_other_form)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One call's splices, and the case of the change that they follow."""

    splices: tuple[Splice, ...]
    imports: tuple[str, ...]
    case: Case
    shown: str
    start: int


def _find_old_keyword(context: RuleContext) -> str:
    """The keyword of the failing call that a changelog says is gone, where another one is said to be missing, or a warning speaks of it."""
    warning = context.failure.evalue if context.failure.is_warning else None
    for call in context.list_calls_at_failure()[:2]:
        live = context.describe_all([call.func], calls=True)[0]
        for keyword in call.keywords:
            if not keyword.arg or (warning is not None and not re.search(rf"(?<!\w){keyword.arg}(?!\w)", warning)):
                continue
            if find_keyword_change(call, live, keyword.arg) is not None:
                return keyword.arg
    return ""


def name_keyword(message: str) -> str:
    for pattern in (KEYWORD_FIRST, NAMED):
        if match := pattern.search(message):
            return next(g for g in match.groups() if g)
    return ""


def find_keyword_change(call: ast.Call, live: ObjectInfo, name: str) -> Keyword | None:
    last = read_last_name(call.func)
    paths = [path for path in (live.path, *live.mro) if path]
    by_class = live.path.rsplit(".", 1)[-1] if live.path else last
    known = load_knowledge()
    return known.keyword(last, paths, name) or known.keyword(by_class, paths, name)


def _change_of_handed(context: RuleContext, call: ast.Call, name: str) -> Keyword | None:
    """What became of a keyword that is handed on to the function given first (``grid.map(plt.hist, "a", normed=True)``)."""
    given = call.args[0] if call.args else None
    if not isinstance(given, ast.Name | ast.Attribute):
        return None
    live = context.describe_all([given])[0]
    change = (
        load_knowledge().keyword(read_last_name(given), [live.path], name) if live.is_callable and live.path else None
    )
    return None if change is None or any(c.callee or c.wrap for c in change.cases) else change


def _change_of_options(context: RuleContext, call: ast.Call, name: str) -> Keyword | None:
    """What became of an option in a ``dict(…)`` that is given by keyword (``arrowprops=dict(frac=0.1)``)."""
    outer, keyword = call, ""
    while read_last_name(outer.func) == "dict":  # a dictionary of options may hold another one
        holder = next(((c, k) for c in context.walk(ast.Call) for k in c.keywords if k.value is outer), None)
        if holder is None:
            return None
        outer, keyword = holder[0], str(holder[1].arg)
    if outer is call:
        return None
    return load_knowledge().keyword(keyword, [context.describe_all([outer.func], calls=True)[0].path], name)


def _same_calls(context: RuleContext, nearest: ast.Call, name: str) -> list[ast.Call]:
    """The failing call, and those of the cell that give the keyword to a function of the same name and library."""
    others = [
        n
        for n in context.walk(ast.Call)
        if n is not nearest
        and read_last_name(n.func) == read_last_name(nearest.func)
        and any(k.arg == name for k in n.keywords)
    ]
    lives = context.describe_all([n.func for n in (nearest, *others)])
    own = lives[0]
    same = [n for n, live in zip(others, lives[1:], strict=True)
            if (live.path and live.path.split(".")[0] == own.path.split(".")[0]) or context.text(n.func) == context.text(nearest.func)]  # fmt: skip
    return [nearest, *same]


def _rewrite_call(context: RuleContext, call: ast.Call, name: str, change: Keyword) -> Rewritten | None:
    keyword = next(k for k in call.keywords if k.arg == name)
    is_literal, value = read_literal(keyword.value)
    case = next(
        (
            c
            for c in change.cases
            if (not c.values or (is_literal and _is_among(value, c.values)))
            and _has_what_is_needed(context, call, keyword, c)
        ),
        None,
    )
    if case is None:
        return None
    value_text = context.text(keyword.value)
    imports: list[str] = []
    argument = case.argument
    if argument:
        argument = _fill_references(context, argument, imports).replace("{value}", value_text).replace("{name}", name)
        if not argument:
            return None
    splices = _place_argument(context, call, keyword, argument)
    if splices is None:
        return None
    if case.after:
        end = context.span(_find_call_on(context, call) or call)[1]
        splices.append((end, end, case.after))
    shown = argument or f"Remove `{name}={value_text}`"
    if case.callee:
        renamed = _build_callee_splice(context, call, case.callee, imports)
        if renamed is None:
            return None
        splices.append(renamed)
        shown = f"{case.callee.rsplit('.', 1)[-1]}(…)"
    if case.wrap:
        start, end = context.span(call)
        inner = src.splice(context.source, splices)
        inner = inner[start : end + len(inner) - len(context.source)]
        wrap = _fill_references(context, case.wrap, imports)
        text = _wrap_call(context, call, keyword, case, wrap, inner, value, value_text) if wrap else None
        if text is None:
            return None
        splices, shown = [(start, end, text)], text
    return Rewritten(tuple(splices), tuple(i for i in imports if i), case, shown, splices[0][0])


def _place_argument(context: RuleContext, call: ast.Call, keyword: ast.keyword, argument: str) -> list[Splice] | None:
    """The new argument in the old one's place; where the call has one of that name, an item joins its list, and anything else was said already."""
    target, _, value = argument.partition("=")
    given = next((k.value for k in call.keywords if k.arg == target and k is not keyword), None)
    if given is None or not argument:
        return [build_argument_splice(context, call, keyword, argument)]
    if not value.startswith("["):
        return [build_argument_splice(context, call, keyword, "")]
    if not isinstance(given, ast.List) or not given.elts:
        return None
    end = context.span(given.elts[-1])[1]
    return sorted([build_argument_splice(context, call, keyword, ""), (end, end, f", {value[1:-1]}")])


def _has_what_is_needed(context: RuleContext, call: ast.Call, keyword: ast.keyword, case: Case) -> bool:
    """True where the call has what a case needs besides the keyword."""
    written = {text for k in call.keywords if k.arg for text in (k.arg, f"{k.arg}={context.text(k.value)}")}
    if case.after and _find_call_on(context, call) is None:
        return False
    if case.two_classes and not is_fitted_to_two_classes(context, call):
        return False
    return (not case.needs or case.needs in written) and ("{item}" not in case.wrap or _only_item(keyword) is not None)


def _find_call_on(context: RuleContext, call: ast.Call) -> ast.Call | None:
    """``s.resample("ME").mean()`` for the call of ``resample`` in it."""
    return next((n for n in context.walk(ast.Call) if isinstance(n.func, ast.Attribute) and n.func.value is call), None)


def _only_item(keyword: ast.keyword) -> ast.expr | None:
    """``x`` of ``key=[x]``."""
    value = keyword.value
    items = value.elts if isinstance(value, ast.List | ast.Tuple) else []
    return items[0] if len(items) == 1 and not isinstance(items[0], ast.Starred) else None


def _is_among(value: object, values: tuple[object, ...]) -> bool:
    return any(type(v) is type(value) and v == value for v in values)


def _fill_references(context: RuleContext, text: str, imports: list[str]) -> str:
    """The text with each ``{@a.b}`` written as it can be here; empty where one leads nowhere."""
    for path in re.findall(r"\{@([\w.]+)\}", text):
        known = context.reference(path)
        if known is None:
            return ""
        imports.append(known[1])
        text = text.replace("{@" + path + "}", known[0])
    return text


def _wrap_call(
    context: RuleContext, call: ast.Call, keyword: ast.keyword, case: Case, wrap: str, inner: str, value: object, value_text: str,
) -> str | None:  # fmt: skip
    receiver = context.operand(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if ("{self}" in wrap or "{column}" in wrap) and not receiver:
        return None
    rest = [context.text(a) for a in call.args]
    rest += [
        f"{k.arg}={context.text(k.value)}" if k.arg else f"**{context.text(k.value)}"
        for k in call.keywords
        if k is not keyword
    ]
    others = [text for text in rest if text != case.needs]
    item = _only_item(keyword)
    for hole, text in (
        ("{item}", context.text(item) if item else ""), ("{call}", inner), ("{self}", receiver), ("{column}", receiver.removesuffix(".cat")), ("{callee}", read_last_name(call.func)), ("{value!}", str(value)),
        ("{value}", value_text), ("{rest}", ", ".join(rest)), ("{others}", ", ".join(others)),
    ):  # fmt: skip
        wrap = wrap.replace(hole, text)
    return wrap


def build_argument_splice(context: RuleContext, call: ast.Call, keyword: ast.keyword, text: str) -> Splice:
    """Put text in place of a keyword argument; with nothing to put, its comma goes too."""
    start, end = context.span(keyword)
    if text:
        return start, end, text
    arguments = sorted([*(context.span(a) for a in call.args), *(context.span(k) for k in call.keywords)])
    at = arguments.index((start, end))
    if at:
        return arguments[at - 1][1], end, ""
    if at + 1 < len(arguments):
        return start, arguments[at + 1][0], ""
    tail = re.match(r"\s*,", context.source[end:])
    return start, end + (tail.end() if tail else 0), ""


def _build_callee_splice(context: RuleContext, call: ast.Call, callee: str, imports: list[str]) -> Splice | None:
    if "." in callee:
        known = context.reference(callee)
        if known is None:
            return None
        imports.append(known[1])
        return (*context.span(call.func), known[0])
    if isinstance(call.func, ast.Attribute):
        return (*context.find_attribute_span(call.func), callee)
    return (*context.span(call.func), callee)


def _list_near(name: str, free: list[str]) -> list[str]:
    whole = [p for p in free if len(name) > 3 and (p.startswith(name) or name.startswith(p) or p.endswith("_" + name))]
    short = [p for p in free if "_" in p and (is_abbreviated(p, name) or is_abbreviated(name, p))]
    if len(short) == 1:
        return short
    flat = [p for p in free if p.replace("_", "") == name.replace("_", "").lower()]
    close = get_close_matches(name, free, n=2, cutoff=0.7)
    return list(dict.fromkeys([*flat, *close, *whole]))
