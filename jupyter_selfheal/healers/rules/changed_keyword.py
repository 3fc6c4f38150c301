"""API201: a keyword that a function no longer takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import Splice, attribute_name_span
from jupyter_selfheal.healers.rules._knowledge import Case, Keyword, knowledge, literal
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.healers.rules._site import Live, Site, add_imports, dotted, reference
from jupyter_selfheal.model import Applicability, Failure, Patch

NAMED = re.compile(
    r"(?:unexpected|invalid|unknown|unrecognized|unrecognised|not recognized)[^'\"]{0,60}['\"](\w+)['\"]", re.I
)
KEYWORD_FIRST = re.compile(
    r"['\"`](\w+)['\"`] is an invalid keyword|[Kk]eyword (\w+) is not recognized|property (\w+)$|"
    r"['\"`](\w+)['\"`] (?:parameter|argument|keyword)[^.]{0,40}(?:removed|deprecated|not supported|no longer)|Unknown property (\w+)"
)
MISSING = re.compile(r"missing \d+ required positional arguments?: |^No group keys passed")
SUGGESTED = re.compile(
    r"[Dd]id you mean:? ['\"`]?(\w+)['\"`]?\??|[Uu]se ['\"`](\w+)['\"`] instead|renamed to ['\"`](\w+)['\"`]"
)


class ChangedKeyword(Rule):
    """Give a keyword argument by its new name or form.

    **Failure** `TypeError: … got an unexpected keyword argument 'normed'`, also where the library raises it deep inside.

    **Fix** The changelogs (`data/*.toml`) say what took the keyword's place for the values that were given: another name, another
    value, another method (`fillna(method="ffill")` → `ffill()`), a call around it. Every call in the cell that gives the
    same keyword to the same function is mended. A keyword that is in no changelog is renamed to the parameter that the
    message suggests, or to the one of the live signature that is nearest.

    **Fix safety** Safe where the changelog names the successor, or the value given is what happens without the keyword now.
    Unsafe where something is lost, which the patch then names: a keyword is never dropped silently. Guesses by
    likeness are unsafe.
    """

    code = "API201"
    name = "keyword that is no longer taken"
    enames = frozenset({"TypeError", "AttributeError", "ValueError"})
    applicability = Applicability.SAFE
    why = "The library's changelog names the new form of this argument."

    def matches(self, failure: Failure) -> bool:
        text = failure.evalue
        return super().matches(failure) and bool(_keyword_in(text) or MISSING.search(text))

    def propose(self, scene: Scene) -> Iterator[Patch]:
        site = Site.of(scene)
        if site is None:
            return
        name = _keyword_in(scene.failure.evalue)
        if MISSING.search(scene.failure.evalue):
            name = _old_keyword(site)
        if name and "_" in name and not any(k.arg == name for c in site.calls() for k in c.keywords):
            name = name.split("_", 1)[1]  # matplotlib: "keyword grid_b is not recognized"
        if not name:
            return
        nearest = next((c for c in site.calls() if any(k.arg == name for k in c.keywords)), None)
        if nearest is None:
            return
        live = site.live([nearest.func], calls=True)[0]
        change = _change_of(nearest, live, name)
        if change is None:
            yield from self._guessed(site, nearest, name)
            return
        done: list[Rewritten] = []
        for call in _same_calls(site, nearest, name):
            rewritten = _rewrite(site, call, name, change)
            if rewritten is not None and not any(a <= rewritten.start < b for r in done for a, b, _ in r.splices):
                done.append(rewritten)
        if not done:
            return
        unsafe = "; ".join(dict.fromkeys(r.case.unsafe for r in done if r.case.unsafe))
        removes = "; ".join(dict.fromkeys(r.case.removes for r in done if r.case.removes))
        splices = [s for r in done for s in r.splices]
        imports = [i for r in done for i in r.imports]
        loses = bool(unsafe) or any(
            not r.case.argument and not r.case.values and not (r.case.wrap or r.case.callee) for r in done
        )
        yield self.patch(
            self.replace(scene, site.cell_id, [*splices, *add_imports(site.source, imports)]),
            done[0].shown if done[0].shown.startswith("Take out") else f"Write `{done[0].shown}` in place of `{name}=`",
            f"`{dotted(nearest.func) or site.text(nearest.func)}` takes no `{name}` since {change.libraries[0]} {change.version}.",
            applicability=Applicability.UNSAFE if loses else Applicability.SAFE,
            why=unsafe or (f"`{name}` is left out: {removes}" if loses else f"{self.why} ({change.source})"),
            removes=removes or (f"`{name}=`" if loses else ""),
            prior=0.6 if loses else 0.9,
        )

    def _guessed(self, site: Site, call: ast.Call, name: str) -> Iterator[Patch]:
        """The parameter that the message suggests, or the nearest one of the live signature that is not given yet."""
        said = SUGGESTED.search(site.scene.failure.evalue)
        suggestion = next((g for g in said.groups() if g), "") if said else ""
        parameters = [row[0] for row in site.signature(call.func).get("parameters", ()) if row[1] != "VAR_KEYWORD"]
        given = {k.arg for k in call.keywords} | set(parameters[: len(call.args)])
        free = [p for p in parameters if p not in given and p != "self"]
        near = [suggestion] if suggestion else _near(name, free)
        keyword = next(k for k in call.keywords if k.arg == name)
        start = src.span(site.source, keyword)[0]
        for rank, new in enumerate(near[:2]):
            if new in given:
                continue
            said_so = new == suggestion
            yield self.patch(
                self.replace(site.scene, site.cell_id, [(start, start + len(name), new)]),
                f"Write `{new}=` in place of `{name}=`",
                f"`{site.text(call.func)}` takes no `{name}`.",
                applicability=Applicability.SAFE if said_so else Applicability.UNSAFE,
                why="The library's own message names the parameter." if said_so
                else "It is the parameter of the function's signature that is nearest to what was written.",
                prior=(0.85 if said_so else 0.5) - 0.1 * rank,
            )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rewritten:
    """One call's splices, and the case of the change that they follow."""

    splices: tuple[Splice, ...]
    imports: tuple[str, ...]
    case: Case
    shown: str
    start: int


def _old_keyword(site: Site) -> str:
    """The keyword of the failing call that a changelog says is gone, where another one is said to be missing."""
    for call in site.calls()[:2]:
        live = site.live([call.func], calls=True)[0]
        for keyword in call.keywords:
            if keyword.arg and _change_of(call, live, keyword.arg) is not None:
                return keyword.arg
    return ""


def _keyword_in(message: str) -> str:
    for pattern in (KEYWORD_FIRST, NAMED):
        if found := pattern.search(message):
            return next(g for g in found.groups() if g)
    return ""


def _change_of(call: ast.Call, live: Live, name: str) -> Keyword | None:
    last = _last(call.func)
    paths = [path for path in (live.path, *live.mro) if path]
    by_class = live.path.rsplit(".", 1)[-1] if live.path else last
    known = knowledge()
    return known.keyword(last, paths, name) or known.keyword(by_class, paths, name)


def _last(callee: ast.expr) -> str:
    if isinstance(callee, ast.Attribute):
        return callee.attr
    return callee.id if isinstance(callee, ast.Name) else ""


def _same_calls(site: Site, nearest: ast.Call, name: str) -> list[ast.Call]:
    """The failing call, and those of the cell that give the keyword to a function of the same name and library."""
    others = [
        n
        for n in ast.walk(site.tree)
        if isinstance(n, ast.Call)
        and n is not nearest
        and _last(n.func) == _last(nearest.func)
        and any(k.arg == name for k in n.keywords)
    ]
    lives = site.live([n.func for n in (nearest, *others)])
    own = lives[0]
    same = [n for n, live in zip(others, lives[1:], strict=True)
            if (live.path and live.path.split(".")[0] == own.path.split(".")[0]) or site.text(n.func) == site.text(nearest.func)]  # fmt: skip
    return [nearest, *same]


def _rewrite(site: Site, call: ast.Call, name: str, change: Keyword) -> Rewritten | None:
    keyword = next(k for k in call.keywords if k.arg == name)
    is_literal, value = literal(keyword.value)
    case = next((c for c in change.cases if not c.values or (is_literal and _among(value, c.values))), None)
    if case is None:
        return None
    value_text = site.text(keyword.value)
    imports: list[str] = []
    argument = case.argument
    if argument:
        argument = _referenced(site, argument, imports).replace("{value}", value_text).replace("{name}", name)
        if not argument:
            return None
        target = argument.split("=")[0]
        if any(k.arg == target for k in call.keywords if k is not keyword):
            argument = ""
    splices = [argument_splice(site, call, keyword, argument)]
    shown = argument or f"Take out `{name}={value_text}`"
    if case.callee:
        renamed = _callee_splice(site, call, case.callee, imports)
        if renamed is None:
            return None
        splices.append(renamed)
        shown = f"{case.callee.rsplit('.', 1)[-1]}(…)"
    if case.wrap:
        start, end = src.span(site.source, call)
        inner = src.splice(site.source, splices)
        inner = inner[start : end + len(inner) - len(site.source)]
        wrap = _referenced(site, case.wrap, imports)
        text = _wrapped(site, call, keyword, wrap, inner, value, value_text) if wrap else None
        if text is None:
            return None
        splices, shown = [(start, end, text)], text
    return Rewritten(tuple(splices), tuple(i for i in imports if i), case, shown, splices[0][0])


def _among(value: object, values: tuple[object, ...]) -> bool:
    return any(type(v) is type(value) and v == value for v in values)


def _referenced(site: Site, text: str, imports: list[str]) -> str:
    """The text with each ``{@a.b}`` written as it can be here; empty where one leads nowhere."""
    for path in re.findall(r"\{@([\w.]+)\}", text):
        known = reference(site, path)
        if known is None:
            return ""
        imports.append(known[1])
        text = text.replace("{@" + path + "}", known[0])
    return text


def _wrapped(
    site: Site, call: ast.Call, keyword: ast.keyword, wrap: str, inner: str, value: object, value_text: str
) -> str | None:
    receiver = site.operand(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if "{self}" in wrap and not receiver:
        return None
    rest = [site.text(a) for a in call.args]
    rest += [
        f"{k.arg}={site.text(k.value)}" if k.arg else f"**{site.text(k.value)}"
        for k in call.keywords
        if k is not keyword
    ]
    for hole, text in (
        ("{call}", inner), ("{self}", receiver), ("{callee}", _last(call.func)), ("{value!}", str(value)),
        ("{value}", value_text), ("{rest}", ", ".join(rest)),
    ):  # fmt: skip
        wrap = wrap.replace(hole, text)
    return wrap


def argument_splice(site: Site, call: ast.Call, keyword: ast.keyword, text: str) -> Splice:
    """Put text in place of a keyword argument; with nothing to put, its comma goes too."""
    start, end = src.span(site.source, keyword)
    if text:
        return start, end, text
    arguments = sorted(
        [*(src.span(site.source, a) for a in call.args), *(src.span(site.source, k) for k in call.keywords)]
    )
    at = arguments.index((start, end))
    if at:
        return arguments[at - 1][1], end, ""
    if at + 1 < len(arguments):
        return start, arguments[at + 1][0], ""
    tail = re.match(r"\s*,", site.source[end:])
    return start, end + (tail.end() if tail else 0), ""


def _callee_splice(site: Site, call: ast.Call, callee: str, imports: list[str]) -> Splice | None:
    if "." in callee:
        known = reference(site, callee)
        if known is None:
            return None
        imports.append(known[1])
        return (*src.span(site.source, call.func), known[0])
    if isinstance(call.func, ast.Attribute):
        return (*attribute_name_span(site.source, call.func), callee)
    return (*src.span(site.source, call.func), callee)


def _near(name: str, free: list[str]) -> list[str]:
    whole = [p for p in free if len(name) > 3 and (p.startswith(name) or name.startswith(p) or p.endswith("_" + name))]
    flat = [p for p in free if p.replace("_", "") == name.replace("_", "").lower()]
    close = get_close_matches(name, free, n=2, cutoff=0.7)
    return list(dict.fromkeys([*flat, *close, *whole]))
