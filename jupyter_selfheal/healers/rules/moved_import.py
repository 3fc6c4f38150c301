"""API101: an import of a module or a name that a library renamed, moved or removed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, keep_outermost
from jupyter_selfheal.healers.rules.context.import_plan import (
    NOTHING,
    USER,
    WRITTEN_OUT,
    Plan,
    check_imports,
    plan_import,
    plan_import_from,
)
from jupyter_selfheal.healers.rules.context.nodes import read_dotted_name
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.context.tables import list_known_modules
from jupyter_selfheal.healers.rules.context.templates import choose, read_arguments, render
from jupyter_selfheal.healers.rules.missing_module import find_wanted_distribution
from jupyter_selfheal.model import Applicability, Edit, Install, Patch, Replace

EXPERIMENTAL = re.compile(r"is experimental and .*explicitly import (enable_\w+)", re.S)
MOVED = "What is not there fails where it is used: the cells that do without it need not fail for it."


class MovedImport(Rule):
    """Import a renamed, moved or removed module or name from where it is now.

    **Failure** `ModuleNotFoundError: No module named 'sklearn.cross_validation'`, `ImportError: cannot import name 'comb'
    from 'scipy.misc'`, and the modules of Python 2 (`urllib2`, `cPickle`).

    **Fix** The import statement names the new place, under the old name, so that every cell that uses it works on. The
    successor is taken from the libraries' changelogs (`data/*.toml`), else found by reading the installed package: the
    one public module whose `__all__` lists the name. Where a function's arguments changed too, its calls are rewritten.

    What scikit-learn calls experimental (`IterativeImputer`) gets the import above it that its message asks for.

    A name whose successor is another thing (`load_boston`), and that only cells below use, is imported by the first of these: that one fails, by
    the same error, and is healed for itself. So is a module that is not there and of which no distribution is known.

    **Fix safety** Safe where the changelog says that it is the same thing under another name, or where exactly one public
    module of the package lists the name; unsafe where the successor differs in a detail, which the patch then says. To import a name where it is used first
    is safe: nothing is left out, and what failed fails there.
    """

    code = "API101"
    name = "moved or removed import"
    stage = Stage.CHANGELOG
    enames = frozenset({"ModuleNotFoundError", "ImportError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "The library's changelog names the successor, and it is there in the installed version."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if (asked := EXPERIMENTAL.search(context.failure.evalue)) is not None:
            yield from self._enable_experiment(context, asked[1])
            return
        nodes = [n for n in ast.walk(context.tree) if _is_import(n) and (n.end_lineno or 0) >= context.line]
        works = check_imports(context, nodes)
        plan = _plan_imports(context, nodes, works, Plan())
        if not _keeps_failing(context, nodes, works, plan):
            yield from self._build_patch(context, plan)
        requirement, module, is_known = find_wanted_distribution(context)
        lost = module.split(".")[0] if requirement and not is_known else ""
        lost = "" if find_nearest(lost, list_known_modules()) else lost  # a slip, more likely
        if (plan.shown or plan.unsafe or plan.requires or lost) and len(context.tree.body) > 1:
            cautious = _plan_imports(context, nodes, works, Plan(is_cautious=True, lost=lost))
            if cautious.moved and not (cautious.shown or cautious.unsafe):
                yield from self._build_patch(context, cautious)

    def _enable_experiment(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """``from sklearn.experimental import enable_iterative_imputer``, above the import that asks for it."""
        node = next((n for n in context.tree.body if _is_import(n) and (n.end_lineno or 0) >= context.line), None)
        if node is None or not context.select_fitting([(f"sklearn.experimental.{name}", "")]):
            return
        start, line = context.span(node)[0], f"from sklearn.experimental import {name}"
        yield self.patch(
            context.replace(context.cell_id, [(start, start, f"{line}\n")]),
            f"Add `{line}`",
            "What is imported is experimental, and must be asked for.",
            why="The library's own message asks for this import.",
            prior=0.95,
        )

    def _build_patch(self, context: RuleContext, plan: Plan) -> Iterator[Patch]:
        edits = _build_edits(context, plan) if plan.splices else ()
        if not edits:
            return
        level = Applicability.SAFE
        if plan.shown:
            level = Applicability.DISPLAY_ONLY
        elif plan.unsafe:
            level = Applicability.UNSAFE
        lacks_text = not (plan.moved or all(text for _, _, text in plan.splices))
        why = "; ".join(plan.unsafe)
        if not why and plan.requires:
            why = f"The changelog names the successor, which {', '.join(plan.requires)} has."
        yield self.patch(
            edits,
            _format_title(*plan.notes[0].split(" → ")),
            f"{'No distribution is known of' if plan.lost else 'The library moved or removed'} this import: {'; '.join(plan.notes)}.",
            applicability=level,
            why=why or (MOVED if plan.moved else self.why),
            removes="; ".join(plan.removed) or ("an import of what is no longer needed" if lacks_text else ""),
            prior=0.9 if not plan.unsafe else 0.6,
        )


def _plan_imports(
    context: RuleContext, nodes: list[ast.Import | ast.ImportFrom], works: list[list[bool]], plan: Plan
) -> Plan:
    for node, fine in zip(nodes, works, strict=True):
        if isinstance(node, ast.Import) and not all(fine):
            plan_import(context, node, fine, plan)
        elif isinstance(node, ast.ImportFrom) and not all(fine):
            plan_import_from(context, node, fine, plan)
    text = "\n".join(c.source for c in context.notebook.cells if c.kind == "code")
    plan.unsafe += [why for words, why in plan.doubts.items() if re.search(words, text)]
    return plan


def _keeps_failing(
    context: RuleContext, nodes: list[ast.Import | ast.ImportFrom], works: list[list[bool]], plan: Plan
) -> bool:
    """Whether the import that failed stays as it is, so that a mend of those below would not be come to."""
    failing = next(
        (n for n, fine in zip(nodes, works, strict=True) if n.lineno <= context.line and not all(fine)), None
    )
    return failing is not None and not any(a <= context.span(failing)[0] < b for a, b, _ in plan.splices)


def _format_title(old: str, new: str) -> str:
    if new == NOTHING:
        return f"Leave out the import of {old}"
    if new == USER:
        return f"Import {old.rpartition('.')[2]} in {new}"
    return f"{'Write' if new == WRITTEN_OUT or ' = ' in new else 'Import'} {new} in place of {old}"


def _is_import(node: ast.AST) -> TypeGuard[ast.Import | ast.ImportFrom]:
    return isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and bool(node.module) and not node.level)


def _build_edits(context: RuleContext, plan: Plan) -> tuple[Edit, ...]:
    """The context's cell with its new imports, and the uses in every code cell that must be written anew."""
    edits: list[Edit] = [Install(requirement, module) for requirement, module in plan.requires.items()]
    for cell in context.notebook.cells or ():
        if cell.kind != "code" or cell.id == context.cell_id:
            continue
        other = context.view_cell(cell.id)
        uses = _rewrite_uses(other, plan)
        edits += _replace_cell(
            other, (uses[0], [*uses[1], *(line for line, user in plan.moved if user == cell.id)]) if uses else None, []
        )
    own = _rewrite_uses(context, plan)
    if own is None:
        return ()
    edits += _replace_cell(context, own, plan.splices)
    return tuple(edits) if any(isinstance(e, Replace) and e.cell_id == context.cell_id for e in edits) else ()


def _replace_cell(
    context: RuleContext, uses: tuple[list[Splice], list[str]] | None, splices: list[Splice]
) -> tuple[Replace, ...]:
    if uses is None or not (uses[0] or uses[1] or splices):
        return ()
    inside = [s for s in uses[0] if not any(a <= s[0] and s[1] <= b for a, b, _ in splices)]
    imports = list(dict.fromkeys(uses[1]))
    for n, (start, end, text) in enumerate(splices):
        if not text and imports:  # what is needed now stands where the old import stood
            splices = [*splices[:n], (start, end, "\n".join(imports)), *splices[n + 1 :]]
            imports = []
    splices = [(a, b + (not text and context.source[b : b + 1] == "\n"), text) for a, b, text in splices]
    return context.replace(context.cell_id, [*splices, *inside, *context.add_imports(imports)])


def _rewrite_uses(context: RuleContext, plan: Plan) -> tuple[list[Splice], list[str]] | None:
    """Splices for what is written with an old path or called in an old form; None where a use has no new form."""
    splices: list[Splice] = []
    imports: list[str] = []
    for node in ast.walk(context.tree):
        chain = read_dotted_name(node)
        if chain is not None and chain in plan.chains and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            splices.append((*context.span(node), plan.chains[chain]))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in plan.calls:
            change = plan.calls[node.func.id]
            written = choose(context, change.forms, node, None, change.params)
            if written is None:
                return None
            splices.append((*context.span(node), written.text))
            imports += written.imports
        elif (asked := _write_method(context, plan, node)) is not None:
            splices.append((*context.span(node), asked))
    return keep_outermost(splices), imports


def _write_method(context: RuleContext, plan: Plan, node: ast.AST) -> str | None:
    """A call of a method that gives something else of the successor, in its new form."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    owner = node.func.value
    change = plan.made.get(owner.id) if isinstance(owner, ast.Name) else None
    form = change.made.get(node.func.attr) if change is not None else None
    written = render(context, form, owner, arguments=read_arguments(context, node)) if form else None
    return written.text if written is not None else None
