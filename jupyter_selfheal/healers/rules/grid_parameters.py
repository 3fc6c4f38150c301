"""SKL106: a parameter of an estimator, in a grid or in `set_params`, that the estimator no longer has or takes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_statements_above
from jupyter_selfheal.healers.rules.context.spelling import find_nearest, is_plain_slip
from jupyter_selfheal.model import Applicability, Patch

GONE = re.compile(r"Invalid parameter '?(\w+)'? for estimator (\w+)\(.*Valid parameters are: (\[[^\]]*\])", re.S)
REFUSED = re.compile(r"The '(\w+)' parameter of (\w+) must be .*Got '?([\w.-]+)'? instead", re.S)
PENALTY = re.compile(r"Solver lbfgs supports only .*got (l1) penalty")


class GridParameters(Rule):
    """Name the parameters in a grid as the estimator names them now, with values that it takes.

    **Failure** `ValueError: Invalid parameter 'base_estimator' for estimator AdaBoostClassifier(…). Valid parameters are:
    ['estimator', …]`, and inside of `All the 5 fits failed`: `The 'max_features' parameter of DecisionTreeClassifier must be …
    Got 'auto' instead`, `Solver lbfgs supports only 'l2' or None penalties, got l1 penalty`.

    **Fix** The key of the grid (`base_estimator__max_depth`), or the keyword of `set_params`, gets the name that the changelog
    says, the value in the list the one that took its place. For a penalty of `l1` in the grid, `LogisticRegression()` gets the solver that was its default.
    The cells that made the grid run again. A parameter that is gone is taken out (`normalize`). So are those of a dictionary of parameters (`**params`).

    A parameter of one step of a pipeline alone gets the step's name: `clf__C`; `logistic__C` gets the whole name of the step, `model__C` that of the one step which has a `C`.

    **Fix safety** Safe: scikit-learn's changelog names the successor, and the message lists it; or one step of the pipeline has the parameter, and no
    other; or the message lists one name alone that differs by a slip; or the parameter that goes changed nothing that is fitted (`normalize` of
    least squares, `[False]` of others). Offered where it did. Any other name is left alone, and so is a value of several dictionaries where two estimators get another one each.
    """

    code = "SKL106"
    name = "parameter in a grid"
    stage = Stage.CHANGELOG
    enames = frozenset({"ValueError", "InvalidParameterError"})
    applicability = Applicability.SAFE
    why = "scikit-learn's changelog names the new form of this parameter."
    message = re.compile(r"Invalid parameter |The '\w+' parameter of |Solver lbfgs supports only")

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        text = context.failure.evalue
        if gone := GONE.search(text):
            new = _find_new_name(gone[2], gone[1])
            if new and f"'{new}'" in gone[3]:
                cause = f"`{gone[2]}` calls `{gone[1]}` `{new}` now."
                yield from self._change_parameter(
                    context, _Renaming(gone[1], new), f"Change `{gone[1]}` to `{new}`", cause
                )
            elif plain := _find_idle_values(gone[2], gone[1]):
                yield from self._take_out(context, gone[1], gone[2], plain)
            elif gone[2] == "Pipeline" and (step := _find_step(context, gone[1])):
                cause = f"A pipeline's parameter is named with its step: only `{step}` has `{gone[1]}`."
                key = f"{step}__{gone[1]}"
                yield from self._change_parameter(context, _Key(gone[1], key), f"Change `{gone[1]}` to `{key}`", cause)
            elif gone[2] == "Pipeline" and (
                named := _find_named_step(text, gone[1]) or _find_step_with_all(context, gone[1])
            ):
                cause = f"The pipeline has no step `{gone[1]}`: it is called `{named}`."
                change = _Renaming(gone[1], named)
                is_meant = named.startswith(gone[1]) or re.findall(r"\('(\w+)',", text)[-1:] == [named]
                why = "The pipeline has one step that this can be." if is_meant else "A step that is gone may be meant."
                sure = Applicability.SAFE if is_meant else Applicability.UNSAFE
                for patch in self._change_parameter(context, change, f"Change `{gone[1]}` to `{named}`", cause):
                    yield replace(patch, why=why, applicability=sure)
            elif word := _find_slip(gone[1], gone[3]):
                cause = f"`{gone[2]}` has no parameter `{gone[1]}`. Did you mean `{word}`?"
                change = _Spelling(gone[1], word, gone[3])
                yield from self._change_parameter(context, change, f"Change `{gone[1]}` to `{word}`", cause)
        elif refused := REFUSED.search(text):
            known = next(
                (
                    v
                    for v in load_knowledge().values
                    if refused[2] in v.calls and v.keyword == refused[1] and refused[3] in v.new
                ),
                None,
            )
            other = known.new.get(refused[3]) if known is not None and not known.unsafe else None
            if other is not None:
                cause = f"`{refused[2]}` no longer takes {refused[3]!r} for `{refused[1]}`."
                is_told = _is_taken_alike(context, refused[1], refused[3])
                value = _Value(refused[1], refused[3], str(other), is_told)
                yield from self._change_parameter(context, value, f"Change {refused[3]!r} to {other!r}", cause)
        elif PENALTY.search(text):
            cause = "The default solver doesn't support the penalty `l1`, which the grid holds."
            yield from self._change_parameter(context, _Solver(), "Add `solver='liblinear'`", cause)

    def _take_out(self, context: RuleContext, name: str, estimator: str, plain: tuple[object, ...]) -> Iterator[Patch]:
        change = _Removal(name, plain)
        cause = f"`{estimator}` no longer has `{name}`."
        lost = "one of its values changed what is fitted"
        for patch in self._change_parameter(context, change, f"Take `{name}` out of the grid", cause):
            yield replace(
                patch,
                applicability=Applicability.UNSAFE if change.loses else Applicability.SAFE,
                why=f"`{name}` is left out: {lost}." if change.loses else self.why,
                removes=f"`{name}`: {lost if change.loses else 'nothing that is fitted depends on it'}",
                prior=0.6 if change.loses else 0.9,
            )

    def _change_parameter(self, context: RuleContext, change: _Change, title: str, cause: str) -> Iterator[Patch]:
        splices: dict[str, list[Splice]] = {}
        places = [(c, s, node) for c, s, statement in list_statements_above(context) for node in ast.walk(statement)]
        change.read_names([node for _, _, node in places])
        for cell_id, source, node in places:
            splices.setdefault(cell_id, []).extend(change.find(source, node))
        edits = change_and_replay(context, splices) if change.is_whole else ()
        if edits:
            yield self.patch(edits, title, cause, prior=0.9)


_PLAIN = ("None", "1.0")
"""Values of the changelog that are no texts."""


def _find_slip(wrong: str, listed: str) -> str:
    """The one parameter of the message's list from which a name differs by a slip of the keys; empty where there is none."""
    near = list(find_nearest(wrong, re.findall(r"'(\w+)'", listed)))
    return near[0] if len(near) == 1 and is_plain_slip(wrong, near[0], strict=True) else ""


class _Change:
    """What becomes of one node; ``is_whole``: all that the change needs was met."""

    is_whole = True

    def read_names(self, nodes: Sequence[ast.AST]) -> None:
        """Learn what is given by name, from all nodes that are asked about later."""

    def find(self, source: str, node: ast.AST) -> Iterator[Splice]:
        raise NotImplementedError


class _Key(_Change):
    """Another key of a grid, or keyword of `set_params`, as a whole."""

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def find(self, source: str, node: ast.AST) -> Iterator[Splice]:
        for key in node.keys if isinstance(node, ast.Dict) else ():
            if isinstance(key, ast.Constant) and key.value == self._old:
                start, end = src.find_span(source, key)
                yield start, end, f"{source[end - 1]}{self._new}{source[end - 1]}"
        named = node.keywords if isinstance(node, ast.Call) and read_last_name(node.func) == "set_params" else []
        for keyword in named:
            if keyword.arg == self._old:
                start = src.find_span(source, keyword)[0]
                yield start, start + len(self._old), self._new


def _find_step(context: RuleContext, parameter: str) -> str:
    """The one step of a pipeline in the failing cell that has a parameter; empty where none has it, or several have."""
    names = src.find_names(context.source)
    kinds = {n: context.state.names.get(n, ("", False))[0] for n in names.uses | names.binds}
    pipelines = [n for n, kind in kinds.items() if kind == "Pipeline"]
    pipelines += [f"{n}.estimator" for n, kind in kinds.items() if kind in ("GridSearchCV", "RandomizedSearchCV")]
    nodes = [n for _, _, statement in list_statements_above(context) for n in ast.walk(statement)]
    firsts = [n.elts[0] for n in nodes if isinstance(n, ast.Tuple) and n.elts]
    steps = {f.value for f in firsts if isinstance(f, ast.Constant) and isinstance(f.value, str)}
    made = [n for n in nodes if isinstance(n, ast.Call) and read_last_name(n.func) == "make_pipeline"]
    steps |= {read_last_name(a.func).lower() for n in made for a in n.args if isinstance(a, ast.Call)}
    named = {a.id for n in made for a in n.args if isinstance(a, ast.Name)}
    steps |= {context.state.names[name][0].lower() for name in named if name in context.state.names}
    found = {s for s in steps for p in pipelines if context.is_true(f"{f'{s}__{parameter}'!r} in {p}.get_params()")}
    return found.pop() if len(found) == 1 else ""


def _find_named_step(message: str, beginning: str) -> str:
    """``logisticregression`` for `logistic__C`: the one step that a pipeline shows whose name goes on from what was written."""
    steps = {step for step in re.findall(r"\('(\w+)',", message) if step.startswith(beginning) and step != beginning}
    return steps.pop() if len(steps) == 1 and len(beginning) >= 4 else ""


def _find_step_with_all(context: RuleContext, step: str) -> str:
    """The one step of a pipeline that has all parameters which are given to one by a name that no step has: ``clf`` for `model__C` and `model__tol`."""
    nodes = [n for _, _, statement in list_statements_above(context) for n in ast.walk(statement)]
    named = [n.arg or "" for n in nodes if isinstance(n, ast.keyword)]
    named += [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    found = {_find_step(context, n.removeprefix(f"{step}__")) for n in named if n.startswith(f"{step}__")}
    return found.pop() if len(found) == 1 else ""


class _Renaming(_Change):
    """Another name for a parameter, as a part of a key ``a__b`` or of a keyword."""

    def __init__(self, old: str, new: str) -> None:
        self._part = re.compile(rf"(?:(?<=__)|\b){old}(?=__|\b)")
        self._new = new

    def find(self, source: str, node: ast.AST) -> Iterator[Splice]:
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str) and self._part.search(key.value):
                    start, end = src.find_span(source, key)
                    yield start, end, self._part.sub(self._new, source[start:end])
        elif isinstance(node, ast.Call) and read_last_name(node.func) in ("set_params", "dict"):
            for keyword in node.keywords:
                if keyword.arg and self._part.search(keyword.arg):
                    start = src.find_span(source, keyword)[0]
                    yield start, start + len(keyword.arg), self._part.sub(self._new, keyword.arg)


class _Spelling(_Renaming):
    """The name that the message lists, and those of other keys beside it that are no names either: one is told at a time."""

    def __init__(self, old: str, new: str, listed: str) -> None:
        super().__init__(old, new)
        self._listed = listed

    def find(self, source: str, node: ast.AST) -> Iterator[Splice]:
        yield from super().find(source, node)
        keys = [k for k in node.keys if isinstance(k, ast.Constant)] if isinstance(node, ast.Dict) else []
        if not any(self._part.search(str(k.value)) for k in keys):
            return
        for key in keys:
            name = str(key.value).rpartition("__")[2]
            word = "" if self._part.search(name) or f"'{name}'" in self._listed else _find_slip(name, self._listed)
            if word:
                start, end = src.find_span(source, key)
                yield start, end, source[start:end].replace(name, word)


class _Removal(_Change):
    """A parameter that goes; ``loses``: one of its values is not among the ``plain`` ones, with which the rest does the same without it."""

    def __init__(self, name: str, plain: tuple[object, ...]) -> None:
        self._name, self._plain, self.loses = name, plain, False

    def find(self, source: str, node: ast.AST) -> Iterator[Splice]:
        pairs = list(zip(node.keys, node.values, strict=True)) if isinstance(node, ast.Dict) else []
        at = next((n for n, (key, _) in enumerate(pairs) if _names_parameter(key, self._name)), None)
        if at is None:
            return
        given = pairs[at][1]
        values = given.elts if isinstance(given, ast.List | ast.Tuple) else []
        self.loses |= not values or any(not isinstance(v, ast.Constant) or v.value not in self._plain for v in values)
        ends = [src.find_span(source, value)[1] for _, value in pairs]
        starts = [src.find_span(source, key)[0] if key else 0 for key, _ in pairs]
        behind = starts[at + 1] if at + 1 < len(pairs) else ends[at]
        yield (ends[at - 1], ends[at], "") if at else (starts[at], behind, "")


def _names_parameter(key: ast.expr | None, name: str) -> bool:
    """True for the key of a grid that names a parameter, by itself or of a step."""
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.split("__")[-1] == name


class _Value(_Change):
    """Another value for a parameter, under a key that ends with its name: alone, in a list, or in a list whose name is read for nothing else. In one place only, where it is not ``told`` that
    all estimators get the same."""

    def __init__(self, keyword: str, old: str, new: str, told: bool) -> None:
        self._keyword, self._old, self._new, self._told, self._places = keyword, old, new, told, 0
        self._names: set[str] = set()

    def read_names(self, nodes: Sequence[ast.AST]) -> None:
        given = Counter(v.id for node in nodes for v in self._list_given(node) if isinstance(v, ast.Name))
        read = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        self._names = {name for name, times in given.items() if read[name] == times}

    def _list_given(self, node: ast.AST) -> list[ast.expr]:
        """What a dictionary gives for the parameter."""
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            return [value for key, value in pairs if _names_parameter(key, self._keyword)]
        if isinstance(node, ast.Call) and read_last_name(node.func) == "dict":
            return [k.value for k in node.keywords if k.arg == self._keyword]
        return []

    def find(self, source: str, node: ast.AST) -> Iterator[Splice]:
        given = self._list_given(node)
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in self._names for t in node.targets):
            given = [node.value]
        items = [i for v in given for i in (v.elts if isinstance(v, ast.List | ast.Tuple) else [v])]
        found = [i for i in items if isinstance(i, ast.Constant) and str(i.value) == self._old and i.value is not True]
        self._places += bool(found)
        self.is_whole = self._told or self._places < 2
        for item in found:
            is_plain = self._new in _PLAIN or not isinstance(item.value, str)
            yield (*src.find_span(source, item), self._new if is_plain else repr(self._new))
        if isinstance(node, ast.Call):
            yield from self._find_given_beside(source, node)

    def _find_given_beside(self, source: str, call: ast.Call) -> Iterator[Splice]:
        """``RandomForestRegressor(criterion="mse")`` beside the grid: it fails alike, so that to mend the grid alone would show nothing."""
        name = read_last_name(call.func)
        known = (v for v in load_knowledge().values if name in v.calls and v.keyword == self._keyword and not v.unsafe)
        news = [v.new[self._old] for v in known if self._old in v.new]
        given = [k.value for k in call.keywords if k.arg == self._keyword and isinstance(k.value, ast.Constant)]
        if news and given and given[0].value == self._old:
            yield (*src.find_span(source, given[0]), str(news[0]) if str(news[0]) in _PLAIN else repr(news[0]))


class _Solver(_Change):
    """The solver of `LogisticRegression()`, where a grid asks for the penalty l1."""

    def __init__(self) -> None:
        self.is_whole = False

    def find(self, source: str, node: ast.AST) -> Iterator[Splice]:
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and str(key.value).split("__")[-1] == "penalty":
                    self.is_whole |= any(isinstance(n, ast.Constant) and n.value == "l1" for n in ast.walk(value))
        elif isinstance(node, ast.Call) and read_last_name(node.func) == "LogisticRegression":
            given = {k.arg for k in node.keywords}
            if not node.args and not {"solver", None} & given:
                at = src.find_span(source, node)[1] - 1
                yield at, at, f"{', ' if given else ''}solver='liblinear'"


def _find_new_name(estimator: str, old: str) -> str:
    """What the changelog calls a parameter of an estimator now, where it only has another name."""
    for known in load_knowledge().keywords.get(old, ()):
        if estimator in known.calls and "sklearn" in known.libraries:
            renamed = re.fullmatch(r"(\w+)=\{value\}", known.cases[0].argument) if len(known.cases) == 1 else None
            return renamed[1] if renamed and not known.cases[0].unsafe else ""
    return ""


def _is_taken_alike(context: RuleContext, keyword: str, old: str) -> bool:
    """Whether all estimators that are named where the values come from get the same in place of one: ``auto`` is all features or their root."""
    sources = {cell_id: source for cell_id, source, _ in list_statements_above(context)}
    words = set(re.findall(r"\w+", "\n".join(sources.values())))
    known = (v for v in load_knowledge().values if v.keyword == keyword and old in v.new)
    return len({v.new[old] for v in known if not words.isdisjoint(v.calls)}) < 2


def _find_idle_values(estimator: str, old: str) -> tuple[object, ...]:
    """The values of a parameter that is gone with which an estimator does what it does without it; none where the changelog does not say."""
    for known in load_knowledge().keywords.get(old, ()):
        if estimator in known.calls and "sklearn" in known.libraries:
            return tuple(v for c in known.cases if not (c.argument or c.wrap or c.callee or c.unsafe) for v in c.values)
    return ()
