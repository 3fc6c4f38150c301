"""API201: a keyword that a function no longer takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from difflib import get_close_matches

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Signature, Stage, questions
from jupyter_selfheal.healers.rules.context.knowledge import ANNOUNCED, Keyword, load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import is_truth, read_dotted_name, read_last_name
from jupyter_selfheal.healers.rules.context.remedies import LIKE, NEW_KEYWORD
from jupyter_selfheal.healers.rules.context.rewritten_calls import Rewritten, rewrite_call
from jupyter_selfheal.healers.rules.context.spelling import (
    edit_distance,
    is_abbreviated,
    is_british,
    is_opposite,
    is_plain_slip,
    normalize,
)
from jupyter_selfheal.healers.rules.context.templates import matters
from jupyter_selfheal.healers.rules.context.value_types import find_type
from jupyter_selfheal.model import Applicability, Failure, Patch

NAMED = re.compile(
    r"(?:unexpected|invalid|unknown|unrecognized|unrecognised|not recognized)[^'\"]{0,90}['\"](\w+)['\"]", re.I
)
KEYWORD_FIRST = re.compile(
    r"['\"`](\w+)['\"`] is an invalid keyword|[Kk]eyword (\w+) is not recognized|property (\w+)$|"
    r"['\"`](\w+)['\"`] (?:parameter|argument|keyword)[^.]{0,40}(?:removed|deprecated|not supported|no longer)|Unknown property (\w+)|"
    r"^(\w+) must be (?:None; got|unspecified)|^Can not interpolate with (method)="
)
MISSING = re.compile(
    r"missing (?:\d+ required positional arguments?|a required argument): |^No group keys passed|^index must be monotonic"
)
COUNT = re.compile(r"n_\w+|bin|(?:skip|n)row|ncol|epoch|decimal|(?:min_)?period")
"""Parameters in the singular that say of how many, and so take the same whole number in the plural."""


class ChangedKeyword(Rule):
    """Give a keyword argument by its new name or form.

    **Failure** `TypeError: … got an unexpected keyword argument 'normed'`, also where the library raises it deep inside.

    **Fix** The changelogs (`data/*.toml`) say what took the keyword's place for the values that were given: another name, another
    value, another method (`fillna(method="ffill")` → `ffill()`), a call around it. Every call in the cell that gives the
    same keyword to the same function, or to another one that lost it, is mended. A keyword that is in no changelog is renamed to the parameter that the
    message suggests, or to the one of the live signature that is nearest.

    **Fix safety** Safe where the changelog names the successor, or the value given is what happens without the keyword now.
    Unsafe where something is lost, which the patch then names: a keyword is never dropped silently. Guesses by
    likeness are unsafe, but for the one parameter of an installed library's function that differs by one slip behind a word's first letter (`descending`
    is not `ascending`, and what a file beside the notebook defines may be misspelt itself): a letter that is missing, doubled or swapped (`max_dept`), a British spelling (`normalise`), or a count in the singular with a whole
    number, where nothing else is near (`bin=10` for `bins`, `n_cluster=3`, `max_iters=500` for `max_iter`, `return_count=True`; `alpha=3` is not `alphas`), or `column=` for `columns=` with a name or names, of which one is taken as several (a number may be a place, or how many).
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
        for call, its_change in _list_changed_calls(context, nearest, name, change):
            rewritten = rewrite_call(context, call, name, its_change)
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
            done[0].case.cause
            or f"`{read_dotted_name(nearest.func) or context.text(nearest.func)}` no longer takes `{name}` (since {change.libraries[0].partition('.')[0]} {change.version}).",
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
            is_place = name == "column" and find_type(context, keyword.value) not in ("str", "list", "Index")
            sure = said_so or (is_library and slips == [new] and not is_place)
            if not sure and not is_library and is_plain_slip(name, new):
                return  # CAL101 knows which of the two is misspelt
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
        is_asked = old.startswith("return_") and is_truth(keyword.value, True)
        return alone and (old == "column" or (is_whole and COUNT.fullmatch(old) is not None) or is_asked)
    short, long = sorted((old, new), key=len)
    is_other_form = long.startswith(short) and long[len(short) :] in ("d", "ed", "r", "er", "_")
    one_edit = normalize(old) == normalize(new) or (
        edit_distance(old, new) == 1 and [w[:1] for w in old.split("_")] == [w[:1] for w in new.split("_")]
    )
    return is_british(old, new) or (one_edit and is_plain_slip(old, new, strict=True) and not is_other_form)


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
    """The keyword that a message complains of; empty where it names none."""
    for pattern in (KEYWORD_FIRST, NAMED):
        if match := pattern.search(message):
            return next(g for g in match.groups() if g)
    return ""


def find_keyword_change(call: ast.Call, live: ObjectInfo, name: str) -> Keyword | None:
    """What became of that keyword of what is called, by its path or its class; None where nothing is known."""
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


def _list_changed_calls(
    context: RuleContext, nearest: ast.Call, name: str, change: Keyword
) -> Iterator[tuple[ast.Call, Keyword]]:
    """The failing call, and those of the cell that give the keyword to a function of the same name and library, or to one of that library which lost
    it too and hands on what it does not know (``jointplot(size=5)``), each with what became of it there."""
    yield nearest, change
    others = [n for n in context.walk(ast.Call) if n is not nearest and any(k.arg == name for k in n.keywords)]
    own, *lives = context.describe_all([n.func for n in (nearest, *others)])
    for call, live in zip(others, lives, strict=True):
        is_beside = bool(live.path) and live.path.split(".")[0] == own.path.split(".")[0]
        is_alike = read_last_name(call.func) == read_last_name(nearest.func)
        if is_alike and (is_beside or context.text(call.func) == context.text(nearest.func)):
            yield call, change
        elif is_beside and not is_alike and (also := find_keyword_change(call, live, name)) is not None:
            signature = context.signature(call.func, calls=True)
            if signature is not None and all(p.name != name for p in signature.parameters):
                yield call, also


def _list_near(name: str, free: list[str]) -> list[str]:
    whole = [p for p in free if len(name) > 3 and (p.startswith(name) or name.startswith(p) or p.endswith("_" + name))]
    short = [p for p in free if "_" in p and (is_abbreviated(p, name) or is_abbreviated(name, p))]
    if len(short) == 1:
        return short
    flat = [p for p in free if p.replace("_", "") == name.replace("_", "").lower()]
    close = get_close_matches(name, free, n=2, cutoff=0.7)
    return list(dict.fromkeys([*flat, *close, *whole]))
