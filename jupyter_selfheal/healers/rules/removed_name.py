"""API102: a name that a module no longer has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, keep_outermost
from jupyter_selfheal.healers.rules.context.import_plan import ALIASES, SEARCHED, find_shown_library
from jupyter_selfheal.healers.rules.context.knowledge import ANNOUNCED, Change, load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import (
    find_keyword,
    list_attributes_named,
    read_dotted_name,
    read_last_name,
)
from jupyter_selfheal.healers.rules.context.remedies import QUOTED_PATH
from jupyter_selfheal.healers.rules.context.templates import Written, choose, render
from jupyter_selfheal.model import Applicability, Edit, Failure, Install, Patch


class RemovedName(Rule):
    """Use the successor of a name that a module no longer has.

    **Failure** `AttributeError: module 'numpy' has no attribute 'float'`, or `'in1d'`, and messages that name the successor: "`np.float_`
    was removed in the NumPy 2.0 release. Use `np.float64` instead." Also `sns.plt.show()`: a library that another one once showed among its own names.

    **Fix** Every use of the old name in the cell is written anew: by the library's changelog (`data/*.toml`), by the
    message itself, or by searching the package for the one public module that lists the name. Imports that this needs
    are added.

    **Fix safety** Safe where the changelog or the message names the successor and it is there in the installed version;
    unsafe where the successor differs in a detail (but where what is given shows that it does not here: `tsplot` of one series) or was found by its name alone.
    """

    code = "API102"
    name = "name removed from a module"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError", "ImportError", "NotImplementedError", "RuntimeError", "TypeError"})
    warning = ANNOUNCED
    applicability = Applicability.SAFE
    why = "The library itself names the successor, and it is there in the installed version."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and (
            failure.ename == "AttributeError"
            or failure.is_warning
            or QUOTED_PATH.search(failure.evalue) is not None
            or "removed" in failure.evalue
        )

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.is_warning:
            yield from self._mend_announced(context)
            return
        if context.failure.ename != "AttributeError":
            yield from self._mend_call(context)
            return
        module, name = (
            context.owner.path if context.owner.is_module or context.owner.is_class else "",
            context.attribute,
        )
        if not module or not name:
            match = re.match(r"[Mm]odule '([\w.]+)' has no attribute '(\w+)'", context.failure.evalue)
            if match is None:
                return
            module, name = match[1], match[2]
        targets = _list_uses(context, name)
        if not targets:
            return
        short = module.split(".")[0] + "." + module.rsplit(".", 1)[-1] if context.owner.is_class else module
        change = _change_of(context, [f"{module}.{name}", f"{short}.{name}"], module, name)
        if change is None or change.new == module or (change.unsafe and not change.version):
            targets, change = _find_longest_chain(context, targets[0], module) or (targets, change)
        if change is not None:
            yield from self._rewrite_uses(context, targets, change)

    def _mend_announced(self, context: RuleContext) -> Iterator[Patch]:
        """A name of a module on the line that a warning speaks of."""
        said = set(re.findall(r"\w+", context.failure.evalue))
        nodes = [n for n in context.list_nodes_at_failure(ast.Attribute) if n.attr in said]
        for node, live in zip(nodes, context.describe_all([n.value for n in nodes]), strict=True):
            change = load_knowledge().names.get(f"{live.path}.{node.attr}") if live.is_module else None
            if change is not None:
                yield from self._rewrite_uses(context, _list_uses(context, node.attr), change)
                return
        if any(read_last_name(call.func) in said for call in context.list_calls_at_failure()[:3]):
            yield from self._mend_call(context)

    def _mend_call(self, context: RuleContext) -> Iterator[Patch]:
        """A function that is still there to say that it was removed (``interp2d``)."""
        for call in context.list_calls_at_failure()[:3]:
            live = context.describe_all([call.func], calls=True)[0]
            name = read_last_name(call.func)
            if not live.path and isinstance(call.func, ast.Attribute):
                owner = context.describe_all([call.func.value])[
                    0
                ]  # a module may raise as soon as it is asked for the name
                change = load_knowledge().names.get(f"{owner.path}.{name}") if owner.is_module else None
                if change is not None:
                    yield from self._rewrite_uses(context, _list_uses(context, name), change)
                    return
            for path in (
                f"{live.path.split('.')[0]}.{'.'.join(live.path.split('.')[1:-1])}.{name}",
                _make_public(live.path),
            ):
                change = load_knowledge().names.get(path)
                if change is not None:
                    yield from self._rewrite_uses(context, [call.func], change)
                    return

    def _rewrite_uses(self, context: RuleContext, targets: list[ast.expr], change: Change) -> Iterator[Patch]:
        splices: list[Splice] = []
        imports: list[str] = []
        for node in targets:
            written, whole = _write_use(context, node, change)
            if written is None:
                continue
            splices.append((*context.span(whole), written.text))
            imports += written.imports
        splices = keep_outermost(splices)
        if not splices:
            return
        doubt = "" if change.settled and _is_settled(context, targets, change) else change.unsafe
        level = Applicability.UNSAFE if doubt else Applicability.SAFE
        level = Applicability.DISPLAY_ONLY if change.show else level
        when = f" ({change.library} {change.version})" if change.version else ""
        shown = splices[0][2]
        missing = change.requires if change.requires and not context.exists(change.new) else ""
        installs: tuple[Edit, ...] = (Install(missing, change.new.split(".")[0]),) if missing else ()
        yield self.patch(
            (*installs, *context.replace(context.cell_id, [*splices, *context.add_imports(imports)])),
            f"Change `{context.text(targets[0])}` to `{shown}`",
            f"`{change.old}` was removed{when}." if when else f"There is no `{change.old}`, but `{change.new}`.",
            applicability=level,
            why=doubt or self.cite(change.source),
            removes=change.removes,
            # its form of the call goes before the bare name that a message has (API205)
            prior=0.9 if level is Applicability.SAFE else 0.65 if change.forms else 0.55,
        )


def _is_settled(context: RuleContext, targets: list[ast.expr], change: Change) -> bool:
    """True where a condition that makes the successor the same thing holds of the first argument of each use."""
    calls = [context.call_of(node) for node in targets]
    firsts = [_find_first_argument(call, change.params) for call in calls]
    return all(
        first is not None
        and not any(isinstance(n, ast.Call) for n in ast.walk(first))
        and context.is_true(change.settled.replace("{first}", context.text(first)))
        for first in firsts
    )


def _find_first_argument(call: ast.Call | None, params: tuple[str, ...]) -> ast.expr | None:
    """What a call gives for the first parameter, by its place or by its name."""
    if call is None or call.args:
        return call.args[0] if call is not None else None
    named = find_keyword(call, params[0]) if params else None
    return named.value if named is not None else None


def _make_public(path: str) -> str:
    parts = [p for p in path.split(".") if not p.startswith("_")]
    return ".".join(dict.fromkeys(parts)) if len(parts) < 3 else ".".join([*parts[:2], parts[-1]])


def _list_uses(context: RuleContext, name: str) -> list[ast.expr]:
    """The failing ``module.name`` and every other one of the same text in the cell."""
    nearest = next((n for n in context.list_nodes_at_failure(ast.Attribute) if n.attr == name), None)
    if not isinstance(nearest, ast.Attribute):
        return []
    text = read_dotted_name(nearest)
    return [
        n for n in list_attributes_named(context.tree, name) if n is nearest or (text and read_dotted_name(n) == text)
    ]


def _find_longest_chain(context: RuleContext, node: ast.expr, module: str) -> tuple[list[ast.expr], Change] | None:
    """For a package that is gone whole (``pd.stats.moments.rolling_mean``): the longest chain around it that is known."""
    chain = [node]
    while parent := next((n for n in context.walk(ast.Attribute) if n.value is chain[-1]), None):
        chain.append(parent)
    known = load_knowledge()
    root = (read_dotted_name(node) or "").rpartition(".")[0]
    for outer in reversed(chain[1:]):
        path = module + (read_dotted_name(outer) or "")[len(root) :]
        moved = known.module(path)
        change = known.names.get(path) or (known.names.get(moved[1]) if moved else None)
        if change is None and moved is not None and moved[1] and context.exists(moved[1]):
            change = Change(path, moved[1], moved[0].library, moved[0].version, moved[0].source)
        if change is not None:
            return [outer], change
    return None


def _change_of(context: RuleContext, paths: list[str], module: str, name: str) -> Change | None:
    known = load_knowledge()
    for path in paths:
        change = known.names.get(path)
        if change is not None and (
            change.forms or change.read or change.requires or (change.new and context.exists(change.new))
        ):
            return change
    package = module.split(".")[0]
    said = QUOTED_PATH.search(context.failure.evalue)
    if said is not None:
        first, _, rest = said["path"].partition(".")
        path = ".".join(filter(None, (ALIASES.get(first, first), rest)))
        for candidate in (path, f"{module}.{path}", f"{package}.{path}"):
            if context.exists(candidate) and not candidate.endswith(f".{name}.{name}"):
                return Change(paths[0], candidate, package, "", "the message")
    moved = known.module(f"{module}.{name}")
    if moved is not None and moved[1] and context.exists(moved[1]):
        return Change(paths[0], moved[1], package, moved[0].version, moved[0].source)
    if package == "ipywidgets" and name.endswith("Widget") and context.exists(f"ipywidgets.{name[:-6]}"):
        about = "https://ipywidgets.readthedocs.io/en/stable/changelog.html"
        return Change(paths[0], f"ipywidgets.{name[:-6]}", package, "4.1", about)
    if (shown := find_shown_library(context, module, name)) is not None:
        return shown
    if module == "scipy" and context.exists(f"numpy.{name}"):
        about = "https://docs.scipy.org/doc/scipy/release/1.4.0-notes.html"
        return Change(paths[0], f"numpy.{name}", package, "1.4", about)
    return _search_package(context, module, name)


def _search_package(context: RuleContext, module: str, name: str) -> Change | None:
    package = module.split(".")[0]
    if package not in SEARCHED or context.owner.is_class:
        return None
    if context.exists(f"{module}.{name}"):
        return Change(f"{module}.{name}", f"{module}.{name}", package, "", "the installed package")
    matches = context.find_modules_with(package, [name])
    listed = [m for m, is_listed in matches if is_listed]
    shortest = min((m.count(".") for m in listed), default=0)
    top = [m for m in listed if m.count(".") == shortest]
    if len(top) != 1:
        return None
    return Change(f"{module}.{name}", f"{top[0]}.{name}", package, "", "the installed package",
                  unsafe="It was found by its name alone.")  # fmt: skip


def _write_use(context: RuleContext, node: ast.expr, change: Change) -> tuple[Written | None, ast.AST]:
    """New text for one use, and the node that it replaces (the call where its arguments change)."""
    call = context.call_of(node)
    if call is not None and change.forms:
        written = choose(context, change.forms, call, None, change.params)
        if written is not None:
            return written, call
        if not change.new:
            return None, node
    if change.read:
        return render(context, change.read, None), node
    if not change.new:
        return None, node
    known = context.reference(change.new)
    if known is None and change.requires:  # it is not there yet, and cannot be asked
        return Written(change.new, (f"import {change.new.rpartition('.')[0]}",)), node
    if known is None:
        return None, node
    text, line = known
    alias = read_last_name(node)
    if line and ALIASES.get(alias) == change.new and alias not in context.known_names:
        text, line = alias, f"import {change.new} as {alias}"
    if change.new == change.old and not line:
        line = f"import {change.new}"
    return Written(text, (line,) if line else ()), node
