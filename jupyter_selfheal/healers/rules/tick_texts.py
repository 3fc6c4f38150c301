"""MPL103: texts where the positions of ticks belong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import find_keyword, read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.healers.rules.context.written_before import find_older_use, ran_once
from jupyter_selfheal.model import Applicability, Patch

POSITIONS = {"xticks": "xticklabels", "yticks": "yticklabels", "zticks": "zticklabels"}
SETTERS = frozenset({"set_xticks", "set_yticks", "set_zticks", "xticks", "yticks"})
LABEL_SETTERS = {f"set_{labels}": f"set_{ticks}" for ticks, labels in POSITIONS.items()}

UNEVEN = re.compile(
    r"The number of FixedLocator locations \((\d+)\).* does not match the number of (?:tick)?labels \((\d+)\)"
)


class TickTexts(Rule):
    """Give ticks positions, not texts.

    **Failure** `ConversionError: Failed to convert value(s) to axis units: ['']`; `ValueError: The number of FixedLocator locations (9), usually from a call to set_ticks, does not match the
    number of labels (8)` at `plt.xticks(range(table.shape[1]), names)`.

    **Fix** `yticks=[""]`, which once hid the ticks, becomes `yticks=[]`, and the empty labels beside it too;
    `ax.set_xticks(["a", "b"])` becomes `ax.set_xticks(range(2), ["a", "b"])`.

    A confusion matrix is shown with the labels that it was made of: `display_labels=np.union1d(y_test, guesses)` (unsafe).

    Ticks of `range` or `np.arange` that have no label go: `plt.xticks(range(len(names)), names)`; so do labels that have no tick:
    `plt.xticks(range(len(names) - 1), names[:len(names) - 1])`. So do those of `ax.set_xticklabels(names)` below `ax.set_xticks(places)`: `names[:len(places)]`.

    **Fix safety** Safe where the texts are empty: there is nothing to be seen then or now; and where ticks from 0 on are more than the labels: until Matplotlib 3.3 the first ones got them, and the others none (unsafe where the labels are listed by hand, or as many things are drawn: one may be missing). Labels without a tick are dropped safely where the ticks are counted by their names, and the same is drawn, and beside `set_xticks` where the notebook ran before Matplotlib 3.3. Unsafe where they say something: they may
    belong to other positions.
    """

    code = "MPL103"
    name = "texts as positions of ticks"
    stage = Stage.LIBRARY
    enames = frozenset({"ConversionError", "ValueError"})
    message = re.compile(r"axis units|" + UNEVEN.pattern)
    applicability = Applicability.SAFE
    why = "The texts are empty: no ticks were meant."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if uneven := UNEVEN.search(context.failure.evalue):
            yield from self._drop_unlabelled(context, int(uneven[1]), int(uneven[2]))
            yield from self._fit_labels(context, int(uneven[1]), int(uneven[2]))
            yield from self._name_classes(context)
            return
        cell_id, source, _ = context.location
        inner = [
            n
            for call in context.list_nodes_on_line(ast.Call)
            for n in ast.walk(call)
            if isinstance(n, ast.Call | ast.Dict)
        ]
        near = list(dict.fromkeys(inner))
        hidden = [s for node in near for s in _hide_ticks(source, _list_entries(node))]
        if hidden:
            yield self.patch(
                context.replace(cell_id, dict.fromkeys(hidden)),
                "Hide the ticks by an empty list",
                "Positions of ticks are numbers; these are empty texts.",
                prior=0.9,
            )
            return
        for call in (
            n for n in near if isinstance(n, ast.Call) and read_last_name(n.func) in SETTERS and len(n.args) == 1
        ):
            wanted = call.args[0]
            if isinstance(wanted, ast.List) and wanted.elts and _are_empty_texts(wanted) and not call.keywords:
                start = src.find_span(source, wanted)[0]
                blank = not any(isinstance(e, ast.Constant) and e.value for e in wanted.elts)
                change = (
                    (*src.find_span(source, wanted), "[]") if blank else (start, start, f"range({len(wanted.elts)}), ")
                )
                yield self.patch(
                    context.replace(cell_id, [change]),
                    "Hide the ticks by an empty list" if blank else "Give the texts as labels of positions",
                    "Positions of ticks are numbers; these are texts.",
                    applicability=Applicability.SAFE if blank else Applicability.UNSAFE,
                    why=self.why if blank else "The texts may belong to other positions than 0, 1, 2 …",
                    prior=0.85,
                )
                return

    def _name_classes(self, context: RuleContext) -> Iterator[Patch]:
        """``ConfusionMatrixDisplay(confusion_matrix=cm, display_labels=[False, True])`` of three classes: the labels that `cm` was made of."""
        for view in context.look_upwards():
            for call in view.walk(ast.Call):
                labels, made = find_keyword(call, "display_labels"), find_keyword(call, "confusion_matrix")
                given = made.value if made is not None else call.args[0] if call.args else None
                if (
                    read_last_name(call.func) != "ConfusionMatrixDisplay"
                    or labels is None
                    or not isinstance(given, ast.Name)
                ):
                    continue
                home, union = context.find_last_assignment(given.id), context.reference("numpy.union1d")
                asked = home.node.value if home is not None else None
                if home is None or union is None or not isinstance(asked, ast.Call) or len(asked.args) < 2:
                    return
                if read_last_name(asked.func) != "confusion_matrix" or asked.keywords:
                    return
                both = ", ".join(src.extract_text(home.source, a) for a in asked.args[:2])
                new = f"{union.text}({both})"
                yield self.patch(
                    change_and_replay(
                        context,
                        {view.cell_id: [(*view.span(labels.value), new), *view.add_imports([union.import_line])]},
                    ),
                    f"Name the classes that there are: `display_labels={new}`",
                    f"`{given.id}` has another number of classes than `{view.text(labels.value)}` names.",
                    applicability=Applicability.UNSAFE,
                    why="Other names may be meant for the classes.",
                    prior=0.75,
                )
                return

    def _drop_unlabelled(self, context: RuleContext, ticks: int, labels: int) -> Iterator[Patch]:
        """The call that gives labels beside ticks that are counted from 0, and are more."""
        for call in context.list_calls_at_failure():
            first = call.args[0] if len(call.args) == 2 else None
            names = context.read_plain_chain(call.args[1]) if first is not None else None
            if read_last_name(call.func) not in SETTERS or not isinstance(first, ast.Call) or not names:
                continue
            if read_last_name(first.func) in ("range", "arange") and len(first.args) == 1 and not first.keywords:
                if ticks <= labels:
                    yield self._drop_labels(context, call.args[1], first, ticks, labels)
                    return
                edits = context.replace_here((*context.span(first.args[0]), f"len({names})"))
                cause = f"There are {ticks} ticks and {labels} labels."
                made = context.find_last_assignment(names)
                is_listed = made is not None and isinstance(made.node.value, ast.List | ast.Tuple)
                is_drawn = sum(context.text(first) == context.text(n) for n in context.walk(ast.Call)) > 1
                why, level, prior = (
                    ("A label may be missing.", Applicability.UNSAFE, 0.7)
                    if is_listed or is_drawn
                    else ("Until Matplotlib 3.3 the first ticks got the labels.", Applicability.SAFE, 0.9)
                )
                title = f"Make `len({names})` ticks"
                yield self.patch(edits, title, cause, applicability=level, why=why, prior=prior)
                return

    def _fit_labels(self, context: RuleContext, ticks: int, labels: int) -> Iterator[Patch]:
        """``ax.set_xticklabels(names)`` below ``ax.set_xticks(places)``: labels without a tick go, or ticks from 0 on without a label; of both axes."""
        calls = [c for c in context.walk(ast.Call) if isinstance(c.func, ast.Attribute) and c.args]
        failing = next((c for c in context.list_calls_at_failure() if read_last_name(c.func) in LABEL_SETTERS), None)
        names = context.read_plain_chain(failing.args[0]) if failing is not None and failing.args else None
        splices: list[Splice] = []
        for call in calls:
            setter = LABEL_SETTERS.get(read_last_name(call.func))
            if setter is None or not names or context.text(call.args[0]) != names:
                continue
            owner = context.text(call.func).removesuffix(read_last_name(call.func))
            above = [c for c in calls if context.text(c.func) == owner + setter and c.lineno < call.lineno]
            places = context.read_plain_chain(above[-1].args[0]) if above else None
            if not places or not context.is_true(f"len({places}) == {ticks} and hasattr({names}, '__getitem__')"):
                continue
            if ticks < labels:
                splices.append((*context.span(call.args[0]), f"{names}[:len({places})]"))
            elif context.is_true(f"[*{places}] == [*range({ticks})]"):
                splices.append((*context.span(above[-1].args[0]), f"{places}[:len({names})]"))
        is_old = ran_once(context, "3.9") or bool(find_older_use(context, "matplotlib", "3.3"))
        if splices:
            yield self.patch(
                context.replace_here(*splices),
                f"Use `{splices[0][2]}`",
                f"There are {ticks} ticks and {labels} labels.",
                applicability=Applicability.SAFE if is_old else Applicability.UNSAFE,
                why="Until Matplotlib 3.3 the first ticks got the first labels."
                if is_old
                else "Another tick or label may be missing.",
                prior=0.9 if is_old else 0.7,
            )

    def _drop_labels(self, context: RuleContext, names: ast.expr, places: ast.Call, ticks: int, labels: int) -> Patch:
        """The labels beyond as many ticks as ``range`` of ``places`` has go: on purpose where something is drawn just there."""
        text, count = context.text(names), context.text(places.args[0])
        is_drawn = sum(context.text(places) == context.text(n) for n in context.walk(ast.Call)) > 1
        is_meant = f"len({text})" in count and is_drawn
        return self.patch(
            context.replace_here((*context.span(names), f"{text}[:{count}]")),
            f"Give the first {ticks} labels",
            f"There are {ticks} ticks and {labels} labels.",
            applicability=Applicability.SAFE if is_meant else Applicability.UNSAFE,
            why="Until Matplotlib 3.3 the labels beyond the last tick were left out."
            if is_meant
            else "Another tick may be missing, or other labels be meant.",
            prior=0.9 if is_meant else 0.7,
        )


def _list_entries(node: ast.Call | ast.Dict) -> Mapping[str, ast.expr]:
    """Keywords of a call, or texts that are keys of a dict → their values."""
    if isinstance(node, ast.Call):
        return {k.arg: k.value for k in node.keywords if k.arg}
    pairs = zip(node.keys, node.values, strict=True)
    return {k.value: v for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)}


def _hide_ticks(source: str, entries: Mapping[str, ast.expr]) -> Iterator[Splice]:
    """Splices that empty the lists of nothing but empty texts, positions and the labels beside them."""
    for name, labels in POSITIONS.items():
        if name in entries and _is_blank(entries[name]):
            yield (*src.find_span(source, entries[name]), "[]")
            if labels in entries and _is_blank(entries[labels]):
                yield (*src.find_span(source, entries[labels]), "[]")


def _is_blank(node: ast.expr) -> bool:
    return _are_empty_texts(node) and not any(
        isinstance(e, ast.Constant) and e.value for e in getattr(node, "elts", ())
    )


def _are_empty_texts(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.List | ast.Tuple)
        and bool(node.elts)
        and all(isinstance(e, ast.Constant) and isinstance(e.value, str) for e in node.elts)
    )
