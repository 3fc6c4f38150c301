"""SKL109: a part of a split that is given beside a part of another kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch

ROLES = ("train", "test", "all")


@dataclass(frozen=True, slots=True)
class Split:
    """The names of the data and of the labels, by role: ``{"train": "X_train", "test": "X_test", "all": "X"}``."""

    data: dict[str, str]
    labels: dict[str, str]
    roles: dict[str, str]
    """The role of each name of data, of what was made of a part row by row, too: ``X_test_scaled = scaler.transform(X_test)``."""


class PartsOfSplit(Rule):
    """Give data and labels of the same part of a split.

    **Failure** `ValueError: Found input variables with inconsistent numbers of samples: [112, 150]` at `model.fit(X_train, y)`,
    `accuracy_score(y_train, model.predict(X_test))`; `y should be a 1d array` at `model.fit(X_train, X_test)`; `missing 1 required positional argument: 'y'` at `model.score(X_test)`.

    **Fix** The labels of the part that the data are of: `model.fit(X_train, y_train)`, `accuracy_score(y_test, model.predict(X_test))`; `model.score(X_test, y_test)`. What was made of a part row by row (`scaler.transform(X_test)`) is of that part.

    What was predicted above of the other part is predicted anew: `y_pred = model.predict(X_test)` in a cell about `y_test` (unsafe).

    **Fix safety** Safe where one side is computed of the part for tests, or of one that the line's words name, or a model is fitted and one side is the training part.
    Unsafe for `accuracy_score(y_test, model.predict(X_train))`, as `X_test` may be meant, and where the line says `"Test accuracy"` of the other part. Where two names are given
    to `score`, either may be meant, and both are offered. Silent where no `train_test_split` says which belong together.
    """

    code = "SKL109"
    name = "parts of a split"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = re.compile(
        r"inconsistent numbers of samples|y should be a 1d array|could not be broadcast together|must be the same size|must have same first dimension|missing (?:1|a) required (?:positional )?argument: '(?:y|y_pred)'$"
    )
    applicability = Applicability.SAFE
    why = "The split says which labels belong to which data."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        split = find_split(context)
        if context.failure.ename == "TypeError":
            yield from self._give_labels(context, split)
            return
        for call in context.list_calls_at_failure() if split is not None else ():
            if split is not None and (change := _find_data_for_labels(call, split)):
                node, name = change
                yield self.patch(
                    context.replace_here((*context.span(node), name)),
                    f"Give `{name}` in place of `{context.text(node)}`",
                    f"`{context.text(node)}` holds data, and the labels of `{context.text(call.args[0])}` are `{name}`.",
                    prior=0.93,
                )
                return
            given = [*call.args, *(k.value for k in call.keywords)]
            named = [n for n in given if isinstance(n, ast.Name)]
            labels = next((n for n in named if split and n.id in split.labels.values()), None)
            others = [n for n in given if n is not labels]
            data = next((n for n in others if split and _find_role(context, n, split)), None)
            if split is None or labels is None or data is None:
                continue
            mine = next(r for r in ROLES if split.labels.get(r) == labels.id)
            theirs = _find_role(context, data, split)
            if mine == theirs:
                continue
            fits = read_last_name(call.func).startswith("fit")
            is_name = isinstance(data, ast.Name) and data.id in split.data.values()
            ways: list[tuple[ast.expr, str]] = []
            if not (fits and mine == "train") and theirs in split.labels:
                ways.append((labels, split.labels[theirs]))
            if is_name and mine in split.data and not (fits and theirs == "train"):
                ways.append((data, split.data[mine]))
            for node, name in ways:
                sure = len(ways) == 1 and (fits or is_name or _agrees_with_words(context, theirs))
                yield self.patch(
                    context.replace_here((*context.span(node), name)),
                    f"Give `{name}` in place of `{context.text(node)}`",
                    f"`{context.text(data)}` and `{labels.id}` are of different parts of the split.",
                    applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                    why=self.why if sure else "Either part may be meant.",
                    prior=0.93 if sure else 0.6,
                )
            break
        if split is not None:
            yield from self._predict_anew(context, split)

    def _predict_anew(self, context: RuleContext, split: Split) -> Iterator[Patch]:
        """``y_pred = model.predict(X_test)`` above a cell about `y_test`, where `y_pred` was made of `X_train`."""
        view, statement = context.view_cell(context.failure.cell_id), context.failing_statement
        names = list_names(statement) if statement is not None else set()
        mine = {r for r in ROLES for part in (split.labels, split.data) if part.get(r) in names}
        first = view.tree.body[0] if view.tree.body else None
        if len(mine) != 1 or first is None:
            return
        for name in sorted(names):
            home, role = context.find_last_assignment(name), next(iter(mine))
            if home is None or home.cell_id == view.cell_id or not isinstance(home.node.value, ast.Call):
                continue
            call = home.node.value
            theirs = [(n, r) for n in call.args for r in ROLES if isinstance(n, ast.Name) and split.data.get(r) == n.id]
            other = split.data.get(role, "")
            if (
                not read_last_name(call.func).startswith("predict")
                or len(theirs) != 1
                or theirs[0][1] == role
                or not other
            ):
                continue
            made = context.view_cell(home.cell_id)
            text = made.text(home.node)
            at = made.span(home.node)[0]
            start, end = (place - at for place in made.span(theirs[0][0]))
            new = f"{text[:start]}{other}{text[end:]}"
            place = view.span(first)[0]
            yield self.patch(
                view.replace_here((place, place, f"{new}\n")),
                f"Predict anew: `{new}`",
                f"`{name}` was made of `{theirs[0][0].id}`, and this is about `{other}`.",
                applicability=Applicability.UNSAFE,
                why="What was predicted above may be meant, beside its own labels.",
                prior=0.65,
            )
            return

    def _give_labels(self, context: RuleContext, split: Split | None) -> Iterator[Patch]:
        """``model.score(X_test, y_test)`` for ``model.score(X_test)``."""
        for call in context.list_calls_at_failure() if split is not None else ():
            labels = find_labels(call, split)
            if (
                not labels
                and split is not None
                and len(call.args) == 1
                and not call.keywords
                and "'y_pred'" in context.failure.evalue
            ):
                yield from self._compare_with_labels(context, call, split)
                return
            if labels and "'y'" in context.failure.evalue:
                yield self.patch(
                    context.replace_here(append_argument(context.source, call, labels)),
                    f"Pass `{labels}` too",
                    f"`{context.text(call.func)}` takes the labels of the data, too.",
                    prior=0.93,
                )
                return

    def _compare_with_labels(self, context: RuleContext, call: ast.Call, split: Split) -> Iterator[Patch]:
        """``accuracy_score(y_test, model.predict(X_test))`` for ``accuracy_score(model.predict(X_test))``."""
        labels = split.labels.get(_find_role(context, call.args[0], split), "")
        if labels and not (isinstance(call.args[0], ast.Name) and call.args[0].id in split.labels.values()):
            start = context.span(call.args[0])[0]
            yield self.patch(
                context.replace_here((start, start, f"{labels}, ")),
                f"Compare with `{labels}`",
                f"`{context.text(call.func)}` takes the labels, and what was predicted.",
                prior=0.93,
            )


def _find_data_for_labels(call: ast.Call, split: Split) -> tuple[ast.expr, str] | None:
    """What is given for labels though it is data, and the labels that belong there: ``model.fit(X_train, X_test)``."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in ("fit", "score", "fit_predict", "partial_fit")):
        return None
    match call.args:
        case [ast.Name(data), ast.Name(other) as given] if data != other:
            roles = split.roles
            labels = split.labels.get(roles.get(data, ""), "")
            if (
                other in roles and labels and (other[0] in "xX" or labels[0] not in "xX")
            ):  # else the names are in the wrong order
                return given, labels
    return None


def _agrees_with_words(context: RuleContext, role: str) -> bool:
    """Whether predictions are of the part that the line speaks of: by default what a model is judged on, the part for tests."""
    texts = [n.value for n in context.list_nodes_on_line(ast.Constant) if isinstance(n.value, str)]
    texts += [t.id for n in context.list_nodes_on_line(ast.Assign) for t in n.targets if isinstance(t, ast.Name)]
    said = {part for part in ("train", "test") for text in texts if part in text.lower()}
    return said == {role} or (not said and role == "test")


def find_labels(call: ast.Call, split: Split | None) -> str:
    """The labels of the data that are the one thing that a call of a method is given; empty where that is no part of a split."""
    match call:
        case ast.Call(ast.Attribute(), [ast.Name(data)], []) if split is not None:
            return split.labels.get(split.roles.get(data, ""), "")
    return ""


def find_split(context: RuleContext) -> Split | None:
    """The nearest ``X_train, X_test, y_train, y_test = train_test_split(X, y)`` above the failure of which the cell uses a part; else the nearest one."""
    splits = [*_list_splits(context)]
    used = {n.id for n in context.walk(ast.Name) if isinstance(n.ctx, ast.Load)}
    parts = ({s.data["train"], s.data["test"], s.labels["train"], s.labels["test"]} for s in splits)
    return next((s for s, own in zip(splits, parts, strict=True) if own & used), next(iter(splits), None))


def _list_splits(context: RuleContext) -> Iterator[Split]:
    """Every such split, from the nearest one upwards."""
    for view in context.look_upwards():
        for node in view.walk(ast.Assign):
            call, target = node.value, node.targets[0]
            if not isinstance(call, ast.Call) or len(call.args) != 2 or not _is_split(context, view, call):
                continue
            names = [n.id for n in target.elts if isinstance(n, ast.Name)] if isinstance(target, ast.Tuple) else []
            if len(set(names)) == 4:
                whole = [{"all": a.id} if isinstance(a, ast.Name) else {} for a in call.args]
                data = {"train": names[0], "test": names[1], **whole[0]}
                labels = {"train": names[2], "test": names[3], **whole[1]}
                yield Split(data, labels, _list_roles(context, data))


ROW_BY_ROW = frozenset({"transform", "fit_transform", "copy", "astype", "to_numpy", "array", "asarray", "DataFrame"})
"""Functions that give as many rows as they are given, in the same order."""


def _list_roles(context: RuleContext, data: dict[str, str]) -> dict[str, str]:
    """The role of each name that holds a part of the data, or what was made of it row by row up to here."""
    roles = {name: role for role, name in data.items()}
    for view in [*context.look_upwards()][::-1]:
        for node in view.walk(ast.Assign):
            used = set[str]()
            match node.value:
                case ast.Call(func, args) if read_last_name(func) in ROW_BY_ROW:
                    names = (n.id for n in (*args, getattr(func, "value", func)) if isinstance(n, ast.Name))
                    used = {roles[n] for n in names if n in roles}
            for target in node.targets:  # what is given another value is no longer of that part
                if isinstance(target, ast.Name) and target.id not in data.values():
                    roles.pop(target.id, None)
                    if len(used) == 1:
                        roles[target.id] = next(iter(used))
    return roles


def _is_split(context: RuleContext, view: RuleContext, call: ast.Call) -> bool:
    """True for a call of ``train_test_split``, under another name too."""
    if read_last_name(call.func) == "train_test_split":
        return True
    info = context.describe(view.text(call.func)) if isinstance(call.func, ast.Name) else None
    return info is not None and info.path.endswith(".train_test_split")


def _find_role(context: RuleContext, node: ast.expr, split: Split) -> str:
    """Of which part the data are that an expression is computed of; empty where it is of none, or of several."""
    used = _list_used(node)
    if isinstance(node, ast.Name) and node.id not in split.roles:
        home = context.find_last_assignment(node.id)
        used = _list_used(home[2].value) if home is not None and home[2].value is not None else set()
    roles = {split.roles[name] for name in used if name in split.roles}
    return roles.pop() if len(roles) == 1 else ""


def _list_used(node: ast.expr) -> set[str]:
    """Names that a value is computed of; of predictions those of what is predicted, not of what the model was fitted on."""
    if isinstance(node, ast.Call) and (read_last_name(node.func) or "").startswith("predict"):
        return {n.id for a in node.args for n in ast.walk(a) if isinstance(n, ast.Name)}
    return list_names(node)
